"""The report's notebook run in this process, and the page of what its cells show.

Neither needs Jupyter, whose start would take longer than the measures of a table of moderate
size. The notebook stays the one source: the page shows what its cells show, in their order.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import io
import json
import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .._kinds import with_scopes
from .words import LOOK

__all__ = [
    "INJECTED",
    "check_drawn",
    "literal",
    "page_of",
    "run",
    "set_parameters",
    "written",
]


INJECTED = "injected-parameters"


QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings for programmers, which no page shows."""


# Parameters


def literal(value: Any) -> str:
    """Python of a simple value: it gives the value back and does nothing else."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        pairs = (f"{literal(key)}: {literal(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    text = repr(value)
    ast.literal_eval(text)  # a ValueError if it is no simple value
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text


def set_parameters(notebook: Any, values: dict[str, Any]) -> None:
    """Put values into a cell below that of the defaults, or in place of those put there.

    They are data: nothing that stands in a text, such as a path, becomes code.
    """
    cells = notebook["cells"]
    tagged = [cell["metadata"].get("tags", []) for cell in cells]
    lines = [f"{name} = {literal(value)}" for name, value in values.items()]
    source = "\n".join(["# Parameters", *lines])
    ours = next((at for at, tags in enumerate(tagged) if INJECTED in tags), None)
    if ours is not None:
        cells[ours]["source"] = source
    elif values:
        below = next((at for at, tags in enumerate(tagged, 1) if "parameters" in tags), 0)
        cell: dict[str, Any] = {"cell_type": "code", "id": "parameters-given"}
        cell |= {
            "execution_count": None,
            "metadata": {"tags": [INJECTED]},
            "outputs": [],
            "source": source,
        }
        cells.insert(below, type(notebook)(cell))


# A run without a kernel


def run(
    path: Path, values: dict[str, Any], given: Mapping[str, Any] | None = None, asks: str = ""
) -> tuple[dict[str, Any], str]:
    """Copy of a notebook that was run in this process, and what went wrong (empty: nothing).

    Outputs are those of a kernel: the value of the last line of a cell, what was printed and
    said, and the figures that are open after it. Names that are `given` stand for those that
    cells import. An error of a cell that calls `asks` is about what was asked: it is raised.
    """
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    set_parameters(notebook, values)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    with _figures() as figures:
        for number, cell in enumerate(cells, 1):
            cell["execution_count"], cell["outputs"] = number, []
            try:
                _run_cell(cell, number, names, figures)
                names |= {name: one for name, one in (given or {}).items() if name in names}
            except Exception as error:
                if asks and f"{asks}(" in cell["source"]:
                    raise
                return notebook, f"cell {number}: {type(error).__name__}: {error}"
    return notebook, ""


@contextlib.contextmanager
def _figures() -> Iterator[Any]:
    """Module that holds the figures, which draws to memory whatever the user's settings."""
    before = os.environ.get("MPLBACKEND")
    os.environ["MPLBACKEND"] = "agg"
    try:
        import matplotlib.pyplot as plt
    finally:
        if before is None:
            del os.environ["MPLBACKEND"]
        else:
            os.environ["MPLBACKEND"] = before
    backend = plt.get_backend()
    if backend.lower() != "agg":
        plt.switch_backend("agg")
    try:
        with plt.rc_context():
            yield plt
    finally:
        if backend.lower() != "agg":
            plt.switch_backend(backend)


def _run_cell(cell: dict[str, Any], number: int, names: dict[str, Any], plt: Any) -> None:
    """Run a cell and keep what it shows."""
    lines = ast.parse(cell["source"])
    last = lines.body[-1] if lines.body else None
    value, said, others = None, io.StringIO(), plt.get_fignums()

    def say(message: Any, *_: Any, **__: Any) -> None:
        said.write(f"{message}\n")  # without its place in the code

    drawn = []
    with warnings.catch_warnings(), contextlib.redirect_stdout(said):
        warnings.simplefilter("default")
        for kind in QUIET:
            warnings.simplefilter("ignore", kind)
        warnings.showwarning = say
        if isinstance(last, ast.Expr):
            lines.body.pop()
            exec(compile(lines, f"cell {number}", "exec"), names)
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        else:
            exec(compile(lines, f"cell {number}", "exec"), names)
        for figure in plt.get_fignums():
            if figure not in others:
                drawn.append(_display(plt.figure(figure)))
                plt.close(figure)
    if said.getvalue():
        cell["outputs"].append(
            {"output_type": "stream", "name": "stderr", "text": said.getvalue()}
        )
    if value is not None:
        cell["outputs"].append(_result(value, number))
    cell["outputs"] += drawn


def _result(value: Any, number: int) -> dict[str, Any]:
    """Output of a value: as text, and as a page has it."""
    data = {"text/plain": repr(value)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_()
    kind = {"output_type": "execute_result", "execution_count": number}
    return kind | {"data": data, "metadata": {}}


def _display(figure: Any) -> dict[str, Any]:
    """Output of a figure: cut to what is drawn, as in a notebook."""
    picture = io.BytesIO()
    figure.canvas.print_figure(picture, format="png", bbox_inches="tight", dpi="figure")
    png = base64.b64encode(picture.getvalue()).decode("ascii")
    data = {"image/png": png, "text/plain": repr(figure)}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def check_drawn(notebook: Any) -> None:
    """Refuse a notebook that lacks a figure which one of its cells draws."""
    cells = [cell for cell in notebook["cells"] if "plt.subplots(" in cell["source"]]
    drawn = [
        any(
            kind.startswith("image/")
            for output in cell["outputs"]
            for kind in output.get("data", {})
        )
        for cell in cells
    ]
    if not all(drawn):
        raise ValueError(
            f"{drawn.count(False)} of {len(drawn)} figures were not drawn, so nothing was"
            f" written; look for settings of Matplotlib that choose a backend."
        )


def written(notebook: dict[str, Any]) -> str:
    """File of a notebook, in the order and with the line breaks of Jupyter."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


# The page


def page_of(notebook: dict[str, Any]) -> str:
    """HTML page of what the cells show: no code, no script, nothing from elsewhere.

    Each heading of second order begins a section; the contents stand at the side, and on a
    narrow screen above, folded.
    """
    title, parts, contents = "", [], []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for block in filter(str.strip, source.split("\n\n")):
                level, text = _heading(block)
                if level == 2:
                    name = re.sub(r"\W+", "-", text.lower()).strip("-")
                    contents.append((name, text))
                    parts.append(f'</section>\n<section id="{name}">\n<h2>{_text(text)}</h2>')
                elif level:
                    title = title or text
                    parts.append(f"<h{level}>{_text(text)}</h{level}>")
                else:
                    parts.append(f"<p>{_text(' '.join(block.split()))}</p>")
        elif cell["cell_type"] == "code":
            parts += _shown(cell["outputs"])
    links = "\n".join(
        f'<li><a href="#{name}">{_text(text)}</a></li>' for name, text in contents
    )
    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{LOOK}</style></head>
<body class="report-page">
<nav class="report-side" aria-label="Contents"><b>Contents</b><ol>{links}</ol></nav>
<main><section>
<details class="report-contents"><summary>Contents</summary><ol>{links}</ol></details>
{chr(10).join(parts)}
</section></main></body></html>
"""
    return with_scopes(text)


def _heading(block: str) -> tuple[int, str]:
    """Order of a heading, 0 for a paragraph, and its text."""
    found = re.match(r"(#{1,3}) +(.+)", block.strip())
    return (len(found[1]), found[2].strip()) if found else (0, block)


def _text(text: str) -> str:
    return html.escape(text, quote=False)


def _shown(outputs: list[dict[str, Any]]) -> list[str]:
    """What a cell shows: a figure stands with the text above it, which describes it."""
    parts: list[str] = []
    words = ""
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            source = f"data:image/png;base64,{data['image/png']}"
            picture = f'<img alt="{html.escape(words or "Figure")}" src="{source}">'
            caption = parts.pop() if words else ""
            hint = '<p class="report-hint">The figure is wider than the screen: scroll it.</p>'
            scroll = f'<div class="report-scroll" tabindex="0">{picture}</div>'
            parts.append(f"<figure>{caption}{hint}{scroll}</figure>")
        elif "text/html" in data:
            parts.append(data["text/html"].replace(f"<style>{LOOK}</style>\n", ""))
            words = data.get("text/plain", "")
        elif text := data.get("text/plain") or output.get("text"):
            parts.append(f'<pre class="report-said">{html.escape(text)}</pre>')
    return parts
