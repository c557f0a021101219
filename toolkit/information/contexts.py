"""Contexts of cells, and the attacker's priors and posteriors, on encoded columns.

The computations behind `toolkit.information.pif`, whose `gain_and_surprise` states what they
have to give. Five techniques make them fast.

One word for each row, one sort for each feature (`Packed`). The codes of a row and its
position are bit fields of one whole number, ``[other features | feature | row]``. Once these
words are sorted, the rows of a context are neighbours, within it those of a cell, and code and
row are read back from the word. Features of many values come first: rows that are alone by
these are alone in all contexts that hold them, and are not sorted again. Where the fields do
not fit, groups of rows (next) are what stands in front of the feature.

Leave-one-out grouping by halves (`each_context`). Grouping by all features but one, for each
of d features, would refine by d * (d - 1) columns. Instead, grouping by one half serves every
feature of the other half, and halves are halved again: about d * log2 d columns. Rows that are
alone leave early, since their context cannot be split further; features of many values are
shared out between the halves, so that either leaves few rows.

Sums over observed values (`Cells.measure`). A value that no record of a context has keeps
1 - a of its prior, so its term is (1 - a) log2 (1 - a) times that prior. All these terms are
added at once for the whole context and taken back for the values that do occur.

All combinations (`Table`). Where there are no more combinations of values than rows, the
records of each are counted, and contexts are lines along an axis: nothing is sorted.

Cells, not rows. Logarithms are taken of cells, sums of contexts by `np.add.reduceat`; rows
only receive them. A row that is alone in its context needs no more than a look at a table of
its feature's values.
"""

# Longer than other modules: contexts are found in three ways, by all combinations, by words
# and by groups, which end in the same cells and are tested against each other.

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import (
    Encoded,
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
    check_choice,
    check_generator,
    check_per_column,
    check_table,
    check_weights,
    check_whole,
    is_number,
    listed,
)
from .entropies import SUM_TOLERANCE, as_floats, entropy_of

WORD_BITS = 63
"""Bits of a word: those of a whole number that is not negative."""


ROWS_OF_CONTEXTS = 1 << 16
"""Rows whose contexts are judged at once: what is made of them stays in the cache."""


WORDS_AT_ONCE = 1 << 14
"""Words whose fields are moved at once."""


ROWS_FOR_TWO_THREADS = 200_000
"""Rows from which a second thread gains more than it costs."""


COMBINATIONS_PER_ROW = 1
"""Combinations of values up to which all of them are counted."""


MOST_AXES = 32
"""Features whose combinations are counted: an array has 64 axes at the most."""


BITS_COUNTED_TOGETHER = 14
"""Bits of fields whose values are counted in one table, which then stays in the cache."""


BITS_TO_SPARE = 5
"""Bits that features have beyond those of the row where they may tell most rows apart."""


@dataclass(frozen=True)
class Attack:
    """A table as the attacker sees it: its rows, and what is believed of them."""

    packed: Packed
    priors: list[FloatArray]
    empirical: list[FloatArray]
    accuracies: list[float]
    records: int
    total: float
    """Sum of the weights: the records that the rows stand for."""

    def on_every_row(self, column: FloatArray, out: FloatArray) -> None:
        """Spread a column over the distinct rows to all rows of the table."""
        of_row = self.packed.of_row
        if of_row is None:
            out[:] = column
            return
        for start in range(0, len(out), WORDS_AT_ONCE):
            block = slice(start, start + WORDS_AT_ONCE)
            np.take(column, of_row[block], out=out[block], mode="clip")  # "raise" makes a copy

    def place(self, out: FloatArray) -> FloatArray:
        """Where to write what belongs to `out`: there, unless rows stand for several."""
        return out if self.packed.of_row is None else np.empty(self.packed.rows)

    def measure(
        self, cells: Cells, gain: FloatArray | None, surprise: FloatArray | None
    ) -> float:
        """Write gain and surprise of a feature to all rows; return the bits left open."""
        columns = [(out, None if out is None else self.place(out)) for out in (gain, surprise)]
        open_bits = cells.measure(*(found for _, found in columns))
        for out, found in columns:
            if out is not None and found is not None and found is not out:
                self.on_every_row(found, out=out)
        return open_bits


def encode_attack(
    data: pd.DataFrame, priors: Any, accuracies: Any, weights: Any, zero_prior: str
) -> Attack:
    """Check the arguments that the metrics of cells share, and count the table once."""
    weight = check_weights(check_table(data), weights)
    accuracy = check_accuracies(data, accuracies)
    given = check_per_column(data, priors, "priors")
    check_choice(zero_prior, "zero_prior", ["error", "inf", "smooth"])
    table = encode(data)
    packed = pack(table, weight)
    empirical = packed.shares()
    believed, total = list(empirical), float(len(data) if weight is None else weight.sum())
    for j, prior in given.items():
        values = table.values[j]
        full = _prior(prior, values, data.columns[j], total, zero_prior)
        believed[j] = full.to_numpy()[: len(values)]
    of_all = [accuracy.get(j, 1.0) for j in range(data.shape[1])]
    return Attack(packed, believed, empirical, of_all, len(data), total)


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
        if not (is_number(accuracy) and 0 <= accuracy <= 1):
            raise ValueError(
                f"accuracies: column {data.columns[position]!r} has {accuracy!r}; an accuracy"
                f" is a probability from 0 (the record is a guess) to 1 (it is certain)."
            )
    return {position: float(accuracy) for position, accuracy in accuracies.items()}


def each_context(table: Encoded, alike: Groups) -> Iterator[tuple[int, Groups]]:
    """For each feature, group the rows that agree on all other features.

    Halving the set of columns shares the work: what one half leaves together serves every
    feature of the other half. Rows alone in their context are left out. Those `alike` by the
    second half are known (`alike_by_half`).
    """
    left, right = _halves(_by_size(table))
    stack = [(right, left, everyone(table.rows)), (left, left[:0], alike)]
    while stack:
        mine, others, groups = stack.pop()
        groups = refine(groups, table, others, keep_single=False)
        if len(mine) == 1:
            yield mine[0], groups
        elif mine:
            left, right = _halves(mine)
            stack += [(left, right, groups), (right, left, groups)]


def alike_by_half(table: Encoded) -> Groups:
    """Rows that agree in half of the features."""
    return refine(everyone(table.rows), table, _halves(_by_size(table))[1], keep_single=False)


def _by_size(table: Encoded) -> list[int]:
    return sorted(range(len(table.held)), key=lambda j: -len(table.held[j]))


def _halves(features: list[int]) -> tuple[list[int], list[int]]:
    """Deal features, from that of the most values on, so that either half tells rows apart."""
    left = [j for place, j in enumerate(features) if place % 4 in (0, 3)]
    return left, [j for j in features if j not in left]


@dataclass(frozen=True)
class Packed:
    """Rows of a table, each a word of bit fields if these fit 63 bits, and their weights."""

    words: IntArray | None
    """``[feature | ... | row]``, of `WORD_BITS` at most; None where these are too few."""
    sizes: list[int]
    """Number of values of each feature."""
    bits: list[int]
    rows: int
    weight: AnyArray | None
    """Records that each row stands for; None if that is one."""
    of_row: IntArray | None
    """Which of these rows each row of the table equals; None if they are all its rows."""
    table: Encoded | None = None
    """The codes, where there are no words, or the table is small."""
    alike: Groups | None = None
    """Rows that agree in half of the features (`alike_by_half`), if that is known."""
    counts: FloatArray | None = None
    """Records of all combinations of values, an axis per feature, if these are the rows."""

    @cached_property
    def order(self) -> list[int]:
        """Features in the order of their fields, from that of the most values on."""
        return sorted(range(self.width), key=lambda j: -self.bits[j])

    @property
    def row_bits(self) -> int:
        """Width of the field that holds the row."""
        return (self.rows - 1).bit_length()

    @property
    def width(self) -> int:
        """Number of features."""
        return len(self.sizes)

    def codes(self, j: int, block: slice, bits: int | None = None) -> IntArray:
        """Codes of a feature in some rows, with those above it if more bits are asked."""
        if self.counts is not None:
            return np.unravel_index(np.arange(self.rows)[block], self.counts.shape)[j]
        if self.words is None or (self.table is not None and bits in (None, self.bits[j])):
            return self._table.codes[j][block].astype(np.int64, copy=False)
        codes: IntArray = self.words[block] >> self.under[j]
        codes &= (1 << (self.bits[j] if bits is None else bits)) - 1
        return codes

    def shares(self) -> list[FloatArray]:
        """Share of each value of each feature; the lowest fields are counted in one table."""
        found: dict[int, FloatArray] = {}
        if self.counts is not None:
            others = [tuple({*range(self.width)} - {j}) for j in range(self.width)]
            return [self.counts.sum(axis=axes) / self.counts.sum() for axes in others]
        top = self.row_bits + BITS_COUNTED_TOGETHER if self.words is not None else 0
        low = [j for j in self.order if self.under[j] + self.bits[j] <= top]
        for features in filter(None, [*([j] for j in self.order if j not in low), low]):
            bits = sum(self.bits[j] for j in features)
            counts = np.zeros(1 << bits)
            for start in range(0, self.rows, ROWS_OF_CONTEXTS):  # codes that fit the cache
                block = slice(start, start + ROWS_OF_CONTEXTS)
                weight = None if self.weight is None else self.weight[block]
                counts += totals(self.codes(features[-1], block, bits), weight, counts.size)
            total, last = counts.sum(), features[-1]
            for j in features[:-1]:
                of_value = counts.reshape(1 << self.bits[j], -1)
                found[j] = of_value.sum(axis=1)[: self.sizes[j]] / total
                counts = of_value.sum(axis=0)
            found[last] = counts[: self.sizes[last]] / total
        return [found[j] for j in range(self.width)]

    @cached_property
    def under(self) -> dict[int, int]:
        """Bits under the field of each feature."""
        upwards = self.order[::-1]
        ends = itertools.accumulate([self.row_bits, *(self.bits[j] for j in upwards)])
        return dict(zip(upwards, ends, strict=False))

    @property
    def _table(self) -> Encoded:
        assert self.table is not None
        return self.table

    def contexts(self) -> Iterator[tuple[int, Sorted | Table]]:
        """Each feature, and its contexts: rows sorted by them, or lines of combinations."""
        if self.counts is not None:
            yield from ((j, Table(self.counts, j)) for j in self.order)
            return
        if self.words is not None:
            for j, words in self.not_told_apart(self.words):
                yield j, self._rotated(words, j)
            return
        alike = alike_by_half(self._table) if self.alike is None else self.alike
        for j, groups in each_context(self._table, alike):
            yield j, self._grouped(groups, j)

    def not_told_apart(self, words: IntArray) -> Iterator[tuple[int, IntArray]]:
        """Each feature, and those of all words whose rows are alike by the features above it.

        The features above belong to its context, and to every one that is still to come. Where
        they tell few rows apart, all words are given. To find what is alike takes one sort,
        which the last feature alone, whose own sort it would be, is not worth.
        """
        for j in self.order:
            above = self.under[j] + self.bits[j]
            if j != self.order[-1] and sum(self.bits) - above >= BITS_TO_SPARE:
                words = np.sort(words) if words is self.words else words
                words = words.take(_not_alone(words[1:] ^ words[:-1], above)[0])
            yield j, words

    def unknown(self, features: Sequence[int]) -> Iterator[tuple[int, Sorted | Table]]:
        """The same where some features are unknown at once, for each of these."""
        if self.counts is not None:
            for j in features:
                summed = tuple(other for other in features if other != j)
                yield j, Table(self.counts.sum(axis=summed, keepdims=True), j)
            return
        if self.words is not None:
            for j in features:
                others = [other for other in features if other != j]
                fields = [((1 << self.bits[i]) - 1) << self.under[i] for i in others]
                yield j, self._rotated(self.words & ~sum(fields), j)
            return
        known = [j for j in range(self.width) if j not in features]
        groups = refine(everyone(self.rows), self._table, known, keep_single=False)
        for j in features:
            yield j, self._grouped(groups, j)

    def _rotated(self, words: IntArray, j: int, out: IntArray | None = None) -> Sorted:
        """Move the field of a feature down to just above the row, and sort."""
        row_bits, width, up = self.row_bits, self.bits[j], self.under[j]
        turned = (1 << (up + width)) - (1 << row_bits)  # the field, and those it passes
        out = np.empty_like(words) if out is None else out
        for start in range(0, words.size, WORDS_AT_ONCE):
            word = words[start : start + WORDS_AT_ONCE]
            into = out[start : start + WORDS_AT_ONCE]
            moved = word & turned
            np.bitwise_xor(word, moved, out=into)
            down = moved >> (up - row_bits)
            moved <<= width
            moved |= down
            moved &= turned
            into |= moved
        out.sort()
        return Sorted(out, None, width, row_bits)

    def _grouped(self, groups: Groups, j: int) -> Sorted:
        """Put the numbers of groups in front of the feature, and sort."""
        width, row_bits = self.bits[j], self.row_bits
        codes, rows = groups.of(self._table.codes[j]), groups.rows
        key = groups.ids.astype(np.int64)
        key <<= width
        key |= codes
        if (groups.count - 1).bit_length() + width + row_bits > WORD_BITS:
            order = np.argsort(key, kind="stable")
            return Sorted(
                key.take(order), order if rows is None else rows.take(order), width, 0
            )
        key <<= row_bits
        key |= np.arange(self.rows) if rows is None else rows
        key.sort()
        return Sorted(key, None, width, row_bits)


def pack(table: Encoded, weight: FloatArray | None) -> Packed:
    """Count all combinations of values if they are few; or write each row into one word.

    Where the codes do not fit one, equal rows are counted once, so that groups need not be
    split by the feature.
    """
    sizes = [len(held) for held in table.held]
    bits = [(size - 1).bit_length() for size in sizes]
    combinations = math.prod(sizes)
    if combinations <= COMBINATIONS_PER_ROW * table.rows and len(sizes) <= MOST_AXES:
        place: IntArray = np.zeros(table.rows, np.min_scalar_type(combinations))
        for start in range(0, table.rows, WORDS_AT_ONCE):
            some = place[start : start + WORDS_AT_ONCE]
            for codes, size in zip(table.codes, sizes, strict=True):
                some *= size
                np.add(some, codes[start : start + some.size], out=some, casting="unsafe")
        records = totals(place, weight, combinations)
        every = records.reshape(sizes)
        return Packed(None, sizes, bits, combinations, records, place, counts=every)
    if sum(bits) + (table.rows - 1).bit_length() > WORD_BITS:
        alike = alike_by_half(table)
        rows = distinct_rows(table, weight, alike)
        if rows.of_row is None:
            return Packed(None, sizes, bits, table.rows, weight, None, table, alike)
        own = (rows.table.rows, rows.weight, rows.of_row, rows.table)
        return Packed(None, sizes, bits, *own)
    words = np.empty(table.rows, np.int64)
    # Codes are read faster than fields, but take memory, which large tables do not have.
    kept = table if table.rows < ROWS_FOR_TWO_THREADS else None
    packed = Packed(words, sizes, bits, table.rows, weight, None, kept)
    for start in range(0, table.rows, WORDS_AT_ONCE):
        into = words[start : start + WORDS_AT_ONCE]
        into[:] = table.codes[packed.order[0]][start : start + WORDS_AT_ONCE]
        for j in packed.order[1:]:
            into <<= bits[j]
            into |= table.codes[j][start : start + WORDS_AT_ONCE].astype(np.int64)
        into <<= packed.row_bits
        into |= np.arange(start, start + into.size)
    return packed


class Table(NamedTuple):
    """Records of all combinations of values, whose contexts are the lines along one axis."""

    records: FloatArray
    """An axis per feature; of length 1 where all its values count together."""
    axis: int

    @property
    def is_one_context(self) -> bool:
        """Whether there is one line."""
        return bool(self.records.size == self.records.shape[self.axis])

    def lines(self, array: FloatArray) -> FloatArray:
        """See an array of that size with what is before the axis, the axis, and the rest."""
        shape = self.records.shape
        return array.reshape(-1, shape[self.axis], math.prod(shape[self.axis + 1 :]))

    def blocks(self) -> Iterator[tuple[slice, slice, slice]]:
        """Some lines at a time, as indices of `lines`."""
        before, size, rest = self.lines(self.records).shape
        deep = max(1, ROWS_OF_CONTEXTS // (size * rest))
        wide = max(1, ROWS_OF_CONTEXTS // size)
        for i, k in itertools.product(range(0, before, deep), range(0, rest, wide)):
            yield slice(i, i + deep), slice(None), slice(k, k + wide)


class Sorted(NamedTuple):
    """Rows sorted by ``[context | value | row]``; some that are alone may be left out."""

    words: IntArray
    row: IntArray | None
    """The rows, if they are no field of the words."""
    value_bits: int
    row_bits: int

    def blocks(self) -> Iterator[Runs]:
        """Runs of rows, contexts and cells, a block of whole contexts at a time."""
        words, up = self.words, self.value_bits + self.row_bits
        start, size = 0, self.words.size
        while start < size:
            stop = start + ROWS_OF_CONTEXTS
            if stop < size:
                context = int(words[stop]) >> up
                stop = int(np.searchsorted(words, context << up))
                if stop <= start:  # one context, larger than a block
                    last = ((context + 1) << up) - 1
                    stop = int(np.searchsorted(words, last, side="right"))
            runs = self._runs(slice(start, min(stop, size)))
            if runs is not None:
                yield runs
            start = stop

    def _runs(self, block: slice) -> Runs | None:
        """What rows that are not alone have in common; None if all are alone."""
        word, row_bits = self.words[block], self.row_bits
        step = word[1:] ^ word[:-1]  # one difference tells both kinds of borders
        here, new = _not_alone(step, row_bits + self.value_bits)
        if not here.size:
            return None
        if here.size < word.size:
            word, new = word.take(here), new.take(here)
            step = word[1:] ^ word[:-1]
        else:
            new = new[:-1]
        cell = np.ones(word.size, bool)
        np.greater_equal(step, 1 << row_bits, out=cell[1:])
        cells = np.flatnonzero(cell)
        first = np.flatnonzero(new.take(cells))
        value = (word.take(cells) >> row_bits) & ((1 << self.value_bits) - 1)
        field = word & ((1 << row_bits) - 1)
        row = field if self.row is None else self.row[block].take(here)
        return Runs(row, cells, value, first)

    @property
    def is_one_context(self) -> bool:
        """Whether all rows that are here have one context."""
        up = self.value_bits + self.row_bits
        return bool(self.words.size and self.words[0] >> up == self.words[-1] >> up)


def _not_alone(step: IntArray, above: int) -> tuple[IntArray, BoolArray]:
    """Where sorted words have an equal neighbour from some bit on, and which begin a run."""
    new = np.ones(step.size + 2, bool)
    np.greater_equal(step, 1 << above, out=new[1:-1])
    return np.flatnonzero(~(new[:-1] & new[1:])), new


def _lengths(starts: IntArray, size: int) -> IntArray:
    """Length of each run, as `np.diff` with an `append`, which copies, would give it."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = size - starts[-1:]
    return lengths


class Runs(NamedTuple):
    """Rows that share their context: cells are runs of rows, and contexts runs of cells."""

    row: IntArray
    cells: IntArray
    """Where in `row` each cell begins."""
    value: IntArray
    """Code of each cell."""
    first: IntArray
    """Where in `cells` each context begins."""

    def of_cells(self, weight: AnyArray | None) -> AnyArray:
        """Records of each cell."""
        if weight is None:
            return self.cell_rows
        found: AnyArray = weight.take(self.row)
        return found if self.all_differ else np.add.reduceat(found, self.cells)

    def on_rows(self, of_cell: AnyArray) -> AnyArray:
        """Give each row what its cell has."""
        return of_cell if self.all_differ else np.repeat(of_cell, self.cell_rows)

    @property
    def all_differ(self) -> bool:
        """Whether each cell is that of one row, as where equal rows are counted once."""
        return self.cells.size == self.row.size

    @property
    def cell_rows(self) -> IntArray:
        """Rows of each cell."""
        return _lengths(self.cells, self.row.size)

    @property
    def context_cells(self) -> IntArray:
        """Cells of each context."""
        return _lengths(self.first, self.cells.size)

    @property
    def context_rows(self) -> IntArray:
        """Rows of each context."""
        return _lengths(self.cells.take(self.first), self.row.size)


@dataclass(frozen=True)
class Cells:
    """One feature, and the rows of the table by what an attacker knows of them."""

    packed: Packed
    j: int
    found: Sorted | Table
    prior: FloatArray
    accuracy: float

    def measure(self, gain: FloatArray | None, surprise: FloatArray | None) -> float:
        """Write gain (bits) and surprise of each row; return H(X | rest) times the records."""
        if isinstance(self.found, Table):
            return self._measure_all(self.found, gain, surprise)
        self._as_if_alone(gain, surprise)
        open_bits = 0.0
        for runs in self.found.blocks():
            records = runs.of_cells(self.packed.weight)
            size = np.add.reduceat(records, runs.first)
            share = records / np.repeat(size, runs.context_cells)
            log2_share = np.log2(share)
            prior = self.prior.take(runs.value)
            # Not `@`, which wakes threads that then wait, at full speed, for more.
            open_bits -= float((records * log2_share).sum())
            if gain is not None and self.accuracy > 0:
                less = self._log2_prior.take(runs.value)
                bits = np.add.reduceat(self._terms(share, log2_share, prior, less), runs.first)
                at_least_zero = np.maximum(bits + self._lost, 0.0)
                gain[runs.row] = np.repeat(at_least_zero, runs.context_rows)
            if surprise is not None:
                moved = self.accuracy * np.abs(share - prior)
                surprise[runs.row] = runs.on_rows(moved)
        return open_bits

    def _measure_all(
        self, table: Table, gain: FloatArray | None, surprise: FloatArray | None
    ) -> float:
        """Write the same for all combinations; where no record is, it means nothing."""
        open_bits, prior, less = 0.0, self.prior[:, None], self._log2_prior[:, None]
        records = table.lines(table.records)
        gains, surprises = (
            table.lines(
                np.empty(records.size) if out is None or out.size > records.size else out
            )
            for out in (gain, surprise)
        )
        for block in table.blocks():
            some = records[block]
            size = some.sum(axis=1, keepdims=True)
            share = some / np.where(size > 0, size, 1.0)
            there = share > 0
            log2_share = np.log2(np.where(there, share, 1.0))
            open_bits -= float((some * log2_share).sum())
            if gain is not None and self.accuracy == 0:
                gains[block] = 0.0
            elif gain is not None:
                with np.errstate(divide="ignore", invalid="ignore"):  # of what is not there
                    terms = self._terms(share, log2_share, prior, less)
                bits = np.where(there, terms, 0.0).sum(axis=1, keepdims=True)
                gains[block] = np.maximum(bits + self._lost, 0.0)
            if surprise is not None:
                surprises[block] = self.accuracy * np.abs(share - prior)
        for out, found in ((gain, gains), (surprise, surprises)):
            if out is not None and out.size > records.size:
                out.reshape(self.packed.sizes)[:] = found.reshape(table.records.shape)
        return open_bits

    def _as_if_alone(self, gain: FloatArray | None, surprise: FloatArray | None) -> None:
        """Write what holds of a row that is alone in its context: one entry per value."""
        a, q = self.accuracy, self.prior
        bits = self._terms(1.0, 0.0, q, self._log2_prior) + self._lost if a > 0 else 0 * q
        tables = [(gain, np.maximum(bits, 0.0)), (surprise, a * (1 - q))]
        for start in range(0, self.packed.rows, ROWS_OF_CONTEXTS):
            block = slice(start, start + ROWS_OF_CONTEXTS)
            codes = self.packed.codes(self.j, block)
            for out, table in tables:
                if out is not None:
                    table.take(codes, out=out[block], mode="clip")

    @cached_property
    def _log2_prior(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log2(self.prior))

    @property
    def _lost(self) -> float:
        """Term of a value that no record of a context has, over its prior."""
        a = self.accuracy
        return (1 - a) * math.log2(1 - a) if 0 < a < 1 else 0.0

    def _terms(
        self,
        share: FloatArray | float,
        log2_share: FloatArray | float,
        prior: FloatArray,
        log2_prior: FloatArray,
    ) -> FloatArray:
        """Terms p log2(p / q) - lost * q of cells."""
        if self.accuracy == 1:
            return (log2_share - log2_prior) * share
        posterior = self.accuracy * share + (1 - self.accuracy) * prior
        return (np.log2(posterior) - log2_prior) * posterior - self._lost * prior

    def open_share(self, open_bits: float, empirical: FloatArray, records: float) -> float:
        """H(X | rest) / H(X) of the table itself: the weight of wCIG."""
        bits = entropy_of(empirical)
        if bits == 0:
            return 0.0
        whole = isinstance(self.found, Table) or self.found.words.size == self.packed.rows
        if whole and self.found.is_one_context:
            return 1.0  # no other feature tells records apart
        return min(open_bits / records / bits, 1.0)


def iter_features(attack: Attack) -> Iterator[tuple[int, Cells]]:
    """Each feature's position, and its cells ready to be judged."""
    return ((j, cells_of(attack, j, found)) for j, found in attack.packed.contexts())


def each_feature(attack: Attack, measure: Callable[[int, Cells], Any]) -> None:
    """Measure all features, in large tables on two threads.

    Words are sorted by the thread that measures them. Groups of rows are made one after the
    other, while the threads measure features whose groups are there.
    """
    packed = attack.packed
    if attack.records < ROWS_FOR_TWO_THREADS:
        for j, cells in iter_features(attack):
            measure(j, cells)
        return
    with ThreadPoolExecutor(2) as threads:
        if packed.words is not None:
            # Fresh memory costs as much as the sort that fills it: two buffers serve all.
            buffers = [np.empty_like(packed.words) for _ in range(2)]

            def sort_and_measure(job: tuple[int, IntArray]) -> None:
                (j, words), buffer = job, buffers.pop()
                found = packed._rotated(words, j, buffer[: words.size])
                measure(j, cells_of(attack, j, found))
                buffers.append(buffer)

            list(threads.map(sort_and_measure, packed.not_told_apart(packed.words)))
            return
        waiting: list[Future[Any]] = []
        for j, cells in iter_features(attack):
            if len(waiting) > 1:
                waiting.pop(0).result()  # few features at a time: their memory is free again
            waiting.append(threads.submit(measure, j, cells))
        for one in waiting:
            one.result()


def cells_of(attack: Attack, j: int, found: Sorted | Table) -> Cells:
    """One feature of the table against its sorted rows."""
    return Cells(attack.packed, j, found, attack.priors[j], attack.accuracies[j])


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
    packed = attack.packed
    gains = np.zeros((packed.rows, packed.width), order="F")
    times, gain = np.zeros(packed.width), np.empty(packed.rows)
    progress = tqdm(sets.each, total=sets.number, desc="feature sets", delay=1, leave=False)
    for unknown in progress:
        for j, found in packed.unknown(unknown):
            cells_of(attack, j, found).measure(gain, None)
            gains[:, j] += gain
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
    prior = pd.Series(pack(table, weight).shares()[0], index=values.astype(object))
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
