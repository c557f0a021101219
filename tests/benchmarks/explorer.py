"""How long after a control of the table explorer is moved does the page have its answer?

One change is all that the kernel does for it: labels, classes, metrics, the texts, the figure
as PNG and the Python. Every control is moved through all its values; limit: .25 seconds.
"""

import gc
import statistics
import time

from toolkit.datasets import load_adult, load_adult_with_pii
from toolkit.report.roles import ROLES
from toolkit.widgets import table_explorer

LIMIT = 0.25
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
    seconds = changes(table_explorer(data))
    gc.unfreeze()
    rows = []
    for what, spent in (("median", statistics.median(seconds)), ("slowest", max(seconds))):
        name = f"table explorer, {what} of {len(seconds)} changes (CPU)"
        verdict = "met" if spent <= LIMIT else "MISSED"
        ratio = f"{spent / LIMIT:.2f}"
        rows.append((name, f"{spent:.2f} s", f"{LIMIT} s", ratio, "<= 1", verdict))
    return rows


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    many = 30_000 // scale
    people = load_adult_with_pii().head(many)
    return [
        (f"Adult, {many:,} x {len(TEN)}", lambda: answers(load_adult().head(many)[TEN])),
        (f"Adult with birthdays, {many:,} x {people.shape[1]}", lambda: answers(people)),
    ]
