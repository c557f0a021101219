"""All metrics of a table in one report, and a check for data pipelines.

`check_privacy` measures and compares with thresholds; `assert_privacy` raises an error if one
is missed. The report names the class and the value that set each number, and the records that
violate a threshold.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_number, check_spellings, folded, listed
from .._codes import RANKED, kind_of
from ..classes import ClassTable, class_tables, in_engine, linked_tables
from .membership import contained
from .models import MODELS, THRESHOLDS, Model, kind_of_distance, worst


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
    marks: dict[tuple[str, Hashable], Callable[[], pd.Series]]

    @property
    def satisfied(self) -> bool | None:
        """True if every threshold is met; None if there is none."""
        compared = [met for met in self.table["satisfied"] if met is not None]
        return all(compared) if compared else None

    def __bool__(self) -> bool:
        """Refuse: ``if report:`` would hold whatever was found."""
        raise TypeError("a report is neither true nor false; ask for report.satisfied.")

    def violations(self, metric: str, sensitive: Hashable = None) -> pd.Series:
        """Mark the records that violate the threshold of a metric; index of the data."""
        keys = [key for key in self.marks if key[0] == metric and sensitive in (None, key[1])]
        if len(keys) != 1:
            raise ValueError(
                f"metric must be one that has a threshold ({listed(self.marks)}); got"
                f" {metric!r} for sensitive={sensitive!r}."
            )
        return self.marks[keys[0]]()

    def __str__(self) -> str:
        """List the metrics, a line each, without cells of the table."""
        return "\n".join(map(_sentence, self.table.to_dict("records")))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = "; ".join(f"{name}: {fact}" for name, fact in self.facts.items())
        shown = self.table.drop(columns=["worst_class", "worst_value"]).map(_shown)
        return f"<p>{html.escape(facts)}</p>{shown.to_html(index=False)}"


class Measure(NamedTuple):
    """A model with its settings, and the threshold that it is compared with."""

    name: str
    threshold: float | None
    settings: Mapping[str, Any] = {}
    setting: str | None = None


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
    missing: str = "category",
    person: Any = None,
) -> PrivacyReport:
    """Measure a table by every metric that applies, and compare with thresholds.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        See `class_table`. A record that ``missing="drop"`` leaves out for its sensitive value
        counts for the metrics of identity, such as k. With a `person`, k, risk and presence
        count people, and all else counts records.
    sensitive : column, or list of columns, optional
        What is to be kept from the attacker; several columns are measured one by one.
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
    population : table or ClassTable, optional
        Everyone the records may be about: a row for each person, unless it has the column
        `person`, too.
    kind : {"auto", "ordered", "equal"}, hierarchy, or mapping from column to one of these
        Distance of `t_closeness`, which the report names. Whole numbers are equally far apart
        unless they are said to be "ordered".

    Returns
    -------
    PrivacyReport
        Its `table` has a row per metric; `satisfied` and `violations` say more.

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
    asked = check_thresholds({name: given[name] for name in THRESHOLDS})
    options: Any = {"missing": missing, "person": person}
    if isinstance(data, ClassTable):
        columns = [] if data.sensitive is None else [None]
    elif sensitive is None:
        columns = []
    else:
        several = isinstance(sensitive, (list, pd.Index, np.ndarray))
        columns = list(sensitive) if several else [sensitive]
    of_values = [
        class_tables(data, quasi_identifiers, column, secret=True, **options)
        for column in columns
    ]
    # A record that lacks its sensitive value counts for the metrics of identity.
    identity = not of_values or missing == "drop"
    tables = class_tables(data, quasi_identifiers, **options) if identity else of_values[0]
    secrets = {next(iter(parts)).sensitive: parts for parts in of_values}
    partition = next(iter(tables)).missing != "wildcard"
    needs = {
        "values": "a sensitive column" * (not secrets),
        "people": "a population" * (population is None),
        "presence": "a population, and a missing other than 'wildcard'"
        * (population is None or not partition),
    }
    for keyword in asked:
        lack = needs.get(THRESHOLDS[keyword].about)
        if lack and keyword != "risk":
            raise ValueError(
                f"there is a threshold for {keyword}, but nothing to measure: it needs {lack}."
            )
    if asked and not next(iter(tables)).known:
        raise ValueError(
            "quasi_identifiers must name at least one column where there is a threshold; with"
            " [] everyone is in one class, which would meet it."
        )
    strange = [*(kind.keys() - secrets.keys())] if isinstance(kind, Mapping) else []
    if strange:
        raise ValueError(
            f"kind names {listed(strange)}; the sensitive columns are {listed(secrets)}."
        )
    for parts in of_values:
        _check_secrets(asked, parts)
    risk_of = "journalist_risk" if population is not None else "prosecutor_risk"
    limits = {
        name: asked.get(model.keyword)
        for name, model in MODELS.items()
        if model.keyword != "risk" or name == risk_of
    }
    groups: list[tuple[Iterable[Any], Hashable, list[Measure]]] = [
        (tables, None, _measures("classes", limits))
    ]
    if population is not None:
        if in_engine(data):
            linked = linked_tables(data, population, quasi_identifiers, **options)
        else:
            linked = linked_tables(next(iter(tables)), population)
        of_people = _measures("people", limits)
        if partition:
            linked, of_people = contained(linked), of_people + _measures("presence", limits)
        groups.append((linked, None, of_people))
    for name, parts in secrets.items():
        distance = kind.get(name, "auto") if isinstance(kind, Mapping) else kind
        groups.append((parts, name, _measures_of_values(parts, limits, l, distance)))
    rows: list[dict[str, Any]] = []
    marks: dict[tuple[str, Hashable], Callable[[], pd.Series]] = {}
    for parts, name, measures in groups:
        rows += _judged(parts, name, measures)
        for one in measures:
            if one.threshold is not None:
                where = (data, quasi_identifiers, name, population, options)
                marks[one.name, name] = partial(_marked, parts, one, *where)
    return PrivacyReport(pd.DataFrame(rows, dtype=object), _facts(tables, of_values), marks)


def check_thresholds(thresholds: Mapping[str, Any]) -> dict[str, float]:
    """Return thresholds of the models; one that is None is not asked for."""
    asked = {}
    for name, threshold in thresholds.items():
        if name not in THRESHOLDS:
            close = difflib.get_close_matches(name.lower(), THRESHOLDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise TypeError(
                f"there is no threshold {name!r}.{hint} There are {listed(THRESHOLDS)}."
            )
        if threshold is not None:
            model = THRESHOLDS[name]
            within = "[{:g}, {:g}]".format(*model.range)
            asked[name] = check_number(threshold, name, within, model.unit, whole=model.whole)
    return asked


def _check_secrets(asked: Iterable[str], parts: Iterable[ClassTable]) -> None:
    """Refuse thresholds of secrets where these count more than there is to learn.

    A value that says nothing, or one value in several spellings, makes a class look diverse;
    so does a person who has several records in it.
    """
    about = next((name for name in asked if THRESHOLDS[name].about == "values"), None)
    if about is None:
        return
    c = next(iter(parts))
    lacks = np.asarray(c.values.isna())
    if kind_of(c.values) not in RANKED:
        texts = [folded(value) for value in c.values]
        parts_of = [text if isinstance(text, tuple) else (text,) for text in texts]
        lacks = np.array([not {"", "*"}.isdisjoint(part) for part in parts_of])
    if lacks.any():
        count = int(c.totals[lacks].sum())
        raise ValueError(
            f"sensitive: {c.sensitive!r} is missing in {count:,} record{'s' * (count > 1)},"
            f" and {about} would count that as a value; fill it, or take it out."
        )
    if kind_of(c.values) not in RANKED:
        check_spellings(c.values, f"sensitive: {c.sensitive!r}")
    if any((c.size > c.alike).any() for c in parts):
        raise ValueError(
            f"person: {about} counts records, and a class holds more records than people; take"
            f" one record for each person, or leave {about} out."
        )


def _measures(about: str, limits: Mapping[str, float | None]) -> list[Measure]:
    """Models without settings."""
    return [
        Measure(name, limits.get(name))
        for name, model in MODELS.items()
        if model.about == about
    ]


def _measures_of_values(
    parts: Iterable[ClassTable],
    limits: Mapping[str, float | None],
    l: int | None,  # noqa: E741
    kind: Any,
) -> list[Measure]:
    """Models of a sensitive column, with their settings."""
    l = max(int(worst("l_diversity", parts)), 2) if l is None else l  # noqa: E741
    kind = kind_of_distance(next(iter(parts)), kind)
    called = kind if isinstance(kind, str) else "hierarchy"
    settings: Any = {
        "recursive_cl_diversity": [({"l": l}, f"l={l}")],
        "delta_disclosure": [({}, "absent=inf"), ({"absent": "skip"}, "absent=skip")],
        "t_closeness": [({"kind": kind}, f"kind={called}")],
    }
    found = []
    for measure in _measures("values", limits):
        for options, setting in settings.get(measure.name, [({}, None)]):
            limit = None if setting == "absent=skip" else measure.threshold
            found.append(Measure(measure.name, limit, options, setting))
    return found


def _judged(
    parts: Iterable[Any], sensitive: Hashable, measures: list[Measure]
) -> list[dict[str, Any]]:
    """Rows of the report: the worst class of each model, and who violates its threshold."""
    rows: list[dict[str, Any]] = [
        {
            "metric": name,
            "setting": setting,
            "sensitive": sensitive,
            "value": None,
            "must_be": MODELS[name].rule,
            "threshold": threshold,
            "satisfied": None if threshold is None else True,
            "worst_class": None,
            "worst_value": None,
            "rows_violating": None if threshold is None else 0,
        }
        for name, threshold, _, setting in measures
    ]
    for c in parts:
        for row, (name, threshold, settings, _) in zip(rows, measures, strict=True):
            model = MODELS[name]
            numbers = model.of_class(c, **settings)
            least = model.rule == "at least"
            at = int(numbers.argmin() if least else numbers.argmax())
            number = numbers[at].item()
            worse = row["value"] is None or (number < row["value"]) == least
            if worse and number != row["value"]:
                row["value"] = int(number) if model.whole else number
                row["worst_class"] = c.label(at)
                row["worst_value"] = _worst_value(model, settings, c, at)
            if threshold is not None:
                violating = model.violates(numbers, threshold)
                row["satisfied"] &= not violating.any()
                row["rows_violating"] += int(c.size[violating].sum())
    return rows


def _worst_value(model: Model, settings: Mapping[str, Any], c: Any, at: int) -> Any:
    """The sensitive value that sets the number of a class; None for none."""
    if model.of_pair is None:
        return None
    pairs = slice(c.start[at], c.start[at] + c.distinct[at])
    held = c.val[pairs]
    absent = model.symbol == "δ" and not settings and len(held) < len(c.values)
    if absent:  # ruled out by the class
        code = np.setdiff1d(np.arange(len(c.values)), held)[0]
    else:
        numbers = model.of_pair(c)[pairs]
        if numbers.max() < 0 or (model.symbol == "β" and numbers.max() == 0):
            return None
        code = held[numbers.argmax()]
    return c.values.take([code]).astype(object)[0]


def _marked(
    parts: Iterable[Any],
    measure: Measure,
    data: Any,
    quasi_identifiers: Any,
    sensitive: Any,
    population: Any,
    options: Any,
) -> pd.Series:
    """Mark the records that violate a threshold; one that is left out violates nothing."""
    model, limit = MODELS[measure.name], measure.threshold
    assert limit is not None

    def violating(c: Any) -> Any:
        return model.violates(model.of_class(c, **measure.settings), limit)

    if in_engine(data):
        roles = (quasi_identifiers, sensitive)
        people = population if model.about in ("people", "presence") else None
        there: pd.Series = data.per_record(
            lambda c: {measure.name: violating(c)}, *roles, population=people, **options
        )
        return there
    (c,) = parts
    marked: pd.Series = c.per_record(violating(c), measure.name)
    return marked.fillna(False).astype(bool)


def _facts(
    tables: Iterable[ClassTable], of_values: list[Iterable[ClassTable]]
) -> dict[str, Any]:
    """Count classes, and records with missing cells."""
    facts: dict[str, Any] = {}
    for c in tables:
        counted = {
            "records": int(c.size.sum()),
            "classes": len(c.size),
            "rows_with_missing_quasi_identifiers": c.lacking,
            "rows_dropped": c.dropped,
            "rows_suppressed": c.suppressed,
        }
        facts = {name: facts.get(name, 0) + number for name, number in counted.items()}
    lacking = sum(c.lacking_sensitive for parts in of_values for c in parts)
    facts |= {"rows_with_missing_sensitive": lacking, "missing": c.missing}
    return facts | {"quasi_identifiers": c.quasi_identifiers}


def _shown(cell: Any) -> Any:
    """A cell of the report: numbers to four digits, None as nothing."""
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return "" if cell is None else cell


def _sentence(row: Mapping[Any, Any]) -> str:
    """One metric in words, without cells of the table."""
    owner = "" if row["sensitive"] is None else f" of {row['sensitive']}"
    setting = "" if row["setting"] is None else f" ({row['setting']})"
    text = f"{row['metric']}{setting}{owner} is {row['value']:.4g}"
    if row["threshold"] is None:
        return text
    text += f", {'as it' if row['satisfied'] else 'but'} must be {row['must_be']}"
    return f"{text} {row['threshold']:.4g} (rows violating: {row['rows_violating']:,})"


def assert_privacy(
    data: Any, quasi_identifiers: Any = None, sensitive: Any = None, **thresholds: Any
) -> PrivacyReport:
    """Raise an error if a table misses a threshold: one line in the tests of a pipeline.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `check_privacy`.
    **thresholds
        At least one threshold, and the other arguments of `check_privacy`.

    Returns
    -------
    PrivacyReport
        The report, if every threshold is met.

    Raises
    ------
    AssertionError
        If one is missed; the message lists each with its value and violating rows.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> assert_privacy(data, "town", k=2)
    Traceback (most recent call last):
    AssertionError: The table misses 1 of 1 thresholds:
    k_anonymity is 1, but must be at least 2 (rows violating: 1)
    """
    others = ("population", "kind", "missing", "person")
    check_thresholds({name: one for name, one in thresholds.items() if name not in others})
    if all(thresholds.get(name) is None for name in THRESHOLDS):
        raise ValueError(
            "assert_privacy needs a threshold, such as k=5; without one, any data pass."
        )
    report = check_privacy(data, quasi_identifiers, sensitive, **thresholds)
    rows = [row for row in report.table.to_dict("records") if row["satisfied"] is not None]
    missed = [_sentence(row) for row in rows if not row["satisfied"]]
    if missed:
        head = f"The table misses {len(missed)} of {len(rows)} thresholds:"
        raise AssertionError("\n".join([head, *missed]))
    return report
