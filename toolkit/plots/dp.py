"""Plots of differential privacy: noisy answers, audits, histograms, possible worlds, beliefs.

Every function takes results, draws on `ax` (on a new figure when None) and returns it. Further
keywords go to the one call that its docstring names, and win over the defaults.
"""

from collections.abc import Mapping
from math import inf
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from . import _style as style
from ._style import ABOVE, BLUE, BOX, VERMILLION, Array, Ax, Look, label, merged

WORLDS = 40  # possible worlds, or cells, that can be told apart


# Noisy answers


def plot_log_ratio(
    log_ratio: pd.Series, epsilon: float, *, discrete: bool = False, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw the logarithm of a ratio of probabilities, and the band ±ε (keywords: `Axes.plot`).

    Parameters
    ----------
    log_ratio : Series
        Natural logarithm of the ratio at each answer, the index. Parts
        outside the band are drawn in another colour.
    epsilon : float
        Half width of the band.
    discrete : bool
        Whether answers are whole numbers, drawn as dots.
    """
    ax, y = style.axes_for(ax), log_ratio.astype(float)
    ax.axhspan(-epsilon, epsilon, color="0.92", linewidth=0, zorder=0)
    out = y.abs() > epsilon * (1 + 1e-9)
    parts = pd.DataFrame({"log ratio": y.mask(out), "outside ±ε": y.where(out)})
    style.draw_lines(
        ax, parts.dropna(axis=1, how="all"), kws, **style.DOTS if discrete else {}
    )
    ax.axhline(epsilon, color="0.35", linestyle="--", label=f"±ε = ±{epsilon:.3g}")
    ax.axhline(-epsilon, color="0.35", linestyle="--")
    reach, ylabel = 1.35 * max(epsilon, y.abs().max()), "Log ratio (natural logarithm)"
    ax.set(xlabel="Noisy answer", ylabel=ylabel, ylim=(-reach, reach))
    return style.finished(ax, "y", legend=ABOVE)


def plot_widths(widths: pd.DataFrame, *, unit: str = "", ax: Ax = None, **kws: Any) -> Axes:
    """Draw what privacy costs in accuracy, a line per mechanism (keywords: `Axes.plot`).

    Parameters
    ----------
    widths : DataFrame of shape (values of ε, mechanisms)
        Error that is rarely exceeded, by ε (the index); at most 7 columns, named in a legend.
        Missing numbers leave a gap.
    unit : str
        What the error measures.
    """
    ax = style.draw_lines(ax, widths, kws)
    ax.set(xscale="log", yscale="log", xlabel="ε (smaller is safer)", ylabel=unit)
    return style.finished(ax, "y", legend={})


# Audits


def plot_audits(table: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the proven ε of each audit beside the claimed one (keywords: `Axes.barh`).

    Parameters
    ----------
    table : DataFrame
        A row per audit, named by the index; columns `epsilon` (claimed), `epsilon_lower`
        (proven) and `verdict`. Bars of violations are of another colour. With a column
        `true_epsilon`, the truth is a hollow circle, or if infinite a hollow triangle at the
        right edge.
    """
    ax, places = style.axes_for(ax), np.arange(len(table))
    broken = (table["verdict"] == "violation").to_numpy()
    for name, colour in (("no violation found", BLUE), ("violation", VERMILLION)):
        if (which := broken == (name == "violation")).any():
            look = merged(kws, color=colour, height=0.62, label=name)
            ax.barh(places[which], table["epsilon_lower"][which], **look)
    claimed: Look = {"color": "black", "markeredgecolor": "white", "label": "claimed ε"}
    ax.plot(table["epsilon"], places, "D", markersize=6, **claimed)
    if "true_epsilon" in table:
        truth, _ = style.at_edge(table[["true_epsilon", "epsilon_lower", "epsilon"]])
        far = np.isinf(table["true_epsilon"].to_numpy(float))
        hollow: Look = {"markerfacecolor": "none", "color": "black", "markersize": 9}
        for which, mark, name in ((~far, "o", "true ε"), (far, ">", "true ε is infinite")):
            if which.any():
                ax.plot(truth[which, 0], places[which], mark, label=name, **hollow)
    style.name_rows(ax, table.index)
    xlabel = "ε proven to be reached, at least (smaller is safer)"
    return style.finished(ax, "x", legend=ABOVE, xlabel=xlabel, xlim=(0, None))


def plot_power(power: pd.DataFrame, *, ax: Ax = None, **kws: Any) -> Axes:
    """Draw the chance that an audit flags a broken claim (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    power : DataFrame of shape (true values of ε, numbers of releases)
        Chances by the ratio of true to claimed ε (the index); at most 7 columns, named by the
        number of releases.
    """
    names = [f"{releases:,} releases" for releases in power]
    ax = style.draw_lines(ax, power.set_axis(names, axis=1), kws)
    ax.axhline(0.9, color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="True ε over claimed ε", ylabel="Chance of a violation", ylim=(0, 1.03))
    return style.finished(ax, "y", legend={})


# Histograms


def plot_errors(table: pd.DataFrame, *, unit: str = "", ax: Ax = None, **kws: Any) -> Axes:
    """Draw the largest error of each histogram beside that of noise alone (`Axes.barh`).

    Parameters
    ----------
    table : DataFrame
        A row per histogram; columns `cells`, `largest_error` and `expected_largest_noise`.
        The fewest cells stand on top.
    unit : str
        Unit of the error, and who may see it.
    """
    ax, order = style.axes_for(ax), table.sort_values("cells", kind="stable")
    places = np.arange(len(order))
    look = merged(kws, color=VERMILLION, height=0.6, label="largest error")
    ax.barh(places, order["largest_error"], **look)
    dots: Look = {"markeredgecolor": "white", "label": "expected from noise alone"}
    ax.plot(order["expected_largest_noise"], places, "D", color="black", **dots)
    style.name_rows(ax, order.index, 1)
    names = zip(order.index, order["cells"], strict=True)
    ax.set_yticklabels([f"{label(name)}\n{cells:,.0f} cells" for name, cells in names])
    ax.set_xlim(0, None)
    ax.margins(x=0.08)
    return style.finished(ax, "x", legend=ABOVE, xlabel=unit)


# Differential identifiability: possible worlds, beliefs, noise


def plot_worlds(
    worlds: pd.DataFrame,
    outputs: pd.Series,
    *,
    known: int,
    unit: str = "",
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw each possible world as a row of records, and its output (keywords: `scatter`).

    Parameters
    ----------
    worlds : DataFrame of shape (m, n)
        At most 40 possible worlds, the known records first.
    outputs : Series of shape (m,)
        Output of the query in each world, drawn as a diamond.
    known : int
        How many of the records are known.
    unit : str
        What the records measure.

    Examples
    --------
    >>> table = pd.DataFrame([[1, 3, 2], [1, 3, 4]])
    >>> ax = plot_worlds(table, pd.Series([2, 8 / 3]), known=2)
    >>> ax.get_ylabel()
    'Possible world'
    """
    style.check_count(worlds, WORLDS, "worlds")
    style.check_shape(outputs, worlds.index, "outputs")
    ax, rows, table = style.axes_for(ax), np.arange(len(worlds)), worlds.to_numpy(float)
    ax.hlines(rows, table.min(), table.max(), color="0.9", linewidth=1, zorder=0)
    for part, name, colour in (
        (table[:, :known], "known record", "0.75"),
        (table[:, known:], "candidate", style.ORANGE),
    ):
        look = merged(kws, s=60, edgecolor="0.25", linewidth=0.7, color=colour)
        ax.scatter(part, np.repeat(rows, part.shape[1]), **look, label=name)
    name, at = "output of the query", rows + 0.27
    ax.scatter(outputs, at, s=38, color=BLUE, marker="D", zorder=3, label=name)
    style.name_rows(ax, rows)
    ax.set_yticklabels([rf"$\omega_{{{row + 1}}}$" for row in rows])
    return style.finished(ax, legend=ABOVE, xlabel=unit or "Value", ylabel="Possible world")


def plot_densities(
    outputs: pd.Series,
    scale: float,
    *,
    response: float | None = None,
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw the density of the response in each world (keywords: `Axes.plot`, per world).

    Parameters
    ----------
    outputs : Series of shape (m,)
        Output in each of at most 40 worlds, named by its index.
    scale : float
        Scale of the Laplace noise, above 0.
    response : float, optional
        A response to mark.
    """
    style.check_count(outputs, WORLDS, "worlds")
    if not 0 < scale < inf:
        raise ValueError(f"scale must be positive and finite to be drawn; got {scale}.")
    values, shades = outputs.to_numpy(float), _shades(len(outputs))

    def density(x: Any) -> Any:
        return np.exp(-np.abs(np.asarray(x)[:, None] - values) / scale) / (2 * scale)

    x = np.linspace(values.min() - 3 * scale, values.max() + 3 * scale, 600)
    x = np.sort(np.append(x, values))  # the peaks themselves
    ax = style.draw_lines(ax, pd.DataFrame(density(x), x, outputs.index), kws, shades)
    if response is not None:
        ax.axvline(response, color="0.3", linewidth=1)
        place = ax.get_xaxis_transform()
        ax.text(response, 1, f" R = {response:g}", transform=place, va="top")
        dots: Look = {"color": shades, "edgecolor": "0.2", "s": 25, "zorder": 3}
        ax.scatter([response] * len(values), density([response]), **dots)
    ax.set(xlabel="Response R", ylabel="Density of the response", ylim=(0, None))
    legend = {"title": outputs.index.name or "world", "ncols": 1 + (len(values) > 6)}
    return style.finished(ax, "y", legend=legend if len(values) <= 12 else None)


def _shades(count: int) -> Array:
    """Shade of each world, the first one dark."""
    return np.asarray(mpl.colormaps["cividis"](np.linspace(0, 0.9, count)))


def plot_world_posterior(
    posterior: pd.Series, *, prior: Any = None, rho: float = inf, ax: Ax = None, **kws: Any
) -> Axes:
    """Draw the belief in each world as bars, against ρ and 1/m (keywords: `Axes.bar`).

    Parameters
    ----------
    posterior : Series of shape (m,)
        Probabilities of at most 40 worlds, named by the index.
    prior : array-like of shape (m,), optional
        Probabilities before the response, drawn as outlines.
    rho : float
        Policy, drawn as a line; bars above it are of another colour.
    """
    style.check_count(posterior, WORLDS, "worlds")
    ax, belief = style.axes_for(ax), posterior.to_numpy(float)
    places, even = np.arange(len(belief)), 1 / len(belief)
    above = belief > rho * (1 + 1e-9)
    look = {"color": np.where(above, VERMILLION, BLUE), "width": 0.72}
    ax.bar(places, belief, **merged(kws, **look))
    if prior is not None:
        ax.bar(places, np.asarray(prior, float), width=0.82, label="prior", **style.OUTLINE)
    if rho < inf:
        ax.axhline(rho, color=VERMILLION, linestyle="--", label=f"ρ = {rho:.4g}")
    ax.axhline(even, color="0.45", linestyle=":", label=f"1/m = {even:.4g}")
    _name_ticks(ax, posterior.index, 20)
    ax.tick_params(axis="x", length=0, rotation=45 if len(belief) > 12 else 0)
    ax.set(ylabel="Belief (probability)", xlabel=f"{posterior.index.name or 'World'}")
    top = min(1.02, 1.25 * max(belief.max(), even, *[rho][: rho < inf]))
    return style.finished(ax, "y", legend=ABOVE, ylim=(0, top))


def plot_beliefs(
    beliefs: pd.DataFrame,
    *,
    outputs: pd.Series | None = None,
    levels: Mapping[str, float] | None = None,
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw the belief in each world against the response (keywords: `Axes.plot`, per world).

    Parameters
    ----------
    beliefs : DataFrame of shape (responses, m)
        A row per response, which is its index; a column for each of at most 40 worlds.
    outputs : Series of shape (m,), optional
        Output in each world; the belief at that response is marked, and named.
    levels : mapping of str to float, optional
        Names and heights of lines to compare with.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0.7, 0.5], "b": [0.3, 0.5]}, index=[0.0, 1.0])
    >>> ax = plot_beliefs(table, levels={"policy": 0.6})
    >>> [line.get_label() for line in ax.lines]
    ['a', 'b', 'policy: 0.600']
    """
    style.check_count(beliefs.columns, WORLDS, "worlds")
    shades, responses = _shades(beliefs.shape[1]), beliefs.index.to_numpy(float)
    ax = style.draw_lines(ax, beliefs, kws, shades, linewidth=1.6)
    if outputs is not None:  # each curve has its name at its dot, not in the legend
        heights = [np.interp(x, responses, beliefs.iloc[:, j]) for j, x in enumerate(outputs)]
        ax.scatter(outputs, heights, color=shades, edgecolor="0.2", zorder=3)
        place: Look = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
        for line, *at in zip(ax.lines, outputs, heights, strict=False):
            ax.annotate(f"{line.get_label()}", (at[0], at[1]), fontsize="small", **place)
            line.set_label("")
    looks = (("black", "--"), (VERMILLION, "-"), ("0.5", ":"))
    for (what, height), (ink, dashes) in zip((levels or {}).items(), looks, strict=False):
        name = f"{what}: {height:.3f}"
        ax.axhline(height, label=name, color=ink, linestyle=dashes, linewidth=1.2)
    ax.set(xlabel="Response R", ylabel="Belief (probability)", ylim=(0, None))
    return style.finished(ax, "y", legend=ABOVE if levels or outputs is None else None)


def plot_curves(
    curves: pd.DataFrame,
    *,
    mark: float | None = None,
    least: float | None = None,
    unit: str = "",
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw numbers against the policy ρ, a line per column (keywords: `Axes.plot`, per line).

    Parameters
    ----------
    curves : DataFrame of shape (r, c)
        Index: policies ρ. Columns: up to 7 results, named for the legend. Missing and
        infinite numbers leave a gap.
    mark : float, optional
        A policy to mark.
    least : float, optional
        The largest policy that no noise can reach, 1/m: all below it is shaded.
    unit : str
        What the curves measure.
    """
    ax = style.draw_lines(ax, curves.replace([np.inf, -np.inf], np.nan), kws)
    if least is not None:
        ax.axvspan(0, least, color="0.9", zorder=0, linewidth=0)
        ax.axvline(least, color="0.45", linestyle=":", label=f"1/m = {least:.3g}")
    if mark is not None:
        ax.axvline(mark, color="0.2", linewidth=1, label=f"ρ = {mark:.3g}")
    ax.set(xlabel="Policy ρ (largest belief allowed)", ylabel=unit, xlim=(0, 1))
    return style.finished(ax, "y", legend={"frameon": True, "edgecolor": "none"})


def plot_noise_draws(
    draws: pd.DataFrame,
    *,
    limit: float,
    shift: float = 0.0,
    color: str = BLUE,
    xlabel: str = "Policy ρ",
    widths: float | None = None,
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw samples of noise as boxes and outliers on a linear axis (keywords: its lines).

    Parameters
    ----------
    draws : DataFrame of shape (draws, settings)
        A column per setting, named by it. If no finite noise is enough, the column is missing
        or infinite, and its place is shaded.
    limit : float
        Half the height of the axis; values beyond it are not shown.
    shift : float
        Distance of the boxes to the right of their places, for two groups side by side; a
        shifted group shades nothing.
    color : str
        Colour of boxes, whiskers (to 1.5 times the quartiles' distance) and outliers.
    xlabel : str
        Label of the settings.
    widths : float, optional
        Width of the boxes; by default 0.55, and 0.32 if they are shifted.

    Examples
    --------
    >>> ax = plot_noise_draws(pd.DataFrame({"50": [-1.0, 0, 1], "25": [np.inf] * 3}), limit=2)
    >>> [float(end) for end in ax.get_ylim()], len(ax.patches)
    ([-2.0, 2.0], 1)
    """
    ax, table, places = style.axes_for(ax), draws.to_numpy(float), np.arange(draws.shape[1])
    finite = np.isfinite(table).all(axis=0)
    line = merged(kws, color=color, linewidth=0.9)
    flat = {"marker": "+", "markersize": 4, "markeredgecolor": color, "markeredgewidth": 0.7}
    look: Look = {"boxprops": line, "capprops": line, "flierprops": flat}
    look["whiskerprops"] = {"linestyle": "--"} | line
    look["medianprops"] = line | {"color": kws.get("color", VERMILLION)}
    look["widths"] = widths or (0.32 if shift else 0.55)
    where = places[finite] + shift
    ax.boxplot(table[:, finite], positions=where, manage_ticks=False, **look)
    ax.set_ylim(-limit, limit)
    ax.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
    shaded = places[~finite & (shift == 0)]
    for i, place in enumerate(shaded):
        grey: Look = {"color": "0.9", "linewidth": 0, "zorder": 0}
        name = None if i else "no noise reaches ρ"
        ax.axvspan(place - 0.5, place + 0.5, **grey, label=name)
    behind = {"loc": "upper left", "frameon": True, "framealpha": 0.9, "edgecolor": "none"}
    _name_ticks(ax, draws.columns, 6)
    legend, span = behind if len(shaded) else None, (-0.8, len(places) - 0.2)
    return style.finished(ax, "y", legend=legend, xlabel=xlabel, xlim=span)


def _name_ticks(ax: Axes, names: pd.Index, most: int) -> None:
    """Name every n-th place along the axis, so that at most `most` have a name."""
    every = -(-len(names) // most)
    shown = [label(name) for name in names[::every]]
    ax.set_xticks(range(0, len(names), every), shown)


def plot_search(
    steps: pd.DataFrame,
    *,
    target: float | None = None,
    unit: str = "",
    ax: Ax = None,
    **kws: Any,
) -> Axes:
    """Draw the bracket of a binary search, a bar per step downwards (keywords: `Axes.barh`).

    Parameters
    ----------
    steps : DataFrame of shape (steps, any)
        Columns `low` and `high`, and `middle`, where the search looks next.
    target : float, optional
        Result of the search.
    unit : str
        What the bracket measures.
    """
    ax, places = style.axes_for(ax), np.arange(1, len(steps) + 1)
    look = merged(kws, height=0.6, **BOX)
    ax.barh(places, steps["high"] - steps["low"], left=steps["low"], **look)
    ax.plot(steps["middle"], places, "o", color=VERMILLION, markersize=4, label="tried")
    if target is not None:
        line: Look = {"color": "0.2", "linestyle": "--", "linewidth": 1}
        ax.axvline(target, label=f"root {target:.6g}", **line)
    ax.yaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
    ax.set(xlabel=unit, ylabel="Step of the search", ylim=(len(steps) + 0.6, 0.4))
    return style.finished(ax, "x", legend={})
