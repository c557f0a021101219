"""Notes as a table of quasi-identifiers: one row per note.

Entities and words of a vocabulary become cells: there is a column for age, sex, postcode,
dates and each vocabulary, missing where a note says nothing. Every metric of tables applies to
that table. It holds only what was found: other clues that a reader would notice, and a
recognisable style or story, are in no cell.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from .._arguments import check_choice, check_columns, check_number
from ..uniqueness.sample import PrivacyScores, privacy_scores
from .entities import check_texts, entities_in_order, find_entities
from .patterns import IMAGED, plain_text

# Words that indicate a sex, in lower case.
SEX_WORDS = {
    "f": "she her hers herself woman female lady girl mrs ms miss madam frau mme".split(),
    "m": "he him his himself man male gentleman boy mr sir herr".split(),
}

# MR without a name after it: magnetic resonance.
SCAN = rf"\bMR\b(?!\.? (?!(?i:{IMAGED}))[^\W\d_a-z])"

# Words before a date of birth.
BORN = re.compile(r"\b(?:born|dob|d\.o\.b\.|date of birth)\W{0,3}(?:on |in )?$", re.IGNORECASE)

# Characters that no page shows.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# Surprise from which on the mark of a word is strongest.
MOST_BITS = 10

COLUMNS = ["record", "column", "value", "start", "end"]


# From entities to cells


def note_cells(
    entities: pd.DataFrame,
    notes: Any,
    *,
    ages: int = 10,
    postcodes: int = 2,
    dates: str | None = "year",
    vocabularies: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """List the cells that notes give to a table, and the words behind each cell.

    Parameters
    ----------
    entities : DataFrame
        Entities of the notes, as `find_entities` returns them: `record`, `kind`, `value`,
        `start`, `end`. Ages, postcodes and dates become cells. Names, numbers and addresses do
        not, because they identify people directly.
    notes : Series or list of str
        The notes themselves; a missing note gives no cells.
    ages : int
        Width of an interval of ages, of which the cell holds the lower end; 1 for the age
        itself. The first age of a note counts.
    postcodes : int
        Number of leading characters that are kept, without blanks. The first postcode counts.
    dates : {"day", "month", "year"}, optional
        Precision of `born`, the first date after "born" or "DOB", and of `date`, the first
        other date; None for no columns. A year is a number; a month is given as its first day.
        The day is read before the month, as in 31/12/2024.
    vocabularies : mapping, optional
        Words of each further column: a list, or ``{value: [words]}`` to coarsen. They match as
        whole words, in upper or lower case, whatever the context: "no asthma" gives asthma.

    Returns
    -------
    DataFrame of shape (n_cells, 5)
        `record`, `column`, `value`, and where the word stands from `start` to `end`. A column
        of a vocabulary may have several values in a note. `sex` is that for which the note has
        more words such as "she" and "Mr" (`SEX_WORDS`). The categories of `column` are all
        columns.

    Examples
    --------
    >>> entities = pd.DataFrame(
    ...     [[0, "age", "42", 5, 7]], columns=["record", "kind", "value", "start", "end"]
    ... )
    >>> words = {"illness": ["flu", "asthma"]}
    >>> note_cells(entities, ["Mara 42, has the flu"], vocabularies=words)
       record   column value  start  end
    0       0      age    40      5    7
    1       0  illness   flu     17   20
    """
    check_number(ages, "ages", "[1, 150]", "the width of an interval", whole=True)
    check_number(postcodes, "postcodes", "[1, 10]", "characters", whole=True)
    texts = check_texts(notes, "notes").fillna("")
    found = entities_in_order(entities, texts, "notes")
    found["value"] = found["value"].map(plain_text).astype("str")
    age, postcode, day = (found[found["kind"] == k] for k in ("age", "postcode", "date"))
    years = pd.to_numeric(age["value"].str.extract(r"(?<!\d)(\d{1,3})(?!\d)")[0])
    codes = postcode["value"].str.replace(r"\s", "", regex=True).str.upper()
    parts = {"age": _first(age, years // ages * ages), "sex": _sexes(texts)}
    parts["postcode"] = _first(postcode, codes.str[:postcodes])
    if dates is not None:
        parts |= _dates(day, texts, check_choice(dates, "dates", ("day", "month", "year")))
    for column, given in (vocabularies or {}).items():
        parts[column] = _words(texts, column, given)
    cells = pd.concat([part.assign(column=column) for column, part in parts.items()])
    cells["column"] = pd.Categorical(cells["column"], [*parts])
    cells["at"] = texts.index.get_indexer(pd.Index(cells["record"]))
    cells = cells.sort_values(["at", "start"], kind="stable", ignore_index=True)
    return cells[COLUMNS].astype({"start": int, "end": int}).infer_objects()


def entity_table(entities: pd.DataFrame, notes: Any, **options: Any) -> pd.DataFrame:
    """Make a table of quasi-identifiers from notes: one row per note.

    Parameters
    ----------
    entities, notes
        As for `note_cells`, whose cells form the table.
    **options
        `ages`, `postcodes`, `dates` and `vocabularies`, as for `note_cells`.

    Returns
    -------
    DataFrame of shape (n_notes, n_columns)
        Columns `age`, `sex`, `postcode`, `born`, `date`, and the vocabularies; missing where a
        note does not say. Ages and years are whole numbers, days and months dates. Several
        values of a vocabulary are joined by " + ", sorted. Index of the notes.

    See Also
    --------
    note_scores : scores of these rows, in one call.

    Examples
    --------
    >>> entities = pd.DataFrame(
    ...     [[0, "age", "42", 5, 7]], columns=["record", "kind", "value", "start", "end"]
    ... )
    >>> notes = ["Mara 42, has the flu", "She has asthma, and the flu"]
    >>> words = {"illness": ["flu", "asthma"]}
    >>> table = entity_table(entities, notes, dates=None, vocabularies=words)
    >>> table[["age", "sex", "illness"]].fillna({"sex": "not said"})
        age       sex       illness
    0    40  not said           flu
    1  <NA>         f  asthma + flu
    """
    cells = note_cells(entities, notes, **options)
    table = pd.DataFrame(index=check_texts(notes).index)
    for column in cells["column"].cat.categories:
        said = cells[cells["column"] == column].drop_duplicates(["record", "value"])
        lists = said.astype(object).groupby("record")["value"].agg(list)
        values = lists.map(lambda v: v[0] if len(v) == 1 else " + ".join(sorted(map(str, v))))
        values = values.infer_objects()
        table[column] = values.astype("Int64") if is_integer_dtype(values) else values
    return table


def _plain(words: str) -> str:
    """Words in lower case, with single blanks."""
    return " ".join(words.casefold().split())


def _first(found: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """The first cell of each note that has one."""
    known = values.dropna().convert_dtypes().astype(object)  # whole numbers stay whole
    return found.loc[known.index].assign(value=known).drop_duplicates("record")


def _dates(found: pd.DataFrame, texts: pd.Series, kept: str) -> dict[str, pd.DataFrame]:
    """Birthdays, and other dates."""
    days, notes = read_days(found["value"]), texts.to_list()
    ends = zip(found["at"], found["start"], strict=True)
    before = [notes[at][max(start - 24, 0) : start] for at, start in ends]
    born = pd.Series([bool(BORN.search(text)) for text in before], found.index, dtype=bool)
    # A birthday with a two-digit year that lies after all other dates is in the last century.
    later = born & ~found["value"].str.contains(r"\d{4}") & (days > days[~born].max())
    days = days.where(~later, days - pd.DateOffset(years=100))
    months = days.dt.to_period("M").dt.to_timestamp()
    values = {"day": days, "month": months, "year": days.dt.year}[kept]
    columns = {"born": born, "date": ~born}
    return {name: _first(found[which], values[which]) for name, which in columns.items()}


def read_days(values: pd.Series) -> pd.Series:
    """Read dates as people write them in English sentences.

    Parameters
    ----------
    values : Series of str
        Such as "31/12/2024", "2024-12-31", "31 December 2024", "Dec 31, 2024", "May 2024".

    Returns
    -------
    Series of datetime64
        Missing where the text is no date of the calendar with a year. A month is its first
        day. Index of `values`.

    Examples
    --------
    >>> days = read_days(pd.Series(["3rd of May, 2024", "03.05.24", "30/02/2024"]))
    >>> days.dt.strftime("%d %b %Y").tolist()
    ['03 May 2024', '03 May 2024', nan]
    """
    plain = values.map(plain_text, na_action="ignore").astype("str")
    plain = plain.str.replace(r"['’,]|\bof\b|(?<=\d)\.(?= )|T\d.*", " ", regex=True)
    plain = plain.str.replace(r"^(\d{4})\D(\d+)\D(\d+)", r"\3/\2/\1", regex=True)
    dated = plain.where(plain.str.contains(r"\d\D+\d|[A-Za-z]\D*\d{4}"))
    days = pd.to_datetime(dated, errors="coerce", format="mixed", dayfirst=True)
    return days.astype("datetime64[s]")


def _words(texts: pd.Series, column: str, given: Any) -> pd.DataFrame:
    """Matches of the words of a vocabulary, as whole words in any case; longer words first."""
    lists = given if isinstance(given, Mapping) else {word: [word] for word in given}
    pairs = [(word, value) for value, several in lists.items() for word in several]
    values = {_plain(word): value for word, value in pairs}
    if len(values) < len(pairs) or any(isinstance(x, str) for x in (given, *lists.values())):
        raise ValueError(f"vocabularies: {column!r} needs lists of words, each word once.")
    longest = sorted((word for word, _ in pairs), key=len, reverse=True)
    either = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest)
    rows = [
        [record, values.get(_plain(match[0])), *match.span()]
        for record, text in texts.items()
        for match in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE)
    ]
    return pd.DataFrame(rows, columns=["record", "value", "start", "end"]).dropna()


def _sexes(texts: pd.Series) -> pd.DataFrame:
    """Words of the sex for which a note has more words."""
    found = _words(texts.str.replace(SCAN, "--", regex=True), "sex", SEX_WORDS)
    signs = found["value"].map({"f": -1, "m": 1}).astype(int)
    return found[signs * signs.groupby(found["record"]).transform("sum") > 0]


# Who stands out


def note_scores(notes: Any, *, rng: np.random.Generator, **options: Any) -> PrivacyScores:
    """Score how much each note stands out, in one call.

    Parameters
    ----------
    notes : Series or list of str, or DataFrame
        Notes, whose entities are found by patterns; or the result of `entity_table`. All
        columns of the table are quasi-identifiers, except those in which no note says
        anything.
    rng : numpy.random.Generator
        Source of randomness.
    **options
        `fraction`, `outliers` and `max_key_size`, as for `privacy_scores`. With a
        fraction, the score `copula` is the probability that nobody else in the population has
        the cells of the note.

    Returns
    -------
    PrivacyScores
        As `privacy_scores`: `records` is 1 for a note that is unique.

    Examples
    --------
    >>> notes = ["Mrs A, aged 42", "Mrs B, aged 44", "Mr C, aged 80"]
    >>> rng = np.random.default_rng(1)
    >>> note_scores(notes, rng=rng, outliers=["euclidean"]).scores["records"].tolist()
    [2, 2, 1]
    """
    if not isinstance(notes, pd.DataFrame):
        notes = entity_table(find_entities(notes), notes)
    table = notes.dropna(axis=1, how="all")
    options = {"outliers": ("isolation forest",)} | options
    return privacy_scores(table, [*table.columns], rng=rng, **options)


# The words that make a note stand out, counted, and shown in the note


def telling_words(cells: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    r"""Measure how much each word that fills a cell makes its note stand out.

    The measure is the surprise of the cell's value, :math:`-\log_2` of the share of notes that
    have it: 1 bit halves the notes, 10 bits leave one in a thousand.

    Parameters
    ----------
    cells : DataFrame
        Result of `note_cells`.
    table : DataFrame
        Result of `entity_table`, from the same notes with the same settings.

    Returns
    -------
    DataFrame
        `cells` with a column `bits`, the most telling words of each note first.

    Examples
    --------
    >>> rows = [[0, "age", 40, 5, 7], [1, "age", 40, 0, 2], [2, "age", 90, 0, 2]]
    >>> cells = pd.DataFrame(rows, columns=["record", "column", "value", "start", "end"])
    >>> table = pd.DataFrame({"age": [40, 40, 90, None]})
    >>> telling_words(cells, table)["bits"].tolist()
    [1.0, 1.0, 2.0]
    """
    check_columns(cells.columns, ["record", "column"], "cells")
    check_columns(table.columns, [*cells["column"].unique()], "table")
    counts = table.apply(lambda column: column.map(column.value_counts(dropna=False)))
    bits = np.log2(len(table) / counts.astype(float))
    places = zip(cells["record"], cells["column"], strict=True)
    telling = cells.assign(bits=np.array([bits.at[place] for place in places], dtype=float))
    note = telling.groupby("record", sort=False).ngroup()
    return telling.iloc[np.lexsort([-telling["bits"], note])].reset_index(drop=True)


class ShownNote(NamedTuple):
    """A note with some words marked, which a notebook shows.

    Attributes
    ----------
    html : str
        The note as HTML, in which its text is escaped.
    """

    html: str

    def _repr_html_(self) -> str:
        return self.html


def shown_note(note: str, words: pd.DataFrame | None = None) -> ShownNote:
    """Show a note and mark words in it.

    Parameters
    ----------
    note : str
        Any text. It is shown as it is written, in its own direction; markup in it has no
        effect.
    words : DataFrame, optional
        A row per word, from `start` to `end`. Its `column` (or `kind`) is the label, and
        `bits`, if there are any, make the mark stronger. Pass the rows of one record of
        `telling_words`, `note_cells` or `find_entities`. If words overlap, the first is
        marked.

    Returns
    -------
    ShownNote
        Its `html` is shown by notebooks.

    Examples
    --------
    >>> shown_note("<b>").html
    "<div dir='auto' style='unicode-bidi: isolate; white-space: pre-wrap'>&lt;b&gt;</div>"
    """
    words = pd.DataFrame(columns=["start", "end"]) if words is None else words
    page, done = [], 0
    for word in words.sort_values(["start", "end"]).to_dict("records"):
        start, end, bits = int(word["start"]), int(word["end"]), word.get("bits", np.nan)
        if start < done:
            continue
        label, strength = str(word.get("column", word.get("kind", ""))), 0.5
        if not pd.isna(bits):
            label, strength = f"{label} {bits:.1f}", np.clip(bits / MOST_BITS, 0.1, 1)
        # The label is written beside the word, so that it does not depend on colour.
        style = f"background: rgba(230, 159, 0, {strength:.2f})"
        mark = f"<bdi>{_escaped(note[start:end])}</bdi><sub> {_escaped(label)}</sub>"
        page += [_escaped(note[done:start]), f"<mark style='{style}'>{mark}</mark>"]
        done = end
    style = "unicode-bidi: isolate; white-space: pre-wrap"
    content = "".join([*page, _escaped(note[done:])])
    return ShownNote(f"<div dir='auto' style='{style}'>{content}</div>")


def _escaped(text: str) -> str:
    """Text for HTML, without control characters and halves of a surrogate pair."""
    return html.escape(CONTROLS.sub("\ufffd", text.encode("utf-8", "replace").decode()))
