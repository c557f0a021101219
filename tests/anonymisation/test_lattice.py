"""The optimal full-domain search: against a naive sweep, published optima, edges."""

import itertools
import math
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import toolkit as tk
from tests.oracles import lattice as oracle
from tests.oracles.classes import Classes
from tests.tables import used
from toolkit import optimal_generalisation
from toolkit.anonymisation.lattice import LOSSES, TIE, Lattice, Look, ThresholdsMissed, below
from toolkit.anonymisation.requirements import Requirements

ZIPS = [["11", "1*", "*"], ["12", "1*", "*"], ["20", "2*", "*"], ["21", "2*", "*"]]
SEXES = [["f", "*"], ["m", "*"]]
TREES = {"zip": ZIPS, "sex": SEXES}
DATA = pd.DataFrame(
    {
        "zip": ["11", "11", "12", "20", "20", "21"],
        "ill": ["flu", "hiv", "flu", "hiv", "flu", "flu"],
        "sex": ["f", "f", "f", "m", "m", "m"],
    },
    index=list("uvwxyz"),
)
BOTH = (tk.optimal_generalisation, tk.exhaustive_generalisation)
NAMES = ["optimal", "exhaustive"]
every_way = pytest.mark.parametrize("generalise", BOTH, ids=NAMES)

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
        groups = [merged[group] for group in groups]
        label = draw(st.sampled_from(["{}", "level {}", "*"]))
        shared = "*" if label == "*" else None
        groups = [0] * len(groups) if shared else groups
        for row, group in zip(rows, groups, strict=True):
            row.append(label.format(f"{group}@{level}"))
    return rows


@st.composite
def tasks(draw, most=12, columns=3):
    """A task for the oracle, and the same for the toolkit: a frame and keywords."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, columns))
    pools = [draw(st.sampled_from(POOLS)) for _ in range(d)]
    cells = [draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)) for pool in pools]
    secret = draw(st.lists(st.sampled_from([1, 2, 3]), min_size=n, max_size=n))
    tables = [draw(trees(pool)) for pool in pools]
    kinds = draw(st.sampled_from(["counting", "l", "entropy", "recursive", "t", "l and t"]))
    asked = {"k": draw(st.integers(1, min(4, n)))}
    if kinds != "counting":
        asked["sensitive"] = "secret"
    if kinds in ("l", "l and t"):
        asked["l"] = draw(st.integers(1, 3))
    if kinds == "entropy":
        asked |= {"l": draw(st.sampled_from([1, 1.5, 1.8, 2, 3])), "diversity": kinds}
    if kinds == "recursive":
        asked |= {"l": draw(st.integers(1, 3)), "diversity": kinds}
        asked["c"] = draw(st.sampled_from([0.5, 1, 2.5]))
    if kinds in ("t", "l and t"):
        asked["t"] = draw(st.sampled_from([0, 0.2, 0.3, 0.5, 1]))
        asked["kind"] = draw(st.sampled_from(["ordered", "equal"]))
    limit = draw(st.sampled_from(LIMITS))
    data = as_frame(draw, cells, secret)
    rows = [tuple(row) for row in zip(*cells, secret, strict=True)]
    exact = Fraction(limit).limit_denominator(100)
    wanted = {name: asked.get(name) for name in ("l", "t", "c")}
    ranked = [1, 2, 3] if asked.get("kind") == "ordered" else None
    diversity = asked.get("diversity", "distinct")
    task = oracle.Task(rows, tables, asked["k"], exact, **wanted, ranked=ranked)
    task.diversity = diversity
    names = [f"q{j}" for j in range(d)]
    asked |= {"suppression_limit": limit, "hierarchies": dict(zip(names, tables, strict=True))}
    return task, data, {"quasi_identifiers": names, **asked}


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
    nodes, before = oracle.feasible(task), data.copy(deep=True)
    for generalise in BOTH:
        if not nodes:
            with pytest.raises(ValueError, match="no node satisfies"):
                generalise(data, **asked, loss=asked_loss)
            continue
        release = generalise(data, **asked, loss=asked_loss)
        pd.testing.assert_frame_equal(data, before)
        agree(release, task, data, oracle.best(task, nodes, cost), loss)


@settings(max_examples=80)
@given(tasks())
def test_the_cell_loss_against_the_oracle(made):
    d = len(made[0].trees)
    check(made, oracle.cell_loss, lambda cost: cost ** (1 / d) - 1, "loss")


@settings(max_examples=60)
@given(tasks())
def test_the_average_class_size_against_the_oracle(made):
    check(made, oracle.class_size, lambda cost: cost, "average_class_size")


ASKED = {
    "levels": (lambda n: sum(n.levels.values()), lambda t, n: sum(n.levels)),
    "pairs": (
        lambda n: sum(int(size) ** 2 for size in n.class_sizes) + n.suppressed * n.records,
        lambda t, n: sum(size**2 for size in n.sizes) + n.suppressed * len(t.rows),
    ),
    "cells that are left": (
        lambda n: -n.data.astype(object).nunique(dropna=False).sum(),
        lambda t, n: -shown_cells(n),
    ),
}


def shown_cells(node):
    """Different cells in all columns of a node, the column of row numbers among them."""
    rows = [row for row, kept in zip(node.cells, node.kept, strict=True) if kept]
    columns = [{repr(row[j]) for row in rows} for j in range(len(node.cells[0]))]
    return sum(map(len, columns)) + len(rows)


@pytest.mark.parametrize("name", ASKED)
@settings(max_examples=20)
@given(tasks(most=8, columns=2))
def test_a_loss_that_the_caller_computes_against_the_oracle(name, made):
    ours, theirs = ASKED[name]
    check(made, theirs, lambda cost: cost, ours)


def test_larger_lattices_are_searched_as_they_are_swept():
    """576 nodes, so that what several suppress is combined; several limits."""
    rng = np.random.default_rng(5)
    data = pd.DataFrame({f"q{j}": rng.geometric(0.4, 300).clip(1, 6) for j in range(5)})
    data["ill"] = rng.integers(0, 4, 300)
    table = [[v, f"{(v + 1) // 2}", f"{(v + 3) // 4}", "*"] for v in range(1, 7)]
    short = [[row[0], row[1], row[3]] for row in table]
    names = [f"q{j}" for j in range(5)]
    tables = {name: short if j % 2 else table for j, name in enumerate(names)}
    options = [{}, {"l": 3, "sensitive": "ill"}, {"t": 0.3, "sensitive": "ill"}]
    for asked, limit, loss in itertools.product(
        options, (0, 0.05, 0.3, 1), ("loss", "average_class_size")
    ):
        asked = {**asked, "k": 3, "suppression_limit": limit, "loss": loss}
        one, other = (f(data, names, tables, **asked) for f in BOTH)
        assert (one.levels, one.loss) == (other.levels, other.loss)
        assert one.evaluations < other.evaluations == 4**3 * 3**2
        pd.testing.assert_frame_equal(one.data, other.data)


@every_way
def test_a_lattice_by_hand(generalise):
    """Six people, k=2. Levels (zip, sex); 11 is twice there, 20 too, 12 and 21 are alone.

    With nothing suppressed zip must go to level 1, where 1* and 2* are three each. L of zip:
    each label stands for two of four values, so (6 * 2/4 - 6/4) / (6 - 6/4) = 1/3; L of sex is
    0. With two records suppressed all stay as they are: L = 2 * (1 - 1/4) / (6 - 6/4) = 1/3 of
    zip and 2 * (1 - 1/2) / (6 - 6/2) = 1/3 of sex, which is worse; so level 1 stays best.
    """
    release = generalise(DATA, ["zip", "sex"], TREES, k=2)
    third = math.floor(10**10 / 3) / 10**10
    assert release.levels == {"zip": 1, "sex": 0}
    assert release.loss == pytest.approx(math.sqrt(1 + third) - 1, abs=1e-15)
    assert generalise(DATA, ["zip", "sex"], TREES, k=2, suppression_limit=0.5).levels == {
        "zip": 1,
        "sex": 0,
    }
    # Average class size: three people in two classes; or two in two, and the suppressed.
    size = {"k": 2, "loss": "average_class_size"}
    assert generalise(DATA, ["zip", "sex"], TREES, **size).loss == 3
    allowed = generalise(DATA, ["zip", "sex"], TREES, **size, suppression_limit=1 / 3)
    assert allowed.loss == 2
    assert allowed.levels == {"zip": 0, "sex": 0}
    assert allowed.suppressed.tolist() == ["w", "z"]
    assert allowed.data.index.tolist() == ["u", "v", "x", "y"]
    assert list(allowed.data.columns) == ["zip", "ill", "sex"]
    assert allowed.privacy.to_dict() == {"k": 2}


@every_way
def test_merging_can_make_entropy_worse(generalise):
    """Classes of 9 + 1 and 1 + 1 under entropy l of at least 1.8.

    Apart, the first has exp(H) = 1.38 and is suppressed, the second has 2 and stays. Together
    they are 10 + 2 with exp(H) = 1.57: all would go. So a node above a feasible one need not
    be feasible, and a search that takes it for granted finds nothing here.
    """
    data = pd.DataFrame({"town": ["A"] * 10 + ["B"] * 2, "ill": ["flu"] * 9 + list("hfh")})
    data["ill"] = ["flu"] * 9 + ["hiv", "flu", "hiv"]
    asked = {"k": 1, "l": 1.8, "sensitive": "ill", "diversity": "entropy"}
    tree = {"town": [["A", "*"], ["B", "*"]]}
    release = generalise(data, "town", tree, **asked, suppression_limit=10 / 12)
    assert release.levels == {"town": 0}
    assert release.suppressed.tolist() == list(range(10))
    assert release.privacy["entropy_l"] == 2
    with pytest.raises(ValueError, match="no node satisfies k=1, entropy l=1.8"):
        generalise(data, "town", tree, **asked, suppression_limit=9 / 12)


@every_way
def test_closeness_is_measured_against_what_is_left(generalise):
    """Shares of x: 1/2 in A, 1/2 in B, 1 in C, which is 1 of 9 records.

    C is at 4/9 from the whole table and goes; then A and B are both at 0 from the rest, while
    against the whole table they would be at 1/18 and miss t = 0.
    """
    data = pd.DataFrame({"town": list("AAAABBBBC"), "ill": list("xyxyxyxyx")})
    tree = {"town": [[v] for v in "ABC"]}
    asked = {"k": 1, "t": 0.4, "sensitive": "ill", "suppression_limit": 1 / 9}
    release = generalise(data, "town", tree, **asked)
    assert release.suppressed.tolist() == [8]
    assert release.privacy["t"] == 0
    # From the first round on, all three miss t = 0, so all are suppressed.
    with pytest.raises(ValueError, match="suppresses 9, so ask for less"):
        generalise(data, "town", tree, **{**asked, "t": 0})


@every_way
def test_missing_cells_have_a_row_or_leave(generalise):
    data = pd.DataFrame({"q": ["a", None, "a", "b", None], "s": [1, 2, 2, 1, 1]})
    tree = [["a", "*"], ["b", "*"], [None, "*"]]
    release = generalise(data, "q", {"q": tree}, k=2, suppression_limit=0.2)
    assert release.levels == {"q": 0} and release.suppressed.tolist() == [3]
    assert release.data["q"].isna().tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match="hierarchy of 'q' has no row for 1 of the 3"):
        generalise(data, "q", {"q": tree[:2]}, k=2)
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        dropped = generalise(data, "q", {"q": tree[:2]}, k=3, missing="drop")
    assert dropped.levels == {"q": 1} and dropped.data.index.tolist() == [0, 2, 3]
    assert (dropped.records, len(dropped.suppressed)) == (3, 0)
    assert dropped.kept.tolist() == [True, False, True, True, False]
    assert not dropped.suppressed_rows.any()
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        gone = generalise(
            data, "q", {"q": tree[:2]}, k=2, missing="drop", suppression_limit=0.34
        )
    assert gone.suppressed.tolist() == [3] and gone.kept.sum() == 2


@every_way
def test_ties_go_to_the_lower_sum_of_levels_then_to_the_first_columns(generalise):
    data = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    tree = [[1, "x", "*"], [2, "x", "*"]]
    asked = {"k": 2, "loss": lambda node: 0}
    release = generalise(data, ["a", "b"], {"a": tree, "b": tree}, **asked)
    assert release.levels == {"a": 0, "b": 1}, "(0, 1) comes before (1, 0)"


def test_the_first_of_tied_nodes_is_found_behind_a_lower_bound_of_a_later_one():
    data = pd.DataFrame({"a": [0, 0, 1, 3, 2, 0, 2, 1], "b": [1, 3, 3, 2, 2, 2, 0, 2]})
    trees = {
        "a": [[v, f"{v // 2}", "any", "every"] for v in range(4)],
        "b": [[v, *[f"{v // 2}"] * 3] for v in range(4)],
    }
    asked = {"k": 3, "suppression_limit": 0.6, "loss": "average_class_size"}
    for generalise in BOTH:
        assert generalise(data, ["a", "b"], trees, **asked).levels == {"a": 1, "b": 1}


@every_way
def test_losses_that_differ_by_rounding_are_ties(generalise):
    data = pd.DataFrame({"a": [1, 1, 2, 2]})
    tree = {"a": [[1, "x", "*"], [2, "x", "*"]]}
    noise = {0: 1 + TIE / 2, 1: 1.0, 2: 1.0}
    asked = {"k": 1, "loss": lambda node: noise[node.levels["a"]]}
    assert generalise(data, "a", tree, **asked).levels == {"a": 0}
    noise[0] = 1 + 3 * TIE
    assert generalise(data, "a", tree, **asked).levels == {"a": 1}


@settings(max_examples=60)
@given(tasks(most=10, columns=2))
def test_what_is_asked_in_addition_never_lowers_the_loss(made):
    task, data, asked = made
    if not oracle.feasible(task):
        return
    release = optimal_generalisation(data, **asked)
    plain = {key: asked[key] for key in ("quasi_identifiers", "hierarchies")}
    looser = {"k": asked["k"], "suppression_limit": asked["suppression_limit"]}
    assert optimal_generalisation(data, **plain, **looser).loss <= release.loss + 1e-12
    freer = {**asked, "suppression_limit": 1.0}
    assert optimal_generalisation(data, **freer).loss <= release.loss + 1e-12


@settings(max_examples=60)
@given(tasks(), st.integers(0, 99))
def test_order_of_rows_and_labels_do_not_matter(made, seed):
    task, data, asked = made
    if not oracle.feasible(task):
        return
    release = optimal_generalisation(data, **asked)
    order = np.random.default_rng(seed).permutation(len(data))
    mixed = optimal_generalisation(data.iloc[order], **asked)
    assert (mixed.levels, mixed.loss) == (release.levels, release.loss)
    assert mixed.kept.tolist() == release.kept.to_numpy()[order].tolist()


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
    assert bounded["feasible"].isna().all()
    assert len(bounded) + len(infeasible) + len(seen) == 64
    worse = truth.loc[bounded.index, "loss"]
    assert (worse.isna() | (worse >= one.loss)).all()
    assert trace.loc[tuple(one.levels.values()), "loss"] == one.loss
    if callable(loss):
        assert bounded.empty


@settings(max_examples=60)
@given(tasks(most=10, columns=2), st.data())
def test_levels_that_a_column_may_have_are_a_hierarchy_of_these_levels(made, draw):
    """Level 0 of the shorter hierarchy is the first level that is allowed."""
    _, data, asked = made
    trees, levels, shorter = asked.pop("hierarchies"), {}, data.copy()
    for name, tree in trees.items():
        every = st.sets(st.integers(0, len(tree[0]) - 1), min_size=1)
        levels[name] = sorted(draw.draw(every))
    asked["loss"] = "average_class_size"  # which does not ask what a label stands for
    try:
        found = optimal_generalisation(data, hierarchies=trees, levels=levels, **asked)
    except ThresholdsMissed:
        found = None
    cut = {}
    for name, tree in trees.items():
        label = {repr(row[0]): row[levels[name][0]] for row in tree}
        cells = [label[repr(None if pd.isna(cell) else cell)] for cell in data[name]]
        shorter[name] = pd.Series(cells, data.index, dtype=object)
        rows = {repr(row[levels[name][0]]): [row[n] for n in levels[name]] for row in tree}
        cut[name] = [*rows.values()]
    if found is None:
        with pytest.raises(ThresholdsMissed):
            optimal_generalisation(shorter, hierarchies=cut, **asked)
        return
    other = optimal_generalisation(shorter, hierarchies=cut, **asked)
    assert other.loss == found.loss and (other.kept == found.kept).all()
    for name, level in other.levels.items():
        assert found.levels[name] == levels[name][level]


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
        about = (data, ["q0", "q1"], trees)
        asked = {"k": 2, **wanted, "sensitive": ["s", "u"], "suppression_limit": limit}
        for generalise in BOTH:
            if not sizes:
                with pytest.raises(ThresholdsMissed):
                    generalise(*about, **asked, loss="average_class_size")
                continue
            release = generalise(*about, **asked, loss="average_class_size")
            best = min(sizes, key=lambda node: (sizes[node], sum(node), node))
            assert tuple(release.levels.values()) == best and release.loss == sizes[best]
            asking = {name: n for name, n in wanted.items() if name != "kind"}
            if len(release.data):
                tk.assert_privacy(release.data, ["q0", "q1"], ["s", "u"], k=2, **asking)


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
        wrong = np.any([mark() for mark in report.marks.values()], axis=0)
        if not wrong.any():
            break
        shown.loc[left.index[wrong], "kept"] = False
    return int((~shown["kept"]).sum())


def test_suggested_hierarchies_are_taken_as_they_are():
    rng = np.random.default_rng(4)
    data = pd.DataFrame({"age": rng.integers(18, 80, 200), "sex": rng.choice(["f", "m"], 200)})
    by_itself = optimal_generalisation(data, ["age", "sex"], k=3)
    given_ = optimal_generalisation(data, ["age", "sex"], tk.suggest_hierarchies(data), k=3)
    assert by_itself.levels == given_.levels and by_itself.privacy["k"] >= 3


@settings(max_examples=60)
@given(tasks(columns=2), st.sampled_from(["loss", "average_class_size"]))
def test_bounds_hold_at_every_node(made, loss):
    """What the search learns at any node is at most the cost of each other node."""
    task, data, asked = made
    requirements = Requirements(
        task.k, task.l, task.t, task.diversity, task.c, asked.get("kind", "auto")
    )
    about = [asked.get(name) for name in ("quasi_identifiers", "hierarchies", "sensitive")]
    lattice = Lattice(data, *about, "category", None, requirements, float(task.limit))
    known, nodes = LOSSES[loss](lattice), list(itertools.product(*map(range, lattice.shape)))
    seen = {node: Look(lattice, node) for node in nodes}
    costs = [
        known.cost(node, look) if look.feasible else np.inf for node, look in seen.items()
    ]
    most = np.array(costs).reshape(lattice.shape) * (1 + TIE)
    assert (known.start <= most).all()
    for node, look in seen.items():
        for where, least in known.bounds(node, look):
            assert (least <= most[where]).all()
        if look.ruled_out:
            assert np.isinf(most[below(node)]).all()


BAD = {
    "k not whole": ({"k": 2.5}, TypeError, "k must be a whole number"),
    "k above the records": ({"k": 7}, ValueError, "k=7 needs at least 7 records"),
    "l alone": ({"l": 2}, ValueError, "l=2 is about sensitive values; name their column"),
    "alpha alone": ({"alpha": 0.2}, ValueError, "alpha=0.2 is about sensitive values"),
    "no such threshold": ({"alfa": 1, "sensitive": "ill"}, TypeError, "Did you mean 'alpha'"),
    "of people": ({"k_map": 2, "sensitive": "ill"}, ValueError, "no threshold of sensitive"),
    "c alone": ({"c": 2, "sensitive": "ill"}, ValueError, "c belongs to l with diversity='r"),
    "sensitive known": ({"sensitive": "sex"}, ValueError, "is also a quasi-identifier"),
    "limit": ({"suppression_limit": 5}, ValueError, "suppression_limit must be a number in"),
    "loss unknown": ({"loss": "entropy"}, ValueError, "loss must be one of 'loss', 'average"),
    "loss NaN": ({"loss": lambda n: math.nan}, ValueError, "loss must return a number for"),
    "wildcard": ({"missing": "wildcard"}, ValueError, "missing must be one of 'category'"),
    "no table": ({"hierarchies": {"zip": ZIPS}}, ValueError, "hierarchies lacks 'sex'"),
    "no level": ({"levels": {"sex": 2}}, ValueError, "levels of 'sex' must be from 0 to 1"),
    "levels of what": ({"levels": {"ill": 0}}, ValueError, "levels names 'ill'; the quasi"),
    "one name": (
        {"data": DATA.set_axis(["zip", "ill", "zip"], axis=1), "quasi_identifiers": [0, 2]},
        ValueError,
        "several of 'zip', 'zip' have one name",
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
        "suppresses 2, so set suppression_limit to 0.3334",
    ),
}


@every_way
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered(generalise, case):
    given_, error, message = BAD[case]
    asked = {"data": DATA, "quasi_identifiers": ["zip", "sex"], "hierarchies": TREES, "k": 2}
    with pytest.raises(error, match=re.escape(message)):
        generalise(**asked | given_)


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


@every_way
def test_the_whole_table_may_go_and_no_quasi_identifier_makes_one_class(generalise):
    release = generalise(
        DATA, ["zip", "sex"], {**TREES, "zip": [r[:1] for r in ZIPS]}, k=6, suppression_limit=1
    )
    assert release.loss == 1 and release.levels == {"zip": 0, "sex": 0}
    assert release.data.empty and list(release.data.columns) == list(DATA.columns)
    assert release.suppressed.tolist() == list("uvwxyz") and release.share_suppressed == 1
    assert release.privacy.isna().all()
    release = generalise(DATA, [], {}, k=6)
    assert release.levels == {} and release.loss == 0 and release.privacy["k"] == 6


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
    assert release.evaluations <= 600
