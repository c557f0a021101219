"""Neighbouring tables for an audit of private histograms.

Neighbours differ by one individual, with *all* records. Each pair here is made for one defect
of PrivacyHistos (J. King, 2021): `toolkit.audit` finds the defect with that pair, and finds
nothing of it in what `release_histograms` releases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._typing import FloatArray, IntArray
from ..._validation import check_instance
from ._validation import check_individuals
from .codes import pre_process
from .domain import CombinedDomain, whole_numbers
from .postprocessing import noisy_shares
from .release import Noise, histogram_epsilon

__all__ = [
    "NeighbourPair",
    "histogram_mechanism",
    "neighbour_pairs",
    "without_individual",
]


COMMON = 30
"""Individuals in each of the codes 1 and 2, who are the same in both tables of a pair."""


class NeighbourPair(NamedTuple):
    """Two tables that differ by one individual, and a release that is to keep them apart."""

    defect: str
    """What of PrivacyHistos this pair brings to light."""
    data: pd.DataFrame
    """Ground truth."""
    neighbour: pd.DataFrame
    """The same without one individual."""
    domain: Mapping[str, Any]
    """Possible codes of the one column `kind_c`."""
    sample_size: int
    """Records of one individual that may count."""
    sensitivity: float
    """Of the whole release, sH + q."""
    epsilon: float
    """Of the whole release (natural logarithm)."""
    claim: float
    """ε of this histogram alone, which an audit tests: sε/(sH + q)."""
    legacy_sensitivity: float
    """What the original is called with; the same, but for one pair."""
    public_bins: bool = False
    """Whether the original is given the bins, instead of taking those that occur."""
    observed: str = "weights"
    """What is released: "weights" of the codes, or the "count" of records."""


def without_individual(ground_truth: pd.DataFrame, individual: int) -> pd.DataFrame:
    """Remove all records of one individual: the neighbour that ε speaks of.

    Parameters
    ----------
    ground_truth : DataFrame
        One column ends in `_i`, the individual.
    individual : int
        Who is to go.

    Returns
    -------
    DataFrame
        The records of all others, under their labels.

    Raises
    ------
    TypeError, ValueError
        If there is no one column of individuals, or the individual has no record.

    Examples
    --------
    >>> trips = pd.DataFrame({"taxi_i": [1, 2, 1], "fare_n": [5, 6, 7]})
    >>> without_individual(trips, 1)
       taxi_i  fare_n
    1       2       6
    """
    people = check_individuals(ground_truth)
    # A list, or a missing number, is nobody.
    own = people.eq(individual if pd.api.types.is_scalar(individual) else np.nan)
    if not own.any():
        raise ValueError(f"individual: {individual!r:.80} has no record; name one who has.")
    return ground_truth[~own.fillna(False).to_numpy(bool)]


def neighbour_pairs() -> dict[str, NeighbourPair]:
    """Pairs of tables that bring the defects of PrivacyHistos to light, by name.

    Returns
    -------
    dict of {name: NeighbourPair}
        "new category", "empty bin", "larger maximum", "20 records", "divided twice" and "float
        noise"; `defect` says what each is about.

    Examples
    --------
    >>> pair = neighbour_pairs()["20 records"]
    >>> len(pair.data) - len(pair.neighbour), pair.claim
    (20, 1.0)
    """
    few, wide = {"kind_c": [1, 2, 3]}, {"kind_c": [1, 2, 12]}
    return {
        "new category": _pair("bins are taken from the data", 3, 1, few, epsilon=0.1),
        "empty bin": _pair(
            "empty bins get no noise", 3, 1, few, epsilon=0.1, public_bins=True
        ),
        "larger maximum": _pair("the data's maximum sets the digits", 12, 1, wide),
        "20 records": _pair("nothing bounds the records of one individual", 2, 20, few),
        "divided twice": _pair(
            "the sensitivity of 11 is divided by epsilon before it is passed",
            *(2, 3, few),
            sample_size=3,
            sensitivity=11.0,
            epsilon=10.0,
            legacy_sensitivity=1.1,
        ),
        "float noise": _pair(
            "the low bits of floating-point noise tell counts apart",
            *(3, 1, few),
            common=[3],
            observed="count",
        ),
    }


def _pair(
    defect: str,
    code: int,
    records: int,
    domain: Mapping[str, Any],
    *,
    common: Any = None,
    sample_size: int = 1,
    sensitivity: float = 1.0,
    epsilon: float = 1.0,
    legacy_sensitivity: float | None = None,
    **options: Any,
) -> NeighbourPair:
    """A table in which the last individual has some records of one code, and that without."""
    kinds = [1] * COMMON + [2] * COMMON if common is None else common
    people = [*range(len(kinds)), *[len(kinds)] * records]
    data = pd.DataFrame({"person_i": people, "kind_c": [*kinds, *[code] * records]})
    return NeighbourPair(
        defect,
        data,
        without_individual(data, len(kinds)),
        domain,
        sample_size,
        sensitivity,
        epsilon,
        histogram_epsilon(sample_size, sensitivity, epsilon),
        sensitivity if legacy_sensitivity is None else legacy_sensitivity,
        **options,
    )


def histogram_mechanism(
    pair: NeighbourPair,
) -> Callable[[pd.DataFrame, int, np.random.Generator], FloatArray]:
    """Make the release of a pair a mechanism of many releases at once, for an audit.

    Parameters
    ----------
    pair : NeighbourPair
        See `neighbour_pairs`.

    Returns
    -------
    callable
        `mechanism(data, n, rng)` for ``audit(..., batch=True)``: n independent releases of
        the whole workflow, in law those of `pre_process` and `create_private_histo` with
        ``sample=1``. An array of shape (n, 3): the weight of each code of the domain. Or of
        shape (n,): the noisy count. That of PrivacyHistos itself is
        `toolkit.dp.histograms.legacy.histogram_mechanism`.

    Raises
    ------
    TypeError
        If `pair` is none.

    Examples
    --------
    >>> pair = neighbour_pairs()["new category"]
    >>> rng = np.random.default_rng(1)
    >>> histogram_mechanism(pair)(pair.neighbour, 2, rng).round(2)
    array([[0.31, 0.24, 0.45],
           [0.42, 0.34, 0.24]])
    """
    check_instance(pair, NeighbourPair, "pair", "neighbour_pairs")
    return lambda data, n, rng: _releases(pair, data, n, rng)


COMBO = {"kind": ["kind_c"]}


def _releases(
    pair: NeighbourPair, data: pd.DataFrame, n: int, rng: np.random.Generator
) -> FloatArray:
    coded = pre_process(data, COMBO, {}, domain=pair.domain)
    noise = Noise(pair.sensitivity, pair.epsilon, rng, "numpy")
    counts = _bounded_counts(coded.df, coded.domains["kind"], pair.sample_size, n, rng)
    if pair.observed == "count":
        return noise.on(counts.sum(axis=1)).astype(float)
    return noisy_shares(noise.on(counts))


def _bounded_counts(
    df: pd.DataFrame, domain: CombinedDomain, size: int, n: int, rng: np.random.Generator
) -> IntArray:
    """Counts of each cell after n draws of at most `size` records of each individual."""
    cells, people = domain.find(whole_numbers(df[domain.name])), df["person_i"].to_numpy()
    counts = np.zeros((n, domain.size), np.int64)
    names, records = np.unique(people, return_counts=True)
    few = np.isin(people, names[records <= size])
    counts += np.bincount(cells[few], minlength=domain.size)
    for name in names[records > size]:
        own = np.bincount(cells[people == name], minlength=domain.size)
        counts += rng.multivariate_hypergeometric(own, size, size=n)
    return counts
