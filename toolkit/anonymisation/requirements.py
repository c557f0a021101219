"""Requirements: what each class of a release must satisfy, by the public metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_columns, check_number, listed
from .._codes import count, without_gaps
from .._typing import BoolArray, Columns, IntArray
from ..classes import ClassTable, class_table
from ..disclosure.check import check_asked, check_thresholds
from ..disclosure.models import SLACK, THRESHOLDS, kind_of_distance


def check_roles(
    data: pd.DataFrame, quasi_identifiers: Columns, sensitive: Columns
) -> tuple[list[int], list[int]]:
    """Positions of the quasi-identifiers and of the sensitive columns."""
    names = data.columns
    known = check_columns(names, quasi_identifiers, "quasi_identifiers")
    if not known:
        raise ValueError("quasi_identifiers must name a column; with [] all are in one class.")
    secrets = [] if sensitive is None else check_columns(names, sensitive, "sensitive")
    both = [names[j] for j in secrets if j in known]
    if both:
        raise ValueError(
            f"sensitive: column {listed(both)} is also a quasi-identifier; either the attacker"
            f" knows it or not."
        )
    return known, secrets


def check_k(k: Any, records: int) -> int:
    """Return the least class size, which the records must allow."""
    k = check_number(k, "k", "[1, inf)", "records", whole=True)
    if k > records:
        raise ValueError(
            f"k={k} needs at least {k} records, and there are {records}; ask for a smaller k."
        )
    return int(k)


class Requirements:
    """At least k records in each class, and thresholds of its sensitive values.

    A search merges whole groups of records into classes, so the sensitive values are counted
    once for each group. `groups` has the group of each record: its own, or that of equal rows.
    """

    def __init__(
        self,
        data: pd.DataFrame,
        secrets: Sequence[int],
        k: Any,
        thresholds: Mapping[str, Any],
        kind: Any,
        groups: IntArray,
    ) -> None:
        self.k, self.thresholds = check_k(k, len(data)), check_thresholds(thresholds)
        for name, number in self.thresholds.items():
            if not secrets or THRESHOLDS[name].about != "values":
                raise ValueError(
                    f"besides k, a threshold must be about sensitive values, and sensitive=..."
                    f" must name their column; got {name}={number:g}."
                )
        if "c" in self.thresholds and "l" not in self.thresholds:
            raise ValueError("c is about recursive (c, l)-diversity; give l, too.")
        # Records of each group that hold each value of a sensitive column.
        columns = [data.iloc[:, [j]].set_axis([1], axis=1) for j in secrets if self.thresholds]
        self.tables = [class_table(part.assign(group=groups), "group", 1) for part in columns]
        for j, table in zip(secrets, self.tables, strict=False):
            named = replace(table, sensitive=data.columns[j])
            check_asked(self.thresholds, named, [[named]], None)
        kinds = [kind_of_distance(table, kind) for table in self.tables]
        self.kinds = kinds or [kind] * len(secrets)  # distance of `t` for each column
        # A class whose entropy is that of l equally frequent values has at least l values.
        # Recursive diversity also needs at least l values, since it counts the records of the
        # values from the l-th most frequent on.
        least = max(self.thresholds.get(name, 1.0) for name in ("l", "entropy_l"))
        self.distinct = math.ceil(least * (1 - SLACK))  # sensitive values of a class
        self.recursive_l = int(self.thresholds["l"]) if "c" in self.thresholds else None

    def tables_of(self, ids: IntArray, classes: int) -> list[ClassTable]:
        """Class table of each sensitive column, from the class of each group."""
        tables = []
        for table in self.tables:
            values = len(table.values)
            keys = ids[table.cls] * values + table.val
            pairs, n = count(keys, classes * values, table.n)
            cls, val = np.divmod(pairs, values)
            n, size = n.astype(np.int64), np.bincount(cls, n).astype(np.int64)
            tables.append(replace(table, cls=cls, val=val, n=n, size=size, alike=size))
        return tables

    def missed(self, tables: Sequence[ClassTable]) -> BoolArray:
        """Mark classes that miss a threshold in a sensitive column."""
        missed = np.zeros(len(tables[0].size), bool)
        for table, kind in zip(tables, self.kinds, strict=True):
            settings: Any = {"t": {"kind": kind}, "c": {"l": self.recursive_l}}
            for name, threshold in self.thresholds.items():
                model = THRESHOLDS[name]
                numbers = model.of_class(table, **settings.get(name, {}))
                missed |= model.violates(numbers, threshold)
        return missed

    def __str__(self) -> str:
        """The requirements in words."""
        asked = {"k": self.k, **self.thresholds}
        return ", ".join(f"{name}={number:g}" for name, number in asked.items())


def remaining(table: ClassTable, classes: IntArray) -> ClassTable:
    """Only the given classes, in rising order, if all other records are suppressed."""
    place = np.full(len(table.size), -1)
    place[classes] = np.arange(len(classes))
    stays = place[table.cls] >= 0
    val, held = without_gaps(table.val[stays])
    n = table.n[stays]
    return replace(
        table,
        values=table.values[held],
        totals=np.bincount(val, n).astype(np.int64),
        cls=place[table.cls[stays]],
        val=val,
        n=n,
        size=table.size[classes],
        alike=table.size[classes],
    )
