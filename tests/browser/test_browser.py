"""What a student sees: a notebook in JupyterLab, run and played with in a real browser."""

import json
from platform import python_version

import nbformat
import pypdfium2
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from docs import handout
from tests.needs import ROOT

VERSION = python_version()
pytestmark = pytest.mark.xdist_group("lab")  # they share JupyterLab and the browser
elsewhere = pytest.mark.xdist_group("keyboard")  # with another JupyterLab, on another worker


@pytest.fixture(scope="module")
def gain(lab):
    """The notebook on cell information gain, all cells run."""
    page = lab.open("01-cell-information-gain.ipynb")
    page.run_all()
    return page


def test_opening_a_notebook_does_not_change_it(lab):
    """What JupyterLab writes into the metadata, for the version of Python that runs here."""
    for name in ("index", "01-cell-information-gain"):
        text = (ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
        info = json.loads(text)["metadata"]["language_info"]
        same = text.replace(f'"version": "{info["version"]}"', f'"version": "{VERSION}"')
        (lab.folder / f"opened-{name}.ipynb").write_text(same, encoding="utf-8")
        page = lab.open(f"opened-{name}.ipynb").page
        page.wait_for_timeout(2000)  # the kernel has said what it is
        assert page.locator(".lm-mod-current.jp-mod-active").count() == 1
        assert page.locator(".jp-mod-dirty").count() == 0, name
        assert page.locator(".Toastify__toast").count() == 0, "nor is anything asked"
        page.close()


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
    choice.select_option(index=choice.locator("option").count() - 1)  # another gender
    after = gain.wait_for_change(choice, before)
    gain.screenshot(f"cell-explorer-{label}", gain.output(choice))
    gain.screenshot(f"notebook-{label}")
    assert after[1] != before[1]


def test_nothing_left_this_machine_and_the_console_is_quiet(gain):
    assert len(gain.addresses) > 20, "the page's requests are seen"
    assert any(address.startswith("ws:") for address in gain.addresses)
    assert gain.outside() == []
    assert gain.console_errors == []


@elsewhere
def test_patients_are_exchanged_by_the_keyboard(lab):
    page = lab.open("05-attribute-disclosure.ipynb")
    page.run_all()
    control = page.slider("patients exchanged")
    nobody = page.seen(control)
    control.press("End")  # all of them at once
    everyone = page.wait_for_change(control, nobody)
    control.press("Home")
    after = page.wait_for_change(control, everyone)
    page.screenshot("promises-explorer", page.output(control))
    assert after == nobody
    assert not page.outside() and not page.console_errors


def assert_moves(page, *moves):
    """Move controls by the keyboard: figure and text follow each; a picture of its output."""
    # JupyterLab keeps the arrow keys of a closed list to itself; an open one gets them.
    for picture, control, keys in moves:
        before = page.seen(control)
        for key in keys.split():
            control.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot(f"{picture}-explorer", page.output(control))
        assert after[0] != before[0] and after[1] != before[1], picture
    assert not page.outside() and not page.console_errors


@elsewhere
@pytest.mark.ci
def test_attacks_follow_the_keyboard(lab):
    page = lab.open("03-de-identification.ipynb")
    page.run_all()
    assert_moves(
        page,
        ("attack", page.slider("age, known to within"), "ArrowRight"),
        ("attack", page.slider("age"), "ArrowRight ArrowRight"),
        ("attack", page.dropdown("education"), "Space ArrowDown Enter"),
        ("columns", page.control("checkbox", "occupation").locator("input"), "Space"),
    )


@pytest.mark.ci
def test_noise_follows_its_controls(lab):
    page = lab.open("07-laplace-mechanism.ipynb")
    page.run_all()
    assert_moves(
        page,
        ("noise", page.slider("sensitivity"), "ArrowRight"),
        ("noise", page.slider("ε per answer"), "ArrowRight"),
        ("noise", page.dropdown("noise"), "Space ArrowDown Enter"),
    )


@pytest.mark.ci
def test_the_auditor_follows_its_controls(lab):
    page = lab.open("08-auditing-privacy.ipynb")
    page.run_all()
    assert_moves(
        page,
        ("audit", page.dropdown("mechanism"), "Space ArrowUp Enter"),
        ("audit", page.slider("releases"), "ArrowRight"),
    )


@pytest.mark.ci
def test_histograms_follow_their_controls(lab):
    page = lab.open("09-private-histograms.ipynb")
    page.run_all()
    district = page.control("checkbox", "district_c").locator("input")
    assert_moves(
        page,
        ("histogram", page.slider("records per person"), "ArrowRight"),
        ("histogram", district, "Space"),
    )


@elsewhere
@pytest.mark.ci
def test_generalisation_by_hand_follows_the_keyboard(lab, tmp_path, monkeypatch):
    page = lab.open("04-k-anonymity.ipynb")
    page.run_all()
    page.page.keyboard.press("Control+s")
    expect(page.page.locator(".lm-mod-current.jp-mod-dirty")).to_have_count(0)
    printed = []
    for folder in (ROOT / "notebooks", lab.folder):  # as it came, and as JupyterLab saved it
        monkeypatch.setattr(handout, "HANDOUTS", tmp_path / folder.name)
        assert handout.main([str(folder / "04-k-anonymity.ipynb"), "--pdf"]) == 0
        with pypdfium2.PdfDocument(tmp_path / folder.name / "04-k-anonymity.pdf") as document:
            parts = [part for sheet in document for part in sheet.get_objects(filter=[3])]
            printed.append(len(parts))  # pictures
    assert printed[0] == printed[1] >= 6, "those of its three widgets are there"
    page.slider("digits of Zip").press("End")  # with ages as they are nobody is left, still
    assert_moves(
        page,
        ("by-hand", page.slider("bin width of age"), "End"),
        ("by-hand", page.control("checkbox", "drop sex").locator("input"), "Space"),
        ("by-hand", page.slider("digits of Zip"), "Home"),
        ("search", page.slider("looks of the search"), "ArrowRight"),
        ("mondrian", page.slider("rounds of cuts"), "ArrowRight"),
    )


@pytest.mark.ci
def test_who_stands_out_follows_the_controls(lab):
    page = lab.open("06-who-stands-out.ipynb")
    page.run_all()
    assert_moves(
        page,
        ("standing-out", page.dropdown("score"), "Space ArrowDown Enter"),
        ("standing-out", page.slider("flag"), "ArrowRight"),
    )


@pytest.mark.ci
def test_beliefs_and_their_controls_are_in_sight_together_on_a_small_screen(lab):
    page = lab.open("10-differential-identifiability.ipynb")
    page.page.set_viewport_size({"width": 1024, "height": 768})
    page.run_all()
    control = page.slider("releases")
    output = page.output(control)
    output.evaluate("output => output.scrollIntoView({block: 'start'})")
    expect(control).to_be_in_viewport()
    expect(output.get_by_role("textbox").first).to_be_in_viewport()
    expect(output.locator("img.widget-image").first).to_be_in_viewport(ratio=0.99)
    before = page.seen(control)
    control.press("ArrowRight")
    assert "2 releases" in page.wait_for_change(control, before)[1]
    page.screenshot("beliefs-explorer")
    assert not page.outside() and not page.console_errors


TALLEST = """
from ipywidgets import IntSlider
from matplotlib.figure import Figure
from toolkit import datasets, widgets
adult = datasets.load_adult().head(3000).drop(columns="fnlwgt")
scores = widgets.standing_out_explorer(adult[[*adult][:9]], [*adult][:5])
attack = widgets.attack_explorer(adult, [*adult][1:5], "capital-gain", number="age")
see = lambda looks: ("", Figure(figsize=(8, 6.2)))  # as high as the search of the lattice
search = widgets.explorer(see, looks=IntSlider(3, description="looks"))
"""


@pytest.mark.ci
def test_the_tallest_explorers_are_in_sight_whole_on_a_small_screen(lab):
    cells = [new_code_cell(source) for source in (TALLEST, "scores", "attack", "search")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), lab.folder / "tallest.ipynb")
    page = lab.open("tallest.ipynb")
    page.page.set_viewport_size({"width": 1024, "height": 768})
    page.run_all()
    expect(page.panel.locator("img.widget-image")).to_have_count(3)
    for sidebar in ("open", "shut"):
        seen = page.panel.locator(".jp-Notebook").bounding_box()["height"]
        for image in page.panel.locator("img.widget-image").all():
            box, top = image.bounding_box(), page.output(image).bounding_box()["y"]
            assert box["y"] + box["height"] - top <= seen, f"side bar {sidebar}"
        page.page.keyboard.press("Control+b")  # wider, so that pictures are higher
        page.page.wait_for_timeout(1000)


@elsewhere
def test_the_start_notebook_runs(lab):
    page = lab.open("index.ipynb")
    page.run_all()
    assert page.panel.locator("img.widget-image").count(), "its widget shows a figure"
    assert not page.outside() and not page.console_errors
