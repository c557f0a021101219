"""Hierarchies, recoding, generalisation, partitioning and suppression, with their losses."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("anonymisation")
