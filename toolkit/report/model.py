"""Model of the table explorer: roles, levels and k in, all measures out.

`open_table` looks at a table once: what each column may be, and how it could be made coarser.
`treat` applies a setting, `measure_setting` says what the result discloses and what it cost,
and `snippet` writes the Python that does the same without an explorer. Nothing here needs a
notebook or draws; labels and losses of a column are kept, so that only what changed is
computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import tempfile
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._old.assuming import PERSON, assume, person_numbers, sensitive_cells
from .._old.attribute import l_diversity, t_closeness
from .._old.checking import SUPPRESSED, people_per_class
from .._old.classes import equivalence_classes, sensitive_tables, with_people
from .._old.grouping import factorised
from .._old.identity import k_anonymity, record_class_sizes
from .._old.validation import (
    check_choice,
    check_percentile,
    check_table,
    check_whole,
    listed,
    match_by_text,
)
from .._typing import BoolArray, FloatArray, IntArray
from ..anonymisation.hierarchies import SuggestedHierarchy, openness, suggest_hierarchies
from ..anonymisation.lattice import optimal_generalisation
from ..anonymisation.release import only_shown, written_alike
from ..information.pif import (
    cell_information_gain,
    personal_information_factor,
    row_information_gain,
)
from ..io import read_table
from . import treating
from .decision import answer, exact_values, judged_thresholds
from .roles import BUT_RECORDS, ROLES, suggest_roles, warnings_of

IDENTIFIER, QUASI, SENSITIVE, OTHER, TEXT = ROLES


RISKIEST = 7


LINE = 88  # characters of a line of Python


COMBINATIONS = 100_000
"""Combinations of levels that are searched for the best: seconds, at most."""


OPENING_K, OPENING_COMBINATIONS, CELLS = 5, 20_000, 1_000_000
"""What is searched when a table is opened, and cells from which it would take too long."""


class Setting(NamedTuple):
    """What the controls say."""

    roles: Mapping[Any, str]
    """One of `toolkit.report.roles.ROLES` for each column."""
    levels: Mapping[Any, int]
    """How coarse each quasi-identifier is; 0, as it is, where a column is not named."""
    k: int = 1
    """Records in classes smaller than this are suppressed; 1 suppresses nobody."""
    n: float = 95
    """Percentile of PIF_n."""
    person: Any = None
    """Column that says whose a record is: then k counts people. It is not released."""

    def level(self, column: Any) -> int:
        """How coarse a column is."""
        return self.levels.get(column, 0) if self.roles[column] == QUASI else 0

    @property
    def released(self) -> list[Any]:
        """Quasi-identifiers and sensitive columns, in their order."""
        return [name for name, role in self.roles.items() if role in (QUASI, SENSITIVE)]

    @property
    def quasi_identifiers(self) -> list[Any]:
        """Columns of that role, in their order."""
        return [name for name, role in self.roles.items() if role == QUASI]

    @property
    def sensitive(self) -> list[Any]:
        """Columns of that role, in their order."""
        return [name for name, role in self.roles.items() if role == SENSITIVE]


@dataclass(frozen=True, eq=False)
class ExplorableTable:
    """A table, what its columns may be, and how each could be made coarser."""

    data: pd.DataFrame
    """The table, its columns named by texts that differ."""
    suggested: pd.DataFrame
    """Result of `suggest_roles`."""
    hierarchies: Mapping[Any, SuggestedHierarchy]
    """By column; a column of lists and the like has none."""
    origin: tuple[str, ...]
    """Lines of Python that make ``data``."""
    imports: tuple[tuple[str, str], ...]
    """Modules and names that these lines need."""
    sha256: str | None
    """Of the file that the table is from."""
    _places: Mapping[Any, tuple[IntArray, IntArray]] = field(repr=False)
    """By column: the value that each record has, and the row of each value."""
    _kept: dict[tuple[Any, int], pd.Series] = field(default_factory=dict, repr=False)

    def levels(self, column: Any) -> tuple[str, ...]:
        """Names of the levels of a column, from "as it is" on."""
        tree = self.hierarchies.get(column)
        return ("as it is",) if tree is None else tree.names

    @property
    def heights(self) -> dict[Any, int]:
        """How many levels each column has, the values themselves counted."""
        return {column: len(self.levels(column)) for column in self.data.columns}

    def labels(self, column: Any, level: int) -> pd.Series:
        """Cells of a column on one level, as `generalise` gives them."""
        if level == 0:
            return pd.Series(self.data[column])
        codes, labels = self._labels(column, level)
        return pd.Series(labels.take(codes).array, index=self.data.index, name=column)

    def coded(self, column: Any, level: int) -> pd.Series:
        """The same, numbered: as categories, which are counted fastest."""
        key = (column, level)
        if key not in self._kept:
            codes, labels = self._labels(column, level)
            numbers, _ = pd.factorize(labels, use_na_sentinel=False)
            cells = pd.Categorical.from_codes(numbers[codes], pd.RangeIndex(numbers.max() + 1))
            self._kept[key] = pd.Series(cells, index=self.data.index, name=column)
        return self._kept[key]

    def secret(self, column: Any) -> pd.Series:
        """Cells of a sensitive column, texts that are numbers as such, as in the report."""
        key = (column, -2)
        if key not in self._kept:
            given = pd.Series(self.data[column])
            read, _ = sensitive_cells(given)
            numbers = pd.api.types.is_numeric_dtype(read)
            self._kept[key] = read if numbers else given
        return self._kept[key]

    def people(self, person: Any) -> IntArray | None:
        """Number of the person of each record, -1 for nobody known; None for no column."""
        if person is None:
            return None
        key = (person, -1)
        if key not in self._kept:
            self._kept[key] = person_numbers(pd.Series(self.data[person])).fillna(-1)
        return self._kept[key].to_numpy(np.int64)

    def losses(self, column: Any, level: int) -> FloatArray:
        """Share of a column's other values that each cell leaves open, as `cell_losses`."""
        if level == 0:
            return np.zeros(len(self.data))
        cells = self.hierarchies[column].iloc[:, level]
        labels, _ = pd.factorize(cells, use_na_sentinel=False)
        codes, rows = self._places[column]
        return openness(np.bincount(labels)[labels], len(cells))[rows][codes]

    def _labels(self, column: Any, level: int) -> tuple[IntArray, pd.Series]:
        codes, rows = self._places[column]
        return codes, _exactly(self.hierarchies[column].iloc[rows, level].tolist())


class Treated(NamedTuple):
    """A table after treatment."""

    released: pd.DataFrame
    """Quasi-identifiers and sensitive columns of the records that are left."""
    kept: BoolArray
    """Which records those are."""
    losses: pd.Series
    """Share of its other values that each quasi-identifier leaves open, on average over all
    records; the cells of a suppressed record leave all open."""


class Measured(NamedTuple):
    """What a treated table gives away, and what the treatment cost."""

    numbers: pd.Series
    """`records` left, `suppressed` (share), `k`, `unique` (share), `l`, `t`, `pif` (bits),
    `loss` (share); missing where there is nothing to measure."""
    cig: pd.DataFrame
    """Gain about each cell of the released table, in bits."""
    rig: pd.Series
    """Gain about each of its records, in bits."""
    sizes: pd.Series
    """Records of each class."""
    losses: pd.Series
    """By quasi-identifier, as `Treated.losses`."""
    riskiest: pd.DataFrame
    """Result of `riskiest_records`."""
    worst: Mapping[str, Hashable]
    """The sensitive column that sets `l`, and the one that sets `t`."""
    notes: tuple[str, ...]
    """What the metrics warned of, and what they do not see."""


class Reached(NamedTuple):
    """The treatment that loses least, and how far it was looked for."""

    setting: Setting
    suppressed: int
    """Records that are left out."""
    loss: float
    """Loss of the table, as `optimal_generalisation` measures it."""
    looked_at: int
    """Combinations of levels among which it loses least."""
    combinations: int
    """All that there are."""


def open_table(
    data: pd.DataFrame,
    *,
    hierarchies: Mapping[Any, SuggestedHierarchy] | None = None,
    origin: tuple[str, ...] = (),
    imports: tuple[tuple[str, str], ...] = (),
    sha256: str | None = None,
) -> ExplorableTable:
    """Look at a table once, before its columns are made coarser.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table, of 2 to 40 columns.
    hierarchies : mapping, optional
        `SuggestedHierarchy` of some columns; the others get the one that fits their cells.
    origin : tuple of str
        Lines of Python that make ``data``, for `snippet`; by default a comment.
    imports : tuple of (module, name)
        What these lines need.
    sha256 : str, optional
        Of the file that the table is from, for the record of a release.

    Returns
    -------
    ExplorableTable

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table, or has too few or too many columns.

    Examples
    --------
    >>> table = open_table(pd.DataFrame({"age": [17, 25, 39], "ill": list("xyx")}))
    >>> table.levels("age"), table.suggested["role"].tolist()
    (('as it is', 'by 2', 'by 4', 'by 8', 'hidden'), ['quasi-identifier', 'quasi-identifier'])
    """
    table = check_explorable(data)
    lines = list(origin or ("# data: the table that the explorer was given",))
    names: list[str] = []
    for column in table.columns:
        name = text = str(column)
        while name in names:
            name = f"{text} #{len(names)}"
        names.append(name)
    if names != list(table.columns):
        lines.append(f"data = data.set_axis({_pretty(names, 21)}, axis=1)")
        table = table.set_axis(names, axis=1)
    trees = dict(hierarchies or {})
    others = table.columns.difference(list(trees), sort=False)
    trees |= suggest_hierarchies(table[others]) if len(others) else {}
    places = {name: _places(pd.Series(table[name]), tree) for name, tree in trees.items()}
    roles = suggest_roles(table)
    return ExplorableTable(table, roles, trees, tuple(lines), tuple(imports), sha256, places)


def suggested_setting(table: ExplorableTable) -> Setting:
    """Suggested roles, and nothing made coarser.

    Parameters
    ----------
    table : ExplorableTable
        Result of `open_table`.

    Examples
    --------
    >>> table = open_table(pd.DataFrame({"age": [17, 25, 39], "illness": list("xyx")}))
    >>> suggested_setting(table).sensitive
    ['illness']
    """
    return Setting(dict(zip(table.data.columns, table.suggested["role"], strict=True)), {})


def reach(
    table: ExplorableTable,
    setting: Setting,
    k: int,
    suppression_limit: float = 0.05,
    *,
    most: int = COMBINATIONS,
) -> Reached:
    """Find the levels that reach k and lose least: the optimal search, for the explorer.

    Parameters
    ----------
    table, setting
        As for `treat`; of the setting, the roles count.
    k : int
        Least number of records in a class.
    suppression_limit : float
        Share of the records that may be left out for it, from 0 to 1.
    most : int
        Combinations of levels that are searched. Where there are more, some levels are
        skipped at first, and then those beside the ones that were found are tried.

    Returns
    -------
    Reached

    Raises
    ------
    TypeError, ValueError
        If there is no quasi-identifier, or k cannot be reached.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39, 38], "illness": ["flu", "hiv", "flu", "flu"]})
    >>> table = open_table(data)
    >>> found = reach(table, suggested_setting(table), k=2, suppression_limit=0)
    >>> table.levels("age"), found.setting.levels, found.setting.k, found.combinations
    (('as it is', 'by 2', 'by 4', 'by 8', 'hidden'), {'age': 2}, 2, 5)
    """
    check_setting(setting, table.heights)
    known = setting.quasi_identifiers
    if not known:
        raise ValueError("no column is a quasi-identifier, so there is nothing to find.")
    every = {name: list(range(table.heights[name])) for name in known}
    values = {name: len(table.hierarchies[name]) for name in known}
    offered = _thinned(every, values, most)
    asked = k, suppression_limit, table.people(setting.person)
    found = _searched(table, offered, *asked)
    if offered != every:
        beside = {name: _beside(offered[name], found[0][name]) for name in known}
        beside = {name: sorted({0, *levels}) for name, levels in beside.items()}
        again = _searched(table, _thinned(beside, values, most), *asked)
        found = min(found, again, key=lambda each: each[2])
    levels, suppressed, loss = found
    done = {name: level for name, level in levels.items() if level}
    setting = setting._replace(levels=done, k=k)
    if setting.person is not None:  # of records of nobody known, the search leaves out more
        suppressed = int((~_company(table, setting)[1]).sum())
    looked_at, combinations = (prod(map(len, one.values())) for one in (offered, every))
    return Reached(setting, suppressed, loss, looked_at, combinations)


def _searched(
    table: ExplorableTable,
    offered: Mapping[Any, list[int]],
    k: int,
    limit: float,
    who: IntArray | None,
) -> tuple[dict[Any, int], int, float]:
    """Levels that lose least among those offered, records left out, and the loss.

    k people in a class are k different values of the column that tells people apart; nobody
    known is one value of it, which does not count.
    """
    free = [name for name, levels in offered.items() if len(levels) > 1 or levels[0] == 0]
    trees = {name: table.hierarchies[name].iloc[:, offered[name]] for name in free}
    data, about = table.data[free], dict[str, Any]()
    if who is not None:
        data = data.assign(**{PERSON: pd.Categorical(who)})
        about = {"sensitive": PERSON, "l": k + bool((who < 0).any())}
    found = optimal_generalisation(data, free, trees, k=k, suppression_limit=limit, **about)
    levels = {name: each[-1] for name, each in offered.items()}  # of a column that is hidden
    levels |= {name: offered[name][level] for name, level in found.levels.items()}
    share = len(free) / len(offered)
    loss = (1 + found.loss) ** share * 2 ** (1 - share) - 1  # a hidden column has lost all
    return levels, len(found.suppressed), loss


def _thinned(
    offered: Mapping[Any, list[int]], values: Mapping[Any, int], most: int
) -> dict[Any, list[int]]:
    """Leave levels out, of the column with the most of them, until there are few enough.

    Of many columns that are kept or hidden, those of most values are hidden.
    """
    kept = {name: list(levels) for name, levels in offered.items()}
    while prod(map(len, kept.values())) > most:
        name = max(kept, key=lambda name: (len(kept[name]), values[name]))
        first, *between, last = kept[name]
        kept[name] = [first, *between[1::2], last] if between else [last]
    return kept


def _beside(levels: list[int], found: int) -> list[int]:
    """Levels between the neighbours of the one that was found among those offered."""
    place = levels.index(found)
    low, high = levels[max(place - 1, 0)], levels[min(place + 1, len(levels) - 1)]
    return list(range(low, high + 1))


def opening_setting(table: ExplorableTable) -> Setting:
    """Suggested roles and a treatment worth looking at: where exploring starts.

    That is the one that loses least for k = 5 with at most 5 % of the records left out (see
    `reach`); where there is none, or it would take long to find, each column halfway up.

    Parameters
    ----------
    table : ExplorableTable
        Result of `open_table`.

    Examples
    --------
    >>> table = open_table(pd.DataFrame({"age": [17, 25, 39], "illness": list("xyx")}))
    >>> opening_setting(table).levels
    {'age': 2}
    """
    setting = suggested_setting(table)
    known = setting.quasi_identifiers
    if 0 < len(table.data) * len(known) <= CELLS:
        with contextlib.suppress(ValueError):  # which is no reason to show nothing
            return reach(table, setting, OPENING_K, most=OPENING_COMBINATIONS).setting
    halfway = {name: table.heights[name] // 2 for name in known if table.heights[name] > 1}
    return setting._replace(levels=halfway)


def treat(table: ExplorableTable, setting: Setting) -> Treated:
    """Make columns coarser, and leave out who is left with too little company.

    Parameters
    ----------
    table : ExplorableTable
        Result of `open_table`.
    setting : Setting
        Roles, levels and k. Only quasi-identifiers are made coarser; direct identifiers and
        other columns are left out of the release, as nothing here measures them.

    Returns
    -------
    Treated
        Under the index of the caller's table, which is released too, as is the order of the
        rows. Nothing else than its cells is in the released table (see `without_traces`).

    Raises
    ------
    TypeError, ValueError
        If a column, role or level is not there, no column would be released, or no record.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> table = open_table(data)
    >>> roles = {"age": "quasi-identifier", "illness": "sensitive"}
    >>> treat(table, Setting(roles, {"age": 3}, k=2)).released
            age illness
    0  [16, 24)     flu
    1  [16, 24)     hiv
    """
    _, kept = _company(table, setting)
    released = pd.DataFrame(
        {name: table.labels(name, setting.level(name)) for name in setting.released},
        index=table.data.index,
    )
    shown = written_alike(only_shown(released, kept), range(released.shape[1]))
    return Treated(shown, kept, _losses(table, setting, kept))


def measure_setting(table: ExplorableTable, setting: Setting) -> Measured:
    """Measure what a treated table gives away, and what the treatment cost.

    Parameters
    ----------
    table, setting
        As for `treat`.

    Returns
    -------
    Measured
        All of the records that are left, but `suppressed` and `loss`. Of several sensitive
        columns, each alone, the least l and the greatest t count.

    Raises
    ------
    TypeError, ValueError
        As `treat`, or if n is no percentile.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> roles = {"age": "quasi-identifier", "illness": "sensitive"}
    >>> table = open_table(data)
    >>> measured = measure_setting(table, Setting(roles, {"age": 3}, k=2))
    >>> measured.numbers[["k", "l", "suppressed"]].round(2)
    k             2.00
    l             2.00
    suppressed    0.33
    dtype: float64
    """
    check_percentile(setting.n)
    coded, kept = _company(table, setting)
    losses, known = _losses(table, setting, kept), setting.quasi_identifiers
    released = coded if kept.all() else coded[kept]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        classes = equivalence_classes(released, known)
        secret = setting.sensitive
        tables = sensitive_tables(released, known, secret) if secret else {}
        diversity = {name: float(l_diversity(each)) for name, each in tables.items()}
        distance = {name: float(t_closeness(each)) for name, each in tables.items()}
    who = table.people(setting.person)
    if who is not None:
        who = who[kept]
        classes = with_people(classes, people_per_class(classes.ids, who, len(classes.sizes)))
    exact = exact_values(released, secret, who)
    cig = cell_information_gain(released)
    rig = row_information_gain(cig)
    numbers = {
        "records": len(released),
        "suppressed": 1 - len(released) / len(kept),
        "k": k_anonymity(classes),
        "unique": classes.unique_share(),
        "l": min(diversity.values(), default=np.nan),
        "t": max(distance.values(), default=np.nan),
        "pif": personal_information_factor(rig.to_frame(), setting.n),
        "loss": losses.mean() if len(losses) else 0.0,
    }
    worst = {}
    if tables:
        worst["l"] = min(diversity, key=diversity.__getitem__)
        worst["t"] = max(distance, key=distance.__getitem__)
    return Measured(
        numbers=pd.Series(numbers, dtype=float),
        cig=cig,
        rig=rig,
        sizes=pd.Series(classes.sizes, name="records"),
        losses=losses,
        riskiest=riskiest_records(cig, record_class_sizes(classes), np.flatnonzero(kept)),
        worst=worst,
        notes=(
            *_notes(setting, table.suggested),
            *([exact] if exact else []),
            *dict.fromkeys(str(one.message) for one in warned),
        ),
    )


def riskiest_records(
    cig: pd.DataFrame, alike: Any, positions: Any, most: int = RISKIEST
) -> pd.DataFrame:
    """Records that give away most, by their place in the table; none of their cells.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Cell information gain in bits.
    alike : array-like of shape (n_records,)
        How many records each cannot be told from.
    positions : array-like of shape (n_records,)
        Place of each record in the caller's table.
    most : int
        How many records are listed.

    Returns
    -------
    DataFrame of shape (n_listed, 4)
        `row` (position), `rig_bits`, `alike` (records), `column` of the largest gain; the
        largest row information gain first, and of equal ones the smallest class.

    Examples
    --------
    >>> cig = pd.DataFrame({"town": [0.6, 1.6], "illness": [0.5, 1.7]})
    >>> riskiest_records(cig, [2, 1], [4, 7])
       row  rig_bits  alike   column
    0    7       3.3      1  illness
    1    4       1.1      2     town
    """
    rig = row_information_gain(cig).to_numpy()
    least = np.partition(rig, -most)[-most] if len(rig) > most else -np.inf
    among = np.flatnonzero(rig >= least - 1e-9)
    company = np.asarray(alike)
    order = among[np.lexsort([company[among], -rig[among].round(9)])][:most]
    largest = cig.columns[cig.to_numpy()[order].argmax(axis=1)]
    return pd.DataFrame(
        {
            "row": np.asarray(positions)[order],
            "rig_bits": rig[order],
            "alike": company[order],
            "column": largest.to_numpy(),
        }
    )


def snippet(table: ExplorableTable, setting: Setting, *, save: str = "") -> str:
    """Python that makes the released table again, from the data on.

    Parameters
    ----------
    table, setting
        As for `treat`.
    save : str, optional
        Name of a file, CSV or Parquet: then the Python also prints k, and writes the rows
        into that file in an order drawn at random, without the index.

    Returns
    -------
    str
        Lines that leave the table in ``released``.

    Raises
    ------
    TypeError, ValueError
        If a column, role or level is not there.

    Examples
    --------
    >>> table = open_table(pd.DataFrame({"age": [17, 25, 39], "illness": list("xyx")}))
    >>> roles = {"age": "quasi-identifier", "illness": "sensitive"}
    >>> print(snippet(table, Setting(roles, {"age": 1})))
    from toolkit.anonymisation.hierarchies import interval_hierarchy
    from toolkit.anonymisation.recode import generalise
    from toolkit.anonymisation.release import without_traces
    <BLANKLINE>
    # data: the table that the explorer was given
    released = data[["age", "illness"]]
    hierarchies = {
        "age": interval_hierarchy(data["age"], [2, 4, 8]),
    }
    released = generalise(released, hierarchies, {"age": 1})
    released = without_traces(released)
    """
    check_setting(setting, table.heights)
    known = setting.quasi_identifiers
    levels = {name: setting.levels[name] for name in known if setting.levels.get(name, 0)}
    needed = set(table.imports)
    whose = [] if setting.person is None else [setting.person]
    names = [*setting.released, *whose]
    lines = [*table.origin, f"released = data[{_pretty(names, 16)}]"]
    if levels:
        needed |= {("toolkit.anonymisation.recode", "generalise")}
        needed |= {table.hierarchies[name].source for name in levels}
        trees = [f"    {_quoted(name)}: {_code(table, name)}," for name in levels]
        lines += ["hierarchies = {", *trees, "}"]
        lines.append(f"released = generalise(released, hierarchies, {_pretty(levels, 44)})")
    if setting.k > 1:
        needed |= {("toolkit.classes", "class_table")}
        lines.append(f"quasi_identifiers = {_pretty(known, 20)}")
        about = ["released", "quasi_identifiers"]
        if whose:
            about = [*about, f"person={_quoted(whose[0])}"]
            lines += ["classes = class_table(", *(f"    {one}," for one in about), ")"]
        else:
            lines.append(f"classes = class_table({', '.join(about)})")
        lines.append(f"released = released[classes.alike[classes.ids] >= {setting.k}]")
    needed |= {("toolkit.anonymisation.release", "without_traces")}
    if save:
        needed |= {("toolkit.disclosure.identity", "k_anonymity")}
        person = f", person={_quoted(whose[0])}" if whose else ""
        lines.append(f'print("k =", k_anonymity(released, {_pretty(known, 35)}{person}))')
    if whose:
        lines.append(f"released = released.drop(columns={_quoted(whose[0])})")
    lines.append("released = without_traces(released)")
    if save:
        lines.append("released = released.sample(frac=1)")
        kind = "csv" if save.endswith(".csv") else "parquet"
        lines.append(f"released.to_{kind}({_quoted(save)}, index=False)")
    return "\n".join([*_import_lines(needed), "", *lines, *([""] if save else [])])


def release_files(
    table: ExplorableTable,
    setting: Setting,
    suffix: str = ".csv",
    suppression_limit: float = SUPPRESSED,
) -> dict[str, bytes]:
    """Write what a setting releases: the table, its record, and the Python that makes it.

    Parameters
    ----------
    table, setting
        As for `treat`.
    suffix : {".csv", ".parquet"}
        Kind of the released file.
    suppression_limit : float
        Share of the records that the next table may lose, if the record is applied to it; at
        least the share that this one loses.

    Returns
    -------
    dict
        Contents by the name of the file. The release is that of `apply_treatment`, measured
        as it is read from its file.

    Raises
    ------
    TypeError, ValueError
        As `treat`, or if the file cannot hold the table, or misses k once it is read again.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "flu", "flu"]})
    >>> roles = {"age": "quasi-identifier", "illness": "sensitive"}
    >>> files = release_files(open_table(data), Setting(roles, {"age": 3}, k=2))
    >>> list(files)
    ['release.csv', 'release.json', 'treatment.py']
    >>> print(files["release.csv"].decode().strip())
    age,illness
    "[16, 24)",flu
    "[16, 24)",flu
    """
    _, kept = _company(table, setting)
    known, secret = setting.quasi_identifiers, setting.sensitive
    if not known:
        raise ValueError(
            "no column is a quasi-identifier, so nothing was treated: give that role to those"
            " that others may know."
        )
    gone = math.ceil(1000 * float((~kept).mean())) / 1000
    treatment = treating.plan_treatment(
        table.data,
        known,
        secret,
        thresholds={"k": setting.k},
        suppression_limit=max(suppression_limit, gone),
        hierarchies=table.hierarchies,
        levels={name: setting.level(name) for name in known},
        person=setting.person,
    )
    outcome = treating.carry_out(table.data, treatment)
    content = treating.release_bytes(outcome.released, suffix)
    name = f"release{suffix}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read = assume(read_table(path), known, secret)
    asked = treatment.thresholds
    judged = judged_thresholds(read.coded, known, secret, asked, who=outcome.who)
    if len(read.data) != len(outcome.released) or not (judged["met"] == "met").all():
        raise treating.ThresholdsMissed(
            f"the release misses k = {setting.k:,} once it is read from its file, where cells"
            f" may be written alike: choose another kind of file."
        )
    digest = hashlib.sha256(content).hexdigest()
    said = answer(judged, read)
    record = treating.release_record(treatment, outcome, judged, table.sha256, digest, said)
    text = json.dumps(record, allow_nan=False, indent=1, ensure_ascii=False) + "\n"
    python = snippet(table, setting, save=name)
    return {name: content, "release.json": text.encode(), "treatment.py": python.encode()}


def _places(column: pd.Series, tree: SuggestedHierarchy) -> tuple[IntArray, IntArray]:
    """The value that each record has, and the row of each value in its hierarchy."""
    codes, values = factorised(column)
    leaves = pd.Index(tree.iloc[:, 0], dtype=object, tupleize_cols=False)
    return codes, match_by_text(leaves, values)


def _exactly(cells: list[Any]) -> pd.Series:
    """Cells of a type of their own, unless that would round one, or cannot hold it."""
    kept = pd.Series(cells, dtype=object)
    try:
        found = pd.Series(cells)
    except UnicodeEncodeError:
        return kept
    return found if (found.astype(object).eq(kept) | kept.isna()).all() else kept


def _code(table: ExplorableTable, name: Any) -> str:
    """Call that builds the hierarchy of a column of ``data``."""
    return table.hierarchies[name].code.replace("{}", f"data[{_quoted(name)}]")


def _company(table: ExplorableTable, setting: Setting) -> tuple[pd.DataFrame, BoolArray]:
    """Columns to be released, those made coarser numbered, and which records are kept."""
    check_setting(setting, table.heights)
    check_whole(setting.k, "k", 1, 2**53, "the least number of records in a class")
    known = setting.quasi_identifiers
    columns = {
        name: table.coded(name, setting.level(name)) if name in known else table.secret(name)
        for name in setting.released
    }
    coded = pd.DataFrame(columns, index=table.data.index)
    kept = np.ones(len(coded), bool)
    if setting.k > 1:
        ids = equivalence_classes(coded, known).ids
        people = people_per_class(ids, table.people(setting.person), int(ids.max()) + 1)
        kept = people[ids] >= setting.k
    if not kept.any():
        raise ValueError(
            f"every record stands in a class of fewer than {setting.k:,}, so none would be"
            f" left: choose a smaller k, or make columns coarser."
        )
    return coded, kept


def _losses(table: ExplorableTable, setting: Setting, kept: BoolArray) -> pd.Series:
    """Loss of each quasi-identifier, on average over all records."""
    losses = {}
    for name in setting.quasi_identifiers:
        full = float(len(table.hierarchies[name]) > 1)  # of a suppressed cell
        left = table.losses(name, setting.level(name))
        losses[name] = float(np.where(kept, left, full).mean())
    return pd.Series(losses, dtype=float)


def _notes(setting: Setting, suggested: pd.DataFrame) -> list[str]:
    """What stays out of the release, and what patterns find in free text."""
    notes = []
    for role, why in (
        (IDENTIFIER, "never released"),
        (TEXT, "may say anything of anybody, so never released"),
        (OTHER, "not measured, so not released"),
    ):
        names = [str(name) for name, its in setting.roles.items() if its == role]
        if names:
            notes.append(f"{', '.join(names)}: {why}.")
    free = (suggested["role"] == TEXT) & (suggested["column"].map(setting.roles) == TEXT)
    notes += [f"{said}." for said in warnings_of(suggested[free])]
    if setting.person is not None:
        notes.append(f"k counts people, by {setting.person}.")
    else:
        several = suggested["warning"].str.endswith(BUT_RECORDS)
        notes += [f"{said}." for said in warnings_of(suggested[several])][:1]
    if not setting.sensitive:
        notes.append("No column is sensitive, so what could be learned was not measured.")
    return notes


def _import_lines(needed: set[tuple[str, str]]) -> list[str]:
    modules: dict[str, list[str]] = {}
    for module, name in sorted(needed):
        modules.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(names)}" for module, names in modules.items()]


def _pretty(value: Any, indent: int) -> str:
    """Write a list or dictionary, over several lines where one is too short for it."""
    text = _quoted(value)
    if len(text) + indent <= LINE:
        return text
    cells = [_quoted(cell) for cell in value]
    if isinstance(value, dict):
        cells = [f"{_quoted(key)}: {_quoted(one)}" for key, one in value.items()]
    lines = [""]
    for cell in cells:
        if len(lines[-1]) + len(cell) + 6 > LINE:
            lines.append("")
        lines[-1] += f" {cell}," if lines[-1] else f"    {cell},"
    return "\n".join([text[0], *lines, text[-1]])


def _quoted(value: Any) -> str:
    """Write a value with double quotes, where that is the same."""
    text = repr(value)
    return text.replace("'", '"') if '"' not in text and "\\" not in text else text


COLUMNS = 40
"""Columns that have room for their controls."""


def check_explorable(data: object) -> pd.DataFrame:
    """Return a table of a size that controls can be laid out for."""
    table = check_table(data)
    if table.shape[1] < 2:
        raise ValueError(
            f"the table has one column, {str(table.columns[0])[:40]!r}, and nothing that goes"
            f" with it: give at least two. In a file, look at the separator."
        )
    if table.shape[1] > COLUMNS:
        raise ValueError(
            f"the table has {table.shape[1]:,} columns, and there are controls for {COLUMNS}:"
            f" keep those that matter, as with data[[...]]."
        )
    return table


def check_setting(setting: Setting, heights: Mapping[Any, int]) -> None:
    """Check that roles are of the table's columns, and levels are there.

    Parameters
    ----------
    setting : Setting
        With `roles` and `levels`.
    heights : mapping
        Levels of each column of the table, the values themselves counted.
    """
    strange = [name for name in [*setting.roles, *setting.levels] if name not in heights]
    if strange or len(setting.roles) != len(heights):
        lacking = [name for name in heights if name not in setting.roles]
        wrong = f"{listed(strange)} is none" if strange else f"{listed(lacking)} has no role"
        raise ValueError(f"roles and levels are by column; {wrong}.")
    for name, role in setting.roles.items():
        check_choice(role, f"role of {name!r}", ROLES)
    if setting.person in setting.released:
        raise ValueError(
            f"{setting.person!r} tells people apart, so it cannot be"
            f" {setting.roles[setting.person]}, too: make it a {IDENTIFIER}, or count records."
        )
    for name, level in setting.levels.items():
        check_whole(level, f"level of {name!r}", 0, heights[name] - 1, "0 leaves it as it is")
    if not setting.released:
        raise ValueError(
            "no column is measured: make at least one a quasi-identifier or sensitive."
        )
