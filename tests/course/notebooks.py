"""The notebooks that have exercises, and their exercises as they stand in the cells."""

import ast
import re

import nbformat
from nbformat import NotebookNode

from docs.grading import Exercise
from docs.run import name_of, notebooks

PATHS = {name_of(path): path for path in notebooks()}
COURSE = [name for name, path in PATHS.items() if '"exercise"' in path.read_text("utf-8")]


def read(name: str) -> NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(PATHS[name], as_version=4)


def slug(name: str) -> str:
    """Name of a notebook without its number: the salt of its exercises."""
    return re.sub(r"^\d+-", "", PATHS[name].stem)


def check_of(exercise: Exercise) -> ast.Call:
    """Call of `check`, the last line of its last cell."""
    return ast.parse(exercise.checks[-1].source).body[-1].value


def wrong_of(exercise: Exercise) -> list[str]:
    """Expressions of wrong answers, where the solution says some."""
    return [one for cell in exercise.solution for one in cell.metadata.get("wrong", [])]


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


def wrong_answers(answer, places=0):
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
    others = [[one, *values[1:]] for one in wrong_answers(values[0], places)[:5]]
    more = [[*values, one] for one in wrong_answers(values[-1], places)]
    wrong = [*([values[1:]] if values[1:] else []), *others, *more]

    def written(one):
        return course._written(course._values(one, kind), kind, places)

    wrong = [one for one in wrong if written(one) != written(answer)][:10]
    return [set(one) for one in wrong] if kind == "set" else wrong
