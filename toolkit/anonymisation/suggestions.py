"""Suggested hierarchies: one for each column, and the call that makes it.

Numbers get intervals, codes lose their last characters, dates become months and years, and of
other values the rare ones are pooled. What is suggested is a start: whoever knows the words of
a table groups them better.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import pandas as pd

from .._validation import check_table
from ..datasets import load_adult_hierarchies
from .hierarchies import (
    date_hierarchy,
    interval_hierarchy,
    prefix_hierarchy,
    rare_value_hierarchy,
    suppression_hierarchy,
)

__all__ = [
    "SuggestedHierarchy",
    "adult_hierarchies",
    "suggest_hierarchies",
    "suggest_hierarchy",
]


CODE_NAMES = r"zip|zip ?code|post ?code|postal|plz|code|icd|sic|tract|phone|ssn"
"""Words in the name of a column whose whole numbers are codes."""


INTERVALS, LEAST_INTERVALS = 20, 2.5
"""Intervals across the range on the first round width, and when doubling it ends."""


RARITIES = (0.001, 0.01, 0.05, 0.2)
"""Shares of the records below which a value is pooled, level by level."""


CODE_LENGTH = 12
"""Longest text that is taken for a code."""


CELLS_READ = 1000
"""Distinct cells whose writing is looked at."""


HIDDEN, KEPT = "hidden", "as it is"


class SuggestedHierarchy(NamedTuple):
    """A hierarchy, and how to build it again."""

    table: pd.DataFrame
    """A row per value: the value and its label on each level."""
    names: tuple[str, ...]
    """What each level does, in a word or two."""
    code: str
    """The call that builds it, with ``{}`` for the column."""
    source: tuple[str, str]
    """Module and name of the function that it calls."""


def suggest_hierarchies(data: pd.DataFrame) -> dict[Any, SuggestedHierarchy]:
    """Suggest a hierarchy for each column whose cells can be compared.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; names of columns that differ.

    Returns
    -------
    dict
        From column to its `SuggestedHierarchy`; without columns of lists and the like.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39, 25, 62], "sex": list("mfmf")})
    >>> {name: tree.names for name, tree in suggest_hierarchies(people).items()}
    {'age': ('as it is', 'by 5', 'by 10', 'hidden'), 'sex': ('as it is', 'hidden')}
    """
    check_table(data)
    found = {name: suggest_hierarchy(data[name]) for name in data.columns}
    return {name: tree for name, tree in found.items() if tree is not None}


def suggest_hierarchy(column: pd.Series) -> SuggestedHierarchy | None:
    """Suggest how to make one column coarser.

    Parameters
    ----------
    column : Series of shape (n_records,)
        Its name counts too: the whole numbers of a `zip` are codes.

    Returns
    -------
    SuggestedHierarchy or None
        None if the cells cannot be compared.

    Examples
    --------
    >>> suggest_hierarchy(pd.Series(["13053", "13068", "14850"], name="zip")).code
    'prefix_hierarchy({}, [4, 3, 2, 1])'
    """
    try:
        values = column.dropna().drop_duplicates()
    except (TypeError, NotImplementedError):  # of lists, or of a type that Arrow cannot filter
        return None
    kinds = (_dates, _codes, _intervals, _pooled) if len(values) > 2 else ()
    for kind in (*kinds, lambda column, values: _Call(suppression_hierarchy, (), {}, ())):
        try:
            call = kind(column, values)
            if call is not None:
                return _built(call, column)
        except (TypeError, ValueError, OverflowError):  # the next kind may fit
            continue
    return None


def adult_hierarchies(data: pd.DataFrame) -> dict[Any, SuggestedHierarchy]:
    """Return the hierarchies of the columns of Adult that are in a table.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Adult, or a part of its columns.

    Examples
    --------
    >>> adult_hierarchies(pd.DataFrame({"sex": ["Male", "Female"]}))["sex"].names
    ('as it is', 'hidden')
    """
    trees = load_adult_hierarchies()
    source = (load_adult_hierarchies.__module__, load_adult_hierarchies.__name__)
    found = {}
    for name in data.columns.intersection(list(trees), sort=False):
        groups = [f"{count} groups" for count in trees[name].nunique(dropna=False)[1:-1]]
        code = f'load_adult_hierarchies()["{name}"]'
        found[name] = SuggestedHierarchy(trees[name], (KEPT, *groups, HIDDEN), code, source)
    return found


class _Call(NamedTuple):
    """A builder, what it is to be called with behind the column, and what its levels do."""

    builder: Callable[..., pd.DataFrame]
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    names: tuple[str, ...]


def _built(call: _Call, column: pd.Series) -> SuggestedHierarchy:
    table = call.builder(column, *call.arguments, **call.options)
    options = [f"{name}={value!r}" for name, value in call.options.items()]
    written = ", ".join(["{}", *map(repr, call.arguments), *options])
    source = (call.builder.__module__, call.builder.__name__)
    names = (KEPT, *call.names, HIDDEN)
    return SuggestedHierarchy(table, names, f"{source[1]}({written})", source)


def _dates(column: pd.Series, values: pd.Series) -> _Call | None:
    """Months, years and decades."""
    if not pd.api.types.is_datetime64_any_dtype(values):
        cells = [str(cell) for cell in values[:CELLS_READ]]
        if not all(re.fullmatch(r"\d{4}-\d\d-\d\d([ T][\d:.]+)?", cell) for cell in cells):
            return None
    times = pd.to_datetime(values, utc=True)
    units = ["day"] * bool((times != times.dt.normalize()).any()) + ["month", "year", "decade"]
    return _Call(date_hierarchy, (units,), {}, tuple(f"{unit}s" for unit in units))


def _codes(column: pd.Series, values: pd.Series) -> _Call | None:
    """Fewer and fewer of the first characters of a code."""
    words = " ".join(re.findall(r"[^\W_]+", str(column.name).lower()))
    named = re.search(rf"\b(?:{CODE_NAMES})\b", words) is not None
    numbered = pd.api.types.is_integer_dtype(values) and named and values.min() >= 0
    texts = values.astype(str if numbered else object)
    if not all(isinstance(cell, str) for cell in texts):
        return None
    longest = int(texts.str.len().max())
    coded = numbered or (named or texts.str.contains(r"\d").mean() >= 0.95)
    alike = numbered or texts.str.len().nunique() == 1
    if not (coded and alike and 1 < longest <= CODE_LENGTH):
        return None
    step = math.ceil((longest - 1) / 5)
    keep = list(range(longest - step, 0, -step))
    options = {"digits": longest} if numbered else {}
    return _Call(prefix_hierarchy, (keep,), options, tuple(f"first {n}" for n in keep))


def _intervals(column: pd.Series, values: pd.Series) -> _Call | None:
    """Round widths, each a multiple of the one before, until few intervals are left."""
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return None
    span = float(values.max()) - float(values.min())
    power = math.floor(math.log10(span / INTERVALS))
    one = next(n for n in (1, 2, 5, 10) if n * 10.0**power >= span / INTERVALS)
    power, one = (power + 1, 1) if one == 10 else (power, one)
    finer = [(1, power)] if one > 1 else [(2, power - 1)]
    steps = [*finer, *((one * 2**n, power) for n in range(6))]
    widths = [Decimal(digit).scaleb(at) for digit, at in steps]
    whole = pd.api.types.is_integer_dtype(values) or (values % 1 == 0).all()
    kept = [w for w in widths if span / float(w) >= LEAST_INTERVALS and not (whole and w <= 1)]
    numbers = [int(w) if w == w.to_integral_value() else float(w) for w in kept]
    if not numbers:
        return None
    return _Call(interval_hierarchy, (numbers,), {}, tuple(f"by {n:,}" for n in numbers))


def _pooled(column: pd.Series, values: pd.Series) -> _Call | None:
    """Rarer values pooled first, where some are rare and some are not."""
    records = column.value_counts(dropna=False).to_numpy()
    least: list[int] = []
    kept = len(records)
    for share in RARITIES:
        number = max(2, math.ceil(share * len(column)))
        left = int((records >= number).sum())
        if 0 < left < kept - 1 or (least and 0 < left < kept):
            least.append(number)
            kept = left
    if not least:
        return None
    return _Call(rare_value_hierarchy, (least,), {}, tuple(f"pool < {n:,}" for n in least))
