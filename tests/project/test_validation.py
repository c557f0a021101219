"""Checks that modules share: each has two of them that ask, and they stay few.

``python -m tests.project.test_validation`` prints how many modules ask each.
"""

import ast
from functools import cache

import pytest

from tests.project.test_size import PACKAGE, code_lines

CHECKS = PACKAGE / "_validation.py"
MOST_LINES = 450


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


def test_shared_checks_stay_few():
    assert code_lines(CHECKS.read_text(encoding="utf-8")) <= MOST_LINES


if __name__ == "__main__":
    for name, modules in sorted(imported_by_modules().items(), key=lambda x: len(x[1])):
        print(f"{len(modules):>3} {name}")
