"""Exercises of all notebooks: their form, and what is said of right and of wrong answers."""

import ast
import inspect
import re
from itertools import pairwise

import nbformat
import pytest
from nbconvert import HTMLExporter

from docs.grading import POINTS, exercises
from docs.handout import is_tagged, lecturers_copy, students_copy
from docs.publish import BOXES
from docs.run import execute, number
from tests.course.notebooks import COURSE, PATHS, check_of, read, slug, wrong_answers, wrong_of
from toolkit import course

LETTERS = "abcd"
REFUSE = """
from toolkit import course as _course

{function}

_holds = {holds}
assert _course.mark({name!r}, answer, _holds).right, _course.mark({name!r}, answer, _holds).say
_wrong = {wrong}
assert len(_wrong) >= 10, f"{{len(_wrong)}} wrong answers"
for _place, _one in enumerate(_wrong):
    assert not _course.mark({name!r}, _one, _holds).right, f"wrong answer {{_place}} passes"
print("ten refused", end="")
"""


def entries(name):
    """What is stored of the exercises of a notebook."""
    return course._exercises(slug(name))


def in_a_file(exercise) -> bool:
    """Whether an exercise is marked by its hash, not by properties."""
    call = check_of(exercise)
    return len(call.args) + len(call.keywords) == 2


@pytest.mark.parametrize("name", COURSE)
def test_six_to_ten_exercises_rise_in_level_and_have_answer_check_and_solution(name):
    notebook = read(name)
    found, tagged = exercises(notebook), 0
    assert 6 <= len(found) <= (8 if name[0].isdigit() else 10)
    levels = [[*POINTS].index(exercise.level) for exercise in found]
    assert levels == sorted(levels, key=lambda level: min(level, 2)), "from easy to hard"
    assert {min(level, 2) for level in levels} == {0, 1, 2}, "of each level"
    for place, exercise in enumerate(found, 1):
        assert exercise.number == f"{number(name)}.{place}"
        assert re.match(r"\*\*Exercise \S+ \(\w+\)\. \S", exercise.question.source)
        (answer,), call = exercise.answers, check_of(exercise)
        assert answer.source.splitlines()[-1].startswith("answer = ...")
        assert (call.func.id, call.args[0].value) == ("check", f"{slug(name)}.{place}")
        assert call.args[1].id == "answer"
        parts = [exercise.question, answer, *exercise.checks, *exercise.solution]
        start = notebook.cells.index(exercise.question)
        assert notebook.cells[start : start + len(parts)] == parts, "in this order"
        tagged += len(parts) - 2
        for cell in exercise.solution:  # a proof is collapsed as code is
            hidden = cell.metadata.get("jupyter", {})
            assert hidden.get("source_hidden"), exercise.number
            if cell.cell_type == "code":  # of a folded cell the first line is seen
                assert hidden.get("outputs_hidden"), exercise.number
                assert cell.source.startswith("# Solution\n"), exercise.number
    alone = [cell for cell in notebook.cells if is_tagged(cell, "check", "solution")]
    assert len(alone) == tagged, "no check and no solution stands alone"


@pytest.mark.parametrize("name", COURSE)
def test_what_is_stored_belongs_to_an_exercise(name):
    stored = {key: value for key, value in entries(name).items() if key != "quiz"}
    found = {str(place): one for place, one in enumerate(exercises(read(name)), 1)}
    assert set(stored) == {place for place, one in found.items() if in_a_file(one)}
    for key, entry in stored.items():
        assert entry["kind"] in course.KINDS
        assert re.fullmatch("[0-9a-f]{16}", entry["right"])
        wrong = entry.get("wrong", [])
        assert wrong, f"{key}: usual mistakes"
        keys = [entry["right"], *(mistake["key"] for mistake in wrong)]
        assert len(set(keys)) == len(keys), f"{key}: a mistake is not the answer"
        assert all(len(mistake["say"]) > 10 for mistake in wrong)
    for key, exercise in found.items():
        assert in_a_file(exercise) or len(wrong_of(exercise)) >= 10, key


@pytest.mark.parametrize("name", COURSE)
def test_what_is_said_of_a_mistake_does_not_hold_the_answer(name):
    """Nor how far from it a number is: after "one more" nobody has to think."""
    for place, entry in entries(name).items():
        if entry.get("kind") not in ("number", "text"):
            continue
        for said in [mistake["say"] for mistake in entry["wrong"]]:
            told: list = re.findall(r"[\w-]+", said)
            if entry["kind"] == "number":
                told = [float(one) for one in re.findall(r"[0-9]*\.?[0-9]+", said)]
                off = r"\bone (more|fewer|less|too many|is missing)\b"
                assert not re.search(off, said.lower()), f"{place}: {said}"
            form = {"kind": entry["kind"], "places": entry.get("places", 0)}
            keys = {course.key(f"{slug(name)}.{place}", one, **form) for one in told}
            assert entry["right"] not in keys, f"{place}: {said}"


@pytest.mark.parametrize("name", COURSE)
def test_a_quiz_has_five_questions_with_one_right_choice_each(name):
    notebook = read(name)
    asked = [cell for cell in notebook.cells if is_tagged(cell, "quiz")]
    assert [cell.cell_type for cell in asked] == ["markdown", "code"]
    (call,) = [
        node
        for node in ast.walk(ast.parse(asked[1].source))
        if isinstance(node, ast.Call) and node.func.id == "quiz"
    ]
    assert [arg.value for arg in call.args] == [slug(name), *[...] * 5]
    questions = entries(name)["quiz"]
    assert [*questions] == list("12345")
    for key, entry in questions.items():
        assert set(entry) == {"right", *LETTERS}
        marks = [course._choice(slug(name), key, letter) for letter in LETTERS]
        assert sum(mark.right for mark in marks) == 1, key
        assert len({mark.say for mark in marks}) == 4, f"{key}: each choice is answered"


@pytest.mark.parametrize("name", COURSE)
def test_definitions_and_the_like_are_numbered(name):
    text = "\n".join(cell.source for cell in read(name).cells if cell.cell_type == "markdown")
    for kind in ("Definition", "Theorem", "Lemma", "Corollary", "Proposition"):
        numbers = re.findall(rf"^> \*\*{kind} (\d+)\b", text, flags=re.MULTILINE)
        assert numbers == [str(place) for place in range(1, len(numbers) + 1)], kind
        said = set(re.findall(rf"(?<!'s )\b{kind} (\d+)\b(?! of )", text))  # not a paper's
        assert said <= set(numbers), f"{kind}: text refers to what is not there"
    assert text.count("> **Predict.**") == text.count("> **Explain.**") >= 2
    boxes = set(re.findall(r"^> \*\*([A-Z][a-z]+)", text, flags=re.MULTILINE))
    assert boxes <= {word.split()[0] for word in BOXES}


def solved(notebook):
    """A copy with solutions in place of answers, which tries ten wrong answers for each."""
    instead = {}
    for exercise in exercises(notebook):
        call = check_of(exercise)
        given = [*call.args[2:], *(keyword.value for keyword in call.keywords)]
        holds, name = (ast.unparse(given[0]) if given else None), call.args[0].value
        entry = {} if holds else course._entry(name)
        answer = "set(answer)" if entry.get("kind") == "set" else "answer"
        wrong = f"wrong_answers({answer}, {entry.get('places', 0)})"
        if wrong_of(exercise):
            wrong = f"[{', '.join(wrong_of(exercise))}]"
        test = REFUSE.format(
            function=inspect.getsource(wrong_answers), name=name, holds=holds, wrong=wrong
        )
        solution, check = map(nbformat.v4.new_code_cell, (exercise.code, test))
        instead[id(exercise.answers[0])] = [solution]
        instead[id(exercise.checks[-1])] = [exercise.checks[-1], check]
        instead |= {id(cell): [] for cell in exercise.solution}
    notebook.cells = [new for cell in notebook.cells for new in instead.get(id(cell), [cell])]
    return notebook


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.ci if "promise" in name else pytest.mark.full)
        for name in COURSE
    ],
)
def test_a_check_takes_the_solution_and_refuses_ten_wrong_answers(name, tmp_path):
    notebook, path = read(name), tmp_path / PATHS[name].name
    count = len(exercises(notebook))
    nbformat.write(solved(notebook), path)
    done, fault = execute(path, folder=PATHS[name].parent)
    assert not fault, fault
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
    assert printed.count("ten refused") == count
    assert printed.count("Right.") == count


def test_solutions_are_folded_on_a_page_of_nbconvert():
    """By a style, the same in each notebook, which neither JupyterLab nor handouts show."""
    notebook, *others = map(read, COURSE)
    (style,) = re.findall(r"(?s)<style>[^<]*celltag_check[^<]*</style>", str(notebook.cells))
    assert ".celltag_check + .jp-MarkdownCell) > * { max-height: 0;" in style
    for other in others:
        assert style in str(other.cells)
        assert "celltag" not in str(students_copy(other)) + str(lecturers_copy(other))
    text, _ = HTMLExporter().from_notebook_node(notebook)
    cells = re.findall(r'<div class="jp-Cell ([^"]+)', text)
    seen = [(above, cell) for above, cell in pairwise(cells) if "celltag_check" in above]
    proofs = sum("MarkdownCell" in cell for _, cell in seen)
    code = sum("celltag_solution" in cell for cell in cells)
    assert code + proofs == sum(is_tagged(cell, "solution") for cell in notebook.cells)
