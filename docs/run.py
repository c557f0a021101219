"""Run the notebooks from top to bottom: `reproduce` into build/, `store` in place.

`python3 dev.py reproduce` and `python3 dev.py store` call this file inside the environment.

Real data: behind a parameter of the cell tagged `parameters`, a comment `# real: VALUE`
(a Python literal) says what `reproduce --data DIR` puts in its place, for example
`source = "standin"  # real: "uci"`.
"""

import argparse
import ast
import html
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode

from toolkit.report.html import (
    KERNEL,
    SECONDS_PER_CELL,
    STATE,
    VIEW,
    execute,
    page,
    page_name,
    parameters,
    parameters_source,
    question,
    widget_states,
    write,
)

__all__ = ["claims", "execute", "page", "parameters", "reproduce", "store"]

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, BUILD = ROOT / "notebooks", ROOT / "build"


# Names and numbers


def name_of(path: Path) -> str:
    """Name of a notebook: its place in the folder of notebooks, such as pages/errata."""
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def number(name: str) -> str:
    """What figures and exercises of a notebook are numbered by: 4 in 4.1, or E in E.1."""
    stem = name.rpartition("/")[2]
    found = re.match(r"\d+", stem)
    return str(int(found[0])) if found else stem[0].upper()


def course(path: Path) -> tuple[str, bool, int, str]:
    """Key that sorts notebooks: the start, the lessons, what goes deeper, the pages."""
    found = re.match(r"\d+", path.stem)
    folder = "" if path.parent == NOTEBOOKS else path.parent.name
    return folder, path.stem != "index", int(found[0]) if found else 99, path.stem


def notebooks() -> list[Path]:
    """All notebooks in the order of the course."""
    found = NOTEBOOKS.rglob("*.ipynb")
    return sorted((p for p in found if ".ipynb_checkpoints" not in p.parts), key=course)


def anchor(heading: str) -> str:
    """Anchor of a heading on the site, for which neither its mark nor formulas count."""
    plain = re.sub(r"\$[^$]*\$|^◆ *", "", heading.strip())
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


# What a notebook says about itself


def remarks(notebook: NotebookNode) -> dict[str, str]:
    """Comment of each parameter: the one on its line, and the lines of comment below it."""
    said: dict[str, str] = {}
    source = re.sub(r"= \(\n +(.+)\n\)", r"= \1", parameters_source(notebook))  # a long line
    for line in source.splitlines():
        code, _, words = line.partition("  # ") if "  # " in line else (line, "", "")
        if match := re.match(r"(\w+) *=", code):
            said[match[1]] = words.strip()
        elif said and line.startswith("#"):
            said[[*said][-1]] += " " + line.lstrip("# ").strip()
    return said


def real_parameters(notebook: NotebookNode) -> dict[str, Any]:
    """Values that comments ending in `real: VALUE` ask for."""
    asked = {
        name: re.search(r"\breal: (.+)$", said) for name, said in remarks(notebook).items()
    }
    return {name: ast.literal_eval(found[1]) for name, found in asked.items() if found}


def claims(notebook: NotebookNode) -> int:
    """Number of assertions (`assert`, `….assert_*(…)`) in the cells that ran to their end."""
    plain = TransformerManager().transform_cell  # magics are no Python syntax
    found = 0
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.execution_count:
            continue
        if any(output.output_type == "error" for output in cell.outputs):
            continue
        for node in ast.walk(ast.parse(plain(cell.source))):
            match node:
                case ast.Assert():
                    found += 1
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    found += name.startswith("assert_")
    return found


# Static pages


class Result(NamedTuple):
    """One line of the closing table."""

    notebook: str
    question: str
    seconds: float
    claims: int
    verdict: str


def index_page(results: list[Result], data: str | None) -> str:
    """Page that links to the pages of all notebooks."""
    rows = ""
    for result in results:
        name, title, seconds, count, verdict = (html.escape(str(value)) for value in result)
        rows += f'<tr><td><a href="{page_name(name)}">{title}</a></td>'
        rows += f"<td>{float(seconds):.0f}</td><td>{count}</td><td>{verdict}</td></tr>\n"
    source = "the real files of a user" if data else "the bundled data"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Notebooks, executed</title>
<style>
body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; }}
td, th {{ padding: .3em 1em; text-align: left; border-bottom: 1px solid #ccc; }}
</style></head><body>
<h1>Notebooks, executed</h1>
<p>Run on {time.strftime("%d %B %Y")} with {source}. Each claim is an assertion in a cell.</p>
<table><tr><th>Question</th><th>Seconds</th><th>Claims asserted</th><th>Verdict</th></tr>
{rows}</table></body></html>
"""


# The two tasks


def reproduce(paths: list[Path], data: str | None) -> int:
    """Execute the notebooks into build/, write their pages, print the closing table."""
    results = []
    for path in paths:
        asked = real_parameters(nbformat.read(path, as_version=4)) if data else {}
        print(path.name, asked or "", flush=True)
        start = time.perf_counter()
        notebook, fault = execute(path, asked, bar=True)
        seconds = time.perf_counter() - start
        write(BUILD / path.name, nbformat.writes(notebook) + "\n")
        write(BUILD / page_name(path.stem), page(notebook))
        verdict = f"FAILED, {fault.splitlines()[0]}" if fault else "reproduced"
        results.append(
            Result(path.stem, question(notebook), seconds, claims(notebook), verdict)
        )
    write(BUILD / "index.html", index_page(results, data))
    print(f"\n{'notebook':<40} {'seconds':>7} {'claims asserted':>16}  verdict")
    for r in results:
        print(f"{r.notebook:<40} {r.seconds:>7.1f} {r.claims:>16}  {r.verdict}")
    print(f"Pages: {os.path.relpath(BUILD / 'index.html')}")
    return int(any(r.verdict != "reproduced" for r in results))


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Executed notebook without what differs from run to run or from machine to machine."""
    states = widget_states(notebook)
    shown: list[str] = []  # ids of the widgets on the page and all they refer to

    def follow(value: Any) -> None:
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                follow(item)
        elif isinstance(value, str):
            model_id = value.removeprefix("IPY_MODEL_")
            if model_id in states and model_id not in shown:
                shown.append(model_id)
                follow(states[model_id]["state"])

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            if view:
                follow(view["model_id"])
    notebook.metadata = NotebookNode(
        kernelspec={  # both as JupyterLab writes them, else it calls the notebook changed
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        language_info=notebook.metadata.language_info,
    )
    if shown:
        kept = {model_id: states[model_id] for model_id in shown}
        notebook.metadata["widgets"] = {
            STATE: {"state": kept, "version_major": 2, "version_minor": 0}
        }
    text = json.dumps(notebook)
    for number, model_id in enumerate(shown):
        text = text.replace(model_id, f"{number:032x}")
    return nbformat.from_dict(json.loads(text))


def store(paths: list[Path]) -> int:
    """Run each notebook in a fresh kernel and keep its outputs and widgets in the file."""
    failed = 0
    for path in paths:
        print(f"{path.name} … ", end="", flush=True)
        start = time.perf_counter()
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(
            notebook,
            timeout=SECONDS_PER_CELL,
            **KERNEL,
            record_timing=False,
            coalesce_streams=True,  # a print and its end of line in one piece
            store_widget_state=True,
            resources={"metadata": {"path": str(path.resolve().parent)}},
        )
        try:
            client.execute()
        except (CellControlSignal, DeadKernelError) as error:
            failed += 1
            print(f"FAILED, left as it was\n{error}")
            continue
        write(path, nbformat.writes(tidy(notebook)) + "\n")
        print(f"stored in {time.perf_counter() - start:.1f} s")
    return int(failed > 0)


def chosen(names: list[str]) -> list[Path]:
    """Notebooks asked for, by path, name or number; all of them if none is named."""
    if not names:
        return notebooks() or sys.exit(f"No notebook in {NOTEBOOKS}.")
    known = {}
    for path in notebooks():
        known |= {path.stem: path, name_of(path): path, re.sub(r"^\d+-", "", path.stem): path}
        known |= {number(path.stem): path} if path.stem[0].isdigit() else {}
    paths = []
    for name in names:
        asked = name.removesuffix(".ipynb")
        asked = str(int(asked)) if asked.isdecimal() else asked
        if Path(name).is_file():
            paths.append(Path(name))
        elif asked in known:
            paths.append(known[asked])
        else:
            there = ", ".join(map(name_of, notebooks()))
            sys.exit(f"No notebook {name}; there are {there}.")
    return paths


def main(arguments: list[str] | None = None) -> int:
    """Command line of this file."""
    parser = argparse.ArgumentParser(prog="dev.py")
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser("reproduce", help="execute notebooks into build/")
    task.add_argument("--data", metavar="DIR", help="folder with the real files")
    task.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    task = tasks.add_parser("store", help="run notebooks and keep their outputs in them")
    task.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    options = parser.parse_args(arguments)
    paths = chosen(options.notebooks)
    if options.task == "store":
        return store(paths)
    if options.data:
        if not os.path.isdir(options.data):
            sys.exit(f"--data: there is no folder {options.data}.")
        os.environ["PRIVACY_TOOLKIT_DATA"] = os.path.abspath(options.data)
    return reproduce(paths, options.data)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; no half file is left.")
