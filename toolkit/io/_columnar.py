"""Parquet and Feather files as DataFrames, cell for cell, with every column that is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd

from .._grouping import NULLABLE
from .._kinds import column_of_arrow
from ._unpacking import UNPACKED
from .files import check_few_columns, differing, int96_unit, no_package, unreadable

__all__ = [
    "read_feather",
    "read_parquet",
]


TIMES_PACKED = 100
"""Bytes in memory per byte of a file from which a table above the limit is refused."""


TEXTS = ("string", "large_string", "binary", "large_binary")
"""Types of Arrow of which Parquet may store a cell once for many records."""


NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What stands for a missing value in the name of a folder."""


DICTIONARY_BATCH, RECORD_BATCH = 2, 3
"""Kinds of messages of Arrow that hold cells (Message.fbs, MessageHeader)."""


def read_parquet(files: Sequence[Any], path: Path) -> pd.DataFrame:
    """Read Parquet files as one table.

    Parameters
    ----------
    files : sequence of paths or of one open file
        Its parts, in order.
    path : Path
        The file or folder that was named; folders below it named key=value are columns.

    Returns
    -------
    DataFrame
        All columns that are stored, pandas' index among them.

    Raises
    ------
    ImportError, ValueError
        If a file cannot be read, or differs from the first in a column.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise no_package(path, error) from None
    try:
        _check_size([pq.read_metadata(file) for file in files], files, path)
        tables = [_with_partitions(_parquet_table(file, path), file, path) for file in files]
        return _frame(pa.concat_tables(_alike(tables, files, path)))
    except Exception as error:
        raise _one_error(error, path, "Parquet") from None


def _parquet_table(file: Any, path: Path) -> Any:
    """Every column of a file, and none that its folder's name would add."""
    import pyarrow.parquet as pq

    chunks, unit = _column_chunks(pq.read_metadata(file)), int96_unit(file)
    stored = pq.read_schema(file)
    texts = {field.name for field in stored if str(field.type) in TEXTS}
    often = texts & {one.path_in_schema for one in chunks if _may_repeat(one)}
    with pq.ParquetFile(
        file, read_dictionary=[*often], coerce_int96_timestamp_unit=unit
    ) as opened:
        table = opened.read()
    if not often:
        return table
    _check_memory(sum(map(_written_out, map(table.column, often))), [file], path)
    return table.cast(stored)


def _column_chunks(metadata: Any) -> list[Any]:
    """What is known of each column in each group of rows."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [group.column(j) for group in groups for j in range(group.num_columns)]


def _may_repeat(chunk: Any) -> bool:
    """Whether texts that are stored once may be repeated beyond the limit."""
    size: int = chunk.num_values * chunk.total_uncompressed_size
    return chunk.has_dictionary_page and size > UNPACKED


def _written_out(column: Any) -> int:
    """Bytes that the texts of a column take once each cell has its own."""
    import pyarrow.compute as pc

    sizes = [
        pc.sum(pc.binary_length(one.dictionary).take(one.indices)).as_py() or 0
        for one in column.chunks
    ]
    return int(sum(sizes))


def read_feather(file: Any, path: Path) -> pd.DataFrame:
    """Read a Feather or Arrow file, with pandas' index as a column."""
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError as error:
        raise no_package(path, error) from None
    try:
        try:
            opened = pa.ipc.open_file(str(file) if isinstance(file, Path) else file)
        except pa.ArrowInvalid:  # of the first version, which cannot be compressed
            return _frame(feather.read_table(file))
        check_few_columns(len(opened.schema), path)
        columns = len(opened.schema)
        size = sum(_unpacked(one, columns) for one in _messages(file))
        _check_memory(size, [file], path, " write it as Parquet and")
        return _frame(opened.read_all())
    except Exception as error:
        raise _one_error(error, path, "Feather") from None


def _messages(file: Any) -> Iterator[Any]:
    """Messages of a Feather file, as they are stored: nothing is unpacked."""
    import pyarrow as pa

    stored = pa.memory_map(str(file)) if isinstance(file, Path) else file.getbuffer()
    with stored if isinstance(file, Path) else pa.BufferReader(stored) as source:
        source.seek(8)  # past the mark of the format
        yield from pa.ipc.MessageReader.open_stream(source)


def _unpacked(message: Any, columns: int) -> int:
    """Bytes that a message takes once its buffers are unpacked, at least 8 for each cell.

    The metadata are a flatbuffer with the table Message of Arrow's format (Message.fbs): of a
    batch, field 0 is the number of rows, field 2 lists offset and length of each buffer, and
    field 3 says whether they are compressed, each then behind its unpacked size.
    """
    data = message.metadata.to_pybytes()

    def number(place: int, size: int = 4) -> int:
        return int.from_bytes(data[place : place + size], "little", signed=size == 8)

    def field(table: int, j: int) -> int:
        layout = table - int.from_bytes(data[table : table + 4], "little", signed=True)
        step = number(layout + 4 + 2 * j, 2) if 4 + 2 * j < number(layout, 2) else 0
        return table + step if step else 0

    def follow(place: int) -> int:
        return place + number(place)

    kind = field(follow(0), 1)
    if not kind or data[kind] not in (DICTIONARY_BATCH, RECORD_BATCH):
        return 0
    batch = follow(field(follow(0), 2))
    if data[kind] == DICTIONARY_BATCH:
        batch, columns = follow(field(batch, 1)), 1
    rows = number(field(batch, 0), 8) if field(batch, 0) else 0
    listed = follow(field(batch, 2))
    buffers = np.frombuffer(data, "<i8", 2 * number(listed), listed + 4).reshape(-1, 2)
    if not field(batch, 3):
        return max(8 * rows * columns, int(buffers[:, 1].sum()))
    body = memoryview(message.body)
    sizes = [int.from_bytes(body[j : j + 8], "little", signed=True) for j, n in buffers if n]
    stored = int(buffers[:, 1].sum())  # of those that were not worth compressing: -1
    return max(8 * rows * columns, sum(size for size in sizes if size > 0), stored)


def _one_error(error: Exception, path: Path, kind: str) -> Exception:
    """Return what was said here as it is; pyarrow's errors have no class in common."""
    ours = type(error) is ValueError and repr(str(path))[1:-1] in str(error)
    return error if ours else unreadable(path, kind, error)


def _check_size(found: Sequence[Any], files: Sequence[Any], path: Path) -> None:
    """Look at how many columns and cells the files have, before they are read."""
    check_few_columns(max(one.num_columns for one in found), path)
    chunks = [chunk for one in found for chunk in _column_chunks(one)]
    size = sum(max(8 * one.num_values, one.total_uncompressed_size) for one in chunks)
    _check_memory(size, files, path)


def _check_memory(size: int, files: Sequence[Any], path: Path, first: str = "") -> None:
    """Refuse what takes much more memory than its files lead to expect."""
    packed = sum(
        file.stat().st_size if isinstance(file, Path) else len(file.getbuffer())
        for file in files
    )
    if size > max(UNPACKED, TIMES_PACKED * packed):
        raise ValueError(
            f"{str(path)!r} would take at least {size / 2**30:,.1f} GiB of memory, more than"
            f" {TIMES_PACKED} times the size of its files; if you trust it,{first} count its"
            f" records where they are, with open_table or --budget."
        )


def _with_partitions(table: Any, file: Any, folder: Path) -> Any:
    """Add the columns that folders named key=value stand for, as text."""
    import pyarrow as pa

    parts = file.relative_to(folder).parts[:-1] if isinstance(file, Path) else ()
    for key, mark, value in (part.partition("=") for part in parts):
        if mark and key in table.column_names:
            raise differing(file, folder, key, "is in the file and in the name of a folder")
        if mark:
            cell = pa.scalar(None if value == NO_VALUE else unquote(value), pa.string())
            table = table.append_column(key, pa.repeat(cell, len(table)))
    return table


def _alike(tables: Sequence[Any], files: Sequence[Any], folder: Path) -> list[Any]:
    """Tables with the columns of the first, each of one type that keeps all cells."""
    import pyarrow as pa

    first = tables[0].column_names
    for table, file in zip(tables, files, strict=True):
        odd = {*first} ^ {*table.column_names}
        if odd or len(first) != table.num_columns:
            said = "is not in all files of the folder, or not as often"
            raise differing(file, folder, min(odd, default=first[0]), said)
    if len(tables) == 1 or len({*first}) < len(first):
        return [*tables]  # of names that repeat, concatenating compares the types
    types = {name: [table.field(name).type for table in tables] for name in first}
    for name, (one, *more) in types.items():
        if _common([one, *more]) is None:
            apart = (j for j, other in enumerate(more, 1) if _common([one, other]) is None)
            j = next(apart, len(more))
            raise _of_two_types(files[j], folder, name, types[name][j])
    common = {name: _common(kinds) for name, kinds in types.items()}
    return [
        pa.table({name: _cast(table, name, common[name], file, folder) for name in first})
        for table, file in zip(tables, files, strict=True)
    ]


def _common(types: Sequence[Any]) -> Any:
    """The type of a column in all files; none if there is none that keeps the cells."""
    import pyarrow as pa

    if len({*types}) == 1:
        return types[0]
    if any(map(pa.types.is_decimal, types)) and any(map(pa.types.is_floating, types)):
        return None
    plain = [t.value_type if pa.types.is_dictionary(t) else t for t in types]
    try:
        schemas = [pa.schema([("", kind)]) for kind in plain]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def _cast(table: Any, name: str, kind: Any, file: Any, folder: Path) -> Any:
    """A column in the type that it has in all files, if no cell changes."""
    import pyarrow as pa

    column = table.column(name)
    try:
        return column.cast(kind)
    except pa.ArrowException:
        raise _of_two_types(file, folder, name, column.type) from None


def _of_two_types(file: Any, folder: Path, name: str, kind: Any) -> ValueError:
    said = f"is {kind}, and of another type elsewhere in the folder"
    return differing(file, folder, name, said)


def _frame(table: Any) -> pd.DataFrame:
    """A DataFrame of all columns; what pandas wrote about them is not asked.

    pandas would take a column for the index, and make floats of whole numbers beside missing
    ones, which are equal where the numbers differ.
    """
    exact = {j: _exact(column) for j, column in enumerate(table.columns)}
    rest = [j for j, cells in exact.items() if cells is None]
    numbered = table.rename_columns([str(j) for j in exact]).select(rest)
    frame: pd.DataFrame = numbered.to_pandas(ignore_metadata=True)
    frame.columns = pd.Index(rest, dtype=int)
    if len(rest) < len(exact):
        columns = {j: frame[j] if cells is None else cells for j, cells in exact.items()}
        frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    frame.columns = pd.Index(table.column_names)
    return frame


def _exact(column: Any) -> Any:
    """Cells of a column that pandas would round; None if it would not."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) and column.null_count:
        return column.to_pandas(types_mapper=NULLABLE.get)
    if str(column.type) == "time64[ns]":
        return pd.Series(column_of_arrow(column, ""))
    if pa.types.is_nested(column.type) and "int" in str(column.type):
        return pd.Series(column.to_pylist(), dtype=object)
    return None
