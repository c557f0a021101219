"""What a student sees: a notebook in JupyterLab, run and played with in a real browser."""

import json
import re
import shutil
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from platform import python_version
from threading import Thread

import nbformat
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from tests.needs import ROOT
from tests.notebooks.lab import Explorer, Lab, OpenNotebook, explorer_server
from toolkit import __main__ as command

VERSION = python_version()
pytestmark = pytest.mark.xdist_group("lab")  # they share JupyterLab and the browser


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


def test_opening_a_notebook_does_not_change_it(lab):
    """What JupyterLab writes into the metadata, for the version of Python that runs here."""
    for name in ("index", "1-cell-information-gain"):
        text = (ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
        info = json.loads(text)["metadata"]["language_info"]
        same = text.replace(f'"version": "{info["version"]}"', f'"version": "{VERSION}"')
        (lab.folder / f"opened-{name}.ipynb").write_text(same, encoding="utf-8")
        page = lab.open(f"opened-{name}.ipynb").page
        page.wait_for_timeout(2000)  # the kernel has said what it is
        assert page.locator(".lm-mod-current.jp-mod-active").count() == 1
        assert page.locator(".jp-mod-dirty").count() == 0, name
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
    now = choice.evaluate("select => select.selectedIndex")
    choice.select_option(index=(now + 1) % choice.locator("option").count())
    after = gain.wait_for_change(choice, before)
    gain.screenshot(f"cell-explorer-{label}", gain.output(choice))
    gain.screenshot(f"notebook-{label}")
    assert after[1] != before[1]


def test_nothing_left_this_machine_and_the_console_is_quiet(gain):
    assert len(gain.addresses) > 20, "the page's requests are seen"
    assert any(address.startswith("ws:") for address in gain.addresses)
    assert gain.outside() == []
    assert gain.console_errors == []


def test_the_disclosure_explorers_obey_the_keyboard(lab):
    page = lab.open("5-attribute-disclosure.ipynb")
    page.run_all()
    for name, keys, control in [
        ("class", ["Enter", "ArrowDown", "Enter"], page.dropdown("metric")),
        ("threshold", ["ArrowRight"], page.slider("k at least")),
    ]:
        before = page.seen(control)
        control.focus()
        for key in keys:  # Enter opens a menu, and chooses from it
            page.page.keyboard.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot(f"{name}-explorer", page.output(control))
        assert after[0] != before[0] and after[1] != before[1], name
    assert not page.outside() and not page.console_errors


@pytest.mark.ci
def test_attacks_follow_the_keyboard(lab):
    names = lab.open("3-de-identification.ipynb")
    names.run_all()
    # JupyterLab keeps the arrow keys of a closed list to itself; an open one gets them.
    for control, keys in (
        (
            names.slider("age"),
            ["ArrowRight"] * 2,
        ),  # of 44 and of 45 one fits, by the same gain
        (names.slider("age, known to within"), ["ArrowRight"]),
        (names.dropdown("education"), ["Space", "ArrowDown", "Enter"]),
        (names.control("checkbox", "occupation").locator("input"), ["Space"]),
    ):
        before = names.seen(control)
        for key in keys:
            control.press(key)
        after = names.wait_for_change(control, before)
        assert after[1] != before[1]
    names.screenshot("attack-explorer", names.output(names.slider("age")))
    names.screenshot("columns-explorer", names.output(control))
    assert not names.outside() and not names.console_errors


@pytest.mark.ci
def test_noise_follows_its_controls(lab):
    noise = lab.open("8-laplace-mechanism.ipynb")
    noise.run_all()
    for control, keys in (
        (noise.slider("sensitivity"), ["ArrowRight"]),
        (noise.slider("ε per answer"), ["ArrowRight"]),
        (noise.dropdown("noise"), ["Space", "ArrowDown", "Enter"]),
    ):
        before = noise.seen(control)
        for key in keys:
            control.press(key)
        after = noise.wait_for_change(control, before)
        noise.screenshot("noise-explorer", noise.output(control))
        assert after[0] != before[0] and after[1] != before[1]
    assert not noise.outside() and not noise.console_errors


@pytest.mark.ci
def test_the_auditor_follows_its_controls(lab):
    page = lab.open("9-auditing-privacy.ipynb")
    page.run_all()
    for control, keys in (
        (page.dropdown("mechanism"), ["Space", "ArrowUp", "Enter"]),
        (page.slider("releases"), ["ArrowLeft"]),
    ):
        before = page.seen(control)
        for key in keys:
            control.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot("audit-explorer", page.output(control))
        assert after[0] != before[0] and after[1] != before[1]
    assert not page.outside() and not page.console_errors


@pytest.mark.ci
def test_histograms_follow_their_controls(lab):
    page = lab.open("10-private-histograms.ipynb")
    page.run_all()
    for control, keys in (
        (page.slider("records per person"), ["ArrowRight"]),
        (page.control("checkbox", "district_c").locator("input"), ["Space"]),
    ):
        before = page.seen(control)
        for key in keys:
            control.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot("histogram-explorer", page.output(control))
        assert after[0] != before[0] and after[1] != before[1]
    assert not page.outside() and not page.console_errors


def test_generalisation_by_hand_follows_the_keyboard(lab):
    crowd = lab.open("4-k-anonymity.ipynb")
    crowd.run_all()
    for name, control, key in (
        ("by-hand", crowd.slider("bin width of age"), "ArrowLeft"),
        ("by-hand", crowd.slider("digits of Zip"), "ArrowRight"),
        ("by-hand", crowd.control("checkbox", "drop sex").locator("input"), "Space"),
        ("search", crowd.slider("looks of the search"), "ArrowLeft"),
        ("mondrian", crowd.slider("rounds of cuts"), "Home"),
    ):
        before = crowd.seen(control)
        control.press(key)
        after = crowd.wait_for_change(control, before)
        crowd.screenshot(f"{name}-explorer", crowd.output(control))
        assert after[0] != before[0] and after[1] != before[1], name
    assert not crowd.outside() and not crowd.console_errors


@pytest.mark.ci
def test_who_stands_out_follows_the_controls(lab):
    page = lab.open("7-who-stands-out.ipynb")
    page.run_all()
    for control, keys in (
        (page.dropdown("score"), ["Space", "ArrowDown", "Enter"]),
        (page.slider("flag"), ["ArrowRight"]),
    ):
        before = page.seen(control)
        for key in keys:
            control.press(key)
        after = page.wait_for_change(control, before)
        page.screenshot("standing-out-explorer", page.output(control))
        assert after[0] != before[0] and after[1] != before[1]
    assert not page.outside() and not page.console_errors


@pytest.mark.ci
def test_beliefs_and_their_controls_are_in_sight_together_on_a_small_screen(lab):
    page = lab.open("11-differential-identifiability.ipynb")
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
figure = lambda looks: Figure(figsize=(8, 6.2))  # as high as the search of the lattice
search = widgets.explorer(figure, lambda looks: "", looks=IntSlider(3, description="looks"))
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


def test_the_start_notebook_runs(lab):
    page = lab.open("index.ipynb")
    page.run_all()
    assert page.panel.locator("img.widget-image").count(), "its widget shows a figure"
    assert not page.outside() and not page.console_errors


def test_a_report_is_one_page_that_asks_for_nothing(lab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command.main(["report"]) == 0
    page, asked, errors = lab.context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "report.html").as_uri())
    page.get_by_role("heading", name="What this report cannot see").wait_for()
    pictures = page.locator("img").evaluate_all("all => all.map(one => one.naturalWidth)")
    assert len(pictures) == 6 and min(pictures) > 500
    assert page.locator("table").count() >= 6 and not page.get_by_text("plt.subplots").count()
    assert page.locator("img[alt^=Figure]").count() == 6
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    page.screenshot(path=ROOT / "build" / "screenshots" / "report.png", full_page=True)
    assert not wide and not errors
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


# The explorer of a table of one's own: in JupyterLab, and as a page of its own


def ward(records: int = 300) -> bytes:
    """A file such as somebody may bring: names, what others may know, and an illness."""
    rng = np.random.default_rng(4)
    ages, zips = rng.integers(18, 90, records), rng.integers(13000, 13060, records)
    ills = rng.choice(["flu", "hiv", "none"], records)
    rows = [f"Person {i};{ages[i]};{zips[i]};{ills[i]}" for i in range(records)]
    return "\n".join(["full name;age;zip;illness", *rows]).encode()


def open_file(page: OpenNotebook, name: str, content: bytes) -> None:
    """Choose a file in the dialogue that the button opens."""
    with page.page.expect_file_chooser() as chooser:
        page.panel.get_by_role("button", name="open a file").press("Enter")
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    chooser.value.set_files(file)


def message(page: OpenNotebook):
    return page.panel.locator('[role="status"]').last


def step(page: OpenNotebook, name: str) -> None:
    """Choose a step of the explorer."""
    page.panel.get_by_role("tab", name=name).click()


def explore(page: OpenNotebook, place: str) -> None:
    """Open a file, change a role, move a slider, save the release: by the keyboard."""
    step(page, "1 Table")
    for content, said in ((b"", "is empty"), (b"age\n1\n2\n", "has one column")):
        open_file(page, "ward.csv", content)
        expect(message(page)).to_contain_text(said)
    open_file(page, "ward.csv", ward())
    expect(message(page)).to_contain_text("300 records, 4 columns")
    page.page.keyboard.press("Shift+Tab")
    page.panel.get_by_role("tab", name="1 Table").focus()
    for _ in range(2):
        page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Enter")
    age = page.slider("age")
    expect(age).to_be_visible()
    before = page.seen(age)
    assert "Person" not in before[1], "cells of a direct identifier are not shown"
    age.press("ArrowLeft")
    after = page.wait_for_change(age, before)
    page.screenshot(f"table-explorer-{place}")
    outline = age.evaluate("handle => getComputedStyle(handle).outlineStyle")
    assert outline == "solid", "who uses the keyboard sees where they are"
    step(page, "2 Roles")
    role = page.dropdown("zip")
    cut = "list => list.scrollWidth > list.clientWidth"
    assert not role.evaluate(cut), "the role is not cut"
    role.focus()
    for key in ("Space", "ArrowDown", "Enter"):  # from quasi-identifier to sensitive
        page.page.keyboard.press(key)
    page.wait_for_change(age, after)
    expect(role).to_have_value("sensitive")
    expect(page.control("slider", "zip").locator(".noUi-target")).to_have_attribute(
        "disabled", "true"
    )
    step(page, "3 Treat")
    page.panel.get_by_role("button", name="Reach k").press("Enter")
    expect(page.panel.get_by_text("k = 5 is reached")).to_be_visible()
    step(page, "4 Save")
    code = page.panel.locator("textarea").last
    expect(code).to_have_value(re.compile(r'read_table\("ward.csv"\)'))
    page.panel.get_by_role("button", name="Prepare the files").press("Enter")
    saved = {}
    for name in ("release.csv", "release.json", "treatment.py"):
        with page.page.expect_download() as download:
            page.panel.get_by_role("link", name=f"Save {name}").press("Enter")
        saved[name] = download.value.path().read_text(encoding="utf-8")
    assert saved["treatment.py"] == code.input_value()
    assert json.loads(saved["release.json"])["thresholds"] == {"k": 5}
    ages = [row.rsplit(",", 2)[0] for row in saved["release.csv"].splitlines()[1:]]
    assert len(ages) > 284 and min(Counter(ages).values()) >= 5, "as the search said"
    page.screenshot(f"table-explorer-{place}-at-the-end")
    assert not page.outside() and not page.console_errors


def test_a_table_is_explored_in_jupyterlab(lab):
    page = lab.open("explorer.ipynb")
    page.run_all()
    assert page.control("text", "or its path").count(), "here a file is opened by its path"
    explore(page, "lab")


@pytest.fixture(scope="module")
def explorer(lab):
    """The page of `python3 dev.py explore`."""
    with explorer_server("--no-browser") as served:
        yield Explorer(lab, served)


@pytest.mark.ci
def test_the_page_of_the_explorer_can_be_used_without_eyes_or_mouse(explorer):
    page = explorer.open()
    for name in ("1 Table", "2 Roles", "3 Treat", "4 Save"):
        step(page, name)
        found = Axe().run(page.page).response["violations"]
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == [], name
    page.page.close()


def test_a_table_is_explored_as_a_page_of_its_own(explorer):
    page = explorer.open()
    assert not page.panel.get_by_text("or its path").count(), "and no file by its path"
    assert page.page.url == f"{explorer.address}/"
    said = page.page.evaluate("document.referrer + document.documentElement.outerHTML")
    assert explorer.token not in said, "the token is not in the page, nor where it came from"
    assert not page.panel.locator(".jp-InputArea-editor").count(), "no code is to be seen"
    assert not page.panel.get_by_text("error when executing").count(), "all cells ran"
    step(page, "3 Treat")
    figure = page.panel.locator("img.widget-image")
    for width, height in ((1920, 1080), (1280, 800), (1024, 768), (390, 844)):
        page.page.set_viewport_size({"width": width, "height": height})
        wide = page.panel.evaluate("body => body.scrollWidth - body.clientWidth")
        assert wide <= 0, "nothing is cut off on the right"
        for slider in page.panel.get_by_role("slider").all():
            if slider.is_visible():
                slider.scroll_into_view_if_needed()
        last = page.slider("n of PIF (%)")
        expect(last).to_be_in_viewport()
        box = figure.bounding_box()
        assert box["y"] >= -11 and box["y"] + box["height"] <= height, "always in sight"
        page.screenshot(f"table-explorer-{width}")
        tracks = [one for one in page.page.locator(".noUi-base").all() if one.is_visible()]
        assert min(track.bounding_box()["width"] for track in tracks) > 60, width
    page.page.set_viewport_size({"width": 1280, "height": 800})
    named = page.panel.get_by_role("slider", name="age", exact=True)
    expect(named).to_have_attribute("aria-valuetext", "hidden")
    named.press("ArrowLeft")
    expect(named).to_have_attribute("aria-valuetext", "4 groups")
    explore(page, "page")
    assert "Kernel shutdown" not in explorer.log.read_text()
    page.page.goto("about:blank")
    for _ in range(100):
        if "Kernel shutdown" in explorer.log.read_text():
            break
        page.page.wait_for_timeout(100)
    assert "Kernel shutdown" in explorer.log.read_text(), (
        "a page that is left takes its kernel"
    )


def test_the_page_opens_with_the_file_that_it_is_given(lab, tmp_path):
    """By its path, with spaces, from another folder; sliders say which column they move."""
    file = tmp_path / "my ward.csv"
    file.write_bytes(ward())
    with explorer_server(str(file), "--no-browser") as served:
        page = Explorer(lab, served).open()
        first = page.panel.get_by_role("tab", name="2 Roles")
        expect(first).to_have_attribute("aria-selected", "true")
        expect(page.dropdown("full name")).to_have_value("direct identifier")
        step(page, "1 Table")
        expect(message(page)).to_contain_text("300 records, 4 columns")
        expect(page.dropdown("table")).to_have_value("my ward.csv")
        step(page, "3 Treat")
        expect(page.panel.get_by_role("slider", name="zip", exact=True)).to_be_visible()
        assert not page.console_errors and served.token not in page.page.content()


def test_a_server_of_somebody_else_takes_no_file_without_a_tick(lab):
    with explorer_server("--no-browser", JUPYTERHUB_USER="somebody") as served:
        page = Explorer(lab, served).open()
        button = page.panel.get_by_role("button", name="open a file")
        expect(page.panel.get_by_text("not on your own computer")).to_be_visible()
        expect(button).to_be_disabled()
        page.panel.get_by_role("checkbox").check()
        expect(button).to_be_enabled()
        open_file(page, "ward.csv", ward())
        expect(message(page)).to_contain_text("300 records, 4 columns")


def test_a_page_of_another_port_starts_no_kernel_though_it_has_the_cookie(explorer, tmp_path):
    explorer.open()
    started = explorer.log.read_text().count("Kernel started")
    stranger = explorer.context.new_page()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        stranger.goto(f"http://127.0.0.1:{server.server_port}/")
        asks = """address => fetch(address, {mode: "no-cors", credentials: "include"})"""
        stranger.evaluate(asks, f"{explorer.address}/?1")
        server.shutdown()
    assert "403 GET /?1" in explorer.log.read_text()
    assert explorer.log.read_text().count("Kernel started") == started


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
