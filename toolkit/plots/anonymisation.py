"""Plots of anonymised tables: classes, losses, lattices, regions, risk against loss.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults. Vermillion
marks classes that are too small.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from . import _style as style
from ._style import BLUE, CENTRED, GREEN, SKY, VERMILLION, Ax, Look, label, merged

ROWS = 14  # records that are written out
LOOKS = ((VERMILLION, "o", "-"), (BLUE, "s", "--"), (GREEN, "^", "-."), ("black", "D", ":"))
RISKS = (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def plot_crowds(
    records: pd.DataFrame, classes: Any, *, k: int, ax: Ax = None, **kws: Any
) -> Axes:
    """Write a small table, class by class (keywords: `Axes.text`, per cell).

    Parameters
    ----------
    records : DataFrame of shape (n_records, n_columns)
        At most 14 records; the label of each stands in front.
    classes : array-like of shape (n_records,)
        Number of the class of each record. Classes stand together, in order of their numbers.
    k : int
        Records in smaller classes are crossed out.

    Examples
    --------
    >>> ax = plot_crowds(pd.DataFrame({"age": [35, 36, 35]}), [0, 1, 0], k=2)
    >>> [text.get_text() for text in ax.texts]
    ['record', 'age', '0', '35', '2', '35', '1', '36', '2 alike', '1 alone']
    """
    style.check_count(records, ROWS, "records")
    ids = np.asarray(classes)
    style.check_shape(ids, records.index, "classes")
    order = np.argsort(ids, kind="stable")
    table, ids = records.iloc[order], ids[order]
    sizes = pd.Series(ids).groupby(ids).transform("size").to_numpy()
    inks = ["0.4", *np.where(sizes < k, style.DARK, "black")]
    looks = [{"color": ink, "fontsize": 9} for ink in inks]
    table.insert(0, records.index.name or "record", table.index, allow_duplicates=True)
    ax = style.axes_for(ax)
    style.write_rows(ax, table, looks, kws, 0.84)
    ax.hlines(np.flatnonzero(sizes < k) + 1, 0.005, 0.83, color=VERMILLION, linewidth=1)
    starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
    for turn, start in enumerate(starts):
        size, few = sizes[start], sizes[start] < k
        fill = "#FBE6DA" if few else ("#E3EEF6", "#F7F7F7")[turn % 2]
        ax.axhspan(start + 0.52, start + size + 0.48, facecolor=fill, zorder=0)
        look: Look = {"fontsize": 9, "fontweight": "bold", "ha": "right", "va": "center"}
        look["color"] = style.DARK if few else "black"
        text = "1 alone" if size == 1 else f"{size} alike"
        ax.text(0.99, start + (size + 1) / 2, text, **look)
    return ax


def plot_column_losses(
    losses: pd.Series, *, total: float | None = None, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw the loss of each column as a bar (keywords: `Axes.barh`).

    Parameters
    ----------
    losses : Series of shape (n_columns,)
        Shares from 0 to 1 by column, at most 15.
    total : float, optional
        Loss of the table, drawn as a dashed line.

    Examples
    --------
    >>> ax = plot_column_losses(pd.Series({"age": 0.1, "sex": 1.0}), total=0.55)
    >>> [text.get_text() for text in ax.texts]
    ['10 %', '100 %', 'all: 55 %']
    """
    style.check_count(losses, 15, "columns")
    ax, places = style.axes_for(ax), np.arange(len(losses))
    look = merged(kws, color=SKY, height=0.55, edgecolor=BLUE)
    ax.barh(places, losses.to_numpy(float), **look)
    for place, loss in zip(places, losses, strict=True):  # right of all bars and lines
        ax.text(1.19, float(place), style.percent(loss), ha="right", va="center", fontsize=9)
    if total is not None:
        ax.axvline(total, color="0.3", linestyle="--", linewidth=1.2)
        side, gap = ("left", 0.015) if total < 0.6 else ("right", -0.015)
        said = f"all: {style.percent(total)}"
        ax.text(total + gap, -0.62, said, va="center", ha=side, fontsize=9)
    style.name_rows(ax, losses.index)
    ax.set(xlabel="Share of the values that is left open", xlim=(0, 1.2), xticks=[0, 0.5, 1])
    return style.finished(ax, percent="x", ylim=(max(len(losses), 3) - 0.4, -0.9))


def plot_lattice(nodes: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the lattice of generalisations, from the values up to `*` (keywords: `scatter`).

    Parameters
    ----------
    nodes : DataFrame of shape (n_nodes, any)
        Indexed by the levels of each column, one level of the index per column; at most 80.
        `satisfied` says whether the node meets the requirements. `loss`, if given, is written
        below the node, and a ring marks the satisfied node of least loss. `order`, if given,
        numbers the nodes in the order in which the search looked at them, and is missing for
        the others: these are pale, or grey if `settled` is not missing, because the search
        can judge them without a look.

    Examples
    --------
    >>> levels = pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["age", "sex"])
    >>> nodes = pd.DataFrame({"satisfied": [False, False, True, True]}, levels)
    >>> ax = plot_lattice(nodes)
    >>> [text.get_text() for text in ax.texts], len(ax.collections[0].get_segments())
    (['0 0', '0 1', '1 0', '1 1'], 4)
    """
    style.check_count(nodes, 80, "nodes")
    ax, levels = style.axes_for(ax), np.array([np.atleast_1d(node) for node in nodes.index])
    x, y = _places(levels)
    gaps = np.abs(levels[:, None] - levels).sum(axis=2) == 1
    ends = [((x[i], y[i]), (x[j], y[j])) for i, j in np.argwhere(np.triu(gaps))]
    ax.add_collection(LineCollection(ends, colors="0.85", linewidths=0.8, zorder=0))
    good, missing = nodes["satisfied"].to_numpy(bool), pd.Series(np.nan, nodes.index)
    order, loss = (nodes.get(name, missing).to_numpy(float) for name in ("order", "loss"))
    seen = ~np.isnan(order) if "order" in nodes else np.ones(len(nodes), bool)
    known = nodes.get("settled", missing).notna().to_numpy() & ~seen
    for mask, mark, fill, edge, name in (
        (seen & good, "o", "#BBD9EC", BLUE, "enough company"),
        (seen & ~good, "s", "#F6D0B5", VERMILLION, "too little"),
        (known & good, "o", "0.88", "0.6", "settled: enough company"),
        (known & ~good, "s", "0.88", "0.6", "settled: too little"),
        (~seen & ~known, "o", "white", "0.8", None),
    ):
        if mask.any():
            look: Look = {"color": fill, "edgecolor": edge, "marker": mark, "label": name}
            ax.scatter(x[mask], y[mask], **merged(kws, s=560, **look))
    best = int(np.argmin(np.where(good & ~np.isnan(loss), loss, np.inf)))
    if good[best] and not np.isnan(loss[best]):
        ring: Look = {"facecolor": "none", "edgecolor": GREEN, "linewidth": 2.5}
        ax.scatter(x[best], y[best], s=900, label="least loss", zorder=3, **ring)
    beside: Look = {"textcoords": "offset points", **CENTRED}
    badge = {"boxstyle": "circle,pad=0.15", "fc": style.ORANGE, "ec": "white"}
    for i, node in enumerate(levels):
        shade = "black" if seen[i] else "0.5"
        ax.text(x[i], y[i], " ".join(map(str, node)), fontsize=8, color=shade, **CENTRED)
        if not np.isnan(loss[i]):
            below = (0, -22 if i == best else -18)  # the ring
            small: Look = {"fontsize": 7, "color": "0.3", **beside}
            ax.annotate(f"{loss[i]:.2f}", (x[i], y[i]), below, **small)
        if not np.isnan(order[i]):
            bold: Look = {"fontsize": 8, "fontweight": "bold", "bbox": badge}
            ax.annotate(f"{order[i]:.0f}", (x[i], y[i]), (13, 11), **bold, **beside)
    ax.set(xlim=(x.min() - 0.7, x.max() + 0.7), ylim=(-0.6, y.max() + 0.5))
    ax.set(xticks=[], yticks=np.unique(y), ylabel="Sum of the levels")
    ax.spines[:].set_visible(False)
    names = ", ".join(label(name, 18) for name in nodes.index.names)
    inside = {"loc": "upper right", "markerscale": 0.5} if seen.any() or known.any() else None
    return style.finished(ax, legend=inside, xlabel=f"Levels of {names}")


def _places(levels: style.Array) -> tuple[style.Array, style.Array]:
    """Put nodes of equal sum side by side, in order, around the middle."""
    y = levels.sum(axis=1)
    frame = pd.DataFrame(levels).assign(y=y)
    frame = frame.sort_values([*range(levels.shape[1])], ascending=False, kind="stable")
    rank = frame.groupby("y").cumcount()
    x = rank - (frame.groupby("y")["y"].transform("size") - 1) / 2
    return x.sort_index().to_numpy(float), y.astype(float)


def plot_regions(
    regions: pd.DataFrame, points: pd.DataFrame, *, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw regions of two columns of numbers and how they were cut (keywords: `Rectangle`).

    Parameters
    ----------
    regions : DataFrame of shape (n_regions, any)
        Cuts of Mondrian: `depth`, `records`, `cut` (a column, missing for a class),
        `left_end`, `right_start`, and `from` and `to` for each column. Classes are drawn as
        rectangles around their records; cuts as lines, the earlier the thicker. Classes show
        their number of records if there is room.
    points : DataFrame of shape (n_records, 2)
        The records; the first column is the horizontal axis. Several records in one place
        make a larger dot.

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
    ax, names, spots = style.axes_for(ax), [*points.columns], points.value_counts()
    where = np.array([*spots.index], float)
    size = 6 + 60 * np.sqrt(spots.to_numpy() / spots.max())
    ax.scatter(
        where[:, 0], where[:, 1], s=size, color="0.55", alpha=0.6, linewidth=0, zorder=1
    )
    extent = np.maximum(np.ptp(where, axis=0), 1e-9)
    starts, ends = (
        regions[[f"{name} {side}" for name in names]].to_numpy(float) + sign * 0.012 * extent
        for side, sign in (("from", -1), ("to", 1))
    )
    final, written = regions["cut"].isna().to_numpy(), np.empty((0, 2))
    look = merged(kws, facecolor=f"{SKY}38", edgecolor=BLUE, zorder=0)
    spans, middles = ends - starts, (starts + ends) / 2
    for i in np.flatnonzero(final)[np.argsort(-np.prod(spans, axis=1)[final])]:
        (width, height), middle = spans[i].tolist(), middles[i]
        ax.add_patch(Rectangle(tuple(starts[i]), width, height, **look))
        # A number must fit into the width, and not overlap another.
        near = (np.abs(written - middle) < (0.035, 0.04) * extent).all(axis=1)
        if width > 0.035 * extent[0] and not near.any():
            written = np.vstack([written, middle])
            box: Look = {"bbox": style.white_box(0.8, 0.75), "fontsize": 8, "color": BLUE}
            records = f"{regions['records'].iloc[i]:,}"
            ax.text(middle[0], middle[1], records, **CENTRED, **box)
    thick = np.maximum(3.4 - 0.5 * regions["depth"].to_numpy(float), 0.9)
    halfway = (regions["left_end"] + regions["right_start"]).to_numpy(float) / 2
    for name, lines, span, dashes in (
        (names[0], ax.vlines, (starts[:, 1], ends[:, 1]), "-"),
        (names[1], ax.hlines, (starts[:, 0], ends[:, 0]), "--"),
    ):
        cut = (regions["cut"] == name).to_numpy()
        along = {"colors": VERMILLION, "linestyles": dashes, "linewidths": thick[cut]}
        lines(halfway[cut], span[0][cut], span[1][cut], **along, zorder=1.5)
    return style.finished(ax, xlabel=label(names[0]), ylabel=label(names[1]))


def plot_risk_loss(plane: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw releases by loss and risk, a line per method (keywords: `Axes.plot`).

    Parameters
    ----------
    plane : DataFrame of shape (n_releases, any)
        Columns `method` (at most 4), `loss` and `risk`, shares from 0 to 1; `k`, if
        given, is written beside the releases of the first method. Down and to the left is
        better. Risk has a logarithmic axis.

    Examples
    --------
    >>> plane = pd.DataFrame({"method": ["a", "a"], "loss": [0.1, 0.3], "risk": [0.5, 0.1]})
    >>> plot_risk_loss(plane).lines[0].get_xdata().tolist()
    [0.1, 0.3]
    """
    methods = dict.fromkeys(plane["method"])
    style.check_count(methods, len(LOOKS), "methods")
    ax = style.axes_for(ax)
    for method, (colour, mark, dashes) in zip(methods, LOOKS, strict=False):
        own = plane[plane["method"] == method].sort_values("loss", kind="stable")
        look = {"color": colour, "marker": mark, "linestyle": dashes, "markersize": 6}
        ax.plot(own["loss"], own["risk"], **merged(kws, **look, label=label(method, 40)))
        if "k" in plane and colour == VERMILLION:
            beside: Look = {"fontsize": 8, "ha": "right", "va": "top"}
            for loss, risk, k in own[["loss", "risk", "k"]].to_numpy(float):
                place = {"xytext": (-7, 0), "textcoords": "offset points", "color": colour}
                ax.annotate(f"k = {k:.0f}", (loss, risk), **place, **beside)
    ax.set(yscale="log", ylabel="Greatest risk of a record (1/k, measured)")
    ax.margins(x=0.12, y=0.14)
    low, high = ax.get_ylim()
    risks = [risk for risk in RISKS if low < risk < high]
    ax.set_yticks(risks, [f"{100 * risk:g} %" for risk in risks])
    ax.minorticks_off()
    xlabel = "Share of the values that is left open (loss)"
    return style.finished(ax, "y", percent="x", legend={}, xlabel=xlabel)
