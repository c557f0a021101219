"""Equivalence classes: ids, sizes and counts of sensitive values, computed once.

Records that agree on a set of columns are an equivalence class: `equivalence_class` numbers
them, `class_sizes` counts them.
`equivalence_classes` makes one immutable table for all metrics of anonymity and disclosure:
the class of each record, the size of each class, and how often each class holds each sensitive
value, as pairs that occur.
"""

# Longer than other modules: the one door, what a class table holds, and what a metric may ask
# of it in memory or in an engine are one protocol, which is read in one place.

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from .._typing import AnyArray, BoolArray, FloatArray, IntArray, table_of
from ..classes import ClassTable as Made
from .grouping import (
    RANKED,
    Encoded,
    as_objects,
    class_ids,
    count_keys,
    encode,
    everyone,
    in_order,
    kind_of,
    numbered,
    numbered_runs,
    refine,
    row_labels,
    totals,
)
from .typing import by_kind
from .validation import (
    _as_objects,
    check_choice,
    check_column,
    check_columns,
    check_dropped,
    check_partition,
    check_quasi_identifiers,
    check_sensitive,
    check_table,
    check_weights,
    folded,
    listed,
    several_spellings,
)

SEVERAL = ("separate", "as quasi-identifier", "joint")
"""What can be done with several sensitive columns."""

PAIRS_AT_ONCE = 1 << 18
"""Pairs of class and value in a block of which formulas are computed."""


MISSING_POLICIES = ("category", "drop", "wildcard")


def equivalence_class(data: pd.DataFrame, columns: Any) -> pd.Series:
    """Which class each record belongs to: records of a class agree on all `columns`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Cells that can be compared. A missing value is a value of its own.
    columns : column, or list of columns
        Names or positions; a name wins. With an empty list everyone is in one class.

    Returns
    -------
    Series of shape (n_records,)
        Class numbers 0, 1, … in order of first appearance. Index of `data`.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a DataFrame with cells, or a column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "B", "A"], "sex": ["f", "f", "f"]})
    >>> equivalence_class(data, ["town", "sex"]).tolist()
    [0, 1, 0]
    """
    data = table_of(data)
    positions = check_columns(check_table(data), columns, "columns")
    ids, _ = class_ids(data, positions)
    return pd.Series(ids, index=data.index, name="class")


@by_kind()
def class_sizes(
    data: pd.DataFrame, columns: Any, *, weights: Any = None, person: Any = None
) -> pd.Series:
    """How many records, or people, share each combination of values in `columns`.

    A class of size 1 is a record that these columns single out; larger is safer.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Cells that can be compared. A missing value is a value of its own.
    columns : column, or list of columns
        Names or positions; a name wins. With an empty list everyone is in one class.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.
    person : column, optional
        What is equal on all records of one person, or house; then these are counted.

    Returns
    -------
    Series of shape (n_classes,)
        Records, or people, per class, in order of first appearance, indexed by the values of
        `columns`.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a DataFrame with cells, or a column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "B", "A"], "sex": ["f", "f", "f"]})
    >>> class_sizes(data, ["town", "sex"])
    town  sex
    A     f      2
    B     f      1
    Name: records, dtype: int64
    """
    positions = check_columns(check_table(data), columns, "columns")
    ids, first = class_ids(data, positions)
    labels = row_labels(data, positions, first)
    if person is not None:
        if weights is not None:
            raise ValueError("weights count records, and person= counts people; give one.")
        sizes = _people(data, person, positions, ids, len(first))
        return pd.Series(sizes, index=labels, name="people")
    sizes = np.bincount(ids, check_weights(data, weights))
    return pd.Series(sizes, index=labels, name="records")


def _people(
    data: pd.DataFrame, person: Any, positions: list[int], ids: IntArray, classes: int
) -> IntArray:
    """How many people have records in each class; those in class -1 are left out.

    A record that names nobody may be of anybody in its class, so it adds no person, unless
    the class has such records only: then there is one at least.
    """
    j = check_person(data, person, positions)
    table = encode(data, [j])
    if kind_of(table.values[0]) not in RANKED:
        texts = [folded(cell) for cell in table.values[0].dropna()]
        if len({*texts}) < len(texts):
            raise several_spellings(f"person: {data.columns[j]!r}", texts)
    there, people = (ids >= 0) & ~table.lacking(), len(table.held[0])
    pairs = np.unique(ids[there].astype(np.int64) * people + table.codes[0][there])
    return np.maximum(np.bincount(pairs // people, minlength=classes), 1)


def check_person(data: pd.DataFrame, person: Any, positions: list[int]) -> int:
    """Position of the column that says whose a record is, which is no quasi-identifier."""
    j = check_column(data, person, "person")
    if j in positions:
        raise ValueError(
            f"person: {data.columns[j]!r} is a quasi-identifier, too, so that nobody would be"
            f" like anybody; leave it out of one of the two."
        )
    return j


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """How often each class holds each value of one sensitive column.

    Only pairs of class and value that occur are there, ordered by class and then by value:
    pair `i` says that class ``of_class[i]`` holds value ``values[of_value[i]]`` in
    ``records[i]`` records.
    """

    name: Hashable
    """The sensitive column."""
    values: pd.Index
    """Its values, in their order where they have one, a missing value last."""
    orderable: bool
    """Whether values could be put into an order."""
    totals: IntArray
    """Records of each value."""
    of_class: IntArray
    of_value: IntArray
    records: IntArray
    starts: IntArray
    """First pair of each class."""


class Facts(NamedTuple):
    """What was measured, and what was not: said of a class table beside its metrics."""

    records: int
    classes: int
    quasi_identifiers: list[Any]
    missing: str
    rows_with_missing_quasi_identifiers: int
    rows_with_missing_sensitive: int
    rows_dropped: int
    rows_suppressed: int


class Judged(NamedTuple):
    """The worst number of a class, how it must compare with a threshold, and what set it.

    `satisfied`: no class violates the threshold, not even one without records. What was not
    asked is None.
    """

    value: float
    must_be: str
    threshold: float | None
    satisfied: bool | None
    worst_class: Any
    worst_value: Any
    rows_violating: int | None


class ClassNumbers(Protocol):
    """Numbers of each class, by name: arrays in memory, or columns in an engine."""

    def worst(self, name: str, worst: str) -> float:
        """The least or greatest number of a class."""

    def labelled(self, name: str) -> pd.Series:
        """Label a number of each class with the quasi-identifiers."""

    def judge(self, name: str, model: Any, threshold: float | None = None) -> Judged:
        """Find the worst number of a model, and who violates its threshold."""

    def mark(self, name: str, model: Any, threshold: float) -> Any:
        """Mark the records of violating classes; those that are left out violate nothing."""


class ClassTable(Protocol):
    """What class tables have in common, in memory and in an engine.

    Where the classes stay in an engine, a table of the engine comes in place of a Series or a
    DataFrame, and expressions of it in place of arrays.
    """

    @property
    def quasi_identifiers(self) -> tuple[Hashable, ...]:
        """Columns that make the classes."""

    @property
    def missing(self) -> str:
        """What a missing cell is."""

    @property
    def n_records(self) -> int:
        """Records in classes."""

    @property
    def rows(self) -> int:
        """Records of the table, those that are left out among them."""

    @property
    def dropped(self) -> int:
        """Records that missing="drop" left out."""

    @property
    def suppressed(self) -> int:
        """Records left out because every quasi-identifier is suppressed."""

    def k(self) -> int:
        """The least records that agree with a class."""

    def unique_share(self) -> float:
        """Share of records that are alone in their class."""

    def sums(self) -> dict[str, float]:
        """Classes, the least of them, and the sum of the squares of their records."""

    def histogram(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sizes of classes that occur, rising, and how many classes have each."""

    def facts(self) -> Facts:
        """Count classes, and records with missing cells."""

    def of_sizes(self, **formulas: Callable[[Any], Any]) -> ClassNumbers:
        """Numbers of each class by formulas of the records `alike`."""

    def numbers(self, **formulas: Callable[[Any], Any]) -> ClassNumbers:
        """Numbers of each class by formulas of its counts."""

    def total(self, formula: Callable[[Any], Any]) -> int:
        """Sum of a whole number of each class."""

    def alpha(self, values: Any) -> float:
        """The greatest share of a value in a class, or of one of some values."""

    @property
    def secrets(self) -> tuple[pd.Index, IntArray, bool]:
        """Sensitive values, the records of each, and whether the values have an order."""

    def shares_of_values(self) -> pd.DataFrame:
        """Pairs of class and value with their `records`, and their shares there and in all."""

    def on_classes(self, formulas: dict[str, Any]) -> pd.DataFrame:
        """Numbers of each class, labelled with the quasi-identifiers."""

    def per_record(self, numbers: Any, name: str) -> pd.Series:
        """Give each record the entry of its class."""

    def on_records(self, numbers: dict[str, Any]) -> pd.DataFrame:
        """Give each record several entries of its class."""


class Counts:
    """Pairs of a class and a sensitive value, with their numbers of records.

    What the models of disclosure are formulas of. A subclass has the columns, in memory or in
    an engine, and what can be done with them: `max` and `sum` go from pairs to classes. The
    number of a class does not fall where a `max` rises, so that of formulas without sums the
    greatest is that of a pair.
    """

    max: Callable[[Any], Any]
    abs: Callable[[Any], Any]
    log: Callable[[Any], Any]
    n: Any
    """Records of each pair."""
    size: Any
    """Records of its class."""
    total: Any
    """Records of its value."""
    everyone: Any
    """Records of the table."""
    values: int
    """Different sensitive values of the table."""

    @cached_property
    def share(self) -> Any:
        """Share q of its class that each pair has."""
        return self.n / self.size

    @cached_property
    def expected(self) -> Any:
        """Records of each pair if classes were like the table, times all records."""
        return self.size * self.total

    @cached_property
    def excess(self) -> Any:
        """How far the records of each pair, times all records, exceed the expected ones."""
        return self.n * self.everyone - self.expected

    @cached_property
    def gain(self) -> Any:
        """(q - p) / p of each pair, from whole numbers, so that nothing is cancelled."""
        return self.excess / self.expected

    @cached_property
    def change(self) -> Any:
        """|ln (q / p)| of each pair, of which the ratio is 1 where the shares are equal."""
        return self.abs(self.log(self.n * self.everyone / self.expected))


class LocalCounts(Counts):
    """Counts in memory."""

    log, exp, abs, where = np.log, np.exp, np.abs, staticmethod(np.where)
    least, greatest = np.minimum, np.maximum

    def __init__(self, pairs: SensitiveCounts, sizes: IntArray, everyone: int) -> None:
        self.pairs, self.records = pairs, sizes
        self.n, self.size = pairs.records, sizes[pairs.of_class]
        self.total = pairs.totals[pairs.of_value]
        self.everyone, self.values = everyone, len(pairs.values)
        # Different sensitive values of each class
        self.distinct: IntArray = np.bincount(pairs.of_class, minlength=len(sizes))

    @cached_property
    def beyond_bound(self) -> FloatArray:
        """How far the gain of each pair exceeds -ln p."""
        pairs = self.pairs
        found: FloatArray = self.gain + np.log(pairs.totals / self.everyone)[pairs.of_value]
        return found

    @property
    def most(self) -> IntArray:
        """Records of the commonest value of each class."""
        return self.max(self.n)

    def max(self, numbers: AnyArray) -> AnyArray:
        """Greatest number of a pair of each class."""
        found: AnyArray = numbers[self.pairs.starts]
        np.maximum.at(found, self.pairs.of_class, numbers)  # reduceat costs more per class
        return found

    def sum(self, numbers: AnyArray) -> AnyArray:
        """Sum over the pairs of each class: of whole numbers exact."""
        found: AnyArray = np.zeros(len(self.records), numbers.dtype)
        np.add.at(found, self.pairs.of_class, numbers)  # bincount would make floats of them
        return found

    def first_with(self, numbers: AnyArray, above: float = -math.inf) -> IntArray:
        """First value that has the greatest number of its class; -1 if it is not `above`."""
        pairs, greatest = self.pairs, self.max(numbers)
        at = np.flatnonzero(numbers == greatest[pairs.of_class])
        first = at[np.flatnonzero(np.diff(pairs.of_class[at], prepend=-1))]
        return np.where(greatest > above, pairs.of_value[first], -1)

    def first_absent(self) -> IntArray:
        """First value that each class lacks; the number of values if it has them all.

        Values come in order within a class, so the first that is out of place follows a gap.
        """
        pairs = self.pairs
        place = np.arange(len(pairs.of_class)) - pairs.starts[pairs.of_class]
        gap = np.where(pairs.of_value != place, place, self.distinct[pairs.of_class])
        return np.asarray(np.minimum.reduceat(gap, pairs.starts))


def class_blocks(starts: IntArray, pairs: int, most: int) -> Iterator[tuple[slice, slice]]:
    """Cut classes into blocks of about so many pairs: classes of each, and their pairs."""
    ends = np.append(starts, pairs)
    cuts = np.searchsorted(starts, np.arange(0, pairs, most))
    for first, last in pairwise(np.unique(np.append(cuts, len(starts)))):
        yield slice(first, last), slice(ends[first], ends[last])


@dataclass(frozen=True)
class ValueShown:
    """Which sensitive value of each class is to be shown beside its numbers."""

    code: Callable[[Any], Any]
    """Code of the value in each class, below 0 for none."""
    in_engine: bool = False
    """Whether it is the commonest one, which an engine shows, too."""

    def __call__(self, counts: LocalCounts) -> pd.Series:
        """Return the values, in the order of the classes."""
        codes = self.code(counts)
        found = pd.Series(counts.pairs.values.take(np.maximum(codes, 0)))
        return found.where(codes >= 0) if (codes < 0).any() else found

    def of_class(self, counts: LocalCounts, at: int) -> Any:
        """Return the value of one class, looked for in its counts alone; None for none."""
        pairs = counts.pairs
        ends = np.append(pairs.starts[at : at + 2], len(counts.n))
        mine = slice(ends[0], ends[1])
        alone = replace(
            pairs,
            of_class=np.zeros_like(pairs.of_class[mine]),
            of_value=pairs.of_value[mine],
            records=pairs.records[mine],
            starts=np.zeros_like(pairs.starts[:1]),
        )
        one = LocalCounts(alone, counts.records[at : at + 1], counts.everyone)
        code = int(self.code(one)[0])
        return pairs.values.take([code]).astype(object)[0] if code >= 0 else None


@dataclass(frozen=True, eq=False)
class LocalNumbers:
    """Numbers in memory of each class of a table, or of the people it is about."""

    table: EquivalenceClasses
    by_name: dict[str, AnyArray]
    people: EquivalenceClasses | None = None
    """Class table of a population, if the numbers are of its classes."""
    place: Any = ...
    """Class of the population of each class of the table; each is its own by default."""

    def worst(self, name: str, worst: str) -> float:
        """The least or greatest number of a class."""
        found = self.by_name[name]
        return float(found.min() if worst == "least" else found.max())

    def labelled(self, name: str) -> pd.Series:
        """Label a number of each class with the quasi-identifiers."""
        return self.table.per_class(self.by_name[name], name)

    def judge(self, name: str, model: Any, threshold: float | None = None) -> Judged:
        """Find the worst number of a model, and who violates its threshold."""
        numbers, table = self.by_name[name], self.table
        at = int(numbers.argmin() if model.rule == "at least" else numbers.argmax())
        satisfied = rows = None
        if threshold is not None:
            violating = model.violates(numbers, threshold)
            satisfied = not bool(violating.any())
            rows = int(table.sizes[violating[self.place]].sum())
        owner = self.people or table
        if at not in owner._named:  # most models have the same few classes
            owner._named[at] = owner.labels_of(slice(at, at + 1))[0]
        value = None if model.shown is None else model.shown.of_class(table.tally, at)
        against = model.rule, threshold, satisfied
        return Judged(numbers[at].item(), *against, owner._named[at], value, rows)

    def mark(self, name: str, model: Any, threshold: float) -> Any:
        """Mark the records of violating classes; those that are left out violate nothing."""
        violating = model.violates(self.by_name[name], threshold)
        marked, table = violating[self.place], self.table
        if table.origin is not None:
            return table._in_engine({model.name: marked}, left_out=False)
        return pd.Series(np.append(marked, False)[table.ids], table.index, name=model.name)


@dataclass(frozen=True, eq=False)
class EquivalenceClasses:
    """The class table: who shares all quasi-identifiers with whom, computed once.

    Made by `equivalence_classes`; every metric of anonymity and disclosure takes it in place
    of the DataFrame. Classes are numbered 0, 1, … in order of first appearance. The arrays
    cannot be written to.
    """

    index: pd.Index
    """Labels of the records."""
    quasi_identifiers: tuple[Hashable, ...]
    missing: str
    """What a missing cell is: "category", "drop" or "wildcard"."""
    ids: IntArray
    """Class of each record; -1 for one that is left out (dropped or suppressed)."""
    sizes: IntArray
    """Records of each class."""
    matches: IntArray
    """Records that agree with a class: its size, unless missing cells are wildcards; or the
    people whose records these are, if a column names them."""
    cells: Encoded
    """Quasi-identifiers of each class."""
    affected: int
    """Records with a missing quasi-identifier."""
    affected_sensitive: int
    """Records with a missing sensitive value."""
    dropped: int
    """Records that missing="drop" left out."""
    suppressed: int
    """Records left out because every quasi-identifier is suppressed."""
    counts: SensitiveCounts | None
    """Class x sensitive counts, if there is a sensitive column."""
    n_records: int
    """Records in classes."""
    rows: int
    """Records of the table, those that are left out among them."""
    origin: Any = None
    """Distinct rows of a table in an engine, which then stand in for the records."""
    _named: dict[int, Any] = field(default_factory=dict, init=False, repr=False)
    """Labels of classes that were asked for one by one."""

    @property
    def codes(self) -> tuple[IntArray, ...]:
        """``values[j][codes[j][c]]`` is quasi-identifier j of class c."""
        return tuple(self.cells.codes)

    @property
    def values(self) -> list[pd.Index]:
        """The values of each quasi-identifier, to which `codes` refer."""
        return self.cells.values

    @property
    def labels(self) -> pd.Index:
        """The quasi-identifiers of each class, as an index."""
        return self.labels_of(slice(None))

    def labels_of(self, classes: slice) -> pd.Index:
        """The quasi-identifiers of some classes, as an index."""
        if not self.quasi_identifiers:
            return pd.Index(["everyone"] * len(self.sizes[classes]))
        pairs = zip(self.cells.values, self.cells.codes, strict=True)
        labels = [values.take(codes[classes]) for values, codes in pairs]
        if len(labels) == 1:
            return labels[0].rename(self.quasi_identifiers[0])
        return pd.MultiIndex.from_arrays(labels, names=list(self.quasi_identifiers))

    @property
    def sensitive(self) -> SensitiveCounts:
        """Class x sensitive counts; an error if there is no sensitive column."""
        if self.counts is None:
            raise ValueError(
                "the class table has no sensitive column; make it with"
                " equivalence_classes(data, quasi_identifiers, sensitive)."
            )
        return self.counts

    @property
    def secrets(self) -> tuple[pd.Index, IntArray, bool]:
        """Sensitive values, the records of each, and whether the values have an order."""
        return self.sensitive.values, self.sensitive.totals, self.sensitive.orderable

    @cached_property
    def tally(self) -> LocalCounts:
        """What the models of disclosure are formulas of."""
        return LocalCounts(self.sensitive, self.sizes, self.n_records)

    def facts(self) -> Facts:
        """Count classes, and records with missing cells."""
        made = len(self.sizes), list(self.quasi_identifiers), self.missing
        lacking = self.affected, self.affected_sensitive
        return Facts(self.n_records, *made, *lacking, self.dropped, self.suppressed)

    def of_sizes(self, **formulas: Callable[[Any], Any]) -> LocalNumbers:
        """Numbers of each class by formulas of the records `alike`."""
        sizes = SimpleNamespace(alike=self.matches)
        return LocalNumbers(self, {name: f(sizes) for name, f in formulas.items()})

    def numbers(self, **formulas: Callable[[Any], Any]) -> LocalNumbers:
        """Numbers of each class by formulas of its counts."""
        pairs = len(self.sensitive.records)
        blocks = [self.tally] if pairs <= PAIRS_AT_ONCE else self._blocks()
        parts = [[f(some) for f in formulas.values()] for some in blocks]
        found = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
        return LocalNumbers(self, dict(zip(formulas, found, strict=True)))

    def _blocks(self) -> Iterator[LocalCounts]:
        """Counts of some classes after the other, of which formulas need little memory."""
        pairs = self.sensitive
        for some, mine in class_blocks(pairs.starts, len(pairs.records), PAIRS_AT_ONCE):
            cut = replace(
                pairs,
                of_class=pairs.of_class[mine] - some.start,
                of_value=pairs.of_value[mine],
                records=pairs.records[mine],
                starts=pairs.starts[some] - mine.start,
            )
            yield LocalCounts(cut, self.sizes[some], self.n_records)

    def total(self, formula: Callable[[Any], Any]) -> int:
        """Sum of a whole number of each class."""
        return int(formula(self.tally).sum())

    def alpha(self, values: Any) -> float:
        """The greatest share of a value in a class, or of one of some values."""
        if values is None:
            return float(self.tally.share.max())
        matter = check_class_values(values, self.sensitive.values)
        return float((self.tally.share * matter[self.sensitive.of_value]).max())

    def shares_of_values(self) -> pd.DataFrame:
        """Pairs of class and value with their `records`, and their shares there and in all."""
        pairs = self.sensitive
        found = {
            "value": pairs.values.take(pairs.of_value),
            "records": pairs.records,
            "share": self.tally.share,
            "share_of_all": (pairs.totals / self.n_records)[pairs.of_value],
        }
        table = pd.DataFrame(found)
        table.index = self.labels.take(pairs.of_class)
        return table

    def on_classes(self, formulas: dict[str, Any]) -> Any:
        """Numbers of each class, labelled with the quasi-identifiers."""
        table = pd.DataFrame({name: f(self.tally) for name, f in formulas.items()})
        table.index = self.labels
        return table

    def per_class(self, numbers: Any, name: str | None = None) -> pd.Series:
        """Label one entry per class, given in their order, with the quasi-identifiers."""
        return pd.Series(self._entries(numbers), index=self.labels, name=name)

    def k(self) -> int:
        """The least records that agree with a class."""
        return int(self.matches.min())

    def unique_share(self) -> float:
        """Share of records that are alone in their class."""
        return int(self.sizes[self.matches == 1].sum()) / self.n_records

    def sums(self) -> dict[str, float]:
        """Classes, the least of them, and the sum of the squares of their records."""
        sizes, squares = self.sizes, int((self.sizes**2).sum())
        return {"classes": len(sizes), "least": int(sizes.min()), "squares": squares}

    def histogram(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sizes of classes that occur, rising, and how many classes have each."""
        return np.unique(self.sizes, return_counts=True)

    def per_record(self, numbers: Any, name: str | None = None) -> pd.Series:
        """Give each record the entry of its class, under its own label.

        Instead of entries it takes a function of the records that agree with each class.
        Records that are left out get a missing value. With a per-class condition, such as
        ``distances > 0.2``, the result marks the records that violate a threshold.
        """
        entries = self._entries(numbers)
        if self.origin is not None:
            there: pd.Series = self._in_engine({name or "value": entries})
            return there
        series = pd.Series(entries[self.ids], index=self.index, name=name)
        if self.dropped + self.suppressed == 0:
            return series
        nullable: dict[str, Any] = {"i": "Int64", "u": "Int64", "b": "boolean", "f": "float64"}
        series = series.astype(nullable.get(entries.dtype.kind, "object"))
        return series.mask(self.ids < 0)

    def on_records(self, numbers: dict[str, Any]) -> pd.DataFrame:
        """Give each record several entries of its class: a DataFrame with a column for each.

        Records of a table in an engine get a table of the engine with its key.
        """
        if self.origin is None:
            found = {name: self.per_record(x) for name, x in numbers.items()}
            return pd.DataFrame(found, index=self.index)
        entries = {name: self._entries(x) for name, x in numbers.items()}
        there: pd.DataFrame = self._in_engine(entries)
        return there

    def _entries(self, numbers: Any) -> AnyArray:
        """One entry per class, as it is given or as a function of the records alike."""
        if callable(numbers):
            numbers = numbers(self.matches)
        entries = np.asarray(numbers)
        if entries.shape != self.sizes.shape:
            raise ValueError(
                f"there must be one entry for each of the {len(self.sizes)} classes, in their"
                f" order; got shape {entries.shape}."
            )
        return entries

    def _in_engine(self, entries: dict[str, Any], **more: Any) -> Any:
        assert self.origin is not None
        first = np.full(len(self.sizes), -1)
        rows = np.flatnonzero(self.ids >= 0)[::-1]
        first[self.ids[rows]] = rows  # the last write wins
        names = [str(name) for name in self.quasi_identifiers]
        known = self.origin.columns if self.missing == "drop" else ()
        return self.origin.on_records(names, first, entries, only_known=known, **more)


def equivalence_classes(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    sensitive: Any = None,
    *,
    missing: str = "category",
    suppressed: Any = None,
    person: Any = None,
) -> EquivalenceClasses:
    """Count once who shares all quasi-identifiers with whom, and their sensitive values.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Cells that can be compared. Categorical columns are fastest: their codes are taken as
        they are. The index plays no role.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins. With an empty list
        everyone is in one class.
    sensitive : column, optional
        What is to be kept from the attacker. For several columns see `sensitive_tables`.
    missing : {"category", "drop", "wildcard"}
        What a missing cell is: a value of its own; a reason to leave the record out (with a
        warning); or, for k, k-map and re-identification risk only, a match for any value.
    suppressed : cell, optional
        The mark of suppressed records, such as "*", for measures of utility: a record that
        shows it in every quasi-identifier is left out and counted apart, unless all records
        are like that. By default every record counts, because whoever reads the table sees
        it.
    person : column, optional
        What is equal on all records of one person, or house: a class then protects by the
        people in it, for k and the risk of re-identification. All else counts records.

    Returns
    -------
    EquivalenceClasses
        The class table, which every metric takes in place of `data`.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, a column is not there, or is both quasi-identifier and
        sensitive.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B", "*"], "ill": list("fhff")})
    >>> classes = equivalence_classes(data, "town", "ill")
    >>> classes.ids.tolist(), classes.sizes.tolist()
    ([0, 0, 1, 2], [2, 1, 1])
    >>> classes.per_record(classes.sizes == 1).tolist()
    [False, False, True, True]
    """
    asked = ask(data, quasi_identifiers)
    secret = [] if sensitive is None else [asked.sensitive(sensitive)]
    return asked.classify(secret, missing, suppressed, person=person)


def sensitive_tables(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    several: str = "separate",
    missing: str = "category",
) -> dict[Hashable, EquivalenceClasses]:
    """Class tables for several sensitive columns, one per call of a metric.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `equivalence_classes`.
    sensitive : column, or list of columns
        Names or positions; a name wins.
    several : {"separate", "as quasi-identifier", "joint"}
        Each column alone, of which the worst counts; each column while the attacker knows the
        others, which become quasi-identifiers; or all columns together as one value.

    Returns
    -------
    dict
        From the sensitive column (the tuple of columns, if "joint") to its class table.

    Raises
    ------
    TypeError, ValueError
        As `equivalence_classes`.

    Examples
    --------
    >>> data = pd.DataFrame({"zip": [1, 1], "ill": ["flu", "hiv"], "pay": [7, 7]})
    >>> tables = sensitive_tables(data, "zip", ["ill", "pay"])
    >>> {name: len(table.sensitive.values) for name, table in tables.items()}
    {'ill': 2, 'pay': 1}
    """
    check_choice(several, "several", SEVERAL)
    asked = ask(data, quasi_identifiers)
    return asked.by_secret(sensitive, several, missing=missing)


def check_class_values(values: Any, known: pd.Index) -> np.ndarray:
    """Mark the sensitive values that are named."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    wanted = _as_objects(list(values))
    found = _as_objects(known).get_indexer(wanted)
    if not len(wanted) or (found < 0).any():
        raise ValueError(
            f"values must name some of the sensitive values {listed(known)}; got"
            f" {listed(wanted[found < 0]) or 'none'}."
        )
    return np.isin(np.arange(len(known)), found)


def bridged(data: Any) -> Any:
    """Return a class table of today as one of yesterday; anything else as it came."""
    if not isinstance(data, Made):
        return data
    places: Any = [] if data.sensitive is None else [data.data.columns.get_loc(data.sensitive)]
    made = Asked(data.data, list(data.known)).classify(places, data.missing, data.mark)
    return replace(made, matches=data.alike)


def as_classes(
    data: Any, quasi_identifiers: Any, sensitive: Any, missing: str, *, wants_sensitive: bool
) -> EquivalenceClasses:
    """Return a class table as it came, or make it of a table and its roles, in memory."""
    roles = quasi_identifiers, sensitive, missing
    found = class_table(data, *roles, wants_sensitive=wants_sensitive, anywhere=False)
    assert isinstance(found, EquivalenceClasses)
    return found


def class_table(
    data: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    missing: str,
    *,
    wants_sensitive: bool,
    anywhere: bool = True,
    person: Any = None,
) -> ClassTable:
    """Class table of any kind of table: the one door of all metrics of classes.

    Of a table in an engine, if the class table exceeds its budget, what comes back stays in
    the engine, or is refused unless it may be `anywhere`. It has the methods of
    `EquivalenceClasses` that say what classes have in common, such as `k` and `on_records`.
    """
    data = bridged(data)
    if isinstance(data, EquivalenceClasses):
        _check_already_fixed(quasi_identifiers, sensitive, missing, data.missing)
        check_no_person(person)
        if wants_sensitive:
            check_partition(data.missing)
            _ = data.sensitive  # an error if there is none
        return data
    asked = ask(data, quasi_identifiers)
    secret = [asked.sensitive(sensitive)] if wants_sensitive else []
    return asked.classify(secret, missing, person=person, anywhere=anywhere)


def check_no_person(person: Any) -> None:
    """Refuse a person beside a class table, which has counted already."""
    if person is not None:
        raise ValueError(
            "person is settled by the class table that came as data; make that with"
            " equivalence_classes(..., person=)."
        )


def _check_already_fixed(
    quasi_identifiers: Any, sensitive: Any, missing: str, has: str
) -> None:
    """Refuse roles that come beside a class table, which has its own."""
    roles = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    for argument, given in roles.items():
        if given is not None:
            raise ValueError(
                f"{argument} is settled by the class table that came as data; leave it out, or"
                f" pass the DataFrame."
            )
    if missing not in ("category", has):
        raise ValueError(
            f"the class table was made with missing={has!r}, not {missing!r}; make one with"
            f" equivalence_classes(..., missing={missing!r})."
        )


@dataclass(frozen=True, eq=False)
class Asked:
    """A table and its quasi-identifiers, checked."""

    data: pd.DataFrame
    positions: list[int]

    def sensitive(self, column: Any) -> int:
        """Position of a sensitive column."""
        return check_sensitive(self.data, column, self.positions)

    def by_secret(self, columns: Any, several: str, **options: Any) -> dict[Hashable, Any]:
        """Class table of each sensitive column, or of several that are one value together."""
        names = [self.data.columns[j] for j in check_columns(self.data, columns, "sensitive")]
        if not names:
            raise ValueError("sensitive must name at least one column; got none.")
        # By name, for that is what tells the tables apart.
        secrets = check_columns(self.data, names, "sensitive", self.positions)
        if several == "joint":
            return {tuple(self.data.columns[secrets]): self.classify(secrets, **options)}
        found: dict[Hashable, Any] = {}
        for secret, name in zip(secrets, names, strict=True):
            others = [j for j in secrets if j != secret and several != "separate"]
            known = replace(self, positions=self.positions + others)
            found[name] = known.classify([secret], **options)
        return found

    def beside(self, population: Any, missing: str) -> Asked:
        """Ask so that the class table can be compared with a population."""
        return self

    def classify(
        self,
        secret: list[int],
        missing: str,
        mark: Any = None,
        *,
        person: Any = None,
        anywhere: bool = False,
    ) -> EquivalenceClasses:
        """Make the class table; with a person, its classes protect by the people in them.

        Where it may be `anywhere`, that of a table in an engine may stay there.
        """
        data, positions = self.data, self.positions
        names = data.columns.tolist()
        known, hidden = [names[j] for j in positions], [names[j] for j in secret]
        if person is not None:
            check_classes_of_people(missing)
        cells = encode(data, [*positions, *secret])
        made = classify_cells(cells, known, hidden, missing, mark, data.index)
        if person is None:
            return made
        return with_people(made, _people(data, person, positions, made.ids, len(made.sizes)))


def check_classes_of_people(missing: str) -> None:
    """Refuse to count the people of a class where there is none."""
    if missing == "wildcard":
        raise ValueError(
            "person= counts the people of a class, and missing='wildcard' makes no class;"
            " use missing='category' or 'drop'."
        )


def with_people(made: EquivalenceClasses, people: IntArray) -> EquivalenceClasses:
    """The same classes, which protect by the people in them: one at least."""
    matches = np.maximum(people, 1)
    matches.flags.writeable = False
    return replace(made, matches=matches)


@by_kind()
def ask(
    data: Any,
    quasi_identifiers: Any,
    argument: str = "data",
    columns: str = "quasi_identifiers",
) -> Asked:
    """Check a table and its quasi-identifiers."""
    data = check_table(data, argument)
    return Asked(data, check_quasi_identifiers(data, quasi_identifiers, columns))


def classify_cells(
    cells: Encoded,
    names: Sequence[Hashable],
    secret: Sequence[Hashable],
    missing: str,
    mark: Any,
    index: pd.Index,
    origin: Any = None,
) -> EquivalenceClasses:
    """Make the class table of cells: quasi-identifiers, then sensitive columns, by name.

    Several sensitive columns are one value together. Of distinct rows that came from an
    engine, each stands for the records it has there.

    This is partition refinement (R. Paige and R. E. Tarjan, "Three partition refinement
    algorithms", SIAM Journal on Computing 16(6), 1987) in one step per set of columns: all
    rows are one group, which `refine` splits by the codes of the quasi-identifiers. Rows that
    are left out go first: those that lack a cell, and those that are suppressed, unless that
    would leave nothing. What remains is `rows`, and `ids` and `first` are positions in it, so
    that each use for the whole table goes through `rows` again. The pairs of class and
    sensitive value are counted once more by the same means, with the class as one column.
    """
    check_choice(missing, "missing", MISSING_POLICIES)
    if secret:
        check_partition(missing)
    n, width = cells.rows, len(names)
    table = Encoded(cells.codes[:width], cells.held[:width], n)
    hidden = Encoded(cells.codes[width:], cells.held[width:], n)
    weight = None if origin is None else origin.records
    count: Any = np.count_nonzero if weight is None else lambda marked: weight[marked].sum()
    lacks, lacks_hidden = table.lacking(), hidden.lacking()
    all_rows = n if weight is None else int(weight.sum())
    out, dropped = np.zeros(n, bool), 0
    if missing == "drop":
        out |= lacks | lacks_hidden
        dropped = int(count(out))
        check_dropped(dropped, all_rows)
    if mark is not None and names:
        starred = _suppressed_rows(table, mark)
        if not (starred | out).all():
            out |= starred
    rows = np.flatnonzero(~out).astype(np.int32) if out.any() else None
    ids, first = (numbered if origin is None else numbered_runs)(table, rows)
    kept = weight if weight is None or rows is None else weight[rows]
    counts = None
    if secret:
        if len(secret) == 1:
            name, codes, values = secret[0], hidden.codes[0], hidden.values[0]
            codes = codes if rows is None else codes[rows]
        else:
            name, (codes, values) = tuple(secret), _joint_values(hidden, rows)
        counts = _count_values(name, ids, first, codes, values, kept)
    sizes = np.bincount(ids) if kept is None else _sum(ids, kept, len(first))
    where = first if rows is None else rows[first]
    labels = Encoded([column.take(where) for column in table.codes], table.held, len(sizes))
    matches = wildcard_matches(labels, sizes) if missing == "wildcard" else sizes
    if rows is not None:
        ids, of_rows = np.full(n, -1, np.int32), ids
        ids[rows] = of_rows
    for part in (ids, sizes, matches, *labels.codes):
        part.flags.writeable = False  # many metrics share them
    return EquivalenceClasses(
        index=index,
        quasi_identifiers=tuple(names),
        missing=missing,
        ids=ids,
        sizes=sizes,
        matches=matches,
        cells=labels,
        affected=int(count(lacks)),
        affected_sensitive=int(count(lacks_hidden)),
        dropped=dropped,
        suppressed=int(count(out)) - dropped,
        counts=counts,
        n_records=int(sizes.sum()),
        rows=all_rows,
        origin=origin,
    )


def _sum(ids: IntArray, weight: IntArray, count: int) -> IntArray:
    """Records of each number; exact, which bincount with weights is up to 2**53."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, ids, weight)
    return sums


def _suppressed_rows(table: Encoded, mark: Any) -> BoolArray:
    """Mark rows that hold the mark of suppression in every column."""
    marked = np.ones(table.rows, bool)
    for codes, values in zip(table.codes, table.values, strict=True):
        cells = np.array(values, object)
        cells[pd.isna(cells)] = None  # whose comparison has an answer
        marked &= np.asarray(cells == mark, bool)[codes]
    return marked


def _joint_values(hidden: Encoded, rows: IntArray | None) -> tuple[IntArray, pd.Index]:
    """Codes and values of several sensitive columns taken together."""
    ids, first = numbered(hidden, rows)
    where = first if rows is None else rows[first]
    cells = [
        values.take(codes[where]).astype(object)
        for values, codes in zip(hidden.values, hidden.codes, strict=True)
    ]
    together = as_objects(list(zip(*cells, strict=True)))
    return ids, pd.Index(together, dtype=object, tupleize_cols=False)


def _count_values(
    name: Hashable,
    ids: IntArray,
    first: IntArray,
    codes: IntArray,
    values: pd.Index,
    weight: IntArray | None = None,
) -> SensitiveCounts:
    """Count the values in each class, as pairs that occur."""
    order, orderable = in_order(values)
    n = len(values)
    totals = np.bincount(codes, minlength=n) if weight is None else _sum(codes, weight, n)
    totals = totals[order]
    order = order[totals > 0]  # a value may be on rows that are left out only
    if not np.array_equal(order, np.arange(len(values))):  # categories are mostly in order
        rank = np.zeros(len(values), np.min_scalar_type(len(order) - 1))
        rank[order] = np.arange(len(order))
        codes, values = rank[codes], values[order]
    of_class: IntArray
    of_value: IntArray
    records: IntArray
    if weight is not None and _rising(ids, codes):  # each pair is there once, in order
        of_class, of_value, records = ids, codes.astype(np.int64), weight
        starts = first
    else:
        kind: Any = np.int32 if len(first) * len(order) < 2**31 else np.int64
        key: IntArray = ids.astype(kind, copy=False) * len(order)
        key += codes
        if weight is None:
            cells, records = count_keys(key, len(first) * len(order))
        else:
            cells, place = np.unique(key, return_inverse=True)
            records = _sum(place, weight, len(cells))
        cells = cells.astype(np.int64, copy=False)
        of_class = cells // len(order)
        of_value = cells - of_class * len(order)
        starts = np.append(0, np.flatnonzero(of_class[1:] > of_class[:-1]) + 1)
    arrays = (totals[totals > 0], of_class, of_value, records, starts)
    for part in arrays:
        part.flags.writeable = False  # many metrics share them
    return SensitiveCounts(name, values, orderable, *arrays)


def _rising(ids: IntArray, codes: IntArray) -> bool:
    """Whether pairs of a class, of which the numbers do not fall, and a code are in order."""
    return bool(((ids[1:] > ids[:-1]) | (codes[1:] > codes[:-1])).all())


def wildcard_matches(table: Encoded, records: IntArray) -> IntArray:
    """Count records that agree with each class where a missing cell matches anything.

    `records` says how many records each row of `table` stands for. Rows that lack the same
    columns are taken together, so the loops run over such patterns, not over rows.
    """
    lacks = np.zeros((table.rows, len(table.codes)), bool)
    for j, (codes, values) in enumerate(zip(table.codes, table.values, strict=True)):
        lacks[:, j] = np.asarray(values.isna())[codes]
    patterns, of_row = np.unique(lacks, axis=0, return_inverse=True)
    rows = [np.flatnonzero(of_row.ravel() == a) for a in range(len(patterns))]
    matches = np.zeros(table.rows, np.int64)
    for a, mine in enumerate(rows):
        for b, others in enumerate(rows):
            shared = np.flatnonzero(~(patterns[a] | patterns[b])).tolist()
            both = np.concatenate([mine, others])
            groups = refine(everyone(len(both), both), table, shared, keep_single=True)
            found = totals(groups.ids[len(mine) :], records[others], groups.count)
            matches[mine] += found[groups.ids[: len(mine)]].astype(np.int64)
    return matches


def link_classes(
    sample: EquivalenceClasses, population: EquivalenceClasses
) -> tuple[Encoded, IntArray, IntArray]:
    """Put the classes of two tables side by side: sample first, then population.

    Returns the cells of the joint classes, and the joint class of each class of either.
    """
    codes, values = [], []
    for j in range(len(sample.codes)):
        one, other = sample.values[j], population.values[j]
        known, both = _shared_values(one, other)
        pair = (known[: len(one)][sample.codes[j]], known[len(one) :][population.codes[j]])
        codes.append(np.concatenate(pair))
        values.append(both)
    rows = len(sample.sizes) + len(population.sizes)
    ids, first = numbered(Encoded(codes, values, rows))
    joint = Encoded([column[first] for column in codes], values, len(first))
    return joint, ids[: len(sample.sizes)], ids[len(sample.sizes) :]


def _shared_values(one: pd.Index, other: pd.Index) -> tuple[IntArray, pd.Index]:
    """Codes that two lists of values share, one list after the other; and what they mean."""
    same = one.dtype == other.dtype
    if same and one.dtype != object and not isinstance(one, pd.CategoricalIndex):
        cells: Any = one.append(other)
    else:  # as objects, which pandas would make floats of if it put them together
        pair = [one, other]
        if any(isinstance(x, pd.DatetimeIndex) and x.tz is None for x in pair):
            # An engine may tell days as days or as times.
            pair = [
                pd.to_datetime(x.astype(object)) if kind_of(x) == "date" else x for x in pair
            ]
        cells = np.concatenate([x.astype(object).to_numpy() for x in pair])
        cells[pd.isna(cells)] = np.nan
    codes, both = pd.factorize(cells, use_na_sentinel=False)
    return codes, pd.Index(both, dtype=both.dtype, tupleize_cols=False)
