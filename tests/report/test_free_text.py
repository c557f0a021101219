"""Free text in a treatment: masked where asked, measured again, and never called measured."""

import json

import pandas as pd
import pytest

import toolkit.__main__ as command
from toolkit import entity_counts, find_entities
from toolkit.datasets import load_note_people, load_notes
from toolkit.report.model import measure_setting, open_table, suggested_setting
from toolkit.report.roles import suggest_roles
from toolkit.report.treating import Treatment, carry_out, plan_treatment
from toolkit.text.entities import masked_notes


@pytest.fixture(scope="module")
def table():
    people = load_note_people().drop(columns="story")
    data = load_notes().drop(columns="note").head(200).merge(people, on="person")
    data = data.rename(columns={"text": "note"})
    return data[["age", "sex", "place", "illness", "note"]]


@pytest.fixture(scope="module")
def treated(table, tmp_path_factory):
    """Folder in which `treat` has run, with the table and what was written."""
    folder = tmp_path_factory.mktemp("treat")
    table.to_csv(folder / "t.csv", index=False)
    roles = ["--quasi-identifiers", "age,sex,place", "--sensitive", "illness", "--k", "3"]
    given = ["treat", str(folder / "t.csv"), *roles, "--mask", "note"]
    assert command.main([*given, "--output", str(folder / "out.csv")]) == 0
    return folder


def test_masked_text_is_released_with_its_record(table, treated):
    released = pd.read_csv(treated / "out.csv")
    record = json.loads((treated / "out.json").read_text(encoding="utf-8"))
    assert released.columns.tolist() == table.columns.tolist()
    assert find_entities(released["note"]).empty
    found = find_entities(table["note"])
    counts = record["masked"]["note"]
    assert counts["replaced"] == found["kind"].value_counts().to_dict() and not counts["left"]
    column = next(one for one in record["columns"] if one["name"] == "note")
    assert (column["role"], column["level"]) == ("free text", "masked")
    assert not set(found["value"]) & set(str(record).split("'")), "the record quotes no entity"
    page = (treated / "out.html").read_text(encoding="utf-8")
    assert "is masked: " in page and "No threshold measures it" in page


def test_what_the_text_says_although_a_column_hides_it(table, treated):
    released = pd.read_csv(treated / "out.csv")
    record = json.loads((treated / "out.json").read_text(encoding="utf-8"))
    hidden = set(table["place"]) - set(released["place"])
    said = released["note"].str.contains("|".join(rf"\b{one}\b" for one in hidden))
    assert record["masked"]["note"]["own_cells"]["place"] == said.sum() > 50


def test_repeat_masks_the_next_table(table, treated, capsys):
    out = treated / "again.csv"
    given = ["treat", str(treated / "t.csv"), "--repeat", str(treated / "out.json")]
    assert command.main([*given, "--output", str(out)]) == 0
    assert "'note' is masked: " in capsys.readouterr().out
    first, second = pd.read_csv(treated / "out.csv"), pd.read_csv(out)
    assert sorted(first["note"]) == sorted(second["note"]), "rows are shuffled"
    assert command.main([*given, "--mask", "note", "--output", str(treated / "x.csv")]) == 2
    assert "leave out '--mask'" in capsys.readouterr().err


def test_records_of_masked_columns_can_be_read_again(table):
    treatment = plan_treatment(table, ["age", "sex"], [], mask="note")
    again = Treatment.from_record(treatment.to_record())
    assert again.masked == ["note"] == treatment.masked
    assert carry_out(table, again).masked == carry_out(table, treatment).masked
    record = treatment.to_record()
    record["columns"][-1]["rule"] = {"call": "something"}
    with pytest.raises(ValueError, match="no role that is released"):
        Treatment.from_record(record)


def test_without_mask_no_text_is_released(table):
    treatment = plan_treatment(table, ["age", "sex"], [])
    outcome = carry_out(table, treatment)
    assert "note" not in outcome.released and not outcome.masked


def test_missing_notes_stay_missing(table):
    some = table.assign(note=table["note"].where(table.index % 2 == 0))
    outcome = carry_out(some, plan_treatment(some, ["sex"], [], mask="note"))
    assert outcome.released["note"].isna().sum() == 100


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        ("place", ValueError, "mask names 'place', which is measured"),
        ("age", ValueError, "mask names 'age'|holds more than texts"),
        ("notes", ValueError, "notes"),
    ],
)
def test_what_cannot_be_masked(table, mask, error, message):
    with pytest.raises((error, TypeError), match=message):
        plan_treatment(table, ["age", "sex", "place"], "illness", mask=mask)


def test_numbers_are_no_free_text(table):
    data = table.assign(code=range(len(table)))
    with pytest.raises(TypeError, match="mask names 'code', which holds more than texts"):
        plan_treatment(data, ["sex"], [], mask="code")


# What a column of free text is said to hold


def test_roles_say_what_patterns_find_and_quote_nothing(table):
    found = suggest_roles(table).set_index("column").loc["note"]
    assert found["role"] == "free text"
    counts = entity_counts(table["note"])
    _, number, _, share = counts[counts["kind"] == "date"].iloc[0]
    said = f"patterns find date {number:,} times (in {share:.0%} of its cells)"
    assert said in found["warning"]
    assert counts["kind"].map(lambda kind: f"{kind} " in found["warning"]).all()
    values = find_entities(table["note"])["value"]
    assert not [value for value in values if len(value) > 3 and value in found["warning"]]


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


def test_records_in_which_nothing_was_replaced_are_counted():
    """A column of names without titles is released as it is, and that is said."""
    data = pd.DataFrame({"age": [30, 40] * 10, "note": ["Mara Fox"] * 15 + ["Mr Fox"] * 5})
    outcome = carry_out(data, plan_treatment(data, "age", [], mask="note"))
    assert outcome.masked["note"]["untouched"] == {"records": 15, "of": 20}
    said = masked_notes(outcome.masked)
    assert "'note' is released as it was written in 15 of 20 records" in said[1]
