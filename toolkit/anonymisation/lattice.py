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
from .release import Release, check_suppression_limit, measure_release, series_of
from .requirements import Requirements, check_roles, remaining

Levels = tuple[int, ...]

TIE = 1e-12
"""Costs this close to each other, relative to them, count as equal."""

GRAIN = 10**10
"""Losses of columns are rounded down to multiples of 1 / GRAIN, as ARX does."""

MOST_NODES = 1 << 25
"""Nodes of the largest lattice that is searched: their bounds alone take 8 bytes each."""

FEW_NODES = 1000
"""From this number on, it pays to look at pairs of columns first."""

PAIR_VALUES = 512
"""Most values of a column that is counted in pairs with others on their own."""

CACHED_CELLS = 1 << 23
"""Most numbers in keys that are kept for later nodes."""


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
        self,
        name: Hashable,
        codes: IntArray,
        records: FloatArray,
        values: pd.Index,
        hierarchy: Any,
        allowed: Any,
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
        self.records = np.bincount(codes, records, len(values))  # of each value
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
        self.positions, self.secrets = check_roles(data, quasi_identifiers, sensitive)
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
        first = np.empty(len(self.records), np.int64)
        first[self.ids] = np.arange(self.n)  # a record of each distinct row
        self.columns = [
            Column(name, codes[first], self.records, values, table, (levels or {}).get(name))
            for name, (codes, values), table in zip(
                names, encoded, check_hierarchies(trees, names), strict=True
            )
        ]
        self.asked = Requirements(data, self.secrets, k, thresholds, kind, self.ids)
        # True if a requirement takes more than counting records and different values.
        self.needs_models = not self.asked.thresholds.keys() <= {"l"}
        self.limit = check_suppression_limit(suppression_limit, self.n)
        self.shape: Levels = tuple(len(column.widths) for column in self.columns)
        self.top: Levels = tuple(height - 1 for height in self.shape)
        self.nodes = math.prod(self.shape)
        if self.nodes > MOST_NODES:
            raise ValueError(
                f"the hierarchies make a lattice of {self.nodes:,} nodes, more than the"
                f" {MOST_NODES:,} that can be searched; leave quasi-identifiers out, or say by"
                f" levels= which levels a column may have."
            )
        # Many nodes agree on half of the columns, so parts of keys are kept.
        self.key = lru_cache(CACHED_CELLS // len(first) + 64)(self._key)

    def _key(self, start: int, node: Levels) -> tuple[IntArray, int]:
        """Number per distinct row, equal if the labels of some columns are; and a bound."""
        if len(node) == 1:
            column, level = self.columns[start], node[0]
            return column.numbers[level].take(column.codes), column.widths[level]
        cut = len(node) // 2
        parts = self.key(start, node[:cut]), self.key(start + cut, node[cut:])
        if parts[0][1] * parts[1][1] >= 1 << 62:
            parts = _renumbered(parts[0][0]), _renumbered(parts[1][0])
        (left, low), (right, high) = parts
        return left * high + right, low * high

    def groups(self, node: Levels) -> tuple[IntArray, FloatArray]:
        """Class of each distinct row at a node, and the size of each; some may be empty."""
        ids, bound = self.key(0, node)
        if bound > 4 * len(ids) + 4096:
            ids, bound = _renumbered(ids)
        sizes: Any = np.bincount(ids, self.records, bound)
        return ids, sizes

    def named(self, node: Levels) -> dict[Hashable, int]:
        """Levels of a node by the names of the columns."""
        pairs = zip(self.columns, node, strict=True)
        return {column.name: column.levels[level] for column, level in pairs}

    def labels(self, node: Levels) -> dict[int, tuple[pd.Series, IntArray]]:
        """Labels of each generalised column, by its position, and the place of each record."""
        return {
            j: (series_of(column.labels[:, level]), column.codes[self.ids])
            for j, column, level in zip(self.positions, self.columns, node, strict=True)
            if column.levels[level]
        }


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
        self.node = node
        # The class of each distinct row, and the records of each class.
        self.ids, self.sizes = lattice.groups(node)
        tables = asked.tables_of(self.ids, len(self.sizes))
        # Hopeless classes have too few records or values, and so have all their parts at nodes
        # below: their records are suppressed here and at every node below.
        self.hopeless: BoolArray = self.sizes < asked.k
        for table in tables:
            values = np.bincount(table.cls, minlength=len(self.sizes))
            self.hopeless |= values < asked.distinct
        self.must = int(self.sizes[self.hopeless].sum())
        self.ruled_out = self.must > limit  # no node below is feasible, nor is this one
        # Suppressed classes and records; a lower bound if there are too many.
        self.gone, self.suppressed = self.hopeless, self.must
        while lattice.needs_models and self.suppressed <= min(limit, lattice.n - 1):
            left = np.flatnonzero(~self.gone)
            missed = left[asked.missed([remaining(table, left) for table in tables])]
            if not len(missed):
                break
            self.gone = self.gone.copy()
            self.gone[missed] = True
            self.suppressed += int(self.sizes[missed].sum())
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
    products: AnyArray = np.ones(())
    for numbers in reversed(factors):
        products = np.multiply.outer(numbers, products)
    return products


class CellLoss:
    """Share of a column's values that the cells leave open, as in ARX's loss.

    The cost is the product whose root gives the loss. It is added up in whole numbers, so that
    a node has the same cost however its classes were counted.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.start = self._costs(np.zeros(len(lattice.records), bool), below(lattice.top))

    def judge(self, look: Look) -> tuple[float, Bounds]:
        """Cost of a node, and bounds for the nodes below with its hopeless rows suppressed."""
        where = below(look.node)
        least = costs = self._costs(look.hopeless[look.ids], where)
        if look.gone is not look.hopeless:
            costs = self._costs(look.gone[look.ids], where)
        return costs.ravel()[-1], [(where, least)]

    def loss(self, cost: float) -> float:
        """Geometric mean over the columns of 1 + L, less 1."""
        return float(cost ** (1 / len(self.lattice.shape)) - 1)

    def _costs(self, gone: BoolArray, nodes: tuple[slice, ...]) -> AnyArray:
        """Products of 1 + L over the columns at some nodes, if some distinct rows are gone."""
        lattice, rows, factors = self.lattice, np.flatnonzero(gone), []
        for column, levels in zip(lattice.columns, nodes, strict=True):
            # Values other than the own one, added up over the records: all, and ruled out.
            every = lattice.n * (column.leaves - 1)
            codes, size = column.codes[rows], len(column.records)
            left = column.records - np.bincount(codes, lattice.records[rows], size)
            opened = every - (column.outside[levels] @ left).astype(np.int64).astype(object)
            shares = (opened * GRAIN // max(every, 1)).astype(float) / GRAIN
            factors.append(1 + shares)
        return outer(factors)


class ClassSize:
    """Records per class, where all suppressed records are one class.

    At a node below, a class splits into at most as many classes as its records allow, and as
    there are combinations of labels below its own. At a node above, new classes are made only
    from suppressed records.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.n = lattice.n
        self.least = max(lattice.asked.k, lattice.asked.distinct)  # records of a class
        self.more = int(lattice.limit > 0)  # a class of suppressed records
        widths = [np.array(column.widths, float) for column in lattice.columns]
        most = np.minimum(outer(widths), self.n // self.least) + self.more
        self.start = self.n / np.maximum(most, 1)
        self.under = [_labels_under(column) for column in lattice.columns]

    def judge(self, look: Look) -> tuple[float, Bounds]:
        """Cost of a node, of those below it, and of those above."""
        classes = int(np.count_nonzero(~look.gone)) + (look.suppressed > 0)
        left = look.sizes[~look.hopeless]
        parts = [u[at, : at + 1] for u, at in zip(self.under, look.node, strict=True)]
        apart = np.minimum(outer(parts) * len(left), (left // self.least).sum()) + self.more
        joined = len(left) + look.must // self.least + self.more
        above = tuple(slice(level, None) for level in look.node)
        bounds = [(below(look.node), self.n / apart), (above, self.n / joined)]
        return self.n / max(classes, 1), bounds

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

    def __init__(self, lattice: Lattice, function: Callable[[LatticeNode], float]) -> None:
        self.lattice, self.function = lattice, function
        self.start = np.full(lattice.shape, -np.inf)

    def judge(self, look: Look) -> tuple[float, Bounds]:
        """Ask the caller, if the node is feasible."""
        if not look.feasible:
            return np.inf, []
        levels = self.lattice.named(look.node)
        sizes = look.sizes[~look.gone].astype(np.int64)
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

    cost: float
    rank: int  # order among equal costs: by the sum of the levels, then by the levels
    node: Levels
    suppressed: int
    feasible: bool


class Search:
    """Nodes that were looked at, and a lower bound of the cost of every other node.

    This is a best-first branch and bound, whose bounds come from above. One look at a coarse
    node bounds the cost of all nodes below it, whereas a look at the candidate, which is
    usually fine, bounds few other nodes. This is the predictive tagging of OLA (reference 1
    of `optimal_generalisation`), with bounds of costs in place of yes and no.
    """

    def __init__(self, lattice: Lattice, loss: Any, *, trace: bool) -> None:
        self.lattice, self.loss = lattice, loss
        self.bounds: FloatArray = loss.start  # an axis per column; infinite if ruled out
        sums: Any = np.zeros((), np.int64)
        for height in lattice.shape:
            sums = np.add.outer(sums, np.arange(height))
        self.ranks = sums * lattice.nodes + np.arange(lattice.nodes).reshape(lattice.shape)
        self.found: dict[Levels, Found] = {}
        self.best = Found(np.inf, lattice.nodes**2, (), 0, feasible=False)  # behind all others
        # Number of looks after which each node was settled, if there is a trace.
        self.steps: Any = np.zeros(lattice.shape, np.int64) if trace else None

    def look(self, node: Levels) -> None:
        """Look at a node, and bound those below and above it."""
        look, cost = Look(self.lattice, node), np.inf
        if look.ruled_out:
            self.bounds[below(node)] = np.inf
        else:
            cost, bounds = self.loss.judge(look)
            for where, least in bounds:
                self.bounds[where] = np.maximum(self.bounds[where], least)
        found = Found(cost, int(self.ranks[node]), node, look.suppressed, look.feasible)
        self.found[node] = found
        if look.feasible and found < self.best:
            self.best = found
        self.bounds[node] = np.inf
        if self.steps is not None:
            self.steps[(self.steps == 0) & ~self.open()] = len(self.found)
            self.steps[node] = len(self.found)

    def open(self, nodes: Any = ...) -> Any:
        """True for each node, or the given one, that may still be the best."""
        bounds, cost = self.bounds[nodes], self.best.cost
        ties = (bounds <= cost * (1 + TIE)) & (self.ranks[nodes] < self.best.rank)
        return (bounds < np.inf) & ((bounds < cost) | ties)

    def next(self) -> Levels | None:
        """Open node with the least bound, if there is one."""
        place, shape = self.bounds.argmin(), self.lattice.shape
        if not self.open(np.unravel_index(place, shape)):  # comparing all nodes takes longer
            places = np.flatnonzero(self.open())
            if not len(places):
                return None
            place = places[self.bounds.ravel()[places].argmin()]
        return tuple(map(int, np.unravel_index(place, shape)))

    def run(self) -> None:
        """Look at nodes until no open one is left.

        The candidate is the open node with the least bound. A high node has more nodes below
        it, but suppresses less, and may not settle the candidate. So a random way from the
        candidate to the top is looked at a third of the way up, then half as high, and so on.
        The draws decide how fast the best node is found, never which node it is.
        """
        if self.lattice.nodes >= FEW_NODES:
            self.rule_out_pairs()
        draw = np.random.default_rng(22)
        while (node := self.next()) is not None:
            way = way_up(node, self.lattice.shape, draw)
            up = (len(way) - 1) // 3
            while self.open(node):
                if way[up] not in self.found:
                    self.look(way[up])
                up //= 2

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
        narrow = [j for j, column in enumerate(columns) if len(column.records) <= PAIR_VALUES]
        members, levels = {}, {}
        for j in narrow:
            of_level = zip(columns[j].widths, columns[j].numbers, strict=True)
            members[j] = np.concatenate([np.eye(width)[:, n] for width, n in of_level])
            levels[j] = np.eye(len(columns[j].widths)).repeat(columns[j].widths, axis=1)
        for i, j in itertools.combinations(narrow, 2):
            shape = members[i].shape[1], members[j].shape[1]
            code = columns[i].codes * shape[1] + columns[j].codes
            table = np.bincount(code, lattice.records, math.prod(shape)).reshape(shape)
            classes = members[i] @ table @ members[j].T
            lost = levels[i] @ (classes * (classes < lattice.asked.k)) @ levels[j].T
            np.moveaxis(self.bounds, (i, j), (0, 1))[lost > lattice.limit] = np.inf

    def best_found(self) -> Found | None:
        """Feasible node of least cost; of equal ones, the first by rank."""
        feasible = [found for found in self.found.values() if found.feasible]
        cost = self.best.cost
        close = [found for found in feasible if math.isclose(found.cost, cost, rel_tol=TIE)]
        return min(close, key=lambda found: found.rank, default=None)


def way_up(node: Levels, shape: Levels, draw: np.random.Generator) -> list[Levels]:
    """Nodes from a node to the top, a level at a time, in a random order of the columns."""
    columns = np.arange(len(shape))
    steps = draw.permutation(columns.repeat(np.subtract(shape, node) - 1))
    ups = (steps[:, None] == columns).cumsum(axis=0)
    return [node, *map(tuple, (ups + node).tolist())]


# The release


def _released(search: Search) -> Release:
    """Generalise the table to the best node, and measure the result."""
    lattice, asked, best = search.lattice, search.lattice.asked, search.best_found()
    if best is None:
        raise _nothing(lattice)
    look = Look(lattice, best.node)
    release = measure_release(
        lattice.data,
        lattice.positions,
        lattice.secrets,
        asked.kinds,
        labels=lattice.labels(best.node),
        suppressed=look.gone[look.ids][lattice.ids],
        levels=lattice.named(best.node),
        loss=search.loss.loss(best.cost),
        evaluations=len(search.found),
        l=asked.recursive_l,
    )
    return release if search.steps is None else replace(release, trace=_trace(search))


def _nothing(lattice: Lattice) -> ThresholdsMissed:
    """Error that no node is feasible, which says what would make one feasible."""
    least = Look(lattice, lattice.top, lattice.n).suppressed
    way = "ask for less, or allow coarser levels"
    if least < lattice.n:
        way = f"set suppression_limit to {math.ceil(least / lattice.n * 1e4) / 1e4:g}, {way}"
    return ThresholdsMissed(
        f"no levels satisfy {lattice.asked} with at most {lattice.limit} of {lattice.n}"
        f" records suppressed; the most general ones suppress {least}, so {way}."
    )


def _trace(search: Search) -> pd.DataFrame:
    """Fate of each node, in the order in which the nodes were settled."""
    lattice, out = search.lattice, search.bounds.ravel() == np.inf
    columns = {
        "step": search.steps.ravel(),
        "fate": np.where(out, "infeasible", "bounded"),
        "loss": np.nan,
        "suppressed": pd.array([None] * lattice.nodes, "Int64"),
        "feasible": pd.array([None] * lattice.nodes, "boolean"),
    }
    levels = [column.levels for column in lattice.columns]
    names = [column.name for column in lattice.columns]
    table = pd.DataFrame(columns, pd.MultiIndex.from_product(levels, names=names))
    table.loc[out, "feasible"] = False
    for node, found in search.found.items():
        loss = search.loss.loss(found.cost) if found.feasible else np.nan
        at = int(np.ravel_multi_index(node, lattice.shape))
        table.iloc[at, 1:] = ["evaluated", loss, found.suppressed, found.feasible]
    return table.sort_values("step", kind="stable")
