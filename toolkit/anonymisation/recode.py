"""Recodings of columns: labels of a hierarchy, masks, intervals, prefixes and groups.

Each function takes a table and returns a new one with the same rows and index. Categories that
no cell shows any more are dropped, and so is ``attrs``: see `without_traces`. The remaining
risk is measured afterwards, never assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_column, check_columns, check_number, check_table
from .._codes import encode
from .._typing import AnyArray, Columns, IntArray, Table
from .hierarchies import interval_hierarchy, levels_of, prefix_hierarchy, rows_of
from .release import masked, only_shown, series_of


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
        Index, order of the rows and columns of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [39, 17], "sex": ["f", "m"]}, index=["ann", "bob"])
    >>> trees = {"age": [[17, "[10, 20)", "*"], [39, "[30, 40)", "*"]]}
    >>> generalise(data, trees, {"age": 1})
              age sex
    ann  [30, 40)   f
    bob  [10, 20)   m
    """
    data, shown = check_table(data), {}
    for key, level in levels.items():
        j = check_column(data.columns, key, "levels")
        name = data.columns[j]
        if level == 0:
            continue
        if name not in hierarchies:
            raise ValueError(f"hierarchies lacks {name!r}; give each column its table.")
        codes, values = encode(data.iloc[:, j])
        cells, _, row = levels_of(hierarchies[name], values, name)
        check_number(level, f"the level of {name!r}", f"[0, {cells.shape[1] - 1}]", whole=True)
        shown[j] = pd.Series(cells[row, level].tolist()), codes
    return only_shown(data, labels=shown)


def suppress(data: pd.DataFrame, rows: Any, columns: Columns = None) -> pd.DataFrame:
    """Mask cells: ``*`` replaces them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    rows : array-like of bool, shape (n_records,)
        True for each row to be masked.
    columns : column, or list of columns, optional
        Names or positions; a name wins. By default all columns.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Index, order of the rows and columns of `data`. A column of numbers, dates or
        categories that has masked cells holds text, as no Parquet file holds both.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [39, 17], "ill": ["flu", "hiv"]}, index=["ann", "bob"])
    >>> suppress(data, [False, True], "age")
        age  ill
    ann  39  flu
    bob   *  hiv
    """
    data = check_table(data)
    marked = np.asarray(rows)
    labelled = isinstance(rows, pd.Series) and not rows.index.equals(data.index)
    if marked.dtype != bool or marked.shape != (len(data),) or labelled:
        raise ValueError(
            f"rows must hold True or False for each of the {len(data)} rows of data, in their"
            f" order and under their labels."
        )
    given = range(data.shape[1]) if columns is None else columns
    positions = check_columns(data.columns, given, "columns")
    return only_shown(masked(data, dict.fromkeys(positions, marked)))


def drop_columns(data: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Leave columns out.

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

    Examples
    --------
    >>> drop_columns(pd.DataFrame({"name": ["Ann"], "town": ["A"]}), "name")
      town
    0    A
    """
    data = check_table(data)
    gone = check_columns(data.columns, columns, "columns")
    return only_shown(data.iloc[:, [j for j in range(data.shape[1]) if j not in gone]])


def bin_column(data: pd.DataFrame, column: Any, width: float) -> pd.DataFrame:
    """Put the numbers of a column into intervals of one width, such as decades.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    column : column
        Name or position; a name wins.
    width : float
        Width of the intervals, whose edges are its multiples: see `interval_hierarchy`.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column as ordered categories, the texts of intervals that occur. A
        missing number stays missing.

    Examples
    --------
    >>> decades = bin_column(pd.DataFrame({"age": [17, 39, 40, None]}), "age", width=10)
    >>> decades["age"].tolist()
    ['[10, 20)', '[30, 40)', '[40, 50)', nan]
    """
    data, j, codes, values = _column(data, column)
    tree = interval_hierarchy(values, [width])
    intervals = tree.loc[tree[0].notna(), 1].unique()  # rising
    labels = pd.Series(pd.Categorical(_first_level(tree, values), intervals, ordered=True))
    return only_shown(data, labels={j: (labels, codes)})


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
        Number of characters that stay. Asterisks replace the rest and make all cells equally
        long, so that the length of a value is not disclosed.
    digits : int, optional
        Length of a code that was stored as a number and lost its leading zeros: 200 stands
        for 0200 if `digits` is 4.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column as text. A missing cell stays missing.

    Examples
    --------
    >>> towns = pd.DataFrame({"postcode": [2600, 200, None]})
    >>> truncate_column(towns, "postcode", 1, digits=4)["postcode"].tolist()
    ['2***', '0***', nan]
    """
    data, j, codes, values = _column(data, column)
    tree = prefix_hierarchy(values, [keep], digits=digits, pad="*")
    return only_shown(data, labels={j: (series_of(_first_level(tree, values)), codes)})


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

    Examples
    --------
    >>> people = pd.DataFrame({"job": ["nurse", "judge", None]})
    >>> group_column(people, "job", {None: "no job"}, other="job")["job"].tolist()
    ['job', 'job', 'no job']
    """
    data, j, codes, values = _column(data, column)
    known = as_objects(values)
    place = rows_of(as_objects(groups), known)
    strange = len(groups) - len(np.unique(place[place >= 0]))
    if strange:
        raise ValueError(
            f"groups names values that column {data.columns[j]!r} does not hold: {strange} of"
            f" {len(groups)}."
        )
    targets = as_objects([*groups.values(), None])
    rest = known if other is None else other
    labels = series_of(np.where(place >= 0, targets[place], rest))
    return only_shown(data, labels={j: (labels, codes)})


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
        A value that fewer records than this have is pooled.
    other : default "other"
        Label of the pooled values.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        The table with that column regrouped, as `group_column` returns.

    Examples
    --------
    >>> people = pd.DataFrame({"job": ["nurse", "nurse", "judge", "poet"]})
    >>> group_rare_values(people, "job", fewer_than=2)["job"].tolist()
    ['nurse', 'nurse', 'other', 'other']
    """
    data, j, codes, values = _column(data, column)
    check_number(fewer_than, "fewer_than", "[1, inf)", "records", whole=True)
    rare = np.bincount(codes) < fewer_than
    labels = series_of(np.where(rare, other, as_objects(values)))
    return only_shown(data, labels={j: (labels, codes)})


def _column(data: Table, column: Any) -> tuple[pd.DataFrame, int, IntArray, pd.Index]:
    """The table, the position of a column, the codes of its cells, and its values."""
    data = check_table(data)
    j = check_column(data.columns, column, "column")
    return data, j, *encode(data.iloc[:, j])


def _first_level(tree: pd.DataFrame, values: pd.Index) -> AnyArray:
    """Label of each value on level 1; a missing one stays missing."""
    labels = as_objects(tree[1].mask(tree[0].isna()))
    return np.asarray(labels[rows_of(as_objects(tree[0]), as_objects(values))])
