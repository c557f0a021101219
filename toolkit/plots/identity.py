"""Plots of identity disclosure: class sizes, linkage, unique records.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
Vermillion and hatching mark unique records.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ._style import (
    BLUE,
    GREEN,
    ORANGE,
    SKY,
    VERMILLION,
    axes_for,
    cell_label,
    check_one_each,
    check_told_apart,
    merged,
    name_rows,
    open_frame,
    percent,
    percent_axis,
    small_legend,
)

__all__ = [
    "plot_class_sizes",
    "plot_linkage",
    "plot_narrowing",
    "plot_records",
    "plot_uniqueness",
]


HIGH = 0.6
"""Share of the height above which the legend of a curve stands."""


FILLS = (VERMILLION, ORANGE, SKY, "0.85", GREEN, BLUE)


HATCHES = ("///", "", "...", "", "xxx", "\\\\\\")


ALONE = {"color": VERMILLION, "edgecolor": "white", "hatch": "///"}


SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # the smallest class of each bar


STEPS = 15  # bars, or columns of a path, that can be told apart


ROWS = 12  # records that are shown


Array = NDArray[Any]


def plot_narrowing(counts: pd.Series, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw how many records fit as facts are added (keywords: `Axes.barh`).

    Parameters
    ----------
    counts : Series of shape (n_facts,)
        Records that are left, at most 15, in the order in which facts become known, each
        named by its index. Where only one is left, the bar is hatched.

    Examples
    --------
    >>> ax = plot_narrowing(pd.Series({"everyone": 1000, "age = 35": 40, "a judge": 1}))
    >>> [text.get_text() for text in ax.texts]
    ['1,000', '40', '1']
    """
    check_told_apart(STEPS, len(counts), "counts", "facts")
    ax = axes_for(ax)
    records, places = counts.to_numpy(float), np.arange(len(counts))
    # On a logarithmic axis one record needs some length, and none has nothing.
    lengths = np.where(records > 0, records, np.nan)
    bars = ax.barh(places, lengths, left=0, **merged(bar_kws, color=BLUE, height=0.7))
    for bar in np.array(bars, object)[records == 1]:
        bar.set(**ALONE)
    for place, number in zip(places, records, strict=True):
        at = (max(number, 0.5), place)
        look: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points"}
        ax.annotate(f"{number:,.0f}", at, va="center", fontsize="small", **look)
    ax.set(xscale="log", xlim=(0.5, 6 * max(2, records.max())), xlabel="Records that fit")
    ticks = [10**power for power in range(0, 19, 2) if 10**power <= max(1, records.max())]
    ax.set_xticks(ticks, [f"{number:,}" for number in ticks])
    ax.minorticks_off()
    name_rows(ax, places, [cell_label(name, 30) for name in counts.index])
    ax.set_ylim(max(len(counts), 4) - 0.4, -0.6)
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def plot_records(
    records: pd.DataFrame,
    *,
    marked: Any = None,
    more: int = 0,
    ax: Axes | None = None,
    **text_kws: Any,
) -> Axes:
    """Write records as a small table, some of them marked (keywords: `Axes.text`, per cell).

    Parameters
    ----------
    records : DataFrame of shape (n_records, n_columns)
        At most 12 records. None at all is said in words.
    marked : array-like of shape (n_records,), optional
        Which rows are shaded and bold.
    more : int
        How many further records are not shown; a line says so.

    Examples
    --------
    >>> ax = plot_records(pd.DataFrame({"age": [35, 36]}), marked=[True, False], more=7)
    >>> [text.get_text() for text in ax.texts]
    ['age', '35', '36', '… and 7 more']
    """
    if len(records) > ROWS:
        raise ValueError(f"records must be at most {ROWS} to be read; got {len(records):,}.")
    shaded = np.zeros(len(records), bool) if marked is None else np.asarray(marked, bool)
    check_one_each(shaded, len(records), "marked", "entry per record")
    ax = axes_for(ax)
    cells = [[cell_label(name, 18) for name in records]]
    cells += [[cell_label(cell, 18) for cell in row] for row in records.to_numpy(object)]
    widths = np.array([max(map(len, column)) + 2 for column in zip(*cells, strict=True)])
    lefts = np.concatenate([[0], np.cumsum(widths)[:-1]]) / max(widths.sum(), 1)
    for place, row in enumerate(cells):
        head, bold = place == 0, place > 0 and shaded[place - 1]
        if bold:
            ax.axhspan(place - 0.5, place + 0.5, color=ORANGE, alpha=0.3, linewidth=0)
        look: dict[str, Any] = {"fontsize": 8, "va": "center"}
        look["color"] = "0.35" if head else "black"
        look["fontweight"] = "bold" if bold else "normal"
        for left, cell in zip(lefts, row, strict=True):
            ax.text(left + 0.005, place, cell, **merged(text_kws, **look))
    ax.axhline(0.5, color="0.6", linewidth=0.8)
    last = f"… and {more:,} more" if more else "nobody fits" if records.empty else ""
    if last:
        ax.text(0.005, len(cells), last, fontsize=8, va="center", style="italic")
    ax.set(xlim=(0, 1), ylim=(max(len(cells), 6) + 0.6, -0.6), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return ax


def plot_class_sizes(sizes: pd.Series, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw the share of records that stand in classes of each size (keywords: `Axes.bar`).

    Parameters
    ----------
    sizes : Series of shape (n_classes,)
        Records per class, such as the result of `class_sizes`. The first bar, hatched, holds
        the records that are alone.

    Examples
    --------
    >>> ax = plot_class_sizes(pd.Series([1, 1, 2, 4]))
    >>> [float(bar.get_height()) for bar in ax.patches][:3]
    [0.25, 0.25, 0.5]
    """
    records = sizes.to_numpy()
    if not records.size or records.min() < 1:
        raise ValueError("sizes must hold the records of each class, at least 1.")
    ax = axes_for(ax)
    edges = [*SIZES, math.inf]
    share = np.histogram(records, edges, weights=records)[0] / records.sum()
    names = [_size_name(low, high) for low, high in zip(SIZES, edges[1:], strict=True)]
    kws = merged(bar_kws, color=BLUE, width=0.8)
    bars = ax.bar(np.arange(len(share)), share, **kws)
    bars[0].set(**ALONE)
    texts = [percent(part) if part else "" for part in share]
    ax.bar_label(bars, texts, padding=2, fontsize="small")
    ax.set_xticks(np.arange(len(share)), names)
    ax.tick_params(axis="x", length=0, labelsize="small")
    ax.set(xlabel="Records that look the same", ylabel="Share of the records", ylim=(0, 1.1))
    open_frame(ax)
    percent_axis(ax.yaxis)
    return ax


def plot_uniqueness(
    subsets: pd.DataFrame,
    *,
    curve: pd.DataFrame | None = None,
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw the share of unique records by how many columns are known (keywords: `scatter`).

    Parameters
    ----------
    subsets : DataFrame of shape (n_subsets, any)
        Columns `size`, how many columns are known, and `share`, that of the records they
        single out, as of `subset_uniqueness`. Each is a dot; a line joins the averages.
    curve : DataFrame of shape (n_columns, any), optional
        Columns `added` and `share` of at most 15 columns in the order in which they become
        known, as of `uniqueness_curve`: drawn as a line with their names. Where it is high
        from the first columns on, the legend stands below it.

    Examples
    --------
    >>> ax = plot_uniqueness(pd.DataFrame({"size": [1, 1, 2], "share": [0.0, 0.5, 0.6]}))
    >>> ax.lines[0].get_ydata().tolist()
    [0.25, 0.6]
    """
    if not {"size", "share"} <= set(subsets.columns) or subsets.empty:
        raise ValueError(f"subsets needs rows of size and share; got {[*subsets.columns]}.")
    ax = axes_for(ax)
    look: dict[str, Any] = {"s": 22, "color": SKY, "edgecolor": "white", "linewidth": 0.4}
    look = merged(scatter_kws, **look, label="one set of columns")
    ax.scatter(subsets["size"], subsets["share"], **look)
    mean = subsets.groupby("size")["share"].mean()
    ax.plot(mean.index, mean, "-", color=BLUE, linewidth=2, label="average of the sets")
    if curve is not None:
        check_told_apart(STEPS, len(curve), "curve", "columns")
        steps, shares = np.arange(1, len(curve) + 1), curve["share"].to_numpy(float)
        line: dict[str, Any] = {"color": VERMILLION, "linestyle": "--", "marker": "D"}
        ax.plot(steps, shares, markersize=5, label="one after the other", **line)
        place: dict[str, Any] = {"xytext": (6, -11), "textcoords": "offset points"}
        place["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
        for step, share, name in zip(steps, shares, curve["added"], strict=True):
            ax.annotate(f"+ {cell_label(name, 18)}", (step, share), fontsize=8, **place)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="Columns that the attacker knows", ylabel="Share of unique records")
    ax.margins(x=0.08)
    open_frame(ax)
    percent_axis(ax.yaxis)
    first = (
        0.0 if curve is None else float(curve["share"].iloc[: max(len(curve) // 2, 1)].max())
    )
    high = first > HIGH * ax.get_ylim()[1]
    free: dict[str, Any] = {"loc": "upper left"}
    if high:  # above the dots of sets that single out nobody
        free = {"loc": "lower right", "bbox_to_anchor": (1, 0.1)}
    ax.legend(frameon=False, **free)
    return ax


def plot_linkage(
    shares: pd.DataFrame,
    *,
    expected: pd.Series | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw what becomes of records in a join, a stacked bar per release (keywords: `barh`).

    Parameters
    ----------
    shares : DataFrame of shape (n_releases, n_outcomes)
        Share of records by outcome, such as the number of candidates: at most 15 releases and
        6 outcomes, the worst outcome first.
    expected : Series of shape (n_releases,), optional
        Expected share of right guesses, drawn as a diamond.

    Examples
    --------
    >>> shares = pd.DataFrame({"one": [0.75, 0.25], "more": [0.25, 0.75]}, ["day", "year"])
    >>> ax = plot_linkage(shares, expected=pd.Series([0.9, 0.4]))
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.75, 0.25, 0.25, 0.75]
    """
    check_told_apart(STEPS, len(shares), "shares", "releases")
    check_told_apart(len(FILLS), shares.shape[1], "shares", "outcomes")
    ax = axes_for(ax)
    places, left = np.arange(len(shares)), np.zeros(len(shares))
    entries: list[Any] = []
    for j, name in enumerate(shares.columns):
        kws: dict[str, Any] = {"color": FILLS[j], "hatch": HATCHES[j], "edgecolor": "white"}
        kws = merged(bar_kws, **kws, height=0.65, label=cell_label(name, 30))
        width = shares.iloc[:, j].to_numpy(float)
        entries.append(ax.barh(places, width, left=left, **kws))
        _write_shares(ax, entries[-1], width)
        left += width
    if expected is not None:
        diamond: dict[str, Any] = {"marker": "D", "color": "black", "s": 34, "zorder": 3}
        diamond |= {"edgecolor": "white", "label": "right guesses, expected"}
        entries.append(ax.scatter(expected.to_numpy(float), places - 0.42, **diamond))
    name_rows(ax, places, [cell_label(name, 40) for name in shares.index])
    ax.set(xlim=(0, 1.01), xlabel="Share of the released records")
    ax.set_ylim(len(shares) - 0.5, -0.7)
    percent_axis(ax.xaxis)
    ax.spines[["top", "right", "left"]].set_visible(False)
    above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.45, 1)}
    small_legend(ax, handles=entries, ncols=5, **above)
    return ax


def _write_shares(ax: Axes, bars: Any, width: Array) -> None:
    """Write shares into bars that have room for them, readable on any hatching."""
    texts = [percent(part) if part >= 0.06 else "" for part in width]
    box: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    for label in ax.bar_label(bars, texts, label_type="center", fontsize="small"):
        if label.get_text():
            label.set_bbox(box)


def _size_name(low: float, high: float) -> str:
    if high == math.inf:
        return f"{low:,}+"
    return f"{low}" if high == low + 1 else f"{low}–{high - 1}"
