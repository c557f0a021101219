"""Explorer of large tables: the size of the class table against a budget.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from .._typing import FloatArray
from .._validation import check_whole
from ..engines.distinct import BYTES_PER_CELL
from ..engines.table import check_budget
from ..plots.engines import plot_way
from ._explorer import Explorer, explorer

__all__ = [
    "Way",
    "expected_classes",
    "way_explorer",
    "way_figure",
    "way_of",
    "way_summary",
]


SIZE = (8.5, 3.4)  # inches


MOST = 10**12  # rows or combinations that are drawn


BUDGETS = ["100 MB", "1 GB", "4 GB", "16 GB"]


ROWS = [10**4, 10**5, 10**6, 10**7, 6 * 10**7, 10**8, 10**9]


COMBINATIONS = [10**3, 10**5, 10**6, 10**7, 10**8, 10**9]


class Way(NamedTuple):
    """What is to be expected of a class table."""

    classes: float
    """Rows of the class table, at most, on average."""
    bytes: float
    fits: bool
    """Whether it comes back within the budget."""


def expected_classes(rows: Any, combinations: float) -> FloatArray:
    r"""The most distinct rows that independent records can be expected to have.

    With n records over m possible combinations of values,
    :math:`m\,(1 - (1 - 1/m)^n)`. All combinations being equally likely is the worst case:
    whoever is skewed repeats itself sooner.

    Parameters
    ----------
    rows : float or array
        Records, n.
    combinations : float
        Possible combinations of values, m, at least 2.

    Returns
    -------
    array
        Expected distinct rows, up to the smaller of n and m.

    Examples
    --------
    >>> expected_classes([1, 2, 1000], 2).tolist()
    [1.0, 1.5, 2.0]
    """
    left = np.asarray(rows, float) * np.log1p(-1 / combinations)
    return np.asarray(-combinations * np.expm1(left))


def way_of(rows: int, combinations: int, columns: int, budget: int | str) -> Way:
    """What `open_table` would do with a table of this size.

    Parameters
    ----------
    rows : int
        Records of the table.
    combinations : int
        How many combinations the values of the columns can form, at least 2.
    columns : int
        How many columns a metric asks for.
    budget : int or str
        Bytes that the class table may take, as for `open_table`.

    Raises
    ------
    TypeError, ValueError
        If a number is out of range, or `budget` is no size.

    Examples
    --------
    >>> way = way_of(60_000_000, 1_000_000, 6, "1 GB")
    >>> round(way.classes), round(way.bytes / 1e6), way.fits
    (1000000, 280, True)
    """
    check_whole(rows, "rows", 1, MOST, "of which a picture can be drawn")
    check_whole(combinations, "combinations", 2, MOST, "of which a picture can be drawn")
    check_whole(columns, "columns", 1, 1000, "the columns of a question")
    classes = float(expected_classes(rows, combinations))
    size = classes * (columns + 1) * BYTES_PER_CELL
    return Way(classes, size, size <= check_budget(budget))


def way_figure(rows: int, combinations: int, columns: int, budget: int | str) -> Figure:
    """Size of the class table as records grow, and the budget; parameters of `way_of`."""
    way_of(rows, combinations, columns, budget)
    fig = Figure(figsize=SIZE, layout="constrained")
    at = np.unique([*np.geomspace(min(rows, ROWS[0]), max(rows, ROWS[-1]), 200), rows])
    sizes = expected_classes(at, combinations) * (columns + 1) * BYTES_PER_CELL
    plot_way(pd.Series(sizes, at), check_budget(budget), at=rows, ax=fig.subplots())
    return fig


def way_summary(rows: int, combinations: int, columns: int, budget: int | str) -> str:
    """Which way is taken, in words, as HTML; parameters of `way_of`.

    Examples
    --------
    >>> print(way_summary(60_000_000, 1_000_000, 6, "100 MB"))
    <b>It stays in the engine.</b> Of 60,000,000 records, at most 1,000,000 distinct rows are
    to be expected (1.7 %): about 280 MB, and the budget is 100 MB.
    """
    way = way_of(rows, combinations, columns, budget)
    size = EngFormatter("B", places=0, sep=" ")
    verdict = "The class table comes back" if way.fits else "It stays in the engine"
    return (
        f"<b>{verdict}.</b> Of {rows:,} records, at most {way.classes:,.0f} distinct rows"
        f" are\nto be expected ({100 * way.classes / rows:.2g} %): about {size(way.bytes)},"
        f" and the budget is {size(check_budget(budget))}."
    )


def way_explorer(
    rows: int = 60_000_000, combinations: int = 1_000_000, columns: int = 6
) -> Explorer:
    """Set rows, combinations, columns and budget; see which way a question takes.

    Parameters
    ----------
    rows, combinations, columns
        Where the controls start; as for `way_of`.

    Returns
    -------
    Explorer
        Controls "rows", "combinations", "columns" and "budget".

    Examples
    --------
    >>> box = way_explorer()
    >>> box.controls["budget"].value = "100 MB"
    >>> "stays in the engine" in box.summary.value
    True
    """
    way_of(rows, combinations, columns, BUDGETS[1])
    return explorer(
        way_figure,
        way_summary,
        rows=_steps("rows", ROWS, rows),
        combinations=_steps("combinations", COMBINATIONS, combinations),
        columns=W.IntSlider(columns, 1, max(16, columns), description="columns"),
        budget=W.Dropdown(options=BUDGETS, value=BUDGETS[1], description="budget"),
    )


def _steps(name: str, numbers: list[int], start: int) -> Any:
    """A slider over round numbers; the one it starts at is among them."""
    options = [(f"{number:,}", number) for number in sorted({*numbers, start})]
    apart = W.Layout(margin="2px 20px 2px 2px")  # long numbers reach their right end
    return W.SelectionSlider(options=options, value=start, description=name, layout=apart)
