"""Broken code: the changes that are drawn, and a run over a module of two functions."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.project.mutants import mutants

HERE = Path(__file__).parent
TINY = '''"""Two functions."""
FACTOR = 2


def least(a, b):
    """The smaller number."""
    return a if a < b else b


def doubled(number):
    return FACTOR * number
'''
TEST = """from tiny import doubled, least


def test_least():
    assert (least(1, 2), least(2, 1)) == (1, 1)


def test_doubled():
    assert doubled(3) == {number}
"""


@pytest.mark.parametrize("count", [1, 3])
def test_changes_are_different_and_parse(count):
    drawn = mutants(TINY, count, np.random.default_rng(0))
    sources = {source for _, _, source in drawn}
    assert len(drawn) == len(sources) == count
    assert ast.unparse(ast.parse(TINY)) not in sources
    assert mutants(TINY, 4, np.random.default_rng(0))[:count] == drawn, "the same ones first"
    for line, function, source in drawn:
        ast.parse(source)
        assert function == {2: "", 7: "least", 11: "doubled"}[line]


def examined(folder, number, test=TEST):
    """What a run over the tiny module prints, where its test expects this number."""
    (folder / "tiny.py").write_text(TINY)
    (folder / "test_tiny.py").write_text(test.format(number=number))
    run = "import mutants, sys; sys.exit(mutants.examine('tiny', ['test_tiny.py'], 40, 0))"
    return subprocess.run(
        [sys.executable, "-c", run],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_run_finds_what_the_tests_miss(tmp_path):
    """Of equal numbers either is the least: `a <= b` cannot be told from `a < b`."""
    found = examined(tmp_path, 6)
    assert found.returncode == 0
    assert "tiny: 3 of 4 noticed" in found.stdout
    assert "tiny:7: return a if a < b else b -> return a if a <= b else b" in found.stdout


def test_what_no_test_calls_is_not_noticed(tmp_path):
    found = examined(tmp_path, 6, TEST.partition("def test_doubled")[0])
    assert "tiny: 1 of 4 noticed" in found.stdout


def test_a_run_needs_tests_that_pass(tmp_path):
    found = examined(tmp_path, 7)
    assert found.returncode == 1
    assert "fails without a change: ['test_tiny.py::test_doubled']" in found.stdout
