"""Checks that modules share: each has two of them that ask, and they stay few.

``python -m tests.project.test_validation`` prints how many modules ask each.
"""

import ast
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tests.project.test_size import PACKAGE
from toolkit._validation import check_threshold, number

CHECKS = PACKAGE / "_validation.py"


def shared_checks() -> list[str]:
    """Public functions of the module of checks."""
    tree = ast.parse(CHECKS.read_text(encoding="utf-8"))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in functions if not name.startswith("_")]


@cache
def imported_by_modules() -> dict[str, set[str]]:
    """Names from the module of checks, and the modules that import each."""
    found: dict[str, set[str]] = {name: set() for name in shared_checks()}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "_validation":
                if path.parents[node.level - 1] == PACKAGE:
                    for alias in node.names:
                        found.setdefault(alias.name, set()).add(str(path))
    return found


@pytest.mark.parametrize("check", shared_checks())
def test_a_shared_check_has_several_modules_that_ask(check):
    modules = imported_by_modules()[check]
    assert len(modules) > 1, f"move it to the one module that asks: {modules}"


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


if __name__ == "__main__":
    for name, modules in sorted(imported_by_modules().items(), key=lambda x: len(x[1])):
        print(f"{len(modules):>3} {name}")
