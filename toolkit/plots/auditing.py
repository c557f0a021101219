"""Plots of audits: the claimed epsilon and the epsilon that was proven.

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
    VERMILLION,
    axes_for,
    check_told_apart,
    line_look,
    merged,
    name_rows,
    open_frame,
    small_legend,
)

__all__ = [
    "plot_audits",
    "plot_event",
    "plot_power",
]


def plot_audits(table: pd.DataFrame, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw the proven ε of each audit beside the claimed one (keywords: `Axes.barh`).

    Parameters
    ----------
    table : DataFrame
        A row per audit, named by the index; columns `epsilon` (claimed), `epsilon_lower`
        (proven) and `verdict`. Bars of violations are of another colour and hatched.
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
    name_rows(ax, places, [f"{name}" for name in table.index])
    ax.set_ylim(-0.6, max(len(table) - 0.4, 1.4))
    ax.set(xlabel="ε proven to be reached, at least (smaller is safer)", xlim=(0, None))
    open_frame(ax, "x")
    small_legend(ax, **ABOVE)
    return ax


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
    for i, (name, chance) in enumerate(power.items()):
        told = f"{name:,} releases" if isinstance(name, int) else name
        ax.plot(power.index, chance, **merged(line_kws, **line_look(i, told)))
    ax.axhline(0.9, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="True ε over claimed ε", ylabel="Chance of a violation", ylim=(0, 1.03))
    open_frame(ax)
    small_legend(ax)
    return ax
