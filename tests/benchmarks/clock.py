"""Time calls fairly: both sides in turns, medians of five runs with their spread."""

import gc
import os
import statistics
import subprocess
import sys
import threading
import time

import psutil

RUNS = 5
"""Runs behind each median, at least."""


class Median(float):
    """The median of several runs, written with their spread: 0.012 (0.011-0.015)."""

    def __new__(cls, seconds):
        self = super().__new__(cls, statistics.median(seconds))
        self.runs = sorted(seconds)
        return self

    def __format__(self, form):
        ends = [format(float(x), form) for x in (self, self.runs[0], self.runs[-1])]
        return ends[0] if len(self.runs) == 1 else "{} ({}-{})".format(*ends)


def in_turns(calls, repeats=RUNS, clock=time.process_time):
    """Median seconds of calls that take turns, so that a busy machine hurts all alike.

    Each is called once more before it is timed, so that it finds caches and memory as it left
    them itself.
    """
    seconds = [[] for _ in calls]
    for _ in range(repeats):
        for call, taken in zip(calls, seconds, strict=True):
            call()
            start = clock()
            call()
            taken.append(clock() - start)
    return [Median(taken) for taken in seconds]


def peak_above(call):
    """Result of a call, and the resident bytes at its peak above those before."""
    process, peak, done = psutil.Process(), [0], threading.Event()

    def watch():
        while not done.wait(0.002):
            peak[0] = max(peak[0], process.memory_info().rss)

    gc.collect()
    before = process.memory_info().rss
    watcher = threading.Thread(target=watch)
    watcher.start()
    result = call()
    done.set()
    watcher.join()
    return result, max(peak[0], process.memory_info().rss) - before


def command(arguments, folder):
    """CPU seconds of a command and its children, and their memory at the peak."""
    before, peak = os.times(), 0
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen([sys.executable, *arguments], cwd=folder, **quiet)
    process = psutil.Process(running.pid)
    while running.poll() is None:
        try:
            family = [process, *process.children(recursive=True)]
            peak = max(peak, sum(one.memory_info().rss for one in family))
        except psutil.Error:  # one has just ended
            pass
        time.sleep(0.05)
    if running.returncode not in (0, 1):  # 1 says that a threshold is not met
        raise RuntimeError(f"{arguments} ended with status {running.returncode}")
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4]), peak
