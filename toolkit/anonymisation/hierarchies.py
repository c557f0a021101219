"""Generalisation hierarchies: builders, suggestions, files, and labels of several values.

A hierarchy is a table with a row per value. Column 0 holds the value, columns 1, 2, … hold its
label on each level, and each label has one label above it. A missing value has its own row.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_choice, check_number, check_table, listed
from .._codes import encode, order_of
from .._typing import AnyArray, FloatArray, IntArray, Table
from ..disclosure.models import check_levels
from .release import TOP, text_of

# Label of a missing value on the levels below the top.
MISSING = "missing"

# Name of level 0, where a column shows its values.
AS_IT_IS = "as it is"

# Decimal arithmetic with enough digits to avoid rounding.
EXACT = Context(prec=10_000)

# Builders


def interval_hierarchy(values: Any, widths: Any) -> pd.DataFrame:
    """Intervals of numbers, closed on the left, wider on each level.

    The number v lies in ``[a, a + width)`` with a = width · floor(v / width). Numbers are
    taken as they are written in decimals, so 0.3 lies in ``[0.3, 0.4)``.

    Parameters
    ----------
    values : Series or array-like
        Numbers, repeated or not; categories that do not occur get no row.
    widths : number, or list of numbers
        Width of the intervals on level 1, 2, …: each a multiple of the one before.

    Returns
    -------
    DataFrame of shape (n_values, n_widths + 2)
        Columns 0 (the values, rising, a missing one last), 1, 2, …: a hierarchy. On the last
        level all values have the label ``*``; below it, a missing value is ``missing``.

    Examples
    --------
    >>> interval_hierarchy([39, 5, 17], [5, 20])
        0         1         2  3
    0   5   [5, 10)   [0, 20)  *
    1  17  [15, 20)   [0, 20)  *
    2  39  [35, 40)  [20, 40)  *
    """
    known, first = _distinct(values)
    numbers, levels = _decimals(known, "values"), []
    with localcontext(EXACT):
        for width in _nested(widths, "widths"):
            lows = _rounded_down(numbers, width)
            levels.append([f"[{_written(low)}, {_written(low + width)})" for low in lows])
    return _assembled(first, levels)


def rounding_hierarchy(values: Any, steps: Any) -> pd.DataFrame:
    """Numbers rounded more coarsely on each level; the labels are numbers too.

    Each level rounds the labels of the level below to the nearest multiple, halves up, so that
    each label has one label above it: 45 becomes 50 in tens, and this 50 becomes 100 in
    hundreds. Numbers are taken as they are written in decimals.

    Parameters
    ----------
    values
        As for `interval_hierarchy`.
    steps : number, or list of numbers
        Rounding step of level 1, 2, …: each a multiple of the one before.

    Returns
    -------
    DataFrame of shape (n_values, n_steps + 2)
        As `interval_hierarchy` returns. A reader cannot tell a rounded number from an equal
        value that was not rounded.

    Examples
    --------
    >>> rounding_hierarchy([1234, 1250], [10, 100])
          0     1     2  3
    0  1234  1230  1200  *
    1  1250  1250  1300  *
    """
    known, first = _distinct(values)
    numbers, levels = _decimals(known, "values"), []
    with localcontext(EXACT):
        for step in _nested(steps, "steps"):
            numbers = _rounded_down(numbers + step / 2, step)
            whole = all(number == int(number) for number in numbers)
            levels.append([int(n) if whole else float(n) for n in numbers])
    return _assembled(first, levels)


def prefix_hierarchy(
    values: Any, keep: Any = None, *, digits: int | None = None, pad: str | None = None
) -> pd.DataFrame:
    """Codes with fewer and fewer of their first characters, such as postcodes or ICD.

    An asterisk replaces each other character, so codes keep their length.

    Parameters
    ----------
    values : Series or array-like
        Codes: strings, or whole numbers.
    keep : int, or list of int, optional
        Number of characters that stay on level 1, 2, …, falling; by default one fewer on each
        level, down to 1.
    digits : int, optional
        Length of a code that was stored as a number and lost its leading zeros: 200 stands
        for 0200 if `digits` is 4.
    pad : character, optional
        Character appended to shorter codes until they are as long as the longest, as for
        ICD. Without it, codes of different lengths are refused.

    Returns
    -------
    DataFrame of shape (n_values, n_keep + 2)
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
    texts = [text.zfill(digits or 0) for text in code_texts(known)]
    length = max(map(len, texts), default=1)
    if pad is None and any(len(text) < length for text in texts):
        raise ValueError(
            "values are codes of different lengths; give digits= for numbers that lost their"
            " leading zeros, or pad= a character that pads shorter codes."
        )
    counts = list(range(length - 1, 0, -1))
    if keep is not None:
        counts = [check_number(n, "keep", "[0, inf)", whole=True) for n in _list_of(keep)]
        if not counts or counts != sorted({*counts}, reverse=True):
            raise ValueError("keep must fall from level to level, as [3, 2] does.")
    padded = [text.ljust(length, pad or " ") for text in texts]
    levels = [
        [text[:n].ljust(length, "*") for text in padded] if n < length else texts
        for n in counts
    ]
    return _assembled(first, levels)


def code_texts(codes: Iterable[Any]) -> list[str]:
    """Codes as strings; a whole number that pandas holds as a float loses its ``.0``."""
    texts = []
    for code in codes:
        number = isinstance(code, (int, float, np.number)) and not isinstance(code, bool)
        if not (isinstance(code, str) or (number and code >= 0 and code % 1 == 0)):
            raise TypeError(
                f"values must be codes: text, or whole numbers from 0; got"
                f" {type(code).__name__}."
            )
        texts.append(str(int(code)) if number else str(code))
    return texts


UNITS = ("day", "month", "quarter", "year", "5 years", "decade")


def date_hierarchy(values: Any, units: Any = None) -> pd.DataFrame:
    """Days, months, quarters, years and decades of dates.

    Parameters
    ----------
    values : Series or array-like
        Timestamps, dates, or strings of one form such as 2021-05-13, 13.5.2021, 5/13/2021,
        13 May 2021 or 13052021. Year, month and day are in the order that all strings fit; if
        they do not tell the day from the month, units of a year or more are needed.
    units : list of {"day", "month", "quarter", "year", "5 years", "decade"}, optional
        Unit of level 1, 2, …, from the finest; by default month, year and decade, and first
        the day if a value has a time of day.

    Returns
    -------
    DataFrame of shape (n_values, n_units + 2)
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
    if not read:
        raise ValueError(
            "values must be dates, or texts of one form such as 2021-05-13, 13.5.2021 or"
            " 5/13/2021; turn them into dates by pandas.to_datetime."
        )
    times = next(iter(read.values()))
    part = times.dt
    year, five = part.year.astype(str), part.year // 5 * 5
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
    if not places or places != sorted({*places}):
        raise ValueError(f"units must name some of {listed(UNITS)}, from the finest.")
    if len(read) > 1 and places[0] < UNITS.index("year"):
        raise ValueError(
            "values do not tell the day from the month; turn them into dates by"
            " pandas.to_datetime, or give units of a year or more."
        )
    return _assembled(first, [labels[unit].tolist() for unit in chosen])


# Forms of dates written as strings, by their order of year, month and day.
FORMS = {
    "ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m-%d %H:%M", "ISO8601"),
    "dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d %b %Y", "%d %B %Y", "%d%m%Y")
    + ("%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y", "%b %d, %Y", "%B %d, %Y", "%m%d%Y")
    + ("%m/%d/%Y %H:%M",),
}


def read_dates(known: pd.Series) -> dict[str, pd.Series]:
    """Dates and times under each order of year, month and day that fits all values.

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
    eight = texts.str.fullmatch(r"\d{7,8}").all()  # seven digits lost a leading zero
    texts = texts.str.zfill(8) if eight else texts
    read: dict[str, pd.Series] = {}
    for order, forms in FORMS.items():
        for form in forms if eight or texts.str.contains(r"\d\D").all() else ():
            times = pd.to_datetime(texts, format=form, errors="coerce")
            if times.notna().all():
                read.setdefault(order, times)
    return {"ymd": read["ymd"]} if "ymd" in read and not eight else read


def group_hierarchy(values: Any, groups: Mapping[Any, Any]) -> pd.DataFrame:
    """Groups of values listed by hand, and groups of groups.

    Parameters
    ----------
    values : Series or array-like
        Values of any kind.
    groups : mapping
        ``{label: [values]}``, or nested from the coarsest level to the finest: ``{label:
        {label: [values]}}``. If one branch is nested less deeply than another, its label
        stays on the levels above. Values that do not occur are left out. None stands for a
        missing value, whose label is ``missing`` if no group lists it.

    Returns
    -------
    DataFrame of shape (n_values, n_depths + 2)
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
    first = _distinct(values)[1]
    pairs = list(_paths(groups, []))
    paths = dict(pairs)
    if len(paths) < len(pairs):
        raise ValueError("groups lists a value twice; each value has one group.")
    cells = [None if pd.isna(value) is True else value for value in first]
    lacking = [value for value in cells if value is not None and value not in paths]
    if lacking:
        raise ValueError(
            f"groups lacks {len(lacking)} of the {len(cells)} values; give each value a group."
        )
    depth = max(map(len, paths.values()), default=1)
    rows = [paths.get(value, [MISSING]) for value in cells]
    levels = [[labels[min(n, len(labels) - 1)] for labels in rows] for n in range(depth)]
    table = _assembled(first, levels)
    levels_of(table, pd.Index([]), "groups")
    return table


def _paths(groups: Mapping[Any, Any], above: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield each value with its labels, the finest first."""
    for label, members in groups.items():
        if isinstance(members, Mapping):
            yield from _paths(members, [label, *above])
        else:
            yield from ((value, [label, *above]) for value in _list_of(members))


def suppression_hierarchy(values: Any) -> pd.DataFrame:
    """All or nothing: the value itself, or ``*``.

    Parameters
    ----------
    values : Series or array-like
        Values of any kind.

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
    return _assembled(_distinct(values)[1], [])


def _distinct(values: Any) -> tuple[pd.Series, pd.Series]:
    """Known values, distinct and rising if ordered; and these with a missing one, if any."""
    column = pd.Series(values if hasattr(values, "dtype") else list(values))
    if column.empty:
        raise ValueError("values must hold at least one value; got none.")
    cells = encode(column)[1]
    cells = cells[order_of(cells)[0]]
    known = cells[cells.notna()]
    rising = pd.Series(known, dtype=known.dtype)
    if len(known) == len(cells):
        return rising, rising
    missing = pd.Series([None], dtype=object)
    return rising, pd.concat([rising.astype(object), missing], ignore_index=True)


def _assembled(first: pd.Series, levels: Iterable[list[Any]]) -> pd.DataFrame:
    """Put levels behind the first column; label the missing value and the top level."""
    columns: list[Any] = [first]
    columns += [labels + [MISSING] * (len(first) - len(labels)) for labels in levels]
    return pd.DataFrame(dict(enumerate([*columns, [TOP] * len(first)])))


def _list_of(given: Any) -> list[Any]:
    """Return the settings of the levels as a list, also if there is only one."""
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def _decimals(values: Any, argument: str) -> AnyArray:
    """Return finite numbers as decimals, exactly as they are written."""
    numbers = list(values)
    kinds = [isinstance(n, (Real, Decimal)) and not isinstance(n, bool) for n in numbers]
    if not all(kinds) or any(math.isinf(n) for n in numbers if not isinstance(n, int)):
        raise TypeError(
            f"{argument} must be finite numbers; turn text into numbers by pandas.to_numeric."
        )
    return np.array([Decimal(str(number)) for number in numbers], object)


def _nested(widths: Any, argument: str) -> AnyArray:
    """Return widths of levels, each a multiple of the one before."""
    numbers = _decimals(_list_of(widths), argument)
    positive = len(numbers) > 0 and all(not n.is_nan() and n > 0 for n in numbers)
    if not positive or any(EXACT.remainder(b, a) for a, b in pairwise(numbers)):
        raise ValueError(
            f"{argument} must be positive numbers, one per level, each a multiple of the one"
            f" before; got {widths!r:.80}."
        )
    return numbers


def _rounded_down(numbers: AnyArray, step: Decimal) -> AnyArray:
    """Greatest multiples of a step that are not above the numbers."""
    rest = numbers % step  # a Decimal remainder has the sign of the number
    return np.asarray(numbers - rest - step * (rest < 0))


def _written(number: Decimal) -> str:
    """Write a number with as few decimals as it needs."""
    return format(number.normalize(), "f")


# Suggestions
#
# A suggestion is a start: people who know what the values mean group them better. In doubt, a
# column is kept or hidden, and no level may show the day of a date without its year.

# Words in a column name that mark its cells as codes.
CODE_NAMES = r"\b(?:zip|post ?code|postal|plz|postleitzahl|code|icd|sic\b|tract|phone|ssn)"

# Words in a column name that mark even a few whole numbers as counts.
COUNT_NAMES = r"\b(?:ages?|years?|born|birth|number of|count|hours|children|alter|jahre?)\b"

# Up to this many different whole numbers are codes, unless the name says otherwise.
MOST_CODES = 12

# Shares of the records below which a value is pooled, level by level.
RARITIES = (0.001, 0.01, 0.05, 0.2)

# Forms of dates in digits that end with a year or time, which a cut would hide first.
LATE = "%d%m%y %m%d%y %j%Y %d%m%Y %m%d%Y %d%m%Y%H%M %m%d%Y%H%M %d%m%Y%H%M%S".split()


class SuggestedHierarchy(pd.DataFrame):
    """A hierarchy whose levels have names.

    Attributes
    ----------
    names : tuple of str
        What each level does, in a word or two.
    note : str
        A doubt about the column, which quotes no cell.
    """

    _metadata: ClassVar[list[str]] = ["names", "note"]
    names: tuple[str, ...]
    note: str


def suggest_hierarchies(data: Table) -> dict[Any, SuggestedHierarchy]:
    """Suggest a hierarchy for each column whose cells can be compared.

    Dates become months and years, codes lose their last characters, numbers become intervals,
    and among other values the rare ones are pooled.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table, with distinct column names. A name counts, too: whole numbers in a column
        `zip` are codes.

    Returns
    -------
    dict
        Hierarchy of each column, as `optimal_generalisation` takes it, which also has `names`
        (what each level does) and a `note` (a doubt, or nothing).

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39, 25, 62], "sex": list("mfmf")})
    >>> {name: tree.names for name, tree in suggest_hierarchies(people).items()}
    {'age': ('as it is', 'by 5', 'by 10', 'hidden'), 'sex': ('as it is', 'hidden')}
    """
    suggested = {name: suggest_hierarchy(column) for name, column in check_table(data).items()}
    return {name: tree for name, tree in suggested.items() if tree is not None}


def suggest_hierarchy(column: pd.Series) -> SuggestedHierarchy | None:
    """Suggest how to make one column coarser; None if its cells cannot be compared.

    Examples
    --------
    >>> suggest_hierarchy(pd.Series(["13053", "13068", "14850"], name="zip")).names
    ('as it is', 'first 4', 'first 3', 'first 2', 'hidden')
    """
    try:
        values, _ = _distinct(column)
    except TypeError:
        return None
    if isinstance(values.dtype, pd.CategoricalDtype) and not values.dtype.ordered:
        values = values.astype(values.dtype.categories.dtype)
    values = values.infer_objects()
    for kind in KINDS if len(values) > 2 else ():
        with suppress(TypeError, ValueError, OverflowError):  # the next kind may fit
            if (tree := kind(column, values)) is not None:
                return tree
    return _named_levels(suppression_hierarchy(column))


def _named_levels(
    table: pd.DataFrame, names: Iterable[str] = (), note: str = ""
) -> SuggestedHierarchy:
    """Name the levels; leave out those with a single label, except the hidden one."""
    called = [AS_IT_IS, *names, "hidden"]
    labels = table[table[0].notna()].nunique(dropna=False)
    levels = [n for n in range(len(called)) if labels[n] > 1 or n in (0, len(called) - 1)]
    tree = SuggestedHierarchy(table[levels].set_axis(range(len(levels)), axis=1))
    tree.names, tree.note = tuple(called[n] for n in levels), note
    return tree


def _dates(column: pd.Series, values: pd.Series) -> SuggestedHierarchy | None:
    """Months, years, five years and decades; no months if they may in fact be days."""
    read = read_dates(values)
    times = next(iter(read.values()), None)
    if times is None or not times.dt.year.between(1800, 2100).all():
        numeric = pd.api.types.is_numeric_dtype(values) and not _called(column, CODE_NAMES)
        if numeric and _may_be_dates(code_texts(values)):
            doubt = "its numbers may be dates that end with a year: kept or hidden"
            return _named_levels(suppression_hierarchy(column), note=doubt)
        return None
    units, note = ["year", "5 years", "decade"], ""
    if len(read) > 1:
        note = "its dates do not tell the day from the month: the finest level is years"
    else:
        units = ["day"] * bool((times != times.dt.normalize()).any()) + ["month", *units]
    names = [unit.removesuffix("s") + "s" for unit in units]
    return _named_levels(date_hierarchy(column, units), names, note)


def _called(column: pd.Series, words: str) -> bool:
    """True if the name of a column contains one of the words."""
    return re.search(words, re.sub(r"[\W_]+", " ", str(column.name)).lower()) is not None


def _may_be_dates(digits: list[str]) -> bool:
    """True if all digits can be read as dates of one form."""
    longest = max(map(len, digits))
    for form in LATE:
        length = len(pd.Timestamp(0).strftime(form))
        if length - 1 <= longest <= length:
            texts = pd.Series([text.zfill(length) for text in digits])
            days = pd.to_datetime(texts, format=form, errors="coerce")
            if days.dt.year.between(1800, 2100).all():
                return True
    return False


def _codes(column: pd.Series, values: pd.Series) -> SuggestedHierarchy | None:
    """Codes cut to fewer and fewer of their first characters."""
    texts = code_texts(values)
    lengths, digits = {len(text) for text in texts}, all(text.isdigit() for text in texts)
    longest = max(lengths)
    coded = _called(column, CODE_NAMES)
    if len(lengths) == 1 and not pd.api.types.is_numeric_dtype(values):
        lettered = all(re.fullmatch(r"[A-Za-z]{1,3}\d+", text) for text in texts)
        numbers = [re.sub("^[A-Za-z]+", "", text) for text in texts]
        coded |= (digits and longest == 5) or (lettered and not _may_be_dates(numbers))
    if not coded or not 1 < longest <= 12:
        return None
    step = math.ceil((longest - 1) / 5)
    keep = list(range(longest - step, 0, -step))
    table = prefix_hierarchy(column, keep, digits=longest if digits else None, pad="*")
    return _named_levels(table, [f"first {n}" for n in keep])


def _bands(column: pd.Series, values: pd.Series) -> SuggestedHierarchy | None:
    """Ordered categories, or bands such as 18-25: 2, 4, 8 and so on neighbours merged."""
    cells, levels, names = values.tolist(), [], []
    if not getattr(values.dtype, "ordered", False):
        cells.sort(key=_ends)
        ends = np.ravel([_ends(cell) for cell in cells])
        if (np.diff(ends) < 0).any() or (ends[1::2] <= ends[::2]).any():  # bands overlap
            return None
    for size in [2**n for n in range(1, math.ceil(math.log2(len(cells))))]:
        parts = [cells[at - at % size :][:size] for at in range(len(cells))]
        levels.append([f"{p[0]} to {p[-1]}" if p[1:] else str(p[0]) for p in parts])
        names.append(f"{size} together")
    first = pd.Series([*cells, *[None] * int(column.isna().any())], dtype=object)
    return _named_levels(_assembled(first, levels), names)


BAND = re.compile(
    r"[\[(]?(\d+(?:\.\d+)?) ?(?:-|–|to|bis|,) ?(\d+(?:\.\d+)?)[\])]?"
    r"|(?:<|≤|under|up to) ?(\d+(?:\.\d+)?)|(?:>|≥|over) ?(\d+(?:\.\d+)?)|(\d+) ?\+"
)


def _ends(value: str) -> tuple[float, float]:
    """Ends of a band of numbers; an error if a value is not one."""
    band = BAND.fullmatch(value)
    if band is None:
        raise ValueError("values must be ordered categories, or bands such as '18-25'.")
    low, high, under, over, plus = band.groups()
    return float(low or over or plus or "-inf"), float(high or under or "inf")


def _intervals(column: pd.Series, values: pd.Series) -> SuggestedHierarchy | None:
    """Intervals of round widths, each a multiple of the one before, until few are left."""
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return None
    whole = bool((values % 1 == 0).all())
    if whole and len(values) <= MOST_CODES and not _called(column, COUNT_NAMES):
        return None
    span = float(values.max()) - float(values.min())
    power = math.floor(math.log10(span / 20))  # about twenty intervals on the second level
    digit = next(n for n in (1, 2, 5, 10) if n * 10.0**power >= span / 20)
    second = Decimal(digit).scaleb(power)
    widths = [second / (2 if digit == 2 else 5), *(second * 2**n for n in range(6))]
    widths = [width for width in widths if span / float(width) >= 2.5]
    if whole:
        rounded = [width for width in widths if width > 1 and width == int(width)]
        widths = rounded or [Decimal(2)] * (span >= 4)
    numbers = [int(width) if width == int(width) else float(width) for width in widths]
    return _named_levels(interval_hierarchy(column, numbers), [f"by {n:,}" for n in numbers])


def _pooled(column: pd.Series, values: pd.Series) -> SuggestedHierarchy | None:
    """Rare values pooled, the rarest first, if some values are rare and some are not."""
    codes, cells = encode(column)
    order = np.argsort(-np.bincount(codes), kind="stable")
    known, records = as_objects(cells[order]), np.bincount(codes)[order]
    levels, names, left = [], [], len(known) - 1
    for share in RARITIES:
        least = max(2, math.ceil(share * len(column)))
        common = int((records >= least).sum())
        if common < left:
            levels.append(np.where(records < least, "other", known).tolist())
            names.append(f"pool < {least:,}")
            left = common
    first = pd.Series(known.tolist())
    return _named_levels(_assembled(first, levels), names) if names else None


# Builders in the order in which they are tried; None or an error is for other kinds.
KINDS = (_dates, _codes, _bands, _intervals, _pooled)


# Files


def read_hierarchy(path: Any, *, separator: str | None = None) -> pd.DataFrame:
    r"""Read a hierarchy from a text file: a line per value, a cell per level, as for ARX.

    Every cell is text. If data hold a number, a date or a truth value, its text in the
    hierarchy stands for it: '39' for 39, but never '039'. An empty value is a missing
    one; a label cannot be empty.

    Parameters
    ----------
    path : path
        A file in UTF-8. Cells may be quoted by ``"``.
    separator : character, optional
        Character between cells; by default a semicolon, as in files of ARX, if the first line
        has one outside quotes, otherwise a comma.

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
        unquoted = re.sub('"[^"]*"', "", Path(path).read_text(encoding="utf-8-sig"))
        separator = ";" if ";" in unquoted.partition("\n")[0] else ","
    options: Any = {"header": None, "dtype": str, "keep_default_na": False, "na_values": [""]}
    table: pd.DataFrame = pd.read_csv(path, sep=separator, encoding="utf-8-sig", **options)
    _check_file(table, path)
    return table


def write_hierarchy(hierarchy: Any, path: Any, *, separator: str = ";") -> None:
    r"""Write a hierarchy to a text file that `read_hierarchy` and ARX read.

    A number is written so that its text stands for it when read; a missing value is empty.

    Parameters
    ----------
    hierarchy : DataFrame, or list of rows
        A row per value: the value and its label on each level.
    path : path
        The file; an existing one is replaced.
    separator : character
        Character between cells.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "age.csv"
    >>> write_hierarchy(interval_hierarchy([17, 39], 20), file)
    >>> print(file.read_text())
    17;[0, 20);*
    39;[20, 40);*
    <BLANKLINE>
    """
    texts = pd.DataFrame(hierarchy, dtype=object).map(text_of)
    _check_file(texts, path)
    texts.to_csv(path, sep=separator, header=False, index=False)


def _check_file(table: pd.DataFrame, path: Any) -> None:
    """Refuse a file whose lines lack labels, and whatever `levels_of` refuses."""
    if table.shape[1] < 2 or table.iloc[:, 1:].isna().any(axis=None):
        raise ValueError(
            f"{path}: each line must hold a value and its label on every level; pass"
            f" separator= if another character stands between cells."
        )
    levels_of(table, pd.Index([]), str(path))


# Reading a hierarchy


def levels_of(
    hierarchy: Any, values: pd.Index, name: object
) -> tuple[AnyArray, list[IntArray], IntArray]:
    """Read a hierarchy: its cells, the codes of its labels, and the row of each given value.

    The cells have a row per value, written as in the data, and a column per level; a missing
    value is NaN. The codes are an array per level, which numbers the labels of the rows.

    A number, date or truth value without a row of its own has the row of its text, as files
    hold it; a text without a row has the row of such a value.
    """
    where = f"hierarchy of {name!r}"
    framed = isinstance(hierarchy, pd.DataFrame)
    try:
        rows = hierarchy.to_numpy(object) if framed else [[*row] for row in hierarchy]
        if len({*map(len, rows)}) != 1 or not len(rows[0]):
            raise TypeError
        cells: AnyArray = pd.DataFrame(rows, dtype=object).to_numpy(copy=True)
        cells[pd.isna(cells)] = np.nan
        codes = [_numbered(column) for column in cells.T.tolist()]
    except TypeError:
        raise TypeError(
            f"{where} must be a table with a row per value, whose columns are the value and"
            f" its labels on each level; got {type(hierarchy).__name__}."
        ) from None
    check_levels(codes, where)
    wanted = as_objects(values)
    row = rows_of(cells[:, 0], wanted)
    if (row < 0).any():
        raise ValueError(
            f"{where} has no row for {(row < 0).sum()} of the {len(row)} values that the data"
            f" hold; add one for each."
        )
    cells[row, 0] = wanted
    return cells, codes, row


def _numbered(cells: list[Any]) -> IntArray:
    """Give equal cells equal numbers; for few cells a dictionary is faster than pandas."""
    numbers = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    return np.array([numbers[cell] for cell in cells])


def rows_of(known: AnyArray | pd.Index, wanted: pd.Index) -> IntArray:
    """Position in `known` of each wanted cell, -1 if it is absent; missing cells are NaN.

    Equal cells match first. After that, a text matches a cell that is written so (39 and 39.0
    as '39' or '39.0', a date as its day), unless a third cell is written so, too.
    """
    place = {cell: i for i, cell in enumerate(known)}
    positions = np.array([place.get(cell, -1) for cell in wanted], np.int64)
    lost = np.flatnonzero(positions < 0)
    if len(lost):
        rest = np.setdiff1d(np.arange(len(known)), positions)
        held, sought = [*map(_as_written, known[rest])], [*map(_as_written, wanted[lost])]
        row, times = dict(zip(held, rest.tolist(), strict=True)), Counter(held + sought)
        for i, (is_text, text) in zip(lost, sought, strict=True):
            other = (not is_text, text)
            if times[other] == times[is_text, text] == 1 and text is not None:
                positions[i] = row.get(other, -1)
    return positions


def _as_written(cell: Any) -> tuple[bool, str | None]:
    """True if a cell is a string, and the string that a file holds; None if it is missing."""
    text = text_of(cell)
    return isinstance(cell, str), text and re.sub(r"^(-?\d+)\.0$", r"\1", text)


def check_hierarchies(hierarchies: Any, names: Sequence[Any]) -> list[Any]:
    """Return one hierarchy per column, in the order of the columns."""
    lacking = [name for name in names if name not in hierarchies]
    if lacking or not hierarchies:
        what = listed(lacking) or "all columns"
        raise ValueError(f"hierarchies lacks {what}; give each column its table.")
    return [hierarchies[name] for name in names]


def openness(held: AnyArray, values: int) -> FloatArray:
    """Share of a column's other values that a cell leaves open; both are numbers of values."""
    return np.asarray((held - 1) / max(values - 1, 1), float)
