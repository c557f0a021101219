"""The figures of the course: how long a lesson is, how short its cells, who is in it.

A lesson has at most 80 cells and 2,500 words before its exercises, a further notebook 60
cells. A cell is one assignment and its result, in six lines of 72 characters.
"""

import re

import nbformat
import pytest

from tests.needs import ROOT

NOTEBOOKS = ROOT / "notebooks"
PATHS = {path.stem: path for path in sorted(NOTEBOOKS.rglob("[!.]*.ipynb"))}
CELLS = {name: nbformat.read(path, as_version=4).cells for name, path in PATHS.items()}
LESSONS = [name for name in PATHS if re.match(r"\d\d-", name)]
FURTHER = [name for name, path in PATHS.items() if path.parent.name == "further"]
PAGES = [name for name, path in PATHS.items() if path.parent.name == "pages"]
SET_UP = {"parameters", "imports"}
ASIDE = {"claims", "exercise", "answer", "check", "solution", "quiz", "test", *SET_UP}

each = pytest.mark.parametrize("name", LESSONS + FURTHER)
each_lesson = pytest.mark.parametrize("name", LESSONS)


def tags(cell) -> set[str]:
    return set(cell.metadata.get("tags", []))


def before_exercises(name: str) -> list:
    cells = CELLS[name]
    heads = (i for i, cell in enumerate(cells) if re.match("#+ Exercises", cell.source))
    return cells[: next(heads, len(cells))]


def taught(name: str) -> list:
    """Code cells that a student reads."""
    code = [cell for cell in before_exercises(name) if cell.cell_type == "code"]
    return [cell for cell in code if not tags(cell) & ASIDE]


def lines(cell) -> list[str]:
    return [line for line in cell.source.splitlines() if line.strip()]


def prose(cells: list) -> str:
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def words(text: str) -> int:
    """Words of prose: neither formulas nor code nor the addresses of links."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$|\$[^$]+\$|`[^`]+`", " ", text, flags=re.DOTALL)
    return len(re.findall(r"\w[\w'’-]*", re.sub(r"\]\([^)]*\)", "]", text)))


@each
def test_length(name):
    cells = before_exercises(name)
    assert len(cells) <= (60 if name in FURTHER else 80)
    assert words(prose(cells)) <= 2500


@each
def test_a_cell_is_one_step(name):
    for cell in taught(name):
        assert len(lines(cell)) <= 6, cell.source
        assert max(map(len, lines(cell)), default=0) <= 72, cell.source
        assert "assert " not in cell.source, (
            f"a claim belongs in a cell of claims:\n{cell.source}"
        )
    assert sum(len(lines(cell)) for cell in taught(name)) <= 4.5 * len(taught(name))


@each
def test_claims_and_imports_are_out_of_sight(name):
    claims = [cell for cell in CELLS[name] if "claims" in tags(cell)]
    assert claims, "every claim of a section is asserted at its end"
    for cell in claims + [cell for cell in CELLS[name] if "imports" in tags(cell)]:
        assert cell.metadata.get("jupyter", {}).get("source_hidden"), cell.source
    assert all("assert" in cell.source for cell in claims)
    parameters = [cell for cell in CELLS[name] if "parameters" in tags(cell)]
    assert all(re.match(r"\w+ = |#", line) for cell in parameters for line in lines(cell))


@each_lesson
def test_core_sections_are_marked(name):
    heads = re.findall(r"^## (.+)", prose(before_exercises(name)), re.MULTILINE)
    assert len([head for head in heads if head.startswith("◆ ")]) >= 3
    assert any(head == "In short" for head in heads)


@each_lesson
def test_exercises_and_a_quiz_end_a_lesson(name):
    asked = [cell for cell in CELLS[name] if "exercise" in tags(cell)]
    assert 6 <= len(asked) <= 8
    (quiz,) = (cell for cell in CELLS[name] if {"quiz"} == tags(cell) - {"exercise"})
    assert len(re.findall(r"^\*\*\d+\.\*\* ", quiz.source, re.MULTILINE)) == 5


@each_lesson
def test_a_lesson_opens_in_one_way(name):
    opening = CELLS[name][0].source
    assert re.match(r"# .+\?\n", opening)
    assert re.search(r"^After this lesson you can\b", opening, re.MULTILINE)
    assert re.search(r"^\*\*Before:\*\* .+ \*\*Time:\*\* \d+ minutes", opening, re.MULTILINE)


@pytest.mark.parametrize("name", FURTHER)
def test_a_further_notebook_says_why(name):
    assert re.search(r"^\*\*Why:\*\* ", CELLS[name][0].source, re.MULTILINE)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_exercises(name):
    assert not [cell for cell in CELLS[name] if tags(cell) & {"exercise", "quiz"}]


@pytest.mark.parametrize("name", PATHS)
def test_there_is_one_mara(name):
    """She is 44 and lies in bed 35: the datasheets hold her biography."""
    for said in re.findall(
        r"Mara(?: Lindqvist)?\b[^.\n]{0,25}?\b(\d\d)\b", prose(CELLS[name])
    ):
        assert said in ("44", "35"), said
