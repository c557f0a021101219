"""Unique records: by hand, by brute force, laws, edges."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import toolkit as tk
from tests.oracles.pif import rows_of
from tests.tables import TABLES

WARD = pd.DataFrame(
    {
        "age": [30, 30, 40, 40, 40],
        "sex": ["f", "f", "m", "m", None],
        "town": ["x", "y", "x", "x", "x"],
    },
    index=[9, 9, 3, 1, 0],
)
ALL = ["age", "sex", "town"]


def numbered(data):
    """Columns 0, 1, …, since the tables of hypothesis repeat their labels."""
    return data.set_axis(range(data.shape[1]), axis=1)


def alone(rows, columns):
    """Positions of the rows that nobody equals in some columns."""
    keys = [tuple(row[j] for j in columns) for row in rows]
    times = Counter(keys)
    return {i for i, key in enumerate(keys) if times[key] == 1}


# Shares of unique records


def test_uniqueness_without_columns():
    assert tk.unique_share(WARD, []) == 0
    assert tk.unique_share(WARD.iloc[[0]], []) == 1, "one record is alone without being known"


def test_what_a_missing_cell_is():
    wild = tk.sample_uniqueness(WARD, ["age", "sex"], missing="wildcard")
    assert wild["records"].tolist() == [2, 2, 3, 3, 3]
    assert tk.unique_share(WARD, ["age", "sex"], missing="wildcard") == 0
    with pytest.warns(UserWarning, match="leaves out 1 of 5 rows"):
        dropped = tk.sample_uniqueness(WARD, ALL, missing="drop")
    assert dropped["unique"].isna().tolist() == [False] * 4 + [True]
    with pytest.warns(UserWarning):
        assert tk.unique_share(WARD, ALL, missing="drop") == 2 / 4, "of those that are left"


@given(data=TABLES)
def test_shares_against_brute_force(data):
    data = numbered(data)
    rows, n, q = rows_of(data), len(data), data.shape[1]
    found = tk.subset_uniqueness(data, list(range(q))).set_index("columns")
    subsets = [s for m in range(1, q + 1) for s in itertools.combinations(range(q), m)]
    assert found.index.tolist() == subsets
    assert found["unique"].tolist() == [len(alone(rows, s)) for s in subsets]
    smallest = [min(Counter(tuple(r[j] for j in s) for r in rows).values()) for s in subsets]
    assert found["k"].tolist() == smallest
    curve = tk.uniqueness_curve(data, list(range(q)))
    sizes = Counter(rows)
    assert tk.sample_uniqueness(data, list(range(q)))["records"].tolist() == [
        sizes[row] for row in rows
    ]
    for m, line in curve.iterrows():
        shares = [len(alone(rows, s)) / n for s in itertools.combinations(range(q), m)]
        assert line["share"] == len(alone(rows, range(m))) / n
        assert line["share"] == tk.unique_share(data, list(range(m)))
        assert (line["min"], line["max"]) == (min(shares), max(shares))
        assert line["mean"] == pytest.approx(sum(shares) / len(shares), abs=1e-15)


def test_a_class_table_stands_for_its_data():
    classes = tk.class_table(WARD, ALL)
    assert tk.uniqueness_curve(classes).equals(tk.uniqueness_curve(WARD, ALL))
    assert tk.unique_share(classes) == tk.unique_share(WARD, ALL)
    suppressed = WARD.assign(age=["*", 30, 40, 40, 40])[["age"]]
    scores = tk.suda_uniques(tk.class_table(suppressed, "age", suppressed="*")).scores
    assert scores.isna().tolist() == [True] + [False] * 4 and scores.iloc[1] > 0


# Minimal sample uniques and special-unique scores


def keys_by_force(rows, q, most):
    """Keys of each record: sets in which it is alone, without a smaller one in them."""
    sets = [set(s) for m in range(1, most + 1) for s in itertools.combinations(range(q), m)]
    alone_in = [(s, alone(rows, sorted(s))) for s in sets]
    return [
        [
            tuple(sorted(s))
            for s, people in alone_in
            if i in people and not any(t < s and i in others for t, others in alone_in)
        ]
        for i in range(len(rows))
    ]


def points_of(k, q, most):
    """Ways to add columns to a key of k until there are most + 1, or q - 1 are there."""
    points = 1
    for i in range(k, min(most, q - 1) + 1):
        points *= q - i
    return points


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@given(data=TABLES)
def test_suda_uniques_against_all_subsets(most, data):
    data = numbered(data)
    rows, q = rows_of(data), data.shape[1]
    most = min(most, q)
    expected = keys_by_force(rows, q, most)
    found = tk.suda_uniques(data, list(range(q)), max_key_size=most)
    points = [[points_of(len(key), q, most) for key in keys] for keys in expected]
    assert found.scores.tolist() == [sum(some) for some in points]
    assert found.scores.index.equals(data.index)
    flat = [(i, key) for i, keys in enumerate(expected) for key in keys]
    brought = [points_of(len(key), q, most) for _, key in flat]
    for j in range(q):
        part = sum(p for p, (_, key) in zip(brought, flat, strict=True) if j in key)
        assert found.attributes[j] == pytest.approx(part / max(sum(brought), 1))
    listed = tk.minimal_sample_uniques(data, list(range(q)), max_key_size=most)
    assert list(zip(listed["position"], listed["key"], strict=True)) == flat
    assert listed["size"].tolist() == [len(key) for _, key in flat]
    assert listed["points"].tolist() == brought
    assert listed.index.equals(data.index[listed["position"]])
    holders = Counter(key for _, key in flat)
    assert dict(zip(found.keys["columns"], found.keys["records"], strict=True)) == holders


def test_keys_have_up_to_three_columns_unless_asked():
    names = [("bit", j) for j in range(4)]
    every = pd.DataFrame(itertools.product([0, 1], repeat=4))
    every.columns = pd.Index(names, tupleize_cols=False)
    found = tk.suda_uniques(every, names)
    assert (found.scores == 0).all() and found.attributes.index.equals(every.columns)
    assert tk.minimal_sample_uniques(every, names).empty
    assert len(tk.minimal_sample_uniques(every, names, max_key_size=4)) == 16


def test_records_left_out_have_no_score():
    with pytest.warns(UserWarning, match="leaves out 1 of 5 rows"):
        dropped = tk.class_table(WARD, ALL, missing="drop")
    found = tk.suda_uniques(dropped)
    assert found.scores.isna().tolist() == [False] * 4 + [True]
    assert tk.dis_suda_scores(found, fraction=0.5).isna().tolist() == [False] * 4 + [True]
    listed = tk.minimal_sample_uniques(dropped)
    assert listed["key"].tolist()[:2] == [("age", "town"), ("sex", "town")]
    assert 4 not in listed["position"].tolist()


def test_dis_suda_by_hand():
    """Scores 2, 4, 2 of three uniques and one pair; e = 1 + (8 - 3) / 20 = 1.25."""
    data = pd.DataFrame({"a": [2, 1, 1, 5, 5], "b": [0, 3, 0, 7, 7], "c": [0, 6, 0, 7, 7]})
    found = tk.suda_uniques(data, ["a", "b", "c"])
    assert found.scores.tolist() == [2, 4, 2, 0, 0]
    assert (found.uniques, found.in_pairs) == (3, 2)
    d = 0.1 * 3 / (0.1 * 3 + 0.9 * 2)
    total = 2 * 2**-1.25 + 4**-1.25
    expected = [1 / (1 + (3 / d - 3) / (s**1.25 * total)) for s in (2, 4, 2)]
    risks = tk.dis_suda_scores(found, fraction=0.1)
    np.testing.assert_allclose(risks, [*expected, 0, 0], rtol=1e-14)
    assert 1 / (1 / risks.iloc[:3]).mean() == pytest.approx(d), "the harmonic mean"
    assert tk.dis_suda_scores(found, fraction=1).tolist() == [1, 1, 1, 0, 0]


# Every score side by side


def test_every_score_is_that_of_its_own_function():
    rng, n, known = np.random.default_rng(1), 300, ["age", "sex", "town"]
    data = pd.DataFrame({"age": rng.integers(20, 40, n), "sex": rng.choice(["f", "m"], n)})
    data["town"] = rng.choice(list("ABCDE"), n, p=[0.5, 0.3, 0.1, 0.06, 0.04])
    data.index = [f"p{i}" for i in range(n)]
    chance = {"fraction": 0.1, "rng": np.random.default_rng(2)}
    methods = ["manhattan", "isolation forest"]
    found = tk.privacy_scores(data, known, outliers=methods, max_key_size=2, **chance)
    factors = tk.information_factors(data[known])
    same = np.random.default_rng(2)
    copula = tk.copula_uniqueness(data, known, fraction=0.1, rng=same)
    forest = tk.outlier_scores(data, "isolation forest", known, rng=same)
    expected = {
        "records": tk.record_class_sizes(data, known),
        "rig_bits": factors.rig,
        "cig_bits": factors.cig.max(axis=1),
        "csf": factors.csf.max(axis=1),
        "suda": tk.suda_uniques(data, known, max_key_size=2).scores,
        "copula": copula.records["uniqueness"],
        "manhattan": tk.outlier_scores(data, "manhattan", known),
        "isolation forest": forest,
    }
    assert found.scores.columns.tolist() == [*expected]
    assert found.scores.index.equals(data.index) and found.ranks.index.equals(data.index)
    for name, score in expected.items():
        np.testing.assert_allclose(found.scores[name].astype(float), score.astype(float))


def test_ranks_and_correlations_by_hand():
    """Class sizes 2, 2, 1, 1, and distances of which the third is the least."""
    data = pd.DataFrame({"age": [30, 30, 31, 80], "sex": list("ffff")})
    found = tk.privacy_scores(data, ["age", "sex"], outliers=["euclidean"])
    assert found.ranks["records"].tolist() == [0.25, 0.25, 0.75, 0.75]
    assert found.ranks["suda"].tolist() == [0.25, 0.25, 0.75, 0.75]
    assert found.ranks["euclidean"].tolist() == [0.5, 0.5, 0.125, 0.875]
    assert found.correlations.loc["records", "suda"] == pytest.approx(1)
    # Ranks 1.5, 1.5, 3.5, 3.5 and 2.5, 2.5, 1, 4: the products of deviations add up to 0.
    assert found.correlations.loc["records", "euclidean"] == pytest.approx(0, abs=1e-15)
