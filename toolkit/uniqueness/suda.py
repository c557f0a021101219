"""Special uniques (SUDA): minimal sample uniques and their scores.

A record that is alone in a set of columns, but in no smaller part of the set, has there a
*minimal sample unique*, here called a key. Records with many and short keys are special: they
stand out whatever part of them an attacker knows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import Encoded, Groups, as_objects, everyone, refine
from .._old.classes import EquivalenceClasses, as_classes
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import check_fraction, check_instance, check_partition, check_whole

CELLS_PER_ROW = 8
"""Where groups are not renumbered, a counting table pays up to this many cells per row."""


FEW = 8
"""One row in so many is few."""


MOST_SUBSETS = 100_000
"""Subsets of columns that are looked at without being asked for expressly."""


@dataclass(frozen=True, eq=False)
class SudaUniques:
    """Special-unique scores of records, and what they are made of; smaller is safer.

    Made by `suda_uniques`. Series and DataFrames by record carry the index of the data and
    lack a number for records that are left out.
    """

    scores: pd.Series
    """Score of each record: 0 for one that no set of up to `max_key_size` columns singles
    out."""
    key_counts: pd.DataFrame
    """How many keys of each size (the columns) each record has."""
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
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
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

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, a column is not there, or there are more than 100,000 sets.

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
    classes = partition(data, quasi_identifiers, missing)
    most = largest_key(max_key_size, "max_key_size", len(classes.codes))
    width, n = len(classes.codes), len(classes.ids)
    found = _find_keys(classes, most, progress)
    points = key_points(width, most)[found.sizes - 1]
    scores = np.bincount(found.rows, points[found.sets], n)
    counts, parts = np.zeros((n, most), np.int64), np.zeros((n, width))
    for size in range(1, most + 1):
        counts[:, size - 1] = np.bincount(found.rows[found.sizes[found.sets] == size], None, n)
    for j in range(width):
        some = np.array([j in columns for columns in found.columns], bool)[found.sets]
        parts[:, j] = np.bincount(found.rows[some], points[found.sets[some]], n)
    overall = parts.sum(axis=0) / max(scores.sum(), 1)  # a key brings at least a point
    parts /= np.maximum(scores, 1)[:, None]
    names = pd.Index(classes.quasi_identifiers, tupleize_cols=False)
    sizes = pd.RangeIndex(1, most + 1, name="key_size")
    return SudaUniques(
        scores=_by_record(classes, scores[:, None], pd.Index(["score"]))["score"],
        key_counts=_by_record(classes, counts, sizes),
        contributions=_by_record(classes, parts, names),
        attributes=pd.Series(overall, index=names),
        keys=_key_table(classes, found, points),
        max_key_size=most,
        uniques=int(np.count_nonzero(classes.sizes == 1)),
        in_pairs=2 * int(np.count_nonzero(classes.sizes == 2)),
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

    Raises
    ------
    TypeError, ValueError
        As `suda_uniques`.

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
    classes = partition(data, quasi_identifiers, missing)
    most = largest_key(max_key_size, "max_key_size", len(classes.codes))
    found = _find_keys(classes, most, progress)
    order = np.argsort(found.rows, kind="stable")  # of the sets by size, within a record
    position, sets = found.rows[order], found.sets[order]
    keys = pd.Index(_names(classes, found.columns), tupleize_cols=False)
    named: Any = pd.Categorical.from_codes(sets, keys) if keys.is_unique else keys[sets]
    table = {
        "position": position,
        "key": named,
        "size": found.sizes[sets],
        "points": key_points(len(classes.codes), most)[found.sizes[sets] - 1],
    }
    return pd.DataFrame(table, index=classes.index[position])


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

    Raises
    ------
    TypeError, ValueError
        If `found` is something else, or `fraction` is no fraction.

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


def largest_key(number: Any, argument: str, columns: int) -> int:
    """Return the largest size of a key; more than there are columns means all of them."""
    size = check_whole(number, argument, 1, 1000, "the most columns that a key may have")
    most = min(size, columns)
    subsets = subset_count(columns, most)
    if subsets > MOST_SUBSETS:
        raise ValueError(
            f"{columns} columns have {subsets:,} subsets of up to {most} columns, more than"
            f" {MOST_SUBSETS:,}; set a smaller limit, such as 3."
        )
    return most


def subset_count(columns: int, most: int) -> int:
    """How many subsets of up to so many columns there are."""
    return sum(math.comb(columns, size) for size in range(1, most + 1))


def partition(data: Any, quasi_identifiers: Any, missing: str) -> EquivalenceClasses:
    """Class table of at least one column, in which records belong to one class each."""
    classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
    check_partition(classes.missing)
    check_some_columns(classes.quasi_identifiers)
    return classes


def check_some_columns(names: Collection[object]) -> None:
    """Refuse to look for keys among no columns."""
    if not names:
        raise ValueError(
            "quasi_identifiers must name at least one column; got none, which single nobody"
            " out."
        )


def _by_record(classes: EquivalenceClasses, numbers: Any, names: pd.Index) -> pd.DataFrame:
    """Label numbers of the records; those that are left out have none."""
    found = pd.DataFrame(numbers, index=classes.index, columns=names, copy=False)
    if classes.dropped + classes.suppressed == 0:
        return found
    nullable: Any = "Int64" if numbers.dtype.kind == "i" else "float64"
    left_out = np.broadcast_to((classes.ids < 0)[:, None], found.shape)
    return found.astype(nullable).mask(left_out)


def _key_table(classes: EquivalenceClasses, found: _Keys, points: FloatArray) -> pd.DataFrame:
    """Sets of columns that are keys, and how many records have them."""
    table = pd.DataFrame({"size": found.sizes, "points": points})
    table.insert(0, "columns", _names(classes, found.columns))
    table["records"] = np.bincount(found.sets, minlength=len(table))
    return table


def _names(classes: EquivalenceClasses, sets: list[tuple[int, ...]]) -> AnyArray:
    """Names of the columns in each set, as cells."""
    names = classes.quasi_identifiers
    return as_objects([tuple(names[j] for j in columns) for columns in sets])


# The search


class _Keys(NamedTuple):
    """Sets of columns that are keys, by size, and who has them: a row and a set at a time."""

    columns: list[tuple[int, ...]]
    sizes: IntArray
    rows: IntArray
    sets: IntArray


def _find_keys(classes: EquivalenceClasses, most: int, progress: bool) -> _Keys:
    """Find the keys of all records."""
    row_of = np.zeros(len(classes.sizes), np.int32)
    kept = np.flatnonzero(classes.ids >= 0)
    row_of[classes.ids[kept]] = kept
    every = _minimal_keys(classes, most, progress)
    holders = {columns: row_of[found] for columns, found in every if len(found)}
    sets = sorted(holders, key=lambda columns: (len(columns), columns))
    return _Keys(
        sets,
        np.array([len(columns) for columns in sets], int),
        np.concatenate([np.empty(0, np.int32), *(holders[columns] for columns in sets)]),
        np.repeat(np.arange(len(sets)), [len(holders[columns]) for columns in sets]),
    )


def _minimal_keys(
    classes: EquivalenceClasses, most: int, progress: bool
) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Sets of columns, and the classes of one record of which each is a key.

    Read as a binary number, a set is greater than each of its subsets, and sets come in the
    order of these numbers; so whoever is alone in a subset is known before.
    """
    n, width = len(classes.sizes), len(classes.codes)
    order = sorted(range(width), key=lambda j: len(classes.values[j]))
    alone_in: dict[tuple[int, ...], AnyArray] = {}
    shown: Any = {"desc": "column sets", "delay": 1, "leave": False, "disable": not progress}
    with tqdm(total=subset_count(width, most), **shown) as bar:
        for level in _levels(classes, order):
            for columns, rows in _each_set(level, most):
                if len(columns) < most:
                    alone = np.zeros(n, bool)
                    alone[rows] = True
                    alone_in[columns] = np.packbits(alone) | alone_in.get(columns[1:], 0)
                # Minimal means unique in no subset of one column less. `packbits` puts row r
                # into byte r >> 3, the first row in its highest bit, so that its bit is number
                # `~r & 7`, counted from the lowest: a set takes n / 8 bytes, and a test reads
                # the bytes of the remaining rows only.
                for left_out in columns if len(columns) > 1 else ():
                    smaller = alone_in[tuple(j for j in columns if j != left_out)]
                    rows = rows[smaller[rows >> 3] >> (~rows & 7) & 1 == 0]
                yield tuple(sorted(order[j] for j in columns)), rows
                bar.update()


class _Level(NamedTuple):
    """The different rows that the first few columns leave."""

    table: Encoded
    of_class: IntArray
    """A class that each row stands for."""
    single: BoolArray
    """Whether it stands for one record only."""


def _levels(classes: EquivalenceClasses, order: list[int]) -> list[_Level]:
    """Rows of the first column of an order, of the first two, and so on.

    Sets of columns that do without the last, most varied ones have fewer rows to be grouped.
    """
    codes, values = [classes.codes[j] for j in order], [classes.values[j] for j in order]
    of_class, records = np.arange(len(classes.sizes)), classes.sizes
    levels = []
    for width in range(len(order), 0, -1):
        table = Encoded(codes[:width], values[:width], len(of_class))
        levels.append(_Level(table, of_class, records == 1))
        if width > 1:
            groups = refine(everyone(table.rows), table, range(width - 1), keep_single=True)
            first = np.empty(groups.count, np.int64)
            first[groups.ids] = np.arange(table.rows)
            records = np.bincount(groups.ids, records, groups.count)
            of_class, codes = of_class[first], [column[first] for column in codes[:width]]
    return levels[::-1]


def _each_set(level: _Level, most: int) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Sets that end with the last column of a level, and who is alone there.

    A record that is alone with fewer columns may be left out.
    """
    table = level.table
    first: tuple[int, ...] = (len(table.codes) - 1,)
    stack = [(first, everyone(table.rows))]
    while stack:
        columns, groups = stack.pop()
        rows, groups = _split(groups, table, columns[0], last=len(columns) == most)
        yield columns, level.of_class[rows[level.single[rows]]]
        if len(columns) < most:
            stack += [((j, *columns), groups) for j in reversed(range(columns[0]))]


def _split(groups: Groups, table: Encoded, j: int, *, last: bool) -> tuple[IntArray, Groups]:
    """Rows that one more column leaves alone, and the groups it makes.

    A row that is alone stays alone with more columns. Where they are many, they are dropped;
    where they are few, it is cheaper to take them along, and not to renumber the groups.
    """
    rows, size = groups.rows, len(table.values[j])
    radix = groups.count * size
    if radix <= max(CELLS_PER_ROW * groups.ids.size, 1 << 12):
        key = groups.ids.astype(np.intp)
        key *= size
        key += table.codes[j] if rows is None else table.codes[j].take(rows)
        here = np.flatnonzero((np.bincount(key, minlength=radix) == 1).take(key))
        if last or FEW * here.size <= key.size:
            return here if rows is None else rows[here], Groups(rows, key, radix)
    shared = refine(groups, table, [j], keep_single=False)
    gone = np.zeros(table.rows, bool)
    gone[groups.rows_or_all] = True
    gone[shared.rows_or_all] = False
    return np.flatnonzero(gone), shared
