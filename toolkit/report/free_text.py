"""Columns of free text: what patterns find in them, and the columns with it replaced.

Only counts are said, by kind; no text and no entity is in any result but the masked column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from .._validation import check_columns
from ..text.entities import check_texts, entity_counts, find_entities
from ..text.masking import mask_entities
from ..text.patterns import KINDS

__all__ = [
    "MASKED",
    "masked_columns",
    "masked_names",
    "masked_notes",
    "names_people",
    "said_of",
    "what_is_left",
]


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
