"""Assignments of nbgrader: what it makes of them, and the points it gives."""

import csv
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from docs import grading, handout
from docs.run import chosen
from tests.benchmarks.peers import make_peer
from tests.needs import need

HERE = Path(__file__).resolve().parent
EXERCISES = [  # level, answer cell, check cell, cells of the solution
    (
        "read",
        "answer = ...  # a whole number",
        'check("0.1", answer, {"it is the least size": lambda a: a == len(ward) / 2})',
        ["answer = 2"],
    ),
    (
        "compute",
        "def answer(table): ...\n\n\nanswer = ...",
        'towns = ["town"]\ncheck(\n    "0.2",\n    answer,\n    {\n'
        '        "it is k": lambda f: f(ward) == tk.k_anonymity(ward, towns),\n\n'
        '        "one town is one class": lambda f: f(ward.assign(town="A")) == 4,\n    },\n)',
        ["def least(table):\n    return table.value_counts().min()", "answer = least"],
    ),
    (
        "build",
        "answer = ...",
        'check("0.3", answer, {"k is 3": lambda t: tk.k_anonymity(t, ["town"]) >= 3})',
        ["answer = pd.concat([ward] * 2)\nanswer"],
    ),
]
RIGHT = ["answer = 2", "answer = lambda t: t.groupby('town').size().min()"]
STUDENTS = {  # what they write, and the points of that
    "right": ([*RIGHT, "answer = pd.concat([ward, ward])"], [1, 2, 4]),
    "partly": ([RIGHT[0], "answer = len", "answer = pd.concat([ward, ward])"], [1, 0, 4]),
    "wrong": (["answer = 3", "answer = max", "answer = ward"], [0, 0, 0]),
    "stuck": (["answer = 2", "answer = lambda t: 1 / 0", "raise ValueError"], [1, 0, 0]),
    "empty": ([None, None, None], [0, 0, 0]),
}


def tagged(cell, tag):
    cell.metadata["tags"] = [tag]
    return cell


def ward():
    """A small notebook: an exercise of each kind, the second with a proof."""
    imports = "import pandas as pd\nimport toolkit as tk\nfrom toolkit.course import check\n\n"
    cells = [new_code_cell(imports + 'ward = pd.DataFrame({"town": list("AABB")})')]
    for number, (level, answer, check, solution) in enumerate(EXERCISES, 1):
        asked = f"**Exercise 0.{number}** ({level}). How many?"
        cells.append(tagged(new_markdown_cell(asked), "exercise"))
        cells.append(tagged(new_code_cell(answer), "answer"))
        cells.append(tagged(new_code_cell(check), "check"))
        cells += [tagged(new_code_cell(source), "solution") for source in solution]
    cells.insert(9, tagged(new_markdown_cell("It is so because."), "solution"))
    cells.append(tagged(new_code_cell("assert 'a hidden test'"), "test"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def answered(notebook, answers):
    """The students' copy of a notebook with these lines below the answers' dots."""
    places = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code"
        and re.search(r"^answer = \.\.\.", cell.source, re.MULTILINE)
    ]
    for cell, line in zip(places, answers, strict=True):
        cell.source += f"\n{line}" if line else ""
    return notebook


def run(*command, cwd, path=(), tries=1, **variables):
    """Output of a command, which must succeed: a kernel's port may be taken meanwhile."""
    env = {**os.environ, **variables}
    env["PATH"] = os.pathsep.join([*map(str, path), env["PATH"]])
    words = [*map(str, command)]
    for _ in range(tries):
        done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)
        if not done.returncode:
            break
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


# What is written


def test_a_check_may_need_several_cells():
    notebook = ward()
    (first, last) = (tagged(new_code_cell(part), "check") for part in ("least = 2", "..."))
    last.source = 'check("0.1", answer, {"it is the least": lambda a: a == least})'
    notebook.cells[3:4] = [first, last]
    made = grading.nbgrader(notebook)
    test = made.cells[4].source
    assert "least = 2\n\nmarked = toolkit.course.mark(" in test and len(made.cells) == 11


@pytest.mark.parametrize(
    ("place", "change", "said"),
    [
        (1, {"source": "**Exercise 0.1** (ponder). How many?"}, "one of read, compute, prove"),
        (3, {"source": "print(answer)"}, "exercise 0.1 calls `check` 0 times, not once"),
    ],
)
def test_what_is_no_exercise_is_named(place, change, said):
    notebook = ward()
    assert grading.worth(notebook) == {"0.1": 1, "0.2": 2, "0.3": 4}, "points follow levels"
    notebook.cells[place].update(nbformat.from_dict(change))
    with pytest.raises(ValueError, match=said):
        grading.nbgrader(notebook)


@pytest.mark.parametrize("name", STUDENTS)
def test_the_tests_of_an_assignment_give_the_points(name):
    """As nbgrader does it: cell by cell, and a test that raises no error gives its points."""
    made = grading.nbgrader(ward())
    for cell in made.cells:
        cell.source = re.sub("(?s)### BEGIN SOLUTION.*### END SOLUTION", "", cell.source)
    answers, points = STUDENTS[name]
    given, names = {}, {}
    for cell in answered(made, answers).cells:
        if cell.cell_type != "code":
            continue
        told = cell.metadata.get("nbgrader", {})
        try:
            with redirect_stdout(StringIO()):
                exec(cell.source, names)
            error = False
        except Exception:
            error = True
        if told.get("grade"):
            given[told["grade_id"]] = told["points"] * (not error)
    assert list(given.values()) == points


def test_an_environment_that_lacks_a_package_gives_no_points(monkeypatch):
    monkeypatch.setitem(sys.modules, "seaborn", None)
    tests = [cell.source for cell in grading.nbgrader(ward()).cells if "mark(" in cell.source]
    assert len(tests) == 3
    for source in [*tests, grading.READY]:
        with pytest.raises(ModuleNotFoundError, match="seaborn"):
            exec(source, {})
    code = f"import sys; sys.modules['seaborn'] = None\n{grading.READY}"
    env = os.environ | {"NBGRADER_EXECUTION": "autograde"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True)
    assert done.returncode == 1 and b"this environment cannot grade" in done.stderr


def test_an_assignment_holds_no_solution_where_students_see_it():
    made = grading.nbgrader(ward())
    nbformat.validate(made)
    text = "\n\0".join(cell.source for cell in made.cells)
    seen = re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "", text, flags=re.DOTALL)
    assert "def least" in text and "def least" not in seen
    assert "It is so because." not in text and "hidden test" not in text
    told = [cell.metadata.get("nbgrader", {}) for cell in made.cells]
    ids = [each["grade_id"] for each in told if each]
    assert len(set(ids)) == len(ids) == 10


def test_all_notebooks_are_written_when_all_are_asked_for(tmp_path, monkeypatch, capsys):
    bare = new_notebook(cells=[new_markdown_cell("# Which?")])
    paths = [tmp_path / "ward.ipynb", tmp_path / "bare.ipynb"]
    for path, notebook in zip(paths, [ward(), bare], strict=True):
        nbformat.write(notebook, path)
    monkeypatch.setattr(handout, "chosen", lambda names: paths)
    monkeypatch.setattr(handout, "BUILD", tmp_path)
    assert handout.main(["--nbgrader", "--all"]) == 0
    assert (tmp_path / "nbgrader" / "source" / "ward" / "ward.ipynb").is_file()
    said = capsys.readouterr().out
    assert "ward, 7 points" in said and "bare, no exercises and no points" in said


# What nbgrader makes of it


def by_nbgrader(path, folder, students):
    """Points of each student, as nbgrader gives them, and none by a bare kernel."""
    python = need(make_peer("nbgrader", HERE / "nbgrader.txt"), "nbgrader cannot be installed")
    told = grading.write(path, folder)
    kernel = folder / "jupyter" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    named = {"display_name": "The project's", "language": "python", "argv": start}
    kernel.write_text(json.dumps(named))
    jupyter = str(kernel.parents[2])
    within = {"cwd": folder, "path": [python.parent], "JUPYTER_PATH": jupyter}
    nbgrader = python.with_name("nbgrader")
    run(nbgrader, "generate_assignment", path.stem, **within)
    for student, answers in students.items():
        given = folder / "release" / path.stem / path.name
        copied = folder / "submitted" / student / path.stem / path.name
        copied.parent.mkdir(parents=True)
        notebook = nbformat.read(given, as_version=4)
        assert not any("BEGIN SOLUTION" in cell.source for cell in notebook.cells)
        nbformat.write(answered(notebook, answers), copied)
    bare = os.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}"}
    asked = [nbgrader, "autograde", path.stem]
    done = subprocess.run(asked, cwd=folder, env=bare, capture_output=True, text=True)
    assert done.returncode and "this environment cannot grade" in done.stderr
    run(*asked, "--force", tries=3, **within)
    run(nbgrader, "export", "--to=grades.csv", **within)
    with (folder / "grades.csv").open() as file:
        lines = [*csv.DictReader(file)]
    assert {float(line["max_score"]) for line in lines} == {sum(told.values())}
    return {line["student_id"]: float(line["score"]) for line in lines}


@pytest.mark.full
def test_a_submission_gets_the_points_of_what_is_right_in_it(tmp_path):
    (path,) = chosen(["from-rho-to-epsilon"])
    right = [each.code for each in grading.exercises(nbformat.read(path, as_version=4))]
    students = {
        "right": right,
        "half": [answer if place % 2 == 0 else "1 / 0" for place, answer in enumerate(right)],
        "wrong": ["answer = -1"] * len(right),
        "empty": [None] * len(right),
    }
    points = by_nbgrader(path, tmp_path, students)
    assert [points[student] for student in students] == [18, 9, 0, 0]
