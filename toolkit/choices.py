r"""How likely is each answer, where the answer is no number? Choices and randomised response.

The exponential mechanism picks a candidate, the more likely the more useful it is. Randomised
response lets each person lie now and then. Neither adds noise to a number, but both have what
corresponds to it: how much utility is lost, how many people lie, and how surely. The
mechanisms themselves are in `toolkit.mechanisms`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr, bdtrc, expit, softmax  # type: ignore[import-untyped]

from ._validate import check_whole
from ._validate_noise import (
    check_finite_scale,
    check_flag,
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
    "randomised_response_cdf",
    "randomised_response_epsilon",
    "randomised_response_estimate",
    "randomised_response_pmf",
    "randomised_response_probability",
    "randomised_response_tail",
    "randomised_response_width",
]

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
