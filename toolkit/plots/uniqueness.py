"""Plots of uniqueness: scores of rows, and estimates for a population.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
Vermillion, hatching and triangles mark rows that are flagged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from . import _style as style
from ._style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, axes_for, merged

MARKS = (("^", VERMILLION), ("s", ORANGE), ("D", GREEN), ("v", PURPLE))


BINS = 40  # of a histogram


def plot_agreement(
    correlations: pd.DataFrame, *, ax: Axes | None = None, **imshow_kws: Any
) -> Axes:
    """Draw rank correlations as a table of numbers (keywords: `Axes.imshow`).

    Parameters
    ----------
    correlations : DataFrame of shape (n_scores, n_scores)
        From -1 to 1, named by index and columns. What is missing stays white.

    Examples
    --------
    >>> ax = plot_agreement(pd.DataFrame([[1, 0.5], [0.5, 1]], ["a", "b"], ["a", "b"]))
    >>> [text.get_text() for text in ax.texts]
    ['1', '.50', '.50', '1']
    """
    ax = axes_for(ax)
    numbers = correlations.to_numpy(float)
    look: dict[str, Any] = {"cmap": "Blues", "vmin": 0, "vmax": 1.15, "aspect": "auto"}
    ax.imshow(numbers, **{**look, **imshow_kws})
    for (i, j), number in np.ndenumerate(numbers):
        shade = "white" if number > 0.6 else "black"
        ax.text(j, i, _short(number), **style.CENTRED, color=shade, fontsize=9)
    names = [f"{name}" for name in correlations.columns]
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(correlations)), [f"{name}" for name in correlations.index])
    ax.tick_params(length=0)
    return style.finished(ax, "table")


def plot_crowd_and_distance(
    scores: pd.DataFrame,
    marked: dict[str, Any] | None = None,
    *,
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw the distance of each row against the size of its crowd (keywords: `Axes.scatter`).

    Parameters
    ----------
    scores : DataFrame of shape (n_records, 2)
        First the records that share a row's values, then its distance. Rows of the same crowd
        lie on each other.
    marked : dict, optional
        Up to 4 groups of rows by name, each a list of labels, drawn with a mark of their own.
    """
    groups = marked or {}
    if len(groups) > len(MARKS):
        raise ValueError(f"marked must be at most {len(MARKS)} groups; got {len(groups)}.")
    ax = axes_for(ax)
    kws = merged(scatter_kws, s=7, color=BLUE, alpha=0.25, linewidth=0)
    points = scores[~scores.round(9).duplicated()]  # rounding differs between processors
    ax.scatter(points.iloc[:, 0], points.iloc[:, 1], **kws)
    for (name, rows), (mark, colour) in zip(groups.items(), MARKS, strict=False):
        some = scores.loc[rows]
        # Hollow and each larger than the one before: none hides another in the same place.
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "linewidth": 1.8}
        look |= {"s": 60 + 90 * np.arange(len(some)), "zorder": 3, "label": name}
        ax.scatter(some.iloc[:, 0], some.iloc[:, 1], marker=mark, **look)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set(xlabel="Records that share the quasi-identifiers", ylabel=f"{scores.columns[1]}")
    return style.finished(ax, legend={} if groups else None)


def plot_estimates(
    estimates: pd.DataFrame,
    truth: float,
    *,
    coverage: float = 0.8,
    ax: Axes | None = None,
    **plot_kws: Any,
) -> Axes:
    """Draw estimates of many samples as dots, their middle as a band (keywords: `Axes.plot`).

    Parameters
    ----------
    estimates : DataFrame of shape (n_samples, n_methods)
        A number per sample and method; missing where a method has none.
    truth : float
        Drawn as a line.
    coverage : float
        Share of the samples in the middle, which the band covers.
    """
    ax = axes_for(ax)
    look = {"color": BLUE, "marker": "o", "markersize": 4, "alpha": 0.6}
    kws = merged(plot_kws, **look, linestyle="none")
    for place, name in enumerate(estimates.columns):
        dots = estimates[name].dropna().to_numpy(float)
        if not len(dots):
            ax.text(truth, place, "no number", va="center", fontsize="small")
            continue
        low, middle, high = np.quantile(dots, [(1 - coverage) / 2, 0.5, (1 + coverage) / 2])
        ax.barh(place, high - low, left=low, height=0.6, color=SKY, alpha=0.45, zorder=1)
        ax.vlines(middle, place - 0.3, place + 0.3, color=BLUE, linewidth=2)
        ax.plot(dots, np.full(len(dots), place), **kws)
    ax.axvline(truth, color="black", linestyle="--", label=f"truth: {truth:,.0f}")
    ax.set_yticks(range(estimates.shape[1]), [f"{name}" for name in estimates.columns])
    ax.set(ylim=(estimates.shape[1] - 0.4, -0.6), xlim=(0, None))
    ax.set_xlabel(f"Unique people of the population (band: {coverage:.0%} of the samples)")
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return style.finished(ax, "x", legend=style.ABOVE_RIGHT)


def plot_calibration(
    table: pd.DataFrame, *, label: str = "", ax: Axes | None = None, **plot_kws: Any
) -> Axes:
    """Draw what was observed against what was predicted, per bin (keywords: `Axes.plot`).

    Parameters
    ----------
    table : DataFrame of shape (n_bins, 3)
        `records`, `predicted` and `observed`, as `uniqueness_calibration` returns. The grey
        band is where 95 % of the observed shares of independent records would lie.
    label : str
        Name for the legend.
    """
    ax = axes_for(ax)
    chance, records = table["predicted"].to_numpy(float), table["records"].to_numpy(float)
    spread = 1.96 * np.sqrt(chance * (1 - chance) / records)
    ax.fill_between(chance, chance - spread, chance + spread, color="0.88", linewidth=0)
    ax.plot([0, 1], [0, 1], color="0.4", linestyle="--", linewidth=1)
    kws = merged(plot_kws, color=BLUE, marker="o", linewidth=1.8, label=label)
    ax.plot(chance, table["observed"], **kws)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.04, 1.06), aspect="equal")
    ax.set(xlabel="Predicted probability of being unique", ylabel="Share that is unique")
    return style.finished(ax, legend={"loc": "upper left"} if label else None)


def plot_flagged(
    scores: pd.Series, flagged: pd.Series, *, ax: Axes | None = None, **hist_kws: Any
) -> Axes:
    """Draw a histogram of scores, the flagged ones hatched (keywords: `Axes.hist`).

    Parameters
    ----------
    scores : Series of shape (n_records,)
        Larger stands out more; its name stands on the axis. Records without a score are left
        out.
    flagged : Series of shape (n_records,)
        Which records are flagged.
    """
    ax = axes_for(ax)
    told = scores.notna().to_numpy()
    numbers, which = scores.to_numpy(float)[told], flagged.to_numpy(bool)[told]
    if len(numbers) and np.ptp(numbers) < 1e-9 * np.abs(numbers).max():
        numbers = np.full(len(numbers), numbers[0])  # there are no bins within a rounding
    look = {"color": ["0.75", VERMILLION], "label": ["others", "flagged"], "bins": BINS}
    kws = merged(hist_kws, stacked=True, edgecolor="white", linewidth=0.4, **look)
    _, _, bars = ax.hist([numbers[~which], numbers[which]], **kws)
    for bar in bars[1]:  # type: ignore[index, union-attr]
        bar.set_hatch("///")
    ax.set_yscale("symlog", linthresh=10)
    ax.set_yticks([0, 10, 100, 1000, 10_000], ["0", "10", "100", "1,000", "10,000"])
    ax.minorticks_off()
    ax.set(xlabel=f"{scores.name}", ylabel="Records", ylim=(0, max(12, 2 * len(numbers))))
    return style.finished(ax, legend={"ncols": 2, "loc": "upper right"})


def plot_map(
    components: pd.DataFrame,
    flagged: pd.Series,
    *,
    explained: Any = None,
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw rows on two principal components, flagged ones marked (keywords: `Axes.scatter`).

    Parameters
    ----------
    components : DataFrame of shape (n_records, 2)
        Where each record lies.
    flagged : Series of shape (n_records,)
        Which records are marked.
    explained : pair of floats, optional
        Share of the variance along each axis, for the labels.
    """
    ax = axes_for(ax)
    which = flagged.to_numpy(bool)
    x, y = components.to_numpy(float).T
    ax.scatter(x[~which], y[~which], s=6, color="0.7", linewidth=0, label="others")
    look = {"s": 16, "color": VERMILLION, "marker": "^", "linewidth": 0}
    kws = merged(scatter_kws, **look, alpha=0.8, label="flagged")
    ax.scatter(x[which], y[which], **kws)
    names = [f"{name}" for name in components.columns]
    if explained is not None:
        pairs = zip(names, explained, strict=True)
        names = [f"{name} ({part:.0%} of variance)" for name, part in pairs]
    ax.set(xlabel=names[0], ylabel=names[1])
    return style.finished(ax)


def _short(number: float) -> str:
    """A correlation in as few characters as can be."""
    if np.isnan(number):
        return "–"
    hundredths = round(number, 2) + 0.0  # no minus before a nought
    whole = abs(hundredths) == 1
    return f"{hundredths:.0f}" if whole else f"{hundredths:.2f}".replace("0.", ".")
