"""How long after a control of the table explorer is moved does the page have its answer?

One change is all that the kernel does for it: labels, classes, metrics, the texts, the figure
as PNG and the Python. Every control is moved through all its values; limit: a second.
"""

import gc
import statistics
import time

from turns import RUNS, Median, verdict

from toolkit.datasets import load_adult, load_adult_with_pii
from toolkit.report.roles import ROLES
from toolkit.widgets import table_explorer

LIMIT = 1.0
TEN = [
    *["age", "workclass", "education", "marital-status", "occupation", "race", "sex"],
    *["hours-per-week", "native-country", "income"],
]


def changes(box):
    """CPU seconds of each change: levels, sizes, percentiles, roles, there and back."""
    seconds = []
    for name, control in box.controls.items():
        if getattr(control, "disabled", False):
            continue
        if name.startswith("role of "):
            values = [*ROLES, control.value]
        elif name == "n":
            values = [50, 99, 95]
        else:
            values = [value for _, value in control.options][1:]
            values = [*values[:4], control.value]
        for value in values:
            if value != control.value:
                start = time.process_time()
                control.value = value
                seconds.append(time.process_time() - start)
    return seconds


def answers(data):
    """The median and the slowest change of a table, against the limit."""
    gc.collect()
    gc.freeze()  # the collector shall not look through what other benchmarks have left
    runs = [changes(table_explorer(data)) for _ in range(RUNS)]
    gc.unfreeze()
    rows = []
    for what, of_run in (("median", statistics.median), ("slowest", max)):
        spent = Median(list(map(of_run, runs)))
        name = f"table explorer, {what} of {len(runs[0])} changes (CPU)"
        seconds = (f"{spent:.2f} s", f"{LIMIT} s", f"{spent / LIMIT:.2f}", "<= 1")
        rows.append((name, *seconds, verdict(spent <= LIMIT)))
    return rows


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    many = 30_000 // scale
    people = load_adult_with_pii().head(many)
    return [
        (f"Adult, {many:,} x {len(TEN)}", lambda: answers(load_adult().head(many)[TEN])),
        (f"Adult with birthdays, {many:,} x {people.shape[1]}", lambda: answers(people)),
    ]
