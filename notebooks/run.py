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
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import papermill
from IPython.core.inputtransformer2 import TransformerManager
from latex2mathml.converter import convert as mathml
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"kernel_name": "python3", "extra_arguments": ["--log-level=ERROR"]}
SECONDS_PER_CELL = 600


# What a notebook says about itself


def question(notebook: NotebookNode) -> str:
    """Title of the notebook: its first heading."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading = re.search(r"^# +(.+)$", text, flags=re.MULTILINE)
    return heading.group(1).strip() if heading else "(no title)"


def parameters_source(notebook: NotebookNode) -> str:
    """Source of the one cell tagged `parameters`; empty if there is none."""
    tagged = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) > 1:
        raise ValueError(f"one cell may be tagged 'parameters'; found {len(tagged)}.")
    return tagged[0].source if tagged else ""


def parameters(notebook: NotebookNode) -> dict[str, Any]:
    """Name and default of each parameter; a default that is no simple value is refused."""
    defaults = {}
    for statement in ast.parse(parameters_source(notebook)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                defaults[name] = ast.literal_eval(value)
            case _:
                raise ValueError(f"not 'name = value': {ast.unparse(statement)}")
    return defaults


def real_parameters(notebook: NotebookNode) -> dict[str, Any]:
    """Values that the comments `# real: VALUE` of the parameters cell ask for."""
    asked = re.findall(
        r"^(\w+) *=.*# *real: *(.+)$", parameters_source(notebook), flags=re.MULTILINE
    )
    return {name: ast.literal_eval(value.strip()) for name, value in asked}


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


# Widgets as plain values, for pages without scripts and for the strict comparison


def widget_states(notebook: NotebookNode) -> dict[str, Any]:
    """Widgets stored in the notebook, by model id."""
    return notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def widget_tree(states: dict[str, Any], model_id: str) -> dict[str, Any]:
    """What a reader sees of a widget and its children: no ids, no layout, no style."""

    def seen(value: Any) -> Any:
        if isinstance(value, str) and value.startswith("IPY_MODEL_"):
            return widget_tree(states, value.removeprefix("IPY_MODEL_"))
        return [seen(item) for item in value] if isinstance(value, list) else value

    model = states[model_id]
    tree = {
        name: seen(value)
        for name, value in model["state"].items()
        if name in ("_model_name", "_options_labels")
        or not (name.startswith("_") or name in ("layout", "style"))
    }
    for buffer in model.get("buffers", []):  # an Image keeps its bytes apart, as base64
        tree[buffer["path"][-1]] = buffer["data"].replace("\n", "")
    return tree


def leaves(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """Widgets inside boxes, in the order of the page."""
    if "children" in tree:
        return [leaf for child in tree["children"] for leaf in leaves(child)]
    return [tree]


def picture(widget: dict[str, Any]) -> str | None:
    """Base64 of an Image widget; None for any other."""
    return widget["value"] if widget["_model_name"] == "ImageModel" else None


def setting(widget: dict[str, Any]) -> str:
    """HTML text of a widget other than an Image: its text, or its label and its value."""
    if widget["_model_name"] == "HTMLModel":
        return widget["value"]
    value = widget.get("value", "")
    if widget.get("_options_labels") and isinstance(widget.get("index"), int):
        value = widget["_options_labels"][widget["index"]]
    label = html.escape(str(widget.get("description", "")))
    return f"{label}: <b>{html.escape(str(value))}</b>"


# Static pages


class MathRenderer(IPythonRenderer):
    """Markdown with formulas in MathML, which browsers draw without any script."""

    def inline_math(self, body: str, display: str = "inline") -> str:
        """Formula in a line."""
        return mathml(body, display=display).replace(
            ' xmlns="http://www.w3.org/1998/Math/MathML"', ""
        )

    def block_math(self, body: str) -> str:
        """Formula on a line of its own."""
        return self.inline_math(body, display="block")

    def latex_environment(self, name: str, body: str) -> str:
        """Formula such as an `align`."""
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def page_name(notebook: str) -> str:
    """File name of a notebook's page; index.html is the page that lists all of them."""
    return "start.html" if notebook == "index" else f"{notebook}.html"


def still(tree: dict[str, Any]) -> str:
    """HTML of a widget as it stands: settings as text, the figure as an image."""
    parts = []
    for widget in leaves(tree):
        if png := picture(widget):
            width = html.escape(str(widget.get("width") or ""))
            source = f"data:image/png;base64,{png}"
            parts.append(f'<img alt="figure" width="{width}" src="{source}">')
        else:
            parts.append(f"<div>{setting(widget)}</div>")
    return "\n".join(parts)


def page(notebook: NotebookNode) -> str:
    """HTML page of an executed notebook that needs neither scripts nor the network."""
    notebook = nbformat.from_dict(notebook)
    states = widget_states(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            if view and view["model_id"] in states:
                tree = widget_tree(states, view["model_id"])
                output.data = NotebookNode({"text/html": still(tree)})
    exporter = HTMLExporter()
    exporter.register_filter(
        "markdown2html",
        lambda source: MarkdownWithMath(renderer=MathRenderer(escape=False)).render(source),
    )
    text, _ = exporter.from_notebook_node(
        notebook, {"metadata": {"name": question(notebook), "path": str(HERE)}}
    )
    text = re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)
    return re.sub(
        r'href="([^":/]+)\.ipynb\b', lambda link: f'href="{page_name(link[1])}', text
    )


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


def write(path: Path, text: str) -> None:
    """Write all of a file or nothing, whatever interrupts."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(path.name + ".tmp")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def execute(
    path: Path, values: dict[str, Any] | None = None, *, bar: bool = False
) -> tuple[NotebookNode, str]:
    """Executed copy of a notebook, and what went wrong in it (empty: nothing).

    papermill only warns of a parameter that the notebook does not have; here it is refused.
    """
    notebook = nbformat.read(path, as_version=4)
    known = parameters(notebook)
    if unknown := set(values or {}) - set(known):
        raise ValueError(
            f"{path.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has {', '.join(known) or 'none'}."
        )
    fault = ""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "executed.ipynb")
        try:
            papermill.execute_notebook(
                notebook,
                output,
                values or {},
                **KERNEL,
                cwd=str(path.resolve().parent),
                progress_bar={"desc": path.stem, "leave": False} if bar else False,
                execution_timeout=SECONDS_PER_CELL,
            )
        except papermill.PapermillExecutionError as error:
            fault = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        except Exception as error:  # a dead kernel, a cell without end: the others still run
            fault = f"{type(error).__name__}: {error}"
        if os.path.exists(output):
            notebook = nbformat.read(output, as_version=4)
    return notebook, fault


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
                show_without_widgets(output, widget_tree(states, view["model_id"]))
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
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


def show_without_widgets(output: NotebookNode, tree: dict[str, Any]) -> None:
    """Give readers who have no widgets (GitHub, a first look) the figure and the text."""
    widgets = leaves(tree)
    lines = [re.sub(r"<[^>]+>", "", setting(w)) for w in widgets if not picture(w)]
    output.data["text/plain"] = "\n".join(html.unescape(line) for line in lines)
    for png in filter(None, map(picture, widgets)):
        output.data["image/png"] = png


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
    """Notebooks asked for, by path or by file name; all of them if none is named."""
    if not names:
        paths = sorted(
            HERE.glob("*.ipynb"), key=lambda path: (path.stem != "index", path.stem)
        )
        if not paths:
            sys.exit(f"No notebook in {HERE}.")
        return paths
    paths = []
    for name in names:
        places = [Path(name), HERE / name, HERE / f"{name}.ipynb"]
        found = next((path for path in places if path.is_file()), None)
        if found is None:
            there = ", ".join(path.stem for path in chosen([]))
            sys.exit(f"No notebook {name}; there are {there}.")
        paths.append(found)
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
