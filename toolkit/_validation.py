"""Checks of arguments that many functions share, and the sentence that answers a failed one.

A message names the argument, says what came, and shows the way out. Metric bodies hold no
checks of their own.
"""

from __future__ import annotations

import difflib
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from ._typing import BoolArray

SMALLEST_SHARE = 1e-290
"""Least share of all records that one row may stand for: smaller ones vanish in a float."""


SUM_TOLERANCE = 1e-9
"""How far the probabilities of a prior may add up from 1."""


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
        if came.startswith(("toolkit.engines", "ibis")):
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
    if isinstance(found, int):
        return [found]
    return [int(i) for i in np.arange(data.shape[1])[found]]  # several have this label


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
    width = data.shape[1]
    if isinstance(key, Integral) and not isinstance(key, bool) and int(key) in range(width):
        return int(key)
    names = {str(name): name for name in data.columns}
    close = difflib.get_close_matches(str(key), names, n=1)
    hint = f" Did you mean {names[close[0]]!r}?" if close else ""
    raise ValueError(
        f"{argument}: there is no column {key!r}.{hint} The columns are"
        f" {listed(data.columns)}, at positions 0 to {width - 1}."
    )


def check_columns(data: pd.DataFrame, keys: Any, argument: str) -> list[int]:
    """Positions of several columns; a single name counts as one column."""
    one = isinstance(keys, str) or (isinstance(keys, Integral) and not isinstance(keys, bool))
    if one or (isinstance(keys, Hashable) and find_columns(data, keys)):
        keys = [keys]
    if isinstance(keys, (Mapping, set, frozenset)) or not isinstance(keys, Iterable):
        raise TypeError(
            f"{argument} must be a column or a list of columns; got {type(keys).__name__}"
            f" {keys!r}."
        )
    positions = [check_column(data, key, argument) for key in keys]
    twice = sorted({data.columns[i] for i in positions if positions.count(i) > 1}, key=str)
    if twice:
        raise ValueError(f"{argument} names {listed(twice)} more than once; name it once.")
    return positions


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


def check_accuracies(data: pd.DataFrame, given: Any) -> dict[int, float]:
    """Accuracy by column position; a single number holds for every column."""
    if isinstance(given, Real) and not isinstance(given, bool):
        given = [given] * data.shape[1]
    accuracies = check_per_column(data, given, "accuracies")
    for position, accuracy in accuracies.items():
        # Written so that NaN fails too.
        if not (_is_number(accuracy) and 0 <= accuracy <= 1):
            raise ValueError(
                f"accuracies: column {data.columns[position]!r} has {accuracy!r}; an accuracy"
                f" is a probability from 0 (the record is a guess) to 1 (it is certain)."
            )
    return {position: float(accuracy) for position, accuracy in accuracies.items()}


def check_prior(prior: object, values: pd.Index, name: object, zero_prior: str) -> pd.Series:
    """Prior probabilities: first of the observed `values` in order, then of any others.

    The prior may lack an observed value, or give it probability 0, only where `zero_prior`
    says what that means.
    """
    where = f"priors: column {name!r}"
    if not isinstance(prior, (Mapping, pd.Series)):
        raise TypeError(
            f"{where} needs a mapping from value to probability; got {type(prior).__name__}."
        )
    given = pd.Series(prior.to_numpy() if isinstance(prior, pd.Series) else prior.values())
    keys = _as_objects(prior.index if isinstance(prior, pd.Series) else prior.keys())
    if not keys.is_unique:
        raise ValueError(f"{where} lists {listed(keys[keys.duplicated()].unique())} twice.")
    probability = _as_floats(given)
    bad = np.flatnonzero(~((probability >= 0) & (probability <= 1)))
    if bad.size:
        entries = ", ".join(f"{keys[i]!r}: {given.astype(object).iloc[i]!r}" for i in bad[:8])
        raise ValueError(f"{where} has {entries}; each probability must be from 0 to 1.")
    total = math.fsum(probability)
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(
            f"{where} adds up to {total:.12g}, not 1, over {listed(keys)}; divide each entry"
            f" by the total."
        )
    found = keys.get_indexer(_as_objects(values))
    known = np.where(found >= 0, probability[found], 0.0)
    if zero_prior == "error" and (known == 0).any():
        raise ValueError(
            f"{where} gives no probability to {listed(values[known == 0])}, which the table"
            f" holds; a gain there would be infinite. Give each a share, or say"
            f" zero_prior='smooth' or zero_prior='inf'."
        )
    other = np.setdiff1d(np.arange(len(keys)), found)
    index = pd.Index([*values, *keys[other]], dtype=object, tupleize_cols=False)
    return pd.Series(np.append(known, probability[other]), index=index)


def _as_objects(values: Collection[Any]) -> pd.Index:
    """Values compared as Python objects, so that no integer is rounded to a float."""
    cells = np.fromiter(values, dtype=object, count=len(values))
    cells[pd.isna(cells)] = np.nan  # None, NaT and pandas.NA are all the missing category
    return pd.Index(cells, dtype=object, tupleize_cols=False)


def _as_floats(numbers: pd.Series) -> np.ndarray:
    """Numbers as floats, what is no number (a truth value, a text) as NaN."""
    if pd.api.types.is_bool_dtype(numbers) or not pd.api.types.is_numeric_dtype(numbers):
        if numbers.dtype != object:
            return np.full(len(numbers), np.nan)
        cells = numbers.where(numbers.map(_is_number), np.nan)
        found = _numbers_of(cells.to_numpy(dtype=object))
        return np.full(len(numbers), np.nan) if found is None else found
    if pd.api.types.is_complex_dtype(numbers):
        return np.full(len(numbers), np.nan)
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def check_distributions(p: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions over the same values, as arrays that match."""
    by_value = [isinstance(one, (Mapping, pd.Series)) for one in (p, q)]
    if by_value[0] != by_value[1]:
        raise TypeError(
            f"p and q must both be mappings from value to probability, or both lists; got"
            f" {type(p).__name__} and {type(q).__name__}."
        )
    one, other = (_distribution(given, name) for given, name in ((p, "p"), (q, "q")))
    if all(by_value):
        one, other = one.align(other, fill_value=0.0)
    if len(one) != len(other):
        raise ValueError(
            f"p and q must speak of the same values; got {len(one)} and {len(other)}."
        )
    return one.to_numpy(), other.to_numpy()


def _distribution(given: Any, argument: str) -> pd.Series:
    """One distribution, indexed by value if it names them."""
    if isinstance(given, Mapping):
        given = pd.Series(list(given.values()), index=_as_objects(given.keys()))
    if isinstance(given, pd.Series):
        index = _as_objects(given.index)
        numbers = _as_floats(given)
        if not index.is_unique:
            raise ValueError(f"{argument} lists a value twice; list it once.")
    else:
        index, found = None, _numbers_of(given)
        numbers = np.array([np.nan]) if found is None or found.ndim != 1 else found
    if not (numbers >= 0).all() or not abs(numbers.sum() - 1) <= SUM_TOLERANCE:
        raise ValueError(
            f"{argument} must be a distribution: a row of numbers of at least 0 that add up to"
            f" 1; got {_shown(given)}."
        )
    return pd.Series(numbers, index=index)


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
        raise TypeError(f"weights must be numbers, one per row; got {_shown(weights)}.")
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


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # more digits than Python writes
        return "a whole number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."


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
    missing = pd.isna(flat)
    if not all(map(_is_number, flat[~missing])):
        return None
    try:
        return np.where(missing, np.nan, flat).astype(float).reshape(cells.shape)
    except OverflowError:  # a whole number beyond all floats
        return np.full(cells.shape, np.inf)


def check_percentile(n: Any) -> float:
    """Return `n` if it is a percentile; a fraction such as 0.95 is refused, not obeyed."""
    if not _is_number(n):
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
        raise ValueError(
            f"{argument} must be from {low} to {high}, {meaning}; got {_shown(number)}."
        )
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


def check_gains(cig: object) -> pd.DataFrame:
    """Return a table of gains: numbers without holes."""
    if isinstance(cig, pd.Series):
        raise TypeError("cig must be the table of cell gains; got a Series (of row gains?).")
    table = check_table(cig, "cig")
    for position, name in enumerate(table.columns):
        column = table.iloc[:, position]
        kinds = pd.api.types
        other = kinds.is_bool_dtype(column) or kinds.is_complex_dtype(column)
        if other or not kinds.is_numeric_dtype(column):
            raise TypeError(
                f"cig must hold gains in bits; column {name!r} is of type {column.dtype}."
                f" Pass the result of cell_information_gain, not the table of records."
            )
        if column.isna().any():
            raise ValueError(f"cig has missing gains in column {name!r}; it must have none.")
    return table


def check_numeric(column: pd.Series, name: object) -> pd.Series:
    """Return a column of finite numbers, missing ones allowed."""
    kinds = pd.api.types
    numeric = kinds.is_numeric_dtype(column) and not kinds.is_complex_dtype(column)
    if not numeric or kinds.is_bool_dtype(column):
        raise TypeError(f"column {name!r} must hold numbers to be binned; got {column.dtype}.")
    known = column.dropna()
    if known.empty or not np.isfinite(known.to_numpy(dtype=float)).all():
        raise ValueError(
            f"column {name!r} must hold finite numbers to be binned; it is all missing, or"
            f" holds an infinite one."
        )
    return column


def _floor_of(ratio: float) -> float:
    """Round down, but not a whole number that only rounding has made smaller."""
    nearest = round(ratio)
    return nearest if math.isclose(ratio, nearest, rel_tol=1e-12) else math.floor(ratio)


def check_code_length(codes: pd.Series, digits: Any, name: object) -> pd.Series:
    """Return codes that are no longer than they can be."""
    length = check_whole(digits, "digits", 1, 1000, "the length of the code")
    longer = codes[codes.str.len() > length].unique()
    if len(longer):
        raise ValueError(
            f"column {name!r} holds {listed(longer)}, longer than digits={length}; say the"
            f" length of the longest code."
        )
    return codes


def check_positive(number: Any, argument: str) -> float:
    """Return a positive, finite number."""
    if not _is_number(number):
        raise TypeError(f"{argument} must be a positive number; got {number!r}.")
    try:
        checked = float(number)
    except OverflowError:  # a whole number or fraction that no float holds
        checked = math.inf
    if not 0 < checked < math.inf:
        raise ValueError(f"{argument} must be a positive, finite number; got {number!r:.80}.")
    return checked


def check_numbers(values: Any, argument: str, *, least: int = 1) -> np.ndarray:
    """Return finite numbers as a one-dimensional array of at least so many."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{argument} must be a list of numbers; got {values!r:.80}.")
    given = values if isinstance(values, (np.ndarray, pd.Series, pd.Index)) else list(values)
    try:
        numbers = np.asarray(given)
        if numbers.dtype.kind not in "biuf":
            numbers = np.array([number for number in numbers.ravel()], dtype=object)
            numbers = np.array([_as_number(number) for number in numbers], dtype=float)
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


# Equivalence classes: quasi-identifiers, sensitive columns, missing cells, thresholds

MISSING_POLICIES = ("category", "drop", "wildcard")


def check_quasi_identifiers(
    data: pd.DataFrame, keys: Any, argument: str = "quasi_identifiers"
) -> list[int]:
    """Positions of the quasi-identifiers; one that is named twice counts once."""
    if keys is None:
        raise TypeError(
            f"{argument} must name the columns an attacker knows, such as"
            f" {listed(data.columns[:2])}; with [] everyone is in one class."
        )
    if isinstance(keys, str) or (isinstance(keys, Hashable) and find_columns(data, keys)):
        keys = [keys]
    if isinstance(keys, (Mapping, set, frozenset)) or not isinstance(keys, Iterable):
        raise TypeError(
            f"{argument} must be a column or a list of columns; got {type(keys).__name__}"
            f" {keys!r}."
        )
    keys = list(keys)
    lacking = [key for key in keys if not _names_a_column(data, key)]
    if len(lacking) > 1:
        raise ValueError(
            f"{argument}: there are no columns {listed(lacking)}. The columns are"
            f" {listed(data.columns)}, at positions 0 to {data.shape[1] - 1}."
        )
    positions = [check_column(data, key, argument) for key in keys]
    once = list(dict.fromkeys(positions))
    if len(once) < len(positions):
        twice = [data.columns[i] for i in once if positions.count(i) > 1]
        warnings.warn(
            f"{argument} names {listed(twice)} more than once; each counts once.",
            UserWarning,
            stacklevel=2,
        )
    return once


def _names_a_column(data: pd.DataFrame, key: Any) -> bool:
    """Whether a key is a label, or a position."""
    whole = isinstance(key, Integral) and not isinstance(key, bool)
    return bool(find_columns(data, key)) or (whole and int(key) in range(data.shape[1]))


def check_sensitive(data: pd.DataFrame, key: Any, quasi_identifiers: Sequence[int]) -> int:
    """Position of the one sensitive column, which is no quasi-identifier."""
    if key is None or (isinstance(key, (list, set, np.ndarray, pd.Index))):
        came = "none" if key is None else f"{type(key).__name__} {key!r:.80}"
        raise TypeError(
            f"sensitive must be one column; got {came}. For several columns, measure each"
            f" table of sensitive_tables."
        )
    position = check_column(data, key, "sensitive")
    if position in quasi_identifiers:
        raise ValueError(
            f"column {data.columns[position]!r} is both a quasi-identifier and sensitive;"
            f" either the attacker knows it or it is to be kept from them."
        )
    return position


def check_several(
    data: pd.DataFrame, keys: Any, quasi_identifiers: Sequence[int]
) -> list[int]:
    """Positions of several sensitive columns."""
    positions = check_columns(data, keys, "sensitive")
    if not positions:
        raise ValueError("sensitive must name at least one column; got none.")
    return [check_sensitive(data, data.columns[j], quasi_identifiers) for j in positions]


def check_partition(missing: str, sensitive: bool) -> None:
    """Refuse sensitive values where a missing cell matches anything."""
    if missing == "wildcard" and sensitive:
        raise ValueError(
            "missing='wildcard' makes no classes (a record may match records that do not"
            " match each other), so only k_anonymity, k_map and reidentification_risk have"
            " it; use missing='category' or 'drop'."
        )


def check_some_left(kept: int, rows: int) -> None:
    """Refuse a table in which every row has a missing cell, if such rows are dropped."""
    if kept == 0:
        raise ValueError(
            f"missing='drop' leaves no row: each of the {rows} rows lacks a cell in a"
            f" quasi-identifier or sensitive column. Use missing='category'."
        )


def warn_dropped(dropped: int, rows: int) -> None:
    """Say how many rows a metric does not see."""
    if dropped:
        warnings.warn(
            f"missing='drop' leaves out {dropped} of {rows} rows, which can make the data look"
            f" safer than they are; missing='category' keeps them.",
            UserWarning,
            stacklevel=2,
        )


def check_already_fixed(
    quasi_identifiers: Any, sensitive: Any, missing: str, has: str
) -> None:
    """Refuse roles that come beside a class table, which has its own."""
    for argument, given in (
        ("quasi_identifiers", quasi_identifiers),
        ("sensitive", sensitive),
    ):
        if given is not None:
            raise ValueError(
                f"{argument} is settled by the class table that came as data; leave it out, or"
                f" pass the DataFrame."
            )
    if missing not in ("category", has):
        raise ValueError(
            f"the class table was made with missing={has!r}, not {missing!r}; make one with"
            f" equivalence_classes(..., missing={missing!r})."
        )


def check_has_sensitive(has: bool) -> None:
    """Refuse a class table that knows of no sensitive values."""
    if not has:
        raise ValueError(
            "the class table has no sensitive column; make it with equivalence_classes(data,"
            " quasi_identifiers, sensitive)."
        )


def check_per_class(numbers: Any, classes: int) -> np.ndarray:
    """Return one entry per class."""
    entries = np.asarray(numbers)
    if entries.shape != (classes,):
        raise ValueError(
            f"there must be one entry for each of the {classes} classes, in their order; got"
            f" shape {entries.shape}."
        )
    return entries


def check_class_values(values: Any, known: pd.Index) -> BoolArray:
    """Mark the sensitive values that are named; None marks them all."""
    if values is None:
        return np.ones(len(known), bool)
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    wanted = _as_objects(list(values))
    found = _as_objects(known).get_indexer(wanted)
    if not len(wanted) or (found < 0).any():
        raise ValueError(
            f"values must name some of the sensitive values {listed(known)}; got"
            f" {listed(wanted[found < 0]) or 'none'}."
        )
    marked = np.zeros(len(known), bool)
    marked[found] = True
    return marked


def check_same_classes(
    sample: Sequence[Hashable], population: Sequence[Hashable], missing: tuple[str, str]
) -> None:
    """Refuse class tables of different columns, or that treat missing cells differently."""
    if list(sample) != list(population):
        raise ValueError(
            f"data and population must have the same quasi-identifiers in the same order; got"
            f" {listed(sample)} and {listed(population)}."
        )
    if missing[0] != missing[1]:
        raise ValueError(
            f"data and population must treat missing cells alike; got missing={missing[0]!r}"
            f" and {missing[1]!r}."
        )


def check_in_population(lacking: Iterable[object], number: int | None = None) -> None:
    """Refuse records of the sample that nobody in the population has; some may be listed."""
    lacking = list(lacking)
    if lacking:
        error = ValueError(
            f"the population has no record of {number or len(lacking)} of the classes of data."
            f" The population must contain the sample, and be recoded in the same way."
        )
        raise _with_classes(error, lacking)


def check_contained(more: Iterable[object], number: int | None = None) -> None:
    """Refuse classes with more records in the sample than in the population."""
    more = list(more)
    if more:
        error = ValueError(
            f"data has more records than the population in {number or len(more)} of its"
            f" classes; the population must contain the sample."
        )
        raise _with_classes(error, more)


def _with_classes(error: ValueError, classes: Iterable[object]) -> ValueError:
    """Name classes in a note, which a traceback shows and the command line does not."""
    error.add_note(f"The classes: {listed([*classes])}.")
    return error


def check_unit_interval(number: Any, argument: str) -> float:
    """Return a share."""
    if not _is_number(number):
        raise TypeError(f"{argument} must be a share from 0 to 1; got {number!r}.")
    if not 0 <= number <= 1:
        raise ValueError(f"{argument} must be a share from 0 to 1; got {number!r}.")
    return float(number)


def check_log_base(base: Any) -> float:
    """Return the base of a logarithm."""
    if not _is_number(base):
        raise TypeError(f"base must be a number above 1, such as 2 or math.e; got {base!r}.")
    if not (base > 1 and math.isfinite(base)):
        raise ValueError(f"base must be a finite number above 1; got {base!r}.")
    return float(base)


def check_orderable(orderable: bool, values: pd.Index) -> None:
    """Refuse an ordered distance between values that have no order."""
    if not orderable:
        raise ValueError(
            f"kind='ordered' needs numbers, dates or ordered categories; the sensitive values"
            f" are {listed(values, 4)}. Make the column an ordered Categorical, or use"
            f" kind='equal'."
        )


def warn_numbers_as_text(values: pd.Index) -> None:
    """Say that numbers stored as text are compared as mere names."""
    texts = [value for value in values if isinstance(value, str)]
    if texts and len(texts) == len(values):
        if pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").notna().all():
            warnings.warn(
                f"the sensitive values are numbers stored as text ({listed(texts, 3)}), so"
                f" they are compared as names, all equally far apart; turn them into numbers,"
                f" or say kind='equal'.",
                UserWarning,
                stacklevel=2,
            )


def warn_numbers_as_names(values: pd.Index, name: object) -> None:
    """Say that a text column of numbers is taken for names, none nearer than another."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return
    known = values.dropna()
    if len(known) < 2 or pd.api.types.infer_dtype(known) != "string":
        return
    if pd.to_numeric(pd.Series(known, dtype=object), errors="coerce").notna().all():
        warnings.warn(
            f"column {name!r} holds numbers stored as text ({listed(known[:3])}, …), so they"
            f" are taken for names that have no order; turn them into numbers, or make the"
            f" column a Categorical if names are meant.",
            UserWarning,
            stacklevel=2,
        )


_NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


_DAY = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?([-+]\d\d:\d\d)?)?")


def check_hierarchy(hierarchy: Any, values: pd.Index, name: object) -> np.ndarray:
    """Labels of `values` on every level: a row per value, the value itself first.

    The hierarchy is a table with a row per value, which is the first column. A number, date or
    truth value matches its text (see `match_by_text`); such a row starts with what `values`
    hold.
    """
    where = f"hierarchy of {name!r}"
    cells = _hierarchy_cells(hierarchy, where)
    leaves = _as_objects(cells[:, 0])
    if not leaves.is_unique:
        raise ValueError(
            f"{where} lists {listed(leaves[leaves.duplicated()].unique())} twice; each value"
            f" has one row."
        )
    codes = [pd.factorize(column, use_na_sentinel=False)[0] for column in cells.T]
    for level in range(1, cells.shape[1] - 1):
        one_row = np.zeros(len(cells), np.int64)  # of each label
        one_row[codes[level]] = np.arange(len(cells))
        torn = codes[level + 1] != codes[level + 1][one_row[codes[level]]]
        if torn.any():
            raise ValueError(
                f"{where}: label {listed(pd.unique(cells[torn, level]))} of level {level} has"
                f" several labels on level {level + 1}; each label has one above it."
            )
    found = match_by_text(leaves, values)
    if (found < 0).any():
        raise ValueError(
            f"{where} has no row for {listed(values[found < 0])}, which the data hold; add"
            f" one for each."
        )
    cells[found, 0] = _as_objects(values)
    return cells


def _hierarchy_cells(hierarchy: Any, where: str) -> np.ndarray:
    """Cells of a hierarchy as objects, what is missing as NaN."""
    cells: np.ndarray = np.empty(0, dtype=object)
    if isinstance(hierarchy, pd.DataFrame):
        cells = hierarchy.astype(object).to_numpy()
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
    cells = cells.copy()
    cells[pd.isna(cells)] = np.nan
    return cells


def match_by_text(known: pd.Index, values: pd.Index) -> np.ndarray:
    """Position in `known` of each value, -1 if it is not there; numbers match their texts.

    A file holds the text '39' where data hold the number 39. What is equal matches first; of
    the rest, a number, a date or a truth value matches the text that says it: 39, 39.0, '39'
    and '39.0' are one number, but '039' is a code. Two texts match only if they are equal, and
    nothing matches where more than one could.
    """
    cells, wanted = _as_objects(known), _as_objects(values)
    found = np.asarray(cells.get_indexer(wanted))
    lost = np.flatnonzero(found < 0)
    if lost.size:
        said = _said_once(cells, np.setdiff1d(np.arange(len(cells)), found))
        for (is_text, meaning), place in _said_once(wanted, lost).items():
            found[place] = said.get((not is_text, meaning), -1)
    return found


def _said_once(cells: pd.Index, places: np.ndarray) -> dict[tuple[bool, Any], int]:
    """Where each meaning is, as a text or not, of those that are there once."""
    meanings = [(isinstance(cells[i], str), _meaning(cells[i])) for i in places]
    times = Counter(meanings)
    pairs = zip(meanings, places.tolist(), strict=True)
    return {key: i for key, i in pairs if key[1] is not None and times[key] == 1}


def _meaning(cell: Any) -> Any:
    """What a number, a date, a truth value, or the text of one says; None for the rest."""
    if isinstance(cell, (bool, np.bool_)):
        return str(cell)
    if isinstance(cell, (int, float, np.integer, np.floating, Decimal)):
        return Decimal(str(cell)) if math.isfinite(cell) else str(cell)
    try:
        if isinstance(cell, (date, np.datetime64)):
            return pd.Timestamp(cell)
        if isinstance(cell, str) and _DAY.fullmatch(cell):
            return pd.Timestamp(cell)
    except ValueError:  # no day of the calendar, or none that pandas can hold
        return None
    if isinstance(cell, str) and _NUMERAL.fullmatch(cell):
        return Decimal(cell)
    return cell if cell in ("True", "False", "inf", "-inf") else None


def check_hierarchies(hierarchies: Any, names: Sequence[Hashable]) -> list[Any]:
    """One hierarchy per column, in the order of the columns."""
    if not isinstance(hierarchies, Mapping):
        raise TypeError(
            f"hierarchies must map each column to its table of values x levels; got"
            f" {type(hierarchies).__name__}."
        )
    if not hierarchies:
        raise ValueError("hierarchies is empty; give at least one column its table.")
    lacking = [name for name in names if name not in hierarchies]
    if lacking:
        raise ValueError(f"hierarchies lacks {listed(lacking)}; give each column its table.")
    return [hierarchies[name] for name in names]


def check_label(label: Any, argument: str) -> Any:
    """Return one label, no list of them."""
    if not pd.api.types.is_scalar(label):
        raise TypeError(f"{argument} must be one label, such as a text; got {_shown(label)}.")
    return label


def check_same_index(original: Any, treated: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables of the same records in the same order."""
    check_table(original, "original")
    check_table(treated, "treated")
    if not treated.index.equals(original.index):
        raise ValueError(
            f"treated must hold the rows of original in their order; the index differs"
            f" ({len(treated)} and {len(original)} rows). Keep suppressed rows, as '*'."
        )
    return original, treated


def check_threshold(
    number: Any, argument: str, low: float, high: float, *, whole: bool = False
) -> float:
    """Return a threshold within the range that its metric has."""
    if not _is_number(number) or (whole and not isinstance(number, Integral)):
        kind = "a whole number" if whole else "a number"
        raise TypeError(f"{argument} must be {kind} of at least {low:g}; got {number!r}.")
    most = min(high, 2**53 if whole else sys.float_info.max)
    if not (low <= number <= most or number == high):
        upto = "" if math.isinf(high) and not number > most else f" and at most {most:.16g}"
        raise ValueError(f"{argument} must be at least {low:g}{upto}; got {_shown(number)}.")
    return float(number)


def check_applicable(asked: Iterable[str], measured: Collection[str], needs: str) -> None:
    """Refuse thresholds for what cannot be measured."""
    idle = [name for name in asked if name not in measured]
    if idle:
        raise ValueError(
            f"there are thresholds for {listed(idle)}, but nothing to measure: {needs}."
        )


def check_threshold_names(given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a threshold that is none."""
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name.lower(), list(known), n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise TypeError(
                f"there is no threshold {name!r}.{hint} There are {listed(known)}."
            )


def check_some_threshold(asked: Collection[str]) -> None:
    """Refuse to assert nothing."""
    if not asked:
        raise ValueError(
            "assert_privacy needs a threshold, such as k=5; without, any data pass."
        )


def check_metric(metric: Any, sensitive: Any, known: Collection[tuple[Any, Any]]) -> Any:
    """Return the key of a metric that has a threshold."""
    found = [key for key in known if key[0] == metric and sensitive in (None, key[1])]
    if len(found) != 1:
        names = [name if column is None else (name, column) for name, column in known]
        raise ValueError(
            f"metric must be one that has a threshold ({listed(names)}); got {metric!r}"
            f" for sensitive={sensitive!r}."
        )
    return found[0]


def check_per_sensitive(kind: Any, known: Collection[Any]) -> Any:
    """Return kinds of distance; a mapping names sensitive columns only."""
    if isinstance(kind, dict):
        strange = [name for name in kind if name not in known]
        if strange:
            raise ValueError(
                f"kind names {listed(strange)}; the sensitive columns are {listed(known)}."
            )
    return kind


# Hierarchies: values, levels, files


def check_codes(values: pd.Index) -> list[str]:
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


# Uniqueness, populations, outliers


def check_fraction(fraction: Any) -> float:
    """Return a sampling fraction; it must be known, so there is no default."""
    if not _is_number(fraction):
        raise TypeError(
            f"fraction must be the share of the population that was sampled, above 0 and up"
            f" to 1; got {fraction!r}."
        )
    if not 0 < fraction <= 1:
        hint = f" Did you mean {fraction / 100:g}?" if 1 < fraction <= 100 else ""
        raise ValueError(f"fraction must be above 0 and up to 1; got {fraction!r}.{hint}")
    return float(fraction)


def check_instance(thing: Any, kind: type, argument: str, maker: str) -> Any:
    """Return the result of another function of the toolkit."""
    if not isinstance(thing, kind):
        raise TypeError(
            f"{argument} must be the result of {maker}; got {type(thing).__name__}."
        )
    return thing


# Anonymisation: what is required of each class, and what the search is given

DIVERSITIES = ("distinct", "entropy", "recursive")


def check_requirements(
    k: Any,
    l: Any,  # noqa: E741
    t: Any,
    diversity: Any,
    c: Any,
    sensitive: bool,
) -> tuple[int, float | None, float | None, float | None]:
    """Return k, l, t and c; what is said of sensitive values needs a sensitive column."""
    check_choice(diversity, "diversity", DIVERSITIES)
    size = int(check_threshold(k, "k", 1, math.inf, whole=True))
    for number, argument in ((l, "l"), (t, "t")):
        if number is not None and not sensitive:
            raise ValueError(
                f"{argument}={number!r} is about sensitive values; name the column that holds"
                f" them, as sensitive=..."
            )
    if l is not None:
        l = check_threshold(l, "l", 1, math.inf, whole=diversity != "entropy")  # noqa: E741
    if (c is not None) != (diversity == "recursive" and l is not None):
        raise ValueError(
            f"c belongs to l with diversity='recursive', which needs both; got c={c!r},"
            f" l={l!r} and diversity={diversity!r}."
        )
    close = None if t is None else check_threshold(t, "t", 0, 1)
    return size, l, close, None if c is None else check_positive(c, "c")


def check_suppression_limit(limit: Any, records: int) -> int:
    """Return how many records may be suppressed, of a limit that is a share."""
    return int(_floor_of(check_unit_interval(limit, "suppression_limit") * records))


def check_partition_policy(missing: Any) -> str:
    """Return what a missing cell is, where records are to be put into classes."""
    if missing == "wildcard":
        raise ValueError(
            "missing='wildcard' makes no classes, so nothing can be generalised by it; use"
            " missing='category' or 'drop'."
        )
    return check_choice(missing, "missing", ("category", "drop"))


# Partitioning and local suppression: what every class must keep


def check_enough_records(k: int, rows: int) -> None:
    """Refuse a table that is too small for one class."""
    if rows < k:
        raise ValueError(
            f"k={k} needs at least {k} records, and there are {rows}; ask for a smaller k."
        )


def check_open_share(number: Any, argument: str) -> float:
    """Return a share that is neither nothing nor all."""
    if not _is_number(number):
        raise TypeError(f"{argument} must be a share between 0 and 1; got {number!r}.")
    if not 0 < number < 1:
        hint = f" Did you mean {number / 100:g}?" if 1 <= number < 100 else ""
        raise ValueError(f"{argument} must lie between 0 and 1; got {number!r}.{hint}")
    return float(number)
