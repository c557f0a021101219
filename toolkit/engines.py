"""Tables that stay in DuckDB or Spark, where the engine counts and the usual metrics measure.

A metric of classes needs only the number of records that share each combination of values. An
engine counts them by GROUP BY and keeps the counts. Counts that fit a budget are fetched once;
others are fetched in parts of whole classes, and each part is measured like a table in memory.
So each formula is written once, and the answers are the same as in memory.

`EngineTable.counts` has the engine count, `Parts` turns counts into class tables, and
`EngineTable._joined` gives each record the number of its class. `open_table` and
`write_parquet` are what users call; `DuckDB` and `Spark` say where two engines differ.
"""

# Longer than other modules: opening, counting, linking and writing share one class.

from __future__ import annotations

import copy
import itertools
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd

from ._arguments import check_columns, check_number, listed
from ._typing import Column, Columns, Table, check_extra, frame_of_arrow
from .classes import ClassTable, class_table, link
from .io import PARQUET, existing

DATABASES = (".duckdb", ".ddb", ".db")
CELL_BYTES = 40  # for a fetched cell and the numbers measured from it
BUCKETS = 256  # counts that exceed the budget are fetched in parts of whole buckets
NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Plan:
    """A query for the distinct rows of some columns and their records."""

    sql: str
    rows: int
    parts: int
    """Number of parts in which the rows are fetched: 1 if they fit the budget."""
    columns: tuple[str, ...] = field(default=(), repr=False)
    name: str = field(default="", repr=False)
    """Name of the table of counts in the engine, if the counts were kept."""

    def __str__(self) -> str:
        """Show the query and the size of its result."""
        return f"{self.sql}\n{self.rows:,} distinct rows, fetched in {self.parts:,} part(s)"


# Engines: from SQL to Arrow


class DuckDB:
    """A connection to DuckDB."""

    # Name, quotation mark of names, how a result is kept, and types of floats.
    name, mark, keep, floats = "DuckDB", '"', "CREATE TEMP TABLE", ("FLOAT", "DOUBLE")
    nested = (  # types whose cells are not compared
        r".*(\[\d*\]|STRUCT\(|MAP\(|UNION\(|VARIANT|GEOMETRY|INTERVAL).*|TIME WITH TIME ZONE"
    )
    bucket = f"hash({{}}) % {BUCKETS}"
    """SQL for the bucket of a row, from the columns that make its class."""

    def __init__(self, connection: Any) -> None:
        self.connection, self.execute = connection, connection.execute

    def run(self, sql: str) -> Any:
        """Return the rows of a query as an Arrow table."""
        return self.connection.sql(sql).to_arrow_table()

    def upload(self, name: str, arrow: Any) -> None:
        """Keep an Arrow table under a name."""
        self.connection.register(f"{name}_", arrow)
        self.execute(f"CREATE TEMP TABLE {name} AS FROM {name}_")
        self.connection.unregister(f"{name}_")

    def write(self, sql: str, path: Path) -> None:
        """Write the rows of a query as a Parquet file."""
        from pyarrow import parquet

        batches = self.connection.sql(sql).to_arrow_reader()
        with parquet.ParquetWriter(path, batches.schema) as file:
            for batch in batches:
                file.write_batch(batch)


class Spark:
    """A session of Spark."""

    name, mark, keep, floats = "Spark", "`", "CACHE TABLE", ("float", "double")
    nested = r"(array|struct|map|variant|interval|void).*|.* collate .*"
    bucket = f"pmod(hash({{}}), {BUCKETS})"

    def __init__(self, session: Any) -> None:
        self.session, self.execute = session, session.sql

    def run(self, sql: str) -> Any:
        """Return the rows of a query as an Arrow table."""
        return self.session.sql(sql).toArrow()

    def upload(self, name: str, arrow: Any) -> None:
        """Keep an Arrow table under a name."""
        self.session.createDataFrame(arrow).createOrReplaceTempView(name)

    def write(self, sql: str, path: Path) -> None:
        """Write the rows of a query as a folder of Parquet files."""
        self.session.sql(sql).write.parquet(str(path))


def quoted(names: Iterable[str], mark: str = '"') -> str:
    """Write names in SQL, with commas between them.

    Examples
    --------
    >>> quoted(["age", '12" pipe'])
    '"age", "12"" pipe"'
    """
    return ", ".join(mark + name.replace(mark, mark * 2) + mark for name in names)


# Tables


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table in an engine; metrics take it in place of a DataFrame. See `open_table`."""

    engine: Any
    """`DuckDB` or `Spark`."""
    view: str
    """Name of the table or view in SQL, as after FROM."""
    key: str | None = None
    """The column that identifies a record; it is not measured."""
    budget: float = 1e9
    """Bytes that fetched counts may take."""
    plans: list[Plan] = field(default_factory=list, repr=False)
    """The queries for counts so far."""
    target: Path | None = field(default=None, repr=False)
    """File for answers per record; None to return them."""
    # The counts that were kept, by their columns; and what `parts` answered last.
    _counted: dict[tuple[str, ...], Plan] = field(default_factory=dict, repr=False)
    _last: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        """Name the engine and the columns, without cells."""
        return f"<table in {self.engine.name} of columns {listed(self.features)}>"

    @cached_property
    def types(self) -> dict[str, str]:
        """Type of each column in the engine."""
        described = self.ask(f"DESCRIBE SELECT * FROM {self.view}", "reading the columns")
        return dict(zip(*(described.column(j).to_pylist() for j in (0, 1)), strict=True))

    @property
    def columns(self) -> pd.Index:
        """Names of the columns."""
        return pd.Index([*self.types], dtype=object)

    @property
    def features(self) -> list[str]:
        """Names of all columns except the key."""
        return [name for name in self.types if name != self.key]

    @cached_property
    def records(self) -> int:
        """Rows of the table."""
        return self.numbers(f"SELECT COUNT(*) FROM {self.view}", "counting the records")[0]

    @cached_property
    def n(self) -> str:
        """Name of the column of records in all counts; no other column has it."""
        longest = max(map(len, self.types))
        return "n" * (longest + 1) if "n" in map(str.lower, self.types) else "n"

    def ask(self, sql: str, doing: str) -> Any:
        """Return the rows of a query as an Arrow table."""
        with one_sentence(self.engine, doing):
            return self.engine.run(sql)

    def numbers(self, sql: str, doing: str) -> list[int]:
        """Return the only row of a query as whole numbers, with 0 for NULL."""
        return [int(column[0].as_py() or 0) for column in self.ask(sql, doing).columns]

    def quoted(self, names: Iterable[str]) -> str:
        """Write names in SQL, with commas between them."""
        return quoted(names, self.engine.mark)

    def rows(self, limit: int | None = None) -> Any:
        """Fetch all or some records as an Arrow table in the order of the key."""
        size = CELL_BYTES * self.records * len(self.features)
        if limit is None and size > self.budget:
            raise ValueError(
                f"budget: all records are needed here, about {size:,} bytes; raise the budget,"
                f" or keep fewer columns."
            )
        order = "" if self.key is None else f" ORDER BY {self.quoted([self.key])}"
        most = "" if limit is None else f" LIMIT {limit}"
        cells = f"SELECT {self._cells(self.features)} FROM {self.view}{order}{most}"
        return self.ask(cells, "fetching the records")

    def repeats(self, names: Sequence[str], known: Sequence[str]) -> Any:
        """Count records repeated in `names`, distinct rows, and records unique in `known`."""
        plan = self.counts(names)
        again = f"COUNT(*) AS r, SUM(CASE WHEN {self.n} > 1 THEN {self.n} END) AS a"
        inner = f"SELECT {again} FROM {plan.name}{self._group(known)}"
        sums = "SUM(a), SUM(r), SUM(CASE WHEN r = 1 THEN 1 END)"
        return (*self.numbers(f"SELECT {sums} FROM ({inner}) AS c", "comparing records"),)

    # Counts

    def _cells(self, names: Sequence[str]) -> str:
        """SQL of columns, with cells equal where pandas takes them as equal."""
        cells = []
        for name in names:
            cell, kind = self.quoted([name]), self.types[name]
            if re.fullmatch(self.engine.nested, kind):
                raise TypeError(
                    f"data: column {name!r} is of type {kind} in {self.engine.name}, whose"
                    f" cells are not compared; convert it there to text or numbers first."
                )
            if kind in self.engine.floats:  # NaN is missing, and -0.0 is 0.0
                known = f"CASE WHEN isnan({cell}) THEN NULL ELSE {cell} + 0.0 END"
                cell = f"CAST({known} AS {kind}) AS {cell}"
            cells.append(cell)
        return ", ".join(cells) or "1"

    def _group(self, names: Sequence[str]) -> str:
        return f"\nGROUP BY {self.quoted(names)}" if names else ""

    def _counting(self, names: Sequence[str]) -> str:
        """SQL for the distinct rows of some columns and their records."""
        source, number = f"(SELECT {self._cells(names)} FROM {self.view}) AS c", "COUNT(*)"
        wider = [plan for columns, plan in self._counted.items() if {*names} <= {*columns}]
        if wider:  # counts by more columns have fewer rows than the table
            source = min(wider, key=lambda plan: plan.rows).name
            number = f"CAST(SUM({self.n}) AS BIGINT)"
        cells = f"{self.quoted(names)}, " if names else ""
        return f"SELECT {cells}{number} AS {self.n}\nFROM {source}{self._group(names)}"

    def counts(self, names: Sequence[str]) -> Plan:
        """Count the records of each distinct row of some columns, and keep the counts."""
        columns = tuple(names)
        if columns not in self._counted:
            sql, name = self._counting(names), f"privacy_counts_{next(NUMBERS)}"
            with one_sentence(self.engine, f"counting {listed(names)}"):
                self.engine.execute(f"{self.engine.keep} {name} AS {sql}")
            rows = self.numbers(f"SELECT COUNT(*) FROM {name}", "counting")[0]
            parts = math.ceil(rows * CELL_BYTES * (len(names) + 1) / self.budget)
            parts = max(min(parts, rows, BUCKETS), 1)
            self._counted[columns] = Plan(sql, rows, parts, columns, name)
            self.plans.append(self._counted[columns])
        return self._counted[columns]

    def fetched(self, plan: Plan, where: str = "") -> tuple[Any, Any]:
        """Fetch counts: the cells as an Arrow table, and the records of each of its rows."""
        rows = self.ask(f"SELECT * FROM {plan.name}{where}", "fetching counts")
        return rows.select([*plan.columns]), rows.column(self.n).to_numpy()

    # What the metrics ask

    def named(self, keys: Any, argument: str) -> list[str]:
        """Names of columns; refuse the key."""
        names = [str(self.columns[j]) for j in check_columns(self.columns, keys, argument)]
        if self.key in names:
            raise ValueError(f"{argument}: {self.key!r} is the key, which is not measured.")
        return names

    def parts(
        self,
        quasi_identifiers: Columns,
        sensitive: Columns = None,
        *,
        missing: str = "category",
        person: Column = None,
        sizes: bool = False,
    ) -> Any:
        """Class tables of whole classes; a single one if the counts fit the budget.

        If `sizes` suffice, classes of equal size are counted as one, and no cell is fetched.
        """
        if missing != "category":
            raise ValueError(
                f"missing={missing!r} is for tables in memory; leave out incomplete records"
                f" in the engine first."
            )
        known = self.named(quasi_identifiers, "quasi_identifiers")
        if sizes and person is None:
            return [self._sizes(known)]
        given = {"sensitive": sensitive, "person": person}.items()
        roles = {role: self.named([key], role)[0] for role, key in given if key is not None}
        if self._last.get("asked") != (known, roles):
            self._last.update(asked=(known, roles), parts=Parts(self, known, roles))
        return self._last["parts"]

    def _sizes(self, known: Sequence[str]) -> ClassTable:
        """Class table that merges classes of equal size into one class, without labels."""
        n = self.n
        sql = f"SELECT {n}, COUNT(*) FROM ({self._counting(known)}) AS c\nGROUP BY {n}"
        columns = self.ask(sql, f"counting {listed(known)}").columns
        size, classes = (column.to_numpy() for column in columns)
        self.plans.append(Plan(sql, int(classes.sum()), 1))
        merged = class_table(pd.DataFrame({"size": size}), "size", weights=size * classes)
        return replace(merged, alike=size)

    def linked_parts(
        self, population: Table, known: Columns, *, role: str = "population", **options: Any
    ) -> Parts:
        """Classes of the table beside those of its population."""
        if type(getattr(population, "engine", None)) is not type(self.engine):
            raise TypeError(
                "population must be a table of the same kind of engine as data; open it with"
                " open_table, too."
            )
        here: Parts = self.parts(known, **options)
        names, whose = population.named(here.known, role), here.roles.get("person")
        people = whose if whose in population.columns else None
        return here.beside(population.parts(names, person=people), role)

    def per_record(
        self,
        of_table: Callable[[Any], dict[str, Any]],
        *roles: Columns,
        population: Table = None,
        **options: Any,
    ) -> Any:
        """Give each record, named by its key, the numbers of its class."""
        parts: Parts
        if population is None:
            parts = self.parts(*roles, **options)
        else:
            parts = self.linked_parts(population, roles[0], **options)

        def answers() -> Iterator[Any]:
            for cells, part in parts.walk():
                classes, first = np.unique(part.ids, return_index=True)
                numbers = {n: np.asarray(c)[classes] for n, c in of_table(part).items()}
                yield cells.select(parts.known).take(first), numbers

        self._check_fits(1)
        return self._joined(answers(), parts.known)

    def measure_cells(self, function: Callable[..., Any], **options: Any) -> Any:
        """Measure the cells of all records by a function of distinct rows with weights."""
        plan = self.counts(self.features)
        if plan.parts == 1:
            cells, weights = self.fetched(plan)
            answer = function(frame_of_arrow(cells), weights=weights, **options)
            if not isinstance(answer, pd.DataFrame):
                return answer
            numbers = {name: answer[name].to_numpy() for name in self.features}
            return self._joined(iter([(cells, numbers)]), self.features)
        if function.__name__ not in WINDOWS or options:
            raise ValueError(
                f"budget: {function.__name__} with these arguments needs all distinct rows in"
                f" memory; raise the budget, or leave out columns."
            )
        return self._answered(self._window_sql(WINDOWS[function.__name__]), self.features)

    def _joined(self, answers: Iterator[Any], names: Sequence[str]) -> Any:
        """Join answers to the records by cells; each answer has Arrow cells and numbers."""
        import pyarrow as pa

        key, tables, columns = self.identifier, [], []
        for cells, numbers in answers:
            columns = [*numbers]
            table = dict(zip([f"l{j}" for j in range(len(names))], cells.columns, strict=True))
            table |= {f"v{j}": pa.array(numbers[name]) for j, name in enumerate(columns)}
            tables.append(f"privacy_answers_{next(NUMBERS)}")
            with one_sentence(self.engine, "joining answers"):
                self.engine.upload(tables[-1], pa.table(table))
        source = " UNION ALL ".join(f"SELECT * FROM {name}" for name in tables)
        alike = [
            f"c.{self.quoted([name])} IS NOT DISTINCT FROM a.l{j}"
            for j, name in enumerate(names)
        ]
        values = [f"a.v{j} AS {self.quoted([name])}" for j, name in enumerate(columns)]
        sql = (
            f"SELECT {', '.join([f'c.{key}', *values])}"
            f" FROM (SELECT {key}, {self._cells(names)} FROM {self.view}) AS c"
            f" LEFT JOIN ({source}) AS a ON {' AND '.join(alike) or '1 = 1'}"
        )
        return self._answered(sql, columns)

    def _answered(self, sql: str, columns: Sequence[str]) -> Any:
        """Write one row of numbers for each record, or fetch them."""
        self._check_fits(len(columns))
        if self.target is not None:
            with one_sentence(self.engine, f"writing {self.target.name}"):
                self.engine.write(sql, self.target)
            frame = pd.DataFrame(columns=[*columns], dtype=float)
        else:
            ordered = f"{sql} ORDER BY c.{self.identifier}"
            frame = self.ask(ordered, "fetching answers").to_pandas().set_index(self.key)
        return frame if columns == self.features else frame.iloc[:, 0]

    def _check_fits(self, columns: int) -> None:
        """Refuse to return so many numbers per record if they exceed the budget."""
        if self.target is None and 8 * self.records * (columns + 1) > self.budget:
            raise ValueError(
                "budget: the answers per record exceed the budget; write them to a file by"
                " write_parquet(function, table, columns, path)."
            )

    def _window_sql(self, formula: str) -> str:
        """SQL of a formula for each cell; contexts are windows over the other columns.

        Inside, the columns are called x0, x1, …, so that none has the name of a number.
        """
        key, names = self.identifier, [f"x{j}" for j in range(len(self.features))]
        inner = [f"CAST(COUNT(*) OVER (PARTITION BY {', '.join(names)}) AS DOUBLE) AS same"]
        outer = [f"id AS {key}"]
        for j, name in enumerate(names):
            others = ", ".join(names[:j] + names[j + 1 :])
            context = f"OVER ({others and f'PARTITION BY {others}'})"
            prior = f"CAST(COUNT(*) OVER (PARTITION BY {name}) AS DOUBLE) / COUNT(*) OVER ()"
            inner += [f"COUNT(*) {context} AS context{j}", f"{prior} AS q{j}"]
            value = formula.format(p=f"same / context{j}", q=f"q{j}", context=context)
            outer.append(f"{value} AS {self.quoted([self.features[j]])}")
        cells = f"SELECT {key}, {self._cells(self.features)} FROM {self.view}"
        cells = f"({cells}) AS cells(id, {', '.join(names)})"
        windows = f"SELECT *, {', '.join(inner)} FROM {cells}"
        return f"SELECT * FROM (SELECT {', '.join(outer)} FROM ({windows}) AS w) AS c"

    @property
    def identifier(self) -> str:
        """The key in SQL."""
        if self.key is None:
            raise ValueError(
                "the rows of an engine have no order, so answers per record need a key; name"
                " the column that tells records apart: open_table(…, key='id')."
            )
        return self.quoted([self.key])


WINDOWS = {
    "cell_information_gain": "GREATEST(AVG(LOG2({p} / {q})) {context}, 0)",
    "cell_surprise_factor": "ABS({p} - {q})",
}
"""Formulas for a cell, from the share p of its value in its context and its prior q.

The gain is the sum of p log2(p / q) over the values of a context: a mean over its records.
"""


class Parts:
    """Class tables of whole classes, which can be iterated more than once.

    Counts that fit the budget are one part. Others are divided into buckets by a hash of the
    quasi-identifiers, so that a class is in one bucket, and a part is a range of buckets.
    """

    population: Parts | None = None
    """Classes to put beside those of the table, and their role."""
    role = ""

    def __init__(
        self, table: EngineTable, known: Sequence[str], roles: dict[str, str]
    ) -> None:
        self.table, self.known, self.roles = table, known, roles
        self.plan = table.counts([*dict.fromkeys([*known, *roles.values()])])
        self.count = self.plan.parts if known else 1
        self.bucket = table.engine.bucket.format(table.quoted(known))
        if self.count > 1:  # sorted, so that a part is read without the others
            name = f"privacy_parts_{next(NUMBERS)}"
            rows = f"SELECT *, {self.bucket} AS bucket_of_{name} FROM {self.plan.name}"
            self.bucket, self.plan = f"bucket_of_{name}", replace(self.plan, name=name)
            making = f"{table.engine.keep} {name} AS {rows} ORDER BY {self.bucket}"
            with one_sentence(table.engine, "dividing counts"):
                table.engine.execute(making)

    def beside(self, population: Parts, role: str) -> Parts:
        """Return the same classes linked with those of a population."""
        linked = copy.copy(self)
        linked.population, linked.count = population, max(self.count, population.count)
        linked.role = role if linked.count == 1 else "population"  # parts need equal types
        return linked

    def _table(self, where: str = "", totals: pd.Series | None = None) -> tuple[Any, Any]:
        cells, weights = self.table.fetched(self.plan, where)
        if where and not len(weights):  # a part of data is never empty
            raise ValueError(
                "the population has no record of some classes of data. The population must"
                " contain the sample, and be recoded in the same way."
            )
        options: Any = {**self.roles, "weights": weights, "totals": totals}
        return cells, class_table(frame_of_arrow(cells), self.known, **options)

    whole = cached_property(_table)
    """Cells and class table of all counts."""

    @cached_property
    def totals(self) -> pd.Series:
        """Records of each sensitive value in the whole table."""
        secret = self.roles["sensitive"]
        cells, weights = self.table.fetched(self.table.counts([secret]))
        everyone = class_table(frame_of_arrow(cells), [], secret, weights=weights)
        return pd.Series(everyone.totals, everyone.values)

    def part(self, low: int, end: int) -> tuple[Any, ClassTable]:
        """Cells of a range of buckets, and their class table."""
        if end - low == BUCKETS:
            return self.whole
        totals = self.totals if "sensitive" in self.roles else None
        return self._table(f" WHERE {self.bucket} BETWEEN {low} AND {end - 1}", totals)

    def ranges(self) -> list[tuple[int, int]]:
        """First bucket of each part, and the bucket after its last; no part is empty."""
        if self.count == 1:
            return [(0, BUCKETS)]
        sql = f"SELECT DISTINCT {self.bucket} FROM {self.plan.name}"
        buckets = np.sort(self.table.ask(sql, "dividing counts").column(0).to_numpy())
        numbers = buckets * self.count // BUCKETS
        lows = buckets[np.flatnonzero(np.diff(numbers)) + 1]
        return [*itertools.pairwise([0, *lows.tolist(), BUCKETS])]

    def walk(self) -> Iterator[tuple[Any, Any]]:
        """Yield the cells and the class table of each part, one part at a time."""
        for low, end in self.ranges():
            cells, part = self.part(low, end)
            if self.population is not None:
                _, people = self.population.part(low, end)
                part = link(part, people, role=self.role)
            yield cells, part

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the class tables."""
        return (part for _, part in self.walk())


# Opening and writing


def open_table(
    where: Any,
    *,
    table: str | None = None,
    key: str | None = None,
    budget: float = 1e9,
    spark: Any = None,
    **settings: Any,
) -> EngineTable:
    """Open a table that stays in an engine, for the metrics to ask.

    Parameters
    ----------
    where : path, DuckDB connection or Spark DataFrame
        A Parquet file or a folder of Parquet files, a DuckDB database, or a table of an engine
        that is already open.
    table : str, optional
        Which table of a DuckDB database or connection; needed if there are several.
    key : str, optional
        The column that identifies a record, needed for answers per record. It is not
        measured.
    budget : float
        Memory that counts may take, in bytes. Counts that exceed the budget are fetched in at
        most 256 parts of whole classes; the answers are the same.
    spark : SparkSession, optional
        Session that reads the path, instead of DuckDB.
    **settings
        Settings of DuckDB, such as ``memory_limit="4GB"``.

    Returns
    -------
    EngineTable
        To be passed to a metric in place of a DataFrame. Its `plans` are the queries sent.

    Notes
    -----
    NaN in a column of numbers is missing, like NULL. The table of a folder consists of its
    Parquet files at any depth, without hidden files; folders called ``key=value`` add a column
    of text. A database is opened read-only, without extensions or access to other files, and
    its views are refused. A connection that you pass is used as it is. Counts are kept, so
    open the table again if its records changed.

    Examples
    --------
    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> _ = connection.sql("CREATE TABLE people AS SELECT 'A' AS town FROM range(2)")
    >>> people = open_table(connection, table="people")
    >>> people.records, people.features
    (2, ['town'])
    """
    engine: Any
    if spark is not None:
        where = _read_by_spark(existing(Path(where)), spark)
    if type(where).__module__.startswith("pyspark.sql"):
        engine, view = Spark(where.sparkSession), f"privacy_data_{next(NUMBERS)}"
        where.createOrReplaceTempView(view)
    elif type(where).__name__ == "DuckDBPyConnection":
        engine = DuckDB(where)
        counts = "temporary AND table_name LIKE 'privacy_%'"  # of metrics asked before
        view = quoted([_chosen(engine, table, f"NOT (internal OR {counts})")])
    elif not isinstance(where, (str, os.PathLike)):
        raise TypeError(
            f"where must be a path, a DuckDB connection or a Spark DataFrame; metrics take a"
            f" {type(where).__name__} as it is, if it is a table."
        )
    elif is_database(path := existing(Path(where))):
        engine, view = _open_database(path, table, settings)
    else:
        engine, view = _open_parquet(path, settings)
    memory = check_number(budget, "budget", "[1, inf)", "bytes of memory")
    opened = EngineTable(engine, view, key, memory)
    if key is not None:
        check_columns(opened.columns, [key], "key")
    return opened


def is_database(path: Path) -> bool:
    """True if a path has the ending of a DuckDB database and is not a folder."""
    return path.suffix.lower() in DATABASES and not path.is_dir()


def _connect(settings: Any) -> DuckDB:
    """Connect to a DuckDB that fetches no extension."""
    duckdb = check_extra("duckdb", "duckdb")
    config = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(Path(tempfile.gettempdir(), f"duckdb-{uuid4().hex}")),
        **settings,
    }
    with one_sentence(DuckDB, "starting"):
        connection = duckdb.connect(config=config)
        connection.execute("SET enable_progress_bar = false; SET default_collation = ''")
    return DuckDB(connection)


@cache
def _shared() -> DuckDB:
    """One DuckDB for all Parquet without settings, since starting another takes 20 ms."""
    return _connect({})


def _open_database(path: Path, table: str | None, settings: Any) -> tuple[DuckDB, str]:
    """Open a table of a DuckDB database, read-only; no other file is read from then on."""
    engine = _connect(settings)
    with one_sentence(engine, f"opening {path.name}"):
        engine.connection.execute(f"ATTACH {_string(path.absolute())} AS file (READ_ONLY)")
        engine.connection.execute("SET enable_external_access = false")
    where = "database_name = 'file' AND schema_name = 'main'"
    return engine, f"file.main.{quoted([_chosen(engine, table, where)])}"


def _chosen(engine: DuckDB, table: str | None, where: str) -> str:
    """Name of the table to open; refuse a view, which may read files or call macros."""
    default = "current_setting('default_collation') NOT IN ('', 'binary')"
    columns = f"table_name, sql ILIKE '%COLLATE%' OR {default}"
    with one_sentence(engine, "listing tables"):
        rows = engine.run(f"SELECT {columns} FROM duckdb_tables() WHERE {where}")
    collated: dict[str, bool] = {}
    for name, differs in zip(*(column.to_pylist() for column in rows.columns), strict=True):
        collated[name] = differs or collated.get(name, False)  # a schema may have it, too
    if table not in collated and not (table is None and len(collated) == 1):
        reason = "say which table" if table is None else f"there is no table {table!r}"
        listing = listed(sorted(collated)) or "none"
        raise ValueError(f"table: {reason}; there are {listing} (views are left out).")
    chosen: str = next(iter(collated)) if table is None else table
    if collated[chosen]:
        raise ValueError(
            f"table: {chosen!r} compares text by a collation, which takes different texts as"
            f" equal; save it as a table without COLLATE, and reset default_collation."
        )
    return chosen


def _open_parquet(path: Path, settings: Any) -> tuple[DuckDB, str]:
    """Open Parquet files by their names, so that DuckDB does not choose files itself."""
    files, folders = _parquet_files(path)
    engine = _connect(settings) if settings else DuckDB(_shared().connection.cursor())
    names = ", ".join(_string(re.sub(r"([*?\[])", r"[\1]", file)) for file in files)
    options = "union_by_name=true, hive_types_autocast=false"  # in any order of columns
    view = quoted([path.stem])
    with one_sentence(engine, f"opening {path.name}"):
        reading = f"read_parquet([{names}], {options}, hive_partitioning={folders})"
        engine.execute(f"CREATE TEMP VIEW {view} AS FROM {reading}")
    return engine, view


def _read_by_spark(path: Path, spark: Any) -> Any:
    """Open Parquet files by their names as a DataFrame of Spark."""
    files, _ = _parquet_files(path)
    literal = [re.sub(r"([*?\[\]{}\\])", r"\\\1", file) for file in files]
    above = path if path.is_dir() else path.parent  # whose folders name no column
    with one_sentence(Spark, f"opening {path.name}"):
        # Names of folders stay text, so that 0200 and 200 stay two codes.
        spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        reader = spark.read.options(basePath=str(above.absolute()))
        return reader.parquet(*literal)


def _parquet_files(path: Path) -> tuple[list[str], bool]:
    """Names of a file or of the Parquet files in a folder; True if folders name a column.

    A folder is searched at any depth, without hidden and temporary files.
    """
    parquet, files = check_extra("pyarrow.parquet", "files"), [path]
    if path.is_dir():
        parts = {file: file.relative_to(path).parts for file in sorted(path.rglob("*"))}
        if any({"_delta_log", ".hoodie"} & {*names} for names in parts.values()):
            raise ValueError(
                f"{str(path)!r} has a log of changes, and only the log tells which records"
                f" were deleted; write the table as plain Parquet first."
            )
        if any(file.is_symlink() and file.is_dir() for file in parts):
            raise ValueError(f"{str(path)!r} holds a link to a folder; open that by itself.")
        hidden = re.compile(r"\.|_(?!.*=)")
        files = [
            file
            for file, names in parts.items()
            if file.suffix.lower() in PARQUET and not any(map(hidden.match, names))
        ]
    if not files:
        raise ValueError(f"{str(path)!r} is a folder without a .parquet file; name a file.")
    folders = any("=" in str(file.relative_to(path).parent) for file in files)
    above = [part for file in files for part in file.absolute().parts[:-1] if folders]
    keys = [part.partition("=")[0].lower() for part in above if "=" in part]
    with one_sentence(DuckDB, f"opening {path.name}"):
        first, *others = [parquet.read_schema(file) for file in files]
    types = {column.name: column.type for column in first}
    for file, columns in zip(files[1:], others, strict=True):
        here = {column.name: column.type for column in columns}
        if different := sorted(dict(here.items() ^ types.items())):
            raise ValueError(
                f"the files of {str(path)!r} differ in their columns: {different[0]!r} is not"
                f" the same in {file.name!r} and {files[0].name!r}; write them with the same"
                f" columns and types."
            )
    for column in first:
        if column.name.lower() in keys or str(column.type).startswith("decimal256"):
            raise ValueError(
                f"column {column.name!r} of {str(path)!r} is a folder, too, or has decimal"
                f" numbers of more than 38 digits, which engines round: rename it, or write"
                f" it as text."
            )
    return [str(file.absolute()) for file in files], folders


def _string(text: Any) -> str:
    """Write a string in SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def write_parquet(
    function: Callable[..., Any],
    table: EngineTable,
    columns: Columns = None,
    path: Any = None,
    **options: Any,
) -> Path:
    """Write a metric's answers per record with the key, even if they exceed the budget.

    Parameters
    ----------
    function : callable
        A metric with an answer for each record, such as `record_class_sizes` or
        `cell_information_gain`.
    table : EngineTable
        A table with a key.
    columns : list of str, optional
        The second argument of the function; leave it out if the function takes all columns.
    path : path
        The output: DuckDB writes a file, Spark a folder. An existing file is replaced once
        everything is written; an existing folder is refused.
    **options
        Further arguments of the function.

    Returns
    -------
    Path
        Path of the answers.

    Examples
    --------
    >>> import duckdb, tempfile, toolkit as tk
    >>> connection = duckdb.connect()
    >>> rows = "SELECT i AS id, i % 2 AS sex FROM range(3) AS t(i)"
    >>> _ = connection.sql(f"CREATE TABLE people AS {rows}")
    >>> people = open_table(connection, table="people", key="id")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_parquet(tk.record_class_sizes, people, "sex", folder + "/k.parquet")
    ...     pd.read_parquet(path).sort_values("id")["records"].tolist()
    [2, 1, 2]
    """
    if not isinstance(table, EngineTable):
        raise TypeError(f"table must be what open_table returned; got {type(table).__name__}.")
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"path: {str(path)!r} is a folder; name a file, or a new folder.")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
        part, given = Path(folder, target.name), [] if columns is None else [columns]
        function(replace(table, target=part), *given, **options)
        if not part.exists():
            raise ValueError("function must have an answer for each record.")
        part.replace(target)
    return target


# Errors


CELLS = re.compile(r"""'[^']*'|"[^"]*"|\b\d[\w.,:/-]*""")
"""Parts of an engine's message that may be a cell."""


@contextmanager
def one_sentence(engine: Any, doing: str) -> Iterator[None]:
    """Turn an error of an engine into one sentence, in its own words and without cells."""
    try:
        yield
    except Exception as error:
        if type(error).__module__ == "builtins" and type(error) is not RuntimeError:
            raise
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        words = CELLS.sub("…", lines[0] if lines else "")[:200]
        raise RuntimeError(
            f"{engine.name} failed while {doing}: {type(error).__name__}: {words}"
        ) from None
