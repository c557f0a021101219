"""Possible worlds of an adversary, the distances of their answers, and their weights.

The adversary of differential identifiability knows all records of a data set but one. The
data set is then one of several *possible worlds*, each with its own true answer to a query.
How far these answers spread, the *sensitive range*, decides how much noise has to hide them.

The computations behind `toolkit.dp.identifiability.policy`: every sum over pairs of worlds is
a recurrence along the sorted outputs, linear in their number, and of positive terms only.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg.blas import dtbsv

from ..._typing import FloatArray, IntArray
from ..._validation import check_numbers, check_truths, check_whole, listed
from ..noise import number_or_none

Query = str | Callable[[FloatArray], Any]


QUERIES: dict[str, Callable[[FloatArray, int], Any]] = {
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


SUM_TOLERANCE = 1e-9
"""How far the probabilities of a prior may add up from 1."""


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
    meaning = "how many of the candidates are in a world"
    check_whole(unknown, "unknown", 1, values.size, meaning)
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
    index, numbers = _table_of_worlds(worlds)
    if callable(query):
        answers, name = _answers_of(query(numbers), len(numbers)), "output"
    else:
        name = _named_query(query, QUERIES, " or a callable")
        _check_ddof(ddof, query, numbers.shape[1])
        answers = QUERIES[name](numbers, ddof)
    return pd.Series(np.asarray(answers, dtype=float), index=index, name=name)


def _table_of_worlds(worlds: Any) -> tuple[pd.Index, FloatArray]:
    """Labels and numbers of worlds: a row per world, a column per record."""
    try:
        numbers = np.asarray(worlds)
        numbers = numbers if numbers.dtype.kind in "biuf" else numbers.astype(float)
    except (TypeError, ValueError):
        raise ValueError(
            "worlds must be a table of numbers, a row per world, all of one length."
        ) from None
    if numbers.ndim != 2 or 0 in numbers.shape:
        raise ValueError(
            f"worlds must be a table with a row per world and a column per record, none of"
            f" them empty; got shape {numbers.shape}."
        )
    bad = np.argwhere(~np.isfinite(numbers))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"worlds must be finite; world {row} holds {numbers[row, column]} at record"
            f" {column} ({len(bad)} such cells). Drop or fill what is missing first."
        )
    index = worlds.index if isinstance(worlds, pd.DataFrame) else pd.RangeIndex(len(numbers))
    return index, numbers


def _answers_of(answers: Any, worlds: int) -> FloatArray:
    """Return what a callable query said about every world at once."""
    try:
        numbers = np.asarray(answers, dtype=float)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (worlds,):
        raise ValueError(
            f"query must take all worlds at once (a row each) and return one number per"
            f" world, {worlds} here; it returned {type(answers).__name__} of shape"
            f" {np.shape(answers)}. Try lambda worlds: worlds.mean(axis=1)."
        )
    return check_numbers(numbers, "what query returned")


def _named_query(query: Any, names: Collection[str], also: str = "") -> str:
    """Return the name of a query that has a closed form."""
    if not isinstance(query, str):
        raise TypeError(
            f"query must be one of {listed(names)}{also}; got {type(query).__name__}."
        )
    if query not in names:
        close = difflib.get_close_matches(query, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"query must be one of {listed(names)}{also}; got {query!r}.{hint}")
    return query


def _check_ddof(ddof: Any, query: object, n: int) -> None:
    """Refuse what is not 0 (population) or 1 (sample); one record alone has no spread."""
    check_whole(ddof, "ddof", 0, 1, "0 for a population and 1 for a sample")
    if query in ("var", "std") and n <= ddof:
        raise ValueError(f"ddof=1 needs at least 2 records in a world; there is {n}.")


def output_shifts(outputs: Any, *, members: Any = None) -> pd.Series:
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
    >>> output_shifts([2.0, 3.0, 7.0]).tolist()
    [5.0, 4.0, 5.0]
    """
    labels, numbers = checked_outputs(outputs)
    if members is None:
        # The others' extremes are everyone's, for one's own output is no distance away.
        farthest = np.maximum(numbers - numbers.min(), numbers.max() - numbers)
        return pd.Series(farthest, index=labels, name="contribution")
    inside = np.asarray(members)
    fits = inside.ndim == 2 and len(inside) == numbers.size
    if not fits or not np.isin(inside, (0, 1)).all():
        raise ValueError(
            f"members must say who is in which world: a row for each of the {numbers.size}"
            f" worlds, a column per individual, True or False; got shape {inside.shape}."
        )
    inside = inside.astype(bool)
    names = members.columns if isinstance(members, pd.DataFrame) else None
    column = numbers[:, None]
    sides = inside, ~inside
    low_in, low_out = (np.where(side, column, np.inf).min(axis=0) for side in sides)
    high_in, high_out = (np.where(side, column, -np.inf).max(axis=0) for side in sides)
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
    _named_query(query, QUERIES, " or a callable")
    summary = known if isinstance(known, Moments) else None
    if summary is None:
        records = check_numbers(known, "known", least=0)
        size = records.size
    else:
        _named_query(query, ["mean", "sum", "var", "std"], " where known are Moments")
        size = summary.size
    _check_ddof(ddof, query, size + 1)
    if query in ("mean", "sum"):
        return float(np.ptp(values)) / (size + 1 if query == "mean" else 1)
    if query in ("var", "std"):
        return _spread_range(query, summary or moments(records), values, ddof) if size else 0.0
    if query == "count":
        check_truths(records, "known")
        return float(np.ptp(check_truths(values, "candidates")))
    return _order_range(query, np.sort(records), values)


def _spread_range(query: str, known: Moments, values: FloatArray, ddof: int) -> float:
    """Closed forms of variance and standard deviation, as quotients that do not cancel."""
    n = known.size + 1
    away = np.abs(values - known.mean)
    far, near = float(away.max()), float(away.min())
    share = known.size / n / (n - ddof)
    difference = share * (far - near) * (far + near)
    if query == "var" or difference == 0:
        return difference
    within = known.squares / (n - ddof)
    spreads = math.sqrt(within + share * far**2), math.sqrt(within + share * near**2)
    return difference / sum(spreads)


def _order_range(query: str, known: FloatArray, values: FloatArray) -> float:
    """Closed forms of maximum, minimum and median, which only let a candidate go so far."""
    padded = np.concatenate([[-np.inf], known, [np.inf]])
    if query != "median":
        low, high = (padded[-2], np.inf) if query == "max" else (-np.inf, padded[1])
        return float(np.ptp(np.clip(values, low, high)))
    # Of an even number the candidate stands in the middle, or its neighbour does; of an odd
    # one half of it counts, the other half is the middle of the known.
    half, odd = divmod(known.size, 2)
    middle = np.clip(values, padded[half], padded[half + 1 + odd])
    return float(np.ptp(middle)) / (1 + odd)


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
    _named_query(query, QUERIES)
    check_whole(n, "n", 1, 10**18, "how many records a world has")
    for argument, bound in {"lower": lower, "upper": upper}.items():
        found = number_or_none(bound)
        if found is None or not math.isfinite(found):
            raise TypeError(f"{argument} must be a finite number; got {bound!r}.")
    if not lower < upper:
        raise ValueError(f"lower must be below upper; got {lower} and {upper}.")
    width = float(upper) - float(lower)
    _check_ddof(ddof, query, n)
    share = 1 / n if ddof else (n - 1) / n / n
    found = {
        "mean": width / n,
        "count": 1.0,
        "median": width if n % 2 else width / 2,
        "var": share * width * width,
        "std": math.sqrt(share) * width,
    }.get(query, width)
    if math.isinf(found):
        raise ValueError(
            f"lower and upper, {lower} and {upper}, lie further apart than a float can say for"
            f" {query!r}; rescale them."
        )
    return found


def checked_outputs(outputs: Any) -> tuple[pd.Index, FloatArray]:
    """Labels of the worlds, and the finite output of the query in each."""
    numbers = check_numbers(outputs, "outputs")
    with np.errstate(over="ignore"):
        too_far = not np.isfinite(np.ptp(numbers))
    if too_far:
        raise ValueError("outputs lie further apart than a float can say; rescale them.")
    labels = outputs.index if isinstance(outputs, pd.Series) else pd.RangeIndex(numbers.size)
    return labels, numbers


def checked_prior(prior: Any, labels: pd.Index) -> FloatArray:
    """Weight of each world in the order of the outputs, matched by label where both have any.

    Without a prior all worlds weigh 1.
    """
    worlds = len(labels)
    if prior is None:
        return np.ones(worlds)
    if isinstance(prior, Mapping):
        prior = pd.Series(prior)
    if isinstance(prior, pd.Series) and not prior.index.equals(labels):
        same = prior.index.is_unique and labels.is_unique
        if not (same and set(prior.index) == set(labels)):
            raise ValueError(
                f"prior names other worlds than outputs ({len(prior)} and {worlds}); give it"
                f" the labels of outputs, or a plain list in their order."
            )
        prior = prior.reindex(labels)
    numbers = check_numbers(prior, "prior")
    if numbers.size != worlds:
        raise ValueError(
            f"prior must hold one probability for each of the {worlds} worlds; got"
            f" {numbers.size}."
        )
    return distribution(numbers)


def distribution(prior: Any) -> FloatArray:
    """Return a prior: probabilities that add up to 1."""
    given = list(prior.values()) if isinstance(prior, Mapping) else prior
    numbers = check_numbers(given, "prior")
    if (numbers < 0).any():
        raise ValueError(f"prior must hold probabilities; got {numbers[numbers < 0][0]:g}.")
    total = math.fsum(numbers)
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(
            f"prior adds up to {total:.12g}, not 1; divide each entry by the total."
        )
    return numbers


def check_feasible(rho: float, least: float, *, reached: bool) -> None:
    """Refuse a policy that noise cannot reach from what is known beforehand."""
    if rho < least or (rho == least and not reached):
        raise ValueError(
            f"rho = {rho!r} cannot be reached by any noise: without a response the best"
            f" guess is right with probability {least:.6g}, so even an infinite scale leaves"
            f" that. Set rho above {least:.6g}, or let more worlds be possible."
        )


EPS = 2.0**-52  # distance from 1 to the next float


@dataclass(frozen=True)
class Worlds:
    """Worlds by their distinct outputs in rising order; a uniform prior counts worlds."""

    labels: pd.Index
    prior: FloatArray
    outputs: FloatArray
    place: IntArray
    mass: FloatArray
    lost: FloatArray
    """What rounding took from each `mass`."""
    top: FloatArray
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
    def gaps(self) -> FloatArray:
        """Share of the range from the output before, first upwards, then downwards."""
        if self.outputs.size == 1:
            return np.zeros(2)
        gaps = np.diff(self.outputs) / self.width
        return np.concatenate([[0.0], gaps, [0.0], gaps[::-1]])

    @cached_property
    def before(self) -> tuple[FloatArray, FloatArray]:
        """Prior of the output before, and of all before, in the order of `gaps`."""
        last = np.concatenate([[0.0], self.mass[:-1], [0.0], self.mass[:0:-1]])
        half = self.mass.size
        return last, np.concatenate([np.cumsum(last[:half]), np.cumsum(last[half:])])

    def weigh_others(self, epsilon: float, *, slope: bool = True) -> Others:
        """Sum over all other outputs by recurrences along the sorted ones.

        All terms are positive, so no digits are lost: with ``a`` the decay over a gap, what is
        reached is ``a * (reached before + prior before)``, and what is missed
        ``a * missed before + (1 - a) * prior of all before``.
        """
        # The technique: a sum over all pairs of exp(-|f_j - f_k|) is two first-order linear
        # recurrences, one upwards and one downwards along the sorted outputs (a recursive
        # exponential filter), O(m) instead of O(m^2). A recurrence x[i] - a[i] x[i-1] = t[i]
        # is a linear system whose matrix has ones on the diagonal and -a[i] below it; BLAS
        # solves that by forward substitution in compiled code (`dtbsv`, a triangular band with
        # one diagonal below, Dongarra et al., ACM TOMS 14, 1988). Both directions stand one
        # after the other in one system, with a 0 where the second begins. Sums of positive
        # terms by recurrence have a small relative error (Higham, Accuracy and stability of
        # numerical algorithms, 2002, ch. 8: triangular systems of this sign pattern).
        last, earlier = self.before
        steps = self.gaps * epsilon
        decay = np.exp(-steps)

        def both(sums: FloatArray) -> FloatArray:
            return sums[: self.mass.size] + sums[: self.mass.size - 1 : -1]

        upto = self._along(decay, decay * last)
        missed = both(self._along(decay, -np.expm1(-steps) * earlier))
        slopes = both(self._along(decay, self.gaps * upto)) if slope else missed
        return Others(both(upto), missed, slopes)

    def _along(self, decay: FloatArray, terms: FloatArray) -> FloatArray:
        """Solve x[i] = decay[i] * x[i-1] + terms[i], upwards and then downwards."""
        band = np.empty((2, decay.size), order="F")
        band[1, :-1] = -decay[1:]
        band[1, self.mass.size - 1] = band[1, -1] = 0.0  # where the way back begins
        return np.asarray(dtbsv(1, band, terms, lower=1, diag=1))

    def largest_beliefs(self, scale: float) -> FloatArray:
        """Largest belief in each world over all responses."""
        if scale == 0 or self.width == 0:
            all_of = self.mass
        else:
            others = self.weigh_others(self.width / scale, slope=False)
            near = others.missed < others.reached
            all_of = np.where(near, self.total - others.missed, self.mass + others.reached)
        # A world that is impossible may have an output that no other world has.
        return np.minimum(self.prior / all_of[self.place], 1.0)

    def no_noise_needed(self, rho: float) -> bool:
        """Whether worlds of equal output hide one another well enough."""
        return bool(rho >= (self.top / self.mass).max())

    def excess(self, rho: float, *, of_all: bool = False) -> FloatArray:
        """What rho times the prior of an output's worlds, or of all, has beyond its likeliest.

        That is little where rho is hardly above what no noise can undercut, so what rounding
        took from the sums of the prior counts.
        """
        if of_all:
            mass, lost = np.full(self.top.size, self.total), self._lost_of_all
            return excess_of(rho, mass, self.top) + rho * lost
        return excess_of(rho, self.mass, self.top) + rho * self.lost

    @cached_property
    def _lost_of_all(self) -> float:
        return math.fsum([*self.prior, -self.total])

    def reaches(self, rho: float) -> bool:
        """Whether noise brings the risk down to rho; in floats, and without their rounding."""
        return rho > self.least_risk and bool((self.excess(rho, of_all=True) > 0).all())

    def epsilon_bracket(self, rho: float) -> tuple[float, float]:
        """ε that is surely small enough, and ε that is surely too large or just right."""
        if not self.reaches(rho):
            check_feasible(rho, max(rho, self.least_risk), reached=False)
        gap = -self.excess(rho)
        risky = gap > 0
        gain = self.excess(rho, of_all=True) + gap
        logs = np.log1p((gain - gap)[risky] / gap[risky])
        place = self.outputs
        far = np.maximum(place - place[0], place[-1] - place) / self.width
        half = self.gaps[: place.size]
        near = np.fmin(np.append(np.inf, half[1:]), np.append(half[1:], np.inf))
        return float((logs / far[risky]).min()), float((logs / near[risky]).min())

    def largest_epsilon(self, rho: float, start: float = 0.0) -> float:
        """Largest ε of no larger risk than rho; infinite where any is.

        Both what is missed and the logarithm of what is reached bend so that the tangent lies
        on the safe side: where it meets its target, the curve has not. So tangents lead up to
        the root from below and quickly; every fourth step halves the bracket, whatever they
        do.
        """
        # A safeguarded Newton iteration (as rtsafe in Press et al., Numerical recipes, section
        # 9.4, Newton with bisection, here by geometric means). World j keeps rho as long as
        # what is missed by the noise, M_j(eps) = sum p_k (1 - e^(-eps d_jk)), stays at most
        # `spare`, or equally what is reached, R_j(eps) = sum p_k e^(-eps d_jk), stays at least
        # `need`; the smaller of the two targets is used, as its sum is rounded less. M is
        # concave and log R is convex (a logarithm of a sum of exponentials), so a Newton step
        # never passes the root: `best`, the smallest of all worlds' steps, rises to it and
        # converges quadratically. Far below the root steps are short, so every fourth trial is
        # the middle of the bracket; where its tangent leads back below it, it is a new upper
        # end. The targets are moved by the rounding of the sums, which therefore cannot carry
        # the result past the root.
        if self.no_noise_needed(rho):
            return math.inf
        low, high = self.epsilon_bracket(rho)
        # Of the sums: more than a hundred times what is seen; taken off on the safe side.
        rounding = EPS * (self.top.size / 4 + 16)
        spare = self.excess(rho, of_all=True) / rho
        need = -self.excess(rho) / rho
        risky = need > 0
        by_missed = np.flatnonzero(risky & (spare < need))
        by_reached = np.flatnonzero(risky & (spare >= need))
        spare, need = spare[by_missed] * (1 - rounding), need[by_reached] * (1 + rounding)
        low = max(low * (1 - 4 * rounding), start)
        for step in range(1, 500):
            halve = step % 4 == 0
            trial = math.sqrt(low * high) if halve else low
            others = self.weigh_others(trial)
            best = math.inf
            if spare.size:
                ahead = (spare - others.missed[by_missed]) / others.slope[by_missed]
                best = trial + float(ahead.min())
            if need.size:
                reached = others.reached[by_reached]
                if reached.min() > 0:
                    ahead = np.log(reached / need) * reached / others.slope[by_reached]
                    best = min(best, trial + float(ahead.min()))
                else:  # the trial went so far that nothing is left of them
                    best = low
            if not halve and best - low <= 2 * EPS * low:
                break
            if halve and best < trial:
                high = trial
            low = max(low, best) if halve else best
        return min(low, best)

    def scale_of(self, rho: float, epsilon: float) -> float:
        """Scale of an ε, raised while the risk computed from it rounds up beyond rho."""
        if math.isinf(epsilon):
            return 0.0
        scale, more = self.width / epsilon, EPS
        while self.largest_beliefs(scale).max() > rho:
            scale, more = scale * (1 + more), 2 * more
        return scale

    def epsilon_of(self, scale: float) -> float:
        """ε of a scale, rounded down so that it leads back to no smaller scale."""
        if scale == 0:
            return math.inf
        epsilon = self.width / scale
        while epsilon > 0 and self.width / epsilon < scale:
            epsilon = math.nextafter(epsilon, 0)
        return epsilon

    def most_believed(self, response: FloatArray, scale: float) -> tuple[IntArray, FloatArray]:
        """Place of the output believed most at each response, and that belief.

        Below a response the order of beliefs is the same for all responses, and so above: the
        best of each side is a running one, and the better of the two is looked up.
        """
        # The log belief in output f_j is log p_j - |R - f_j| / scale, less what is the same
        # for all. For outputs below R that is (log p_j + f_j / scale) - R / scale: their order
        # does not depend on R, so the best among the first i is a running maximum (prefix
        # maximum) of log p_j + f_j / scale, and above R one of log p_j - f_j / scale from the
        # other end. This is the two-pass distance transform under the L1 norm (Felzenszwalb
        # and Huttenlocher, Theory of Computing 8, 2012). A second running maximum turns "a new
        # record stands here" into its place. One binary search per response then picks the
        # best of each side.
        if scale == 0:
            best = np.searchsorted(self.outputs, response)
            return best, self.top[best] / self.mass[best]
        positions = (self.outputs - self.outputs[0]) / scale
        with np.errstate(divide="ignore"):
            logs = np.log(self.top)
        last = positions.size - 1
        below = _leaders(logs + positions)
        above = (last - _leaders((logs - positions)[::-1]))[::-1]
        seen = (response - self.outputs[0]) / scale
        cut = np.searchsorted(self.outputs, response, "right")
        left, right = np.maximum(cut - 1, 0), np.minimum(cut, last)
        low, high = below[left], above[right]
        by_low, by_high = (logs[side] - np.abs(seen - positions[side]) for side in (low, high))
        best = np.where(by_low >= by_high, low, high)
        # All outputs below weigh what they weigh at the nearest of them, decayed; so above.
        decay = np.exp(-self.gaps * (self.width / scale))
        weights = self._along(decay, decay * self.before[0])
        weights += np.concatenate([self.mass, self.mass[::-1]])
        under, over = weights[left] * (cut > 0), weights[::-1][right] * (cut <= last)
        away = [np.abs(seen - positions[side]) for side in (left, right)]
        nearest = np.minimum(*away)
        everyone = under * np.exp(nearest - away[0]) + over * np.exp(nearest - away[1])
        belief = np.exp(np.maximum(by_low, by_high) + nearest) / everyone
        return best, np.minimum(belief, 1.0)

    def break_ties(self, best: IntArray, rng: np.random.Generator) -> IntArray:
        """Position of a world with the output guessed, by lot among the likeliest of them."""
        likeliest = np.flatnonzero(self.prior == self.top[self.place])
        order = likeliest[np.argsort(self.place[likeliest], kind="stable")]
        counts = np.bincount(self.place[likeliest], minlength=self.outputs.size)
        first = np.cumsum(counts) - counts
        pick = (rng.random(best.size) * counts[best]).astype(np.intp)
        return np.asarray(order[first[best] + pick])


def see_worlds(outputs: Any, prior: Any) -> Worlds:
    """Check outputs and prior, and sort what is possible."""
    labels, numbers = checked_outputs(outputs)
    weight = checked_prior(prior, labels)
    possible = weight > 0
    distinct = np.unique(numbers if possible.all() else numbers[possible])
    place = np.minimum(np.searchsorted(distinct, numbers), distinct.size - 1)
    high = np.rint(weight * 2.0**40) / 2.0**40  # with so few digits that sums are exact
    parts = [np.bincount(place, w, distinct.size) for w in (high, weight - high)]
    coarse, fine = (part.astype(float, copy=False) for part in parts)
    mass = coarse + fine
    top = np.ones(distinct.size)
    if prior is not None:
        top = np.zeros(distinct.size)
        np.maximum.at(top, place, weight)
    lost, total = (coarse - mass) + fine, math.fsum(weight)
    return Worlds(labels, weight, distinct, place, mass, lost, top, total)


def _leaders(beliefs: FloatArray) -> IntArray:
    """Place of the largest number so far, at each of them."""
    leads = np.maximum.accumulate(beliefs)
    places = np.where(beliefs == leads, np.arange(beliefs.size), -1)
    return np.asarray(np.maximum.accumulate(places))


class Others(NamedTuple):
    """What the other outputs weigh at each output, for noise of some ε."""

    reached: FloatArray  # sum of prior * exp(-distance)
    missed: FloatArray  # sum of prior * (1 - exp(-distance)), where that would cancel
    slope: FloatArray  # how fast ε takes from the one and adds to the other


def excess_of(rho: float, mass: FloatArray, top: FloatArray) -> FloatArray:
    """Return rho * mass - top, the rounding of the product added back (Dekker, 1971)."""
    product = rho * mass
    parts = []
    for factor in (np.asarray(rho), mass):
        high = 134217729.0 * factor - (134217729.0 * factor - factor)
        parts.append((high, factor - high))
    (a, b), (c, d) = parts
    rounding = ((a * c - product) + a * d + b * c) + b * d
    return np.asarray((product - top) + rounding)
