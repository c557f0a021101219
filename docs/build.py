"""Build the static site into build/site; `python3 dev.py site` calls this file.

Nothing is executed and nothing is fetched: the notebooks are shown as they are stored,
formulas are MathML, and widgets are drawn by the script that the package widgetsnbextension, a
part of ipywidgets, has installed. The pages open from file:// and send no request anywhere.
"""

import importlib
import inspect
import re
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

from sphinx.cmd.build import build_main

import toolkit

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SITE, SOURCES, CACHE = (ROOT / "build" / f"site{part}" for part in ("", "-sources", "-cache"))
WIDGETS = "nbextensions/jupyter-js-widgets/extension.js"
FOLDERS = {"notebooks": "*.ipynb", "data": "*.md", "as-they-are/tests": "*.py"}
KINDS = ["plots", "widgets"]  # one page for all modules of the kind
MODULES = [  # in this order; any other that holds a name of the package comes after them
    "pif",
    "information",
    "classes",
    "anonymity",
    "disclosure",
    "utility",
    "report",
    "treatments",
    "anonymise",
    "uniqueness",
    "identifiability",
    "mechanisms",
    "audit",
    "histograms",
    "datasets",
    *KINDS,
]


def course(path: Path) -> tuple[float, str]:
    """Key that sorts notebooks: the start, the numbered ones, then the others."""
    number = re.match(r"\d+", path.stem)
    return (int(number[0]) if number else 99 * (path.stem != "index"), path.stem)


def notebooks() -> list[Path]:
    """Notebooks in the order of the course."""
    return sorted((ROOT / "notebooks").glob("*.ipynb"), key=course)


def loaded(path: str):
    """Module of a path; `toolkit.audit` is also a function."""
    importlib.import_module(path)
    return sys.modules[path]


def modules() -> list[str]:
    """Modules that have a page: those listed, and what holds the package's other names."""
    held = {name for module in MODULES for name in loaded(f"toolkit.{module}").__all__}
    left = [getattr(toolkit, name) for name in toolkit.__all__ if name not in held]
    return MODULES + sorted({thing.__module__.split(".")[1] for thing in left})


def entry(module, name: str) -> str:
    """Lines that document one public name of a module."""
    thing = getattr(module, name)
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:\n"
    return f".. auto{'function' if callable(thing) else 'data'}:: {name}\n"


def reference(name: str, seen: set[int]) -> str:
    """Page of a module: what it is for, and those of its public names that no page has yet."""
    parts = [f"toolkit.{name}", "=" * len(f"toolkit.{name}"), ""]
    kind = (ROOT / "toolkit").glob(f"*_{name}.py") if name in KINDS else []
    for path in [f"toolkit.{name}", *sorted(f"toolkit.{path.stem}" for path in kind)]:
        module = loaded(path)
        parts += [f".. automodule:: {path}", "   :no-members:", ""]
        parts += [f".. currentmodule:: {path}", ""]
        for public in module.__all__:
            thing = getattr(module, public)
            if id(thing) not in seen:
                seen.add(id(thing))
                parts.append(entry(module, public))
    return "\n".join(parts)


def contents(title: str, names: list[str]) -> str:
    """Page that lists other pages."""
    lines = [title, "=" * len(title), "", ".. toctree::", "   :maxdepth: 1", ""]
    return "\n".join(lines + [f"   {name}" for name in names]) + "\n"


def with_titles(text: str) -> str:
    """Links to tests as HTML: Sphinx would leave out what they say when pointed at."""
    link = r'\[yes\]\((\.\./tests/\w+\.py) "(\w+)"\)'
    return re.sub(link, r'<a href="\1" title="\2">yes</a>', text)


def gather() -> None:
    """Copy pages, notebooks and scripts to one folder, and write the reference there."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(DOCS, SOURCES / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (DOCS / "conf.py", DOCS / "index.md", ROOT / "CHANGELOG.md"):
        shutil.copy(path, SOURCES)
    for folder, pattern in FOLDERS.items():
        (SOURCES / folder).mkdir(parents=True)
        for path in (ROOT / Path(folder).name).glob(pattern):
            shutil.copy(path, SOURCES / folder)
    comparison = SOURCES / "docs" / "comparison.md"
    text = with_titles(comparison.read_text(encoding="utf-8"))
    comparison.write_text(text, encoding="utf-8")
    files = distribution("widgetsnbextension").files or []
    (script,) = (path for path in files if path.as_posix().endswith(WIDGETS))
    shutil.copy(script.locate(), SOURCES / "docs" / "_static" / "ipywidgets.js")
    seen: set[int] = set()
    pages = {f"api-{name}": reference(name, seen) for name in modules()}
    pages["api"] = contents("Reference", list(pages))
    pages["notebooks"] = contents(
        "Notebooks", [f"notebooks/{path.stem}" for path in notebooks()]
    )
    for name, text in pages.items():
        (SOURCES / f"{name}.rst").write_text(text, encoding="utf-8")


def main() -> int:
    """Build the site; a warning is an error."""
    gather()
    for folder in (SITE, CACHE):
        shutil.rmtree(folder, ignore_errors=True)
    options = ["-b", "html", "-q", "-j", "2", "-W", "--keep-going", "-d", str(CACHE)]
    code = build_main([*options, str(SOURCES), str(SITE)])
    if not code:
        print(f"Pages: {(SITE / 'index.html').relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
