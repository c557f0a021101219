"""Explorer of unique records: samples, scores, and the records that they flag."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import uniqueness
from .._typing import Columns
from ..information import cell_information_gain, row_information_gain
from ..plots._style import VERMILLION, finished
from ..plots.disclosure import plot_records
from ..uniqueness.outliers import laid_out
from ._explorer import Explorer, Seen, checkbox, escaped, explorer, named, names_of

SHARES = {"1 in 1,000": 0.001, "1 %": 0.01, "5 %": 0.05, "20 %": 0.2}
FRACTIONS = [0.02, 0.05, 0.1, 0.25, 0.5]
PAIRS = 1_000  # records that the local outlier factor is fitted to
WRITTEN = 7  # records in the table of those that stand out most
SCORES = {  # the last four use all columns
    "class size": "Alone (1) or with others (1 / records)",
    "individual risk": "Individual risk (probability)",
    "copula": "Copula: probability of being unique",
    "information gain": "Row information gain (bits)",
    "special uniques": "Special-unique score",
    "euclidean": "Euclidean distance (standard deviations)",
    "mahalanobis": "Mahalanobis distance (standard deviations)",
    "isolation forest": "Isolation forest (0 to 1)",
    "local outlier factor": "Local outlier factor (about 1: like its neighbours)",
}


def standing_out_explorer(
    population: pd.DataFrame,
    quasi_identifiers: Columns,
    *,
    fraction: float = 0.1,
    score: str = "class size",
    seed: int = 1,
) -> Explorer:
    """Draw a sample, tick what is known, choose a score, and see which records stand out.

    The whole population is known, so we can tell which flagged records are unique in it.
    Records with the smallest score of all are never flagged: this score singles nobody out.
    The map shows all flagged records, and a few thousand of the others.

    Parameters
    ----------
    population : DataFrame of shape (n_people, n_features)
        One row per person.
    quasi_identifiers : list of columns
        Columns that may be known; each gets a checkbox. At least one has to stay ticked.
    fraction : float
        First value of the sampling fraction.
    score : str
        First score: "class size", "individual risk", "copula", "information gain", "special
        uniques", "euclidean", "mahalanobis", "isolation forest" or "local outlier factor".
    seed : int
        Seed of the sample and the scores.

    Returns
    -------
    Explorer
        Controls "fraction", "score", "share" (of the records to flag), and a checkbox
        "known: …" for each quasi-identifier.
    """
    people = named(population).reset_index(drop=True)
    names = names_of(population, quasi_identifiers, "quasi_identifiers")

    @lru_cache(maxsize=8)
    def drawn(fraction: float, known: tuple[str, ...]) -> tuple[pd.DataFrame, ...]:
        """A sample, which of its records are alone in it and in the population, and a map."""
        records = max(round(fraction * len(people)), 1)
        rng = np.random.default_rng(seed)
        sample = people.iloc[np.sort(rng.choice(len(people), records, replace=False))]
        here = uniqueness.sample_uniqueness(sample, [*known])["unique"]
        everyone = uniqueness.sample_uniqueness(people, [*known])["unique"].loc[sample.index]
        return sample, pd.DataFrame({"here": here, "all": everyone}), _components(sample)

    @lru_cache(maxsize=32)
    def scored(fraction: float, known: tuple[str, ...], score: str) -> pd.Series:
        found = _scores(drawn(fraction, known)[0], [*known], score, fraction, seed)
        return pd.Series(found, name=SCORES[score])

    def see(fraction: float, score: str, share: str, **ticks: bool) -> Seen:
        known = tuple(name for name in names if ticks[f"known: {name}"])
        if not known:
            raise ValueError("tick at least one column that is known.")
        (sample, alone, spots), scores = drawn(fraction, known), scored(fraction, known, score)
        flagged, digits = _flagged(scores, SHARES[share])
        order = digits[flagged].sort_values(ascending=False, kind="stable").index
        figure = Figure(figsize=(9.5, 6.2), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=[1.45, 1])
        _flagged_scores(scores, flagged, figure.add_subplot(grid[0, 0]))
        _map(spots, flagged, figure.add_subplot(grid[0, 1]))
        rows = sample.loc[order[:WRITTEN], [*known]]
        marked = alone["all"].loc[rows.index].to_numpy(bool)
        rows.insert(0, "score", [f"{scores[label]:.3g}" for label in rows.index], True)
        rows.insert(rows.shape[1], "alone among all", np.where(marked, "yes", "no"), True)
        below, more = figure.add_subplot(grid[1, :]), len(order) - len(rows)
        plot_records(rows, marked=marked, more=more, ax=below)
        inside, outside = alone[flagged].sum(), alone.sum()
        return (
            f"Known: {escaped(', '.join(known), 400)}. <b>{flagged.sum():,} of"
            f" {len(sample):,} rows are flagged</b>; {inside['here']:,} of them are alone in"
            f" the sample and {inside['all']:,} in the population. (In the whole sample"
            f" {outside['here']:,} are alone here, {outside['all']:,} of them also among all"
            " people; such rows are shaded.)",
            figure,
        )

    parts = [(f"{100 * part:g} %", part) for part in sorted({*FRACTIONS, fraction})]
    return explorer(
        see,
        fraction=W.SelectionSlider(options=parts, value=fraction, description="sampled"),
        score=W.Dropdown(options=[*SCORES], value=score, description="score"),
        share=W.SelectionSlider(options=[*SHARES], value="1 %", description="flag"),
        **{f"known: {name}": checkbox(name, True) for name in names},
    )


def _scores(sample: pd.DataFrame, known: Any, score: str, fraction: float, seed: int) -> Any:
    """Score the records of a sample; larger stands out more."""
    rng: Any = np.random.default_rng(seed)
    if score == "class size":
        return 1 / uniqueness.sample_uniqueness(sample, known)["records"]
    if score == "individual risk":
        return uniqueness.individual_risk(sample, known, fraction=fraction)
    if score == "copula":
        quick: Any = {"rng": rng, "points": 64}
        found = uniqueness.copula_uniqueness(sample, known, fraction=fraction, **quick)
        return found.records["uniqueness"]
    if score == "information gain":
        return row_information_gain(cell_information_gain(sample[known]))
    if score == "special uniques":
        size = min(3, len(known))
        return uniqueness.suda_uniques(sample, known, max_key_size=size).scores
    pairwise = score == "local outlier factor" and len(sample) > PAIRS
    options: dict[str, Any] = {"sample": PAIRS} if pairwise else {}
    return uniqueness.outlier_scores(sample, score, rng=rng, **options)


def _flagged(scores: pd.Series, share: float) -> tuple[pd.Series, pd.Series]:
    """Flag a share of the records, rounded up, and all with equal scores, to nine digits.

    Examples
    --------
    >>> _flagged(pd.Series([1.0, 3.0, 2.0, 3.0]), 0.25)[0].tolist()
    [False, True, False, True]
    """
    part, power = np.frexp(scores.to_numpy(float, na_value=np.nan))
    rounded = np.ldexp(np.round(part * 2**30) / 2**30, power)
    digits = pd.Series(rounded, scores.index)
    limit = digits.nlargest(max(int(np.ceil(share * len(scores))), 1)).min()
    return (digits >= limit) & (digits > digits.min()), digits


def _flagged_scores(scores: pd.Series, flagged: pd.Series, ax: Axes) -> None:
    """Draw a histogram of scores, with the flagged ones on top."""
    marks = np.where(flagged, "flagged", "others")
    look: dict[str, Any] = {"palette": [VERMILLION, "0.75"], "alpha": 1, "edgecolor": "white"}
    look |= {"hue": marks, "hue_order": ["flagged", "others"], "multiple": "stack", "bins": 40}
    sns.histplot(x=scores.to_numpy(float).round(9), ax=ax, **look)  # no bins within a rounding
    ax.set_yscale("symlog", linthresh=10)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    finished(ax, "y", xlabel=f"{scores.name}", ylabel="Records")


def _map(spots: pd.DataFrame, flagged: pd.Series, ax: Axes) -> None:
    """Draw rows in two dimensions, with flagged rows as triangles on top."""
    across, up = spots.columns
    look: dict[str, Any] = {"x": across, "y": up, "ax": ax, "alpha": 0.8, "linewidth": 0}
    others = spots[~flagged]
    few = others.iloc[:: max(len(others) // 3_000, 1)]  # more dots would only take time
    sns.scatterplot(few, color="0.7", s=8, **look)
    sns.scatterplot(spots[flagged], color=VERMILLION, marker="^", s=20, **look)
    finished(ax, "y")


def _components(data: pd.DataFrame) -> pd.DataFrame:
    """Project records on the two directions in which they differ most.

    These are the first two principal components, named with their share of the variance. The
    columns are laid out as numbers as in `outlier_scores`.
    """
    matrix = laid_out(data, None, "one-hot")[1]
    numbers = np.hstack([matrix, np.zeros((len(data), 2))])  # at least two directions
    variances, directions = np.linalg.eigh(numbers.T @ numbers)
    spots = numbers @ directions[:, [-1, -2]]
    spots *= np.where((spots**3).sum(axis=0) < 0, -1, 1)  # tails go right
    shares = variances[[-1, -2]] / (variances.sum() or 1)
    pairs = zip(("First", "Second"), shares, strict=True)
    names = [f"{which} component ({share:.0%} of variance)" for which, share in pairs]
    return pd.DataFrame(spots, data.index, names)
