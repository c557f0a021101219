"""Suggested roles: by writing, name, uniqueness and distribution, with a reason that tells."""

import numpy as np
import pandas as pd
import pytest

from toolkit import suggest_roles
from toolkit.datasets import load_adult, load_adult_with_pii, load_hackathon
from toolkit.report.roles import ROLES

N = 60


def roles(data):
    found = suggest_roles(data)
    return dict(zip(found["column"], found["role"], strict=True))


@pytest.mark.parametrize(
    ("what", "cells"),
    [
        ("e-mail", [f"someone{i}@example.org" for i in range(N)]),
        ("social security", [f"{i:03}-12-{i:04}" for i in range(N)]),
        ("IBAN", [f"DE{i % 90 + 10}50010517540732{i + 1000:04}" for i in range(N)]),
        ("IP", [f"10.0.{i}.{i}" for i in range(N)]),
        ("card", [f"4000-1234-5678-{i:04}" for i in range(N)]),
        ("telephone", [f"+61 2 6218 {i:04}" for i in range(N)]),
        ("telephone", [f"({i + 200}) 555-01{i:02}" for i in range(N)]),
        ("telephone", [f"0{i + 300}/4455 {i:02}" for i in range(N)]),
        ("link", [f"https://example.org/{i}" for i in range(N)]),
        ("names", [f"Zoë O'Hara-{chr(65 + i % 26)}{'a' * (i // 26)} Smith" for i in range(N)]),
        ("free text", [f"Patient {i} said: " + "it hurts " * 5 for i in range(N)]),
        ("number of a record", [10_000 + 7 * i for i in range(N)]),
        ("number of a record", [f"x{i}" for i in range(N)]),
    ],
)
def test_direct_identifiers_are_seen_by_their_cells(what, cells):
    found = suggest_roles(pd.DataFrame({"column_7": cells})).iloc[0]
    assert found["role"] == "direct identifier"
    assert what in found["reason"]
    assert not any(str(cell) in found["reason"] for cell in cells), "no cell is quoted"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("homePhone_nr", 0),
        ("First Name", 0),
        ("SSN", 0),
        ("street_address", 0),
        ("Age (years)", 1),
        ("post-code", 1),
        ("nativeCountry", 1),
        ("Diagnosis", 2),
        ("annual_income", 2),
        ("x", 1),
    ],
)
def test_names_speak(name, role):
    found = suggest_roles(pd.DataFrame({name: ["a", "b"] * N})).iloc[0]
    assert found["role"] == ROLES[role]
    assert found["reason"]


@pytest.mark.parametrize(
    ("cells", "role"),
    [
        ([None] * N, "other"),
        (["same"] * N, "other"),
        (np.random.default_rng(0).normal(size=500), "other"),
        (list("abc") * N, "quasi-identifier"),
        (pd.date_range("2020", periods=N), "quasi-identifier"),
        (pd.date_range("2020", periods=N, tz="Asia/Tokyo").astype(str), "quasi-identifier"),
        (pd.date_range("2020", periods=N).strftime("%d.%m.%Y"), "quasi-identifier"),
        ([[1], [2]] * N, "other"),
        ([{"a": 1}] * N, "other"),
        (pd.Categorical(["a", "b"] * N, categories=list("abz")), "quasi-identifier"),
        ([True, False] * N, "quasi-identifier"),
    ],
)
def test_without_a_telling_name_the_distribution_decides(cells, role):
    assert roles(pd.DataFrame({"v1": cells})) == {"v1": role}


def test_an_identifier_needs_more_than_its_name_where_the_name_is_vague():
    data = pd.DataFrame({"product_name": ["tea", "milk"] * N, "customer_id": range(2 * N)})
    assert roles(data) == {
        "product_name": "quasi-identifier",
        "customer_id": "direct identifier",
    }


def test_every_column_has_one_row_even_if_names_repeat():
    data = pd.DataFrame([[1, 2, 3]] * 3, columns=["a", "a", 7])
    found = suggest_roles(data)
    assert found["column"].tolist() == ["a", "a", 7]
    assert found.columns.tolist() == ["column", "role", "reason", "distinct", "unique_share"]
    assert found["role"].isin(ROLES).all()


def test_roles_of_known_tables():
    adult = roles(load_adult())
    known = [
        "age",
        "sex",
        "race",
        "education",
        "occupation",
        "native-country",
        "marital-status",
    ]
    assert {adult[name] for name in known} == {"quasi-identifier"}
    assert adult["income"] == adult["capital-gain"] == "sensitive"
    assert "direct identifier" not in adult.values()
    named = roles(load_adult_with_pii())
    assert {"Name", "SSN"} == {
        name for name, role in named.items() if role == "direct identifier"
    }
    assert named["DOB"] == named["Zip"] == "quasi-identifier"
    hackathon = roles(load_hackathon())
    assert hackathon["POSTCODE"] == hackathon["job"] == "quasi-identifier"


def test_shares_by_hand_and_bad_input():
    found = suggest_roles(pd.DataFrame({"town": ["A", "A", "B", None]}))
    assert found.loc[0, ["distinct", "unique_share"]].tolist() == [2, 0.25]
    with pytest.raises(TypeError, match="data must be a pandas DataFrame"):
        suggest_roles([1, 2])
