"""Plots of information gain: cells, rows, features, and their terms.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one matplotlib call that its docstring names, and win over the defaults.

What does not fit is summed as "others", or drawn once where marks would hide each other.
Missing values are labelled "missing"; infinite numbers are drawn at the edge and counted
under the axes. A wrong kind of input is a TypeError, a wrong value a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.collections import QuadMesh

from . import _style as style
from ._style import BLUE, FILLS, VERMILLION, Array, axes_for, drawn_label, merged, value_label

MARKERS = "os^DvPX*"


BARS = 20  # values with a bar of their own


CONTEXTS = 2 * len(FILLS)  # the colours, then the colours hatched


RECORDS = 100  # rows of an annotated heatmap


POINTS = 5_000  # marks drawn without looking for those that hide each other


def plot_prior(distribution: pd.Series, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw the probability of each value of one feature (keywords: `Axes.barh`).

    Parameters
    ----------
    distribution : Series of shape (n_values,)
        Probabilities by value, named after the feature. Of more than 20 values the least
        likely are summed as "others".

    Examples
    --------
    >>> ax = plot_prior(pd.Series({"male": 6 / 7, "female": 1 / 7}, name="gender"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['male', 'female']
    """
    table = _probabilities("distribution", distribution, pd.Series)
    shown, labels = _largest(table, distribution.index, table[:, 0], BARS)
    ax = axes_for(ax)
    kws = merged(bar_kws, color=BLUE, height=0.75)
    bars = ax.barh(np.arange(len(shown)), shown[:, 0], **kws)
    ax.bar_label(bars, [f"{p:.2g}" for p in shown[:, 0]], padding=3, fontsize="small")
    ax.margins(x=0.12)
    return _finish_bars(ax, labels, _name([distribution.name]), "Probability")


def plot_posteriors(
    posteriors: pd.DataFrame,
    *,
    prior: pd.Series | None = None,
    sizes: pd.Series | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw beliefs about one feature in a few contexts (keywords: `Axes.barh`, per context).

    With `sizes` each context is one bar of length 1, divided among the values, and the prior
    is the last bar; else each value has a bar per context.

    Parameters
    ----------
    posteriors : DataFrame of shape (n_contexts, n_values)
        Probabilities: a row per context, 16 at most, and a column per value. Of more than
        20 values those least likely in every context are summed as "others".
    prior : Series of shape (n_values,), optional
        Probabilities before the context is known, drawn as an outline, or as the last bar.
    sizes : Series of shape (n_contexts,), optional
        Number of records in each context, in the order of `posteriors`; written beside it.

    Examples
    --------
    >>> beliefs = pd.DataFrame({"blue": [1, 0.5], "green": [0, 0.5]}, ["Anton", "Emil"])
    >>> ax = plot_posteriors(beliefs, sizes=pd.Series([1, 2], beliefs.index))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Anton (n = 1)', 'Emil (n = 2)']
    """
    table = _probabilities("posteriors", posteriors, pd.DataFrame).T
    contexts = table.shape[1]
    _at_most(CONTEXTS, contexts, "posteriors has {} contexts", "posteriors.head(16)")
    if prior is not None:
        aligned = _align(prior, posteriors.columns)
        table = np.column_stack([table, _probabilities("prior", aligned, pd.Series)])
    if sizes is not None:
        counts = _numbers("sizes", sizes, pd.Series)[:, 0]
        if len(counts) != contexts:
            raise ValueError(
                f"sizes must hold one number for each of the {contexts} contexts; got"
                f" {len(counts)}. Take both from one table."
            )
        return _divided_bars(posteriors, table, counts, axes_for(ax), bar_kws)
    shown, labels = _largest(table, posteriors.columns, table.max(axis=1), BARS)
    ax = axes_for(ax)
    places, thickness = np.arange(len(shown)), 0.8 / contexts
    handles: list[Any] = []
    for i in range(contexts):
        look = {"color": FILLS[i % len(FILLS)], "edgecolor": "white", "linewidth": 0.4}
        hatch = "////" if i >= len(FILLS) else None
        kws = merged(bar_kws, **look, hatch=hatch, height=thickness)
        shift = (i - (contexts - 1) / 2) * thickness
        handles.append(ax.barh(places + shift, shown[:, i], **kws))
    names = [drawn_label(context) for context in posteriors.index]
    if prior is not None:
        handles.append(ax.barh(places, shown[:, -1], height=0.9, **style.OUTLINE))
        names.append("prior")
    _legend(ax, handles, names, title=_name(posteriors.index.names))
    return _finish_bars(ax, labels, _name([posteriors.columns.name]), "Probability")


def _divided_bars(
    posteriors: pd.DataFrame, table: Array, counts: Array, ax: Axes, bar_kws: Mapping[str, Any]
) -> Axes:
    """Draw a bar of length 1 per context, then that of the prior if `table` has one."""
    parts, names = _largest(table, posteriors.columns, table.max(axis=1), len(FILLS))
    pairs = zip(posteriors.index, counts, strict=True)
    labels = [f"{value_label(context)} (n = {count:g})" for context, count in pairs]
    labels += ["prior"] * (table.shape[1] - len(counts))
    colours = _colours(len(table))
    handles = _stacked(ax, parts, colours, bar_kws)
    for bars, part, colour in zip(handles, parts, colours, strict=False):
        said = [f"{share:.2g}" if share >= 0.08 else "" for share in part]
        ink = _ink(mpl.colors.to_rgb(colour))
        ax.bar_label(bars, said, label_type="center", fontsize="x-small", color=ink)
    _legend(ax, handles, names, title=_name([posteriors.columns.name]))
    ax.set_xlim(0, 1)
    return _finish_bars(ax, labels, _name(posteriors.index.names), "Probability")


def _stacked(
    ax: Axes, parts: Array, colours: Sequence[str], bar_kws: Mapping[str, Any]
) -> list[Any]:
    """Draw a bar per column of `parts`, divided among its rows."""
    same = {"edgecolor": "white", "linewidth": 0.6, "height": 0.8}
    looks = [{"color": colour, **same} for colour in colours]
    return style.stack_bars(ax, np.arange(parts.shape[1]), parts, looks, bar_kws)


def plot_cells(
    values: pd.DataFrame,
    *,
    cells: pd.DataFrame | None = None,
    unit: str = "bits",
    vmin: float = 0,
    vmax: float | None = None,
    ax: Axes | None = None,
    **mesh_kws: Any,
) -> Axes:
    """Draw a small table as a heatmap with its numbers (keywords: `Axes.pcolormesh`).

    Parameters
    ----------
    values : DataFrame of shape (n_records, n_features)
        Numbers of at most 100 records, such as CIG (bits). Where the axes are too small to
        read them the numbers are left out, until the figure is enlarged.
    cells : DataFrame of the same shape, optional
        The table the numbers speak of: its values are written under them.
    unit : str
        What the colour bar measures.
    vmin, vmax : float
        Ends of the scale of shades; heatmaps to be compared need the same.
    """
    numbers = _numbers("values", values, pd.DataFrame, missing=True)
    way = "values.head(20), or use plot_cell_bands"
    _at_most(RECORDS, len(numbers), "values has {} records", way)
    if cells is not None:
        _same_shape("cells", cells, "values", numbers)
    shades, infinite = _at_edge(numbers)
    edges = np.arange(len(numbers) + 1) - 0.5
    look = {**_scale(shades, vmin, vmax), "edgecolor": "white", "linewidth": 0.7}
    ax = axes_for(ax)
    mesh = _heat(ax, edges, shades, values.columns, unit, merged(mesh_kws, **look))
    _name_slots(ax.yaxis, [value_label(name) for name in values.index])
    ax.set_ylabel(_name(values.index.names) or "Record")
    _write_cells(ax, numbers, cells, mesh.to_rgba(shades))
    return _say_infinite(ax, infinite)


def plot_cell_bands(
    values: pd.DataFrame,
    *,
    bands: int = 100,
    statistic: Literal["mean", "largest"] = "mean",
    unit: str = "bits",
    vmin: float = 0,
    vmax: float | None = None,
    ax: Axes | None = None,
    **mesh_kws: Any,
) -> Axes:
    """Draw a large table as a heatmap of bands of records (keywords: `Axes.pcolormesh`).

    Parameters
    ----------
    values : DataFrame of shape (n_records, n_features)
        Numbers such as CIG (bits). Records are sorted, the largest sum on top, and put into
        bands of equal size.
    bands : int
        Number of bands; never more than records.
    statistic : {"mean", "largest"}
        What is drawn of each band: its mean, or its largest cell, which a mean hides.
    unit : str
        What the colour bar measures.
    vmin, vmax : float
        Ends of the scale of shades; heatmaps to be compared need the same.
    """
    numbers, infinite = _at_edge(_numbers("values", values, pd.DataFrame))
    largest_first = numbers[np.argsort(-numbers.sum(axis=1), kind="stable")]
    count = min(_whole("bands", bands), len(numbers))
    edges = np.linspace(0, len(numbers), count + 1).astype(int)
    shades = np.add.reduceat(largest_first, edges[:-1]) / np.diff(edges)[:, None]
    if statistic == "largest":
        shades = np.maximum.reduceat(largest_first, edges[:-1])
    elif statistic != "mean":
        raise ValueError(f"statistic must be 'mean' or 'largest'; got {statistic!r}.")
    ax = axes_for(ax)
    kws = merged(mesh_kws, **_scale(shades, vmin, vmax))
    said = f"{unit}, {statistic} of the band"
    _heat(ax, edges / len(numbers), shades, values.columns, said, kws)
    ax.set_ylabel("Share of records, largest sum first")
    ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
    return _say_infinite(ax, infinite)


def plot_rig(
    rig: pd.Series,
    *,
    pif: float | None = None,
    n: float | None = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the distribution of row information gain, and PIF_n (keywords: `Axes.ecdf`).

    Parameters
    ----------
    rig : Series of shape (n_records,)
        Gain in bits. Of more than 5,000 records 5,000 evenly spaced ranks are drawn, the
        smallest and largest included.
    pif : float, optional
        Personal information factor in bits, drawn as a line.
    n : float, optional
        The percentile of `pif`: names that line and draws another at the share n.

    Examples
    --------
    >>> ax = plot_rig(pd.Series([1.0, 1.3, 3.3]), pif=3.1, n=95)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['PIF$_{95}$ = 3.10 bits']
    """
    gains, infinite = _at_edge(np.sort(_numbers("rig", rig, pd.Series)[:, 0]))
    ranks = np.linspace(0, len(gains) - 1, min(len(gains), POINTS)).astype(int)
    ax = axes_for(ax)
    ax.ecdf(gains[ranks], **merged(line_kws, color=BLUE, linewidth=2))
    style.open_frame(ax, "both")
    if pif is not None:
        name = "PIF" if n is None else f"PIF$_{{{n:g}}}$"
        line = ax.axvline(min(pif, gains[-1]), color=VERMILLION, linestyle="--")
        _legend(ax, [line], [f"{name} = {_number(pif)} bits"], above=True)
    if n is not None:
        ax.axhline(n / 100, color=VERMILLION, linestyle=":", linewidth=1, zorder=1)
    ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
    ax.set(xlabel="Row information gain (bits)", ylabel="Share of records at or below")
    return _say_infinite(ax, infinite)


def plot_riskiest_rows(
    cig: pd.DataFrame,
    *,
    top: int = 10,
    cells: pd.DataFrame | None = None,
    ax: Axes | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the records of the largest sums, stacked (keywords: `Axes.barh`, per feature).

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Cell information gain in bits. Of more than eight features seven keep a colour of
        their own, those that add most to the bars.
    top : int
        Number of records. They are labelled by their position in the table, from 0.
    cells : DataFrame of the same shape, optional
        The table: the two values that add most to a bar are written beside the position.
    """
    numbers = _numbers("cig", cig, pd.DataFrame)
    if cells is not None:
        _same_shape("cells", cells, "cig", numbers)
    rows = np.argsort(-numbers.sum(axis=1), kind="stable")[: _whole("top", top)]
    parts, infinite = _at_edge(numbers[rows].T)
    parts, names = _largest(parts, cig.columns, parts.sum(axis=1), len(FILLS))
    ax = axes_for(ax)
    handles = _stacked(ax, parts, _colours(cig.shape[1]), bar_kws)
    _legend(ax, handles, [drawn_label(name) for name in names])
    ax.set_xlim(left=0)
    labels = [_named_record(row, numbers[row], cells) for row in rows]
    _finish_bars(ax, labels, "Position of the record", "Row information gain (bits)")
    return _say_infinite(ax, infinite)


def _named_record(row: int, gains: Array, cells: pd.DataFrame | None) -> str:
    """Position of a record, and its two values that add most."""
    if cells is None:
        return str(row)
    most = np.argsort(-gains, kind="stable")[:2]
    said = [f"{value_label(cells.columns[j])} {value_label(cells.iat[row, j])}" for j in most]
    return f"{row}: {', '.join(said)}"


def plot_cig_csf(
    cig: pd.DataFrame,
    csf: pd.DataFrame,
    *,
    features: Sequence[Any] | None = None,
    ax: Axes | None = None,
    **scatter_kws: Any,
) -> Axes:
    r"""Draw each cell's surprise against its gain (keywords: `Axes.scatter`, per feature).

    No cell lies above the bound of Pinsker,
    :math:`\mathrm{CSF} = \min(1, \sqrt{\mathrm{CIG} \, \ln 2 / 2})`.

    Parameters
    ----------
    cig, csf : DataFrame of shape (n_records, n_features)
        Cell information gain (bits) and cell surprise factor (0 to 1) of one table. Of more
        than eight features seven keep a colour, those highest in the picture; of more than
        5,000 cells those that would hide each other are drawn once, the larger the more
        there are.
    features : sequence of column names, optional
        All columns of the table, at most eight, in its order, where `cig` lacks some: each
        feature keeps the colour and mark that it has in the whole table.
    """
    across, up = _numbers("cig", cig, pd.DataFrame), _probabilities("csf", csf, pd.DataFrame)
    _same_shape("csf", up, "cig", across)
    ax = axes_for(ax)
    infinite = _scatter(ax, across, up, cig.columns, scatter_kws, features)
    gain = np.linspace(0, max(1e-9, ax.get_xlim()[1]), 500)
    bound = np.minimum(1, np.sqrt(gain * np.log(2) / 2))
    ax.plot(gain, bound, color="0.25", linestyle="--", label="Pinsker's bound")
    ax.fill_between(gain, bound, 1.05, color="0.94", zorder=0)
    ax.set(xlim=(-0.02 * gain[-1], gain[-1]), ylim=(-0.03, 1.05))
    ax.set(xlabel="Cell information gain (bits)", ylabel="Cell surprise factor (probability)")
    _legend(ax, *ax.get_legend_handles_labels())
    return _say_infinite(ax, infinite)


def plot_gain_terms(terms: pd.DataFrame, *, ax: Axes | None = None, **bar_kws: Any) -> Axes:
    """Draw how the terms of one cell add up to its CIG (keywords: `Axes.barh`, the terms).

    Parameters
    ----------
    terms : DataFrame of shape (n_values, 3)
        A row per value; columns `prior` and `posterior`, written beside the value, and
        `term_bits`. Of more than 20 values the smallest terms are summed as "others".
    """
    table = _columns("terms", terms, ["prior", "posterior", "term_bits"])
    numbers, infinite = _at_edge(table)
    shown, names = _largest(numbers, terms.index, np.abs(numbers[:, 2]), BARS)
    steps, places = shown[:, 2], np.arange(len(shown))
    ends = np.cumsum(steps)
    ax = axes_for(ax)
    colour = np.where(steps > 0, VERMILLION, BLUE)
    kws = merged(bar_kws, color=colour, height=0.7)
    bars = ax.barh(places, steps, left=ends - steps, **kws)
    total = ax.barh(len(steps), ends[-1], color="0.25", height=0.7)
    edge = numbers.max() if infinite else np.inf
    said = ["∞" if step == edge else f"{step:+.2f}" if step else "0" for step in steps]
    said = [text.replace("-", "−") for text in said]
    ax.bar_label(bars, said, padding=3, fontsize="small")
    gain = "∞" if infinite else _number(ends[-1])
    ax.bar_label(total, [gain], padding=3, fontsize="small", fontweight="bold")
    ax.vlines(ends, places, places + 1, color="0.6", linewidth=0.8)
    ax.axvline(0, color="0.25", linewidth=0.8)
    low, high = min(0, ends.min()), max(0, ends.max())
    room = 0.15 * (high - low) or 1
    ax.set_xlim(low - 1.5 * room if low < 0 else 0, high + room)
    beliefs = zip(names, shown[:, 0], shown[:, 1], strict=True)
    labels = [f"{name}  {prior:.2g} → {posterior:.2g}" for name, prior, posterior in beliefs]
    _finish_bars(ax, [*labels, "CIG"], _name([terms.index.name]), "Information gain (bits)")
    return _say_infinite(ax, infinite)


def plot_treatments(
    treatments: pd.DataFrame, *, unit: str = "bits", ax: Axes | None = None, **scatter_kws: Any
) -> Axes:
    """Draw treatments on the plane of risk and utility (keywords: `Axes.scatter`).

    The upper left is best. Filled points, joined by a line, are not beaten by any other
    treatment; white ones are.

    Parameters
    ----------
    treatments : DataFrame of shape (n_treatments, 2)
        Columns `risk` and `utility`, indexed by name. Names are written where they hide
        nothing; one that finds no room is left out.
    unit : str
        What risk is measured in.

    Examples
    --------
    >>> table = pd.DataFrame({"risk": [31.5, 20.6], "utility": [1, 0.8]}, ["as is", "no job"])
    >>> [text.get_text() for text in plot_treatments(table).texts]
    ['as is', 'no job']
    """
    table = _columns("treatments", treatments, ["risk", "utility"])
    numbers, infinite = _at_edge(table)
    risk, utility = numbers.T
    order = np.lexsort((-utility, risk))
    best = np.maximum.accumulate(utility[order])
    front = order[np.diff(best, prepend=-np.inf) > 0]
    ax = axes_for(ax)
    ax.plot(risk[front], utility[front], color="0.75", linewidth=1, zorder=1)
    fill = np.where(np.isin(np.arange(len(risk)), front), BLUE, "white")
    look = {"color": fill, "edgecolor": BLUE, "s": 40, "zorder": 3}
    ax.scatter(risk, utility, **merged(scatter_kws, **look))
    ax.margins(0.12)
    ax.set(xlabel=f"Risk ({unit}), smaller is safer", ylabel="Utility (1 = nothing lost)")
    style.open_frame(ax, "both")
    _write_names(ax, numbers, [drawn_label(name, 40) for name in treatments.index])
    return _say_infinite(ax, infinite)


# Checks, kept here because plots import nothing of the toolkit.


def _numbers(name: str, value: object, kind: type, *, missing: bool = False) -> Array:
    """Return a Series or DataFrame of numbers as a two-dimensional array."""
    if not isinstance(value, kind) or not isinstance(value, (pd.Series, pd.DataFrame)):
        raise TypeError(
            f"{name} must be a pandas {kind.__name__}; got {type(value).__name__}. "
            f"Pass the result of a metric, or wrap it: pd.{kind.__name__}(...)."
        )
    table = pd.DataFrame(value)
    if table.size == 0:
        raise ValueError(f"{name} has nothing to draw: its shape is {value.shape}.")
    for column, dtype in zip(table.columns, table.dtypes, strict=True):
        if not pd.api.types.is_numeric_dtype(dtype):
            raise TypeError(
                f"{name} must hold numbers; {column!r} holds {dtype}. "
                "Pass the result of a metric, not the table itself."
            )
    numbers = table.to_numpy(dtype=float, na_value=np.nan)
    if not missing and np.isnan(numbers).any():
        count = int(np.isnan(numbers).sum())
        raise ValueError(f"{name} has {count:,} missing numbers; drop or fill them first.")
    return numbers


def _probabilities(name: str, value: object, kind: type) -> Array:
    numbers = _numbers(name, value, kind)
    wrong = numbers[(numbers < 0) | (numbers > 1 + 1e-9)]
    if wrong.size:
        raise ValueError(
            f"{name} must hold probabilities, 0 to 1; got {wrong[0]:g}. "
            "Divide counts by their sum."
        )
    return numbers


def _columns(name: str, value: object, columns: list[str]) -> Array:
    if isinstance(value, pd.DataFrame) and not set(columns) <= set(value.columns):
        raise ValueError(
            f"{name} must have the columns {columns}; got {[*map(str, value.columns[:9])]}."
        )
    table = value[columns] if isinstance(value, pd.DataFrame) else value
    return _numbers(name, table, pd.DataFrame)


def _align(prior: object, values: pd.Index) -> object:
    """Order a prior as the posteriors' values; its kind is judged elsewhere."""
    if not isinstance(prior, pd.Series) or prior.index.equals(values):
        return prior
    if prior.index.is_unique and values.isin(prior.index).all():
        return prior.reindex(values)
    raise ValueError(
        f"prior must speak of the {len(values):,} values in the columns of posteriors; "
        "take both from one table and feature."
    )


def _at_most(limit: int, count: int, what: str, way: str) -> None:
    if count > limit:
        raise ValueError(
            f"{what.format(f'{count:,}')}; at most {limit} can be told apart: pass {way}."
        )


def _same_shape(name: str, given: Any, other: str, numbers: Array) -> None:
    if np.shape(given) != numbers.shape:
        raise ValueError(
            f"{name} must have the shape of {other}, {numbers.shape}; got {np.shape(given)}. "
            "Take both from one table."
        )


def _whole(name: str, value: int) -> int:
    if int(value) != value or value < 1:
        raise ValueError(f"{name} must be a whole number, 1 or more; got {value}.")
    return int(value)


# What fits: the largest few, one mark per spot, infinity at the edge.


def _largest(rows: Array, index: pd.Index, size: Array, limit: int) -> tuple[Array, list[str]]:
    """Keep the largest rows (none of size 0) in their order; sum the others as a last row."""
    if len(rows) > limit:
        limit = min(limit, 1 + int(np.count_nonzero(size)))
    kept, others = style.largest(size, limit)
    names = [value_label(value) for value in index[kept]]
    if not len(others):
        return rows, names
    rest = rows[others].sum(axis=0)
    return np.vstack([rows[kept], rest]), [*names, f"{len(others):,} others"]


def _at_edge(numbers: Array) -> tuple[Array, int]:
    """Put infinite numbers just beyond the largest finite one, and count them."""
    infinite = np.isinf(numbers)
    if not infinite.any():
        return numbers, 0
    edge = 1.1 * float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0)) or 1.0
    return np.where(infinite, np.copysign(edge, numbers), numbers), int(infinite.sum())


def _say_infinite(ax: Axes, count: int) -> Axes:
    if count:
        ax.set_xlabel(f"{ax.get_xlabel()}\n{count:,} infinite, drawn at the edge".strip())
    return ax


def _one_per_spot(x: Array, y: Array) -> tuple[Array, Array]:
    """Return a point for each 1/300 by 1/300 of the drawing, and how many it stands for."""
    if len(x) <= POINTS:
        return np.arange(len(x)), np.ones(len(x))
    spots = np.zeros(len(x), dtype=int)
    for numbers in (x, y):
        low, high = numbers.min(), numbers.max()
        spots = 301 * spots + (300 * (numbers - low) / ((high - low) or 1)).astype(int)
    first = np.full(301 * 301, -1)
    first[spots] = np.arange(len(x))
    return first[first >= 0], np.bincount(spots)[spots[first[first >= 0]]]


def _scatter(
    ax: Axes,
    x: Array,
    y: Array,
    features: pd.Index,
    scatter_kws: Mapping[str, Any],
    known: Sequence[Any] | None = None,
) -> int:
    """Scatter cells, a colour per feature, larger clouds behind; count the infinite ones."""
    (x, beyond), (y, above) = _at_edge(x), _at_edge(y)
    colours, marks = _colours(len(features)), [*MARKERS]
    if known is not None:
        places = [list(known).index(name) for name in features if name in known]
        if len(places) < len(features) or len(known) > len(FILLS):
            raise ValueError(
                f"features must name at most {len(FILLS)} columns, those of cig among them;"
                f" got {[*known][:9]}."
            )
        colours, marks = tuple(FILLS[j] for j in places), [MARKERS[j] for j in places]
    kept, others = style.largest(y.mean(axis=0), len(FILLS))
    groups = {j: [j] for j in kept} | ({-1: [*others]} if len(others) else {})
    size, line = (40, 0.5) if len(x) <= 200 else (14, 0.25)
    for (j, chosen), colour, marker in zip(groups.items(), colours, marks, strict=False):
        here, there = x[:, chosen].ravel(), y[:, chosen].ravel()
        scaled = np.log(here) if ax.get_xscale() == "log" else here
        spots, cells = _one_per_spot(scaled, there)
        name = f"{len(chosen):,} others" if j < 0 else drawn_label(features[j])
        large = size * (0.5 + np.log10(cells)) if cells.max() > 1 else size
        look = {"s": large, "color": colour, "marker": marker, "label": name}
        edge = {"edgecolor": "0.2", "linewidth": line, "zorder": 1 + 1 / len(spots)}
        ax.scatter(here[spots], there[spots], **merged(scatter_kws, **look, **edge))
    style.open_frame(ax, "both")
    return beyond + above


# Labels, scales and legends.


def _colours(count: int) -> tuple[str, ...]:
    """Return a colour each; grey for the others if there are too many."""
    return FILLS if count <= len(FILLS) else (*FILLS[:-1], "0.75")


def _name(names: Iterable[object]) -> str:
    return ", ".join(drawn_label(name) for name in names if name is not None)


def _number(value: float) -> str:
    tiny = 1e-9 < abs(value) < 0.005
    return style.number_label(
        value if tiny else round(value, 2) + 0.0, ".1g" if tiny else ".2f"
    )


def _scale(numbers: Array, vmin: float, vmax: float | None) -> dict[str, Any]:
    """Return shades from `vmin` to `vmax`, by default to the largest number."""
    largest = float(np.nanmax(numbers, initial=vmin)) if vmax is None else vmax
    shades = mpl.colormaps["cividis"].with_extremes(bad="0.85")
    return {"cmap": shades, "vmin": vmin, "vmax": largest if largest > vmin else vmin + 1}


def _ink(colour: Any) -> str:
    """Black or white, whichever can be read on a colour."""
    return "white" if np.dot(colour, [0.299, 0.587, 0.114]) < 0.5 else "black"


def _heat(
    ax: Axes, edges: Array, shades: Array, features: pd.Index, unit: str, kws: dict[str, Any]
) -> QuadMesh:
    mesh = ax.pcolormesh(np.arange(len(features) + 1) - 0.5, edges, shades, **kws)
    ax.figure.colorbar(mesh, ax=ax, label=unit)
    ax.set_ylim(edges[-1], edges[0])
    style.open_frame(ax, "table")
    _name_slots(ax.xaxis, [value_label(name) for name in features])
    return mesh


def _legend(
    ax: Axes,
    handles: Sequence[Any],
    names: Sequence[str],
    title: str = "",
    above: bool = False,
) -> None:
    """Explain the colours outside of the axes, where the legend hides nothing."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
    if above:
        place = {**style.ABOVE_RIGHT, "ncols": len(names)}
    style.small_legend(ax, handles, names, title=title or None, **place)


def _finish_bars(ax: Axes, labels: Sequence[str], ylabel: str, xlabel: str) -> Axes:
    _name_slots(ax.yaxis, labels)
    spare = max(0, 3 - len(labels)) / 2
    ends = (len(labels) - 0.4 + spare, -0.6 - spare)
    return style.finished(ax, "x", ylim=ends, xlabel=xlabel, ylabel=ylabel)


def _slot(axis: XAxis | YAxis, count: int) -> float:
    """Return the points (1/72 inch) that an axis has for each of `count` labels."""
    box = axis.axes.get_window_extent()
    length = box.height if axis.axis_name == "y" else box.width
    return float(length * 72 / axis.axes.figure.dpi / count)


def _name_slots(axis: XAxis | YAxis, labels: Sequence[str]) -> None:
    """Name each slot of an axis: smaller, turned, or every k-th only where room is short."""
    slot = _slot(axis, len(labels))
    every = math.ceil(6 / slot)
    size = float(np.clip(0.75 * slot * every, 5, 10))
    width, turn = 60, dict[str, Any]()
    if axis.axis_name == "x" and 0.65 * size * max(map(len, labels)) > slot:
        width, turn = 24, {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        if slot < 2 * size:
            width, turn = 16, {"rotation": 90}
    names = [drawn_label(label, width) for label in labels[::every]]
    axis.set_ticks(range(0, len(labels), every), names, fontsize=size, **turn)
    axis.set_tick_params(length=0)


def _write_cells(ax: Axes, numbers: Array, cells: pd.DataFrame | None, shades: Any) -> None:
    """Write each number, and its cell's value below, in black or white after the shade."""
    ax.figure.canvas.figure.draw_without_rendering()  # the layout decides the room
    width, height = _slot(ax.xaxis, numbers.shape[1]), _slot(ax.yaxis, numbers.shape[0])
    longest = max(len(_number(number)) for number in numbers.flat)
    size = min(11.0, 0.7 * height / (1 if cells is None else 2), 1.2 * width / longest)
    room = int(1.8 * width / size)
    for (row, column), number in np.ndenumerate(numbers if size >= 4 else np.empty((0, 0))):
        ink = _ink(shades[row, column, :3])
        look: dict[str, Any] = {"color": ink, "ha": "center", "fontsize": size}
        below = cells is not None and room >= 3
        ax.text(column, row, _number(number), va="bottom" if below else "center", **look)
        if cells is not None and below:
            look["fontsize"] = 0.85 * size
            ax.text(column, row, drawn_label(cells.iat[row, column], room), va="top", **look)


def _write_names(ax: Axes, points: Array, names: Sequence[str]) -> None:
    """Write each name at the nearest free spot around its point, with a thin leader."""
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())
    ax.figure.canvas.figure.draw_without_rendering()  # the layout decides the distances
    inch, window = ax.figure.dpi, ax.get_window_extent()
    pixels = ax.transData.transform(points)
    taken = [np.hstack([pixels - inch / 14, pixels + inch / 14])]
    turns = np.arange(0, 2 * np.pi, np.pi / 6)
    spots = [(reach * inch, turn) for reach in np.arange(0.08, 0.9, 0.08) for turn in turns]
    leader = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    for point, pixel, name in zip(points, pixels, names, strict=True):
        note = ax.annotate(
            name, point, (0, 0), textcoords="offset points", arrowprops=leader,
            ha="center", va="center", fontsize="small" if len(names) <= 12 else "x-small",
        )  # fmt: skip
        note.set_in_layout(False)
        half = np.array(mpl.text.Text.get_window_extent(note).size) / 2 + inch / 50
        for reach, turn in spots:
            shift = (reach + half) * [np.cos(turn), np.sin(turn)]
            box = np.hstack([pixel + shift - half, pixel + shift + half])
            inside = (box[:2] > window.min).all() and (box[2:] < window.max).all()
            others = np.vstack(taken)
            apart = (box[:2] >= others[:, 2:]) | (box[2:] <= others[:, :2])
            if inside and apart.any(axis=1).all():
                note.set_position(tuple(72 / inch * shift))
                taken.append(box[None])
                break
        else:
            note.remove()
