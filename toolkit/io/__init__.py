"""Tables from files of any common kind, read within stated limits."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("io")
