"""Recodings of columns: labels of a hierarchy, masks, intervals, prefixes and groups.

Each function takes a table and returns a new one with the same rows and index. Categories that
no cell shows any more are dropped, and so is ``attrs``: see `without_traces`. The risk that is
left is measured afterwards, never assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import as_objects, encode, factorised
from .._typing import AnyArray, BoolArray
from .._validation import (
    check_column,
    check_columns,
    check_hierarchy,
    check_label,
    check_per_column,
    check_table,
    check_whole,
    listed,
    match_by_text,
)
from .hierarchies import (
    TABLES,
    TOP,
    check_mapping,
    code_text,
    filled_codes,
    first_characters,
    interval_hierarchy,
    pooled,
)
from .release import is_view, mask_cells, one_kind, only_shown


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
    treated = check_table(data).copy(deep=False)
    check_mapping(hierarchies, TABLES)
    for j, level in check_per_column(data, levels, "levels").items():
        name = data.columns[j]
        where = f"levels: the level of column {name!r}"
        if check_whole(level, where, 0, 10**6, "0 for the values themselves"):
            if name not in hierarchies:
                raise ValueError(f"hierarchies lacks {name!r}; give the column its table.")
            column = encode(data, [j])
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
        Index, order of the rows and columns of `data`. A column of numbers or dates that has
        masked cells holds text, as no Parquet file holds both. An ordered category loses its
        order.

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
    treated = data.copy(deep=False)
    for j in check_columns(data, given, "columns"):
        treated.isetitem(j, mask_cells(data.iloc[:, j], masked, check_label(mark, "mark")))
    return only_shown(treated)


def _marked_rows(data: pd.DataFrame, rows: Any) -> BoolArray:
    """Return whether each row is meant, by truth values or by its label."""
    given = [rows] if pd.api.types.is_scalar(rows) else list(rows)
    if given and all(isinstance(mark, (bool, np.bool_)) for mark in given):
        labelled = isinstance(rows, pd.Series) and not rows.index.equals(data.index)
        if len(given) != len(data) or labelled:
            raise ValueError(
                f"rows must say True or False of each of the {len(data)} rows of data, in"
                f" their order and under their labels; got {len(given)}."
            )
        return np.array(given, bool)
    wanted = pd.Index(given, dtype=object, tupleize_cols=False)
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

    Examples
    --------
    >>> drop_columns(pd.DataFrame({"name": ["Ann"], "town": ["A"]}), "name")
      town
    0    A
    """
    gone = check_columns(check_table(data), columns, "columns")
    left = [j for j in range(data.shape[1]) if j not in gone]
    if not left:
        raise ValueError(
            f"columns lists every column, {listed(data.columns)}; leave at least one."
        )
    return only_shown(data.iloc[:, left])


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
    j = check_column(check_table(data), column, "column")
    numbers = check_numeric(data.iloc[:, j], data.columns[j])
    tree = interval_hierarchy(numbers.dropna(), width, top=None)
    codes, values = factorised(numbers)
    place = pd.Index(tree[0], dtype=object).get_indexer(pd.Index(values, dtype=object))
    intervals, names = pd.factorize(tree[1])
    shown = np.append(intervals, -1)[place][codes]  # a missing number is in no interval
    treated = data.copy(deep=False)
    treated.isetitem(j, pd.Categorical.from_codes(shown, names, ordered=True))
    return only_shown(treated)


def check_numeric(column: pd.Series, name: object) -> pd.Series:
    """Return a column of finite numbers, missing ones allowed."""
    if is_view(column.dtype) or not pd.api.types.is_any_real_numeric_dtype(column):
        raise TypeError(f"column {name!r} must hold numbers to be binned; got {column.dtype}.")
    if not np.isfinite(column.dropna().to_numpy(float)).all() or column.isna().all():
        raise ValueError(
            f"column {name!r} must hold finite numbers to be binned; it is all missing, or"
            f" holds an infinite one."
        )
    return column


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
        equally long, so that the length of a value is not disclosed.
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
    j = check_column(check_table(data), column, "column")
    check_whole(keep, "keep", 0, 10**9, "the number of characters that stay")
    codes, values = factorised(data.iloc[:, j])
    texts = pd.Series(values.astype(object)).map(code_text, na_action="ignore").astype(object)
    texts = filled_codes(texts, digits, data.columns[j])
    longest = int(texts.str.len().max()) if texts.notna().any() else 0
    if keep < longest:
        texts = first_characters(texts, keep, longest)
    return _replaced(data, j, texts.to_numpy(object), codes)


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
    j = check_column(check_table(data), column, "column")
    codes, values = factorised(data.iloc[:, j])
    name = data.columns[j]
    check_mapping(groups, f"groups must map values of column {name!r} to their group")
    keys = pd.Index(list(groups), dtype=object, tupleize_cols=False)
    known = pd.Index(values, dtype=object, tupleize_cols=False)
    place = match_by_text(keys, known)
    strange = keys[np.setdiff1d(np.arange(len(keys)), place)]
    if len(strange):
        raise ValueError(
            f"groups names {listed(strange)}, which column {name!r} does not hold; its values"
            f" are {listed(values)}."
        )
    targets = as_objects([*groups.values(), None])
    rest = known if other is None else check_label(other, "other")
    labels = np.where(place >= 0, targets[place], rest)
    return _replaced(data, j, labels, codes)


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

    Examples
    --------
    >>> people = pd.DataFrame({"job": ["nurse", "nurse", "judge", "poet"]})
    >>> group_rare_values(people, "job", fewer_than=2)["job"].tolist()
    ['nurse', 'nurse', 'other', 'other']
    """
    j = check_column(check_table(data), column, "column")
    check_whole(fewer_than, "fewer_than", 1, 2**63, "the least records of a value that stays")
    codes, values = factorised(data.iloc[:, j])
    names = pooled(values.to_numpy(object), np.bincount(codes), fewer_than, other)
    return _replaced(data, j, names, codes)


def _replaced(data: pd.DataFrame, j: int, labels: AnyArray, codes: AnyArray) -> pd.DataFrame:
    """Copy the table with the values of column j replaced by labels."""
    treated = data.copy(deep=False)
    treated.isetitem(j, one_kind(labels)[codes])
    return only_shown(treated)
