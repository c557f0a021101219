"""Events in the outputs of a mechanism that may separate two inputs, and their counts.

An event compares a *statistic* of a release with a value: one output, whether it lies in an
interval, its digits or lowest bit, a whole vector, whether an odd number of outputs is large,
or a score that a logistic regression learns. Every statistic is a fixed function of a release,
so what it misses costs power and never makes an audit wrong.

The regression is additive: of each output it learns a curve of straight pieces, with jumps at
values and labels that occur often. So it sees shifts, spreads, and what one output tells that
another does not; the logarithm of the likelihood ratio of Laplace noise is such a curve.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .outputs import Outputs, cautious_losses

Labels = tuple[Any, ...]
"""Outputs that are no numbers, in the order of their codes."""


Sides = Sequence[Outputs]
"""Releases of the data, and as many of the neighbour."""


LEAST_ATOM = 5
"""A value that occurs as often among the selecting releases is tried as an event."""


MOST_ATOMS = 200


ROLES = ("data", "neighbour")


SHARES = np.unique(
    np.concatenate([np.geomspace(2e-4, 0.02, 12), np.linspace(0.025, 0.975, 77)])
)


CUTS = np.concatenate([SHARES, 1 - SHARES[SHARES < 0.025]])
"""Shares of the pooled releases below the thresholds of half-lines."""


BINADE_SHARE = 0.002
"""Low bits are looked at among numbers of one magnitude if that many have it."""


CELLS = 500
"""Cells of equal share, of the pooled releases, that make up intervals."""


DIGITS = 12
"""Decimal digits that are looked at, from the first in which outputs vary."""


DIGIT_ROWS = 10_000
"""Digits are counted in as many releases, or a fifth; one that tells much tells it often."""


EXACT = 2.0**43
"""Numbers below it have a spacing of at most 1/1,000: their last digit is evenly spread."""


MOST_PARITIES = 60
"""Pairs and triples of outputs; all of them up to 7 outputs, all pairs up to 11."""


CAUTION = 2.5
"""Standard errors by which the selection distrusts its counts: it has seen many events."""


SEARCHED = 4.0
"""The same for intervals, of which there are thousands."""


HANDICAP = 0.25
"""ε that digits, bits and parities must promise beyond events that are easier to grasp."""


HANDICAP_OF_SEEN = 1.0
"""The same for repeated numbers, which explain nothing."""


COMPARED = {"=": np.equal, "≠": np.not_equal, "≥": np.greater_equal, "≤": np.less_equal}
"""Relations of a statistic to a value."""


class Statistic(Protocol):
    """A number that sums a release up."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Measure each release; NaN where there is nothing to compare."""

    def words(self, relation: str, value: float) -> str:
        """Say what it means that the statistic compares so with a value."""


@dataclass(frozen=True)
class Event:
    """A set of releases: those whose statistic is =, ≠, ≥ or ≤ a value."""

    statistic: Statistic
    relation: str
    value: float

    def __str__(self) -> str:
        """The event in words."""
        return self.statistic.words(self.relation, self.value)

    def occurs(self, outputs: Outputs) -> BoolArray:
        """Mark the releases in which it happens."""
        return np.asarray(COMPARED[self.relation](self.statistic(outputs), self.value))


class Tally(NamedTuple):
    """Candidate events of one statistic, and how often each happened when selecting."""

    statistic: Statistic
    relations: npt.NDArray[np.str_]
    values: FloatArray
    trials: int
    """Releases of each input."""
    data: IntArray
    """Releases of the data in which the event happens."""
    neighbour: IntArray

    def event(self, place: int) -> Event:
        """Return one of the events."""
        return Event(self.statistic, str(self.relations[place]), float(self.values[place]))


# ---------------------------------------------------------------- statistics of a release


@dataclass(frozen=True, eq=False)
class _OfOutput:
    """A statistic of one output."""

    position: int
    name: str

    def column(self, outputs: Outputs) -> FloatArray:
        """Return the output of each release as a number."""
        return np.asarray(outputs.numbers[:, self.position])


@dataclass(frozen=True)
class Coordinate(_OfOutput):
    """One output as a number; as numbers, -0.0 equals 0.0."""

    boolean: bool = False

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Pick the column."""
        return self.column(outputs)

    def words(self, relation: str, value: float) -> str:
        """Name the output and the value."""
        shown = str(bool(value)) if self.boolean else f"{value:.6g}"
        return f"{self.name} {relation} {shown}"


@dataclass(frozen=True)
class Between(_OfOutput):
    """Whether one output lies in an interval, its ends included."""

    low: float
    high: float

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Mark it by 1; what is no number lies outside."""
        numbers = self.column(outputs)
        return ((self.low <= numbers) & (numbers <= self.high)).astype(float)

    def words(self, relation: str, value: float) -> str:
        """Name the output and both ends."""
        where = "within" if _holds(relation, value) else "outside"
        return f"{self.name} {where} [{self.low:.6g}, {self.high:.6g}]"


@dataclass(frozen=True)
class Digit(_OfOutput):
    """A decimal digit of one output, after rounding to it; signs do not count."""

    exponent: int
    """The digit is that of 10**exponent."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Digits; NaN for NaN and for numbers too large to have a digit there."""
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = np.abs(self.column(outputs))
            scaled = np.rint(numbers * 10.0**-self.exponent)
            return np.where(scaled < EXACT, scaled - 10 * np.floor(scaled / 10), np.nan)

    def words(self, relation: str, value: float) -> str:
        """Name the place of the digit."""
        return f"digit of {self.name} at 10**{self.exponent} {relation} {value:g}"


@dataclass(frozen=True, eq=False)
class Seen(_OfOutput):
    """Whether one output is a number that was released before, and for one input only.

    Noise of 53 random bits hardly repeats itself; that of a generator with few states does.
    """

    role: str
    values: FloatArray
    """The numbers, in order; at least one."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Mark it by 1."""
        numbers = self.column(outputs)
        place = np.minimum(np.searchsorted(self.values, numbers), len(self.values) - 1)
        return np.asarray(self.values[place] == numbers, dtype=float)

    def words(self, relation: str, value: float) -> str:
        """Say how many numbers there are."""
        is_one = "is" if _holds(relation, value) else "is not"
        return f"{self.name} {is_one} one of {len(self.values):,} numbers of the {self.role}"


@dataclass(frozen=True)
class Parity:
    """Whether an odd number of outputs is large: what no single one of them may tell."""

    positions: tuple[int, ...]
    limits: tuple[float, ...]
    """From here on an output is large."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """1 for an odd number, 0 for an even one."""
        return _odd(outputs.numbers[:, self.positions] >= self.limits).astype(float)

    def words(self, relation: str, value: float) -> str:
        """Name the outputs and their limits."""
        which = "odd" if _holds(relation, value) else "even"
        parts = zip(self.positions, self.limits, strict=True)
        listed = ", ".join(f"output[{j}] ≥ {limit:.6g}" for j, limit in parts)
        return f"an {which} number of: {listed}"


@dataclass(frozen=True)
class Label(_OfOutput):
    """One output as the code of its label, -1 for a number."""

    labels: Labels

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Pick the column of codes."""
        return _codes(outputs, self.position).astype(float)

    def words(self, relation: str, value: float) -> str:
        """Name the output and the label."""
        negated = relation == "≠"
        if value < 0:
            return f"{self.name} is {'no' if negated else 'a'} number"
        return f"{self.name} {relation} {self.labels[int(value)]!r:.80}"


@dataclass(frozen=True)
class Oddity(_OfOutput):
    """Whether one output is a number that = does not see.

    That is NaN, which equals nothing, or -0.0, which equals 0.0 but has another bit.
    """

    odd: str
    """"NaN" or "-0.0"."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Mark it by 1."""
        numbers = self.column(outputs)
        if self.odd == "-0.0":
            found = (numbers == 0) & np.signbit(numbers)
        else:
            found = np.isnan(numbers) & (_codes(outputs, self.position) < 0)
        return np.asarray(found, dtype=float)

    def words(self, relation: str, value: float) -> str:
        """Name the output."""
        return f"{self.name} is {'' if _holds(relation, value) else 'not '}{self.odd}"


@dataclass(frozen=True)
class LowBits(_OfOutput):
    """Exponent t of the lowest bit set in one output: y = odd number times 2**t.

    0 is a multiple of every power, so its exponent is infinite. With a `binade`, the upper 12
    bits of a double, only outputs of that sign and magnitude are compared, and 0 is none.
    """

    binade: int | None = None

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Exponents; NaN for NaN, infinite outputs, and outside the binade."""
        binade, zeros = _bits(self.column(outputs))
        exponent = binade & 2047
        lowest = np.maximum(exponent, 1) - 1075.0 + zeros
        lowest[zeros < 0] = np.inf
        outside = exponent == 2047
        if self.binade is not None:
            outside = (binade != self.binade) | (zeros < 0)
        return np.where(outside, np.nan, lowest)

    def words(self, relation: str, value: float) -> str:
        """Name the power of two and the magnitude."""
        multiple = f"is a multiple of 2**{value:g}"
        if relation == "≤":
            multiple = f"is no multiple of 2**{value + 1:g}"
        if self.binade is None:
            return f"{self.name} {multiple}"
        exponent = self.binade & 2047
        low = math.ldexp(1, exponent - 1023) if exponent else 0.0
        high = math.ldexp(1, exponent - 1022) if exponent < 2046 else math.inf
        within = f"{low:.6g} ≤ {self.name} < {high:.6g}"
        if self.binade > 2047:
            within = f"-{high:.6g} < {self.name} ≤ -{low:.6g}"
        return f"{within} and {multiple}"


@dataclass(frozen=True, eq=False)
class Vector:
    """A whole release of discrete outputs, as one number."""

    name: str
    levels: tuple[FloatArray, ...]
    """Known numbers of each coordinate, in order."""
    labels: Labels

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Count through the known releases; NaN for those with an unknown output."""
        code = np.zeros(len(outputs.numbers))
        for j, levels in enumerate(self.levels):
            digit = np.full(len(code), np.nan)
            if len(levels):
                numbers = outputs.numbers[:, j]
                place = np.minimum(np.searchsorted(levels, numbers), len(levels) - 1)
                digit = np.where(levels[place] == numbers, place, np.nan)
            if outputs.codes is not None:
                codes = outputs.codes[:, j]
                known = (codes >= 0) & (codes < len(self.labels))
                digit = np.where(known, len(levels) + codes, digit)
            code = code * (len(levels) + len(self.labels)) + digit
        return code

    def words(self, relation: str, value: float) -> str:
        """List the outputs of the release."""
        parts: list[str] = []
        rest = int(value)
        for levels in reversed(self.levels):
            rest, digit = divmod(rest, len(levels) + len(self.labels))
            label = digit - len(levels)
            parts.append(f"{levels[digit]:.6g}" if label < 0 else repr(self.labels[label]))
        return f"{self.name} {relation} ({', '.join(reversed(parts))})"


def _holds(relation: str, value: float) -> bool:
    """Whether a statistic that is 1 for a mark, else 0, compares so where the mark is set."""
    return (relation == "=") == (value == 1)


def _odd(marks: BoolArray) -> BoolArray:
    """Mark rows with an odd number of marks."""
    return np.asarray(np.logical_xor.reduce(marks, axis=1))


def caution(statistic: Statistic) -> float:
    """Standard errors by which counts of a statistic's events are distrusted."""
    return SEARCHED if isinstance(statistic, Between) else CAUTION


def handicap(statistic: Statistic) -> float:
    """ε that events of a statistic must promise beyond those of simpler ones."""
    if isinstance(statistic, Seen):
        return HANDICAP_OF_SEEN
    return HANDICAP if isinstance(statistic, (Digit, LowBits, Parity)) else 0.0


def _bits(numbers: FloatArray) -> tuple[IntArray, IntArray]:
    """Upper 12 bits of doubles, and zeros below the lowest bit set; -1 zeros stands for 0."""
    bits = np.ascontiguousarray(numbers, dtype=float).view(np.int64)
    upper = bits >> 52 & 4095
    mantissa = bits & (2**52 - 1)
    mantissa |= (upper & 2047 > 0).astype(np.int64) << 52
    lowest = (mantissa & -mantissa).astype(float)  # a power of two: its exponent is exact
    zeros = (lowest.view(np.int64) >> 52) - 1023
    return upper, np.maximum(zeros, -1)


# ---------------------------------------------------------------- candidate events


def tallies(
    data: Outputs, neighbour: Outputs, labels: Labels, *, low_bits: bool, delta: float = 0.0
) -> Iterator[Tally]:
    """Count the candidate events of all statistics among the selecting releases.

    Of intervals only those are kept that promise most at this δ.
    """
    sides = data, neighbour
    boolean = data.boolean and neighbour.boolean
    for j in range(data.numbers.shape[1]):
        name = "output" if data.scalar else f"output[{j}]"
        if any(side.codes is not None for side in sides):
            label = Label(j, name, labels)
            yield _tally(label, _sorted(label, sides), ordered=False)
        yield from _tally_oddity(Oddity(j, name, "NaN"), sides)
        if all(np.isnan(side.numbers[:, j]).all() for side in sides):
            continue
        yield from _tally_numbers(Coordinate(j, name, boolean), sides, delta)
        if low_bits:
            yield from _tally_oddity(Oddity(j, name, "-0.0"), sides)
            yield from _tally_bits(j, name, sides)
    if data.numbers.shape[1] > 1:
        yield from _tally_vectors(sides, labels)
        yield from _tally_parities(sides)
        yield from _tally_scores(sides)


class _Sorted(NamedTuple):
    """A statistic of all releases, in order."""

    sides: list[FloatArray]
    """Of the data and of the neighbour; NaN comes last."""
    pool: FloatArray
    """Of both, without NaN."""


def _sorted(statistic: Statistic, sides: Sides) -> _Sorted:
    own = [np.sort(statistic(side)) for side in sides]
    pool = np.sort(np.concatenate(own))
    return _Sorted(own, pool[: len(pool) - np.count_nonzero(np.isnan(pool))])


def _tally(statistic: Statistic, measured: _Sorted, *, ordered: bool = True) -> Tally:
    """Count a statistic's atoms and, if its order means something, half-lines."""
    sides, pool = measured
    atoms = _atoms(pool, LEAST_ATOM if ordered else 1)
    cuts = atoms[:0]
    if ordered and len(pool):
        cuts = np.union1d(atoms, pool[(CUTS * len(pool)).astype(int)])
    tried = {"=": atoms, "≠": atoms, "≥": cuts, "≤": cuts}
    relations = np.repeat(list(tried), [len(some) for some in tried.values()])
    values = np.concatenate(list(tried.values()))
    counts = (_counts(side, atoms, cuts) for side in sides)
    return Tally(statistic, relations, values, len(sides[0]), *counts)


def _atoms(pool: FloatArray, least: int) -> FloatArray:
    """Return the most frequent values of sorted numbers, those that occur often enough."""
    if not len(pool):
        return pool
    starts = np.append(0, np.flatnonzero(pool[1:] != pool[:-1]) + 1)
    runs = np.diff(np.append(starts, len(pool)))
    often = np.flatnonzero(runs >= least)
    if len(often) > MOST_ATOMS:
        often = often[np.argsort(-runs[often], kind="stable")[:MOST_ATOMS]]
    return np.asarray(pool[np.sort(starts[often])])


def _counts(values: FloatArray, atoms: FloatArray, cuts: FloatArray) -> IntArray:
    """Count sorted values, NaN last, that are = or ≠ each atom, ≥ or ≤ each cut."""
    n = len(values)
    known = n - np.count_nonzero(np.isnan(values))
    equal = np.searchsorted(values, atoms, "right") - np.searchsorted(values, atoms, "left")
    above = known - np.searchsorted(values, cuts, "left")
    below = np.searchsorted(values, cuts, "right")
    return np.concatenate([equal, n - equal, above, below]).astype(np.int64)


def _tally_numbers(output: Coordinate, sides: Sides, delta: float) -> Iterator[Tally]:
    """Count values, half-lines, intervals, digits and repeated values of one output."""
    measured = _sorted(output, sides)
    yield _tally(output, measured)
    if output.boolean:
        return
    yield from _tally_intervals(output, measured, delta)
    yield from _tally_digits(output, measured.pool, sides)
    values = 1 + np.count_nonzero(measured.pool[1:] != measured.pool[:-1])
    if MOST_ATOMS < values < len(measured.pool):
        yield from _tally_seen(output, sides)


def _spans() -> npt.NDArray[np.intp]:
    """Return first and last cut of intervals: of all lengths, long ones in larger steps."""
    lengths = np.unique(np.geomspace(1, CELLS, 40).astype(int))
    starts = [np.arange(0, CELLS - length + 1, 1 + length // 8) for length in lengths]
    first = np.concatenate(starts)
    return np.array([first, first + np.repeat(lengths, [len(some) for some in starts])])


SPANS = _spans()


def _tally_intervals(output: Coordinate, measured: _Sorted, delta: float) -> Iterator[Tally]:
    """Count, of many intervals and their complements, those that promise most."""
    sides, pool = measured
    cuts = np.unique(pool[np.linspace(0, len(pool) - 1, CELLS + 1).astype(int)])
    low, high = SPANS[:, SPANS[1] < len(cuts)]
    if len(cuts) < 3:  # values and half-lines are all there is
        return
    upto = [np.searchsorted(side, cuts, "right")[high] for side in sides]
    inside = upto - np.array([np.searchsorted(side, cuts)[low] for side in sides])
    n = len(sides[0])
    tried = np.concatenate([inside, n - inside], axis=1)
    promise = cautious_losses(tried, n, delta, SEARCHED).reshape(4, -1)
    for i in np.unique(promise.argmax(axis=1)):
        limits = float(cuts[low[i]]), float(cuts[high[i]])
        mark = Between(output.position, output.name, *limits)
        yield _equal_or_not(mark, np.ones(1), inside[:, i], n)


def _marked(statistic: Statistic, sides: Sides) -> Tally:
    """Count a mark and its absence."""
    counts = [np.count_nonzero(statistic(side)) for side in sides]
    return _equal_or_not(statistic, np.ones(1), counts, len(sides[0].numbers))


def _equal_or_not(statistic: Statistic, values: FloatArray, counts: Any, n: int) -> Tally:
    """Lay out how often a statistic equals each value, and how often it does not."""
    equal = np.reshape(counts, (2, -1)).astype(np.int64)
    relations = np.repeat(["=", "≠"], len(values))
    both = np.concatenate([equal, n - equal], axis=1)
    return Tally(statistic, relations, np.tile(values, 2), n, *both)


def _tally_digits(output: Coordinate, pool: FloatArray, sides: Sides) -> Iterator[Tally]:
    """Count the digits of each decimal place in which outputs vary."""
    finite = pool[np.isfinite(pool)]
    tail = len(finite) // 40
    low, high = (float(finite[tail]), float(finite[-1 - tail])) if len(finite) else (0.0, 0.0)
    if not 1e-280 < high - low < math.inf:
        return
    top = math.floor(math.log10(high - low))
    enough = slice(max(DIGIT_ROWS, len(sides[0].numbers) // 5))
    sides = [side.part(enough) for side in sides]
    whole = all((np.rint(output(side)) == output(side)).all() for side in sides)
    for exponent in range(max(top - DIGITS + 1, 0 if whole else -400), top + 1):
        digit = Digit(output.position, output.name, exponent)
        found = [digit(side) for side in sides]
        known = [some[some >= 0].astype(int) for some in found]
        counts = np.array([np.bincount(some, minlength=10) for some in known])
        seen = np.flatnonzero(counts.any(axis=0))
        if len(seen) > 1:
            yield _equal_or_not(digit, seen.astype(float), counts[:, seen], len(found[0]))


def _halves(sides: Sides) -> Iterator[list[Outputs]]:
    """Give the first half of the releases, then the second."""
    half = len(sides[0].numbers) // 2
    for rows in (slice(half), slice(half, None)):
        yield [side.part(rows) for side in sides]


def _tally_seen(output: Coordinate, sides: Sides) -> Iterator[Tally]:
    """Collect numbers of one input in half of the releases, and count them in the other."""
    early, late = _halves(sides)
    known = [np.unique(output(side)) for side in early]
    for role, own, others in zip(ROLES, known, known[::-1], strict=True):
        alone = np.setdiff1d(own, others, assume_unique=True)
        if len(alone):
            yield _marked(Seen(output.position, output.name, role, alone), late)


def _tally_parities(sides: Sides) -> Iterator[Tally]:
    """Count whether an odd number of outputs is large, for pairs and triples of outputs."""
    width = sides[0].numbers.shape[1]
    if math.comb(width, 2) > MOST_PARITIES:
        return
    limits = [_limit([side.numbers[:, j] for side in sides]) for j in range(width)]
    varied = [j for j, limit in enumerate(limits) if not math.isnan(limit)]
    marks = [side.numbers >= limits for side in sides]
    tried = 0
    for size in (2, 3):
        tried += math.comb(len(varied), size)
        if tried > MOST_PARITIES:
            return
        for some in itertools.combinations(varied, size):
            counts = [np.count_nonzero(_odd(mark[:, some])) for mark in marks]
            parity = Parity(some, tuple(limits[j] for j in some))
            yield _equal_or_not(parity, np.ones(1), counts, len(marks[0]))


def _limit(sides: list[FloatArray]) -> float:
    """Median of one output, or the next number if there is none below; NaN if none varies."""
    pool = np.concatenate(sides)
    pool = np.sort(pool[~np.isnan(pool)])
    if not len(pool) or pool[0] == pool[-1]:
        return math.nan
    median = pool[len(pool) // 2]
    return float(median if median > pool[0] else pool[np.searchsorted(pool, median, "right")])


def _tally_oddity(oddity: Oddity, sides: Sides) -> Iterator[Tally]:
    """Count an oddity, if there is any."""
    tally = _marked(oddity, sides)
    if tally.data[0] or tally.neighbour[0]:
        yield tally


def _tally_bits(position: int, name: str, sides: Sides) -> Iterator[Tally]:
    """Count multiples of powers of two: among all outputs, and among those of a magnitude."""
    tables = np.array([_bit_table(side.numbers[:, position]) for side in sides])
    binades = np.flatnonzero(tables.any(axis=(0, 2)))
    binades = binades[binades & 2047 != 2047]
    zeros = tables[:, [0, 2048], 0].sum(axis=1, keepdims=True)
    n, cells = len(sides[0].numbers), tables[:, binades, 1:]
    lowest = np.maximum(binades & 2047, 1)[:, None] - 1075 + np.arange(63)
    exponents, place = np.unique(lowest, return_inverse=True)
    size, where = len(exponents), place.ravel()
    pooled = np.array([np.bincount(where, cell.ravel(), size) for cell in cells])
    every = LowBits(position, name)
    yield from _half_lines(every, exponents, pooled.astype(np.int64), n, zeros)
    for i in np.flatnonzero(cells.sum(axis=(0, 2)) > 2 * n * BINADE_SHARE):
        statistic = LowBits(position, name, int(binades[i]))
        yield from _half_lines(statistic, lowest[i], cells[:, i], n)


def _bit_table(numbers: FloatArray) -> IntArray:
    """Count releases by their upper 12 bits and by 1 + the last zeros of the mantissa."""
    upper, zeros = _bits(numbers)
    return np.bincount(upper << 6 | zeros + 1, minlength=4096 * 64).reshape(4096, 64)


def _half_lines(
    statistic: Statistic, values: AnyArray, counts: IntArray, n: int, above: Any = 0
) -> Iterator[Tally]:
    """Count ≥ and ≤ each value that occurs; `above` are the counts beyond all values."""
    used = np.flatnonzero(counts.any(axis=0))
    if not len(used):
        return
    upto = counts[:, used].cumsum(axis=1)
    over = upto[:, -1:] - upto + counts[:, used] + above
    relations, cuts = np.repeat(["≥", "≤"], len(used)), np.tile(values[used].astype(float), 2)
    yield Tally(statistic, relations, cuts, n, *np.concatenate([over, upto], axis=1))


def _tally_vectors(sides: Sides, labels: Labels) -> Iterator[Tally]:
    """Count whole releases, if each output takes few values."""
    levels = []
    for numbers in np.concatenate([side.numbers for side in sides]).T:
        levels.append(np.unique(numbers[~np.isnan(numbers)]))
        if math.prod(len(some) + len(labels) for some in levels) > 2**53:
            return
    vector = Vector("output", tuple(levels), labels)
    yield _tally(vector, _sorted(vector, sides), ordered=False)


def _tally_scores(sides: Sides) -> Iterator[Tally]:
    """Learn a score from half of the releases, and count its half-lines in the other half."""
    early, late = _halves(sides)
    score = learn_score(*early)
    if score is not None:
        yield _tally(score, _sorted(score, late))


PIECES = 8
"""Straight pieces of each curve; fewer, as jumps, where there are many outputs."""


REACH = 8
"""Curves are flat beyond so many interquartile ranges from the median."""


MOST_FEATURES = 200


MOST_CELLS = 4_000_000
"""Rows times features from which a score is learned."""


JUMPS = 3
"""Values, and labels, of one output at which its curve may jump."""


LEAST_SHARE = 0.01
"""Share of the pooled releases that such a value must have."""


@dataclass(frozen=True, eq=False)
class Score:
    """Sum of one curve per output; large for the data, small for the neighbour."""

    curves: tuple[tuple[FloatArray, FloatArray], ...]
    """Knots and heights of each output's curve; empty where it has none."""
    numbers: tuple[tuple[int, float, float], ...]
    """Position, number, and what a release that has it there adds."""
    codes: tuple[tuple[int, int, float], ...]
    """Position, code of a label, and what it adds."""

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score each release."""
        score = np.zeros(len(outputs.numbers))
        for j, (knots, heights) in enumerate(self.curves):
            if len(knots):
                curve = np.interp(outputs.numbers[:, j], knots, heights)
                score += np.nan_to_num(curve, copy=False)
        for j, number, weight in self.numbers:
            score += weight * _is(outputs.numbers[:, j], number)
        for j, code, weight in self.codes if outputs.codes is not None else ():
            score += weight * (_codes(outputs, j) == code)
        return score

    def words(self, relation: str, value: float) -> str:
        """Name the score."""
        return f"logistic score of the outputs {relation} {value:.6g}"


class _Part(NamedTuple):
    """What is looked at in one output."""

    position: int
    knots: FloatArray
    numbers: FloatArray
    codes: IntArray

    @property
    def slopes(self) -> int:
        return max(len(self.knots) - 1, 0)

    @property
    def width(self) -> int:
        return self.slopes + len(self.numbers) + len(self.codes)


def learn_score(data: Outputs, neighbour: Outputs) -> Score | None:
    """Fit a regression that tells the two apart; None if nothing varies."""
    # scikit-learn takes a second to import, and only vectors need it; it brings threadpoolctl.
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    sides: Sides = (data, neighbour)
    outputs = data.numbers.shape[1]
    pieces = int(np.clip(MOST_FEATURES // (2 * outputs), 1, PIECES))
    jumps = min(MOST_FEATURES // (4 * outputs), JUMPS)
    parts = [_part(sides, j, pieces, jumps) for j in range(outputs)]
    width = sum(part.width for part in parts)
    if not width:
        return None
    rows = slice(max(MOST_CELLS // (2 * width), 10))
    sides = [side.part(rows) for side in sides]
    features = np.concatenate([_features(side, parts) for side in sides])
    truth = np.repeat([1, 0], [len(side.numbers) for side in sides])
    solver = "newton-cholesky" if width <= MOST_FEATURES else "lbfgs"
    # A score short of the best is still a statistic. Threads would wait longer than they work.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        model = LogisticRegression(solver=solver, tol=1e-3, max_iter=100).fit(features, truth)
    return _score(parts, model.coef_[0])


def _part(sides: Sides, position: int, pieces: int, most_jumps: int) -> _Part:
    """Choose knots, numbers and labels from the pooled releases."""
    pool = np.concatenate([side.numbers[:, position] for side in sides])
    codes = np.concatenate([_codes(side, position) for side in sides])
    least = LEAST_SHARE * len(pool)
    missing = np.isnan(pool)
    values, counts = np.unique(pool[~missing], return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:most_jumps]
    jumps = values[frequent[counts[frequent] > least]]
    if least < np.count_nonzero(missing) and not missing.all():
        jumps = np.append(jumps, math.nan)
    named, counts = np.unique(codes, return_counts=True)
    often = named[np.argsort(-counts, kind="stable")][: most_jumps + 1]
    return _Part(position, _knots(pool[np.isfinite(pool)], pieces), jumps, often[often >= 0])


@np.errstate(over="ignore", invalid="ignore")
def _knots(pool: FloatArray, pieces: int) -> FloatArray:
    """Ends of the pieces: the middle in equal shares, the tails as far as numbers reach."""
    # The curve of an output is a linear spline, written in the basis of its pieces so that a
    # logistic regression fits it: an additive logistic model (Hastie, Tibshirani and Friedman,
    # The elements of statistical learning, 2nd ed., sections 5.2 and 9.1). Inner knots stand
    # at quantiles, where the releases are. The outer ones would be the extremes; heavy tails
    # put these so far out that the inner pieces vanish beside them. So a curve ends `REACH`
    # interquartile ranges from the median and is flat from there on, as the log likelihood
    # ratio of Laplace noise is beyond both centres. Of Laplace noise itself about one release
    # in 65,000 lies farther out (the range is 2 ln 2 scales), of Gaussian noise (1.35 standard
    # deviations) practically none.
    if not len(pool):
        return pool
    low, middle, high = np.quantile(pool, [0.25, 0.5, 0.75])
    reach = REACH * (high - low) or np.inf
    ends = np.clip([middle - reach, middle + reach], pool.min(), pool.max())
    inner = np.quantile(pool, np.linspace(0, 1, pieces + 1)[1:-1])
    knots = np.unique(np.clip(np.concatenate([ends, inner]), *ends))
    # Numbers whose distance no float holds have no slope.
    return knots if len(knots) > 1 and np.isfinite(knots[-1] - knots[0]) else knots[:0]


def _features(outputs: Outputs, parts: list[_Part]) -> FloatArray:
    """How far each output is along each piece, and whether it is at each jump."""
    columns: list[npt.NDArray[np.generic]] = []
    for part in parts:
        numbers = outputs.numbers[:, part.position]
        for low, high in zip(part.knots[:-1], part.knots[1:], strict=True):
            along = (np.clip(numbers, low, high) - low) / _unit(part)
            columns.append(np.nan_to_num(along, copy=False))
        columns += [_is(numbers, number) for number in part.numbers]
        columns += [_codes(outputs, part.position) == code for code in part.codes]
    return np.column_stack(columns).astype(float, copy=False)


def _unit(part: _Part) -> float:
    """Unit in which the pieces of one output are measured."""
    return float(part.knots[-1] - part.knots[0]) / REACH


def _score(parts: list[_Part], weights: FloatArray) -> Score:
    """Add the slopes up to curves."""
    ends = np.cumsum([part.width for part in parts])
    curves, numbers, codes = [], [], []
    for part, own in zip(parts, np.split(weights, ends[:-1]), strict=True):
        slopes, jumps, named = np.split(own, np.cumsum([part.slopes, len(part.numbers)]))
        climbs = slopes * np.diff(part.knots) / _unit(part) if part.slopes else slopes
        curves.append((part.knots, np.cumsum(np.append(0, climbs)) if part.slopes else climbs))
        place = [part.position] * len(own)
        numbers += list(zip(place, part.numbers.tolist(), jumps.tolist(), strict=False))
        codes += list(zip(place, part.codes.tolist(), named.tolist(), strict=False))
    return Score(tuple(curves), tuple(numbers), tuple(codes))


def _is(numbers: FloatArray, number: float) -> BoolArray:
    """Mark a number; NaN is itself."""
    return np.isnan(numbers) if math.isnan(number) else numbers == number


def _codes(outputs: Outputs, position: int) -> IntArray:
    """Codes of the labels of one output, -1 for numbers."""
    if outputs.codes is None:
        return np.full(len(outputs.numbers), -1)
    return outputs.codes[:, position]
