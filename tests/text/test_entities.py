"""Entities: found where they were planted, in time that is linear, whatever the text."""

import importlib
import re
import time
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.needs import ROOT
from tests.text import held_back
from toolkit.datasets import load_notes, load_notes_truth
from toolkit.text.entities import find_entities
from toolkit.text.patterns import KINDS, PATTERNS, Pattern

PLACE = ["record", "kind", "start", "end"]


@pytest.fixture(scope="module")
def notes():
    """By name: texts, and what was planted in them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "data"))
        recipe = importlib.import_module("make_notes")
        styles = {
            name: recipe.Style(**parts)
            for name, parts in (("letter", held_back.LETTER), ("call", held_back.CALLS))
        }
        fill = recipe.slots(held_back.DATES, held_back.AGES, held_back.PHONES)
        held, truth, _ = recipe.make(77, styles, held_back.TRAPS, fill, (150, 200))
    return {
        "bundled": (load_notes()["text"], load_notes_truth()),
        "held back": (held["text"], truth),
    }


# --- Recall and precision ---


def scores(texts, truth):
    """Recall of each form and precision, by kind: an entity counts if its place is right."""
    found = find_entities(texts)
    hit = truth.merge(found[PLACE], on=PLACE, how="left", indicator="hit")["hit"] == "both"
    recall = hit.groupby([truth["kind"], truth["form"]]).mean()
    right = found.merge(truth[PLACE], on=PLACE, how="left", indicator="hit")["hit"] == "both"
    return recall, right.groupby(found["kind"]).mean(), found["kind"].value_counts()


def texts_with_a_form(texts, truth):
    """Recall and precision over all kinds."""
    found, formed = find_entities(texts), truth[truth["form"] != "words"]
    return {
        "recall": len(formed.merge(found, on=PLACE)) / len(formed),
        "precision": len(found.merge(truth, on=PLACE)) / len(found),
    }


@pytest.mark.parametrize("which", ["bundled", "held back"])
def test_what_has_a_form_is_found_and_little_else(which, notes):
    recall, precision, counts = scores(*notes[which])
    formed = recall.drop("words", level="form")
    assert len(formed) == 13 and counts[formed.index.get_level_values("kind")].min() >= 40
    assert formed.min() >= 0.95, formed
    assert precision.min() >= 0.95, precision
    every = texts_with_a_form(*notes[which])
    assert every["recall"] >= 0.995 and every["precision"] >= 0.97
    assert set(precision.index) <= set(formed.index.get_level_values("kind"))


@pytest.mark.parametrize("which", ["bundled", "held back"])
def test_what_only_a_reader_knows_is_missed(which, notes):
    recall, *_ = scores(*notes[which])
    words = recall.xs("words", level="form")
    assert words[["place", "illness", "occupation"]].max() == 0
    texts, truth = notes[which]
    names = truth[truth["kind"] == "name"].merge(
        find_entities(texts)[PLACE], "left", indicator="hit"
    )
    parts = [set(value.casefold().split()) for value in names["value"]]
    titled: dict = {}
    for record, form, some in zip(names["record"], names["form"], parts, strict=True):
        titled.setdefault(record, set()).update(some if form != "words" else ())
    alone = [
        not some & titled[record] for record, some in zip(names["record"], parts, strict=True)
    ]
    untitled = names[alone].query("form == 'words'")
    assert len(untitled) > 20 and (untitled["hit"] == "both").mean() < 0.05, (
        "no title in the note"
    )


def test_every_kind_is_described_and_used():
    assert {one.kind for one in PATTERNS} | {"tax and identity"} == set(KINDS)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("born 4 Nov. 1950, well", "date", "4 Nov. 1950"),
        ("from 01/02/2024-05/02/2024", "date", "01/02/2024"),
        ("a 101-year-old man", "age", "101"),
        ("Tel.: 12345678", "phone", "12345678"),
        ("ring (020) 7946 0018.", "phone", "(020) 7946 0018"),
        ("<a href='mailto:a.b@x.example'>", "email", "a.b@x.example"),
        ("see (http://x.example/a).", "url", "http://x.example/a"),
        ("IBAN BE68 5390 0754 7034 PAID", "account", "BE68 5390 0754 7034"),
        ("card 4111-1111-1111-1111.", "card", "4111-1111-1111-1111"),
        ("SSN 219-09-9999", "social security", "219-09-9999"),
        ("at ZIP 90210", "postcode", "90210"),
        ("K1A 0B1, Ottawa", "postcode", "K1A 0B1"),
        ("paid €1.200,50 back", "money", "€1.200,50"),
        ("by Dr. J. van der Berg on", "name", "J. van der Berg"),
        ("Frau Müller-Lüdenscheidt", "name", "Müller-Lüdenscheidt"),
        ("Mr O’Hara", "name", "O’Hara"),
        ("from 192.168.0.12", "ip", "192.168.0.12"),
        ("NHS no ٩٤٣ ٤٧٦ ٥٩١٩", "national health", "٩٤٣ ٤٧٦ ٥٩١٩"),
    ],
)
def test_ways_of_writing(text, kind, value):
    found = find_entities([text])
    assert (kind, value) in set(zip(found["kind"], found["value"], strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [  # British
        ("NHS Number: 9434765919", "national health 9434765919"),
        ("NI no. AB 12 34 56 C", "social security AB 12 34 56 C"),
        ("MRS JONES saw DR PATEL", "name JONES|name PATEL"),
        ("Sir John Whitby and Cllr. O'Neill", "name John Whitby|name O'Neill"),
        ("Mr Fox's wife, Dr Lane’s note", "name Fox|name Lane"),
        ("Mr Fox DOB 08-Nov-1948", "name Fox|date 08-Nov-1948"),
        ("sort code 20-00-00, account no 55779911", "account 20-00-00|account 55779911"),
        ("text 07911123456 or £20k", "phone 07911123456|money £20k"),
        # American
        ("Ms. Rosalind Q. Carter, 58 y.o.", "name Rosalind Q. Carter|age 58"),
        ("Springfield, IL 62704", "postcode 62704"),
        ("1-800-555-0100, US$40", "phone 1-800-555-0100|money US$40"),
        ("at 2024-11-04T10:15, Hospital No: H123456", "date 2024-11-04T10:15|id H123456"),
        # scripts without capitals, and a name again
        ("Mr 王伟, Dr محمد, Ms 李", "name 王伟|name محمد|name 李"),
        ("Mr Ian Fox; FOX said Ian's Foxes", "name Ian Fox|name FOX|name Ian"),
        ("Mr Ian Lane. Ian Lane", "name Ian Lane|name Ian Lane"),
    ],
)
def test_ways_of_writing_of_two_countries(text, found):
    table = find_entities([text])
    assert "|".join(table["kind"] + " " + table["value"]) == found


@pytest.mark.parametrize(
    "text",
    [
        "NHS no 943 476 591",
        "number 1234567890, 987654321 and 12345678",  # figures that nothing announces
        "GB83 WEST 1234 5698 7654 32",
        "BP 120/80, 12.5 mg, 3/7, T2 5mg, 2019 CT, grade 2/3, v1.2.3",
        "SSN 666-12-3456 and 912-12-3456",
        "Mr and Mrs, Dr to see, MR scan, sisters, May was calm, aged care",
        "5 years of work, stage 4, 37C",
        "x219-09-9999 and 219-09-99991",
        "3 may fall, turned 90 degrees",
        "CPT 99213 Office visit, order 48213 Delivered",
        "See Dr. The man left. Nurse Practitioner, MR BRAIN, staff don PPE",
        "1200 MG Paracetamol, 2019 CT Scan, 20 ms QRS",
        "1.192.168.0.12.7",
    ],
)
def test_what_is_none(text):
    assert find_entities([text]).empty


# --- The frame ---


def test_labels_missing_texts_and_order():
    texts = pd.Series(["on 2024-11-04, aged 7", None, "", "Mr Fox"], index=list("dcba"))
    before = texts.copy()
    found = find_entities(texts)
    assert found.columns.tolist() == ["record", "kind", "value", "start", "end", "recogniser"]
    assert found["record"].tolist() == ["d", "d", "a"]
    assert found["value"].tolist() == ["2024-11-04", "7", "Fox"]
    assert set(found["recogniser"]) == {"patterns"}
    pd.testing.assert_series_equal(texts, before)
    several = pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a"), (2, "b")])
    again = find_entities(texts.set_axis(several))
    assert again["record"].tolist() == [(1, "a"), (1, "a"), (2, "b")]
    nothing = find_entities(texts.iloc[1:3])
    assert nothing.empty and nothing.columns.equals(found.columns)
    assert find_entities([]).empty


@given(st.lists(st.text(max_size=60) | st.none(), max_size=5))
def test_places_are_true_of_any_text(texts):
    found = find_entities(texts)
    for one in found.itertuples():
        assert one.value and texts[one.record][one.start : one.end] == one.value
    for _, one in found.groupby("record"):
        assert (one["start"].to_numpy()[1:] >= one["end"].to_numpy()[:-1]).all()


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_number_is_found_between_any_texts(before, after):
    found = find_entities([f"{before}\n219-09-9999\n{after}"])
    assert "219-09-9999" in found["value"].to_list()


# --- Overlaps and other recognisers ---


def test_the_stated_rule_decides_overlaps():
    def whole(text):
        return [("note", 0, len(text))]

    def word(text):
        return [("word", m.start(), m.end()) for m in re.finditer(r"\w+", text)]

    number = "call 943 476 5919"  # both a telephone number and right by its check digit
    assert find_entities([number])["kind"].tolist() == ["phone"]
    assert find_entities([number[5:]])["kind"].tolist() == ["national health"]
    assert find_entities([number[5:]], [whole, "patterns"])["kind"].tolist() == [
        "national health"
    ]
    assert find_entities(["a b"], [word, whole])["kind"].tolist() == ["note"]
    first, second = (lambda text: [("x", 0, 2)]), (lambda text: [("y", 1, 3)])
    assert find_entities(["abc"], [second, first])["kind"].tolist() == ["x"], "the leftmost"
    same = lambda text: [("z", 0, 2)]  # noqa: E731
    assert find_entities(["abc"], [same, first])["kind"].tolist() == ["z"], "named first"


def test_a_pattern_of_your_own_is_searched_for():
    age = Pattern("age", r"(?P<value>\d{1,3}) Jahre alt")
    found = find_entities(["Herr Vogel, 73 Jahre alt"], ["patterns", age])
    assert found[["kind", "value"]].to_numpy().tolist() == [["name", "Vogel"], ["age", "73"]]


def test_identity_numbers_by_a_library():
    pytest.importorskip("stdnum")
    found = find_entities(["BSN: 111222333, RSSMRA85T10A562S, 12345678Z and 12345678A"])
    assert found["value"].tolist() == ["111222333", "RSSMRA85T10A562S", "12345678Z"]


def test_a_blank_that_a_model_counts_is_no_part_of_a_word():
    def tokens(text):
        return [{"entity_group": "LOC", "start": 8, "end": 14}]

    found = find_entities(["Wilma in Bern now"], tokens)
    assert found[["value", "start", "end"]].to_numpy().tolist() == [["Bern", 9, 13]]


def test_a_pipeline_as_those_of_spacy():
    class Pipeline:
        def pipe(self, notes):
            for note in notes:
                places = re.finditer("Corden", note)
                ents = [
                    SimpleNamespace(label_="GPE", start_char=p.start(), end_char=p.end())
                    for p in places
                ]
                yield SimpleNamespace(ents=ents)

    texts = pd.Series(["Born in Corden.", None, "Corden, 4 May 1950"], index=[5, 6, 7])
    found = find_entities(texts, [Pipeline(), "patterns"])
    assert found[["record", "kind", "value", "recogniser"]].to_numpy().tolist() == [
        [5, "place", "Corden", "spacy"],
        [7, "place", "Corden", "spacy"],
        [7, "date", "4 May 1950", "patterns"],
    ]


def test_an_analyzer_as_that_of_presidio():
    class Found:
        entity_type, start, end = "PHONE_NUMBER", 5, 13

    class Analyzer:
        def analyze(self, text, language):
            return [Found()] if language == "en" else []

    found = find_entities(["call 555-0123"], Analyzer())
    assert found[["kind", "value"]].to_numpy().tolist() == [["phone", "555-0123"]]
    assert found["recogniser"].tolist() == ["presidio"]


# --- Hostile texts ---

HOSTILE = {
    "nothing": "",
    "blanks": " \t\n\x00" * 50,
    "emoji": "👩🏽‍⚕️🧑‍🚀 219-09-9999 👍🏿",
    "right to left": "שלום 219-09-9999 مرحبا \u202e219\u202c",
    "combining": "Z̷̛̭a̸l̵g̶o̴ 219-09-9999",
    "half a surrogate pair": "\ud83d 219-09-9999 \udc00",
    "a page": "<p>219-09-9999</p><script>alert(1)</script>&nbsp;",
    "other figures": "٩٤٣ ٤٧٦ ٥٩١٩ ४१११ 219-09-9999",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_give_a_result(text):
    found = find_entities([text, text])
    assert ("219-09-9999" in found["value"].to_list()) == ("219-09-9999" in text)
    masked = tk.mask_entities([text, text], found)
    assert len(masked) == 2 and "219-09-9999" not in masked[0]


@pytest.mark.ci
def test_ten_million_signs_in_one_cell():
    note = "She was well and ate her lunch. " * 312_500 + "SSN 219-09-9999"
    assert find_entities([note, "Mr Fox"])["value"].tolist() == ["219-09-9999", "Fox"]


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("a note", TypeError, "got one text. Put it in a list"),
        (pd.DataFrame({"a": ["x"]}), TypeError, "Pass one column, such as notes\\['text'\\]"),
        (7, TypeError, "texts must be a Series or list of texts; got int"),
        (["a", 7], TypeError, "record 1 is of type int"),
        (pd.Series(["a", "b"], index=[0, 0]), ValueError, "labels that occur twice"),
    ],
)
def test_what_is_no_list_of_texts(texts, error, message):
    with pytest.raises(error, match=message):
        find_entities(texts)


@pytest.mark.parametrize(
    ("recogniser", "message"),
    [
        ("spacy", "recogniser must be 'patterns', a Pattern, a pipeline of spaCy"),
        (None, "or a list of these; got None"),
        (pd.Series(["Mara Fox"]), "got Series"),
        ("Mara Fox, aged 42", "got another string"),
        ([], "recogniser is an empty list"),
        (lambda text: [("x", 0)], "must return triples of kind, start and end"),
        (lambda text: 3, "must return triples of kind, start and end"),
        (lambda text: [{"entity": "PER"}], "dicts with entity_group, start and end"),
        (lambda text: [("x", 0, 99)], "from 0 to 99 in a note of 1 char"),
    ],
)
def test_what_is_no_recogniser(recogniser, message):
    with pytest.raises(ValueError, match=message) as error:
        find_entities(["a"], recogniser)
    assert "Mara" not in str(error.value), "arguments that changed places are not quoted"


# --- Linear time ---

ADVERSARIAL = {
    "letters": "a",
    "capitals": "A",
    "figures": "1",
    "zeros": "0",
    "groups of figures": "1234 ",
    "pairs": "01 ",
    "telephone": "+49 (0) ",
    "brackets": "(0",
    "plus": "+1",
    "at": "@",
    "local": "a.b-",
    "domains": "a@a.",
    "many ats": "a@",
    "links": "www.",
    "full stops": "http://....",
    "accounts": "GB82 ",
    "account in one": "GB82WEST",
    "names": "Mr Aa-",
    "particles": "Dr van der ",
    "initials": "Mr J. ",
    "dates": "1.1.",
    "days": "1 May ",
    "cues": "tel no ",
    "records": "MRN 1",
    "amounts": "1,000",
    "currencies": "€1 000 ",
    "codes": "ABCDEF12",
    "ages": "aged ",
    "emoji": "👍1",
}


@pytest.mark.parametrize("piece", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_time_is_linear(piece):
    """Four times the text takes four times the time; eight are allowed for a busy machine.

    The least of three runs is taken. A quadratic pattern would take sixteen times as long.
    """

    def seconds(length):
        text = (piece * length)[:length]
        taken = []
        for _ in range(3):
            began = time.process_time()
            find_entities([text])
            taken.append(time.process_time() - began)
        return min(taken)

    seconds(100)
    short, long = seconds(20_000), seconds(80_000)
    assert long < 8 * short + 0.02


@pytest.mark.parametrize(
    ("note", "kind", "value"),
    [
        ("mail ivan@b.xn--p1ai now", "email", "ivan@b.xn--p1ai"),
        ("card 3782 822463 10005.", "card", "3782 822463 10005"),
        ("Dr A. Ó Briain came", "name", "A. Ó Briain"),
        ("Mr J.R.R. Tolkien wrote", "name", "J.R.R. Tolkien"),
        ("Dr. Anna Maria Berg Lopez Diaz came", "name", "Anna Maria Berg Lopez Diaz"),
        ("Prof. Dr. Berg came", "name", "Berg"),
    ],
)
def test_an_entity_is_found_whole(note, kind, value):
    found = find_entities([note])
    assert found[["kind", "value"]].to_numpy().tolist() == [[kind, value]]
