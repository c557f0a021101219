"""How long does a reader wait? Loading, drawing, and the slowest move of each explorer."""

import time

import cases
import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from turns import RUNS, Median, verdict

from toolkit import datasets, plots, widgets


def rows():
    """Seconds of CPU against what a reader puts up with."""
    return [
        row("loading the stand-in of Adult", lambda: [datasets.load_adult], 0.5),
        row("slowest plot of 38,462 x 6", lambda: drawings(38_462), 1),
        row("slowest plot of 1,000,000 x 6", lambda: drawings(1_000_000), 5),
        row("slowest move of an explorer, 38,462 x 6", moves, 1),
    ]


def row(name, calls, limit):
    """One line of the table of benchmarks: all calls are made, and that several times."""
    seconds = Median([slowest(calls()) for _ in range(RUNS)])
    met = verdict(seconds <= limit)
    return (f"{name} (CPU)", f"{seconds:.2f} s", "", "", f"<= {limit} s", met)


def slowest(calls):
    """Seconds of the slowest call."""
    seconds = []
    for call in calls:
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return max(seconds)


def drawings(records):
    """Each plot for large tables, drawn on its canvas."""
    rng = np.random.default_rng(1)
    cig = pd.DataFrame(rng.gamma(2, 2, (records, 6)), columns=list("abcdef"))
    csf = cig.clip(upper=1)
    for plot, *results in (
        (plots.plot_cell_bands, cig),
        (plots.plot_rig, cig.sum(axis=1)),
        (plots.plot_riskiest_rows, cig),
        (plots.plot_cig_csf, cig, csf),
    ):
        yield lambda plot=plot, results=results: plot(*results).figure.canvas.draw()
        plt.close("all")


def moves():
    """Each control of each explorer, moved to another value."""
    data = cases.hackathon().astype({"AGE": int, "POSTCODE": int})
    census = {"gender": {"census": {"M": 0.49, "F": 0.51}}}
    for box in (
        widgets.cell_explorer(data),
        widgets.pif_explorer(data),
        widgets.prior_explorer(data, census),
        widgets.treatment_explorer(data),
    ):
        for control in box.controls.values():
            if isinstance(control, ipywidgets.Dropdown):
                value = control.options[-1]
                value = value[1] if isinstance(value, tuple) else value
            else:
                value = control.max if control.value != control.max else control.min
            yield lambda control=control, value=value: setattr(control, "value", value)
