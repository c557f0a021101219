"""Each way in which a wrong notebook passes unseen, and the proof that ours does not."""

import base64
import io
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import nbformat
import pytest
from PIL import Image

import dev
from docs import run
from tests.needs import ROOT
from tests.notebooks.strict_nbval import figure_difference, same_text, widget_states
from tests.project.sample import CELLS, sample_notebook

pytestmark = pytest.mark.xdist_group("harness")  # one worker makes the notebooks, once
NAMES = [*CELLS, "widgets"]


def png(width: int, height: int, grey: int = 255, dot: bool = False) -> str:
    image = Image.new("L", (width, height), grey)
    if dot:
        image.paste(0, (10, 10, 14, 14))
    buffer = io.BytesIO()
    image.save(buffer, "png")
    return base64.b64encode(buffer.getvalue()).decode()


def nbval(*paths, options=()) -> dict[str, dict[str, str]]:
    """Message of every failed cell, by notebook, as the course's own options find them."""
    folder = paths[0].parent
    command = [sys.executable, "-m", "pytest", "-n=0", "-c=pyproject.toml", "--nbval"]
    command += [f"--rootdir={folder}", f"--junitxml={folder / 'report.xml'}"]
    command += ["-p", "tests.notebooks.strict_nbval", "-p", "tests.notebooks.kernels"]
    command += [*options, *map(str, paths)]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    failures: dict[str, dict[str, str]] = {path.stem: {} for path in paths}
    cases = [*ElementTree.parse(folder / "report.xml").iter("testcase")]
    for case in cases:
        name = case.get("name").removeprefix("Cell ")
        for fault in [*case.iter("failure"), *case.iter("error")]:
            cell = NAMES[int(name)] if name.isdigit() else name
            notebook = case.get("classname").split(".")[-2]
            failures[notebook][cell] = fault.text + fault.get("message", "")
    assert cases, "nbval collected no cell"
    return failures


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The sample notebook with stored outputs, and its path."""
    path = tmp_path_factory.mktemp("harness") / "sample.ipynb"
    nbformat.write(sample_notebook(), path)
    assert run.run_all([path], in_place=True) == 0
    return path


CHANGES = {  # of what a cell has stored, the thing that the cell is named after
    "integer": {"text/plain": "43"},
    "decimal": {"text/plain": "0.66671"},  # 2/3 is 0.66667
    "table": {"text/html": lambda text: text.replace("0.585", "0.586")},
    "sign": {"text/plain": "4.5"},
    "word": lambda text: text.replace("most", "least"),
    "dashes": lambda text: text.replace("-----", "----"),
    "figure": {"image/png": png(1, 1)},
}


def other_outputs(notebook) -> None:
    """Change what cells and widgets show, run and store."""
    cells = {cell.id: cell for cell in notebook.cells}
    for name, change in CHANGES.items():
        output = cells[name].outputs[0]
        if callable(change):
            output.text = change(output.text)
        for kind, new in {} if callable(change) else change.items():
            output.data[kind] = new(output.data[kind]) if callable(new) else new
    cells["never-ran"].execution_count, cells["never-ran"].outputs = None, []
    cells["cleared"].outputs = []
    for widget in widget_states(notebook).values():
        match state := widget["state"]:
            case {"_model_name": "HTMLModel"}:
                state["value"] = state["value"].replace("row 0", "row 1")
            case {"_model_name": "IntSliderModel"}:
                state["value"] = 76
            case {"_model_name": "DropdownModel"}:
                state["_options_labels"] = ["0", "2"]
        for buffer in widget.get("buffers", []):
            buffer["data"] = png(300, 200)


def other_noise(notebook) -> None:
    """Change what may differ: last digits, temporary files, stderr, addresses, kernel name."""
    cells = {cell.id: cell for cell in notebook.cells}
    cells["decimal"].outputs[0].data["text/plain"] = "0.6666699"
    for output in cells["noise"].outputs:
        output.text = re.sub(r"(?<=_)\d+|(?<=0x)\w+", "123456789", output.text)
    cells["noise"].outputs = [o for o in cells["noise"].outputs if o.name == "stdout"]
    wider = "  town   bits\n0    A  0.585\n1    B  1.585"
    cells["table"].outputs[0].data["text/plain"] = wider
    notebook.metadata.kernelspec = {"name": "conda-base", "display_name": "My kernel"}


def without_outputs(notebook) -> None:
    """Clear the notebook, as the menu of JupyterLab does; a few cells are enough."""
    notebook.cells = notebook.cells[:4]
    for cell in notebook.cells[1:]:
        cell.execution_count, cell.outputs = None, []


@pytest.fixture(scope="module")
def failures(stored):
    """Failed cells of the sample as stored and with three kinds of changes."""
    paths = [stored]
    changes = {"changed": other_outputs, "noisy": other_noise, "empty": without_outputs}
    for name, change in changes.items():
        notebook = nbformat.read(stored, as_version=4)
        change(notebook)
        paths.append(stored.with_name(f"{name}.ipynb"))
        nbformat.write(notebook, paths[-1])
    return nbval(*paths)


def test_tests_of_a_group_stay_on_one_worker(request):
    dist = getattr(request.config, "workerinput", {}).get("mainargv", [])
    if "--dist=loadgroup" in dist:
        items = request.session.items
        assert request.node.nodeid.endswith("@harness"), "pytest-xdist sees no groups"
        cells = [item.nodeid for item in items if item.path.suffix == ".ipynb"]
        assert all(name.rpartition("@")[2] in name.partition("@")[0] for name in cells)
        assert all("@" in name for name in cells), "a kernel's cells belong together"


def test_a_notebook_passes_as_stored_and_with_other_noise_but_not_without_outputs(failures):
    assert failures["sample"] == failures["noisy"] == {}
    assert len(failures["changed"]) == 10 and "widgets" in failures["changed"]
    assert list(failures["empty"]) == NAMES[:3]


@pytest.mark.parametrize(
    ("cell", "reason"),
    {
        "integer": "42",
        "decimal": "0.6667",
        "table": "0.585",
        "sign": "-4.5",
        "word": "leaks most",
        "dashes": "-----",
        "figure": "figure differs",
        "never ran": "never ran",
        "cleared": "stored are []",
    }.items(),
)
def test_a_changed_output_fails(failures, cell, reason):
    assert reason in failures["changed"][cell]


@pytest.mark.parametrize("seen", ["row 1: 10.7", "76", "_options_labels", "figure differs"])
def test_a_changed_widget_fails(failures, seen):
    assert seen in failures["changed"]["widgets"]


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        ("0.666667 bits", "0.6666670001 bits", True),
        ("a  1.5\nb 10.0", "a 1.50\nb   10.0", True),
        ("1e-05", "1.0000001e-05", True),
        ("3.0e-17", "0.0", True),
        ("38462", "38463", False),
        ("1", "1.0", False),
        ("0.58", "-0.58", False),
        ("0.58", "0.59", False),
        ("3 - 2", "3 -- 2", False),
        ("k-anonymity", "k anonymity", False),
        ("1.0 bit", "1.0 bits", False),
        ("1.0 2.0", "1.0", False),
        ("a\nb", "a b", False),
    ],
)
def test_same_text(got, want, same):
    assert same_text(got, want) is same is same_text(want, got)


def test_a_small_mark_and_another_colour_are_seen():
    assert figure_difference(png(200, 150), png(200, 150)) == 0
    assert figure_difference(png(200, 150), png(200, 150, grey=254)) == 1
    assert figure_difference(png(200, 150), png(200, 150, dot=True)) > 3
    assert figure_difference(png(200, 150), png(150, 200)) == float("inf")


def test_storing_twice_gives_the_same_file(stored, tmp_path):
    again = shutil.copy(stored, tmp_path / "again.ipynb")
    assert run.run_all([again], in_place=True) == 0
    once, twice = (nbformat.read(path, as_version=4) for path in (stored, again))
    for notebook in (once, twice):
        (noise,) = (cell for cell in notebook.cells if cell.id == "noise")
        noise.outputs = []
    assert once == twice


def test_a_failing_notebook_is_not_stored(tmp_path, capsys):
    path = tmp_path / "sample.ipynb"
    nbformat.write(sample_notebook({"parameters": "n = 1", "claim": "assert n == 2"}), path)
    before = path.read_bytes()
    assert run.run_all([path], in_place=True) == 1
    assert path.read_bytes() == before
    assert "FAILED" in capsys.readouterr().out


def test_reproduce_takes_real_values_and_needs_no_network(
    stored, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(run, "BUILD", tmp_path / "build")
    broken = tmp_path / "index.ipynb"
    nbformat.write(sample_notebook({"parameters": "n = 1", "no": "assert n > 1, 'n'"}), broken)
    assert run.run_all([broken, stored], real=True) == 1
    table = capsys.readouterr().out
    assert re.search(r"sample +\d+\.\d s  reproduced", table)
    assert re.search(r"index +\d+\.\d s  FAILED, cell 2: AssertionError: n", table)
    page = (tmp_path / "build" / "sample.html").read_text()
    assert not re.search(r"<script|<link|@import|src=\"(?!data:)|url\(.?http", page)
    assert page.count("<img") == 2, "the figure and the widget's figure"
    assert ">n = 95, row 0: 13.571428571428571 bits<" in page, "as it opened"
    assert "<math" in page and "<msup>" in page
    assert 'href="other.html"' in page
    assert (tmp_path / "build" / "index.html").exists()
    executed = nbformat.read(tmp_path / "build" / "sample.ipynb", as_version=4)
    injected = [c for c in executed.cells if "injected-parameters" in str(c.metadata)]
    assert 'source = "uci"' in injected[0].source, "the value of the real data"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (lambda: dev.main(["nonsense"]), f"the tasks are {', '.join(dev.TASKS)}"),
        (lambda: dev.main(["install", "opendb"]), "no extra or task 'opendb'; the extras are"),
        (lambda: run.main(["reproduce", "nothing"]), "No notebook nothing"),
        (lambda: run.main(["reproduce", "--data", "nowhere", "4"]), "is no folder nowhere"),
    ],
)
def test_one_line_says_what_is_wrong(task, said, monkeypatch):
    monkeypatch.setattr(dev, "install", lambda extras: None)
    with pytest.raises(SystemExit, match=said) as stopped:
        task()
    assert "\n" not in stopped.value.code


def test_an_interrupt_ends_all_steps_of_a_task(monkeypatch):
    monkeypatch.setattr(dev.signal, "signal", lambda _, heard: heard())
    monkeypatch.setattr(dev.subprocess, "call", lambda *_, **__: 0)
    with pytest.raises(SystemExit, match="130"):
        dev.test([])
