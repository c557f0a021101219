"""What a table holds besides the cells that it shows, and a copy without it.

Taking a row out, or masking a cell, changes what a table shows, not all that it holds. A
column keeps its categories, a dictionary of Arrow its entries, a MultiIndex its levels, and a
number that was declared missing may still lie under the mask; pickle, Parquet and Feather
write much of that. Everything in the toolkit that recodes or releases a table ends here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import encode_column
from .._typing import AnyArray, BoolArray
from .._validation import check_table

__all__ = [
    "without_traces",
]


MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
"""Arrays that keep a number under each missing cell."""


def without_traces(data: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that it holds nothing but the cells and labels that it shows.

    Every release of the toolkit is made so. Call it after rows or columns were taken out in
    another way, before the table is written or handed on.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Columns keep their types and their order. Categories that no cell shows are dropped,
        those that stay keep their order; so are entries of Arrow's dictionaries, levels of a
        MultiIndex, numbers under missing cells, and ``attrs``. Cells of a column that count as
        equal are written alike, as the first of them is: 1, 1.0 and True; 0.0 and -0.0.
        The index and the order of the rows stay, and are released with the table:
        ``data.sample(frac=1).reset_index(drop=True)`` drops both.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table with rows and columns.

    Examples
    --------
    >>> towns = pd.DataFrame({"town": pd.Categorical(["A", "Hidden Valley", "A"])})
    >>> left = towns[towns["town"] == "A"]
    >>> left["town"].cat.categories.tolist()
    ['A', 'Hidden Valley']
    >>> without_traces(left)["town"].cat.categories.tolist()
    ['A']
    """
    table = only_shown(check_table(data).copy())
    return written_alike(table, range(table.shape[1]))


def only_shown(table: pd.DataFrame, rows: BoolArray | None = None) -> pd.DataFrame:
    """Return some rows of a table of the caller's own, with nothing besides what they show."""
    some = None if rows is None else np.flatnonzero(rows)
    for j, kind in enumerate(table.dtypes):
        if _is_view(kind):  # which pandas cannot take rows of
            table.isetitem(j, _shown(table.iloc[:, j].array))
    table = table if some is None else table.take(some)
    for j, kind in enumerate(table.dtypes):
        if not isinstance(kind, np.dtype):
            cells = table.iloc[:, j].array
            try:
                shown = _shown(cells)
            except (NotImplementedError, ValueError) as error:  # of Arrow, such as of unions
                raise TypeError(
                    f"data: column {table.columns[j]!r} of type {kind} cannot be copied"
                    f" without what it does not show ({error}); turn it into text first."
                ) from None
            if shown is not cells:
                table.isetitem(j, shown)
    table.index, table.columns = _shown_labels(table.index), _shown_labels(table.columns)
    table.attrs = {}
    return table


def written_alike(table: pd.DataFrame, columns: Iterable[int]) -> pd.DataFrame:
    """Write equal cells of some columns as the first of them is, in a table of one's own."""
    for j in columns:
        column = table.iloc[:, j]
        if not len(column) or not _may_be_written_in_ways(column):
            continue
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fc":
            table.isetitem(j, column.array + column.dtype.type(0))  # -0.0 + 0 is 0.0
            continue
        try:
            codes, values = encode_column(column)
        except TypeError:  # cells such as lists, which are not compared
            continue
        first = np.empty(len(values), np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last write wins
        if len(first) < len(codes):
            alike: Any = column.take(first[codes]).set_axis(table.index)
            table.isetitem(j, alike)
    return table


def one_kind(labels: Any) -> AnyArray:
    """Labels of one kind: as text, if some are text and others are numbers, dates and so on.

    No Parquet or Feather file holds both in a column. Labels stay as they are where the same
    text would stand for different ones, as for 1 and '1', or where one has several parts.
    """
    cells = np.empty(len(labels), object)
    cells[:] = labels
    try:
        codes, values = pd.factorize(cells)
    except TypeError:  # cells such as lists
        return cells
    text = [isinstance(value, (str, bytes)) for value in values]
    if all(text) or not any(text) or not all(map(pd.api.types.is_scalar, values)):
        return cells
    written = np.array([*map(_label_of, values), np.nan], object)  # the last: a missing one
    return written[codes] if len(set(written)) == len(written) else cells


def text_of(cell: Any) -> str | None:
    """Write what a cell says so that it can be matched again; None for a missing one."""
    if isinstance(cell, (date, np.datetime64)) and not pd.isna(cell):
        return str(pd.Timestamp(cell)).removesuffix(" 00:00:00")
    return None if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell)


def _label_of(value: Any) -> str:
    """Text of a label: that of a number without a needless .0, as in an interval."""
    text = str(text_of(value))
    return text.removesuffix(".0") if isinstance(value, float) else text


def _may_be_written_in_ways(column: pd.Series) -> bool:
    """Whether cells that count as equal may differ: objects, floats, intervals of floats."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "iubmM":
        return False
    if isinstance(kind, pd.ArrowDtype):
        return kind.kind == "f"
    exact = (pd.CategoricalDtype, pd.StringDtype, pd.DatetimeTZDtype, pd.PeriodDtype)
    if isinstance(kind, exact) or pd.api.types.is_integer_dtype(kind):
        return False
    if pd.api.types.is_object_dtype(kind) and not column.isna().any():
        return pd.api.types.infer_dtype(column, skipna=False) not in ("string", "bytes")
    return True


def _shown_labels(labels: pd.Index) -> pd.Index:
    """Row or column labels without those that no row or column has."""
    if isinstance(labels, pd.MultiIndex):
        labels = labels.remove_unused_levels()
        levels: Any = [_shown_labels(level) for level in labels.levels]
        found: pd.Index = labels.set_levels(levels, verify_integrity=False)
        return found
    if isinstance(labels.dtype, np.dtype):
        return labels
    cells = labels.array
    shown = _shown(cells)
    return labels if shown is cells else pd.Index(shown, name=labels.name)


def _shown(cells: Any) -> Any:
    """Cells of one column, with nothing besides what they show."""
    kind = cells.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _shown_categories(cells)
    if isinstance(kind, pd.ArrowDtype):
        return _shown_arrow(cells)
    if isinstance(kind, pd.SparseDtype):
        there = len(cells.sp_values) < len(cells) or not len(cells)  # some show the fill value
        return cells if there else type(cells)(np.asarray(cells), fill_value=cells[0])
    if isinstance(cells, MASKED) and cells.isna().any():
        zero = kind.type(0)
        return type(cells)(cells.to_numpy(kind.numpy_dtype, na_value=zero), cells.isna())
    if isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow":
        tight = not cells.isna().any() and all(map(_is_tight, _chunks(cells)))
        return cells if tight else cells.take(np.arange(len(cells)))
    return cells


def _shown_categories(cells: pd.Categorical) -> pd.Categorical:
    """Drop the categories that no cell shows; the others keep their order."""
    records = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.categories))
    cells = cells if records.all() else cells.remove_unused_categories()
    categories: Any = _shown_labels(cells.categories)
    return cells if categories is cells.categories else cells.rename_categories(categories)


def _is_view(kind: Any) -> bool:
    return isinstance(kind, pd.ArrowDtype) and str(kind.pyarrow_dtype).endswith("_view")


def _shown_arrow(cells: Any) -> Any:
    """Cells that Arrow holds, chunk by chunk."""
    import pyarrow as pa

    shown = [_shown_chunk(chunk) for chunk in _chunks(cells)]
    kind = shown[0].type if shown else cells.dtype.pyarrow_dtype
    return type(cells)(pa.chunked_array(shown, kind))


def _chunks(cells: Any) -> list[Any]:
    """Arrays of Arrow that hold the cells."""
    held = cells.__arrow_array__()
    return list(getattr(held, "chunks", [held]))


def _is_tight(chunk: Any) -> bool:
    """Whether nothing stands beside the cells: Feather rounds a part of a buffer up."""
    return bool(chunk.offset == 0 and chunk.get_total_buffer_size() <= chunk.nbytes)


def _shown_chunk(chunk: Any) -> Any:
    """Cells of one array of Arrow, whose buffers then hold nothing else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = chunk.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _shown_chunk(chunk.storage))
    if _is_view(pd.ArrowDtype(kind)):
        plain = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
        return chunk.cast(plain[str(kind)])
    if pa.types.is_run_end_encoded(kind):
        return _shown_chunk(pc.run_end_decode(chunk))
    known = chunk.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(kind):
        codes = chunk.indices.fill_null(0).to_numpy(zero_copy_only=False)
        used, place = np.unique(codes[known], return_inverse=True)
        places = np.zeros(len(codes), np.int64)
        places[known] = place
        indices = pa.array(places, mask=~known).cast(kind.index_type)
        entries = _shown_chunk(chunk.dictionary.take(pa.array(used, pa.int64())))
        return pa.DictionaryArray.from_arrays(indices, entries, ordered=kind.ordered)
    if pa.types.is_nested(kind):  # whose parts may hold any of these
        return pa.array(chunk.to_pylist(), kind)
    if known.all():
        return chunk if _is_tight(chunk) else chunk.take(pa.array(np.arange(len(chunk))))
    return chunk.drop_null().take(pa.array(np.cumsum(known) - 1, mask=~known))
