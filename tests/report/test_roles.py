"""Suggested roles: in doubt a column is counted; a reason says why and quotes no cell."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit import find_entities, suggest_roles
from toolkit.datasets import load_adult, load_adult_with_pii, load_hackathon, load_notes
from toolkit.report.roles import ROLES, said_first, table_warnings

DIRECT, QUASI, SENSITIVE, OTHER, TEXT = ROLES
N = 300


def roles(data):
    found = suggest_roles(data)
    return dict(zip(found["column"], found["role"], strict=True))


# Measured on names of columns of public tables


def cells_of(kind, rng):
    """Cells as such columns have them."""
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 25_000, N), "D")
    kinds = {
        "uniqtext": [f"{chr(97 + i % 26)}{chr(97 + i // 26)}ra lin{i % 7}" for i in range(N)],
        "uniqid": [10_000_000 + 7919 * i for i in range(N)],
        "recurid": [f"P{i % 100:03}" for i in range(N)],
        "num": rng.integers(0, 60, N),
        "cat": rng.choice(["alpha", "beta", "gamma", "delta"], N),
        "code": rng.choice([1000 + 13 * i for i in range(150)], N),
        "date": days.strftime("%Y-%m-%d"),
        "flag": rng.choice(["Yes", "No"], N),
        "money": rng.integers(900, 9900, N) * 10,
        "likert": rng.integers(1, 6, N),
        "weight": rng.uniform(0.3, 3, N).round(4),
        "text": [f"the person number {i} said that it was fine and left" for i in range(N)],
    }
    return kinds[kind]


def test_563_names_of_columns_in_six_languages():
    """Few are called what they are not, and none that counts is left out."""
    rng, by_part = np.random.default_rng(5), {}
    names = Path(__file__).with_name("column_names.txt").read_text(encoding="utf-8")
    for part, lines in enumerate(names.split("# second part\n")):
        rows = [line.split("|") for line in lines.splitlines() if line[0] != "#"]
        for right, kind, some in rows:
            for name in some.split(";"):
                role = roles(pd.DataFrame({name: cells_of(kind, rng)}))[name]
                by_part.setdefault(part, []).append(right in role)
                assert right not in ("quasi", "sensitive") or role in (QUASI, SENSITIVE), name
    assert np.mean(by_part[0]) >= 0.97, "listed before the vocabulary was written"
    assert np.mean(by_part[1]) >= 0.86, (
        "headers of public files; .79 before they were looked at"
    )


# In doubt a column is counted

CODES = [301 + 7 * i for i in range(101)]
PLACES = [round(47 + i / 97, 2) for i in range(150)]
VISITED = [f"P{i:03}" for i in range(60)] * 4
NUMBERED = [*range(1, 101)] * 3
NORMAL = np.random.default_rng(0).normal(47, 1, 500)
COLUMNS = [
    # Codes of more than 100 values, small and large, and times as numbers
    ("kommune kommunenr BFS-Nr muni_code INE ward hospital_id schoolid", CODES * 2, QUASI),
    ("store_id branch_no SOC POBP birthplace Standort vestiging v1", CODES * 2, QUASI),
    ("PC4 postnr Zips CodePostaux", [1000 + 13 * i for i in range(150)] * 2, QUASI),
    ("PIN CEP created_at", [170_000_000 + 86_400 * i for i in range(150)] * 2, QUASI),
    ("lng Long x_coord easting lat longitude", PLACES * 2, QUASI),
    ("lon Breitengrad_gps", NORMAL, QUASI),
    # Numbers of people, visits or houses on several records
    ("record_id SUBJID USUBJID PID DESYNPUF_ID visit_id NHSNo PERNUM", VISITED, QUASI),
    ("SSUID hid ident IDs individual hash token session key", VISITED, QUASI),
    ("vp kdnr pseudonym enrolee v1", VISITED, QUASI),
    ("case student patient vp kdnr pseudonym", NUMBERED, QUASI),
    ("subject_id PatientNo MRN KundenNr numero_paciente Klantnummer", VISITED, DIRECT),
    ("Klantnr patient Kunde paciente Utente pat_id", VISITED, DIRECT),
    # Flags, short answers, counts and amounts under the name of an identifier
    ("PhoneService|Passport|driver license|SSN verified|Mobile", ["Yes", "No"] * 50, QUASI),
    ("Telefon|passeport|rijbewijs|dni|Adresse", ["ja", "nein"] * 50, QUASI),
    ("phone_type|account_type|IP class|address type|Konto", ["home", "mobile"] * 50, QUASI),
    ("Email Clicks|account length|Username changes|people", [0, 1, 2, 3, 4] * 30, QUASI),
    ("insurance number of claims|handle_count", [0.0, 1.0, 2.0, None] * 30, QUASI),
    ("driver license|carte d'identité", [True, False] * 50, QUASI),
    ("product_name|family", ["tea", "milk"] * N, QUASI),
    # Plurals of what is secret
    ("Salaries Balances MedicalExpenses Expenditure", range(1000, 90_000, 700), SENSITIVE),
    ("Diseases|Test Results|Religions|Maladies|Conditions", ["a", "b"] * 50, SENSITIVE),
    # Dates and ages of something secret, which others may know
    ("age at dx|Sterbedatum (Krankheit)|GradeLvl|Erkrankungsjahr", [*range(6, 70)] * 3, QUASI),
    ("Datum Erstdiagnose|Date of diagnosis", ["Q1/2010", "Q2/2011"] * N, QUASI),
    ("income last year|Gehalt im Jahr", [*range(20_000, 90_000, 500)], SENSITIVE),
    # What is left uncounted
    ("Messwert valeur meting v2", NORMAL, OTHER),
    ("v1", [None] * N, OTHER),
    ("v1", ["same"] * N, OTHER),
    ("v1", [[1], [2]] * N, OTHER),
    ("phone Telefon téléphone", [f"x{612_345 + 97 * i}" for i in range(99)] * 2, DIRECT),
    ("Nachname surname achternaam apellidos", ["Ann", "Bob", "Cy"] * 40, DIRECT),
    ("customer_id", range(2 * N), DIRECT),
    # A name that says nothing
    ("v1", pd.date_range("2020", periods=N), QUASI),
    ("v1", pd.date_range("2020", periods=N, tz="Asia/Tokyo").astype(str), QUASI),
    ("v1", pd.date_range("2020", periods=N).strftime("%d.%m.%Y"), QUASI),
    ("v1", pd.date_range("2020", periods=N).strftime("%Y%m%d").astype(int), QUASI),
    ("v1", pd.Categorical(["a", "b"] * N, categories=list("abz")), QUASI),
    ("v1", [True, False] * N, QUASI),
    ("v1", ["some college but no degree", "a degree of some kind"] * N, QUASI),
    ("v1", ["Ward A", "Ward B", "Ward C"] * N, QUASI),
    ("v1", [f"${i},{i + 100}.{i}" for i in range(10, 99)], SENSITIVE),
]
"""Names of columns, their cells, and the role that is right."""


@pytest.mark.parametrize(("names", "cells", "role"), COLUMNS)
def test_in_doubt_a_column_is_counted(names, cells, role):
    for name in names.split("|" if "|" in names else " "):
        found = suggest_roles(pd.DataFrame({name: cells})).loc[0]
        assert found["role"] == role, (name, found["reason"])
        recur = cells is VISITED or cells is NUMBERED
        assert not recur or "several records" in found["warning"], name


def test_a_code_of_many_values_counts_and_k_is_one():
    """Every municipality has one woman and one man; 101 would be k by sex alone."""
    data = pd.DataFrame({"kommune": np.repeat(CODES, 2), "sex": ["f", "m"] * 101})
    data["illness"] = ["flu", "hiv"] * 101
    known = [name for name, role in roles(data).items() if role == QUASI]
    assert known == ["kommune", "sex"]
    assert tk.k_anonymity(data, known) == 1
    assert tk.k_anonymity(data, "sex") == 101


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("email", [f"someone{i}@example.org" for i in range(60)]),
        ("social security", [f"{i:03}-12-{i:04}" for i in range(1, 60)]),
        ("account", ["DE89370400440532013000", "GB82WEST12345698765432"] * 3),
        ("account", ["de89370400440532013000"] * 12),
        ("ip", [f"10.0.{i}.{i}" for i in range(60)]),
        ("card", ["4111 1111 1111 1111"] * 9),
        ("national health", ["943 476 5919"] * 9),
        ("phone", [f"+61 2 6218 {i:04}" for i in range(60)] * 2),
        ("phone", [f"({i + 200}) 555-01{i:02}" for i in range(60)] * 2),
        ("url", [f"https://example.org/{i}" for i in range(60)]),
        ("name", ["Dr. Müller", "Frau Dr. Weiß", "Mr Fox"] * 30),
        ("names with initials", ["G. Smith", "A. B. O'Hara", "J.-P. Taylor"] * 30),
        ("names with initials", ["Smith, G.", "O'Hara, A.B.", "Taylor, J"] * 30),
        ("names of people", [f"Zoë O'Hara-{chr(65 + i)}{'a' * 3} Smith" for i in range(26)]),
        ("number of a record", [10_000 + 7 * i for i in range(60)]),
        ("number of a record", [f"x{i}" for i in range(60)]),
    ],
)
def test_direct_identifiers_are_seen_by_their_cells(kind, cells):
    found = suggest_roles(pd.DataFrame({"column_7": cells})).loc[0]
    assert found["role"] == DIRECT
    assert kind in found["reason"]
    assert not any(str(cell) in found["reason"] + found["warning"] for cell in cells)


def test_digits_alone_name_somebody_only_with_their_check_digits():
    """One number in eleven is right by chance."""
    pytest.importorskip("stdnum")
    numbers = [n for n in range(111222333, 111222333 + 4400, 11) if _passes_eleven(n)]
    assert len(numbers) > 30
    assert roles(pd.DataFrame({"v1": numbers * 2}))["v1"] == DIRECT
    assert roles(pd.DataFrame({"v1": [n + 1 for n in numbers] * 2}))["v1"] == QUASI


def _passes_eleven(number):
    weights = [9, 8, 7, 6, 5, 4, 3, 2, -1]
    return sum(int(d) * w for d, w in zip(str(number), weights, strict=True)) % 11 == 0


# Warnings


@pytest.mark.parametrize(
    ("cells", "marked"),
    [
        ([*range(18, 90)] + [999] * 3, 3),
        ([*range(18, 90)] + [-9] * 2, 2),
        ([1, 2, 3, 4, 5, -99], 1),
        ([1.5, 2.5, 3.5, 999.0], 1),
        (["ja", "nein", "k.A.", "-"], 2),
        (["70 kg", "80 kg", "n/a"], 1),
        (["flu", "hiv", "#N/A", "#REF!", ".", "refused", "no answer"], 5),
        ([1, 1, 99], 1),
        ([-1, 1], 0),
        ([*range(1000)], 0),
        ([*range(-20, 20)], 0),
        ([97, 98, 99, 100], 0),
        (["none", "flu"], 0),
    ],
)
def test_marks_for_missing_values_are_counted_in_a_warning(cells, marked):
    warning = suggest_roles(pd.DataFrame({"value": cells * 4}))["warning"].item()
    said = f"missing values, as 999, -9, k.A. or - do: {4 * marked} records"
    assert said in warning if marked else "missing values" not in warning


def test_dates_of_events_are_said_and_births_are_none():
    days = [f"{i % 28 + 1:02}.{i % 12 + 1:02}.19{i % 60 + 35}" for i in range(60)]
    data = pd.DataFrame(dict.fromkeys(["seen", "birthdate", "geb_dat"], days))
    data["stay"] = pd.period_range("2020-01", periods=60, freq="M")
    said = ["dates of events" in warning for warning in suggest_roles(data)["warning"]]
    assert said == [True, False, False, True]


def test_equal_names_are_no_sign_of_several_records():
    data = pd.DataFrame({"surname": ["Fox", "Lane", "Ash"] * 30, "sex": ["f", "m"] * 45})
    assert suggest_roles(data)["warning"].tolist() == ["", ""]


# Free text


def test_sentences_are_free_text_and_no_cell_of_them_is_said():
    notes = load_notes().head(200)[["text"]]
    found = suggest_roles(notes.rename(columns={"text": "v1"})).loc[0]
    assert found["role"] == TEXT
    entities = find_entities(notes["text"])
    assert not [value for value in entities["value"] if len(value) > 3 and value in str(found)]


@pytest.mark.parametrize("records", [5, 12, 20])
def test_sentences_of_few_records_are_free_text(records):
    names = ["Ash", "Birch", "Cedar", "Elm", "Fir"] * 4
    notes = [f"Mrs {name} lives alone and owns {j} boats" for j, name in enumerate(names)]
    data = pd.DataFrame({"x": notes, "studied": ["some college, no degree", "none"] * 10})
    assert suggest_roles(data.head(records))["role"].tolist() == [TEXT, QUASI]


def test_odd_cells_do_not_stop_the_scan():
    odd = ["\ud800 and words enough to be a text", None, 7, "x" * 10**6, "<b>a b c d e</b>"]
    warning = suggest_roles(pd.DataFrame({"remarks": odd * 9}))["warning"][0]
    assert "free text" in warning and "no number here measures" in warning


# Whole tables


def test_roles_of_known_tables():
    adult = roles(load_adult())
    known = "age sex race education occupation native-country marital-status".split()
    assert {adult[name] for name in known} == {QUASI}
    assert adult["income"] == adult["capital-gain"] == SENSITIVE
    assert DIRECT not in adult.values()
    named = roles(load_adult_with_pii())
    assert {name for name, role in named.items() if role == DIRECT} == {"Name", "SSN"}
    assert named["DOB"] == named["Zip"] == QUASI
    hackathon = roles(load_hackathon())
    assert hackathon["POSTCODE"] == hackathon["job"] == QUASI


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_polars_and_arrow_get_the_same_roles(library):
    kind = pytest.importorskip(library)
    data = load_adult_with_pii().head(300)
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(data, preserve_index=False)
    table = kind.from_arrow(arrow) if library == "polars" else arrow
    pd.testing.assert_frame_equal(suggest_roles(table), suggest_roles(data))


def test_shares_by_hand_names_that_repeat_and_no_table():
    found = suggest_roles(pd.DataFrame([["A", 2, 3], ["A", 2, 3], ["B", 2, 4], [None, 5, 3]]))
    assert found.loc[0, ["distinct", "unique_share"]].tolist() == [2, 0.25]
    twice = pd.DataFrame([[1, 2, 3]] * 3, columns=["a", "a", 7])
    assert suggest_roles(twice)["column"].tolist() == ["a", "a", 7]
    with pytest.raises(TypeError, match="data must be a pandas DataFrame"):
        suggest_roles([1, 2])


def test_copies_are_said_but_for_row_numbers_and_a_label_of_the_export():
    copies = pd.DataFrame({"age": np.repeat(range(50), 3), "x": np.repeat(range(50), 3) / 7})
    for data, words in (
        (copies, "150 of 150 records equal another one in every column: if"),
        (
            copies.assign(row=range(150), export=list("ABC") * 50),
            "column but 'row', 'export',",
        ),
    ):
        assert words in said_first(suggest_roles(data), data, ["age"], [])[-1]
    towns = pd.DataFrame({"town": [*"ABCDE"] * 6, "visit": np.arange(30) / 7})
    twice = pd.concat([towns, towns])
    assert said_first(suggest_roles(twice), twice, ["town"], [])[-1].startswith("60 of 60")
    counted = towns.assign(freq=[1.0, 2.0] * 15)
    said = said_first(suggest_roles(counted), counted, ["town"], [])
    assert "may be counts of people, by 'freq'" in said[-1]
    people = pd.DataFrame({"age": [1, 2, 4], "ill": list("abc")})
    assert said_first(suggest_roles(people), people, ["age"], ["ill"]) == []


def test_people_of_a_population_are_told_apart():
    people = pd.DataFrame({"age": [1, 1, 2], "name": ["A", "A", "B"]})
    roles = suggest_roles(people)
    said = said_first(roles, people, ["age"], [], None, people)
    assert said[-1].startswith("population: 1 row repeats another one")
    said = said_first(roles, people, ["age"], [], "name", people[["age"]])
    assert said == ["population: no column 'name', so each of its rows is one person."]
    said = table_warnings(people, roles)
    assert "1 record equals another record in every column, names among them" in said


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"19{i}-01-31" for i in range(50, 70)] + ["31.12.1999"], "no years"),
        ([f"{i}.12.1999" for i in range(10, 30)] + ["Total"], "no years"),
        ([*map(str, range(20, 60)), "Total"], "1 record without a number"),
        ([*range(20, 60), "Total", "n"], "2 records without a number"),
        ([f"{i}.12.1999" for i in range(10, 30)], ""),
        ([*range(40)], ""),
        (["18-29", "30-49", "50", "60+"] * 9, ""),
    ],
)
def test_cells_that_are_no_dates_or_numbers_as_the_rest_are_said(cells, said):
    warning = suggest_roles(pd.DataFrame({"born": cells}))["warning"].item()
    assert said in warning and (said or not warning)


def test_values_that_are_spelt_in_two_ways_are_said():
    data = pd.DataFrame({"illness": ["HIV", "hiv ", "flu"] * 9, "town": list("ABC") * 9})
    warned = suggest_roles(data)["warning"].tolist()
    assert warned[0].startswith("has 1 value that differs from another one only in case")
    assert warned[1] == ""
