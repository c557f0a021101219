"""Recodings of columns: labels of a hierarchy, masks, bins, prefixes and groups.

Each treatment takes a table and returns a new one with the same rows and index; the risk it
leaves is measured afterwards, never assumed. Categories that no cell shows any more are
dropped, and so is ``attrs``: see `without_traces`. The index and the order of the rows stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import encode, factorised
from .._typing import AnyArray, BoolArray
from .._validation import (
    _as_objects,
    check_column,
    check_columns,
    check_hierarchy,
    check_label,
    check_per_column,
    check_positive,
    check_table,
    check_whole,
    listed,
)
from .hierarchies import TABLES, TOP, check_mapping, filled_codes, first_characters, pooled
from .release import floor_of, is_view, mask_cells, one_kind, only_shown


def generalise(
    data: pd.DataFrame, hierarchies: Mapping[Any, Any], levels: Mapping[Any, int]
) -> pd.DataFrame:
    """Replace the cells of some columns by their labels on a level.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    hierarchies : mapping
        From column to its table: a row per value, which lists the value and its label on
        each level. Tables of other columns are not looked at.
    levels : mapping
        From column to its level; 0 leaves a column exactly as it is.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Index and columns of `data`; categories that no cell shows any more are dropped, and
        so is ``attrs`` (see `without_traces`). The index and the order of the rows stay.

    Raises
    ------
    TypeError, ValueError
        If a column or its table is not there, a value has no row, or the table has no such
        level.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [39, 17], "sex": ["f", "m"]}, index=["ann", "bob"])
    >>> trees = {"age": [[17, "[10, 20)", "*"], [39, "[30, 40)", "*"]]}
    >>> generalise(data, trees, {"age": 1})
              age sex
    ann  [30, 40)   f
    bob  [10, 20)   m
    """
    treated = check_table(data).copy(deep=False)
    check_mapping(hierarchies, TABLES)
    asked = check_per_column(data, levels, "levels")
    for j, level in asked.items():
        name = data.columns[j]
        where = f"levels: the level of column {name!r}"
        check_whole(level, where, 0, 10**6, "0 for the values themselves")
        if level and name not in hierarchies:
            raise ValueError(f"hierarchies lacks {name!r}; give the column its table.")
    for j, level in asked.items():
        if level:
            name, column = data.columns[j], encode(data, [j])
            labels = labels_on_level(hierarchies[name], column.values[0], name, level)
            treated.isetitem(j, labels.take(column.codes[0]).array)
    return only_shown(treated)


def labels_on_level(table: Any, values: pd.Index, name: Any, level: int) -> pd.Series:
    """Label of each value on one level of a hierarchy."""
    cells, _, rows = check_hierarchy(table, values, name)
    where = f"levels: the level of column {name!r}"
    check_whole(level, where, 0, cells.shape[1] - 1, "a level")
    return pd.Series(cells[rows, level].tolist())


def suppress(
    data: pd.DataFrame, rows: Any, columns: Any = None, *, mark: Any = TOP
) -> pd.DataFrame:
    """Mask cells: the mark takes their place.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    rows : array-like
        Whether each row is meant, True or False, in their order; or the labels of rows, which
        mean every row that has them.
    columns : column, or list of columns, optional
        Names or positions; a name wins. By default all columns.
    mark : cell
        What a masked cell shows.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Index and columns of `data`; categories that no cell shows any more are dropped, and
        so is ``attrs`` (see `without_traces`). A column of numbers or dates that has masked
        cells holds text, as no Parquet file holds both, but cells such as lists stay as they
        are. An ordered category loses its order. The index and the order of the rows stay.

    Raises
    ------
    TypeError, ValueError
        If a row or column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [39, 17], "ill": ["flu", "hiv"]}, index=["ann", "bob"])
    >>> suppress(data, ["bob"], "age")
        age  ill
    ann  39  flu
    bob   *  hiv
    """
    masked = _marked_rows(check_table(data), rows)
    given = range(data.shape[1]) if columns is None else columns
    check_label(mark, "mark")
    treated = data.copy(deep=False)
    for j in check_columns(data, given, "columns"):
        treated.isetitem(j, mask_cells(data.iloc[:, j], masked, mark))
    return only_shown(treated)


def _marked_rows(data: pd.DataFrame, rows: Any) -> BoolArray:
    """Return whether each row is meant, by truth values or by its label."""
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        rows = [rows]
    given = rows if isinstance(rows, (pd.Series, pd.Index, np.ndarray)) else list(rows)
    marks = pd.Series(given, dtype=None if len(given) else object)
    if pd.api.types.is_bool_dtype(marks) and not marks.isna().any():
        labelled = isinstance(given, pd.Series) and not given.index.equals(data.index)
        if len(marks) != len(data) or labelled:
            raise ValueError(
                f"rows must say True or False of each of the {len(data)} rows of data, in"
                f" their order and under their labels; got {len(marks)}."
            )
        return marks.to_numpy(bool)
    wanted = pd.Index(marks.tolist(), dtype=object, tupleize_cols=False)
    known = data.index.astype(object)
    strange = wanted[~wanted.isin(known)]
    if len(strange):
        raise ValueError(f"rows names {listed(strange)}, which the index of data lacks.")
    return np.asarray(known.isin(wanted), bool)


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
        raise ValueError(
            f"columns lists every column, {listed(data.columns)}; leave at least one."
        )
    return only_shown(data.iloc[:, kept])


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
    binned = check_table(data).copy(deep=False)
    for j, setting in check_per_column(data, bins, "bins").items():
        column = check_numeric(data.iloc[:, j], data.columns[j])
        edges = _edges(column, setting, data.columns[j])
        numbers = _of_one_kind(column, edges, data.columns[j])
        place = np.where(column.isna(), 0, np.searchsorted(edges, numbers, side="right"))
        intervals = pd.IntervalIndex.from_breaks(edges, closed="left")
        binned.isetitem(j, pd.Categorical.from_codes(place - 1, intervals, ordered=True))
    return binned


def check_numeric(column: pd.Series, name: object) -> pd.Series:
    """Return a column of finite numbers, missing ones allowed."""
    kinds, kind = pd.api.types, column.dtype
    numeric = not is_view(kind) and kinds.is_numeric_dtype(kind)
    if not numeric or kinds.is_bool_dtype(kind) or kinds.is_complex_dtype(kind):
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


def _of_one_kind(column: pd.Series, edges: np.ndarray, name: object) -> AnyArray:
    """Numbers of the kind of the edges, so that comparing rounds nothing; missing ones 0."""
    if not pd.api.types.is_integer_dtype(column):
        return column.to_numpy(float, na_value=np.nan)
    known = column.dropna()
    if edges.dtype.kind == "f" and max(abs(int(known.min())), abs(int(known.max()))) > 2**53:
        raise ValueError(
            f"column {name!r} holds whole numbers beyond 2**53, which edges with a decimal"
            f" point cannot tell apart; give whole edges."
        )
    if int(known.max()) >= 2**63:
        raise ValueError(f"column {name!r} holds numbers beyond 2**63; divide them first.")
    return column.fillna(0).to_numpy().astype(np.int64)


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
        bins = pd.IntervalIndex(list(records.index))
        columns = {"column": [data.columns[j]] * len(bins), "left": bins.left}
        columns |= {"right": bins.right, "records": records.to_numpy()}
        reports.append(pd.DataFrame(columns))
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
    text = filled_codes(text, digits, data.columns[j])
    longest = int(text.str.len().max()) if len(text) else 0
    masked = first_characters(text, keep, longest) if keep < longest else text
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
    name = data.columns[j]
    check_mapping(groups, f"groups must map values of column {name!r} to their group")
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
    rest = np.asarray(values.astype(object)) if other is None else check_label(other, "other")
    return _replaced(data, j, np.where(found >= 0, targets[found], rest), codes)


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
    names = pooled(values, np.bincount(codes), fewer_than, other)
    return _replaced(data, j, names, codes)


def _as_code(value: Any) -> str:
    """Text of a cell; a whole number that a missing neighbour made a float loses its .0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _replaced(data: pd.DataFrame, j: int, values: Any, codes: np.ndarray) -> pd.DataFrame:
    """Copy the table with column j recoded."""
    treated = data.copy(deep=False)
    treated.isetitem(j, one_kind(values)[codes])
    return only_shown(treated)


def treat(data: pd.DataFrame, setting: Mapping[Any, Any]) -> pd.DataFrame:
    """Treat the columns of a table as the treatment lab does.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    setting : mapping
        ``{column: treatment}``, where a treatment is "keep", "drop", "flag" (present or
        missing), or one of ("bin", width), ("truncate", characters) and ("pool", records),
        which pools the values of fewer records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39], "town": ["Bonn", "Berne"]})
    >>> treat(people, {"age": "drop", "town": ("truncate", 1)})
        town
    0  B****
    1  B****
    """
    treated = data
    for column, treatment in setting.items():
        action, amount = (treatment, None) if isinstance(treatment, str) else treatment
        if action not in ACTIONS:
            raise ValueError(f"There is no treatment {action!r}; choose of {list(ACTIONS)}.")
        treated = ACTIONS[action](treated, column, amount)
    gone = [column for column, treatment in setting.items() if treatment == "drop"]
    return drop_columns(treated, gone) if gone else treated


def _truncate(data: pd.DataFrame, column: Any, keep: int) -> pd.DataFrame:
    cells = data[column]
    is_code = pd.api.types.is_integer_dtype(cells)
    digits = int(cells.astype(str).str.len().max()) if is_code else None
    return truncate_column(data, column, keep, digits=digits)


ACTIONS: dict[str, Callable[[pd.DataFrame, Any, Any], pd.DataFrame]] = {
    "keep": lambda data, column, _: data,
    "drop": lambda data, column, _: data,  # after all others, in one go
    "bin": bin_column,
    "truncate": _truncate,
    "pool": lambda data, column, k: group_rare_values(data, column, fewer_than=k),
    "flag": lambda data, column, _: group_column(
        data, column, {None: "missing"}, other="present"
    ),
}
