"""Suggested roles: by writing, name, uniqueness and distribution, with a reason that tells."""

import warnings

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit import suggest_roles
from toolkit.anonymisation.hierarchies import suggest_hierarchy
from toolkit.datasets import load_adult, load_adult_with_pii, load_hackathon
from toolkit.report.measure import risk_report
from toolkit.report.roles import (
    ROLES,
    assume,
    column_names,
    not_counted,
    sensitive_cells,
    table_warnings,
)
from toolkit.report.words import assumptions

N = 60
NAMED = (
    "homePhone_nr|First Name|SSN|street_address|Straße|numéro de sécurité sociale"
    "|teléfono|Nome|patient name",
    "Age (years)|post-code|nativeCountry|x|Geburtsdatum|Wohnort|Größe|code_postal"
    "|État civil|Año de nacimiento|città|Woonplaats|nom du produit",
    "Diagnosis|annual_income|Nettoeinkommen|Jahreslohn brutto|Hauptdiagnose|BMI|Allergien"
    "|Séropositif|Taux d'alcoolémie (g/l)|Motif d'admission|reason for admission|Alergias"
    "|Dx principal|Esenzione|Schuldhulp|Sick days|santé|reddito annuo|ziektebeeld",
)
"""Names of columns that say what these are: an identifier, known, or secret."""


CODES = [301 + 7 * i for i in range(101)]
PLACES = [round(47 + i / 97, 2) for i in range(150)]
VISITED = [f"P{i:03}" for i in range(60)] * 4
COLUMNS = [
    # Codes of more than 100 values, small and large, and times as numbers
    ("kommune kommunenr BFS-Nr muni_code INE ward hospital_id schoolid", CODES * 2, 1),
    ("store_id branch_no SOC POBP birthplace Standort vestiging v1", CODES * 2, 1),
    ("PC4 postnr Zips CodePostaux Residence", [1000 + 13 * i for i in range(150)] * 2, 1),
    ("PIN CEP created_at admit_time", [170_000_000 + 86_400 * i for i in range(150)] * 2, 1),
    ("lng Long x_coord easting lat longitud", PLACES * 2, 1),
    ("lon Breitengrad_gps", np.random.default_rng(0).normal(47, 1, 300), 1),
    # Numbers of people, visits or houses on several records
    ("record_id SUBJID USUBJID PID DESYNPUF_ID visit_id NHSNo PERNUM", VISITED, 1),
    ("SSUID hid ident IDs individual hash token session key", VISITED, 1),
    ("subject_id PatientNo MRN KundenNr numero_paciente Klantnummer", VISITED, 0),
    # Flags, short answers, counts and amounts under the name of an identifier
    ("PhoneService|Passport|driver license|SSN verified|Mobile", ["Yes", "No"] * 50, 1),
    ("Telefon|passeport|rijbewijs|dni|Adresse", ["ja", "nein"] * 50, 1),
    ("phone_type|account_type|IP class|address type|Konto", ["home", "mobile"] * 50, 1),
    ("Email Clicks|account length|Username changes", [0, 1, 2, 3, 4] * 30, 1),
    ("insurance number of claims|handle_count|telefonos", [0.0, 1.0, 2.0, None] * 30, 1),
    ("driver license|carte d'identité", [True, False] * 50, 1),
    # Plurals of what is secret
    ("Salaries Balances MedicalExpenses Expenditure", range(1000, 90_000, 700), 2),
    ("Diseases|Test Results|Religions|Symptoms|Maladies|Conditions", ["a", "b"] * 50, 2),
    # What is left uncounted
    ("Messwert valeur meting v2", np.random.default_rng(0).normal(size=500), 3),
    ("phone Telefon téléphone telefoon", [f"x{612_345 + 97 * i}" for i in range(99)] * 2, 0),
    ("Nachname surname achternaam apellidos", ["Ann", "Bob", "Cy"] * 40, 0),
]
"""Names of columns, their cells, and the role that is right."""


@pytest.mark.parametrize(("names", "cells", "role"), COLUMNS)
def test_in_doubt_a_column_is_counted(names, cells, role):
    for name in names.split("|" if "|" in names else " "):
        found = suggest_roles(pd.DataFrame({name: cells})).loc[0]
        assert found["role"] == ROLES[role], (name, found["reason"])
        assert cells is not VISITED or "several records" in found["warning"], name


def test_a_code_of_many_values_counts_and_k_is_one():
    """Every municipality has one woman and one man; 101 would be k by sex alone."""
    data = pd.DataFrame({"kommune": np.repeat(CODES, 2), "sex": ["f", "m"] * 101})
    data["illness"] = ["flu", "hiv"] * 101
    assumed = assume(data)
    assert assumed.quasi_identifiers == ["kommune", "sex"]
    assert tk.k_anonymity(assumed.data, assumed.quasi_identifiers) == 1
    assert tk.k_anonymity(data, "sex") == 101


def test_each_column_that_is_not_counted_is_named_with_the_reason():
    data = pd.DataFrame({"age": [1, 2] * 200, "v1": np.arange(400) / 7, "e-mail": "a@b.org"})
    text = str(assumptions(risk_report(data)))
    assert not_counted(suggest_roles(data)).keys() == {"v1", "e-mail"}
    assert "v1 (other: it looks like a measurement" in text
    assert "e-mail (direct identifier: " in text


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


@pytest.mark.parametrize(
    ("role", "name"),
    [
        (role, name)
        for role, names in zip(ROLES, NAMED, strict=False)
        for name in names.split("|")
    ],
)
def test_names_speak_six_languages(role, name):
    found = suggest_roles(pd.DataFrame({name: ["a1", "b2"] * N})).iloc[0]
    assert found["role"] == role
    assert found["reason"]


def test_sentences_are_free_text_with_a_warning_but_long_categories_are_not():
    said = [f"Patient {i} said: " + "it hurts " * 5 for i in range(N)]
    found = suggest_roles(pd.DataFrame({"v1": said})).iloc[0]
    assert found["role"] == "free text"
    assert "free text: names, illnesses" in found["warning"]
    levels = ["some college but no degree", "a degree of some kind"] * N
    assert roles(pd.DataFrame({"v1": levels})) == {"v1": "quasi-identifier"}


def test_figures_count_as_a_national_number_only_with_their_check_digits():
    numbers = [n for n in range(111222333, 111222333 + 11 * 400, 11) if _passes_eleven(n)]
    assert len(numbers) > 30
    found = suggest_roles(pd.DataFrame({"v1": numbers * 2})).iloc[0]
    assert found["role"] == "direct identifier"
    assert "check digits of Dutch" in found["reason"]
    beside = suggest_roles(pd.DataFrame({"v1": [n + 1 for n in numbers] * 2})).iloc[0]
    assert beside["role"] == "quasi-identifier"


def _passes_eleven(number):
    digits = [int(digit) for digit in str(number)]
    return (
        sum(d * w for d, w in zip(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1], strict=True)) % 11 == 0
    )


def test_numbers_of_five_digits_that_repeat_are_places():
    rng = np.random.default_rng(3)
    places = rng.choice([1067, 10115, 20095, 80331, 80333, 50667], 500)
    assert roles(pd.DataFrame({"v1": places})) == {"v1": "quasi-identifier"}


def test_amounts_with_a_decimal_comma_count_as_numbers_where_they_are_secret():
    pay = [f"{n}.{n:03},50" for n in range(101, 101 + N)]
    data = pd.DataFrame({"Alter": [30, 40] * (N // 2), "Einkommen": pay})
    assumed = assume(data)
    assert assumed.sensitive == ["Einkommen"]
    assert assumed.data["Einkommen"].tolist() == [n * 1001 + 0.5 for n in range(101, 101 + N)]
    assert "read as numbers, with a decimal comma" in " ".join(assumed.notes)
    assert assumed.columns["guessed"].all()
    named = assume(data, "Alter", "Einkommen").columns
    assert not named["guessed"].any()
    icd = assume(pd.DataFrame({"age": [1, 2], "icd code": ["250.01", "250.10"]}), "age")
    assert icd.data["icd code"].tolist() == ["250.01", "250.10"], "codes stay texts"


def test_an_identifier_needs_more_than_its_name_where_the_name_is_vague():
    data = pd.DataFrame({"product_name": ["tea", "milk"] * N, "customer_id": range(2 * N)})
    assert roles(data) == {
        "product_name": "quasi-identifier",
        "customer_id": "direct identifier",
    }


def test_every_column_has_one_row_even_if_names_repeat():
    data = pd.DataFrame([[1, 2, 3]] * 3, columns=["a", "a", 7])
    assert suggest_roles(data)["column"].tolist() == ["a", "a", 7]


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


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_polars_and_arrow_get_the_same_roles(library):
    kind = pytest.importorskip(library)
    data = load_adult_with_pii().head(300)
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(data, preserve_index=False)
    table = kind.from_arrow(arrow) if library == "polars" else arrow
    pd.testing.assert_frame_equal(suggest_roles(table), suggest_roles(data))


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Hausarzt", "Dr. Müller|Dr. Weiß|Dr. Vogel|Dr. Krüger|Dr. Neumann"),
        ("médecin", "Mme Lefèvre|M. Moreau|Dr Dubois|Mme Perrin|Mlle Girard"),
        ("curante", "Dott. Rossi|Dott.ssa Greco|Dott. Conti|Dott. Gallo|Dott. Ricci"),
        ("x", "dr. de Vries|dhr. Bakker|mevr. Smit|dr. Mulder|dr. van den Bos"),
        ("staff", "G. Smith|A. B. O'Hara|J.-P. Taylor|D. Brown|E. Hughes"),
        ("x", "Smith, G.|O'Hara, A.B.|Taylor, J|Brown, D.|Hughes, E."),
    ],
)
def test_names_with_titles_and_initials_are_names_however_often_they_repeat(name, cells):
    data = pd.DataFrame({name: cells.split("|") * N, "sex": list("fmfmf") * N})
    found = suggest_roles(data).set_index("column")
    assert found.loc[name, "role"] == "direct identifier"
    assert not any(cell in found.loc[name, "reason"] for cell in cells.split("|"))
    assert not found.loc[name, "warning"], "names are alike by chance"


def test_words_that_look_a_little_like_names_are_none():
    for cells in (
        "Ward A|Ward B|Ward C|Ward D|Ward E",
        "B1|B2|A1|A2|C3",
        "1. A|2. B|3. C|4. D",
    ):
        found = suggest_roles(pd.DataFrame({"x": cells.split("|") * N}))
        assert found["role"].item() == "quasi-identifier"


def test_a_column_called_after_people_tells_them_apart():
    """Its numbers repeat, since people have several records: k may count them."""
    for name in ("Klantnr", "patient", "Kunde", "paciente", "Utente"):
        numbers = [f"K{i % 60:03}" for i in range(180)]
        found = suggest_roles(pd.DataFrame({name: numbers, "sex": list("fm") * 90}))
        assert found.loc[0, "role"] == "direct identifier"
        assert "several records" in found.loc[0, "warning"]
    few = suggest_roles(pd.DataFrame({"people": [*range(30)] * 3, "family": list("abc") * 30}))
    assert few["role"].tolist() == ["quasi-identifier"] * 2


def test_numbers_of_two_digits_are_dates_only_where_a_day_and_a_month_may_be_there():
    sorts = [f"{i}-{90 - i % 9}-{i % 60 + 35}" for i in range(32, 92)]
    born = [f"{i % 28 + 1:02}-{i % 12 + 1:02}-{i % 60 + 35}" for i in range(60)]
    found = suggest_roles(pd.DataFrame({"a": sorts * 3, "b": born * 3}))
    assert "two digits" not in found.loc[0, "warning"]
    assert "two digits" in found.loc[1, "warning"]


def test_dates_in_figures_are_known_by_their_cells():
    """Columns whose names say nothing."""
    rng = np.random.default_rng(4)
    days = pd.Timestamp("1940-01-01") + pd.to_timedelta(rng.integers(0, 25000, 90), "D")
    data = pd.DataFrame(
        {
            "col8": days.strftime("%Y%m%d").astype(int),
            "col9": days.strftime("%d%m%Y"),
            "col10": rng.integers(10_000_000, 99_999_999, 90),
        }
    )
    found = suggest_roles(data).set_index("column")
    assert found["role"].to_dict() == {
        "col8": "quasi-identifier",
        "col9": "quasi-identifier",
        "col10": "direct identifier",  # a number of its own for each record
    }
    assert found.loc["col8", "reason"].startswith("its cells are dates in eight figures")
    assert "dates of events" in found.loc["col9", "warning"]
    tree = suggest_hierarchy(data["col8"])
    assert tree.names == ("as it is", "months", "years", "decades", "hidden")
    (row,) = tree[tree[0] == data["col8"][0]].to_numpy()
    text = str(data["col8"][0])
    assert [str(cell).rstrip("*") for cell in row[1:4]] == [text[:6], text[:4], text[:3]]
    tree = suggest_hierarchy(data["col9"])
    assert tree.names == ("as it is", "months", "years", "5 years", "decades", "hidden")
    (row,) = tree[tree[0] == data["col9"][0]].to_numpy()
    text = f"{data['col9'][0]:08}"
    assert row[1:3].tolist() == [f"{text[4:]}-{text[2:4]}", text[4:]]  # not the day alone


def test_texts_are_numbers_only_if_those_behind_the_first_are():
    whole = [str(number) for number in range(1000, 1030)]
    for last, kind in (("1,5", float), ("soon", str)):
        cells, said = sensitive_cells(pd.Series([*whole, last], name="pay"))
        assert isinstance(cells[30], kind) and bool(said) == (kind is float)
    with pytest.warns(UserWarning, match="numbers stored as text"):
        tk.t_closeness(pd.DataFrame({"a": 1, "s": whole}), "a", "s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tk.t_closeness(pd.DataFrame({"a": 1, "s": [*whole, "soon"]}), "a", "s")


def test_what_outside_tables_showed():
    """A postcode called an address, numbers of people on several records, named sentences."""
    rng = np.random.default_rng(7)
    people, n = rng.integers(0, 90, 300), 300
    said = ["stable, Mrs Dr Quill was told", "may go home on Friday next", "to be seen again"]
    data = pd.DataFrame(
        {
            "MRN": 7_000_000 + 13 * people,
            "Address Postcode": rng.choice(["SW1A 1AA", "LS1 4AP", "M1 1AE"], n),
            "home address": rng.choice(["1 High Street", "7 Low Road"], n),
            "course": rng.choice(said, n),
            "relation": rng.choice(["head of the house hold", "child of the head of it"], n),
            "poids_sondage": [f"0,{i:03}" for i in rng.integers(100, 999, n)],
            "Adm Date": [f"{i:02}/0{1 + i % 9}/23" for i in rng.integers(13, 28, n)],
            "referral reason": rng.choice(["asthma", "diabetes"], n),
        }
    )
    found = suggest_roles(data).set_index("column")
    assert found["role"].tolist() == [
        "direct identifier",
        "quasi-identifier",
        "direct identifier",
        "free text",
        "quasi-identifier",
        "other",
        "quasi-identifier",
        "sensitive",
    ]
    assert "several records" in found.loc["MRN", "warning"]
    assert "is free text" in found.loc["course", "warning"]
    for words in ("two digits", "dates of events"):
        assert words in found.loc["Adm Date", "warning"]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([f"06{i:08}" for i in range(1, 90)], "telephone"),
        ([f"612 {i:03} 678" for i in range(90)], "telephone"),
        ([f"333 {1234500 + i}" for i in range(90)], "telephone"),
        (["rssmra80a01h501u", "bncgli75d50f205j"] * 3, "codice fiscale"),
        (["de89370400440532013000"] * 3, "IBAN"),
    ],
)
def test_numbers_of_people_are_known_where_they_repeat_and_in_small_letters(cells, reason):
    found = suggest_roles(pd.DataFrame({"c": cells * 4})).loc[0]
    assert found["role"] == "direct identifier"
    assert reason in found["reason"]


SURNAMES_OF_FEW = ["JONES", "QUILL", "TRENT"]


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        # Cut names of columns as registers have them
        ("LAST", SURNAMES_OF_FEW, 0),
        ("FIRST", ["ANN", "BOB", "CY"], 0),
        ("MI", list("ABC"), 0),
        ("LName", SURNAMES_OF_FEW, 0),
        ("Pt Name", ["Quill A", "Trent B"], 0),
        ("Initials", ["A.B.", "C.D."], 0),
        ("FIRST", ["yes", "no"], 1),
        # People beside the person
        ("huisarts", ["dr. Bakker", "dr. Visser", "dr. Mulder"], 0),
        ("Médecin traitant", ["Dr MARTIN", "Dr PETIT"], 0),
        ("Guardian", ["Ann Quill", "Bob Trent"], 0),
        ("guardian", ["alive", "dead"], 1),
        # Numbers of people on several records
        ("pat_id", [f"{i * 977:08x}" for i in range(70)], 0),
        ("insurance_id", [f"XYZ{i * 977:09}" for i in range(70)], 0),
        ("N° allocataire", [1_000_000 + 17 * i for i in range(150)], 0),
        # Money, and what is secret under short names
        ("ISEE", [f"€ {i}.{i}00,50" for i in range(1, 99)], 2),
        ("x", [f"${i},{i + 100}.{i}" for i in range(10, 99)], 2),
        ("Nettoeink.", [f"{i}00" for i in range(8, 60)], 2),
        ("dx1", ["E11.9", "I10"], 2),
        ("GdB", [30, 50], 2),
        ("roker", ["ja", "nee"], 2),
        ("CD4", [*range(50, 300)], 2),
        ("Vergütung", [*range(20_000, 90_000, 500)], 2),
        ("Pfändung", ["j", "n"], 2),
        ("Vorerkrankungen", ["DM2", "COPD"], 2),
        # Dates and ages of something secret, which others may know
        ("age at dx", [f"{i}y" for i in range(20, 70)], 1),
        ("Datum Erstdiagnose", ["Q1/2010", "Q2/2011", "Q3/2012"], 1),
        ("Sterbedatum (Krankheit)", ["01.02.2020", "13.05.2021", "30.06.2022"], 1),
        ("GradeLvl", [6, 7, 8], 1),
        ("Erkrankungsjahr", [*range(1990, 2020)], 1),
        ("income last year", [*range(20_000, 90_000, 500)], 2),
        ("Körpergröße", [*range(1500, 1700)], 1),
        ("geb.", [38_000 + 7 * i for i in range(250)], 1),
    ],
)
def test_short_names_of_columns_never_make_them_look_less_dangerous(name, cells, role):
    assert roles(pd.DataFrame({name: cells * 3}))[name] == ROLES[role]


@pytest.mark.parametrize(
    ("cells", "marked"),
    [
        ([*range(18, 90)] + [999] * 3, 3),
        ([*range(18, 90)] + [-9] * 2, 2),
        ([1, 2, 3, 4, 5, -99], 1),
        ([1.5, 2.5, 3.5, 999.0], 1),
        (["ja", "nein", "k.A.", "-"], 2),
        (["70 kg", "80 kg", "n/a"], 1),
        ([*range(1000)], 0),
        ([*range(-20, 20)], 0),
        ([97, 98, 99, 100], 0),
        (["none", "flu"], 0),
    ],
)
def test_marks_for_missing_values_are_counted_in_a_warning(cells, marked):
    warning = suggest_roles(pd.DataFrame({"value": cells * 4}))["warning"].item()
    if not marked:
        assert warning == ""
        return
    assert f"missing values, as 999, -9, k.A. and - may be: {4 * marked} records" in warning


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([["Summe", None, None, "900"]], "1 of totals"),
        ([["Adams Total", None, None, "9"], ["Grand Total:", None, None, "9"]], "2 of totals"),
        ([[None, None, None, None]] * 5, "5 without a cell"),
        ([["Stand: 1.1.2024", None, None, None]], "1 with one cell only"),
        ([["Totalenberg", "41", "f", "9"]], ""),
        ([["Anna", None, "f", "9"]], ""),
    ],
)
def test_lines_that_are_no_records_are_told(lines, said):
    people = [[f"n{i}", f"{20 + i}", "mf"[i % 2], f"{i}0"] for i in range(40)]
    data = pd.DataFrame([*people, *lines], columns=["town", "age", "sex", "pay"])
    warned = [one for one in table_warnings(data, suggest_roles(data)) if "no records" in one]
    assert [one.split(": ")[1].split("; ")[0] for one in warned] == [said] * bool(said)
    assert [note.rstrip(".") for note in assume(data).notes if "no records" in note] == warned


def test_a_long_name_is_cut_with_a_mark():
    """Headings of questionnaires: what is cut is seen to be cut, and names stay apart."""
    long = "Region in which the household of the respondent was registered"
    names, notes = column_names(pd.Index([long, f"{long} in 2020", "x" * 60]))
    assert names == [f"{long[:59]}…", f"{long[:59]}… (2)", "x" * 60]
    assert len(names[0]) == 60 and len(notes) == 1
