"""Checks of mechanisms, budgets and audits, with their messages.

Mechanisms look at their arguments in two steps. What is public (ε, sensitivity, backend, the
*type* of a value) is checked before a budget is charged; what the data say, only afterwards,
because an error that depends on the data discloses something of them.
"""

from __future__ import annotations

import importlib
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Integral, Rational, Real
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from .._typing import AnyArray, FloatArray, IntArray
from .._validation import check_choice, check_generator, check_positive, check_whole, listed

BACKENDS = ("numpy", "opendp")


CONFIDENTIAL = ("value", "utilities")
"""Arguments that hold what the data say; no message shows them before they are paid for."""


LARGEST_FLOAT_INTEGER = 2**53
"""Whole numbers beyond it are not all floats: some become equal before noise is added."""


LARGEST_INTEGER = 2**62
"""Integers to be released stay below it, so that noise cannot leave the 64 bits."""


LARGEST_INTEGER_SCALE = 2.0**53
"""Noise of this scale passes `LARGEST_INTEGER` with probability e**-512."""


ROUND_FIRST = (
    "Round beforehand, in a unit small enough (cents, minutes) and with the sensitivity in"
    " that unit: np.rint(value).astype(int). laplace with the numpy backend takes floats."
)


ROUNDED_FIRST = (
    "Floating-point noise would round it first, so that neighbours become equal or drift"
    " apart."
)


VECTORS = (list, tuple, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
"""What counts as a vector of outputs; anything else is one output."""


LEAST_SELECTION = 100
"""Releases from which an auditor selects an event, at least."""


def is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def own_number(number: Any) -> Any:
    """Return a number as Python's own int, Fraction or float; anything else as it came.

    The number is read once, and what comes back is both used and charged: a class whose parts
    contradict each other has no way to be cheap and exact at the same time.
    """
    if type(number) in (float, int, bool, np.bool_, Fraction):
        return number
    try:
        if isinstance(number, Integral):
            return operator.index(number)
        if isinstance(number, Rational):
            parts = number.numerator, number.denominator
            return Fraction(*map(operator.index, parts))
        if isinstance(number, Decimal) and number.is_finite():
            return Fraction(number)
        return float(number) if isinstance(number, (Real, Decimal)) else number
    except (ArithmeticError, TypeError, ValueError):  # a denominator of 0, a signalling NaN
        return math.nan


def exact(number: float | Fraction) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth, not the nearest binary fraction."""
    number = own_number(number)
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def number_or_none(number: Any) -> float | None:
    """The float that is calculated with; infinite beyond its range, None for what is none."""
    number = own_number(number)
    if not is_number(number):
        return None
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def shown(number: Any) -> str:
    """A number in a message; whole numbers of thousands of digits cannot be written."""
    try:
        text = repr(number)
    except ValueError:
        text = f"{type(number).__name__} of thousands of digits"
    return text if len(text) <= 80 else f"{text[:60]}… (as a float {number_or_none(number)})"


def number(
    given: Any, argument: str, within: str, kind: str, rule: str = "", *, way: str = ""
) -> float:
    """Return a number that lies in an interval, such as "(0, 1]"; NaN lies in none.

    `kind` says what the argument must be, `rule` which of these numbers, if that is more;
    `way` shows the way out.
    """
    found, own = number_or_none(given), own_number(given)
    if found is None:
        raise TypeError(f"{argument} must be {kind}; got {shown(given):.80}.")
    low, high = map(float, within[1:-1].split(","))
    # As the number that came and as a float, which may be rounded to an end.
    for one in (own, found):
        above = one > low if within[0] == "(" else one >= low
        below = one < high if within[-1] == ")" else one <= high
        if not (above and below):
            raise ValueError(f"{argument} must be {rule or kind}; got {shown(given)}.{way}")
    return found


# Privacy losses, sensitivities, scales


def check_loss(epsilon: Any, argument: str = "epsilon") -> float:
    """Return the ε of a mechanism: natural logarithm, positive and finite."""
    loss = number_or_none(epsilon)
    if loss is None:
        raise TypeError(
            f"{argument} must be a positive number (natural logarithm); got"
            f" {shown(epsilon):.80}."
        )
    if not 0 < loss < math.inf:
        raise ValueError(
            f"{argument} must be positive and finite; got {shown(epsilon)}. Smaller is more"
            f" private: 0 would say nothing at all, and infinity hides nothing."
        )
    return loss


def check_delta(delta: Any, argument: str = "delta") -> float:
    """Return a δ: the probability with which ε may fail."""
    failing = number_or_none(delta)
    if failing is None:
        raise TypeError(f"{argument} must be a probability below 1; got {shown(delta):.80}.")
    if not (0 <= failing < 1 and own_number(delta) >= 0):
        raise ValueError(
            f"{argument} must be at least 0 and below 1; got {shown(delta)}. It should be far"
            f" below one in the number of records, such as 1e-6."
        )
    return failing


def check_delta_above_zero(delta: Any, argument: str = "delta", way: str = "") -> float:
    """Return a δ that is not 0, for what needs one."""
    failing = check_delta(delta, argument)
    if failing == 0:
        raise ValueError(f"{argument} must be above 0; got {shown(delta)}. {way}".rstrip())
    return failing


def check_sensitivity(sensitivity: Any) -> float:
    """Return how far one individual can move the answer."""
    change = number_or_none(sensitivity)
    if change is None:
        raise TypeError(
            f"sensitivity must be a positive number; got {shown(sensitivity):.80}."
        )
    if not 0 < change < math.inf:
        raise ValueError(
            f"sensitivity must be positive and finite; got {shown(sensitivity)}. Bound what"
            f" one individual can contribute (clip the values); an answer that nobody can"
            f" change needs no noise."
        )
    # Whole numbers beyond 2**53 may be rounded down, which would be too little noise.
    rounded_down = change >= LARGEST_FLOAT_INTEGER and change < own_number(sensitivity)
    return math.nextafter(change, math.inf) if rounded_down else change


def check_noise_scale(scale: Any) -> float:
    """Return a scale of noise: positive and finite."""
    return check_positive(scale, "scale")


def check_integer_scale(scale: float) -> float:
    """Return a scale whose noise fits 64-bit integers."""
    if scale > LARGEST_INTEGER_SCALE:
        raise ValueError(
            f"noise of scale {scale:g} does not fit 64-bit integers; the scale may be up to"
            f" 2**53. Use a larger epsilon, or Laplace noise."
        )
    return scale


def check_noise(noise: Any, argument: str = "noise") -> FloatArray:
    """Return points on the axis of the noise as floats; infinite ones are legal."""
    check_kind(noise, argument)
    numbers = floats_of(noise, argument)
    if np.isnan(numbers).any():
        raise ValueError(f"{argument} must not be missing (NaN); drop or fill it first.")
    return numbers


# Values to be released


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


def is_missing(cell: object) -> bool:
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or cell is pd.NA or cell is pd.NaT


def _float(cell: object, argument: str) -> float:
    if is_missing(cell):
        return math.nan
    if not is_number(cell):
        raise TypeError(f"{argument} must hold numbers; got {cell!r:.80}.")
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


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


def is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def like(value: Any, numbers: AnyArray) -> Any:
    """Return numbers as the value came: a plain number, an array, a Series or a DataFrame."""
    if isinstance(value, pd.Series):
        return pd.Series(numbers, index=value.index, name=value.name)
    if isinstance(value, pd.DataFrame):
        return pd.DataFrame(numbers, index=value.index, columns=value.columns)
    if np.ndim(value) == 0 and not isinstance(value, np.ndarray):
        return np.asarray(numbers).item()
    return np.asarray(numbers)


# Backends


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
            f"{asked} needs OpenDP, which is not installed: pip install"
            f" privacy-toolkit[opendp]. With backend='numpy' and an rng the noise is numpy's,"
            f" which is not for releases."
        ) from None


def warn_not_for_releases() -> None:
    """Say that a budget pays for an answer that should not leave the machine."""
    warnings.warn(
        "a budget pays for noise of numpy (rng was passed), which is not for releases: whoever"
        " knows the seed can subtract it. Leave out rng to draw from OpenDP and the operating"
        " system.",
        UserWarning,
        stacklevel=4,
    )


# Choices: the exponential mechanism and randomised response


def check_utilities(utilities: Any, *, most: int = 2) -> FloatArray:
    """Utilities of the candidates: one row of them, or a row per choice."""
    if isinstance(utilities, Mapping):
        utilities = list(utilities.values())
    check_kind(utilities, "utilities")
    numbers = floats_of(utilities, "utilities")
    if not 1 <= numbers.ndim <= most or numbers.shape[-1] == 0:
        raise ValueError(
            f"utilities must hold a number for each candidate, at least one"
            f"{', or a row of them per choice' * (most == 2)}; got shape {numbers.shape}."
        )
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"utilities must be finite; got {numbers[~np.isfinite(numbers)][0]}. Every"
            f" candidate must be possible whatever the data say."
        )
    way = "Take the largest off all of them first: only their differences count."
    check_whole_numbers(utilities, numbers, "utilities", way)
    return numbers


def check_flag(flag: Any, argument: str) -> bool:
    """Return a truth value."""
    if not isinstance(flag, (bool, np.bool_)):
        raise TypeError(f"{argument} must be True or False; got {flag!r:.80}.")
    return bool(flag)


def check_options(options: Any) -> pd.Index:
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


# Budgets


def check_label(label: Any) -> str:
    """Return the name of an entry in the ledger."""
    if not isinstance(label, str):
        raise TypeError(f"label must be a text for the ledger; got {label!r:.80}.")
    return label


def check_budget(budget: Any, kind: type) -> Any:
    """Return a budget, or None."""
    if budget is not None and not isinstance(budget, kind):
        raise TypeError(
            f"budget must be a PrivacyBudget, such as PrivacyBudget(epsilon=1.0); got"
            f" {type(budget).__name__}."
        )
    return budget


# Audits


def check_mechanism(mechanism: Any) -> Callable[..., Any]:
    """Return a mechanism that can be called."""
    if not callable(mechanism):
        raise TypeError(
            f"mechanism must be callable, as mechanism(data, rng) or, with batch=True, as"
            f" mechanism(data, n, rng); got {type(mechanism).__name__}. Pass the function, not"
            f" its result."
        )
    return mechanism  # type: ignore[no-any-return]


def check_different(different: bool) -> None:
    """Refuse to compare an input with itself."""
    if not different:
        raise ValueError(
            "data and neighbour must differ; got equal ones, which no event can tell apart."
            " Pass two inputs that differ in one individual."
        )


def check_samples(samples: Any) -> tuple[int, int]:
    """Return how many releases select the event, and how many test it.

    A single number tests; a quarter of it, but at least `LEAST_SELECTION`, selects.
    """
    pair = isinstance(samples, (tuple, list))
    if not (pair or is_integer(samples)) or pair and len(samples) != 2:
        raise TypeError(
            f"samples must be the number of releases to test with, such as 200_000, or a pair"
            f" (to select, to test); got {samples!r:.80}."
        )
    meaning = "releases of the mechanism"
    if pair:
        select = check_whole(samples[0], "samples[0]", LEAST_SELECTION, 10**9, meaning)
        return select, check_whole(samples[1], "samples[1]", 1, 10**9, meaning)
    test = check_whole(samples, "samples", 1, 10**9, meaning)
    return max(-(-test // 4), LEAST_SELECTION), test


def check_confidence(confidence: Any) -> float:
    """Return a confidence: a probability below 1."""
    level = number_or_none(confidence)
    if level is None:
        raise TypeError(f"confidence must be a number such as 0.999; got {confidence!r:.80}.")
    if not 0 < level < 1:
        hint = f" Did you mean {level / 100:g}?" if 1 < level < 100 else ""
        raise ValueError(
            f"confidence must be above 0 and below 1, such as 0.999; got"
            f" {shown(confidence)}.{hint}"
        )
    return level


def check_enough(samples: int, needed: float, epsilon: float) -> None:
    """Refuse an audit that could not find the clearest violation."""
    if not samples > needed:
        way = f"Take more than {needed:,.0f}." if needed < 1e9 else "No audit can test it."
        raise ValueError(
            f"samples = {samples:,} are too few to test epsilon = {epsilon:g}: even an event"
            f" that always happens on one input and never on the other would not exceed it"
            f" with this confidence. {way}"
        )


def check_catchable(batch: bool, exceptions: Any) -> bool:
    """Return whether exceptions are outcomes."""
    check_choice(exceptions, "exceptions", ["raise", "outcome"])
    if batch and exceptions == "outcome":
        raise ValueError(
            "exceptions='outcome' needs batch=False: a batch that fails tells nothing of its"
            " single releases. Pass a mechanism(data, rng) that makes one release."
        )
    return bool(exceptions == "outcome")


def check_batch_shape(given: Any, n: int, role: str) -> AnyArray:
    """Return the releases of one call: an array of shape (n,) or (n, d)."""
    kind = "" if isinstance(given, np.ndarray) else f" ({type(given).__name__})"
    try:
        if isinstance(given, np.ma.MaskedArray):
            given = np.ma.filled(given.astype(object), None)
        cells = np.asarray(given)
        if cells.dtype.kind in "US" and not isinstance(given, np.ndarray):
            cells = np.asarray(given, dtype=object)  # numbers among texts stay numbers
        shape: object = cells.shape
    except ValueError:
        cells, shape = np.empty(0), "rows of unequal length"
    if cells.ndim not in (1, 2) or len(cells) != n or cells.shape[-1] == 0:
        raise ValueError(
            f"mechanism must return n releases when it is called as mechanism(data, n, rng):"
            f" for n = {n} shape ({n},), or ({n}, d) of vectors; got {shape}{kind} on {role}."
            f" Draw the noise with size=n, or pass batch=False for mechanism(data, rng)."
        )
    return cells


def check_release_width(output: Any, role: str) -> int:
    """Return the length of one release that is a vector, 0 for a number or a label."""
    if not isinstance(output, (*VECTORS, pd.DataFrame)):
        return 0
    try:
        shape = np.shape(output)
        came = f"{type(output).__name__} of shape {shape}"
    except ValueError:
        shape, came = (0, 0), f"{type(output).__name__} of lists of unequal length"
    if len(shape) > 1 or 0 in shape:
        raise ValueError(
            f"mechanism must return one number, one label or a 1-d vector per call"
            f" (batch=False); got {came} on {role}. Flatten what it returns, or pass"
            f" batch=True for a mechanism(data, n, rng) that returns n releases."
        )
    return shape[0] if shape else 0


def check_same_width(widths: set[int], known: int | None, role: str) -> int:
    """Return the length that all releases have; 0 stands for a single output."""
    lengths = sorted(widths | (set() if known is None else {known}))
    if len(lengths) > 1:
        names = [f"a vector of {length}" if length else "one output" for length in lengths]
        raise ValueError(
            f"mechanism must return releases of one shape, whatever the data; got"
            f" {' and '.join(names)} (seen on {role}). A length that depends on the data"
            f" discloses something of them: pad to a public length with NaN, or return the"
            f" whole as one label, such as str(release)."
        )
    return lengths[0]


def check_comparable(label: Any) -> None:
    """Refuse outputs that cannot be told apart."""
    by_identity = getattr(type(label), "__eq__", None) is getattr(object, "__eq__", None)
    told_apart = not by_identity or isinstance(label, (Enum, type(None)))
    if not (told_apart and _can_be_hashed(label)):
        raise TypeError(
            f"mechanism must return numbers, or labels that compare by value, such as texts;"
            f" got {type(label).__name__} {label!r:.80}. Return its parts as a vector, or"
            f" str() of it."
        )


def _can_be_hashed(label: object) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def check_unchanged(unchanged: bool, role: str) -> None:
    """Refuse a mechanism that changes its input at some later call."""
    if not unchanged:
        raise ValueError(
            f"mechanism changed its data between calls on {role}, so its releases are not"
            f" from the same input. Let it work on a copy: data.copy()."
        )


def check_audits(audits: Any) -> Mapping[Any, Mapping[str, Any]]:
    """Return the arguments of several audits by name."""
    if not isinstance(audits, Mapping) or not audits:
        raise TypeError(
            f"audits must map a name to the arguments of each audit, at least one, such as"
            f" {{'Laplace': dict(mechanism=..., data=..., neighbour=..., epsilon=1)}}; got"
            f" {type(audits).__name__} {audits!r:.80}."
        )
    for name, arguments in audits.items():
        if not isinstance(arguments, Mapping):
            raise TypeError(
                f"audits[{name!r}] must map the arguments of audit to their values, such as"
                f" dict(mechanism=..., data=..., neighbour=..., epsilon=1); got"
                f" {type(arguments).__name__}."
            )
        common = sorted({"confidence", "number_of_audits", "rng"} & set(arguments))
        if common:
            raise ValueError(
                f"audits[{name!r}] must leave {listed(common)} to audit_many, which divides"
                f" one confidence among all; got them for a single audit."
            )
    return audits


def check_results(results: Any, kind: type) -> Mapping[Any, Any]:
    """Return audits by name."""
    fit = isinstance(results, Mapping) and all(isinstance(x, kind) for x in results.values())
    if not fit:
        raise TypeError(
            f"results must map names to results of audit, as audit_many returns them; got"
            f" {type(results).__name__} {results!r:.80}."
        )
    return results  # type: ignore[no-any-return]


def check_together(**arguments: AnyArray) -> list[AnyArray]:
    """Return arguments in one shape, repeated where they are single."""
    try:
        return list(np.broadcast_arrays(*arguments.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {given.shape}" for name, given in arguments.items())
        raise ValueError(
            f"{' and '.join(arguments)} must fit together; got shapes {shapes}. Pass single"
            f" numbers, or arrays of one shape."
        ) from None


def check_counts(successes: Any, trials: Any) -> tuple[FloatArray, FloatArray]:
    """Return counts and the trials they are of, in one shape."""
    pair = {"successes": successes, "trials": trials}
    counts = []
    for argument, given in pair.items():
        numbers = check_noise(given, argument)
        if not ((numbers >= 0) & (numbers == np.floor(numbers)) & np.isfinite(numbers)).all():
            raise ValueError(
                f"{argument} must be whole numbers of at least 0; got {given!r:.80}."
            )
        counts.append(numbers)
    first, second = check_together(successes=counts[0], trials=counts[1])
    if not ((second >= 1) & (first <= second)).all():
        raise ValueError(
            f"successes must be at most trials, and trials at least 1; got {successes!r:.80}"
            f" of {trials!r:.80}."
        )
    return first, second


def check_true_losses(true_epsilon: Any) -> FloatArray:
    """Return ε of at least 0, one or several, that mechanisms really have."""
    numbers = check_noise(true_epsilon, "true_epsilon")
    if not (numbers >= 0).all():
        raise ValueError(f"true_epsilon must be at least 0; got {true_epsilon!r:.80}.")
    return numbers


def check_test_samples(samples: Any) -> IntArray:
    """Return numbers of releases, one or several."""
    numbers = check_noise(samples, "samples")
    if not ((numbers >= 1) & (numbers <= 1e9) & (numbers == np.floor(numbers))).all():
        raise ValueError(
            f"samples must be whole numbers from 1 to 10**9, the releases that test the event;"
            f" got {samples!r:.80}."
        )
    return numbers.astype(np.int64)


def check_event_probability(probability: Any, delta: float) -> FloatArray:
    """Return probabilities above δ and up to 1, one or several."""
    numbers = check_noise(probability, "probability")
    if not ((numbers > delta) & (numbers <= 1)).all():
        raise ValueError(
            f"probability must be above delta = {delta:g} and up to 1, that of the event on"
            f" the likelier input; got {probability!r:.80}."
        )
    return numbers


def warn_not_fresh(repeats: bool, still: bool, dependent: list[str]) -> None:
    """Say that the draws are not independent, so that no confidence can be stated."""
    if repeats:
        warnings.warn(
            "the mechanism drew the same noise for the releases that select the event and for"
            " those that test it, so the stated confidence does not hold: draw from the rng"
            " that is passed in.",
            UserWarning,
            stacklevel=4,
        )
    if still:
        warnings.warn(
            "all releases of a batch are alike, but differ from batch to batch: they are not"
            " independent, so the stated confidence does not hold. Draw noise for each of the"
            " n releases (size=n).",
            UserWarning,
            stacklevel=4,
        )
    if dependent:
        warnings.warn(
            f"{'; '.join(dependent)}: releases depend on each other, so the stated confidence"
            f" does not hold. Draw noise of its own for each release.",
            UserWarning,
            stacklevel=4,
        )
