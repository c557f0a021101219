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


def assert_moves(page, *moves):
    """Move controls by the keyboard: figure and text follow each."""
    # JupyterLab keeps the arrow keys of a closed list to itself; an open one gets them.
    for kind, label, keys in moves:
        control = getattr(page, kind)(label)
        before = page.seen(control)
        for key in keys.split():
            control.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot(f"{page.name}-{label}".replace(" ", "-"), page.output(control))
        assert after[0] != before[0] and after[1] != before[1], label
    assert not page.outside() and not page.console_errors


NEXT, LAST = "Space ArrowDown Enter", "Space End Enter"


def test_the_explorers_of_a_lesson_follow_their_controls(lab):
    gain = lab.open("01-cell-information-gain.ipynb")
    gain.run_all()
    assert len(gain.addresses) > 20, "the page's requests are seen"
    assert any(address.startswith("ws:") for address in gain.addresses)
    moves = ("slider", "n (%)", "ArrowLeft"), ("dropdown", "row", LAST)
    assert_moves(gain, *moves, ("dropdown", "feature", LAST))


def test_patients_are_exchanged_by_the_keyboard(lab):
    page = lab.open("05-attribute-disclosure.ipynb")
    page.run_all()
    control = page.slider("patients exchanged")
    nobody = page.seen(control)
    assert_moves(page, ("slider", "patients exchanged", "End"))  # all of them at once
    everyone = page.seen(control)
    control.press("Home")
    assert page.wait_for_change(control, everyone) == nobody


def test_the_start_notebook_runs(lab):
    page = lab.open("index.ipynb")
    page.run_all()
    assert page.panel.locator("img.widget-image").count(), "its widget shows a figure"
    assert not page.outside() and not page.console_errors


@pytest.mark.full
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
        ("slider", "bin width of age", "End"),
        ("checkbox", "drop sex", "Space"),
        ("slider", "digits of Zip", "Home"),
        ("slider", "looks of the search", "ArrowRight"),
        ("slider", "rounds of cuts", "ArrowRight"),
    )


CONTROLS = """
from ipywidgets import Checkbox, Dropdown, FloatLogSlider, IntSlider
from matplotlib.figure import Figure
from toolkit import datasets, widgets
adult = datasets.load_adult().head(3000).drop(columns="fnlwgt")
def see(**values):
    figure = Figure(figsize=(8, 3 if len(values) > 1 else 6.2))  # as the search of the lattice
    figure.text(0.1, 0.5, str(values))
    return str(values), figure
kinds = {"steps": IntSlider(3), "budget": FloatLogSlider(1, min=-1, max=1)}
kinds |= {"noise": Dropdown(options=["Laplace", "Gauss"]), "all": Checkbox(False)}
for name, control in kinds.items():
    control.description = name
"""
TALLEST = (
    "widgets.explorer(see, **kinds)",
    "widgets.explorer(see, looks=IntSlider(3, description='looks'))",
    "widgets.standing_out_explorer(adult[[*adult][:9]], [*adult][:5])",
    "widgets.attack_explorer(adult, [*adult][1:5], 'capital-gain', number='age')",
)


@pytest.mark.ci
def test_each_kind_of_control_is_moved_and_the_tallest_explorers_fit_a_small_screen(lab):
    cells = [new_code_cell(source) for source in (CONTROLS, *TALLEST)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), lab.folder / "tallest.ipynb")
    page = lab.open("tallest.ipynb")
    page.page.set_viewport_size({"width": 1024, "height": 768})
    page.run_all()
    expect(page.panel.locator("img.widget-image")).to_have_count(4)
    for sidebar in ("open", "shut"):
        seen = page.panel.locator(".jp-Notebook").bounding_box()["height"]
        for image in page.panel.locator("img.widget-image").all():
            box, top = image.bounding_box(), page.output(image).bounding_box()["y"]
            assert box["y"] + box["height"] - top <= seen, f"side bar {sidebar}"
        page.page.keyboard.press("Control+b")  # wider, so that pictures are higher
        page.page.wait_for_timeout(1000)
    moves = (("slider", "steps", "ArrowRight"), ("slider", "budget", "ArrowRight"))
    assert_moves(page, *moves, ("dropdown", "noise", NEXT), ("checkbox", "all", "Space"))
