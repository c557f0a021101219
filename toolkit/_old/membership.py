"""Membership disclosure: k-map, δ-presence and linkage of a table with its population."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import Encoded, kind_of
from .._typing import IntArray, by_kind
from .._validation import check_partition, listed
from .classes import (
    EquivalenceClasses,
    LocalNumbers,
    as_classes,
    ask,
    link_classes,
    policy_of,
    wildcard_matches,
)


def population_matches(
    data: Any, population: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> pd.Series:
    """How many people of the population each record may belong to.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
        The released records.
    population : DataFrame of shape (n_people, n_features), or EquivalenceClasses
        Everyone the records may be about, recoded in the same way.
    quasi_identifiers, missing
        As for `record_class_sizes`. Columns are found in `population` by their names.

    Returns
    -------
    Series of shape (n_records,)
        People, at least 1; larger is safer. Index of `data`; missing for records that are
        left out.

    Raises
    ------
    TypeError, ValueError
        As `record_class_sizes`, or if the population lacks a class of `data`.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B", "B"]})
    >>> population_matches(people.iloc[[0, 2]], people, "town").to_dict()
    {0: 2, 2: 3}
    """
    linked = in_population(data, population, quasi_identifiers, missing)
    return linked.people_of_records("people")


def linkage_candidates(
    data: Any, register: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> pd.Series:
    """How many rows of another table each record may be linked with; there may be none.

    What is left of a join of two tables when nobody is named in it: with a register of names,
    the people that each record may belong to; the other way round, the records that each
    person of the register may own. Unlike `population_matches` it does not ask that everyone
    be in the register, so that a single candidate is no proof: the right person may be absent.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
        The rows to be linked.
    register : DataFrame of shape (n_rows, n_features), or EquivalenceClasses
        The table they are linked with, recoded in the same way.
    quasi_identifiers, missing
        As for `record_class_sizes`. Columns are found in `register` by their names.

    Returns
    -------
    Series of shape (n_records,)
        Rows of `register`, at least 0; for a record whose person is there, one over it is the
        probability of the right link. Larger is safer; 0 says that none was found as written,
        where José may stand as JOSÉ. Index of `data`; missing for records that are left out.

    Raises
    ------
    TypeError, ValueError
        As `record_class_sizes`, or if `register` lacks a column, or has text in one where
        `data` has numbers.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal of
       Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002, section 2.

    Examples
    --------
    >>> patients = pd.DataFrame({"town": ["A", "B", "C"]}, index=[7, 8, 9])
    >>> voters = pd.DataFrame({"name": ["Ann", "Bob", "Cem"], "town": ["A", "B", "B"]})
    >>> linkage_candidates(patients, voters, "town").to_dict()
    {7: 1, 8: 2, 9: 0}
    """
    linked = link(data, register, quasi_identifiers, missing, "register")
    return linked.people_of_records("candidates")


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


def class_presence(
    data: Any, population: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> pd.DataFrame:
    """How likely a person of each class of the population is to be in the table.

    Parameters
    ----------
    data, population, quasi_identifiers
        As for `population_matches`; `data` is a part of `population`.
    missing : {"category", "drop"}
        As for `record_class_sizes`; "wildcard" makes no classes.

    Returns
    -------
    DataFrame of shape (n_classes, 3)
        `records` f in `data` and `people` F in the population, and `presence` f / F, for
        each class of the population in order of its first record there; smaller `presence`
        says less about who is in, larger about who is out. Indexed by the quasi-identifiers.

    Raises
    ------
    TypeError, ValueError
        As `population_matches`, or if a class has more records than people.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B", "B"]})
    >>> class_presence(people.iloc[[0, 2]], people, "town").round(2)
          records  people  presence
    town
    A           1       2      0.50
    B           1       3      0.33
    """
    return _partitions(data, population, quasi_identifiers, missing).presence()


class DeltaPresence(NamedTuple):
    """The least and the greatest probability that a person of the population is in the table.

    The table is (lower, upper)-present; the closer both are to each other, the less it says.
    """

    lower: float
    upper: float


def delta_presence(
    data: Any, population: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> DeltaPresence:
    r"""How little and how much the table says about who is in it.

    .. math:: \delta_{\min} = \min_c f_c / F_c, \quad \delta_{\max} = \max_c f_c / F_c

    over the classes of the population, of whose :math:`F_c` people :math:`f_c` are in the
    table. Cost is linear in the rows of both tables.

    Parameters
    ----------
    data, population, quasi_identifiers, missing
        As for `class_presence`, of whose result these are minimum and maximum.

    Returns
    -------
    DeltaPresence
        `lower` and `upper`, probabilities; a smaller `upper` and a larger `lower` are safer.

    Raises
    ------
    TypeError, ValueError
        As `class_presence`.

    References
    ----------
    .. [1] M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from
       shared databases", SIGMOD 2007, Definition 3.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B"]})
    >>> delta_presence(people.iloc[:3], people, "town")
    DeltaPresence(lower=0.5, upper=1.0)
    """
    linked = _partitions(data, population, quasi_identifiers, missing)
    return DeltaPresence(*linked.ends())


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


def _partitions(
    data: Any, population: Any, quasi_identifiers: Any, missing: str
) -> LinkedClasses:
    """As `in_population`, where records and people belong to one class each."""
    check_partition(policy_of(data, missing))
    return in_population(data, population, quasi_identifiers, missing)


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
