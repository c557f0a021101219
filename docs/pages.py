"""Fill the parts of pages that come from notebooks and numbers: `python docs/pages.py`.

`lecturers.toml` holds facts that the notebooks do not contain, and `tables.md.j2` has a macro
for each part. Numbers of works whose files are missing (PRIVACY_TOOLKIT_DATA, see
data/DATASHEETS.md) are kept unchanged.
"""

import re
import tomllib
from pathlib import Path

import nbformat

from docs.grading import worth
from docs.publish import DOCS, TEMPLATES, question
from docs.run import NOTEBOOKS, number
from tests.published import ledger

LECTURERS, REPLICATORS = DOCS / "lecturers.md", DOCS / "replicators.md"
PLAN = tomllib.loads((DOCS / "lecturers.toml").read_text(encoding="utf-8"))
FACTS = PLAN["notebook"]
LESSONS = [name for name in FACTS if name[0].isdigit()]


def read(name: str) -> nbformat.NotebookNode:
    """A notebook by its name."""
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def core(name: str) -> list[str]:
    """Headings of the core sections, which are marked ◆."""
    texts = [cell.source for cell in read(name).cells if cell.cell_type == "markdown"]
    return re.findall(r"^## ◆ (.+)", "\n".join(texts), re.MULTILINE)


def about(name: str) -> dict:
    """Facts of a notebook: from the plan, and from its cells."""
    place = number(name) if name[0].isdigit() else name.rpartition("/")[2]
    link, notebook = f"[{place}](../notebooks/{name}.ipynb)", read(name)
    points = sum(worth(notebook).values())
    title = question(notebook)
    return {**FACTS[name], "link": link, "title": title, "core": core(name), "points": points}


def tables() -> dict[str, str]:
    """The tables of the page for lecturers."""
    facts = {name: about(name) for name in FACTS}
    for week in [*PLAN["twelve"], *PLAN["six"]]:
        week["parts"] = [facts[name] for name in week["notebooks"]]
    given = {"plan": PLAN, "all_lessons": [facts[name] for name in LESSONS]}
    made = TEMPLATES.get_template("tables.md.j2").make_module(given)
    kinds = ("lessons", "mistakes", "twelve", "six", "project")
    return {kind: str(getattr(made, kind)()) for kind in kinds}


def filled(path: Path, parts: dict[str, str]) -> str:
    """Text of a page, with each part inserted between its mark and the next end mark."""
    place = r"(?s)(<!-- (\w+) -->\n).*?(<!-- end -->)"
    text = path.read_text(encoding="utf-8")
    return re.sub(place, lambda found: found[1] + parts[found[2]] + found[3], text)


def pages(rows: list[ledger.Row]) -> dict[Path, str]:
    """The pages, filled with the parts from notebooks and the ledger."""
    return {
        LECTURERS: filled(LECTURERS, tables()),
        REPLICATORS: filled(REPLICATORS, {"works": ledger.works(rows)}),
    }


if __name__ == "__main__":
    rows = ledger.ledger()
    ledger.LEDGER.write_text(ledger.as_csv(rows), encoding="utf-8")
    for path, text in pages(rows).items():
        path.write_text(text, encoding="utf-8")
