"""Post-processing of noisy counts: better shares, and no further loss of privacy.

Whatever is computed from noisy counts alone keeps their ε. Counts below 0 become 0, shares add
up to 1, and histograms that share a column are made to agree on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._typing import FloatArray
from ..._validation import check_choice, listed
from .._before import check_noise

METHODS = ("clip", "simplex")


ROUNDS = 200
"""Passes over all shared columns until the final shares agree."""


AGREED = 1e-14
"""Largest difference of shared marginals at which they stop."""


def noisy_shares(counts: Any, *, method: str = "clip") -> FloatArray:
    r"""Turn noisy counts into shares: at least 0, and 1 in all.

    Parameters
    ----------
    counts : array-like of shape (..., cells)
        Noisy counts, some below 0; a histogram per row.
    method : {"clip", "simplex"}
        "clip" sets negative counts to 0, which adds records to every nearly empty cell.
        "simplex" then takes the same amount off every count, and clips, so that the total
        stays what it was: the closest histogram with that total.

    Returns
    -------
    ndarray of shape (..., cells)
        Shares. If no count is above 0, all cells have the same share.

    Raises
    ------
    TypeError, ValueError
        If `counts` are not finite numbers, or `method` is unknown.

    References
    ----------
    .. [1] T. Wang et al., *Locally differentially private frequency estimation with
       consistency*, NDSS 2020, Norm-Sub.

    Examples
    --------
    >>> noisy_shares([6, 2, -2]).tolist()
    [0.75, 0.25, 0.0]
    >>> noisy_shares([6, 2, -2], method="simplex").round(3).tolist()
    [0.833, 0.167, 0.0]
    >>> noisy_shares([-1, -3]).tolist()
    [0.5, 0.5]
    """
    numbers = finite_counts(counts)
    if check_choice(method, "method", METHODS) == "simplex":
        numbers = _projected(numbers)
    positive = np.maximum(numbers, 0.0)
    total = positive.sum(axis=-1, keepdims=True)
    cells = max(positive.shape[-1], 1)
    return np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1 / cells)


def finite_counts(counts: Any, argument: str = "counts") -> FloatArray:
    """Return finite numbers of at least one dimension."""
    numbers = check_noise(counts, argument)
    if numbers.ndim < 1 or not np.isfinite(numbers).all():
        raise ValueError(
            f"{argument} must hold finite numbers, one per cell; got {counts!r:.80}."
        )
    return numbers


def _projected(counts: FloatArray) -> FloatArray:
    """Counts less the amount that leaves their sum when what is negative becomes 0."""
    if counts.shape[-1] == 0:
        return counts
    total = counts.sum(axis=-1, keepdims=True)
    clipped = np.maximum(counts, 0.0).sum(axis=-1, keepdims=True)
    total = np.where(total > 0, total, clipped)  # of no records nothing can be taken off
    falling = -np.sort(-counts, axis=-1)
    ranks = np.arange(1, counts.shape[-1] + 1)
    amounts = (falling.cumsum(axis=-1) - total) / ranks
    # The largest number of cells that all stay above 0 with their own amount taken off.
    kept = np.maximum((falling > amounts).sum(axis=-1, keepdims=True), 1)
    return np.asarray(counts - np.take_along_axis(amounts, kept - 1, axis=-1))


# Histograms that share columns


class Histogram(NamedTuple):
    """Counts or shares with an axis per column."""

    columns: tuple[str, ...]
    cells: FloatArray

    def marginal(self, shared: Sequence[str]) -> FloatArray:
        """Sums over all other columns, with an axis for each shared one."""
        kept = [column for column in self.columns if column in shared]
        sums = self.cells.sum(axis=self._others(shared))
        return np.asarray(np.transpose(sums, [kept.index(column) for column in shared]))

    def spread(self, marginal: FloatArray, shared: Sequence[str]) -> FloatArray:
        """The marginal with an axis per column of this histogram, to calculate with it."""
        kept = [column for column in self.columns if column in shared]
        ordered = np.transpose(marginal, [list(shared).index(column) for column in kept])
        return np.expand_dims(ordered, self._others(shared))

    def summed(self, shared: Sequence[str]) -> float:
        """Number of cells that a cell of the marginal adds up."""
        return float(np.prod([self.cells.shape[axis] for axis in self._others(shared)]))

    def _others(self, shared: Sequence[str]) -> tuple[int, ...]:
        """Axes of the columns that are not shared."""
        return tuple(i for i, column in enumerate(self.columns) if column not in shared)


def consistent_counts(
    counts: Mapping[str, Any], columns: Mapping[str, Sequence[str]]
) -> dict[str, FloatArray]:
    r"""Make noisy histograms of the same records agree on totals and on shared columns.

    Each shared marginal becomes the mean of what the histograms say of it, weighted by the
    inverse of the variance: a sum of fewer noisy cells is the better estimate. The difference
    is taken off evenly. Sets of columns go from small to large, so that a later one leaves the
    earlier ones as they are.

    Parameters
    ----------
    counts : mapping of {name: array}
        Noisy counts with an axis per column, all with the same noise scale.
    columns : mapping of {name: list of str}
        What the axes are.

    Returns
    -------
    dict of {name: ndarray}
        Counts that agree; still below 0 in places.

    Raises
    ------
    TypeError, ValueError
        If `counts` are not finite numbers, have another number of axes than `columns`, or a
        column has two sizes.

    References
    ----------
    .. [1] W. Qardaji, W. Yang and N. Li, *PriView: practical differentially private release
       of marginal contingency tables*, SIGMOD 2014, section 4.2.

    Examples
    --------
    Women and men, in all and by town. The first table knows them better, two to one:

    >>> counts = {"sex": [40, 60], "both": [[10, 24], [30, 30]]}
    >>> agreed = consistent_counts(counts, {"sex": ["sex"], "both": ["sex", "town"]})
    >>> agreed["sex"].round(1).tolist()
    [38.0, 60.0]
    >>> agreed["both"].round(1).tolist()
    [[12.0, 26.0], [30.0, 30.0]]
    """
    tables = _tables(counts, columns)
    for shared in shared_sets([table.columns for table in tables.values()]):
        members, agreed = _agreed(tables, shared)
        for name, table in members.items():
            change = (agreed - table.marginal(shared)) / table.summed(shared)
            tables[name] = table._replace(cells=table.cells + table.spread(change, shared))
    return {name: table.cells for name, table in tables.items()}


def agreeing_shares(
    shares: Mapping[str, FloatArray], columns: Mapping[str, Sequence[str]]
) -> dict[str, FloatArray]:
    """Multiply shares so that histograms agree on shared columns, and stay at least 0."""
    tables = _tables(shares, columns)
    sets = shared_sets([table.columns for table in tables.values()])
    for _ in range(ROUNDS):
        apart = 0.0
        for shared in sets:
            members, agreed = _agreed(tables, shared)
            for name, table in members.items():
                apart = max(apart, float(np.abs(agreed - table.marginal(shared)).max()))
                tables[name] = _fitted(table, agreed, shared)
        if apart <= AGREED:
            break
    return {name: table.cells for name, table in tables.items()}


def shared_sets(columns: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Sets of columns that several histograms have in common, the smallest first."""
    sets = {frozenset(a) & frozenset(b) for a, b in itertools.combinations(columns, 2)}
    while True:
        more = sets | {a & b for a, b in itertools.combinations(sets, 2)}
        if more == sets:
            return sorted((tuple(sorted(s)) for s in sets), key=lambda s: (len(s), s))
        sets = more


def _tables(counts: Any, columns: Any) -> dict[str, Histogram]:
    """Columns and counts of each histogram, an axis per column."""
    if not isinstance(counts, Mapping) or not isinstance(columns, Mapping):
        raise TypeError(
            f"counts and columns must map names of histograms to arrays and to columns; got"
            f" {type(counts).__name__} and {type(columns).__name__}."
        )
    found: dict[str, Histogram] = {}
    sizes: dict[str, int] = {}
    for name, given in counts.items():
        named = columns.get(name, ())
        if not isinstance(named, (list, tuple)) or not all(isinstance(c, str) for c in named):
            raise TypeError(f"columns of {name!r} must list names; got {named!r:.80}.")
        numbers, axes = finite_counts(given), tuple(named)
        if len(axes) != numbers.ndim or len(set(axes)) < len(axes):
            raise ValueError(
                f"columns of {name!r} must name each of the {numbers.ndim} axes of its counts"
                f" once; got {listed(axes) or 'none'}."
            )
        for column, size in zip(axes, numbers.shape, strict=True):
            if sizes.setdefault(column, size) != size:
                raise ValueError(
                    f"columns: {column!r} has {size} codes in {name!r} and {sizes[column]}"
                    f" elsewhere; count over one domain."
                )
        found[name] = Histogram(axes, numbers)
    return found


def _agreed(
    tables: Mapping[str, Histogram], shared: Sequence[str]
) -> tuple[dict[str, Histogram], FloatArray]:
    """Histograms with the shared columns; their mean marginal, by inverse variance."""
    members = {name: t for name, t in tables.items() if set(shared) <= set(t.columns)}
    weights = [1 / table.summed(shared) for table in members.values()]
    terms = [w * t.marginal(shared) for w, t in zip(weights, members.values(), strict=True)]
    return members, np.asarray(sum(terms) / sum(weights))


def _fitted(table: Histogram, agreed: FloatArray, shared: Sequence[str]) -> Histogram:
    """Shares with the agreed marginal; where all were 0, they are even."""
    own = table.marginal(shared)
    factor = np.divide(agreed, own, out=np.zeros_like(own), where=own > 0)
    even = np.where(own > 0, 0.0, agreed) / table.summed(shared)
    cells = table.cells * table.spread(factor, shared) + table.spread(even, shared)
    return table._replace(cells=cells)
