"""The decision on one screen: what was measured, asked and found, the best way out, to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from ..disclosure.catalogue import THRESHOLDS
from .checking import visible
from .decision import Decision, loud_guess
from .look import LOOK
from .roles import shown_names
from .words import _escaped, _name, _plain, _plainly, share

__all__ = [
    "DecisionBox",
    "plain_threshold",
]


PLAIN = {
    "k": "records in the smallest group that look alike (k)",
    "risk": "best chance of finding a person's record (1/k)",
    "l": "different values among records that look alike (ℓ)",
    "t": "distance of a group's values from those of all records, 0 to 1 (t)",
    "alpha": "largest share of one value among records that look alike (α)",
}
"""What thresholds are about, where the catalogue is not plain enough."""


PEOPLE_ALIKE = "people in the smallest group of records that look alike (k)"


NAMES, LONG = 6, 160
"""Names of a list, and characters of a sentence, that fit the box."""


NUMBERS = 3
"""Numbers of a threshold that are written one by one."""


SAID = {"met": "met", "missed": "NOT MET", "not measured": "NOT MEASURED"}


@dataclass(frozen=True)
class DecisionBox:
    """What a person who decides reads first, and perhaps alone."""

    decision: Decision

    @property
    def verdict(self) -> str:
        """The answer, in a sentence: a table is never called safe."""
        one = self.decision
        judged = [*one.thresholds["met"]]
        missed, open_ = judged.count("missed"), judged.count("not measured")
        if missed:
            of = (
                "the threshold"
                if len(judged) == 1
                else f"{missed} of {len(judged)} thresholds"
            )
            verb = "are" if missed > 1 else "is"
            return f"Do not release this table as it is: {of} {verb} missed."
        if one.identifiers:
            return (
                "Do not release this table as it is: it holds direct identifiers or free text."
            )
        if open_:
            return (
                f"No decision yet: {open_} of {len(judged)} thresholds could not be measured."
            )
        return "The table meets what was asked. That is no proof that nobody can be found."

    @property
    def roles(self) -> tuple[str, str]:
        """Who said what the columns are: in large letters where nobody did, and in detail."""
        one = self.decision
        known, secret = _few(one.quasi_identifiers), _few(one.sensitive)
        parts = [
            f"an attacker may know {known}"
            f"{' (guessed)' * ('quasi_identifiers' in one.guessed)}",
            f"must stay secret: {secret}{' (guessed)' * ('sensitive' in one.guessed)}"
            if secret
            else "nobody said what must stay secret, so this was not measured",
        ]
        if one.person:
            parts.append(f"k and risk count people, by {_name(one.person)}")
        return loud_guess(one.guessed), "; ".join(parts)

    @property
    def todo(self) -> list[str]:
        """What to do next; a treatment of many columns is not told twice."""
        return [shorten(text, LONG, placeholder=" …") for text in self.decision.todo]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What was looked at, to be filed."""
        one = self.decision
        named = bool(one.table)
        rows = [
            ("Table", _name(one.table) if named else "the example of the toolkit"),
            ("Size", f"{one.records:,} records, {one.columns:,} columns"),
        ]
        if named:
            day = f"{one.date.day} {one.date:%B %Y}"
            rows.append(("Made on", f"{day} with version {one.version} of the toolkit"))
            rows.append(("SHA-256", one.sha256 or "none, as the table is not a single file"))
        rows.append(("Roles", self.roles[1]))
        return rows

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """Each threshold: what it is about, asked, found, met or not.

        Sensitive columns of one result share a row, so that many of them fit one screen.
        """
        alike: dict[tuple[str, str], list[dict[Any, Any]]] = {}
        for row in self.decision.thresholds.to_dict("records"):
            alike.setdefault((row["model"], row["met"]), []).append(row)
        return [
            (
                plain_threshold(model, self.decision.person is not None)
                + (f", of {_few(of)}" if (of := [r["sensitive"] for r in some])[0] else ""),
                f"{some[0]['rule']} {_plain(float(some[0]['asked']))}",
                _found([row["found"] for row in some], float(some[0]["asked"])),
                SAID[met],
            )
            for (model, met), some in alike.items()
        ]

    @property
    def best(self) -> str:
        """The best treatment that meets the thresholds, in sentences."""
        one, found = self.decision, self.decision.best
        if found is None:
            return one.why_none or "None is needed."
        if not found.changed and not found.taken_out:
            return (
                f"The table needs none: it meets what was asked as it is. {one.exact}".strip()
            )
        alike: dict[str, list[str]] = {}
        for name, level in found.changed:
            alike.setdefault(level, []).append(name)
        coarser = "; ".join(f"{_few(some)}: {_level(one)}" for one, some in alike.items())
        part = share(found.taken_out / one.records)
        out = f"{found.taken_out:,} record{'s' * (found.taken_out != 1)} ({part}) taken out"
        out = out if found.taken_out else "no record taken out"
        said = (
            f"{coarser or 'No column is made coarser'}; {out}. An attacker"
            f" then guesses right for {share(found.guesses_after)} of the released records"
            f" (before: {share(found.guesses_before)}). It gives up {share(found.loss)} of the"
            " detail (loss)."
        )
        return " ".join(filter(None, [said, one.also, one.exact]))

    def __str__(self) -> str:
        """Show it on a console."""
        loud, _ = self.roles
        lines = [self.verdict, *([loud] if loud else [])]
        lines += [f"{name}: {text}" for name, text in self.facts]
        lines += ["Thresholds:"] + [
            f"  {what}: {asked}; found {found}: {met}" for what, asked, found, met in self.rows
        ]
        lines += [f"Best treatment found that meets them: {self.best}", "Three things to do:"]
        lines += [f"  {n}. {text}" for n, text in enumerate(self.todo, 1)]
        return "\n".join(map(_plainly, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        loud, _ = self.roles
        facts = "".join(
            f"<dt>{name}</dt><dd>{_escaped(text)}</dd>" for name, text in self.facts
        )
        heads = ("threshold", "asked", "found", "result")
        rows = "".join(_row(heads, cells) for cells in self.rows)
        head = "".join(f"<th>{name}</th>" for name in heads)
        todo = "".join(f"<li>{_escaped(text)}</li>" for text in self.todo)
        kind = "" if self.decision.met else " report-missed"
        return (
            f"<style>{LOOK}</style>\n"
            '<div class="report-words report-box" role="region" aria-label="Decision">\n'
            f'<p class="report-verdict{kind}">{_escaped(self.verdict)}</p>\n'
            + (f'<p class="report-guessed">{_escaped(loud)}</p>\n' if loud else "")
            + f'<dl class="report-facts">{facts}</dl>\n'
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>\n"
            f'<h3 aria-level="2">Best treatment found that meets the thresholds</h3>\n'
            f"<p>{_escaped(self.best)}</p>\n"
            f'<h3 aria-level="2">Three things to do</h3>\n<ol>{todo}</ol>\n</div>'
        )


def plain_threshold(model: str, of_people: bool) -> str:
    """What a threshold is about, for somebody who decides.

    Examples
    --------
    >>> plain_threshold("k", True)
    'people in the smallest group of records that look alike (k)'
    """
    plain = PLAIN | ({"k": PEOPLE_ALIKE} if of_people else {})
    return plain.get(model, THRESHOLDS[model].compared)


def _found(numbers: list[float | None], asked: float) -> str:
    """What was found, of several columns in their order, or from least to most of many."""
    known = [float(one) for one in numbers if one is not None]
    if not known:
        return "–"
    texts = [_beside(one, asked) for one in known]
    if len({*texts}) == 1:
        return texts[0]
    if len(texts) <= NUMBERS:
        return ", ".join(texts)
    return f"{_beside(min(known), asked)} to {_beside(max(known), asked)}"


def _beside(number: float, asked: float) -> str:
    """A number with as many digits as it takes to lie on its own side of a threshold.

    Examples
    --------
    >>> _beside(0.123456, 0.5), _beside(0.50002, 0.5), _beside(0.5, 0.5)
    ('0.123', '0.50002', '0.5')
    """
    if number == asked or not math.isfinite(number) or _plain(number) != _plain(asked):
        return _plain(number)
    return next(
        text for digits in range(4, 18) if float(text := f"{number:.{digits}g}") != asked
    )


def _few(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return shown_names([_name(name) for name in names], NAMES)


def _level(level: str) -> str:
    """A level of a column in plain words."""
    if few := re.fullmatch(r"pool < (.+)", level):
        return f"values of fewer than {few[1]} records become “other”"
    return level


def _row(heads: tuple[str, ...], cells: tuple[str, ...]) -> str:
    """Row of the thresholds, whose result is loud if it is not met."""
    parts = [
        f'<td data-label="{head}">{_escaped(text)}</td>'
        for head, text in zip(heads[:3], cells[:3], strict=True)
    ]
    kind = "" if cells[3] == SAID["met"] else ' class="report-missed"'
    parts.append(f'<td data-label="{heads[3]}"><b{kind}>{visible(cells[3])}</b></td>')
    return f"<tr>{''.join(parts)}</tr>"
