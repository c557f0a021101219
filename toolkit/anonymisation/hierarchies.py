"""Generalisation hierarchies: builders, suggestions, files, and labels of several values.

A hierarchy is a table with a row per value. Column 0 holds the value, columns 1, 2, … its
label on each level, and each label has one above it. A missing value has a row of its own.
"""

# Longer than other modules: suggestions are made by the builders and read their labels.

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_choice, check_number, check_table, listed
from .._codes import encode
from .._typing import AnyArray, FloatArray, IntArray
from .release import label_of, text_of

TOP = "*"
"""Label of everything: what a suppressed cell shows."""

MISSING = "missing"
"""Label of a missing value between itself and the top."""

EXACT = Context(prec=10_000)
"""Decimals of any size that can occur, without rounding."""

# Builders


def interval_hierarchy(
    values: Any, widths: Any, *, origin: Any = 0, top: Any = TOP
) -> pd.DataFrame:
    """Intervals of numbers, closed on the left, wider on each level.

    The number v lies in ``[a, a + width)`` with a = origin + width · floor((v - origin) /
    width). Numbers are taken as they are written in decimals, so 0.3 lies in ``[0.3, 0.4)``.

    Parameters
    ----------
    values : Series or array-like
        Numbers, repeated or not; categories that do not occur get no row.
    widths : number, or list of numbers
        Width of the intervals on level 1, 2, …: each a multiple of the one before.
    origin : number
        Where an interval starts on every level.
    top : label or None
        Label of everything on the last level; None for no such level.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        Columns 0 (the values, rising, a missing one last), 1, 2, …: a hierarchy. A missing
        value has the label ``missing``.

    Examples
    --------
    >>> interval_hierarchy([39, 5, 17], [5, 20])
        0         1         2  3
    0   5   [5, 10)   [0, 20)  *
    1  17  [15, 20)   [0, 20)  *
    2  39  [35, 40)  [20, 40)  *
    """
    known, first = _distinct(values)
    steps = _nested(widths, "widths")
    scaled, digits = _scaled(
        [*_decimals([origin], "origin"), *steps, *_decimals(known, "values")]
    )
    start, numbers = scaled[0], scaled[1 + len(steps) :]
    levels = []
    for width in scaled[1 : 1 + len(steps)]:
        codes, lows = pd.factorize((numbers - start) // width * width + start)
        ends = [(_written(low, digits), _written(low + width, digits)) for low in lows]
        levels.append([f"[{ends[code][0]}, {ends[code][1]})" for code in codes])
    return _assembled(first, levels, top)


def rounding_hierarchy(
    values: Any, steps: Any, *, direction: str = "nearest", top: Any = TOP
) -> pd.DataFrame:
    """Rounded numbers, more coarsely on each level; the labels are numbers too.

    Each level rounds the label below it, so that each label has one above: to tens, 45 becomes
    50, and then to hundreds 100. Numbers are taken as they are written in decimals.

    Parameters
    ----------
    values, top
        As for `interval_hierarchy`.
    steps : number, or list of numbers
        What level 1, 2, … is rounded to multiples of: each a multiple of the one before.
    direction : {"nearest", "down", "up"}
        Where to; "nearest" rounds a half up.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns. A rounded number may equal a value, from which a
        reader cannot tell it.

    Examples
    --------
    >>> rounding_hierarchy([1234, 1250], [10, 100])
          0     1     2  3
    0  1234  1230  1200  *
    1  1250  1250  1300  *
    """
    check_choice(direction, "direction", ("nearest", "down", "up"))
    known, first = _distinct(values)
    widths = _nested(steps, "steps")
    scaled, digits = _scaled([*widths, *_decimals(known, "values")])
    numbers, levels = scaled[len(widths) :], []
    for step in scaled[: len(widths)]:
        above = {"nearest": step // 2, "down": 0, "up": step - 1}[direction]
        numbers = (numbers + above) // step * step
        whole = (numbers % 10**digits == 0).all()
        shown = numbers // 10**digits if whole else numbers
        levels.append([n if whole else float(_written(n, digits)) for n in shown])
    return _assembled(first, levels, top)


def prefix_hierarchy(
    values: Any,
    keep: Any = None,
    *,
    digits: int | None = None,
    pad: str | None = None,
    mask: str = "*",
    top: Any = TOP,
) -> pd.DataFrame:
    """Codes with fewer and fewer of their first characters, such as postcodes or ICD.

    Parameters
    ----------
    values : Series or array-like
        Codes: text, or whole numbers.
    keep : int, or list of int, optional
        How many characters stay on level 1, 2, …; by default one less on each level, down
        to 1.
    digits : int, optional
        Length of a code that was stored as a number and lost its leading zeros: 200 stands
        for 0200 if `digits` is 4.
    pad : character, optional
        What makes shorter codes as long as the longest, behind them, as for ICD. Without it,
        codes of different lengths are refused.
    mask : character
        What stands for a character that is masked; the length of the codes stays.
    top
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Examples
    --------
    >>> prefix_hierarchy(["E11.9", "E10.1", "I10"], [3, 1], pad="*")
           0      1      2  3
    0  E10.1  E10**  E****  *
    1  E11.9  E11**  E****  *
    2    I10  I10**  I****  *
    """
    known, first = _distinct(values)
    texts = code_texts(known, digits)
    length = max(map(len, texts), default=1)
    if pad is not None:
        texts = [text.ljust(length, pad) for text in texts]
    if any(len(text) < length for text in texts):
        raise ValueError(
            "values are codes of different lengths; give digits= for numbers that lost their"
            " leading zeros, or pad= a character that fills shorter codes up."
        )
    counts = range(length - 1, 0, -1) if keep is None else _list_of(keep)
    counts = [check_number(n, "keep", f"[0, {length})", whole=True) for n in counts]
    if sorted(set(counts), reverse=True) != counts:
        raise ValueError(f"keep must fall from level to level, as [3, 2] does; got {counts}.")
    levels = [[text[:n].ljust(length, mask) for text in texts] for n in counts]
    return _assembled(first, levels, top)


def code_texts(codes: Iterable[Any], digits: int | None = None) -> list[str]:
    """Texts of codes, with the leading zeros that numbers have lost if their length is known.

    A whole number that a missing neighbour made a float loses its ``.0``.
    """
    texts = []
    for code in codes:
        number = isinstance(code, (int, float, np.number)) and not isinstance(code, bool)
        if not (isinstance(code, str) or (number and code >= 0 and code % 1 == 0)):
            raise TypeError(
                f"values must be codes: text, or whole numbers from 0; got {code!r:.80}."
            )
        texts.append(str(int(code)) if number else str(code))
    if digits is None:
        return texts
    length = check_number(digits, "digits", "[1, inf)", whole=True)
    if max(map(len, texts), default=0) > length:
        raise ValueError(f"digits={length} is less than the length of the longest code.")
    return [text.zfill(length) for text in texts]


UNITS = ("day", "month", "quarter", "year", "5 years", "decade")


def date_hierarchy(
    values: Any, units: Any = None, *, order: str | None = None, top: Any = TOP
) -> pd.DataFrame:
    """Days, months, quarters, years and decades of dates.

    Parameters
    ----------
    values : Series or array-like
        Dates or times: timestamps, dates, or texts of one form such as 2021-05-13, 13.5.2021,
        5/13/2021, 13 May 2021 or 13052021.
    units : list of {"day", "month", "quarter", "year", "5 years", "decade"}, optional
        What level 1, 2, … shows, from the finest; by default month, year and decade, below
        them the day if a value has a time of the day.
    order : {"ymd", "dmy", "mdy"}, optional
        Which of year, month and day comes first in a text; by default what all texts fit. If
        they do not tell the day from the month, only units of a year or more need no order.
    top
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Examples
    --------
    >>> date_hierarchy(["1994-03-15", "1999-12-31"], ["quarter", "year", "decade"])
                0        1     2      3  4
    0  1994-03-15  1994-Q1  1994  1990s  *
    1  1999-12-31  1999-Q4  1999  1990s  *
    """
    known, first = _distinct(values)
    read = read_dates(known)
    if order is not None:
        check_choice(order, "order", FORMS)
        read = {order: read[order]} if order in read else {}
    if not read:
        raise ValueError(
            "values must be dates, or texts of one form such as 2021-05-13, 13.5.2021 or"
            " 5/13/2021; turn them into dates by pandas.to_datetime."
        )
    times = next(iter(read.values()))
    part = times.dt
    year, five = part.year.astype(str).str.zfill(2), part.year // 5 * 5
    labels = {
        "day": part.strftime("%Y-%m-%d"),
        "month": year + "-" + part.month.astype(str).str.zfill(2),
        "quarter": year + "-Q" + part.quarter.astype(str),
        "year": year,
        "5 years": five.astype(str) + "-" + (five + 4).astype(str),
        "decade": (part.year // 10 * 10).astype(str) + "s",
    }
    clock = ["day"] * bool((part.normalize() != times).any())
    chosen = [*clock, "month", "year", "decade"] if units is None else _list_of(units)
    places = [UNITS.index(check_choice(unit, "units", UNITS)) for unit in chosen]
    if not places or sorted(set(places)) != places:
        raise ValueError(
            f"units must name some of {listed(UNITS)}, from the finest to the coarsest; got"
            f" {listed(chosen) or 'none'}."
        )
    if len(read) > 1 and places[0] < UNITS.index("year"):
        raise ValueError(
            "values do not tell the day from the month; give order='dmy' if the day comes"
            " first, order='mdy' if the month does, or units of a year or more."
        )
    return _assembled(first, [labels[unit].tolist() for unit in chosen], top)


FORMS = {
    "ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m-%d %H:%M", "ISO8601"),
    "dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d %b %Y", "%d %B %Y", "%d%m%Y")
    + ("%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y", "%b %d, %Y", "%B %d, %Y", "%m%d%Y")
    + ("%m/%d/%Y %H:%M",),
}
"""Forms of dates that are texts, by the order of year, month and day."""


def read_dates(known: pd.Series) -> dict[str, pd.Series]:
    """Dates and times, by each order of year, month and day in which all values can be read.

    Examples
    --------
    >>> list(read_dates(pd.Series(["13.5.2021", "1.2.2021"])))
    ['dmy']
    """
    if isinstance(known.dtype, pd.PeriodDtype):
        return {"ymd": known.dt.to_timestamp()}
    cells = known.astype(object)
    if cells.map(lambda cell: isinstance(cell, (date, np.datetime64))).all():
        return {"ymd": pd.Series(pd.to_datetime(known))}
    try:
        texts = pd.Series(code_texts(cells), dtype=object)
    except TypeError:
        return {}
    eight = texts.str.fullmatch(r"\d{7,8}").all()  # of seven digits the first one was a zero
    texts = texts.str.zfill(8) if eight else texts
    read: dict[str, pd.Series] = {}
    for order, forms in FORMS.items():
        for form in forms if eight or texts.str.contains(r"\d\D").all() else ():
            times = pd.to_datetime(texts, format=form, errors="coerce")
            if times.notna().all():
                read.setdefault(order, times)
    return {"ymd": read["ymd"]} if "ymd" in read and not eight else read


def group_hierarchy(
    values: Any, groups: Mapping[Any, Any], *, other: Any = None, top: Any = TOP
) -> pd.DataFrame:
    """Groups of values that are written out, and groups of groups.

    Parameters
    ----------
    values : Series or array-like
        Values of any kind.
    groups : mapping
        ``{label: [values]}``, or nested from the coarsest level to the finest: ``{label:
        {label: [values]}}``. Where one branch is nested less deeply than another, its label
        stays on the levels above. Values that do not occur are left out; None stands for a
        missing one, which is called ``missing`` if no group has it.
    other : label, optional
        Group of all values that are in none, on every level; without it, these are refused.
    top : label or None
        Label of everything on the last level; None for no such level.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Examples
    --------
    >>> jobs = {"office": {"clerk": ["Adm"], "boss": ["Exec"]}, "farm": ["Farming"]}
    >>> group_hierarchy(["Exec", "Farming", "Adm"], jobs)
             0      1       2  3
    0      Adm  clerk  office  *
    1     Exec   boss  office  *
    2  Farming   farm    farm  *
    """
    known, first = _distinct(values)
    check_mapping(groups, "groups must map labels to lists of values, or to further groups")
    paths = list(_paths(groups, []))
    if not paths:
        raise ValueError("groups must hold at least one value; got none.")
    members = plain([value for value, _ in paths])
    if not pd.Index(members, tupleize_cols=False).is_unique:
        raise ValueError("groups lists a value twice; each value has one group.")
    place = rows_of(members, plain(first))
    lacking = int((place[: len(known)] < 0).sum())
    if other is None and lacking:
        raise ValueError(
            f"groups lacks {lacking} of the {len(known)} values; place each value, or give"
            f" other= a label for the rest."
        )
    depth = max(len(labels) for _, labels in paths)
    rows = [labels + labels[-1:] * (depth - len(labels)) for _, labels in paths]
    labels = np.array([*rows, [other] * depth], dtype=object)[place].T
    placed = len(known) if place[-1] < 0 else len(place)  # a missing value, too, if it has one
    table = _assembled(first, labels[:, :placed].tolist(), top)
    levels_of(table, pd.Index([]), "groups")
    return table


def suppression_hierarchy(values: Any, *, top: Any = TOP) -> pd.DataFrame:
    """All or nothing: the value, or the label of everything.

    Parameters
    ----------
    values : Series or array-like
        Values of any kind.
    top : label
        Label of everything.

    Returns
    -------
    DataFrame of shape (n_values, 2)
        As `interval_hierarchy` returns.

    Examples
    --------
    >>> suppression_hierarchy(["m", "f", "f"])
       0  1
    0  f  *
    1  m  *
    """
    return _assembled(_distinct(values)[1], [], top)


def rare_value_hierarchy(
    values: Any, fewer_than: Any, *, other: Any = "other", top: Any = TOP
) -> pd.DataFrame:
    """Pool the rare values of a column, more of them on each level.

    Parameters
    ----------
    values : Series or array-like
        Values of any kind, a cell per record.
    fewer_than : int, or list of int
        On level 1, 2, … a value of fewer records than this is pooled: rising numbers.
    other : label
        What the pooled values are called; a value of that name joins them.
    top : label
        Label of everything on the last level.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        Columns 0 (the values, the commonest first, a missing one too), 1, 2, …: a hierarchy.

    Examples
    --------
    >>> rare_value_hierarchy(["nurse", "nurse", "nurse", "judge", "judge", "poet"], [2, 3])
           0      1      2  3
    0  nurse  nurse  nurse  *
    1  judge  judge  other  *
    2   poet  other  other  *
    """
    codes, cells = encode(_column(values))
    records = np.bincount(codes)
    order = np.argsort(-records, kind="stable")
    known = plain(cells)[order]
    known[pd.isna(known)] = None
    limits = _list_of(fewer_than)
    limits = [check_number(n, "fewer_than", "[1, inf)", whole=True) for n in limits]
    if not limits or sorted(set(limits)) != limits:
        raise ValueError(
            f"fewer_than must rise from level to level, as [10, 100] does; got {limits}."
        )
    records, pool = records[order], check_label(other, "other")
    levels = [np.where(records < least, pool, known).tolist() for least in [0, *limits]]
    return pd.DataFrame(dict(enumerate([*levels, [top] * len(known)])))


def neighbour_hierarchy(values: Any, together: Any, *, top: Any = TOP) -> pd.DataFrame:
    """Merge neighbours of an ordered column: ordered categories, or bands such as ``18-25``.

    Parameters
    ----------
    values : Series or array-like
        Ordered categories, or texts of bands of numbers that do not overlap.
    together : int, or list of int
        How many neighbours share a label on level 1, 2, …: each a multiple of the one before.
    top
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Examples
    --------
    >>> neighbour_hierarchy(["65+", "18-39", "<18", "40-64"], 2)
           0             1  2
    0    <18  <18 to 18-39  *
    1  18-39  <18 to 18-39  *
    2  40-64  40-64 to 65+  *
    3    65+  40-64 to 65+  *
    """
    known, first = _distinct(values)
    if not getattr(known.dtype, "ordered", False):
        lows = _lows_of_bands(known)
        known = known.iloc[np.argsort(lows, kind="stable")].reset_index(drop=True)
        first = pd.concat([known, first.iloc[len(known) :]], ignore_index=True)
    sizes = [int(size) for size in _nested(together, "together")]
    levels = []
    for size in sizes:
        parts = [known.iloc[at : at + size].tolist() for at in range(0, len(known), size)]
        levels.append([label for part in parts for label in [_span(part)] * len(part)])
    return _assembled(first, levels, top)


def _span(part: list[Any]) -> str:
    """Label of some neighbours."""
    return f"{part[0]} to {part[-1]}" if len(part) > 1 else str(part[0])


BAND = re.compile(
    r"[\[(]?(\d+(?:\.\d+)?) ?(?:-|–|to|bis|,) ?(\d+(?:\.\d+)?)[\])]?"
    r"|(?:<|≤|under|up to) ?(\d+(?:\.\d+)?)|(?:>|≥|over) ?(\d+(?:\.\d+)?)|(\d+) ?\+"
)


def _lows_of_bands(known: pd.Series) -> list[float]:
    """Where each band begins; an error if one is not a band, or overlaps another one."""
    ends = []
    for value in known:
        band = BAND.fullmatch(value) if isinstance(value, str) else None
        if band is None:
            raise ValueError("values must be ordered categories, or bands such as '18-25'.")
        low, high, under, over, plus = band.groups()
        low = low or over or plus or "-inf"
        ends.append((float(low), float(high or under or "inf")))
    flat = np.ravel(sorted(ends))
    if (np.diff(flat) < 0).any() or (flat[1::2] <= flat[::2]).any():
        raise ValueError("values must be bands that do not overlap.")
    return [low for low, _ in ends]


def _column(values: Any) -> pd.Series:
    """Return the values of one column, at least one."""
    wrong = isinstance(values, (pd.DataFrame, str, bytes, Mapping))
    if wrong or not isinstance(values, Iterable):
        raise TypeError(
            f"values must be one column or a list of values; got {type(values).__name__}."
        )
    column = pd.Series(values if hasattr(values, "dtype") else list(values))
    if column.empty:
        raise ValueError("values must hold at least one value; got none.")
    return column.rename(None).reset_index(drop=True)


def _distinct(values: Any) -> tuple[pd.Series, pd.Series]:
    """Known values, once each, rising if they can be ordered; the same and a missing one."""
    column = _column(values)
    lacks = column.isna().any()
    known = pd.Series(encode(column.dropna())[1]) if column.notna().any() else column.iloc[:0]
    if isinstance(known.dtype, pd.CategoricalDtype):
        dtype: Any = known.cat.remove_unused_categories().dtype
        known = pd.Series(dtype.categories, dtype=dtype)
    else:
        with suppress(TypeError):  # values of different kinds stay in order of appearance
            known = known.sort_values(ignore_index=True)
    if not lacks:
        return known, known
    missing = pd.Series([None], dtype=object)
    return known, pd.concat([known.astype(object), missing], ignore_index=True)


def plain(values: Any) -> AnyArray:
    """Values as objects, a missing one as NaN."""
    cells = np.empty(len(values), object)
    cells[:] = list(values)
    cells[pd.isna(cells)] = np.nan
    return cells


def check_label(label: Any, argument: str) -> Any:
    """Return one label, no list of them."""
    if not pd.api.types.is_scalar(label):
        raise TypeError(f"{argument} must be one label, such as a text; got {label!r:.80}.")
    return label


def _assembled(first: pd.Series, levels: Iterable[list[Any]], top: Any) -> pd.DataFrame:
    """Put the levels behind the first column, with a missing value and the label on top."""
    columns: list[Any] = [first]
    for labels in levels:
        if len(labels) < len(first) and MISSING in labels:
            raise ValueError(
                f"values: {MISSING!r} is the label of missing values and also of known ones;"
                f" fill the missing values in first."
            )
        columns.append(labels + [MISSING] * (len(first) - len(labels)))
    if top is not None:
        columns.append([top] * len(first))
    return pd.DataFrame(dict(enumerate(columns)))


def _list_of(given: Any) -> list[Any]:
    """Return the settings of the levels, of which one may stand alone."""
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def _decimals(values: Any, argument: str) -> list[Decimal]:
    """Return finite numbers as they are written in decimals."""
    numbers = list(values)
    for number in numbers:
        kinds = (int, float, np.integer, np.floating, Decimal)
        if not isinstance(number, kinds) or isinstance(number, bool):
            raise TypeError(
                f"{argument} must be numbers; got {type(number).__name__}. Turn text into"
                f" numbers by pandas.to_numeric."
            )
        if not math.isfinite(number):
            raise ValueError(f"{argument} must be finite numbers.")
    return [Decimal(str(number)) for number in numbers]


def _nested(widths: Any, argument: str) -> list[Decimal]:
    """Return widths of levels, each a multiple of the one before."""
    numbers = _decimals(_list_of(widths), argument)
    if not numbers or min(numbers) <= 0:
        raise ValueError(
            f"{argument} must be positive numbers, one per level; got {widths!r:.80}."
        )
    scaled, _ = _scaled(numbers)
    if any(coarse % fine for fine, coarse in zip(scaled, scaled[1:], strict=False)):
        raise ValueError(
            f"{argument} must nest, each a multiple of the one before; got {widths!r:.80}."
        )
    return numbers


def _scaled(numbers: Sequence[Decimal]) -> tuple[AnyArray, int]:
    """Whole numbers of any size, and how many of their digits are decimals."""
    digits = max(0, *(-int(number.as_tuple().exponent) for number in numbers))
    return plain([int(EXACT.scaleb(number, digits)) for number in numbers]), digits


def _written(number: int, digits: int) -> str:
    """Write a scaled number with as few decimals as it needs."""
    return format(EXACT.normalize(EXACT.scaleb(Decimal(number), -digits)), "f")


def _paths(groups: Mapping[Any, Any], above: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each value with its labels, from the finest."""
    for label, members in groups.items():
        if isinstance(members, Mapping):
            yield from _paths(members, [label, *above])
        else:
            yield from ((value, [label, *above]) for value in _list_of(members))


# Suggestions
#
# A suggestion is a start: people who know the words of a table group them better. In doubt a
# column is kept or hidden, and no level may show the day of a date without its year.

CODE_NAMES = r"\b(?:zip|post ?code|postal|plz|postleitzahl|code|icd|sic|tract|phone|ssn)"
"""Words in the name of a column whose cells are codes."""

COUNT_NAMES = r"\b(?:ages?|years?|born|birth|number of|count|hours|children|alter|jahre?)\b"
"""Words in the name of a column whose few whole numbers are not codes."""

MOST_CODES = 12
"""So many different whole numbers are codes unless a name says what they count."""

RARITIES = (0.001, 0.01, 0.05, 0.2)
"""Shares of the records below which a value is pooled, level by level."""

DIGITS_OF_DATES = {"%d%m%y": 6, "%m%d%y": 6, "%j%Y": 7, "%d%m%Y": 8, "%m%d%Y": 8} | {
    "%d%m%Y%H%M": 12,
    "%m%d%Y%H%M": 12,
    "%d%m%Y%H%M%S": 14,
}
"""Digits that end with a year or a time, which a cut or an interval would hide first."""


class SuggestedHierarchy(pd.DataFrame):
    """A hierarchy that knows how it was built.

    Attributes
    ----------
    names : tuple of str
        What each level does, in a word or two.
    code : str
        The call that builds it, with ``{}`` for the column.
    note : str
        A doubt, without a cell.
    """

    _metadata: ClassVar[list[str]] = ["names", "code", "note"]
    names: tuple[str, ...]
    code: str
    note: str


class Call(NamedTuple):
    """A builder, what it is called with behind the column, and what its levels do."""

    builder: Callable[..., pd.DataFrame] = suppression_hierarchy
    levels: Sequence[Any] = ()
    names: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}  # never changed
    note: str = ""


def suggest_hierarchies(data: Any) -> dict[Any, SuggestedHierarchy]:
    """Suggest a hierarchy for each column whose cells can be compared.

    Dates become months and years, codes lose their last characters, numbers get intervals, and
    of other values the rare ones are pooled.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; names of columns that differ. A name counts, too: the whole numbers of a
        `zip` are codes.

    Returns
    -------
    dict
        From column to its hierarchy, as `optimal_generalisation` takes it, which also has
        `names` (what each level does), `code` (the call that builds it) and `note`.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39, 25, 62], "sex": list("mfmf")})
    >>> {name: tree.names for name, tree in suggest_hierarchies(people).items()}
    {'age': ('as it is', 'by 5', 'by 10', 'hidden'), 'sex': ('as it is', 'hidden')}
    """
    data = check_table(data)
    suggested = {name: suggest_hierarchy(data[name]) for name in data.columns}
    return {name: tree for name, tree in suggested.items() if tree is not None}


def suggest_hierarchy(column: pd.Series) -> SuggestedHierarchy | None:
    """Suggest how to make one column coarser; None if its cells cannot be compared.

    Examples
    --------
    >>> suggest_hierarchy(pd.Series(["13053", "13068", "14850"], name="zip")).code
    'prefix_hierarchy({}, [4, 3, 2])'
    """
    try:
        values, _ = _distinct(column) if len(column) else (column, column)
    except TypeError:
        return None
    if isinstance(values.dtype, pd.CategoricalDtype) and not values.dtype.ordered:
        values = values.astype(values.dtype.categories.dtype)
    values = values.infer_objects()
    for kind in KINDS if len(values) > 2 else ():
        with suppress(TypeError, ValueError, OverflowError):  # the next kind may fit
            if (call := kind(column, values)) is not None:
                return _built(column, call)
    return _built(column, Call())


def _built(column: pd.Series, call: Call) -> SuggestedHierarchy:
    """Build a hierarchy without the levels that have one label, as what is hidden has."""
    given = [list(call.levels)] * bool(call.levels)
    table = call.builder(column, *given, **call.options)
    labels = table[table[0].notna()].nunique(dropna=False)[1:-1]
    several = int((labels > 1).sum())
    if several < len(call.names):
        shorter = call._replace(levels=call.levels[:several], names=call.names[:several])
        return _built(column, shorter if several else Call(note=call.note))
    options = [f"{name}={value!r}" for name, value in call.options.items()]
    tree = SuggestedHierarchy(table)
    tree.names = ("as it is", *call.names, "hidden")
    tree.code = f"{call.builder.__name__}({', '.join(['{}', *map(repr, given), *options])})"
    tree.note = call.note
    return tree


def _dates(column: pd.Series, values: pd.Series) -> Call | None:
    """Months, years, five years and decades; no months if they may be days."""
    read = read_dates(values)
    times = next(iter(read.values()), None)
    if times is None or not times.dt.year.between(1800, 2100).all():
        numeric = pd.api.types.is_numeric_dtype(values) and not _named(column, CODE_NAMES)
        if numeric and _may_be_dates(code_texts(values)):
            return Call(note="its numbers may be dates that end with a year: kept or hidden")
        return None
    finest = ["day"] * bool((times != times.dt.normalize()).any()) + ["month"]
    doubt = "its dates do not tell the day from the month: the finest level is years"
    note = doubt if len(read) > 1 else ""
    units = [*([] if note else finest), "year", "5 years", "decade"]
    names = tuple(unit if unit == "5 years" else f"{unit}s" for unit in units)
    return Call(date_hierarchy, units, names, note=note)


def _named(column: pd.Series, words: str) -> bool:
    """True if the name of a column has one of some words."""
    return re.search(words, re.sub(r"[\W_]+", " ", str(column.name)).lower()) is not None


def _may_be_dates(digits: list[str]) -> bool:
    """True if all digits can be read as dates of one form."""
    longest = max(map(len, digits))
    for form, length in DIGITS_OF_DATES.items():
        if length - 1 <= longest <= length:
            texts = pd.Series([text.zfill(length) for text in digits])
            if pd.to_datetime(texts, format=form, errors="coerce").notna().all():
                return True
    return False


def _codes(column: pd.Series, values: pd.Series) -> Call | None:
    """Fewer and fewer of the first characters of a code."""
    texts = code_texts(values)
    whole = pd.api.types.is_numeric_dtype(values)
    lengths, figures = {len(text) for text in texts}, all(text.isdigit() for text in texts)
    longest = max(lengths)
    alike = len(lengths) == 1 and not whole
    lettered = alike and all(re.fullmatch(r"[A-Za-z]{1,3}\d+", text) for text in texts)
    coded = (alike and figures and longest == 5) or (
        lettered and not _may_be_dates([text.lstrip(string.ascii_letters) for text in texts])
    )
    if not (coded or _named(column, CODE_NAMES)) or not 1 < longest <= 12:
        return None
    step = math.ceil((longest - 1) / 5)
    keep = list(range(longest - step, 0, -step))
    lost = figures and (whole or not alike)
    options = {"digits": longest} if lost else {} if alike else {"pad": "*"}
    return Call(prefix_hierarchy, keep, tuple(f"first {n}" for n in keep), options)


def _bands(column: pd.Series, values: pd.Series) -> Call | None:
    """Neighbours merged: two, four, eight and so on."""
    if not getattr(values.dtype, "ordered", False):
        _lows_of_bands(values)
    together = [2**n for n in range(1, math.ceil(math.log2(len(values))))]
    return Call(neighbour_hierarchy, together, tuple(f"{n} together" for n in together))


def _intervals(column: pd.Series, values: pd.Series) -> Call | None:
    """Round widths, each a multiple of the one before, until few intervals are left."""
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return None
    whole = bool((values % 1 == 0).all())
    if whole and len(values) <= MOST_CODES and not _named(column, COUNT_NAMES):
        return None
    span = float(values.max()) - float(values.min())
    power = math.floor(math.log10(span / 20))  # about twenty intervals on the second level
    one = next(n for n in (1, 2, 5, 10) if n * 10.0**power >= span / 20)
    first = Decimal(one).scaleb(power)
    widths = [first / (2 if one == 2 else 5), *(first * 2**n for n in range(6))]
    widths = [width for width in widths if span / float(width) >= 2.5]
    if whole:
        rounded = [width for width in widths if width > 1 and width == int(width)]
        widths = rounded or [Decimal(2)] * (span >= 4)
    numbers = [int(width) if width == int(width) else float(width) for width in widths]
    names = tuple(f"by {n:,}" for n in numbers)
    return Call(interval_hierarchy, numbers, names) if numbers else None


def _pooled(column: pd.Series, values: pd.Series) -> Call | None:
    """Rarer values pooled first, where some are rare and some are not."""
    records = column.value_counts(dropna=False).to_numpy()
    limits: list[int] = []
    kept = len(records)
    for share in RARITIES:
        least = max(2, math.ceil(share * len(column)))
        left = int((records >= least).sum())
        if 0 < left < kept - (not limits):
            limits.append(least)
            kept = left
    names = tuple(f"pool < {least:,}" for least in limits)
    return Call(rare_value_hierarchy, limits, names) if limits else None


KINDS = (_dates, _codes, _bands, _intervals, _pooled)
"""Kinds of columns: each finds the builder, or none if the values are of another kind."""


# Files


def read_hierarchy(path: Any, *, separator: str | None = None) -> pd.DataFrame:
    r"""Read a hierarchy from a text file: a line per value, a cell per level, as for ARX.

    Every cell is text. Where data hold a number, a date or a truth value, its text in the
    hierarchy stands for it: '39' for 39, but never '039'. An empty cell is a missing value.

    Parameters
    ----------
    path : path
        A file in UTF-8. Cells may be quoted by ``"``.
    separator : character, optional
        What stands between cells; by default a semicolon, as in files of ARX, if the first
        line has one outside of quotes, else a comma.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        Columns 0 (the values), 1, 2, …: a hierarchy, its rows in the order of the file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "zip.csv"
    >>> _ = file.write_text("13053;130**;*\n14850;148**;*\n")
    >>> read_hierarchy(file)
           0      1  2
    0  13053  130**  *
    1  14850  148**  *
    """
    if separator is None:
        with Path(path).open(encoding="utf-8-sig") as file:
            separator = ";" if ";" in re.sub('"[^"]*"', "", file.readline()) else ","
    options: Any = {"header": None, "dtype": str, "keep_default_na": False, "na_values": [""]}
    table: pd.DataFrame = pd.read_csv(path, sep=separator, encoding="utf-8-sig", **options)
    _check_file(table, path)
    return table


def write_hierarchy(hierarchy: Any, path: Any, *, separator: str = ",") -> None:
    r"""Write a hierarchy to a text file that `read_hierarchy` and ARX read.

    A number is written so that its text stands for it again, a missing value as nothing.

    Parameters
    ----------
    hierarchy : DataFrame, or list of rows
        A row per value: the value and its label on each level.
    path : path
        The file; an existing one is replaced.
    separator : character
        What stands between cells.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "age.csv"
    >>> write_hierarchy(interval_hierarchy([17, 39], 20), file)
    >>> print(file.read_text())
    17,"[0, 20)",*
    39,"[20, 40)",*
    <BLANKLINE>
    """
    table = pd.DataFrame(levels_of(hierarchy, pd.Index([]), str(path)).cells)
    texts = table.map(text_of)
    if (texts.nunique() < table.nunique()).any():
        raise ValueError(
            f"hierarchy: two cells of a level are one text in {path}, as 1 and '1' would be;"
            f" name them differently."
        )
    _check_file(texts, path)
    texts.to_csv(path, sep=separator, header=False, index=False)


def _check_file(table: pd.DataFrame, path: Any) -> None:
    """Refuse a file whose lines lack labels, besides what `levels_of` refuses."""
    if table.shape[1] < 2 or table.iloc[:, 1:].isna().any(axis=None):
        raise ValueError(
            f"{path}: each line must hold a value and its label on every level; pass"
            f" separator= if another character stands between cells."
        )
    levels_of(table, pd.Index([]), str(path))


# Reading a hierarchy


class Levels(NamedTuple):
    """A hierarchy that was read: a row per value, a column per level."""

    cells: AnyArray
    """The value of each row, as the data hold it, and its labels; a missing one is NaN."""
    codes: list[IntArray]
    """Number of the label of each row, level by level."""
    row: IntArray
    """Row of each value that was asked for."""


def levels_of(hierarchy: Any, values: pd.Index, name: object) -> Levels:
    """Read a hierarchy, and find the row of each of some values.

    A number, date or truth value without a row of its own has that of the text that says it,
    as files hold it, and a text that of such a value.
    """
    where = f"hierarchy of {name!r}"
    framed = isinstance(hierarchy, pd.DataFrame)
    try:
        rows = hierarchy.to_numpy(object) if framed else [[*row] for row in hierarchy]
    except TypeError:
        rows = []
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise TypeError(
            f"{where} must be a table with a row per value, whose columns are the value and"
            f" its labels on each level; got {type(hierarchy).__name__}."
        )
    cells: AnyArray = pd.DataFrame(rows, dtype=object).to_numpy(copy=True)
    cells[pd.isna(cells)] = np.nan
    codes = [_numbered(column, where) for column in cells.T.tolist()]
    if codes[0].max() + 1 < len(cells):
        raise ValueError(f"{where} lists a value twice; each value has one row.")
    for level in range(1, len(codes) - 1):
        row_of = np.zeros(len(cells), np.int64)
        row_of[codes[level]] = np.arange(len(cells))  # a row of each label
        if (codes[level + 1] != codes[level + 1][row_of[codes[level]]]).any():
            raise ValueError(
                f"{where}: a label of level {level} has several labels on level {level + 1};"
                f" each label has one above it."
            )
    wanted = values.to_numpy(object, copy=True)
    wanted[pd.isna(wanted)] = np.nan
    row = rows_of(cells[:, 0], wanted)
    if (row < 0).any():
        raise ValueError(
            f"{where} has no row for {(row < 0).sum()} of the {len(row)} values that the data"
            f" hold; add one for each."
        )
    cells[row, 0] = wanted
    return Levels(cells, codes, row)


def _numbered(cells: list[Any], where: str) -> IntArray:
    """Number equal cells alike; of few cells a dictionary does it faster than pandas."""
    try:
        numbers = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    except TypeError:
        raise TypeError(
            f"{where} holds cells such as lists; each cell is one label."
        ) from None
    return np.array([numbers[cell] for cell in cells])


def rows_of(known: AnyArray, wanted: AnyArray) -> IntArray:
    """Position in `known` of each wanted cell, -1 if it is not there; missing ones are NaN.

    What is equal matches first. Of the rest, a text and another cell match if that cell is
    written so (39 and 39.0 as '39' or '39.0', a date as its day) and no third cell is.
    """
    place = {cell: i for i, cell in enumerate(known)}
    found = np.array([place.get(cell, -1) for cell in wanted], np.int64)
    lost = np.flatnonzero(found < 0)
    if len(lost):
        rest = np.setdiff1d(np.arange(len(known)), found)
        row = dict(zip(_said(known[rest]), rest.tolist(), strict=True))
        times = Counter(_said(known[rest]) + _said(wanted[lost]))
        for i, (is_text, text) in zip(lost, _said(wanted[lost]), strict=True):
            other = (not is_text, text)
            if times[other] == times[is_text, text] == 1 and text is not None:
                found[i] = row.get(other, -1)
    return found


def _said(cells: Iterable[Any]) -> list[tuple[bool, str | None]]:
    """True for a text, and how a file may hold each cell; None if it is missing."""
    texts = [None if cell is np.nan else label_of(cell) for cell in cells]
    return [
        (isinstance(cell, str), text and re.sub(r"^(-?\d+)\.0$", r"\1", text))
        for cell, text in zip(cells, texts, strict=True)
    ]


TABLES = "hierarchies must map each column to its table of values x levels"


def check_mapping(given: Any, rule: str) -> None:
    """Refuse what is no mapping, by the rule that it breaks."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{rule}; got {type(given).__name__}.")


def check_hierarchies(hierarchies: Any, names: Sequence[Any]) -> list[Any]:
    """One hierarchy per column, in the order of the columns."""
    check_mapping(hierarchies, TABLES)
    lacking = [name for name in names if name not in hierarchies]
    if lacking or not hierarchies:
        what = listed(lacking) or "all columns"
        raise ValueError(f"hierarchies lacks {what}; give each column its table.")
    return [hierarchies[name] for name in names]


# Labels of several values, which a class of `mondrian` shows: texts, since no Parquet file
# holds an interval beside a number


def interval_label(low: Any, high: Any, *, missing: bool = False) -> str:
    """Write a closed interval of ordered values, which may hold a missing one too."""
    first, last = label_of(low), label_of(high)
    span = f"[{first}, {last}]" if first != last else first
    return f"{span} or {MISSING}" if missing else span


def set_label(members: Iterable[str]) -> str:
    """Write a set of values, of which `member_label` gives the texts."""
    return f"{{{', '.join(members)}}}"


def member_label(value: Any) -> str:
    """Text of one value of a set."""
    return MISSING if pd.isna(value) is True else str(value)


def openness(held: AnyArray, values: int) -> FloatArray:
    """Share of the other values of a column that a cell leaves open, if it may be `held`."""
    return np.asarray((held - 1) / max(values - 1, 1), float)
