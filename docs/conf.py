"""Settings of the static site: those of conf.toml, and those that are computed.

`python3 dev.py site` builds the site, see docs/build.py.
"""

import inspect
import tomllib

from docutils.nodes import SkipNode

import toolkit
from docs.publish import DOCS, formula
from docs.run import PROJECT
from toolkit import plots, widgets

settings = tomllib.loads((DOCS / "conf.toml").read_text(encoding="utf-8"))
release = PROJECT["version"]
repository, _, tag = PROJECT["urls"]["Release"].partition("/tree/")
settings["html_theme_options"] |= {"repository_url": repository, "repository_branch": tag}
globals().update(settings)


def in_a_line(self, node):
    """Write an inline formula as MathML, which browsers show without a script."""
    self.body.append(formula(node.astext()))
    raise SkipNode


def on_its_own(self, node):
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{formula(node.astext(), "block")}</div>')
    raise SkipNode


def is_private(app, what, name, thing, skip, options):
    """Leave private and undocumented helpers out of the reference."""
    if what == "module" and name not in {*toolkit.__all__, *plots.__all__, *widgets.__all__}:
        return name[0] == "_" or "\n---" not in (inspect.getdoc(thing) or "")
    return False if what == "module" else None


def setup(app):
    """Register the renderer of formulas, and what is in the reference."""
    app.connect("autodoc-skip-member", is_private)
    app.add_html_math_renderer("mathml", (in_a_line, None), (on_its_own, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
