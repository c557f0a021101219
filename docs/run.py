"""Run the notebooks from top to bottom: `reproduce` into build/, `store` in place.

`python3 dev.py reproduce` and `python3 dev.py store` call this file inside the environment.

Real data: behind a parameter of the cell tagged `parameters`, a comment `# real: VALUE`
(a Python literal) says what `reproduce --data DIR` puts in its place, for example
`source = "standin"  # real: "uci"`.
"""

import argparse
import ast
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode

from docs.publish import (
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

__all__ = ["claims", "execute", "page", "parameters", "question", "reproduce", "store"]

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
    return sum(
        len(re.findall(r"^\s*assert\b|\bassert_\w+\(", cell.source, re.MULTILINE))
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.execution_count
        if all(output.output_type != "error" for output in cell.outputs)
    )


# The two tasks


def reproduce(paths: list[Path], data: str | None) -> int:
    """Execute the notebooks into build/, write their pages, print the closing table."""
    lines, failed = [], False
    for path in paths:
        asked = real_parameters(nbformat.read(path, as_version=4)) if data else {}
        print(path.name, asked or "", flush=True)
        start = time.perf_counter()
        notebook, fault = execute(path, asked, bar=True)
        seconds = time.perf_counter() - start
        write(BUILD / path.name, nbformat.writes(notebook) + "\n")
        write(BUILD / page_name(path.stem), page(notebook))
        verdict = f"FAILED, {fault.splitlines()[0]}" if fault else "reproduced"
        failed = failed or bool(fault)
        lines.append(f"{path.stem:<40} {seconds:>7.1f} {claims(notebook):>16}  {verdict}")
    print(f"\n{'notebook':<40} {'seconds':>7} {'claims asserted':>16}  verdict")
    print("\n".join(lines))
    print(f"Pages: {os.path.relpath(BUILD)}")
    return int(failed)


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Executed notebook without what differs from run to run or from machine to machine."""
    states, shown = widget_states(notebook), {}  # widgets on the page and all they refer to

    def follow(name: str) -> None:
        if name in states and name not in shown:
            shown[name] = states[name]
            for other in re.findall(r'"IPY_MODEL_(\w+)"', json.dumps(states[name]["state"])):
                follow(other)

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
        for output in cell.get("outputs", []):
            follow(output.get("data", {}).get(VIEW, {}).get("model_id", ""))
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    language = notebook.metadata.language_info
    notebook.metadata = NotebookNode(kernelspec=kernel, language_info=language)
    if shown:
        widgets = {"state": shown, "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {STATE: widgets}
    text = json.dumps(notebook)
    for number, name in enumerate(shown):
        text = text.replace(name, f"{number:032x}")
    return nbformat.from_dict(json.loads(text))


def store(paths: list[Path]) -> int:
    """Run each notebook in a fresh kernel and keep its outputs and widgets in the file."""
    failed = 0
    for path in paths:
        print(f"{path.name} … ", end="", flush=True)
        start = time.perf_counter()
        notebook = nbformat.read(path, as_version=4)
        folder = {"metadata": {"path": str(path.resolve().parent)}}
        options = {"timeout": SECONDS_PER_CELL, "record_timing": False, "resources": folder}
        options["coalesce_streams"] = True  # a print and its end of line in one piece
        try:
            NotebookClient(notebook, store_widget_state=True, **KERNEL, **options).execute()
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
    parser.add_argument("task", choices=["reproduce", "store"], help="into build/, in place")
    parser.add_argument("--data", metavar="DIR", help="reproduce: folder with the real files")
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
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
