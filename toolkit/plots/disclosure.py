"""Plots of disclosure: records, class sizes, unique records; what classes disclose.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults. Vermillion
marks unique records.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from . import _style as style
from ._style import BLUE, FILLS, ORANGE, SKY, VERMILLION, Ax, Look, label, merged

STEPS = 15  # facts, or columns of a path, that can be told apart
ROWS = 12  # records that are shown
SIZES = ("1", "2", "3–4", "5–9", "10–19", "20–49", "50–99", "100+")
EDGES = (1, 2, 3, 5, 10, 20, 50, 100, np.inf)


def plot_narrowing(counts: pd.Series, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw how many records fit as facts are added (keywords: `Axes.scatter`).

    The axis is logarithmic, so the start of a bar would be arbitrary; dots avoid this.

    Parameters
    ----------
    counts : Series of shape (n_facts,)
        Number of records left after each of at most 15 facts, which the index names, in the
        order in which they become known. If only one is left, the dot is a diamond of another
        colour.

    Examples
    --------
    >>> ax = plot_narrowing(pd.Series({"everyone": 1000, "age = 35": 40, "a judge": 1}))
    >>> [text.get_text() for text in ax.texts]
    ['1,000', '40', '1']
    """
    style.check_count(counts, STEPS, "facts")
    ax, records, places = style.axes_for(ax), counts.to_numpy(float), np.arange(len(counts))
    ax.hlines(places, 0, 1, transform=ax.get_yaxis_transform(), color="0.9", linewidth=1)
    for drawn, colour, mark in ((records > 1, BLUE, "o"), (records == 1, VERMILLION, "D")):
        look = merged(kws, color=colour, marker=mark, s=46, zorder=2)
        ax.scatter(records[drawn], places[drawn], **look)
    beside: Look = {"textcoords": "offset points", "va": "center"}
    for place, number in enumerate(records):
        at = (max(number, 0.5), place)
        ax.annotate(f"{number:,.0f}", at, (8, 0), fontsize="small", **beside)
    style.name_rows(ax, counts.index, 4)
    ax.set(xscale="log", xlim=(0.5, 6 * max(2, records.max())), xlabel="Records that fit")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.minorticks_off()
    return ax


def plot_records(
    records: pd.DataFrame, *, marked: Any = None, more: int = 0, ax: Ax = None, **kws: Any
) -> Axes:
    """Write records as a small table, some of them marked (keywords: `Axes.text`, per cell).

    Parameters
    ----------
    records : DataFrame of shape (n_records, n_columns)
        At most 12 records; a note replaces an empty table.
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
    style.check_count([None, *records.index], ROWS + 1, "lines of records")
    shaded = np.zeros(len(records), bool) if marked is None else np.asarray(marked, bool)
    style.check_shape(shaded, records.index, "marked")
    ax = style.axes_for(ax)
    for place in np.flatnonzero(shaded) + 1:
        ax.axhspan(place - 0.5, place + 0.5, color=ORANGE, alpha=0.3, linewidth=0)
    looks = [{"fontweight": "bold" if mark else "normal"} for mark in shaded]
    style.write_rows(ax, records, [{"color": "0.35"}, *looks], kws)
    last = f"… and {more:,} more" if more else "nobody fits" if records.empty else ""
    if last:
        ax.text(0.005, len(records) + 1, last, fontsize=8, va="center", style="italic")
    return ax


def plot_class_sizes(sizes: pd.Series, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the share of records in classes of each size (keywords: `Axes.bar`).

    Parameters
    ----------
    sizes : Series of shape (n_classes,)
        Records per class, such as the result of `class_sizes`. The first bar, of another
        colour, holds the records that are alone.

    Examples
    --------
    >>> ax = plot_class_sizes(pd.Series([1, 1, 2, 4]))
    >>> [float(bar.get_height()) for bar in ax.patches][:3]
    [0.25, 0.25, 0.5]
    """
    records = sizes.to_numpy()
    if not records.size or records.min() < 1:
        raise ValueError("sizes must hold the records of each class, at least 1.")
    ax = style.axes_for(ax)
    share = np.histogram(records, EDGES, weights=records)[0] / records.sum()
    colours = [VERMILLION, *[BLUE] * (len(SIZES) - 1)]
    bars = ax.bar(SIZES, share, **merged(kws, color=colours, width=0.8))
    texts = [style.percent(part) if part else "" for part in share]
    ax.bar_label(bars, texts, padding=2, fontsize="small")
    ax.tick_params(axis="x", length=0, labelsize="small")
    ax.set(xlabel="Records that look the same", ylabel="Share of the records", ylim=(0, 1.1))
    return style.finished(ax, "y", percent="y")


def plot_uniqueness(
    subsets: pd.DataFrame, *, curve: pd.DataFrame | None = None, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw the share of unique records by how many columns are known (keywords: `scatter`).

    Parameters
    ----------
    subsets : DataFrame of shape (n_subsets, any)
        Columns `size` (how many columns are known) and `share` (of the records that these
        single out), as from `subset_uniqueness`. Each set is a dot; a line joins the averages.
    curve : DataFrame of shape (n_columns, any), optional
        Columns `added` and `share` of at most 15 columns in the order in which they become
        known, as from `uniqueness_curve`: drawn as a line with their names.

    Examples
    --------
    >>> ax = plot_uniqueness(pd.DataFrame({"size": [1, 1, 2], "share": [0.0, 0.5, 0.6]}))
    >>> ax.lines[0].get_ydata().tolist()
    [0.25, 0.6]
    """
    ax = style.axes_for(ax)
    look: Look = {"s": 22, "color": SKY, "edgecolor": "white", "linewidth": 0.4}
    look = merged(kws, **look, label="one set of columns")
    ax.scatter(subsets["size"], subsets["share"], **look)
    mean = subsets.groupby("size")["share"].mean()
    ax.plot(mean.index, mean, color=BLUE, linewidth=2, label="average of the sets")
    if curve is not None:
        style.check_count(curve, STEPS, "columns")
        steps, name = np.arange(1, len(curve) + 1), "one after the other"
        ax.plot(steps, curve["share"], "D--", color=VERMILLION, markersize=5, label=name)
        for step, added, share in zip(steps, curve["added"], curve["share"], strict=True):
            text = label(added, 18) if step == 1 else f"+ {label(added, 18)}"
            box: Look = {"bbox": style.white_box(0.4, 0.85), "fontsize": 8}
            ax.annotate(text, (step, share), (6, -11), textcoords="offset points", **box)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.margins(x=0.08)
    top = float(subsets["share"].max()) or 1.0
    ax.set(xlabel="Columns that the attacker knows", ylabel="Share of unique records")
    # Below the lowest share there is room for names.
    return style.finished(ax, "y", percent="y", legend={}, ylim=(-0.09 * top, 1.06 * top))


def plot_known_columns(
    curve: pd.DataFrame, subsets: pd.DataFrame | None = None, *, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw who becomes unique as columns become known, a row each (keywords: `barh`).

    Parameters
    ----------
    curve : DataFrame of shape (n_columns, any)
        Columns `added` and `share` (of the records that are unique by then), as from
        `uniqueness_curve`. The names are read from top to bottom.
    subsets : DataFrame of shape (n_subsets, any), optional
        Columns `size` and `share` of other sets of columns, as from `subset_uniqueness`: each
        is a dot in the row of as many columns.

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
    for row, share in enumerate(curve["share"]):
        ax.text(1.16 * top, row, style.percent(share), zorder=4, **beside)
    names = [style.value_label(name, 36) for name in curve["added"]]
    style.name_rows(ax, [*names[:1], *[f"+ {name}" for name in names[1:]]])
    ax.set(xlabel="Share of records that are alone", ylabel="Columns that become known")
    return style.finished(ax, percent="x", legend=style.ABOVE_RIGHT, xlim=(0, 1.18 * top))


def plot_classes(
    counts: pd.DataFrame, *, everyone: bool = True, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw what each class holds, in shares of its records (keywords: `Axes.barh`, per value).

    Parameters
    ----------
    counts : DataFrame of shape (n_classes, n_values)
        Numbers of records: a row per class (at most 20), a column per value (at most 8).
    everyone : bool
        Draw the whole table below its classes.

    Examples
    --------
    >>> counts = pd.DataFrame({"flu": [3, 1], "hiv": [1, 1]}, index=["north", "south"])
    >>> ax = plot_classes(counts)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['north (4)', 'south (2)', 'everyone (6)']
    """
    style.check_count(counts, 20, "classes")
    table = pd.concat([counts, counts.sum().to_frame("everyone").T]) if everyone else counts
    sizes = table.sum(axis=1)
    names = [f"{style.value_label(name)} ({size:,.0f})" for name, size in sizes.items()]
    ax = style.divided_bars(ax, table.div(sizes, axis=0).set_axis(names), kws)
    return style.finished(ax, xlabel="Share of the records (number in brackets)", xlim=(0, 1))


def plot_cumulative(
    shares: pd.DataFrame, *, unit: str = "", ax: Ax = None, **kws: Any
) -> Axes:
    """Draw cumulative shares over ordered values, gaps shaded (keywords: `Axes.plot`).

    If the values are one step apart, the shaded area of a class is its ordered distance times
    the number of steps.

    Parameters
    ----------
    shares : DataFrame of shape (n_values, n_classes + 1)
        Shares by value, in the order of the values: a column per class, 3 at most, and the
        column of everyone last.
    unit : str
        Label of the values.
    """
    style.check_count(shares.columns[:-1], 3, "classes before everyone")
    rises = shares.cumsum()
    rises = pd.concat([rises, rises.tail(1)])  # the last step has a width, too
    rises = rises.set_axis(range(len(rises)))
    colours = [*FILLS[: rises.shape[1] - 1], "black"]
    ax = style.draw_lines(ax, rises, kws, colours, drawstyle="steps-post")
    for line, fill in zip(ax.lines[:-1], FILLS, strict=False):
        between = {"step": "post", "color": fill, "alpha": 0.18, "linewidth": 0}
        ax.fill_between(rises.index, line.get_ydata(), rises.iloc[:, -1], **between)
    every = -(-len(shares) // 12)
    names = [label(value) for value in shares.index[::every]]
    ax.set_xticks(range(0, len(shares), every), names, ha="left")
    ax.set(xlabel=unit or "Value", ylabel="Share of records up to it", ylim=(0, 1.03))
    return style.finished(ax, "y", legend={"loc": "lower right"}, xlim=(0, len(shares)))


def plot_verdicts(
    numbers: pd.DataFrame, satisfied: pd.DataFrame, *, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw a table of numbers, with those that break a promise marked (keywords: `Axes.text`).

    Parameters
    ----------
    numbers : DataFrame of shape (n_tables, n_models)
        Result of each model for each table.
    satisfied : DataFrame of the same shape
        Whether the number meets the threshold.
    """
    style.check_shape(satisfied, numbers, "satisfied")
    ax, kept = style.axes_for(ax), satisfied.to_numpy(bool)
    marks = np.where(kept, "", "✗ ")
    said = [[style.number_label(x) for x in row] for row in numbers.to_numpy(float)]
    written = np.char.add(marks, np.char.replace(np.array(said), "missing", "none"))
    shade = pd.DataFrame(~kept, numbers.index, numbers.columns).astype(int)
    broken = {"color": style.DARK, "fontweight": "bold"}
    looks = [{"color": "0.25"} if ok else broken for ok in kept.flat]
    return _tiles(ax, shade, written, ["white", "#F6D5C2"], looks, kws)


def plot_implications(witnesses: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw which promise includes which, and a table for each that does not (`Axes.text`).

    Parameters
    ----------
    witnesses : DataFrame of shape (n_models, n_models)
        Name of a table that keeps the promise of the row and breaks that of the column;
        missing if there is none, because the first promise includes the second.
    """
    if list(witnesses.index) != list(witnesses.columns):
        raise ValueError("witnesses must have the same models as rows and as columns.")
    ax, itself = style.axes_for(ax), np.eye(len(witnesses), dtype=bool)
    included = witnesses.isna().to_numpy() & ~itself
    names = witnesses.astype(object).map(label).to_numpy(str)
    written = np.where(itself, "", np.where(included, "⇒", names))
    shade = pd.DataFrame(included + 2 * itself, witnesses.index, witnesses.columns)
    looks = [{"fontweight": "bold" if arrow else "normal"} for arrow in included.flat]
    _tiles(ax, shade, written, ["white", "#9CCFE8", "0.86"], looks, kws)
    ax.xaxis.set_label_position("top")
    return style.finished(
        ax, xlabel="… and breaks this one", ylabel="A table keeps this promise …"
    )


def _tiles(
    ax: Axes, shade: pd.DataFrame, written: Any, colours: list[str], looks: Any, kws: Look
) -> Axes:
    """Colour the cells of a table by number, and write a text into each."""
    look: Look = {"cmap": colours, "vmin": 0, "vmax": len(colours) - 1}
    look |= {"cbar": False, "linewidths": 0.8, "linecolor": "0.8", "annot": written, "fmt": ""}
    ax.xaxis.tick_top()
    style.heatmap(ax, shade, **look, xticklabels=[label(name) for name in shade])
    for text, own in zip(ax.texts, looks, strict=True):
        text.set(**merged(kws, **{"color": "0.1", "fontsize": 9.5, **own}))
    for name in ax.get_xticklabels():
        name.set_horizontalalignment("left" if name.get_rotation() else "center")
    return style.finished(ax, xlabel="", ylabel="")
