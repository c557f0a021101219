"""Notebooks as pages: run by papermill, and shown without scripts and network.

Formulas are MathML, pictures are part of the page, widgets are shown as they stand.
"""

import ast
import html
import logging
import os
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import nbformat
from nbformat import NotebookNode

from toolkit.__main__ import write_all

STATE = "application/vnd.jupyter.widget-state+json"


VIEW = "application/vnd.jupyter.widget-view+json"


KERNEL = {
    "kernel_name": "python3",
    "extra_arguments": ["--log-level=CRITICAL", "--IPKernelApp.ignore_cwd=True"],
}


SECONDS_PER_CELL = 600


ENVIRONMENT = {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # pictures in the notebook
    "PYTHONSAFEPATH": "1",  # no modules from the folder of the data
}
"""What a kernel is started with: it draws, and runs nothing that lies beside the data."""


# What any notebook says about itself


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


# Static pages of executed notebooks


BOXES = {
    "Definition": "definition",
    "Theorem": "theorem",
    "Lemma": "theorem",
    "Corollary": "theorem",
    "Proposition": "theorem",
    "Proof": "proof",
    "In short": "summary",
    "Guess first": "predict",
    "Predict": "predict",
    "Explain": "explain",
}
"""First words of a quotation that is set off as a box, and the class of the box."""


def box_class(words: str) -> str:
    """Classes of a quotation that begins with these words in bold; empty if it is no box."""
    found = re.match(rf"({'|'.join(BOXES)})\b", words)
    return f"box {BOXES[found[1]]}" if found else ""


PRIMED = r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>'


@cache
def math_renderer() -> Any:
    """Class that renders Markdown, with its formulas in MathML."""
    from latex2mathml.converter import convert as mathml
    from nbconvert.filters.markdown_mistune import IPythonRenderer

    class MathRenderer(IPythonRenderer):
        """Markdown with formulas in MathML, which browsers draw without any script."""

        def inline_math(self, body: str, display: str = "inline") -> str:
            """Formula in a line."""
            drawn = mathml(body, display=display)
            drawn = drawn.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
            drawn = re.sub(r'columnalign="(\w+)"', r'style="text-align:\1"', drawn)
            # The sign of a prime is small and raised already: twice, and nobody sees it.
            return re.sub("<msup>(<mi>[^<]*</mi>)<mi>(&#x02032;)</mi></msup>", PRIMED, drawn)

        def block_quote(self, text: str) -> str:
            """Quotation; one that begins with "Definition 3." and the like is a box."""
            first = re.match(r"\s*(?:<p>)?<strong>(.*?)</strong>", text)
            classes = box_class(first[1]) if first else ""
            attribute = f' class="{classes}"' if classes else ""
            return f"<blockquote{attribute}>\n{text}</blockquote>\n"

        def block_math(self, body: str) -> str:
            """Formula on a line of its own."""
            return self.inline_math(body, display="block")

        def latex_environment(self, name: str, body: str) -> str:
            """Formula such as an `align`."""
            return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    return MathRenderer


def page_name(notebook: str) -> str:
    """File name of a notebook's page; index.html is the page that lists all of them."""
    return "start.html" if notebook == "index" else f"{notebook}.html"


def still(tree: dict[str, Any], alt: str = "figure") -> str:
    """HTML of a widget as it stands: settings as text, the figure as an image."""
    parts = []
    for widget in leaves(tree):
        if png := picture(widget):
            width = html.escape(str(widget.get("width") or ""))
            source = f"data:image/png;base64,{png}"
            parts.append(f'<img alt="{html.escape(alt)}" width="{width}" src="{source}">')
        else:
            parts.append(f"<div>{setting(widget)}</div>")
    return "\n".join(parts)


LEGIBLE = """<style>
:root { --jp-mirror-editor-comment-color: #306060; --jp-mirror-editor-number-color: #006b00;
  --jp-mirror-editor-operator-color: #8a00e6; --jp-mirror-editor-meta-color: #8a00e6;
  --jp-cell-prompt-not-active-font-color: #595959; --jp-cell-inprompt-font-color: #595959;
  --jp-cell-outprompt-font-color: #595959; --jp-cell-prompt-not-active-opacity: 1; }
.jp-RenderedHTMLCommon a:link, .jp-RenderedHTMLCommon a:visited { text-decoration: underline; }
</style>
"""
"""Colours of code and prompts that stand out enough, and links that are seen as such."""


def brightness(colour: str) -> float:
    """Relative luminance of a colour such as #4191c6, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


HEADING = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")


def with_scopes(text: str) -> str:
    """Say of each heading of a table on a page whether it heads a column or a row.

    An empty one heads nothing, and becomes a cell.

    >>> with_scopes("<thead><tr><th>k</th></tr></thead><tr><th>age</th><td>3</td></tr>")
    '<thead><tr><th scope=col>k</th></tr></thead><tr><th scope=row>age</th><td>3</td></tr>'
    """
    text = text.replace("<th></th>", "<td></td>")
    text = re.sub(
        r"<thead\b.*?</thead>",
        lambda found: HEADING.sub("<th scope=col", found[0]),  # without marks, as in JSON
        text,
        flags=re.DOTALL,
    )
    return HEADING.sub("<th scope=row", text)


def legible(text: str) -> str:
    """Page whose coloured cells have the darker or lighter text, whichever is read better."""

    def better(found: re.Match[str]) -> str:
        ground = brightness(found[2])
        dark = (ground + 0.05) / 0.05 > 1.05 / (ground + 0.05)
        return f"{found[1]}{'#000000' if dark else '#ffffff'}"

    pattern = r"(background-color: (#[0-9a-f]{6});\s*color: )#[0-9a-f]{6}"
    return re.sub(pattern, better, with_scopes(text))


def page(
    notebook: NotebookNode,
    *,
    link=page_name,
    exporter=None,
) -> str:
    """HTML page of an executed notebook that needs neither scripts nor the network.

    `link` turns the name of another notebook into its address; `exporter` makes a page, by
    default, or slides.
    """
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import MarkdownWithMath

    notebook = folded(nbformat.from_dict(notebook))
    states = widget_states(notebook)
    heading, captions = question(notebook), []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.strip():
            heading = re.sub(r"[#*`]", "", cell.source.strip().splitlines()[-1]).strip()
        said = str(cell.metadata.get("alt", ""))  # by the cell, of its figure
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            if view and view["model_id"] in states:
                tree = widget_tree(states, view["model_id"])
                shown = still(tree, str(cell.metadata.get("alt", "figure")))
                output.data = nbformat.NotebookNode({"text/html": shown})
            elif "image/png" in output.get("data", {}):
                captions.append(said or f"Figure: {heading}")
            said = cell.metadata.get("alt") or output.get("data", {}).get("text/plain", "")
    made = (exporter or HTMLExporter)(
        extra_template_basedirs=[],  # templates are programs: none from the current folder
    )
    made.register_filter(
        "markdown2html",
        lambda source: MarkdownWithMath(renderer=math_renderer()(escape=False)).render(source),
    )
    made.log = logging.getLogger(__name__)
    made.log.setLevel(logging.ERROR)  # it tells that pictures have no text; they get one
    text, _ = made.from_notebook_node(
        notebook, {"metadata": {"name": question(notebook), "path": os.curdir}}
    )
    text = re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)
    texts = iter(captions)
    text = re.sub(
        r'alt="No description[^"]*"',
        lambda _: f'alt="{html.escape(next(texts, "Figure"))}"',
        text,
    )
    text = legible(text).replace("</head>", f"{LEGIBLE}</head>", 1)
    others = r'href="(?:[\w.-]+/)*([^":/]+)\.ipynb\b'  # they lie in one folder
    return re.sub(others, lambda found: f'href="{link(found[1])}', text)


def folded(notebook: NotebookNode) -> NotebookNode:
    """Put each cell whose source is hidden in JupyterLab behind a line to click on."""
    cells = []
    for cell in notebook.cells:
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            cells.append(cell)
            continue
        name = "Solution" if "solution" in cell.metadata.get("tags", []) else "Code"
        source = f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source
        text = f"<details>\n<summary>{name}</summary>\n\n{source}\n\n</details>"
        cells.append(nbformat.v4.new_markdown_cell(text, id=cell.id))
    notebook.cells = cells
    return notebook


# Files, and runs in a kernel


def write(path: Path, text: str) -> None:
    """Write all of a file or nothing, into a folder that is made if it is not there."""
    path.parent.mkdir(exist_ok=True)
    write_all({path: text})


def execute(
    path: Path,
    values: dict[str, Any] | None = None,
    *,
    bar: bool = False,
    folder: Path | None = None,
) -> tuple[NotebookNode, str]:
    """Executed copy of a notebook, and what went wrong in it (empty: nothing).

    It runs in `folder`, by default in its own. papermill only warns of a parameter that the
    notebook does not have; here it is refused.
    """
    import papermill

    notebook = nbformat.read(path, as_version=4)
    known = parameters(notebook)
    if unknown := set(values or {}) - set(known):
        raise ValueError(
            f"{path.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has {', '.join(known) or 'none'}."
        )
    fault = ""  # what the logs would say as well, with tracebacks
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as scratch, patch.dict(os.environ, ENVIRONMENT):
        output = os.path.join(scratch, "executed.ipynb")
        try:
            papermill.execute_notebook(
                str(path),
                output,
                values,
                **KERNEL,
                cwd=str(folder or path.resolve().parent),
                progress_bar={"desc": path.stem, "leave": False} if bar else False,
                execution_timeout=SECONDS_PER_CELL,
            )
        except papermill.PapermillExecutionError as error:
            fault = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        except Exception as error:  # a dead kernel, a cell without end: the others still run
            fault = f"{type(error).__name__}: {error}"
        if os.path.exists(output):
            notebook = nbformat.read(output, as_version=4)
    for part in [notebook, *notebook.cells]:
        part.metadata.pop("papermill", None)  # times, and places of this machine
    return notebook, fault
