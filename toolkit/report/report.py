"""Risk report of a table: a decision, measures and methods on one page.

`risk_report` measures a table once and keeps the numbers as tables; `report.html.j2` puts them
into words, for a notebook, the command line and the site alike. No cell of the table is kept.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from .._arguments import check_columns, check_table, listed
from .._codes import encode
from .._typing import Column, Columns, Table
from ..anonymisation import local_suppression, mondrian, treat
from ..anonymisation.hierarchies import AS_IT_IS
from ..anonymisation.lattice import ThresholdsMissed
from ..classes import ClassTable, class_table
from ..disclosure.check import PrivacyReport, check_privacy, check_thresholds
from ..disclosure.identity import reidentification_risk
from ..disclosure.models import MODELS, THRESHOLDS
from ..information.pif import information_factors
from ..uniqueness import outlier_scores, subset_uniqueness, suda_uniques, uniqueness_curve
from .plain import template, visible, written
from .roles import BUT_RECORDS, ROLES, said_first, suggest_roles

DIRECT, QUASI, SENSITIVE, OTHER, TEXT = ROLES
K = 5
LIMIT = 0.05
"""Share of the records that a treatment may suppress."""
WORK = 3 * 10**7
"""Most sets of columns, times records, that are examined."""
MOST_RECORDS = 300_000
"""Most records for which methods other than the treatment are tried."""
MOST_COLUMNS = 12
"""Most quasi-identifiers for which single cells are masked."""
DOES = {
    "take out": "records of smaller classes are left out",
    "cut": "classes are cut as narrow as k allows (Mondrian)",
    "mask cells": "single cells are hidden",
}
"""Descriptions of methods that do not put each column on one level."""
BEYOND = "the values do not allow it, or the columns have too many levels together"
DRAWN = 30
"""Most columns in a figure."""


@dataclass(frozen=True, eq=False, repr=False)
class RiskReport:
    """The result of `risk_report`: numbers by name, no cell of the table."""

    facts: dict[str, Any]
    """What was measured, asked and guessed, and what no number shows."""
    tables: dict[str, pd.DataFrame]
    """`thresholds`, `roles`, `identity`, `learned`, `measures`, `information`, `standing_out`
    and `methods`."""
    drawn: dict[str, Any] = field(default_factory=dict)
    """Data of the figures: `sizes` of classes, `curve` and `subsets` of uniqueness, `cig`."""

    @property
    def met(self) -> bool:
        """True if all thresholds are met, and there is no direct identifier or free text."""
        met = (self.tables["thresholds"]["result"] == "met").all()
        return bool(met) and not self.facts["barred"]

    def __repr__(self) -> str:
        """Say what was measured; no cell is shown."""
        known, records = self.facts["quasi_identifiers"], self.facts["records"]
        return visible(f"RiskReport({records:,} records, quasi_identifiers={known!r})")

    def to_json(self) -> str:
        """All numbers as strict JSON: infinity is "inf", a missing number null."""
        return written({**self.facts, **self.tables})

    def to_html(self, *, whole: bool = True) -> str:
        """A page of HTML, or only its body, without scripts, that needs no network."""
        figures = [*_figures(self)]
        return str(template("report.html.j2").render(r=self, whole=whole, figures=figures))

    def _repr_html_(self) -> str:
        return self.to_html(whole=False)


def risk_report(
    data: pd.DataFrame,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    population: pd.DataFrame | None = None,
    person: Column = None,
    source: Any = None,
    **thresholds: float | None,
) -> RiskReport:
    """Measure what a table discloses, and compare methods that lower it.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        See `class_table`. Names of columns must differ.
    quasi_identifiers, sensitive : column, or list of columns, optional
        What an attacker may know, and what is to be kept from the attacker. Where nothing is
        named, `suggest_roles` decides, and the report says so in capitals.
    population : table, optional
        Everyone the records may be about, with the quasi-identifiers under the same names.
    person : column, optional
        Column that is equal on all records of a person, or household: k and the risks count
        people. Methods are compared only if nobody has several records.
    source : path, optional
        The file that `data` was read from, whose name and hash are part of the report.
    **thresholds
        What a release must meet, as for `check_privacy`: ``k=5, l=2``. By default ``k=5``.

    Returns
    -------
    RiskReport
        Numbers as tables. A notebook shows the page; `to_html` and `to_json` return texts.

    Notes
    -----
    All records are measured. A measure whose cost grows too fast with columns or records is
    left out, and the page says so.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 17, 39], "ill": ["flu", "hiv", "flu"]})
    >>> report = risk_report(people, "age", "ill", k=2)
    >>> report.tables["identity"].head(3)
                      measure     value
    0           k (anonymity)  1.000000
    1                 classes  2.000000
    2  share of records alone  0.333333
    >>> report.met
    False
    """
    data = check_table(data).reset_index(drop=True)
    if not data.columns.is_unique:
        twice = data.columns[data.columns.duplicated()].unique()
        raise ValueError(f"data: several columns are called {listed(twice)}; rename them.")
    asked = check_thresholds(thresholds) or {"k": K}
    roles = assign_roles(data, quasi_identifiers, sensitive, person)
    named = {QUASI: quasi_identifiers, SENSITIVE: sensitive}
    known, secret = (roles.loc[roles["role"] == role, "column"].to_list() for role in named)
    barred = roles[["role", "suggested"]].isin([DIRECT, TEXT]).any(axis=1)
    whose = roles.loc[roles["because"] == PERSON, "column"].to_list()
    person_column: Any = whose[0] if whose else None
    with warnings.catch_warnings(action="ignore"):  # a warning may quote cells
        first = said_first(roles, data, known, secret, person_column, population)
        # Codes are grouped faster than values, and no warning can quote a cell.
        coded = pd.DataFrame({name: encode(data[name])[0] for name in [*known, *secret]})
        coded[whose] = data[whose]  # spellings are compared
        classes = class_table(coded, known, person=person_column)
        of_records = _measurable(asked, secret, population=False)
        table = coded.copy()
        table[secret] = data[secret]
        options: Any = {"person": person_column, **of_records}
        without = measured = check_privacy(table, known, secret or None, **options)
        if population is not None:
            all_asked = _measurable(asked, secret, population=True)
            options = {"person": person_column, "population": population, **all_asked}
            measured = check_privacy(data, known, secret or None, **options)
        rows = measured.table.drop(columns=["worst_class", "worst_value"])  # both hold cells
        judged = _judged(rows, asked)
        learned = [_learned(data, coded, known, name, rows) for name in secret]
        factors = information_factors(coded[[*known, *secret]])
        bits = {"bits": factors.cig.mean(), "most": factors.cig.max(), "fig": factors.fig}
        bits |= {"surprise": factors.csf.mean()}
        information = pd.DataFrame(bits).sort_values("bits", ascending=False, kind="stable")
        subsets = _subset_size(len(known), len(data))
        standing, keys = _standing_out(classes, data[known], factors.rig.to_numpy())
        several = bool(data[whose].duplicated().any() or data[whose].isna().any(axis=None))
        tried, best, untried = _methods(data, known, secret, of_records, without, several)
        if idle := [name for name in asked if name not in of_records]:
            best, untried = None, [f"a treatment that meets {' and '.join(idle)}", *untried]
            unknown = {"meets": None}  # what is not measured may be missed
            tried = [row | unknown if row["meets"] else row for row in tried]
    identity = _identity(classes, asked, data, known, population, person_column)
    facts: dict[str, Any] = {"records": len(data), "columns": data.shape[1]}
    facts |= {"quasi_identifiers": known, "sensitive": secret, "person": person_column}
    facts["guessed"] = [role for role, columns in named.items() if columns is None]
    facts["asked"] = any(threshold is not None for threshold in thresholds.values())
    barred_names = roles.loc[barred, "column"].to_list()
    facts |= {"thresholds": asked, "barred": barred_names, "first": first}
    facts |= {"best": best, "not_tried": untried, "population": population is not None}
    facts |= {"mean_rig": float(factors.rig.mean()), "pif95": float(factors.pif(95))}
    facts |= {"subset_size": subsets, "small_sets": keys, "version": __version__}
    facts |= _source(source)
    tables = {"thresholds": judged, "roles": roles, "identity": identity}
    tables |= {"learned": pd.DataFrame(learned), "measures": rows}
    tables |= {"information": information.rename_axis("column").reset_index()}
    tables |= {"standing_out": standing, "methods": pd.DataFrame(tried)}
    drawn = {
        "sizes": pd.Series(classes.size, name="records"),
        "curve": uniqueness_curve(classes, max_size=1),
        "subsets": subset_uniqueness(classes, max_size=subsets),
        "cig": factors.cig[information.index[:DRAWN]],
    }
    return RiskReport(facts, tables, drawn)


PERSON = "you named it as the person of each record"


def assign_roles(
    data: pd.DataFrame,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    person: Column = None,
) -> pd.DataFrame:
    """Role of each column: as it was named, otherwise as `suggest_roles` guesses.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    quasi_identifiers, sensitive, person : optional
        As for `risk_report`.

    Returns
    -------
    DataFrame of shape (n_features, 8)
        `column`, `role`, the role that was `suggested`, `because`, whether it was `guessed`,
        `distinct` values, `missing` cells, and a `warning`, "" where there is none.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39], "ill": ["flu", "hiv"], "phone": ["1", "2"]})
    >>> assign_roles(people, sensitive="ill")[["column", "role", "because"]]
      column               role                because
    0    age   quasi-identifier    its name says 'age'
    1    ill          sensitive           you named it
    2  phone  direct identifier  its name says 'phone'
    """
    roles = suggest_roles(data).rename(columns={"reason": "because"})
    roles["suggested"], roles["guessed"] = roles["role"], True
    roles["missing"] = data.isna().sum().to_numpy()
    if person is not None:
        roles["warning"] = [text.removesuffix(BUT_RECORDS) for text in roles["warning"]]
    for kind, named, argument, why in (
        (QUASI, quasi_identifiers, "quasi_identifiers", "you named it"),
        (SENSITIVE, sensitive, "sensitive", "you named it"),
        (DIRECT, None if person is None else [person], "person", PERSON),
    ):
        if named is None:
            continue
        places = check_columns(data.columns, named, argument)
        if both := [data.columns[j] for j in places if not roles["guessed"][j]]:
            raise ValueError(f"{listed(both)} cannot have two roles; name it once.")
        if kind != DIRECT:
            others = (roles["role"] == kind) & roles["guessed"]
            instead = f"you named other columns as {kind}"
            roles.loc[others, ["role", "because"]] = OTHER, instead
        roles.loc[places, ["role", "because", "guessed"]] = kind, why, False
    if QUASI not in roles["role"].to_numpy():
        raise ValueError(
            f"quasi_identifiers must name at least one column, as an attacker knows nothing"
            f" else; the columns are {listed(data.columns)}."
        )
    roles.loc[roles["because"] == PERSON, "warning"] = ""
    shown = ["column", "role", "suggested", "because", "guessed", "distinct", "missing"]
    return roles[[*shown, "warning"]]


def _source(source: Any) -> dict[str, Any]:
    """Name and hash of a file, and the day; nothing if there is no file."""
    if source is None:
        return {"table": None}
    path, digest = Path(source), None
    if path.is_file():
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"table": path.absolute().name, "made": str(date.today()), "sha256": digest}


# Measures


def _measurable(
    asked: dict[str, float], secret: list[Any], population: bool
) -> dict[str, Any]:
    """Thresholds that can be measured, given the roles and the population."""
    about = {"classes"} | ({"values"} if secret else set())
    about |= {"people", "presence"} if population else set()
    return {
        name: threshold
        for name, threshold in asked.items()
        if name == "risk" or THRESHOLDS[name].about in about
    }


def _judged(rows: pd.DataFrame, asked: dict[str, float]) -> pd.DataFrame:
    """Each threshold with the value found, or a note that it was not measured."""
    judged = []
    for name, threshold in asked.items():
        keywords = rows["metric"].map(lambda metric: MODELS[metric].keyword)
        matching = rows[(keywords == name) & rows["threshold"].notna()].to_dict("records")
        for row in matching or [{"sensitive": None, "value": None, "satisfied": None}]:
            result = {True: "met", False: "missed", None: "not measured"}[row["satisfied"]]
            limit = {"must_be": THRESHOLDS[name].rule, "asked": threshold}
            number = {"found": row["value"], "result": result}
            judged.append({"threshold": name, "sensitive": row["sensitive"]} | limit | number)
    return pd.DataFrame(judged, dtype=object)


def _identity(
    classes: ClassTable,
    asked: dict[str, float],
    data: pd.DataFrame,
    known: list[Any],
    population: Table,
    person: Column,
) -> pd.DataFrame:
    """How well records are hidden in their classes."""
    below = int(asked.get("k", K))
    risk, size, alike = reidentification_risk(classes), classes.size, classes.alike
    parts = {
        "k (anonymity)": alike.min(),
        "classes": len(size),
        "share of records alone": size[alike == 1].sum() / len(data),
        f"share of records in classes below {below}": size[alike < below].sum() / len(data),
        "greatest prosecutor risk": risk.prosecutor,
        "average prosecutor risk": risk.prosecutor_average,
    }
    if population is not None:
        risk = reidentification_risk(data, known, population=population, person=person)
        parts |= {"greatest journalist risk": risk.journalist, "marketer risk": risk.marketer}
    table = pd.DataFrame({"measure": [*parts], "value": [*parts.values()]})
    return table.astype({"value": float})


def _learned(
    data: pd.DataFrame, coded: pd.DataFrame, known: list[Any], name: Any, rows: pd.DataFrame
) -> dict[str, Any]:
    """What a class discloses about one sensitive column."""
    table = class_table(coded, known, name)
    lacks = data[name].isna().to_numpy()
    of_first = np.zeros(len(table.size), bool)
    of_first[table.ids] = lacks  # any record, in a class with one value
    sure = table.distinct == 1
    ours = rows[rows["sensitive"] == name].set_index("metric")["value"]
    records = len(data)
    return {
        "sensitive": name,
        "l": int(ours["l_diversity"]),
        "t": float(ours["t_closeness"]),
        "certain": table.size[sure].sum() / records,
        "certain_missing": table.size[sure & of_first].sum() / records,
        "missing": int(lacks.sum()),
        "single": table.totals[table.totals == 1].sum() / records,
    }


def _subset_size(columns: int, rows: int) -> int:
    """Largest size for which all sets of columns can be examined."""
    sets, most = columns, 1
    while most < min(columns, 3):
        sets += math.comb(columns, most + 1)
        if sets * rows > WORK or sets > 5000:
            break
        most += 1
    return most


def _standing_out(
    classes: ClassTable, known: pd.DataFrame, rig: Any
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The ten riskiest records by four scores, and the column that adds most to keys."""
    most = _subset_size(known.shape[1], len(known))
    uniques = suda_uniques(classes, max_key_size=most)
    try:
        far = outlier_scores(known, "mahalanobis", encoding="frequency").to_numpy(float)
    except ValueError:  # infinite or too large, no spread, or too few records
        far = np.full(len(known), np.nan)
    scores = pd.DataFrame(
        {
            "records": classes.size[classes.ids],
            "rig": rig,
            "special": uniques.scores.to_numpy(float),
            "distance": far,
        }
    )
    rank = scores.assign(records=-scores["records"]).rank(pct=True).mean(axis=1)
    riskiest = np.argsort(-rank.to_numpy(), kind="stable")[:10]
    table = scores.iloc[riskiest].rename_axis("position").reset_index()
    largest = uniques.attributes.sort_values(ascending=False, kind="stable")
    adds = {"column": str(largest.index[0]), "share": float(min(largest.iloc[0], 1))}
    return table, {"size": most, **adds}


# Methods, compared by risk and loss


def _methods(
    data: pd.DataFrame,
    known: list[Any],
    secret: list[Any],
    asked: dict[str, Any],
    before: PrivacyReport,
    several: bool,
) -> tuple[list[dict[str, Any]], dict[str, Any] | None, list[str]]:
    """Methods with their risk and loss; the best treatment; and what was not tried."""
    k, rows = max(int(asked.get("k", K)), 2), [_row("as it is", "", before, len(data), 0.0)]
    few = f"there are fewer than {k:,} records" if len(data) < k else ""
    if why := "a person has several records" if several else few:
        return rows, None, [f"any method ({why})"]
    best, failed, untried = None, list[str](), list[str]()
    ours, wanted = data[[*known, *secret]], [f"{name} = {asked[name]:g}" for name in asked]
    options: dict[str, Any] = {"sensitive": secret or None, "suppression_limit": LIMIT}
    ask: dict[str, Callable[[], Any]] = {}
    if asked:
        ask["coarser, " + ", ".join(wanted)] = partial(
            treat, ours, known, **{"k": 1, **asked, **options}
        )
    if len(data) > MOST_RECORDS:
        untried.append(f"other methods (the table has more than {MOST_RECORDS:,} records)")
    else:
        for least in (2, 4 * k):
            ask[f"coarser, k = {least}"] = partial(treat, ours, known, k=least, **options)
        as_given = {**options, "levels": dict.fromkeys(known, 0), "suppression_limit": 1.0}
        ask[f"take out, k = {k}"] = partial(treat, ours, known, k=k, **as_given)
        ask[f"cut, k = {k}"] = partial(mondrian, ours, known, k=k)
        ask[f"mask cells, k = {k}"] = partial(local_suppression, ours, known, k=k)
        if len(known) > MOST_COLUMNS:
            del ask[f"mask cells, k = {k}"]
            untried.append(f"masking cells (for at most {MOST_COLUMNS} quasi-identifiers)")
    for name, made in ask.items():
        try:
            release = made()
            after = check_privacy(release.data, known, secret or None, **asked)
        except (TypeError, ValueError, OverflowError, MemoryError) as error:
            # The message may quote cells.
            missed = isinstance(error, ThresholdsMissed)
            failed.append(f"{name} ({'it takes out too many records' if missed else BEYOND})")
            continue
        columns = {} if release.record is None else release.record["columns"]
        levels = {column: part.get("level", AS_IT_IS) for column, part in columns.items()}
        levels = {column: level for column, level in levels.items() if level != AS_IT_IS}
        does = "; ".join(f"{column}: {level}" for column, level in levels.items())
        does = DOES.get(name.partition(",")[0], does)
        rows.append(_row(name, does, after, len(data), release.loss))
        if asked and name == next(iter(ask)):
            numbers = {part: rows[-1][part] for part in ("taken_out", "loss", "risk")}
            best = {"levels": levels, **numbers, "risk_before": rows[0]["risk"]}
    return rows, best, [*failed, *untried]


def _row(
    name: str, does: str, report: PrivacyReport, records: int, loss: float
) -> dict[str, Any]:
    """One method: the share of right guesses at released records, and the loss."""
    table, left = report.table, report.facts["records"]
    by = table.groupby("metric", sort=False)["value"]
    row = {"method": name, "does": does, "risk": report.facts["classes"] / left}
    row |= {"k": int(by.min()["k_anonymity"]), "l": by.min().get("l_diversity")}
    row |= {"t": by.max().get("t_closeness"), "taken_out": records - left}
    return row | {"loss": float(loss), "meets": report.satisfied}


# Figures


def _figures(report: RiskReport) -> Iterator[str]:
    """PNG of each figure in base64, wide enough for a telephone and a page."""
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from .. import plots

    drawn, methods = report.drawn, report.tables["methods"]
    curve = drawn["curve"]
    change = int((curve["share"] < curve["share"].iloc[-1]).sum()) + 1
    curve = curve.head(min(max(change, 12), DRAWN))
    plane = pd.DataFrame({"risk": methods["risk"], "utility": 1 - methods["loss"]})
    plane = plane.set_axis(methods["method"].to_list())
    known = partial(plots.plot_known_columns, curve, drawn["subsets"])
    for height, draw in (
        (1.2 + 0.27 * max(len(curve), 4), known),
        (3.0, partial(plots.plot_class_sizes, drawn["sizes"])),
        (3.6, partial(plots.plot_cell_bands, drawn["cig"])),
        (3.6, partial(plots.plot_riskiest_rows, drawn["cig"])),
        (3.8, partial(plots.plot_treatments, plane, unit="share of right guesses")),
    ):
        # Letters that a font lacks are warned of; the settings of an account are not obeyed.
        ours, picture = style.context(["default", plots._style.STYLE]), io.BytesIO()
        with warnings.catch_warnings(action="ignore"), ours:
            figure = Figure(figsize=(5.4, height), layout="constrained")
            FigureCanvasAgg(figure)
            draw(ax=figure.add_subplot())
            figure.savefig(picture, format="png", dpi=150, metadata={"Software": None})
        yield base64.b64encode(picture.getvalue()).decode("ascii")
