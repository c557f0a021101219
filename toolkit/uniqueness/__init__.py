"""Records that stand out: sample and population uniqueness, special uniques, outliers."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("uniqueness")
