r"""Can a table's histograms be published? The PrivacyHistos workflow, so that it keeps its ε.

Columns that belong together are combined to codes (`pre_process`), counted over a declared
domain with noise on every cell (`create_private_histo`, or `release_histograms` for all at
once), and turned into rows again (`col_decoder`, `simulate`). With at most s records of each
individual, H histograms and q population queries, the noise has the scale

.. math:: b = (s H + q) / \varepsilon,

for an individual, added or removed with all records, changes each histogram by at most s and
each count of individuals by 1. Every ε is a natural logarithm.

Without ``rng`` the noise is OpenDP's, from the operating system. With ``rng`` it is numpy's,
for lessons and tests, and not for releases: floating-point noise leaks, and whoever knows the
seed can subtract it. Functions named `curator_...` look at the truth and are not private.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import histogram_legacy
from ._validate import check_choice, check_generator, check_instance
from ._validate_histograms import (
    check_code_list,
    check_codes_inside,
    check_combined,
    check_declared,
    check_histogram_threshold,
    check_individuals,
    check_legacy,
    check_method,
    check_pair,
    check_release_sensitivity,
    check_released,
    check_rows,
    check_sample,
    check_sample_size,
    check_simulated,
    warn_legacy,
    warn_nothing_listed,
)
from ._validate_noise import (
    Floats,
    Whole,
    check_budget,
    check_flag,
    check_integer_scale,
    check_loss,
    check_opendp,
    check_source,
    warn_not_for_releases,
)
from .budget import PrivacyBudget
from .histogram_codes import check_input, col_decoder, histo_test, pre_process
from .histogram_counts import (
    MOST_LISTED,
    Noise,
    NoisyCells,
    bound_contributions,
    check_size,
    counted_cells,
    histogram_epsilon,
    histogram_scale,
    histogram_sensitivity,
    noisy_cells,
    release_cost,
    release_threshold,
)
from .histogram_domains import (
    ColumnCodes,
    CombinedDomain,
    combined_domains,
    domain_of,
    domain_sizes,
    infer_domain,
    settings_of,
)
from .histogram_pairs import (
    NeighbourPair,
    histogram_mechanism,
    neighbour_pairs,
    without_individual,
)
from .histogram_shares import agreeing_shares, consistent_counts, noisy_shares
from .histogram_utility import (
    HistogramUtility,
    curator_histogram_utility,
    curator_marginals,
    curator_means,
    expected_largest_noise,
    expected_noise,
    expected_total_variation,
)

__all__ = [
    "MOST_LISTED",
    "ColumnCodes",
    "CombinedDomain",
    "HistogramUtility",
    "NeighbourPair",
    "PrivateHistograms",
    "bound_contributions",
    "check_input",
    "col_decoder",
    "combined_domains",
    "consistent_counts",
    "create_private_histo",
    "curator_histogram_utility",
    "curator_marginals",
    "curator_means",
    "curator_utility",
    "domain_sizes",
    "expected_largest_noise",
    "expected_noise",
    "expected_total_variation",
    "histo_test",
    "histogram_epsilon",
    "histogram_mechanism",
    "histogram_scale",
    "histogram_sensitivity",
    "infer_domain",
    "neighbour_pairs",
    "noisy_shares",
    "population_query",
    "pre_process",
    "release_histograms",
    "release_threshold",
    "simulate",
    "without_individual",
]


def create_private_histo(
    df: pd.DataFrame,
    column: str,
    sample: int,
    sample_size: int,
    sensitivity: float,
    epsilon: float,
    *,
    domain: Any = None,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
    backend: str | None = None,
    threshold: int | None = None,
    method: str = "clip",
    legacy: bool = False,
) -> tuple[list[int], list[float]]:
    r"""Count the codes of a combination, with noise on every cell of its domain.

    Two-sided geometric noise of scale :math:`b = \text{sensitivity}/\varepsilon`: that of
    OpenDP, or with `rng` that of numpy, which is not for releases.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    column : str
        Name of the combination.
    sample : {1, 0}
        1 keeps at most `sample_size` records of each individual, drawn without replacement.
        0 declares that nobody has more; if that does not hold, the release is refused.
    sample_size : int
        Records s of one individual that may count.
    sensitivity : float
        Of the *whole* release: `histogram_sensitivity`, sH + q. Not divided by ε.
    epsilon : float
        Of the whole release (natural logarithm); this histogram costs sε/(sH + q).
    domain : optional
        By default that with which the table was pre-processed. Otherwise a list or range of
        all possible codes, or what `combined_domains` returned. Codes outside do not count.
    rng : numpy.random.Generator, optional
        Source of noise and of the draw of records, for lessons and tests. Whoever knows its
        seed can subtract the noise, and two releases with one seed differ by exactly what the
        true counts differ by. By default both come from the operating system.
    budget : PrivacyBudget, optional
        Pays before the data are touched, even if the release is then refused.
    backend : {"opendp", "numpy"}, optional
        Where the noise comes from; by default "numpy", which is not for releases, if `rng` is
        given, and else "opendp". OpenDP draws that of every cell, seconds for each million,
        even where only few are listed; of an `rng` it takes the draw of records alone.
    threshold : int, optional
        List only cells whose noisy count is above it, empty or not. By default all cells are
        listed; of more than `MOST_LISTED` cells, those above `release_threshold`.
    method : {"clip", "simplex"}
        How noisy counts become shares; see `noisy_shares`.
    legacy : bool
        Answer as PrivacyHistos does: bins from the data (or `domain`, a list), Laplace noise
        of numpy, none on empty bins, records drawn with replacement. Not private, and without
        `budget`, `backend`, `threshold` and `method`.

    Returns
    -------
    population : list of int
        Codes, ascending, whether they occur or not.
    weights : list of float
        Share of each code; 1 in all, all equal if no count is above 0.

    Raises
    ------
    TypeError, ValueError
        If ε is not positive and finite, `sample_size` below 1, `sensitivity` below
        `sample_size`, the column not there, the domain not declared, the budget too small;
        or, with ``sample=0``, if an individual has more than `sample_size` records.
    ImportError
        If the noise is to come from OpenDP, which is not installed.
    ZeroDivisionError
        If `legacy` and no noisy count is above 0.

    Warns
    -----
    UserWarning
        If a budget pays for noise of numpy; if `legacy`; or if no cell is above the threshold,
        so that both lists are empty.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009.
    .. [2] G. Cormode, C. Procopiuc, D. Srivastava and T. Tran, *Differentially private
       summaries for sparse data*, ICDT 2012.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> df, *_ = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> population, weights = create_private_histo(
    ...     df, "where", 0, 1, histogram_sensitivity(1, 1), 0.5, rng=np.random.default_rng(1))
    >>> population
    [10, 11, 12, 13]
    >>> [round(weight, 2) for weight in weights]
    [0.01, 0.67, 0.28, 0.04]
    """
    size = check_sample_size(sample_size)
    unknown = {
        "backend": backend == "opendp",
        "threshold": threshold is not None,
        "method": method == "simplex",
    }
    if check_legacy(legacy, budget, **unknown):
        warn_legacy()
        noise = _noise(sensitivity, 0, epsilon, rng, backend or "numpy")
        return _legacy_histo(df, column, size if check_sample(sample) else None, noise, domain)
    noise = _noise(sensitivity, size, epsilon, rng, backend)
    plan = _planned(df, column, sample, size, noise, threshold, domain)
    way = check_method(method)
    _pay(budget, {f"histogram {column}": size}, noise)
    released = plan.release(df)
    shares = noisy_shares(released.counts, method=way)
    return released.codes.tolist(), shares.tolist()


class _Plan(NamedTuple):
    """A histogram that may be released: everything public about it is checked."""

    people: pd.Series
    domain: CombinedDomain
    sampled: bool
    size: int
    threshold: int | None
    noise: Noise

    def release(self, df: pd.DataFrame) -> NoisyCells:
        """Touch the data."""
        counted = counted_cells(
            df, self.people, self.domain, self.sampled, self.size, self.noise.rng
        )
        released = noisy_cells(counted, self.domain, self.threshold, self.noise)
        if not len(released.counts):
            warn_nothing_listed(self.domain.name, released.threshold)
        return released


def _planned(
    df: pd.DataFrame,
    column: str,
    sample: int,
    size: int,
    noise: Noise,
    threshold: int | None,
    domain: Any,
) -> _Plan:
    people, sampled = check_combined(df, column), check_sample(sample)
    if sampled:
        check_generator(noise.rng, "to draw records")
    cells, limit = domain_of(df, column, domain), check_histogram_threshold(threshold)
    check_size(cells, limit, noise.scale)
    return _Plan(people, cells, sampled, size, limit, noise)


def _noise(
    sensitivity: float, least: int, epsilon: float, rng: Any, backend: str | None
) -> Noise:
    """Noise of a whole release, of which one answer moves by `least`."""
    loss = check_loss(epsilon)
    whole = check_release_sensitivity(sensitivity, least)
    chosen = backend if backend is not None else "opendp" if rng is None else "numpy"
    if check_source(chosen, rng) is None:
        check_opendp("backend='opendp'" if backend is not None else "a release without rng")
        # Which records count must be as unknown as the noise: no seed but the system's.
        rng = np.random.default_rng() if rng is None else rng
    noise = Noise(whole, loss, rng, chosen)
    check_integer_scale(noise.scale)
    return noise


def _pay(budget: Any, shares: Mapping[str, int], noise: Noise) -> None:
    """Charge all answers or none; each moves by a share of the sensitivity."""
    if check_budget(budget, PrivacyBudget) is None:
        return
    if noise.backend == "numpy":
        warn_not_for_releases()
    costs = {
        label: release_cost(share, noise.sensitivity, noise.epsilon)
        for label, share in shares.items()
    }
    budget.charge_together(costs)


def _legacy_histo(
    df: pd.DataFrame,
    column: str,
    size: int | None,
    noise: Noise,
    domain: Any,
) -> tuple[list[int], list[float]]:
    people, rng = check_combined(df, column), check_generator(noise.rng, "for the noise")
    bins = None if domain is None else np.asarray(check_code_list(domain, "domain"))
    codes, counts = histogram_legacy.counted(df[column], people, bins, size, rng)
    noisy = histogram_legacy.noisy(counts, noise.scale, rng)
    return codes.tolist(), histogram_legacy.weights(noisy)


# Releases


def population_query(
    df: pd.DataFrame,
    sensitivity: float,
    epsilon: float,
    *,
    of: str = "individuals",
    sample_size: int = 1,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
    backend: str | None = None,
) -> int:
    r"""Count the individuals, or the records that count, with geometric noise.

    As for `create_private_histo`, the noise is OpenDP's, or with `rng` that of numpy, which is
    not for releases: whoever knows the seed can subtract it.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it, or any with one `_i` column.
    sensitivity, epsilon, rng, budget, backend
        As for `create_private_histo`.
    of : {"individuals", "records"}
        Individuals, of whom each counts once: it costs ε/(sH + q). Or records, at most
        `sample_size` of each individual: it costs sε/(sH + q), and takes s of the q.
    sample_size : int, default 1
        Records s of one individual that may count.

    Returns
    -------
    int
        Noisy count; it may be below 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range, or the budget is too small.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": [1, 1, 1, 2]})
    >>> population_query(calls, 5, 50.0, rng=np.random.default_rng(1))
    2
    >>> population_query(calls, 5, 50.0, of="records", sample_size=2,
    ...     rng=np.random.default_rng(1))
    3
    """
    people, size = check_individuals(df), check_sample_size(sample_size)
    moved = size if check_choice(of, "of", ("individuals", "records")) == "records" else 1
    noise = _noise(sensitivity, moved, epsilon, rng, backend)
    _pay(budget, {f"number of {of}": moved}, noise)
    records = np.bincount(pd.factorize(people, use_na_sentinel=False)[0])
    return int(noise.on(np.minimum(records, moved).sum(keepdims=True))[0])


@dataclass(frozen=True, eq=False, repr=False)
class PrivateHistograms(Mapping[str, tuple[list[int], list[float]]]):
    """Histograms that were released together: all of it may be published, if OpenDP made it.

    A mapping: ``release["call"]`` is the pair of population and weights that
    `create_private_histo` returns. With `backend` "numpy" the same is for lessons and tests,
    not for releases: whoever knows the seed can subtract the noise.
    """

    cells: dict[str, NoisyCells]
    """Noisy counts of each combination."""
    shares: dict[str, Floats]
    """Shares of the cells listed; none if no cell is above the threshold."""
    population: int | None
    """Noisy number of individuals, if there was a population query."""
    sensitivity: int
    """Of the whole release, sH + q."""
    epsilon: float
    """Of the whole release (natural logarithm)."""
    sample_size: int
    """Records of one individual that count."""
    backend: str
    """Where the noise came from: "opendp", or "numpy", which is not for releases."""

    @property
    def scale(self) -> float:
        """Scale of the noise on every cell and count."""
        return self.sensitivity / self.epsilon

    @property
    def summary(self) -> pd.DataFrame:
        """A row per histogram, nothing of it secret.

        `cells` of the domain, how many are `listed`, the `threshold` above which they are
        (missing: all are), `epsilon` of this histogram, `scale` of the noise,
        `expected_largest_noise` of all its cells, in records, and the `backend` that drew the
        noise, with a mark if it is not for releases.
        """
        rows = {
            name: {
                "cells": noisy.domain.size,
                "listed": len(noisy.counts),
                "threshold": noisy.threshold,
                "epsilon": histogram_epsilon(self.sample_size, self.sensitivity, self.epsilon),
                "scale": self.scale,
                "expected_largest_noise": expected_largest_noise(
                    self.scale, noisy.domain.size
                ),
                "backend": _marked(self.backend),
            }
            for name, noisy in self.cells.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").astype({"threshold": "Int64"})

    def __getitem__(self, name: str) -> tuple[list[int], list[float]]:
        """Population and weights of one combination."""
        return self.cells[name].codes.tolist(), self.shares[name].tolist()

    def __iter__(self) -> Iterator[str]:
        """Names of the combinations."""
        return iter(self.cells)

    def __len__(self) -> int:
        """Number of histograms."""
        return len(self.cells)

    def __repr__(self) -> str:
        """Promise, scale and sizes."""
        sizes = [f"{name} ({n.domain.size:,} cells)" for name, n in self.cells.items()]
        return (
            f"PrivateHistograms: epsilon {self.epsilon:g} for {', '.join(sizes)}; noise of"
            f" scale {self.scale:g} ({_marked(self.backend)}), population {self.population}"
        )


def _marked(backend: str) -> str:
    return "numpy, not for releases" if backend == "numpy" else backend


def release_histograms(
    df: pd.DataFrame,
    sample: int,
    sample_size: int,
    epsilon: float,
    *,
    columns: Sequence[str] | None = None,
    population_queries: int = 1,
    domain: Any = None,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
    backend: str | None = None,
    threshold: int | None = None,
    method: str = "clip",
    consistent: bool = False,
) -> PrivateHistograms:
    r"""Release the histograms of all combinations, and the number of individuals, for one ε.

    `create_private_histo` for each combination and one `population_query`, with the
    sensitivity sH + q. Either the budget pays for all of it, or nothing is charged.

    Parameters
    ----------
    df, sample, sample_size, rng, backend, threshold, method
        As for `create_private_histo`.
    epsilon : float
        What all answers together cost (natural logarithm).
    columns : list of str, optional
        Combinations to release; by default all of the table.
    population_queries : int, default 1
        Counts q that the noise allows for. The first is answered here; others are left to
        `population_query`, with the sensitivity of this release.
    domain : mapping of {name: domain}, optional
        As for `create_private_histo`.
    budget : PrivacyBudget, optional
        Pays before the data are touched; a warning says so if it pays for noise of numpy.
    consistent : bool
        Make the histograms agree on totals and on the columns that they share, before and
        after counts below 0 are clipped; see `consistent_counts`. Those of which not all cells
        are listed stay as they are.

    Returns
    -------
    PrivateHistograms
        Population and weights of each combination, and what was promised.

    Raises
    ------
    TypeError, ValueError, ImportError
        As `create_private_histo`.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> df, *_ = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release_histograms(df, 0, 1, 1.0, rng=np.random.default_rng(1))
    PrivateHistograms: epsilon 1 for where (4 cells); noise of scale 2 (numpy, not for
    releases), population 85

    Without `rng` it may leave the machine, and a budget pays:

    >>> budget = PrivacyBudget(epsilon=1.0)
    >>> release_histograms(df, 0, 1, 1.0, budget=budget).backend
    'opendp'
    >>> budget.ledger[["label", "epsilon", "left"]]
                       label  epsilon  left
    0  number of individuals      0.5   0.5
    1        histogram where      0.5   0.0
    """
    check_individuals(df)
    names = check_released(df, columns, settings_of(df), domain)
    size, way = check_sample_size(sample_size), check_method(method)
    sensitivity = histogram_sensitivity(len(names), size, population_queries)
    noise = _noise(sensitivity, size, epsilon, rng, backend)
    together = check_flag(consistent, "consistent")
    plans = [_planned(df, name, sample, size, noise, threshold, domain) for name in names]
    charges = {"number of individuals": 1} if population_queries else {}
    charges |= {f"histogram {name}": size for name in names}
    _pay(budget, charges, noise)
    people = None
    if population_queries:
        people = population_query(df, sensitivity, epsilon, rng=rng, backend=backend)
    cells = {}
    for plan in plans:
        cells[plan.domain.name] = plan.release(df)
    shares = _agreed_shares(cells, way) if together else _shares(cells, way)
    return PrivateHistograms(
        cells, shares, people, sensitivity, noise.epsilon, size, noise.backend
    )


def _shares(cells: Mapping[str, NoisyCells], method: str) -> dict[str, Floats]:
    return {name: noisy_shares(noisy.counts, method=method) for name, noisy in cells.items()}


def _agreed_shares(cells: Mapping[str, NoisyCells], method: str) -> dict[str, Floats]:
    """Shares that agree on common columns, where all cells are listed."""
    whole = {name: noisy for name, noisy in cells.items() if noisy.cells is None}
    columns = {name: noisy.domain.columns for name, noisy in whole.items()}
    noisy = {name: table.counts.reshape(table.domain.shape) for name, table in whole.items()}
    counts = consistent_counts(noisy, columns)
    shares = {
        name: noisy_shares(table.ravel(), method=method).reshape(table.shape)
        for name, table in counts.items()
    }
    agreed = {name: table.ravel() for name, table in agreeing_shares(shares, columns).items()}
    return _shares(cells, method) | agreed


# Rows again


def simulate(
    histograms: Mapping[str, Any],
    n: int | None = None,
    *,
    rng: np.random.Generator,
    col_decode: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Draw synthetic rows from released histograms, decoded to values.

    Each histogram is drawn from independently; one that shares columns with an earlier one is
    drawn from given their values, so that the two are linked. Post-processing: it costs no ε.

    Parameters
    ----------
    histograms : PrivateHistograms, or mapping of {name: (population, weights)}
        What `release_histograms` returned, or several results of `create_private_histo`.
    n : int, optional
        Number of rows; by default the release's noisy number of individuals.
    rng : numpy.random.Generator
        Source of the rows.
    col_decode : optional
        What `pre_process` returned; needed if `histograms` is a plain mapping.

    Returns
    -------
    DataFrame of shape (n, columns that are combined)
        Codes of `_c` columns, and of `_n` columns values of their bin, all equally likely.
        Of a histogram that lists nothing, every cell is equally likely.

    Raises
    ------
    TypeError, ValueError
        If there is no histogram, n is below 0 or not known, or a code is outside its domain.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "wait_n": [3] * 60 + [20] * 30})
    >>> df, *_ = pre_process(calls, {"wait": ["wait_n"]}, {"wait_n": [50, 10, 100]})
    >>> release = release_histograms(df, 0, 1, 50.0, rng=np.random.default_rng(1))
    >>> simulate(release, 4, rng=np.random.default_rng(1))
       wait_n
    0       3
    1      14
    2       9
    3      15
    """
    tables = _simulated_tables(histograms, col_decode)
    rows = check_rows(n, getattr(histograms, "population", None))
    check_generator(rng, "to draw rows")
    places: dict[str, Whole] = {}
    values: dict[str, Whole] = {}
    for domain, cells, shares in tables:
        drawn = _drawn(domain, cells, shares, places, rows, rng)
        values = domain.values(drawn, rng) | values
        places = domain.places(drawn) | places
    order = [column for domain, *_ in tables for column in domain.columns]
    return pd.DataFrame({column: values[column] for column in dict.fromkeys(order)})


def _simulated_tables(
    histograms: Any, col_decode: Any
) -> list[tuple[CombinedDomain, Whole, Floats]]:
    """Domain, cells and shares of each histogram."""
    if isinstance(histograms, PrivateHistograms):
        return [
            (noisy.domain, noisy.listed, histograms.shares[name])
            for name, noisy in histograms.cells.items()
        ]
    check_simulated(histograms, isinstance(col_decode, ColumnCodes))
    tables = []
    for name, pair in histograms.items():
        settings = check_declared(col_decode.settings, name)
        given, domain = check_pair(name, pair), settings.domain(name)
        cells = domain.find(given.index.to_numpy(np.int64))
        check_codes_inside(cells >= 0, given.index.to_numpy(), name)
        tables.append((domain, cells, given.to_numpy()))
    return tables


def _drawn(
    domain: CombinedDomain,
    cells: Whole,
    shares: Floats,
    places: Mapping[str, Whole],
    n: int,
    rng: np.random.Generator,
) -> Whole:
    """Cells of n rows, given the places of those columns that are drawn already."""
    if not len(cells):
        return np.asarray(rng.integers(0, domain.size, n), dtype=np.int64)
    shared = [column for column in domain.columns if column in places]
    known, wanted = domain.places(cells), np.zeros(n, np.int64)
    keys = np.zeros(len(cells), np.int64)
    for column in shared:
        size = domain.shape[domain.columns.index(column)]
        keys, wanted = keys * size + known[column], wanted * size + places[column]
    order = np.argsort(keys, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(shares[order])])
    first, last = (np.searchsorted(keys[order], wanted, side) for side in ("left", "right"))
    possible = reached[last] > reached[first]
    # Where nothing goes with the known values, all cells are in question again.
    first, last = np.where(possible, first, 0), np.where(possible, last, len(cells))
    level = reached[first] + rng.random(n) * (reached[last] - reached[first])
    found = np.searchsorted(reached, level, side="right") - 1
    return np.asarray(cells[order][np.clip(found, first, last - 1)])


def curator_utility(df: pd.DataFrame, histograms: PrivateHistograms) -> pd.DataFrame:
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
    >>> df, *_ = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release = release_histograms(df, 0, 1, 1.0, rng=np.random.default_rng(1))
    >>> curator_utility(df, release)[["cells", "occupied", "largest_error", "curator_only"]]
           cells  occupied  largest_error  curator_only
    where      4         2              4          True
    """
    check_instance(histograms, PrivateHistograms, "histograms", "release_histograms")
    rows = {}
    for name, noisy in histograms.cells.items():
        utility = curator_histogram_utility(df, name, *histograms[name])
        true = df[name].value_counts().reindex(noisy.codes, fill_value=0)
        rows[name] = {
            "cells": noisy.domain.size,
            "occupied": df[name].nunique(),
            "total_variation": utility.total_variation,
            "l1": utility.l1,
            "l_infinity": utility.l_infinity,
            "largest_error": int(np.abs(noisy.counts - true.to_numpy()).max(initial=0)),
            "expected_largest_noise": expected_largest_noise(
                histograms.scale, noisy.domain.size
            ),
            "curator_only": True,
        }
    return pd.DataFrame.from_dict(rows, orient="index")
