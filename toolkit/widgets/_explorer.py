"""Shell of all explorers: controls, a text and a figure, by means of ipywidgets."""

import base64
import html
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import ipywidgets as W
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from .._validation import check_per_column, check_table
from ..plots._style import value_label

WIDTH, SIZE, DPI = 760, (8.5, 3.4), 120  # pixels on the page, inches, dots per inch
MANY = 8  # controls that have room above a figure


class Explorer(W.VBox):  # type: ignore[misc]
    """Controls, a sentence and a figure: a `VBox` that knows its parts by name.

    Attributes
    ----------
    controls : dict
        The controls by name; set the `value` of one to move it.
    summary : ipywidgets.HTML
        The sentence is `summary.value`.
    image : ipywidgets.Image
        The figure, as PNG; a greyed one is of the setting before, as the present one was
        refused.
    """

    def __init__(
        self,
        figure: Callable[..., Figure | bytes],
        summary: Callable[..., str],
        see: Callable[..., Any] | None,
        controls: dict[str, Any],
    ) -> None:
        # The sentence also stands for an alternative text: an Image has none, and in
        # ipywidgets 8 one with a tooltip is not drawn at all.
        self.controls, self.summary = controls, W.HTML()
        self.image = W.Image(format="png", width=WIDTH)
        self._asked, self._answers, self._waits = controls, (figure, summary, see), False
        self._last = b""  # the last figure that was possible
        row = W.Box(list(controls.values()), layout=W.Layout(flex_flow="row wrap"))
        if len(controls) > MANY:  # they scroll, and the figure stays in sight
            row.layout.max_height, row.layout.overflow = "36vh", "auto"
            row.layout.flex = "0 0 auto"
        self.image.layout.max_width = "100%"
        self.summary.layout.order = "1"  # below the figure, which a longer text would push
        super().__init__([row, self.summary, self.image])
        for control in controls.values():
            control.style.description_width = "initial"
            if control.has_trait("continuous_update"):
                control.continuous_update = False
            control.observe(self._moved, "value")
        self._show()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Add what a notebook keeps for readers without widgets: the figure and the text."""
        return with_picture(super()._repr_mimebundle_(**options), self)

    def _show(self) -> None:
        """Answer the present setting, or say why not."""
        setting = {name: control.value for name, control in self._asked.items()}
        figure, summary, see = self._answers
        try:
            if see is None:
                said, drawn = summary(**setting), _png(figure(**setting))
            else:
                seen = see(**setting)
                said, drawn = summary(seen), _png(figure(seen))
            self._last = drawn
        except Exception as error:  # whatever was refused, the reader needs the reason
            said = f"<b>Not possible:</b> {html.escape(str(error))}"
            drawn = _greyed(self._last) if self._last else b""
        self.summary.value, self.image.value = said, drawn
        self.image.layout.display = None if drawn else "none"

    def _moved(self, change: object) -> None:
        if not self._waits:
            self._show()

    def move(self, values: Mapping[str, Any]) -> None:
        """Set several controls, and answer once."""
        self._waits = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._waits = False
        self._show()


def explorer(
    figure: Callable[..., Figure | bytes],
    summary: Callable[..., str],
    see: Callable[..., Any] | None = None,
    /,
    **controls: Any,
) -> Explorer:
    """Lay out controls above the sentence and the figure of their setting.

    Parameters
    ----------
    figure : callable
        Takes the value of every control by its name, returns a `Figure`, or a PNG.
    summary : callable
        Takes the same, returns HTML in which all that comes from a table is escaped.
    see : callable, optional
        Takes the values in place of both, and returns the one thing that both then take.
    **controls
        Widgets with a `value`, by name.

    Returns
    -------
    Explorer
        Where a function refuses a setting, its message is the text, and the last figure stays,
        greyed.
    """
    return Explorer(figure, summary, see, controls)


def with_picture(bundle: dict[str, Any], shown: Explorer) -> dict[str, Any]:
    """Add the present figure and text of an explorer to what a notebook keeps of a widget."""
    bundle["text/plain"] = html.unescape(re.sub("<[^>]+>", "", shown.summary.value))
    png = shown.image.value
    return {**bundle, "image/png": base64.b64encode(png).decode()} if png else bundle


def new_figure(
    size: tuple[float, float], rows: int = 1, columns: int = 1, **grid: Any
) -> tuple[Figure, Any]:
    """Make a figure without pyplot, which would keep it open, and its axes."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **grid)


def _distinct_names(columns: Iterable[object], taken: Sequence[str] = ()) -> list[str]:
    """Name columns by distinct texts, none of them taken already."""
    names = list(taken)
    for column in columns:
        name = value_label(column, 60)
        while name in names:
            name = f"{name} #{len(names) - len(taken)}"
        names.append(name)
    return names[len(taken) :]


def _with_distinct_names(
    data: pd.DataFrame, given: Any, argument: str = "priors"
) -> tuple[pd.DataFrame, list[Any]]:
    """Name columns by distinct texts and rows by position; list what is given by column."""
    settings = check_per_column(check_table(data), given, argument)
    names = _distinct_names(data.columns)
    table = data.set_axis(names, axis=1).reset_index(drop=True)
    return table, [settings.get(j) for j in range(len(names))]


def _escaped(value: object, width: int = 40) -> str:
    return html.escape(value_label(value, width))


def _png(figure: Figure | bytes) -> bytes:
    """Render a figure to the same bytes wherever the same matplotlib runs."""
    if isinstance(figure, bytes):  # which is rendered already
        return figure
    buffer, canvas, dpi = io.BytesIO(), figure.canvas, figure.dpi
    figure.dpi, agg = DPI, cast(Any, FigureCanvasAgg(figure))
    try:  # `savefig` draws twice, first to lay out, which the second would do anyway
        agg.print_png(buffer, metadata={"Software": None})
    finally:
        figure.dpi = dpi
        figure.set_canvas(canvas)
    return buffer.getvalue()


def _greyed(png: bytes) -> bytes:
    """The same picture, pale and without colours."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("L").point(lambda shade: 170 + shade // 3).save(buffer, format="png")
    return buffer.getvalue()
