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

from .._typing import BoolArray
from .classes import class_table
from .validation import check_column, check_table


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
