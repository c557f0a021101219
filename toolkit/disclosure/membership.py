"""Membership disclosure: k-map, δ-presence and linkage of a table with its population."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from .._typing import Columns, Table
from ..classes import ClassTable, linked_tables, of_records
from .models import worst


def population_matches(
    data: Table, population: Table, quasi_identifiers: Columns = None
) -> pd.Series:
    """Number of people in the population that each record may belong to.

    Parameters
    ----------
    data, quasi_identifiers
        See `class_table`. Columns are found in `population` by their names.
    population : table of shape (n_people, n_features), or ClassTable
        Everyone the records may be about, recoded in the same way.

    Returns
    -------
    Series of shape (n_records,)
        People, at least 1; larger is safer. Index of `data`; missing for records that are
        left out.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B", "B"]})
    >>> population_matches(people.iloc[[0, 2]], people, "town").to_dict()
    {0: 2, 2: 3}
    """
    more: Any = {"population": population, "role": "population"}
    return of_records("people", lambda c: c.people, data, quasi_identifiers, **more)


def linkage_candidates(
    data: Table, register: Any, quasi_identifiers: Columns = None, *, missing: str = "category"
) -> pd.Series:
    """Number of rows of another table that each record may be linked with, perhaps 0.

    This is a join of two tables that shows no names. With a register of names, it counts the
    people that each record may belong to; the other way round, the records that each person of
    the register may own. Unlike `population_matches`, it does not require everyone to be in
    the register. So a single candidate is no proof: the right person may be absent.

    Parameters
    ----------
    data, quasi_identifiers, missing
        See `class_table`. Columns are found in `register` by their names.
    register : table of shape (n_rows, n_features), or ClassTable
        The table to link with, recoded in the same way.

    Returns
    -------
    Series of shape (n_records,)
        Rows of `register`, at least 0. For a record whose person is in the register, one over
        this count is the probability of the right link. Larger is safer; 0 means that no row
        has the same spelling, though José may stand there as JOSÉ. Index of `data`; missing
        for records that are left out.

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
    more: Any = {"population": register, "role": "register", "missing": missing}
    return of_records("candidates", lambda c: c.people, data, quasi_identifiers, **more)


def k_map(data: Table, population: Table, quasi_identifiers: Columns = None) -> int:
    r"""The least number of people in the population that a record may belong to.

    .. math:: k = \min_c F_c

    over the classes of `data`, where :math:`F_c` people of the population have the
    quasi-identifiers of class :math:`c`.

    Parameters
    ----------
    data, population, quasi_identifiers
        See `population_matches`; `k_map` is the minimum of its result.

    Returns
    -------
    int
        People; larger is safer.

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
    linked = linked_tables(data, population, quasi_identifiers)
    return int(worst("k_map", linked))


def class_presence(
    data: Table, population: Table, quasi_identifiers: Columns = None
) -> pd.DataFrame:
    """Probability that a person of each class of the population is in the table.

    Parameters
    ----------
    data, population, quasi_identifiers
        See `population_matches`; `data` is a part of `population`, and "wildcard" makes no
        classes.

    Returns
    -------
    DataFrame of shape (n_classes, 3)
        `records` f in `data`, `people` F in the population and `presence` f / F, for each
        class of the population; the classes of `data` come first. A smaller `presence` says
        less about who is in the table, a larger one says less about who is not. Indexed by
        the quasi-identifiers.

    Examples
    --------
    >>> people = pd.DataFrame({"town": ["A", "A", "B", "B", "B"]})
    >>> class_presence(people.iloc[[0, 2]], people, "town").round(2)
          records  people  presence
    town
    A           1       2      0.50
    B           1       3      0.33
    """
    linked = linked_tables(data, population, quasi_identifiers)
    return pd.concat(
        pd.DataFrame(
            {"records": c.alike, "people": c.people, "presence": c.alike / c.people}
        ).set_axis(c.labels)
        for c in contained(linked)
    )


class DeltaPresence(NamedTuple):
    """The least and the greatest probability that a person of the population is in the table.

    The table is (lower, upper)-present. The closer the two probabilities, the less it says
    about who is in it.
    """

    lower: float
    upper: float


def delta_presence(
    data: Table, population: Table, quasi_identifiers: Columns = None
) -> DeltaPresence:
    r"""Least and greatest probability that a person of the population is in the table.

    .. math:: \delta_{\min} = \min_c f_c / F_c, \quad \delta_{\max} = \max_c f_c / F_c

    over the classes of the population, where :math:`f_c` of the :math:`F_c` people of class
    :math:`c` are in the table.

    Parameters
    ----------
    data, population, quasi_identifiers
        See `class_presence`; the answers are the minimum and maximum of its `presence`.

    Returns
    -------
    DeltaPresence
        `lower` and `upper`, probabilities; a smaller `upper` and a larger `lower` are safer.

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
    linked = linked_tables(data, population, quasi_identifiers)
    ends = (worst(f"delta_presence_{end}", contained(linked)) for end in ("lower", "upper"))
    return DeltaPresence(*ends)


def contained(tables: Iterable[ClassTable]) -> Iterable[ClassTable]:
    """Return linked tables unchanged; refuse wildcards and samples beyond the population."""
    for c in tables:
        if c.missing == "wildcard":
            raise ValueError(
                "missing='wildcard' makes no classes, and presence needs them; use"
                " missing='category' or 'drop'."
            )
        more = int((c.alike > c.people).sum())
        if more:
            raise ValueError(
                f"data has more records than the population in {more} of its classes; the"
                f" population must contain the sample."
            )
    return tables
