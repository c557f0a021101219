"""Shell of all explorers: controls, a text and a figure, by means of ipywidgets."""

import contextlib
import gc
import html
import io
from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets as W
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_per_column, check_table
from ..plots._style import value_label

__all__ = [
    "Explorer",
    "explorer",
]


WIDTH, SIZE, DPI = 760, (8.5, 3.4), 120  # pixels on the page, inches, dots per inch


class Explorer(W.VBox):  # type: ignore[misc]
    """Controls, a sentence and a figure: a `VBox` that knows its parts by name.

    Attributes
    ----------
    controls : dict
        The controls by name; set the `value` of one to move it.
    summary : ipywidgets.HTML
        The sentence is `summary.value`.
    image : ipywidgets.Image
        The figure, as PNG.
    """

    def __init__(self, controls: dict[str, Any], summary: Any, image: Any) -> None:
        self.controls, self.summary, self.image = controls, summary, image
        row = W.Box(list(controls.values()), layout=W.Layout(flex_flow="row wrap"))
        super().__init__([row, summary, image])


def explorer(
    figure: Callable[..., Figure],
    summary: Callable[..., str],
    see: Callable[..., Any] | None = None,
    /,
    **controls: Any,
) -> Explorer:
    """Lay out controls above the sentence and the figure of their setting.

    Parameters
    ----------
    figure : callable
        Takes the value of every control by its name, returns a `Figure`.
    summary : callable
        Takes the same, returns HTML in which all that comes from a table is escaped.
    see : callable, optional
        Takes the values in place of both, and returns the one thing that both then take.
    **controls
        Widgets with a `value`, by name.

    Returns
    -------
    Explorer
        Where a function refuses a setting, its message stands instead of the figure.
    """
    # The sentence also stands for an alternative text: an Image has none, and in ipywidgets 8
    # one with a tooltip is not drawn at all.
    text, image = W.HTML(), W.Image(format="png", width=WIDTH)

    def show(change: object = None) -> None:
        setting = {name: control.value for name, control in controls.items()}
        try:
            with garbage_waits():
                if see is None:
                    said, drawn = summary(**setting), _png(figure(**setting))
                else:
                    seen = see(**setting)
                    said, drawn = summary(seen), _png(figure(seen))
        except Exception as error:  # whatever was refused, the reader needs the reason
            said, drawn = f"<b>Not possible:</b> {html.escape(str(error))}", b""
        text.value, image.value = said, drawn
        image.layout.display = None if drawn else "none"

    for control in controls.values():
        control.style.description_width = "initial"
        if control.has_trait("continuous_update"):
            control.continuous_update = False
        control.observe(show, "value")
    show()
    return Explorer(controls, text, image)


@contextlib.contextmanager
def garbage_waits() -> Iterator[None]:
    """Collect garbage after an answer, not before it: a whole kernel takes .1 s and more."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _with_distinct_names(
    data: pd.DataFrame, given: Any, argument: str = "priors"
) -> tuple[pd.DataFrame, list[Any]]:
    """Name columns by distinct texts and rows by position; list what is given by column."""
    settings = check_per_column(check_table(data), given, argument)
    names: list[str] = []
    for column in data.columns:
        name = value_label(column, 60)
        while name in names:
            name = f"{name} #{len(names)}"
        names.append(name)
    table = data.set_axis(names, axis=1).reset_index(drop=True)
    return table, [settings.get(j) for j in range(len(names))]


def _escaped(value: object, width: int = 40) -> str:
    return html.escape(value_label(value, width))


def _of(count: int, everyone: int) -> str:
    return f"{count:,} of {everyone:,} record{'s' * (everyone != 1)}"


def _png(figure: Figure) -> bytes:
    """Render a figure to the same bytes wherever the same matplotlib runs."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()
