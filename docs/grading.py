"""Exercises of a notebook as an assignment for nbgrader.

`python3 dev.py handout NAME --nbgrader` calls this file. Grades use the same tests as `check`:
the hash of an answer, or its properties. A quiz has no points.
"""

import re
import shutil
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbconvert.preprocessors import ClearOutputPreprocessor
from nbformat import NotebookNode

from docs.publish import DOCS, TEMPLATES, copy_without, is_tagged

POINTS = {"read": 1, "compute": 2, "prove": 4, "build": 4}
"""Points of an exercise, by its level."""
TAGS = ("answer", "check", "solution")
HEAD = re.compile(rf"\*\*Exercise ((?:\d+|[A-Z])\.\d+)\*\* \(({'|'.join(POINTS)})\)")
NEEDS = "import duckdb, ipywidgets, matplotlib, pyarrow, seaborn, toolkit.course"
READY = TEMPLATES.get_template("nbgrader_ready.j2").render(needs=NEEDS)


class Exercise(NamedTuple):
    """The cells of an exercise, in the order of the notebook."""

    number: str
    level: str
    question: NotebookNode
    answers: list[NotebookNode]
    checks: list[NotebookNode]
    solution: list[NotebookNode]

    @property
    def code(self) -> str:
        """Code of the solution, in one piece."""
        return "\n".join(cell.source for cell in self.solution if cell.cell_type == "code")


def belongs(cell: NotebookNode) -> bool:
    """True if a cell below a question is a part of its exercise."""
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
        cells = [*takewhile(belongs, notebook.cells[place + 1 :])]
        parts = ([cell for cell in cells if is_tagged(cell, tag)] for tag in TAGS)
        found.append(Exercise(head[1], head[2], question, *parts))
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
    return f"{NEEDS}\n\n{source}\nassert marked.right, marked.say\nprint(marked.say)"


def nbgrader(notebook: NotebookNode) -> NotebookNode:
    """Source of an nbgrader assignment, without outputs, widgets, claims and hidden tests.

    Students write in the answer cell; nbgrader removes its region with the solution. The check
    becomes the test, which students can run, too. The question cannot be changed. If a package
    is missing, the first cell ends the kernel, so that grading fails.
    """
    copy = copy_without(notebook, "claims", "test")
    made, _ = ClearOutputPreprocessor().preprocess(copy, {})
    ready = nbformat.v4.new_code_cell(READY, id="ready")
    roles = [(ready, "ready", {"locked": True})]
    for each in exercises(made):
        answer, test = each.answers[0], each.checks[-1]
        answer.source += f"\n### BEGIN SOLUTION\n{each.code}\n### END SOLUTION"
        test.source = marked(each)
        name, points = f"exercise_{each.number.replace('.', '_')}", POINTS[each.level]
        roles += [
            (each.question, f"{name}_question", {"locked": True}),
            (answer, f"{name}_answer", {"solution": True}),
            (test, f"{name}_test", {"locked": True, "grade": True, "points": points}),
        ]
    for cell, name, role in roles:
        no = dict.fromkeys(("grade", "solution", "locked", "task"), False)
        cell.metadata["nbgrader"] = {**no, **role, "grade_id": name, "schema_version": 3}
    others = [c for c in made.cells if "nbgrader" in c.metadata or not belongs(c)]
    return NotebookNode(made, cells=[ready, *others], nbformat_minor=5)


def write(path: Path, folder: Path) -> dict[str, int]:
    """Write a course of nbgrader with the assignment of a notebook in `source`.

    Returns the points of each exercise.
    """
    notebook = nbformat.read(path, as_version=4)
    source = folder / "source" / path.stem
    source.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbgrader(notebook), source / path.name)
    shutil.copy(DOCS / "nbgrader_config.txt", folder / "nbgrader_config.py")
    return worth(notebook)
