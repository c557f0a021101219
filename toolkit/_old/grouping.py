"""Groups of equal rows: encoded columns and partition refinement.

Every metric counts records that cannot be told apart. This module does that counting on whole
numbers: `encode` replaces the cells of each column by small codes, and `refine` splits groups
of rows by further columns, with a counting table or one sort.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .typing import NULLABLE

FIRST_LOOK = 16
"""Rows for each number, and 64 more numbers, that are looked at first: of equal shares all
but 1e-7 are met."""


FEW_NUMBERS = 16
"""Numbers, not found there, that are looked for one by one."""


ENTRIES_PER_ROW = 2
"""A counting table pays up to this many entries per row; beyond it, one sort is faster."""


MOST_ENTRIES = 1 << 20
"""Entries of a table whose empty places cost nothing, for any number of rows."""


GOLDEN = np.int64(-7046029254386353131)
"""2**64 over the golden ratio, as an odd number that wraps around."""


KEYS_AT_ONCE = 1 << 18
"""Keys in a block where each costs more while it is an index."""


NO_INDEX = {"float16": "float32", "halffloat[pyarrow]": "float32", "float128": "object"}
"""Floats of which pandas makes no index, and what it makes one of."""


def row_labels(data: pd.DataFrame, positions: Sequence[int], rows: IntArray) -> pd.Index:
    """Return the values of some columns on some rows, as an index."""
    if not positions:
        return pd.Index(["everyone"] * len(rows))
    cells = data.iloc[rows, list(positions)]
    for j, dtype in enumerate(cells.dtypes):
        if dtype.kind == "f":
            cells.isetitem(j, _plain_floats(cells.iloc[:, j]))
    if len(positions) == 1:
        labels: pd.Index = pd.Index(cells.iloc[:, 0], name=data.columns[positions[0]])
        return labels
    return pd.MultiIndex.from_frame(cells, names=list(data.columns[list(positions)]))


def class_ids(data: pd.DataFrame, positions: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Class of each row, in order of first appearance, and the first row of each class."""
    return numbered(encode(data, positions))


def numbered(table: Encoded, rows: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """Number equal rows, all or some, in order of first appearance; where each begins."""
    together = Groups(rows, np.zeros(table.rows if rows is None else len(rows), np.int32), 1)
    found = refine(together, table, range(len(table.codes)), keep_single=True, in_order=True)
    return found.ids, found.first


def numbered_runs(table: Encoded, rows: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """Return what `numbered` does, of rows that are sorted: equal ones follow each other."""
    size = table.rows if rows is None else len(rows)
    new = np.zeros(size, bool)
    new[:1] = True
    for column in table.codes:
        cells = column if rows is None else column[rows]
        new[1:] |= cells[1:] != cells[:-1]
    return np.cumsum(new, dtype=np.int32) - np.int32(1), np.flatnonzero(new)


@dataclass(frozen=True, eq=False, repr=False)
class Categories:
    """Categories that occur in a column; the index of them is made when it is asked for."""

    dtype: pd.CategoricalDtype
    seen: IntArray
    """Number of each that occurs, plus 1 if cells are missing: that is 0 then."""
    missing: int
    """1 if cells are missing, else 0."""

    def __len__(self) -> int:
        """Different values, a missing one among them."""
        return len(self.seen)

    @cached_property
    def index(self) -> pd.CategoricalIndex:
        """The values, a missing one first."""
        codes = self.seen - self.missing
        return pd.CategoricalIndex(
            pd.Categorical.from_codes(codes, dtype=self.dtype, validate=False)
        )

    def __repr__(self) -> str:
        """Show the values."""
        return repr(self.index)

    @property
    def lacks(self) -> BoolArray:
        """Mark the missing value."""
        return np.arange(len(self.seen)) < self.missing


@dataclass(frozen=True)
class Encoded:
    """Columns as whole numbers: `values[j][codes[j][i]]` is the cell in row i, column j.

    Codes are held in as few bytes as they need, for the kernel is memory-bound.
    """

    codes: list[IntArray]
    held: Sequence[pd.Index | Categories]
    """The values of each column, perhaps as categories of which no index is made yet."""
    rows: int

    @cached_property
    def values(self) -> list[pd.Index]:
        """The values of each column, as an index."""
        return [one.index if isinstance(one, Categories) else one for one in self.held]

    def lacking(self) -> BoolArray:
        """Mark rows that lack a cell in any column."""
        found = np.zeros(self.rows, bool)
        for codes, held in zip(self.codes, self.held, strict=True):
            lacks = held.lacks if isinstance(held, Categories) else np.asarray(held.isna())
            if lacks.any():
                found |= lacks[codes]
        return found


def encode(data: pd.DataFrame, positions: Sequence[int] | None = None) -> Encoded:
    """Replace the cells of the columns at `positions` by codes 0, 1, …, one per value."""
    positions = range(data.shape[1]) if positions is None else positions
    if 2 * len(positions) > data.shape[1]:  # in passing a column costs half of what iloc asks
        every = [column for _, column in data.items()]
        columns = [every[j] for j in positions]
    else:
        columns = [data.iloc[:, j] for j in positions]
    pairs = [encode_column(column) for column in columns]
    return Encoded([codes for codes, _ in pairs], [held for _, held in pairs], len(data))


def encode_column(column: pd.Series) -> tuple[IntArray, pd.Index | Categories]:
    """Codes of one column and the value behind each; missing cells are one more value."""
    kind: Any = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        if isinstance(kind.categories.dtype, pd.ArrowDtype):
            column = _with_plain_categories(column)
            kind = column.dtype
        stored: IntArray = column.array.codes
        missing = int(stored.min() < 0)  # stored as -1
        codes, seen = close_gaps(stored + stored.dtype.type(1) if missing else stored)
        return codes, Categories(kind, seen, missing)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        numbers = column.to_numpy()
        pair = encode_whole([numbers], int(numbers.min()), int(numbers.max()))
        if pair is not None:
            return pair
    codes, uniques = factorised(column)
    return codes.astype(np.min_scalar_type(len(uniques) - 1)), uniques


def _with_plain_categories(column: Any) -> Any:
    """Categories as pandas holds them in place of those of Arrow."""
    categories = column.dtype.categories
    codes, values = factorised(pd.Series(categories, name=column.name))
    known = np.asarray(values.notna())
    place = np.where(known, np.cumsum(known) - 1, -1)[codes]
    cells = np.append(place, -1)[column.array.codes]  # code -1 reads the last entry
    new = pd.Categorical.from_codes(cells, values[known], ordered=column.dtype.ordered)
    return pd.Series(new, column.index, name=column.name)


def encode_whole(
    chunks: Sequence[IntArray], low: int, high: int
) -> tuple[IntArray, pd.Index] | None:
    """Codes of whole numbers from `low` to `high`, if these are close together."""
    size, dtype = sum(chunk.size for chunk in chunks), chunks[0].dtype
    if high - low >= ENTRIES_PER_ROW * size:
        return None
    above = np.empty(size, np.min_scalar_type(high - low))
    start = 0
    for chunk in chunks:
        stop = start + chunk.size
        # What overflows here is right again in the type of the difference.
        np.subtract(chunk, dtype.type(low), out=above[start:stop], casting="unsafe")
        start = stop
    codes, seen = close_gaps(above)
    # A range that ends at 2**63 overflows in pandas.
    if seen.size > high - low and dtype.kind == "i" and high < 2**63 - 1:
        return codes, pd.RangeIndex(low, high + 1)
    kept = dtype if dtype.kind == "u" else np.dtype(np.int64)
    return codes, pd.Index(seen.astype(kept) + kept.type(low))


def factorised(column: pd.Series) -> tuple[IntArray, pd.Index]:
    """Code of each cell, and the values, of whatever kind they are.

    Cells are equal if Python says so, whatever type holds them: 1, 1.0 and True are one value,
    as are 0.0 and -0.0, and all missing cells are. Of equal cells that are written in several
    ways the one that is kept does not depend on the order of rows.
    """
    if isinstance(column.dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column), column.index, name=column.name)
    objects = column.dtype == object
    try:
        if isinstance(column.dtype, pd.ArrowDtype):
            return _factorised_arrow(column)
        if isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "pyarrow":
            # As pandas codes text, without wider copies of the codes.
            cells = column.array.__arrow_array__()
            cells = cells.dictionary_encode(null_encoding="encode").combine_chunks()
            texts = pd.array(cells.dictionary, dtype=column.dtype)
            return cells.indices.to_numpy(), pd.Index(texts)
        cells = column.to_numpy() if objects else column
        # Where all cells are text, none is missing, and pandas need not look for such ones.
        text = objects and pd.api.types.infer_dtype(cells, skipna=False) == "string"
        codes, uniques = pd.factorize(cells, use_na_sentinel=text)
    except (TypeError, NotImplementedError, ArithmeticError, ValueError) as error:
        raise TypeError(
            f"data: column {column.name!r} holds cells that cannot be compared"
            f" ({_first_line(error)}); turn them into text or numbers first."
        ) from None
    kept = _written_alike(cells, codes, uniques) if objects and not text else uniques
    values: Any = _plain_floats(index_of(kept) if objects else kept)
    if np.count_nonzero(values.isna()) > 1:
        return _without_copies(codes, values)
    return codes, values


def _plain_floats(values: Any) -> Any:
    """Values of which an index can be made, -0.0 as the 0.0 that it equals."""
    if values.dtype.kind != "f":
        return values
    kind = NO_INDEX.get(str(values.dtype), values.dtype)
    if kind == "object" and np.array_equal(values, values.astype(float), equal_nan=True):
        kind = float  # older pandas has no MultiIndex of long doubles
    return values.astype(kind) + 0.0


def _first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def index_of(values: Any) -> Any:
    """Values as an index, of a type of its own if pandas has one for them."""
    try:
        return pd.Index(values, tupleize_cols=False)
    except (UnicodeEncodeError, NotImplementedError, OverflowError):  # odd text or numbers
        return pd.Index(values, dtype=object, tupleize_cols=False)


def as_objects(cells: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Cells as an array of Python objects, tuples among them."""
    found = np.empty(len(cells), object)
    found[:] = cells
    return found


def _without_copies(codes: IntArray, values: pd.Index) -> tuple[IntArray, pd.Index]:
    """Make one value of several that are missing: a complex number may lack either part."""
    missing = np.asarray(values.isna())
    first = int(missing.argmax())
    kept = ~missing
    kept[first] = True
    new = np.cumsum(kept) - 1
    new[missing] = new[first]
    return new[codes], values[kept]


WRITTEN_ALIKE = frozenset(
    ["string", "bytes", "boolean", "integer", "floating", "empty", "timedelta", "period"]
    + ["date", "datetime", "datetime64", "time"]
)
"""Kinds of cells, as pandas calls them, of which equal ones are written alike."""


def _written_alike(cells: Any, codes: IntArray, uniques: Any) -> Any:
    """Of equal cells, such as 1, 1.0 and True, keep one that does not depend on the rows."""
    known = np.flatnonzero(~pd.isna(cells))
    cells, codes = cells[known], codes[known]
    if (kind := pd.api.types.infer_dtype(cells)) in WRITTEN_ALIKE:
        return uniques + 0.0 if kind == "floating" else uniques
    names = [f"{type(cell).__name__} {written(cell)}" for cell in cells]
    order = np.argsort(np.array(names, object), kind="stable")[::-1]
    uniques[codes[order]] = cells[order]  # the last write wins
    return uniques


def written(cell: Any) -> str:
    """How a cell is written, in full: nothing of a long list is left out, and no digit."""
    try:
        return _parts_written(cell)
    except Exception:  # what cannot even be written is one value
        return "(no text)"


def _parts_written(cell: Any) -> str:
    if isinstance(cell, (str, np.generic)):
        return str(cell)
    if isinstance(cell, Mapping):
        pairs = (f"{_quoted(key)}: {_quoted(value)}" for key, value in cell.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(cell, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_quoted, cell)))}}}"
    if isinstance(cell, pd.DataFrame):
        return _parts_written({"columns": cell.columns, "cells": cell.to_numpy()})
    if isinstance(cell, tuple):
        return f"({', '.join(map(_quoted, cell))})"
    # Arrays of NumPy, pandas and Arrow, and Series of Polars, are abbreviated as text.
    listed = getattr(cell, "tolist", None) or getattr(cell, "to_list", None)
    parts = listed() if callable(listed) else cell
    return f"[{', '.join(map(_quoted, parts))}]" if isinstance(parts, list) else str(cell)


def _quoted(cell: Any) -> str:
    """A cell within another, where a text has quotes: a comma may be a part of it."""
    return repr(cell) if isinstance(cell, str) else _parts_written(cell)


def _factorised_arrow(column: pd.Series) -> tuple[IntArray, pd.Index]:
    """Codes of cells that Arrow holds; its values become those that pandas would hold."""
    import pyarrow as pa

    cells = _plain_arrow(pa.chunked_array(pa.array(column.array))).dictionary_encode()
    cells = cells.combine_chunks()
    values, places = cells.dictionary, cells.indices.cast(pa.int64())
    if places.null_count:
        places = places.fill_null(len(values))
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    # Arrow parts 0.0 from -0.0 and NaN from NULL, which are one value each.
    codes, uniques = pd.factorize(_pandas_of(values), use_na_sentinel=False)
    return codes[places.to_numpy()], _plain_floats(index_of(uniques))


def _plain_arrow(cells: Any) -> Any:
    """Cells of a kind that Arrow can compare and pandas can hold."""
    import pyarrow as pa

    kind = cells.type
    if isinstance(kind, pa.BaseExtensionType):
        stored = [chunk.storage for chunk in cells.chunks]
        return _plain_arrow(pa.chunked_array(stored, kind.storage_type))
    if pa.types.is_dictionary(kind):
        return _plain_arrow(cells.cast(kind.value_type))
    if pa.types.is_nested(kind):
        raise TypeError(f"{kind}")
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return cells.cast(pa.decimal128(kind.precision, kind.scale))
    plain = {
        "halffloat": pa.float32(),
        "string_view": pa.large_string(),
        "binary_view": pa.large_binary(),
    }
    return cells.cast(plain[str(kind)]) if str(kind) in plain else cells


def _pandas_of(values: Any) -> Any:
    """Values of Arrow as pandas holds them: days as dates, nothing rounded."""
    import pyarrow as pa

    if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
        return values.to_pandas(types_mapper=NULLABLE.get if values.null_count else None)
    try:
        return values.to_pandas()
    except (pa.ArrowInvalid, ValueError):  # a time of nanoseconds, a day after the year 9999
        if pa.types.is_time(values.type):
            return values.cast(pa.string()).to_pandas()
        return values.to_pandas(date_as_object=False)


def close_gaps(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Renumber whole numbers from 0 without gaps; also the old number of each new one."""
    size = int(numbers.max()) + 1
    # The first rows mostly hold nearly all numbers; a few others are looked for one by one.
    first = numbers[: FIRST_LOOK * (size + 64)]
    used = np.bincount(first, minlength=size) > 0
    if first.size < numbers.size and not used.all():
        others = np.flatnonzero(~used)
        if others.size <= FEW_NUMBERS:
            used[others] = [(numbers == number).any() for number in others.tolist()]
        else:
            used = np.bincount(numbers, minlength=size) > 0
    if used.all():
        return numbers.astype(np.min_scalar_type(size - 1), copy=False), np.arange(size)
    seen = np.flatnonzero(used)
    new = (np.cumsum(used) - 1).astype(np.min_scalar_type(seen.size - 1))
    return new[numbers], seen


@dataclass(frozen=True)
class Groups:
    """Some rows of a table, each with the number of its group.

    `rows` are positions (None: all rows in order), `ids` the group 0 … count - 1 of each.
    """

    rows: IntArray | None
    ids: IntArray
    count: int
    first: Any = None
    """Where in `ids` each group begins, if groups are numbered in the order of that."""

    def by_first_row(self) -> Groups:
        """Number groups in order of first appearance."""
        size = self.ids.size
        first = np.empty(self.count, np.int32)
        first[self.ids[::-1].copy()] = np.arange(size - 1, -1, -1, dtype=np.int32)  # last wins
        starts = np.zeros(size, bool)
        starts[first] = True
        begins = np.flatnonzero(starts)
        new = np.empty(self.count, np.int32)
        new[self.ids[begins]] = np.arange(self.count, dtype=np.int32)
        return replace(self, ids=new.take(self.ids), first=begins)

    @property
    def rows_or_all(self) -> IntArray | slice:
        """The rows as an index into a column."""
        return slice(None) if self.rows is None else self.rows

    def of(self, column: AnyArray) -> AnyArray:
        """Return the entries of a column that belong to these rows."""
        return column if self.rows is None else column[self.rows]


def totals(ids: IntArray, weight: AnyArray | None, count: int) -> FloatArray:
    """Sum the weights of each group."""
    sums: AnyArray = np.bincount(ids, weight, count)
    return sums.astype(float, copy=False)


def everyone(count: int, rows: IntArray | None = None) -> Groups:
    """All rows, or as many that are named, in one group."""
    return Groups(rows, np.broadcast_to(np.int32(0), count), 1)


def refine(
    groups: Groups,
    table: Encoded,
    columns: Sequence[int],
    *,
    keep_single: bool,
    in_order: bool = False,
) -> Groups:
    """Split groups by further columns; rows alone in their group may be left out.

    Groups are numbered `in_order` of first appearance if that is asked.

    A row that is alone stays alone however far the groups are split, so a metric that knows
    what to say of such rows is spared their further cost.
    """
    sizes = [len(held) for held in table.held]
    rest = sorted(columns, key=lambda j: -sizes[j])
    while rest and groups.ids.size:
        n, radix = groups.ids.size, groups.count * math.prod(sizes[j] for j in rest)
        at_once = in_order and radix <= 1 << 64  # wrapped around, keys still differ
        take, radix = (rest, radix) if at_once else _fitting(rest, sizes, groups)
        counted = not at_once and is_counted(radix, n)
        kind = np.int32 if (counted or at_once) and radix < 2**31 else np.int64
        rows: Any = slice(None) if groups.rows is None else groups.rows
        key, more = groups.ids, list(take)
        if groups.count == 1:  # of one group the number is 0
            key = table.codes[more.pop(0)][rows]
        key = key.astype(kind)
        for j in more:
            key *= sizes[j]
            key += table.codes[j][rows]
        if at_once:
            return group_by_first_row(groups.rows, key, radix)
        group = _group_by_counting if counted else _group_by_sorting
        groups = group(groups.rows, key, radix, keep_single)
        rest = [j for j in rest if j not in take]
    return groups.by_first_row() if in_order else groups


def _fitting(
    columns: Sequence[int], sizes: Sequence[int], groups: Groups
) -> tuple[list[int], int]:
    """Pick the columns whose combined codes, with the row, fit the word that is sorted."""
    room = 1 << (63 - (groups.ids.size - 1).bit_length())
    take, radix = [], groups.count
    for j in columns:
        if radix * sizes[j] <= room:
            take.append(j)
            radix *= sizes[j]
    # Below 2**31 rows a group number and one code fit 63 bits; the row does not, so argsort.
    return (take, radix) if take else ([columns[0]], groups.count * sizes[columns[0]])


def sorted_by_value(table: Encoded) -> tuple[Encoded, IntArray]:
    """Sort rows by their values, missing ones last; also the row that each was."""
    ranked = list(map(_ranked, table.codes, table.held))
    codes, held = [codes for codes, _ in ranked], [values for _, values in ranked]
    bits = [(len(values) - 1).bit_length() for values in held]
    if sum(bits) > 63:
        order = np.lexsort(codes[::-1])
        return Encoded([column.take(order) for column in codes], held, table.rows), order
    key = np.zeros(table.rows, np.int64)
    for column, width in zip(codes, bits, strict=True):
        key <<= width
        key |= column
    if (key[1:] >= key[:-1]).all():
        return Encoded(codes, held, table.rows), np.arange(table.rows)
    ordered, rows = sorted_with_rows(key, 1 << sum(bits))
    return Encoded(unpacked(ordered, bits), held, table.rows), rows


def unpacked(words: IntArray, bits: Sequence[int]) -> list[IntArray]:
    """Cells of each column, of which words have so many bits, the first the highest."""
    found = [np.empty(words.size, np.min_scalar_type((1 << width) - 1)) for width in bits]
    for start in range(0, words.size, KEYS_AT_ONCE):
        block = words[start : start + KEYS_AT_ONCE].copy()
        for column, width in zip(reversed(found), reversed(bits), strict=True):
            column[start : start + KEYS_AT_ONCE] = block & ((1 << width) - 1)
            block >>= width
    return found


def _ranked(
    codes: IntArray, held: pd.Index | Categories
) -> tuple[IntArray, pd.Index | Categories]:
    """Number values in their order, a missing one last."""
    if isinstance(held, Categories) and not held.missing:
        return codes, held
    values = held.index if isinstance(held, Categories) else held
    rank, _ = pd.factorize(values, sort=True)
    rank = np.where(rank < 0, len(values), rank)
    order = np.argsort(rank)
    if np.array_equal(order, np.arange(len(values))):
        return codes, held
    place = np.empty(len(values), codes.dtype)
    place[order] = np.arange(len(values))
    return place.take(codes), values[order]


RANKED = frozenset(
    ["integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"]
    + ["datetime", "datetime64", "date", "time", "timedelta", "timedelta64", "period"]
    + ["interval"]
)
"""Kinds of values, as pandas calls them, whose order means something if they have one."""


SCALES = RANKED - {"boolean", "empty", "time", "interval"}
"""Those that are numbers or dates."""


def kind_of(values: pd.Index) -> str:
    """What pandas calls the kind of values, be they categories or not."""
    cells = values.categories if isinstance(values, pd.CategoricalIndex) else values
    if isinstance(cells.dtype, pd.StringDtype):
        return "string"
    found: str = pd.api.types.infer_dtype(cells, skipna=True)
    return found


def in_order(values: Any) -> tuple[IntArray, bool]:
    """Order of values, a missing one last; and whether they have an order.

    Categories are in their order if they say that they have one, or if their values have none.
    """
    missing = np.asarray(values.isna())
    known, orderable = np.flatnonzero(~missing), True
    given = isinstance(values, pd.CategoricalIndex)
    ranked = given and not values.ordered and kind_of(values) in RANKED
    try:
        if ranked:
            known = known[np.asarray(values.categories.take(values.codes[known]).argsort())]
        elif not given:
            known = known[np.asarray(values[known].argsort())]
    except (TypeError, ArithmeticError):
        orderable = False
    return np.concatenate([known, np.flatnonzero(missing)]), orderable


def is_counted(radix: int, rows: int) -> bool:
    """Whether a counting table of so many entries is faster than a sort of so many rows."""
    return radix <= max(ENTRIES_PER_ROW * rows, min(8 * rows, 1 << 18), 1 << 12)


def count_keys(key: IntArray, radix: int) -> tuple[IntArray, IntArray]:
    """Different keys in [0, radix), rising, and how often each occurs; `key` may be sorted."""
    if radix <= ENTRIES_PER_ROW * key.size:
        table = np.bincount(key)
        cells = np.flatnonzero(table > 0)
        return cells, table[cells]
    key.sort()
    step = np.ones(key.size, bool)
    np.not_equal(key[1:], key[:-1], out=step[1:])
    new = np.flatnonzero(step)
    times = np.empty_like(new)  # less memory than by np.diff
    np.subtract(new[1:], new[:-1], out=times[:-1])
    times[-1:] = key.size - new[-1:]
    return key[new], times


def _group_by_counting(
    rows: IntArray | None, key: IntArray, radix: int, keep_single: bool
) -> Groups:
    sizes = np.bincount(key, minlength=radix)
    kept = sizes > (0 if keep_single else 1)
    if kept.all():  # of fewer than 2**31 rows, so that keys take four bytes
        return Groups(rows, key, radix)
    ids = np.cumsum(kept, dtype=np.int32)
    count = int(ids[-1])
    ids -= 1
    if keep_single or not (sizes == 1).any():
        return Groups(rows, ids[key], count)
    here = np.flatnonzero(kept[key]).astype(np.int32)
    return Groups(here if rows is None else rows[here], ids[key[here]], count)


def group_by_first_row(rows: IntArray | None, key: IntArray, radix: int) -> Groups:
    """Number equal keys in [0, radix) in order of first appearance.

    A direct-address table (T. H. Cormen and others, *Introduction to Algorithms*, section
    11.1) read and written in three passes. The first goes backwards and writes each row at
    the entry of its key, so that the first row of a key is what stays there: NumPy promises
    that the last of repeated writes counts. The second reads that first row for each key;
    where this is the row itself, a group begins, and these rows are numbered. The third
    replaces first rows by their numbers. Entries that no key has are never read, so that the
    table need not be filled. Blocks keep the wide integers, into which NumPy copies indices,
    in the processor's cache.

    Where a table of all keys would be too large, the entry is a hash of the key (section
    11.3.2, D. E. Knuth's multiplication by the golden ratio). Several keys may then share an
    entry, of which all but the first are told from it by the keys and sorted.
    """
    size, direct = key.size, radix <= max(ENTRIES_PER_ROW * key.size, MOST_ENTRIES)
    cuts = [(start, min(start + KEYS_AT_ONCE, size)) for start in range(0, size, KEYS_AT_ONCE)]
    place, entries = key, radix
    if not direct:
        bits = (2 * size).bit_length()
        place, entries = key * GOLDEN, 1 << bits
        place.view(np.uint64)[:] >>= np.uint64(64 - bits)
    entry = np.empty(entries, np.min_scalar_type(size))  # keys that do not occur need no value
    for start, stop in reversed(cuts):  # the last write, the first row, wins
        at = place[start:stop][::-1].astype(np.int64)  # an index of this kind is not copied
        entry[at] = np.arange(start, stop)[::-1]
    first = key if direct else np.empty(size, np.int32)
    for start, stop in cuts:
        first[start:stop] = entry.take(place[start:stop])
    if not direct and (others := np.flatnonzero(key.take(first) != key)).size:
        alike = _group_by_sorting(None, key[others].astype(np.int64), radix, True)
        alike = alike.by_first_row()
        first[others] = others[alike.first].take(alike.ids)
    parts = []
    for start, stop in cuts:
        order = np.arange(start, stop, dtype=np.int32)
        parts.append(np.flatnonzero(first[start:stop] == order) + start)
    begins = parts[0] if len(parts) == 1 else np.concatenate(parts)
    number = np.empty(size, np.int32)
    number[begins] = np.arange(begins.size, dtype=np.int32)
    for start, stop in cuts:
        first[start:stop] = number.take(first[start:stop])
    return Groups(rows, first, begins.size, begins)


def _group_by_sorting(
    rows: IntArray | None, key: IntArray, radix: int, keep_single: bool
) -> Groups:
    key, here = sorted_with_rows(key, radix)
    new = np.ones(key.size + 1, bool)  # the first of each run of equal keys, and the end
    np.not_equal(key[1:], key[:-1], out=new[1:-1])
    if not keep_single:
        shared = ~(new[:-1] & new[1:])
        ids = np.cumsum(new[:-1][shared], dtype=np.int32) - np.int32(1)
        here = here[shared]
        count = int(ids[-1]) + 1 if ids.size else 0
        return Groups(here if rows is None else rows[here], ids, count)
    ids = np.empty(key.size, np.int32)
    ids[here] = np.cumsum(new[:-1], dtype=np.int32) - np.int32(1)
    return Groups(rows, ids, int(ids[here[-1]]) + 1)


def sorted_with_rows(key: IntArray, radix: int) -> tuple[IntArray, IntArray]:
    """Sort keys and tell where each came from.

    Sorting the pair (key, row) packed into one integer is several times faster than argsort.
    """
    shift = (key.size - 1).bit_length()
    if (radix - 1).bit_length() + shift > 63:
        here = np.argsort(key, kind="stable")
        return key[here], here
    blocks = [slice(at, at + KEYS_AT_ONCE) for at in range(0, key.size, KEYS_AT_ONCE)]
    for block in blocks:
        key[block] <<= shift
        key[block] |= np.arange(block.start, block.start + key[block].size)
    key.sort()
    here = np.empty(key.size, np.int32)
    for block in blocks:
        here[block] = key[block] & ((1 << shift) - 1)
        key[block] >>= shift
    return key, here


@dataclass(frozen=True)
class DistinctRows:
    """The different rows of a table, each once, with the weight of its copies."""

    table: Encoded
    weight: AnyArray
    of_row: IntArray | None
    """Which distinct row each row of the table equals; None if all rows differ."""


def distinct_rows(
    table: Encoded, weights: FloatArray | None, alike: Groups | None = None
) -> DistinctRows:
    """Keep the first of equal rows; all differ but those `alike`, if these are known."""
    columns = range(len(table.codes))
    if alike and not refine(alike, table, columns, keep_single=False).ids.size:
        groups = None
    else:
        groups = refine(everyone(table.rows), table, columns, keep_single=True, in_order=True)
    if groups is None or groups.count == table.rows:
        one_each = np.broadcast_to(np.int32(1), table.rows)
        return DistinctRows(table, one_each if weights is None else weights, None)
    codes = [codes.take(groups.first) for codes in table.codes]
    weight = totals(groups.ids, weights, groups.count)
    whole = weight if weights is not None else weight.astype(np.int32)
    return DistinctRows(Encoded(codes, table.held, groups.count), whole, groups.ids)
