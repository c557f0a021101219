"""What a student sees: a notebook in JupyterLab, run and played with in a real browser."""

import shutil

import pytest

from tests.lab import Lab
from tests.needs import ROOT

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab over a copy of the notebooks (it saves what it opens), in a spaced path."""
    folder = tmp_path_factory.mktemp("a b")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, folder)
    with Lab(folder) as lab:
        yield lab


@pytest.fixture(scope="module")
def gain(lab):
    """The notebook on cell information gain, all cells run."""
    page = lab.open("1-cell-information-gain.ipynb")
    page.run_all()
    return page


def test_the_percentile_slider_moves_figure_and_text(gain):
    slider = gain.slider("n (%)")
    before = gain.seen(slider)
    slider.press("ArrowLeft")
    after = gain.wait_for_change(slider, before)
    gain.screenshot("pif-explorer", gain.output(slider))
    assert after[1] != before[1]


@pytest.mark.parametrize("label", ["row", "feature"])
def test_the_cell_explorer_follows_its_choices(gain, label):
    choice = gain.dropdown(label)
    before = gain.seen(choice)
    now = choice.evaluate("select => select.selectedIndex")
    choice.select_option(index=(now + 1) % choice.locator("option").count())
    after = gain.wait_for_change(choice, before)
    gain.screenshot(f"cell-explorer-{label}", gain.output(choice))
    gain.screenshot(f"notebook-{label}")
    assert after[1] != before[1]


def test_the_start_notebook_runs(lab):
    page = lab.open("index.ipynb")
    page.run_all()
    assert page.panel.locator("img.widget-image").count(), "its widget shows a figure"
    assert not page.outside() and not page.console_errors


def test_nothing_left_this_machine_and_the_console_is_quiet(gain):
    assert len(gain.addresses) > 20, "the page's requests are seen"
    assert any(address.startswith("ws:") for address in gain.addresses)
    assert gain.outside() == []
    assert gain.console_errors == []
