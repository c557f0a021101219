"""Who in the register may own which record? Candidates of a join, by hand and by loops."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.oracles.classes import crowd
from tests.oracles.pif import rows_of
from tests.tables import tables
from toolkit.disclosure.membership import link

PATIENTS = pd.DataFrame(
    {"sex": ["f", "f", "m", None, "m"], "town": ["A", "B", "B", "A", "C"]},
    index=[7, 7, 3, 1, 0],
)
VOTERS = pd.DataFrame(
    {
        "town": ["A", "B", "B", "B", None],
        "sex": ["f", "f", "f", "m", "m"],
        "name": list("vwxyz"),
    }
)
BOTH = ["sex", "town"]


@pytest.mark.parametrize(
    ("known", "missing", "expected"),
    [
        (BOTH, "category", [1, 2, 1, 0, 0]),
        (BOTH, "wildcard", [1, 2, 2, 2, 1]),
        ("town", "category", [1, 3, 3, 1, 0]),
        ([], "category", [5] * 5),
    ],
)
def test_candidates_by_hand(known, missing, expected):
    found = tk.linkage_candidates(PATIENTS, VOTERS, known, missing=missing)
    assert found.tolist() == expected
    assert found.name == "candidates" and found.index.equals(PATIENTS.index)


def test_records_left_out_have_no_number():
    with pytest.warns(UserWarning, match="1 of 5"):
        found = tk.linkage_candidates(PATIENTS, VOTERS, BOTH, missing="drop")
    assert found.isna().tolist() == [False, False, False, True, False]
    assert found.dropna().tolist() == [1, 2, 1, 0]


def test_a_class_that_only_wildcards_match_has_no_number():
    data = pd.DataFrame({"age": [None, 40]})
    linked = link(data, pd.DataFrame({"age": [30, 40, 40]}), "age", "wildcard")
    assert (linked.matches.tolist(), linked.number.tolist()) == ([3, 2], [-1, 1])


def test_class_tables_are_linked_like_their_tables():
    mine, theirs = (tk.equivalence_classes(table, BOTH) for table in (PATIENTS, VOTERS))
    expected = tk.linkage_candidates(PATIENTS, VOTERS, BOTH)
    pd.testing.assert_series_equal(tk.linkage_candidates(mine, theirs), expected)
    pd.testing.assert_series_equal(tk.linkage_candidates(mine, VOTERS), expected)


def numbered(data):
    return data.set_axis(range(data.shape[1]), axis=1)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@given(data=tables(max_columns=3), seed=st.integers(0, 99))
def test_candidates_against_loops(missing, data, seed):
    # Halves of one table share values of every kind, and each has some that the other lacks.
    data, rng = numbered(data), np.random.default_rng(seed)
    one, other = (data.iloc[rng.integers(0, len(data), rng.integers(1, 9))] for _ in range(2))
    every = list(data)
    expected = crowd(rows_of(one), rows_of(other), wildcard=missing == "wildcard")
    assert tk.linkage_candidates(one, other, every, missing=missing).tolist() == expected


@given(data=tables(min_columns=2), seed=st.integers(0, 99))
def test_laws_of_a_join(data, seed):
    data, rng = numbered(data), np.random.default_rng(seed)
    one, other = (data.iloc[rng.integers(0, len(data), rng.integers(1, 9))] for _ in range(2))
    every = list(data)
    forth, back = (
        tk.linkage_candidates(*pair, every) for pair in ((one, other), (other, one))
    )
    assert forth.sum() == back.sum(), "both count the pairs of the join"
    fewer = tk.linkage_candidates(one, other, every[:-1])
    assert (fewer.to_numpy() >= forth.to_numpy()).all(), "who knows less has more candidates"
    own = tk.linkage_candidates(one, one, every)
    assert own.tolist() == tk.record_class_sizes(one, every).tolist()
    found = tk.linkage_candidates(one, data, every)
    assert found.tolist() == tk.population_matches(one, data, every).tolist()


def test_tables_without_a_common_value_are_not_linked():
    strangers = pd.DataFrame({"sex": pd.Categorical(["x"]), "town": ["Z"]})
    assert tk.linkage_candidates(PATIENTS, strangers, BOTH).tolist() == [0] * 5
    times = pd.to_datetime(["2020-01-01", "2021-01-01"])
    kinds = [[1, 2], ["1", "2"], [b"1", b"2"], times, times.tz_localize("UTC")]
    for one, other in itertools.permutations(kinds, 2):
        pair = pd.DataFrame({"zip": one}), pd.DataFrame({"zip": other})
        with pytest.raises(ValueError, match="register: column 'zip' holds .* no two cells"):
            tk.linkage_candidates(*pair, "zip")
    assert tk.linkage_candidates(*[pd.DataFrame({"zip": [True, 1.0]})] * 2, "zip").all()
