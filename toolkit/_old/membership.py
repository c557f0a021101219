"""Membership disclosure: k-map, δ-presence and linkage of a table with its population."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from .._typing import IntArray
from .classes import (
    EquivalenceClasses,
    LocalNumbers,
    as_classes,
    ask,
    link_classes,
    wildcard_matches,
)
from .grouping import Encoded, kind_of
from .typing import by_kind
from .validation import listed


def k_map(
    data: Any, population: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> int:
    r"""The least number of people in the population that a record may belong to.

    .. math:: k = \min_c F_c

    over the classes of `data`, where :math:`F_c` people of the population have the
    quasi-identifiers of class :math:`c`. Cost is linear in the rows of both tables.

    Parameters
    ----------
    data, population, quasi_identifiers, missing
        As for `population_matches`, of whose result this is the minimum.

    Returns
    -------
    int
        People; larger is safer.

    Raises
    ------
    TypeError, ValueError
        As `population_matches`.

    References
    ----------
    .. [1] K. El Emam and F. K. Dankar, "Protecting privacy using k-anonymity", Journal of the
       American Medical Informatics Association 15(5), 2008.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B", "B"]})
    >>> k_map(people.iloc[[0, 2]], people, "town")
    2
    """
    return in_population(data, population, quasi_identifiers, missing).k_map()


@dataclass(frozen=True, eq=False)
class LinkedClasses:
    """Class tables of a table and of its population, class by class."""

    classes: EquivalenceClasses
    people: EquivalenceClasses
    number: IntArray
    """Class of the population of each class; -1 where only wildcards match."""
    matches: IntArray
    """People of each class."""

    def check_everyone_is_there(self) -> None:
        """Refuse classes of the table that nobody of the population has."""
        check_in_population(self.classes.labels[self.matches == 0])

    @cached_property
    def records(self) -> IntArray:
        """Records, or people, of the table in each class of the population."""
        records = np.zeros(len(self.people.sizes), np.int64)
        records[self.number] = self.classes.matches
        check_contained(self.people.labels[records > self.people.matches])
        return records

    def of_sizes(self, **formulas: Callable[[Any], Any]) -> LocalNumbers:
        """Numbers of each class of the table by formulas of its `people`."""
        sizes = SimpleNamespace(people=self.matches)
        return LocalNumbers(self.classes, {name: f(sizes) for name, f in formulas.items()})

    def of_people(self, **formulas: Callable[[Any], Any]) -> LocalNumbers:
        """Numbers of each class of the population, of its `people` and their `records`."""
        sizes = SimpleNamespace(people=self.people.matches, records=self.records)
        found = {name: f(sizes) for name, f in formulas.items()}
        return LocalNumbers(self.classes, found, self.people, self.number)

    def k_map(self) -> int:
        """The least people of a class."""
        return int(self.matches.min())

    def ends(self) -> tuple[float, float]:
        """The least and the greatest share of a class of the population that is there."""
        share = self.records / self.people.matches
        return float(share.min()), float(share.max())

    def presence(self) -> pd.DataFrame:
        """Classes of the population with `records`, `people` and `presence`."""
        f, people = self.records, self.people.matches
        found = {"records": f, "people": people, "presence": f / people}
        return pd.DataFrame(found, index=self.people.labels)

    def people_of_records(self, name: str) -> pd.Series:
        """Give each record the people of its class."""
        return self.classes.per_record(self.matches, name)

    def on_records(self, numbers: dict[str, Callable[[Any, Any], Any]]) -> pd.DataFrame:
        """Give each record numbers of its class: of its records and its people."""
        both = self.classes.matches, self.matches
        found = {name: f(*both) for name, f in numbers.items()}
        return self.classes.on_records(found)


def in_population(
    data: Any, population: Any, quasi_identifiers: Any, missing: str
) -> LinkedClasses:
    """Link class tables, where each class of `data` has people of the population.

    Linked classes that stay in an engine have the same methods.
    """
    linked = link(data, population, quasi_identifiers, missing)
    linked.check_everyone_is_there()
    return linked


@by_kind(2)
def link(
    data: Any, population: Any, quasi_identifiers: Any, missing: str, role: str = "population"
) -> LinkedClasses:
    """Link class tables, where a class of `data` may have nobody in the population."""
    classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
    people = _classes_of_population(population, classes, role)
    pairs = zip(classes.quasi_identifiers, classes.values, people.values, strict=True)
    for name, known, others in pairs:
        mine, theirs = _family(known), _family(others)
        if mine and theirs and mine != theirs:
            raise ValueError(
                f"{role}: column {name!r} holds {theirs} where data holds {mine}, so that no"
                f" two cells could be equal; write both tables alike."
            )
    joint, here, there = link_classes(classes, people)
    rows = len(joint.codes[0]) if joint.codes else 1
    joint = Encoded(joint.codes, joint.held, rows)
    count = np.zeros(rows, np.int64)
    wild = classes.missing == "wildcard"
    count[there] = people.sizes if wild else people.matches
    matches = wildcard_matches(joint, count) if wild else count
    number = np.full(rows, -1)
    number[there] = np.arange(len(there))
    return LinkedClasses(classes, people, number[here], matches[here])


FAMILIES = {
    **dict.fromkeys(["integer", "floating", "mixed-integer-float", "decimal"], "numbers"),
    **dict.fromkeys(["datetime64", "datetime", "date"], "dates"),
    **{"boolean": "numbers", "string": "text", "time": "times of the day"},
    **{"timedelta64": "durations", "timedelta": "durations", "period": "periods"},
    **{"interval": "intervals", "bytes": "bytes"},
}
"""What kinds of cells, as pandas calls them, may equal each other."""


def _family(values: pd.Index) -> str | None:
    """What values are, if cells of another family surely differ from them."""
    known = values.dropna()
    family = FAMILIES.get(kind_of(known)) if len(known) else None
    zone = getattr(known.astype(object)[0], "tzinfo", None) if family == "dates" else None
    return family if zone is None else "dates with a time zone"


def _classes_of_population(
    population: Any, classes: EquivalenceClasses, role: str
) -> EquivalenceClasses:
    """Class table of the population, by the columns and the policy of the sample."""
    found: EquivalenceClasses = population
    if not isinstance(population, EquivalenceClasses):
        names = list(classes.quasi_identifiers)
        asked = ask(population, names, role, f"quasi_identifiers in {role}")
        found = asked.classify([], classes.missing)
    here, there = classes.quasi_identifiers, found.quasi_identifiers
    if list(here) != list(there):
        raise ValueError(
            f"data and population must have the same quasi-identifiers in the same order; got"
            f" {listed(here)} and {listed(there)}."
        )
    if classes.missing != found.missing:
        raise ValueError(
            f"data and population must treat missing cells alike; got"
            f" missing={classes.missing!r} and {found.missing!r}."
        )
    return found


def check_in_population(lacking: Iterable[object], number: int | None = None) -> None:
    """Refuse records of the sample that nobody in the population has; some may be listed."""
    lacking = list(lacking)
    if lacking:
        error = ValueError(
            f"the population has no record of {number or len(lacking)} of the classes of data."
            f" The population must contain the sample, and be recoded in the same way."
        )
        raise _with_classes(error, lacking)


def check_contained(more: Iterable[object], number: int | None = None) -> None:
    """Refuse classes with more records in the sample than in the population."""
    more = list(more)
    if more:
        error = ValueError(
            f"data has more records than the population in {number or len(more)} of its"
            f" classes; the population must contain the sample."
        )
        raise _with_classes(error, more)


def _with_classes(error: ValueError, classes: Iterable[object]) -> ValueError:
    """Name classes in a note, which a traceback shows and the command line does not."""
    error.add_note(f"The classes: {listed([*classes])}.")
    return error
