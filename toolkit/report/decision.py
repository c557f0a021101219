"""The decision about a table: what was asked, what was found, and the best way to meet it.

`decide` reads a risk report. The best treatment is the one of least loss among those that meet
every threshold, and that `toolkit.report.treating` can write and repeat. `DecisionBox` says it
all on one screen.
"""

from __future__ import annotations

import hashlib
import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from .. import __version__
from .._old import checking
from .._old.assuming import Assumptions, shown_names, with_people
from .._old.catalogue import MODELS, THRESHOLDS
from .._old.classes import equivalence_class
from .._typing import IntArray
from .._validation import listed
from .measure import RiskReport
from .roles import BUT_RECORDS, NOBODY_SAID, ROLES
from .words import LOOK, _escaped, _name, _plain, _plainly, share

MET, MISSED, NOT_MEASURED = "met", "missed", "not measured"


AS_IT_IS = "as it is"


NEVER = (ROLES[0], ROLES[4])
"""Roles that no release may hold: direct identifiers and free text."""


MOST_LOST = 0.5
"""Share of the detail from which on a release is hardly worth having."""


@dataclass(frozen=True)
class BestTreatment:
    """The treatment of least loss that meets every threshold."""

    levels: tuple[tuple[str, str], ...]
    """Each quasi-identifier and its level in words, such as ("birthday", "decades")."""
    taken_out: int
    """Records that are not released."""
    guesses_before: float
    guesses_after: float
    """Share of the records whose person is found by a guess: of the table, of the release."""
    loss: float
    """Share of the other values of its column that a cell leaves open, on average."""

    @property
    def changed(self) -> tuple[tuple[str, str], ...]:
        """The columns that are made coarser, with their levels."""
        return tuple(pair for pair in self.levels if pair[1] != AS_IT_IS)


@dataclass(frozen=True, eq=False)
class Decision:
    """What a person who has to decide about a table reads first."""

    table: str
    """Name of the file, without its folder."""
    records: int
    columns: int
    date: date
    version: str
    """Version of this package."""
    sha256: str | None
    """Of the file as it was read; None for a folder, or no file."""
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    guessed: tuple[str, ...]
    """Which of the two roles nobody named: "quasi_identifiers", "sensitive"."""
    identifiers: tuple[str, ...]
    """Columns taken for direct identifiers or free text, which no release may hold."""
    thresholds: pd.DataFrame
    """A row per threshold, and per sensitive column: `model` (its keyword, as k), `sensitive`
    (or None), `rule` ("at least", "at most", "below"), `asked`, `found` (a number or None) and
    `met` ("met", "missed" or "not measured")."""
    asked: bool
    """Whether somebody asked for a threshold; else k = 5 is the default."""
    best: BestTreatment | None
    why_none: str
    """Why there is no best treatment, in a sentence; empty if there is one, or none needed."""
    also: str
    """A sentence on a treatment that loses less and cannot be repeated; or empty."""
    todo: tuple[str, str, str]
    """What to do next, in three sentences."""
    exact: str = ""
    """What the cells of sensitive columns, which stay as they are, can disclose; or empty."""
    person: str | None = None
    """The column whose values k and risk count, if these are people and not records."""
    first: tuple[str, ...] = ()
    """What no number shows: columns that are not measured, rows that may not be people."""

    @property
    def met(self) -> bool:
        """Whether the table as it is meets all that was asked and could be measured."""
        return bool((self.thresholds["met"] == MET).all()) and not self.identifiers


def decide(
    report: RiskReport,
    path: Any = None,
    *,
    asked: bool | None = None,
    day: date | None = None,
    columns: int | None = None,
) -> Decision:
    """Sum a report up for somebody who has to decide.

    Parameters
    ----------
    report : RiskReport
        Result of `risk_report`.
    path : path, optional
        The file that the table was read from; its name and its hash are part of the decision.
    asked : bool
        Whether somebody asked for the thresholds; by default, unless they are k = 5 alone.
    day : date, optional
        The date; today's by default.
    columns : int, optional
        Columns of the file; by default those that the report was given.

    Returns
    -------
    Decision

    Examples
    --------
    >>> from toolkit import risk_report
    >>> people = pd.DataFrame({"age": [17, 18, 39, 38], "sex": list("ffmm")})
    >>> decision = decide(risk_report(people, ["age", "sex"], [], k=2))
    >>> decision.thresholds[["model", "asked", "found", "met"]]
      model  asked found     met
    0     k      2     1  missed
    >>> decision.best.levels, decision.best.taken_out, decision.best.guesses_after
    ((('age', 'by 4'), ('sex', 'as it is')), 0, 0.5)
    """
    assumed = report.assumed
    coded, people = assumed.with_population()
    measured = assumed.quasi_identifiers, assumed.sensitive, report.thresholds
    judged = judged_thresholds(coded, *measured, people, assumed.who)
    barred = assumed.columns["role"].isin(NEVER)
    identifiers = tuple(map(str, assumed.columns.loc[barred, "column"]))
    best, why_none = _best(report)
    return Decision(
        table="" if path is None else Path(path).absolute().name,
        records=report.records,
        columns=len(assumed.columns) if columns is None else columns,
        date=date.today() if day is None else day,
        version=__version__,
        sha256=None if path is None else file_hash(path),
        quasi_identifiers=tuple(assumed.quasi_identifiers),
        sensitive=tuple(assumed.sensitive),
        guessed=report.guessed,
        identifiers=identifiers,
        thresholds=judged,
        asked=report.thresholds != {"k": checking.DEFAULT_K} if asked is None else asked,
        best=best,
        why_none=why_none,
        also=_also(report, best),
        todo=_todo(report, judged, identifiers, best),
        exact=exact_values(coded, assumed.sensitive, assumed.numbers),
        person=assumed.person,
        first=report.first,
    )


def file_hash(path: Any) -> str | None:
    """SHA-256 of a file in hexadecimal digits; None if the path leads to no file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "empty.csv"
    >>> file.touch()
    >>> file_hash(file)[:8], file_hash(file.parent)
    ('e3b0c442', None)
    """
    if not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def judged_thresholds(
    coded: pd.DataFrame,
    quasi_identifiers: list[str],
    sensitive: list[str],
    thresholds: Mapping[str, float],
    population: pd.DataFrame | None = None,
    who: pd.Series | None = None,
) -> pd.DataFrame:
    """Compare a table with thresholds; what cannot be measured is said to be so.

    Parameters
    ----------
    coded : DataFrame of shape (n_records, n_features)
        The table as categories.
    quasi_identifiers, sensitive : list of columns
        What the attacker may know, and what is to be kept from them.
    thresholds : mapping
        As for `check_privacy`.
    population : DataFrame, optional
        Everyone, as categories too.
    who : Series, optional
        Number of the person of each record: k and risk then count people.

    Returns
    -------
    DataFrame
        As `Decision.thresholds`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB")}).astype("category")
    >>> judged_thresholds(data, ["town"], [], {"k": 2, "l": 2})[["model", "found", "met"]]
      model found           met
    0     k     1        missed
    1     l  None  not measured
    """
    can = set(checking.measurable(thresholds, bool(sensitive)))
    if population is not None:
        can |= set(checking.OF_PEOPLE) & set(thresholds)
    asked: dict[str, Any] = {name: thresholds[name] for name in can}
    with warnings.catch_warnings(action="ignore"):
        found = checking.check_privacy(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive or None,
            population=population,
            **with_people(coded, who),
            **asked,
        ).table
    parts = ["sensitive", "must_be", "threshold", "value"]
    rows: list[tuple[Any, ...]] = [
        (keyword, *(row[part] for part in parts), MET if row["satisfied"] else MISSED)
        for keyword in thresholds
        for row in checking.rows_of(found)
        if row["threshold"] is not None and MODELS[row["metric"]].keyword == keyword
    ]
    rows += [
        (keyword, None, THRESHOLDS[keyword].rule, one, None, NOT_MEASURED)
        for keyword, one in thresholds.items()
        if keyword not in can
    ]
    columns = ["model", "sensitive", "rule", "asked", "found", "met"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def answer(judged: pd.DataFrame, release: Assumptions) -> str:
    """Say first what was asked and met, and what was not asked.

    Parameters
    ----------
    judged : DataFrame
        Result of `judged_thresholds` on a release, all met.
    release : Assumptions
        The release.

    Examples
    --------
    >>> from toolkit._old.assuming import assume
    >>> data = pd.DataFrame({"town": list("AABB"), "ill": list("xxxy")})
    >>> found = assume(data, "town", "ill")
    >>> answer(judged_thresholds(found.coded, ["town"], ["ill"], {"k": 2}), found)
    'k = 2 is met. Not asked: what can be learned about ill (certain for 50 % of the records).'
    """
    rows = judged[["model", "asked"]].drop_duplicates().itertuples(index=False)
    asked = [f"{model} = {number:g}" for model, number in rows]
    met = f"{' and '.join(asked)} {'is' if len(asked) == 1 else 'are'} met."
    if not release.sensitive:
        return f"{met} No column was named as secret."
    if judged["sensitive"].notna().any():
        return f"The release meets every threshold: {', '.join(asked)}."
    classes = equivalence_class(release.data, release.quasi_identifiers).to_numpy()
    parts = []
    for name in release.sensitive:
        values = pd.Series(pd.factorize(release.data[name], use_na_sentinel=False)[0])
        certain = float((values.groupby(classes).transform("nunique") == 1).mean())
        parts.append(f"{name} (certain for {share(certain)} of the records)")
    return f"{met} Not asked: what can be learned about {', '.join(parts)}."


def _best(report: RiskReport) -> tuple[BestTreatment | None, str]:
    """The best treatment, or why there is none."""
    found = report.treatments
    can = checking.measurable(report.thresholds, bool(report.assumed.sensitive))
    if idle := set(report.thresholds) - set(can):
        about = "a population" if idle <= set(checking.OF_PEOPLE) else "sensitive columns"
        return None, f"No treatment was measured for {listed(sorted(idle))}, about {about}."
    if found.plan is None:
        if report.records < report.k:
            return None, f"None: the table has fewer than {report.k:,} records."
        return None, "No levels of the quasi-identifiers meet what was asked for."
    before = float(found.table["risk"].iloc[0])
    after = checking.right_guesses(found.plan.ids, found.who)
    gone, loss = found.plan.taken_out, found.plan.loss
    return BestTreatment(found.level_names, gone, before, after, loss), ""


def _also(report: RiskReport, best: BestTreatment | None) -> str:
    """A treatment that loses less than the best one, and has no labels to repeat."""
    table = report.treatments.table
    apart = table.index.str.startswith(("cut into classes", "mask cells"))
    losses = table.loc[apart & table["meets"].to_numpy(bool), "loss"]
    if losses.empty or (best is not None and losses.min() >= best.loss):
        return ""
    return (
        f"Less would be lost ({100 * losses.min():.1f} %) with “{losses.idxmin()}”, but its"
        " cells are labelled differently from record to record, which next month's table"
        " could not repeat."
    )


def exact_values(
    data: pd.DataFrame, sensitive: Sequence[Any], who: IntArray | None = None
) -> str:
    """Say what sensitive columns disclose by their own cells, which no treatment changes.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table, or its release.
    sensitive : sequence of columns
        Those that are released as they are.
    who : array of int of shape (n_records,), optional
        Number of the person of each record; -1 for nobody known.

    Returns
    -------
    str
        Sentences with the share of the records whose value nobody else has, column by column;
        empty if each value is there for two at least.

    Examples
    --------
    >>> said = exact_values(pd.DataFrame({"pay": [1200, 1200, 1875]}), ["pay"])
    >>> print(said.split(". ")[1][:64])
    A value that only one record has (33 % of the records in 'pay')
    """
    alone = []
    for name in sensitive:
        ids, values = pd.factorize(data[name])
        single = checking.people_per_class(ids, who, len(values))[ids[ids >= 0]] == 1
        if single.any():
            part = 100 * float(single.sum()) / len(ids)
            amount = "under 1" if part < 1 else "over 99" if 99 < part < 100 else f"{part:.0f}"
            alone.append(f"{amount} % of the records in {str(name)!r}")
    if not alone:
        return ""
    one = "record" if who is None else "person"
    return (
        f"Sensitive columns are released as they are, and k ignores them. A value that only"
        f" one {one} has ({shown_names([*alone])}) leads anybody who knows it to that {one}:"
        f" round such values, pool rare ones, or leave the column out."
    )


def loud_guess(guessed: Sequence[str]) -> str:
    """What is said in large letters where nobody named some roles, or all; else nothing.

    Examples
    --------
    >>> loud_guess(["sensitive"]), loud_guess([])
    ('SOME ROLES OF THE COLUMNS ARE GUESSED. All numbers depend on them.', '')
    """
    if not guessed:
        return ""
    which = "SOME" if len(guessed) == 1 else "THE"
    return f"{which} ROLES OF THE COLUMNS ARE GUESSED. All numbers depend on them."


def _todo(
    report: RiskReport,
    judged: pd.DataFrame,
    identifiers: tuple[str, ...],
    best: BestTreatment | None,
) -> tuple[str, str, str]:
    """Three sentences: on the roles, on the release, on what no number says."""
    if identifiers:
        first = (
            f"Leave out {shown_names([*identifiers])}: no threshold protects anybody while the"
            f" table names people, or may name them."
        )
    elif report.guessed:
        first = (
            "Say which columns others may know and which must stay secret: these roles are"
            " guesses."
        )
    else:
        first = "Confirm with somebody who knows the table that every role is right."
    lacking = sorted(set(judged.loc[judged["met"] == NOT_MEASURED, "model"]))
    if (judged["met"] == MET).all():
        second = "The thresholds are met: release the rows in random order, without an index."
    elif best is None:
        second = "Ask for less, name fewer columns that others may know, or do not release."
    elif not best.changed and not best.taken_out:
        second = f"Name what {listed(lacking)} is about, so that it can be measured."
    else:
        second = (
            f"Leave out columns that nobody needs, or ask for less: the best treatment gives"
            f" up {100 * best.loss:.0f} % of the detail."
            if best.loss > MOST_LOST
            else "Release the treated table (the command treat writes it), not this one."
        )
    columns = report.assumed.columns
    several = columns.loc[columns["warning"].str.endswith(BUT_RECORDS), "column"].to_list()
    third = (
        f"Say whose the records are, perhaps by {shown_names(several[:1])} (--person): one"
        f" person or house may have several, and k counts records."
        if several
        else "Compare with earlier releases and with what others hold: tables that are joined"
        " can show what each of them hides."
    )
    return first, second, third


# The decision on one screen: what was measured, asked and found, the best way out, to do


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


SAID = {MET: "met", MISSED: "NOT MET", NOT_MEASURED: "NOT MEASURED"}


@dataclass(frozen=True)
class DecisionBox:
    """What a person who decides reads first, and perhaps alone."""

    decision: Decision

    @property
    def verdict(self) -> str:
        """The answer, in a sentence: a table is never called safe."""
        one = self.decision
        judged = [*one.thresholds["met"]]
        missed, open_, all_ = judged.count(MISSED), judged.count(NOT_MEASURED), len(judged)
        if missed:
            of = "the threshold" if all_ == 1 else f"{missed} of {all_} thresholds"
            verb = "are" if missed > 1 else "is"
            return f"Do not release this table as it is: {of} {verb} missed."
        if one.identifiers:
            free = "it holds direct identifiers or free text"
            return f"Do not release this table as it is: {free}."
        if open_:
            return f"No decision yet: {open_} of {all_} thresholds could not be measured."
        what = "what was asked" if one.asked else "the default, k = 5: nobody asked for more"
        return f"The table meets {what}. That is no proof that nobody can be found."

    @property
    def roles(self) -> tuple[str, str]:
        """Who said what the columns are: in large letters where nobody did, and in detail."""
        one = self.decision
        known, secret = _few(one.quasi_identifiers), _few(one.sensitive)
        known += " (guessed)" * ("quasi_identifiers" in one.guessed)
        guessed = " (guessed)" * ("sensitive" in one.guessed)
        said = f"must stay secret: {secret}{guessed}" if secret else NOBODY_SAID
        parts = [f"an attacker may know {known}", said]
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
        day = f"{one.date.day} {one.date:%B %Y}"
        of_file = [
            ("Made on", f"{day} with version {one.version} of the toolkit"),
            ("SHA-256", one.sha256 or "none, as the table is not a single file"),
        ]
        return [
            ("Table", _name(one.table) if one.table else "the example of the toolkit"),
            ("Size", f"{one.records:,} records, {one.columns:,} columns"),
            *(of_file if one.table else []),
            ("Roles", self.roles[1]),
        ]

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """Each threshold: what it is about, asked, found, met or not.

        Sensitive columns of one result share a row, so that many of them fit one screen.
        """
        alike: dict[tuple[str, str], list[dict[Any, Any]]] = {}
        default = "" if self.decision.asked else " (default)"
        for row in self.decision.thresholds.to_dict("records"):
            alike.setdefault((row["model"], row["met"]), []).append(row)
        return [
            (
                plain_threshold(model, self.decision.person is not None)
                + (f", of {_few(of)}" if (of := [r["sensitive"] for r in some])[0] else ""),
                f"{some[0]['rule']} {_plain(float(some[0]['asked']))}{default}",
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
            return f"The table needs none: it meets them as it is. {one.exact}".strip()
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
        lines = [self.verdict, *([loud] if loud else []), *self.decision.first]
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
            f"<dt>{what}</dt><dd>{_escaped(text)}</dd>" for what, text in self.facts
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
            + "".join(f"<p>{_escaped(one)}</p>\n" for one in self.decision.first)
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
    texts = (f"{number:.{digits}g}" for digits in range(4, 18))
    return next(text for text in texts if float(text) != asked)


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
    kind = "" if cells[3] == SAID[MET] else ' class="report-missed"'
    texts = [*map(_escaped, cells[:3]), f"<b{kind}>{cells[3]}</b>"]
    parts = [
        f'<td data-label="{head}">{text}</td>' for head, text in zip(heads, texts, strict=True)
    ]
    return f"<tr>{''.join(parts)}</tr>"
