"""Differentially private histograms of a table, after PrivacyHistos."""

from ..._typing import attach_room

__getattr__, __dir__, __all__ = attach_room("dp.histograms")
