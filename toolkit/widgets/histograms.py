"""Explorer of private histograms: which columns can be released together.

As in `toolkit.widgets`, the explorer maps controls to a figure and a sentence, which need no
notebook. It compares with the truth, so it is for the curator only.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..dp.histograms.codes import pre_process
from ..dp.histograms.release import (
    bound_contributions,
    expected_total_variation,
    release_histograms,
)
from ..dp.histograms.utility import curator_utility
from ..plots.histograms import plot_errors, plot_noisy_shares
from ._explorer import Explorer, explorer

__all__ = [
    "Tried",
    "histogram_explorer",
    "histogram_figure",
    "histogram_summary",
    "tried_release",
]


SIZE = (9.4, 3.8)


SHOWN = 14  # cells of a histogram


class Tried(NamedTuple):
    """One release for the curator to look at."""

    utility: pd.DataFrame
    """As `curator_utility`, and `expected_total_variation`."""
    shares: pd.DataFrame
    """True and released shares of the largest true cells of the first histogram."""
    epsilon: float
    scale: float
    records: int
    """Records that count, in all."""
    sample_size: int


def tried_release(
    data: pd.DataFrame,
    combinations: Mapping[str, Sequence[str]],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    epsilon: float,
    sample_size: int = 1,
    *,
    seed: int = 1,
) -> Tried:
    """Release some histograms, and compare them with the truth. For the curator only.

    Parameters
    ----------
    data : DataFrame
        Ground truth.
    combinations, num_dict, domain
        As for `pre_process`.
    epsilon : float
        Of the whole release, one count of individuals included.
    sample_size : int
        Records of one individual that may count.
    seed : int
        Of the noise.
    """
    coded = pre_process(data, combinations, num_dict, domain=domain)
    rng = np.random.default_rng(seed)
    counted = bound_contributions(coded.df, sample_size, rng=rng)
    release = release_histograms(coded._replace(df=counted), 1, sample_size, epsilon, rng=rng)
    utility = curator_utility(counted, release)
    # The errors are those of the noise; the total variation has what the bound left out, too.
    utility["total_variation"] = curator_utility(coded, release)["total_variation"]
    utility["expected_total_variation"] = [
        expected_total_variation(release.scale, int(cells), len(counted))
        for cells in utility["cells"]
    ]
    first = next(iter(combinations))
    population, weights = release[first]
    shares = pd.DataFrame(
        {
            "true": coded.df[first].value_counts(normalize=True),
            "released": pd.Series(weights, index=population),
        }
    ).fillna(0.0)
    largest = shares.sort_values("true", ascending=False, kind="stable").head(SHOWN)
    return Tried(utility, largest, epsilon, release.scale, len(counted), sample_size)


def histogram_figure(seen: Tried) -> Figure:
    """The first histogram, true and released, and the noise of all of them."""
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.5, 1])
    plot_noisy_shares(
        seen.shares, unit=f"Codes of {seen.utility.index[0]} (curator only)", ax=left
    )
    left.tick_params(axis="x", rotation=60, labelsize="small")
    plot_errors(seen.utility, unit="Records (curator only)", ax=right)
    return fig


def histogram_summary(seen: Tried) -> str:
    """Bins, expected error and total variation of each histogram."""
    rows = "".join(
        f"<br><b>{html.escape(str(name))}</b>: {int(row['cells']):,} bins, expected largest"
        f" error {row['expected_largest_noise']:.0f} records, total variation"
        f" {row['total_variation']:.2f} (from noise alone at most about"
        f" {row['expected_total_variation']:.2f})"
        for name, row in seen.utility.iterrows()
    )
    return (
        f"ε = {seen.epsilon:.3g}, at most {seen.sample_size} records of each individual:"
        f" {seen.records:,} records count, under noise of scale {seen.scale:.3g}.{rows}"
    )


def histogram_explorer(
    data: pd.DataFrame,
    columns: Sequence[str],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    *,
    beside: Mapping[str, Sequence[str]] | None = None,
    seed: int = 1,
) -> Explorer:
    """Tick the columns to combine, slide ε and the records per person; see what is left.

    Parameters
    ----------
    data, num_dict, domain
        As for `pre_process`.
    columns : list of str
        Columns that may be combined, all `_c` or all `_n`; the first two are ticked.
    beside : mapping of {name: columns}, optional
        Other histograms that are released in any case.
    seed : int
        Of the noise.
    """
    others = dict(beside or {})

    def seen(epsilon: float, sample_size: int, **ticked: bool) -> Tried:
        chosen = [column for column in columns if ticked[column]]
        if not chosen:
            raise ValueError("no column is ticked; tick at least one.")
        combos = {"combined": chosen, **others}
        return tried_release(data, combos, num_dict, domain, epsilon, sample_size, seed=seed)

    controls: dict[str, Any] = {
        "epsilon": W.FloatLogSlider(value=1, min=-1, max=1, step=0.1, description="ε"),
        "sample_size": W.IntSlider(value=1, min=1, max=10, description="records per person"),
    }
    for place, column in enumerate(columns):
        controls[column] = W.Checkbox(value=place < 2, description=column, indent=False)
    return explorer(
        lambda **setting: histogram_figure(seen(**setting)),
        lambda **setting: histogram_summary(seen(**setting)),
        **controls,
    )
