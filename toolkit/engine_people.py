"""A table and its population in one engine: who of whom, counted there.

Both are grouped by the same quasi-identifiers; a join of the two lists of classes, on equal
values where a missing one equals a missing one, says how many people each class has and how
many records each kind of person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ._validate import check_contained, check_in_population
from .engine_classes import ClassesInEngine
from .engines import EngineTable, clear_errors, fetch, frame_of_arrow

__all__ = ["PeopleInEngine", "risks_in_engine"]

SHOWN = 8
"""Classes that are fetched for an error, which lists some of them."""


@dataclass(frozen=True, eq=False)
class PeopleInEngine:
    """The classes of a table, and those of its population, by the same columns in order."""

    classes: ClassesInEngine
    people: ClassesInEngine

    @cached_property
    def found(self) -> Any:
        """Classes with their records, `size`, and their `people`, of whom there may be 0."""
        mine = self.classes.sizes
        joined = self._join(mine, self.of_people)
        return joined.mutate(people=joined.people.fill_null(0.0))

    @cached_property
    def of_people(self) -> Any:
        """Classes of the population with their `people`."""
        return self.people.sizes.rename(people="size")

    @cached_property
    def present(self) -> Any:
        """Classes of the population with `people` F, `records` f and `presence` f / F."""
        joined = self._join(self.of_people, self.classes.sizes)
        joined = joined.mutate(records=joined["size"].fill_null(0.0))
        return joined.mutate(presence=joined.records / joined.people)

    def _join(self, left: Any, right: Any) -> Any:
        """Keep all classes of the left side, with the number of the right one."""
        q = self.classes.q
        [number] = [name for name in right.columns if name not in q]
        if not q:
            return left.cross_join(right)
        right = right.rename(**{f"same {j}": name for j, name in enumerate(q)})
        alike = [left[name].identical_to(right[f"same {j}"]) for j, name in enumerate(q)]
        joined = left.left_join(right, alike)
        return joined.select(*[left[name] for name in left.columns], right[number])

    def check_everyone_is_there(self) -> None:
        """Refuse classes of the table that nobody of the population has."""
        self._refuse(self.found, lambda t: t.people == 0, check_in_population)

    def check_part(self) -> None:
        """Refuse classes with more records than people."""
        self._refuse(self.present, lambda t: t.records > t.people, check_contained)

    def _refuse(
        self, table: Any, wrong: Callable[[Any], Any], check: Callable[..., None]
    ) -> None:
        found = table.filter(wrong(table))
        with clear_errors(self.classes.table, "comparing the table with its population"):
            number = int(fetch(found.count())[0][0].as_py())
            if not number:
                return
            some = (
                fetch(found.select(*self.classes.q).limit(SHOWN)) if self.classes.q else None
            )
        frame = None if some is None else frame_of_arrow(some)
        rows = ["everyone"] if frame is None else frame.itertuples(index=False, name=None)
        labels = [row[0] if len(row) == 1 else row for row in rows]
        check(labels, number)

    def k_map(self) -> int:
        """The least people of a class."""
        self.check_everyone_is_there()
        return int(self.classes.ask(self.found, k_map=lambda t: t.people.min())["k_map"])

    def ends(self) -> tuple[float, float]:
        """The least and the greatest share of a class of the population that is there."""
        self.check_everyone_is_there()
        self.check_part()
        found = self.classes.ask(
            self.present, lower=lambda t: t.presence.min(), upper=lambda t: t.presence.max()
        )
        return float(found["lower"]), float(found["upper"])

    def presence(self) -> EngineTable:
        """Classes of the population with `records`, `people` and `presence`."""
        self.check_everyone_is_there()
        self.check_part()
        table = self.present
        numbers = {
            "records": table.records.cast("int64"),
            "people": table.people.cast("int64"),
            "presence": table.presence,
        }
        return self.classes.per_class(table, numbers)

    def per_record(self, /, **numbers: Callable[[Any, Any], Any]) -> EngineTable:
        """Give each record numbers of its class."""
        people = self.of_people.mutate(people=self.of_people.people.cast("int64"))
        return self.classes.per_record(people, **numbers)


def risks_in_engine(
    classes: ClassesInEngine, found: PeopleInEngine | None, threshold: float | None
) -> dict[str, float]:
    """Greatest and average risks of a record, and the share of records above a threshold."""
    limit = 1.0 if threshold is None else threshold
    table = classes.sizes if found is None else found.found
    numbers: dict[str, Callable[[Any], Any]] = {
        "prosecutor": lambda t: (1.0 / t["size"]).max(),
        "classes": lambda t: t.count(),
        "above": lambda t: t["size"].sum(where=1.0 / t[of] > limit),
    }
    of = "size" if found is None else "people"
    if found is not None:
        numbers["journalist"] = lambda t: (1.0 / t.people).max()
        numbers["marketer"] = lambda t: (t["size"] / t.people).sum()
    asked = classes.ask(table, **numbers)
    risks = {
        "prosecutor": float(asked["prosecutor"]),
        "prosecutor_average": asked["classes"] / classes.n_records,
        "above": float(asked["above"] or 0) / classes.n_records,
    }
    if found is not None:
        risks["journalist"] = float(asked["journalist"])
        risks["marketer"] = float(asked["marketer"]) / classes.n_records
    return risks
