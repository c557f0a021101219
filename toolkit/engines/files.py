"""Files behind a table in an engine: which are read, and the types of their cells.

A path that exists is never a pattern, whatever marks its name has, and a folder's table is
what `data_files` lists. DuckDB and Spark get the names of these files, so that neither chooses
files itself. Cells of a CSV file are those that `read_table` finds, or the file is refused.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import re
import warnings
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._old.io.files import (
    MISSING,
    are_kept,
    check_read,
    data_files,
    int96_unit,
    is_hidden,
    say_marks,
    unreadable,
)
from .._old.io.tables import HEAD, _is_tabbed, _separator, check_records

DUCKDB_FILES = (".duckdb", ".ddb", ".db")


MARKS = "*?["
"""What makes a pattern of a path that does not exist."""


TEXTS = (".csv", ".tsv", ".tab", ".txt")


def is_database(path: Path) -> bool:
    """Whether a path leads to a DuckDB database, by its ending."""
    return path.suffix.lower() in DUCKDB_FILES and not path.is_dir() and not is_pattern(path)


def is_pattern(path: Path) -> bool:
    """Whether a path stands for other files: it has marks, and no file has it as its name."""
    return any(mark in path.name for mark in MARKS) and not path.exists()


@dataclass(frozen=True)
class Files:
    """The files of a table, and the folder below which the names of folders are data."""

    base: Path
    paths: list[Path]

    @property
    def are_texts(self) -> bool:
        """Whether they are CSV; all are of one kind."""
        return _is_text(self.paths[0])

    @cached_property
    def keys(self) -> list[str]:
        """Columns that names such as "year=2020" of folders below `base` stand for."""
        keys = [_keys(path.relative_to(self.base).parent) for path in self.paths]
        _check_partitions(self.paths, keys)
        return keys[0]

    def check(self) -> Files:
        """Return them, unless they are Parquet of different or of rounded columns."""
        if self.are_texts:
            return self
        import pyarrow as pa
        from pyarrow import parquet

        # DuckDB would take the names of the folders above, too.
        named = _keys(self.paths[0].absolute().parent) if self.keys else []
        names = {key.lower() for key in named}
        first: dict[str, str] = {}
        for path in self.paths:
            try:
                with path.open("rb") as file:  # its name could look like an address to Arrow
                    opened = parquet.ParquetFile(file)
                    fine = int96_unit(file) == "ns"
            except pa.ArrowException:
                raise ValueError(
                    f"{str(path)!r} cannot be read as Parquet; take it out of the folder or"
                    f" pattern, or write it anew."
                ) from None
            columns = [opened.schema.column(j) for j in range(len(opened.schema))]
            _check_no_digits_lost(path, columns, fine)
            fields = opened.schema_arrow
            schema = {field.name: str(_plain_type(field.type)) for field in fields}
            _check_columns_agree(path, schema, self.paths[0], first or schema, names)
            first = first or schema
        return self


def files_of(path: Path) -> Files:
    """List the files that a path names: a file, a folder of Parquet, or a pattern."""
    if path.is_dir():
        found, base = data_files(path), path
        if not found:
            raise FileNotFoundError(
                f"{str(path)!r} is a folder without a .parquet file; name a file, or several"
                f" by a pattern such as '{path.name}/*.csv'."
            )
    elif path.exists():
        found, base = [path], path.parent
    else:
        found, base = _matches(path), path.parent
        check_target(path, bool(found))
    _check_one_kind(found, [_is_text(one) for one in found])
    return Files(base, found)


def _matches(path: Path) -> list[Path]:
    """Files that a pattern stands for, and those of folders; hidden ones are no data."""
    if not any(mark in path.name for mark in MARKS):
        return []
    shown = (one for one in path.parent.glob(path.name) if not is_hidden(one.name))
    parts = (data_files(one) if one.is_dir() else [one] for one in sorted(shown))
    return [one for part in parts for one in part]


def _is_text(path: Path) -> bool:
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower() in TEXTS


def _keys(folder: Path) -> list[str]:
    """Keys of a path's parts such as "year=2020"."""
    parts = (part.partition("=") for part in folder.parts)
    return [key for key, equal, _ in parts if equal]


def _plain_type(kind: Any) -> Any:
    """The type of a column's cells, however Arrow keeps them."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    same = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    return same.get(kind, kind)


# Parquet


def read_parquet(connection: Any, files: Files, name: str) -> Any:
    """Make a view of Parquet files in DuckDB."""
    keys, paths = files.keys, [path.absolute() for path in files.paths]
    above = {*_keys(paths[0].parent)} - {*keys}
    names = ", ".join(sql_string(_literal(path, "[{}]")) for path in paths)
    # In names of folders 0200 and 200 are two codes.
    options = f"hive_partitioning={bool(keys)}, hive_types_autocast=false"
    view = f"CREATE OR REPLACE TEMP VIEW {sql_name(name)} AS"
    connection.con.execute(f"{view} SELECT * FROM read_parquet([{names}], {options})")
    table = table_of_duckdb(connection, name)
    return table.drop(*[key for key in above if keys and key in table.columns])


def table_of_duckdb(connection: Any, name: str, database: str | None = None) -> Any:
    """Return a table of DuckDB, once it is clear that no column needs an extension."""
    place = (
        sql_name(name) if database is None else f"{sql_name(database)}.main.{sql_name(name)}"
    )
    columns = connection.con.execute(f"DESCRIBE {place}").fetchall()
    _check_no_shapes({column: kind for column, kind, *_ in columns})
    return connection.table(name, database=database and (database, "main"))


def spark_parquet(session: Any, files: Files) -> Any:
    """Read Parquet files with Spark."""
    reader = session.read.option("mergeSchema", "false")
    marks = "*?[]{}\\"
    paths = [_literal(path.absolute(), "\\{}", marks) for path in files.paths]
    if not files.keys:
        return reader.parquet(*paths)
    infer = "spark.sql.sources.partitionColumnTypeInference.enabled"
    before = session.conf.get(infer)
    session.conf.set(infer, "false")  # 0200 and 200 are two codes
    try:
        base = _literal(files.base.absolute(), "\\{}", marks)
        return reader.option("basePath", base).parquet(*paths)
    finally:
        session.conf.set(infer, before)


def _literal(path: Path, escaped: str, marks: str = MARKS) -> str:
    """Text of a path in which no character is the mark of a pattern."""
    return "".join(escaped.format(one) if one in marks else one for one in str(path))


# CSV


CODE, WHOLE, LONG, HUGE, NUMBER, COMMA, THREE, TRUTH, TEXT, FINE = (1 << j for j in range(10))
"""Kinds of cells. LONG and HUGE ones are whole, but may be no float, or not of 64 bits; FINE
ones are decimal numbers of which a float may not keep all digits."""


KINDS = {
    CODE: r"\s*0\d+\s*",
    WHOLE: r"\s*[-+]?\d{1,15}\s*",
    LONG: r"\s*[-+]?\d{16,18}\s*",
    HUGE: r"\s*[-+]?\d{19,}\s*",
    NUMBER: r"\s*[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:inf|infinity))\s*",
    THREE: r"\s*[-+]?(0|[1-9]\d*),\d{3}\s*",
    COMMA: r"\s*[-+]?(0|[1-9]\d*),\d+\s*",
    TRUTH: r"true|True|TRUE|false|False|FALSE",
}
"""How the cells of each kind are written; the first that fits is that of a cell."""


MARKS_OF = {mark: 1 << 10 + j for j, mark in enumerate(["", *MISSING])}
"""Kinds of missing cells, by what is written in them."""


class _Head(NamedTuple):
    """What the first lines of a CSV file say of it."""

    separator: str
    skip: int
    names: tuple[str, ...]


def read_csv(connection: Any, files: Files, name: str) -> Any:
    """Make a view of CSV files in DuckDB, whose cells are those of `read_table`.

    All cells are read as text, strictly. Then a column becomes numbers where `read_table`
    finds numbers: codes with leading zeros, dates and 0x10 stay text.
    """
    heads = [_head(path) for path in files.paths]
    for path, head in zip(files.paths, heads, strict=True):
        if head != heads[0]:
            raise ValueError(
                f"where: {str(path)!r} and {str(files.paths[0])!r} do not have the same"
                f" columns in their first lines; open those that agree."
            )
    head = heads[0]
    check_names_apart(head.names)
    for path in files.paths:
        _check_quotes(path, head.separator)
    cells = _text_of_csv(files.paths, head)
    marks = " ".join(f"WHEN {sql_string(mark)} THEN {bit}" for mark, bit in MARKS_OF.items())
    kinds = [
        f"bit_or(CASE WHEN {column} IS NULL THEN {MARKS_OF['']}"
        f" WHEN {_is_mark(column)} THEN CASE {column} {marks} END {whens} ELSE {TEXT} END)"
        for column in map(sql_name, head.names)
        for whens in [" ".join(_when(column, kind) for kind in KINDS)]
    ]
    try:
        [found] = connection.con.execute(f"SELECT {', '.join(kinds)} FROM {cells}").fetchall()
    except Exception as error:
        if type(error).__name__ != "InvalidInputException":
            raise
        raise _no_csv(files.paths, head.separator, str(error)) from None
    _check_floats(connection, cells, head.names, found)
    pairs = zip(head.names, found, strict=True)
    columns = ", ".join(
        _typed(one, kinds or 0, head.separator, files.paths[0]) for one, kinds in pairs
    )
    view = f"CREATE OR REPLACE TEMP VIEW {sql_name(name)} AS SELECT {columns} FROM {cells}"
    connection.con.execute(view)
    return table_of_duckdb(connection, name)


def _is_mark(column: str) -> str:
    """SQL of whether a cell is one of those that are missing among numbers."""
    return f"{column} IN ({', '.join(map(sql_string, MISSING))})"


def _when(column: str, kind: int) -> str:
    """SQL of what a cell is if it is written as a kind is."""
    long, bits = f"length({column}) > 16", f"{kind}"
    if kind == NUMBER:
        long += f" OR regexp_matches({column}, '[eE][-+]?\\d\\d\\d')"
        bits = f"CASE WHEN {long} THEN {FINE} ELSE {kind} END"
    if kind in (COMMA, THREE):
        bits = f"CASE WHEN {long} THEN {HUGE | kind} ELSE {kind} END"
    return f"WHEN regexp_full_match({column}, '{KINDS[kind]}') THEN {bits}"


def _check_floats(connection: Any, cells: str, names: Any, found: Any) -> None:
    """Refuse columns of decimal numbers that are written differently and equal as floats."""
    floats = WHOLE | NUMBER | FINE
    for name, kinds in zip(names, found, strict=True):
        if kinds is None or not kinds & FINE or kinds & (FINE * 2 - 1) & ~floats:
            continue
        column = _unmarked(name)
        asked = f"count(DISTINCT {column}) = count(DISTINCT TRY_CAST({column} AS DOUBLE))"
        [[fine]] = connection.con.execute(f"SELECT {asked} FROM {cells}").fetchall()
        _check_numbers_alike(name, fine)


def _unmarked(name: str) -> str:
    """SQL of a column in which whatever stands for a missing number is missing."""
    return f"CASE WHEN {_is_mark(sql_name(name))} THEN NULL ELSE {sql_name(name)} END"


def _typed(name: str, found: int, separator: str, path: Path) -> str:
    """A column with the type that `read_table` gives it."""
    column, cells, kinds = sql_name(name), _unmarked(name), found & (FINE * 2 - 1)
    ways = [mark for mark, bit in MARKS_OF.items() if found & bit]
    commas = (
        separator != ","
        and kinds & COMMA
        and not kinds & ~(WHOLE | LONG | HUGE | COMMA | THREE)
    )
    truths = kinds == TRUTH
    if not (commas or truths) and kinds & (CODE | COMMA | THREE | TRUTH | TEXT) or not kinds:
        return column if are_kept(ways) else f"{cells} AS {column}"
    if len(ways) > 1:
        say_marks(path, name, ways)
    if truths:
        return f"CAST({cells} AS BOOLEAN) AS {column}"
    decimal = kinds & (NUMBER | COMMA | FINE)
    _check_numbers_alike(name, not (kinds & HUGE or kinds & LONG and decimal))
    if decimal:
        point = f"replace({cells}, ',', '.')" if commas else cells
        return f"CAST(trim({point}) AS DOUBLE) AS {column}"
    return f"CAST(trim({cells}) AS BIGINT) AS {column}"


def _text_of_csv(paths: list[Path], head: _Head) -> str:
    """SQL of the files with every cell as text."""
    # An empty list of options would let DuckDB guess.
    columns = ", ".join(f"{sql_string(name)}: 'VARCHAR'" for name in head.names)
    names = ", ".join(sql_string(_literal(path.absolute(), "[{}]")) for path in paths)
    return (
        f"read_csv([{names}], delim={sql_string(head.separator)}, quote='\"', escape='\"',"
        f" auto_detect=false, header=true, skip={head.skip}, columns={{{columns}}},"
        f" nullstr='', strict_mode=true, null_padding=false,"
        f" hive_partitioning=false)"
    )


def _head(path: Path) -> _Head:
    """What the first lines of a file say, once it is clear that they are a table."""
    with _opened(path) as file:
        content = file.read(HEAD)
    text = _check_text_head(content, path)
    said = re.match(r"sep=(.)\r?\n", text)  # a line for spreadsheets
    skip = 0 if said is None else 1
    if said is not None:
        separator = said[1]
    else:
        separator = "\t" if _is_tabbed(path) else _separator(text)
    options: dict[str, Any] = {"sep": separator, "skiprows": skip, "encoding": "utf-8-sig"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            first = pd.read_csv(path, nrows=1000, index_col=False, **options)
    except EOFError as error:
        raise unreadable(path, "a .gz file", error) from None
    except (ValueError, pd.errors.ParserWarning) as error:
        raise _no_csv([path], separator, str(error)) from None
    check_read(first, path, separator)
    if "\n" in text:  # else the names are cut
        check_records(text[said.end() if said else 0 :], separator, path, skip)
    return _Head(separator, skip, tuple(map(str, first)))


def _check_quotes(path: Path, separator: str) -> None:
    """Refuse quotes with blanks around them, which DuckDB takes for part of no cell."""
    mark = re.escape(separator.encode())
    blanks = re.compile(rb'(?:^|[\r\n]|%b) +"|" +(?:%b|[\r\n]|$)' % (mark, mark))
    before = b""
    with _opened(path) as file:
        while chunk := file.read(1 << 22):
            part = before + chunk
            if (b' "' in part or b'" ' in part) and blanks.search(part):
                raise ValueError(
                    f"{str(path)!r} has blanks between a separator and a quote, which readers"
                    f" take differently; read it with read_table, and write it as Parquet."
                )
            before = part[-256:]


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file, compressed or not; a broken archive is named."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise unreadable(path, "a .gz file", error) from None


def sql_name(name: str) -> str:
    """Write a name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_string(text: Any) -> str:
    """Write a text in SQL."""
    return "'" + str(text).replace("'", "''") + "'"


# What is refused


def check_names_apart(columns: Sequence[str]) -> None:
    """Refuse names that differ in capitals only, which engines take for one."""
    first: dict[str, str] = {}
    for name in columns:
        other = first.setdefault(name.lower(), name)
        if other != name:
            raise ValueError(
                f"data: columns {other!r} and {name!r} differ in capitals only, and an engine"
                f" takes them for one; rename one of them."
            )


def check_target(path: Path, there: bool) -> None:
    """Refuse a path that leads nowhere."""
    if not there:
        raise FileNotFoundError(
            errno.ENOENT, "there is no such file or folder; check the path", str(path)
        )


def _check_one_kind(paths: Sequence[Path], texts: Sequence[bool]) -> None:
    """Refuse CSV beside Parquet, one file twice, and what is no file, such as a pipe."""
    seen: dict[Any, Path] = {}
    for path, text in zip(paths, texts, strict=True):
        _check_text_name(path)
        first = seen.setdefault((path.stat().st_dev, path.stat().st_ino), path)
        if first is not path:
            raise ValueError(
                f"where: {str(path)!r} and {str(first)!r} are one file, whose records would"
                f" count twice; take one of the two out."
            )
        if not path.is_file():
            raise ValueError(f"where: {str(path)!r} is neither a file nor a folder.")
        if text is not texts[0]:
            raise ValueError(
                f"where: the pattern stands for CSV and other files ({paths[0].name!r},"
                f" {path.name!r}); name files of one kind."
            )


def _check_text_name(path: Path) -> None:
    """Refuse a name that no engine can be told."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"where: the name {ascii(str(path))} is not UTF-8, so no engine can be told it;"
            f" rename it first."
        ) from None


def _check_partitions(paths: Sequence[Path], keys: Sequence[Sequence[str]]) -> None:
    """Refuse files in folders whose names give them different columns."""
    for path, own in zip(paths, keys, strict=True):
        if list(own) != list(keys[0]) or len({key.lower() for key in own}) < len(own):
            raise ValueError(
                f"where: the folders of {str(path)!r} and {str(paths[0])!r} do not give them"
                f" the same columns (by names such as 'year=2020'); bring the files together"
                f" under one way of naming folders."
            )


def _check_columns_agree(
    path: Path,
    schema: Mapping[str, str],
    first: Path,
    columns: Mapping[str, str],
    folders: Collection[str],
) -> None:
    """Refuse a file whose columns are not those of the first one, or are in its path, too."""
    twice = [name for name in schema if name.lower() in folders]
    if twice:
        raise ValueError(
            f"where: {str(path)!r} has a column {twice[0]!r}, and the name of its folder gives"
            f" one, too; rename one of the two."
        )
    if schema == columns:
        return
    apart = sorted(schema.keys() ^ columns.keys())
    kinds = [name for name in schema if schema[name] != columns.get(name)]
    what = (
        f"column {apart[0]!r} is in one of them only"
        if apart
        else f"column {kinds[0]!r} is {schema[kinds[0]]} in one and {columns[kinds[0]]} in the"
        f" other"
    )
    raise ValueError(
        f"where: {str(path)!r} and {str(first)!r} do not have the same columns: {what}. Write"
        f" all files with the same columns and types, or open those that agree."
    )


def _check_text_head(content: bytes, path: Path) -> str:
    """Return the first lines of a CSV file that DuckDB reads as `read_table` does."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(content)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ValueError(
            f"{str(path)!r} is not text in UTF-8, which an engine needs; read it with"
            f" read_table(…, encoding=…), and write it as Parquet."
        )
    if not text.split("\n", 1)[0].strip():
        raise ValueError(
            f"{str(path)!r} is empty, or begins with an empty line; it needs a line of names"
            f" first, then records."
        )
    return text


def _check_numbers_alike(name: str, fine: bool) -> None:
    """Refuse a column of numbers of which a CSV file gives no exact type."""
    if not fine:
        raise ValueError(
            f"data: column {name!r} has numbers of 16 or more digits that are not told apart"
            f" in 64 bits; read the table with read_table, and write it as Parquet."
        )


def _check_no_digits_lost(path: Path, columns: Sequence[Any], fine: bool) -> None:
    """Refuse columns of Parquet that engines round, so that different cells become equal."""
    for one in columns:
        long = one.logical_type.type == "DECIMAL" and one.precision > 38
        if long or (fine and one.physical_type == "INT96"):
            what = (
                "decimal numbers of more than 38 digits" if long else "parts of microseconds"
            )
            raise TypeError(
                f"data: column {one.path!r} of {path.name!r} holds {what}, which an engine"
                f" rounds; read the table with read_table, or write the column as text."
            )


def _no_csv(paths: Sequence[Path], separator: str, said: str) -> ValueError:
    """Say that a CSV file is not regular, without its cells."""
    line = re.search(r"CSV Error on Line: (\d+)|\bline (\d+)\b", said)
    place = f" (line {line[1] or line[2]})" if line else ""
    one = f"{str(paths[0])!r}{' or another of the files' if len(paths) > 1 else ''}"
    return ValueError(
        f"{one} cannot be read as a text in UTF-8 whose cells end at {separator!r}{place}: an"
        f" engine needs as many cells in each record as the first line has names, quotes that"
        f" are closed, and lines that end alike. Correct it, or read it with read_table and"
        f" write it as Parquet."
    )


def _check_no_shapes(kinds: Mapping[str, str]) -> None:
    """Refuse shapes, for which DuckDB would fetch an extension, and times that lose a zone."""
    for name, kind in kinds.items():
        if "TIME WITH TIME ZONE" in kind:
            raise TypeError(
                f"data: column {name!r} holds times of the day with a time zone ({kind}),"
                f" which is lost on the way here; leave the column out, or make text of it in"
                f" the database."
            )
        if "GEOMETRY" in kind:
            raise TypeError(
                f"data: column {name!r} holds shapes ({kind}), which need an extension that is"
                f" not fetched; leave the column out, or make text of it in the database."
            )
