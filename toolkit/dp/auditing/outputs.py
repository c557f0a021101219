"""Releases of a callable mechanism, laid out as arrays: their shares, and whether they depend.

A mechanism may return numbers, labels or vectors of them, one release per call or many, and
may keep state, change its data, or fail. Here its releases become arrays of one shape, and
are compared with each other. How often an output comes has exact bounds; what an auditor looks
for in the outputs is in `toolkit.dp.auditing.events`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._before import exact_number, number_or_none, numbers

SEQUENCES = (list, tuple, np.ndarray)


VECTORS = (list, tuple, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
"""What counts as a vector of outputs; anything else is one output."""


CHUNK = 1_000
"""Releases that are laid out at a time, so that a wrong shape is seen early."""


class Outputs(NamedTuple):
    """Releases of a mechanism, a row each."""

    numbers: FloatArray
    """Of shape (n, d); NaN where the output is a label, or is NaN."""
    codes: IntArray | None
    """Of shape (n, d): which label, -1 where the output is a number. None: no labels."""
    scalar: bool
    """Whether each release is one output and no vector."""
    boolean: bool
    """Whether the numbers stand for truth values."""

    def part(self, rows: slice) -> Outputs:
        """Return some of the releases."""
        codes = None if self.codes is None else self.codes[rows]
        return self._replace(numbers=self.numbers[rows], codes=codes)


@dataclass
class Releases:
    """A mechanism and the means to draw from it; labels keep their codes over all draws."""

    mechanism: Callable[..., Any]
    rng: np.random.Generator
    batch: bool
    tick: Callable[[], object] = lambda: None
    """Called after each call of the mechanism."""
    labels: dict[Any, int] = field(default_factory=dict)
    width: int | None = None
    """Outputs per release, 0 for a scalar; None as long as no release is known."""

    def draw(self, data: Any, n: int, role: str) -> Outputs:
        """Draw n releases from a copy of the data, which `role` names in messages."""
        if not self.batch:
            return self._each(data, n, role)
        cells = _batch(self._outcome(role, _copied(data), n, self.rng), n, role)
        self._check_width({cells.shape[1] if cells.ndim == 2 else 0}, role)
        return self._laid_out(cells)

    def _each(self, data: Any, n: int, role: str) -> Outputs:
        own = _copied(data)
        chunks = [self._chunk(lambda: own, 1, role)]
        changes = not same_data(own, data)
        for start in range(1, n, CHUNK):
            source = (lambda: _copied(data)) if changes else (lambda: own)
            chunks.append(self._chunk(source, min(CHUNK, n - start), role))
        if not (changes or same_data(own, data)):
            raise ValueError(
                f"mechanism changed its data between calls on {role}, so its releases are not"
                f" from the same input. Let it work on a copy: data.copy()."
            )
        return _joined(chunks)

    def _chunk(self, source: Callable[[], Any], n: int, role: str) -> Outputs:
        """Call the mechanism n times, each time on what the source gives."""
        given = [self._outcome(role, source(), self.rng) for _ in range(n)]
        cells = _as_array(given)
        if cells is not None and cells.dtype.kind in "iufb" and cells.ndim < 3 and cells.size:
            self._check_width({cells.shape[1] if cells.ndim == 2 else 0}, role)
            return self._laid_out(cells)
        self._check_width({_width(one, role) for one in given}, role)
        return self._laid_out(_objects(given, self.width))

    def _check_width(self, widths: set[int], role: str) -> None:
        """Refuse releases of several lengths, those before included; 0 is a single output."""
        lengths = sorted(widths | (set() if self.width is None else {self.width}))
        if len(lengths) > 1:
            names = [f"a vector of {length}" if length else "one output" for length in lengths]
            raise ValueError(
                f"mechanism must return releases of one shape, whatever the data; got"
                f" {' and '.join(names)} (seen on {role}). A length that depends on the data"
                f" discloses something of them: pad to a public length with NaN, or return the"
                f" whole as one label, such as str(release)."
            )
        self.width = lengths[0] if lengths else None

    def _outcome(self, role: str, *arguments: Any) -> Any:
        """Call the mechanism."""
        try:
            return self.mechanism(*arguments)
        except Exception as error:
            error.add_note(self._note(role))
            raise
        finally:
            self.tick()

    def _note(self, role: str) -> str:
        """Say how the mechanism was called when it failed."""
        ways = ("mechanism(data, rng)", "mechanism(data, n, rng)")
        return (
            f"Raised by {ways[self.batch]} on {role}, as batch={self.batch}; for a"
            f" {ways[not self.batch]} pass batch={not self.batch}. If a mechanism may fail,"
            f" its failure is an output that can disclose: catch it, and return a text."
        )

    def _laid_out(self, cells: AnyArray) -> Outputs:
        """Tell numbers from labels; both in columns."""
        scalar, boolean = cells.ndim == 1, cells.dtype.kind == "b"
        cells = cells.reshape(len(cells), -1)
        if cells.dtype.kind in "iufb":
            return Outputs(cells.astype(float, copy=False), None, scalar, boolean)
        if cells.dtype.kind in "US":
            found, labels = pd.factorize(cells.ravel().astype(object))
            known = np.array([self._code(label) for label in labels], dtype=np.int64)
            codes = known[found]
            numbers = np.full(cells.shape, np.nan)
        else:
            pairs = [self._number_or_code(cell) for cell in cells.ravel()]
            numbers = np.array([number for number, _ in pairs], dtype=float)
            codes = np.array([code for _, code in pairs], dtype=np.int64)
        return Outputs(numbers.reshape(cells.shape), codes.reshape(cells.shape), scalar, False)

    def _number_or_code(self, cell: Any) -> tuple[float, int]:
        number = float(cell) if isinstance(cell, (bool, np.bool_)) else number_or_none(cell)
        return (math.nan, self._code(cell)) if number is None else (number, -1)

    def _code(self, label: Any) -> int:
        _check_comparable(label)
        return self.labels.setdefault(_key(label), len(self.labels))


def _batch(given: Any, n: int, role: str) -> AnyArray:
    """Return the releases of one call: an array of shape (n,) or (n, d)."""
    kind = "" if isinstance(given, np.ndarray) else f" ({type(given).__name__})"
    try:
        if isinstance(given, np.ma.MaskedArray):
            given = np.ma.filled(given.astype(object), None)
        cells = np.asarray(given)
        if cells.dtype.kind in "US" and not isinstance(given, np.ndarray):
            cells = np.asarray(given, dtype=object)  # numbers among texts stay numbers
        shape: object = cells.shape
    except ValueError:
        cells, shape = np.empty(0), "rows of unequal length"
    if cells.ndim not in (1, 2) or len(cells) != n or cells.shape[-1] == 0:
        raise ValueError(
            f"mechanism must return n releases when it is called as mechanism(data, n, rng):"
            f" for n = {n} shape ({n},), or ({n}, d) of vectors; got {shape}{kind} on {role}."
            f" Draw the noise with size=n, or pass batch=False for mechanism(data, rng)."
        )
    return cells


def _width(output: Any, role: str) -> int:
    """Return the length of one release that is a vector, 0 for a number or a label."""
    if not isinstance(output, (*VECTORS, pd.DataFrame)):
        return 0
    try:
        shape = np.shape(output)
        came = f"{type(output).__name__} of shape {shape}"
    except ValueError:
        shape, came = (0, 0), f"{type(output).__name__} of lists of unequal length"
    if len(shape) > 1 or 0 in shape:
        raise ValueError(
            f"mechanism must return one number, one label or a 1-d vector per call"
            f" (batch=False); got {came} on {role}. Flatten what it returns, or pass"
            f" batch=True for a mechanism(data, n, rng) that returns n releases."
        )
    return shape[0] if shape else 0


def _check_comparable(label: Any) -> None:
    """Refuse outputs that cannot be told apart."""
    by_identity = getattr(type(label), "__eq__", None) is getattr(object, "__eq__", None)
    told_apart = not by_identity or isinstance(label, (Enum, type(None)))
    try:
        hash(label)
    except TypeError:
        told_apart = False
    if not told_apart:
        raise TypeError(
            f"mechanism must return numbers, or labels that compare by value, such as texts;"
            f" got {type(label).__name__} {label!r:.80}. Return its parts as a vector, or"
            f" str() of it."
        )


def _key(label: Any) -> Any:
    """Give what never equals itself, as NaT, a text that does; texts are plain ones."""
    if isinstance(label, (np.str_, np.bytes_)):
        return label.item()
    odd = label is not None and pd.api.types.is_scalar(label) and pd.isna(label)
    return str(label) if odd else label


def _objects(given: list[Any], width: int | None) -> AnyArray:
    """Lay outputs of any kind out."""
    cells = np.empty((len(given), width) if width else len(given), dtype=object)
    for i, one in enumerate(given):
        if width:
            cells[i, :] = list(one)
        else:
            cells[i] = one[()] if isinstance(one, np.ndarray) else one
    return cells


def _joined(chunks: list[Outputs]) -> Outputs:
    numbers = np.concatenate([chunk.numbers for chunk in chunks])
    codes = None
    if any(chunk.codes is not None for chunk in chunks):
        codes = np.concatenate(
            [np.full(c.numbers.shape, -1) if c.codes is None else c.codes for c in chunks]
        )
    boolean = all(chunk.boolean for chunk in chunks)
    return Outputs(numbers, codes, chunks[-1].scalar, boolean)


def _copied(data: Any) -> Any:
    """Copy in depth; what cannot be copied, such as a connection, is passed as it is."""
    try:
        return copy.deepcopy(data)
    except (TypeError, NotImplementedError, copy.Error):
        return data


def same_data(one: Any, other: Any) -> bool:
    """Whether two inputs of a mechanism are equal; missing values equal each other.

    Containers are compared by what they hold, pandas objects by their labels too. What cannot
    be compared is the same only if it is one object.
    """
    if one is other:
        return True
    # An array without dimensions is the scalar in it.
    one, other = (x[()] if isinstance(x, np.ndarray) else x for x in (one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_data(one[k], other[k]) for k in one)
    try:
        if hasattr(one, "equals") or hasattr(other, "equals"):
            same_kind = type(one) is type(other)
            return same_kind and bool(one.equals(other) or _equal_as_objects(one, other))
        if isinstance(one, SEQUENCES) or isinstance(other, SEQUENCES):
            return _same_sequence(one, other)
        return bool(one == other) or bool(one != one and other != other)
    except (TypeError, ValueError):
        return False


def _equal_as_objects(one: Any, other: Any) -> bool:
    """Whether pandas objects are equal but for their dtypes."""
    if not isinstance(one, (pd.DataFrame, pd.Series, pd.Index)):
        return False
    return bool(one.astype(object).equals(other.astype(object)))


def _same_sequence(one: Any, other: Any) -> bool:
    if not (isinstance(one, SEQUENCES) and isinstance(other, SEQUENCES)):
        return False
    first, second = _as_array(one), _as_array(other)
    if first is not None and second is not None:
        if first.shape != second.shape:
            return False
        if first.dtype.kind in "iufbc" and second.dtype.kind in "iufbc":
            return np.array_equal(first, second, equal_nan=True)
    return len(one) == len(other) and all(map(same_data, one, other))


def _as_array(sequence: Any) -> AnyArray | None:
    """Array of a sequence; None if it is ragged."""
    try:
        return np.asarray(sequence)
    except ValueError:
        return None


# Exact bounds of how often an output comes


class Interval(NamedTuple):
    """Bounds of a probability."""

    lower: Any
    upper: Any


def clopper_pearson(successes: Any, trials: Any, *, confidence: float) -> Interval:
    r"""Exact bounds of a probability from a count.

    The lower bound is the p at which as many successes or more have probability
    :math:`(1 - confidence) / 2`, the upper one that at which as many or fewer have it.

    Parameters
    ----------
    successes, trials : int or array-like of int
        Counts, of shapes that fit together.
    confidence : float
        Of the interval; each bound alone is wrong with at most half of the rest.

    Returns
    -------
    Interval
        `lower` and `upper`, probabilities; numbers, or arrays where arrays came.

    Raises
    ------
    TypeError, ValueError
        If a count is none, or exceeds its trials.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits
       illustrated in the case of the binomial*, Biometrika 26, 1934.

    Examples
    --------
    None of 10: the upper bound solves (1 - p)**10 = 0.025.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4), round(1 - 0.025 ** (1 / 10), 4)
    (0.0, 0.3085, 0.3085)
    """
    rule = "whole numbers of at least 0"
    pair = {"successes": successes, "trials": trials}
    counts = {name: numbers(x, name, "[0, inf)", rule, whole=True) for name, x in pair.items()}
    first, second = together(**counts)
    if not ((second >= 1) & (first <= second)).all():
        raise ValueError(
            f"successes must be at most trials, and trials at least 1; got {successes!r:.80}"
            f" of {trials!r:.80}."
        )
    lower, upper = bounds(first, second, 1 - checked_confidence(confidence))
    return Interval(lower, upper) if lower.ndim else Interval(float(lower), float(upper))


def checked_confidence(confidence: Any) -> float:
    """Return a confidence: a probability below 1."""
    kind, rule = "a number such as 0.999", "above 0 and below 1, such as 0.999"
    return exact_number(confidence, "confidence", "(0, 1)", kind, rule, percent_hint=True)


def together(**arguments: AnyArray) -> list[AnyArray]:
    """Return arguments in one shape, repeated where they are single."""
    try:
        return list(np.broadcast_arrays(*arguments.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {given.shape}" for name, given in arguments.items())
        raise ValueError(
            f"{' and '.join(arguments)} must fit together; got shapes {shapes}. Pass single"
            f" numbers, or arrays of one shape."
        ) from None


def bounds(successes: Any, trials: Any, alpha: float) -> Interval:
    """Clopper-Pearson bounds, each wrong with probability of at most alpha / 2."""
    failures = trials - successes
    with np.errstate(invalid="ignore"):
        lower = special.betaincinv(successes, failures + 1.0, alpha / 2)
        upper = special.betainccinv(successes + 1.0, failures, alpha / 2)
    return Interval(np.where(successes == 0, 0.0, lower), np.where(failures == 0, 1.0, upper))


def cautious_losses(counts: Any, trials: Any, delta: float, caution: Any) -> Any:
    """ε that events show, less `caution` standard errors of each probability (Wilson).

    `counts` has a row for the data and one for the neighbour; so has the result, in the order
    of the likelier input.
    """
    squared = np.square(caution)
    centre = counts + squared / 2
    spread = caution * np.sqrt(counts * (trials - counts) / trials + squared / 4)
    total = trials + squared
    with np.errstate(divide="ignore"):
        above = np.log(np.maximum((centre - spread) / total - delta, 0))
    return above - np.log((centre + spread) / total)[::-1]


# Signs that releases are not independent draws
#
# Of independent releases, a pair that stands together is like a pair taken at random. So pairs
# at a few distances are compared with pairs that a fixed permutation makes of other releases:
# how often both are equal, lie on the same side of the median, or equally far from it. All
# pairs are disjoint, so both counts are binomial with one probability, and Clopper-Pearson
# bounds that do not meet say, with a known rate of false alarms, that releases depend.


STEADY = 40
"""Rows that chance does not make alike from one batch to the next."""


FALSE_DOUBT = 1e-6
"""Probability that independent releases of an audit are said to depend."""


ROLES, LAGS = 2, 3


TWO = np.uint8(2)


RELATIONS = (
    "equal",
    "on the same side of the median",
    "both near the median or both far from it",
)


SPECTRUM = 2**13
"""Selecting releases in which distances at which they depend are looked for."""


def doubts_of(old: Outputs, fresh: Outputs, role: str) -> list[str]:
    """Say how fresh releases depend on each other; empty where nothing is found.

    Medians and one of the distances come from the old releases, which decide nothing else.
    """
    start = _plain(old.numbers[:SPECTRUM])
    centre = _middle(start)
    away = _middle(_distance(start, centre))
    measured = _measured(fresh, centre, away)
    n, width = fresh.numbers.shape
    alpha = FALSE_DOUBT / (2 * ROLES * LAGS * len(RELATIONS) * width)
    for lag in sorted({1, _suspected_lag(start >= centre), n // 2}):
        if not 1 <= lag <= n // 2:
            continue
        alike = [_alike(measured, one, other) for one, other in _pairs(n, lag)]
        near, far = (bounds(x.sum(axis=1), np.int64(x.shape[1]), alpha) for x in alike)
        doubtful = np.argwhere((near.lower > far.upper) | (near.upper < far.lower))
        if len(doubtful):
            how, output = doubtful[0]
            shares = [100 * marks[how, :, output].mean() for marks in alike]
            return [
                f"releases of the {role} at a distance of {lag:,} are {RELATIONS[how]} in"
                f" {shares[0]:.3g} % of pairs, releases paired at random in {shares[1]:.3g} %"
            ]
    return []


def _plain(numbers: FloatArray) -> FloatArray:
    """Replace what cannot be subtracted: NaN by 0, infinity by the largest number."""
    return numbers if np.isfinite(numbers).all() else np.nan_to_num(numbers)


def _middle(numbers: FloatArray) -> FloatArray:
    """Return a median of each column; that of an even number of rows is the larger one."""
    half = len(numbers) // 2
    return np.asarray(np.partition(numbers, half, axis=0)[half])


def _distance(numbers: FloatArray, centre: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.abs(numbers - centre)


def _measured(outputs: Outputs, centre: FloatArray, away: FloatArray) -> list[AnyArray]:
    """Measure releases: side and distance, a bit each, and all that makes two equal."""
    numbers = _plain(outputs.numbers)
    same: list[AnyArray] = [numbers]
    if numbers is not outputs.numbers:
        same.append(np.isnan(outputs.numbers))
    if outputs.codes is not None:
        same.append(outputs.codes)
    bits = (numbers >= centre).view(np.uint8) | (_distance(numbers, centre) >= away) * TWO
    return [bits, *same]


def _alike(measured: list[AnyArray], one: IntArray, other: IntArray) -> Any:
    """Mark, for each relation, pair and output, whether the two are alike."""
    bits, *same = measured
    differ = bits.take(one, axis=0) ^ bits.take(other, axis=0)
    same = [some.take(one, axis=0) == some.take(other, axis=0) for some in same]
    equal = np.logical_and.reduce(same)
    return np.stack([equal, differ & 1 == 0, differ < TWO])


@lru_cache(maxsize=4)
def _pairs(n: int, lag: int) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Places in disjoint pairs: half of them lag apart, the others paired at random."""
    ahead = np.arange(n // (2 * lag) * 2 * lag).reshape(-1, 2, lag)
    left, right = ahead[:, 0].ravel(), ahead[:, 1].ravel()
    order = np.random.default_rng(lag).permutation(len(left))
    together, first, second = np.sort(order[::2]), np.sort(order[1::2]), order[1::2]
    return (left[together], right[together]), (left[first], right[second])


def _suspected_lag(marks: BoolArray) -> int:
    """Distance at which marks agree, or disagree, most; 0 for constant marks."""
    n = len(marks)
    strongest = np.zeros(max(n // 2, 1))
    for column in marks.T:  # the whole spectrum of many outputs would take much memory
        spectrum = np.fft.rfft(column - column.mean(), 2 * n)
        together = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[: len(strongest)]
        if together[0] > 0:
            strongest = np.maximum(strongest, np.abs(together) / together[0])
    return int(np.argmax(strongest[1:]) + 1) if strongest[1:].any() else 0


def not_fresh(old: Outputs, fresh: Outputs) -> str | None:
    """Say whether a batch repeats the one before, or rows differ between batches only.

    Rows that are alike in both batches say nothing: the mechanism may have no noise.
    """
    # Numbers and labels of the first releases of both; equal if the releases are.
    rows = slice(min(len(old.numbers), len(fresh.numbers)))
    shared = []
    for outputs in (old.part(rows), fresh.part(rows)):
        codes = np.isnan(outputs.numbers) if outputs.codes is None else outputs.codes
        shared.append(np.hstack([_plain(outputs.numbers), codes]))
    first, second = shared
    varied = np.count_nonzero((first[1:] != first[:-1]).any(axis=1))
    if varied:
        repeats = varied >= STEADY and np.array_equal(first, second)
        return "batches repeat each other" if repeats else None
    still = len(first) >= STEADY and (second == second[0]).all()
    differ = still and (first[0] != second[0]).any()
    return "the releases of a batch are all alike" if differ else None
