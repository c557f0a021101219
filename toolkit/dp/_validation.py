"""Numbers and arrays as the modules of differential privacy take them, with their messages.

Mechanisms look at their arguments in two steps. What is public (ε, sensitivity, backend, the
*type* of a value) is checked before a budget is charged; what the data say, only afterwards,
because an error that depends on the data discloses something of them.
"""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
import pandas as pd

from .._typing import AnyArray, FloatArray
from .._validation import _as_float, _lies, is_number, number, shown

CONFIDENTIAL = ("value", "utilities")
"""Arguments that hold what the data say; no message shows them before they are paid for."""


LARGEST_FLOAT_INTEGER = 2**53
"""Whole numbers beyond it are not all floats: some become equal before noise is added."""


ROUND_FIRST = (
    "Round beforehand, in a unit small enough (cents, minutes) and with the sensitivity in"
    " that unit: np.rint(value).astype(int). laplace with the numpy backend takes floats."
)


ROUNDED_FIRST = (
    "Floating-point noise would round it first, so that neighbours become equal or drift"
    " apart."
)


# Single numbers


def is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


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
    return _as_float(own_number(number))


exact_number = partial(number, read=own_number)
"""`number` of what is read once, as it is written: a Decimal is a number, too."""


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
    if not (_lies(found, within) & (not whole or found == np.floor(found))).all():
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
        return math.inf


def is_missing(cell: object) -> bool:
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
