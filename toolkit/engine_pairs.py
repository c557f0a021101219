"""A table before and after a treatment, side by side in one engine.

A key joins the rows. What a loss of information needs of them is how many records each pair of
original and treated cells has; an engine counts these, and the metrics finish in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._validate import check_quasi_identifiers
from ._validate_engines import (
    check_both_in_engine,
    check_keys_agree,
    check_needs_memory,
)
from .engine_distinct import DistinctRowsHere, count_distinct_rows
from .engines import EngineTable, as_engine_table, clear_errors, fetch, free_name, same_engine

__all__ = ["PairsHere", "SideBySide", "side_by_side"]


@dataclass(frozen=True, eq=False)
class PairsHere:
    """Different pairs of original and treated rows, with the records of each."""

    before: pd.DataFrame
    after: pd.DataFrame
    records: npt.NDArray[np.int64]
    origin: DistinctRowsHere

    def on_records(self, numbers: dict[Any, npt.NDArray[Any]]) -> EngineTable:
        """Give each record the numbers of its pair."""
        rows = np.arange(len(self.records))
        return self.origin.on_records(self.origin.columns, rows, numbers)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Both tables joined by the key: columns `before 0`, …, `after 0`, …, and the key."""

    table: EngineTable
    names: list[str]

    def pairs(self, places: Sequence[int], what: str) -> PairsHere:
        """Fetch the pairs of some columns."""
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


def side_by_side(
    original: Any, treated: Any, columns: Any, argument: str
) -> SideBySide | None:
    """Join two tables of an engine by their keys; None if neither is in an engine."""
    before, after = as_engine_table(original), as_engine_table(treated)
    if before is None and after is None:
        return None
    both = before is not None and after is not None and same_engine(before, after)
    check_both_in_engine(both)
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
    check_keys_agree(before.records, after.records, shared)
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
