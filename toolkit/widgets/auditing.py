"""Explorer of audits: mechanisms that keep a claim of epsilon or break it.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
from functools import lru_cache
from typing import NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_choice
from ..dp.auditing.auditor import AuditResult, audit, audit_table
from ..dp.auditing.cases import Case, broken, kept, unseen
from ..dp.auditing.events import Between, Coordinate
from ..dp.auditing.outputs import Outputs
from ..plots.auditing import plot_audits, plot_event
from ._explorer import Explorer, explorer

__all__ = [
    "Audited",
    "audit_explorer",
    "audit_figure",
    "audit_summary",
    "audited",
    "scalar_cases",
]


SIZE = (9.0, 3.6)


BINS = 60


SAMPLES = [1_000, 10_000, 50_000, 200_000]


class Audited(NamedTuple):
    """One audit, and what its releases look like."""

    name: str
    case: Case
    result: AuditResult
    counts: pd.DataFrame
    """Shares of fresh releases by bin, a column per input."""
    event: pd.Series
    """Whether the middle of a bin belongs to the event."""


def scalar_cases() -> dict[str, Case]:
    """Cases of `toolkit.dp.auditing.cases` whose releases are single numbers, by name."""
    cases = {
        **kept(),
        **broken(),
        **{f"{name} (hidden)": case for name, case in unseen().items()},
    }
    return {name: case for name, case in cases.items() if _is_scalar(case)}


def _is_scalar(case: Case) -> bool:
    return np.ndim(case.mechanism(case.data, 1, np.random.default_rng(0))) == 1


def audited(
    name: str, samples: int = 200_000, seed: int = 1, *, low_bits: bool = True
) -> Audited:
    """Audit one of the cases, and draw a few releases to look at.

    Parameters
    ----------
    name : str
        One of `scalar_cases`.
    samples : int
        Fresh releases of each input that test the event.
    seed : int
        Of the generator.
    low_bits : bool
        Whether to look at the lowest bits.
    """
    cases = scalar_cases()
    check_choice(name, "name", tuple(cases))
    case, rng = cases[name], np.random.default_rng(seed)
    result = audit(**case.arguments(), samples=samples, low_bits=low_bits, rng=rng)
    shown = [case.mechanism(x, 50_000, rng) for x in (case.data, case.neighbour)]
    numbers = [np.asarray(outputs, float) for outputs in shown]
    together = np.concatenate(numbers)
    whole = bool((together == np.round(together)).all())
    low, high = np.quantile(together, [0.0005, 0.9995])
    edges = np.arange(low - 0.5, high + 1.5) if whole else np.linspace(low, high, BINS + 1)
    shares = {
        who: np.histogram(outputs, edges)[0] / len(outputs)
        for who, outputs in zip(("data", "neighbour"), numbers, strict=True)
    }
    counts = pd.DataFrame(shares, index=pd.Index(edges[:-1], name="output"))
    return Audited(name, case, result, counts, _inside(result, edges, counts.index))


def _inside(result: AuditResult, edges: np.ndarray, index: pd.Index) -> pd.Series:
    """Mark the bins of an interval or a value; digits and low bits are of no bin."""
    region, middle = result.region, (edges[:-1] + edges[1:]) / 2
    if not isinstance(region.statistic, (Between, Coordinate)):
        return pd.Series(False, index=index)
    inside = region.occurs(Outputs(middle[:, None], None, True, False))
    if isinstance(region.statistic, Coordinate) and region.relation in "=≠":
        holds = (edges[:-1] <= region.value) & (region.value < edges[1:])
        inside = holds if region.relation == "=" else ~holds
    return pd.Series(inside, index=index)


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
