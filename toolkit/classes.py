"""Who looks the same, and what do they hide? Equivalence classes, counted once.

Records that agree on a set of columns are an equivalence class: `equivalence_class` numbers
them, `class_sizes` counts them.
`equivalence_classes` makes one immutable table for all metrics of anonymity and disclosure:
the class of each record, the size of each class, and how often each class holds each sensitive
value, as pairs that occur.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._grouping import (
    Categories,
    Encoded,
    Groups,
    Whole,
    class_ids,
    encode,
    everyone,
    in_order,
    is_counted,
    kind_of,
    refine,
    row_labels,
    totals,
)
from ._validation import (
    MISSING_POLICIES,
    check_already_fixed,
    check_choice,
    check_columns,
    check_has_sensitive,
    check_partition,
    check_per_class,
    check_quasi_identifiers,
    check_sensitive,
    check_several,
    check_some_left,
    check_table,
    check_weights,
    warn_dropped,
)
from .engines._validation import (
    check_needs_memory,
    check_no_weights,
    check_not_the_key,
    check_one_engine,
)
from .engines.classes import ClassesInEngine, classes_in_engine
from .engines.distinct import DistinctInEngine, DistinctRowsHere, count_distinct_rows
from .engines.table import EngineTable, as_engine_table, same_engine, table_of

__all__ = [
    "EquivalenceClasses",
    "SensitiveCounts",
    "class_sizes",
    "equivalence_class",
    "equivalence_classes",
    "sensitive_tables",
]


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


def class_sizes(data: pd.DataFrame, columns: Any, *, weights: Any = None) -> pd.Series:
    """How many records share each combination of values in `columns`.

    A class of size 1 is a record that these columns single out; larger is safer.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Cells that can be compared. A missing value is a value of its own.
    columns : column, or list of columns
        Names or positions; a name wins. With an empty list everyone is in one class.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    Series of shape (n_classes,)
        Records per class, in order of first appearance, indexed by the values of `columns`.

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
    table = as_engine_table(data)
    if table is not None:
        check_no_weights(weights)
        return _sizes_in_engine(table, columns)  # type: ignore[no-any-return]
    data = table_of(data)
    positions = check_columns(check_table(data), columns, "columns")
    ids, first = class_ids(data, positions)
    sizes = np.bincount(ids, check_weights(data, weights))
    return pd.Series(sizes, index=row_labels(data, positions, first), name="records")


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
    totals: Whole
    """Records of each value."""
    of_class: Whole
    of_value: Whole
    records: Whole
    starts: Whole
    """First pair of each class."""


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
    ids: Whole
    """Class of each record; -1 for one that is left out (dropped or suppressed)."""
    sizes: Whole
    """Records of each class."""
    matches: Whole
    """Records that agree with a class: its size, unless missing cells are wildcards."""
    codes: tuple[Whole, ...]
    values: Sequence[pd.Index]
    """``values[j][codes[j][c]]`` is quasi-identifier j of class c."""
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
    rows: int
    """Records of the table, those that are left out among them."""
    origin: DistinctRowsHere | None = None
    """Distinct rows of a table in an engine, which then stand in for the records."""

    @property
    def n_records(self) -> int:
        """Records in classes."""
        return int(self.sizes.sum())

    @property
    def labels(self) -> pd.Index:
        """The quasi-identifiers of each class, as an index."""
        if not self.codes:
            return pd.Index(["everyone"] * len(self.sizes))
        cells = [
            values.take(codes) for values, codes in zip(self.values, self.codes, strict=True)
        ]
        if len(cells) == 1:
            return cells[0].rename(self.quasi_identifiers[0])
        return pd.MultiIndex.from_arrays(cells, names=list(self.quasi_identifiers))

    @property
    def sensitive(self) -> SensitiveCounts:
        """Class x sensitive counts; an error if there is no sensitive column."""
        check_has_sensitive(self.counts is not None)
        assert self.counts is not None
        return self.counts

    @cached_property
    def distinct(self) -> Whole:
        """Different sensitive values of each class."""
        pairs = self.sensitive
        counts: Whole = np.diff(pairs.starts, append=len(pairs.of_class))
        counts.flags.writeable = False
        return counts

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """Share of its class that each pair has."""
        pairs = self.sensitive
        shares = pairs.records / self.sizes[pairs.of_class]
        shares.flags.writeable = False
        return shares

    @cached_property
    def expected(self) -> Whole:
        """Records of each pair if classes were like the table, times all records: n_c n_s."""
        pairs = self.sensitive
        counts: Whole = self.sizes[pairs.of_class] * pairs.totals[pairs.of_value]
        counts.flags.writeable = False
        return counts

    @cached_property
    def excess(self) -> Whole:
        """How far the records of each pair, times all records, exceed the expected ones."""
        counts: Whole = self.sensitive.records * self.n_records - self.expected
        counts.flags.writeable = False
        return counts

    @cached_property
    def gain(self) -> npt.NDArray[np.float64]:
        """(q - p) / p of each pair, from whole numbers, so that nothing is cancelled."""
        gain = np.asarray(self.excess / self.expected, float)
        gain.flags.writeable = False
        return gain

    def per_class(self, numbers: Any, name: str | None = None) -> pd.Series:
        """Label one entry per class, given in their order, with the quasi-identifiers."""
        entries = check_per_class(numbers, len(self.sizes))
        return pd.Series(entries, index=self.labels, name=name)

    def per_record(self, numbers: Any, name: str | None = None) -> pd.Series:
        """Give each record the entry of its class, under its own label.

        Records that are left out get a missing value. With a per-class condition, such as
        ``distances > 0.2``, the result marks the records that violate a threshold.
        """
        entries = check_per_class(numbers, len(self.sizes))
        if self.origin is not None:
            return self._in_engine({name or "value": entries})  # type: ignore[no-any-return]
        cells = entries[self.ids]
        if self.dropped + self.suppressed == 0:
            return pd.Series(cells, index=self.index, name=name)
        nullable: dict[str, Any] = {"i": "Int64", "u": "Int64", "b": "boolean", "f": "float64"}
        series = pd.Series(cells, index=self.index, name=name)
        series = series.astype(nullable.get(cells.dtype.kind, "object"))
        return series.mask(self.ids < 0)

    def on_records(self, numbers: dict[str, Any]) -> Any:
        """Give each record several entries of its class: a DataFrame with a column for each.

        Records of a table in an engine get a table of the engine with its key.
        """
        if self.origin is not None:
            size = len(self.sizes)
            return self._in_engine({n: check_per_class(x, size) for n, x in numbers.items()})
        found = {name: self.per_record(entries) for name, entries in numbers.items()}
        return pd.DataFrame(found, index=self.index)

    def _in_engine(self, entries: dict[str, Any]) -> Any:
        assert self.origin is not None
        first = np.full(len(self.sizes), -1)
        rows = np.flatnonzero(self.ids >= 0)[::-1]
        first[self.ids[rows]] = rows  # the last write wins
        names = [str(name) for name in self.quasi_identifiers]
        known = self.origin.columns if self.missing == "drop" else ()
        return self.origin.on_records(names, first, entries, only_known=known)


def equivalence_classes(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    sensitive: Any = None,
    *,
    missing: str = "category",
    suppressed: Any = "*",
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
    suppressed : cell, default "*"
        A record that shows this in every quasi-identifier is suppressed: it is left out and
        counted apart, unless all records are like that. None for no such mark.

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
    >>> classes.ids.tolist(), classes.sizes.tolist(), classes.suppressed
    ([0, 0, 1, -1], [2, 1], 1)
    >>> classes.per_record(classes.sizes == 1).tolist()
    [False, False, True, <NA>]
    """
    asked = _ask(data, quasi_identifiers)
    secret = [] if sensitive is None else [asked.sensitive(sensitive)]
    return asked.classify(secret, missing, suppressed)


def sensitive_tables(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    sensitive: Any,
    *,
    several: str = "separate",
    missing: str = "category",
    suppressed: Any = "*",
) -> dict[Hashable, EquivalenceClasses]:
    """Class tables for several sensitive columns, one per call of a metric.

    Parameters
    ----------
    data, quasi_identifiers, missing, suppressed
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
    check_choice(several, "several", ("separate", "as quasi-identifier", "joint"))
    asked = _ask(data, quasi_identifiers)
    secrets = check_several(asked.data, sensitive, asked.positions)
    if several == "joint":
        name = tuple(asked.data.columns[secrets])
        return {name: asked.classify(secrets, missing, suppressed)}
    tables: dict[Hashable, EquivalenceClasses] = {}
    for secret in secrets:
        others = [j for j in secrets if j != secret and several != "separate"]
        known = replace(asked, positions=asked.positions + others)
        tables[asked.data.columns[secret]] = known.classify([secret], missing, suppressed)
    return tables


def as_classes(
    data: Any, quasi_identifiers: Any, sensitive: Any, missing: str, *, wants_sensitive: bool
) -> EquivalenceClasses:
    """Return a class table as it came, or make it of a DataFrame and its roles."""
    if isinstance(data, EquivalenceClasses):
        check_already_fixed(quasi_identifiers, sensitive, missing, data.missing)
        check_partition(data.missing, wants_sensitive)
        if wants_sensitive:
            check_has_sensitive(data.counts is not None)
        return data
    asked = _ask(data, quasi_identifiers)
    secret = [asked.sensitive(sensitive)] if wants_sensitive else []
    return asked.classify(secret, missing, "*")


def classes_anywhere(
    data: Any, quasi_identifiers: Any, sensitive: Any, missing: str, *, wants_sensitive: bool
) -> EquivalenceClasses | ClassesInEngine:
    """As `as_classes`, but a class table that exceeds the budget stays in its engine."""
    table = as_engine_table(data)
    if table is None:
        return as_classes(
            data, quasi_identifiers, sensitive, missing, wants_sensitive=wants_sensitive
        )
    asked = _ask(data, quasi_identifiers)
    secret = [asked.sensitive(sensitive)] if wants_sensitive else []
    return asked.classify_anywhere(secret, missing, "*")


@dataclass(frozen=True, eq=False)
class _Asked:
    """A table and its quasi-identifiers, checked; for an engine `data` has columns only."""

    data: pd.DataFrame
    positions: list[int]
    table: EngineTable | None = None

    def sensitive(self, column: Any) -> int:
        """Position of a sensitive column."""
        check_not_the_key(None if self.table is None else self.table.key, column, "sensitive")
        return check_sensitive(self.data, column, self.positions)

    def classify(self, secret: list[int], missing: str, mark: Any) -> EquivalenceClasses:
        """Make the class table."""
        if self.table is None:
            return classify(self.data, self.positions, secret, missing, mark)
        counted = self._counted(secret, missing)
        check_needs_memory(counted.fits, "this answer", counted.in_words)
        return self._here(counted, secret, missing, mark)

    def classify_anywhere(
        self, secret: list[int], missing: str, mark: Any
    ) -> EquivalenceClasses | ClassesInEngine:
        """Make the class table, or leave it in the engine if it exceeds the budget."""
        counted = self._counted(secret, missing)
        if counted.fits:
            return self._here(counted, secret, missing, mark)
        return self.classify_there(secret, missing, mark)

    def classify_there(self, secret: list[int], missing: str, mark: Any) -> ClassesInEngine:
        """Leave the class table in the engine, whether it fits or not."""
        counted = self._counted(secret, missing)
        wild = missing == "wildcard"
        check_needs_memory(not wild, "missing='wildcard'", counted.in_words)
        names, hidden = self._names(self.positions), self._names(secret)
        return classes_in_engine(counted, names, hidden, missing, mark)

    def fits(self, secret: list[int], missing: str) -> bool:
        """Whether the class table may come back."""
        return self._counted(secret, missing).fits

    def _names(self, positions: list[int]) -> list[str]:
        return [self.data.columns[j] for j in positions]

    def _counted(self, secret: list[int], missing: str) -> DistinctInEngine:
        check_choice(missing, "missing", MISSING_POLICIES)
        check_partition(missing, bool(secret))
        assert self.table is not None
        return count_distinct_rows(self.table, self._names([*self.positions, *secret]))

    def _here(
        self, counted: DistinctInEngine, secret: list[int], missing: str, mark: Any
    ) -> EquivalenceClasses:
        counted.note()
        rows = counted.bring()
        names, hidden = self._names(self.positions), self._names(secret)
        index = pd.RangeIndex(len(rows.records))
        return classify_cells(rows.cells, names, hidden, missing, mark, index, rows)


def _ask(
    data: Any,
    quasi_identifiers: Any,
    argument: str = "data",
    columns: str = "quasi_identifiers",
) -> _Asked:
    """Check a table and its quasi-identifiers; positions do not count the key."""
    table = as_engine_table(data)
    if table is not None:
        names = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
        check_not_the_key(table.key, quasi_identifiers, columns)
        return _Asked(names, check_quasi_identifiers(names, quasi_identifiers, columns), table)
    data = check_table(table_of(data), argument)
    return _Asked(data, check_quasi_identifiers(data, quasi_identifiers, columns))


def classify_people(
    population: Any, names: list[Hashable], missing: str, role: str
) -> EquivalenceClasses:
    """Class table of another table, by columns of these names."""
    asked = _ask(population, names, role, f"quasi_identifiers in {role}")
    return asked.classify([], missing, None)


def link_in_engine(
    data: Any, population: Any, quasi_identifiers: Any, missing: str, role: str
) -> tuple[ClassesInEngine, ClassesInEngine] | None:
    """Class tables of both, left in the engine if one of them exceeds its budget."""
    if as_engine_table(data) is None and as_engine_table(population) is None:
        return None
    names = quasi_identifiers
    if isinstance(data, EquivalenceClasses):
        names, missing = list(data.quasi_identifiers), data.missing
    asked = None if isinstance(data, EquivalenceClasses) else _ask(data, names)
    if asked is not None:
        names = list(asked.data.columns[asked.positions])
    others = None
    if not isinstance(population, EquivalenceClasses):
        others = _ask(population, names, role, f"quasi_identifiers in {role}")
    large = [
        one._counted([], missing)
        for one in (asked, others)
        if one is not None and one.table is not None and not one.fits([], missing)
    ]
    if not large:
        return None
    tables = [
        one.table for one in (asked, others) if one is not None and one.table is not None
    ]
    check_one_engine(len(tables) == 2 and same_engine(*tables), role, large[0].in_words)
    assert asked is not None and others is not None
    mine = asked.classify_there([], missing, "*")
    return mine, others.classify_there([], missing, None)


def _sizes_in_engine(table: EngineTable, columns: Any) -> Any:
    """Size of each class: a Series, or a table of the engine where they are too many."""
    names = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
    asked = [names.columns[j] for j in check_columns(names, columns, "columns")]
    counted = count_distinct_rows(table, asked)
    if not counted.fits:
        counted.note(counted.counted)
        return replace(table, expression=counted.counted, key=None)
    counted.note()
    here = counted.bring()
    labels = row_labels(here.frame, range(len(asked)), np.arange(len(here.records)))
    return pd.Series(here.records, index=labels, name="records")


def classify(
    data: pd.DataFrame, positions: list[int], secret: list[int], missing: str, mark: Any
) -> EquivalenceClasses:
    """Make the class table of a DataFrame."""
    names = data.columns.tolist()
    known, hidden = [names[j] for j in positions], [names[j] for j in secret]
    cells = encode(data, [*positions, *secret])
    return classify_cells(cells, known, hidden, missing, mark, data.index)


def classify_cells(
    cells: Encoded,
    names: Sequence[Hashable],
    secret: Sequence[Hashable],
    missing: str,
    mark: Any,
    index: pd.Index,
    origin: DistinctRowsHere | None = None,
) -> EquivalenceClasses:
    """Make the class table of cells: quasi-identifiers, then sensitive columns, by name.

    Several sensitive columns are one value together. Of distinct rows that came from an
    engine, each stands for the records it has there.
    """
    check_choice(missing, "missing", MISSING_POLICIES)
    check_partition(missing, bool(secret))
    n = cells.rows
    table, hidden = cells.split(len(names))
    weight = None if origin is None else origin.records
    all_rows = _weigh(np.ones(n, bool), weight)
    lacks, lacks_hidden = _any_row(n, table, table.lacks), _any_row(n, hidden, hidden.lacks)
    out = np.zeros(n, bool)
    if missing == "drop":
        out |= lacks | lacks_hidden
        check_some_left(all_rows - _weigh(out, weight), all_rows)
    dropped = _weigh(out, weight)
    warn_dropped(dropped, all_rows)
    starred = _suppressed_rows(n, table, mark)
    if starred.any() and not (starred | out).all():
        out |= starred
    rows = np.flatnonzero(~out).astype(np.int32) if out.any() else None
    every = range(len(names))
    groups = refine(_some(n, rows), table, every, keep_single=True, in_order=True)
    ids, first = groups.by_first_row()
    kept = weight if weight is None or rows is None else weight[rows]
    counts = None
    if secret:
        name = secret[0] if len(secret) == 1 else tuple(secret)
        counts = _count_values(name, ids, groups.count, *_one_value(hidden, rows), kept)
    sizes = _sum(ids, kept, groups.count)
    where = first if rows is None else rows[first]
    codes = tuple(column.take(where) for column in table.codes)
    matches = sizes
    if missing == "wildcard":
        matches = wildcard_matches(Encoded(list(codes), table.values, len(sizes)), sizes)
    return _frozen(
        EquivalenceClasses(
            index=index,
            quasi_identifiers=tuple(names),
            missing=missing,
            ids=ids if rows is None else _on_rows(ids, rows, n),
            sizes=sizes,
            matches=matches,
            codes=codes,
            values=table.values,
            affected=_weigh(lacks, weight),
            affected_sensitive=_weigh(lacks_hidden, weight),
            dropped=dropped,
            suppressed=_weigh(out, weight) - dropped,
            counts=counts,
            rows=all_rows,
            origin=origin,
        )
    )


def _weigh(marked: npt.NDArray[np.bool_], weight: Whole | None) -> int:
    """Records of marked rows."""
    return int(np.count_nonzero(marked) if weight is None else weight[marked].sum())


def _sum(ids: Whole, weight: Whole | None, count: int) -> Whole:
    """Records of each number; exact, which bincount with weights is up to 2**53."""
    if weight is None:
        return np.bincount(ids, minlength=count)
    sums = np.zeros(count, np.int64)
    np.add.at(sums, ids, weight)
    return sums


def _frozen(classes: EquivalenceClasses) -> EquivalenceClasses:
    """Make the arrays read-only: many metrics share them."""
    parts = [*vars(classes).values(), *classes.codes]
    parts += [] if classes.counts is None else list(vars(classes.counts).values())
    for part in parts:
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    return classes


def _some(n: int, rows: Whole | None) -> Groups:
    """Some rows of a table in one group; None for all of them."""
    count = n if rows is None else len(rows)
    return Groups(rows, np.broadcast_to(np.int32(0), count), 1)


def _on_rows(ids: Whole, rows: Whole, n: int) -> Whole:
    """Spread the classes of some rows over all rows; -1 elsewhere."""
    spread = np.full(n, -1, np.int32)
    spread[rows] = ids
    return spread


def _any_row(n: int, table: Encoded, marked: list[npt.NDArray[np.bool_]]) -> Any:
    """Mark rows that hold a marked value in any column."""
    found: Any = np.zeros(n, bool)
    for codes, values in zip(table.codes, marked, strict=True):
        if values.any():
            found |= values[codes]
    return found


def _suppressed_rows(n: int, table: Encoded, mark: Any) -> Any:
    """Mark rows that hold the mark of suppression in every column."""
    nothing = np.zeros(n, bool)
    if mark is None or not table.codes:
        return nothing
    marked = {}
    # The column with the fewest values tells soonest that nothing is suppressed.
    for j, held in sorted(enumerate(table.held), key=lambda column: len(column[1])):
        typed = held.dtype.kind not in "OT" and not isinstance(held, Categories)
        if typed and isinstance(mark, str):
            return nothing
        if isinstance(held, Categories) and _is_none(held.dtype.categories, mark):
            return nothing
        marked[j] = _equal_to(table.values[j], mark)
        if not marked[j].any():
            return nothing
    return ~_any_row(n, table, [~marked[j] for j in range(len(marked))])


def _is_none(categories: pd.Index, mark: Any) -> bool:
    """Whether a text is sought among texts, and is none of them: that is soon seen."""
    texts = isinstance(mark, str) and categories.dtype.kind in "OT"
    return texts and mark not in categories


def _equal_to(values: pd.Index, mark: Any) -> npt.NDArray[np.bool_]:
    """Mark the values that are `mark`, whatever they are."""
    if isinstance(values, pd.CategoricalIndex):
        of_category = np.append(_equal_to(values.categories, mark), [False])  # last: missing
        return of_category[values.codes]
    cells = np.array(values, object)
    cells[pd.isna(cells)] = None  # whose comparison has an answer
    return np.asarray(cells == mark, bool)


def _one_value(hidden: Encoded, rows: Whole | None) -> tuple[Whole, pd.Index]:
    """Codes and values of one sensitive column, or of several taken together."""
    if len(hidden.codes) == 1:
        codes, values = hidden.codes[0], hidden.values[0]
        return (codes if rows is None else codes[rows]), values
    every = range(len(hidden.codes))
    groups = refine(_some(hidden.rows, rows), hidden, every, keep_single=True, in_order=True)
    ids, first = groups.by_first_row()
    where = first if rows is None else rows[first]
    cells = [
        values.take(codes[where]).astype(object)
        for values, codes in zip(hidden.values, hidden.codes, strict=True)
    ]
    together = np.empty(len(first), object)
    together[:] = list(zip(*cells, strict=True))
    return ids, pd.Index(together, dtype=object, tupleize_cols=False)


def _count_values(
    name: Hashable,
    ids: Whole,
    classes: int,
    codes: Whole,
    values: pd.Index,
    weight: Whole | None = None,
) -> SensitiveCounts:
    """Count the values in each class, as pairs that occur."""
    order, orderable = in_order(values)
    totals = _sum(codes, weight, len(values))[order]
    order = order[totals > 0]  # a value may be on rows that are left out only
    if not np.array_equal(order, np.arange(len(values))):  # categories are mostly in order
        rank = np.zeros(len(values), np.min_scalar_type(len(order) - 1))
        rank[order] = np.arange(len(order))
        codes, values = rank[codes], values[order]
    small = classes * len(order) < 2**31
    key = ids * (np.int32 if small else np.int64)(len(order))
    key += codes
    of_class: Whole
    of_value: Whole
    records: Whole
    if weight is not None and (key[1:] > key[:-1]).all():  # each pair is there once, in order
        of_class, of_value = ids.astype(np.int64), codes.astype(np.int64)
        records = weight
    else:
        if weight is None:
            cells, records = _count_keys(key, classes * len(order))
        else:
            cells, place = np.unique(key, return_inverse=True)
            records = _sum(place, weight, len(cells))
        cells = cells.astype(np.int64, copy=False)
        of_class = cells // len(order)
        of_value = cells - of_class * len(order)
    starts = np.append(0, np.flatnonzero(of_class[1:] > of_class[:-1]) + 1)
    return SensitiveCounts(
        name,
        values,
        orderable,
        totals[totals > 0],
        of_class,
        of_value,
        records,
        starts,
    )


def _count_keys(key: Whole, radix: int) -> tuple[Whole, Whole]:
    """Return the distinct keys in [0, radix), rising, and how often each occurs."""
    if is_counted(radix, key.size):
        table = np.bincount(key)
        cells = np.flatnonzero(table > 0)
        return cells, table[cells]
    key.sort()
    new = np.flatnonzero(np.diff(key, prepend=-1))
    return key[new], np.diff(new, append=key.size)


def wildcard_matches(table: Encoded, records: Whole) -> Whole:
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
            groups = refine(_some(table.rows, both), table, shared, keep_single=True)
            found = totals(groups.ids[len(mine) :], records[others], groups.count)
            matches[mine] += found[groups.ids[: len(mine)]].astype(np.int64)
    return matches


def link_classes(
    sample: EquivalenceClasses, population: EquivalenceClasses
) -> tuple[Encoded, Whole, Whole]:
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
    table = Encoded(codes, values, rows)
    every = range(len(codes))
    groups = refine(everyone(rows), table, every, keep_single=True, in_order=True)
    ids, first = groups.by_first_row()
    joint = Encoded([column[first] for column in codes], values, len(first))
    return joint, ids[: len(sample.sizes)], ids[len(sample.sizes) :]


def _shared_values(one: pd.Index, other: pd.Index) -> tuple[Whole, pd.Index]:
    """Codes that two lists of values share, one list after the other; and what they mean."""
    same = one.dtype == other.dtype
    if same and one.dtype != object and not isinstance(one, pd.CategoricalIndex):
        cells: Any = one.append(other)
    else:  # as objects, which pandas would make floats of if it put them together
        pair = [x.astype(object).to_numpy() for x in _days_alike(one, other)]
        cells = np.concatenate(pair)
        cells[pd.isna(cells)] = np.nan
    codes, both = pd.factorize(cells, use_na_sentinel=False)
    return codes, pd.Index(both, dtype=both.dtype, tupleize_cols=False)


def _days_alike(*both: pd.Index) -> list[pd.Index]:
    """Make times of days, where the other list has times: an engine may tell either."""
    if not any(isinstance(x, pd.DatetimeIndex) and x.tz is None for x in both):
        return [*both]
    return [pd.to_datetime(x.astype(object)) if kind_of(x) == "date" else x for x in both]
