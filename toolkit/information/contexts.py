"""Contexts of cells, and the attacker's priors and posteriors, on encoded columns.

The computations behind `toolkit.information.pif`, whose `gain_and_surprise` states what they
have to give. Three techniques make them fast.

Distinct rows. Cells become integer codes and equal rows one row with a weight, so that no
number is computed twice.

Leave-one-out grouping by halves (`each_context`). Grouping by all features but one, for each
of d features, would refine by d * (d - 1) columns. Instead, grouping by the right half serves
every feature of the left half, and halves are halved again: about d * log2 d columns. Rows
that are alone leave early, since their context cannot be split further.

Sums over observed values (`Cells.measure`). A value that no record of a context has keeps
1 - a of its prior, so its term is (1 - a) log2 (1 - a) times that prior. All these terms are
added at once for the whole context and taken back for the values that do occur.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import (
    ROWS_AT_ONCE,
    DistinctRows,
    Groups,
    distinct_rows,
    encode,
    everyone,
    refine,
    totals,
)
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    _as_objects,
    _is_number,
    check_choice,
    check_generator,
    check_per_column,
    check_table,
    check_weights,
    check_whole,
    listed,
)
from .entropies import SUM_TOLERANCE, as_floats, entropy_of


@dataclass(frozen=True)
class Attack:
    """A table as the attacker sees it: its distinct rows, and what is believed of them."""

    rows: DistinctRows
    priors: list[FloatArray]
    empirical: list[FloatArray]
    accuracies: list[float]
    records: int

    def on_every_row(self, column: FloatArray | None, out: FloatArray) -> None:
        """Spread a column over the distinct rows to all rows of the table."""
        if column is None:
            return
        of_row = self.rows.of_row
        for start in range(0, len(out), ROWS_AT_ONCE):
            block = slice(start, start + ROWS_AT_ONCE)
            out[block] = column[block if of_row is None else of_row[block]]


def encode_attack(
    data: pd.DataFrame, priors: Any, accuracies: Any, weights: Any, zero_prior: str
) -> Attack:
    """Check the arguments that the metrics of cells share, and count the table once."""
    weight = check_weights(check_table(data), weights)
    accuracy = check_accuracies(data, accuracies)
    given = check_per_column(data, priors, "priors")
    check_choice(zero_prior, "zero_prior", ["error", "inf", "smooth"])
    table = encode(data)
    rows = distinct_rows(table, weight)
    empirical = [_shares(codes, rows.weight) for codes in rows.table.codes]
    believed = list(empirical)
    for j, prior in given.items():
        values = table.values[j]
        full = _prior(prior, values, data.columns[j], rows.weight.sum(), zero_prior)
        believed[j] = full.to_numpy()[: len(values)]
    of_all = [accuracy.get(j, 1.0) for j in range(data.shape[1])]
    return Attack(rows, believed, empirical, of_all, len(data))


def _shares(codes: IntArray, weight: AnyArray | None) -> FloatArray:
    counts = totals(codes, weight, 0)
    return np.asarray(counts / counts.sum())


def _prior(
    given: object, values: pd.Index, name: object, records: float, zero_prior: str
) -> pd.Series:
    """Probabilities of the observed values in order, then of others; smoothed if asked."""
    prior = _checked_prior(given, values, name, zero_prior)
    if zero_prior == "smooth" and (prior.iloc[: len(values)] == 0).any():
        return (prior * records + 1) / (records + len(prior))
    return prior


def _checked_prior(
    prior: object, values: pd.Index, name: object, zero_prior: str
) -> pd.Series:
    """Prior probabilities: first of the observed `values` in order, then of any others.

    The prior may lack an observed value, or give it probability 0, only where `zero_prior`
    says what that means.
    """
    where = f"priors: column {name!r}"
    if not isinstance(prior, (Mapping, pd.Series)):
        raise TypeError(
            f"{where} needs a mapping from value to probability; got {type(prior).__name__}."
        )
    given = pd.Series(prior.to_numpy() if isinstance(prior, pd.Series) else prior.values())
    keys = _as_objects(prior.index if isinstance(prior, pd.Series) else prior.keys())
    if not keys.is_unique:
        raise ValueError(f"{where} lists {listed(keys[keys.duplicated()].unique())} twice.")
    probability = as_floats(given)
    bad = np.flatnonzero(~((probability >= 0) & (probability <= 1)))
    if bad.size:
        entries = ", ".join(f"{keys[i]!r}: {given.astype(object).iloc[i]!r}" for i in bad[:8])
        raise ValueError(f"{where} has {entries}; each probability must be from 0 to 1.")
    total = math.fsum(probability)
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(
            f"{where} adds up to {total:.12g}, not 1, over {listed(keys)}; divide each entry"
            f" by the total."
        )
    found = keys.get_indexer(_as_objects(values))
    known = np.where(found >= 0, probability[found], 0.0)
    if zero_prior == "error" and (known == 0).any():
        raise ValueError(
            f"{where} gives no probability to {listed(values[known == 0])}, which the table"
            f" holds; a gain there would be infinite. Give each a share, or say"
            f" zero_prior='smooth' or zero_prior='inf'."
        )
    other = np.setdiff1d(np.arange(len(keys)), found)
    index = pd.Index([*values, *keys[other]], dtype=object, tupleize_cols=False)
    return pd.Series(np.append(known, probability[other]), index=index)


def check_accuracies(data: pd.DataFrame, given: Any) -> dict[int, float]:
    """Accuracy by column position; a single number holds for every column."""
    if isinstance(given, Real) and not isinstance(given, bool):
        given = [given] * data.shape[1]
    accuracies = check_per_column(data, given, "accuracies")
    for position, accuracy in accuracies.items():
        # Written so that NaN fails too.
        if not (_is_number(accuracy) and 0 <= accuracy <= 1):
            raise ValueError(
                f"accuracies: column {data.columns[position]!r} has {accuracy!r}; an accuracy"
                f" is a probability from 0 (the record is a guess) to 1 (it is certain)."
            )
    return {position: float(accuracy) for position, accuracy in accuracies.items()}


def each_context(rows: DistinctRows) -> Iterator[tuple[int, Groups]]:
    """For each feature, group the distinct rows that agree on all other features.

    Halving the set of columns shares the work: what one half leaves together serves every
    feature of the other half. Rows alone in their context are left out.
    """
    every = list(range(len(rows.table.codes)))
    stack = [(every, every[:0], everyone(rows.table.rows))]
    while stack:
        mine, others, groups = stack.pop()
        groups = refine(groups, rows.table, others, keep_single=False)
        if len(mine) == 1:
            yield mine[0], groups
            continue
        left, right = mine[: len(mine) // 2], mine[len(mine) // 2 :]
        stack += [(left, right, groups), (right, left, groups)]


class Measured(NamedTuple):
    """What one feature gives away, per distinct row, and the bits the rest leaves open.

    `gain` in bits, `surprise` as a probability (each None if not asked for); `open_bits` is
    H(X | rest) times the number of records, known if the gain is.
    """

    gain: FloatArray | None
    surprise: FloatArray | None
    open_bits: float


@dataclass(frozen=True)
class Cells:
    """One feature on the distinct rows, given which of them share a context.

    A row left out of `context` is alone in it, so its posterior is a point mass. `same_cell`
    numbers equal pairs of context and value; None says that no two rows have the same.
    """

    codes: IntArray
    prior: FloatArray
    accuracy: float
    weight: AnyArray
    context: Groups
    same_cell: IntArray | None = None

    def measure(self, *, gain: bool, surprise: bool) -> Measured:
        """Compare posterior and prior of each cell, a block of rows at a time."""
        a, q, context = self.accuracy, self.prior, self.context
        # A value that no record of a context has keeps 1 - a of its prior: a term of lost * q.
        lost = (1 - a) * math.log2(1 - a) if 0 < a < 1 else 0.0
        alone = gain_terms(a + (1 - a) * q, q) + lost * (1 - q)
        bits = alone[self.codes] if gain else None
        moved = (a * (1 - q))[self.codes] if surprise else None
        of_context, open_bits = np.full(context.count, lost), 0.0
        for block in context.blocks():
            here, ids = context.at(block), context.ids[block]
            part = self._part(block)
            if moved is not None:
                moved[here] = a * np.abs(part.share - part.prior)
            if bits is not None:
                terms, left = self._terms(part, lost)
                of_context += totals(ids, terms, context.count)
                open_bits += left
        if bits is not None and a > 0:
            np.maximum(of_context, 0.0, out=of_context)
            for block in context.blocks():
                bits[context.at(block)] = of_context[context.ids[block]]
        return Measured(bits, moved, open_bits)

    @cached_property
    def total(self) -> FloatArray:
        """Records in each context."""
        return totals(self.context.ids, self.context.of(self.weight), self.context.count)

    @cached_property
    def cell_weight(self) -> FloatArray:
        """Records that share a row's context and value, where rows have some in common."""
        ids = np.zeros(0, np.int64) if self.same_cell is None else self.same_cell
        return totals(ids, self.context.of(self.weight), 0)[ids]

    def _part(self, block: slice) -> _Part:
        here = self.context.at(block)
        weight, codes = self.weight[here], self.codes[here]
        cell = weight if self.same_cell is None else self.cell_weight[block]
        share = cell / self.total[self.context.ids[block]]
        return _Part(weight, cell, codes, share, self.prior[codes])

    def _terms(self, part: _Part, lost: float) -> tuple[FloatArray, float]:
        """Terms p log2(p / q) - lost * q of the rows' values, and the bits left open."""
        a = self.accuracy
        log2_share = np.log2(part.share)
        left = -float(part.weight @ log2_share)
        if a == 0:  # posterior and prior are one, zeros included
            return np.zeros(part.share.size), left
        with np.errstate(divide="ignore"):
            log2_prior = np.log2(self.prior)[part.codes]
        if a == 1:
            terms = (log2_share - log2_prior) * part.share
        else:
            posterior = a * part.share + (1 - a) * part.prior
            terms = (np.log2(posterior) - log2_prior) * posterior - lost * part.prior
        if self.same_cell is not None:  # the rows of one cell divide its term among them
            terms *= part.weight / part.cell
        return terms, left

    def open_share(self, open_bits: float, empirical: FloatArray) -> float:
        """H(X | rest) / H(X) of the table itself: the weight of wCIG."""
        bits = entropy_of(empirical)
        if bits == 0:
            return 0.0
        if self.context.rows is None and self.context.count == 1:
            return 1.0  # no other feature tells records apart
        return min(open_bits / float(self.weight.sum()) / bits, 1.0)


class _Part(NamedTuple):
    """A block of rows: records of each and of its cell, value, share of its context, prior."""

    weight: AnyArray
    cell: AnyArray
    codes: IntArray
    share: FloatArray
    prior: FloatArray


def iter_features(attack: Attack) -> Iterator[tuple[int, Cells]]:
    """Each feature's position, and its cells ready to be judged."""
    for j, context in each_context(attack.rows):
        yield j, cells_of(attack, j, context)


def each_feature(attack: Attack, measure: Callable[[int, Cells], None]) -> None:
    """Measure each feature on a second thread, while the first groups the next one's rows."""
    with ThreadPoolExecutor(1) as second:
        waiting = None
        for j, cells in iter_features(attack):
            if waiting is not None:
                waiting.result()  # one feature at a time, so that its memory is free again
            waiting = second.submit(measure, j, cells)
        if waiting is not None:
            waiting.result()


def cells_of(
    attack: Attack, j: int, context: Groups, same_cell: IntArray | None = None
) -> Cells:
    """One feature of the table against its groups of rows."""
    codes, weight = attack.rows.table.codes[j], attack.rows.weight
    return Cells(codes, attack.priors[j], attack.accuracies[j], weight, context, same_cell)


def gain_terms(posterior: FloatArray, prior: FloatArray) -> FloatArray:
    """Terms p log2(p / q) of the gain: 0 where p is 0, infinite where only q is."""
    terms = np.zeros(posterior.size)
    held = posterior > 0
    with np.errstate(divide="ignore"):
        terms[held] = posterior[held] * (np.log2(posterior[held]) - np.log2(prior[held]))
    return terms


class _Sets(NamedTuple):
    """Sets of features, and how many there are."""

    each: Iterable[tuple[int, ...]]
    number: int


def unknown_sets(
    width: int, unknown: int, samples: int | None, rng: np.random.Generator | None
) -> _Sets:
    """Sets of features the attacker lacks: all of that size, or a sample over every feature.

    A shuffled row of features is cut into sets, again and again. By symmetry the sets that
    hold a given feature are a fair sample of all that do.
    """
    every = _Sets(itertools.combinations(range(width), unknown), math.comb(width, unknown))
    if samples is None:
        return every
    least = math.ceil(width / unknown)
    check_whole(samples, "samples", least, 2**63, f"at least {least} to meet every feature")
    rng = check_generator(rng, "to draw samples of feature sets")
    if samples >= every.number:
        return every
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < samples:
        order = rng.permutation(width)
        ring = np.append(order, order)[: least * unknown].reshape(least, unknown)
        drawn.update(dict.fromkeys(tuple(row) for row in np.sort(ring, axis=1).tolist()))
    return _Sets(list(drawn)[:samples], samples)


def average_gains(attack: Attack, sets: _Sets) -> FloatArray:
    """Gain of each cell, averaged over the sets of unknown features that hold it."""
    table = attack.rows.table
    gains = np.zeros((table.rows, len(table.codes)), order="F")
    times = np.zeros(len(table.codes))
    progress = tqdm(sets.each, total=sets.number, desc="feature sets", delay=1, leave=False)
    for unknown in progress:
        known = [j for j in range(len(table.codes)) if j not in unknown]
        context = refine(everyone(table.rows), table, known, keep_single=False)
        for j in unknown:
            same_cell = refine(context, table, [j], keep_single=True).ids
            cells = cells_of(attack, j, context, same_cell)
            gains[:, j] += np.asarray(cells.measure(gain=True, surprise=False).gain)
            times[j] += 1
    on_all = np.empty((attack.records, len(times)), order="F")
    for j in range(len(times)):
        attack.on_every_row(gains[:, j] / times[j], out=on_all[:, j])
    return on_all


@dataclass(frozen=True)
class Belief:
    """One feature: the code of each row, the prior of each value, and the values' order."""

    codes: IntArray
    prior: pd.Series
    order: IntArray


def prior_of(
    data: pd.DataFrame, j: int, priors: Any, weight: FloatArray | None, zero_prior: str
) -> Belief:
    """Prior of one feature, its values in their natural order where they have one."""
    given = check_per_column(data, priors, "priors")
    check_choice(zero_prior, "zero_prior", ["error", "inf", "smooth"])
    table = encode(data, [j])
    codes, values = table.codes[0], table.values[0]
    prior = pd.Series(_shares(codes, weight), index=values.astype(object))
    if j in given:
        records = float(len(data) if weight is None else weight.sum())
        prior = _prior(given[j], values, data.columns[j], records, zero_prior)
    if isinstance(values, pd.CategoricalIndex):
        place = pd.Index(values.categories).get_indexer(prior.index)
        unknown = pd.isna(prior.index)  # last; before it what is no category at all
        place = np.where(place < 0, len(values.categories) + unknown, place)
        return Belief(codes, prior, np.argsort(place, kind="stable"))
    return Belief(codes, prior, _natural_order(prior.index.to_numpy(dtype=object)))


def _natural_order(values: AnyArray) -> IntArray:
    """Order values, the missing one last; leave those that cannot be compared as they came."""
    missing = pd.isna(values)
    known, unknown = np.flatnonzero(~missing), np.flatnonzero(missing)
    try:
        known = known[np.argsort(values[known], kind="stable")]
    except TypeError:
        pass
    return np.append(known, unknown)


def in_same_context(data: pd.DataFrame, row: int, j: int) -> BoolArray:
    """Which rows equal one row in every column but the j-th."""
    check_whole(row, "row", 0, len(data) - 1, "the position of a record")
    others = [i for i in range(data.shape[1]) if i != j]
    same = np.ones(len(data), bool)
    for codes in encode(data, others).codes:
        same &= codes == codes[row]
    return same
