"""What `check` says of answers: right ones, wrong ones near them, usual mistakes."""

import pytest

from toolkit import course

COUNT = "Count both classes."


@pytest.fixture
def exercises(monkeypatch):
    """Four exercises and a quiz of a notebook that does not exist."""
    entries = {
        "1": {
            "kind": "number",
            "places": 3,
            "right": course.key("0.1", 0.125, places=3),
            "wrong": [
                {"key": course.key("0.1", 0.25, places=3), "say": "Count both classes."}
            ],
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


@pytest.mark.parametrize("exercise", RIGHT)
def test_answers_near_the_right_one_are_wrong(exercises, exercise):
    wrong = course.near(RIGHT[exercise], 3 if exercise == "0.1" else 0)
    assert len(wrong) == 10
    assert not any(course.mark(exercise, answer).right for answer in wrong)


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        ("0.1", 0.25, f"Not yet. {COUNT}"),
        ("0.1", 12.5, "Nearly: a share is asked, not per cent."),
        ("0.1", -0.125, "Nearly: the sign is wrong."),
        ("0.1", 8, "Nearly: this is one divided by what is asked."),
        ("0.1", "an eighth", "Not yet: a number is asked, and this is of type str."),
        ("0.1", True, "Not yet: a number is asked, and this is of type bool."),
        ("0.1", float("nan"), "Not yet."),
        ("0.2", 3, "Not yet: a text in quotation marks is asked, and this is of type int."),
        ("0.3", "123", "Not yet: a list is asked, and this is of type str."),
        ("0.3", ..., course.NONE_YET),
    ],
)
def test_what_kind_of_wrong(exercises, exercise, answer, said):
    assert course.mark(exercise, answer) == course.Mark(False, said)


def test_a_quiz_says_something_of_each_choice(exercises, capsys):
    for choice in ("a", " B ", "c", ..., 4):
        course.quiz("0", choice)
    assert capsys.readouterr().out.splitlines() == [
        "1: no. Too small.",
        "1: right. Yes.",
        "1: one of a, b is asked.",
        "1: no choice yet.",
        "1: one of a, b is asked.",
    ]
    with pytest.raises(ValueError, match="the quiz has 1 questions, not 2"):
        course.quiz("0", "a", "b")


def test_an_exercise_that_does_not_exist():
    with pytest.raises(ValueError, match="no exercises of notebook 'x'"):
        course.mark("x.1", 3)
