"""Plots of the report and the table explorer: uniqueness, gains and losses, a row per column.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
"""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from . import _style as style
from ._style import BLUE, SKY, VERMILLION, axes_for, merged

WIDE = 0.64  # of a letter in a name, on average, as a share of its size
NAME, LONG_NAME = 20, 36  # characters of a column's name, where there is less or more room


def plot_column_gains(
    cig: pd.DataFrame,
    *,
    rows: Any = None,
    bands: int = 60,
    vmax: float | None = None,
    ax: Axes | None = None,
    **image_kws: Any,
) -> Axes:
    """Draw what is gained about each column, a row each (keywords: `Axes.imshow`).

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Cell information gain in bits. Records are sorted, the largest sum on the left, and
        averaged in bands of equal size; the darker, the less is given away.
    rows : list of column, optional
        Columns that have a row of their own; the others share the last one, with the average
        of their gains. By default all.
    bands : int
        Number of bands; never more than records.
    vmax : float, optional
        Bits of the brightest shade and above it, which pictures to be compared share; by
        default the largest average.
    ax : Axes, optional
        Where this was drawn on before, the picture and the colour bar take the new gains.

    Examples
    --------
    >>> ax = plot_column_gains(pd.DataFrame({"age": [0.0, 2.0], "sex": [0.0, 1.0]}))
    >>> ax.images[0].get_array().tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    numbers = _finite(cig)
    first = numbers[np.argsort(-numbers.sum(axis=1), kind="stable")]
    names = list(cig.columns)
    if rows is not None and len(rows) < len(names):
        own = cig.columns.isin(list(rows))
        names = [*cig.columns[own], _others(int((~own).sum()))]
        first = np.column_stack([first[:, own], first[:, ~own].mean(axis=1)])
    edges = np.linspace(0, len(numbers), min(bands, len(numbers)) + 1).astype(int)
    means = np.add.reduceat(first, edges[:-1]) / np.diff(edges)[:, None]
    top = float(means.max()) if vmax is None else vmax
    ax = axes_for(ax)
    image = next(iter(ax.images), None)
    image = image or _first_picture(ax, "neither" if vmax is None else "max", image_kws)
    image.set_data(means.T)
    image.set_extent((0, 1, len(names) - 0.5, -0.5))
    image.set_clim(0, top if top > 0 else 1)
    # New shades have dropped the locator.
    ax.child_axes[0].yaxis.set_major_locator(MaxNLocator(4))
    ax.hlines(np.arange(len(names) - 1) + 0.5, 0, 1, color="white", linewidth=1)
    _name_rows(ax, names)
    ax.set(xlim=(0, 1), xticks=[0, 0.5, 1])
    what = "Records, the one that reveals most on the left"
    return style.finished(ax, "table", percent="x", xlabel=what)


def _first_picture(ax: Axes, extend: str, image_kws: dict[str, Any]) -> AxesImage:
    """A picture without gains, and its colour bar beside it."""
    look: dict[str, Any] = {"cmap": "cividis", "aspect": "auto", "interpolation": "nearest"}
    image = ax.imshow([[0.0]], **{**look, "origin": "upper", **image_kws})
    bar = ax.inset_axes((1.02, 0, 0.025, 1))
    ax.figure.colorbar(image, cax=bar, label="Gain per cell (bits)", extend=extend)
    bar.tick_params(length=2)
    return image


def plot_column_prices(
    losses: pd.Series,
    columns: Any = None,
    *,
    others: int = 0,
    total: float | None = None,
    names: bool = True,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw what each column has lost, in the rows of `plot_column_gains` (keywords: `barh`).

    Parameters
    ----------
    losses : Series of shape (n_treated,)
        Share of its other values that a column leaves open, 0 to 1, by column.
    columns : list of column, optional
        The rows; those without a loss stay empty. By default those of `losses`.
    others : int
        Columns that share one more row at the end: the average of their losses, where they
        have any.
    total : float, optional
        Loss of the table, drawn as a dashed line.
    names : bool
        Whether to name the rows.

    Examples
    --------
    >>> ax = plot_column_prices(pd.Series({"age": 0.25}), ["age", "illness"])
    >>> [float(bar.get_width()) for bar in ax.patches], [text.get_text() for text in ax.texts]
    ([0.25], ['25 %'])
    """
    rows = pd.Index(losses.index if columns is None else columns)
    labels = [*rows, *([_others(others)] if others else [])]
    own = losses.index.isin(rows)
    losses, shared = losses[own], losses[~own]
    places = rows.get_indexer(losses.index)
    if others and len(shared):
        places = np.append(places, len(rows))
        losses = pd.Series([*losses, shared.mean()])
    ax = axes_for(ax)
    look = merged(bar_kws, color=SKY, edgecolor=BLUE, height=0.62)
    bars = ax.barh(places, losses.to_numpy(float), **look)
    size = _size(ax, len(labels))
    texts = [style.percent(loss) if loss else "" for loss in losses]
    ax.bar_label(bars, texts, padding=3, fontsize=size, bbox=style.white_box(0.6))
    if total is not None:
        ax.axvline(total, color="0.25", linestyle="--", linewidth=1.2, zorder=0)
        side, above = "left" if total < 0.6 else "right", ax.get_xaxis_transform()
        said = f"all: {style.percent(total)}"
        ax.text(total, 1.01, said, ha=side, va="bottom", transform=above)
    _name_rows(ax, labels)
    if not names:
        ax.set_yticks([])
    ax.set(xlim=(0, 1.25), xticks=[0, 0.5, 1], xlabel="Loss (share left open)")
    return style.finished(ax, "plain", percent="x")


def plot_known_columns(
    curve: pd.DataFrame,
    subsets: pd.DataFrame | None = None,
    *,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw who becomes unique as columns become known, a row each (keywords: `barh`).

    Parameters
    ----------
    curve : DataFrame of shape (n_columns, any)
        Columns `added` and `share`, that of the records which are unique by then, as of
        `uniqueness_curve`. The names are read from top to bottom.
    subsets : DataFrame of shape (n_subsets, any), optional
        Columns `size` and `share` of other sets of columns, as of `subset_uniqueness`: a dot
        each, in the row of as many columns.

    Examples
    --------
    >>> curve = pd.DataFrame({"added": ["age", "sex"], "share": [0.25, 0.5]})
    >>> ax = plot_known_columns(curve)
    >>> [text.get_text() for text in [*ax.get_yticklabels(), *ax.texts]]
    ['age', '+ sex', '25 %', '50 %']
    """
    if not {"added", "share"} <= set(curve.columns) or curve.empty:
        raise ValueError(f"curve needs rows of added and share; got {[*curve.columns]}.")
    ax, rows = axes_for(ax), np.arange(len(curve))
    shares = curve["share"].to_numpy(float)
    look = merged(bar_kws, color=SKY, edgecolor=BLUE, height=0.66, zorder=1)
    ax.barh(rows, shares, **look, label="the columns down to this line")
    if subsets is not None and len(subsets):
        dots: dict[str, Any] = {"s": 16, "color": VERMILLION, "alpha": 0.75, "linewidth": 0}
        label = "another set of as many columns"
        ax.scatter(subsets["share"], subsets["size"] - 1, **dots, zorder=3, label=label)
    top = float(max(shares.max(), 0.0 if subsets is None else subsets["share"].max(), 0.01))
    size = _size(ax, len(rows))
    beside: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": size, "zorder": 4}
    for row, share in enumerate(shares):
        box = style.white_box(0.6, 0.9)
        ax.text(1.16 * top, row, style.percent(share), bbox=box, **beside)
    names = [style.cell_label(name, LONG_NAME) for name in curve["added"]]
    style.name_rows(ax, rows, [f"{'+ ' * (row > 0)}{name}" for row, name in enumerate(names)])
    ax.tick_params(axis="y", labelsize=size, length=0)
    ax.set(xlim=(0, 1.18 * top), ylim=(len(rows) - 0.4, -0.6))
    ax.set(xlabel="Share of records that are alone", ylabel="Columns that become known")
    ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    above = {**style.ABOVE_RIGHT, "ncols": 2}
    return style.finished(ax, "plain", percent="x", legend=above)


def _others(columns: int) -> str:
    return f"{columns} other" + "s" * (columns != 1)


def _finite(cig: pd.DataFrame) -> Any:
    numbers = cig.to_numpy(float)
    if not numbers.size or not np.isfinite(numbers).all():
        raise ValueError("cig must hold a finite gain in bits for each cell.")
    return numbers


def _name_rows(ax: Axes, names: Any) -> None:
    labels = [style.cell_label(name, NAME) for name in names]
    size = _size(ax, len(labels))
    if ax.figure.get_layout_engine() is None:  # nothing else makes room on the left
        room = (ax.get_window_extent().x0 - 6) * 72 / ax.figure.dpi
        size = max(min(size, room / (WIDE * max(map(len, labels)))), min(size, 5.0))
    style.name_rows(ax, np.arange(len(labels)), labels, fontsize=size)
    ax.set_ylim(len(labels) - 0.5, -0.5)


def _size(ax: Axes, rows: int) -> float:
    """Points of letters that fit into a row."""
    room = ax.get_window_extent().height * 72 / ax.figure.dpi / rows
    largest = float(plt.rcParams["font.size"])
    return min(largest, max(4.0, 0.8 * room))
