"""The optimal full-domain search: against a naive sweep, published optima, edges."""

import itertools
import math
import os
import re
import tracemalloc
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
from toolkit.anonymisation import _lattice, full_domain
from toolkit.anonymisation._lattice import Counted, Lattice, Outcome, hopeless_pairs
from toolkit.anonymisation.full_domain import LOSSES, TIE
from toolkit.anonymisation.release import Requirements

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


# ---------------------------------------------------------------- tables that are made up


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
    asked = {"k": draw(st.integers(1, 4))}
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


# ---------------------------------------------------------------- against the oracle


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


@settings(max_examples=150)
@given(tasks())
def test_the_cell_loss_against_the_oracle(made):
    d = len(made[0].trees)
    check(made, oracle.cell_loss, lambda cost: cost ** (1 / d) - 1, "loss")


@settings(max_examples=100)
@given(tasks())
def test_the_average_class_size_against_the_oracle(made):
    check(made, oracle.class_size, lambda cost: cost, "average_class_size")


@settings(max_examples=100)
@given(tasks(), st.booleans())
def test_pairs_of_columns_rule_out_no_node_that_is_wanted(made, cells):
    d = len(made[0].trees)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full_domain, "NODES_FOR_PAIRS", 1)
        if cells:
            check(made, oracle.cell_loss, lambda cost: cost ** (1 / d) - 1, "loss")
        else:
            check(made, oracle.class_size, lambda cost: cost, "average_class_size")


def test_pairs_of_columns_rule_out_what_they_alone_make_infeasible():
    """Of (town, age) no two records agree unless a column is hidden: 3 of 4 nodes remain."""
    data = pd.DataFrame({"town": list("ABAB"), "age": [1, 1, 2, 2], "sex": list("fmmf")})
    trees = {name: [[str(v), "*"] for v in data[name].unique()] for name in data}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full_domain, "NODES_FOR_PAIRS", 1)
        about = (data, ["town", "age", "sex"], trees)
        release = tk.optimal_generalisation(*about, k=2, trace=True)
    fate = release.trace["fate"].unstack("sex")
    assert (fate.loc[(0, 0)] == "infeasible").all()
    assert release.evaluations < 8 and sum(release.levels.values()) == 2


def test_pairs_of_a_column_of_many_values_need_no_square_of_them():
    """6,000 dates, by levels, beside four small columns; a square of them is 288 MB."""
    rng = np.random.default_rng(0)
    sizes, rows = {"day": 6000, "a": 2, "b": 3, "c": 4, "d": 5}, 12_000
    data = pd.DataFrame({name: rng.permutation(rows) % size for name, size in sizes.items()})
    every = range(6000)
    trees = {"day": [[n, *(f"{n // w} of {w}" for w in (30, 360, 3600)), "*"] for n in every]}
    trees |= {name: [[n, f"{n // 2}+", "*"] for n in range(sizes[name])] for name in "abcd"}
    lattice = Lattice(data, list(sizes), trees, None, "category")
    tracemalloc.start()
    try:
        found = dict(hopeless_pairs(lattice, 5, 600))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6
    for (i, j), out in found.items():
        columns = lattice.columns[i], lattice.columns[j]
        records = lattice.bottom.records
        for levels in itertools.product(*map(range, out.shape)):
            codes = [one.code(level) for one, level in zip(columns, levels, strict=True)]
            alone = pd.Series(records).groupby(codes).sum()
            assert out[levels] == (alone[alone < 5].sum() > 600)
    assert any(out.any() for out in found.values())


ASKED = {
    "levels": (lambda n: sum(n.levels.values()), lambda t, n: sum(n.levels)),
    "pairs": (
        lambda n: sum(int(size) ** 2 for size in n.class_sizes) + n.suppressed * n.records,
        lambda t, n: sum(size**2 for size in n.sizes) + n.suppressed * len(t.rows),
    ),
    "never positive": (lambda n: -len(n.class_sizes) / 7, lambda t, n: -len(n.sizes) / 7),
    "all alike": (lambda n: 3, lambda t, n: 3),
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


@pytest.mark.full
@settings(max_examples=3000)
@given(tasks(most=16, columns=4), st.sampled_from(["loss", "average_class_size"]))
def test_both_ways_agree_on_more_tables(made, loss):
    """Hostile tables that nobody has seen; the sweep stands in for the slower oracle."""
    _, data, asked = made
    answers = []
    for generalise in BOTH:
        try:
            answers.append(generalise(data, **asked, loss=loss))
        except ValueError as error:
            answers.append(str(error))
    one, other = answers
    if isinstance(one, str):
        assert one == other
        return
    assert one.levels == other.levels and one.loss == other.loss
    pd.testing.assert_frame_equal(one.data, other.data)
    pd.testing.assert_series_equal(one.privacy, other.privacy)


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


WIDTHS = {"a": (29, 11, 3, 1), "b": (23, 7, 1), "c": (19, 5, 1), "d": (17, 2, 1), "e": (13, 1)}
EVALUATED = {  # of 216 nodes, by limit and loss; then with pairs of columns looked at first
    "k": (179, 35, 41, 50, 52, 63, 57, 77, 4, 5, 12, 17, 31, 45, 57, 77),
    "l": (196, 39, 39, 44, 48, 58, 54, 79, 7, 7, 13, 21, 34, 45, 54, 79),
    "t": (31, 36, 42, 50, 53, 64, 61, 81, 5, 5, 12, 17, 31, 46, 61, 81),
}


@pytest.mark.parametrize("wanted", EVALUATED)
def test_the_search_looks_at_few_nodes(wanted, monkeypatch):
    """Widths are primes, of which no products tie: no last digit of a logarithm decides."""
    rng, seen = np.random.default_rng(5), []
    data = pd.DataFrame({name: rng.geometric(0.1, 400) % w[0] for name, w in WIDTHS.items()})
    data["ill"] = rng.integers(0, 4, 400)
    trees = {name: [[n] for n in range(widths[0])] for name, widths in WIDTHS.items()}
    for name, tree in trees.items():
        for row in tree:
            for width in WIDTHS[name][1:]:
                row.append(row[-1] % width)
    asked = {"k": 3} | {"k": {}, "l": {"l": 3}, "t": {"t": 0.3, "kind": "ordered"}}[wanted]
    asked["sensitive"] = None if wanted == "k" else "ill"
    for pairs, limit, loss in itertools.product((217, 216), (0, 0.05, 0.3, 1), LOSSES):
        monkeypatch.setattr(full_domain, "NODES_FOR_PAIRS", pairs)
        asked |= {"suppression_limit": limit, "loss": loss}
        seen.append(optimal_generalisation(data, list(WIDTHS), trees, **asked).evaluations)
    assert tuple(seen) == EVALUATED[wanted]


def test_rows_that_nodes_suppress_are_kept_in_64_mib():
    """Two of six are alone in both columns; a node with so many rows alone fills the room."""
    about = (DATA, ["zip", "sex"], TREES, None, "category")
    problem = full_domain.Problem(Requirements(2), 0.5, "loss", *about)
    memory, kept = full_domain._Memory(problem), []
    memory.rows = 8 * 2**26
    for node in ((2, 1), (0, 0), (0, 0)):
        memory.keep(np.array(node), problem.look(problem.lattice.bottom, node))
        kept.append(memory.count)
    assert kept == [0, 1, 1], "the top suppresses nobody"


@pytest.mark.parametrize(("short", "pairs", "bundles", "halves"), [(0, 1, 1, 2), (1, 0, 2, 0)])
def test_what_is_made_at_once_is_as_large_as_allowed(
    short, pairs, bundles, halves, monkeypatch
):
    """Four zips and two sexes: eight pairs; four rows, so half of a key has 32 bytes."""
    lattice = Lattice(DATA, ["zip", "sex"], TREES, None, "category")
    for name, most in {"PAIR_CELLS": 8, "FEW_VALUES": 4, "CACHED_BYTES": 64}.items():
        monkeypatch.setattr(_lattice, name, most - short)
    assert len(list(hopeless_pairs(lattice, 2, 0))) == pairs
    found = _lattice.in_bundles(lattice.columns, (0, 1), _lattice._beyond, 8 - short)
    assert len(found) == bundles
    Counted(lattice, lattice.bottom, (0, 0))
    assert len(lattice.halves) == halves
    assert isinstance(_lattice._labels(lattice.columns[0]), np.ndarray) == (not short)


@pytest.mark.parametrize(("values", "bundles"), [(32, 1), (33, 2)])
def test_losses_are_counted_for_1024_combined_values_at_once(values, bundles):
    data = pd.DataFrame({"a": np.arange(33) % 32, "b": np.arange(33) % values})
    trees = {name: [[value] for value in data[name].unique()] for name in data}
    lattice = Lattice(data, ["a", "b"], trees, None, "category")
    assert len(LOSSES["loss"](lattice, Requirements(1), 0).bundles) == bundles


def test_two_halves_of_a_key_may_just_pass_32_bits():
    """641 * 6,700,417 is 2**32 + 1."""
    halves = [(np.array([n - 1], np.uint32), n) for n in (641, 6_700_417)]
    key, _ = _lattice._joined(*halves)
    assert key.tolist() == [2**32]


def test_bounds_of_the_average_class_size_by_hand():
    """Classes of a and b, and c suppressed; level 1 is level 0 in capitals."""
    tree = {"q": [[value, value.upper(), "*"] for value in "abc"]}
    lattice = Lattice(pd.DataFrame({"q": list("aabbc")}), "q", tree, None, "category")
    loss = LOSSES["average_class_size"](lattice, Requirements(2), 1)
    assert loss.start().tolist() == [5 / 3, 5 / 3, 5 / 2]
    assert loss.under[0].tolist() == [[1, 1, 1], [1, 1, 1], [3, 3, 1]]


@every_way
def test_a_table_of_one_record_is_measured(generalise):
    asked = {"k": 1, "l": 1, "c": 0.5, "diversity": "recursive", "sensitive": "ill"}
    with pytest.raises(ValueError, match="the most general one suppresses 1"):
        generalise(DATA.head(1), "zip", TREES, **asked)


@every_way
def test_recursive_diversity_is_measured_where_it_was_asked_for(generalise):
    release = generalise(DATA, "zip", TREES, k=2, sensitive="ill", diversity="recursive")
    assert release.privacy.index.tolist() == ["k", "l", "entropy_l", "t"]


@pytest.mark.parametrize(("records", "kind"), [(153_722_866, np.int64), (153_722_867, object)])
def test_losses_are_added_up_in_62_bits_or_in_integers_of_python(records, kind):
    """A third of 2**62 / 10**10 records, as if there were so many, times three values."""
    trees = {"a": [["x", "*"]], "b": [[v, "*"] for v in "xyz"]}
    data = pd.DataFrame({"a": ["x", "x"], "b": ["x", "y"]})
    lattice = Lattice(data, ["a", "b"], trees, None, "category")
    vars(lattice)["records"] = records
    assert LOSSES["loss"](lattice, Requirements(1), 0).over.dtype == kind


def test_suppressed_records_are_added_up_only_where_they_may_cost_enough():
    """One of six records raises 1 + L of either column by 1/6 at most, from 1."""
    lattice = Lattice(DATA, ["zip", "sex"], TREES, None, "category")
    loss = LOSSES["loss"](lattice, Requirements(2), 1)
    reached = [loss.may_reach(cost, np.zeros(2, int), 1) for cost in (49 / 36.01, 49 / 35.99)]
    assert reached == [True, False]


def test_labels_that_are_texts_are_not_numbered_again(monkeypatch):
    monkeypatch.setattr(_lattice, "encode_column", None)
    assert optimal_generalisation(DATA, ["zip", "sex"], TREES, k=2).privacy["k"] == 3


def test_keys_too_large_for_a_number_are_squeezed():
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
def test_a_lattice_of_too_many_nodes_is_refused(generalise):
    """Twenty-six columns of two levels: twice the nodes that are looked at."""
    data = pd.DataFrame({f"q{j}": ["a"] for j in range(26)})
    trees = {name: [["a", "*"]] for name in data}
    with pytest.raises(ValueError, match="of 67,108,864 nodes, more than 33,554,432; leave"):
        generalise(data, list(data), trees, k=1)


# ---------------------------------------------------------------- by hand


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
    with pytest.raises(ValueError, match=r"suppresses 9\. Ask for less, or "):
        generalise(data, "town", tree, **{**asked, "t": 0})


@every_way
def test_the_whole_table_may_go(generalise):
    release = generalise(DATA, ["zip", "sex"], TREES, k=7, suppression_limit=1)
    assert release.levels == {"zip": 0, "sex": 0}, "all nodes lose all; the lowest wins"
    assert release.loss == 1
    assert release.data.empty and list(release.data.columns) == list(DATA.columns)
    assert release.suppressed.tolist() == list("uvwxyz") and release.share_suppressed == 1
    assert release.privacy.isna().all()
    size = generalise(DATA, "zip", TREES, k=7, suppression_limit=1, loss="average_class_size")
    assert size.loss == 6


@every_way
@pytest.mark.parametrize(("limit", "most"), [(0.29, 29), (0.07, 7), (0.57, 57), (0.999, 99)])
def test_a_limit_is_rounded_down_but_not_by_rounding_errors(generalise, limit, most):
    """0.29 * 100 is 28.999999999999996, and means 29."""
    for alone, feasible in ((most, True), (most + 1, False)):
        values = [f"v{i}" for i in range(alone)] + ["crowd"] * (100 - alone)
        data = pd.DataFrame({"q": values})
        tree = {"q": [[v] for v in dict.fromkeys(values)]}
        if feasible and alone < 99:
            release = generalise(data, "q", tree, k=2, suppression_limit=limit)
            assert len(release.suppressed) == alone
        elif not feasible:
            with pytest.raises(ValueError, match=f"at most {most} of 100 records"):
                generalise(data, "q", tree, k=2, suppression_limit=limit)


@every_way
def test_missing_cells_have_a_row_or_leave(generalise):
    data = pd.DataFrame({"q": ["a", None, "a", "b", None], "s": [1, 2, 2, 1, 1]})
    tree = [["a", "*"], ["b", "*"], [None, "*"]]
    release = generalise(data, "q", {"q": tree}, k=2, suppression_limit=0.2)
    assert release.levels == {"q": 0} and release.suppressed.tolist() == [3]
    assert release.data["q"].isna().tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match=r"hierarchy of 'q' has no row for (nan|None)"):
        generalise(data, "q", {"q": tree[:2]}, k=2)
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        dropped = generalise(data, "q", {"q": tree[:2]}, k=3, missing="drop")
    assert dropped.levels == {"q": 1} and dropped.data.index.tolist() == [0, 2, 3]
    assert (dropped.records, dropped.dropped, len(dropped.suppressed)) == (3, 2, 0)
    assert dropped.kept.tolist() == [True, False, True, True, False]
    assert not dropped.suppressed_rows.any()
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        gone = generalise(
            data, "q", {"q": tree[:2]}, k=2, missing="drop", suppression_limit=0.34
        )
    assert gone.suppressed.tolist() == [3] and gone.dropped == 2


@every_way
def test_no_quasi_identifier_makes_one_class(generalise):
    release = generalise(DATA, [], {}, k=6)
    assert release.levels == {} and release.loss == 0 and release.privacy["k"] == 6
    with pytest.raises(ValueError, match="no node satisfies k=7"):
        generalise(DATA, [], {}, k=7)


@every_way
def test_a_hierarchy_of_one_value_loses_nothing(generalise):
    data = pd.DataFrame({"q": ["a", "a"], "r": [1, 2]})
    tree = {"q": [["a", "*"]], "r": [[1, "*"], [2, "*"]]}
    release = generalise(data, ["q", "r"], tree, k=2)
    assert release.levels == {"q": 0, "r": 1}
    assert release.loss == pytest.approx(math.sqrt(2) - 1)


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


def test_columns_by_position_or_name_and_one_as_a_string():
    by_name = optimal_generalisation(DATA, "zip", TREES, k=2)
    by_place = optimal_generalisation(DATA, [0], TREES, k=2)
    assert by_name.levels == by_place.levels == {"zip": 1}
    numbered = DATA.set_axis([2, 1, 0], axis=1)
    assert optimal_generalisation(numbered, [2], {2: ZIPS}, k=2).levels == {2: 1}


def test_numbers_meet_their_texts_and_labels_take_their_own_type():
    data = pd.DataFrame({"age": [17, 18, 41]})
    tree = pd.DataFrame([["17", 10, "*"], ["18", 10, "*"], ["41", 40, "*"]])
    release = optimal_generalisation(data, "age", {"age": tree}, k=1, suppression_limit=0)
    assert release.data["age"].tolist() == [17, 18, 41]
    release = optimal_generalisation(data, "age", {"age": tree}, k=2, suppression_limit=0.34)
    assert release.data["age"].tolist() == [10, 10] and release.data["age"].dtype == np.int64


def test_a_node_that_the_caller_sees():
    seen = []

    def loss(node):
        seen.append(node)
        return -len(node.class_sizes)

    release = optimal_generalisation(
        DATA, ["zip", "sex"], TREES, k=2, suppression_limit=0.4, loss=loss
    )
    assert release.loss == -2 and release.levels == {"zip": 0, "sex": 0}
    assert len(seen) == release.evaluations == 6, "all six nodes are feasible, each once"
    bottom = next(node for node in seen if node.levels == {"zip": 0, "sex": 0})
    assert sorted(bottom.class_sizes.tolist()) == [2, 2]
    assert (bottom.suppressed, bottom.records) == (2, 6)
    pd.testing.assert_frame_equal(bottom.data, release.data)
    assert bottom.data is bottom.data, "made once"


def test_sensitive_text_of_numbers_warns_once():
    data = DATA.assign(ill=["1", "2", "1", "2", "1", "1"])
    with pytest.warns(UserWarning, match="numbers stored as text") as caught:
        optimal_generalisation(data, ["zip"], TREES, k=2, t=0.5, sensitive="ill")
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("asked", "levels"),
    [({"diversity": "recursive", "c": 2.1, "l": 2}, 1), ({"l": 2}, 1), ({"t": 0.1}, 2)],
)
def test_requirements_on_sensitive_values_by_hand(asked, levels):
    """1*: flu twice, hiv once; 2*: the same. In the values alone 12 and 21 are of one illness.

    Shares of the table are those of 1* and 2*, so t is 0 there; but the values 11 and 20 are
    1/6 from the table. With a fourth record of flu in 1* its share is 3/4, the table's 5/7.
    """
    data = DATA if "t" not in asked else pd.concat([DATA, DATA.iloc[[0]]])
    release = optimal_generalisation(data, "zip", TREES, k=1, sensitive="ill", **asked)
    low = optimal_generalisation(data, "zip", TREES, k=1, sensitive="ill")
    assert low.levels == {"zip": 0}
    if levels == 1:
        assert release.levels == {"zip": 1}
    else:
        assert release.privacy["t"] <= 0.1 < low.privacy["t"]


def test_release_satisfies_an_assertion_of_the_same_thresholds():
    asked = {"k": 2, "l": 2, "t": 0.2}
    release = optimal_generalisation(
        DATA, ["zip", "sex"], TREES, sensitive="ill", suppression_limit=0.5, **asked
    )
    tk.assert_privacy(release.data, ["zip", "sex"], "ill", **asked)


# ---------------------------------------------------------------- laws


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


@settings(max_examples=60)
@given(tasks(columns=2), st.sampled_from(["loss", "average_class_size"]))
def test_bounds_hold_at_every_node(made, loss):
    """What the search learns at any node is at most the cost of each other node."""
    task, data, asked = made
    lattice = Lattice(
        data,
        asked["quasi_identifiers"],
        asked["hierarchies"],
        asked.get("sensitive"),
        "category",
    )
    requirements = Requirements(
        task.k, task.l, task.t, task.diversity, task.c, asked.get("kind", "auto")
    )
    limit = math.floor(task.limit * len(data))
    known = LOSSES[loss](lattice, requirements, limit)
    nodes = list(itertools.product(*map(range, lattice.shape)))
    seen = {
        node: Outcome(lattice, lattice.bottom, node, requirements, limit) for node in nodes
    }
    costs = np.array(
        [known.cost(node, seen[node]) if seen[node].feasible else np.inf for node in nodes]
    )
    most = costs.reshape(lattice.shape) * (1 + TIE)
    assert (known.start() <= most).all()
    for node in nodes:
        for where, least in known.bounds(node, seen[node]):
            assert (least <= most[where]).all()
        if seen[node].ruled_out:
            below = [all(a <= b for a, b in zip(x, node, strict=True)) for x in nodes]
            assert np.isinf(costs[below]).all()


# ---------------------------------------------------------------- the trace


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


@every_way
def test_no_trace_unless_asked_for(generalise):
    assert generalise(DATA, "zip", TREES, k=2).trace is None


def test_progress_is_shown(capsys):
    for generalise in BOTH:
        generalise(DATA, ["zip", "sex"], TREES, k=2, progress=True)
        assert "6/6" in capsys.readouterr().err
    optimal_generalisation(DATA, ["zip", "sex"], TREES, k=2)
    assert capsys.readouterr().err == ""


@every_way
def test_an_interrupt_leaves_nothing_behind(generalise, capsys):
    before = DATA.copy(deep=True)

    def loss(node):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generalise(DATA, ["zip", "sex"], TREES, k=2, loss=loss, progress=True)
    pd.testing.assert_frame_equal(DATA, before)
    assert generalise(DATA, ["zip", "sex"], TREES, k=2).levels == {"zip": 1, "sex": 0}


# ---------------------------------------------------------------- bad input

TORN = [["11", "1*", "*"], ["12", "1*", "**"], ["20", "2*", "*"], ["21", "2*", "*"]]
BAD = {
    "k not whole": ({"k": 2.5}, TypeError, "k must be a whole number of at least 1; got 2.5"),
    "k a text": ({"k": "2"}, TypeError, "k must be a whole number"),
    "k true": ({"k": True}, TypeError, "k must be a whole number"),
    "k zero": ({"k": 0}, ValueError, "k must be at least 1; got 0"),
    "l alone": ({"l": 2}, ValueError, "l=2 is about sensitive values; name the column"),
    "t alone": ({"t": 0.2}, ValueError, "t=0.2 is about sensitive values; name the column"),
    "l below 1": ({"l": 0, "sensitive": "ill"}, ValueError, "l must be at least 1; got 0"),
    "l not whole": ({"l": 1.5, "sensitive": "ill"}, TypeError, "l must be a whole number"),
    "t above 1": (
        {"t": 2, "sensitive": "ill"},
        ValueError,
        "t must be at least 0 and at most 1",
    ),
    "c alone": (
        {"c": 2, "sensitive": "ill"},
        ValueError,
        "c belongs to l with diversity='rec",
    ),
    "no c": (
        {"l": 2, "sensitive": "ill", "diversity": "recursive"},
        ValueError,
        "which needs both; got c=None, l=2",
    ),
    "c zero": (
        {"l": 2, "sensitive": "ill", "diversity": "recursive", "c": 0},
        ValueError,
        "c must be a positive, finite number",
    ),
    "diversity": (
        {"l": 2, "sensitive": "ill", "diversity": "simpson"},
        ValueError,
        "diversity must be one of 'distinct', 'entropy', 'recursive'; got 'simpson'",
    ),
    "kind": ({"sensitive": "ill", "kind": "far"}, ValueError, "kind must be one of"),
    "kind ordered": (
        {"t": 0.2, "sensitive": "ill", "kind": "ordered"},
        ValueError,
        "kind='ordered' needs numbers",
    ),
    "sensitive known": ({"sensitive": "sex"}, ValueError, "both a quasi-identifier and sensi"),
    "sensitive unknown": ({"sensitive": "pay"}, ValueError, "there is no column 'pay'"),
    "limit above 1": (
        {"suppression_limit": 5},
        ValueError,
        "suppression_limit must be a share from 0 to 1; got 5",
    ),
    "limit below 0": ({"suppression_limit": -0.1}, ValueError, "must be a share from 0 to 1"),
    "limit missing": (
        {"suppression_limit": np.nan},
        ValueError,
        "must be a share from 0 to 1",
    ),
    "limit a text": ({"suppression_limit": "5 %"}, TypeError, "must be a share from 0 to 1"),
    "loss unknown": (
        {"loss": "entropy"},
        ValueError,
        "loss must be one of 'loss', 'average_class_size'; got 'entropy'",
    ),
    "loss a number": ({"loss": 1}, TypeError, "or a function of a LatticeNode; got int"),
    "loss NaN": (
        {"loss": lambda n: math.nan},
        ValueError,
        "loss returned NaN for levels {'zip'",
    ),
    "loss a text": (
        {"loss": lambda n: "low"},
        TypeError,
        "loss must return a number for each",
    ),
    "wildcard": ({"missing": "wildcard"}, ValueError, "missing='wildcard' makes no classes"),
    "missing": ({"missing": "guess"}, ValueError, "missing must be one of 'category', 'drop'"),
    "no tables": ({"hierarchies": None}, TypeError, "hierarchies must map each column"),
    "no table": ({"hierarchies": {"zip": ZIPS}}, ValueError, "hierarchies lacks 'sex'"),
    "no value": (
        {"hierarchies": {"zip": ZIPS[1:], "sex": SEXES}},
        ValueError,
        "hierarchy of 'zip' has no row for '11', which the data hold",
    ),
    "torn": (
        {"hierarchies": {"zip": TORN, "sex": SEXES}},
        ValueError,
        "hierarchy of 'zip': label '1*' of level 1 has several labels on level 2",
    ),
    "twice": (
        {"hierarchies": {"zip": [*ZIPS, ZIPS[0]], "sex": SEXES}},
        ValueError,
        "hierarchy of 'zip' lists '11' twice",
    ),
    "unknown column": (
        {"quasi_identifiers": ["zip", "town"]},
        ValueError,
        "there is no column",
    ),
    "no rows": ({"data": DATA.iloc[:0]}, ValueError, "data has no rows"),
    "no frame": ({"data": DATA["zip"]}, TypeError, "data must be a pandas DataFrame"),
}


@every_way
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered(generalise, case):
    given_, error, message = BAD[case]
    asked = {"data": DATA, "quasi_identifiers": ["zip", "sex"], "hierarchies": TREES, "k": 2}
    with pytest.raises(error, match=re.escape(message)):
        generalise(**asked | given_)


def test_columns_of_one_name_are_refused():
    data = DATA.set_axis(["zip", "ill", "zip"], axis=1)
    with pytest.raises(ValueError, match="several columns are called 'zip', but levels"):
        optimal_generalisation(data, [0, 2], TREES, k=2)


def test_lattices_too_large_to_be_looked_at_are_refused():
    data = pd.DataFrame({f"q{j}": [1] for j in range(9)})
    deep = {name: [[1, *"abcdefgh"]] for name in data.columns}
    with pytest.raises(ValueError, match="a lattice of 387,420,489 nodes, more than"):
        optimal_generalisation(data, list(data.columns), deep, k=1)


@every_way
def test_what_cannot_be_reached_names_the_way_out(generalise):
    message = (
        "no node satisfies k=7 with at most 3 of 6 records suppressed; the most general one"
        " suppresses 6. Ask for a smaller k."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        generalise(DATA, ["zip", "sex"], TREES, k=7, suppression_limit=0.5)
    message = "suppresses 6. Ask for less, or give the hierarchies a coarser level."
    with pytest.raises(ValueError, match=re.escape(message)):
        generalise(DATA, "zip", {"zip": [[row[0]] for row in ZIPS]}, k=6)
    message = "k=3, distinct l=2, t=0.1 with at most 0 of 6 records suppressed"
    flat = {"zip": [[row[0]] for row in ZIPS]}
    asked = {"k": 3, "l": 2, "t": 0.1, "sensitive": "ill"}
    with pytest.raises(ValueError, match=re.escape(message)):
        generalise(DATA, ["zip"], flat, **asked)


def test_the_way_out_leads_out():
    """Of three records two are alone: 2/3 is no decimal fraction, so it is rounded up."""
    data = pd.DataFrame({"q": ["a", "b", "c", "c", "d", "d", "d"]})
    tree = {"q": [[v] for v in "abcd"]}
    with pytest.raises(ValueError, match="suppression_limit to 0.2858 or more"):
        optimal_generalisation(data, "q", tree, k=2)
    assert (
        len(optimal_generalisation(data, "q", tree, k=2, suppression_limit=0.2858).data) == 5
    )


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


@needs_adult
@pytest.mark.full
@pytest.mark.parametrize("columns", [8, 9])
@pytest.mark.parametrize("loss", ["loss", "average_class_size"])
@pytest.mark.parametrize("limit", [0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1])
def test_the_search_of_adult_finds_what_a_sweep_finds(adult, columns, loss, limit):
    data, tables = adult
    names = [*COLUMNS, "income"][:columns]
    asked = {"k": 5, "loss": loss, "suppression_limit": limit}
    one, other = (f(data, names, tables, **asked) for f in BOTH)
    assert (one.levels, one.loss) == (other.levels, other.loss)
    assert other.evaluations == math.prod(tables[name].shape[1] for name in names)
    if loss == "loss":
        assert one.evaluations <= 600


@needs_adult
@pytest.mark.full
@pytest.mark.parametrize("asked", [{"l": 2}, {"l": 3}, {"t": 0.2}, {"t": 0.5}])
@pytest.mark.parametrize("loss", ["loss", "average_class_size"])
@pytest.mark.parametrize("limit", [0, 0.05, 1])
def test_the_search_of_adult_with_a_sensitive_occupation(adult, asked, loss, limit):
    data, tables = adult
    names = [name for name in [*COLUMNS, "income"] if name != "occupation"]
    asked = {**asked, "k": 5, "sensitive": "occupation", "suppression_limit": limit}
    one, other = (f(data, names, tables, **asked, loss=loss) for f in BOTH)
    assert (one.levels, one.loss) == (other.levels, other.loss)
    assert one.evaluations <= other.evaluations


def test_the_stand_in_of_adult_by_its_own_hierarchies():
    from toolkit.datasets import load_adult, load_adult_hierarchies

    data = load_adult().head(3000)
    names = ["sex", "race", "education", "marital-status"]
    asked = {"k": 5, "suppression_limit": 0.02}
    one, other = (f(data, names, load_adult_hierarchies(), **asked) for f in BOTH)
    assert (one.levels, one.loss) == (other.levels, other.loss)
    assert one.privacy["k"] == tk.k_anonymity(one.data, names) >= 5
    assert len(one.data) + len(one.suppressed) == 3000
    assert one.evaluations < other.evaluations


# --- The release as a whole table ---


@given(
    st.lists(st.tuples(*[st.sampled_from(["11", "12", "20", None])] * 2), min_size=1),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from(["category", "drop"]),
)
@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_suppressed_rows_come_back_masked(rows, k, limit, missing):
    data = pd.DataFrame(rows, columns=["p", "q"]).assign(pay=range(len(rows)))
    data.index = pd.Index([7] * len(rows))
    tree = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"], [None, "?", "**"]]
    trees = {"p": tree, "q": tree}
    try:
        release = tk.optimal_generalisation(
            data, ["p", "q"], trees, k=k, suppression_limit=limit, missing=missing
        )
    except ValueError:  # nothing is left, or no node is feasible
        return
    before = release.data.copy(deep=True)
    table = release.with_suppressed_rows()
    pd.testing.assert_frame_equal(release.data, before)
    gone = release.suppressed_rows[release.kept | release.suppressed_rows].to_numpy()
    assert table.index.equals(data.index[: len(gone)]) and list(table) == list(data)
    assert (table[gone] == "*").all(axis=None) and len(gone) == release.records
    for column in data:
        pairs = zip(table[column][~gone], release.data[column], strict=True)
        assert all(str(a) == str(b) or (pd.isna(a) and pd.isna(b)) for a, b in pairs)
    if not gone.any():
        pd.testing.assert_frame_equal(table, release.data)
    elif not gone.all():
        left = tk.class_table(table, ["p", "q"], suppressed="*")
        assert tk.k_anonymity(left) == release.privacy["k"]


@pytest.mark.parametrize("generalise", BOTH)
def test_what_is_measured_is_what_the_rows_show(generalise):
    """Beside 0.5, two labels become floats, of which both are 2**53: one class, not two."""
    data = pd.DataFrame({"x": list("aabbbcccccc"), "y": list("ppqqqqqqqqq")})
    labels = {"a": 2**53, "b": 2**53 + 1, "c": 0.5}
    trees = {"x": [[value, label, "*"] for value, label in labels.items()]}
    trees["y"] = [["p", "*"], ["q", "*"]]
    for y, least in ((0, 2), (1, 5)):
        cost = lambda node, y=y: abs(node.levels["x"] - 1) + abs(node.levels["y"] - y)  # noqa: E731
        release = generalise(data, ["x", "y"], trees, k=2, loss=cost)
        assert release.levels == {"x": 1, "y": y}
        assert release.privacy["k"] == tk.k_anonymity(release.data, ["x", "y"]) == least


def test_a_whole_table_keeps_types_and_says_what_is_wrong():
    data = pd.DataFrame({"zip": list("aab"), "ill": pd.Categorical(list("xyz")), "n": 1})
    trees = {"zip": tk.suppression_hierarchy(data["zip"])}
    release = tk.optimal_generalisation(data, "zip", trees, k=2, suppression_limit=0.4)
    table = release.with_suppressed_rows("gone")
    assert table["zip"].tolist() == ["a", "a", "gone"]
    assert table["ill"].tolist() == ["x", "y", "gone"] and table["n"].tolist() == [
        "1",
        "1",
        "gone",
    ]
    assert isinstance(table["ill"].dtype, pd.CategoricalDtype)
    loss = tk.information_loss(data, release.with_suppressed_rows(), trees)
    assert loss == 1 / 3, "one cell of three"
    with pytest.raises(TypeError, match="mark must be one label"):
        release.with_suppressed_rows(["*"])


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_of_equal_losses_the_one_of_fewer_levels_is_taken(order):
    """To hide a takes one level, and to hide b two, of which the first tells all apart."""
    data = pd.DataFrame({"a": list("xxyy"), "b": list("pqpq")})
    trees = {
        "a": pd.DataFrame({0: list("xy"), 1: ["*", "*"]}, index=list("xy")),
        "b": pd.DataFrame({0: list("pq"), 1: list("PQ"), 2: ["*", "*"]}, index=list("pq")),
    }
    size = {"k": 2, "loss": "average_class_size"}
    found = tk.optimal_generalisation(
        data, order, {name: trees[name] for name in order}, **size
    )
    assert found.levels == {"a": 1, "b": 0}


ONE_MAY_GO = {
    "ways below are not ruled out": ("223233001", "022012020", "120102021", 0.4, [2, 0]),
    "nor in a table of six": ("312121", "001120", "120222", 0.3, [0, 2]),
}


@pytest.mark.parametrize("case", ONE_MAY_GO)
def test_closeness_with_one_record_to_suppress_rules_out_nothing(case):
    """Where a class that misses t may go, finer levels may satisfy it after all."""
    a, b, secret, t, levels = ONE_MAY_GO[case]
    data = pd.DataFrame({"a": list(a), "b": list(b), "s": list(secret)})
    trees = {
        "a": [["0", "x", "*"], ["1", "x", "*"], ["2", "y", "*"], ["3", "y", "*"]],
        "b": [["0", "p", "*"], ["1", "p", "*"], ["2", "q", "*"]],
    }
    asked = {"k": 2, "t": t, "sensitive": "s", "kind": "equal"}
    asked["suppression_limit"] = 1 / len(data)
    for search in (tk.optimal_generalisation, tk.exhaustive_generalisation):
        found = search(data, ["a", "b"], trees, **asked)
        assert list(found.levels.values()) == levels
