r"""What does Gaussian noise keep? Never ε alone, but ε up to a probability δ.

The density ratio of two Gaussians grows without bound, so that far out any ε fails; δ is what
that costs. The classic formula for the standard deviation is a bound, proven for ε below 1.
The exact relation between sensitivity Δ, σ, ε and δ is

.. math:: \delta(\varepsilon) = \Phi(\tfrac{\Delta}{2\sigma} -
   \tfrac{\varepsilon\sigma}{\Delta}) - e^{\varepsilon}
   \Phi(-\tfrac{\Delta}{2\sigma} - \tfrac{\varepsilon\sigma}{\Delta}),

and everything below solves it for one of the four.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq  # type: ignore[import-untyped]
from scipy.special import erfc, erfcinv, erfcx, erfinv, ndtr  # type: ignore[import-untyped]

from ._validate import check_choice
from ._validate_noise import (
    Floats,
    check_below_one,
    check_delta_above_zero,
    check_delta_at,
    check_finite_scale,
    check_level,
    check_loss,
    check_noise,
    check_noise_scale,
    check_sensitivity,
    like,
)

__all__ = [
    "gaussian_cdf",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_pdf",
    "gaussian_scale",
    "gaussian_tail",
    "gaussian_width",
]

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
