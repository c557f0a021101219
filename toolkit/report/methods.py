"""Comparison of anonymisation methods by re-identification risk and information loss.

Coarser values, dropped columns, suppressed records, masked cells, the least generalisation and
cuts into classes are tried with hierarchies that `suggest_hierarchies` makes. All are measured
alike, and what cannot be tried is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import encode
from .._typing import IntArray
from ..anonymisation.hierarchies import mean_openness
from ..anonymisation.partitioning import Axis, axis_of, mondrian
from ..anonymisation.suppression import local_suppression
from ..classes import equivalence_classes
from ..disclosure.attribute import is_ordered, l_diversity, t_closeness
from ..io.cells import read_in_order
from .planning import (
    MOST_DROPPED,
    MOST_ORDERED,
    Ladder,
    Plan,
    class_numbers,
    least_levels,
    measurable,
    people_per_class,
    right_guesses,
    size_asked,
    suggested_trees,
    usual_levels,
    violating,
)
from .roles import shown_names

__all__ = [
    "MOST_TAKEN_OUT",
    "Treatments",
    "compare_treatments",
]


MOST_MASKED = 12
"""Columns up to which single cells are masked."""


MASKED_ROWS = 5 * 10**8
"""Sets of columns times records that are counted to mask single cells."""


MOST_CUT = 30
"""Columns up to which the table is cut into classes."""


MOST_TAKEN_OUT = 0.5
"""Share of the records that a treatment may take out to be looked at closely."""


PRESENT = 64
"""Marks of pairs of class and value that are kept per record."""


BEST = 4
"""Treatments on the frontier that are looked at closely."""


class Treatments(NamedTuple):
    """Treatments compared."""

    table: pd.DataFrame
    """A row per treatment: `kind`, `does`, `risk` (share of the released records that are
    matched rightly), `unique` (share of these), `k`, `suppressed` (share of all records),
    `loss`, `frontier`."""
    best: pd.DataFrame
    """A few on the frontier, with `l` and `t` of the sensitive column that is worst."""
    left_out: tuple[str, ...]
    """What could not be tried, and why."""
    plan: Plan | None = None
    """The levels of least loss that meet all thresholds, if some do."""
    level_names: tuple[tuple[str, str], ...] = ()
    """The same in words: column and level."""
    who: IntArray | None = None
    """Number of the person of each record, or -1, if risk and k count people."""


class _Treated(NamedTuple):
    """One treatment: the classes it makes and what it loses."""

    name: str
    kind: str
    does: str
    ids: IntArray
    """Class of each record; -1 where it is suppressed."""
    loss: float


class _Table(NamedTuple):
    """What all treatments start from."""

    ladder: Ladder
    coded: pd.DataFrame
    secret: pd.DataFrame
    thresholds: Mapping[str, float]
    k: int
    """Records in a class that cuts and masks aim at."""
    on_levels: list[Plan]
    """Levels that were tried, with every record."""
    best: list[Plan]
    """The levels of least loss that meet all thresholds, once these were searched."""

    @property
    def columns(self) -> list[str]:
        """The quasi-identifiers."""
        return self.ladder.columns

    @property
    def wanted(self) -> str:
        """What is asked for, in words."""
        return ", ".join(f"{name} = {one:g}" for name, one in self.thresholds.items())


def compare_treatments(
    plain: pd.DataFrame,
    coded: pd.DataFrame,
    quasi_identifiers: list[str],
    sensitive: list[str],
    *,
    k: int = 5,
    thresholds: Mapping[str, float] | None = None,
    who: IntArray | None = None,
    tick: Callable[[str], None] = lambda name: None,
) -> Treatments:
    """Try treatments of every kind and compare their risk and loss.

    Parameters
    ----------
    plain : DataFrame of shape (n_records, n_features)
        The table: names that are texts and differ, cells that compare.
    coded : DataFrame of shape (n_records, n_features)
        The same as categories.
    quasi_identifiers, sensitive : list of columns
        What is made coarser, and what is to be kept from the attacker.
    k : int
        Least number of records in a class that the stronger treatments aim at.
    thresholds : mapping, optional
        What a treatment has to meet, as for `check_privacy`, by default `k`; what needs a
        population is not looked at.
    who : array of shape (n_records,), optional
        Number of the person of each record, or -1: risk and k then count people. Cuts and
        masks still aim at records, and the table says whether they meet the thresholds.
    tick : function, optional
        Called with the name of each treatment before it is tried.

    Returns
    -------
    Treatments
        Smaller risk is safer, smaller loss more useful. A treatment is on the frontier if
        no other has less of one and as little of the other.

    Raises
    ------
    TypeError, ValueError
        If the tables have no rows, or a column is not there.

    Notes
    -----
    The loss of a cell is the share of its column's other values that it leaves open, 1 where
    it is dropped, masked or its record suppressed; that of a treatment is the average over
    all cells of the quasi-identifiers (V. S. Iyengar, KDD 2002, section 3.1, with the values
    that occur in the column). A class that was cut shows an interval of numbers and dates,
    which leaves open all values of the column between its ends, and else the set of its
    values. Texts that are all dates, or all numbers, are cut as such.

    The risk is that of the records which are released: whoever holds the release guesses
    among these, and not among those that were taken out.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39, 38], "sex": list("ffmm")})
    >>> found = compare_treatments(people, people.astype("category"), ["age", "sex"], [], k=2)
    >>> found.table.loc[["as it is", "drop age"], ["risk", "k", "loss"]]
               risk  k  loss
    treatment
    as it is    1.0  1   0.0
    drop age    0.5  2   0.5
    """
    trees = suggested_trees(plain, coded, quasi_identifiers)
    ladder = Ladder(plain, quasi_identifiers, encode(coded[quasi_identifiers]), trees, who)
    asked = measurable(thresholds or {"k": k}, bool(sensitive))
    start = _Table(ladder, coded, coded[sensitive], asked, max(k, size_asked(asked)), [], [])
    treated: dict[str, _Treated] = {}
    left_out = _too_many(quasi_identifiers, coded)
    for name, attempt in _attempts(start):
        tick(name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                found = attempt()
        except (TypeError, ValueError, OverflowError, MemoryError):
            # The message may quote cells, which no report shows.
            left_out.append(f"{name} ({_why_not(start)})")
            continue
        if found is not None:
            treated[found.name] = found
    table = _compared(list(treated.values()), who)
    table["meets"] = [_meets(start, one) for one in treated.values()]
    # A treatment that changes nothing is no choice of its own.
    same = table.duplicated(["risk", "loss", "unique", "k", "suppressed"])
    table = table[~same]
    best = _best(table, [treated[name] for name in table.index], coded[sensitive])
    plan = start.best[0] if start.best else None
    levels = enumerate(plan.levels if plan else ())
    names = tuple((ladder.columns[j], ladder.level_name(j, level)) for j, level in levels)
    return Treatments(table, best, tuple(left_out), plan, names, who)


def _too_many(columns: list[str], coded: pd.DataFrame) -> list[str]:
    """What is not tried because there are too many columns, or too many values."""
    count, left_out = len(columns), []
    many = [name for name in columns if coded[name].nunique() > MOST_ORDERED]
    if many:
        left_out.append(
            f"coarser values of {shown_names([*many])} (more than {MOST_ORDERED:,} different"
            " ones; unless the table is cut into classes, they are all kept or all dropped)"
        )
    if count > MOST_DROPPED:
        left_out.append(
            f"dropping each column on its own (only the {MOST_DROPPED} of most values were,"
            f" of {count} quasi-identifiers)"
        )
    if count > MOST_MASKED:
        left_out.append(
            f"masking single cells (for at most {MOST_MASKED} quasi-identifiers; there are"
            f" {count})"
        )
    elif not _are_maskable(count, len(coded)):
        left_out.append(
            f"masking single cells (of {count} quasi-identifiers in {len(coded):,} records it"
            f" would take minutes)"
        )
    if count > MOST_CUT:
        left_out.append(
            f"cutting into classes (for at most {MOST_CUT} quasi-identifiers; there are"
            f" {count})"
        )
    return left_out


def _are_maskable(columns: int, records: int) -> bool:
    """Whether single cells are masked: all sets of columns are counted in all records."""
    return columns <= MOST_MASKED and 2**columns * records <= MASKED_ROWS


def _why_not(table: _Table) -> str:
    """Why a treatment could not be tried, without its cells."""
    if len(table.coded) < table.k:
        return f"there are fewer than {table.k} records"
    return "the values of the table do not allow it"


def _attempts(table: _Table) -> Iterator[tuple[str, Callable[[], _Treated | None]]]:
    """Every treatment, from the mildest on."""
    for name, kind, levels in usual_levels(table.ladder):
        yield name, partial(_on_levels, table, name, kind, levels)
    for least in sorted({2, table.k}):
        yield f"suppress classes below {least}", partial(_suppressed, table, least)
    if _are_maskable(len(table.columns), len(table.coded)):
        yield f"mask cells for k = {table.k}", partial(_masked, table)
    yield f"least generalisation for {table.wanted}", partial(_searched, table)
    if len(table.columns) <= MOST_CUT:
        yield f"cut into classes of k = {table.k}", partial(_cut, table)


def _on_levels(table: _Table, name: str, kind: str, levels: tuple[int, ...]) -> _Treated:
    """Generalise each column to its level."""
    plan = table.ladder.on(levels)
    table.on_levels.append(plan)
    return _Treated(name, kind, table.ladder.words(levels), plan.ids, plan.loss)


def _suppressed(table: _Table, least: int) -> _Treated | None:
    """Take out the records of small classes."""
    ids = class_numbers(table.ladder.encoded.codes)
    gone = people_per_class(ids, table.ladder.who, int(ids.max()) + 1)[ids] < least
    if not gone.any() or gone.all():
        return None
    does = f"{gone.sum():,} records taken out, in classes of fewer than {least}"
    name = f"suppress classes below {least}"
    return _Treated(name, "suppress", does, np.where(gone, -1, ids), float(gone.mean()))


def _masked(table: _Table) -> _Treated | None:
    """Mask single cells until each record shares all others with k - 1 others."""
    before = table.coded[table.columns]
    found = local_suppression(before, table.columns, k=table.k)
    masked = found.masked
    if not masked.to_numpy().any():
        return None
    ids = class_numbers(encode(found.data).codes)
    cells = f"{int(masked.to_numpy().sum()):,} cells masked"
    most = masked.sum().idxmax()
    does = f"{cells}, most of them in {most}"
    loss = float(masked.to_numpy().mean())
    return _Treated(f"mask cells for k = {table.k}", "suppress", does, ids, loss)


def _searched(table: _Table) -> _Treated | None:
    """Search all levels together for the least loss."""
    plan = least_levels(table.ladder, table.secret, table.thresholds, others=table.on_levels)
    if plan is None:
        raise ValueError("no levels meet the thresholds")
    table.best.append(plan)
    name = f"least generalisation for {table.wanted}"
    gone = f"{plan.taken_out:,} records taken out" if plan.taken_out else ""
    does = "; ".join(filter(None, [table.ladder.words(plan.levels), gone]))
    return _Treated(name, "generalise", does, plan.ids, plan.loss)


def _cut(table: _Table) -> _Treated:
    """Cut the table into classes of at least k records, as small as cuts make them."""
    data = pd.DataFrame({name: _in_order(table.ladder.plain[name]) for name in table.columns})
    found = mondrian(data, table.columns, k=table.k)
    ids = class_numbers(encode(found.data[table.columns]).codes)
    axes = [axis_of(data, j) for j in range(len(table.columns))]
    loss = float(np.mean([_loss_of_labels(axis, ids) for axis in axes]))
    count = int(ids.max()) + 1
    does = f"{count:,} classes, each as narrow as {table.k} records allow"
    return _Treated(f"cut into classes of k = {table.k}", "generalise", does, ids, loss)


def _in_order(column: pd.Series) -> pd.Series:
    """Texts that are all dates as dates, those that are all numbers as numbers.

    Each different text is read once.
    """
    if column.dtype.kind in "biufM" or isinstance(column.dtype, pd.CategoricalDtype):
        return column
    codes, values = pd.factorize(column)
    texts = pd.Series(values, dtype=object)
    if texts.empty or not texts.map(lambda cell: isinstance(cell, str)).all():
        return column
    read = read_in_order(texts.tolist())
    # Two texts of one value, such as "08" and "8", stay two.
    if read is None or read.isna().any() or not read.is_unique:
        return column
    return read.reindex(codes).set_axis(column.index)


def _loss_of_labels(axis: Axis, ids: IntArray) -> float:
    """Average share of a column's other values that the label of a class leaves open.

    In order a label is an interval, which covers what lies between its ends, whether or not
    the class holds it; a missing value is one more.
    """
    size = len(axis.values)
    keys, most = ids * size + axis.place, (int(ids.max()) + 1) * size
    if most <= PRESENT * len(ids):  # a mark for each pair is faster than sorting them
        held = np.zeros(most, dtype=bool)
        held[keys] = True
        pairs = np.flatnonzero(held)
    else:
        pairs = np.unique(keys)
    of_class, place = np.divmod(pairs, size)
    opened = np.bincount(of_class)
    if is_ordered(axis.values):
        starts = np.flatnonzero(np.diff(of_class, prepend=-1))
        missing = axis.lacks & (place == size - 1)
        last = np.maximum.reduceat(np.where(missing, -1, place), starts)
        known = np.where(last < 0, 0, last - place[starts] + 1)
        opened = known + np.bincount(of_class, missing).astype(np.int64)
    return mean_openness(opened, size, np.bincount(ids))


def _compared(treated: list[_Treated], who: IntArray | None) -> pd.DataFrame:
    """Risk and loss of each treatment, by its name."""
    rows = []
    for one in treated:
        sizes = np.bincount(one.ids[one.ids >= 0])
        people = people_per_class(one.ids, who, len(sizes))[sizes > 0]
        sizes = sizes[sizes > 0]
        released = int(sizes.sum())
        rows.append(
            {
                "kind": one.kind,
                "does": one.does or "nothing",
                "risk": right_guesses(one.ids, who),
                "unique": float(sizes[people == 1].sum() / released),
                "k": int(people.min()),
                "suppressed": float((one.ids < 0).mean()),
                "loss": one.loss,
            }
        )
    table = pd.DataFrame(rows, index=pd.Index([one.name for one in treated], name="treatment"))
    order = np.lexsort((table["loss"], table["risk"]))
    least = np.minimum.accumulate(table["loss"].to_numpy()[order])
    better = np.diff(least, prepend=np.inf) < 0
    table["frontier"] = False
    table.loc[table.index[order[better]], "frontier"] = True
    return table


def _meets(table: _Table, one: _Treated) -> bool:
    """Whether a treatment meets all thresholds."""
    return not violating(one.ids, table.secret, table.thresholds, table.ladder.who).any()


def _best(table: pd.DataFrame, treated: list[_Treated], secret: pd.DataFrame) -> pd.DataFrame:
    """A few treatments of the frontier, spread over it, with their diversity and closeness."""
    useful = (table["loss"] > 0) & (table["loss"] < 1)
    useful &= table["suppressed"] <= MOST_TAKEN_OUT
    front = np.flatnonzero(table["frontier"] & useful)
    by_risk = front[np.argsort(table["risk"].to_numpy()[front], kind="stable")]
    spread = np.unique(np.linspace(0, max(len(by_risk) - 1, 0), BEST).round().astype(int))
    chosen = by_risk[spread] if len(by_risk) else by_risk
    best = table.iloc[chosen].drop(columns="frontier").copy()
    measured = [_learned(treated[at].ids, secret) for at in chosen]
    best["l"] = pd.Series([one[0] for one in measured], index=best.index, dtype="Int64")
    best["t"] = pd.Series([one[1] for one in measured], index=best.index, dtype=float)
    return best


def _learned(ids: IntArray, secret: pd.DataFrame) -> tuple[Any, float]:
    """Least diversity and greatest distance over the sensitive columns, on what is left."""
    there = ids >= 0
    least: list[tuple[int, float]] = []
    for name in secret.columns:
        cells = secret.loc[there, name].cat.remove_unused_categories().array
        data = pd.DataFrame({0: ids[there], 1: cells})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            classes = equivalence_classes(data, [0], 1)
            least.append((int(l_diversity(classes)), float(t_closeness(classes))))
    if not least:
        return pd.NA, np.nan
    return min(one for one, _ in least), max(one for _, one in least)
