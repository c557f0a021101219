r"""Mechanisms of differential privacy: answers with noise, choices, and randomised response.

A mechanism is ε-differentially private if the probability of every answer changes by a factor
of at most :math:`e^\varepsilon` when one individual is added, removed or replaced. Laplace and
discrete Laplace noise keep that for numbers and integers, the exponential mechanism for a
choice, randomised response for each person's own answer; Gaussian noise keeps it up to a
probability δ. Every ε is a natural logarithm.

This is for teaching, not for production: floating-point noise leaks (its low bits tell true
answers apart), and whoever knows the seed of a generator can subtract its noise. A release
that leaves the machine takes OpenDP: for integers the same calls with ``backend="opendp"``,
for everything else that library itself.

The distribution of each mechanism's noise, the privacy that its scale keeps and its accuracy
are in `toolkit.dp.noise`.
"""

from __future__ import annotations

import importlib
import math
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, cast

import numpy as np
import pandas as pd

from .._typing import AnyArray, FloatArray, IntArray
from .._validation import check_choice, check_generator, listed, way_to_install
from . import noise
from .accounting import PrivacyBudget, check_label, checked_budget
from .noise import ROUND_FIRST, ROUNDED_FIRST, like, own_number

BACKENDS = ("numpy", "opendp")


LARGEST_INTEGER = 2**62
"""Integers to be released stay below it, so that noise cannot leave the 64 bits."""


BUILDING = threading.Lock()
"""OpenDP's features are switched on for all threads while one builds a mechanism."""


WHOLE_NOISE = "Use discrete_laplace, which adds whole numbers, or a coarser unit (thousands)."


FAR = 2.0**20
"""Scales up to which a utility leaves its noise more than 30 bits."""


def laplace(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator | None,
    backend: str = "numpy",
    budget: PrivacyBudget | None = None,
    label: str = "laplace",
) -> Any:
    r"""Answer with Laplace noise of scale :math:`b = \Delta / \varepsilon`.

    This is for teaching, not for production: floating-point noise leaks. For a release there
    is OpenDP: of integers by ``backend="opendp"``, of floats by its own ``make_laplace``.

    Parameters
    ----------
    value : number, array-like, Series, DataFrame, or function of no arguments
        The true answer, or several that are released together. A function is called for it
        only after the budget has paid. Whole numbers may lie up to 2**53 from 0, any number
        up to 2**53 sensitivities: beyond, floats are farther apart than neighbours.
    sensitivity : float
        Largest change Δ of the value between neighbours; of several numbers, the largest sum
        of absolute changes (L1). A whole number for OpenDP.
    epsilon : float
        Privacy loss (natural logarithm) of the whole value.
    rng : numpy.random.Generator
        Source of the noise of the numpy backend. Whoever knows its seed can subtract the
        noise, and two answers with one seed differ by exactly what the true answers differ
        by; a seed is for lessons and tests, and what is released takes none
        (``numpy.random.default_rng()``). OpenDP draws from the operating system: there pass
        None.
    backend : {"numpy", "opendp"}
        "numpy" is not for releases. "opendp" takes integers only, and answers with the noise
        of `discrete_laplace`.
    budget : PrivacyBudget, optional
        Pays ε before the value is read, even if that then fails.
    label : str
        What the answer is for, in the budget's ledger.

    Returns
    -------
    float, or array or pandas object like `value`
        Noisy answer in the unit of the value, with its shape, index and names. Labels are
        released as they are, without noise: they and their order come from a public list,
        never from the data as in ``value_counts()``.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, the budget cannot pay, or a number is missing or
        infinite.
    ImportError
        If OpenDP is asked for and not installed.

    Warns
    -----
    UserWarning
        If the index is not sorted, or is not all categories of a CategoricalIndex in order.

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
    sensitivity, epsilon = own_number(sensitivity), own_number(epsilon)
    scale = noise.laplace_scale(sensitivity, epsilon)
    source = check_source(backend, rng)
    if source is None:
        return _vetted_answer(value, sensitivity, epsilon, budget, label)
    truth = _pay_and_read(value, budget, label, epsilon)
    numbers = _real_values(truth, noise.check_sensitivity(sensitivity))
    return like(truth, numbers + source.laplace(0.0, scale, numbers.shape))


def discrete_laplace(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator | None,
    backend: str = "numpy",
    budget: PrivacyBudget | None = None,
    label: str = "discrete Laplace",
) -> Any:
    r"""Answer with discrete Laplace noise, for integers; `geometric` is another name of it.

    Noise k has probability :math:`\frac{1-a}{1+a} a^{|k|}` with
    :math:`a = e^{-\varepsilon/\Delta}`; it is the difference of two geometric variables,
    and therefore also called two-sided geometric noise.

    This is for teaching, not for production: floating-point noise leaks. For a release
    ``backend="opendp"`` draws the same noise by OpenDP, which needs no floats for it.

    Parameters
    ----------
    value : integer, array-like, Series, DataFrame, or function of no arguments
        The true answer, or several that are released together; counts, for example. Floats
        are refused, even whole ones: a rounded answer may change by more than the answer
        does, so round each record before adding up. A function is called only after the
        budget has paid.
    sensitivity : int
        As for `laplace`, and a whole number: integers change by nothing else.
    epsilon, budget, label
        As for `laplace`.
    rng : numpy.random.Generator
        As for `laplace`: whoever knows its seed can subtract the noise, and two answers with
        one seed differ by exactly what the true answers differ by. With OpenDP pass None.
    backend : {"numpy", "opendp"}
        "numpy" is not for releases. "opendp" draws from OpenDP's discrete Laplace mechanism,
        about 6 µs per integer.

    Returns
    -------
    int, or array or pandas object like `value`
        Noisy integers, with the shape, index and names of the value. Labels are released as
        they are, without noise: they and their order come from a public list, never from the
        data as in ``value_counts()``.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, the budget cannot pay, or the value holds
        anything but integers within 2**62 of 0.
    ImportError
        If OpenDP is asked for and not installed.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009, definition 2.1.

    Examples
    --------
    >>> discrete_laplace(38, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    33
    """
    sensitivity, epsilon = own_number(sensitivity), own_number(epsilon)
    noise.check_whole_sensitivity(sensitivity)
    scale = noise.check_integer_scale(noise.laplace_scale(sensitivity, epsilon))
    source = check_source(backend, rng)
    if source is None:
        return _vetted_answer(value, sensitivity, epsilon, budget, label)
    truth = _pay_and_read(value, budget, label, epsilon, check=_whole_kind)
    numbers = _integer_values(truth)
    one_minus_a = -math.expm1(-1 / scale)
    noisy = source.geometric(one_minus_a, numbers.shape)
    noisy -= source.geometric(one_minus_a, numbers.shape)
    noisy += numbers
    return like(truth, noisy)


geometric = discrete_laplace


def gaussian(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    method: str = "analytic",
    budget: PrivacyBudget | None = None,
    label: str = "gaussian",
) -> Any:
    r"""Answer with Gaussian noise that keeps ε up to a probability δ.

    This is for teaching, not for production: floating-point noise leaks. For a release see
    ``make_gaussian`` of OpenDP.

    Parameters
    ----------
    value : number, array-like, Series, DataFrame, or function of no arguments
        The true answer, or several that are released together. A function is called for it
        only after the budget has paid. Whole numbers may lie up to 2**53 from 0, any number
        up to 2**53 sensitivities: beyond, floats are farther apart than neighbours.
    sensitivity : float
        Largest change Δ of the value between neighbours; of several numbers, the largest
        Euclidean distance (L2).
    epsilon, delta : float
        Privacy loss (natural logarithm) of the whole value, and the probability with which it
        may fail, above 0.
    rng : numpy.random.Generator
        Source of the noise. Whoever knows its seed can subtract the noise, and two answers
        with one seed differ by exactly what the true answers differ by; what is released
        takes no seed (``numpy.random.default_rng()``).
    method : {"analytic", "classic"}
        Standard deviation: the smallest, or that of the classic theorem, for ε below 1; see
        `gaussian_scale`.
    budget, label
        As for `laplace`; the budget pays ε and δ.

    Returns
    -------
    float, or array or pandas object like `value`
        Noisy answer in the unit of the value, with its shape, index and names. Labels are
        released as they are, without noise: they and their order come from a public list,
        never from the data as in ``value_counts()``.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, the budget cannot pay, or a number is missing or
        infinite.

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
    sensitivity = own_number(sensitivity)
    epsilon, delta = own_number(epsilon), own_number(delta)
    scale = noise.gaussian_scale(sensitivity, epsilon, delta, method=method)
    check_generator(rng, "for the noise")
    truth = _pay_and_read(value, budget, label, epsilon, delta)
    numbers = _real_values(truth, noise.check_sensitivity(sensitivity))
    return like(truth, numbers + rng.normal(0.0, scale, numbers.shape))


def exponential(
    utilities: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    monotone: bool = False,
    budget: PrivacyBudget | None = None,
    label: str = "exponential",
) -> Any:
    r"""Choose a candidate, the more likely the more useful it is.

    Candidate i is chosen with probability proportional to
    :math:`e^{\varepsilon u_i / 2\Delta}`: the largest sum of a utility and Gumbel noise has
    exactly that law.

    This is for teaching, not for production: floating-point noise leaks. For a release see
    ``make_noisy_max`` of OpenDP.

    Parameters
    ----------
    utilities : Series, mapping or array-like of shape (candidates,), or (choices, candidates)
        Utility of each candidate for these data, the more the better; a row per choice if
        there are several, a DataFrame for example. Or a function of no arguments that gives
        them, called only after the budget has paid. Which candidates there are must not
        depend on the data.
    sensitivity : float
        Largest change Δ of the utility of any one candidate between neighbours.
    epsilon : float
        Privacy loss (natural logarithm) of each choice. Losses of choices about the same
        records add up.
    rng : numpy.random.Generator
        Source of the noise. Whoever knows its seed knows the noise on every utility, and two
        choices with one seed differ only where the utilities do; what is released takes no
        seed (``numpy.random.default_rng()``).
    monotone : bool, default False
        Whether the factor 2 can be spared; see `ExponentialChoice.for_epsilon`.
    budget, label
        As for `laplace`. With a budget there is one choice per call.

    Returns
    -------
    label of the candidate, or array of positions, or Series of labels
        The key of a mapping or Series, the position in an array; of a DataFrame, the column
        chosen in each row.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, the budget cannot pay, or a utility is missing or
        infinite.

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
    epsilon = own_number(epsilon)
    scale = noise.ExponentialChoice.for_epsilon(sensitivity, epsilon, monotone=monotone).scale
    check_generator(rng, "for the noise")
    kind = partial(_utilities_kind, one=budget is not None)
    truth = _pay_and_read(utilities, budget, label, epsilon, check=kind)
    numbers = noise.check_utilities(truth)
    kind(numbers)  # of lists the dimensions are known only now
    # Beside utilities farther out noise would vanish.
    if not noise.reach_of(numbers) <= FAR * scale < math.inf:
        numbers, scale = noise.lost_steps(numbers, scale), 1.0
    noisy = rng.gumbel(0.0, scale, numbers.shape)
    noisy += numbers
    return _candidate(truth, noisy.argmax(axis=-1))


def randomised_response(
    value: Any,
    *,
    epsilon: float,
    rng: np.random.Generator,
    options: Any = 2,
    budget: PrivacyBudget | None = None,
    label: str = "randomised response",
) -> Any:
    r"""Answer for each person alone: the truth, or sometimes another of the possible answers.

    Of k possible answers the truth has probability
    :math:`e^\varepsilon / (e^\varepsilon + k - 1)`, each other one the same share of the rest.
    Nobody needs to be trusted with the truth.

    This is for teaching, not for production: floating-point noise leaks. For a release see
    ``make_randomized_response`` of OpenDP.

    Parameters
    ----------
    value : truth value, number or text, array-like, Series, or function of no arguments
        The true answer, or that of several people. A function is called for it only after the
        budget has paid.
    epsilon : float
        Privacy loss (natural logarithm) of each person.
    rng : numpy.random.Generator
        Source of the lies. Whoever knows its seed knows who lied, and two reports with one
        seed differ only where the truth does; what is released takes no seed
        (``numpy.random.default_rng()``).
    options : int or sequence, default 2
        All possible answers, known without the data; a number k stands for 0, ..., k - 1, and
        2 also for truth values.
    budget, label
        As for `laplace`; the budget pays ε once per call, as people are disjoint.

    Returns
    -------
    one of the options, or array or pandas object like `value`
        Reports, with the shape, index and names of the value. `RandomisedResponse`'s
        ``estimate`` finds the true shares.

    Raises
    ------
    TypeError, ValueError
        If an argument is outside its range, the budget cannot pay, or an answer is no option.

    References
    ----------
    .. [1] S. L. Warner, *Randomized response: a survey technique for eliminating evasive
       answer bias*, JASA 60, 1965.
    .. [2] P. Kairouz, K. Bonawitz and D. Ramage, *Discrete distribution estimation under local
       privacy*, ICML 2016, section 3.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = np.array([True, True, False, False])
    >>> randomised_response(truth, epsilon=1.0, rng=rng)
    array([ True,  True,  True, False])
    """
    epsilon = own_number(epsilon)
    law = noise.RandomisedResponse(epsilon, options)
    answers, lie, k = law.options, law.lie, len(law.options)
    check_generator(rng, "for the lies")
    truth = _pay_and_read(value, budget, label, epsilon, check=_option_kind)
    codes = _codes(truth, answers)
    reports: AnyArray
    if k == 2:  # the lie is the other answer
        reports = codes ^ (rng.random(codes.shape) < lie)
    else:  # a guess hits the truth once in k times, so there are more guesses than lies
        brief = np.uint8 if k <= 256 else np.int64  # modulo 256, differences return, too
        true = codes.astype(brief)
        reports = rng.integers(0, k, codes.shape).astype(brief)
        reports -= true
        reports *= rng.random(codes.shape) < lie * k / (k - 1)
        reports += true
        reports = reports.astype(np.int64)
    if not isinstance(answers, pd.RangeIndex):
        reports = np.asarray(answers.take(reports.ravel())).reshape(codes.shape)
    return like(truth, reports)


# What all of them do


def check_source(backend: Any, rng: Any) -> np.random.Generator | None:
    """Return the source of the numpy backend's noise; None stands for OpenDP's own."""
    check_choice(backend, "backend", BACKENDS)
    if backend == "opendp":
        if rng is not None:  # it would not be used, but a mistake is told all the same
            check_generator(rng, "or None")
        return None
    return check_generator(rng, "for the noise")


def check_opendp(asked: str = "backend='opendp'") -> ModuleType:
    """Return OpenDP, or say how to get it."""
    try:
        return importlib.import_module("opendp.prelude")
    except ImportError:
        raise ImportError(
            f"{asked} needs OpenDP, which is not installed; {way_to_install('opendp')}"
            f" With backend='numpy' and an rng the noise is numpy's,"
            f" which is not for releases."
        ) from None


def _pay_and_read(
    value: Any,
    budget: PrivacyBudget | None,
    label: str,
    epsilon: float,
    delta: float = 0.0,
    *,
    check: Callable[[Any], None] = noise.check_kind,
) -> Any:
    """Charge the budget, then look: whatever the data do, the answer has been paid for."""
    checked_budget(budget)
    check_label(label)
    if not callable(value):
        check(value)
    if budget is not None:
        budget.charge(epsilon, delta, label=label)
    if callable(value):
        value = value()
        check(value)
    return value


def _candidate(utilities: Any, positions: AnyArray) -> Any:
    """Name the chosen candidates as the utilities do."""
    if isinstance(utilities, Mapping):
        return list(utilities)[positions]
    if isinstance(utilities, pd.Series):
        return utilities.index[positions]
    if isinstance(utilities, pd.DataFrame):
        return pd.Series(utilities.columns[positions], index=utilities.index)
    return positions if positions.ndim else int(positions)


def _vetted_answer(
    value: Any, sensitivity: float, epsilon: float, budget: PrivacyBudget | None, label: str
) -> Any:
    """Integers with noise from OpenDP."""
    with BUILDING:
        mechanism = _vetted(noise.check_whole_sensitivity(sensitivity), float(epsilon))
    truth = _pay_and_read(value, budget, label, epsilon, check=_whole_kind)
    numbers = _integer_values(truth)
    answers = np.array(mechanism(numbers.ravel().tolist()), dtype=np.int64)
    return like(truth, answers.reshape(numbers.shape))


@lru_cache(maxsize=64)
def _vetted(sensitivity: float, epsilon: float) -> Callable[[list[int]], list[int]]:
    """OpenDP's discrete Laplace mechanism, of a scale that keeps ε by its own account."""
    dp = check_opendp()
    scale = noise.check_integer_scale(noise.laplace_scale(sensitivity, epsilon))
    if sensitivity > LARGEST_INTEGER:
        raise ValueError(f"sensitivity of integers may be up to 2**62; got {sensitivity!r}.")
    features = importlib.import_module("opendp.mod")
    known = "contrib" in features.GLOBAL_FEATURES
    dp.enable_features("contrib")
    try:
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        # OpenDP rounds up what a change costs.
        while (mechanism := dp.m.make_laplace(*space, scale)).map(int(sensitivity)) > epsilon:
            scale = math.nextafter(scale, math.inf)
    finally:
        if not known:
            dp.disable_features("contrib")
    return cast(Callable[[list[int]], list[int]], mechanism)


# What values must be: by their type before a budget is charged, by their cells after it


_whole_kind = partial(noise.check_kind, whole=True)
"""Refuses what cannot hold integers, by its type alone."""


def _utilities_kind(utilities: Any, one: bool) -> None:
    """Refuse what cannot hold utilities, by its type and dimensions alone.

    Of several choices a budget would have to know what they share, so that it pays for one.
    """
    if not isinstance(utilities, Mapping):
        noise.check_kind(utilities, "utilities")
    dimensions = getattr(utilities, "ndim", 1)
    if one and dimensions > 1:
        raise ValueError(
            f"with a budget, utilities must be those of one choice, a number for each"
            f" candidate; got {dimensions} dimensions. Choices about the same records add up:"
            f" pass them row by row, so that each is paid for."
        )


def _option_kind(value: Any) -> None:
    """Refuse what cannot hold one answer per person, by its type alone."""
    if value is None or isinstance(value, (Mapping, set, frozenset)):
        raise TypeError(
            f"value must be an answer, or a list, array or Series of them; got"
            f" {type(value).__name__}."
        )


def _warn_of_labels(value: Any) -> None:
    """Warn of labels that no public list has in this order, such as those of value_counts."""
    if not isinstance(value, (pd.Series, pd.DataFrame)):
        return
    index = value.index
    if isinstance(index, pd.CategoricalIndex):
        public = np.array_equal(index.codes, np.arange(len(index.categories)))
    else:
        public = index.is_monotonic_increasing
    if not public:
        warnings.warn(
            "the labels of value are released as they are, and their order may disclose the"
            " data; count over a public list, with value.reindex(sorted(labels), fill_value=0)"
            " or a CategoricalIndex that has all of its categories in order.",
            UserWarning,
            stacklevel=4,
        )


def _real_values(value: Any, sensitivity: float) -> FloatArray:
    """Return the numbers to be released, as floats that tell steps of a sensitivity apart."""
    _warn_of_labels(value)
    numbers = noise.floats_of(value, "value")
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"value must be finite; got {numbers[~np.isfinite(numbers)][0]} (missing or"
            f" infinite). Decide what a missing record counts as before the data are asked."
        )
    noise.check_whole_numbers(value, numbers, "value", WHOLE_NOISE)
    if noise.reach_of(numbers) > sensitivity * noise.LARGEST_FLOAT_INTEGER:
        raise ValueError(
            f"value must lie within 2**53 sensitivities ({sensitivity:g}) of 0: farther out,"
            f" floats are farther apart than neighbours. {ROUNDED_FIRST} {WHOLE_NOISE}"
        )
    return numbers


def _integer_values(value: Any) -> IntArray:
    """Return the integers to be released, in 64 bits."""
    _warn_of_labels(value)
    cells = noise.cells_of(value, "value")
    if cells.dtype.kind not in "iu":
        odd = [x for x in cells.ravel().tolist() if not noise.is_integer(x)]
        missing = [x for x in odd if noise.is_missing(x)]
        if missing:
            raise TypeError(
                f"value must hold integers; got {missing[0]} (missing). Decide what a missing"
                f" record counts as before the data are asked."
            )
        if odd:
            raise TypeError(f"value must hold integers; got {odd[0]!r:.80}. {ROUND_FIRST}")
    if cells.size and not (cells.min() >= -LARGEST_INTEGER and cells.max() <= LARGEST_INTEGER):
        raise ValueError(
            "value must lie within 2**62 of 0, so that noise fits 64 bits; round each record"
            " to a coarser unit before adding up."
        )
    return cells.astype(np.int64, copy=False)


def _codes(value: Any, options: pd.Index) -> AnyArray:
    """Positions of answers among the options; truth values stay as they are."""
    cells = np.asarray(value)
    numbered = isinstance(options, pd.RangeIndex)
    if numbered and cells.dtype == bool:
        codes, known = cells, len(options) == 2
    elif numbered and cells.dtype.kind in "iu":
        codes = cells.astype(np.int64, copy=False)
        # What is negative is large without its sign.
        known = bool(codes.view(np.uint64).max(initial=0) < len(options))
    else:
        codes = options.get_indexer(noise.answers_of(cells.ravel())).reshape(cells.shape)
        known = bool((codes >= 0).all())
    if not known:
        raise ValueError(
            f"value holds answers that are no option; the options are {listed(options)}. Name"
            f" all possible answers beforehand, not those that occur."
        )
    return codes


MOST = 3200  # answers drawn at once, so that the first do not change with their number


def running_means(
    truth: float, epsilon: float, k: int, seed: int, runs: int = 3
) -> pd.DataFrame:
    """Mean of the first 1, 2, ..., k noisy answers to one question, a column per run.

    Parameters
    ----------
    truth : float
        The true answer, of sensitivity 1.
    epsilon : float
        Privacy loss of each answer (natural logarithm).
    k : int
        How often the question is asked.
    seed : int
        Of the noise: the first answers do not change with k.
    runs : int
        How many attackers try.
    """
    rng = np.random.default_rng(seed)
    asked = np.full((MOST if k <= MOST else k, runs), float(truth))
    answers = laplace(asked, sensitivity=1, epsilon=epsilon, rng=rng)[:k]
    count = np.arange(1, k + 1)
    means = answers.cumsum(axis=0) / count[:, None]
    names = [f"attacker {i + 1}" for i in range(runs)]
    return pd.DataFrame(means, index=pd.Index(count, name="answers"), columns=names)
