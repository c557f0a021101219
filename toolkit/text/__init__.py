"""Text: what in a cell or in a sentence names or reaches a person."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("text")
