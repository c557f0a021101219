"""Fill the parts of pages that come from notebooks and numbers: `python docs/pages.py`.

`lecturers.toml` holds facts that the notebooks do not contain. Numbers of works whose files
are missing (PRIVACY_TOOLKIT_DATA, see data/DATASHEETS.md) are kept unchanged.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from docs.grading import worth
from docs.publish import question
from docs.run import NOTEBOOKS, ROOT, number
from tests.published import ledger

DOCS = ROOT / "docs"
LECTURERS, REPLICATORS = DOCS / "lecturers.md", DOCS / "replicators.md"
PLAN = tomllib.loads((DOCS / "lecturers.toml").read_text(encoding="utf-8"))
FACTS = PLAN["notebook"]
LESSONS = [name for name in FACTS if name[0].isdigit()]


def read(name: str) -> NotebookNode:
    """A notebook by its name."""
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def link(name: str) -> str:
    """Link to a notebook by its number or its name."""
    place = number(name) if name[0].isdigit() else name.rpartition("/")[2]
    return f"[{place}](../notebooks/{name}.ipynb)"


def core(name: str) -> list[str]:
    """Headings of the core sections, which are marked ◆."""
    texts = [cell.source for cell in read(name).cells if cell.cell_type == "markdown"]
    return re.findall(r"^## ◆ (.+)", "\n".join(texts), re.MULTILINE)


def table(heads: str, align: str, rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    lines = [heads.split("; "), align.split(), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def week(count: int, facts: dict) -> list[object]:
    """Cells of a week in a plan: its notebooks, their minutes and points."""
    names = facts["notebooks"]
    minutes = (str(sum(FACTS[name][key] for name in names)) for key in ("read", "work"))
    points = sum(sum(worth(read(name)).values()) for name in names)
    cells = [count, facts["title"], ", ".join(map(link, names)), " / ".join(minutes)]
    return [*cells, f"{points:g}" if points else "–", facts.get("reading", "")]


def tables() -> dict[str, str]:
    """The tables of the page for lecturers."""
    lessons = [(f"{link(n)} {question(read(n))}", "; ".join(core(n))) for n in LESSONS]
    mistakes = [(link(name), *pair) for name in LESSONS for pair in FACTS[name]["think"]]
    twelve = [week(count, facts) for count, facts in enumerate(PLAN["twelve"], 1)]
    six = [week(count, facts)[:-1] for count, facts in enumerate(PLAN["six"], 1)]
    project = [part.values() for part in PLAN["project"]]
    heads = "; topic; notebooks; minutes; points"
    return {
        "lessons": table("lesson; 45 minutes: sections ◆", "--- ---", lessons),
        "mistakes": table("; they say; ask them", "--: --- ---", mistakes),
        "twelve": table(f"{heads}; reading", "--: --- --- --: --: ---", twelve),
        "six": table(heads, "--: --- --- --: --:", six),
        "project": table("part; points; full points for", "--- --: ---", project),
    }


def filled(path: Path, parts: dict[str, str]) -> str:
    """Text of a page, with each part inserted between its mark and the next end mark."""
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", re.DOTALL)
        assert place.search(text), f"{path.name} has no part {name}"
        text = place.sub(lambda _, part=part: part, text, count=1)
    return text


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
