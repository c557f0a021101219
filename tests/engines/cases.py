"""What a table in an engine must answer as a table in memory does: random tables, all metrics.

`agree` asks every metric of both and compares within 1e-9; records by key, classes by their
quasi-identifiers. Tests of DuckDB and of Spark bring the engine.
"""

import datetime
import decimal
import math
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa

import toolkit as tk
from toolkit import EngineTable
from toolkit._old import attribute, identity
from toolkit._old.catalogue import MODELS
from toolkit.engines.table import fetch

TINY, AMPLE = 1, "1 GB"
"""A budget that no class table fits, and one that each fits."""

KEY = "the id"


def arrow_of(data):
    """The table with a key as Arrow has it; a column of nothing is text."""
    arrow = pa.Table.from_pandas(data.assign(**{KEY: data.index}), preserve_index=False)
    for j, field in enumerate(arrow.schema):
        if pa.types.is_null(field.type):
            arrow = arrow.set_column(j, field.name, arrow.column(j).cast(pa.string()))
    return arrow


def random_table(rng):
    """One to three quasi-identifiers of several kinds and a sensitive column, `s`."""
    n = int(rng.integers(1, 60))
    kinds = [
        lambda: np.array(list("abc"), object)[rng.integers(0, 3, n)],
        lambda: rng.integers(0, 3, n),
        lambda: rng.choice([0.5, 1.5, np.nan], n),
        lambda: np.array(["*", "x", None], object)[rng.integers(0, 3, n)],
    ]
    hidden = [
        lambda: rng.integers(0, 5, n),
        lambda: rng.choice([1.0, 2.0, 7.0, np.nan], n),
        lambda: np.array(["u", "v", None], object)[rng.integers(0, 3, n)],
        lambda: (
            pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 4, n), unit="D")
        ),
    ]
    width = int(rng.integers(1, 4))
    cells = {f"c{j}": kinds[rng.integers(0, 4)]() for j in range(width)}
    cells["s"] = hidden[rng.integers(0, 4)]()
    return pd.DataFrame(cells)


def treated(data, columns, rng):
    """A generalisation of some columns, some records suppressed; and the hierarchies."""
    after, hierarchies = data.copy(), {}
    for name in columns:
        values = data[name].unique()
        group = {
            None if pd.isna(value) else value: f"g{i % 2}" for i, value in enumerate(values)
        }
        rows = [[value, group[None if pd.isna(value) else value], "all"] for value in values]
        hierarchies[name] = rows
        level = int(rng.integers(0, 3))
        if level:
            labels = [group[None if pd.isna(cell) else cell] for cell in data[name]]
            after[name] = labels if level == 1 else "all"
        else:
            after[name] = [None if pd.isna(cell) else str(cell) for cell in data[name]]
            hierarchies[name] = [
                [value, group[None if pd.isna(value) else value], "all"] for value in values
            ]
            after[name] = data[name].astype(object)
    gone = rng.random(len(data)) < 0.1
    for name in columns:
        if gone.any() and after[name].map(lambda x: isinstance(x, str) or pd.isna(x)).all():
            after.loc[gone, name] = "*"
    return after, hierarchies


# Every metric: what is asked of a table d, its population p, and roles


CELLS = {
    "cig": lambda d: tk.cell_information_gain(d),
    "csf": lambda d: tk.cell_surprise_factor(d),
    "wcig": lambda d: tk.weighted_cell_information_gain(d),
    "rig": lambda d: tk.row_information_gain(tk.cell_information_gain(d)),
    "fig": lambda d: tk.feature_information_gain(tk.cell_information_gain(d)).to_numpy(),
    "pif": lambda d: [*map(tk.information_factors(d).pif, (0, 37, 100))],
    "open": lambda d: tk.information_factors(d).open_share.to_numpy(),
}
NUMBERS = {
    "k": lambda d, p, q, s, m: tk.k_anonymity(d, q, missing=m),
    "skip": lambda d, p, q, s, m: tk.delta_disclosure(
        d, q, s, absent="skip", base=2, missing=m
    ),
    "t equal": lambda d, p, q, s, m: tk.t_closeness(d, q, s, kind="equal", missing=m),
    "size": lambda d, p, q, s, m: tk.average_class_size(d, q, missing=m),
    "pairs": lambda d, p, q, s, m: tk.discernability(d, q, removed=2, missing=m),
    "labels": lambda d, p, q, s, m: tk.classification_metric(d, q, s, missing=m),
    "k-map": lambda d, p, q, s, m: tk.k_map(d, p, q, missing=m),
    "presence": lambda d, p, q, s, m: tuple(tk.delta_presence(d, p, q, missing=m)),
    "risk": lambda d, p, q, s, m: tuple(
        tk.reidentification_risk(d, q, threshold=0.3, missing=m)
    ),
    "journalist": lambda d, p, q, s, m: tuple(
        tk.reidentification_risk(d, q, population=p, threshold=0.3, missing=m)
    ),
}
NUMBERS |= {  # every model of sensitive values
    name: lambda d, p, q, s, m, name=name: getattr(tk, name)(d, q, s, missing=m)
    for name, model in MODELS.items()
    if model.about == "values"
}
NUMBERS |= {}
RECORDS = {
    "sizes": lambda d, p, q, m: tk.record_class_sizes(d, q, missing=m),
    "people": lambda d, p, q, m: tk.population_matches(d, p, q, missing=m),
    "candidates": lambda d, p, q, m: tk.linkage_candidates(p, d, q, missing=m),
    "risks": lambda d, p, q, m: identity.record_risks(d, q, population=p, missing=m),
}
CLASSES = {
    "class sizes": lambda d, p, q, s, m: tk.class_sizes(d, q),
    "presence": lambda d, p, q, s, m: tk.class_presence(d, p, q, missing=m),
    "diversity": lambda d, p, q, s, m: attribute.class_diversity(d, q, s, missing=m),
    "recursive c": lambda d, p, q, s, m: attribute.recursive_diversity_by_class(
        d, q, s, l=2, missing=m
    ),
    "likeness": lambda d, p, q, s, m: attribute.beta_likeness_by_class(d, q, s, missing=m),
    "disclosures": lambda d, p, q, s, m: attribute.delta_disclosure_by_class(
        d, q, s, base=2, missing=m
    ),
    "distances": lambda d, p, q, s, m: attribute.t_closeness_by_class(d, q, s, missing=m),
    "penalties": lambda d, p, q, s, m: tk.class_penalties(d, q, s, missing=m),
}
SUBSETS = {}
LOSSES = {
    "precision": tk.generalisation_precision,
    "loss": tk.information_loss,
    "penalty": tk.normalised_certainty_penalty,
    "bits": tk.non_uniform_entropy,
}
ROW_LOSSES = {
    "levels": tk.cell_levels,
    "penalties": tk.cell_penalties,
    "losses": tk.cell_losses,
    "surprises": tk.cell_surprises,
}


def answer(ask):
    """What was answered, or the type of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ask()
        except (TypeError, ValueError) as error:
            return type(error)


def frame(result, key=None):
    """A result of an engine as a DataFrame, by its key or in any order."""
    if isinstance(result, EngineTable):
        result = fetch(result.expression).to_pandas(date_as_object=False)
        return result if key is None else result.set_index(key).sort_index()
    return result.to_frame() if isinstance(result, pd.Series) else result


def close(found, wanted):
    """Whether numbers are the same within 1e-9; None and a missing number are alike."""
    one, other = (
        np.array(
            [[np.nan if pd.isna(x) else float(x) for x in np.atleast_1d(row)] for row in t]
        )
        for t in (np.atleast_1d(found), np.atleast_1d(wanted))
    )
    return one.shape == other.shape and np.allclose(
        one, other, rtol=1e-9, atol=1e-9, equal_nan=True
    )


def same(found, wanted):
    """Whether two plain answers agree: the same error, or close numbers."""
    if isinstance(found, type) or isinstance(wanted, type):
        return found is wanted
    if found is None or wanted is None:
        return found is wanted
    return close(np.array(found, object), np.array(wanted, object))


def same_records(found, wanted, order):
    """Whether each record has the same numbers."""
    if isinstance(found, type) or isinstance(wanted, type):
        return found is wanted
    there, here = frame(found, KEY), frame(wanted).loc[order]
    return list(there.index) == list(order) and close(there.to_numpy(), here.to_numpy())


def plain(cell):
    """A label of a class that does not depend on how it is stored."""
    if pd.isna(cell):
        return "missing"
    if isinstance(cell, (datetime.date, np.datetime64)):
        return pd.Timestamp(cell)
    return cell.item() if hasattr(cell, "item") else cell


def by_class(result, q):
    """Numbers of each class, by its labels."""
    table = frame(result)
    if not isinstance(result, EngineTable):
        table = table.reset_index()
    names = [*table.columns[len(q) :]]
    shown = {"value", "offending", "commonest"}
    numbers = [name for name in names if name not in shown]
    found = {}
    for row in table.itertuples(index=False, name=None):
        cells = dict(zip(table.columns, row, strict=True))
        found[tuple(plain(cells[name]) for name in q)] = {
            name: float(cells[name]) for name in numbers
        }
    return found


def same_classes(found, wanted, q):
    """Whether each class has the same numbers; those that the engine gives."""
    if isinstance(found, type) or isinstance(wanted, type):
        return found is wanted
    one, other = by_class(found, q), by_class(wanted, q)
    if one.keys() != other.keys():
        return False
    return all(
        math.isclose(number, other[label][name], rel_tol=1e-9, abs_tol=1e-9)
        or number == other[label][name]
        for label, numbers in one.items()
        for name, number in numbers.items()
    )


def agree(open_both, data, missing, budget, groups=("cells", "numbers", "records", "classes")):
    """Names of the metrics whose answers differ.

    `open_both` makes engine tables of two DataFrames, in one engine.
    """
    q, s = list(data.columns[:-1]), data.columns[-1]
    part = data.sample(frac=0.6, random_state=len(data)).sort_index()
    part = part if len(part) else data
    sample, people = open_both(part, data, budget)
    order, wrong = list(part.index), []

    def note(name, fine):
        if not fine:
            wrong.append(name)

    if "cells" in groups:
        for name, ask in CELLS.items():
            found, wanted = answer(lambda: ask(sample)), answer(lambda: ask(part))  # noqa: B023
            if name in ("fig", "pif", "open"):
                note(name, same(found, wanted))
            else:
                note(name, same_records(found, wanted, order))
    if "numbers" in groups:
        for name, ask in NUMBERS.items():
            found = answer(lambda: ask(sample, people, q, s, missing))  # noqa: B023
            wanted = answer(lambda: ask(part, data, q, s, missing))  # noqa: B023
            note(name, same(found, wanted))
    if "records" in groups:
        for name, ask in RECORDS.items():
            mine = list(data.index) if name == "candidates" else order
            found = answer(lambda: ask(sample, people, q, missing))  # noqa: B023
            wanted = answer(lambda: ask(part, data, q, missing))  # noqa: B023
            note(name, same_records(found, wanted, mine))
    if "classes" in groups:
        for name, ask in CLASSES.items():
            found = answer(lambda: ask(sample, people, q, s, missing))  # noqa: B023
            wanted = answer(lambda: ask(part, data, q, s, missing))  # noqa: B023
            note(f"class {name}", same_classes(found, wanted, q))
        for name, ask in SUBSETS.items():
            found = answer(lambda: ask(sample, q, missing))  # noqa: B023
            wanted = answer(lambda: ask(part, q, missing))  # noqa: B023
            note(name, found is wanted if isinstance(found, type) else found.equals(wanted))
    return wrong


def losses_agree(open_both, data, rng, budget=AMPLE):
    """Names of the losses whose answers differ between memory and engine."""
    q = list(data.columns[:-1])
    after, hierarchies = treated(data, q, rng)
    original, release = open_both(data, after, budget)
    wrong = []
    for name, ask in LOSSES.items():
        found = answer(lambda: ask(original, release, hierarchies))  # noqa: B023
        if not same(found, answer(lambda: ask(data, after, hierarchies))):  # noqa: B023
            wrong.append(name)
    for name, ask in ROW_LOSSES.items():
        found = answer(lambda: ask(original, release, hierarchies))  # noqa: B023
        wanted = answer(lambda: ask(data, after, hierarchies))  # noqa: B023
        if not same_records(found, wanted, list(data.index)):
            wrong.append(f"cell {name}")
    found = answer(lambda: tk.release_kl_divergence(original, release, q))
    if not same(found, answer(lambda: tk.release_kl_divergence(data, after, q))):
        wrong.append("divergence")
    found = answer(lambda: tk.record_divergences(original, release, q))
    wanted = answer(lambda: tk.record_divergences(data, after, q))
    if not same_records(found, wanted, list(data.index)):
        wrong.append("divergences")
    return wrong


THRESHOLDS = {"k": 2, "alpha": 0.5, "l": 2, "entropy_l": 1.5, "c": 2, "beta": 0.3, "risk": 0.4}
THRESHOLDS |= {"enhanced_beta": 0.3, "delta": 1, "t": 0.1}
OF_PEOPLE = {"k_map": 2, "presence_lower": 0.1, "presence_upper": 0.8}


def same_cell(found, wanted):
    """Whether two cells of a report agree: labels and texts exactly, numbers within 1e-9."""
    if isinstance(found, tuple) and isinstance(wanted, tuple):
        return len(found) == len(wanted) and all(map(same_cell, found, wanted))
    if found is None or wanted is None or isinstance(found, str):
        return found == wanted
    if pd.isna(found) or pd.isna(wanted):
        return bool(pd.isna(found) and pd.isna(wanted))
    return found == wanted or (
        isinstance(found, float) and math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9)
    )


def reports_agree(open_both, data, missing, **more):
    """Cells of the report of a table that stays in the engine which differ.

    Classes have no order, so the first of the worst is that of the table which came back; all
    numbers, and the records that are marked, are those of memory.
    """
    q, s = list(data.columns[:-1]), data.columns[-1]
    known = data[s].dropna()  # thresholds of secrets want them all
    data = data.assign(**{s: data[s].fillna(known.iloc[0])}) if len(known) else data
    part = data.sample(frac=0.6, random_state=len(data)).sort_index()
    part = part if len(part) else data
    options = {**THRESHOLDS, "missing": missing, **more}
    stays, back, here = (
        answer(lambda: tk.check_privacy(one, q, s, population=people, **options))  # noqa: B023
        for one, people in (
            (d, p if missing == "category" else None)
            for d, p in (
                open_both(part, data, TINY),
                open_both(part, data, AMPLE),
                (part, data),
            )
        )
    )
    if isinstance(stays, type) or isinstance(here, type):
        return [] if stays is back is here else [stays, back, here]
    wrong = [] if stays.facts == back.facts == here.facts else [stays.facts, here.facts]
    pairs = (
        (name, one[name], other[name], third[name])
        for one, other, third in zip(
            *(report.table.to_dict("records") for report in (stays, back, here)), strict=True
        )
        for name in one
    )
    for name, found, fetched, wanted in pairs:
        fine = same_cell(found, fetched)
        if not (fine and (name.startswith("worst") or same_cell(found, wanted))):
            wrong.append((name, found, fetched, wanted))
    for key in here.marks:
        wanted = here.violations(*key)
        for report in (stays, back):
            if not frame(report.violations(*key), KEY).iloc[:, 0].equals(wanted):
                wrong.append(key)
    return wrong


# Cells that engines and pandas may take differently


D = decimal.Decimal
PECULIAR = {
    "minus zero": {"a": [0.0, -0.0, 1.0, -0.0], "s": [0.0, -0.0, 0.0, 2.0]},
    "not a number": {
        "a": [np.nan, 1.0, np.inf, -np.inf, np.inf, np.nan],
        "s": [1.5, np.nan, np.nan, 2.5, 2.5, 1.5],
    },
    "truth": {
        "a": pd.array([True, None, True, None], dtype="boolean"),
        "s": [True, False, False, True],
    },
    "dates": {
        "a": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), None, None],
        "s": [datetime.date(2020, 1, day) for day in (1, 5, 9, 5)],
    },
    "zones": {
        "a": pd.to_datetime(["2020-01-01", "2020-01-01", "2020-06-01", "2020-06-01"])
        .tz_localize("Europe/Rome")
        .as_unit("us"),
        "s": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-06-01", "2020-06-01"])
        .tz_localize("UTC")
        .as_unit("us"),
    },
    "decimals": {
        "a": [D("1.10"), D("1.1"), D("2.00"), None],
        "s": [D("1.10"), D("1.20"), D("2.00"), D("3.00")],
    },
    "big numbers": {
        "a": pd.array([2**53, 2**53 + 1, None, 2**62], dtype="Int64"),
        "s": [2**53, 2**53 + 1, 2**53, 2**53 + 1],
    },
    "texts": {"a": ["a", "A", "a ", "a", "", "ä"], "s": ["x", "X", "x ", "", "ẞ", "ß"]},
    "names": {
        "q0": [1, 1, 2, 2],
        "size": [1, 1, 1, 2],
        "records": [1, 2, 1, 1],
        "prior of q0": [1, 1, 1, 2],
        'it\'s "quoted" x': [1, 2, 1, 2],
        "people": [1, 2, 3, 3],
    },
    "more names": {
        "n": [1, 1, 2, 2],
        "of n": [1, 1, 1, 2],
        "value": [3, 3, 3, 3],
        "context 0": [1, 2, 1, 1],
        "rig": [1, 1, 1, 2],
        "delta": [1, 2, 3, 3],
    },
    "one row": {"a": ["x"], "s": [1]},
    "nothing there": {"a": [None] * 4, "b": [np.nan] * 4, "s": ["u", "v", "v", "v"]},
    "suppressed": {"a": ["*", "*", "x", "*"], "b": ["*", "y", "*", "*"], "s": [1, 2, 3, 3]},
    "all suppressed": {"a": ["*"] * 3, "b": ["*"] * 3, "s": [1, 2, 3]},
}
