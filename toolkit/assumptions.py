"""What does a report take a table for? The role of each column, and how its cells are read.

Roles that nobody names are those of `suggest_roles`, and the report says so. Cells of any kind
become comparable here, and what had to be done for that is noted.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ._validate import check_columns, check_table
from ._validate_files import (
    check_all_there,
    check_same_columns,
    check_separate_roles,
    check_some_role,
)
from .grouping import SCALES, class_ids, factorised, in_order, kind_of, written
from .roles import ROLES, suggest_roles

__all__ = ["Assumptions", "assume", "comparable"]

DIRECT, QUASI, SENSITIVE, OTHER = ROLES
NAME_LENGTH = 60
"""Longer names of columns are cut, or a page cannot hold them."""


class Assumptions(NamedTuple):
    """A table as a report takes it."""

    data: pd.DataFrame
    """Quasi-identifiers and sensitive columns; rows by position, cells that compare."""
    columns: pd.DataFrame
    """A row per column of the table: `column`, `role`, `because`, `distinct`, `missing`."""
    quasi_identifiers: list[str]
    sensitive: list[str]
    notes: tuple[str, ...]
    """What had to be done to the table to measure it."""
    population: pd.DataFrame | None = None
    """The quasi-identifiers of everyone."""

    def __repr__(self) -> str:
        """Name the roles; no cell is shown."""
        roles = f"{self.quasi_identifiers!r}, sensitive={self.sensitive!r}"
        return f"Assumptions({len(self.data)} records, quasi_identifiers={roles})"

    @property
    def coded(self) -> pd.DataFrame:
        """The data as categories, whose codes the metrics take as they are."""
        return as_categories(self.data)

    def with_population(self) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """The data as categories, and the population as the same categories."""
        coded, known = self.coded, self.quasi_identifiers
        if self.population is None:
            return coded, None
        both = pd.concat([self.data[known], self.population], ignore_index=True)
        both = as_categories(both)
        check_all_there(*_classes_apart(both, len(coded)))
        people = both.iloc[len(coded) :].reset_index(drop=True)
        secret = coded[self.sensitive]
        return pd.concat([both.iloc[: len(coded)], secret], axis=1), people


def _classes_apart(both: pd.DataFrame, records: int) -> tuple[int, int]:
    """Classes of the first records that no other has, and the first such record."""
    ids, _ = class_ids(both, range(both.shape[1]))
    lacking = ~np.isin(ids[:records], ids[records:])
    return len(np.unique(ids[:records][lacking])), int(lacking.argmax())


def assume(
    data: pd.DataFrame,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    population: pd.DataFrame | None = None,
) -> Assumptions:
    """Settle the roles of the columns and make their cells comparable.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Any table.
    quasi_identifiers, sensitive : column, or list of columns, optional
        Names or positions; a name wins. Where nothing is named `suggest_roles` decides.
    population : DataFrame, optional
        Everyone the records may be about, with the quasi-identifiers under the same names.

    Returns
    -------
    Assumptions
        What is taken for what, and why.

    Raises
    ------
    TypeError, ValueError
        If `data` is no table, a column is not there, has two roles, or none is known.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39], "ill": ["flu", "hiv"], "phone": ["1", "2"]})
    >>> assume(people, sensitive="ill").columns[["column", "role", "because"]]
      column               role                because
    0    age   quasi-identifier    its name says 'age'
    1    ill          sensitive           you named it
    2  phone  direct identifier  its name says 'phone'
    """
    check_table(data)
    names, notes = column_names(data.columns)
    table = data.set_axis(pd.Index(names, dtype=object), axis=1).reset_index(drop=True)
    suggested = suggest_roles(table)
    role, because = suggested["role"].to_list(), suggested["reason"].to_list()
    given = {
        QUASI: _positions(data, table, quasi_identifiers, "quasi_identifiers"),
        SENSITIVE: _positions(data, table, sensitive, "sensitive"),
    }
    check_separate_roles(given[QUASI] or [], given[SENSITIVE] or [], names)
    for kind, positions in given.items():
        for j, one in enumerate(role):
            if positions is not None and one == kind and j not in positions:
                role[j], because[j] = OTHER, f"you named other columns as {kind}"
    for kind, positions in given.items():
        for j in positions or []:
            if role[j] == DIRECT:
                notes.append(
                    f"{names[j]!r} looks like a direct identifier ({because[j]}), but is"
                    f" measured as {kind}, as you said."
                )
            role[j], because[j] = kind, "you named it"
    check_some_role([j for j, one in enumerate(role) if one == QUASI], names)
    found = suggested.assign(
        column=pd.Series(names, dtype=object), role=role, because=because
    ).assign(missing=[int(table.iloc[:, j].isna().sum()) for j in range(len(names))])
    return _readable(table, found, notes, population)


def column_names(columns: pd.Index) -> tuple[list[str], list[str]]:
    """A name of its own for each column, and what was changed."""
    names: dict[str, None] = {}
    used: dict[str, int] = {}  # the last number that a name was given
    for column in columns:
        name = " ".join(str(column).split())[:NAME_LENGTH] or "(no name)"
        again, number = name, used.get(name, 1)
        while again in names:
            number += 1
            again = f"{name} ({number})"
        names[again], used[name] = None, number
    changed = sum(new != old for new, old in zip(names, columns, strict=True))
    note = f"{changed} of {len(names)} columns got a name that is text, short and unique."
    return [*names], [note] * bool(changed)


def _positions(
    data: pd.DataFrame, table: pd.DataFrame, keys: Any, argument: str
) -> list[int] | None:
    """Positions of the columns that somebody named, by their old names or the new ones."""
    if keys is None:
        return None
    try:
        return check_columns(data, keys, argument)
    except ValueError:
        return check_columns(table, keys, argument)


def _readable(
    table: pd.DataFrame,
    found: pd.DataFrame,
    notes: list[str],
    population: pd.DataFrame | None,
) -> Assumptions:
    """Make the cells of the columns that are measured comparable."""
    quasi = found.loc[found["role"] == QUASI, "column"].to_list()
    secret = found.loc[found["role"] == SENSITIVE, "column"].to_list()
    everyone = None
    if population is not None:
        check_table(population, "population")
        names, _ = column_names(population.columns)
        everyone = population.set_axis(pd.Index(names, dtype=object), axis=1)
        check_same_columns(quasi, names)
        everyone = everyone[quasi].reset_index(drop=True)
    readable: dict[str, pd.Series] = {}
    people: dict[str, pd.Series] = {}
    for name in [*quasi, *secret]:
        column = table[name]
        if everyone is not None and name in quasi:
            # Read together, equal cells of both tables stay equal.
            column = _together(column, everyone[name])
        column, note = comparable(column)
        readable[name] = column.iloc[: len(table)]
        people[name] = column.iloc[len(table) :].reset_index(drop=True)
        notes += [f"{name!r}: {note}"] * bool(note)
    columns = ["column", "role", "because", "distinct", "missing", "unique_share"]
    return Assumptions(
        pd.DataFrame(readable, columns=pd.Index([*quasi, *secret], dtype=object)),
        found[columns],
        quasi,
        secret,
        tuple(notes),
        None if everyone is None else pd.DataFrame({name: people[name] for name in quasi}),
    )


def _together(one: pd.Series, other: pd.Series) -> pd.Series:
    """Cells of two tables in one column, none of them rounded."""
    if one.dtype != other.dtype:  # pandas would make floats of whole numbers beside them
        one, other = one.astype(object), other.astype(object)
    return pd.concat([one, other], ignore_index=True)


def comparable(column: pd.Series) -> tuple[pd.Series, str]:
    """Return a column whose cells can be compared and sorted, and what was done for it.

    Examples
    --------
    >>> comparable(pd.Series([1, "b", None]))
    (0      1
    1      b
    2    NaN
    dtype: object, 'cells of several kinds are shown as they are written.')
    """
    if isinstance(column.dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column), index=column.index)
    if isinstance(column.dtype, pd.CategoricalDtype):
        if column.dtype.ordered:
            return column.cat.remove_unused_categories(), ""
        categories = pd.Series(column.dtype.categories)
        if categories.dtype.kind in "biu":  # which stay what they are beside a missing cell
            categories = categories.convert_dtypes()
        values = categories.array.take(column.array.codes, allow_fill=True)
        return comparable(pd.Series(values, column.index))
    if isinstance(column.dtype, pd.ArrowDtype):
        return _from_arrow(column)
    kind = column.dtype
    if isinstance(kind, pd.DatetimeTZDtype):
        return column.dt.tz_convert("UTC").dt.tz_localize(None), "times were compared in UTC."
    plain = pd.api.types.is_string_dtype(kind) and not pd.api.types.is_object_dtype(kind)
    numbers = pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)
    if plain or numbers or pd.api.types.is_datetime64_any_dtype(kind):
        return _without_nullable(column), ""
    return _from_objects(column.astype(object))


def _from_arrow(column: pd.Series) -> tuple[pd.Series, str]:
    """Cells of Arrow as pandas holds them; lists and records as objects."""
    try:
        codes, values = factorised(column)
    except TypeError:
        return _from_objects(column.astype(object))
    return comparable(pd.Series(values.take(codes).array, column.index))


def _without_nullable(column: pd.Series) -> pd.Series:
    """Numbers as numpy has them, a missing one is NaN; unless a float would lose digits."""
    if isinstance(column.dtype, np.dtype) or not pd.api.types.is_numeric_dtype(column.dtype):
        if column.dtype == np.float16:
            return column.astype(np.float32)
        return column
    if not column.isna().any():
        return pd.Series(column.to_numpy(), column.index)
    if column.dtype.kind == "b":
        return column.astype(object).where(column.notna(), np.nan)
    if column.dtype.kind in "iu" and not column.dropna().between(-(2**53), 2**53).all():
        return column
    return pd.Series(column.to_numpy(float, na_value=np.nan), column.index)


def _from_objects(column: pd.Series) -> tuple[pd.Series, str]:
    """Texts stay, dates become dates, numbers stay exact; the rest is shown as it is written.

    Cells that Python calls equal stay equal, others stay apart.
    """
    there = column.notna()
    kinds = {type(cell) for cell in column[there]}
    if kinds <= {str}:
        return column.where(there, np.nan), ""
    if kinds <= {bool} or kinds <= {np.bool_, bool}:
        return column.where(there, np.nan), ""
    if _are_times(column[there], kinds):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return pd.to_datetime(column, utc=True).dt.tz_localize(None), ""
        except (ValueError, TypeError, OverflowError):  # beyond what pandas can tell
            pass
    if kinds <= {int, float} and _fit_a_float(column[there]):
        return column.where(there, np.nan).astype(float), ""
    several = "cells of several kinds" if len(kinds) > 1 else "its cells"
    note = f"{several} are shown as they are written."
    try:
        codes, values = factorised(column)
    except TypeError:  # of lists and the like
        codes, values = factorised(column.map(_hashable))
        note = f"{several} were compared by how they are written."
    if kind_of(values) in SCALES and in_order(values)[1]:
        return pd.Series(values.astype(object).take(codes).array, column.index), ""
    return pd.Series(_texts_of(values).take(codes), column.index, dtype=object), note


def _are_times(cells: pd.Series, kinds: set[type]) -> bool:
    """Whether all are days, or times that all have a zone or none; others are never equal."""
    known = {kind.__name__ for kind in kinds}
    if known == {"date"}:
        return True
    if not known <= {"datetime", "Timestamp"}:
        return False
    return cells.map(lambda cell: cell.tzinfo is None).nunique() < 2


@dataclass(frozen=True)
class _Nested:
    """A list, record or set, which is compared by how it is written."""

    text: str
    kind: str = field(compare=False)

    def __str__(self) -> str:
        """How it is written."""
        return self.text


def _hashable(cell: Any) -> Any:
    """A cell that Python can compare by its hash."""
    try:
        hash(cell)
    except TypeError:
        return _Nested(written(cell), type(cell).__name__)
    return cell


def _texts_of(values: pd.Index) -> Any:
    """How different values are written, differently: 1 beside the text '1' shows its type."""
    cells, known = pd.Series(values.astype(object)), np.asarray(values.notna())
    texts = cells.map(written)
    again = texts.duplicated(keep=False) & known
    kinds = cells.map(lambda cell: getattr(cell, "kind", type(cell).__name__))
    texts = texts.where(~again, texts + " (" + kinds + ")")
    again = texts.duplicated() & known
    number = texts.groupby(texts).cumcount() + 1
    texts = texts.where(~again, texts + " " + number.astype(str))
    return texts.where(known, np.nan).to_numpy(object)


def _fit_a_float(numbers: pd.Series) -> bool:
    """Whether no number loses a digit as a float."""
    return all(abs(number) <= 2**53 or number != number for number in numbers) or all(
        isinstance(number, float) for number in numbers
    )


def as_categories(data: pd.DataFrame) -> pd.DataFrame:
    """Columns as categories, in order if they have one: numbers, dates, ordered categories."""
    found = {}
    for name in data.columns:
        column = data[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            ordered = column.dtype.kind in "iufM" or kind_of(pd.Index(column)) in SCALES
            codes, values = pd.factorize(column, sort=ordered)
            known: Any = np.asarray(values) if column.dtype.kind in "iu" else values
            column = pd.Series(pd.Categorical.from_codes(codes, known, ordered=ordered))
        found[name] = column
    return pd.DataFrame(found, columns=data.columns)


def shown_names(names: list[Hashable], most: int = 6) -> str:
    """Some names in a sentence."""
    rest = len(names) - most
    listed = ", ".join(str(name) for name in names[:most])
    return f"{listed} and {rest} more" if rest > 0 else listed
