"""What holds wherever pytest is started from, for tests, doctests and notebooks."""

import os
import sys
import tempfile
import uuid

import pytest
from jupyter_client.manager import KernelManager

pytest_plugins = ["tests.notebooks.strict_nbval"]  # stored notebooks are compared strictly
collect_ignore = ["tests/benchmarks"]  # programs of `python3 dev.py bench`, and no tests


start = KernelManager.__init__


def start_with_files(self, *args, **settings):
    """Let a kernel be reached by files of its own instead of ports.

    Free ports are looked up a second before the kernel takes them. Tests start many kernels at
    the same time, and now and then one took the port that another had been given.
    """
    place = os.path.join(tempfile.gettempdir(), f"kernel-{uuid.uuid4().hex}")
    start(self, *args, **{"transport": "ipc", "ip": place, **settings})


if os.name == "posix":  # elsewhere ZeroMQ has no such files
    KernelManager.__init__ = start_with_files


@pytest.fixture(autouse=True)
def no_figure_is_left_to_the_next_test():
    """Close what a test or an example has drawn with pyplot."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
