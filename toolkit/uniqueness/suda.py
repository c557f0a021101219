"""Special uniques (SUDA): minimal sample uniques and their scores.

A record that is alone in a set of columns, but in no smaller part of the set, has there a
*minimal sample unique*, here called a key. Records with many and short keys are special: they
stand out whatever part of them an attacker knows.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_fraction, check_instance
from ._rows import DistinctRows, distinct_rows, each_subset, largest_size


@dataclass(frozen=True, eq=False)
class SudaUniques:
    """Special-unique scores of records, and what they are made of; smaller is safer.

    Made by `suda_uniques`. Series and DataFrames by record carry the index of the data and
    lack a number for records that are left out.
    """

    scores: pd.Series
    """Score of each record: 0 for one that no set of up to `max_key_size` columns singles
    out."""
    contributions: pd.DataFrame
    """Share of a record's score that is of keys with each column, 0 where the score is 0. A
    key counts for each of its columns, so the shares add up to more than 1."""
    attributes: pd.Series
    """The same share of the scores of all records together, for each column."""
    keys: pd.DataFrame
    """For each set of columns that is a key of any record: its `columns`, its `size`, its
    `points`, and how many `records` have this key."""
    max_key_size: int
    """Most columns of a key."""
    uniques: int
    """Records that are alone if all columns are known."""
    in_pairs: int
    """Records that share all columns with exactly one other."""


def suda_uniques(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    max_key_size: int = 3,
    missing: str = "category",
    progress: bool = True,
) -> SudaUniques:
    r"""Score records by the small sets of columns that single them out (SUDA2-style).

    A key of a record is a set of columns in which it is alone, and in no proper part of which
    it is. With q columns and keys of up to :math:`m < q` columns, a key of k columns brings

    .. math:: \prod_{i=k}^{m} (q - i)

    points, the number of ways to add one column after the other until there are m + 1; for
    m = q the product ends at q - 1. The score of a record is the sum over its keys.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        Categorical cells; bin numbers first where an attacker knows them roughly only.
    quasi_identifiers : column, or list of columns
        What the attacker may know, at least one column: names or positions; a name wins.
    max_key_size : int, default 3
        Most columns of a key; beyond q it means q. Work and memory grow with the number of
        sets of columns.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, or a reason to leave the record out.
    progress : bool
        Show a bar if it takes longer than a second.

    Returns
    -------
    SudaUniques
        Scores (smaller is safer), keys, and the contribution of each column.

    Notes
    -----
    The result is exact: it is that of grouping by each set of columns, but rows that are
    alone in a set are not grouped again for its supersets. Without a limit a key brings
    (q - k)! points, as in sdcMicro (which knows no limit and takes a missing cell for no
    value at all). ARX ends the product at m - 1. Either differs from the formula above by a
    factor that all keys share, so ranks and contributions are the same. Older sdcMicro scored
    :math:`(2^{q-k} - 1)\, k!\, (q-k)! / q!` instead.

    References
    ----------
    .. [1] M. J. Elliot, A. M. Manning and R. W. Ford, *A computational algorithm for handling
       the special uniques problem*, International Journal of Uncertainty, Fuzziness and
       Knowledge-Based Systems 10(5), 2002.
    .. [2] A. M. Manning, D. J. Haglin and J. A. Keane, *A recursive search algorithm for
       statistical disclosure assessment*, Data Mining and Knowledge Discovery 16, 2008.

    Examples
    --------
    The second record has the keys b and c, of (3 - 1)(3 - 2) = 2 points each; the third has
    a with b and a with c, of one point each:

    >>> data = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = suda_uniques(data, ["a", "b", "c"])
    >>> found.scores.tolist()
    [2.0, 4.0, 2.0]
    >>> found.attributes.to_dict()
    {'a': 0.5, 'b': 0.375, 'c': 0.375}
    """
    rows = distinct_rows(data, quasi_identifiers, missing)
    width, n = len(rows.codes), len(rows.records)
    most = largest_size(max_key_size, "max_key_size", width)
    keys = find_keys(rows, most, progress)
    holds = np.zeros((len(keys.columns), width), bool)
    for number, columns in enumerate(keys.columns):
        holds[number, list(columns)] = True
    sizes = holds.sum(axis=1)
    points = key_points(width, most)[sizes - 1]
    scores = np.bincount(keys.rows, points[keys.sets], n)
    parts = np.empty((n, width))
    for j in range(width):
        parts[:, j] = np.bincount(keys.rows, (points * holds[:, j])[keys.sets], n)
    shares = parts / np.maximum(scores, 1)[:, None]  # a key brings at least a point
    names = pd.Index(rows.names, tupleize_cols=False)
    table = pd.DataFrame({"size": sizes, "points": points})
    table.insert(0, "columns", pd.Series(map(rows.named, keys.columns), dtype=object))
    table["records"] = np.bincount(keys.sets, minlength=len(table))
    cells = shares[rows.row_of]
    cells[rows.row_of < 0] = np.nan
    return SudaUniques(
        scores=rows.per_record(scores, "score"),
        contributions=pd.DataFrame(cells, rows.index, names),
        attributes=pd.Series(parts.sum(axis=0) / max(scores.sum(), 1), index=names),
        keys=table,
        max_key_size=most,
        uniques=int((rows.records == 1).sum()),
        in_pairs=2 * int((rows.records == 2).sum()),
    )


def minimal_sample_uniques(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    max_key_size: int = 3,
    missing: str = "category",
    progress: bool = True,
) -> pd.DataFrame:
    """List every key of every record: the least sets of columns that single it out.

    Parameters
    ----------
    data, quasi_identifiers, max_key_size, missing, progress
        As for `suda_uniques`.

    Returns
    -------
    DataFrame of shape (n_keys, 4)
        A row per record and key, in the order of the records and then by size: `position` of
        the record in `data`, the `key` (a tuple of columns; a category, unless columns share
        a name), its `size`, and the `points` it brings. Indexed by the record's label; fewer
        and longer keys are safer.

    References
    ----------
    .. [1] A. M. Manning, D. J. Haglin and J. A. Keane, *A recursive search algorithm for
       statistical disclosure assessment*, Data Mining and Knowledge Discovery 16, 2008,
       section 2.

    Examples
    --------
    >>> data = pd.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0]})
    >>> minimal_sample_uniques(data, ["a", "b"])
       position     key  size  points
    0         0    (a,)     1     1.0
    1         1    (b,)     1     1.0
    2         2  (a, b)     2     1.0
    """
    rows = distinct_rows(data, quasi_identifiers, missing)
    most = largest_size(max_key_size, "max_key_size", len(rows.codes))
    keys = find_keys(rows, most, progress)
    record = np.empty(len(rows.records), int)  # of each distinct row; of a single one, its own
    record[rows.row_of[rows.row_of >= 0]] = np.flatnonzero(rows.row_of >= 0)
    position = record[keys.rows]
    sizes = np.array([len(columns) for columns in keys.columns], int)[keys.sets]
    named = pd.Index(
        pd.Series(map(rows.named, keys.columns), dtype=object), tupleize_cols=False
    )
    cells: Any = named[keys.sets]
    table = {
        "position": position,
        "key": pd.Categorical.from_codes(keys.sets, named) if named.is_unique else cells,
        "size": sizes,
        "points": key_points(len(rows.codes), most)[sizes - 1],
    }
    found = pd.DataFrame(table, index=rows.index[position])
    return found.iloc[np.argsort(position, kind="stable")]  # sets stay ordered by size


def dis_suda_scores(found: SudaUniques, *, fraction: float) -> pd.Series:
    r"""Turn special-unique scores into matching risks: estimated, from the sampling fraction.

    An attacker who matches a unique record of a simple random sample with a person of the
    same values is right with probability about

    .. math:: d = \frac{\pi U}{\pi U + (1-\pi) P}

    for a fraction :math:`\pi`, U unique records and P records in pairs. The scores
    :math:`s_i` spread this average: with :math:`e = 1 + (8 - q)/20` for q columns,

    .. math:: d_i = \left(1 + \frac{U/d - U}{s_i^e \sum_j s_j^{-e}}\right)^{-1} .

    It assumes simple random sampling, that the pairs of the sample tell of the population's,
    and a way of spreading that is a convention: the harmonic mean of the :math:`d_i` is d
    where every unique record has a key within the limit.

    Parameters
    ----------
    found : SudaUniques
        Result of `suda_uniques`.
    fraction : float
        Records over people of the population, above 0 and up to 1.

    Returns
    -------
    Series of shape (n_records,)
        Estimated probabilities, 0 where the score is 0; smaller is safer.

    References
    ----------
    .. [1] C. J. Skinner and M. J. Elliot, *A measure of disclosure risk for microdata*,
       Journal of the Royal Statistical Society B 64(4), 2002.
    .. [2] M. Elliot, *Special uniques detection algorithm: user guide*, University of
       Manchester, 2004; as sdcMicro and ARX compute it.

    Examples
    --------
    Two of the four records are unique and two are a pair, so d = .1 x 2 / (.1 x 2 + .9 x 2):

    >>> data = pd.DataFrame({"a": [1, 2, 3, 3]})
    >>> dis_suda_scores(suda_uniques(data, "a"), fraction=0.1).round(3).tolist()
    [0.1, 0.1, 0.0, 0.0]
    """
    check_instance(found, SudaUniques, "found", "suda_uniques(...)")
    share = check_fraction(fraction)
    scored = (found.scores > 0).fillna(False).to_numpy(bool)
    risks = found.scores.rename("dis_suda") * 0.0
    if scored.any():
        exponent = 1 + (8 - len(found.attributes)) / 20
        odds = (1 - share) * found.in_pairs / (share * found.uniques)  # 1/d - 1
        score = found.scores[scored].to_numpy(float)
        spread = score**exponent * (score**-exponent).sum() / found.uniques
        risks[scored] = 1 / (1 + odds / spread)
    return risks


def key_points(columns: int, most: int) -> FloatArray:
    """Points of a key of 1, 2, … columns."""
    last, sizes = min(most, columns - 1), range(1, most + 1)
    return np.array([float(math.prod(columns - i for i in range(k, last + 1))) for k in sizes])


class Keys(NamedTuple):
    """Sets of columns that are keys, by size, and who has them: a row and a set at a time."""

    columns: list[tuple[int, ...]]
    rows: IntArray
    sets: IntArray


def find_keys(found: DistinctRows, most: int, progress: bool) -> Keys:
    """Find all keys of all rows.

    A row that is alone in a set has there a key if it is alone in no subset of one column
    less.
    """
    single = found.records == 1
    alone: dict[tuple[int, ...], BoolArray] = {(): np.zeros(len(single), bool)}
    holders: dict[tuple[int, ...], IntArray] = {}
    for columns, rows, _ in each_subset(found, most, progress):
        if len(columns) < most:
            alone[columns] = alone[columns[1:]].copy()
            alone[columns][rows] = True
        rows = rows[single[rows]]
        for part in itertools.combinations(columns, len(columns) - 1):
            rows = rows[~alone[part][rows]]
        if len(rows):
            holders[columns] = rows
    sets = sorted(holders, key=lambda columns: (len(columns), columns))
    every = np.concatenate([np.empty(0, int), *(holders[columns] for columns in sets)])
    lengths = [len(holders[columns]) for columns in sets]
    return Keys(sets, every, np.repeat(np.arange(len(sets)), lengths))
