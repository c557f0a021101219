"""Beliefs of an attacker about each cell, before and after seeing the rest of its row.

The *context* of a cell is the set of records that agree with its record in all other features.
Three facts make contexts cheap to count.

The records in a cell's context that share its value are the records that equal its row in all
features, so they are counted once for all features.

A row that is unique in some features is alone in every context that includes them. `split`
drops such a row at once, and its numbers are looked up in a table of the feature's values.

Contexts are grouped by halves. Grouping by all features but one, for each of d features, takes
d (d - 1) columns. But the groups by one half of the features serve every feature of the other
half, and each half is halved again. This takes about d log2 d columns, of ever fewer rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from .._arguments import (
    as_objects,
    check_number,
    check_per_column,
    check_weights,
    listed,
)
from .._codes import Groups, combine, encode, everyone, number_keys, split
from .._typing import AnyArray, FloatArray, IntArray, Table
from .entropies import SUM_TOLERANCE, gain_terms

Answer = TypeVar("Answer")

GOLDEN = np.int64(-7046029254386353131)
"""2**64 over the golden ratio, as an odd number that wraps around."""


def answer_in_engine(
    data: Table, function: Callable[..., Answer], **options: Any
) -> Answer | None:
    """Answer of a table in an engine, from its `measure_cells`; None for other tables.

    If the distinct rows fit its budget, an engine counts them and passes them to `function`,
    with their records as weights. The numbers are the same as for the whole table.
    """
    if not hasattr(type(data), "measure_cells"):
        return None
    answer: Answer = data.measure_cells(function, **options)
    return answer


class Attack(NamedTuple):
    """A table as codes, and the attacker's beliefs about it, with an entry per feature."""

    codes: Sequence[IntArray]
    """Code of each row."""
    values: Sequence[pd.Index]
    """Values of the table in the order of their codes, then further values of a prior."""
    sizes: Sequence[int]
    """Number of values."""
    weights: FloatArray | None
    """Records that each row stands for; None if each row is one record."""
    empirical: Sequence[FloatArray]
    """Share of each value in the table."""
    priors: Sequence[FloatArray]
    """Probability of each value beforehand."""
    accuracies: Sequence[float]

    def posterior(self, j: int, records: AnyArray) -> FloatArray:
        """Posterior of each value of a feature, from the records per value in a context."""
        a, share = self.accuracies[j], records / records.sum(axis=-1, keepdims=True)
        return np.asarray(a * share + (1 - a) * self.priors[j])

    def only(self, features: Sequence[int]) -> Attack:
        """The same attack on some features only."""

        def pick(field: Sequence[Any]) -> list[Any]:
            return [field[j] for j in features]

        table = pick(self.codes), pick(self.values), pick(self.sizes), self.weights
        return Attack(*table, *map(pick, (self.empirical, self.priors, self.accuracies)))


def attack_on(data: pd.DataFrame, priors: Any, accuracies: Any, weights: Any) -> Attack:
    """Check the arguments that the metrics of cells share, and encode the table."""
    weights = check_weights(data, weights)
    codes, found = zip(*(encode(column) for _, column in data.items()), strict=True)
    values = list(found)
    beliefs: dict[int, FloatArray] = {}
    for j, prior in check_per_column(data.columns, priors, "priors").items():
        values[j], beliefs[j] = given_prior(prior, values[j], data.columns[j])
    sizes = [len(index) for index in values]
    counts = [
        np.bincount(code, weights, size) for code, size in zip(codes, sizes, strict=True)
    ]
    empirical = [records / records.sum() for records in counts]
    believed = [beliefs.get(j, shares) for j, shares in enumerate(empirical)]
    if isinstance(accuracies, (int, float)):
        accuracies = [accuracies] * len(codes)
    certain = [1.0] * len(codes)
    for j, share in check_per_column(data.columns, accuracies, "accuracies").items():
        where = f"accuracies: column {data.columns[j]!r}"
        certain[j] = check_number(share, where, "[0, 1]", "the probability that it is right")
    return Attack(codes, values, sizes, weights, empirical, believed, certain)


def given_prior(prior: Any, values: pd.Index, name: object) -> tuple[pd.Index, FloatArray]:
    """The values of a feature, then further values of its prior; and their probabilities."""
    where = f"priors: column {name!r}"
    if not isinstance(prior, (Mapping, pd.Series)):
        raise TypeError(
            f"{where} needs a mapping from value to probability; got {type(prior).__name__}."
        )
    named = as_objects(prior.keys())
    shares = [
        check_number(share, f"{where}: each share", "[0, 1]", "a probability")
        for _, share in prior.items()
    ]
    if not named.is_unique or abs(math.fsum(shares) - 1) > SUM_TOLERANCE:
        raise ValueError(
            f"{where} must list each value once, with probabilities that add up to 1; got"
            f" {math.fsum(shares):.12g} over {listed(named)}."
        )
    observed = as_objects(values)
    given = pd.Series(shares, named, dtype=float)
    known = given.reindex(observed, fill_value=0.0)
    if (known == 0).any():
        raise ValueError(
            f"{where} gives no probability to {listed(observed[known == 0])}, which the table"
            f" holds; a gain there would be infinite. Give each a share."
        )
    others = given[~named.isin(observed)]
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
    gain, surprise = np.empty((2, len(attack.codes), len(attack.codes[0])))
    left_open = np.empty(len(gain))
    attack, of_row = distinct_rows(attack)
    codes, rows = attack.codes, len(attack.codes[0])
    records = same = np.ones(rows) if attack.weights is None else attack.weights
    for j, groups in contexts(codes, attack.sizes):
        if same is records and of_row is None:  # equal rows share every context
            same = records_alike(records, split(groups, [codes[j]], [attack.sizes[j]]))
        beliefs = attack.priors[j], attack.accuracies[j]
        *cells, left_open[j] = measure_feature(codes[j], records, same, groups, *beliefs)
        for out, found in zip((gain[j], surprise[j]), cells, strict=True):
            if of_row is None:
                out[:] = found
            else:
                np.take(found, of_row, out=out, mode="clip")  # without a copy
    return Measures(gain, surprise, left_open)


def measure_feature(
    codes: IntArray,
    records: FloatArray,
    same: FloatArray,
    groups: Groups,
    prior: FloatArray,
    accuracy: float,
) -> tuple[FloatArray, FloatArray, float]:
    """Gain and surprise of a feature on each row, and the bits it leaves open.

    `same` counts, for each row, the records that equal it in all features. Equal rows share
    one term of the gain, which is divided among them.

    The attacker believes p = a e + (1 - a) q. A value that no record of a context has keeps
    1 - a of its prior, so its term is (1 - a) log2(1 - a) times q. These terms are added for
    all values at once, and subtracted again for the values that occur.
    """
    a = accuracy
    absent = gain_terms(1 - a, 1.0)

    def terms(share: Any, q: FloatArray) -> FloatArray:
        if a == 1:
            return gain_terms(share, q)
        return gain_terms(a * share + (1 - a) * q, q) - absent * q

    # The value of a row that is alone in its context is certain.
    gain = np.maximum(terms(1.0, prior) + absent, 0)[codes]
    surprise = (a * (1 - prior))[codes]
    here = groups.rows if groups.rows is not None else slice(None)
    weight, cell, q = records[here], same[here], prior[codes[here]]
    share = cell / np.bincount(groups.ids, weight, groups.n_groups)[groups.ids]
    part = weight / cell
    bits = np.bincount(groups.ids, part * terms(share, q), groups.n_groups) + absent
    gain[here] = np.maximum(bits, 0)[groups.ids]
    surprise[here] = a * np.abs(share - q)
    left_open = abs(float((weight * np.log2(share)).sum())) / float(records.sum())
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


def distinct_rows(attack: Attack) -> tuple[Attack, IntArray | None]:
    """Merge equal rows, if many are equal; also return the merged row of each row.

    The number of different hashes is a lower bound for the number of different rows. Hashing
    multiplies (D. E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4).
    """
    rows = len(attack.codes[0])
    hashes = np.zeros(rows, np.int64)
    for codes in attack.codes:
        hashes *= GOLDEN
        hashes += codes
    bits = (2 * rows).bit_length()
    occurs = np.zeros(1 << bits, bool)
    occurs[(hashes * GOLDEN).view(np.uint64) >> np.uint64(64 - bits)] = True
    if 2 * np.count_nonzero(occurs) > rows:
        return attack, None
    of_row, row = number_keys(*combine(attack.codes, attack.sizes, rows))
    records = np.bincount(of_row, attack.weights).astype(float)
    different = [codes[row] for codes in attack.codes]
    return attack._replace(codes=different, weights=records), of_row


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
        left = [j for place, j in enumerate(features) if place % 4 in (0, 3)]
        right = [j for j in features if j not in left]
        waiting += [(left, right, groups), (right, left, groups)]


def records_alike(records: FloatArray, groups: Groups) -> FloatArray:
    """Records of each row's group; for a row without a group, its own records."""
    alike = records.copy()
    here = slice(None) if groups.rows is None else groups.rows
    alike[here] = np.bincount(groups.ids, records[here], groups.n_groups)[groups.ids]
    return alike
