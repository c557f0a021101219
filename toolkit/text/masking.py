"""Masking: entities of texts replaced by their kind, or by surrogates of the same form.

A table's columns of free text can be masked, too; what is said of them are counts by kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .._validation import check_choice, check_columns, check_generator, listed
from .entities import check_texts, entity_counts, find_entities
from .patterns import (
    CAPITAL_MONTHS,
    KINDS,
    OTHER_MONTHS,
    PATTERNS,
    WORD_MONTHS,
    Pattern,
    has_right_digits,
    plain_text,
)

__all__ = [
    "MASKED",
    "mask_entities",
    "masked_columns",
    "masked_names",
    "masked_notes",
    "names_people",
    "said_of",
    "what_is_left",
]


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
    >>> from toolkit import find_entities
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
    if len(found) and not all(
        pd.api.types.is_integer_dtype(found[side]) for side in ("start", "end")
    ):
        raise ValueError(
            "entities: start and end must be whole numbers, as find_entities has."
        )
    found["text"] = text
    found = found.sort_values(["text", "start"], kind="stable")
    notes = cells.to_list()
    rows = zip(found["text"], found["start"], found["end"], found["value"], strict=True)
    for j, (at, start, end, value) in enumerate(rows):
        there = (
            isinstance(notes[at], str) and 0 <= start < end and notes[at][start:end] == value
        )
        if not there:
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

    return [
        " ".join(
            of(text, kind, part) for part in (value.split() if kind == "name" else [value])
        )
        for text, kind, value in zip(found["text"], found["kind"], found["value"], strict=True)
    ]


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


def _phone(value: str, rng: np.random.Generator) -> str:
    """A number that begins with zeros: no country and no area does."""
    return _figures(value, rng, 3)


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


SURROGATES: Mapping[str, Callable[[str, np.random.Generator], str]] = {
    "account": _account,
    "age": _age,
    "card": partial(_wrong, "card"),
    "date": _date,
    "email": _address,
    "id": _signs,
    "ip": _ip,
    "money": _figures,
    "name": _name,
    "national health": partial(_wrong, "national health"),
    "phone": _phone,
    "postcode": _postcode,
    "social security": partial(_wrong, "social security"),
    "tax and identity": partial(_wrong, "tax and identity"),
    "url": _link,
}
"""By kind: what makes a surrogate of a value."""


# Columns of a table
#
# Only counts are said, by kind; no text and no entity is in any result but the masked column.


MASKED = "masked"
"""What becomes of a column of free text that is released: its level, in words."""


SIGNS = 10_000
"""Signs of a cell that are looked at to say what a column holds."""


MISSED = (
    "patterns miss names without a title, places, illnesses, and stories that somebody knows"
)


def masked_names(data: pd.DataFrame, names: Sequence[str], mask: Any) -> list[str]:
    """Names of the columns that are to be masked, of a table whose columns go by `names`.

    Examples
    --------
    >>> masked_names(pd.DataFrame({"age": [7], "note": ["Mr Fox"]}), ["age", "note"], "note")
    ['note']
    """
    if mask is None:
        return []
    places = check_columns(data, mask, "mask")
    for j in places:
        cells = data.iloc[:, j].reset_index(drop=True)
        try:
            check_texts(cells)
        except TypeError:
            raise TypeError(
                f"mask names {names[j]!r}, which holds more than texts; only free text can be"
                f" masked."
            ) from None
    return [names[j] for j in places]


def masked_columns(
    table: pd.DataFrame, names: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    """Return a table with the entities of some columns replaced by their kind, and how many.

    Examples
    --------
    >>> table, replaced = masked_columns(pd.DataFrame({"note": ["Mr Fox", "well"]}), ["note"])
    >>> table["note"].tolist(), replaced
    (['Mr [name]', 'well'], {'note': {'name': 1}})
    """
    made, replaced = {}, {}
    for name in names:
        cells = table[name].reset_index(drop=True)
        found = find_entities(cells)
        made[name] = mask_entities(cells, found).set_axis(table.index)
        replaced[name] = {str(k): int(n) for k, n in found["kind"].value_counts().items()}
    return table.assign(**made), replaced


def masked_notes(masked: Mapping[str, Mapping[str, Mapping[str, int]]]) -> list[str]:
    """Say of each masked column what was replaced, what is left, and what nobody measured.

    Examples
    --------
    >>> counts = {"replaced": {"name": 2}, "left": {}, "own_cells": {"town": 1}}
    >>> counts["untouched"] = {"records": 3, "of": 5}
    >>> for said in masked_notes({"note": counts})[1:]:
    ...     print(said)
    'note' is released as it was written in 3 of 5 records: nothing in them was replaced.
    'note' says in 1 record what 'town' hides.
    """
    said = []
    for name, counts in masked.items():
        replaced, left = (
            ", ".join(f"{n:,} of kind {kind}" for kind, n in counts[key].items()) or "nothing"
            for key in ("replaced", "left")
        )
        said.append(
            f"{name!r} is masked: {replaced} replaced; the same patterns find {left} in the"
            f" release. No threshold measures it: {MISSED}; and somebody who has seen a note"
            f" finds its record by it."
        )
        some = counts.get("untouched", {"records": 0})
        if some["records"]:
            said.append(
                f"{name!r} is released as it was written in {some['records']:,} of"
                f" {some['of']:,} records: nothing in them was replaced."
            )
        said += [
            f"{name!r} says in {number:,} record{'s' * (number > 1)} what {column!r} hides."
            for column, number in counts["own_cells"].items()
        ]
    return said


def what_is_left(
    masked: pd.Series, coarsened: pd.DataFrame, replaced: Mapping[str, int]
) -> dict[str, Mapping[str, int]]:
    """What was replaced, what patterns still find, and cells that other columns hide.

    Parameters
    ----------
    masked : Series
        A masked column, of the records that are released.
    coarsened : DataFrame
        The same records' cells of columns that the release shows coarser, or hides; missing
        where it shows the very cell.
    replaced : mapping
        How many entities of each kind were replaced.

    Returns
    -------
    dict
        `replaced`; `left`, entities by kind that the same patterns find; `untouched`, the
        `records` in which nothing was replaced, `of` those with a text; `own_cells`, by
        column, the records whose text says the cell that the column hides.

    Examples
    --------
    >>> found = what_is_left(pd.Series(["of Corden"]), pd.DataFrame({"town": ["Corden"]}), {})
    >>> found["own_cells"], found["untouched"]
    ({'town': 1}, {'records': 1, 'of': 1})
    """
    notes = masked.reset_index(drop=True)
    counts = entity_counts(notes)
    left = {str(k): int(n) for k, n in zip(counts["kind"], counts["entities"], strict=True)}
    own = {}
    for name in coarsened.columns:
        pairs = zip(notes, coarsened[name], strict=True)
        some = [(note, cell) for note, cell in pairs if isinstance(note, str)]
        number = sum(_says(note, _written(cell)) for note, cell in some if not pd.isna(cell))
        if number:
            own[str(name)] = number
    texts = [note for note in notes if isinstance(note, str)]
    marked = re.compile("|".join(rf"\[{kind}\]" for kind in KINDS)).search
    untouched = {"records": sum(not marked(note) for note in texts), "of": len(texts)}
    return {
        "replaced": dict(replaced),
        "left": left,
        "untouched": untouched,
        "own_cells": own,
    }


def _written(cell: Any) -> str:
    """A cell as it would stand in a sentence: 53, not 53.0."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _says(note: str, cell: str) -> bool:
    """Whether a text has a cell as words of its own."""
    return re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", note, re.IGNORECASE) is not None


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
    order = pd.DataFrame({"having": shared, "number": numbers}).sort_values(
        ["having", "number"], ascending=False, kind="stable"
    )
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
