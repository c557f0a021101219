"""Build the static site into build/site; `python3 dev.py site` calls this file.

Nothing is executed and nothing is fetched: the notebooks are shown as they are stored,
formulas are MathML, and widgets are drawn by the script that the package widgetsnbextension, a
part of ipywidgets, has installed. The pages open from file:// and send no request anywhere.
"""

import importlib
import inspect
import json
import re
import shutil
import sys
from importlib.metadata import distribution
from operator import attrgetter
from pathlib import Path

import nbformat
from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

import toolkit.datasets  # noqa: E402
import toolkit.plots  # noqa: E402
from docs import formulas  # noqa: E402
from docs.pages import ROOMS, public, question  # noqa: E402
from docs.run import name_of, notebooks, number  # noqa: E402
from toolkit.report.html import legible  # noqa: E402

SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
MENDED = {  # what Sphinx and its theme write, and what a screen reader can follow
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
    '<summary><span class="toctree-toggle"': '<summary aria-label="Pages below"><span '
    'class="toctree-toggle"',
    '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="complementary" '
    'aria-label="Pages of the site"',
}
WIDGETS = "nbextensions/jupyter-js-widgets/extension.js"
FOLDED = {
    "solution": "Solution",
    "claims": "What is asserted here",
    "imports": "Imports",
    "test": "A test of this page",
}
FOLDERS = {"notebooks": "**/*.ipynb", "data": "*.md", "as-they-are/tests": "*/*.py"}


def modules(room: str) -> list[str]:
    """Modules of a room that hold public names, those with a room's only name first."""
    folder = ROOT / "toolkit" / room.replace(".", "/")
    if not folder.is_dir():
        return [f"toolkit.{room}"]
    names = [
        f"toolkit.{room}.{path.stem}"
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    ]
    return [name for name in names if public(importlib.import_module(name))]


def entry(module, name: str) -> str:
    """Lines that document one public name of a module."""
    thing = getattr(module, name)
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:\n"
    return f".. auto{'function' if callable(thing) else 'data'}:: {name}\n"


def reference(room: str) -> str:
    """Page of a room: what each of its modules is for, and their public names."""
    parts = [f"toolkit.{room}", "=" * len(f"toolkit.{room}"), ""]
    for path in modules(room):
        module = importlib.import_module(path)
        if path.count(".") > room.count(".") + 1:
            parts += [f".. _{path}:", "", path, "-" * len(path), ""]
        parts += [f".. automodule:: {path}", "   :no-members:", ""]
        parts += [f".. currentmodule:: {path}", ""]
        parts += [entry(module, name) for name in public(module)]
    return "\n".join(parts)


def overview() -> str:
    """Page of the reference: a line for each room, and for each of its modules."""
    title = "Reference"
    lines = [title, "=" * len(title), "", ".. toctree::", "   :hidden:", ""]
    lines += [*(f"   api-{room}" for room in ROOMS), ""]
    for room in ROOMS:
        whole = f"toolkit.{room}"
        own = {name.removeprefix(f"{whole}."): name for name in modules(room) if name != whole}
        lines += [f"- :doc:`{whole} <api-{room}>`: {summary(whole)}", ""]
        lines += [
            f"  - :ref:`{short} <{name}>`: {summary(name)}"
            for short, name in own.items()
            if not short.startswith("_")
        ]
        lines.append("")
    return "\n".join(lines)


def summary(module: str) -> str:
    """First paragraph of a module, on one line."""
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return " ".join(text.split("\n\n")[0].split())


def entries() -> str:
    """Lines of the front page's list of notebooks, each with its number, if it has one."""
    lines = []
    for path in notebooks():
        title = question(nbformat.read(path, as_version=4))
        place = f"{number(path.stem)} " if path.stem[0].isdigit() else ""
        lines.append(f"{place}{title} <notebooks/{name_of(path)}>")
    return "\n".join(lines)


def front_page() -> str:
    """The front page of docs, as seen from the folder above, with the notebooks' titles."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = "|".join(path.stem for path in DOCS.glob("*.md"))
    text = re.sub(rf"^({pages})$", r"docs/\1", text, flags=re.MULTILINE)
    text = text.replace("](pictures/", "](docs/pictures/").replace("../", "")
    return text.replace("\nnotebooks\n", f"\n{entries()}\n")


def with_titles(text: str) -> str:
    """Links to tests as HTML: Sphinx would leave out what they say when pointed at."""
    link = r'\[yes\]\((\.\./tests/\w+/\w+\.py) "(\w+)"\)'
    return re.sub(link, r'<a href="\1" title="\2">yes</a>', text)


def with_references(text: str) -> str:
    """Names of functions as links to the reference."""

    def link(found: re.Match[str]) -> str:
        thing = attrgetter(found[1])(toolkit)
        room = max(r for r in ROOMS if f"{thing.__module__}.".startswith(f"toolkit.{r}."))
        place = f"../api-{room}.html#{thing.__module__}.{thing.__qualname__}"
        return f'<a href="{place}"><code>{found[1]}</code></a>'

    return re.sub(r"`toolkit\.([\w.]+)`", link, text)


def for_the_site(text: str) -> str:
    """A notebook in the words of the program that draws the page.

    Figures get their alternative texts; what is out of sight in JupyterLab is folded.
    """
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        said = metadata.setdefault("mystnb", {})
        if "alt" in metadata:
            said["image"] = {"alt": metadata["alt"]}
        fold = next((FOLDED[tag] for tag in metadata.get("tags", []) if tag in FOLDED), None)
        if fold and cell["cell_type"] == "code":
            metadata["tags"] = [*metadata["tags"], "hide-cell"]
            said |= {"code_prompt_show": fold, "code_prompt_hide": fold}
        elif fold:
            source = "".join(cell["source"])
            cell["source"] = (
                f'<details class="hide">\n<summary>{fold}</summary>\n\n{source}\n\n</details>'
            )
    return json.dumps(notebook)


def gather() -> None:
    """Copy pages, notebooks and scripts to one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (DOCS / "conf.py", ROOT / "CHANGELOG.md"):
        shutil.copy(path, SOURCES)
    (SOURCES / "index.md").write_text(front_page(), encoding="utf-8")
    for folder, pattern in FOLDERS.items():
        start = ROOT / Path(folder).name
        for path in start.glob(pattern):
            copy = SOURCES / folder / path.relative_to(start)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    for path in (SOURCES / "notebooks").rglob("*.ipynb"):
        text = for_the_site(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
    formulas.write(SOURCES / "as-they-are")
    for name, linked in (("comparison", with_titles), ("sources", with_references)):
        path = SOURCES / "docs" / f"{name}.md"
        path.write_text(linked(path.read_text(encoding="utf-8")), encoding="utf-8")
    files = distribution("widgetsnbextension").files or []
    (script,) = (path for path in files if path.as_posix().endswith(WIDGETS))
    shutil.copy(script.locate(), SOURCES / "docs" / "_static" / "ipywidgets.js")
    pages = {f"api-{room}": reference(room) for room in ROOMS}
    pages["api"] = overview()
    for name, text in pages.items():
        (SOURCES / f"{name}.rst").write_text(text, encoding="utf-8")


def mend() -> None:
    """Give the pages what they lack for those who do not see them, or not well."""
    for path in SITE.rglob("*.html"):
        text = legible(path.read_text(encoding="utf-8"))
        for written, better in MENDED.items():
            text = text.replace(written, better)
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Build the site; a warning is an error."""
    gather()
    for folder in (SITE, CACHE):
        shutil.rmtree(folder, ignore_errors=True)
    options = ["-b", "html", "-q", "-j", "2", "-W", "--keep-going", "-d", str(CACHE)]
    code = build_main([*options, str(SOURCES), str(SITE)])
    if not code:
        mend()
        print(f"Pages: {(SITE / 'index.html').relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
