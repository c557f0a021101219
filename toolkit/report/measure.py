"""Risk report of a table: all measures, taken once, for readers of any background.

`risk_report` measures; `toolkit.report.words` puts the numbers into sentences and tables. Rows
are named by their position only, and no cell of the table is part of a result.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._old import checking
from .._old.assuming import Assumptions, assume, renamed
from .._old.catalogue import SLACK
from .._old.classes import (
    EquivalenceClasses,
    equivalence_classes,
    sensitive_tables,
    with_people,
)
from .._old.membership import in_population
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_enough_records, check_whole
from ..classes import ClassTable, class_table
from ..information.pif import InformationFactors, information_factors
from ..uniqueness.outliers import outlier_scores
from ..uniqueness.sample import subset_uniqueness, uniqueness_curve
from ..uniqueness.suda import suda_uniques
from .methods import Treatments, compare_treatments
from .roles import first_lines

SUBSET_ROWS = 2 * 10**8
"""Sets of columns times records that are grouped to see how many records each singles out."""


KEY_ROWS = 3 * 10**8
"""Sets of columns times records that are searched for keys."""


MOST_SETS = 5000
"""Sets of columns that are looked at, however few the records."""


MOST_KEY = 3
"""Most columns of a key that are searched for."""


POSITIONS = 3
"""Records named as an example of a class."""


RISKIEST = 10
"""Records that are listed."""


PERCENTILES = (50, 95, 100)


STEPS = 5


SURE = "share of records whose value is certain"


ONLY_MISSING = "share of records whose value is certain to be missing"


LEAST_L = 2
"""Values of recursive diversity that an attacker may not rule out."""


FIRST = ("l (distinct)", "l (entropy)", "c (recursive, l={})", "alpha", "t")
"""Measures of disclosure that come first; the others follow as in the catalogue."""


class Uniqueness(NamedTuple):
    """How many records the quasi-identifiers single out."""

    sizes: pd.Series
    """Records of each class."""
    measures: pd.DataFrame
    """A row per `measure`: its `value`."""
    subsets: pd.DataFrame
    """Share of unique records by set of columns, as of `subset_uniqueness`."""
    curve: pd.DataFrame
    """The same in the order of the columns, as of `uniqueness_curve`."""
    most: int
    """Columns of the largest sets that were looked at."""


class Factors(NamedTuple):
    """Information gain and surprise of cells, records and columns."""

    cig: pd.DataFrame
    """Gain about each cell in bits; rows by position."""
    rig: pd.Series
    """Gain about each record in bits."""
    columns: pd.DataFrame
    """By column: `mean_cig` and `max_cig` (bits), `fig` (bits) and `mean_csf`."""
    measures: pd.DataFrame
    """A row per `measure`: its `value`."""


@dataclass(frozen=True, eq=False)
class RiskReport:
    """The result of `risk_report`; smaller is safer for all but k, its kin and l.

    No measure, no text and no page of it holds a cell of the table, but `assumed` holds the
    table itself: a pickle of the report is a copy of the table.
    """

    assumed: Assumptions
    k: int
    """Records in a class that were asked for."""
    records: int
    uniqueness: Uniqueness
    disclosure: pd.DataFrame
    """A row per `sensitive` column and `measure`: `value`, `records` of the class that sets
    it, and the first few `positions` of these."""
    factors: Factors
    standing_out: pd.DataFrame
    """The riskiest records by `position`: `records` alike, `rig`, `special` and `distance`."""
    keys: pd.Series
    """Share of the special-unique score that each column brings."""
    key_size: int
    """Columns of the largest keys that were looked for."""
    treatments: Treatments
    thresholds: Mapping[str, float]
    """Thresholds that were asked for, as for `check_privacy`; k = 5 if none was."""
    guessed: tuple[str, ...] = ()
    """Roles that nobody named: "quasi_identifiers", "sensitive"."""
    first: tuple[str, ...] = ()
    """What no number shows: columns that are not measured, rows that may not be people."""

    def __repr__(self) -> str:
        """Say what was measured; no cell is shown."""
        return f"RiskReport(assumed={self.assumed!r}, k={self.k})"

    def to_json(self) -> str:
        """Write all results as strict JSON: infinity is "inf", what is missing null."""
        report = {
            "records": self.records,
            "k_asked": self.k,
            "columns": self.assumed.columns,
            "notes": [*self.first, *self.assumed.notes],
            "quasi_identifiers": self.assumed.quasi_identifiers,
            "sensitive": self.assumed.sensitive,
            "person": self.assumed.person,
            "identity": self.uniqueness.measures,
            "uniqueness_by_columns": self.uniqueness.curve.reset_index(),
            "largest_sets_of_columns": self.uniqueness.most,
            "disclosure": self.disclosure,
            "information": self.factors.measures,
            "information_by_column": self.factors.columns.reset_index(names="column"),
            "standing_out": self.standing_out,
            "keys_by_column": self.keys.rename_axis("column").reset_index(name="share"),
            "largest_keys": self.key_size,
            "treatments": self.treatments.table.reset_index(),
            "best_treatments": self.treatments.best.reset_index(),
            "not_tried": list(self.treatments.left_out),
        }
        plain = checking._plain(report)
        return json.dumps(plain, allow_nan=False, indent=1, ensure_ascii=False) + "\n"


def risk_report(
    data: pd.DataFrame,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    population: pd.DataFrame | None = None,
    k: int = checking.DEFAULT_K,
    thresholds: Mapping[str, float] | None = None,
    person: Any = None,
    progress: bool = False,
) -> RiskReport:
    """Measure what a table discloses, and compare methods that lower it.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Any table; cells of any kind.
    quasi_identifiers, sensitive : column, or list of columns, optional
        What the attacker may know, and what is to be kept from them: names or positions; a
        name wins. Where nothing is named `suggest_roles` decides, and the report says so.
    population : DataFrame, optional
        Everyone the records may be about, with the quasi-identifiers under the same names.
    k : int, default 5
        Least number of records in a class that methods aim at; at most the number of
        records, but for the default, which a smaller table only leaves untried.
    thresholds : mapping, optional
        What a release must meet, such as ``{"k": 5, "l": 2}``: thresholds of
        `check_privacy`; by default `k` alone.
    person : column, optional
        What is equal on all records of one person, or house: k, the risks and the treatments
        then count people; all else counts records.
    progress : bool
        Show a bar.

    Returns
    -------
    RiskReport
        Measures in tidy tables. No cell of `data` is among them, nor in what is printed; a
        pickle holds the table that was measured.

    Raises
    ------
    TypeError, ValueError
        If `data` is no table, a column is not there or has two roles, no quasi-identifier is
        known, the population lacks a record's class, or `k` is above the number of records.

    Notes
    -----
    Everything is measured on all records. What grows too fast with the number of columns is
    looked at for small sets of columns only, and the result says how small.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 17, 39], "ill": ["flu", "hiv", "flu"]})
    >>> report = risk_report(people, "age", "ill", k=2)
    >>> report.uniqueness.measures.head(3)
                        measure     value
    0             k (anonymity)  1.000000
    1                   classes  2.000000
    2  share of records alone  0.333333
    """
    k = check_whole(k, "k", 1, 10**9, "the least number of records in a class")
    asked = checking.check_thresholds(thresholds) or {"k": k}
    k = int(asked.get("k", k))
    with (
        tqdm(total=STEPS, desc="measuring", disable=not progress, leave=False) as bar,
        warnings.catch_warnings(action="ignore"),  # a warning may quote cells
    ):
        done = partial(_done, bar)
        roles = quasi_identifiers, sensitive
        assumed = assume(data, *roles, population=population, person=person)
        who = assumed.numbers
        if k != checking.DEFAULT_K:
            check_enough_records(k, len(data))
        checking.check_columns_of_secrets(asked, assumed)
        coded, people = assumed.with_population()
        known, secret = assumed.quasi_identifiers, assumed.sensitive
        first = first_lines(
            renamed(data), assumed.columns, known, secret, assumed.person, population
        )
        done("who is alone")
        tables = sensitive_tables(coded, known, secret) if secret else {}
        # Records are in the same classes whichever sensitive column is counted.
        classes = next(iter(tables.values()), None) or equivalence_classes(coded, known)
        if who is not None:
            head, *rest = assumed.notes
            several = filter(None, [checking.spread_note(classes.ids, who)])
            assumed = assumed._replace(notes=(head, *several, *rest))
        table = class_table(coded, known)
        unique = _uniqueness(classes, table, people, k, who)
        done("what can be learned")
        disclosure = _disclosure(tables, coded)
        factors = _factors(coded)
        done("who stands out")
        standing = _standing_out(classes, table, coded[known], factors.rig)
        done("what can be done")
        treatments = compare_treatments(
            assumed.data, coded, known, secret, k=k, thresholds=asked, who=who
        )
        done("")
    measured = (unique, disclosure, factors, *standing, treatments)
    named = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    guessed = tuple(name for name, given in named.items() if given is None)
    return RiskReport(assumed, k, len(data), *measured, asked, guessed, tuple(first))


def _done(bar: Any, name: str) -> None:
    """A step of the bar, and what comes next."""
    bar.update()
    bar.set_postfix_str(name)


def _uniqueness(
    classes: EquivalenceClasses,
    counts: ClassTable,
    people: pd.DataFrame | None,
    k: int,
    who: IntArray | None,
) -> Uniqueness:
    """How many records the quasi-identifiers single out, all together and by sets."""
    sizes = pd.Series(classes.sizes, name="records")
    records = classes.n_records
    counted = classes
    if who is not None:
        counted = with_people(classes, checking.people_per_class(classes.ids, who, len(sizes)))
    alike = counted.matches
    of_record = alike[classes.ids[classes.ids >= 0]]
    average = len(sizes) if who is None else float((classes.sizes / alike).sum())
    measures = [
        ("k (anonymity)", int(alike.min())),
        ("classes", len(sizes)),
        ("share of records alone", float((of_record == 1).mean())),
        (f"share of records in classes below {k}", float((of_record < k).mean())),
        ("greatest prosecutor risk", 1 / int(alike.min())),
        ("average prosecutor risk", average / records),
    ]
    if people is not None:
        measures += _against_population(counted, people)
    most = _largest_sets(len(classes.quasi_identifiers), records, SUBSET_ROWS)
    subsets = subset_uniqueness(counts, max_size=most, progress=False)
    curve = uniqueness_curve(counts, max_size=1, progress=False)[["added", "share"]]
    table = pd.DataFrame(measures, columns=["measure", "value"])
    return Uniqueness(sizes, table, subsets[["size", "share"]], curve, most)


def _against_population(
    classes: EquivalenceClasses, people: pd.DataFrame
) -> list[tuple[str, float]]:
    """Risk for an attacker who knows everyone, but not who is in the table."""
    linked = in_population(classes, people, None, classes.missing)
    matches, share = linked.matches, linked.records / linked.people.sizes
    marketer = float((classes.sizes / matches).sum() / classes.n_records)
    return [
        ("k-map", int(matches.min())),
        ("greatest journalist risk", 1 / int(matches.min())),
        ("marketer risk", marketer),
        ("least share of a class of people that is in the table", float(share.min())),
        ("greatest share of a class of people that is in the table", float(share.max())),
    ]


def _largest_sets(columns: int, rows: int, budget: int) -> int:
    """Most columns of a set, so that all sets of so many can be looked at."""
    sets, most = 0, 0
    while most < columns:
        sets += math.comb(columns, most + 1)
        if most and (sets * rows > budget or sets > MOST_SETS):
            break
        most += 1
    return most


def _disclosure(tables: dict[Any, EquivalenceClasses], coded: pd.DataFrame) -> pd.DataFrame:
    """What a class discloses about each sensitive column, and which class discloses most."""
    rows: list[tuple[Any, ...]] = []
    for name, table in tables.items():
        measured = checking.disclosures(name, table, "auto", LEAST_L)
        found: dict[str, Any] = {one.model.measure: one for one in measured}
        for measure in [*FIRST, *(one for one in found if one not in FIRST)]:
            model, numbers, column, *_ = found[measure]
            worst = _worst(table, numbers.by_name[column], model.worst == "least")
            rows.append((name, measure.format(LEAST_L), *worst))
        sure, lacks = _inside(table, table.tally.distinct == 1), coded[name].isna().to_numpy()
        certain = {SURE: sure} | ({ONLY_MISSING: sure & lacks} if lacks.any() else {})
        for measure, records in certain.items():
            share, count = float(records.mean()), int(records.sum())
            rows.append((name, measure, share, count, _first(records)))
    columns = ["sensitive", "measure", "value", "records", "positions"]
    return pd.DataFrame(rows, columns=columns)


def _worst(
    table: EquivalenceClasses, numbers: FloatArray, least: bool
) -> tuple[float, int, list[int]]:
    """The worst number of a class, the records of all classes that have it, and a few."""
    worst = numbers.min() if least else numbers.max()
    has = np.isclose(numbers, worst, rtol=SLACK, atol=0) | (numbers == worst)
    return float(worst), int(table.sizes[has].sum()), _first(_inside(table, has))


def _inside(table: EquivalenceClasses, classes: BoolArray) -> BoolArray:
    """Which records are in some classes."""
    return np.append(classes, False)[table.ids]


def _first(records: BoolArray) -> list[int]:
    """Positions of the first of some records."""
    found: list[int] = np.flatnonzero(records)[:POSITIONS].tolist()
    return found


def _factors(coded: pd.DataFrame) -> Factors:
    """Cell information gain and surprise of all columns that are measured."""
    found: InformationFactors = information_factors(coded)
    cig, csf = found.cig, found.csf
    by_column = {"mean_cig": cig.mean(), "max_cig": cig.max(), "fig": found.fig}
    columns = pd.DataFrame(by_column | {"mean_csf": csf.mean()})
    columns = columns.sort_values("mean_cig", ascending=False, kind="stable")
    measures = [
        ("mean RIG (bits)", float(found.rig.mean())),
        *((f"PIF{n} (bits)", float(found.pif(n))) for n in PERCENTILES),
        ("share of cells with CSF above .5", float((csf > 0.5).to_numpy().mean())),
    ]
    table = pd.DataFrame(measures, columns=["measure", "value"])
    return Factors(cig, found.rig, columns, table)


def _standing_out(
    classes: EquivalenceClasses, counts: ClassTable, known: pd.DataFrame, rig: pd.Series
) -> tuple[pd.DataFrame, pd.Series, int]:
    """The riskiest records by four scores, and the columns that make keys."""
    size = min(MOST_KEY, _largest_sets(known.shape[1], len(known), KEY_ROWS))
    found = suda_uniques(counts, max_key_size=size, progress=False)
    sizes = classes.sizes[classes.ids].astype(float)
    sizes[classes.ids < 0] = np.nan
    scores = pd.DataFrame(
        {
            "records": sizes,
            "rig": rig.to_numpy(),
            "special": found.scores.to_numpy(float),
            "distance": _distances(known),
        }
    )
    scores["rank"] = scores.assign(records=-sizes).rank(pct=True).mean(axis=1)
    riskiest = np.argsort(-scores["rank"].to_numpy(), kind="stable")[:RISKIEST]
    table = scores.iloc[riskiest].rename_axis("position").reset_index()
    return table, found.attributes.sort_values(ascending=False, kind="stable"), size


def _distances(known: pd.DataFrame) -> FloatArray:
    """Mahalanobis distance; names count by how frequent they are."""
    try:
        far = outlier_scores(known, "mahalanobis", encoding="frequency")
        return far.to_numpy(float)
    except ValueError:  # no spread, or fewer records than it takes
        return np.full(len(known), np.nan)
