"""Free text: never released by a treatment, and described without a quotation."""

import pandas as pd
import pytest

from toolkit import find_entities
from toolkit.datasets import load_note_people, load_notes
from toolkit.report.model import measure_setting, open_table, suggested_setting
from toolkit.report.roles import suggest_roles
from toolkit.report.treating import carry_out, plan_treatment


@pytest.fixture(scope="module")
def table():
    people = load_note_people().drop(columns="story")
    data = load_notes().drop(columns="note").head(200).merge(people, on="person")
    data = data.rename(columns={"text": "note"})
    return data[["age", "sex", "place", "illness", "note"]]


def test_no_text_is_released(table):
    treatment = plan_treatment(table, ["age", "sex"], [])
    outcome = carry_out(table, treatment)
    assert "note" not in outcome.released


# What a column of free text is said to hold


def test_roles_say_what_patterns_find_and_quote_nothing(table):
    found = suggest_roles(table).set_index("column").loc["note"]
    assert found["role"] == "free text"
    entities = find_entities(table["note"])
    dates = entities[entities["kind"] == "date"]
    share = dates["record"].nunique() / table["note"].notna().sum()
    said = f"patterns find date {len(dates):,} times (in {share:.0%} of its cells)"
    assert said in found["warning"]
    assert entities["kind"].map(lambda kind: f"{kind} " in found["warning"]).all()
    assert not [
        value for value in entities["value"] if len(value) > 3 and value in found["warning"]
    ]


def test_explorer_says_it_for_columns_that_stay_free_text(table):
    explored = open_table(table)
    notes = measure_setting(explored, suggested_setting(explored)).notes
    assert any(
        "'note' is free text" in note and "patterns find date" in note for note in notes
    )


def test_odd_cells_do_not_stop_the_scan():
    cells = [
        "\ud800 and words enough to be a text",
        None,
        7,
        "x" * 10**6,
        "<b>a b c d e</b>",
    ] * 9
    warnings = suggest_roles(pd.DataFrame({"remarks": cells}))["warning"]
    assert "free text" in warnings[0] and "patterns find nothing" in warnings[0]


def test_shares_are_of_records_though_texts_repeat():
    notes = ["She was well and ate her lunch."] * 57 + [
        "Mr Fox came, aged 72, with Mr Lane."
    ] * 3
    warning = suggest_roles(pd.DataFrame({"note": notes}))["warning"].iloc[0]
    assert "name 6 times (in 5% of its cells), age 3 times (5%)" in warning


@pytest.mark.parametrize("records", [5, 12, 20])
def test_sentences_of_few_records_are_free_text(records):
    """They would be measured, and released on some level, under a name that says nothing."""
    names = ["Ash", "Birch", "Cedar", "Elm", "Fir"] * 4
    notes = [f"Mrs {name} lives alone and owns {j} boats" for j, name in enumerate(names)]
    data = pd.DataFrame({"x": notes, "studied": ["some college, no degree", "none"] * 10})
    assert suggest_roles(data.head(records))["role"].tolist() == [
        "free text",
        "quasi-identifier",
    ]
