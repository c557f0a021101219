"""Plots of large tables: numbers of classes, cost per row, size against a budget.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from . import _style as style
from ._style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, axes_for, merged

COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, SKY, ORANGE)


MARKS = ("o", "s", "^", "D", "v", "P")


DASHES = (*style.LINE_STYLES[:5], style.LINE_STYLES[6])


def plot_class_growth(
    classes: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any
) -> Axes:
    """Draw how many distinct rows a growing table has (keywords: `Axes.plot`).

    Parameters
    ----------
    classes : DataFrame of shape (n_sizes, n_sets)
        Distinct rows; indexed by the records of the table, a column for each set of columns,
        at most six. The dotted line is where every record is a class of its own.

    Examples
    --------
    >>> ax = plot_class_growth(pd.DataFrame({"town": [2, 3]}, index=[10, 100]))
    >>> ax.lines[0].get_ydata().tolist(), ax.get_xscale()
    ([2, 3], 'log')
    """
    ax = axes_for(ax)
    _lines(classes, ax, line_kws)
    ends = [classes.index.min(), classes.index.max()]
    ax.plot(ends, ends, ":", color="0.5", label="every record alone")
    ax.set(xlabel="Records", ylabel="Rows of the class table", yscale="log")
    ax.yaxis.set_major_formatter(EngFormatter(sep=" "))
    ax.minorticks_off()
    return style.finished(ax, legend={})


def plot_cost_per_row(costs: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw what one row costs as tables grow (keywords: `Axes.plot`).

    Parameters
    ----------
    costs : DataFrame of shape (n_sizes, n_ways)
        Processor time of the whole table in seconds; indexed by the records of the table, a
        column for each way, at most six. A level line is a cost that grows as the rows do.

    Examples
    --------
    >>> seconds = pd.DataFrame({"counted": [1.0, 4.0]}, index=[1_000_000, 4_000_000])
    >>> ax = plot_cost_per_row(seconds)
    >>> ax.lines[0].get_ydata().tolist(), ax.get_ylabel()
    ([1.0, 1.0], 'Processor time per row (µs)')
    """
    ax = axes_for(ax)
    each = costs.div(costs.index.to_numpy(float), axis=0) * 1e6
    _lines(each, ax, line_kws)
    ax.set(xlabel="Records", ylabel="Processor time per row (µs)")
    return style.finished(ax, legend={}, ylim=(0, 1.15 * np.nanmax(each.to_numpy())))


def plot_way(
    sizes: pd.Series,
    budget: float,
    *,
    at: float | None = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the class table's size against a budget (keywords: `Axes.plot`).

    Parameters
    ----------
    sizes : Series of shape (n_sizes,)
        Estimated bytes of the class table, indexed by the records of the table.
    budget : float
        Bytes that it may take; above, hatched, it stays in the engine.
    at : float, optional
        Records of the table that is marked.

    Examples
    --------
    >>> ax = plot_way(pd.Series([1e6, 5e6], index=[1e4, 1e6]), 2e6, at=1e6)
    >>> [text.get_text() for text in ax.texts]
    ['stays in the engine', 'comes back']
    """
    ax = axes_for(ax)
    x, y = sizes.index.to_numpy(float), sizes.to_numpy(float)
    low, high = min(y.min(), budget) / 3, max(y.max(), budget) * 3
    ax.axhspan(budget, high, facecolor="0.95", edgecolor="0.8", hatch="//", linewidth=0)
    ax.axhline(budget, color="0.3", linestyle="--", linewidth=1)
    ax.plot(x, y, **merged(line_kws, color=BLUE, linewidth=2))
    if at is not None:
        there = float(np.interp(np.log(at), np.log(x), y))
        mark = "^" if there > budget else "o"
        ax.plot([at], [there], mark, color=COLOURS[1], markersize=10, clip_on=False)
    ax.set(xscale="log", yscale="log", ylim=(low, high), xlim=(x.min(), x.max()))
    place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "color": "0.2"}
    place["fontsize"], box = "small", style.white_box(1.5)
    ax.text(0.02, budget * 1.2, "stays in the engine", va="bottom", bbox=box, **place)
    ax.text(0.02, budget / 1.2, "comes back", va="top", **place)
    ax.xaxis.set_major_formatter(EngFormatter(sep=" "))
    ax.yaxis.set_major_formatter(EngFormatter("B", sep=" "))
    ax.minorticks_off()
    ax.set(xlabel="Records", ylabel="Class table, at most (estimated)")
    return style.finished(ax)


def _lines(table: pd.DataFrame, ax: Axes, line_kws: dict[str, Any]) -> None:
    """A line per column, with colour, mark and dashes of its own."""
    if table.shape[1] > len(COLOURS):
        raise ValueError(
            f"at most {len(COLOURS)} lines can be told apart; got {table.shape[1]} columns."
            " Choose among them."
        )
    for (name, column), *look in zip(table.items(), COLOURS, MARKS, DASHES, strict=False):
        known = column.dropna()
        kws = dict(zip(("color", "marker", "linestyle"), look, strict=True))
        ax.plot(known.index, known, **merged(line_kws, label=f"{name}", **kws))
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(EngFormatter(sep=" "))
    ax.minorticks_off()
