"""Beliefs of an attacker about each cell, before and after seeing the rest of its row.

The *context* of a cell is the set of records that agree with its record in all other features.
Three facts make contexts cheap to count.

The records in a cell's context that share its value are the records that equal its row in all
features. So equal rows are counted as one row, with the records of all.

A row that is unique in some features is alone in every context that includes them. `split`
drops such a row at once, and its numbers are looked up in a table of the feature's values.

Contexts are grouped by halves. Grouping by all features but one, for each of d features, takes
d (d - 1) columns. But the groups by one half of the features serve every feature of the other
half, and each half is halved again. This takes about d log2 d columns, of ever fewer rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_number, check_per_column, check_weights, listed
from .._codes import Groups, encode, everyone, split
from .._typing import AnyArray, FloatArray, IntArray
from .entropies import distribution, gain_terms


class Attack(NamedTuple):
    """A table as codes, and the attacker's beliefs about it, with an entry per feature."""

    codes: Sequence[IntArray]
    """Code of each row."""
    values: Sequence[pd.Index]
    """Values of the table in the order of their codes, then further values of a prior."""
    weights: Any
    """Records that each row stands for; None if each row is one record."""
    records: Sequence[AnyArray]
    """Records of each value of the table."""
    priors: Sequence[FloatArray]
    """Probability of each value beforehand."""
    accuracies: Sequence[float]

    @property
    def sizes(self) -> Sequence[int]:
        """Number of values."""
        return [len(values) for values in self.values]

    def posterior(self, j: int, records: AnyArray) -> FloatArray:
        """Posterior of each value of a feature, from the records per value in a context."""
        a, share = self.accuracies[j], records / records.sum(axis=-1, keepdims=True)
        return np.asarray(a * share + (1 - a) * self.priors[j])

    def only(self, features: Sequence[int]) -> Attack:
        """The same attack on some features only."""

        def pick(field: Sequence[Any]) -> list[Any]:
            return [field[j] for j in features]

        beliefs = pick(self.records), pick(self.priors), pick(self.accuracies)
        return Attack(pick(self.codes), pick(self.values), self.weights, *beliefs)


def attack_on(data: pd.DataFrame, priors: Any, accuracies: Any, weights: Any) -> Attack:
    """Check the arguments that the metrics of cells share, and encode the table."""
    weights, width = check_weights(data, weights), data.shape[1]
    encoded = [encode(column) for _, column in data.items()]
    codes, values = [code for code, _ in encoded], [held for _, held in encoded]
    records = [np.bincount(code, weights) for code in codes]
    beliefs = [counts / counts.sum() for counts in records]
    for j, prior in check_per_column(data.columns, priors, "priors").items():
        values[j], beliefs[j] = given_prior(prior, values[j], data.columns[j])
    by_column = not isinstance(accuracies, (int, float))
    certain = [1.0 if by_column else accuracies] * width
    if by_column:
        for j, share in check_per_column(data.columns, accuracies, "accuracies").items():
            certain[j] = share
    for share in certain:
        check_number(share, "accuracies", "[0, 1]", "the probability that a record is right")
    return Attack(codes, values, weights, records, beliefs, certain)


def given_prior(prior: Any, values: pd.Index, name: object) -> tuple[pd.Index, FloatArray]:
    """The values of a feature, then further values of its prior; and their probabilities."""
    where = f"priors: column {name!r}"
    given, observed = distribution(prior, where), as_objects(values)
    known = given.reindex(observed, fill_value=0.0)
    if (known == 0).any():
        raise ValueError(
            f"{where} gives no probability to {listed(observed[known == 0])}, which the table"
            f" holds; a gain there would be infinite. Give each a share."
        )
    others = given[~given.index.isin(observed)]
    rest = others.index
    if isinstance(values, pd.CategoricalIndex):
        values = values.add_categories(rest.dropna().difference(values.categories, sort=False))
        rest = pd.CategoricalIndex(rest, dtype=values.dtype)
    return values.append(rest), np.append(known, others)


class Measures(NamedTuple):
    """Disclosure about each cell by the rest of its row; shape (n_features, n_rows)."""

    gain: FloatArray
    """Bits."""
    surprise: FloatArray
    """From 0 to 1."""
    left_open: FloatArray
    """H(X | rest) of each feature in the table, in bits."""


def measure(attack: Attack) -> Measures:
    """Gain and surprise of each cell, and the bits that each feature leaves open."""
    # Freeing almost 32 MB, which nobody touches, makes glibc keep memory for the next call.
    # Else each call gets it from the system page by page: see M_MMAP_THRESHOLD, mallopt(3).
    np.empty((1 << 25) - (1 << 16), np.uint8)
    gain, surprise = np.empty((2, len(attack.codes), len(attack.codes[0])))
    left_open = np.empty(len(gain))
    attack, of_row = distinct_rows(attack)
    for j, groups in contexts(attack.codes, attack.sizes):
        bits, change, left_open[j] = measure_feature(attack, j, groups)
        np.take(bits, of_row, out=gain[j], mode="clip")
        np.take(change, of_row, out=surprise[j], mode="clip")
    return Measures(gain, surprise, left_open)


def measure_feature(
    attack: Attack, j: int, groups: Groups
) -> tuple[FloatArray, FloatArray, float]:
    """Gain and surprise of a feature on each distinct row, and the bits it leaves open.

    The attacker believes p = a e + (1 - a) q. A value that no record of a context has keeps
    1 - a of its prior, so its term is (1 - a) log2(1 - a) times q. These terms are added for
    all values at once, and subtracted again for the values that occur.
    """
    codes, records = attack.codes[j], attack.weights
    prior, a = attack.priors[j], attack.accuracies[j]
    absent = gain_terms(1 - a, 1.0)

    def terms(share: Any, q: FloatArray) -> FloatArray:
        return gain_terms(a * share + (1 - a) * q, q) - absent * q

    # The value of a row that is alone in its context is certain. (With a mode, numpy takes
    # numbers by 32-bit codes in half the time.)
    gain = np.maximum(terms(1.0, prior) + absent, 0).take(codes, mode="clip")
    surprise = (a * (1 - prior)).take(codes, mode="clip")
    here = groups.rows if groups.rows is not None else slice(None)
    weight, q = records[here], prior[codes[here]]
    size = np.bincount(groups.ids, weight, groups.n_groups)[groups.ids]
    share = weight / size
    bits = np.bincount(groups.ids, terms(share, q), groups.n_groups) + absent
    gain[here] = np.maximum(bits, 0)[groups.ids]
    surprise[here] = a * np.abs(share - q)
    left_open = abs(float((size * gain_terms(share, 1.0)).sum())) / float(records.sum())
    return gain, surprise, left_open


def average_gain(attack: Attack, unknown: int) -> FloatArray:
    """Gain of each cell, averaged over the sets of unknown features that contain its feature.

    The other unknown features of a set are left out of the table.
    """
    width = len(attack.codes)
    gain = np.zeros((width, len(attack.codes[0])))
    for hidden in itertools.combinations(range(width), unknown - 1):
        seen = [j for j in range(width) if j not in hidden]
        gain[seen] += measure(attack.only(seen)).gain
    return gain / math.comb(width - 1, unknown - 1)


def distinct_rows(attack: Attack) -> tuple[Attack, IntArray]:
    """Give the records of equal rows to one of them; also this row for each row.

    The others weigh nothing. If they are many, they are left out.
    """
    # By the features with most values first, which leave the fewest rows for the others.
    pairs = sorted(zip(attack.sizes, attack.codes, strict=True), key=lambda pair: -pair[0])
    sizes, codes = zip(*pairs, strict=True)
    rows = len(codes[0])
    groups = split(everyone(rows), codes, sizes)
    chosen, row = np.empty(groups.n_groups, int), np.arange(rows)
    chosen[groups.ids] = groups.rows  # a row of each group: the last write wins
    row[groups.rows] = chosen[groups.ids]
    records = np.bincount(row, attack.weights, rows).astype(float)
    if len(groups.ids) < rows / 2:
        return attack._replace(weights=records), row
    different = np.flatnonzero(records)
    distinct = [code[different] for code in attack.codes]
    place = np.cumsum(records > 0) - 1
    return attack._replace(codes=distinct, weights=records[different]), place[row]


def contexts(codes: Sequence[IntArray], sizes: Sequence[int]) -> Iterator[tuple[int, Groups]]:
    """Each feature, with the rows that share a context for it, grouped by context."""
    rows = len(codes[0])
    features = sorted(range(len(codes)), key=lambda j: -sizes[j])
    waiting: list[tuple[list[int], list[int], Groups]] = [(features, [], everyone(rows))]
    while waiting:
        features, others, groups = waiting.pop()
        groups = split(groups, [codes[j] for j in others], [sizes[j] for j in others])
        if len(features) == 1:
            yield features[0], groups
            continue
        # Features are dealt in order of their number of values, most first, so that each half
        # splits the rows well.
        left, right = features[::2], features[1::2]
        waiting += [(left, right, groups), (right, left, groups)]


def records_alike(records: FloatArray, groups: Groups) -> FloatArray:
    """Records of each row's group; for a row without a group, its own records."""
    alike = records.copy()
    here = slice(None) if groups.rows is None else groups.rows
    alike[here] = np.bincount(groups.ids, records[here], groups.n_groups)[groups.ids]
    return alike
