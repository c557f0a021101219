"""Shell of all explorers: controls, a text and a figure."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import ipywidgets as W
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .._arguments import check_columns, check_table
from .._typing import Columns, Table
from ..plots._style import value_label

Seen = tuple[str, Figure]
WIDTH, DPI = 760, 120  # pixels on the page, dots per inch
MANY = 8  # controls that have room above a figure


class Explorer(W.VBox):  # type: ignore[misc]
    """Controls, a text and a figure: a `VBox` that knows its parts by name.

    Attributes
    ----------
    controls : dict
        The controls by name; set the `value` of one to move it.
    summary : ipywidgets.HTML
        The text is `summary.value`.
    image : ipywidgets.Image
        The figure, as PNG. If the present setting is refused, the last figure stays.
    """

    def __init__(self, see: Callable[..., Seen], controls: dict[str, Any]) -> None:
        self.see, self.controls, self._waits = see, controls, False
        # An Image has no alternative text, so the text stands for it.
        self.summary, self.image = W.HTML(), W.Image(format="png", width=WIDTH)
        row = W.Box([*controls.values()], layout=W.Layout(flex_flow="row wrap"))
        if len(controls) > MANY:  # controls scroll, and the figure stays in sight
            row.layout.max_height, row.layout.overflow = "36vh", "auto"
            row.layout.flex = "0 0 auto"
        self.image.layout.max_width = "100%"
        self.summary.layout.order = "1"  # below the figure, so that a text never pushes it
        super().__init__([row, self.summary, self.image])
        for control in controls.values():
            control.style.description_width = "initial"
            if control.has_trait("continuous_update"):
                control.continuous_update = False
            control.observe(self._show, "value")
        self._show()

    def _show(self, change: object = None) -> None:
        """Show the present setting, or the reason why it is refused."""
        if self._waits:
            return
        try:
            setting = {name: control.value for name, control in self.controls.items()}
            self.summary.value, figure = self.see(**setting)
            self.image.value = _png(figure)
        except Exception as error:  # the reader needs the reason, whatever it is
            self.summary.value = f"<b>Not possible:</b> {html.escape(str(error))}"
        self.image.layout.display = None if self.image.value else "none"

    def move(self, values: Mapping[str, Any]) -> None:
        """Set several controls, and show the result once."""
        self._waits = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._waits = False
        self._show()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return with_picture(super()._repr_mimebundle_(**options), self)


def explorer(see: Callable[..., Seen], /, **controls: Any) -> Explorer:
    """Lay out controls above the figure and the text of their setting.

    Parameters
    ----------
    see : callable
        Function from the values of the controls, by name, to a text and a `Figure`. The text
        is HTML in which everything that comes from a table is escaped.
    **controls
        Widgets with a `value`, by name.

    Returns
    -------
    Explorer
        If `see` raises an error, its message is the text, and the last figure stays.

    Examples
    --------
    >>> from ipywidgets import IntSlider
    >>> box = explorer(lambda n: (f"n is {n}", Figure()), n=IntSlider(1, 0, 9))
    >>> box.controls["n"].value = 7
    >>> box.summary.value
    'n is 7'
    """
    return Explorer(see, controls)


def with_picture(bundle: dict[str, Any], shown: Explorer) -> dict[str, Any]:
    """Add the figure and the text, which a notebook keeps for readers without widgets."""
    bundle["text/plain"] = html.unescape(re.sub("<[^>]+>", "", shown.summary.value))
    if shown.image.value:
        bundle["image/png"] = base64.b64encode(shown.image.value).decode()
    return bundle


def new_figure(
    size: tuple[float, float], rows: int = 1, columns: int = 1, **grid: Any
) -> tuple[Figure, Any]:
    """Make a figure without pyplot, which would keep it open, and its axes."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **grid)


def named(data: Table) -> pd.DataFrame:
    """Name the columns of a table by strings, which controls need."""
    table = check_table(data)
    names = [value_label(name, 60) for name in table.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"data needs other names than {twice}: each control has its own.")
    return table.set_axis(names, axis=1)


def names_of(data: Table, columns: Columns, argument: str) -> list[str]:
    """Names that `named` gives to columns, which are given by name or by position."""
    names = check_table(data).columns
    return [value_label(names[j], 60) for j in check_columns(names, columns, argument)]


def escaped(value: object, width: int = 40) -> str:
    """Write a name or a cell in HTML."""
    return html.escape(value_label(value, width))


def plural(count: int, noun: str) -> str:
    """Count things: "1 cut", "2 cuts".

    Examples
    --------
    >>> plural(1_000, "region")
    '1,000 regions'
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def checkbox(name: str, ticked: bool = False, label: str = "") -> Any:
    """Checkbox, one of several in a row."""
    width = W.Layout(width="auto", margin="2px 16px 2px 2px")
    return W.Checkbox(ticked, description=label or name, indent=False, layout=width)


def _png(figure: Figure) -> bytes:
    """Render a figure to the same bytes wherever the same matplotlib runs."""
    figure.set_dpi(DPI)
    buffer, canvas = io.BytesIO(), cast(Any, FigureCanvasAgg(figure))
    canvas.print_png(buffer, metadata={"Software": None})  # `savefig` would draw twice
    return buffer.getvalue()
