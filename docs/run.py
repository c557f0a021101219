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
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
from nbformat import NotebookNode

from toolkit.__main__ import write_all

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS, BUILD = ROOT / "notebooks", ROOT / "build"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
SECONDS_PER_CELL = 600
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
ENVIRONMENT = {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # pictures in the notebook
    "PYTHONSAFEPATH": "1",  # no modules from the folder of the data
}
"""Environment of a kernel: it draws, and imports no modules from the folder of the data."""


# Names and numbers


def name_of(path: Path) -> str:
    """Name of a notebook: its path in the folder of notebooks, such as pages/errata."""
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def number(name: str) -> str:
    """Number or letter in the figure and exercise numbers of a notebook: 4.1 or E.1."""
    stem = name.rpartition("/")[2]
    found = re.match(r"\d+", stem)
    return str(int(found[0])) if found else stem[0].upper()


def course(path: Path) -> tuple[str, bool, int, str]:
    """Sorting key of notebooks: the start, the lessons, the further notebooks, the pages."""
    found = re.match(r"\d+", path.stem)
    folder = "" if path.parent == NOTEBOOKS else path.parent.name
    return folder, path.stem != "index", int(found[0]) if found else 99, path.stem


def notebooks() -> list[Path]:
    """All notebooks in the order of the course."""
    found = NOTEBOOKS.rglob("*.ipynb")
    return sorted((p for p in found if ".ipynb_checkpoints" not in p.parts), key=course)


def anchor(heading: str) -> str:
    """Anchor of a heading on the site, without its mark and its formulas."""
    plain = re.sub(r"\$[^$]*\$|^◆ *", "", heading.strip())
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def chosen(names: list[str]) -> list[Path]:
    """Notebooks by path, name or number; all notebooks if none is named."""
    known = {}
    for path in notebooks():
        count, title = re.fullmatch(r"(?:0*(\d+)-)?(.+)", path.stem).groups()
        known |= dict.fromkeys((path.stem, name_of(path), title, count), path)
    paths = []
    for name in names:
        asked = name.removesuffix(".ipynb")
        path = Path(name) if Path(name).is_file() else None
        path = path or known.get(asked) or known.get(asked.lstrip("0"))
        if not path:
            there = ", ".join(map(name_of, notebooks()))
            sys.exit(f"No notebook {name}; there are {there}.")
        paths.append(path)
    return paths or notebooks()


# Facts in a notebook


def asked_for(notebook: NotebookNode) -> list[Any]:
    """Parameters of a notebook, as papermill reads them from the tagged cell."""
    from papermill.translators import PythonTranslator

    cells = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    return [each for cell in cells for each in PythonTranslator.inspect(cell)]


def parameters(notebook: NotebookNode) -> dict[str, Any]:
    """Name and default of each parameter; refuse a default that is not a literal."""
    return {each.name: ast.literal_eval(each.default) for each in asked_for(notebook)}


def real_parameters(notebook: NotebookNode) -> dict[str, Any]:
    """Values of the parameters with a comment that ends in `real: VALUE`."""
    asked = {e.name: re.search(r"\breal: (.+)$", e.help) for e in asked_for(notebook)}
    return {name: ast.literal_eval(found[1]) for name, found in asked.items() if found}


# Runs in a kernel


def write(path: Path, text: str) -> None:
    """Write a whole file or nothing; create its folder if necessary."""
    path.parent.mkdir(exist_ok=True)
    write_all({path: text})


def execute(
    path: Path,
    values: dict[str, Any] | None = None,
    *,
    bar: bool = False,
    folder: Path | None = None,
) -> tuple[NotebookNode, str]:
    """Executed copy of a notebook, and its error as text; empty if there was none.

    The notebook runs in `folder`, by default its own. A parameter that the notebook does not
    have is refused; papermill would only warn of it.
    """
    import papermill

    notebook, fault = nbformat.read(path, as_version=4), ""
    known = parameters(notebook)
    if unknown := set(values or {}) - set(known):
        raise ValueError(
            f"{path.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has {', '.join(known) or 'none'}."
        )
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
                execution_timeout=SECONDS_PER_CELL,
                progress_bar={"desc": path.stem, "leave": False} if bar else False,
                request_save_on_cell_execute=False,
                record_timing=False,
                coalesce_streams=True,  # a print and its end of line in one piece
            )
        except papermill.PapermillExecutionError as error:
            fault = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        except Exception as error:  # a dead kernel or a timeout; the other notebooks still run
            fault = f"{type(error).__name__}: {error}"
        if output.exists():
            notebook = nbformat.read(output, as_version=4)
    for part in [notebook, *notebook.cells]:
        part.metadata.pop("papermill", None)  # times, and paths of this machine
        if not part.metadata.get("tags", ["some"]):
            del part.metadata["tags"]
    return notebook, fault


def reproduce(paths: list[Path], data: str | None) -> int:
    """Execute the notebooks into build/, write their pages, and print a final table."""
    from docs.publish import page

    lines, failed = [], False
    for path in paths:
        asked = real_parameters(nbformat.read(path, as_version=4)) if data else {}
        print(path.name, asked or "", flush=True)
        start = time.perf_counter()
        notebook, fault = execute(path, asked, bar=True)
        seconds = time.perf_counter() - start
        write(BUILD / path.name, nbformat.writes(notebook) + "\n")
        write(BUILD / f"{path.stem}.html", page(notebook))
        verdict = f"FAILED, {fault.splitlines()[0]}" if fault else "reproduced"
        failed = failed or bool(fault)
        lines.append(f"{path.stem:<40} {seconds:>7.1f}  {verdict}")
    print(f"\n{'notebook':<40} {'seconds':>7}  verdict")
    print("\n".join(lines))
    print(f"Pages: {os.path.relpath(BUILD)}")
    return int(failed)


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Executed notebook without parts that differ between runs or machines."""
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    shown: dict[str, Any] = {}  # widgets on the page, and the widgets that they refer to

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
    language = notebook.metadata.language_info
    notebook.metadata = NotebookNode(kernelspec=KERNEL, language_info=language)
    if shown:
        widgets = {"state": shown, "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {STATE: widgets}
    text = json.dumps(notebook)
    for place, name in enumerate(shown):
        text = text.replace(name, f"{place:032x}")
    return nbformat.from_dict(json.loads(text))


def store(paths: list[Path]) -> int:
    """Run each notebook in a fresh kernel, and store its outputs and widgets in the file."""
    failed = False
    for path in paths:
        start = time.perf_counter()
        notebook, fault = execute(path)
        if not fault:
            write(path, nbformat.writes(tidy(notebook)) + "\n")
        failed = failed or bool(fault)
        seconds = f"stored in {time.perf_counter() - start:.1f} s"
        print(path.name, "…", f"FAILED, left as it was\n{fault}" if fault else seconds)
    return int(failed)


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
