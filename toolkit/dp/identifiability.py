"""Differential identifiability: from the greatest belief in a record to epsilon, and back.

The adversary knows every record of a data set but one. The data set is then one of several
*possible worlds*, each with its own true answer to a query. A noisy answer updates the
adversary's belief in each world. A release is ρ-differentially identifiable if no response
lifts the belief in any world above ρ. A policy states ρ (a probability); the noise needs an ε
(natural logarithm) or a scale λ. This module converts one into the other, by the published
bound and exactly.

Noise drawn in floating point is for teaching, and anyone who knows its seed can subtract it.
Draw the noise of a publication with OpenDP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg.blas import dtbsv
from scipy.optimize import brentq

from .._arguments import check_choice, check_generator, check_number, check_numbers
from .._typing import FloatArray, IntArray
from .noise import LaplaceNoise

Query = str | Callable[[FloatArray], Any]

# Named queries; all but the count are functions of numpy.
QUERIES = ("mean", "sum", "count", "median", "max", "min", "var", "std")

EPS, TINY = 2.0**-52, 2.0**-1074  # distance from 1 to the next float; least float above 0


class Moments(NamedTuple):
    """Number, mean and sum of squared deviations of the known records."""

    size: int
    mean: float
    squares: float


# Possible worlds and their answers


def number_of_worlds(universe: int, known: int, unknown: int = 1) -> int:
    r"""Number of data sets that fit the known records: :math:`\binom{|U|-|D'|}{|D|-|D'|}`.

    Parameters
    ----------
    universe : int
        Individuals that might be in the data set.
    known : int
        Individuals known to be in the data set.
    unknown : int, default 1
        Number of further individuals in the data set.

    Returns
    -------
    int
        Number of possible worlds; more is safer.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, section 3.

    Examples
    --------
    Eight of ten people are known to take part; who is the ninth?

    >>> number_of_worlds(10, 8)
    2
    """
    check_number(universe, "universe", "[1, 1e18]", "individuals", whole=True)
    check_number(known, "known", f"[0, {universe}]", "individuals", whole=True)
    left = universe - known
    check_number(unknown, "unknown", f"[1, {max(left, 1)}]", "of the others", whole=True)
    return math.comb(left, unknown)


def possible_worlds(known: Any, candidates: Any) -> pd.DataFrame:
    r"""Every data set that fits: the known records and one of the candidates.

    Parameters
    ----------
    known : array-like of shape (n - 1,)
        Records the adversary knows; may be empty.
    candidates : array-like of shape (m,)
        Values the unknown record might have, one for each individual not known.

    Returns
    -------
    DataFrame of shape (m, n)
        A row per world, with the known records first. Its label is the candidate.

    Examples
    --------
    >>> possible_worlds([1, 3], [2, 4, 5]).to_numpy().tolist()
    [[1.0, 3.0, 2.0], [1.0, 3.0, 4.0], [1.0, 3.0, 5.0]]
    """
    fixed = check_numbers(known, "known", least=0, exact=True)
    values = pd.Index(check_numbers(candidates, "candidates", exact=True), name="candidate")
    return pd.DataFrame(np.column_stack([np.tile(fixed, (len(values), 1)), values]), values)


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

    Examples
    --------
    >>> possible_outputs([[1, 3, 2], [1, 3, 4]], "median").tolist()
    [2.0, 3.0]
    >>> possible_outputs([[1, 3, 2], [1, 3, 4]], lambda worlds: worlds[:, -1]).tolist()
    [2.0, 4.0]
    """
    table = np.asarray(worlds, dtype=float)
    check_numbers(table.ravel(), "worlds")
    index = worlds.index if isinstance(worlds, pd.DataFrame) else range(len(table))
    if callable(query):
        answers = check_numbers(query(table), "what query returned for all worlds at once")
        return pd.Series(answers, index, name="output")
    check_choice(query, "query", QUERIES)
    _check_ddof(ddof, query, table.shape[1])
    if query == "count" and not np.isin(table, (0, 1)).all():
        raise ValueError(
            "a count takes truth values, whether a record has the property; pass a comparison"
            " such as age >= 65."
        )
    reduce = getattr(np, "sum" if query == "count" else query)
    spread = {"ddof": ddof} if query in ("var", "std") else {}
    return pd.Series(reduce(table, 1, **spread), index, name=query)


def output_shifts(outputs: Any) -> pd.Series:
    r"""How much each individual can move the answer: :math:`C_f(i)`.

    The largest :math:`|f(\omega_1) - f(\omega_2)|` over worlds :math:`\omega_1` with the
    individual and :math:`\omega_2` without, if each world contains a different unknown
    individual. The maximum over all individuals is the sensitive range.

    Parameters
    ----------
    outputs : Series or array-like of shape (m,)
        Result of `possible_outputs`.

    Returns
    -------
    Series of shape (m,)
        Contributions, in the unit of the query; smaller is safer.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, definition 3.

    Examples
    --------
    >>> output_shifts([2.0, 3.0, 7.0]).tolist()
    [5.0, 4.0, 5.0]
    """
    labels, numbers = _outputs(outputs)
    # The extremes over all worlds suffice, as a world is at distance 0 from itself.
    farthest = np.maximum(numbers - numbers.min(), numbers.max() - numbers)
    return pd.Series(farthest, index=labels, name="contribution")


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
        deviation their `Moments` suffice.
    candidates : array-like of shape (m,)
        Values the unknown record might have.
    ddof : {0, 1}
        Variance of a population (0) or a sample (1).

    Returns
    -------
    float
        Sensitive range, in the unit of the query, at least 0; smaller needs less noise. It
        holds for this `known` only: see `global_sensitive_range`.

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
    values = check_numbers(candidates, "candidates", exact=True)
    if query not in ("mean", "sum", "var", "std"):
        if isinstance(known, Moments):
            raise ValueError(
                f"query must be mean, sum, var or std where known are Moments; got {query!r}."
            )
        # A named query never falls as the candidate rises.
        every = callable(query) or query == "count"
        tried = np.unique(values) if every else [values.min(), values.max()]
        return float(np.ptp(possible_outputs(possible_worlds(known, tried), query)))
    if not isinstance(known, Moments):
        records = check_numbers(known, "known", least=0, exact=True)
        mean = math.fsum(records) / max(records.size, 1)
        known = Moments(records.size, mean, math.fsum((records - mean) ** 2))
    n = known.size + 1
    _check_ddof(ddof, query, n)
    if query in ("mean", "sum"):
        return float(np.ptp(values)) / (n if query == "mean" else 1)
    # Differences of squares and roots are written as quotients, which do not cancel.
    away, share = np.abs(values - known.mean), known.size / n / (n - ddof)
    far, near = float(away.max()), float(away.min())
    difference = share * (far - near) * (far + near)
    if query == "var" or difference == 0:
        return float(difference)
    ends = [math.sqrt(known.squares / (n - ddof) + share * end**2) for end in (far, near)]
    return float(difference / sum(ends))


def global_sensitive_range(
    query: str, n: int, lower: float, upper: float, *, ddof: int = 0
) -> float:
    r"""Largest sensitive range over all data sets of `n` records within the bounds.

    With :math:`W` the width of the domain: mean :math:`W/n`; sum, maximum, minimum :math:`W`;
    count 1; median :math:`W` for odd and :math:`W/2` for even n; variance
    :math:`(n-1)W^2/n^2`, of a sample :math:`W^2/n`; standard deviation the root of that. Noise
    scaled to this range protects whatever the known records are.

    Parameters
    ----------
    query : str
        "mean", "sum", "count", "median", "max", "min", "var" or "std".
    n : int
        Records in a world, the unknown one included.
    lower, upper : float
        Bounds of the domain. They must be public: bounds taken from the data would leak.
    ddof : {0, 1}
        Variance of a population (0) or a sample (1).

    Returns
    -------
    float
        Sensitive range in the unit of the query; smaller needs less noise.

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
    check_choice(query, "query", QUERIES)
    check_number(n, "n", "[1, 1e18]", "records of a world", whole=True)
    low = check_number(lower, "lower", "(-inf, inf)")
    high = check_number(upper, "upper", f"({low}, inf)", "above lower")
    _check_ddof(ddof, query, n)
    width, share = high - low, 1 / n if ddof else (n - 1) / n / n
    ranges = {
        "mean": width / n,
        "count": 1.0,
        "median": width if n % 2 else width / 2,
        "var": share * width * width,
        "std": math.sqrt(share) * width,
    }
    return float(ranges.get(query, width))


# The published bound


def effective_worlds(prior: Any) -> float:
    r"""Number of equally likely worlds that leave as much doubt: :math:`1 / \max_j p_j`.

    Parameters
    ----------
    prior : array-like of shape (m,) or mapping
        Probability of each world.

    Returns
    -------
    float
        From 1 to m, not always whole; more is safer. It replaces m in the bounds.

    Examples
    --------
    >>> effective_worlds([0.5, 0.25, 0.25])
    2.0
    """
    return float(1 / _probabilities(prior).max())


def epsilon_bound(rho: float, m: float) -> float:
    r"""The ε that suffices for a policy ρ: :math:`\ln\frac{(m-1)\rho}{1-\rho}`.

    Parameters
    ----------
    rho : float
        Policy: the largest belief, a probability, that any world may reach.
    m : float
        Possible worlds, or `effective_worlds` where they are not equally likely.

    Returns
    -------
    float
        ε for neighbours that differ in one replaced record (natural logarithm); halve it if
        neighbours differ by one added or removed record. Smaller is safer; infinite for ρ = 1.
        Raises an error if ρ is not above 1/m, as no noise can reach it.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, theorem 1.

    Examples
    --------
    >>> round(epsilon_bound(1 / 3, 8), 6)
    1.252763
    """
    rho, m = _policy(rho), check_number(m, "m", "[1, inf)", "possible worlds")
    if rho == 1:
        return math.inf
    if rho <= 1 / m:
        raise _unreachable(rho, 1 / m)
    # (m - 1) rho / (1 - rho) is 1 + (m rho - 1) / (1 - rho), and m rho - 1 may be small.
    return math.log1p(float(Fraction(rho) * Fraction(m) - 1) / (1 - rho))


def risk_bound(epsilon: float, m: float) -> float:
    r"""Largest belief that an ε leaves: :math:`1 / (1 + (m-1)e^{-\epsilon})`.

    Parameters
    ----------
    epsilon : float
        ε of neighbours that differ in one replaced record (natural logarithm).
    m : float
        Possible worlds, or `effective_worlds` where they are not equally likely.

    Returns
    -------
    float
        Probability from 1/m to 1; smaller is safer. The inverse of `epsilon_bound`.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, eq. 9, theorem 2.

    Examples
    --------
    >>> round(risk_bound(1.252763, 8), 6)
    0.333333
    """
    worlds = check_number(m, "m", "[1, inf)", "possible worlds")
    others = (worlds - 1) * math.exp(-_at_least_zero(epsilon, "epsilon"))
    return float(1 / (1 + others))


def scale_bound(sensitive_range: float, rho: float, m: float) -> float:
    r"""The scale λ that suffices for a policy ρ: :math:`S(f) / \epsilon`.

    Parameters
    ----------
    sensitive_range : float
        Distance between the largest and the smallest output over the worlds.
    rho, m : float
        As for `epsilon_bound`. A constant query reaches ρ = 1/m as well.

    Returns
    -------
    float
        Scale of the Laplace noise, in the unit of the query; larger is safer. 0 where no noise
        is needed.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, eq. 15.

    Examples
    --------
    >>> round(scale_bound(8 / 3, 1 / 3, 8), 6)
    2.128628
    """
    width = check_number(sensitive_range, "sensitive_range", "[0, inf)")
    if width > 0:
        return float(width / epsilon_bound(rho, m))
    if _policy(rho) < 1 / check_number(m, "m", "[1, inf)", "possible worlds"):
        raise _unreachable(rho, 1 / m)
    return 0.0


# The adversary's belief, and its exact maximum


def world_posterior(
    outputs: Any, response: float, scale: float, *, prior: Any = None
) -> pd.Series:
    r"""The adversary's belief in each world, once the response is seen.

    :math:`\Gamma_j(R) = p_j e^{-|R-f_j|/\lambda} / \sum_k p_k e^{-|R-f_k|/\lambda}`.

    Parameters
    ----------
    outputs : Series or array-like of shape (m,)
        True answer in each world, such as `possible_outputs` gives.
    response : float
        The noisy answer R.
    scale : float
        Scale λ of the Laplace noise. With 0 the response is exact; with an infinite scale it
        discloses nothing.
    prior : array-like of shape (m,), optional
        Probability of each world; equally likely by default. As a Series it is matched by
        label if `outputs` is a Series too.

    Returns
    -------
    Series of shape (m,)
        Probabilities, with the index of `outputs`; a smaller maximum is safer.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, eqs. 2-7.

    Examples
    --------
    >>> world_posterior([0.0, 1.0], 0.0, 1.0).round(3).tolist()
    [0.731, 0.269]
    """
    labels, numbers = _outputs(outputs)
    weight, scale = _prior(prior, labels), _at_least_zero(scale, "scale")
    away = np.abs(check_number(response, "response", "(-inf, inf)") - numbers)
    nearest = away[weight > 0].min()
    if scale == 0 and nearest > 0:
        raise ValueError(
            f"response = {response:g} is the output of no possible world, and noise of scale 0"
            f" gives no other; pass one of the outputs, or a scale above 0."
        )
    belief = weight * np.exp(-_steps(np.maximum(away - nearest, 0.0), scale))
    return pd.Series(belief / belief.sum(), index=labels, name="posterior")


def _steps(away: Any, scale: float) -> Any:
    """Distances in units of the scale; without noise, other outputs are infinitely far."""
    with np.errstate(over="ignore"):
        return np.divide(away, max(scale, TINY))


def world_risks(outputs: Any, scale: float, *, prior: Any = None) -> pd.Series:
    r"""The largest belief that any response can create in each world.

    For world :math:`j` it is :math:`p_j / \sum_k p_k e^{-|f_j-f_k|/\lambda}`, reached at the
    response :math:`R = f_j`: for every R, :math:`|R-f_j| - |R-f_k| \ge -|f_j-f_k|`, and at
    :math:`R = f_j` equality holds for all k at once.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.

    Returns
    -------
    Series of shape (m,)
        Probabilities, index of `outputs`; smaller is safer. The maximum is `disclosure_risk`.

    Examples
    --------
    The world in the middle stands out, not one of the ends:

    >>> world_risks([0, 0, 0, 5, 10, 10, 10], 1.0).round(3).tolist()
    [0.333, 0.333, 0.333, 0.961, 0.333, 0.333, 0.333]
    """
    worlds = _sorted_worlds(outputs, prior)
    risks = _largest_beliefs(worlds, _steps(worlds.width, _at_least_zero(scale, "scale")))
    return pd.Series(risks, index=worlds.labels, name="risk")


def disclosure_risk(outputs: Any, scale: float, *, prior: Any = None) -> float:
    r"""The largest belief in any world over every response: :math:`\Gamma^*`.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.

    Returns
    -------
    float
        Probability, from the largest prior to 1; smaller is safer. It is exact and needs no
        search.

    Examples
    --------
    >>> round(disclosure_risk([0.0, 1.0], 1.0), 6)
    0.731059
    """
    return float(world_risks(outputs, scale, prior=prior).max())


class _Worlds(NamedTuple):
    """Worlds by their distinct outputs in rising order."""

    labels: pd.Index
    prior: FloatArray  # of each world, 1 where all worlds are equally likely
    outputs: FloatArray
    place: IntArray  # of each world's output among the distinct ones
    mass: FloatArray  # prior of all worlds of an output
    top: FloatArray  # prior of the likeliest world of an output
    total: float
    width: float  # sensitive range of the outputs
    counted: bool  # the prior counts worlds, so that its sums are exact

    @property
    def least_risk(self) -> float:
        """Risk at an infinite scale."""
        return float(self.top.max()) / self.total


def _sorted_worlds(outputs: Any, prior: Any) -> _Worlds:
    """Check outputs and prior, and sort the possible worlds by output."""
    labels, numbers = _outputs(outputs)
    weight = _prior(prior, labels)
    distinct = np.unique(numbers[weight > 0])
    # An impossible world may have an output that no other world has; its weight is 0.
    place = np.minimum(np.searchsorted(distinct, numbers), distinct.size - 1)
    shared = pd.Series(weight).groupby(place)  # pandas adds up with Kahan's compensation
    mass, top = np.asarray(shared.sum()), np.asarray(shared.max())
    width = float(distinct[-1]) - float(distinct[0])
    if math.isinf(width) or (distinct.size > 1 and np.diff(distinct).min() / width == 0):
        raise ValueError("outputs lie further apart than a float can hold; rescale them.")
    answers = labels, weight, distinct, place
    return _Worlds(*answers, mass, top, math.fsum(weight), width, prior is None)


def _largest_beliefs(worlds: _Worlds, epsilon: float) -> FloatArray:
    """Largest belief in each world over all responses."""
    reached, missed = _others(worlds, epsilon)
    # The smaller of the two sums is rounded less.
    everyone = np.where(missed < reached, worlds.total - missed, worlds.mass + reached)
    return np.asarray(np.minimum(worlds.prior / everyone[worlds.place], 1.0))


def _others(worlds: _Worlds, epsilon: float) -> FloatArray:
    r"""Weight of all other outputs at each output :math:`f_j`, for noise of a given ε.

    Two sums over k, with :math:`d` the distance in widths of the range: the weight reached,
    :math:`p_k e^{-\varepsilon d}`, and the weight missed, :math:`p_k (1 - e^{-\varepsilon
    d})`.
    """
    # A sum over all pairs of exp(-|f_j - f_k|) is two first-order linear recurrences, one
    # upwards and one downwards along the sorted outputs (a recursive exponential filter),
    # O(m) instead of O(m^2). All terms are positive, so that no digits are lost.
    gaps = np.diff(worlds.outputs) / worlds.width

    def from_below(mass: FloatArray, gaps: FloatArray) -> FloatArray:
        decay = np.append(0.0, np.exp(-gaps * epsilon))
        fall = np.append(0.0, -np.expm1(-gaps * epsilon))
        before = np.append(0.0, mass[:-1])
        # x[i] = decay[i] * x[i-1] + terms[i] is a linear system with ones on the diagonal and
        # -decay below it; BLAS solves it by forward substitution in compiled code.
        band = np.ones((2, decay.size), order="F")
        band[1, :-1] = -decay[1:]
        terms = decay * before, fall * before.cumsum()
        return np.stack([dtbsv(1, band, own, lower=1, diag=1) for own in terms])

    up, down = from_below(worlds.mass, gaps), from_below(worlds.mass[::-1], gaps[::-1])
    sums: FloatArray = up + down[:, ::-1]
    return sums


# The exact scale


def tight_scale(outputs: Any, rho: float, *, prior: Any = None) -> float:
    r"""The smallest scale λ whose exact risk :math:`\Gamma^*` is at most ρ.

    The risk falls strictly with the scale, from :math:`1/n_{\min}`, where :math:`n_{\min}`
    worlds share the rarest output, to :math:`1/m`, so it equals ρ at one scale only.

    Parameters
    ----------
    outputs, prior
        As for `world_posterior`. A world of prior 0 does not count.
    rho : float
        Policy: the largest belief, a probability, that any world may reach.

    Returns
    -------
    float
        Scale in the unit of the outputs; 0 (no noise) if :math:`\rho \ge 1/n_{\min}` (with a
        prior: if ρ is at least the largest share of one world in the prior of its output).
        Raises an error if ρ is not above the largest prior (1/m), as no noise can reach it;
        only a constant query reaches :math:`\rho = 1/m`.

    Notes
    -----
    The risk at this scale never exceeds ρ. The relative error of the scale is below 1e-10 for
    up to 100,000 worlds if mρ - 1 ≥ 1e-4. If ρ is nearer to 1/m, the error is about 4e-16 /
    (mρ - 1), as large as the effect of rounding ρ. Every step sums over the sorted outputs
    once in each direction; there is no table of pairs.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *How much is enough? Choosing ε for differential privacy*,
       ISC 2011, section 5.

    Examples
    --------
    >>> round(tight_scale([2, 8/3, 3, 10/3, 11/3, 4, 13/3, 14/3], 1 / 3), 6)
    1.185398
    """
    worlds, rho = _sorted_worlds(outputs, prior), _policy(rho)
    if rho >= (worlds.top / worlds.mass).max():  # worlds of equal output hide each other
        return 0.0
    spare, need = _limits(worlds, rho)
    risky, by_missed = need > 0, spare < need
    # At this ε, all other worlds at the distance of the farthest would be enough.
    low = high = math.log(np.log1p(spare[risky] / need[risky]).min())
    # A safety margin: more than a hundred times the observed rounding of the sums.
    rounding = EPS * (worlds.outputs.size / 4 + 16)
    spare, need = spare * (1 - rounding), need * (1 + rounding)

    def excess(log_epsilon: float) -> float:
        """Logarithm of the worst output's excess; above 0, the risk exceeds rho."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            reached, missed = _others(worlds, float(np.exp(log_epsilon)))
            ratio = np.where(by_missed, missed / spare, need / reached)[risky]
        return min(float(np.log(ratio.max())), 1e3)

    root = low - 2 * rounding
    while excess(high) <= 0:
        high += 1
    if excess(root) < 0:
        root = brentq(excess, root, high, xtol=4 * EPS, rtol=4 * EPS)
    scale, more = worlds.width / math.exp(root), EPS
    while excess(math.log(worlds.width / scale)) > 0 or (
        _largest_beliefs(worlds, worlds.width / scale).max() > rho
    ):  # rounded up
        scale, more = scale * (1 + more), 2 * more
    return scale


def tight_epsilon(outputs: Any, rho: float, *, prior: Any = None) -> float:
    r"""The largest ε whose exact risk is at most ρ: :math:`S(f) / \lambda^*`.

    It is at least `epsilon_bound`, because not all other worlds are as far away as the
    farthest. Shifting or rescaling the outputs does not change it.

    Parameters
    ----------
    outputs, rho, prior
        As for `tight_scale`.

    Returns
    -------
    float
        ε (natural logarithm) for these worlds; smaller is safer. Infinite where no noise is
        needed.

    Examples
    --------
    >>> round(tight_epsilon([2, 8/3, 3, 10/3, 11/3, 4, 13/3, 14/3], 1 / 3), 6)
    2.249597
    """
    width = _sorted_worlds(outputs, prior).width
    return _epsilon_of(width, tight_scale(outputs, rho, prior=prior))


def _limits(worlds: _Worlds, rho: float) -> tuple[FloatArray, FloatArray]:
    r"""Limits of `_others`: how much each output may miss, and how much it must reach.

    The risk :math:`p_j / \sum_k p_k e^{-\varepsilon d_{jk}}` is at most ρ if what is missed is
    at most :math:`\sum_k p_k - p_j/\rho`, or equivalently if what is reached is at least
    :math:`p_j/\rho` minus the prior of the output itself.
    """
    spare = _product_minus(rho, np.full(worlds.top.size, worlds.total), worlds.top) / rho
    need = -_product_minus(rho, worlds.mass, worlds.top) / rho
    doubt = 0.0 if worlds.counted else 2 * EPS * worlds.total  # of the sums of the prior
    if rho <= worlds.least_risk or (spare <= doubt).any():
        raise _unreachable(rho, worlds.least_risk)
    return spare - doubt, need + doubt


def _product_minus(rho: float, mass: FloatArray, top: FloatArray) -> FloatArray:
    """Return rho * mass - top, with the rounding of the product added back (Dekker, 1971)."""
    product = rho * mass
    # Both factors are split into halves of 26 bits, whose products are exact.
    factors = (np.asarray(factor) for factor in (rho, mass))
    pairs = [(high := 134217729.0 * x - (134217729.0 * x - x), x - high) for x in factors]
    (a, b), (c, d) = pairs
    return np.asarray((product - top) + (a * c - product + a * d + b * c + b * d))


def _epsilon_of(width: float, scale: float) -> float:
    """ε of a scale, rounded down so that it never converts back to a smaller scale."""
    if scale == 0:
        return math.inf
    epsilon = width / scale
    while epsilon > 0 and width / epsilon < scale:
        epsilon = math.nextafter(epsilon, 0)
    return epsilon


def identifiability_curve(outputs: Any, rhos: Any, *, prior: Any = None) -> pd.DataFrame:
    """Bound and exact answer for many policies at once.

    Parameters
    ----------
    outputs, prior
        As for `tight_scale`.
    rhos : array-like of shape (r,)
        Policies; a policy that no noise can reach gets an infinite scale.

    Returns
    -------
    DataFrame of shape (r, 5)
        Index `rho`; `epsilon_bound` and `epsilon_tight` (natural logarithm), `scale_bound` and
        `scale_tight` (unit of the outputs), and `risk_bound`, the exact risk at the scale of
        the bound. The risk at the tight scale is rho, or less if that scale is 0.

    Examples
    --------
    >>> identifiability_curve([0.0, 1.0, 2.0], [0.3, 0.5])[["epsilon_bound", "epsilon_tight"]]
         epsilon_bound  epsilon_tight
    rho
    0.3       0.000000       0.000000
    0.5       0.693147       0.962424
    """
    worlds = _sorted_worlds(outputs, prior)
    policies = [_policy(rho) for rho in check_numbers(rhos, "rhos", least=0)]
    least, width = worlds.least_risk, worlds.width

    def row(rho: float) -> tuple[float, ...]:
        try:
            tight = tight_scale(outputs, rho, prior=prior)
            loose = scale_bound(width, rho, 1 / least)
        except ValueError:  # no noise reaches rho
            return 0.0, 0.0, math.inf, math.inf, least
        risk = float(_largest_beliefs(worlds, _steps(width, loose)).max())
        return _epsilon_of(width, loose), _epsilon_of(width, tight), loose, tight, risk

    names = ["epsilon_bound", "epsilon_tight", "scale_bound", "scale_tight", "risk_bound"]
    return pd.DataFrame([*map(row, policies)], pd.Index(policies, name="rho"), names)


# Noise, several releases, an attack


def noise_ratio_scale(query: str, n: int, epsilon: float, *, ddof: int = 0) -> float:
    r"""Scale of the noise ratio: Laplace noise measured in widths of the domain.

    The noise of a query with range :math:`S` over a domain of width :math:`W` has the scale
    :math:`S/\epsilon`; divided by :math:`W` it is again Laplace, of scale
    :math:`1/(n\epsilon)` for a mean and :math:`1/\epsilon` for a sum, whatever the data.

    Parameters
    ----------
    query, n, ddof
        As for `global_sensitive_range`. Variances are measured in squared widths.
    epsilon : float
        ε (natural logarithm), such as `epsilon_bound` gives.

    Returns
    -------
    float
        Scale without a unit; smaller is more useful. See `noise_quantiles`.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, section 5.

    Examples
    --------
    >>> noise_ratio_scale("mean", 1000, 2.0), noise_ratio_scale("sum", 1000, 2.0)
    (0.0005, 0.5)
    """
    width = global_sensitive_range(query, n, 0, 1, ddof=ddof)
    epsilon = _at_least_zero(epsilon, "epsilon")
    return width / epsilon if epsilon > 0 else math.inf


def noise_quantiles(
    scale: float, probabilities: Sequence[float] = (0.25, 0.5, 0.75)
) -> pd.Series:
    r"""Quantiles of Laplace noise around 0: the quartiles are :math:`\pm\lambda\ln 2`.

    Parameters
    ----------
    scale : float
        Scale λ, which is also the mean of the noise's absolute value.
    probabilities : array-like
        Strictly between 0 and 1.

    Returns
    -------
    Series
        Quantiles in the unit of the scale, by probability.

    Examples
    --------
    >>> noise_quantiles(1.0).round(3).tolist()
    [-0.693, 0.0, 0.693]
    """
    levels = pd.Index(check_numbers(probabilities, "probabilities"), name="probability")
    noise = check_number(scale, "scale", "[0, inf)") * LaplaceNoise(1.0).ppf(levels)
    return pd.Series(noise, index=levels, name="noise")


def composed_scale(scales: Any) -> float:
    r"""Scale of one release that discloses as much as several: :math:`1/\sum_r\lambda_r^{-1}`.

    Answering the same query k times with scale λ is as risky as answering it once with λ/k: in
    the worst case all responses equal the output of one world, and the exponents add up.

    Parameters
    ----------
    scales : array-like
        Scale of each release; 0 is exact, infinity discloses nothing.

    Returns
    -------
    float
        Scale in the unit of the query; larger is safer.

    Examples
    --------
    >>> composed_scale([2.0, 2.0])
    1.0
    """
    with np.errstate(divide="ignore"):
        rates = 1 / np.array([_at_least_zero(scale, "scale") for scale in scales])
        return float(1 / rates.sum())


def composed_risk(releases: Sequence[Any], scales: Any, *, prior: Any = None) -> float:
    r"""The largest belief in any world after several releases of different queries.

    For world :math:`j` it is :math:`p_j / \sum_k p_k e^{-\sum_r |f^r_j - f^r_k|/\lambda_r}`,
    reached where each response is that world's own output.

    Parameters
    ----------
    releases : sequence of array-like of shape (m,)
        Outputs of each query over the same worlds.
    scales : array-like
        Scale of each release.
    prior : array-like of shape (m,), optional
        Probability of each world.

    Returns
    -------
    float
        Probability; smaller is safer. The running time is of order m²; for one query that is
        released several times, use `disclosure_risk` with `composed_scale`.

    Examples
    --------
    >>> round(composed_risk([[0, 1], [0, 1]], [2.0, 2.0]), 6)
    0.731059
    """
    checked = [_at_least_zero(scale, "scale") for scale in scales]
    tables = [_outputs(outputs) for outputs in releases]
    if not tables or not all(labels.equals(tables[0][0]) for labels, _ in tables):
        raise ValueError(
            "releases must hold the outputs of at least one query, of the same worlds in one"
            " order; reindex them."
        )
    weight = _prior(prior, tables[0][0])

    def risk(world: Any) -> float:
        pairs = zip(tables, checked, strict=True)
        steps = sum(_steps(np.abs(f - f[world]), scale) for (_, f), scale in pairs)
        return float(weight[world] / (weight @ np.exp(-steps)))

    return max(map(risk, np.flatnonzero(weight)))


def simulate_attack(
    outputs: Any,
    scale: float,
    *,
    trials: int,
    rng: np.random.Generator,
    prior: Any = None,
    world: int | None = None,
) -> pd.DataFrame:
    """Simulate releases and an adversary who guesses the most believed world.

    In every trial the true world is drawn anew from the prior. If `world` is fixed, the share
    of successes is the recall of that world, which ρ does not bound.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.
    trials : int
        Number of trials.
    rng : numpy.random.Generator
        Source of the worlds, the noise, and of the choice between equally good guesses.
    world : int, optional
        Position of the true world in all trials.

    Returns
    -------
    DataFrame of shape (trials, 5)
        `world` and `guess` (positions), `response`, `belief` (the guess's posterior
        probability) and `success`. Smaller means of `success` are safer.

    Examples
    --------
    >>> attack = simulate_attack([0, 1], 1.0, trials=10_000, rng=np.random.default_rng(1))
    >>> bool(abs(attack["success"].mean() - (1 - np.exp(-0.5) / 2)) < 0.02)
    True
    """
    labels, numbers = _outputs(outputs)
    weight, scale = _prior(prior, labels), _at_least_zero(scale, "scale")
    check_number(trials, "trials", "[1, 1e9]", whole=True)
    check_generator(rng, "to draw worlds and noise")
    last = len(numbers) - 1
    if world is None:
        level = rng.random(trials) * math.fsum(weight)
        true = np.minimum(np.searchsorted(weight.cumsum(), level, "right"), last)
    else:
        check_number(world, "world", f"[0, {last}]", "a position in outputs", whole=True)
        true = np.full(trials, world)
    response = numbers[true]
    if 0 < scale < math.inf:
        response = response + rng.laplace(0.0, scale, trials)
    possible, lot, guesses = np.flatnonzero(weight), rng.random(trials), []
    for rows in np.array_split(np.arange(trials), math.ceil(trials * possible.size / 1e6)):
        away = np.abs(response[rows, None] - numbers[possible])
        away -= away.min(axis=1, keepdims=True)
        score = weight[possible] * np.exp(-_steps(away, scale))
        best = score.max(axis=1, keepdims=True)
        ties = score == best  # equally good guesses are made by lot
        drawn = (lot[rows] * ties.sum(axis=1)).astype(int)
        guess = possible[(ties.cumsum(axis=1) > drawn[:, None]).argmax(axis=1)]
        guesses.append(np.column_stack([guess, best / score.sum(axis=1, keepdims=True)]))
    guess, belief = np.concatenate(guesses).T
    shown = np.full(trials, np.nan) if math.isinf(scale) else response
    attack = pd.DataFrame({"world": true, "response": shown, "guess": guess.astype(int)})
    return attack.assign(belief=belief, success=guess == true)


# What arguments must be


def _check_ddof(ddof: Any, query: str, n: int) -> None:
    """Refuse a ddof other than 0 (population) or 1 (sample), or too few records for it."""
    check_number(ddof, "ddof", "[0, 1]", "0 for a population, 1 for a sample", whole=True)
    if query in ("var", "std") and n <= ddof:
        raise ValueError(f"ddof=1 needs at least 2 records in a world; there is {n}.")


def _outputs(outputs: Any) -> tuple[pd.Index, FloatArray]:
    """Labels of the worlds, and the finite output of the query in each."""
    numbers = check_numbers(outputs, "outputs")
    labels = outputs.index if isinstance(outputs, pd.Series) else pd.RangeIndex(numbers.size)
    return labels, numbers


def _prior(prior: Any, labels: pd.Index) -> FloatArray:
    """Weight of each world in the order of the outputs, matched by label if both have labels.

    Without a prior, every world has weight 1.
    """
    if prior is None:
        return np.ones(len(labels))
    labelled = isinstance(prior, Mapping | pd.Series)
    prior = pd.Series(prior) if labelled else check_numbers(prior, "prior")
    if len(prior) != len(labels) or (labelled and set(prior.index) != set(labels)):
        raise ValueError(
            f"prior must hold one probability for each of the {len(labels)} worlds, under the"
            f" labels of outputs, or as a plain list in their order; got {len(prior)}."
        )
    if labelled and not prior.index.equals(labels):
        prior = prior.reindex(labels)
    return _probabilities(prior)


def _probabilities(prior: Any) -> FloatArray:
    """Return a prior: probabilities that add up to 1."""
    numbers = check_numbers(pd.Series(prior) if isinstance(prior, Mapping) else prior, "prior")
    total = math.fsum(numbers)
    if (numbers < 0).any() or abs(total - 1) > 1e-9:
        raise ValueError(
            f"prior must hold probabilities that add up to 1; they add up to {total:.12g}."
        )
    return numbers


def _policy(rho: Any) -> float:
    """Return `rho` if it is a probability above 0; a percentage is refused."""
    return float(check_number(rho, "rho", "(0, 1]", "a probability"))


def _at_least_zero(given: Any, argument: str) -> float:
    """Return an ε or a scale, from 0 to infinity."""
    return float(check_number(given, argument, "[0, inf]"))


def _unreachable(rho: float, least: float) -> ValueError:
    """Error for a policy that no noise can reach from the prior."""
    return ValueError(
        f"rho = {rho!r} cannot be reached by any noise: without a response the best guess is"
        f" right with probability {least:.6g}, so even an infinite scale leaves that. Set rho"
        f" above {least:.6g}, or let more worlds be possible."
    )
