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
from nbformat.v4 import new_markdown_cell, new_output

from docs import grading
from docs.publish import VIEW, is_tagged, page, question
from docs.run import ROOT, chosen, number, write

HANDOUTS = ROOT / "build" / "handouts"
LECTURER = ROOT / "build" / "lecturer"  # outside the folder for students
STATIC = ROOT / "docs" / "_static"
OPTIONS = {
    "solutions": "the lecturer's copy",
    "slides": "a deck of slides as well",
    "pdf": "PDF (A4) as well; needs Chromium",
    "nbgrader": "an assignment of nbgrader",
    "otter": "an assignment of Otter-Grader",
    "all": "a folder for a term: all notebooks and decks",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MOVES = "First state. The figure is interactive in a running notebook and on the site."
ALONE = [  # a browser without requests and questions
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


# Copies


def first_exercise(notebook: NotebookNode) -> int:
    """Position of the first cell of an exercise; the number of cells if there is none."""
    tags = ("exercise", "answer", "check", "solution", "quiz")
    places = (i for i, cell in enumerate(notebook.cells) if is_tagged(cell, *tags))
    return next(places, len(notebook.cells))


def copy_without(notebook: NotebookNode, *tags: str) -> NotebookNode:
    """Copy without cells of some tags, with pictures and a note in place of widgets.

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
        views = [one.get("data", {}).pop(VIEW, None) for one in cell.get("outputs", [])]
        if any(views):
            cell.outputs.append(new_output("display_data", {"text/html": f"<p>{MOVES}</p>"}))
    return copy


def students_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy without solutions and claims, and without outputs from the first exercise on."""
    copy = copy_without(notebook, "solution", "claims", "test")
    for cell in copy.cells[first_exercise(copy) :]:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if is_tagged(cell, "exercise", "check", "quiz") and not is_tagged(cell, "answer"):
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


def says_something(output: NotebookNode) -> bool:
    """True if an output makes sense without its code; a single number does not."""
    data = output.get("data", {"": ""})
    return {*data} != {"text/plain"} or bool(re.search("[a-zA-Z]", data["text/plain"]))


def for_slides(notebook: NotebookNode) -> NotebookNode:
    """The title, the sections marked ◆, the summary, and the quiz with a slide per question.

    Each heading begins a slide, which slides.js cuts if it is too long. What follows a
    *Predict* appears at the next step. The source of a cell is shown if the cell is tagged
    `show`. A notebook without marks shows all its cells.
    """
    copy = students_copy(notebook)
    marked = any(re.search(r"(?m)^## ◆", cell.source) for cell in copy.cells)
    copy.cells, cells, core = [], copy.cells, True
    for cell in cells:
        if is_tagged(cell, "parameters", "imports", "check", "answer"):
            continue
        in_words = cell.cell_type == "markdown"
        asked, texts = is_tagged(cell, "exercise", "quiz"), [cell.source]
        if asked and marked:
            questions = re.split(r"\n(?=\*\*\d+\.\*\* )", cell.source)[1:]
            texts = [f"## Quiz\n\n{text}" for text in questions * is_tagged(cell, "quiz")]
        elif in_words and not asked:
            texts = re.split(r"\n+(?=## )", cell.source)
        if not in_words and marked and not is_tagged(cell, "show"):
            cell.metadata["transient"] = {"remove_source": True}
            cell.outputs = [*filter(says_something, cell.outputs)]
            texts = texts if cell.outputs else []
        for text in texts:
            if heading := in_words and re.match("##? (.+)", text):
                kept = text[:2] == "# " or heading[1][:2] in ("◆ ", "In")
                core = not marked or kept or (core and asked)
            if text.strip() and (core or asked):
                part = new_markdown_cell(text) if in_words else cell
                begins = not copy.cells or (in_words and text.startswith("## "))
                asked_above = copy.cells and "**Predict.**" in copy.cells[-1].source
                kind = "slide" if begins else "fragment" if asked_above else "-"
                part.metadata["slideshow"] = {"slide_type": kind}
                copy.cells.append(part)
    return copy


def with_style(text: str, *styles: str) -> str:
    """Page with styles added, from files of docs/_static or given as text."""
    texts = [
        (STATIC / one).read_text("utf-8") if one.endswith(".css") else one for one in styles
    ]
    return text.replace("</head>", f"<style>\n{''.join(texts)}</style>\n</head>", 1)


def deck(notebook: NotebookNode) -> str:
    """Slides as one HTML page with reveal.js in it, from the package sphinx-revealjs."""
    reveal = files("sphinx_revealjs").joinpath("_static", "revealjs", "dist")
    text = re.sub(r"<link\b[^>]*>", "", page(for_slides(notebook), ".ipynb", SlidesExporter))
    style = reveal.joinpath("reveal.css").read_text("utf-8")
    text = with_style(text, f"{style}\n", "boxes.css", "slides.css")
    scripts = [reveal.joinpath("reveal.js").read_text("utf-8")]
    scripts += [(STATIC / "slides.js").read_text("utf-8")]
    shown = "\n".join(f"<script>\n{script}\n</script>" for script in scripts)
    return f"{text.rpartition('</body>')[0]}{shown}\n</body>\n</html>\n"


# Pages to print


def for_print(notebook: NotebookNode) -> str:
    """Page with styles for paper; links lead to the PDF files of other notebooks."""
    return with_style(page(notebook, ".pdf"), "boxes.css", "print.css")


def browser() -> str:
    """Path of Chromium: the value of $CHROMIUM, else the first browser on PATH."""
    places = [os.environ.get("CHROMIUM"), *BROWSERS]
    found = next(filter(None, (shutil.which(place) for place in places if place)), None)
    if not found:
        sys.exit(
            "--pdf needs Chromium or Chrome, and none is on PATH: install it (Debian, Ubuntu: "
            "apt install chromium; others: https://www.google.com/chrome), or set the path in "
            "the variable CHROMIUM. Everything but PDF works without it."
        )
    return found


def print_to(path: Path, text: str) -> None:
    """Print a page with Chromium to a PDF file; after an error no file is left."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(text, encoding="utf-8")
        command = [browser(), *ALONE, "--no-pdf-header-footer", f"--print-to-pdf={made}"]
        command += [f"--user-data-dir={Path(folder, 'profile')}", source.as_uri()]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # root has none, as in containers
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if not made.is_file():
            sys.exit(f"{command[0]} printed nothing to {path.name}:\n{done.stderr[-2000:]}")
        shutil.copyfile(made, path)


# The task


def contents(made: list[Path], titles: dict[str, str], heading: str) -> str:
    """Page with links to the files made."""
    ends = {"notebook": ".ipynb", "slides": "-slides.html", "PDF": ".pdf"}
    names, rows = {path.name for path in made}, []
    for name, title in titles.items():
        files = {kind: f"{name}{end}" for kind, end in ends.items() if f"{name}{end}" in names}
        rows.append((f"{number(name)}. " * name[0].isdigit() + title, files))
    template = Template((ROOT / "docs" / "term.html.j2").read_text("utf-8"), autoescape=True)
    return template.render(heading=heading, rows=rows)


def hand_out(path: Path, folder: Path, options: argparse.Namespace) -> list[Path]:
    """Write the copies that the options ask for of one notebook; return the files."""
    notebook = nbformat.read(path, as_version=4)
    copy = lecturers_copy(notebook) if options.solutions else students_copy(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / path.name]
    write(made[0], nbformat.writes(copy) + "\n")
    has_deck = path.stem[0].isdigit() or path.parent.name == "further"
    if options.slides and (has_deck or not options.all):
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
        epilog="With --solutions, files go to build/lecturer: do not hand them out. "
        "With --nbgrader or --otter, assignments of these tools are written into build/.",
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
    tools = [tool for tool in grading.TOOLS if getattr(options, tool)]
    if tools:
        return grading.assign(paths, tools, ROOT / "build", skip=options.all)
    folder = LECTURER if options.solutions else HANDOUTS
    options.slides |= options.all and not options.solutions
    made = [file for path in paths for file in hand_out(path, folder, options)]
    if options.all:
        titles = {path.stem: question(nbformat.read(path, as_version=4)) for path in paths}
        heading = "The course, with solutions" if options.solutions else "The course"
        write(folder / "index.html", contents(made, titles, heading))
        made = [folder / "index.html"]
    for file in made:
        print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; no half file is left.")
