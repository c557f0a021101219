"""Plots of the report and the table explorer: uniqueness, gains and losses, a row per column.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from . import _style as style
from ._style import BLUE, SKY, VERMILLION, Ax, Look, merged


def plot_column_gains(
    cig: pd.DataFrame,
    *,
    rows: Any = None,
    bands: int = 60,
    vmax: float | None = None,
    ax: Ax = None,
    **kws: Any,
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

    Examples
    --------
    >>> ax = plot_column_gains(pd.DataFrame({"age": [0.0, 2.0], "sex": [0.0, 1.0]}))
    >>> ax.images[0].get_array().tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    own = cig.columns.isin(cig.columns if rows is None else list(rows))
    gains = cig.iloc[np.argsort(-cig.sum(axis=1).to_numpy(), kind="stable")]
    shown = gains.loc[:, own]
    if not own.all():
        shown = shown.assign(**{_others((~own).sum()): gains.loc[:, ~own].mean(axis=1)})
    parts = np.array_split(shown.to_numpy(float), min(bands, len(shown)))
    means = np.array([part.mean(axis=0) for part in parts]).T
    look: Look = {"cmap": "cividis", "aspect": "auto", "vmin": 0, "vmax": vmax}
    look["extent"] = (0, 1, len(means) - 0.5, -0.5)
    ax = style.axes_for(ax)
    image = ax.imshow(means, **look | kws)
    bar = ax.inset_axes((1.02, 0, 0.025, 1))
    ax.figure.colorbar(image, cax=bar, label="Gain per cell (bits)")
    _name_columns(ax, shown.columns)
    what = "Records, the one that reveals most on the left"
    return style.finished(ax, percent="x", xticks=[0, 0.5, 1], xlabel=what)


def plot_column_prices(
    losses: pd.Series,
    columns: Any = None,
    *,
    others: int = 0,
    total: float | None = None,
    names: bool = True,
    ax: Ax = None,
    **kws: Any,
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
    own = losses.index.isin(rows)
    places, widths = rows.get_indexer(losses.index[own]), losses[own].to_numpy(float)
    if others and not own.all():
        places, widths = np.append(places, len(rows)), np.append(widths, losses[~own].mean())
    ax = style.axes_for(ax)
    look = merged(kws, color=SKY, edgecolor=BLUE, height=0.62)
    bars = ax.barh(places, widths, **look)
    shown = [*rows, *[_others(others)] * (others > 0)]
    size = _name_columns(ax, shown)
    texts = [style.percent(loss) if loss else "" for loss in widths]
    ax.bar_label(bars, texts, padding=3, fontsize=size, bbox=style.white_box())
    if total is not None:
        ax.axvline(total, color="0.25", linestyle="--", linewidth=1.2, zorder=0)
        side, above = "left" if total < 0.6 else "right", ax.get_xaxis_transform()
        said = f"all: {style.percent(total)}"
        ax.text(total, 1.01, said, ha=side, va="bottom", transform=above)
    if not names:
        ax.set_yticks([])
    ax.set(xlim=(0, 1.25), xticks=[0, 0.5, 1], xlabel="Loss (share left open)")
    return style.finished(ax, percent="x")


def plot_known_columns(
    curve: pd.DataFrame, subsets: pd.DataFrame | None = None, *, ax: Ax = None, **kws: Any
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
    ax, rows, top = style.axes_for(ax), np.arange(len(curve)), max(curve["share"].max(), 0.01)
    look = merged(kws, color=SKY, edgecolor=BLUE, height=0.66, zorder=1)
    ax.barh(rows, curve["share"], **look, label="the columns down to this line")
    if subsets is not None and len(subsets):
        dots: Look = {"s": 16, "color": VERMILLION, "alpha": 0.75, "linewidth": 0}
        dots |= {"zorder": 3, "label": "another set of as many columns"}
        ax.scatter(subsets["share"], subsets["size"] - 1, **dots)
        top = max(top, subsets["share"].max())
    beside: Look = {"ha": "right", "va": "center", "bbox": style.white_box(0.6, 0.9)}
    names = [
        f"{'+ ' * (row > 0)}{style.value_label(name, 36)}"
        for row, name in enumerate(curve["added"])
    ]
    size = _name_columns(ax, names, 40)
    for row, share in enumerate(curve["share"]):
        ax.text(1.16 * top, row, style.percent(share), fontsize=size, zorder=4, **beside)
    ax.set(xlabel="Share of records that are alone", ylabel="Columns that become known")
    ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    return style.finished(ax, percent="x", legend=style.ABOVE_RIGHT, xlim=(0, 1.18 * top))


def _others(columns: int) -> str:
    return f"{columns} other" + "s" * (columns != 1)


def _name_columns(ax: Axes, names: Any, width: int = 20) -> float:
    """Name rows from top to bottom in letters that fit into them; the size of the letters."""
    room = ax.get_window_extent().height * 72 / ax.figure.dpi / len(names)
    size = min(10.0, max(4.0, 0.8 * room))
    style.name_rows(ax, [style.value_label(name, width) for name in names], 1, fontsize=size)
    ax.set_ylim(len(names) - 0.5, -0.5)
    return size
