"""Signs that the releases an audit counts are not independent draws.

Of independent releases, a pair that stands together is like a pair taken at random. So pairs
at a few distances are compared with pairs that a fixed permutation makes of other releases:
how often both are equal, lie on the same side of the median, or equally far from it. All
pairs are disjoint, so both counts are binomial with one probability, and Clopper-Pearson
bounds that do not meet say, with a known rate of false alarms, that releases depend.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..._typing import AnyArray, BoolArray, FloatArray, IntArray
from .confidence import bounds
from .outputs import Outputs

__all__ = [
    "doubts_of",
    "not_fresh",
]


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
    differ = bits[one] ^ bits[other]
    equal = np.logical_and.reduce([some[one] == some[other] for some in same])
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


def not_fresh(old: Outputs, fresh: Outputs) -> tuple[bool, bool]:
    """Whether a batch repeats the one before, and whether rows differ between batches only.

    Rows that are alike in both batches say nothing: the mechanism may have no noise.
    """
    first, second = _shared_rows(old, fresh)
    varied = np.count_nonzero((first[1:] != first[:-1]).any(axis=1))
    if varied:
        return bool(varied >= STEADY and np.array_equal(first, second)), False
    still = len(first) >= STEADY and (second == second[0]).all()
    return False, bool(still and (first[0] != second[0]).any())


def _shared_rows(old: Outputs, fresh: Outputs) -> list[FloatArray]:
    """Numbers and labels of the first releases of two batches; equal if the releases are."""
    rows = slice(min(len(old.numbers), len(fresh.numbers)))
    shared = []
    for outputs in (old.part(rows), fresh.part(rows)):
        codes = np.isnan(outputs.numbers) if outputs.codes is None else outputs.codes
        shared.append(np.hstack([_plain(outputs.numbers), codes]))
    return shared
