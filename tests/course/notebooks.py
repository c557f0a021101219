"""The notebooks that have exercises, and their exercises as they stand in the cells."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from docs.handout import is_tagged
from docs.run import name_of, notebooks

PATHS = {name_of(path): path for path in notebooks()}
COURSE = [name for name, path in PATHS.items() if '"exercise"' in path.read_text("utf-8")]
LEVELS = {"read": 0, "compute": 1, "prove": 2, "build": 2}
HEAD = re.compile(r"\*\*Exercise ((?:\d+|[A-Z])\.\d+)\*\* \((\w+)\)\. \S")


def read(name: str) -> NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(PATHS[name], as_version=4)


def slug(name: str) -> str:
    """Name of a notebook without its number: the salt of its exercises."""
    return re.sub(r"^\d+-", "", PATHS[name].stem)


class Exercise(NamedTuple):
    """Cells of an exercise, and where in the notebook its question stands."""

    place: int
    question: NotebookNode
    rest: list[NotebookNode]  # up to the last cell of its solution

    @property
    def name(self) -> str:
        """Name such as k-anonymity.1, by which it is checked."""
        return self.check.args[0].value

    @property
    def checks(self) -> list[NotebookNode]:
        """Cells of the check, what it needs first."""
        return [cell for cell in self.rest if is_tagged(cell, "check")]

    @property
    def check(self) -> ast.Call:
        """Call of `check`, the last line of its last cell."""
        return ast.parse(self.checks[-1].source).body[-1].value

    @property
    def solution(self) -> list[NotebookNode]:
        """Cells of the solution, text and code."""
        return [cell for cell in self.rest if is_tagged(cell, "solution")]

    @property
    def code(self) -> str:
        """Code of the solution."""
        cells = [cell.source for cell in self.solution if cell.cell_type == "code"]
        return "\n".join(cells)

    @property
    def wrong(self) -> list[str]:
        """Expressions of wrong answers, where the solution says some."""
        return [one for cell in self.solution for one in cell.metadata.get("wrong", [])]


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """Exercises in their order; a solution ends with the first cell that is none."""
    found = []
    for place, cell in enumerate(notebook.cells):
        if is_tagged(cell, "exercise"):
            rest = []
            for other in notebook.cells[place + 1 :]:
                if not is_tagged(other, "answer", "check", "solution"):
                    break
                rest.append(other)
            found.append(Exercise(place, cell, rest))
    return found


def little(*cells: tuple) -> NotebookNode:
    """A notebook of (kind, source, tag) for tests of what is made from notebooks."""
    made = []
    for kind, source, *tags in cells:
        new = nbformat.v4.new_markdown_cell if kind == "text" else nbformat.v4.new_code_cell
        cell = new(source, metadata={"tags": tags})
        if kind == "code":
            said = nbformat.v4.new_output("stream", text=f"said by {source}\n")
            cell.outputs, cell.execution_count = [said], len(made) + 1
        made.append(cell)
    return nbformat.v4.new_notebook(cells=made)


def save(notebook: NotebookNode, path: Path) -> Path:
    """Write a notebook to a file."""
    nbformat.write(notebook, path)
    return path


def near(answer, places=0):
    """Ten wrong answers near a right one: a number, a text, a list or a set of them."""
    from toolkit import course

    kind = course._kind_of(answer)
    if kind == "number":
        steps = [sign * step for step in range(1, 6) for sign in (1, -1)]
        return [(round(float(answer) * 10**places) + step) / 10**places for step in steps]
    if kind == "text":
        text = answer if isinstance(answer, str) else "not"
        forms = "{0}x|x{0}|{0} {0}|not {0}|{0}s|{0};|{0}?|the {0}|{0}1|un{0}"
        return [form.format(text) for form in forms.split("|")]
    values = [*(answer.values() if hasattr(answer, "values") else answer)]
    others = [[one, *values[1:]] for one in near(values[0], places)[:5]]
    more = [[*values, one] for one in near(values[-1], places)]
    wrong = [*([values[1:]] if values[1:] else []), *others, *more]
    right = course._joined(answer, kind, places)
    wrong = [one for one in wrong if course._joined(one, kind, places) != right][:10]
    return [set(one) for one in wrong] if kind == "set" else wrong
