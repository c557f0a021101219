"""Suggested roles of columns, each with its reason in words.

A role is a decision about people, so this module only suggests: somebody who knows the
table confirms. In doubt it takes the role under which the table looks less safe.

Roles that nobody names are those of `suggest_roles`, and the report says so. Cells of any kind
become comparable here, and what had to be done for that is noted.
"""

# Longer than other modules: each rule that suggests a role is a function of a few lines, and
# the order of the rules matters; cells are made comparable here for the same rules.

from __future__ import annotations

import contextlib
import difflib
import re
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import RANKED, SCALES, class_ids, factorised, in_order, kind_of, written
from .._old.io.cells import (
    CURRENCY,
    WrittenDates,
    WrittenNumbers,
    are_places,
    compact_dates,
    look_like_dates,
    read_dates,
    read_numbers,
    read_places,
    says_date,
    words_of,
)
from .._typing import IntArray, table_of
from .._validation import check_columns, check_table, folded, listed, several_spellings
from . import patterns

ROLES = ("direct identifier", "quasi-identifier", "sensitive", "other", "free text")
"""What a column can be: it names a person, may be known, is to be kept secret, or neither; or
it holds sentences, which may say anything of anybody and are not measured."""


DIRECT, QUASI, SENSITIVE, OTHER, TEXT = ROLES


CELLS_READ = 1000
"""Distinct cells of a column whose writing is compared with patterns: its first ones."""


NEARLY_ALL = 0.95
"""Share of records with a cell of their own from which a column is as good as a name."""


FEW_RECORDS = 20
"""Below so many records cells differ by chance, and that says nothing."""


LONG_TEXT = 40
"""Mean length, in characters, from which cells that differ are free text."""


WORDS = 3
"""Words beyond which a cell is a sentence; a column is free text if most of its cells are."""


TELLS = r"@|[^\W\d].*\d|\d.*[^\W\d]|(\d\D*){5}"
"""What a cell of an address, a telephone, a card or an account has: @, letters and figures,
or five figures."""


LEAST_NUMBER = 10**5
"""Smaller numbers that repeat are counts or amounts, and no telephone, card or account."""


MOBILE = r"0[1-9]\d{8,9}|[67]\d\d[ -]\d{3}[ -]\d{3}|3\d\d[ -]\d{6,7}"
"""Telephone numbers without the signs that tell one in a text, if a column is full of them."""


MISSING_MARKS = (
    r"-{1,3}|[?]{1,3}|n ?[./] ?[ad]\.?|k\. ?a\.?|keine angaben?|unbekannt|unbek\.?|o\. ?a\."
    r"|unknown|unk|not (?:known|stated|recorded|available)|missing|nsp|ne sait pas|inconnue?"
    r"|non (?:renseign[eé]|pr[eé]cis[eé]|noto|disponibile)|n\.?s\.?/n\.?c\.?|no consta"
    r"|desconocid[oa]|sconosciut[oa]|onbekend|onb\.?|n\.?v\.?t\.?|null|<?na>?|nan|[(]blank[)]|#n/[av]"
    r"|#null!"
)
"""What is written where nothing is known, in small letters."""


FIGURES_FOR_NOTHING = frozenset(
    "-1 -2 -7 -8 -9 -77 -88 -99 -777 -888 -999 -9999 77 88 97 98 99 777 888 997 998 999 7777"
    " 8888 9997 9998 9999 99999 999999".split()
)
"""What is written as a number where nothing is known, if it is far from the other numbers."""


TOTALS = (
    r"(?:.{1,40}\W)?(?:(?:grand|sub)[ -]?)?(?:totals?|totale|totaal|total g[ée]n[ée]ral|somme"
    r"|suma|somma|(?:zwischen|gesamt)?summe|gesamt|insgesamt|overall|sum)\W*"
)
"""Words beside a line of totals."""


CHANCE = 0.8
"""Share of right check digits from which figures are no figures by chance, from five cells."""


@dataclass(frozen=True)
class _Column:
    """What is looked at to suggest the role of one column."""

    words: str
    """Its name in small letters without accents, one space between words."""
    values: pd.Index
    """Its distinct cells without missing ones, in order of appearance."""
    records: int
    """Records with a cell."""
    once: int
    """Records whose cell no other record has."""
    missing: int
    texts: list[str]
    """Its first distinct cells, if at least half of them are texts, else none."""
    times: list[int]
    """How many records have each of the texts."""
    marked: int
    """Records whose cell looks like a mark for a missing value."""

    @property
    def alone(self) -> float:
        return self.once / self.records

    @cached_property
    def whole(self) -> bool:
        """Whether its cells are whole numbers, perhaps made floats by a missing one."""
        if pd.api.types.is_float_dtype(self.values.dtype):
            with np.errstate(invalid="ignore"):  # the rest of infinity
                return bool((self.values.to_numpy(float) % 1 == 0).all())
        return bool(pd.api.types.is_integer_dtype(self.values.dtype))

    def named(self, names: str) -> str | None:
        """The first of some names that is among its words."""
        found = re.search(rf"\b(?:{names})\b", self.words)
        return None if found is None else found.group()

    @cached_property
    def amounts(self) -> WrittenNumbers | None:
        """Numbers, if nearly all of its texts are such."""
        found = read_numbers(self.texts) if self.texts else None
        return found if found is not None and found.fits.mean() >= 0.9 else None

    @cached_property
    def dates(self) -> WrittenDates | None:
        """Dates, if nearly all of its texts are such."""
        if not self.texts or not look_like_dates(self.texts):
            return None
        found = read_dates(self.texts)
        return found if (found.fits | found.short).mean() >= 0.9 else None


def suggest_roles(data: Any) -> pd.DataFrame:
    """Suggest what each column is to an attacker, and say why; the decision stays with you.

    Parameters
    ----------
    data : DataFrame, or table of Polars or Arrow, of shape (n_records, n_features)
        The table, with its columns' real names.

    Returns
    -------
    DataFrame of shape (n_features, 6)
        A row per column, in its place: `column`, `role` (one of `ROLES`), `reason` in words
        that quote no cell, `distinct` values and `unique_share`, the share of records with a
        cell that no other record has, and a `warning`, "" where there is none.

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table.

    Notes
    -----
    A direct identifier is known by its name, by the writing of at least half of its first
    1,000 distinct cells and by their check digits (see `toolkit.report.patterns`), or because
    nearly every record has a cell of its own. Names decide next; they are read in English,
    German, French, Spanish, Italian and Dutch. In doubt a column is a quasi-identifier, since
    somebody may know it. Not counted are direct identifiers, sentences, weights of a survey,
    columns of one value, and fractions of which most are there once (see `not_counted`).

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org"], "Alter": [3], "illness": ["flu"]})
    >>> suggest_roles(data)[["column", "role"]]
        column               role
    0   e-mail  direct identifier
    1    Alter   quasi-identifier
    2  illness          sensitive
    """
    return _suggested_roles(check_table(table_of(data)), {})


Coded = tuple[IntArray, pd.Index]
"""Code of each cell of a column, and the values."""


def _suggested_roles(data: pd.DataFrame, coded: dict[int, Coded]) -> pd.DataFrame:
    """Result of `suggest_roles`; the codes of each column by its place are kept in `coded`."""
    rows: list[tuple[Any, ...]] = []
    for j, name in enumerate(data.columns):
        try:
            coded[j] = factorised(data.iloc[:, j])
            column = _described(*coded[j], name)
        except TypeError:
            reason = "its cells cannot be compared, so they are not measured"
            rows.append((name, OTHER, reason, 0, 0.0, ""))
            continue
        role, reason = _suggested(column)
        alone = column.once / len(data) if column.records else 0.0
        rows.append((name, role, reason, len(column.values), alone, _warning(column, role)))
    parts = ["column", "role", "reason", "distinct", "unique_share", "warning"]
    return pd.DataFrame(rows, columns=parts).astype({"column": object})


def table_warnings(data: Any, roles: pd.DataFrame) -> list[str]:
    """Say what the columns of a table, of suggested `roles`, do not say one by one.

    Parameters
    ----------
    data : DataFrame, or table of Polars or Arrow, of shape (n_records, n_features)
        The table.
    roles : DataFrame
        Result of `suggest_roles`.

    Returns
    -------
    list of str
        Sentences that quote no cell: the warning of each column, records that are there
        twice, and that nobody said what is to stay secret.

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org", "a@b.org"], "age": [3, 3]})
    >>> for said in table_warnings(data, suggest_roles(data))[1:]:
    ...     print(said)
    1 record equals another record in every column, names among them
    nobody said what must stay secret, so this was not measured
    """
    data = table_of(data)
    said = warnings_of(roles)
    said += filter(None, [records_twice(data, roles), *lines_without_records(data)])
    if not (roles["role"] == SENSITIVE).any():
        said.append(NOBODY_SAID)
    return said


def warnings_of(roles: pd.DataFrame) -> list[str]:
    """Say the warning of each column that has one, behind its name.

    Examples
    --------
    >>> warnings_of(pd.DataFrame({"column": ["age", "zip"], "warning": ["", "is short"]}))
    ["'zip' is short"]
    """
    pairs = zip(roles["column"], roles["warning"], strict=True)
    return [f"{name!r} {warning}" for name, warning in pairs if warning]


def not_counted(columns: pd.DataFrame) -> dict[str, str]:
    """Say of each column that no number counts what it is taken for, and why.

    Examples
    --------
    >>> data = pd.DataFrame({"phone": ["1"], "age": [3]})
    >>> not_counted(suggest_roles(data))
    {'phone': "direct identifier: its name says 'phone'"}
    """
    left = columns[~columns["role"].isin([QUASI, SENSITIVE])]
    because = left["reason" if "reason" in left else "because"]
    return dict(zip(left["column"], left["role"] + ": " + because, strict=True))


def records_twice(data: pd.DataFrame, roles: pd.DataFrame) -> str:
    """Say how many records are there twice, in a table with names; "" if there are none.

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org", "a@b.org"], "age": [3, 3]})
    >>> records_twice(data, suggest_roles(data))
    '1 record equals another record in every column, names among them'
    """
    if not (roles["role"] == DIRECT).any():
        return ""
    ids, first = class_ids(data, np.flatnonzero(roles["distinct"] > 0).tolist())
    again = len(ids) - len(first)
    equal = "records equal" if again > 1 else "record equals"
    return f"{again:,} {equal} another record in every column, names among them" * bool(again)


NO_RECORDS = "lines that may be no records"
"""Beginning of what is said of totals and empty lines."""


def lines_without_records(data: pd.DataFrame) -> list[str]:
    """Say how many lines of a table are probably totals, notes below it, or empty.

    Examples
    --------
    >>> data = pd.DataFrame({"a": ["x", "Total"], "b": [1, None], "c": [1, 2], "d": [1, None]})
    >>> lines_without_records(data)
    ['lines that may be no records: 1 of totals; each counts as a person unless you delete it']
    """
    width, filled = data.shape[1], data.notna().to_numpy().sum(axis=1)
    few = np.flatnonzero(filled <= width // 2 + 1) if width > 2 else np.zeros(0, int)
    match = re.compile(TOTALS, re.IGNORECASE).fullmatch
    totals = np.zeros(len(data), bool)
    for j in range(width if 0 < 2 * len(few) <= len(data) else 0):
        cells = data.iloc[few, j]
        if not pd.api.types.is_numeric_dtype(cells.dtype):
            with contextlib.suppress(TypeError):  # its cells cannot be compared
                words = [one for one in cells.unique() if isinstance(one, str)]
                totals[few] |= cells.isin([one for one in words if match(one.strip())])
    alone = (filled == 1) & ~totals & (width > 3)
    counts = {"of totals": totals, "without a cell": filled == 0, "with one cell only": alone}
    found = [f"{lines.sum():,} {what}" for what, lines in counts.items() if lines.any()]
    if not found or 2 * (totals | alone | (filled == 0)).sum() > len(data):
        return []
    counted = "each counts as a person unless you delete it"
    return [f"{NO_RECORDS}: {', '.join(found)}; {counted}"]


BUT_RECORDS = ", and k counts records unless this column is named as person"
"""End of a warning, where no column is."""


NOBODY_SAID = "nobody said what must stay secret, so this was not measured"


def _described(codes: IntArray, values: pd.Index, name: object) -> _Column:
    """What the suggestion is made from."""
    counts = np.bincount(codes, minlength=len(values))
    there = ~np.asarray(values.isna(), bool) & (counts > 0)
    records = int(counts[there].sum())
    once = int((counts[there] == 1).sum())
    left = values if there.all() else values[there]
    first = zip(left[:CELLS_READ], counts[there][:CELLS_READ].tolist(), strict=True)
    found = {cell: times for cell, times in first if isinstance(cell, str)}
    if 2 * len(found) < min(len(left), CELLS_READ):
        found = {}
    texts, times = [*found], [*found.values()]
    lacking, marked = len(codes) - records, _marked(left, counts[there], texts, times)
    return _Column(words_of(name), left, records, once, lacking, texts, times, marked)


def _marked(values: pd.Index, counts: IntArray, texts: list[str], times: list[int]) -> int:
    """How many records have a mark for a missing value: a word, or figures far from others."""
    numbers = pd.api.types.is_numeric_dtype(values.dtype) and values.dtype.kind != "c"
    if not numbers or pd.api.types.is_bool_dtype(values.dtype) or len(values) < 3:
        match = re.compile(MISSING_MARKS).fullmatch
        marks = [match(cell.strip().lower()) for cell in texts]
        return sum(n for n, mark in zip(times, marks, strict=True) if mark is not None)
    known = values.to_numpy(float)
    order = np.argsort(known)
    found = 0
    for first, last in ((order[0], order[1:]), (order[-1], order[:-1])):
        mark, rest = float(known[first]), known[last]
        gap = np.abs(rest - mark).min()
        apart = gap > rest[-1] - rest[0] or mark < 0 <= rest[0]
        found += int(counts[first]) * (f"{mark:g}" in FIGURES_FOR_NOTHING and bool(apart))
    return found


Suggestion = tuple[str, str]
"""Role and reason."""


def _suggested(column: _Column) -> Suggestion:
    """Role and reason: the first that a rule yields."""
    if not column.records:
        return OTHER, "every cell is missing"
    rules: list[Callable[[_Column], Iterator[Suggestion]]]
    rules = [_by_compact_date, _by_pattern, _by_identifier_name, _by_text_name]
    rules += [_by_weight_name, _by_time, _by_name, _by_money, _by_date, _by_place]
    rules += [_by_sentences, _by_uniqueness, _by_distribution]
    return next(found for rule in rules for found in rule(column))


def _by_pattern(column: _Column) -> Iterator[Suggestion]:
    """Cells that are written as identifiers are."""
    cells = column.texts
    if not cells and column.whole and np.max(column.values.to_numpy(), initial=0) >= 10**7:
        cells = [str(int(cell)) for cell in column.values[:CELLS_READ]]
    if not cells:
        return
    looked = "distinct cells" if len(column.values) <= CELLS_READ else "first 1,000 cells"
    capital = cells  # numbers are written in capitals, or all are not
    if all(cell == cell.lower() for cell in cells):
        capital = [cell.upper() for cell in cells]
    some = [one for one in patterns.PATTERNS if column.texts or not one.telling]
    for pattern, found in zip(some, patterns.shaped(capital, some), strict=True):
        written = float(found.mean())
        if written < 0.5:
            continue
        right = float(patterns.is_valid(capital, pattern).mean())
        if pattern.telling:
            yield DIRECT, f"{written:.0%} of its {looked} are written as {pattern.what} are"
        if right >= CHANCE and len(cells) >= 5:
            digits = f"{right:.0%} of its {looked} have the check digits of {pattern.what}"
            yield DIRECT, digits
    if not column.texts:
        return
    called = np.mean([re.fullmatch(MOBILE, cell.strip()) is not None for cell in cells])
    if called >= 0.9 and len(cells) >= 5:
        yield DIRECT, f"{called:.0%} of its {looked} are written as telephone numbers are"
    written, given = patterns.looks_like_names(cells)
    if written >= 0.9 and column.records >= FEW_RECORDS and column.alone >= 0.5:
        yield DIRECT, f"{written:.0%} of its {looked} are written as people's names are"
    if given >= 0.5 and len(cells) >= 5:
        yield DIRECT, f"{given:.0%} of its {looked} hold names of people"
    named = patterns.names_by_form(cells)
    if named >= 0.9 and len(cells) >= 2:
        yield DIRECT, f"{named:.0%} of its {looked} are names with a title or initials"


def _by_compact_date(column: _Column) -> Iterator[Suggestion]:
    """Dates in eight figures, which look like numbers of people."""
    if compact_dates(column.values) is not None:
        yield QUASI, "its cells are dates in eight figures, which others may know"


def _by_identifier_name(column: _Column) -> Iterator[Suggestion]:
    """Names of direct identifiers; "number" counts only where cells differ, or of people."""
    word = column.named(patterns.IDENTIFIER_NAMES)
    of_place = column.named(patterns.POSTCODE_NAMES) and column.alone < 0.5
    if word and not (of_place and re.fullmatch(patterns.ADDRESS_NAMES, word)):
        if not _names_nobody(column, word):
            yield DIRECT, f"its name says {word!r}"
    if re.fullmatch(patterns.NAME_ALONE, column.words):
        yield DIRECT, f"its name says {column.words!r}"
    if re.fullmatch(patterns.NAMES_OF_LETTERS, column.words) and _are_words(column):
        yield DIRECT, f"its name says {column.words!r}, and its cells are words"
    word = column.named(patterns.NAMED_PEOPLE)
    if word and column.texts and _may_be_names(column.texts):
        yield DIRECT, f"its name says {word!r}, and its cells are written as names are"
    word = column.named(f"{patterns.NUMBER_NAMES}|{patterns.WORD_FOR_NAME}")
    few = column.records < FEW_RECORDS
    if word and (column.alone >= 0.5 or few and column.words == word):
        yield DIRECT, f"its name says {word!r}, and {_alone(column)}"
    if _counts_people(column):
        yield DIRECT, f"its name says {column.words!r}, which tells people apart"


def _names_nobody(column: _Column, word: str) -> bool:
    """Whether cells under an identifier's name are flags, short answers, counts or amounts."""
    if column.texts:
        figures = np.mean([re.search(TELLS, cell) is not None for cell in column.texts])
        in_words = re.search(patterns.HOLD_WORDS, word) is not None
        return column.alone < 0.5 and bool(figures < 0.5) and not in_words
    if pd.api.types.is_bool_dtype(column.values.dtype) or not column.whole:
        return pd.api.types.is_numeric_dtype(column.values.dtype)
    return column.alone < 0.5 and bool(np.abs(column.values.to_numpy()).max() < LEAST_NUMBER)


def _are_words(column: _Column) -> bool:
    """Whether all cells begin with a capital letter and have no figures."""
    return bool(column.texts) and all(
        cell.strip()[:1].isupper() and not re.search(r"\d", cell) for cell in column.texts
    )


def _may_be_names(texts: list[str]) -> bool:
    """Whether half of the texts have the shape of names, or many are names that are common."""
    written, given = patterns.looks_like_names(texts)
    return max(written, patterns.names_by_form(texts)) >= 0.5 or given >= 0.2


def _counts_people(column: _Column) -> bool:
    """Whether a column numbers people or households, who may have several records."""
    many = len(column.values) > FEW_RECORDS
    if many and (column.texts or column.whole) and re.fullmatch(patterns.PEOPLE, column.words):
        return column.words != "people"  # which is a count
    return many and re.fullmatch(patterns.PERSON_NUMBERS, column.words) is not None


def _by_text_name(column: _Column) -> Iterator[Suggestion]:
    """Names of remarks, if some of these are more than a word or two."""
    word = column.named(patterns.TEXT_NAMES)
    if word and column.texts and patterns.words_in(column.texts).max() >= WORDS:
        yield TEXT, f"its name says {word!r}, and it may say anything of anybody"


def _by_weight_name(column: _Column) -> Iterator[Suggestion]:
    """Weights of a survey."""
    word = column.named(patterns.WEIGHT_NAMES)
    numbers = pd.api.types.is_numeric_dtype(column.values.dtype)
    if word and (numbers or column.amounts is not None):
        yield OTHER, f"its name says {word!r}, a weight of the survey"


def _by_time(column: _Column) -> Iterator[Suggestion]:
    """Dates and ages of whatever: others may know when something secret happened."""
    if not column.named(patterns.SENSITIVE_NAMES):
        return
    word = column.named(patterns.AGE_NAMES)
    if word and (column.whole or column.amounts is not None):
        yield QUASI, f"its name says {word!r}"
    word = column.named(patterns.YEAR_NAMES)
    if word and column.whole and column.values.isin(range(1850, 2101)).all():
        yield QUASI, f"its name says {word!r}"
    if pd.api.types.is_datetime64_any_dtype(column.values.dtype):
        yield QUASI, "it holds dates, which others may know"
    yield from _by_date(column)


def _by_money(column: _Column) -> Iterator[Suggestion]:
    """Amounts of money, by the currency beside them."""
    if any(re.search(CURRENCY, cell) for cell in column.texts[:20]):
        if column.amounts is not None and re.match(CURRENCY, column.amounts.unit):
            yield SENSITIVE, "its cells are amounts of money"


def _by_name(column: _Column) -> Iterator[Suggestion]:
    """Names of what is secret, and of what is known; then the same in the singular."""
    lists = ((SENSITIVE, patterns.SENSITIVE_NAMES), (QUASI, patterns.QUASI_NAMES))
    stems = [re.sub(rf"(?<=\w\w\w){end}\b", "", column.words) for end in ("s", "es")]
    for words in (column.words, *stems, re.sub(r"ies\b", "y", column.words)):
        for role, names in lists:
            word = replace(column, words=words).named(names)
            if word:
                yield role, f"its name says {word!r}"


def _by_date(column: _Column) -> Iterator[Suggestion]:
    """Dates as text: others may know them, even if each occurs once."""
    if column.dates is not None:
        yield QUASI, "its cells are written as dates, which others may know"
    if says_date(column.words):
        yield QUASI, "its name says that it holds dates, which others may know"


def _by_place(column: _Column) -> Iterator[Suggestion]:
    """Postcodes, by their writing or because figures of five digits repeat."""
    found = read_places(column.texts) if column.texts else None
    if found is not None and (found.form != "numeric" or column.alone < 0.5):  # no streets
        yield QUASI, f"its cells are written as {found.form} postcodes are"
    if are_places(column.values, column.records):
        yield QUASI, "its numbers of five digits repeat, as those of postcodes do"


def _by_sentences(column: _Column) -> Iterator[Suggestion]:
    """Sentences that differ; of few records, cells of more words than a category has."""
    if not _are_sentences(column):
        return
    many = column.records >= FEW_RECORDS
    if many or (patterns.words_in(column.texts) > 2 * WORDS).mean() > 0.5:
        yield TEXT, f"it is free text, which may name people, and {_alone(column)}"


def _are_sentences(column: _Column) -> bool:
    """Whether most cells have more than three words or are long, and are no categories.

    Sentences that repeat are categories, unless they name somebody.
    """
    if not column.texts:
        return False
    wordy = bool((patterns.words_in(column.texts) > WORDS).mean() > 0.5)
    if 5 * len(column.values) < column.records:
        return wordy and patterns.names_people(column.texts)
    if wordy or column.alone < 0.5:
        return wordy
    return bool(np.mean([len(cell) for cell in column.texts]) >= LONG_TEXT)


def _by_uniqueness(column: _Column) -> Iterator[Suggestion]:
    """A cell of its own for nearly every record: a number of the record."""
    if column.records < FEW_RECORDS or column.alone < NEARLY_ALL:
        return
    texts = any(isinstance(cell, str) for cell in column.values[:CELLS_READ])
    if (texts or column.whole) and not _are_amounts(column):
        yield DIRECT, f"{_alone(column)}, as with the number of a record"


def _are_amounts(column: _Column) -> bool:
    """Whether texts are numbers with a mark or a unit, as no number of a record is."""
    marked = any(re.search(r"[^\d\s]", cell) for cell in column.texts)
    return marked and column.amounts is not None


def _warning(column: _Column, role: str) -> str:
    """What its role does not say of a column."""
    if not column.records:
        return ""
    said = [_said(column, role)]
    if column.marked and role not in (DIRECT, TEXT):
        cells = "records have such a cell" if column.marked > 1 else "record has such a cell"
        said.append(
            "seems to have marks for missing values, as 999, -9, k.A. and - may be:"
            f" {column.marked:,} {cells}, which counts as a value; empty it if it is none"
        )
    return "; it ".join(filter(None, said))


def _said(column: _Column, role: str) -> str:
    """What its kind does not say of a column."""
    if role == TEXT or _are_sentences(column):
        few = len(column.values) <= CELLS_READ
        which = "its cells" if few else "the records of its first 1,000 distinct cells"
        seen = patterns.said_of(column.texts, column.times, which)
        return (
            "is free text: names, illnesses and places may stand in it, and no number here"
            f" measures that; take it out, or have every cell read; {seen}, which is not all"
            " that a reader would find"
        )
    if role == DIRECT or (role == QUASI and _may_number_people(column)):
        return _repeated(column)
    if role == OTHER and column.named(patterns.WEIGHT_NAMES):
        return (
            "is a weight: each record stands for several people; that is not counted unless it"
            " is passed as weights"
        )
    dates = pd.api.types.is_datetime64_any_dtype(column.values.dtype)
    dates = dates or compact_dates(column.values) is not None
    found = None if dates else column.dates
    said = []
    if found is not None and found.short.any():
        said.append("has years of two digits, whose century nobody can tell; write four")
    elif found is not None and found.order is None:
        said.append(
            "does not tell whether the day or the month comes first; its hierarchy begins with"
            " years unless date_hierarchy is given order="
        )
    if (dates or found is not None) and not column.named(patterns.BIRTH_NAMES):
        said.append(
            "may hold dates of events: a sequence of them identifies a person even where each"
            " date alone does not"
        )
    return "; it ".join(said)


def _may_number_people(column: _Column) -> bool:
    """Whether a column that nothing else tells of may have a value for each person."""
    named = re.fullmatch(patterns.NUMBERS_OF_SOMEBODY, column.words)
    known = column.named(patterns.QUASI_NAMES)
    return bool(named and not known and len(column.values) > FEW_RECORDS)


def _repeated(column: _Column) -> str:
    """Several records with one identifier, where that cannot be the same name by chance."""
    distinct, records = len(column.values), column.records
    if distinct == records:
        return ""
    figures = np.mean([any(map(str.isdigit, cell)) for cell in column.texts or ["1"]])
    may = _counts_people(column) or _may_number_people(column)
    by_number = bool(may and figures >= 0.5)  # names are alike by chance
    if not by_number and (column.whole or not column.texts):
        by_number = re.fullmatch(f"(.* )?({patterns.NUMBER_NAMES})", column.words) is not None
    if not by_number:
        written = patterns.shaped(column.texts, patterns.PATTERNS) if column.texts else []
        if not any(found.mean() >= 0.5 for found in written):
            return ""
    values = f"{distinct:,} value{'s' * (distinct != 1)} in {records:,} records"
    return f"has {values}: the same person or house may have several records{BUT_RECORDS}"


def _alone(column: _Column) -> str:
    """How many records have a cell of their own, in words."""
    return f"{column.alone:.0%} of the records have a cell of their own"


def _by_distribution(column: _Column) -> Iterator[Suggestion]:
    """What is left: known, but for one value, and fractions that hardly repeat."""
    distinct = len(column.values)
    if distinct == 1 and not column.missing:
        yield OTHER, "every record has the same value"
    if pd.api.types.is_datetime64_any_dtype(column.values.dtype):
        yield QUASI, "it holds dates, which others may know"
    numbers = pd.api.types.is_numeric_dtype(column.values.dtype) and not column.whole
    if distinct > 100 and column.alone >= 0.5 and (numbers or _are_amounts(column)):
        yield OTHER, f"it looks like a measurement: {_alone(column)}"
    repeated = f"{distinct:,} value{'s' * (distinct != 1)}, which others may know"
    yield QUASI, f"its name says nothing; it has {repeated}"


NAME_LENGTH = 60
"""Longer names of columns are cut, or a page cannot hold them."""


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
    suggested = _suggested_roles(table, coded)
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
    notes += [f"{said}." for said in lines_without_records(table)]
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
            kept[name] = coded[[*table.columns].index(name)]
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


# What is said first of a table, wherever it lives


COUNTS = r"(?:\w+ )?(?:count|n|freq(?:uency)?|weight|anzahl|people|person|case|obs)s?"
"""Names of columns that may say how many people a row stands for."""


class Rows(NamedTuple):
    """What is counted of the whole records of a table."""

    names: list[str]
    records: int
    whole: list[str]
    """Columns of whole numbers."""
    repeats: Callable[[list[str], list[str]], tuple[int, int, int]]
    """Of some columns, and some of these that others may know: how many records equal another
    one, how many rows differ, and how many of these are alone in what others may know."""


def rows_of_frame(data: pd.DataFrame) -> Rows:
    """What is counted of a table in memory, whose columns go by the names of `column_names`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [3, 3, 4], "ill": ["flu", "flu", "hiv"]})
    >>> rows_of_frame(data).repeats(["age", "ill"], ["age"])
    (2, 2, 2)
    """
    names, _ = column_names(data.columns)
    kinds = zip(names, data.dtypes, strict=True)
    whole = [name for name, kind in kinds if pd.api.types.is_integer_dtype(kind)]

    def repeats(some: list[str], known: list[str]) -> tuple[int, int, int]:
        ids, first = class_ids(data, [names.index(name) for name in some])
        classes, _ = class_ids(data.iloc[first], [names.index(name) for name in known])
        times = np.bincount(ids)
        return int(times[times > 1].sum()), len(first), int((np.bincount(classes) == 1).sum())

    return Rows(names, len(data), whole, repeats)


def said_first(
    columns: pd.DataFrame,
    rows: Rows,
    known: list[str],
    secret: list[str],
    person: str | None = None,
    people: Rows | None = None,
) -> list[str]:
    """Say what a number hides: columns that are not measured, and rows that are not people.

    Parameters
    ----------
    columns : DataFrame
        Result of `suggest_roles`, or the columns of `assume`.
    rows : Rows
        What is counted of the table.
    known, secret : list of columns
        What is measured.
    person : column, optional
        Whose records they are.
    people : Rows, optional
        What is counted of the population.

    Examples
    --------
    >>> data = pd.DataFrame({"sex": list("ffmm"), "ill": list("abab"), "count": [1, 0, 7, 5]})
    >>> said_first(suggest_roles(data), rows_of_frame(data), ["sex"], ["ill"])[1]
    "the rows may be counts of people, by 'count': write a row for each person."
    """
    measured, said = [*known, *secret, person], []
    role = dict(zip(rows.names, columns["role"], strict=True))
    left = [name for name in rows.names if name not in measured]
    if direct := [name for name in left if role[name] == DIRECT]:
        said.append(
            f"{listed(direct)}: taken for direct identifiers, and not measured. Take them out"
            f" before a release; no threshold helps while they are there."
        )
    if others := [name for name in left if name not in direct]:
        said.append(f"not measured: {listed(others)}.")
    there = [name for name, n in zip(rows.names, columns["distinct"], strict=True) if n]
    known = [name for name in known if name in there]
    for name in others:
        if name in rows.whole and re.fullmatch(COUNTS, words_of(name)):
            rest = [one for one in there if one not in (name, *direct)]
            if known and rows.repeats(rest, known)[1] == rows.records:
                said.append(
                    f"the rows may be counts of people, by {name!r}: write a row for each"
                    f" person."
                )
    if known and person is None and len(there) > len(known):
        again, distinct, alone = rows.repeats(there, known)
        if 2 * again > rows.records and alone >= NEARLY_ALL * distinct:
            said.append(
                f"{again:,} of {rows.records:,} records equal another one in every column, and"
                f" nearly all that differ are alone in what others may know: if they are"
                f" copies, k is too large; write each record once."
            )
    if people is not None and person not in people.names and set(people.names) - set(known):
        twice = people.records - people.repeats(people.names, known)[1]
        if twice:
            said.append(
                f"population: {twice:,} row{'s' * (twice > 1)} repeat{'s' * (twice == 1)}"
                f" another one in every column; it must have a row for each person."
            )
    return said


def first_lines(
    data: pd.DataFrame,
    columns: pd.DataFrame,
    known: list[str],
    secret: list[str],
    person: str | None = None,
    population: pd.DataFrame | None = None,
) -> list[str]:
    """Result of `said_first` of a table in memory."""
    people = None if population is None else rows_of_frame(population)
    return said_first(columns, rows_of_frame(data), known, secret, person, people)
