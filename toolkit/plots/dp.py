"""Plots of differential privacy: noisy answers, audits and private histograms.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ._style import (
    ABOVE,
    BLUE,
    COLOURS,
    HATCHES,
    VERMILLION,
    axes_for,
    check_told_apart,
    draw_lines,
    line_look,
    mark_place,
    merged,
    name_rows,
    open_frame,
    small_legend,
)

__all__ = [
    "plot_answers",
    "plot_audits",
    "plot_averages",
    "plot_errors",
    "plot_event",
    "plot_log_ratio",
    "plot_neighbours",
    "plot_noisy_shares",
    "plot_power",
    "plot_variations",
    "plot_widths",
]


CELLS = 40  # whose labels can be read


# Noisy answers


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
    check_told_apart(len(COLOURS), laws.shape[1], "laws", "data sets")
    ax = axes_for(ax)
    x = laws.index.to_numpy(float)
    for i, (name, law) in enumerate(laws.items()):
        kws = line_look(i, name)
        if discrete:
            shift = 0.12 * (2 * i - laws.shape[1] + 1)
            ax.vlines(x + shift, 0, law, color=COLOURS[i], linewidth=1.2)
            kws |= {"linestyle": "none", "marker": "osD^vPX"[i], "markersize": 4}
            ax.plot(x + shift, law, **merged(line_kws, **kws))
        else:
            ax.plot(x, law, **merged(line_kws, **kws))
            ax.fill_between(x, law.to_numpy(float), color=COLOURS[i], alpha=0.08, linewidth=0)
    ax.set(xlabel=unit, ylabel="Probability" if discrete else "Density", ylim=(0, None))
    open_frame(ax)
    small_legend(ax)
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
    small_legend(ax, **ABOVE)
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
    check_told_apart(len(COLOURS), widths.shape[1], "widths", "mechanisms")
    ax = axes_for(ax)
    draw_lines(ax, widths, line_kws)
    mark_place(ax, "ε", mark)
    ax.set(xscale="log", yscale="log", xlabel="ε (smaller is safer)", ylabel=unit)
    open_frame(ax)
    small_legend(ax)
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
    check_told_apart(len(COLOURS), averages.shape[1], "averages", "runs")
    ax = axes_for(ax)
    if half_width is not None:
        k, half = half_width.index.to_numpy(float), half_width.to_numpy(float)
        band: dict[str, Any] = {"color": "0.88", "linewidth": 0, "label": "95 % band"}
        ax.fill_between(k, truth - half, truth + half, **band)
    draw_lines(ax, averages, line_kws, 1.5)
    ax.axhline(truth, color="black", linewidth=1, label="truth")
    ax.set_xscale("log")
    ax.set(xlabel="Answers averaged", ylabel=unit)
    open_frame(ax)
    small_legend(ax, ncols=2)
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
    small_legend(ax)
    return ax


# Audits


def plot_audits(table: pd.DataFrame, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw the proven ε of each audit beside the claimed one (keywords: `Axes.barh`).

    Parameters
    ----------
    table : DataFrame
        A row per audit, named by the index; columns `epsilon` (claimed), `epsilon_lower`
        (proven) and `verdict`. Bars of violations are of another colour and hatched. With a
        column `true_epsilon`, the truth is a hollow mark; an infinite one a hollow triangle
        at the right edge.
    """
    ax = axes_for(ax)
    places = np.arange(len(table))[::-1]
    broken = (table["verdict"] == "violation").to_numpy()
    look: dict[str, Any] = {"height": 0.62, "edgecolor": "white"}
    for which, colour, hatch, name in (
        (~broken, BLUE, "", "no violation found"),
        (broken, VERMILLION, "///", "violation"),
    ):
        if which.any():
            kws = merged(bar_kws, **look, color=colour, hatch=hatch, label=name)
            ax.barh(places[which], table["epsilon_lower"][which], **kws)
    claim: dict[str, Any] = {"marker": "D", "color": "black", "linestyle": "none"}
    ax.plot(table["epsilon"], places, **claim, markersize=5, label="claimed ε")
    if "true_epsilon" in table:
        _draw_truth(ax, table, places)
    name_rows(ax, places, [f"{name}" for name in table.index])
    ax.set_ylim(-0.6, max(len(table) - 0.4, 1.4))
    ax.set(xlabel="ε proven to be reached, at least (smaller is safer)", xlim=(0, None))
    open_frame(ax, "x")
    small_legend(ax, **ABOVE)
    return ax


def _draw_truth(ax: Axes, table: pd.DataFrame, places: Any) -> None:
    """Mark what is true: a hollow circle, or a triangle at the edge for infinity."""
    truth = table["true_epsilon"].to_numpy(float)
    known = table[["epsilon", "epsilon_lower"]].to_numpy(float).max(initial=0)
    edge = 1.08 * max(known, truth[np.isfinite(truth)].max(initial=0))
    hollow: dict[str, Any] = {"linestyle": "none", "markerfacecolor": "none", "color": "black"}
    for which, mark, name in (
        (np.isfinite(truth), "o", "true ε"),
        (np.isinf(truth), ">", "true ε is infinite"),
    ):
        if which.any():
            x = np.minimum(truth[which], edge)
            ax.plot(x, places[which], mark, **hollow, markersize=9, label=name)


def plot_event(
    counts: pd.DataFrame,
    event: pd.Series | None = None,
    *,
    unit: str = "",
    ax: Axes | None = None,
    **stairs_kws: Any,
) -> Axes:
    """Draw how often each output comes from either input (keywords: `Axes.stairs`, each).

    Parameters
    ----------
    counts : DataFrame of shape (bins, inputs)
        Shares of the releases; the index says where each bin begins, and bins are equally
        wide. At most 7 columns, named for the legend.
    event : Series of shape (bins,), optional
        Whether a bin belongs to the event: shaded, and named if there is any.
    unit : str
        What an output measures.
    """
    check_told_apart(len(COLOURS), counts.shape[1], "counts", "inputs")
    ax = axes_for(ax)
    left = counts.index.to_numpy(float)
    width = float(left[1] - left[0]) if len(left) > 1 else 1.0
    edges = np.append(left, left[-1] + width)
    for i, (name, share) in enumerate(counts.items()):
        look = merged(stairs_kws, **line_look(i, name, 1.8))
        ax.stairs(share.to_numpy(float), edges, **look)
    if event is not None and event.any():
        inside = event.to_numpy(bool)
        top = 1.05 * float(counts.to_numpy().max())
        ax.stairs(
            np.where(inside, top, 0.0), edges, fill=True, color="0.9", zorder=0, label="event"
        )
    ax.set(xlabel=unit, ylabel="Share of releases", ylim=(0, None))
    open_frame(ax)
    small_legend(ax)
    return ax


def plot_power(power: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw the chance that an audit flags a broken claim (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    power : DataFrame of shape (true values of ε, numbers of releases)
        Chances by the true ε over the claimed one, the index; at most 7 columns, named by
        the number of releases.
    """
    check_told_apart(len(COLOURS), power.shape[1], "power", "columns")
    ax = axes_for(ax)
    names = [f"{name:,} releases" if isinstance(name, int) else name for name in power]
    draw_lines(ax, power.set_axis(names, axis=1), line_kws)
    ax.axhline(0.9, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="True ε over claimed ε", ylabel="Chance of a violation", ylim=(0, 1.03))
    open_frame(ax)
    small_legend(ax)
    return ax


# Histograms


def plot_noisy_shares(
    shares: pd.DataFrame, *, unit: str = "", ax: Axes | None = None, **bar_kws: Any
) -> Axes:
    """Draw shares of cells side by side, the truth and others (keywords: `Axes.bar`, each).

    Parameters
    ----------
    shares : DataFrame of shape (cells, histograms)
        Shares of at most 40 cells, named by the index; at most 7 columns, named for the
        legend.
    unit : str
        What a cell is.
    """
    check_told_apart(CELLS, len(shares), "shares", "cells")
    check_told_apart(len(COLOURS), shares.shape[1], "shares", "histograms")
    ax = axes_for(ax)
    places, width = np.arange(len(shares)), 0.84 / shares.shape[1]
    for i, (name, column) in enumerate(shares.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "white"}
        shift = (i - (shares.shape[1] - 1) / 2) * width
        ax.bar(places + shift, column, width, **merged(bar_kws, **kws, label=f"{name}"))
    ax.set_xticks(places, [f"{cell}" for cell in shares.index])
    ax.tick_params(axis="x", length=0, rotation=45 if len(shares) > 14 else 0)
    ax.set(xlabel=unit, ylabel="Share of records", ylim=(0, None))
    open_frame(ax)
    small_legend(ax)
    return ax


def plot_errors(
    table: pd.DataFrame, *, unit: str = "", ax: Axes | None = None, **bar_kws: Any
) -> Axes:
    """Draw the largest error of each histogram beside what noise alone makes (`Axes.barh`).

    Parameters
    ----------
    table : DataFrame
        A row per histogram; columns `cells`, `largest_error` and `expected_largest_noise`.
        The fewest cells stand on top.
    unit : str
        What the error is counted in, and who may see it.
    """
    ax = axes_for(ax)
    order = table.sort_values("cells", kind="stable")
    places = np.arange(len(order))
    look: dict[str, Any] = {"color": VERMILLION, "height": 0.6, "label": "largest error"}
    ax.barh(places, order["largest_error"], **merged(bar_kws, **look))
    expected: dict[str, Any] = {"linestyle": "none", "marker": "D", "color": "black"}
    expected |= {"markeredgecolor": "white", "label": "expected from noise alone"}
    ax.plot(order["expected_largest_noise"], places, **expected)
    names = zip(order.index, order["cells"], strict=True)
    name_rows(ax, places, [f"{name}\n{cells:,.0f} cells" for name, cells in names])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set(xlabel=unit, xlim=(0, None))
    ax.margins(x=0.08)
    open_frame(ax, "x")
    small_legend(ax, **{**ABOVE, "ncols": 2})
    return ax


def plot_variations(
    variations: pd.DataFrame, *, mark: float | None = None, ax: Axes | None = None, **kws: Any
) -> Axes:
    """Draw the total variation that noise causes, a line per histogram (`Axes.plot`, each).

    Parameters
    ----------
    variations : DataFrame of shape (values of ε, histograms)
        Total variation by ε, the index; at most 7 columns, named for the legend.
    mark : float, optional
        An ε to mark.
    """
    check_told_apart(len(COLOURS), variations.shape[1], "variations", "histograms")
    ax = axes_for(ax)
    draw_lines(ax, variations, kws)
    mark_place(ax, "ε", mark)
    ax.set(xscale="log", xlabel="ε of the release (smaller is safer)", ylim=(0, 1.03))
    ax.set_ylabel("Total variation (0 is exact)")
    open_frame(ax)
    small_legend(ax)
    return ax
