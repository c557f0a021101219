"""Explorers that work on a page without a kernel: all their settings, drawn in advance.

The build of the site runs the notebooks that show explorers, and draws the picture and the
text of each setting. If there are more than `most` settings, sliders get fewer positions. An
explorer with too many settings even then is shown as stored. `frames.js` shows the frames.
"""

import contextlib
import hashlib
import io
import itertools
import math
import os
from multiprocessing import get_context

import nbformat
import numpy as np
from PIL import Image

from docs.run import VIEW

MOST = 200  # settings that are all drawn; of more, at most three quarters of this number
LEAST = 4  # positions that a slider keeps at least
SHADES, DPI = 32, 96  # of a picture


def choices(control):
    """Labels and values of a control; a text field has only its current value."""
    if hasattr(control, "options"):
        return [one if isinstance(one, tuple) else (str(one), one) for one in control.options]
    if isinstance(control.value, bool):
        return [("no", False), ("yes", True)]
    if not hasattr(control, "readout_format"):
        return [(str(control.value), control.value)]
    steps = round((control.max - control.min) / control.step)
    values = control.min + np.arange(steps + 1) * control.step
    values = control.base**values if hasattr(control, "base") else values
    values = [type(control.value)(x) for x in values]
    values[np.abs(np.subtract(values, control.value)).argmin()] = control.value
    return [(f"{x:.4g}" if isinstance(x, float) else f"{x:,}", x) for x in values]


def start_of(control, values):
    """Position of the current value of a control."""
    return [value for _, value in values].index(control.value)


def settings(controls, most=MOST):
    """Values of each control, few enough to draw all combinations; None if impossible.

    A slider that has too many keeps both ends and its current value.
    """
    all_values = {name: choices(control) for name, control in controls.items()}
    for positions in range(max(LEAST, *map(len, all_values.values())), LEAST - 1, -1):
        lists = dict(all_values)
        for name, values in all_values.items():
            if hasattr(controls[name], "readout") and len(values) > positions:
                places = np.linspace(0, len(values) - 1, positions).round().astype(int)
                start = start_of(controls[name], values)
                if start not in places:  # it takes the place of its neighbour
                    places[1 + abs(places[1:-1] - start).argmin()] = start
                lists[name] = [values[place] for place in places]
        limit = most if lists == all_values else most * 0.75
        if math.prod(map(len, lists.values())) <= limit:
            return lists
    return None


def stored(picture, folder):
    """Store a picture in few colours; return its file name, the same for equal pictures."""
    name = f"{hashlib.sha256(picture).hexdigest()[:16]}.webp"
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(SHADES, dither=Image.Dither.NONE).convert("RGB")
        few.save(folder / name, lossless=True, method=4)
    return name


def frames(explorer, folder, most=MOST):
    """Controls, pictures and texts of an explorer; its pictures are stored in a folder."""
    lists = settings(explorer.controls, most)
    if lists is None:
        return None
    start, shown = {name: one.value for name, one in explorer.controls.items()}, {}
    for setting in itertools.product(*map(enumerate, lists.values())):
        explorer.move({name: at[1][1] for name, at in zip(lists, setting, strict=True)})
        picture = stored(explorer.image.value, folder)
        shown[" ".join(str(place) for place, _ in setting)] = [picture, explorer.summary.value]
    explorer.move(start)
    controls = [
        {
            "label": control.description or name,
            "options": [label for label, _ in lists[name]],
            "start": start_of(control, lists[name]),
            "slider": hasattr(control, "readout"),
        }
        for name, control in explorer.controls.items()
    ]
    return {"controls": controls, "settings": shown}


def draw(path, folder, most):
    """Run a notebook in this process; return the frames of its explorers by cell."""
    from IPython.core.interactiveshell import InteractiveShell

    from toolkit.widgets import Explorer, _explorer

    os.environ["MPLBACKEND"], _explorer.DPI = "agg", DPI
    os.chdir(path.parent)
    cells = nbformat.read(path, as_version=4).cells
    while cells and VIEW not in str(cells[-1].get("outputs")):  # after the last explorer
        cells.pop()
    shell, drawn = InteractiveShell.instance(), {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            if cell.cell_type == "code":
                done = shell.run_cell(cell.source)
                done.raise_error()
                if isinstance(done.result, Explorer):
                    drawn[cell.id] = frames(done.result, folder, most)
    return drawn


def draw_all(paths, folder, most=MOST):
    """Draw the explorers of notebooks into a new folder, two at a time; frames by cell."""
    folder.mkdir(parents=True)
    with get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        asked = [(path, folder, most) for path in paths]
        return dict(zip(paths, pool.starmap(draw, asked, chunksize=1), strict=True))
