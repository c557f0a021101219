"""Generalisation hierarchies: builders, suggestions, files, and labels of several values.

A hierarchy is a table with a row per value. Column 0 holds the value, columns 1, 2, … its
label on each level, and each label has one above it. A missing value has a row of its own.
"""

# Longer than other modules: suggestions are made by the builders and read their labels.

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import as_objects
from .._old.io import cells
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    check_choice,
    check_hierarchy,
    check_label,
    check_table,
    check_whole,
    listed,
    match_by_text,
)
from .release import label_of, text_of

# Label of everything: what a suppressed cell shows.
TOP = "*"

# Label of a missing value between itself and the top.
MISSING = "missing"

# Decimals of any size that can occur, without rounding.
EXACT = Context(prec=10_000)

UNITS = ("day", "month", "quarter", "year", "5 years", "decade")

# Builders


def interval_hierarchy(
    values: Any,
    widths: Any,
    *,
    origin: Any = 0,
    decimal: str | None = None,
    other: Any = None,
    top: Any = TOP,
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
    decimal : {".", ","}, optional
        The decimal mark of numbers that are texts, such as 98.230,10 or 12 kg; without it,
        texts are refused.
    other : label, optional
        Label of texts that are not numbers; without it, these are refused.
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
    numbers, fits = _numbers_of(known, decimal, other)
    steps = _nested(widths, "widths")
    scaled, digits = _scaled([*_decimals([origin], "origin"), *steps, *numbers])
    start, scaled_numbers = scaled[0], scaled[1 + len(steps) :]
    levels = []
    for width in scaled[1 : 1 + len(steps)]:
        codes, lows = pd.factorize((scaled_numbers - start) // width * width + start)
        ends = [(_written(low, digits), _written(low + width, digits)) for low in lows]
        labels = as_objects([f"[{low}, {high})" for low, high in ends])[codes]
        levels.append(_spread(labels, fits, other))
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
        if direction == "nearest":
            numbers = (2 * numbers + step) // (2 * step) * step
        else:
            numbers = (
                numbers // step * step if direction == "down" else -(-numbers // step) * step
            )
        if (numbers % 10**digits == 0).all():
            levels.append(np.array((numbers // 10**digits).tolist()))
        else:
            levels.append(np.array([float(_written(number, digits)) for number in numbers]))
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
    strange = [v for v in known if not (isinstance(v, str) or _is_whole(v))]
    if strange:
        raise TypeError(
            f"values must be codes: text, or whole numbers from 0; got {listed(strange)}."
        )
    texts = filled_codes(known.map(code_text).astype(object), digits, "values")
    length = int(texts.str.len().max()) if len(texts) else 1
    if pad is not None:
        texts = texts.str.ljust(length, pad)
    lengths = texts.str.len()
    if lengths.nunique() > 1:
        raise ValueError(
            f"values are codes of different lengths, such as"
            f" {listed(texts[~lengths.duplicated()])}; give digits= for numbers that lost"
            f" leading zeros, or pad= a character that fills shorter codes up."
        )
    counts = range(length - 1, 0, -1) if keep is None else _list_of(keep)
    meaning = f"characters that stay, of {length}"
    counts = [check_whole(count, "keep", 0, max(length - 1, 0), meaning) for count in counts]
    if keep is not None and sorted(set(counts), reverse=True) != counts:
        raise ValueError(
            f"keep must fall from level to level, as in [3, 2]; got {keep!r:.80}."
        )
    levels = [first_characters(texts, n, length, mask).to_numpy(object) for n in counts]
    return _assembled(first, levels, top)


def date_hierarchy(
    values: Any,
    units: Any = None,
    *,
    order: str | None = None,
    other: Any = None,
    top: Any = TOP,
) -> pd.DataFrame:
    """Days, months, quarters, years and decades of dates.

    Parameters
    ----------
    values : Series or array-like
        Dates or times: timestamps, dates, or their text as 2021-05-13, 13.5.2021, 5/13/2021,
        13 May 2021 or 05/2021; with `order` also in eight digits, as 13052021.
    units : list of {"day", "month", "quarter", "year", "5 years", "decade"}, optional
        What level 1, 2, … shows, from the finest; by default month, year and decade, below
        them the day if a value has a time of the day.
    order : {"ymd", "dmy", "mdy"}, optional
        Which of year, month and day comes first in a text; by default what all texts fit. If
        they do not tell the day from the month, only units of a year or more need no order.
    other : label, optional
        Label of texts that are not dates; without it, these are refused.
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
    times, fits, decided = _dates_of(known, cells.check_order(order), other)
    times = times[fits]
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
    if not decided and places[0] < UNITS.index("year"):
        raise ValueError(
            f"values do not tell the day from the month, as in {listed(known[:1])}; give"
            " order='dmy' if the day comes first, order='mdy' if the month does, or units of a"
            " year or more."
        )
    levels = [_spread(labels[unit].to_numpy(object), fits, other) for unit in chosen]
    return _assembled(first, levels, top)


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
    members = pd.Index([value for value, _ in paths], dtype=object, tupleize_cols=False)
    if not members.is_unique:
        twice = members[members.duplicated()].unique()
        raise ValueError(f"groups lists {listed(twice)} twice; each value has one group.")
    place = match_by_text(members, pd.Index(first, dtype=object, tupleize_cols=False))
    lacking = known[place[: len(known)] < 0]
    if other is None and len(lacking):
        raise ValueError(
            f"groups lacks {listed(lacking)}; place each value, or give other= a label for"
            f" the rest."
        )
    depth = max(len(labels) for _, labels in paths)
    rows = [labels + labels[-1:] * (depth - len(labels)) for _, labels in paths]
    labels = np.array([*rows, [other] * depth], dtype=object)[place].T
    placed = len(known) if place[-1] < 0 else len(place)  # a missing value, too, if it has one
    table = _assembled(first, labels[:, :placed], top)
    check_hierarchy(table, pd.Index([]), "groups")
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
    codes, cells = pd.factorize(_column(values), use_na_sentinel=False)
    records = np.bincount(codes)
    order = np.argsort(-records, kind="stable")
    records, known = records[order], as_objects(list(cells))[order]
    limits = _list_of(fewer_than)
    limits = [check_whole(n, "fewer_than", 1, 2**53, "the records of a value") for n in limits]
    if not limits or sorted(set(limits)) != limits:
        raise ValueError(
            f"fewer_than must rise from level to level, as [10, 100] does; got {limits}."
        )
    levels = [pooled(known, records, least, other).tolist() for least in [0, *limits]]
    return pd.DataFrame(dict(enumerate([*levels, [top] * len(known)])))


def filled_codes(codes: pd.Series, digits: Any, name: object) -> pd.Series:
    """Codes with the leading zeros that a number has lost, if their length is known."""
    if digits is None:
        return codes
    length = check_whole(digits, "digits", 1, 1000, "the length of the code")
    longer = codes[codes.str.len() > length].unique()
    if len(longer):
        raise ValueError(
            f"column {name!r} holds {listed(longer)}, longer than digits={length}; say the"
            f" length of the longest code."
        )
    return codes.str.zfill(length)


def first_characters(texts: pd.Series, keep: int, length: int, mask: str = "*") -> pd.Series:
    """Codes with all but their first characters masked, which are then equally long."""
    return texts.str[:keep].str.ljust(length, mask)


def pooled(values: AnyArray, records: IntArray, fewer_than: int, other: Any) -> AnyArray:
    """Values, those of too few records by the name of the pool."""
    return np.where(records < fewer_than, check_label(other, "other"), values)


def code_text(value: Any) -> str:
    """Text of a code; a whole number that a missing neighbour made a float loses its .0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number of at least 0."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return number and value >= 0 and value % 1 == 0


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
    if str(column.dtype).startswith("dictionary"):  # of Arrow, which cannot compare them
        column = column.astype(object)
    known = column.dropna().drop_duplicates()
    if isinstance(known.dtype, pd.CategoricalDtype):
        known = pd.Series(known.cat.remove_unused_categories().cat.categories)
    else:
        with suppress(TypeError):  # values of different kinds stay in order of appearance
            known = known.sort_values()
    known = known.reset_index(drop=True)
    if not column.hasnans:
        return known, known
    first = (
        known.astype(object) if known.dtype.kind in "iub" else known
    )  # not to become floats
    missing = pd.Series([None], dtype=first.dtype)
    return known, pd.concat([first, missing], ignore_index=True)


def _assembled(first: pd.Series, levels: Iterable[AnyArray], top: Any) -> pd.DataFrame:
    """Put the levels behind the first column, with a missing value and the label on top."""
    columns: list[Any] = [first]
    for level in levels:
        labels = level.tolist()
        if len(labels) < len(first):  # of the known values alone
            if MISSING in labels:
                raise ValueError(
                    f"values: {MISSING!r} is the label of missing values and also of known"
                    f" ones; fill the missing values in first."
                )
            labels.append(MISSING)
        columns.append(labels)
    if top is not None:
        columns.append([top] * len(first))
    return pd.DataFrame(dict(enumerate(columns)))


def _list_of(given: Any) -> list[Any]:
    """Return the settings of the levels, of which one may stand alone."""
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def _decimals(values: Any, argument: str) -> list[Decimal]:
    """Return finite numbers as they are written in decimals."""
    kinds = (int, float, np.integer, np.floating, Decimal)
    numbers = list(values.to_numpy() if isinstance(values, pd.Series) else values)
    strange = [n for n in numbers if not isinstance(n, kinds) or isinstance(n, bool)]
    if strange:
        hint = " Turn text into numbers by pandas.to_numeric." * isinstance(strange[0], str)
        raise TypeError(f"{argument} must be numbers; got {listed(strange)}.{hint}")
    endless = [n for n in numbers if not math.isfinite(n)]
    if endless:
        raise ValueError(f"{argument} must be finite numbers; got {listed(endless)}.")
    return [Decimal(str(n)) for n in numbers]


def _nested(widths: Any, argument: str) -> list[Decimal]:
    """Return widths of levels, each a multiple of the one before."""
    numbers = _decimals(_list_of(widths), argument)
    if not numbers or min(numbers) <= 0:
        raise ValueError(
            f"{argument} must be positive numbers, one per level; got {widths!r:.80}."
        )
    for finer, coarser in zip(numbers, numbers[1:], strict=False):
        if Fraction(coarser) % Fraction(finer):
            raise ValueError(
                f"{argument} must nest, so that each label has one above it: {coarser} is"
                f" not a multiple of {finer}."
            )
    return numbers


def _scaled(numbers: Sequence[Decimal]) -> tuple[AnyArray, int]:
    """Whole numbers of any size, and how many of their digits are decimals."""
    digits = max(0, *(-int(number.as_tuple().exponent) for number in numbers))
    return as_objects([int(EXACT.scaleb(number, digits)) for number in numbers]), digits


def _written(number: int, digits: int) -> str:
    """Write a scaled number with as few decimals as it needs."""
    return format(EXACT.normalize(EXACT.scaleb(Decimal(number), -digits)), "f")


def _check_rest(rest: pd.Series, kind: str, other: Any) -> None:
    """Refuse values that are not of the kind, unless there is a label for them."""
    if other is None and len(rest):
        raise ValueError(
            f"values must be {kind}; got {listed(rest)}. Correct them, or give other= a label"
            f" for them."
        )


def _spread(labels: AnyArray, fits: BoolArray, other: Any) -> AnyArray:
    """Labels of the values that fit, and one label of all others."""
    spread = np.full(len(fits), other, object)
    spread[fits] = labels
    return spread


def _numbers_of(
    known: pd.Series, decimal: str | None, other: Any
) -> tuple[list[Decimal], BoolArray]:
    """Return numbers, with a decimal mark as people wrote them; and which values are such."""
    if decimal is None:
        return _decimals(known, "values"), np.ones(len(known), bool)
    found = cells.read_numbers([str(value) for value in known], decimal)
    _check_rest(known[~found.fits], f"numbers with the decimal mark {decimal!r}", other)
    return [number for number in found.cells if number is not None], found.fits


def _dates_of(
    known: pd.Series, order: str | None, other: Any
) -> tuple[pd.Series, BoolArray, bool]:
    """Return dates and times, which values are such, and whether their months are known."""
    texts = known.map(code_text).astype(object)
    if order is not None and texts.str.fullmatch(r"[0-9]{7,8}").mean() >= FIT:
        times = cells.dates_in_eight_figures(texts, order)
        fits = times.notna().to_numpy(bool)
        _check_rest(known[~fits], f"dates in the order {order!r}, as order= says", other)
        return times, fits, True
    strange = [v for v in known if not isinstance(v, (str, date, np.datetime64, pd.Period))]
    if strange:
        raise TypeError(
            f"values must be dates, or their text as 2021-05-13; got {listed(strange)}. Turn"
            f" them into dates by pandas.to_datetime."
        )
    if isinstance(known.dtype, pd.PeriodDtype):
        return known.dt.to_timestamp(), np.ones(len(known), bool), True
    if not any(isinstance(value, str) for value in known):
        return pd.to_datetime(known), np.ones(len(known), bool), True
    found = cells.read_dates(texts.tolist(), order)
    why = cells.why_no_dates(found, list(known))
    if why and (other is None or found.short.any()):
        raise ValueError(why)
    return found.times, found.fits, found.order is not None


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


# Share of a column's values that decide what it holds; the rest get a label of their own.
FIT = 0.9

# Words in the name of a column whose whole numbers are codes.
CODE_NAMES = (
    r"zip|zip ?code|post ?code|postal|plz|code|icd|sic|tract|phone|ssn|postleitzahl|codice"
    r"|codigo|cp|cap|tel|telefon\w*|nr|nummer"
)

# Words in the name of a column whose few whole numbers are not codes.
COUNT_NAMES = (
    r"ages?|alter|edad|eta|leeftijd|years?|\w*jahre?|annees?|anni?o?s?|\w*jaar|born|birth"
    r"|number of|count|anzahl|nombre|numero de|aantal|hours|children|kinder\w*"
)

# So many whole numbers are codes unless a name says what they count; longest code.
MOST_CODES, CODE_LENGTH = 12, 12

# Shares of the records below which a value is pooled, level by level.
RARITIES = (0.001, 0.01, 0.05, 0.2)

DAY, MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2]|[^\W\d_]{3,9})"
DAY_AND_MONTH = (
    r"(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))"
)
# Texts that may end with a year, which their first characters do not show.
YEAR_LAST = (
    r"(?:.*\D|.{2,})(?:1[89]|20)\d\d\D*",
    rf"{DAY_AND_MONTH}(?:\d\d|(?:1[89]|20)\d\d(?:\d\d){{1,3}})",
    rf"\D{{0,3}}(?:{DAY}\D{{1,4}}{MONTH}|{MONTH}\D{{1,4}}{DAY})\D{{1,4}}\d\d\D*",
    r"(?:0?[1-9]|1[0-2])[-/.]\d\d",
)

# Writings of dates that a cut makes coarser: year, perhaps month or day of the year, day.
YEAR_FIRST = r"(?:1[6-9]|20)\d\d(?:\D.*|\d{3}|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])?)?"


class SuggestedHierarchy(pd.DataFrame):
    """A hierarchy that knows how it was built.

    Attributes
    ----------
    names : tuple of str
        What each level does, in a word or two.
    code : str
        The call that builds it, with ``{}`` for the column.
    source : (str, str)
        Module and name of the function that it calls.
    note : str
        What has to be known, without a cell: values that do not fit, a doubt.
    """

    _metadata: ClassVar[list[str]] = ["names", "code", "source", "note"]

    def __init__(
        self,
        table: pd.DataFrame,
        names: tuple[str, ...],
        code: str,
        source: tuple[str, str],
        note: str = "",
    ) -> None:
        super().__init__(table)  # type: ignore[call-arg]
        self.names, self.code, self.source, self.note = names, code, source, note


class Call(NamedTuple):
    """A builder, what it is called with behind the column, and what its levels do."""

    builder: Callable[..., pd.DataFrame] = suppression_hierarchy
    levels: Sequence[Any] = ()
    names: tuple[str, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})
    note: str = ""


def suggest_hierarchies(data: pd.DataFrame) -> dict[Any, SuggestedHierarchy]:
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
    check_table(data)
    found = {name: suggest_hierarchy(data[name]) for name in data.columns}
    return {name: tree for name, tree in found.items() if tree is not None}


def suggest_hierarchy(column: pd.Series) -> SuggestedHierarchy | None:
    """Suggest how to make one column coarser; None if its cells cannot be compared.

    Examples
    --------
    >>> suggest_hierarchy(pd.Series(["13053", "13068", "14850"], name="zip")).code
    'prefix_hierarchy({}, [4, 3, 2])'
    """
    try:
        values = column.dropna().drop_duplicates()
    except (TypeError, NotImplementedError):  # of lists, or of a type that Arrow cannot filter
        return None
    if isinstance(values.dtype, pd.CategoricalDtype) and not values.dtype.ordered:
        values = values.astype(values.dtype.categories.dtype)
    with suppress(UnicodeEncodeError):  # halves of surrogate pairs stay objects
        values = values.infer_objects()
    for kind in (*(KINDS if len(values) > 2 else ()), lambda column, values: Call()):
        try:
            call: Call | None = kind(column, values)
            if call is not None:
                return _built(column, call)
        except (TypeError, ValueError, OverflowError):  # the next kind may fit
            continue
    return None


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
    source = (call.builder.__module__, call.builder.__name__)
    code = f"{source[1]}({', '.join(['{}', *map(repr, given), *options])})"
    return SuggestedHierarchy(
        table, ("as it is", *call.names, "hidden"), code, source, call.note
    )


def _but_for(fits: BoolArray, kind: str, doubt: str = "") -> tuple[dict[str, Any], str]:
    """Option and note for values that are not what nearly all are; a doubt is noted first."""
    count, other = int((~fits).sum()), f"no {kind}"
    if not count:
        return {}, doubt
    are = f"{count:,} values are" if count > 1 else "1 value is"
    shown = f"{are} {other}, and shown as {other!r} on every level"
    return {"other": other}, "; ".join(filter(None, [doubt, shown]))


def _dates(column: pd.Series, values: pd.Series) -> Call | None:
    """Months, years, five years and decades."""
    if pd.api.types.is_datetime64_any_dtype(values):
        return _units_of(pd.to_datetime(values, utc=True), np.ones(len(values), bool))
    if pd.api.types.is_bool_dtype(values):
        return None
    texts = values.map(code_text).astype(object)
    dated = values.map(lambda cell: isinstance(cell, (str, date))).all()
    if dated and cells.look_like_dates(texts.tolist()):
        found = cells.read_dates(texts.tolist())
        if found.short.any() and (found.fits | found.short).mean() >= 0.5:
            why = "two digits for the year, which could be of any century"
            return Call(note=f"it holds {why}: kept or hidden")
        if found.fits.mean() >= FIT:
            decided = found.order is not None
            return _units_of(found.times, found.fits, decided=decided, monthly=found.monthly)
        if found.fits.mean() >= 0.5:
            mixed = "dates and other texts, which are no parts of each other"
            return Call(note=f"it holds {mixed}: kept or hidden")
    figures = cells.compact_dates(texts) or texts.str.fullmatch(YEAR_FIRST).mean() >= FIT
    if cells.says_date(column.name) and texts.str.contains(r"\d").any() and not figures:
        name = "its name says dates, and its cells were not read as dates"
        return Call(note=f"{name}: kept or hidden")
    return None


def _units_of(
    times: pd.Series,
    fits: BoolArray,
    *,
    decided: bool = True,
    monthly: bool = False,
    **options: Any,
) -> Call:
    """Units of dates: months only if these are known, days below them if times are."""
    doubt = "its dates do not tell the day from the month: the finest level is years"
    others, note = _but_for(fits, "date", "" if decided else doubt)
    times = times[fits]
    clock = bool((times != times.dt.normalize()).any())
    finest = [*["day"] * (clock and decided), *["month"] * (decided and not monthly)]
    units = [*finest, "year", "5 years", "decade"]
    names = tuple(unit if unit == "5 years" else f"{unit}s" for unit in units)
    return Call(date_hierarchy, units, names, options | others, note)


def _codes(column: pd.Series, values: pd.Series) -> Call | None:
    """Fewer and fewer of the first characters of a code."""
    named = re.search(rf"\b(?:{CODE_NAMES})\b", cells.words_of(column.name)) is not None
    named = named or cells.are_places(values, len(column))
    whole = _is_numeric(values) and bool(values.map(_is_whole).all())
    if not whole and not values.map(lambda cell: isinstance(cell, str)).all():
        return None
    texts = values.map(code_text).astype(object)
    lengths = texts.str.len()
    longest = int(lengths.max())
    order = cells.compact_dates(texts) if longest == 8 else None
    if order == "ymd":
        digits = {"digits": 8} if whole else {}
        return Call(prefix_hierarchy, [6, 4, 3], ("months", "years", "decades"), digits)
    if order is not None:  # what is left of a cut would be the day
        times = cells.dates_in_eight_figures(texts, order)
        turned = cells.dates_in_eight_figures(texts, "mdy" if order == "dmy" else "dmy")
        decided = bool(turned.notna().mean() < FIT)
        return _units_of(times, times.notna().to_numpy(bool), decided=decided, order=order)
    padded = texts.str.zfill(longest + longest % 2) if whole else texts
    year_last = any(padded.str.fullmatch(form).mean() >= 0.5 for form in YEAR_LAST)
    why = "its cells end with a year, which a cut would hide first"
    hidden = Call(note=f"{why}: kept or hidden")
    if whole and not named:
        return hidden if year_last else None
    figures = bool(texts.str.fullmatch(r"\d+").all())
    alike = whole or lengths.nunique() == 1 or (named and not figures)
    coded = named or texts.str.contains(r"\d").mean() >= 0.95
    if not (alike and coded and 1 < longest <= CODE_LENGTH):
        return hidden if figures and year_last else None
    if not named and not (figures and longest > 3) and cells.read_numbers([*texts]).fits.all():
        return None  # ages and sizes, which happen to be equally long
    if year_last and not whole:
        return hidden
    step = math.ceil((longest - 1) / 5)
    keep = list(range(longest - step, 0, -step))
    options = {"digits": longest} if whole else {"pad": "*"} if lengths.nunique() > 1 else {}
    return Call(prefix_hierarchy, keep, tuple(f"first {n}" for n in keep), options)


def _intervals(column: pd.Series, values: pd.Series) -> Call | None:
    """Round widths, each a multiple of the one before, until few intervals are left."""
    options: dict[str, Any] = {}
    note = ""
    if len(values) <= MOST_CODES:
        plain = values.astype(object).map(str)
        counted = re.search(rf"\b(?:{COUNT_NAMES})\b", cells.words_of(column.name))
        dated = cells.says_date(column.name)
        if plain.str.fullmatch(r"-?[0-9]+(\.0)?").mean() >= FIT and not counted and not dated:
            return None
    if not _is_numeric(values):
        texts = [cell for cell in values if isinstance(cell, str)]
        if len(texts) < len(values) or cells.read_numbers(texts[:1000]).fits.mean() < FIT:
            return None
        found = cells.read_numbers(texts)
        if found.fits.mean() < FIT:
            return None
        mark = "." if found.decimal == "," else ","
        doubt = f"{mark!r} was read as the mark between thousands, not of decimals"
        others, note = _but_for(found.fits, "number", "" if found.sure else doubt)
        options = {"decimal": found.decimal, **others}
        values = pd.Series([float(cell) for cell in found.cells if cell is not None])
    span = float(values.max()) - float(values.min())
    power = math.floor(math.log10(span / 20))  # about twenty intervals on the second level
    one = next(n for n in (1, 2, 5, 10) if n * 10.0**power >= span / 20)
    first = Decimal(one).scaleb(power)
    widths = [first / (2 if one == 2 else 5), *(first * 2**n for n in range(6))]
    widths = [width for width in widths if span / float(width) >= 2.5]
    if pd.api.types.is_integer_dtype(values) or (values % 1 == 0).all():
        whole = [width for width in widths if width > 1 and width == int(width)]
        widths = whole or [Decimal(2)] * (span >= 4)
    numbers = [int(width) if width == int(width) else float(width) for width in widths]
    names = tuple(f"by {n:,}" for n in numbers)
    return Call(interval_hierarchy, numbers, names, options, note) if numbers else None


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


def _is_numeric(values: pd.Series) -> bool:
    kinds = pd.api.types
    return kinds.is_numeric_dtype(values) and not kinds.is_bool_dtype(values)


# Kinds of columns: each finds the builder, or None if the values are of another kind.
KINDS = (_dates, _codes, _intervals, _pooled)


# Files


def read_hierarchy(
    path: Any, *, separator: str | None = None, header: bool = False
) -> pd.DataFrame:
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
    header : bool
        Whether the first line names the levels.

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
    table = pd.read_csv(
        path,
        sep=separator,
        header=0 if header else None,
        dtype=str,
        keep_default_na=False,
        na_values=[""],
        encoding="utf-8-sig",
    )
    table.columns = pd.RangeIndex(table.shape[1])
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
    table = pd.DataFrame(check_hierarchy(hierarchy, pd.Index([]), str(path))[0])
    texts = table.map(text_of)
    alike = [level for level in table if texts[level].nunique() < table[level].nunique()]
    if alike:
        raise ValueError(
            f"hierarchy: cells of level {alike[0]} are one text in {path}, as 1 and '1'"
            f" would be; name them differently."
        )
    _check_file(texts, path)
    texts.to_csv(path, sep=separator, header=False, index=False)


def _check_file(table: pd.DataFrame, path: Any) -> None:
    """Refuse a file whose lines lack labels, besides what `check_hierarchy` refuses."""
    if table.shape[1] < 2 or table.iloc[:, 1:].isna().any(axis=None):
        raise ValueError(
            f"{path}: each line must hold a value and its label on every level; pass"
            f" separator= if another character stands between cells."
        )
    check_hierarchy(table, pd.Index([]), str(path))


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
    if not hierarchies:
        raise ValueError("hierarchies is empty; give at least one column its table.")
    lacking = [name for name in names if name not in hierarchies]
    if lacking:
        raise ValueError(f"hierarchies lacks {listed(lacking)}; give each column its table.")
    return [hierarchies[name] for name in names]


# Labels of several values
#
# A class of `mondrian` shows intervals and sets of values. Its cells are texts, since no
# Parquet file holds an interval beside a number. What reads them stands beside what writes
# them, so that the loss of a table can be measured after it was written to a file and read.


# A closed interval of values, or one that may also be missing.
INTERVAL = re.compile(r"(?:\[(.+), (.+)\]|(.+)(?= or missing))( or missing)?", re.DOTALL)


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


class LabelReader:
    """Reads labels of several values back, given the hierarchy of their column."""

    def __init__(self, cells: AnyArray, values: pd.Index) -> None:
        self.cells, self.values = cells, values
        self.codes = [pd.factorize(one, use_na_sentinel=False)[0] for one in cells.T]
        self.missing = np.asarray(pd.isna(cells[:, 0]))

    @cached_property
    def names(self) -> list[list[str]]:
        """Text of each label, level by level."""
        missing = np.asarray(pd.isna(self.cells))
        texts = np.where(missing, MISSING, self.cells.astype(str))
        return [column.tolist() for column in texts.T]

    @cached_property
    def places(self) -> FloatArray:
        """Where the values are in their order; NaN for one that has no place."""
        return self._order(self.cells[:, 0])

    def held(self, label: Any) -> BoolArray:
        """Which values of the hierarchy a label of several stands for, if it is such."""
        nothing = np.zeros(len(self.cells), bool)
        if not isinstance(label, str):
            return nothing
        if label.startswith("{") and label.endswith("}"):
            return next((held for held in self._sets(label[1:-1])), nothing)
        ends = INTERVAL.fullmatch(label)
        if ends is None or (ends[4] and not self.missing.any()):
            return nothing
        low, high, single, also = ends.groups()
        first, last = self._order([single, single] if single else [low, high])
        held = np.asarray((self.places >= first) & (self.places <= last))
        return held | self.missing if also and held.any() else held

    def level(self, held: BoolArray) -> int:
        """Lowest level on which values have one label; the highest if they never have."""
        alike = [len(np.unique(codes[held])) == 1 for codes in self.codes]
        return alike.index(True) if any(alike) else max(len(alike) - 1, 1)

    def _sets(self, inside: str) -> Iterator[BoolArray]:
        """Read the labels of one level, with nothing between them but commas."""
        for texts in self.names:
            found = {text for text in texts if f", {text}, " in f", {inside}, "}
            if found and sum(len(text) + 2 for text in found) == len(inside) + 2:
                yield np.isin(texts, list(found))

    def _order(self, cells: Any) -> FloatArray:
        """Places of values, or of their texts: categories, else numbers, else dates."""
        if isinstance(self.values, pd.CategoricalIndex):
            known = {str(one): float(i) for i, one in enumerate(self.values.categories)}
            ordered = known if self.values.ordered else {}
            return np.array([ordered.get(str(cell), np.nan) for cell in cells], float)
        column = pd.Series(cells, dtype=object)
        kind = pd.api.types.infer_dtype(self.values, skipna=True)
        if kind in ("datetime", "datetime64", "date"):
            days = pd.to_datetime(column, errors="coerce", format="ISO8601", utc=True)
            times = days.dt.as_unit("us").astype("int64").to_numpy()
            return np.where(days.isna(), np.nan, times)
        return pd.to_numeric(column, errors="coerce").to_numpy(float)


def openness(held: AnyArray, values: int) -> FloatArray:
    """Share of the other values of a column that a cell leaves open, if it may be `held`."""
    return np.asarray((held - 1) / max(values - 1, 1), float)


def mean_openness(held: AnyArray, values: int, records: IntArray) -> float:
    """Average of `openness` over so many records each, added up in whole numbers."""
    total, most = (held - 1) @ records, max(values - 1, 1) * int(records.sum())
    return float(openness(total + 1, most + 1))
