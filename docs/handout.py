"""Hand out notebooks: `python3 dev.py handout` calls this file inside the environment.

Each notebook is the source of the students' copy (without solutions), the lecturer's copy, a
deck of slides and pages to print. Files with solutions go to build/lecturer, all others to
build/handouts. Nothing is executed and nothing is downloaded.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import nbformat
from jinja2 import Template
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from docs import grading
from docs.publish import STATIC, VIEW, is_tagged, page, question, with_style
from docs.run import BUILD, ROOT, chosen, number, write

HANDOUTS = BUILD / "handouts"
LECTURER = BUILD / "lecturer"  # outside the folder for students
TOOLS = ("nbgrader", "otter")
OPTIONS = {
    "solutions": "the lecturer's copy, into build/lecturer: do not hand it out",
    "slides": "a deck of slides as well",
    "pdf": "PDF (A4) as well; needs Chromium",
    "nbgrader": "an assignment of nbgrader",
    "otter": "an assignment of Otter-Grader",
    "all": "a folder for a term: all notebooks and decks",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ALONE = (  # a browser without requests and questions
    "--headless --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --no-pdf-header-footer"
)


# Copies


def copy_without(notebook: NotebookNode, *tags: str) -> NotebookNode:
    """Copy without cells of some tags, and with pictures in place of widgets.

    Links to notebooks lead into one folder; links out of the course become plain words. The
    style that folds solutions on a page is removed, too.
    """
    copy = nbformat.from_dict(notebook)
    copy.metadata.pop("widgets", None)
    copy.cells = [cell for cell in copy.cells if not is_tagged(cell, *tags)]
    for cell in copy.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"(?s)\n*<style>.*?</style>", "", cell.source)
            near = re.sub(r"\]\((?:[\w.-]+/)+([\w-]+\.ipynb)", r"](\1", text)
            cell.source = re.sub(r"\[([^\]]+)\]\(\.\./[^)\s]*\)", r"\1", near)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(VIEW, None)
    return copy


def students_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy without solutions and claims, and without outputs from the first exercise on."""
    copy, begun = copy_without(notebook, "solution", "claims", "test"), False
    for cell in copy.cells:
        given = is_tagged(cell, "exercise", "check", "quiz")
        begun = begun or given or is_tagged(cell, "answer")
        if begun and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if given and not is_tagged(cell, "answer"):
            cell.metadata |= {"editable": False, "deletable": False}
    return copy


def lecturers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy without claims, with open solutions, each below its exercise."""
    copy = copy_without(notebook, "claims", "test")
    for cell in copy.cells:
        if is_tagged(cell, "solution"):
            for hidden in ("jupyter", "collapsed", "wrong"):
                cell.metadata.pop(hidden, None)
    return copy


# Slides


def for_slides(notebook: NotebookNode) -> NotebookNode:
    """The title, the sections marked ◆, the summary, and the quiz with a slide per question.

    Each heading begins a slide, which slides.js cuts if it is too long. What follows a
    *Predict* appears at the next step. The source of a cell is shown if the cell is tagged
    `show`. A notebook without marks shows all its cells.
    """
    copy = students_copy(notebook)
    marked = any(re.search("(?m)^## ◆", cell.source) for cell in copy.cells)
    cells, copy.cells, core = copy.cells, [], True
    for cell in cells:
        parts, in_words = [cell], cell.cell_type == "markdown"
        if is_tagged(cell, "parameters", "imports", "check", "answer"):
            continue
        if in_words:
            texts = re.split(r"\n+(?=## )", cell.source)
            if marked and is_tagged(cell, "quiz"):
                questions = re.split(r"\n(?=\*\*\d+\.\*\* )", cell.source)[1:]
                texts = [f"## Quiz\n\n{text}" for text in questions]
            parts = [new_markdown_cell(text) for text in texts if text.strip()]
        elif marked and not is_tagged(cell, "show"):
            cell.metadata["transient"] = {"remove_source": True}
            texts = ["".join(one.get("data", {"": "said"}).values()) for one in cell.outputs]
            pairs = zip(cell.outputs, texts, strict=True)  # a number alone says nothing
            cell.outputs = [one for one, text in pairs if re.search("[a-zA-Z]", text)]
            parts = [cell] if cell.outputs else []
        for part in parts:
            begins = not copy.cells or (in_words and part.source.startswith("## "))
            if begins and marked:
                core = bool(re.match("# |## (◆|In short|Quiz)", part.source))
            if core:
                asked = copy.cells and "**Predict.**" in copy.cells[-1].source
                kind = "slide" if begins else "fragment" if asked else "-"
                part.metadata["slideshow"] = {"slide_type": kind}
                copy.cells.append(part)
    return copy


def deck(notebook: NotebookNode) -> str:
    """Slides as one HTML page with reveal.js in it, from the package sphinx-revealjs."""
    reveal = files("sphinx_revealjs").joinpath("_static", "revealjs", "dist")
    text = re.sub(r"<link\b[^>]*>", "", page(for_slides(notebook), ".ipynb", SlidesExporter))
    style = reveal.joinpath("reveal.css").read_text("utf-8")
    text = text.replace("</head>", f"<style>\n{style}</style>\n</head>", 1)
    text = with_style(text, "boxes.css", "slides.css")
    scripts = (reveal.joinpath("reveal.js"), STATIC / "slides.js")
    shown = "".join(f"<script>\n{one.read_text('utf-8')}\n</script>\n" for one in scripts)
    return f"{text.rpartition('</body>')[0]}{shown}</body>\n</html>\n"


# Pages to print


def for_print(notebook: NotebookNode) -> str:
    """Page with styles for paper; links lead to the PDF files of other notebooks."""
    return with_style(page(notebook, ".pdf"), "boxes.css", "print.css")


def browser() -> str:
    """Path of Chromium: the value of $CHROMIUM, else the first browser on PATH."""
    places = map(shutil.which, (os.environ.get("CHROMIUM", ""), *BROWSERS))
    return next(filter(None, places), None) or sys.exit(
        "--pdf needs Chromium or Chrome, and none is on PATH: install it (Debian, Ubuntu: "
        "apt install chromium), or set its path in the variable CHROMIUM."
    )


def print_to(path: Path, text: str) -> None:
    """Print a page with Chromium to a PDF file; after an error no file is left."""
    path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        source.write_text(text, encoding="utf-8")
        command = [browser(), *ALONE.split(), f"--user-data-dir={folder}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # root has none, as in containers
        command += [f"--print-to-pdf={path.absolute()}", source.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if not path.is_file():
        sys.exit(f"{command[0]} printed nothing to {path.name}:\n{done.stderr[-2000:]}")


# The task


def title(path: Path) -> str:
    """Title of a notebook, of a lesson with its number."""
    return f"{number(path.stem)}. " * path.stem[0].isdigit() + question(nbformat.read(path, 4))


def contents(made: dict[str, list[Path]], heading: str) -> str:
    """Page with links to the files made, by the titles of their notebooks."""
    template = Template((ROOT / "docs" / "term.html.j2").read_text("utf-8"), autoescape=True)
    return template.render(heading=heading, made=made)


def hand_out(path: Path, folder: Path, options: argparse.Namespace) -> list[Path]:
    """Write the copies that the options ask for of one notebook; return the files."""
    notebook = nbformat.read(path, as_version=4)
    copy = lecturers_copy(notebook) if options.solutions else students_copy(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / path.name]
    write(made[0], nbformat.writes(copy) + "\n")
    if options.slides:
        made.append(folder / f"{path.stem}-slides.html")
        write(made[-1], deck(notebook))
    if options.pdf:
        made.append(folder / f"{path.stem}.pdf")
        print_to(made[-1], for_print(copy))
    return made


def main(arguments: list[str] | None = None) -> int:
    """Command line of this file."""
    parser = argparse.ArgumentParser(
        prog="dev.py handout",
        description="Write the students' copy of a notebook, without solutions and without "
        "the outputs of exercises, into build/handouts. Nothing is executed.",
    )
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="name or number")
    for option, meaning in OPTIONS.items():
        parser.add_argument(f"--{option}", action="store_true", help=meaning)
    options = parser.parse_args(arguments)
    if options.all == bool(options.notebooks):
        parser.error("name a notebook, as in `handout 4`, or say --all for all of them.")
    if options.pdf:
        browser()  # refuses before anything is written
    paths = chosen(options.notebooks)
    tools = [tool for tool in TOOLS if getattr(options, tool)]
    for tool in tools:
        for path in paths:
            points = sum(grading.write(path, tool, BUILD / tool).values())
            print(f"build/{tool}: {path.stem}, {points or 'no exercises and no'} points")
    if tools:
        return 0
    folder = LECTURER if options.solutions else HANDOUTS
    options.slides |= options.all and not options.solutions
    made = {title(path): hand_out(path, folder, options) for path in paths}
    if options.all:
        write(folder / "index.html", contents(made, "The course"))
    for file in [folder / "index.html"] if options.all else sum(made.values(), []):
        print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
