"""Which node of the lattice costs least? All of them, or as few as prove it.

Both ways end with the nodes that were looked at, of which `best_of` takes the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from .grouping import Whole
from .lattice_losses import OUT, Bounds, Loss, below
from .lattice_nodes import (
    Floats,
    Lattice,
    Levels,
    Mask,
    Outcome,
    Part,
    count,
    judge,
    roll_up,
)
from .releases import Requirements

__all__ = ["Found", "Problem", "Search", "best_of", "sweep"]

TIE = 1e-12
"""Costs this close to each other, relative to them, count as equal."""

STEP = 0.02
"""How fast the height at which nodes above are tried follows success and failure."""

KEPT_BYTES = 1 << 26
"""Memory for what was seen at nodes, each for suppressed rows and for classes."""


class Found(NamedTuple):
    """A node that was looked at."""

    rank: int
    """Order among equal costs: by the sum of the levels, then by the levels."""
    node: Levels
    cost: float
    suppressed: int
    feasible: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """What is searched for."""

    lattice: Lattice
    requirements: Requirements
    limit: int
    """Records that may be suppressed."""
    loss: Loss

    def look(self, part: Part, node: Levels) -> Outcome:
        """Count the classes of a node, and judge them."""
        counted = count(self.lattice, part, node)
        return judge(self.lattice, counted, self.requirements, self.limit)

    def found(self, node: Levels, outcome: Outcome) -> Found:
        """Cost a node."""
        cost = self.loss.cost(node, outcome) if outcome.feasible else OUT
        rank = sum(node) * self.lattice.nodes + self.lattice.place(node)
        return Found(rank, node, cost, outcome.suppressed, outcome.feasible)


def _order(found: Found) -> tuple[float, int]:
    return found.cost, found.rank


def best_of(found: Sequence[Found]) -> Found | None:
    """Feasible node of least cost; of equal ones, the first by rank."""
    feasible = [one for one in found if one.feasible]
    if not feasible:
        return None
    least = min(one.cost for one in feasible)
    return min(one for one in feasible if one.cost <= least + TIE * abs(least))


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

    The node of the least bound is next. It is not looked at itself at first: a node above it,
    if it suppresses enough, settles it and many others. Such nodes are on a way up from it
    that is drawn anew each time, at a height that is learnt, lower after each failure. What is
    drawn (from a fixed seed) decides how fast the best node is found, never which.
    """

    def __init__(self, problem: Problem, bar: tqdm[Any], *, trace: bool) -> None:
        self.problem, self.lattice, self.bar = problem, problem.lattice, bar
        shape = np.array(self.lattice.shape, np.int64)
        self.top = shape - 1
        self.strides = np.array(self.lattice.strides, np.int64)
        self.bounds = np.ascontiguousarray(problem.loss.start()).reshape(-1)
        self.cube = self.bounds.reshape(self.lattice.shape)  # the same, an axis per column
        sums = np.zeros(1, np.int64)
        for height in reversed(shape):
            sums = np.add.outer(np.arange(height), sums).ravel()
        self.ranks = sums * self.lattice.nodes + np.arange(self.lattice.nodes)
        self.sizes = np.zeros((len(shape), max(shape, default=0)))
        for j, column in enumerate(self.lattice.columns):
            self.sizes[j, : shape[j]] = np.log(column.widths)
        self.found: list[Found] = []
        self.best: Found | None = None
        self.tried = np.zeros(self.lattice.nodes, bool)
        self.steps = np.zeros(self.lattice.nodes, np.int64) if trace else None
        self.memory = _Memory(problem)
        self.height = 0.5
        self.draw = np.random.default_rng(0)

    def run(self) -> list[Found]:
        """Search; return every node that was looked at."""
        while (place := self._next()) is not None:
            self._settle(place)
        self._follow()
        return self.found

    def settled(self) -> tuple[Whole, npt.NDArray[np.str_]]:
        """After how many looks each node was settled, and its fate, if these were kept."""
        steps = np.zeros(0, np.int64) if self.steps is None else self.steps
        fates = np.where(self.bounds < OUT, "bounded", "infeasible")
        return steps, np.where(self.tried, "evaluated", fates)

    @property
    def open(self) -> Mask:
        """Nodes that may still be the best."""
        if self.best is None or not self.problem.loss.bounded:
            return np.asarray(self.bounds < OUT)
        cost, rank = self.best.cost, self.best.rank
        level = (self.bounds <= cost * (1 + TIE)) & (self.ranks < rank)
        return np.asarray((self.bounds < cost) | level)

    def _is_open(self, place: int) -> bool:
        bound = self.bounds[place]
        if self.best is None or not self.problem.loss.bounded:
            return bool(bound < OUT)
        level = bound <= self.best.cost * (1 + TIE) and self.ranks[place] < self.best.rank
        return bool(bound < self.best.cost or level)

    def _next(self) -> int | None:
        """Open node of the least bound, if there is one."""
        place = int(self.bounds.argmin())
        if self._is_open(place):
            return place
        level = np.flatnonzero(self.open)
        return int(level[self.ranks[level].argmin()]) if len(level) else None

    def _settle(self, place: int) -> None:
        """Look at nodes above a node, ever lower, until it is out of the question or seen."""
        node = np.array(np.unravel_index(place, self.lattice.shape), np.int64)
        self._combine(node)
        if self._next() != place:
            return
        way, size = self._way_up(node)
        places = way @ self.strides
        seen = np.flatnonzero(self.tried[places])  # and did not settle it
        end, floor = (int(seen[0]) if len(seen) else len(places)) - 1, 0.0
        first = True
        while end >= 0:
            goal = floor + (size[0] - floor) * self.height
            here = min(max(int(np.count_nonzero(size >= goal)) - 1, 0), end)
            self._look(way[here], int(places[here]))
            settled = not self._is_open(place)
            if first:
                step = -STEP if settled else STEP
                self.height = min(max(self.height + step, STEP), 1 - STEP)
            if not settled:
                self._combine(node)
                settled = not self._is_open(place)
            if settled:
                return
            first, end, floor = False, here - 1, size[here]

    def _way_up(self, node: Whole) -> tuple[Whole, Floats]:
        """Nodes from a node to the top, one level at a time; logarithms of their labels."""
        steps = self.draw.permutation(np.repeat(np.arange(len(node)), self.top - node))
        way = np.zeros((len(steps) + 1, len(node)), np.int64)
        way[0] = node
        way[np.arange(1, len(way)), steps] = 1
        np.cumsum(way, axis=0, out=way)
        return way, self.sizes[np.arange(len(node)), way].sum(axis=1)

    def _look(self, levels: Whole, place: int) -> None:
        """Look at a node, and learn of others."""
        node = tuple(levels.tolist())
        outcome = self.problem.look(self.lattice.bottom, node)
        self.tried[place] = True
        found = self.problem.found(node, outcome)
        self.found.append(found)
        if found.feasible and (self.best is None or _order(found) < _order(self.best)):
            self.best = found
        if outcome.ruled_out:
            self._raise([(below(node), OUT)])
        else:
            self._raise(self.problem.loss.bounds(node, outcome))
            self.memory.keep(levels, outcome)
        self.bounds[place] = OUT
        self._follow()

    def _combine(self, node: Whole) -> None:
        """Bound the nodes below several that were seen by all that these suppress together."""
        if self.memory.worth is None:
            return
        meet, rows, lost = self.memory.suppressed_by_nodes_above(node)
        if rows is None:
            return
        if lost > self.problem.limit:
            self._raise([(below(meet), OUT)])
        elif self.best is not None and self.problem.loss.may_reach(self.best.cost, node, lost):
            self._raise(self.problem.loss.bounds_below(meet, rows, lost))

    def _raise(self, bounds: list[Bounds]) -> None:
        for where, least in bounds:
            self.cube[where] = np.maximum(self.cube[where], least)

    def _follow(self) -> None:
        """Keep track of what is settled, for who wants to see it."""
        if self.steps is not None:
            self.steps[(self.steps == 0) & ~self.open] = len(self.found)
        if not self.bar.disable:
            closed = self.lattice.nodes - int(np.count_nonzero(self.open))
            self.bar.update(closed - self.bar.n)


class _Pile:
    """Nodes, with something kept of each."""

    def __init__(self, columns: int) -> None:
        self.levels = np.zeros((64, columns), np.int64)
        self.kept: list[Any] = []

    def add(self, levels: Whole, thing: Any) -> None:
        if len(self.kept) == len(self.levels):
            self.levels = np.concatenate([self.levels, np.zeros_like(self.levels)])
        self.levels[len(self.kept)] = levels
        self.kept.append(thing)

    def above(self, node: Whole) -> Whole:
        """Numbers of the nodes above a node."""
        return np.flatnonzero((self.levels[: len(self.kept)] >= node).all(axis=1))

    def below(self, node: Whole) -> Whole:
        """Numbers of the nodes below a node."""
        return np.flatnonzero((self.levels[: len(self.kept)] <= node).all(axis=1))


class _Memory:
    """What was seen at nodes that matters at others.

    Of each node, the distinct rows that it cannot but suppress, a bit each; and its classes,
    where they are few enough to spare work at the nodes above.
    """

    def __init__(self, problem: Problem) -> None:
        self.lattice, lattice = problem.lattice, problem.lattice
        self.rows = len(lattice.bottom.records)
        self.worth: int | None = 0 if problem.loss.combines else problem.limit
        """Records that must be suppressed in all to matter; None if none ever do."""
        if self.worth == lattice.records:
            self.worth = None
        self.suppressed = _Pile(len(lattice.shape))

    def keep(self, levels: Whole, outcome: Outcome) -> None:
        """Keep what was seen at a node."""
        room = len(self.suppressed.kept) * self.rows < 8 * KEPT_BYTES
        if outcome.lost and room and self.worth is not None:
            marked = np.zeros(self.rows, bool)
            marked[outcome.lost_members] = True
            self.suppressed.add(levels, (np.packbits(marked), outcome.lost))

    def suppressed_by_nodes_above(self, node: Whole) -> tuple[Levels, Whole | None, int]:
        """Distinct rows that several nodes above suppress, and their records.

        All of them are suppressed at the greatest node that lies below all these nodes, and
        below it. None if the nodes are too few, or suppress no more records than `worth`.
        """
        above = self.suppressed.above(node)
        kept = [self.suppressed.kept[at] for at in above]
        if len(kept) < 2 or sum(lost for _, lost in kept) <= (self.worth or 0):
            return (), None, 0
        together = np.bitwise_or.reduce([bits for bits, _ in kept])
        rows = np.flatnonzero(np.unpackbits(together, count=self.rows).view(bool))
        meet = tuple(self.suppressed.levels[above].min(axis=0).tolist())
        return meet, rows, int(self.lattice.bottom.records.take(rows).sum())
