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
from functools import partial
from importlib.resources import files
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat import NotebookNode

from docs import grading
from docs.publish import STATIC, TEMPLATES, copy_without, is_tagged, page, question
from docs.run import BUILD, chosen, number, write

HANDOUTS = BUILD / "handouts"
LECTURER = BUILD / "lecturer"  # outside the folder for students
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ALONE = (  # a browser without requests and questions
    "--headless --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --no-pdf-header-footer"
)


# Copies


def students_copy(notebook: NotebookNode, *left_out: str) -> NotebookNode:
    """Copy without solutions, claims and outputs from the first exercise on."""
    copy, begun = copy_without(notebook, "solution", "claims", "test", *left_out), False
    for cell in copy.cells:
        given = is_tagged(cell, "exercise", "check", "quiz")
        begun = begun or given
        if begun and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if given and not is_tagged(cell, "answer"):
            cell.metadata |= {"editable": False, "deletable": False}
    return copy


def lecturers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy without claims, in which solutions are unfolded."""
    copy = copy_without(notebook, "claims", "test")
    for cell in copy.cells:
        if is_tagged(cell, "solution"):
            for hidden in ("jupyter", "collapsed", "wrong"):
                cell.metadata.pop(hidden, None)
    return copy


# Slides


def parts(cell: NotebookNode, marked: bool) -> list[NotebookNode]:
    """Parts of a cell that may begin a slide; fewer in a notebook with marked sections.

    There the quiz has a slide for each question, the source of a cell is shown if the cell is
    tagged `show`, and outputs without a word are left out: a number alone says nothing.
    """
    if cell.cell_type == "markdown":
        texts = re.split(r"\n+(?=## )", cell.source)
        if marked and is_tagged(cell, "quiz"):
            questions = re.split(r"\n(?=\*\*\d+\.\*\* )", cell.source)[1:]
            texts = [f"## Quiz\n\n{text}" for text in questions]
        return [nbformat.v4.new_markdown_cell(text) for text in texts if text.strip()]
    if not marked or is_tagged(cell, "show"):
        return [cell]
    cell.metadata["transient"] = {"remove_source": True}
    texts = ["".join(one.get("data", {"": "said"}).values()) for one in cell.outputs]
    pairs = zip(cell.outputs, texts, strict=True)
    cell.outputs = [one for one, text in pairs if re.search("[a-zA-Z]", text)]
    return [cell] if cell.outputs else []


def for_slides(notebook: NotebookNode) -> NotebookNode:
    """The title, the sections marked ◆, the summary, and the quiz.

    Each heading begins a slide, which slides.js cuts if it is too long. What follows a
    *Predict* appears at the next step. A notebook without marks shows all its cells.
    """
    copy = students_copy(notebook, "parameters", "imports", "check", "answer")
    marked = any(re.search("(?m)^## ◆", cell.source) for cell in copy.cells)
    pieces = [part for cell in copy.cells for part in parts(cell, marked)]
    copy.cells, core = [], True
    for part in pieces:
        headed = part.cell_type == "markdown" and part.source.startswith("## ")
        begins = headed or not copy.cells
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
    reveal = files("sphinx_revealjs") / "_static" / "revealjs" / "dist"
    styles = [reveal / "reveal.css", STATIC / "boxes.css", STATIC / "slides.css"]
    scripts = [reveal / "reveal.js", STATIC / "slides.js"]
    return page(for_slides(notebook), ".ipynb", SlidesExporter, styles, scripts)


# Pages to print


def for_print(notebook: NotebookNode) -> str:
    """Page with styles for paper; links lead to the PDF files of other notebooks."""
    return page(notebook, ".pdf", styles=[STATIC / "boxes.css", STATIC / "print.css"])


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


def contents(made: dict[str, list[Path]]) -> str:
    """Page with links to the files made, by the titles of their notebooks."""
    return TEMPLATES.get_template("term.html.j2").render(made=made)


def hand_out(path: Path, folder: Path, options: argparse.Namespace) -> list[Path]:
    """Write the copies that the options ask for of one notebook; return the files."""
    notebook = nbformat.read(path, as_version=4)
    copy = lecturers_copy(notebook) if options.solutions else students_copy(notebook)
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
    parser = argparse.ArgumentParser(prog="dev.py handout", description=__doc__)
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="name or number")
    flag = partial(parser.add_argument, action="store_true")
    flag("--solutions", help="the lecturer's copy, into build/lecturer: do not hand it out")
    flag("--slides", help="a deck of slides as well")
    flag("--pdf", help="PDF (A4) as well; needs Chromium")
    flag("--nbgrader", help="an assignment of nbgrader")
    flag("--all", help="a folder for a term: all notebooks and decks")
    options = parser.parse_args(arguments)
    if options.all == bool(options.notebooks):
        parser.error("name a notebook, as in `handout 4`, or say --all for all of them.")
    if options.pdf:
        browser()  # refuses before anything is written
    paths = chosen(options.notebooks)
    if options.nbgrader:
        for path in paths:
            points = sum(grading.write(path, BUILD / "nbgrader").values())
            print(f"build/nbgrader: {path.stem}, {points or 'no exercises and no'} points")
        return 0
    folder = LECTURER if options.solutions else HANDOUTS
    options.slides |= options.all and not options.solutions
    made = {title(path): hand_out(path, folder, options) for path in paths}
    if options.all:
        write(folder / "index.html", contents(made))
    for file in [folder / "index.html"] if options.all else sum(made.values(), []):
        print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
