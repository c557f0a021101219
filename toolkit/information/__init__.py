"""Information disclosed by a record, in bits: entropies and personal information factors."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("information")
