"""Page of a table beside its release: what was done, and figures before and after."""

from __future__ import annotations

import html
import warnings
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import __version__
from .._old.assuming import Assumptions
from .._old.attribute import l_diversity, t_closeness
from .._old.checking import people_per_class
from .._old.classes import equivalence_classes, sensitive_tables
from .._old.typing import Markup, cell as cell_of, html_table
from .._typing import BoolArray, IntArray, with_scopes
from ..information.pif import information_factors
from .decision import plain_threshold
from .plain import number as _plain, share, visible

# A table beside its release: what was done, and figures before and after
#
# No cell of the table is on the page, and no number of a group that the release does not show
# but the numbers of the table as a whole: it is for those who hold the table.


GROUPS = (
    *(("alone", 1, 1), ("2 to 4", 2, 4), ("5 to 9", 5, 9), ("10 to 49", 10, 49)),
    *(("50 to 499", 50, 499), ("500 or more", 500, np.inf)),
)
"""Sizes of groups of records that look alike, in words, from and to."""


HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<title>{}</title>\n<style>{}</style></head>\n<body><main>\n"
)


STYLE = """
body { margin: 0; color: #1a1a1a; background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
h1, p, dd, tbody th { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .3rem 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; break-after: avoid; }
.box { border: 2px solid #1a1a1a; border-radius: 6px; padding: .7rem 1rem; }
.verdict { font-size: 1.2rem; font-weight: 700; margin: 0 0 .4rem; }
.open { color: #a33b00; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .9rem; font-size: .9rem; }
dt, .note { color: #4a4a4a; }
dd { margin: 0; }
.note { font-size: .9rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0;
  border-bottom: 1px solid #e2e2e2; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1px solid #777; }
tbody th { font-weight: 400; }
tr { break-inside: avoid; }
.bar { display: inline-block; height: .8em; background: #00558a; print-color-adjust: exact; }
@media (max-width: 30rem) {
  main { padding: .6rem .7rem 2rem; } dl { display: block; } dd { margin-bottom: .4rem; }
  .bar { display: block; } th, td { padding-right: .5rem; font-size: .82rem; } }
@page { size: A4; margin: 16mm 15mm; }
@media print { body { font-size: 10.5pt; line-height: 1.38; }
  main { max-width: none; padding: 0; } h2 { margin-top: 1.4rem; }
  h2 + table tr:first-child { break-after: avoid; } p { orphans: 3; widows: 3; } }
"""


class Side(NamedTuple):
    """A table, before or after its treatment."""

    records: int
    sizes: IntArray
    """Records of each group that looks alike."""
    of_values: dict[str, tuple[int, float, float]]
    """By sensitive column: ℓ, t, and the share of records whose value is certain."""
    pif: float
    """Bits that all but one record in 20 stay below (PIF₉₅)."""
    distinct: dict[str, int]
    """Different cells of each column."""
    people: IntArray
    """People of each group: `sizes`, unless a column says whose a record is."""
    counted: str = "records"
    """What k counts."""

    def part(self, groups: BoolArray) -> float:
        """Share of the records that some groups hold."""
        return float(self.sizes[groups].sum() / self.sizes.sum())


def measure_side(assumed: Assumptions) -> Side:
    """Measure one side of the comparison.

    Parameters
    ----------
    assumed : Assumptions
        Result of `assume`; of its `who` people are counted.

    Returns
    -------
    Side

    Examples
    --------
    >>> from toolkit._old.assuming import assume
    >>> side = measure_side(assume(pd.DataFrame({"age": [17, 17, 39]}), "age", []))
    >>> side.records, side.sizes.tolist(), side.distinct
    (3, [2, 1], {'age': 2})
    """
    coded, known = assumed.coded, assumed.quasi_identifiers
    of_values = {}
    with warnings.catch_warnings(action="ignore"):
        secret = assumed.sensitive
        tables = sensitive_tables(coded, known, secret) if secret else {}
        for name, table in tables.items():
            certain = float(table.sizes[table.tally.distinct == 1].sum() / table.n_records)
            of_values[str(name)] = int(l_diversity(table)), float(t_closeness(table)), certain
        classes = next(iter(tables.values()), None) or equivalence_classes(coded, known)
        pif = float(information_factors(coded).pif(95))
    distinct = {str(name): int(coded[name].nunique(dropna=False)) for name in coded.columns}
    who = assumed.numbers
    people = people_per_class(np.asarray(classes.ids), who, len(classes.sizes))
    counted = "records" if who is None else "people"
    sizes = np.asarray(classes.sizes)
    return Side(len(coded), sizes, of_values, pif, distinct, people, counted)


def comparison_page(
    name: str,
    before: Side,
    after: Side,
    *,
    levels: Iterable[tuple[str, str, str]],
    taken_out: int,
    loss: float,
    judged: pd.DataFrame,
    answer: str = "",
    first: Iterable[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    day: date | None = None,
) -> str:
    """Write the page.

    Parameters
    ----------
    name : str
        Of the table.
    before, after : Side
        Results of `measure_side`, of the table and of its release.
    levels : iterable of (column, role, level in words)
        The columns of the release.
    taken_out : int
        Records that are not released.
    loss : float
        Share of the other values of its column that a cell leaves open, on average.
    judged : DataFrame
        Result of `judged_thresholds` on the release.
    answer : str
        What was asked and met, and what was not asked; see `toolkit.report.decision.answer`.
    first : iterable of str
        What no number shows; see `toolkit.report.roles.said_first`.
    facts : iterable of (name, text)
        More to be filed, such as hashes.
    day : date, optional
        Today's by default.

    Returns
    -------
    str
        A page of HTML that needs no network.

    Examples
    --------
    >>> from toolkit.report.decision import judged_thresholds
    >>> from toolkit._old.assuming import assume
    >>> table = assume(pd.DataFrame({"age": [17, 17, 39]}), "age", [])
    >>> side, asked = measure_side(table), {"judged": None, "taken_out": 0, "loss": 0.0}
    >>> asked["judged"] = judged_thresholds(table.coded, ["age"], [], {"k": 1})
    >>> asked["levels"] = [("age", "quasi-identifier", "as it is")]
    >>> "<h1>people.csv before and after" in comparison_page("people.csv", side, side, **asked)
    True
    """
    title = f"{visible(name)} before and after its treatment"
    kind = "verdict" if "every threshold" in answer else "verdict open"
    told = date.today() if day is None else day
    rows = [("Date", f"{told:%Y-%m-%d}"), ("Version", f"{__version__} of the toolkit"), *facts]
    filed = "".join(
        f"<dt>{html.escape(what)}</dt><dd>{html.escape(visible(text))}</dd>"
        for what, text in rows
    )
    out = f"{taken_out:,} record{'s' * (taken_out != 1)} taken out"
    part, sides = share(taken_out / before.records), (before, after)
    page = "".join(
        [
            HEAD.format(html.escape(title), STYLE),
            f'<h1>{html.escape(title)}</h1>\n<div class="box">\n',
            f'<p class="{kind}">{html.escape(visible(answer))}</p>\n',
            *(f"<p>{html.escape(visible(one))}</p>\n" for one in first),
            f"<p>{out} ({part} of all); {share(loss)} of the detail is given up (loss).</p>\n",
            f"{_thresholds(judged, after.counted)}<dl>{filed}</dl>\n</div>\n",
            "<h2>Figures before and after</h2>\n",
            _both_sides(sides),
            f"<h2>How many {after.counted} look alike</h2>\n",
            _groups(sides),
            "<h2>What became of the columns</h2>\n",
            _columns(levels, sides),
            f'<p class="note">{NOTE}</p>\n</main></body></html>\n',
        ]
    )
    return with_scopes(page)


NOTE = (
    "All numbers after the treatment were measured on the file that was written. Columns that"
    " are not listed are not in it. Of the file that was read nothing but the table was looked"
    " at: no comments, hidden sheets or other files. Loss: the share of the other values of"
    " its column that a cell leaves open, all of them for a record that is taken out, on"
    " average over all cells of the columns that others may know. No number here says that"
    " nobody can be found: an attacker may know more than the columns named, and may join this"
    " release with another."
)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Table whose first column names the row."""
    cells = [
        [cell_of(text, "th" if j == 0 else "td") for j, text in enumerate(row)] for row in rows
    ]
    return html_table(cells, [cell_of(name, "th") for name in head]) + "\n"


def _thresholds(judged: pd.DataFrame, counted: str) -> str:
    """What each threshold wants, and what the release has."""
    rows = [
        (
            plain_threshold(row["model"], counted == "people")
            + (f", of {visible(row['sensitive'])}" if row["sensitive"] else ""),
            f"{row['rule']} {_plain(float(row['asked']))}",
            "–" if row["found"] is None else _plain(float(row["found"])),
            str(row["met"]),
        )
        for row in judged.to_dict("records")
    ]
    return _table(("threshold", "must be", "found after", "result"), rows)


def _both_sides(sides: tuple[Side, Side]) -> str:
    """Numbers of both sides."""
    guesses = [share(float((s.sizes / s.people).sum() / s.sizes.sum())) for s in sides]
    smallest = f"{sides[1].counted} in the smallest group (k)"
    rows = [
        ("records", *(f"{one.records:,}" for one in sides)),
        ("groups of records that look alike", *(f"{len(one.sizes):,}" for one in sides)),
        (smallest, *(f"{one.people.min():,}" for one in sides)),
        ("records alone", *(share(one.part(one.people == 1)) for one in sides)),
        ("right guesses of somebody who knows these columns", *guesses),
    ]
    for name in sides[1].of_values:
        values = [one.of_values[name] for one in sides]
        shown = visible(name)
        rows += [
            (f"fewest values of {shown} in a group (ℓ)", *(f"{one[0]:,}" for one in values)),
            (f"{shown}: distance of a group from all (t)", *(_plain(s[1]) for s in values)),
            (f"records whose {shown} is certain", *(share(one[2]) for one in values)),
        ]
    bits = [_plain(one.pif) for one in sides]
    rows.append(("bits that 19 of 20 records stay below (PIF₉₅)", *bits))
    return _table(("figure", "before", "after"), rows)


def _groups(sides: tuple[Side, Side]) -> str:
    """Share of the records by the size of their group, as bars."""
    rows = []
    for name, low, high in GROUPS:
        shares = [one.part((low <= one.people) & (one.people <= high)) for one in sides]
        if any(shares):
            rows.append((name, *map(_bar, shares)))
    return _table((f"{sides[1].counted} alike", "before", "after"), rows)


def _bar(number: float) -> Markup:
    width = 6 * number
    bar = f'<span class="bar" style="width:{width:.2f}em"></span> '
    return Markup(bar * (number > 0) + html.escape(share(number)))


def _columns(levels: Iterable[tuple[str, str, str]], sides: tuple[Side, Side]) -> str:
    """Level and number of different cells of each column."""
    rows = [
        (visible(name), role, level, *(f"{one.distinct.get(name, 0):,}" for one in sides))
        for name, role, level in levels
    ]
    return _table(("column", "role", "level", "different cells before", "after"), rows)
