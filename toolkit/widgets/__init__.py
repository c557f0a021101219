"""Explorers: controls whose every setting shows one text and one figure."""

import lazy_loader

from .._typing import check_extra
from ..plots import _style as _style

check_extra("ipywidgets", "lab", "toolkit.widgets")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
