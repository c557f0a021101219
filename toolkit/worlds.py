"""Which data sets does the adversary still deem possible, and how far apart are their answers?

The adversary of differential identifiability knows all records of a data set but one. The
data set is then one of several *possible worlds*, each with its own true answer to a query.
How far these answers spread, the *sensitive range*, decides how much noise has to hide them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._validate import (
    check_answers,
    check_bounds,
    check_ddof,
    check_members,
    check_numbers,
    check_outputs,
    check_query_name,
    check_truths,
    check_whole,
    check_worlds,
)

__all__ = [
    "Moments",
    "contributions",
    "global_sensitive_range",
    "moments",
    "number_of_worlds",
    "possible_outputs",
    "possible_worlds",
    "sensitive_range",
]

Floats = npt.NDArray[np.float64]
Query = str | Callable[[Floats], Any]

QUERIES: dict[str, Callable[[Floats, int], Any]] = {
    "mean": lambda worlds, ddof: worlds.mean(axis=1),
    "sum": lambda worlds, ddof: worlds.sum(axis=1),
    "count": lambda worlds, ddof: check_truths(worlds, "worlds").sum(axis=1),
    "median": lambda worlds, ddof: np.median(worlds, axis=1),
    "max": lambda worlds, ddof: worlds.max(axis=1),
    "min": lambda worlds, ddof: worlds.min(axis=1),
    "var": lambda worlds, ddof: worlds.var(axis=1, ddof=ddof),
    "std": lambda worlds, ddof: worlds.std(axis=1, ddof=ddof),
}
"""Queries that have a name: each answers for every world at once, a row per world."""

NAMES = list(QUERIES)
LARGEST_TABLE_OF_WORLDS = 100_000_000
"""Cells that `possible_worlds` agrees to lay out (800 MB)."""


class Moments(NamedTuple):
    """What mean, variance and standard deviation need to know of the known records."""

    size: int
    mean: float
    squares: float
    """Sum of squared deviations from the mean."""


def moments(values: Any) -> Moments:
    """Number, mean and sum of squared deviations of some records.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite numbers, at least one.

    Examples
    --------
    >>> moments([1, 3])
    Moments(size=2, mean=2.0, squares=2.0)
    """
    numbers = check_numbers(values, "values")
    mean = math.fsum(numbers) / numbers.size
    return Moments(numbers.size, mean, math.fsum((numbers - mean) ** 2))


def number_of_worlds(universe: int, known: int, unknown: int = 1) -> int:
    r"""How many data sets fit what the adversary knows: :math:`\binom{|U|-|D'|}{|D|-|D'|}`.

    Parameters
    ----------
    universe : int
        Individuals that might be in the data set.
    known : int
        Those known to be in it.
    unknown : int, default 1
        How many more there are in it.

    Returns
    -------
    int
        Number of possible worlds; more is safer.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, section 3.

    Examples
    --------
    Of ten people eight are known to take part; who is the ninth?

    >>> number_of_worlds(10, 8)
    2
    """
    check_whole(universe, "universe", 1, 10**18, "how many individuals there are")
    check_whole(known, "known", 0, universe, "how many of the universe are known")
    left = universe - known
    check_whole(unknown, "unknown", 1, max(left, 1), "how many of the others are in the data")
    return math.comb(left, unknown)


def possible_worlds(known: Any, candidates: Any, unknown: int = 1) -> pd.DataFrame:
    r"""Every data set that fits: the known records and a choice of the candidates.

    Parameters
    ----------
    known : array-like of shape (n - unknown,)
        Records the adversary knows; may be empty.
    candidates : array-like of shape (c,)
        Values the unknown records might have, one for each individual not known.
    unknown : int, default 1
        How many records are unknown.

    Returns
    -------
    DataFrame of shape (number_of_worlds, n)
        A row per world, labelled by its candidate (by its tuple of them if several are
        unknown), the known records first.

    Raises
    ------
    TypeError, ValueError
        If a value is no finite number, or the table would be too large.

    Examples
    --------
    >>> possible_worlds([1, 3], [2, 4, 5]).to_numpy().tolist()
    [[1.0, 3.0, 2.0], [1.0, 3.0, 4.0], [1.0, 3.0, 5.0]]
    """
    fixed = check_numbers(known, "known", least=0)
    values = check_numbers(candidates, "candidates")
    check_whole(
        unknown, "unknown", 1, values.size, "how many of the candidates are in a world"
    )
    size = fixed.size + unknown
    cells = math.comb(values.size, unknown) * size
    check_whole(cells, "the table of worlds", 1, LARGEST_TABLE_OF_WORLDS, "cells")
    chosen = np.array(list(itertools.combinations(values, unknown)))
    table = np.hstack([np.broadcast_to(fixed, (len(chosen), fixed.size)), chosen])
    named = pd.Index(chosen[:, 0], name="candidate")
    index = named if unknown == 1 else pd.MultiIndex.from_arrays(list(chosen.T))
    return pd.DataFrame(table, index=index)


def possible_outputs(worlds: Any, query: Query, *, ddof: int = 0) -> pd.Series:
    """Answer of the query in each possible world, before any noise.

    Parameters
    ----------
    worlds : DataFrame or array-like of shape (m, n)
        A row per world, such as `possible_worlds` gives.
    query : str or callable
        "mean", "sum", "count" (of truth values), "median", "max", "min", "var", "std", or a
        function that takes all worlds as one array and returns m numbers.
    ddof : {0, 1}
        Variance of a population (0) or a sample (1).

    Returns
    -------
    Series of shape (m,)
        Outputs, in the unit of the query; index of `worlds`.

    Raises
    ------
    TypeError, ValueError
        If there is no world, a cell is missing, or the query is unknown.

    Examples
    --------
    >>> possible_outputs([[1, 3, 2], [1, 3, 4]], "median").tolist()
    [2.0, 3.0]
    >>> possible_outputs([[1, 3, 2], [1, 3, 4]], lambda worlds: worlds[:, -1]).tolist()
    [2.0, 4.0]
    """
    index, numbers = check_worlds(worlds)
    if callable(query):
        answers, name = check_answers(query(numbers), len(numbers)), "output"
    else:
        name = check_query_name(query, NAMES, " or a callable")
        check_ddof(ddof, query, numbers.shape[1])
        answers = QUERIES[name](numbers, ddof)
    return pd.Series(np.asarray(answers, dtype=float), index=index, name=name)


def contributions(outputs: Any, *, members: Any = None) -> pd.Series:
    r"""How much each individual can move the answer: :math:`C_f(i)`.

    The largest :math:`|f(\omega_1) - f(\omega_2)|` over worlds :math:`\omega_1` with the
    individual and :math:`\omega_2` without. Its maximum is the sensitive range.

    Parameters
    ----------
    outputs : Series or array-like of shape (m,)
        Result of `possible_outputs`.
    members : array-like of bool of shape (m, individuals), optional
        Who is in which world. By default each world has an individual of its own.

    Returns
    -------
    Series of shape (individuals,)
        Contributions, in the unit of the query; smaller is safer. 0 for one who is in every
        world or in none.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, definition 3.

    Examples
    --------
    >>> contributions([2.0, 3.0, 7.0]).tolist()
    [5.0, 4.0, 5.0]
    """
    labels, numbers = check_outputs(outputs)
    if members is None:
        # The others' extremes are everyone's, for one's own output is no distance away.
        farthest = np.maximum(numbers - numbers.min(), numbers.max() - numbers)
        return pd.Series(farthest, index=labels, name="contribution")
    inside = check_members(members, numbers.size)
    names = members.columns if isinstance(members, pd.DataFrame) else None
    column = numbers[:, None]
    low_in, low_out = (
        np.where(mask, column, np.inf).min(axis=0) for mask in (inside, ~inside)
    )
    high_in, high_out = (
        np.where(mask, column, -np.inf).max(axis=0) for mask in (inside, ~inside)
    )
    # Who is in no world, or in every one, has -inf on one side: no difference to be seen.
    farthest = np.maximum(np.maximum(high_in - low_out, high_out - low_in), 0.0)
    return pd.Series(farthest, index=names, name="contribution")


def sensitive_range(query: Query, known: Any, candidates: Any, *, ddof: int = 0) -> float:
    r"""Distance between the largest and the smallest answer over the possible worlds.

    The worlds are :math:`D' \cup \{v\}`. With :math:`n - 1` known records of mean
    :math:`\mu'` and sum of squared deviations :math:`M'`, :math:`c = (n-1)/n`, and
    :math:`d_+, d_-` the largest and smallest :math:`|v - \mu'|` over the candidates:
    mean :math:`\mathrm{range}(v)/n`; sum :math:`\mathrm{range}(v)`; variance
    :math:`c(d_+^2 - d_-^2)/(n - \mathrm{ddof})`; standard deviation
    :math:`\sqrt{(M' + c d_+^2)/(n - \mathrm{ddof})} -
    \sqrt{(M' + c d_-^2)/(n - \mathrm{ddof})}`. The smallest spread comes from the candidate
    *nearest the mean*, not from the other end. Maximum, minimum and median follow a candidate
    only as far as the known records let them.

    Parameters
    ----------
    query : str or callable
        As for `possible_outputs`.
    known : array-like of shape (n - 1,) or Moments
        Records the adversary knows; may be empty. For mean, sum, variance and standard
        deviation their `moments` suffice.
    candidates : array-like of shape (m,)
        Values the unknown record might have.
    ddof : {0, 1}
        Variance of a population (0) or a sample (1).

    Returns
    -------
    float
        Sensitive range, in the unit of the query, at least 0; smaller needs less noise. It
        holds for this `known` only: see `global_sensitive_range`.

    Raises
    ------
    TypeError, ValueError
        If a value is no finite number, there is no candidate, or the query is unknown.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, definition 4.

    Examples
    --------
    >>> sensitive_range("mean", [1, 3], [2, 4, 5, 6, 7, 8, 9, 10])
    2.6666666666666665
    >>> sensitive_range("median", [1, 3], [2, 4, 5, 6, 7, 8, 9, 10])
    1.0
    """
    values = check_numbers(candidates, "candidates")
    if callable(query):
        return float(np.ptp(possible_outputs(possible_worlds(known, values), query)))
    check_query_name(query, NAMES, " or a callable")
    summary = known if isinstance(known, Moments) else None
    if summary is None:
        records = check_numbers(known, "known", least=0)
        size = records.size
    else:
        check_query_name(query, ["mean", "sum", "var", "std"], " where known are Moments")
        size = summary.size
    check_ddof(ddof, query, size + 1)
    if query in ("mean", "sum"):
        return float(np.ptp(values)) / (size + 1 if query == "mean" else 1)
    if query in ("var", "std"):
        if size == 0:
            return 0.0
        return _spread_range(query, summary or moments(records), values, ddof)
    if query == "count":
        check_truths(records, "known")
        return float(np.ptp(check_truths(values, "candidates")))
    return _order_range(query, np.sort(records), values)


def _spread_range(query: str, known: Moments, values: Floats, ddof: int) -> float:
    """Closed forms of variance and standard deviation, as quotients that do not cancel."""
    n = known.size + 1
    away = np.abs(values - known.mean)
    far, near = float(away.max()), float(away.min())
    share = known.size / n / (n - ddof)
    difference = share * (far - near) * (far + near)
    if query == "var" or difference == 0:
        return difference
    within = known.squares / (n - ddof)
    return difference / (
        math.sqrt(within + share * far**2) + math.sqrt(within + share * near**2)
    )


def _order_range(query: str, known: Floats, values: Floats) -> float:
    """Closed forms of maximum, minimum and median, which only let a candidate go so far."""
    low, high, weight = -np.inf, np.inf, 1.0
    padded = np.concatenate([[-np.inf], known, [np.inf]])
    if query == "max":
        low = padded[-2]
    elif query == "min":
        high = padded[1]
    elif known.size % 2 == 0:  # the candidate stands in the middle, or its neighbour does
        low, high = padded[known.size // 2], padded[known.size // 2 + 1]
    else:  # half of it counts, the other half is the middle of the known
        low, high = padded[known.size // 2], padded[known.size // 2 + 2]
        weight = 0.5
    return weight * float(np.ptp(np.clip(values, low, high)))


def global_sensitive_range(
    query: str, n: int, lower: float, upper: float, *, ddof: int = 0
) -> float:
    r"""Largest sensitive range over all data sets of `n` records within the bounds.

    With :math:`W` the width of the domain: mean :math:`W/n`; sum, maximum, minimum :math:`W`;
    count 1; median :math:`W` for odd and :math:`W/2` for even n; variance
    :math:`(n-1)W^2/n^2`, of a sample :math:`W^2/n`; standard deviation the root of that. What
    noise of this size hides is hidden whatever the known records are.

    Parameters
    ----------
    query : str
        "mean", "sum", "count", "median", "max", "min", "var" or "std".
    n : int
        Records in a world, the unknown one included.
    lower, upper : float
        Bounds of the domain. Public knowledge: taken from the data they would leak.
    ddof : {0, 1}
        Variance of a population (0) or a sample (1).

    Returns
    -------
    float
        Sensitive range in the unit of the query; smaller needs less noise.

    Raises
    ------
    TypeError, ValueError
        If the bounds do not rise, or there is no record.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, definition 4.

    Examples
    --------
    >>> global_sensitive_range("mean", 48842, 17, 90)
    0.0014946152901191597
    >>> global_sensitive_range("median", 48842, 17, 90)
    36.5
    """
    check_query_name(query, NAMES)
    check_whole(n, "n", 1, 10**18, "how many records a world has")
    width = check_bounds(lower, upper)
    check_ddof(ddof, query, n)
    share = 1 / n if ddof else (n - 1) / n / n
    return {
        "mean": width / n,
        "count": 1.0,
        "median": width if n % 2 else width / 2,
        "var": share * width * width,
        "std": math.sqrt(share) * width,
    }.get(query, width)
