"""What figures share: colours that everyone can tell apart, an open frame, short labels."""

from __future__ import annotations

from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

BLUE, VERMILLION, GREEN, ORANGE, PURPLE = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7"


SKY, YELLOW = "#56B4E9", "#F0E442"


COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "black")


"""The palette of Okabe and Ito for lines, in the order in which they are taken."""


def axes_for(ax: Axes | None) -> Axes:
    """Return the axes, new ones if there are none."""
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def open_frame(ax: Axes, grid: Literal["both", "x", "y"] = "y") -> None:
    """Leave the axes open at the top and the right, with a pale grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis=grid, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def check_told_apart(limit: int, count: int, argument: str, what: str) -> None:
    """Refuse more things than a reader can tell apart."""
    if not 0 < count <= limit:
        raise ValueError(
            f"{argument} must have from 1 to {limit} {what} to be told apart; got {count:,}."
        )


def percent(share: float) -> str:
    """Whole percents, and one digit where these would say 0 or hide the first one.

    What is not all never reads as 100 %; the sum of shares that are all may lack a rounding.
    """
    if 0.995 <= share < 1 - 1e-12:
        return ">99 %"
    return f"{100 * share:.0f} %" if share >= 0.1 or share == 0 else f"{100 * share:.2g} %"


def cell_label(value: Any, width: int = 18) -> str:
    """Text of a name or a cell, cut where it is long."""
    if not isinstance(value, (tuple, list)) and pd.isna(value):
        return "missing"
    text = f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"
