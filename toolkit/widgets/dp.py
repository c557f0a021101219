"""Explorers of differential privacy: noisy answers, audits and private histograms.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook. That of histograms compares with the truth, so it is for the curator only.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..dp.auditing.auditor import audit_table
from ..dp.auditing.cases import (
    Audited as Audited,
    audited as audited,
    scalar_cases as scalar_cases,
)
from ..dp.histograms.utility import Tried as Tried, tried_release as tried_release
from ..dp.mechanisms import MOST, running_means as running_means
from ..dp.noise import MECHANISMS, NoisyPair as NoisyPair, noisy_pair as noisy_pair
from ..plots.dp import (
    plot_audits,
    plot_averages,
    plot_errors,
    plot_event,
    plot_log_ratio,
    plot_neighbours,
    plot_noisy_shares,
)
from ._explorer import Explorer, explorer

__all__ = [
    "audit_explorer",
    "audit_figure",
    "audit_summary",
    "averaging_explorer",
    "averaging_figure",
    "averaging_summary",
    "histogram_explorer",
    "histogram_figure",
    "histogram_summary",
    "noise_explorer",
    "noise_figure",
    "noise_summary",
]


SIZE, WIDE = (9.0, 3.6), (9.4, 3.8)


SAMPLES = [1_000, 10_000, 50_000, 200_000]


# Noisy answers


def noise_figure(pair: NoisyPair) -> Figure:
    """Two densities, and the logarithm of their ratio in the band of ±ε."""
    discrete = pair.mechanism == "geometric"
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2)
    plot_neighbours(pair.laws, discrete=discrete, unit="Noisy answer", ax=left)
    plot_log_ratio(
        pair.log_ratio, pair.epsilon, discrete=discrete, unit="Noisy answer", ax=right
    )
    return fig


def noise_summary(pair: NoisyPair) -> str:
    """What the noise costs, and whether every ratio stays in the band."""
    worst = float(np.abs(pair.log_ratio).max())
    inside = worst <= pair.epsilon * (1 + 1e-9)
    verdict = (
        f"every ratio is at most e<sup>ε</sup> = {math.exp(pair.epsilon):.3g}"
        if inside
        else f"the ratio <b>leaves the band</b>: its logarithm reaches {worst:.3g} in this"
        " picture, and grows without end beyond it"
    )
    return (
        f"{pair.mechanism} noise of scale {pair.scale:.3g}: 95 % of the answers are within"
        f" ± {pair.width:.3g} of the truth; {verdict}."
    )


def noise_explorer() -> Explorer:
    """Slide ε and the sensitivity, choose the noise; see the densities and their ratio."""
    return explorer(
        noise_figure,
        noise_summary,
        noisy_pair,
        epsilon=W.FloatLogSlider(value=1, min=-1.3, max=0.7, step=0.1, description="ε"),
        sensitivity=W.IntSlider(value=1, min=1, max=10, description="sensitivity"),
        mechanism=W.Dropdown(options=MECHANISMS, description="noise"),
    )


def averaging_figure(means: pd.DataFrame, truth: float, epsilon: float) -> Figure:
    """Running means around the truth, in the band that the law of large numbers promises."""
    fig = Figure(figsize=SIZE, layout="constrained")
    half = 1.96 * math.sqrt(2) / epsilon / np.sqrt(means.index.to_numpy(float))
    band = pd.Series(half, index=means.index)
    plot_averages(means, truth, half_width=band, unit="Mean answer", ax=fig.subplots())
    return fig


def averaging_summary(means: pd.DataFrame, truth: float, epsilon: float) -> str:
    """What the average gives away, and what all answers together cost."""
    k = len(means)
    error = float(np.abs(means.iloc[-1] - truth).mean())
    return (
        f"{k:,} answers of ε = {epsilon:.3g} cost {k * epsilon:,.4g} together by sequential"
        f" composition. The means are off by {error:.3g} on average; theory says a standard"
        f" deviation of {math.sqrt(2 / k) / epsilon:.3g}."
    )


def averaging_explorer(truth: float = 38, seed: int = 1) -> Explorer:
    """Ask the same question k times, and watch the noise being averaged away."""
    return explorer(
        lambda asked: averaging_figure(*asked),
        lambda asked: averaging_summary(*asked),
        lambda epsilon, k: (running_means(truth, epsilon, k, seed), truth, epsilon),
        epsilon=W.FloatLogSlider(
            value=0.1, min=-2, max=0.5, step=0.1, description="ε per answer"
        ),
        k=W.SelectionSlider(
            value=100, options=[1, 10, 32, 100, 320, 1000, MOST], description="answers"
        ),
    )


# Audits


def audit_figure(seen: Audited) -> Figure:
    """Releases of both inputs with the event, and the proven ε beside the claimed one."""
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.25, 1])
    plot_event(seen.counts, seen.event, unit="Output", ax=left)
    found = audit_table({"": seen.result}).assign(true_epsilon=seen.case.true_epsilon)
    plot_audits(found, ax=right)
    right.set_ylim(-1.6, 1.6)  # one bar, and not all of the height
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
    return explorer(
        audit_figure,
        audit_summary,
        lru_cache(maxsize=32)(partial(audited, seed=seed)),
        name=W.Dropdown(
            options=list(scalar_cases()), value="scale x 0.8", description="mechanism"
        ),
        samples=W.SelectionSlider(options=SAMPLES, value=200_000, description="releases"),
        low_bits=W.Checkbox(value=True, description="look at the lowest bits"),
    )


# Histograms


def histogram_figure(seen: Tried) -> Figure:
    """The first histogram, true and released, and the noise of all of them."""
    fig = Figure(figsize=WIDE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.5, 1])
    unit = f"Largest cells of {seen.utility.index[0]} (curator only)"
    plot_noisy_shares(seen.shares, unit=unit, ax=left)
    slanted: dict[str, Any] = {"rotation": 60, "ha": "right", "fontsize": "small"}
    slanted["rotation_mode"] = "anchor"
    left.set_xticks(left.get_xticks(), seen.names, **slanted)
    plot_errors(seen.utility, unit="Records (curator only)", ax=right)
    return fig


def histogram_summary(seen: Tried) -> str:
    """Bins, expected error and total variation of each histogram."""
    rows = "".join(
        f"<br><b>{html.escape(str(name))}</b>: {int(row['cells']):,} bins, expected largest"
        f" error {row['expected_largest_noise']:.0f} records, total variation"
        f" {row['total_variation']:.2f} (from noise alone at most about"
        f" {row['expected_total_variation']:.2f})"
        for name, row in seen.utility.iterrows()
    )
    return (
        f"ε = {seen.epsilon:.3g}, at most {seen.sample_size} records of each individual:"
        f" {seen.records:,} records count, under noise of scale {seen.scale:.3g}.{rows}"
    )


def histogram_explorer(
    data: pd.DataFrame,
    columns: Sequence[str],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    *,
    beside: Mapping[str, Sequence[str]] | None = None,
    seed: int = 1,
) -> Explorer:
    """Tick the columns to combine, slide ε and the records per person; see what is left.

    Parameters
    ----------
    data, num_dict, domain
        As for `pre_process`.
    columns : list of str
        Columns that may be combined, all `_c` or all `_n`; the first two are ticked.
    beside : mapping of {name: columns}, optional
        Other histograms that are released in any case.
    seed : int
        Of the noise.
    """
    others = dict(beside or {})

    def seen(epsilon: float, sample_size: int, **ticked: bool) -> Tried:
        chosen = [column for column in columns if ticked[column]]
        if not chosen:
            raise ValueError("no column is ticked; tick at least one.")
        combos = {"combined": chosen, **others}
        return tried_release(data, combos, num_dict, domain, epsilon, sample_size, seed=seed)

    ticks = {
        column: W.Checkbox(value=place < 2, description=column, indent=False)
        for place, column in enumerate(columns)
    }
    return explorer(
        histogram_figure,
        histogram_summary,
        seen,
        epsilon=W.FloatLogSlider(value=1, min=-1, max=1, step=0.1, description="ε"),
        sample_size=W.IntSlider(value=1, min=1, max=10, description="records per person"),
        **ticks,
    )
