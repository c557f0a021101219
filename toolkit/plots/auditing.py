r"""Claimed and proven: pictures of audits. Results in, Axes out.

Every function draws on `ax` (on a new figure when None), returns it, and passes its extra
keywords to the one matplotlib call that its docstring names. Colours are those of Okabe and
Ito; markers, hatches and line styles tell the same apart in grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ._style import BLUE, COLOURS, VERMILLION, axes_for, open_frame

__all__ = [
    "plot_audits",
    "plot_event",
    "plot_power",
]


STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


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
            kws = {**look, "color": colour, "hatch": hatch, "label": name, **bar_kws}
            ax.barh(places[which], table["epsilon_lower"][which], **kws)
    claim: dict[str, Any] = {"marker": "D", "color": "black", "linestyle": "none"}
    ax.plot(table["epsilon"], places, **claim, markersize=5, label="claimed ε")
    ax.set_yticks(places, [f"{name}" for name in table.index])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, max(len(table) - 0.4, 1.4))
    ax.set(xlabel="ε proven to be reached, at least (smaller is safer)", xlim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
    ax.legend(frameon=False, fontsize="small", **place)
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
    if not 0 < counts.shape[1] <= len(COLOURS):
        raise ValueError(
            f"counts must have from 1 to {len(COLOURS)} inputs to be told apart; got"
            f" {counts.shape[1]}."
        )
    ax = axes_for(ax)
    left = counts.index.to_numpy(float)
    width = float(left[1] - left[0]) if len(left) > 1 else 1.0
    edges = np.append(left, left[-1] + width)
    for i, (name, share) in enumerate(counts.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 1.8}
        ax.stairs(share.to_numpy(float), edges, **{**kws, "label": f"{name}", **stairs_kws})
    if event is not None and event.any():
        inside = event.to_numpy(bool)
        top = 1.05 * float(counts.to_numpy().max())
        ax.stairs(
            np.where(inside, top, 0.0), edges, fill=True, color="0.9", zorder=0, label="event"
        )
    ax.set(xlabel=unit, ylabel="Share of releases", ylim=(0, None))
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_power(power: pd.DataFrame, *, ax: Axes | None = None, **line_kws: Any) -> Axes:
    """Draw the chance that an audit flags a broken claim (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    power : DataFrame of shape (true values of ε, numbers of releases)
        Chances by the true ε over the claimed one, the index; at most 7 columns, named by
        the number of releases.
    """
    if not 0 < power.shape[1] <= len(COLOURS):
        raise ValueError(
            f"power must have from 1 to {len(COLOURS)} columns to be told apart; got"
            f" {power.shape[1]}."
        )
    ax = axes_for(ax)
    for i, (name, chance) in enumerate(power.items()):
        kws: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 2}
        kws |= {"label": f"{name:,} releases" if isinstance(name, int) else f"{name}"}
        ax.plot(power.index, chance, **{**kws, **line_kws})
    ax.axhline(0.9, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="True ε over claimed ε", ylabel="Chance of a violation", ylim=(0, 1.03))
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax
