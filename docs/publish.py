"""Notebooks as pages without scripts and network, made by nbconvert.

Formulas are MathML, pictures are part of the page, and widgets are shown in their first state.
"""

import html
import logging
import re

import nbformat
from jinja2 import Environment, FileSystemLoader
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from docs.run import ROOT, VIEW

BOXES = ("Definition", "Theorem", "Lemma", "Corollary", "Proposition", "Proof")
BOXES += ("In short", "Guess first", "Predict", "Explain")
"""First words of a quotation that becomes a box; boxes.css has their colours."""
PRIMED = r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>'
MENDED = {  # HTML of pandas, Sphinx and its theme, and what a screen reader can follow
    "<th></th>": "<td></td>",
    'role="doc-biblioentry"': 'role="listitem"',
    '<summary><span class="toctree': '<summary aria-label="Pages below"><span class="toctree',
    '<div id="pst-primary-sidebar"': '<div id="pst-primary-sidebar" role="complementary" '
    'aria-label="Pages of the site"',
}
DOCS = ROOT / "docs"
STATIC = DOCS / "_static"
TEMPLATES = Environment(loader=FileSystemLoader(DOCS))


def is_tagged(cell: NotebookNode, *tags: str) -> bool:
    """True if a cell has at least one of the tags."""
    return not {*tags}.isdisjoint(cell.metadata.get("tags", []))


def question(notebook: NotebookNode) -> str:
    """Title of the notebook: its first line."""
    return notebook.cells[0].source.partition("\n")[0].strip("# ")


def copy_without(notebook: NotebookNode, *tags: str) -> NotebookNode:
    """Copy without cells of some tags, and with pictures in place of widgets.

    Links to notebooks lead into one folder; links out of the course become plain words. The
    style that folds solutions on a page is removed, too.
    """
    copy = nbformat.from_dict(notebook)
    copy.metadata.pop("widgets", None)
    copy.cells = [cell for cell in copy.cells if not is_tagged(cell, *tags)]
    for cell in copy.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"(?s)\n*<style>.*?</style>", "", cell.source)
            near = re.sub(r"\]\((?:[\w.-]+/)+([\w-]+\.ipynb)", r"](\1", text)
            cell.source = re.sub(r"\[([^\]]+)\]\(\.\./[^)\s]*\)", r"\1", near)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(VIEW, None)
    return copy


def with_html(notebook: NotebookNode, html_of) -> NotebookNode:
    """Copy with the HTML that `html_of` gives for the data of a cell's output, if any."""
    copy = nbformat.from_dict(notebook)
    copy.metadata.pop("widgets", None)
    for cell in copy.cells:
        for output in cell.get("outputs", []):
            if shown := html_of(cell, output.get("data", {})):
                output.data = NotebookNode({"text/html": shown})
    return copy


# What is not plain HTML


def formula(body: str, display: str = "inline") -> str:
    """Formula in MathML, which browsers draw without a script."""
    drawn = convert(body, display=display)
    drawn = drawn.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    drawn = re.sub(r'columnalign="(\w+)"', r'style="text-align:\1"', drawn)
    # The prime sign is already small and raised; raised twice, it would be too small to see.
    return re.sub("<msup>(<mi>[^<]*</mi>)<mi>(&#x02032;)</mi></msup>", PRIMED, drawn)


class Renderer(IPythonRenderer):
    """Markdown with formulas in MathML, those on a line of their own, too."""

    inline_math = staticmethod(formula)
    block_math = staticmethod(lambda body: formula(body, "block"))


def mended(text: str) -> str:
    """Page that a screen reader can follow, and with quotations as boxes.

    They become boxes if they begin with words such as "Definition 3.".
    """
    words = rf"<blockquote>(?=\s*(?:<div>)?\s*<p><strong>({'|'.join(BOXES)})\b)"
    for written, better in MENDED.items():
        text = text.replace(written, better)
    return re.sub(words, r'<blockquote class="box \1">', text)


def still(cell: NotebookNode, data: dict) -> str:
    """HTML of a picture, for a widget also its text; empty for other data."""
    said = html.escape(" ".join("".join(data.get("text/plain", "")).split()))
    text = html.escape(cell.metadata.get("alt", ""))
    text = text or re.sub(r"^(&lt;Figure.*)?", "Figure: ", said).removesuffix(": ")
    picture = "".join(data.get("image/png", ""))
    image = f'<img alt="{text}" src="data:image/png;base64,{picture}">' * bool(picture)
    return f"{image}\n<div class=said>{said}</div>" if VIEW in data else image


# Pages


def page(
    notebook: NotebookNode, end: str = ".html", exporter=HTMLExporter, styles=(), scripts=()
) -> str:
    """HTML page of an executed notebook that needs neither other files nor the network.

    Styles and scripts become parts of the page. Links to other notebooks get the ending `end`.
    By default `exporter` makes a page; another exporter makes slides.
    """
    made = exporter(extra_template_basedirs=[], log=logging.getLogger(__name__))
    draw = MarkdownWithMath(renderer=Renderer(escape=False)).render
    made.register_filter("markdown2html", draw)
    about = {"metadata": {"name": question(notebook), "path": "."}}
    text, _ = made.from_notebook_node(with_html(notebook, still), about)
    text = re.sub(r"(?s)<script\b.*?</script>|<link\b[^>]*>", "", text)
    others = r'href="(?:[\w.-]+/)*([^":/]+)\.ipynb\b'  # all pages are in one folder
    text = re.sub(others, rf'href="\1{end}', mended(text))
    style = "".join(path.read_text("utf-8") for path in (STATIC / "page.css", *styles))
    script = "".join(f"<script>\n{path.read_text('utf-8')}\n</script>\n" for path in scripts)
    text = text.replace("</head>", f"<style>\n{style}</style>\n</head>", 1)
    return f"{script}</body>".join(text.rsplit("</body>", 1))
