"""Run the notebooks from top to bottom: `reproduce` into build/, `store` in place.

`python3 dev.py reproduce` and `python3 dev.py store` call this file inside the environment.

Real data: in the cell tagged `parameters`, a comment `# real: VALUE` after a parameter gives
the value (a Python literal) that `reproduce --data DIR` uses instead, for example
`source = "standin"  # real: "uci"`.
"""

import argparse
import ast
import json
import logging
import os
import re
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbformat import NotebookNode

from toolkit.__main__ import write_all

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, BUILD = ROOT / "notebooks", ROOT / "build"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
INLINE = "module://matplotlib_inline.backend_inline"
ENVIRONMENT = {"MPLBACKEND": INLINE, "PYTHONSAFEPATH": "1"}
"""Environment of a kernel: it draws, and imports no modules from the folder of the data."""


# Names and numbers


def name_of(path: Path) -> str:
    """Name of a notebook: its path in the folder of notebooks, such as pages/errata."""
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def number(name: str) -> str:
    """Number or letter in the figure and exercise numbers of a notebook: 4.1 or E.1."""
    stem = name.rpartition("/")[2]
    return stem.partition("-")[0].lstrip("0") if stem[0].isdigit() else stem[0].upper()


def notebooks() -> list[Path]:
    """All notebooks: the start, the lessons, the further notebooks, the pages."""
    paths = [*NOTEBOOKS.glob("[!.]*.ipynb"), *NOTEBOOKS.glob("[!.]*/[!.]*.ipynb")]
    return sorted(paths, key=lambda path: (path.parent, path.stem != "index", path))


def anchor(heading: str) -> str:
    """Anchor of a heading on the site, without its mark and its formulas."""
    plain = re.sub(r"\$[^$]*\$|^◆ *", "", heading.strip())
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def chosen(names: list[str]) -> list[Path]:
    """Notebooks by path, name or number; all notebooks if none is named."""
    known: dict[str, Path] = {}
    for path in notebooks():
        bare = path.stem.lstrip("-0123456789")
        for name in (path.stem, name_of(path), bare, number(path.stem)):
            known[name.lstrip("0")] = path
    paths = []
    for name in names:
        path = known.get(name.removesuffix(".ipynb").lstrip("0"))
        paths.append(Path(name).resolve() if Path(name).is_file() else path)
        if not paths[-1]:
            sys.exit(f"No notebook {name}; there are {', '.join(map(name_of, notebooks()))}.")
    return paths or notebooks()


# Runs in a kernel


def real_parameters(notebook: NotebookNode) -> dict:
    """Values of the parameters with a comment that ends in `real: VALUE`."""
    from papermill import inspect_notebook

    notebook = NotebookNode(notebook, metadata={"kernelspec": KERNEL})
    asked = inspect_notebook(notebook).items()
    real = {name: re.search(r"\breal: (.+)$", about["help"]) for name, about in asked}
    return {name: ast.literal_eval(found[1]) for name, found in real.items() if found}


def write(path: Path, text: str) -> None:
    """Write a whole file or nothing; create its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_all({path: text})


def execute(path: Path, values: dict | None = None, folder: Path | None = None) -> tuple:
    """Executed copy of a notebook, and its error as text; empty if there was none.

    The notebook runs in `folder`, by default its own.
    """
    import papermill

    fault = ""
    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # `fault` says it
    with tempfile.TemporaryDirectory() as scratch, patch.dict(os.environ, ENVIRONMENT):
        output = Path(scratch, "executed.ipynb")
        try:
            papermill.execute_notebook(
                path,
                output,
                values,
                cwd=folder or path.resolve().parent,
                kernel_name=KERNEL["name"],
                extra_arguments=["--log-level=CRITICAL", "--IPKernelApp.ignore_cwd=True"],
                progress_bar=False,
                request_save_on_cell_execute=False,
                record_timing=False,
                coalesce_streams=True,  # a print and its end of line in one piece
            )
        except papermill.PapermillExecutionError as error:
            fault = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        except Exception as error:  # a dead kernel; the other notebooks still run
            fault = f"{type(error).__name__}: {error}"
        return nbformat.read(output if output.exists() else path, as_version=4), fault


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Executed notebook without parts that differ between runs or machines."""
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)  # times
        if not cell.metadata.get("tags", ["some"]):
            del cell.metadata["tags"]
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
    shown: dict[str, dict] = {}  # widgets on the page, each before those that it refers to
    waiting = re.findall(r'"model_id": "(\w+)"', json.dumps(notebook.cells))
    while waiting:
        name = waiting.pop(0)
        if name in states and name not in shown:
            shown[name] = states[name]
            waiting[:0] = re.findall(r'"IPY_MODEL_(\w+)"', json.dumps(states[name]["state"]))
    language = notebook.metadata.language_info
    notebook.metadata = NotebookNode(kernelspec=KERNEL, language_info=language)
    if shown:
        widgets = {"state": shown, "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {STATE: widgets}
    text = json.dumps(notebook)
    for place, name in enumerate(shown):
        text = text.replace(name, f"{place:032x}")
    return nbformat.from_dict(json.loads(text))


def run_all(paths: list[Path], *, real: bool = False, in_place: bool = False) -> int:
    """Execute notebooks in place, or into build/ with their pages; a line says how each went.

    A notebook that fails is left as it was, if it is executed in place.
    """
    from docs.publish import page

    failed = False
    for path in paths:
        asked = real_parameters(nbformat.read(path, as_version=4)) if real else {}
        start = time.perf_counter()
        notebook, fault = execute(path, asked)
        if not in_place:
            write(BUILD / path.name, nbformat.writes(notebook) + "\n")
            write(BUILD / f"{path.stem}.html", page(notebook))
        elif not fault:
            write(path, nbformat.writes(tidy(notebook)) + "\n")
        verdict = f"FAILED, {fault}" if fault else "stored" if in_place else "reproduced"
        seconds = time.perf_counter() - start
        print(f"{path.stem:<40} {seconds:>7.1f} s  {verdict}", asked or "", flush=True)
        failed = failed or bool(fault)
    return int(failed)


def main(arguments: list[str] | None = None) -> int:
    """Command line of this file."""
    parser = argparse.ArgumentParser(prog="dev.py")
    parser.add_argument("task", choices=["reproduce", "store"], help="into build/, in place")
    parser.add_argument("--data", metavar="DIR", help="reproduce: folder with the real files")
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    options = parser.parse_intermixed_args(arguments)
    if options.data:
        if not os.path.isdir(options.data):
            sys.exit(f"--data: there is no folder {options.data}.")
        os.environ["PRIVACY_TOOLKIT_DATA"] = os.path.abspath(options.data)
    paths, in_place = chosen(options.notebooks), options.task == "store"
    return run_all(paths, real=bool(options.data) and not in_place, in_place=in_place)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; no half file is left.")
