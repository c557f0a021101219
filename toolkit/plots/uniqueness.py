"""Plots of uniqueness: scores of rows, and estimates for a population.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults. Vermillion and
triangles mark rows that are flagged.
"""

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from . import _style as style
from ._style import BLUE, GREEN, ORANGE, PURPLE, VERMILLION, Ax, Look, merged

MARKS = (("^", VERMILLION), ("s", ORANGE), ("D", GREEN), ("v", PURPLE))


def plot_crowd_and_distance(
    scores: pd.DataFrame, marked: dict[str, Any] | None = None, *, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw the distance of each row against the size of its class (keywords: `Axes.scatter`).

    Parameters
    ----------
    scores : DataFrame of shape (n_records, 2)
        First the number of records that share a row's values, then the distance of the row.
        Rows of one class fall on one point.
    marked : dict, optional
        Up to 4 groups of rows by name, each a list of labels, drawn with a mark of their own.
    """
    groups = marked or {}
    style.check_count([None, *groups], len(MARKS) + 1, "groups and all others")
    ax, points = style.axes_for(ax), scores[~scores.round(9).duplicated()]
    look = merged(kws, s=7, color=BLUE, alpha=0.25, linewidth=0)
    ax.scatter(points.iloc[:, 0], points.iloc[:, 1], **look)
    for (name, rows), (mark, colour) in zip(groups.items(), MARKS, strict=False):
        some = scores.loc[rows]
        # Hollow marks that grow from group to group, so that none hides another.
        look = {"facecolor": "none", "edgecolor": colour, "linewidth": 1.8, "zorder": 3}
        look |= {"s": 60 + 90 * np.arange(len(some)), "label": name}
        ax.scatter(some.iloc[:, 0], some.iloc[:, 1], marker=mark, **look)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel="Records that share the quasi-identifiers", ylabel=f"{scores.columns[1]}")
    return style.finished(ax, "y", legend={} if groups else None)


def plot_estimates(
    estimates: pd.DataFrame, truth: float, *, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw estimates of many samples as dots, and their middle as a bar (`seaborn.stripplot`).

    The bar covers four in five samples, and a stroke marks their median.

    Parameters
    ----------
    estimates : DataFrame of shape (n_samples, n_methods)
        A number per sample and method; missing where a method has none.
    truth : float
        The true number, drawn as a line.
    """
    ax, named = style.axes_for(ax), style.labelled(estimates.astype(float))
    look = merged(kws, color=BLUE, alpha=0.6, zorder=3)
    middle: Look = {"estimator": "median", "errorbar": ("pi", 80)}
    middle |= {"color": style.SKY, "linestyle": "none", "marker": "|", "markersize": 18}
    middle["err_kws"] = {"linewidth": 12, "alpha": 0.45, "solid_capstyle": "butt"}
    sns.pointplot(named, orient="h", ax=ax, **middle)
    sns.stripplot(named, orient="h", jitter=False, ax=ax, **look)
    for place in np.flatnonzero(named.isna().all()):
        ax.text(truth, float(place), " no number", va="center", fontsize="small")
    ax.axvline(truth, color="black", linestyle="--", label=f"truth: {truth:,.0f}")
    style.name_rows(ax, named.columns)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    xlabel = "Unique people of the population (bar: 80 % of the samples)"
    return style.finished(ax, "x", legend=style.ABOVE_RIGHT, xlabel=xlabel, xlim=(0, None))


def plot_calibration(table: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw observed against predicted shares, per bin (keywords: `Axes.plot`).

    Parameters
    ----------
    table : DataFrame of shape (n_bins, 3)
        `records`, `predicted` and `observed`, as `uniqueness_calibration` returns. The grey
        band is where 95 % of the observed shares of independent records would lie.
    """
    ax, chance = style.axes_for(ax), table["predicted"].to_numpy(float)
    spread = 1.96 * np.sqrt(chance * (1 - chance) / table["records"].to_numpy(float))
    ax.fill_between(chance, chance - spread, chance + spread, color="0.88", linewidth=0)
    ax.plot([0, 1], [0, 1], color="0.4", linestyle="--", linewidth=1)
    look = merged(kws, color=BLUE, marker="o", linewidth=1.8)
    ax.plot(chance, table["observed"], **look)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.04, 1.06), aspect="equal")
    ax.set(xlabel="Predicted probability of being unique", ylabel="Share that is unique")
    return style.finished(ax, "y")
