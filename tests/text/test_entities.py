"""Entities: found where they were planted, in time that is linear, whatever the text."""

import importlib
import re
import time
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import example, given, strategies as st

import toolkit as tk
from tests.needs import ROOT
from tests.text import held_back
from toolkit.datasets import load_notes, load_notes_truth
from toolkit.text.entities import find_entities
from toolkit.text.patterns import Pattern

PLACE = ["record", "kind", "start", "end"]


@pytest.fixture(scope="module")
def notes():
    """By name: texts, and what was planted in them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "data"))
        recipe = importlib.import_module("make_notes")
        parts = (("letter", held_back.LETTER), ("call", held_back.CALLS))
        styles = {name: recipe.Style(**some) for name, some in parts}
        fill = recipe.slots(held_back.DATES, held_back.AGES, held_back.PHONES)
        held, truth, _ = recipe.make(77, styles, held_back.TRAPS, fill, (150, 200))
    return {
        "bundled": (load_notes()["text"], load_notes_truth()),
        "held back": (held["text"], truth),
    }


@pytest.mark.parametrize("which", ["bundled", "held back"])
def test_what_has_a_form_is_found_and_little_else(which, notes):
    """An entity counts if its place is right."""
    texts, truth = notes[which]
    found, formed = find_entities(texts), truth[truth["form"] != "words"]
    assert len(formed.merge(found, on=PLACE)) / len(formed) >= 0.995, "recall"
    assert len(found.merge(truth, on=PLACE)) / len(found) >= 0.97, "precision"
    hit = formed.merge(found[PLACE], on=PLACE, how="left", indicator="hit")["hit"] == "both"
    recall = hit.groupby([*map(str, formed["kind"] + formed["form"])]).mean()
    right = found.merge(truth[PLACE], on=PLACE, how="left", indicator="hit")["hit"] == "both"
    assert len(recall) == 13 and recall.min() >= 0.95, recall
    assert right.groupby(found["kind"]).mean().min() >= 0.95
    assert set(found["kind"]) == set(formed["kind"]), "places, illnesses and trades are missed"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("born 4 Nov. 1950, well", "date 4 Nov. 1950"),
        ("from 01/02/2024-05/02/2024", "date 01/02/2024|date 05/02/2024"),
        ("a 101-year-old man", "age 101"),
        ("Tel.: 12345678", "phone 12345678"),
        ("ring (020) 7946 0018.", "phone (020) 7946 0018"),
        ("<a href='mailto:a.b@x.example'>", "email a.b@x.example"),
        ("mail ivan@b.xn--p1ai now", "email ivan@b.xn--p1ai"),
        ("see (http://x.example/a).", "url http://x.example/a"),
        ("IBAN BE68 5390 0754 7034 PAID", "account BE68 5390 0754 7034"),
        ("card 4111-1111-1111-1111.", "card 4111-1111-1111-1111"),
        ("card 3782 822463 10005.", "card 3782 822463 10005"),
        ("SSN 219-09-9999", "social security 219-09-9999"),
        ("at ZIP 90210", "postcode 90210"),
        ("K1A 0B1, Ottawa", "postcode K1A 0B1"),
        ("paid €1.200,50 back", "money €1.200,50"),
        ("from 192.168.0.12", "ip 192.168.0.12"),
        ("NHS no ٩٤٣ ٤٧٦ ٥٩١٩", "national health ٩٤٣ ٤٧٦ ٥٩١٩"),
        # names
        ("by Dr. J. van der Berg on", "name J. van der Berg"),
        ("Frau Müller-Lüdenscheidt", "name Müller-Lüdenscheidt"),
        ("Mr O’Hara", "name O’Hara"),
        ("Dr A. Ó Briain came", "name A. Ó Briain"),
        ("Mr J.R.R. Tolkien wrote", "name J.R.R. Tolkien"),
        ("Dr. Anna Maria Berg Lopez Diaz came", "name Anna Maria Berg Lopez Diaz"),
        ("Prof. Dr. Berg came", "name Berg"),
        ("Mr 王伟, Dr محمد, Ms 李", "name 王伟|name محمد|name 李"),
        ("Mr Ian Fox; FOX said Ian's Foxes", "name Ian Fox|name FOX|name Ian"),
        ("Mr Ian Lane. Ian Lane", "name Ian Lane|name Ian Lane"),
        # British
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
        # nothing
        ("NHS no 943 476 591", ""),
        ("number 1234567890, 987654321 and 12345678", ""),  # digits that nothing announces
        ("GB83 WEST 1234 5698 7654 32", ""),
        ("BP 120/80, 12.5 mg, 3/7, T2 5mg, 2019 CT, grade 2/3, v1.2.3", ""),
        ("SSN 666-12-3456 and 912-12-3456", ""),
        ("Mr and Mrs, Dr to see, MR scan, sisters, May was calm, aged care", ""),
        ("5 years of work, stage 4, 37C", ""),
        ("x219-09-9999 and 219-09-99991", ""),
        ("3 may fall, turned 90 degrees", ""),
        ("CPT 99213 Office visit, order 48213 Delivered", ""),
        ("See Dr. The man left. Nurse Practitioner, MR BRAIN, staff don PPE", ""),
        ("1200 MG Paracetamol, 2019 CT Scan, 20 ms QRS", ""),
        ("1.192.168.0.12.7", ""),
    ],
)
def test_ways_of_writing(text, found):
    table = find_entities([text])
    assert "|".join(table["kind"] + " " + table["value"]) == found


def test_labels_missing_texts_and_order():
    texts = pd.Series(["on 2024-11-04, aged 7", None, "", "Mr Fox"], index=list("dcba"))
    before = texts.copy()
    found = find_entities(texts)
    assert found.columns.tolist() == ["record", "kind", "value", "start", "end"]
    assert found["record"].tolist() == ["d", "d", "a"]
    assert found["value"].tolist() == ["2024-11-04", "7", "Fox"]
    pd.testing.assert_series_equal(texts, before)
    nothing = find_entities(texts.iloc[1:3])
    assert nothing.empty and nothing.columns.equals(found.columns)
    assert find_entities([]).empty


@example([" \t\n\x00", "<p>219-09-9999</p>"], "שלום \u202e", "Z̷̛̭a̸l̵g̶o̴ \ud83d")
@given(st.lists(st.text(max_size=60) | st.none(), max_size=5), *[st.text(max_size=20)] * 2)
def test_places_are_true_of_any_text_and_a_number_is_found_in_it(texts, before, after):
    texts = [*texts, f"{before}\n219-09-9999\n{after}"]
    found = find_entities(texts)
    assert "219-09-9999" in found["value"].to_list()
    assert "219-09-9999" not in tk.mask_entities(texts, found)[-1]
    for one in found.itertuples():
        assert one.value and texts[one.record][one.start : one.end] == one.value
    for _, one in found.groupby("record"):
        assert (one["start"].to_numpy()[1:] >= one["end"].to_numpy()[:-1]).all()


# Overlaps and other recognisers


def test_the_stated_rule_decides_overlaps():
    def whole(text):
        return [("note", 0, len(text))]

    def word(text):
        return [("word", m.start(), m.end()) for m in re.finditer(r"\w+", text)]

    def kinds(text, recogniser="patterns"):
        return find_entities([text], recogniser)["kind"].tolist()

    number = "call 943 476 5919"  # both a telephone number and right by its check digit
    assert kinds(number) == ["phone"]
    assert kinds(number[5:]) == kinds(number[5:], [whole, "patterns"]) == ["national health"]
    assert kinds("a b", [word, whole]) == ["note"], "the longest"
    first, second = (lambda text: [("x", 0, 2)]), (lambda text: [("y", 1, 3)])
    assert kinds("abc", [second, first]) == ["x"], "the leftmost"
    assert kinds("abc", [lambda text: [("z", 0, 2)], first]) == ["z"], "named first"


def test_patterns_of_your_own_and_of_a_library():
    age = Pattern("age", r"(?P<value>\d{1,3}) Jahre alt")
    found = find_entities(["Herr Vogel, 73 Jahre alt"], ["patterns", age])
    assert found[["kind", "value"]].to_numpy().tolist() == [["name", "Vogel"], ["age", "73"]]
    file = Pattern("id", r"\d{4}", cue="Akte|Fall")
    assert find_entities(["Akte 1234"], [file])["value"].tolist() == ["1234"]
    pytest.importorskip("stdnum")
    found = find_entities(["BSN: 111222333, RSSMRA85T10A562S, 12345678Z and 12345678A"])
    assert found["value"].tolist() == ["111222333", "RSSMRA85T10A562S", "12345678Z"]


def pipe(notes):
    """A pipeline as those of spaCy."""
    for note in notes:
        start = note.index("Corden")
        place = SimpleNamespace(label_="GPE", start_char=start, end_char=start + 6)
        yield SimpleNamespace(ents=[place])


def analyze(text, language):
    """An analyzer as that of Presidio."""
    return [SimpleNamespace(entity_type="PHONE_NUMBER", start=5, end=13)]


def hugging_face(text):
    return [{"entity_group": "LOC", "start": 8, "end": 14}]  # with the blank before the word


@pytest.mark.parametrize(
    ("recogniser", "note", "found"),
    [
        (SimpleNamespace(pipe=pipe), "Corden, 4 May 1950", ["place", "Corden"]),
        (SimpleNamespace(analyze=analyze), "call 555-0123", ["phone", "555-0123"]),
        (hugging_face, "Wilma in Bern now", ["place", "Bern"]),
    ],
)
def test_recognisers_of_other_libraries(recogniser, note, found):
    table = find_entities(pd.Series([note, None], [5, 6]), recogniser)
    assert table[["kind", "value"]].to_numpy().tolist() == [found]


@pytest.mark.parametrize(
    ("texts", "recogniser", "error", "message"),
    [
        ("a note", "patterns", TypeError, "a list like .text.; got str"),
        (None, "patterns", TypeError, "got NoneType"),
        (["a"], [], ValueError, "recogniser must be 'patterns', .* got list"),
        (["a", 7], "patterns", TypeError, "texts and missing cells; got int"),
        (pd.Series(["a", "b"], [0, 0]), "patterns", ValueError, "labels that occur twice"),
        (["a"], "Mara Fox, aged 42", ValueError, "or a list; got str"),
        (["a"], lambda text: [("x", 0)], ValueError, "must return triples of kind, start"),
        (["a"], lambda text: [{"entity": "PER"}], ValueError, "or dicts with entity_group"),
        (["a"], lambda text: [("x", 0, 99)], ValueError, "places in the note of 1 char"),
    ],
)
def test_what_is_refused(texts, recogniser, error, message):
    with pytest.raises(error, match=message) as raised:
        find_entities(texts, recogniser)
    assert "Mara" not in str(raised.value), "arguments that changed places are not quoted"


# Hostile texts, and linear time


ADVERSARIAL = (
    "a|A|1|0|1234 |01 |+49 (0) |(0|+1|@|a.b-|a@a.|a@|www.|http://....|GB82 |GB82WEST|Mr Aa-"
    "|Dr van der |Mr J. |1.1.|1 May |tel no |MRN 1|1,000|€1 000 |ABCDEF12|aged |👍1"
    "|type  2 |she "
)


@pytest.mark.parametrize("piece", ADVERSARIAL.split("|"), ids=ascii)
def test_time_is_linear(piece):
    """Four times the text takes four times the time; eight are allowed for a busy machine.

    The least of three runs is taken. A quadratic pattern would take sixteen times as long.
    """

    def seconds(length):
        text = (piece * length)[:length]
        taken = []
        for _ in range(3):
            began = time.process_time()
            found = find_entities([text])
            tk.entity_table(found, [text], vocabularies={"illness": ["type 2 diabetes"]})
            taken.append(time.process_time() - began)
        return min(taken)

    seconds(100)
    short, long = seconds(8_000), seconds(32_000)
    assert long < 8 * short + 0.02
