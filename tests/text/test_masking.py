"""Masking: nothing that was found is left, nothing else changes, and no surrogate is valid."""

import itertools
import random
import re
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tests.report.messy_files import cell, is_luhn, is_nhs, with_check
from toolkit import find_entities, mask_entities
from toolkit.datasets import load_notes, load_notes_truth
from toolkit.text.patterns import is_card, is_iban, is_nhs as is_patient

NOTES, TRUTH = load_notes()["text"], load_notes_truth()
FOUND = find_entities(NOTES)


def surrogates(texts, entities, seed=0):
    return mask_entities(texts, entities, "surrogate", rng=np.random.default_rng(seed))


def written_instead(texts, entities, masked):
    """What stands where each entity was, told by the texts around it, which stay."""
    found = []
    for record, some in entities.groupby("record", sort=False):
        parts, last = [], 0
        for one in some.itertuples():
            parts += [re.escape(texts[record][last : one.start]), "(.*?)"]
            last = one.end
        parts.append(re.escape(texts[record][last:]))
        found += re.fullmatch("".join(parts), masked[record], flags=re.DOTALL).groups()
    return found


def test_by_hand():
    notes = pd.Series(["Mr Fox, 7 yo, saw Dr Fox", None, "ok"], index=list("abc"), name="note")
    before, entities = notes.copy(), find_entities(notes)
    masked = mask_entities(notes, entities)
    assert masked.tolist()[::2] == ["Mr [name], [age] yo, saw Dr [name]", "ok"]
    assert masked.isna().tolist() == [False, True, False]
    assert masked.index.equals(notes.index) and masked.name == "note"
    assert masked.dtype == notes.dtype
    pd.testing.assert_series_equal(notes, before)
    only = mask_entities(notes, entities[entities["kind"] == "age"])
    assert only["a"] == "Mr Fox, [age] yo, saw Dr Fox"
    listed = notes.tolist()
    assert mask_entities(listed, find_entities(listed))[0] == masked["a"]
    assert mask_entities(["nothing"], find_entities(["nothing"])) == ["nothing"]


def test_nothing_that_was_found_is_left():
    masked = mask_entities(NOTES, FOUND)
    assert find_entities(masked).empty
    formed = TRUTH[(TRUTH["form"] != "words") & TRUTH["kind"].isin(FOUND["kind"])]
    values = formed[formed["value"].str.len() > 4]
    left = [v in masked[r] for r, v in zip(values["record"], values["value"], strict=True)]
    assert np.mean(left) < 0.01, "a name may stand a second time, without its title"


def digits(form):
    return lambda rng: re.sub("#", lambda _: str(rng.randrange(10)), form)


CHECKED = {  # what announces a number with check digits, how it is made, and its groups
    "IBAN": (lambda rng: cell("iban", 0, rng.randrange(10**6), rng), [4] * 9),
    "card": (lambda rng: with_check(rng, 16, lambda n: n[0] == "4" and is_luhn(n)), [4] * 4),
    "NIR": (lambda rng: cell("nir", 0, rng.randrange(99), rng), [1, 2, 2, 2, 3, 3, 2]),
    "NHS no": (lambda rng: with_check(rng, 10, is_nhs), [3, 3, 4]),
}
FORMED = {  # those without a check digit, or with a wrong one
    "codice fiscale": ("ABCDEF##A##A###A", [3, 3, 5, 5]),
    "NIF": ("########Z", [8, 1]),
    "Rentenversicherung": ("########C###", [2, 6, 1, 3]),
    "KVNR": ("A#########", [4, 3, 3]),
    "BSN": ("#########", [3, 3, 3]),
    "Steueridentifikationsnummer": ("###########", [2, 3, 3, 3]),
    "iban": ("DE####################", [4] * 6),
    "SSN": ("53622####", [3, 2, 4]),
    "NI": ("AB######C", [2, 2, 2, 2, 1]),
    "postcode": ("QA7# 3XY", [4, 3]),
    "zip code": ("1###AB", [4, 2]),
    "tel": ("07700######", [5, 6]),
    "account": ("############", [4, 4, 4]),
    "sort code": ("######", [2, 2, 2]),
    "MRN": ("#########", [3, 3, 3]),
}
PLANTED = [(cue, *made) for cue, made in CHECKED.items()]
PLANTED += [(cue, digits(form), groups) for cue, (form, groups) in FORMED.items()]


@pytest.mark.parametrize(("cue", "number", "groups"), PLANTED, ids=[one[0] for one in PLANTED])
def test_a_mask_never_covers_a_part_of_a_number(cue, number, groups):
    """No two digits side by side are left of a number, or all of it is left and so missed."""
    rng, numbers, notes = random.Random(0), [], []
    cases, blanks = (str.upper, str.lower), ("", " ", "-", "\u00a0", "\u2011")
    announced, cuts = (f"{cue} ", f"{cue.lower()}: ", ""), [0, *itertools.accumulate(groups)]
    frames = ("see {} thx", "{}, paid", "of {} in Berlin", "({})") * 3
    for case, blank, word, frame in itertools.product(cases, blanks, announced, frames):
        signs = re.sub(r"\W", "", number(rng))
        parts = [signs[a:b] for a, b in itertools.pairwise(cuts) if a < len(signs)]
        numbers.append(case(blank.join(parts)))
        notes.append(frame.format(word + numbers[-1]))
    masked = mask_entities(notes, find_entities(notes))
    left = np.array([re.search(r"\d\d", note) is not None for note in masked])
    untouched = [one in note for one, note in zip(numbers, masked, strict=True)]
    halves = [
        note for note, half in zip(masked, left & ~np.array(untouched), strict=True) if half
    ]
    assert not halves
    if cue in ["IBAN", "card", "NIR", "NHS no", "SSN", "NI", "postcode", "tel"]:
        assert not left.reshape(2, 5, 3, -1)[:, :, :2].any(), "those that are announced"


def test_no_entity_covers_a_part_of_a_planted_one():
    both = FOUND.merge(TRUTH[TRUTH["form"] != "words"], on="record", suffixes=("", "_2"))
    both = both.query("start < end_2 and start_2 < end")
    assert len(both) > 3_000 and both.query("start > start_2 or end < end_2").empty


def test_surrogates_keep_the_form_and_are_never_valid():
    made = written_instead(NOTES, FOUND, surrogates(NOTES, FOUND))
    pairs = FOUND.assign(made=made)
    assert (pairs["made"] != pairs["value"]).all()
    shapes = pairs[~pairs["kind"].isin(["age", "date", "name"])][["value", "made"]]
    shapes = shapes.replace({r"\d": "0", "[A-Z]": "A", "[^\\W\\d_A]": "a"}, regex=True)
    assert (shapes["value"] == shapes["made"]).all()
    by_kind = pairs.groupby("kind")["made"].agg(list)
    checks = {"card": is_card, "account": is_iban, "national health": is_patient}
    for kind, check in checks.items():
        plain = [re.sub(r"\W", "", one) for one in by_kind[kind]]
        assert not any(map(check, plain))
    assert find_entities(by_kind["date"])["kind"].eq("date").mean() > 0.99
    assert pd.Series(by_kind["age"]).astype(int).between(18, 94).all()
    note = "a 7-year-old on 08-NOV-24 and 12 March 1950"
    shape = r"a \d\d-year-old on 1[0-2]-[A-Z][a-z]{2}-1[0-2] and 1[0-2] [A-Z][a-z]+ 19\d\d"
    assert re.fullmatch(shape, surrogates([note], find_entities([note]))[0])


def test_surrogates_agree_within_a_record_and_not_between():
    notes = ["Mr Ian Fox and Mrs Fox; Dr FOX", "Mr Ian Fox"]
    first, second = surrogates(notes, find_entities(notes))
    given_name, family, *others = re.findall(r"(?:Mr|Mrs|Dr) (\w+)(?: (\w+))?", first)[0]
    assert first == f"Mr {given_name} {family} and Mrs {family}; Dr {family}"
    assert second != f"Mr {given_name} {family}"
    again, other = (surrogates(notes, find_entities(notes), seed) for seed in (0, 1))
    assert again == [first, second] and other[0] != first


def test_a_kind_of_your_own_is_replaced_by_its_name():
    entities = find_entities(["from Corden"], lambda text: [("town", 5, 11)])
    assert surrogates(["from Corden"], entities) == ["from [town]"]


@given(st.lists(st.text(max_size=40), max_size=4), st.integers(0, 9))
def test_nothing_but_entities_changes(texts, seed):
    def words(text):
        return [("word", m.start(), m.end()) for m in re.finditer(r"\w+", text)]

    masked = mask_entities(texts, find_entities(texts, words))
    assert masked == [re.sub(r"\w+", "[word]", text) for text in texts]
    assert len(surrogates(texts, find_entities(texts, words), seed)) == len(texts)


MR_FOX = find_entities(["Mr Fox"])


@pytest.mark.parametrize(
    ("entities", "replacement", "error", "message"),
    [
        (MR_FOX.assign(start=5), "kind", ValueError, "does not hold from 5 to 6 what"),
        (MR_FOX.assign(start=-2), "kind", ValueError, "does not hold from -2 to 6 what"),
        (MR_FOX.assign(record=9), "kind", ValueError, "record 9 does not hold"),
        (pd.concat([MR_FOX, MR_FOX]), "kind", ValueError, "entities overlap"),
        (MR_FOX[[*MR_FOX, "kind"]], "kind", ValueError, "2 columns are called 'kind'"),
        (MR_FOX, "stars", ValueError, "replacement must be one of 'kind', 'surrogate'"),
        (MR_FOX, "surrogate", TypeError, "rng"),
    ],
)
def test_what_is_refused(entities, replacement, error, message):
    with pytest.raises(error, match=message):
        mask_entities(["Mr Fox"], entities, replacement)


def test_a_name_with_accents_written_apart_is_masked_whole():
    notes = [unicodedata.normalize("NFD", "Mrs José Núñez came, Dr Müller saw her")]
    notes.append("Mr Al\u00adfred Fox\u200b-Lane came")
    new = mask_entities(notes, find_entities(notes))
    assert new == ["Mrs [name] came, Dr [name] saw her", "Mr [name] came"]
