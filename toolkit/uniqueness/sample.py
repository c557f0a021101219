"""Uniqueness in the sample: records that a few columns single out, and scores of records.

A record is *unique* in some columns if no other record has the same values there. This module
counts unique records, column by column and over all subsets of columns, and puts all scores of
a record side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_columns, check_table
from .._typing import Columns, Table
from ..classes import class_tables
from ..disclosure.identity import record_class_sizes
from ..information.pif import information_factors
from . import suda
from .outliers import outlier_scores

# Records that some columns single out


def sample_uniqueness(
    data: Table, quasi_identifiers: Columns = None, *, missing: str = "category"
) -> pd.DataFrame:
    """Whether each record is unique in its quasi-identifiers, and how many records share them.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        See `class_table`.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins. With an empty list, all
        records are in one class.
    missing : {"category", "drop", "wildcard"}
        How a missing quasi-identifier is treated: as a value of its own, by leaving the record
        out, or as a match for any value.

    Returns
    -------
    DataFrame of shape (n_records, 2)
        `records`, the number of records with the same quasi-identifiers, itself included
        (larger is safer), and `unique`, whether the record is the only one. Index of `data`;
        missing for records left out.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"]}, index=[7, 8, 9])
    >>> sample_uniqueness(data, "town")
       records  unique
    7        2   False
    8        2   False
    9        1    True
    """
    sizes = record_class_sizes(data, quasi_identifiers, missing=missing)
    return pd.DataFrame({"records": sizes, "unique": sizes == 1})


def unique_share(
    data: Table, quasi_identifiers: Columns = None, *, missing: str = "category"
) -> float:
    r"""Share of the records that are unique in their quasi-identifiers.

    With :math:`n_c` records in class :math:`c` and n in all,
    :math:`\frac1n \sum_c [n_c = 1]`.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `sample_uniqueness`. The share is the mean of its column `unique` over the
        records that are not left out.

    Returns
    -------
    float
        Share from 0 to 1; smaller is safer.

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
    unique = records = 0
    for table in class_tables(data, quasi_identifiers, missing=missing):
        unique += int((table.alike == 1).sum())
        records += int(table.size.sum())
    return unique / records


def subset_uniqueness(
    data: Table, quasi_identifiers: Columns = None, *, max_size: int | None = None
) -> pd.DataFrame:
    """Number of records that each subset of the quasi-identifiers singles out, and its k.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        See `class_table`. A missing cell is a value of its own; pass a `class_table` for
        another treatment.
    quasi_identifiers : column, or list of columns
        At least one.
    max_size : int, optional
        Take subsets of up to this many columns; all of them by default. There are 2^q - 1
        subsets of q columns, so the work doubles with each further column.

    Returns
    -------
    DataFrame of shape (n_subsets, 5)
        `columns`, a tuple in the order of `quasi_identifiers`; `size`, the number of columns;
        `unique`, the number of records they single out, and `share`, their share of all
        records (smaller is safer); and `k`, the size of the smallest class (larger is safer).
        Ordered by size, then by columns.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"], "sex": ["f", "m", "m"]})
    >>> subset_uniqueness(data, ["town", "sex"]).round(2)
           columns  size  unique  share  k
    0      (town,)     1       1   0.33  1
    1       (sex,)     1       1   0.33  1
    2  (town, sex)     2       3   1.00  1
    """
    table = suda.sample_classes(data, quasi_identifiers)
    width, records, n = len(table.known), table.size, int(table.size.sum())
    most = suda.largest_size(width if max_size is None else max_size, "max_size", width)
    found = {}
    for columns, alone, shared in suda.each_subset(table, most):
        together = np.bincount(shared.ids, records[shared.rows])
        smallest = min(records[alone].min(initial=n), together.min(initial=n))
        found[columns] = int((records[alone] == 1).sum()), int(smallest)
    sets = sorted(found, key=lambda columns: (len(columns), columns))
    unique, k = np.array([found[columns] for columns in sets]).T
    names = pd.Series([suda.named(table, columns) for columns in sets], dtype=object)
    numbers = {"size": [*map(len, sets)], "unique": unique, "share": unique / n, "k": k}
    return pd.DataFrame({"columns": names, **numbers})


def uniqueness_curve(
    data: Table, quasi_identifiers: Columns = None, *, max_size: int | None = None
) -> pd.DataFrame:
    """Share of unique records as an attacker learns more columns.

    A unique record stays unique when the attacker learns a further column, so the shares never
    fall.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        As for `sample_uniqueness`.
    quasi_identifiers : column, or list of columns
        At least one, in the order in which the attacker learns them.
    max_size : int, optional
        Look at all subsets of up to this many columns; by default of any number. The shares
        in the order of the columns do not depend on it.

    Returns
    -------
    DataFrame of shape (n_columns, 6)
        For each number of known columns (the index): the column `added` last, the `share` of
        unique records with the columns so far, the number of `subsets` with as many columns,
        and the `mean`, `min` and `max` of their shares, missing beyond `max_size`. Smaller is
        safer; `max` is the share for the best informed attacker.

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
    table = suda.sample_classes(data, quasi_identifiers)
    cells = pd.DataFrame({j: codes for j, (codes, _) in enumerate(suda.class_cells(table))})
    width, single, shares = cells.shape[1], table.size == 1, []
    for m in range(1, width + 1):
        alone = ~cells.iloc[:, :m].duplicated(keep=False) & single
        shares.append(int(alone.sum()) / int(table.size.sum()))
    found = pd.DataFrame(index=pd.RangeIndex(1, width + 1, name="columns"))
    found["added"] = pd.Series(table.quasi_identifiers, found.index, dtype=object)
    found["share"] = shares
    found["subsets"] = [math.comb(width, m) for m in found.index]
    subsets = subset_uniqueness(table, max_size=max_size)
    return found.join(subsets.groupby("size")["share"].agg(["mean", "min", "max"]))


# All scores of a record side by side


@dataclass(frozen=True, eq=False)
class PrivacyScores:
    """How much each record stands out, by several scores, and how far the scores agree.

    Attributes
    ----------
    scores : DataFrame of shape (n_records, n_scores)
        For each record: the number of `records` that share its quasi-identifiers (fewer stand
        out more); row information gain `rig_bits`, the greatest gain `cig_bits` and the
        greatest surprise factor `csf` of a cell; special-unique score `suda`; `copula`, if a
        sampling fraction was given; and a column per outlier method. Index of the data.
    ranks : DataFrame of the same shape
        Share of the records that stand out less, by each score; equal scores count half. The
        mean is 0.5, and records that stand out most are near 1.
    correlations : DataFrame of shape (n_scores, n_scores)
        Spearman's rank correlations of the scores, all in the direction of standing out;
        missing where a score is the same for all records.
    """

    scores: pd.DataFrame
    ranks: pd.DataFrame
    correlations: pd.DataFrame


def privacy_scores(
    data: pd.DataFrame,
    quasi_identifiers: Columns = None,
    *,
    outliers: Iterable[str] = ("mahalanobis", "isolation forest"),
    max_key_size: int = 3,
    fraction: float | None = None,
    rng: np.random.Generator | None = None,
) -> PrivacyScores:
    """Join class size, information gain, special uniques and outlier scores of each record.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table. All scores except those of outliers count equal cells, so bin numbers with
        many values first (`bin_column`).
    quasi_identifiers : column, or list of columns
        Columns for all scores, at least one: names or positions; a name wins.
    outliers : iterable of str
        Methods of `outlier_scores`, without options.
    max_key_size : int, default 3
        As for `suda_uniques`.
    fraction : float, optional
        Records divided by people in the population. If it is given, `copula` is the
        probability, by `copula_uniqueness`, that nobody else in the population has the
        quasi-identifiers.
    rng : numpy.random.Generator, optional
        Needed by outlier methods that are random, such as "isolation forest", and with
        `fraction`.

    Returns
    -------
    PrivacyScores
        Scores, ranks, and rank correlations. A large class is safer, and so is a small value
        of every other score.

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
    The last record is unique and far from the others; the third is only unique:

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
    data = check_table(data)
    known = data.iloc[:, check_columns(data.columns, quasi_identifiers, "quasi_identifiers")]
    factors = information_factors(known)
    special = suda.suda_uniques(data, quasi_identifiers, max_key_size=max_key_size)
    found = {
        "records": record_class_sizes(data, quasi_identifiers),
        "rig_bits": factors.rig,
        "cig_bits": factors.cig.max(axis=1),
        "csf": factors.csf.max(axis=1),
        "suda": special.scores,
    }
    if fraction is not None:
        from .copula import copula_uniqueness  # loads scipy

        chance: Any = {"fraction": fraction, "rng": rng}
        copula = copula_uniqueness(data, quasi_identifiers, **chance)
        found["copula"] = copula.records["uniqueness"]
    for method in outliers:
        found[method] = outlier_scores(known, method, rng=rng)
    scores = pd.DataFrame(found, index=data.index)
    upward = scores.astype(float).assign(records=lambda table: -table["records"])
    ranks = (upward.rank() - 0.5) / upward.count()
    return PrivacyScores(scores, ranks, upward.corr(method="spearman"))
