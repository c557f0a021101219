"""Metrics of `check_privacy` for a table that stays in its engine.

Where the class table comes back, the report is made of it as ever. Where it exceeds the
budget, the engine makes a table of its classes for each metric; what comes back is the worst
number, how many records violate a threshold, and the one class that sets the number. The
sensitive value that sets it is found here, from the counts of that class and of all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._grouping import encode, sorted_by_value
from .._kinds import frame_of_arrow
from .._validation import (
    check_choice,
)
from ..classes import EquivalenceClasses, classify_cells
from ..disclosure.attribute import distances, recursive_ratios
from ..disclosure.catalogue import MODELS, change
from ..disclosure.membership import link
from .checks import check_not_the_key, check_one_engine
from .classes import ClassesInEngine, PeopleInEngine, ask_in_engine
from .distinct import Brought, DistinctRowsHere, cached
from .table import (
    EngineTable,
    as_engine_table,
    clear_errors,
    fetch,
    same_engine,
    upload,
)

__all__ = [
    "Anywhere",
    "Facts",
    "MeasureInEngine",
    "against_all_others",
    "disclosures_in_engine",
    "facts_in_engine",
    "identity_in_engine",
    "label_of",
    "only_marked",
    "tables_anywhere",
]


ROUNDING = 1e-12
"""Numbers of classes this close, relative to the worst, are as bad: sums have no order."""


Anywhere = EquivalenceClasses | ClassesInEngine


@dataclass(frozen=True, eq=False)
class MeasureInEngine:
    """A metric of every class, as a column of a table of the engine."""

    metric: str
    keyword: str | None
    classes: ClassesInEngine
    table: Any
    """Expression: q0, q1, …, the numbers, and the `records` of each class."""
    column: str
    worst: str
    """"least" or "greatest" of the numbers."""
    setting: str | None = None
    strict: bool = False
    """Whether a number equal to its threshold violates it."""
    shows: bool = False
    """Whether a sensitive value sets the number of a class."""
    known: dict[str, Any] = field(default_factory=dict, repr=False)
    """What was found of a worst class, for the next metric that has the same."""

    def violating(self, threshold: float, slack: float) -> Any:
        """Condition of classes that violate a threshold."""
        import ibis

        number = self.table[self.column]
        if math.isinf(threshold):
            return number == math.inf if self.strict else ibis.literal(False)
        if self.worst == "least":
            return number < threshold - slack
        if self.strict:
            return number >= threshold - slack
        return number > threshold + slack

    def measure(self, violating: Any) -> tuple[float, int, int | None]:
        """Worst number; classes that violate a threshold, and their records."""
        asked = {"worst": lambda t: t[self.column].min()}
        if self.worst == "greatest":
            asked["worst"] = lambda t: t[self.column].max()
        if violating is not None:
            asked["classes"] = lambda t: violating.sum()
            asked["records"] = lambda t: t.records.sum(where=violating)
        found = self.classes.ask(self.table, **asked)
        if violating is None:
            return found["worst"], 0, None
        return found["worst"], int(found["classes"] or 0), int(found["records"] or 0)

    def worst_class(self, number: float) -> Any:
        """The first class with a number, as an Arrow table of a row."""
        import ibis

        q, column = self.classes.q, self.table[self.column]
        if not q:
            return None
        near = column == number
        if math.isfinite(number):
            near = near | ((column - number).abs() <= ROUNDING * abs(number))
        order = [ibis.asc(name, nulls_first=False) for name in q]
        first = self.table.filter(near).order_by(order).limit(1).select(*q)
        with clear_errors(self.classes.table, f"looking for the worst class of {self.metric}"):
            return fetch(first)

    def of_class(self, row: Any, measure: Callable[[EquivalenceClasses], Any]) -> Any:
        """Measure a class against everybody else, here and once."""
        label = "" if row is None else repr(row.to_pylist())
        if label not in self.known:
            self.known[label] = measure(against_all_others(self.classes, row))
        return self.known[label]

    def mark(self, violating: Any) -> EngineTable:
        """Mark the records of violating classes."""
        marked = self.table.select(*self.classes.q, people=violating.cast("int64"))
        return only_marked(
            self.classes.beside_people(marked, {self.metric: lambda _, mark: mark > 0})
        )


def only_marked(table: EngineTable) -> EngineTable:
    """Records that are left out violate nothing."""
    [name], cells = table.features, table.expression
    return replace(table, expression=cells.mutate(**{name: cells[name].fill_null(False)}))


def label_of(row: Any) -> Any:
    """Quasi-identifiers of a class, as in an index."""
    if row is None:
        return "everyone"
    [cells] = frame_of_arrow(row).itertuples(index=False, name=None)
    return cells[0] if len(cells) == 1 else cells


def against_all_others(classes: ClassesInEngine, row: Any) -> EquivalenceClasses:
    """Class table of two classes: one, and everybody else.

    The numbers of the first are those that it has among all classes, for they depend on its
    own counts and those of the whole table only.
    """
    pairs, table, mine = classes.pairs, classes.table, "n"
    if row is not None:
        names = [f"at {name}" for name in row.column_names]
        with clear_errors(table, "sending a class to the engine"):
            there = upload(table, row.rename_columns(names).append_column("there", [[1]]))
        alike = [pairs[q].identical_to(there[f"at {q}"]) for q in classes.q]
        pairs = pairs.left_join(there, alike).select(*pairs.columns, "there")
        pairs, mine = pairs.mutate(mine=pairs.n * pairs.there.fill_null(0)), "mine"
    counted = pairs.group_by(classes.s).aggregate(total=pairs.n.sum(), mine=pairs[mine].sum())
    with clear_errors(table, "fetching the values of a class"):
        found = fetch(counted)
    values = frame_of_arrow(found.select(classes.s))
    _, order = sorted_by_value(encode(values))
    values, found = values.take(order), found.take(order)
    total, own = (found[name].to_numpy().astype(np.int64) for name in ("total", "mine"))
    rows = np.concatenate([np.flatnonzero(own), np.flatnonzero(total - own)])
    records = np.concatenate([own, total - own])
    records = records[records > 0]
    frame = values.take(rows).reset_index(drop=True)
    frame.insert(0, "class", np.repeat([0, 1], [(own > 0).sum(), (total > own).sum()]))
    known, *secret = frame.columns
    cells, order = encode(frame), np.arange(len(frame))
    origin = DistinctRowsHere(table, (known, *secret), Brought(None, order, cells, records))
    return classify_cells(cells, [known], secret, "category", None, frame.index, origin)


def tables_anywhere(
    table: EngineTable,
    quasi_identifiers: Any,
    sensitive: Any,
    several: str,
    missing: str,
    population: Any,
) -> tuple[Anywhere, dict[Hashable, Anywhere]]:
    """Class table of the quasi-identifiers, and that of each sensitive column.

    What exceeds the budget stays in the engine, as does what is compared with a population
    that does.
    """
    check_choice(several, "several", ("separate", "as quasi-identifier", "joint"))
    asked = ask_in_engine(table, quasi_identifiers)
    names = asked.data.columns
    large = False
    if population is not None:
        mine = list(names[asked.positions])
        large = isinstance(link(table, population, mine, missing), PeopleInEngine)

    def tabulate(others: list[int], secret: list[int], there: bool) -> Anywhere:
        known = replace(asked, positions=asked.positions + others)
        make = known.classify_there if there else known.classify_anywhere
        return make(secret, missing, "*")

    if sensitive is None:
        return tabulate([], [], large), {}
    check_not_the_key(table.key, sensitive, "sensitive")
    secrets = asked.several(sensitive)
    if several == "joint" or len(secrets) == 1:
        one = tabulate([], secrets, large)
        everyone = tabulate([], [], large) if missing == "drop" else one
        name = tuple(names[secrets]) if several == "joint" else names[secrets[0]]
        return everyone, {name: one}
    beside = {j: secrets if several != "separate" else [] for j in secrets}
    tables: dict[Hashable, Anywhere] = {
        names[j]: tabulate([other for other in beside[j] if other != j], [j], False)
        for j in secrets
    }
    return tabulate([], [], large), tables


class Facts(NamedTuple):
    """What is said of classes that stay in the engine."""

    classes: int
    affected: int
    """Records with a missing quasi-identifier."""
    affected_sensitive: int
    """Records with a missing sensitive value."""


def facts_in_engine(classes: ClassesInEngine) -> Facts:
    """Count classes and missing cells."""
    import ibis

    counted, count = classes.counted.counted, classes.counted.count_name
    asked = {"classes": classes.sizes.count()}
    for role, names in (("known", classes.quasi_identifiers), ("secret", classes.sensitive)):
        if names:
            lacks = ibis.or_(*[counted[name].isnull() for name in names])
            asked[role] = counted[count].sum(where=lacks)
    with clear_errors(classes.table, "counting classes and missing cells"):
        found = {role: fetch(number)[0][0].as_py() for role, number in asked.items()}
    numbers = [int(found.get(role) or 0) for role in ("classes", "known", "secret")]
    return Facts(*numbers)


def identity_in_engine(classes: ClassesInEngine, population: Any) -> list[MeasureInEngine]:
    """Metrics of identity and membership."""
    sizes = _kept(
        classes,
        classes.sizes.mutate(records=lambda t: t["size"], risk=lambda t: 1 / t["size"]),
    )
    alone = "risk" if population is None else None
    found = [
        MeasureInEngine("k_anonymity", "k", classes, sizes, "size", "least"),
        MeasureInEngine("prosecutor_risk", alone, classes, sizes, "risk", "greatest"),
    ]
    if population is None:
        return found
    both = _people_of(classes, population)
    both.check_everyone_is_there()
    both.check_part()
    alike = _kept(
        classes, both.found.mutate(records=lambda t: t["size"], risk=lambda t: 1 / t.people)
    )
    there = _kept(classes, both.present)
    return [
        *found,
        MeasureInEngine("k_map", "k_map", classes, alike, "people", "least"),
        MeasureInEngine("journalist_risk", "risk", classes, alike, "risk", "greatest"),
        *(
            MeasureInEngine(f"delta_{name}", name, classes, there, "presence", worst)
            for name, worst in (("presence_lower", "least"), ("presence_upper", "greatest"))
        ),
    ]


def disclosures_in_engine(
    classes: ClassesInEngine,
    kind: Any,
    l: int | None,  # noqa: E741
) -> list[MeasureInEngine]:
    """Metrics of attribute disclosure."""
    formulas = {name: model.formula for name, model in MODELS.items() if model.formula}
    numbers = _kept(classes, classes.numbers(**formulas, skip=change))
    least = l if l is not None else max(int(classes.worst(numbers, "l_diversity", "least")), 2)
    shown = kind if isinstance(kind, str) else "hierarchy"
    found: dict[str, tuple[Any, str, str | None]] = {
        name: (numbers, name, None) for name in formulas
    }
    found["recursive_cl_diversity"] = (
        _kept(classes, recursive_ratios(classes, least)),
        "c",
        f"l={least}",
    )
    found["t_closeness"] = (
        _kept(classes, distances(classes, kind)),
        "distance",
        f"kind={shown}",
    )
    found["delta_disclosure"] = numbers, "delta_disclosure", "absent=inf"
    known: dict[str, Any] = {}
    measures = []
    for name, model in MODELS.items():
        if model.about != "values":
            continue
        column, worst, shows = found[name][1], model.worst, model.shown is not None
        one = MeasureInEngine(
            name,
            model.keyword,
            classes,
            found[name][0],
            column,
            worst,
            found[name][2],
            model.strict,
            shows,
            known,
        )
        measures.append(one)
        if name == "delta_disclosure":
            measures.append(replace(one, keyword=None, column="skip", setting="absent=skip"))
    return measures


def _people_of(classes: ClassesInEngine, population: Any) -> PeopleInEngine:
    """Link classes with those of a population, which must be in their engine."""
    table = as_engine_table(population)
    together = table is not None and same_engine(classes.table, table)
    check_one_engine(together, "population", classes.counted.in_words)
    names = list(classes.quasi_identifiers)
    assert table is not None
    asked = ask_in_engine(table, names, "population", "quasi_identifiers in population")
    return PeopleInEngine(classes, asked.classify_there([], classes.missing, None))


def _kept(classes: ClassesInEngine, numbers: Any) -> Any:
    """Numbers of classes, computed once for all questions."""
    with clear_errors(classes.table, "computing the numbers of classes"):
        return cached(numbers)
