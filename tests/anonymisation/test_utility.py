"""Losses of information: by hand, against plain loops, at the edges."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.oracles.classes import Classes
from tests.oracles.pif import rows_of
from tests.tables import tables

ZIPS = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"], ["30", "3*", "**"]]
AGES = [[str(v), f"{v // 2 * 2}-", "any"] for v in range(4)]
TREES = {"zip": ZIPS, "age": AGES}


@given(tables(min_columns=2), st.integers(0, 3))
def test_losses_of_classes_against_the_oracle(data, removed):
    data = data.set_axis(range(data.shape[1]), axis=1)
    q, s = list(range(data.shape[1] - 1)), data.shape[1] - 1
    truth = Classes(rows_of(data))
    sizes, n = truth.sizes(), len(data) + removed
    most = [max(counts.values()) for counts in truth.classes.values()]
    assert (
        tk.discernability(data, q, removed=removed)
        == sum(size**2 for size in sizes) + removed * n
    )
    metric = Fraction(removed + sum(sizes) - sum(most), n)
    assert tk.classification_metric(data, q, s, removed=removed) == float(metric)
    average = Fraction(sum(sizes), len(sizes))
    assert tk.average_class_size(data, q, k=1) == float(average)
    assert tk.average_class_size(data, q) == pytest.approx(float(average / min(sizes)))


def test_suppressed_records_count_as_lost():
    data = pd.DataFrame({"q": ["a", "a", "a", "*"], "s": list("xxyx")})
    classes = tk.class_table(data, "q", "s", suppressed="*")
    assert tk.discernability(classes) == 9 + 4
    assert tk.discernability(classes, removed=1) == 9 + 2 * 5
    assert tk.classification_metric(classes) == 2 / 4
    assert tk.average_class_size(classes, k=2) == 3 / 2
    with pytest.warns(UserWarning, match="leaves out 1 of 4 rows"):
        dropped = tk.class_table(data.replace("*", None), "q", "s", missing="drop")
    assert tk.discernability(dropped) == 9 + 4 and tk.classification_metric(dropped) == 2 / 4


def generalised(rows, levels):
    """Original and treated table of (zip, age, suppressed) rows."""
    original = pd.DataFrame(
        {"zip": [ZIPS[a][0] for a, _, _ in rows], "age": [AGES[b][0] for _, b, _ in rows]},
        index=[f"row {i}" for i in range(len(rows))],
    )
    treated = pd.DataFrame(
        {
            "zip": ["*" if gone else ZIPS[a][levels[0]] for a, _, gone in rows],
            "age": ["*" if gone else AGES[b][levels[1]] for _, b, gone in rows],
        },
        index=original.index,
    )
    return original, treated


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=12
)
LEVELS = st.tuples(st.integers(0, 2), st.integers(0, 2))


@given(ROWS, LEVELS)
def test_losses_of_cells_against_plain_loops(rows, levels):
    original, treated = generalised(rows, levels)
    height, leaves, loss = [], [], []
    for i in range(len(rows)):
        for j, tree in enumerate(TREES.values()):
            value, label = original.iloc[i, j], treated.iloc[i, j]
            path = next(row for row in tree if row[0] == value)
            level = 2 if label == "*" else path.index(label)
            under = [row[0] for row in tree if label == "*" or row[level] == label]
            height.append(level)
            leaves.append(Fraction(len(under), 4) if len(under) > 1 else 0)
            loss.append(Fraction(len(under) - 1, 3))
    cells = len(height)
    shape = (len(rows), 2)
    found = tk.cell_losses(original, treated, TREES, measure="level")
    assert found.index.equals(original.index)
    np.testing.assert_array_equal(found, np.reshape(height, shape) / 2)
    penalties = tk.cell_losses(original, treated, TREES, measure="penalty")
    np.testing.assert_allclose(penalties, np.array(leaves, float).reshape(shape))
    losses = tk.cell_losses(original, treated, TREES)
    np.testing.assert_allclose(losses, np.array(loss, float).reshape(shape))
    assert tk.information_loss(original, treated, TREES) == pytest.approx(
        float(sum(loss) / cells)
    )


@given(ROWS, LEVELS)
def test_divergence_against_plain_loops(rows, levels):
    original, treated = generalised(rows, levels)
    n, nobody = len(rows), all(gone for *_, gone in rows)  # then `*` is a label like any other
    kept = [i for i in range(n) if nobody or not rows[i][2]]
    labels = [{original.iat[i, j]: treated.iat[i, j] for i in kept} for j in range(2)]
    domain = itertools.product(*({*original.iloc[:, j]} for j in range(2)))
    seen = dict.fromkeys(domain, Fraction(0))
    for i in range(n):
        shown = {j: treated.iat[i, j] for j in range(2) if i in kept}
        fits = [t for t in seen if all(labels[j].get(t[j]) == shown[j] for j in shown)]
        for cells in fits:
            seen[cells] += Fraction(1, n * len(fits))
    truth = Counter(map(tuple, original.to_numpy()))
    lost = sum(c / n * math.log2(Fraction(c, n) / seen[t]) for t, c in truth.items())
    found = tk.release_kl_divergence(original, treated, ["zip", "age"])
    assert found == pytest.approx(lost, abs=1e-12)


@given(ROWS, LEVELS, st.booleans())
def test_marginals_against_plain_loops(rows, levels, dropped):
    original, treated = generalised([(a, b, False) for a, b, _ in rows], levels)
    treated = treated[["age"]] if dropped else treated
    n, distances = len(rows), []
    for names in [["age"]] if dropped else [["zip"], ["age"], ["zip", "age"]]:
        known = [sorted(set(original[name])) for name in names]
        label = [dict(zip(original[name], treated[name], strict=True)) for name in names]
        lost = {values: Fraction(0) for values in itertools.product(*known)}
        for row, seen in zip(
            original[names].to_numpy(), treated[names].to_numpy(), strict=True
        ):
            lost[tuple(row)] += Fraction(1, n)
            same = [
                v
                for v in lost
                if all(d[c] == s for d, c, s in zip(label, v, seen, strict=True))
            ]
            for values in same:
                lost[values] -= Fraction(1, n * len(same))
        distances.append(sum(map(abs, lost.values())) / 2)
    found = tk.marginal_similarity(original, treated)
    assert found.marginals == pytest.approx(float(1 - sum(distances) / len(distances)))
    assert found.columns_kept == (0.5 if dropped else 1)


@given(tables())
def test_information_risk_sums_up_the_personal_information_factor(data):
    cig, csf = tk.cell_information_gain(data), tk.cell_surprise_factor(data)
    rig = cig.to_numpy().sum(axis=1)
    found = [rig.mean(), np.percentile(rig, 95), (csf.to_numpy() > 0.5).mean()]
    assert list(tk.information_risk(data)) == pytest.approx(found)


def test_missing_cells_have_a_place_in_the_hierarchy():
    original = pd.DataFrame({"zip": ["11", None]})
    tree = [["11", "known"], [None, None]]
    assert tk.cell_losses(original, original, {"zip": tree}, measure="level").sum().item() == 0
    treated = pd.DataFrame({"zip": ["known", None]})
    losses = tk.cell_losses(original, treated, {"zip": tree}, measure="level")
    assert losses["zip"].tolist() == [1, 0]


def test_the_losses_of_a_mondrian_with_hierarchies_are_those_that_it_says():
    data = pd.DataFrame({"zip": [row[0] for row in ZIPS] * 3, "age": list("001123320132")})
    release = tk.mondrian(data, ["zip", "age"], k=3, hierarchies=TREES)
    assert tk.information_loss(data, release.data, TREES) == pytest.approx(release.loss)


BEFORE = pd.DataFrame({"zip": ["11", "12", "11"]})
REFUSED = [
    (lambda: tk.discernability(BEFORE, "zip", removed=-1), "removed must be a whole number"),
    (lambda: tk.average_class_size(BEFORE, "zip", k=0), "k must be a number in"),
    (lambda: tk.release_kl_divergence(BEFORE, BEFORE.iloc[:2], "zip"), "Keep suppressed rows"),
    (lambda: tk.marginal_similarity(BEFORE, BEFORE[:2]), "index differs"),
    (
        lambda: tk.release_kl_divergence(BEFORE, BEFORE.assign(zip=list("abc")), "zip"),
        "have become different ones",
    ),
    (
        lambda: tk.cell_losses(BEFORE, BEFORE.assign(zip="2*"), {"zip": ZIPS}),
        "labels that the hierarchy does not give the original value, in 2 of 2 pairs",
    ),
    (lambda: tk.cell_losses(BEFORE, BEFORE, {}), "hierarchies lacks"),
    (lambda: tk.cell_losses(BEFORE, BEFORE, {"zap": ZIPS}), "Did you mean 'zip'"),
    (lambda: tk.cell_losses(BEFORE, BEFORE, {"zip": ZIPS[1:]}), "no row for 1 of the 2"),
    (lambda: tk.cell_losses(BEFORE, BEFORE, TREES, measure="x"), "measure must be one of"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
