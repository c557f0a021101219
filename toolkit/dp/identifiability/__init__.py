"""Differential identifiability: the risk of a record, and epsilon chosen by it."""

from ..._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("dp.identifiability")
