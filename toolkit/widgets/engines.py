"""Explorer of large tables: the size of the class table against a budget.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from ..engines.distinct import (
    BYTES_PER_CELL,
    Way as Way,
    expected_classes as expected_classes,
    way_of as way_of,
)
from ..engines.table import check_budget
from ..plots.engines import plot_way
from ._explorer import SIZE, Explorer, explorer, new_figure

BUDGETS = ["100 MB", "1 GB", "4 GB", "16 GB"]


ROWS = [10**4, 10**5, 10**6, 10**7, 6 * 10**7, 10**8, 10**9]


COMBINATIONS = [10**3, 10**5, 10**6, 10**7, 10**8, 10**9]


def way_figure(rows: int, combinations: int, columns: int, budget: int | str) -> Figure:
    """Size of the class table as records grow, and the budget; parameters of `way_of`."""
    way_of(rows, combinations, columns, budget)
    fig, ax = new_figure(SIZE)
    at = np.unique([*np.geomspace(min(rows, ROWS[0]), max(rows, ROWS[-1]), 200), rows])
    sizes = expected_classes(at, combinations) * (columns + 1) * BYTES_PER_CELL
    plot_way(pd.Series(sizes, at), check_budget(budget), at=rows, ax=ax)
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
