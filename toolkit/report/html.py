"""Pages of HTML, one file each: of the report, of a table beside its release, of notebooks.

The first two need no Jupyter, whose start would take longer than the measures of a table of
moderate size. The notebook of the report is run in this process and stays the one source of
it: the page shows what its cells show, in their order.

Any executed notebook becomes a page that needs neither scripts nor the network: formulas are
MathML, pictures are part of the page, widgets are shown as they stand.
"""

# Longer than other modules: three kinds of pages share how parameters are written, pictures
# are kept and headings have scopes; Jupyter is loaded by the functions that need it.

# mypy: disable-error-code="no-any-return, no-untyped-call"
# Jupyter does not say of what types its functions are.

from __future__ import annotations

import ast
import base64
import contextlib
import html
import io
import json
import logging
import math
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy as np
import pandas as pd

from .. import __version__
from .._old.assuming import Assumptions
from .._old.attribute import l_diversity, t_closeness
from .._old.checking import people_per_class, visible
from .._old.classes import equivalence_classes, sensitive_tables
from .._typing import BoolArray, IntArray, Markup, cell as cell_of, html_table, with_scopes
from ..information.pif import information_factors
from .decision import plain_threshold
from .words import LOOK, _plain, share

if TYPE_CHECKING:
    from nbconvert import HTMLExporter
    from nbformat import NotebookNode

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
        mark = {"tags": [INJECTED]}
        cell: dict[str, Any] = {"cell_type": "code", "id": "parameters-given"}
        cell |= {"execution_count": None, "metadata": mark, "outputs": [], "source": source}
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
    """Module that holds the figures, which draws to memory, without settings of a folder."""
    # Matplotlib looks for settings in the current folder when it is loaded, so it is another.
    with _environment({"MPLBACKEND": "agg"}), contextlib.chdir(Path(__file__).parent):
        import matplotlib.pyplot as plt
    backend = plt.get_backend()
    if backend.lower() != "agg":
        plt.switch_backend("agg")
    try:
        with plt.rc_context():
            plt.rcdefaults()
            yield plt
    finally:
        if backend.lower() != "agg":
            plt.switch_backend(backend)


def _run_cell(cell: dict[str, Any], number: int, names: dict[str, Any], plt: Any) -> None:
    """Run a cell and keep what it shows."""
    lines = ast.parse(cell["source"])
    shown = lines.body.pop() if lines.body and isinstance(lines.body[-1], ast.Expr) else None
    value, said, others = None, io.StringIO(), plt.get_fignums()

    def say(message: Any, *_: Any, **__: Any) -> None:
        said.write(f"{message}\n")  # without its place in the code

    drawn = []
    with warnings.catch_warnings(), contextlib.redirect_stdout(said):
        warnings.simplefilter("default")
        for kind in QUIET:
            warnings.simplefilter("ignore", kind)
        warnings.showwarning = say
        exec(compile(lines, f"cell {number}", "exec"), names)
        if isinstance(shown, ast.Expr):
            value = eval(compile(ast.Expression(shown.value), f"cell {number}", "eval"), names)
        for figure in plt.get_fignums():
            if figure not in others:
                drawn.append(_display(plt.figure(figure)))
                plt.close(figure)
    if text := said.getvalue():
        cell["outputs"].append({"output_type": "stream", "name": "stderr", "text": text})
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
        any("image/png" in output.get("data", {}) for output in cell["outputs"])
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


# The page of the report


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


# A table beside its release: what was done, and figures before and after
#
# No cell of the table is on the page, and no number of a group that the release does not show
# but the numbers of the table as a whole: it is for those who hold the table.


GROUPS = (
    *(("alone", 1, 1), ("2 to 4", 2, 4), ("5 to 9", 5, 9), ("10 to 49", 10, 49)),
    *(("50 to 499", 50, 499), ("500 or more", 500, np.inf)),
)
"""Sizes of groups of records that look alike, in words, from and to."""


HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<title>{}</title>\n<style>{}</style></head>\n<body><main>\n"
)


STYLE = """
body { margin: 0; color: #1a1a1a; background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
h1, p, dd, tbody th { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .3rem 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; break-after: avoid; }
.box { border: 2px solid #1a1a1a; border-radius: 6px; padding: .7rem 1rem; }
.verdict { font-size: 1.2rem; font-weight: 700; margin: 0 0 .4rem; }
.open { color: #a33b00; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .9rem; font-size: .9rem; }
dt, .note { color: #4a4a4a; }
dd { margin: 0; }
.note { font-size: .9rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0;
  border-bottom: 1px solid #e2e2e2; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 1px solid #777; }
tbody th { font-weight: 400; }
tr { break-inside: avoid; }
.bar { display: inline-block; height: .8em; background: #00558a; print-color-adjust: exact; }
@media (max-width: 30rem) {
  main { padding: .6rem .7rem 2rem; } dl { display: block; } dd { margin-bottom: .4rem; }
  .bar { display: block; } th, td { padding-right: .5rem; font-size: .82rem; } }
@page { size: A4; margin: 16mm 15mm; }
@media print { body { font-size: 10.5pt; line-height: 1.38; }
  main { max-width: none; padding: 0; } h2 { margin-top: 1.4rem; }
  h2 + table tr:first-child { break-after: avoid; } p { orphans: 3; widows: 3; } }
"""


class Side(NamedTuple):
    """A table, before or after its treatment."""

    records: int
    sizes: IntArray
    """Records of each group that looks alike."""
    of_values: dict[str, tuple[int, float, float]]
    """By sensitive column: ℓ, t, and the share of records whose value is certain."""
    pif: float
    """Bits that all but one record in 20 stay below (PIF₉₅)."""
    distinct: dict[str, int]
    """Different cells of each column."""
    people: IntArray
    """People of each group: `sizes`, unless a column says whose a record is."""
    counted: str = "records"
    """What k counts."""

    def part(self, groups: BoolArray) -> float:
        """Share of the records that some groups hold."""
        return float(self.sizes[groups].sum() / self.sizes.sum())


def measure_side(assumed: Assumptions) -> Side:
    """Measure one side of the comparison.

    Parameters
    ----------
    assumed : Assumptions
        Result of `assume`; of its `who` people are counted.

    Returns
    -------
    Side

    Examples
    --------
    >>> from toolkit._old.assuming import assume
    >>> side = measure_side(assume(pd.DataFrame({"age": [17, 17, 39]}), "age", []))
    >>> side.records, side.sizes.tolist(), side.distinct
    (3, [2, 1], {'age': 2})
    """
    coded, known = assumed.coded, assumed.quasi_identifiers
    of_values = {}
    with warnings.catch_warnings(action="ignore"):
        secret = assumed.sensitive
        tables = sensitive_tables(coded, known, secret) if secret else {}
        for name, table in tables.items():
            certain = float(table.sizes[table.tally.distinct == 1].sum() / table.n_records)
            of_values[str(name)] = int(l_diversity(table)), float(t_closeness(table)), certain
        classes = next(iter(tables.values()), None) or equivalence_classes(coded, known)
        pif = float(information_factors(coded).pif(95))
    distinct = {str(name): int(coded[name].nunique(dropna=False)) for name in coded.columns}
    who = assumed.numbers
    people = people_per_class(np.asarray(classes.ids), who, len(classes.sizes))
    counted = "records" if who is None else "people"
    sizes = np.asarray(classes.sizes)
    return Side(len(coded), sizes, of_values, pif, distinct, people, counted)


def comparison_page(
    name: str,
    before: Side,
    after: Side,
    *,
    levels: Iterable[tuple[str, str, str]],
    taken_out: int,
    loss: float,
    judged: pd.DataFrame,
    answer: str = "",
    first: Iterable[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    day: date | None = None,
) -> str:
    """Write the page.

    Parameters
    ----------
    name : str
        Of the table.
    before, after : Side
        Results of `measure_side`, of the table and of its release.
    levels : iterable of (column, role, level in words)
        The columns of the release.
    taken_out : int
        Records that are not released.
    loss : float
        Share of the other values of its column that a cell leaves open, on average.
    judged : DataFrame
        Result of `judged_thresholds` on the release.
    answer : str
        What was asked and met, and what was not asked; see `toolkit.report.decision.answer`.
    first : iterable of str
        What no number shows; see `toolkit.report.roles.said_first`.
    facts : iterable of (name, text)
        More to be filed, such as hashes.
    day : date, optional
        Today's by default.

    Returns
    -------
    str
        A page of HTML that needs no network.

    Examples
    --------
    >>> from toolkit.report.decision import judged_thresholds
    >>> from toolkit._old.assuming import assume
    >>> table = assume(pd.DataFrame({"age": [17, 17, 39]}), "age", [])
    >>> side, asked = measure_side(table), {"judged": None, "taken_out": 0, "loss": 0.0}
    >>> asked["judged"] = judged_thresholds(table.coded, ["age"], [], {"k": 1})
    >>> asked["levels"] = [("age", "quasi-identifier", "as it is")]
    >>> "<h1>people.csv before and after" in comparison_page("people.csv", side, side, **asked)
    True
    """
    title = f"{visible(name)} before and after its treatment"
    kind = "verdict" if "every threshold" in answer else "verdict open"
    told = date.today() if day is None else day
    rows = [("Date", f"{told:%Y-%m-%d}"), ("Version", f"{__version__} of the toolkit"), *facts]
    filed = "".join(
        f"<dt>{html.escape(what)}</dt><dd>{html.escape(visible(text))}</dd>"
        for what, text in rows
    )
    out = f"{taken_out:,} record{'s' * (taken_out != 1)} taken out"
    part, sides = share(taken_out / before.records), (before, after)
    page = "".join(
        [
            HEAD.format(html.escape(title), STYLE),
            f'<h1>{html.escape(title)}</h1>\n<div class="box">\n',
            f'<p class="{kind}">{html.escape(visible(answer))}</p>\n',
            *(f"<p>{html.escape(visible(one))}</p>\n" for one in first),
            f"<p>{out} ({part} of all); {share(loss)} of the detail is given up (loss).</p>\n",
            f"{_thresholds(judged, after.counted)}<dl>{filed}</dl>\n</div>\n",
            "<h2>Figures before and after</h2>\n",
            _both_sides(sides),
            f"<h2>How many {after.counted} look alike</h2>\n",
            _groups(sides),
            "<h2>What became of the columns</h2>\n",
            _columns(levels, sides),
            f'<p class="note">{NOTE}</p>\n</main></body></html>\n',
        ]
    )
    return with_scopes(page)


NOTE = (
    "All numbers after the treatment were measured on the file that was written. Columns that"
    " are not listed are not in it. Of the file that was read nothing but the table was looked"
    " at: no comments, hidden sheets or other files. Loss: the share of the other values of"
    " its column that a cell leaves open, all of them for a record that is taken out, on"
    " average over all cells of the columns that others may know. No number here says that"
    " nobody can be found: an attacker may know more than the columns named, and may join this"
    " release with another."
)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Table whose first column names the row."""
    cells = [
        [cell_of(text, "th" if j == 0 else "td") for j, text in enumerate(row)] for row in rows
    ]
    return html_table(cells, [cell_of(name, "th") for name in head]) + "\n"


def _thresholds(judged: pd.DataFrame, counted: str) -> str:
    """What each threshold wants, and what the release has."""
    rows = [
        (
            plain_threshold(row["model"], counted == "people")
            + (f", of {visible(row['sensitive'])}" if row["sensitive"] else ""),
            f"{row['rule']} {_plain(float(row['asked']))}",
            "–" if row["found"] is None else _plain(float(row["found"])),
            str(row["met"]),
        )
        for row in judged.to_dict("records")
    ]
    return _table(("threshold", "must be", "found after", "result"), rows)


def _both_sides(sides: tuple[Side, Side]) -> str:
    """Numbers of both sides."""
    guesses = [share(float((s.sizes / s.people).sum() / s.sizes.sum())) for s in sides]
    smallest = f"{sides[1].counted} in the smallest group (k)"
    rows = [
        ("records", *(f"{one.records:,}" for one in sides)),
        ("groups of records that look alike", *(f"{len(one.sizes):,}" for one in sides)),
        (smallest, *(f"{one.people.min():,}" for one in sides)),
        ("records alone", *(share(one.part(one.people == 1)) for one in sides)),
        ("right guesses of somebody who knows these columns", *guesses),
    ]
    for name in sides[1].of_values:
        values = [one.of_values[name] for one in sides]
        shown = visible(name)
        rows += [
            (f"fewest values of {shown} in a group (ℓ)", *(f"{one[0]:,}" for one in values)),
            (f"{shown}: distance of a group from all (t)", *(_plain(s[1], 2) for s in values)),
            (f"records whose {shown} is certain", *(share(one[2]) for one in values)),
        ]
    bits = [_plain(one.pif) for one in sides]
    rows.append(("bits that 19 of 20 records stay below (PIF₉₅)", *bits))
    return _table(("figure", "before", "after"), rows)


def _groups(sides: tuple[Side, Side]) -> str:
    """Share of the records by the size of their group, as bars."""
    rows = []
    for name, low, high in GROUPS:
        shares = [one.part((low <= one.people) & (one.people <= high)) for one in sides]
        if any(shares):
            rows.append((name, *map(_bar, shares)))
    return _table((f"{sides[1].counted} alike", "before", "after"), rows)


def _bar(number: float) -> Markup:
    width = 6 * number
    bar = f'<span class="bar" style="width:{width:.2f}em"></span> '
    return Markup(bar * (number > 0) + html.escape(share(number)))


def _columns(levels: Iterable[tuple[str, str, str]], sides: tuple[Side, Side]) -> str:
    """Level and number of different cells of each column."""
    rows = [
        (visible(name), role, level, *(f"{one.distinct.get(name, 0):,}" for one in sides))
        for name, role, level in levels
    ]
    return _table(("column", "role", "level", "different cells before", "after"), rows)


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
    link: Callable[[str], str] = page_name,
    exporter: type[HTMLExporter] | None = None,
) -> str:
    """HTML page of an executed notebook that needs neither scripts nor the network.

    `link` turns the name of another notebook into its address; `exporter` makes a page, by
    default, or slides.
    """
    import nbformat
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
    import nbformat

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


def write_all(texts: Mapping[Path, str | bytes]) -> None:
    """Write all files beside their places, then move them there; whatever interrupts.

    Nobody can guess the names, nor put a link there: a file that is there is not opened. What
    is replaced keeps its permissions.
    """
    parts = {path: path.with_name(f".{uuid4().hex}.tmp") for path in texts}
    try:
        for path, text in texts.items():
            with parts[path].open("xb") as file:
                if path.exists():
                    shutil.copymode(path, parts[path])
                file.write(text.encode() if isinstance(text, str) else text)
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for a while, whatever the user's own settings."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


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
    import nbformat
    import papermill

    notebook = nbformat.read(path, as_version=4)
    known = parameters(notebook)
    if unknown := set(values or {}) - set(known):
        raise ValueError(
            f"{path.name} has no parameter {', '.join(sorted(unknown))}; "
            f"it has {', '.join(known) or 'none'}."
        )
    set_parameters(notebook, values or {})
    fault = ""  # what the logs would say as well, with tracebacks
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as scratch, _environment(ENVIRONMENT):
        output = os.path.join(scratch, "executed.ipynb")
        try:
            papermill.execute_notebook(
                notebook,
                output,
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
