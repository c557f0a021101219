"""Numbers, thresholds and instances that several rooms check by one function."""

import math
from fractions import Fraction

import numpy as np
import pytest

from toolkit._validation import check_threshold, number


@pytest.mark.parametrize(
    ("given", "within", "error", "said"),
    [
        ("1", "(0, 1]", TypeError, r"rho must be a share; got '1'\."),
        (True, "(0, 1]", TypeError, r"rho must be a share; got True\."),
        (0, "(0, 1]", ValueError, r"rho must be a share above 0; got 0\.$"),
        (33, "(0, 1]", ValueError, r"got 33\. Did you mean 0.33\?"),
        (101, "(0, 1]", ValueError, r"got 101\.$"),
        (1, "[0, 1)", ValueError, r"got 1\.$"),  # nobody means one per cent
        (99.9, "(0, 1)", ValueError, r"got 99\.9\. Did you mean 0\.999\?"),
        (math.nan, "[0, inf]", ValueError, "got nan"),
        (math.inf, "[0, inf)", ValueError, "got inf"),
        (1 + Fraction(1, 10**20), "(0, 1]", ValueError, "got Fraction"),  # 1.0 as a float
        (10**400, "(0, inf)", ValueError, r"got 1000+… \(as a float inf\)\."),
        (-(10**5000), "(-inf, inf)", ValueError, "got a number of thousands of digits"),
    ],
    ids=lambda value: type(value).__name__,  # pytest would write all digits
)
def test_a_number_outside_of_its_interval_is_refused(given, within, error, said):
    with pytest.raises(error, match=said):
        number(given, "rho", within, "a share", "a share above 0", percent_hint=True)


@pytest.mark.parametrize(
    "given",
    [10**400, math.nan, -(10**400), np.float32(-1)],
    ids=["10**400", "nan", "less", "32 bits"],
)
def test_a_threshold_that_no_metric_reaches_is_refused(given):
    with pytest.raises(ValueError, match="beta must be at least 0"):
        check_threshold(given, "beta", 0, math.inf)


@pytest.mark.parametrize("given", [0.5, np.float32(0.5), np.float16(0.5), Fraction(1, 2)])
def test_a_threshold_of_any_kind_is_a_float(given):
    assert check_threshold(given, "beta", 0, math.inf) == 0.5


@pytest.mark.parametrize(
    ("given", "within"), [(1, "(0, 1]"), (0.0, "[0, 1)"), (math.inf, "[0, inf]")]
)
def test_a_number_in_its_interval_is_a_float(given, within):
    found = number(given, "rho", within, "a share")
    assert found == given and isinstance(found, float)
