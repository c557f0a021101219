"""Plots of differential privacy: noisy answers, audits, histograms, possible worlds, beliefs.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from . import _style as style
from ._style import ABOVE, BLUE, COLOURS, HATCHES, VERMILLION, Array, axes_for, merged

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
    style.check_told_apart(len(COLOURS), laws.shape[1], "laws", "data sets")
    ax = axes_for(ax)
    x = laws.index.to_numpy(float)
    for i, (name, law) in enumerate(laws.items()):
        kws = style.line_look(i, name)
        if discrete:
            shift = 0.12 * (2 * i - laws.shape[1] + 1)
            ax.vlines(x + shift, 0, law, color=COLOURS[i], linewidth=1.2)
            kws |= {"linestyle": "none", "marker": "osD^vPX"[i], "markersize": 4}
            ax.plot(x + shift, law, **merged(line_kws, **kws))
        else:
            ax.plot(x, law, **merged(line_kws, **kws))
            ax.fill_between(x, law.to_numpy(float), color=COLOURS[i], alpha=0.08, linewidth=0)
    ax.set(xlabel=unit, ylabel="Probability" if discrete else "Density", ylim=(0, None))
    return style.finished(ax, legend={})


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
    return style.finished(ax, legend=ABOVE)


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
    ax = style.draw_lines(ax, widths, "widths", "mechanisms", line_kws)
    style.mark_place(ax, "ε", mark)
    ax.set(xscale="log", yscale="log", xlabel="ε (smaller is safer)", ylabel=unit)
    return style.finished(ax, legend={})


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
    style.check_told_apart(len(COLOURS), averages.shape[1], "averages", "runs")
    ax = axes_for(ax)
    if half_width is not None:
        k, half = half_width.index.to_numpy(float), half_width.to_numpy(float)
        low, high = truth - half, truth + half
        ax.fill_between(k, low, high, color="0.88", linewidth=0, label="95 % band")
    style.draw_lines(ax, averages, "averages", "runs", line_kws, 1.5)
    ax.axhline(truth, color="black", linewidth=1, label="truth")
    ax.set(xlabel="Answers averaged", ylabel=unit, xscale="log")
    return style.finished(ax, legend={"ncols": 2})


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
    kept = {"color": BLUE, "edgecolor": "white"}
    kinds = ((~broken, kept, "no violation found"), (broken, style.FLAGGED, "violation"))
    for which, look, name in kinds:
        if which.any():
            kws = merged(bar_kws, **look, height=0.62, label=name)
            ax.barh(places[which], table["epsilon_lower"][which], **kws)
    ax.plot(table["epsilon"], places, "D", color="black", markersize=5, label="claimed ε")
    if "true_epsilon" in table:
        _draw_truth(ax, table, places)
    style.name_rows(ax, places, [f"{name}" for name in table.index])
    ax.set_ylim(-0.6, max(len(table) - 0.4, 1.4))
    ax.set(xlabel="ε proven to be reached, at least (smaller is safer)", xlim=(0, None))
    return style.finished(ax, "x", legend=ABOVE)


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
    style.check_told_apart(len(COLOURS), counts.shape[1], "counts", "inputs")
    ax = axes_for(ax)
    left = counts.index.to_numpy(float)
    width = float(left[1] - left[0]) if len(left) > 1 else 1.0
    edges = np.append(left, left[-1] + width)
    for i, (name, share) in enumerate(counts.items()):
        look = merged(stairs_kws, **style.line_look(i, name, 1.8))
        ax.stairs(share.to_numpy(float), edges, **look)
    if event is not None and event.any():
        inside = np.where(event.to_numpy(bool), 1.05 * float(counts.to_numpy().max()), 0.0)
        ax.stairs(inside, edges, fill=True, color="0.9", zorder=0, label="event")
    ax.set(xlabel=unit, ylabel="Share of releases", ylim=(0, None))
    return style.finished(ax, legend={})


def plot_power(power: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw the chance that an audit flags a broken claim (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    power : DataFrame of shape (true values of ε, numbers of releases)
        Chances by the true ε over the claimed one, the index; at most 7 columns, named by
        the number of releases.
    """
    names = [f"{name:,} releases" if isinstance(name, int) else name for name in power]
    ax = style.draw_lines(ax, power.set_axis(names, axis=1), "power", "columns", line_kws)
    ax.axhline(0.9, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="True ε over claimed ε", ylabel="Chance of a violation", ylim=(0, 1.03))
    return style.finished(ax, legend={})


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
    style.check_told_apart(CELLS, len(shares), "shares", "cells")
    style.check_told_apart(len(COLOURS), shares.shape[1], "shares", "histograms")
    ax = axes_for(ax)
    places, width = np.arange(len(shares)), 0.84 / shares.shape[1]
    for i, (name, column) in enumerate(shares.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "white"}
        shift = (i - (shares.shape[1] - 1) / 2) * width
        ax.bar(places + shift, column, width, **merged(bar_kws, **kws, label=f"{name}"))
    ax.set_xticks(places, [f"{cell}" for cell in shares.index])
    ax.tick_params(axis="x", length=0, rotation=45 if len(shares) > 14 else 0)
    ax.set(xlabel=unit, ylabel="Share of records", ylim=(0, None))
    return style.finished(ax, legend={})


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
    look = merged(bar_kws, color=VERMILLION, height=0.6, label="largest error")
    ax.barh(places, order["largest_error"], **look)
    dots: dict[str, Any] = {"markeredgecolor": "white", "label": "expected from noise alone"}
    ax.plot(order["expected_largest_noise"], places, "D", color="black", **dots)
    names = zip(order.index, order["cells"], strict=True)
    style.name_rows(ax, places, [f"{name}\n{cells:,.0f} cells" for name, cells in names])
    ax.set(xlabel=unit, xlim=(0, None), ylim=(len(order) - 0.4, -0.6))
    ax.margins(x=0.08)
    return style.finished(ax, "x", legend={**ABOVE, "ncols": 2})


# Differential identifiability: possible worlds, beliefs, noise


BOX: dict[str, Any] = {"color": "#9ECAE1", "edgecolor": BLUE, "linewidth": 1}


WORLDS = 40  # rows or bars that can be told apart


def plot_worlds(
    worlds: pd.DataFrame,
    outputs: pd.Series,
    *,
    known: int,
    unit: str = "",
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw each possible world as a row of records, and its output (keywords: `scatter`).

    Parameters
    ----------
    worlds : DataFrame of shape (m, n)
        At most 40 possible worlds, the known records first.
    outputs : Series of shape (m,)
        Output of the query in each, drawn as a diamond.
    known : int
        How many of the records are known.
    unit : str
        What the records measure.

    Examples
    --------
    >>> table = pd.DataFrame([[1, 3, 2], [1, 3, 4]])
    >>> ax = plot_worlds(table, pd.Series([2, 8 / 3]), known=2)
    >>> ax.get_ylabel()
    'Possible world'
    """
    style.check_told_apart(WORLDS, len(worlds), "worlds", "worlds")
    style.check_one_each(outputs, len(worlds), "outputs", "number per world")
    ax = axes_for(ax)
    rows, table = np.arange(len(worlds)), worlds.to_numpy(float)
    ax.hlines(rows, table.min(), table.max(), color="0.9", linewidth=1, zorder=0)
    for column in range(table.shape[1]):
        name, ink = ("known record", "0.75") if column < known else ("candidate", style.ORANGE)
        look = merged(scatter_kws, s=60, edgecolor="0.25", linewidth=0.7, color=ink)
        label = name if column in (0, known) else None
        ax.scatter(table[:, column], rows, **{"label": label, **look})
    name, at = "output of the query", rows + 0.27
    ax.scatter(outputs, at, s=38, color=BLUE, marker="D", zorder=3, label=name)
    style.name_rows(ax, rows, [rf"$\omega_{{{row + 1}}}$" for row in rows])
    ax.set(xlabel=unit or "Value", ylabel="Possible world")
    return style.finished(ax, "rows", legend=ABOVE, ylim=(len(rows) - 0.5, -0.5))


def plot_densities(
    outputs: pd.Series,
    scale: float,
    *,
    response: float | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw how likely each response is in each world (keywords: `Axes.plot`, per world).

    Parameters
    ----------
    outputs : Series of shape (m,)
        Output in each of at most 40 worlds, named by its index.
    scale : float
        Scale of the Laplace noise, above 0.
    response : float, optional
        A response to mark.
    unit : str
        What the query measures.
    """
    style.check_told_apart(WORLDS, len(outputs), "outputs", "worlds")
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"scale must be positive and finite to be drawn; got {scale}.")
    ax = axes_for(ax)
    values = outputs.to_numpy(float)
    x = np.linspace(values.min() - 3 * scale, values.max() + 3 * scale, 600)
    x = np.sort(np.append(x, values))  # the peaks themselves
    for output, look in zip(values, _world_looks(outputs.index), strict=True):
        height = np.exp(-np.abs(x - output) / scale) / (2 * scale)
        ax.plot(x, height, **merged(line_kws, **look))
        if response is not None:
            density = np.exp(-abs(response - output) / scale) / (2 * scale)
            dot: dict[str, Any] = {"color": look["color"], "markersize": 5}
            ax.plot(response, density, "o", **dot, markeredgecolor="0.2")
    if response is not None:
        ax.axvline(response, color="0.3", linewidth=1)
        place = ax.get_xaxis_transform()
        ax.text(response, 1, f" R = {response:g}", transform=place, va="top")
    ax.set(xlabel=unit or "Response R", ylabel="Density of the response", ylim=(0, None))
    columns = {"title": outputs.index.name or "world", "ncols": 1 + (len(values) > 6)}
    return style.finished(ax, legend=columns if len(values) <= 12 else None)


def _world_looks(names: Any) -> list[dict[str, Any]]:
    """Shade, dashes and name of the line of each world."""
    shades = mpl.colormaps["cividis"](np.linspace(0, 0.9, len(names)))
    looks: list[dict[str, Any]] = []
    for i, (name, shade) in enumerate(zip(names, shades, strict=True)):
        look = {"color": shade, "linestyle": style.LINE_STYLES[i % 4], "linewidth": 1.6}
        looks.append({**look, "label": _label(name)})
    return looks


def plot_world_posterior(
    posterior: pd.Series,
    *,
    prior: Any = None,
    rho: float | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the belief in each world as bars, against ρ and 1/m (keywords: `Axes.bar`).

    Parameters
    ----------
    posterior : Series of shape (m,)
        Probabilities of at most 40 worlds, named by the index.
    prior : array-like of shape (m,), optional
        Probabilities before, drawn as outlines.
    rho : float, optional
        Policy, drawn as a line; bars above it are of another colour and hatched.
    """
    style.check_told_apart(WORLDS, len(posterior), "posterior", "worlds")
    ax = axes_for(ax)
    belief, places = posterior.to_numpy(float), np.arange(len(posterior))
    above = belief > (math.inf if rho is None else rho * (1 + 1e-9))
    look: dict[str, Any] = {"color": np.where(above, VERMILLION, BLUE), "edgecolor": "white"}
    look["hatch"] = np.where(above, "///", "").tolist()
    ax.bar(places, belief, **merged(bar_kws, **look, width=0.72))
    if prior is not None:
        ax.bar(places, np.asarray(prior, float), width=0.82, label="prior", **style.OUTLINE)
    if rho is not None:
        ax.axhline(rho, color=VERMILLION, linestyle="--", label=f"ρ = {rho:.4g}")
    even = 1 / len(belief)
    ax.axhline(even, color="0.45", linestyle=":", label=f"1/m = {even:.4g}")
    _name_ticks(ax, places, posterior.index, 20)
    ax.tick_params(axis="x", length=0, rotation=45 if len(belief) > 12 else 0)
    ax.set_ylim(0, min(1.02, 1.25 * max(belief.max(), rho or 0, even)))
    ax.set(xlabel=f"{posterior.index.name or 'World'}", ylabel="Belief (probability)")
    return style.finished(ax, legend=ABOVE)


def plot_beliefs(
    beliefs: pd.DataFrame,
    *,
    outputs: pd.Series | None = None,
    levels: Mapping[str, float] | None = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the belief in each world against the response (keywords: `Axes.plot`, per world).

    Parameters
    ----------
    beliefs : DataFrame of shape (responses, m)
        A row per response, which is its index; a column for each of at most 40 worlds.
    outputs : Series of shape (m,), optional
        Output in each world; the belief at that response is marked, and named.
    levels : mapping of str to float, optional
        Names and heights of lines to compare with.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0.7, 0.5], "b": [0.3, 0.5]}, index=[0.0, 1.0])
    >>> ax = plot_beliefs(table, levels={"policy": 0.6})
    >>> [line.get_label() for line in ax.lines]
    ['a', 'b', 'policy: 0.600']
    """
    style.check_told_apart(WORLDS, beliefs.shape[1], "beliefs", "worlds")
    ax = axes_for(ax)
    responses = beliefs.index.to_numpy(float)
    for i, look in enumerate(_world_looks(beliefs.columns)):
        belief = beliefs.iloc[:, i]
        if outputs is not None:  # each curve has its name at its dot, not in the legend
            at = (outputs.iloc[i], np.interp(outputs.iloc[i], responses, belief))
            ax.plot(*at, "o", color=look["color"], markeredgecolor="0.2", markersize=6)
            place: dict[str, Any] = {"xytext": (0, 6), "textcoords": "offset points"}
            ax.annotate(look.pop("label"), at, **place, ha="center", fontsize="small")
        ax.plot(responses, belief, **merged(line_kws, **look))
    for i, (what, height) in enumerate((levels or {}).items()):
        ink, dashes = (("black", "--"), (VERMILLION, "-"), ("0.5", ":"))[i % 3]
        name = f"{what}: {height:.3f}"
        ax.axhline(height, label=name, color=ink, linestyle=dashes, linewidth=1.2)
    ax.set(xlabel="Response R", ylabel="Belief (probability)", ylim=(0, None))
    return style.finished(ax, legend=ABOVE if levels or outputs is None else None)


def plot_curves(
    curves: pd.DataFrame,
    *,
    mark: float | None = None,
    least: float | None = None,
    diagonal: bool = False,
    halvings: bool = False,
    unit: str = "",
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw numbers against the policy ρ, a line per column (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    curves : DataFrame of shape (r, c)
        Index: policies ρ. Columns: up to 7 results, named for the legend. Missing and
        infinite numbers leave a gap.
    mark : float, optional
        A policy to mark.
    least : float, optional
        The largest policy that no noise can reach, 1/m: all below it is shaded.
    diagonal : bool
        Draw the line on which the result equals ρ.
    halvings : bool
        Logarithmic axis of halvings, labelled 1/2, 1/4, ...
    unit : str
        What the curves measure.
    """
    finite, rhos = curves.replace([np.inf, -np.inf], np.nan), curves.index.to_numpy(float)
    ax = style.draw_lines(ax, finite, "curves", "curves", line_kws)
    if diagonal:
        look: dict[str, Any] = {"color": VERMILLION, "linewidth": 1.4, "zorder": 3}
        ax.plot([0, 1], [0, 1], linestyle=(0, (4, 4)), label="risk = ρ", **look)
    if least is not None:
        ax.axvspan(0, least, color="0.9", zorder=0, linewidth=0)
        ax.axvline(least, color="0.45", linestyle=":", label=f"1/m = {least:.3g}")
    style.mark_place(ax, "ρ", mark)
    ax.set(xlabel="Policy ρ (largest belief allowed)", ylabel=unit)
    if halvings:
        _halve(ax, rhos if least is None else np.append(rhos, least / 1.5))
    elif rhos.min() >= 0 and rhos.max() <= 1:
        ax.set_xlim(0, 1)
    style.open_frame(ax)
    ax.legend(fontsize="small", framealpha=0.85, edgecolor="none")
    return ax


def plot_noise(
    quantiles: pd.DataFrame,
    *,
    unit: str = "",
    xlabel: str = "Policy ρ",
    log: bool = True,
    linear: float | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the spread of the noise as boxes, one per setting (keywords: `Axes.bar`).

    Parameters
    ----------
    quantiles : DataFrame of shape (settings, 5)
        A row per setting, named by the index: low whisker, lower quartile, median, upper
        quartile, high whisker. Where no finite noise does, the row is missing or infinite, and
        its place is shaded.
    unit : str
        What the noise measures.
    xlabel : str
        What the settings are.
    log : bool
        Symmetric logarithmic axis, on which noise of all sizes can be seen, if sizes differ
        much.
    linear : float, optional
        Noise up to this is drawn on a linear scale between the two logarithmic ones; by
        default half of the narrowest whisker. Pictures to be compared need the same.
    """
    if quantiles.shape[1] != 5:
        raise ValueError(
            f"quantiles must have 5 columns, whiskers and quartiles in order; got"
            f" {quantiles.shape[1]}."
        )
    ax = axes_for(ax)
    table, places = quantiles.to_numpy(float), np.arange(len(quantiles))
    finite = np.isfinite(table).all(axis=1)
    low, first, middle, third, high = table[finite].T if finite.any() else np.empty((5, 0))
    at = places[finite]
    for ends in ((low, first), (third, high)):
        ax.vlines(at, *ends, color="0.35", linewidth=1)
    ax.bar(at, third - first, bottom=first, **merged(bar_kws, width=0.62, **BOX))
    ax.hlines(middle, at - 0.31, at + 0.31, color=VERMILLION, linewidth=1.6)
    sizes = np.abs(table[finite]).max(axis=1)
    core = linear or (float(sizes.min()) / 2 if finite.any() else 1.0)
    if log and finite.any() and sizes.max() > 100 * core:
        ax.set_yscale("symlog", linthresh=core)
        smallest = math.ceil(math.log10(1.5 * core))
        tens = 10.0 ** np.arange(smallest, math.log10(sizes.max()) + 1)
        tens = tens[:: -math.ceil(len(tens) / 4)][::-1]
        ax.set_yticks([*-tens[::-1], 0, *tens])
        ax.minorticks_off()
    _shade(ax, places[~finite])
    ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    _name_ticks(ax, places, quantiles.index, 6)
    ax.set(xlabel=xlabel, ylabel=unit, xlim=(-0.6, len(places) - 0.4))
    return style.finished(ax)


def plot_noise_draws(
    draws: pd.DataFrame,
    *,
    limit: float,
    shift: float = 0.0,
    color: str = BLUE,
    unit: str = "",
    xlabel: str = "Policy ρ",
    widths: float | None = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw drawn noise as boxes and outliers on a linear axis (keywords: its lines).

    Parameters
    ----------
    draws : DataFrame of shape (draws, settings)
        A column per setting, named by it. Where no finite noise does, the column is missing
        or infinite, and its place is shaded.
    limit : float
        Half the height of the axis; what is beyond leaves the picture.
    shift : float
        How far to the right of their places boxes stand, for two groups side by side; a
        shifted group shades nothing.
    color : str
        Colour of boxes, whiskers (to 1.5 times the quartiles' distance) and outliers.
    unit : str
        What the noise measures.
    xlabel : str
        What the settings are.
    widths : float, optional
        Width of the boxes; by default .55, and .32 if they are shifted.

    Examples
    --------
    >>> ax = plot_noise_draws(pd.DataFrame({"50": [-1.0, 0, 1], "25": [np.inf] * 3}), limit=2)
    >>> [float(end) for end in ax.get_ylim()], len(ax.patches)
    ([-2.0, 2.0], 1)
    """
    ax = axes_for(ax)
    table, places = draws.to_numpy(float), np.arange(draws.shape[1])
    finite = np.isfinite(table).all(axis=0)
    line = merged(line_kws, color=color, linewidth=0.9)
    flat = {"marker": "+", "markersize": 4, "markeredgecolor": color, "markeredgewidth": 0.7}
    look: dict[str, Any] = {"boxprops": line, "capprops": line, "flierprops": flat}
    look["whiskerprops"] = {"linestyle": "--"} | line
    look["medianprops"] = line | {"color": line_kws.get("color", VERMILLION)}
    look |= {
        "positions": places[finite] + shift,
        "widths": widths or (0.32 if shift else 0.55),
    }
    ax.boxplot(table[:, finite], manage_ticks=False, **look)
    if not shift:
        _shade(ax, places[~finite])
    _name_ticks(ax, places, draws.columns, 6)
    ax.set(xlabel=xlabel, ylabel=unit, xlim=(-0.8, len(places) - 0.2), ylim=(-limit, limit))
    ax.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
    return style.finished(ax)


def plot_search(
    steps: pd.DataFrame,
    *,
    target: float | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the bracket of a binary search, a bar per step downwards (keywords: `Axes.barh`).

    Parameters
    ----------
    steps : DataFrame of shape (steps, any)
        Columns `low` and `high`, and `middle`, where the search looks next.
    target : float, optional
        What is found in the end.
    unit : str
        What the bracket measures.
    """
    style.check_has_columns(steps, "steps", "low", "middle", "high")
    ax = axes_for(ax)
    look = merged(bar_kws, height=0.6, **BOX)
    places = np.arange(1, len(steps) + 1)
    ax.barh(places, steps["high"] - steps["low"], left=steps["low"], **look)
    ax.plot(steps["middle"], places, "o", color=VERMILLION, markersize=4, label="tried")
    if target is not None:
        root = f"root {target:.6g}"
        ax.axvline(target, color="0.2", linestyle="--", linewidth=1, label=root)
    ax.yaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
    ax.set(xlabel=unit, ylabel="Step of the search", ylim=(len(steps) + 0.6, 0.4))
    return style.finished(ax, "x", legend={})


def plot_attack(
    success: pd.DataFrame,
    *,
    rho: float | None = None,
    errors: pd.DataFrame | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw how often attacks succeed, groups of bars (keywords: `Axes.bar`, per group).

    Parameters
    ----------
    success : DataFrame of shape (groups, kinds)
        Shares of successes: a group per row, a colour per column.
    rho : float, optional
        Policy, drawn as a line.
    errors : DataFrame of the same shape, optional
        Half widths of intervals.
    """
    style.check_told_apart(len(COLOURS), success.shape[1], "success", "kinds")
    ax = axes_for(ax)
    places, width = np.arange(len(success)), 0.8 / success.shape[1]
    form = "%.3f" if float(success.to_numpy().min()) >= 0.001 else "%.5f"
    for i, name in enumerate(success.columns):
        shift = (i - (success.shape[1] - 1) / 2) * width
        look: dict[str, Any] = {"color": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "white"}
        look |= {"label": f"{name}", "yerr": None if errors is None else errors[name]}
        kws = merged(bar_kws, **look, width=0.94 * width)
        bars, box = ax.bar(places + shift, success[name], **kws), style.white_box(0.6)
        # Readable where the line of the policy passes.
        ax.bar_label(bars, fmt=form, fontsize="small", padding=2, bbox=box)
    if rho is not None:
        ax.axhline(rho, color="0.2", linestyle="--", label=f"ρ = {rho:.4g}")
    ax.set_xticks(places, [f"{name}" for name in success.index])
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, 1.2 * max(float(success.to_numpy().max()), rho or 0))
    ax.set(ylabel="Share of attacks that name the true world")
    return style.finished(ax, legend={**ABOVE, "ncols": 4})


def _name_ticks(ax: Axes, places: Array, names: pd.Index, most: int) -> None:
    """Name places across, every so many that no more than `most` have a name."""
    every = math.ceil(len(places) / most)
    ax.set_xticks(places[::every], [_label(name) for name in names[::every]])


def _halve(ax: Axes, rhos: Array) -> None:
    """Label a logarithmic axis by halvings, the loosest policy on the left."""
    powers = np.arange(0, math.floor(-math.log2(rhos.min())) + 1)
    every = max(1, math.ceil(len(powers) / 9))
    ax.set_xscale("log", base=2)
    ax.set_xlim(1.1 * rhos.max(), rhos.min() / 1.1)
    ticks = [2.0**-k for k in powers[::every]]
    ax.set_xticks(ticks, ["1" if k == 0 else f"$2^{{-{k}}}$" for k in powers[::every]])
    ax.minorticks_off()


def _shade(ax: Axes, places: Array) -> None:
    """Shade the places of settings that no finite noise reaches, and say so once."""
    for i, place in enumerate(places):
        name = "no noise reaches ρ" if i == 0 else None
        ax.axvspan(place - 0.5, place + 0.5, color="0.9", linewidth=0, zorder=0, label=name)
    if len(places):
        behind = {"frameon": True, "framealpha": 0.9, "edgecolor": "none"}
        style.small_legend(ax, loc="upper left", **behind)


def _label(name: object) -> str:
    number = isinstance(name, (int, float, np.number)) and not isinstance(name, bool)
    return f"{name:g}" if number else f"{name}"
