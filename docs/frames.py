"""Explorers that work on a page without a kernel: all their settings, drawn in advance.

The build of the site runs the notebooks that show explorers, and draws the picture and the
text of each setting. If there are more than `most` settings, sliders get fewer positions. An
explorer with too many settings even then is shown as stored. `frames.js` shows the frames.
"""

import contextlib
import hashlib
import io
import itertools
import json
import math
import os
import shutil
from multiprocessing import get_context

import nbformat
import numpy as np
from PIL import Image

from docs.publish import VIEW, still

MOST = 200  # settings that are all drawn; of more, at most three quarters of this number
LEAST = 4  # positions that a slider keeps at least
SHADES, DPI = 32, 96  # of a picture
STILL = "This figure has too many settings for a page: it moves in JupyterLab and on Binder."


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
        if math.prod(map(len, lists.values())) <= (
            most if lists == all_values else most * 0.75
        ):
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
    places = [place for place, cell in enumerate(cells) if VIEW in str(cell.get("outputs"))]
    shell, drawn = InteractiveShell.instance(), {}
    with contextlib.redirect_stdout(io.StringIO()):
        for place, cell in enumerate(cells[: max(places, default=-1) + 1]):
            if cell.cell_type == "code":
                done = shell.run_cell(cell.source)
                done.raise_error()
                if place in places and isinstance(done.result, Explorer):
                    drawn[place] = frames(done.result, folder, most)
    return drawn


def draw_all(paths, folder, most=MOST):
    """Draw the explorers of notebooks into a folder, two at a time; frames of each by cell."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        asked = [(path, folder, most) for path in paths]
        return dict(zip(paths, pool.starmap(draw, asked, chunksize=1), strict=True))


def figure(data, drawn, root):
    """HTML of an explorer: its frames for `frames.js`, or the stored picture and a note."""
    if not drawn:
        note = f'<p class="note">{STILL}</p>'
        return f'<figure class="frames">\n{still(data)}{note}</figure>'
    start = " ".join(str(control["start"]) for control in drawn["controls"])
    picture, text = drawn["settings"][start]
    settings = json.dumps(drawn).replace("</", "<\\/")
    return f"""<figure class="frames">
<div class="controls"></div>
<img alt="Figure" src="{root}_frames/{picture}">
<div class="said" role="status" aria-live="polite">{text}</div>
<script type="application/json">{settings}</script>
</figure>"""
