"""The distinct rows of a sample, on which the measures of this room count."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._codes import Groups, combine, encode, everyone, split
from .._typing import AnyArray, IntArray, table_of
from .._validation import (
    check_choice,
    check_dropped,
    check_quasi_identifiers,
    check_table,
    check_whole,
)
from ..classes import ClassTable

MOST_SUBSETS = 100_000
"""Subsets of columns that are looked at without a smaller limit."""


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """What an attacker may know of the records; equal rows stand here once."""

    names: list[Hashable]
    """Columns that the attacker may know."""
    values: list[pd.Index]
    """Per column, the values."""
    codes: list[IntArray]
    """Per column, the code of each distinct row."""
    records: IntArray
    """Records of each distinct row."""
    row_of: IntArray
    """Distinct row of each record; -1 for records that are left out."""
    index: pd.Index
    """Labels of the records."""

    def named(self, columns: tuple[int, ...]) -> tuple[Hashable, ...]:
        """Names of some columns."""
        return tuple(self.names[j] for j in columns)

    @property
    def n_records(self) -> int:
        """Records that are not left out."""
        return int(self.records.sum())

    def per_record(self, numbers: AnyArray, name: Hashable = None) -> pd.Series:
        """Numbers of the distinct rows on the records; none for those that are left out."""
        column = pd.Series(numbers[self.row_of], self.index, name=name)
        left_out = self.row_of < 0
        if not left_out.any():
            return column
        nullable: Any = {"i": "Int64", "b": "boolean"}.get(column.dtype.kind, "float64")
        return column.astype(nullable).mask(left_out)


def distinct_rows(data: Any, quasi_identifiers: Any, missing: str) -> DistinctRows:
    """Count the distinct rows of at least one column.

    `missing` says what a missing cell is: a value of its own ("category"), or a reason to
    leave the record out ("drop").
    """
    if hasattr(data, "ids") and hasattr(data, "codes"):  # a class table of a former kind
        names, records = list(data.quasi_identifiers), data.sizes
        return DistinctRows(names, data.values, data.codes, records, data.ids, data.index)
    counted = data if isinstance(data, ClassTable) else None
    if counted is not None:
        data, quasi_identifiers, missing = counted.data, counted.known, counted.missing
    data = check_table(table_of(data))
    check_choice(missing, "missing", ("category", "drop"))
    positions = check_quasi_identifiers(data, quasi_identifiers)
    if not positions:
        raise ValueError(
            "quasi_identifiers must name at least one column; got none, which single nobody"
            " out."
        )
    cells = data.iloc[:, positions]
    kept = np.ones(len(data), bool)
    if counted is not None:
        kept = counted.ids >= 0
    elif missing == "drop":
        kept = ~cells.isna().to_numpy().any(axis=1)
        check_dropped(int((~kept).sum()), len(data))
    codes, values = zip(*(encode(column) for _, column in cells[kept].items()), strict=True)
    keys, _ = combine(codes, [len(found) for found in values], len(codes[0]))
    rows = pd.factorize(keys)[0]
    first = np.flatnonzero(~pd.Series(rows).duplicated())
    row_of = np.full(len(data), -1)
    row_of[kept] = rows
    return DistinctRows(
        list(cells.columns),
        list(values),
        [code[first] for code in codes],
        np.bincount(rows),
        row_of,
        data.index,
    )


def largest_size(limit: Any, argument: str, columns: int) -> int:
    """Most columns of a subset; more than there are means all of them."""
    most = min(check_whole(limit, argument, 1, 1000, "the most columns of a subset"), columns)
    subsets = subset_count(columns, most)
    if subsets > MOST_SUBSETS:
        raise ValueError(
            f"{columns} columns have {subsets:,} subsets of up to {most} columns, more than"
            f" {MOST_SUBSETS:,}; set a smaller limit, such as 3."
        )
    return most


def subset_count(columns: int, most: int) -> int:
    """How many subsets of up to so many columns there are."""
    return sum(math.comb(columns, size) for size in range(1, most + 1))


class Subset(NamedTuple):
    """A set of columns, and what it adds to the same set without its first column."""

    columns: tuple[int, ...]
    split_off: IntArray
    """Distinct rows that are alone here, but not without the first column."""
    shared: Groups
    """The rows that equal others here."""


def each_subset(found: DistinctRows, most: int, progress: bool) -> Iterator[Subset]:
    """Group the distinct rows by each set of up to so many columns.

    A row that is alone stays alone with more columns, so that `split` leaves it out and
    larger sets take less work. Read as a binary number, a set is greater than each of its
    subsets; sets come in the order of these numbers, so that all subsets come before.
    """
    rows, width = len(found.records), len(found.codes)
    waiting: list[tuple[tuple[int, ...], Groups]]
    waiting = [((j,), everyone(rows)) for j in reversed(range(width))]
    shown: Any = {"desc": "column sets", "delay": 1, "leave": False, "disable": not progress}
    with tqdm(total=subset_count(width, most), **shown) as bar:
        while waiting:
            columns, groups = waiting.pop()
            j = columns[0]
            shared = split(groups, [found.codes[j]], [len(found.values[j])])
            alone = np.zeros(rows, bool)
            alone[slice(None) if groups.rows is None else groups.rows] = True
            alone[slice(None) if shared.rows is None else shared.rows] = False
            yield Subset(columns, np.flatnonzero(alone), shared)
            if len(columns) < most:
                waiting += [((i, *columns), shared) for i in reversed(range(j))]
            bar.update()
