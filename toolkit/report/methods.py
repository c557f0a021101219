"""Anonymisation methods: levels that meet thresholds, and methods compared by risk and loss.

`Ladder` holds the quasi-identifiers of a table on all levels. `meet` takes out the records
that violate a threshold, and `least_levels` looks for the levels that lose least.
`compare_treatments` tries methods of every kind.
"""

from __future__ import annotations

import itertools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._old import checking
from .._old.assuming import PERSON, shown_names
from .._old.attribute import is_ordered, l_diversity, t_closeness
from .._old.classes import equivalence_classes
from .._old.grouping import Encoded, encode, everyone, refine
from .._old.io.cells import read_in_order
from .._old.validation import check_hierarchy
from .._typing import AnyArray, BoolArray, IntArray
from ..anonymisation.hierarchies import SuggestedHierarchy, mean_openness, suggest_hierarchies
from ..anonymisation.lattice import optimal_generalisation
from ..anonymisation.partition import Axis, axis_of, mondrian
from ..anonymisation.suppression import local_suppression
from ..classes import class_table

MOST_NODES = 2_000_000
"""Combinations of levels that are searched; of more, columns are raised one at a time."""


FEW_NODES = 5_000
"""Combinations of levels among which a search starts, where there are more than that."""


MOST_ROWS = 2 * 10**7
"""Records that are counted, over all levels looked at, before lowering columns ends."""


MOST_ORDERED = 200_000
"""Values up to which a column gets a hierarchy; one of more is kept or hidden."""


MOST_DROPPED = 8
"""Columns that are dropped one at a time: those of most values."""


class Plan(NamedTuple):
    """Levels of the quasi-identifiers, and what they do to the records."""

    levels: tuple[int, ...]
    """Level of each quasi-identifier, in their order."""
    ids: IntArray
    """Class of each record; -1 where it is taken out."""
    loss: float

    @property
    def taken_out(self) -> int:
        """Records that are not released."""
        return int((self.ids < 0).sum())


@dataclass(frozen=True, eq=False)
class Ladder:
    """Quasi-identifiers on each level of their hierarchies, and what is asked of a release."""

    plain: pd.DataFrame
    coded: pd.DataFrame
    """The same as categories."""
    columns: list[str]
    sensitive: list[str]
    thresholds: Mapping[str, float]
    """As for `check_privacy`, without those that need a population."""
    trees: Mapping[str, SuggestedHierarchy]
    who: IntArray | None = None
    """Number of the person of each record, or -1; None where each is a person's only one."""
    _kept: dict[tuple[int, int], IntArray] = field(default_factory=dict, repr=False)
    _losses: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)
    """Of every record, by column and level."""
    _tables: dict[int, AnyArray] = field(default_factory=dict, repr=False)
    """By column: a row per value of the table, which lists its label on each level."""

    @cached_property
    def encoded(self) -> Encoded:
        """Quasi-identifiers as whole numbers."""
        return encode(self.coded[self.columns])

    @property
    def heights(self) -> tuple[int, ...]:
        """Level of each column on which it says nothing."""
        trees = [self.trees.get(name) for name in self.columns]
        return tuple(1 if tree is None else len(tree.names) - 1 for tree in trees)

    def level_name(self, j: int, level: int) -> str:
        """What a level of a column does, in a word or two."""
        tree = self.trees.get(self.columns[j])
        names = ("as it is", "hidden") if tree is None else tree.names
        return "as it is" if self._is_plain(j, level) else names[level]

    def cells(self, j: int, level: int) -> pd.Series:
        """Labels of a column's values on a level above 0, as they are shown."""
        name, values = self.columns[j], self.encoded.values[j]
        if name not in self.trees:
            return pd.Series(["*"] * len(values), dtype=object)
        if j not in self._tables:
            known = pd.Index(values.astype(self.plain[name].dtype))
            try:
                cells, _, row = check_hierarchy(self.trees[name], known, name)
            except ValueError:  # whose message quotes cells
                raise ValueError(
                    f"cells of column {name!r} are not told apart in its hierarchy; write them"
                    f" as text, or leave the column out."
                ) from None
            self._tables[j] = cells[row]
        return pd.Series(self._tables[j][:, level].tolist())

    def labels(self, j: int, level: int) -> IntArray:
        """Numbers of the labels of a column's values on a level."""
        if (j, level) not in self._kept:
            values = self.encoded.values[j]
            if self._is_plain(j, level):
                labels = np.arange(len(values))
            elif level == self.heights[j]:
                labels = np.zeros(len(values), np.int64)
            else:
                labels = pd.factorize(self.cells(j, level), use_na_sentinel=False)[0]
            self._kept[j, level] = labels
        return self._kept[j, level]

    def loss(self, j: int, level: int, left: BoolArray | None = None) -> float:
        """Share of a column's other values that its cells leave open; all, of one not left."""
        codes, labels = self.encoded.codes[j], self.labels(j, level)
        some = codes if left is None else codes[left]
        records = np.bincount(some, minlength=len(labels))
        if self._is_plain(j, level):
            kept = 0.0
        elif level == self.heights[j]:
            kept = 1.0
        else:
            kept = mean_openness(np.bincount(labels)[labels], len(labels), records)
        share = len(some) / len(codes)
        return kept * share + (1 - share)

    def on(self, levels: Sequence[int]) -> Plan:
        """Every record, each column on its level."""
        codes = [self.labels(j, n)[self.encoded.codes[j]] for j, n in enumerate(levels)]
        for j, level in enumerate(levels):
            if (j, level) not in self._losses:
                self._losses[j, level] = self.loss(j, level)
        losses = [self._losses[pair] for pair in enumerate(levels)]
        return Plan(tuple(levels), class_numbers(codes), float(np.mean(losses)))

    def words(self, levels: Sequence[int]) -> str:
        """What the levels do to the columns that they change."""
        return "; ".join(
            f"{self.columns[j]}: "
            + ("dropped" if level == self.heights[j] else self.level_name(j, level))
            for j, level in enumerate(levels)
            if not self._is_plain(j, level)
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """A hierarchy for each column; all or nothing where none was suggested."""
        found: dict[str, pd.DataFrame] = {**self.trees}
        for name in self.columns:
            if name not in found:
                found[name] = pd.DataFrame({0: pd.unique(self.plain[name]), 1: "*"})
        return found

    def _is_plain(self, j: int, level: int) -> bool:
        return level == 0 or len(self.encoded.values[j]) < 2


def suggested_trees(
    plain: pd.DataFrame, coded: pd.DataFrame, columns: list[str]
) -> dict[str, SuggestedHierarchy]:
    """Suggested hierarchies of the columns that have not too many values."""
    some = [name for name in columns if coded[name].nunique() <= MOST_ORDERED]
    return suggest_hierarchies(plain[some]) if some else {}


def class_numbers(codes: list[IntArray]) -> IntArray:
    """Class of each record, from the numbers of its cells."""
    sizes = [pd.RangeIndex(int(column.max()) + 1) for column in codes]
    table = Encoded(codes, list(sizes), len(codes[0]))
    groups = refine(everyone(table.rows), table, range(len(codes)), keep_single=True)
    return groups.ids.astype(np.int64)


def usual_levels(ladder: Ladder) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Levels that anybody would try first: name, kind, and level of each column."""
    heights, values = ladder.heights, ladder.encoded.values
    yield "as it is", "nothing", (0,) * len(heights)
    widest = np.argsort([-len(known) for known in values], kind="stable")
    for j in sorted(widest[:MOST_DROPPED]) if len(heights) > 1 else []:
        levels = (height if i == j else 0 for i, height in enumerate(heights))
        yield f"drop {ladder.columns[j]}", "drop", tuple(levels)
    for step in range(1, max(heights)):
        levels = (min(step, height - 1) for height in heights)
        yield f"coarser by {step} step{'s' * (step > 1)}", "generalise", tuple(levels)


def meet(ladder: Ladder, plan: Plan, limit: float) -> Plan | None:
    """Take out the records of classes that violate a threshold, until none does.

    Parameters
    ----------
    ladder : Ladder
        The quasi-identifiers on all levels, and the thresholds.
    plan : Plan
        Levels with every record.
    limit : float
        Share of the records that may be taken out.

    Returns
    -------
    Plan or None
        The loss counts a record that is taken out as lost as a whole. None if more records
        would have to go, or all.
    """
    ids, most = plan.ids.copy(), math.floor(limit * len(plan.ids) + 1e-9)
    while (wrong := violating(ladder, ids)).any():
        ids[wrong] = -1
        gone = int((ids < 0).sum())
        if gone > most or gone == len(ids):
            return None
    if not (ids < 0).any():
        return plan
    losses = [ladder.loss(j, level, ids >= 0) for j, level in enumerate(plan.levels)]
    return plan._replace(ids=ids, loss=float(np.mean(losses)))


def violating(ladder: Ladder, ids: IntArray) -> BoolArray:
    """Which records are left, in a class that violates a threshold."""
    wrong = np.zeros(len(ids), bool)
    there = ids >= 0
    people = checking.people_per_class(ids, ladder.who, int(ids.max(initial=-1)) + 1)
    wrong[there] = people[ids[there]] < checking.size_asked(ladder.thresholds)
    asked = ladder.thresholds.items()
    rest: dict[str, Any] = {name: one for name, one in asked if name not in ("k", "risk")}
    if wrong.any() or not rest:
        return wrong
    left = _left(ids, ladder.coded[ladder.sensitive])
    with warnings.catch_warnings(action="ignore"):
        found = checking.check_privacy(left, [0], [*left.columns[1:]], **rest)
        for mark in found.marks.values():
            wrong[there] |= np.asarray(mark(), bool)
    return wrong


def _left(ids: IntArray, secret: pd.DataFrame) -> pd.DataFrame:
    """Class and sensitive cells of the records that are left, in columns 0, 1, 2, …"""
    left = {0: ids[ids >= 0]}
    for j in range(secret.shape[1]):
        left[j + 1] = secret.iloc[:, j][ids >= 0].cat.remove_unused_categories().array
    return pd.DataFrame(left)


def least_levels(
    ladder: Ladder, limit: float = checking.SUPPRESSED, others: Sequence[Plan] = ()
) -> Plan | None:
    """Search for the levels that meet all thresholds and lose least.

    For each sensitive column alone `optimal_generalisation` finds the least levels for k, l
    and t; of too many combinations of levels, the columns of most values start hidden, and a
    second search starts with all columns equally coarse. From these and from the levels above
    them all, columns are raised until every threshold is met, then lowered again while it
    stays so. Of all that met, the one of least loss is returned: the best of what was looked
    at.

    Parameters
    ----------
    ladder : Ladder
        The quasi-identifiers on all levels, and the thresholds.
    limit : float
        Share of the records that may be taken out.
    others : sequence of Plan
        Further levels to look at, with every record.

    Returns
    -------
    Plan or None
        None if nothing meets the thresholds.
    """
    tried: dict[tuple[int, ...], Plan | None] = {}

    def look(levels: Sequence[int]) -> Plan | None:
        levels = tuple(levels)
        if levels not in tried:
            tried[levels] = meet(ladder, ladder.on(levels), limit)
        return tried[levels]

    if math.prod(height + 1 for height in ladder.heights) > MOST_NODES:
        least = _least_by_column(ladder, limit, _fewest_values(ladder))
        starts = [*least, _equally_coarse(ladder, look)]
    else:
        starts = _least_by_column(ladder, limit, ladder.columns)
    if not starts:
        return None
    together = tuple(max(column) for column in zip(*starts, strict=True))
    for start in [*starts, together]:
        _lowered(_raised(start, ladder, look), look, tried, ladder.encoded.rows)
    met = [plan for plan in tried.values() if plan is not None]
    for plan in others:
        if plan.levels not in tried and all(plan.loss < one.loss for one in met):
            met += filter(None, [meet(ladder, plan, limit)])
    return min(met, key=lambda plan: (round(plan.loss, 12), plan.levels), default=None)


Look = Callable[[Sequence[int]], Plan | None]


def _least_by_column(ladder: Ladder, limit: float, free: list[str]) -> list[tuple[int, ...]]:
    """Least levels for the thresholds of one sensitive column at a time; none if none do.

    Columns that are not `free` stay hidden.
    """
    thresholds = ladder.thresholds
    least = checking.size_asked(thresholds)
    of_values: dict[str, Any] = {n: thresholds[n] for n in ("l", "t") if n in thresholds}
    if "entropy_l" in thresholds and "l" not in thresholds:
        of_values |= {"l": thresholds["entropy_l"], "diversity": "entropy"}
    data, trees = ladder.plain[free], ladder.tables()
    wanted: list[tuple[pd.DataFrame, dict[str, Any]]] = [
        (data.assign(**{name: ladder.coded[name]}), {"sensitive": name, **of_values})
        for name in ladder.sensitive
        if of_values
    ]
    if ladder.who is not None and least > 1:
        # k people in a class are k different values of the column that tells them apart.
        people = data.assign(**{PERSON: pd.Categorical(ladder.who)})
        wanted.append((people, {"sensitive": PERSON, "l": least}))
    tables: Any = {name: trees[name] for name in free}
    found = []
    for table, about in wanted or [(data, {})]:
        about |= {"k": least, "suppression_limit": limit}
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            try:
                release = optimal_generalisation(table, free, tables, **about)
            except ValueError:  # no levels do
                return []
        pairs = zip(ladder.columns, ladder.heights, strict=True)
        found.append(tuple(release.levels.get(column, height) for column, height in pairs))
    return found


def _fewest_values(ladder: Ladder) -> list[str]:
    """Columns of fewest values, of whose levels there are not too many combinations."""
    values = ladder.plain[ladder.columns].nunique(dropna=False)
    heights = dict(zip(ladder.columns, ladder.heights, strict=True))
    names = sorted(ladder.columns, key=lambda name: values[name])
    nodes = itertools.accumulate((heights[name] + 1 for name in names), operator.mul)
    return [name for name, many in zip(names, nodes, strict=True) if many <= FEW_NODES]


def _equally_coarse(ladder: Ladder, look: Look) -> tuple[int, ...]:
    """Lowest step of all columns together that meets the thresholds, else the highest."""
    heights = ladder.heights
    steps = (tuple(min(step, most) for most in heights) for step in range(max(heights)))
    return next((levels for levels in steps if look(levels) is not None), heights)


def _raised(start: tuple[int, ...], ladder: Ladder, look: Look) -> Plan | None:
    """Raise the column that costs least, until all thresholds are met."""
    levels, heights = list(start), ladder.heights
    while (found := look(levels)) is None:
        costs = [
            (ladder.loss(j, level + 1) - ladder.loss(j, level), j)
            for j, level in enumerate(levels)
            if level < heights[j]
        ]
        if not costs:
            return None
        levels[min(costs)[1]] += 1
    return found


def _lowered(
    plan: Plan | None, look: Look, tried: Mapping[tuple[int, ...], Any], rows: int
) -> None:
    """Lower one column at a time, the one that then loses least, while all is met."""
    while plan is not None and len(tried) * rows <= MOST_ROWS:
        lower = [
            found
            for j, level in enumerate(plan.levels)
            if level and (found := look([*plan.levels[:j], level - 1, *plan.levels[j + 1 :]]))
        ]
        plan = min(lower, key=lambda one: one.loss, default=None)


# Comparison by re-identification risk and information loss
#
# Coarser values, dropped columns, suppressed records, masked cells, the least generalisation
# and cuts into classes are tried with hierarchies that `suggest_hierarchies` makes. All are
# measured alike, and what cannot be tried is named.


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

    kind: str
    does: str
    ids: IntArray
    """Class of each record; -1 where it is suppressed."""
    loss: float
    plan: Plan | None = None
    """The levels of least loss that meet all thresholds, if these were searched."""


def compare_treatments(
    plain: pd.DataFrame,
    coded: pd.DataFrame,
    quasi_identifiers: list[str],
    sensitive: list[str],
    *,
    k: int = 5,
    thresholds: Mapping[str, float] | None = None,
    who: IntArray | None = None,
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
    asked = checking.measurable(thresholds or {"k": k}, bool(sensitive))
    ladder = Ladder(plain, coded, quasi_identifiers, sensitive, asked, trees, who)
    k = max(k, checking.size_asked(asked))
    treated: dict[str, _Treated] = {}
    left_out = _too_many(quasi_identifiers, coded)
    # Why a treatment could not be tried: an error's message may quote cells.
    why = "the values of the table do not allow it"
    if len(coded) < k:
        why = f"there are fewer than {k} records"
    for name, attempt in _attempts(ladder, k):
        try:
            with warnings.catch_warnings(action="ignore", category=UserWarning):
                found = attempt()
        except (TypeError, ValueError, OverflowError, MemoryError):
            left_out.append(f"{name} ({why})")
            continue
        if found is not None:
            treated[name] = found
    table = _compared(treated, who)
    table["meets"] = [not violating(ladder, one.ids).any() for one in treated.values()]
    # A treatment that changes nothing is no choice of its own.
    table = table[~table.duplicated(["risk", "loss", "unique", "k", "suppressed"])]
    best = _best(table, [treated[name] for name in table.index], coded[sensitive])
    plan = next((one.plan for one in treated.values() if one.plan is not None), None)
    levels = enumerate(plan.levels if plan else ())
    names = tuple((ladder.columns[j], ladder.level_name(j, level)) for j, level in levels)
    return Treatments(table, best, tuple(left_out), plan, names, who)


def _too_many(columns: list[str], coded: pd.DataFrame) -> list[str]:
    """What is not tried because there are too many columns, or too many values."""
    count, records = len(columns), len(coded)
    many = [name for name in columns if coded[name].nunique() > MOST_ORDERED]
    slow = count <= MOST_MASKED and not _are_maskable(count, records)
    reasons = {
        f"coarser values of {shown_names([*many])} (more than {MOST_ORDERED:,} different ones;"
        " unless the table is cut into classes, they are all kept or all dropped)": many,
        f"dropping each column on its own (only the {MOST_DROPPED} of most values were, of"
        f" {count} quasi-identifiers)": count > MOST_DROPPED,
        f"masking single cells (for at most {MOST_MASKED} quasi-identifiers; there are"
        f" {count})": count > MOST_MASKED,
        f"masking single cells (of {count} quasi-identifiers in {records:,} records it would"
        " take minutes)": slow,
        f"cutting into classes (for at most {MOST_CUT} quasi-identifiers; there are"
        f" {count})": count > MOST_CUT,
    }
    return [words for words, holds in reasons.items() if holds]


def _are_maskable(columns: int, records: int) -> bool:
    """Whether single cells are masked: all sets of columns are counted in all records."""
    return columns <= MOST_MASKED and 2**columns * records <= MASKED_ROWS


def _attempts(ladder: Ladder, k: int) -> Iterator[tuple[str, Callable[[], _Treated | None]]]:
    """Every treatment, from the mildest on; cuts and masks aim at `k` records in a class."""
    tried: list[Plan] = []  # of every record, for the search
    for name, kind, levels in usual_levels(ladder):
        yield name, partial(_on_levels, ladder, kind, levels, tried)
    for least in sorted({2, k}):
        yield f"suppress classes below {least}", partial(_suppressed, ladder, least)
    if _are_maskable(len(ladder.columns), len(ladder.coded)):
        yield f"mask cells for k = {k}", partial(_masked, ladder, k)
    wanted = ", ".join(f"{name} = {one:g}" for name, one in ladder.thresholds.items())
    yield f"least generalisation for {wanted}", partial(_searched, ladder, tried)
    if len(ladder.columns) <= MOST_CUT:
        yield f"cut into classes of k = {k}", partial(_cut, ladder, k)


def _on_levels(
    ladder: Ladder, kind: str, levels: tuple[int, ...], tried: list[Plan]
) -> _Treated:
    """Generalise each column to its level."""
    plan = ladder.on(levels)
    tried.append(plan)
    return _Treated(kind, ladder.words(levels), plan.ids, plan.loss)


def _suppressed(ladder: Ladder, least: int) -> _Treated | None:
    """Take out the records of small classes."""
    ids = class_numbers(ladder.encoded.codes)
    gone = checking.people_per_class(ids, ladder.who, int(ids.max()) + 1)[ids] < least
    if not gone.any() or gone.all():
        return None
    does = f"{gone.sum():,} records taken out, in classes of fewer than {least}"
    return _Treated("suppress", does, np.where(gone, -1, ids), float(gone.mean()))


def _masked(ladder: Ladder, k: int) -> _Treated | None:
    """Mask single cells until each record shares all others with k - 1 others."""
    found = local_suppression(ladder.coded[ladder.columns], ladder.columns, k=k)
    masked = found.masked.to_numpy()
    if not masked.any():
        return None
    most = found.masked.sum().idxmax()
    does = f"{masked.sum():,} cells masked, most of them in {most}"
    ids = class_numbers(encode(found.data).codes)
    return _Treated("suppress", does, ids, float(masked.mean()))


def _searched(ladder: Ladder, tried: list[Plan]) -> _Treated:
    """Search all levels together for the least loss."""
    plan = least_levels(ladder, others=tried)
    if plan is None:
        raise ValueError("no levels meet the thresholds")
    gone = f"{plan.taken_out:,} records taken out" if plan.taken_out else ""
    does = "; ".join(filter(None, [ladder.words(plan.levels), gone]))
    return _Treated("generalise", does, plan.ids, plan.loss, plan)


def _cut(ladder: Ladder, k: int) -> _Treated:
    """Cut the table into classes of at least k records, as small as cuts make them."""
    data = pd.DataFrame({name: _in_order(ladder.plain[name]) for name in ladder.columns})
    ids = class_table(mondrian(data, ladder.columns, k=k).data, ladder.columns).ids
    losses = [_loss_of_labels(axis_of(data, j), ids) for j in range(data.shape[1])]
    does = f"{ids.max() + 1:,} classes, each as narrow as {k} records allow"
    return _Treated("generalise", does, ids, float(np.mean(losses)))


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


def _compared(treated: Mapping[str, _Treated], who: IntArray | None) -> pd.DataFrame:
    """Risk and loss of each treatment, by its name."""
    rows = []
    for one in treated.values():
        sizes = np.bincount(one.ids[one.ids >= 0])
        people = checking.people_per_class(one.ids, who, len(sizes))[sizes > 0]
        sizes = sizes[sizes > 0]
        rows.append(
            {
                "kind": one.kind,
                "does": one.does or "nothing",
                "risk": checking.right_guesses(one.ids, who),
                "unique": float(sizes[people == 1].sum() / sizes.sum()),
                "k": int(people.min()),
                "suppressed": float((one.ids < 0).mean()),
                "loss": one.loss,
            }
        )
    table = pd.DataFrame(rows, index=pd.Index([*treated], name="treatment"))
    order = np.lexsort((table["loss"], table["risk"]))
    least = np.minimum.accumulate(table["loss"].to_numpy()[order])
    better = np.diff(least, prepend=np.inf) < 0
    table["frontier"] = False
    table.loc[table.index[order[better]], "frontier"] = True
    return table


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
    left = _left(ids, secret)
    diversity, distance = list[int](), list[float]()
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        for j in left.columns[1:]:
            classes = equivalence_classes(left, [0], j)
            diversity.append(int(l_diversity(classes)))
            distance.append(float(t_closeness(classes)))
    return min(diversity, default=pd.NA), max(distance, default=np.nan)
