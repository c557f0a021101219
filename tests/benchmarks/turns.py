"""Time calls fairly, and say whether a target is met."""

import statistics
import time


def in_turns(calls, repeats):
    """Median CPU seconds of calls that take turns, so that a busy machine hurts all alike."""
    seconds = [[] for _ in calls]
    for _ in range(repeats):
        for call, taken in zip(calls, seconds, strict=True):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in seconds]


def verdict(met):
    """Say whether a target is met."""
    return "met" if met else "MISSED"
