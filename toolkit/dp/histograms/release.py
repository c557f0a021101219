r"""Release of private histograms: the PrivacyHistos workflow, so that it keeps its ε.

Columns that belong together are combined to codes (`pre_process`), counted over a declared
domain with noise on every cell (`create_private_histo`, or `release_histograms` for all at
once), and turned into rows again (`col_decoder`, `simulate_rows`). With at most s records of
each individual, H histograms and q population queries, the noise has the scale

.. math:: b = (s H + q) / \varepsilon,

for an individual, added or removed with all records, changes each histogram by at most s and
each count of individuals by 1. Every ε is a natural logarithm.

Without ``rng`` the noise is OpenDP's, from the operating system. With ``rng`` it is numpy's,
for lessons and tests, and not for releases: floating-point noise leaks, and whoever knows the
seed can subtract it. Functions named `curator_...` look at the truth and are not private.

Someone with many records could change a histogram by as many, so at most s of them count.
Then two-sided geometric noise of one scale goes on every cell of the declared domain, empty
ones too: a cell without noise would tell that nobody is in it.

Domains of millions of cells are not written out. Of their empty cells only those matter whose
noise passes a threshold; how many these are, which, and by how much, is drawn from the same
law as noise on every cell would have. Noise of numpy is not for releases; that of OpenDP is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import digamma
from tqdm import tqdm

from ..._typing import FloatArray, IntArray
from ..._validation import check_choice, check_generator, check_whole, listed
from .. import _before as laws
from .._before import (
    check_flag,
    check_loss,
    check_scale,
    check_sensitivity,
    exact,
    is_integer,
)
from ..accounting import PrivacyBudget
from ..mechanisms import check_opendp, check_source, geometric
from . import domain as domains, postprocessing
from .codes import check_codes_inside
from .domain import CodedTable, ColumnCodes, CombinedDomain, Settings
from .postprocessing import METHODS, noisy_shares

Listed = tuple[CombinedDomain, IntArray, FloatArray]
"""A domain, those of its cells that a histogram lists, and their shares."""


def create_private_histo(
    df: pd.DataFrame | CodedTable,
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
) -> tuple[list[int], list[float]]:
    r"""Count the codes of a combination, with noise on every cell of its domain.

    Two-sided geometric noise of scale :math:`b = \text{sensitivity}/\varepsilon`: that of
    OpenDP, or with `rng` that of numpy, which is not for releases.

    Parameters
    ----------
    df : DataFrame or CodedTable
        The table as `pre_process` returned it, or all that it returned.
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
        By default that of the `CodedTable`. A bare frame needs it: what `combined_domains`
        returned, or a list or range of all possible codes. Codes outside do not count.
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

    Warns
    -----
    UserWarning
        If a budget pays for noise of numpy; or if no cell is above the threshold, so that both
        lists are empty.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009.
    .. [2] G. Cormode, C. Procopiuc, D. Srivastava and T. Tran, *Differentially private
       summaries for sparse data*, ICDT 2012.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> from toolkit import pre_process
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> population, weights = create_private_histo(
    ...     coded, "where", 0, 1, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    >>> population
    [10, 11, 12, 13]
    >>> [round(weight, 2) for weight in weights]
    [0.01, 0.67, 0.28, 0.04]
    """
    size = check_sample_size(sample_size)
    noise = Noise.checked(sensitivity, size, epsilon, rng, backend)
    plan = _planned(df, column, domain, sample, size, noise, threshold)
    way = check_choice(method, "method", METHODS)
    _pay(budget, {f"histogram {column}": size}, noise)
    released = plan.release()
    shares = noisy_shares(released.counts, method=way)
    return released.codes.tolist(), shares.tolist()


def check_sample(sample: Any) -> bool:
    """Return whether the records of an individual are sampled: 1 or 0."""
    if not isinstance(sample, (Integral, np.bool_)) or int(sample) not in (0, 1):
        raise ValueError(
            f"sample must be 1 (at most sample_size records of each individual) or 0; got"
            f" {sample!r:.80}."
        )
    return bool(sample)


def check_sample_size(sample_size: Any) -> int:
    """Return the records of one individual that may count."""
    return check_whole(sample_size, "sample_size", 1, 10**9, "records of one individual")


class Plan(NamedTuple):
    """A histogram that may be released: everything public about it is checked."""

    table: pd.DataFrame
    people: pd.Series
    domain: CombinedDomain
    sampled: bool
    size: int
    """Records of one individual that may count."""
    threshold: int | None
    noise: Noise

    def release(self) -> NoisyCells:
        """Touch the data."""
        released = self.noisy(self.counted())
        if not len(released.counts):
            warnings.warn(
                f"no cell of {self.domain.name!r} has a noisy count above the threshold"
                f" {released.threshold}, so its histogram is empty: combine fewer columns, or"
                f" take a larger epsilon.",
                UserWarning,
                stacklevel=3,
            )
        return released

    def counted(self) -> IntArray:
        """Cell of each record that counts; one outside the domain does not."""
        codes = domains.whole_numbers(self.table[self.domain.name])
        if self.sampled:
            codes = codes[_kept(self.people, self.size, self.noise.rng)]
        elif _records(self.people).max(initial=0) > self.size:
            raise ValueError(
                f"sample = 0 declares that no individual has more than sample_size ="
                f" {self.size} records, but some has more. Pass sample=1, which keeps at most"
                f" that many."
            )
        cells = self.domain.find(codes)
        return cells[cells >= 0]

    def noisy(self, cells: IntArray) -> NoisyCells:
        """Noise on every cell of the domain; large ones list what is above a threshold."""
        size, threshold = self.domain.size, self.threshold
        if size > MOST_LISTED:
            limit = (
                release_threshold(size, self.noise.scale) if threshold is None else threshold
            )
            draw = self._only_above if self.noise.backend == "numpy" else self._one_by_one
            return NoisyCells(self.domain, *draw(cells, limit), limit)
        counts = self.noise.on(np.bincount(cells, minlength=size))
        if threshold is None:
            return NoisyCells(self.domain, counts)
        above = np.flatnonzero(counts > threshold)
        return NoisyCells(self.domain, counts[above], above, threshold)

    def _only_above(self, cells: IntArray, threshold: int) -> tuple[IntArray, IntArray]:
        """Noise on occupied cells; of empty ones, those alone that it lifts over a threshold.

        The law is that of noise on every cell: each empty cell passes with the same
        probability, independently, and what is above τ is geometric again, for that law has
        no memory.
        """
        noise, rng = self.noise, self.noise.rng
        occupied, counts = np.unique(cells, return_counts=True)
        noisy = noise.on(counts)
        # How many empty cells pass is binomial, which ones is a draw of ranks among the empty
        # cells, and the cell of rank r is r plus the number of occupied cells before it.
        empty = self.domain.size - len(occupied)
        number = rng.binomial(empty, _chance_above(threshold, noise.scale))
        ranks = rng.choice(empty, number, replace=False, shuffle=False)
        before = np.searchsorted(occupied - np.arange(len(occupied)), ranks, side="right")
        values = threshold + rng.geometric(-math.expm1(-1 / noise.scale), number)
        above = noisy > threshold
        found = np.concatenate([occupied[above], ranks + before])
        order = np.argsort(found)
        return np.concatenate([noisy[above], values])[order], found[order]

    def _one_by_one(self, cells: IntArray, threshold: int) -> tuple[IntArray, IntArray]:
        """Noise on every cell, a block at a time, for a backend that draws nothing else."""
        size = self.domain.size
        occupied, counts = np.unique(cells, return_counts=True)
        found: list[IntArray] = [np.empty(0, np.int64)]
        listed = found.copy()
        for start in tqdm(range(0, size, MOST_LISTED), desc=self.domain.name, delay=1):
            block = np.zeros(min(MOST_LISTED, size - start), np.int64)
            low, high = np.searchsorted(occupied, [start, start + len(block)])
            block[occupied[low:high] - start] = counts[low:high]
            noisy = self.noise.on(block)
            above = np.flatnonzero(noisy > threshold)
            found.append(above + start)
            listed.append(noisy[above])
        return np.concatenate(listed), np.concatenate(found)


def _planned(
    df: Any, column: str, domain: Any, sample: int, size: int, noise: Noise, threshold: Any
) -> Plan:
    """Check all that is public about a histogram; no data are looked at."""
    table, settings = domains.opened(df)
    people, sampled = domains.individuals_with(table, column), check_sample(sample)
    cells, empty_ones_above = domains.domain_of(settings, column, domain), 0.0
    if threshold is not None:
        meaning = "noisy records of a listed cell"
        threshold = check_whole(threshold, "threshold", 0, 2**53, meaning)
        empty_ones_above = cells.size * _chance_above(threshold, noise.scale)
    if cells.size > LARGEST_DOMAIN:
        raise ValueError(
            f"the domain has {cells.size:.3g} cells, more than {LARGEST_DOMAIN:.0e}; combine"
            f" fewer columns."
        )
    if empty_ones_above > MOST_LISTED:
        raise ValueError(
            f"threshold = {threshold}: about {empty_ones_above:.3g} noisy empty cells would be"
            f" above it, more than {MOST_LISTED:,} can be listed; take a higher one, or"
            f" leave it out."
        )
    return Plan(table, people, cells, sampled, size, threshold, noise)


def _pay(budget: Any, shares: Mapping[str, int], noise: Noise) -> None:
    """Charge all answers or none; each moves by a share of the sensitivity."""
    if budget is None:
        return
    if noise.backend == "numpy":
        warnings.warn(
            "a budget pays for noise of numpy (rng was passed), which is not for releases:"
            " whoever knows the seed can subtract it. Leave out rng to draw from OpenDP and"
            " the operating system.",
            UserWarning,
            stacklevel=3,
        )
    whole = noise.sensitivity, noise.epsilon
    for name, share in shares.items():
        budget.charge(float(release_cost(share, *whole)), label=name)


# Releases


def population_query(
    df: pd.DataFrame | CodedTable,
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
    people = domains.individuals_of(domains.opened(df)[0])
    size = check_sample_size(sample_size)
    moved = size if check_choice(of, "of", ("individuals", "records")) == "records" else 1
    noise = Noise.checked(sensitivity, moved, epsilon, rng, backend)
    _pay(budget, {f"number of {of}": moved}, noise)
    return _noisy_number(people, moved, noise)


def _noisy_number(people: pd.Series, most: int, noise: Noise) -> int:
    """Records, of which at most so many of each individual count."""
    return int(noise.on(np.minimum(_records(people), most).sum(keepdims=True))[0])


def _records(people: pd.Series) -> IntArray:
    """Records of each individual."""
    return np.bincount(pd.factorize(people, use_na_sentinel=False)[0])


@dataclass(frozen=True, eq=False, repr=False)
class PrivateHistograms(Mapping[str, tuple[list[int], list[float]]]):
    """Histograms that were released together: all of it may be published, if OpenDP made it.

    A mapping: ``release["call"]`` is the pair of population and weights that
    `create_private_histo` returns. With `backend` "numpy" the same is for lessons and tests,
    not for releases: whoever knows the seed can subtract the noise.
    """

    cells: dict[str, NoisyCells]
    """Noisy counts of each combination."""
    shares: dict[str, FloatArray]
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
        cost = histogram_epsilon(self.sample_size, self.sensitivity, self.epsilon)
        rows = {}
        for name, noisy in self.cells.items():
            size = noisy.domain.size
            rows[name] = {
                "cells": size,
                "listed": len(noisy.counts),
                "threshold": noisy.threshold,
                "epsilon": cost,
                "scale": self.scale,
                "expected_largest_noise": expected_largest_noise(self.scale, size),
                "backend": _marked(self.backend),
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
    df: pd.DataFrame | CodedTable,
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
    >>> from toolkit import pre_process
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release_histograms(coded, 0, 1, 1.0, rng=np.random.default_rng(1))
    PrivateHistograms: epsilon 1 for where (4 cells); noise of scale 2 (numpy, not for
    releases), population 85

    Without `rng` it may leave the machine, and a budget pays:

    >>> budget = PrivacyBudget(epsilon=1.0)
    >>> release_histograms(coded, 0, 1, 1.0, budget=budget).backend
    'opendp'
    >>> budget.ledger[["label", "epsilon", "left"]]
                       label  epsilon  left
    0  number of individuals      0.5   0.5
    1        histogram where      0.5   0.0
    """
    table, settings = domains.opened(df)
    individuals = domains.individuals_of(table)
    names = _named(columns, settings, domain)
    size, way = check_sample_size(sample_size), check_choice(method, "method", METHODS)
    sensitivity = histogram_sensitivity(len(names), size, population_queries)
    noise = Noise.checked(sensitivity, size, epsilon, rng, backend)
    together = check_flag(consistent, "consistent")
    given = domain, sample, size, noise, threshold
    plans = [_planned(df, name, *given) for name in names]
    charges = {"number of individuals": 1} if population_queries else {}
    charges |= {f"histogram {name}": size for name in names}
    _pay(budget, charges, noise)
    people = _noisy_number(individuals, 1, noise) if population_queries else None
    cells = {}
    for plan in plans:  # no comprehension, which would stand in for the caller in a warning
        cells[plan.domain.name] = plan.release()
    shares = _shares(cells, way, together)
    return PrivateHistograms(
        cells, shares, people, sensitivity, noise.epsilon, size, noise.backend
    )


def _named(columns: Any, settings: Settings | None, domain: Any) -> list[str]:
    """Return names of the combinations that are to be released; at least one."""
    if columns is None:
        known = settings.combos if settings is not None else domain
        columns = list(known) if isinstance(known, Mapping) else []
    if isinstance(columns, (str, bytes, Mapping)) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must list names of combinations; got {columns!r:.80}.")
    names = list(columns)
    if domain is not None and not isinstance(domain, Mapping):
        raise TypeError(
            f"domain must map names of combinations to domains; got {type(domain).__name__}"
            f" {domain!r:.80}."
        )
    if not names or any(names.count(name) > 1 for name in names):
        raise ValueError(
            f"columns must name at least one combination, each once; got"
            f" {listed(names) or 'none'}. Pass the table as pre_process returned it."
        )
    return names


def _shares(
    cells: Mapping[str, NoisyCells], method: str, consistent: bool
) -> dict[str, FloatArray]:
    """Shares of each histogram; consistent ones agree, where all cells are listed."""
    alone = {name: noisy_shares(noisy.counts, method=method) for name, noisy in cells.items()}
    if not consistent:
        return alone
    whole = {name: noisy for name, noisy in cells.items() if noisy.cells is None}
    columns = {name: noisy.domain.columns for name, noisy in whole.items()}
    noisy = {name: table.counts.reshape(table.domain.shape) for name, table in whole.items()}
    counts = postprocessing.consistent_counts(noisy, columns)
    shares = {
        name: noisy_shares(table.ravel(), method=method).reshape(table.shape)
        for name, table in counts.items()
    }
    agreed = postprocessing.agreeing_shares(shares, columns)
    return alone | {name: table.ravel() for name, table in agreed.items()}


# Rows again


def simulate_rows(
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
    >>> from toolkit import pre_process
    >>> coded = pre_process(calls, {"wait": ["wait_n"]}, {"wait_n": [50, 10, 100]})
    >>> release = release_histograms(coded, 0, 1, 50.0, rng=np.random.default_rng(1))
    >>> simulate_rows(release, 4, rng=np.random.default_rng(1))
       wait_n
    0       3
    1      14
    2       9
    3      15
    """
    tables = _simulated_tables(histograms, col_decode)
    population = getattr(histograms, "population", None)
    if n is None and population is None:
        raise ValueError("n: say how many rows; the release has no population query.")
    rows = max(population or 0, 0) if n is None else n
    check_whole(rows, "n", 0, 10**9, "rows to draw")
    check_generator(rng, "to draw rows")
    places: dict[str, IntArray] = {}
    values: dict[str, IntArray] = {}
    for table in tables:
        drawn = _drawn(table, places, rows, rng)
        values = table[0].values(drawn, rng) | values
        places = table[0].places(drawn) | places
    order = [column for domain, *_ in tables for column in domain.columns]
    return pd.DataFrame({column: values[column] for column in dict.fromkeys(order)})


def _simulated_tables(histograms: Any, col_decode: Any) -> list[Listed]:
    """Domain, cells and shares of each histogram."""
    if isinstance(histograms, PrivateHistograms):
        return [
            (noisy.domain, noisy.listed, histograms.shares[name])
            for name, noisy in histograms.cells.items()
        ]
    if not isinstance(histograms, Mapping) or not histograms:
        raise TypeError(
            f"histograms must be what release_histograms returned, or a dictionary of name:"
            f" (population, weights); got {type(histograms).__name__} {histograms!r:.80}."
        )
    if not isinstance(col_decode, ColumnCodes):
        raise ValueError(
            "col_decode must be what pre_process returned, to decode the codes of histograms."
        )
    tables = []
    for name, pair in histograms.items():
        domain = domains.declared(col_decode.settings, name)
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"histograms[{name!r}] must be the pair (population, weights); got"
                f" {pair!r:.80}."
            )
        given = histogram_of(*pair)
        cells = domain.find(given.index.to_numpy(np.int64))
        check_codes_inside(cells >= 0, given.index.to_numpy(), name)
        tables.append((domain, cells, given.to_numpy()))
    return tables


def histogram_of(population: Any, weights: Any) -> pd.Series:
    """Return the weights of a histogram by code."""
    for name, given in {"population": population, "weights": weights}.items():
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Collection):
            raise TypeError(
                f"{name} must be a list, as create_private_histo returns it; got"
                f" {type(given).__name__} {given!r:.80}."
            )
    codes, shares = list(population), postprocessing.finite_counts(weights, "weights")
    odd = [code for code in codes if not is_integer(code)]
    if odd:
        raise TypeError(f"population must hold integer codes; got {listed(odd)}.")
    if len(codes) != len(shares) or len(set(codes)) < len(codes):
        raise ValueError(
            f"population and weights must list each code once, with its weight; got"
            f" {len(codes)} codes and {len(shares)} weights."
        )
    if len(shares) and not ((shares >= 0).all() and abs(shares.sum() - 1) < 1e-9):
        raise ValueError("weights must be shares of at least 0 that add up to 1.")
    return pd.Series(shares, index=pd.Index(codes, dtype=np.int64 if not codes else None))


def _drawn(
    table: Listed, places: Mapping[str, IntArray], n: int, rng: np.random.Generator
) -> IntArray:
    """Cells of n rows, given the places of those columns that are drawn already."""
    domain, cells, shares = table
    if not len(cells):
        return np.asarray(rng.integers(0, domain.size, n), dtype=np.int64)
    # Inverse transform sampling within runs: cells are sorted by the places of the shared
    # columns, so that those which go with a row's known values are one run of the cumulated
    # shares; a uniform level within the run falls on each of its cells by its share.
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


LARGEST_DOMAIN = 10**15
"""Cells of a combination up to which the number of noisy empty ones is drawn exactly."""


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
    return float(release_cost(size, _check_release_sensitivity(sensitivity, size), epsilon))


def _check_release_sensitivity(sensitivity: Any, least: int) -> float:
    """Return the sensitivity of a whole release, which one answer of it cannot exceed."""
    whole = check_sensitivity(sensitivity)
    if whole < least:
        raise ValueError(
            f"sensitivity must be that of the whole release, sample_size x histograms +"
            f" population queries, not divided by epsilon: at least {least} here; got"
            f" {sensitivity!r:.80}."
        )
    return laws.check_whole_sensitivity(sensitivity)


def release_cost(share: int, sensitivity: float, epsilon: float) -> Fraction:
    """What an answer costs that moves by `share` of the sensitivity, exactly."""
    check_loss(epsilon)
    return share * exact(epsilon) / exact(sensitivity)


# Noise to be expected, from public numbers


def expected_noise(scale: float) -> float:
    r"""Mean absolute noise of one cell: :math:`E|\eta| = 2a/(1-a^2)` with :math:`a=e^{-1/b}`.

    Parameters
    ----------
    scale : float
        Scale b of the geometric noise; see `histogram_scale`.

    Returns
    -------
    float
        Records; smaller is more accurate, and less private.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite.

    Examples
    --------
    With a = 1/2: 1/3 of 0, then 2 · (1/6 + 2/12 + 3/24 + ...) = 4/3.

    >>> round(expected_noise(1 / math.log(2)), 6)
    1.333333
    """
    b = check_scale(scale)
    return 2 * math.exp(-1 / b) / -math.expm1(-2 / b)


def expected_largest_noise(scale: float, bins: int) -> float:
    r"""Mean of the largest absolute noise of several cells: :math:`b H_k`.

    :math:`H_k = 1 + 1/2 + \dots + 1/k`. It is exact for Laplace noise; that of geometric noise
    is up to 0.15 records less, for scales from 1 on.

    Parameters
    ----------
    scale : float
        Scale b of the noise.
    bins : int
        Number of cells k.

    Returns
    -------
    float
        Records; smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite, or `bins` is not at least 1.

    References
    ----------
    .. [1] A. Rényi, *On the theory of order statistics*, 1953: the maximum of k exponential
       variables is a sum of independent ones with means b, b/2, ..., b/k.

    Examples
    --------
    >>> round(expected_largest_noise(5.0, 4), 3)
    10.417
    """
    k = check_whole(bins, "bins", 1, 10**18, "cells with noise")
    return float(check_scale(scale) * (digamma(k + 1) + np.euler_gamma))


def expected_total_variation(scale: float, bins: int, records: int) -> float:
    r"""What noise alone makes of the total variation: :math:`\frac{k E|\eta|}{2n}`, at most 1.

    Parameters
    ----------
    scale : float
        Scale b of the geometric noise.
    bins : int
        Number of cells k, empty ones among them.
    records : int
        Records n, such as a noisy or a public number.

    Returns
    -------
    float
        From 0 to 1. Before post-processing; a histogram with many empty cells does better,
        because half of them fall below 0 and are clipped.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite, or a number is not at least 1.

    Examples
    --------
    Twelve months hold at scale 5, a calendar of hours does not:

    >>> round(expected_total_variation(5.0, 12, 20_000), 4)
    0.0015
    >>> expected_total_variation(5.0, 12 * 31 * 24, 20_000)
    1.0
    """
    k = check_whole(bins, "bins", 1, 10**18, "cells with noise")
    n = check_whole(records, "records", 1, 10**18, "records counted")
    return min(1.0, k * expected_noise(scale) / (2 * n))


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
    people = domains.individuals_of(df)
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
    b = check_scale(scale)
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
    rng: np.random.Generator
    """Draws records, and the noise of numpy."""
    backend: str

    @classmethod
    def checked(
        cls, sensitivity: float, least: int, epsilon: float, rng: Any, backend: str | None
    ) -> Noise:
        """Noise of a whole release, of which one answer moves by `least`."""
        loss = check_loss(epsilon)
        whole = _check_release_sensitivity(sensitivity, least)
        chosen = backend if backend is not None else "opendp" if rng is None else "numpy"
        if check_source(chosen, rng) is None:
            check_opendp()
            # Which records count must be as unknown as the noise: no seed but the system's.
            rng = np.random.default_rng() if rng is None else rng
        noise = cls(whole, loss, rng, chosen)
        laws.check_integer_scale(noise.scale)
        return noise

    @property
    def scale(self) -> float:
        """Scale of the geometric noise."""
        return float(laws.laplace_scale(self.sensitivity, self.epsilon))

    def on(self, counts: IntArray) -> IntArray:
        """Counts with noise."""
        rng = self.rng if self.backend == "numpy" else None
        noisy = geometric(counts, **self._asdict() | {"rng": rng})
        return np.asarray(noisy, dtype=np.int64)


class NoisyCells(NamedTuple):
    """Noisy counts of a domain, or of those of its cells that are above a threshold."""

    domain: CombinedDomain
    counts: IntArray
    cells: IntArray | None = None
    """Which cells; None stands for all."""
    threshold: int | None = None

    @property
    def codes(self) -> IntArray:
        """Combined code of each cell listed, ascending."""
        return self.domain.codes(self.listed)

    @property
    def listed(self) -> IntArray:
        """Number of each cell listed, ascending."""
        return np.arange(self.domain.size) if self.cells is None else self.cells


def _chance_above(threshold: int, scale: float) -> float:
    """Probability that the noise of an empty cell is above the threshold."""
    return float(laws.DiscreteLaplaceNoise(scale).sf(threshold + 1)) / 2


def _kept(people: pd.Series, size: int, rng: np.random.Generator) -> IntArray:
    """Positions of at most `size` records of each individual, in their order."""
    # In a random order, brought together by individual with a stable sort, the first `size`
    # records of each are a draw without replacement.
    order = rng.permutation(len(people))
    codes = pd.factorize(people, use_na_sentinel=False)[0][order]
    together = np.argsort(codes, kind="stable")
    order, codes = order[together], codes[together]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    rank = np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))
    return np.sort(order[rank < size])
