"""Exact confidence bounds of a probability, and the power of an audit."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ..._typing import AnyArray
from ..._validation import check_whole
from .._validation import check_delta, check_loss, exact_number, numbers

__all__ = [
    "Interval",
    "audit_power",
    "bounds",
    "cautious_losses",
    "clopper_pearson",
    "rarest_event",
]


NEGLIGIBLE = 1e-13
"""Probability of the counts that the power leaves out, on either side."""


NEVER = 1e-30
"""Probabilities below it are taken for 0: no number of releases shows them."""


class Interval(NamedTuple):
    """Bounds of a probability."""

    lower: Any
    upper: Any


def clopper_pearson(successes: Any, trials: Any, *, confidence: float) -> Interval:
    r"""Exact bounds of a probability from a count.

    The lower bound is the p at which as many successes or more have probability
    :math:`(1 - confidence) / 2`, the upper one that at which as many or fewer have it.

    Parameters
    ----------
    successes, trials : int or array-like of int
        Counts, of shapes that fit together.
    confidence : float
        Of the interval; each bound alone is wrong with at most half of the rest.

    Returns
    -------
    Interval
        `lower` and `upper`, probabilities; numbers, or arrays where arrays came.

    Raises
    ------
    TypeError, ValueError
        If a count is none, or exceeds its trials.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits
       illustrated in the case of the binomial*, Biometrika 26, 1934.

    Examples
    --------
    None of 10: the upper bound solves (1 - p)**10 = 0.025.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4), round(1 - 0.025 ** (1 / 10), 4)
    (0.0, 0.3085, 0.3085)
    """
    rule = "whole numbers of at least 0"
    pair = {"successes": successes, "trials": trials}
    counts = {name: numbers(x, name, "[0, inf)", rule, whole=True) for name, x in pair.items()}
    first, second = _together(**counts)
    if not ((second >= 1) & (first <= second)).all():
        raise ValueError(
            f"successes must be at most trials, and trials at least 1; got {successes!r:.80}"
            f" of {trials!r:.80}."
        )
    lower, upper = bounds(first, second, 1 - checked_confidence(confidence))
    return Interval(lower, upper) if lower.ndim else Interval(float(lower), float(upper))


def checked_confidence(confidence: Any) -> float:
    """Return a confidence: a probability below 1."""
    kind, rule = "a number such as 0.999", "above 0 and below 1, such as 0.999"
    return exact_number(confidence, "confidence", "(0, 1)", kind, rule, percent_hint=True)


def _together(**arguments: AnyArray) -> list[AnyArray]:
    """Return arguments in one shape, repeated where they are single."""
    try:
        return list(np.broadcast_arrays(*arguments.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {given.shape}" for name, given in arguments.items())
        raise ValueError(
            f"{' and '.join(arguments)} must fit together; got shapes {shapes}. Pass single"
            f" numbers, or arrays of one shape."
        ) from None


def bounds(successes: Any, trials: Any, alpha: float) -> Interval:
    """Clopper-Pearson bounds, each wrong with probability of at most alpha / 2."""
    failures = trials - successes
    with np.errstate(invalid="ignore"):
        lower = special.betaincinv(successes, failures + 1.0, alpha / 2)
        upper = special.betainccinv(successes + 1.0, failures, alpha / 2)
    return Interval(np.where(successes == 0, 0.0, lower), np.where(failures == 0, 1.0, upper))


def cautious_losses(counts: Any, trials: Any, delta: float, caution: Any) -> Any:
    """ε that events show, less `caution` standard errors of each probability (Wilson).

    `counts` has a row for the data and one for the neighbour; so has the result, in the order
    of the likelier input.
    """
    squared = np.square(caution)
    centre = counts + squared / 2
    spread = caution * np.sqrt(counts * (trials - counts) / trials + squared / 4)
    total = trials + squared
    with np.errstate(divide="ignore"):
        above = np.log(np.maximum((centre - spread) / total - delta, 0))
    return above - np.log((centre + spread) / total)[::-1]


def rarest_event(samples: int, epsilon: float, delta: float, alpha: float) -> float:
    """Least share of an event at which the claim is broken, if the other input never shows it.

    Infinite if no share is enough.
    """
    allowed = delta + math.exp(epsilon) * float(bounds(np.int64(0), samples, alpha).upper)
    least = bisect_right(
        range(samples + 1),
        allowed,
        key=lambda count: float(bounds(np.int64(count), samples, alpha).lower),
    )
    return least / samples if least <= samples else math.inf


def audit_power(
    true_epsilon: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    samples: Any = 200_000,
    confidence: float = 0.999,
    probability: Any = 0.5,
    number_of_audits: int = 1,
) -> Any:
    r"""Chance that an audit flags a mechanism whose true ε is larger than claimed.

    It is exact for an event of probability :math:`P` on the likelier input and
    :math:`P' = (P - \delta) e^{-\epsilon'}` on the other: the counts of both are binomial, and
    the chance is the probability of all pairs of counts whose bounds break the claim.

    Parameters
    ----------
    true_epsilon : float or array-like
        The ε' that the event shows, at the claimed δ, natural logarithm.
    epsilon, delta : float
        The claim.
    samples : int or array-like of int
        Fresh releases of each input that test the event.
    confidence : float
        Of the audit.
    probability : float or array-like
        P, above δ. One half is that of Laplace noise beyond the farther of two centres.
    number_of_audits : int
        Audits for which the confidence is to hold jointly.

    Returns
    -------
    float or ndarray
        Probability, of the shape that `true_epsilon`, `samples` and `probability` make
        together; left out are counts of total probability 4e-13. The chance that selection
        misses the event is not in it.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    Noise that is 5 % too small, and one that is 2 % too small:

    >>> audit_power([1 / 0.95, 1 / 0.98], epsilon=1).round(2)
    array([1.  , 0.31])
    >>> round(audit_power(1 / 0.98, epsilon=1, samples=1_000_000), 2)
    1.0
    """
    delta, epsilon = check_delta(delta), check_loss(epsilon)
    audits = check_whole(number_of_audits, "number_of_audits", 1, 10**9, "held to jointly")
    alpha = (1 - checked_confidence(confidence)) / audits
    tested = "whole numbers from 1 to 10**9, the releases that test the event"
    likelier = f"above delta = {delta:g} and up to 1, that of the event on the likelier input"
    true, n, above = _together(
        true_epsilon=numbers(true_epsilon, "true_epsilon", "[0, inf]", "at least 0"),
        samples=numbers(samples, "samples", "[1, 1e9]", tested, whole=True).astype(np.int64),
        probability=numbers(probability, "probability", f"({delta}, 1]", likelier),
    )
    below = (above - delta) * np.exp(-true)
    below = np.where(below < NEVER, 0.0, below)
    low, high = (
        _binomial().ppf(share, n, below).ravel().astype(np.int64)
        for share in (NEGLIGIBLE, 1 - NEGLIGIBLE)
    )
    # One entry per setting and count of the less likely input, all settings in one row.
    size = np.maximum(high - low, 0) + 1
    setting = np.repeat(np.arange(size.size), size)
    first = np.cumsum(size) - size
    count = np.arange(size.sum()) - first[setting] + low[setting]
    trials, p, q = (x.ravel()[setting] for x in (n, above, below))
    enough = _enough(count, trials, epsilon, delta, alpha)
    chance = _binomial().pmf(count, trials, q) * _binomial().sf(enough, trials, p)
    power = np.bincount(setting, chance, size.size).reshape(n.shape)
    return power if n.ndim else float(power)


def _enough(count: Any, trials: Any, epsilon: float, delta: float, alpha: float) -> Any:
    """Count of the likelier input above which the claim is broken, given that of the other.

    The lower bound of k exceeds p exactly if k or more are rarer than alpha / 2 at p.
    """
    # Settings that lie close share most of their counts.
    pairs, place = np.unique(trials << 32 | count, return_inverse=True)
    n, k = pairs >> 32, pairs & (2**32 - 1)
    with np.errstate(over="ignore"):
        allowed = np.minimum(delta + np.exp(epsilon) * bounds(k, n, alpha).upper, 1.0)
    return _binomial().isf(alpha / 2, n, allowed)[place]


def _binomial() -> Any:
    """Return the binomial law; scipy.stats is slow to import, and only planning needs it."""
    from scipy import stats

    return stats.binom
