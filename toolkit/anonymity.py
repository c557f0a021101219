"""Can a record be told apart, or known to be in the table at all? Identity and membership.

k-anonymity asks how many records of the table look alike, k-map how many people of the
population do, and delta-presence how sure one can be that a person is in the table. All three
count: `record_class_sizes`, `population_matches` and `class_presence` show what is counted,
and each headline number is the least or the greatest of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._validate import (
    check_contained,
    check_in_population,
    check_partition,
    check_same_classes,
    check_unit_interval,
)
from .classes import (
    EquivalenceClasses,
    as_classes,
    classes_anywhere,
    classify_people,
    link_classes,
    link_in_engine,
    wildcard_matches,
)
from .engine_classes import ClassesInEngine
from .engine_people import PeopleInEngine, risks_in_engine
from .engines import as_engine_table
from .grouping import Encoded, Whole

__all__ = [
    "DeltaPresence",
    "ReidentificationRisk",
    "class_presence",
    "delta_presence",
    "k_anonymity",
    "k_map",
    "linkage_candidates",
    "population_matches",
    "record_class_sizes",
    "record_risks",
    "reidentification_risk",
]


def record_class_sizes(
    data: Any, quasi_identifiers: Any = None, *, missing: str = "category"
) -> pd.Series:
    """How many records each record cannot be told from, itself among them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), EquivalenceClasses or EngineTable
        The table, or its class table, which has the other arguments settled. See `open_table`
        for tables that stay in an engine.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins. With an empty list
        everyone is in one class.
    missing : {"category", "drop", "wildcard"}
        What a missing quasi-identifier is: a value of its own; a reason to leave the record
        out; or a match for any value.

    Returns
    -------
    Series of shape (n_records,)
        Records, at least 1; larger is safer. Index of `data`; missing for records that are
        left out.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or a column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"]}, index=[7, 8, 9])
    >>> record_class_sizes(data, "town").to_dict()
    {7: 2, 8: 2, 9: 1}
    """
    classes = classes_anywhere(data, quasi_identifiers, None, missing, wants_sensitive=False)
    if isinstance(classes, ClassesInEngine):
        return classes.per_record(records=lambda size, _: size)  # type: ignore[return-value]
    return classes.per_record(classes.matches, "records")


def k_anonymity(data: Any, quasi_identifiers: Any = None, *, missing: str = "category") -> int:
    r"""The least number of records that share all quasi-identifiers.

    .. math:: k = \min_c n_c

    over the classes :math:`c` of :math:`n_c` records that agree on the quasi-identifiers. An
    attacker who knows these of a person in the table is left with at least k records.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `record_class_sizes`, of whose result this is the minimum.

    Returns
    -------
    int
        Records, from 1 to n_records; larger is safer.

    Raises
    ------
    TypeError, ValueError
        As `record_class_sizes`.

    See Also
    --------
    class_sizes : the size of every class.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal of
       Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002, Definition 3.

    Examples
    --------
    >>> k_anonymity(pd.DataFrame({"town": ["A", "A", "B"]}), "town")
    1
    """
    classes = classes_anywhere(data, quasi_identifiers, None, missing, wants_sensitive=False)
    if isinstance(classes, ClassesInEngine):
        return classes.k()
    return int(classes.matches.min())


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
    there = _people_in_engine(data, population, quasi_identifiers, missing)
    if there is not None:
        there.check_everyone_is_there()
        return there.per_record(people=lambda _, people: people)  # type: ignore[return-value]
    classes, _, _, matches = in_population(data, population, quasi_identifiers, missing)
    return classes.per_record(matches, "people")


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
        probability of the right link. Larger is safer, 0 cannot be linked. Index of `data`;
        missing for records that are left out.

    Raises
    ------
    TypeError, ValueError
        As `record_class_sizes`, or if `register` lacks a column.

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
    there = _people_in_engine(data, register, quasi_identifiers, missing, "register")
    if there is not None:
        return there.per_record(candidates=lambda _, people: people)  # type: ignore[return-value]
    classes, _, _, rows = _linked(data, register, quasi_identifiers, missing, "register")
    return classes.per_record(rows, "candidates")


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
    there = _people_in_engine(data, population, quasi_identifiers, missing)
    if there is not None:
        return there.k_map()
    return int(in_population(data, population, quasi_identifiers, missing)[3].min())


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
    there = _presence_in_engine(data, population, quasi_identifiers, missing)
    if there is not None:
        return there.presence()  # type: ignore[return-value]
    f, people = _presence(data, population, quasi_identifiers, missing)
    found = {"records": f, "people": people.sizes, "presence": f / people.sizes}
    return pd.DataFrame(found, index=people.labels)


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
    there = _presence_in_engine(data, population, quasi_identifiers, missing)
    if there is not None:
        return DeltaPresence(*there.ends())
    f, people = _presence(data, population, quasi_identifiers, missing)
    share = f / people.sizes
    return DeltaPresence(float(share.min()), float(share.max()))


def record_risks(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any = None,
    missing: str = "category",
) -> pd.DataFrame:
    """The probability that an attacker picks the right person for each record.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `record_class_sizes`.
    population : DataFrame or EquivalenceClasses, optional
        Everyone the records may be about, as for `population_matches`.

    Returns
    -------
    DataFrame of shape (n_records, 1 or 2)
        `prosecutor`, one over the records alike, for an attacker who knows that the person is
        in the table; with a population also `journalist`, one over the people alike, for one
        who does not. Probabilities; smaller is safer. Index of `data`.

    Raises
    ------
    TypeError, ValueError
        As `population_matches`.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B"]})
    >>> record_risks(people.iloc[:3], "town", population=people)
       prosecutor  journalist
    0         0.5         0.5
    1         0.5         0.5
    2         1.0         0.5
    """
    there = _risks_in_engine(data, quasi_identifiers, population, missing)
    if there is not None:
        mine, found = there
        risk = {"prosecutor": lambda records, people: 1.0 / records}
        if found is None:
            return mine.per_record(**risk)  # type: ignore[return-value]
        risk["journalist"] = lambda records, people: 1.0 / people
        return found.per_record(**risk)  # type: ignore[return-value]
    classes, risks = _risks(data, quasi_identifiers, population, missing)
    return classes.on_records(dict(risks))  # type: ignore[no-any-return]


class ReidentificationRisk(NamedTuple):
    """Risks of re-identification; smaller is safer, None is for what needs a population.

    `prosecutor` is the greatest risk of a record whose person is known to be in the table and
    `prosecutor_average` the average over records, the expected share of records that such an
    attacker matches rightly; `journalist` and `marketer` are the same for a person who is only
    known to be in the population. `above_threshold` is the share of records whose risk is
    greater than the threshold: the journalist's where there is a population.
    """

    prosecutor: float
    prosecutor_average: float
    journalist: float | None
    marketer: float | None
    above_threshold: float | None


def reidentification_risk(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    population: Any = None,
    threshold: float | None = None,
    missing: str = "category",
) -> ReidentificationRisk:
    r"""Greatest and average risk that a record is matched with the right person.

    With :math:`n_c` records and :math:`F_c` people in a class, the prosecutor's risk of its
    records is :math:`1 / n_c`, on average the number of classes over that of records; the
    journalist's is :math:`1 / F_c`, and the marketer's :math:`\sum_c (n_c / F_c) / n` is the
    average of that over records, the expected share of records that are matched rightly.

    Parameters
    ----------
    data, quasi_identifiers, population, missing
        As for `record_risks`, of whose columns these are maxima and averages.
    threshold : float, optional
        Count the records whose risk is greater than this probability.

    Returns
    -------
    ReidentificationRisk
        Probabilities and shares; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `record_risks`, or if `threshold` is no share.

    References
    ----------
    .. [1] K. El Emam, *Guide to the De-Identification of Personal Health Information*, CRC
       Press, 2013, chapters 16 to 18.

    Examples
    --------
    One record of a hundred is alone, the others share a class:

    >>> data = pd.DataFrame({"town": ["A"] + ["B"] * 99})
    >>> risk = reidentification_risk(data, "town", threshold=0.5)
    >>> risk.prosecutor, risk.prosecutor_average, risk.above_threshold
    (1.0, 0.02, 0.01)
    """
    if threshold is not None:
        check_unit_interval(threshold, "threshold")
    there = _risks_in_engine(data, quasi_identifiers, population, missing)
    if there is not None:
        measured = risks_in_engine(*there, threshold)
        return ReidentificationRisk(
            measured["prosecutor"],
            measured["prosecutor_average"],
            measured.get("journalist"),
            measured.get("marketer"),
            None if threshold is None else measured["above"],
        )
    classes, risks = _risks(data, quasi_identifiers, population, missing)
    weight, n = classes.sizes, classes.n_records
    # Equal records are added up before the division, so that round numbers stay round.
    average = {name: _sum_by_risk(risk, weight) / n for name, risk in risks.items()}
    above = None
    if threshold is not None:
        at_risk = risks.get("journalist", risks["prosecutor"]) > threshold
        above = int(weight[at_risk].sum()) / n
    journalist = risks.get("journalist")
    return ReidentificationRisk(
        float(risks["prosecutor"].max()),
        average["prosecutor"],
        None if journalist is None else float(journalist.max()),
        average.get("journalist"),
        above,
    )


def _sum_by_risk(risk: npt.NDArray[np.float64], weight: Whole) -> float:
    """Sum the risk of all records."""
    people, place = np.unique(np.rint(1 / risk), return_inverse=True)
    records = np.bincount(place, weight)
    return float((records / people).sum())


def _risks(
    data: Any, quasi_identifiers: Any, population: Any, missing: str
) -> tuple[EquivalenceClasses, dict[str, npt.NDArray[np.float64]]]:
    """Class table, and the risks of the records of each class."""
    if population is None:
        classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
        return classes, {"prosecutor": 1 / classes.matches}
    classes, _, _, matches = in_population(data, population, quasi_identifiers, missing)
    return classes, {"prosecutor": 1 / classes.matches, "journalist": 1 / matches}


def _people_in_engine(
    data: Any,
    population: Any,
    quasi_identifiers: Any,
    missing: str,
    role: str = "population",
) -> PeopleInEngine | None:
    """Both class tables in their engine, if one of them exceeds the budget."""
    both = link_in_engine(data, population, quasi_identifiers, missing, role)
    return None if both is None else PeopleInEngine(*both)


def _presence_in_engine(
    data: Any, population: Any, quasi_identifiers: Any, missing: str
) -> PeopleInEngine | None:
    check_partition(missing, sensitive=True)
    return _people_in_engine(data, population, quasi_identifiers, missing)


def _risks_in_engine(
    data: Any, quasi_identifiers: Any, population: Any, missing: str
) -> tuple[ClassesInEngine, PeopleInEngine | None] | None:
    """Class table in the engine, and the population's, if one of them exceeds the budget."""
    if population is not None:
        both = _people_in_engine(data, population, quasi_identifiers, missing)
        if both is None:
            return None
        both.check_everyone_is_there()
        return both.classes, both
    if as_engine_table(data) is None:
        return None
    classes = classes_anywhere(data, quasi_identifiers, None, missing, wants_sensitive=False)
    return (classes, None) if isinstance(classes, ClassesInEngine) else None


def in_population(
    data: Any, population: Any, quasi_identifiers: Any, missing: str
) -> tuple[EquivalenceClasses, EquivalenceClasses, Whole, Whole]:
    """Both class tables; of each class of `data`, its class in the population and its people.

    The class is -1 where only wildcards match.
    """
    linked = _linked(data, population, quasi_identifiers, missing, "population")
    check_in_population(linked[0].labels[linked[3] == 0])
    return linked


def _linked(
    data: Any, population: Any, quasi_identifiers: Any, missing: str, role: str
) -> tuple[EquivalenceClasses, EquivalenceClasses, Whole, Whole]:
    """As `in_population`, where a class of `data` may have nobody in the population."""
    classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
    people = _classes_of_population(population, classes, role)
    joint, here, there = link_classes(classes, people)
    rows = len(joint.codes[0]) if joint.codes else 1
    joint = Encoded(joint.codes, joint.values, rows)
    count = np.zeros(rows, np.int64)
    count[there] = people.sizes
    matches = wildcard_matches(joint, count) if classes.missing == "wildcard" else count
    number = np.full(rows, -1)
    number[there] = np.arange(len(there))
    return classes, people, number[here], matches[here]


def _classes_of_population(
    population: Any, classes: EquivalenceClasses, role: str
) -> EquivalenceClasses:
    """Class table of the population, by the columns and the policy of the sample."""
    if not isinstance(population, EquivalenceClasses):
        names = list(classes.quasi_identifiers)
        return classify_people(population, names, classes.missing, role)
    check_same_classes(
        classes.quasi_identifiers,
        population.quasi_identifiers,
        (classes.missing, population.missing),
    )
    return population


def _presence(
    data: Any, population: Any, quasi_identifiers: Any, missing: str
) -> tuple[Whole, EquivalenceClasses]:
    """Records of `data` in each class of the population, and its class table."""
    asked = data.missing if isinstance(data, EquivalenceClasses) else missing
    check_partition(asked, sensitive=True)
    classes, people, number, _ = in_population(data, population, quasi_identifiers, missing)
    return records_of_people(classes, people, number), people


def records_of_people(
    classes: EquivalenceClasses, people: EquivalenceClasses, number: Whole
) -> Whole:
    """Records in each class of the population, of which each class of `data` has a number."""
    records = np.zeros(len(people.sizes), np.int64)
    records[number] = classes.sizes
    check_contained(people.labels[records > people.sizes])
    return records
