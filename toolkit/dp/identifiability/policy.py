"""Differential identifiability: from the greatest belief in a record to epsilon, and back.

The adversary knows every record but one, sees a noisy answer, and updates a belief over the
*possible worlds*. A release is ρ-differentially identifiable if no response lifts the belief
in any world above ρ. A policy can state ρ (a probability); the noise needs an ε (natural
logarithm) or a scale λ. This module leads from the one to the other, by the published bound
and exactly.

Noise drawn in floating point is for teaching, and whoever knows its seed can subtract it; for
production use a library such as OpenDP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._typing import FloatArray, IntArray
from ..._validation import check_generator, check_numbers, check_whole
from ..noise import LaplaceNoise, exact_number
from . import worlds

# The definition: what the adversary believes
#
# A policy bounds `world_posterior` over all worlds and responses. What follows states the
# largest belief without a search over responses (`world_risks`), and the noise that keeps it
# down, by a bound (`scale_bound`) or exactly (`tight_scale`).


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
        Scale λ of the Laplace noise. 0: the response is exact. Infinite: it says nothing.
    prior : array-like of shape (m,), optional
        Probability of each world; equally likely by default. As a Series it is matched by
        label if `outputs` is one too.

    Returns
    -------
    Series of shape (m,)
        Probabilities, index of `outputs`; smaller maxima are safer.

    Raises
    ------
    TypeError, ValueError
        If an output is missing, or no world can give the response.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, eqs. 2-7.

    Examples
    --------
    >>> world_posterior([0.0, 1.0], 0.0, 1.0).round(3).tolist()
    [0.731, 0.269]
    """
    labels, numbers = worlds.checked_outputs(outputs)
    scale = _scale(scale)
    seen = check_numbers([response], "response")[0]
    weight, away = worlds.checked_prior(prior, labels), np.abs(seen - numbers)
    nearest = away[weight > 0].min()
    if scale == 0 and nearest > 0:
        raise ValueError(
            f"response = {seen:g} is no output of a possible world, and noise of scale 0 gives"
            f" no other; pass one of the outputs, or a scale above 0."
        )
    farther = np.maximum(away - nearest, 0.0)
    with np.errstate(over="ignore", divide="ignore"):
        steps = np.divide(farther, scale, out=np.zeros(away.size), where=farther > 0)
    return pd.Series(_beliefs(weight, steps), index=labels, name="posterior")


def _beliefs(weight: FloatArray, steps: FloatArray) -> FloatArray:
    """Bayes' rule for Laplace noise that has to reach so many scales in each world."""
    belief: FloatArray = weight * np.exp(-steps)
    belief /= belief.sum()
    return belief


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
        From 1 to m, not always whole; more is safer. Takes the place of m in the bounds.

    Examples
    --------
    >>> effective_worlds([0.5, 0.25, 0.25])
    2.0
    """
    return float(1 / worlds.distribution(prior).max())


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
        ε of neighbours that differ in one replaced record, natural logarithm; double it if
        neighbours have one record more or less. Infinite for ρ = 1.

    Raises
    ------
    TypeError, ValueError
        If ρ is no probability, or not above 1/m, which no noise can reach.

    Notes
    -----
    Near ρ = 1/m a relative error δ of ρ changes ε by about δ / (mρ - 1): the question, not the
    computation, is ill-conditioned. mρ - 1 is taken without rounding.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, theorem 1.

    Examples
    --------
    >>> round(epsilon_bound(1 / 3, 8), 6)
    1.252763
    """
    rho, m = _policy(rho), _world_count(m)
    if rho == 1:
        return math.inf
    worlds.check_feasible(rho, 1 / m, reached=False)
    return math.log1p(float(worlds.excess_of(rho, np.array(m), np.array(1.0))) / (1 - rho))


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
    return 1 / (1 + (_world_count(m) - 1) * math.exp(-_epsilon(epsilon)))


def scale_bound(sensitive_range: float, rho: float, m: float) -> float:
    r"""The scale λ that suffices for a policy ρ: :math:`S(f) / \epsilon`.

    Parameters
    ----------
    sensitive_range : float
        Distance between the largest and the smallest output over the worlds.
    rho, m : float
        As for `epsilon_bound`.

    Returns
    -------
    float
        Scale of the Laplace noise, in the unit of the query; 0 where none is needed.

    Raises
    ------
    TypeError, ValueError
        As `epsilon_bound`; a constant query reaches ρ = 1/m as well.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, eq. 15.

    Examples
    --------
    >>> round(scale_bound(8 / 3, 1 / 3, 8), 6)
    2.128628
    """
    kind, rule = "a number", "finite and at least 0"
    width = exact_number(sensitive_range, "sensitive_range", "[0, inf)", kind, rule)
    rho, m = _policy(rho), _world_count(m)
    if width == 0:
        worlds.check_feasible(rho, 1 / m, reached=True)
        return 0.0
    return width / epsilon_bound(rho, m)


# The exact risk


def world_risks(outputs: Any, scale: float, *, prior: Any = None) -> pd.Series:
    r"""The largest belief that any response can create in each world.

    For world :math:`j` it is :math:`p_j / \sum_k p_k e^{-|f_j-f_k|/\lambda}`, reached at the
    response :math:`R = f_j`: elsewhere :math:`|R-f_j| - |R-f_k| \ge -|f_j-f_k|`, with equality
    there for all k at once.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.

    Returns
    -------
    Series of shape (m,)
        Probabilities, index of `outputs`; smaller is safer. The maximum is `disclosure_risk`.

    Raises
    ------
    TypeError, ValueError
        If there is no world, an output is missing, or the prior is none.

    Examples
    --------
    The world in the middle stands out, not one of the ends:

    >>> world_risks([0, 0, 0, 5, 10, 10, 10], 1.0).round(3).tolist()
    [0.333, 0.333, 0.333, 0.961, 0.333, 0.333, 0.333]
    """
    seen = worlds.see_worlds(outputs, prior)
    return pd.Series(seen.largest_beliefs(_scale(scale)), index=seen.labels, name="risk")


def disclosure_risk(outputs: Any, scale: float, *, prior: Any = None) -> float:
    r"""The largest belief in any world over every response: :math:`\Gamma^*`.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.

    Returns
    -------
    float
        Probability, from the largest prior to 1; smaller is safer. Exact, no search.

    Raises
    ------
    TypeError, ValueError
        As `world_risks`.

    Examples
    --------
    >>> round(disclosure_risk([0.0, 1.0], 1.0), 6)
    0.731059
    """
    return float(worlds.see_worlds(outputs, prior).largest_beliefs(_scale(scale)).max())


# The exact scale


class ScaleBracket(NamedTuple):
    """Two scales between which the smallest sufficient one must lie."""

    low: float
    high: float


def scale_bracket(outputs: Any, rho: float, *, prior: Any = None) -> ScaleBracket:
    r"""Where a binary search for `tight_scale` starts: the root is inside, provably.

    Were all other outputs as near to :math:`f_j` as the nearest, :math:`\delta_j`, or as far
    as the farthest, :math:`S_j`, the scale would be :math:`\delta_j/L_j` or :math:`S_j/L_j`
    with :math:`L_j = \ln\frac{\rho (m - n_j)}{1 - n_j \rho}` (:math:`n_j` worlds share the
    output). The bracket spans the maxima of both over the worlds with :math:`n_j\rho < 1`.

    Parameters
    ----------
    outputs, rho, prior
        As for `tight_scale`.

    Returns
    -------
    ScaleBracket
        `low` and `high`, in the unit of the outputs; (0, 0) where no noise is needed.

    Raises
    ------
    TypeError, ValueError
        As `tight_scale`.

    Examples
    --------
    >>> scale_bracket([0.0, 1.0, 3.0], 0.5)
    ScaleBracket(low=2.8853900817779263, high=4.328085122666891)
    """
    seen, rho = worlds.see_worlds(outputs, prior), _policy(rho)
    if seen.no_noise_needed(rho):
        return ScaleBracket(0.0, 0.0)
    least, most = seen.epsilon_bracket(rho)
    return ScaleBracket(seen.width / most, seen.width / least)


def tight_scale(outputs: Any, rho: float, *, prior: Any = None) -> float:
    r"""The smallest scale λ whose exact risk :math:`\Gamma^*` is at most ρ.

    The risk falls strictly with the scale, from :math:`1/n_{\min}` (as many worlds share the
    rarest output) to :math:`1/m`, so it meets ρ once.

    Parameters
    ----------
    outputs, prior
        As for `world_posterior`. A world of prior 0 is none.
    rho : float
        Policy: the largest belief, a probability, that any world may reach.

    Returns
    -------
    float
        Scale in the unit of the outputs. 0, no noise, where :math:`\rho \ge 1/n_{\min}` (with
        a prior: :math:`\max_j p_j` over the prior of all worlds of its output).

    Raises
    ------
    TypeError, ValueError
        If ρ is not above the largest prior (1/m), which no noise can reach; a constant query
        reaches it. Also if there is no world, or an output is missing.

    Notes
    -----
    The result is the upper end of a bracket: it never leaves a larger risk than ρ, and its
    relative error is below 1e-10 for up to 100,000 worlds where mρ - 1 ≥ 1e-4. Nearer to 1/m
    it is about 4e-16 / (mρ - 1), as is what rounding ρ itself changes. Every step sums over
    the sorted outputs once, forth and back; there is no table of pairs.

    References
    ----------
    .. [1] J. Lee and C. Clifton, *How much is enough? Choosing ε for differential privacy*,
       ISC 2011, section 5.

    Examples
    --------
    >>> round(tight_scale([2, 8/3, 3, 10/3, 11/3, 4, 13/3, 14/3], 1 / 3), 6)
    1.185398
    """
    seen, rho = worlds.see_worlds(outputs, prior), _policy(rho)
    return seen.scale_of(rho, seen.largest_epsilon(rho))


def tight_epsilon(outputs: Any, rho: float, *, prior: Any = None) -> float:
    r"""The largest ε whose exact risk is at most ρ: :math:`S(f) / \lambda^*`.

    Beyond `epsilon_bound`, because the other worlds need not all be as far away as the
    farthest. Shifting or rescaling the outputs does not change it.

    Parameters
    ----------
    outputs, rho, prior
        As for `tight_scale`.

    Returns
    -------
    float
        ε (natural logarithm) for these worlds; infinite where no noise is needed.

    Raises
    ------
    TypeError, ValueError
        As `tight_scale`.

    Examples
    --------
    >>> round(tight_epsilon([2, 8/3, 3, 10/3, 11/3, 4, 13/3, 14/3], 1 / 3), 6)
    2.249597
    """
    seen, rho = worlds.see_worlds(outputs, prior), _policy(rho)
    return seen.epsilon_of(seen.scale_of(rho, seen.largest_epsilon(rho)))


def halvings(outputs: Any, rho: float, steps: int = 40) -> pd.DataFrame:
    r"""The bracket of a plain binary search for `tight_scale`, halved again and again.

    The first reaches from 0, too little noise, to `scale_bound`, which is surely enough.

    Parameters
    ----------
    outputs, rho
        As for `tight_scale`.
    steps : int
        How often.

    Returns
    -------
    DataFrame of shape (steps, 5)
        `low`, `middle`, `high`, the `risk` of the middle, and whether that is `enough` noise:
        then the lower half is kept, else the upper one. Index: steps from 1 on.

    Examples
    --------
    >>> halvings([0.0, 1.0, 3.0], 0.5, 2).round(3)
         low  middle   high   risk  enough
    1  0.000   2.164  4.328  0.607   False
    2  2.164   3.246  4.328  0.516   False
    """
    seen, rows = worlds.see_worlds(outputs, None), []
    low, high = 0.0, scale_bound(seen.width, rho, len(seen.labels))
    for _ in range(steps):
        middle = (low + high) / 2
        risk = disclosure_risk(outputs, middle)
        rows.append((low, middle, high, risk, risk <= rho))
        low, high = (low, middle) if risk <= rho else (middle, high)
    names = ["low", "middle", "high", "risk", "enough"]
    table = pd.DataFrame(rows, pd.RangeIndex(1, steps + 1), names)
    table.attrs["rho"] = rho
    return table


def identifiability_curve(outputs: Any, rhos: Any, *, prior: Any = None) -> pd.DataFrame:
    """Bound and exact answer for many policies at once.

    Parameters
    ----------
    outputs, prior
        As for `tight_scale`.
    rhos : array-like of shape (r,)
        Policies; those that no noise can reach are answered by an infinite scale.

    Returns
    -------
    DataFrame of shape (r, 5)
        Index `rho`; `epsilon_bound` and `epsilon_tight` (natural logarithm), `scale_bound` and
        `scale_tight` (unit of the outputs), and `risk_bound`, the probability that the bound's
        scale really leaves. That of the tight scale is rho, or less where it is 0.

    Raises
    ------
    TypeError, ValueError
        As `tight_scale`, but for policies that cannot be reached.

    Examples
    --------
    >>> identifiability_curve([0.0, 1.0, 2.0], [0.3, 0.5])[["epsilon_bound", "epsilon_tight"]]
         epsilon_bound  epsilon_tight
    rho
    0.3       0.000000       0.000000
    0.5       0.693147       0.962424
    """
    seen = worlds.see_worlds(outputs, prior)
    if not isinstance(rhos, Iterable) or isinstance(rhos, (str, bytes, Mapping)):
        raise TypeError(f"rhos must be a list of probabilities; got {rhos!r:.80}.")
    policies = np.array([_policy(rho) for rho in rhos], dtype=float)
    rows: dict[float, tuple[float, ...]] = {}
    found = 0.0
    for rho in map(float, np.unique(policies)):
        if not (seen.reaches(rho) or seen.no_noise_needed(rho)):
            rows[rho] = (0.0, 0.0, math.inf, math.inf, seen.least_risk)
            continue
        found = seen.largest_epsilon(
            rho, start=found
        )  # the next root is never before this one
        scale = seen.scale_of(rho, found)
        loose = scale_bound(seen.width, rho, 1 / seen.least_risk)
        risk = float(seen.largest_beliefs(loose).max())
        rows[rho] = (seen.epsilon_of(loose), seen.epsilon_of(scale), loose, scale, risk)
    names = ["epsilon_bound", "epsilon_tight", "scale_bound", "scale_tight", "risk_bound"]
    index = pd.Index(policies, name="rho")
    return pd.DataFrame([rows[rho] for rho in policies.tolist()], index, names)


# What policies, scales and numbers of worlds must be


def _policy(rho: Any) -> float:
    """Return `rho` if it is a probability above 0; a percentage is refused, not obeyed."""
    kind = "a probability above 0 and up to 1"
    return exact_number(rho, "rho", "(0, 1]", kind, percent_hint=True)


def _world_count(m: Any) -> float:
    """Return a number of worlds; an effective one need not be whole."""
    kind = "number of possible worlds"
    return exact_number(m, "m", "[1, inf)", f"the {kind}", f"a {kind}, at least 1")


def _epsilon(epsilon: Any) -> float:
    """Return an ε, natural-log; infinity stands for no noise."""
    return exact_number(epsilon, "epsilon", "[0, inf]", "a number of at least 0", "at least 0")


def _scale(scale: Any) -> float:
    """Return a scale of Laplace noise: 0 is none, infinity drowns everything."""
    return exact_number(scale, "scale", "[0, inf]", "a number of at least 0", "at least 0")


def _scales(scales: Any) -> list[float]:
    """Return the scales of several releases."""
    if not isinstance(scales, Iterable) or isinstance(scales, (str, bytes, Mapping)):
        raise TypeError(f"scales must be a list, one per release; got {scales!r:.80}.")
    checked = [_scale(scale) for scale in scales]
    if not checked:
        raise ValueError("scales must hold one scale per release; got none.")
    return checked


# Noise, several releases, an attack


def noise_ratio_scale(query: str, n: int, epsilon: float, *, ddof: int = 0) -> float:
    r"""Scale of the noise ratio: of Laplace noise measured in widths of the domain.

    The noise of a query with range :math:`S` over a domain of width :math:`W` has the scale
    :math:`S/\epsilon`; divided by :math:`W` it is again Laplace, of scale
    :math:`1/(n\epsilon)` for a mean and :math:`1/\epsilon` for a sum, whatever the data.

    Parameters
    ----------
    query, n, ddof
        As for `global_sensitive_range`. Variances are measured in squared widths.
    epsilon : float
        Natural-log ε, such as `epsilon_bound` gives.

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
    epsilon = _epsilon(epsilon)
    width = worlds.global_sensitive_range(query, n, 0, 1, ddof=ddof)
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
    scale, levels = _scale(scale), check_numbers(probabilities, "probabilities")
    if not ((levels > 0) & (levels < 1)).all():
        raise ValueError(
            f"probabilities must lie strictly between 0 and 1; got {levels.tolist()!r:.80}."
        )
    unit = LaplaceNoise(1.0).ppf(levels)
    with np.errstate(invalid="ignore"):
        noise = np.where(unit == 0, 0.0, scale * unit)
    return pd.Series(noise, index=pd.Index(levels, name="probability"), name="noise")


def composed_scale(scales: Any) -> float:
    r"""Scale of the one release that tells as much as several: :math:`1/\sum_r\lambda_r^{-1}`.

    Answering the same query k times with scale λ each is as risky as once with λ/k: in the
    worst case all responses fall on one world's output, and the exponents add up.

    Parameters
    ----------
    scales : array-like
        Scale of each release; 0 is exact, infinity says nothing.

    Returns
    -------
    float
        Scale in the unit of the query; larger is safer.

    Examples
    --------
    >>> composed_scale([2.0, 2.0])
    1.0
    """
    checked = _scales(scales)
    if min(checked) == 0:
        return 0.0
    rate = math.fsum(1 / scale for scale in checked)
    return 1 / rate if rate > 0 else math.inf


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
        Probability; smaller is safer. Takes time of order m²; for one query released again
        and again use `disclosure_risk` with `composed_scale`.

    Examples
    --------
    >>> round(composed_risk([[0, 1], [0, 1]], [2.0, 2.0]), 6)
    0.731059
    """
    checked = _scales(scales)
    tables = [worlds.checked_outputs(outputs) for outputs in releases]
    labels = tables[0][0] if tables else pd.RangeIndex(0)
    sizes = sorted({numbers.size for _, numbers in tables})
    if len(sizes) != 1 or len(tables) != len(checked):
        raise ValueError(
            f"releases must hold the outputs of each release over the same worlds, and scales"
            f" one scale each; got {len(tables)} releases over {sizes} worlds and"
            f" {len(checked)} scales."
        )
    weight = worlds.checked_prior(prior, labels)
    worst = 0.0
    for j in np.flatnonzero(weight):
        away = np.zeros(sizes[0])
        for (_, numbers), scale in zip(tables, checked, strict=True):
            differ = numbers != numbers[j]
            away[differ] += np.abs(numbers - numbers[j])[differ] / scale if scale else np.inf
        worst = max(worst, float(_beliefs(weight, away)[j]))
    return worst


def simulate_attack(
    outputs: Any,
    scale: float,
    *,
    trials: int,
    rng: np.random.Generator,
    prior: Any = None,
    world: int | None = None,
) -> pd.DataFrame:
    """Release, let the adversary guess the most believed world, and note who was right.

    The true world is drawn from the prior anew in every trial. With `world` fixed the share
    of successes is another number, the recall of that world, which ρ does not bound.

    Parameters
    ----------
    outputs, scale, prior
        As for `world_posterior`.
    trials : int
        How often.
    rng : numpy.random.Generator
        Source of the worlds, the noise, and of the choice between equally good guesses.
    world : int, optional
        Position of the true world in all trials.

    Returns
    -------
    DataFrame of shape (trials, 5)
        `world` and `guess` (positions), `response`, `belief` (the guess's posterior
        probability) and `success`. Smaller means of `success` are safer.

    Raises
    ------
    TypeError, ValueError
        If there is no generator, or `world` is no position.

    Notes
    -----
    Noise in floating point is for teaching, and whoever knows the seed can subtract it; for
    production use a library such as OpenDP.

    Examples
    --------
    >>> attack = simulate_attack([0, 1], 1.0, trials=10_000, rng=np.random.default_rng(1))
    >>> bool(abs(attack["success"].mean() - (1 - np.exp(-0.5) / 2)) < 0.02)
    True
    """
    seen, scale = worlds.see_worlds(outputs, prior), _scale(scale)
    check_whole(trials, "trials", 1, 10**9, "how often to attack")
    rng = check_generator(rng, "to draw worlds and noise")
    m = len(seen.labels)
    if world is None:
        level = rng.random(trials) * seen.total
        true = np.minimum(np.searchsorted(np.cumsum(seen.prior), level, "right"), m - 1)
    else:
        true = np.full(trials, check_whole(world, "world", 0, m - 1, "a position in outputs"))
    exact = worlds.checked_outputs(outputs)[1]
    if math.isinf(scale):
        response = np.full(trials, np.nan)
        best: IntArray = np.full(trials, seen.top.argmax())
        belief = np.full(trials, seen.least_risk)
    else:
        response = exact[true] + rng.laplace(0.0, scale, trials) if scale else exact[true]
        best, belief = seen.most_believed(response, scale)
    guess = seen.break_ties(best, rng)
    told = {"world": true, "response": response, "guess": guess, "belief": belief}
    return pd.DataFrame(told | {"success": guess == true})


class Attacked(NamedTuple):
    """One release, as the adversary sees it."""

    outputs: pd.Series
    prior: list[float]
    rho: float
    scale: float
    response: float
    belief: pd.Series
    risk: float


def attacked(
    known: Sequence[float],
    candidates: Sequence[float],
    query: str | Callable[..., Any],
    rho: float,
    *,
    noise: str = "tight",
    place: float = 0.5,
    releases: int = 1,
    weights: Sequence[float] = (),
) -> Attacked:
    """Choose the noise for one release, then let the adversary see it so many times.

    Parameters
    ----------
    known, candidates, query
        As for `possible_worlds` and `possible_outputs`.
    rho : float
        Policy that one release was made for.
    noise : {"tight", "bound"}
        Which scale.
    place : float
        Where the response lies: 0 at the smallest output, 1 at the largest.
    releases : int
        How many responses, all at this place.
    weights : sequence of float
        Prior weights of the first worlds; 1 for those left out.
    """
    outputs = worlds.possible_outputs(worlds.possible_worlds(known, candidates), query)
    share = np.ones(len(outputs))
    given = np.asarray(weights[: len(share)], dtype=float)
    share[: given.size] = given
    if share.sum() == 0:
        raise ValueError("every world has the prior 0; raise one of the weights.")
    share = share / share.sum()
    width = float(np.ptp(outputs))
    if noise == "bound":
        scale = scale_bound(width, rho, effective_worlds(share))
    else:
        scale = tight_scale(outputs, rho, prior=share)
    response = float(outputs.min() + place * width)
    if scale == 0:  # an exact response is one of the outputs
        response = float(outputs.iloc[(outputs - response).abs().argmin()])
    together = composed_scale([scale] * releases)
    belief = world_posterior(outputs, response, together, prior=share)
    risk = disclosure_risk(outputs, together, prior=share)
    return Attacked(outputs, share.tolist(), rho, scale, response, belief, risk)
