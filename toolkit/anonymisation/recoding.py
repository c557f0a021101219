"""Recodings of columns, the information risk that is left, and the similarity that is lost.

Each treatment takes a table and returns a new one with the same rows and index; the risk it
leaves is measured afterwards, never assumed. Categories that no cell shows any more are
dropped, and so is ``attrs``: see `without_traces`. The index and the order of the rows stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from decimal import Decimal
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import Encoded, encode, everyone, factorised, refine
from .._typing import BoolArray
from .._validation import (
    _as_objects,
    check_column,
    check_columns,
    check_label,
    check_per_column,
    check_positive,
    check_table,
    check_whole,
    find_columns,
    listed,
)
from ..information.pif import (
    cell_information_gain,
    cell_surprise_factor,
    personal_information_factor,
)
from .hierarchies import check_code_length, floor_of
from .traces import one_kind, only_shown

__all__ = [
    "InformationRisk",
    "MarginalSimilarity",
    "bin_column",
    "bin_numeric",
    "drop_columns",
    "group_column",
    "group_rare_values",
    "marginal_similarity",
    "numeric_bins",
    "information_risk",
    "truncate_column",
]


def drop_columns(data: pd.DataFrame, columns: Any) -> pd.DataFrame:
    """Leave columns out; at least one must stay.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    columns : column, or list of columns
        Names or positions; a name wins.

    Returns
    -------
    DataFrame
        The other columns, with the index of `data`.

    Raises
    ------
    TypeError, ValueError
        If a column is not there, or none would stay.

    Examples
    --------
    >>> drop_columns(pd.DataFrame({"name": ["Ann"], "town": ["A"]}), "name")
      town
    0    A
    """
    gone = check_columns(check_table(data), columns, "columns")
    kept = [j for j in range(data.shape[1]) if j not in gone]
    if not kept:
        raise ValueError(f"columns names all of {listed(data.columns)}; leave at least one.")
    return only_shown(data.iloc[:, kept].copy())


def bin_numeric(data: pd.DataFrame, bins: Any) -> pd.DataFrame:
    """Put the numbers of some columns into intervals, closed on the left.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    bins : mapping or list
        ``{column: bins}``, the column by name or position (a name wins), where `bins` is a
        number of equally wide intervals or the list of their edges.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table, its binned columns ordered categories of intervals. A missing number stays
        missing. Index and columns of `data`. Intervals without a record are no categories.
        (For a Parquet file make them text: ``astype(str)``.)

    Raises
    ------
    TypeError, ValueError
        If a column is not there or not numeric, or a number lies outside of the edges.

    See Also
    --------
    numeric_bins : the report of the bins and what they hold.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 39, 40]})
    >>> bin_numeric(data, {"age": [0, 40, 80]})["age"].astype(str).tolist()
    ['[0, 40)', '[0, 40)', '[40, 80)']
    """
    return only_shown(_binned(data, bins))


def _binned(data: pd.DataFrame, bins: Any) -> pd.DataFrame:
    """The table with its binned columns, whose categories are all the intervals."""
    binned = check_table(data).copy()
    for j, setting in check_per_column(data, bins, "bins").items():
        column = check_numeric(data.iloc[:, j], data.columns[j])
        edges = _edges(column, setting, data.columns[j])
        numbers, edges = _of_one_kind(column, edges, data.columns[j])
        place = np.searchsorted(edges, numbers, side="right")
        place = np.where(column.isna(), 0, place)
        intervals = pd.IntervalIndex.from_breaks(edges, closed="left")
        binned.isetitem(j, pd.Categorical.from_codes(place - 1, intervals, ordered=True))
    return binned


def check_numeric(column: pd.Series, name: object) -> pd.Series:
    """Return a column of finite numbers, missing ones allowed."""
    kinds = pd.api.types
    numeric = kinds.is_numeric_dtype(column) and not kinds.is_complex_dtype(column)
    if not numeric or kinds.is_bool_dtype(column):
        raise TypeError(f"column {name!r} must hold numbers to be binned; got {column.dtype}.")
    known = column.dropna()
    if known.empty or not np.isfinite(known.to_numpy(dtype=float)).all():
        raise ValueError(
            f"column {name!r} must hold finite numbers to be binned; it is all missing, or"
            f" holds an infinite one."
        )
    return column


def _edges(column: pd.Series, bins: Any, name: object) -> np.ndarray:
    """Edges of bins that hold every number: the given ones, or equally wide ones."""
    low, high = column.min(), column.max()
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        number = check_whole(bins, f"bins for column {name!r}", 1, 10**6, "how many")
        wider = 0.5 if low == high else 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            edges = np.linspace(float(low) - wider, float(high) + wider, number + 1)
            # The largest number belongs to the last bin, whose upper edge is excluded.
            edges[-1] = np.nextafter(edges[-1], np.inf)
            rising = bool(np.isfinite(edges).all() and (np.diff(edges) > 0).all())
        if not rising:
            raise ValueError(
                f"column {name!r} has no room for {number} bins in [{low}, {high}]."
            )
        return edges
    try:
        edges = np.asarray(list(bins))
        whole_or_real = edges.dtype.kind in "iuf" and edges.ndim == 1 and edges.size > 1
        rising = whole_or_real and bool((np.diff(edges) > 0).all())
    except (TypeError, ValueError):
        rising = False
    if not rising:
        raise ValueError(
            f"bins for column {name!r} must be a number of bins, or at least two rising"
            f" edges; got {bins!r:.80}."
        )
    if low < edges[0] or high >= edges[-1]:
        raise ValueError(
            f"column {name!r} holds numbers from {low} to {high}, outside of the bins"
            f" [{edges[0]}, {edges[-1]}); the last edge is excluded, so set it above {high}."
        )
    return edges


def _of_one_kind(column: pd.Series, edges: np.ndarray, name: object) -> tuple[Any, Any]:
    """Numbers and edges of one kind, so that comparing them rounds nothing; missing ones 0."""
    if not pd.api.types.is_integer_dtype(column):
        return column.to_numpy(float, na_value=np.nan), edges
    known = column.dropna()
    if edges.dtype.kind == "f" and max(abs(int(known.min())), abs(int(known.max()))) > 2**53:
        raise ValueError(
            f"column {name!r} holds whole numbers beyond 2**53, which edges with a decimal"
            f" point cannot tell apart; give whole edges."
        )
    if int(known.max()) >= 2**63:
        raise ValueError(f"column {name!r} holds numbers beyond 2**63; divide them first.")
    return column.fillna(0).to_numpy().astype(np.int64), edges


def numeric_bins(data: pd.DataFrame, bins: Any) -> pd.DataFrame:
    """The intervals that `bin_numeric` makes, and how many records each holds.

    Parameters
    ----------
    data, bins
        As for `bin_numeric`.

    Returns
    -------
    DataFrame of shape (n_bins, 4)
        `column`, `left` and `right` edge (the right one excluded) and `records`, a row per
        interval, empty ones too; missing numbers in a row with missing edges.

    Raises
    ------
    TypeError, ValueError
        As `bin_numeric`.

    Examples
    --------
    >>> numeric_bins(pd.DataFrame({"age": [17, 39, 40]}), {"age": [0, 40, 80]})
      column  left  right  records
    0    age     0     40        2
    1    age    40     80        1
    """
    binned = _binned(data, bins)
    positions = list(check_per_column(data, bins, "bins"))
    if not positions:
        raise ValueError("bins names no column; give {column: number of bins, or edges}.")
    reports = []
    for j in positions:
        records = binned.iloc[:, j].value_counts(sort=False, dropna=False)
        intervals = pd.IntervalIndex(list(records.index))
        reports.append(
            pd.DataFrame(
                {
                    "column": [data.columns[j]] * len(records),
                    "left": intervals.left,
                    "right": intervals.right,
                    "records": records.to_numpy(),
                }
            )
        )
    return pd.concat(reports, ignore_index=True)


def bin_column(data: pd.DataFrame, column: Any, width: float) -> pd.DataFrame:
    """Put the numbers of a column into intervals of one width, such as decades.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    column : column
        Name or position; a name wins.
    width : float
        Width of the intervals, whose edges are its multiples.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        As `bin_numeric` returns.

    Raises
    ------
    TypeError, ValueError
        If the column is not there or not numeric, or `width` is not positive, or so small
        that it makes more than a million intervals.

    Examples
    --------
    >>> decades = bin_column(pd.DataFrame({"age": [17, 39, 40]}), "age", width=10)
    >>> decades["age"].astype(str).tolist()
    ['[10, 20)', '[30, 40)', '[40, 50)']
    """
    j = check_column(check_table(data), column, "column")
    step = check_positive(width, "width")
    numbers = check_numeric(data.iloc[:, j], data.columns[j])
    edges = _multiples(numbers.min(), numbers.max(), step)
    return bin_numeric(data, [edges if i == j else None for i in range(data.shape[1])])


def _multiples(low: float, high: float, width: float) -> np.ndarray:
    """Multiples of a width that enclose all numbers, as they are written in decimals."""
    first, last = (floor_of(number / width) for number in (low, high))
    if last - first >= 10**6:
        raise ValueError(
            f"width {width:g} makes {last - first + 1:,.0f} intervals from {low:g} to"
            f" {high:g}; take a wider one."
        )
    edges = np.arange(first, last + 2) * width
    if max(abs(low), abs(high)) >= 2**53 * min(width, 1.0):
        raise ValueError(
            f"numbers from {low:g} to {high:g} are too large to be told apart at width"
            f" {width:g}; divide them first."
        )
    digits = -int(Decimal(repr(width)).as_tuple().exponent)
    edges = np.round(edges, max(digits, 0))  # 17 x .1 is 1.7, not 1.7000000000000002
    return edges.astype(np.int64) if (edges == np.floor(edges)).all() else edges


def truncate_column(
    data: pd.DataFrame, column: Any, keep: int, *, digits: int | None = None
) -> pd.DataFrame:
    """Keep the first characters of each cell, such as the region of a postcode.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    column : column
        Name or position; a name wins.
    keep : int
        Number of characters that stay. The rest becomes ``*``, as many as make all cells
        equally long, so that the length of a value is not given away.
    digits : int, optional
        Length of a code that was stored as a number and lost its leading zeros: 200 stands
        for 0200 if `digits` is 4.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column as text. A missing cell stays missing.

    Raises
    ------
    TypeError, ValueError
        If the column is not there, `keep` is no whole number of at least 0, or a code has
        more than `digits` characters.

    Examples
    --------
    >>> towns = pd.DataFrame({"postcode": [2600, 200, None]})
    >>> truncate_column(towns, "postcode", 1, digits=4)["postcode"].tolist()
    ['2***', '0***', nan]
    """
    j = check_column(check_table(data), column, "column")
    check_whole(keep, "keep", 0, 10**9, "the number of characters that stay")
    codes, values = factorised(data.iloc[:, j])
    text = pd.Series(values.astype(object)).map(_as_code, na_action="ignore").astype(object)
    if digits is not None:
        text = check_code_length(text, digits, data.columns[j]).str.zfill(digits)
    longest = int(text.str.len().max()) if len(text) else 0
    masked = text.str[:keep].str.ljust(longest, "*") if keep < longest else text
    return _replaced(data, j, masked.to_numpy(object), codes)


def group_column(
    data: pd.DataFrame, column: Any, groups: Mapping[Any, Any], *, other: Any = None
) -> pd.DataFrame:
    """Replace the values of a column by the groups they belong to.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    column : column
        Name or position; a name wins.
    groups : mapping
        ``{value: group}``; None stands for a missing cell.
    other : optional
        Group of the values that `groups` leaves out; by default they stay as they are.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column regrouped; as text, if groups are text and other cells are
        not, as no Parquet file holds both.

    Raises
    ------
    TypeError, ValueError
        If the column is not there, or `groups` names a value that it lacks.

    Examples
    --------
    >>> people = pd.DataFrame({"job": ["nurse", "judge", None]})
    >>> group_column(people, "job", {None: "no job"}, other="job")["job"].tolist()
    ['job', 'job', 'no job']
    """
    j = check_column(check_table(data), column, "column")
    codes, values = factorised(data.iloc[:, j])
    group, known = _groups_of(groups, values, data.columns[j])
    rest = np.asarray(values.astype(object)) if other is None else check_label(other, "other")
    return _replaced(data, j, np.where(known, group, rest), codes)


def _groups_of(groups: Any, values: pd.Index, name: object) -> tuple[np.ndarray, BoolArray]:
    """Group of each value, and whether it has one."""
    if not isinstance(groups, Mapping):
        raise TypeError(
            f"groups must map values of column {name!r} to their group; got"
            f" {type(groups).__name__}."
        )
    keys = _as_objects(groups.keys())
    if not keys.is_unique:
        raise ValueError(f"groups lists {listed(keys[keys.duplicated()].unique())} twice.")
    found = keys.get_indexer(_as_objects(values))
    strange = keys[np.setdiff1d(np.arange(len(keys)), found)]
    if len(strange):
        raise ValueError(
            f"groups names {listed(strange)}, which column {name!r} does not hold; its values"
            f" are {listed(values)}."
        )
    targets = np.fromiter([*groups.values(), None], dtype=object, count=len(keys) + 1)
    return targets[found], found >= 0


def group_rare_values(
    data: pd.DataFrame, column: Any, *, fewer_than: int, other: str = "other"
) -> pd.DataFrame:
    """Pool the values of a column that too few records have.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    column : column
        Name or position; a name wins.
    fewer_than : int
        A value of fewer records than this is pooled.
    other : default "other"
        What the pooled values are called.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column regrouped, as `group_column` returns.

    Raises
    ------
    TypeError, ValueError
        If the column is not there, or `fewer_than` is no whole number of at least 1.

    Examples
    --------
    >>> people = pd.DataFrame({"job": ["nurse", "nurse", "judge", "poet"]})
    >>> group_rare_values(people, "job", fewer_than=2)["job"].tolist()
    ['nurse', 'nurse', 'other', 'other']
    """
    j = check_column(check_table(data), column, "column")
    check_whole(fewer_than, "fewer_than", 1, 2**63, "the least records of a value that stays")
    codes, values = factorised(data.iloc[:, j])
    rare = np.bincount(codes) < fewer_than
    names = np.array(values.astype(object))
    names[rare] = check_label(other, "other")
    return _replaced(data, j, names, codes)


class InformationRisk(NamedTuple):
    """Risk that a table holds, as three summaries of its cells; smaller is safer.

    `mean_rig` (bits) is the average row information gain, `pif95` (bits) its 95th percentile,
    `surprising_cells` (share) the cells whose surprise exceeds one half; a value that more
    than half of the records have never does.
    """

    mean_rig: float
    pif95: float
    surprising_cells: float


def information_risk(data: pd.DataFrame) -> InformationRisk:
    """Summarise the personal information factors of a table for a comparison of treatments.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The treated table.

    Returns
    -------
    InformationRisk
        `mean_rig` and `pif95` in bits, `surprising_cells` as a share of all cells. Dropping
        a column never raises the mean RIG. It can raise the share of surprising cells, since
        a value of prior q cannot surprise by more than 1 - q: with a column of common values
        gone, the others weigh more.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> risk = information_risk(data)
    >>> round(risk.mean_rig, 2), round(risk.pif95, 2), round(risk.surprising_cells, 2)
    (1.84, 2.97, 0.33)
    """
    cig = cell_information_gain(data)
    surprise = cell_surprise_factor(data).to_numpy()
    mean_rig = float(cig.to_numpy().sum() / len(data))
    return InformationRisk(
        mean_rig, personal_information_factor(cig, 95), float((surprise > 0.5).mean())
    )


class MarginalSimilarity(NamedTuple):
    """What a treated table is still good for; larger is better.

    `marginals` is one minus the average total variation of the kept columns' one- and
    two-column marginals, `columns_kept` the share of columns that are still there.
    """

    marginals: float
    columns_kept: float


def marginal_similarity(original: pd.DataFrame, treated: pd.DataFrame) -> MarginalSimilarity:
    r"""How well a treated table keeps the one- and two-column marginals of the original.

    A reader of the treated table re-expands it: a group's share is spread evenly over the
    original values in it. For the kept columns, alone and in pairs, the total variation of
    this from the true distribution is averaged:
    :math:`U = 1 - \operatorname{mean}_S \tfrac12 \sum_s |P_S(s) - P'_S(s)|`.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before.
    treated : DataFrame of shape (n_records, n_kept)
        The same rows after: a subset of the columns, each value replaced by its group.

    Returns
    -------
    MarginalSimilarity
        `marginals` and `columns_kept`, both from 0 to 1; 1 and 1 for an untouched table.

    Raises
    ------
    TypeError, ValueError
        If rows or columns do not match, or equal values of a column were treated differently.

    Examples
    --------
    Ages 1 and 2 in one group become half and half, which they were not:

    >>> before = pd.DataFrame({"age": [1, 1, 1, 2], "sex": list("ffff")})
    >>> marginal_similarity(before, before.assign(age="1-2"))
    MarginalSimilarity(marginals=0.8333333333333334, columns_kept=1.0)
    """
    kept = _same_rows(original, treated)
    fine, coarse = encode(original, kept), encode(treated)
    spread = [
        _spread(fine, coarse, j, original.columns[position]) for j, position in enumerate(kept)
    ]
    alone = [(j,) for j in range(len(kept))]
    pairs = itertools.combinations(range(len(kept)), 2)
    distances = [_distance(fine, coarse, spread, columns) for columns in [*alone, *pairs]]
    return MarginalSimilarity(1 - float(np.mean(distances)), len(kept) / original.shape[1])


def _same_rows(original: Any, treated: Any) -> list[int]:
    """Position in `original` of each column of `treated`, a treated copy of its rows."""
    check_table(original, "original")
    check_table(treated, "treated")
    if not treated.index.equals(original.index):
        raise ValueError(
            f"treated must hold the rows of original in their order; the index differs"
            f" ({len(treated)} and {len(original)} rows)."
        )
    for argument, table in (("original", original), ("treated", treated)):
        if not table.columns.is_unique:
            twice = table.columns[table.columns.duplicated()].unique()
            raise ValueError(f"{argument} has several columns {listed(twice)}; rename them.")
    strange = [name for name in treated.columns if not find_columns(original, name)]
    if strange:
        raise ValueError(
            f"treated has columns {listed(strange)} that original lacks; it has"
            f" {listed(original.columns)}."
        )
    return [find_columns(original, name)[0] for name in treated.columns]


def _spread(fine: Encoded, coarse: Encoded, j: int, name: object) -> np.ndarray:
    """Share of its group that each row's original value gets back: one over their number."""
    pair = Encoded(
        [fine.codes[j], coarse.codes[j]], [fine.values[j], coarse.values[j]], fine.rows
    )
    groups = refine(everyone(pair.rows), pair, [0, 1], keep_single=True)
    if groups.count > len(fine.values[j]):
        raise ValueError(
            f"treated: equal values of column {name!r} have become different ones, so they"
            f" cannot be re-expanded; recode each value in one way."
        )
    group_of = np.empty(groups.count, np.int64)
    group_of[groups.ids] = coarse.codes[j]
    values_in_group = np.bincount(group_of)
    return 1 / values_in_group[coarse.codes[j]]


def _distance(
    fine: Encoded, coarse: Encoded, spread: list[np.ndarray], columns: tuple[int, ...]
) -> float:
    """Total variation of a marginal from its re-expansion.

    Both add up to 1, so it is enough to add what the combinations that occur have lost.
    """
    n = fine.rows
    before = refine(everyone(n), fine, columns, keep_single=True)
    after = refine(everyone(n), coarse, columns, keep_single=True)
    a_row = np.empty(before.count, np.int64)
    a_row[before.ids] = np.arange(n)
    share = np.bincount(before.ids) / n
    re_expanded = np.bincount(after.ids)[after.ids[a_row]] / n
    for j in columns:
        re_expanded = re_expanded * spread[j][a_row]
    return float(np.maximum(share - re_expanded, 0).sum())


def _as_code(value: Any) -> str:
    """Text of a cell; a whole number that a missing neighbour made a float loses its .0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _replaced(data: pd.DataFrame, j: int, values: Any, codes: np.ndarray) -> pd.DataFrame:
    """Copy the table with column j recoded."""
    treated = data.copy()
    treated.isetitem(j, one_kind(values)[codes])
    return only_shown(treated)
