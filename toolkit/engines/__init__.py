"""Tables that stay in DuckDB or Spark, and their metrics."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("engines")
