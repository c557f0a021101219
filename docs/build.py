"""Build the static site into build/site; `python3 dev.py site` calls this file.

Pages show the notebooks as they are stored. Formulas are MathML. Explorers with few settings
work without a kernel: `frames.py` draws their frames in advance, which takes minutes the first
time. With names of notebooks, such as 01, only these are drawn. Pages open from file:// and
send no request.
"""

import importlib
import inspect
import json
import re
import shutil
import sys
from operator import attrgetter

import nbformat
from jinja2 import Template
from nbformat import NotebookNode
from sphinx.cmd.build import build_main

import toolkit.datasets
import toolkit.plots
import toolkit.widgets
from docs import frames
from docs.publish import VIEW, legible
from docs.run import ROOT, chosen, notebooks, number

DOCS = ROOT / "docs"
SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
MENDED = {  # HTML of Sphinx and its theme, and the replacement that a screen reader can follow
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
    '<summary><span class="toctree-toggle"': '<summary aria-label="Pages below"><span '
    'class="toctree-toggle"',
    '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="complementary" '
    'aria-label="Pages of the site"',
}
FOLDED = {
    "solution": "Solution",
    "claims": "What is asserted here",
    "imports": "Imports",
    "test": "A test of this page",
}
FIRST = ROOT / "notebooks" / "01-cell-information-gain.ipynb"  # also on the front page


# The reference


def summary(name: str) -> str:
    """First paragraph of a module, on one line."""
    text = inspect.getdoc(importlib.import_module(name)) or ""
    return " ".join(text.split("\n\n")[0].split())


def public(module) -> dict[str, str]:
    """Names that a module documents, each with its kind: function or class."""
    flat = {*toolkit.__all__, *toolkit.plots.__all__, *toolkit.widgets.__all__}
    return {
        name: "class" if inspect.isclass(thing) else "function"
        for name, thing in vars(module).items()
        if callable(thing) and getattr(thing, "__module__", "") == module.__name__
        if name in flat or name[0] != "_" and "\n---" in (inspect.getdoc(thing) or "")
    }


def reference() -> None:
    """Write a page for each subpackage, with its modules and names, and an overview."""
    rooms: dict[str, dict] = {}
    for path in sorted((ROOT / "toolkit").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[1][0] != "_" and parts[-1] != "__init__":
            name = ".".join(parts)
            rooms.setdefault(parts[1], {})[name] = public(importlib.import_module(name))
    one, all_of_them = (
        Template((DOCS / f"{name}.rst.j2").read_text("utf-8")) for name in ("reference", "api")
    )
    for room, modules in rooms.items():
        rooms[room] = modules = {name: names for name, names in modules.items() if names}
        (SOURCES / f"api-{room}.rst").write_text(one.render(room=room, modules=modules))
    (SOURCES / "api.rst").write_text(all_of_them.render(rooms=rooms, summary=summary))


def link(found: re.Match[str]) -> str:
    """Name of a function as a link to the reference."""
    thing = attrgetter(found[1])(toolkit)
    place = f"../api-{thing.__module__.split('.')[1]}.html"
    place += f"#{thing.__module__}.{thing.__qualname__}"
    return f'<a href="{place}"><code>{found[1]}</code></a>'


# The site


def for_the_site(notebook: NotebookNode, name: str, drawn: dict, root: str) -> list[str]:
    """Prepare a notebook for MyST-NB, and return the HTML of its interactive figures.

    Lessons get their numbers, figures their alternative texts, and widgets become figures.
    Cells that are hidden in JupyterLab are folded.
    """
    notebook.metadata.pop("widgets", None)
    moving = []
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
                shown = frames.figure(output.data, drawn.get(str(place)), root)
                moving += [shown] if drawn.get(str(place)) else []
                output.data = NotebookNode({"text/html": shown})
    first = notebook.cells[0]
    first.source = re.sub(r"(?s)<style>.*?</style>", "", first.source)
    if name[0].isdigit():
        first.source = first.source.replace("# ", f"# {number(name)}. ", 1)
    return moving


def gather(names: list[str], most: int) -> None:
    """Copy pages, notebooks and scripts into one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    as_they_are = SOURCES / "as-they-are"
    shutil.copytree(
        ROOT / "tests",
        as_they_are / "tests",
        ignore=lambda _, names: [one for one in names if re.search(r"\.(?!py$)|__", one)],
    )
    (SOURCES / "data").mkdir()
    for name in ("docs/conf.py", "CHANGELOG.md", "data/DATASHEETS.md"):
        shutil.copy(ROOT / name, SOURCES / name.removeprefix("docs/"))
    folders = frames.draw_all(chosen(names), most)
    front = (DOCS / "index.md").read_text("utf-8").replace("../", "")
    for path in notebooks():
        drawn, place = {}, path.relative_to(ROOT)
        if folder := folders.get(path):
            drawn = json.loads((folder / "frames.json").read_text("utf-8"))
            pictures = shutil.ignore_patterns("*.json")
            shutil.copytree(
                folder, as_they_are / "_frames", ignore=pictures, dirs_exist_ok=True
            )
        notebook = nbformat.read(path, as_version=4)
        root = "../" * (len(place.parts) - 1)
        moving = for_the_site(notebook, path.stem, drawn, root)
        if path == FIRST and moving:
            figure = moving[0].replace(root, "")
            front = re.sub(r"\[!\[.*explorer\.gif.*", lambda _, figure=figure: figure, front)
        (SOURCES / place).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, SOURCES / place)
    front = front.replace("](pictures/", "](docs/pictures/")
    (SOURCES / "index.md").write_text(front, encoding="utf-8")
    tested = r'\[yes\]\((\.\./tests/\w+/\w+\.py) "(\w+)"\)'  # Sphinx would drop the name
    for name, pattern, instead in (
        ("sources", r"`toolkit\.([\w.]+)`", link),
        ("comparison", tested, r'<a href="\1" title="\2">yes</a>'),
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
