"""Special uniques (SUDA): minimal sample uniques and their scores.

If a record is unique in a set of columns, but in no smaller part of the set, the set is a
*minimal sample unique* (MSU) of the record, here called a key. Records with many short keys
are special: they stand out whichever of their cells an attacker knows. This module also has
the search over all sets of columns.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_number, check_table
from .._codes import Groups, encode, everyone, split
from .._typing import BoolArray, Columns, IntArray, Table
from ..classes import ClassTable, class_tables

MOST_SUBSETS = 100_000  # of columns that are searched
Key = tuple[int, ...]  # places of columns among the quasi-identifiers


@dataclass(frozen=True, eq=False)
class SudaUniques:
    """Special-unique scores of records, and the keys behind them; smaller is safer.

    The result of `suda_uniques`.

    Attributes
    ----------
    scores : Series of shape (n_records,)
        Score of each record: 0 if no set of up to `max_key_size` columns singles it out,
        missing for records that a class table leaves out. Index of the data.
    attributes : Series of shape (n_columns,)
        Share of the scores of all records together that comes from keys with each column. A
        key counts for each of its columns, so the shares may add up to more than 1.
    keys : DataFrame of shape (n_keys, 4)
        For each set of columns that is a key of at least one record: its `columns`, its
        `size`, its `points`, and how many `records` have this key.
    uniques, in_pairs : int
        Records that are unique in all columns together, and records that share them with
        exactly one other record.
    """

    scores: pd.Series
    attributes: pd.Series
    keys: pd.DataFrame
    uniques: int
    in_pairs: int


def suda_uniques(
    data: Table, quasi_identifiers: Columns = None, *, max_key_size: int = 3
) -> SudaUniques:
    r"""Score records by the small sets of columns that single them out (SUDA2-style).

    A key of a record is a set of columns in which the record is unique, but in no proper
    subset. With q columns and keys of up to :math:`m < q` columns, a key of k columns brings

    .. math:: \prod_{i=k}^{m} (q - i)

    points, the number of ways to add one column after the other until there are m + 1; for
    m = q the product ends at q - 1. The score of a record is the sum over its keys.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        Categorical cells; bin numbers first if an attacker knows them only roughly. A missing
        cell is a value of its own; pass a `class_table` for another treatment.
    quasi_identifiers : column, or list of columns
        What the attacker may know, at least one column: names or positions; a name wins.
    max_key_size : int, default 3
        Most columns of a key; a number above q means q. Work and memory grow with the number
        of sets of columns.

    Returns
    -------
    SudaUniques
        Scores (smaller is safer), keys, and the share of each column.

    Notes
    -----
    The result is exact: it equals that of grouping by each set of columns, but rows that are
    unique in a set are not grouped again for its supersets. Without a limit, a key brings (q -
    k)! points, as in sdcMicro (which has no limit and does not treat a missing cell as a
    value). ARX ends the product at m - 1. Either differs from the formula above by a factor
    that all keys share, so ranks and contributions are the same. Older sdcMicro scored
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
    table, keys, facts = _keys(data, quasi_identifiers, max_key_size)
    scores = np.zeros(len(table.size))
    for classes, points in zip(keys.values(), facts["points"], strict=True):
        scores[classes] += points
    total = facts["points"] * facts["records"]
    parts = [total[[j in columns for columns in keys]].sum() for j in range(len(table.known))]
    names = pd.Index(table.quasi_identifiers, tupleize_cols=False)
    return SudaUniques(
        scores=table.per_record(scores, "score"),
        attributes=pd.Series(parts, names, dtype=float) / max(scores.sum(), 1),
        keys=facts,
        uniques=int((table.size == 1).sum()),
        in_pairs=2 * int((table.size == 2).sum()),
    )


def minimal_sample_uniques(
    data: Table, quasi_identifiers: Columns = None, *, max_key_size: int = 3
) -> pd.DataFrame:
    """List every key of every record: the minimal sets of columns that single it out.

    Parameters
    ----------
    data, quasi_identifiers, max_key_size
        As for `suda_uniques`.

    Returns
    -------
    DataFrame of shape (n_keys, 4)
        A row per record and key, in the order of the records and then by size: `position` of
        the record in `data`, the `key` (a tuple of columns), its `size`, and the `points` it
        brings. Indexed by the record's label; fewer and longer keys are safer.

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
    table, keys, facts = _keys(data, quasi_identifiers, max_key_size)
    classes = np.concatenate([np.empty(0, int), *keys.values()])
    found = facts.rename(columns={"columns": "key"}).loc[facts.index.repeat(facts["records"])]
    del found["records"]
    found.insert(0, "position", table.first[classes])
    found = found.set_axis(table.data.index[found["position"]])
    return found.iloc[np.argsort(found["position"], kind="stable")]  # then by size


def dis_suda_scores(found: SudaUniques, *, fraction: float) -> pd.Series:
    r"""Turn special-unique scores into matching risks: estimated, from the sampling fraction.

    An attacker who matches a unique record of a simple random sample with a person of the
    same values is right with probability about

    .. math:: d = \frac{\pi U}{\pi U + (1-\pi) P}

    for a fraction :math:`\pi`, U unique records and P records in pairs. The scores
    :math:`s_i` spread this average: with :math:`e = 1 + (8 - q)/20` for q columns,

    .. math:: d_i = \left(1 + \frac{U/d - U}{s_i^e \sum_j s_j^{-e}}\right)^{-1} .

    The method assumes simple random sampling, and that pairs in the sample represent pairs in
    the population. The way of spreading is a convention: the harmonic mean of the :math:`d_i`
    is d if every unique record has a key within the limit.

    Parameters
    ----------
    found : SudaUniques
        Result of `suda_uniques`.
    fraction : float
        Records divided by people in the population, above 0 and up to 1.

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
    share = check_fraction(fraction)
    score, exponent = found.scores.astype(float), 1 + (8 - len(found.attributes)) / 20
    odds = (1 - share) * found.in_pairs / share  # U/d - U
    spread = score**exponent * (score[score > 0] ** -exponent).sum()
    risks = spread / (spread + odds)
    return risks.where(score != 0, 0.0).rename("dis_suda")


def _keys(
    data: Table, quasi_identifiers: Columns, max_key_size: Any
) -> tuple[ClassTable, dict[Key, IntArray], pd.DataFrame]:
    """Classes, the single-record classes of each key, and a row for each key.

    A set in which a record is unique is a key if the record is unique in no subset with one
    column less.
    """
    table = sample_classes(data, quasi_identifiers)
    width = len(table.known)
    most = largest_size(max_key_size, "max_key_size", width)
    alone: dict[Key, BoolArray] = {(): np.zeros(len(table.size), bool)}
    keys: dict[Key, IntArray] = {}
    for columns, mask, _ in each_subset(table, most):
        if len(columns) < most:
            alone[columns] = mask
        found = np.flatnonzero(mask & (table.size == 1))
        for part in itertools.combinations(columns, len(columns) - 1):
            found = found[~alone[part][found]]
        if len(found):
            keys[columns] = found
    keys = dict(sorted(keys.items(), key=lambda key: (len(key[0]), key[0])))
    last = min(most, width - 1)
    ways = [math.prod(width - i for i in range(len(key), last + 1)) for key in keys]
    facts = {
        "columns": pd.Series([named(table, columns) for columns in keys], dtype=object),
        "size": pd.Series(map(len, keys), dtype=int),
        "points": pd.Series(ways, dtype=float),
        "records": pd.Series(map(len, keys.values()), dtype=int),
    }
    return table, keys, pd.DataFrame(facts)


# Classes of a sample, and all sets of their columns


def sample_classes(data: Table, quasi_identifiers: Columns) -> ClassTable:
    """Classes of the records by at least one column; different cells never match."""
    if not isinstance(data, ClassTable):
        data = check_table(data)
    (table,) = class_tables(data, quasi_identifiers)
    if not table.known:
        raise ValueError("quasi_identifiers must name at least one column; got none.")
    # Records are counted; weights and people of the class table are ignored.
    return replace(table, size=np.bincount(table.ids[table.ids >= 0]))


def named(table: ClassTable, columns: Key) -> tuple[Any, ...]:
    """Names of a set of the quasi-identifiers."""
    return tuple(table.quasi_identifiers[j] for j in columns)


def class_cells(table: ClassTable) -> list[tuple[IntArray, pd.Index]]:
    """For each quasi-identifier, the code of each class and the values."""
    return [encode(table.data.iloc[table.first, j]) for j in table.known]


def check_fraction(fraction: Any) -> float:
    """Return a sampling fraction; it must be known, so there is no default."""
    return float(check_number(fraction, "fraction", "(0, 1]", "records over people"))


def largest_size(limit: Any, argument: str, columns: int) -> int:
    """Limit on the columns of a subset; a limit above their number means all columns."""
    limit = check_number(limit, argument, "[1, inf)", "columns of a subset", whole=True)
    most: int = min(limit, columns)
    subsets = sum(math.comb(columns, size) for size in range(1, most + 1))
    if subsets > MOST_SUBSETS:
        raise ValueError(
            f"{columns} columns have {subsets:,} subsets of up to {most} columns, more than"
            f" {MOST_SUBSETS:,}; set a smaller {argument}, such as 3."
        )
    return most


# Columns, the classes that are unique in them, and the groups of the other classes
Subset = tuple[Key, BoolArray, Groups]


def each_subset(table: ClassTable, most: int) -> Iterator[Subset]:
    """Group the classes by each set of up to `most` columns.

    A class that is unique stays unique with more columns, so `split` leaves it out and larger
    sets take less work. Read as a binary number, a set is greater than each of its subsets.
    Sets come in the order of these numbers, so all subsets come before a set.
    """
    cells = class_cells(table)

    def with_more(columns: Key, groups: Groups) -> Iterator[Subset]:
        for j in range(columns[0] if columns else len(cells)):
            codes, values = cells[j]
            shared = split(groups, [codes], [len(values)])
            alone = np.ones(len(table.size), bool)
            alone[shared.rows] = False
            yield (j, *columns), alone, shared
            if len(columns) + 1 < most:
                yield from with_more((j, *columns), shared)

    return with_more((), everyone(len(table.size)))
