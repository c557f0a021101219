"""Peak memory of one call, above what its table takes: python memory.py FUNCTION ROWS.

Prints the extra bytes and the bytes of the frames that the call returns, as JSON. A process
of its own, since memory that an earlier call gave back would hide what a later one takes.
"""

import gc
import json
import sys
import threading
import time

import cases
import pandas as pd
import psutil

import toolkit as tk


def peak_above(call):
    """Result of a call, and the resident bytes it took at its peak above those before."""
    process, peak, done = psutil.Process(), [0], threading.Event()

    def watch():
        while not done.is_set():
            peak[0] = max(peak[0], process.memory_info().rss)
            time.sleep(0.002)

    gc.collect()
    before = process.memory_info().rss
    watcher = threading.Thread(target=watch)
    watcher.start()
    result = call()
    done.set()
    watcher.join()
    return result, max(peak[0], process.memory_info().rss) - before


def main():
    function, rows = getattr(tk, sys.argv[1]), int(sys.argv[2])
    data = pd.DataFrame(dict(enumerate(cases.codes(rows, cases.TEN_MILLION))))
    result, extra = peak_above(lambda: function(data))
    frames = [result] if isinstance(result, pd.DataFrame) else list(vars(result).values())
    output = sum(
        frame.memory_usage(index=False, deep=True).sum()
        for frame in frames
        if isinstance(frame, pd.DataFrame)
    )
    print(json.dumps({"extra": int(extra), "output": int(output)}))


if __name__ == "__main__":
    main()
