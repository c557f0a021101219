"""Texts and numbers as a terminal, a page and JSON can hold them."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def visible(text: object) -> str:
    r"""Text with visible control characters and direction marks, which nothing obeys.

    Examples
    --------
    >>> visible("\u202etown\x1b[2J\nname")
    '␣town␛[2J name'
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    signs = {" ": " ", "\n": " ", "\x1b": "␛"}
    return "".join(sign if sign.isprintable() else signs.get(sign, "␣") for sign in shown)


def share(number: float) -> str:
    """A share in per cent: never 0 or 100 unless exact.

    Examples
    --------
    >>> share(0.0), share(1e-6), share(0.5), share(0.9999), share(1.0)
    ('0 %', 'below 0.01 %', '50 %', 'over 99 %', '100 %')
    """
    if math.isnan(number):
        return "–"
    if number == 0 or number >= 1 - 1e-12:
        return f"{100 * number:.0f} %"
    if number < 0.0001:
        return "below 0.01 %"
    if number >= 0.995:
        return "over 99 %"
    return f"{100 * number:.2g} %" if number < 0.1 else f"{100 * number:.0f} %"


def number(value: Any) -> str:
    """A number to three digits; whole numbers in full.

    Examples
    --------
    >>> number(1234), number(0.12345), number(999.7), number(math.inf), number(None)
    ('1,234', '0.123', '1,000', '∞', '–')
    """
    if value is None or pd.isna(value):
        return "–"
    if isinstance(value, str) or math.isinf(value):
        return "∞" if value == math.inf else str(value)
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 999.5 else f"{value:.3g}"


def strict(value: Any) -> Any:
    """A value, or tables and lists of values, in a form that strict JSON can hold.

    Infinity becomes "inf", and a missing value None.

    Examples
    --------
    >>> json.dumps(strict({"t": float("inf"), "rows": pd.DataFrame({"k": [2, None]})}))
    '{"t": "inf", "rows": [{"k": 2.0}, {"k": null}]}'
    """
    if isinstance(value, pd.DataFrame):
        value = value.to_dict("records")
    if isinstance(value, dict):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        value = value.item()
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if value is None or pd.isna(value):
        return None
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def written(value: Any) -> str:
    """JSON of a value, without constants that strict JSON lacks."""
    text = json.dumps(strict(value), allow_nan=False, indent=1, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode() + "\n"


def beside(value: Any, limit: float) -> str:
    """A number with enough digits to show on which side of a threshold it lies.

    Examples
    --------
    >>> beside(0.123456, 0.5), beside(0.50002, 0.5), beside(0.5, 0.5)
    ('0.123', '0.50002', '0.5')
    """
    if value is None or value == limit or number(value) != number(limit):
        return number(value)
    texts = (f"{value:.{digits}g}" for digits in range(4, 18))
    return next(text for text in texts if float(text) != limit)


@cache
def template(name: str) -> Any:
    """A template of this folder, which escapes texts and shows their control characters.

    Examples
    --------
    >>> template("explorer.html.j2").module.refused("<b>")
    Markup('<b role="status">Not possible: &lt;b&gt;</b>')
    """
    import jinja2
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        escaped = not isinstance(value, str) or hasattr(value, "__html__")
        return value if escaped else visible(value)

    def isolated(value: Any) -> Any:
        return Markup("<bdi>{}</bdi>").format(visible(value))

    def names(values: Any, most: int = 12) -> Any:
        rest = [Markup("{} more").format(len(values) - most)] if len(values) > most else []
        return Markup(", ").join([*map(isolated, list(values)[:most]), *rest])

    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    made = jinja2.Environment(loader=loader, autoescape=True, finalize=shown)
    filters = {"share": share, "number": number, "beside": beside}
    made.filters |= {**filters, "name": isolated, "names": names}
    return made.get_template(name)
