"""Identity, membership and attribute disclosure in a table of equivalence classes."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("disclosure")
