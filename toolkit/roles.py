"""What may each column give away? Suggested roles, each with the reason in words.

A role is a decision about people, so this module only suggests: whoever knows the table
confirms. Where it doubts it takes the role under which the table looks less safe.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ._validate import check_table
from .grouping import factorised

__all__ = ["ROLES", "suggest_roles"]

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


def suggest_roles(data: pd.DataFrame) -> pd.DataFrame:
    """Suggest what each column is to an attacker, and say why; the decision stays with you.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
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
    check_table(data)
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
