"""Entities of texts, found and masked: what in a note names or reaches a person.

The built-in patterns (`toolkit.text.patterns`) are tried where a word begins, nowhere else.
Texts are joined into blocks of about a million signs; numpy finds where all words of a block
begin, and a pattern, whose repetitions are bounded, is matched at those words that begin with
a sign that it can begin with. So the time is proportional to the length of the texts.

Entities can be replaced by their kind, or by surrogates of the same form. What is said of a
column of free text are counts by kind.
"""

# Longer than other modules: masking replaces the entities that are found here, and the same
# patterns then say what is left.

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd

from .._typing import AnyArray, BoolArray, IntArray
from .._validation import check_choice, check_generator, check_installed, listed
from .patterns import (
    CAPITAL_MONTHS,
    GIVEN_NAMES,
    IN_SENTENCES,
    OF,
    OTHER_MONTHS,
    PATTERNS,
    WORD_MONTHS,
    Pattern,
    has_right_digits,
    plain_text,
)

BLOCK = 2**20
"""Signs that are searched together; a longer text is a block of its own."""


BETWEEN = "\n"
"""Sign that no pattern matches, put between the texts of a block."""


END = r"(?!\w|[./]\d|-\d{1,8}(?!\d|[./]\d))"
"""What may not follow an entity: the rest of a word, or of a longer number."""


LOCAL = np.array([ord(sign) for sign in ".%+'’-"], np.uint32)
"""Signs, besides letters and figures, of what stands before the @ of an e-mail address."""


NAME_WORD = re.compile(
    r"(?<!\w)[^\W\d_a-z][^\W\d_]*(?:(?:-|['’](?![sS](?!\w)))[^\W\d_]+)*(?!\w)"
)
"""A word with a capital letter."""


SAID, CHECKED, SHAPED = range(3)
"""What goes first where entities overlap: a cue, right check digits, nothing but a shape."""


LABELS = {
    "per": "name",
    "person": "name",
    "date time": "date",
    "phone number": "phone",
    "email address": "email",
    "credit card": "card",
    "iban code": "account",
    "us ssn": "social security",
    "uk nhs": "national health",
    "ip address": "ip",
    "loc": "place",
    "gpe": "place",
    "location": "place",
    "org": "organisation",
}
"""Labels of spaCy, of models on Hugging Face and of Presidio, and the kinds that they are."""


_Found = Sequence[AnyArray]
"""Entities of one recogniser: number of the text, start, end, rank and kind, an array each."""


def find_entities(texts: Any, recogniser: Any = "patterns") -> pd.DataFrame:
    """Find what names or reaches a person in texts, and where it stands.

    Parameters
    ----------
    texts : Series or list of str
        The notes. A missing one has no entities.
    recogniser : str, pipeline, callable, or list of them
        * "patterns": the kinds of `toolkit.text.patterns.KINDS`, by their writing, check
          digits and the words before them.
        * "presidio": the patterns of Microsoft Presidio (extra `text`), without a model and
          without network. An `AnalyzerEngine` of your own is taken as well.
        * a pipeline of spaCy, whose entities are taken.
        * a callable that takes one text and returns its entities: triples of kind, start and
          end, or dicts as a token classification of Hugging Face returns, put together
          (`entity_group`) or a token each (`entity`, such as B-PER and I-PER).

    Returns
    -------
    DataFrame of shape (n_entities, 6)
        `record`, the label of the text (its position, of a list); `kind`; `value` as it stands
        in the text; `start` and `end`, so that ``text[start:end] == value``; `recogniser`.
        In the order of the texts, then by `start`.

    Raises
    ------
    TypeError, ValueError
        If `texts` are no texts or share labels, there is no such recogniser, or one returns
        something else. No text is quoted.

    Notes
    -----
    Entities do not overlap. Of those that would, the one that a word announces ("NHS no …") is
    kept, then one with right check digits, then the longest, then the leftmost, then that of
    the recogniser that is named first.

    Patterns miss what has no form: a name that has no title in the whole text, an age in
    words, a story that all know. They know British, American, German, French, Spanish, Italian
    and Dutch ways of writing, and the titles of these languages: 王先生 and г-н Иванов are not
    found, nor is "mr fox" in small letters, nor what a line break divides. What they do not
    find is not absent; measure them on notes that you have read.

    Examples
    --------
    >>> note = "Mrs Kiniley, aged 72, seen 04/11/2024; NHS no 943 476 5919."
    >>> find_entities([note])[["record", "kind", "value", "start"]]
       record             kind         value  start
    0       0             name       Kiniley      4
    1       0              age            72     18
    2       0             date    04/11/2024     27
    3       0  national health  943 476 5919     46

    Any function will do, such as a word list:

    >>> def towns(text):
    ...     return [("place", m.start(), m.end()) for m in re.finditer("Corden", text)]
    >>> find_entities(["Born in Corden in May 1950."], ["patterns", towns])["kind"].tolist()
    ['place', 'date']
    """
    cells = check_texts(texts)
    known = cells[cells.notna()]
    given = list(recogniser) if isinstance(recogniser, list | tuple) else [recogniser]
    if not given:
        raise ValueError("recogniser is an empty list; name at least one, such as 'patterns'.")
    notes = known.to_list()
    asked = [_recogniser(one) for one in given]
    found = [find(notes) for _, find in asked]
    text, start, end, rank, kinds = map(np.concatenate, zip(*found, strict=True))
    names = np.repeat([name for name, _ in asked], [len(one[0]) for one in found])
    begin = np.cumsum([0, *(len(note) + 1 for note in notes)])[text]
    kept = _without_overlaps(begin + start, begin + end, rank)
    text, start, end = text[kept], start[kept], end[kept]
    weak = np.isin(kinds[kept], PIECES)
    start, end = _whole_numbers(notes, text, start, end, np.flatnonzero(weak))
    places = zip(text.tolist(), start.tolist(), end.tolist(), strict=True)
    return pd.DataFrame(
        {
            "record": known.index.take(text),
            "kind": kinds[kept],
            "value": pd.Series([notes[j][a:b] for j, a, b in places], dtype=object),
            "start": start,
            "end": end,
            "recogniser": names[kept].astype(object),
        }
    )


def check_texts(texts: Any, argument: str = "texts") -> pd.Series:
    """Return texts as a Series of objects, or say what is wrong with them.

    Examples
    --------
    >>> check_texts("one note")
    Traceback (most recent call last):
    TypeError: texts must be a Series or list of texts; got one text. Put it in a list.
    """
    if isinstance(texts, str):
        raise TypeError(
            f"{argument} must be a Series or list of texts; got one text. Put it in a list."
        )
    if isinstance(texts, pd.DataFrame | Mapping) or not isinstance(texts, Iterable):
        raise TypeError(
            f"{argument} must be a Series or list of texts; got {type(texts).__name__}. Pass"
            f" one column, such as notes['text']."
        )
    cells = texts if isinstance(texts, pd.Series) else pd.Series(list(texts), dtype=object)
    cells = pd.Series(list(cells), cells.index, object, cells.name)  # also of views of Arrow
    if not cells.index.is_unique:
        raise ValueError(
            f"{argument} has labels that occur twice, so that no record could be told; use"
            f" reset_index(drop=True)."
        )
    texts_there = np.array([isinstance(cell, str) for cell in cells], bool)
    wrong = cells.notna().to_numpy(bool) & ~texts_there
    if wrong.any():
        first = cells.index[int(np.argmax(wrong))]
        kind = type(cells.iloc[int(np.argmax(wrong))]).__name__
        raise TypeError(
            f"{argument} must hold texts and missing cells only; record {first} is of type"
            f" {kind}. Use astype(str) if its writing is meant."
        )
    return cells


def _recogniser(given: Any) -> tuple[str, Callable[[list[str]], _Found]]:
    """Name of a recogniser, and the function that finds the entities of all texts."""
    if isinstance(given, str):
        if given == "patterns":
            return given, _by_patterns
        if given == "presidio":
            return given, _by_function(_presidio(), given)
    elif hasattr(given, "pipe") and not isinstance(given, pd.Series | pd.DataFrame):
        return "spacy", lambda notes: _collected(map(_of_document, given.pipe(notes)), notes)
    elif hasattr(given, "analyze"):
        return "presidio", _by_function(
            lambda text: given.analyze(text=text, language="en"), "presidio"
        )
    elif callable(given):
        name = getattr(given, "__name__", type(given).__name__)
        return name, _by_function(given, name)
    came = "another text" if isinstance(given, str) else type(given).__name__  # may be a note
    raise ValueError(
        f"recogniser must be 'patterns', 'presidio', a pipeline of spaCy, a function of one"
        f" text, or a list of these; got {came}."
    )


# Patterns


@cache
def _compiled(pattern: Pattern) -> re.Pattern[str]:
    """Regular expression of a pattern in a sentence; its group `value` is the entity."""
    own = "(?P<value>" in pattern.shape
    shape = f"(?:{pattern.shape})" if own else f"(?P<value>{pattern.shape})"
    cue = f"(?:{pattern.cue})\\b{OF}" if pattern.cue else ""
    return re.compile(f"{cue}{shape}{END}")


def _by_patterns(notes: list[str]) -> _Found:
    """What the patterns find in all texts."""
    every = [*PATTERNS, *IN_SENTENCES]
    parts = [np.zeros((5, 0), np.int64)]
    for first, block in _blocks(notes):
        begins = np.cumsum([0, *(len(note) + 1 for note in block)])
        joined = plain_text(BETWEEN.join(block))
        starts = _Starts(joined)
        for number, pattern in enumerate(every):
            spans = _matches(joined, pattern, starts.of(pattern.first))
            if len(spans):
                text = np.searchsorted(begins, spans[:, 0], side="right") - 1
                rank = SAID if pattern.cue else SHAPED if pattern.check is None else CHECKED
                one, inside = np.ones_like(text), spans - begins[text][:, None]
                parts.append(np.vstack([first + text, *inside.T, rank * one, number * one]))
    *found, number = np.hstack(parts)
    kinds = np.array([one.kind for one in every], dtype=object)[number]
    again = _said_again(notes, np.transpose(found[:3])[kinds == "name"])
    more = (*again.T, np.full(len(again), SHAPED), np.full(len(again), "name", dtype=object))
    return [np.concatenate(both) for both in zip((*found, kinds), more, strict=True)]


def _said_again(notes: list[str], named: IntArray) -> IntArray:
    """Words of a name that has a title, where they stand in the same text without it."""
    words: dict[int, set[str]] = {}
    plain: dict[int, str] = {}
    for j, a, b in named.tolist():
        if j not in plain:
            plain[j] = plain_text(notes[j])
        some = NAME_WORD.findall(plain[j], a, b)
        words.setdefault(j, set()).update(one.casefold() for one in some if len(one) > 2)
    spans = [(j, a, b) for j, known in words.items() for a, b in _runs(plain[j], known)]
    return np.array(spans, np.int64).reshape(-1, 3)


def _runs(text: str, known: set[str]) -> list[tuple[int, int]]:
    """Known words of names, side by side as one; a frequent given name may stand before."""
    runs: list[tuple[int, int]] = []
    start, end = 0, -1
    for one in NAME_WORD.finditer(text):
        word = one[0].casefold()
        if word not in known and word not in GIVEN_NAMES:
            continue
        joined = text[end : one.start()] == " "
        start, end = start if joined else one.start(), one.end()
        if word in known:
            if joined and runs and runs[-1][0] == start:
                runs.pop()
            runs.append((start, end))
    return runs


def _blocks(notes: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Texts in runs of about a million signs, each with the number of its first one."""
    size, first = 0, 0
    for number, note in enumerate(notes):
        if size and size + len(note) > BLOCK:
            yield first, notes[first:number]
            size, first = 0, number
        size += len(note) + 1
    if size:
        yield first, notes[first:]


def _matches(joined: str, pattern: Pattern, starts: IntArray) -> IntArray:
    """Beginning and end of each entity that a pattern finds at one of some places."""
    match = _compiled(pattern).match
    spans = [
        found.span("value")
        for found in map(match, repeat(joined), starts.tolist())
        if found is not None
    ]
    if not spans or pattern.check is None:
        return np.array(spans, np.int64).reshape(-1, 2)
    whole = re.compile(pattern.shape).fullmatch
    right = []
    # A group that follows, such as a word in capitals, may not belong to it.
    for _ in range(8):
        cells = [joined[a:b] for a, b in spans]
        good = has_right_digits(cells, pattern)
        right += [span for span, one in zip(spans, good, strict=True) if one]
        shorter = [
            (a, a + max(cell.rfind(" "), cell.rfind("-"), 0))
            for (a, _), cell, one in zip(spans, cells, good, strict=True)
            if not one
        ]
        spans = [(a, b) for a, b in shorter if b > a and whole(joined, a, b)]
    return np.array(right, np.int64).reshape(-1, 2)


class _Starts:
    """Places of a text at which words and numbers begin, by their first signs."""

    def __init__(self, joined: str) -> None:
        self._codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        self._word = _are_word_signs(self._codes)
        self._figure = self._codes - np.uint32(48) < 10
        inside = np.concatenate([[False], self._word[:-1]])
        places = np.flatnonzero((self._codes > 32) & ~inside)
        # What follows a figure and a full stop or a stroke is the rest of a longer number.
        near = places[places > 1]
        rest = np.isin(self._codes[near - 1], [46, 47]) & self._figure[near - 2]
        rest &= self._figure[near]
        self._places = np.setdiff1d(places, near[rest], assume_unique=True)
        self._first = self._codes[self._places]
        self._known: dict[str, IntArray] = {}

    def of(self, first: str) -> IntArray:
        """Places for patterns that begin in one way."""
        if first not in self._known:
            own = {"@": self._around_at, "mixed": self._mixed}.get(first)
            signs = [ord(sign) for sign in first]
            self._known[first] = own() if own else self._places[np.isin(self._first, signs)]
        return self._known[first]

    def _mixed(self) -> IntArray:
        """Words that begin with a letter and have a figure."""
        places = self._places[self._word[self._places]]
        places = places[~self._figure[places]]
        breaks = np.append(np.flatnonzero(~self._word), len(self._word))
        ends = breaks[np.searchsorted(breaks, places)]
        figures = np.concatenate([[0], np.cumsum(self._figure)])
        return np.asarray(places[figures[ends] > figures[places]])

    def _around_at(self) -> IntArray:
        """Beginnings of what stands before an @, at most 64 signs long."""
        signs = np.flatnonzero(self._codes == 64)
        if not len(signs):
            return signs
        breaks = np.flatnonzero(~(self._word | np.isin(self._codes, LOCAL)))
        before = np.searchsorted(breaks, signs) - 1
        starts = np.where(before < 0, 0, breaks[before] + 1)
        starts = np.maximum(starts, signs - 64)
        starts = starts + ~self._word[starts]
        return np.unique(starts[starts < signs])


def _are_word_signs(codes: IntArray) -> BoolArray:
    """Which signs are letters, figures or the low line, in any script."""
    plain = np.array([chr(code).isalnum() or code == 95 for code in range(128)] + [False])
    found: BoolArray = plain[np.minimum(codes, 128)]
    other = codes > 127
    if other.any():
        signs, which = np.unique(codes[other], return_inverse=True)
        found[other] = np.array([chr(code).isalnum() for code in signs])[which]
    return found


def _without_overlaps(start: IntArray, end: IntArray, rank: IntArray) -> IntArray:
    """Entities that stay, in order: rank, then length, then place, then order decide."""
    order = np.lexsort((np.arange(len(start)), start))
    if not len(order):
        return order
    reach = np.maximum.accumulate(end[order])
    fresh = np.concatenate([[True], start[order][1:] >= reach[:-1]])
    group = np.cumsum(fresh) - 1
    alone = np.bincount(group)[group] == 1
    kept = order[alone].tolist()
    rest = order[~alone]
    keys = (rest, start[rest], start[rest] - end[rest], rank[rest], group[~alone])
    best = rest[np.lexsort(keys)]  # group by group, so that each is entered near the end
    taken: list[tuple[int, int]] = []
    for j, a, b in zip(best.tolist(), start[best].tolist(), end[best].tolist(), strict=True):
        place = bisect_left(taken, (a, b))
        if place and taken[place - 1][1] > a or place < len(taken) and taken[place][0] < b:
            continue
        insort(taken, (a, b))
        kept.append(j)
    found = np.array(kept)
    return np.asarray(found[np.argsort(start[found], kind="stable")])


PIECES = ["account", "card", "id", "national health", "phone"]
"""Kinds that may be a piece of a longer number."""


GROUPS = re.compile(r"\w*(?:[ -][^\W\d]*\d\w*+(?![./:,]\d))*")
"""The rest of a group, and more groups of a number, to the right or, reversed, to the left."""


def _whole_numbers(
    notes: list[str], text: IntArray, start: IntArray, end: IntArray, weak: IntArray
) -> tuple[IntArray, IntArray]:
    """Entities that may be pieces, with all groups of their number, so that none is left.

    A pattern may know the end of a number only, or find in an account with a typing error the
    check digit of a card. The groups beside it, up to the next entity, are taken for the rest.
    """
    start, end = start.copy(), end.copy()
    for i in weak.tolist():
        note, j = notes[text[i]], text[i]
        low = end[i - 1] if i and text[i - 1] == j else 0
        high = start[i + 1] if i + 1 < len(text) and text[i + 1] == j else len(note)
        before, behind = (
            plain_text(note[low : start[i]])[::-1],
            plain_text(note[end[i] : high]),
        )
        start[i] -= _length(before)
        end[i] += _length(behind)
    return start, end


def _length(beside: str) -> int:
    """How many signs of a text belong to the number that it begins with."""
    found = GROUPS.match(beside)
    return found.end() if found else 0


# Other recognisers


def _by_function(function: Callable[[str], Any], name: str) -> Callable[[list[str]], _Found]:
    """A function of one text as one of many."""
    return lambda notes: _collected((_triples(function(note), name) for note in notes), notes)


def _of_document(document: Any) -> list[tuple[str, int, int]]:
    """Entities of a document of spaCy."""
    return [(one.label_, one.start_char, one.end_char) for one in document.ents]


def _triples(answer: Any, name: str) -> list[tuple[str, int, int]]:
    """Kind, start and end of what a recogniser returned for one text."""
    found: list[tuple[str, int, int]] = []
    try:
        for one in answer:
            if isinstance(one, Mapping):
                grouped = "entity_group" in one
                label = str(one["entity_group"] if grouped else one["entity"])
                tagged = not grouped and label[:1] in "BIELSU" and label[1:2] == "-"
                tag, kind = (label[0], label[2:]) if tagged else ("", label)
                start, end = one["start"], one["end"]
                if label == "O":  # outside of any entity
                    continue
                last = found[-1] if found else ("", 0, 0)
                if tag in tuple("IEL") and last[0] == kind and 0 <= start - last[2] < 2:
                    found[-1] = (kind, last[1], int(end))  # a piece of the same words
                    continue
                one = (kind, start, end)
            elif hasattr(one, "entity_type"):
                one = (one.entity_type, one.start, one.end)
            kind, start, end = one
            found.append((str(kind), int(start), int(end)))
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(
            f"recogniser {name!r} must return triples of kind, start and end for each text, or"
            f" dicts with entity_group, start and end ({type(error).__name__})."
        ) from None
    return found


def _collected(answers: Iterable[Sequence[tuple[str, int, int]]], notes: list[str]) -> _Found:
    """Entities of all texts in arrays; kinds as this project calls them."""
    rows = [
        (j, kind, *_without_blanks(notes[j], start, end))
        for j, found in enumerate(answers)
        for kind, start, end in found
    ]
    text = np.array([row[0] for row in rows], np.int64)
    start, end = (np.array([row[k] for row in rows], np.int64) for k in (2, 3))
    lengths = np.array([len(note) for note in notes], np.int64)
    wrong = (start < 0) | (end <= start) | (end > lengths[text])
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(
            f"a recogniser found an entity from {start[j]} to {end[j]} in a text of"
            f" {lengths[text[j]]} signs; start and end must be places in the text."
        )
    kinds = [str(row[1]).lower().replace("_", " ") for row in rows]
    named = np.array([LABELS.get(kind, kind) for kind in kinds], dtype=object)
    return [text, start, end, np.full(len(rows), SHAPED), named]


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Places of a word; some models count the blank before it as its first sign."""
    word = text[start:end] if 0 <= start < end else ""
    if not word.strip():
        return start, end
    return start + len(word) - len(word.lstrip()), end - len(word) + len(word.rstrip())


def _presidio() -> Callable[[str], list[Any]]:
    """Presidio's recognisers that are patterns: no model is loaded, no address is asked."""
    check_installed("presidio_analyzer", "text", "recogniser='presidio'")
    presidio = import_module("presidio_analyzer")
    known = import_module("presidio_analyzer.predefined_recognizers")
    suffixes = import_module("tldextract").TLDExtract(suffix_list_urls=(), cache_dir=None)
    asked = []
    for name in known.__all__:
        kind = getattr(known, name)
        if isinstance(kind, type) and issubclass(kind, presidio.PatternRecognizer):
            one = kind()
            if one.supported_language != "en":
                continue
            if "EMAIL_ADDRESS" in one.supported_entities:  # which would fetch a list
                one.validate_result = lambda text: bool(suffixes(text).fqdn)
            asked.append(one)

    def found(text: str) -> list[Any]:
        answers = (one.analyze(text, one.supported_entities, None) or [] for one in asked)
        return [entity for answer in answers for entity in answer]

    return found


# Masking: entities replaced by their kind, or by surrogates of the same form


COLUMNS = ["record", "kind", "value", "start", "end"]


SYLLABLES = (
    "Bra Dro Fel Gri Hul Jas Kro Lum Mav Nub Pli Quo Rud Sko Tref Vul Wim Yor Zel".split(),
    "ba do fi gu le mi no pu ra so ti vu".split(),
    "bexon dorf dax grell kin lurd maris nock plim quist rask stov trand vimmer wolt".split(),
)
"""Parts of names that nobody is known to have."""


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
    """Replace entities of texts by their kind, or by invented ones of the same form.

    Parameters
    ----------
    texts : Series or list of str
        The texts in which the entities were found; they are not changed.
    entities : DataFrame
        Result of `find_entities`, or of any other tool, with columns `record`, `kind`,
        `value`, `start` and `end`. Rows of kinds that are to stay can be left out.
    replacement : {"kind", "surrogate"}
        "kind" writes ``[date]`` for a date. "surrogate" writes another date.
    rng : Generator
        Source of the surrogates; required for them.

    Returns
    -------
    Series or list of str
        As `texts`: the same index and name, missing ones stay missing.

    Raises
    ------
    TypeError, ValueError
        If an entity is not where `start` and `end` say, entities overlap, or `rng` is missing.
        No text is quoted.

    Notes
    -----
    Within a record the same value of one kind always gets the same surrogate, and so does
    each word of a name. Surrogates of numbers keep length and punctuation, and none is a
    valid one of its kind: check digits are wrong; accounts are of the country ZZ;
    telephone numbers, postcodes of figures and American social security numbers begin with
    zeros; British social security numbers begin with ZZ; other postcodes begin with a
    letter that none begins with; mail and web addresses end in ``.invalid``; IP addresses
    are of 192.0.2.0/24, which is kept for examples; names are made of syllables. Dates,
    ages, amounts and record numbers are drawn anew in the same form, a year within eight
    years of the true one; such a value may be true of somebody. Any other kind is replaced
    by its name.

    What is left still tells about people: what was not found stays, and so do style and story.
    Measure it again.

    Examples
    --------
    >>> notes = ["Mrs Kiniley, aged 72, seen 04/11/2024.", None]
    >>> mask_entities(notes, find_entities(notes))
    ['Mrs [name], aged [age], seen [date].', None]
    """
    check_choice(replacement, "replacement", ("kind", "surrogate"))
    cells = check_texts(texts)
    found = _placed(cells, entities)
    if replacement == "kind":
        new = [f"[{kind}]" for kind in found["kind"]]
    else:
        new = _surrogates(found, check_generator(rng, "for surrogates, which are drawn"))
    notes = cells.to_list()
    pieces: dict[int, list[str]] = {}
    done: dict[int, int] = {}
    places = zip(found["text"], found["start"], found["end"], new, strict=True)
    for text, start, end, written in places:
        before = notes[text][done.get(text, 0) : start]
        pieces.setdefault(text, []).extend((before, written))
        done[text] = end
    for text, parts in pieces.items():
        notes[text] = "".join([*parts, notes[text][done[text] :]])
    if not isinstance(texts, pd.Series):
        return notes
    masked = pd.Series(notes, index=texts.index, name=texts.name, dtype=object)
    return masked.astype(texts.dtype) if _is_text(texts.dtype) else masked


def _is_text(kind: Any) -> bool:
    """Whether a column of this type can hold any text."""
    return not isinstance(kind, pd.CategoricalDtype) and pd.api.types.is_string_dtype(kind)


def _placed(cells: pd.Series, entities: Any) -> pd.DataFrame:
    """Entities with the number of their text, in order, where they are said to be."""
    table = entities if isinstance(entities, pd.DataFrame) else pd.DataFrame()
    lacking = [name for name in COLUMNS if name not in table.columns]
    if lacking:
        raise ValueError(
            f"entities must be a DataFrame with columns {listed(COLUMNS)}, as find_entities"
            f" returns; {listed(lacking)} is not there."
        )
    if not table.columns.is_unique:
        raise ValueError("entities has a column twice; name each of them once.")
    found: pd.DataFrame = entities[COLUMNS].reset_index(drop=True)
    text = cells.index.get_indexer(pd.Index(found["record"]))
    if (text < 0).any():
        j = int(np.argmax(text < 0))
        raise ValueError(
            f"entities: texts have no record {found['record'].iloc[j]}; pass the texts in"
            f" which they were found."
        )
    if not found["kind"].map(lambda kind: isinstance(kind, str)).all():
        raise ValueError("entities: each kind must be a text, which stands in its place.")
    whole = [pd.api.types.is_integer_dtype(found[side]) for side in ("start", "end")]
    if len(found) and not all(whole):
        raise ValueError(
            "entities: start and end must be whole numbers, as find_entities has."
        )
    found["text"] = text
    found = found.sort_values(["text", "start"], kind="stable")
    notes = cells.to_list()
    rows = zip(found["text"], found["start"], found["end"], found["value"], strict=True)
    for j, (at, start, end, value) in enumerate(rows):
        placed = isinstance(notes[at], str) and 0 <= start < end
        if not placed or notes[at][start:end] != value:
            raise ValueError(
                f"entities: record {found['record'].iloc[j]} does not hold from {start} to"
                f" {end} what was found there; pass the texts in which they were found,"
                f" before any was masked."
            )
    same = found["text"].to_numpy()[1:] == found["text"].to_numpy()[:-1]
    if (same & (found["start"].to_numpy()[1:] < found["end"].to_numpy()[:-1])).any():
        raise ValueError(
            "entities overlap, so that they cannot all be replaced; find them in one call of"
            " find_entities with a list of recognisers."
        )
    return found


# Surrogates


def _surrogates(found: pd.DataFrame, rng: np.random.Generator) -> list[str]:
    """A surrogate for each entity, the same for the same value of a record and kind."""
    known: dict[tuple[int, str, str], str] = {}

    def of(text: int, kind: str, value: str) -> str:
        key = (text, kind, value.casefold())
        if key not in known:
            make = SURROGATES.get(kind)
            drawn = (make(value, rng) for _ in range(20)) if make else iter(())
            known[key] = next((new for new in drawn if new != value), f"[{kind}]")
        return known[key]

    made = []
    for text, kind, value in zip(found["text"], found["kind"], found["value"], strict=True):
        parts = value.split() if kind == "name" else [value]
        made.append(" ".join(of(text, kind, part) for part in parts))
    return made


def _figures(value: str, rng: np.random.Generator, zeros: int = 0) -> str:
    """Other figures in the same places, some zeros first."""
    drawn = iter([0] * zeros + rng.integers(0, 10, len(value)).tolist())
    return re.sub(r"\d", lambda _: str(next(drawn)), value)


def _signs(value: str, rng: np.random.Generator, zeros: int = 0) -> str:
    """Other figures and other letters in the same places."""
    letters = "ABCDEFGHJKLMNPRSTWYZ"
    new = _figures(value, rng, zeros)
    return re.sub(r"[A-Za-z]", lambda _: letters[rng.integers(len(letters))], new)


def _wrong(kind: str, value: str, rng: np.random.Generator) -> str:
    """Other signs that no office gives out: no pattern of the kinds finds them right."""
    if re.fullmatch(r"[A-Z]{2}[ \d]+[A-D]", plain_text(value)):  # British, without check digit
        return "ZZ" + _signs(value[2:], rng)
    checks = [one for one in PATTERNS if one.kind == kind and one.check]
    american = re.fullmatch(r"\d{3}[- ]?\d\d[- ]?\d{4}", plain_text(value))
    while True:
        new = _signs(value, rng, 3 if american else 0)
        plain = plain_text(new)
        ways = [plain, re.sub(r"[ .-]", "", plain)]
        if not any(_is_right(way, one) for way in ways for one in checks):
            return new


def _is_right(value: str, pattern: Pattern) -> bool:
    """Whether a number has the shape of a pattern and the right check digits."""
    shaped = re.fullmatch(pattern.shape, value, flags=re.IGNORECASE) is not None
    return shaped and bool(has_right_digits([value], pattern)[0])


def _account(value: str, rng: np.random.Generator) -> str:
    """An account of a country that there is not."""
    return "ZZ" + _signs(value[2:], rng)


def _postcode(value: str, rng: np.random.Generator) -> str:
    """A postcode that begins as none does."""
    if value[0].isdigit():
        return _signs(value, rng, 3)
    first = "DZ" if re.fullmatch(r"[A-Za-z]\d[A-Za-z].*", value) else "QVX"
    return first[rng.integers(len(first))] + _signs(value[1:], rng)


def _date(value: str, rng: np.random.Generator) -> str:
    """A day in the same form; days and months are up to 12, so that either order is a day."""

    def figures(found: re.Match[str]) -> str:
        if len(found[0]) == 4:
            return str(int(found[0]) + int(rng.integers(1, 9)) * int(rng.choice([-1, 1])))
        low, top = (10, 13) if len(found[0]) == 2 else (1, 10)
        return str(rng.integers(low, top))

    def month(found: re.Match[str]) -> str:
        name = str(rng.choice(MONTHS))
        return name if len(found[0]) > 4 else name[:3]

    names = rf"(?<![^\W\d_])(?:{CAPITAL_MONTHS}|{OTHER_MONTHS}|{WORD_MONTHS})(?![^\W\d_])"
    new = re.sub(names, month, value, flags=re.IGNORECASE)
    return re.sub(r"\d+", figures, new)


def _age(value: str, rng: np.random.Generator) -> str:
    """Another number of years, of adults."""
    return str(rng.integers(18, 95))


def _address(value: str, rng: np.random.Generator) -> str:
    """An address of a domain that there never is."""
    return f"{_name('', rng).lower()}@example.invalid"


def _link(value: str, rng: np.random.Generator) -> str:
    """A link to a domain that there never is, without what stood behind it."""
    begin = re.match(r"https?://(?:www\.)?|", value)
    return f"{(begin[0] if begin else '') or 'www.'}{_name('', rng).lower()}.invalid"


def _ip(value: str, rng: np.random.Generator) -> str:
    """An address of a network that is kept for examples (RFC 5737)."""
    return f"192.0.2.{rng.integers(256)}"


def _name(value: str, rng: np.random.Generator) -> str:
    """An invented name of three syllables."""
    return "".join(str(rng.choice(part)) for part in SYLLABLES)


CHECKED_KINDS = ("card", "national health", "social security", "tax and identity")
"""Kinds of numbers that may be wrong by themselves."""


SURROGATES: Mapping[str, Callable[[str, np.random.Generator], str]] = {
    "account": _account,
    "age": _age,
    "date": _date,
    "email": _address,
    "id": _signs,
    "ip": _ip,
    "money": _figures,
    "name": _name,
    "phone": partial(_figures, zeros=3),  # with which no country and no area begins
    "postcode": _postcode,
    "url": _link,
    **{kind: partial(_wrong, kind) for kind in CHECKED_KINDS},
}
"""By kind: what makes a surrogate of a value."""


# What is said of free text in a table: counts by kind, no text and no entity


SIGNS = 10_000
"""Signs of a cell that are looked at to say what a column holds."""


def names_people(cells: Sequence[str]) -> bool:
    """Whether patterns find a name, a telephone number or an e-mail address in some text.

    Examples
    --------
    >>> names_people(["seen by Dr Lane"]), names_people(["seen on the ward"])
    (True, False)
    """
    found = find_entities([cell[:SIGNS] for cell in cells])
    return bool(found["kind"].isin(["name", "phone", "email"]).any())


def said_of(
    cells: Sequence[str], times: Sequence[int] | None = None, which: str = "its cells"
) -> str:
    """Say how many entities of each kind a column holds, and in what share; quote none.

    Parameters
    ----------
    cells : sequence of str
        The texts, each once; their first 10,000 signs are looked at.
    times : sequence of int, optional
        How many records have each of the texts; one by default.
    which : str
        What the shares are of, in words.

    Examples
    --------
    >>> said_of(["Mr Fox, aged 72, saw Dr Lane", "aged 71"])
    'patterns find age 2 times (in 100% of its cells), name 2 times (50%)'
    >>> said_of(["Mr Fox", "well"], [1, 3])
    'patterns find name 1 time (in 25% of its cells)'
    """
    records = pd.Series([1] * len(cells) if times is None else list(times), dtype=int)
    found = find_entities([cell[:SIGNS] for cell in cells])
    numbers = records.reindex(found["record"]).groupby(found["kind"].to_numpy()).sum()
    once = found.drop_duplicates(["record", "kind"])
    shared = records.reindex(once["record"]).groupby(once["kind"].to_numpy()).sum()
    order = pd.DataFrame({"having": shared, "number": numbers})
    order = order.sort_values(["having", "number"], ascending=False, kind="stable")
    total = max(sum(records.tolist()), 1)
    rows = zip(order.index, order["number"].tolist(), order["having"].tolist(), strict=True)
    shares = [
        f"{kind} {number:,} time{'s' * (number > 1)} ({having / total:.0%})"
        for kind, number, having in rows
    ]
    if not shares:
        return f"patterns find nothing in {which}"
    first, *rest = shares
    first = first.replace("(", "(in ").replace(")", f" of {which})")
    return ", ".join([f"patterns find {first}", *rest])
