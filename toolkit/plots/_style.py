"""Style of all plots: palette, frame, legends, labels, and checks of what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import cbook
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

Array = NDArray[Any]


# The palette of Okabe and Ito, which colour-blind readers can tell apart too.
BLUE, VERMILLION, GREEN, ORANGE, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7"


SKY, YELLOW = "#56B4E9", "#F0E442"


# Colours of lines, in the order in which they are taken.
COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "black")


# Dashes of lines, which tell the colours apart in grey.
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


# Colours of areas: neighbours differ in brightness too.
FILLS = (BLUE, ORANGE, GREEN, YELLOW, VERMILLION, SKY, "black", PURPLE)


# Colours of a table's columns, in their order, in all figures of a notebook.
COLUMN_FILLS = (*FILLS, "0.5", "#8C510A", "0.8", "#66C2A5")


# Hatches of bars, which tell the colours apart in grey.
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo")


# A bar that others are compared with, and one that stands for what is too small or too large.
OUTLINE: dict[str, Any] = {"fill": False, "edgecolor": "black", "linewidth": 1.1}
FLAGGED: dict[str, Any] = {"color": VERMILLION, "edgecolor": "white", "hatch": "///"}


# A text around its place.
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}


# Places of a legend above the axes, where it hides nothing.
ABOVE: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}
ABOVE_RIGHT: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1)}


# Sides that are hidden, where it is not only those at the top and the right.
HIDDEN = {"rows": ["top", "right", "left"], "table": ["top", "right", "left", "bottom"]}


Frame = Literal["both", "x", "y", "plain", "rows", "table"]


# Axes, frame and legend


def axes_for(ax: Axes | None) -> Axes:
    """Return the axes, new ones if there are none."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def open_frame(ax: Axes, frame: Frame = "y") -> None:
    """Leave the axes open at the top and the right, with a pale grid behind the data.

    There is no grid in a plain frame, around named rows, whose left side is open too, and
    around a table, which has no sides.
    """
    ax.spines[HIDDEN.get(frame, ["top", "right"])].set_visible(False)
    if frame in ("both", "x", "y"):
        ax.grid(axis=frame, color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)


def finished(
    ax: Axes,
    frame: Frame = "y",
    *,
    percent: Literal["", "x", "y"] = "",
    legend: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Axes:
    """Set limits and labels, open the frame and explain the marks, if told where; the axes.

    Shares along the axis that is named by `percent` are labelled as whole per cents.
    """
    ax.set(**settings)
    open_frame(ax, frame)
    if percent:
        form = PercentFormatter(1, decimals=0, symbol=" %")
        (ax.xaxis if percent == "x" else ax.yaxis).set_major_formatter(form)
    if legend is not None:
        small_legend(ax, **legend)
    return ax


def name_rows(ax: Axes, places: Any, names: Sequence[str], **text: Any) -> None:
    """Name rows on the vertical axis, without ticks."""
    ax.set_yticks(places, names, **text)
    ax.tick_params(axis="y", length=0)


def small_legend(ax: Axes, *entries: Any, **place: Any) -> None:
    """Explain the marks in small letters without a frame."""
    ax.legend(*entries, **{"frameon": False, "fontsize": "small", **place})


def merged(given: Mapping[str, Any], **ours: Any) -> dict[str, Any]:
    """Let the caller's keywords, by any of their names, win over ours."""
    wanted = {name: value for name, value in given.items() if name != "c"}
    for artist in (Line2D, Patch, Collection, Text):
        wanted, ours = (cbook.normalize_kwargs(kws, artist) for kws in (wanted, ours))
    if "c" in given:  # a colour, or the numbers by which points are coloured
        wanted["c"] = given["c"]
        ours.pop("color", None)
    return {**ours, **wanted}


def column_colours(columns: Iterable[Any]) -> dict[Any, str]:
    """Return a colour for each column of a table, at most 12, for all figures of a notebook.

    Examples
    --------
    >>> column_colours(["age", "sex"])
    {'age': '#0072B2', 'sex': '#E69F00'}
    """
    names = [*columns]
    check_told_apart(len(COLUMN_FILLS), len(names), "columns", "columns")
    return dict(zip(names, COLUMN_FILLS, strict=False))


def colour_of(name: object, colours: Mapping[Any, str] | None, usual: str) -> str:
    """Colour of a column, or of a text that begins with its name; `usual` for others."""
    given = colours or {}
    mine = [column for column in given if f"{name} ".startswith(f"{column} ")]
    return given[max(mine, key=lambda column: len(f"{column}"))] if mine else usual


def line_look(number: int, name: object, width: float = 2) -> dict[str, Any]:
    """Colour, dashes and legend of one line of several."""
    look = {"color": COLOURS[number], "linestyle": LINE_STYLES[number], "linewidth": width}
    return {**look, "label": f"{name}"}


def draw_lines(
    ax: Axes | None,
    table: pd.DataFrame,
    argument: str,
    what: str,
    line_kws: Mapping[str, Any],
    width: float = 2,
) -> Axes:
    """Draw a line per column over the numbers of the index; keywords go to `Axes.plot`."""
    check_told_apart(len(COLOURS), table.shape[1], argument, what)
    ax, x = axes_for(ax), table.index.to_numpy(float)
    for i, (name, column) in enumerate(table.items()):
        ax.plot(x, column.to_numpy(float), **merged(line_kws, **line_look(i, name, width)))
    return ax


def stack_bars(
    ax: Axes, places: Any, parts: Array, looks: Iterable[Any], bar_kws: Mapping[str, Any]
) -> list[Any]:
    """Draw lying bars, each part from where the last one ends (keywords: `Axes.barh`)."""
    starts = np.cumsum(parts, axis=0) - parts
    return [
        ax.barh(places, part, left=start, **merged(bar_kws, **look))
        for part, start, look in zip(parts, starts, looks, strict=False)
    ]


def mark_place(ax: Axes, symbol: str, place: float | None) -> None:
    """Draw a line upwards at a value that is set, if one is, with its name in the legend."""
    if place is not None:
        ax.axvline(place, color="0.2", linewidth=1, label=f"{symbol} = {place:.3g}")


def white_box(pad: float, alpha: float | None = None) -> dict[str, Any]:
    """Paper behind a text, which can be read on whatever it stands."""
    return {"facecolor": "white", "edgecolor": "none", "pad": pad, "alpha": alpha}


def largest(size: Array, limit: int) -> tuple[Array, Array]:
    """Positions of the largest few, in their order, and of the others that share one place."""
    if len(size) <= limit:
        return np.arange(len(size)), np.arange(0)
    order = np.argsort(-size, kind="stable")
    return np.sort(order[: limit - 1]), order[limit - 1 :]


# Labels


def value_label(value: object, width: int = 24, *, tail: bool = True) -> str:
    """Name one value of a table in at most `width` characters, for a label or a menu.

    What is cut keeps its end, which tells long names apart; without `tail` its beginning only.

    Examples
    --------
    >>> [value_label(value) for value in (None, "", True, 3.0, ("a", float("nan")))]
    ['missing', "''", 'True', '3', 'a, missing']
    >>> value_label("a long name of a category, the second", 20)
    'a long name…e second'
    """
    if isinstance(value, tuple):
        text = ", ".join(value_label(part, width, tail=tail) for part in value)
    elif isinstance(value, pd.Interval):
        left, right = "[" if value.closed_left else "(", "]" if value.closed_right else ")"
        text = f"{left}{value_label(value.left)}, {value_label(value.right)}{right}"
    elif value is None or value is pd.NA or value != value:
        text = "missing"
    elif isinstance(value, (float, np.floating)):
        text = f"{value:g}" if float(f"{value:g}") == value else str(value)
    else:
        text = "".join(c if c.isprintable() else " " for c in str(value)).strip() or "''"
    if len(text) <= width:
        return text
    end = 2 * width // 5 if tail else 0
    return f"{text[: width - end - 1]}…{text[len(text) - end :]}"


def drawn_label(value: object, width: int = 24, *, tail: bool = True) -> str:
    """Label a value with nothing in it that matplotlib would typeset as mathematics."""
    return value_label(value, width, tail=tail).replace("$", r"\$")


def cell_label(value: Any, width: int = 18) -> str:
    """Text of a name or a cell in a small table, cut at the end."""
    return drawn_label(value, width, tail=False)


def number_label(value: float, form: str = ".3g", missing: str = "missing") -> str:
    """Write a number in a few digits; infinity and what is missing have signs of their own."""
    if math.isnan(value):
        return missing
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:{form}}"


def percent(share: float) -> str:
    """Whole percents, and one digit where these would say 0 or hide the first one.

    What is not all never reads as 100 %; the sum of shares that are all may lack a rounding.
    """
    if 0.995 <= share < 1 - 1e-12:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.2g} %"


# Checks


def check_told_apart(limit: int, count: int, argument: str, what: str) -> None:
    """Refuse more things than a reader can tell apart."""
    if not 0 < count <= limit:
        raise ValueError(
            f"{argument} must have from 1 to {limit} {what} to be told apart; got {count:,}."
        )


def check_has_columns(table: pd.DataFrame, argument: str, *names: str) -> None:
    """Refuse a table without the columns that are drawn."""
    if not {*names} <= set(table.columns):
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        raise ValueError(f"{argument} needs columns {listed}; got {[*table.columns]}.")


def check_one_each(given: Any, count: int, argument: str, what: str) -> None:
    """Refuse a list that has not one entry for each thing drawn."""
    if len(given) != count:
        raise ValueError(f"{argument} must hold one {what}; got {len(given)}.")
