"""Notebooks as pages without scripts and network, made by nbconvert.

Formulas are MathML, pictures are part of the page, and widgets are shown in their first state.
"""

import html
import logging
import re
from pathlib import Path

import nbformat
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

VIEW = "application/vnd.jupyter.widget-view+json"
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
"""First words of a quotation that becomes a box, and the class of the box."""
PRIMED = r'<mrow>\1<mo lspace="0" rspace="0">\2</mo></mrow>'
STATIC = Path(__file__).with_name("_static")


def is_tagged(cell: NotebookNode, *tags: str) -> bool:
    """True if a cell has at least one of the tags."""
    return not {*tags}.isdisjoint(cell.metadata.get("tags", []))


def question(notebook: NotebookNode) -> str:
    """Title of the notebook: its first line."""
    return notebook.cells[0].source.partition("\n")[0].strip("# ")


# Markdown


def formula(body: str, display: str = "inline") -> str:
    """Formula in MathML, which browsers draw without a script."""
    drawn = convert(body, display=display)
    drawn = drawn.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    drawn = re.sub(r'columnalign="(\w+)"', r'style="text-align:\1"', drawn)
    # The prime sign is already small and raised; raised twice, it would be too small to see.
    return re.sub("<msup>(<mi>[^<]*</mi>)<mi>(&#x02032;)</mi></msup>", PRIMED, drawn)


def box_class(words: str) -> str:
    """CSS classes of a quotation that begins with these words in bold; empty if no box."""
    found = re.match(rf"({'|'.join(BOXES)})\b", words)
    return f"box {BOXES[found[1]]}" if found else ""


class Renderer(IPythonRenderer):
    """Markdown with formulas in MathML, and with boxes."""

    inline_math = staticmethod(formula)

    def block_math(self, body: str) -> str:
        """Formula on a line of its own."""
        return formula(body, "block")

    def block_quote(self, text: str) -> str:
        """Quotation, as a box if it begins with words such as "Definition 3."."""
        first = re.match(r"\s*(?:<p>)?<strong>(.*?)</strong>", text)
        classes = box_class(first[1]) if first else ""
        attribute = f' class="{classes}"' if classes else ""
        return f"<blockquote{attribute}>\n{text}</blockquote>\n"


# Pages for readers with impaired vision


def brightness(colour: str) -> float:
    """Relative luminance of a colour such as #4191c6, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def legible(text: str) -> str:
    """Page whose coloured cells have black or white text, whichever has more contrast.

    An empty heading of a table becomes an ordinary cell.
    """

    def better(found: re.Match[str]) -> str:
        ground = brightness(found[2]) + 0.05
        return f"{found[1]}{'#000000' if ground / 0.05 > 1.05 / ground else '#ffffff'}"

    pattern = r"(background-color: (#[0-9a-f]{6});\s*color: )#[0-9a-f]{6}"
    return re.sub(pattern, better, text.replace("<th></th>", "<td></td>"))


# Pages


def with_style(text: str, *names: str) -> str:
    """Page with styles added from docs/_static."""
    styles = "\n".join((STATIC / name).read_text("utf-8") for name in names)
    return text.replace("</head>", f"<style>\n{styles}</style>\n</head>", 1)


def still(data: dict, alt: str = "") -> str:
    """HTML of a picture; for a widget also its text."""
    said = html.escape(" ".join("".join(data.get("text/plain", "")).split()))
    text = html.escape(alt) or re.sub(r"^(&lt;Figure.*)?", "Figure: ", said).removesuffix(": ")
    picture = "".join(data.get("image/png", ""))
    image = f'<img alt="{text}" src="data:image/png;base64,{picture}">' * bool(picture)
    return f"{image}\n<div class=said>{said}</div>" if VIEW in data else image


def page(notebook: NotebookNode, end: str = ".html", exporter=HTMLExporter) -> str:
    """HTML page of an executed notebook that needs neither scripts nor the network.

    Links to other notebooks get the ending `end`. By default `exporter` makes a page; another
    exporter makes slides.
    """
    notebook = nbformat.from_dict(notebook)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if {VIEW, "image/png"} & {*output.get("data", {})}:
                shown = still(output.data, cell.metadata.get("alt", ""))
                output.data = NotebookNode({"text/html": shown})
    made = exporter(extra_template_basedirs=[], log=logging.getLogger(__name__))
    draw = MarkdownWithMath(renderer=Renderer(escape=False)).render
    made.register_filter("markdown2html", draw)
    about = {"metadata": {"name": question(notebook), "path": "."}}
    text, _ = made.from_notebook_node(notebook, about)
    text = legible(re.sub(r"(?s)<script\b.*?</script>", "", text))
    others = r'href="(?:[\w.-]+/)*([^":/]+)\.ipynb\b'  # all pages are in one folder
    text = re.sub(others, rf'href="\1{end}', text)
    return with_style(text, "page.css")
