"""Identity disclosure: class sizes, k-anonymity and the risk of re-identification.

k-anonymity asks how many records of the table agree with a record, k-map asks how many people
of the population do, and δ-presence asks how likely a person is to be in the table. The counts
are in `record_class_sizes`, `population_matches` and `class_presence`; each metric is the
least or the greatest of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import Column, Columns, Table
from ..classes import class_tables, linked_tables, of_records
from .models import worst


def record_class_sizes(
    data: Table,
    quasi_identifiers: Columns = None,
    *,
    missing: str = "category",
    person: Column = None,
) -> pd.Series:
    """How many records share the quasi-identifiers of each record, itself included.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        See `class_table`.

    Returns
    -------
    Series of shape (n_records,)
        Records, or people if a `person` names them, at least 1; larger is safer. Index of
        `data`; missing for records that are left out.

    Examples
    --------
    >>> data = pd.DataFrame({"town": ["A", "A", "B"]}, index=[7, 8, 9])
    >>> record_class_sizes(data, "town").to_dict()
    {7: 2, 8: 2, 9: 1}
    """
    counted = "records" if person is None else "people"
    options: Any = {"missing": missing, "person": person}
    return of_records(counted, lambda c: c.alike, data, quasi_identifiers, **options)


def k_anonymity(
    data: Table,
    quasi_identifiers: Columns = None,
    *,
    missing: str = "category",
    person: Column = None,
) -> int:
    r"""The least number of records that share all quasi-identifiers.

    .. math:: k = \min_c n_c

    over the classes :math:`c` of :math:`n_c` records that agree on the quasi-identifiers. An
    attacker who knows them for a person in the table is left with at least k records.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        See `class_table`.

    Returns
    -------
    int
        Records, from 1 to n_records, or people if a `person` names them; larger is safer.

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
    options: Any = {"missing": missing, "person": person}
    tables = class_tables(data, quasi_identifiers, sizes=True, **options)
    return int(worst("k_anonymity", tables))


class ReidentificationRisk(NamedTuple):
    """Risks of re-identification; smaller is safer; None where a population is needed.

    `prosecutor` is the greatest risk of a record whose person is known to be in the table, and
    `prosecutor_average` is the average over records: the expected share of records that this
    attacker matches correctly. `journalist` and `marketer` are the same two numbers for people
    who are only known to be in the population.
    """

    prosecutor: float
    prosecutor_average: float
    journalist: float | None
    marketer: float | None


def reidentification_risk(
    data: Table,
    quasi_identifiers: Columns = None,
    *,
    population: Table = None,
    missing: str = "category",
    person: Column = None,
) -> ReidentificationRisk:
    r"""Greatest and average risk that a record is matched with the right person.

    With :math:`n_c` records and :math:`F_c` people in class c, the prosecutor's risk is
    :math:`1 / n_c` for each of its records; its average is the number of classes over the
    number of records. The journalist's risk is :math:`1 / F_c`. Its average over records,
    :math:`\sum_c (n_c / F_c) / n`, is the marketer's risk: the expected share of records that
    are matched correctly.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        See `class_table`.
    population : table or ClassTable, optional
        Everyone the records may be about, as for `population_matches`: a row for each person,
        unless the population also has the column `person`.

    Returns
    -------
    ReidentificationRisk
        Probabilities and shares; smaller is safer.

    References
    ----------
    .. [1] K. El Emam, *Guide to the De-Identification of Personal Health Information*, CRC
       Press, 2013, chapters 16 to 18.

    Examples
    --------
    One record in a hundred is alone; the others share a class:

    >>> data = pd.DataFrame({"town": ["A"] + ["B"] * 99})
    >>> risk = reidentification_risk(data, "town")
    >>> risk.prosecutor, risk.prosecutor_average
    (1.0, 0.02)
    """
    options: Any = {"missing": missing, "person": person}
    tables: Any
    if population is None:
        tables = class_tables(data, quasi_identifiers, sizes=True, **options)
    else:
        tables = linked_tables(data, population, quasi_identifiers, **options)
    n, greatest, matched = 0, np.zeros(2), np.zeros(2)
    for c in tables:
        held = c.size > 0  # leaves out classes that only the population has
        size, people = c.size[held], c.alike if c.people is None else c.people
        risk = 1 / np.array([c.alike, people])[:, held]
        n += size.sum().item()
        greatest = np.maximum(greatest, risk.max(axis=1))
        matched += (size * risk).sum(axis=1)
    prosecutor, others = zip(greatest.tolist(), (matched / n).tolist(), strict=True)
    journalist, marketer = (None, None) if population is None else others
    return ReidentificationRisk(*prosecutor, journalist, marketer)
