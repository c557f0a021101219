"""Local suppression: single cells masked until every record has k - 1 others like it.

A masked cell is read as a value of its own, never as one that matches anything. Suppose that a
record shows `A, *` and another one `A, 1`: if `*` matched everything, each would have company.
But whoever knows that the first person's values are A and 2 rules the second record out. With
`*` as a value, every record shares all that it shows with k - 1 others, and whoever knows a
person's true values is left with at least these.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import Encoded, Groups, encode, everyone, refine
from .._typing import BoolArray, IntArray
from .._validation import (
    check_enough_records,
    check_label,
    check_per_column,
    check_positive,
    check_quasi_identifiers,
    check_sensitive,
    check_table,
    check_whole,
    listed,
)
from .release import Release, check_suppression_limit, mask_cells, measure_release

MOST_SETS = 4096
"""Sets of columns that are tried; of more columns than twelve only the smaller ones."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LocalSuppression(Release):
    """A release whose cells are the original ones or masked; its `levels` are empty."""

    masked: pd.DataFrame
    """Whether each quasi-identifier of each row of `data` was masked."""
    cells: pd.Series
    """Masked cells of each quasi-identifier."""

    @property
    def summary(self) -> pd.Series:
        """The numbers of the release by their names, for a report."""
        counts = {f"masked in {name}": int(count) for name, count in self.cells.items()}
        both: dict[Any, Any] = {**super().summary.to_dict(), **counts}
        return pd.Series(both, dtype=object, name="release")


def local_suppression(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    *,
    k: int,
    sensitive: Any = None,
    importance: Any = None,
    suppression_limit: float = 0.0,
    mark: Any = "*",
    progress: bool = False,
) -> LocalSuppression:
    """Mask single cells until every record shares all quasi-identifiers with k - 1 others.

    A masked cell is a value of its own: records are alike if they show the same values and
    are masked in the same columns. (A record that is masked in `age` and shows the town A is
    not alike with one that is 39 and from A.) That is the reading of
    ``k_anonymity(missing="category")``, by which the result is measured.

    Only records in classes of fewer than k are touched. Sets of columns are tried from the
    least important to the most, all sets of one importance by how many records they help:
    those of which at least k agree in all other columns have the set masked. So nothing is
    masked that a less important set would do for, given what was masked before. The fewer
    than k records that no set helps are taken out where `suppression_limit` allows it; else
    they join a class, the one that costs the fewest cells: what they do not all share with it
    is masked in all of them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed. A missing value is a value of its own.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    k : int
        Least number of records in a class.
    sensitive : column, optional
        What is to be kept from the attacker; its disclosure is measured, not limited.
    importance : mapping or list, optional
        From column to what masking one of its cells costs, 1 by default; or a list with one
        number per column of `data`.
    suppression_limit : float
        Share of the records that may be taken out.
    mark : cell
        What a masked cell shows. Cells that show it already count as masked. A mark of the
        kind of the column, such as -1 for ages, lets numbers stay numbers.
    progress : bool
        Whether to show a progress bar over the records that have to be helped.

    Returns
    -------
    LocalSuppression
        A `Release` with the `masked` cells and their number in each column, `cells`. Its
        `data` has the index and columns of `data`. A column of numbers or dates with masked
        cells holds text, since no Parquet file holds both; others keep their type. Index and
        order of the rows are released too (see `Release`). `loss` is the share of
        quasi-identifying cells that are masked or taken out; `evaluations` counts the sets
        of columns whose classes were counted.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than k records, a column is not there or is both quasi-identifier
        and sensitive, or an importance is not positive.

    See Also
    --------
    suppress : mask given rows.

    Notes
    -----
    With d quasi-identifiers up to 2^d sets are tried, but only on the records that are left.
    Beyond twelve quasi-identifiers these are the smaller sets, and those of the least
    important columns.

    Examples
    --------
    Two records differ in age alone; the third differs in everything and joins nobody:

    >>> data = pd.DataFrame({"age": [39, 40, 41, 41], "town": ["A", "A", "B", "B"]})
    >>> release = local_suppression(data, ["age", "town"], k=2)
    >>> release.data["age"].tolist(), release.data["town"].tolist()
    (['*', '*', '41', '41'], ['A', 'A', 'B', 'B'])
    >>> release.cells.to_dict(), release.loss, int(release.privacy["k"])
    ({'age': 2, 'town': 0}, 0.25, 2)
    """
    positions = check_quasi_identifiers(check_table(data), quasi_identifiers)
    secret = None if sensitive is None else check_sensitive(data, sensitive, positions)
    check_whole(k, "k", 1, 2**53, "the least number of records in a class")
    check_enough_records(k, len(data))
    cost = _costs(data, importance, positions)
    limit = check_suppression_limit(suppression_limit, len(data))
    if pd.api.types.is_scalar(mark) and pd.isna(mark):  # would hide among missing values
        raise ValueError(
            f"mark must be told from a missing value; got {mark!r}. Use a text such as '*'."
        )
    cells = _Cells(encode(data, positions), check_label(mark, "mark"), k)
    tried = _help(cells, cost, progress)
    gone = _settle(cells, limit)
    masks = [now != before for now, before in zip(cells.codes, cells.before, strict=True)]
    treated = data.copy(deep=False)
    for j, masked in zip(positions, masks, strict=True):
        treated.isetitem(j, mask_cells(data.iloc[:, j], masked, mark))
    return _result(treated, positions, secret, masks, gone, tried)


def _costs(data: pd.DataFrame, importance: Any, positions: list[int]) -> list[float]:
    """What masking a cell of each quasi-identifier costs, 1 by default."""
    given = check_per_column(data, importance, "importance")
    strange = [data.columns[j] for j in given if j not in positions]
    if strange:
        raise ValueError(
            f"importance names {listed(strange)}; the quasi-identifiers are"
            f" {listed(data.columns[positions])}."
        )
    return [
        check_positive(given.get(j, 1), f"importance of {data.columns[j]!r}")
        for j in positions
    ]


class _Cells:
    """The quasi-identifiers as whole numbers, those of masked cells the largest."""

    def __init__(self, table: Encoded, mark: Any, k: int) -> None:
        self.k, self.rows = k, table.rows
        self.before: list[IntArray] = [codes.astype(np.int64) for codes in table.codes]
        self.codes: list[IntArray] = [codes.copy() for codes in self.before]
        marks = [[_is_mark(value, mark) for value in values] for values in table.values]
        self.masked = [[*same, True].index(True) for same in marks]
        self.width = [pd.RangeIndex(len(same) + 1) for same in marks]
        groups = self.classes(None, range(len(self.codes)))
        self.risky = np.bincount(groups.ids)[groups.ids] < k

    def classes(self, rows: IntArray | None, columns: Any) -> Groups:
        """Group some rows by some columns."""
        some = everyone(self.rows if rows is None else len(rows), rows)
        table = Encoded(self.codes, list(self.width), self.rows)
        return refine(some, table, list(columns), keep_single=True)

    def helped(self, columns: tuple[int, ...]) -> IntArray:
        """Rows in need that get enough company if these columns are masked."""
        alike = ~self.risky
        for j in columns:
            alike &= self.codes[j] == self.masked[j]
        rows = np.flatnonzero(self.risky | alike)
        if len(rows) < self.k:
            return rows[:0]
        rest = [j for j in range(len(self.codes)) if j not in columns]
        ids = self.classes(rows, rest).ids
        return rows[(np.bincount(ids)[ids] >= self.k) & self.risky[rows]]

    def mask(self, rows: IntArray, columns: tuple[int, ...]) -> None:
        """Mask some columns of some rows, which are in need no more."""
        for j in columns:
            self.codes[j][rows] = self.masked[j]
        self.risky[rows] = False


def _is_mark(value: Any, mark: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and not pd.isna(value) and value == mark)


def _help(cells: _Cells, cost: list[float], progress: bool) -> int:
    """Mask sets of columns, the least important first; how many were tried."""
    tried, need = 0, int(cells.risky.sum())
    with tqdm(total=need, desc="records", delay=1, leave=False, disable=not progress) as bar:
        for sets in _sets_of_columns(cost):
            if not cells.risky.any():
                break
            # A set helps no more records later than now, so old numbers bound new ones.
            queue = [(-len(cells.helped(some)), i, some) for i, some in enumerate(sets)]
            heapq.heapify(queue)
            tried += len(sets)
            while queue and queue[0][0] < 0:
                _, i, some = heapq.heappop(queue)
                rows = cells.helped(some)
                tried += 1
                if queue and (-len(rows), i) > queue[0][:2]:
                    heapq.heappush(queue, (-len(rows), i, some))
                else:
                    cells.mask(rows, some)
                    bar.update(len(rows))
    return tried


def _sets_of_columns(cost: list[float]) -> Iterator[list[tuple[int, ...]]]:
    """All sets of columns, those of equal importance together; too many are thinned out."""
    d, number = len(cost), 0
    found: dict[tuple[int, ...], None] = {}
    for size in range(1, d + 1):
        number += math.comb(d, size)
        if number <= MOST_SETS:
            found |= dict.fromkeys(itertools.combinations(range(d), size))
    cheap = sorted(range(d), key=lambda j: cost[j])
    found |= dict.fromkeys(tuple(sorted(cheap[:size])) for size in range(1, d + 1))
    weight = {some: float(f"{math.fsum(cost[j] for j in some):.12g}") for some in found}
    ranked = sorted(found, key=lambda some: weight[some])
    for _, sets in itertools.groupby(ranked, key=lambda some: weight[some]):
        yield list(sets)


def _settle(cells: _Cells, limit: int) -> BoolArray:
    """Take out the few records that nothing helps, or give them company."""
    gone = np.zeros(cells.rows, bool)
    left = np.flatnonzero(cells.risky)
    if len(left) <= limit:
        gone[left] = True
        return gone
    others = np.flatnonzero(~cells.risky)
    groups = cells.classes(others, range(len(cells.codes)))
    price = np.zeros(len(others), np.int64)
    apart: list[BoolArray] = []
    for codes, masked in zip(cells.codes, cells.masked, strict=True):
        differ = (codes[others] != codes[left[0]]) | (codes[left] != codes[left[0]]).any()
        size = np.bincount(groups.ids)[groups.ids] * (codes[others] != masked)
        price += differ * (size + int((codes[left] != masked).sum()))
        apart.append(differ)
    place = int(price.argmin())  # of equal ones, the first in the table
    columns = tuple(j for j, differ in enumerate(apart) if differ[place])
    cells.mask(np.append(left, others[groups.ids == groups.ids[place]]), columns)
    return gone


def _result(
    treated: pd.DataFrame,
    positions: list[int],
    secret: int | None,
    masks: list[BoolArray],
    gone: BoolArray,
    tried: int,
) -> LocalSuppression:
    """Count the cells that are lost and measure what is left."""
    masked = np.array(masks, bool).reshape(len(masks), len(treated)) & ~gone
    lost = int(masked.sum()) + int(gone.sum()) * len(masks)
    release = measure_release(
        treated,
        positions,
        suppressed=gone,
        sensitive=secret,
        loss=lost / max(len(treated) * len(masks), 1),
        evaluations=tried,
    )
    names = treated.columns[positions]
    frame = pd.DataFrame(masked[:, ~gone].T, index=release.data.index, columns=names)
    cells = pd.Series(masked.sum(axis=1), index=names, name="masked cells")
    return LocalSuppression(**vars(release), masked=frame, cells=cells)
