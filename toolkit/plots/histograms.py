r"""Pictures of private histograms: true, noisy and simulated shares, and their errors.

Every function draws on `ax` (on a new figure when None), returns it, and passes its extra
keywords to the one matplotlib call that its docstring names. Colours are those of Okabe and
Ito; hatches, markers and line styles tell the same apart in grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from ._style import COLOURS, VERMILLION, axes_for, check_told_apart, merged, open_frame

__all__ = [
    "plot_errors",
    "plot_noisy_shares",
    "plot_variations",
]


STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo")


CELLS = 40  # whose labels can be read


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
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_errors(
    table: pd.DataFrame, *, unit: str = "", ax: Axes | None = None, **scatter_kws: Any
) -> Axes:
    """Draw the largest error of each histogram beside what noise alone makes (`Axes.scatter`).

    Parameters
    ----------
    table : DataFrame
        A row per histogram; columns `cells`, `largest_error` and `expected_largest_noise`.
    unit : str
        What the error is counted in, and who may see it.
    """
    ax = axes_for(ax)
    order = table.sort_values("cells")
    line: dict[str, Any] = {
        "color": "0.35",
        "linestyle": "--",
        "label": "expected from noise alone",
    }
    ax.plot(order["cells"], order["expected_largest_noise"], **line)
    look: dict[str, Any] = {"color": VERMILLION, "zorder": 3, "label": "largest error"}
    ax.scatter(order["cells"], order["largest_error"], **merged(scatter_kws, **look))
    for name, row in order.iterrows():
        at = (row["cells"], row["largest_error"])
        # The line rises to the right: what is above it is named on the left, and the reverse.
        above = row["largest_error"] > row["expected_largest_noise"]
        shift, side = ((-6, 4), "right") if above else ((6, -11), "left")
        ax.annotate(
            f"{name}", at, shift, textcoords="offset points", ha=side, fontsize="small"
        )
    ax.set_xscale("log")
    near = table["cells"].max() < 100 * table["cells"].min()
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if near else (1,)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.margins(x=0.24, y=0.18)
    ax.set(xlabel="Cells of the domain", ylabel=unit)
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small", loc="best")
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
    for i, (name, column) in enumerate(variations.items()):
        look: dict[str, Any] = {"color": COLOURS[i], "linestyle": STYLES[i], "linewidth": 2}
        ax.plot(variations.index, column, **merged(kws, **look, label=f"{name}"))
    if mark is not None:
        ax.axvline(mark, color="0.2", linewidth=1, label=f"ε = {mark:.3g}")
    ax.set_xscale("log")
    ax.set(xlabel="ε of the release (smaller is safer)", ylim=(0, 1.03))
    ax.set_ylabel("Total variation (0 is exact)")
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax
