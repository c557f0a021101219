"""Statistical audits of mechanisms that claim differential privacy."""

from ..._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("dp.auditing")
