"""Suggested roles of columns: five rules, one vocabulary, a reason in words.

A role is a decision about people, so this module only suggests: somebody who knows the table
confirms. In doubt, a column is a quasi-identifier. Words in column names in six languages are
in `roles.toml`; patterns of the cells of identifiers are in `toolkit.text.patterns`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_table, folded, listed
from .._codes import combine, encode, kind_of
from .._typing import IntArray, Table, table_of
from ..anonymisation.hierarchies import read_dates
from ..io import NUMBER
from ..text.entities import find_entities
from ..text.patterns import PATTERNS, Pattern, plain_text

# A column names a person, may be known to others, must stay secret, or is none of these; or it
# holds sentences, which may say anything about anybody and are not measured.
ROLES = ("direct identifier", "quasi-identifier", "sensitive", "other", "free text")

DIRECT, QUASI, SENSITIVE, OTHER, TEXT = ROLES

# Number of first distinct cells of a column that are compared with patterns.
CELLS_READ = 1000

# Share of records with a cell of their own that makes a column as good as a name.
NEARLY_ALL = 0.95

# In fewer records, cells differ by chance; fewer values cannot number people.
FEW = 20

# What an address, a telephone or an account has: @, letters and digits, or five digits.
TELLS = re.compile(r"@|[^\W\d].*\d|\d.*[^\W\d]|(\d\D*){5}")

# Smaller numbers that repeat are counts or amounts, not telephones or accounts.
LEAST_NUMBER = 10**5

DAY, MONTH, YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:1[89]|20)\d\d"
CLOCK = r"(?:[T ,]+\d\d?[:h].*)?"
ORDERS = (
    re.compile(rf"{DAY}([-./ ]){MONTH}\1({YEAR}|\d\d){CLOCK}|{DAY}{MONTH}{YEAR}"),
    re.compile(rf"{MONTH}([-./ ]){DAY}\1({YEAR}|\d\d){CLOCK}|{MONTH}{DAY}{YEAR}"),
    re.compile(rf"{YEAR}([-./ ]?){MONTH}\1{DAY}{CLOCK}"),
)

WORD = r"[^\W\d_a-z][^\W\d_]{0,30}(?:[-'’][^\W\d_]{1,30}){0,3}"
NAME = re.compile(rf"{WORD},? (?:[a-z]{{1,3}} ){{0,2}}(?:{WORD} ?){{1,3}}")
INITIALS = re.compile(
    rf"(?:[^\W\d_a-z]\.[- ]?){{1,3}} ?(?:[a-z]{{2,3}} ){{0,2}}{WORD}"
    rf"|{WORD}(?:, [^\W\d_a-z](?:\.?[^\W\d_a-z])?\.?| [^\W\d_a-z]\.)"
)
WORDS = re.compile(r"[^\W\d_]{2,}")
AMOUNT = re.compile(r"\W{0,3}\d[\d.,'’ ]{0,20}[.,]\d{1,4}\s?\D{0,8}")

# Numbers that stand for an unknown value if they are far from the other numbers.
DIGITS_FOR_NOTHING = frozenset(
    "-1 -2 -7 -8 -9 -77 -88 -99 -777 -888 -999 -9999 77 88 97 98 99 777 888 997 998 999 7777"
    " 8888 9997 9998 9999 99999 999999".split()
)

SENTENCES = (
    "is free text: it may hold names, illnesses and places, which no number here measures;"
    " take it out, or have every cell read"
)
BUT_RECORDS = ", and k counts records unless this column is named as person"
NOBODY_SAID = "nobody said what must stay secret, so this was not measured"


@cache
def vocabulary() -> dict[str, str]:
    """Regular expression of the words of each group of `roles.toml`, with their plurals."""
    text = files(__package__).joinpath("roles.toml").read_text(encoding="utf-8")
    patterns = {}
    for group, languages in tomllib.loads(text).items():
        words = {word.strip() for line in languages.values() for word in line.split(",")}
        if group == "missing":
            patterns[group] = "|".join(map(re.escape, sorted(words)))
            continue
        patterns[group] = "|".join(_with_plural(word) for word in sorted(words, key=len)[::-1])
    return patterns


def _with_plural(word: str) -> str:
    """Expression of a word in the singular and the plural; with optional spaces."""
    shape = word.replace("*", r"\w*").replace(" ", " ?")
    if word.endswith("y") and len(word) > 3:
        return f"{shape[:-1]}(?:y|ies)"
    return shape + ("(?:s|es|n|en|x)?" if len(word) > 3 else "s?") * word[-1].isalpha()


def words_of(name: object) -> str:
    """Words of a name in lower case without accents, with one space between words.

    Examples
    --------
    >>> words_of("homePhone_nr"), words_of("Prénom"), words_of("Größe")
    ('home phone nr', 'prenom', 'groesse')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", str(name))
    text = re.sub(r"(?<=[^\W\d_])(?=\d)|[\W_]+", " ", text).lower()
    for sign, plain in zip("äöüß", ("ae", "oe", "ue", "ss"), strict=True):
        text = text.replace(sign, plain)
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).strip()


class _Column:
    """Facts from which the role of one column is suggested.

    Attributes
    ----------
    values, counts : pd.Index, IntArray
        Its distinct cells without missing ones, in order of appearance, and the number of
        records of each.
    alone : float
        Share of the records whose cell no other record has.
    texts : dict
        Its first distinct cells with their records, if at least half of them are texts.
    numbers : AnyArray, or None
        Its numbers as floats; None if it holds anything else.
    cells : list of str
        Its texts, or its whole numbers as texts.
    """

    def __init__(self, name: object, values: pd.Index, counts: IntArray, missing: int) -> None:
        self.words, self.values, self.counts = words_of(name), values, counts
        self.missing, self.records = missing, int(counts.sum())
        self.alone = float((counts == 1).sum() / max(self.records, 1))
        self.alone_in_words = f"{100 * self.alone:.0f} % of records have a cell of their own"
        first = zip(values[:CELLS_READ], counts[:CELLS_READ].tolist(), strict=True)
        texts = {plain_text(cell).strip(): n for cell, n in first if isinstance(cell, str)}
        self.texts = texts if 2 * len(texts) >= min(len(values), CELLS_READ) else {}
        self.kind, self.numbers = kind_of(values), None
        if self.kind in ("integer", "floating", "mixed-integer-float", "decimal"):
            with suppress(OverflowError, ValueError):
                self.numbers = np.array([float(cell) for cell in values])
        with np.errstate(invalid="ignore"):  # infinity has no remainder
            self.whole = self.numbers is not None and bool((self.numbers % 1 == 0).all())
        self.cells = [*self.texts]
        if self.whole and not self.texts:
            self.cells = [f"{float(cell):.0f}" for cell in values[:CELLS_READ]]
        # Numbers of people have digits; names have none.
        self.numbered = self.share(lambda cell: re.search(r"\d", cell)) >= 0.5
        self.amounts = bool(self.texts) and self.share(AMOUNT.fullmatch) >= 0.9

    def says(self, *groups: str, end: str = r"\b") -> str | None:
        """The first words of its name that belong to a group of the vocabulary."""
        known = "|".join(vocabulary()[group] for group in groups)
        match = re.search(rf"\b(?:{known}){end}", self.words)
        return None if match is None else match.group()

    def share(self, fits: Callable[[str], object]) -> float:
        """Share of its distinct cells that fit."""
        return sum(bool(fits(cell)) for cell in self.cells) / max(len(self.cells), 1)

    @cached_property
    def dated(self) -> bool:
        """True if its cells are dates, or are written as dates in digits."""
        if self.kind in ("date", "datetime", "datetime64", "period"):
            return True
        if self.texts:
            return self.share(lambda cell: any(o.fullmatch(cell) for o in ORDERS)) >= 0.9
        return any(self.share(order.fullmatch) == 1 for order in ORDERS)

    @cached_property
    def written_as(self) -> str | None:
        """Kind of entity that at least half of its cells are, from end to end."""
        for pattern in PATTERNS:
            enough, least = bool(self.texts), 0.5
            if pattern.cue:  # digits alone need check digits
                checked = pattern.kind in ("national health", "tax and identity")
                enough, least = checked and len(self.cells) >= 5, 0.8
            if enough and self.share(partial(_fits, pattern)) >= least:
                return pattern.kind
        return None

    @cached_property
    def long(self) -> bool:
        """True if most cells are sentences, and these are not categories."""
        if not self.texts:
            return False
        wordy = self.share(lambda cell: len(WORDS.findall(cell)) > 3) > 0.5
        if 5 * len(self.values) < self.records:
            telling = {"name", "phone", "email"}
            texts = [cell[:10_000] for cell in self.texts]
            return wordy and not telling.isdisjoint(find_entities(texts)["kind"])
        if self.records < FEW:
            return self.share(lambda cell: len(WORDS.findall(cell)) > 6) > 0.5
        return wordy or (
            self.alone >= 0.5 and sum(map(len, self.texts)) >= 40 * len(self.texts)
        )


def _fits(pattern: Pattern, cell: str) -> bool:
    """True if a pattern is all of a cell, and its check digits are right."""
    if re.fullmatch(pattern.shape, cell) is None:
        return False
    return pattern.check is None or pattern.check(re.sub(r"[\W_]", "", cell).upper())


def suggest_roles(data: Table) -> pd.DataFrame:
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

    Notes
    -----
    The first rule that fits decides: 1. cells written as identifiers, dates or money; 2. the
    name of the column, in English, German, French, Spanish, Italian or Dutch; 3. sentences are
    free text; 4. a cell of its own for nearly every record; 5. in doubt, a column is a
    quasi-identifier, since others may know it. Direct identifiers, sentences, survey weights,
    columns of one value and fractions that hardly repeat are not counted.

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org"], "Alter": [3], "illness": ["flu"]})
    >>> suggest_roles(data)[["column", "role"]]
        column               role
    0   e-mail  direct identifier
    1    Alter   quasi-identifier
    2  illness          sensitive
    """
    data = check_table(data)
    rows: list[tuple[Any, ...]] = []
    for j, name in enumerate(data.columns):
        try:
            codes, values = encode(data.iloc[:, j])
        except TypeError:
            reason = "its cells cannot be compared, so they are not measured"
            rows.append((name, OTHER, reason, 0, 0.0, ""))
            continue
        counts = np.bincount(codes, minlength=len(values))
        known = np.flatnonzero(~np.asarray(values.isna(), bool) & (counts > 0))
        missing = len(data) - int(counts[known].sum())
        column = _Column(name, values[known], counts[known], missing)
        role, reason = next(suggestion for rule in RULES for suggestion in rule(column))
        alone = column.alone * column.records / len(data)
        rows.append((name, role, reason, len(known), alone, _warning(column, role)))
    parts = ["column", "role", "reason", "distinct", "unique_share", "warning"]
    return pd.DataFrame(rows, columns=parts).astype({"column": object})


# Role and reason.
Suggestion = tuple[str, str]


def _by_cells(column: _Column) -> Iterator[Suggestion]:
    """Rule 1: cells that are written as identifiers, dates or money."""
    if not column.records:
        yield OTHER, "every cell is missing"
    if column.dated:
        yield QUASI, "it holds dates, which others may know"
    kind = column.written_as
    if kind in ("date", "age", "postcode"):
        yield QUASI, f"its cells are written as {kind}, which others may know"
    if kind == "money":
        yield SENSITIVE, "its cells are amounts of money"
    if kind is not None:
        yield DIRECT, f"its cells are written as {kind}"
    if len(column.texts) > 1 and column.share(INITIALS.fullmatch) >= 0.9:
        yield DIRECT, "its cells are names with initials"
    names = column.texts and column.share(NAME.fullmatch) >= 0.9
    if names and column.records >= FEW and column.alone >= 0.5:
        yield DIRECT, "its cells are written as names of people"


def _by_name(column: _Column) -> Iterator[Suggestion]:
    """Rule 2: what the name of the column says."""
    numbers = column.amounts or column.numbers is not None
    if (word := column.says("weights")) and numbers:
        yield OTHER, f"its name says {word!r}, a weight of the survey"
    yield from _by_identifier(column)
    if (word := column.says("texts")) and column.texts:
        if any(len(WORDS.findall(cell)) >= 3 for cell in column.texts):
            yield TEXT, f"its name says {word!r}, and it may say anything about anybody"
    if word := column.says("secret", "opinions"):
        amounts = column.numbers is not None and column.numbers.max(initial=0) > 2100
        if not amounts and (when := column.says("times")):  # time of a secret event
            yield QUASI, f"its name says {when!r}"
        yield SENSITIVE, f"its name says {word!r}"
    if word := column.says("known", "times"):
        yield QUASI, f"its name says {word!r}"


def _by_identifier(column: _Column) -> Iterator[Suggestion]:
    """Part of rule 2: names of direct identifiers, unless the cells can name nobody."""
    name, alone = vocabulary()["name"], column.alone >= 0.5
    whole_name = rf"(?:{name})|(?:{vocabulary()['people']}) ?(?:{name})"
    word = column.says("names") or (re.fullmatch(whole_name, column.words) and column.words)
    if word and column.texts and (column.numbered or column.share(str.islower) < 1):
        yield DIRECT, f"its name says {word!r}"
    other = column.says("known") and not alone
    other = other or (column.says("secret") and column.numbers is not None)
    if (word := column.says("numbers")) and not other and _can_reach(column):
        yield DIRECT, f"its name says {word!r}"
    if _numbers_people(column):
        yield DIRECT, f"its name says {column.words!r}, which tells people apart"
    word = column.says("number", "name")
    if word and alone and (column.texts or column.whole):
        yield DIRECT, f"its name says {word!r}, and {column.alone_in_words}"


def _can_reach(column: _Column) -> bool:
    """True unless the cells are flags, short answers, counts or amounts."""
    if column.texts:
        return column.alone >= 0.5 or column.share(TELLS.search) >= 0.5
    if column.numbers is None or not column.whole:
        return False
    return column.alone >= 0.5 or bool(np.abs(column.numbers).max() >= LEAST_NUMBER)


def _numbers_people(column: _Column) -> bool:
    """True if the column numbers people or households, who may have several records."""
    people, number = vocabulary()["people"], vocabulary()["number"]
    between = r" ?(?:d |du |de |del |della |of |van |der )?"
    both = rf"(?:.* )?(?:(?:{people}) ?(?:{number})|(?:{number}){between}(?:{people}))"
    many = len(column.values) > FEW and (bool(column.texts) or column.whole)
    alone = column.texts and re.fullmatch(people, column.words)
    return many and bool(alone or re.fullmatch(both, column.words))


def _by_sentences(column: _Column) -> Iterator[Suggestion]:
    """Rule 3: sentences that differ."""
    if column.long:
        yield TEXT, f"it is free text, which may name people, and {column.alone_in_words}"


def _by_uniqueness(column: _Column) -> Iterator[Suggestion]:
    """Rule 4: a cell of its own for nearly every record."""
    least = NEARLY_ALL if column.texts else 1  # a few equal numbers may be amounts
    if column.records >= FEW and column.alone >= least and not column.amounts:
        if column.texts or column.whole:
            yield DIRECT, f"{column.alone_in_words}, as with the number of a record"


def _by_distribution(column: _Column) -> Iterator[Suggestion]:
    """Rule 5: others may be known, except single values and fractions that hardly repeat."""
    distinct = len(column.values)
    if distinct == 1 and not column.missing:
        yield OTHER, "every record has the same value"
    fractions = column.amounts or (column.numbers is not None and not column.whole)
    if distinct > 100 and column.alone >= 0.5 and fractions:
        yield OTHER, f"it looks like a measurement: {column.alone_in_words}"
    repeated = f"{distinct:,} value{'s' * (distinct != 1)}, which others may know"
    yield QUASI, f"its name says nothing; it has {repeated}"


RULES = (_by_cells, _by_name, _by_sentences, _by_uniqueness, _by_distribution)


# Warnings


def _warning(column: _Column, role: str) -> str:
    """Warning about a column beyond its role."""
    if role == TEXT or (role != DIRECT and column.long):
        return SENTENCES
    warned = []
    if role in (DIRECT, QUASI) and _recurs(column):
        warned.append(
            f"has {len(column.values):,} values in {column.records:,} records: the same person"
            f" or house may have several records{BUT_RECORDS}"
        )
    if role == OTHER and column.says("weights"):
        warned.append(
            "is a weight: each record stands for several people; that is not counted unless it"
            " is passed as weights"
        )
    if role == QUASI and column.records and column.dated and not column.says("born"):
        warned.append(
            "may hold dates of events: a sequence of them identifies a person even where each"
            " date alone does not"
        )
    warned += [warning for warning in (_of_strays(column),) if warning and role != DIRECT]
    alike = len(column.texts) - len({folded(cell) for cell in column.texts})
    if alike and role != DIRECT:
        warned.append(
            f"has {alike:,} value{'s' * (alike > 1)} that differ{'s' * (alike == 1)} from"
            " another one only in case, blanks or Unicode form; ℓ and the other models count"
            " them as different: write equal ones alike"
        )
    marked = 0 if role == DIRECT else _marked(column)
    if marked:
        cells = "records have such a cell" if marked > 1 else "record has such a cell"
        warned.append(
            f"may mark missing values, as 999, -9, k.A. or - do: {marked:,} {cells}, which"
            " counts as a value; if it says that nothing is known, empty it"
        )
    return "; it ".join(warned)


def _of_strays(column: _Column) -> str:
    """What keeps a column from being read as dates or numbers."""
    cells = pd.Series(column.values)
    if column.dated and column.texts:
        texts = cells.astype(str).str
        one_mark = texts.replace(r"\w", "", regex=True).nunique() == 1
        alike = one_mark and any(texts.fullmatch(order.pattern).all() for order in ORDERS)
        if alike or read_dates(cells):  # which takes longer
            return ""
        return "has dates that are not written alike, so no years can be read; rewrite them"
    if column.dated or cells.empty or cells.dtype.kind in "iufb":
        return ""
    numbers = cells.astype(str).str.fullmatch(NUMBER).to_numpy(bool)
    strays = int(column.counts[~numbers].sum())
    if numbers.mean() < 0.5 or not 0 < 10 * strays <= column.records:
        return ""
    records = "record" if strays == 1 else "records"
    no_bands = "so no intervals can be made; empty or correct such cells"
    return f"has {strays:,} {records} without a number among numbers, {no_bands}"


def _recurs(column: _Column) -> bool:
    """True if an identifier recurs, and not as a name that several people share by chance."""
    if len(column.values) == column.records or column.dated:
        return False
    if column.written_as not in (None, "name"):
        return column.written_as not in ("date", "age", "postcode", "money")
    if not column.numbered or len(column.values) <= FEW:
        return False
    usual = np.median(column.counts)  # as many records of each person, such as three visits
    steady = usual > 1 and np.mean(column.counts == usual) >= 0.9
    vague = bool(steady or column.says("recurring", "number", end="$"))
    vague = vague and not column.says("known")
    vague = vague or bool(re.fullmatch(vocabulary()["people"], column.words))
    return bool(vague or column.says("numbers") or _numbers_people(column))


def _marked(column: _Column) -> int:
    """Records with a mark for a missing value: a word, or a number far from all others."""
    if column.texts:
        match = re.compile(rf"[-?]{{1,3}}|{vocabulary()['missing']}").fullmatch
        return sum(n for cell, n in column.texts.items() if match(cell.lower()))
    if column.numbers is None or len(column.numbers) < 2:
        return 0
    order, marked = np.argsort(column.numbers), 0
    for first, others in ((order[0], order[1:]), (order[-1], order[:-1])):
        mark, rest = float(column.numbers[first]), column.numbers[others]
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            apart = np.abs(rest - mark).min() > rest[-1] - rest[0] or mark < 0 <= rest[0]
        several = len(rest) > 1 or mark > 9  # 0 and 1, or -1 and 1, are yes and no
        if apart and several and f"{mark:g}" in DIGITS_FOR_NOTHING:
            marked += int(column.counts[first])
    return marked


def warnings_of(roles: pd.DataFrame, person: object = None) -> list[str]:
    """Warnings of columns, each after the name of its column.

    If `person` is given, k counts people, and no warning says that it counts records.

    Examples
    --------
    >>> warnings_of(pd.DataFrame({"column": ["age", "zip"], "warning": ["", "is short"]}))
    ["'zip' is short"]
    """
    but = "" if person is None else BUT_RECORDS
    pairs = zip(roles["column"], roles["warning"], strict=True)
    return [
        f"{name!r} {warning.removesuffix(but)}"
        for name, warning in pairs
        if warning and name != person
    ]


def table_warnings(data: Table, roles: pd.DataFrame) -> list[str]:
    """Warnings about a table: those of its columns, and those about its records.

    Parameters
    ----------
    data : DataFrame, or table of Polars or Arrow, of shape (n_records, n_features)
        The table.
    roles : DataFrame
        Result of `suggest_roles`.

    Returns
    -------
    list of str
        Sentences that quote no cell: the warning of each column, the number of repeated
        records, and a note if nobody said what must stay secret.

    Examples
    --------
    >>> data = pd.DataFrame({"e-mail": ["a@b.org", "a@b.org"], "age": [3, 3]})
    >>> for warning in table_warnings(data, suggest_roles(data))[1:]:
    ...     print(warning)
    1 record equals another record in every column, names among them
    nobody said what must stay secret, so this was not measured
    """
    data, warned = table_of(data), warnings_of(roles)
    comparable = np.flatnonzero(roles["distinct"] > 0).tolist()
    again = len(data) - len(_groups(data, comparable)[1])
    if again and (roles["role"] == DIRECT).any():
        equal = "records equal" if again > 1 else "record equals"
        warned.append(f"{again:,} {equal} another record in every column, names among them")
    secret = roles["role"].eq(SENSITIVE).to_numpy()
    lacking = data.columns[secret & data.isna().any().to_numpy()]
    warned += [f"{name!r} has missing cells, which count as a value" for name in lacking]
    return warned + [NOBODY_SAID] * (not secret.any())


def _groups(data: pd.DataFrame, positions: list[int]) -> tuple[IntArray, IntArray]:
    """Group of equal rows that each row belongs to, and the first row of each group."""
    coded = [encode(data.iloc[:, j]) for j in positions]
    sizes = [len(values) for _, values in coded]
    keys, _ = combine([codes for codes, _ in coded], sizes, len(data))
    return pd.factorize(keys)[0], np.flatnonzero(~pd.Series(keys).duplicated())


# First remarks about a table, in memory or not


class Rows(NamedTuple):
    """Counts of whole records of a table.

    Attributes
    ----------
    whole : list[str]
        Columns of whole numbers.
    repeats : Callable[[list[str], list[str]], tuple[int, int, int]]
        From some columns, and those of them that others may know, to three numbers: records
        that equal another record, different rows, and different rows that are alone in what
        others may know.
    """

    names: list[str]
    records: int
    whole: list[str]
    repeats: Callable[[list[str], list[str]], tuple[int, int, int]]


def rows_of(data: Rows | pd.DataFrame) -> Rows:
    """Counts of a table in memory; counts that are given stay as they are.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [3, 3, 4], "ill": ["flu", "flu", "hiv"]})
    >>> rows_of(data).repeats(["age", "ill"], ["age"])
    (2, 2, 2)
    """
    if isinstance(data, Rows):
        return data
    names = [*data.columns]
    pairs = [(name, data.iloc[:, j]) for j, name in enumerate(names)]
    whole = [
        name
        for name, cells in pairs
        if cells.dtype.kind in "iu" or (cells.dtype.kind == "f" and not (cells % 1).any())
    ]

    def repeats(columns: list[str], known: list[str]) -> tuple[int, int, int]:
        ids, first = _groups(data, [names.index(name) for name in columns])
        classes, _ = _groups(data.iloc[first], [names.index(name) for name in known])
        times = np.bincount(ids)
        return int(times[times > 1].sum()), len(first), int((np.bincount(classes) == 1).sum())

    return Rows(names, len(data), whole, repeats)


# Names of columns that may say how many people a row stands for.
COUNTS = r"(?:\w+ )?(?:count|n|freq(?:uency)?|weight|anzahl|people|person|case|obs)s?"


def said_first(
    columns: pd.DataFrame,
    table: Rows | pd.DataFrame,
    known: list[str],
    secret: list[str],
    person: str | None = None,
    population: Rows | pd.DataFrame | None = None,
) -> list[str]:
    """Remarks on what numbers hide: columns not measured, and rows that are not people.

    Parameters
    ----------
    columns : DataFrame
        Result of `suggest_roles` or `assign_roles`.
    table, population : Rows, or DataFrame
        The table, and everyone it may be about.
    known, secret : list of columns
        Columns that are measured.
    person : column, optional
        Column that tells people apart.

    Examples
    --------
    >>> data = pd.DataFrame({"sex": list("ffmm"), "ill": list("abab"), "count": [1, 0, 7, 5]})
    >>> said_first(suggest_roles(data), data, ["sex"], ["ill"])[1]
    "the rows may be counts of people, by 'count': write a row for each person."
    """
    rows = rows_of(table)
    role = dict(zip(rows.names, columns.get("suggested", columns["role"]), strict=True))
    times = dict(zip(rows.names, columns["distinct"], strict=True))
    times = {name: distinct for name, distinct in times.items() if distinct}
    left = [name for name in rows.names if name not in (*known, *secret, person)]
    barred = [name for name in (*known, *secret) if role.get(name) in (DIRECT, TEXT)]
    direct = [name for name in left if role[name] == DIRECT]
    others = [name for name in left if name not in direct]
    out = "Take them out before a release; no threshold helps while they are there."
    named = "named, but taken for direct identifiers or free text."
    remarks = [f"{listed(barred)}: {named} {out}"] * bool(barred)
    unmeasured = "taken for direct identifiers, and not measured."
    remarks += [f"{listed(direct)}: {unmeasured} {out}"] * bool(direct)
    remarks += [f"not measured: {listed(others)}."] * bool(others)
    known = [name for name in known if name in times]
    for name in others if known else []:
        if name in rows.whole and re.fullmatch(COUNTS, words_of(name)):
            rest = [other for other in times if other not in (name, *direct)]
            if rows.repeats(rest, known)[1] == rows.records:
                remarks.append(
                    f"the rows may be counts of people, by {name!r}: write a row for each"
                    f" person."
                )
    if known and person is None:
        measured = [name for name in times if name in (*known, *secret)]
        remarks += _of_copies(rows, times, known, measured)
    everyone = None if population is None else rows_of(population)
    if everyone is not None and person not in everyone.names:
        if person is not None:
            remarks.append(
                f"population: no column {person!r}, so each of its rows is one person."
            )
        more = bool(set(everyone.names) - set(known))
        twice = more and everyone.records - everyone.repeats(everyone.names, known)[1]
        if twice:
            remarks.append(
                f"population: {twice:,} row{'s' * (twice > 1)} repeat{'s' * (twice == 1)}"
                f" another one in every column; it must have a row for each person."
            )
    return remarks


def _of_copies(
    rows: Rows, times: dict[str, int], known: list[str], measured: list[str]
) -> list[str]:
    """Remark if records may be copies, apart from row numbers and a label of the export.

    `times` has the number of values of each column. Each record is in each export, so their
    product is the number of rows.
    """

    def copies(names: list[str]) -> tuple[int, int]:
        again, distinct, alone = rows.repeats(names, known)
        alike = 2 * again > rows.records and alone >= NEARLY_ALL * distinct
        return again * alike, distinct

    if rows.repeats(measured, known)[0] == rows.records:
        again, distinct, _ = rows.repeats([*times], known)
        if again == rows.records and 3 * distinct >= again:
            return [
                f"{again:,} of {again:,} records equal another one in every column: if they"
                " are copies, k is too large; write each record once."
            ]
    again, least = copies(measured)
    if not again:
        return []
    others = [name for name in times if name not in measured]
    numbers = [n for n in others if n in rows.whole and times[n] == rows.records]
    labels = [n for n in others if 2 <= times[n] <= rows.records / least / NEARLY_ALL]
    for but in (numbers, *([*numbers, label] for label in labels)):
        rest = [name for name in times if name not in but]
        again, distinct = copies(rest) if len(rest) > len(known) else (0, 0)
        exports = 1 if but == numbers else times[but[-1]]
        if again and (exports == 1 or NEARLY_ALL * rows.records <= exports * distinct):
            return [
                f"{again:,} of {rows.records:,} records equal another one in every column"
                f"{f' but {listed(but)}' if but else ''}, and nearly all that differ are alone"
                f" in what others may know: if they are copies, k is too large; write each"
                f" record once."
            ]
    return []
