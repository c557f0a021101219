"""The definitions once more, slowly: exact fractions and plain loops, sharing no code.

`p`, `q` and weights are `Fraction`s; only the logarithm is a float. Tables are lists of rows.
"""

import itertools
import math
from fractions import Fraction

MISSING = "<missing>"


def rows_of(data):
    """Rows as tuples, every missing cell as the one word MISSING."""
    columns = [
        [
            MISSING if missing else cell
            for cell, missing in zip(column, column.isna(), strict=True)
        ]
        for column in (data.iloc[:, j].astype(object) for j in range(data.shape[1]))
    ]
    return list(zip(*columns, strict=True))


def distribution(values, weights):
    total = sum(weights)
    return {
        v: Fraction(sum(w for x, w in zip(values, weights, strict=True) if x == v)) / total
        for v in values
    }


def log2(ratio):
    return math.log2(ratio.numerator) - math.log2(ratio.denominator)


def divergence(p, q):
    if any(share > 0 and q.get(v, 0) == 0 for v, share in p.items()):
        return math.inf
    return math.fsum(float(share) * log2(share / q[v]) for v, share in p.items() if share > 0)


class Oracle:
    """CIG, CSF and the wCIG weights of a table by their definitions."""

    def __init__(self, data, priors=None, accuracies=None, weights=None):
        self.rows = rows_of(data)
        self.m = data.shape[1]
        self.w = [Fraction(w) for w in (weights if weights is not None else [1] * len(data))]
        self.empirical = [
            distribution([r[j] for r in self.rows], self.w) for j in range(self.m)
        ]
        self.q = [
            {v: Fraction(p) for v, p in (priors or {}).get(j, self.empirical[j]).items()}
            for j in range(self.m)
        ]
        self.a = [Fraction((accuracies or {}).get(j, 1)) for j in range(self.m)]

    def posterior(self, i, j, unknown, accuracy=None):
        a = self.a[j] if accuracy is None else accuracy
        known = [k for k in range(self.m) if k not in unknown]
        same = [
            s
            for s, row in enumerate(self.rows)
            if all(row[k] == self.rows[i][k] for k in known)
        ]
        e = distribution([self.rows[s][j] for s in same], [self.w[s] for s in same])
        values = {**self.q[j], **e}
        return {v: a * e.get(v, 0) + (1 - a) * self.q[j].get(v, 0) for v in values}

    def cig(self, unknown=1):
        sets = list(itertools.combinations(range(self.m), unknown))
        return [
            [
                math.fsum(
                    divergence(self.posterior(i, j, s), self.q[j]) for s in sets if j in s
                )
                / sum(j in s for s in sets)
                for j in range(self.m)
            ]
            for i in range(len(self.rows))
        ]

    def csf(self):
        return [
            [
                float(abs(self.posterior(i, j, (j,)).get(x, 0) - self.q[j].get(x, 0)))
                for j, x in enumerate(row)
            ]
            for i, row in enumerate(self.rows)
        ]

    def open_share(self, j):
        """H(X_j | rest) / H(X_j) of the table itself, 0 for a constant feature."""
        entropy = -math.fsum(float(p) * log2(p) for p in self.empirical[j].values())
        left = -math.fsum(
            float(w) * log2(self.posterior(i, j, (j,), accuracy=1)[row[j]])
            for i, (row, w) in enumerate(zip(self.rows, self.w, strict=True))
        )
        return left / float(sum(self.w)) / entropy if entropy else 0.0
