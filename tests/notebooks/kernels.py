"""Kernels of the tests: forks of a process that holds the libraries, reached by files.

Tests start some fifty kernels, and each would load pandas, seaborn and IPython for two
seconds. Here a server loads them once for each worker of pytest, and forks: a notebook finds
the variables and settings of a fresh kernel.
"""

import multiprocessing
import os
import sys
import tempfile
import time
import uuid
from contextlib import suppress

from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import local_provisioner

LIBRARIES = ["ipykernel.kernelapp", "ipykernel.ipkernel", "pandas", "seaborn"]
SERVER = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")


def serve(arguments: list[str], folder: str | None, environment: dict[str, str]) -> None:
    """Be a kernel in this forked process."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment, JPY_PARENT_PID=str(os.getppid()))
    os.chdir(folder or ".")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    import matplotlib
    import pandas
    from ipykernel.kernelapp import IPKernelApp

    drawn_by = environment.get("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    matplotlib.rcParams["backend"] = drawn_by
    pandas.set_option(
        "display.max_columns", 20
    )  # which pandas takes while it loads in a kernel
    sys.argv[1:] = arguments
    IPKernelApp.launch_instance(argv=arguments)


class Forked:
    """A kernel as jupyter_client wants it: a process that can be asked, awaited and ended."""

    stdin = stdout = stderr = None

    def __init__(self, command, *, env=None, cwd=None, **_):
        arguments = command[command.index("ipykernel_launcher") + 1 :]
        settings = arguments, cwd and str(cwd), dict(env or os.environ)
        self.process = SERVER.Process(target=serve, args=settings, daemon=True)
        self.process.start()
        self.pid = self.process.pid
        while self.poll() is None and os.getpgid(self.pid) != self.pid:
            time.sleep(0.005)  # else a signal to its group would reach the server

    def poll(self):
        """Exit code, or None while the kernel runs."""
        return self.process.exitcode

    def wait(self):
        """Exit code, once the kernel has ended."""
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        """Send a signal to the kernel, if it still runs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


start = KernelManager.__init__


def start_with_files(self, *args, **settings):
    """Let a kernel be reached by files of its own instead of ports.

    Free ports are looked up a second before the kernel takes them. Tests start many kernels at
    the same time, and now and then one took the port that another had been given.
    """
    place = os.path.join(tempfile.gettempdir(), f"kernel-{uuid.uuid4().hex}")
    start(self, *args, **{"transport": "ipc", "ip": place, **settings})


if os.name == "posix":  # elsewhere there are neither forks nor such files
    SERVER.set_forkserver_preload(LIBRARIES)
    KernelManager.__init__ = start_with_files
    local_provisioner.launch_kernel = Forked
