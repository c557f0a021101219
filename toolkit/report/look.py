"""Look of the report: one style sheet for its page, for JupyterLab and for paper."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["LOOK"]


LOOK = "\n" + files(__package__).joinpath("look.css").read_text(encoding="utf-8")
