"""Codes: the cells of a column as whole numbers, rows as one number each, groups of rows.

Every metric counts records that are equal in some columns. `encode` numbers the values of a
column, `combine` gives each row one number, `sorted_with_place` brings equal rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ._typing import AnyArray, IntArray

SCALES = frozenset(
    ["integer", "floating", "mixed-integer-float", "decimal", "date", "datetime"]
    + ["datetime64", "timedelta", "timedelta64", "period"]
)
"""Kinds of values, as pandas calls them, that are numbers or dates."""

RANKED = SCALES | {"boolean", "empty", "time", "interval"}
"""Kinds of values whose order means something."""


def encode(column: pd.Series) -> tuple[IntArray, pd.Index]:
    """Number the values of a column.

    Cells are equal if pandas' `factorize` says so; all missing cells are one value.

    Returns
    -------
    codes : array of shape (n_records,)
        ``values[codes[i]]`` is cell `i`.
    values : Index of shape (n_values,)
        Values that occur, a missing one among them.

    Examples
    --------
    >>> codes, values = encode(pd.Series(["flu", None, "flu"]))
    >>> codes.tolist(), len(values)
    ([0, 1, 0], 2)
    """
    kind: Any = column.dtype
    if isinstance(kind, pd.CategoricalDtype) and not isinstance(
        kind.categories.dtype, pd.ArrowDtype
    ):
        codes, seen = pd.factorize(column.array.codes)
        return codes, pd.CategoricalIndex(pd.Categorical.from_codes(seen, dtype=kind))
    if isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow":
        # Arrow numbers text in half of the time that pandas takes.
        cells: Any = column.array
        cells = cells.__arrow_array__().dictionary_encode("encode").combine_chunks()
        return cells.indices.to_numpy(), pd.Index(pd.array(cells.dictionary, dtype=kind))
    try:
        codes, values = pd.factorize(_as_pandas(column), use_na_sentinel=False)
        found: Any = pd.Index(values, dtype=values.dtype, tupleize_cols=False)
        comparable = found.dtype.kind != "c" and not (
            found.dtype == object
            and pd.api.types.infer_dtype(found) != "string"
            and any(isinstance(value, complex) for value in found)
        )
    except (TypeError, NotImplementedError):
        comparable = False
    if not comparable:
        raise TypeError(
            f"data: column {column.name!r} holds cells that cannot be compared, such as lists,"
            f" structs or complex numbers; turn them into text or numbers first."
        )
    return codes, found


def _as_pandas(column: pd.Series) -> pd.Series:
    """Cells as an index can hold them; of Arrow NaN and NULL are one, as are 0.0 and -0.0."""
    kind: Any = column.dtype
    if isinstance(kind, pd.CategoricalDtype) and isinstance(
        kind.categories.dtype, pd.ArrowDtype
    ):
        column = pd.Series(column.astype(kind.categories.dtype))
        kind = column.dtype
    if isinstance(kind, pd.ArrowDtype):
        cells: Any = column.array
        cells = cells.__arrow_array__()
        if hasattr(cells.type, "value_type"):  # a dictionary; a list is refused later
            cells = cells.cast(cells.type.value_type)
        column = pd.Series(cells.to_pandas(integer_object_nulls=True))
    return column.astype("float32") if column.dtype == "float16" else column


def combine(
    columns: Sequence[IntArray], sizes: Sequence[int], rows: int
) -> tuple[IntArray, int]:
    """Give each row one number, equal where the rows are equal.

    The columns are the digits of a number in mixed radix. If it no longer fits 62 bits, it is
    renumbered first, which loses nothing: there are never more numbers than rows.

    Returns
    -------
    keys : array of shape (n_records,)
    bound : int
        Every key is below it.

    Examples
    --------
    >>> combine([np.array([0, 1, 0]), np.array([2, 0, 2])], [2, 3], 3)
    (array([2, 3, 2]), 6)
    """
    keys, bound = np.zeros(rows, np.int64), 1
    for codes, size in zip(columns, sizes, strict=True):
        if bound * size >= 1 << 62:
            keys, seen = pd.factorize(keys)
            bound = len(seen)
        keys = keys * np.int64(size) + codes
        bound *= size
    return keys, bound


def sorted_with_place(keys: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """Sort keys below a bound, and say where each was.

    A key and its place are packed into one word if they fit: to sort words is several times
    faster than `argsort`.

    Examples
    --------
    >>> sorted_with_place(np.array([5, 2, 5]), 6)
    (array([2, 5, 5]), array([1, 0, 2]))
    """
    bits = int(len(keys) - 1).bit_length()
    if bound << bits > 1 << 63:
        place = np.argsort(keys, kind="stable")
        return keys[place], place
    words = keys.astype(np.int64) << bits
    words |= np.arange(len(keys))
    words.sort()
    return words >> bits, words & ((1 << bits) - 1)


def starts(numbers: IntArray) -> IntArray:
    """Where each run of equal numbers begins.

    Examples
    --------
    >>> starts(np.array([2, 5, 5]))
    array([0, 1])
    """
    new = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return np.flatnonzero(new)


def count(
    keys: IntArray, bound: int, weights: AnyArray | None = None
) -> tuple[IntArray, AnyArray]:
    """Different keys below a bound, rising, and the records, or weight, of each.

    A table of all keys is filled if it is not much longer than the keys; else they are sorted.

    Examples
    --------
    >>> count(np.array([5, 2, 5]), 6)
    (array([2, 5]), array([1, 2]))
    """
    if bound <= 4 * len(keys) and (weights is None or weights.dtype.kind == "f"):
        records = np.bincount(keys, weights)
        different = np.flatnonzero(records)
        return different, records[different]
    if weights is None:
        narrow = np.int32 if bound < 1 << 31 else np.int64  # sorted in half of the time
        keys = np.sort(keys.astype(narrow)).astype(np.int64)
        first = starts(keys)
        return keys[first], np.diff(first, append=len(keys))
    keys, place = sorted_with_place(keys, bound)
    first = starts(keys)
    return keys[first], np.add.reduceat(weights[place], first)


class Groups(NamedTuple):
    """Rows in groups 0, 1, …, n_groups - 1."""

    rows: IntArray | None
    """Positions in the table; None for all rows."""
    ids: IntArray
    """Group of each row."""
    n_groups: int


def everyone(rows: int) -> Groups:
    """All rows in one group."""
    return Groups(None, np.zeros(rows, np.int64), 1)


def split(groups: Groups, columns: Sequence[IntArray], sizes: Sequence[int]) -> Groups:
    """Split groups by further columns, and leave out rows that are alone.

    A row that is alone stays alone however far its group is split, so that a metric which
    knows what to say of such rows is spared the work on them.

    Examples
    --------
    >>> split(everyone(3), [np.array([0, 1, 0])], [2])
    Groups(rows=array([0, 2]), ids=array([0, 0]), n_groups=1)
    """
    rows, ids, count = groups
    waiting = list(zip(columns, sizes, strict=True))
    while waiting and len(ids):
        room = 1 << (63 - int(len(ids) - 1).bit_length())
        keys, bound = ids, count
        while waiting and (keys is ids or bound * waiting[0][1] <= room):
            codes, size = waiting.pop(0)
            keys = keys * np.int64(size) + (codes if rows is None else codes[rows])
            bound *= size
        keys, place = sorted_with_place(keys, bound)
        new = np.ones(len(keys) + 1, bool)
        np.not_equal(keys[1:], keys[:-1], out=new[1:-1])
        shared = np.flatnonzero(~(new[:-1] & new[1:]))
        ids = np.cumsum(new[shared]) - 1
        count = int(ids[-1]) + 1 if len(ids) else 0
        rows = place[shared] if rows is None else rows[place[shared]]
    return Groups(rows, ids, count)


def kind_of(values: pd.Index) -> str:
    """What pandas calls the kind of values, be they categories or not.

    Examples
    --------
    >>> kind_of(pd.Index([1, None], dtype=object)), kind_of(pd.CategoricalIndex(["flu"]))
    ('integer', 'string')
    """
    cells = values.categories if isinstance(values, pd.CategoricalIndex) else values
    return str(pd.api.types.infer_dtype(cells, skipna=True))


def order_of(values: pd.Index) -> tuple[IntArray, bool]:
    """Sort values, a missing one last; True if their order means something.

    Categories are in their own order, unless they are unordered numbers or dates.

    Examples
    --------
    >>> order_of(pd.Index([3, None, 1], dtype=object))
    (array([2, 0, 1]), True)
    """
    missing = np.asarray(values.isna())
    known = np.flatnonzero(~missing)
    ranked = kind_of(values) in RANKED
    cells = values
    if isinstance(values, pd.CategoricalIndex):
        if ranked and not values.ordered:
            cells = values.astype(object)
        ranked |= bool(values.ordered)
    try:
        known = known[np.asarray(cells[known].argsort())]
    except TypeError:  # such as a text beside a number
        ranked = False
    return np.append(known, np.flatnonzero(missing)), ranked


def labels(data: pd.DataFrame, positions: Sequence[int], rows: IntArray) -> pd.Index:
    """Cells of some columns in some rows, as an index.

    Examples
    --------
    >>> labels(pd.DataFrame({"town": list("AB"), "sex": list("ff")}), [0], np.array([1]))
    Index(['B'], dtype='str', name='town')
    """
    if not positions:
        return pd.Index(["everyone"] * len(rows))
    columns: list[pd.Index] = []
    for j in positions:
        cells = _as_pandas(data.iloc[:, j]).iloc[rows]
        columns.append(pd.Index(cells, dtype=cells.dtype, tupleize_cols=False))
    names = [data.columns[j] for j in positions]
    if len(columns) == 1:
        return columns[0].rename(names[0])
    return pd.MultiIndex.from_arrays(columns, names=names)
