"""Levels of hierarchies that meet thresholds: classes and loss of any levels, and a search.

`Ladder` holds the quasi-identifiers of a table on all levels. `meet` takes out the records
that violate a threshold, and `least_levels` looks for the levels that lose least.
"""

from __future__ import annotations

import itertools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import Encoded, everyone, refine
from .._typing import AnyArray, BoolArray, IntArray
from .._validation import check_hierarchy
from ..anonymisation.full_domain import optimal_generalisation
from ..anonymisation.hierarchies import (
    SuggestedHierarchy,
    mean_openness,
    suggest_hierarchies,
)
from .checking import check_privacy
from .roles import PERSON, shown_names

__all__ = [
    "DEFAULT_K",
    "Ladder",
    "MOST_DROPPED",
    "MOST_ORDERED",
    "Plan",
    "SUPPRESSED",
    "WITHOUT_PEOPLE",
    "class_numbers",
    "exact_values",
    "least_levels",
    "measurable",
    "meet",
    "people_per_class",
    "right_guesses",
    "size_asked",
    "spread_note",
    "suggested_trees",
    "usual_levels",
    "violating",
]


DEFAULT_K = 5
"""Least number of records in a class if no threshold is asked for."""


SUPPRESSED = 0.05
"""Share of the records that may be taken out, if nothing else is said."""


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


WITHOUT_PEOPLE = (
    "k",
    "risk",
    "alpha",
    "l",
    "entropy_l",
    "c",
    "beta",
    "enhanced_beta",
    "delta",
    "t",
)
"""Thresholds that need no population."""


def people_per_class(ids: IntArray, who: IntArray | None, classes: int) -> IntArray:
    """How many people have records in each class; records, if nobody says whose they are.

    A record of nobody known (-1) adds none, unless its class has such records only.

    Examples
    --------
    >>> ids, who = np.array([0, 0, 1, 1, -1]), np.array([7, 7, 7, -1, 8])
    >>> people_per_class(ids, None, 2), people_per_class(ids, who, 2)
    (array([2, 2]), array([1, 1]))
    """
    there = ids >= 0
    records = np.bincount(ids[there], minlength=classes)
    if who is None:
        return records
    there &= who >= 0
    size = int(who.max(initial=0)) + 1
    pairs = pd.unique(ids[there].astype(np.int64) * size + who[there])
    return np.maximum(np.bincount(pairs // size, minlength=classes), records > 0)


def exact_values(
    data: pd.DataFrame, sensitive: Sequence[Any], who: IntArray | None = None
) -> str:
    """Say what sensitive columns disclose by their own cells, which no treatment changes.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table, or its release.
    sensitive : sequence of columns
        Those that are released as they are.
    who : array of int of shape (n_records,), optional
        Number of the person of each record; -1 for nobody known.

    Returns
    -------
    str
        Sentences with the share of the records whose value nobody else has, column by column;
        empty if each value is there for two at least.

    Examples
    --------
    >>> said = exact_values(pd.DataFrame({"pay": [1200, 1200, 1875]}), ["pay"])
    >>> print(said.split(". ")[1][:64])
    A value that only one record has (33 % of the records in 'pay')
    """
    alone = []
    for name in sensitive:
        ids, values = pd.factorize(data[name])
        there = ids >= 0
        single = people_per_class(ids, who, len(values))[ids[there]] == 1
        if single.any():
            part = 100 * float(single.sum()) / len(ids)
            amount = f"{part:.0f}" if 1 <= part <= 99 or part == 100 else ""
            amount = amount or ("under 1" if part < 1 else "over 99")
            alone.append(f"{amount} % of the records in {str(name)!r}")
    if not alone:
        return ""
    one = "record" if who is None else "person"
    return (
        f"Sensitive columns are released as they are, and k ignores them. A value that only"
        f" one {one} has ({shown_names([*alone])}) leads anybody who knows it to that {one}:"
        f" round such values, pool rare ones, or leave the column out."
    )


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
    """Quasi-identifiers as whole numbers, on each level of their hierarchies."""

    plain: pd.DataFrame
    columns: list[str]
    encoded: Encoded
    trees: Mapping[str, SuggestedHierarchy]
    who: IntArray | None = None
    """Number of the person of each record, or -1; None where each is a person's only one."""
    _kept: dict[tuple[int, int], IntArray] = field(default_factory=dict, repr=False)
    _losses: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)
    """Of every record, by column and level."""
    _tables: dict[int, AnyArray] = field(default_factory=dict, repr=False)
    """By column: a row per value of the table, which lists its label on each level."""

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
            cells, _, row = check_hierarchy(self.trees[name].table, known, name)
            self._tables[j] = cells[row]
        return pd.Series(self._tables[j][:, level].tolist())

    def labels(self, j: int, level: int) -> IntArray:
        """Numbers of the labels of a column's values on a level."""
        if (j, level) not in self._kept:
            self._kept[j, level] = self._coarser(j, level)
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
        changed = [j for j, level in enumerate(levels) if not self._is_plain(j, level)]
        return "; ".join(
            f"{self.columns[j]}: "
            + ("dropped" if levels[j] == self.heights[j] else self.level_name(j, levels[j]))
            for j in changed
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """A hierarchy for each column; all or nothing where none was suggested."""
        return {
            name: self.trees[name].table if name in self.trees else self._all_or_nothing(name)
            for name in self.columns
        }

    def _is_plain(self, j: int, level: int) -> bool:
        return level == 0 or len(self.encoded.values[j]) < 2

    def _coarser(self, j: int, level: int) -> IntArray:
        values = self.encoded.values[j]
        if self._is_plain(j, level):
            return np.arange(len(values))
        if level == self.heights[j]:
            return np.zeros(len(values), np.int64)
        return np.asarray(pd.factorize(self.cells(j, level), use_na_sentinel=False)[0])

    def _all_or_nothing(self, name: str) -> pd.DataFrame:
        values = pd.unique(self.plain[name])
        return pd.DataFrame({0: values, 1: ["*"] * len(values)})


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


def spread_note(ids: IntArray, who: IntArray | None) -> str:
    """Whom k says little about, in a sentence: people with records in several classes.

    Examples
    --------
    >>> spread_note(np.array([0, 0, 1, 1]), np.array([7, 8, 7, 9]))[:47]
    '1 of these people have records in several class'
    """
    if who is None:
        return ""
    there = (ids >= 0) & (who >= 0)
    places = pd.DataFrame({"class": ids[there], "who": who[there]}).drop_duplicates()
    spread = int((places["who"].value_counts() > 1).sum())
    return (
        f"{spread:,} of these people have records in several classes; k says nothing of an"
        " attacker who knows more than one of their records."
        if spread
        else ""
    )


def right_guesses(ids: IntArray, who: IntArray | None = None) -> float:
    """Share of the records left whose person a guess within their class finds.

    The guess is among the people of the class, as many as `people_per_class` says.

    Examples
    --------
    >>> right_guesses(np.array([0, 0, 1, 1, -1]))
    0.5
    >>> right_guesses(np.array([0, 0, 1, 1, -1]), np.array([7, 7, 8, 9, 9]))
    0.75
    """
    classes = int(ids.max()) + 1
    people = people_per_class(ids, who, classes)
    sizes = np.bincount(ids[ids >= 0], minlength=classes)
    there = sizes > 0
    if who is None:
        return float(there.sum() / sizes.sum())
    return float((sizes[there] / people[there]).sum() / sizes.sum())


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


def meet(
    ladder: Ladder,
    plan: Plan,
    secret: pd.DataFrame,
    thresholds: Mapping[str, float],
    limit: int,
) -> Plan | None:
    """Take out the records of classes that violate a threshold, until none does.

    Parameters
    ----------
    ladder : Ladder
        The quasi-identifiers on all levels.
    plan : Plan
        Levels with every record.
    secret : DataFrame of shape (n_records, n_sensitive)
        The sensitive columns, as categories; perhaps none.
    thresholds : mapping
        As for `check_privacy`, without those that need a population.
    limit : int
        Records that may be taken out.

    Returns
    -------
    Plan or None
        The loss counts a record that is taken out as lost as a whole. None if more records
        would have to go, or all.
    """
    ids = plan.ids.copy()
    while True:
        wrong = violating(ids, secret, thresholds, ladder.who)
        if not wrong.any():
            break
        ids[wrong] = -1
        gone = int((ids < 0).sum())
        if gone > limit or gone == len(ids):
            return None
    if not (ids < 0).any():
        return plan
    losses = [ladder.loss(j, level, ids >= 0) for j, level in enumerate(plan.levels)]
    return plan._replace(ids=ids, loss=float(np.mean(losses)))


def violating(
    ids: IntArray,
    secret: pd.DataFrame,
    thresholds: Mapping[str, float],
    who: IntArray | None = None,
) -> BoolArray:
    """Which records are left, in a class that violates a threshold."""
    wrong = np.zeros(len(ids), bool)
    there = ids >= 0
    least = size_asked(thresholds)
    people = people_per_class(ids, who, int(ids.max(initial=-1)) + 1)
    wrong[there] = people[ids[there]] < least
    rest: dict[str, Any] = {
        name: one for name, one in thresholds.items() if name not in ("k", "risk")
    }
    if wrong.any() or not rest:
        return wrong
    cells = {
        j + 1: secret.iloc[:, j][there].cat.remove_unused_categories().array
        for j in range(secret.shape[1])
    }
    left = pd.DataFrame({0: ids[there], **cells})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_privacy(left, [0], list(cells), **rest)
        for mark in found.marks.values():
            wrong[there] |= np.asarray(mark(), bool)
    return wrong


def measurable(thresholds: Mapping[str, float], sensitive: bool) -> dict[str, float]:
    """Thresholds that levels can be searched for: without people, and with values."""
    known = WITHOUT_PEOPLE if sensitive else ("k", "risk")
    return {name: thresholds[name] for name in known if thresholds.get(name) is not None}


def size_asked(thresholds: Mapping[str, float]) -> int:
    """Least size of a class that k and risk ask for."""
    least = int(thresholds.get("k", 1))
    risk = thresholds.get("risk", 1.0)
    return max(least, math.ceil(1 / risk - 1e-9) if risk > 0 else 2**53)


def least_levels(
    ladder: Ladder,
    secret: pd.DataFrame,
    thresholds: Mapping[str, float],
    *,
    suppression_limit: float = SUPPRESSED,
    others: Sequence[Plan] = (),
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
        The quasi-identifiers on all levels.
    secret, thresholds
        As for `meet`.
    suppression_limit : float
        Share of the records that may be taken out.
    others : sequence of Plan
        Further levels to look at, with every record.

    Returns
    -------
    Plan or None
        None if nothing meets the thresholds.
    """
    limit = math.floor(suppression_limit * ladder.encoded.rows + 1e-9)
    tried: dict[tuple[int, ...], Plan | None] = {}

    def look(levels: Sequence[int]) -> Plan | None:
        levels = tuple(levels)
        if levels not in tried:
            tried[levels] = meet(ladder, ladder.on(levels), secret, thresholds, limit)
        return tried[levels]

    if math.prod(height + 1 for height in ladder.heights) > MOST_NODES:
        about = secret, thresholds, suppression_limit, _fewest_values(ladder)
        starts = [*_least_by_column(ladder, *about), _equally_coarse(ladder, look)]
    else:
        starts = _least_by_column(ladder, secret, thresholds, suppression_limit)
    if not starts:
        return None
    together = tuple(max(column) for column in zip(*starts, strict=True))
    for start in [*starts, together]:
        _lowered(_raised(start, ladder, look), look, tried, ladder.encoded.rows)
    met = [plan for plan in tried.values() if plan is not None]
    for plan in others:
        if plan.levels not in tried and all(plan.loss < one.loss for one in met):
            met += filter(None, [meet(ladder, plan, secret, thresholds, limit)])
    return min(met, key=lambda plan: (round(plan.loss, 12), plan.levels), default=None)


Look = Callable[[Sequence[int]], Plan | None]


def _least_by_column(
    ladder: Ladder,
    secret: pd.DataFrame,
    thresholds: Mapping[str, float],
    suppression_limit: float,
    free: Sequence[str] | None = None,
) -> list[tuple[int, ...]]:
    """Least levels for the thresholds of one sensitive column at a time; none if none do.

    Columns that are not `free`, if some are, stay hidden.
    """
    free = ladder.columns if free is None else [*free]
    least = size_asked(thresholds)
    asked: dict[str, Any] = {"k": least}
    of_values: dict[str, Any] = {
        name: thresholds[name] for name in ("l", "t") if name in thresholds
    }
    if "entropy_l" in thresholds and "l" not in thresholds:
        of_values |= {"l": thresholds["entropy_l"], "diversity": "entropy"}
    owners: list[Any] = [(name, secret[name], of_values) for name in secret if of_values]
    if ladder.who is not None and least > 1:
        # k people in a class are k different values of the column that tells them apart.
        owners.append((PERSON, pd.Series(ladder.who).astype("category"), {"l": least}))
    trees = ladder.tables()
    data, tables = ladder.plain[free], {name: trees[name] for name in free}
    found = []
    for name, cells, wanted in owners or [(None, None, {})]:
        about: dict[str, Any] = {} if name is None else {"sensitive": name, **wanted}
        table = data if name is None else data.assign(**{name: cells})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                release = optimal_generalisation(
                    table,
                    free,
                    tables,
                    suppression_limit=suppression_limit,
                    **asked,
                    **about,
                )
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
    most = max(ladder.heights)
    for step in range(most):
        levels = tuple(min(step, height) for height in ladder.heights)
        if look(levels) is not None:
            return levels
    return ladder.heights


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
