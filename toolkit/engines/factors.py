"""Personal information factors of a table in an engine.

While the distinct rows fit the budget they are judged in memory, with the records of each as
weights, and every record gets the numbers of its distinct row. Beyond it, window functions of
the engine count each cell's context: the records that agree on all other features.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from .._typing import in_engine
from .._validation import (
    check_per_column,
    check_percentile,
    check_whole,
)
from ..information.contexts import attack_on, read_accuracies
from ..information.entropies import entropy_of
from ..information.pif import (
    InformationFactors,
    cell_information_gain,
    cell_surprise_factor,
    feature_information_gain,
    information_factors,
    personal_information_factor,
    row_information_gain,
    weighted_cell_information_gain,
)
from .classes import check_no_weights
from .distinct import DistinctInEngine, count_distinct_rows
from .table import EngineTable, clear_errors, fetch, free_name, named, upload

GAIN, SURPRISE, WEIGHTED = "gain", "surprise", "weighted gain"


@in_engine(cell_information_gain, EngineTable)
def gains_in_engine(table: EngineTable, **options: Any) -> EngineTable:
    """Bits an attacker gains about each cell."""
    return _judge(table, GAIN, cell_information_gain, options)


@in_engine(cell_surprise_factor, EngineTable)
def surprises_in_engine(table: EngineTable, **options: Any) -> EngineTable:
    """How far the probability of each cell moves."""
    return _judge(table, SURPRISE, cell_surprise_factor, options)


@in_engine(weighted_cell_information_gain, EngineTable)
def weighted_gains_in_engine(table: EngineTable, **options: Any) -> EngineTable:
    """Bits gained about each cell, weighted by what its feature leaves open."""
    return _judge(table, WEIGHTED, weighted_cell_information_gain, options)


def _judge(
    table: EngineTable,
    measure: str,
    in_memory: Callable[..., pd.DataFrame],
    options: Mapping[str, Any],
) -> EngineTable:
    """Judge each cell; `in_memory` does it for a DataFrame with the same options."""
    counted = _count(table, options)
    if counted.fits:
        counted.note()
        here = counted.bring()
        cells = in_memory(here.frame, **{**options, "weights": here.records})
        numbers = {name: cells.iloc[:, j].to_numpy() for j, name in enumerate(here.columns)}
        return here.on_records(here.columns, np.arange(len(cells)), numbers)
    found, _ = _by_windows(table, measure, options)
    counted.note(found.expression)
    return found


class FactorsInEngine(InformationFactors):
    """All factors of a table in an engine."""

    @cached_property
    def wcig(self) -> EngineTable:
        """Weighted gain of each cell (bits)."""
        return weighted_columns(self.cig, self.open_share)

    def pif(self, n: float) -> float:
        """PIF_n in bits."""
        return percentile_in_engine(self.rig, check_percentile(n))


@in_engine(information_factors, EngineTable)
def factors_in_engine(table: EngineTable, **options: Any) -> FactorsInEngine:
    """All factors of a table that is left in its engine beyond the budget."""
    counted = _count(table, options)
    if counted.fits:
        counted.note()
        here = counted.bring()
        found = information_factors(here.frame, **{**options, "weights": here.records})
        cig, csf = (
            here.on_records(
                here.columns,
                np.arange(len(here.frame)),
                {name: cells.iloc[:, j].to_numpy() for j, name in enumerate(here.columns)},
            )
            for cells in (found.cig, found.csf)
        )
        return FactorsInEngine(cig, csf, found.fig, row_sums(cig), found.open_share, None)
    cig, open_share = _by_windows(table, WEIGHTED, options, weigh=False)
    csf, _ = _by_windows(table, SURPRISE, options)
    counted.note(cig.expression)
    return FactorsInEngine(cig, csf, column_sums(cig), row_sums(cig), open_share, None)


def _count(table: EngineTable, options: Mapping[str, Any]) -> DistinctInEngine:
    check_no_weights(options.get("weights"))
    return count_distinct_rows(table, table.features)


# What the attacker believes beforehand


@dataclass(frozen=True, eq=False)
class _Beliefs:
    """The table with the prior probability of each cell beside it."""

    cells: Any
    priors: Mapping[str, str]
    """From a feature to the column that holds the prior probability of its values."""
    bits: Mapping[str, float]
    """Entropy of each feature in the table itself."""
    accuracies: Mapping[str, float]


def _believe(table: EngineTable, options: Mapping[str, Any]) -> _Beliefs:
    frame = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
    given = check_per_column(frame, options.get("priors"), "priors")
    accuracy = read_accuracies(frame, options.get("accuracies"))
    cells = table.cells
    priors: dict[str, str] = {}
    bits: dict[str, float] = {}
    for j, name in enumerate(table.features):
        counted = count_distinct_rows(table, [name])
        if j in given and not counted.fits:
            raise ValueError(
                f"budget: the values of column {name!r} alone exceed it, so they cannot be"
                " given prior probabilities; raise the budget, or leave the prior of the"
                " column out."
            )
        taken = {*cells.columns, *priors.values()}
        column = free_name(f"prior of {name}", taken)
        if not counted.fits:
            bits[name], cells = _own_prior(counted, cells, column)
            priors[name] = column
            continue
        here = counted.bring()
        prior = {name: given[j]} if j in given else None
        attack = attack_on(here.frame, prior, None, here.records)
        probability = attack.priors[0][attack.codes[0]]
        bits[name] = entropy_of(attack.empirical[0])
        value = free_name("value", {*taken, column})
        look = here.arrow.select([name]).rename_columns([value])
        look = look.append_column(column, [probability])
        with clear_errors(table, "sending prior probabilities to the engine"):
            there = upload(table, look)
        alike = cells[name].identical_to(there[value])
        cells = cells.left_join(there, [alike]).select(*cells.columns, column)
        priors[name] = column
    accuracies = {name: accuracy.get(j, 1.0) for j, name in enumerate(table.features)}
    return _Beliefs(cells, priors, bits, accuracies)


def _own_prior(counted: DistinctInEngine, cells: Any, column: str) -> tuple[float, Any]:
    """Entropy of a feature of very many values, and its share beside each cell."""
    import ibis

    table, [name] = counted.table, counted.columns
    share = counted.counted[counted.count_name].cast("float64") / float(table.records)
    with clear_errors(table, f"measuring the entropy of {name!r}"):
        bits = float(fetch(-(share * share.log2()).sum())[0][0].as_py())
    alike = cells.count().over(ibis.window(group_by=[name])).cast("float64")
    return abs(bits), cells.mutate(**{column: alike / float(table.records)})


# Contexts counted by window functions


def _by_windows(
    table: EngineTable, measure: str, options: Mapping[str, Any], *, weigh: bool = True
) -> tuple[EngineTable, pd.Series]:
    """Cells judged in the engine, and the open share of each feature where that is asked."""
    key, features = table.checked_key, table.features
    unknown = options.get("unknown", 1)
    width = len(features)
    check_whole(unknown, "unknown", 1, width, "the number of cells the attacker lacks")
    sets = list(itertools.combinations(range(width), unknown))
    beliefs = _believe(table, options)
    cells, places = _counted(beliefs.cells, features, sets)
    if measure == SURPRISE:
        found = {
            name: _surprise(cells, beliefs, name, *places[name][0][1:]) for name in features
        }
        return _keyed(table, cells.select(cells[key], *named(found))), pd.Series(dtype=float)
    cells, bits = _gained(cells, beliefs, places)
    gains = {name: _average([cells[one] for one in bits[name]]) for name in features}
    open_share = pd.Series(dtype=float)
    if measure == WEIGHTED:
        open_share = _open_share(table, cells, beliefs, places)
        if weigh:
            gains = {
                name: gain * open_share[name] if open_share[name] > 0 else gain * 0.0
                for name, gain in gains.items()
            }
    return _keyed(table, cells.select(cells[key], *named(gains))), open_share


def _counted(
    cells: Any, features: Sequence[str], sets: Sequence[Sequence[int]]
) -> tuple[Any, dict[str, list[tuple[list[str], str, str]]]]:
    """Count contexts and cells: per feature and set the known features and the two counts."""
    import ibis

    places: dict[str, list[tuple[list[str], str, str]]] = {name: [] for name in features}
    columns: dict[str, Any] = {}
    taken = set(cells.columns)
    for number, unknown in enumerate(sets):
        known = [name for j, name in enumerate(features) if j not in unknown]
        context = free_name(f"context {number}", taken)
        columns[context] = cells.count().over(ibis.window(group_by=known))
        for j in unknown:
            same = free_name(f"same {number} {j}", taken)
            window = ibis.window(group_by=[*known, features[j]])
            columns[same] = cells.count().over(window)
            places[features[j]].append((known, context, same))
    return cells.mutate(**columns), places


def _gained(
    cells: Any, beliefs: _Beliefs, places: Mapping[str, list[tuple[list[str], str, str]]]
) -> tuple[Any, dict[str, list[str]]]:
    """Gains of each feature, a column for each set of unknown features."""
    import ibis

    bits: dict[str, list[str]] = {name: [] for name in places}
    columns: dict[str, Any] = {}
    for name, contexts in places.items():
        a = beliefs.accuracies[name]
        # A value that no record of a context has keeps 1 - a of its prior.
        lost = (1 - a) * math.log2(1 - a) if 0 < a < 1 else 0.0
        q = cells[beliefs.priors[name]]
        for number, (known, context, same) in enumerate(contexts):
            share = cells[same].cast("float64") / cells[context].cast("float64")
            p = share if a == 1 else a * share + (1 - a) * q
            term = p * (p.nullif(0).log2() - q.nullif(0).log2()) - lost * q
            # The rows of one cell divide its term among them.
            part = ibis.cases((q == 0, math.inf), else_=term) / cells[same].cast("float64")
            gain = part.sum().over(ibis.window(group_by=known)) + lost
            column = free_name(f"bits {number} of {name}", {*cells.columns, *columns})
            zero = ibis.literal(0.0)
            columns[column] = ibis.greatest(gain, zero) if a > 0 else zero
            bits[name].append(column)
    return cells.mutate(**columns), bits


def _surprise(cells: Any, beliefs: _Beliefs, name: str, context: str, same: str) -> Any:
    share = cells[same].cast("float64") / cells[context].cast("float64")
    return beliefs.accuracies[name] * (share - cells[beliefs.priors[name]]).abs()


def _average(columns: Sequence[Any]) -> Any:
    total = columns[0]
    for column in columns[1:]:
        total = total + column
    return total / float(len(columns)) if len(columns) > 1 else total


def _open_share(
    table: EngineTable,
    cells: Any,
    beliefs: _Beliefs,
    places: Mapping[str, list[tuple[list[str], str, str]]],
) -> pd.Series:
    """H(X | rest) / H(X) of each feature, of the table itself."""
    if len(places) == 1:
        name = next(iter(places))
        return pd.Series({name: float(beliefs.bits[name] > 0)}, name="open_share")
    names = {name: f"open {j}" for j, name in enumerate(places)}
    left = {}
    for name, [(_, context, same)] in places.items():
        share = cells[same].cast("float64") / cells[context].cast("float64")
        left[names[name]] = -share.log2().mean()
    with clear_errors(table, "averaging what contexts leave open"):
        found = fetch(cells.aggregate(**left))
    shares = {
        name: min(max(found[column][0].as_py(), 0.0) / beliefs.bits[name], 1.0)
        if beliefs.bits[name] > 0
        else 0.0
        for name, column in names.items()
    }
    return pd.Series(shares, name="open_share")


# Sums and percentiles of a table of gains


def weighted_columns(cig: EngineTable, open_share: pd.Series) -> EngineTable:
    """Scale each column of gains; a weight of 0 makes even an infinite gain 0."""
    import ibis

    table = cig.expression
    cells = {
        name: table[name] * float(open_share[name])
        if open_share[name] > 0
        else ibis.literal(0.0)
        for name in cig.features
    }
    return _keyed(cig, table.select(table[cig.checked_key], *named(cells)))


@in_engine(feature_information_gain, EngineTable)
def column_sums(cig: EngineTable, *, weights: Any = None) -> pd.Series:
    """Sum each column of gains, in the engine."""
    _check_numbers(cig.expression.schema(), cig.features)
    columns = {f"sum {j}": cig.expression[name].sum() for j, name in enumerate(cig.features)}
    with clear_errors(cig, "adding up the columns"):
        found = fetch(cig.expression.aggregate(**columns))
    sums = [float(found[f"sum {j}"][0].as_py()) for j in range(len(cig.features))]
    return pd.Series(sums, index=cig.features, name="fig")


@in_engine(row_information_gain, EngineTable)
def row_sums(cig: EngineTable) -> EngineTable:
    """Sum each row of gains, as a table of the key and `rig`."""
    _check_numbers(cig.expression.schema(), cig.features)
    table = cig.expression
    total = table[cig.features[0]].cast("float64")
    for name in cig.features[1:]:
        total = total + table[name]
    name = free_name("rig", {cig.key or ""})
    if cig.key is None:
        return _keyed(cig, table.select(**{name: total}))
    return _keyed(cig, table.select(table[cig.key], **{name: total}))


@in_engine(personal_information_factor, EngineTable)
def pif_in_engine(cig: EngineTable, n: float, *, weights: Any = None) -> float:
    """PIF_n in bits."""
    return percentile_in_engine(row_sums(cig), check_percentile(n))


def percentile_in_engine(rig: EngineTable, n: float) -> float:
    """Linear percentile of the row sums, exact: the two neighbours are found by rank."""
    [column] = rig.features
    place = (rig.records - 1) * n / 100
    low, high = math.floor(place), math.ceil(place)
    ranked = rig.expression.select(column).order_by(column)
    with clear_errors(rig, "looking for a percentile"):
        found = fetch(ranked.limit(high - low + 1, offset=low))[column].to_pylist()
    ends = sorted(found)
    part = place - low
    same = part == 0 or ends[0] == ends[-1]
    return float(ends[0] if same else ends[0] + (ends[-1] - ends[0]) * part)


def _keyed(table: EngineTable, expression: Any) -> EngineTable:
    return replace(table, expression=expression)


# What is refused


def _check_numbers(schema: Any, names: Sequence[str]) -> None:
    """Refuse a table of gains with a column that holds no numbers."""
    for name in names:
        if not schema[name].is_numeric():
            raise TypeError(
                f"cig must hold gains in bits; column {name!r} is of type {schema[name]}. Pass"
                f" the result of cell_information_gain with its key, not the table of records."
            )
