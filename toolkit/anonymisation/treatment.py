"""Treatment of a table into a release, and the same treatment of the next table.

`treat` suggests hierarchies, searches the levels of least loss that meet the thresholds, and
makes the release. Its record is plain JSON: `treat_again` treats a later table by it.
"""

from __future__ import annotations

import math
import secrets
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from .._arguments import as_objects, check_column, check_number, check_table, listed
from .._codes import encode
from .._typing import Column, Columns, Table
from ..classes import check_people
from ..disclosure.check import check_privacy
from .hierarchies import (
    AS_IT_IS,
    SuggestedHierarchy,
    rounding_hierarchy,
    rows_of,
    suggest_hierarchy,
)
from .lattice import ThresholdsMissed, optimal_generalisation
from .recode import generalise
from .release import Release, text_of
from .requirements import check_roles

FORMAT = "privacy toolkit treatment 2"
PARTS = {"columns", "thresholds", "suppression_limit", "person"}
KEEP = "This record holds values of the table: keep it with the table, not with the release."


def treat(
    data: Table,
    quasi_identifiers: Columns,
    k: int = 5,
    *,
    sensitive: Columns = None,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    suppression_limit: float = 0.05,
    hierarchies: Mapping[Any, Any] | None = None,
    keep: Mapping[Any, Any] | None = None,
    levels: Mapping[Any, Any] | None = None,
    rounding: Mapping[Any, float] | None = None,
    person: Column = None,
    **thresholds: float,
) -> Release:
    """Make the release of a table that meets the thresholds and loses least.

    Each quasi-identifier is generalised to one level of its hierarchy. Classes that miss a
    threshold are suppressed. All other columns are left out, except the sensitive ones.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers, sensitive : column, or list of columns
        Columns that an attacker may know, and columns to protect from the attacker.
    k : int
        Least number of records in a class.
    l, t : optional
        Least `l_diversity` and greatest `t_closeness` of each sensitive column.
    suppression_limit : float
        Share of the records that may be suppressed, from 0 to 1.
    hierarchies : mapping, optional
        Hierarchies of some columns; the others get one by `suggest_hierarchies`.
    keep : mapping, optional
        Coarsest level that a column may have, by number or by name: ``{"born": "decades"}``.
    levels : mapping, optional
        The level that a column must have, by number or by name.
    rounding : mapping, optional
        Step to whose nearest multiple the numbers of a column are rounded beforehand:
        ``{"salary": 10_000}``.
    person : column, optional
        Column that tells people apart. It is not released. A table in which a person has
        several records is refused: take one record for each person first.
    **thresholds
        Other thresholds of `check_privacy` that need no population, such as ``alpha=0.8``.

    Returns
    -------
    Release
        Its `data` holds nothing but what is released (see `without_traces`), with the rows in
        a random order drawn by the operating system; `privacy` and `loss` are measured; `kept`
        says which records are in it; `record` is what `treat_again` needs. The record holds
        values of the table: keep it with the table.

    Raises
    ------
    ThresholdsMissed
        A ValueError: no levels meet the thresholds.

    See Also
    --------
    optimal_generalisation : the search.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    >>> release = treat(data, "age", 2, sensitive="ill")
    >>> release.data.sort_values("age")["age"].tolist()
    ['[16, 20)', '[16, 20)', '[36, 40)', '[36, 40)']
    >>> release.levels, release.privacy["k"].item(), release.record["columns"]["age"]["level"]
    ({'age': 2}, 2.0, 'by 4')
    """
    data = check_table(data)
    asked = {"k": k, "l": l, "t": t, **thresholds}
    asked = {name: number for name, number in asked.items() if number is not None}
    roles = check_roles(data, quasi_identifiers, sensitive)
    known, secret = (list(data.columns[places]) for places in roles)
    table = _released_columns(data, known, secret, person)
    rounding, keep, levels = rounding or {}, keep or {}, levels or {}
    for argument, setting, can in (
        ("rounding", rounding, table.columns),
        ("keep", keep, known),
        ("levels", levels, known),
        ("hierarchies", hierarchies or {}, data.columns),
    ):
        if strange := [name for name in setting if name not in can]:
            raise ValueError(f"{argument} names {listed(strange)}; it can name {listed(can)}.")
    for name, step in rounding.items():
        table[name] = rounded(table[name], step)
    trees: dict[Any, Any] = {name: suggest_hierarchy(table[name]) for name in known}
    trees |= {name: tree for name, tree in (hierarchies or {}).items() if name in trees}
    keeps = {name: range(_level(trees[name], at, name) + 1) for name, at in keep.items()}
    fixed = {name: _level(trees[name], at, name) for name, at in levels.items()}
    columns: dict[str, Any] = {}
    record = {
        "format": FORMAT,
        "keep": KEEP,
        "thresholds": asked,
        "suppression_limit": suppression_limit,
        "person": None if person is None else str(person),
        "columns": columns,
    }
    release = _made(table, secret, record, trees, keeps | fixed)
    for name in table.columns:
        written: dict[str, Any] = {"role": "sensitive"}
        if name in trees:
            written = _written_level(trees[name], release.levels[name], name)
        columns[str(name)] = written | ({"round": rounding[name]} if name in rounding else {})
    return release


def treat_again(record: Mapping[str, Any], data: Table) -> Release:
    """Treat another table as a record says.

    Parameters
    ----------
    record : mapping
        The `record` of a release of `treat`, perhaps read from JSON.
    data : table of shape (n_records, n_features)
        A table with the same columns.

    Returns
    -------
    Release
        As `treat` returns, with the levels and rounding of the record. `levels` says only
        whether a column is generalised, 1, or not, 0: the record names its level.

    Raises
    ------
    ValueError
        If a column is not there or holds a value that the record does not know. The message
        quotes no cell.
    ThresholdsMissed
        If the release would miss a threshold, or suppress too many records.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    >>> record = treat(data, "age", 2, sensitive="ill").record
    >>> release = treat_again(record, data[["ill", "age"]])
    >>> release.privacy["k"].item(), release.levels
    (2.0, {'age': 1})
    >>> treat_again(record, data.assign(age=[17, 18, 39, 40]))
    Traceback (most recent call last):
    ValueError: column 'age' holds 1 value that the record does not know; plan a new treatment.
    """
    written = isinstance(record, Mapping) and record.get("format") == FORMAT
    if not written or PARTS - record.keys():
        raise ValueError(
            f"record must be what treat wrote, whose format is {FORMAT!r}; it is another, or"
            f" not complete."
        )
    data, columns = check_table(data), record["columns"]
    texts = [str(name) for name in data.columns]
    lacking = [name for name in columns if texts.count(name) != 1]
    if lacking:
        raise ValueError(
            f"the record treats {listed(lacking)}, and the table must have each such column"
            f" once; it has {listed(texts)}."
        )
    place = {name: data.columns[texts.index(name)] for name in columns}
    try:
        known, secret = (
            [place[name] for name, column in columns.items() if column["role"] == role]
            for role in ("quasi-identifier", "sensitive")
        )
        released = _released_columns(data, known, secret, record["person"])
        table, trees, levels = _by_record(columns, released[[*place.values()]])
    except (AttributeError, KeyError):
        raise ValueError("record is not complete; plan a new treatment.") from None
    return _made(table, secret, record, trees, levels)


def as_released(record: Mapping[str, Any], rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a table as a record releases them, in the same order."""
    names = [name for name in rows.columns if str(name) in record["columns"]]
    return generalise(*_by_record(record["columns"], rows[names]))


def _by_record(
    columns: Mapping[str, Any], table: pd.DataFrame
) -> tuple[pd.DataFrame, dict[Any, pd.DataFrame], dict[Any, int]]:
    """The table with its numbers rounded, the hierarchies of a record, and their levels."""
    table, trees = table.copy(), {}
    for name in table.columns:
        column = columns[str(name)]
        if "round" in column:
            table[name] = rounded(table[name], column["round"])
        if column["role"] == "quasi-identifier":
            trees[name] = _tree_again(table[name], column)
    return table, trees, {name: tree.shape[1] - 1 for name, tree in trees.items()}


def rounded(column: pd.Series, step: float) -> pd.Series:
    """Numbers of a column, each rounded to the nearest multiple of a step.

    Examples
    --------
    >>> rounded(pd.Series([12_345, 15_000, None], name="salary"), 10_000).tolist()
    [10000, 20000, nan]
    """
    check_number(step, f"rounding of {column.name!r}", "(0, inf)", "in the column's unit")
    try:
        tree = rounding_hierarchy(column, step)
        shown: Any = generalise(column.to_frame(0), {0: tree}, {0: 1})[0]
    except (TypeError, ValueError):  # whose message may quote a cell
        raise ValueError(
            f"rounding: column {column.name!r} must hold finite numbers; turn its text into"
            f" numbers first, or leave the column out."
        ) from None
    return pd.Series(shown.mask(column.isna(), np.nan), name=column.name)


def _released_columns(
    data: pd.DataFrame, known: list[Any], secret: list[Any], person: Column
) -> pd.DataFrame:
    """Quasi-identifiers and sensitive columns, in the order of the table."""
    released = {*known, *secret}
    table = data.loc[:, data.columns.isin(released)].copy()
    if table.shape[1] > len(released):
        raise ValueError(
            f"quasi_identifiers and sensitive must be columns with names of their own, each"
            f" in one role; got {listed(known)} and {listed(secret)}."
        )
    if person is not None:
        whose = data.iloc[:, check_column(data.columns, person, "person")]
        unclear = whose.duplicated().any() or whose.isna().any()
        if unclear or whose.name in released:
            raise ValueError(
                f"person: {whose.name!r} must name a different person in each record, and"
                f" cannot be released itself; take one record for each person first."
            )
        check_people(whose)
    return table


def _level_names(tree: Any) -> tuple[str, ...]:
    """What each level of a hierarchy is called."""
    levels = pd.DataFrame(tree).shape[1]
    names = tree.names if isinstance(tree, SuggestedHierarchy) else ()
    return names or (AS_IT_IS, *(f"level {n}" for n in range(1, levels)))


def _level(tree: Any, level: Any, name: Hashable) -> int:
    """Number of a level that was given by its number or its name."""
    names = _level_names(tree)
    if level in names:
        return names.index(level)
    if not isinstance(level, int) or level not in range(len(names)):
        raise ValueError(
            f"column {name!r} has the levels {listed(names)}, numbered from 0; got {level!r}."
        )
    return level


def _made(
    table: pd.DataFrame,
    secret: list[Any],
    record: Mapping[str, Any],
    trees: Mapping[Any, Any],
    allowed: Mapping[Any, Any],
) -> Release:
    """Find the release of least loss that meets the thresholds, shuffle and measure it."""
    asked, known = record["thresholds"], [name for name in table.columns if name in trees]
    # A risk of at most 1 / k is a class of at least k.
    least = math.ceil(1 / max(asked.get("risk", 1), 1e-9) - 1e-9)
    more: Any = asked | {"k": max(asked.get("k", 1), least)}
    more.pop("risk", None)
    more |= {"sensitive": secret or None, "levels": allowed}
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        limit = record["suppression_limit"]
        release = optimal_generalisation(table, known, trees, suppression_limit=limit, **more)
    order = np.frombuffer(secrets.token_bytes(8 * len(release.data)), np.uint64)
    data = release.data.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    if not len(data) or not check_privacy(data, known, secret or None, **asked).satisfied:
        raise ThresholdsMissed(
            "no record is left that meets the thresholds; ask for less, or for fewer columns."
        )
    measured = {
        "version": __version__,
        "records_released": len(data),
        "records_suppressed": int(release.suppressed_rows.sum()),
        "loss": release.loss,
    }
    return replace(release, data=data, record={**record, **measured})


def _written_level(tree: Any, level: int, name: Hashable) -> dict[str, Any]:
    """A quasi-identifier's level in words, and its labels as JSON has them."""
    written = {"role": "quasi-identifier", "level": _level_names(tree)[level]}
    if level == 0:
        return written
    table = pd.DataFrame(tree)
    labels = [_plain(label) for label in table.iloc[:, level]]
    if len({*labels}) == 1:
        return written | {"label": labels[0]}
    texts = [text_of(value) or "" for value in table.iloc[:, 0]]
    if len({*texts}) < len(texts):
        raise ValueError(
            f"column {name!r} holds different values that are written alike, such as '' and a"
            f" missing cell, so that a record would be ambiguous; make them equal first."
        )
    return written | {"labels": dict(zip(texts, labels, strict=True))}


def _plain(label: Any) -> Any:
    """Convert a label to a type that JSON can hold."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (str, int, float)) else text_of(label)


def _tree_again(column: pd.Series, written: Mapping[str, Any]) -> pd.DataFrame:
    """Hierarchy of the values that a record knows, each with its one label."""
    values = encode(column)[1].astype(object)
    if "label" in written:
        return pd.DataFrame({0: values, 1: written["label"]})
    if "labels" not in written:
        return pd.DataFrame({0: values})
    labels: dict[Any, Any] = {text or None: label for text, label in written["labels"].items()}
    known = as_objects(labels)
    lost = int((rows_of(known, as_objects(values)) < 0).sum())
    if lost:
        raise ValueError(
            f"column {column.name!r} holds {lost:,} value{'s' * (lost > 1)} that the record"
            f" does not know; plan a new treatment."
        )
    return pd.DataFrame({0: known, 1: [*labels.values()]})
