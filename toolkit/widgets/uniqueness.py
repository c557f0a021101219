"""Explorer of unique records: samples, scores, and the rows that they flag.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
The whole population is at hand, so the flagged rows that are unique in it are known.
"""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_columns, check_table
from ..plots.disclosure import plot_records
from ..plots.uniqueness import plot_flagged, plot_map
from ..uniqueness.sample import (
    SCORES,
    StandingOut as StandingOut,
    standing_out as standing_out,
    to_nine_digits,
)
from ._explorer import Explorer, explorer

SIZE, SHOWN = (9.5, 6.2), 7  # inches; rows of the table


SHARES = {"1 in 1,000": 0.001, "1 %": 0.01, "5 %": 0.05, "20 %": 0.2}


FRACTIONS = [0.02, 0.05, 0.1, 0.25, 0.5, 1.0]


def standing_out_figure(seen: StandingOut) -> Figure:
    """Histogram and map above, and a table of the rows that stand out most."""
    fig = Figure(figsize=SIZE, layout="constrained")
    grid = fig.add_gridspec(2, 2, height_ratios=[1.45, 1])
    left, right, below = map(fig.add_subplot, (grid[0, 0], grid[0, 1], grid[1, :]))
    plot_flagged(seen.scores, seen.flagged, ax=left)
    plot_map(seen.components, seen.flagged, explained=seen.explained, ax=right)
    alike = to_nine_digits(seen.scores[seen.flagged])
    first = alike.sort_values(ascending=False, kind="stable").index
    rows = seen.sample.loc[first[:SHOWN], seen.quasi_identifiers]
    told = [f"{seen.scores[label]:.3g}" for label in rows.index]
    rows.insert(0, "score", told, allow_duplicates=True)
    marked = seen.truth.loc[rows.index, "alone among all"].to_numpy(bool)
    words = np.where(marked, "yes", "no")
    rows.insert(rows.shape[1], "alone among all", words, allow_duplicates=True)
    plot_records(rows, marked=marked, more=len(first) - len(rows), ax=below)
    return fig


def standing_out_summary(seen: StandingOut) -> str:
    """How many rows are flagged, and how many of them are alone, as HTML."""
    flagged, records = int(seen.flagged.sum()), len(seen.sample)
    inside, outside = seen.truth[seen.flagged].sum(), seen.truth.sum()
    known = html.escape(", ".join(map(str, seen.quasi_identifiers)))
    return (
        f"Known: {known}. <b>{flagged:,} of {records:,} rows are flagged</b>;"
        f" {inside['alone here']:,} of them are alone in the sample and"
        f" {inside['alone among all']:,} in the population. (In the whole sample"
        f" {outside['alone here']:,} are alone here, {outside['alone among all']:,} of them"
        " also among all people; such rows are shaded.)"
    )


def standing_out_explorer(
    population: pd.DataFrame,
    quasi_identifiers: Any,
    *,
    known: Any = None,
    fraction: float = 0.1,
    score: str = "class size",
    share: str = "1 %",
    seed: int = 1,
) -> Explorer:
    """Draw a sample, tick what is known, choose a score: who stands out?

    Parameters
    ----------
    population : DataFrame of shape (n_people, n_features)
        Everybody.
    quasi_identifiers : list of columns
        What may be known; each gets a checkbox. At least one has to stay ticked.
    known : list of columns, optional
        What is ticked at first; all by default.
    fraction : float
        Sampling fraction at first.
    score : str
        One of `SCORES`.
    share : str
        Of the rows to flag: one of "1 in 1,000", "1 %", "5 %", "20 %".
    seed : int
        Of sample and scores.

    Returns
    -------
    Explorer
        Controls "fraction", "score", "share", and one for each column under ``known: name``.
    """
    people = check_table(population).reset_index(drop=True)
    people.columns = pd.Index([str(name) for name in people.columns])
    names = [people.columns[j] for j in check_columns(population, quasi_identifiers, "known")]
    some = quasi_identifiers if known is None else known
    ticked = [people.columns[j] for j in check_columns(population, some, "known")]

    @lru_cache(maxsize=32)
    def seen(fraction: float, score: str, share: str, *ticks: bool) -> StandingOut:
        chosen = [name for name, tick in zip(names, ticks, strict=True) if tick]
        if not chosen:
            raise ValueError("tick at least one column that is known.")
        setting: dict[str, Any] = {"fraction": fraction, "score": score, "seed": seed}
        return standing_out(people, chosen, share=SHARES[share], **setting)

    fractions = sorted({*FRACTIONS, fraction})
    width = W.Layout(width="auto", margin="2px 14px 2px 2px")
    parts = [(f"{100 * part:g} %", part) for part in fractions]
    ticks = {
        f"known: {name}": W.Checkbox(
            name in ticked, description=name, indent=False, layout=width
        )
        for name in names
    }
    return explorer(
        standing_out_figure,
        standing_out_summary,
        lambda **setting: seen(*setting.values()),
        fraction=W.SelectionSlider(options=parts, value=fraction, description="sampled"),
        score=W.Dropdown(options=list(SCORES), value=score, description="score"),
        share=W.SelectionSlider(options=list(SHARES), value=share, description="flag"),
        **ticks,
    )
