"""The words that make a note stand out, counted, and shown in the note."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._html import Markup
from .._typing import FloatArray
from .._validation import check_table, listed

__all__ = ["ShownNote", "shown_note", "telling_words"]


CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Signs that steer a terminal."""


MOST_BITS = 10
"""Surprise at which a word is marked as strongly as can be."""


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
    shares = {
        name: column.groupby(column, dropna=False).transform("size") / len(table)
        for name, column in table.items()
    }
    logarithms: pd.DataFrame = pd.DataFrame(shares).astype(float).apply(np.log2)
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
    what = words[name] if name in words else pd.Series("", words.index)
    bits: FloatArray = (
        words["bits"].to_numpy(float) if "bits" in words else np.full(len(words), np.nan)
    )
    spans = sorted(
        zip(
            words["start"].astype(int),
            words["end"].astype(int),
            what.astype(str),
            bits,
            strict=True,
        )
    )
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
