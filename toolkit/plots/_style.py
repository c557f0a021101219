"""Style of all plots: palette, frame, legends, labels, and checks of what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import cbook
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.collections import Collection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import PercentFormatter

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


# A bar that others are compared with.
OUTLINE: dict[str, Any] = {"fill": False, "edgecolor": "black", "linewidth": 1.1}


# Place of a legend above the axes, where it hides nothing.
ABOVE: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": 3}


# Axes, frame and legend


def axes_for(ax: Axes | None) -> Axes:
    """Return the axes, new ones if there are none."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def open_frame(ax: Axes, grid: Literal["both", "x", "y"] = "y") -> None:
    """Leave the axes open at the top and the right, with a pale grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis=grid, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def name_rows(ax: Axes, places: Any, names: list[str], **text: Any) -> None:
    """Name rows on the vertical axis, without ticks."""
    ax.set_yticks(places, names, **text)
    ax.tick_params(axis="y", length=0)


def percent_axis(axis: XAxis | YAxis) -> None:
    """Label shares as whole per cents."""
    axis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


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
    ax: Axes, table: pd.DataFrame, line_kws: Mapping[str, Any], width: float = 2
) -> None:
    """Draw a line per column over the numbers of the index; keywords go to `Axes.plot`."""
    x = table.index.to_numpy(float)
    for i, (name, column) in enumerate(table.items()):
        ax.plot(x, column.to_numpy(float), **merged(line_kws, **line_look(i, name, width)))


def mark_place(ax: Axes, symbol: str, place: float | None) -> None:
    """Draw a line upwards at a value that is set, if one is, with its name in the legend."""
    if place is not None:
        ax.axvline(place, color="0.2", linewidth=1, label=f"{symbol} = {place:.3g}")


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
