"""Codes: the cells of a column as whole numbers, rows as one number each, groups of rows.

Every metric counts records that are equal in some columns. `encode` numbers the values of a
column, `combine` gives each row one number, `sorted_with_place` brings equal rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ._typing import AnyArray, IntArray, column_of_arrow

SCALES = frozenset(
    ["integer", "floating", "mixed-integer-float", "decimal", "date", "datetime"]
    + ["datetime64", "timedelta", "timedelta64", "period"]
)
"""Kinds of values, in pandas' words, that are numbers or dates."""

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
        Values that occur, including a missing one.

    Examples
    --------
    >>> codes, values = encode(pd.Series(["flu", None, "flu"]))
    >>> codes.tolist(), len(values)
    ([0, 1, 0], 2)
    """
    held: Any = getattr(column.dtype, "categories", column).dtype
    if isinstance(held, pd.ArrowDtype):  # where NaN is not NULL, and -0.0 is not 0.0
        cells: Any = column.astype(held).array
        column = pd.Series(column_of_arrow(cells.__arrow_array__()), name=column.name)
    kind: Any = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        codes, seen = without_gaps(column.array.codes.astype(np.int64) + 1)  # 0 for missing
        return codes, pd.CategoricalIndex(pd.Categorical.from_codes(seen - 1, dtype=kind))
    if isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow":
        # Arrow numbers text in half the time of pandas.
        cells = column.array
        cells = cells.__arrow_array__().dictionary_encode("encode").combine_chunks()
        return cells.indices.to_numpy(), pd.Index(pd.array(cells.dictionary, dtype=kind))
    try:
        column = column.astype("float32") if kind == "float16" else column
        codes, values = pd.factorize(column, use_na_sentinel=False)
        different: Any = pd.Index(values, dtype=values.dtype, tupleize_cols=False)
        if different.dtype.kind in "cO" and any(isinstance(v, complex) for v in different):
            raise TypeError("complex numbers have no order")
    except (TypeError, NotImplementedError):
        raise TypeError(
            f"data: column {column.name!r} holds cells that cannot be compared, such as lists,"
            f" structs or complex numbers; turn them into text or numbers first."
        ) from None
    return codes, different


def without_gaps(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Renumber small whole numbers without gaps; also return the numbers that occur.

    Examples
    --------
    >>> without_gaps(np.array([3, 0, 3]))
    (array([1, 0, 1], dtype=int32), array([0, 3]))
    """
    occurs = np.bincount(numbers) > 0
    different = np.flatnonzero(occurs)
    if len(different) == len(occurs):
        return numbers, different
    return (np.cumsum(occurs, dtype=np.int32) - 1)[numbers], different


def combine(
    columns: Sequence[IntArray], sizes: Sequence[int], rows: int
) -> tuple[IntArray, int]:
    """Give each row one number, equal where the rows are equal.

    The columns are the digits of a number in mixed radix. Before the numbers would exceed 62
    bits, they are renumbered, which loses nothing: there are never more numbers than rows.

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
    """Sort keys below a bound, and return the position that each had before.

    Keys are sorted by digits of 16 bits, the lowest first (D. E. Knuth, *The Art of Computer
    Programming*, volume 3, section 5.2.5): numpy sorts such digits in linear time.

    Examples
    --------
    >>> sorted_with_place(np.array([5, 2, 5]), 6)
    (array([2, 5, 5]), array([1, 0, 2]))
    """
    place = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, int(bound).bit_length(), 16):
        digits = (keys >> shift).astype(np.uint16)
        place = place[np.argsort(digits[place], kind="stable")]
    return keys[place], place


def count(
    keys: IntArray, bound: int, weights: AnyArray | None = None
) -> tuple[IntArray, AnyArray]:
    """Distinct keys below a bound, in rising order, and the records or weight of each.

    If the bound is small enough, a table of all possible keys is filled; else keys are sorted.

    Examples
    --------
    >>> count(np.array([5, 2, 5]), 6)
    (array([2, 5]), array([1, 2]))
    """
    if bound <= 4 * len(keys):
        records = np.bincount(keys, weights)
        different = np.flatnonzero(records)
        return different, records[different]
    keys, place = sorted_with_place(keys, bound)
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    if weights is None:
        return keys[first], np.diff(first, append=len(keys))
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
    """Split groups by further columns, and leave out rows that are alone in their group.

    Such a row stays alone in every further split. A metric that knows its answer for these
    rows can skip them. Columns are taken together up to 32 bits, so that such rows leave soon.

    Examples
    --------
    >>> split(everyone(3), [np.array([0, 1, 0])], [2])
    Groups(rows=array([0, 2]), ids=array([0, 0], dtype=int32), n_groups=1)
    """
    rows, ids, count = groups
    waiting = list(zip(columns, sizes, strict=True))
    while waiting and len(ids):
        keys, bound = ids, count
        while waiting and (keys is ids or bound * waiting[0][1] <= 1 << 32):
            codes, size = waiting.pop(0)
            keys = keys * np.int64(size)
            keys += codes if rows is None else codes[rows]
            bound *= size
        shared, ids, count = _shared(keys, bound)
        rows = shared if rows is None else rows[shared]
    return Groups(rows, ids, count)


def _shared(keys: IntArray, bound: int) -> tuple[IntArray, IntArray, int]:
    """Rows that share their key with other rows, the code of each key, and how many keys."""
    if bound <= 4 * len(keys):
        twice = np.bincount(keys) > 1
        number = np.cumsum(twice, dtype=np.int32)  # several times faster than with 64 bits
        shared = np.flatnonzero(twice[keys])
        return shared, number[keys[shared]] - 1, int(number[-1])
    keys, place = sorted_with_place(keys, bound)
    new = np.ones(len(keys) + 1, bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:-1])
    shared = np.flatnonzero(~(new[:-1] & new[1:]))
    first = new[shared]
    return place[shared], np.cumsum(first, dtype=np.int32) - 1, int(first.sum())


def kind_of(values: pd.Index) -> str:
    """Kind of some values in pandas' words, also for categories.

    Examples
    --------
    >>> kind_of(pd.Index([1, None], dtype=object)), kind_of(pd.CategoricalIndex(["flu"]))
    ('integer', 'string')
    """
    cells = values.categories if isinstance(values, pd.CategoricalIndex) else values
    return str(pd.api.types.infer_dtype(cells, skipna=True))


def order_of(values: pd.Index) -> tuple[IntArray, bool]:
    """Order of values, a missing one last; and True if that order means something.

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
    except TypeError:  # such as text beside a number
        ranked = False
    return np.append(known, np.flatnonzero(missing)), ranked


def labels(data: pd.DataFrame, positions: Sequence[int], rows: IntArray) -> pd.Index:
    """Cells of the given columns and rows, as an index.

    Examples
    --------
    >>> labels(pd.DataFrame({"town": list("AB"), "sex": list("ff")}), [0], np.array([1]))
    Index(['B'], dtype='str', name='town')
    """
    if not positions:
        return pd.Index(["everyone"] * len(rows))
    columns = []
    for j in positions:
        codes, values = encode(data.iloc[rows, j])
        columns.append(values.take(codes).rename(data.columns[j]))
    return columns[0] if len(columns) == 1 else pd.MultiIndex.from_arrays(columns)
