"""Tables that stay where they are stored: in Parquet files, in DuckDB or in Spark.

Most metrics need no more of a table than its distinct rows and how many records have each. An
engine counts these where the data are (`GROUP BY`); what comes back is small, and the metrics
finish with the code that they run on any table. Where even the distinct rows are too many for
the budget, the numbers are computed in the engine. Nothing is ever sampled. The engine is
reached through Ibis, so that DuckDB and Spark, or another, are asked the same questions.
"""

# Longer than other modules: the connection to an engine, the questions put to it, and its
# errors stand together, so that no other module has to know which engine it is.

from __future__ import annotations

import contextlib
import difflib
import errno
import gc
import os
import re
import shutil
import sys
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from numbers import Integral
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from .._grouping import Encoded, close_gaps, encode_column, encode_whole
from .._typing import IntArray, check_extra, column_of_arrow
from .._validation import listed
from .files import (
    check_names_apart,
    check_target,
    files_of,
    is_database,
    is_pattern,
    read_csv,
    read_parquet,
    spark_parquet,
    sql_name,
    sql_string,
    table_of_duckdb,
)

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


SAID = (
    "BinderException CatalogException ConnectionException FatalException HTTPException"
    " IOException OSError FileNotFoundError OutOfMemoryException PermissionException"
    " PermissionError MissingExtensionException"
).split()
"""Errors whose words are about files, names and memory."""


LOST = ("connection", "connect", "py4jnetwork", "closed", "stopped")


SETTINGS = {
    "duckdb": ("memory_limit", "temp_directory"),
    "pyspark": ("spark.driver.memory", "spark.local.dir"),
}
"""What memory and temporary folder are called, by engine."""


@dataclass(frozen=True)
class Plan:
    """Which way a question to an engine took, and why.

    Printed, it is a page of text with the SQL; `bytes` is what the class table is estimated to
    take in memory.
    """

    way: str
    """ "in memory": the class table came back; "in the engine": it stayed there."""
    why: str
    records: int
    classes: int
    """Rows of the class table: combinations of values that occur."""
    bytes: int
    budget: int
    sql: str

    def __str__(self) -> str:
        """Lay the plan out as text."""
        head = (
            f"{self.way}: {self.why}\n"
            f"{self.records:,} records, {self.classes:,} distinct rows of the columns"
            f" asked for, about {size_in_words(self.bytes)}; the budget is"
            f" {size_in_words(self.budget)}"
        )
        return f"{head}\n{self.sql}"


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table in an engine, which metrics take in place of a DataFrame; see `open_table`.

    Attributes
    ----------
    expression : ibis Table
        The table as an expression: what is asked of it, its engine computes.
    key : str or None
        The column that names a row. Needed where a metric has an answer for each record, for
        the rows of an engine have no order.
    budget : int
        Bytes that a class table may take in memory.
    explain : bool
        Whether each plan is printed.
    plans : list of Plan
        What was asked so far, and which way it took.

    Notes
    -----
    Counts are kept, so that the next metric of the same columns need not count again: of those
    that fit the budget as many as fit it together, of larger ones the last two. Open the table
    anew when its rows have changed.
    """

    expression: Any
    key: str | None = None
    budget: int = 1 << 30
    explain: bool = False
    plans: list[Plan] = field(default_factory=list, repr=False)
    _counted: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False, init=False)

    def __repr__(self) -> str:
        """Say what it is, without a cell of it."""
        key = "" if self.key is None else f", key {self.key!r}"
        return (
            f"<table in {self.engine} of columns {listed(self.features)}{key}; write_parquet"
            f" has it computed and written>"
        )

    @property
    def columns(self) -> pd.Index:
        """Names of the columns, as a DataFrame has them; the key is among them."""
        names: pd.Index = pd.Index(list(self.expression.columns), dtype=object)
        return names

    @property
    def features(self) -> list[str]:
        """Names of all columns but the key."""
        return [name for name in self.expression.columns if name != self.key]

    @property
    def engine(self) -> str:
        """Name of the engine."""
        return str(self.expression.get_backend().name)

    @cached_property
    def records(self) -> int:
        """Rows of the table, counted once."""
        with clear_errors(self, "counting the rows"):
            count = int(fetch(self.expression.count())[0][0].as_py())
        return check_engine_rows(count)

    @cached_property
    def cells(self) -> Any:
        """The table with every missing cell as NULL (in numbers, NaN is missing too).

        Text is without a collation, by which an engine may take A for a, and JSON is text.
        """
        check_names_apart(self.expression.columns)
        cells = without_nan(self.expression)
        json = [name for name, kind in cells.schema().items() if kind.is_json()]
        texts = {name: cells[name].cast("string") for name in json}
        return without_collation(cells.mutate(*named(texts)) if texts else cells)

    @cached_property
    def checked_key(self) -> str:
        """The key, once it is known that it names each row once."""
        key = self.key
        if key is None:
            raise ValueError(
                "the rows of an engine have no order, so an answer for each record needs a"
                " key; name the column that tells rows apart: open_table(…, key='id')."
            )
        with clear_errors(self, f"looking for repeated values of {key!r}"):
            column = self.expression[key]
            asked = self.expression.aggregate(
                rows=self.expression.count(), known=column.count(), different=column.nunique()
            )
            found = fetch(asked)
        rows, known, different = (int(found[name][0].as_py()) for name in found.column_names)
        if known < rows:
            raise ValueError(
                f"key: column {key!r} is missing in {rows - known:,} of {rows:,} rows, so it"
                f" cannot name them; choose a column that is always there."
            )
        if different < rows:
            raise ValueError(
                f"key: column {key!r} has {different:,} values on {rows:,} rows, so it does"
                f" not name each row once; choose a column without repeated values."
            )
        return key


def open_table(
    where: Any,
    *,
    table: str | None = None,
    key: str | None = None,
    budget: int | str = "1 GB",
    explain: bool = False,
    spark: Any = None,
    beside: EngineTable | None = None,
    **settings: Any,
) -> EngineTable:
    """Open a table that stays where it lives, for the metrics to ask.

    Parameters
    ----------
    where : path, ibis Table or Spark DataFrame
        A Parquet file or a folder of them, a CSV file, several files by a pattern such as
        ``"people/*.parquet"``, a DuckDB database, or a table of a connection that is open
        already. A path that exists is no pattern, whatever its name is.
    table : str, optional
        Which table of a DuckDB database; needed if it has several.
    key : str, optional
        The column that names a row. Metrics with an answer for each record return a table of
        the engine with this column; the others do without.
    budget : int or str, default "1 GB"
        Memory that the class table (the distinct rows of the columns that a metric asks for,
        with counts) may take: bytes, or a number with MB or GB. Within the budget it comes
        back, and the metrics finish in memory; beyond it they are computed in the engine.
    explain : bool
        Print which way each question takes, with the SQL and the sizes. All plans are kept in
        `plans` anyway.
    spark : SparkSession, optional
        Read the path with this session instead of DuckDB.
    beside : EngineTable, optional
        Read the path with the connection of this table, so that one engine has both: a sample
        and its population, or a table before and after a treatment.
    **settings
        Settings of DuckDB, such as ``memory_limit="4GB"`` or ``temp_directory``.

    Returns
    -------
    EngineTable
        To be passed to a metric in place of a DataFrame.

    Raises
    ------
    FileNotFoundError, ImportError, PermissionError, TypeError, ValueError
        If there is nothing to read, the engine is not installed, the table is not there, its
        files differ in their columns, or `key` is no column of it.

    Notes
    -----
    What metrics of cells, records and classes return of such a table is an EngineTable where
    they have an answer for each record (the key and the numbers; NULL for records that are
    left out), and where the class table exceeds the budget one for each class (the
    quasi-identifiers and the numbers); `write_parquet` writes it. What needs the class table
    itself (wildcards, `equivalence_classes`, `sensitive_tables`, `suda_uniques`,
    `individual_risk`) says so where it exceeds the budget.

    A folder's table is its Parquet files at any depth, without hidden and temporary ones
    (whose name, or whose folder's, begins with "." or "_"); folders named ``key=value`` add a
    column of text. A CSV file must be regular and in UTF-8: its cells are those of
    `read_table`, or it is refused; Spark is given none. A database is opened read-only and
    without extensions; a view of it reads no file, on a connection of its own. Connections
    that are passed are used as they are.

    A missing cell is NULL, or NaN in a column of numbers. Text is compared by its characters,
    whatever the collation of a database says, and JSON as text. Where the key has the name of
    a number, such as ``records``, the number gets an underscore.

    Examples
    --------
    >>> import ibis, pyarrow
    >>> people = ibis.memtable(pyarrow.table({"town": ["A", "A", "B"], "id": [1, 2, 3]}))
    >>> open_table(people, key="id").records
    3
    """
    if beside is not None:
        there = _check_beside(beside, EngineTable, settings).expression.get_backend()
        spark = session_of(there)
    else:
        there = None
    if spark is not None:
        expression = _through_spark(where, spark)
    elif isinstance(where, (str, os.PathLike)):
        expression = _through_duckdb(Path(where), table, settings, there)
    elif is_expression(where):
        expression = where
    elif type(where).__module__.startswith("pyspark.sql"):
        expression = _through_spark(where, where.sparkSession)
    else:
        expression = _check_readable(where)
    check_names_apart(expression.columns)
    if key is not None:
        check_engine_column(expression.columns, key, "key")
    return EngineTable(expression, key, check_budget(budget), explain)


def _through_duckdb(
    path: Path, table: str | None, settings: Mapping[str, Any], there: Any = None
) -> Any:
    """Read files, or a table of a database, with DuckDB; `there` is an open connection."""
    ibis = check_extra("ibis", "duckdb")
    check_extra("duckdb", "duckdb")
    files = files_of(path)
    if is_database(path):
        settings = {"temp_directory": f"{path}.tmp", **settings}
    try:
        connection = there or _new_connection(ibis, settings)
        if is_database(path):
            return _of_database(connection, path, table, beside=there is not None)
        if table is not None:
            raise ValueError(
                f"table: {path.name!r} is not a DuckDB database, so it has no table {table!r};"
                f" leave table out."
            )
        _check_files_allowed(_reads_files(connection.con), path)
        # The name of the files makes SQL that can be read, and that is the same each time.
        stem = re.sub(r"\W+", "_", path.parent.name if is_pattern(path) else path.stem)
        name = free_name(stem or "data", {name for name, _ in _tables_of(connection)})
        read = read_csv if files.are_texts else read_parquet
        return read(connection, files.check(), name)
    except Exception as error:
        ours = type(error).__module__.startswith(("toolkit", "builtins"))
        if ours and not _is_interrupt(error):
            raise
        raise_clearly("duckdb", f"opening {path.name}", error)


def _new_connection(ibis: Any, settings: Mapping[str, Any]) -> Any:
    """Connect to a DuckDB that fetches no extension because of what is in a file."""
    quiet = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    connection = ibis.duckdb.connect(**{**quiet, **settings})
    connection.con.execute("SET enable_progress_bar = false")  # nothing is printed
    with contextlib.suppress(Exception):  # older DuckDB has none
        connection.con.execute("SET enable_geoparquet_conversion = false")  # shapes are bytes
    return connection


def _of_database(connection: Any, path: Path, table: str | None, *, beside: bool) -> Any:
    """A table of a DuckDB database, read-only.

    The database is attached to an empty one, and names are looked for in it last: it may have
    macros with the names of functions. A view may read any file, so its connection reads none.
    """
    con = connection.con
    known = con.sql("SELECT path, database_name FROM duckdb_databases()").fetchall()
    name = {Path(file).resolve(): name for file, name in known if file}.get(path.resolve())
    if name is None:
        _check_files_allowed(_reads_files(con), path)
        taken = {"main", "system", "temp", *(name for _, name in known)}
        name = free_name(re.sub(r"\W+", "_", path.stem) or "data", taken)
        con.execute(f"ATTACH {sql_string(path.absolute())} AS {sql_name(name)} (READ_ONLY)")
        if not beside:
            con.execute(f"SET search_path = 'memory.main,system.main,{sql_name(name)}.main'")
    kinds = dict(_tables_of(connection, name))
    chosen = _check_one_engine_table(list(kinds), table)
    if kinds[chosen] == "VIEW" and _reads_files(con):
        if beside:
            raise ValueError(
                f"table: {chosen!r} is a view of the database {path.name!r}, which could read"
                " any file of this machine, and is opened only on a connection of its own;"
                f" open it without beside, or make a table of it in its database."
            )
        con.execute("SET enable_external_access = false")
    return table_of_duckdb(connection, chosen, name)


def _reads_files(con: Any) -> bool:
    """Whether a connection may read files."""
    [[allowed]] = con.sql("SELECT current_setting('enable_external_access')").fetchall()
    return bool(allowed)


def _tables_of(connection: Any, database: str | None = None) -> list[tuple[str, str]]:
    """Names of tables and views, of one database if it is named, and which it is."""
    # Ibis 12 asks in a way that DuckDB 2 has no longer.
    known = connection.con.sql(
        "SELECT table_catalog, table_schema, table_name, table_type"
        " FROM information_schema.tables"
    ).fetchall()
    return [
        (name, kind)
        for catalog, schema, name, kind in known
        if database is None or (catalog == database and schema == "main")
    ]


def _through_spark(where: Any, session: Any) -> Any:
    """Give a Spark DataFrame, or a path that Spark reads, a name in its session."""
    ibis = check_extra("ibis", "spark")
    check_extra("pyspark", "spark")
    doing = "opening a table"
    files = None
    if isinstance(where, (str, os.PathLike)):
        path = Path(where)
        if is_database(path):
            raise ValueError(
                f"where: Spark does not read the DuckDB database {path.name!r}; open it"
                f" without Spark, or copy the table to Parquet."
            )
        files = files_of(path)
        if files.are_texts:
            raise ValueError(
                f"where: {path.name!r} is CSV, in which Spark takes other cells for numbers"
                f" and for missing than read_table does; open it without Spark, copy it to"
                f" Parquet, or pass the Spark DataFrame that you read yourself."
            )
        doing = f"opening {path.name}"
    try:
        if files is not None:
            where = spark_parquet(session, files.check())
        return spark_view(ibis.pyspark.connect(session), where)
    except Exception as error:
        if type(error).__module__ == "builtins" and isinstance(error, (TypeError, ValueError)):
            raise
        lost = getattr(session.sparkContext, "_jsc", session) is None
        raise_clearly("pyspark", doing, error, lost=lost)


# What came: an expression, a table of an engine, a table of another library


def same_engine(one: EngineTable, other: EngineTable) -> bool:
    """Whether one connection has both tables, so that a question may be about both."""
    a, b = one.expression.get_backend(), other.expression.get_backend()
    # Ibis takes two connections to nothing but memory for the same one.
    return a is b or (a.name == b.name == "pyspark" and session_of(a) is session_of(b))


def is_expression(data: object) -> bool:
    """Whether `data` is a table expression of Ibis, which need not be installed."""
    types = sys.modules.get("ibis.expr.types")
    return types is not None and isinstance(data, types.Table)


def as_engine_table(data: object) -> EngineTable | None:
    """Return the table of an engine that `data` is, if it is one."""
    if isinstance(data, EngineTable):
        return data
    return EngineTable(data) if is_expression(data) else None


def without_nan(expression: Any) -> Any:
    """Make NaN, which pandas takes for a missing number, NULL."""
    floats = [name for name, kind in expression.schema().items() if kind.is_floating()]
    if not floats:
        return expression
    import ibis

    known = {
        name: ibis.ifelse(expression[name].isnan(), ibis.null(), expression[name])
        for name in floats
    }
    return expression.mutate(*named(known))


def without_collation(expression: Any) -> Any:
    """Compare text by its characters where DuckDB was told to compare it otherwise."""
    backend = expression.get_backend()
    if backend.name != "duckdb":
        return expression
    try:
        ask = backend.con.execute
        [[default]] = ask("SELECT current_setting('default_collation')").fetchall()
        of = "SELECT sql FROM duckdb_{}() WHERE NOT internal"
        asked = f"{of.format('tables')} UNION ALL {of.format('views')}"
        known = [sql for [sql] in ask(asked).fetchall()]
        collated = any("COLLATE" in str(sql).upper() for sql in [*known, sql_of(expression)])
    except Exception as error:
        raise_clearly("duckdb", "looking for collations", error)
    if default and default.lower() != "binary":
        raise ValueError(
            f"data: this DuckDB compares text by the collation {default!r}, so it would take"
            f" different texts for one; SET default_collation = '' before the table is asked."
        )
    texts = [name for name, kind in expression.schema().items() if kind.is_string()]
    if not collated or not texts:
        return expression
    import ibis

    builtin = ibis.udf.scalar.builtin
    encode = builtin(_of_text, name="encode", signature=(("string",), "binary"))
    decode = builtin(_of_text, name="decode", signature=(("binary",), "string"))
    plain = {name: decode(encode(expression[name])) for name in texts}
    return expression.mutate(*named(plain))


def _of_text(text: Any) -> Any:
    """Stand for a function that DuckDB has."""


# Questions and answers


def fetch(expression: Any) -> Any:
    """Fetch what an expression stands for, as an Arrow table."""
    _undo()
    backend = expression.get_backend()
    if backend.name != "pyspark":
        return expression.as_table().to_pyarrow()
    # Ibis goes by way of pandas, which has an object for each text.
    return spark_frame(backend, expression.as_table()).toArrow()


def spark_frame(backend: Any, expression: Any) -> Any:
    """Return what an expression stands for as a Spark DataFrame, which nobody computed yet."""
    hand_over(expression)
    return backend.raw_sql(sql_of(expression))


_SESSIONS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def session_of(backend: Any) -> Any:
    """The Spark session of a connection, asked for once; None for another engine."""
    if backend.name != "pyspark":
        return None
    if backend not in _SESSIONS:
        _SESSIONS[backend] = backend.raw_sql("SELECT 1").sparkSession
    return _SESSIONS[backend]


def hand_over(expression: Any) -> None:
    """Have Ibis give the engine what an expression has in memory, before its SQL is run."""
    from ibis.expr import operations

    if expression.op().find((operations.InMemoryTable, operations.ScalarUDF)):
        expression.limit(0).to_pyarrow()  # the engine is given all of it, and asked for no row


def sql_of(expression: Any) -> str:
    """Return the SQL that the engine of an expression gets."""
    import ibis

    return str(ibis.to_sql(expression))


def named(cells: Mapping[str, Any]) -> list[Any]:
    """Expressions with their names; a keyword of Python's could not be called 'self'."""
    return [cell.name(name) for name, cell in cells.items()]


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with underscores after it until no column has it."""
    low = {other.lower() for other in taken}  # engines take A and a for one name
    while name.lower() in low:
        name += "_"
    return name


def upload(table: EngineTable, arrow: Any) -> Any:
    """Make a small Arrow table a table of the engine."""
    import ibis

    arrow = without_codes(arrow)
    backend = table.expression.get_backend()
    if backend.name == "pyspark":
        # Straight from Arrow: by way of pandas a missing text would become the text "NaN".
        return spark_view(backend, session_of(backend).createDataFrame(arrow))
    shown = ibis.memtable(arrow)
    if backend.name == "duckdb":  # where Ibis would leave it as long as there is a connection
        at_the_end(shown.op(), partial(backend.con.unregister, shown.op().name))
    return shown


def without_codes(arrow: Any) -> Any:
    """Cells of an Arrow table as they are, where it has codes of them."""
    import pyarrow as pa

    for j, column in enumerate(arrow.columns):
        if pa.types.is_dictionary(column.type):
            cells = column.cast(column.type.value_type)
            arrow = arrow.set_column(j, arrow.column_names[j], cells)
    return arrow


def spark_view(backend: Any, frame: Any, *undo: Callable[[], Any]) -> Any:
    """Give a Spark DataFrame a name, for as long as somebody asks for it."""
    name = f"table_{uuid.uuid4().hex}"
    frame.createOrReplaceTempView(name)
    table = backend.table(name)
    at_the_end(table.op(), partial(frame.sparkSession.catalog.dropTempView, name), *undo)
    return table


def at_the_end(held: Any, *undo: Callable[[], Any]) -> None:
    """Undo in the engine what an object needed, once nobody asks for it any more.

    What Python's garbage collector finds waits for the next question: it may run in the middle
    of one, of ours or not, whose answer the engine would then lose or give to another.
    """
    weakref.finalize(held, _undo, undo).atexit = False  # the engine is gone by then


_WAITING: deque[Callable[[], Any]] = deque()
_collecting = False


def _watch(phase: str, _: Mapping[str, int]) -> None:
    global _collecting
    _collecting = phase == "start"


gc.callbacks.append(_watch)


def _undo(undo: Sequence[Callable[[], Any]] = ()) -> None:
    """Undo this, after what was waiting; or let it wait."""
    _WAITING.extend(undo)
    while _WAITING and not _collecting:
        with contextlib.suppress(Exception):  # a connection that was closed has forgotten it
            _WAITING.popleft()()


# From Arrow to codes


def encode_arrow(arrow: Any) -> Encoded:
    """Replace the cells of an Arrow table by codes."""
    pairs = [
        _encode_chunks(column) or encode_column(pd.Series(column_of_arrow(column, name)))
        for name, column in zip(arrow.column_names, arrow.columns, strict=True)
    ]
    return Encoded([codes for codes, _ in pairs], [held for _, held in pairs], arrow.num_rows)


def _encode_chunks(column: Any) -> tuple[IntArray, pd.Index] | None:
    """Codes of whole numbers that are close together, without a copy of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type) and pa.types.is_integer(column.type.value_type):
        return _encode_codes(column.combine_chunks())
    if not pa.types.is_integer(column.type) or column.null_count or not len(column):
        return None
    low, high = pc.min_max(column).as_py().values()
    return encode_whole([chunk.to_numpy() for chunk in column.chunks], low, high)


def _encode_codes(column: Any) -> tuple[IntArray, pd.Index] | None:
    """Codes of whole numbers that Arrow has as codes, if it has one for each cell."""
    import pyarrow as pa

    if column.indices.null_count:
        return None
    behind = encode_arrow(pa.table({"": column.dictionary}))
    codes, seen = close_gaps(behind.codes[0].take(column.indices.to_numpy()))
    return codes, behind.values[0].take(seen)


# Files and errors


def write_parquet(expression: Any, path: str | os.PathLike[str]) -> Path:
    """Have an engine write a table of results; a failure leaves no partial file behind.

    Parameters
    ----------
    expression : ibis Table
        What a metric returned for each record.
    path : path
        Where to. DuckDB writes a file, Spark a folder of files; a file that was there, or a
        folder that Spark wrote, is replaced once all is written. Another folder is refused.

    Returns
    -------
    Path
        Where the table is.

    Raises
    ------
    FileNotFoundError, OSError, RuntimeError, TypeError, ValueError
        If the folder is missing, `path` is a folder of something else, the disk is full, or
        the engine fails.

    Examples
    --------
    >>> import ibis, pyarrow, tempfile
    >>> ids = ibis.memtable(pyarrow.table({"id": [1, 2]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_parquet(ids, folder + "/ids.parquet")
    ...     len(pd.read_parquet(path))
    2
    """
    if isinstance(expression, EngineTable):
        expression = expression.expression
    if not is_expression(expression):
        _check_readable(expression)
    target = _check_goes_there(path)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with clear_errors(EngineTable(expression), f"writing {target.name}"):
            _write(expression, partial)
        _replace(partial, target)
    finally:
        _remove(partial)
    return target


def _write(expression: Any, path: Path) -> None:
    """Have the engine write a file or folder, or write the file here if the engine may not."""
    backend = expression.get_backend()
    if backend.name != "duckdb" or _reads_files(backend.con):
        expression.to_parquet(path)
        return
    from pyarrow import parquet

    hand_over(expression)
    found = backend.con.sql(sql_of(expression))
    # Ibis 12 asks DuckDB 2 by a name that it has given up.
    names = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")
    named = [name for name in names if hasattr(found, name)]
    batches = getattr(found, named[0])()
    with parquet.ParquetWriter(path, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _replace(new: Path, target: Path) -> None:
    """Put what was written in its place; what was there goes once the new is in place."""
    if not (target.is_dir() or new.is_dir()):
        os.replace(new, target)
        return
    old = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with contextlib.suppress(FileNotFoundError):
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    _remove(old)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def clear_errors(table: EngineTable, doing: str) -> Iterator[None]:
    """Turn whatever an engine raises into one clear error."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        if type(error).__module__ == "builtins" and isinstance(error, (TypeError, ValueError)):
            raise
        raise_clearly(table.engine, doing, error, lost=_is_stopped(table))


def raise_clearly(
    engine: str, doing: str, error: Exception, *, lost: bool = False
) -> NoReturn:
    """Raise what an engine's failure means; its own words stay unsaid if they may be cells."""
    if _is_interrupt(error):
        raise KeyboardInterrupt from None
    clear = engine_error(engine, doing, error, lost=lost)
    raise clear from (error if _may_be_said(error) else None)


def _is_stopped(table: EngineTable) -> bool:
    """Whether the Spark session of a table was stopped, which Spark says in odd ways."""
    try:
        session = session_of(table.expression.get_backend())
    except Exception:
        return True
    return session is not None and getattr(session.sparkContext, "_jsc", session) is None


def size_in_words(size: int) -> str:
    """Bytes as a person would say them."""
    for unit, worth in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= worth:
            return f"{size / worth:.3g} {unit}"
    return f"{size} bytes"


# What is refused


def check_budget(budget: object) -> int:
    """Return the bytes that a budget means."""
    if isinstance(budget, Integral) and not isinstance(budget, bool) and int(budget) > 0:
        return int(budget)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?b)\s*", str(budget).lower())
    if isinstance(budget, str) and found and 0 < float(found[1]) < 2**53:
        return max(int(float(found[1]) * UNITS[found[2]]), 1)
    raise ValueError(
        f"budget must be a number of bytes, or text such as '500 MB' or '2 GB'; got"
        f" {repr(budget)[:80]}."
    )


def check_engine_column(
    columns: Sequence[str], name: object, argument: str, kind: Any = None
) -> str:
    """Return the name of a column that the table has and whose cells can be compared."""
    if not isinstance(name, str) or name not in columns:
        close = difflib.get_close_matches(str(name), list(columns), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"{argument}: there is no column {name!r}.{hint} The columns are"
            f" {', '.join(map(repr, columns))}."
        )
    nested = getattr(kind, "is_nested", None)
    if (nested is not None and nested()) or (isinstance(kind, str) and "nested" in kind):
        raise TypeError(
            f"{argument}: column {name!r} holds {kind} cells, which cannot be compared; unnest"
            f" it into columns of numbers or text first."
        )
    if kind is not None and not isinstance(kind, str):
        if kind.is_interval() or kind.is_unknown() or kind.is_null():
            what = "spans of time" if kind.is_interval() else "cells of a type unknown here"
            what = "missing cells only, which have no type" if kind.is_null() else what
            raise TypeError(
                f"{argument}: column {name!r} holds {what}; make numbers or text of it in the"
                f" engine first, such as CAST({name} AS VARCHAR)."
            )
    return name


def check_engine_rows(rows: int) -> int:
    """Return the number of rows if there are any."""
    if rows == 0:
        raise ValueError(
            "data has no rows, so nothing can be measured; pass a table with at least one"
            " record."
        )
    return rows


def _check_one_engine_table(there: Sequence[str], table: str | None) -> str:
    """Return the name of the table to open."""
    names = ", ".join(map(repr, sorted(there))) or "none"
    if table is None and len(there) == 1:
        return there[0]
    if table is None:
        raise ValueError(f"table: the database has {len(there)} tables ({names}); say which.")
    if table not in there:
        raise ValueError(f"table: there is no table {table!r}; the tables are {names}.")
    return table


def _check_beside(beside: Any, kind: type, settings: Any) -> Any:
    """Return the table whose connection is to be used."""
    if not isinstance(beside, kind):
        raise TypeError(
            f"beside must be a table that open_table returned; got"
            f" {type(beside).__module__}.{type(beside).__qualname__}."
        )
    if settings:
        raise ValueError(
            f"beside: the connection is open already, so it takes no settings; got"
            f" {', '.join(settings)}."
        )
    return beside


def _check_goes_there(path: Any) -> Path:
    """Return where Parquet is to be written, which is no folder of something else."""
    target = Path(path)
    # Path leaves out what says "into this folder".
    if str(path).endswith(("/", os.sep)) or target.is_dir() and not _is_written(target):
        raise ValueError(
            f"path: {str(path)!r} is a folder, and what is in it is not replaced; name a file"
            f" in it, such as {str(target / 'result.parquet')!r}."
        )
    check_target(target.parent, target.parent.exists())
    return target


def _is_written(folder: Path) -> bool:
    """Whether all in a folder is of one table that an engine wrote as Parquet, or nothing."""
    plain = re.compile(r"part-.*\.parquet|_SUCCESS|\.(part-.*\.parquet|_SUCCESS)\.crc")
    parts = list(folder.iterdir())
    known = (plain.fullmatch(one.name) and one.is_file() for one in parts)
    return "_SUCCESS" in {one.name for one in parts} and all(known)


def _check_files_allowed(allowed: bool, path: Path) -> None:
    """Refuse a file beside a view of a database, whose connection reads none."""
    if not allowed:
        raise ValueError(
            f"beside: that connection reads no files, as it has a view of a database, which"
            f" could read any; open {path.name!r} without beside, or make a table of the view"
            f" in its database."
        )


def _check_readable(where: object) -> NoReturn:
    """Refuse what no engine reads."""
    came = f"{type(where).__module__}.{type(where).__qualname__}"
    raise TypeError(
        f"where must be a path, an ibis Table or a Spark DataFrame; got {came}. A DataFrame of"
        f" pandas, Polars or Arrow is passed to the metrics as it is."
    )


def _is_interrupt(error: Exception) -> bool:
    """Whether an error is what DuckDB makes of Ctrl-C."""
    return type(error).__name__ == "InterruptException" or (
        isinstance(error, RuntimeError) and str(error).strip() == "Query interrupted"
    )


def _may_be_said(error: Exception) -> bool:
    """Whether an engine's own words hold no cell: of files, memory, names and connections."""
    kind = type(error).__name__
    return kind in SAID or "JAVA_GATEWAY" in str(error)


def engine_error(
    engine: str,
    doing: str,
    error: Exception,
    *,
    lost: bool = False,
    words: bool | None = None,
) -> Exception:
    """Say what an engine's failure means, in one line without a cell, and the way out.

    `words` says whether the engine's own words are among it; by default if they hold no cell.
    """
    kind = type(error).__name__
    # Where in Java it happened is not what happened.
    lines = [line.strip(" :\t") for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("at ", "..."))]
    if len(lines) > 1 and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    first = lines[0] if lines else kind
    named = re.match(r"\[[A-Z0-9_.]+\]", first)  # what Spark calls it
    words = _may_be_said(error) if words is None else words
    said = f": {first[:300]}" if words else f": {named[0]}" if named else ""
    what = f"{engine} failed while {doing} ({kind}{said})"
    low = f"{kind} {' '.join(lines)}".lower()
    memory, folder = SETTINGS.get(engine, SETTINGS["duckdb"])
    if "no space left" in low or "disk" in low and ("full" in low or "space" in low):
        return OSError(
            errno.ENOSPC,
            f"{what}; free disk space, or point the engine's temporary folder ({folder}) to a"
            f" larger disk.",
        )
    if "outofmemory" in low or "out of memory" in low:
        return MemoryError(
            f"{what}; give the engine more memory ({memory}), or a temporary folder ({folder})"
            f" that it can spill to."
        )
    if kind == "PermissionException":
        return PermissionError(
            f"{what}; a view of a database may read no other file: if you trust it, make a"
            f" table of it there."
        )
    if kind == "IbisTypeError":
        return TypeError(
            f"{what}; a column is of a type whose cells cannot be compared there: make text of"
            f" it before you open the table."
        )
    if lost or any(word in low for word in LOST):
        return ConnectionError(f"{what}; open the connection again and repeat the call.")
    return RuntimeError(f"{what}; ask the engine itself, whose own words could show cells.")


def check_needs_memory(fits: bool, what: str, size: str) -> None:
    """Refuse what cannot be computed in an engine when the class table does not fit."""
    if not fits:
        raise ValueError(
            f"budget: {what} needs the class table in memory, about {size}; raise the budget,"
            f" or ask for fewer or coarser columns."
        )
