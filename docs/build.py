"""Build the static site into build/site; `python3 dev.py site` calls this file.

Pages show the notebooks as they are stored. Formulas are MathML. Explorers with few settings
work without a kernel: `frames.py` draws their frames in advance, which takes minutes. With
names of notebooks, such as 01, only these are drawn. Pages open from file:// and send no
request.
"""

import re
import shutil
import sys
import tomllib
from operator import attrgetter

import nbformat
from jinja2 import Template
from nbformat import NotebookNode
from sphinx.cmd.build import build_main

import toolkit.datasets
import toolkit.plots
from docs import frames
from docs.publish import VIEW, legible
from docs.run import ROOT, chosen, notebooks, number

DOCS = ROOT / "docs"
SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
MENDED = {  # HTML of Sphinx and its theme, and the replacement that a screen reader can follow
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
    '<summary><span class="toctree': '<summary aria-label="Pages below"><span class="toctree',
    '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="complementary" '
    'aria-label="Pages of the site"',
}
FOLDED = {"solution": "Solution", "claims": "Claims", "imports": "Imports", "test": "Test"}


# The reference


def reference() -> None:
    """Write a page for each subpackage, with its modules and names, and an overview."""
    rooms: dict[str, list[str]] = {}
    for path in sorted((ROOT / "toolkit").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if not re.search(r"^toolkit\._|__init__$", name):
            rooms.setdefault(name.split(".")[1], []).append(name)
    pages = {f"api-{room}": ("reference", room) for room in rooms} | {"api": ("api", "")}
    for page, (name, room) in pages.items():
        template = Template((DOCS / f"{name}.rst.j2").read_text("utf-8"))
        (SOURCES / f"{page}.rst").write_text(template.render(rooms=rooms, room=room))


def link(found: re.Match[str]) -> str:
    """Name of a function as a link to the reference."""
    thing = attrgetter(found[1])(toolkit)
    return f"{{py:obj}}`{found[1]} <{thing.__module__}.{thing.__qualname__}>`"


# The site


def for_the_site(notebook: NotebookNode, name: str, drawn: dict, root: str) -> None:
    """Prepare a notebook for MyST-NB.

    Lessons get their numbers, figures their alternative texts, and widgets become figures.
    Cells that are hidden in JupyterLab are folded.
    """
    notebook.metadata.pop("widgets", None)
    for place, cell in enumerate(notebook.cells):
        about = cell.metadata.setdefault("mystnb", {})
        if "alt" in cell.metadata:
            about["image"] = {"alt": cell.metadata.alt}
        tags = cell.metadata.get("tags", [])
        fold = next((FOLDED[tag] for tag in tags if tag in FOLDED), None)
        if fold and cell.cell_type == "code":
            cell.metadata.tags = [*tags, "hide-cell"]
            about |= {"code_prompt_show": fold, "code_prompt_hide": fold}
        elif fold:
            summary = f'<details class="hide">\n<summary>{fold}</summary>'
            cell.source = f"{summary}\n\n{cell.source}\n\n</details>"
        for output in cell.get("outputs", []):
            if VIEW in output.get("data", {}):
                shown = frames.figure(output.data, drawn.get(place), root)
                output.data = NotebookNode({"text/html": shown})
    first = notebook.cells[0]
    first.source = re.sub(r"(?s)<style>.*?</style>", "", first.source)
    if name[0].isdigit():
        first.source = first.source.replace("# ", f"# {number(name)}. ", 1)


def gather(names: list[str], most: int) -> None:
    """Copy pages and notebooks into one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    (SOURCES / "data").mkdir()
    for name in ("docs/conf.py", "CHANGELOG.md", "data/DATASHEETS.md"):
        shutil.copy(ROOT / name, SOURCES / name.removeprefix("docs/"))
    drawn = frames.draw_all(chosen(names), SOURCES / "as-they-are" / "_frames", most)
    for path in notebooks():
        place, notebook = path.relative_to(ROOT), nbformat.read(path, as_version=4)
        root = "../" * (len(place.parts) - 1)
        for_the_site(notebook, path.stem, drawn.get(path, {}), root)
        (SOURCES / place).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, SOURCES / place)
    front = (DOCS / "index.md").read_text("utf-8").replace("../", "")
    front = front.replace("](pictures/", "](docs/pictures/")
    (SOURCES / "index.md").write_text(front, encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    tests = f"{settings['project']['urls']['Release']}/tests/"
    for name, pattern, instead in (
        ("sources", r"`toolkit\.([\w.]+)`", link),
        ("comparison", r"(?<=\()\.\./tests/", tests),
    ):
        page = SOURCES / "docs" / f"{name}.md"
        page.write_text(re.sub(pattern, instead, page.read_text("utf-8")), encoding="utf-8")
    reference()


def mend() -> None:
    """Make the pages accessible to readers with impaired vision."""
    for path in SITE.rglob("*.html"):
        text = legible(path.read_text(encoding="utf-8"))
        for written, better in MENDED.items():
            text = text.replace(written, better)
        path.write_text(text, encoding="utf-8")
    for path in notebooks():  # for download, unchanged
        shutil.copy(path, SITE / "_sources" / path.relative_to(ROOT))


def main(names: list[str], most: int = frames.MOST) -> int:
    """Build the site, with at most so many settings of a figure; warnings count as errors."""
    gather(names, most)
    for folder in (SITE, CACHE):
        shutil.rmtree(folder, ignore_errors=True)
    options = ["-b", "html", "-q", "-j", "2", "-W", "--keep-going", "-d", str(CACHE)]
    code = build_main([*options, str(SOURCES), str(SITE)])
    if not code:
        mend()
        print(f"Pages: {(SITE / 'index.html').relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
