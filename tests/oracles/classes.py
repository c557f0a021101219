"""Anonymity and disclosure once more, slowly: exact fractions and plain loops.

Rows are tuples; the last cell is the sensitive value. Only logarithms are floats.
"""

import math
from collections import Counter
from fractions import Fraction

from tests.oracles.pif import MISSING, log2


def matching(one, other, *, wildcard):
    """Whether two tuples of quasi-identifiers cannot be told apart."""
    return all(
        a == b or (wildcard and MISSING in (a, b)) for a, b in zip(one, other, strict=True)
    )


def crowd(known, others, *, wildcard=False):
    """For each tuple, how many of the others match it."""
    return [sum(matching(a, b, wildcard=wildcard) for b in others) for a in known]


class Classes:
    """Classes of rows in order of first appearance, each with the counts of its values."""

    def __init__(self, rows):
        self.n = len(rows)
        self.all = Counter(row[-1] for row in rows)
        self.classes = {}
        for row in rows:
            self.classes.setdefault(row[:-1], Counter())[row[-1]] += 1

    def shares(self):
        """Per class, (q, p) of every value of the table, absent ones too."""
        for counts in self.classes.values():
            size = sum(counts.values())
            yield {
                v: (Fraction(counts[v], size), Fraction(total, self.n))
                for v, total in self.all.items()
            }

    def sizes(self):
        return [sum(counts.values()) for counts in self.classes.values()]

    def alpha(self):
        return [max(q for q, _ in shares.values()) for shares in self.shares()]

    def distinct(self):
        return [len(counts) for counts in self.classes.values()]

    def entropy_l(self):
        return [
            2 ** -math.fsum(float(q) * log2(q) for q, _ in shares.values() if q)
            for shares in self.shares()
        ]

    def recursive_c(self, l):  # noqa: E741
        found = []
        for counts in self.classes.values():
            falling = sorted(counts.values(), reverse=True)
            tail = sum(falling[l - 1 :])
            found.append(Fraction(falling[0], tail) if tail else math.inf)
        return found

    def beta(self):
        return [
            max([(q - p) / p for q, p in shares.values() if q > p], default=Fraction(0))
            for shares in self.shares()
        ]

    def enhanced_beta(self):
        broken = [
            any(q > p and (q - p) / p > -math.log(p) for q, p in shares.values())
            for shares in self.shares()
        ]
        return [math.inf if b else beta for b, beta in zip(broken, self.beta(), strict=True)]

    def delta(self, absent="inf"):
        return [
            max(
                abs(log2(q / p)) * math.log(2) if q else math.inf
                for q, p in shares.values()
                if q or absent == "inf"
            )
            for shares in self.shares()
        ]

    def equal(self):
        return [sum(abs(q - p) for q, p in shares.values()) / 2 for shares in self.shares()]

    def ordered(self, ranked):
        """`ranked` lists the values in their order."""
        found = []
        for shares in self.shares():
            extra = [shares[v][0] - shares[v][1] for v in ranked]
            sums = [abs(sum(extra[: i + 1])) for i in range(len(extra))]
            found.append(sum(sums) / (len(ranked) - 1) if len(ranked) > 1 else Fraction(0))
        return found

    def hierarchical(self, tree):
        """The paper's sum over inner nodes; `tree` maps a value to its labels, root last."""
        height = len(next(iter(tree.values())))
        found = []
        for shares in self.shares():
            extra = {(0, v): shares[v][0] - shares[v][1] for v in self.all}
            work = Fraction(0)
            for level in range(1, height + 1):
                parent = {
                    (level - 1, v if level == 1 else tree[v][level - 2]): tree[v][level - 1]
                    for v in self.all
                }
                above = {}
                for child, label in parent.items():
                    above.setdefault((level, label), []).append(extra[child])
                for node, parts in above.items():
                    plus = sum(part for part in parts if part > 0)
                    minus = -sum(part for part in parts if part < 0)
                    work += Fraction(level, height) * min(plus, minus)
                    extra[node] = plus - minus
            found.append(work)
        return found
