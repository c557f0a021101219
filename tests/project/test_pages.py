"""Pages beside the notebooks agree with notebooks and tests, so that they cannot drift."""

import ast
import re
import subprocess
import sys

import pytest
from PIL import Image

import dev
from docs import grading, pages, run, syllabus
from docs.run import name_of, notebooks
from tests.needs import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted(map(name_of, notebooks()))
PLAN = pages.plan()
COMPARISON = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def test_the_page_for_lecturers_is_what_the_notebooks_say():
    assert pages.LECTURERS.read_text(encoding="utf-8") == pages.lecturers(), (
        "run `python docs/pages.py`"
    )


def test_the_page_of_modules_is_what_they_say_and_lacks_no_room():
    assert pages.MODULES.read_text(encoding="utf-8") == pages.modules(), (
        "run `python docs/pages.py`"
    )
    package = ROOT / "toolkit"
    public = [path for path in package.rglob("*.py") if not path.stem.startswith("_")]
    told = re.findall(r"^\| \**`(toolkit\.[\w.]+)`", pages.modules(), flags=re.MULTILINE)
    paths = {
        "toolkit." + ".".join(path.relative_to(package).with_suffix("").parts)
        for path in public
    }
    assert paths <= set(told), "write the room into docs/pages.py"


def test_the_pages_and_the_site_are_made_with_what_their_tasks_install():
    names = [path.stem for path in (ROOT / "docs").glob("*.py")]
    names = [name for name in names if name not in ("conf", "screenshots")]
    blocked = "import sys; sys.modules |= dict.fromkeys(['pytest', 'hypothesis', 'polars'])\n"
    code = blocked + "\n".join(f"import docs.{name}" for name in names)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True)
    assert "build" in names and done.returncode == 0, done.stderr


def test_every_notebook_is_planned_and_belongs_to_one_lecture():
    lectures = [name for lecture in PLAN["lecture"] for name in lecture["notebooks"]]
    assert sorted(lectures) == sorted(PLAN["notebook"]) == NOTEBOOKS, (
        "write it into docs/lecturers.toml, and run `python docs/pages.py`"
    )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_minutes_are_those_that_the_notebook_and_the_start_page_state(name):
    read, work = (PLAN["notebook"][name][time] for time in ("read", "work"))
    first = syllabus.read(name).cells[0].source
    assert set(map(int, re.findall(r"(\d+)\s+minutes", first))) <= {read, work}
    start = "\n".join(cell.source for cell in syllabus.read("index").cells)
    row = rf"^\| \[[^]]+\]\({name}\.ipynb\).*\| (\d+ / \d+) \|$"
    shown = re.findall(row, start, flags=re.MULTILINE)
    assert shown == [f"{read} / {work}"] or name == "index"


LESSONS = [name for name in NOTEBOOKS if name[0].isdigit()]


def test_the_readme_has_the_question_and_the_minutes_of_each_lesson():
    row = r"^\| (?:★\s)?\[(\d+)\]\(notebooks/(.+)\.ipynb\) \| (.+) \| .+ \| (\d+)/(\d+) \|$"
    rows = re.findall(row, README, flags=re.MULTILINE)
    for place, (count, name, question, *minutes) in enumerate(rows, 1):
        facts = PLAN["notebook"][name]
        assert int(count) == place and question == run.question(syllabus.read(name))
        assert [*map(int, minutes)] == [facts["read"], facts["work"]]
    assert [name for _, name, *_ in rows] == LESSONS
    assert re.findall(r"^\| ★\s\[(\d+)\]", README, flags=re.M) == ["1", "2", "4", "7", "10"]


def test_the_readme_is_short_and_its_lines_for_the_tests_are_right():
    assert len(README.split()) <= 800
    words = re.search(r"^\S*papermill (.+)\.ipynb \S+ -p (\w+) (\d+)$", README, flags=re.M)
    parameter = run.remarks(syllabus.read(words[1].removeprefix("notebooks/")))[words[2]]
    assert words[3] in re.findall(r"\d+", parameter.partition("try ")[2]), (
        "a value that is tried"
    )


def test_sizes_of_downloads_are_those_that_the_tasks_state():
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    beyond = sum(dev.MEGABYTES[extra] for extra in {*dev.TASKS["test"][1]} - {"lab"})
    for size in (dev.MEGABYTES["lab"], beyond):
        assert f" {size} MB" in front
    for extra in re.findall(r"install (\w+)` \((\d+) MB\)", front):
        assert dev.MEGABYTES[extra[0]] == int(extra[1])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_needed_before_comes_before(name):
    needs = PLAN["notebook"][name].get("needs", [])
    lectures = [name for lecture in PLAN["lecture"] for name in lecture["notebooks"]]
    assert all(lectures.index(other) < lectures.index(name) for other in needs)


# The syllabus


SYLLABUS = syllabus.plan()
PAGE = syllabus.syllabus()


def order(exercise: str) -> int:
    """Place of an exercise in its notebook."""
    return int(exercise.split(".")[1])


def headings(name: str) -> set[str]:
    """Headings of a notebook."""
    cells = syllabus.read(name).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return set(re.findall(r"^#+ (?:◆ )?(.+)$", "\n".join(texts), flags=re.MULTILINE))


def test_the_syllabus_is_what_the_notebooks_say():
    assert syllabus.PAGE.read_text(encoding="utf-8") == PAGE, "run `python docs/pages.py`"


@pytest.mark.parametrize("weeks", ["twelve", "six"])
def test_weeks_are_in_the_order_in_which_notebooks_need_each_other(weeks):
    names = [name for week in SYLLABUS[weeks] for name in week["notebooks"]]
    assert len(SYLLABUS[weeks]) == {"twelve": 12, "six": 6}[weeks]
    assert len(set(names)) == len(names) and set(names) <= set(NOTEBOOKS)
    assert weeks == "six" or sorted(names) == NOTEBOOKS, "write it into docs/syllabus.toml"
    for name in names:
        needs = PLAN["notebook"][name].get("needs", [])
        assert all(names.index(other) <= names.index(name) for other in needs)
    assert all(week["title"] and week["aim"] and week["reading"] for week in SYLLABUS[weeks])


@pytest.mark.parametrize("weeks", ["twelve", "six"])
def test_minutes_of_a_week_are_those_of_its_notebooks(weeks):
    rows = [line for line in PAGE.splitlines() if re.match(r"\| \d+ \| \*\*", line)]
    rows = rows[:12] if weeks == "twelve" else rows[12:]
    for row, week in zip(rows, SYLLABUS[weeks], strict=True):
        read, work = map(int, re.search(r"\| (\d+) / (\d+) \|", row).groups())
        facts = [PLAN["notebook"][name] for name in week["notebooks"]]
        worth = [
            told for name in week["notebooks"] if (told := grading.worth(syllabus.read(name)))
        ]
        assigned = ", ".join(
            f"{min(told, key=order)} to {max(told, key=order)}" for told in worth
        )
        assert row.endswith(f"| {assigned} | {sum(sum(told.values()) for told in worth)} |")
        assert (read, work) == tuple(sum(one[t] for one in facts) for t in ("read", "work"))
        assert read <= 120 and work <= 270, "what can be read and worked through in a week"


def test_a_lecture_names_sections_that_are_there():
    taught = {name for name in NOTEBOOKS if grading.exercises(syllabus.read(name))}
    assert set(SYLLABUS["teach"]) == taught, "write it into docs/syllabus.toml"
    for name, teach in SYLLABUS["teach"].items():
        missing = {*teach["short"], *teach["long"]} - headings(name)
        assert not missing, f"{name} has no section {missing}"
        assert len(teach["mistakes"]) >= 2
        assert all(ask.endswith(("?", ".")) for _, ask in teach["mistakes"])


def test_exercises_and_points_on_the_syllabus_are_those_of_the_notebooks():
    told = re.findall(r"^\| ((?:\d+|[A-Z])\.\d+) \| \w+ \| (\d+) \|", PAGE, flags=re.MULTILINE)
    worth = [grading.worth(syllabus.read(name)) for name in SYLLABUS["teach"]]
    assert [(n, int(p)) for n, p in told] == [each for one in worth for each in one.items()]
    assert len({number for number, _ in told}) == len(told), "no two have one number"


@pytest.mark.parametrize("name", SYLLABUS["teach"])
def test_each_exercise_serves_one_aim(name):
    there = [int(number.split(".")[1]) for number in grading.worth(syllabus.read(name))]
    aims = SYLLABUS["teach"][name]["aims"]
    served = sorted(n for _, numbers in aims for n in numbers)
    assert len(set(served)) == len(served) and len(aims) >= 2
    assert not there or served == there, "write it into docs/syllabus.toml"


def test_the_project_has_the_weeks_that_it_is_said_to_have():
    assert "Two people, four weeks (three in the short course)." in PAGE
    for weeks, length in (("twelve", 4), ("six", 3)):
        titles = [week["title"] for week in SYLLABUS[weeks]]
        (begins,) = (place for place, title in enumerate(titles) if "project begins" in title)
        assert "projects are presented" in titles[-1] and len(titles) - 1 - begins == length


def test_the_parts_of_the_project_are_marked_by_a_hundred_points():
    assert sum(one["points"] for one in SYLLABUS["project"]) == 100
    assert "| **together** | **100** | |" in PAGE


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
        assert path.stat().st_size < most, "run `python docs/screenshots.py`"


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
    table = [line for line in COMPARISON.splitlines() if line.startswith("| ")]
    rows = [line for line in table if not line.startswith("| what")]
    ours = [line.split(" | ")[1] for line in rows if line.count(" | ") == 6]
    assert len(ours) > 20
    assert all(named_tests(cell) for cell in ours if cell != "no")
