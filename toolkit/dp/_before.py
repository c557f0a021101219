r"""Distributions of the noise of differential privacy, and the privacy that a scale keeps.

Five distributions, one per mechanism of `toolkit.dp.mechanisms`, with the methods of scipy's
distributions where these make sense:

* `LaplaceNoise`, density :math:`e^{-|x|/b} / 2b`: keeps ε.
* `DiscreteLaplaceNoise`, :math:`\frac{1-a}{1+a} a^{|k|}` for integers: keeps ε.
* `GaussianNoise`, density :math:`e^{-x^2/2\sigma^2} / \sigma\sqrt{2\pi}`: keeps ε but for δ.
* `ExponentialChoice`, :math:`e^{u_i/b} / \sum_j e^{u_j/b}` for candidate i: keeps ε.
* `RandomisedResponse`, the truth with probability p, or another answer: keeps ε per person.

How much a pair of distributions p and q discloses is the *privacy profile*, the smallest δ for
which (ε, δ)-differential privacy holds: :math:`\delta(\varepsilon) = \sum_y \max(p(y) -
e^\varepsilon q(y), 0)`, in closed form `laplace_delta` and `gaussian_delta`. Every ε is a
natural logarithm.

What all modules of differential privacy ask of numbers and arrays stands at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import bdtr, bdtrc, erfc, erfcinv, erfcx, erfinv, expit, ndtr, softmax

from .. import _validation
from .._typing import AnyArray, FloatArray
from .._validation import check_choice, check_whole, is_number, listed, number, shown

METHODS = ("analytic", "classic")


NOT_PURE = "Gaussian noise never keeps an epsilon for certain; Laplace noise does."


LARGEST_TABLE = 10_000


# The definitions


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
    return _finite_scale(change / loss, change, loss)


def laplace_delta(sensitivity: float, epsilon: Any, scale: float) -> Any:
    r"""Probability δ with which Laplace noise fails to keep an ε; the privacy profile.

    :math:`\delta(\varepsilon) = \max(0, 1 - e^{(\varepsilon - \Delta/b)/2})`, 0 from the ε on
    that the noise keeps for certain, :math:`\Delta/b`.

    Parameters
    ----------
    sensitivity : float
        Largest change Δ of one number between neighbours. (Of several numbers this bounds δ
        only if all of the change may fall on one of them.)
    epsilon : number or array-like
        ε of at least 0 (natural logarithm), one or several.
    scale : float
        Scale b.

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
    Let the noisy answers be centred at 0 and at Δ. The logarithm of their density ratio at y
    falls from :math:`\Delta/b` to :math:`-\Delta/b`; between the centres it is
    :math:`(\Delta - 2y)/b`. So it exceeds ε where :math:`y < y^* = (\Delta - \varepsilon
    b)/2`. These answers have probability :math:`1 - e^{-y^*/b}/2` around 0 and
    :math:`e^{(y^*-\Delta)/b}/2` around Δ. Multiplied by :math:`e^\varepsilon`, the second is
    :math:`e^{-y^*/b}/2`, and the difference is :math:`1 - e^{-y^*/b}`.

    Examples
    --------
    >>> laplace_delta(1, [0, 0.5, 1.0], 1.0).round(4).tolist()
    [0.3935, 0.2212, 0.0]
    """
    loss = _losses(epsilon)
    certain = check_sensitivity(sensitivity) / check_scale(scale)
    return like(epsilon, np.abs(np.expm1(np.minimum(loss - certain, 0.0) / 2)))


def gaussian_delta(sensitivity: float, epsilon: Any, scale: float) -> Any:
    r"""Probability δ with which Gaussian noise fails to keep an ε; the privacy profile.

    :math:`\delta(\varepsilon) = \Phi(\tfrac{\Delta}{2\sigma} -
    \tfrac{\varepsilon\sigma}{\Delta}) - e^{\varepsilon} \Phi(-\tfrac{\Delta}{2\sigma} -
    \tfrac{\varepsilon\sigma}{\Delta})`. The density ratio of two Gaussians grows without
    bound, so that far out any ε fails; δ is what that costs.

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
    loss = _losses(epsilon)
    ratio = check_scale(scale) / check_sensitivity(sensitivity)
    return like(epsilon, np.exp(_log_delta(loss, ratio)))


def gaussian_scale(
    sensitivity: float, epsilon: float, delta: float, *, method: str = "analytic"
) -> float:
    r"""Standard deviation σ that a promise (ε, δ) needs.

    Analytic: the smallest σ with :math:`\delta(\varepsilon) \le \delta`, see
    `gaussian_delta`. Classic: :math:`\sigma = \sqrt{2 \ln(1.25/\delta)} \, \Delta /
    \varepsilon`, a bound that is proven for ε below 1 only.

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
    failing = check_delta_above_zero(delta, NOT_PURE)
    if method == "classic":
        ratio = math.sqrt(2 * math.log(1.25 / failing)) / _below_one(loss)
    else:
        ratio = _ratio_of(loss, failing)
    return _finite_scale(ratio * change, change, loss)


# Noise for numbers


@dataclass(frozen=True)
class _Scaled:
    """A distribution with a scale, which is checked once."""

    scale: float

    def __post_init__(self) -> None:
        """Keep a float that is positive and finite."""
        object.__setattr__(self, "scale", check_scale(self.scale))


class _Pure(_Scaled):
    """Noise that falls by the same factor e**(-1/b) with every step from 0."""

    @classmethod
    def for_epsilon(cls, sensitivity: float, epsilon: float) -> Self:
        """Noise that keeps ε (natural logarithm), by `laplace_scale`."""
        return cls(laplace_scale(sensitivity, epsilon))

    def epsilon(self, sensitivity: float) -> float:
        r"""ε (natural logarithm) that this scale keeps: :math:`\varepsilon = \Delta / b`.

        >>> LaplaceNoise(2.0).epsilon(sensitivity=1)
        0.5
        """
        return check_sensitivity(sensitivity) / self.scale


@dataclass(frozen=True)
class LaplaceNoise(_Pure):
    r"""Laplace noise: density :math:`e^{-|x|/b} / (2b)`.

    The density falls by the same factor with every step from 0, which is why it hides a change
    of the answer by one sensitivity up to a factor e**ε, wherever the noisy answer lies.

    Methods take a number, an array-like or a pandas object, and return its like.

    Parameters
    ----------
    scale : float
        Scale b in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite; by the methods, if a point is missing or
        outside its range.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.2, fact 3.7, theorem 3.8.

    Examples
    --------
    The same noisy answer, 40, from neighbours whose true answers are 38 and 39:

    >>> import math
    >>> noise = LaplaceNoise.for_epsilon(1, 0.5)
    >>> noise
    LaplaceNoise(scale=2.0)
    >>> round(math.log(noise.pdf(40 - 39) / noise.pdf(40 - 38)), 12)
    0.5
    """

    def delta(self, sensitivity: float, epsilon: Any) -> Any:
        """Probability with which a smaller ε fails: `laplace_delta`."""
        return laplace_delta(sensitivity, epsilon, self.scale)

    def pdf(self, noise: Any) -> Any:
        r"""Density :math:`e^{-|x|/b} / (2b)` per unit of the answer; it may be above 1.

        For the density of a noisy answer y pass the difference y - f(D).
        """
        x, b = check_noise(noise), self.scale
        return like(noise, _falling(x, b) / (2 * b))

    def cdf(self, noise: Any) -> Any:
        r"""Probability of at most x: :math:`e^{x/b}/2` up to 0, :math:`1 - e^{-x/b}/2` above.

        >>> LaplaceNoise(1.0).cdf([-1.0, 0.0, 1.0]).round(3).tolist()
        [0.184, 0.5, 0.816]
        """
        x = check_noise(noise)
        beyond = _falling(x, self.scale) / 2
        return like(noise, np.where(x < 0, beyond, 1 - beyond))

    def sf(self, distance: Any) -> Any:
        r"""Two-sided survival function :math:`P(|\eta| \ge t) = e^{-t/b}`; 1 up to t = 0.

        (scipy's ``sf`` is one-sided.) :math:`P(|\eta| > t)` is the same.

        >>> round(LaplaceNoise(1.0).sf(2.9957), 4)
        0.05
        """
        t = check_noise(distance, "distance")
        return like(distance, _falling(np.maximum(t, 0.0), self.scale))

    def ppf(self, q: Any) -> Any:
        """Quantile: the noise that is not passed with probability q; the inverse of `cdf`."""
        share = _shares(q)
        with np.errstate(divide="ignore"):
            away = self.scale * np.log(2 * np.minimum(share, 1 - share))
        return like(q, np.where(share < 0.5, away, np.abs(away)))

    def accuracy(self, alpha: Any) -> Any:
        r"""Distance reached with probability α: :math:`b \ln(1/\alpha)`, the inverse of `sf`.

        Half the width of a confidence interval of level 1 - α around the noisy answer; smaller
        is more accurate. α is above 0 and up to 1.

        >>> round(LaplaceNoise(1.0).accuracy(0.05), 4)
        2.9957
        """
        return like(alpha, np.abs(self.scale * np.log(_levels(alpha))))


@dataclass(frozen=True)
class DiscreteLaplaceNoise(_Pure):
    r"""Discrete Laplace noise, for integers: :math:`\frac{1-a}{1+a} a^{|k|}`.

    Also known as two-sided geometric noise. It falls by :math:`a = e^{-1/b} =
    e^{-\varepsilon/\Delta}` with every integer.

    Methods take a number, an array-like or a pandas object, and return its like.

    Parameters
    ----------
    scale : float
        Scale b in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite; by the methods, if a point is missing or
        outside its range.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009, definition 2.1.

    Examples
    --------
    With a = 1/2, 0 has a third, and every step halves it:

    >>> import math
    >>> noise = DiscreteLaplaceNoise(1 / math.log(2))
    >>> noise.pmf([-1, 0, 1, 2]).round(6).tolist()
    [0.166667, 0.333333, 0.166667, 0.083333]
    """

    def pmf(self, noise: Any) -> Any:
        r"""Probability of an integer, :math:`\frac{1-a}{1+a} a^{|k|}`; 0 between integers."""
        k, b = check_noise(noise), self.scale
        # (1 - a) / (1 + a), without the difference of two nearly equal numbers.
        highest = np.tanh(1 / (2 * b))
        return like(noise, np.where(k == np.floor(k), highest * _falling(k, b), 0.0))

    def cdf(self, noise: Any) -> Any:
        r"""Probability of at most x, an integer or not.

        For integers k: :math:`\frac{a^{-k}}{1+a}` below 0, and
        :math:`1 - \frac{a^{k+1}}{1+a}` from 0 on.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).cdf([-1, 0, 1]).round(6).tolist()
        [0.333333, 0.666667, 0.833333]
        """
        k = np.floor(check_noise(noise))
        beyond = _at_least(np.where(k < 0, -k, k + 1), self.scale) / 2
        return like(noise, np.where(k < 0, beyond, 1 - beyond))

    def sf(self, distance: Any) -> Any:
        r"""Two-sided survival function: probability of noise at least so far from 0.

        :math:`P(|\eta| \ge t) = \frac{2a^t}{1+a}` for integers :math:`t \ge 1`, and 1 for
        :math:`t \le 0`; what lies between integers counts as the next one. Beyond t it is
        :math:`P(|\eta| > t) = P(|\eta| \ge t + 1)`. (scipy's ``sf`` is one-sided.)

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).sf([0, 1, 2]).round(6).tolist()
        [1.0, 0.666667, 0.333333]
        """
        t = np.ceil(check_noise(distance, "distance"))
        return like(distance, np.where(t < 1, 1.0, _at_least(t, self.scale)))

    def ppf(self, q: Any) -> Any:
        """Quantile: the smallest integer (as a float) whose `cdf` is at least q.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).ppf([0.2, 0.5, 0.8]).tolist()
        [-1.0, 0.0, 1.0]
        """
        share, b = _shares(q), check_integer_scale(self.scale)
        # From 0 on more than k has at most 1 - q; below it -k or more has at least q.
        above = _rarely_passed(2 * (1 - share), b)
        below = -_rarely_passed(2 * np.nextafter(share, 0.0), b)
        k = np.where(share < 0.5, below, above)
        # The difference 1 - q is rounded, and so may be by one too large where the cdf is q.
        return like(q, k - (self.cdf(k - 1) >= share) + 0.0)

    def accuracy(self, alpha: Any) -> Any:
        r"""Smallest integer that the noise passes with probability at most α.

        The smallest :math:`t \ge 0` with :math:`P(|\eta| > t) = \frac{2a^{t+1}}{1+a} \le
        \alpha`, half the width of a confidence interval of level at least 1 - α around the
        noisy answer, both ends included; smaller is more accurate. α is above 0 and up to 1.

        With a = 1/2, noise of size t or more has chance 4/3 · 2**-t: 1/12 for 4, 1/24 for 5.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).accuracy(0.05)
        4
        """
        level, b = _levels(alpha), check_integer_scale(self.scale)
        return like(alpha, _rarely_passed(level, b).astype(np.int64))


@dataclass(frozen=True)
class GaussianNoise(_Scaled):
    r"""Gaussian noise: density :math:`e^{-x^2/2\sigma^2} / (\sigma\sqrt{2\pi})`.

    It keeps an ε but for a probability δ; see `gaussian_delta`.

    Methods take a number, an array-like or a pandas object, and return its like.

    Parameters
    ----------
    scale : float
        Standard deviation σ in the unit of the answer; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite; by the methods, if a point is missing or
        outside its range.

    Examples
    --------
    The ratio of neighbours one apart has no bound; at 10 its logarithm is (10² - 9²) / 2:

    >>> import math
    >>> noise = GaussianNoise(1.0)
    >>> round(math.log(noise.pdf(9) / noise.pdf(10)), 9)
    9.5
    """

    @classmethod
    def for_epsilon_delta(
        cls, sensitivity: float, epsilon: float, delta: float, *, method: str = "analytic"
    ) -> Self:
        """Noise that keeps ε (natural logarithm) but for δ, by `gaussian_scale`."""
        return cls(gaussian_scale(sensitivity, epsilon, delta, method=method))

    def epsilon(self, sensitivity: float, delta: float, *, method: str = "analytic") -> float:
        r"""ε (natural logarithm) that this scale keeps, but for a probability δ.

        Analytic: the smallest ε with :math:`\delta(\varepsilon) \le \delta`, 0 where δ alone
        covers all that can be told apart. Classic: :math:`\varepsilon =
        \sqrt{2 \ln(1.25/\delta)} \, \Delta / \sigma`, if that is below 1. Arguments and errors
        are those of `gaussian_scale`, of which it is the inverse.

        >>> round(GaussianNoise(3.7306316).epsilon(1, 1e-5), 6)
        1.0
        """
        check_choice(method, "method", METHODS)
        ratio = self.scale / check_sensitivity(sensitivity)
        failing = check_delta_above_zero(delta, NOT_PURE)
        if method == "classic":
            return _below_one(math.sqrt(2 * math.log(1.25 / failing)) / ratio)
        return _epsilon_of(ratio, failing)

    def delta(self, sensitivity: float, epsilon: Any) -> Any:
        """Probability with which ε fails: `gaussian_delta`."""
        return gaussian_delta(sensitivity, epsilon, self.scale)

    def pdf(self, noise: Any) -> Any:
        r"""Density :math:`e^{-x^2/2\sigma^2} / (\sigma\sqrt{2\pi})` per unit of the answer.

        It may be above 1. For the density of a noisy answer y pass the difference y - f(D).
        """
        highest = self.scale * math.sqrt(2 * math.pi)
        return like(noise, np.exp(-(self._steps(check_noise(noise)) ** 2) / 2) / highest)

    def cdf(self, noise: Any) -> Any:
        r"""Probability of at most x: :math:`\Phi(x / \sigma)`.

        >>> GaussianNoise(1.0).cdf([-1.0, 0.0, 1.0]).round(3).tolist()
        [0.159, 0.5, 0.841]
        """
        return like(noise, ndtr(self._steps(check_noise(noise))))

    def sf(self, distance: Any) -> Any:
        r"""Two-sided survival function: probability of noise at least so far from 0.

        :math:`P(|\eta| \ge t) = \operatorname{erfc}(t / \sigma\sqrt{2})`, the same as
        :math:`P(|\eta| > t)`; 1 up to t = 0. (scipy's ``sf`` is one-sided.)

        >>> round(GaussianNoise(1.0).sf(1.96), 4)
        0.05
        """
        t = check_noise(distance, "distance")
        return like(distance, erfc(self._steps(np.maximum(t, 0.0)) / math.sqrt(2)))

    def ppf(self, q: Any) -> Any:
        r"""Quantile :math:`\sigma \, \Phi^{-1}(q)`, the inverse of `cdf`."""
        # By the complement, which keeps its digits where q is small.
        return like(q, -self.scale * math.sqrt(2) * erfcinv(2 * _shares(q)))

    def accuracy(self, alpha: Any) -> Any:
        r"""Distance reached with probability α: :math:`\sigma \, \Phi^{-1}(1 - \alpha/2)`.

        Half the width of a confidence interval of level 1 - α around the noisy answer, the
        inverse of `sf`; smaller is more accurate. α is above 0 and up to 1.

        >>> round(GaussianNoise(1.0).accuracy(0.05), 4)
        1.96
        """
        return like(alpha, self.scale * math.sqrt(2) * erfcinv(_levels(alpha)))

    def _steps(self, x: FloatArray) -> FloatArray:
        """Distances in standard deviations; beyond 1e100 all are as impossible."""
        with np.errstate(over="ignore"):
            return np.clip(x / self.scale, -1e100, 1e100)


# Choices and answers


@dataclass(frozen=True)
class ExponentialChoice(_Scaled):
    r"""Choice of the exponential mechanism: :math:`P(i) = e^{u_i/b} / \sum_j e^{u_j/b}`.

    It adds no noise to a number; what corresponds to it is the utility that a choice loses
    against the best candidate.

    Parameters
    ----------
    scale : float
        Utility b that makes a candidate e times as likely; larger is safer.

    Raises
    ------
    TypeError, ValueError
        If the scale is not positive and finite; by the methods, if a utility is missing or
        infinite, or another argument outside its range.

    References
    ----------
    .. [1] F. McSherry and K. Talwar, *Mechanism design via differential privacy*, FOCS 2007,
       theorem 6.
    .. [2] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.10 (for monotone utilities the remark that follows), corollary 3.12.

    Examples
    --------
    >>> choice = ExponentialChoice.for_epsilon(1, 1)
    >>> choice.pmf({"flu": 3, "cold": 2, "none": 2}).round(3)
    flu     0.452
    cold    0.274
    none    0.274
    dtype: float64
    """

    @classmethod
    def for_epsilon(
        cls, sensitivity: float, epsilon: float, *, monotone: bool = False
    ) -> Self:
        r"""Choice that keeps ε (natural logarithm): :math:`b = 2\Delta / \varepsilon`.

        Δ is the largest change of the utility of any one candidate between neighbours.
        `monotone` says that one more record never lowers any utility (as with counts), or
        never raises any. Then :math:`b = \Delta / \varepsilon` suffices, if neighbours differ
        by one record more or less; not if a record is replaced.

        >>> ExponentialChoice.for_epsilon(1, 0.5)
        ExponentialChoice(scale=4.0)
        """
        change, loss = check_sensitivity(sensitivity), check_loss(epsilon)
        return cls(_finite_scale(_changes(monotone) * change / loss, change, loss))

    def epsilon(self, sensitivity: float, *, monotone: bool = False) -> float:
        r"""ε (natural logarithm) that this scale keeps: :math:`\varepsilon = 2\Delta / b`.

        >>> ExponentialChoice(4.0).epsilon(sensitivity=1)
        0.5
        """
        return _changes(monotone) * check_sensitivity(sensitivity) / self.scale

    def pmf(self, utilities: Any) -> Any:
        r"""Probability of each candidate: :math:`e^{u_i/b} / \sum_j e^{u_j/b}`.

        Utilities are a Series, mapping or array-like of shape (candidates,), or of shape
        (choices, candidates) with a row per choice; more is better. Returns their like; for a
        mapping, a Series with its keys.
        """
        steps = lost_steps(check_utilities(utilities), self.scale)
        probabilities = softmax(steps, axis=-1)
        if isinstance(utilities, Mapping):
            keys = pd.Index(list(utilities), tupleize_cols=False)
            return pd.Series(probabilities, index=keys)
        return like(utilities, probabilities)

    def cdf(self, loss: Any, utilities: Any) -> Any:
        """Probability that the choice loses at most so much utility against the best one.

        >>> ExponentialChoice(2.0).cdf([0, 1], [3, 2, 2]).round(3).tolist()
        [0.452, 1.0]
        """
        return self._chance(loss, utilities, np.less_equal)

    def sf(self, loss: Any, utilities: Any) -> Any:
        """Probability that the choice loses *at least* so much; 1 for losses up to 0.

        >>> round(ExponentialChoice(2.0).sf(1, [3, 2, 2]), 3)
        0.548
        """
        return self._chance(loss, utilities, np.greater_equal)

    def accuracy(self, alpha: Any, candidates: int) -> Any:
        r"""Loss of utility reached with probability at most α, whatever the utilities are.

        :math:`b \, (\ln k + \ln(1/\alpha))` for k candidates; smaller is more accurate. For
        given utilities `sf` is exact.

        >>> round(ExponentialChoice(2.0).accuracy(0.05, candidates=3), 4)
        8.1887
        """
        level = _levels(alpha)
        meaning = "how many there are to choose from"
        k = check_whole(candidates, "candidates", 1, 10**15, meaning)
        return like(alpha, self.scale * (math.log(k) - np.log(level)))

    def _chance(self, loss: Any, utilities: Any, compare: Callable[..., Any]) -> Any:
        """Probability of the candidates whose lost utility compares so with a limit."""
        limit = check_noise(loss, "loss")
        known = check_utilities(utilities, most=1)
        chosen = compare(known.max() - known, limit[..., None]) * self.pmf(known)
        return like(loss, np.minimum(chosen.sum(axis=-1), 1.0))


@dataclass(frozen=True, eq=False)
class RandomisedResponse:
    r"""Answers of randomised response: the truth with :math:`p`, or another answer.

    Of k possible answers the truth has probability
    :math:`p = e^\varepsilon / (e^\varepsilon + k - 1)`, and each other one
    :math:`q = (1 - p) / (k - 1)`.

    Parameters
    ----------
    epsilon : float
        Privacy loss of each person (natural logarithm); smaller is safer.
    options : int or sequence, default 2
        The possible answers; a number k stands for 0, ..., k - 1. Kept as an index.

    Raises
    ------
    TypeError, ValueError
        If ε is not positive and finite, or there are fewer than two answers; by the methods,
        if an argument is outside its range.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.
    .. [2] P. Kairouz, K. Bonawitz and D. Ramage, *Discrete distribution estimation under local
       privacy*, ICML 2016, section 3.
    .. [3] W. Hoeffding, *Probability inequalities for sums of bounded random variables*, JASA
       58, 1963, theorem 2.

    Examples
    --------
    >>> import math
    >>> answers = RandomisedResponse(math.log(3), ["no", "yes"])
    >>> round(answers.probability, 12)
    0.75
    >>> answers.pmf().round(2)
    report    no   yes
    truth
    no      0.75  0.25
    yes     0.25  0.75
    """

    epsilon: float
    options: Any = 2

    def __post_init__(self) -> None:
        """Keep ε as a float and the answers as an index."""
        object.__setattr__(self, "epsilon", check_loss(self.epsilon))
        object.__setattr__(self, "options", _options_of(self.options))

    @classmethod
    def for_probability(cls, probability: float, options: Any = 2) -> Self:
        r"""Answers that are true with p, so that :math:`\varepsilon = \ln\frac{p (k-1)}{1-p}`.

        p is above 1/k and below 1.

        >>> round(RandomisedResponse.for_probability(0.75).epsilon, 4)
        1.0986
        """
        answers, p = _options_of(options), number_or_none(probability)
        if p is None:
            raise TypeError(f"probability must be a number; got {shown(probability):.80}.")
        if not 1 / len(answers) < p < 1:
            raise ValueError(
                f"probability of the truth must be above 1/{len(answers)} (a blind guess) and"
                f" below 1 (no privacy); got {shown(probability)}."
            )
        loss = math.log(p) - math.log1p(-p) + math.log(len(answers) - 1)
        return cls(loss, len(answers) if isinstance(answers, pd.RangeIndex) else answers)

    @property
    def probability(self) -> float:
        """Probability p of the truth; smaller is safer."""
        return float(expit(self.epsilon - math.log(len(self.options) - 1)))

    @property
    def lie(self) -> float:
        """Probability 1 - p of any other answer, to all its digits."""
        return float(expit(math.log(len(self.options) - 1) - self.epsilon))

    @property
    def _contrast(self) -> float:
        """Probability p - q, without the difference of two nearly equal numbers."""
        others = (len(self.options) - 1) * math.exp(-self.epsilon)
        return -math.expm1(-self.epsilon) / (1 + others)

    def pmf(self) -> pd.DataFrame:
        """Probability of each report, given each truth: a row per truth, a column per report.

        Within a column no two differ by more than a factor of e**ε.
        """
        k = len(self.options)
        check_whole(k, "options", 2, LARGEST_TABLE, "the rows of a table that can be shown")
        table = np.where(np.eye(k, dtype=bool), self.probability, self.lie / (k - 1))
        labels = self.options.rename("truth"), self.options.rename("report")
        return pd.DataFrame(table, *labels)

    def cdf(self, lies: Any, n: int) -> Any:
        """Probability that at most so many of n people lie, of a binomial distribution.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).cdf(1, n=2), 4)
        0.9375
        """
        people, k = _people(n), np.floor(check_noise(lies, "lies"))
        return like(lies, np.where(k < 0, 0.0, bdtr(k.clip(0, people), people, self.lie)))

    def sf(self, lies: Any, n: int) -> Any:
        """Probability that *at least* so many of n people lie, of a binomial distribution.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).sf(2, n=2), 4)
        0.0625
        """
        people, k = _people(n), np.ceil(check_noise(lies, "lies")) - 1
        return like(lies, np.where(k < 0, 1.0, bdtrc(k.clip(0, people), people, self.lie)))

    def estimate(self, reported: Any) -> Any:
        r"""Estimate the true share of an answer from the share of its reports.

        :math:`\hat{\pi} = (r - q) / (p - q)` for a share r, or one share per answer: without
        bias, but it may be below 0 or above 1. It only processes reports, so it costs no
        further privacy.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).estimate(0.4), 12)
        0.3
        """
        share = check_noise(reported, "reported")
        if not ((share >= -1e-9) & (share <= 1 + 1e-9)).all():  # sums of shares are rounded
            raise ValueError(
                f"reported must be shares from 0 to 1; got {reported!r:.80}. Divide counts by"
                f" the number of reports."
            )
        return like(reported, (share - self.lie / (len(self.options) - 1)) / self._contrast)

    def accuracy(self, alpha: Any, n: int) -> Any:
        r"""Error of an estimated share that is reached with probability at most α.

        :math:`\sqrt{\ln(2/\alpha) / 2n} \, / (p - q)`, by Hoeffding's inequality for the lies
        of n people, whatever the truth is: half the width of a confidence interval around
        `estimate`, for the share among these people. Smaller is more accurate.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).accuracy(0.05, n=1000), 4)
        0.0859
        """
        strays = np.sqrt(np.log(2 / _levels(alpha)) / (2 * _people(n)))
        return like(alpha, strays / self._contrast)


# What the methods ask, and share


def _losses(epsilon: Any) -> FloatArray:
    """Return ε of at least 0, one or several, at which a δ is asked for."""
    return numbers(epsilon, "epsilon", "[0, inf)", "finite and at least 0")


def _levels(alpha: Any) -> FloatArray:
    """Return probabilities above 0 and up to 1, one or several."""
    rule = "a probability above 0 and up to 1, such as 0.05"
    return numbers(alpha, "alpha", "(0, 1]", rule)


def _shares(q: Any) -> FloatArray:
    """Return probabilities from 0 to 1, one or several."""
    return numbers(q, "q", "[0, 1]", "a probability from 0 to 1")


def _people(n: Any) -> int:
    return check_whole(n, "n", 1, 10**15, "how many people are asked")


def _options_of(options: Any) -> pd.Index:
    """Return the possible answers: those listed, or 0, 1, ..., as many as a number says."""
    if isinstance(options, Integral) and not isinstance(options, bool):
        number = check_whole(options, "options", 2, 10**9, "how many answers are possible")
        return pd.Index(range(number))
    if isinstance(options, (str, bytes, Mapping)) or not isinstance(options, Iterable):
        raise TypeError(
            f"options must list the possible answers, or say how many there are; got"
            f" {options!r:.80}."
        )
    answers = answers_of(list(options))
    if len(answers) < 2 or not answers.is_unique:
        raise ValueError(
            f"options must list at least two different answers; got {listed(answers)}."
        )
    return answers


def answers_of(cells: Any) -> pd.Index:
    """Answers as an index, which has no floats of 16 bits: wider ones are equal to them."""
    kind = getattr(cells, "dtype", None)
    if kind is None and any(isinstance(cell, np.float16) for cell in cells):
        cells = [float(cell) if isinstance(cell, np.float16) else cell for cell in cells]
    cells = cells.astype(float) if kind == np.float16 else cells
    answers: pd.Index = pd.Index(cells, tupleize_cols=False)
    return answers


def check_utilities(utilities: Any, *, most: int = 2) -> FloatArray:
    """Utilities of the candidates: one row of them, or a row per choice."""
    if isinstance(utilities, Mapping):
        utilities = list(utilities.values())
    check_kind(utilities, "utilities")
    found = floats_of(utilities, "utilities")
    if not 1 <= found.ndim <= most or found.shape[-1] == 0:
        raise ValueError(
            f"utilities must hold a number for each candidate, at least one"
            f"{', or a row of them per choice' * (most == 2)}; got shape {found.shape}."
        )
    if not math.isfinite(reach_of(found)):
        raise ValueError(
            f"utilities must be finite; got {found[~np.isfinite(found)][0]}. Every"
            f" candidate must be possible whatever the data say."
        )
    way = "Take the largest off all of them first: only their differences count."
    check_whole_numbers(utilities, found, "utilities", way)
    return found


def _changes(monotone: Any) -> int:
    """How often Δ enters: one candidate gains it while another loses it, or only one does."""
    return 1 if check_flag(monotone, "monotone") else 2


def _finite_scale(scale: float, sensitivity: float, epsilon: float) -> float:
    """Return a scale that a float can hold."""
    if not (0 < scale < math.inf):
        raise ValueError(
            f"sensitivity = {sensitivity:g} and epsilon = {epsilon:g} ask for noise of scale"
            f" {scale:g}, which no float can hold; rescale the answer."
        )
    return scale


def _below_one(epsilon: float) -> float:
    """Return an ε for which the classic theorem of the Gaussian mechanism holds."""
    if epsilon >= 1:
        raise ValueError(
            f"method='classic' is proven for epsilon below 1 only; got {epsilon:g}. Use"
            f" method='analytic', which holds for every epsilon and adds less noise."
        )
    return epsilon


def _falling(x: FloatArray, b: float) -> FloatArray:
    """Factor by which both kinds of Laplace noise are rarer at a distance than at 0."""
    with np.errstate(over="ignore"):  # so far away that it is impossible
        return np.exp(-np.abs(x) / b)


def _at_least(t: FloatArray, b: float) -> FloatArray:
    """Probability of discrete Laplace noise at least t away from 0, for integers above 0."""
    return np.asarray(2 * expit(1 / b) * _falling(t, b))


def _rarely_passed(level: FloatArray, b: float) -> FloatArray:
    """Smallest integer of at least 0 that discrete Laplace noise passes with a probability."""
    with np.errstate(divide="ignore"):
        guess = np.maximum(np.ceil(b * np.log(2 * expit(1 / b) / level)) - 1, 0.0)
    # Rounding may have moved the guess by one where the bound is met exactly.
    smaller = (guess > 0) & (_at_least(guess, b) <= level)
    larger = _at_least(guess + 1, b) > level
    return np.asarray(guess - smaller + larger)


def lost_steps(utilities: Any, b: float) -> Any:
    """Utilities relative to the best of their row, in units of the scale; at most 0."""
    with np.errstate(over="ignore"):  # so much worse that it is impossible
        return (utilities - utilities.max(axis=-1, keepdims=True)) / b


# The kernel of Gaussian noise: from two of ε, δ and σ/Δ to the third


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
    # The formula of `gaussian_delta` with Phi(-x sqrt 2) = erfc(x) / 2: its terms are
    # erfc(u) / 2 and e^epsilon erfc(v) / 2, and since v^2 - u^2 = epsilon, e^(-u^2) can be
    # taken out of both. What remains is the scaled complementary error function w (the name is
    # W. J. Cody's, Math. Comp. 23, 1969; scipy's erfcx is that of S. G. Johnson's Faddeeva
    # package). There are three branches, each used where it loses no digits:
    #   u < -1          w(u) grows like e^(u^2), but the terms are far apart: plain erfc(u)
    #                   less e^epsilon erfc(v) = e^(-u^2) w(v), which cannot overflow;
    #   v - u is small  w(u) and w(v) agree in their leading digits, so their difference is
    #                   taken as the integral of -w' from u to v (`_fall`);
    #   otherwise       w(u) - w(v) as it stands.
    # The square is subtracted from the logarithm: e^(-u^2) itself leaves the floats at u = 27.
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
    # Gauss-Legendre quadrature: 20 nodes integrate polynomials of degree 39 exactly, and over
    # a width of at most half of max(1, u) the slope is smooth enough for all digits.
    half = np.asarray(width)[..., None] / 2
    points = np.asarray(u)[..., None] + half * (1 + NODES)
    return (half * WEIGHTS * _slope(points)).sum(axis=-1)


def _slope(x: FloatArray) -> FloatArray:
    """The negative derivative of w, by its asymptotic series where it would cancel."""
    # -w'(x) = 2 / sqrt(pi) - 2 x w(x), and x w(x) tends to 1 / sqrt(pi). From 7 on the series
    # w(x) ~ (1 / (x sqrt pi)) sum_k (-1)^k (2k-1)!! / (2 x^2)^k (Abramowitz and Stegun,
    # 7.1.23) is used without its first term, by Horner's rule; its error is below 1e-16 there.
    step = 1 / (2 * np.maximum(x, 7.0) ** 2)
    series = np.ones_like(x)
    for k in range(30, 1, -1):
        series = 1 - (2 * k - 1) * step * series
    direct = 1 - math.sqrt(math.pi) * x * erfcx(np.maximum(x, -1.0))
    return 2 / math.sqrt(math.pi) * np.where(x < 7, direct, step * series)


MECHANISMS = ("laplace", "geometric", "gaussian")


class NoisyPair(NamedTuple):
    """The answers that two neighbours may get."""

    mechanism: str
    epsilon: float
    scale: float
    laws: pd.DataFrame
    """Density or probability of each answer, a column per neighbour."""
    log_ratio: pd.Series
    """Natural logarithm of the ratio of the two columns."""
    width: float
    """Error that one answer in twenty passes."""


def noisy_pair(
    epsilon: float, sensitivity: int = 1, mechanism: str = "laplace", delta: float = 1e-5
) -> NoisyPair:
    """Two neighbours whose true answers, 0 and the sensitivity, are as far apart as they get.

    Parameters
    ----------
    epsilon : float
        Privacy loss (natural logarithm).
    sensitivity : int
        Distance of the two true answers.
    mechanism : {"laplace", "geometric", "gaussian"}
        Which noise.
    delta : float
        Of the Gaussian noise.
    """
    check_choice(mechanism, "mechanism", MECHANISMS)
    noise: DiscreteLaplaceNoise | LaplaceNoise | GaussianNoise
    if mechanism == "geometric":
        noise = DiscreteLaplaceNoise.for_epsilon(sensitivity, epsilon)
        steps = min(math.ceil(4 * noise.scale) + sensitivity, 40)
        x, law = np.arange(-steps, sensitivity + steps + 1), noise.pmf
    else:
        if mechanism == "laplace":
            noise = LaplaceNoise.for_epsilon(sensitivity, epsilon)
        else:
            noise = GaussianNoise.for_epsilon_delta(sensitivity, epsilon, delta)
        reach = (5 if mechanism == "laplace" else 4.5) * noise.scale
        x = np.unique([*np.linspace(-reach, sensitivity + reach, 801), 0.0, sensitivity])
        law = noise.pdf
    columns = {"data": law(x), "neighbour": law(x - sensitivity)}
    laws = pd.DataFrame(columns, index=pd.Index(x, name="answer"))
    ratio = laws["data"].div(laws["neighbour"]).apply(np.log)
    width = float(noise.accuracy(0.05))
    return NoisyPair(mechanism, epsilon, noise.scale, laws, ratio, width)


# Numbers and arrays as the modules of differential privacy take them, with their messages
#
# Mechanisms look at their arguments in two steps. What is public (ε, sensitivity, backend, the
# *type* of a value) is checked before a budget is charged; what the data say, only afterwards,
# because an error that depends on the data discloses something of them.


CONFIDENTIAL = ("value", "utilities")
"""Arguments that hold what the data say; no message shows them before they are paid for."""


LARGEST_FLOAT_INTEGER = 2**53
"""Whole numbers beyond it are not all floats: some become equal before noise is added."""


ROUND_FIRST = (
    "Round each record before adding up, and give the sensitivity of the rounded answer."
    " laplace with the numpy backend takes floats."
)


ROUNDED_FIRST = (
    "Floating-point noise would round it first, so that neighbours become equal or drift"
    " apart."
)


# Single numbers


def is_integer(value: object) -> bool:
    """Whether a value is a whole number of any kind, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def own_number(number: Any) -> Any:
    """Return a number as Python's own int, Fraction or float; anything else as it came.

    The number is read once, and what comes back is both used and charged: a class whose parts
    contradict each other has no way to be cheap and exact at the same time.
    """
    if type(number) in (float, int, Fraction) or isinstance(number, (bool, np.bool_)):
        return number
    if isinstance(number, Integral):
        return int(number)
    if isinstance(number, Fraction) or isinstance(number, Decimal) and number.is_finite():
        return Fraction(number)
    if isinstance(number, (float, np.floating)):
        return float(number)
    return math.nan if isinstance(number, (Real, Decimal)) else number


def exact(number: float | Fraction) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth, not the nearest binary fraction."""
    number = own_number(number)
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def number_or_none(number: Any) -> float | None:
    """The float that is calculated with; infinite beyond its range, None for what is none."""
    return _validation._as_float(own_number(number))


exact_number = partial(number, read=own_number)
"""`number` of what is read once, as it is written."""


def check_flag(flag: Any, argument: str) -> bool:
    """Return a truth value."""
    if not isinstance(flag, (bool, np.bool_)):
        raise TypeError(f"{argument} must be True or False; got {flag!r:.80}.")
    return bool(flag)


def check_loss(epsilon: Any, argument: str = "epsilon") -> float:
    """Return the ε of a mechanism: natural logarithm, positive and finite."""
    kind, rule = "a positive number (natural logarithm)", "positive and finite"
    way = " Smaller is more private: 0 would say nothing at all, and infinity hides nothing."
    return exact_number(epsilon, argument, "(0, inf)", kind, rule, way=way)


def check_delta(delta: Any, argument: str = "delta") -> float:
    """Return a δ: the probability with which ε may fail."""
    kind, rule = "a probability below 1", "at least 0 and below 1"
    way = " It should be far below one in the number of records, such as 1e-6."
    return exact_number(delta, argument, "[0, 1)", kind, rule, way=way)


def check_delta_above_zero(delta: Any, way: str) -> float:
    """Return a δ that is not 0, for what needs one."""
    failing = check_delta(delta)
    if failing == 0:
        raise ValueError(f"delta must be above 0; got {shown(delta)}. {way}")
    return failing


def check_sensitivity(sensitivity: Any) -> float:
    """Return how far one individual can move the answer."""
    kind, rule = "a positive number", "positive and finite"
    way = (
        " Bound what one individual can contribute (clip the values); an answer that nobody"
        " can change needs no noise."
    )
    change = exact_number(sensitivity, "sensitivity", "(0, inf)", kind, rule, way=way)
    # Whole numbers beyond 2**53 may be rounded down, which would be too little noise.
    rounded_down = change >= LARGEST_FLOAT_INTEGER and change < own_number(sensitivity)
    return math.nextafter(change, math.inf) if rounded_down else change


def check_whole_sensitivity(sensitivity: Any) -> float:
    """Return how far one individual can move an answer in whole numbers."""
    change = check_sensitivity(sensitivity)
    if own_number(sensitivity) % 1:
        raise ValueError(
            f"sensitivity of whole numbers must be whole; got {shown(sensitivity)}."
            f" {ROUND_FIRST}"
        )
    return change


def check_scale(scale: Any) -> float:
    """Return a scale of noise: positive and finite."""
    kind = "a positive number"
    return exact_number(scale, "scale", "(0, inf)", kind, "a positive, finite number")


def check_integer_scale(scale: float) -> float:
    """Return a scale whose noise fits 64-bit integers."""
    if scale > 2**53:  # up to it, noise passes 2**62 with probability e**-512
        raise ValueError(
            f"noise of scale {scale:g} does not fit 64-bit integers; the scale may be up to"
            f" 2**53. Use a larger epsilon, or Laplace noise."
        )
    return scale


# Numbers of any shape, in arrays and pandas objects


def numbers(
    given: Any, argument: str, within: str, rule: str, *, whole: bool = False
) -> FloatArray:
    """Return numbers of any shape that all lie in an interval."""
    found = check_noise(given, argument)
    if not (_validation._lies(found, within) & (not whole or found == np.floor(found))).all():
        raise ValueError(f"{argument} must be {rule}; got {given!r:.80}.")
    return found


def check_noise(noise: Any, argument: str = "noise") -> FloatArray:
    """Return points on the axis of the noise as floats; infinite ones are legal."""
    check_kind(noise, argument)
    numbers = floats_of(noise, argument)
    if np.isnan(numbers).any():
        raise ValueError(f"{argument} must not be missing (NaN); drop or fill it first.")
    return numbers


def check_kind(value: Any, argument: str = "value", *, whole: bool = False) -> None:
    """Refuse what cannot hold numbers (or integers), by its type alone: no cell is read."""
    if isinstance(value, pd.DataFrame):
        kinds: list[Any] = list(value.dtypes)
    elif isinstance(value, (pd.Series, pd.Index, np.ndarray, np.generic)):
        kinds = [value.dtype]
    elif isinstance(value, (list, tuple)):  # judged when it is read
        kinds = []
    elif is_number(value):
        kinds = [np.dtype(int if isinstance(value, Integral) else float)]
    else:
        hint = " Add truth values up first." if isinstance(value, bool) else ""
        shown = "" if argument in CONFIDENTIAL else f" {value!r:.80}"
        raise TypeError(
            f"{argument} must be a number, or an array or pandas object of numbers; got"
            f" {type(value).__name__}{shown}.{hint}"
        )
    for kind in kinds:
        _check_dtype(kind, argument, whole)


def _check_dtype(kind: Any, argument: str, whole: bool = False) -> None:
    types = pd.api.types
    if types.is_bool_dtype(kind):
        raise TypeError(f"{argument} holds truth values; add them up first, as a count.")
    if types.is_object_dtype(kind):  # judged when it is read
        return
    if types.is_complex_dtype(kind) or not types.is_numeric_dtype(kind):
        raise TypeError(f"{argument} must hold numbers; got {kind}.")
    if whole and not types.is_integer_dtype(kind):
        raise TypeError(f"{argument} must hold integers; got {kind}. {ROUND_FIRST}")


def floats_of(value: Any, argument: str) -> FloatArray:
    """Numbers of any container as floats, what is missing as NaN."""
    cells = cells_of(value, argument)
    if cells.dtype.kind in "iuf":
        with np.errstate(over="ignore"):  # of long floats, infinity is judged later
            return cells.astype(float, copy=False)
    flat = [_float(cell, argument) for cell in cells.ravel().tolist()]
    return np.array(flat, dtype=float).reshape(cells.shape)


def cells_of(value: Any, argument: str) -> AnyArray:
    """Cells of any container, of numpy's own kind of numbers or else objects."""
    try:
        cells = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{argument} must be a number or a rectangular array; got rows of unequal length."
        ) from None
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        cells = cells.astype(object)
        cells[np.ma.getmaskarray(value)] = None
    _check_dtype(cells.dtype, argument)
    return cells


def _float(cell: object, argument: str) -> float:
    if is_missing(cell):
        return math.nan
    if not is_number(cell):
        raise TypeError(f"{argument} must hold numbers; got {cell!r:.80}.")
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if cell > 0 else -math.inf  # type: ignore[operator]


def is_missing(cell: object) -> bool:
    """Whether a cell is None, NaN, NA or NaT."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or cell is pd.NA or cell is pd.NaT


def check_whole_numbers(value: Any, numbers: FloatArray, argument: str, way: str) -> None:
    """Refuse whole numbers that are not all floats; `numbers` are the finite floats."""
    if is_rounded(value, numbers):
        raise ValueError(
            f"{argument} must not hold whole numbers beyond 2**53. {ROUNDED_FIRST} {way}"
        )


def is_rounded(value: Any, numbers: FloatArray) -> bool:
    """Whether whole numbers were too large to be floats; `numbers` are the finite floats."""
    if reach_of(numbers) < LARGEST_FLOAT_INTEGER:
        return False
    if isinstance(value, pd.DataFrame):
        value = value.astype(object)
    # Beside floats, whole numbers are floats already; as objects they are themselves.
    own = np.asarray(value, dtype=object)[np.abs(numbers) >= LARGEST_FLOAT_INTEGER]
    return any(map(_is_beyond_floats, own.tolist()))


def reach_of(numbers: FloatArray) -> float:
    """Largest distance from 0, without a copy of the numbers."""
    if numbers.ndim == 0:
        return abs(float(numbers))
    return float(max(numbers.max(initial=0.0), -numbers.min(initial=0.0)))


def _is_beyond_floats(cell: object) -> bool:
    exactly = isinstance(cell, (Rational, Decimal))
    return exactly and abs(Fraction(cell)) > LARGEST_FLOAT_INTEGER  # type: ignore[call-overload]


def like(value: Any, numbers: AnyArray) -> Any:
    """Return numbers as the value came: a plain number, an array, a Series or a DataFrame."""
    if isinstance(value, pd.Series):
        return pd.Series(numbers, index=value.index, name=value.name)
    if isinstance(value, pd.DataFrame):
        return pd.DataFrame(numbers, index=value.index, columns=value.columns)
    if np.ndim(value) == 0 and not isinstance(value, np.ndarray):
        return np.asarray(numbers).item()
    return np.asarray(numbers)
