"""Every notebook is one clean run of one argument, and holds with other parameters.

Its stored values are run and compared by nbval (`strict_nbval.py`). Of three sets of other
values (`sets.yaml`) papermill runs the first: of lessons in every test, of the other notebooks
in CI, where real data are taken if they are there. The long run (`--full`) has the other sets,
and real data alone.
"""

import ast
import os
import re

import nbformat
import pytest
import yaml
from IPython.core.inputtransformer2 import TransformerManager
from matplotlib import rc_context
from nbval.plugin import find_comment_markers, find_metadata_tags
from papermill import inspect_notebook

from docs import run
from tests.needs import IN_CI, ROOT
from tests.notebooks.strict_nbval import pixels

PATHS = {run.name_of(path): path for path in run.notebooks()}
NOTEBOOKS = {name: nbformat.read(path, as_version=4) for name, path in PATHS.items()}
PAGES = ("index", "errata", "explorer", "report")
LESSONS = [name for name, path in PATHS.items() if path.stem not in PAGES]
# Notebooks that refuse, at the top and in one sentence, what is outside a parameter's range.
REFUSING = ["index", *LESSONS]
SETS: dict[str, list[dict]] = yaml.safe_load(
    (ROOT / "tests" / "notebooks" / "sets.yaml").read_text(encoding="utf-8")
)


CASES = [
    pytest.param(
        name,
        values,
        id=f"{name}-{values}",
        marks=[
            pytest.mark.xdist_group(f"{name} {number}"),  # run early, each where there is room
            *[pytest.mark.full] * (number > 0),
            *[pytest.mark.ci] * ("/" in name),
        ],
    )
    for name in NOTEBOOKS
    for number, values in enumerate(SETS[name])
]

each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
each_lesson = pytest.mark.parametrize("name", LESSONS)


def code(name: str) -> list:
    cells = NOTEBOOKS[name].cells
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def prose(name: str) -> str:
    cells = NOTEBOOKS[name].cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def tagged(name: str, tag: str) -> list:
    return [cell for cell in NOTEBOOKS[name].cells if tag in cell.metadata.get("tags", [])]


def parameters(name: str) -> dict:
    """Defaults of the parameters, which are literals."""
    asked = inspect_notebook(NOTEBOOKS[name]).items()
    return {key: ast.literal_eval(each["default"]) for key, each in asked}


def tree(cell) -> ast.Module:
    return ast.parse(TransformerManager().transform_cell(cell.source))


def test_the_sets_are_those_of_the_notebooks_on_disk():
    assert list(SETS) == list(NOTEBOOKS), "write it into sets.yaml, in the order of the course"


@each_notebook
def test_outputs_are_of_one_clean_run_that_is_compared(name):
    nbformat.validate(NOTEBOOKS[name])
    assert NOTEBOOKS[name].metadata.kernelspec.name == "python3"
    counts = [cell.execution_count for cell in code(name)]
    assert counts == list(range(1, len(counts) + 1)), "run `python3 dev.py store`"
    outputs = [output for cell in code(name) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert outputs, "a notebook without outputs shows nothing and compares nothing"
    for cell in code(name):
        assert not [*find_comment_markers(cell.source), *find_metadata_tags(cell.metadata)]


@each_notebook
def test_figures_are_eight_inches_wide(name):
    datas = [output.get("data", {}) for cell in code(name) for output in cell.outputs]
    for data in datas:
        if "image/png" in data and run.VIEW not in data:  # a box cut tight around 8 inches
            assert 790 <= pixels(data["image/png"]).shape[1] <= 830


@each_notebook
def test_parameters_are_simple_values_of_one_cell_with_three_other_sets(name):
    assert len(tagged(name, "parameters")) == 1
    known = parameters(name)
    assert set(run.real_parameters(NOTEBOOKS[name])) <= set(known)
    assert len(SETS[name]) == 3, "write three sets into sets.yaml"
    for key, value in [pair for values in SETS[name] for pair in values.items()]:
        assert known[key] != value, f"{key}: another value than the notebook's"
    # Else no run of CI turns it; `source` and `spark` ask for what may not be there.
    lacks = set(known) - set(SETS[name][0]) if name in LESSONS else set()
    assert lacks <= {"source", "spark"}


@each_notebook
def test_some_of_sorted_rows_are_the_same_on_every_processor(name):
    """Several keys are sorted stably anyway; a single one has to say so."""
    pattern = r"\.sort_values\((?!\[).*?\)\.(?:head|tail|iloc)\b"
    parts = [part for cell in code(name) for part in re.findall(pattern, cell.source)]
    assert [part for part in parts if 'kind="stable"' not in part] == []


@each_notebook
def test_imports_stand_in_one_cell(name):
    imports = ast.Import | ast.ImportFrom
    with_imports = [c for c in code(name) if any(isinstance(n, imports) for n in tree(c).body)]
    assert len(with_imports) == 1


@each_lesson
def test_a_lesson_begins_with_a_guess_and_meets_the_invented_person(name):
    opening = prose(name).split("\n## ")[0]
    assert re.search(r"\*\*(Before you run|Guess first)\b", opening)
    assert "Mara Lindqvist" in prose(name)


@each_notebook
def test_links_resolve_and_pictures_are_our_own(name):
    text = prose(name)
    for mark, target in re.findall(r"(!?)\[[^\]]*\]\(<?([^)>\s]+)", text):
        if re.match(r"https?:", target):
            assert not mark, f"a picture from the network: {target}"
        elif not target.startswith(("#", "attachment:", "mailto:")):
            path = PATHS[name].parent / target.split("#")[0]
            assert path.exists(), f"broken link: {target}"
    assert not re.search(r"<img[^>]*https?:", text)


@pytest.mark.parametrize("name", REFUSING)
def test_a_value_outside_its_range_is_refused_in_the_first_cells(name, monkeypatch):
    monkeypatch.chdir(PATHS[name].parent)
    cells = code(name)
    top = max(i for i, cell in enumerate(cells[:4]) if "raise ValueError" in cell.source)
    for key, value in parameters(name).items():
        outside = {str: "nonsense", list: ["nonsense"] * 3}.get(type(value), -1)
        with rc_context(), pytest.raises(ValueError, match=rf"\b{key}\b"):
            space: dict = {}
            for cell in cells[: top + 1]:
                exec(compile(cell.source, name, "exec"), space)
                if "parameters" in cell.metadata.get("tags", []):
                    space[key] = outside


@pytest.mark.parametrize(("name", "values"), CASES)
def test_claims_hold_with_other_parameters(name, values):
    """In CI the first set is tried on real data, which the long run tries by itself, too."""
    if IN_CI and values == SETS[name][0] and os.environ.get("PRIVACY_TOOLKIT_DATA"):
        values = values | run.real_parameters(NOTEBOOKS[name])
    _, fault = run.execute(PATHS[name], values)
    assert not fault


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [name for name, notebook in NOTEBOOKS.items() if run.real_parameters(notebook)]
)
def test_claims_hold_for_real_data(name):
    if not os.environ.get("PRIVACY_TOOLKIT_DATA"):
        pytest.skip("PRIVACY_TOOLKIT_DATA names no folder with real files")
    _, fault = run.execute(PATHS[name], run.real_parameters(NOTEBOOKS[name]))
    assert not fault
