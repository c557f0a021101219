"""The formula sheet: two pages, all models, and what the docstrings say."""

import re

import nbformat
import pypdfium2
import pytest
from nbconvert.filters.markdown_mistune import MarkdownWithMath

import toolkit as tk
from docs import formulas
from tests.needs import ROOT, chromium
from toolkit.disclosure.catalogue import MODELS
from toolkit.report.html import math_renderer

SHEET = formulas.sheet()
FUNCTIONS = [name for names in formulas.GROUPS.values() for name in names]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Text of each printed page."""
    chromium()
    path = formulas.write(tmp_path_factory.mktemp("sheet"), pdf=True)[1]
    with pypdfium2.PdfDocument(path) as document:
        return [page.get_textpage().get_text_range() for page in document]


def test_the_sheet_has_two_pages_and_all_names_are_on_them(printed):
    assert len(printed) == 2 and all(len(page) > 1000 for page in printed)
    text = re.sub(r"\W", "", "".join(printed))  # a name may be broken over two lines
    missing = [name for name in [*MODELS, *FUNCTIONS] if name not in text]
    assert missing == []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_stands_there_as_the_catalogue_has_it(name):
    model = MODELS[name]
    (row,) = re.findall(rf"<tr><th scope=\"row\"><b>{name} .*?</tr>", SHEET, flags=re.DOTALL)
    assert f"({model.symbol})" in row and model.says.rstrip(".") in row
    assert f"<td>{model.safer}; " in row, "the safer direction"
    assert row.count("<math") >= 1 and not re.search(r"<td>(–)?</td>", row)


def test_a_direction_is_that_of_the_docstring_and_no_formula_is_made_up():
    assert set(FUNCTIONS) <= set(tk.__all__)
    assert formulas.safer("laplace_scale") == "larger"
    assert formulas.safer("cell_information_gain") == "smaller"
    assert formulas.formulas("k_anonymity") == [r"k = \min_c n_c"]
    with pytest.raises(ValueError, match="k_map: no formula of its docstring begins"):
        formulas.formulas("k_map", ["E = mc"])


def test_models_that_contradict_a_docstring_are_seen():
    """What the catalogue calls safer is what the function's own docstring does."""
    for name, model in MODELS.items():
        if name in tk.__all__ and name != "alpha_k_anonymity":  # which returns two numbers
            assert formulas.safer(name) == model.safer, name


def test_no_formula_of_a_notebook_keeps_an_ampersand_or_a_command_of_tex():
    """`aligned` is unknown to latex2mathml: its eight lines became one, with 16 of them."""
    markdown = MarkdownWithMath(renderer=math_renderer()(escape=False))
    faults, seen = [], 0
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            text = markdown.render(cell.source) if cell.cell_type == "markdown" else ""
            for drawn in re.findall(r"<math.*?</math>", text, flags=re.DOTALL):
                seen += 1
                if re.search(r"&amp;|&(?!#?\w+;)|&#x0*26;|&#x0*5c;|\\", drawn, flags=re.I):
                    faults.append(f"{path.stem}, {cell.id}")
    assert seen > 500 and faults == []
