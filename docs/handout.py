"""Hand out notebooks: `python3 dev.py handout` calls this file inside the environment.

A notebook is the one source. From it come the students' copy (without solutions), the
lecturer's copy, a deck of slides and pages to print. What holds solutions goes to
build/lecturer, all else to build/handouts. Nothing is executed and nothing is fetched.
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.run import STATE, VIEW, chosen, number, page, question, widget_states, write  # noqa: E402

HANDOUTS = ROOT / "build" / "handouts"
LECTURER = ROOT / "build" / "lecturer"  # outside the folder that is handed out
STATIC = ROOT / "docs" / "_static"
REVEAL = "sphinx_revealjs/_static/revealjs/dist/"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ALONE = [  # a browser that asks nobody anything
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
]


def is_tagged(cell: NotebookNode, *tags: str) -> bool:
    """Whether a cell has one of some tags."""
    return not {*tags}.isdisjoint(cell.metadata.get("tags", []))


# Copies


def first_exercise(notebook: NotebookNode) -> int:
    """Place of the first cell that belongs to an exercise; after all cells if none does."""
    tags = ("exercise", "answer", "check", "solution", "quiz")
    places = (i for i, cell in enumerate(notebook.cells) if is_tagged(cell, *tags))
    return next(places, len(notebook.cells))


def used(notebook: NotebookNode) -> Iterator[str]:
    """Ids of the widgets that the outputs show, and of all that those refer to."""
    states = widget_states(notebook)
    views = (o.get("data", {}).get(VIEW) for c in notebook.cells for o in c.get("outputs", []))
    ids, seen = [view["model_id"] for view in views if view], set()
    while ids:
        if (name := ids.pop()) in states and name not in seen:
            seen.add(name)
            yield name
            ids += re.findall(r"IPY_MODEL_(\w+)", json.dumps(states[name]["state"]))


def with_its_widgets(notebook: NotebookNode) -> NotebookNode:
    """Drop the stored widgets that no output shows any more: their text may tell answers."""
    if STATE in notebook.metadata.get("widgets", {}):
        states = widget_states(notebook)
        kept = {name: states[name] for name in used(notebook)}
        notebook.metadata["widgets"][STATE]["state"] = kept
        if not kept:
            del notebook.metadata["widgets"]
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
    return without_the_clone(with_its_widgets(copy))


def lecturers_copy(notebook: NotebookNode) -> NotebookNode:
    """Copy whose solutions are open, each below its exercise; without claims."""
    copy = nbformat.from_dict(notebook)
    copy.cells = [cell for cell in copy.cells if not is_tagged(cell, "claims", "test")]
    for cell in copy.cells:
        if is_tagged(cell, "solution"):
            cell.metadata.pop("jupyter", None)
            cell.metadata.pop("collapsed", None)
            cell.metadata.pop("wrong", None)
    return without_the_clone(with_its_widgets(copy))


# Slides


def for_slides(notebook: NotebookNode) -> NotebookNode:
    """The title, the sections marked ◆, what is in short, and the quiz, a question a slide.

    Each heading begins a slide, which slides.js cuts where it is too long. The source of a
    cell is shown if it is tagged `show`. Of a notebook without marks, all cells are shown.
    """
    copy = students_copy(notebook)
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


def made_of(name: str, folder: Path) -> str:
    """Links to what there is of a notebook."""
    kinds = {
        "notebook": f"{name}.ipynb",
        "slides": f"{name}-slides.html",
        "PDF": f"{name}.pdf",
    }
    links = [
        f'<td><a href="{html.escape(file)}">{kind}</a></td>'
        if (folder / file).is_file()
        else "<td></td>"
        for kind, file in kinds.items()
    ]
    return "".join(links)


def contents(folder: Path, titles: dict[str, str], heading: str) -> str:
    """Page that links to all that a folder holds."""
    rows = ""
    sheet = ", ".join(
        f'<a href="formulas.{kind}">{word}</a>'
        for kind, word in (("html", "page"), ("pdf", "PDF"))
        if (folder / f"formulas.{kind}").is_file()
    )
    for name, title in titles.items():
        place = number(name) if name[0].isdigit() else ""
        rows += f"<tr><td>{place}</td><td>{html.escape(title)}</td>"
        rows += f"{made_of(name, folder)}</tr>\n"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 1rem/1.5 sans-serif; max-width: 55em; margin: 2em auto; padding: 0 1em; }}
td, th {{ padding: .3em .8em; text-align: left; border-bottom: 1px solid #ccc; }}
</style></head><body>
<main><h1>{heading}</h1>
<p>Notebooks open in JupyterLab (<code>python3 dev.py lab</code>); slides and PDF need nothing
but a browser, and no network.</p>
<table><thead><tr><th scope="col">No.</th><th scope="col">Question</th>
<th scope="col">Notebook</th><th scope="col">Slides</th><th scope="col">PDF</th></tr></thead>
<tbody>
{rows}</tbody></table>
<p>Formula sheet: {sheet}</p></main></body></html>
"""


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


def term(paths: list[Path], options: argparse.Namespace) -> list[Path]:
    """Write a folder for a term, with a page that links all in it."""
    folder = LECTURER if options.solutions else HANDOUTS
    for one in folder.iterdir() if folder.is_dir() else ():  # the folder itself stays
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    for path in paths:
        print(path.stem, flush=True)
        hand_out(path, folder, options)
    titles = {path.stem: question(nbformat.read(path, as_version=4)) for path in paths}
    heading = "The course, with solutions" if options.solutions else "The course"
    from docs import formulas  # which uses this module

    formulas.write(folder, options.pdf)
    write(folder / "index.html", contents(folder, titles, heading))
    return [folder / "index.html"]


def main(arguments: list[str] | None = None) -> int:
    """Command line of this file."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if {"--nbgrader", "--otter"} & {*arguments}:
        from docs import grading

        return grading.main(arguments)
    parser = argparse.ArgumentParser(
        prog="dev.py handout",
        description="Write the students' copy of a notebook, without solutions and without "
        "the outputs of exercises, into build/handouts. Nothing is executed.",
        epilog="With --solutions, files go to build/lecturer: do not hand them out. "
        "With --nbgrader or --otter, assignments of these tools are written into build/.",
    )
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="name or number")
    parser.add_argument("--solutions", action="store_true", help="the lecturer's copy")
    parser.add_argument("--slides", action="store_true", help="a deck of slides as well")
    parser.add_argument("--pdf", action="store_true", help="PDF (A4) as well; needs Chromium")
    for tool in ("nbgrader", "otter"):
        parser.add_argument(f"--{tool}", action="store_true", help=f"an assignment of {tool}")
    parser.add_argument(
        "--all", action="store_true", help="a folder for a term: all notebooks and decks"
    )
    options = parser.parse_args(arguments)
    if options.all == bool(options.notebooks):
        parser.error("name a notebook, as in `handout 4`, or say --all for all of them.")
    if options.pdf:
        browser()  # said before anything is written
    if options.all:
        options.slides = not options.solutions or options.slides
        files = term(chosen([]), options)
    else:
        folder = LECTURER if options.solutions else HANDOUTS
        files = [f for p in chosen(options.notebooks) for f in hand_out(p, folder, options)]
    for file in files:
        print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; no half file is left.")
