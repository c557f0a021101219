"""Beliefs of an attacker about each cell, before and after seeing the rest of its row.

The *context* of a cell is the set of records that agree with its record in all other features.
Three facts make contexts cheap to count.

The records in a cell's context that share its value are the records that equal its row in all
features. So equal rows are counted as one row, with the sum of their records.

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
from .._codes import Groups, combine, encode, everyone, split
from .._typing import AnyArray, FloatArray, IntArray
from .entropies import distribution, gain_terms


class Feature(NamedTuple):
    """A feature of a table as codes, and the attacker's beliefs about it."""

    codes: IntArray
    """Code of each row."""
    values: pd.Index
    """Values of the table in the order of their codes, then further values of a prior."""
    records: AnyArray
    """Records of each value of the table."""
    prior: FloatArray
    """Probability of each value beforehand."""
    accuracy: float

    def posterior(self, records: AnyArray) -> FloatArray:
        """Posterior of each value, from the records per value in a context."""
        share = records / records.sum(axis=-1, keepdims=True)
        return np.asarray(self.accuracy * share + (1 - self.accuracy) * self.prior)


def attack_on(
    data: pd.DataFrame, priors: Any, accuracies: Any, weights: Any
) -> tuple[list[Feature], Any]:
    """Check the arguments that the metrics of cells share; return the features and weights."""
    weights, features = check_weights(data, weights), []
    given = check_per_column(data.columns, priors, "priors")
    if isinstance(accuracies, (int, float)):
        certain = dict.fromkeys(range(data.shape[1]), accuracies)
    else:
        certain = check_per_column(data.columns, accuracies, "accuracies")
    for j, (name, column) in enumerate(data.items()):
        codes, values = encode(column)
        records = np.bincount(codes, weights)
        prior = records / records.sum()
        if j in given:
            values, prior = given_prior(given[j], values, name)
        meaning = "the probability that a record is right"
        accuracy = check_number(certain.get(j, 1.0), "accuracies", "[0, 1]", meaning)
        features.append(Feature(codes, values, records, prior, accuracy))
    return features, weights


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
    if isinstance(values, pd.CategoricalIndex):  # which keeps the order of its categories
        values = values.add_categories(rest.dropna().difference(values.categories, sort=False))
        rest = pd.CategoricalIndex(rest, dtype=values.dtype)
    return values.append(rest), np.append(known, others)


def measure(
    features: Sequence[Feature], weights: Any
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gain and surprise of each cell, of shape (n_features, n_rows), and what is left open.

    The last is the entropy of each feature in the table, given all others, in bits.
    """
    # Freeing almost 32 MB, which nobody touches, makes glibc keep memory for the next call.
    # Else each call gets it from the system page by page: see M_MMAP_THRESHOLD, mallopt(3).
    np.empty((1 << 25) - (1 << 16), np.uint8)
    gain, surprise = np.empty((2, len(features), len(features[0].codes)))
    left_open = np.empty(len(gain))
    features, records, of_row = distinct_rows(features, weights)
    for j, groups in contexts(features):
        bits, change, left_open[j] = measure_feature(features[j], records, groups)
        np.take(bits, of_row, out=gain[j], mode="clip")
        np.take(change, of_row, out=surprise[j], mode="clip")
    return gain, surprise, left_open


def measure_feature(
    feature: Feature, records: FloatArray, groups: Groups
) -> tuple[FloatArray, FloatArray, float]:
    """Gain and surprise of a feature on each distinct row, and the bits it leaves open.

    The attacker believes p = a e + (1 - a) q. A value that no record of a context has keeps
    1 - a of its prior, so its term is (1 - a) log2(1 - a) times q. These terms are added for
    all values at once, and subtracted again for the values that occur.
    """
    codes, prior, a = feature.codes, feature.prior, feature.accuracy
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


def average_gain(features: Sequence[Feature], weights: Any, unknown: int) -> FloatArray:
    """Gain of each cell, averaged over the sets of unknown features that contain its feature.

    The other unknown features of a set are left out of the table.
    """
    width = len(features)
    gain = np.zeros((width, len(features[0].codes)))
    for hidden in itertools.combinations(range(width), unknown - 1):
        seen = [j for j in range(width) if j not in hidden]
        gain[seen] += measure([features[j] for j in seen], weights)[0]
    return gain / math.comb(width - 1, unknown - 1)


def distinct_rows(
    features: Sequence[Feature], weights: Any
) -> tuple[Sequence[Feature], FloatArray, IntArray]:
    """Count equal rows as one of them; also return the position of this row for each row.

    The other equal rows get the weight 0. If they are many, they are left out.
    """
    rows = len(features[0].codes)
    # By the features with most values first, which leave the fewest rows for the others.
    falling = sorted(features, key=lambda feature: -len(feature.values))
    groups = split_by(everyone(rows), falling)
    chosen, row = np.empty(groups.n_groups, int), np.arange(rows)
    chosen[groups.ids] = groups.rows  # a row of each group: the last write wins
    row[groups.rows] = chosen[groups.ids]
    records = np.bincount(row, weights, rows).astype(float)
    if len(groups.ids) < rows / 2:
        return features, records, row
    different = np.flatnonzero(records)
    distinct = [feature._replace(codes=feature.codes[different]) for feature in features]
    place = np.cumsum(records > 0) - 1
    return distinct, records[different], place[row]


def contexts(features: Sequence[Feature]) -> Iterator[tuple[int, Groups]]:
    """Position of each feature, with the rows that share a context for it, by context."""
    falling = sorted(range(len(features)), key=lambda j: -len(features[j].values))
    every = everyone(len(features[0].codes))
    waiting: list[tuple[list[int], list[int], Groups]] = [(falling, [], every)]
    while waiting:
        chosen, others, groups = waiting.pop()
        groups = split_by(groups, [features[j] for j in others])
        if len(chosen) == 1:
            yield chosen[0], groups
            continue
        # Features are dealt in order of their number of values, most first, so that each half
        # splits the rows well.
        left, right = chosen[::2], chosen[1::2]
        waiting += [(left, right, groups), (right, left, groups)]


def split_by(groups: Groups, features: Sequence[Feature]) -> Groups:
    """Split groups by the values of features, and leave out rows that are alone."""
    sizes = [len(feature.values) for feature in features]
    return split(groups, [feature.codes for feature in features], sizes)


def context_of(features: Sequence[Feature], j: int) -> IntArray:
    """Number of each row's context for the j-th feature, in order of first appearance."""
    others = [*features[:j], *features[j + 1 :]]
    sizes, rows = [len(feature.values) for feature in others], len(features[j].codes)
    keys, _ = combine([feature.codes for feature in others], sizes, rows)
    return np.asarray(pd.factorize(keys)[0])
