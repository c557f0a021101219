"""Explorer of unique records: samples, scores, and the rows that they flag.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
The whole population is at hand, so the flagged rows that are unique in it are known.
"""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._typing import FloatArray
from .._validation import check_choice, check_columns, check_fraction, check_table
from ..information.pif import cell_information_gain, row_information_gain
from ..plots.disclosure import plot_records
from ..plots.uniqueness import plot_flagged, plot_map
from ..uniqueness.copula import copula_uniqueness
from ..uniqueness.outliers import outlier_scores
from ..uniqueness.population import individual_risk
from ..uniqueness.sample import sample_uniqueness
from ..uniqueness.suda import suda_uniques
from ._explorer import Explorer, explorer

SIZE, SHOWN = (9.5, 6.2), 7  # inches; rows of the table


SHARES = {"1 in 1,000": 0.001, "1 %": 0.01, "5 %": 0.05, "20 %": 0.2}


FRACTIONS = [0.02, 0.05, 0.1, 0.25, 0.5, 1.0]


PAIRS = 3_000  # rows that the local outlier factor is fitted to


SCORES = {
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
"""Scores by name, and what each measures; the last four look at all columns."""


def sample_of(population: pd.DataFrame, fraction: float, *, seed: int) -> pd.DataFrame:
    """Draw a simple random sample without replacement, in the order of the population.

    Parameters
    ----------
    population : DataFrame of shape (n_people, n_features)
        Everybody.
    fraction : float
        Records over people, above 0 and up to 1; at least one record is drawn.
    seed : int
        Of the generator.
    """
    people = len(check_table(population))
    records = max(round(check_fraction(fraction) * people), 1)
    chosen = np.random.default_rng(seed).choice(people, records, replace=False)
    return population.iloc[np.sort(chosen)]


def row_scores(
    sample: pd.DataFrame, quasi_identifiers: Any, score: str, *, fraction: float, seed: int = 1
) -> pd.Series:
    """Score the rows of a sample so that larger stands out more.

    Parameters
    ----------
    sample : DataFrame of shape (n_records, n_features)
        Distances and detectors look at all of its columns.
    quasi_identifiers : column, or list of columns
        What the other scores look at.
    score : str
        One of `SCORES`.
    fraction : float
        Records over people of the population.
    seed : int
        Of scores that are random.
    """
    check_choice(score, "score", list(SCORES))
    rng, known = np.random.default_rng(seed), quasi_identifiers
    found: pd.Series
    if score == "class size":
        found = 1 / sample_uniqueness(sample, known)["records"]
    elif score == "individual risk":
        found = individual_risk(sample, known, fraction=fraction)
    elif score == "copula":
        some = {"fraction": fraction, "rng": rng, "points": 64, "progress": False}
        found = copula_uniqueness(sample, known, **some).records["uniqueness"]  # type: ignore[arg-type]
    elif score == "information gain":
        cells = sample.iloc[:, check_columns(sample, known, "known")]
        found = row_information_gain(cell_information_gain(cells))
    elif score == "special uniques":
        most = min(3, len(check_columns(sample, known, "known")))
        found = suda_uniques(sample, known, max_key_size=most, progress=False).scores
    else:
        pairwise = score == "local outlier factor" and len(sample) > PAIRS
        options: dict[str, Any] = {"sample": PAIRS} if pairwise else {}
        found = outlier_scores(sample, score, rng=rng, **options)
    return pd.Series(found, name=SCORES[score])


def flag(scores: pd.Series, share: float) -> pd.Series:
    """Flag the given share of the rows with the largest scores, and all that are equal.

    Rows with the smallest score of all are never flagged: it does not single them out.

    Parameters
    ----------
    scores : Series of shape (n_records,)
        Larger stands out more.
    share : float
        Share of the records, above 0 and up to 1; rounded up.

    Examples
    --------
    >>> flag(pd.Series([1.0, 3.0, 2.0, 3.0]), 0.25).tolist()
    [False, True, False, True]
    """
    wanted = max(int(np.ceil(check_fraction(share) * len(scores))), 1)
    alike = to_nine_digits(scores)
    limit = alike.nlargest(wanted).min()
    flagged: pd.Series = (alike >= limit) & (alike > alike.min())
    return flagged


def to_nine_digits(scores: pd.Series) -> pd.Series:
    """Scores to nine digits: equal ones are equal, however a processor rounds them.

    Examples
    --------
    >>> bool(to_nine_digits(pd.Series([1.0, 1 - 1e-15])).is_unique)
    False
    """
    part, power = np.frexp(scores.to_numpy(float, na_value=np.nan))
    return pd.Series(np.ldexp(np.round(part * 2**30) / 2**30, power), scores.index)


def principal_components(data: pd.DataFrame) -> tuple[pd.DataFrame, tuple[float, float]]:
    r"""Project rows on the two directions in which they differ most.

    A number is z-scaled, and lies in the centre where it is missing; of another column, each
    value becomes a column of 0 and 1, less its mean and times :math:`1/\sqrt{1-\sum_v s_v^2}`
    with shares :math:`s_v`, so that every column has variance 1, as in `outlier_scores`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Any cells.

    Returns
    -------
    DataFrame of shape (n_records, 2) and a pair of floats
        Where each row lies, and the share of the variance along each axis; 0 where rows do
        not differ.
    """
    from sklearn.decomposition import PCA  # which takes a second to import

    check_table(data)
    numbers = np.hstack([_numbers(data.iloc[:, j]) for j in range(data.shape[1])])
    found, shares = np.zeros((len(data), 2)), [0.0, 0.0]
    if len(data) > 1 and numbers.any():
        width = min(2, *numbers.shape)
        model = PCA(n_components=width, svd_solver="covariance_eigh")
        found[:, :width] = model.fit(numbers).transform(numbers)
        # Both values of a column weigh alike, so weights do not settle the sign: a tail does.
        found *= np.where((found**3).sum(axis=0) < 0, -1, 1)
        shares[:width] = model.explained_variance_ratio_
    table = pd.DataFrame(found, data.index, ["First component", "Second component"])
    return table, (float(shares[0]), float(shares[1]))


def _numbers(column: pd.Series) -> FloatArray:
    """One column as centred numbers of variance 1 together."""
    kinds = pd.api.types
    if kinds.is_numeric_dtype(column) and not kinds.is_bool_dtype(column):
        numbers = column.to_numpy(float, na_value=np.nan)
        told = numbers[~np.isnan(numbers)]
        middle, spread = (told.mean(), told.std()) if len(told) else (0.0, 0.0)
        return np.asarray(np.nan_to_num((numbers - middle) / (spread or np.inf))[:, None])
    codes, values = pd.factorize(column, use_na_sentinel=False)
    flags = np.eye(len(values))[codes]
    shares = flags.mean(axis=0)
    spread = 1 - shares @ shares
    return np.asarray((flags - shares) / np.sqrt(spread) if len(values) > 1 else flags * 0.0)


class StandingOut(NamedTuple):
    """Rows of a sample that one score flags."""

    sample: pd.DataFrame
    quasi_identifiers: list[Any]
    scores: pd.Series
    flagged: pd.Series
    truth: pd.DataFrame
    """Of each row, whether it is `alone here`, and `alone among all`."""
    components: pd.DataFrame
    explained: tuple[float, float]


def standing_out(
    population: pd.DataFrame,
    quasi_identifiers: Any,
    *,
    fraction: float,
    score: str,
    share: float,
    seed: int = 1,
) -> StandingOut:
    """Draw a sample of a population, score its rows, and flag those that stand out most.

    Parameters
    ----------
    population : DataFrame of shape (n_people, n_features)
        Everybody, with distinct labels.
    quasi_identifiers : column, or list of columns
        At least one.
    fraction, seed
        As for `sample_of`.
    score
        As for `row_scores`.
    share
        As for `flag`.
    """
    sample = sample_of(population, fraction, seed=seed)
    scores = row_scores(sample, quasi_identifiers, score, fraction=fraction, seed=seed)
    everyone = sample_uniqueness(population, quasi_identifiers)["unique"]
    here = sample_uniqueness(sample, quasi_identifiers)["unique"]
    truth = pd.DataFrame({"alone here": here, "alone among all": everyone.loc[sample.index]})
    known = list(sample.columns[check_columns(sample, quasi_identifiers, "known")])
    components, explained = principal_components(sample)
    flagged = flag(scores, share)
    return StandingOut(sample, known, scores, flagged, truth, components, explained)


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
