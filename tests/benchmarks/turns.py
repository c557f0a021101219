"""Time calls fairly, and say whether a target is met."""

import statistics
import time

RUNS = 5
"""Runs behind each median, at least."""


class Median(float):
    """The median of several runs, which is written with their spread: 0.012 (0.011-0.015)."""

    def __new__(cls, seconds):
        """Hold the runs beside their median."""
        self = super().__new__(cls, statistics.median(seconds))
        self.runs = sorted(seconds)
        return self

    def __format__(self, form):
        """Write the median, and the least and the largest of several runs."""
        median, least, most = (
            format(float(x), form) for x in (self, self.runs[0], self.runs[-1])
        )
        return median if len(self.runs) == 1 else f"{median} ({least}-{most})"


def cpu_seconds(call, repeats=RUNS):
    """Median CPU time of a call."""
    return in_turns([call], repeats)[0]


def in_turns(calls, repeats, clock=time.process_time):
    """Median seconds of calls that take turns, so that a busy machine hurts all alike.

    Where there are several, each is made once more before it is timed: it then finds caches
    and memory as it left them itself, not as another call, or the host of a virtual machine
    that takes back what has been free for seconds, left them.
    """
    seconds = [[] for _ in calls]
    for _ in range(repeats):
        for call, taken in zip(calls, seconds, strict=True):
            if len(calls) > 1:
                call()
            start = clock()
            call()
            taken.append(clock() - start)
    return [Median(taken) for taken in seconds]


def reported(run, peak, repeats=RUNS):
    """What a program says of itself, run several times: median seconds, greatest peak."""
    found = [run() for _ in range(repeats)]
    return Median([one["seconds"] for one in found]), max(one[peak] for one in found)


def verdict(met):
    """Say whether a target is met."""
    return "met" if met else "MISSED"
