"""How many records does each cell show? Bounded contributions, and noise on every cell.

Someone with many records could change a histogram by as many, so at most s of them count.
Then two-sided geometric noise of one scale goes on every cell of the declared domain, empty
ones too: a cell without noise would tell that nobody is in it.

Domains of millions of cells are not written out. Of their empty cells only those matter whose
noise passes a threshold; how many these are, which, and by how much, is drawn from the same
law as noise on every cell would have. Noise of numpy is not for releases; that of OpenDP is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from ._validate import check_generator, check_whole
from ._validate_histograms import (
    LARGEST_DOMAIN,
    check_cell_number,
    check_contributions,
    check_individuals,
    check_listed,
    check_release_sensitivity,
    check_sample_size,
)
from ._validate_noise import (
    Whole,
    check_loss,
    check_noise_scale,
    check_sensitivity,
    exact,
)
from .histogram_domains import CombinedDomain, whole_numbers
from .mechanisms import geometric, geometric_scale, geometric_tail

__all__ = [
    "MOST_LISTED",
    "bound_contributions",
    "histogram_epsilon",
    "histogram_scale",
    "histogram_sensitivity",
    "release_threshold",
]

MOST_LISTED = 1_000_000
"""Cells up to which all are listed; of larger domains, those above a threshold."""


# The proof in three numbers


def histogram_sensitivity(
    histograms: int, sample_size: int, population_queries: int = 0
) -> int:
    r"""How far one individual moves all answers together: :math:`sH + q`.

    Parameters
    ----------
    histograms : int
        Histograms H.
    sample_size : int
        Records s of one individual that may count.
    population_queries : int, default 0
        Counts q of individuals; a count of records is worth s of them.

    Returns
    -------
    int
        Largest sum of absolute changes (L1) when an individual with all records comes or goes.

    Raises
    ------
    TypeError, ValueError
        If a number is no whole number, or there is nothing to answer.

    Examples
    --------
    Four histograms and the number of incidents, one record each:

    >>> histogram_sensitivity(4, 1, 1)
    5
    """
    h = check_whole(histograms, "histograms", 0, 10**6, "histograms of the release")
    q = check_whole(population_queries, "population_queries", 0, 10**6, "counts of people")
    return int(check_sensitivity(h * check_sample_size(sample_size) + q))


def histogram_scale(
    histograms: int, sample_size: int, population_queries: int, epsilon: float
) -> float:
    r"""Scale of the noise on every cell and count: :math:`b = (sH + q)/\varepsilon`.

    Parameters
    ----------
    histograms, sample_size, population_queries
        As for `histogram_sensitivity`.
    epsilon : float
        What all answers together may cost (natural logarithm).

    Returns
    -------
    float
        Records; larger is safer.

    Raises
    ------
    TypeError, ValueError
        As `histogram_sensitivity`, or if ε is not positive and finite.

    Examples
    --------
    >>> histogram_scale(4, 1, 1, 1.0)
    5.0
    """
    loss = check_loss(epsilon)
    return histogram_sensitivity(histograms, sample_size, population_queries) / loss


def histogram_epsilon(sample_size: int, sensitivity: float, epsilon: float) -> float:
    r"""What one histogram costs of a release: :math:`s\varepsilon/(sH + q)`.

    Parameters
    ----------
    sample_size : int
        Records s of one individual that may count; 1 for a population query.
    sensitivity : float
        Of the whole release, sH + q.
    epsilon : float
        Of the whole release (natural logarithm).

    Returns
    -------
    float
        Privacy loss (natural logarithm); smaller is safer. Over all answers they add up to
        `epsilon`.

    Raises
    ------
    TypeError, ValueError
        If a number is out of its range, or `sensitivity` is below `sample_size`.

    Examples
    --------
    >>> histogram_epsilon(1, 5, 1.0)
    0.2
    """
    size = check_sample_size(sample_size)
    return float(release_cost(size, check_release_sensitivity(sensitivity, size), epsilon))


def release_cost(share: int, sensitivity: float, epsilon: float) -> Fraction:
    """What an answer costs that moves by `share` of the sensitivity, exactly."""
    check_loss(epsilon)
    return share * exact(epsilon) / exact(sensitivity)


# Records that count


def bound_contributions(
    df: pd.DataFrame, sample_size: int, *, rng: np.random.Generator
) -> pd.DataFrame:
    """Keep at most so many records of each individual, drawn without replacement.

    Parameters
    ----------
    df : DataFrame of shape (n_records, n_columns)
        One column ends in `_i`, the individual.
    sample_size : int
        Records s of one individual that may count.
    rng : numpy.random.Generator
        Source of the draw; every s of an individual's records are equally likely. Its seed
        must stay as unknown as that of noise, for it tells whose records count.

    Returns
    -------
    DataFrame
        The records that are kept, in their order and under their labels. Adding or removing
        an individual with all records changes at most s rows: fewer are safer.

    Raises
    ------
    TypeError, ValueError
        If there is no one column of individuals, or `sample_size` is not at least 1.

    Examples
    --------
    >>> trips = pd.DataFrame({"taxi_i": [1, 1, 1, 2], "fare_n": [5, 6, 7, 50]})
    >>> bound_contributions(trips, 1, rng=np.random.default_rng(1))
       taxi_i  fare_n
    0       1       5
    3       2      50
    """
    people = check_individuals(df)
    size = check_sample_size(sample_size)
    return df.iloc[_kept(people, size, check_generator(rng, "to draw records"))]


def release_threshold(cells: int, scale: float) -> int:
    r"""Count above which noise on empty cells is expected to lift one of them at most.

    The smallest τ of at least 0 with :math:`\text{cells} \cdot a^{\tau+1}/(1+a) \le 1`, where
    :math:`a = e^{-1/b}`. It depends on public numbers only.

    Parameters
    ----------
    cells : int
        Cells of the domain.
    scale : float
        Scale b of the noise; see `histogram_scale`.

    Returns
    -------
    int
        Noisy counts up to τ are left out; those above it are listed, whether their cell is
        empty or not.

    Raises
    ------
    TypeError, ValueError
        If `cells` is no whole number of at least 1, or the scale is not positive.

    Examples
    --------
    >>> release_threshold(41_648_640, 5.0)
    84
    """
    cells = check_whole(cells, "cells", 1, LARGEST_DOMAIN, "cells of the domain")
    b = check_noise_scale(scale)
    guess = max(math.ceil(b * (math.log(cells) - math.log1p(math.exp(-1 / b)))) - 1, 0)
    # Rounding may have moved the guess by one where the bound is met exactly.
    while guess > 0 and cells * _chance_above(guess - 1, b) <= 1:
        guess -= 1
    while cells * _chance_above(guess, b) > 1:
        guess += 1
    return guess


class Noise(NamedTuple):
    """How noise is drawn: all of it public."""

    sensitivity: float
    """Of the whole release."""
    epsilon: float
    """Of the whole release, natural logarithm."""
    rng: np.random.Generator | None
    backend: str

    @property
    def scale(self) -> float:
        """Scale of the geometric noise."""
        return float(geometric_scale(self.sensitivity, self.epsilon))

    def on(self, counts: Whole) -> Whole:
        """Counts with noise."""
        rng = self.rng if self.backend == "numpy" else None
        noisy = geometric(
            counts,
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            rng=rng,
            backend=self.backend,
        )
        return np.asarray(noisy, dtype=np.int64)


class NoisyCells(NamedTuple):
    """Noisy counts of a domain, or of those of its cells that are above a threshold."""

    domain: CombinedDomain
    counts: Whole
    threshold: int | None = None
    cells: Whole | None = None
    """Which cells; None stands for all."""

    @property
    def codes(self) -> Whole:
        """Combined code of each cell listed, ascending."""
        return self.domain.codes(self.listed)

    @property
    def listed(self) -> Whole:
        """Number of each cell listed, ascending."""
        return np.arange(self.domain.size) if self.cells is None else self.cells


def counted_cells(
    df: pd.DataFrame,
    people: pd.Series,
    domain: CombinedDomain,
    sample: bool,
    sample_size: int,
    rng: np.random.Generator | None,
) -> Whole:
    """Cell of each record that counts; one outside the domain does not."""
    codes = whole_numbers(df[domain.name])
    if sample:
        codes = codes[_kept(people, sample_size, check_generator(rng, "to draw records"))]
    else:
        check_contributions(_most_records(people), sample_size)
    cells = domain.find(codes)
    return cells[cells >= 0]


def noisy_cells(
    cells: Whole, domain: CombinedDomain, threshold: int | None, noise: Noise
) -> NoisyCells:
    """Noise on every cell of the domain; large ones list what is above a threshold."""
    if domain.size > MOST_LISTED:
        limit = release_threshold(domain.size, noise.scale) if threshold is None else threshold
        ways = {"numpy": _only_above, "opendp": _one_by_one}
        return ways[noise.backend](cells, domain, limit, noise)
    counts = noise.on(np.bincount(cells, minlength=domain.size))
    if threshold is None:
        return NoisyCells(domain, counts)
    above = np.flatnonzero(counts > threshold)
    return NoisyCells(domain, counts[above], threshold, above)


def check_size(domain: CombinedDomain, threshold: int | None, scale: float) -> None:
    """Refuse a domain or a threshold whose release cannot be listed; no data are looked at."""
    check_cell_number(domain.size)
    if threshold is not None and domain.size > MOST_LISTED:
        expected = domain.size * _chance_above(threshold, scale)
        check_listed(expected, MOST_LISTED, threshold)


def _only_above(
    cells: Whole, domain: CombinedDomain, threshold: int, noise: Noise
) -> NoisyCells:
    """Noise on occupied cells; of empty ones, those alone that noise lifts over a threshold.

    The law is that of noise on every cell: each empty cell passes with the same probability,
    independently, and what is above τ is geometric again, for that law has no memory.
    """
    rng, scale = check_generator(noise.rng, "for the noise"), noise.scale
    occupied, counts = np.unique(cells, return_counts=True)
    noisy = noise.on(counts)
    empty = domain.size - len(occupied)
    number = rng.binomial(empty, _chance_above(threshold, scale))
    ranks = rng.choice(empty, number, replace=False, shuffle=False)
    lifted = ranks + np.searchsorted(occupied - np.arange(len(occupied)), ranks, side="right")
    values = threshold + rng.geometric(-math.expm1(-1 / scale), number)
    above = noisy > threshold
    found = np.concatenate([occupied[above], lifted])
    order = np.argsort(found)
    listed = np.concatenate([noisy[above], values])[order]
    return NoisyCells(domain, listed, threshold, found[order])


def _one_by_one(
    cells: Whole, domain: CombinedDomain, threshold: int, noise: Noise
) -> NoisyCells:
    """Noise on every cell, a block at a time, for a backend that draws nothing else."""
    occupied, counts = np.unique(cells, return_counts=True)
    found, listed = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in tqdm(range(0, domain.size, MOST_LISTED), desc=domain.name, delay=1):
        block = np.zeros(min(MOST_LISTED, domain.size - start), np.int64)
        low, high = np.searchsorted(occupied, [start, start + len(block)])
        block[occupied[low:high] - start] = counts[low:high]
        noisy = noise.on(block)
        above = np.flatnonzero(noisy > threshold)
        found.append(above + start)
        listed.append(noisy[above])
    return NoisyCells(domain, np.concatenate(listed), threshold, np.concatenate(found))


def _chance_above(threshold: int, scale: float) -> float:
    """Probability that the noise of an empty cell is above the threshold."""
    return float(geometric_tail(threshold + 1, scale)) / 2


def _most_records(people: pd.Series) -> int:
    return int(np.bincount(pd.factorize(people, use_na_sentinel=False)[0]).max(initial=0))


def _kept(people: pd.Series, size: int, rng: np.random.Generator) -> Whole:
    """Positions of at most `size` records of each individual, in their order."""
    order = rng.permutation(len(people))
    codes = pd.factorize(people, use_na_sentinel=False)[0][order]
    together = np.argsort(codes, kind="stable")
    order, codes = order[together], codes[together]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    rank = np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))
    return np.sort(order[rank < size])
