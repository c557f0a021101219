"""All metrics of a table in one report, and a check for data pipelines.

`check_privacy` measures a table and compares it with thresholds; `assert_privacy` raises an
error if a threshold is missed. The report names the class and the value behind each number,
and the records that violate a threshold.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_number, check_spellings, folded, listed
from .._codes import RANKED, kind_of
from .._typing import Column, Columns, Table
from ..classes import ClassTable, class_tables, linked_tables, of_records
from .membership import contained
from .models import DECIMALS, MODELS, THRESHOLDS, Model, kind_of_distance


@dataclass(frozen=True, eq=False)
class PrivacyReport:
    """The result of `check_privacy`."""

    table: pd.DataFrame
    """A row per metric: `metric`, its `setting`, the `sensitive` column, `value`, `must_be`
    (the comparison with the threshold), `threshold`, `satisfied`, the `worst_class` and the
    `worst_value` behind the value, and `rows_violating`. An entry is None if it was not asked
    for or does not apply, such as the `worst_value` of a gain of 0; cells that are missing in
    the data are missing here."""
    facts: dict[str, Any]
    """Counts of records, classes, rows with missing cells and suppressed rows; and how missing
    cells were treated, and the quasi-identifiers."""
    rows: list[dict[str, Any]]
    """The rows of `table`, and what was measured for each."""
    mark: Callable[[dict[str, Any]], pd.Series]
    """What `violations` calls with one of the `rows`."""

    @property
    def satisfied(self) -> bool | None:
        """True if every threshold is met; None if there is none."""
        compared = [met for met in self.table["satisfied"] if met is not None]
        return all(compared) if compared else None

    def __bool__(self) -> bool:
        """Refuse, because ``if report:`` would be true whatever the result."""
        raise TypeError("a report is neither true nor false; ask for report.satisfied.")

    def violations(self, metric: str, sensitive: Hashable = None) -> pd.Series:
        """Mark the records that violate the threshold of a metric; index of `data`."""
        rows = [row for row in self.rows if row["threshold"] is not None]
        names = [(row["metric"], row["sensitive"]) for row in rows]
        asked = [
            at for at, (a, b) in enumerate(names) if a == metric and sensitive in (None, b)
        ]
        if len(asked) != 1:
            raise ValueError(
                f"metric and sensitive must name one of the thresholds {listed(names)};"
                f" got {(metric, sensitive)!r}."
            )
        return self.mark(rows[asked[0]])

    def __str__(self) -> str:
        """List the metrics, one on each line, without cells of the table."""
        return "\n".join(map(_sentence, self.table.to_dict("records")))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = "; ".join(f"{name}: {fact}" for name, fact in self.facts.items())
        shown = self.table.drop(columns=["worst_class", "worst_value"]).fillna("")
        table = shown.to_html(index=False, float_format="{:.4g}".format)
        return f"<p>{html.escape(facts)}</p>{table}"


def check_privacy(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    population: Table = None,
    kind: Any = "auto",
    missing: str = "category",
    person: Column = None,
    **thresholds: float | None,
) -> PrivacyReport:
    """Measure a table by every metric that applies, and compare it with thresholds.

    Parameters
    ----------
    data, quasi_identifiers, missing, person
        See `class_table`. A record that ``missing="drop"`` leaves out for its sensitive value
        still counts for the metrics of identity, such as k. With a `person`, k, risk and
        presence count people, and all other metrics count records.
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
        Upper bounds, not allowed themselves, of `recursive_cl_diversity` (for `l`, else for
        the distinct l of the table) and `delta_disclosure`.
    population : table or ClassTable, optional
        Everyone the records may be about: a row for each person, unless the population also
        has the column `person`.
    kind : {"auto", "ordered", "equal"} or table
        Distance of `t_closeness` for all sensitive columns; the report names it. Whole numbers
        are equally far apart unless you say "ordered". Decimals are taken as amounts, and the
        report says so; say "equal" if they are codes, such as 1.1 and 2.3.

    Returns
    -------
    PrivacyReport
        Its `table` has a row per metric; `satisfied` is the overall verdict, and `violations`
        marks records.

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
    asked = check_thresholds(thresholds)
    options: Any = {"missing": missing, "person": person}
    columns = list(sensitive) if isinstance(sensitive, (list, pd.Index)) else [sensitive]
    if sensitive is None:
        columns = [None] * (isinstance(data, ClassTable) and data.sensitive is not None)
    of_values = [
        class_tables(data, quasi_identifiers, column, secret=True, **options)
        for column in columns
    ]
    # A record without a sensitive value still counts for the metrics of identity.
    identity = not of_values or missing == "drop"
    tables = class_tables(data, quasi_identifiers, **options) if identity else of_values[0]
    first, firsts = next(iter(tables)), [next(iter(parts)) for parts in of_values]
    names = [c.sensitive for c in firsts]
    if len({*names}) < len(names):
        raise ValueError(f"sensitive: {listed(names)} must be columns with different names.")
    check_asked(asked, first, of_values, population)
    limits = {name: asked.get(model.keyword) for name, model in MODELS.items()}
    if population is not None:
        limits["prosecutor_risk"] = None  # the risk is the journalist's
    rows = _judged(tables, None, ("classes",), limits, {})
    if population is not None:
        linked = linked_tables(data, population, quasi_identifiers, **options)
        about = ["people"]
        if first.missing != "wildcard":
            linked, about = contained(linked), ["people", "presence"]
        rows += _judged(linked, None, about, limits, {})
    for c, parts in zip(firsts, of_values, strict=True):
        distinct = min(int(part.distinct.min()) for part in parts)
        least = int(asked.get("l", max(distinct, 2)))
        distance = kind_of_distance(c, kind)
        called = distance if isinstance(distance, str) else "hierarchy"
        if called == "ordered" and kind == "auto" and kind_of(c.values) in DECIMALS:
            called += ", decimals as amounts"
        settings = {
            "recursive_cl_diversity": [({"l": least}, f"l={least}")],
            "delta_disclosure": [({}, "absent=inf"), ({"absent": "skip"}, "absent=skip")],
            "t_closeness": [({"kind": distance}, f"kind={called}")],
        }
        rows += _judged(parts, c.sensitive, ("values",), limits, settings)
    counts = [(c.size.sum(), len(c.size), c.lacking, c.dropped, c.suppressed) for c in tables]
    lacking = sum(c.lacking_sensitive for c in chain(*of_values))
    facts = dict(zip(COUNTS, map(int, np.sum(counts, axis=0)), strict=True)) | {
        "rows_with_missing_sensitive": lacking,
        "missing": first.missing,
        "quasi_identifiers": first.quasi_identifiers,
    }
    mark = partial(_marked, data, quasi_identifiers, population, options)
    table = pd.DataFrame(rows, dtype=object).drop(columns=["options", "parts"])
    return PrivacyReport(table, facts, rows, mark)


COUNTS = ["records", "classes", "rows_with_missing_quasi_identifiers"]
COUNTS += ["rows_dropped", "rows_suppressed"]


def check_thresholds(thresholds: Mapping[str, Any]) -> dict[str, float]:
    """Return valid thresholds without those that are None."""
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


def check_asked(
    asked: Iterable[str],
    first: ClassTable,
    of_values: list[Iterable[ClassTable]],
    population: Table,
) -> None:
    """Refuse thresholds that any table would meet, or that would overstate diversity.

    A class looks more diverse than it is if it counts a missing value, one value in several
    spellings, or several records of one person.
    """
    alone = population is None
    lacks = {
        "values": not of_values and "a sensitive column",
        "people": alone and "a population",
        "presence": (alone or first.missing == "wildcard")
        and "a population, and a missing other than 'wildcard'",
    }
    for name in asked:
        lack = lacks.get(THRESHOLDS[name].about)
        if lack and name != "risk":
            raise ValueError(
                f"there is a threshold for {name}, but nothing to measure: it needs {lack}."
            )
        if THRESHOLDS[name].about != "values" and first.dropped and first.lacking_sensitive:
            raise ValueError(
                f"{name} counts records that lack their sensitive value, too, and this class"
                f" table dropped them; pass the DataFrame."
            )
        if not first.known:
            raise ValueError(
                "quasi_identifiers must name at least one column where there is a threshold;"
                " with [] everyone is in one class, which would meet it."
            )
    names = [name for name in asked if THRESHOLDS[name].about == "values"]
    for parts in of_values if names else []:
        c = next(iter(parts))
        lacking = np.asarray(c.values.isna())
        if kind_of(c.values) not in RANKED:
            texts = [folded(value) for value in c.values]
            cells = [text if isinstance(text, tuple) else (text,) for text in texts]
            lacking = np.array([not {"", "*"}.isdisjoint(cell) for cell in cells])
        if lacking.any():
            count = int(c.totals[lacking].sum())
            raise ValueError(
                f"sensitive: {c.sensitive!r} is missing in {count:,}"
                f" record{'s' * (count > 1)}, and {names[0]} would count that as a value; fill"
                f" it, or take it out."
            )
        if kind_of(c.values) not in RANKED:
            check_spellings(c.values, f"sensitive: {c.sensitive!r}")
        if any((part.size > part.alike).any() for part in parts):
            raise ValueError(
                f"person: {names[0]} counts records, and a class holds more records than"
                f" people; take one record for each person, or leave {names[0]} out."
            )


def _judged(
    parts: Iterable[Any],
    sensitive: Hashable,
    about: Collection[str],
    limits: Mapping[str, float | None],
    settings: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Rows of the report: the worst class and the violations of each model."""
    rows: list[dict[str, Any]] = []
    for name, model in MODELS.items():
        for options, called in settings.get(name, [({}, None)]) * (model.about in about):
            limit = None if called == "absent=skip" else limits[name]
            met, missed = (None, None) if limit is None else (True, 0)
            row = {"metric": name, "setting": called, "sensitive": sensitive, "value": None}
            row |= {"must_be": model.rule, "threshold": limit, "satisfied": met}
            row |= {"worst_class": None, "worst_value": None, "rows_violating": missed}
            rows.append(row | {"options": options, "parts": parts})
    for c in parts:
        for row in rows:
            model, options = MODELS[row["metric"]], row["options"]
            numbers = model.of_class(c, **options)
            least = model.rule == "at least"
            at = int(numbers.argmin() if least else numbers.argmax())
            number = numbers[at].item()
            worse = row["value"] is None or (number < row["value"]) == least
            if worse and number != row["value"]:
                row["value"] = int(number) if model.whole else number
                cells = [c.data.iat[c.first[at], j] for j in c.known] or ["everyone"]
                row["worst_class"] = tuple(cells) if len(cells) > 1 else cells[0]
                row["worst_value"] = _worst_value(model, options, c, at)
            if row["threshold"] is not None:
                violating = model.violates(numbers, row["threshold"])
                row["satisfied"] &= not violating.any()
                row["rows_violating"] += int(c.size[violating].sum())
    return rows


def _worst_value(model: Model, options: Mapping[str, Any], c: Any, at: int) -> Any:
    """The sensitive value behind the number of a class; None if there is none."""
    if model.of_pair is None:
        return None
    pairs = slice(c.start[at], c.start[at] + c.distinct[at])
    held, numbers = c.val[pairs], model.of_pair(c)[pairs]
    if model.symbol == "β" and not numbers.max() > 0:
        return None
    value = held[numbers.argmax()]
    if model.symbol == "δ" and not options and len(held) < len(c.values):
        value = np.setdiff1d(np.arange(len(c.values)), held)[0]  # ruled out by the class
    return c.values.take([value]).astype(object)[0]


def _marked(data: Table, known: Columns, population: Table, options: Any, row: Any) -> Any:
    """Mark the records that violate a threshold; omitted records violate nothing."""
    name, model = row["metric"], MODELS[row["metric"]]

    def violating(c: ClassTable) -> Any:
        return model.violates(model.of_class(c, **row["options"]), row["threshold"])

    if not hasattr(type(data), "parts"):
        (c,) = row["parts"]
        return c.per_record(violating(c), name).fillna(False).astype(bool)
    people = population if model.about in ("people", "presence") else None
    more = {**options, "population": people}
    return of_records(name, violating, data, known, row["sensitive"], **more)


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
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    **thresholds: Any,
) -> PrivacyReport:
    """Raise an error if a table misses a threshold, for the tests of a pipeline.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `check_privacy`.
    **thresholds
        At least one threshold, and the other arguments of `check_privacy`.

    Returns
    -------
    PrivacyReport
        The report of `check_privacy`, if every threshold is met.

    Raises
    ------
    AssertionError
        If a threshold is missed; the message lists each such metric with its value and the
        number of violating rows.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> assert_privacy(data, "town", k=2)
    Traceback (most recent call last):
    AssertionError: The table misses 1 of 1 thresholds:
    k_anonymity is 1, but must be at least 2 (rows violating: 1)
    """
    report = check_privacy(data, quasi_identifiers, sensitive, **thresholds)
    if report.satisfied is None:
        raise ValueError(
            "assert_privacy needs a threshold, such as k=5; without one, any data pass."
        )
    rows = [row for row in report.table.to_dict("records") if row["satisfied"] is not None]
    missed = [_sentence(row) for row in rows if not row["satisfied"]]
    if missed:
        head = f"The table misses {len(missed)} of {len(rows)} thresholds:"
        raise AssertionError("\n".join([head, *missed]))
    return report
