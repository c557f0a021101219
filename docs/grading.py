"""Exercises of a notebook as an assignment of nbgrader, or of Otter-Grader.

`python3 dev.py handout NAME --nbgrader` and `--otter` call this file. What is graded is what
`check` asks: the hash of an answer, or its properties. A quiz has no points.
"""

import argparse
import ast
import copy
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output, new_raw_cell

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.run import chosen  # noqa: E402

__all__ = ["POINTS", "Exercise", "exercises", "nbgrader", "otter", "worth", "write"]

POINTS = {"read": 1, "compute": 2, "prove": 4, "build": 4}
"""Points of an exercise, by its level."""
HEAD = re.compile(r"\*\*Exercise ((?:\d+|[A-Z])\.\d+)\*\* \((\w+)")
NEEDS = "import duckdb, ibis, ipywidgets, matplotlib, pyarrow, seaborn"
MARK = f"{NEEDS}\nfrom toolkit.course import mark"
READY = f"""\
try:  # a grade that is given without these would be wrong
    {NEEDS}, toolkit.course
except ModuleNotFoundError as missing:
    import os

    if "NBGRADER_EXECUTION" in os.environ:  # while grading: an error in place of few points
        os.write(2, f"{{missing}}: this environment cannot grade\\n".encode())
        os._exit(1)
    raise"""
ENVIRONMENT = """\
To grade, make an environment in the folder of the clone: pip install {package} -e ".[lab]"
"""
PACKAGES = {"nbgrader": "nbgrader", "otter": "otter-grader"}
SETTINGS = """\
c = get_config()
c.CourseDirectory.course_id = "{course}"
c.ClearSolutions.code_stub = {{"python": ""}}  # three dots stand for the answer
c.ExecutePreprocessor.timeout = 300  # seconds for a cell
"""
ASSIGNMENT = """\
# ASSIGNMENT CONFIG
name: {name}
export_cell: false
show_question_points: true"""


class Exercise(NamedTuple):
    """The cells of an exercise, in the order in which they stand in the notebook."""

    number: str
    level: str
    question: NotebookNode
    answer: NotebookNode
    checks: list[NotebookNode]
    solution: list[NotebookNode]

    @property
    def name(self) -> str:
        """Number as a name, which has no point."""
        return f"exercise_{self.number.replace('.', '_')}"

    def points(self, points: Mapping[str, float]) -> float:
        """Points of its level."""
        if self.level not in points:
            levels = ", ".join(points)
            raise ValueError(
                f"exercise {self.number} is of level {self.level!r}, which has no points; "
                f"the levels are {levels}"
            )
        return points[self.level]


def tagged(cell: NotebookNode, tag: str) -> bool:
    """Whether a cell has a tag."""
    return tag in cell.metadata.get("tags", [])


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Read the exercises of a notebook, each with its answer, check and solution."""
    found = []
    for place, question in enumerate(notebook.cells):
        if not tagged(question, "exercise"):
            continue
        head = HEAD.match(question.source)
        if not head:
            raise ValueError(
                "a cell tagged 'exercise' starts '**Exercise 4.1** (read).', with its number "
                f"and its level, not {question.source[:40]!r}"
            )
        rest = iter(notebook.cells[place + 1 :])
        cell, parts = next(rest, None), {}
        for tag in ("answer", "check", "solution"):
            parts[tag] = []
            while cell is not None and tagged(cell, tag) and not tagged(cell, "quiz"):
                parts[tag].append(cell)
                cell = next(rest, None)
            if not any(part.cell_type == "code" for part in parts[tag]):
                raise ValueError(f"exercise {head[1]} has no cell of code tagged {tag!r}")
        if len(parts["answer"]) > 1:
            raise ValueError(f"exercise {head[1]} has {len(parts['answer'])} answers, not one")
        answer, checks, solution = parts["answer"][0], parts["check"], parts["solution"]
        found.append(Exercise(head[1], head[2], question, answer, checks, solution))
    return found


def worth(notebook: NotebookNode, points: Mapping[str, float] = POINTS) -> dict[str, float]:
    """Points of each exercise, by its number."""
    return {each.number: each.points(points) for each in exercises(notebook)}


def solved(exercise: Exercise) -> str:
    """Code of the solution, in one piece."""
    return "\n".join(cell.source for cell in exercise.solution if cell.cell_type == "code")


def solved_below(exercise: Exercise, begin: str, end: str) -> str:
    """Code of the answer with the solution below it, in a region that a tool takes out."""
    return "\n".join([exercise.answer.source, begin, solved(exercise), end])


def marked(exercise: Exercise, then: str) -> str:
    """Code of the check that keeps the mark instead of printing it; `then` uses the mark."""
    source = "\n\n".join(cell.source for cell in exercise.checks)
    calls = [
        line.value
        for line in ast.parse(source).body
        if isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Call)
        and getattr(line.value.func, "id", "") == "check"
    ]
    if len(calls) != 1:
        raise ValueError(
            f"exercise {exercise.number} calls `check` {len(calls)} times, not once"
        )
    call = ast.get_source_segment(source, calls[0])
    assert call is not None
    return f"{MARK}\n\n{source.replace(call, f'marked = mark{call[5:]}')}\n{then}"


def others(notebook: NotebookNode) -> list[NotebookNode | Exercise]:
    """Cells without outputs and hidden tests, those of an exercise in one piece."""
    notebook = copy.deepcopy(notebook)
    notebook.cells = [cell for cell in notebook.cells if not tagged(cell, "test")]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    starts = {id(each.question): each for each in exercises(notebook)}
    inside = {
        id(cell)
        for each in starts.values()
        for cell in (each.answer, *each.checks, *each.solution)
    }
    return [starts.get(id(cell), cell) for cell in notebook.cells if id(cell) not in inside]


def assignment(notebook: NotebookNode, cells: list[NotebookNode]) -> NotebookNode:
    """Notebook of these cells, with what Jupyter has to know of it and without widgets."""
    metadata = {key: value for key, value in notebook.metadata.items() if key != "widgets"}
    return nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    )


# nbgrader


def nbgrader(notebook: NotebookNode, points: Mapping[str, float] = POINTS) -> NotebookNode:
    """Source of an nbgrader assignment.

    The answer is a cell of a student, with the solution in a region that nbgrader takes out;
    the check becomes the test, which students can run, too. The question cannot be changed.
    Where a package is missing, the first cell ends the kernel, so that grading is an error.
    """
    ready = new_code_cell(READY, id="ready")
    ready.metadata["nbgrader"] = nature("ready", locked=True)
    cells: list[NotebookNode] = [ready]
    for cell in others(notebook):
        if not isinstance(cell, Exercise):
            cells.append(cell)
            continue
        cell.answer.source = solved_below(cell, "### BEGIN SOLUTION", "### END SOLUTION")
        test = cell.checks[-1]
        test.source = marked(cell, "print(marked.say)\nassert marked.right")
        graded = {"grade": True, "points": cell.points(points)}
        for part, suffix, role in (
            (cell.question, "question", {"locked": True}),
            (cell.answer, "answer", {"solution": True}),
            (test, "test", {"locked": True, **graded}),
        ):
            part.metadata["nbgrader"] = nature(f"{cell.name}_{suffix}", **role)
            cells.append(part)
    return assignment(notebook, cells)


def nature(name: str, **role: object) -> dict[str, object]:
    """What a cell is to nbgrader."""
    no = {"grade": False, "solution": False, "locked": False, "task": False}
    return {**no, **role, "grade_id": name, "schema_version": 3}


# Otter-Grader


def otter(
    notebook: NotebookNode, points: Mapping[str, float] = POINTS, name: str = "assignment"
) -> NotebookNode:
    """Master notebook of an Otter-Grader assignment.

    The check is the test of a question; it stays behind the question too, where it says in
    words what is wrong.
    """
    cells = [new_raw_cell(ASSIGNMENT.format(name=name))]
    for cell in others(notebook):
        if not isinstance(cell, Exercise):
            cells.append(cell)
            continue
        region = ("# BEGIN SOLUTION NO PROMPT", "# END SOLUTION")
        cell.answer.source = solved_below(cell, *region)
        asked = f"# BEGIN QUESTION\nname: {cell.name}\npoints: {cell.points(points)}"
        right = new_output("execute_result", {"text/plain": "True"}, execution_count=1)
        test = new_code_cell(marked(cell, "marked.right"), outputs=[right])
        cells += [
            new_raw_cell(asked),
            cell.question,
            *fenced("SOLUTION", cell.answer),
            *fenced("TESTS", test),
            new_raw_cell("# END QUESTION"),
            *cell.checks,
        ]
    return assignment(notebook, cells)


def fenced(block: str, cell: NotebookNode) -> list[NotebookNode]:
    """Write a cell between the raw cells that begin and end a block of Otter."""
    return [new_raw_cell(f"# BEGIN {block}"), cell, new_raw_cell(f"# END {block}")]


# Files


def write(
    path: Path, tool: str, folder: Path, points: Mapping[str, float] = POINTS
) -> dict[str, float]:
    """Write the assignment of a notebook for a tool, and say what each exercise is worth.

    For nbgrader `folder` becomes a course: settings, and the assignment in `source`. For Otter
    it holds the notebook for `otter assign`.
    """
    notebook = nbformat.read(path, as_version=4)
    if not (told := worth(notebook, points)):
        raise ValueError(f"{path.name} has no exercises to hand in")
    if tool == "nbgrader":
        made, copied = nbgrader(notebook, points), folder / "source" / path.stem / path.name
        folder.mkdir(parents=True, exist_ok=True)
        course = SETTINGS.format(course="privacy-toolkit")
        (folder / "nbgrader_config.py").write_text(course, encoding="utf-8")
    else:
        made, copied = otter(notebook, points, path.stem), folder / path.name
    copied.parent.mkdir(parents=True, exist_ok=True)
    nbformat.validate(made)
    nbformat.write(made, copied)
    return told


def main(arguments: list[str] | None = None) -> int:
    """Command line of this file."""
    parser = argparse.ArgumentParser(prog="dev.py handout")
    for tool in ("nbgrader", "otter"):
        parser.add_argument(f"--{tool}", dest="tools", action="append_const", const=tool)
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args(arguments)
    if options.all and options.notebooks:
        parser.error("name notebooks, or say --all for all of them, not both.")
    paths = chosen(options.notebooks)
    for path in paths if options.notebooks else []:
        if not exercises(nbformat.read(path, as_version=4)):
            parser.error(f"{path.stem} has no exercises to hand in.")
    if not options.notebooks:
        paths = [path for path in paths if exercises(nbformat.read(path, as_version=4))]
    for path in paths:
        for tool in options.tools or ["nbgrader", "otter"]:
            folder = ROOT / "build" / tool
            told = write(path, tool, folder)
            print(f"{folder.relative_to(ROOT)}: {path.stem}, {sum(told.values()):g} points")
    for tool in options.tools or []:
        print(ENVIRONMENT.format(package=PACKAGES[tool]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
