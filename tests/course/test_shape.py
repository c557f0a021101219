"""The figures of the course: how long a lesson is, how short its cells, who is in it.

A lesson has at most 80 cells and 2,500 words before its exercises, a further notebook 60
cells. A cell is one assignment and its result, in six lines of 72 characters.
"""

import re
from itertools import pairwise

import nbformat
import pytest

from tests.needs import ROOT
from toolkit import datasets

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
def test_a_print_is_stored_in_one_piece(name):
    for cell in CELLS[name]:
        streams = [output.get("name") for output in cell.get("outputs", [])]
        assert not any(a == b is not None for a, b in pairwise(streams)), cell.source


# Mara Lindqvist, whose biography the datasheets hold

SHEETS = (ROOT / "data" / "DATASHEETS.md").read_text(encoding="utf-8")
BIOGRAPHY = dict(
    re.findall(
        r"^\| ([A-Za-z ]+) \| ([^|]+) \| ",
        SHEETS.split("## Mara Lindqvist")[1].split("\n## ")[0],
        re.MULTILINE,
    )
)
each_story = pytest.mark.parametrize("name", PATHS)


def test_the_tables_hold_the_biography():
    census = datasets.load_adult_with_pii().astype({"DOB": str})
    columns = {"age": "age", "sex": "sex", "ZIP": "Zip", "date of birth": "DOB"}
    columns |= {"employer": "workclass", "capital gain": "capital-gain"}
    columns |= {"occupation": "occupation", "education": "education"}
    mara = census.iloc[int(BIOGRAPHY["row of the census"])]
    for what, column in columns.items():
        assert str(mara[column]).lower() == BIOGRAPHY[what].lower(), what
    mara = datasets.load_hackathon("standin").iloc[int(BIOGRAPHY["row of the hackathon"])]
    for what, column in {"blood group": "blood_group", "eye colour": "eye_color"}.items():
        assert mara[column] == BIOGRAPHY[what]
    assert (str(mara["AGE"]), mara["gender"]) == (BIOGRAPHY["age"], "F")


PATTERNS = {
    "age": r"Mara(?: Lindqvist)?\b\W{0,4},? (?:who is )?\(?(\d\d)\b"
    r"|(?:Mrs Lindqvist|she is)(?:,? aged)? (\d\d)\b",
    "bed": r"Mara Lindqvist\*\* \(\d\d, bed (\d+)\)",
    "illness": r"Mara (?:Lindqvist )?has (?:the )?(flu|cold|hiv|ulcer|asthma|cancer)\b",
    "ZIP": r"lives in (\d{5}), and is a woman",
    "row of the census": r"^mara = (\d+)|record (\d+) of the stand-in",
    "row of the hackathon": r"^person = (\d+)  # Mara|row is (\d+) of the large",
    "capital gain": r"gain of (\d,\d{3}) dollars|Mara's gain, (\d,\d{3})",
}


def facts_about_mara(name: str) -> list[tuple[str, str]]:
    """What a notebook tells of Mara, in its text and in its code."""
    text = "\n".join(cell.source for cell in CELLS[name])
    return [
        (what, next(filter(None, match.groups())).replace(",", ""))
        for what, pattern in PATTERNS.items()
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]


@each_story
def test_there_is_one_mara(name):
    for what, value in facts_about_mara(name):
        assert value == BIOGRAPHY[what], (what, value)


def test_each_lesson_says_how_old_she_is_and_some_notebook_the_rest():
    assert all("age" in dict(facts_about_mara(name)) for name in LESSONS)
    assert {what for name in PATHS for what, _ in facts_about_mara(name)} == PATTERNS.keys()
