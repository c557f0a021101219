"""Example mechanisms for audits: some keep their ε, others break it on purpose.

Nothing here is for a release. Each case is a few lines of numpy with the pair of neighbours,
the claim, and the ε that holds for this pair, in closed form. The claims of `kept` are true,
those of `broken` are false, and those of `unseen` are also false, but the given pair of
neighbours does not show it. `neighbour_pairs` reveals the defects of PrivacyHistos.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import FloatArray
from .histograms import (
    histogram_epsilon,
    noisy_shares,
    pre_process,
    without_individual,
)
from .mechanisms import whole_noise
from .noise import GaussianNoise

Batch = Callable[[Any, int, np.random.Generator], Any]


CANDIDATES = 20  # of the exponential mechanism; more candidates come closer to the worst pair
DELTA = 1e-5
DISCLOSING_BIN = "a bin that is there discloses"


@dataclass(frozen=True)
class Case:
    """A mechanism, two neighbouring inputs, and a claim about them."""

    mechanism: Batch  # called as mechanism(data, n, rng)
    data: Any
    neighbour: Any
    epsilon: float  # the claim, natural logarithm
    true_epsilon: float  # the least ε that holds for this pair at `delta`, or infinity
    why: str  # what keeps the claim, or breaks it
    delta: float = 0.0

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `toolkit.audit` that the case fixes."""
        names = ("mechanism", "data", "neighbour", "epsilon", "delta")
        return {name: getattr(self, name) for name in names} | {"batch": True}


def _cases(*rows: tuple[Any, ...]) -> dict[str, Case]:
    """Cases by name; a row has the name, then the fields of `Case` in order."""
    return {name: Case(*parts) for name, *parts in rows}


def kept() -> dict[str, Case]:
    """Return mechanisms that keep their claim, by name.

    Returns
    -------
    dict of str to Case
        In each, `true_epsilon` is at most `epsilon`.

    Examples
    --------
    >>> case = kept()["Laplace"]
    >>> case.data, case.neighbour, case.epsilon, case.true_epsilon
    (100, 101, 1.0, 1.0)
    """
    sigma = math.sqrt(2 * math.log(1.25 / DELTA))  # above what the analytic condition asks for
    loss = GaussianNoise(sigma).epsilon(1, DELTA)
    gaussian = f"σ = {sigma:.2f} for a sensitivity of 1"
    truth, answer = "the truth with probability e^ε / (1 + e^ε)", randomised_response(1)
    bins = (5, 3, 1, 0), (5, 3, 0, 0)
    return _cases(
        ("Laplace", laplace(1), 100, 101, 1.0, 1.0, "scale = sensitivity / ε"),
        ("geometric", geometric(1), 3, 2, 1.0, 1.0, "two-sided, a = e^-ε"),
        ("randomised response", answer, 1, 0, 1.0, 1.0, truth),
        ("exponential", *_exponential_case(2), "weights e^(ε utility / 2)"),
        ("Gaussian", normal(sigma), 100, 101, 1.0, loss, gaussian, DELTA),
        ("histogram", geometric(1), *bins, 1.0, 1.0, "all bins noised, also empty ones"),
        ("two releases", laplace(1), (100, 100), (101, 101), 2.0, 2.0, "both are paid for"),
    )


def broken() -> dict[str, Case]:
    """Return mechanisms that break their claim on the given pair of neighbours, by name.

    Returns
    -------
    dict of str to Case
        In each, `true_epsilon` exceeds `epsilon`.

    Examples
    --------
    >>> case = broken()["scale x 0.8"]
    >>> case.epsilon, case.true_epsilon
    (1.0, 1.25)
    """
    lost, occurring, twice = math.inf, only_bins_that_occur(1), ((100, 100), (101, 101))
    difference = "the difference of two bins has no noise"
    low_bits = "1 + noise cannot have the lowest bits of 0 + noise"
    unpaid = "the second answer is not paid for"
    tail = "far out in the tail the ratio has no bound"
    return _cases(
        ("scale x 0.8", laplace(0.8), 100, 101, 1.0, 1 / 0.8, "a fifth too little noise"),
        ("scale x 0.9", laplace(0.9), 100, 101, 1.0, 1 / 0.9, "a tenth too little noise"),
        ("zero stays zero", noise_unless_zero, 1, 0, 1.0, lost, "a count of 0 is published"),
        ("bins from the data", occurring, (5, 1), (5, 0), 1.0, lost, DISCLOSING_BIN),
        ("noise reused", same_noise, (6, 3), (5, 3), 1.0, lost, difference),
        ("two releases as one", laplace(1), *twice, 1.0, 2.0, unpaid),
        ("Gaussian called pure", normal(1), 100, 101, 1.0, lost, tail),
        ("exponential without the 2", *_exponential_case(1), "weights e^(ε utility)"),
        ("Laplace in doubles", laplace(1), 0, 1, 1.0, lost, low_bits),
    )


def unseen() -> dict[str, Case]:
    """Return broken mechanisms whose pair of neighbours does not show the defect, by name.

    Returns
    -------
    dict of str to Case
        In each, `true_epsilon` of the given pair is at most `epsilon`; other neighbours would
        break the claim.

    Examples
    --------
    >>> case = unseen()["zero stays zero"]
    >>> case.data, case.neighbour, case.true_epsilon
    (101, 100, 1.0)
    """
    zero = "neither count is 0; 1 and 0 would show it"
    records = "has 1 record; an individual with 20 would show it"
    half = "moves the sum by half the sensitivity"
    return _cases(
        ("zero stays zero", noise_unless_zero, 101, 100, 1.0, 1.0, zero),
        ("no contribution bound", laplace(1), 101, 100, 1.0, 1.0, records),
        ("scale x 0.8", laplace(0.8), 100.0, 100.5, 1.0, 0.5 / 0.8, half),
    )


def line_up() -> dict[str, Batch]:
    """Six mechanisms that claim ε = 1 (and δ = 1e-5) for counts one apart; one claim is false.

    The letters are shuffled; an audit finds the mechanism that breaks the claim.
    """
    claims = [laplace(1), geometric(1), laplace(1.1), laplace(0.85), normal(5), laplace(2)]
    order = np.random.default_rng(2026).permutation(len(claims))
    return {name: claims[i] for name, i in zip("abcdef", order, strict=True)}


# The mechanisms: data, n, rng -> n releases


def laplace(scale: float) -> Batch:
    """Add Laplace noise to a number, or to each of several."""
    return lambda data, n, rng: data + rng.laplace(0, scale, (n, *np.shape(data)))


def normal(sigma: float) -> Batch:
    """Add Gaussian noise."""
    return lambda data, n, rng: data + rng.normal(0, sigma, (n, *np.shape(data)))


def geometric(epsilon: float) -> Batch:
    """Add two-sided geometric noise to an integer, or to each of several."""

    def mechanism(data: Any, n: int, rng: np.random.Generator) -> Any:
        up, down = rng.geometric(1 - math.exp(-epsilon), (2, n, *np.shape(data)))
        return data + up - down

    return mechanism


def randomised_response(epsilon: float) -> Batch:
    """Answer 0 or 1, the truth with probability e^ε / (1 + e^ε)."""
    truth = 1 / (1 + math.exp(-epsilon))
    return lambda data, n, rng: np.where(rng.random(n) < truth, data, 1 - data)


def exponential(epsilon: float, divisor: float) -> Batch:
    """Choose a candidate with weight e^(ε utility / divisor); the divisor should be 2."""

    def mechanism(data: Any, n: int, rng: np.random.Generator) -> Any:
        weights = np.exp(epsilon * np.asarray(data) / divisor)
        return rng.choice(len(weights), n, p=weights / weights.sum())

    return mechanism


def noise_unless_zero(data: Any, n: int, rng: np.random.Generator) -> Any:
    """Add Laplace noise to counts, but leave zeros as they are."""
    counts = np.asarray(data)
    return np.where(counts == 0, 0.0, counts + rng.laplace(0, 1, (n, *counts.shape)))


def same_noise(data: Any, n: int, rng: np.random.Generator) -> Any:
    """Add the same draw of Laplace noise to all bins of a histogram."""
    return np.asarray(data) + rng.laplace(0, 1, (n, 1))


def only_bins_that_occur(scale: float) -> Batch:
    """Add Laplace noise to bins that hold records; leave the others out of the release."""

    def mechanism(data: Any, n: int, rng: np.random.Generator) -> Any:
        counts = np.asarray(data)
        noisy = counts + rng.laplace(0, scale, (n, *counts.shape))
        return np.where(counts == 0, np.nan, noisy)

    return mechanism


# Their pairs


def _exponential_case(divisor: float) -> tuple[Any, ...]:
    """One candidate loses its only vote, all others gain one: the worst pair at this size."""
    first = (1,) + (0,) * (CANDIDATES - 1)
    second = tuple(1 - utility for utility in first)
    weight, others = math.exp(1 / divisor), CANDIDATES - 1
    loss = math.log(weight / (weight + others)) - math.log(1 / (1 + others * weight))
    return exponential(1, divisor), first, second, 1.0, loss


# Neighbours that reveal the defects of PrivacyHistos


COMBO = {"kind": ["kind_c"]}


class NeighbourPair(NamedTuple):
    """A release, and two tables that differ by one individual whom it should hide."""

    defect: str  # the defect of PrivacyHistos that this pair reveals
    own: list[int]  # codes of the one individual, a record each
    domain: Mapping[str, Any]  # possible codes of the one column `kind_c`
    sample_size: int = 1  # records of one individual that may count
    sensitivity: float = 1.0  # of the whole release, sH + q
    epsilon: float = 1.0  # of the whole release (natural logarithm)
    legacy_sensitivity: float = 1.0  # the sensitivity passed to the original
    public_bins: bool = False  # the original is given the bins, not those that occur
    observed: str = "weights"  # "weights" of the codes, or the "count" of records
    common: tuple[int, ...] = (1,) * 30 + (2,) * 30  # codes of the others, a record each

    @property
    def data(self) -> pd.DataFrame:
        """Records of all individuals; the individual that the neighbour lacks comes last."""
        last = len(self.common)
        people = [*range(last), *[last] * len(self.own)]
        return pd.DataFrame({"person_i": people, "kind_c": [*self.common, *self.own]})

    @property
    def neighbour(self) -> pd.DataFrame:
        """Return the records of the others."""
        return without_individual(self.data, len(self.common))

    @property
    def claim(self) -> float:
        """ε of this histogram alone, which an audit tests: sε/(sH + q)."""
        return histogram_epsilon(self.sample_size, self.sensitivity, self.epsilon)


def neighbour_pairs() -> dict[str, NeighbourPair]:
    """Pairs of tables that reveal the defects of PrivacyHistos, by name.

    Returns
    -------
    dict of {name: NeighbourPair}
        "new category", "empty bin", "larger maximum", "20 records", "divided twice" and "float
        noise"; `defect` describes the defect that each pair reveals.

    Examples
    --------
    >>> pair = neighbour_pairs()["20 records"]
    >>> len(pair.data) - len(pair.neighbour), pair.claim
    (20, 1.0)
    """
    few, wide = {"kind_c": [1, 2, 3]}, {"kind_c": [1, 2, 12]}
    return {
        "new category": NeighbourPair("bins are taken from the data", [3], few, epsilon=0.1),
        "empty bin": NeighbourPair(
            "empty bins get no noise", [3], few, epsilon=0.1, public_bins=True
        ),
        "larger maximum": NeighbourPair("the data's maximum sets the digits", [12], wide),
        "20 records": NeighbourPair("nothing bounds the records of one", [2] * 20, few),
        "divided twice": NeighbourPair(
            "the sensitivity of 11 is divided by epsilon before it is passed",
            *([2] * 3, few, 3, 11.0, 10.0, 1.1),
        ),
        "float noise": NeighbourPair(
            "the low bits of floating-point noise tell counts apart",
            *([3], few),
            observed="count",
            common=(3,),
        ),
    }


def histogram_mechanism(
    pair: NeighbourPair,
) -> Callable[[pd.DataFrame, int, np.random.Generator], FloatArray]:
    """Turn the release of a pair into a mechanism of many releases at once, for an audit.

    Parameters
    ----------
    pair : NeighbourPair
        See `neighbour_pairs`.

    Returns
    -------
    callable
        `mechanism(data, n, rng)` for ``audit(..., batch=True)``: n independent releases of the
        whole workflow, distributed like those of `pre_process` and `create_private_histo` with
        ``sample=1``. The result has shape (n, 3), the weight of each code of the domain, or
        shape (n,), the noisy count. For PrivacyHistos itself, see
        `toolkit.dp.legacy.histogram_mechanism`.

    Examples
    --------
    >>> pair = neighbour_pairs()["new category"]
    >>> rng = np.random.default_rng(1)
    >>> histogram_mechanism(pair)(pair.neighbour, 2, rng).round(2)
    array([[0.31, 0.24, 0.45],
           [0.42, 0.34, 0.24]])
    """

    def released(data: pd.DataFrame, n: int, rng: np.random.Generator) -> FloatArray:
        coded = pre_process(data, COMBO, {}, domain=pair.domain)
        noise = whole_noise(pair.sensitivity, pair.epsilon, rng)
        # All records of one individual are alike, so it does not matter which of them count.
        bounded = coded.df.groupby("person_i")["kind"].head(pair.sample_size)
        domain = coded.domains["kind"]
        counts = np.bincount(domain.find(bounded.to_numpy()), minlength=domain.size)
        if pair.observed == "count":
            return np.asarray(counts.sum() + noise(n), dtype=float)
        return noisy_shares(counts + noise((n, domain.size)))

    return released
