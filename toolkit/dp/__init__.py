"""Differential privacy: noise, mechanisms, accounting and sensitivity."""

from .._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("dp")
