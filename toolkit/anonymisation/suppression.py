"""Local suppression: single cells masked until every record has k - 1 others like it.

A masked cell is read as a value of its own, never as one that matches anything. Suppose that a
record shows `A, *` and another one `A, 1`: if `*` matched everything, the two would be alike.
But an attacker who knows that the first person's values are A and 2 rules out the second
record. With `*` as a value, every record shares all that it shows with k - 1 others, and an
attacker who knows a person's true values is left with at least these k records.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_column, check_number, check_table
from .._codes import combine, encode
from .._typing import BoolArray, Columns, IntArray
from .hierarchies import TOP
from .release import Release, check_suppression_limit, mask_cells, measure_release
from .requirements import check_requirements, check_roles

MOST_SETS = 4096
"""Most sets of columns that are tried; beyond twelve columns only the smaller ones."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LocalSuppression(Release):
    """A release whose cells are the original ones or masked; its `levels` are empty."""

    masked: pd.DataFrame
    """True for each quasi-identifier of each row of `data` that was masked."""
    cells: pd.Series
    """Masked cells of each quasi-identifier."""

    @property
    def summary(self) -> pd.Series:
        """The numbers of the release by their names, for a report."""
        counts = self.cells.rename(lambda name: f"masked in {name}")
        both: pd.Series = pd.concat([super().summary, counts.astype(object)])
        return both


def local_suppression(
    data: pd.DataFrame,
    quasi_identifiers: Columns,
    *,
    k: int,
    sensitive: Columns = None,
    importance: Mapping[Any, float] | None = None,
    suppression_limit: float = 0.0,
) -> LocalSuppression:
    """Mask single cells until every record shares all quasi-identifiers with k - 1 others.

    A masked cell is a value of its own: records are alike if they show the same values and
    are masked in the same columns. (A record that is masked in `age` and shows the town A is
    not alike with one that is 39 and from A.) That is the reading of
    ``k_anonymity(missing="category")``, by which the result is measured.

    Only records in classes of fewer than k are touched. Sets of columns are tried from the
    least to the most important, sets of equal importance by how many records they help. A set
    helps records if at least k of them agree in all other columns; it is then masked in these
    records. So no set is masked where a less important one would do, given what was masked
    before. At the end, fewer than k records are left that no set helps. They are taken out if
    `suppression_limit` allows it. Otherwise they join the class that costs the fewest cells:
    what the records and the class do not all share is masked in all of them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed. A missing value is a value of its own; a cell that shows
        ``*`` counts as masked.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    k : int
        Least number of records in a class.
    sensitive : column, optional
        Column to protect from the attacker; its disclosure is measured, not limited.
    importance : mapping, optional
        Cost of masking a cell of each column, 1 by default.
    suppression_limit : float
        Share of the records that may be taken out.

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
    With d quasi-identifiers, up to 2^d sets are tried, but only on the records that are left.
    Beyond twelve quasi-identifiers, only the smaller sets and those of the least important
    columns are tried.

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
    data = check_table(data)
    positions, secret = check_roles(data, quasi_identifiers, sensitive)
    k = check_requirements(k, {}, "auto", len(data), sensitive).k
    limit = check_suppression_limit(suppression_limit, len(data))
    cost = dict.fromkeys(positions, 1.0)
    for name, number in (importance or {}).items():
        j = check_column(data.columns, name, "importance")
        if j not in cost:
            raise ValueError(f"importance names {name!r}, which is no quasi-identifier.")
        cost[j] = check_number(number, f"importance of {name!r}", "(0, inf)")
    cells = _Cells(data, positions, k)
    tried = _mask_sets(cells, [*cost.values()])
    gone = _settle(cells, limit)
    masked = cells.codes != cells.before
    treated = data.copy(deep=False)
    for j, column in zip(positions, masked, strict=True):
        treated.isetitem(j, mask_cells(data.iloc[:, j], column, TOP))
    release = measure_release(
        treated,
        positions,
        suppressed=gone,
        sensitive=secret,
        loss=(masked | gone).sum() / max(masked.size, 1),
        evaluations=tried,
    )
    names = data.columns[positions]
    frame = pd.DataFrame(masked[:, ~gone].T, index=release.data.index, columns=names)
    counts = frame.sum().astype(int).rename("masked cells")
    return LocalSuppression(**vars(release), masked=frame, cells=counts)


class _Cells:
    """The quasi-identifiers as codes, a row per column, with one code for masked cells."""

    def __init__(self, data: pd.DataFrame, positions: list[int], k: int) -> None:
        pairs = [encode(data.iloc[:, j]) for j in positions]
        marks = [[isinstance(v, str) and v == TOP for v in values] for _, values in pairs]
        self.masked = [[*mark, True].index(True) for mark in marks]
        """Code of a masked cell of each column."""
        self.sizes = [len(mark) + 1 for mark in marks]
        before = np.array([codes for codes, _ in pairs], np.int64)
        self.before = before.reshape(len(positions), len(data))
        self.codes = self.before.copy()
        self.k = k
        self.risky: BoolArray = self.alike(np.arange(len(data))) < k
        """True for a record that shares its cells with fewer than k - 1 others."""

    def ids(self, rows: IntArray, without: tuple[int, ...] = ()) -> IntArray:
        """Number rows; they have the same number if they agree in all but a few columns."""
        some = [j for j in range(len(self.codes)) if j not in without]
        codes, sizes = [self.codes[j, rows] for j in some], [self.sizes[j] for j in some]
        return pd.factorize(combine(codes, sizes, len(rows))[0])[0]

    def alike(self, rows: IntArray, without: tuple[int, ...] = ()) -> IntArray:
        """For each given row, how many of the rows agree with it in all but a few columns."""
        ids = self.ids(rows, without)
        return np.bincount(ids)[ids]

    def helped(self, columns: tuple[int, ...]) -> IntArray:
        """Risky records that agree with k - 1 others once the columns are masked."""
        able = np.all([self.codes[j] == self.masked[j] for j in columns], axis=0)
        rows = np.flatnonzero(self.risky | able)
        return rows[(self.alike(rows, columns) >= self.k) & self.risky[rows]]

    def mask(self, rows: IntArray, columns: tuple[int, ...]) -> None:
        """Mask columns of some rows, which are no longer risky."""
        for j in columns:
            self.codes[j, rows] = self.masked[j]
        self.risky[rows] = False


def _mask_sets(cells: _Cells, cost: list[float]) -> int:
    """Mask sets of columns, the least important first; return how many were tried.

    Among sets of equal importance, the one that helps most comes first. A set never helps more
    records later, so an old count bounds the new one, and most sets need not be counted again
    (M. Minoux, "Accelerated greedy algorithms", 1978).
    """
    tried = 0
    for sets in _sets_of_columns(cost):
        if not cells.risky.any():
            break
        queue = [(-len(cells.helped(some)), i) for i, some in enumerate(sets)]
        heapq.heapify(queue)
        tried += len(sets)
        while queue and queue[0][0] < 0:
            _, i = heapq.heappop(queue)
            rows = cells.helped(sets[i])
            tried += 1
            if queue and (-len(rows), i) > queue[0]:
                heapq.heappush(queue, (-len(rows), i))
            else:
                cells.mask(rows, sets[i])
    return tried


def _sets_of_columns(cost: list[float]) -> Iterator[list[tuple[int, ...]]]:
    """All sets of columns, those of equal importance together; too many are thinned out."""
    d, number = len(cost), 0
    cheap = sorted(range(d), key=lambda j: cost[j])
    sets: set[tuple[int, ...]] = set()
    for size in range(1, d + 1):
        number += math.comb(d, size)
        sets |= {tuple(sorted(cheap[:size]))}
        sets |= set(itertools.combinations(range(d), size) if number <= MOST_SETS else ())

    def importance(some: tuple[int, ...]) -> float:
        return float(f"{math.fsum(cost[j] for j in some):.12g}")

    ranked = sorted(sets, key=lambda some: (importance(some), len(some), some))
    for _, alike in itertools.groupby(ranked, key=importance):
        yield list(alike)


def _settle(cells: _Cells, limit: int) -> BoolArray:
    """Take out the few records that nothing helps, or let them join the cheapest class."""
    gone = cells.risky.copy()
    left, others = np.flatnonzero(gone), np.flatnonzero(~gone)
    if len(left) <= limit:
        return gone
    ids = cells.ids(others)
    size = np.bincount(ids)[ids]
    here, there = cells.codes[:, left], cells.codes[:, others]
    mark = np.array(cells.masked)[:, None]
    apart = (there != here[:, :1]) | (here != here[:, :1]).any(axis=1, keepdims=True)
    shown = (here != mark).sum(axis=1, keepdims=True)
    price = (apart * (size * (there != mark) + shown)).sum(axis=0)
    place = int(price.argmin())  # the first in the table if several are cheapest
    columns = tuple(np.flatnonzero(apart[:, place]).tolist())
    cells.mask(np.append(left, others[ids == ids[place]]), columns)
    return np.zeros(len(gone), bool)
