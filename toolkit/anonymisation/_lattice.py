"""Nodes of the generalisation lattice: their classes, suppressed records and losses.

A node is one level per quasi-identifier. Rows that agree on all quasi-identifiers stay
together at every node, so each of them is looked at once, with the number of its records; and
the classes of a node are made up of those of any node below.

A loss knows the cost of a node, a number in the order of the loss itself, and from what was
seen at one node it knows least costs of others: of all nodes below, or of all nodes above.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import Encoded, encode_column, group_by_first_row, numbered, totals
from .._old.classes import Asked, EquivalenceClasses
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    check_hierarchy,
    check_quasi_identifiers,
    check_sensitive,
    check_table,
    listed,
)
from .hierarchies import check_hierarchies
from .release import SLACK, ClassCounts, Requirements, check_partition_policy

Levels = tuple[int, ...]


Pairs = tuple[IntArray, IntArray, FloatArray]
"""Class, sensitive value and records of each pair that occurs, in the order of the classes."""


MOST_NODES = 1 << 25
"""Nodes of a lattice that are looked at: their bounds alone take 8 bytes each."""


ENTRIES_PER_ROW = 4
"""A counting table pays up to this many entries per row."""


CACHED_BYTES = 1 << 26
"""Memory for halves of keys that are kept for later nodes."""


LARGEST_HALF = 1 << 31
"""Numbers up to this are put together without closing gaps: two of them fit 62 bits."""


# The table, read once


class Column:
    """A quasi-identifier and its hierarchy, with a number for each label on each level."""

    def __init__(
        self,
        classes: EquivalenceClasses,
        j: int,
        position: int,
        hierarchy: Any,
        levels: Any = None,
    ) -> None:
        self.name, self.position = classes.quasi_identifiers[j], position
        values, self.values = classes.values[j], classes.codes[j].astype(np.int64)
        """Value of each distinct row."""
        if classes.dropped:  # their values have no class, and need no row in the hierarchy
            there = np.bincount(self.values, minlength=len(values)) > 0
            values, self.values = values[there], (np.cumsum(there) - 1).take(self.values)
        cells, labels, row = check_hierarchy(hierarchy, values, self.name)
        self.levels = allowed_levels(levels, cells.shape[1], self.name)
        """Levels of the hierarchy that may be used."""
        cells, labels = cells[:, self.levels], [labels[level] for level in self.levels]
        self.leaves = len(cells)
        """Values of the hierarchy, also those that the table does not hold."""
        self.labels: AnyArray = cells[row]
        """Labels of each value that the table holds, a column per level."""
        spread, numbers = [], []
        self.widths: list[int] = []
        """Per level, how many labels the table shows."""
        for label in labels:
            of_value, values_under = label.take(row), np.bincount(label)
            shown = np.bincount(of_value) > 0
            spread.append(values_under.take(of_value))
            numbers.append((np.cumsum(shown) - 1).take(of_value))
            self.widths.append(int(np.count_nonzero(shown)))
        self.spread: IntArray = np.array(spread)
        """Values of the hierarchy under the label of each value, a row per level."""
        self.numbers: IntArray = np.array(numbers)
        """Number of the label of each value, a row per level."""
        self.kept: dict[int, IntArray] = {}

    def code(self, level: int) -> IntArray:
        """Number of the label of each distinct row, kept once it was asked for."""
        if level not in self.kept:
            kind = np.min_scalar_type(self.widths[level] - 1)
            self.kept[level] = self.numbers[level].astype(kind).take(self.values)
        return self.kept[level]

    def shown(self, level: int) -> pd.Series:
        """Labels of the values as a release shows them."""
        return pd.Series(self.labels[:, level].tolist())


@dataclass(frozen=True, eq=False)
class Part:
    """Classes of a node, of which those of nodes above are made up.

    At the bottom of the lattice, where no label is coarser than a value, they are the distinct
    rows.
    """

    records: FloatArray
    """Records of each class."""
    pairs: Pairs | None
    rows: IntArray | None = None
    """A distinct row of each class; None at the bottom."""


def allowed_levels(given: Any, levels: int, name: Hashable) -> list[int]:
    """Levels of a column that may be used, from the finest; all by default."""
    if given is None:
        return list(range(levels))
    allowed = sorted({*([given] if isinstance(given, int) else given)})
    if not allowed or not 0 <= allowed[0] <= allowed[-1] < levels:
        raise ValueError(
            f"levels of {name!r} must be from 0 to {levels - 1}, at least one; got {given!r}."
        )
    return allowed


class Lattice:
    """A table and its hierarchies, encoded: every later step works on whole numbers."""

    def __init__(
        self,
        data: Any,
        quasi_identifiers: Any,
        hierarchies: Any,
        sensitive: Any,
        missing: Any,
        levels: Any = None,
    ) -> None:
        positions = check_quasi_identifiers(check_table(data), quasi_identifiers)
        check_partition_policy(missing)
        names = list(data.columns[positions])
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(
                f"quasi_identifiers: several columns are called {listed(twice)}, but levels"
                f" are told by names; rename them."
            )
        tables = check_hierarchies(hierarchies, names) if names else []
        secret = None if sensitive is None else check_sensitive(data, sensitive, positions)
        secrets = [] if secret is None else [secret]
        classes = Asked(data, positions).classify(secrets, missing)
        self.data: pd.DataFrame = data
        self.classes: EquivalenceClasses = classes
        allowed = dict(levels or {})
        strange = [name for name in allowed if name not in names]
        if strange:
            raise ValueError(
                f"levels names {listed(strange)}; the quasi-identifiers are {listed(names)}."
            )
        self.columns = [
            Column(classes, j, position, table, allowed.get(names[j]))
            for j, (position, table) in enumerate(zip(positions, tables, strict=True))
        ]
        self.sensitive = secret
        """Position of the sensitive column."""
        self.records: int = classes.n_records
        """Records that are to be anonymised."""
        self.shape: Levels = tuple(len(column.widths) for column in self.columns)
        """Levels of each column."""
        self.nodes = math.prod(self.shape)
        """Nodes of the lattice."""
        if self.nodes > MOST_NODES:
            raise ValueError(
                f"the hierarchies make a lattice of {self.nodes:,} nodes, more than"
                f" {MOST_NODES:,}; leave out levels or quasi-identifiers."
            )
        self.strides = tuple(math.prod(self.shape[j + 1 :]) for j in range(len(self.shape)))
        """How far apart nodes are that differ by one level of a column."""
        pairs = None
        if secrets:
            found = classes.sensitive
            pairs = (found.of_class, found.of_value, found.records.astype(float))
        self.bottom = Part(classes.sizes.astype(float), pairs)
        self.halves: dict[Any, tuple[IntArray, int]] = {}
        """Keys of some of the columns."""

    def place(self, node: Levels) -> int:
        """Number of a node, the last column varying fastest."""
        return sum(map(operator.mul, node, self.strides))

    def named(self, node: Levels) -> dict[Hashable, int]:
        """Levels of a node by the names of the columns."""
        pairs = zip(self.columns, node, strict=True)
        return {column.name: column.levels[level] for column, level in pairs}

    def generalised(self, node: Levels) -> pd.DataFrame:
        """All rows of the table with the labels of a node."""
        treated, ids = self.data.copy(deep=False), self.classes.ids.astype(np.intp)
        cells: dict[Any, Any] = {}
        for column, level in zip(self.columns, node, strict=True):
            if column.levels[level]:
                label = column.labels[0, level]
                one_text = column.widths[level] == 1 and isinstance(label, str)
                key = label if one_text else column.position
                if key not in cells:  # columns that show nothing but the same text share it
                    cells[key] = column.shown(level).array.take(column.values.take(ids))
                treated.isetitem(column.position, cells[key])
        return treated

    def classes_shown(self, node: Levels) -> IntArray:
        """Class of each row of `generalised`, from its labels as they are shown.

        A cell shows the label of its value, so comparing the labels compares the cells.
        """
        codes, held = [], []
        for column, level in zip(self.columns, node, strict=True):
            if column.widths[level] > 1:  # one label for all tells no rows apart
                different: Any = range(column.widths[level])
                code = column.code(level)
                if column.levels[level] and not all(
                    isinstance(one, str) for one in column.labels[:, level]
                ):
                    of_value, different = encode_column(column.shown(level))
                    code = of_value.take(column.values)
                codes.append(code)
                held.append(different)
        ids, _ = numbered(Encoded(codes, held, len(self.bottom.records)))
        return ids.take(self.classes.ids)

    def rows_like(self, distinct: IntArray) -> BoolArray:
        """Mark the rows of the table that equal one of some distinct rows."""
        marked = np.zeros(len(self.bottom.records) + 1, bool)  # the last is for dropped rows
        marked[distinct] = True
        return marked[self.classes.ids]


# Classes of a node


class Groups:
    """Equal keys: the records of each group, and who is in which."""

    def __init__(self, key: IntArray, radix: int, records: FloatArray) -> None:
        """Group keys in [0, radix), which may be overwritten."""
        self.ids, self.keys = key, None
        """Group of each member; key of each group, None where the group is the key and may be
        empty."""
        if radix > max(ENTRIES_PER_ROW * key.size, 1 << 12):
            kept = key.copy()
            found = group_by_first_row(None, key, radix)
            self.ids, radix, self.keys = found.ids, found.count, kept.take(found.first)
        self.sizes = totals(self.ids, records, radix)
        """Records of each group; 0 for an empty one."""

    def marks(self, marked: BoolArray) -> BoolArray:
        """Whether each member is in one of the marked groups."""
        return marked.take(self.ids)

    def members(self, marked: BoolArray) -> IntArray:
        """Members of the marked groups."""
        return self.marks(marked).nonzero()[0]


def _key(lattice: Lattice, part: Part, node: Levels) -> tuple[IntArray, int]:
    """A number for each class of a part, equal where all labels are; and their bound."""
    if part.rows is None:
        key, radix = _some_columns(lattice, 0, node)
    else:
        key, radix = np.zeros(len(part.rows), np.int64), 1
        for column, level in zip(lattice.columns, node, strict=True):
            label = column.code(level)[part.rows], column.widths[level]
            key, radix = _joined((key, radix), label)
    return key.astype(np.int64, copy=False), radix


def _some_columns(lattice: Lattice, start: int, node: Levels) -> tuple[IntArray, int]:
    """Key of the columns from one on; halves of it are kept for nodes that agree on them."""
    if len(node) < 2:
        rows = len(lattice.bottom.records)
        if not node:
            return np.zeros(rows, np.int64), 1
        column = lattice.columns[start]
        return column.code(node[0]), column.widths[node[0]]
    cut = len(node) // 2
    halves = []
    for first, levels in ((start, node[:cut]), (start + cut, node[cut:])):
        half = lattice.halves.get((first, levels))
        if half is None:
            half = lattice.halves[first, levels] = _some_columns(lattice, first, levels)
        halves.append(half)
    if len(lattice.halves) * len(lattice.bottom.records) * 8 > CACHED_BYTES:
        lattice.halves.clear()
    return _joined(*halves)


def _joined(left: tuple[IntArray, int], right: tuple[IntArray, int]) -> tuple[IntArray, int]:
    """Put two keys into one."""
    if min(left[1], right[1]) == 1:
        return left if right[1] == 1 else right
    (key, low), (other, high) = _squeezed(*left), _squeezed(*right)
    radix = low * high
    key = np.multiply(key, high, dtype=np.min_scalar_type(radix - 1))
    key += other
    return key, radix


def _squeezed(key: IntArray, radix: int) -> tuple[IntArray, int]:
    """Close the gaps between numbers that are too large to be put together with others."""
    if radix <= LARGEST_HALF:
        return key, radix
    keys, ids = np.unique(key, return_inverse=True)
    return ids.astype(np.min_scalar_type(len(keys) - 1)), len(keys)


class Counted:
    """Classes of a node, as groups of the classes of a part: of any node below."""

    def __init__(self, lattice: Lattice, part: Part, node: Levels) -> None:
        self.part, self.pairs = part, None
        """The groups are the classes of the pairs."""
        self.groups = groups = Groups(*_key(lattice, part, node), part.records)
        if part.pairs is not None:
            of_class, of_value, records = part.pairs
            values = len(lattice.classes.sensitive.values)
            key = groups.ids[of_class].astype(np.int64) * values + of_value
            found = Groups(key, len(groups.sizes) * values, records)
            there = np.flatnonzero(found.sizes) if found.keys is None else found.keys.argsort()
            keys = there if found.keys is None else found.keys[there]
            self.pairs = (keys // values, keys % values, found.sizes[there])


def roll_up(counted: Counted) -> Part:
    """Take the classes of a node as a part, to count those of nodes above."""
    groups, part, pairs = counted.groups, counted.part, counted.pairs
    sizes, of_member = groups.sizes, groups.ids
    if groups.keys is None:  # some groups may be empty
        there = np.flatnonzero(sizes)
        number = np.zeros(len(sizes), np.int64)
        number[there] = np.arange(len(there))
        sizes, of_member = sizes[there], number[of_member]
        pairs = None if pairs is None else (number[pairs[0]], *pairs[1:])
    rows = np.empty(len(sizes), np.int64)
    rows[of_member] = np.arange(len(of_member)) if part.rows is None else part.rows
    return Part(sizes, pairs, rows)


# Who is suppressed at a node


class Outcome:
    """What the requirements make of the classes of a node.

    Whole classes are suppressed until those that are left satisfy all requirements: first the
    hopeless ones; then, as long as there are any, all that miss a requirement. What is
    measured is the table that is left: closeness compares with it, so it is measured anew each
    time.
    """

    def __init__(
        self,
        lattice: Lattice,
        part: Part,
        node: Levels,
        requirements: Requirements,
        limit: int,
    ) -> None:
        self.counted = counted = Counted(lattice, part, node)
        sizes, pairs, n = counted.groups.sizes, counted.pairs, lattice.records
        self.hopeless: BoolArray = sizes < requirements.k
        """Groups with too few records or values: their records are suppressed at every node
        below, too."""
        if pairs is not None and requirements.distinct > 1:
            values = np.bincount(pairs[0], minlength=len(sizes))
            self.hopeless |= values < requirements.distinct
        self.hopeful = sizes.take((~self.hopeless).nonzero()[0])
        """Records of each other class."""
        self.lost = n - int(self.hopeful.sum())
        """Records of hopeless groups."""
        self.gone = self.hopeless
        """Groups that are suppressed."""
        self.suppressed = self.lost
        """Records that are suppressed; of a node that is not feasible, at least so many."""
        self.ruled_out: Any = self.lost > limit
        """Whether no node below is feasible."""
        most = min(limit, n - 1)  # beyond it nothing is left to be measured
        while pairs is not None and requirements.beyond_counting and self.suppressed <= most:
            classes, groups = _left(lattice, pairs, self.gone)
            missed = requirements.violated(classes)
            if not missed.any():
                break
            self.gone = self.gone.copy()
            self.gone[groups[missed]] = True
            self.suppressed += int(classes.sizes[missed].sum())
            # With nothing suppressed, parts that satisfy all satisfy them together.
            self.ruled_out = limit == 0 and requirements.violated(classes, 2 * SLACK).any()
        self.feasible = self.suppressed <= limit

    @property
    def class_sizes(self) -> IntArray:
        """Records of each class that is left."""
        return self.counted.groups.sizes[~self.gone].astype(np.int64)

    @cached_property
    def lost_members(self) -> IntArray:
        """Classes of the part that are in hopeless groups."""
        return self.counted.groups.members(self.hopeless)

    @cached_property
    def gone_members(self) -> IntArray:
        """Classes of the part that are suppressed."""
        if self.gone is self.hopeless:
            return self.lost_members
        return self.counted.groups.members(self.gone)


def _left(lattice: Lattice, pairs: Pairs, gone: BoolArray) -> tuple[ClassCounts, IntArray]:
    """Count the records that are left; also the group of each class."""
    left = ~gone[pairs[0]]
    of_class, of_value, records = pairs[0][left], pairs[1][left], pairs[2][left]
    number, whole = np.cumsum(~gone) - 1, records.astype(np.int64)
    known = lattice.classes.sensitive
    counts = ClassCounts.of_pairs(known, number[of_class], of_value, whole)
    return counts, np.flatnonzero(~gone)


PAIR_CELLS = 1 << 16
"""Combinations of two columns' values up to which these columns are counted on their own."""


FEW_VALUES = 1 << 8
"""Values, of one column or of several together, up to which a matrix of 0 and 1 is small."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """Columns whose combined values are counted together: fewer passes over the rows."""

    columns: list[int]
    code: IntArray
    """Combined value of each distinct row."""
    numbers: Any
    """Rows of numbers of each column, one after the other; an entry per combined value."""


def in_bundles(
    columns: Sequence[Column],
    order: Sequence[int],
    numbers: Callable[[Column], Any],
    most: int,
) -> list[Bundle]:
    """Put columns into bundles, in some order, of at most so many combined values each."""
    bundles: list[Bundle] = []
    for j in order:
        found = Bundle([j], columns[j].values, numbers(columns[j]))
        size = found.numbers.shape[1]
        if bundles and (before := bundles[-1].numbers.shape[1]) * size <= most:
            other = bundles.pop()
            rows = other.numbers.repeat(size, axis=1), np.tile(found.numbers, before)
            code = other.code * size + found.code
            found = Bundle([*other.columns, j], code, np.vstack(rows))
        bundles.append(found)
    return bundles


def hopeless_pairs(
    lattice: Lattice, k: int, limit: int
) -> Iterator[tuple[tuple[int, int], BoolArray]]:
    """Levels of two columns at which these alone make more records hopeless than may go.

    A class of two columns is made up of whole classes of all columns. If those of fewer than k
    records hold more than the limit, no node with these levels is feasible, whatever the
    levels of the others: the subset property of Incognito (K. LeFevre, D. J. DeWitt and R.
    Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005). With a row of
    0 and 1 for each label of each level, M, the classes at all pairs of levels are M T M' of
    the one table T of the two columns' values. It is made of bundles of columns, so that it
    has all pairs of a column of one and a column of the other.
    """
    columns = lattice.columns
    few = sorted(range(len(columns)), key=lambda j: columns[j].spread.shape[1])
    most = columns[few[-1]].spread.shape[1] if few else 1
    bundles = in_bundles(columns, few, _labels, min(FEW_VALUES, PAIR_CELLS // most))
    starts, levels = [], []
    for bundle in bundles:
        widths = [width for j in bundle.columns for width in columns[j].widths]
        starts.append(np.cumsum([0, *widths[:-1]]))
        ends = np.cumsum([0, *(len(columns[j].widths) for j in bundle.columns)]).tolist()
        places = map(slice, ends[:-1], ends[1:])
        levels.append(list(zip(bundle.columns, places, strict=True)))
    for b, right in enumerate(bundles):
        for a, left in enumerate(bundles[: b + 1]):
            pairs = [(x, y) for x in levels[a] for y in levels[b] if a < b or x[0] < y[0]]
            size = left.numbers.shape[1], right.numbers.shape[1]
            if not pairs or math.prod(size) > PAIR_CELLS:
                continue
            code = left.code * size[1] + right.code
            table = totals(code, lattice.bottom.records, math.prod(size)).reshape(size)
            classes = left.numbers @ table @ right.numbers.T
            classes *= classes < k
            lost = np.add.reduceat(classes, starts[a], axis=0)
            out = np.add.reduceat(lost, starts[b], axis=1) > limit
            for (i, mine), (j, others) in pairs:
                yield (i, j), out[mine, others]


def _labels(column: Column) -> Any:
    """A row for each label of each level, with 1 at each value that it stands for."""
    size, levels = column.spread.shape[1], len(column.widths)
    label = column.numbers + np.cumsum([0, *column.widths[:-1]])[:, None]
    if size > FEW_VALUES:
        from scipy.sparse import csr_array

        value = np.tile(np.arange(size), levels)
        return csr_array((np.ones(label.size), (label.ravel(), value)))
    matrix = np.zeros((sum(column.widths), size))
    matrix[label, np.arange(size)] = 1
    return matrix


Where = tuple[slice, ...]
"""Some nodes, as an index into an array with an axis per column."""


Bounds = tuple[Where, Any]
"""Some nodes, and their least costs: an array, or one number for all."""


GRAIN = 10**10
"""Losses of columns are rounded down to multiples of 1 / GRAIN, as ARX does."""


OUT = 1e300
"""Bound of a node that is out of the question."""


CELLS_AT_ONCE = 1 << 10
"""Combinations of values of several columns that are counted in one pass."""


def below(node: Levels) -> Where:
    """Nodes below a node, itself among them."""
    return tuple([slice(level + 1) for level in node])


def above(node: Levels) -> Where:
    """Nodes above a node, itself among them."""
    return tuple([slice(level, None) for level in node])


def spread_out(parts: Sequence[AnyArray], combine: np.ufunc = np.multiply) -> AnyArray:
    """Combine a number of each column, for all combinations of levels."""
    flat: AnyArray = np.full(1, combine.identity, parts[0].dtype if parts else float)
    for one in reversed(parts):
        flat = combine.outer(one, flat).ravel()
    return flat.reshape([len(one) for one in parts])


class Loss:
    """What the search asks of a loss; this one knows no least costs."""

    bounded = False
    """Whether it knows least costs of nodes that were not looked at."""
    combines = False
    """Whether these depend on which records are suppressed."""
    exact = False
    """Whether `start` is the cost of each node that suppresses nobody."""

    def start(self) -> FloatArray:
        """Least cost of every node, before any was looked at; an axis per column."""
        raise NotImplementedError

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Cost of a feasible node."""
        raise NotImplementedError

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Least costs of other nodes, from what was seen at one."""
        return []

    def may_reach(self, cost: float, node: IntArray, lost: int) -> bool:
        """Whether suppressing so many records at a node may cost that much."""
        return False

    def bounds_below(self, node: Levels, rows: IntArray, lost: int) -> list[Bounds]:
        """Least costs below a node, if some distinct rows (so many records) are suppressed."""
        return []

    def loss(self, cost: float) -> float:
        """Loss of that cost."""
        return cost


class CellLoss(Loss):
    r"""How much of a column's values the cells leave open, as ARX's loss has it.

    The cost is the product of which the loss is a root. It adds up what `openness` averages,
    but in whole numbers, so that a node has the same cost however its classes were counted.
    """

    bounded = combines = exact = True

    def __init__(self, lattice: Lattice, requirements: Requirements, limit: int) -> None:
        self.lattice, self.shape = lattice, lattice.shape
        columns, n = lattice.columns, lattice.records
        ends = np.cumsum([0, *self.shape]).tolist()
        self.places = [slice(*ends[j : j + 2]) for j in range(len(columns))]
        leaves = np.repeat([column.leaves for column in columns], self.shape).astype(np.int64)
        # Sums stay below records x leaves; where that needs more bits, Python's integers.
        small = n * int(leaves.max(initial=1)) < (1 << 62) // GRAIN
        self.kind: Any = np.int64 if small else object
        self.bundles = in_bundles(columns, range(len(columns)), _beyond, CELLS_AT_ONCE)
        everyone = np.arange(len(lattice.bottom.records))
        self.over = n * leaves.astype(self.kind) - self._opened(lattice.bottom, everyone) - n
        self.span = np.maximum(n * (leaves.astype(self.kind) - 1), 1)
        self.last: tuple[Any, list[FloatArray]] = (None, [])
        self.alone = 1 + (self.over / self.span).astype(float)
        self.offsets = np.array(ends[:-1], np.intp)

    def start(self) -> FloatArray:
        """Cost if nothing were suppressed."""
        return spread_out(self._factors(self.over))

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

    def may_reach(self, cost: float, node: IntArray, lost: int) -> bool:
        """Whether suppressing so many records at a node may cost that much.

        It opens all values of a column at the most, so L grows by their share at the most.
        """
        factors = self.alone[self.offsets + node] + lost / self.lattice.records
        return bool(factors.prod() >= cost)

    def bounds_below(self, node: Levels, rows: IntArray, lost: int) -> list[Bounds]:
        """Cost of the levels below with these records suppressed."""
        over = self.over + self._opened(self.lattice.bottom, rows)
        return [self._below(node, self._factors(over))]

    def loss(self, cost: float) -> float:
        """Geometric mean over the columns of 1 + L, less 1."""
        d = len(self.shape)
        return cost ** (1 / d) - 1 if d else 0.0

    def _below(self, node: Levels, factors: list[FloatArray]) -> Bounds:
        where = below(node)
        return where, spread_out([one[at] for one, at in zip(factors, where, strict=True)])

    def _seen(self, part: Part, members: IntArray) -> list[FloatArray]:
        """Factors if these are suppressed; often asked for twice in a row."""
        if members is not self.last[0]:
            self.last = members, self._factors(self.over + self._opened(part, members))
        return self.last[1]

    def _factors(self, over: Any) -> list[FloatArray]:
        """1 + L of every level of every column, of the values that are open beyond one."""
        factors = np.asarray(1 + (over * GRAIN // self.span) / GRAIN, float)
        return [factors[place] for place in self.places]

    def _opened(self, part: Part, rows: IntArray) -> AnyArray:
        """Values that suppressing some classes opens beyond their label, for each level."""
        weight = part.records.take(rows)
        where = rows if part.rows is None else part.rows.take(rows)
        opened = [np.zeros(0)]
        for bundle in self.bundles:
            records = totals(bundle.code.take(where), weight, bundle.numbers.shape[1])
            opened.append(np.einsum("lv,v->l", bundle.numbers, records))
        return np.concatenate(opened).astype(self.kind)


def _beyond(column: Column) -> FloatArray:
    """For each level, the values of the hierarchy outside of the label of each value."""
    return (column.leaves - column.spread).astype(float)


class ClassSize(Loss):
    """Records per class, where all suppressed records are one class.

    At a node below, a class comes apart into as many as its records allow, at most, and into
    as many as there are combinations of labels below its own; at nodes above, new classes are
    only made of what was suppressed.
    """

    bounded = True  # as tightly by the classes alone: `combines` would add nothing

    def __init__(self, lattice: Lattice, requirements: Requirements, limit: int) -> None:
        self.records, self.shape = lattice.records, lattice.shape
        self.columns, self.rows = lattice.columns, len(lattice.bottom.records)
        self.least = max(requirements.k, requirements.distinct)
        """Records of a class that is left, at least."""
        self.more = int(limit > 0)
        """A class of suppressed records, where there may be one."""

    def start(self) -> FloatArray:
        """Cost if each combination of labels were a class."""
        widths = [np.array(column.widths, float) for column in self.columns]
        classes = np.minimum(spread_out(widths), self.records // self.least)
        return np.asarray(self.records / np.maximum(classes + self.more, 1))

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Records per class."""
        left = int(np.count_nonzero(~outcome.gone))
        return self._cost(left + (outcome.suppressed > 0))

    def bounds(self, node: Levels, outcome: Outcome) -> list[Bounds]:
        """Cost of the nodes below, and of those above."""
        if not self.more:  # `start` and what is infeasible say nearly as much
            return []
        left = outcome.hopeful
        joined = self._cost(len(left) + outcome.lost // self.least + self.more)
        # Where each class comes apart into f at most, those with the records for one count one
        # class, those with the records for two another one, and so on up to f; but none comes
        # apart into more than there are distinct rows.
        room = np.minimum(left // self.least, self.rows).astype(np.int64)
        room = np.bincount(room, minlength=1)
        enough = room[:0:-1].cumsum()[::-1]  # classes with the records for 1, 2, ...
        parts = np.concatenate([[0], enough.cumsum()]) + self.more
        costs = self.records / parts
        most = [one[at, : at + 1] for one, at in zip(self.under, node, strict=True)]
        labels = np.minimum(spread_out(most), len(enough))
        return [(below(node), costs.take(labels.astype(np.intp))), (above(node), joined)]

    @cached_property
    def under(self) -> list[FloatArray]:
        """Of each column: how many labels of a level (columns) one of another has at most."""
        found = []
        for column in self.columns:
            found.append(np.ones((len(column.widths), len(column.widths))))
            for fine, width in enumerate(column.widths):
                label = np.empty(width, np.int64)
                for above in range(fine + 1, len(column.widths)):
                    label[column.numbers[fine]] = column.numbers[above]  # levels are nested
                    found[-1][above, fine] = np.bincount(label).max(initial=1)
        return found

    def _cost(self, classes: int) -> float:
        return self.records / max(classes, 1)


@dataclass(frozen=True, eq=False)
class LatticeNode:
    """A node of the lattice, as a function that computes a loss sees it."""

    levels: dict[Hashable, int]
    """Level of each quasi-identifier, 0 for the values themselves."""
    class_sizes: AnyArray
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


class AskedLoss(Loss):
    """A loss that the caller computes: nothing is known of it beforehand."""

    def __init__(
        self, lattice: Lattice, requirements: Requirements, limit: int, function: Any
    ) -> None:
        self.lattice, self.function = lattice, function
        self.requirements, self.limit = requirements, limit

    def start(self) -> FloatArray:
        """Nothing."""
        return np.zeros(self.lattice.shape)

    def cost(self, node: Levels, outcome: Outcome) -> float:
        """Ask the caller."""
        lattice = self.lattice
        levels, sizes = lattice.named(node), outcome.class_sizes

        def frame() -> pd.DataFrame:
            seen = Outcome(lattice, lattice.bottom, node, self.requirements, self.limit)
            left = ~lattice.rows_like(seen.gone_members) & (lattice.classes.ids >= 0)
            return lattice.generalised(node)[left]

        seen = LatticeNode(levels, sizes, outcome.suppressed, lattice.records, frame)
        number = self.function(seen)
        if not isinstance(number, Real) or isinstance(number, (bool, np.bool_)):
            raise TypeError(
                f"loss must return a number for each node; of levels {levels} it said"
                f" {number!r}."
            )
        if math.isnan(number):
            raise ValueError(
                f"loss returned NaN for levels {levels}, which cannot be compared; return"
                f" math.inf for a node that is out of the question."
            )
        return float(number)
