"""Settings that all tests share, and the order in which they are run."""

from pathlib import Path

import pytest
from hypothesis import settings

import toolkit as tk
from tests.needs import IN_CI

# A slow machine is no fault of the code, and a failure must be the same everywhere.
settings.register_profile("toolkit", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("ci", deadline=None, derandomize=True)
# `test --full` looks for hostile tables that nobody has seen, and prints how to see one again.
settings.register_profile("full", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("ci" if IN_CI else "toolkit")
# Groups of tests that share a server or a session, those that take longest first.
LONGEST = ("lab", "explorer", "spark", "site", "keyboard", "page", "harness")


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


def is_of_another_room(item, words) -> bool:
    """Whether a test of all notebooks, or all metrics, is of none of those that are named.

    The tests of a room are named by its notebooks and by its folder of the package.
    """
    said = getattr(item, "callspec", None)
    if said is not None and item.path.name == "test_notebooks.py":
        named = {Path(word).stem for word in words if word.endswith(".ipynb")}
        return bool(named) and said.params["name"] not in named
    if said is not None and item.path.name == "test_metrics.py":
        rooms = {word.split("/")[1] for word in words if word.startswith("toolkit/")}
        metric = getattr(tk, said.id, None)  # what combines several belongs to each room
        return bool(rooms and metric) and metric.__module__.split(".")[1] not in rooms
    return False


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Keep the cells of a notebook on one worker, and begin with what takes longest."""
    items[:] = [item for item in items if not is_of_another_room(item, config.args)]
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(item.path.name))
    items.sort(key=rank)
