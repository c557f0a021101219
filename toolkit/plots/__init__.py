"""Figures: results in, Axes out. Importing them sets matplotlib's style (`rcParams`)."""

import lazy_loader

from .._typing import check_extra

for package in ("matplotlib", "seaborn"):
    check_extra(package, "lab", "toolkit.plots")

from . import _style as _style  # noqa: E402

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
