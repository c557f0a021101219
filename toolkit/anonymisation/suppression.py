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
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_table
from .._codes import combine, encode
from .._typing import BoolArray, Columns, IntArray
from .release import TOP, Release, check_suppression_limit, masked, measure_release
from .requirements import check_k, check_roles

MOST_COLUMNS = 12
"""Most quasi-identifiers, since all sets of them are tried."""


def local_suppression(
    data: pd.DataFrame,
    quasi_identifiers: Columns,
    *,
    k: int,
    sensitive: Columns = None,
    suppression_limit: float = 0.0,
) -> Release:
    """Mask single cells until every record shares all quasi-identifiers with k - 1 others.

    A masked cell is a value of its own: records are alike if they show the same values and
    are masked in the same columns. (A record that is masked in `age` and shows the town A is
    not alike with one that is 39 and from A.) That is the reading of
    ``k_anonymity(missing="category")``, by which the result is measured.

    Only records in classes of fewer than k are touched. Sets of columns are tried from the
    smallest to the largest, sets of one size by how many records they help. A set helps
    records if at least k of them agree in all other columns; it is then masked in these
    records. So no set is masked where a smaller one would do, given what was masked before. At
    the end, fewer than k records are left that no set helps. They are taken out if
    `suppression_limit` allows it. Otherwise they join the class that costs the fewest cells:
    what the records and the class do not all share is masked in all of them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed. A missing value is a value of its own; a cell that shows
        ``*`` counts as masked.
    quasi_identifiers : column, or list of columns
        What an attacker may know, at most twelve: names or positions; a name wins.
    k : int
        Least number of records in a class.
    sensitive : column, or list of columns, optional
        Columns to protect from the attacker; their disclosure is measured, not limited.
    suppression_limit : float
        Share of the records that may be taken out.

    Returns
    -------
    Release
        `data` has the index and columns of `data`, without rows that are taken out; a masked
        cell shows ``*``. A column of numbers, dates or categories with masked cells holds
        text, since no Parquet file holds both; others keep their type. Index and order of the
        rows are released too (see `Release`). `loss` is the share of quasi-identifying cells
        that are masked or taken out; `levels` is empty; `evaluations` counts the sets of
        columns whose classes were counted.

    See Also
    --------
    suppress : mask given rows.

    Examples
    --------
    Two records differ in age alone; the other two agree already:

    >>> data = pd.DataFrame({"age": [39, 40, 41, 41], "town": ["A", "A", "B", "B"]})
    >>> release = local_suppression(data, ["age", "town"], k=2)
    >>> release.data["age"].tolist(), release.data["town"].tolist()
    (['*', '*', '41', '41'], ['A', 'A', 'B', 'B'])
    >>> release.loss, int(release.privacy["k"])
    (0.25, 2)
    """
    data = check_table(data)
    positions, secrets = check_roles(data, quasi_identifiers, sensitive)
    if len(positions) > MOST_COLUMNS:
        raise ValueError(
            f"quasi_identifiers must be at most {MOST_COLUMNS} columns, since all sets of them"
            f" are tried; got {len(positions)}. Leave some out, or use optimal_generalisation."
        )
    limit = check_suppression_limit(suppression_limit, len(data))
    cells = _Cells(data, positions, check_k(k, len(data)))
    tried = _mask_sets(cells)
    gone = _settle(cells, limit)
    marked = cells.codes != cells.before
    treated = masked(data, dict(zip(positions, marked, strict=True)))
    loss = (marked | gone).sum() / marked.size
    roles: Any = positions, secrets, ["auto"] * len(secrets)
    return measure_release(treated, *roles, suppressed=gone, loss=loss, evaluations=tried)


class _Cells:
    """The quasi-identifiers as codes, a row per column, with one code for masked cells."""

    def __init__(self, data: pd.DataFrame, positions: list[int], k: int) -> None:
        pairs = [encode(data.iloc[:, j]) for j in positions]
        marks = [[isinstance(v, str) and v == TOP for v in values] for _, values in pairs]
        self.masked = [[*mark, True].index(True) for mark in marks]  # code of a masked cell
        self.sizes = [len(mark) + 1 for mark in marks]
        self.before = np.array([codes for codes, _ in pairs], np.int64)
        self.codes, self.k = self.before.copy(), k
        ids = self.ids(np.arange(len(data)))
        # True for a record that shares its cells with fewer than k - 1 others.
        self.risky: BoolArray = np.bincount(ids)[ids] < k

    def ids(self, rows: IntArray, without: tuple[int, ...] = ()) -> IntArray:
        """Number rows; they have the same number if they agree in all but a few columns."""
        used = [j for j in range(len(self.codes)) if j not in without]
        codes, sizes = [self.codes[j, rows] for j in used], [self.sizes[j] for j in used]
        return pd.factorize(combine(codes, sizes, len(rows))[0])[0]

    def helped(self, columns: tuple[int, ...]) -> IntArray:
        """Risky records that agree with k - 1 others once the columns are masked."""
        able = np.all([self.codes[j] == self.masked[j] for j in columns], axis=0)
        rows = np.flatnonzero(self.risky | able)
        ids = self.ids(rows, columns)
        return rows[(np.bincount(ids)[ids] >= self.k) & self.risky[rows]]

    def mask(self, rows: IntArray, columns: tuple[int, ...]) -> None:
        """Mask columns of some rows, which are no longer risky."""
        for j in columns:
            self.codes[j, rows] = self.masked[j]
        self.risky[rows] = False


def _mask_sets(cells: _Cells) -> int:
    """Mask sets of columns, the smallest first; return how many were tried.

    Among sets of one size, the one that helps most comes first. A set never helps more records
    later, so an old count bounds the new one, and most sets need not be counted again (M.
    Minoux, "Accelerated greedy algorithms", 1978). If cells were masked from the start, a set
    may help more records later, and all sets are counted again.
    """
    tried, columns = 0, range(len(cells.codes))
    starred = (cells.before == np.array(cells.masked)[:, None]).any()
    for size in range(1, len(columns) + 1):
        if not cells.risky.any():
            break
        sets = [*itertools.combinations(columns, size)]
        queue = sorted((-len(cells.helped(chosen)), chosen) for chosen in sets)
        tried += len(queue)
        while queue and queue[0][0] < 0:
            _, chosen = heapq.heappop(queue)
            rows = cells.helped(chosen)
            tried += 1
            if queue and (-len(rows), chosen) > queue[0]:
                heapq.heappush(queue, (-len(rows), chosen))
            else:
                cells.mask(rows, chosen)
                if starred:
                    queue = sorted((-len(cells.helped(chosen)), chosen) for chosen in sets)
                    tried += len(queue)
    return tried


def _settle(cells: _Cells, limit: int) -> BoolArray:
    """Take out the few records that nothing helps, or let them join the cheapest class."""
    gone = cells.risky.copy()
    left, others = np.flatnonzero(gone), np.flatnonzero(~gone)
    if len(left) <= limit:
        return gone
    ids = cells.ids(others)
    size = np.bincount(ids)[ids]
    own, other = cells.codes[:, left], cells.codes[:, others]
    mark = np.array(cells.masked)[:, None]
    apart = (other != own[:, :1]) | (own != own[:, :1]).any(axis=1, keepdims=True)
    shown = (own != mark).sum(axis=1, keepdims=True)
    price = (apart * (size * (other != mark) + shown)).sum(axis=0)
    place = int(price.argmin())  # the first in the table if several are cheapest
    columns = tuple(np.flatnonzero(apart[:, place]).tolist())
    cells.mask(np.append(left, others[ids == ids[place]]), columns)
    return np.zeros(len(gone), bool)
