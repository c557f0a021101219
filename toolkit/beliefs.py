"""How much do the other worlds weigh? Sorted outputs, sums over all pairs, and their root.

The computations behind `toolkit.identifiability`: every sum over pairs of worlds is a
recurrence along the sorted outputs, linear in their number, and of positive terms only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.linalg.blas import dtbsv  # type: ignore[import-untyped]

from ._validate import check_feasible, check_outputs, check_world_prior

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.intp]
EPS = 2.0**-52  # distance from 1 to the next float


@dataclass(frozen=True)
class Worlds:
    """Worlds by their distinct outputs in rising order; a uniform prior counts worlds."""

    labels: pd.Index
    prior: Floats
    outputs: Floats
    place: Whole
    mass: Floats
    top: Floats
    total: float

    @property
    def width(self) -> float:
        """Sensitive range of the outputs."""
        return float(self.outputs[-1] - self.outputs[0])

    @property
    def least_risk(self) -> float:
        """Risk of an infinite scale."""
        return float(self.top.max()) / self.total

    @cached_property
    def gaps(self) -> Floats:
        """Share of the range from the output before, first upwards, then downwards."""
        if self.outputs.size == 1:
            return np.zeros(2)
        gaps = np.diff(self.outputs) / self.width
        return np.concatenate([[0.0], gaps, [0.0], gaps[::-1]])

    @cached_property
    def before(self) -> tuple[Floats, Floats]:
        """Prior of the output before, and of all before, in the order of `gaps`."""
        last = np.concatenate([[0.0], self.mass[:-1], [0.0], self.mass[:0:-1]])
        half = self.mass.size
        return last, np.concatenate([np.cumsum(last[:half]), np.cumsum(last[half:])])


def see_worlds(outputs: Any, prior: Any) -> Worlds:
    """Check outputs and prior, and sort what is possible."""
    labels, numbers = check_outputs(outputs)
    weight = np.ones(len(labels)) if prior is None else check_world_prior(prior, labels)
    possible = weight > 0
    distinct = np.unique(numbers if possible.all() else numbers[possible])
    place = np.minimum(np.searchsorted(distinct, numbers), distinct.size - 1)
    mass = np.bincount(place, weight, distinct.size).astype(float)
    top = np.ones(distinct.size)
    if prior is not None:
        top = np.zeros(distinct.size)
        np.maximum.at(top, place, weight)
    return Worlds(labels, weight, distinct, place, mass, top, math.fsum(weight))


class Others(NamedTuple):
    """What the other outputs weigh at each output, for noise of some ε."""

    reached: Floats  # sum of prior * exp(-distance)
    missed: Floats  # sum of prior * (1 - exp(-distance)), where that would cancel
    slope: Floats  # how fast ε takes from the one and adds to the other


def weigh_others(worlds: Worlds, epsilon: float, *, slope: bool = True) -> Others:
    """Sum over all other outputs by recurrences along the sorted ones.

    All terms are positive, so no digits are lost: with ``a`` the decay over a gap, what is
    reached is ``a * (reached before + prior before)``, and what is missed
    ``a * missed before + (1 - a) * prior of all before``.
    """
    last, earlier = worlds.before
    steps = worlds.gaps * epsilon
    decay = np.exp(-steps)
    band = np.empty((2, decay.size), order="F")
    band[1, :-1] = -decay[1:]
    band[1, worlds.mass.size - 1] = band[1, -1] = 0.0  # where the way back begins

    def along(terms: Floats) -> Floats:
        """Solve x[i] = decay[i] * x[i-1] + terms[i]."""
        solved: Floats = dtbsv(1, band, terms, lower=1, diag=1)
        return solved

    def both(sums: Floats) -> Floats:
        return sums[: worlds.mass.size] + sums[: worlds.mass.size - 1 : -1]

    upto = along(decay * last)
    missed = both(along(-np.expm1(-steps) * earlier))
    return Others(both(upto), missed, both(along(worlds.gaps * upto)) if slope else missed)


def largest_beliefs(worlds: Worlds, scale: float) -> Floats:
    """Largest belief in each world over all responses."""
    if scale == 0 or worlds.width == 0:
        all_of = worlds.mass
    else:
        others = weigh_others(worlds, worlds.width / scale, slope=False)
        near = others.missed < others.reached
        all_of = np.where(near, worlds.total - others.missed, worlds.mass + others.reached)
    # A world that is impossible may have an output that no other world has.
    return np.minimum(worlds.prior / all_of[worlds.place], 1.0)


def excess_of(rho: float, mass: Floats, top: Floats) -> Floats:
    """Return rho * mass - top, the rounding of the product added back (Dekker, 1971)."""
    product = rho * mass
    parts = []
    for factor in (np.asarray(rho), mass):
        high = 134217729.0 * factor - (134217729.0 * factor - factor)
        parts.append((high, factor - high))
    (a, b), (c, d) = parts
    rounding = ((a * c - product) + a * d + b * c) + b * d
    excess: Floats = (product - top) + rounding
    return excess


def no_noise_needed(worlds: Worlds, rho: float) -> bool:
    """Whether worlds of equal output hide one another well enough."""
    return bool(rho >= (worlds.top / worlds.mass).max())


def epsilon_bracket(worlds: Worlds, rho: float) -> tuple[float, float]:
    """ε that is surely small enough, and ε that is surely too large or just right."""
    check_feasible(rho, worlds.least_risk, reached=worlds.width == 0)
    gap = -excess_of(rho, worlds.mass, worlds.top)
    risky = gap > 0
    gain = excess_of(rho, np.full(gap.size, worlds.total), worlds.top) + gap
    logs = np.log1p((gain - gap)[risky] / gap[risky])
    place = worlds.outputs
    far = np.maximum(place - place[0], place[-1] - place) / worlds.width
    half = worlds.gaps[: place.size]
    near = np.fmin(np.append(np.inf, half[1:]), np.append(half[1:], np.inf))
    return float((logs / far[risky]).min()), float((logs / near[risky]).min())


def largest_epsilon(worlds: Worlds, rho: float, start: float = 0.0) -> float:
    """Largest ε of no larger risk than rho; infinite where any is.

    Both what is missed and the logarithm of what is reached bend so that the tangent lies on
    the safe side: where it meets its target, the curve has not. So tangents lead up to the
    root from below and quickly; every fourth step halves the bracket, whatever they do.
    """
    if no_noise_needed(worlds, rho):
        return math.inf
    low, high = epsilon_bracket(worlds, rho)
    # Of the sums: more than a hundred times what is seen; taken off on the safe side.
    rounding = EPS * (worlds.top.size / 4 + 16)
    spare = excess_of(rho, np.full(worlds.top.size, worlds.total), worlds.top) / rho
    need = -excess_of(rho, worlds.mass, worlds.top) / rho
    risky = need > 0
    by_missed = np.flatnonzero(risky & (spare < need))
    by_reached = np.flatnonzero(risky & (spare >= need))
    spare, need = spare[by_missed] * (1 - rounding), need[by_reached] * (1 + rounding)
    low = max(low * (1 - 4 * rounding), start)
    for step in range(1, 500):
        halve = step % 4 == 0
        trial = math.sqrt(low * high) if halve else low
        others = weigh_others(worlds, trial)
        best = math.inf
        if spare.size:
            ahead = (spare - others.missed[by_missed]) / others.slope[by_missed]
            best = trial + float(ahead.min())
        if need.size:
            reached = others.reached[by_reached]
            if reached.min() > 0:  # else the trial went so far that nothing is left of them
                ahead = np.log(reached / need) * reached / others.slope[by_reached]
                best = min(best, trial + float(ahead.min()))
            else:
                best = low
        if not halve and best - low <= 2 * EPS * low:
            break
        if halve and best < trial:
            high = trial
        low = max(low, best) if halve else best
    return min(low, best)


def scale_of(worlds: Worlds, rho: float, epsilon: float) -> float:
    """Scale of an ε, raised while the risk computed from it rounds up beyond rho."""
    if math.isinf(epsilon):
        return 0.0
    scale, more = worlds.width / epsilon, EPS
    while largest_beliefs(worlds, scale).max() > rho:
        scale, more = scale * (1 + more), 2 * more
    return scale


def epsilon_of(worlds: Worlds, scale: float) -> float:
    """ε of a scale, rounded down so that it leads back to no smaller scale."""
    if scale == 0:
        return math.inf
    epsilon = worlds.width / scale
    while epsilon > 0 and worlds.width / epsilon < scale:
        epsilon = math.nextafter(epsilon, 0)
    return epsilon


def most_believed(worlds: Worlds, response: Floats, scale: float) -> tuple[Whole, Floats]:
    """Place of the output believed most at each response, and that belief.

    Below a response the order of beliefs is the same for all responses, and so above: the
    best of each side is a running one, and the better of the two is looked up.
    """
    if scale == 0:
        best = np.searchsorted(worlds.outputs, response)
        return best, worlds.top[best] / worlds.mass[best]
    places = np.arange(worlds.outputs.size)
    positions = (worlds.outputs - worlds.outputs[0]) / scale
    with np.errstate(divide="ignore"):
        logs = np.log(worlds.top)
    upwards, downwards = logs + positions, (logs - positions)[::-1]
    leads = np.maximum.accumulate(upwards)
    below = np.maximum.accumulate(np.where(upwards == leads, places, -1))
    leads = np.maximum.accumulate(downwards)
    above = places[::-1][np.maximum.accumulate(np.where(downwards == leads, places, -1))][::-1]
    seen = (response - worlds.outputs[0]) / scale
    cut = np.searchsorted(worlds.outputs, response, "right")
    low, high = below[np.maximum(cut - 1, 0)], above[np.minimum(cut, places[-1])]
    by_low, by_high = (logs[side] - np.abs(seen - positions[side]) for side in (low, high))
    best = np.where(by_low >= by_high, low, high)
    # All outputs below weigh what they weigh at the nearest of them, decayed; so above.
    half = places.size
    weights = weights_upto(worlds, scale)
    under = weights[:half][np.maximum(cut - 1, 0)] * (cut > 0)
    over = weights[half:][::-1][np.minimum(cut, half - 1)] * (cut < half)
    away = [
        np.abs(seen - positions[place])
        for place in (np.maximum(cut - 1, 0), np.minimum(cut, half - 1))
    ]
    nearest = np.minimum(*away)
    everyone = under * np.exp(nearest - away[0]) + over * np.exp(nearest - away[1])
    belief = np.exp(np.maximum(by_low, by_high) + nearest) / everyone
    return best, np.minimum(belief, 1.0)


def weights_upto(worlds: Worlds, scale: float) -> Floats:
    """Prior of each output and, decayed, of all before it: upwards, then downwards."""
    last, _ = worlds.before
    decay = np.exp(-worlds.gaps * (worlds.width / scale))
    band = np.zeros((2, decay.size), order="F")
    band[1, :-1] = -decay[1:]
    band[1, worlds.mass.size - 1] = 0.0
    own = np.concatenate([worlds.mass, worlds.mass[::-1]])
    reached: Floats = dtbsv(1, band, decay * last, lower=1, diag=1)
    upto: Floats = reached + own
    return upto


def one_of_the_best(worlds: Worlds, best: Whole, rng: np.random.Generator) -> Whole:
    """Position of a world with the output guessed, by lot among the likeliest of them."""
    likeliest = np.flatnonzero(worlds.prior == worlds.top[worlds.place])
    order = likeliest[np.argsort(worlds.place[likeliest], kind="stable")]
    counts = np.bincount(worlds.place[likeliest], minlength=worlds.outputs.size)
    first = np.cumsum(counts) - counts
    pick = (rng.random(best.size) * counts[best]).astype(np.intp)
    chosen: Whole = order[first[best] + pick]
    return chosen
