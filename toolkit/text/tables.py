"""Notes as a table of quasi-identifiers: one row a note.

What entities and a vocabulary find in a note becomes cells: one row a note, a column for age,
sex, postcode, dates and each vocabulary, missing where nothing is said. On that table every
metric of tables applies. It holds what was found; what a reader would find besides, and what
makes a style or a story one of its kind, is in no cell.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._typing import Markup
from .._validation import check_choice, check_table, check_whole, listed
from ..uniqueness.sample import PrivacyScores, privacy_scores
from .entities import check_texts, find_entities
from .patterns import IMAGED, plain_text

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Signs that steer a terminal."""


MOST_BITS = 10
"""Surprise at which a word is marked as strongly as can be."""


SEX_WORDS = {
    "f": "she her hers herself woman female lady girl mrs ms miss madam frau mme".split(),
    "m": "he him his himself man male gentleman boy mr sir herr".split(),
}
"""Words that tell a sex, in small letters."""


SCAN = re.compile(rf"MR(?!\.? (?!(?i:{IMAGED}))[^\W\d_a-z])")
"""MR without a name behind it: magnetic resonance."""


DAY_FORMATS = (
    "%Y-%m-%d %Y/%m/%d %Y.%m.%d %d/%m/%Y %d/%m/%y %d.%m.%Y %d.%m.%y %d-%m-%Y %d-%m-%y".split()
    + ["%d %m %Y", "%d %B %Y", "%B %d %Y", "%d %B %y", "%B %d %y", "%B %Y", "%m/%Y"]
)
"""How dates are written, the day before the month where both are figures."""


MONTH_WORDS = {
    "January": "jan januar janvier enero gennaio januari",
    "February": "feb februar février fevrier febrero febbraio februari",
    "March": "mar märz mars marzo maart",
    "April": "apr avril abril aprile",
    "May": "mai mayo maggio mei",
    "June": "jun juin junio giugno juni",
    "July": "jul juillet julio luglio juli",
    "August": "aug août aout agosto augustus",
    "September": "sep sept septembre septiembre settembre",
    "October": "oct okt octobre octubre ottobre oktober",
    "November": "nov novembre noviembre",
    "December": "dec dez décembre decembre diciembre dicembre dezember",
}
"""Months, and what they are called besides: German, French, Spanish, Italian, Dutch, short."""


BORN = re.compile(
    r"\b(?:born|dob|d\.o\.b\.|date of birth|geb|geboren|née?|nat[oa]|naci(?:ó|d[oa]))\W{0,3}"
    r"(?:on |in |am |op |le |il |el )?$",
    re.IGNORECASE,
)
"""What stands before a birthday."""


COLUMNS = ["record", "column", "value", "start", "end"]


# From entities to cells


def note_cells(
    entities: pd.DataFrame,
    notes: Any,
    *,
    ages: int | None = 10,
    postcodes: int | None = 2,
    dates: str | None = "year",
    sex: bool = True,
    vocabularies: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """List the cells that notes give a table, and the words that say them.

    Parameters
    ----------
    entities : DataFrame
        What was found in the notes, as `find_entities` gives it: `record`, `kind`, `value`,
        `start`, `end`. Ages, postcodes and dates become cells. Names, numbers and addresses
        identify by themselves, and do not.
    notes : Series or list of str
        The notes themselves; a missing one says nothing.
    ages : int, optional
        Width of an interval of ages, whose lower end stands for it; 1 for the age itself, None
        for no column. The first age of a note counts.
    postcodes : int, optional
        Signs that are kept from the left, blanks not counted; None for no column. The first
        postcode counts.
    dates : {"day", "month", "year"}, optional
        What is kept of `born`, the first date behind "born" or "DOB", and of `date`, the first
        other one; None for no columns. A year is a number; of a month the first day is
        given. The day is taken to stand before the month, as in 31/12/2024.
    sex : bool
        Whether words such as "she" and "Mr" (`SEX_WORDS`) become a column. More words win;
        with as many of both there is no cell.
    vocabularies : mapping, optional
        For each further column its words: a list, or ``{value: [words]}`` to coarsen. Words
        count wherever they stand alone, in capitals or not: "no asthma" says asthma.

    Returns
    -------
    DataFrame of shape (n_cells, 5)
        `record`, `column`, `value`, and where the word stands from `start` to `end`. A column
        of a vocabulary may have several values in a note.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind, or entities are not of these notes.

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
    texts = check_texts(notes, "notes").fillna("")
    found = _checked_entities(entities, texts)
    for given, name, high in ((ages, "ages", 150), (postcodes, "postcodes", 10)):
        if given is not None:
            check_whole(given, name, 1, high, "what a cell is coarsened to, or None")
    if dates is not None:
        check_choice(dates, "dates", ("day", "month", "year"))
    parts = []
    if ages is not None:
        parts.append(_ages(found[found["kind"] == "age"], ages))
    if sex:
        parts.append(_sexes(texts))
    if postcodes is not None:
        parts.append(_postcodes(found[found["kind"] == "postcode"], postcodes))
    if dates is not None:
        parts += _dates(found[found["kind"] == "date"], texts, dates)
    for column, words in _checked_vocabularies(vocabularies).items():
        parts.append(_said(texts, column, words))
    cells = pd.concat([part.astype(object) for part in parts]) if parts else pd.DataFrame()
    cells = cells.reindex(columns=COLUMNS)
    cells["at"] = texts.index.get_indexer(pd.Index(cells["record"].to_list()))
    cells = cells.sort_values(["at", "start"], kind="stable", ignore_index=True)
    return cells[COLUMNS].astype({"start": int, "end": int}).infer_objects()


def entity_table(
    entities: pd.DataFrame,
    notes: Any,
    *,
    ages: int | None = 10,
    postcodes: int | None = 2,
    dates: str | None = "year",
    sex: bool = True,
    vocabularies: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Make a table of quasi-identifiers of notes: one row a note.

    Parameters
    ----------
    entities, notes, ages, postcodes, dates, sex, vocabularies
        As for `note_cells`, whose cells this lays out.

    Returns
    -------
    DataFrame of shape (n_notes, n_columns)
        Columns `age`, `sex`, `postcode`, `born`, `date`, and the vocabularies; missing where
        a note does not say. Ages and years are whole numbers, days and months dates. Several
        values of a vocabulary are joined by " + ", in the order of the vocabulary. Index of
        the notes.

    Raises
    ------
    TypeError, ValueError
        As `note_cells`.

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
    >>> table = entity_table(entities, notes, postcodes=None, dates=None, vocabularies=words)
    >>> table.fillna({"sex": "not said"})
        age       sex       illness
    0    40  not said           flu
    1  <NA>         f  flu + asthma
    """
    texts, words = check_texts(notes, "notes"), _checked_vocabularies(vocabularies)
    how: dict[str, Any] = {"ages": ages, "postcodes": postcodes, "dates": dates, "sex": sex}
    cells = note_cells(entities, texts, **how, vocabularies=words)
    wanted: dict[str, Any] = {"age": ages, "sex": sex or None, "postcode": postcodes}
    wanted |= {"born": dates, "date": dates, **words}
    table = pd.DataFrame(index=texts.index)
    for column in (name for name, how in wanted.items() if how is not None):
        said = cells[cells["column"] == column].drop_duplicates(["record", "value"])
        if column in words:
            said = _joined(said, list(words[column]))
        values = said.set_index("record")["value"].reindex(texts.index)
        table[column] = _typed(values, column, dates)
    return table


def _typed(values: pd.Series, column: str, dates: str | None) -> pd.Series:
    """Numbers as numbers, days as days, the rest as texts."""
    if column == "age" or (column in ("born", "date") and dates == "year"):
        return values.astype("Int64")
    if column in ("born", "date"):
        return pd.to_datetime(values).astype("datetime64[s]")
    return values.astype("str").where(values.notna())  # pandas 2 writes what is missing


def _joined(said: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """One row a note, its values joined in the order of the vocabulary."""
    place = said["value"].map({value: i for i, value in enumerate(order)})
    ordered = said.assign(place=place).sort_values("place", kind="stable")
    alike = ordered.groupby("record", sort=False)["value"]
    return alike.agg(" + ".join).reset_index()


def _checked_entities(entities: Any, texts: pd.Series) -> pd.DataFrame:
    """Entities in the order of the notes, and of these notes."""
    names = ["record", "kind", "value", "start", "end"]
    is_table = isinstance(entities, pd.DataFrame)
    if not is_table or not {*names} <= {*entities.columns}:
        came = listed(entities.columns) if is_table else type(entities).__name__
        raise TypeError(
            f"entities must be a DataFrame with the columns {listed(names)}, as find_entities"
            f" gives it; got {came}."
        )
    if isinstance(texts.index, pd.MultiIndex) or texts.index.hasnans:
        raise ValueError(
            "notes have labels of several parts, or a missing one, by which cells and notes"
            " cannot be matched; use reset_index(drop=True)."
        )
    whole = [pd.api.types.is_integer_dtype(entities[side]) for side in ("start", "end")]
    if len(entities) and not all(whole):
        raise ValueError("entities: start and end must be whole numbers, as of find_entities.")
    place = texts.index.get_indexer(pd.Index(entities["record"].to_list()))
    said, ends = texts.tolist(), zip(place, entities["start"], entities["end"], strict=True)
    words = [said[at][start:end] if at >= 0 else None for at, start, end in ends]
    fits = [word == value for word, value in zip(words, entities["value"], strict=True)]
    if not all(fits):
        wrong = entities[["record", "start", "end"]]
        record, start, end = (wrong[name].tolist()[fits.index(False)] for name in wrong)
        raise ValueError(
            f"entities are not of these notes: record {record!r} does not say what was found"
            f" in it from {start} to {end} ({len(fits) - sum(fits)} such). Find the entities"
            f" of the notes as they are now."
        )
    ordered: pd.DataFrame = entities[names].assign(at=place)
    return ordered.sort_values(["at", "start"], kind="stable", ignore_index=True)


def _checked_vocabularies(vocabularies: Any) -> dict[str, dict[str, list[str]]]:
    """Values and their words, by column."""
    given = {} if vocabularies is None else vocabularies
    if not isinstance(given, Mapping):
        raise TypeError(
            f"vocabularies must map columns to words, such as {{'illness': ['flu']}}; got"
            f" {type(given).__name__}."
        )
    return {column: _checked_words(column, words) for column, words in given.items()}


def _checked_words(column: str, words: Any) -> dict[str, list[str]]:
    if column in ("age", "sex", "postcode", "born", "date"):
        raise ValueError(f"vocabularies: {column!r} is a column already; take another name.")
    if isinstance(words, str) or not isinstance(words, Iterable):
        words = [None]
    pairs = words.items() if isinstance(words, Mapping) else ((word, [word]) for word in words)
    found = {
        value: list(some)
        if isinstance(some, Iterable) and not isinstance(some, str)
        else [some]
        for value, some in pairs
    }
    said = [word for some in found.values() for word in some]
    every = [*found, *said]
    if not every or not all(isinstance(word, str) and word.strip() for word in every):
        raise TypeError(
            f"vocabularies: column {column!r} needs words, a list of texts or a mapping from"
            f" value to texts."
        )
    if len({word.casefold() for word in said}) < len(said):
        raise ValueError(f"vocabularies: column {column!r} has a word twice; name it once.")
    return found


def _cells(found: pd.DataFrame, column: str, values: pd.Series) -> pd.DataFrame:
    """The first cell of each note that has one."""
    cells = found.assign(column=column, value=values)[values.notna()]
    return cells.drop_duplicates("record")[COLUMNS]


def _ages(found: pd.DataFrame, width: int) -> pd.DataFrame:
    """Lower ends of the intervals; an age in words has no figure and no cell."""
    plain = found["value"].map(plain_text).astype("str")
    years = pd.to_numeric(plain.str.extract(r"(?<!\d)(\d{1,3})(?!\d)")[0])
    return _cells(found, "age", years // width * width)


def _postcodes(found: pd.DataFrame, signs: int) -> pd.DataFrame:
    plain = found["value"].str.replace(r"\s", "", regex=True).str.upper()
    return _cells(found, "postcode", plain.str[:signs])


def _dates(found: pd.DataFrame, texts: pd.Series, kept: str) -> list[pd.DataFrame]:
    """Birthdays, and other dates."""
    days = read_days(found["value"].map(plain_text))
    said, ends = texts.tolist(), zip(found["at"], found["start"], strict=True)
    before = [said[at][max(start - 24, 0) : start] for at, start in ends]
    born = pd.Series([bool(BORN.search(text)) for text in before], found.index, dtype=bool)
    # A birthday of two figures later than every other date has lost its century: 40 is 1940.
    short = ~found["value"].map(plain_text).astype("str").str.contains(r"\d{4}")
    later = born & short & (days > days[~born].max())
    days = days.where(~later, days - pd.DateOffset(years=100))
    kept_of = days.dt.year if kept == "year" else days.dt.to_period(kept[0].upper())
    values = kept_of if kept == "year" else kept_of.dt.to_timestamp()
    parts = {"born": born, "date": ~born}
    return [_cells(found[which], name, values[which]) for name, which in parts.items()]


def read_days(values: pd.Series) -> pd.Series:
    """Read dates as people write them in sentences.

    Parameters
    ----------
    values : Series of str
        Such as "31/12/2024", "2024-12-31", "31 December 2024", "Dec 31, 2024", "May 2024".

    Returns
    -------
    Series of datetime64
        Missing where the text is no date of the calendar. Index of `values`.

    Examples
    --------
    >>> days = read_days(pd.Series(["3rd of May, 2024", "03.05.24", "30/02/2024"]))
    >>> days.dt.strftime("%d %b %Y").tolist()
    ['03 May 2024', '03 May 2024', nan]
    """
    known = {word: name for name, words in MONTH_WORDS.items() for word in words.split()}
    plain = values.astype(str).str.replace(r"(?<=\d)T\d.*", "", regex=True)
    plain = plain.str.replace(r"(?<=\d)(?:st|nd|rd|th|er|[º°])(?=\W|$)", "", regex=True)
    plain = plain.str.replace(
        r"([^\W\d_]+)\.?",
        lambda found: f" {known.get(found[1].casefold(), found[1])} ",
        regex=True,
    )
    plain = plain.str.replace(r"[,'’]|\b(?:of|del?)\b", " ", regex=True)
    plain = plain.str.replace(r"(?<=\d)\. +(?=\d)", ".", regex=True)
    plain = plain.str.replace(r"(?<=[^\W\d_] )[-/.]|[-/.](?= +[^\W\d_])", " ", regex=True)
    plain = plain.str.replace(r"\s+", " ", regex=True).str.strip()
    days = pd.Series(pd.NaT, values.index, dtype="datetime64[s]")
    for form in DAY_FORMATS:
        left = days.isna()
        if left.any():
            read = pd.to_datetime(plain[left], format=form, errors="coerce")
            days[left] = read.astype("datetime64[s]")
    return days


def _said(texts: pd.Series, column: str, words: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """Where the words of each value stand, alone, in capitals or not; longer ones first."""
    value_of = {word.casefold(): value for value, some in words.items() for word in some}
    longest = sorted({word for some in words.values() for word in some}, key=len, reverse=True)
    either = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest)
    pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
    known = {" ".join(word.split()): value for word, value in value_of.items()}
    rows = [
        [record, column, known.get(" ".join(one[0].casefold().split())), *one.span()]
        for record, text in texts.items()
        for one in pattern.finditer(text)
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found[found["value"].notna()]


def _sexes(texts: pd.Series) -> pd.DataFrame:
    """Words of the sex that more words tell."""
    found, notes = _said(texts, "sex", SEX_WORDS), texts.to_dict()
    places = zip(found["record"], found["start"], strict=True)
    scans = [SCAN.match(notes[record], start) is not None for record, start in places]
    found = found[~np.array(scans, bool)]
    counts = pd.crosstab(found["record"], found["value"]).reindex(columns=["f", "m"])
    more = counts.fillna(0).diff(axis=1)["m"]
    told = pd.Series(np.where(more > 0, "m", "f"), more.index)[more != 0]
    return found[found["value"] == found["record"].map(told)]


# Who stands out


def note_scores(
    notes: Any,
    *,
    fraction: float | None = None,
    outliers: Any = ("isolation forest",),
    max_key_size: int = 3,
    rng: np.random.Generator,
    progress: bool = True,
    **cells: Any,
) -> PrivacyScores:
    """Score how much each note stands out, in one call.

    Parameters
    ----------
    notes : Series or list of str, or DataFrame
        Notes, whose entities are found by patterns; or the result of `entity_table`. All
        columns of the table are quasi-identifiers, but those in which no note says anything.
    fraction : float, optional
        Records over people of the population, above 0 and below 1. With it, `copula` is the
        probability that nobody else of the population has the cells of the note.
    outliers, max_key_size, progress
        As for `privacy_scores`.
    rng : numpy.random.Generator
        Source of randomness.
    **cells
        Of `entity_table`, if notes are given: `ages`, `postcodes`, `dates`, `sex`,
        `vocabularies`.

    Returns
    -------
    PrivacyScores
        As `privacy_scores`: `records` is 1 for a note that is unique.

    Raises
    ------
    TypeError, ValueError
        As `privacy_scores`.

    Examples
    --------
    >>> notes = ["Mrs A, aged 42", "Mrs B, aged 44", "Mr C, aged 80"]
    >>> rng = np.random.default_rng(1)
    >>> note_scores(notes, rng=rng, outliers=["euclidean"]).scores["records"].tolist()
    [2, 2, 1]
    """
    if not isinstance(notes, pd.DataFrame):
        notes = entity_table(find_entities(notes), notes, **cells)
    elif cells:
        raise TypeError(
            f"{listed(cells)} make a table of notes, and notes is a table already; pass the"
            f" notes themselves, or leave this out."
        )
    table = check_table(notes, "notes").dropna(axis=1, how="all")
    return privacy_scores(
        check_table(table, "the table of notes"),
        list(table.columns),
        outliers=outliers,
        max_key_size=max_key_size,
        fraction=fraction,
        rng=rng,
        progress=progress,
    )


# The words that make a note stand out, counted, and shown in the note


def telling_words(
    cells: pd.DataFrame, table: pd.DataFrame, bits: pd.DataFrame | None = None
) -> pd.DataFrame:
    r"""Say of each word that fills a cell how much it makes its note stand out.

    Parameters
    ----------
    cells : DataFrame
        Result of `note_cells`.
    table : DataFrame
        Result of `entity_table`, made of the same notes with the same settings.
    bits : DataFrame, optional
        A number for each cell of the table, such as `cell_information_gain` gives. By default
        the surprise of its value, :math:`-\log_2` of the share of notes that have it: 1 bit
        halves the notes, 10 bits leave one of a thousand.

    Returns
    -------
    DataFrame
        `cells` with a column `bits`, the most telling words of each note first.

    Raises
    ------
    TypeError, ValueError
        If the tables do not fit.

    Examples
    --------
    >>> rows = [[0, "age", 40, 5, 7], [1, "age", 40, 0, 2], [2, "age", 90, 0, 2]]
    >>> cells = pd.DataFrame(rows, columns=["record", "column", "value", "start", "end"])
    >>> table = pd.DataFrame({"age": [40, 40, 90, None]})
    >>> telling_words(cells, table)["bits"].tolist()
    [1.0, 1.0, 2.0]
    """
    check_table(table, "table")
    if not isinstance(cells, pd.DataFrame) or not {"record", "column"} <= {*cells.columns}:
        raise TypeError(
            f"cells must be the result of note_cells(...); got {type(cells).__name__}."
        )
    numbers = _surprises(table) if bits is None else check_table(bits, "bits")
    row = numbers.index.get_indexer(pd.Index(cells["record"].to_list()))
    column = numbers.columns.get_indexer(pd.Index(cells["column"].to_list()))
    if (row < 0).any() or (column < 0).any():
        raise ValueError(
            "table and bits must have a row for each record and a column for each column of"
            " cells; make them of the same notes with the same settings."
        )
    told = cells.assign(bits=numbers.to_numpy(dtype=float)[row, column], at=row)
    order = told.sort_values(["at", "bits"], ascending=[True, False], kind="stable")
    return order.drop(columns="at").reset_index(drop=True)


def _surprises(table: pd.DataFrame) -> pd.DataFrame:
    """Surprise of each value among those of its column; a missing cell is a value."""
    counts = table.apply(lambda cells: cells.groupby(cells, dropna=False).transform("size"))
    logarithms: pd.DataFrame = (counts / len(table)).astype(float).apply(np.log2)
    return logarithms.abs()


@dataclass(frozen=True, eq=False, repr=False)
class ShownNote:
    """A note with some words marked: as HTML in a notebook, with brackets in a terminal."""

    html: Markup
    """All that comes from the note is escaped."""
    text: str

    def __repr__(self) -> str:
        """The note with the marked words in brackets; controls of a terminal are signs."""
        return CONTROLS.sub("\ufffd", self.text)

    def _repr_html_(self) -> str:
        return self.html


def shown_note(note: str, words: pd.DataFrame | None = None) -> ShownNote:
    """Show a note and mark words in it.

    Parameters
    ----------
    note : str
        Any text. It is shown as it is written, in its own direction; nothing in it is obeyed.
    words : DataFrame, optional
        From `start` to `end`; with `column` (or `kind`) that says what it is and, if there
        are, `bits`, which make the mark stronger: the rows of one record of `telling_words`,
        `note_cells` or `find_entities`. Of words that overlap the first is marked.

    Returns
    -------
    ShownNote
        Its `html` is shown by notebooks.

    Raises
    ------
    TypeError, ValueError
        If `note` is no text, or a word lies outside of it.

    Examples
    --------
    >>> words = pd.DataFrame({"start": [5], "end": [7], "column": ["age"], "bits": [2.04]})
    >>> shown_note("Mara 42 <b>", words)
    Mara [42 | age 2.0] <b>
    >>> shown_note("<b>").html
    "<div dir='auto' style='unicode-bidi: isolate; white-space: pre-wrap'>&lt;b&gt;</div>"
    """
    if not isinstance(note, str):
        raise TypeError(f"note must be a text; got {type(note).__name__}.")
    spans = _spans(note, words)
    page, plain, done = [], [], 0
    for start, end, what, bits in spans:
        if start < done:
            continue
        label = f"{what} {bits:.1f}" if not np.isnan(bits) else what
        strength = 0.5 if np.isnan(bits) else float(np.clip(bits / MOST_BITS, 0.1, 1))
        page += [_escaped(note[done:start]), _mark(note[start:end], label, strength)]
        plain += [note[done:start], f"[{note[start:end]} | {label}]"]
        done = end
    page.append(_escaped(note[done:]))
    style = "unicode-bidi: isolate; white-space: pre-wrap"
    content = Markup(f"<div dir='auto' style='{style}'>{''.join(page)}</div>")
    return ShownNote(content, "".join([*plain, note[done:]]))


def _spans(note: str, words: Any) -> list[tuple[int, int, str, float]]:
    """Words to mark, from left to right, with what they are and how many bits they tell."""
    if words is None:
        return []
    if not isinstance(words, pd.DataFrame) or not {"start", "end"} <= {*words.columns}:
        raise TypeError(
            f"words must be a DataFrame with the columns 'start' and 'end', such as"
            f" telling_words(...) gives for one record; got {type(words).__name__}."
        )
    name = "column" if "column" in words else "kind"
    what = words.get(name, pd.Series("", words.index))
    bits = words.get("bits", pd.Series(np.nan, words.index)).to_numpy(float)
    ends = words["start"].astype(int), words["end"].astype(int)
    spans = sorted(zip(*ends, what.astype(str), bits, strict=True))
    wrong = [span[:2] for span in spans if not 0 <= span[0] < span[1] <= len(note)]
    if wrong:
        raise ValueError(
            f"words: {listed(wrong)} lie outside of the note, which has {len(note):,}"
            f" characters; pass the words of this record only."
        )
    return spans


def _escaped(text: str) -> str:
    """Text for HTML; half of a surrogate pair, or a control, becomes a sign."""
    known = text.encode("utf-8", "replace").decode()
    return html.escape(CONTROLS.sub("\ufffd", known))


def _mark(word: str, label: str, strength: float) -> str:
    """A marked word and, smaller, what it is: no colour alone says it."""
    style = f"background: rgba(230, 159, 0, {strength:.2f})"
    said = f"<sub> {_escaped(label)}</sub>"
    return f"<mark style='{style}'><bdi>{_escaped(word)}</bdi>{said}</mark>"
