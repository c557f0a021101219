"""Figures: results in, Axes out."""

import lazy_loader

from .._typing import check_installed

check_installed("matplotlib", "lab", "toolkit.plots")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
