"""Checks and reports of a table: roles, measures, anonymisation methods and their wording."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("report")
