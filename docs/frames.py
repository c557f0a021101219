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
from multiprocessing import get_context

import nbformat
import numpy as np
from PIL import Image

from docs.publish import still
from docs.run import ROOT, VIEW

CACHE = ROOT / "build" / "site-frames"
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
    steps = range(round((control.max - control.min) / control.step) + 1)
    at = [control.min + step * control.step for step in steps]
    at = [control.base**x for x in at] if hasattr(control, "base") else at
    values = [type(control.value)(x) for x in at]
    start = min(steps, key=lambda step: abs(values[step] - control.value))
    values[start] = control.value  # which may be between two steps
    return [(f"{x:.4g}" if isinstance(x, float) else f"{x:,}", x) for x in values]


def settings(controls, most=MOST):
    """Values of each control, few enough to draw all combinations; None if impossible."""
    lists = {name: choices(control) for name, control in controls.items()}
    if math.prod(map(len, lists.values())) <= most:
        return lists
    sliders = {name for name in lists if hasattr(controls[name], "readout")}
    longest = max((len(lists[name]) for name in sliders), default=0)
    for positions in range(longest, LEAST - 1, -1):
        sizes = {
            n: min(len(v), positions if n in sliders else len(v)) for n, v in lists.items()
        }
        if math.prod(sizes.values()) <= most * 3 // 4:
            break
    else:
        return None
    for name, size in sizes.items():  # evenly spaced, with the ends and the current value
        places = np.linspace(0, len(lists[name]) - 1, size).round().astype(int)
        start = [value for _, value in lists[name]].index(controls[name].value)
        if start not in places:
            places[1 + abs(places[1:-1] - start).argmin()] = start
        lists[name] = [lists[name][place] for place in places]
    return lists


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
            "label": explorer.controls[name].description or name,
            "options": [label for label, _ in values],
            "start": [value for _, value in values].index(start[name]),
            "slider": hasattr(explorer.controls[name], "readout"),
        }
        for name, values in lists.items()
    ]
    return {"controls": controls, "settings": shown}


def shows_explorers(notebook):
    """Positions of the cells in a notebook that show a widget."""
    outputs = enumerate(cell.get("outputs", []) for cell in notebook.cells)
    return [at for at, shown in outputs if any(VIEW in one.get("data", {}) for one in shown)]


def draw(path, folder, most):
    """Run a notebook in this process, and store the frames of its explorers by cell."""
    from IPython.core.interactiveshell import InteractiveShell

    from toolkit.widgets import Explorer, _explorer

    os.environ["MPLBACKEND"], _explorer.DPI = "agg", DPI
    os.chdir(path.parent)
    folder.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.read(path, as_version=4)
    shell, drawn, places = InteractiveShell.instance(), {}, shows_explorers(notebook)
    with contextlib.redirect_stdout(io.StringIO()):
        for place, cell in enumerate(notebook.cells[: places[-1] + 1]):
            if cell.cell_type == "code":
                done = shell.run_cell(cell.source)
                done.raise_error()
                if place in places and isinstance(done.result, Explorer):
                    drawn[place] = frames(done.result, folder, most)
    (folder / "frames.json").write_text(json.dumps(drawn), encoding="utf-8")
    print(f"{path.stem}: {len(list(folder.glob('*.webp')))} pictures", flush=True)


def draw_all(paths, most=MOST):
    """Draw the explorers of notebooks, two at a time; return the folder for each notebook.

    The name of a folder changes with the notebook and the package, so that only what is new
    is drawn.
    """
    sources = [ROOT / "docs" / "frames.py", *sorted((ROOT / "toolkit").rglob("*.py"))]
    code = "\n".join([str(most), *(file.read_text("utf-8") for file in sources)])
    folders = {}
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        if shows_explorers(notebook):
            text = "\n".join([code, *(cell.source for cell in notebook.cells)])
            mark = hashlib.sha256(text.encode()).hexdigest()[:12]
            folders[path] = CACHE / f"{path.stem}-{mark}"
    new = [(p, f, most) for p, f in folders.items() if not (f / "frames.json").exists()]
    with get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        pool.starmap(draw, new, chunksize=1)
    return folders


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
