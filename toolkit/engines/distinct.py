"""Distinct rows of a table in an engine: counted there, fetched if they fit the budget.

An engine counts the distinct rows of the columns that a metric asks for, and keeps them as a
temporary table. If they fit the budget they come here, as whole numbers with the value behind
each. DuckDB groups numbers in half the time of text, so in a large table it groups a column of
few texts by the place that each has in a list of them. Where all columns are such places or
whole numbers, and one word of 63 bits holds a row, it hands over the words: sorted here, equal
ones follow each other, which takes half the time of a GROUP BY if most rows differ.

Of a table before and after a treatment a key joins the rows. What a loss of information needs
of them is how many records each pair of original and treated cells has; an engine counts
these, and the metrics finish in memory.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from .._grouping import Encoded, close_gaps, count_keys, sorted_by_value, unpacked
from .._old.classes import side_by_side
from .._typing import AnyArray, FloatArray, IntArray, frame_of_arrow, in_engine, is_text
from .._validation import check_quasi_identifiers, check_whole
from .table import (
    EngineTable,
    Plan,
    as_engine_table,
    at_the_end,
    check_budget,
    check_engine_column,
    check_engine_rows,
    check_needs_memory,
    clear_errors,
    encode_arrow,
    fetch,
    free_name,
    named,
    same_engine,
    size_in_words,
    spark_frame,
    spark_view,
    sql_of,
    upload,
    without_codes,
)

RECORDS = "records"
"""Name of the column of counts, unless the table has it; then underscores follow."""


BYTES_PER_CELL = 40
"""Memory that a cell of the class table takes at the height of the work."""


MANY_RECORDS = 3_000_000
"""From so many records on, a further question costs less than sorting words saves."""


FIRST_RECORDS = 100_000
"""Records that are looked at first."""


MANY_DIFFERENT = 0.6
"""From this share of different rows on, among the first records, it is faster to sort them."""


FEW_BITS = 16
"""Up to so many bits of a word are codes of few values."""


BYTES_PER_WORD = 48
"""Memory that a record takes at the height of sorting words, if all differ."""


# In the engine


@dataclass(eq=False)
class Counts:
    """What was counted of a table. It knows nothing of it, so that both can be freed."""

    made: Any
    """The distinct rows, and the records of each under `name`: an expression, or in Arrow."""
    name: str
    rows: int
    sql: str
    brought: Brought | None = None
    """The rows, once they were fetched."""
    sized: dict[Any, Any] = field(default_factory=dict)
    """The rows beside the records of their classes, by what makes a class, once asked for."""
    backend: Any = None
    """The engine, if the rows are in Arrow."""

    @cached_property
    def kept(self) -> Any:
        """The rows as an expression; of those in Arrow only the engine has a copy then."""
        if self.backend is None:
            return self.made
        with _shown(self.backend, without_codes(self.made)) as rows:
            kept = cached(rows)
        self.made = None
        return kept

    @property
    def arrow(self) -> Any:
        """The rows in Arrow, numbers perhaps as codes of them."""
        there = self.backend is None or self.made is None
        return fetch(self.kept) if there else self.made


@dataclass(frozen=True, eq=False)
class DistinctInEngine:
    """The distinct rows of some columns, with the records of each, kept in the engine."""

    table: EngineTable
    columns: tuple[str, ...]
    counts: Counts

    @property
    def counted(self) -> Any:
        """Expression: the columns, and `count_name`."""
        with clear_errors(self.table, "keeping the distinct rows"):
            return self.counts.kept

    @property
    def count_name(self) -> str:
        """Column of the records of each row."""
        return self.counts.name

    @property
    def rows(self) -> int:
        """How many distinct rows there are."""
        return self.counts.rows

    @property
    def bytes(self) -> int:
        """Memory that they are estimated to take here, at the height of the work."""
        return bytes_of_rows(self.rows, self.columns)

    @property
    def fits(self) -> bool:
        """Whether they may come back."""
        return self.bytes <= self.table.budget

    def note(self, expression: Any = None) -> None:
        """Keep the plan, and print it if that is asked; `expression` is what stays there."""
        here = expression is None
        than = "fits the budget" if self.fits else "exceeds the budget"
        plan = Plan(
            way="in memory" if here else "in the engine",
            why=f"the class table {than}",
            records=self.table.records,
            classes=self.rows,
            bytes=self.bytes,
            budget=self.table.budget,
            sql=self.counts.sql if here else sql_of(expression),
        )
        self.table.plans.append(plan)
        if self.table.explain:
            print(plan)

    @property
    def in_words(self) -> str:
        """The estimate as a person would say it."""
        return size_in_words(self.bytes)

    def bring(self) -> DistinctRowsHere:
        """Fetch them, once, in an order that does not depend on the engine."""
        if self.counts.brought is None:
            with clear_errors(self.table, "fetching the class table"):
                arrow = self.counts.arrow
            records = arrow[self.count_name].to_numpy().astype(np.int64, copy=False)
            arrow = _with_codes(arrow.drop_columns([self.count_name]))
            cells, order = sorted_by_value(encode_arrow(arrow))
            self.counts.brought = Brought(arrow, order, cells, records[order])
        return DistinctRowsHere(self.table, self.columns, self.counts.brought)


def count_distinct_rows(table: EngineTable, columns: Sequence[str]) -> DistinctInEngine:
    """Have the engine count the distinct rows of some columns, once, and keep the counts."""
    columns = tuple(columns)
    if columns in table._counted:
        return DistinctInEngine(table, columns, table._counted[columns])
    cells = table.cells
    for name in columns:
        check_engine_column(cells.columns, name, "columns", cells.schema()[name])
    with clear_errors(table, f"counting the distinct rows of {', '.join(columns)}"):
        found = _counted_again(table, columns)
        found = found or _counted(table, columns)
    check_engine_rows(found.rows if columns else table.records)
    _keep(table, columns, found)
    return DistinctInEngine(table, columns, found)


def _counted_again(table: EngineTable, columns: tuple[str, ...]) -> Counts | None:
    """Add up counts of more columns, which is less work than to count the table again."""
    wider = [
        one for known, one in table._counted.items() if columns and set(known) >= set(columns)
    ]
    if not wider:
        return None
    least = min(wider, key=lambda one: one.rows)
    name = free_name(RECORDS, set(columns))
    number = least.kept[least.name].sum().cast("int64")
    asked = least.kept.group_by(list(columns)).aggregate(**{name: number})
    kept = cached(asked)
    return Counts(kept, name, int(fetch(kept.count())[0][0].as_py()), sql_of(asked))


def _counted(table: EngineTable, columns: tuple[str, ...]) -> Counts:
    """Count the table."""
    cells, name = table.cells, free_name(RECORDS, set(columns))
    if columns and (here := _sorted_here(table, cells.select(*columns), name)):
        if bytes_of_rows(here.rows, columns) > table.budget:
            _ = here.kept
        return here
    grouped = cells.group_by(list(columns)) if columns else cells
    asked = grouped.aggregate(**{name: cells.count()})
    kept = cached(asked)
    return Counts(kept, name, int(fetch(kept.count())[0][0].as_py()), sql_of(asked))


def _is_large(table: EngineTable) -> bool:
    """Whether DuckDB has stored so many records that a further question costs little."""
    import ibis

    stored = isinstance(table.expression.op(), ibis.expr.operations.PhysicalTable)
    return stored and table.engine == "duckdb" and table.records >= MANY_RECORDS


def _sorted_here(table: EngineTable, cells: Any, name: str) -> Counts | None:
    """Count records as words, sorted by value, if words hold them and that is worth it."""
    kinds = cells.schema()
    whole = all(kind.is_integer() or kind.is_boolean() for kind in kinds.values())
    if not (whole and _is_large(table)):
        return None
    fields = _fields(cells)
    widths = [bits for _, bits in fields.values()]
    beyond = sum(widths) > 63 or any(offset > 1 << 62 for offset, _ in fields.values())
    first = min(table.records, FIRST_RECORDS)
    if beyond or table.records * BYTES_PER_WORD > table.budget:
        return None
    different = fetch(cells.limit(first).distinct().count())[0][0].as_py()
    if different < MANY_DIFFERENT * first:
        return None
    asked = cells.select(word=_word(cells, fields))
    try:
        words = np.concatenate([np.zeros(0, np.int64), *fetch(asked)["word"].chunks])
    except Exception:
        if fields == _fields(cells):
            raise
        return None
    if fields != _fields(cells) or not words.size:  # written to meanwhile
        return None
    words, records = count_keys(words, 1 << sum(widths))
    made = _rows_of(words, fields, kinds.to_pyarrow()).append_column(name, [records])
    return Counts(made, name, len(records), sql_of(asked), backend=cells.get_backend())


def _word(cells: Any, fields: Mapping[str, tuple[int, int]]) -> Any:
    """The cells of a record beside each other, the first column in the highest bits."""
    word: Any = 0
    for column, (offset, bits) in fields.items():
        cell = (cells[column].cast("int64") + offset).fill_null((1 << bits) - 1)
        word = word * (1 << bits) + cell
    return word


def _rows_of(words: IntArray, fields: Mapping[str, tuple[int, int]], kinds: Any) -> Any:
    """Cells of words, in Arrow; numbers of few bits as codes of those that occur."""
    import pyarrow as pa

    columns = []
    for codes, kind in zip(
        unpacked(words, [bits for _, bits in fields.values()]), kinds, strict=True
    ):
        offset, bits = fields[kind.name]
        few = pa.types.is_integer(kind.type) and bits <= FEW_BITS
        places, numbers = close_gaps(codes) if few else (codes, codes)
        lacks = numbers == (1 << bits) - 1
        numbers = numbers.astype(np.int64)
        numbers -= offset
        values = pa.array(numbers, mask=lacks).cast(kind.type)
        columns.append(pa.DictionaryArray.from_arrays(places, values) if few else values)
    return pa.table(columns, list(fields))


def _fields(cells: Any) -> dict[str, tuple[int, int]]:
    """What is added to the cells of each column, and the bits that hold them then.

    All bits are set where a cell is missing. What is added is 0 or a power of two, so that a
    plan's SQL shows no cell.
    """
    names = [*enumerate(cells.columns)]
    least = {f"min {j}": cells[name].min() for j, name in names}
    most = {f"max {j}": cells[name].max() for j, name in names}
    [found] = fetch(cells.aggregate(**least, **most)).to_pylist()
    fields = {}
    for j, name in names:
        low, high = int(found.get(f"min {j}") or 0), int(found.get(f"max {j}") or 0)
        offset = 1 << (-low - 1).bit_length() if low < 0 else 0
        fields[name] = offset, (high + offset + 1).bit_length()
    return fields


def cached(asked: Any) -> Any:
    """Have the engine keep a table until nobody asks for it."""
    backend, name = asked.get_backend(), f"kept_{uuid.uuid4().hex}"
    if backend.name == "pyspark":
        frame = spark_frame(backend, asked).cache()
        return spark_view(backend, frame, frame.unpersist)
    if backend.name != "duckdb":
        return asked.cache()
    # Not cached by Ibis, which would complain of a connection that is closed by the end.
    try:
        kept = backend.create_table(name, asked, schema=asked.schema(), temp=True)
    except BaseException:
        with contextlib.suppress(Exception):
            _drop(backend, name)
        raise
    at_the_end(kept.op(), partial(_drop, backend, name))
    return kept


@contextlib.contextmanager
def _shown(backend: Any, arrow: Any) -> Iterator[Any]:
    """Show DuckDB an Arrow table, as long as it takes to keep it."""
    name = f"shown_{uuid.uuid4().hex}"
    backend.con.register(name, arrow)
    try:
        yield backend.table(name)
    finally:
        with contextlib.suppress(Exception):  # a connection that was closed has forgotten it
            backend.con.unregister(name)


def _drop(backend: Any, name: str) -> None:
    """Drop a table that was kept."""
    backend.raw_sql(f"DROP TABLE IF EXISTS temp.main.{name}")


def _keep(table: EngineTable, columns: tuple[str, ...], found: Counts) -> None:
    """Keep counts, and forget the oldest where they become too many."""
    kept = table._counted
    kept[columns] = found
    sizes = {known: bytes_of_rows(one.rows, known) for known, one in kept.items()}
    large = [known for known, size in sizes.items() if size > table.budget]
    small = [known for known, size in sizes.items() if size <= table.budget]
    for known in large[:-2]:
        del kept[known]
    while sum(sizes[known] for known in small) > table.budget:
        del kept[small.pop(0)]


def bytes_of_rows(rows: int, columns: Sequence[str]) -> int:
    """Memory that rows of some columns, with counts, take at the height of the work."""
    return rows * (len(columns) + 1) * BYTES_PER_CELL


# Here


@dataclass(frozen=True, eq=False)
class Brought:
    """Distinct rows that came here. They know nothing of their table, as `Counts`."""

    fetched: Any
    """The rows as they came, in Arrow; text as codes, of which `upload` makes text again."""
    order: IntArray
    """Where each row of `cells` is in `fetched`."""
    cells: Encoded
    """The rows by their values, missing ones last."""
    records: npt.NDArray[np.int64]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows as a DataFrame."""
        return frame_of_arrow(self.fetched).take(self.order).reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class DistinctRowsHere:
    """The distinct rows of some columns of a table, with the records of each, as they came."""

    table: EngineTable
    columns: tuple[str, ...]
    brought: Brought

    @property
    def cells(self) -> Encoded:
        """The rows, as whole numbers with the value behind each."""
        return self.brought.cells

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a DataFrame."""
        return self.brought.frame

    @property
    def records(self) -> npt.NDArray[np.int64]:
        """Records of each row."""
        return self.brought.records

    @property
    def arrow(self) -> Any:
        """The rows in Arrow."""
        return self.brought.fetched.take(self.brought.order)

    def on_records(
        self,
        columns: Sequence[str],
        rows: AnyArray,
        numbers: Mapping[str, AnyArray],
        *,
        only_known: Sequence[str] = (),
        left_out: Any = None,
    ) -> EngineTable:
        """Give each record of the table the numbers of its distinct row.

        `rows` are distinct rows that differ in `columns`, entry i of each of `numbers` belongs
        to row ``rows[i]``. Records of no such row, and those that lack a cell of `only_known`,
        get `left_out`, or else NULL.
        """
        import pyarrow as pa

        key = self.table.checked_key
        whole = self.table.cells
        look = self.brought.fetched.select(list(columns)).take(self.brought.order[rows])
        taken = {*whole.columns}
        held = {name: free_name(f"of {name}", taken) for name in columns}
        look = look.rename_columns([held[name] for name in columns])
        for name, entries in numbers.items():
            look = look.append_column(name, pa.array(entries))
        with clear_errors(self.table, "sending numbers to the engine"):
            there = upload(self.table, look)
        if columns:
            alike = [whole[name].identical_to(there[held[name]]) for name in columns]
            joined = whole.left_join(there, alike)
        else:
            joined = whole.cross_join(there)
        cells = {name: there[name] for name in numbers}
        if only_known:
            import ibis

            lacks = ibis.or_(*[whole[name].isnull() for name in only_known])
            cells = {
                name: ibis.ifelse(lacks, ibis.null(), cell) for name, cell in cells.items()
            }
        if left_out is not None:
            cells = {name: cell.fill_null(left_out) for name, cell in cells.items()}
        cells = {free_name(name, {key}): cell for name, cell in cells.items()}
        return replace(self.table, expression=joined.select(whole[key], *named(cells)))


def fetch_counts(
    table: EngineTable, columns: Sequence[str], counted: Any, name: str, rows: int
) -> DistinctRowsHere:
    """Fetch rows that the engine has grouped, with the records of each under a name."""
    return DistinctInEngine(table, tuple(columns), Counts(counted, name, rows, "")).bring()


def _with_codes(arrow: Any) -> Any:
    """Make text codes of its values: rows are then cheap to take."""
    for j, name in enumerate(arrow.column_names):
        if is_text(arrow.column(j).type):  # in its chunks, so that no text is copied
            arrow = arrow.set_column(j, name, arrow.column(j).dictionary_encode())
    return arrow


MOST = 10**12  # rows or combinations that are drawn


class Way(NamedTuple):
    """What is to be expected of a class table."""

    classes: float
    """Rows of the class table, at most, on average."""
    bytes: float
    fits: bool
    """Whether it comes back within the budget."""


def expected_classes(rows: Any, combinations: float) -> FloatArray:
    r"""The most distinct rows that independent records can be expected to have.

    With n records over m possible combinations of values,
    :math:`m\,(1 - (1 - 1/m)^n)`. All combinations being equally likely is the worst case:
    whoever is skewed repeats itself sooner.

    Parameters
    ----------
    rows : float or array
        Records, n.
    combinations : float
        Possible combinations of values, m, at least 2.

    Returns
    -------
    array
        Expected distinct rows, up to the smaller of n and m.

    Examples
    --------
    >>> expected_classes([1, 2, 1000], 2).tolist()
    [1.0, 1.5, 2.0]
    """
    left = np.asarray(rows, float) * np.log1p(-1 / combinations)
    return np.asarray(-combinations * np.expm1(left))


def way_of(rows: int, combinations: int, columns: int, budget: int | str) -> Way:
    """What `open_table` would do with a table of this size.

    Parameters
    ----------
    rows : int
        Records of the table.
    combinations : int
        How many combinations the values of the columns can form, at least 2.
    columns : int
        How many columns a metric asks for.
    budget : int or str
        Bytes that the class table may take, as for `open_table`.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range, or `budget` is no size.

    Examples
    --------
    >>> way = way_of(60_000_000, 1_000_000, 6, "1 GB")
    >>> round(way.classes), round(way.bytes / 1e6), way.fits
    (1000000, 280, True)
    """
    check_whole(rows, "rows", 1, MOST, "of which a picture can be drawn")
    check_whole(combinations, "combinations", 2, MOST, "of which a picture can be drawn")
    check_whole(columns, "columns", 1, 1000, "the columns of a question")
    classes = float(expected_classes(rows, combinations))
    size = classes * (columns + 1) * BYTES_PER_CELL
    return Way(classes, size, size <= check_budget(budget))


# Two tables side by side


@dataclass(frozen=True, eq=False)
class PairsHere:
    """Different pairs of original and treated rows, with the records of each."""

    before: pd.DataFrame
    after: pd.DataFrame
    records: npt.NDArray[np.int64]
    origin: DistinctRowsHere

    def on_records(self, numbers: dict[Any, AnyArray]) -> EngineTable:
        """Give each record the numbers of its pair."""
        rows = np.arange(len(self.records))
        return self.origin.on_records(self.origin.columns, rows, numbers)

    def per_record(self, numbers: AnyArray, name: str) -> EngineTable:
        """Give each record the number of its pair."""
        return self.on_records({name: numbers})


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Both tables joined by the key: columns `before 0`, …, `after 0`, …, and the key."""

    table: EngineTable
    names: list[str]

    def pairs(self, places: Sequence[int] | None, what: str) -> PairsHere:
        """Fetch the pairs of some columns, or of all."""
        places = range(len(self.names)) if places is None else places
        columns = [f"{side} {j}" for side in ("before", "after") for j in places]
        counted = count_distinct_rows(self.table, columns)
        check_needs_memory(counted.fits, what, counted.in_words)
        counted.note()
        here = counted.bring()
        frame, names = _plain(here.frame), [self.names[j] for j in places]
        width = len(names)
        before = frame.iloc[:, :width].set_axis(pd.Index(names, dtype=object), axis=1)
        after = frame.iloc[:, width:].set_axis(pd.Index(names, dtype=object), axis=1)
        return PairsHere(before, after, here.records, here)

    def each(self, what: str) -> Iterator[tuple[list[int], PairsHere]]:
        """Fetch the pairs of one column after the other, with its place."""
        for j in range(len(self.names)):
            yield [j], self.pairs([j], what)


@in_engine(side_by_side, EngineTable)
def side_by_side_in_engine(
    original: Any, treated: Any, columns: Any, argument: str
) -> SideBySide:
    """Join two tables of an engine by their keys."""
    before, after = as_engine_table(original), as_engine_table(treated)
    both = before is not None and after is not None and same_engine(before, after)
    if not both:
        raise ValueError(
            "original and treated must both be tables of one engine, or both in memory; open"
            " the second with open_table(…, beside=the first)."
        )
    assert before is not None and after is not None
    one, other = before.checked_key, after.checked_key
    names = _names(before, columns, argument)
    _names(after, names, f"{argument} in treated")
    left, right = before.cells, after.cells
    key = free_name(one, {f"{side} {j}" for side in ("before", "after") for j in range(99)})
    left = left.select(
        **{key: left[one]}, **{f"before {j}": left[name] for j, name in enumerate(names)}
    )
    right = right.select(
        **{"other key": right[other]},
        **{f"after {j}": right[name] for j, name in enumerate(names)},
    )
    joined = left.inner_join(right, left[key] == right["other key"]).drop("other key")
    with clear_errors(before, "joining the tables by their keys"):
        shared = int(fetch(joined.count())[0][0].as_py())
    if not before.records == after.records == shared:
        raise ValueError(
            f"treated must hold the rows of original, by their keys; of {before.records:,} and"
            f" {after.records:,} keys {shared:,} are in both. Keep suppressed rows, as '*'."
        )
    table = EngineTable(joined, key, before.budget, before.explain, before.plans)
    return SideBySide(table, names)


def _names(table: EngineTable, columns: Any, argument: str) -> list[str]:
    frame = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
    return [frame.columns[j] for j in check_quasi_identifiers(frame, columns, argument)]


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Text as it is, for hierarchies and labels are compared cell by cell."""
    texts = [
        name
        for name, kind in frame.dtypes.items()
        if isinstance(kind, pd.CategoricalDtype) and not kind.ordered
    ]
    return frame.astype(dict.fromkeys(texts, object))
