"""Tables that stay in DuckDB or Spark, where the engine counts and the usual metrics measure.

A metric of classes needs only the number of records that share each combination of values. An
engine counts them by GROUP BY and keeps the counts. Counts that fit a budget are fetched once;
others are fetched in parts of whole classes, and each part is measured like a table in memory.
So each formula is written once, and the answers are the same as in memory.
"""

# Longer than other modules: opening, counting, linking and writing share one class.

from __future__ import annotations

import itertools
import math
import os
import re
import shutil
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
from ._codes import encode
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
    name: str = field(default="", repr=False)
    """Name of the table of counts in the engine."""
    n: str = field(default="n", repr=False)
    """Name of its column of records, which follows the cells."""

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
    nested = r"(array|struct|map|variant|interval|void).*"
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
    # The counts so far, by their columns; and what `parts` was asked last, with its answer.
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
        again = f"COUNT(*) AS r, SUM(CASE WHEN {plan.n} > 1 THEN {plan.n} END) AS a"
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

    def _counting(self, names: Sequence[str]) -> tuple[str, str]:
        """SQL for the distinct rows of some columns, and the name of its column of records."""
        source, number = f"(SELECT {self._cells(names)} FROM {self.view}) AS c", "COUNT(*)"
        wider = [plan for columns, plan in self._counted.items() if {*names} <= {*columns}]
        if wider:  # counts by more columns have fewer rows than the table
            best = min(wider, key=lambda plan: plan.rows)
            source, number = best.name, f"CAST(SUM({best.n}) AS BIGINT)"
        taken = "n" in [name.lower() for name in names]
        n = "n" * (1 + max(map(len, names))) if taken else "n"
        cells = "".join(f"{columns}, " for columns in [self.quoted(names)] if columns)
        return f"SELECT {cells}{number} AS {n}\nFROM {source}{self._group(names)}", n

    def counts(self, names: Sequence[str]) -> Plan:
        """Count the records of each distinct row of some columns, and keep the counts."""
        if tuple(names) not in self._counted:
            sql, n = self._counting(names)
            name = f"privacy_counts_{next(NUMBERS)}"
            with one_sentence(self.engine, f"counting {listed(names)}"):
                self.engine.execute(f"{self.engine.keep} {name} AS {sql}")
            rows = self.numbers(f"SELECT COUNT(*) FROM {name}", "counting")[0]
            parts = math.ceil(rows * CELL_BYTES * (len(names) + 1) / self.budget)
            self.plans.append(Plan(sql, rows, max(min(parts, rows, BUCKETS), 1), name, n))
            self._counted[tuple(names)] = self.plans[-1]
        return self._counted[tuple(names)]

    def fetched(self, plan: Plan, where: str = "") -> tuple[Any, Any]:
        """Fetch counts: the cells as an Arrow table, and the records of each of its rows."""
        rows = self.ask(f"SELECT * FROM {plan.name}{where}", "fetching counts")
        cells = rows.column_names[: rows.column_names.index(plan.n)]
        return rows.select(cells), rows.column(plan.n).to_numpy()

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
                f"missing={missing!r} is for tables in memory; an engine takes a missing cell"
                f" as a value: leave out incomplete records in the engine first."
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
        counting, n = self._counting(known)
        sql = f"SELECT {n}, COUNT(*) FROM ({counting}) AS c\nGROUP BY {n}"
        columns = self.ask(sql, f"counting {listed(known)}").columns
        size, classes = (column.to_numpy() for column in columns)
        self.plans.append(Plan(sql, int(classes.sum()), 1))
        merged = class_table(pd.DataFrame({"size": size}), "size", weights=size * classes)
        return replace(merged, alike=size)

    def linked_parts(
        self, population: Table, known: Columns, *, role: str = "population", **options: Any
    ) -> LinkedParts:
        """Classes of the table beside those of its population."""
        if type(getattr(population, "engine", None)) is not type(self.engine):
            raise TypeError(
                "population must be a table of the same kind of engine as data; open it with"
                " open_table, too."
            )
        here = self.parts(known, **options)
        names, whose = population.named(here.known, role), here.roles.get("person")
        people = whose if whose in population.columns else None
        return LinkedParts(here, population.parts(names, person=people), role)

    def per_record(
        self,
        of_table: Callable[[Any], dict[str, Any]],
        *roles: Columns,
        population: Table = None,
        **options: Any,
    ) -> Any:
        """Give each record, named by its key, the numbers of its class."""
        if population is None:
            parts: Any = self.parts(*roles, **options)
        else:
            parts = self.linked_parts(population, roles[0], **options)

        def answers() -> Iterator[Any]:
            for cells, part in parts.walk():
                classes, first = np.unique(part.ids, return_index=True)
                numbers = {n: np.asarray(c)[classes] for n, c in of_table(part).items()}
                yield cells.select(parts.known).take(first), numbers

        self._check_fits("the classes", parts.count == 1)
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
        if self.target is not None:
            with one_sentence(self.engine, f"writing {self.target.name}"):
                self.engine.write(sql, self.target)
            frame = pd.DataFrame(columns=[*columns], dtype=float)
        else:
            size = 8 * self.records * (len(columns) + 1)
            self._check_fits("the answers", size <= self.budget)
            ordered = f"{sql} ORDER BY c.{self.identifier}"
            frame = self.ask(ordered, "fetching answers").to_pandas().set_index(self.key)
        return frame if columns == self.features else frame.iloc[:, 0]

    def _check_fits(self, what: str, fits: bool) -> None:
        """Refuse to return numbers per record that exceed the budget."""
        if self.target is None and not fits:
            raise ValueError(
                f"budget: {what} exceed the budget, so a number per record is not returned;"
                f" write the numbers to a file by write_parquet(function, table, columns,"
                f" path)."
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

    @cached_property
    def identifier(self) -> str:
        """The key in SQL; refuse a key that does not name each record once."""
        if self.key is None:
            raise ValueError(
                "the rows of an engine have no order, so answers per record need a key; name"
                " the column that tells records apart: open_table(…, key='id')."
            )
        key = self.quoted([self.key])
        counting = f"SELECT COUNT(DISTINCT {key}) FROM {self.view}"
        (values,) = self.numbers(counting, "checking the key")
        if values < self.records:
            raise ValueError(
                f"key: column {self.key!r} has {values:,} values on {self.records:,} records,"
                f" so some records share one; choose another."
            )
        return key


WINDOWS = {
    "cell_information_gain": "GREATEST(AVG(LOG2({p} / {q})) {context}, 0)",
    "cell_surprise_factor": "ABS({p} - {q})",
}
"""Formulas for a cell, from the share p of its value in its context and its prior q.

The gain is the sum of p log2(p / q) over the values of a context: a mean over its records.
"""


def parts_of(count: int) -> list[tuple[int, int]]:
    """First bucket of each part, and the bucket after its last.

    Examples
    --------
    >>> parts_of(3)
    [(0, 85), (85, 170), (170, 256)]
    """
    return [(BUCKETS * j // count, BUCKETS * (j + 1) // count) for j in range(count)]


class Parts:
    """Class tables of whole classes; the tables can be iterated more than once."""

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

    def part(
        self, low: int = 0, end: int = BUCKETS, totals: pd.Series | None = None
    ) -> tuple[Any, Any]:
        """Cells of some buckets, and their class table; None if the buckets are empty."""
        divided = (low, end) != (0, BUCKETS)
        where = f" WHERE {self.bucket} BETWEEN {low} AND {end - 1}" if divided else ""
        cells, weights = self.table.fetched(self.plan, where)
        if divided and not len(weights):
            return cells, None
        options: Any = {**self.roles, "weights": weights, "totals": totals}
        return cells, class_table(frame_of_arrow(cells), self.known, **options)

    whole = cached_property(lambda self: self.part())
    """Cells and class table of counts that fit the budget."""

    @cached_property
    def totals(self) -> pd.Series:
        """Records of each sensitive value in the whole table."""
        secret, plan = self.table.quoted([self.roles["sensitive"]]), self.plan
        sums = f"SELECT {secret}, CAST(SUM({plan.n}) AS BIGINT) FROM {plan.name}"
        rows = self.table.ask(f"{sums} GROUP BY {secret}", "adding up counts")
        frame = frame_of_arrow(rows)  # converted like the parts
        codes, values = encode(frame.iloc[:, 0])
        return pd.Series(np.bincount(codes, frame.iloc[:, 1]).astype(np.int64), values)

    def walk(self) -> Iterator[tuple[Any, Any]]:
        """Yield the cells and the class table of each part, one part at a time."""
        if self.count == 1:
            yield self.whole
            return
        totals = self.totals if "sensitive" in self.roles else None
        found = (self.part(*buckets, totals) for buckets in parts_of(self.count))
        yield from (pair for pair in found if pair[1] is not None)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the class tables."""
        return (part for _, part in self.walk())


class LinkedParts:
    """Linked classes of a table and its population, in parts that can be iterated again."""

    def __init__(self, data: Parts, population: Parts, role: str) -> None:
        self.data, self.population, self.known = data, population, data.known
        self.count = max(data.count, population.count)
        self.role = role if self.count == 1 else "population"  # parts need equal types

    def walk(self) -> Iterator[tuple[Any, Any]]:
        """Yield the cells of the table and the linked classes, one part at a time."""
        data, population, ends = self.data, self.population, [BUCKETS]
        if self.count > 1:
            # Buckets that only the population has are joined to buckets that both have.
            sql = f"SELECT DISTINCT {data.bucket} FROM {data.plan.name}"
            shared = data.table.ask(sql, "dividing counts").column(0).to_numpy()
            parts = parts_of(self.count)
            ends = [end for low, end in parts if ((shared >= low) & (shared < end)).any()]
        for low, end in itertools.pairwise([0, *ends[:-1], BUCKETS]):
            (cells, table), (_, people) = data.part(low, end), population.part(low, end)
            if people is None:
                raise ValueError(
                    "the population has no record of some classes of data. The population must"
                    " contain the sample, and be recoded in the same way."
                )
            yield cells, link(table, people, role=self.role)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the linked classes."""
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
    if isinstance(where, (str, os.PathLike)):
        path = existing(Path(where))
        if is_database(path) and spark is None:
            engine, view = _open_database(path, table, settings)
        else:
            engine, view = _open_parquet(path, spark, settings)
    elif type(where).__module__.startswith("pyspark.sql"):
        engine, view = Spark(where.sparkSession), f"privacy_data_{next(NUMBERS)}"
        where.createOrReplaceTempView(view)
    elif type(where).__name__ == "DuckDBPyConnection":
        engine = DuckDB(where)
        counts = "temporary AND table_name LIKE 'privacy_%'"  # of metrics asked before
        view = quoted([_chosen(engine, table, f"NOT (internal OR {counts})")])
    else:
        raise TypeError(
            f"where must be a path, a DuckDB connection or a Spark DataFrame; got"
            f" {type(where).__module__}.{type(where).__qualname__}. A DataFrame of pandas,"
            f" Polars or Arrow is passed to the metrics as it is."
        )
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
    quiet: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(Path(tempfile.gettempdir(), f"duckdb-{uuid4().hex}")),
    }
    with one_sentence(DuckDB, "starting"):
        connection = duckdb.connect(config={**quiet, **settings})
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
    with one_sentence(engine, "listing tables"):
        facts = "table_name, sql, current_setting('default_collation')"
        tables = engine.run(f"SELECT {facts} FROM duckdb_tables() WHERE {where}")
    names: list[str] = tables.column(0).to_pylist()
    if table not in names and not (table is None and len(names) == 1):
        reason = "say which table" if table is None else f"there is no table {table!r}"
        listing = listed(sorted(names)) or "none"
        raise ValueError(f"table: {reason}; there are {listing} (views are left out).")
    chosen = names[0] if table is None else table
    _, made_by, default = (column[names.index(chosen)].as_py() for column in tables.columns)
    if "COLLATE" in made_by.upper() or default not in ("", "binary"):
        raise ValueError(
            f"table: {chosen!r} compares text by a collation, which takes different texts as"
            f" equal; save it as a table without COLLATE, and reset default_collation."
        )
    return chosen


def _open_parquet(path: Path, spark: Any, settings: Any) -> tuple[Any, str]:
    """Open Parquet files by their names, so that the engine does not choose files itself."""
    files = _parquet_files(path) if path.is_dir() else [path]
    schema = _schema(path, files)
    for column in schema:
        if str(column.type).startswith("decimal256"):
            raise TypeError(
                f"data: column {column.name!r} has decimal numbers of more than 38 digits,"
                f" which an engine rounds; write the column as text."
            )
    folders = any("=" in part for file in files for part in file.relative_to(path).parts[:-1])
    parts = {part for file in files for part in file.absolute().parts[:-1] if folders}
    keys = {part.partition("=")[0].lower() for part in parts if "=" in part}
    if both := [name for name in schema.names if name.lower() in keys]:
        raise ValueError(f"{both[0]!r} is a column and a folder of {str(path)!r}; rename one.")
    if spark is None:
        engine: Any = _connect(settings) if settings else DuckDB(_shared().connection.cursor())
        literal = [re.sub(r"([*?\[])", r"[\1]", str(file.absolute())) for file in files]
        names = f"[{', '.join(map(_string, literal))}], hive_partitioning={folders}"
        read, view = f"read_parquet({names}, hive_types_autocast=false)", quoted([path.stem])
        with one_sentence(engine, f"opening {path.name}"):
            engine.connection.execute(f"CREATE TEMP VIEW {view} AS FROM {read}")
        return engine, view
    engine, view = Spark(spark), f"privacy_data_{next(NUMBERS)}"
    literal = [re.sub(r"([*?\[\]{}\\])", r"\\\1", str(file.absolute())) for file in files]
    with one_sentence(engine, f"opening {path.name}"):
        # Names of folders stay text, so that 0200 and 200 stay two codes.
        spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        reader = spark.read.option("basePath", str(path.absolute())) if folders else spark.read
        reader.parquet(*literal).createOrReplaceTempView(view)
    return engine, view


def _parquet_files(folder: Path) -> list[Path]:
    """Parquet files of a folder at any depth, without hidden and temporary ones, by name."""
    parts = {path: path.relative_to(folder).parts for path in sorted(folder.rglob("*"))}
    if any({"_delta_log", ".hoodie"} & {*names} for names in parts.values()):
        raise ValueError(
            f"{str(folder)!r} has a log of changes, and only the log tells which records were"
            f" deleted; write the table as plain Parquet first."
        )
    hidden = re.compile(r"\.|_(?!.*=)")
    files = [
        path
        for path, names in parts.items()
        if path.suffix.lower() in PARQUET and not any(map(hidden.match, names))
    ]
    if not files:
        raise ValueError(f"{str(folder)!r} is a folder without a .parquet file; name a file.")
    return files


def _schema(path: Path, files: Sequence[Path]) -> Any:
    """Columns of some files; refuse files with different columns."""
    parquet = check_extra("pyarrow.parquet", "files")
    with one_sentence(DuckDB, f"opening {path.name}"):
        first, *others = [parquet.read_schema(file) for file in files]
    columns = {field.name: field.type for field in first}
    for file, schema in zip(files[1:], others, strict=True):
        here = {field.name: field.type for field in schema}
        if different := sorted(dict(here.items() ^ columns.items())):
            raise ValueError(
                f"the files of {str(path)!r} differ in their columns: {different[0]!r} is not"
                f" the same in {file.name!r} and {files[0].name!r}; write them with the same"
                f" columns and types."
            )
    return first


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
        The output: DuckDB writes a file, Spark a folder. An existing output is replaced once
        everything is written.
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
    if target.is_dir() and not (target / "_SUCCESS").exists():
        raise ValueError(f"path: {str(path)!r} is a folder; name a file in it.")
    part = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        given = [] if columns is None else [columns]
        function(replace(table, target=part), *given, **options)
        if not part.exists():
            raise ValueError("function must have an answer for each record.")
        _remove(target)
        part.replace(target)
    finally:
        _remove(part)
    return target


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


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
