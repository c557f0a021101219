r"""Distributions of the noise of differential privacy, and the privacy that a scale keeps.

Five distributions, one per mechanism of `toolkit.dp.mechanisms`, with the methods of scipy's
distributions where these make sense:

* `LaplaceNoise`, density :math:`e^{-|x|/b} / 2b`: keeps ε.
* `DiscreteLaplaceNoise`, :math:`\frac{1-a}{1+a} a^{|k|}` for integers: keeps ε.
* `GaussianNoise`, density :math:`e^{-x^2/2\sigma^2} / \sigma\sqrt{2\pi}`: keeps ε up to δ.
* `ExponentialChoice`, :math:`e^{u_i/b} / \sum_j e^{u_j/b}` for candidate i: keeps ε.
* `RandomisedResponse`, the truth with probability p, or else a lie: keeps ε per person.

The *privacy profile* measures how much a pair of distributions p and q discloses: it is the
smallest δ for which (ε, δ)-differential privacy holds, :math:`\delta(\varepsilon) = \sum_y
\max(p(y) - e^\varepsilon q(y), 0)`. `laplace_delta` and `gaussian_delta` are its closed forms.
Every ε is a natural logarithm. Methods take a number, an array-like or a pandas object, and
return the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq
from scipy.special import bdtr, bdtrc, erfcx, expit, log_ndtr, softmax

from .._arguments import check_choice, check_number
from .._typing import AnyArray, FloatArray

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)

# Scales and privacy profiles


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    r"""Scale of the Laplace noise that keeps ε: :math:`b = \Delta / \varepsilon`.

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

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.3, theorem 3.6.

    Examples
    --------
    >>> laplace_scale(1, 0.5)
    2.0
    """
    return positive(positive(sensitivity, "sensitivity") / check_loss(epsilon), "scale")


def laplace_delta(sensitivity: float, epsilon: Any, scale: float) -> Any:
    r"""Probability δ with which Laplace noise fails to keep an ε; the privacy profile.

    :math:`\delta(\varepsilon) = \max(0, 1 - e^{(\varepsilon - \Delta/b)/2})`. It is 0 from
    :math:`\varepsilon = \Delta/b` on, which the noise keeps for certain.

    Parameters
    ----------
    sensitivity : float
        Largest change Δ of one number between neighbours. (For several numbers, the result
        bounds δ only if the whole change may fall on one number.)
    epsilon : number or array-like
        ε of at least 0 (natural logarithm), one or several.
    scale : float
        Scale b.

    Returns
    -------
    float, or array or pandas object like `epsilon`
        Probability; smaller is safer. For ε = 0 it is the total variation distance.

    Notes
    -----
    Let the noisy answers be centred at 0 and at Δ. The logarithm of their density ratio at y
    falls from :math:`\Delta/b` to :math:`-\Delta/b`; between the centres it is :math:`(\Delta
    - 2y)/b`. So the logarithm exceeds ε where :math:`y < y^* = (\Delta - \varepsilon b)/2`.
    These answers have probability :math:`1 - e^{-y^*/b}/2` around 0 and
    :math:`e^{(y^*-\Delta)/b}/2` around Δ. Multiplied by :math:`e^\varepsilon`, the second is
    :math:`e^{-y^*/b}/2`, and the difference is :math:`1 - e^{-y^*/b}`.

    Examples
    --------
    >>> laplace_delta(1, [0, 0.5, 1.0], 1.0).round(4).tolist()
    [0.3935, 0.2212, 0.0]
    """
    losses = points(epsilon, "epsilon", "[0, inf)")
    excess = losses - LaplaceNoise(scale).epsilon(sensitivity)
    return like(epsilon, np.abs(np.expm1(np.minimum(excess, 0.0) / 2)))


def gaussian_delta(sensitivity: float, epsilon: Any, scale: float) -> Any:
    r"""Probability δ with which Gaussian noise fails to keep an ε; the privacy profile.

    :math:`\delta(\varepsilon) = \Phi(\tfrac{\Delta}{2\sigma} -
    \tfrac{\varepsilon\sigma}{\Delta}) - e^{\varepsilon} \Phi(-\tfrac{\Delta}{2\sigma} -
    \tfrac{\varepsilon\sigma}{\Delta})`. The density ratio of two Gaussians grows without
    bound, so any ε fails far out in the tail; δ measures this failure.

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
        Probability, accurate to ten digits down to 1e-300; smaller is safer. For ε = 0 it is
        the total variation distance.

    References
    ----------
    .. [1] B. Balle and Y.-X. Wang, *Improving the Gaussian mechanism for differential
       privacy*, ICML 2018, theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(1, 1, 1.0), 5)
    0.12694

    The σ of the classic formula for ε = 10 and δ = 1e-5 only keeps twice that δ:

    >>> import math
    >>> sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 10
    >>> f"{gaussian_delta(1, 10, sigma):.1e}"
    '2.3e-05'
    """
    ratio = GaussianNoise(scale).scale / positive(sensitivity, "sensitivity")
    losses = points(epsilon, "epsilon", "[0, inf)")
    return like(epsilon, np.exp(_log_delta(losses, ratio)))


def gaussian_scale(
    sensitivity: float, epsilon: float, delta: float, *, method: str = "analytic"
) -> float:
    r"""Standard deviation σ of the Gaussian noise that keeps (ε, δ).

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
        Formula for σ.

    Returns
    -------
    float
        Standard deviation in the unit of the answer, rounded up; larger is safer.

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
    check_choice(method, "method", ("analytic", "classic"))
    change, loss = positive(sensitivity, "sensitivity"), check_loss(epsilon)
    failing = check_delta(delta, within="(0, 1)")
    if method == "analytic":
        ratio = _least(lambda ratio: _log_delta(loss, ratio), math.log(failing))
        return positive(ratio * change, "scale")
    if loss >= 1:
        raise ValueError(
            f"method='classic' is proven for epsilon below 1 only; got {epsilon:g}. Use"
            f" method='analytic', which holds for every epsilon and adds less noise."
        )
    return positive(math.sqrt(2 * math.log(1.25 / failing)) * change / loss, "scale")


# Noise for numbers


@dataclass(frozen=True)
class _Scaled:
    """A distribution with a scale, which is checked once."""

    scale: float

    def __post_init__(self) -> None:
        """Check that the scale is positive and finite, and keep it as a float."""
        object.__setattr__(self, "scale", positive(self.scale, "scale"))


class _Symmetric(_Scaled):
    """Noise around 0 that has a density, by its law of scale 1."""

    _law: ClassVar[Any]

    def pdf(self, noise: Any) -> Any:
        """Density per unit of the answer; it may be above 1.

        For the density of a noisy answer y pass the difference y - f(D).
        """
        return like(noise, self._law.pdf(self._units(noise)) / self.scale)

    def cdf(self, noise: Any) -> Any:
        """Probability of at most x.

        >>> LaplaceNoise(1.0).cdf([-1.0, 0.0, 1.0]).round(3).tolist()
        [0.184, 0.5, 0.816]
        >>> GaussianNoise(1.0).cdf([-1.0, 0.0, 1.0]).round(3).tolist()
        [0.159, 0.5, 0.841]
        """
        return like(noise, self._law.cdf(self._units(noise)))

    def sf(self, distance: Any) -> Any:
        r"""Two-sided survival function: :math:`P(|\eta| \ge t)`; 1 up to t = 0.

        (scipy's ``sf`` is one-sided.) :math:`P(|\eta| > t)` is the same.

        >>> round(LaplaceNoise(1.0).sf(2.9957), 4), round(GaussianNoise(1.0).sf(1.96), 4)
        (0.05, 0.05)
        """
        units = self._units(distance, "distance")
        return like(distance, 2 * self._law.sf(np.maximum(units, 0.0)))

    def ppf(self, q: Any) -> Any:
        """Quantile, the inverse of `cdf`: noise is at most this number with probability q."""
        return like(q, self.scale * self._law.ppf(points(q, "q", "[0, 1]")))

    def accuracy(self, alpha: Any) -> Any:
        """Distance reached with probability α, the inverse of `sf`.

        Half the width of a confidence interval of level 1 - α around the noisy answer; smaller
        is more accurate. α is above 0 and up to 1.

        >>> round(LaplaceNoise(1.0).accuracy(0.05), 4)
        2.9957
        >>> round(GaussianNoise(1.0).accuracy(0.05), 4)
        1.96
        """
        levels = points(alpha, "alpha", "(0, 1]")
        return like(alpha, self.scale * np.abs(self._law.isf(levels / 2)))

    def _units(self, given: Any, argument: str = "noise") -> FloatArray:
        """Numbers in units of the scale; beyond 1e100 all are equally impossible."""
        with np.errstate(over="ignore"):
            return np.clip(points(given, argument) / self.scale, -1e100, 1e100)


class _Pure(_Scaled):
    """Noise whose probability falls by the factor e**(-1/b) with every step from 0."""

    @classmethod
    def for_epsilon(cls, sensitivity: float, epsilon: float) -> Self:
        """Noise that keeps ε (natural logarithm), by `laplace_scale`."""
        return cls(laplace_scale(sensitivity, epsilon))

    def epsilon(self, sensitivity: float) -> float:
        r"""ε (natural logarithm) that this scale keeps: :math:`\varepsilon = \Delta / b`.

        >>> LaplaceNoise(2.0).epsilon(sensitivity=1)
        0.5
        """
        return positive(sensitivity, "sensitivity") / self.scale


@dataclass(frozen=True)
class LaplaceNoise(_Pure, _Symmetric):
    r"""Laplace noise: density :math:`e^{-|x|/b} / (2b)`.

    The density falls by the same factor with every step from 0, which is why it hides a change
    of the answer by one sensitivity up to a factor e**ε, wherever the noisy answer lies. Noise
    is at least t away from 0 with probability :math:`e^{-t/b}`, so a distance of :math:`b
    \ln(1/\alpha)` is reached with probability α.

    Parameters
    ----------
    scale : float
        Scale b in the unit of the answer; larger is safer.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.2, fact 3.7, theorem 3.8.
    .. [2] I. Mironov, *Rényi differential privacy*, CSF 2017, table II.

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

    _law = stats.laplace

    def renyi(self, sensitivity: float, orders: Any) -> pd.Series:
        r"""Rényi divergence of two answers Δ apart, by order α above 1.

        :math:`\frac{1}{\alpha-1} \ln\left(\frac{\alpha}{2\alpha-1} e^{(\alpha-1)\Delta/b} +
        \frac{\alpha-1}{2\alpha-1} e^{-\alpha\Delta/b}\right)`; smaller is safer.

        >>> LaplaceNoise(1.0).renyi(1, [2]).round(4).tolist()
        [0.6191]
        """
        alpha, loss = check_orders(orders), self.epsilon(sensitivity)
        share = (alpha - 1) / (2 * alpha - 1)
        rise = np.log1p(-share) + (alpha - 1) * loss
        total = np.logaddexp(rise, np.log(share) - alpha * loss)
        return pd.Series(total / (alpha - 1), pd.Index(alpha, name="order"), name="renyi")


@dataclass(frozen=True)
class DiscreteLaplaceNoise(_Pure):
    r"""Discrete Laplace noise, for integers: :math:`\frac{1-a}{1+a} a^{|k|}`.

    Also known as two-sided geometric noise. Its probability falls by :math:`a = e^{-1/b} =
    e^{-\varepsilon/\Delta}` with every step from 0.

    Parameters
    ----------
    scale : float
        Scale b in the unit of the answer; larger is safer.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009, definition 2.1.

    Examples
    --------
    With a = 1/2, noise 0 has probability 1/3, and every step from 0 halves the probability:

    >>> import math
    >>> noise = DiscreteLaplaceNoise(1 / math.log(2))
    >>> noise.pmf([-1, 0, 1, 2]).round(6).tolist()
    [0.166667, 0.333333, 0.166667, 0.083333]
    """

    def pmf(self, noise: Any) -> Any:
        r"""Probability of an integer, :math:`\frac{1-a}{1+a} a^{|k|}`; 0 between integers."""
        k = points(noise)
        # tanh(1 / 2b) is (1 - a) / (1 + a) without the difference of two nearly equal numbers.
        fall = np.exp(-np.abs(k) / self.scale)
        return like(noise, (k == np.floor(k)) * np.tanh(0.5 / self.scale) * fall)

    def cdf(self, noise: Any) -> Any:
        r"""Probability of at most x, an integer or not.

        For integers k: :math:`\frac{a^{-k}}{1+a}` below 0, and
        :math:`1 - \frac{a^{k+1}}{1+a}` from 0 on.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).cdf([-1, 0, 1]).round(6).tolist()
        [0.333333, 0.666667, 0.833333]
        """
        k = np.floor(points(noise))
        beyond = self._at_least(np.where(k < 0, -k, k + 1)) / 2
        return like(noise, np.where(k < 0, beyond, 1 - beyond))

    def sf(self, distance: Any) -> Any:
        r"""Two-sided survival function: probability of noise at least this far from 0.

        :math:`P(|\eta| \ge t) = \frac{2a^t}{1+a}` for integers :math:`t \ge 1`, and 1 for
        :math:`t \le 0`; a distance between integers counts as the next integer. Noise beyond t
        has :math:`P(|\eta| > t) = P(|\eta| \ge t + 1)`. (scipy's ``sf`` is one-sided.)

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).sf([0, 1, 2]).round(6).tolist()
        [1.0, 0.666667, 0.333333]
        """
        t = np.ceil(points(distance, "distance"))
        return like(distance, np.where(t < 1, 1.0, self._at_least(t)))

    def ppf(self, q: Any) -> Any:
        """Quantile: the smallest integer (as a float) whose `cdf` is at least q.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).ppf([0.2, 0.5, 0.8]).tolist()
        [-1.0, 0.0, 1.0]
        """
        share = points(q, "q", "[0, 1]")
        # The cdf is a**-k / (1 + a) below 0, and 1 - a**(k + 1) / (1 + a) from 0 on.
        a = math.exp(-1 / check_whole_scale(self.scale))
        with np.errstate(divide="ignore"):
            steps = self.scale * np.log(np.minimum(share, 1 - share) * (1 + a))
        k = np.where(share < 0.5, np.ceil(steps), np.ceil(-steps) - 1)
        k += self.cdf(k) < share  # rounding may have moved k by one
        return like(q, k - (self.cdf(k - 1) >= share) + 0.0)

    def accuracy(self, alpha: Any) -> Any:
        r"""Smallest integer that the size of the noise exceeds with probability at most α.

        The smallest :math:`t \ge 0` with :math:`P(|\eta| > t) = \frac{2a^{t+1}}{1+a} \le
        \alpha`, half the width of a confidence interval of level at least 1 - α around the
        noisy answer, both ends included; smaller is more accurate. α is above 0 and up to 1.

        With a = 1/2, noise of size t or more has chance 4/3 · 2**-t: 1/12 for 4, 1/24 for 5.

        >>> import math
        >>> DiscreteLaplaceNoise(1 / math.log(2)).accuracy(0.05)
        4
        """
        # The least k whose cdf is above α / 2 is -t: noise is as often below -t as above t.
        above = np.nextafter(points(alpha, "alpha", "(0, 1]") / 2, 1.0)
        return like(alpha, np.maximum(-np.asarray(self.ppf(above)), 0).astype(np.int64))

    def _at_least(self, t: FloatArray) -> FloatArray:
        """Probability of noise at least t away from 0, for integers above 0."""
        return np.asarray(2 * expit(1 / self.scale) * np.exp(-t / self.scale))


@dataclass(frozen=True)
class GaussianNoise(_Symmetric):
    r"""Gaussian noise: density :math:`e^{-x^2/2\sigma^2} / (\sigma\sqrt{2\pi})`.

    It keeps an ε up to a probability δ; see `gaussian_delta`. Noise is at least t away from 0
    with probability :math:`\operatorname{erfc}(t / \sigma\sqrt{2})`, so a distance of
    :math:`\sigma \, \Phi^{-1}(1 - \alpha/2)` is reached with probability α.

    Parameters
    ----------
    scale : float
        Standard deviation σ in the unit of the answer; larger is safer.

    References
    ----------
    .. [1] M. Bun and T. Steinke, *Concentrated differential privacy*, TCC 2016,
       proposition 1.6.

    Examples
    --------
    The density ratio of neighbours one apart has no bound; at 10 its logarithm is (10² - 9²) /
    2:

    >>> import math
    >>> noise = GaussianNoise(1.0)
    >>> round(math.log(noise.pdf(9) / noise.pdf(10)), 9)
    9.5
    """

    _law = stats.norm

    @classmethod
    def for_epsilon_delta(cls, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Noise that keeps ε (natural logarithm) up to δ, by `gaussian_scale`."""
        return cls(gaussian_scale(sensitivity, epsilon, delta))

    def epsilon(self, sensitivity: float, delta: float) -> float:
        r"""ε (natural logarithm) that this scale keeps, up to a probability δ.

        The smallest ε with :math:`\delta(\varepsilon) \le \delta`, 0 if δ is at least the
        total variation distance. It is rounded up, and the inverse of `gaussian_scale`.

        >>> round(GaussianNoise(3.7306316).epsilon(1, 1e-5), 6)
        1.0
        """
        ratio = self.scale / positive(sensitivity, "sensitivity")
        target = math.log(check_delta(delta, within="(0, 1)"))
        if _log_delta(0.0, ratio) <= target:
            return 0.0
        return _least(lambda epsilon: _log_delta(epsilon, ratio), target)

    def rho(self, sensitivity: float) -> float:
        r"""Loss in zero-concentrated differential privacy: :math:`\rho = \Delta^2/2\sigma^2`.

        Smaller is safer; see `zcdp_composition`.

        >>> GaussianNoise(2.0).rho(1)
        0.125
        """
        return (positive(sensitivity, "sensitivity") / self.scale) ** 2 / 2

    def renyi(self, sensitivity: float, orders: Any) -> pd.Series:
        r"""Rényi divergence of two answers Δ apart: :math:`\alpha\Delta^2/2\sigma^2` by order.

        Orders α are above 1; smaller divergences are safer; see `renyi_composition`.

        >>> GaussianNoise(2.0).renyi(1, [2, 10]).tolist()
        [0.25, 1.25]
        """
        alpha = check_orders(orders)
        losses = alpha * self.rho(sensitivity)
        return pd.Series(losses, pd.Index(alpha, name="order"), name="renyi")


# Choices and answers


@dataclass(frozen=True)
class ExponentialChoice(_Scaled):
    r"""Choice of the exponential mechanism: :math:`P(i) = e^{u_i/b} / \sum_j e^{u_j/b}`.

    It adds no noise to a number; the utility that a choice loses against the best candidate
    takes the place of noise.

    Parameters
    ----------
    scale : float
        Extra utility b that makes a candidate e times as likely; larger is safer.

    References
    ----------
    .. [1] F. McSherry and K. Talwar, *Mechanism design via differential privacy*, FOCS 2007,
       theorem 6.
    .. [2] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.10, corollary 3.12.

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
    def for_epsilon(cls, sensitivity: float, epsilon: float) -> Self:
        r"""Choice that keeps ε (natural logarithm): :math:`b = 2\Delta / \varepsilon`.

        Δ is the largest change of the utility of any one candidate between neighbours.

        >>> ExponentialChoice.for_epsilon(1, 0.5)
        ExponentialChoice(scale=4.0)
        """
        return cls(2 * laplace_scale(sensitivity, epsilon))

    def epsilon(self, sensitivity: float) -> float:
        r"""ε (natural logarithm) that this scale keeps: :math:`\varepsilon = 2\Delta / b`.

        >>> ExponentialChoice(4.0).epsilon(sensitivity=1)
        0.5
        """
        return 2 * positive(sensitivity, "sensitivity") / self.scale

    def pmf(self, utilities: Any) -> Any:
        r"""Probability of each candidate: :math:`e^{u_i/b} / \sum_j e^{u_j/b}`.

        Utilities are a Series, mapping or array-like of shape (candidates,); more is better.
        Returns the same kind; for a mapping, a Series with its keys.
        """
        if isinstance(utilities, Mapping):
            utilities = pd.Series(dict(utilities))
        return like(utilities, softmax(lost_utility(utilities) / self.scale))

    def cdf(self, loss: Any, utilities: Any) -> Any:
        """Probability that the choice loses at most this much utility against the best one.

        >>> ExponentialChoice(2.0).cdf([0, 1], [3, 2, 2]).round(3).tolist()
        [0.452, 1.0]
        """
        return self._chance(loss, utilities, np.less_equal)

    def sf(self, loss: Any, utilities: Any) -> Any:
        """Probability that the choice loses *at least* this much; 1 for losses up to 0.

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
        k = check_number(candidates, "candidates", "[1, 1e15]", whole=True)
        return like(alpha, self.scale * np.log(k / points(alpha, "alpha", "(0, 1]")))

    def _chance(self, loss: Any, utilities: Any, compare: Callable[..., Any]) -> Any:
        """Probability of the candidates whose lost utility is within, or beyond, a limit."""
        lost = lost_utility(utilities)
        chosen = compare(-lost, points(loss, "loss")[..., None])
        return like(loss, np.minimum((chosen * softmax(lost / self.scale)).sum(axis=-1), 1.0))


@dataclass(frozen=True)
class RandomisedResponse:
    r"""Answers of randomised response: the truth with probability p, otherwise the opposite.

    A yes or a no is true with :math:`p = e^\varepsilon / (e^\varepsilon + 1)`.

    Parameters
    ----------
    epsilon : float
        Privacy loss of each person (natural logarithm); smaller is safer.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.
    .. [2] W. Hoeffding, *Probability inequalities for sums of bounded random variables*, JASA
       58, 1963, theorem 2.

    Examples
    --------
    >>> import math
    >>> answers = RandomisedResponse(math.log(3))
    >>> round(answers.probability, 12)
    0.75
    >>> answers.pmf().round(2)
    report     0     1
    truth
    0       0.75  0.25
    1       0.25  0.75
    """

    epsilon: float

    def __post_init__(self) -> None:
        """Keep ε as a float."""
        object.__setattr__(self, "epsilon", check_loss(self.epsilon))

    @classmethod
    def for_probability(cls, probability: float) -> Self:
        r"""Answers that are true with p, so that :math:`\varepsilon = \ln\frac{p}{1-p}`.

        p is above 1/2 and below 1.

        >>> round(RandomisedResponse.for_probability(0.75).epsilon, 4)
        1.0986
        """
        p = check_number(probability, "probability", "(0.5, 1)", "more than a blind guess")
        return cls(math.log(p) - math.log1p(-p))

    @property
    def probability(self) -> float:
        """Probability p of the truth; smaller is safer."""
        return float(expit(self.epsilon))

    @property
    def lie(self) -> float:
        """Probability 1 - p of a lie, computed without cancellation."""
        return float(expit(-self.epsilon))

    def pmf(self) -> pd.DataFrame:
        """Probability of each report, given each truth: a row per truth, a column per report.

        Within a column, no two entries differ by more than a factor of e**ε.
        """
        table = [[self.probability, self.lie], [self.lie, self.probability]]
        return pd.DataFrame(table).rename_axis(index="truth", columns="report")

    def cdf(self, lies: Any, n: int) -> Any:
        """Probability that at most this many of n people lie, by the binomial distribution.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).cdf(1, n=2), 4)
        0.9375
        """
        k, people = np.floor(points(lies, "lies")), _people(n)
        return like(lies, np.where(k < 0, 0.0, bdtr(k.clip(0, people), people, self.lie)))

    def sf(self, lies: Any, n: int) -> Any:
        """Probability that *at least* this many of n people lie, by the binomial distribution.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).sf(2, n=2), 4)
        0.0625
        """
        k, people = np.ceil(points(lies, "lies")) - 1, _people(n)
        return like(lies, np.where(k < 0, 1.0, bdtrc(k.clip(0, people), people, self.lie)))

    def estimate(self, reported: Any) -> Any:
        r"""Estimate the true share of an answer from the share of its reports.

        :math:`\hat{\pi} = (r - (1 - p)) / (2p - 1)` for a share r of reports. The estimate is
        unbiased, but may be below 0 or above 1. It only uses reports, so it costs no further
        privacy.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).estimate(0.4), 12)
        0.3
        """
        share = points(reported, "reported", "[-1e-9, 1.000000001]")  # sums are rounded
        return like(reported, (share - self.lie) / math.tanh(self.epsilon / 2))  # 2p - 1

    def accuracy(self, alpha: Any, n: int) -> Any:
        r"""Error of an estimated share that is reached with probability at most α.

        :math:`\sqrt{\ln(2/\alpha) / 2n} \, / (2p - 1)`, by Hoeffding's inequality for the lies
        of n people, whatever the truth is: half the width of a confidence interval around
        `estimate`, for the share among these people. Smaller is more accurate.

        >>> import math
        >>> round(RandomisedResponse(math.log(3)).accuracy(0.05, n=1000), 4)
        0.0859
        """
        error = np.sqrt(np.log(2 / points(alpha, "alpha", "(0, 1]")) / (2 * _people(n)))
        return like(alpha, error / math.tanh(self.epsilon / 2))


# The kernel of Gaussian noise


@np.errstate(all="ignore")  # far out, where a float δ is 0
def _log_delta(epsilon: Any, ratio: Any) -> Any:
    r"""Logarithm of δ(ε) for a σ of `ratio` sensitivities, accurate to ten digits.

    With :math:`a, b = \pm 1/2r - \varepsilon r` it is :math:`\Phi(a) - e^\varepsilon \Phi(b)`.
    """
    # Where a and b are far apart, logarithms keep the digits of small terms. Where they are
    # close, the terms agree in their leading digits. Both are then taken in units of the
    # density φ(a) = e^ε φ(b): with R(x) = Φ(x) / φ(x), δ = φ(a) (R(a) - R(b)), and the
    # difference is the integral of R'(x) = 1 + x R(x) from b to a, by Gauss-Legendre
    # quadrature with 20 nodes.
    ratio = np.minimum(ratio, 1e300)
    middle, half = np.maximum(-np.asarray(epsilon, float) * ratio, -1e300), 0.5 / ratio
    if half > 1.5:
        high, low = log_ndtr(middle + half), log_ndtr(middle - half)
        ratio_of_terms = epsilon + low - np.maximum(high, -1e300)
        return high + np.log(-np.expm1(np.minimum(ratio_of_terms, -1e-16)))
    x = middle[..., None] + half * NODES
    slope = 1 + x * math.sqrt(math.pi / 2) * erfcx(-x / math.sqrt(2))
    integral = np.log(half * (np.maximum(slope, 0) * WEIGHTS).sum(axis=-1))
    return integral - np.square(middle + half) / 2 - math.log(2 * math.pi) / 2


def _least(log_delta: Callable[[float], Any], target: float) -> float:
    """Point at which a falling function meets the target, rounded up to keep the promise."""
    target -= 1e-12  # more than the error of `_log_delta`
    high = 1.0
    while log_delta(high) > target:
        high *= 2
    low = high / 2
    while log_delta(low) <= target:
        high, low = low, low / 2
    root = float(brentq(lambda x: log_delta(x) - target, low, high, xtol=1e-300, rtol=1e-15))
    while log_delta(root) > target:
        root *= 1 + 4e-16
    return root


# What arguments must be, for all modules of differential privacy


def positive(given: Any, argument: str) -> float:
    """Return a positive, finite float; an integer that is not a float is rounded up."""
    near: float = check_number(given, argument, "(0, inf)")
    return math.nextafter(near, math.inf) if near < given else near


def check_loss(epsilon: Any, argument: str = "epsilon") -> float:
    """Return the ε of a mechanism: natural logarithm, positive and finite."""
    return float(check_number(epsilon, argument, "(0, inf)", "a natural logarithm"))


def check_delta(delta: Any, argument: str = "delta", within: str = "[0, 1)") -> float:
    """Return a δ: the probability with which ε may fail."""
    return float(check_number(delta, argument, within, "a probability such as 1e-6"))


def check_whole_scale(scale: float) -> float:
    """Return a scale whose noise fits 64-bit integers."""
    # Up to this scale, noise exceeds 2**62 with probability e**-512.
    return float(check_number(scale, "scale", "(0, 9007199254740992]", "to fit 64 bits"))


def check_orders(orders: Any) -> FloatArray:
    """Return orders of Rényi divergence."""
    return np.atleast_1d(points(orders, "orders", "(1, inf)"))


def points(given: Any, argument: str = "noise", within: str = "[-inf, inf]") -> FloatArray:
    """Return numbers of any shape, each in an interval, as floats; errors never show them."""
    cells = np.asarray(given)
    if cells.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got {cells.dtype}.")
    numbers = cells.astype(float)
    low, high = (float(end) for end in within[1:-1].split(","))
    above = numbers > low if within[0] == "(" else numbers >= low
    below = numbers < high if within[-1] == ")" else numbers <= high
    if outside := numbers.size - np.count_nonzero(above & below):
        raise ValueError(
            f"{argument} must hold numbers in {within}; {outside} of {numbers.size} are"
            f" missing or outside."
        )
    return numbers


def lost_utility(utilities: Any) -> FloatArray:
    """Return utilities minus the best; at most 0."""
    if isinstance(utilities, Mapping):
        utilities = list(utilities.values())
    # Beyond 2**53 floats are farther apart than neighbours.
    known = points(utilities, "utilities", "(-9007199254740992, 9007199254740992)")
    if known.ndim != 1 or not len(known):
        raise ValueError(
            f"utilities must hold a number for each candidate; got shape {known.shape}."
        )
    return np.asarray(known - known.max())


def _people(n: Any) -> int:
    return int(check_number(n, "n", "[1, 1e15]", "people who are asked", whole=True))


def like(value: Any, numbers: AnyArray) -> Any:
    """Return numbers in the form of the value: a number, an array, a Series or a DataFrame."""
    if isinstance(value, pd.Series):
        return pd.Series(numbers, index=value.index, name=value.name)
    if isinstance(value, pd.DataFrame):
        return pd.DataFrame(numbers, index=value.index, columns=value.columns)
    if np.ndim(value) == 0 and not isinstance(value, np.ndarray):
        return np.asarray(numbers).item()
    return np.asarray(numbers)
