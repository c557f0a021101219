"""Generalisation hierarchies: built, suggested, read and written, and their labels read back.

A hierarchy is a table with a row per value: the value itself is its first column (level 0),
the others hold its label on level 1, 2, … Each label has one label above it. Rows may be there
for values that no record has. A missing value is a value, with a row and labels of its own.
"""

# Longer than other modules: what builds a hierarchy, what suggests the call, what keeps it in
# a file and what reads its labels back agree on the same labels, and change together.

from __future__ import annotations

import math
import re
import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import as_objects, encode, factorised
from .._old.io import cells
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    _DAY,
    _as_objects,
    check_choice,
    check_hierarchy,
    check_label,
    check_table,
    check_whole,
    listed,
    match_by_text,
)
from ..datasets import load_adult_hierarchies
from .release import label_of, text_of

TOP = "*"
"""Label of everything: what a suppressed cell shows."""


MISSING = "missing"
"""Label of a missing value between itself and the top."""


SEPARATORS = (";", "\t", "|", ",")
"""What may stand between the cells of a file, tried in this order: labels hold commas."""


EXACT = Context(prec=10_000)
"""Decimals of any size that can occur, without rounding."""


CODE_NAMES = (
    r"zip|zip ?code|post ?code|postal|plz|code|icd|sic|tract|phone|ssn|postleitzahl|codice"
    r"|codigo|código|cp|cap|tel|telefon\w*|nr|nummer"
)
"""Words in the name of a column whose whole numbers are codes."""


MOST_CODES = 12
"""So many different whole numbers are taken for codes, unless a name says what they count."""


COUNT_NAMES = (
    r"ages?|alter|edad|eta|leeftijd|years?|\w*jahre?|annees?|anni?o?s?|\w*jaar|born|birth"
    r"|number of|count|anzahl|nombre|numero de|aantal|hours|children|kinder\w*"
)
"""Words in the name of a column whose few whole numbers are not codes."""


INTERVALS, LEAST_INTERVALS = 20, 2.5
"""Intervals across the range on the first round width, and when doubling it ends."""


RARITIES = (0.001, 0.01, 0.05, 0.2)
"""Shares of the records below which a value is pooled, level by level."""


CODE_LENGTH = 12
"""Longest text that is taken for a code."""


FIT = 0.9
"""Share of a column's values that decide what it holds; the rest get a label of their own."""


COARSE = ("year", "5 years", "decade")
"""Units of dates that are the same whether the day or the month comes first."""


YEAR_FIRST = r"(?:1[6-9]|20)\d\d(?:\D.*|\d{3}|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])?)?"
"""Writings of dates that a cut makes coarser: year, perhaps month or day of the year, day."""


CELLS_READ = 1000
"""Distinct cells whose writing is looked at."""


YEAR_OF_TWO = (
    r"\D{0,3}(?:0?[1-9]|[12]\d|3[01])\D{1,4}(?:0?[1-9]|1[0-2]|[^\W\d_]{3,9})\D{1,4}\d\d\D*"
    r"|\D{0,3}(?:0?[1-9]|1[0-2]|[^\W\d_]{3,9})\D{1,4}(?:0?[1-9]|[12]\d|3[01])\D{1,4}\d\d\D*"
)
"""Day, month and a year of two digits, with any marks between them."""


YEAR_LAST = "its cells end with a year, which a cut would hide first: kept or hidden"


HIDDEN, KEPT = "hidden", "as it is"


# Builders


def interval_hierarchy(
    values: Any,
    widths: Any,
    *,
    origin: Any = 0,
    decimal: str | None = None,
    other: Any = None,
    top: Any = TOP,
    missing: Any = MISSING,
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
        The decimal mark of numbers that are texts, such as 98.230,10 or 12 kg; without,
        texts are refused.
    other : label, optional
        Label of the texts that are no numbers; without, these are refused.
    top : label or None
        Label of everything on the last level; None for no such level.
    missing : label
        What a missing value is called on the levels in between.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        Columns 0 (the values, rising, a missing one last), 1, 2, …: a hierarchy.

    Raises
    ------
    TypeError, ValueError
        If a value is no finite number, or the widths are not positive or do not nest.

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
    start = _decimals([origin], "origin")
    scaled, digits = _scaled([*start, *numbers, *_nested(widths, "widths")])
    zero, cells = scaled[0], scaled[1 : len(numbers) + 1]
    levels = []
    for width in scaled[len(numbers) + 1 :]:
        codes, left = pd.factorize((cells - zero) // width * width + zero)
        ends = [(_written(a, digits), _written(a + width, digits)) for a in left]
        labels = as_objects([f"[{a}, {b})" for a, b in ends])[codes]
        levels.append(_spread(labels, fits, other))
    return _assembled(first, levels, top, missing)


def rounding_hierarchy(
    values: Any,
    steps: Any,
    *,
    direction: str = "nearest",
    top: Any = TOP,
    missing: Any = MISSING,
) -> pd.DataFrame:
    """Rounded numbers, more coarsely on each level; the labels are numbers too.

    Each level rounds the label below it, so that each label has one above: to tens, 45 becomes
    50, and then to hundreds 100. Numbers are taken as they are written in decimals.

    Parameters
    ----------
    values, top, missing
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

    Raises
    ------
    TypeError, ValueError
        As `interval_hierarchy`.

    Examples
    --------
    >>> rounding_hierarchy([1234, 1250], [10, 100])
          0     1     2  3
    0  1234  1230  1200  *
    1  1250  1250  1300  *
    """
    check_choice(direction, "direction", ("nearest", "down", "up"))
    known, first = _distinct(values)
    numbers = _decimals(known, "values")
    scaled, digits = _scaled([*numbers, *_nested(steps, "steps")])
    cells, levels = scaled[: len(numbers)], []
    for step in scaled[len(numbers) :]:
        if direction == "nearest":
            cells = (2 * cells + step) // (2 * step) * step
        else:
            cells = cells // step * step if direction == "down" else -(-cells // step) * step
        levels.append(_as_numbers(cells, digits))
    return _assembled(first, levels, top, missing)


def prefix_hierarchy(
    values: Any,
    keep: Any = None,
    *,
    digits: int | None = None,
    pad: str | None = None,
    mask: str = "*",
    top: Any = TOP,
    missing: Any = MISSING,
) -> pd.DataFrame:
    """Codes with fewer and fewer of their first characters, such as postcodes.

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
        What makes shorter codes as long as the longest, behind them. Without, codes of
        different lengths are refused.
    mask : character
        What stands for a character that is masked; the length of the codes stays.
    top, missing
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Raises
    ------
    TypeError, ValueError
        If a value is no code, codes have different lengths, or `keep` does not fall.

    Examples
    --------
    >>> prefix_hierarchy(["13053", "13068", "14850"], [3, 1])
           0      1      2  3
    0  13053  130**  1****  *
    1  13068  130**  1****  *
    2  14850  148**  1****  *
    """
    known, first = _distinct(values)
    texts = pd.Series(_codes_of(known), dtype=object)
    _character(mask, "mask")
    texts = filled_codes(texts, digits, "values")
    length = int(texts.str.len().max()) if len(texts) else 1
    if pad is not None:
        texts = texts.str.ljust(length, _character(pad, "pad"))
    lengths = texts.str.len()
    if lengths.nunique() > 1:
        raise ValueError(
            f"values are codes of different lengths, such as"
            f" {listed(texts[~lengths.duplicated()])}; give digits="
            f" for numbers that lost leading zeros, or pad= a character that fills shorter"
            f" codes up."
        )
    kept = _kept_lengths(keep, length)
    levels = [first_characters(texts, n, length, mask).to_numpy(object) for n in kept]
    return _assembled(first, levels, top, missing)


def date_hierarchy(
    values: Any,
    units: Any = None,
    *,
    order: str | None = None,
    epoch: Any = None,
    other: Any = None,
    top: Any = TOP,
    missing: Any = MISSING,
) -> pd.DataFrame:
    """Days, months, quarters, years and decades of dates.

    Parameters
    ----------
    values : Series or array-like
        Dates or times: timestamps, dates, or their text as 2021-05-13, 13.5.2021, 5/13/2021,
        13 May 2021 or 05/2021; with `order` also in eight figures, as 13052021.
    units : list of {"day", "month", "quarter", "year", "5 years", "decade"}, optional
        What level 1, 2, … shows, from the finest; by default month, year and decade, below
        them the day if a value has a time of the day.
    order : {"ymd", "dmy", "mdy"}, optional
        Which of year, month and day comes first in a text; by default what all texts fit. If
        they do not tell the day from the month, only units of a year or more need no order.
    epoch : date, optional
        The day that 0 stands for, where dates are numbers of days: "1899-12-30" for those of
        Excel, "1960-01-01" for SAS. Without, numbers are refused.
    other : label, optional
        Label of the texts that are no dates; without, these are refused.
    top, missing
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Raises
    ------
    TypeError, ValueError
        If a value is no date, years have two digits, the order is not clear, or a unit is
        unknown or not coarser than the one before.

    Examples
    --------
    >>> date_hierarchy(["1994-03-15", "1999-12-31"], ["quarter", "year", "decade"])
                0        1     2      3  4
    0  1994-03-15  1994-Q1  1994  1990s  *
    1  1999-12-31  1999-Q4  1999  1990s  *
    """
    known, first = _distinct(values)
    if epoch is None:
        times, fits, decided = _dates_of(known, order, other)
    else:
        times, fits, decided = _dates_since(known, epoch, other)
    there = times[fits]
    year, month = (part.astype(str).str.zfill(2) for part in (there.year, there.month))
    five, ten = there.year // 5 * 5, there.year // 10 * 10
    shown = {
        "day": there.strftime("%Y-%m-%d"),
        "month": year + "-" + month,
        "quarter": year + "-Q" + there.quarter.astype(str),
        "year": year,
        "5 years": five.astype(str) + "-" + (five + 4).astype(str),
        "decade": ten.astype(str) + "s",
    }
    usual = [*["day"] * bool((there != there.normalize()).any()), "month", "year", "decade"]
    chosen = _units_of(units, usual, list(shown))
    if not decided and set(chosen) - {*COARSE}:
        raise ValueError(
            f"values do not tell the day from the month, as in {listed(known[:1])}; give"
            " order='dmy' if the day comes first, order='mdy' if the month does, or units of a"
            " year or more."
        )
    levels = [_spread(as_objects(shown[unit].tolist()), fits, other) for unit in chosen]
    return _assembled(first, levels, top, missing)


def postcode_hierarchy(
    values: Any,
    levels: Any = None,
    *,
    other: Any = None,
    top: Any = TOP,
    missing: Any = MISSING,
) -> pd.DataFrame:
    """Postcodes that are more than figures of one length, as places: less and less of them.

    Parameters
    ----------
    values : Series or array-like
        British (sector, district, area), Dutch, Canadian, or American postcodes, some of
        these with four digits more; or figures with the sign of a country in front or a place
        beside them, as F-75011 Paris, and several places, since one word alone may be a unit.
        Plain figures are for `prefix_hierarchy`.
    levels : list of str, optional
        The levels below the top, such as ``["sectors", "districts"]``; all, if left out.
    other : label, optional
        Label of the texts that are no such postcodes; without, these are refused.
    top, missing
        As for `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Raises
    ------
    ValueError
        If the values are no postcodes of one of these countries.

    Examples
    --------
    >>> postcode_hierarchy(["SW1A 1AA", "SW1P 3BU"])
              0       1     2   3  4
    0  SW1A 1AA  SW1A 1  SW1A  SW  *
    1  SW1P 3BU  SW1P 3  SW1P  SW  *
    """
    known, first = _distinct(values)
    found = cells.read_places(list(known))
    if found is None:
        raise ValueError(
            f"values must be British, Dutch, Canadian or American postcodes, or figures with"
            f" several places; got {listed(known[:3])}. For figures of one length there is"
            f" prefix_hierarchy."
        )
    _check_rest(known[~found.fits], f"{found.form} postcodes, as most are", other)
    known_levels = dict(found.levels)
    chosen = _units_of(levels, [*known_levels], [*known_levels])
    shown = [_spread(known_levels[one][found.fits], found.fits, other) for one in chosen]
    return _assembled(first, shown, top, missing)


def group_hierarchy(
    values: Any,
    groups: Mapping[Any, Any],
    *,
    other: Any = None,
    top: Any = TOP,
    missing: Any = MISSING,
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
        missing one.
    other : label, optional
        Group of all values that are in none, on every level; without, these are an error.
    top : label or None
        Label of everything on the last level; None for no such level.
    missing : label
        What a missing value is called that `groups` does not place.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        As `interval_hierarchy` returns.

    Raises
    ------
    TypeError, ValueError
        If a value is in no group, or in two, or a label is in two groups.

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
    members, paths = _groups_of(groups)
    place = match_by_text(members, pd.Index(first, dtype=object))
    lacking = known[place[: len(known)] < 0]
    if other is None and len(lacking):
        raise ValueError(
            f"groups lacks {listed(lacking)}; place each value, or give other= a label for"
            f" the rest."
        )
    of_rest = [[check_label(other, "other")] * paths.shape[1]]
    labels = np.append(paths, of_rest, axis=0)[place].T
    placed = len(known) if place[-1] < 0 else len(place)  # a missing value, too, if it has one
    table = _assembled(first, labels[:, :placed], top, missing)
    check_hierarchy(table, known[:0], "groups")
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

    Raises
    ------
    TypeError, ValueError
        If there is no value, or `top` is no label.

    Examples
    --------
    >>> suppression_hierarchy(["m", "f", "f"])
       0  1
    0  f  *
    1  m  *
    """
    _, first = _distinct(values)
    if top is None:
        raise ValueError(
            "top must be the label of everything, such as '*'; None leaves no level."
        )
    return _assembled(first, [], top, MISSING)


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
        Columns 0 (the values, a missing one too), 1, 2, …: a hierarchy.

    Raises
    ------
    TypeError, ValueError
        If there is no value, or `fewer_than` is no list of rising whole numbers.

    Examples
    --------
    >>> rare_value_hierarchy(["nurse", "nurse", "nurse", "judge", "judge", "poet"], [2, 3])
           0      1      2  3
    0  nurse  nurse  nurse  *
    1  judge  judge  other  *
    2   poet  other  other  *
    """
    codes, known = factorised(_column_given(values))
    records = np.bincount(codes, minlength=len(known))
    order = np.argsort(-records, kind="stable")
    known, records = known[order], records[order]
    levels = [pooled(known, records, least, other) for least in [0, *_rarities(fewer_than)]]
    columns = [*(cells.tolist() for cells in levels), [check_label(top, "top")] * len(known)]
    return pd.DataFrame({level: pd.Series(cells) for level, cells in enumerate(columns)})


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


def pooled(values: pd.Index, records: IntArray, fewer_than: int, other: Any) -> AnyArray:
    """Values, those of too few records by the name of the pool."""
    return np.where(records < fewer_than, check_label(other, "other"), values.astype(object))


def _distinct(values: Any) -> tuple[pd.Index, pd.Series]:
    """Known values that occur, once each and rising where they have an order.

    Also the first column of their hierarchy: these, and a missing one last if there is any.
    """
    (cells,) = encode(_column_given(values).to_frame()).values
    known = cells[~np.asarray(cells.isna())]
    if isinstance(known, pd.CategoricalIndex):
        known = known.categories.take(known.codes)
    else:
        with suppress(TypeError):  # values of different kinds stay in order of appearance
            known = known.sort_values()
    first = pd.Series(known)
    if len(known) < len(cells):
        if first.dtype.kind in "iub":  # which would become floats
            first = first.astype(object)
        lacking = pd.Series([None], dtype=first.dtype)
        first = pd.concat([first, lacking], ignore_index=True)
    return known, first


def _assembled(
    first: pd.Series, levels: Iterable[AnyArray], top: Any, missing: Any
) -> pd.DataFrame:
    """Put the levels behind the first column, with a missing value and the label on top."""
    columns: list[Any] = [first]
    for level in levels:
        labels = level.tolist()
        if len(labels) < len(first):  # of the known values alone
            if check_label(missing, "missing") in labels:
                raise ValueError(
                    f"missing={missing!r} is also the label of values that are known; choose"
                    f" another."
                )
            labels.append(missing)
        columns.append(labels)
    if top is not None:
        columns.append([check_label(top, "top")] * len(first))
    return pd.DataFrame(dict(enumerate(columns)))


def _scaled(numbers: Sequence[Decimal]) -> tuple[AnyArray, int]:
    """Whole numbers, as Python holds them, and how many of their digits are decimals."""
    digits = max(0, *(-int(number.as_tuple().exponent) for number in numbers))
    return as_objects([int(EXACT.scaleb(number, digits)) for number in numbers]), digits


def _written(number: int, digits: int) -> str:
    """Write a scaled number with as few decimals as it needs."""
    return format(EXACT.normalize(EXACT.scaleb(Decimal(number), -digits)), "f")


def _as_numbers(cells: AnyArray, digits: int) -> AnyArray:
    """Return scaled numbers as whole numbers if they are, else as floats."""
    if (cells % 10**digits == 0).all():
        return np.array((cells // 10**digits).tolist())
    return np.array([float(_written(cell, digits)) for cell in cells])


def _column_given(values: Any) -> pd.Series:
    """Return the values of one column, at least one."""
    if isinstance(values, pd.DataFrame):
        raise TypeError(
            f"values must be one column; got a table of {values.shape[1]}. Pick one by its"
            f" name, as in data['age']."
        )
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"values must be a column or a list of values; got {values!r:.80}.")
    column_like = (pd.Series, pd.Index, pd.api.extensions.ExtensionArray, np.ndarray)
    given = values if isinstance(values, column_like) else list(values)
    if getattr(given, "ndim", 1) != 1 or isinstance(given, pd.MultiIndex):
        raise ValueError(f"values must be one column; got shape {np.shape(given)}.")
    column = pd.Series(given, dtype=None if len(given) else object)
    column = column.rename("values").reset_index(drop=True)
    if column.empty:
        raise ValueError("values must hold at least one value; got none.")
    return column


def _character(character: Any, argument: str, *, refused: str = "") -> str:
    """Return one character."""
    if not isinstance(character, str) or len(character) != 1 or character in refused:
        but = f", other than {listed(refused)}" if refused else ""
        raise ValueError(f"{argument} must be one character{but}; got {character!r}.")
    return character


def _decimals(values: Iterable[Any], argument: str) -> list[Decimal]:
    """Return finite numbers as they are written in decimals."""
    kinds = (int, float, np.integer, np.floating, Decimal)
    numbers = list(values.to_numpy() if isinstance(values, pd.Index) else values)
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
    one = isinstance(widths, str) or not isinstance(widths, Iterable)
    numbers = _decimals([widths] if one else list(widths), argument)
    if not numbers or min(numbers) <= 0:
        raise ValueError(
            f"{argument} must be positive numbers, one per level; got {widths!r:.80}."
        )
    for finer, coarser in zip(numbers, numbers[1:], strict=False):
        if Fraction(coarser) % Fraction(finer):
            raise ValueError(
                f"{argument} must nest, so that each label has one above it: {coarser} is no"
                f" multiple of {finer}."
            )
    return numbers


def _kept_lengths(keep: Any, length: int) -> list[int]:
    """Return how many characters stay on each level: fewer and fewer."""
    if keep is None:
        return list(range(length - 1, 0, -1))
    given = keep if isinstance(keep, Iterable) else [keep]
    meaning = f"characters that stay, of {length}"
    kept = [check_whole(n, "keep", 0, max(length - 1, 0), meaning) for n in given]
    if not kept or any(a <= b for a, b in zip(kept, kept[1:], strict=False)):
        raise ValueError(
            f"keep must fall from level to level, as in [3, 2]; got {keep!r:.80}."
        )
    return kept


def _rarities(fewer_than: Any) -> list[int]:
    """Return numbers of records, rising, as a list."""
    given = [fewer_than] if np.ndim(fewer_than) == 0 else list(fewer_than)
    meaning = "the least records of a value that stays"
    numbers = [check_whole(number, "fewer_than", 1, 2**53, meaning) for number in given]
    if not numbers or any(b <= a for a, b in zip(numbers, numbers[1:], strict=False)):
        raise ValueError(
            f"fewer_than must rise from level to level, as [10, 100] does; got {given}."
        )
    return numbers


def _check_rest(rest: pd.Index, kind: str, other: Any) -> None:
    """Refuse values that are not of the kind, unless there is a label for them."""
    if other is None and len(rest):
        raise ValueError(
            f"values must be {kind}; got {listed(rest)}. Correct them, or give other= a label"
            f" for them."
        )


def _spread(labels: AnyArray, fits: BoolArray, other: Any) -> AnyArray:
    """Labels of the values that fit, and one label of all others."""
    if fits.all():
        return labels
    spread = np.full(len(fits), check_label(other, "other"), object)
    spread[fits] = labels
    return spread


def _numbers_of(
    values: pd.Index, decimal: str | None, other: Any
) -> tuple[list[Decimal], BoolArray]:
    """Return numbers, with a decimal mark as people wrote them; and which values are such."""
    if decimal is None:
        return _decimals(values, "values"), np.ones(len(values), bool)
    found = cells.read_numbers(_texts_of(values), decimal)
    _check_rest(values[~found.fits], f"numbers with the decimal mark {decimal!r}", other)
    return [cell for cell in found.cells if cell is not None], found.fits


def _texts_of(values: Any) -> list[str]:
    """Return texts, and numbers or days among them as they are written."""
    return [value if isinstance(value, str) else str(value) for value in values]


def _dates_of(
    values: pd.Index, order: Any, other: Any
) -> tuple[pd.DatetimeIndex, BoolArray, bool]:
    """Return dates and times, which values are such, and whether months are known."""
    cells.check_order(order)
    if isinstance(values, pd.PeriodIndex):
        return values.to_timestamp(), np.ones(len(values), bool), True
    if order is not None and _are_eight_figures(values):
        kind = f"dates in the order {order!r}, as order= says"
        return _known_dates(cells.dates_in_eight_figures(values, order), values, kind, other)
    kinds = {type(value) for value in values}
    if str in kinds and all(issubclass(kind, (str, date)) for kind in kinds):
        found = cells.read_dates(_texts_of(values), order)
        why = cells.why_no_dates(found, list(values))
        if why and (other is None or found.short.any()):
            raise ValueError(why)
        return pd.DatetimeIndex(found.times), found.fits, found.order is not None
    wrong = [v for v in values if isinstance(v, str) and not _DAY.fullmatch(v)]
    wrong += [v for v in values if not isinstance(v, (str, date, np.datetime64))]
    if wrong:
        raise TypeError(
            f"values must be dates, or their text as 2021-05-13; got {listed(wrong)}. Turn"
            f" them into dates by pandas.to_datetime."
        )
    try:
        times = pd.DatetimeIndex([pd.Timestamp(value) for value in values])
    except ValueError as error:
        raise ValueError(f"values must be dates of the calendar: {error}.") from None
    return times, np.ones(len(values), bool), True


def _are_eight_figures(values: pd.Index) -> bool:
    """Whether nearly all values are eight figures, or seven that lost a first 0."""
    texts = pd.Series(_texts_of(values), dtype="str")
    return bool(texts.str.fullmatch(r"[0-9]{7,8}(\.0)?").mean() >= FIT)  # nothing has no mean


def _dates_since(
    values: pd.Index, epoch: Any, other: Any
) -> tuple[pd.DatetimeIndex, BoolArray, bool]:
    """Return dates of numbers of days, as `_dates_of` does."""
    start = pd.to_datetime(epoch, errors="coerce") if isinstance(epoch, (str, date)) else None
    if start is None or pd.isna(start):
        raise ValueError(
            f"epoch must be the day that 0 stands for, such as '1899-12-30'; got {epoch!r}."
        )
    days = f"numbers of days since {start:%Y-%m-%d}, as epoch= says"
    return _known_dates(cells.dates_of_days(values, str(start)), values, days, other)


def _known_dates(
    times: pd.Series, values: pd.Index, kind: str, other: Any
) -> tuple[pd.DatetimeIndex, BoolArray, bool]:
    """Return dates that leave no doubt, as `_dates_of` does; the rest is missing."""
    fits = times.notna().to_numpy(bool)
    _check_rest(values[~fits], kind, other)
    return pd.DatetimeIndex(times), fits, True


def _units_of(units: Any, usual: list[str], known: list[str]) -> list[str]:
    """Return the unit of each level, from the finest."""
    if units is None:
        return usual
    one = isinstance(units, str) or not isinstance(units, Iterable)
    chosen = [check_choice(unit, "units", known) for unit in ([units] if one else units)]
    places = [known.index(unit) for unit in chosen]
    if not chosen or any(a >= b for a, b in zip(places, places[1:], strict=False)):
        raise ValueError(
            f"units must name some of {listed(known)}, from the finest to the coarsest; got"
            f" {listed(chosen) or 'none'}."
        )
    return chosen


def _groups_of(groups: Any) -> tuple[pd.Index, np.ndarray]:
    """Return the members of all groups; the labels of each, from the finest."""
    check_mapping(groups, "groups must map labels to lists of values, or to further groups")
    found = list(_members(groups, []))
    members = _as_objects([value for value, _ in found])
    if not found:
        raise ValueError("groups must hold at least one value; got none.")
    if not members.is_unique:
        twice = members[members.duplicated()].unique()
        raise ValueError(f"groups lists {listed(twice)} twice; each value has one group.")
    depth = max(len(labels) for _, labels in found)
    paths = [labels + labels[-1:] * (depth - len(labels)) for _, labels in found]
    return members, np.array(paths, dtype=object)


def _codes_of(values: pd.Index) -> list[str]:
    """Return codes as text; a whole number that was made a float loses its .0."""
    texts = []
    for value in values:
        whole = isinstance(value, (Integral, float)) and not isinstance(value, bool)
        if not isinstance(value, str) and not (whole and value >= 0 and value % 1 == 0):
            raise TypeError(
                f"values must be codes, text or whole numbers of at least 0; got {value!r}."
            )
        texts.append(value if isinstance(value, str) else str(int(value)))
    return texts


def _members(groups: Mapping[Any, Any], above: list[Any]) -> Iterable[tuple[Any, list[Any]]]:
    """Each value with its labels, from the finest."""
    for label, members in groups.items():
        labels = [check_label(label, "a label of groups"), *above]
        if isinstance(members, Mapping):
            yield from _members(members, labels)
        else:
            one = isinstance(members, str) or not isinstance(members, Iterable)
            for value in [members] if one else members:
                if not isinstance(value, Hashable):
                    check_label(value, "a value of groups")
                yield value, labels


# Suggestions
#
# Dates become months and years, postcodes places, codes lose their last characters, numbers
# get intervals, and of other values the rare ones are pooled. What is suggested is a start:
# people who know the words of a table group them better.


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
    note: str = ""
    """What has to be known of it, without a cell: values that do not fit, a doubt."""

    @property
    def pools(self) -> bool:
        """Whether values are only kept, pooled or hidden: nothing tells which are near."""
        pooling = (rare_value_hierarchy.__name__, suppression_hierarchy.__name__)
        return self.source[1] in pooling


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
    kinds = (_dates, _places, _codes, _intervals, _pooled) if len(values) > 2 else ()
    for kind in (*kinds, lambda column, values: _Call()):
        try:
            call: _Call | None = kind(column, values)
            if call is not None:
                return call.on(column)
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

    builder: Callable[..., pd.DataFrame] = suppression_hierarchy
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})
    names: tuple[str, ...] = ()
    note: str = ""

    def on(self, column: pd.Series) -> SuggestedHierarchy:
        """Build the hierarchy of a column."""
        table = self.builder(column, *self.arguments, **self.options)
        shown = table[table[0].notna()].nunique(dropna=False)[1:-1]
        told = int((shown > 1).sum())
        if told < len(self.names):  # the rest has one label, as what is hidden has
            kept = ([*(self.arguments or [self.names])[0]][:told],)
            call = self._replace(arguments=kept, names=self.names[:told])
            return (call if told else _Call(note=self.note)).on(column)
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        arguments = ", ".join(["{}", *map(repr, self.arguments), *options])
        source = (self.builder.__module__, self.builder.__name__)
        code = f"{source[1]}({arguments})"
        return SuggestedHierarchy(table, (KEPT, *self.names, HIDDEN), code, source, self.note)


def _but_for(fits: BoolArray, what: str, doubt: str = "") -> tuple[dict[str, Any], str]:
    """Option and note for values that are not what nearly all are; a doubt is noted first."""
    left = int((~fits).sum())
    if not left:
        return {}, doubt
    other = f"no {what}"
    are = f"{left:,} values are" if left > 1 else "1 value is"
    shown = f"{are} {other}, and shown as {other!r} on every level"
    return {"other": other}, "; ".join(filter(None, [doubt, shown]))


def written_dates(values: pd.Series) -> cells.WrittenDates | None:
    """Read the distinct texts of a column as dates, if half of the first ones look like it."""
    if not values.map(lambda cell: isinstance(cell, (str, date))).all():
        return None
    texts = _texts_of(values)
    if not cells.look_like_dates(texts):
        return None
    found = cells.read_dates(texts)
    return found if (found.fits | found.short).mean() >= 0.5 else None


def _dates(column: pd.Series, values: pd.Series) -> _Call | None:
    """Months, years, five years and decades."""
    if pd.api.types.is_datetime64_any_dtype(values):
        return _units_call(pd.to_datetime(values, utc=True), np.ones(len(values), bool))
    found = written_dates(values)
    if found is None:
        return _dates_by_name(column, values)
    if found.short.any() or found.fits.mean() < FIT:  # no part of a date is cut off
        why = "two digits for the year, which could be of any century"
        mixed = "dates and other texts, of which none is a part of the other"
        return _Call(note=f"it holds {why if found.short.any() else mixed}: kept or hidden")
    decided = found.order is not None
    return _units_call(found.times, found.fits, decided=decided, monthly=found.monthly)


def _units_call(
    times: pd.Series,
    fits: BoolArray,
    doubt: str = "",
    *,
    decided: bool = True,
    monthly: bool = False,
    **options: Any,
) -> _Call:
    """Units of dates: months only if these are known, days below them if times are."""
    if not decided:
        doubt = "its dates do not tell the day from the month: the finest level is years"
    others, note = _but_for(fits, "date", doubt)
    times = times[fits]
    clock = bool((times != times.dt.normalize()).any())
    units = [*["day"] * (clock and decided), *["month"] * (decided and not monthly), *COARSE]
    names = tuple(unit if unit == "5 years" else f"{unit}s" for unit in units)
    return _Call(date_hierarchy, (units,), options | others, names, note)


def _dates_by_name(column: pd.Series, values: pd.Series) -> _Call | None:
    """Cells under the name of a date that are none, unless a cut is right.

    Nothing tells what a cut would leave: it could be the day and the month.
    """
    if not cells.says_date(column.name) or pd.api.types.is_bool_dtype(values):
        return None
    texts = _texts_of(values)
    if cells.compact_dates(values) is not None or not re.search(r"\d", "".join(texts)):
        return None
    plain = pd.Series(texts, dtype="str").str.removesuffix(".0")
    if plain.str.fullmatch(YEAR_FIRST).mean() >= FIT:
        return None
    return _Call(
        note="its name says dates, and its cells were not read as dates: kept or hidden"
    )


def _places(column: pd.Series, values: pd.Series) -> _Call | None:
    """Places of postcodes that are more than figures."""
    found = cells.read_places(list(values))
    if found is None:
        return None
    options, note = _but_for(found.fits, "postcode")
    return _Call(postcode_hierarchy, (), options, tuple(n for n, _ in found.levels), note)


def _named_as_code(column: pd.Series) -> bool:
    """Whether the name of a column says that its figures are codes."""
    words = " ".join(re.findall(r"[^\W_]+", str(column.name).lower()))
    return re.search(rf"\b(?:{CODE_NAMES})\b", words) is not None


def _codes(column: pd.Series, values: pd.Series) -> _Call | None:
    """Fewer and fewer of the first characters of a code."""
    named = _named_as_code(column) or cells.are_places(values, len(column))
    numeric = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    known = values.to_numpy("float64") if numeric else np.zeros(0)  # Arrow has no remainders
    held = bool(((known >= 0) & (known < 2**53)).all())  # exactly, and none is missing
    whole = numeric and held and bool((known % 1 == 0).all())
    dated = whole and known.max() >= 10**7 and cells.compact_dates(values) is not None
    numbered = whole and (named or dated)
    if whole and not numbered and 10**4 <= known.max() < 10**6:
        padded = pd.Series(values.astype("int64")).astype(str).str.zfill(6)
        if _year_comes_last(padded):
            return _Call(note=YEAR_LAST)
    if (whole and known.max() >= 10**10 or not numeric) and _day_and_clock(values):
        return _Call(note=YEAR_LAST)
    texts = values.astype("int64").astype(str) if numbered else values.astype(object)
    if not all(isinstance(cell, str) for cell in texts):
        return None
    longest = int(texts.str.len().max())
    coded = numbered or (named or texts.str.contains(r"\d").mean() >= 0.95)
    alike = numbered or texts.str.len().nunique() == 1
    order = cells.compact_dates(texts) if longest == 8 else None
    if order in ("dmy", "mdy"):  # what is left of a cut would be the day
        return _with_the_year_last(values, order)
    if order == "ymd":
        names = ("months", "years", "decades")
        return _Call(prefix_hierarchy, ([6, 4, 3],), {"digits": 8} if whole else {}, names)
    if not (coded and alike and 1 < longest <= CODE_LENGTH):
        return None
    figures = texts.str.fullmatch(r"\d+").all()
    if not named and not (figures and longest > 3) and cells.read_numbers([*texts]).fits.all():
        return None  # ages and sizes, which happen to be equally long
    if not numbered and _year_comes_last(texts):
        return _Call(note=YEAR_LAST)
    step = math.ceil((longest - 1) / 5)
    keep = list(range(longest - step, 0, -step))
    options = {"digits": longest} if numbered else {}
    return _Call(prefix_hierarchy, (keep,), options, tuple(f"first {n}" for n in keep))


def _with_the_year_last(values: pd.Series, order: str) -> _Call:
    """Units of dates in eight figures; of years, if the day may be the month."""
    times = cells.dates_in_eight_figures(values, order)
    turned = cells.dates_in_eight_figures(values, "mdy" if order == "dmy" else "dmy").notna()
    decided = bool(turned.mean() < FIT)
    return _units_call(times, times.notna().to_numpy(bool), decided=decided, order=order)


def _day_and_clock(values: pd.Series) -> bool:
    """Whether all cells are figures of a date, the year last, with the time behind."""
    texts = pd.Series(_texts_of(values), dtype="str").str.removesuffix(".0")
    if not texts.str.fullmatch(r"[0-9]{11,14}").all():
        return False
    length = int(texts.str.len().max())
    return cells.compact_dates(texts.str.zfill(length).str[:8]) in ("dmy", "mdy")


def _year_comes_last(texts: pd.Series) -> bool:
    """Whether half of the texts end with a year, or all with one of two digits.

    That has a month before it, or a day and a month, perhaps in six figures.
    """
    of_two = (r"(?:0?[1-9]|1[0-2])[-/.]\d\d", YEAR_OF_TWO)
    if any(texts.str.fullmatch(form).all() for form in of_two):
        return True
    if texts.str.fullmatch(r".*\D(?:1[89]|20)\d\d\D*").mean() >= 0.5:
        return True
    long = texts[texts.str.len() >= 6]  # nine in ten of random figures are no years
    if len(long) >= 5 and long.str.fullmatch(r".*(?:1[89]|20)\d\d").sum() >= FIT * len(texts):
        return True
    six = len(texts) >= 5 and bool(texts.str.len().eq(6).all())
    return six and cells.days_in_six_figures(texts)


def _intervals(column: pd.Series, values: pd.Series) -> _Call | None:
    """Round widths, each a multiple of the one before, until few intervals are left."""
    options: dict[str, Any] = {}
    note = ""
    if len(values) <= MOST_CODES and _are_codes(column.name, values):
        return None
    if not pd.api.types.is_numeric_dtype(values):
        head = [cell for cell in values[:CELLS_READ] if isinstance(cell, str)]
        strange = len(head) < min(len(values), CELLS_READ)
        if strange or cells.read_numbers(head).fits.mean() < FIT:
            return None
        found = cells.read_numbers([*values])
        if found.fits.mean() < FIT:
            return None
        other = "." if found.decimal == "," else ","
        doubt = f"{other!r} was read as the mark between thousands, not of decimals"
        others, note = _but_for(found.fits, "number", "" if found.sure else doubt)
        options = {"decimal": found.decimal, **others}
        values = pd.Series([float(cell) for cell in found.cells if cell is not None])
    elif pd.api.types.is_bool_dtype(values):
        return None
    span = float(values.max()) - float(values.min())
    power = math.floor(math.log10(span / INTERVALS))
    one = next(n for n in (1, 2, 5, 10) if n * 10.0**power >= span / INTERVALS)
    first = Decimal(one).scaleb(power)
    widths = [first / (2 if one == 2 else 5), *(first * 2**n for n in range(6))]
    whole = pd.api.types.is_integer_dtype(values) or (values % 1 == 0).all()
    kept = [w for w in widths if span / float(w) >= LEAST_INTERVALS]
    if whole:
        two = [Decimal(2)] if span >= 4 else []
        kept = [w for w in kept if w > 1 and w == w.to_integral_value()] or two
    numbers = [int(w) if w == w.to_integral_value() else float(w) for w in kept]
    if not numbers:
        return None
    names = tuple(f"by {n:,}" for n in numbers)
    return _Call(interval_hierarchy, (numbers,), options, names, note)


def _are_codes(name: object, values: pd.Series) -> bool:
    """Whether values are whole numbers, and nothing says that these count something."""
    counted = re.search(rf"\b(?:{COUNT_NAMES})\b", cells.words_of(name)) is not None
    texts = pd.Series(_texts_of(values), dtype="str")
    whole = texts.str.fullmatch(r"-?[0-9]+(\.0)?").mean() >= FIT
    return bool(whole) and not counted and not cells.says_date(name)


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


# Files


def read_hierarchy(
    path: Any, *, separator: str | None = None, header: bool = False
) -> pd.DataFrame:
    r"""Read a hierarchy from a text file: a line per value, a cell per level.

    Every cell is text. Where data hold a number, a date or a truth value, its text in the
    hierarchy stands for it: '39' for 39, but never '039'.

    Parameters
    ----------
    path : path
        A file in UTF-8, with or without a byte order mark. Cells may be quoted by ``"``; an
        empty one that is not quoted is a missing value.
    separator : character, optional
        What stands between cells; by default the first of semicolon, tab, bar and comma that
        gives each line the same number of cells, at least two.
    header : bool
        Whether the first line names the levels.

    Returns
    -------
    DataFrame of shape (n_values, n_levels + 1)
        Columns 0 (the values), 1, 2, …: a hierarchy, its rows in the order of the file.

    Raises
    ------
    OSError
        If the file is not there or cannot be read.
    ValueError
        If the file is empty or no such table: lines of different lengths, a value twice, or
        a label with several labels above it.

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
    if separator is not None:
        _character(separator, "separator", refused='"\r\n')
    text = _text_of_file(path, separator)
    tried = SEPARATORS if separator is None else (separator,)
    found = {one: _rows(text, one, strict=separator is None) for one in tried}
    rows = _rows_that_fit(found, header, separator, path)
    table = pd.DataFrame(rows)
    check_hierarchy(table, pd.Index([]), str(path))
    return table


def _text_of_file(path: Any, separator: str | None) -> str:
    """Return the text of a file of a hierarchy."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file; check the path.") from None
    except OSError as error:
        raise OSError(f"{path}: cannot be read ({error.strerror}).") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: byte {error.start} is no UTF-8; save the file as UTF-8."
        ) from None
    if not text.strip(" \r\n".replace(separator or "", "")):  # a separator is something
        raise ValueError(f"{path}: the file is empty; it must have a line per value.")
    return text


def _rows_that_fit(
    found: dict[str, Any], header: bool, separator: str | None, path: Any
) -> list[list[Any]]:
    """Return the cells of a file under the separator that fits: lines of one length."""
    widths = {one: [len(row) for row in rows or []] for one, rows in found.items()}
    least = 1 if separator is not None else 2
    for one, rows in found.items():
        if widths[one] and min(widths[one]) == max(widths[one]) >= least:
            below = rows[bool(header) :]
            if not below:
                raise ValueError(
                    f"{path}: there is no line after the header; check header=True."
                )
            return [[np.nan if cell is None else cell for cell in row] for row in below]
    cut = {one: sum(width > 1 for width in counts) for one, counts in widths.items()}
    best = max(cut, key=lambda one: cut[one])
    if separator is not None and found[separator] is None:
        raise ValueError(f"{path}: a quoted cell does not end at {separator!r} or a line end.")
    if not cut[best] and separator is None:
        raise ValueError(
            f"{path}: no separator of {listed(found)} cuts each line into a value and its"
            f" labels; pass separator=."
        )
    usual = Counter(widths[best]).most_common(1)[0][0]
    line = next(i for i, width in enumerate(widths[best]) if width != usual)
    raise ValueError(
        f"{path}: every line must have the same number of cells; cut at {best!r}, line"
        f" {line + 1} has {widths[best][line]} and most have {usual}. Pass separator= if it is"
        f" another."
    )


def write_hierarchy(hierarchy: Any, path: Any, *, separator: str = ",") -> None:
    r"""Write a hierarchy to a text file that `read_hierarchy` reads.

    A number is written so that its text stands for it again, a missing value as nothing. The
    file is complete or not there: what was there before stays until all is written.

    Parameters
    ----------
    hierarchy : DataFrame, or list of rows
        A row per value: the value and its label on each level.
    path : path
        The file; one that is there is replaced.
    separator : character
        What stands between cells. Cells that hold it, or another usual one, are quoted.

    Raises
    ------
    OSError
        If the file cannot be written.
    TypeError, ValueError
        If the hierarchy is none, a cell is neither text nor number nor date, or different
        cells of a level would be the same text.

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
    _character(separator, "separator", refused='"\r\n')
    cells = check_hierarchy(hierarchy, pd.Index([]), str(path))[0]
    texts = [_texts_of_level(column, level, path) for level, column in enumerate(cells.T)]
    special = re.compile("[" + re.escape("".join(SEPARATORS) + separator) + '"\r\n\ufeff]')
    quoted = [[_quoted(text, special) for text in column] for column in texts]
    if len(quoted) == 1:  # where nothing at all would be no line
        quoted = [[cell or '""' for cell in quoted[0]]]
    lines = [separator.join(row) + "\n" for row in zip(*quoted, strict=True)]
    _replace(Path(path), "".join(lines).encode())


def _texts_of_level(cells: AnyArray, level: int, path: Any) -> list[str | None]:
    """Texts of the cells of one level of a hierarchy, if they tell these apart."""
    kinds = (str, int, float, np.number, np.bool_, Decimal, date, np.datetime64, pd.Interval)
    strange = [cell for cell in cells if not (isinstance(cell, kinds) or pd.isna(cell))]
    if strange:
        raise TypeError(
            f"hierarchy: level {level} holds {listed(strange)}; only text, numbers and dates"
            f" can be written to {path} and found again."
        )
    texts = [text_of(cell) for cell in cells]
    if len(pd.unique(cells)) > len(set(texts)):
        raise ValueError(
            f"hierarchy: cells of level {level} differ but would be the same text in {path},"
            f" as 1 and '1' are; name them differently."
        )
    try:
        "".join(text or "" for text in texts).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"hierarchy: level {level} holds {error.object[error.start]!r}, which UTF-8 cannot"
            f" say."
        ) from None
    return texts


def _rows(text: str, separator: str, *, strict: bool) -> list[list[str | None]] | None:
    """Cut a text into lines of cells, None for a missing one; None if quotes do not fit."""
    mark = re.escape(separator)
    plain = rf"[^\r\n{mark}\"]*" if strict else rf"(?:[^\r\n{mark}\"][^\r\n{mark}]*)?"
    cell = re.compile(rf'(?:"((?:[^"]|"")*)"|({plain}))({mark}|\r\n|\r|\n|\Z)')
    rows: list[list[str | None]] = [[]]
    place = 0
    while place < len(text):
        match = cell.match(text, place)
        if match is None:
            return None
        quoted, bare, end = match.groups()
        rows[-1].append(quoted.replace('""', '"') if bare is None else bare or None)
        place = match.end()
        if end == separator and place == len(text):
            rows[-1].append(None)
        if end != separator:
            rows.append([])
    return [row for row in rows if row not in ([], [None])]


def _quoted(text: str | None, special: re.Pattern[str]) -> str:
    if text is None:
        return ""
    return '"' + text.replace('"', '""') + '"' if not text or special.search(text) else text


def _replace(path: Path, content: bytes) -> None:
    """Put a complete file in the place of another, or nothing."""
    target = path.resolve()  # a link stays a link
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        part.write_bytes(content)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


TABLES = "hierarchies must map each column to its table of values x levels"


def check_mapping(given: Any, rule: str) -> None:
    """Refuse what is no mapping, by the rule that it breaks."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{rule}; got {type(given).__name__}.")


def check_hierarchies(hierarchies: Any, names: Sequence[Hashable]) -> list[Any]:
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


INTERVAL = re.compile(r"(?:\[(.+), (.+)\]|(.+)(?= or missing))( or missing)?", re.DOTALL)
"""A closed interval of values, or one that may also be missing."""


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
