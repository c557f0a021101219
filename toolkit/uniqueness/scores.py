"""Scores of rows that stand out: samples, nine scores, flags, and two principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .._typing import FloatArray
from .._validation import check_choice, check_columns, check_fraction, check_table
from ..information.pif import cell_information_gain, row_information_gain
from .copula import copula_uniqueness
from .outliers import outlier_scores
from .population import individual_risk
from .sample import sample_uniqueness
from .suda import suda_uniques

__all__ = [
    "SCORES",
    "flag",
    "principal_components",
    "row_scores",
    "sample_of",
]


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
    sample: pd.DataFrame,
    quasi_identifiers: Any,
    score: str,
    *,
    fraction: float,
    seed: int = 1,
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
    limit = scores.nlargest(wanted).min()
    flagged: pd.Series = (scores >= limit) & (scores > scores.min())
    return flagged


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

    parts = [_numbers(check_table(data).iloc[:, j]) for j in range(data.shape[1])]
    numbers = np.hstack(parts)
    found, shares = np.zeros((len(data), 2)), [0.0, 0.0]
    if len(data) > 1 and numbers.any():
        model = PCA(n_components=min(2, *numbers.shape), svd_solver="covariance_eigh").fit(
            numbers
        )
        width = model.n_components_
        found[:, :width] = model.transform(numbers)
        shares[:width] = model.explained_variance_ratio_
    table = pd.DataFrame(found, data.index, ["First component", "Second component"])
    return table, (float(shares[0]), float(shares[1]))


def _numbers(column: pd.Series) -> FloatArray:
    """One column as centred numbers of variance 1 together."""
    kinds = pd.api.types
    if kinds.is_numeric_dtype(column) and not kinds.is_bool_dtype(column):
        numbers = column.to_numpy(float, na_value=np.nan)
        told = numbers[~np.isnan(numbers)]
        spread = told.std() if len(told) else 0.0
        middle = told.mean() if len(told) else 0.0
        return np.asarray(np.nan_to_num((numbers - middle) / (spread or np.inf))[:, None])
    codes, values = pd.factorize(column, use_na_sentinel=False)
    flags = np.eye(len(values))[codes]
    shares = flags.mean(axis=0)
    spread = 1 - shares @ shares
    return np.asarray((flags - shares) / np.sqrt(spread) if len(values) > 1 else flags * 0.0)
