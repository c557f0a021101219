"""Text: parts of a cell or a sentence that name a person or lead to one."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("text")
