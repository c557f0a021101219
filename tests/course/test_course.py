"""What `check` says of answers: right ones, wrong ones near them, usual mistakes."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from tests.course.notebooks import wrong_answers
from toolkit import course
from toolkit.course import KINDS

COUNT = "Count both classes."


@pytest.fixture
def exercises(monkeypatch):
    """Four exercises and a quiz of a notebook that does not exist."""
    entries = {
        "1": {
            "kind": "number",
            "places": 3,
            "right": course.key("0.1", 0.125, places=3),
            "wrong": [{"key": course.key("0.1", 0.25, places=3), "say": COUNT}],
        },
        "2": {"kind": "text", "right": course.key("0.2", "Age and sex")},
        "3": {"kind": "list", "right": course.key("0.3", [1, 2, 3])},
        "4": {"kind": "set", "right": course.key("0.4", {"age", "zip"})},
        "quiz": {"1": {"right": course.key("0.quiz.1", "b"), "a": "Too small.", "b": "Yes."}},
    }
    monkeypatch.setattr(course, "_exercises", lambda notebook: entries)


RIGHT = {"0.1": 0.1251, "0.2": " AGE  and sex", "0.3": (1, 2.0, 3), "0.4": ["zip", "age"]}


@pytest.mark.parametrize("exercise", RIGHT)
def test_an_answer_is_right_however_it_is_written(exercises, exercise):
    assert course.mark(exercise, RIGHT[exercise]) == course.Mark(True, "Right.")


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        ("0.1", 0.25, f"Not yet. {COUNT}"),
        ("0.1", 0.15, course.UNKNOWN),
        ("0.1", "12.5 %", f"Not yet: give {KINDS['number']}; this is of type str."),
        ("0.1", True, f"Not yet: give {KINDS['number']}; this is of type bool."),
        ("0.1", float("nan"), course.UNKNOWN),
        ("0.2", 3, "Not yet: give a text in quotation marks; this is of type int."),
        ("0.3", "123", f"Not yet: give {KINDS['list']}; this is of type str."),
        ("0.3", {1, 2, 3}, f"Not yet: give {KINDS['list']}; this is of type set."),
        ("0.3", np.array(123), f"Not yet: give {KINDS['list']}; this is of type ndarray."),
        ("0.3", [1, 2, 4], course.UNKNOWN),
        ("0.3", ..., course.NONE_YET),
        ("0.3", pd.DataFrame(), f"Not yet: give {KINDS['list']}; this is of type DataFrame."),
        ("0.3", [1, None], "Not yet: give a list of texts or numbers; this is of type list."),
        ("0.3", None, f"Not yet: give {KINDS['list']}; this is of type NoneType."),
    ],
)
def test_what_kind_of_wrong(exercises, exercise, answer, said):
    assert course.mark(exercise, answer) == course.Mark(False, said)


def test_a_quiz_says_something_of_each_choice(exercises, capsys):
    for choice in ("a", " B ", "c", ..., np.array(["b", "c"])):
        course.quiz("0", choice)
    assert capsys.readouterr().out.splitlines() == [
        "1: no. Too small.",
        "1: right. Yes.",
        "1: choose one of a, b, in quotation marks.",
        "1: no choice yet.",
        "1: choose one of a, b, in quotation marks.",
    ]
    with pytest.raises(ValueError, match="quiz of 0: 1 letters are needed; got 2"):
        course.quiz("0", "a", "b")


@pytest.fixture
def stored(monkeypatch):
    """A function that stores right answers, as those of exercises 0.1, 0.2 and so on."""

    def store(*answers, places=0):
        entries = {}
        for number, answer in enumerate(answers, 1):
            right = course.key(f"0.{number}", answer, places=places)
            kind = course._kind_of(answer)
            entries[str(number)] = {"kind": kind, "places": places, "right": right}
        monkeypatch.setattr(course, "_exercises", lambda notebook: entries)

    return store


@pytest.mark.parametrize(
    ("answer", "places"),
    [(0.1254, 3), (81975, 0), (-0.4, 1), ("b", 0), (True, 0), ({1, 2, 3}, 0), ([0.5], 1)],
    ids=str,
)
def test_ten_answers_near_a_right_one_are_all_wrong(stored, answer, places):
    """A set is not made right again by an element that it has; 0.1244 is not 0.1254."""
    stored(answer, places=places)
    assert course.mark("0.1", answer).right
    wrong = wrong_answers(answer, places)
    assert len(wrong) == 10
    assert [one for one in wrong if course.mark("0.1", one).right] == []


def test_a_number_is_right_whatever_its_type(exercises):
    for answer in (np.float32(0.125), np.array([0.125]), pd.Series([0.125]), Decimal("0.125")):
        assert course.mark("0.1", answer).right, type(answer)


def test_a_property_that_fails_with_an_error_is_named():
    said = course.mark("0.1", 3, {"it has two rows": lambda a: len(a) == 2}).say
    assert said.startswith("Not yet. It could not be checked that it has two rows (TypeError")


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: course.mark("0.9", 3), ValueError, r"'0.9'; there are 0.1, 0.2, 0.3, 0.4\."),
        (lambda: course.mark("0.quiz.1", "a"), ValueError, "no exercise '0.quiz.1'"),
        (lambda: course.mark("0.1.right", 3), ValueError, r"there is no exercise '0.1.right'"),
        (lambda: course.key("0.1", 3, kind="share"), ValueError, "kind"),
        (lambda: course.key("0.1", "a", kind="number"), TypeError, "give a number, without"),
    ],
)
def test_errors_name_what_came_and_the_way_out(exercises, call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("arrow", ["->", " → ", ">", " => "])
def test_how_an_arrow_a_letter_or_a_full_stop_is_written_makes_no_difference(stored, arrow):
    stored({"alpha > entropy_l", "beta > t"}, "education-num")
    assert course.mark("0.1", [f"α{arrow}entropy_ℓ", f"BETA{arrow}t."]).right
    for written in ("education_num", "Education num."):
        assert course.mark("0.2", written).right
    assert not course.mark("0.1", {f"entropy_l{arrow}alpha", "beta > t"}).right
    assert not any(course.mark("0.2", wrong).right for wrong in wrong_answers("education-num"))


def test_a_number_that_is_no_number_of_a_computer_is_wrong(stored):
    stored(3)
    for answer in (10**400, 1e307, float("inf"), 3.7, 2.3):
        assert not course.mark("0.1", answer).right


@pytest.mark.parametrize(
    ("right", "answer"),
    [(3, 3.4), (3, 2.6), ([2, 5], [2.5, 5.0]), ({1, 6}, {1.2, 6})],
    ids=str,
)
def test_what_becomes_right_only_by_rounding_to_whole_numbers_is_wrong(stored, right, answer):
    """Half of five is 2.5 and no number of people, though it is rounded to 2."""
    stored(right)
    assert course.mark("0.1", answer).say == "Not yet: only whole numbers count here."
    assert course.mark("0.1", right).right
    if not isinstance(right, set):
        assert course.mark("0.1", np.multiply(right, 1 + 1e-12)).right, "an error of a float"


def test_numbers_of_a_list_are_no_texts(stored):
    stored([0.5, 0.25], places=2)
    assert course.mark("0.1", (number for number in (0.5, 0.25))).right
    for written in (["0.5", "0.25"], ["50%", "25 %"], [0.5, "0,25"]):
        assert course.mark("0.1", written).say == course.UNKNOWN
