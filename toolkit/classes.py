"""Equivalence classes: how many records of each class hold each sensitive value.

Records that agree on all quasi-identifiers form a class. Every model of anonymity and of
attribute disclosure is computed from one table: the pairs of a class and a value that occur,
with the records of each pair. A population is linked with a table class by class.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
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
from ._typing import AnyArray, BoolArray, Column, Columns, IntArray, Table


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Pairs of a class and a sensitive value, sorted by class, then by value.

    Made by `class_table`; every metric of anonymity and disclosure takes it in place of a
    DataFrame. Classes are numbered 0, 1, … in order of first appearance.
    """

    values: pd.Index
    """The sensitive values, sorted if they have an order, a missing value last."""
    ordered: bool
    """True if the values have an order that means something."""
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
    """Records that agree with each class: its size, or more if missing cells match anything;
    with a column of people, the people of these records."""
    ids: IntArray
    """Class of each record; -1 for an omitted record."""
    index: pd.Index
    """Index of the records."""
    data: pd.DataFrame
    """The records; of linked tables, a row for each class of each table."""
    known: tuple[int, ...]
    """Positions of the quasi-identifiers."""
    sensitive: Hashable
    """Name of the sensitive column; None without one."""
    missing: str
    """Treatment of missing cells, as in `class_table`."""
    lacking: int = 0
    """Records with a missing quasi-identifier."""
    lacking_sensitive: int = 0
    """Records with a missing sensitive value."""
    dropped: int = 0
    """Records that ``missing="drop"`` left out."""
    suppressed: int = 0
    """Records left out as suppressed."""
    person: Hashable = None
    """Name of the column that names people; None without one."""
    people: Any = None
    """People of a linked population who agree with each class."""

    start = cached_property(lambda c: np.flatnonzero(np.diff(c.cls, prepend=-1)))
    """First pair of each class."""
    distinct = cached_property(lambda c: np.bincount(c.cls))
    """Number of different values in each class."""
    q = cached_property(lambda c: c.n / c.size[c.cls])
    """Share of each pair in its class."""
    p = cached_property(lambda c: c.totals / c.totals.sum())
    """Share of each value in the table."""
    expected = cached_property(lambda c: c.size[c.cls] * c.totals[c.val])
    """Records of each pair if its class were like the table, times all records."""
    excess = cached_property(lambda c: c.n * c.totals.sum() - c.expected)
    """Records of each pair, times all, minus `expected`: whole and so exact, unlike q - p."""

    def max(self, numbers: AnyArray) -> AnyArray:
        """Greatest of the numbers of the pairs in each class."""
        greatest: AnyArray = numbers[self.start]
        np.maximum.at(greatest, self.cls, numbers)  # reduceat takes longer for each class
        return greatest

    def sum(self, numbers: AnyArray) -> AnyArray:
        """Sum of the numbers of the pairs in each class."""
        sums: AnyArray = np.zeros(len(self.size), numbers.dtype)
        np.add.at(sums, self.cls, numbers)
        return sums

    @cached_property
    def first(self) -> IntArray:
        """First record of each class."""
        rows = np.flatnonzero(~pd.Series(self.ids).duplicated())
        return rows[self.ids[rows] >= 0]

    labels = cached_property(lambda c: labels(c.data, c.known, c.first))
    """The quasi-identifiers of each class."""
    quasi_identifiers = property(lambda c: [c.data.columns[j] for j in c.known])
    """Names of the quasi-identifiers."""

    def per_record(self, numbers: AnyArray, name: Hashable = None) -> pd.Series:
        """Give each record the number of its class; a record that is left out gets none."""
        cells: Any = np.asarray(numbers)[self.ids]
        if (self.ids < 0).any():
            cells = cells if cells.dtype.kind == "f" else pd.array(cells)
            cells[self.ids < 0] = None
        return pd.Series(cells, self.index, name=name)


def class_table(
    data: Table,
    quasi_identifiers: Columns,
    sensitive: Columns = None,
    *,
    missing: str = "category",
    suppressed: Any = None,
    person: Column = None,
    weights: Any = None,
    totals: pd.Series | None = None,
) -> ClassTable:
    """Count how many records of each class hold each sensitive value.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        A DataFrame, or a table of Polars or Arrow. Cells must be comparable.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins. With an empty list,
        everyone is in one class.
    sensitive : column, optional
        What is to be kept from the attacker. Several columns are measured one by one.
    missing : {"category", "drop", "wildcard"}
        Whether a missing cell is a value of its own, makes the record be left out (with a
        warning) or, without a sensitive column, matches any value.
    suppressed : cell, or mapping from column to cell, optional
        The mark of suppressed records, such as "*", for measures of utility. A record with
        this mark in every quasi-identifier is left out, unless all records have it. By
        default every record counts, because a reader of the table sees it.
    person : column, optional
        The column that is equal on all records of one person or household. `alike` then
        counts people instead of records. A record that names nobody adds no person, but a
        class counts at least one.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.
    totals : Series, optional
        Records of each sensitive value in the whole table, if `data` is a part of it.

    Returns
    -------
    ClassTable
        Metrics take the class table in place of `data`.

    Examples
    --------
    >>> ward = pd.DataFrame({"room": [1, 1, 2], "illness": ["flu", "hiv", "flu"]})
    >>> table = class_table(ward, "room", "illness")
    >>> table.size.tolist(), table.q.tolist()
    ([2, 1], [0.5, 0.5, 1.0])
    >>> table.per_record(table.size == 1).tolist()
    [False, False, True]
    """
    data = check_table(data).copy(deep=False)  # later changes of cells do not show
    check_choice(missing, "missing", ("category", "drop", "wildcard"))
    known = check_columns(data.columns, quasi_identifiers, "quasi_identifiers")
    others = {"sensitive": sensitive, "person": person}
    roles = {a: check_column(data.columns, k, a) for a, k in others.items() if k is not None}
    for argument, j in roles.items():
        if missing == "wildcard":
            raise ValueError(
                f"missing='wildcard' makes no classes (a record may match records that do not"
                f" match each other), so it cannot be used with {argument}; use"
                f" missing='category' or 'drop'."
            )
        if j in known:
            raise ValueError(
                f"{argument}: column {data.columns[j]!r} is also a quasi-identifier; either"
                f" the attacker knows it or not."
            )
    weight = None if weights is None else check_weights(data, weights)
    whole = weight is None or np.asarray(weights).dtype.kind != "f"

    # Which records count
    cells = [encode(data.iloc[:, j]) for j in known]
    secret = [encode(data.iloc[:, j]) for name, j in roles.items() if name == "sensitive"]
    lacks, lacks_secret = np.zeros((2, len(data)), bool)
    for lacking, columns in ((lacks, cells), (lacks_secret, secret)):
        for codes, held in columns:
            if held.hasnans:
                lacking |= np.asarray(held.isna())[codes]
    dropped = (lacks | lacks_secret) & (missing == "drop")
    if dropped.all():
        raise ValueError(
            f"missing='drop' leaves no row: each of the {len(data)} rows lacks a cell in a"
            f" quasi-identifier or sensitive column. Use missing='category'."
        )
    if dropped.any():
        warnings.warn(
            f"missing='drop' leaves out {dropped.sum()} of {len(data)} rows, which can make"
            f" the data look safer than they are; missing='category' keeps them.",
            stacklevel=3,
        )
    starred = np.zeros(len(data), bool)
    if suppressed is not None and known:
        starred = _show_marks(cells, data.columns[known], suppressed) & ~dropped
        starred &= not (starred | dropped).all()
    included = ~(dropped | starred)

    # Classes
    rows = slice(None) if included.all() else np.flatnonzero(included)
    keys, _ = combine([codes for codes, _ in cells], [len(v) for _, v in cells], len(data))
    ids = np.full(len(data), -1)
    ids[rows], _ = pd.factorize(keys[rows])
    counted = None if weight is None else weight[rows]
    size = np.bincount(ids[rows], counted)

    # Pairs of a class and a value
    values, ordered = pd.Index(["everyone"]), False  # no sensitive column: one value
    cls, val, n = np.arange(len(size)), np.zeros(len(size), np.int64), size
    of_value = size.sum(keepdims=True)
    if secret:
        codes, values = secret[0]
        if totals is not None:  # data is a part of that table
            place = totals.index.astype(object).get_indexer(values.astype(object))
            codes, values = place[codes], totals.index
        m = len(values)
        order, ordered = order_of(values)
        pairs, n = count(
            ids[rows] * m + np.argsort(order)[codes[rows]], len(size) * m, counted
        )
        cls, val = np.divmod(pairs, m)
        of_value = np.bincount(val, n, m) if totals is None else totals.to_numpy()[order]
        occurs = of_value > 0  # among the records that count
        values, of_value = values[order[occurs]], of_value[occurs]
        val = (np.cumsum(occurs) - 1)[val]

    if whole:
        size, of_value, n = (numbers.astype(np.int64) for numbers in (size, of_value, n))
    records = 1 if weight is None else weight
    counts = {"lacking": lacks, "lacking_sensitive": lacks_secret}
    counts |= {"dropped": dropped, "suppressed": starred}
    table = ClassTable(
        values=values,
        ordered=ordered,
        totals=of_value,
        cls=cls,
        val=val,
        n=n,
        size=size,
        alike=size,
        ids=ids,
        index=data.index,
        data=data,
        known=tuple(known),
        sensitive=None if sensitive is None else data.columns[roles["sensitive"]],
        missing=missing,
        person=None if person is None else data.columns[roles["person"]],
        **{name: int((omitted * records).sum()) for name, omitted in counts.items()},
    )
    if missing == "wildcard":
        return replace(table, alike=wildcard_matches(table, size))
    if person is not None:
        return replace(table, alike=_people(table, data.iloc[:, roles["person"]]))
    return table


Cells = list[tuple[IntArray, pd.Index]]
"""Codes and values of some columns."""


def _show_marks(cells: Cells, names: pd.Index, marks: Any) -> BoolArray:
    """Mark rows that show the mark of suppression in every quasi-identifier."""
    by_name = marks if isinstance(marks, Mapping) else dict.fromkeys(names, marks)
    shown = [
        np.asarray(values.astype(object) == by_name.get(name), bool)[codes]
        for (codes, values), name in zip(cells, names, strict=True)
    ]
    return np.asarray(np.all(shown, axis=0))


def wildcard_matches(table: ClassTable, records: IntArray) -> IntArray:
    """Records that agree with each class where a missing cell matches anything.

    `records` says how many records each class stands for. The loops run over patterns of
    missing columns, not over classes: classes that lack the same columns share a pattern.
    """
    cells = [encode(table.data.iloc[:, j]) for j in table.known]
    cells = [(codes[table.first], values) for codes, values in cells]
    lacks = np.zeros((len(records), len(cells)), bool)
    for j, (codes, values) in enumerate(cells):
        lacks[:, j] = np.asarray(values.isna())[codes]
    patterns, pattern = np.unique(lacks, axis=0, return_inverse=True)
    alike = [np.flatnonzero(pattern.ravel() == a) for a in range(len(patterns))]
    matches = np.zeros(len(records), np.int64)
    for a, b in itertools.product(range(len(patterns)), repeat=2):
        shared = [cells[j] for j in np.flatnonzero(~(patterns[a] | patterns[b]))]
        both = np.concatenate([alike[a], alike[b]])
        columns, sizes = [codes[both] for codes, _ in shared], [len(v) for _, v in shared]
        keys, _ = pd.factorize(combine(columns, sizes, len(both))[0])
        ours, theirs = np.split(keys, [len(alike[a])])
        matches[alike[a]] += np.bincount(theirs, records[alike[b]], len(both)).astype(int)[
            ours
        ]
    return matches


def check_people(whose: pd.Series) -> tuple[IntArray, pd.Index]:
    """Codes and names of people; refuse a name in several spellings."""
    codes, names = encode(whose)
    if kind_of(names) not in RANKED:
        check_spellings(names.dropna(), f"person: {whose.name!r}")
    return codes, names


def _people(table: ClassTable, whose: pd.Series) -> IntArray:
    """Number of people with records in each class, at least one."""
    codes, names = check_people(whose)
    counted = (table.ids >= 0) & np.asarray(names.notna())[codes]
    pairs = pd.unique(table.ids[counted] * len(names) + codes[counted])
    return np.maximum(np.bincount(pairs // len(names), minlength=len(table.size)), 1)


def class_tables(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    missing: str = "category",
    person: Column = None,
    secret: bool = False,
    sizes: bool = False,
) -> Iterable[ClassTable]:
    """Class tables of a table: one for a table in memory, one or several for an engine.

    A class table is returned unchanged. `secret` is True for metrics of sensitive values. If
    `sizes` suffice, an engine counts all classes of one size as one and sends no cells.
    """
    if isinstance(data, ClassTable):
        other = missing not in ("category", data.missing)
        if other or any(a is not None for a in (quasi_identifiers, sensitive, person)):
            raise ValueError(
                "data is a class table, in which quasi_identifiers, sensitive, person and"
                " missing are already set; leave them out, or pass the DataFrame."
            )
        if secret and data.sensitive is None:
            raise ValueError(
                "the class table has no sensitive column; make it with class_table(data,"
                " quasi_identifiers, sensitive)."
            )
        return [data]
    if secret and sensitive is None:
        raise TypeError("sensitive must be one column; got none.")
    roles = quasi_identifiers, sensitive if secret else None
    if hasattr(type(data), "parts"):
        options: dict[str, Any] = {"missing": missing, "person": person, "sizes": sizes}
        parts: Iterable[ClassTable] = data.parts(*roles, **options)
        return parts
    return [class_table(data, *roles, missing=missing, person=person)]


def of_records(
    name: str,
    of_class: Callable[[ClassTable], AnyArray],
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    population: Table = None,
    **options: Any,
) -> pd.Series:
    """Give each record the number of its class; records of an engine are named by its key."""
    if hasattr(type(data), "parts"):
        roles, options = (quasi_identifiers, sensitive), {**options, "population": population}
        series: pd.Series = data.per_record(lambda c: {name: of_class(c)}, *roles, **options)
        return series
    if "role" in options:
        (c,) = linked_tables(data, population, quasi_identifiers, **options)
    else:
        (c,) = class_tables(data, quasi_identifiers, **options)
    return c.per_record(of_class(c), name)


def equivalence_class(data: Table, columns: Columns) -> pd.Series:
    """Class of each record; the records of a class agree on all `columns`.

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
    table = class_table(data, columns)
    return table.per_record(np.arange(len(table.size)), "class")


def class_sizes(data: Table, columns: Columns, *, person: Column = None) -> pd.Series:
    """How many records, or people, share each combination of values in `columns`.

    In a class of size 1, these columns single out one record; larger is safer.

    Parameters
    ----------
    data, columns, person
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
    counted = "records" if person is None else "people"
    tables = class_tables(data, columns, person=person)
    sizes: pd.Series = pd.concat([pd.Series(c.alike, c.labels) for c in tables])
    return sizes.rename(counted)


def class_counts(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> pd.DataFrame:
    """Records of each sensitive value in each class where it occurs.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
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
    tables = class_tables(data, quasi_identifiers, sensitive, secret=True)
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


def link(
    data: Table,
    population: Table,
    quasi_identifiers: Columns = None,
    *,
    role: str = "population",
    missing: str = "category",
    person: Column = None,
) -> ClassTable:
    """Put the classes of a table and of its population side by side.

    The classes of the table come first. Columns are found in the population by name. Without
    the column `person`, each of its rows is one person. A population must contain everyone the
    records are about; a register need not.
    """
    (here,) = class_tables(data, quasi_identifiers, missing=missing, person=person)
    names, other = here.quasi_identifiers, population
    if not isinstance(other, ClassTable):
        rows = check_table(population, role)
        check_columns(rows.columns, names, role)
        whose = here.person if here.person in rows.columns else None
        other = class_table(rows, names, missing=here.missing, person=whose)
    if (names, here.missing) != (other.quasi_identifiers, other.missing):
        raise ValueError(
            f"data and {role} must have the same quasi-identifiers, and the same missing; got"
            f" {listed(names)} and {listed(other.quasi_identifiers)}, missing={here.missing!r}"
            f" and {other.missing!r}."
        )
    columns = {j: _joined(here, other, j, role) for j in range(len(names))}
    columns[len(names)] = pd.Series(0, range(len(here.size) + len(other.size)))  # for names=[]
    both = class_table(pd.DataFrame(columns), range(len(names)), missing=here.missing)
    both.data.columns = pd.Index([*names, None], dtype=object)
    ours, theirs = np.split(both.ids, [len(here.size)])
    kind = np.result_type(here.size, other.size)  # weights may be fractions
    size, records, people = np.zeros((3, len(both.size)), kind)
    size[ours], records[ours] = here.size, here.alike
    people[theirs] = other.size if here.missing == "wildcard" else other.alike
    if here.missing == "wildcard":
        people[:] = wildcard_matches(both, people)
    lost = int((people[ours] == 0).sum())
    if lost and role == "population":
        raise ValueError(
            f"the population has no record of {lost} of the classes of data. The population"
            f" must contain the sample, and be recoded in the same way."
        )
    ids = np.where(here.ids >= 0, ours[here.ids], -1)
    linked = replace(both, size=size, alike=records, people=people, ids=ids, index=here.index)
    vars(linked)["first"] = both.first  # rows of both, not of the table
    return linked


FAMILIES = {
    **dict.fromkeys(["integer", "floating", "mixed-integer-float", "decimal"], "numbers"),
    **dict.fromkeys(["datetime64", "datetime", "date"], "dates"),
    **dict.fromkeys(["timedelta64", "timedelta"], "durations"),
    **{"boolean": "numbers", "string": "text", "time": "times of the day"},
    **{"period": "periods", "interval": "intervals", "bytes": "bytes"},
}
"""Kinds of cells, in pandas' words, and families; cells of one family may be equal."""


def _joined(here: ClassTable, other: ClassTable, j: int, role: str) -> pd.Series:
    """A quasi-identifier of the classes of two tables, as one column of comparable cells."""
    columns = []
    for table in (here, other):
        codes, values = encode(table.data.iloc[:, table.known[j]])
        columns.append(pd.Series(values.take(codes[table.first])))
    families = [_family(pd.Index(column, tupleize_cols=False)) for column in columns]
    if None not in families and families[0] != families[1]:
        raise ValueError(
            f"{role}: column {here.quasi_identifiers[j]!r} holds {families[1]} where data"
            f" holds {families[0]}, so no two cells could be equal; write both tables"
            f" alike."
        )
    if families[0] == "dates" and len({*map(kind_of, map(pd.Index, columns))}) > 1:
        columns = [pd.to_datetime(column.astype(object)) for column in columns]
    if columns[0].dtype != columns[1].dtype:
        columns = [column.astype(object) for column in columns]
    return pd.concat(columns, ignore_index=True)


def _family(values: pd.Index) -> str | None:
    """Family of some values; None if cells of another family may equal them."""
    known = values.dropna()
    family = FAMILIES.get(kind_of(known)) if len(known) else None
    zone = getattr(known.astype(object)[0], "tzinfo", None) if family == "dates" else None
    return family if zone is None else "dates with a time zone"


def linked_tables(
    data: Table,
    population: Table,
    quasi_identifiers: Columns = None,
    *,
    role: str = "population",
    missing: str = "category",
    person: Column = None,
) -> Iterable[ClassTable]:
    """Linked classes of a table and its population; an engine may give them in parts."""
    options: Any = {"missing": missing, "person": person}
    if hasattr(type(data), "parts"):
        linked: Iterable[ClassTable] = data.linked_parts(
            population, quasi_identifiers, **options
        )
        return linked
    return [link(data, population, quasi_identifiers, role=role, **options)]
