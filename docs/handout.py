"""Hand out notebooks: `python3 dev.py handout` calls this file inside the environment.

A notebook is the one source. From it come the students' copy (without solutions), the
lecturer's copy, a deck of slides and pages to print. What holds solutions goes to
build/lecturer, all else to build/handouts. Nothing is executed and nothing is fetched.
"""

import argparse
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs import grading  # noqa: E402
from docs.grading import is_tagged  # noqa: E402
from docs.run import VIEW, chosen, number, page, question, write  # noqa: E402

HANDOUTS = ROOT / "build" / "handouts"
LECTURER = ROOT / "build" / "lecturer"  # outside the folder that is handed out
STATIC = ROOT / "docs" / "_static"
REVEAL = "sphinx_revealjs/_static/revealjs/dist/"
OPTIONS = {
    "solutions": "the lecturer's copy",
    "slides": "a deck of slides as well",
    "pdf": "PDF (A4) as well; needs Chromium",
    "nbgrader": "an assignment of nbgrader",
    "otter": "an assignment of Otter-Grader",
    "all": "a folder for a term: all notebooks and decks",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MOVES = "As it opens. This figure moves where the notebook runs, and on the site."
ALONE = [  # a browser that asks nobody anything
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


# Copies


def first_exercise(notebook: NotebookNode) -> int:
    """Place of the first cell that belongs to an exercise; after all cells if none does."""
    tags = ("exercise", "answer", "check", "solution", "quiz")
    places = (i for i, cell in enumerate(notebook.cells) if is_tagged(cell, *tags))
    return next(places, len(notebook.cells))


def with_pictures(notebook: NotebookNode) -> NotebookNode:
    """Widgets become their pictures, and say so: without a kernel they would not move."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        moves = [one for one in cell.get("outputs", []) if one.get("data", {}).pop(VIEW, None)]
        if moves:
            note = nbformat.v4.new_output("display_data", {"text/html": f"<p>{MOVES}</p>"})
            cell.outputs.append(note)
    return notebook


def without_the_clone(notebook: NotebookNode) -> NotebookNode:
    """Links to notebooks lead into one folder; those out of the course become words.

    The style that folds solutions on a page goes too.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\n*<style>.*?</style>", "", cell.source, flags=re.DOTALL)
            near = re.sub(r"\]\((?:[\w.-]+/)+([\w-]+\.ipynb)", r"](\1", text)
            cell.source = re.sub(r"\[([^\]]+)\]\(\.\./[^)\s]*\)", r"\1", near)
    return notebook


def students_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy without solutions, claims, and whatever the first exercise and later cells show."""
    copy = nbformat.from_dict(notebook)
    first = first_exercise(copy)
    for cell in copy.cells[first:]:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if is_tagged(cell, "exercise", "check", "quiz") and not is_tagged(cell, "answer"):
            cell.metadata |= {"editable": False, "deletable": False}
    hidden = ("solution", "claims", "test")
    copy.cells = [cell for cell in copy.cells if not is_tagged(cell, *hidden)]
    return without_the_clone(with_pictures(copy))


def lecturers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy whose solutions are open, each below its exercise; without claims."""
    copy = nbformat.from_dict(notebook)
    copy.cells = [cell for cell in copy.cells if not is_tagged(cell, "claims", "test")]
    for cell in copy.cells:
        if is_tagged(cell, "solution"):
            cell.metadata.pop("jupyter", None)
            cell.metadata.pop("collapsed", None)
            cell.metadata.pop("wrong", None)
    return without_the_clone(with_pictures(copy))


# Slides


def by_headings(cells: list[NotebookNode]) -> list[NotebookNode]:
    """Cut cells of text before each heading of second order, with which a slide begins."""
    parts = []
    for cell in cells:
        if cell.cell_type == "markdown" and not is_tagged(cell, "exercise", "quiz"):
            texts = re.split(r"\n+(?=## )", cell.source)
            new = nbformat.v4.new_markdown_cell
            parts += [new(text, metadata=cell.metadata.copy()) for text in texts]
        else:
            parts.append(cell)
    return parts


def says_something(output: NotebookNode) -> bool:
    """Whether an output can stand without its code: a lone number cannot."""
    data = output.get("data", {"": ""})
    return {*data} != {"text/plain"} or bool(re.search("[a-zA-Z]", data["text/plain"]))


def for_slides(notebook: NotebookNode) -> NotebookNode:
    """The title, the sections marked ◆, what is in short, and the quiz, a question a slide.

    Each heading begins a slide, which slides.js cuts where it is too long. The source of a
    cell is shown if it is tagged `show`. Of a notebook without marks, all cells are shown.
    """
    copy = students_copy(notebook)
    copy.cells = by_headings(copy.cells)
    marked = any(re.match("## ◆", cell.source) for cell in copy.cells)
    cells, core = [], True
    for cell in copy.cells:
        skipped = cell.metadata.get("slideshow", {}).get("slide_type") == "skip"
        if skipped or is_tagged(cell, "parameters", "imports", "check", "answer"):
            continue
        if is_tagged(cell, "exercise", "quiz") and marked:
            questions = re.split(r"\n(?=\*\*\d+\.\*\* )", cell.source)[1:]
            texts = [f"## Quiz\n\n{text}" for text in questions * is_tagged(cell, "quiz")]
            cells += map(nbformat.v4.new_markdown_cell, texts)
            continue
        if heading := cell.cell_type == "markdown" and re.match("##? (.+)", cell.source):
            core = not marked or cell.source[:2] == "# " or heading[1][:2] in ("◆ ", "In")
        if not core or not cell.source.strip():
            continue
        if cell.cell_type == "code" and marked and not is_tagged(cell, "show"):
            cell.metadata["transient"] = {"remove_source": True}
            cell.outputs = list(filter(says_something, cell.outputs))
            if not cell.outputs:
                continue
        cells.append(cell)
    for cell in cells:
        begins = cell is cells[0] or (cell.cell_type == "markdown" and cell.source[:2] == "##")
        begins = begins and not cell.source.startswith("###")
        cell.metadata["slideshow"] = {"slide_type": "slide" if begins else "-"}
    copy.cells = cells
    return copy


def reveal(name: str) -> str:
    """Text of a file of reveal.js, which the package sphinx-revealjs has installed."""
    files = distribution("sphinx-revealjs").files or []
    (found,) = (path for path in files if path.as_posix() == REVEAL + name)
    return Path(str(found.locate())).read_text(encoding="utf-8")


def static(*names: str) -> str:
    """Style of the handouts: files of docs/_static."""
    texts = [(STATIC / name).read_text(encoding="utf-8") for name in names]
    return f"<style>\n{''.join(texts)}</style>"


def deck(notebook: NotebookNode) -> str:
    """Slides as one HTML page with reveal.js in it."""
    text = page(
        for_slides(notebook), link=lambda name: f"{name}.ipynb", exporter=SlidesExporter
    )
    text = re.sub(r"<link\b[^>]*>", "", text)
    style = f"<style>\n{reveal('reveal.css')}</style>\n{static('boxes.css', 'slides.css')}"
    text = text.replace("</head>", f"{style}\n</head>", 1)
    fit = (STATIC / "slides.js").read_text(encoding="utf-8")
    script = f"<script>\n{reveal('reveal.js')}\n</script>\n<script>\n{fit}</script>"
    return "\n".join([*text.rsplit("</body>", 1)[:1], script, "</body>\n</html>\n"])


# Pages to print


def for_print(notebook: NotebookNode) -> str:
    """Page with styles for paper; links lead to the pages of other notebooks."""
    text = page(notebook, link=lambda other: f"{other}.pdf")
    style = static("boxes.css", "print.css")
    title = f"<title>{html.escape(question(notebook))}</title>"
    text = re.sub(r"<title>.*?</title>", lambda _: title, text, count=1, flags=re.DOTALL)
    return text.replace("</head>", f"{style}\n</head>", 1)


def browser() -> str:
    """Path of a Chromium: that of $CHROMIUM, else the first one on PATH."""
    places = [os.environ.get("CHROMIUM"), *BROWSERS]
    found = next(filter(None, (shutil.which(place) for place in places if place)), None)
    if not found:
        sys.exit(
            "--pdf needs Chromium or Chrome, and none is on PATH: install it (Debian, Ubuntu: "
            "apt install chromium; others: https://www.google.com/chrome), or put the path of "
            "yours into the variable CHROMIUM. Everything but PDF works without it."
        )
    return found


def print_to(path: Path, text: str) -> None:
    """Print a page by Chromium to a file of PDF, or leave none."""
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


# The folder of a term


def contents(folder: Path, titles: dict[str, str], heading: str) -> str:
    """Page that links to all that a folder holds."""
    kinds = {"notebook": ".ipynb", "slides": "-slides.html", "PDF": ".pdf"}
    lines = ""
    for name, title in titles.items():
        place = f"{number(name)}. " * name[0].isdigit()
        links = " ".join(
            f'<a href="{html.escape(name + end)}">{kind}</a>'
            for kind, end in kinds.items()
            if (folder / f"{name}{end}").is_file()
        )
        lines += f"<li>{place}{html.escape(title)}: {links}</li>\n"
    page = (STATIC / "term.html").read_text(encoding="utf-8")
    return page.replace("HEADING", heading).replace("LINES", lines)


# The task


def hand_out(path: Path, folder: Path, options: argparse.Namespace) -> list[Path]:
    """Write what is asked for of one notebook; the files written."""
    notebook = nbformat.read(path, as_version=4)
    if options.solutions:
        copy = lecturers_copy(notebook)
    else:
        copy = students_copy(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / path.name]
    write(files[0], nbformat.writes(copy) + "\n")
    has_deck = path.stem[0].isdigit() or path.parent.name == "further"
    if options.slides and (has_deck or not options.all):
        files.append(folder / f"{path.stem}-slides.html")
        write(files[-1], deck(notebook))
    if options.pdf:
        files.append(folder / f"{path.stem}.pdf")
        print_to(files[-1], for_print(copy))
    return files


def term(paths: list[Path], folder: Path, options: argparse.Namespace) -> list[Path]:
    """Write a folder for a term, with a page that links all in it."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in paths:
        print(path.stem, flush=True)
        hand_out(path, folder, options)
    titles = {path.stem: question(nbformat.read(path, as_version=4)) for path in paths}
    heading = "The course, with solutions" if options.solutions else "The course"
    write(folder / "index.html", contents(folder, titles, heading))
    return [folder / "index.html"]


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
        browser()  # said before anything is written
    paths = chosen(options.notebooks)
    tools = [tool for tool in grading.TOOLS if getattr(options, tool)]
    if tools:
        return grading.assign(paths, tools, ROOT / "build", skip=options.all)
    folder = LECTURER if options.solutions else HANDOUTS
    if options.all:
        options.slides = not options.solutions or options.slides
        files = term(paths, folder, options)
    else:
        files = [file for path in paths for file in hand_out(path, folder, options)]
    for file in files:
        print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; no half file is left.")
