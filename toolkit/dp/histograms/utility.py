"""Private histograms tested: their errors, for the curator, and neighbours, for an auditor.

Functions whose name starts with `curator_` compare with the true records, without noise: their
results are not private, are marked so, and must not be published or used to choose among
releases.

Neighbours differ by one individual, with *all* records. Each pair here is made for one defect
of PrivacyHistos (J. King, 2021): `toolkit.audit` finds the defect with that pair, and finds
nothing of it in what `release_histograms` releases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._typing import FloatArray, IntArray
from ..._validation import check_instance
from ...information.entropies import total_variation
from . import domain as domains, release
from .codes import col_decoder, pre_process
from .domain import CodedTable, CombinedDomain, whole_numbers
from .postprocessing import noisy_shares
from .release import PrivateHistograms, histogram_epsilon

# Errors, for the curator only


class HistogramUtility(NamedTuple):
    """How far a histogram is from the truth. For the curator only: it is not private."""

    total_variation: float
    """Largest difference of any event, from 0 to 1."""
    l1: float
    """Sum of absolute differences of shares, from 0 to 2."""
    l_infinity: float
    """Largest difference of one share."""
    records: int
    """True number of records."""
    curator_only: bool = True
    """Never to be published."""


def curator_histogram_utility(
    df: pd.DataFrame, column: str, population: Sequence[int], weights: Sequence[float]
) -> HistogramUtility:
    r"""Compare a histogram with the true shares. For the curator only: it is not private.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    column : str
        Name of the combination.
    population, weights : sequence
        What `create_private_histo` returned. Nothing listed counts as nothing in common.

    Returns
    -------
    HistogramUtility
        Smaller distances are more accurate.

    Raises
    ------
    TypeError, ValueError
        If the column is not there, or the histogram is none.

    Examples
    --------
    >>> df = pd.DataFrame({"call_i": [1, 2, 3, 4], "hour": [110, 110, 110, 111]})
    >>> curator_histogram_utility(df, "hour", [110, 111, 112], [0.5, 0.25, 0.25])
    HistogramUtility(total_variation=0.25, l1=0.5, l_infinity=0.25, records=4,
    curator_only=True)
    """
    domains.individuals_with(df, column)
    given = release.histogram_of(population, weights)
    true = df[column].value_counts(normalize=True)
    if given.empty or true.empty:
        largest = max([0.0, *true, *given])
        return HistogramUtility(1.0, 2.0, largest, len(df))
    apart = true.sub(given, fill_value=0.0).abs()
    distance = total_variation(true, given)
    return HistogramUtility(distance, 2 * distance, float(apart.max()), len(df))


def curator_utility(
    df: pd.DataFrame | CodedTable, histograms: PrivateHistograms
) -> pd.DataFrame:
    """Compare released histograms with the true shares. For the curator only: not private.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    histograms : PrivateHistograms
        What `release_histograms` returned.

    Returns
    -------
    DataFrame
        A row per histogram: `cells`, `occupied` (that occur), `total_variation`, `l1`,
        `l_infinity` (see `HistogramUtility`), `largest_error` of the count of a cell listed,
        in records, beside `expected_largest_noise` of all cells, and `curator_only`. The error
        is noise, and also what a bound on contributions has left out of `df`.

    Raises
    ------
    TypeError, ValueError
        If a combination is not in the table, or `histograms` is no such release.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> from toolkit import release_histograms
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release = release_histograms(coded, 0, 1, 1.0, rng=np.random.default_rng(1))
    >>> curator_utility(coded, release)[["cells", "occupied", "largest_error", "curator_only"]]
           cells  occupied  largest_error  curator_only
    where      4         2              4          True
    """
    check_instance(histograms, PrivateHistograms, "histograms", "release_histograms")
    table, rows = domains.opened(df)[0], {}
    for name, noisy in histograms.cells.items():
        utility = curator_histogram_utility(table, name, *histograms[name])
        true = table[name].value_counts().reindex(noisy.codes, fill_value=0)
        size = noisy.domain.size
        rows[name] = {
            "cells": size,
            "occupied": table[name].nunique(),
            **dict(zip(utility._fields[:3], utility[:3], strict=True)),
            "largest_error": int(np.abs(noisy.counts - true.to_numpy()).max(initial=0)),
            "expected_largest_noise": release.expected_largest_noise(histograms.scale, size),
            "curator_only": True,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


# Neighbours, for an auditor


COMBO = {"kind": ["kind_c"]}


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
    people = domains.individuals_of(ground_truth)
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
        "new category": _pair("bins are taken from the data", [3], few, epsilon=0.1),
        "empty bin": _pair("empty bins get no noise", [3], few, epsilon=0.1, public_bins=True),
        "larger maximum": _pair("the data's maximum sets the digits", [12], wide),
        "20 records": _pair("nothing bounds the records of one individual", [2] * 20, few),
        "divided twice": _pair(
            "the sensitivity of 11 is divided by epsilon before it is passed",
            *([2] * 3, few, 3, 11.0, 10.0),
            legacy_sensitivity=1.1,
        ),
        "float noise": _pair(
            "the low bits of floating-point noise tell counts apart",
            *([3], few),
            common=[3],
            observed="count",
        ),
    }


def _pair(
    defect: str,
    own: list[int],
    domain: Mapping[str, Any],
    sample_size: int = 1,
    sensitivity: float = 1.0,
    epsilon: float = 1.0,
    *,
    common: Sequence[int] = (1,) * COMMON + (2,) * COMMON,
    **options: Any,
) -> NeighbourPair:
    """A table in which the last individual has some records, and that without."""
    last, promise = len(common), (sample_size, sensitivity, epsilon)
    people = [*range(last), *[last] * len(own)]
    data = pd.DataFrame({"person_i": people, "kind_c": [*common, *own]})
    given = {"legacy_sensitivity": sensitivity, "claim": histogram_epsilon(*promise)} | options
    others = without_individual(data, last)
    return NeighbourPair(defect, data, others, domain, *promise, **given)


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

    def released(data: pd.DataFrame, n: int, rng: np.random.Generator) -> FloatArray:
        coded = pre_process(data, COMBO, {}, domain=pair.domain)
        noise = release.Noise(pair.sensitivity, pair.epsilon, rng, "numpy")
        counts = _bounded_counts(coded.df, coded.domains["kind"], pair.sample_size, n, rng)
        if pair.observed == "count":
            return noise.on(counts.sum(axis=1)).astype(float)
        return noisy_shares(noise.on(counts))

    return released


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


# A release tried out, for the curator only


SHOWN = 14
"""Cells of the first histogram that are compared."""


class Tried(NamedTuple):
    """One release for the curator to look at."""

    utility: pd.DataFrame
    """As `curator_utility`, and `expected_total_variation`."""
    shares: pd.DataFrame
    """True and released shares of the largest true cells of the first histogram."""
    epsilon: float
    scale: float
    records: int
    """Records that count, in all."""
    sample_size: int
    names: list[str]
    """What the codes of `shares` mean."""


def tried_release(
    data: pd.DataFrame,
    combinations: Mapping[str, Sequence[str]],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    epsilon: float,
    sample_size: int = 1,
    *,
    seed: int = 1,
) -> Tried:
    """Release some histograms, and compare them with the truth. For the curator only.

    Parameters
    ----------
    data : DataFrame
        Ground truth.
    combinations, num_dict, domain
        As for `pre_process`.
    epsilon : float
        Of the whole release, one count of individuals included.
    sample_size : int
        Records of one individual that may count.
    seed : int
        Of the noise.
    """
    coded = pre_process(data, combinations, num_dict, domain=domain)
    rng = np.random.default_rng(seed)
    counted = release.bound_contributions(coded.df, sample_size, rng=rng)
    bounded = coded._replace(df=counted)
    released = release.release_histograms(bounded, 1, sample_size, epsilon, rng=rng)
    utility = curator_utility(counted, released)
    # The errors are those of the noise; the total variation has what the bound left out, too.
    utility["total_variation"] = curator_utility(coded, released)["total_variation"]
    utility["expected_total_variation"] = [
        release.expected_total_variation(released.scale, int(cells), len(counted))
        for cells in utility["cells"]
    ]
    first, columns = next(iter(combinations.items()))
    population, weights = released[first]
    true = coded.df[first].value_counts(normalize=True)
    both = {"true": true, "released": pd.Series(weights, index=population)}
    shares = pd.DataFrame(both).fillna(0.0)
    largest = shares.sort_values("true", ascending=False, kind="stable").head(SHOWN)
    names = _cell_names(coded, num_dict, columns, largest.index)
    return Tried(utility, largest, epsilon, released.scale, len(counted), sample_size, names)


def _cell_names(
    coded: CodedTable, num_dict: Mapping[str, Any], columns: Sequence[str], codes: pd.Index
) -> list[str]:
    """Say what codes mean: "month 9, hour 18"."""
    parts = []
    for column in columns:
        values = col_decoder(num_dict, *coded[1:3], codes.to_numpy(), column)
        parts.append([f"{column.rpartition('_')[0]} {value}" for value in values])
    return [", ".join(together) for together in zip(*parts, strict=True)]
