"""Exercises of a notebook as an assignment of nbgrader, or of Otter-Grader.

`python3 dev.py handout NAME --nbgrader` and `--otter` call this file. What is graded is what
`check` asks: the hash of an answer, or its properties. A quiz has no points.
"""

import ast
import copy
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output, new_raw_cell

POINTS = {"read": 1, "compute": 2, "prove": 4, "build": 4}
"""Points of an exercise, by its level."""
HEAD = re.compile(r"\*\*Exercise ((?:\d+|[A-Z])\.\d+)\*\* \((\w+)")
NEEDS = "import duckdb, ipywidgets, matplotlib, pyarrow, seaborn"
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
TOOLS = {"nbgrader": "nbgrader", "otter": "otter-grader"}  # and their packages
SETTINGS = """\
c = get_config()
c.CourseDirectory.course_id = "privacy-toolkit"
c.ClearSolutions.code_stub = {"python": ""}  # three dots stand for the answer
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


def is_tagged(cell: NotebookNode, *tags: str) -> bool:
    """Whether a cell has one of some tags."""
    return not {*tags}.isdisjoint(cell.metadata.get("tags", []))


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Read the exercises of a notebook, each with its answer, check and solution."""
    found = []
    for place, question in enumerate(notebook.cells):
        if not is_tagged(question, "exercise"):
            continue
        head = HEAD.match(question.source)
        if not head:
            raise ValueError(
                "a cell tagged 'exercise' starts '**Exercise 4.1** (read).', with its number "
                f"and its level, not {question.source[:40]!r}"
            )
        if head[2] not in POINTS:
            raise ValueError(
                f"exercise {head[1]} is of level {head[2]!r}, which has no points; "
                f"the levels are {', '.join(POINTS)}"
            )
        rest, parts = notebook.cells[place + 1 :], {}
        for tag in ("answer", "check", "solution"):
            parts[tag] = []
            while rest and is_tagged(rest[0], tag) and not is_tagged(rest[0], "quiz"):
                parts[tag].append(rest.pop(0))
            if not any(part.cell_type == "code" for part in parts[tag]):
                raise ValueError(f"exercise {head[1]} has no cell of code tagged {tag!r}")
        answer, checks, solution = parts["answer"][0], parts["check"], parts["solution"]
        found.append(Exercise(head[1], head[2], question, answer, checks, solution))
    return found


def worth(notebook: NotebookNode) -> dict[str, int]:
    """Points of each exercise, by its number."""
    return {each.number: POINTS[each.level] for each in exercises(notebook)}


def solved(exercise: Exercise) -> str:
    """Code of the solution, in one piece."""
    return "\n".join(cell.source for cell in exercise.solution if cell.cell_type == "code")


def marked(exercise: Exercise, then: str) -> str:
    """Code of the check that keeps the mark instead of printing it; `then` uses the mark."""
    source = "\n\n".join(cell.source for cell in exercise.checks)
    lines = (ast.get_source_segment(source, line) or "" for line in ast.parse(source).body)
    calls = [line for line in lines if line.startswith("check(")]
    if len(calls) != 1:
        raise ValueError(
            f"exercise {exercise.number} calls `check` {len(calls)} times, not once"
        )
    return f"{MARK}\n\n{source.replace(calls[0], f'marked = mark{calls[0][5:]}')}\n{then}"


def parts_of(notebook: NotebookNode) -> list[NotebookNode | Exercise]:
    """Cells without outputs and hidden tests, those of an exercise in one piece."""
    notebook = copy.deepcopy(notebook)
    parts: list[NotebookNode | Exercise] = []
    starts = {id(each.question): each for each in exercises(notebook)}
    inside: set[int] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if each := starts.get(id(cell)):
            inside |= set(map(id, [each.answer, *each.checks, *each.solution]))
            parts.append(each)
        elif id(cell) not in inside and not is_tagged(cell, "test"):
            parts.append(cell)
    return parts


def assignment(notebook: NotebookNode, cells: list[NotebookNode]) -> NotebookNode:
    """Notebook of these cells, without widgets."""
    metadata = {key: value for key, value in notebook.metadata.items() if key != "widgets"}
    return nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    )


def nbgrader(notebook: NotebookNode) -> NotebookNode:
    """Source of an nbgrader assignment.

    The answer is a cell of a student, with the solution in a region that nbgrader takes out;
    the check becomes the test, which students can run, too. The question cannot be changed.
    Where a package is missing, the first cell ends the kernel, so that grading is an error.
    """
    cells = [for_nbgrader(new_code_cell(READY, id="ready"), "ready", locked=True)]
    for part in parts_of(notebook):
        if not isinstance(part, Exercise):
            cells.append(part)
            continue
        name, answer, test = part.name, part.answer, part.checks[-1]
        region = ["### BEGIN SOLUTION", solved(part), "### END SOLUTION"]
        answer.source = "\n".join([answer.source, *region])
        test.source = marked(part, "print(marked.say)\nassert marked.right")
        points = {"grade": True, "points": POINTS[part.level]}
        cells += [
            for_nbgrader(part.question, f"{name}_question", locked=True),
            for_nbgrader(answer, f"{name}_answer", solution=True),
            for_nbgrader(test, f"{name}_test", locked=True, **points),
        ]
    return assignment(notebook, cells)


def for_nbgrader(cell: NotebookNode, name: str, **role: object) -> NotebookNode:
    """Say to nbgrader what a cell is."""
    no = {"grade": False, "solution": False, "locked": False, "task": False}
    cell.metadata["nbgrader"] = {**no, **role, "grade_id": name, "schema_version": 3}
    return cell


def otter(notebook: NotebookNode, name: str = "assignment") -> NotebookNode:
    """Master notebook of an Otter-Grader assignment.

    The check is the test of a question; it stays behind the question too, where it says in
    words what is wrong.
    """
    cells = [new_raw_cell(ASSIGNMENT.format(name=name))]
    for part in parts_of(notebook):
        if not isinstance(part, Exercise):
            cells.append(part)
            continue
        region = ["# BEGIN SOLUTION NO PROMPT", solved(part), "# END SOLUTION"]
        part.answer.source = "\n".join([part.answer.source, *region])
        right = new_output("execute_result", {"text/plain": "True"}, execution_count=1)
        cells += [
            new_raw_cell(f"# BEGIN QUESTION\nname: {part.name}\npoints: {POINTS[part.level]}"),
            part.question,
            new_raw_cell("# BEGIN SOLUTION"),
            part.answer,
            new_raw_cell("# END SOLUTION"),
            new_raw_cell("# BEGIN TESTS"),
            new_code_cell(marked(part, "marked.right"), outputs=[right]),
            new_raw_cell("# END TESTS"),
            new_raw_cell("# END QUESTION"),
            *part.checks,
        ]
    return assignment(notebook, cells)


def write(path: Path, tool: str, folder: Path) -> dict[str, int]:
    """Write the assignment of a notebook for a tool, and say what each exercise is worth.

    For nbgrader `folder` becomes a course: settings, and the assignment in `source`. For Otter
    it holds the notebook for `otter assign`.
    """
    notebook = nbformat.read(path, as_version=4)
    if tool == "nbgrader":
        made, copied = nbgrader(notebook), folder / "source" / path.stem / path.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nbgrader_config.py").write_text(SETTINGS, encoding="utf-8")
    else:
        made, copied = otter(notebook, path.stem), folder / path.name
    copied.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, copied)
    return worth(notebook)


def assign(paths: list[Path], tools: list[str], build: Path, skip: bool) -> int:
    """Write assignments of notebooks; those without exercises are skipped or refused."""
    graded = [path for path in paths if worth(nbformat.read(path, as_version=4))]
    if missing := [path.stem for path in paths if path not in graded and not skip]:
        raise SystemExit(f"{missing[0]} has no exercises to hand in.")
    for tool in tools:
        for path in graded:
            points = sum(write(path, tool, build / tool).values())
            print(f"build/{tool}: {path.stem}, {points} points")
        print(
            "To grade, make an environment in the folder of the clone: "
            f'pip install {TOOLS[tool]} -e ".[lab]"'
        )
    return 0
