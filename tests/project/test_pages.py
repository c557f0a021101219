"""Pages beside the notebooks agree with notebooks and tests, so that they cannot drift."""

import ast
import re
import subprocess
import sys

import pandas as pd
import pytest
from papermill import inspect_notebook
from PIL import Image

import dev
from docs import grading, pages
from docs.run import name_of, notebooks
from tests.needs import ROOT
from tests.published import ledger

README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted(map(name_of, notebooks()))
PLAN, LESSONS = pages.PLAN, pages.LESSONS
LECTURERS = pages.LECTURERS.read_text(encoding="utf-8")
COMPARISON = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").glob("*.md"))


def test_pages_are_what_the_notebooks_and_the_ledger_say():
    for path, text in pages.pages(ledger.read()).items():
        assert path.read_text(encoding="utf-8") == text, "run `python docs/pages.py`"


def test_the_pages_and_the_site_are_made_with_what_their_tasks_install():
    names = [path.stem for path in (ROOT / "docs").glob("*.py")]
    names.remove("conf")
    blocked = "import sys; sys.modules |= dict.fromkeys(['pytest', 'hypothesis', 'polars'])\n"
    code = blocked + "\n".join(f"import docs.{name}" for name in names)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert "build" in names and done.returncode == 0, done.stderr


@pytest.mark.parametrize("weeks", ["twelve", "six"])
def test_weeks_are_in_the_order_in_which_notebooks_need_each_other(weeks):
    names = [name for week in PLAN[weeks] for name in week["notebooks"]]
    assert len(PLAN[weeks]) == {"twelve": 12, "six": 6}[weeks]
    assert len({*names}) == len(names) and {*names} <= {*NOTEBOOKS} == {*PLAN["notebook"]}
    assert weeks == "six" or sorted(names) == NOTEBOOKS, "write it into docs/lecturers.toml"
    for name in names:
        needs = PLAN["notebook"][name].get("needs", [])
        assert all(names.index(other) <= names.index(name) for other in needs)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_minutes_are_those_that_the_notebook_and_the_start_page_state(name):
    read, work = (PLAN["notebook"][name][time] for time in ("read", "work"))
    first = pages.read(name).cells[0].source
    assert set(map(int, re.findall(r"(\d+)\s+minutes", first))) <= {read, work}
    start = "\n".join(cell.source for cell in pages.read("index").cells)
    row = rf"^\| \[[^]]+\]\({name}\.ipynb\).*\| (\d+ / \d+) \|$"
    shown = re.findall(row, start, flags=re.MULTILINE)
    assert shown == [f"{read} / {work}"] or name == "index"


def test_the_readme_has_the_question_and_the_minutes_of_each_lesson():
    row = r"^\| (?:★\s)?\[(\d+)\]\(notebooks/(.+)\.ipynb\) \| (.+) \| .+ \| (\d+)/(\d+) \|$"
    rows = re.findall(row, README, flags=re.MULTILINE)
    for place, (count, name, question, *minutes) in enumerate(rows, 1):
        facts = PLAN["notebook"][name]
        assert int(count) == place and question == pages.question(pages.read(name))
        assert [*map(int, minutes)] == [facts["read"], facts["work"]]
    assert (
        [name for _, name, *_ in rows] == LESSONS == [n for n in NOTEBOOKS if n[0].isdigit()]
    )
    assert re.findall(r"^\| ★\s\[(\d+)\]", README, flags=re.M) == ["1", "2", "4", "7", "10"]


def test_the_readme_is_short_and_its_lines_for_the_tests_are_right():
    assert len(README.split()) <= 800
    words = re.search(r"^\S*papermill (.+)\.ipynb \S+ -p (\w+) (\d+)$", README, flags=re.M)
    asked = inspect_notebook(pages.read(words[1].removeprefix("notebooks/")))
    said = asked[words[2]]["help"]
    assert words[3] in re.findall(r"\d+", said.partition("try ")[2]), "a value that is tried"


def test_sizes_of_downloads_are_those_that_the_tasks_state():
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    beyond = sum(dev.MEGABYTES[extra] for extra in {*dev.TASKS["test"][1]} - {"lab"})
    for size in (dev.MEGABYTES["lab"], beyond):
        assert f" {round(size, -1)} MB" in front
    pages_with_sizes = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for extra in re.findall(r"install (\w+)`[, ]+\(?(\d+) MB", pages_with_sizes):
        assert dev.MEGABYTES[extra[0]] == int(extra[1])


def test_a_lesson_has_a_core_and_a_question_for_what_students_think():
    for name in LESSONS:
        assert len(pages.core(name)) >= 4
        assert all(ask.endswith(("?", ".")) for _, ask in PLAN["notebook"][name]["think"])


def test_points_are_those_of_the_exercises_and_add_up():
    told = ", ".join(f"*{level}* {points}" for level, points in grading.POINTS.items())
    assert f"Points: {told}." in LECTURERS
    assert sum(part["points"] for part in PLAN["project"]) == 100


def test_pictures_are_small_and_wide_enough_to_be_read():
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((?:docs/)?pictures/([^)]+)\)", README + front))
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert {path.name for path in pictures} == shown
    for path in pictures:
        moves = path.suffix == ".gif"
        with Image.open(path) as image:
            assert image.width >= (800 if moves else 1280)
        most = 1_500_000 if moves else 150_000
        assert path.stat().st_size < most


# What the toolkit has beside others


def named_tests(text: str) -> list[tuple[str, str]]:
    """File and name of each test that a page links to."""
    return re.findall(r'\[yes\]\(\.\./(tests/\w+/\w+\.py) "(\w+)"\)', text)


def test_every_test_that_the_comparison_names_exists():
    named = named_tests(COMPARISON)
    assert len(named) > 20
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert test.startswith("test_") and test in functions, f"{file} has no {test}"


def test_every_line_of_the_comparison_says_how_it_is_shown():
    table = [line.split(" | ") for line in COMPARISON.splitlines() if line.startswith("| ")]
    ours = [cells[1] for cells in table if cells[1] != "here"]
    assert len(ours) > 20
    assert all(named_tests(cell) for cell in ours if cell != "no")


def test_the_example_of_large_tables_runs(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "large-tables.md").read_text(encoding="utf-8")
    people = pd.DataFrame(
        {"person_id": [1, 2], "age": 30, "sex": "f", "zip": 1, "illness": "flu"}
    )
    (tmp_path / "people").mkdir()
    people.to_parquet(tmp_path / "people" / "part.parquet")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"^```python\n(.*?)^```", text, flags=re.M | re.S)[1], {})
    assert pd.read_parquet("sizes.parquet")["records"].tolist() == [2, 2]


def test_pages_are_short():
    words = {path.stem: len(path.read_text(encoding="utf-8").split()) for path in PAGES}
    assert sum(words.values()) <= 12_000
    assert max(words[name] for name in ("benchmarks", "comparison")) <= 900
