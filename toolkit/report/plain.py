"""Texts and numbers as a terminal, a page and JSON can hold them."""

from __future__ import annotations

import json
import math
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd


def visible(text: object) -> str:
    r"""Text whose control signs and direction marks are seen and obeyed by nothing.

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
    """A share in per cent: never 0 or 100 unless it is.

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
    """A number to three digits, whole ones in full.

    Examples
    --------
    >>> number(1234), number(0.12345), number(math.inf), number(None)
    ('1,234', '0.123', '∞', '–')
    """
    if value is None or pd.isna(value):
        return "–"
    if isinstance(value, str) or math.isinf(value):
        return "∞" if value == math.inf else str(value)
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def strict(value: Any) -> Any:
    """A value, or tables and lists of values, as strict JSON has it.

    Infinity becomes "inf", and what is missing None.

    Examples
    --------
    >>> json.dumps(strict({"t": float("inf"), "rows": pd.DataFrame({"k": [2, None]})}))
    '{"t": "inf", "rows": [{"k": 2.0}, {"k": null}]}'
    """
    if isinstance(value, pd.DataFrame):
        value = value.to_dict("records")
    if isinstance(value, dict):
        return {str(key): strict(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(one) for one in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isinf(value):
        return str(float(value))
    if pd.isna(value):
        return None
    return float(value) if isinstance(value, Real) else str(value)


def written(value: Any) -> str:
    """JSON of a value, with no constant that JSON lacks."""
    text = json.dumps(strict(value), allow_nan=False, indent=1, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode() + "\n"
