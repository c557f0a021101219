"""Settings that all tests share, and the order in which they are run."""

from pathlib import Path

import pytest
from hypothesis import settings

from tests.needs import IN_CI

# A slow machine is no fault of the code, and a failure must be the same everywhere.
settings.register_profile("toolkit", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("ci", deadline=None, derandomize=True)
# `test --full` looks for hostile tables that nobody has seen, and prints how to see one again.
settings.register_profile("full", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("ci" if IN_CI else "toolkit")
# Groups of tests that share a server or a session, those that take longest first.
LONGEST = ("lab", "explorer", "spark", "site", "page", "harness")


def pytest_configure(config):
    """Search longer where the tests marked `full` are not left out."""
    if "not full" not in config.option.markexpr:
        settings.load_profile("full")


def rank(item) -> int:
    """Place of a test in the run: long groups, other groups, all the rest."""
    group = item.get_closest_marker("xdist_group")
    if group is None:
        return len(LONGEST) + 1
    (name,) = group.args
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def is_of_another_notebook(item, named: set[str]) -> bool:
    """Whether a test of all notebooks is about none of those that are named."""
    about = getattr(item, "callspec", None)
    of_all = item.path.name == "test_notebooks.py" and about is not None
    return bool(named) and of_all and about.params["name"] not in named


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Keep the cells of a notebook on one worker, and begin with what takes longest.

    Where notebooks are named one by one, as in the tests of a room, others are left out.
    """
    named = {Path(word).stem for word in config.args if word.endswith(".ipynb")}
    items[:] = [item for item in items if not is_of_another_notebook(item, named)]
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(item.path.name))
    items.sort(key=rank)
