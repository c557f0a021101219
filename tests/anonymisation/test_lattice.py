"""The optimal full-domain search: against a naive sweep, published optima, edges."""

import itertools
import math
import os
import re
import tracemalloc
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import toolkit as tk
from tests.oracles import lattice as oracle
from tests.oracles.classes import Classes
from tests.tables import used
from toolkit import optimal_generalisation
from toolkit.anonymisation.lattice import LOSSES, TIE, Lattice, Look, ThresholdsMissed, below

ZIPS = [["11", "1*", "*"], ["12", "1*", "*"], ["20", "2*", "*"], ["21", "2*", "*"]]
SEXES = [["f", "*"], ["m", "*"]]
TREES = {"zip": ZIPS, "sex": SEXES}
TASK = {"quasi_identifiers": ["zip", "sex"], "hierarchies": TREES, "k": 2}
DATA = pd.DataFrame(
    {
        "zip": ["11", "11", "12", "20", "20", "21"],
        "ill": ["flu", "hiv", "flu", "hiv", "flu", "flu"],
        "sex": ["f", "f", "f", "m", "m", "m"],
    },
    index=list("uvwxyz"),
)
BOTH = (tk.optimal_generalisation, tk.exhaustive_generalisation)
every_way = pytest.mark.parametrize("generalise", BOTH, ids=["optimal", "exhaustive"])

POOLS = [["a", "b", "c", "d"], [1, 2, 3, 4], ["x", None, "y"], [0.5, 2.0, 7.5]]
LIMITS = [0.0, 0.1, 0.29, 1 / 3, 0.5, 0.75, 1.0]


@st.composite
def trees(draw, values):
    """A hierarchy of some values and of others that no record has, of any height."""
    values = [*values, *draw(st.sampled_from([[], ["nobody"], ["nobody", "no one"]]))]
    rows = [[value] for value in draw(st.permutations(values))]
    groups = list(range(len(rows)))
    for level in range(draw(st.integers(0, 3))):
        merged = [draw(st.integers(0, max(groups))) for _ in range(max(groups) + 1)]
        label = draw(st.sampled_from(["{}", "level {}", "*"]))
        groups = [0 if label == "*" else merged[group] for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(label.format(f"{group}@{level}"))
    return rows


@st.composite
def thresholds(draw):
    """Thresholds of a sensitive column for the toolkit, and for the oracle."""
    kind = draw(st.sampled_from(["none", "l", "entropy", "recursive", "t", "l and t"]))
    asked, task = {}, {}
    if kind in ("l", "l and t", "recursive"):
        asked["l"] = task["l"] = draw(st.integers(1, 3))
    if kind == "entropy":
        asked["entropy_l"] = task["l"] = draw(st.sampled_from([1, 1.5, 1.8, 2, 3]))
        task["diversity"] = kind
    if kind == "recursive":
        asked["c"] = task["c"] = draw(st.sampled_from([0.5, 1, 2.5]))
        task["diversity"] = kind
    if kind in ("t", "l and t"):
        asked["t"] = task["t"] = draw(st.sampled_from([0, 0.2, 0.3, 0.5, 1]))
        asked["kind"] = draw(st.sampled_from(["ordered", "equal"]))
        task["ranked"] = [1, 2, 3] if asked["kind"] == "ordered" else None
    return asked | ({"sensitive": "secret"} if asked else {}), task


@st.composite
def tasks(draw, most=12, columns=3):
    """A task for the oracle, and the same for the toolkit: a frame and keywords."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, columns))
    pools = [draw(st.sampled_from(POOLS)) for _ in range(d)]
    cells = [draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)) for pool in pools]
    secret = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=n, max_size=n))
    tables = [draw(trees(pool)) for pool in pools]
    asked, wanted = draw(thresholds())
    k, limit = draw(st.integers(1, min(4, n))), draw(st.sampled_from(LIMITS))
    data = as_frame(draw, cells, secret)
    rows = [tuple(row) for row in zip(*cells, secret, strict=True)]
    task = oracle.Task(rows, tables, k, Fraction(limit).limit_denominator(100), **wanted)
    names = [f"q{j}" for j in range(d)]
    asked |= {"k": k, "suppression_limit": limit, "quasi_identifiers": names}
    asked["hierarchies"] = dict(zip(names, tables, strict=True))
    if draw(st.booleans()):
        heights = [st.sets(st.integers(0, len(tree[0]) - 1), min_size=1) for tree in tables]
        asked["levels"] = {n: draw(some) for n, some in zip(names, heights, strict=True)}
    return task, data, asked


def as_frame(draw, cells, secret):
    """Columns of several types, under labels that are out of order or all the same."""
    data = pd.DataFrame({"other": range(len(secret))})
    for j, column in enumerate(cells):
        series = pd.Series(column, dtype=object if None in column else None)
        if draw(st.booleans()):
            series = series.astype("category").cat.add_categories(["never seen"])
        data[f"q{j}"] = series
    data["secret"] = secret
    labels = draw(st.sampled_from(["range", "reversed", "same"]))
    index = {"range": range(len(data)), "reversed": range(len(data) - 1, -1, -1)}
    data.index = pd.Index(index.get(labels, [7] * len(data)))
    return data[draw(st.permutations(list(data.columns)))]


def agree(release, task, data, found, loss):
    """A release is the one that the oracle finds, and says what is true of it."""
    number, node = found
    assert tuple(release.levels.values()) == node.levels
    assert release.loss == pytest.approx(loss(float(number)), rel=1e-12, abs=1e-12)
    assert release.kept.tolist() == node.kept
    assert release.suppressed_rows.tolist() == [not kept for kept in node.kept]
    assert release.suppressed.tolist() == data.index[~np.array(node.kept)].tolist()
    left = used(data[node.kept])
    assert release.data.index.equals(left.index)
    assert list(release.data.columns) == list(data.columns)
    for name in set(data.columns) - set(release.levels):
        pd.testing.assert_series_equal(release.data[name], left[name])
    for j, (name, level) in enumerate(release.levels.items()):
        cells = release.data[name].astype(object)
        shown = [None if pd.isna(cell) else cell for cell in cells]
        assert shown == [row[j] for row, k in zip(node.cells, node.kept, strict=True) if k]
        if level == 0:
            assert release.data[name].dtype == left[name].dtype
    full, kept = release.with_suppressed_rows(), np.array(node.kept)
    assert full.index.equals(data.index) and (full[~kept] == "*").all(axis=None)
    for name in data.columns if kept.any() else ():
        now, then = (pd.factorize(one[name])[0] for one in (full[kept], release.data))
        assert now.tolist() == then.tolist()
    measured(release, task, node)


def measured(release, task, node):
    """The privacy of a release is that of its rows."""
    rows = [row for row, kept in zip(node.cells, node.kept, strict=True) if kept]
    if not rows:
        assert release.privacy.isna().all()
        return
    truth = Classes(rows)
    assert release.privacy["k"] == min(truth.sizes()) >= task.k
    if "t" not in release.privacy:
        return
    order = [v for v in task.ranked or [] if v in truth.all]
    far = truth.ordered(order) if task.ranked else truth.equal()
    assert release.privacy["l"] == min(truth.distinct())
    assert release.privacy["entropy_l"] == pytest.approx(min(truth.entropy_l()))
    if task.t is not None:
        assert release.privacy["t"] == pytest.approx(float(max(far)), abs=1e-12)
        assert release.privacy["t"] <= task.t + 1e-9
    if task.diversity == "recursive":
        assert release.privacy["c"] == pytest.approx(float(max(truth.recursive_c(task.l))))
        assert release.privacy["c"] < task.c


def check(made, cost, loss, asked_loss):
    """Both ways find what the oracle finds."""
    task, data, asked = made
    allowed = [asked.get("levels", {}).get(name, range(9)) for name in asked["hierarchies"]]
    nodes, before = oracle.feasible(task, allowed), data.copy(deep=True)
    for generalise in BOTH:
        if not nodes:
            with pytest.raises(ThresholdsMissed, match="no levels satisfy"):
                generalise(data, **asked, loss=asked_loss)
            continue
        release = generalise(data, **asked, loss=asked_loss)
        pd.testing.assert_frame_equal(data, before)
        agree(release, task, data, oracle.best(task, nodes, cost), loss)


@settings(max_examples=100)
@given(tasks())
def test_the_cell_loss_against_the_oracle(made):
    d = len(made[0].trees)
    check(made, oracle.cell_loss, lambda cost: cost ** (1 / d) - 1, "loss")


@settings(max_examples=70)
@given(tasks())
def test_the_average_class_size_against_the_oracle(made):
    check(made, oracle.class_size, lambda cost: cost, "average_class_size")


ASKED = {
    "levels": (lambda n: sum(n.levels.values()), lambda t, n: sum(n.levels)),
    "pairs": (
        lambda n: sum(int(size) ** 2 for size in n.class_sizes) + n.suppressed * n.records,
        lambda t, n: sum(size**2 for size in n.sizes) + n.suppressed * len(t.rows),
    ),
}


@pytest.mark.parametrize("name", ASKED)
@settings(max_examples=20)
@given(tasks(most=8, columns=2))
def test_a_loss_that_the_caller_computes_against_the_oracle(name, made):
    ours, theirs = ASKED[name]
    check(made, theirs, lambda cost: cost, ours)


def test_larger_lattices_are_searched_as_they_are_swept():
    """576 and 1,024 nodes, so that what several suppress is combined; several limits."""
    rng = np.random.default_rng(5)
    data = pd.DataFrame({f"q{j}": rng.geometric(0.4, 300).clip(1, 6) for j in range(5)})
    data["ill"] = rng.integers(0, 4, 300)
    table = [[v, f"{(v + 1) // 2}", f"{(v + 3) // 4}", "*"] for v in range(1, 7)]
    short = [[row[0], row[1], row[3]] for row in table]
    names = [f"q{j}" for j in range(5)]
    options = [{}, {"l": 3, "sensitive": "ill"}, {"t": 0.3, "sensitive": "ill"}]
    looks = Counter()
    for asked, limit, loss in itertools.product(options, (0, 0.05, 0.3, 1), LOSSES):
        columns = [short if j % 2 and asked else table for j in range(5)]
        tables = dict(zip(names, columns, strict=True))
        asked = {**asked, "k": 3, "suppression_limit": limit, "loss": loss}
        one, other = (f(data, names, tables, **asked) for f in BOTH)
        assert (one.levels, one.loss) == (other.levels, other.loss)
        assert one.evaluations < other.evaluations == math.prod(len(c[0]) for c in columns)
        pd.testing.assert_frame_equal(one.data, other.data)
        looks[loss] += one.evaluations
    assert looks["loss"] < 2500 and looks["average_class_size"] < 3800, "of 8,704 each"


@every_way
def test_a_lattice_by_hand(generalise):
    """Six people, k=2. Levels (zip, sex); 11 is twice there, 20 too, 12 and 21 are alone.

    With nothing suppressed zip must go to level 1, where 1* and 2* are three each. L of zip:
    each label stands for two of four values, so (6 * 2/4 - 6/4) / (6 - 6/4) = 1/3; L of sex is
    0. With two records suppressed all stay as they are: L = 2 * (1 - 1/4) / (6 - 6/4) = 1/3 of
    zip and 2 * (1 - 1/2) / (6 - 6/2) = 1/3 of sex, which is worse; so level 1 stays best.
    """
    third = math.floor(10**10 / 3) / 10**10
    for limit in (0, 0.5):
        release = generalise(DATA, ["zip", "sex"], TREES, k=2, suppression_limit=limit)
        assert release.levels == {"zip": 1, "sex": 0}
        assert release.loss == pytest.approx(math.sqrt(1 + third) - 1, abs=1e-15)
        assert (release.sensitive, release.quasi_identifiers) == (None, ("zip", "sex"))
    # Average class size: three people in two classes; or two in two, and the suppressed.
    size = {"k": 2, "loss": "average_class_size"}
    assert generalise(DATA, ["zip", "sex"], TREES, **size).loss == 3
    allowed = generalise(DATA, ["zip", "sex"], TREES, **size, suppression_limit=1 / 3)
    assert allowed.loss == 2 and allowed.levels == {"zip": 0, "sex": 0}
    assert allowed.suppressed.tolist() == ["w", "z"]
    assert allowed.data.index.tolist() == ["u", "v", "x", "y"]
    assert "records: 6\nsuppressed: 2\nloss: 2\n" in str(allowed)
    assert "level of sex: 0\nmeasured k: 2\nThe index and" in str(allowed)
    assert allowed.privacy.to_dict() == {"k": 2}


@every_way
def test_ties_go_to_the_lower_sum_of_levels_then_to_the_first_columns(generalise):
    pairs = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    tree = [[1, "x", "*"], [2, "x", "*"]]
    asked = {"k": 2, "loss": lambda node: 0}
    release = generalise(pairs, ["a", "b"], {"a": tree, "b": tree}, **asked)
    assert release.levels == {"a": 0, "b": 1}, "(0, 1) comes before (1, 0)"
    # The first of tied nodes is found behind a lower bound of a later one.
    data = pd.DataFrame({"a": [0, 0, 1, 3, 2, 0, 2, 1], "b": [1, 3, 3, 2, 2, 2, 0, 2]})
    trees = {
        "a": [[v, f"{v // 2}", "any", "every"] for v in range(4)],
        "b": [[v, *[f"{v // 2}"] * 3] for v in range(4)],
    }
    asked = {"k": 3, "suppression_limit": 0.6, "loss": "average_class_size"}
    assert generalise(data, ["a", "b"], trees, **asked).levels == {"a": 1, "b": 1}
    # Losses that differ by rounding are ties.
    noise = {0: 1 + TIE / 2, 1: 1.0, 2: 1.0}
    asked = {"k": 1, "loss": lambda node: noise[node.levels["a"]]}
    for loss, level in ((noise[0], 0), (1 + 3 * TIE, 1), (-math.inf, 0), (math.inf, 1)):
        noise[0] = loss
        assert generalise(pairs, "a", {"a": tree}, **asked).levels == {"a": level}


@pytest.mark.parametrize("limit", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("loss", ["loss", "average_class_size", lambda node: 1])
def test_the_trace_tells_the_truth_of_every_node(limit, loss):
    rng = np.random.default_rng(8)
    data = pd.DataFrame({f"q{j}": rng.integers(1, 7, 60) for j in range(3)})
    tree = [[v, f"{(v + 1) // 2}", f"{(v + 3) // 4}", "*"] for v in range(1, 7)]
    names = list(data.columns)
    asked = {"k": 4, "suppression_limit": limit, "loss": loss, "trace": True}
    one, other = (f(data, names, dict.fromkeys(names, tree), **asked) for f in BOTH)
    trace, truth = one.trace, other.trace
    assert (truth["fate"] == "evaluated").all() and len(truth) == 64 == other.evaluations
    assert truth["step"].tolist() == list(range(1, 65))
    assert trace.index.names == names and trace.index.is_unique
    assert set(trace.index) == set(truth.index)
    assert trace["step"].is_monotonic_increasing and trace["step"].min() >= 1
    seen = trace[trace["fate"] == "evaluated"]
    assert len(seen) == one.evaluations == trace["step"].max()
    assert seen["step"].tolist() == list(range(1, len(seen) + 1))
    columns = ["loss", "suppressed", "feasible"]
    pd.testing.assert_frame_equal(seen[columns], truth.loc[seen.index, columns])
    infeasible = trace[trace["fate"] == "infeasible"]
    assert not truth.loc[infeasible.index, "feasible"].any()
    assert infeasible["feasible"].notna().all() and not infeasible["feasible"].any()
    bounded = trace[trace["fate"] == "bounded"]
    assert bounded[columns].isna().all(axis=None)
    assert len(bounded) + len(infeasible) + len(seen) == 64
    worse = truth.loc[bounded.index, "loss"]
    assert (worse.isna() | (worse >= one.loss)).all()
    assert trace.loc[tuple(one.levels.values()), "loss"] == one.loss
    if callable(loss):
        assert bounded.empty


SEVERAL = [
    {"l": 2},
    {"t": 0.5, "kind": "equal"},
    {"alpha": 0.7},
    {"beta": 1.5},
    {"delta": 1.2},
]


@pytest.mark.parametrize("wanted", SEVERAL, ids=str)
@pytest.mark.parametrize("limit", [0, 0.3])
def test_several_sensitive_columns_and_other_thresholds_against_a_plain_sweep(wanted, limit):
    """Classes that miss a threshold in either column go, round by round, at every node."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        data = pd.DataFrame({f"q{j}": rng.integers(1, 5, 30) for j in range(2)})
        data = data.assign(s=rng.choice(list("xyz"), 30), u=rng.choice(list("vw"), 30))
        trees = dict.fromkeys(["q0", "q1"], [[v, f"{(v + 1) // 2}", "*"] for v in range(1, 5)])
        sizes = {}
        for levels in itertools.product(range(3), repeat=2):
            shown = tk.generalise(data, trees, dict(zip(trees, levels, strict=True)))
            gone = plainly_suppressed(shown, {"k": 2} | wanted)
            if gone <= limit * 30:
                classes = shown.loc[shown["kept"], ["q0", "q1"]].drop_duplicates()
                sizes[levels] = 30 / max(len(classes) + (gone > 0), 1)
        asked = {"k": 2, **wanted, "sensitive": ["s", "u"], "suppression_limit": limit}
        for generalise in BOTH:
            if not sizes:
                with pytest.raises(ThresholdsMissed):
                    generalise(data, list(trees), trees, **asked, loss="average_class_size")
                continue
            release = generalise(data, list(trees), trees, **asked, loss="average_class_size")
            best = min(sizes, key=lambda node: (sizes[node], sum(node), node))
            assert tuple(release.levels.values()) == best and release.loss == sizes[best]


def plainly_suppressed(shown, asked):
    """Mark the records that are kept, by `check_privacy` of what is left; how many are not."""
    known, asked = ["q0", "q1"], dict(asked)
    kind = asked.pop("kind", "auto")
    shown["kept"] = shown.groupby(known)["s"].transform("size") >= asked["k"]
    if "l" in asked:
        for name in ("s", "u"):
            shown["kept"] &= shown.groupby(known)[name].transform("nunique") >= asked["l"]
    while shown["kept"].any():
        left = shown[shown["kept"]]
        report = tk.check_privacy(left, known, ["s", "u"], **asked, kind=kind)
        judged = [row for row in report.rows if row["threshold"] is not None]
        wrong = np.any([report.mark(row) for row in judged], axis=0)
        if not wrong.any():
            break
        shown.loc[left.index[wrong], "kept"] = False
    return int((~shown["kept"]).sum())


@settings(max_examples=60)
@given(tasks(columns=2), st.sampled_from(["loss", "average_class_size"]))
@example((None, DATA[:5], TASK | {"suppression_limit": 0.2}), "average_class_size")
def test_bounds_hold_at_every_node(made, loss):
    """What the search learns at any node is at most the cost of each other node."""
    data, asked = made[1], dict(made[2])
    names = ["quasi_identifiers", "hierarchies", "sensitive", "levels", "suppression_limit"]
    kind = asked.pop("kind", "auto")
    about = [asked.pop(name, None) for name in names]
    lattice = Lattice(data, *about, kind, asked.pop("k"), asked)
    known, nodes = LOSSES[loss](lattice), list(itertools.product(*map(range, lattice.shape)))
    seen = {node: Look(lattice, node) for node in nodes}
    costs = [known.judge(look)[0] if look.feasible else np.inf for look in seen.values()]
    most = np.array(costs).reshape(lattice.shape) * (1 + TIE)
    assert (known.start <= most).all()
    for node, look in seen.items():
        for where, least in [] if look.ruled_out else known.judge(look)[1]:
            assert (least <= most[where]).all()
        if look.ruled_out:
            assert np.isinf(most[below(node)]).all()


BAD = {
    "k not whole": ({"k": 2.5}, TypeError, "k must be a whole number"),
    "k above the records": ({"k": 7}, ValueError, "k=7 needs at least 7 records"),
    "l alone": ({"l": 2}, ValueError, "must name their column; got l=2"),
    "no such threshold": ({"alfa": 1, "sensitive": "ill"}, TypeError, "Did you mean 'alpha'"),
    "of people": ({"k_map": 2, "sensitive": "ill"}, ValueError, "about sensitive values"),
    "c alone": ({"c": 2, "sensitive": "ill"}, ValueError, "give l, too"),
    "sensitive known": ({"sensitive": "sex"}, ValueError, "is also a quasi-identifier"),
    "limit": ({"suppression_limit": 5}, ValueError, "suppression_limit must be a number in"),
    "loss unknown": ({"loss": "entropy"}, ValueError, "loss must be one of 'loss', 'average"),
    "loss NaN": ({"loss": lambda n: math.nan}, ValueError, "loss must return a number for"),
    "no table": ({"hierarchies": {"zip": ZIPS}}, ValueError, "hierarchies lacks 'sex'"),
    "no row": ({"hierarchies": {**TREES, "sex": SEXES[1:]}}, ValueError, "for 1 of the 2"),
    "no level": ({"levels": {"sex": 2}}, ValueError, "levels of 'sex' must be from 0 to 1"),
    "none of the levels": ({"levels": {"sex": []}}, ValueError, "levels of 'sex' must be"),
    "levels of what": ({"levels": {"ill": 0}}, ValueError, "levels can name no other"),
    "no column": ({"quasi_identifiers": []}, ValueError, "must name a column"),
    "one name": (
        {"data": DATA.set_axis(["zip", "ill", "zip"], axis=1), "quasi_identifiers": [0, 2]},
        ValueError,
        "columns with different names",
    ),
    "too many nodes": (
        {
            "data": pd.DataFrame({f"q{j}": ["a"] for j in range(26)}),
            "quasi_identifiers": [*range(26)],
            "hierarchies": {f"q{j}": [["a", "*"]] for j in range(26)},
            "k": 1,
        },
        ValueError,
        "of 67,108,864 nodes, more than the 33,554,432 that can be searched; leave",
    ),
    "out of reach": (
        {"quasi_identifiers": "zip", "hierarchies": {"zip": [row[:1] for row in ZIPS]}},
        ThresholdsMissed,
        "suppress 2, so set suppression_limit to 0.3334",
    ),
    "never": ({"sensitive": "ill", "l": 3}, ThresholdsMissed, "suppress 6, so ask for less"),
}


@every_way
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered(generalise, case):
    given_, error, message = BAD[case]
    with pytest.raises(error, match=re.escape(message)):
        generalise(**{"data": DATA} | TASK | given_)


def test_keys_too_large_for_a_number_are_renumbered():
    """Thirty columns of eight values: 90 bits, while the lattice has two nodes."""
    rng = np.random.default_rng(2)
    data = pd.DataFrame(rng.integers(0, 8, (40, 30))).add_prefix("q")
    data = pd.concat([data, data], ignore_index=True)
    flat = {name: [[v] for v in range(8)] for name in data.columns}
    flat["q0"] = [[v, "*"] for v in range(8)]
    for generalise in BOTH:
        release = generalise(data, list(data.columns), flat, k=2)
        assert release.levels["q0"] == 0 and release.privacy["k"] == 2


def test_a_column_of_many_values_takes_little_memory():
    data = pd.DataFrame(np.arange(3000)[:, None] % ([8] * 10 + [3000])).add_prefix("q")
    trees = {name: [[v, "*"] for v in data[name].unique()] for name in data}
    tracemalloc.start()
    assert optimal_generalisation(data, [*data], trees, k=5).levels["q10"] == 1
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


# ---------------------------------------------------------------- UCI Adult, as published

REAL = Path(os.environ.get("PRIVACY_TOOLKIT_DATA", "") or "nowhere")
PUBLIC = REAL / "arx_adult"
needs_adult = pytest.mark.skipif(
    not PUBLIC.is_dir(), reason="PRIVACY_TOOLKIT_DATA names no directory with arx_adult"
)
COLUMNS = "sex age race marital-status education native-country workclass occupation".split()
OPTIMA = {  # of 8 quasi-identifiers for k=5, found by ARX
    0.0: ((0, 4, 0, 2, 3, 2, 2, 1), 0.5915849773198221, 0),
    0.05: ((0, 3, 0, 0, 1, 1, 1, 2), 0.2518517151856563, 1458),
}


@pytest.fixture(scope="module")
def adult():
    """UCI Adult without rows that lack a cell, and the public hierarchies of its columns."""
    from toolkit.datasets import load_adult

    data = load_adult("uci")
    data = data[data.notna().all(axis=1)]
    files = {name: PUBLIC / f"adult_hierarchy_{name}.csv" for name in COLUMNS}
    files["income"] = PUBLIC / "adult_hierarchy_salary-class.csv"
    return data, {name: tk.read_hierarchy(path) for name, path in files.items()}


@needs_adult
@pytest.mark.parametrize("limit", OPTIMA)
def test_published_optima(adult, limit):
    data, tables = adult
    assert len(data) == 30_162
    levels, loss, suppressed = OPTIMA[limit]
    release = optimal_generalisation(data, COLUMNS, tables, k=5, suppression_limit=limit)
    assert tuple(release.levels.values()) == levels
    assert release.loss == pytest.approx(loss, abs=1e-9)
    assert len(release.suppressed) == suppressed
    assert release.privacy["k"] >= 5
    assert release.evaluations <= (260 if limit else 24)
