"""Build the static site into build/site; `python3 dev.py site` calls this file.

Pages show the notebooks as they are stored, formulas are MathML, and explorers with few
settings move without a kernel: `frames.py` draws them beforehand, which takes minutes once.
Names of notebooks, such as 01, draw those alone. Pages open from file:// and send no request.
"""

import importlib
import inspect
import json
import re
import shutil
import sys
from operator import attrgetter
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

import toolkit.datasets  # noqa: E402
import toolkit.plots  # noqa: E402
import toolkit.widgets  # noqa: E402
from docs import frames  # noqa: E402
from docs.publish import legible  # noqa: E402
from docs.run import chosen, notebooks, number  # noqa: E402

SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
MENDED = {  # what Sphinx and its theme write, and what a screen reader can follow
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
COPIED = {"data": "*.md", "as-they-are/tests": "*/*.py"}
FIRST = "notebooks/01-cell-information-gain"  # its first explorer stands on the front page


# The reference


def public(module) -> list[str]:
    """Names that a module documents: those of the package, and what has sections."""
    flat = {*toolkit.__all__, *toolkit.plots.__all__, *toolkit.widgets.__all__}
    return [
        name
        for name, thing in vars(module).items()
        if callable(thing) and getattr(thing, "__module__", "") == module.__name__
        if name in flat or name[0] != "_" and "\n---" in (inspect.getdoc(thing) or "")
    ]


def rooms() -> dict[str, list]:
    """Modules with public names, by room."""
    found: dict[str, list] = {}
    package = ROOT / "toolkit"
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if not parts[0].startswith("_") and parts[-1] != "__init__":
            module = importlib.import_module(".".join(["toolkit", *parts]))
            found.setdefault(parts[0], []).extend([module] * bool(public(module)))
    return found


def summary(module) -> str:
    """First paragraph of a module, on one line."""
    return " ".join((inspect.getdoc(module) or "").split("\n\n")[0].split())


def reference(room: str, modules: list) -> str:
    """Page of a room: what each of its modules is for, and their public names."""
    lines = [f"toolkit.{room}", "=" * 40, ""]
    for module in modules:
        path = module.__name__
        if path != f"toolkit.{room}":
            lines += [f".. _{path}:", "", path, "-" * len(path), ""]
        lines += [f".. automodule:: {path}", "   :no-members:", ""]
        lines += [f".. currentmodule:: {path}", ""]
        for name in public(module):
            kind = "class" if inspect.isclass(getattr(module, name)) else "function"
            lines += [f".. auto{kind}:: {name}", *["   :members:"] * (kind == "class"), ""]
    return "\n".join(lines)


def overview(pages: dict[str, list]) -> str:
    """Page of the reference: a line for each room, and for each of its modules."""
    lines = ["Reference", "=" * 9, "", ".. toctree::", "   :hidden:", ""]
    lines += [*(f"   api-{room}" for room in pages), ""]
    for room, modules in pages.items():
        whole = importlib.import_module(f"toolkit.{room}")
        lines += [f"- :doc:`toolkit.{room} <api-{room}>`: {summary(whole)}", ""]
        for module in modules:
            short = module.__name__.removeprefix(f"toolkit.{room}.")
            if module is not whole and not short.startswith("_"):
                lines.append(f"  - :ref:`{short} <{module.__name__}>`: {summary(module)}")
        lines.append("")
    return "\n".join(lines)


def with_references(text: str) -> str:
    """Names of functions as links to the reference."""

    def link(found: re.Match[str]) -> str:
        thing = attrgetter(found[1])(toolkit)
        place = f"../api-{thing.__module__.split('.')[1]}.html"
        place += f"#{thing.__module__}.{thing.__qualname__}"
        return f'<a href="{place}"><code>{found[1]}</code></a>'

    return re.sub(r"`toolkit\.([\w.]+)`", link, text)


def with_tests(text: str) -> str:
    """Links to tests as HTML: Sphinx would leave out what they say when pointed at."""
    link = r'\[yes\]\((\.\./tests/\w+/\w+\.py) "(\w+)"\)'
    return re.sub(link, r'<a href="\1" title="\2">yes</a>', text)


# Notebooks


def explorers(notebook: dict, name: str, folder: Path | None) -> list[str]:
    """Put a figure that moves in place of each widget; those that follow their controls."""
    drawn = json.loads((folder / "frames.json").read_text("utf-8")) if folder else {}
    notebook["metadata"].pop("widgets", None)
    root, figures = "../" * name.count("/"), []
    for place, cell in enumerate(notebook["cells"]):
        for output in cell.get("outputs", []):
            if frames.VIEW not in output.get("data", {}):
                continue
            shown = frames.still(output["data"])
            if moving := drawn.get(str(place)):
                shown = frames.figure(moving, root)
                figures.append(shown)
            output["data"] = {"text/html": shown}
    return figures


def for_the_site(path: Path, name: str, folder: Path | None) -> tuple[dict, list[str]]:
    """A notebook in the words of the program that draws the page, and its moving figures.

    Lessons get their number, figures their alternative texts; what is out of sight in
    JupyterLab is folded.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        about = metadata.setdefault("mystnb", {})
        if "alt" in metadata:
            about["image"] = {"alt": metadata["alt"]}
        fold = next((FOLDED[tag] for tag in metadata.get("tags", []) if tag in FOLDED), None)
        if fold and cell["cell_type"] == "code":
            metadata["tags"] = [*metadata["tags"], "hide-cell"]
            about |= {"code_prompt_show": fold, "code_prompt_hide": fold}
        elif fold:
            source = "".join(cell["source"])
            cell["source"] = (
                f'<details class="hide">\n<summary>{fold}</summary>\n\n{source}\n\n</details>'
            )
    first = notebook["cells"][0]
    first["source"] = re.sub("<style>.*?</style>", "", "".join(first["source"]), flags=re.S)
    if path.stem[0].isdigit():
        first["source"] = first["source"].replace("# ", f"# {number(path.stem)}. ", 1)
    return notebook, explorers(notebook, name, folder)


# The site


def gather(names: list[str]) -> None:
    """Copy pages, notebooks and scripts to one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (DOCS / "conf.py", ROOT / "CHANGELOG.md"):
        shutil.copy(path, SOURCES)
    for folder, pattern in COPIED.items():
        start = ROOT / Path(folder).name
        for path in start.glob(pattern):
            copy = SOURCES / folder / path.relative_to(start)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    folders, figures = frames.draw_all(chosen(names)), {}
    for path in notebooks():
        name = path.relative_to(ROOT).with_suffix("").as_posix()
        notebook, figures[name] = for_the_site(path, name, folders.get(path))
        copy = (SOURCES / name).with_suffix(".ipynb")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(json.dumps(notebook), encoding="utf-8")
    for folder in folders.values():
        pictures = shutil.ignore_patterns("*.json")
        place = SOURCES / "as-they-are" / "_frames"
        shutil.copytree(folder, place, ignore=pictures, dirs_exist_ok=True)
    for name, linked in (("sources", with_references), ("comparison", with_tests)):
        page = SOURCES / "docs" / f"{name}.md"
        page.write_text(linked(page.read_text("utf-8")), encoding="utf-8")
    front = (DOCS / "index.md").read_text(encoding="utf-8").replace("../", "")
    if figures[FIRST]:
        moving = figures[FIRST][0].replace("../_frames", "_frames")
        front = re.sub(r"\[!\[.*explorer\.gif.*", lambda _: moving, front)
    front = front.replace("](pictures/", "](docs/pictures/")
    pages = rooms()
    texts = {f"api-{room}.rst": reference(room, modules) for room, modules in pages.items()}
    for name, text in {**texts, "api.rst": overview(pages), "index.md": front}.items():
        (SOURCES / name).write_text(text, encoding="utf-8")


def mend() -> None:
    """Give the pages what they lack for those who do not see them, or not well."""
    for path in SITE.rglob("*.html"):
        text = legible(path.read_text(encoding="utf-8"))
        for written, better in MENDED.items():
            text = text.replace(written, better)
        path.write_text(text, encoding="utf-8")
    for path in notebooks():  # which can be downloaded, with nothing changed
        shutil.copy(path, SITE / "_sources" / path.relative_to(ROOT))


def main(names: list[str]) -> int:
    """Build the site; a warning is an error."""
    gather(names)
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
