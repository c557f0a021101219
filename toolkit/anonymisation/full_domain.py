"""Optimal full-domain generalisation: the levels that lose least, by branch and bound.

A node of the lattice is one level per quasi-identifier: all cells of a column show their label
on its level. Classes that miss a requirement are suppressed, and of the nodes that suppress
few enough records the one of least loss is wanted.

`exhaustive_generalisation` looks at every node. `optimal_generalisation` finds the same one
and looks at few, because of two facts and the want of a third:

* A record that has too few others like it at a node, or among them too few sensitive values,
  has them at no node below, whose classes are parts of those above. So a node that suppresses
  too many records rules out all nodes below.
* The loss of a node is at least that of its labels with nothing suppressed, and at least that
  with everything suppressed that any node above it cannot but suppress.
* Entropy, recursive diversity and closeness have no such law once records are suppressed: a
  class that satisfies them may be joined by records that were suppressed, and satisfy them no
  more, or the table that it is compared with may change. They rule out nothing, unless nothing
  may be suppressed: then classes that satisfy them also satisfy them together.

Both ways end with the nodes that were looked at, of which `best_of` takes the best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import FloatArray, IntArray
from .._validation import check_choice
from ._lattice import (
    OUT,
    AskedLoss,
    Bounds,
    CellLoss,
    ClassSize,
    Lattice,
    Levels,
    Loss,
    Outcome,
    Part,
    below,
    hopeless_pairs,
    roll_up,
    spread_out,
)
from .release import Release, Requirements, check_suppression_limit, measure_release

if TYPE_CHECKING:
    from tqdm import tqdm

LOSSES: dict[str, type[CellLoss] | type[ClassSize]] = {
    "loss": CellLoss,
    "average_class_size": ClassSize,
}


def optimal_generalisation(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    hierarchies: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    suppression_limit: float = 0.0,
    loss: Any = "loss",
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    missing: str = "category",
    levels: Any = None,
    progress: bool = False,
    trace: bool = False,
) -> Release:
    r"""Generalise each column to the level that, together, loses least.

    Whole classes that miss a requirement are suppressed, at most as many records as the limit
    allows: first classes of fewer than `k` records or too few sensitive values; then those
    that miss entropy or recursive diversity, or closeness to the table that is left, over and
    over until all classes that are left satisfy them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    hierarchies : mapping
        From column to its table: a row per value, which lists the value and its label on each
        level. Tables of other columns are not looked at.
    k : int
        Least number of records in a class.
    l, t : optional
        Least diversity of the sensitive values in a class, and their greatest distance from
        those of the release (see `t_closeness`). Suppressed records count for neither.
    sensitive : column, optional
        The column that `l` and `t` are about, no quasi-identifier.
    suppression_limit : float, default 0
        Share of the records that may be suppressed, from 0 to 1.
    loss : {"loss", "average_class_size"} or function
        What is to be least, see Notes. A function takes a `LatticeNode` and returns a number;
        it is asked of every node that satisfies the requirements, once.
    diversity : {"distinct", "entropy", "recursive"}
        Which diversity `l` means: see `l_diversity`, `entropy_l_diversity` and
        `recursive_cl_diversity`, which must stay below `c`.
    c : float, optional
        For recursive diversity.
    kind : {"auto", "ordered", "equal"} or table
        Which distance `t` means, as for `t_closeness`.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, which needs a row in the hierarchy; or a
        reason to leave the record out of the release before anything is counted.
    levels : mapping, optional
        From column to the level, or levels, that may be used; all by default.
    progress : bool
        Show a progress bar: the nodes that are settled.
    trace : bool
        Keep what became of each node, as `trace` of the release.

    Returns
    -------
    Release
        `data` under the caller's labels, `levels`, `loss`, `suppressed`, and the `privacy`
        that was measured on `data`. The index and the order of the rows are released too (see
        `Release`). If `trace`, also a table with a row per node, indexed by the levels: the
        `step` (how many nodes had been looked at) that settled it; its `fate` ("evaluated";
        "infeasible", as a node above, or two columns alone, suppress too much; "bounded", as
        it cannot be better); and for evaluated nodes `loss`, `suppressed` (of one that is not
        feasible, at least so many) and whether it is `feasible`.

    Raises
    ------
    TypeError, ValueError
        If a column, a hierarchy or a value of it is not there, a requirement makes no sense,
        or no node satisfies them all.

    See Also
    --------
    exhaustive_generalisation : the same by looking at every node.

    Notes
    -----
    The loss of a table of n records (as ARX defines it, for equal weights) is

    .. math:: \prod_j (1 + L_j)^{1/d} - 1, \quad
       L_j = \frac{\sum_i s_{ij} - n / D_j}{n - n / D_j}

    over the d columns, where :math:`s_{ij}` is the share of the :math:`D_j` values of the
    hierarchy that the label of record i stands for, and 1 if it is suppressed.
    :math:`L_j` is rounded down to ten decimals, and 0 for a hierarchy of one value. The
    average class size is the number of records over that of classes, where all suppressed
    records are one class. Of nodes of equal loss (to twelve digits) the one with the least
    sum of levels wins, then the one with the lower level in the first column where they
    differ.

    A table that is no coarser than it must be says something by that. Whoever knows how it
    was made can ask which sensitive values would have made it finer, and may learn more of a
    record than `l` or `t` allows [4]_. What is measured does not see this attack on
    minimality. It needs a requirement on sensitive values; `k` alone looks at none.

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
    asked = Requirements(k, l, t, diversity, c, kind)
    about = (data, quasi_identifiers, hierarchies, sensitive, missing, levels)
    problem = Problem(asked, suppression_limit, loss, *about)
    with _bar(problem, progress) as bar:
        search = Search(problem, bar, trace=trace)
        found = search.run()
    release = _release(problem, found)
    return replace(release, trace=_trace(problem, found, search)) if trace else release


def exhaustive_generalisation(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    hierarchies: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    suppression_limit: float = 0.0,
    loss: Any = "loss",
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    missing: str = "category",
    levels: Any = None,
    progress: bool = False,
    trace: bool = False,
) -> Release:
    """Find the levels that lose least by looking at every node of the lattice.

    The classes of each node are made up of those of a node one level below. Slow, but so plain
    that `optimal_generalisation` is tested against it.

    Parameters
    ----------
    data, quasi_identifiers, hierarchies, k, l, t, sensitive, suppression_limit
        As for `optimal_generalisation`.
    loss, diversity, c, kind, missing, progress, trace
        As for `optimal_generalisation`.

    Returns
    -------
    Release
        The release that `optimal_generalisation` finds, but for `evaluations` and `trace`.

    Raises
    ------
    TypeError, ValueError
        As `optimal_generalisation`.

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
    asked = Requirements(k, l, t, diversity, c, kind)
    about = (data, quasi_identifiers, hierarchies, sensitive, missing, levels)
    problem = Problem(asked, suppression_limit, loss, *about)
    with _bar(problem, progress) as bar:
        found = list(sweep(problem, bar))
    release = _release(problem, found)
    return replace(release, trace=_trace(problem, found)) if trace else release


def _bar(problem: Problem, progress: bool) -> tqdm[Any]:
    from tqdm import tqdm  # slow, and this module is loaded where nothing is searched

    return tqdm(total=problem.lattice.nodes, desc="lattice", unit="node", disable=not progress)


def _release(problem: Problem, found: Sequence[Found]) -> Release:
    """Generalise the table to the best node, and measure what comes of it."""
    lattice, requirements, best = problem.lattice, problem.requirements, best_of(found)
    if best is None:
        top = tuple(height - 1 for height in lattice.shape)
        every = lattice.records
        least = Outcome(lattice, lattice.bottom, top, requirements, every).suppressed
        share = math.ceil(least / lattice.records * 1e4) / 1e4
        way = "Ask for less, or give the hierarchies a coarser level."
        if requirements.k > lattice.records:
            way = "Ask for a smaller k."
        elif least < lattice.records:
            way = f"Set suppression_limit to {share:g} or more, a{way[1:]}"
        raise ValueError(
            f"no node satisfies {requirements.wanted} with at most {problem.limit} of"
            f" {lattice.records} records suppressed; the most general one suppresses {least}."
            f" {way}"
        )
    gone = problem.look(lattice.bottom, best.node).gone_members if best.suppressed else None
    return measure_release(
        lattice.generalised(best.node),
        [column.position for column in lattice.columns],
        suppressed=None if gone is None else lattice.rows_like(gone),
        dropped=lattice.classes.ids < 0,
        sensitive=lattice.sensitive,
        levels=lattice.named(best.node),
        loss=problem.loss.loss(best.cost),
        evaluations=len(found),
        l=None if requirements.c is None else int(requirements.l or 1),
        kind=requirements.kind,
        classes=lattice.classes_shown(best.node) if lattice.sensitive is None else None,
    )


def _trace(
    problem: Problem, found: Sequence[Found], search: Search | None = None
) -> pd.DataFrame:
    """What became of each node, in the order in which it was settled."""
    shape = problem.lattice.shape
    place = np.array([one.rank % problem.lattice.nodes for one in found])
    feasible = [one.feasible for one in found]
    losses = [problem.loss.loss(one.cost) if one.feasible else np.nan for one in found]
    seen = pd.DataFrame(
        {
            "step": np.arange(1, len(found) + 1),
            "fate": "evaluated",
            "loss": losses,
            "suppressed": pd.array([one.suppressed for one in found], dtype="Int64"),
            "feasible": pd.array(feasible, dtype="boolean"),
        },
        index=place,
    )
    if search is not None:
        others = np.setdiff1d(np.arange(problem.lattice.nodes), place)
        out = search.bounds[others] >= OUT
        fates = np.where(out, "infeasible", "bounded")
        rest = pd.DataFrame({"step": search.steps[others], "fate": fates}, index=others)
        rest["feasible"] = pd.array([False if one else None for one in out], dtype="boolean")
        seen = pd.concat([seen, rest]) if len(rest) else seen
    seen = seen.sort_values("step", kind="stable")
    levels = np.unravel_index(seen.index.to_numpy(), shape) if shape else ()
    names = [column.name for column in problem.lattice.columns]
    seen.index = pd.MultiIndex.from_arrays(levels, names=names) if shape else pd.RangeIndex(1)
    return seen


TIE = 1e-12
"""Costs this close to each other, relative to them, count as equal."""


STEP = 0.02
"""How fast the height at which nodes above are tried follows success and failure."""


NODES_FOR_PAIRS = 1000
"""Nodes from which looks are saved that cost more than tables of two columns."""


KEPT_BYTES = 1 << 26
"""Memory for the rows that nodes suppress."""


class Found(NamedTuple):
    """A node that was looked at."""

    rank: int
    """Order among equal costs: by the sum of the levels, then by the levels."""
    node: Levels
    cost: float
    suppressed: int
    feasible: bool


class Problem:
    """What is searched for: the arguments, checked and encoded."""

    def __init__(
        self,
        asked: Requirements,
        suppression_limit: float,
        loss: Any,
        data: Any,
        quasi_identifiers: Any,
        hierarchies: Any,
        sensitive: Any,
        missing: str,
        levels: Any = None,
    ) -> None:
        if not callable(loss):
            if not isinstance(loss, str):
                raise TypeError(
                    f"loss must be 'loss', 'average_class_size' or a function of a"
                    f" LatticeNode; got {type(loss).__name__}."
                )
            check_choice(loss, "loss", tuple(LOSSES))
        self.requirements = asked.checked(sensitive=sensitive is not None)
        self.lattice = Lattice(
            data, quasi_identifiers, hierarchies, sensitive, missing, levels
        )
        if sensitive is not None:  # complains of a kind that cannot be measured
            self.requirements.distances(self.lattice.classes)
        self.limit = check_suppression_limit(suppression_limit, self.lattice.records)
        """Records that may be suppressed."""
        about = (self.lattice, self.requirements, self.limit)
        self.loss: Loss = AskedLoss(*about, loss) if callable(loss) else LOSSES[loss](*about)

    def look(self, part: Part, node: Levels) -> Outcome:
        """Count the classes of a node, and judge them."""
        return Outcome(self.lattice, part, node, self.requirements, self.limit)

    def found(self, node: Levels, outcome: Outcome) -> Found:
        """Cost a node."""
        cost = self.loss.cost(node, outcome) if outcome.feasible else OUT
        rank = sum(node) * self.lattice.nodes + self.lattice.place(node)
        return Found(rank, node, cost, outcome.suppressed, outcome.feasible)


def best_of(found: Sequence[Found]) -> Found | None:
    """Feasible node of least cost; of equal ones, the first by rank."""
    feasible = [one for one in found if one.feasible]
    least = min((one.cost for one in feasible), default=OUT)
    return min((one for one in feasible if one.cost <= least + TIE * abs(least)), default=None)


def sweep(problem: Problem, bar: tqdm[Any]) -> Iterator[Found]:
    """Look at every node, each from the classes of a node one level below."""
    lattice = problem.lattice
    todo: list[tuple[Levels, int, Part]] = [((0,) * len(lattice.shape), 0, lattice.bottom)]
    while todo:
        node, first, part = todo.pop()
        outcome = problem.look(part, node)
        yield problem.found(node, outcome)
        bar.update()
        # Columns are raised in their order, so each node has one way to be reached.
        higher = [j for j in range(first, len(node)) if node[j] + 1 < lattice.shape[j]]
        if higher:
            part = roll_up(outcome.counted)
            todo += [((*node[:j], node[j] + 1, *node[j + 1 :]), j, part) for j in higher]


class Search:
    """Looks at nodes until none is left that may be better than the best.

    Levels of two columns that are out of the question by themselves are so at first. Then the
    node of the least bound is next. Unless its cost is known, it is not looked at itself at
    first: a node above it, if it suppresses enough, settles it and many others. Such nodes are
    on a way up from it that is drawn anew each time, at a height that is learnt, lower after
    each failure. What is drawn (from a fixed seed) decides how fast the best node is found,
    never which.
    """

    def __init__(self, problem: Problem, bar: tqdm[Any], *, trace: bool) -> None:
        self.problem, self.lattice, self.bar = problem, problem.lattice, bar
        shape = np.array(self.lattice.shape, np.int64)
        self.top = shape - 1
        self.strides = np.array(self.lattice.strides, np.int64)
        self.bounds = np.ascontiguousarray(problem.loss.start()).reshape(-1)
        self.cube = self.bounds.reshape(self.lattice.shape)  # the same, an axis per column
        sums = spread_out([np.arange(height) for height in shape], np.add)
        self.ranks = sums.reshape(-1) * self.lattice.nodes + np.arange(self.lattice.nodes)
        self.sizes = np.zeros((len(shape), max(shape, default=0)))
        for j, column in enumerate(self.lattice.columns):
            self.sizes[j, : shape[j]] = np.log(column.widths)
        self.found: list[Found] = []
        self.best: Found | None = None
        self.tried = np.zeros(self.lattice.nodes, bool)
        self.steps: Any = np.zeros(self.lattice.nodes, np.int64) if trace else None
        """After how many looks each node was settled, if that is to be kept."""
        self.memory = _Memory(problem)
        asked = problem.requirements
        self.known = problem.limit == 0 and problem.loss.exact and not asked.beyond_counting
        """Whether a bound is the cost, so that a look at a higher node tells nothing of it."""
        pairs = self.lattice.nodes >= NODES_FOR_PAIRS and problem.limit < self.lattice.records
        if pairs:
            for pair, out in hopeless_pairs(self.lattice, asked.k, problem.limit):
                others = [j for j in range(len(shape)) if j not in pair]
                self.cube.transpose([*pair, *others])[out] = OUT
        self.height = 0.6 if pairs and not problem.limit else 0.5
        self.down = STEP if problem.limit else 5 * STEP
        self.draw = np.random.default_rng(0)

    def run(self) -> list[Found]:
        """Search; return every node that was looked at."""
        while (place := self._next()) is not None:
            self._settle(place)
        self._follow()
        return self.found

    def _open(self, at: Any = ...) -> Any:
        """Whether nodes, all or one, may still be the best."""
        bounds = self.bounds[at]
        if self.best is None or not self.problem.loss.bounded:
            return bounds < OUT
        cost, rank = self.best.cost, self.best.rank
        return (bounds < cost) | ((bounds <= cost * (1 + TIE)) & (self.ranks[at] < rank))

    def _next(self) -> int | None:
        """Open node of the least bound, if there is one."""
        place = int(self.bounds.argmin())
        if self._open(place):
            return place
        level = np.flatnonzero(self._open())
        return int(level[self.ranks[level].argmin()]) if len(level) else None

    # This is a best-first branch and bound, whose bounds come from above. A class with too few
    # records at a node falls into classes with even fewer at every finer node, so what a node
    # must suppress is suppressed at all nodes below it. One look at a coarse node therefore
    # bounds the cost of everything below it, where a look at the candidate, which is usually
    # fine, bounds few other nodes. It is the predictive tagging of OLA (reference 1 of
    # `optimal_generalisation`), with least costs in place of yes and no.
    #
    # How high to look is a trade-off: a high node has more nodes below it, but suppresses
    # less, and may not settle the candidate. `height` (1 is the candidate, 0 the top, as a
    # share of the logarithm of the number of combinations of labels) follows a staircase
    # procedure: steps further up after a success of the first look and further down after a
    # failure. Equal steps keep it where about half of the first looks succeed, which is best
    # where a failure bounds costs. Where nobody may be suppressed it tells nothing, and longer
    # steps down keep it where most succeed: 6 to 23 % fewer looks. What pairs of columns leave
    # open there is near the border, so looks begin lower.
    def _settle(self, place: int) -> None:
        """Look at nodes above a node, ever lower, until it is out of the question or seen."""
        node = np.array(np.unravel_index(place, self.lattice.shape), np.int64)
        if self.known:
            self._look(node, place)
            return
        if self._combine(node) and self._next() != place:
            return
        way, size = self._way_up(node)
        places = way @ self.strides
        seen = self.tried[places].nonzero()[0]  # and did not settle it
        end, floor, first = (int(seen[0]) if len(seen) else len(places)) - 1, 0.0, True
        while end >= 0:
            goal = floor + (size[0] - floor) * self.height
            here = min(max(int(np.count_nonzero(size >= goal)) - 1, 0), end)
            self._look(way[here], int(places[here]))
            settled = not self._open(place)
            if first:
                step = -STEP if settled else self.down
                self.height = min(max(self.height + step, STEP), 1 - STEP)
            if settled or (self._combine(node) and not self._open(place)):
                return
            first, end, floor = False, here - 1, size[here]

    def _way_up(self, node: IntArray) -> tuple[IntArray, FloatArray]:
        """Nodes from a node to the top, one level at a time; logarithms of their labels."""
        columns = np.arange(len(node))
        steps = self.draw.permutation(columns.repeat(self.top - node))
        way = np.zeros((len(steps) + 1, len(node)), np.int64)
        way[0], way[1:] = node, steps[:, None] == columns
        way.cumsum(axis=0, out=way)
        return way, self.sizes[columns, way].sum(axis=1)

    def _look(self, levels: IntArray, place: int) -> None:
        """Look at a node, and learn of others."""
        node = tuple(levels.tolist())
        outcome = self.problem.look(self.lattice.bottom, node)
        self.tried[place] = True
        found = self.problem.found(node, outcome)
        self.found.append(found)
        mine, best = (found.cost, found.rank), self.best
        if found.feasible and (best is None or mine < (best.cost, best.rank)):
            self.best = found
        if outcome.ruled_out:
            self.cube[below(node)] = OUT
        else:
            self._raise(self.problem.loss.bounds(node, outcome))
            self.memory.keep(levels, outcome)
        self.bounds[place] = OUT
        self._follow()

    def _combine(self, node: IntArray) -> bool:
        """Bound the nodes below several that were seen by all that these suppress together.

        Returns whether any bound may have changed.
        """
        meet, rows, lost = self.memory.suppressed_by_nodes_above(node)
        if rows is None:
            return False
        if lost > self.problem.limit:
            self.cube[below(meet)] = OUT
        elif self.best is not None and self.problem.loss.may_reach(self.best.cost, node, lost):
            self._raise(self.problem.loss.bounds_below(meet, rows, lost))
        return True

    def _raise(self, bounds: list[Bounds]) -> None:
        for where, least in bounds:
            self.cube[where] = np.maximum(self.cube[where], least)

    def _follow(self) -> None:
        """Keep track of what is settled, for who wants to see it."""
        if self.steps is not None:
            self.steps[(self.steps == 0) & ~self._open()] = len(self.found)
        if not self.bar.disable:
            closed = self.lattice.nodes - int(np.count_nonzero(self._open()))
            self.bar.update(closed - self.bar.n)


class _Memory:
    """Which distinct rows nodes cannot but suppress, a bit each."""

    def __init__(self, problem: Problem) -> None:
        self.lattice, lattice = problem.lattice, problem.lattice
        self.rows = len(lattice.bottom.records)
        # Nodes above one candidate suppress different rows, and below the greatest node that
        # lies below all of them (their meet) the union of these rows is suppressed. That union
        # says more than each node alone in two cases. A loss that combines costs every
        # suppressed record, so one more record matters. Any other loss is concerned only if
        # the union is above the limit, which makes everything below infeasible; that cannot
        # happen if all records may be suppressed, and a node that suppresses more than none
        # does it alone.
        self.worth: float = 0 if problem.loss.combines else problem.limit
        """Records that must be suppressed in all to matter; infinite if none ever do."""
        if problem.limit == 0 or self.worth == lattice.records:
            self.worth = math.inf
        self.count = 0
        """Nodes that are kept; then their levels, rows, and records of these rows."""
        self.levels = np.zeros((64, len(lattice.shape)), np.int64)
        self.bits = np.zeros((64, -(-self.rows // 8)), np.uint8)
        self.lost = np.zeros(64, np.int64)

    def keep(self, levels: IntArray, outcome: Outcome) -> None:
        """Keep what was seen at a node."""
        at, room = self.count, self.count * self.rows < 8 * KEPT_BYTES
        if outcome.lost and room and self.worth < math.inf:
            if at == len(self.lost):
                kept = self.levels, self.bits, self.lost
                more = (np.concatenate([one, np.zeros_like(one)]) for one in kept)
                self.levels, self.bits, self.lost = more
            self.levels[at], self.lost[at] = levels, outcome.lost
            self.bits[at] = np.packbits(outcome.counted.groups.marks(outcome.hopeless))
            self.count += 1

    def suppressed_by_nodes_above(self, node: IntArray) -> tuple[Levels, IntArray | None, int]:
        """Distinct rows that several nodes above suppress, and their records.

        All of them are suppressed at the greatest node that lies below all these nodes, and
        below it. None if the nodes are too few, or suppress no more records than `worth`.
        """
        if self.count < 2:
            return (), None, 0
        at_least = self.levels[: self.count] >= node
        above = np.asarray(at_least.all(axis=1)).nonzero()[0]
        if len(above) < 2 or self.lost.take(above).sum() <= self.worth:
            return (), None, 0
        together = np.bitwise_or.reduce(self.bits.take(above, axis=0))
        rows = np.unpackbits(together, count=self.rows).view(bool).nonzero()[0]
        meet = tuple(self.levels[above].min(axis=0).tolist())
        return meet, rows, int(self.lattice.bottom.records.take(rows).sum())
