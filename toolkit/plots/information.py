"""Plots of information gain: cells, rows, features, and their terms.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults.

What does not fit is summed as "others". Infinite numbers are drawn at the edge and counted
under the axes.
"""

from typing import Any, Literal

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.text import Text

from . import _style as style
from ._style import BLUE, FILLS, VERMILLION, Array, Ax, Look, label, merged

BARS = 20  # values with a bar of their own
POINTS = 5_000  # ranks of a distribution that are drawn


def plot_prior(distribution: pd.Series, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the probability of each value of one feature (keywords: `Axes.barh`).

    Parameters
    ----------
    distribution : Series of shape (n_values,)
        Probabilities by value, named after the feature. If there are more than 20 values,
        the least likely are summed as "others".

    Examples
    --------
    >>> ax = plot_prior(pd.Series({"male": 6 / 7, "female": 1 / 7}, name="gender"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['male', 'female']
    """
    _check_probabilities(distribution, "distribution")
    shown = style.with_others(distribution.to_frame(), distribution, BARS).iloc[:, 0]
    ax = style.axes_for(ax)
    bars = ax.barh(range(len(shown)), shown, **merged(kws, color=BLUE, height=0.75))
    ax.bar_label(bars, [f"{p:.2g}" for p in shown], padding=3, fontsize="small")
    ax.margins(x=0.12)
    style.name_rows(ax, shown.index)
    return style.finished(ax, "x", xlabel="Probability", ylabel=_name(distribution.name))


def plot_posteriors(
    posteriors: pd.DataFrame,
    *,
    prior: pd.Series | None = None,
    sizes: pd.Series | None = None,
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw beliefs about one feature in a few contexts (keywords: `Axes.barh`, per context).

    With `sizes`, each context is one bar of length 1, divided among the values, and the prior
    is the last bar; otherwise each value has a bar per context.

    Parameters
    ----------
    posteriors : DataFrame of shape (n_contexts, n_values)
        Probabilities: a row per context and a column per value. If there are more than
        20 values (8 with `sizes`), those least likely in every context are summed as "others".
        At most 8 contexts (20 with `sizes`).
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
    names = list(map(style.value_label, posteriors.index))
    style.check_count(names, len(FILLS) if sizes is None else BARS, "contexts")
    if sizes is not None:
        style.check_shape(sizes, posteriors.index, "sizes")
        names = [f"{name} (n = {size:g})" for name, size in zip(names, sizes, strict=True)]
    table = posteriors.T.set_axis(names, axis=1)
    if prior is not None:
        table["prior"] = prior.reindex(table.index)
    _check_probabilities(table, "posteriors and prior")
    if sizes is not None:
        shown = style.with_others(table, table.max(axis=1), len(FILLS))
        ax = style.divided_bars(ax, shown.T, kws)
        bars: Any
        for bars, fill in zip(ax.containers, FILLS, strict=False):
            said = [f"{width:.2g}" if width >= 0.08 else "" for width in bars.datavalues]
            inside: Look = {"label_type": "center", "fontsize": "x-small"}
            ax.bar_label(bars, said, color=style.ink_on(fill), **inside)
        ax.legend(**style.BESIDE, title=_name(posteriors.columns.name))
        ylabel = ", ".join(map(_name, posteriors.index.names))
        return style.finished(ax, xlabel="Probability", ylabel=ylabel, xlim=(0, 1))
    shown, ax = style.with_others(table, table.max(axis=1), BARS), style.axes_for(ax)
    places, thickness = np.arange(len(shown)), 0.8 / len(names)
    for i, (name, column) in enumerate(shown.iloc[:, : len(names)].items()):
        look = merged(kws, color=FILLS[i], height=thickness, label=label(name))
        ax.barh(places + (i - (len(names) - 1) / 2) * thickness, column, **look)
    if prior is not None:
        ax.barh(places, shown["prior"], height=0.9, label="prior", **style.OUTLINE)
    style.name_rows(ax, shown.index)
    ylabel = _name(posteriors.columns.name)
    return style.finished(ax, "x", legend=style.BESIDE, xlabel="Probability", ylabel=ylabel)


def plot_cells(
    values: pd.DataFrame,
    *,
    cells: pd.DataFrame | None = None,
    unit: str = "bits",
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw a small table as a heatmap with its numbers (keywords: `seaborn.heatmap`).

    Parameters
    ----------
    values : DataFrame of shape (n_records, n_features)
        Numbers of at most 100 records, such as CIG (bits). If the axes are too small to
        read the numbers, they are left out until the figure is enlarged.
    cells : DataFrame of the same shape, optional
        The table that the numbers describe: its values are written under them.
    unit : str
        What the colour bar measures. Heatmaps to be compared need the same keyword `vmax`.
    """
    style.check_count(values, 100, "records; for more there is plot_cell_bands, and records")
    shades, infinite = style.at_edge(values)
    said = np.array([[_number(x) for x in row] for row in values.to_numpy(float)])
    if cells is not None:
        style.check_shape(cells, values, "cells")
        below = cells.astype(object).map(lambda cell: label(cell, 16)).to_numpy(str)
        said = np.char.add(np.char.add(said, "\n"), below)
    ax = style.axes_for(ax)
    inches = np.divide(ax.get_window_extent().size, values.shape[::-1]) / ax.figure.dpi
    size = min(9.0, 72 * inches[1] / (1.2 if cells is None else 2.6), 100 * inches[0] / 6)
    look: Look = {"cmap": "cividis", "vmin": 0, "linewidths": 0.7}
    look |= {"annot": said if size >= 4 else None, "fmt": "", "annot_kws": {"fontsize": size}}
    table = pd.DataFrame(shades, values.index, values.columns)
    style.heatmap(ax, table, **look | {"cbar_kws": {"label": unit}} | kws)
    return style.finished(ax, ylabel=f"{values.index.name or 'Record'}", xlabel=infinite)


def plot_cell_bands(
    values: pd.DataFrame,
    *,
    bands: int = 100,
    statistic: Literal["mean", "largest"] = "mean",
    unit: str = "bits",
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw a large table as a heatmap of bands of records (keywords: `seaborn.heatmap`).

    Parameters
    ----------
    values : DataFrame of shape (n_records, n_features)
        Numbers such as CIG (bits). Records are sorted, the largest sum on top, and put into
        bands of equal size, which differ by a record at most.
    bands : int
        Number of bands; never more than records.
    statistic : {"mean", "largest"}
        What is drawn of each band: its mean, or its largest cell, which a mean hides.
    unit : str
        What the colour bar measures. Heatmaps to be compared need the same keyword `vmax`.
    """
    if statistic not in ("mean", "largest"):
        raise ValueError(f"statistic must be 'mean' or 'largest'; got {statistic!r}.")
    numbers, infinite = style.at_edge(values)
    first = numbers[np.argsort(-numbers.sum(axis=1), kind="stable")]
    parts = np.array_split(first, min(bands, len(first)))
    shades = [part.mean(axis=0) if statistic == "mean" else part.max(axis=0) for part in parts]
    look: Look = {"cmap": "cividis", "vmin": 0}
    look["cbar_kws"] = {"label": f"{unit}, {statistic} of the band"}
    ax = style.axes_for(ax)
    style.heatmap(ax, pd.DataFrame(shades, columns=values.columns), **look | kws)
    ax.set_yticks(
        np.linspace(0, len(shades), 6), [f"{share} %" for share in range(0, 101, 20)]
    )
    what = "Share of records, largest sum first"
    return style.finished(ax, ylabel=what, xlabel=infinite)


def plot_rig(
    rig: pd.Series,
    *,
    pif: float | None = None,
    n: float | None = None,
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw the distribution of row information gain, and PIF_n (keywords: `seaborn.ecdfplot`).

    Parameters
    ----------
    rig : Series of shape (n_records,)
        Gain in bits. Of more than 5,000 records, 5,000 evenly spaced ranks are drawn,
        including the smallest and the largest.
    pif : float, optional
        Personal information factor in bits, drawn as a line.
    n : float, optional
        The percentile of `pif`: it names the line, and a second line marks the share n.

    Examples
    --------
    >>> ax = plot_rig(pd.Series([1.0, 1.3, 3.3]), pif=3.1, n=95)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['PIF$_{95}$ = 3.10 bits']
    """
    gains, infinite = style.at_edge(rig.sort_values())
    ranks = np.linspace(0, len(gains) - 1, min(len(gains), POINTS)).astype(int)
    ax = style.axes_for(ax)
    sns.ecdfplot(x=gains[ranks], ax=ax, **merged(kws, color=BLUE, linewidth=2))
    if pif is not None:
        name = "PIF" if n is None else f"PIF$_{{{n:g}}}$"
        dashes: Look = {"color": VERMILLION, "linestyle": "--"}
        ax.axvline(min(pif, gains[-1]), label=f"{name} = {_number(pif)} bits", **dashes)
        ax.legend(**style.ABOVE_RIGHT)
    if n is not None:
        ax.axhline(n / 100, color=VERMILLION, linestyle=":", linewidth=1, zorder=1)
    ax.set(ylabel="Share of records at or below", ylim=(0, 1.01))
    xlabel = f"Row information gain (bits){infinite}"
    return style.finished(ax, "both", percent="y", xlabel=xlabel)


def plot_riskiest_rows(cig: pd.DataFrame, *, top: int = 10, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the records with the largest sums, stacked (keywords: `Axes.barh`, per feature).

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Cell information gain in bits. If there are more than eight features, the
        seven that add most to the bars keep their own colour.
    top : int
        Number of records. They are labelled by their position in the table, from 0.
    """
    rows = np.argsort(-cig.sum(axis=1).to_numpy(), kind="stable")[:top]
    gains, infinite = style.at_edge(cig.iloc[rows])
    parts = pd.DataFrame(gains, rows, cig.columns).T
    shown = style.with_others(parts, parts.sum(axis=1), len(FILLS))
    ax = style.divided_bars(ax, shown.T, kws)
    xlabel = f"Row information gain (bits){infinite}"
    return style.finished(ax, xlabel=xlabel, ylabel="Position of the record")


def plot_cig_csf(cig: pd.DataFrame, csf: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    r"""Draw each cell's surprise against its gain (keywords: `seaborn.scatterplot`).

    No cell lies above the bound of Pinsker,
    :math:`\mathrm{CSF} = \min(1, \sqrt{\mathrm{CIG} \, \ln 2 / 2})`.

    Parameters
    ----------
    cig, csf : DataFrame of shape (n_records, n_features)
        Cell information gain (bits) and cell surprise factor (0 to 1) of one table of at most
        eight features. Cells in the same place are drawn once.
    """
    style.check_shape(csf, cig, "csf")
    style.check_count(cig.columns, len(FILLS), "features")
    _check_probabilities(csf, "csf")
    gains, infinite = style.at_edge(cig)
    features = np.tile([label(name) for name in cig], len(cig))
    columns = {"gain": gains.ravel(), "surprise": csf.to_numpy().ravel(), "feature": features}
    points = pd.DataFrame(columns)
    points = points[~points.round(4).duplicated()]
    fills = list(FILLS[: points["feature"].nunique()])
    ax = style.axes_for(ax)
    look = merged(kws, edgecolor="0.2", linewidth=0.5, s=40, zorder=2)
    hues: Look = {"hue": "feature", "style": "feature", "palette": fills}
    sns.scatterplot(points, x="gain", y="surprise", ax=ax, **hues, **look)
    gain = np.linspace(0, 1.05 * max(1e-9, gains.max()), 500)
    bound = np.minimum(1, np.sqrt(gain * np.log(2) / 2))
    ax.plot(gain, bound, color="0.25", linestyle="--", label="Pinsker's bound")
    ax.fill_between(gain, bound, 1.05, color="0.94", linewidth=0, zorder=0)
    ax.set(xlim=(-0.02 * gain[-1], gain[-1]), ylim=(-0.03, 1.05))
    xlabel, ylabel = "Cell information gain (bits)", "Cell surprise factor (probability)"
    legend = style.BESIDE
    return style.finished(ax, "both", legend=legend, xlabel=xlabel + infinite, ylabel=ylabel)


def plot_gain_terms(terms: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw how the terms of one cell add up to its CIG (keywords: `Axes.barh`, the terms).

    Parameters
    ----------
    terms : DataFrame of shape (n_values, 3)
        A row per value; columns `prior` and `posterior`, written beside the value, and
        `term_bits`. If there are more than 20 values, the smallest terms become "others".
    """
    columns = ["prior", "posterior", "term_bits"]
    shown = style.with_others(terms[columns], terms["term_bits"].abs(), BARS)
    steps, infinite = style.at_edge(shown["term_bits"])
    ends, places, ax = steps.cumsum(), np.arange(len(steps)), style.axes_for(ax)
    colours = np.where(steps > 0, VERMILLION, BLUE)
    look = merged(kws, left=ends - steps, color=colours, height=0.7)
    bars = [ax.barh(places, steps, **look)]
    bars.append(ax.barh(len(steps), ends[-1], color="0.25", height=0.7))
    said = [style.number_label(step, "+.2f") if step else "0" for step in shown["term_bits"]]
    total = "∞" if infinite else _number(ends[-1])
    for group, texts in zip(bars, (said, [total]), strict=True):
        ax.bar_label(group, texts, padding=3, fontsize="small")
    ax.vlines(ends, places, places + 1, color="0.6", linewidth=0.8)
    ax.axvline(0, color="0.25", linewidth=0.8)
    low, high = min(0, ends.min()), max(0, ends.max())
    room = 0.15 * (high - low) or 1
    ax.set_xlim(low - 1.5 * room if low < 0 else 0, high + room)
    beliefs = zip(shown.index, shown["prior"], shown["posterior"], strict=True)
    names = [f"{label(name)}  {before:.2g} → {after:.2g}" for name, before, after in beliefs]
    style.name_rows(ax, [*names, "CIG"])
    xlabel = f"Information gain (bits){infinite}"
    return style.finished(ax, "x", xlabel=xlabel, ylabel=_name(terms.index.name))


def plot_treatments(
    treatments: pd.DataFrame, *, unit: str = "bits", ax: Ax = None, **kws: Any
) -> Axes:
    """Draw treatments on the plane of risk and utility (keywords: `Axes.scatter`).

    The upper left is best. Filled points, joined by a line, are not beaten by any other
    treatment; white ones are.

    Parameters
    ----------
    treatments : DataFrame of shape (n_treatments, 2)
        Columns `risk` and `utility`, indexed by name. Names are written where they hide
        nothing; a name without room is left out.
    unit : str
        Unit of the risk.

    Examples
    --------
    >>> table = pd.DataFrame({"risk": [31.5, 20.6], "utility": [1, 0.8]}, ["as is", "no job"])
    >>> [text.get_text() for text in plot_treatments(table).texts]
    ['as is', 'no job']
    """
    numbers, infinite = style.at_edge(treatments[["risk", "utility"]])
    risk, utility = numbers.T
    order = np.lexsort((-utility, risk))
    best = np.maximum.accumulate(utility[order])
    front = order[np.diff(best, prepend=-np.inf) > 0]
    ax = style.axes_for(ax)
    ax.plot(risk[front], utility[front], color="0.75", linewidth=1, zorder=1)
    fill = np.where(np.isin(np.arange(len(risk)), front), BLUE, "white")
    look = {"color": fill, "edgecolor": BLUE, "s": 40, "zorder": 3}
    ax.scatter(risk, utility, **merged(kws, **look))
    ax.margins(0.12)
    ax.set(xlabel=f"Risk ({unit}), smaller is safer{infinite}")
    style.finished(ax, "both", ylabel="Utility (1 = nothing lost)")
    _write_names(ax, numbers, [label(name, 40) for name in treatments.index])
    return ax


def _write_names(ax: Axes, points: Array, names: list[str]) -> None:
    """Write each name at the nearest free spot around its point, with a thin leader."""
    ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())
    ax.figure.canvas.figure.draw_without_rendering()  # the layout decides the distances
    inch, window = ax.figure.dpi, ax.get_window_extent()
    pixels = ax.transData.transform(points)
    taken = [np.hstack([pixels - inch / 14, pixels + inch / 14])]
    turns = np.arange(0, 2 * np.pi, np.pi / 6)
    spots = [(reach * inch, turn) for reach in np.arange(0.08, 0.9, 0.08) for turn in turns]
    leader = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    small: Look = {"fontsize": "small" if len(names) <= 12 else "x-small"}
    for point, pixel, name in zip(points, pixels, names, strict=True):
        place: Look = {"xytext": (0, 0), "textcoords": "offset points", "arrowprops": leader}
        note = ax.annotate(name, point, **place, **style.CENTRED, **small)
        note.set_in_layout(False)
        half = np.array(Text.get_window_extent(note).size) / 2 + inch / 50
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


def _name(name: object) -> str:
    """Name of a feature, if it has one."""
    return "" if name is None else label(name)


def _number(value: float) -> str:
    tiny = 1e-9 < abs(value) < 0.005
    return style.number_label(
        value if tiny else round(value, 2) + 0.0, ".1g" if tiny else ".2f"
    )


def _check_probabilities(given: Any, argument: str) -> None:
    """Refuse counts, which could be drawn by mistake."""
    numbers = np.asarray(given, float)
    if not (numbers.size and (numbers >= 0).all() and (numbers <= 1 + 1e-9).all()):
        raise ValueError(f"{argument} must hold probabilities from 0 to 1, and at least one.")
