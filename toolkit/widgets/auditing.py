"""Explorer of audits: mechanisms that keep a claim of epsilon or break it.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
from functools import lru_cache

import ipywidgets as W
from matplotlib.figure import Figure

from ..dp.auditing.auditor import audit_table
from ..dp.auditing.cases import (
    Audited as Audited,
    audited as audited,
    scalar_cases as scalar_cases,
)
from ..plots.auditing import plot_audits, plot_event
from ._explorer import Explorer, explorer

__all__ = [
    "audit_explorer",
    "audit_figure",
    "audit_summary",
]


SIZE = (9.0, 3.6)


SAMPLES = [1_000, 10_000, 50_000, 200_000]


def audit_figure(seen: Audited) -> Figure:
    """Releases of both inputs with the event, and the proven ε beside the claimed one."""
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.25, 1])
    plot_event(seen.counts, seen.event, unit="Output", ax=left)
    plot_audits(audit_table({"": seen.result}), ax=right)
    return fig


def audit_summary(seen: Audited) -> str:
    """Event, counts, verdict, and what is true of the case."""
    result = seen.result
    chance = result.probabilities["probability"]
    other = "neighbour" if result.more_likely == "data" else "data"
    return (
        f"Event: <b>{html.escape(result.event)}</b>, in {chance[result.more_likely]:.4g} of"
        f" {result.samples.test:,} fresh releases of the {result.more_likely} and"
        f" {chance[other]:.4g} of the {other}. Claimed ε = {result.epsilon:.3g}; proven to be"
        f" at least {result.epsilon_lower:.3g}: <b>{result.verdict}</b>. (What is true of this"
        f" pair: ε = {seen.case.true_epsilon:.3g}; {html.escape(seen.case.why)}.)"
    )


def audit_explorer(seed: int = 1) -> Explorer:
    """Choose a mechanism and the number of releases; see the event and the verdict."""

    @lru_cache(maxsize=32)
    def seen(name: str, samples: int, low_bits: bool) -> Audited:
        return audited(name, samples, seed, low_bits=low_bits)

    controls = {
        "name": W.Dropdown(
            options=list(scalar_cases()), value="scale x 0.8", description="mechanism"
        ),
        "samples": W.SelectionSlider(options=SAMPLES, value=200_000, description="releases"),
        "low_bits": W.Checkbox(value=True, description="look at the lowest bits"),
    }
    return explorer(
        lambda **setting: audit_figure(seen(**setting)),
        lambda **setting: audit_summary(seen(**setting)),
        **controls,
    )
