"""Suggested roles of columns, each with its reason in words.

A role is a decision about people, so this module only suggests: somebody who knows the
table confirms. In doubt it takes the role under which the table looks less safe.

Roles that nobody names are those of `suggest_roles`, and the report says so. Cells of any kind
become comparable here, and what had to be done for that is noted.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import SCALES, class_ids, factorised, in_order, kind_of, written
from .._kinds import table_of
from .._validation import check_columns, check_table, listed

__all__ = [
    "Assumptions",
    "ROLES",
    "assume",
    "comparable",
    "suggest_roles",
]


ROLES = ("direct identifier", "quasi-identifier", "sensitive", "other")
"""What a column can be: it names a person, may be known, is to be kept secret, or neither."""


CELLS_READ = 1000
"""Distinct cells of a column whose writing is compared with patterns: its first ones."""


NEARLY_ALL = 0.95
"""Share of records with a cell of their own from which a column is as good as a name."""


FEW_RECORDS = 20
"""Below so many records cells differ by chance, and that says nothing."""


LONG_TEXT = 40
"""Mean length, in characters, from which cells that differ are free text."""


IDENTIFIER_NAMES = (
    "e ?mail( address)?|phone|telephone|tel|mobile|fax|ssn|social security|passport|iban|bic"
    "|(bank |credit )?card( number)?|account( number)?|ip( address)?|mac address|url"
    "|home ?page|user ?name|login|first ?name|last ?name|given ?name|family ?name"
    "|middle ?name|surname"
    "|fore ?name|full ?name|maiden name|address|street( address)?|house number|nhs( number)?"
    "|medicare( number)?|tax (file )?number|tfn|national id|licen[cs]e( plate| number)?"
    "|number plate|vin|device id|imei|photo|fingerprint|latitude|longitude|lat|lon|gps"
    "|medical record( number)?|mrn"
)


NUMBER_NAMES = "id|uid|uuid|guid|identifier|record|key|name|nr|number|index|serial|ref"


SENSITIVE_NAMES = (
    "disease|illness|diagnos[ei]s|icd ?\\d*|symptoms?|treatment|medication|drugs?|therapy"
    "|hiv|std|cancer|diabetes|pregnan(t|cy)|disab(led|ility)|mental|health|condition|blood"
    "|smok(er|ing)|alcohol|income|salary|wages?|earnings|pay|wealth|debt|credit|capital"
    "|loan|balance|rent|benefits?|religion|faith|politic(s|al)|party|vote|union|orientation"
    "|sexuality|crime|criminal|offen[cs]e|conviction|arrest|genetic|genome|score|grade"
    "|charges?|cost|outcome|death|survived"
)


QUASI_NAMES = (
    "age|dob|birth|birth ?day|birth ?date|year of birth|sex|gender|race|ethnic(ity)?"
    "|nationality|native|country|citizenship|language|zip|zip ?code|post ?code|postal|city"
    "|town|village|suburb|district|county|state|region|province|area|location|place|tract|block|marital"
    "|marriage|married|relationship|family|household|children|education|school|degree"
    "|occupation|job|profession|employer|work ?class|industry|department|position|title"
    "|height|weight|eyes?|hair|colou?r|date|admission|discharge|veteran|military|car|vehicle"
)


PATTERNS: dict[str, str] = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "social security numbers": r"\d{3}-\d{2}-\d{4}",
    "bank account numbers (IBAN)": r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
    "internet addresses (IP)": r"(?:\d{1,3}\.){3}\d{1,3}",
    "payment card numbers": r"\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}",
    "telephone numbers": (
        r"(?:\+|00)\d[\d ()/.-]{6,18}\d|\(0?\d{2,5}\)[ -]?\d[\d -]{4,12}\d"
        r"|0\d{2,5}[ /-]\d[\d -]{4,12}\d|\d{3}[-. ]\d{3}[-. ]\d{4}"
    ),
    "links": r"(?:https?://|www\.)\S+",
}


PERSON = r"(?:[^\W\d_a-z][\w'’.-]*,? ){1,3}[^\W\d_a-z][\w'’.-]*"
"""Two to four words with a capital letter each, as in a person's name."""


DATE = r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]+)?|\d\d?[./]\d\d?[./]\d{2,4}(?: [\d:]+)?"


class _Column(NamedTuple):
    """What is looked at to suggest the role of one column."""

    words: str
    """Its name in small letters, one space between words."""
    values: pd.Index
    """Its distinct cells without missing ones, in order of appearance."""
    records: int
    """Records with a cell."""
    once: int
    """Records whose cell no other record has."""
    missing: int

    @property
    def alone(self) -> float:
        return self.once / self.records


def suggest_roles(data: Any) -> pd.DataFrame:
    """Suggest what each column is to an attacker, and say why; the decision stays with you.

    Parameters
    ----------
    data : DataFrame, or table of Polars or Arrow, of shape (n_records, n_features)
        The table, with its columns' real names.

    Returns
    -------
    DataFrame of shape (n_features, 5)
        A row per column, in its place: `column`, `role` (one of `ROLES`), `reason` in words
        that quote no cell, `distinct` values and `unique_share`, the share of records with a
        cell that no other record has.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table.

    Notes
    -----
    A direct identifier is known by its name, by the writing of at least half of its first
    1,000 distinct cells, or because nearly every record has a cell of its own. Names decide
    next; a column whose name says nothing is a quasi-identifier if its values repeat, since
    somebody may know them. Names are read in English.

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org"], "age": [3], "illness": ["flu"]})
    >>> suggest_roles(data)[["column", "role"]]
        column               role
    0   e-mail  direct identifier
    1      age   quasi-identifier
    2  illness          sensitive
    """
    data = check_table(table_of(data))
    rows = []
    for j, name in enumerate(data.columns):
        column = _described(data.iloc[:, j], name)
        role, reason = (
            ("other", "its cells cannot be compared, so nothing here can measure them")
            if column is None
            else _suggested(column)
        )
        distinct = 0 if column is None else len(column.values)
        alone = 0.0 if column is None or not column.records else column.once / len(data)
        rows.append((name, role, reason, distinct, alone))
    found = pd.DataFrame(
        rows, columns=["column", "role", "reason", "distinct", "unique_share"]
    )
    return found.astype({"column": object})


def _described(column: pd.Series, name: object) -> _Column | None:
    """What the suggestion is made from; None if the cells cannot be compared."""
    try:
        codes, values = factorised(column)
    except TypeError:
        return None
    counts = np.bincount(codes, minlength=len(values))
    there = ~np.asarray(values.isna(), bool) & (counts > 0)
    records = int(counts[there].sum())
    once = int((counts[there] == 1).sum())
    return _Column(_words(name), values[there], records, once, len(column) - records)


def _words(name: object) -> str:
    """A column's name as words: homePhone_nr becomes "home phone nr"."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name))
    return " ".join(re.findall(r"[^\W_]+", apart.lower()))


def _named(words: str, names: str) -> str | None:
    """The first of some names that is among the words of a column."""
    found = re.search(rf"\b(?:{names})\b", words)
    return None if found is None else found.group()


def _suggested(column: _Column) -> tuple[str, str]:
    """Role and reason: the first rule that applies."""
    if not column.records:
        return "other", "every cell is missing"
    rules: list[Callable[[_Column], tuple[str, str] | None]]
    rules = [_by_pattern, _by_identifier_name, _by_name, _by_date, _by_uniqueness]
    found = next((found for rule in rules if (found := rule(column))), None)
    return found or _by_distribution(column)


def _by_pattern(column: _Column) -> tuple[str, str] | None:
    """Cells that are written as identifiers are."""
    cells = [cell for cell in column.values[:CELLS_READ] if isinstance(cell, str)]
    if 2 * len(cells) < min(len(column.values), CELLS_READ):
        return None
    looked = "distinct cells" if len(column.values) <= CELLS_READ else "first 1,000 cells"
    for what, pattern in PATTERNS.items():
        share = _share_matching(cells, pattern)
        if share >= 0.5:
            return ROLES[0], f"{share:.0%} of its {looked} are written as {what} are"
    share = _share_matching(cells, PERSON)
    if share >= 0.9 and column.records >= FEW_RECORDS and column.alone >= 0.5:
        return ROLES[0], f"{share:.0%} of its {looked} are written as people's names are"
    return None


def _share_matching(cells: list[str], pattern: str) -> float:
    """Share of texts that a pattern matches from end to end."""
    seen = [bool(re.fullmatch(pattern, cell.strip())) for cell in cells]
    return sum(seen) / max(len(seen), 1)


def _by_identifier_name(column: _Column) -> tuple[str, str] | None:
    """Names of direct identifiers; "number" or "name" counts only where cells differ."""
    word = _named(column.words, IDENTIFIER_NAMES)
    if word:
        return ROLES[0], f"its name says {word!r}"
    word = _named(column.words, NUMBER_NAMES)
    few = column.records < FEW_RECORDS
    if word and (column.alone >= 0.5 or few and column.words == word):
        return ROLES[0], f"its name says {word!r}, and {_alone(column)}"
    return None


def _by_name(column: _Column) -> tuple[str, str] | None:
    """Names of what is secret, and of what is known."""
    for role, names in ((ROLES[2], SENSITIVE_NAMES), (ROLES[1], QUASI_NAMES)):
        word = _named(column.words, names)
        if word:
            return role, f"its name says {word!r}"
    return None


def _by_date(column: _Column) -> tuple[str, str] | None:
    """Dates as text: others may know them, even if each occurs once."""
    cells = [cell for cell in column.values[:CELLS_READ] if isinstance(cell, str)]
    if _share_matching(cells, DATE) >= 0.9:
        return ROLES[1], "its cells are written as dates, which others may know"
    return None


def _by_uniqueness(column: _Column) -> tuple[str, str] | None:
    """A cell of its own for nearly every record: a number of the record, or free text."""
    if column.records < FEW_RECORDS:
        return None
    texts = [len(cell) for cell in column.values[:CELLS_READ] if isinstance(cell, str)]
    if texts and column.alone >= 0.5 and np.mean(texts) >= LONG_TEXT:
        return ROLES[0], f"it is free text, which may name people, and {_alone(column)}"
    whole = pd.api.types.is_integer_dtype(column.values.dtype)
    if column.alone >= NEARLY_ALL and (texts or whole):
        return ROLES[0], f"{_alone(column)}, as with the number of a record"
    return None


def _alone(column: _Column) -> str:
    """How many records have a cell of their own, in words."""
    return f"{column.alone:.0%} of the records have a cell of their own"


def _by_distribution(column: _Column) -> tuple[str, str]:
    """What is left: known if its values repeat, other if they do not or there is one."""
    distinct = len(column.values)
    if distinct == 1 and not column.missing:
        return ROLES[3], "every record has the same value"
    if pd.api.types.is_datetime64_any_dtype(column.values.dtype):
        return ROLES[1], "it holds dates, which others may know"
    kinds = pd.api.types.is_numeric_dtype(column.values.dtype)
    if kinds and distinct > 100:
        return ROLES[3], f"it is a measurement of {distinct:,} different numbers"
    repeated = f"{distinct:,} value{'s' * (distinct != 1)}, which others may know"
    return ROLES[1], f"its name says nothing; it has {repeated}"


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


def _everyone(population: pd.DataFrame, quasi: list[str]) -> pd.DataFrame:
    """The quasi-identifiers of a population, under the names of the table's."""
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
    return everyone[quasi].reset_index(drop=True)


def _readable(
    table: pd.DataFrame,
    found: pd.DataFrame,
    notes: list[str],
    population: pd.DataFrame | None,
) -> Assumptions:
    """Make the cells of the columns that are measured comparable."""
    quasi = found.loc[found["role"] == QUASI, "column"].to_list()
    secret = found.loc[found["role"] == SENSITIVE, "column"].to_list()
    everyone = None if population is None else _everyone(population, quasi)
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
