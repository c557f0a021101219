r"""Figures of noisy answers: results in, Axes out.

Every function draws on `ax` (on a new figure when None), returns it, and passes its extra
keywords to the one matplotlib call that its docstring names. Colours are those of Okabe and
Ito; line styles and hatches tell the same apart in grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ._style import BLUE, COLOURS, VERMILLION, axes_for, merged, open_frame

__all__ = [
    "plot_answers",
    "plot_averages",
    "plot_log_ratio",
    "plot_neighbours",
    "plot_widths",
]


STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


def plot_neighbours(
    laws: pd.DataFrame,
    *,
    discrete: bool = False,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw how likely each answer is, a curve per data set (keywords: `Axes.plot`).

    Parameters
    ----------
    laws : DataFrame of shape (points, data sets)
        Density or probability of each answer, the index; at most 7 columns, named for the
        legend.
    discrete : bool
        Whether answers are whole numbers: dots on stems.
    unit : str
        What an answer measures.
    """
    _at_most(laws.shape[1], "laws", "data sets")
    ax = axes_for(ax)
    x = laws.index.to_numpy(float)
    for i, (name, law) in enumerate(laws.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 2}
        if discrete:
            shift = 0.12 * (2 * i - laws.shape[1] + 1)
            ax.vlines(x + shift, 0, law, color=COLOURS[i], linewidth=1.2)
            kws |= {"linestyle": "none", "marker": "osD^vPX"[i], "markersize": 4}
            ax.plot(x + shift, law, **merged(line_kws, **kws, label=f"{name}"))
        else:
            ax.plot(x, law, **merged(line_kws, **kws, label=f"{name}"))
            ax.fill_between(x, law.to_numpy(float), color=COLOURS[i], alpha=0.08, linewidth=0)
    ax.set(xlabel=unit, ylabel="Probability" if discrete else "Density", ylim=(0, None))
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_log_ratio(
    log_ratio: pd.Series,
    epsilon: float,
    *,
    discrete: bool = False,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the logarithm of a ratio of probabilities, and the band ±ε (keywords: `Axes.plot`).

    Parameters
    ----------
    log_ratio : Series
        Natural logarithm of the ratio at each answer, the index. Where it leaves the band, it
        is drawn in another colour and thicker.
    epsilon : float
        Half width of the band.
    discrete : bool
        Whether answers are whole numbers: dots.
    unit : str
        What an answer measures.
    """
    ax = axes_for(ax)
    x, y = log_ratio.index.to_numpy(float), log_ratio.to_numpy(float)
    out = np.abs(y) > epsilon * (1 + 1e-9)
    kws: dict[str, Any] = {"color": BLUE, "linewidth": 2, "label": "log ratio"}
    if discrete:
        kws |= {"linestyle": "none", "marker": "o", "markersize": 4}
    ax.axhspan(-epsilon, epsilon, color="0.92", linewidth=0, zorder=0)
    for edge in (-epsilon, epsilon):
        ax.axhline(edge, color="0.35", linestyle="--", linewidth=1)
    ax.plot(x, np.where(out, np.nan, y), **merged(line_kws, **kws))
    if out.any():
        broken = {**kws, "color": VERMILLION, "linewidth": 3, "label": "outside ±ε"}
        ax.plot(x, np.where(out, y, np.nan), **merged(line_kws, **broken))
    ax.plot([], [], color="0.35", linestyle="--", linewidth=1, label=f"±ε = ±{epsilon:.3g}")
    reach = 1.35 * max(epsilon, float(np.nanmax(np.abs(y))))
    ax.set(xlabel=unit, ylabel="Log ratio (natural logarithm)", ylim=(-reach, reach))
    open_frame(ax)
    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
    ax.legend(frameon=False, fontsize="small", **place)
    return ax


def plot_widths(
    widths: pd.DataFrame,
    *,
    mark: float | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw what privacy costs in accuracy, a line per mechanism (keywords: `Axes.plot`).

    Parameters
    ----------
    widths : DataFrame of shape (values of ε, mechanisms)
        Error that is rarely passed, by ε, the index; at most 7 columns, named for the legend.
        Missing numbers leave a gap.
    mark : float, optional
        An ε to mark.
    unit : str
        What the error measures.
    """
    _at_most(widths.shape[1], "widths", "mechanisms")
    ax = axes_for(ax)
    for i, (name, column) in enumerate(widths.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 2}
        x, y = widths.index.to_numpy(float), column.to_numpy(float)
        ax.loglog(x, y, **merged(line_kws, **kws, label=f"{name}"))
    if mark is not None:
        ax.axvline(mark, color="0.2", linewidth=1, label=f"ε = {mark:.3g}")
    ax.set(xlabel="ε (smaller is safer)", ylabel=unit)
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_averages(
    averages: pd.DataFrame,
    truth: float,
    *,
    half_width: pd.Series | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the mean of the first k answers, a line per run (keywords: `Axes.plot`).

    Parameters
    ----------
    averages : DataFrame of shape (answers, runs)
        Mean of the first k answers, by k, the index; at most 7 columns.
    truth : float
        What is asked for.
    half_width : Series, optional
        Error of the mean that is rarely passed, by k: a band around the truth.
    unit : str
        What an answer measures.
    """
    _at_most(averages.shape[1], "averages", "runs")
    ax = axes_for(ax)
    if half_width is not None:
        k, half = half_width.index.to_numpy(float), half_width.to_numpy(float)
        band: dict[str, Any] = {"color": "0.88", "linewidth": 0, "label": "95 % band"}
        ax.fill_between(k, truth - half, truth + half, **band)
    for i, (name, column) in enumerate(averages.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 1.5}
        ax.plot(averages.index, column, **merged(line_kws, **kws, label=f"{name}"))
    ax.axhline(truth, color="black", linewidth=1, label="truth")
    ax.set_xscale("log")
    ax.set(xlabel="Answers averaged", ylabel=unit)
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small", ncols=2)
    return ax


def plot_answers(
    answers: pd.DataFrame,
    truth: float,
    *,
    half_width: pd.Series | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw noisy answers by ε, beside the error that theory promises (keywords: `scatter`).

    Parameters
    ----------
    answers : DataFrame of shape (answers, values of ε)
        A column of answers per ε, the name of the column.
    truth : float
        The true answer.
    half_width : Series of shape (values of ε,), optional
        Error that is rarely passed, by ε: a bracket around the truth.
    unit : str
        What an answer measures.
    """
    ax = axes_for(ax)
    places = np.arange(answers.shape[1])
    spread = np.linspace(-0.22, 0.22, max(len(answers), 2))[: len(answers)]
    for i, (place, name) in enumerate(zip(places, answers.columns, strict=True)):
        look: dict[str, Any] = {"s": 9, "color": BLUE, "alpha": 0.45, "linewidth": 0}
        if i == 0:
            look["label"] = "noisy answers"
        ax.scatter(place + spread, answers[name], **merged(scatter_kws, **look))
    if half_width is not None:
        half = half_width.reindex(answers.columns).to_numpy(float)
        bracket: dict[str, Any] = {"fmt": "none", "ecolor": VERMILLION, "capsize": 9}
        middle = np.full(len(places), truth)
        ax.errorbar(places, middle, half, **bracket, linewidth=2, label="95 % promised")
    ax.axhline(truth, color="black", linewidth=1, label="truth")
    ax.set_xticks(places, [f"{name:g}" for name in answers.columns])
    ax.set(xlabel="ε (smaller is safer)", ylabel=unit)
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _at_most(count: int, argument: str, what: str) -> None:
    if not 0 < count <= len(COLOURS):
        raise ValueError(
            f"{argument} must have from 1 to {len(COLOURS)} {what} to be told apart; got"
            f" {count}."
        )
