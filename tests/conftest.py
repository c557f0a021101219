"""Settings that all tests share, and the order in which they are run."""

import pytest
from hypothesis import settings

from tests.needs import IN_CI

# A slow machine is no fault of the code, and a failure must be the same everywhere.
settings.register_profile("toolkit", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("ci", deadline=None, derandomize=True)
# `test --full` looks for hostile tables that nobody has seen, and prints how to see one again.
settings.register_profile("full", deadline=None, max_examples=500, print_blob=True)
settings.load_profile("ci" if IN_CI else "toolkit")
# Groups of tests that share a server or a session, those that take longest first.
LONGEST = ("explorer", "site", "spark", "lab", "page", "harness")


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


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Keep the cells of a notebook on one worker, and begin with what takes longest."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(item.path.name))
    items.sort(key=rank)
