"""Privacy metrics of a table in one report, and a check for data pipelines.

`check_privacy` measures and compares with thresholds; `assert_privacy` raises where one is
missed. Both name the class and the value that set each number, and the records that violate.
"""

from __future__ import annotations

import difflib
import html
import json
import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import AnyArray, BoolArray
from .._validation import (
    check_threshold,
    listed,
)
from ..classes import EquivalenceClasses, as_classes, sensitive_tables
from ..disclosure.attribute import (
    beta_likeness_by_class,
    class_diversity,
    delta_disclosure_by_class,
    recursive_diversity_by_class,
    t_closeness_by_class,
)
from ..disclosure.catalogue import MODELS
from ..disclosure.membership import in_population
from ..engines.classes import ClassesInEngine
from ..engines.measures import (
    Anywhere,
    MeasureInEngine,
    disclosures_in_engine,
    facts_in_engine,
    identity_in_engine,
    label_of,
    only_marked,
    tables_anywhere,
)
from ..engines.table import as_engine_table

__all__ = [
    "PrivacyReport",
    "assert_privacy",
    "check_privacy",
]


SLACK = 1e-9
"""Numbers this close to a threshold, relative to it, count as equal to it."""


RANGES = {model.keyword: model.range for model in MODELS.values()}


SIGNS = (
    {code: 0x2400 + code for code in range(32)}
    | {0x7F: "␡"}
    | dict.fromkeys([*range(0x80, 0xA0), 0x2028, 0x2029], "␣")
    | dict.fromkeys(
        [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "␣"
    )
)
"""A sign for each control: of terminals, of lines, and of the direction of writing."""


OPTIONS = ("population", "kind", "several", "missing")


WHOLE = tuple(model.keyword for model in MODELS.values() if model.whole)


ABOUT_VALUES = tuple(one.keyword for one in MODELS.values() if one.about == "values")


ABOUT_PEOPLE = ("k_map", "presence_lower", "presence_upper")


class _Measure(NamedTuple):
    """A metric of every class: which is worst, and what its threshold is called."""

    metric: str
    keyword: str | None
    numbers: AnyArray
    worst: str
    """"least" or "greatest" of the numbers."""
    labels: pd.Index
    records: AnyArray
    """Records of the table in each class."""
    table: EquivalenceClasses
    of_class: AnyArray
    """Which entry each class of the table has."""
    values: Any = None
    """The sensitive value that sets the number of each class."""
    setting: str | None = None
    strict: bool = False
    """Whether a number equal to its threshold violates it."""


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
    marks: dict[tuple[str, Hashable], Any]

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
        mark = self.marks[found[0]]
        return mark() if callable(mark) else mark  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Write the report as strict JSON: infinity is "inf", None or missing is null."""
        report = {"satisfied": self.satisfied, **self.facts, "metrics": _rows(self.table)}
        return json.dumps(_plain(report), allow_nan=False)

    def __str__(self) -> str:
        """List the metrics, a line each."""
        return "\n".join(_sentence(row) for row in _rows(self.table))

    __repr__ = __str__  # what a console and a notebook without HTML show

    def _repr_html_(self) -> str:
        rows = [_html_row(row) for row in _rows(self.table)]
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in self.table.columns)
        facts = "; ".join(
            f"{html.escape(name.replace('_', ' '))}:"
            f" <bdi>{html.escape(visible(_shown(fact)))}</bdi>"
            for name, fact in self.facts.items()
        )
        return f"<p>{facts}</p><table><tr>{head}</tr>{''.join(rows)}</table>"


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
        Distance of `t_closeness`.
    several : {"separate", "as quasi-identifier", "joint"}
        What to do with several sensitive columns, as for `sensitive_tables`.
    missing : {"category", "drop", "wildcard"}
        What a missing cell is, as for `equivalence_classes`. A record that "drop" leaves out
        for its sensitive value counts for the metrics of identity, such as k.

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
    asked = _thresholds(locals())
    roles = quasi_identifiers, sensitive, several, missing
    table = as_engine_table(data)
    classes: Anywhere
    known: Mapping[Hashable, Anywhere]
    if table is None:
        classes, known = _tables(data, *roles)
    else:
        classes, known = tables_anywhere(table, *roles, population)
    check_per_sensitive(kind, list(known))
    applicable = [name for name in asked if known or name not in ABOUT_VALUES]
    _check_applicable(asked, applicable, "name a sensitive column")
    applicable = [name for name in asked if population is not None or name not in ABOUT_PEOPLE]
    _check_applicable(asked, applicable, "pass a population")
    measures: list[tuple[Hashable, _Measure | MeasureInEngine]]
    measures = [(None, measure) for measure in _identity(classes, population)]
    for name, one in known.items():
        distance = kind.get(name, "auto") if isinstance(kind, dict) else kind
        measures += [(name, measure) for measure in _disclosures(one, distance, l)]
    _check_applicable(asked, [str(one.keyword) for _, one in measures], f"missing={missing!r}")
    judged = [(owner, measure, *_judge(owner, measure, asked)) for owner, measure in measures]
    marks = {
        (measure.metric, owner): _mark(measure, violating)
        for owner, measure, _, violating in judged
        if violating is not None
    }
    rows = pd.DataFrame([row for _, _, row, _ in judged], dtype=object)
    return PrivacyReport(rows, _facts(classes, known), marks)


def assert_privacy(
    data: Any, quasi_identifiers: Any = None, sensitive: Any = None, **thresholds: Any
) -> PrivacyReport:
    """Raise if a table misses a threshold: one line in the tests of a data pipeline.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        As for `check_privacy`.
    **thresholds
        Thresholds, of which at least one, and the other arguments of `check_privacy`.

    Returns
    -------
    PrivacyReport
        The report, if every threshold is met.

    Raises
    ------
    AssertionError
        If one is missed; the message lists each with its value, class and violating rows.
    TypeError, ValueError
        As `check_privacy`, or if there is no threshold.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> assert_privacy(data, "town", k=2)
    Traceback (most recent call last):
    AssertionError: The table misses 1 of 1 thresholds:
    k_anonymity is 1, but must be at least 2 (worst class: B; 1 row violates)
    """
    known = [*RANGES, *OPTIONS]
    for name in [name for name in thresholds if name not in known]:
        close = difflib.get_close_matches(name.lower(), known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise TypeError(f"there is no threshold {name!r}.{hint} There are {listed(known)}.")
    if all(thresholds.get(name) is None for name in RANGES):
        raise ValueError(
            "assert_privacy needs a threshold, such as k=5; without, any data pass."
        )
    report = check_privacy(data, quasi_identifiers, sensitive, **thresholds)
    rows = [row for row in _rows(report.table) if row["satisfied"] is not None]
    missed = [_sentence(row) for row in rows if not row["satisfied"]]
    if missed:
        raise AssertionError(
            "\n".join([f"The table misses {len(missed)} of {len(rows)} thresholds:", *missed])
        )
    return report


def _thresholds(arguments: dict[str, Any]) -> dict[str, float]:
    """The thresholds among the arguments of `check_privacy`."""
    return {
        name: check_threshold(arguments[name], name, *RANGES[name], whole=name in WHOLE)
        for name in RANGES
        if arguments[name] is not None
    }


def _check_applicable(asked: Iterable[str], measured: Collection[str], needs: str) -> None:
    """Refuse thresholds for what cannot be measured."""
    idle = [name for name in asked if name not in measured]
    if idle:
        raise ValueError(
            f"there are thresholds for {listed(idle)}, but nothing to measure: {needs}."
        )


def check_per_sensitive(kind: Any, known: Collection[Any]) -> Any:
    """Return kinds of distance; a mapping names sensitive columns only."""
    if isinstance(kind, dict):
        strange = [name for name in kind if name not in known]
        if strange:
            raise ValueError(
                f"kind names {listed(strange)}; the sensitive columns are {listed(known)}."
            )
    return kind


def _tables(
    data: Any, quasi_identifiers: Any, sensitive: Any, several: str, missing: str
) -> tuple[EquivalenceClasses, dict[Hashable, EquivalenceClasses]]:
    """Class table of the quasi-identifiers, and that of each sensitive column."""
    if isinstance(data, EquivalenceClasses):
        as_classes(data, quasi_identifiers, sensitive, missing, wants_sensitive=False)
        return data, {} if data.counts is None else {data.counts.name: data}
    if sensitive is None:
        classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
        return classes, {}
    options = {"several": several, "missing": missing}
    known = sensitive_tables(data, quasi_identifiers, sensitive, **options)
    if len(known) == 1 and missing != "drop":  # else it lacks who has no sensitive value
        return next(iter(known.values())), known
    return as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False), known


def _facts(classes: Anywhere, known: Mapping[Hashable, Anywhere]) -> dict[str, Any]:
    """What was measured, and what was not."""
    if isinstance(classes, ClassesInEngine):
        number, affected, _ = facts_in_engine(classes)
    else:
        number, affected = len(classes.sizes), classes.affected
    return {
        "records": classes.n_records,
        "classes": number,
        "quasi_identifiers": list(classes.quasi_identifiers),
        "missing": classes.missing,
        "rows_with_missing_quasi_identifiers": affected,
        "rows_with_missing_sensitive": sum(
            facts_in_engine(one).affected_sensitive
            if isinstance(one, ClassesInEngine)
            else one.affected_sensitive
            for one in known.values()
        ),
        "rows_dropped": classes.dropped,
        "rows_suppressed": classes.suppressed,
    }


def _identity(classes: Anywhere, population: Any) -> list[Any]:
    """Metrics of identity and membership."""
    if isinstance(classes, ClassesInEngine):
        return identity_in_engine(classes, population)
    where = (classes.labels, classes.sizes, classes, np.arange(len(classes.sizes)))
    alone = "risk" if population is None else None
    found = [
        _Measure("k_anonymity", "k", classes.matches, "least", *where),
        _Measure("prosecutor_risk", alone, 1 / classes.matches, "greatest", *where),
    ]
    if population is None:
        return found
    linked = in_population(classes, population, None, classes.missing)
    people, number, matches = linked.people, linked.number, linked.matches
    found += [
        _Measure("k_map", "k_map", matches, "least", *where),
        _Measure("journalist_risk", "risk", 1 / matches, "greatest", *where),
    ]
    if classes.missing == "wildcard":
        return found
    records = linked.records
    share = records / people.sizes
    there = (people.labels, records, classes, number)
    return [
        *found,
        _Measure("delta_presence_lower", "presence_lower", share, "least", *there),
        _Measure("delta_presence_upper", "presence_upper", share, "greatest", *there),
    ]


def _disclosures(
    table: Anywhere,
    kind: Any,
    l: int | None,  # noqa: E741
) -> list[Any]:
    """Metrics of attribute disclosure; each tuple: name, keyword, numbers, worst, value, …"""
    if isinstance(table, ClassesInEngine):
        return disclosures_in_engine(table, kind, l)
    diversity, likeness = class_diversity(table), beta_likeness_by_class(table)
    delta, skip = (
        delta_disclosure_by_class(table, absent=absent) for absent in ("inf", "skip")
    )
    distinct, common = diversity["distinct"], diversity["commonest"]
    least = max(int(distinct.min()), 2) if l is None else l
    ratio = recursive_diversity_by_class(table, l=least)
    gains, beyond = likeness["beta"] > 0, np.isinf(likeness["enhanced_beta"])
    gaining = np.where(gains, _as_cells(likeness["value"]), None)
    offending = np.where(beyond, _as_cells(likeness["offending"]), gaining)
    shown = kind if isinstance(kind, str) else "hierarchy"
    distances = t_closeness_by_class(table, kind=kind)
    up, down = "greatest", "least"
    rows: list[tuple[Any, ...]] = [
        ("alpha_k_anonymity", "alpha", diversity["alpha"], up, common),
        ("l_diversity", "l", distinct, down, None),
        ("entropy_l_diversity", "entropy_l", diversity["entropy_l"], down, None),
        ("recursive_cl_diversity", "c", ratio, up, common, f"l={least}", True),
        ("basic_beta_likeness", "beta", likeness["beta"], up, gaining),
        ("enhanced_beta_likeness", "enhanced_beta", likeness["enhanced_beta"], up, offending),
        ("delta_disclosure", "delta", delta["delta"], up, delta["value"], "absent=inf", True),
        ("delta_disclosure", None, skip["delta"], up, skip["value"], "absent=skip", True),
        ("t_closeness", "t", distances, up, None, f"kind={shown}"),
    ]
    where = (table.labels, table.sizes, table, np.arange(len(table.sizes)))
    return [
        _Measure(name, keyword, np.asarray(numbers), worst, *where, _as_cells(values), *more)
        for name, keyword, numbers, worst, values, *more in rows
    ]


def _as_cells(values: Any) -> Any:
    """Values by position rather than by label; None if there are none."""
    return None if values is None else np.asarray(values, object)


def _judge(
    owner: Hashable, measure: _Measure | MeasureInEngine, asked: dict[str, float]
) -> tuple[dict[str, Any], Any]:
    """A row of the report, and which classes violate the threshold."""
    if isinstance(measure, MeasureInEngine):
        return _judge_in_engine(owner, measure, asked)
    least = measure.worst == "least"
    at = int(measure.numbers.argmin() if least else measure.numbers.argmax())
    threshold = None if measure.keyword is None else asked.get(measure.keyword)
    violating = None if threshold is None else _violates(measure, threshold)
    if threshold is not None and measure.keyword in WHOLE:
        threshold = int(threshold)
    row = {
        "metric": measure.metric,
        "setting": measure.setting,
        "sensitive": owner,
        "value": measure.numbers[at].item(),
        "must_be": _rule(measure),
        "threshold": threshold,
        "satisfied": None if violating is None else not bool(violating.any()),
        "worst_class": measure.labels[at],
        "worst_value": None if measure.values is None else measure.values[at],
        "rows_violating": None if violating is None else int(measure.records[violating].sum()),
    }
    return row, violating


def _judge_in_engine(
    owner: Hashable, measure: MeasureInEngine, asked: dict[str, float]
) -> tuple[dict[str, Any], Any]:
    """As `_judge`; of the classes, the worst one comes back."""
    threshold = None if measure.keyword is None else asked.get(measure.keyword)
    violating = None
    if threshold is not None:
        violating = measure.violating(threshold, SLACK * max(threshold, SLACK))
        threshold = int(threshold) if measure.keyword in WHOLE else threshold
    number, classes, records = measure.measure(violating)
    worst, value = measure.worst_class(number), None
    if measure.shows:
        alike = measure.of_class(worst, lambda table: _disclosures(table, "equal", None))
        names = measure.metric, measure.keyword
        [value] = [one.values[0] for one in alike if (one.metric, one.keyword) == names]
    row = {
        "metric": measure.metric,
        "setting": measure.setting,
        "sensitive": owner,
        "value": int(number) if measure.keyword in WHOLE else float(number),
        "must_be": _rule(measure),
        "threshold": threshold,
        "satisfied": None if violating is None else classes == 0,
        "worst_class": label_of(worst),
        "worst_value": value,
        "rows_violating": records,
    }
    return row, violating


def _mark(measure: _Measure | MeasureInEngine, violating: Any) -> Any:
    """Mark the records of violating classes; what needs a key waits until it is asked for."""
    if isinstance(measure, MeasureInEngine):
        return lambda: measure.mark(violating)
    table, marked = measure.table, violating[measure.of_class]
    if table.origin is not None:
        per_record: Any = table.per_record
        return lambda: only_marked(per_record(marked, measure.metric))
    return pd.Series(np.append(marked, False)[table.ids], table.index, name=measure.metric)


def _violates(measure: _Measure, threshold: float) -> BoolArray:
    """Which classes violate a threshold; numbers within rounding of it equal it."""
    if math.isinf(threshold):
        return np.asarray(np.isinf(measure.numbers) & measure.strict)
    slack = SLACK * max(threshold, SLACK)
    if measure.worst == "least":
        return np.asarray(measure.numbers < threshold - slack)
    if measure.strict:
        return np.asarray(measure.numbers >= threshold - slack)
    return np.asarray(measure.numbers > threshold + slack)


def _rule(measure: _Measure | MeasureInEngine) -> str:
    """How the value and its threshold must compare."""
    if measure.worst == "least":
        return "at least"
    return "below" if measure.strict else "at most"


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
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


def _html_row(row: dict[str, Any]) -> str:
    """One row of the HTML view; a missed threshold is in bold."""
    cells = [html.escape(visible(_shown(cell))) for cell in row.values()]
    tag = "b" if row["satisfied"] is False else "span"
    return "<tr>" + "".join(f"<td><{tag}>{cell}</{tag}></td>" for cell in cells) + "</tr>"


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
    """Turn a cell into what strict JSON has."""
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
