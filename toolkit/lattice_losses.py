"""What is lost at a node of the lattice, and how little can be lost at the others?

A loss knows the cost of a node, a number in the order of the loss itself, and from what was
seen at one node it knows least costs of others: of all nodes below, or of all nodes above.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._validate import check_loss_value
from .grouping import Whole
from .lattice_nodes import (
    Column,
    Floats,
    Lattice,
    Levels,
    Outcome,
    Part,
    count,
    judge,
)
from .releases import Requirements

__all__ = ["AskedLoss", "CellLoss", "ClassSize", "LatticeNode", "Loss", "above", "below"]

Where = tuple[slice, ...]
"""Some nodes, as an index into an array with an axis per column."""

Bounds = tuple[Where, Any]
"""Some nodes, and their least costs: an array, or one number for all."""

GRAIN = 10**10
"""Losses of columns are rounded down to multiples of 1 / GRAIN, as ARX does."""

OUT = 1e300
"""Bound of a node that is out of the question."""

CELLS_AT_ONCE = 4096
"""Combinations of values of several columns that are counted in one pass."""


def below(node: Levels) -> Where:
    """Nodes below a node, itself among them."""
    return tuple([slice(level + 1) for level in node])


def above(node: Levels) -> Where:
    """Nodes above a node, itself among them."""
    return tuple([slice(level, None) for level in node])


def spread_out(factors: Sequence[Floats]) -> Floats:
    """Multiply a factor of each column, for all combinations of levels."""
    flat = np.ones(1)
    for one in reversed(factors):
        flat = np.multiply.outer(one, flat).ravel()
    return flat.reshape([len(one) for one in factors])


class Loss(Protocol):
    """What the search asks of a loss."""

    bounded: bool
    """Whether it knows least costs of nodes that were not looked at."""
    combines: bool
    """Whether these depend on which records are suppressed."""

    def start(self) -> Floats:
        """Least cost of every node, before any was looked at; an axis per column."""

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Cost of a feasible node."""

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Least costs of other nodes, from what was seen at one."""

    def may_reach(self, cost: float, node: Whole, lost: int) -> bool:
        """Whether suppressing so many records at a node may cost that much."""

    def bounds_below(self, node: Levels, rows: Whole, lost: int) -> list[Bounds]:
        """Least costs below a node, if some distinct rows (so many records) are suppressed."""

    def loss(self, cost: float) -> float:
        """Loss of that cost."""


class CellLoss:
    r"""How much of a column's values the cells leave open, as ARX's loss has it.

    The cost is the product of which the loss is a root. All sums are whole numbers, so that a
    node has the same cost however its classes were counted.
    """

    bounded = combines = True

    def __init__(self, lattice: Lattice, requirements: Requirements, limit: int) -> None:
        self.lattice, self.shape = lattice, lattice.shape
        columns, n = lattice.columns, lattice.records
        ends = np.cumsum([0, *self.shape]).tolist()
        self.places = [slice(*ends[j : j + 2]) for j in range(len(columns))]
        leaves = np.repeat([column.leaves for column in columns], self.shape).astype(np.int64)
        # Sums stay below records x leaves; where that needs more bits, Python's integers.
        small = n * int(leaves.max(initial=1)) < (1 << 62) // GRAIN
        self.kind: Any = np.int64 if small else object
        self.bundles = list(_bundles(columns))
        everyone = np.arange(len(lattice.bottom.records))
        opened = self._opened(lattice.bottom, everyone).astype(self.kind)
        self.over = n * leaves.astype(self.kind) - opened - n
        self.span = np.maximum(n * (leaves.astype(self.kind) - 1), 1)
        self.last: tuple[Any, list[Floats]] = (None, [])
        self.alone = 1 + (self.over / self.span).astype(float)
        self.offsets = np.array(ends[:-1], np.intp)

    def start(self) -> Floats:
        """Cost if nothing were suppressed."""
        nobody = np.zeros(0, np.intp)
        return spread_out(self._factors(self.lattice.bottom, nobody))

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Product over the columns of 1 + L."""
        product = 1.0
        factors = self._seen(outcome.counted.part, outcome.gone_members)
        for one, level in zip(reversed(factors), reversed(node), strict=True):
            product = float(one[level]) * product  # in the order of `spread_out`
        return product

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Cost of the levels below with the records suppressed that must be."""
        factors = self._seen(outcome.counted.part, outcome.lost_members)
        return [self._below(node, factors)]

    def may_reach(self, cost: float, node: Whole, lost: int) -> bool:
        """Whether suppressing so many records at a node may cost that much.

        It opens all values of a column at the most, so L grows by their share at the most.
        """
        factors = self.alone[self.offsets + node] + lost / self.lattice.records
        return bool(factors.prod() >= cost)

    def bounds_below(self, node: Levels, rows: Whole, lost: int) -> list[Bounds]:
        """Cost of the levels below with these records suppressed."""
        return [self._below(node, self._factors(self.lattice.bottom, rows))]

    def loss(self, cost: float) -> float:
        """Geometric mean over the columns of 1 + L, less 1."""
        d = len(self.shape)
        return cost ** (1 / d) - 1 if d else 0.0

    def _below(self, node: Levels, factors: list[Floats]) -> Bounds:
        where = below(node)
        return where, spread_out([one[at] for one, at in zip(factors, where, strict=True)])

    def _seen(self, part: Part, members: Whole) -> list[Floats]:
        """Factors if these are suppressed; often asked for twice in a row."""
        if members is not self.last[0]:
            self.last = (members, self._factors(part, members))
        return self.last[1]

    def _factors(self, part: Part, rows: Whole) -> list[Floats]:
        """1 + L of every level of every column, if some classes of a part are suppressed."""
        over = self.over + self._opened(part, rows).astype(self.kind)
        factors = np.asarray(1 + (over * GRAIN // self.span) / GRAIN, float)
        return [factors[place] for place in self.places]

    def _opened(self, part: Part, rows: Whole) -> Floats:
        """Values that suppressing some classes opens beyond their label, for each level."""
        weight = part.records.take(rows)
        where = rows if part.rows is None else part.rows.take(rows)
        opened = np.zeros(sum(self.shape))
        for levels, code, closed in self.bundles:
            records = np.bincount(code.take(where), weight, closed.shape[1])
            opened[levels] = np.einsum("lv,v->l", closed, records)
        return opened


def _bundles(columns: Sequence[Column]) -> Iterator[tuple[slice, Whole, Floats]]:
    """Columns in bundles, whose values are counted together: fewer passes over the rows.

    For each bundle: which levels are its own, of all levels of all columns; the combined value
    of each distinct row; and for each level, how many values of the hierarchy lie outside of
    the label of each combined value.
    """
    start, bundle = 0, list(columns[:1])
    for column in [*columns[1:], None]:
        values = [one.spread.shape[1] for one in bundle]
        if column is not None and np.prod(values) * column.spread.shape[1] <= CELLS_AT_ONCE:
            bundle.append(column)
            continue
        if not bundle:
            return
        cells = np.indices(values).reshape(len(values), -1)
        code = np.ravel_multi_index([one.values for one in bundle], values)
        closed = np.vstack(
            [(one.leaves - one.spread)[:, at] for one, at in zip(bundle, cells, strict=True)]
        )
        yield slice(start, start + len(closed)), np.asarray(code), closed.astype(float)
        start += len(closed)
        bundle = [] if column is None else [column]


class ClassSize:
    """Records per class, where all suppressed records are one class.

    A class that is left has at least so many records, so classes of a node come apart into so
    many at nodes below, at most; and at nodes above, new ones are only made of what was
    suppressed.
    """

    bounded, combines = True, False

    def __init__(self, lattice: Lattice, requirements: Requirements, limit: int) -> None:
        self.records, self.shape = lattice.records, lattice.shape
        self.widths = [np.array(column.widths, float) for column in lattice.columns]
        self.least = max(requirements.k, requirements.distinct)
        self.more = int(limit > 0)
        """A class of suppressed records, where there may be one."""

    def start(self) -> Floats:
        """Cost if each combination of labels were a class."""
        classes = np.minimum(spread_out(self.widths), self.records // self.least)
        return np.asarray(self.records / np.maximum(classes + self.more, 1))

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Records per class."""
        beyond = outcome.gone is not outcome.hopeless
        left = np.count_nonzero(~outcome.gone) if beyond else len(outcome.hopeful)
        return self._cost(int(left) + (outcome.suppressed > 0))

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Cost of the nodes below, and of those above."""
        left = outcome.hopeful
        parts = self._cost(int(np.floor(left / self.least).sum()) + self.more)
        joined = self._cost(len(left) + outcome.lost // self.least + self.more)
        return [(below(node), parts), (above(node), joined)]

    def may_reach(self, cost: float, node: Whole, lost: int) -> bool:
        """`bounds` has said all."""
        return False

    def bounds_below(self, node: Levels, rows: Whole, lost: int) -> list[Bounds]:
        """Nothing that `bounds` has not said."""
        return []

    def loss(self, cost: float) -> float:
        """Return the cost, which is the loss."""
        return cost

    def _cost(self, classes: int) -> float:
        return self.records / max(classes, 1)


@dataclass(frozen=True, eq=False)
class LatticeNode:
    """A node of the lattice, as a function that computes a loss sees it."""

    levels: dict[Hashable, int]
    """Level of each quasi-identifier, 0 for the values themselves."""
    class_sizes: npt.NDArray[Any]
    """Records of each class that is left, in no order that means anything."""
    suppressed: int
    """Records that are suppressed."""
    records: int
    """Records of the table, the suppressed among them."""
    frame: Callable[[], pd.DataFrame] = field(repr=False)

    @cached_property
    def data(self) -> pd.DataFrame:
        """The rows that are left, generalised; made when first asked for."""
        return self.frame()


class AskedLoss:
    """A loss that the caller computes: nothing is known of it beforehand."""

    bounded = combines = False

    def __init__(
        self,
        lattice: Lattice,
        requirements: Requirements,
        limit: int,
        function: Callable[[LatticeNode], Any],
    ) -> None:
        self.lattice, self.function = lattice, function
        self.requirements, self.limit = requirements, limit

    def start(self) -> Floats:
        """Nothing."""
        return np.zeros(self.lattice.shape)

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Ask the caller."""
        lattice = self.lattice
        levels, sizes = lattice.named(node), outcome.class_sizes

        def frame() -> pd.DataFrame:
            counted = count(lattice, lattice.bottom, node)
            gone = judge(lattice, counted, self.requirements, self.limit).gone_members
            left = ~lattice.rows_like(gone) & (lattice.classes.ids >= 0)
            return lattice.generalised(node)[left]

        seen = LatticeNode(levels, sizes, outcome.suppressed, lattice.records, frame)
        return check_loss_value(self.function(seen), levels)

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Nothing."""
        return []

    def may_reach(self, cost: float, node: Whole, lost: int) -> bool:
        """Nobody knows."""
        return False

    def bounds_below(self, node: Levels, rows: Whole, lost: int) -> list[Bounds]:
        """Nothing."""
        return []

    def loss(self, cost: float) -> float:
        """Return the cost, which is the loss."""
        return cost
