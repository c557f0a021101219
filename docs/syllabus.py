"""The syllabus: weeks, lectures, exercises and the project, written by `docs/pages.py`."""

import re
import tomllib
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from docs.grading import POINTS, exercises, worth
from docs.run import number, question

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "syllabus.md"
PREFACE = """# Syllabus

The course in twelve weeks or in six, a lecture and a lab each week. Minutes are those to read
a notebook / to work through it, as on the [page for lecturers](lecturers.md). Points are those
of all exercises of the week's notebooks. `python docs/pages.py` writes this page from
`docs/syllabus.toml` and from the notebooks, and a test compares it with them.
There is a <a href="../formulas.html">formula sheet</a> of two pages to print, on the site and
by `python3 dev.py python docs/formulas.py`.
"""
HANDING_IN = """## What is handed in

Each week the exercises of its notebooks, before the next lecture. An exercise is worth
{points}. Three quarters of a week's points count as all,
so that not everybody has to solve what is hard. A quiz has no points: it may be tried as often
as one likes. Exercises count for 60 % of the mark, the project for 40 %.

* `python3 dev.py handout 4 --nbgrader` writes a course for nbgrader into `build/nbgrader`:
  its settings, and the assignment in `source`. To grade, make an environment in the folder of
  the clone: `pip install nbgrader -e ".[lab]"`. Where a package is missing, `autograde` ends
  with an error and gives no points.
* `python3 dev.py handout 4 --otter` writes the notebook for `otter assign` into `build/otter`;
  its environment: `pip install otter-grader -e ".[lab]"`.
  For grading in a container, name a wheel of this project in the requirements; `otter run`
  needs no container.

Students see from `check` whether an answer is right, and what kind of wrong it is. Answers are
stored as hashes, which hide them from the eye only: a guess costs about four milliseconds, so
somebody who tries all numbers of four digits is done in a minute. What is said of mistakes can
be read in `data/exercises`, a property that an answer must have stands in the cell of its
check, and the clone and the site hold the solutions, folded. Where that matters, hand out the
students' copies and a wheel of this project (`uv build --wheel`) in place of the clone, and
ask in class how an answer was found.
"""
LECTURES = """## In the lecture

In 45 minutes: three minutes for the guess at the top of the notebook, written down; 30 for the
sections named here, on slides or in JupyterLab; ten for one exercise of the level *read*, in
pairs, with `check` on the screen; two to answer the title. In 90 minutes: also the sections
named second, an exercise of the level *compute* after each half, and the quiz at the end.
In a week of two notebooks, 45 minutes are for the first, and the lab begins with the second;
90 minutes are for the sections named first of both. A deck (`dev.py handout 4 --slides`) has
at most 30 slides: the sections marked ◆, and the quiz.
Before a figure ask for a prediction, run the cell, and let somebody explain the difference.
"""
PROJECT = """## The project: measure and release a table

Two people, four weeks (three in the short course). They choose an open table of at least
1,000 records and five columns, or draw one of the course's with a seed of their own; tables
of people whom somebody could look for are not used. They play the curator who is asked for it,
and hand in

1. the table that goes out, and the treatment that makes it (`python3 dev.py treat`),
2. a report of the table before and one after (`python3 dev.py report`),
3. a note for the file of two pages: who asked, attackers, roles, thresholds, treatment, what
   is lost, what was not measured, the decision. "It stays here" is a decision, too.

Another pair attacks the released table for an hour with what a neighbour would know, and says
what it found. That is not marked; what the curators answer is.

| part | points | full points if |
|---|--:|---|
"""


def plan() -> dict:
    """Weeks, lectures and marking scheme, as a person has written them down."""
    return tomllib.loads((DOCS / "syllabus.toml").read_text(encoding="utf-8"))


def read(name: str) -> NotebookNode:
    """A notebook by its name."""
    return nbformat.read(DOCS.parent / "notebooks" / f"{name}.ipynb", as_version=4)


def minutes() -> dict[str, dict]:
    """Minutes of each notebook."""
    text = (DOCS / "lecturers.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["notebook"]


def link(name: str, text: str = "") -> str:
    """Link to a notebook, by default by its number or its name."""
    place = number(name) if name[0].isdigit() else name.rpartition("/")[2]
    return f"[{text or place}](../notebooks/{name}.ipynb)"


def weeks(which: str) -> str:
    """Table of weeks."""
    times = minutes()
    lines = ["| week | topic and aim | notebooks | minutes | reading | assignment | points |"]
    lines.append("|--:|---|---|--:|---|---|--:|")
    for count, week in enumerate(plan()[which], 1):
        names = week["notebooks"]
        worths = [told for name in names if (told := worth(read(name)))]
        points = sum(sum(told.values()) for told in worths)
        told = [
            str(count),
            f"**{week['title']}.** {week['aim']}",
            ", ".join(map(link, names)),
            " / ".join(
                str(sum(times[name][key] for name in names)) for key in ("read", "work")
            ),
            "; ".join(week["reading"]),
            ", ".join(f"{[*told][0]} to {[*told][-1]}" for told in worths) or "–",
            f"{points:g}" if points else "–",
        ]
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def asked(source: str) -> str:
    """Text of an exercise up to a list, as a cell of a table, with its question."""
    text = " ".join(re.split(r"\n\s*\n", source.split(").", 1)[1])[0].split())
    words = ""
    for sentence in re.split(r"(?<=[.?!:]) (?=[A-Z`*$(\"'])", text):
        words = f"{words} {sentence}".strip()
        if len(words) > 160 and ("?" in words or len(words) > 260):
            break
    return words.rstrip(":").replace("|", "\\|")


def sections(notebook: NotebookNode) -> dict[str, list[str]]:
    """Headings before the exercises: those of the core, marked ◆, and the others."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    heads = re.findall(r"^## (.+)", "\n".join(texts), re.MULTILINE)
    heads = heads[: heads.index("In short")] if "In short" in heads else []
    core = [head.removeprefix("◆ ") for head in heads if head.startswith("◆ ")]
    return {"short": core, "long": [head for head in heads if not head.startswith("◆ ")]}


def lecture(name: str, teach: dict) -> str:
    """What to do with a notebook in a lecture, and what its exercises are for."""
    notebook, times = read(name), minutes()[name]
    title = f"{number(name)}. " * name[0].isdigit() + question(notebook)
    lines = [
        f"### {title}",
        "",
        f"{link(name, 'Notebook')}, {times['read']} / {times['work']}",
    ]
    lines[-1] += " minutes."
    for length, key in (("45 minutes", "short"), ("90 minutes, also", "long")):
        parts = "; ".join(f"*{part}*" for part in teach.get(key) or sections(notebook)[key])
        lines += [*[""] * (key == "short"), f"* **{length}:** {parts}"]
    lines += ["", "What students often think, and what to ask them:", ""]
    lines += [f"* {thought} *{ask}*" for thought, ask in teach["mistakes"]]
    if found := exercises(notebook):
        start = number(name)
        lines += ["", "| aim | exercises |", "|---|---|"]
        lines += [
            f"| {aim} | {', '.join(f'{start}.{n}' for n in numbers)} |"
            for aim, numbers in teach["aims"]
        ]
        lines += ["", "| exercise | level | points | what is asked |", "|---|---|--:|---|"]
        lines += [
            f"| {each.number} | {each.level} | {each.points(POINTS):g} "
            f"| {asked(each.question.source)} |"
            for each in found
        ]
    return "\n".join(lines) + "\n"


def syllabus() -> str:
    """The page."""
    facts = plan()
    worths = ", ".join(f"{points} (*{level}*)" for level, points in POINTS.items())
    parts = [PREFACE, "## Twelve weeks\n", weeks("twelve"), "## Six weeks\n", weeks("six")]
    parts += [HANDING_IN.format(points=f"{worths} points"), LECTURES]
    parts += [lecture(name, teach) for name, teach in facts["teach"].items()]
    marks = [
        f"| {one['part']} | {one['points']} | {one['full']} |" for one in facts["project"]
    ]
    total = sum(one["points"] for one in facts["project"])
    parts.append(PROJECT + "\n".join([*marks, f"| **together** | **{total}** | |"]) + "\n")
    return "\n".join(parts)
