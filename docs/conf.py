"""Settings of the static site; `python3 dev.py site` builds it, see docs/build.py."""

import inspect
import tomllib
from importlib import metadata
from pathlib import Path

from docutils.nodes import SkipNode, block_quote, paragraph, strong

import toolkit
from docs.publish import box_class, formula
from toolkit import plots, widgets

project = html_title = "Privacy toolkit"
author = copyright = "The privacy toolkit authors"
release = metadata.version("privacy-metrics-toolkit")

# From docs/, or from the copy of this file beside the pages.
ROOT = next(one for one in Path(__file__).resolve().parents if (one / "uv.lock").exists())
project_file = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
repository, _, tag = project_file["project"]["urls"]["Release"].partition("/tree/")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
autosummary_generate = False
root_doc = "index"
exclude_patterns = ["docs/index.md"]
language = "en"
html_theme = "sphinx_book_theme"
html_static_path = ["docs/_static"]
html_extra_path = ["as-they-are"]
html_css_files = ["boxes.css", "site.css"]
html_js_files = ["reach.js", ("frames.js", {"defer": "defer"})]
html_show_sourcelink = html_show_copyright = False
html_show_search_summary = False  # file:// cannot fetch its excerpts
html_context = {"default_mode": "light"}
html_math_renderer = "mathml"
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "repository_url": repository,
    "repository_branch": tag,
    "launch_buttons": {
        "binderhub_url": "https://mybinder.org",
        "notebook_interface": "jupyterlab",
    },
    "show_navbar_depth": 1,
    "max_navbar_depth": 2,
    "navigation_with_keys": False,
    "navbar_persistent": [],  # the search stands in the sidebar
}

# Notebooks are shown as they are stored, with the outputs that the tests compare.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
myst_heading_slug_func = "docs.run.anchor"
myst_dmath_double_inline = True

autodoc_typehints = "none"  # docstrings give types in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
add_module_names = False


def in_a_line(self, node):
    """Write an inline formula as MathML, which browsers show without a script."""
    self.body.append(formula(node.astext()))
    raise SkipNode


def on_its_own(self, node):
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{formula(node.astext(), "block")}</div>')
    raise SkipNode


def box(app, doctree):
    """Turn quotations that begin with words such as "Definition 3." into boxes."""
    for quotation in doctree.findall(block_quote):
        first = next(quotation.findall(paragraph), None)
        words = next(first.findall(strong), None) if first else None
        if words and first.astext().startswith(words.astext()):
            quotation["classes"] += box_class(words.astext()).split()


def is_private(app, what, name, thing, skip, options):
    """Leave private and undocumented helpers out of the reference."""
    if what == "module" and name not in {*toolkit.__all__, *plots.__all__, *widgets.__all__}:
        return name[0] == "_" or "\n---" not in (inspect.getdoc(thing) or "")
    return False if what == "module" else None


def setup(app):
    """Register the renderer of formulas, the boxes, and what is in the reference."""
    app.connect("doctree-read", box)
    app.connect("autodoc-skip-member", is_private)
    app.add_html_math_renderer("mathml", (in_a_line, None), (on_its_own, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
