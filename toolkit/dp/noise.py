r"""How far does noise go? Laplace noise, and the two-sided geometric noise of integers.

Both fall by the same factor with every step from 0, which is why both hide a change of the
answer by one *sensitivity* up to a factor e**epsilon, wherever the noisy answer lies. Here are
their probabilities; the mechanisms that draw from them are in `toolkit.dp.mechanisms`.

The density ratio of two Gaussians grows without bound, so that far out any ε fails; δ is what
that costs. The classic formula for the standard deviation is a bound, proven for ε below 1.
The exact relation between sensitivity Δ, σ, ε and δ is

.. math:: \\delta(\varepsilon) = \\Phi(\tfrac{\\Delta}{2\\sigma} -
   \tfrac{\varepsilon\\sigma}{\\Delta}) - e^{\varepsilon}
   \\Phi(-\tfrac{\\Delta}{2\\sigma} - \tfrac{\varepsilon\\sigma}{\\Delta}),

and everything below solves it for one of the four.

The exponential mechanism picks a candidate, the more likely the more useful it is. Randomised
response lets each person lie now and then. Neither adds noise to a number, but both have what
corresponds to it: how much utility is lost, how many people lie, and how surely. The
mechanisms themselves are in `toolkit.dp.mechanisms`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import bdtr, bdtrc, erfc, erfcinv, erfcx, erfinv, expit, ndtr, softmax

from .._validation import check_choice, check_whole
from ._validation import (
    Floats,
    check_below_one,
    check_delta_above_zero,
    check_delta_at,
    check_finite_scale,
    check_flag,
    check_integer_scale,
    check_level,
    check_loss,
    check_noise,
    check_noise_scale,
    check_options,
    check_sensitivity,
    check_shares,
    check_truth_probability,
    check_utilities,
    like,
)

__all__ = [
    "exponential_cdf",
    "exponential_epsilon",
    "exponential_pmf",
    "exponential_scale",
    "exponential_tail",
    "exponential_width",
    "gaussian_cdf",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_pdf",
    "gaussian_scale",
    "gaussian_tail",
    "gaussian_width",
    "geometric_cdf",
    "geometric_epsilon",
    "geometric_pmf",
    "geometric_scale",
    "geometric_tail",
    "geometric_width",
    "laplace_cdf",
    "laplace_epsilon",
    "laplace_pdf",
    "laplace_scale",
    "laplace_tail",
    "laplace_width",
    "randomised_response_cdf",
    "randomised_response_epsilon",
    "randomised_response_estimate",
    "randomised_response_pmf",
    "randomised_response_probability",
    "randomised_response_tail",
    "randomised_response_width",
]


# Laplace


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    r"""Scale of the Laplace noise that a promise ε needs: :math:`b = \Delta / \varepsilon`.

    Parameters
    ----------
    sensitivity : float
        Largest change Δ of the answer between neighbours; for several numbers at once, the
        largest sum of absolute changes (L1).
    epsilon : float
        Privacy loss (natural logarithm).

    Returns
    -------
    float
        Scale in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If one of them is not positive and finite.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.3, theorem 3.6.

    Examples
    --------
    >>> laplace_scale(1, 0.5)
    2.0
    """
    change, loss = check_sensitivity(sensitivity), check_loss(epsilon)
    return check_finite_scale(change / loss, change, loss)


def laplace_epsilon(sensitivity: float, scale: float) -> float:
    r"""The ε that Laplace noise of a scale keeps: :math:`\varepsilon = \Delta / b`.

    Parameters
    ----------
    sensitivity : float
        As for `laplace_scale`.
    scale : float
        Scale b of the noise, in the unit of the answer.

    Returns
    -------
    float
        Privacy loss (natural logarithm), the inverse of `laplace_scale`; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If one of them is not positive and finite.

    Examples
    --------
    >>> laplace_epsilon(1, 2.0)
    0.5
    """
    return check_sensitivity(sensitivity) / check_noise_scale(scale)


def laplace_pdf(noise: Any, scale: float) -> Any:
    r"""Density of Laplace noise: :math:`e^{-|x|/b} / (2b)`.

    Parameters
    ----------
    noise : number or array-like
        Points x on the axis of the noise; for the density of a noisy answer y, the difference
        y - f(D).
    scale : float
        Scale b, such as `laplace_scale` gives.

    Returns
    -------
    float, or array or pandas object like `noise`
        Density per unit of the answer. It is no probability and may be above 1.

    Raises
    ------
    TypeError, ValueError
        If a point is missing, or the scale is not positive and finite.

    Examples
    --------
    The same noisy answer, 40, from neighbours whose true answers are 38 and 39:

    >>> import math
    >>> ratio = laplace_pdf(40 - 39, 2.0) / laplace_pdf(40 - 38, 2.0)
    >>> round(math.log(ratio), 12)
    0.5
    """
    b = check_noise_scale(scale)
    return like(noise, _falling(check_noise(noise), b) / (2 * b))


def laplace_cdf(noise: Any, scale: float) -> Any:
    r"""Probability that Laplace noise is at most x.

    :math:`e^{x/b}/2` up to 0, and :math:`1 - e^{-x/b}/2` above.

    Parameters
    ----------
    noise, scale
        As for `laplace_pdf`.

    Returns
    -------
    float, or array or pandas object like `noise`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `laplace_pdf`.

    Examples
    --------
    >>> laplace_cdf([-1.0, 0.0, 1.0], 1.0).round(3).tolist()
    [0.184, 0.5, 0.816]
    """
    x, b = check_noise(noise), check_noise_scale(scale)
    beyond = _falling(x, b) / 2
    return like(noise, np.where(x < 0, beyond, 1 - beyond))


def laplace_tail(distance: Any, scale: float) -> Any:
    r"""Probability that Laplace noise is at least so far from 0: :math:`e^{-t/b}`.

    :math:`P(|\eta| \ge t)`, which equals :math:`P(|\eta| > t)`, for single points have
    probability 0.

    Parameters
    ----------
    distance : number or array-like
        Distances t; up to 0 the probability is 1.
    scale : float
        Scale b, such as `laplace_scale` gives.

    Returns
    -------
    float, or array or pandas object like `distance`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `laplace_pdf`.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       fact 3.7.

    Examples
    --------
    >>> round(laplace_tail(2.9957, laplace_scale(1, 1)), 4)
    0.05
    """
    t, b = check_noise(distance, "distance"), check_noise_scale(scale)
    return like(distance, _falling(np.maximum(t, 0.0), b))


def laplace_width(alpha: Any, scale: float) -> Any:
    r"""Distance that Laplace noise reaches with probability α: :math:`b \ln(1/\alpha)`.

    Parameters
    ----------
    alpha : number or array-like
        Probability of an error of at least the width, above 0 and up to 1.
    scale : float
        Scale b, such as `laplace_scale` gives.

    Returns
    -------
    float, or array or pandas object like `alpha`
        Half the width of a confidence interval of level 1 - α around the noisy answer, in its
        unit; the inverse of `laplace_tail`. Smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If α is no such probability, or the scale is not positive and finite.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.8.

    Examples
    --------
    >>> round(laplace_width(0.05, laplace_scale(1, 1)), 4)
    2.9957
    """
    level, b = check_level(alpha), check_noise_scale(scale)
    return like(alpha, np.abs(b * np.log(level)))


# Two-sided geometric


def geometric_scale(sensitivity: float, epsilon: float) -> float:
    r"""Scale of the geometric noise that a promise ε needs: :math:`b = \Delta / \varepsilon`.

    The noise falls by :math:`a = e^{-1/b} = e^{-\varepsilon/\Delta}` with every integer.

    Parameters
    ----------
    sensitivity, epsilon
        As for `laplace_scale`.

    Returns
    -------
    float
        Scale in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If one of them is not positive and finite.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009, definition 2.1.

    Examples
    --------
    >>> geometric_scale(2, 0.5)
    4.0
    """
    return laplace_scale(sensitivity, epsilon)


def geometric_epsilon(sensitivity: float, scale: float) -> float:
    r"""The ε that geometric noise of a scale keeps: :math:`\varepsilon = \Delta / b`.

    Parameters
    ----------
    sensitivity, scale
        As for `laplace_epsilon`.

    Returns
    -------
    float
        Privacy loss (natural logarithm), the inverse of `geometric_scale`; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If one of them is not positive and finite.

    Examples
    --------
    >>> geometric_epsilon(2, 4.0)
    0.5
    """
    return laplace_epsilon(sensitivity, scale)


def geometric_pmf(noise: Any, scale: float) -> Any:
    r"""Probability of an integer of noise: :math:`\frac{1-a}{1+a} a^{|k|}`.

    Parameters
    ----------
    noise : number or array-like
        Integers k; what is none has probability 0.
    scale : float
        Scale b, such as `geometric_scale` gives; :math:`a = e^{-1/b}`.

    Returns
    -------
    float, or array or pandas object like `noise`
        Probability.

    Raises
    ------
    TypeError, ValueError
        If a point is missing, or the scale is not positive and finite.

    Examples
    --------
    With a = 1/2, 0 has a third, and every step halves it:

    >>> import math
    >>> geometric_pmf([-1, 0, 1, 2], 1 / math.log(2)).round(6).tolist()
    [0.166667, 0.333333, 0.166667, 0.083333]
    """
    k, b = check_noise(noise), check_noise_scale(scale)
    # (1 - a) / (1 + a), without the difference of two nearly equal numbers.
    highest = np.tanh(1 / (2 * b))
    return like(noise, np.where(k == np.floor(k), highest * _falling(k, b), 0.0))


def geometric_cdf(noise: Any, scale: float) -> Any:
    r"""Probability that geometric noise is at most x.

    For integers k: :math:`\frac{a^{-k}}{1+a}` below 0, and :math:`1 - \frac{a^{k+1}}{1+a}`
    from 0 on.

    Parameters
    ----------
    noise : number or array-like
        Points x, integers or not.
    scale : float
        Scale b, such as `geometric_scale` gives; :math:`a = e^{-1/b}`.

    Returns
    -------
    float, or array or pandas object like `noise`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `geometric_pmf`.

    Examples
    --------
    >>> import math
    >>> geometric_cdf([-1, 0, 1], 1 / math.log(2)).round(6).tolist()
    [0.333333, 0.666667, 0.833333]
    """
    k, b = np.floor(check_noise(noise)), check_noise_scale(scale)
    beyond = expit(1 / b) * _falling(np.where(k < 0, -k, k + 1), b)
    return like(noise, np.where(k < 0, beyond, 1 - beyond))


def geometric_tail(distance: Any, scale: float) -> Any:
    r"""Probability that geometric noise is at least so far from 0.

    :math:`P(|\eta| \ge t) = \frac{2a^t}{1+a}` for integers :math:`t \ge 1`, and 1 for
    :math:`t \le 0`. Beyond t it is :math:`P(|\eta| > t) = P(|\eta| \ge t + 1)`.

    Parameters
    ----------
    distance : number or array-like
        Distances t; what lies between integers counts as the next one.
    scale : float
        Scale b, such as `geometric_scale` gives; :math:`a = e^{-1/b}`.

    Returns
    -------
    float, or array or pandas object like `distance`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `geometric_pmf`.

    Examples
    --------
    >>> import math
    >>> geometric_tail([0, 1, 2], 1 / math.log(2)).round(6).tolist()
    [1.0, 0.666667, 0.333333]
    """
    t, b = np.ceil(check_noise(distance, "distance")), check_noise_scale(scale)
    return like(distance, np.where(t < 1, 1.0, _beyond(t, b)))


def geometric_width(alpha: Any, scale: float) -> Any:
    r"""Smallest integer that geometric noise passes with probability at most α.

    The smallest :math:`t \ge 0` with :math:`P(|\eta| > t) = \frac{2a^{t+1}}{1+a} \le \alpha`.

    Parameters
    ----------
    alpha : number or array-like
        Probability of an error of *more* than the width, above 0 and up to 1.
    scale : float
        Scale b, such as `geometric_scale` gives; :math:`a = e^{-1/b}`.

    Returns
    -------
    int, or array or pandas object of integers like `alpha`
        Half the width of a confidence interval of level at least 1 - α around the noisy
        answer, both ends included. Smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If α is no such probability, or the scale is not positive and finite.

    Examples
    --------
    With a = 1/2, noise of size t or more has chance 4/3 · 2**-t: 1/12 for t = 4, 1/24 for 5.

    >>> import math
    >>> geometric_width(0.05, 1 / math.log(2))
    4
    """
    level, b = check_level(alpha), check_integer_scale(check_noise_scale(scale))
    guess = np.maximum(np.ceil(b * np.log(2 * expit(1 / b) / level)) - 1, 0.0)
    # Rounding may have moved the guess by one where the bound is met exactly.
    smaller = (guess > 0) & (_beyond(guess, b) <= level)
    larger = _beyond(guess + 1, b) > level
    return like(alpha, (guess - smaller + larger).astype(np.int64))


def _beyond(t: Floats, b: float) -> Floats:
    """Probability of noise of at least t, for positive integers."""
    return np.asarray(2 * expit(1 / b) * _falling(t, b))


def _falling(x: Floats, b: float) -> Floats:
    """Factor by which both kinds of noise are rarer at a distance than at 0."""
    with np.errstate(over="ignore"):  # so far away that it is impossible
        return np.exp(-np.abs(x) / b)


METHODS = ("analytic", "classic")


NOT_PURE = "Gaussian noise never keeps an epsilon for certain; Laplace noise does."


# Noise


def gaussian_pdf(noise: Any, scale: float) -> Any:
    r"""Density of Gaussian noise: :math:`e^{-x^2/2\sigma^2} / (\sigma\sqrt{2\pi})`.

    Parameters
    ----------
    noise : number or array-like
        Points x on the axis of the noise; for the density of a noisy answer y, the difference
        y - f(D).
    scale : float
        Standard deviation σ, such as `gaussian_scale` gives.

    Returns
    -------
    float, or array or pandas object like `noise`
        Density per unit of the answer. It is no probability and may be above 1.

    Raises
    ------
    TypeError, ValueError
        If a point is missing, or the scale is not positive and finite.

    Examples
    --------
    The ratio of neighbours one apart has no bound; at 10 its logarithm is (10² - 9²) / 2:

    >>> import math
    >>> round(math.log(gaussian_pdf(9, 1.0) / gaussian_pdf(10, 1.0)), 9)
    9.5
    """
    x, sigma = check_noise(noise), check_noise_scale(scale)
    return like(noise, np.exp(-(_steps(x, sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)))


def gaussian_cdf(noise: Any, scale: float) -> Any:
    r"""Probability that Gaussian noise is at most x: :math:`\Phi(x / \sigma)`.

    Parameters
    ----------
    noise, scale
        As for `gaussian_pdf`.

    Returns
    -------
    float, or array or pandas object like `noise`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `gaussian_pdf`.

    Examples
    --------
    >>> gaussian_cdf([-1.0, 0.0, 1.0], 1.0).round(3).tolist()
    [0.159, 0.5, 0.841]
    """
    return like(noise, ndtr(_steps(check_noise(noise), check_noise_scale(scale))))


def gaussian_tail(distance: Any, scale: float) -> Any:
    r"""Probability that Gaussian noise is at least so far from 0.

    :math:`P(|\eta| \ge t) = \operatorname{erfc}(t / \sigma\sqrt{2})`, which equals
    :math:`P(|\eta| > t)`.

    Parameters
    ----------
    distance : number or array-like
        Distances t; up to 0 the probability is 1.
    scale : float
        Standard deviation σ, such as `gaussian_scale` gives.

    Returns
    -------
    float, or array or pandas object like `distance`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `gaussian_pdf`.

    Examples
    --------
    >>> round(gaussian_tail(1.96, 1.0), 4)
    0.05
    """
    t, sigma = check_noise(distance, "distance"), check_noise_scale(scale)
    return like(distance, erfc(_steps(np.maximum(t, 0.0), sigma) / math.sqrt(2)))


def gaussian_width(alpha: Any, scale: float) -> Any:
    r"""Distance that Gaussian noise reaches with probability α.

    :math:`\sigma \, \Phi^{-1}(1 - \alpha/2)`.

    Parameters
    ----------
    alpha : number or array-like
        Probability of an error of at least the width, above 0 and up to 1.
    scale : float
        Standard deviation σ, such as `gaussian_scale` gives.

    Returns
    -------
    float, or array or pandas object like `alpha`
        Half the width of a confidence interval of level 1 - α around the noisy answer, in its
        unit; the inverse of `gaussian_tail`. Smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If α is no such probability, or the scale is not positive and finite.

    Examples
    --------
    >>> round(gaussian_width(0.05, 1.0), 4)
    1.96
    """
    level, sigma = check_level(alpha), check_noise_scale(scale)
    return like(alpha, sigma * math.sqrt(2) * erfcinv(level))


def _steps(x: Floats, sigma: float) -> Floats:
    """Distances in standard deviations; beyond 1e100 all are as impossible."""
    with np.errstate(over="ignore"):
        return np.clip(x / sigma, -1e100, 1e100)


# From one of ε, δ, σ to the other


def gaussian_scale(
    sensitivity: float, epsilon: float, delta: float, *, method: str = "analytic"
) -> float:
    r"""Standard deviation σ that a promise (ε, δ) needs.

    Analytic: the smallest σ with :math:`\delta(\varepsilon) \le \delta`, see
    `gaussian_delta`. Classic: :math:`\sigma = \sqrt{2 \ln(1.25/\delta)} \, \Delta /
    \varepsilon`, for ε below 1 only.

    Parameters
    ----------
    sensitivity : float
        Largest change Δ of the answer between neighbours; for several numbers at once, the
        largest Euclidean distance (L2).
    epsilon : float
        Privacy loss (natural logarithm).
    delta : float
        Probability with which ε may fail, above 0 and below 1.
    method : {"analytic", "classic"}
        Which σ.

    Returns
    -------
    float
        Standard deviation in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, or the classic formula is asked for ε of 1 or
        more, where it promises what it does not keep.

    References
    ----------
    .. [1] B. Balle and Y.-X. Wang, *Improving the Gaussian mechanism for differential
       privacy*, ICML 2018, theorem 8.
    .. [2] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.22.

    Examples
    --------
    >>> round(gaussian_scale(1, 1, 1e-5), 4)
    3.7306
    >>> round(gaussian_scale(1, 0.5, 1e-5, method="classic"), 4)
    9.6896
    """
    check_choice(method, "method", METHODS)
    change, loss = check_sensitivity(sensitivity), check_loss(epsilon)
    failing = check_delta_above_zero(delta, way=NOT_PURE)
    if method == "classic":
        ratio = math.sqrt(2 * math.log(1.25 / failing)) / check_below_one(loss)
    else:
        ratio = _ratio_of(loss, failing)
    return check_finite_scale(ratio * change, change, loss)


def gaussian_delta(sensitivity: float, epsilon: Any, scale: float) -> Any:
    r"""Probability δ with which Gaussian noise fails to keep an ε; the privacy profile.

    The smallest δ for which the mechanism is (ε, δ)-differentially private: see the formula
    on top of this module.

    Parameters
    ----------
    sensitivity : float
        As for `gaussian_scale`.
    epsilon : number or array-like
        ε of at least 0 (natural logarithm), one or several.
    scale : float
        Standard deviation σ.

    Returns
    -------
    float, or array or pandas object like `epsilon`
        Probability; smaller is safer. For ε = 0 it is the total variation distance.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range.

    Notes
    -----
    The two terms of the formula agree in nearly all digits far out. Here their difference is
    an integral over a positive function, so that small δ have as many right digits as large
    ones, down to 1e-300.

    References
    ----------
    .. [1] B. Balle and Y.-X. Wang, *Improving the Gaussian mechanism for differential
       privacy*, ICML 2018, theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(1, 1, 1.0), 5)
    0.12694

    What the classic formula would give for ε = 10 and δ = 1e-5 keeps twice that δ only:

    >>> import math
    >>> sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 10
    >>> f"{gaussian_delta(1, 10, sigma):.1e}"
    '2.3e-05'
    """
    loss = check_delta_at(epsilon)
    ratio = check_noise_scale(scale) / check_sensitivity(sensitivity)
    return like(epsilon, np.exp(_log_delta(loss, ratio)))


def gaussian_epsilon(
    sensitivity: float, scale: float, delta: float, *, method: str = "analytic"
) -> float:
    r"""The ε that Gaussian noise keeps, but for a probability δ.

    Analytic: the smallest ε with :math:`\delta(\varepsilon) \le \delta`, see
    `gaussian_delta`. Classic: :math:`\varepsilon = \sqrt{2 \ln(1.25/\delta)} \, \Delta /
    \sigma`, if that is below 1.

    Parameters
    ----------
    sensitivity, delta, method
        As for `gaussian_scale`.
    scale : float
        Standard deviation σ.

    Returns
    -------
    float
        Privacy loss (natural logarithm), the inverse of `gaussian_scale`; smaller is safer. 0
        where δ alone covers all that can be told apart.

    Raises
    ------
    TypeError, ValueError
        As `gaussian_scale`.

    Examples
    --------
    >>> round(gaussian_epsilon(1, 3.7306316, 1e-5), 6)
    1.0
    """
    check_choice(method, "method", METHODS)
    ratio = check_noise_scale(scale) / check_sensitivity(sensitivity)
    failing = check_delta_above_zero(delta, way=NOT_PURE)
    if method == "classic":
        return check_below_one(math.sqrt(2 * math.log(1.25 / failing)) / ratio)
    return _epsilon_of(ratio, failing)


@lru_cache(maxsize=1024)
def _ratio_of(epsilon: float, delta: float) -> float:
    """Smallest σ/Δ that keeps (ε, δ)."""
    # Two σ that suffice: one with which δ covers ε = 0, and one with which losses above ε
    # have probability δ. The second solves a quadratic equation.
    root = math.sqrt(2) * float(erfcinv(2 * delta))
    leg = math.hypot(root, math.sqrt(2) * math.sqrt(epsilon))
    enough = min(
        1 / (2 * math.sqrt(2) * float(erfinv(delta))),
        (leg + root) / 2 / epsilon if root > 0 else 1 / (leg - root),
    )
    return _least(lambda ratio: _log_delta(epsilon, ratio), math.log(delta), enough)


def _epsilon_of(ratio: float, delta: float) -> float:
    """Smallest ε that σ/Δ keeps but for δ."""
    target = math.log(delta)
    if _log_delta(0.0, ratio) <= target:
        return 0.0
    enough = (math.sqrt(2) * float(erfcinv(2 * delta)) + 1 / (2 * ratio)) / ratio
    return _least(lambda epsilon: _log_delta(epsilon, ratio), target, enough)


def _least(log_delta: Callable[[float], Any], target: float, enough: float) -> float:
    """Where a falling function meets the target: from above, so that the promise is kept."""
    while log_delta(enough) > target and math.isfinite(enough):
        enough *= 2  # rounding may have made it a little too small
    if math.isinf(enough):  # no float is enough
        return enough
    low = enough / 2
    while log_delta(low) <= target:
        enough, low = low, low / 2
    found = float(
        brentq(lambda x: log_delta(x) - target, low, enough, xtol=1e-300, rtol=1e-15)
    )
    while log_delta(found) > target:
        found *= 1 + 2e-16 * 2
    return found


NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def _log_delta(epsilon: Any, ratio: Any) -> Any:
    r"""Logarithm of δ(ε) for a σ of `ratio` sensitivities.

    With :math:`u = (\varepsilon r - 1/2r)/\sqrt{2}` and :math:`v = (\varepsilon r +
    1/2r)/\sqrt{2}` it is :math:`\delta = e^{-u^2} (w(u) - w(v)) / 2`, where :math:`w(x) =
    e^{x^2} \operatorname{erfc}(x)` does not leave the range of a float far out.
    """
    with np.errstate(all="ignore"):  # of two branches only one is used
        u = (epsilon * ratio - 1 / (2 * ratio)) / math.sqrt(2)
        width = 1 / (ratio * math.sqrt(2)) + 0 * u
        near = width < np.maximum(1.0, u) / 2
        difference = erfcx(np.maximum(u, -1.0)) - erfcx(u + width)
        apart = np.where(near, _fall(u, np.where(near, width, 0.0)), difference)
        usual = np.log(apart / 2) - u * u
        # For u below -1 both terms are far apart, and w(u) may be too large for a float.
        large = np.log((erfc(u) - np.exp(-u * u) * erfcx(np.maximum(u + width, 0.0))) / 2)
    return np.where(u < -1, large, usual)


def _fall(u: Any, width: Any) -> Any:
    """How much w falls from u to u + width, as an integral: no nearly equal numbers."""
    half = np.asarray(width)[..., None] / 2
    points = np.asarray(u)[..., None] + half * (1 + NODES)
    return (half * WEIGHTS * _slope(points)).sum(axis=-1)


def _slope(x: Floats) -> Floats:
    """The negative derivative of w, by its asymptotic series where it would cancel."""
    step = 1 / (2 * np.maximum(x, 7.0) ** 2)
    series = np.ones_like(x)
    for k in range(30, 1, -1):
        series = 1 - (2 * k - 1) * step * series
    direct = 1 - math.sqrt(math.pi) * x * erfcx(np.maximum(x, -1.0))
    return 2 / math.sqrt(math.pi) * np.where(x < 7, direct, step * series)


MOST_PEOPLE = 10**15


LARGEST_TABLE = 10_000


# The exponential mechanism


def exponential_scale(sensitivity: float, epsilon: float, *, monotone: bool = False) -> float:
    r"""Utility that makes a candidate e times as likely: :math:`b = 2\Delta / \varepsilon`.

    Parameters
    ----------
    sensitivity : float
        Largest change Δ of the utility of any one candidate between neighbours.
    epsilon : float
        Privacy loss (natural logarithm).
    monotone : bool, default False
        Whether one more record never lowers any utility (as with counts), or never raises any.
        Then :math:`b = \Delta / \varepsilon` suffices, if neighbours differ by one record more
        or less; not if a record is replaced.

    Returns
    -------
    float
        Scale in the unit of the utilities; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If a number is not positive and finite.

    References
    ----------
    .. [1] F. McSherry and K. Talwar, *Mechanism design via differential privacy*, FOCS 2007,
       theorem 6.
    .. [2] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.10, and for monotone utilities the remark that follows.

    Examples
    --------
    >>> exponential_scale(1, 0.5)
    4.0
    """
    change, loss = check_sensitivity(sensitivity), check_loss(epsilon)
    factor = 1 if check_flag(monotone, "monotone") else 2
    return check_finite_scale(factor * change / loss, change, loss)


def exponential_epsilon(sensitivity: float, scale: float, *, monotone: bool = False) -> float:
    r"""The ε that a choice of a scale keeps: :math:`\varepsilon = 2\Delta / b`.

    Parameters
    ----------
    sensitivity, monotone
        As for `exponential_scale`.
    scale : float
        Utility b that makes a candidate e times as likely.

    Returns
    -------
    float
        Privacy loss (natural logarithm), the inverse of `exponential_scale`; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If a number is not positive and finite.

    Examples
    --------
    >>> exponential_epsilon(1, 4.0)
    0.5
    """
    factor = 1 if check_flag(monotone, "monotone") else 2
    return factor * check_sensitivity(sensitivity) / check_noise_scale(scale)


def exponential_pmf(utilities: Any, scale: float) -> Any:
    r"""Probability of each candidate: :math:`e^{u_i/b} / \sum_j e^{u_j/b}`.

    Parameters
    ----------
    utilities : Series, mapping or array-like of shape (candidates,), or (choices, candidates)
        Utility of each candidate, the more the better; a row per choice if there are several.
    scale : float
        Scale b, such as `exponential_scale` gives.

    Returns
    -------
    array or pandas object like `utilities`
        Probabilities, each row adding up to 1; of a mapping, a Series with its keys.

    Raises
    ------
    TypeError, ValueError
        If a utility is missing or infinite, or the scale is not positive and finite.

    Examples
    --------
    >>> exponential_pmf({"flu": 3, "cold": 2, "none": 2}, exponential_scale(1, 1)).round(3)
    flu     0.452
    cold    0.274
    none    0.274
    dtype: float64
    """
    numbers, b = check_utilities(utilities), check_noise_scale(scale)
    probabilities = softmax(lost_steps(numbers, b), axis=-1)
    if isinstance(utilities, Mapping):
        return pd.Series(probabilities, index=pd.Index(list(utilities), tupleize_cols=False))
    return like(utilities, probabilities)


def lost_steps(utilities: Any, b: float) -> Any:
    """Utilities relative to the best of their row, in units of the scale; at most 0."""
    with np.errstate(over="ignore"):  # so much worse that it is impossible
        return (utilities - utilities.max(axis=-1, keepdims=True)) / b


def exponential_cdf(loss: Any, utilities: Any, scale: float) -> Any:
    """Probability that the choice loses at most so much utility against the best candidate.

    Parameters
    ----------
    loss : number or array-like
        Lost utility: best minus chosen.
    utilities : Series, mapping or array-like of shape (candidates,)
        Utility of each candidate.
    scale : float
        Scale b, such as `exponential_scale` gives.

    Returns
    -------
    float, or array or pandas object like `loss`
        Probability.

    Raises
    ------
    TypeError, ValueError
        As `exponential_pmf`.

    Examples
    --------
    >>> exponential_cdf([0, 1], [3, 2, 2], exponential_scale(1, 1)).round(3).tolist()
    [0.452, 1.0]
    """
    limit = check_noise(loss, "loss")
    lost, probability = _lost(utilities, scale)
    return like(loss, np.minimum((probability * (lost <= limit[..., None])).sum(axis=-1), 1.0))


def exponential_tail(loss: Any, utilities: Any, scale: float) -> Any:
    """Probability that the choice loses at least so much utility against the best candidate.

    Parameters
    ----------
    loss, utilities, scale
        As for `exponential_cdf`.

    Returns
    -------
    float, or array or pandas object like `loss`
        Probability; 1 for losses up to 0.

    Raises
    ------
    TypeError, ValueError
        As `exponential_pmf`.

    Examples
    --------
    >>> round(exponential_tail(1, [3, 2, 2], exponential_scale(1, 1)), 3)
    0.548
    """
    limit = check_noise(loss, "loss")
    lost, probability = _lost(utilities, scale)
    return like(loss, np.minimum((probability * (lost >= limit[..., None])).sum(axis=-1), 1.0))


def _lost(utilities: Any, scale: float) -> tuple[Any, Any]:
    """Utility that each candidate loses against the best, and its probability."""
    numbers = check_utilities(utilities, most=1)
    return numbers.max() - numbers, np.asarray(exponential_pmf(numbers, scale))


def exponential_width(alpha: Any, scale: float, candidates: int) -> Any:
    r"""Loss of utility that is reached with probability at most α, whatever the utilities are.

    :math:`b \, (\ln k + \ln(1/\alpha))` for k candidates. For given utilities
    `exponential_tail` is exact.

    Parameters
    ----------
    alpha : number or array-like
        Probability, above 0 and up to 1.
    scale : float
        Scale b, such as `exponential_scale` gives.
    candidates : int
        Number k of candidates.

    Returns
    -------
    float, or array or pandas object like `alpha`
        Utility; smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If α is no such probability, there is no candidate, or the scale is not positive.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       corollary 3.12.

    Examples
    --------
    >>> round(exponential_width(0.05, exponential_scale(1, 1), 3), 4)
    8.1887
    """
    level, b = check_level(alpha), check_noise_scale(scale)
    k = check_whole(candidates, "candidates", 1, 10**15, "how many there are to choose from")
    return like(alpha, b * (math.log(k) - np.log(level)))


# Randomised response


def randomised_response_probability(epsilon: float, options: Any = 2) -> float:
    r"""Probability of the truth that a promise ε allows.

    :math:`p = e^\varepsilon / (e^\varepsilon + k - 1)` for k possible answers.

    Parameters
    ----------
    epsilon : float
        Privacy loss (natural logarithm).
    options : int or sequence, default 2
        Number k of possible answers, or a list of them.

    Returns
    -------
    float
        Probability p; each of the other k - 1 answers has (1 - p) / (k - 1). Smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If ε is not positive and finite, or there are fewer than two answers.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.
    .. [2] P. Kairouz, K. Bonawitz and D. Ramage, *Discrete distribution estimation under local
       privacy*, ICML 2016, section 3.

    Examples
    --------
    >>> import math
    >>> round(randomised_response_probability(math.log(3)), 12)
    0.75
    """
    return chances(epsilon, options)[0]


def chances(epsilon: Any, options: Any) -> tuple[float, float, int]:
    """Probability of the truth, of a lie, and the number of answers."""
    loss, k = check_loss(epsilon), len(check_options(options))
    odds = loss - math.log(k - 1)
    return float(expit(odds)), float(expit(-odds)), k


def randomised_response_epsilon(probability: float, options: Any = 2) -> float:
    r"""The ε that a probability of the truth keeps: :math:`\ln\frac{p (k-1)}{1-p}`.

    Parameters
    ----------
    probability : float
        Probability p of the truth, above 1/k and below 1.
    options : int or sequence, default 2
        Number k of possible answers, or a list of them.

    Returns
    -------
    float
        Privacy loss (natural logarithm), the inverse of `randomised_response_probability`;
        smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If p is no such probability.

    Examples
    --------
    >>> round(randomised_response_epsilon(0.75), 4)
    1.0986
    """
    k = len(check_options(options))
    p = check_truth_probability(probability, k)
    return math.log(p) - math.log1p(-p) + math.log(k - 1)


def randomised_response_pmf(epsilon: float, options: Any = 2) -> pd.DataFrame:
    """Probability of each report, given each truth.

    Parameters
    ----------
    epsilon : float
        Privacy loss (natural logarithm).
    options : int or sequence, default 2
        The possible answers; a number k stands for 0, ..., k - 1.

    Returns
    -------
    DataFrame of shape (k, k)
        A row per truth, a column per report. Within a column no two differ by more than a
        factor of e**epsilon.

    Raises
    ------
    TypeError, ValueError
        As `randomised_response_probability`.

    Examples
    --------
    >>> import math
    >>> randomised_response_pmf(math.log(3), ["no", "yes"]).round(2)
    report    no   yes
    truth
    no      0.75  0.25
    yes     0.25  0.75
    """
    truth, lie, k = chances(epsilon, options)
    answers = check_options(options)
    check_whole(k, "options", 2, LARGEST_TABLE, "the rows of a table that can be shown")
    table = np.where(np.eye(k, dtype=bool), truth, lie / (k - 1))
    return pd.DataFrame(table, index=answers.rename("truth"), columns=answers.rename("report"))


def randomised_response_cdf(lies: Any, epsilon: float, n: int, options: Any = 2) -> Any:
    """Probability that at most so many of n people lie.

    Parameters
    ----------
    lies : number or array-like
        How many reports are not the truth.
    epsilon : float
        Privacy loss of each person (natural logarithm).
    n : int
        People who are asked.
    options : int or sequence, default 2
        Number of possible answers, or a list of them.

    Returns
    -------
    float, or array or pandas object like `lies`
        Probability, of a binomial distribution.

    Raises
    ------
    TypeError, ValueError
        If a number is outside its range.

    Examples
    --------
    >>> import math
    >>> round(randomised_response_cdf(1, math.log(3), 2), 4)
    0.9375
    """
    k, n, lie = _liars(lies, epsilon, n, options)
    inside = bdtr(np.clip(k, 0, n), n, lie)
    return like(lies, np.where(k < 0, 0.0, inside))


def randomised_response_tail(lies: Any, epsilon: float, n: int, options: Any = 2) -> Any:
    """Probability that at least so many of n people lie.

    Parameters
    ----------
    lies, epsilon, n, options
        As for `randomised_response_cdf`.

    Returns
    -------
    float, or array or pandas object like `lies`
        Probability, of a binomial distribution.

    Raises
    ------
    TypeError, ValueError
        If a number is outside its range.

    Examples
    --------
    >>> import math
    >>> round(randomised_response_tail(2, math.log(3), 2), 4)
    0.0625
    """
    k, n, lie = _liars(np.ceil(check_noise(lies, "lies")) - 1, epsilon, n, options)
    beyond = bdtrc(np.clip(k, 0, n), n, lie)
    return like(lies, np.where(k < 0, 1.0, beyond))


def _liars(lies: Any, epsilon: Any, n: Any, options: Any) -> tuple[Any, int, float]:
    """Whole number of lies, of people, and the probability of a lie."""
    people = check_whole(n, "n", 1, MOST_PEOPLE, "how many people are asked")
    return np.floor(check_noise(lies, "lies")), people, chances(epsilon, options)[1]


def randomised_response_estimate(reported: Any, epsilon: float, options: Any = 2) -> Any:
    r"""Estimate the true share of an answer from the share of its reports.

    :math:`\hat{\pi} = (r - q) / (p - q)` with the probability p of the truth and q of another
    given answer: without bias, but it may be below 0 or above 1.

    Parameters
    ----------
    reported : number or array-like
        Share r of the reports with the answer, from 0 to 1; also one share per answer.
    epsilon : float
        Privacy loss of each person (natural logarithm).
    options : int or sequence, default 2
        Number of possible answers, or a list of them.

    Returns
    -------
    float, or array or pandas object like `reported`
        Estimated share. It only processes reports, so it costs no further privacy.

    Raises
    ------
    TypeError, ValueError
        If a share is missing or outside [0, 1], or ε is not positive and finite.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.

    Examples
    --------
    >>> import math
    >>> round(randomised_response_estimate(0.4, math.log(3)), 12)
    0.3
    """
    share = check_shares(reported)
    truth, lie, k = chances(epsilon, options)
    return like(reported, (share - lie / (k - 1)) / _contrast(epsilon, k))


def _contrast(epsilon: float, k: int) -> float:
    """Probability of the truth minus that of one other answer, which may be nearly equal."""
    return -math.expm1(-epsilon) / (1 + (k - 1) * math.exp(-epsilon))


def randomised_response_width(alpha: Any, epsilon: float, n: int, options: Any = 2) -> Any:
    r"""Error of an estimated share that is reached with probability at most α.

    :math:`\sqrt{\ln(2/\alpha) / 2n} \, / (p - q)`, by Hoeffding's inequality for the lies of n
    people, whatever the truth is.

    Parameters
    ----------
    alpha : number or array-like
        Probability, above 0 and up to 1.
    epsilon : float
        Privacy loss of each person (natural logarithm).
    n : int
        People who are asked.
    options : int or sequence, default 2
        Number of possible answers, or a list of them.

    Returns
    -------
    float, or array or pandas object like `alpha`
        Half the width of a confidence interval around `randomised_response_estimate`, for the
        share among these people; smaller is more accurate.

    Raises
    ------
    TypeError, ValueError
        If α is no such probability, or a number is outside its range.

    References
    ----------
    .. [1] W. Hoeffding, *Probability inequalities for sums of bounded random variables*, JASA
       58, 1963, theorem 2.

    Examples
    --------
    >>> import math
    >>> round(randomised_response_width(0.05, math.log(3), 1000), 4)
    0.0859
    """
    level, loss = check_level(alpha), check_loss(epsilon)
    people = check_whole(n, "n", 1, MOST_PEOPLE, "how many people are asked")
    strays = np.sqrt(np.log(2 / level) / (2 * people))
    return like(alpha, strays / _contrast(loss, len(check_options(options))))
