"""Ceilings of size, which only fall: what comes in takes as many lines out elsewhere.

``python tests/project/test_size.py`` prints what is counted.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "toolkit"
MOST_LINES = 12_300  # of the package; all these numbers only fall
MOST_MODULES = 61
MOST_TEST_LINES = 20_000


def code_lines(source: str) -> int:
    """Lines that are neither blank, comment nor docstring."""
    tree, docstrings = ast.parse(source), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                docstrings |= set(range(first.lineno, first.end_lineno + 1))
    return sum(
        number not in docstrings and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(source.splitlines(), 1)
    )


@cache
def rooms() -> dict[str, int]:
    """Code lines of each room; modules of the ground floor stand for themselves."""
    found: dict[str, int] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        found[room] = found.get(room, 0) + code_lines(path.read_text(encoding="utf-8"))
    return found


def modules() -> int:
    """Modules beside the `__init__` of rooms."""
    names = [path.name for path in PACKAGE.rglob("*.py")]
    return sum(name != "__init__.py" for name in names)


def lines_of_tests() -> int:
    """Lines of all kinds in the tests, benchmarks included."""
    return sum(len(path.read_bytes().splitlines()) for path in (ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize(
    ("lines", "most"),
    [(sum(rooms().values()), MOST_LINES), (lines_of_tests(), MOST_TEST_LINES)],
    ids=["package", "tests"],
)
def test_the_sum_only_falls(lines, most):
    assert lines <= most, "take as many lines out elsewhere"
    assert lines >= 0.99 * most, "lower the ceiling to what there is"


def test_a_long_module_says_why():
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        why = re.search("^# .*", source, re.MULTILINE)
        if code_lines(source) > 600:
            assert why and why[0].startswith("# Longer than other modules: "), path.name


def test_the_house_stays_compact():
    assert modules() <= MOST_MODULES


if __name__ == "__main__":
    for name, lines in rooms().items():
        print(f"{name:<16} {lines:>6,}")
    print(f"{'toolkit':<16} {sum(rooms().values()):>6,} code lines in {modules()} modules")
    print(f"{'tests':<16} {lines_of_tests():>6,} lines of all kinds")
