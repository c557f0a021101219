"""Roles of the columns that a report takes, and cells of any kind made comparable."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import IntArray
from ..report.roles import (
    BUT_RECORDS,
    DIRECT,
    OTHER,
    QUASI,
    SENSITIVE,
    suggest_roles,
    warnings_of,
    words_of,
)
from .grouping import RANKED, SCALES, class_ids, factorised, in_order, kind_of, written
from .io.cells import read_numbers
from .validation import check_columns, check_table, folded, listed, several_spellings

Coded = tuple[IntArray, pd.Index]
"""Code of each cell of a column, and the values."""


class Assumptions(NamedTuple):
    """A table as a report takes it."""

    data: pd.DataFrame
    """Quasi-identifiers and sensitive columns; rows by position, cells that compare."""
    columns: pd.DataFrame
    """A row per column of the table: `column`, `role`, `because`, `distinct`, `missing`,
    `unique_share`, whether the role was `guessed`, and a `warning`."""
    quasi_identifiers: list[str]
    sensitive: list[str]
    notes: tuple[str, ...]
    """What had to be done to the table to measure it."""
    population: pd.DataFrame | None = None
    """The quasi-identifiers of everyone."""
    person: str | None = None
    """The column whose values k counts, if it is people."""
    who: pd.Series | None = None
    """Number of the person of each record, which says nothing of them; or missing."""
    kept: dict[str, Any] | None = None
    """Codes of columns by name, and the table as categories once these are made."""

    def __repr__(self) -> str:
        """Name the roles; no cell is shown."""
        roles = f"{self.quasi_identifiers!r}, sensitive={self.sensitive!r}"
        return f"Assumptions({len(self.data)} records, quasi_identifiers={roles})"

    def overlooked(self, kind: str) -> list[str]:
        """Columns that look like one of these roles, for which others were named."""
        why = f"you named other columns as {kind}"
        left = self.columns.loc[self.columns["because"] == why, "column"].to_list()
        return left if kind == QUASI or self.sensitive else []

    @property
    def coded(self) -> pd.DataFrame:
        """The data as categories, whose codes the metrics take as they are."""
        if self.kept is None:
            return as_categories(self.data)
        if CATEGORIES not in self.kept:
            coded = as_categories(self.data, self.kept)
            self.kept.clear()
            self.kept[CATEGORIES] = coded
        found: pd.DataFrame = self.kept[CATEGORIES]
        return found

    @property
    def numbers(self) -> IntArray | None:
        """Number of the person of each record, -1 for nobody known; None of records."""
        return None if self.who is None else self.who.fillna(-1).to_numpy(np.int64)

    @property
    def people_note(self) -> str:
        """Whom k counts, in a sentence; empty if it counts records."""
        if self.who is None:
            return ""
        return (
            f"k and risk count people, by {self.person!r}: {self.who.nunique():,} in"
            f" {len(self.data):,} records."
        )

    def with_population(self) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """The data as categories, and the population as the same categories."""
        coded, known = self.coded, self.quasi_identifiers
        if self.population is None:
            return coded, None
        both = pd.concat([self.data[known], self.population], ignore_index=True)
        both = as_categories(both)
        _check_everyone_is_there(both, len(coded))
        people = both.iloc[len(coded) :].reset_index(drop=True)
        secret = coded[self.sensitive]
        return pd.concat([both.iloc[: len(coded)], secret], axis=1), people


def _check_everyone_is_there(both: pd.DataFrame, records: int) -> None:
    """Refuse a population that lacks people of the table, without showing them."""
    ids, _ = class_ids(both, range(both.shape[1]))
    lacking = ~np.isin(ids[:records], ids[records:])
    if lacking.any():
        classes = len(np.unique(ids[:records][lacking]))
        raise ValueError(
            f"population has nobody like the records of {classes:,} classes of the table (such"
            f" as row {lacking.argmax():,}); it must contain the table, recoded in the same"
            f" way."
        )


def assume(
    data: pd.DataFrame,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    population: pd.DataFrame | None = None,
    person: Any = None,
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
    person : column, optional
        What is equal on all records of one person, or house, whom k then counts. It names
        people, so it is taken for a direct identifier.

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
    coded: dict[int, Coded] = {}
    suggested = suggest_roles(table)
    role, because = suggested["role"].to_list(), suggested["reason"].to_list()
    given = {
        QUASI: _positions(data, table, quasi_identifiers, "quasi_identifiers"),
        SENSITIVE: _positions(data, table, sensitive, "sensitive"),
    }
    name, warned = None, suggested["warning"].to_list()
    whose = None if person is None else [person]
    for j in _positions(data, table, whose, "person") or []:
        name, warned = names[j], warnings_beside(warned, j)
        for kind, some in given.items():
            if j in (some or []):
                raise ValueError(
                    f"person: {name!r} is also named as {kind}; a column that tells people"
                    f" apart makes each a class of its own. Leave it out there."
                )
        role[j], because[j] = DIRECT, "you named it as the person of each record"
    both = [names[j] for j in given[QUASI] or [] if j in (given[SENSITIVE] or [])]
    if both:
        raise ValueError(
            f"{listed(both)} cannot be both quasi-identifier and sensitive; name it once."
        )
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
    if QUASI not in role:
        raise ValueError(
            f"no column is a quasi-identifier, so there is nothing that an attacker knows;"
            f" name at least one with quasi_identifiers. The columns are {listed(names)}."
        )
    found = suggested.assign(
        role=role,
        because=because,
        warning=warned,
        missing=[int(cells.isna().sum()) for _, cells in table.items()],
        guessed=[not reason.startswith("you named it") for reason in because],
    )
    assumed = _readable(table, found, notes, population, name, coded)
    if name is None:
        return assumed
    assumed = assumed._replace(person=name, who=person_numbers(table[name]))
    return assumed._replace(notes=(assumed.people_note, *assumed.notes))


def warnings_beside(warned: list[str], person: int) -> list[str]:
    """Warnings of columns, where one of them is named as the person and k counts people.

    Examples
    --------
    >>> warnings_beside([f"has 3 values{BUT_RECORDS}", f"has 2 values{BUT_RECORDS}"], 1)
    ['has 3 values', '']
    """
    left = [one.removesuffix(BUT_RECORDS) for one in warned]
    return [*left[:person], "", *left[person + 1 :]]


NAME_LENGTH = 60
"""Longer names of columns are cut, or a page cannot hold them."""


def column_names(columns: pd.Index) -> tuple[list[str], list[str]]:
    """A name of its own for each column, and what was changed."""
    names: dict[str, None] = {}
    used: dict[str, int] = {}  # the last number that a name was given
    for column in columns:
        name = " ".join(str(column).split()) or "(no name)"
        if len(name) > NAME_LENGTH:
            name = f"{name[: NAME_LENGTH - 1].rstrip()}…"
        again, number = name, used.get(name, 1)
        while again in names:
            number += 1
            again = f"{name} ({number})"
        names[again], used[name] = None, number
    changed = sum(new != old for new, old in zip(names, columns, strict=True))
    note = f"{changed} of {len(names)} columns got a name that is text, short and unique."
    return [*names], [note] * bool(changed)


def renamed(data: pd.DataFrame) -> pd.DataFrame:
    """A table whose columns go by the names of `column_names`."""
    return data.set_axis(pd.Index(column_names(data.columns)[0], dtype=object), axis=1)


PERSON = "person (as numbers)"


def person_numbers(column: pd.Series) -> pd.Series:
    """Number of the person of each record, in order of first appearance; or missing.

    Examples
    --------
    >>> person_numbers(pd.Series(["Ann", "Bob", None, "Ann"])).tolist()
    [0, 1, <NA>, 0]
    """
    if not column.notna().any():
        raise ValueError(
            f"person: every cell of {str(column.name)!r} is missing, so it tells nobody apart;"
            f" name another column, or none, and records are counted."
        )
    codes, values = factorised(column.reset_index(drop=True))
    texts = [folded(value) for value in values.dropna()]
    if kind_of(values) not in RANKED and len({*texts}) < len(texts):
        raise several_spellings(f"person: {str(column.name)!r}", texts)
    lacks = np.asarray(values.isna(), bool)[codes]
    numbers = pd.factorize(np.where(lacks, np.nan, codes))[0]
    found = pd.Series(numbers, name=PERSON, dtype="Int64")
    return found.mask(found < 0)


def with_people(coded: pd.DataFrame, who: pd.Series | None) -> dict[str, Any]:
    """Table and person for `check_privacy`, of records that are somebody's."""
    if who is None:
        return {"data": coded}
    return {"data": pd.concat([coded, who.rename(PERSON)], axis=1), "person": PERSON}


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


def _everyone(population: pd.DataFrame, quasi: list[str], person: str | None) -> pd.DataFrame:
    """The quasi-identifiers of a population, under the names of the table's.

    A row is a person, unless the population has the column that names the person of a record,
    too: then equal rows of one person are one.
    """
    check_table(population, "population")
    known, _ = column_names(population.columns)
    lacking = [name for name in quasi if name not in known]
    if lacking:
        close = difflib.get_close_matches(lacking[0], known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"population has no column {listed(lacking)}, a quasi-identifier of the table;"
            f"{hint} its columns are {listed(known)}."
        )
    everyone = population.set_axis(pd.Index(known, dtype=object), axis=1)
    if person in known:
        everyone = everyone[~everyone.duplicated([person, *quasi])]
    return everyone[quasi].reset_index(drop=True)


def _readable(
    table: pd.DataFrame,
    found: pd.DataFrame,
    notes: list[str],
    population: pd.DataFrame | None,
    person: str | None,
    coded: Mapping[int, Coded],
) -> Assumptions:
    """Make the cells of the columns that are measured comparable."""
    quasi = found.loc[found["role"] == QUASI, "column"].to_list()
    secret = found.loc[found["role"] == SENSITIVE, "column"].to_list()
    everyone = None if population is None else _everyone(population, quasi, person)
    readable: dict[str, pd.Series] = {}
    people: dict[str, pd.Series] = {}
    kept: dict[str, Any] = {}
    for name in [*quasi, *secret]:
        column = given = table[name]
        if everyone is not None and name in quasi:
            # Read together, equal cells of both tables stay equal.
            column = _together(column, everyone[name])
        column, note = sensitive_cells(column) if name in secret else comparable(column)
        if column is given and _is_plain(column):
            kept[name] = factorised(given)
        readable[name] = column.iloc[: len(table)]
        people[name] = column.iloc[len(table) :].reset_index(drop=True)
        notes += [f"{name!r}: {note}"] * bool(note)
    columns = "column role because distinct missing unique_share guessed warning".split()
    notes += [f"{said}." for said in warnings_of(found)]
    return Assumptions(
        pd.DataFrame(readable, columns=pd.Index([*quasi, *secret], dtype=object)),
        found[columns],
        quasi,
        secret,
        tuple(notes),
        None if everyone is None else pd.DataFrame({name: people[name] for name in quasi}),
        kept=kept,
    )


CATEGORIES = ""
"""Key of the table as categories; no column has an empty name."""


def _are_texts(column: pd.Series) -> bool:
    """Whether all cells are texts, or missing."""
    if isinstance(column.dtype, pd.StringDtype):
        return True
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufM":
        return not column.notna().any()
    cells = pd.unique(column.dropna().astype(object))
    return all(isinstance(cell, str) for cell in cells)


def _is_plain(column: pd.Series) -> bool:
    """Whether the codes of a column that are known are those that pandas would give it."""
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    return plain or isinstance(column.dtype, pd.StringDtype)


def sensitive_cells(column: pd.Series) -> tuple[pd.Series, str]:
    """Comparable cells of a sensitive column, texts that are numbers as such; what was done.

    Examples
    --------
    >>> sensitive_cells(pd.Series(["9,50", "10,25"], name="pay"))[0].tolist()
    [9.5, 10.25]
    """
    texts, name = _are_texts(column), column.name
    column, note = comparable(column)
    if texts:
        column, read = _as_numbers(column, name)
        note = " ".join(filter(None, [note, read]))
    return column, note


def _as_numbers(column: pd.Series, name: object) -> tuple[pd.Series, str]:
    """Texts that are all numbers as such, so that their order counts; codes stay texts."""
    codes, values = pd.factorize(column)
    coded = re.search(r"\b(?:code|icd ?\d*|diagnos\w*)\b", words_of(name))
    texts = values.tolist()
    if coded or not texts or not all(isinstance(cell, str) for cell in texts):
        return column, ""
    few = [read_numbers(texts[:20], mark).fits for mark in (".", ",")]
    if not np.logical_or(*few).all():  # then the others need no look
        return column, ""
    found = read_numbers(texts)
    numbers = np.array([float(cell) for cell in found.cells if cell is not None] + [np.nan])
    if not found.fits.all() or len({*found.cells}) != len({*numbers}) - 1:  # or some rounded
        return column, ""
    mark = "" if found.decimal == "." else ", with a decimal comma"
    if not found.sure:
        other = "." if found.decimal == "," else ","
        mark = f"; {other!r} was taken for the mark between thousands"
    return pd.Series(numbers[codes], column.index), f"its texts were read as numbers{mark}."


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
        try:
            codes, values = factorised(column)
        except TypeError:  # of lists and records
            return _from_objects(column.astype(object))
        return comparable(pd.Series(values.take(codes).array, column.index))
    kind = column.dtype
    if isinstance(kind, pd.DatetimeTZDtype):
        return column.dt.tz_convert("UTC").dt.tz_localize(None), "times were compared in UTC."
    plain = pd.api.types.is_string_dtype(kind) and not pd.api.types.is_object_dtype(kind)
    numbers = pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind)
    if plain or numbers or pd.api.types.is_datetime64_any_dtype(kind):
        return _without_nullable(column), ""
    return _from_objects(column.astype(object))


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
    if kinds <= {str} or kinds <= {np.bool_, bool}:
        return column.where(there, np.nan), ""
    if _are_times(column[there], kinds):
        try:
            with warnings.catch_warnings(action="ignore"):
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
    if not known <= {"datetime", "Timestamp"}:
        return known == {"date"}
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
    floats = all(isinstance(number, float) for number in numbers)
    return floats or all(abs(number) <= 2**53 or number != number for number in numbers)


def as_categories(
    data: pd.DataFrame, known: Mapping[str, Coded] | None = None
) -> pd.DataFrame:
    """Columns as categories, in order if they have one: numbers, dates, ordered categories.

    The codes of some columns may be `known`, with a missing cell as a value.
    """
    found, given = {}, known or {}
    for name in data.columns:
        column = data[name]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            ordered = column.dtype.kind in "iufM" or kind_of(pd.Index(column)) in SCALES
            if name in given:
                codes, values = _without_missing(*given[name], ordered)
            else:
                codes, values = pd.factorize(column, sort=ordered)
            some: Any = np.asarray(values) if column.dtype.kind in "iu" else values
            column = pd.Series(pd.Categorical.from_codes(codes, some, ordered=ordered))
        found[name] = column
    return pd.DataFrame(found, columns=data.columns)


def _without_missing(codes: IntArray, values: pd.Index, ordered: bool) -> Coded:
    """Codes of values in order, if they have one, and -1 where a cell is missing."""
    there = np.flatnonzero(~np.asarray(values.isna(), bool))
    if ordered:
        there = there[np.argsort(values.to_numpy()[there], kind="stable")]
    elif len(there) == len(values):
        return codes, values
    places = np.full(len(values), -1, np.int64)
    places[there] = np.arange(len(there))
    return places[codes], values.take(there)


def shown_names(names: list[Hashable], most: int = 6) -> str:
    """Some names in a sentence."""
    rest = len(names) - most
    listed = ", ".join(str(name) for name in names[:most])
    return f"{listed} and {rest} more" if rest > 0 else listed
