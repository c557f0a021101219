"""Explorers that move on a page without a kernel: all their settings, drawn beforehand.

The build of the site runs the notebooks that show explorers, and asks each for the picture and
the text of its settings. Of more than `MOST` settings, sliders are thinned out; an explorer
that still has too many stands as it is stored. `frames.js` shows what is drawn here.
"""

import hashlib
import html
import io
import itertools
import json
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import nbformat
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "site-frames"
MOST, FEW = 200, 150  # settings that are all drawn, and those that are left of more
LEAST = 4  # positions of a slider that is thinned out
SHADES, DPI = 32, 96  # of a picture
VIEW = "application/vnd.jupyter.widget-view+json"
STILL = "This figure has too many settings for a page: it moves in JupyterLab and on Binder."


def choices(control):
    """Labels and values of a control; the present one alone of a field to type into."""
    if hasattr(control, "options"):
        return [
            pair if isinstance(pair, tuple) else (str(pair), pair) for pair in control.options
        ]
    if isinstance(control.value, bool):
        return [("no", False), ("yes", True)]
    if not hasattr(control, "readout_format"):
        return [(str(control.value), control.value)]
    number = round((control.max - control.min) / control.step) + 1
    at = [control.min + place * control.step for place in range(number)]
    if hasattr(control, "base"):
        at = [control.base**exponent for exponent in at]
    start = min(range(number), key=lambda place: abs(at[place] - control.value))
    values = [type(control.value)(x) for x in at]
    values[start] = control.value  # which may stand between two steps
    return [(f"{x:.4g}" if isinstance(x, float) else f"{x:,}", x) for x in values]


def thinned(values, start, number):
    """That many of the values, evenly spaced, and the one at the start."""
    last = len(values) - 1
    places = {round(i * last / (number - 1)) for i in range(number)}
    if start not in places:  # in place of its neighbour, but the ends stay
        places.remove(min(places - {0, last}, key=lambda place: abs(place - start)))
    return [values[place] for place in sorted(places | {start})]


def settings(controls):
    """Values of each control, so few that all their combinations can be drawn; or None."""
    lists = {name: choices(control) for name, control in controls.items()}
    sizes = {name: len(values) for name, values in lists.items()}
    sliders = [name for name in sizes if hasattr(controls[name], "readout")]
    few = math.prod(sizes.values()) <= MOST
    while not few and math.prod(sizes.values()) > FEW:
        widest = max(sliders, key=sizes.__getitem__, default=None)
        if widest is None or sizes[widest] <= LEAST:
            return None
        sizes[widest] -= 1
    for name, size in sizes.items():
        values = [value for _, value in lists[name]]
        if size < len(values):
            start = values.index(controls[name].value)
            lists[name] = thinned(lists[name], start, size)
    return lists


def stored(picture, folder):
    """Name of the file of a picture, in few colours: the same one for equal pictures."""
    name = f"{hashlib.sha256(picture).hexdigest()[:16]}.webp"
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(SHADES, dither=Image.Dither.NONE).convert("RGB")
        few.save(folder / name, lossless=True, method=4)
    return name


def frames(explorer, folder):
    """Controls, pictures and texts of an explorer, its pictures stored in a folder."""
    lists = settings(explorer.controls)
    if lists is None:
        return None
    start = {name: control.value for name, control in explorer.controls.items()}
    names, shown = [*lists], {}
    for places in itertools.product(*(range(len(values)) for values in lists.values())):
        pairs = zip(names, places, strict=True)
        explorer.move({name: lists[name][place][1] for name, place in pairs})
        picture = stored(explorer.image.value, folder)
        shown[" ".join(map(str, places))] = [picture, explorer.summary.value]
    explorer.move(start)
    return {
        "controls": [
            {
                "label": explorer.controls[name].description or name,
                "options": [label for label, _ in values],
                "start": [value for _, value in values].index(start[name]),
                "slider": hasattr(explorer.controls[name], "readout"),
            }
            for name, values in lists.items()
        ],
        "settings": shown,
    }


def shows_explorers(path):
    """Places of the cells of a notebook that show a widget."""
    cells = nbformat.read(path, as_version=4).cells
    return [
        place
        for place, cell in enumerate(cells)
        if any(VIEW in output.get("data", {}) for output in cell.get("outputs", []))
    ]


def draw(path, folder):
    """Run a notebook in this process, and store the frames of its explorers by cell."""
    from IPython.core.interactiveshell import InteractiveShell

    from toolkit.widgets import Explorer, _explorer

    os.environ["MPLBACKEND"], _explorer.DPI = "agg", DPI
    os.chdir(path.parent)
    sys.stdout, said = io.StringIO(), sys.stdout
    shell, drawn = InteractiveShell.instance(), {}
    places = shows_explorers(path)
    for place, cell in enumerate(nbformat.read(path, as_version=4).cells[: places[-1] + 1]):
        if cell.cell_type == "code":
            done = shell.run_cell(cell.source)
            done.raise_error()
            if place in places and isinstance(done.result, Explorer):
                drawn[place] = frames(done.result, folder)
    sys.stdout = said
    (folder / "frames.json").write_text(json.dumps(drawn), encoding="utf-8")
    print(f"{path.stem}: {len(list(folder.glob('*.webp')))} pictures", flush=True)


def folder_of(path):
    """Folder of a notebook's frames, whose name changes with the notebook and the package."""
    sources = [Path(__file__), *sorted((ROOT / "toolkit").rglob("*.py"))]
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells] + [file.read_text("utf-8") for file in sources]
    mark = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]
    return CACHE / f"{path.stem}-{mark}"


def draw_all(paths):
    """Folder of the frames of each notebook that shows explorers, drawn two at a time."""
    folders = {path: folder_of(path) for path in paths if shows_explorers(path)}
    pool = ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=1)
    with pool:
        waiting = []
        for path, folder in folders.items():
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / "frames.json").exists():
                waiting.append(pool.submit(draw, path, folder))
        for one in waiting:
            one.result()
    return folders


# Figures of a page


def figure(drawn, root):
    """HTML of an explorer as it opens; `frames.js` adds the controls."""
    start = " ".join(str(control["start"]) for control in drawn["controls"])
    picture, text = drawn["settings"][start]
    settings = json.dumps(drawn).replace("</", "<\\/")
    return f"""<figure class="frames">
<div class="controls"></div>
<img alt="Figure" src="{root}_frames/{picture}">
<div class="said" role="status" aria-live="polite">{text}</div>
<script type="application/json">{settings}</script>
</figure>"""


def still(data):
    """HTML of an explorer as it is stored in a notebook."""
    text = html.escape(" ".join("".join(data.get("text/plain", "")).split()))
    picture = "".join(data.get("image/png", ""))
    return f"""<figure class="frames">
<img alt="Figure: {text}" src="data:image/png;base64,{picture}">
<div class="said">{text}</div><p class="note">{STILL}</p></figure>"""
