"""Make `pytest --nbval` strict where it is lax, and tolerant where a machine may differ.

nbval alone passes a notebook without outputs, never compares figures or widgets, and
compares numbers as text. Here, per cell,

* a cell that was never run fails;
* outputs must be of the same kinds in the same order; what goes to stderr is ignored;
* integers and words must be equal, decimal numbers within `RELATIVE`;
* figures must have the same size, and every tile of them almost the same colours;
* and once more at the end, widgets must show the values stored in the notebook.
"""

import base64
import io
import json
import math
import re
from pathlib import Path
from queue import Empty

import nbval.plugin
import numpy as np
import pytest
from nbval.kernel import RunningKernel
from PIL import Image

from docs.run import STATE, VIEW

RELATIVE = 1e-5
ABSOLUTE = 1e-12  # numbers that are zero but for rounding
TILE, GREY_LEVELS = 16, 3.0  # the worst tile's root mean square difference
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
PICTURE = re.compile("data:image/png;base64,([A-Za-z0-9+/=]+)")
FAILURES = Path("build/nbval-failures")


def same_number(got: str, want: str) -> bool:
    """Decimal numbers within tolerance; integers exactly."""
    decimal = [bool(re.search("[.eE]", text)) for text in (got, want)]
    if not all(decimal):
        return got == want
    return math.isclose(float(got), float(want), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def same_text(got: str, want: str) -> bool:
    """Equal but for the last digits of decimal numbers and the width of gaps."""

    def words(text: str) -> list[str]:
        return [re.sub(r"[ \t]+", " ", part) for part in NUMBER.split(text)]

    numbers = zip(NUMBER.findall(got), NUMBER.findall(want), strict=False)
    return words(got) == words(want) and all(same_number(a, b) for a, b in numbers)


def pixels(png: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"), float)


def figure_difference(got: str, want: str) -> float:
    """Root mean square difference of the worst tile; infinite if the sizes differ."""
    a, b = pixels(got), pixels(want)
    if a.shape != b.shape:
        return math.inf
    height, width = (-(-side // TILE) * TILE for side in a.shape[:2])
    square = np.zeros((height, width))
    square[: a.shape[0], : a.shape[1]] = ((a - b) ** 2).mean(axis=2)
    tiles = square.reshape(height // TILE, TILE, width // TILE, TILE)
    return float(np.sqrt(tiles.mean(axis=(1, 3)).max()))


def figure_fault(got: str, want: str, name: str) -> str | None:
    """What is wrong with a figure; both are written out for the eye."""
    difference = figure_difference(got, want)
    if difference <= GREY_LEVELS:
        return None
    FAILURES.mkdir(parents=True, exist_ok=True)
    for side, png in {"got": got, "stored": want}.items():
        (FAILURES / f"{name}-{side}.png").write_bytes(base64.b64decode(png))
    return f"figure differs by {difference:.1f} grey levels; see {FAILURES}/{name}-*.png"


def value_fault(got, want, name: str) -> str | None:
    """First difference of two plain values: text, numbers, lists, dictionaries."""
    if type(got) is not type(want):
        return f"{name}: {got!r} instead of {want!r}"
    if isinstance(want, dict | list):
        if isinstance(want, list):
            got, want = dict(enumerate(got)), dict(enumerate(want))
        if got.keys() != want.keys():
            return f"{name}: has {list(got)} instead of {list(want)}"
        faults = (value_fault(got[key], want[key], f"{name}.{key}") for key in want)
        return next(filter(None, faults), None)
    if isinstance(want, str):
        same = same_text(got, want)
    elif isinstance(want, float):
        same = math.isclose(got, want, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    else:
        same = got == want
    return None if same else f"{name}:\n{got}\ninstead of\n{want}"


def widget_states(notebook) -> dict:
    """Widgets stored in the notebook, by model id."""
    return notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def leaves(states: dict, model_id: str) -> list[dict]:
    """What a reader sees of a widget, or of all in a box: no ids, no layout, no style."""
    state = states[model_id]["state"]
    if "children" in state:
        names = [child.removeprefix("IPY_MODEL_") for child in state["children"]]
        return [leaf for name in names for leaf in leaves(states, name)]
    kept = ("_model_name", "_options_labels")
    seen = {key: value for key, value in state.items() if key in kept or key[0] != "_"}
    for hidden in ("layout", "style"):
        seen.pop(hidden, None)
    for buffer in states[model_id].get("buffers", []):  # an Image keeps its bytes apart
        seen[buffer["path"][-1]] = buffer["data"].replace("\n", "")
    return [seen]


def widget_faults(got: list[dict], want: list[dict], name: str) -> list[str]:
    """What differs in the controls, texts and figures inside two widgets."""
    if len(got) != len(want):
        return [f"{name}: {len(got)} widgets instead of {len(want)}"]
    faults = []
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        place = f"{name}-widget{number}"
        if a["_model_name"] == b["_model_name"] == "ImageModel":
            faults.append(figure_fault(a.pop("value"), b.pop("value"), place))
        faults.append(value_fault(a, b, place))
    return [fault for fault in faults if fault]


def kinds(output) -> tuple[str, ...]:
    """What an output consists of; widgets are compared at the end, by their values."""
    if output.output_type == "stream":
        return (output.name,)
    if output.output_type == "error":
        return ("error",)
    data = output["data"]
    return (VIEW,) if VIEW in data else tuple(sorted(data))


def comparable(outputs) -> list:
    return [output for output in outputs if output.get("name") != "stderr"]


def output_fault(cell, got, want, name: str) -> str | None:
    """First difference of two outputs of the same kinds."""
    if want.output_type == "error":
        return value_fault(
            [got.ename, cell.sanitize(got.evalue)],
            [want.ename, cell.sanitize(want.evalue)],
            name,
        )
    got = {got.name: got.text} if want.output_type == "stream" else got["data"]
    want = {want.name: want.text} if want.output_type == "stream" else want["data"]
    for kind in want if VIEW not in want else ():
        if kind == "image/png":
            fault = figure_fault(got[kind], want[kind], name)
        elif isinstance(want[kind], str):
            sides = got[kind], want[kind]
            texts = [cell.sanitize(PICTURE.sub("a picture", side)) for side in sides]
            drawn = zip(*map(PICTURE.findall, sides), strict=False)
            pictures = (figure_fault(*pair, f"{name}-{n}") for n, pair in enumerate(drawn))
            fault = value_fault(*texts, kind) or next(filter(None, pictures), None)
        else:
            fault = value_fault(got[kind], want[kind], kind)
        if fault:
            return fault
    return None


def compare_outputs(cell, test, ref, skip_compare=None) -> bool:
    """Strict comparison in place of nbval's; the reason goes where nbval prints it."""
    got, want = comparable(test), comparable(ref)
    name = f"{cell.parent.path.stem}-cell{cell.cell_num}"
    if [kinds(o) for o in got] != [kinds(o) for o in want]:
        fault = f"outputs are {[kinds(o) for o in got]}, stored are {[kinds(o) for o in want]}"
    else:
        pairs = enumerate(zip(got, want, strict=True))
        faults = (output_fault(cell, a, b, f"{name}-{number}") for number, (a, b) in pairs)
        fault = next(filter(None, faults), None)
    cell.comparison_traceback = [fault] if fault else []
    return fault is None


def refuse_cell_that_never_ran(cell) -> None:
    if cell.cell.source.strip() and cell.cell.execution_count is None:
        cell.raise_cell_error("the stored notebook never ran this cell: nothing to compare")


class WidgetValues(pytest.Item):
    """Last item of a notebook with widgets: do they show what is stored?"""

    def __init__(self, *, cells, **keywords):
        super().__init__(**keywords)
        self.cells = cells

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}::widgets"

    def repr_failure(self, excinfo):
        return str(excinfo.value)

    def states(self) -> dict:
        """Widgets of the kernel that ran the notebook, asked from it."""
        kernel, printed = self.parent.kernel, []
        message = kernel.execute_cell_input(
            "import json as _json, ipywidgets as _widgets\n"
            "print(_json.dumps(_widgets.Widget.get_manager_state()['state']))",
            allow_stdin=False,
        )
        kernel.await_reply(message, timeout=60)
        while True:
            try:
                answer = kernel.get_message("iopub", timeout=10)
            except Empty:
                pytest.fail("the kernel does not tell the values of its widgets")
            if answer["parent_header"].get("msg_id") != message:
                continue
            if answer["msg_type"] == "stream" and answer["content"]["name"] == "stdout":
                printed.append(answer["content"]["text"])
            if answer["content"].get("execution_state") == "idle":
                return json.loads("".join(printed))

    def runtest(self):
        if self.parent.timed_out or not self.parent.kernel.is_alive():
            pytest.fail("the notebook did not run to its end")
        stored, fresh = widget_states(self.parent.nb), self.states()
        faults = []
        for cell in self.cells:
            got, want = shown_widgets(cell.test_outputs), shown_widgets(cell.cell.outputs)
            place = f"{self.path.stem}-cell{cell.cell_num}"
            if len(got) != len(want) or not set(want) <= set(stored):
                faults.append(f"{place}: the notebook does not store the widgets it shows")
                continue
            for a, b in zip(got, want, strict=True):
                faults += widget_faults(leaves(fresh, a), leaves(stored, b), place)
        if faults:
            pytest.fail("\n".join(faults))


def shown_widgets(outputs) -> list[str]:
    """Model ids of the widgets among outputs."""
    data = (output.get("data", {}) for output in outputs or [])
    return [bundle[VIEW]["model_id"] for bundle in data if VIEW in bundle]


def make_strict() -> None:
    """Put the functions above in the place of nbval's."""
    notebook, cell = nbval.plugin.IPyNbFile, nbval.plugin.IPyNbCell
    lax_collect, lax_runtest = notebook.collect, cell.runtest

    def collect(self):
        cells = list(lax_collect(self))
        yield from cells
        if any(shown_widgets(cell.cell.outputs) for cell in cells):
            yield WidgetValues.from_parent(self, name="widgets", cells=cells)

    def runtest(self):
        refuse_cell_that_never_ran(self)
        lax_runtest(self)

    def with_history(kernel, source, allow_stdin=None):  # else a last semicolon hides nothing
        return kernel.kc.execute(source, allow_stdin=allow_stdin, stop_on_error=False)

    notebook.collect, cell.runtest, cell.compare_outputs = collect, runtest, compare_outputs
    RunningKernel.execute_cell_input = with_history


def pytest_configure(config):
    """Let `pytest --nbval notebooks` be the whole command."""
    option = config.option
    if option.nbval:
        make_strict()
        option.nbval_current_env = True
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 120)  # seconds
        cleaned = option.nbval_sanitize_with or Path(__file__).with_name("nbval_sanitize.cfg")
        option.nbval_sanitize_with = str(cleaned)
