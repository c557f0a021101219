"""Notes as a table: cells by hand, laws, hostile texts, and the words that tell."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import toolkit as tk
from toolkit import datasets
from toolkit.text.tables import read_days

NAMES = ["record", "kind", "value", "start", "end"]
NOTES = pd.Series(
    [
        "Mrs Lind, aged 42, of QA12 3KI, born 3 May 1982, seen 04/11/24: she has asthma.",
        "He is 42 and has type 2  diabetes, as Mary said; she and he live in Ashcombe.",
        "Nothing is said.",
        "DOB 16/12/40. Ashcombe; ASTHMA and Type 2 Diabetes, asthmatic son. Seen 5/11/2024.",
    ],
    index=["a", "b", "c", "d"],
)
WORDS = {
    "illness": {"diabetes": ["diabetes", "type 2 diabetes"], "asthma": ["asthma"]},
    "place": ["Ashcombe", "Elmhurst"],
}


def entities(notes, *found):
    """Entities by record, kind and value; the first place where the value stands."""
    rows = [
        [r, kind, v, notes[r].index(v), notes[r].index(v) + len(v)] for r, kind, v in found
    ]
    return pd.DataFrame(rows, columns=NAMES)


FOUND = entities(
    NOTES,
    ("d", "date", "5/11/2024"),
    ("a", "age", "42"),
    ("a", "postcode", "QA12 3KI"),
    ("a", "date", "3 May 1982"),
    ("a", "date", "04/11/24"),
    ("a", "name", "Lind"),
    ("b", "age", "42"),
    ("d", "date", "16/12/40"),
)


def test_a_table_by_hand():
    table = tk.entity_table(FOUND, NOTES, vocabularies=WORDS)
    expected = pd.DataFrame(
        {
            "age": pd.array([40, 40, None, None], dtype="Int64"),
            "sex": ["f", "m", None, None],  # Mrs and she; he and he against she
            "postcode": ["QA", None, None, None],
            "born": pd.array([1982, None, None, 1940], dtype="Int64"),
            "date": pd.array([2024, None, None, 2024], dtype="Int64"),
            "illness": ["asthma", "diabetes", None, "asthma + diabetes"],
            "place": [None, "Ashcombe", None, "Ashcombe"],
        },
        index=NOTES.index,
    )
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert table["age"].dtype == "Int64"
    assert tk.entity_table(FOUND, NOTES, dates="day")["born"].dtype.kind == "M"


def test_cells_are_coarsened_as_asked():
    for option, value, column, cell in [
        ("ages", 1, "age", 42),
        ("ages", 25, "age", 25),
        ("postcodes", 4, "postcode", "QA12"),
        ("postcodes", 10, "postcode", "QA123KI"),
        ("dates", "day", "born", pd.Timestamp("1982-05-03")),
        ("dates", "month", "born", pd.Timestamp("1982-05-01")),
        ("dates", "day", "date", pd.Timestamp("2024-11-04")),
    ]:
        assert tk.entity_table(FOUND, NOTES, **{option: value}).loc["a", column] == cell


def test_columns_are_there_even_if_nothing_is_said():
    some = tk.entity_table(FOUND[:0], NOTES, dates=None, vocabularies={"food": ["soup"]})
    assert list(some) == ["age", "sex", "postcode", "food"]
    assert some.drop(columns="sex").isna().all(axis=None)
    missing = pd.Series(["She has asthma.", None, np.nan], dtype=object)
    table = tk.entity_table(tk.find_entities(missing), missing, vocabularies=WORDS)
    assert table.index.equals(missing.index) and table.iloc[1:].isna().all(axis=None)


def test_the_first_age_counts_and_words_for_both_sexes_are_none():
    notes = ["Aged 80; son, aged 50.", "She, he.", "Mr Sheldon met her.", "Mary and Hector."]
    found = entities(notes, (0, "age", "50"), (0, "age", "80"))
    table = tk.entity_table(found, notes, ages=1)
    assert table["age"].iloc[0] == 80 and table["sex"].isna().all()


def test_magnetic_resonance_is_not_a_man():
    notes = "MR scan requested.|MR Angiography|an MR.|MRS FOX|MR FOX|MR Lane|Mr X"
    table = tk.entity_table(pd.DataFrame(columns=NAMES), notes.split("|"))
    assert table["sex"].notna().tolist() == [False] * 3 + [True] * 4


def test_words_of_a_vocabulary_stand_alone():
    notes = ["asthma.", "(ASTHMA)", "asthmatic", "pre-asthma", "no asthma", "a+b ab c++", ""]
    words = {"illness": ["asthma"], "sign": {"plus": ["a+b", "c++"], "none": ["ab"]}}
    table = tk.entity_table(pd.DataFrame(columns=NAMES), notes, vocabularies=words)
    assert table["illness"].notna().tolist() == [True, True, False, True, True, False, False]
    assert table["sign"].iloc[5] == "none + plus"
    grades = {"pain": {1: ["mild"], 2: ["bad"]}}
    table = tk.entity_table(FOUND[:0], ["mild", "bad, mild", ""], vocabularies=grades)
    assert table["pain"].tolist()[:2] == [1, "1 + 2"]
    places = {"place": ["Hauptstraße", "İzmir"]}  # letters that change in capitals
    notes = ["Hauptstraße, İzmir"]
    cells = tk.note_cells(tk.find_entities(notes), notes, vocabularies=places)
    assert cells["value"].tolist() == places["place"]


FIFTH = (
    "2024-11-05|05/11/2024|5/11/24|5.11.2024|05-11-2024|5 November 2024|5th of November, 2024"
    "|Nov 5, 2024|05 11 2024|5. 11. 2024|05-NOV-24|2024-11-05T10:15:00Z|Nov 5, '24"
)


def test_dates_are_read_as_people_write_them():
    fifth = read_days(pd.Series(FIFTH.split("|")))
    assert (fifth == pd.Timestamp("2024-11-05")).all()
    assert read_days(pd.Series(["November 2024"]))[0] == pd.Timestamp("2024-11-01")
    none = ["29/02/2023", "31 April 2024", "soon", "5 November", ""]
    assert read_days(pd.Series(none)).isna().all()


def test_the_bundled_notes_say_what_was_planted():
    """With the truth as entities, cells are those of the people whom the notes are about."""
    notes = datasets.load_notes()
    truth, people = datasets.load_notes_truth(), datasets.load_note_people()
    who = people.set_index("person").loc[notes["person"]].set_axis(notes.index)
    words = {"illness": sorted(people["illness"].unique())}
    table = tk.entity_table(
        truth, notes["text"], ages=1, postcodes=10, dates="day", vocabularies=words
    )
    assert len(table) == 400 and table["age"].notna().sum() > 200
    for mine, theirs in {"age": "age", "born": "born", "illness": "illness"}.items():
        told = table[mine].notna()
        assert (table.loc[told, mine] == who.loc[told, theirs]).all(), mine
    told = table["postcode"].notna()
    plain = who["postcode"].str.replace(" ", "")
    assert (table.loc[told, "postcode"] == plain[told]).all()
    sexes, told = who["sex"].str[0], table["sex"].notna()
    assert told.mean() > 0.9 and (table["sex"] == sexes)[told].mean() > 0.97


TEXTS = st.text(st.sampled_from("ab 4<&>\u202e😀é\n"), max_size=12)


@st.composite
def notes_with_ages(draw):
    notes = draw(st.lists(TEXTS, min_size=1, max_size=5))
    rows = [
        [i, "age", "4", place, place + 1]
        for i, note in enumerate(notes)
        for place in (one.start() for one in re.finditer("4", note))
    ]
    return notes, pd.DataFrame(rows, columns=NAMES)


@settings(max_examples=40)
@given(notes_with_ages(), st.randoms())
def test_cells_stand_in_their_note_whatever_the_order_and_coarser_words_split_less(
    made, random
):
    notes, found = made
    texts, words = pd.Series(notes, dtype=object), {"letter": ["a", "b"]}
    table = tk.entity_table(found, texts, vocabularies=words)
    order = list(texts.index)
    random.shuffle(order)
    moved = tk.entity_table(found[::-1], texts.loc[order], vocabularies=words)
    pd.testing.assert_frame_equal(moved, table.loc[order])
    renamed = found.assign(record=[f"r{order[i]}" for i in found["record"]])
    named = texts.set_axis([f"r{i}" for i in order])
    again = tk.entity_table(renamed, named, vocabularies=words)
    pd.testing.assert_frame_equal(again.set_axis(table.index), table)
    for row in tk.note_cells(found, notes, vocabularies=words).itertuples():
        word = notes[row.record][row.start : row.end]
        assert word == row.value if row.column == "letter" else word == "4"
    coarse = tk.entity_table(found, notes, vocabularies={"letter": {"any": ["a", "b"]}})
    least, all_words = (tk.class_sizes(some, list(some)).min() for some in (table, coarse))
    assert least <= all_words


# Who stands out


def test_scores_of_notes_are_those_of_their_table():
    table = tk.entity_table(FOUND, NOTES, vocabularies=WORDS)
    rng = np.random.default_rng(1)
    found = tk.note_scores(table, fraction=0.1, rng=rng)
    by_hand = tk.copula_uniqueness(
        table, list(table), fraction=0.1, rng=np.random.default_rng(1)
    )
    assert found.scores["copula"].equals(by_hand.records["uniqueness"].rename("copula"))
    sizes = tk.record_class_sizes(table, list(table))
    assert found.scores["records"].tolist() == sizes.tolist() == [1, 1, 1, 1]
    once, again = (
        tk.note_scores(notes, rng=np.random.default_rng(1)).scores
        for notes in (NOTES, tk.entity_table(tk.find_entities(NOTES), NOTES))
    )
    pd.testing.assert_frame_equal(once, again)


def test_words_tell_as_many_bits_as_they_halve_the_notes():
    cells = tk.note_cells(FOUND, NOTES, vocabularies=WORDS)
    table = tk.entity_table(FOUND, NOTES, vocabularies=WORDS)
    told = tk.telling_words(cells, table).set_index(["record", "column"])["bits"]
    assert told.loc[("a", "age")].item() == 1, "two of four notes say 40"
    assert told.loc[("a", "postcode")].item() == 2, "one of four"
    assert told.loc[("d", "illness")].tolist() == [2, 2], "both together, one of four"
    assert told.groupby("record").is_monotonic_decreasing.all()
    assert str(tk.telling_words(cells, table.assign(age=40))["bits"].min()) == "0.0", "no -0.0"


class Reader(HTMLParser):
    """What a page shows, and the elements and attributes that it has."""

    def __init__(self, page):
        super().__init__()
        self.text, self.elements = "", set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements |= {tag, *(name for name, _ in attrs)}

    def handle_data(self, data):
        self.text += data


HOSTILE = ["<script>alert(1)</script>", "</div></mark><img src=x onerror=alert(1)>"]
HOSTILE += ["' onmouseover='alert(1)", "&lt;b&gt; &amp;", "<!-- --> <![CDATA[ x ]]>"]
HOSTILE += ["😀👩‍👩‍👧", "עברית abc \u202e txt", "tab\tand\nline"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", ["around", "inside", "label"])
def test_what_a_note_says_is_shown_and_never_obeyed(text, place):
    note = "x42y" if place == "label" else f"{text}42{text}"
    start, end = (
        (0, len(note)) if place == "inside" else (note.index("42"), note.index("42") + 2)
    )
    label = text if place == "label" else "age"
    words = pd.DataFrame({"start": [start], "end": [end], "column": [label], "bits": [3.0]})
    shown = tk.shown_note(note, words)
    page = Reader(shown._repr_html_())
    assert page.elements <= {"div", "dir", "style", "mark", "bdi", "sub"}
    marked = f"{note[start:end]} {label} 3.0"
    assert page.text == note[:start] + marked + note[end:]


def test_what_no_page_can_hold_becomes_a_sign():
    shown = tk.shown_note("a\x00b\ud800c")
    assert Reader(shown.html).text == "a\ufffdb?c"
    shown.html.encode("utf-8")
    assert Reader(tk.shown_note("a\x1b[2Jb\x9b").html).text == "a\ufffd[2Jb\ufffd"


@given(TEXTS, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4))
def test_marks_never_change_the_words_of_a_note(note, ends):
    spans = [(min(a, b), max(a, b)) for a, b in ends]
    spans = [(a, b) for a, b in spans if a < b <= len(note)]
    words = pd.DataFrame(spans, columns=["start", "end"]).assign(column="#")
    shown = tk.shown_note(note, words)
    assert Reader(shown.html).text.replace(" #", "") == note


def test_a_birthday_with_its_century_keeps_it_and_figures_of_any_script_are_read():
    notes = ["born 01/06/2024 here", "seen 01/05/2024", "aged \u0664\u0662", "on 5 May"]
    cells = tk.note_cells(tk.find_entities(notes), notes, dates="year", ages=1)
    said = {(row.column, str(row.value)) for row in cells.itertuples()}
    assert {("born", "2024"), ("date", "2024"), ("age", "42")} <= said


@pytest.mark.parametrize(
    ("index", "words", "said"),
    [
        (pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]), {}, "or have several parts"),
        (pd.Index([1.0, None]), {}, "are missing or"),
        (pd.RangeIndex(2), {"illness": {"a": ["flu"], "b": ["Flu"]}}, "each word once"),
        (pd.RangeIndex(2), {"illness": {"influenza": "flu"}}, "needs lists of words"),
    ],
)
def test_cells_that_could_be_lost_are_refused(index, words, said):
    notes = pd.Series(["she has flu", "he"], index)
    entities = tk.find_entities(notes.reset_index(drop=True))
    with pytest.raises(ValueError, match=said):
        tk.note_cells(entities, notes, vocabularies=words)
