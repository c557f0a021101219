"""Treatments: what they do, what they cost, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

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
    whole = tk.truncate_column(PEOPLE, "zip", 1)["zip"]
    assert whole.tolist() == ["2***"] * 4, "the length is not disclosed"
    flag = tk.group_column(PEOPLE, "job", {None: "none"}, other="some")["job"]
    assert flag.tolist() == ["some", "none", "some", "some"]
    rare = tk.group_rare_values(PEOPLE, "job", fewer_than=2)["job"]
    assert rare.tolist() == ["nurse", "other", "other", "nurse"]
    renamed = tk.group_column(PEOPLE, "job", {"judge": "lawyer"})["job"]
    assert renamed.tolist()[0] == "nurse" and renamed.tolist()[2] == "lawyer"
    assert renamed.isna().tolist() == [False, True, False, False]
    assert tk.drop_columns(PEOPLE, ["age", 1]).columns.tolist() == ["job"]


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
