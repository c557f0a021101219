"""Releases: an anonymised table with its measured privacy and losses.

Whatever made the table, `measure_release` counts its classes anew: the privacy that a release
claims is measured on the very rows that it holds, never taken from whoever searched for it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import class_ids
from .._html import cell, html_table
from .._typing import BoolArray, FloatArray
from .._validation import (
    check_choice,
    check_label,
    check_positive,
    check_threshold,
    number,
)
from ..classes import EquivalenceClasses, classify
from ..disclosure.attribute import (
    class_diversity,
    entropy_l_diversity,
    l_diversity,
    recursive_cl_diversity,
    recursive_diversity_by_class,
    t_closeness,
    t_closeness_by_class,
)
from ..disclosure.identity import k_anonymity
from .hierarchies import floor_of, mask_cells
from .traces import only_shown, written_alike

__all__ = [
    "Release",
    "Requirements",
    "measure_release",
]


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

    def violated(self, classes: EquivalenceClasses, slack: float = SLACK) -> BoolArray:
        """Mark the classes that miss a requirement, measured by the public metrics."""
        missed = np.asarray(classes.sizes < self.k)
        if self.l is not None and self.diversity == "recursive":
            ratio = recursive_diversity_by_class(classes, l=int(self.l)).to_numpy()
            missed |= ratio >= (self.c or 0.0) * (1 - slack)
        elif self.l is not None:
            column = "distinct" if self.diversity == "distinct" else "entropy_l"
            missed |= class_diversity(classes)[column].to_numpy() < self.l * (1 - slack)
        if self.t is not None:
            missed |= self.distances(classes) > self.t + slack * max(self.t, slack)
        return missed

    def distances(self, classes: EquivalenceClasses) -> FloatArray:
        """Distance of each class from the table."""
        with warnings.catch_warnings():  # which are said once, of the release
            warnings.simplefilter("ignore", UserWarning)
            return t_closeness_by_class(classes, kind=self.kind).to_numpy()


def check_requirements(
    k: Any,
    l: Any,  # noqa: E741
    t: Any,
    diversity: Any,
    c: Any,
    sensitive: bool,
) -> tuple[int, float | None, float | None, float | None]:
    """Return k, l, t and c; what is said of sensitive values needs a sensitive column."""
    check_choice(diversity, "diversity", ("distinct", "entropy", "recursive"))
    size = int(check_threshold(k, "k", 1, math.inf, whole=True))
    for asked, argument in ((l, "l"), (t, "t")):
        if asked is not None and not sensitive:
            raise ValueError(
                f"{argument}={asked!r} is about sensitive values; name the column that holds"
                f" them, as sensitive=..."
            )
    if l is not None:
        l = check_threshold(l, "l", 1, math.inf, whole=diversity != "entropy")  # noqa: E741
    if (c is not None) != (diversity == "recursive" and l is not None):
        raise ValueError(
            f"c belongs to l with diversity='recursive', which needs both; got c={c!r},"
            f" l={l!r} and diversity={diversity!r}."
        )
    close = None if t is None else check_threshold(t, "t", 0, 1)
    return size, l, close, None if c is None else check_positive(c, "c")


def check_suppression_limit(limit: Any, records: int) -> int:
    """Return how many records may be suppressed, of a limit that is a share."""
    share = number(limit, "suppression_limit", "[0, 1]", "a share from 0 to 1")
    return int(floor_of(share * records))


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
        lines = [f"{name}: {_shown(fact)}" for name, fact in self.summary.items()]
        return "\n".join([*lines, ALSO_RELEASED])

    __repr__ = __str__  # which shows no label of a suppressed row

    def _repr_html_(self) -> str:
        rows = [(cell(name, "th"), cell(_shown(fact))) for name, fact in self.summary.items()]
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
    mark: Any = None,
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
    mark : cell, optional
        A row that shows this in every quasi-identifier is no record of a class, as for
        `equivalence_classes`; by default every row is.

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
    data = written_alike(only_shown(treated.copy(deep=False), kept), [*positions, *secret])
    return Release(
        data=data,
        levels=dict(levels or {}),
        loss=float(loss),
        suppressed=treated.index[gone],
        suppressed_rows=pd.Series(gone.copy(), treated.index, name="suppressed"),
        kept=pd.Series(kept, treated.index, name="kept"),
        evaluations=evaluations,
        privacy=_privacy(data, list(positions), secret, l, kind, mark),
        quasi_identifiers=tuple(treated.columns[list(positions)]),
        sensitive=None if sensitive is None else treated.columns[sensitive],
    )


def _privacy(
    data: pd.DataFrame,
    positions: list[int],
    secret: list[int],
    l: int | None,  # noqa: E741
    kind: Any,
    mark: Any,
) -> pd.Series:
    """Measure by the public metrics; nothing of no records."""
    names = ["k"] + ["l", "entropy_l", "t"] * bool(secret) + ["c"] * (l is not None)
    found: dict[str, float | None] = dict.fromkeys(names, np.nan)
    if len(data) and not secret and mark is None:
        found["k"] = np.bincount(class_ids(data, positions)[0]).min()  # takes no class table
    elif len(data):
        classes = classify(data, positions, secret, "category", mark)
        found["k"] = k_anonymity(classes)
        if secret:
            found["l"] = l_diversity(classes)
            found["entropy_l"] = entropy_l_diversity(classes)
            found["t"] = t_closeness(classes, kind=kind)
        if l is not None:
            found["c"] = recursive_cl_diversity(classes, l=l)
    return pd.Series(found, dtype=float, name="privacy")


def _shown(fact: Any) -> str:
    """Show a number to a reader."""
    return f"{fact:.4g}" if isinstance(fact, float) else str(fact)
