"""Kinds of arguments that modules share, and the sentence that answers a wrong one.

A table, columns, quasi-identifiers, a sensitive column, weights, numbers in an interval, a
choice, a generator, a hierarchy. A message names the argument, says what came, and shows the
way out. What one module alone asks, it checks itself.
"""

from __future__ import annotations

import difflib
import math
import re
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from .._typing import check_installed as check_installed, way_to_install as way_to_install

# Least share of all records that one row may stand for: smaller ones vanish in a float.
SMALLEST_SHARE = 1e-290


def listed(things: Iterable[object], most: int = 8) -> str:
    """Name things in a message, the first few of a long list."""
    shown = [repr(thing) for thing in things]
    more = f", … ({len(shown)} in all)" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def check_table(data: object, argument: str = "data") -> pd.DataFrame:
    """Return `data` if it is a DataFrame that has cells."""
    if not isinstance(data, pd.DataFrame):
        came = f"{type(data).__module__}.{type(data).__qualname__}"
        way = "call its to_frame() first" if isinstance(data, pd.Series) else "make one"
        if came.startswith("toolkit.engines"):
            way = "what lives in an engine this function does not ask; bring some of it here"
        raise TypeError(f"{argument} must be a pandas DataFrame; got {came}: {way}.")
    for axis, what in ((0, "rows"), (1, "columns")):
        if data.shape[axis] == 0:
            raise ValueError(
                f"{argument} has no {what} (shape {data.shape}), so nothing can be measured;"
                f" pass a table with at least one record and one column."
            )
    return data


def find_columns(data: pd.DataFrame, key: Hashable) -> list[int]:
    """Positions of the columns whose label is `key`; none if it is no label."""
    try:
        found = data.columns.get_loc(key)
    except (KeyError, TypeError, ValueError, pd.errors.InvalidIndexError):
        # What get_loc cannot look up (an unhashable key, a slice) is no label either.
        return []
    # Several may have this label.
    return [found] if isinstance(found, int) else np.arange(data.shape[1])[found].tolist()


def check_column(data: pd.DataFrame, key: Any, argument: str) -> int:
    """Position of the column that `key` means: a name, else a position.

    A name wins over a position. A name that several columns share means none of them.
    """
    named = find_columns(data, key)
    if len(named) == 1:
        return named[0]
    if named:
        raise ValueError(
            f"{argument}: {len(named)} columns are called {key!r} (positions {named}); say"
            f" which by its position, or give a list with one entry per column."
        )
    if _is_position(data, key):
        return int(key)
    names = {str(name): name for name in data.columns}
    close = difflib.get_close_matches(str(key), names, n=1)
    hint = f" Did you mean {names[close[0]]!r}?" if close else ""
    raise ValueError(
        f"{argument}: there is no column {key!r}.{hint} The columns are"
        f" {listed(data.columns)}, at positions 0 to {data.shape[1] - 1}."
    )


def _is_position(data: pd.DataFrame, key: Any) -> bool:
    whole = isinstance(key, Integral) and not isinstance(key, bool)
    return whole and int(key) in range(data.shape[1])


def check_columns(data: pd.DataFrame, keys: Any, argument: str, known: Any = ()) -> list[int]:
    """Positions of several columns, not of those `known`; a single name is one column."""
    if isinstance(keys, Integral) and not isinstance(keys, bool):
        keys = [keys]
    positions = [check_column(data, key, argument) for key in _as_list(data, keys, argument)]
    twice = sorted({data.columns[i] for i in positions if positions.count(i) > 1}, key=str)
    if twice:
        raise ValueError(f"{argument} names {listed(twice)} more than once; name it once.")
    both = [data.columns[i] for i in positions if i in known]
    if both:
        raise ValueError(
            f"column {both[0]!r} is both a quasi-identifier and sensitive; either the attacker"
            f" knows it or it is to be kept from them."
        )
    return positions


def _as_list(data: pd.DataFrame, keys: Any, argument: str) -> list[Any]:
    """Several columns as they are named; a text or a label is one of them."""
    if isinstance(keys, str) or (isinstance(keys, Hashable) and find_columns(data, keys)):
        return [keys]
    if isinstance(keys, (Mapping, set, frozenset)) or not isinstance(keys, Iterable):
        raise TypeError(
            f"{argument} must be a column or a list of columns; got {type(keys).__name__}"
            f" {keys!r}."
        )
    return list(keys)


def check_per_column(data: pd.DataFrame, given: Any, argument: str) -> dict[int, Any]:
    """Read `{column: setting}`, or a list with one setting (or None) per column."""
    if given is None:
        return {}
    if isinstance(given, (pd.Series, Mapping)):
        settings: dict[int, Any] = {}
        for key, setting in given.items():
            position = check_column(data, key, argument)
            if setting is None:  # as in a list: nothing is said of this column
                continue
            if position in settings:
                name = data.columns[position]
                raise ValueError(f"{argument} sets column {name!r} twice; set it once.")
            settings[position] = setting
        return settings
    listed_per_column = isinstance(given, Sequence) and not isinstance(given, str)
    if listed_per_column or (isinstance(given, np.ndarray) and given.ndim == 1):
        if len(given) != data.shape[1]:
            raise ValueError(
                f"{argument} as a list needs one entry (or None) for each of the"
                f" {data.shape[1]} columns; got {len(given)}."
            )
        return {i: setting for i, setting in enumerate(given) if setting is not None}
    raise TypeError(
        f"{argument} must map columns to settings, or list one per column; got"
        f" {type(given).__name__}."
    )


def _objects(values: Collection[Any]) -> np.ndarray:
    """Values as Python objects, what is missing as NaN."""
    cells = np.fromiter(values, dtype=object, count=len(values))
    cells[pd.isna(cells)] = np.nan  # None, NaT and pandas.NA are all the missing category
    return cells


def _as_objects(values: Collection[Any]) -> pd.Index:
    """Values compared as Python objects, so that no integer is rounded to a float."""
    return pd.Index(_objects(values), dtype=object, tupleize_cols=False)


def is_number(value: object) -> bool:
    # float and int are named since they are found much sooner than the abstract Real.
    return isinstance(value, (float, int, Real)) and not isinstance(value, (bool, np.bool_))


def folded(cell: Any) -> Any:
    """Text of a cell without case, blanks at its ends, invisible signs and Unicode forms.

    Examples
    --------
    >>> folded(" HIV\u200b") == folded("hiv"), folded("Jose\u0301") == folded("JOSÉ")
    (True, True)
    """
    if isinstance(cell, tuple):
        return tuple(map(folded, cell))
    text = "" if pd.isna(cell) else str(cell)
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text).strip()


def several_spellings(what: str, texts: Collection[Any]) -> ValueError:
    """Say that values are equal once they are folded."""
    return ValueError(
        f"{what} holds {len(texts)} values, of which only {len({*texts})} differ in more than"
        f" case, blanks or Unicode form; write equal ones alike."
    )


def _as_float(value: Any) -> float | None:
    """The float to calculate with, infinite beyond its range; None for what is no number."""
    if not is_number(value):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number or fraction that no float holds
        return math.inf if value > 0 else -math.inf


def check_weights(data: pd.DataFrame, weights: Any) -> np.ndarray | None:
    """Row weights as floats in the order of the rows; None stands for one each."""
    if weights is None:
        return None
    if isinstance(weights, pd.Series):
        if not weights.index.equals(data.index):
            same = weights.index.is_unique and data.index.is_unique
            if not (same and set(weights.index) == set(data.index)):
                raise ValueError(
                    "weights is a Series whose index differs from that of data; give it the"
                    " index of data, or pass weights.to_numpy() to go by position."
                )
            weights = weights.reindex(data.index)
        weights = weights.to_numpy()
    numbers = _numbers_of(weights)
    if numbers is None:
        raise TypeError(f"weights must be numbers, one per row; got {shown(weights)}.")
    if numbers.shape != (len(data),):
        raise ValueError(
            f"weights must hold one number for each of the {len(data)} rows; got shape"
            f" {numbers.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(numbers) & (numbers > 0)))
    if bad.size:
        raise ValueError(
            f"weights must be positive and finite; row {bad[0]} has {numbers[bad[0]]:g}"
            f" ({bad.size} such rows). Drop the rows that weigh nothing."
        )
    with np.errstate(over="ignore"):
        total = float(numbers.sum())
    if not math.isfinite(total) or numbers.min() / total < SMALLEST_SHARE:
        raise ValueError(
            f"weights from {numbers.min():g} to {numbers.max():g} differ too much to be added"
            f" up; divide or round them first."
        )
    return numbers


def shown(value: object) -> str:
    """A value as a message shows it: a long one is cut, a long number is also a float."""
    try:
        text = repr(value)
    except ValueError:  # more digits than Python writes
        return "a number of thousands of digits"
    near = _as_float(value) if len(text) > 80 else None
    cut = text if len(text) <= 80 else f"{text[:77]}..."
    return cut if near is None else f"{text[:60]}… (as a float {near})"


def _numbers_of(given: Any) -> np.ndarray | None:
    """Real numbers as an array of floats; None for anything else. What is missing is NaN."""
    try:
        cells = np.asarray(given)
    except ValueError:  # rows of unequal length
        return None
    if cells.dtype.kind in "iuf":
        return cells.astype(float)
    if cells.dtype != object:
        return None
    flat = cells.ravel()
    found = [_as_float(cell) for cell in np.where(pd.isna(flat), np.nan, flat)]
    return None if None in found else np.array(found, float).reshape(cells.shape)


def check_percentile(n: Any) -> float:
    """Return `n` if it is a percentile; a fraction such as 0.95 is refused, not obeyed."""
    if not is_number(n):
        raise TypeError(f"n must be a percentile, 0 or in [1, 100]; got {n!r}.")
    if not (n == 0 or 1 <= n <= 100):
        hint = f" Did you mean {100 * n:g}?" if 0 < n < 1 else ""
        raise ValueError(f"n must be a percentile, 0 or in [1, 100]; got {n}.{hint}")
    return float(n)


def check_whole(number: Any, argument: str, low: int, high: int, meaning: str) -> int:
    """Return a whole number between two bounds."""
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise TypeError(f"{argument} must be a whole number, {meaning}; got {number!r}.")
    if not low <= int(number) <= high:
        came = shown(number)
        raise ValueError(f"{argument} must be from {low} to {high}, {meaning}; got {came}.")
    return int(number)


def check_choice(choice: Any, argument: str, allowed: Sequence[str]) -> str:
    """Return one of the allowed words."""
    if not isinstance(choice, str) or choice not in allowed:
        raise ValueError(f"{argument} must be one of {listed(allowed)}; got {choice!r}.")
    return choice


def check_generator(rng: object, why: str) -> np.random.Generator:
    """Return the source of randomness; it is never made up silently."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a numpy.random.Generator {why}, such as"
            f" numpy.random.default_rng(1); got {type(rng).__name__}."
        )
    return rng


def number(
    given: Any,
    argument: str,
    within: str,
    kind: str,
    rule: str = "",
    *,
    way: str = "",
    percent_hint: bool = False,
    read: Callable[[Any], Any] = lambda given: given,
) -> float:
    """Return a number that lies in an interval, such as "(0, 1]"; NaN lies in none.

    `kind` says what the argument must be, `rule` which of these numbers, if that is more;
    `way` shows the way out. With `percent_hint`, who gave per cent is asked whether the share
    was meant. What is judged is what `read` makes of the argument.
    """
    found = _as_float(own := read(given))
    if found is None:
        raise TypeError(f"{argument} must be {kind}; got {shown(given)}.")
    # As a float, which may be rounded to an end, and as the number that came.
    if not (_lies(found, within) and (own == found or _lies(own, within))):
        percent = percent_hint and found > 1 and _lies(found / 100, within)
        hint = f" Did you mean {found / 100:g}?" if percent else way
        raise ValueError(f"{argument} must be {rule or kind}; got {shown(given)}.{hint}")
    return found


def _lies(number: Any, within: str) -> Any:
    """Whether a number lies in an interval, or mark those of an array that do."""
    low, high = _ends(within)
    above = number > low if within[0] == "(" else number >= low
    return above & (number < high if within[-1] == ")" else number <= high)


@lru_cache(maxsize=64)
def _ends(within: str) -> list[float]:
    return [float(end) for end in within[1:-1].split(",")]


def check_positive(given: Any, argument: str) -> float:
    """Return a positive, finite number."""
    kind, rule = "a positive number", "a positive, finite number"
    return number(given, argument, "(0, inf)", kind, rule)


def check_numbers(values: Any, argument: str, *, least: int = 1) -> np.ndarray:
    """Return finite numbers as a one-dimensional array of at least so many."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{argument} must be a list of numbers; got {values!r:.80}.")
    given = values if isinstance(values, (np.ndarray, pd.Series, pd.Index)) else list(values)
    try:
        numbers = np.asarray(given)
        if numbers.dtype.kind not in "biuf":
            numbers = np.array([_as_number(one) for one in numbers.ravel()], dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must be a list of numbers; got {values!r:.80}.") from None
    if numbers.ndim != 1:
        raise ValueError(
            f"{argument} must be a list of numbers, of one dimension; got shape"
            f" {numbers.shape}."
        )
    if numbers.size < least:
        raise ValueError(
            f"{argument} must hold at least {least} number{'s' * (least != 1)}; got"
            f" {numbers.size}."
        )
    numbers = numbers.astype(float)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise ValueError(
            f"{argument} must be finite; position {bad[0]} holds {numbers[bad[0]]}"
            f" ({bad.size} such). Drop or fill what is missing first."
        )
    return numbers


def _as_number(value: object) -> float:
    """Missing values as NaN, numbers as floats; everything else is a TypeError."""
    if value is None or value is pd.NA or value is pd.NaT:
        return math.nan
    if not isinstance(value, (Real, np.bool_)) and not hasattr(value, "as_integer_ratio"):
        raise TypeError(f"{value!r} is no number")
    return float(value)  # type: ignore[arg-type]


def check_truths(values: np.ndarray, argument: str) -> np.ndarray:
    """Return truth values, of which a count is taken."""
    if not np.isin(values, (0, 1)).all():
        raise ValueError(
            f"{argument}: a count takes truth values (True, False, 1, 0), whether a record has"
            f" the property; pass a comparison such as age >= 65."
        )
    return values


def check_quasi_identifiers(
    data: pd.DataFrame, keys: Any, argument: str = "quasi_identifiers"
) -> list[int]:
    """Positions of the quasi-identifiers; one that is named twice counts once."""
    if keys is None:
        raise TypeError(
            f"{argument} must name the columns an attacker knows, such as"
            f" {listed(data.columns[:2])}; with [] everyone is in one class."
        )
    keys = _as_list(data, keys, argument)
    named = [(key, find_columns(data, key)) for key in keys]
    lacking = [key for key, places in named if not (places or _is_position(data, key))]
    if len(lacking) > 1:
        raise ValueError(
            f"{argument}: there are no columns {listed(lacking)}. The columns are"
            f" {listed(data.columns)}, at positions 0 to {data.shape[1] - 1}."
        )
    positions = [
        places[0] if len(places) == 1 else check_column(data, key, argument)
        for key, places in named
    ]
    once = list(dict.fromkeys(positions))
    if len(once) < len(positions):
        twice = [data.columns[i] for i in once if positions.count(i) > 1]
        said = f"{argument} names {listed(twice)} more than once; each counts once."
        warnings.warn(said, UserWarning, stacklevel=2)
    return once


def check_sensitive(data: pd.DataFrame, key: Any, quasi_identifiers: Sequence[int]) -> int:
    """Position of the one sensitive column, which is no quasi-identifier."""
    if key is None or (isinstance(key, (list, set, np.ndarray, pd.Index))):
        came = "none" if key is None else f"{type(key).__name__} {key!r:.80}"
        raise TypeError(
            f"sensitive must be one column; got {came}. For several columns, measure each"
            f" table of sensitive_tables."
        )
    return check_columns(data, [key], "sensitive", quasi_identifiers)[0]


def check_partition(missing: str) -> None:
    """Refuse a missing cell that matches anything, where records must fall into classes."""
    if missing == "wildcard":
        raise ValueError(
            "missing='wildcard' makes no classes (a record may match records that do not"
            " match each other), so only k_anonymity, k_map and reidentification_risk have"
            " it; use missing='category' or 'drop'."
        )


def check_dropped(dropped: int, rows: int) -> None:
    """Refuse to leave out all rows; say how many a metric does not see."""
    if dropped and dropped == rows:
        raise ValueError(
            f"missing='drop' leaves no row: each of the {rows} rows lacks a cell in a"
            f" quasi-identifier or sensitive column. Use missing='category'."
        )
    if dropped:
        said = (
            f"missing='drop' leaves out {dropped} of {rows} rows, which can make the data look"
            f" safer than they are; missing='category' keeps them."
        )
        warnings.warn(said, UserWarning, stacklevel=2)


_NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


_DAY = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?([-+]\d\d:\d\d)?)?")


# Labels of a hierarchy, their numbers on each level, and the rows of some values.
Levels = tuple[np.ndarray, list[np.ndarray], np.ndarray]


def check_hierarchy(hierarchy: Any, values: pd.Index, name: object) -> Levels:
    """Labels on every level, the numbers of the labels of each level, and rows of `values`.

    The hierarchy is a table with a row per value, which is the first column. A number, date or
    truth value matches its text (see `match_by_text`); such a row starts with what `values`
    hold.
    """
    where = f"hierarchy of {name!r}"
    cells = _hierarchy_cells(hierarchy, where)
    try:
        codes = [_numbered(column) for column in cells.T.tolist()]
    except TypeError:  # of what has no hash, such as a list; a tuple mostly has one
        for cell in sorted(cells.ravel(), key=lambda cell: isinstance(cell, tuple)):
            check_label(cell, f"{where}: each cell")
        raise
    if codes[0].max() + 1 < len(cells):
        twice = [cell for cell, rows in Counter(cells[:, 0].tolist()).items() if rows > 1]
        raise ValueError(f"{where} lists {listed(twice)} twice; each value has one row.")
    for level in range(1, cells.shape[1] - 1):
        one_row = np.zeros(len(cells), np.int64)  # of each label
        one_row[codes[level]] = np.arange(len(cells))
        torn = codes[level + 1] != codes[level + 1][one_row[codes[level]]]
        if torn.any():
            raise ValueError(
                f"{where}: label {listed(pd.unique(cells[torn, level]))} of level {level} has"
                f" several labels on level {level + 1}; each label has one above it."
            )
    wanted = _objects(values.to_numpy(object))  # of an index each cell would cost more
    found = _match(cells[:, 0].tolist(), wanted.tolist())
    if (found < 0).any():
        raise ValueError(
            f"{where} has no row for {listed(values[found < 0])}, which the data hold; add"
            f" one for each."
        )
    cells[found, 0] = wanted
    return cells, codes, found


def _numbered(cells: list[Any]) -> np.ndarray:
    """Number equal cells alike; of few cells a dictionary does it faster than pandas."""
    numbers = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    return np.fromiter(map(numbers.__getitem__, cells), np.int64, len(cells))


def _hierarchy_cells(hierarchy: Any, where: str) -> np.ndarray:
    """Cells of a hierarchy as objects, what is missing as NaN."""
    cells: np.ndarray = np.empty(0, dtype=object)
    if isinstance(hierarchy, pd.DataFrame):
        cells = hierarchy.to_numpy(dtype=object, copy=True)
    elif not isinstance(hierarchy, (str, bytes, Mapping)):
        try:
            cells = np.array([list(row) for row in hierarchy], dtype=object)
        except (TypeError, ValueError):  # no rows, or rows of different lengths
            pass
    if cells.ndim != 2 or 0 in cells.shape:
        raise TypeError(
            f"{where} must be a table with a row per value, whose columns are the value and"
            f" its labels on each level; got {type(hierarchy).__name__} of shape"
            f" {cells.shape}."
        )
    cells[pd.isna(cells)] = np.nan
    return cells


def match_by_text(known: pd.Index, values: pd.Index) -> np.ndarray:
    """Position in `known` of each value, -1 if it is not there; numbers match their texts.

    A file holds the text '39' where data hold the number 39. What is equal matches first; of
    the rest, a number, a date or a truth value matches the text that says it: 39, 39.0, '39'
    and '39.0' are one number, but '039' is a code. Two texts match only if they are equal, and
    nothing matches where more than one could.
    """
    return _match(_objects(known).tolist(), _objects(values).tolist())


def _match(cells: list[Any], wanted: list[Any]) -> np.ndarray:
    """`match_by_text` of objects, of which those that are missing are NaN."""
    row = {cell: i for i, cell in enumerate(cells)}
    found = np.array([row.get(cell, -1) for cell in wanted], np.intp)
    lost = np.flatnonzero(found < 0)
    if lost.size:
        said = _said_once(cells, np.setdiff1d(np.arange(len(cells)), found))
        for (is_text, meaning), place in _said_once(wanted, lost).items():
            found[place] = said.get((not is_text, meaning), -1)
    return found


def _said_once(cells: list[Any], places: np.ndarray) -> dict[tuple[bool, Any], int]:
    """Where each meaning is, as a text or not, of those that are there once."""
    meanings = [(isinstance(cells[i], str), _meaning(cells[i])) for i in places]
    times = Counter(meanings)
    pairs = zip(meanings, places.tolist(), strict=True)
    return {key: i for key, i in pairs if key[1] is not None and times[key] == 1}


def _meaning(cell: Any) -> Any:
    """What a number, a date, a truth value, or the text of one says; None for the rest."""
    if isinstance(cell, str) and not _DAY.fullmatch(cell):
        if _NUMERAL.fullmatch(cell):
            return Decimal(cell)
        return cell if cell in ("True", "False", "inf", "-inf") else None
    if isinstance(cell, (bool, np.bool_)):
        return str(cell)
    if isinstance(cell, (int, float, np.integer, np.floating, Decimal)):
        return Decimal(str(cell)) if math.isfinite(cell) else str(cell)
    try:
        return pd.Timestamp(cell) if isinstance(cell, (str, date, np.datetime64)) else None
    except ValueError:  # no day of the calendar, or none that pandas can hold
        return None


def check_label(label: Any, argument: str) -> Any:
    """Return one label, no list of them."""
    if not pd.api.types.is_scalar(label):
        raise TypeError(f"{argument} must be one label, such as a text; got {shown(label)}.")
    return label


def check_threshold(
    number: Any, argument: str, low: float, high: float, *, whole: bool = False
) -> float:
    """Return a threshold within the range that its metric has."""
    if not is_number(number) or (whole and not isinstance(number, Integral)):
        kind = "a whole number" if whole else "a number"
        raise TypeError(f"{argument} must be {kind} of at least {low:g}; got {number!r}.")
    own = number.item() if isinstance(number, np.generic) else number  # 32 bits round limits
    most = min(high, 2**53 if whole else sys.float_info.max)
    if not (low <= own <= most or own == high):
        upto = "" if math.isinf(high) and not own > most else f" and at most {most:.16g}"
        raise ValueError(f"{argument} must be at least {low:g}{upto}; got {shown(number)}.")
    return float(number)


def check_fraction(fraction: Any) -> float:
    """Return a sampling fraction; it must be known, so there is no default."""
    rule = "above 0 and up to 1"
    kind = f"the share of the population that was sampled, {rule}"
    return number(fraction, "fraction", "(0, 1]", kind, rule, percent_hint=True)


def check_instance(thing: Any, kind: type, argument: str, maker: str) -> Any:
    """Return the result of another function of the toolkit."""
    if not isinstance(thing, kind):
        came = type(thing).__name__
        raise TypeError(f"{argument} must be the result of {maker}; got {came}.")
    return thing


def check_enough_records(k: int, rows: int) -> None:
    """Refuse a table that is too small for one class."""
    if rows < k:
        way = "ask for a smaller k."
        raise ValueError(f"k={k} needs at least {k} records, and there are {rows}; {way}")
