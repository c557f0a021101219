"""What holds wherever pytest is started from, for tests, doctests and notebooks."""

import os
import sys

import pytest

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # there is a worker of pytest for each core
# Stored notebooks are compared strictly, and kernels start fast.
pytest_plugins = ["tests.notebooks.strict_nbval", "tests.notebooks.kernels"]
collect_ignore = ["tests/benchmarks"]  # programs of `python3 dev.py bench`, and no tests


@pytest.fixture(autouse=True)
def no_figure_is_left_to_the_next_test():
    """Close what a test or an example has drawn with pyplot."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
