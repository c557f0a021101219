"""Exercises of a notebook as an assignment for nbgrader or Otter-Grader.

`python3 dev.py handout NAME --nbgrader` and `--otter` call this file. Grades use the same
tests as `check`: the hash of an answer, or its properties. A quiz has no points.
"""

import re
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbconvert.preprocessors import ClearOutputPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_raw_cell

from docs.publish import is_tagged

POINTS = {"read": 1, "compute": 2, "prove": 4, "build": 4}
"""Points of an exercise, by its level."""
TAGS = ("answer", "check", "solution")
HEAD = re.compile(rf"\*\*Exercise ((?:\d+|[A-Z])\.\d+)\*\* \(({'|'.join(POINTS)})\)")
NEEDS = "import duckdb, ipywidgets, matplotlib, pyarrow, seaborn, toolkit.course"
READY = f"""\
try:  # without these packages, grades would be wrong
    {NEEDS}
except ModuleNotFoundError as missing:
    import os

    if "NBGRADER_EXECUTION" in os.environ:  # while grading: an error instead of few points
        os.write(2, f"{{missing}}: this environment cannot grade\\n".encode())
        os._exit(1)
    raise"""
SETTINGS = """\
c = get_config()
c.CourseDirectory.course_id = "privacy-toolkit"
c.ClearSolutions.code_stub = {"python": ""}  # three dots stand for the answer
c.ExecutePreprocessor.timeout = 300  # seconds for a cell
"""


class Exercise(NamedTuple):
    """The cells of an exercise, in the order of the notebook."""

    number: str
    level: str
    question: NotebookNode
    answers: list[NotebookNode]
    checks: list[NotebookNode]
    solution: list[NotebookNode]

    @property
    def name(self) -> str:
        """Name made of the number, without a point."""
        return f"exercise_{self.number.replace('.', '_')}"

    @property
    def code(self) -> str:
        """Code of the solution, in one piece."""
        return "\n".join(cell.source for cell in self.solution if cell.cell_type == "code")


def belongs(cell: NotebookNode) -> bool:
    """Whether a cell below a question is a part of its exercise."""
    return is_tagged(cell, *TAGS) and not is_tagged(cell, "quiz")


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Read the exercises of a notebook, each with its answer, check and solution."""
    found = []
    for place, question in enumerate(notebook.cells):
        if not is_tagged(question, "exercise"):
            continue
        head = HEAD.match(question.source)
        if not head:
            levels, start = ", ".join(POINTS), question.source[:40]
            raise ValueError(f"'**Exercise 4.1** (one of {levels})' is needed, not {start!r}")
        parts: dict[str, list[NotebookNode]] = {tag: [] for tag in TAGS}
        for cell in takewhile(belongs, notebook.cells[place + 1 :]):
            parts[next(tag for tag in TAGS if is_tagged(cell, tag))].append(cell)
        found.append(Exercise(head[1], head[2], question, *parts.values()))
    return found


def worth(notebook: NotebookNode) -> dict[str, int]:
    """Points of each exercise, by its number."""
    return {each.number: POINTS[each.level] for each in exercises(notebook)}


def marked(exercise: Exercise) -> str:
    """Code of the check that raises an error for a wrong answer instead of printing it."""
    source = "\n\n".join(cell.source for cell in exercise.checks)
    source, calls = re.subn(r"(?m)^check\(", "marked = toolkit.course.mark(", source)
    if calls != 1:
        raise ValueError(f"exercise {exercise.number} calls `check` {calls} times, not once")
    return f"{NEEDS}\n\n{source}\nassert marked.right, marked.say"


def assignment(notebook: NotebookNode, first: NotebookNode, written: Callable) -> NotebookNode:
    """Notebook with exercises as a tool expects them; no outputs, widgets, hidden tests.

    It begins with the cell `first`, and `written` gives the cells of an exercise.
    """
    notebook, _ = ClearOutputPreprocessor().preprocess(nbformat.from_dict(notebook), {})
    notebook.metadata.pop("widgets", None)
    cells, inside = [first], set()
    starts = {id(each.question): each for each in exercises(notebook)}
    for cell in notebook.cells:
        if each := starts.get(id(cell)):
            inside |= set(map(id, [*each.answers, *each.checks, *each.solution]))
            cells += written(each)
        elif id(cell) not in inside and not is_tagged(cell, "test"):
            cells.append(cell)
    return NotebookNode(notebook, cells=cells, nbformat_minor=5)


def nbgrader(notebook: NotebookNode) -> NotebookNode:
    """Source of an nbgrader assignment.

    Students write in the answer cell; nbgrader removes its region with the solution. The check
    becomes the test, which students can run, too. The question cannot be changed. If a package
    is missing, the first cell ends the kernel, so that grading fails.
    """

    def told(cell: NotebookNode, name: str, **role: object) -> NotebookNode:
        no = {"grade": False, "solution": False, "locked": False, "task": False}
        cell.metadata["nbgrader"] = {**no, **role, "grade_id": name, "schema_version": 3}
        return cell

    def written(each: Exercise) -> list[NotebookNode]:
        answer, test = each.answers[0], each.checks[-1]
        answer.source += f"\n### BEGIN SOLUTION\n{each.code}\n### END SOLUTION"
        test.source = marked(each) + "\nprint(marked.say)"
        points = {"grade": True, "points": POINTS[each.level]}
        return [
            told(each.question, f"{each.name}_question", locked=True),
            told(answer, f"{each.name}_answer", solution=True),
            told(test, f"{each.name}_test", locked=True, **points),
        ]

    first = told(new_code_cell(READY, id="ready"), "ready", locked=True)
    return assignment(notebook, first, written)


def otter(notebook: NotebookNode, name: str = "assignment") -> NotebookNode:
    """Master notebook of an Otter-Grader assignment.

    The check is the test of a question. It also stays below the question, where it explains
    mistakes.
    """

    def written(each: Exercise) -> list[NotebookNode]:
        answer = each.answers[0]
        answer.source += f"\n# BEGIN SOLUTION NO PROMPT\n{each.code}\n# END SOLUTION"
        points = f"name: {each.name}\npoints: {POINTS[each.level]}"
        begin = [new_raw_cell(f"# BEGIN QUESTION\n{points}"), each.question]
        solution = [new_raw_cell("# BEGIN SOLUTION"), answer, new_raw_cell("# END SOLUTION")]
        test = [new_raw_cell("# BEGIN TESTS"), new_code_cell(marked(each))]
        end = [new_raw_cell("# END TESTS"), new_raw_cell("# END QUESTION")]
        return [*begin, *solution, *test, *end, *each.checks]

    settings = f"name: {name}\nexport_cell: false\nshow_question_points: true"
    return assignment(notebook, new_raw_cell(f"# ASSIGNMENT CONFIG\n{settings}"), written)


def write(path: Path, tool: str, folder: Path) -> dict[str, int]:
    """Write the assignment of a notebook for a tool, and return the points of each exercise.

    For nbgrader, `folder` becomes a course with settings, and with the assignment in `source`.
    For Otter, it holds the notebook for `otter assign`.
    """
    notebook = nbformat.read(path, as_version=4)
    made, place = otter(notebook, path.stem), folder
    if tool == "nbgrader":
        made, place = nbgrader(notebook), folder / "source" / path.stem
    place.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, place / path.name)
    if tool == "nbgrader":
        (folder / "nbgrader_config.py").write_text(SETTINGS, encoding="utf-8")
    return worth(notebook)
