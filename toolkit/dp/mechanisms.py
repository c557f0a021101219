r"""Mechanisms of differential privacy: answers with noise, choices, and randomised response.

A mechanism is ε-differentially private if the probability of every answer changes by a factor
of at most :math:`e^\varepsilon` when one individual is added, removed or replaced. Laplace
noise achieves this for numbers, discrete Laplace noise for integers, the exponential mechanism
for a choice, and randomised response for each person's own answer. Gaussian noise achieves it
up to a probability δ. Every ε is a natural logarithm.

Every mechanism checks its arguments, charges the budget, and only then reads the value. An
error that depends on the data discloses something about them, so the answer must be paid for
before such an error can occur.

This is for teaching, not for production: floating-point noise leaks (its low bits tell true
answers apart), and anyone who knows the seed of a generator can subtract its noise. For a
release that leaves the machine, use OpenDP: `discrete_laplace` with ``backend="opendp"`` for
integers, that library itself for everything else.

`toolkit.dp.noise` has the distribution of each mechanism's noise, its accuracy, and the
privacy that its scale keeps.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_choice, check_generator
from .._typing import AnyArray, FloatArray, IntArray, check_extra
from . import noise
from .accounting import PrivacyBudget
from .noise import like, points

LARGEST_INTEGER = 2**62  # beyond it, noise could leave the 64 bits


def laplace(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    budget: PrivacyBudget | None = None,
    label: str = "laplace",
) -> Any:
    r"""Answer with Laplace noise of scale :math:`b = \Delta / \varepsilon`.

    This is for teaching, not for production: floating-point noise leaks. For a release, use
    OpenDP: `discrete_laplace` for integers, its own ``make_laplace`` for floats.

    Parameters
    ----------
    value : number, array-like, Series, DataFrame, or function of no arguments
        The true answer, or several that are released together. A function is called only after
        the budget has paid. Whole numbers may lie up to 2**53 from 0, and any number up to
        2**53 sensitivities: farther out, floats are farther apart than neighbours.
    sensitivity : float
        Largest change Δ of the value between neighbours; of several numbers, the largest sum
        of absolute changes (L1).
    epsilon : float
        Privacy loss (natural logarithm) of the whole value.
    rng : numpy.random.Generator
        Source of the noise. Anyone who knows its seed can subtract the noise, and two answers
        with the same seed differ exactly as the true answers do. Use a seed only in lessons
        and tests, and none for a release (``numpy.random.default_rng()``).
    budget : PrivacyBudget, optional
        Pays ε before the value is read, even if reading the value fails.
    label : str
        Purpose of the answer, shown in the budget's ledger.

    Returns
    -------
    float, or array or pandas object like `value`
        Noisy answer in the unit of the value, with its shape, index and names. Labels are
        released as they are, without noise: they and their order must come from a public list,
        never from the data as in ``value_counts()``.

    Warns
    -----
    UserWarning
        If the index is not sorted or, for a CategoricalIndex, does not hold all categories in
        order.

    References
    ----------
    .. [1] C. Dwork, F. McSherry, K. Nissim and A. Smith, *Calibrating noise to sensitivity in
       private data analysis*, TCC 2006.
    .. [2] I. Mironov, *On significance of the least significant bits for differential
       privacy*, CCS 2012.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(laplace(38, sensitivity=1, epsilon=0.5, rng=rng), 2)
    38.05
    >>> counts = pd.Series({"cold": 30, "flu": 12})
    >>> laplace(counts, sensitivity=1, epsilon=0.5, rng=rng).round(1)
    cold    34.6
    flu      9.5
    dtype: float64
    """
    scale = noise.laplace_scale(sensitivity, epsilon)
    check_generator(rng, "for the noise")
    truth = paid(value, budget, label, epsilon)
    numbers = _real_values(truth, sensitivity)
    return like(truth, numbers + rng.laplace(0.0, scale, numbers.shape))


def discrete_laplace(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator | None = None,
    backend: str = "numpy",
    budget: PrivacyBudget | None = None,
    label: str = "discrete Laplace",
) -> Any:
    r"""Answer with discrete Laplace noise, for integers; `geometric` is an alias.

    Noise k has probability :math:`\frac{1-a}{1+a} a^{|k|}` with
    :math:`a = e^{-\varepsilon/\Delta}`; it is the difference of two geometric variables,
    and therefore also called two-sided geometric noise.

    This is for teaching, not for production: floating-point noise leaks. For a release,
    ``backend="opendp"`` draws noise of the same distribution with OpenDP, which needs no
    floats for it.

    Parameters
    ----------
    value : integer, array-like, Series, DataFrame, or function of no arguments
        The true answer, or several that are released together; counts, for example. Floats are
        refused, even whole numbers: a rounded answer may change by more than the answer
        itself, so round each record before adding up. A function is called only after the
        budget has paid.
    sensitivity : int
        As for `laplace`, but a whole number, as integers change by whole numbers.
    epsilon, budget, label
        As for `laplace`.
    rng : numpy.random.Generator, optional
        As for `laplace`: anyone who knows its seed can subtract the noise, and two answers
        with the same seed differ exactly as the true answers do. OpenDP needs none: it
        draws from the operating system.
    backend : {"numpy", "opendp"}
        "numpy" is not for releases. "opendp" draws from OpenDP's discrete Laplace mechanism,
        about 6 µs per integer.

    Returns
    -------
    int, or array or pandas object like `value`
        Noisy integers, with the shape, index and names of the value. Labels are released as
        they are, without noise: they and their order must come from a public list, never from
        the data as in ``value_counts()``.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009, definition 2.1.

    Examples
    --------
    >>> discrete_laplace(38, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    33
    """
    check_choice(backend, "backend", ("numpy", "opendp"))
    source = check_generator(rng, "for the noise") if backend == "numpy" else None
    draw = whole_noise(sensitivity, epsilon, source)
    truth = paid(value, budget, label, epsilon)
    numbers = _whole_values(truth)
    return like(truth, numbers + draw(numbers.shape))


geometric = discrete_laplace


def gaussian(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    budget: PrivacyBudget | None = None,
    label: str = "gaussian",
) -> Any:
    r"""Answer with Gaussian noise that keeps ε up to a probability δ.

    This is for teaching, not for production: floating-point noise leaks. For a release, use
    ``make_gaussian`` of OpenDP.

    Parameters
    ----------
    value : number, array-like, Series, DataFrame, or function of no arguments
        As for `laplace`.
    sensitivity : float
        Largest change Δ of the value between neighbours; of several numbers, the largest
        Euclidean distance (L2).
    epsilon, delta : float
        Privacy loss (natural logarithm) of the whole value, and the probability with which it
        may fail, above 0.
    rng : numpy.random.Generator
        Source of the noise. Anyone who knows its seed can subtract the noise, and two answers
        with the same seed differ exactly as the true answers do. Use no seed for a release
        (``numpy.random.default_rng()``).
    budget, label
        As for `laplace`; the budget pays ε and δ.

    Returns
    -------
    float, or array or pandas object like `value`
        Noisy answer in the unit of the value, with its shape, index and names. Labels are
        released as they are, without noise: they and their order must come from a public list,
        never from the data as in ``value_counts()``.

    References
    ----------
    .. [1] B. Balle and Y.-X. Wang, *Improving the Gaussian mechanism for differential
       privacy*, ICML 2018, algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(gaussian(38, sensitivity=1, epsilon=0.5, delta=1e-6, rng=rng), 2)
    40.78
    """
    scale = noise.gaussian_scale(sensitivity, epsilon, delta)
    check_generator(rng, "for the noise")
    truth = paid(value, budget, label, epsilon, delta)
    numbers = _real_values(truth, sensitivity)
    return like(truth, numbers + rng.normal(0.0, scale, numbers.shape))


def exponential(
    utilities: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    budget: PrivacyBudget | None = None,
    label: str = "exponential",
) -> Any:
    r"""Choose a candidate; a more useful candidate is more likely.

    Candidate i is chosen with probability proportional to :math:`e^{\varepsilon u_i /
    2\Delta}`: the candidate with the largest sum of scaled utility and Gumbel noise has
    exactly this distribution.

    This is for teaching, not for production: floating-point noise leaks. For a release, use
    ``make_noisy_max`` of OpenDP.

    Parameters
    ----------
    utilities : Series, mapping or array-like of shape (candidates,)
        Utility of each candidate for these data; larger is better. Or a function of no
        arguments that returns the utilities, called only after the budget has paid. The list
        of candidates must not depend on the data.
    sensitivity : float
        Largest change Δ of the utility of any one candidate between neighbours.
    epsilon : float
        Privacy loss (natural logarithm) of the choice. Losses of choices about the same
        records add up.
    rng : numpy.random.Generator
        Source of the noise. Anyone who knows its seed knows the noise on every utility, and
        two choices with the same seed differ only if the utilities do. Use no seed for a
        release (``numpy.random.default_rng()``).
    budget, label
        As for `laplace`.

    Returns
    -------
    label of the candidate, or int
        The key of a mapping or Series, or the position in an array.

    References
    ----------
    .. [1] F. McSherry and K. Talwar, *Mechanism design via differential privacy*, FOCS 2007,
       definition 2.

    Examples
    --------
    >>> votes = pd.Series({"tea": 12, "coffee": 30, "water": 7})
    >>> exponential(votes, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    'coffee'
    """
    scale = noise.ExponentialChoice.for_epsilon(sensitivity, epsilon).scale
    check_generator(rng, "for the noise")
    truth = paid(utilities, budget, label, epsilon)
    steps = noise.lost_utility(truth) / scale
    chosen = int((steps + rng.gumbel(0.0, 1.0, steps.shape)).argmax())
    if isinstance(truth, (Mapping, pd.Series)):
        return [*truth.keys()][chosen]
    return chosen


def randomised_response(
    value: Any,
    *,
    epsilon: float,
    rng: np.random.Generator,
    budget: PrivacyBudget | None = None,
    label: str = "randomised response",
) -> Any:
    r"""Answer yes or no for each person alone: the truth, or sometimes the opposite.

    The truth has probability :math:`e^\varepsilon / (e^\varepsilon + 1)`. Nobody needs to be
    trusted with the truth.

    This is for teaching, not for production: floating-point noise leaks. For a release, use
    ``make_randomized_response`` of OpenDP.

    Parameters
    ----------
    value : truth value or 0 or 1, array-like, Series, or function of no arguments
        The true answer, or the answers of several people. A function is called only after the
        budget has paid.
    epsilon : float
        Privacy loss (natural logarithm) of each person.
    rng : numpy.random.Generator
        Source of the lies. Anyone who knows its seed knows who lied, and two reports with the
        same seed differ only if the truth does. Use no seed for a release
        (``numpy.random.default_rng()``).
    budget, label
        As for `laplace`; the budget pays ε once per call, as each answer is about another
        person.

    Returns
    -------
    truth value or int, or array or pandas object like `value`
        Reports, with the shape, index and names of the value. The method ``estimate`` of
        `RandomisedResponse` estimates the true share.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = np.array([True, True, False, False])
    >>> randomised_response(truth, epsilon=1.0, rng=rng)
    array([ True,  True,  True, False])
    """
    law = noise.RandomisedResponse(epsilon)
    check_generator(rng, "for the lies")
    truth = paid(value, budget, label, epsilon)
    answers = np.asarray(truth)
    if answers.dtype.kind not in "biu" or not np.isin(answers, (0, 1)).all():
        raise ValueError("value must hold truth values, or 0 and 1; code other answers so.")
    return like(truth, answers ^ (rng.random(answers.shape) < law.lie))


# Steps that all mechanisms share


def paid(
    value: Any, budget: PrivacyBudget | None, label: str, epsilon: float, delta: float = 0.0
) -> Any:
    """Charge the budget, then read the value."""
    if budget is not None:
        budget.charge(epsilon, delta, label=label)
    return value() if callable(value) else value


def whole_noise(sensitivity: float, epsilon: float, source: Any) -> Callable[..., IntArray]:
    """Return a sampler of discrete Laplace noise, by a generator or, for None, by OpenDP."""
    change = noise.positive(sensitivity, "sensitivity")
    if change % 1:
        raise ValueError(
            f"sensitivity of whole numbers must be whole; got {sensitivity!r}. Round each"
            f" record before adding up, and give the sensitivity of the rounded answer."
        )
    scale = noise.check_whole_scale(noise.laplace_scale(change, epsilon))
    if source is None:
        return _vetted(change, noise.check_loss(epsilon), scale)
    share = -math.expm1(-1 / scale)
    return lambda shape: source.geometric(share, shape) - source.geometric(share, shape)


@lru_cache(maxsize=64)
def _vetted(sensitivity: float, epsilon: float, scale: float) -> Callable[..., IntArray]:
    """OpenDP's discrete Laplace noise, with a scale that keeps ε by OpenDP's own account."""
    dp = check_extra("opendp.prelude", "opendp", "a release")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    # OpenDP rounds the privacy loss up.
    while (mechanism := dp.m.make_laplace(*space, scale)).map(int(sensitivity)) > epsilon:
        scale = math.nextafter(scale, math.inf)

    def draw(shape: Any) -> IntArray:
        drawn = mechanism([0] * math.prod(np.atleast_1d(shape).tolist()))
        return np.array(drawn, dtype=np.int64).reshape(shape)

    return draw


def _real_values(value: Any, sensitivity: float) -> FloatArray:
    """Return the numbers to be released, as floats that resolve steps of one sensitivity."""
    _warn_of_labels(value)
    numbers, farthest = points(value, "value"), sensitivity * 2.0**53
    if np.asarray(value).dtype.kind != "f":
        farthest = min(farthest, 2.0**53)
    if not (np.abs(numbers) < farthest).all():
        raise ValueError(
            "value must be finite, whole numbers within 2**53 of 0 and any number within 2**53"
            " sensitivities, as floats are sparse farther out; use discrete_laplace, which is"
            " for whole numbers, or a coarser unit (thousands)."
        )
    return numbers


def _whole_values(value: Any) -> IntArray:
    """Return the integers to be released, in 64 bits."""
    _warn_of_labels(value)
    cells: AnyArray = np.asarray(value)
    if cells.dtype.kind not in "iu":
        raise TypeError(
            f"value must hold integers; got {cells.dtype}. Round each record before adding up,"
            f" and give the sensitivity of the rounded answer; or use laplace, for floats."
        )
    if cells.size and max(-int(cells.min()), int(cells.max())) > LARGEST_INTEGER:
        raise ValueError(
            "value must lie within 2**62 of 0, so that noise fits 64 bits; round each record"
            " to a coarser unit before adding up."
        )
    return cells.astype(np.int64)


def _warn_of_labels(value: Any) -> None:
    """Warn of labels whose order may come from the data, such as those of value_counts."""
    if not isinstance(value, (pd.Series, pd.DataFrame)):
        return
    index, public = value.index, value.index.is_monotonic_increasing
    if isinstance(index, pd.CategoricalIndex):
        public = np.array_equal(index.codes, np.arange(len(index.categories)))
    if not public:
        warnings.warn(
            "the labels of value are released as they are, and their order may disclose the"
            " data; count over a public list, with value.reindex(sorted(labels), fill_value=0)"
            " or a CategoricalIndex that has all of its categories in order.",
            UserWarning,
            stacklevel=4,
        )
