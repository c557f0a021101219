"""The lattice once more, slowly: pandas groups every node anew, fractions add up its loss."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from tests.oracles.classes import Classes

EQUAL = Fraction(1, 10**12)
CLOSE = Fraction(1, 10**9)


@dataclass
class Task:
    """Rows of quasi-identifiers with the sensitive value last; a table per column."""

    rows: list
    trees: list
    k: int
    limit: Fraction
    l: float | None = None  # noqa: E741
    diversity: str = "distinct"
    c: float | None = None
    t: float | None = None
    ranked: list | None = None
    """Sensitive values in their order; None if all are equally far apart."""


@dataclass
class Node:
    levels: tuple
    kept: list
    """Whether each row is left."""
    sizes: list
    """Records of each class that is left."""
    cells: list
    """Rows with their labels, also the suppressed."""

    @property
    def suppressed(self):
        return self.kept.count(False)


def labelled(task, levels):
    """Rows with the labels of a node."""
    up = [
        {tree[i][0]: tree[i][level] for i in range(len(tree))}
        for tree, level in zip(task.trees, levels, strict=True)
    ]
    return [(*(m[v] for m, v in zip(up, row, strict=False)), row[-1]) for row in task.rows]


def too_bad(task, counts, distance):
    """Whether a class misses a requirement."""
    n = sum(counts.values())
    if n < task.k:
        return True
    if task.l is not None and task.diversity == "distinct" and len(counts) < task.l:
        return True
    if task.l is not None and task.diversity == "entropy":
        nats = -math.fsum(m / n * math.log(m / n) for m in counts.values())
        if math.exp(nats) < task.l * (1 - 1e-9):
            return True
    if task.l is not None and task.diversity == "recursive":
        falling = sorted(counts.values(), reverse=True)
        tail = sum(falling[int(task.l) - 1 :])
        if not tail or Fraction(falling[0], tail) >= Fraction(task.c) * (1 - CLOSE):
            return True
    limit = None if task.t is None else Fraction(task.t)
    return limit is not None and distance > limit + CLOSE * max(limit, CLOSE)


def simply_bad(task, counts):
    """Whether a class has too few records or values, whatever else is asked for."""
    few = 0 if task.l is None else task.l * (1 - 1e-9)
    return sum(counts.values()) < task.k or len(counts) < few


def look(task, levels):
    """Suppress classes at a node, round by round."""
    cells = labelled(task, levels)
    frame = pd.DataFrame([[repr(x) for x in row] for row in cells])
    known = list(frame.columns[:-1])
    group = frame.groupby(known, sort=False).ngroup() if known else frame.index * 0
    members = {g: [i for i, h in enumerate(group) if h == g] for g in set(group)}
    counts = {g: Counter(cells[i][-1] for i in rows) for g, rows in members.items()}
    left = {g for g in members if not simply_bad(task, counts[g])}
    while left:
        table = Classes([(g, cells[i][-1]) for g in sorted(left) for i in members[g]])
        order = [v for v in task.ranked or [] if v in table.all]
        far = table.ordered(order) if task.ranked is not None else table.equal()
        bad = {
            g for g, d in zip(sorted(left), far, strict=True) if too_bad(task, counts[g], d)
        }
        if not bad:
            break
        left -= bad
    kept = [g in left for g in group]
    return Node(levels, kept, [len(members[g]) for g in left], cells)


def cell_loss(task, node):
    """Product over the columns of 1 + L, exactly."""
    n, product = len(task.rows), Fraction(1)
    for j, (tree, level) in enumerate(zip(task.trees, node.levels, strict=True)):
        shares = Counter(repr(row[level]) for row in tree)
        leaves = len(tree)
        if leaves == 1:
            continue
        opened = sum(
            Fraction(shares[repr(row[j])], leaves) if kept else 1
            for row, kept in zip(node.cells, node.kept, strict=True)
        )
        least = Fraction(n, leaves)
        share = (opened - least) / (n - least)
        product *= 1 + Fraction(math.floor(share * 10**10), 10**10)
    return product


def class_size(task, node):
    return Fraction(len(task.rows), max(len(node.sizes) + (node.suppressed > 0), 1))


def feasible(task, allowed):
    """Every node of levels that are allowed that suppresses few enough records."""
    shape = [
        [level for level in range(len(tree[0])) if level in some]
        for tree, some in zip(task.trees, allowed, strict=True)
    ]
    nodes = [look(task, levels) for levels in itertools.product(*shape)]
    most = math.floor(task.limit * len(task.rows))
    return [node for node in nodes if node.suppressed <= most]


def best(task, nodes, cost):
    """Node of least cost, and the cost."""
    found = [(cost(task, node), node) for node in nodes]
    least = min(number for number, _ in found)
    slack = EQUAL * abs(least) if isinstance(least, Fraction) else 1e-12 * abs(least)
    close = [(number, node) for number, node in found if number <= least + slack]
    return min(close, key=lambda pair: (sum(pair[1].levels), pair[1].levels))
