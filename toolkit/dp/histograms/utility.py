"""Errors of private histograms: theory for everyone, the truth for the curator.

`expected_noise` and `expected_largest_noise` follow from public numbers. Functions whose name
starts with `curator_` compare with the true records, without noise: their results are not
private, are marked so, and must not be published or used to choose among releases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import digamma

from ..._validation import check_table, check_whole, listed
from ...information.entropies import total_variation
from .._validation import check_noise_scale
from ._validation import check_combined, check_histogram, ends
from .domain import (
    Settings,
    numeric_part,
    whole_numbers,
)

__all__ = [
    "HistogramUtility",
    "curator_histogram_utility",
    "curator_marginals",
    "curator_means",
    "expected_largest_noise",
    "expected_noise",
    "expected_total_variation",
]


# What everyone may know


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
    b = check_noise_scale(scale)
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
    return float(check_noise_scale(scale) * (digamma(k + 1) + np.euler_gamma))


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


# For the curator only


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
    check_combined(df, column)
    given = check_histogram(population, weights)
    true = df[column].value_counts(normalize=True)
    if given.empty or true.empty:
        largest = max([0.0, *true, *given])
        return HistogramUtility(1.0, 2.0, largest, len(df))
    apart = true.sub(given, fill_value=0.0).abs()
    distance = total_variation(true, given)
    return HistogramUtility(distance, 2 * distance, float(apart.max()), len(df))


def curator_marginals(
    ground_truth: pd.DataFrame,
    simulated: pd.DataFrame,
    num_dict: Mapping[str, Any],
    *,
    k: int = 1,
) -> pd.DataFrame:
    """Total variation of every k columns together. For the curator only: it is not private.

    Parameters
    ----------
    ground_truth : DataFrame
        The true records, as for `pre_process`.
    simulated : DataFrame
        What `simulate_rows` returned.
    num_dict : mapping of {column: [top, increment, max]}
        Bins in which `_n` columns are compared.
    k : int, default 1
        Columns that are compared at once; 2 shows what the combinations have lost.

    Returns
    -------
    DataFrame
        A row per set of columns: `columns`, `total_variation` (from 0 to 1, smaller is more
        accurate) and `curator_only`. Columns of both tables that end in `_c` or `_n`.

    Raises
    ------
    TypeError, ValueError
        If a table is none or is empty, k columns are not shared, or bins are missing.

    Examples
    --------
    The columns are right, one by one, and not together:

    >>> true = pd.DataFrame({"p_i": [1, 2], "a_c": [0, 1], "b_c": [0, 1]})
    >>> made = pd.DataFrame({"a_c": [0, 1], "b_c": [1, 0]})
    >>> curator_marginals(true, made, {})["total_variation"].tolist()
    [0.0, 0.0]
    >>> curator_marginals(true, made, {}, k=2)
        columns  total_variation  curator_only
    0  a_c, b_c              1.0          True
    """
    names = _common_columns(ground_truth, simulated, ("_c", "_n"))
    k = check_whole(k, "k", 1, len(names), "columns that are compared at once")
    numeric = [name for name in names if name.endswith("_n")]
    bins = Settings.alone({"bins": numeric} if numeric else {}, num_dict, None).bins
    tables = [_binned(table[names], bins) for table in (ground_truth, simulated)]
    sets = [list(chosen) for chosen in itertools.combinations(names, k)]
    shares = [[t[chosen].value_counts(normalize=True) for t in tables] for chosen in sets]
    return pd.DataFrame(
        {
            "columns": [", ".join(chosen) for chosen in sets],
            "total_variation": [total_variation(true, made) for true, made in shares],
            "curator_only": True,
        }
    )


def curator_means(ground_truth: pd.DataFrame, simulated: pd.DataFrame) -> pd.DataFrame:
    """Means of the numeric columns. For the curator only: they are not private.

    Parameters
    ----------
    ground_truth, simulated
        As for `curator_marginals`.

    Returns
    -------
    DataFrame
        A row per `_n` column: `column`, `true`, `simulated`, `difference`, in its unit, and
        `curator_only`.

    Raises
    ------
    TypeError, ValueError
        If a table is none or is empty, or they share no `_n` column.

    Examples
    --------
    >>> true = pd.DataFrame({"p_i": [1, 2], "wait_n": [10, 20]})
    >>> curator_means(true, pd.DataFrame({"wait_n": [11, 12, 13]}))
       column  true  simulated  difference  curator_only
    0  wait_n  15.0       12.0        -3.0          True
    """
    names = _common_columns(ground_truth, simulated, ("_n",))
    true, made = ground_truth[names].mean(), simulated[names].mean()
    return pd.DataFrame(
        {
            "column": names,
            "true": true.to_numpy(float),
            "simulated": made.to_numpy(float),
            "difference": (made - true).to_numpy(float),
            "curator_only": True,
        }
    )


def _common_columns(ground_truth: Any, simulated: Any, suffixes: tuple[str, ...]) -> list[str]:
    """Return the columns of both tables that end so; both have rows."""
    check_table(ground_truth, "ground_truth")
    check_table(simulated, "simulated")
    names = [n for n in ground_truth.columns if any(ends(n, s) for s in suffixes)]
    common = [name for name in names if name in simulated.columns]
    if not common:
        raise ValueError(
            f"simulated shares no {' or '.join(suffixes)} column with ground_truth; it has"
            f" {listed(simulated.columns)}."
        )
    for argument, table in {"ground_truth": ground_truth, "simulated": simulated}.items():
        for name in common:
            columns = table.loc[:, table.columns == name]
            if columns.shape[1] > 1:
                raise ValueError(f"{argument} has {name!r} twice; name each column once.")
            if not pd.api.types.is_integer_dtype(columns.dtypes.iloc[0]):
                raise TypeError(
                    f"{argument}: column {name!r} must hold integers; got"
                    f" {columns.dtypes.iloc[0]}."
                )
    return common


def _binned(table: pd.DataFrame, bins: Mapping[str, tuple[int, int, int]]) -> pd.DataFrame:
    """Numeric columns in the codes of their bins, the others as they are."""
    coded = {}
    for name in table.columns:
        values = whole_numbers(table[name])
        if name in bins:
            values = numeric_part(name, bins[name]).encode(values)
        coded[name] = values
    return pd.DataFrame(coded)
