"""Entities of notes, found and masked: words that name a person or lead to one.

The patterns of `toolkit.text.patterns` find entities with a fixed form. Entities without such
a form, such as a name without a title, need a recogniser of your own: a function, or a
pipeline of spaCy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from operator import attrgetter
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_choice, check_columns, check_generator
from .patterns import MONTH, PATTERNS, Pattern, compiled, plain_text

# Kinds, and their labels in spaCy, Hugging Face and Presidio.
LABELS = {
    "name": "per person",
    "date": "date_time",
    "phone": "phone_number",
    "email": "email_address",
    "card": "credit_card",
    "account": "iban_code",
    "social security": "us_ssn",
    "national health": "uk_nhs",
    "ip": "ip_address",
    "place": "loc gpe location",
    "organisation": "org",
}

KINDS = {label: kind for kind, labels in LABELS.items() for label in labels.split()}

COLUMNS = ["record", "kind", "value", "start", "end"]


class Span(NamedTuple):
    """An entity in a note.

    Attributes
    ----------
    rank : int
        Preference among overlapping entities: 0 with a cue, 1 with right check digits, else 2.
    """

    kind: str
    start: int
    end: int
    rank: int = 2


def find_entities(texts: Any, recogniser: Any = "patterns") -> pd.DataFrame:
    """Find entities in notes that name a person or lead to one, and their positions.

    Parameters
    ----------
    texts : Series or list of str
        The notes. A missing note has no entities.
    recogniser : str, `Pattern`, pipeline, callable, or list of them
        * "patterns": the kinds of `toolkit.text.patterns.PATTERNS`, by their form, their check
          digits and the words before them.
        * a `toolkit.text.patterns.Pattern` of your own, such as one for another language.
        * a pipeline of spaCy, or an analyzer of Presidio, whose entities are taken.
        * a callable that takes one note and returns its entities: triples of kind, start and
          end, or dicts as a token classification of Hugging Face with an aggregation strategy
          returns (`entity_group`, `start`, `end`).

    Returns
    -------
    DataFrame of shape (n_entities, 5)
        `record`, the label of the note (in a list, its position); `kind`; `value` as it stands
        in the note; `start` and `end`, so that ``note[start:end] == value``. In the order of
        the notes, then by `start`.

    Notes
    -----
    Entities do not overlap. Among candidates that overlap, the entity after a word that
    announces it ("NHS no …") is preferred, then an entity with right check digits, then the
    longest, then the leftmost, then that of the recogniser named first.

    Patterns miss entities without a fixed form: a name that never has a title in the note, an
    age in words, a story that everybody knows. **Entities that they miss are still in the
    note**; measure the patterns on notes that you have read.

    Examples
    --------
    >>> note = "Mrs Kiniley, aged 72, seen 04/11/2024; NHS no 943 476 5919."
    >>> find_entities([note])[["record", "kind", "value", "start"]]
       record             kind         value  start
    0       0             name       Kiniley      4
    1       0              age            72     18
    2       0             date    04/11/2024     27
    3       0  national health  943 476 5919     46

    Any function will do, such as a list of words:

    >>> def towns(note):
    ...     return [("place", m.start(), m.end()) for m in re.finditer("Corden", note)]
    >>> find_entities(["Born in Corden in May 1950."], ["patterns", towns])["kind"].tolist()
    ['place', 'date']
    """
    known = check_texts(texts).dropna()
    given = recogniser if isinstance(recogniser, list) and recogniser else [recogniser]
    answers = [_answers(asked, known.to_list()) for asked in given]
    rows = [
        [record, span.kind, note[span.start : span.end], span.start, span.end]
        for record, note, *found in zip(known.index, known, *answers, strict=True)
        for span in _whole_numbers(note, _apart([*chain(*found)], len(note)))
    ]
    table = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    table["record"] = table["record"].infer_objects()
    return table.astype({"start": int, "end": int})


def check_texts(texts: Any, argument: str = "texts") -> pd.Series:
    """Return notes as a Series of objects, or raise an error that says what is wrong.

    Examples
    --------
    >>> check_texts("one note")
    Traceback (most recent call last):
    TypeError: texts must be a Series, or a list like [text]; got str.
    """
    if isinstance(texts, str | None):
        raise TypeError(
            f"{argument} must be a Series, or a list like [text]; got {type(texts).__name__}."
        )
    cells = pd.Series(texts, dtype=object)
    known = cells[cells.notna()]
    other = [type(cell).__name__ for cell in known if not isinstance(cell, str)]
    if other:
        raise TypeError(f"{argument} must hold texts and missing cells; got {other[0]}.")
    labels = cells.index
    if isinstance(labels, pd.MultiIndex) or labels.hasnans or not labels.is_unique:
        raise ValueError(
            f"{argument} has labels that occur twice, are missing or have several parts; use"
            f" reset_index(drop=True)."
        )
    return cells


# Recognisers: each finds the spans of all notes

# A word with a capital, without the s of "Fox's".
CAPITALISED = r"(?<!\w)[^\W\d_a-z](?:[^\W\d_]|(?<=[^\W\d_])(?:-|['’](?![sS](?!\w))))*"

# Parts of an entity as a token classification of Hugging Face returns it.
PARTS = ("entity_group", "start", "end")


def _answers(given: Any, notes: list[str]) -> list[list[Span]]:
    """Spans that a recogniser finds in each note."""
    if isinstance(given, Pattern) or (isinstance(given, str) and given == "patterns"):
        patterns = [given] if isinstance(given, Pattern) else PATTERNS
        return [_by_patterns(note, patterns) for note in notes]
    answers: Iterable[Iterable[Any]]
    if hasattr(given, "pipe"):
        pages = (page.ents for page in given.pipe(notes))
        answers = ([(e.label_, e.start_char, e.end_char) for e in page] for page in pages)
    elif hasattr(given, "analyze"):
        pages = (given.analyze(text=note, language="en") for note in notes)
        answers = ([(e.entity_type, e.start, e.end) for e in page] for page in pages)
    elif callable(given):
        answers = map(given, notes)
    else:  # a string is not quoted, as it may be a note
        raise ValueError(
            f"recogniser must be 'patterns', a Pattern, a pipeline of spaCy, an analyzer of"
            f" Presidio, a function of one note, or a list; got {type(given).__name__}."
        )
    return [_checked(answer, note) for answer, note in zip(answers, notes, strict=True)]


def _by_patterns(note: str, patterns: Sequence[Pattern]) -> list[Span]:
    """Spans that the patterns find in a note; names with a title wherever they recur."""
    plain, spans = plain_text(note), []
    for pattern in patterns:
        rank = 0 if pattern.cue else 1 if pattern.check else 2
        for match in compiled(pattern).finditer(plain):
            start, end = match.span("value")
            if pattern.check:
                end = _right_end(plain, start, end, pattern)
            if end > start:
                spans.append(Span(pattern.kind, start, end, rank))
    names = [plain[span.start : span.end] for span in spans if span.kind == "name"]
    known = {*re.findall(r"[^\W\d_]{3,}", " ".join(names).casefold())}
    again: list[Span] = []
    for match in re.finditer(CAPITALISED, plain):
        if known.intersection(re.findall(r"[^\W\d_]+", match[0].casefold())):
            start, end = match.span()
            if again and plain[again[-1].end : start] == " ":
                start = again.pop().start
            again.append(Span("name", start, end))
    return spans + again


def _right_end(plain: str, start: int, end: int, pattern: Pattern) -> int:
    """End of a number with right check digits; a group after it may not belong to it."""
    whole = re.compile(pattern.shape).fullmatch
    while end > start:
        number = re.sub("[^0-9A-Z]", "", plain[start:end].upper())
        if whole(plain, start, end) and pattern.check and pattern.check(number):
            return end
        group = plain[start:end]
        end = start + max(group.rfind(" "), group.rfind("-"), 0)
    return start


def _checked(answer: Iterable[Any], note: str) -> list[Span]:
    """Spans that a recogniser returned for a note, without surrounding blanks."""
    spans = []
    for entity in answer:
        try:
            named = isinstance(entity, Mapping)
            label, start, end = (entity[part] for part in PARTS) if named else entity
            if not 0 <= start < end <= len(note):
                raise ValueError
        except (LookupError, TypeError, ValueError):
            raise ValueError(
                f"recogniser must return triples of kind, start and end, places in the note"
                f" of {len(note)} characters, or dicts with entity_group, start, end."
            ) from None
        word, kind = note[start:end], str(label).lower()
        start += len(word) - len(word.lstrip())
        kind = KINDS.get(kind, kind.replace("_", " "))
        spans.append(Span(kind, start, start + len(word.strip())))
    return [span for span in spans if span.start < span.end]


def _apart(spans: list[Span], length: int) -> list[Span]:
    """Spans without overlaps, by position; rank, length, position and order decide."""
    taken, apart = np.zeros(length, bool), []
    for span in sorted(spans, key=lambda span: (span.rank, span.start - span.end, span.start)):
        if not taken[span.start : span.end].any():
            taken[span.start : span.end] = True
            apart.append(span)
    return sorted(apart, key=attrgetter("start"))


# Kinds that may be a piece of a longer number.
PIECES = ("account", "card", "id", "national health", "phone")

# The rest of a group, and more groups of a number, to the right or, reversed, to the left.
GROUPS = re.compile(r"\w*(?:[ -][^\W\d]*\d\w*+(?![./:,]\d))*")


def _whole_numbers(note: str, spans: list[Span]) -> list[Span]:
    """Spans with numbers extended to all of their groups, up to the next entity.

    Otherwise a part of a number could remain: a pattern may match only its end, or find the
    check digit of a card in an account number with a typing error.
    """
    plain, low, whole = plain_text(note), 0, []
    for span, after in pairwise([*spans, Span("", len(note), len(note))]):
        if span.kind in PIECES:
            before = next(GROUPS.finditer(plain[low : span.start][::-1])).end()
            end = next(GROUPS.finditer(plain, span.end, after.start)).end()
            span = span._replace(start=span.start - before, end=end)
        low = span.end
        whole.append(span)
    return whole


# Masking: entities replaced by their kind, or by surrogates of the same shape

# Parts of names that nobody is known to have.
SYLLABLES = (
    "Bra Dro Fel Gri Hul Jas Kro Lum Mav Nub Pli Quo Rud Sko Tref Vul Wim Yor Zel".split(),
    "ba do fi gu le mi no pu ra so ti vu".split(),
    "bexon dorf dax grell kin lurd maris nock plim quist rask stov trand vimmer wolt".split(),
)

# Months of surrogates.
MONTHS = (
    "January February March April May June July August September October November December"
).split()


def mask_entities(
    texts: Any,
    entities: pd.DataFrame,
    replacement: str = "kind",
    *,
    rng: np.random.Generator | None = None,
) -> Any:
    """Replace entities of notes by their kind, or by surrogates of the same shape.

    Parameters
    ----------
    texts : Series or list of str
        The notes in which the entities were found; they are not changed.
    entities : DataFrame
        Result of `find_entities`, or of any other tool, with columns `record`, `kind`,
        `value`, `start` and `end`. Leave out the rows of kinds that are to stay.
    replacement : {"kind", "surrogate"}
        "kind" writes ``[date]`` for a date. "surrogate" writes another date.
    rng : Generator
        Source of the surrogates; required for them.

    Returns
    -------
    Series or list of str
        As `texts`: the same index and name, missing ones stay missing.

    Notes
    -----
    Within a record the same value of one kind always gets the same surrogate, and so does each
    word of a name. Surrogate names are made of syllables. Dates and ages are replaced by
    others in the same form. Anything else gets other digits and letters in the same places,
    and wrong check digits. A kind of your own is replaced by its name. A surrogate may belong
    to a real person by chance.

    A masked note still tells about people: entities that were not found stay, and so do style
    and story. Measure the masked notes again.

    Examples
    --------
    >>> notes = ["Mrs Kiniley, aged 72, seen 04/11/2024.", None]
    >>> mask_entities(notes, find_entities(notes))
    ['Mrs [name], aged [age], seen [date].', None]
    """
    check_choice(replacement, "replacement", ("kind", "surrogate"))
    cells = check_texts(texts)
    found = entities_in_order(entities, cells, "texts")
    overlap = (found["at"].diff() == 0) & (found["start"] < found["end"].shift())
    if overlap.any():
        raise ValueError("entities overlap; find them in one call, by a list of recognisers.")
    written = [f"[{kind}]" for kind in found["kind"]]
    if replacement == "surrogate":
        written = _surrogates(found, check_generator(rng, "to draw surrogates"))
    notes, places = cells.to_list(), found[["at", "start", "end"]].to_numpy(int).tolist()
    # from the end, so that positions stay valid
    for (at, start, end), new in zip(places[::-1], written[::-1], strict=True):
        notes[at] = notes[at][:start] + new + notes[at][end:]
    as_given = isinstance(texts, pd.Series)
    return pd.Series(notes, texts.index, name=texts.name) if as_given else notes


def entities_in_order(entities: pd.DataFrame, texts: pd.Series, argument: str) -> pd.DataFrame:
    """Entities in the order of the notes, with the position `at` of their note, or an error.

    Examples
    --------
    >>> notes = pd.Series(["Mr Fox", "aged 7"])
    >>> entities_in_order(find_entities(notes), notes, "notes")["at"].tolist()
    [0, 1]
    """
    ordered = entities.iloc[:, check_columns(entities.columns, COLUMNS, "entities")]
    ordered = ordered.assign(at=texts.index.get_indexer(pd.Index(ordered["record"])))
    notes = [*texts, None]  # the last for records that are not there
    for record, _, value, start, end, at in ordered.itertuples(index=False):
        note = notes[at]
        if not isinstance(note, str) or start < 0 or note[int(start) : int(end)] != value:
            raise ValueError(
                f"entities are not of these {argument}: record {record!r} does not hold from"
                f" {start} to {end} what was found there; find them again."
            )
    return ordered.sort_values(["at", "start"], kind="stable", ignore_index=True)


def _surrogates(found: pd.DataFrame, rng: np.random.Generator) -> list[str]:
    """A surrogate for each entity, the same for the same value of a record and kind."""

    @cache
    def surrogate(record: int, kind: str, value: str) -> str:
        checks = [pattern for pattern in PATTERNS if pattern.kind == kind and pattern.check]
        for _ in range(20):
            new = _drawn(kind, value, rng)
            right = any(_right_end(plain_text(new), 0, len(new), each) for each in checks)
            if new != value and not right:
                return new
        return f"[{kind}]"

    return [
        " ".join(surrogate(at, kind, part) for part in parts)
        for at, kind, value in zip(found["at"], found["kind"], found["value"], strict=True)
        for parts in [value.casefold().split() if kind == "name" else [value]]
    ]


def _drawn(kind: str, value: str, rng: np.random.Generator) -> str:
    """Another value of the same shape; for a kind of your own, its name."""
    if kind == "age":
        return str(rng.integers(18, 95))
    if kind == "date":
        return _other_date(value, rng)
    if kind == "name":
        return "".join(str(rng.choice(part)) for part in SYLLABLES)
    if kind not in {pattern.kind for pattern in PATTERNS}:
        return f"[{kind}]"

    def other(sign: re.Match[str]) -> str:
        if sign[0].isdecimal():
            return str(rng.integers(10))
        letter = ascii_lowercase[rng.integers(26)]
        return letter.upper() if sign[0].isupper() else letter

    return re.sub(r"[^\W_]", other, value)


def _other_date(value: str, rng: np.random.Generator) -> str:
    """A date in the same form: other years, and parts that are valid as a day or a month."""

    def number(digits: re.Match[str]) -> str:
        if len(digits[0]) == 4:
            return str(int(digits[0]) + int(rng.integers(1, 9)) * int(rng.choice([-1, 1])))
        return str(rng.integers(10, 13) if len(digits[0]) == 2 else rng.integers(1, 10))

    def month(name: re.Match[str]) -> str:
        other = str(rng.choice(MONTHS))
        return other if len(name[0]) > 4 else other[:3]

    named = re.sub(rf"(?<![^\W\d_])(?i:{MONTH})(?![^\W\d_])", month, value)
    return re.sub(r"\d+", number, plain_text(named))
