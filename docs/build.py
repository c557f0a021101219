"""Build the static site into build/site; `python3 dev.py site` calls this file.

Pages show the notebooks as they are stored. Formulas are MathML. Explorers with few settings
work without a kernel: `frames.py` draws their frames in advance, which takes minutes. With
names of notebooks, such as 01, only these are drawn. Pages open from file:// and send no
request.
"""

import re
import shutil
import sys
from pathlib import Path
from pkgutil import resolve_name

import nbformat
from nbformat import NotebookNode
from sphinx.cmd.build import build_main

from docs import frames
from docs.publish import DOCS, TEMPLATES, VIEW, is_tagged, mended, still, with_html
from docs.run import PROJECT, ROOT, chosen, notebooks, number, write

SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
FOLDED = ("solution", "claims", "imports", "test")


def link(found: re.Match[str]) -> str:
    """Name of a function as a link to the reference."""
    thing = resolve_name(found[0].strip("`"))
    return f"{{py:obj}}`{found[1]} <{thing.__module__}.{thing.__qualname__}>`"


CHANGES = (  # of pages: what is written there, and what on the site
    ("index.md", r"\.\./", ""),
    ("index.md", r"\]\(pictures/", "](docs/pictures/"),
    ("docs/sources.md", r"`toolkit\.([\w.]+)`", link),
    ("docs/comparison.md", r"(?<=\()\.\./tests/", f"{PROJECT['urls']['Release']}/tests/"),
)


def reference() -> None:
    """Write a page for each subpackage, with its modules and names, and an overview."""
    rooms: dict[str, list[str]] = {}
    for path in sorted((ROOT / "toolkit").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if not re.search(r"^toolkit\._|__init__$", name):
            rooms.setdefault(name.split(".")[1], []).append(name)
    pages = {f"api-{room}": ("reference", room) for room in rooms} | {"api": ("api", "")}
    for page, (name, room) in pages.items():
        text = TEMPLATES.get_template(f"{name}.rst.j2").render(rooms=rooms, room=room)
        write(SOURCES / f"{page}.rst", text)


def for_the_site(notebook: NotebookNode, place: Path, drawn: dict) -> NotebookNode:
    """Copy of a notebook at a place of the site, for MyST-NB.

    Lessons get their numbers, figures their alternative texts, and widgets become figures.
    Cells that are hidden in JupyterLab are folded.
    """
    root = "../" * (len(place.parts) - 1)

    def figure(cell: NotebookNode, data: dict) -> str:
        facts = {"still": still(cell, data), "drawn": drawn.get(cell.id), "root": root}
        return TEMPLATES.get_template("frames.html.j2").render(facts) if VIEW in data else ""

    copy = with_html(notebook, figure)
    for cell in copy.cells:
        alt = {"alt": cell.metadata.get("alt", "Figure")}
        about = cell.metadata.setdefault("mystnb", {"image": alt})
        fold = next((tag.capitalize() for tag in FOLDED if is_tagged(cell, tag)), None)
        if fold and cell.cell_type == "code":
            cell.metadata.tags.append("hide-cell")
            about |= {"code_prompt_show": fold, "code_prompt_hide": fold}
        elif fold:
            summary = f'<details class="hide">\n<summary>{fold}</summary>'
            cell.source = f"{summary}\n\n{cell.source}\n\n</details>"
    first = copy.cells[0]
    first.source = re.sub(r"(?s)<style>.*?</style>", "", first.source)
    if place.stem[0].isdigit():
        first.source = first.source.replace("# ", f"# {number(place.stem)}. ", 1)
    return copy


def gather(names: list[str], most: int) -> None:
    """Copy pages and notebooks into one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.move(SOURCES / "docs" / "index.md", SOURCES)
    for name in ("CHANGELOG.md", "data/DATASHEETS.md"):
        write(SOURCES / name, (ROOT / name).read_text("utf-8"))
    for name, pattern, instead in CHANGES:
        page = SOURCES / name
        page.write_text(re.sub(pattern, instead, page.read_text("utf-8")), encoding="utf-8")
    drawn = frames.draw_all(chosen(names), SOURCES / "as-they-are" / "_frames", most)
    for path in notebooks():
        place, notebook = path.relative_to(ROOT), nbformat.read(path, as_version=4)
        made = for_the_site(notebook, place, drawn.get(path, {}))
        write(SOURCES / place, nbformat.writes(made))
    reference()


def main(names: list[str], most: int = frames.MOST) -> int:
    """Build the site, with at most so many settings of a figure; warnings count as errors."""
    gather(names, most)
    shutil.rmtree(SITE, ignore_errors=True)
    options = ["-b", "html", "-q", "-j", "2", "-W", "--keep-going", "-E", "-d", str(CACHE)]
    if code := build_main([*options, "-c", str(DOCS), str(SOURCES), str(SITE)]):
        return code
    for path in SITE.rglob("*.html"):
        path.write_text(mended(path.read_text("utf-8")), encoding="utf-8")
    for path in notebooks():  # for download, unchanged
        shutil.copy(path, SITE / "_sources" / path.relative_to(ROOT))
    print(f"Pages: {(SITE / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
