"""Privacy metrics of a table in one report, and a check for data pipelines.

`check_privacy` measures and compares with thresholds; `assert_privacy` raises where one is
missed. Both name the class and the value that set each number, and the records that violate.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import IntArray, table_of
from ..report.roles import QUASI, SENSITIVE, suggest_roles
from .assuming import Assumptions
from .attribute import distance_meant, distances, recursive_ratios
from .catalogue import FORMULAS, MODELS, THRESHOLDS, Model
from .classes import (
    SEVERAL,
    ClassNumbers,
    ClassTable,
    EquivalenceClasses,
    as_classes,
    ask,
    check_no_person,
    equivalence_classes,
)
from .grouping import RANKED, kind_of
from .membership import in_population
from .typing import cell as cell_of, html_table
from .validation import (
    check_choice,
    check_threshold,
    folded,
    listed,
    several_spellings,
)

SIGNS = (
    {code: 0x2400 + code for code in range(32)}
    | {0x7F: "␡"}
    | dict.fromkeys([*range(0x80, 0xA0), 0x2028, 0x2029], "␣")
    | dict.fromkeys(
        [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "␣"
    )
    | dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
)
"""A sign for each control (of terminals, lines, direction of writing) and half of a pair."""


OPTIONS = ("population", "kind", "several", "missing", "person")


DEFAULT_K = 5
"""Least number of records in a class if no threshold is asked for."""


SUPPRESSED = 0.05
"""Share of the records that may be taken out, if nothing else is said."""


OF_PEOPLE = ("k_map", "presence_lower", "presence_upper")
"""Thresholds that need a population."""


WITHOUT_PEOPLE = tuple(name for name in THRESHOLDS if name not in OF_PEOPLE)
"""Thresholds that need none."""


class Measure(NamedTuple):
    """Numbers of each class by a model, and which of them a row of the report is about."""

    model: Model
    numbers: ClassNumbers
    name: str
    sensitive: Hashable = None
    setting: str | None = None


@dataclass(frozen=True, eq=False)
class PrivacyReport:
    """The result of `check_privacy`."""

    table: pd.DataFrame
    """A row per metric: `metric`, its `setting`, `sensitive` column, `value`, `must_be` (how
    it compares with the) `threshold`, `satisfied`, the `worst_class` and `worst_value` that
    set the value, and `rows_violating`. What is not asked or does not apply is None, such as
    the value of a gain of 0; a class or value that is missing in the data is missing here."""
    facts: dict[str, Any]
    """What was measured: records, classes, missing cells and suppressed rows."""
    marks: dict[tuple[str, Hashable], Callable[[], Any]]

    @property
    def satisfied(self) -> bool | None:
        """Whether every threshold is met; None if there is none."""
        asked = [one for one in self.table["satisfied"] if one is not None]
        return all(asked) if asked else None

    def violations(self, metric: str, sensitive: Hashable = None) -> pd.Series:
        """Mark the records that violate the threshold of a metric; index of the data."""
        found = [key for key in self.marks if key[0] == metric and sensitive in (None, key[1])]
        if len(found) != 1:
            names = [name if column is None else (name, column) for name, column in self.marks]
            raise ValueError(
                f"metric must be one that has a threshold ({listed(names)}); got {metric!r}"
                f" for sensitive={sensitive!r}."
            )
        mark: pd.Series = self.marks[found[0]]()
        return mark

    def to_json(self) -> str:
        """Write the report as strict JSON: infinity is "inf", None or missing is null."""
        report = {"satisfied": self.satisfied, **self.facts, "metrics": self.table}
        return json.dumps(_plain(report), allow_nan=False)

    def __str__(self) -> str:
        """List the metrics, a line each."""
        return "\n".join(_sentence(row) for row in rows_of(self.table))

    __repr__ = __str__  # what a console and a notebook without HTML show

    def _repr_html_(self) -> str:
        head = [cell_of(name.replace("_", " "), "th") for name in self.table.columns]
        rows = [_html_row(row) for row in rows_of(self.table)]
        facts = "; ".join(
            f"{html.escape(name.replace('_', ' '))}:"
            f" <bdi>{html.escape(visible(_shown(fact)))}</bdi>"
            for name, fact in self.facts.items()
        )
        return f"<p>{facts}</p>{html_table([head, *rows])}"


def check_privacy(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    k: int | None = None,
    k_map: int | None = None,
    risk: float | None = None,
    presence_lower: float | None = None,
    presence_upper: float | None = None,
    alpha: float | None = None,
    l: int | None = None,  # noqa: E741
    entropy_l: float | None = None,
    c: float | None = None,
    beta: float | None = None,
    enhanced_beta: float | None = None,
    delta: float | None = None,
    t: float | None = None,
    population: Any = None,
    kind: Any = "auto",
    several: str = "separate",
    missing: str = "category",
    person: Any = None,
) -> PrivacyReport:
    """Measure a table by every metric that applies, and compare with thresholds.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), EquivalenceClasses or EngineTable
        The table; or its class table, which has the roles of the columns settled. See
        `open_table` for tables that stay in an engine.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins.
    sensitive : column, or list of columns, optional
        What is to be kept from the attacker.
    k, k_map, l, entropy_l, presence_lower : optional
        Least allowed `k_anonymity`, `k_map`, `l_diversity`, `entropy_l_diversity` and lower
        end of `delta_presence`.
    risk, presence_upper, alpha, beta, enhanced_beta, t : optional
        Greatest allowed `reidentification_risk` (the journalist's where there is a population,
        else the prosecutor's), upper end of `delta_presence`, `alpha_k_anonymity`,
        `basic_beta_likeness`, `enhanced_beta_likeness` and `t_closeness`.
    c, delta : optional
        What `recursive_cl_diversity` (for `l`, else for the distinct l of the table) and
        `delta_disclosure` must stay below.
    population : DataFrame or EquivalenceClasses, optional
        Everyone the records may be about.
    kind : {"auto", "ordered", "equal"}, hierarchy, or mapping from column to one of these
        Distance of `t_closeness`, which the report names. Whole numbers are equally far apart
        unless they are said to be "ordered".
    several : {"separate", "as quasi-identifier", "joint"}
        What to do with several sensitive columns, as for `sensitive_tables`.
    missing : {"category", "drop", "wildcard"}
        What a missing cell is, as for `equivalence_classes`. A record that "drop" leaves out
        for its sensitive value counts for the metrics of identity, such as k.
    person : column, optional
        What is equal on all records of one person, or house: k, risk and presence then count
        these, as for `record_class_sizes`. All else counts records. A `population` has a row
        for each person; or it is a class table, made with ``person=`` of its own.

    Returns
    -------
    PrivacyReport
        Its `table` has a row per metric; `satisfied`, `violations`, `to_json` say more.

    Raises
    ------
    TypeError, ValueError
        As the metrics, or if a threshold is out of range or has nothing to measure.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> report = check_privacy(data, "town", "illness", k=2, t=0.5)
    >>> report.table.loc[[0], ["metric", "value", "threshold", "satisfied", "worst_class"]]
            metric value threshold satisfied worst_class
    0  k_anonymity     1         2     False           B
    >>> report.violations("k_anonymity").tolist()
    [False, False, True]
    >>> report.satisfied
    False
    """
    given = locals()
    if quasi_identifiers is None and isinstance(frame := table_of(data), pd.DataFrame):
        quasi, secret = suggested_names(frame)
        raise TypeError(
            f"quasi_identifiers must be named, as they are never guessed; look at each column,"
            f" then paste what is right of this suggestion: quasi_identifiers={quasi},"
            f" sensitive={secret}."
        )
    asked = check_thresholds({name: given[name] for name in THRESHOLDS})
    known: dict[Hashable, ClassTable] = {}
    classes: ClassTable
    if isinstance(data, EquivalenceClasses):
        as_classes(data, quasi_identifiers, sensitive, missing, wants_sensitive=False)
        check_no_person(person)
        classes = data
        if data.counts is not None:
            known[data.counts.name] = data
    else:
        check_choice(several, "several", SEVERAL)
        table = ask(data, quasi_identifiers)
        if population is not None:
            table = table.beside(population, missing)
        options: Any = {"missing": missing, "person": person, "anywhere": True}
        if sensitive is not None:
            known = table.by_secret(sensitive, several, **options)
        # Of one table, unless it lacks who has no sensitive value
        same = len(known) == 1 or (known and several != "as quasi-identifier")
        if same and missing != "drop":
            classes = next(iter(known.values()))
        else:
            classes = table.classify([], **options)
    if isinstance(kind, dict):
        check_per_sensitive(kind, list(known))
    for owner, secrets in known.items():
        check_secrets(asked, owner, secrets)
    measures = _measures(asked, classes, known, population, kind, l)
    # Of models that share a threshold, the last one is compared: the journalist's risk.
    compared = {one.model.keyword: one.model for one in measures}
    rows = []
    marks: dict[tuple[str, Hashable], Callable[[], Any]] = {}
    for one in measures:
        judged = compared[one.model.keyword] is one.model
        threshold = asked.get(one.model.keyword) if judged else None
        names = {"metric": one.model.name, "setting": one.setting, "sensitive": one.sensitive}
        rows.append(names | one.numbers.judge(one.name, one.model, threshold)._asdict())
        if threshold is not None:
            mark = partial(one.numbers.mark, one.name, one.model, threshold)
            marks[one.model.name, one.sensitive] = mark
    lacks = sum(one.facts().rows_with_missing_sensitive for one in known.values())
    facts = classes.facts()._replace(rows_with_missing_sensitive=lacks)
    return PrivacyReport(pd.DataFrame(rows, dtype=object), facts._asdict(), marks)


def check_secrets(asked: Iterable[str], name: Hashable, table: ClassTable) -> None:
    """Refuse thresholds of secrets where these count more than there is to learn.

    A value that says nothing, or one value in several spellings, makes a class look diverse;
    so does a person who has several records in it.
    """
    about = next((one for one in asked if THRESHOLDS[one].about == "values"), None)
    if about is None:
        return
    values, records, _ = table.secrets
    lacks, texts = np.asarray(values.isna()), []
    if kind_of(values) not in RANKED:
        texts = [folded(value) for value in values]
        parts = [text if isinstance(text, tuple) else (text,) for text in texts]
        lacks = np.array([not {"", "*"}.isdisjoint(part) for part in parts])
    if lacks.any():
        count = int(records[lacks].sum())
        raise ValueError(
            f"sensitive: {name!r} is missing in {count:,} record{'s' * (count > 1)}, and"
            f" {about} would count that as a value; fill it, or take it out."
        )
    if len({*texts}) < len(texts):
        raise several_spellings(f"sensitive: {name!r}", texts)
    if isinstance(table, EquivalenceClasses) and (table.sizes > table.matches).any():
        raise ValueError(
            f"person: {about} counts records, and a class holds more records than people; take"
            f" one record for each person, or leave {about} out."
        )


def check_columns_of_secrets(asked: Collection[str], assumed: Assumptions) -> None:
    """Refuse thresholds of secrets that a treatment of a table could not keep."""
    about = next((one for one in asked if THRESHOLDS[one].about == "values"), None)
    if about is None:
        return
    for name in assumed.sensitive:
        check_secrets(asked, name, equivalence_classes(assumed.coded, [], name))
    if assumed.who is not None and assumed.who.dropna().duplicated().any():
        raise ValueError(
            f"person: {about} counts records, and a person has several; take one record for"
            f" each person, or leave {about} out."
        )


def suggested_names(data: pd.DataFrame) -> tuple[list[Any], list[Any]]:
    """Names of the suggested quasi-identifiers, and of the suggested sensitive columns.

    Examples
    --------
    >>> suggested_names(pd.DataFrame({"age": [17, 39], "illness": ["flu", "hiv"]}))
    (['age'], ['illness'])
    """
    names = suggest_roles(data).groupby("role", sort=False)["column"].apply(list)
    return names.get(QUASI, []), names.get(SENSITIVE, [])


def threshold_violations(
    table: EquivalenceClasses,
    k: int,
    l: int,  # noqa: E741
    t: float,
    beta: float,
    *,
    kind: Any = "auto",
) -> pd.DataFrame:
    """Which classes and how many rows violate each of four thresholds, or any.

    Parameters
    ----------
    table : EquivalenceClasses
        Class table with a sensitive column.
    k, l, t, beta
        Thresholds of `check_privacy`.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of `t_closeness`.

    Returns
    -------
    DataFrame of shape (5, 4)
        `classes` and `rows` that violate, the `share` of rows, and `marks`, an array with a
        Boolean per class. Indexed by the thresholds; "any of them" comes last.

    Examples
    --------
    >>> from toolkit._old.classes import equivalence_classes
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> classes = equivalence_classes(data, "town", "illness")
    >>> threshold_violations(classes, 2, 2, 0.5, 1)[["classes", "rows"]].T
             k ≥ 2  ℓ ≥ 2  t ≤ 0.5  β ≤ 1  any of them
    classes      1      1        0      0            1
    rows         1      1        0      0            1
    """
    asked: dict[str, Any] = {"k": k, "l": l, "t": t, "beta": beta}
    report = check_privacy(table, kind=kind, **asked)
    marks = []
    for keyword in asked:
        model = THRESHOLDS[keyword]
        owner = table.sensitive.name if model.about == "values" else None
        violating = report.violations(model.name, owner).to_numpy(bool)
        marks.append(np.bincount(table.ids[violating], minlength=len(table.sizes)) > 0)
    marks.append(np.logical_or.reduce(marks))
    rows = [int(table.sizes[mark].sum()) for mark in marks]
    found = {
        "classes": [int(mark.sum()) for mark in marks],
        "rows": rows,
        "share": [count / table.n_records for count in rows],
        "marks": marks,
    }
    names = [f"k ≥ {k}", f"ℓ ≥ {l}", f"t ≤ {t:g}", f"β ≤ {beta:.3g}", "any of them"]
    return pd.DataFrame(found, index=names)


def check_thresholds(thresholds: Mapping[str, Any] | None) -> dict[str, float]:
    """Return thresholds of the models; one that is None is not asked for."""
    given = {name: one for name, one in (thresholds or {}).items() if one is not None}
    strange = [name for name in given if name not in THRESHOLDS]
    if strange:
        raise ValueError(
            f"thresholds names {listed(strange)}; there are {listed(THRESHOLDS)}."
        )
    asked = {}
    for name, one in given.items():
        model = THRESHOLDS[name]
        number = check_threshold(one, name, *model.range, whole=model.whole)
        asked[name] = int(number) if model.whole else number
    return asked


def check_per_sensitive(kind: Any, known: Collection[Any]) -> Any:
    """Return kinds of distance; a mapping names sensitive columns only."""
    if isinstance(kind, dict):
        strange = [name for name in kind if name not in known]
        if strange:
            raise ValueError(
                f"kind names {listed(strange)}; the sensitive columns are {listed(known)}."
            )
    return kind


def _measures(
    asked: Collection[str],
    classes: ClassTable,
    known: Mapping[Hashable, ClassTable],
    population: Any,
    kind: Any,
    l: int | None,  # noqa: E741
) -> list[Measure]:
    """Metrics of identity and membership, and of each sensitive column.

    Thresholds of models that cannot be measured are refused: their kinds of numbers lack.
    """
    lacking: set[str] = set()
    for absent, without, needs in (
        (not known, {"values"}, "name a sensitive column"),
        (population is None, {"people", "presence"}, "pass a population"),
        (classes.missing == "wildcard", {"presence"}, f"missing={classes.missing!r}"),
    ):
        lacking |= without if absent else set()
        measured = {one.keyword for one in MODELS.values() if one.about not in lacking}
        idle = [name for name in asked if name not in measured]
        if idle:
            raise ValueError(
                f"there are thresholds for {listed(idle)}, but nothing to measure: {needs}."
            )
    kinds = {"classes": classes.of_sizes}
    if population is not None:
        linked = in_population(classes, population, None, classes.missing)
        kinds["people"] = linked.of_sizes
        if classes.missing != "wildcard":  # which makes no classes of people
            kinds["presence"] = linked.of_people
    found = []
    for about, measure in kinds.items():
        numbers = measure(**FORMULAS[about])
        found += [Measure(MODELS[name], numbers, name) for name in FORMULAS[about]]
    for owner, table in known.items():
        distance = kind.get(owner, "auto") if isinstance(kind, dict) else kind
        found += disclosures(owner, table, distance, l)
    return found


def disclosures(
    sensitive: Hashable,
    table: ClassTable,
    kind: Any,
    l: int | None,  # noqa: E741
) -> list[Measure]:
    """Metrics of attribute disclosure of one column; two are no formulas of counts."""
    models = [model for model in MODELS.values() if model.about == "values"]
    beside: dict[str, Any] = {
        f"beside {one.name}": one.beside.formula for one in models if one.beside
    }
    numbers = table.numbers(**FORMULAS["values"], **beside)
    if l is None:
        least = numbers.judge("l_diversity", MODELS["l_diversity"]).value
        l = max(int(least), 2)  # noqa: E741
    values, _, orderable = table.secrets
    kind = distance_meant(kind, values, orderable)
    called = kind if isinstance(kind, str) else "hierarchy"
    special = {
        "recursive_cl_diversity": (recursive_ratios(table, l), "c", l),
        "t_closeness": (distances(table, kind), "distance", called),
    }
    found = []
    for model in models:
        its, name, asked = special.get(model.name, (numbers, model.name, None))
        setting = None if model.setting is None else model.setting.format(asked)
        found.append(Measure(model, its, name, sensitive, setting))
        if model.beside:
            name, setting = f"beside {model.name}", model.beside.setting
            found.append(Measure(model.beside, numbers, name, sensitive, setting))
    return found


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of the report."""
    return [{str(key): cell for key, cell in row.items()} for row in table.to_dict("records")]


def _sentence(row: dict[str, Any]) -> str:
    """One metric in words."""
    owner = "" if row["sensitive"] is None else f" of {_shown(row['sensitive'])}"
    setting = "" if row["setting"] is None else f" ({row['setting']})"
    text = f"{row['metric']}{setting}{owner} is {_shown(row['value'])}"
    if row["threshold"] is not None:
        joint = "as it must be" if row["satisfied"] else "but must be"
        text += f", {joint} {row['must_be']} {_shown(row['threshold'])}"
    worst = f"worst class: {_shown(row['worst_class'])}"
    if row["worst_value"] is not None:
        worst += f", value: {_shown(row['worst_value'])}"
    count = row["rows_violating"]
    if count:
        worst += f"; {count} row{'s' * (count != 1)} violate{'s' * (count == 1)}"
    return visible(f"{text} ({worst})")


def _html_row(row: dict[str, Any]) -> list[str]:
    """One row of the HTML view; a missed threshold is in bold."""
    tag = "b" if row["satisfied"] is False else "span"
    return [cell_of(visible(_shown(one)), inside=tag) for one in row.values()]


def _shown(cell: Any) -> str:
    """Show a cell to a reader: numbers to four digits, None as nothing, a missing value."""
    if cell is None:
        return ""
    cell = _plain(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    if isinstance(cell, list):
        return ", ".join("missing" if one is None else _shown(one) for one in cell)
    return "missing" if cell is None else str(cell) or "''"


def visible(text: object) -> str:
    r"""Text whose controls are seen: none turns the rest of a sentence around.

    Examples
    --------
    >>> visible("\u202etown\n")
    '␣town␊'
    """
    return str(text).translate(SIGNS)


def _plain(cell: Any) -> Any:
    """Turn a cell, or cells of any kind together, into what strict JSON has."""
    if isinstance(cell, pd.DataFrame):
        cell = cell.to_dict("records")
    if isinstance(cell, dict):
        return {str(key): _plain(value) for key, value in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_plain(one) for one in cell]
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, np.bool_)):
        return bool(cell)
    if cell is pd.NaT or cell is pd.NA:
        return None
    if isinstance(cell, Integral):
        return int(cell)
    if isinstance(cell, Real):
        number = float(cell)
        if math.isnan(number):
            return None
        return number if math.isfinite(number) else str(number)
    return str(cell)


# What thresholds ask of levels, and the people of the classes that these make


def measurable(thresholds: Mapping[str, float], sensitive: bool) -> dict[str, float]:
    """Thresholds that levels can be searched for: without people, and with values."""
    known = WITHOUT_PEOPLE if sensitive else ("k", "risk")
    return {name: thresholds[name] for name in known if thresholds.get(name) is not None}


def size_asked(thresholds: Mapping[str, float]) -> int:
    """Least size of a class that k and risk ask for."""
    least = int(thresholds.get("k", 1))
    risk = thresholds.get("risk", 1.0)
    return max(least, math.ceil(1 / risk - 1e-9) if risk > 0 else 2**53)


def people_per_class(ids: IntArray, who: IntArray | None, classes: int) -> IntArray:
    """How many people have records in each class; records, if nobody says whose they are.

    A record of nobody known (-1) adds none, unless its class has such records only.

    Examples
    --------
    >>> ids, who = np.array([0, 0, 1, 1, -1]), np.array([7, 7, 7, -1, 8])
    >>> people_per_class(ids, None, 2), people_per_class(ids, who, 2)
    (array([2, 2]), array([1, 1]))
    """
    records = np.bincount(ids[ids >= 0], minlength=classes)
    if who is None:
        return records
    there = (ids >= 0) & (who >= 0)
    size = int(who.max(initial=0)) + 1
    pairs = pd.unique(ids[there].astype(np.int64) * size + who[there])
    return np.maximum(np.bincount(pairs // size, minlength=classes), records > 0)


def right_guesses(ids: IntArray, who: IntArray | None = None) -> float:
    """Share of the records left whose person a guess within their class finds.

    The guess is among the people of the class, as many as `people_per_class` says.

    Examples
    --------
    >>> right_guesses(np.array([0, 0, 1, 1, -1]))
    0.5
    >>> right_guesses(np.array([0, 0, 1, 1, -1]), np.array([7, 7, 8, 9, 9]))
    0.75
    """
    classes = int(ids.max()) + 1
    people = people_per_class(ids, who, classes)
    sizes = people_per_class(ids, None, classes)
    there = sizes > 0
    if who is None:
        return float(there.sum() / sizes.sum())
    return float((sizes[there] / people[there]).sum() / sizes.sum())


def spread_note(ids: IntArray, who: IntArray | None) -> str:
    """Whom k says little about, in a sentence: people with records in several classes.

    Examples
    --------
    >>> spread_note(np.array([0, 0, 1, 1]), np.array([7, 8, 7, 9]))[:47]
    '1 of these people have records in several class'
    """
    if who is None:
        return ""
    there = (ids >= 0) & (who >= 0)
    places = pd.DataFrame({"class": ids[there], "who": who[there]}).drop_duplicates()
    spread = int((places["who"].value_counts() > 1).sum())
    said = (
        f"{spread:,} of these people have records in several classes; k says nothing of an"
        " attacker who knows more than one of their records."
    )
    return said if spread else ""
