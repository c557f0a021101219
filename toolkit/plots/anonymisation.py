"""Plots of anonymised tables: classes, losses, lattices, regions, risk against loss.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
Vermillion and hatching mark classes that are too small.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from . import _style as style
from ._style import BLUE, CENTRED, GREEN, ORANGE, SKY, VERMILLION, Array, axes_for, merged

PALE = ("#E3EEF6", "#F7F7F7")  # neighbouring classes


LOOKS = ((VERMILLION, "o", "-"), (BLUE, "s", "--"), (GREEN, "^", "-."), ("black", "D", ":"))


ROWS = 14  # records that are written out


NODES = 80  # nodes of a lattice that can be told apart


COLUMNS = 15  # that can be told apart


RISKS = (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def plot_crowds(
    records: pd.DataFrame, classes: Any, *, k: int, ax: Axes | None = None, **text_kws: Any
) -> Axes:
    """Write a small table, class by class (keywords: `Axes.text`, per cell).

    Parameters
    ----------
    records : DataFrame of shape (n_records, n_columns)
        At most 14 records, whose labels stand before them.
    classes : array-like of shape (n_records,)
        Number of the class of each record. Classes stand together, in order of their numbers.
    k : int
        Records of a class that is smaller are hatched and crossed out.

    Examples
    --------
    >>> ax = plot_crowds(pd.DataFrame({"age": [35, 36, 35]}), [0, 1, 0], k=2)
    >>> [text.get_text() for text in ax.texts]
    ['', 'age', '0', '35', '2', '35', '1', '36', '2 alike', '1 alone']
    """
    if not 0 < len(records) <= ROWS:
        raise ValueError(f"records must be 1 to {ROWS} to be read; got {len(records):,}.")
    ids = np.asarray(classes)
    style.check_one_each(ids, len(records), "classes", "entry per record")
    ax = axes_for(ax)
    order = np.argsort(ids, kind="stable")
    cells = [["", *(style.cell_label(name) for name in records)]]
    lines = zip(records.index[order], records.to_numpy(object)[order], strict=True)
    cells += [[style.cell_label(name), *map(style.cell_label, row)] for name, row in lines]
    widths = np.array([max(map(len, column)) + 2 for column in zip(*cells, strict=True)])
    lefts = np.concatenate([[0], np.cumsum(widths)[:-1]]) / widths.sum() * 0.84
    small = pd.Series(ids[order]).groupby(ids[order]).transform("size").to_numpy() < k
    for place, row in enumerate(cells):
        few = place > 0 and small[place - 1]
        for column, (left, cell) in enumerate(zip(lefts, row, strict=True)):
            ink = VERMILLION if few else "black" if place and column else "0.4"
            look = merged(text_kws, fontsize=9, va="center", color=ink)
            ax.text(left + 0.01, place, cell, **look)
        if few:
            ax.plot([0.005, 0.83], [place, place], color=VERMILLION, linewidth=1)
    _bands(ax, ids[order], k)
    ax.axhline(0.5, color="0.6", linewidth=0.8)
    ax.set(xlim=(0, 1), ylim=(max(len(cells), 6) - 0.4, -0.6), xticks=[], yticks=[])
    return style.finished(ax, "table")


def _bands(ax: Axes, ids: Array, k: int) -> None:
    """Shade the rows of each class, and say how many they are."""
    starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
    for turn, (start, end) in enumerate(pairwise([*starts.tolist(), len(ids)])):
        few, size = end - start < k, end - start
        look: dict[str, Any] = {"facecolor": PALE[turn % 2], "edgecolor": "none"}
        if few:
            look = {"facecolor": "white", "edgecolor": "#F3C6A5", "hatch": "///"}
        band = Rectangle((0, start + 0.52), 1, size - 0.04, linewidth=0, zorder=0, **look)
        ax.add_patch(band)
        kws: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": 9}
        kws |= {"color": VERMILLION if few else "black", "fontweight": "bold"}
        text = "1 alone" if size == 1 else f"{size} alike"
        ax.text(0.99, (start + end + 1) / 2, text, **kws)


def plot_column_losses(
    losses: pd.Series,
    *,
    total: float | None = None,
    colours: Mapping[Any, str] | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw what is lost in each column, a bar for each (keywords: `Axes.barh`).

    Parameters
    ----------
    losses : Series of shape (n_columns,)
        Shares from 0 to 1 by column, at most 15.
    total : float, optional
        Loss of the table, drawn as a dashed line.
    colours : mapping of column to colour, optional
        The bar of a column has its colour.

    Examples
    --------
    >>> ax = plot_column_losses(pd.Series({"age": 0.1, "sex": 1.0}), total=0.55)
    >>> [text.get_text() for text in ax.texts]
    ['10 %', '100 %', 'all: 55 %']
    """
    style.check_told_apart(COLUMNS, len(losses), "losses", "columns")
    ax = axes_for(ax)
    places = np.arange(len(losses))
    own = [style.colour_of(name, colours, SKY) for name in losses.index]
    edge = BLUE if colours is None else "0.3"
    look = merged(bar_kws, color=own, height=0.55, edgecolor=edge)
    ax.barh(places, losses.to_numpy(float), **look)
    for place, loss in zip(places, losses, strict=True):  # in a column that no line crosses
        ax.text(1.19, float(place), style.percent(loss), ha="right", va="center", fontsize=9)
    if total is not None:
        ax.axvline(total, color="0.3", linestyle="--", linewidth=1.2, zorder=1.9)
        side, gap = ("left", 0.015) if total < 0.6 else ("right", -0.015)
        said = f"all: {style.percent(total)}"
        ax.text(total + gap, -0.62, said, va="center", ha=side, fontsize=9)
    style.name_rows(ax, places, [style.cell_label(name) for name in losses.index])
    ax.set(xlim=(0, 1.2), ylim=(max(len(losses), 3) - 0.4, -0.9), xticks=[0, 0.5, 1])
    what = "Share of the values that is left open"
    return style.finished(ax, "rows", percent="x", xlabel=what)


def plot_lattice(nodes: pd.DataFrame, *, ax: Axes | None = None, **scatter_kws: Any) -> Axes:
    """Draw the lattice of generalisations, from the values up to `*` (keywords: `scatter`).

    Parameters
    ----------
    nodes : DataFrame of shape (n_nodes, any)
        Indexed by the levels of each column, one level of the index per column; at most 80.
        `satisfied` says whether the node keeps what is asked for; `loss`, if it is there, is
        written below the node, and the least loss of a satisfied node, if any, has a ring;
        `order`, if it is there, says as the how manieth the search looked at the node,
        missing where it did not: those nodes are pale, and grey where `settled` is not
        missing, as the search knows enough of them without a look.

    Examples
    --------
    >>> levels = pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["age", "sex"])
    >>> nodes = pd.DataFrame({"satisfied": [False, False, True, True]}, levels)
    >>> ax = plot_lattice(nodes)
    >>> [text.get_text() for text in ax.texts], len(ax.collections[0].get_segments())
    (['0 0', '0 1', '1 0', '1 1'], 4)
    """
    style.check_told_apart(NODES, len(nodes), "nodes", "nodes")
    ax = axes_for(ax)
    levels = np.array([np.atleast_1d(node) for node in nodes.index])
    x, y = _places(levels)
    gaps = np.abs(levels[:, None] - levels).sum(axis=2) == 1
    ends = [([x[i], y[i]], [x[j], y[j]]) for i, j in np.argwhere(np.triu(gaps))]
    ax.add_collection(LineCollection(ends, colors="0.85", linewidths=0.8, zorder=0))
    good = nodes["satisfied"].to_numpy(bool)
    seen = nodes["order"].notna().to_numpy() if "order" in nodes else np.ones(len(nodes), bool)
    known = nodes["settled"].notna().to_numpy() if "settled" in nodes else seen
    for one, fill, edge, label in (
        (seen & good, "#BBD9EC", BLUE, "enough company"),
        (seen & ~good, "#F6D0B5", VERMILLION, "too little"),
        (~seen & known, "0.88", "0.6", "settled without a look"),
        (~seen & ~known, "white", "0.8", ""),
    ):
        for mark, mine in (("o", one & good), ("s", one & ~good)):
            look: dict[str, Any] = {"s": 560, "color": fill, "edgecolor": edge, "marker": mark}
            if label and mine.any():
                look["label"], label = label, ""
            ax.scatter(x[mine], y[mine], **merged(scatter_kws, **look))
    for i, node in enumerate(levels):
        shade = "black" if seen[i] else "0.5"
        ax.text(x[i], y[i], " ".join(map(str, node)), **CENTRED, fontsize=8, color=shade)
    _annotate(ax, nodes, x, y, good)
    ax.set(xlim=(x.min() - 0.7, x.max() + 0.7), ylim=(-0.6, y.max() + 0.5))
    ax.set(xticks=[], yticks=sorted(set(y.tolist())), ylabel="Sum of the levels")
    names = ", ".join(style.cell_label(name) for name in nodes.index.names)
    inside = {"loc": "upper right", "markerscale": 0.5}
    explained = inside if ax.get_legend_handles_labels()[0] else None
    return style.finished(ax, "table", legend=explained, xlabel=f"Levels of {names}")


def _places(levels: Array) -> tuple[Array, Array]:
    """Put nodes of one sum side by side, in order, around the middle."""
    y = levels.sum(axis=1)
    frame = pd.DataFrame(levels).assign(y=y)
    frame = frame.sort_values([*range(levels.shape[1])], ascending=False, kind="stable")
    rank = frame.groupby("y").cumcount()
    x = rank - (frame.groupby("y")["y"].transform("size") - 1) / 2
    return x.sort_index().to_numpy(float), y.astype(float)


def _annotate(ax: Axes, nodes: pd.DataFrame, x: Array, y: Array, good: Array) -> None:
    """Write losses below nodes, ring the best one, number those the search looked at."""
    beside: dict[str, Any] = {"textcoords": "offset points", **CENTRED}
    if "loss" in nodes:
        loss = nodes["loss"].to_numpy(float)
        found = good & ~np.isnan(loss)
        best = int(np.argmin(np.where(found, loss, np.inf))) if found.any() else None
        for i in np.flatnonzero(~np.isnan(loss)):
            drop = -22 if i == best else -18  # below the ring
            text = f"{loss[i]:.2f}"
            ax.annotate(text, (x[i], y[i]), (0, drop), fontsize=7, color="0.3", **beside)
        if best is not None:
            ring: dict[str, Any] = {"facecolor": "none", "edgecolor": GREEN, "linewidth": 2.5}
            ax.scatter(x[best], y[best], s=900, label="least loss", zorder=3, **ring)
    if "order" in nodes:
        order = nodes["order"].to_numpy(float)
        for i in np.argsort(order)[: np.count_nonzero(~np.isnan(order))]:
            badge: dict[str, Any] = {"fontsize": 8, "fontweight": "bold"}
            badge["bbox"] = {"boxstyle": "circle,pad=0.15", "fc": ORANGE, "ec": "white"}
            number = f"{order[i]:.0f}"
            ax.annotate(number, (x[i], y[i]), (13, 11), **badge, **beside)


def plot_regions(
    regions: pd.DataFrame,
    points: pd.DataFrame,
    *,
    colours: Mapping[Any, str] | None = None,
    ax: Axes | None = None,
    **rectangle_kws: Any,
) -> Axes:
    """Draw regions of two columns of numbers and how they were cut (keywords: `Rectangle`).

    Parameters
    ----------
    regions : DataFrame of shape (n_regions, any)
        Cuts of Mondrian: `depth`, `records`, `cut` (a column, missing for a class),
        `left_end`, `right_start`, and `from` and `to` for each column. Classes are drawn as
        rectangles around their records; cuts as lines, the earlier the thicker. Classes
        with room for it show the number of their records.
    points : DataFrame of shape (n_records, 2)
        The records; first the column that goes to the right. Many in one place make a larger
        dot.
    colours : mapping of column to colour, optional
        A cut has the colour of its column.

    Examples
    --------
    >>> regions = pd.DataFrame({"depth": [0], "records": [3], "cut": [np.nan],
    ...     "left_end": [np.nan], "right_start": [np.nan],
    ...     "age from": [17], "age to": [25], "hours from": [10], "hours to": [40]})
    >>> points = pd.DataFrame({"age": [17, 25, 20], "hours": [10, 40, 40]})
    >>> ax = plot_regions(regions, points)
    >>> [text.get_text() for text in ax.texts]
    ['3']
    """
    if points.shape[1] != 2 or points.empty:
        raise ValueError(f"points must have 2 columns and a row; got shape {points.shape}.")
    ax = axes_for(ax)
    names = [*points.columns]
    spots = points.value_counts()
    where = np.array([*spots.index], float)
    size = 6 + 60 * np.sqrt(spots.to_numpy() / spots.max())
    x, y = where.T
    ax.scatter(x, y, s=size, color="0.55", alpha=0.6, linewidth=0, zorder=1)
    pad = np.array([0.012 * max(np.ptp(one), 1e-9) for one in where.T])
    final = regions[regions["cut"].isna()]
    low = final[[f"{name} from" for name in names]].to_numpy(float) - pad
    span = final[[f"{name} to" for name in names]].to_numpy(float) + pad - low
    look = merged(rectangle_kws, facecolor=SKY, alpha=0.22, zorder=0)
    rim = BLUE if colours is None else "0.45"
    for place, (width, height) in zip(low.tolist(), span.tolist(), strict=True):
        ax.add_patch(Rectangle(tuple(place), width, height, **look))
        edge = Rectangle(tuple(place), width, height, fill=False, ec=rim, lw=1, zorder=2)
        ax.add_patch(edge)
    room = _room(low + span / 2, span, np.maximum(np.ptp(where, axis=0), 1e-9))
    kws: dict[str, Any] = {"bbox": style.white_box(0.8, 0.75), "fontsize": 8, "color": BLUE}
    for middle, records in zip((low + span / 2)[room], final["records"][room], strict=True):
        ax.text(middle[0], middle[1], f"{records:,}", **CENTRED, **kws)
    inks = [style.colour_of(name, colours, VERMILLION) for name in names]
    _cut_lines(ax, regions[regions["cut"].notna()], names, pad, inks)
    ax.autoscale_view()
    across, up = map(style.cell_label, names)
    return style.finished(ax, "plain", xlabel=across, ylabel=up)


def _room(middle: Array, span: Array, extent: Array) -> Array:
    """Classes, the largest first, whose number neither leaves its width nor meets another."""
    at, given = middle / extent, np.zeros(len(middle), bool)
    for i in np.argsort(-span.prod(axis=1), kind="stable"):
        near = (np.abs(at[given] - at[i]) < (0.035, 0.04)).all(axis=1)
        given[i] = span[i, 0] > 0.035 * extent[0] and not near.any()
    return given


def _cut_lines(
    ax: Axes, cuts: pd.DataFrame, names: list[Any], pad: Array, inks: list[str]
) -> None:
    """Draw each cut half-way between its neighbours, across its region."""
    for j, name in enumerate(names):
        mine, other = cuts[cuts["cut"] == name], names[1 - j]
        at = (mine["left_end"].to_numpy(float) + mine["right_start"].to_numpy(float)) / 2
        low = mine[f"{other} from"].to_numpy(float) - pad[1 - j]
        high = mine[f"{other} to"].to_numpy(float) + pad[1 - j]
        along = [np.column_stack([at, low]), np.column_stack([at, high])]
        ends = np.stack(along, axis=1)[:, :, [0, 1] if j == 0 else [1, 0]]
        widths = np.maximum(3.4 - 0.5 * mine["depth"].to_numpy(float), 0.9)
        look: dict[str, Any] = {"colors": inks[j], "linestyles": ["-", "--"][j]}
        ax.add_collection(LineCollection(list(ends), linewidths=widths, zorder=1.5, **look))


def plot_risk_loss(plane: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw releases by loss and risk, a line per method (keywords: `Axes.plot`).

    Parameters
    ----------
    plane : DataFrame of shape (n_releases, any)
        Columns `method` (at most 4), `loss` and `risk`, shares from 0 to 1; `k`, if it is
        there, is written beside the releases of the first method. Down and to the left is
        better. Risk has a logarithmic axis.

    Examples
    --------
    >>> plane = pd.DataFrame({"method": ["a", "a"], "loss": [0.1, 0.3], "risk": [0.5, 0.1]})
    >>> plot_risk_loss(plane).lines[0].get_xdata().tolist()
    [0.1, 0.3]
    """
    methods = list(dict.fromkeys(plane["method"]))
    style.check_told_apart(len(LOOKS), len(methods), "plane", "methods")
    ax = axes_for(ax)
    for number, (method, (colour, mark, dashes)) in enumerate(zip(methods, LOOKS)):  # noqa: B905
        mine = plane[plane["method"] == method].sort_values("loss", kind="stable")
        look = {"color": colour, "marker": mark, "linestyle": dashes}
        kws = merged(line_kws, **look, markersize=6, label=style.cell_label(method, 40))
        ax.plot(mine["loss"], mine["risk"], **kws)
        if "k" in mine and number == 0:
            kws = {"textcoords": "offset points", "fontsize": 8, "ha": "right", "va": "top"}
            for loss, risk, k in mine[["loss", "risk", "k"]].to_numpy(float):
                ax.annotate(f"k = {k:.0f}", (loss, risk), (-7, 0), color=colour, **kws)
    ax.set(xlabel="Share of the values that is left open (loss)", yscale="log")
    ax.set_ylabel("Greatest risk of a record (1/k, measured)")
    ax.yaxis.set_major_locator(FixedLocator(RISKS))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda risk, _: f"{100 * risk:g} %"))
    ax.margins(x=0.12, y=0.14)
    return style.finished(ax, percent="x", legend={})


def plot_loss_by_limit(
    curve: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any
) -> Axes:
    """Draw the least loss by how many records may be suppressed (keywords: `Axes.plot`).

    Parameters
    ----------
    curve : DataFrame of shape (n_limits, any)
        Indexed by the limit, a share from 0 to 1. `loss`, and `suppressed`, the share that
        the best release does suppress.

    Examples
    --------
    >>> curve = pd.DataFrame({"loss": [0.6, 0.3], "suppressed": [0.0, 0.04]}, [0.0, 0.05])
    >>> [line.get_ydata().tolist() for line in plot_loss_by_limit(curve).lines]
    [[0.6, 0.3], [0.0, 0.04], [0.0, 0.05]]
    """
    ax = axes_for(ax)
    limits = curve.index.to_numpy(float)
    look = merged(line_kws, color=BLUE, marker="o", label="least loss")
    ax.plot(limits, curve["loss"], **look)
    gone = "records suppressed for it"
    ax.plot(limits, curve["suppressed"], "s--", color=VERMILLION, label=gone)
    ax.plot(limits, limits, ":", color="0.5", linewidth=1.2, label="records that may be")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    ax.set(xlabel="Suppression limit", ylabel="Share", ylim=(-0.03, None))
    return style.finished(ax, percent="y", legend={})
