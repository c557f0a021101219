"""Optimal full-domain generalisation: the levels of least loss, by branch and bound.

A node of the lattice is one level per quasi-identifier: all cells of a column show their label
on its level. Classes that miss a requirement are suppressed. Among the nodes that suppress
few enough records, we want the node of least loss. `exhaustive_generalisation` looks at every
node; `optimal_generalisation` finds the same node but looks at few, thanks to two facts:

* If a class has too few records or sensitive values at a node, it splits at every node below
  into classes that have no more. So records that a node must suppress are suppressed at all
  nodes below it.
* The loss of a node is at least the loss of its labels when only those records are suppressed
  that a node above it must suppress.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_choice, check_table, listed
from .._codes import combine, encode
from .._typing import AnyArray, BoolArray, Columns, FloatArray, IntArray, Table
from .hierarchies import check_hierarchies, levels_of, suggest_hierarchies
from .release import Release, check_suppression_limit, measure_release, one_kind
from .requirements import Requirements, check_roles

Levels = tuple[int, ...]

OUT = 1e300
"""Bound of a node that is ruled out."""

TIE = 1e-12
"""Costs this close to each other, relative to them, count as equal."""

GRAIN = 10**10
"""Losses of columns are rounded down to multiples of 1 / GRAIN, as ARX does."""

MOST_NODES = 1 << 25
"""Nodes of the largest lattice that is searched: their bounds alone take 8 bytes each."""

PAIR_CELLS = 1 << 16
"""Most combinations of values for which a pair of columns is counted on its own."""

CACHED_CELLS = 1 << 23
"""Most numbers in parts of keys that are kept for later nodes."""


class ThresholdsMissed(ValueError):
    """No release meets the thresholds."""


def optimal_generalisation(
    data: Table,
    quasi_identifiers: Columns,
    hierarchies: Mapping[Any, Any] | None = None,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Columns = None,
    suppression_limit: float = 0.0,
    loss: Any = "loss",
    kind: Any = "auto",
    levels: Mapping[Any, Any] | None = None,
    trace: bool = False,
    exhaustive: bool = False,
    **thresholds: float,
) -> Release:
    r"""Generalise each column to one level, so that all levels together lose least.

    Classes that miss a requirement are suppressed as a whole, up to the limit: first classes
    of fewer than `k` records or with too few sensitive values; then classes that miss another
    requirement on the sensitive values, such as closeness to the remaining table, again and
    again until all remaining classes satisfy them.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        The table; it is not changed. A missing cell is a value, and has a row in its
        hierarchy.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    hierarchies : mapping, optional
        From column to its table: a row per value, which lists the value and its label on each
        level. By default what `suggest_hierarchies` returns.
    k : int
        Least number of records in a class.
    l, t : optional
        Least number of sensitive values in a class, and their greatest distance from those of
        the release (see `t_closeness`). Suppressed records count for neither.
    sensitive : column, or list of columns, optional
        Columns that `l`, `t` and other thresholds are about; each has to satisfy them.
    suppression_limit : float
        Share of the records that may be suppressed, from 0 to 1.
    loss : {"loss", "average_class_size"} or function
        What to minimise, see Notes. A function takes a `LatticeNode` and returns a number; it
        is called once for every node that satisfies the requirements.
    kind : {"auto", "ordered", "equal"} or table
        Distance of `t`, as for `t_closeness`.
    levels : mapping, optional
        From column to the level, or levels, that it may have; all by default.
    trace : bool
        Keep the fate of each node as `trace` of the release.
    exhaustive : bool
        Look at every node, as `exhaustive_generalisation` does.
    **thresholds
        Other thresholds of `check_privacy` about sensitive values, such as ``alpha=0.8`` or
        ``entropy_l=2``; `c` goes with `l`.

    Returns
    -------
    Release
        `data` under the caller's labels, `levels`, `loss`, `suppressed`, and the `privacy`
        that was measured on `data`. The index and the order of the rows are released too (see
        `Release`). With `trace`, also a table with a row per node, indexed by the levels: the
        `step` at which it was settled (number of nodes looked at so far); its `fate`
        ("evaluated"; "infeasible" if a node above, or two columns alone, suppress too much;
        "bounded" if it cannot be better); and for evaluated nodes `loss`, `suppressed` (a
        lower bound if the node is not feasible) and whether the node is `feasible`.

    See Also
    --------
    treat : the same with suggested hierarchies, and ready to be handed on.
    exhaustive_generalisation : the same by looking at every node.

    Notes
    -----
    The loss of a table of n records (as ARX defines it, for equal weights) is

    .. math:: \prod_j (1 + L_j)^{1/d} - 1, \quad
       L_j = \frac{\sum_i s_{ij} - n / D_j}{n - n / D_j}

    over the d columns, where :math:`s_{ij}` is the share of the :math:`D_j` values of the
    hierarchy that the label of record i stands for, and 1 if it is suppressed.
    :math:`L_j` is rounded down to ten decimals, and 0 for a hierarchy of one value. The
    average class size is the number of records divided by the number of classes, where all
    suppressed records are one class. Among nodes of equal loss (to twelve digits), the node
    with the least sum of levels wins, then the node with the lower level in the first column
    where they differ.

    A table that is no coarser than necessary reveals something by this very fact. An attacker
    who knows how it was made can ask which sensitive values would have made it finer, and may
    learn more about a record than `l` or `t` allows [4]_. The measured privacy does not show
    this attack on minimality. The attack needs a requirement on sensitive values; `k` alone
    looks at none.

    References
    ----------
    .. [1] K. El Emam et al., "A globally optimal k-anonymity method for the de-identification
       of health data", Journal of the American Medical Informatics Association 16(5), 2009.
    .. [2] F. Kohlmayer, F. Prasser et al., "Flash: efficient, stable and optimal k-anonymity",
       PASSAT 2012.
    .. [3] F. Prasser, F. Kohlmayer and K. A. Kuhn, "Efficient and effective pruning strategies
       for health data de-identification", BMC Medical Informatics and Decision Making 16,
       2016.
    .. [4] R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, "Minimality attack in privacy
       preserving data publishing", VLDB 2007.

    Examples
    --------
    Hiding the last digit of the zip code is enough, if one record may go:

    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"], "ill": ["flu", "hiv", "flu"]})
    >>> trees = {"zip": zips}
    >>> release = optimal_generalisation(data, "zip", trees, k=2, suppression_limit=0.34)
    >>> release.levels, release.suppressed.tolist(), release.privacy["k"].item()
    ({'zip': 1}, [2], 2.0)
    >>> release.data
      zip  ill
    0  1*  flu
    1  1*  hiv
    """
    asked = {"l": l, "t": t, **thresholds}
    about = (data, quasi_identifiers, hierarchies, sensitive, levels)
    lattice = Lattice(*about, suppression_limit, kind, k, asked)
    named = None if callable(loss) else LOSSES[check_choice(loss, "loss", LOSSES)]
    judge = AskedLoss(lattice, loss) if named is None else named(lattice)
    search = Search(lattice, judge, trace=trace)
    if exhaustive:
        for node in itertools.product(*map(range, lattice.shape)):
            search.look(node)
    else:
        search.run()
    return _released(search)


def exhaustive_generalisation(
    data: Table, quasi_identifiers: Columns, hierarchies: Any = None, **options: Any
) -> Release:
    """Find the levels that lose least by looking at every node of the lattice.

    Slow, but so plain that `optimal_generalisation` is tested against it.

    Parameters
    ----------
    data, quasi_identifiers, hierarchies, **options
        As for `optimal_generalisation`.

    Returns
    -------
    Release
        The same as from `optimal_generalisation`, except for `evaluations` and `trace`.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"]})
    >>> exhaustive_generalisation(data, "zip", {"zip": zips}, k=3, trace=True).trace
         step       fate  loss  suppressed  feasible
    zip
    0       1  evaluated   NaN           3     False
    1       2  evaluated   NaN           3     False
    2       3  evaluated   1.0           0      True
    """
    options["exhaustive"] = True
    return optimal_generalisation(data, quasi_identifiers, hierarchies, **options)


# The table, read once


class Column:
    """A quasi-identifier on each level that it may have: labels as whole numbers."""

    def __init__(
        self, name: Hashable, codes: IntArray, values: pd.Index, hierarchy: Any, allowed: Any
    ) -> None:
        cells, labels, row = levels_of(hierarchy, values, name)
        levels = cells.shape[1]
        given = range(levels) if allowed is None else allowed
        self.levels = sorted({given} if isinstance(given, int) else {*given})
        if not self.levels or not 0 <= self.levels[0] <= self.levels[-1] < levels:
            raise ValueError(
                f"levels of {name!r} must be from 0 to {levels - 1}, at least one; got"
                f" {allowed!r}."
            )
        self.name, self.codes = name, codes  # of the values of the distinct rows
        self.labels: AnyArray = cells[row][:, self.levels]  # of each value, a column per level
        shown = [np.unique(labels[level][row], return_inverse=True) for level in self.levels]
        self.widths = [len(numbers) for numbers, _ in shown]  # labels that the table shows
        self.numbers = np.array([place for _, place in shown])  # of labels, a row per level
        # Values in the hierarchy, including those that no record has: how many there are, and
        # how many are outside the label of each value.
        self.leaves = len(cells)
        under = [np.bincount(labels[level])[labels[level][row]] for level in self.levels]
        self.outside: FloatArray = self.leaves - np.array(under, float)


class Lattice:
    """A table and its hierarchies as whole numbers, and the requirements on a class.

    Rows that agree on all quasi-identifiers stay together at every node, so they are kept as
    one distinct row with its number of records.
    """

    def __init__(
        self,
        data: Table,
        quasi_identifiers: Columns,
        hierarchies: Any,
        sensitive: Columns,
        levels: Mapping[Any, Any] | None,
        suppression_limit: float,
        kind: Any,
        k: int,
        thresholds: Mapping[str, Any],
    ) -> None:
        self.data = data = check_table(data)
        self.n = len(data)
        self.positions, secrets = check_roles(data, quasi_identifiers, sensitive)
        self.secrets = secrets
        names = [data.columns[j] for j in self.positions]
        strange = [name for name in levels or {} if name not in names]
        if len({*names}) < len(names) or strange:
            raise ValueError(
                f"quasi_identifiers must be columns with different names, and levels can name"
                f" no other column; got {listed(names)}, and levels of"
                f" {listed(strange) or 'no other'}."
            )
        trees = suggest_hierarchies(data[names]) if hierarchies is None else hierarchies
        encoded = [encode(data.iloc[:, j]) for j in self.positions]
        sizes = [len(values) for _, values in encoded]
        keys, _ = combine([codes for codes, _ in encoded], sizes, self.n)
        self.ids: IntArray = pd.factorize(keys)[0]  # distinct row of each record
        self.records: FloatArray = np.bincount(self.ids).astype(float)  # of each distinct row
        first = np.flatnonzero(~pd.Series(keys).duplicated())
        self.columns = [
            Column(name, codes[first], values, table, (levels or {}).get(name))
            for name, (codes, values), table in zip(
                names, encoded, check_hierarchies(trees, names), strict=True
            )
        ]
        self.asked = Requirements(data, secrets, k, thresholds, kind, self.ids)
        # True if a requirement takes more than counting records and different values.
        self.needs_models = not self.asked.thresholds.keys() <= {"l"}
        self.limit = check_suppression_limit(suppression_limit, self.n)
        self.shape: Levels = tuple(len(column.widths) for column in self.columns)
        self.nodes = math.prod(self.shape)
        if self.nodes > MOST_NODES:
            raise ValueError(
                f"the hierarchies make a lattice of {self.nodes:,} nodes, more than the"
                f" {MOST_NODES:,} that can be searched; leave quasi-identifiers out, or say by"
                f" levels= which levels a column may have."
            )
        # Many nodes agree on half of the columns, so parts of keys are kept.
        self.part = lru_cache(max(CACHED_CELLS // len(first), 64))(self._key)

    def _key(self, start: int, node: Levels) -> tuple[AnyArray, int]:
        """Number per distinct row, equal if the labels of the columns are; and a bound."""
        if len(node) == 1:
            column, level = self.columns[start], node[0]
            width = column.widths[level]
            numbers = column.numbers[level].astype(np.min_scalar_type(width))
            return numbers.take(column.codes), width
        cut = len(node) // 2
        halves = self.part(start, node[:cut]), self.part(start + cut, node[cut:])
        if halves[0][1] * halves[1][1] >= 1 << 62:
            halves = _renumbered(halves[0][0]), _renumbered(halves[1][0])
        (left, low), (right, high) = halves
        kind = np.min_scalar_type(low * high)
        joined = left.astype(kind)
        joined *= high
        joined += right.astype(kind, copy=False)
        return joined, low * high

    def groups(self, node: Levels) -> tuple[IntArray, FloatArray]:
        """Class of each distinct row at a node, and the size of each; some may be empty."""
        ids, bound = self._key(0, node)
        if bound > 4 * len(ids) + 4096:
            ids, bound = _renumbered(ids)
        ids = np.asarray(ids, np.int64)
        sizes: Any = np.bincount(ids, self.records, bound)
        return ids, sizes

    def named(self, node: Levels) -> dict[Hashable, int]:
        """Levels of a node by the names of the columns."""
        pairs = zip(self.columns, node, strict=True)
        return {column.name: column.levels[level] for column, level in pairs}

    def generalised(self, node: Levels) -> pd.DataFrame:
        """All records with the labels of a node."""
        treated = self.data.copy(deep=False)
        for j, column, level in zip(self.positions, self.columns, node, strict=True):
            if column.levels[level]:
                labels = pd.Series(one_kind(column.labels[:, level]).tolist()).array
                treated.isetitem(j, labels.take(column.codes[self.ids]))
        return treated


def _renumbered(key: IntArray) -> tuple[IntArray, int]:
    """Numbers without gaps."""
    ids, seen = pd.factorize(key)
    return ids, len(seen)


# Suppression at a node


class Look:
    """Classes of a node, and which of them are suppressed.

    Hopeless classes go first; then, as long as there are any, all classes that miss a
    requirement. Closeness compares classes with the remaining table, so it is measured anew
    each time.
    """

    def __init__(self, lattice: Lattice, node: Levels, limit: int | None = None) -> None:
        asked, limit = lattice.asked, lattice.limit if limit is None else limit
        # The class of each distinct row, and the records of each class.
        self.ids, self.sizes = lattice.groups(node)
        pairs = asked.pairs(self.ids, len(self.sizes))
        # Hopeless classes have too few records or values, and so have all their parts at nodes
        # below: their records are suppressed here and at every node below.
        self.hopeless: BoolArray = self.sizes < asked.k
        if asked.distinct > 1:
            for cls, _, _ in pairs:
                values = np.bincount(cls, minlength=len(self.sizes))
                self.hopeless |= values < asked.distinct
        self.must = int(self.sizes[self.hopeless].sum())
        self.ruled_out = self.must > limit  # no node below is feasible, nor is this one
        # Suppressed classes and records; a lower bound if there are too many.
        self.gone, self.suppressed = self.hopeless, self.must
        while lattice.needs_models and self.suppressed <= min(limit, lattice.n - 1):
            left = np.flatnonzero(~self.gone)
            remaining = [tuple(part[~self.gone[pair[0]]] for part in pair) for pair in pairs]
            missed = asked.missed([(np.searchsorted(left, c), v, n) for c, v, n in remaining])
            if not missed.any():
                break
            self.gone = self.gone.copy()
            self.gone[left[missed]] = True
            self.suppressed += int(self.sizes[left[missed]].sum())
            # If nobody may be suppressed, classes that satisfy all satisfy it together.
            self.ruled_out = limit == 0
        self.feasible = self.suppressed <= limit


# Losses


Bounds = Sequence[tuple[tuple[slice, ...], Any]]
"""Nodes, as an index into an array with an axis per column, and bounds of their costs."""


def below(node: Levels) -> tuple[slice, ...]:
    """Nodes below a node, and the node itself."""
    return tuple(slice(level + 1) for level in node)


def outer(factors: Sequence[AnyArray]) -> AnyArray:
    """Products of one number per column, for all combinations of levels."""
    flat: AnyArray = np.ones(1)
    for numbers in reversed(factors):
        flat = np.multiply.outer(numbers, flat).ravel()
    return flat.reshape([len(numbers) for numbers in factors])


class CellLoss:
    """Share of a column's values that the cells leave open, as in ARX's loss.

    The cost is the product whose root gives the loss. It is added up in whole numbers, so that
    a node has the same cost however its classes were counted.
    """

    exact = True  # `start` is the cost of each node that suppresses nobody
    bounded = True  # least costs of nodes are known that were not looked at

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, columns, n = lattice, lattice.columns, lattice.n
        self.ends = np.cumsum(lattice.shape)[:-1]
        levels = [(n * (column.leaves - 1), len(column.widths)) for column in columns]
        most = [number for number, times in levels for _ in range(times)]
        everyone = self._opened(np.arange(len(lattice.records)))
        # Values open besides the true one, summed over the records, of each level of each
        # column; and as many as can be open.
        self.open: AnyArray = np.array(most, object) - everyone
        self.most: AnyArray = np.array([max(number, 1) for number in most], object)
        self.start = outer(self._factors(np.empty(0, np.int64)))

    def judge(self, node: Levels, look: Look) -> tuple[float, Bounds]:
        """Cost of a node, and bounds of the nodes below, which suppress its hopeless rows."""
        gone, where = look.hopeless, below(node)
        factors = self._factors(np.flatnonzero(gone[look.ids]))
        least = outer([f[at] for f, at in zip(factors, where, strict=True)])
        if look.gone is not gone:
            factors = self._factors(np.flatnonzero(look.gone[look.ids]))
        pairs = zip(factors, node, strict=True)
        return outer([f[level : level + 1] for f, level in pairs]).item(), [(where, least)]

    def loss(self, cost: float) -> float:
        """Geometric mean over the columns of 1 + L, less 1."""
        return float(cost ** (1 / len(self.lattice.shape)) - 1)

    def _factors(self, rows: IntArray) -> list[FloatArray]:
        """1 + L of every level of every column, if some distinct rows are suppressed."""
        share = (self.open + self._opened(rows)) * GRAIN // self.most
        return np.split(1 + share.astype(float) / GRAIN, self.ends)

    def _opened(self, rows: IntArray) -> AnyArray:
        """Values outside their labels that suppressing the rows opens, as exact numbers."""
        weight, opened = self.lattice.records[rows], []
        for column in self.lattice.columns:
            records = np.bincount(column.codes[rows], weight, column.outside.shape[1])
            opened.append(column.outside @ records)
        return np.concatenate(opened).astype(np.int64).astype(object)


class ClassSize:
    """Records per class, where all suppressed records are one class.

    At a node below, a class splits into at most as many classes as its records allow, and as
    there are combinations of labels below its own. At a node above, new classes are made only
    from suppressed records.
    """

    exact, bounded = False, True

    def __init__(self, lattice: Lattice) -> None:
        self.n = lattice.n
        self.least = max(lattice.asked.k, lattice.asked.distinct)  # records of a class
        self.more = int(lattice.limit > 0)  # a class of suppressed records
        widths = [np.array(column.widths, float) for column in lattice.columns]
        most = np.minimum(outer(widths), self.n // self.least)
        self.start = self.n / np.maximum(most + self.more, 1)
        self.under = [_labels_under(column) for column in lattice.columns]

    def judge(self, node: Levels, look: Look) -> tuple[float, Bounds]:
        """Cost of a node, of those below it, and of those above."""
        classes = int(np.count_nonzero(~look.gone)) + (look.suppressed > 0)
        cost = self.n / max(classes, 1)
        if not self.more:  # `start` and what is infeasible say nearly as much
            return cost, []
        left = look.sizes[~look.hopeless]
        parts = [u[level, : level + 1] for u, level in zip(self.under, node, strict=True)]
        apart = np.minimum(outer(parts) * len(left), (left // self.least).sum())
        joined = len(left) + look.must // self.least
        above = tuple(slice(level, None) for level in node)
        below_it = below(node), self.n / (apart + self.more)
        return cost, [below_it, (above, self.n / (joined + self.more))]

    def loss(self, cost: float) -> float:
        """Records per class."""
        return cost


def _labels_under(column: Column) -> FloatArray:
    """Most labels of one level (columns) under a label of another level (rows)."""
    levels = len(column.widths)
    most = np.ones((levels, levels))
    for high, low in itertools.combinations(range(levels)[::-1], 2):
        pairs = np.unique(column.numbers[high] * column.widths[low] + column.numbers[low])
        most[high, low] = np.bincount(pairs // column.widths[low]).max()
    return most


@dataclass(frozen=True, eq=False)
class LatticeNode:
    """A node of the lattice, as a loss function sees it."""

    levels: dict[Hashable, int]
    """Level of each quasi-identifier, 0 for the values themselves."""
    class_sizes: IntArray
    """Records of each remaining class, in arbitrary order."""
    suppressed: int
    """Suppressed records."""
    records: int
    """All records of the table, including the suppressed ones."""


class AskedLoss:
    """A loss that the caller computes, without any bounds."""

    exact = bounded = False

    def __init__(self, lattice: Lattice, function: Callable[[LatticeNode], float]) -> None:
        self.lattice, self.function = lattice, function
        self.start = np.zeros(lattice.shape)

    def judge(self, node: Levels, look: Look) -> tuple[float, Bounds]:
        """Ask the caller, if the node is feasible."""
        if not look.feasible:
            return OUT, []
        levels, sizes = self.lattice.named(node), look.sizes[~look.gone].astype(np.int64)
        number = self.function(LatticeNode(levels, sizes, look.suppressed, self.lattice.n))
        if math.isnan(number):
            raise ValueError(
                f"loss must return a number for each node; for the levels {levels} it returned"
                f" {number!r}. Return math.inf for a node that is out of the question."
            )
        return float(number), []

    def loss(self, cost: float) -> float:
        """The number that the caller returned."""
        return cost


LOSSES = {"loss": CellLoss, "average_class_size": ClassSize}


# The search


class Found(NamedTuple):
    """A node that was looked at."""

    rank: int  # order among equal costs: by the sum of the levels, then by the levels
    node: Levels
    cost: float
    suppressed: int
    feasible: bool


class Search:
    """Nodes that were looked at, and a lower bound of the cost of every other node."""

    def __init__(self, lattice: Lattice, loss: Any, *, trace: bool) -> None:
        self.lattice, self.loss = lattice, loss
        self.cube: FloatArray = loss.start.copy()  # least costs, an axis per column
        self.bounds = self.cube.ravel()  # a view
        sums = np.indices(lattice.shape, np.int64).sum(axis=0).ravel()
        self.ranks = sums * lattice.nodes + np.arange(lattice.nodes)
        self.found: dict[int, Found] = {}
        self.best: Found | None = None
        # Number of looks after which each node was settled, if there is a trace.
        self.steps: Any = np.zeros(lattice.nodes, np.int64) if trace else None

    def look(self, node: Levels) -> None:
        """Look at a node, and bound those below and above it."""
        look, cost = Look(self.lattice, node), OUT
        place = int(np.ravel_multi_index(node, self.lattice.shape))
        if look.ruled_out:
            self.cube[below(node)] = OUT
        else:
            cost, bounds = self.loss.judge(node, look)
            for where, least in bounds:
                self.cube[where] = np.maximum(self.cube[where], least)
        looked = Found(int(self.ranks[place]), node, cost, look.suppressed, look.feasible)
        self.found[place] = looked
        best = self.best
        if look.feasible and (not best or (cost, looked.rank) < (best.cost, best.rank)):
            self.best = looked
        self.bounds[place] = OUT
        if self.steps is not None:
            self.steps[(self.steps == 0) & ~self.open()] = len(self.found)
            self.steps[place] = len(self.found)

    def open(self, at: Any = ...) -> Any:
        """True for each node, or the given one, that may still be the best."""
        bounds = self.bounds[at]
        if self.best is None or not self.loss.bounded:
            return bounds < OUT
        equal = (bounds <= self.best.cost * (1 + TIE)) & (self.ranks[at] < self.best.rank)
        return (bounds < self.best.cost) | equal

    def next(self) -> int | None:
        """Open node with the least bound, if there is one."""
        place = int(self.bounds.argmin())
        if self.open(place):
            return place
        rest = np.flatnonzero(self.open())
        return int(rest[self.ranks[rest].argmin()]) if len(rest) else None

    # This is a best-first branch and bound, whose bounds come from above. One look at a coarse
    # node bounds the cost of all nodes below it, whereas a look at the candidate, which is
    # usually fine, bounds few other nodes. This is the predictive tagging of OLA (reference 1
    # of `optimal_generalisation`), with bounds of costs in place of yes and no.
    #
    # How high to look is a trade-off: a high node has more nodes below it, but suppresses
    # less, and may not settle the candidate. `height` (1 is the candidate, 0 the top, as a
    # share of the logarithm of the number of combinations of labels) follows a staircase
    # procedure: up after a success of the first look and down after a failure. Equal steps
    # keep it where about half of the first looks succeed, which is best if a failure bounds
    # costs. If nobody may be suppressed, a failure tells nothing, and longer steps down keep
    # `height` where most looks succeed. The random draws decide how fast the best node is
    # found, never which node it is.
    def run(self) -> None:
        """Look at nodes until no open one is left."""
        lattice = self.lattice
        self.rule_out_pairs()
        # If nobody may be suppressed, the bound of a feasible node is its cost.
        known = lattice.limit == 0 and self.loss.exact and not lattice.needs_models
        logs = [np.log(column.widths) for column in lattice.columns]
        draw, height = np.random.default_rng(0), 0.5
        while (place := self.next()) is not None:
            node = np.array(np.unravel_index(place, lattice.shape), np.int64)
            if known:
                self.look(tuple(node.tolist()))
                continue
            way = way_up(node, lattice.shape, draw)
            size = np.sum([log[way[:, j]] for j, log in enumerate(logs)], axis=0)
            places = np.ravel_multi_index(tuple(way.T), lattice.shape)
            seen = (i for i, at in enumerate(places.tolist()) if at in self.found)
            end = next(seen, len(way)) - 1  # those above did not settle it
            floor, first = 0.0, True
            while end >= 0 and self.open(place):
                goal = floor + (size[0] - floor) * height
                here = min(max(int(np.count_nonzero(size >= goal)) - 1, 0), end)
                self.look(tuple(way[here].tolist()))
                if first:
                    down = 0.02 if lattice.limit else 0.1
                    step = down if self.open(place) else -0.02
                    height = min(max(height + step, 0.02), 0.98)
                first, end, floor = False, here - 1, size[here]

    def rule_out_pairs(self) -> None:
        """Rule out levels of two columns that alone force too many records to be suppressed.

        A class of two columns consists of whole classes of all columns. If two-column classes
        of fewer than k records hold more records than the limit, no node with these levels is
        feasible, whatever the levels of the others: the subset property of Incognito (K.
        LeFevre, D. J. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
        k-anonymity", SIGMOD 2005). Let the matrices M and M' have a row of 0 and 1 for each
        label of each level; then M T M' holds the class sizes at all pairs of levels, from the
        one table T of the two columns' values.
        """
        lattice, columns = self.lattice, self.lattice.columns
        if lattice.nodes < 1000 or lattice.limit >= lattice.n:
            return
        one_hot = [
            np.concatenate([np.eye(w)[:, n] for w, n in zip(c.widths, c.numbers, strict=True)])
            for c in columns
        ]
        starts = [np.cumsum([0, *column.widths[:-1]]) for column in columns]
        for i, j in itertools.combinations(range(len(columns)), 2):
            shape = one_hot[i].shape[1], one_hot[j].shape[1]
            if math.prod(shape) > PAIR_CELLS:
                continue
            code = columns[i].codes * shape[1] + columns[j].codes
            table = np.bincount(code, lattice.records, math.prod(shape)).reshape(shape)
            classes = one_hot[i] @ table @ one_hot[j].T
            lost = np.add.reduceat(classes * (classes < lattice.asked.k), starts[i], 0)
            out = np.add.reduceat(lost, starts[j], 1) > lattice.limit
            others = [axis for axis in range(len(columns)) if axis not in (i, j)]
            self.cube.transpose([i, j, *others])[out] = OUT

    def best_found(self) -> Found | None:
        """Feasible node of least cost; of equal ones, the first by rank."""
        feasible = [looked for looked in self.found.values() if looked.feasible]
        least = min((looked.cost for looked in feasible), default=OUT)
        close = least + TIE * abs(least)
        return min((looked for looked in feasible if looked.cost <= close), default=None)


def way_up(node: IntArray, shape: Levels, draw: np.random.Generator) -> IntArray:
    """Nodes from a node to the top, a level at a time, in a random order of the columns."""
    columns = np.arange(len(shape))
    steps = draw.permutation(columns.repeat(np.array(shape) - 1 - node))
    way = np.zeros((len(steps) + 1, len(shape)), np.int64)
    way[0], way[1:] = node, steps[:, None] == columns
    return way.cumsum(axis=0)


# The release


def _released(search: Search) -> Release:
    """Generalise the table to the best node, and measure the result."""
    lattice, asked, best = search.lattice, search.lattice.asked, search.best_found()
    if best is None:
        raise _nothing(lattice)
    look = Look(lattice, best.node)
    release = measure_release(
        lattice.generalised(best.node),
        lattice.positions,
        lattice.secrets,
        asked.kinds,
        suppressed=look.gone[look.ids][lattice.ids],
        levels=lattice.named(best.node),
        loss=search.loss.loss(best.cost),
        evaluations=len(search.found),
        l=asked.recursive_l,
    )
    return release if search.steps is None else replace(release, trace=_trace(search))


def _nothing(lattice: Lattice) -> ThresholdsMissed:
    """Error that no node is feasible, which says what would make one feasible."""
    top = tuple(height - 1 for height in lattice.shape)
    least = Look(lattice, top, lattice.n).suppressed
    way = "ask for less, or give the hierarchies a coarser level"
    if least < lattice.n:
        way = f"set suppression_limit to {math.ceil(least / lattice.n * 1e4) / 1e4:g}, {way}"
    return ThresholdsMissed(
        f"no levels satisfy {lattice.asked} with at most {lattice.limit} of {lattice.n}"
        f" records suppressed; the most general ones suppress {least}, so {way}."
    )


def _trace(search: Search) -> pd.DataFrame:
    """Fate of each node, in the order in which the nodes were settled."""
    lattice, out = search.lattice, search.bounds >= OUT
    fate = np.where(out, "infeasible", "bounded")
    table = pd.DataFrame({"step": search.steps, "fate": fate, "loss": np.nan})
    table["suppressed"] = pd.array([None] * lattice.nodes, "Int64")
    table["feasible"] = pd.array(
        [False if ruled_out else None for ruled_out in out], "boolean"
    )
    for place, looked in search.found.items():
        loss = search.loss.loss(looked.cost) if looked.feasible else np.nan
        table.loc[place, "fate":] = ["evaluated", loss, looked.suppressed, looked.feasible]
    levels = [column.levels for column in lattice.columns]
    names = [column.name for column in lattice.columns]
    table.index = pd.MultiIndex.from_product(levels, names=names)
    return table.sort_values("step", kind="stable")
