"""Releases: anonymised tables with their measured privacy and loss, and nothing hidden.

Whatever made the table, `measure_release` counts its classes anew: the privacy that a release
claims is measured on what its rows show, never taken from whoever searched for it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import as_objects, class_ids, encode_column
from .._old.attribute import (
    distances,
    entropy_l_diversity,
    l_diversity,
    recursive_cl_diversity,
    recursive_ratios,
    t_closeness,
)
from .._old.catalogue import MODELS
from .._old.classes import Asked, EquivalenceClasses, LocalCounts, SensitiveCounts
from .._old.identity import k_anonymity
from .._typing import AnyArray, BoolArray, FloatArray, IntArray, cell, html_table
from .._validation import (
    check_choice,
    check_label,
    check_positive,
    check_table,
    check_threshold,
    number,
)

SLACK = 1e-9
"""Numbers this close to a threshold, relative to it, count as equal to it."""


@dataclass(frozen=True)
class Requirements:
    """What each class must satisfy: at least k records, and more where it is asked for."""

    k: int
    l: float | None = None  # noqa: E741
    """Least diversity of the sensitive values, of the kind that `diversity` says."""
    t: float | None = None
    """Greatest distance of the sensitive values from those of the table."""
    diversity: str = "distinct"
    """"distinct", "entropy" or "recursive" (with `c`)."""
    c: float | None = None
    kind: Any = "auto"
    """Distance of `t_closeness`."""

    @property
    def distinct(self) -> int:
        """Different sensitive values that a class needs, whatever kind of diversity is meant.

        A class whose entropy is that of l equally frequent values has l values at least.
        """
        return 1 if self.l is None else math.ceil(self.l * (1 - SLACK))

    @property
    def beyond_counting(self) -> bool:
        """Whether it takes more than counting records and different values."""
        return self.t is not None or (self.l is not None and self.diversity != "distinct")

    @property
    def wanted(self) -> str:
        """What is asked for, in words."""
        parts = [f"k={self.k}"]
        if self.l is not None:
            c = "" if self.c is None else f", c={self.c:g}"
            parts.append(f"{self.diversity} l={self.l:g}{c}")
        if self.t is not None:
            parts.append(f"t={self.t:g}")
        return ", ".join(parts)

    def checked(self, *, sensitive: bool) -> Requirements:
        """Return the same as numbers of the right kind, if there is what they are about."""
        l, t, c = self.l, self.t, self.c  # noqa: E741
        check_choice(self.diversity, "diversity", ("distinct", "entropy", "recursive"))
        k = int(check_threshold(self.k, "k", 1, math.inf, whole=True))
        for asked, argument in ((l, "l"), (t, "t")):
            if asked is not None and not sensitive:
                raise ValueError(
                    f"{argument}={asked!r} is about sensitive values; name the column that"
                    f" holds them, as sensitive=..."
                )
        if l is not None:
            l = check_threshold(l, "l", 1, math.inf, whole=self.diversity != "entropy")  # noqa: E741
        if (c is not None) != (self.diversity == "recursive" and l is not None):
            raise ValueError(
                f"c belongs to l with diversity='recursive', which needs both; got c={c!r},"
                f" l={l!r} and diversity={self.diversity!r}."
            )
        t = None if t is None else check_threshold(t, "t", 0, 1)
        return replace(self, k=k, l=l, t=t, c=None if c is None else check_positive(c, "c"))

    def violated(
        self, classes: EquivalenceClasses | ClassCounts, slack: float = SLACK
    ) -> BoolArray:
        """Mark the classes that miss a requirement, by the formulas of the public metrics."""
        missed = np.asarray(classes.sizes < self.k)
        if self.l is not None and self.diversity == "recursive":
            ratios: Any = recursive_ratios(classes, int(self.l))
            missed |= ratios.by_name["c"] >= (self.c or 0.0) * (1 - slack)
        elif self.l is not None:
            distinct = self.diversity == "distinct"
            number: Any = MODELS["l_diversity" if distinct else "entropy_l_diversity"].formula
            missed |= number(classes.tally) < self.l * (1 - slack)
        if self.t is not None:
            missed |= self.distances(classes) > self.t + slack * max(self.t, slack)
        return missed

    def distances(self, classes: EquivalenceClasses | ClassCounts) -> FloatArray:
        """Distance of each class from the table."""
        with warnings.catch_warnings():  # which are said once, of the release
            warnings.simplefilter("ignore", UserWarning)
            found: Any = distances(classes, self.kind)
        return np.asarray(found.by_name["distance"])


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Sizes of classes and counts of their sensitive values: no rows, and no labels."""

    sizes: IntArray
    sensitive: SensitiveCounts

    @classmethod
    def of_pairs(
        cls, table: SensitiveCounts, of_class: IntArray, of_value: IntArray, records: IntArray
    ) -> ClassCounts:
        """Count some of the records of a table, given as pairs in the order of the classes."""
        totals = np.bincount(of_value, records, len(table.values)).astype(np.int64)
        there = totals > 0
        counts = replace(
            table,
            values=table.values[there],
            totals=totals[there],
            of_class=of_class,
            of_value=(np.cumsum(there) - 1)[of_value],
            records=records,
            starts=np.flatnonzero(np.diff(of_class, prepend=-1)),
        )
        return cls(np.bincount(of_class, records).astype(np.int64), counts)

    @property
    def n_records(self) -> int:
        """Records in classes."""
        return int(self.sizes.sum())

    @cached_property
    def tally(self) -> LocalCounts:
        """What the models of disclosure are formulas of."""
        return LocalCounts(self.sensitive, self.sizes, self.n_records)

    def numbers(self, **formulas: Callable[[Any], Any]) -> dict[str, AnyArray]:
        """Numbers of each class by formulas of its counts."""
        return {name: formula(self.tally) for name, formula in formulas.items()}


def check_suppression_limit(limit: Any, records: int) -> int:
    """Return how many records may be suppressed, of a limit that is a share."""
    share = number(limit, "suppression_limit", "[0, 1]", "a share from 0 to 1")
    return int(floor_of(share * records))


def floor_of(ratio: float) -> float:
    """Round down, but not a whole number that only rounding has made smaller."""
    nearest = round(ratio)
    return nearest if math.isclose(ratio, nearest, rel_tol=1e-12) else math.floor(ratio)


def check_partition_policy(missing: Any) -> str:
    """Return what a missing cell is, where records are to be put into classes."""
    if missing == "wildcard":
        raise ValueError(
            "missing='wildcard' makes no classes, so nothing can be generalised by it; use"
            " missing='category' or 'drop'."
        )
    return check_choice(missing, "missing", ("category", "drop"))


ALSO_RELEASED = (
    "The index and the order of the rows are released with data;"
    " data.sample(frac=1).reset_index(drop=True) drops both."
)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """An anonymised table, what it cost, and the privacy that it was measured to have.

    Hand on `data`, not the object: `suppressed`, `suppressed_rows` and `kept` have the labels
    of rows that were taken out, and so has a pickle of the object. `data` holds nothing but
    the cells and labels that it shows (see `without_traces`). Its index and the order of its
    rows are released too: ``data.sample(frac=1).reset_index(drop=True)`` drops both.
    """

    data: pd.DataFrame
    """The rows that are left, under the caller's labels and in the caller's columns. Equal
    cells of a quasi-identifier or the sensitive column are written alike."""
    levels: dict[Hashable, int]
    """Level of each generalised column, 0 for the original values; empty where the cells of a
    column are on different levels."""
    loss: float
    """What the table has lost, as measured by the loss that was asked for."""
    suppressed: pd.Index
    """Labels of the suppressed rows."""
    suppressed_rows: pd.Series
    """Whether each row of the caller's table was suppressed: tells rows of equal labels
    apart."""
    kept: pd.Series
    """Whether each row of the caller's table is in `data`."""
    evaluations: int
    """Candidates whose classes were counted in the search."""
    privacy: pd.Series
    """Measured on `data`: `k`; with a sensitive column also `l`, `entropy_l` and `t`, and `c`
    where recursive diversity was asked for. Missing if every row is suppressed: of no records
    nothing can be measured."""
    quasi_identifiers: tuple[Hashable, ...]
    sensitive: Hashable | None
    trace: pd.DataFrame | None = None
    """What became of each node of the lattice, if that was asked for."""
    record: dict[str, Any] | None = None
    """What `treat_again` needs, of a release of `treat`, whose rows are in a random order."""

    @property
    def records(self) -> int:
        """Records that were to be anonymised: those that are left, and the suppressed."""
        return len(self.data) + len(self.suppressed)

    @property
    def dropped(self) -> int:
        """Records with missing cells that were left out beforehand."""
        return len(self.kept) - self.records

    @property
    def share_suppressed(self) -> float:
        """Share of the records that is suppressed, from 0 to 1; smaller is more useful."""
        return len(self.suppressed) / self.records if self.records else 0.0

    def with_suppressed_rows(self, mark: Any = "*") -> pd.DataFrame:
        """Return the release with its suppressed rows back in their places, all masked.

        No cell of a suppressed row is given away, so the table says no more than `data`, but
        how many rows are gone and where they were. It is what the metrics of utility compare
        with the caller's table, such as `information_loss`; the metrics of anonymity leave the
        masked rows out.

        Parameters
        ----------
        mark : cell
            What a masked cell shows.

        Returns
        -------
        DataFrame of shape (n_records, n_features)
            Rows in the caller's order, under the caller's labels, without those that lacked a
            cell and were left out beforehand. A column of numbers or dates holds text if a
            row is suppressed.

        Raises
        ------
        TypeError, ValueError
            If `mark` is no label.

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
        check_label(mark, "mark")
        if self.record is not None:
            raise ValueError(
                "the rows of this release are in a random order, so they have no places; use"
                " optimal_generalisation, which keeps the order."
            )
        there = (self.kept | self.suppressed_rows).to_numpy()
        gone = self.suppressed_rows.to_numpy()[there]
        # A suppressed row borrows the cells of a row that is there, until it is masked.
        rows = np.maximum(np.cumsum(~gone) - 1, 0)
        table = self.data.iloc[rows] if len(self.data) else self.data.reindex(range(len(gone)))
        table = table.set_axis(self.kept.index[there])
        for j in range(table.shape[1]):
            table.isetitem(j, mask_cells(table.iloc[:, j], gone, mark))
        return only_shown(table)

    @property
    def summary(self) -> pd.Series:
        """The numbers of the release by their names, for a report."""
        facts: dict[str, Any] = {
            "records": self.records,
            "suppressed": len(self.suppressed),
            "share_suppressed": self.share_suppressed,
            "loss": self.loss,
            "evaluations": self.evaluations,
        }
        facts |= {f"level of {name}": level for name, level in self.levels.items()}
        facts |= {f"measured {name}": value for name, value in self.privacy.items()}
        return pd.Series(facts, dtype=object, name="release")

    def __str__(self) -> str:
        """List the numbers, a line each, and say what else is released."""
        lines = [f"{name}: {_figure(fact)}" for name, fact in self.summary.items()]
        return "\n".join([*lines, ALSO_RELEASED])

    __repr__ = __str__  # which shows no label of a suppressed row

    def _repr_html_(self) -> str:
        rows = [(cell(name, "th"), cell(_figure(fact))) for name, fact in self.summary.items()]
        return f"{html_table(rows)}<p>{ALSO_RELEASED}</p>"


def measure_release(
    treated: pd.DataFrame,
    positions: Sequence[int],
    *,
    suppressed: BoolArray | None = None,
    dropped: BoolArray | None = None,
    sensitive: int | None = None,
    levels: Mapping[Hashable, int] | None = None,
    loss: float,
    evaluations: int = 0,
    l: int | None = None,  # noqa: E741
    kind: Any = "auto",
    classes: IntArray | None = None,
) -> Release:
    """Take the suppressed rows out of a treated table and measure what is left.

    Parameters
    ----------
    treated : DataFrame of shape (n_records, n_features)
        All rows of the caller's table, those that will be suppressed too, with generalised
        cells.
    positions : list of int
        Where the quasi-identifiers are.
    suppressed, dropped : array of bool, shape (n_records,), optional
        Rows that are suppressed, and rows that were left out beforehand because they lack a
        cell; none by default.
    sensitive : int, optional
        Where the sensitive column is.
    levels : mapping, optional
        Level of each generalised column.
    loss : float
        What the release has lost.
    evaluations : int
        Candidates whose classes were counted.
    l : int, optional
        Measure recursive diversity for this l.
    kind : {"auto", "ordered", "equal"} or table
        Distance of `t_closeness`.
    classes : array of int, shape (n_records,), optional
        A number for each row of `treated`, equal where all quasi-identifiers are, if the
        labels that were made into cells have been compared; by default the cells are.

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
    nobody = np.zeros(len(treated), bool)
    gone = nobody if suppressed is None else suppressed
    kept = ~(gone | (nobody if dropped is None else dropped))
    secret = [] if sensitive is None else [sensitive]
    data = written_alike(only_shown(treated, kept), [*positions, *secret])
    return Release(
        data=data,
        levels=dict(levels or {}),
        loss=float(loss),
        suppressed=treated.index[gone],
        suppressed_rows=pd.Series(gone.copy(), treated.index, name="suppressed"),
        kept=pd.Series(kept, treated.index, name="kept"),
        evaluations=evaluations,
        privacy=_privacy(
            data, positions, secret, l, kind, None if classes is None else classes[kept]
        ),
        quasi_identifiers=tuple(treated.columns[list(positions)]),
        sensitive=None if sensitive is None else treated.columns[sensitive],
    )


def _privacy(
    data: pd.DataFrame,
    positions: Sequence[int],
    secret: list[int],
    l: int | None,  # noqa: E741
    kind: Any,
    ids: IntArray | None,
) -> pd.Series:
    """Measure by the public metrics; nothing of no records."""
    names = ["k"] + ["l", "entropy_l", "t"] * bool(secret) + ["c"] * (l is not None)
    found: dict[str, float | None] = dict.fromkeys(names, np.nan)
    if len(data) and secret:
        classes = Asked(data, list(positions)).classify(secret, "category")
        found |= {"k": k_anonymity(classes), "l": l_diversity(classes)}
        found |= {
            "entropy_l": entropy_l_diversity(classes),
            "t": t_closeness(classes, kind=kind),
        }
        if l is not None:
            found["c"] = recursive_cl_diversity(classes, l=l)
    elif len(data):  # takes no class table
        sizes = np.bincount(class_ids(data, positions)[0] if ids is None else ids)
        found["k"] = sizes[sizes > 0].min()
    return pd.Series(list(found.values()), list(found), float, "privacy")


def _figure(fact: Any) -> str:
    """Show a number to a reader."""
    return f"{fact:.4g}" if isinstance(fact, float) else str(fact)


# A copy without traces
#
# Taking a row out, or masking a cell, changes what a table shows, not all that it holds. A
# column keeps its categories, a dictionary of Arrow its entries, a MultiIndex its levels, and
# a number that was declared missing may still lie under the mask; pickle, Parquet and Feather
# write much of that. Everything in the toolkit that recodes or releases a table ends here.


MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
"""Arrays that keep a number under each missing cell."""


def without_traces(data: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that it holds nothing but the cells and labels that it shows.

    Every release of the toolkit is made so. Call it after rows or columns were taken out in
    another way, before the table is written or handed on.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Columns keep their types and their order. Categories that no cell shows are dropped,
        those that stay keep their order; so are entries of Arrow's dictionaries, levels of a
        MultiIndex, numbers under missing cells, and ``attrs``. Cells of a column that count as
        equal are written alike, as the first of them is: 1, 1.0 and True; 0.0 and -0.0.
        The index and the order of the rows stay, and are released with the table:
        ``data.sample(frac=1).reset_index(drop=True)`` drops both.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table with rows and columns.

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


def only_shown(table: pd.DataFrame, rows: BoolArray | None = None) -> pd.DataFrame:
    """Copy some rows of a table, with nothing besides what they show."""
    some = None if rows is None or rows.all() else np.flatnonzero(rows)
    table = table.copy(deep=some is None)  # no array of it holds cells of other columns
    for j, kind in enumerate([] if some is None else table.dtypes):
        if is_view(kind):  # which pandas cannot take rows of
            table.isetitem(j, _shown(table.iloc[:, j].array))
    table = table if some is None else table.take(some)
    for j, (_, column) in enumerate(table.items()):  # costs half of what iloc asks
        if not isinstance(column.dtype, np.dtype):
            cells = column.array
            try:
                shown = _shown(cells)
            except (NotImplementedError, ValueError) as error:  # of Arrow, such as of unions
                raise TypeError(
                    f"data: column {table.columns[j]!r} of type {cells.dtype} cannot be copied"
                    f" without what it does not show ({error}); turn it into text first."
                ) from None
            if shown is not cells:
                table.isetitem(j, shown)
    table.index, table.columns = _shown_labels(table.index), _shown_labels(table.columns)
    table.attrs = {}
    return table


def written_alike(table: pd.DataFrame, columns: Iterable[int]) -> pd.DataFrame:
    """Write equal cells of some columns as the first of them is, in a table of one's own."""
    kinds = list(table.dtypes)
    for j in [j for j in columns if len(table) and _may_be_written_in_ways(kinds[j])]:
        column = table.iloc[:, j]
        if isinstance(kinds[j], np.dtype) and kinds[j].kind in "fc":
            table.isetitem(j, column.array + kinds[j].type(0))  # -0.0 + 0 is 0.0
            continue
        if pd.api.types.is_object_dtype(kinds[j]) and not column.isna().any():
            if pd.api.types.infer_dtype(column, skipna=False) in ("string", "bytes"):
                continue
        try:
            codes, values = encode_column(column)
        except TypeError:  # cells such as lists, which are not compared
            continue
        first = np.empty(len(values), np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last write wins
        if len(first) < len(codes):
            alike: Any = column.take(first[codes]).set_axis(table.index)
            table.isetitem(j, alike)
    return table


def one_kind(labels: Any) -> AnyArray:
    """Labels of one kind: as text, if some are text and others are numbers, dates and so on.

    No Parquet or Feather file holds both in a column. Labels stay as they are where the same
    text would stand for different ones, as for 1 and '1', or where one has several parts.
    """
    cells = as_objects(labels)
    try:
        codes, values = pd.factorize(cells)
    except TypeError:  # cells such as lists
        return cells
    text = [isinstance(value, (str, bytes)) for value in values]
    if all(text) or not any(text) or not all(map(pd.api.types.is_scalar, values)):
        return cells
    written = np.array([*map(label_of, values), np.nan], object)  # the last: a missing one
    return written[codes] if len(set(written)) == len(written) else cells


def text_of(cell: Any) -> str | None:
    """Write what a cell says so that it can be matched again; None for a missing one."""
    if isinstance(cell, (date, np.datetime64)) and not pd.isna(cell):
        return str(pd.Timestamp(cell)).removesuffix(" 00:00:00")
    return None if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell)


def label_of(value: Any) -> str:
    """Text of a label: of a number without a needless .0, of a day without its midnight."""
    text = str(text_of(value))
    return text.removesuffix(".0") if isinstance(value, float) else text


def _may_be_written_in_ways(kind: Any) -> bool:
    """Whether cells that count as equal may differ: objects, floats, intervals of floats."""
    if isinstance(kind, np.dtype):
        return kind.kind not in "iubmM"
    if isinstance(kind, pd.ArrowDtype):
        return kind.kind == "f"
    exact = (pd.CategoricalDtype, pd.StringDtype, pd.DatetimeTZDtype, pd.PeriodDtype)
    return not (isinstance(kind, exact) or pd.api.types.is_integer_dtype(kind))


def _shown_labels(labels: pd.Index) -> pd.Index:
    """Row or column labels without those that no row or column has."""
    if isinstance(labels, pd.MultiIndex):
        labels = labels.remove_unused_levels()
        levels: Any = [_shown_labels(level) for level in labels.levels]
        found: pd.Index = labels.set_levels(levels, verify_integrity=False)
        return found
    if isinstance(labels.dtype, np.dtype):
        return labels
    cells = labels.array
    shown = _shown(cells)
    return labels if shown is cells else pd.Index(shown, name=labels.name)


def _shown(cells: Any) -> Any:
    """Cells of one column, with nothing besides what they show."""
    kind = cells.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return _shown_categories(cells)
    if isinstance(kind, pd.ArrowDtype):
        return _shown_arrow(cells)
    if isinstance(kind, pd.SparseDtype):
        there = len(cells.sp_values) < len(cells) or not len(cells)  # some show the fill value
        return cells if there else type(cells)(np.asarray(cells), fill_value=cells[0])
    if isinstance(cells, MASKED) and cells.isna().any():
        zero = kind.type(0)
        return type(cells)(cells.to_numpy(kind.numpy_dtype, na_value=zero), cells.isna())
    if isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow":
        tight = all(map(_is_tight, _chunks(cells)))
        return cells if tight else cells.take(np.arange(len(cells)))
    return cells


def _shown_categories(cells: pd.Categorical) -> pd.Categorical:
    """Drop the categories that no cell shows; the others keep their order."""
    records = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.categories))
    cells = cells if records.all() else cells.remove_unused_categories()
    categories: Any = _shown_labels(cells.categories)
    return cells if categories is cells.categories else cells.rename_categories(categories)


def is_view(kind: Any) -> bool:
    """Whether a column is a view of Arrow's, which pandas can hold but hardly read."""
    return isinstance(kind, pd.ArrowDtype) and str(kind.pyarrow_dtype).endswith("_view")


def _shown_arrow(cells: Any) -> Any:
    """Cells that Arrow holds, chunk by chunk."""
    import pyarrow as pa

    shown = [_shown_chunk(chunk) for chunk in _chunks(cells)]
    kind = shown[0].type if shown else cells.dtype.pyarrow_dtype
    return type(cells)(pa.chunked_array(shown, kind))


def _chunks(cells: Any) -> list[Any]:
    """Arrays of Arrow that hold the cells."""
    held = cells.__arrow_array__()
    return list(getattr(held, "chunks", [held]))


def _is_tight(chunk: Any) -> bool:
    """Whether nothing stands beside or under the cells: Feather rounds buffers up."""
    alone = not chunk.null_count and not chunk.offset
    return bool(alone and _beside(chunk) <= _own(chunk.type))


@cache
def _own(kind: Any) -> int:
    """Bytes of any text where its last cell ends, which Arrow does not count."""
    import pyarrow as pa

    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return _beside(pa.array([""], kind)) if text else 0


def _beside(chunk: Any) -> int:
    """Bytes of the buffers that Arrow does not count as the cells'."""
    return int(chunk.get_total_buffer_size() - chunk.nbytes)


def _shown_chunk(chunk: Any) -> Any:
    """Cells of one array of Arrow, whose buffers then hold nothing else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = chunk.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _shown_chunk(chunk.storage))
    if is_view(pd.ArrowDtype(kind)):
        plain = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
        return chunk.cast(plain[str(kind)])
    if pa.types.is_run_end_encoded(kind):
        return _shown_chunk(pc.run_end_decode(chunk))
    known = chunk.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(kind):
        codes = chunk.indices.fill_null(0).to_numpy(zero_copy_only=False)
        used, place = np.unique(codes[known], return_inverse=True)
        places = np.zeros(len(codes), np.int64)
        places[known] = place
        indices = pa.array(places, mask=~known).cast(kind.index_type)
        entries = _shown_chunk(chunk.dictionary.take(pa.array(used, pa.int64())))
        return pa.DictionaryArray.from_arrays(indices, entries, ordered=kind.ordered)
    if pa.types.is_nested(kind):  # whose parts may hold any of these
        return pa.array(chunk.to_pylist(), kind)
    if known.all():
        return chunk if _is_tight(chunk) else chunk.take(pa.array(np.arange(len(chunk))))
    return chunk.drop_null().take(pa.array(np.cumsum(known) - 1, mask=~known))


def mask_cells(column: pd.Series, masked: BoolArray, mark: Any) -> Any:
    """Cells of a column with the mark in some places; nothing to mask changes nothing."""
    if not masked.any():
        return column.array.copy()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _masked_categories(column.cat.as_unordered(), masked, mark)
    plain = pd.Series(_shown(column.array)) if is_view(column.dtype) else column
    cells = plain.astype(object).to_numpy(copy=True)
    cells[masked] = mark
    if isinstance(mark, str) and isinstance(column.dtype, pd.StringDtype):
        return pd.Series(cells, dtype=column.dtype).array
    return pd.Series(one_kind(cells), dtype=object).array


def _masked_categories(column: pd.Series, masked: BoolArray, mark: Any) -> Any:
    """Cells of a category with the mark in some places, its categories of one kind."""
    before = [*column.cat.categories, mark]
    *names, mark = one_kind(before)
    if any(new is not old for new, old in zip(names, before, strict=False)):
        column = column.cat.rename_categories(names)
    if mark not in column.cat.categories:
        column = column.cat.add_categories([mark])
    return column.mask(masked, mark).array
