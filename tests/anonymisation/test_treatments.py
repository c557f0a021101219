"""Treatments: what they do, what they cost, and what they refuse."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from toolkit.datasets import load_hackathon

PEOPLE = pd.DataFrame(
    {
        "age": [17, 39, 40, None],
        "zip": [2600, 200, 2611, 2600],
        "job": ["nurse", None, "judge", "nurse"],
    },
    index=[5, 5, 7, 1],
)


def test_recodings_by_hand():
    decades = tk.bin_column(PEOPLE, "age", 10)["age"]
    assert decades[:3].tolist() == ["[10, 20)", "[30, 40)", "[40, 50)"]
    assert decades.isna().tolist() == [False, False, False, True]
    assert decades.cat.ordered and len(decades.cat.categories) == 3
    region = tk.truncate_column(PEOPLE, "zip", 2, digits=4)["zip"]
    assert region.tolist() == ["26**", "02**", "26**", "26**"]
    flag = tk.group_column(PEOPLE, "job", {None: "none"}, other="some")["job"]
    assert flag.tolist() == ["some", "none", "some", "some"]
    rare = tk.group_rare_values(PEOPLE, "job", fewer_than=2)["job"]
    assert rare.tolist() == ["nurse", "other", "other", "nurse"]
    renamed = tk.group_column(PEOPLE, "job", {"judge": "lawyer"})["job"]
    assert renamed.tolist()[0] == "nurse" and renamed.tolist()[2] == "lawyer"
    assert renamed.isna().tolist() == [False, True, False, False]
    assert tk.drop_columns(PEOPLE, ["age", 1]).columns.tolist() == ["job"]


def test_the_table_is_left_alone_and_its_index_kept():
    before = PEOPLE.copy(deep=True)
    for treated in (
        tk.bin_column(PEOPLE, "age", 0.5),
        tk.truncate_column(PEOPLE, "zip", 0),
        tk.group_rare_values(PEOPLE, "job", fewer_than=9),
        tk.group_column(PEOPLE, "job", {"judge": "x"}),
        tk.drop_columns(PEOPLE, "age"),
    ):
        assert treated.index.equals(PEOPLE.index)
        assert set(treated.columns) <= set(PEOPLE.columns)
        treated.iloc[0, 0] = treated.iloc[1, 0]
        pd.testing.assert_frame_equal(PEOPLE, before)


@given(
    st.sampled_from([0.1, 0.25, 0.3, 2.5, 7, 10]), st.lists(st.integers(-300, 300), min_size=1)
)
def test_a_multiple_of_the_width_starts_its_own_bin(width, multiples):
    numbers = [round(k * width, 6) for k in multiples]
    binned = tk.bin_column(pd.DataFrame({"x": numbers}), "x", width)["x"]
    assert [float(label[1:].split(",")[0]) for label in binned] == numbers
    assert binned.cat.codes.rank(method="dense").equals(
        pd.Series(numbers).rank(method="dense")
    )


def test_the_length_of_a_truncated_value_is_not_given_away():
    towns = pd.DataFrame({"town": ["Bonn", "Berne", "Bo", "Ulm"]})
    assert tk.truncate_column(towns, "town", 1)["town"].tolist() == ["B****"] * 3 + ["U****"]
    assert tk.truncate_column(towns, "town", 9)["town"].tolist() == towns["town"].tolist()


def test_treatments_of_the_hackathon_table_as_published():
    """Mean RIG, PIF95 and share of CSF > .5 of another draw of the stand-in, within 2 %."""
    table = load_hackathon()
    table = table.assign(job=table["job"].fillna("Unemployed"))
    decades = tk.bin_column(table, "AGE", 10)
    flag = tk.group_column(decades, "job", {"Unemployed": "none"}, other="some")
    published = {
        "decade AGE": (decades, 27.4, 34.5, 0.843),
        "drop job": (tk.drop_columns(table, "job"), 20.6, 23.9, 0.595),
        "drop POSTCODE": (tk.drop_columns(table, "POSTCODE"), 17.3, 21.4, 0.518),
        "all": (tk.truncate_column(flag, "POSTCODE", 1, digits=4), 2.03, 5.53, 0.044),
        "drop both": (tk.drop_columns(table, ["job", "POSTCODE"]), 0.593, 1.01, 0.002),
    }
    for name, (treated, *numbers) in published.items():
        risk = tk.information_risk(treated)
        np.testing.assert_allclose(risk, numbers, rtol=0.02, atol=1e-3, err_msg=name)
    risk = tk.information_risk(table)
    np.testing.assert_allclose(risk[:2], [31.46, 37.79], rtol=1e-3)


def slow_utility(original, treated):
    """Spread every group over its values, cell by cell, and compare all marginals."""
    n, kept, distances = len(original), list(treated.columns), []
    group = {c: {(v, g) for v, g in zip(original[c], treated[c], strict=True)} for c in kept}
    members = {c: {g: [v for v, h in group[c] if h == g] for _, g in group[c]} for c in kept}
    for columns in [(c,) for c in kept] + list(itertools.combinations(kept, 2)):
        before = Counter(original[list(columns)].itertuples(index=False, name=None))
        share = Counter()
        for row in treated[list(columns)].itertuples(index=False):
            values = [members[c][g] for c, g in zip(columns, row, strict=True)]
            for cell in itertools.product(*values):
                share[cell] += 1 / math.prod(map(len, values)) / n
        cells = {*share, *before}
        distances.append(sum(abs(share[c] - before[c] / n) for c in cells) / 2)
    return 1 - np.mean(distances)


@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=15), st.integers(1, 6)
)
def test_utility_is_what_its_definition_says(rows, width):
    original = pd.DataFrame(rows, columns=list("abc"))
    treated = original.assign(a=original["a"] // width, b=original["b"] % 2)[["c", "a", "b"]]
    utility = tk.marginal_similarity(original, treated)
    assert utility.marginals == pytest.approx(slow_utility(original, treated), abs=1e-12)
    assert utility.columns_kept == 1


def test_utility_of_nothing_done_and_of_less():
    assert tk.marginal_similarity(PEOPLE, PEOPLE) == (1, 1)
    assert tk.marginal_similarity(PEOPLE, PEOPLE[["job"]]) == (1, pytest.approx(1 / 3))
    filled = PEOPLE.assign(job=PEOPLE["job"].fillna("none"))
    assert tk.marginal_similarity(PEOPLE, filled).marginals == 1, "a missing cell is a value"


def test_a_column_that_is_called_by_the_number_of_another_is_measured():
    data = pd.DataFrame({1: list("aaabb"), 0: list("wwwww"), 2: list("xyxyx")})
    tree = {1: pd.DataFrame({0: ["a", "b"], 1: ["a", "b"]})}
    for release, secret in (
        (tk.optimal_generalisation(data, [1], tree, k=1, sensitive=2), 2),
        (tk.local_suppression(data, [1], k=2), None),
        (tk.treat(data, [1], 2, sensitive=[0, 2]), 2),
    ):
        assert release.privacy["k"] == tk.k_anonymity(release.data, [1]) == 2
        assert secret is None or release.privacy["t"] == tk.t_closeness(release.data, [1], 2)
    assert tk.risk_report(data, [1], [0, 2], k=2).tables["methods"].loc[0, "k"] == 2
