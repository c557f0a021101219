"""How far does noise go? Laplace noise, and the two-sided geometric noise of integers.

Both fall by the same factor with every step from 0, which is why both hide a change of the
answer by one *sensitivity* up to a factor e**epsilon, wherever the noisy answer lies. Here are
their probabilities; the mechanisms that draw from them are in `toolkit.mechanisms`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit  # type: ignore[import-untyped]

from ._validate_noise import (
    Floats,
    check_finite_scale,
    check_integer_scale,
    check_level,
    check_loss,
    check_noise,
    check_noise_scale,
    check_sensitivity,
    like,
)

__all__ = [
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
