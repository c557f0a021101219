"""Plots of disclosure: class sizes, linkage and unique records; what classes disclose.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.
Vermillion and hatching mark unique records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from . import _style as style
from ._style import BLUE, FILLS, ORANGE, OUTLINE, SKY, VERMILLION, Array, axes_for, merged

HIGH = 0.6
"""Share of the height above which the legend of a curve stands."""


SIZE_FILLS = (VERMILLION, ORANGE, SKY, "0.85", style.GREEN, BLUE)


SIZE_HATCHES = ("///", "", "...", "", "xxx", "\\\\\\")


SIZES = (1, 2, 3, 5, 10, 20, 50, 100)  # the smallest class of each bar


STEPS = 15  # bars, or columns of a path, that can be told apart


ROWS = 12  # records that are shown


def plot_narrowing(
    counts: pd.Series,
    *,
    colours: Mapping[Any, str] | None = None,
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw how many records fit as facts are added (keywords: `Axes.scatter`).

    The axis is logarithmic, and where a bar would begin on it is arbitrary: hence dots.

    Parameters
    ----------
    counts : Series of shape (n_facts,)
        Records that are left, at most 15, in the order in which facts become known, each
        named by its index. Where only one is left, the dot is a diamond of another colour.
    colours : mapping of column to colour, optional
        A fact whose name begins with that of a column has its colour, diamond or not.

    Examples
    --------
    >>> ax = plot_narrowing(pd.Series({"everyone": 1000, "age = 35": 40, "a judge": 1}))
    >>> [text.get_text() for text in ax.texts]
    ['1,000', '40', '1']
    """
    style.check_told_apart(STEPS, len(counts), "counts", "facts")
    ax = axes_for(ax)
    records, places = counts.to_numpy(float), np.arange(len(counts))
    ax.hlines(places, 0, 1, transform=ax.get_yaxis_transform(), color="0.9", linewidth=1)
    for one, colour, mark in ((False, BLUE, "o"), (True, VERMILLION, "D")):
        mine = (records == 1) == one
        dots = np.where(records > 0, records, np.nan)[mine]
        look: dict[str, Any] = {"color": colour, "marker": mark, "s": 46, "zorder": 2}
        if colours is not None:
            own = [style.colour_of(name, colours, "0.4") for name in counts.index[mine]]
            look |= {"color": own, "edgecolor": "0.3", "linewidth": 0.6}
        ax.scatter(dots, places[mine], **merged(scatter_kws, **look))
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
    for place, number in zip(places, records, strict=True):
        at = (max(number, 0.5), place)
        ax.annotate(f"{number:,.0f}", at, (8, 0), fontsize="small", **beside)
    ax.set(xscale="log", xlim=(0.5, 6 * max(2, records.max())), xlabel="Records that fit")
    ticks = [10**power for power in range(0, 19, 2) if 10**power <= max(1, records.max())]
    ax.set_xticks(ticks, [f"{number:,}" for number in ticks])
    ax.minorticks_off()
    style.name_rows(ax, places, [style.cell_label(name, 30) for name in counts.index])
    return style.finished(ax, "rows", ylim=(max(len(counts), 4) - 0.4, -0.6))


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
    style.check_one_each(shaded, len(records), "marked", "entry per record")
    ax = axes_for(ax)
    cells = [[style.cell_label(name, 18) for name in records]]
    cells += [[style.cell_label(cell, 18) for cell in row] for row in records.to_numpy(object)]
    widths = np.array([max(map(len, column)) + 2 for column in zip(*cells, strict=True)])
    lefts = np.concatenate([[0], np.cumsum(widths)[:-1]]) / max(widths.sum(), 1)
    for place, row in enumerate(cells):
        ink, bold = "black" if place else "0.35", place > 0 and shaded[place - 1]
        if bold:
            ax.axhspan(place - 0.5, place + 0.5, color=ORANGE, alpha=0.3, linewidth=0)
        look = {"color": ink, "fontweight": "bold" if bold else "normal"}
        kws = merged(text_kws, fontsize=8, va="center", **look)
        for left, cell in zip(lefts, row, strict=True):
            ax.text(left + 0.005, place, cell, **kws)
    ax.axhline(0.5, color="0.6", linewidth=0.8)
    last = f"… and {more:,} more" if more else "nobody fits" if records.empty else ""
    if last:
        ax.text(0.005, len(cells), last, fontsize=8, va="center", style="italic")
    ax.set(xlim=(0, 1), ylim=(max(len(cells), 6) + 0.6, -0.6), xticks=[], yticks=[])
    return style.finished(ax, "table")


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
    bars = ax.bar(np.arange(len(share)), share, **merged(bar_kws, color=BLUE, width=0.8))
    bars[0].set(**style.FLAGGED)
    texts = [style.percent(part) if part else "" for part in share]
    ax.bar_label(bars, texts, padding=2, fontsize="small")
    ax.set_xticks(np.arange(len(share)), names)
    ax.tick_params(axis="x", length=0, labelsize="small")
    ax.set(xlabel="Records that look the same", ylabel="Share of the records", ylim=(0, 1.1))
    return style.finished(ax, percent="y")


def plot_uniqueness(
    subsets: pd.DataFrame,
    *,
    curve: pd.DataFrame | None = None,
    colours: Mapping[Any, str] | None = None,
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
    colours : mapping of column to colour, optional
        The mark of a column that is added has its colour.

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
    early = 0.0
    if curve is not None:
        style.check_told_apart(STEPS, len(curve), "curve", "columns")
        steps, shares = np.arange(1, len(curve) + 1), curve["share"].to_numpy(float)
        early = shares[: max(len(curve) // 2, 1)].max()
        name = "one after the other"
        ax.plot(steps, shares, "D--", color=VERMILLION, markersize=5, label=name)
        look = {"textcoords": "offset points", "bbox": style.white_box(0.4, 0.85)}
        for step, share, name in zip(steps, shares, curve["added"], strict=True):
            text = style.cell_label(name, 18)
            text = text if step == 1 else f"+ {text}"  # nothing was known before the first
            ax.annotate(text, (step, share), (6, -11), fontsize=8, **look)
            if colours is not None:
                own = style.colour_of(name, colours, VERMILLION)
                ax.plot(step, share, "D", color=own, markersize=6, markeredgecolor="0.3")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="Columns that the attacker knows", ylabel="Share of unique records")
    ax.margins(x=0.08)
    top = float(subsets["share"].max()) or 1.0
    ax.set_ylim(-0.09 * top, 1.06 * top)  # room for names below the lowest share
    free: dict[str, Any] = {"loc": "upper left"}
    if early > HIGH * ax.get_ylim()[1]:  # above the dots of sets that single out nobody
        free = {"loc": "lower right", "bbox_to_anchor": (1, 0.1)}
    return style.finished(ax, percent="y", legend=free)


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
    style.check_told_apart(STEPS, len(shares), "shares", "releases")
    style.check_told_apart(len(SIZE_FILLS), shares.shape[1], "shares", "outcomes")
    ax = axes_for(ax)
    places, parts = np.arange(len(shares)), shares.to_numpy(float).T
    names = [style.cell_label(name, 30) for name in shares.columns]
    looks = _hatched(SIZE_FILLS, SIZE_HATCHES, names, 0.65)
    entries = style.stack_bars(ax, places, parts, looks, bar_kws)
    for bars, width in zip(entries, parts, strict=True):
        _write_shares(ax, bars, width)
    if expected is not None:
        diamond: dict[str, Any] = {"marker": "D", "color": "black", "s": 34, "zorder": 3}
        diamond |= {"edgecolor": "white", "label": "right guesses, expected"}
        entries.append(ax.scatter(expected.to_numpy(float), places - 0.42, **diamond))
    style.name_rows(ax, places, [style.cell_label(name, 40) for name in shares.index])
    ax.set(xlim=(0, 1.01), ylim=(len(shares) - 0.5, -0.7))
    above = {**style.ABOVE, "bbox_to_anchor": (0.45, 1), "ncols": 5, "handles": entries}
    what = "Share of the released records"
    return style.finished(ax, "rows", percent="x", legend=above, xlabel=what)


def _hatched(
    fills: Sequence[str], hatches: Sequence[str], names: Sequence[str], height: float
) -> list[dict[str, Any]]:
    """Colour, hatching and name of each part of stacked bars."""
    same = {"edgecolor": "white", "height": height}
    each = zip(fills, hatches, names, strict=False)
    return [
        {"color": fill, "hatch": hatch, "label": name, **same} for fill, hatch, name in each
    ]


def _write_shares(ax: Axes, bars: Any, width: Array) -> None:
    """Write shares into bars that have room for them, readable on any hatching."""
    texts = [style.percent(part) if part >= 0.06 else "" for part in width]
    for label in ax.bar_label(bars, texts, label_type="center", fontsize="small"):
        if label.get_text():
            label.set_bbox(style.white_box(1, 0.8))


def _size_name(low: float, high: float) -> str:
    if high == math.inf:
        return f"{low:,}+"
    return f"{low}" if high == low + 1 else f"{low}–{high - 1}"


HATCHES = ("", "///", "...", "\\\\\\", "xxx", "++", "", "oo")


MARKERS = "os^D"


# Places of legends above the axes, where they hide nothing.
NARROW: dict[str, Any] = {"ncols": 3, "columnspacing": 1, "handletextpad": 0.4}
ABOVE_LEFT = {"loc": "lower left", "bbox_to_anchor": (0, 1), **NARROW}
ABOVE_RIGHT = {**style.ABOVE_RIGHT, **NARROW}


BARS = 20  # values or classes with a bar of their own


BROKEN = ("✗ ", "#8C2D04", "bold")  # mark, colour and weight of a promise that is broken


_text = partial(style.drawn_label, tail=False)


def plot_classes(
    counts: pd.DataFrame, *, everyone: bool = True, ax: Axes | None = None, **bar_kws: Any
) -> Axes:
    """Draw what each class holds, in shares of its records (keywords: `Axes.barh`, per value).

    Parameters
    ----------
    counts : DataFrame of shape (n_classes, n_values)
        Records: a row per class, 20 at most, and a column per sensitive value, 8 at most.
    everyone : bool
        Draw the whole table below its classes.

    Examples
    --------
    >>> counts = pd.DataFrame({"flu": [3, 1], "hiv": [1, 1]}, index=["north", "south"])
    >>> ax = plot_classes(counts)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['north (4)', 'south (2)', 'everyone (6)']
    """
    style.check_told_apart(BARS, len(counts), "counts", "classes")
    style.check_told_apart(len(FILLS), counts.shape[1], "counts", "values")
    ax = axes_for(ax)
    table = counts.to_numpy(float)
    names = [_text(name) for name in counts.index]
    places = np.arange(len(table), dtype=float)
    if everyone:
        table = np.vstack([table, table.sum(axis=0)])
        places, names = np.append(places, len(places) + 0.35), [*names, "everyone"]
    sizes = table.sum(axis=1)
    looks = _hatched(FILLS, HATCHES, [_text(value) for value in counts.columns], 0.8)
    style.stack_bars(ax, places, (table / sizes[:, None]).T, looks, bar_kws)
    labels = [f"{name} ({size:,.0f})" for name, size in zip(names, sizes, strict=True)]
    style.name_rows(ax, places, labels)
    ax.set(xlabel="Share of the records (number in brackets)", xlim=(0, 1))
    beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02), "handlelength": 1.6}
    return style.finished(ax, "rows", legend=beside, ylim=(places[-1] + 0.6, -0.6))


def plot_class_shares(
    shares: pd.DataFrame,
    *,
    marked: int | None = None,
    mark: str = "sets the number",
    name: str = "this class",
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the values of one class as bars, those of everyone as outlines (keywords: `barh`).

    Parameters
    ----------
    shares : DataFrame of shape (n_values, 2)
        Share in the class and share in the table, in this order, by value. Of more than 20
        values, those with the smallest shares are summed as "others".
    marked : int, optional
        Position of the value to be marked, which gets a bar of its own.
    mark : str
        What the mark means.
    name : str
        What the class is called in the legend.
    """
    ax = axes_for(ax)
    shown, labels, is_marked = _values(shares, marked)
    places = np.arange(len(shown))
    look = {"color": np.where(is_marked, VERMILLION, BLUE), "height": 0.66}
    bars = ax.barh(places, shown[:, 0], **merged(bar_kws, **look))
    ax.barh(places, shown[:, 1], height=0.86, **OUTLINE)
    style.name_rows(ax, places, labels, fontsize=9 if len(places) <= 12 else 7.5)
    for bar, text, hatched in zip(bars, ax.get_yticklabels(), is_marked, strict=True):
        bar.set(hatch="///" if hatched else "", edgecolor="white")
        text.set_fontweight("bold" if hatched else "normal")
    spare = max(0, 4 - len(places)) / 2
    ax.set_ylim(len(places) - 0.4 + spare, -0.6 - spare)
    ax.set(xlabel="Share of the records", xlim=(0, 1.02 * max(float(shown.max()), 1e-9)))
    kinds: dict[str, Any] = {_text(name, 40): Patch(facecolor=BLUE)}
    if is_marked.any():
        kinds[mark] = Patch(facecolor=VERMILLION, hatch="///", edgecolor="white")
    kinds["everyone"] = Patch(**OUTLINE)
    entries = {"handles": list(kinds.values()), "labels": list(kinds)}
    return style.finished(ax, "x", legend={**ABOVE_LEFT, **entries})


def plot_cumulative(
    shares: pd.DataFrame, *, unit: str = "", ax: Axes | None = None, **line_kws: Any
) -> Axes:
    """Draw cumulative shares over ordered values; what lies between is shaded (`Axes.step`).

    With the values a step apart, the shaded area of a class is its ordered distance times the
    number of steps.

    Parameters
    ----------
    shares : DataFrame of shape (n_values, n_classes + 1)
        Shares by value, in the order of the values: a column per class, 3 at most, and that
        of everyone last.
    unit : str
        What the values are.
    """
    style.check_told_apart(3, shares.shape[1] - 1, "shares", "classes before everyone")
    ax = axes_for(ax)
    places, rises = np.arange(len(shares) + 1), shares.to_numpy(float).cumsum(axis=0)
    rises = np.vstack([rises, rises[-1:]])  # the last step has a width, too
    for i, name in enumerate(shares.columns[:-1]):
        look = {"color": FILLS[i], "linestyle": style.LINE_STYLES[i], "linewidth": 2}
        between = (rises[:, i], rises[:, -1])
        ax.fill_between(places, *between, step="post", color=FILLS[i], alpha=0.18)
        kws = merged(line_kws, label=_text(name), **look)
        ax.step(places, rises[:, i], where="post", **kws)
    ax.step(places, rises[:, -1], where="post", color="black", linewidth=1.4, label="everyone")
    every = math.ceil(len(shares) / 12)
    names = [_text(value) for value in shares.index[::every]]
    ax.set_xticks(places[:-1:every], names, ha="left")
    ax.set(xlabel=unit or "Value", ylabel="Share of records up to it", ylim=(0, 1.03))
    return style.finished(ax, legend={"loc": "lower right"}, xlim=(0, len(shares)))


def plot_verdicts(
    numbers: pd.DataFrame, satisfied: pd.DataFrame, *, ax: Axes | None = None, **text_kws: Any
) -> Axes:
    """Draw a table of numbers, with those that break a promise marked (keywords: `Axes.text`).

    Parameters
    ----------
    numbers : DataFrame of shape (n_tables, n_models)
        What each model measures of each table.
    satisfied : DataFrame of the same shape
        Whether the number keeps to the threshold.
    """
    if numbers.shape != satisfied.shape:
        raise ValueError(
            f"satisfied must have the shape of numbers, {numbers.shape}; got"
            f" {satisfied.shape}."
        )
    ax = axes_for(ax)
    kept = satisfied.to_numpy(bool)
    _tiles(ax, numbers, np.where(kept, 0, 1), ["white", "#F6D5C2"])
    for (row, column), number in np.ndenumerate(numbers.to_numpy(float)):
        mark, ink, weight = ("", "0.25", "normal") if kept[row, column] else BROKEN
        look = merged(text_kws, **style.CENTRED, fontsize=9.5, color=ink, fontweight=weight)
        ax.text(column, row, f"{mark}{style.number_label(number, missing='none')}", **look)
    return ax


def plot_implications(
    witnesses: pd.DataFrame, *, ax: Axes | None = None, **text_kws: Any
) -> Axes:
    """Draw which promise includes which, and a table for each that does not (`Axes.text`).

    Parameters
    ----------
    witnesses : DataFrame of shape (n_models, n_models)
        Name of a table that keeps the promise of the row and breaks that of the column;
        missing where there is none, because the first promise includes the second.
    """
    if list(witnesses.index) != list(witnesses.columns):
        raise ValueError("witnesses must have the same models as rows and as columns.")
    ax = axes_for(ax)
    included = witnesses.isna().to_numpy() & ~np.eye(len(witnesses), dtype=bool)
    shade = np.where(np.eye(len(witnesses), dtype=bool), 2, included.astype(int))
    _tiles(ax, witnesses, shade, ["white", "#9CCFE8", "0.86"])
    for row, column in np.argwhere(shade < 2).tolist():
        name, weight = "⇒", "bold"
        if not included[row, column]:
            name, weight = _text(witnesses.iat[row, column]), "normal"
        look = merged(text_kws, **style.CENTRED, fontsize=11, fontweight=weight, color="0.1")
        ax.text(column, row, name, **look)
    ax.set_xlabel("… and breaks this one")
    ax.xaxis.set_label_position("top")
    ax.set_ylabel("A table keeps this promise …")
    return ax


def plot_small_tables(
    tables: Mapping[str, pd.DataFrame], *, ax: Axes | None = None, **text_kws: Any
) -> Axes:
    """Draw small tables, a square per record: its letter is its value (keywords: `Axes.text`).

    Parameters
    ----------
    tables : mapping from name to DataFrame of shape (n_classes, n_values)
        Records by class and value; at most 8 values in all.
    """
    values = list(dict.fromkeys(value for table in tables.values() for value in table.columns))
    style.check_told_apart(len(FILLS), len(values), "tables", "values")
    ax = axes_for(ax)
    shades = [mpl.colors.to_rgb(fill) for fill in FILLS]
    inks = ["white" if np.dot(rgb, [0.3, 0.6, 0.1]) < 0.5 else "black" for rgb in shades]
    row, middles = 0.0, []
    for table in tables.values():
        middles.append(row + (len(table) - 1) / 2)
        columns = np.array([values.index(value) for value in table.columns])
        for counts in table.to_numpy(int):
            for place, i in enumerate(np.repeat(columns, counts).tolist()):
                ax.bar(place, 0.9, 0.9, row - 0.45, color=shades[i])
                look = merged(text_kws, **style.CENTRED, color=inks[i], fontsize=7.5)
                ax.text(place, row, _text(values[i]), **look)
            row += 1
        row += 0.75
    ax.set_yticks(middles, [_text(name) for name in tables], fontsize=11)
    ax.set_aspect("equal", anchor="W")
    ax.tick_params(length=0)
    ax.set(xlabel="A row per class, a square per record", ylabel="Table", xticks=[])
    return style.finished(ax, "table", ylim=(row - 1.1, -0.65))


def plot_presence(presence: pd.DataFrame, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw the people of each class, and how many are in the table (keywords: `Axes.barh`).

    Parameters
    ----------
    presence : DataFrame of shape (n_classes, any)
        Columns `records`, in the table, and `people`, in the population; at most 20 classes.
    """
    style.check_has_columns(presence, "presence", "records", "people")
    style.check_told_apart(BARS, len(presence), "presence", "classes")
    ax = axes_for(ax)
    places = np.arange(len(presence))
    records, people = (presence[name].to_numpy(float) for name in ("records", "people"))
    ax.barh(places, people, height=0.8, label="people in the population", **OUTLINE)
    look = {"color": BLUE, "height": 0.6, "label": "records in the table"}
    ax.barh(places, records, **merged(bar_kws, **look))
    for place, f, all_of_them in zip(places.tolist(), records, people, strict=True):
        text = f" {f:,.0f} of {all_of_them:,.0f}: {f / all_of_them:.3g}"
        ax.text(all_of_them, place, text, va="center", fontsize="small")
    style.name_rows(ax, places, [_text(name) for name in presence.index])
    ax.set(xlabel="People", ylabel=_text(presence.index.name or ""))
    ax.set(xlim=(0, 1.3 * float(people.max())), ylim=(max(len(places), 2) - 0.4, -0.6))
    return style.finished(ax, "x", legend=ABOVE_LEFT)


def plot_costs(
    costs: pd.DataFrame, *, unit: str = "", ax: Axes | None = None, **line_kws: Any
) -> Axes:
    """Draw costs against size, both on logarithmic axes (keywords: `Axes.plot`, per column).

    Parameters
    ----------
    costs : DataFrame of shape (n_sizes, n_ways)
        Positive numbers: the index holds the sizes, its name says of what; a column per way,
        4 at most.
    unit : str
        What the costs are counted in.
    """
    style.check_told_apart(len(MARKERS), costs.shape[1], "costs", "ways")
    if not (costs.to_numpy(float) > 0).all():
        raise ValueError("costs must be positive to be drawn on a logarithmic axis.")
    ax = axes_for(ax)
    for i, (name, column) in enumerate(costs.items()):
        look = {"color": FILLS[i * 4], "linestyle": style.LINE_STYLES[i], "linewidth": 2}
        kws = merged(line_kws, **look, marker=MARKERS[i], label=_text(name, 60))
        ax.plot(costs.index.to_numpy(float), column.to_numpy(float), **kws)
    ax.set(xscale="log", yscale="log", ylabel=unit)
    return style.finished(ax, "both", legend={}, xlabel=_text(costs.index.name or "Size", 80))


def plot_class_numbers(
    sizes: Sequence[float] | Array,
    numbers: Sequence[float] | Array,
    *,
    threshold: float | None = None,
    least: float | None = None,
    violating: Sequence[bool] | Array | None = None,
    chosen: int | None = None,
    unit: str = "",
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    """Draw a number of every class against its size (keywords: `Axes.scatter`).

    Parameters
    ----------
    sizes, numbers : array-like of shape (n_classes,)
        Records, and what is measured. Infinite numbers stand on the upper edge.
    threshold : float, optional
        Bound of the numbers, a line across.
    least : float, optional
        Least size, a line upwards.
    violating : array-like of shape (n_classes,), optional
        Which classes are drawn as crosses.
    chosen : int, optional
        Position of a class to be ringed.
    unit : str
        What the numbers are.
    """
    x, y = np.asarray(sizes, float), np.asarray(numbers, float)
    if len(y) != len(x):
        raise ValueError(f"numbers must have one entry per class, {len(x)}; got {len(y)}.")
    ax = axes_for(ax)
    threshold = threshold if threshold is not None and math.isfinite(threshold) else None
    infinite = np.isinf(y)
    top = max([*y[np.isfinite(y)], 1e-9 if threshold is None else threshold, 1e-9])
    top *= 1.15 if infinite.any() else 1  # where infinite numbers are drawn: above all others
    y = np.where(infinite, top, y)
    bad = np.zeros(len(x), bool) if violating is None else np.asarray(violating, bool)
    for mask, name, look in (
        (~bad, "keeps", {"marker": "o", "color": BLUE, "alpha": 0.55, "s": 22}),
        (bad, "violates", {"marker": "x", "color": VERMILLION, "alpha": 0.8, "s": 26}),
    ):
        if mask.any():
            look |= {"label": f"{name} ({mask.sum():,})", "zorder": 2.5}
            ax.scatter(x[mask], y[mask], **merged(scatter_kws, **look))
    if chosen is not None:
        ring: dict[str, Any] = {"s": 130, "facecolor": "none", "edgecolor": "black"}
        ax.scatter(x[chosen], y[chosen], linewidth=1.6, label="chosen", zorder=3, **ring)
    ax.set(xscale="log", xlabel="Records in the class", ylabel=unit)
    ax.set_xlim(0.8 * min(x.min(), least or x.min()), 1.3 * max(x.max(), least or 0))
    ax.set_ylim(min(0, float(y.min())) - 0.03 * top, 1.06 * top)
    _bounds(ax, threshold, least)
    if infinite.any():  # these stand on a line of their own
        ax.axhline(top, color="0.8", linewidth=0.8, zorder=0)
        note = f"on the line: ∞ ({infinite.sum():,} of {len(infinite):,})"
        ax.text(0, 1.01, note, va="bottom", fontsize="small", transform=ax.transAxes)
    explained = violating is not None or chosen is not None
    return style.finished(ax, legend=ABOVE_RIGHT if explained else None)


def plot_violations(
    violations: pd.DataFrame, *, ax: Axes | None = None, **bar_kws: Any
) -> Axes:
    """Draw the share of rows that violate each threshold (keywords: `Axes.barh`).

    Parameters
    ----------
    violations : DataFrame of shape (n_thresholds, any)
        Columns `classes` and `rows`, in numbers, and `share` of all rows, from 0 to 1.
    """
    style.check_has_columns(violations, "violations", "classes", "rows", "share")
    ax = axes_for(ax)
    places, share = np.arange(len(violations)), violations["share"].to_numpy(float)
    ax.barh(places, 100 * share, **merged(bar_kws, color=VERMILLION, height=0.66))
    ax.barh(places, 100, height=0.66, fill=False, edgecolor="0.6", linewidth=0.8)
    counted = violations[["classes", "rows"]].to_numpy(int).tolist()
    for place, (classes, rows) in zip(places.tolist(), counted, strict=True):
        text = f"{classes:,} class{'es' * (classes != 1)}, {rows:,} row{'s' * (rows != 1)}"
        ax.text(99, place - 0.36, text, ha="right", va="bottom", fontsize="small")
    style.name_rows(ax, places, [_text(name) for name in violations.index])
    ax.set(xlabel="Rows that violate (% of the table)", xlim=(0, 101))
    return style.finished(ax, "rows", ylim=(len(places) - 0.5, -0.8))


# Parts of the drawings


def _values(shares: pd.DataFrame, marked: int | None) -> tuple[Array, list[str], Array]:
    """Shares and labels of the values that get a bar, and which is marked."""
    if shares.shape[1] != 2:
        raise ValueError(
            "shares must have 2 columns, the share in the class and in the table; got"
            f" {shares.shape[1]}."
        )
    table = shares.to_numpy(float)
    weight = table.max(axis=1)
    if marked is not None:
        weight[marked] = np.inf
    kept, others = style.largest(weight, BARS)
    labels = [_text(value) for value in shares.index[kept]]
    if not len(others):
        return table[kept], labels, kept == marked
    rest = table[others].sum(axis=0)
    names = [*labels, f"{len(others):,} others"]
    return np.vstack([table[kept], rest]), names, np.append(kept == marked, False)


def _bounds(ax: Axes, threshold: float | None, least: float | None) -> None:
    """Draw the bound of the numbers across, and the least size upwards."""
    if threshold is not None:
        ax.axhline(threshold, color="0.3", linestyle="--", linewidth=1)
    if least is not None:
        ax.axvline(least, color="0.3", linestyle=":", linewidth=1.2)


def _tiles(ax: Axes, table: pd.DataFrame, shade: Array, colours: list[str]) -> None:
    """Colour the cells of a table, white lines between them; name rows and columns."""
    rows, columns = shade.shape
    cmap = mpl.colors.ListedColormap(colours)
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    look: dict[str, Any] = {"edgecolors": "0.8", "linewidth": 0.8}
    ax.pcolormesh(*edges, shade, cmap=cmap, vmin=-0.5, vmax=len(colours) - 0.5, **look)
    ax.xaxis.tick_top()
    ax.set_xticks(range(columns), [_text(name) for name in table.columns], fontsize=9)
    ax.set_yticks(range(rows), [_text(name, 40) for name in table.index], fontsize=9)
    if max(len(f"{name}") for name in table.columns) > 9:
        ax.tick_params(axis="x", rotation=35)
        for label in ax.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    ax.tick_params(length=0)
    style.finished(ax, "table", ylim=(rows - 0.5, -0.5))
