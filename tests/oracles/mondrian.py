"""Mondrian once more, slowly: one region after the other, in plain Python and fractions.

A column is a list of cells, None for a missing one, and a kind: "ordered" (cells that can be
compared), "named" (by their text) or a tree, a list of rows (value, label, …, root) in the
order of its branches.
"""

import math
from collections import Counter
from fractions import Fraction


def number(cell):
    """What differences are taken of: numbers themselves, days of dates."""
    return Fraction(cell.toordinal()) if hasattr(cell, "toordinal") else Fraction(cell)


class Column:
    def __init__(self, name, kind, cells, scale=number):
        self.name, self.kind, self.cells, self.scale = name, kind, cells, scale
        known = {cell for cell in cells if cell is not None}
        if kind == "ordered":
            self.order = sorted(known, key=scale)
        elif kind == "named":
            self.order = sorted(known, key=str)
        else:
            self.order = [row[0] for row in kind]
            self.path = {row[0]: row for row in kind}
        if kind in ("ordered", "named") and None in cells:
            self.order.append(None)

    @property
    def is_tree(self):
        return not isinstance(self.kind, str)

    def place(self, i):
        return self.order.index(self.cells[i])

    def held(self, rows):
        """Different values of a region, in their order."""
        return [value for value in self.order if value in {self.cells[i] for i in rows}]

    def common(self, rows):
        """Lowest level on which all have one label."""
        paths = [self.path[value] for value in self.held(rows)]
        return next(
            n for n, labels in enumerate(zip(*paths, strict=True)) if len(set(labels)) == 1
        )

    def mixed(self, rows):
        held = self.held(rows)
        return not self.is_tree and None in held and len(held) > 1

    def width(self, rows):
        held = self.held(rows)
        if len(held) == 1:
            return Fraction(0)
        if self.kind == "ordered":
            if None in held:
                return Fraction(1)
            known = [value for value in self.order if value is not None]
            return (self.scale(held[-1]) - self.scale(held[0])) / (
                self.scale(known[-1]) - self.scale(known[0])
            )
        under = len(held)
        if self.is_tree:
            level = self.common(rows)
            label = self.path[held[0]][level]
            under = sum(path[level] == label for path in self.kind)
        return Fraction(under - 1, len(self.order) - 1)

    def may_cut(self, rows, left, right):
        """Whether two neighbouring values are on different branches of the common label."""
        if not self.is_tree:
            return True
        below = self.common(rows) - 1
        return self.path[left][below] != self.path[right][below]

    def label(self, rows):
        held = self.held(rows)
        if len(held) == 1:
            return held[0]
        if self.is_tree:
            return self.path[held[0]][self.common(rows)]
        if self.kind == "named":
            return "{" + ", ".join("missing" if v is None else str(v) for v in held) + "}"
        known = [value for value in held if value is not None]
        text = f"[{known[0]}, {known[-1]}]" if len(known) > 1 else str(known[0])
        return text + " or missing" * (None in held)


class Secrets:
    """What is asked of the sensitive values of a region: l, entropy_l, c (with l) and t."""

    def __init__(self, cells, ordered=False, **asked):
        self.cells, self.ordered, self.asked = cells, ordered, asked
        self.all = Counter(cells)

    def kept(self, rows):
        counts = Counter(self.cells[i] for i in rows)
        falling = sorted(counts.values(), reverse=True)
        nats = -math.fsum(n / len(rows) * math.log(n / len(rows)) for n in falling)
        tail = sum(falling[self.asked.get("l", 1) - 1 :])
        return all(
            {
                "l": lambda l: len(counts) >= l,  # noqa: E741
                "entropy_l": lambda l: math.exp(nats) >= l * (1 - 1e-9),  # noqa: E741
                "c": lambda c: tail > 0 and Fraction(falling[0], tail) < c,
                "t": lambda t: self.distance(counts, len(rows)) <= t,
            }[name](threshold)
            for name, threshold in self.asked.items()
        )

    def distance(self, counts, size):
        extra = [
            Fraction(counts[value], size) - Fraction(total, len(self.cells))
            for value, total in sorted(self.all.items())
        ]
        if not self.ordered:
            return sum(abs(e) for e in extra) / 2
        steps = [abs(sum(extra[: i + 1])) for i in range(len(extra))]
        return sum(steps) / (len(extra) - 1) if len(extra) > 1 else Fraction(0)


def ways_to_cut(column, rows, k, relaxed, known_first):
    """Halves to be tried, in order; None where there is nothing to try."""
    n = len(rows)
    lined = sorted(rows, key=lambda i: (column.place(i), i))
    if known_first:
        known = [i for i in lined if column.cells[i] is not None]
        enough = len(known) >= k and n - len(known) >= k
        return [len(known) if enough else None], lined
    places = [
        left
        for left in range(k, n - k + 1)
        if column.cells[lined[left - 1]] != column.cells[lined[left]]
        and column.may_cut(rows, column.cells[lined[left - 1]], column.cells[lined[left]])
    ]
    below = [left for left in places if 2 * left <= n][-1:]
    above = [left for left in places if 2 * left > n][:1]
    near = sorted(below + above, key=lambda left: (abs(2 * left - n), left))
    if near and abs(2 * near[0] - n) > 1:  # equal values at the median: room for most classes
        near.sort(key=lambda left: left // k + (n - left) // k, reverse=True)
    return [n // 2] * relaxed + (near or [None]), lined


def partition(columns, rows, k, secrets, relaxed=False):
    """Classes as lists of rows, and how many cuts were tried."""
    tried = 0
    if len(rows) >= 2 * k:
        queue = [(c, True) for c in columns if c.mixed(rows)]
        open_ = [c for c in columns if len(c.held(rows)) > 1]
        queue += [(c, False) for c in sorted(open_, key=lambda c: -c.width(rows))]
        for column, known_first in queue:
            ways, lined = ways_to_cut(column, rows, k, relaxed, known_first)
            for left in ways:
                tried += 1
                halves = [] if left is None else [lined[:left], lined[left:]]
                if halves and all(map(secrets.kept, halves)):
                    found = [partition(columns, half, k, secrets, relaxed) for half in halves]
                    return found[0][0] + found[1][0], tried + found[0][1] + found[1][1]
    return [rows], tried
