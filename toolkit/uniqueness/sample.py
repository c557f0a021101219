"""Uniqueness in the sample: records that a few columns single out, and scores of records.

A record that nobody else equals in some columns is *unique* there. This module counts such
records, column by column and over all subsets of columns. It draws samples, scores their
records by every score of the room, flags those that stand out, and lays them out in a plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import Groups, as_objects, everyone, refine
from .._old.classes import ClassTable, class_table, policy_of
from .._typing import FloatArray, by_kind, table_of
from .._validation import (
    check_choice,
    check_columns,
    check_fraction,
    check_generator,
    check_partition,
    check_quasi_identifiers,
    check_table,
)
from ..information.pif import cell_information_gain, information_factors, row_information_gain
from .outliers import outlier_methods, outlier_scores
from .suda import check_some_columns, largest_key, partition, subset_count, suda_uniques

# How many rows some columns single out


def sample_uniqueness(
    data: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> pd.DataFrame:
    """Whether each record is alone with its quasi-identifiers, and who else shares them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), EquivalenceClasses or EngineTable
        The table, or its class table, which has the other arguments settled. See `open_table`
        for tables that stay in an engine.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins. With an empty list
        everyone is in one class.
    missing : {"category", "drop", "wildcard"}
        What a missing quasi-identifier is: a value of its own; a reason to leave the record
        out; or a match for any value.

    Returns
    -------
    DataFrame of shape (n_records, 2)
        `records`, how many share the quasi-identifiers, itself included (larger is safer),
        and `unique`, whether it is alone. Index of `data`; missing for records left out.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or a column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"]}, index=[7, 8, 9])
    >>> sample_uniqueness(data, "town")
       records  unique
    7        2   False
    8        2   False
    9        1    True
    """
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    return classes.on_records({"records": lambda n: n, "unique": lambda n: n == 1})


def unique_share(
    data: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> float:
    r"""Share of the records that are alone with their quasi-identifiers.

    With :math:`n_c` records in class :math:`c` and n in all,
    :math:`\frac1n \sum_c [n_c = 1]`.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `sample_uniqueness`, of whose column `unique` this is the mean over the records
        that are not left out.

    Returns
    -------
    float
        Share from 0 to 1; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `sample_uniqueness`.

    References
    ----------
    .. [1] L. Sweeney, *Simple demographics often identify people uniquely*, Carnegie Mellon
       University, Data Privacy Working Paper 3, 2000.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"], "sex": ["f", "m", "m"]})
    >>> unique_share(data, "sex"), unique_share(data, ["town", "sex"])
    (0.3333333333333333, 1.0)
    """
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    return classes.unique_share()


def subset_uniqueness(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    max_size: int | None = None,
    missing: str = "category",
    progress: bool = True,
) -> pd.DataFrame:
    """How many records each subset of the quasi-identifiers singles out.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
        As for `sample_uniqueness`.
    quasi_identifiers : column, or list of columns
        At least one.
    max_size : int, optional
        Take subsets of up to this many columns; all of them by default. There are 2^q - 1
        subsets of q columns, so the work doubles with each further column.
    missing : {"category", "drop"}
        As for `sample_uniqueness`; "wildcard" makes no classes.
    progress : bool
        Show a bar if it takes longer than a second.

    Returns
    -------
    DataFrame of shape (n_subsets, 4)
        `columns`, a tuple in the order of `quasi_identifiers`; `size`, how many they are;
        `unique`, the records they single out; and `share`, of all records. Smaller is safer.
        Ordered by size, then by columns.

    Raises
    ------
    TypeError, ValueError
        As `sample_uniqueness`, or if there is no column, or there are too many subsets.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"], "sex": ["f", "m", "m"]})
    >>> subset_uniqueness(data, ["town", "sex"]).round(2)
           columns  size  unique  share
    0      (town,)     1       1   0.33
    1       (sex,)     1       1   0.33
    2  (town, sex)     2       3   1.00
    """
    classes = _partition(data, quasi_identifiers, missing)
    return _subsets(classes, max_size, progress)


def _subsets(classes: ClassTable, max_size: int | None, progress: bool) -> pd.DataFrame:
    """Count the unique records of each subset of the quasi-identifiers."""
    width = len(classes.quasi_identifiers)
    most = largest_key(min(width, 1000) if max_size is None else max_size, "max_size", width)
    uniques = unique_records(classes, most, progress)
    order = sorted(uniques, key=lambda columns: (len(columns), columns))
    names = classes.quasi_identifiers
    found = pd.DataFrame({"size": [len(columns) for columns in order]})
    found.insert(0, "columns", as_objects([tuple(names[j] for j in key) for key in order]))
    found["unique"] = [uniques[columns] for columns in order]
    found["share"] = found["unique"] / classes.n_records
    return found


def uniqueness_curve(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    max_size: int | None = None,
    missing: str = "category",
    progress: bool = True,
) -> pd.DataFrame:
    """Share of unique records as an attacker learns more columns.

    A further column never makes a unique record share its values again, so each of the shares
    rises, or stays.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
        As for `sample_uniqueness`.
    quasi_identifiers : column, or list of columns
        At least one. Their order is that in which the attacker learns them.
    max_size : int, optional
        Look at all subsets of up to this many columns; by default of any number. The shares
        in the order of the columns do not depend on it.
    missing, progress
        As for `subset_uniqueness`.

    Returns
    -------
    DataFrame of shape (n_columns, 6)
        For each number of columns known (the index): the column `added` last, and the
        `share` of unique records with the columns so far; and over all `subsets` of as many
        columns the `mean`, `min` and `max` share, missing beyond `max_size`. Smaller is
        safer; `max` is what the best informed attacker has.

    Raises
    ------
    TypeError, ValueError
        As `subset_uniqueness`, whose shares these are.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAAB"), "sex": list("fmmm"), "age": [1, 2, 3, 4]})
    >>> uniqueness_curve(data, ["town", "sex", "age"]).round(2)
            added  share  subsets  mean   min  max
    columns
    1        town   0.25        3  0.50  0.25  1.0
    2         sex   0.50        3  0.83  0.50  1.0
    3         age   1.00        1  1.00  1.00  1.0
    """
    classes = _partition(data, quasi_identifiers, missing)
    names = classes.quasi_identifiers
    found = pd.DataFrame(index=pd.RangeIndex(1, len(names) + 1, name="columns"))
    found["added"] = as_objects(names)
    every = _subsets(classes, max_size, progress)
    uniques = uniques_as_learned(classes, every)
    found["share"] = [unique / classes.n_records for unique in uniques]
    shares = every.groupby("size")["share"].agg(["mean", "min", "max"])
    found["subsets"] = [math.comb(len(names), size) for size in found.index]
    return found.join(shares)


def _partition(data: Any, quasi_identifiers: Any, missing: str) -> ClassTable:
    """Class table of at least one column, in which records belong to one class each."""
    check_partition(policy_of(data, missing))
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    check_some_columns(classes.quasi_identifiers)
    return classes


@by_kind()
def unique_records(classes: Any, most: int, progress: bool) -> dict[tuple[int, ...], int]:
    """Records that each subset of up to so many columns singles out.

    A row that is alone stays alone with more columns, so it is left out further down.
    """
    table, single = classes.cells, classes.sizes == 1
    width = len(table.codes)
    stack: list[tuple[tuple[int, ...], Groups]]
    stack = [((j,), everyone(table.rows)) for j in reversed(range(width))]
    found, number = {}, subset_count(width, most)
    with tqdm(total=number, desc="subsets", delay=1, leave=False, disable=not progress) as bar:
        while stack:
            columns, groups = stack.pop()
            shared = refine(groups, table, columns[:1], keep_single=False)
            found[columns] = int(single.sum()) - int(shared.of(single).sum())
            bar.update()
            if len(columns) < most:
                stack += [((j, *columns), shared) for j in reversed(range(columns[0]))]
    return found


@by_kind()
def uniques_as_learned(classes: Any, every: pd.DataFrame) -> list[int]:
    """Unique records for the first column, the first two, and so on; `every` is known."""
    table, single = classes.cells, classes.sizes == 1
    groups, uniques = everyone(table.rows), []
    for j in range(len(table.codes)):
        groups = refine(groups, table, [j], keep_single=False)
        uniques.append(int(single.sum()) - int(groups.of(single).sum()))
    return uniques


# Every score of a row side by side


@dataclass(frozen=True, eq=False)
class PrivacyScores:
    """How much each record stands out, by several scores, and how far they agree."""

    scores: pd.DataFrame
    """Of each record: `records` that share its quasi-identifiers (fewer stands out more); row
    information gain `rig_bits`, the greatest gain `cig_bits` and the greatest surprise factor
    `csf` of a cell; special-unique score `suda`; `copula`, if a sampling fraction was given;
    and a column per outlier method. Index of the data."""
    ranks: pd.DataFrame
    """Share of the records that stand out less, by each score; equal ones count half. 0.5 on
    average, near 1 for the records that stand out most."""
    correlations: pd.DataFrame
    """Spearman's rank correlations of the scores, all in the direction of standing out;
    missing where a score is the same for all records."""


def privacy_scores(
    data: pd.DataFrame,
    quasi_identifiers: Any = None,
    *,
    columns: Any = None,
    outliers: Any = ("mahalanobis", "isolation forest"),
    max_key_size: int = 3,
    fraction: float | None = None,
    rng: np.random.Generator | None = None,
    progress: bool = True,
) -> PrivacyScores:
    """Join class size, information gain, special uniques and outlier scores of each record.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table. All scores but those of outliers count equal cells, so numbers with many
        values are better binned for them (`bin_numeric`).
    quasi_identifiers : column, or list of columns
        What all scores but those of outliers look at, at least one column: names or
        positions; a name wins.
    columns : column, or list of columns, optional
        What the outlier scores look at; the quasi-identifiers by default.
    outliers : list of str, or mapping
        Methods of `outlier_scores`; or ``{method: {option: setting}}`` with any of its options
        but `columns`.
    max_key_size : int, default 3
        Of `suda_uniques`.
    fraction : float, optional
        Records over people of the population. With it, `copula` is the probability that
        nobody else of the population has the quasi-identifiers, of `copula_uniqueness`.
    rng : numpy.random.Generator, optional
        Needed by outlier methods that are random, such as "isolation forest", and with
        `fraction`.
    progress : bool
        Show a bar if the search for special uniques takes longer than a second.

    Returns
    -------
    PrivacyScores
        Scores, ranks, and rank correlations.

    Raises
    ------
    TypeError, ValueError
        As `suda_uniques` and `outlier_scores`.

    See Also
    --------
    record_class_sizes, row_information_gain, cell_surprise_factor, suda_uniques,
    outlier_scores

    References
    ----------
    .. [1] C. Spearman, *The proof and measurement of association between two things*, American
       Journal of Psychology 15(1), 1904.

    Examples
    --------
    The last record is alone, and far out as well; the third is only alone:

    >>> data = pd.DataFrame({"age": [30, 30, 31, 80], "sex": list("ffff")})
    >>> found = privacy_scores(data, ["age", "sex"], outliers=["euclidean"])
    >>> found.scores[["records", "suda", "euclidean"]].round(2)
       records  suda  euclidean
    0        2   0.0       0.59
    1        2   0.0       0.59
    2        1   1.0       0.55
    3        1   1.0       1.73
    >>> round(float(found.correlations.loc["suda", "euclidean"]), 2)
    0.0
    """
    data = table_of(data)
    positions = check_quasi_identifiers(check_table(data), quasi_identifiers)
    check_some_columns(positions)
    known = data.iloc[:, positions].set_axis(range(len(positions)), axis=1)
    classes = partition(known, list(known.columns), "category")
    methods = outlier_methods(outliers, rng)
    special = suda_uniques(classes, max_key_size=max_key_size, progress=progress)
    factors = information_factors(known)
    found = {
        "records": classes.per_record(classes.sizes),
        "rig_bits": factors.rig,
        "cig_bits": factors.cig.max(axis=1),
        "csf": factors.csf.max(axis=1),
        "suda": special.scores,
    }
    if fraction is not None:
        from .copula import copula_uniqueness  # which loads scipy

        rng = check_generator(rng, "for the copula")
        copula = copula_uniqueness(classes, fraction=fraction, rng=rng, progress=progress)
        found["copula"] = copula.records["uniqueness"]
    judged = known
    if columns is not None:
        judged = data.iloc[:, check_columns(data, columns, "columns")]
    for method, options in methods.items():
        found[method] = outlier_scores(judged, method, **options)
    scores = pd.DataFrame(found, index=data.index)
    upward = scores.astype(float).assign(records=lambda table: -table["records"])
    ranks = (upward.rank() - 0.5) / upward.count()
    return PrivacyScores(scores, ranks, upward.corr(method="spearman"))


# One score of a row


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
    from .copula import copula_uniqueness  # both load scipy, which nothing else here needs
    from .population import individual_risk

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
