"""Style of all plots: rcParams, palette and labels, and what several plots share.

Importing this module sets matplotlib's rcParams once, for every figure that is drawn after.
"""

import math
from collections.abc import Collection, Iterable, Sized
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from cycler import cycler
from matplotlib import cbook
from matplotlib.axes import Axes
from matplotlib.collections import Collection as Marks
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from numpy.typing import NDArray

Array = NDArray[Any]
Ax = Axes | None  # where to draw; None makes a new figure
Look = dict[str, Any]

# seaborn's palette, which colour-blind readers can tell apart too.
PALETTE = tuple(sns.color_palette("colorblind").as_hex())
BLUE, ORANGE, GREEN, VERMILLION, PURPLE, BROWN, PINK, GREY, YELLOW, SKY = PALETTE

# Lines: the pale colours of the palette last. Areas: neighbours differ in brightness too.
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "black")
FILLS = (BLUE, ORANGE, GREEN, YELLOW, VERMILLION, SKY, "black", PURPLE)

DARK = "#8C2D04"  # letters that mark an error

# Dashes, which tell lines apart in grey print.
LINE_STYLES = ("-", "--", "-.", ":")

DOTS: Look = {"linestyle": "none", "marker": "o", "markersize": 4}

# Looks of a bar for comparison, of a box, and of a text centred on its place.
OUTLINE: Look = {"fill": False, "edgecolor": "black", "linewidth": 1.1}
BOX: Look = {"facecolor": "#9ECAE1", "edgecolor": BLUE, "linewidth": 1}
CENTRED: Look = {"ha": "center", "va": "center"}

# Places where a legend hides nothing: above and beside the axes.
ABOVE: Look = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
ABOVE_RIGHT: Look = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": 2}
BESIDE: Look = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}

STYLE: Any = {
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "legend.frameon": False,
    "legend.fontsize": "small",
}
plt.rcParams.update(STYLE)


def axes_for(ax: Ax) -> Axes:
    """Return the axes, or new ones if none are given."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def finished(
    ax: Axes, grid: Any = "", percent: str = "", legend: Any = None, **settings: Any
) -> Axes:
    """Set limits and labels, draw a pale grid, and put a legend where `legend` says."""
    ax.set(**settings)
    if grid:
        ax.grid(axis=grid)
    if percent:
        axis = ax.xaxis if percent == "x" else ax.yaxis
        axis.set_major_formatter(lambda share, _: f"{100 * share:.4g} %")
    if legend is not None:
        ax.legend(**legend)
    return ax


def name_rows(ax: Axes, names: Collection[object], least: int = 3, **text: Any) -> None:
    """Name rows from the top downwards without ticks, with room for at least `least` rows."""
    spare = max(0, least - len(names)) / 2
    ax.set_yticks(range(len(names)), [label(name, 40) for name in names], **text)
    ax.set_ylim(len(names) - 0.4 + spare, -0.6 - spare)
    ax.tick_params(axis="y", length=0)
    ax.spines.left.set_visible(False)


def merged(given: Look, **ours: Any) -> dict[str, Any]:
    """Let the caller's keywords, by any of their names, win over ours."""
    for artist in (Line2D, Patch, Marks, Text):
        given, ours = (cbook.normalize_kwargs(kws, artist) for kws in (given, ours))
    hidden = {"facecolor", "edgecolor"} if "color" in given else set()
    return {**{key: ours[key] for key in ours.keys() - hidden}, **given}


def draw_lines(
    ax: Ax, table: pd.DataFrame, line_kws: Look, colours: Any = COLOURS, **shared: Any
) -> Axes:
    """Draw a line per column over the numbers of the index; keywords go to `Axes.plot`."""
    check_count(table.columns, len(colours), "lines")
    ax, x = axes_for(ax), table.index.to_numpy(float)
    lines = zip(table.columns, table.T.to_numpy(float), colours, cycle(LINE_STYLES))
    for name, y, colour, dashes in lines:
        look: Look = {"color": colour, "linestyle": dashes, "linewidth": 2}
        ax.plot(x, y, **merged(line_kws, label=label(name, 60), **look | shared))
    return ax


def divided_bars(ax: Ax, parts: pd.DataFrame, bar_kws: Look) -> Axes:
    """Draw a bar per row, divided among the columns; keywords go to `Axes.barh`."""
    check_count(parts.columns, len(FILLS), "parts")
    ax, named = axes_for(ax), labelled(parts)
    look = {"color": list(FILLS[: parts.shape[1]]), "edgecolor": "white", "linewidth": 0.6}
    named.plot.barh(stacked=True, ax=ax, **merged(bar_kws, width=0.8, **look))
    name_rows(ax, parts.index)
    return finished(ax, "x", legend=BESIDE, xlim=(0, None))


def heatmap(ax: Axes, values: pd.DataFrame, **mesh_kws: Any) -> Axes:
    """Draw a table with seaborn's `heatmap`, and names where there is room."""
    sns.heatmap(labelled(values), ax=ax, **mesh_kws)
    ax.tick_params(length=0, rotation=0)
    room = ax.get_window_extent().width * 72 / ax.figure.dpi / values.shape[1]
    if 5.5 * max(len(label(name)) for name in values) > room:
        plt.setp(ax.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor")
    for text, fill in zip(
        ax.texts, np.asarray(ax.collections[-1].get_facecolor()), strict=False
    ):
        text.set_color(ink_on(fill[:3]))
    return ax


def write_rows(
    ax: Axes, table: pd.DataFrame, looks: Iterable[Look], text_kws: Look, width: float = 1
) -> None:
    """Write a small table, with a look for each line; the first line holds the names."""
    cells = [[label(name, 18) for name in table]]
    cells += [[label(cell, 18) for cell in row] for row in table.to_numpy(object)]
    widths = np.array([max(map(len, column)) + 2 for column in zip(*cells, strict=True)])
    lefts = width * (np.cumsum(widths) - widths) / widths.sum()
    for place, (row, look) in enumerate(zip(cells, looks, strict=True)):
        kws = merged(text_kws, **{"fontsize": 8, "va": "center", "color": "black", **look})
        for left, cell in zip(lefts, row, strict=True):
            ax.text(left + 0.005, place, cell, **kws)
    ax.axhline(0.5, color="0.6", linewidth=0.8)
    sns.despine(ax=ax, left=True, bottom=True)
    ax.set(xlim=(0, 1), ylim=(max(len(cells), 6) + 0.6, -0.6), xticks=[], yticks=[])


def ink_on(colour: Any) -> str:
    """Black or white, whichever is readable on the colour."""
    return "white" if sns.utils.relative_luminance(colour) < 0.2 else "black"


def white_box(pad: float = 0.6, alpha: float | None = None) -> dict[str, Any]:
    """White box behind a text, so that it is readable on any background."""
    return {"facecolor": "white", "edgecolor": "none", "pad": pad, "alpha": alpha}


def with_others(table: pd.DataFrame, size: Any, limit: int) -> pd.DataFrame:
    """Keep the largest rows in their order, and sum the others in a last row."""
    if len(table) <= limit:
        return table
    largest = np.argsort(-np.asarray(size, float), kind="stable")[: limit - 1]
    kept = np.isin(np.arange(len(table)), largest)
    rest = table[~kept].sum().to_frame(f"{len(table) - limit + 1:,} others").T
    return pd.concat([table[kept], rest])


def at_edge(numbers: Any) -> tuple[Array, str]:
    """Put infinite numbers just beyond the largest finite one, and say how many there are."""
    numbers = np.asarray(numbers, float)
    infinite = np.isinf(numbers)
    if not infinite.any():
        return numbers, ""
    edge = 1.1 * float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0)) or 1.0
    note = f"\n{infinite.sum():,} infinite, drawn at the edge"
    return np.where(infinite, np.copysign(edge, numbers), numbers), note


# Labels


def value_label(value: object, width: int = 24) -> str:
    """Name one value of a table in at most `width` characters, for a label or a menu.

    A name that is cut keeps its end, which tells long names apart.

    Examples
    --------
    >>> [value_label(value) for value in (None, "", True, 3.0, ("a", float("nan")))]
    ['missing', "''", 'True', '3', 'a, missing']
    >>> value_label(2620001.0), value_label(pd.Interval(0.0, 1.5))
    ('2620001.0', '(0, 1.5]')
    >>> value_label("a long name of a category, the second", 20)
    'a long name…e second'
    """
    if isinstance(value, tuple):
        text = ", ".join(value_label(part, width) for part in value)
    elif isinstance(value, pd.Interval):
        left, right = "[" if value.closed_left else "(", "]" if value.closed_right else ")"
        text = f"{left}{value_label(value.left)}, {value_label(value.right)}{right}"
    elif value is None or value is pd.NA or value != value:
        text = "missing"
    elif isinstance(value, (float, np.floating)):
        text = f"{value:g}" if float(f"{value:g}") == value else str(value)
    else:
        text = "".join(c if c.isprintable() else " " for c in str(value)).strip() or "''"
    end = 2 * width // 5
    return text if len(text) <= width else f"{text[: width - end - 1]}…{text[-end:]}"


def label(value: object, width: int = 24) -> str:
    """Name a value so that matplotlib neither typesets it as mathematics nor leaves it out."""
    text = value_label(value, width).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Name rows and columns by their labels."""
    names = [[label(name) for name in axis] for axis in (table.index, table.columns)]
    return table.set_axis(names[0]).set_axis(names[1], axis=1)


def number_label(value: float, form: str = ".3g") -> str:
    """Write a number in a few digits; infinite and missing numbers have their own signs."""
    if math.isnan(value):
        return "missing"
    return f"{value:{form}}".replace("inf", "∞").replace("-", "−")


def percent(share: float) -> str:
    """A share in whole percents, below 10 % with two significant digits.

    Only a full share reads as 100 %; a sum of shares may fall short of 1 by rounding.

    Examples
    --------
    >>> percent(0.0123), percent(0.9999), percent(1 - 1e-13)
    ('1.2 %', '>99 %', '100 %')
    """
    if 0.995 <= share < 1 - 1e-12:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.2g} %"


# Checks


def check_count(things: Sized, limit: int, what: str) -> None:
    """Refuse more things than a reader can tell apart."""
    if not 0 < len(things) <= limit:
        raise ValueError(f"Only 1 to {limit} {what} can be told apart; got {len(things):,}.")


def check_shape(given: Any, like: Any, argument: str) -> None:
    """Refuse an argument whose shape differs from that of another."""
    if np.shape(given) != np.shape(like):
        raise ValueError(
            f"{argument} must have the shape {np.shape(like)}, not {np.shape(given)}."
        )
