"""Treatments that can be written down: planned on a table, applied to it, and to the next one.

`plan_treatment` looks for the levels of least loss that meet the thresholds, and
`apply_treatment` makes the release: quasi-identifiers on their levels, sensitive columns as
they are, nothing else; rows in a random order. The record of a treatment holds the rules by
which labels are made, as far as the release shows them, and no cell that it does not show.
"""

from __future__ import annotations

import ast
import json
import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import __version__
from .._old import checking
from .._old.assuming import Assumptions, assume, column_names, person_numbers
from .._old.catalogue import THRESHOLDS
from .._old.grouping import encode, kind_of
from .._old.io.cells import read_numbers
from .._old.validation import check_enough_records, check_table, check_whole, listed, number
from .._typing import BoolArray, IntArray
from ..anonymisation import hierarchies as builders
from ..anonymisation.hierarchies import SuggestedHierarchy
from ..anonymisation.recode import labels_on_level
from ..anonymisation.release import one_kind, only_shown, text_of, without_traces
from .methods import Ladder, Plan, least_levels, meet, suggested_trees, usual_levels
from .roles import ROLES

FORMAT = "privacy toolkit treatment 1"


QUASI, SENSITIVE = ROLES[1], ROLES[2]


AS_IT_IS, HIDDEN, EVERYTHING = "as it is", "hidden", "*"


KINDS = {
    **dict.fromkeys(["integer", "floating", "decimal", "mixed-integer-float"], "numbers"),
    **dict.fromkeys(["datetime64", "datetime", "date"], "dates"),
    **{"string": "text", "empty": "nothing", "boolean": "truth values"},
}


TEXTS, PARQUET = (".csv",), (".parquet", ".pq")


class ThresholdsMissed(ValueError):
    """No release meets the thresholds, so there is none."""


class TreatedColumn(NamedTuple):
    """What becomes of a column that is released."""

    name: str
    role: str
    kind: str
    """What its cells are: "numbers", "text", "dates", …"""
    level: str = AS_IT_IS
    """Its level in words; "hidden" shows the same label in every cell."""
    rule: dict[str, Any] | None = None
    """How labels are made of cells: `call`, `arguments`, `options` and `level` of a builder of
    `toolkit.anonymisation.hierarchies`; or `keep` and `other` where rare values are pooled."""
    labels: pd.DataFrame | None = None
    """Value and label, where there is no rule: labels that cannot be made again."""
    heading: str = ""
    """Its name exactly as the table has it."""


PARTS = ("name", "role", "kind", "level", "rule", "heading")
"""What a record says of a column: all but labels that follow no rule."""


@dataclass(frozen=True, eq=False)
class Treatment:
    """What is done to a table, so that it can be done to the next one."""

    columns: tuple[TreatedColumn, ...]
    """The columns that are released, in their order."""
    thresholds: Mapping[str, float]
    """As for `check_privacy`."""
    suppression_limit: float = checking.SUPPRESSED
    """Share of the records that may be taken out."""
    person: str | None = None
    """Column that says whose a record is, which is not released: k and risk count people."""

    @property
    def quasi_identifiers(self) -> list[str]:
        """Columns that an attacker may know, in their order."""
        return [one.name for one in self.columns if one.role == QUASI]

    @property
    def sensitive(self) -> list[str]:
        """Columns that are to be kept from the attacker, in their order."""
        return [one.name for one in self.columns if one.role == SENSITIVE]

    @property
    def levels(self) -> dict[str, str]:
        """Level of each quasi-identifier, in words."""
        return {one.name: one.level for one in self.columns if one.role == QUASI}

    def __repr__(self) -> str:
        """Name levels and thresholds; no cell is shown."""
        people = "" if self.person is None else f", person={self.person!r}"
        asked = dict(self.thresholds)
        return f"Treatment(levels={self.levels}, thresholds={asked}{people})"

    def to_record(self) -> dict[str, Any]:
        """Write the treatment as what JSON has; nothing that its release does not show.

        Returns
        -------
        dict
            `format`, `thresholds`, `suppression_limit`, `person` and `columns`. A column whose
            labels follow no rule has none in it either, and a record with such a column cannot
            be applied again.
        """
        columns = [{part: getattr(one, part) for part in PARTS} for one in self.columns]
        return {
            "format": FORMAT,
            "thresholds": checking._plain(dict(self.thresholds)),
            "suppression_limit": self.suppression_limit,
            "person": self.person,
            "columns": columns,
        }

    @classmethod
    def from_record(cls, record: Any) -> Treatment:
        """Read a treatment from a record, which is checked.

        Parameters
        ----------
        record : mapping
            Result of `to_record`, perhaps with more entries.

        Returns
        -------
        Treatment

        Raises
        ------
        TypeError, ValueError
            If it is no record of a treatment, or one that cannot be applied again.
        """
        if not isinstance(record, Mapping) or record.get("format") != FORMAT:
            raise ValueError(
                f"record must be what `treat` wrote: an object whose format is {FORMAT!r}."
            )
        try:
            columns = tuple(_column_of(one) for one in record["columns"])
            written = record["thresholds"].items()
            asked = {name: math.inf if one == "inf" else one for name, one in written}
            thresholds = checking.check_thresholds(asked)
            limit, person = _share(record["suppression_limit"]), record.get("person")
            others = [one.name for one in columns]
            if person is not None and (not isinstance(person, str) or person in others):
                raise ValueError(f"record: person {person!r:.60} is no column of its own.")
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"record is not complete ({type(error).__name__}: {error})."
            ) from None
        return cls(columns, thresholds, limit, person)


class Outcome(NamedTuple):
    """A release and what it cost."""

    released: pd.DataFrame
    """Rows in a random order, under new numbers."""
    kept: BoolArray
    """Which records of the table are in it."""
    plan: Plan
    assumed: Assumptions
    guesses_before: float
    guesses_after: float
    """Share of the records whose person is found by a guess within their class."""
    who: pd.Series | None = None
    """Number of the person of each row of the release, which is kept aside; or missing."""


def plan_treatment(
    data: pd.DataFrame,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    thresholds: Mapping[str, float] | None = None,
    suppression_limit: float = checking.SUPPRESSED,
    hierarchies: Mapping[Any, SuggestedHierarchy] | None = None,
    levels: Mapping[Any, int] | None = None,
    person: Any = None,
) -> Treatment:
    """Plan a treatment: the levels of least loss that meet the thresholds, or given ones.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers, sensitive : column, or list of columns, optional
        Roles, by name or position; where nothing is named `suggest_roles` decides. All other
        columns are left out of the release.
    thresholds : mapping, optional
        What the release must meet, such as ``{"k": 5, "l": 2}``: thresholds of
        `check_privacy` that need no population; k = 5 by default.
    suppression_limit : float
        Share of the records that may be taken out, from 0 to 1.
    hierarchies : mapping, optional
        `SuggestedHierarchy` of some columns, by name; the others get a suggested one.
    levels : mapping, optional
        Level of each quasi-identifier, 0 where one is not named. Without, they are searched.
    person : column, optional
        What is equal on all records of one person, or house. It is not released, and k and
        risk count people, as for `check_privacy`.

    Returns
    -------
    Treatment

    Raises
    ------
    TypeError, ValueError
        As `assume`, or if a threshold cannot be measured.
    ThresholdsMissed
        If no levels meet the thresholds, or the given ones do not.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    >>> plan_treatment(data, "age", "ill", thresholds={"k": 2})
    Treatment(levels={'age': 'by 4'}, thresholds={'k': 2})
    """
    assumed = assume(data, quasi_identifiers, sensitive, person=person)
    asked = _askable(thresholds, assumed)
    limit = _share(suppression_limit)
    known = assumed.quasi_identifiers
    given = {name: tree for name, tree in (hierarchies or {}).items() if name in known}
    rest = [name for name in known if name not in given]
    trees = given | suggested_trees(assumed.data, assumed.coded, rest)
    ladder = _ladder(assumed, asked, trees)
    if levels is None:
        others = [ladder.on(usual) for _, _, usual in usual_levels(ladder)]
        found = least_levels(ladder, limit, others)
    else:
        found = meet(ladder, ladder.on(_chosen(ladder, levels)), limit)
    if found is None:
        raise ThresholdsMissed(_missed(asked, limit, levels is None))
    headings = dict(zip(column_names(data.columns)[0], map(str, data.columns), strict=True))
    columns = _columns(assumed, ladder, found)
    columns = [one._replace(heading=headings[one.name]) for one in columns]
    return Treatment(tuple(columns), asked, limit, assumed.person)


def _ladder(
    assumed: Assumptions, asked: Mapping[str, float], trees: Mapping[str, SuggestedHierarchy]
) -> Ladder:
    """Quasi-identifiers of a table on all levels of their hierarchies."""
    roles = assumed.quasi_identifiers, assumed.sensitive
    return Ladder(assumed.data, assumed.coded, *roles, asked, trees, assumed.numbers)


def apply_treatment(data: pd.DataFrame, treatment: Treatment) -> pd.DataFrame:
    """Make the release of a table: its columns treated, records taken out, rows shuffled.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table that the treatment was planned on, or one with the same columns.
    treatment : Treatment
        Result of `plan_treatment`, or of `Treatment.from_record`.

    Returns
    -------
    DataFrame
        Nothing but what is released (see `without_traces`): rows in an order that the
        operating system draws, numbered from 0; columns in the order of the treatment.

    Raises
    ------
    TypeError, ValueError
        If a column is not there, or its cells do not fit its rule. No cell is quoted.
    ThresholdsMissed
        If the release would miss a threshold.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    >>> treatment = plan_treatment(data, "age", "ill", thresholds={"k": 2})
    >>> apply_treatment(data, treatment).sort_values(["age", "ill"])["age"].tolist()
    ['[16, 20)', '[16, 20)', '[36, 40)', '[36, 40)']
    """
    return carry_out(data, treatment).released


def carry_out(data: pd.DataFrame, treatment: Treatment) -> Outcome:
    """Make the release, and say what it cost; parameters and errors of `apply_treatment`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    >>> treatment = plan_treatment(data, "age", "ill", thresholds={"k": 2})
    >>> carry_out(data, treatment).guesses_after
    0.5
    """
    check_table(data)
    places = [_place_of(data, one.name, one.heading) for one in treatment.columns]
    names = pd.Index([one.name for one in treatment.columns], dtype=object)
    table = data.iloc[:, places].set_axis(names, axis=1)
    assumed = assume(table, treatment.quasi_identifiers, treatment.sensitive)
    if treatment.person is not None:
        column = data.iloc[:, _place_of(data, treatment.person)]
        assumed = assumed._replace(person=treatment.person, who=person_numbers(column))
    _check_kinds(assumed, treatment)
    planned = [one for one in treatment.columns if one.role == QUASI]
    made = {one.name: _labels(assumed.data[one.name], one) for one in planned}
    trees = {name: tree for name, tree in made.items() if tree is not None}
    levels = [int(one.level != AS_IT_IS) for one in planned]
    asked, limit, who = treatment.thresholds, treatment.suppression_limit, assumed.numbers
    ladder = _ladder(assumed, asked, trees)
    plan = meet(ladder, ladder.on(levels), limit)
    if plan is None:
        raise ThresholdsMissed(_missed(asked, limit, False))
    kept = plan.ids >= 0
    before = ladder.on([0] * len(levels))
    given = data.columns[places]  # as the table has them, if they are texts that differ
    if all(isinstance(name, str) for name in given) and given.is_unique:
        names = given
    order = _random_order(int(kept.sum()))
    released = _released(table, assumed, ladder, plan, order).set_axis(names, axis=1)
    guesses = checking.right_guesses(before.ids, who), checking.right_guesses(plan.ids, who)
    aside = assumed.who
    if aside is not None:
        aside = aside[kept].iloc[order].reset_index(drop=True)
    return Outcome(released, kept, plan, assumed, *guesses, aside)


def release_bytes(released: pd.DataFrame, suffix: str) -> bytes:
    r"""Write a release as the bytes of a file.

    Parameters
    ----------
    released : DataFrame
        Result of `apply_treatment`.
    suffix : {".csv", ".parquet", ".pq"}
        What kind of file.

    Raises
    ------
    ValueError
        If the suffix is none of these, or Parquet cannot hold a column.

    Examples
    --------
    >>> release_bytes(pd.DataFrame({"age": ["[16, 20)"], "ill": ["flu"]}), ".csv")
    b'age,ill\n"[16, 20)",flu\n'
    """
    ending = suffix.lower()
    if ending in TEXTS:
        return str(released.to_csv(index=False, lineterminator="\n")).encode()
    if ending not in PARQUET:
        raise ValueError(
            f"a release is a file that ends in {', '.join([*TEXTS, *PARQUET])}; got"
            f" {suffix!r}."
        )
    try:
        return bytes(released.to_parquet(index=False))
    except (ValueError, TypeError, NotImplementedError):  # whose message may quote a cell
        raise ValueError("a column cannot be written to Parquet; write a .csv.") from None


def release_record(
    treatment: Treatment,
    outcome: Outcome,
    judged: pd.DataFrame,
    before: str | None,
    after: str,
    answer: str,
    *,
    day: date | None = None,
) -> dict[str, Any]:
    """Record of a release: the treatment, and what is true of the file that was written.

    Parameters
    ----------
    treatment : Treatment
        What was done.
    outcome : Outcome
        Result of `carry_out`.
    judged : DataFrame
        Result of `judged_thresholds` on the release.
    before, after : str
        SHA-256 of the table's file (or None) and of the release's.
    answer : str
        What was asked and met, and what was not asked.
    day : date, optional
        Today's by default.

    Returns
    -------
    dict
        What JSON has. The hash of the table is no secret, but somebody who knows all of the
        table but a little can try guesses with it: keep the record with the table.
    """
    return {
        "answer": answer,
        **treatment.to_record(),
        "version": __version__,
        "date": (date.today() if day is None else day).isoformat(),
        "sha256_before": before,
        "sha256_after": after,
        "records_released": len(outcome.released),
        "records_taken_out": outcome.plan.taken_out,
        "loss": round(outcome.plan.loss, 3),
        "found": checking._plain(judged[["model", "sensitive", "asked", "found"]]),
    }


def _place_of(data: pd.DataFrame, name: str, heading: str | None = None) -> int:
    """Place in a table of a column by its heading, exactly; or by the name that it goes by."""
    known, _ = column_names(data.columns)
    same = [j for j, one in enumerate(data.columns) if str(one) == (heading or name)]
    if len(same) == 1:
        return same[0]
    if name not in known or (heading and not same):
        raise ValueError(
            f"the table has no column {heading or name!r}, which the record treats; it has"
            f" {listed(map(str, data.columns))}."
        )
    return known.index(name)


def _share(limit: Any) -> float:
    return float(number(limit, "suppression_limit", "[0, 1]", "a share from 0 to 1"))


def _askable(thresholds: Mapping[str, float] | None, assumed: Assumptions) -> dict[str, float]:
    """Thresholds that can be measured on a release; k = 5 where nothing is asked."""
    asked = checking.check_thresholds(thresholds) or {"k": checking.DEFAULT_K}
    check_enough_records(int(asked.get("k", 1)), len(assumed.data))
    people = [name for name in asked if name not in checking.WITHOUT_PEOPLE]
    if people:
        raise ValueError(
            f"{listed(people)} is about a population, and no treatment is measured against"
            f" one; ask for {listed(checking.WITHOUT_PEOPLE)}."
        )
    of_values = [name for name in asked if name not in ("k", "risk")]
    if of_values and not assumed.sensitive:
        raise ValueError(
            f"{listed(of_values)} is about sensitive values, and no column is sensitive; name"
            f" one as sensitive."
        )
    checking.check_columns_of_secrets(asked, assumed)
    return asked


def _missed(asked: Mapping[str, float], limit: float, searched: bool) -> str:
    """Why there is no release, in a sentence."""
    wanted = ", ".join(
        f"{name} {THRESHOLDS[name].rule} {one:g}" for name, one in asked.items()
    )
    what = "no levels of the columns meet" if searched else "the release does not meet"
    return (
        f"{what} {wanted} with at most {100 * limit:.3g} % of the records taken out, so"
        f" nothing was written; ask for less, take more records out (a greater suppression"
        f" limit), or leave out columns that nobody needs."
    )


def _chosen(ladder: Ladder, levels: Mapping[Any, int]) -> list[int]:
    """Level of each quasi-identifier, of those that somebody chose."""
    strange = [name for name in levels if name not in ladder.columns]
    if strange:
        raise ValueError(
            f"levels names {listed(strange)}; the quasi-identifiers are"
            f" {listed(ladder.columns)}."
        )
    return [
        check_whole(levels.get(name, 0), f"level of {name!r}", 0, height, "a level")
        for name, height in zip(ladder.columns, ladder.heights, strict=True)
    ]


def _columns(assumed: Assumptions, ladder: Ladder, plan: Plan) -> list[TreatedColumn]:
    """What becomes of each column that is released, in the order of the table."""
    found = []
    for name, role in zip(assumed.columns["column"], assumed.columns["role"], strict=True):
        if role == SENSITIVE:
            found.append(TreatedColumn(name, role, _kind(assumed.data[name])))
        elif role == QUASI:
            found.append(_planned(assumed.data[name], ladder, plan))
    return found


def _planned(column: pd.Series, ladder: Ladder, plan: Plan) -> TreatedColumn:
    """A quasi-identifier on its level, with the rule that makes its labels again."""
    name = str(column.name)
    j = ladder.columns.index(name)
    level, kind = plan.levels[j], _kind(column)
    words = ladder.level_name(j, level)
    if words == AS_IT_IS:
        return TreatedColumn(name, QUASI, kind)
    if level == ladder.heights[j]:
        return TreatedColumn(name, QUASI, kind, HIDDEN, {"call": HIDDEN})
    tree = ladder.trees[name]
    labels = tree.iloc[:, [0, level]].set_axis([0, 1], axis=1)
    shown = labels_on_level(labels, _values(column[plan.ids >= 0]), name, 1)
    rule = _rule(tree, level, column, labels, {_text(one) for one in shown})
    return TreatedColumn(name, QUASI, kind, words, rule, None if rule else labels)


def _values(column: pd.Series) -> pd.Index:
    """Values of a column, once each."""
    (values,) = encode(column.to_frame()).values
    known: pd.Index = values.astype(column.dtype)
    return known


def _kind(column: pd.Series) -> str:
    """What the cells of a column are, roughly."""
    return KINDS.get(kind_of(pd.Index(column.dropna())), "other")


def _rule(
    tree: SuggestedHierarchy,
    level: int,
    column: pd.Series,
    labels: pd.DataFrame,
    shown: set[str],
) -> dict[str, Any] | None:
    """Rule that makes the labels of a level again, and says no more than these do."""
    call = _parsed(tree)
    if call is None:
        return None
    if call["call"] == "rare_value_hierarchy":
        return _pool(labels, shown)
    rules = [{**call, "level": level}]
    first = call["arguments"][0] if call["arguments"] else None
    if isinstance(first, list) and 0 < level <= len(first):  # its own part says enough
        own = [[first[level - 1]], *call["arguments"][1:]]
        rules.insert(0, {**call, "arguments": own, "level": 1})
    values = _values(column)
    wanted = labels_on_level(labels, values, column.name, 1).astype(object)
    for rule in rules:
        try:
            made = _made(rule, values, str(column.name))
        except (TypeError, ValueError, OverflowError):
            continue
        if made.astype(object).equals(wanted):
            lengths = {len(label) for label in shown}
            if rule["call"] == "prefix_hierarchy" and len(lengths) == 1:
                rule["length"] = lengths.pop()
            if unit := _number_texts(rule, values)[1]:
                rule["unit"] = unit
            hidden = {one for one in values if isinstance(one, str)} - shown
            return None if hidden & {*_texts([rule["arguments"], rule["options"]])} else rule
    return None


def _parsed(tree: SuggestedHierarchy) -> dict[str, Any] | None:
    """Call that builds a hierarchy, in parts; None if it is more than plain values."""
    if tree.source[0] != builders.__name__ or tree.source[1] not in _builders():
        return None
    try:
        call = ast.parse(tree.code.replace("{}", "_", 1), mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        return {
            "call": tree.source[1],
            "arguments": [ast.literal_eval(one) for one in call.args[1:]],
            "options": {str(one.arg): ast.literal_eval(one.value) for one in call.keywords},
        }
    except (SyntaxError, ValueError):
        return None


def _builders() -> dict[str, Any]:
    """Functions that build a hierarchy from the values of a column."""
    own = {name: one for name, one in vars(builders).items() if name.endswith("_hierarchy")}
    readers = ("read_hierarchy", "write_hierarchy", "suggest_hierarchy", "check_hierarchy")
    return {name: one for name, one in own.items() if name not in readers}


def _pool(labels: pd.DataFrame, shown: set[str]) -> dict[str, Any]:
    """Values that the release shows, and the name of the pool of all others."""
    values, cells = labels[0].astype(object), labels[1].astype(object)
    same = np.asarray((values == cells) | (values.isna() & cells.isna()), bool)
    pooled, names = [[_text(one) for one in cells[some]] for some in (~same, same)]
    return {
        "keep": sorted({name for name in names if name in shown} - set(pooled)),
        "other": pooled[0] if pooled else "other",
    }


def _text(cell: Any) -> str:
    """Text of a cell, the same for 5 and 5.0."""
    text = str(text_of(cell))
    return text.removesuffix(".0") if isinstance(cell, float) else text


def _texts(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    if isinstance(part, Mapping):
        part = [*part.keys(), *part.values()]
    return [text for one in part for text in _texts(one)] if isinstance(part, list) else []


def _made(rule: Mapping[str, Any], values: pd.Index, name: str) -> pd.Series:
    """Labels of values by a rule."""
    column = pd.Series(values, name=name)
    if "keep" in rule:
        keep = set(rule["keep"])
        cells = column.astype(object)
        there = np.array([_text(one) in keep for one in cells], bool)
        return cells.where(there, rule["other"])
    build = _builders()[rule["call"]]
    tree = build(column, *rule["arguments"], **rule["options"])
    return labels_on_level(tree, values, name, rule["level"])


def _number_texts(rule: Mapping[str, Any], values: pd.Index) -> tuple[str | None, str]:
    """Decimal mark and unit of numbers that are texts: None and "" if nothing tells."""
    texts = [one for one in values if isinstance(one, str)]
    if "decimal" not in rule.get("options", {}) or not texts:
        return None, ""
    found = read_numbers(texts)
    marked = any(re.search(r"\d[.,]\d", one) for one in texts)
    return found.decimal if found.sure and marked else None, found.unit


def _labels(column: pd.Series, treated: TreatedColumn) -> SuggestedHierarchy | None:
    """Hierarchy of one level besides the values and the top; none for these two."""
    rule = treated.rule or {}
    if treated.level == AS_IT_IS or rule.get("call") == HIDDEN:
        return None
    values = _values(column)
    try:
        if treated.rule is None:
            labels = labels_on_level(treated.labels, values, treated.name, 1)
        else:
            labels = _made(rule, values, treated.name)
        decimal, unit = _number_texts(rule, values)
        known = rule.get("options", {}).get("decimal", decimal)
        if decimal not in (None, known) or unit != rule.get("unit", unit):
            raise ValueError("1,234 € where it was 1.234,00 €, or months where it was years")
        length = rule.get("length")
        if length and any(len(str(one)) != length for one in labels if one != "missing"):
            raise ValueError("length")
    except (TypeError, ValueError, OverflowError, KeyError):  # the message may quote a cell
        raise ValueError(
            f"cells of column {treated.name!r} do not fit its hierarchy ({treated.level}), so"
            " nothing was written; write them as in the first table, or plan a new treatment."
        ) from None
    cells = pd.Series(values, dtype=object)
    tree = pd.DataFrame({0: cells, 1: labels.astype(object), 2: EVERYTHING})
    names = (AS_IT_IS, treated.level, HIDDEN)
    return SuggestedHierarchy(tree, names, "", ("", ""))


def _check_kinds(assumed: Assumptions, treatment: Treatment) -> None:
    """Refuse cells of another kind than the first table had."""
    for one in treatment.columns:
        now = _kind(assumed.data[one.name])
        if "nothing" not in (now, one.kind) and now != one.kind:
            raise ValueError(
                f"column {one.name!r} held {one.kind} in the first table and holds {now} now,"
                f" so nothing was written; write it as before, or plan a new treatment."
            )


def _released(
    table: pd.DataFrame,
    assumed: Assumptions,
    ladder: Ladder,
    plan: Plan,
    order: IntArray,
) -> pd.DataFrame:
    """Cells that are released, in an order."""
    levels = dict(zip(ladder.columns, plan.levels, strict=True))
    columns = {}
    for name in table.columns:
        if levels.get(name):
            j = ladder.columns.index(name)
            labels = pd.Series(one_kind(ladder.cells(j, levels[name])), dtype=object)
            columns[name] = labels.take(ladder.encoded.codes[j]).reset_index(drop=True)
        else:
            columns[name] = table[name].reset_index(drop=True)
            # Cells of several kinds are released as they were compared.
            if columns[name].dtype == object and kind_of(pd.Index(columns[name])) not in KINDS:
                columns[name] = assumed.data.get(name, table[name])
    frame = only_shown(pd.DataFrame(columns), plan.ids >= 0)
    frame = frame.iloc[order].reset_index(drop=True)
    return without_traces(frame.infer_objects())


def _random_order(rows: int) -> IntArray:
    """Order of rows, drawn by the operating system."""
    drawn = np.frombuffer(secrets.token_bytes(8 * rows), np.uint64)
    return np.argsort(drawn, kind="stable")


def _column_of(written: Mapping[str, Any]) -> TreatedColumn:
    """Column of a record, checked."""
    name, role, kind, level, rule, heading = (written[part] for part in PARTS)
    if role not in (QUASI, SENSITIVE) or not isinstance(name, str):
        raise ValueError(f"record: column {name!r:.60} has no role that is released.")
    if level == AS_IT_IS:
        return TreatedColumn(name, role, kind, heading=str(heading))
    if rule is None:
        raise ValueError(
            f"record: the labels of column {name!r} follow no rule that the release shows, so"
            f" they cannot be made again; plan a new treatment."
        )
    if "keep" in rule:
        rule = {"keep": [str(one) for one in rule["keep"]], "other": str(rule["other"])}
    elif rule.get("call") == HIDDEN:
        rule = {"call": HIDDEN}
    else:
        if rule["call"] not in _builders():
            raise ValueError(f"record: there is no hierarchy {rule['call']!r:.60}.")
        if not isinstance(rule["options"], dict):
            raise ValueError(f"record: the rule of column {name!r} is none.")
        parts = {key: rule[key] for key in ("call", "arguments", "options", "level")}
        rule = parts | {key: rule[key] for key in ("length", "unit") if key in rule}
    return TreatedColumn(name, role, kind, str(level), rule, heading=str(heading))


def load_record(path: Any) -> Any:
    """Read the record of a treatment from a file of JSON.

    Parameters
    ----------
    path : path
        A file that `treat` wrote.

    Raises
    ------
    OSError, ValueError
        If it is not there, or no JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{str(path)!r} is no record of a treatment: no JSON.") from None
