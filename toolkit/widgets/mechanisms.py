"""Explorers of noisy answers: epsilon, repetition and accuracy.

As in `toolkit.widgets`, every explorer maps controls to a figure and a sentence, which need no
notebook.
"""

from __future__ import annotations

import math

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..dp.mechanisms import MOST, running_means as running_means
from ..dp.noise import MECHANISMS, NoisyPair as NoisyPair, noisy_pair as noisy_pair
from ..plots.mechanisms import plot_averages, plot_log_ratio, plot_neighbours
from ._explorer import Explorer, explorer

__all__ = [
    "averaging_explorer",
    "averaging_figure",
    "averaging_summary",
    "noise_explorer",
    "noise_figure",
    "noise_summary",
]


SIZE = (9.0, 3.6)


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
    controls = {
        "epsilon": W.FloatLogSlider(value=1, min=-1.3, max=0.7, step=0.1, description="ε"),
        "sensitivity": W.IntSlider(value=1, min=1, max=10, description="sensitivity"),
        "mechanism": W.Dropdown(options=MECHANISMS, description="noise"),
    }
    return explorer(
        lambda **setting: noise_figure(noisy_pair(**setting)),
        lambda **setting: noise_summary(noisy_pair(**setting)),
        **controls,
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

    def means(epsilon: float, k: int) -> pd.DataFrame:
        return running_means(truth, epsilon, k, seed)

    controls = {
        "epsilon": W.FloatLogSlider(
            value=0.1, min=-2, max=0.5, step=0.1, description="ε per answer"
        ),
        "k": W.SelectionSlider(
            value=100, options=[1, 10, 32, 100, 320, 1000, MOST], description="answers"
        ),
    }
    return explorer(
        lambda epsilon, k: averaging_figure(means(epsilon, k), truth, epsilon),
        lambda epsilon, k: averaging_summary(means(epsilon, k), truth, epsilon),
        **controls,
    )
