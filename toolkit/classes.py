"""Equivalence classes: how many records of each class hold each sensitive value.

Records that agree on all quasi-identifiers form a class. Every model of anonymity and of
attribute disclosure is a formula of one table: the pairs of a class and a value that occur,
with their numbers of records. A population is linked with it class by class.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ._arguments import (
    check_choice,
    check_column,
    check_columns,
    check_spellings,
    check_table,
    check_weights,
    listed,
)
from ._codes import RANKED, combine, count, encode, kind_of, labels, order_of
from ._typing import AnyArray, BoolArray, FloatArray, IntArray

MISSING = ("category", "drop", "wildcard")


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Pairs of a class and a sensitive value, sorted by class, then by value.

    Made by `class_table`; every metric of anonymity and disclosure takes it in place of a
    DataFrame. Classes are numbered 0, 1, … in order of first appearance.
    """

    values: pd.Index
    """The sensitive values, in order if they have one, a missing value last."""
    ordered: bool
    """True if that order means something."""
    totals: IntArray
    """Records of each value in the whole table."""
    cls: IntArray
    """Class of each pair."""
    val: IntArray
    """Value of each pair."""
    n: IntArray
    """Records of each pair."""
    size: IntArray
    """Records of each class."""
    alike: IntArray
    """Records that agree with each class: its size, unless missing cells match anything; or
    the people whose records these are, if a column names them."""
    ids: IntArray
    """Class of each record; -1 for a record that is left out."""
    data: pd.DataFrame
    """The records."""
    known: tuple[int, ...]
    """Positions of the quasi-identifiers."""
    sensitive: Hashable
    """Name of the sensitive column; None without one."""
    missing: str
    """What a missing cell is."""
    lacking: int = 0
    """Records with a missing quasi-identifier."""
    lacking_sensitive: int = 0
    """Records with a missing sensitive value."""
    dropped: int = 0
    """Records that ``missing="drop"`` left out."""
    suppressed: int = 0
    """Records that were left out because they are suppressed."""
    mark: Any = None
    """The mark of suppressed records."""
    person: Hashable = None
    """Name of the column that names people; None without one."""

    @cached_property
    def start(self) -> IntArray:
        """First pair of each class."""
        return np.flatnonzero(np.diff(self.cls, prepend=-1))

    @cached_property
    def distinct(self) -> IntArray:
        """Different values of each class."""
        return np.bincount(self.cls)

    @cached_property
    def q(self) -> FloatArray:
        """Share of its class that each pair has."""
        return self.n / self.size[self.cls]

    @cached_property
    def p(self) -> FloatArray:
        """Share of the table that each value has."""
        p: FloatArray = self.totals / self.totals.sum()
        return p

    @cached_property
    def excess(self) -> IntArray:
        """Share q - p of each pair, times the records of its class and all: whole numbers."""
        excess: IntArray = (
            self.n * self.totals.sum() - self.size[self.cls] * self.totals[self.val]
        )
        return excess

    @cached_property
    def ratio(self) -> FloatArray:
        """Ratio q / p of each pair, from whole numbers: exactly 1 if the shares are equal."""
        expected = self.size[self.cls] * self.totals[self.val]
        ratio: FloatArray = self.n * self.totals.sum() / expected
        return ratio

    @cached_property
    def gain(self) -> FloatArray:
        """(q - p) / p of each pair."""
        return self.excess / (self.size[self.cls] * self.totals[self.val])

    def max(self, numbers: AnyArray) -> AnyArray:
        """Greatest number of a pair of each class."""
        greatest: AnyArray = numbers[self.start]
        np.maximum.at(greatest, self.cls, numbers)  # reduceat costs more per class
        return greatest

    def sum(self, numbers: AnyArray) -> AnyArray:
        """Sum over the pairs of each class."""
        sums: AnyArray = np.zeros(len(self.size), numbers.dtype)
        np.add.at(sums, self.cls, numbers)
        return sums

    @cached_property
    def first(self) -> IntArray:
        """First record of each class."""
        first = np.empty(len(self.size), np.int64)
        rows = np.flatnonzero(self.ids >= 0)[::-1]
        first[self.ids[rows]] = rows  # the last write wins
        return first

    @cached_property
    def labels(self) -> pd.Index:
        """The quasi-identifiers of each class."""
        return labels(self.data, self.known, self.first)

    def label(self, at: int) -> Any:
        """The quasi-identifiers of one class."""
        return labels(self.data, self.known, self.first[[at]])[0]

    @property
    def quasi_identifiers(self) -> list[Any]:
        """Names of the quasi-identifiers."""
        return [self.data.columns[j] for j in self.known]

    def per_record(self, numbers: AnyArray, name: Hashable = None) -> pd.Series:
        """Give each record the number of its class; a record that is left out gets none."""
        return per_record(self.ids, np.asarray(numbers), self.data.index, name)


def per_record(ids: IntArray, numbers: AnyArray, index: pd.Index, name: Hashable) -> pd.Series:
    """Give each record the number of its class; a record that is left out gets none."""
    found: Any = pd.Series(numbers[ids], index, name=name)
    if (ids >= 0).all():
        return pd.Series(found)
    nullable = {"i": "Int64", "u": "Int64", "b": "boolean", "f": "float64"}
    found = found.astype(nullable.get(numbers.dtype.kind, "object"))
    marked: pd.Series = found.mask(ids < 0)
    return marked


def class_table(
    data: Any,
    quasi_identifiers: Any,
    sensitive: Any = None,
    *,
    missing: str = "category",
    suppressed: Any = None,
    person: Any = None,
    weights: Any = None,
    totals: pd.Series | None = None,
) -> ClassTable:
    """Count how many records of each class hold each sensitive value.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        A DataFrame, or a table of Polars or Arrow. Cells must be comparable.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins. With an empty list
        everyone is in one class.
    sensitive : column, optional
        What is to be kept from the attacker. Several columns are measured one by one.
    missing : {"category", "drop", "wildcard"}
        What a missing cell is: a value of its own; a reason to leave the record out (with a
        warning); or, without a sensitive column, a match for any value.
    suppressed : cell, or mapping from column to cell, optional
        The mark of suppressed records, such as "*", for measures of utility: a record that
        shows it in every quasi-identifier is left out, unless all records do. By default
        every record counts, because whoever reads the table sees it.
    person : column, optional
        What is equal on all records of one person, or house: these are then counted as
        `alike`, and not records. A record that names nobody adds nobody, but a class has at
        least one person.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.
    totals : Series, optional
        Records of each sensitive value in the whole table, if `data` is a part of it.

    Returns
    -------
    ClassTable
        Every metric takes it in place of `data`.

    Examples
    --------
    >>> ward = pd.DataFrame({"room": [1, 1, 2], "illness": ["flu", "hiv", "flu"]})
    >>> table = class_table(ward, "room", "illness")
    >>> table.size.tolist(), table.q.tolist()
    ([2, 1], [0.5, 0.5, 1.0])
    >>> table.per_record(table.size == 1).tolist()
    [False, False, True]
    """
    data = check_table(data).copy(deep=False)  # later changes of the cells do not show
    check_choice(missing, "missing", MISSING)
    known = check_columns(data.columns, quasi_identifiers, "quasi_identifiers")
    secret, whose = (
        [] if key is None else _role(data.columns, key, argument, known)
        for argument, key in (("sensitive", sensitive), ("person", person))
    )
    if missing == "wildcard" and (secret or whose):
        raise ValueError(
            "missing='wildcard' makes no classes (a record may match records that do not match"
            " each other), so it goes with neither sensitive nor person; use"
            " missing='category' or 'drop'."
        )
    weight = None if weights is None else check_weights(data, weights)
    kind: Any = float if np.asarray(weights).dtype.kind == "f" else np.int64
    cells = [encode(data.iloc[:, j]) for j in known]
    hidden = [encode(data.iloc[:, j]) for j in secret]
    lacks, lacks_secret = _lacks(cells, len(data)), _lacks(hidden, len(data))
    dropped = (lacks | lacks_secret) & (missing == "drop")
    if dropped.any():
        say_dropped(int(dropped.sum()), len(data))
    starred = np.zeros(len(data), bool)
    if suppressed is not None and known:
        starred = _suppressed(cells, data.columns[known], suppressed) & ~dropped
        starred &= not (starred | dropped).all()
    kept = ~(dropped | starred)
    keys, _ = combine([codes for codes, _ in cells], [len(v) for _, v in cells], len(data))
    ids = np.full(len(data), -1)
    rows = slice(None) if kept.all() else np.flatnonzero(kept)
    ids[rows], _ = pd.factorize(keys[rows])
    here = None if weight is None else weight[rows]
    size = np.bincount(ids[rows], here).astype(kind, copy=False)
    alike = size
    if missing == "wildcard":
        alike = _wildcard_matches(cells, ids, size)
    if whose:
        alike = _people(data.iloc[:, whose[0]], ids, len(size))
    if secret:
        codes, values = hidden[0]
        found = _pairs(codes[rows], values, ids[rows], len(size), here, totals)
        values, ordered, n_s, cls, val, n = found
    else:  # everybody holds the same value
        values, ordered, n_s = pd.Index(["everyone"]), False, size.sum(keepdims=True)
        cls, val, n = np.arange(len(size)), np.zeros(len(size), np.int64), size
    facts = [
        int(rows.sum() if weight is None else weight[rows].sum())
        for rows in (lacks, lacks_secret, dropped, starred)
    ]
    name, people = (data.columns[some[0]] if some else None for some in (secret, whose))
    counts: Any = (n_s.astype(kind, copy=False), cls, val, n.astype(kind, copy=False))
    made: Any = (
        size,
        alike,
        ids,
        data,
        tuple(known),
        name,
        missing,
        *facts,
        suppressed,
        people,
    )
    return ClassTable(values, ordered, *counts, *made)


def _role(names: pd.Index, key: Any, argument: str, known: list[int]) -> list[int]:
    """Position of a column that is not a quasi-identifier."""
    if isinstance(key, (list, set, np.ndarray, pd.Index)):
        raise TypeError(
            f"{argument} must be one column; got {type(key).__name__} {key!r:.80}. Measure"
            f" several columns one by one."
        )
    j = check_column(names, key, argument)
    if j in known:
        raise ValueError(
            f"{argument}: column {names[j]!r} is also a quasi-identifier; either the attacker"
            f" knows it or not."
        )
    return [j]


Cells = list[tuple[IntArray, pd.Index]]
"""Codes and values of some columns."""


def _lacks(cells: Cells, rows: int) -> BoolArray:
    """Mark rows that lack a cell."""
    lacks = np.zeros(rows, bool)
    for codes, values in cells:
        missing = np.asarray(values.isna())
        if missing.any():
            lacks |= missing[codes]
    return lacks


def say_dropped(dropped: int, rows: int) -> None:
    """Warn that records were left out, and refuse to leave out all."""
    if dropped == rows:
        raise ValueError(
            f"missing='drop' leaves no row: each of the {rows} rows lacks a cell in a"
            f" quasi-identifier or sensitive column. Use missing='category'."
        )
    warnings.warn(
        f"missing='drop' leaves out {dropped} of {rows} rows, which can make the data look"
        f" safer than they are; missing='category' keeps them.",
        stacklevel=3,
    )


def _suppressed(cells: Cells, names: pd.Index, marks: Any) -> BoolArray:
    """Mark rows that show the mark of suppression in every column."""
    by_name = marks if isinstance(marks, Mapping) else dict.fromkeys(names, marks)
    shown = np.ones(len(cells[0][0]), bool)
    for (codes, values), name in zip(cells, names, strict=True):
        mark = by_name.get(name)
        same = values.isna() if pd.isna(mark) else values.astype(object) == mark
        shown &= np.asarray(same, bool)[codes]
    return shown


def _wildcard_matches(cells: Cells, ids: IntArray, size: IntArray) -> IntArray:
    """Records that agree with each class, where a missing cell matches anything."""
    first = np.flatnonzero(~pd.Series(ids).duplicated() & (ids >= 0))
    return wildcard_matches([(codes[first], values) for codes, values in cells], size)


def wildcard_matches(cells: Cells, records: IntArray) -> IntArray:
    """Records that agree with each row where a missing cell matches anything.

    `records` says how many records each row of cells stands for. Rows that lack the same
    columns are taken together, so that the loops run over these patterns and not over rows.
    """
    lacks = np.zeros((len(records), len(cells)), bool)
    for j, (codes, values) in enumerate(cells):
        lacks[:, j] = np.asarray(values.isna())[codes]
    patterns, pattern = np.unique(lacks, axis=0, return_inverse=True)
    rows = [np.flatnonzero(pattern.ravel() == a) for a in range(len(patterns))]
    matches = np.zeros(len(records), np.int64)
    for a, some in enumerate(rows):
        for b, others in enumerate(rows):
            shared = [cells[j] for j in np.flatnonzero(~(patterns[a] | patterns[b]))]
            both = np.concatenate([some, others])
            columns, sizes = [codes[both] for codes, _ in shared], [len(v) for _, v in shared]
            keys, _ = pd.factorize(combine(columns, sizes, len(both))[0])
            found = np.bincount(keys[len(some) :], records[others], keys.max() + 1)
            matches[some] += found[keys[: len(some)]].astype(np.int64)
    return matches


def check_people(whose: pd.Series) -> tuple[IntArray, pd.Index]:
    """Codes and names of people; one person in several spellings is refused."""
    codes, names = encode(whose)
    if kind_of(names) not in RANKED:
        check_spellings(names.dropna(), f"person: {whose.name!r}")
    return codes, names


def _people(whose: pd.Series, ids: IntArray, classes: int) -> IntArray:
    """People who have records in each class, at least one."""
    codes, names = check_people(whose)
    there = (ids >= 0) & ~_lacks([(codes, names)], len(ids))
    pairs = pd.unique(ids[there] * len(names) + codes[there])
    return np.maximum(np.bincount(pairs // len(names), minlength=classes), 1)


def _pairs(
    codes: IntArray,
    values: pd.Index,
    ids: IntArray,
    classes: int,
    weight: FloatArray | None,
    totals: pd.Series | None,
) -> tuple[pd.Index, bool, AnyArray, IntArray, IntArray, AnyArray]:
    """Sensitive values in order, their totals, and the pairs of a class and a value."""
    if totals is not None:  # of the whole table, of which these are a part
        place = totals.index.astype(object).get_indexer(values.astype(object))
        codes, values = place[codes], totals.index
    order, ordered = order_of(values)
    rank = np.argsort(order)
    m = len(values)
    pairs, n = count(ids * m + rank[codes], classes * m, weight)
    cls, val = np.divmod(pairs, m)
    if totals is not None:
        return values[order], ordered, totals.to_numpy()[order], cls, val, n
    n_s = np.bincount(val, n, m)
    used = np.flatnonzero(n_s)  # a value may occur on records only that are left out
    return values[order[used]], ordered, n_s[used], cls, np.searchsorted(used, val), n


def class_tables(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
    person: Any = None,
    secret: bool = False,
    sizes: bool = False,
) -> Iterable[ClassTable]:
    """Class table of a table in memory, as it came or made now; of an engine perhaps in parts.

    A metric of sensitive values needs a `secret`. If `sizes` suffice, an engine counts classes
    of one size as one, and their cells stay where they are.
    """
    if isinstance(data, ClassTable):
        for argument, given in (
            ("quasi_identifiers", quasi_identifiers),
            ("sensitive", sensitive),
            ("person", person),
            ("missing", None if missing in ("category", data.missing) else missing),
        ):
            if given is not None:
                raise ValueError(
                    f"{argument} is settled by the class table that came as data; leave it"
                    f" out, or pass the DataFrame."
                )
        if secret and data.sensitive is None:
            raise ValueError(
                "the class table has no sensitive column; make it with class_table(data,"
                " quasi_identifiers, sensitive)."
            )
        return [data]
    if secret and sensitive is None:
        raise TypeError("sensitive must be one column; got none.")
    if in_engine(data):
        options: dict[str, Any] = {"missing": missing, "person": person, "sizes": sizes}
        tables: Iterable[ClassTable] = data.parts(
            quasi_identifiers, sensitive if secret else None, **options
        )
        return tables
    hidden = sensitive if secret else None
    return [class_table(data, quasi_identifiers, hidden, missing=missing, person=person)]


def in_engine(data: Any) -> bool:
    """True if a table stays in an engine and counts there."""
    return not isinstance(data, pd.DataFrame) and callable(getattr(data, "parts", None))


def equivalence_class(data: Any, columns: Any) -> pd.Series:
    """Which class each record belongs to: records of a class agree on all `columns`.

    Parameters
    ----------
    data, columns
        See `class_table`.

    Returns
    -------
    Series of shape (n_records,)
        Class numbers 0, 1, … in order of first appearance. Index of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "B", "A"], "sex": ["f", "f", "f"]})
    >>> equivalence_class(data, ["town", "sex"]).tolist()
    [0, 1, 0]
    """
    check_columns(check_table(data).columns, columns, "columns", once=True)
    table = class_table(data, columns)
    return table.per_record(np.arange(len(table.size)), "class")


def class_sizes(
    data: Any, columns: Any, *, weights: Any = None, person: Any = None
) -> pd.Series:
    """How many records, or people, share each combination of values in `columns`.

    A class of size 1 is a record that these columns single out; larger is safer.

    Parameters
    ----------
    data, columns, weights, person
        See `class_table`.

    Returns
    -------
    Series of shape (n_classes,)
        Records, or people, of each class, in order of first appearance, indexed by the values
        of `columns`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "B", "A"], "sex": ["f", "f", "f"]})
    >>> class_sizes(data, ["town", "sex"])
    town  sex
    A     f      2
    B     f      1
    Name: records, dtype: int64
    """
    if person is not None and weights is not None:
        raise ValueError("weights count records, and person counts people; give one.")
    if in_engine(data):
        tables = class_tables(data, columns, person=person)
    else:
        check_columns(check_table(data).columns, columns, "columns", once=True)
        tables = [class_table(data, columns, weights=weights, person=person)]
    counted = "records" if person is None else "people"
    parts: Any = [pd.Series(c.alike, c.labels, name=counted) for c in tables]
    sizes: pd.Series = pd.concat(parts)
    return sizes


def class_counts(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> pd.DataFrame:
    """How often each class holds each sensitive value that occurs in it.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        See `class_table`.

    Returns
    -------
    DataFrame of shape (n_pairs, 4)
        A row per class and value: `value`, `records`, `share` q in the class and
        `share_of_all` p in the table. Indexed by the quasi-identifiers.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> class_counts(data, "town", "illness").round(2)
         value  records  share  share_of_all
    town
    A      flu        1    0.5          0.33
    A      hiv        1    0.5          0.67
    B      hiv        1    1.0          0.67
    """
    tables = class_tables(data, quasi_identifiers, sensitive, missing=missing, secret=True)
    return pd.concat(
        pd.DataFrame(
            {
                "value": c.values.take(c.val),
                "records": c.n,
                "share": c.q,
                "share_of_all": c.p[c.val],
            }
        ).set_axis(c.labels.take(c.cls))
        for c in tables
    )


# A table beside its population


@dataclass(frozen=True, eq=False)
class Linked:
    """Classes of a table and of its population, those of the table first."""

    size: IntArray
    """Records of the table in each class."""
    records: IntArray
    """Records, or people, of the table that agree with each class."""
    people: IntArray
    """People of the population who agree with each class."""
    ids: IntArray
    """Class of each record of the table; -1 for a record that is left out."""
    tables: tuple[ClassTable, ClassTable]
    """Class table of the table, and of the population."""
    place: IntArray
    """Class of the population of each further class."""

    @cached_property
    def labels(self) -> pd.Index:
        """The quasi-identifiers of each class."""
        here, there = self.tables
        names, rest = here.quasi_identifiers, there.first[self.place]
        columns = [
            labels(here.data, [j], here.first).append(labels(there.data, [k], rest))
            for j, k in zip(here.known, there.known, strict=True)
        ]
        if not columns:
            return pd.Index(["everyone"])
        if len(columns) == 1:
            return columns[0].rename(names[0])
        return pd.MultiIndex.from_arrays(columns, names=names)

    def label(self, at: int) -> Any:
        """The quasi-identifiers of one class."""
        return self.labels[at]

    def per_record(self, numbers: AnyArray, name: Hashable = None) -> pd.Series:
        """Give each record the number of its class; a record that is left out gets none."""
        return per_record(self.ids, np.asarray(numbers), self.tables[0].data.index, name)


def link(
    data: Any,
    population: Any,
    quasi_identifiers: Any = None,
    *,
    role: str = "population",
    missing: str = "category",
    person: Any = None,
    weights: tuple[Any, Any] = (None, None),
) -> Linked:
    """Put the classes of a table and of its population side by side.

    Columns are found in the population by their names, the person too if it has that column:
    else each row is one. A population must have everyone the records are about; a register
    need not.
    """
    here, there = data, population
    options: Any
    if isinstance(here, ClassTable):
        class_tables(here, quasi_identifiers, missing=missing, person=person)
    else:
        options = {"missing": missing, "person": person, "weights": weights[0]}
        here = class_table(data, quasi_identifiers, **options)
    names = here.quasi_identifiers
    if not isinstance(there, ClassTable):
        rows = check_table(population, role)
        options = {"missing": here.missing, "weights": weights[1]}
        options["person"] = here.person if here.person in rows.columns else None
        there = class_table(rows, names, **options)
    if (names, here.missing) != (there.quasi_identifiers, there.missing):
        raise ValueError(
            f"data and {role} must have the same quasi-identifiers and missing; got"
            f" {listed(names)} and {listed(there.quasi_identifiers)}, missing={here.missing!r}"
            f" and {there.missing!r}."
        )
    cells = [_joined(here, there, j, role) for j in range(len(names))]
    total = len(here.size) + len(there.size)
    keys, _ = combine([codes for codes, _ in cells], [len(v) for _, v in cells], total)
    ids, _ = pd.factorize(keys)
    ours, theirs = ids[: len(here.size)], ids[len(here.size) :]
    classes = int(ids.max()) + 1
    size, records = (np.zeros(classes, np.int64) for _ in range(2))
    size[ours], records[ours] = here.size, here.alike
    wild = here.missing == "wildcard"
    people: IntArray = np.zeros(classes, np.int64)
    people[theirs] = there.size if wild else there.alike
    if wild:
        first = np.flatnonzero(~pd.Series(ids).duplicated())
        people = wildcard_matches([(codes[first], v) for codes, v in cells], people)
    lost = int((people[ours] == 0).sum())
    if lost and role == "population":
        raise ValueError(
            f"the population has no record of {lost} of the classes of data. The population"
            f" must contain the sample, and be recoded in the same way."
        )
    further = np.flatnonzero(theirs >= len(here.size))
    of_record = np.where(here.ids >= 0, ours[here.ids], -1)
    return Linked(size, records, people, of_record, (here, there), further)


FAMILIES = {
    **dict.fromkeys(["integer", "floating", "mixed-integer-float", "decimal"], "numbers"),
    **dict.fromkeys(["datetime64", "datetime", "date"], "dates"),
    **{"boolean": "numbers", "string": "text", "time": "times of the day"},
    **{"timedelta64": "durations", "timedelta": "durations", "period": "periods"},
    **{"interval": "intervals", "bytes": "bytes"},
}
"""What kinds of cells, as pandas calls them, may equal each other."""


def _joined(
    here: ClassTable, there: ClassTable, j: int, role: str
) -> tuple[IntArray, pd.Index]:
    """Codes, shared by two tables, of a quasi-identifier of each class; and the values."""
    tables = (here, there)
    columns = [labels(table.data, [table.known[j]], table.first) for table in tables]
    pairs = [encode(pd.Series(column)) for column in columns]
    families = [_family(values) for _, values in pairs]
    if None not in families and families[0] != families[1]:
        raise ValueError(
            f"{role}: column {columns[0].name!r} holds {families[1]} where data holds"
            f" {families[0]}, so that no two cells could be equal; write both tables alike."
        )
    kinds = {kind_of(values) for _, values in pairs}
    days = families[0] == families[1] == "dates" and len(kinds) > 1
    lists = [
        (pd.to_datetime(values.astype(object)) if days else values).astype(object)
        for _, values in pairs
    ]
    cells = np.concatenate([values.to_numpy() for values in lists])
    cells[pd.isna(cells)] = np.nan
    shared, both = pd.factorize(cells, use_na_sentinel=False)
    (ours, values), (theirs, _) = pairs
    codes = np.concatenate([shared[: len(values)][ours], shared[len(values) :][theirs]])
    return codes, pd.Index(both, dtype=object, tupleize_cols=False)


def _family(values: pd.Index) -> str | None:
    """What values are, if cells of another family surely differ from them."""
    known = values.dropna()
    family = FAMILIES.get(kind_of(known)) if len(known) else None
    zone = getattr(known.astype(object)[0], "tzinfo", None) if family == "dates" else None
    return family if zone is None else "dates with a time zone"


def linked_tables(
    data: Any,
    population: Any,
    quasi_identifiers: Any = None,
    *,
    role: str = "population",
    missing: str = "category",
    person: Any = None,
) -> Iterable[Linked]:
    """Classes of a table and its population; of an engine perhaps in parts."""
    options: Any = {"missing": missing, "person": person}
    if in_engine(data):
        linked: Iterable[Linked] = data.linked_parts(population, quasi_identifiers, **options)
        return linked
    return [link(data, population, quasi_identifiers, role=role, **options)]
