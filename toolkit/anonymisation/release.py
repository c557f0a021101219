"""Releases: anonymised tables with their measured privacy and loss, and nothing hidden.

Whatever made the table, `measure_release` counts its classes anew: the privacy that a release
claims is measured on what its rows show.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_number, check_table
from .._codes import encode
from .._typing import AnyArray, BoolArray, Columns, IntArray
from ..classes import class_table
from ..disclosure.models import worst

TOP = "*"
"""Label of all values, which a suppressed cell shows."""

ALSO_RELEASED = (
    "The index and the order of the rows are released with data;"
    " data.sample(frac=1).reset_index(drop=True) drops both."
)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """An anonymised table with its loss and its measured privacy.

    Hand on `data`, not the object: `suppressed`, `suppressed_rows` and `kept` hold the
    labels of rows that were taken out, and so does a pickle of the object. `data` holds
    nothing but the cells and labels that it shows (see `without_traces`). Its index and the
    order of its rows are released too: ``data.sample(frac=1).reset_index(drop=True)`` drops
    both.

    Attributes
    ----------
    data : DataFrame
        The rows that are left, under the caller's labels and in the caller's columns; `treat`
        shuffles and numbers them, and keeps only columns with a role. Equal cells of a
        quasi-identifier or a sensitive column are written alike.
    levels : dict
        Level of each generalised column, 0 for the original values; empty where the cells of
        a column are on different levels.
    loss : float
        Loss of the table, by the measure that was asked for.
    suppressed_rows : Series of bool
        Whether each row of the caller's table was suppressed. `kept` is the opposite, and
        `suppressed` has the labels of these rows, which may repeat.
    evaluations : int
        Candidates whose classes were counted in the search.
    privacy : Series
        Measured on `data`: `k`; with sensitive columns also the least `l` and `entropy_l` and
        the greatest `t` of a column, and `c` where recursive diversity was asked for. Missing
        if every row is suppressed, since nothing can be measured without records.
    quasi_identifiers, sensitive
        Names of the columns: a tuple, and the one sensitive column, a tuple of several, or
        None.
    trace : DataFrame, optional
        Fate of each node of the lattice, if it was asked for.
    record : dict, optional
        What `treat_again` needs, if `treat` made the release; its rows are in random order.
    """

    data: pd.DataFrame
    levels: dict[Hashable, int]
    loss: float
    suppressed_rows: pd.Series
    evaluations: int
    privacy: pd.Series
    quasi_identifiers: tuple[Hashable, ...]
    sensitive: Columns
    trace: pd.DataFrame | None = None
    record: dict[str, Any] | None = None

    @property
    def kept(self) -> pd.Series:
        """True for each row of the caller's table that is in `data`."""
        return (~self.suppressed_rows).rename("kept")

    @property
    def suppressed(self) -> pd.Index:
        """Labels of the suppressed rows."""
        return self.suppressed_rows.index[self.suppressed_rows.to_numpy()]

    def with_suppressed_rows(self) -> pd.DataFrame:
        """Return the release with its suppressed rows back in their places, all masked.

        No cell of a suppressed row is disclosed: beyond `data`, the table only says how many
        rows are gone and where they were. Metrics of utility, such as `information_loss`,
        compare it with the caller's table.

        Returns
        -------
        DataFrame of shape (n_records, n_features)
            Rows in the caller's order, under the caller's labels. A column of numbers, dates
            or categories holds text if a row is suppressed.

        Examples
        --------
        >>> treated = pd.DataFrame({"zip": ["2*", "1*", "1*"], "pay": [7, 8, 9]})
        >>> gone = np.array([True, False, False])
        >>> release = measure_release(treated, [0], suppressed=gone, loss=0.5)
        >>> release.with_suppressed_rows()
          zip pay
        0   *   *
        1  1*   8
        2  1*   9
        """
        if self.record is not None:
            raise ValueError(
                "the rows of this release are in a random order, so they have no places; use"
                " optimal_generalisation, which keeps the order."
            )
        gone = self.suppressed_rows.to_numpy()
        # A suppressed row borrows the cells of a row that is there, until it is masked.
        rows = np.maximum(np.cumsum(~gone) - 1, 0)
        table = self.data.iloc[rows] if len(self.data) else self.data.reindex(range(len(gone)))
        table = table.set_axis(self.suppressed_rows.index)
        return only_shown(masked(table, dict.fromkeys(range(table.shape[1]), gone)))

    def __repr__(self) -> str:
        """List the numbers, one per line, and no label of a suppressed row."""
        facts: dict[str, Any] = {
            "records": len(self.suppressed_rows),
            "suppressed": int(self.suppressed_rows.sum()),
            "loss": self.loss,
            "evaluations": self.evaluations,
        }
        facts |= {f"level of {name}": level for name, level in self.levels.items()}
        facts |= {f"measured {name}": value for name, value in self.privacy.items()}
        lines = [
            f"{name}: {fact:.4g}" if isinstance(fact, float) else f"{name}: {fact}"
            for name, fact in facts.items()
        ]
        return "\n".join([*lines, *([] if self.record else [ALSO_RELEASED])])


def measure_release(
    treated: pd.DataFrame,
    known: Sequence[int],
    secrets: Sequence[int] = (),
    kinds: Sequence[Any] = (),
    *,
    labels: Labels | None = None,
    suppressed: BoolArray | None = None,
    levels: Mapping[Hashable, int] | None = None,
    loss: float,
    evaluations: int = 0,
    l: int | None = None,  # noqa: E741
) -> Release:
    """Take the suppressed rows out of a treated table and measure what is left.

    Parameters
    ----------
    treated : DataFrame of shape (n_records, n_features)
        All rows of the caller's table with generalised cells, including the rows that will be
        suppressed.
    known, secrets : list of int
        Positions of the quasi-identifiers and of the sensitive columns.
    kinds : list of {"auto", "ordered", "equal"} or table
        Distance of `t_closeness` for each sensitive column.
    labels : mapping, optional
        Labels in place of the cells of a column, by its position: a Series of labels, and the
        place of each record's label.
    suppressed : array of bool, shape (n_records,), optional
        Rows that are suppressed; none by default.
    levels : mapping, optional
        Level of each generalised column.
    loss : float
        Loss of the release.
    evaluations : int
        Candidates whose classes were counted.
    l : int, optional
        Measure recursive diversity for this l.

    Returns
    -------
    Release
        Its `privacy` is measured on its `data`.

    Examples
    --------
    >>> treated = pd.DataFrame({"zip": ["1*", "1*", "2*"]}, index=["a", "b", "c"])
    >>> gone = np.array([False, False, True])
    >>> release = measure_release(treated, [0], suppressed=gone, loss=0.5)
    >>> release.privacy.to_dict(), release.suppressed.tolist(), release.data.index.tolist()
    ({'k': 2.0}, ['c'], ['a', 'b'])
    """
    gone = np.zeros(len(treated), bool) if suppressed is None else suppressed.copy()
    data = written_alike(only_shown(treated, ~gone, labels), [*known, *secrets])
    metrics = ["k", *(["l", "entropy_l", "t"] if secrets else []), *(["c"] if l else [])]
    measured = {}  # a metric is missing if there are no records
    if len(data):
        shown = data.set_axis(range(data.shape[1]), axis=1)  # as a name wins over a position
        columns: list[Any] = [*secrets] or [None]
        tables = [class_table(shown, [*known], j) for j in columns]
        measured["k"] = worst("k_anonymity", tables[:1])
        if secrets:
            measured["l"] = worst("l_diversity", tables)
            measured["entropy_l"] = worst("entropy_l_diversity", tables)
            pairs = zip(tables, kinds, strict=True)
            measured["t"] = max(worst("t_closeness", [c], kind=kind) for c, kind in pairs)
        if l:
            measured["c"] = worst("recursive_cl_diversity", tables, l=l)
    names = tuple(treated.columns[[*secrets]])
    return Release(
        data=data,
        levels=dict(levels or {}),
        loss=float(loss),
        suppressed_rows=pd.Series(gone, treated.index, name="suppressed"),
        evaluations=evaluations,
        privacy=pd.Series(measured, metrics, float, "privacy"),
        quasi_identifiers=tuple(treated.columns[[*known]]),
        sensitive=names if len(names) > 1 else names[0] if names else None,
    )


def check_suppression_limit(limit: Any, records: int) -> int:
    """Convert the limit from a share to a number of records."""
    share = check_number(limit, "suppression_limit", "[0, 1]", "a share of the records")
    ratio, nearest = share * records, round(share * records)
    return int(nearest if math.isclose(ratio, nearest, rel_tol=1e-12) else ratio)


# A copy without traces
#
# Taking a row out, or masking a cell, changes what a table shows, not all that it holds. A
# column keeps its categories, an Arrow dictionary its entries, a MultiIndex its levels, and
# a number that was declared missing may still lie under the mask; pickle, Parquet and Feather
# write much of that. Everything in the toolkit that recodes or releases a table ends here.


def without_traces(data: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that it holds nothing but the cells and labels that it shows.

    Every release of the toolkit is such a copy. Call this function if rows or columns were
    taken out in another way, before the table is written or handed on.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Columns keep their order and, except Arrow and sparse columns, their types. Categories
        that no cell shows are dropped (the others keep their order), and so are unused levels
        of a MultiIndex, numbers under missing cells, and ``attrs``. Equal cells of a column,
        such as 1, 1.0 and True, or 0.0 and -0.0, are all written as the first of them is. The
        index and the order of the rows stay, and are released with the table:
        ``data.sample(frac=1).reset_index(drop=True)`` drops both.

    Examples
    --------
    >>> towns = pd.DataFrame({"town": pd.Categorical(["A", "Hidden Valley", "A"])})
    >>> left = towns[towns["town"] == "A"]
    >>> left["town"].cat.categories.tolist()
    ['A', 'Hidden Valley']
    >>> without_traces(left)["town"].cat.categories.tolist()
    ['A']
    """
    return written_alike(only_shown(check_table(data)), range(data.shape[1]))


Labels = Mapping[int, tuple[pd.Series, IntArray]]
"""Labels that replace columns, by position: different ones, and the place of each record's."""


def only_shown(
    table: pd.DataFrame, rows: BoolArray | None = None, labels: Labels | None = None
) -> pd.DataFrame:
    """Copy the given rows of a table, and nothing but what they and their labels show."""
    every = np.arange(len(table))
    places = every if rows is None else np.flatnonzero(rows)
    index = _shown_labels(table.index.take(places))
    columns = {}
    for j in range(table.shape[1]):
        column, at = (labels or {}).get(j, (table.iloc[:, j], every))
        cells = _shown(column, at[places])
        columns[j] = pd.Series(cells, index, dtype=cells.dtype)
    return pd.DataFrame(columns, index=index).set_axis(_shown_labels(table.columns), axis=1)


def _shown(column: pd.Series, rows: IntArray) -> Any:
    """Cells of some rows of a column, in memory that holds nothing else."""
    kind: Any = column.dtype
    if isinstance(kind, (np.dtype, pd.SparseDtype)):
        return column.to_numpy().take(rows)
    cells: Any = column.array
    if isinstance(kind, pd.ArrowDtype):
        arrow = cells.__arrow_array__()
        return _shown(pd.Series(arrow.to_pandas(integer_object_nulls=True)), rows)
    cells = cells.take(rows)
    if isinstance(cells, pd.Categorical):
        cells = cells.remove_unused_categories()
        return cells.rename_categories(_shown_labels(cells.categories))
    if hasattr(cells, "_mask"):  # a number may lie under a missing cell
        return pd.array(cells.to_numpy(object), dtype=kind)
    return cells


def _shown_labels(labels: pd.Index) -> pd.Index:
    """Labels without those that no row or column has."""
    if isinstance(labels, pd.MultiIndex):
        levels = [labels.get_level_values(n).astype(object) for n in range(labels.nlevels)]
        return pd.MultiIndex.from_arrays(levels, names=labels.names)
    if isinstance(labels.dtype, np.dtype):
        return labels
    cells = _shown(pd.Series(labels, dtype=labels.dtype), np.arange(len(labels)))
    shown: pd.Index = pd.Index(cells, dtype=cells.dtype, tupleize_cols=False)
    return shown.rename(labels.name)


def written_alike(table: pd.DataFrame, columns: Iterable[int]) -> pd.DataFrame:
    """In the given columns, replace equal cells by the first of them; the frame is changed."""
    for j in columns if len(table) else ():
        column: Any = table.iloc[:, j]
        if column.dtype.kind not in "Of" or isinstance(column.dtype, pd.StringDtype):
            continue  # equal cells are identical
        with contextlib.suppress(TypeError):  # cells such as lists are not compared
            codes, _ = encode(column)
            first = np.unique(codes, return_index=True)[1]
            table.isetitem(j, column.take(first[codes]).set_axis(table.index))
    return table


def one_kind(labels: Any) -> AnyArray:
    """Labels of one kind: as text, if some are text and others are numbers, dates and so on.

    No Parquet or Feather file holds both in a column. Labels stay as they are if the same
    text would stand for different labels, as for 1 and '1', or if a label has several parts.
    """
    cells = np.fromiter(labels, object, len(labels))
    try:
        codes, values = pd.factorize(cells)
    except TypeError:  # cells such as lists
        return cells
    text = [isinstance(value, (str, bytes)) for value in values]
    if all(text) or not any(text) or not all(map(pd.api.types.is_scalar, values)):
        return cells
    written = np.array([*map(text_of, values), np.nan], object)  # last: missing labels
    return written[codes] if len(set(written)) == len(written) else cells


def series_of(labels: Any) -> pd.Series:
    """Labels of one kind, of the type that pandas infers."""
    return pd.Series(one_kind(labels).tolist())


def text_of(cell: Any) -> str | None:
    """Text of a cell: a whole number has no .0, a day no midnight; None if it is missing."""
    if pd.api.types.is_scalar(cell) and pd.isna(cell):
        return None
    if isinstance(cell, (date, np.datetime64)):
        return str(pd.Timestamp(cell)).removesuffix(" 00:00:00")
    return str(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)


def masked(data: pd.DataFrame, masks: Mapping[int, BoolArray]) -> pd.DataFrame:
    """Copy a table with ``*`` in some rows of each column, named by its position."""
    treated = data.copy(deep=False)
    for j, rows in masks.items():
        if rows.any():
            column: Any = data.iloc[:, j]
            cells = column.astype(object).to_numpy(copy=True)
            cells[rows] = TOP
            text = isinstance(column.dtype, pd.StringDtype)
            kind: Any = column.dtype if text else object
            treated.isetitem(j, pd.array(cells if text else one_kind(cells), kind))
    return treated
