"""Identity disclosure: class sizes, k-anonymity and the risk of re-identification.

k-anonymity asks how many records of the table look alike, k-map how many people of the
population do, and delta-presence how sure one can be that a person is in the table. All three
count: `record_class_sizes`, `population_matches` and `class_presence` show what is counted,
and each headline number is the least or the greatest of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import BoolArray, FloatArray, IntArray, by_kind
from .._validation import check_column, check_table, number
from .classes import class_table
from .membership import LinkedClasses, in_population


def record_class_sizes(
    data: Any, quasi_identifiers: Any = None, *, missing: str = "category", person: Any = None
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
    person : column, optional
        What is equal on all records of one person, or house. These are then counted, and not
        records: five visits of one patient hide nobody.

    Returns
    -------
    Series of shape (n_records,)
        Records, or people, at least 1; larger is safer. Index of `data`; missing for records
        that are left out.

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
    roles = quasi_identifiers, None, missing
    classes = class_table(data, *roles, wants_sensitive=False, person=person)
    counted = "records" if person is None else "people"
    return classes.per_record(lambda alike: alike, counted)


def k_anonymity(
    data: Any, quasi_identifiers: Any = None, *, missing: str = "category", person: Any = None
) -> int:
    r"""The least number of records that share all quasi-identifiers.

    .. math:: k = \min_c n_c

    over the classes :math:`c` of :math:`n_c` records that agree on the quasi-identifiers. An
    attacker who knows these of a person in the table is left with at least k records.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        As for `record_class_sizes`, of whose result this is the minimum.

    Returns
    -------
    int
        Records, from 1 to n_records, or people if a `person` names them; larger is safer.

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

    Two visits of one patient are two records, but one person:

    >>> visits = pd.DataFrame({"patient": [7, 7], "town": ["A", "A"]})
    >>> k_anonymity(visits, "town"), k_anonymity(visits, "town", person="patient")
    (2, 1)
    """
    roles = quasi_identifiers, None, missing
    return class_table(data, *roles, wants_sensitive=False, person=person).k()


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
    if population is None:
        classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
        return classes.on_records({"prosecutor": lambda alike: 1.0 / alike})
    linked = in_population(data, population, quasi_identifiers, missing)
    return linked.on_records(
        {
            "prosecutor": lambda alike, people: 1.0 / alike,
            "journalist": lambda alike, people: 1.0 / people,
        }
    )


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
    person: Any = None,
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
    person : column, optional
        As for `record_class_sizes`. The population has a row for each person.

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
        number(threshold, "threshold", "[0, 1]", "a share from 0 to 1")
    if person is not None:
        roles = quasi_identifiers, None, missing
        data = class_table(data, *roles, wants_sensitive=False, person=person)
        quasi_identifiers = None
    if population is not None:
        return risks(in_population(data, population, quasi_identifiers, missing), threshold)
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    return risks(classes, threshold)


@by_kind()
def risks(found: Any, threshold: float | None) -> ReidentificationRisk:
    """Risks of the records of a class table, or of one that is linked with its population."""
    linked = isinstance(found, LinkedClasses)
    classes = found.classes if linked else found
    weight, n = classes.sizes, classes.n_records
    # Equal records are added up before the division, so that round numbers stay round.
    prosecutor = 1 / classes.matches
    journalist = 1 / found.matches if linked else None
    above = None
    if threshold is not None:
        at_risk = (prosecutor if journalist is None else journalist) > threshold
        above = int(weight[at_risk].sum()) / n
    return ReidentificationRisk(
        float(prosecutor.max()),
        _sum_by_risk(prosecutor, weight) / n,
        None if journalist is None else float(journalist.max()),
        None if journalist is None else _sum_by_risk(journalist, weight) / n,
        above,
    )


def _sum_by_risk(risk: FloatArray, weight: IntArray) -> float:
    """Sum the risk of all records."""
    people, place = np.unique(np.rint(1 / risk), return_inverse=True)
    records = np.bincount(place, weight)
    return float((records / people).sum())


class Narrowed(NamedTuple):
    """Who is left once an attacker uses some facts.

    `counts` has the records that fit after each fact, beginning with everyone; `records` are
    those that fit all facts, and `alone` marks whose sensitive value no other of them has.
    """

    counts: pd.Series
    records: pd.DataFrame
    alone: pd.Series


def narrowed(data: pd.DataFrame, facts: Mapping[Any, Any], sensitive: Any) -> Narrowed:
    """Keep the records that fit what an attacker knows, one fact after the other.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    facts : mapping
        ``{column: fact}`` in the order of the attack: a value, None for a missing one, or
        for a column of numbers a `pandas.Interval`.
    sensitive : column
        What the attacker wants to learn. Columns by name or position; a name wins.

    Returns
    -------
    Narrowed
        With the index of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [35, 35, 36], "job": list("jjc"), "gain": [0, 7, 7]})
    >>> seen = narrowed(data, {"age": 35, "job": "j"}, "gain")
    >>> seen.counts.to_dict()
    {'everyone': 3, 'age = 35': 2, 'job = j': 2}
    >>> seen.alone.tolist()
    [True, True]
    """
    hidden = check_column(check_table(data), sensitive, "sensitive")
    left, names, counts = data, ["everyone"], [len(data)]
    for key, fact in facts.items():
        j = check_column(data, key, "facts")
        left = left[_fits(left.iloc[:, j], fact)]
        names.append(_fact_text(data.columns[j], fact))
        counts.append(len(left))
    alone = pd.Series(False, index=left.index)
    if len(left):
        alone = record_class_sizes(left.iloc[:, [hidden]], [data.columns[hidden]]) == 1
    return Narrowed(pd.Series(counts, names, name="records"), left, alone)


def _fits(column: pd.Series, fact: Any) -> BoolArray:
    """Whether each cell is as the fact says."""
    if isinstance(fact, pd.Interval) and pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(float, na_value=np.nan)
        above = numbers >= fact.left if fact.closed_left else numbers > fact.left
        below = numbers <= fact.right if fact.closed_right else numbers < fact.right
        return np.asarray(above & below)
    if pd.api.types.is_scalar(fact) and pd.isna(fact):
        return column.isna().to_numpy()
    return column.isin([fact]).to_numpy()


def _fact_text(name: Any, fact: Any) -> str:
    if not isinstance(fact, pd.Interval):
        return f"{_text(name)} = {_text(fact)}"
    if fact.right == math.inf:
        return f"{_text(name)} > {_text(fact.left)}"
    left, right = "[" if fact.closed_left else "(", "]" if fact.closed_right else ")"
    return f"{_text(name)} in {left}{_text(fact.left)}, {_text(fact.right)}{right}"


def _text(value: Any) -> str:
    """A name or a value in a fact; 35.0 is 35."""
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "missing"
    short = f"{value:g}" if isinstance(value, float) else ""
    return short if short and float(short) == value else str(value)
