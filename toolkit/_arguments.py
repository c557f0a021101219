"""Checks of the arguments that modules share, each with one sentence for a wrong argument.

They cover a table, its columns, weights, numbers in an interval and a choice. A message names
the argument, says what came, and shows the way out.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from ._typing import FloatArray, table_of


def listed(things: Iterable[object]) -> str:
    """Name things in a message, the first eight of a long list.

    Examples
    --------
    >>> listed(["age", "sex"]), listed(range(9))
    ("'age', 'sex'", '0, 1, 2, 3, 4, 5, 6, 7, … (9 in all)')
    """
    names = [repr(thing) for thing in things]
    more = f", … ({len(names)} in all)" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more


# A table and its columns


def check_table(data: object, argument: str = "data") -> pd.DataFrame:
    """Return a table as a DataFrame; refuse one without rows or columns."""
    table = data if isinstance(data, pd.DataFrame) else table_of(data)
    if not isinstance(table, pd.DataFrame):
        raise TypeError(
            f"{argument} must be a pandas DataFrame, or a table of Polars or Arrow (read_table"
            f" opens a file, and a Series has to_frame()); got {type(data).__module__}."
            f"{type(data).__qualname__}."
        )
    if 0 in table.shape:
        what = "rows" if len(table) == 0 else "columns"
        raise ValueError(
            f"{argument} has no {what} (shape {table.shape}), so nothing can be measured; pass"
            f" a table with at least one record and one column."
        )
    return table


def check_column(names: pd.Index, key: Any, argument: str) -> int:
    """Position of the column with the name `key` or, failing that, at that position."""
    try:
        located: Any = names.get_loc(key)
        positions: list[int] = np.atleast_1d(np.arange(len(names))[located]).tolist()
    except (KeyError, TypeError, ValueError, pd.errors.InvalidIndexError):
        positions = []  # a key that cannot be looked up, such as a list, is not a name
    if len(positions) == 1:
        return positions[0]
    if positions:
        raise ValueError(
            f"{argument}: {len(positions)} columns are called {key!r} (positions {positions});"
            f" rename them, or give the position of one."
        )
    whole = isinstance(key, (int, np.integer)) and not isinstance(key, bool)
    if whole and 0 <= key < len(names):
        return int(key)
    close = difflib.get_close_matches(str(key), map(str, names), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"{argument}: there is no column {key!r:.80}.{hint} The columns are {listed(names)},"
        f" at positions 0 to {len(names) - 1}."
    )


def check_columns(names: pd.Index, keys: Any, argument: str) -> list[int]:
    """Positions of one or several columns, each named only once.

    Examples
    --------
    >>> check_columns(pd.Index(["age", "sex"]), ["sex", 0], "columns")
    [1, 0]
    """
    a_name = isinstance(keys, tuple) and keys in names
    several = pd.api.types.is_list_like(keys) and not a_name
    # An iterator would be empty when it is read a second time.
    if keys is None or isinstance(keys, (Iterator, Mapping, set)):
        raise TypeError(
            f"{argument} must name columns, such as {listed(names[:2])}"
            f" (with [] everyone is in one class); got {type(keys).__name__}."
        )
    positions = [check_column(names, key, argument) for key in (keys if several else [keys])]
    twice = [names[j] for j in dict.fromkeys(positions) if positions.count(j) > 1]
    if twice:
        raise ValueError(f"{argument} names {listed(twice)} more than once; name it once.")
    return positions


def check_per_column(names: pd.Index, given: Any, argument: str) -> dict[int, Any]:
    """Read `{column: setting}`; the settings by position.

    Examples
    --------
    >>> check_per_column(pd.Index(["age", "sex"]), {"sex": 0.5}, "accuracies")
    {1: 0.5}
    """
    if given is None:
        return {}
    if not isinstance(given, (pd.Series, Mapping)):
        raise TypeError(f"{argument} must map columns to settings; got {given!r:.80}.")
    settings = {check_column(names, key, argument): given[key] for key in given.keys()}
    if len(settings) < len(given):
        raise ValueError(f"{argument} sets a column twice; set each once.")
    return settings


def check_weights(data: pd.DataFrame, weights: Any) -> FloatArray | None:
    """Weights of the rows as floats; None if each row stands for one record."""
    if weights is None:
        return None
    if isinstance(weights, pd.Series) and not weights.index.equals(data.index):
        raise ValueError(
            "weights is a Series whose index differs from that of data; give it the index of"
            " data, or pass weights.to_numpy() to go by position."
        )
    numbers = check_numbers(weights, "weights")
    if numbers.shape != (len(data),):
        raise ValueError(
            f"weights must hold one number for each of the {len(data)} rows; got"
            f" {len(numbers)}."
        )
    if numbers.min() <= 0 or not math.isfinite(numbers.sum()):
        raise ValueError(
            "weights must be positive, and their sum finite; drop rows with weight 0."
        )
    return numbers


# Numbers and choices


def check_number(
    given: Any, argument: str, within: str, meaning: str = "", *, whole: bool = False
) -> Any:
    """Return a number that lies in an interval, such as "(0, 1]".

    Examples
    --------
    >>> check_number(1.5, "epsilon", "(0, inf)")
    1.5
    >>> check_number(0, "k", "[1, inf)", "records", whole=True)
    Traceback (most recent call last):
    ValueError: k must be a whole number in [1, inf), records; got 0.
    """
    kind = "a whole number" if whole else "a number"
    rule = f"{argument} must be {kind} in {within}{meaning and f', {meaning}'}"
    if not isinstance(given, Integral if whole else Real) or isinstance(given, bool):
        raise TypeError(f"{rule}; got {given!r:.80}.")
    number: Any = given
    low, high = (float(end) for end in within[1:-1].split(","))
    above = number > low or (number == low and within[0] == "[")
    below = number < high or (number == high and within[-1] == "]")
    if not (above and below):
        raise ValueError(f"{rule}; got {given!r:.80}.")
    return int(number) if whole else float(number)


def check_numbers(
    values: Any, argument: str, *, least: int = 1, exact: bool = False
) -> FloatArray:
    """Return finite numbers as a one-dimensional array of at least `least` entries."""
    try:
        given = np.asarray(values)
        numbers = given.astype(float)
    except (TypeError, ValueError):
        raise TypeError(
            f"{argument} must be a list of numbers; got {type(values).__name__}."
        ) from None
    if numbers.ndim != 1 or numbers.size < least:
        rule = f"{argument} must be a list of numbers{', at least one' * least}"
        raise ValueError(f"{rule}; got shape {numbers.shape}.")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{argument} must be finite; drop or fill missing ones first.")
    if exact and given.dtype.kind in "iuO" and (np.abs(numbers) > 2**53).any():
        raise ValueError(f"{argument} must lie within 2**53 of 0, where no digit is lost.")
    return numbers


def check_choice(choice: Any, argument: str, allowed: Collection[str]) -> str:
    """Return one of the allowed words."""
    if not isinstance(choice, str) or choice not in allowed:
        raise ValueError(f"{argument} must be one of {listed(allowed)}; got {choice!r:.80}.")
    return choice


def check_generator(rng: object, why: str) -> np.random.Generator:
    """Return the random generator, which the caller must pass."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a numpy.random.Generator {why}, such as"
            f" numpy.random.default_rng(1); got {type(rng).__name__}."
        )
    return rng


# Values


def as_objects(values: Collection[Any]) -> pd.Index:
    """Values as Python objects, so that no whole number is rounded; missing ones are NaN."""
    cells = np.fromiter(values, dtype=object, count=len(values))
    cells[pd.isna(cells)] = np.nan
    return pd.Index(cells, dtype=object, tupleize_cols=False)


SIGNS: dict[int, int | str] = {
    **dict.fromkeys([0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0], ""),
    **dict.fromkeys([*range(0x180B, 0x1810), *range(0xFE00, 0xFE10)], ""),
    **dict.fromkeys(range(0xE0000, 0xE1000), ""),
    **str.maketrans("\u2800\u2212‘’‚‛ʼ´`“”„‟«»", " -" + 7 * "'" + 6 * '"'),
}
"""Replacements for invisible characters (default ignorable in Unicode) and odd quotes."""


def folded(cell: Any) -> Any:
    """Text of a cell regardless of case, extra blanks, invisible signs and Unicode form.

    Examples
    --------
    >>> folded(" HIV\u200b") == folded("hiv"), folded("Jose\u0301") == folded("JOSÉ")
    (True, True)
    """
    if isinstance(cell, tuple):
        return tuple(map(folded, cell))
    text = "" if pd.isna(cell) else str(cell)
    kinds = [(sign, unicodedata.category(sign)) for sign in text.translate(SIGNS)]
    text = "".join(
        "-" if kind == "Pd" else sign
        for sign, kind in kinds
        if kind not in ("Cf", "Cc") or sign.isspace()
    )
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


def check_spellings(values: Iterable[Any], what: str) -> None:
    """Refuse values that differ only in case, blanks or Unicode form."""
    texts = [folded(value) for value in values]
    if len({*texts}) < len(texts):
        raise ValueError(
            f"{what} holds {len(texts)} values, of which only {len({*texts})} differ in more"
            f" than case, blanks or Unicode form; write equal ones alike."
        )
