"""The explorer of a table of one's own: in JupyterLab, and as a page of its own."""

import json
import re
from collections import Counter

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.lab import Explorer, OpenNotebook, explorer_server

pytestmark = pytest.mark.xdist_group("explorer")  # they share a server and a browser


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


def explore(page: OpenNotebook) -> None:
    """Open a file, change a role, move a slider, save the release: by the keyboard."""
    step(page, "1 Table")
    open_file(page, "ward.csv", b"age\n1\n2\n")
    expect(message(page)).to_contain_text("2 to 40 columns, not 1")
    open_file(page, "ward.csv", ward())
    expect(message(page)).to_contain_text("300 records, 4 columns")
    expect(page.panel.get_by_text("its name says 'full name'")).to_have_count(1)
    page.page.keyboard.press("Shift+Tab")
    page.panel.get_by_role("tab", name="1 Table").focus()
    for _ in range(2):
        page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Enter")
    age = page.slider("age")
    expect(age).to_be_visible()
    before = page.seen(age)
    assert "Person" not in before[1], "cells of a direct identifier are not shown"
    age.press("ArrowRight")
    after = page.wait_for_change(age, before)
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
    k = page.control("text", "k").locator("input")
    before = page.seen(age)
    k.fill("20")
    k.press("Enter")
    page.wait_for_change(age, before)
    step(page, "4 Save")
    code = page.panel.locator("textarea").last
    expect(code).to_have_value(re.compile(r"read_table\('ward.csv'\)"))
    page.panel.get_by_role("checkbox").press("Space")
    expect(page.panel.get_by_text("full name: direct identifier, not counted")).to_be_visible()
    page.panel.get_by_role("button", name="Prepare the files").press("Enter")
    saved = {}
    for name in ("release.csv", "release.json", "release.html", "treatment.py"):
        with page.page.expect_download() as download:
            page.panel.get_by_role("link", name=f"Save {name}").press("Enter")
        saved[name] = download.value.path().read_text(encoding="utf-8")
    assert saved["treatment.py"] == code.input_value()
    assert json.loads(saved["release.json"])["thresholds"] == {"k": 20}
    ages = [row.rsplit(",", 2)[0] for row in saved["release.csv"].splitlines()[1:]]
    assert min(Counter(ages).values()) >= 20
    page.screenshot("table-explorer-at-the-end")
    assert not page.outside() and not page.console_errors


def test_a_table_is_explored_in_jupyterlab(lab):
    page = lab.open("pages/explorer.ipynb")
    page.run_all()
    step(page, "3 Treat")
    age = page.slider("age")
    before = page.seen(age)
    age.press("ArrowRight")
    page.wait_for_change(age, before)
    page.screenshot("table-explorer-lab")
    assert not page.outside() and not page.console_errors


@pytest.fixture(scope="module")
def page(lab):
    """The page of `python3 dev.py explore`."""
    with explorer_server("--no-browser") as served:
        yield Explorer(lab, served).open()


@pytest.mark.ci
@pytest.mark.parametrize("name", ["1 Table", "2 Roles", "3 Treat", "4 Save"])
def test_the_page_can_be_used_without_eyes_or_mouse(page, name):
    step(page, name)
    found = Axe().run(page.page).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == []


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800), (1024, 768), (390, 844)])
def test_sliders_and_figure_are_in_sight_together(page, size):
    step(page, "3 Treat")
    page.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    wide = page.panel.evaluate("body => body.scrollWidth - body.clientWidth")
    assert wide <= 0, "nothing is cut off on the right"
    page.slider("native-country").scroll_into_view_if_needed()
    expect(page.slider("native-country")).to_be_in_viewport()
    box = page.panel.locator("img.widget-image").bounding_box()
    assert box["y"] >= -11 and box["y"] + box["height"] <= size[1], "always in sight"
    page.screenshot(f"table-explorer-{size[0]}")
    tracks = [one for one in page.page.locator(".noUi-base").all() if one.is_visible()]
    assert min(track.bounding_box()["width"] for track in tracks) > 60


def test_a_table_is_explored_as_a_page_of_its_own(page):
    assert not page.panel.locator(".jp-InputArea-editor").count(), "no code is to be seen"
    assert not page.panel.get_by_text("error when executing").count(), "all cells ran"
    page.page.set_viewport_size({"width": 1280, "height": 800})
    step(page, "3 Treat")
    named = page.panel.get_by_role("slider", name="age", exact=True)
    expect(named).to_have_attribute("aria-valuetext", "as it is")
    named.press("ArrowRight")
    expect(named).to_have_attribute("aria-valuetext", "by 5")
    explore(page)


@pytest.mark.ci
def test_a_page_opens_the_file_it_is_given_and_warns_on_a_server(lab, tmp_path):
    """By its path, with spaces, from another folder; sliders say which column they move."""
    file = tmp_path / "my ward.csv"
    file.write_bytes(ward().replace(b"age;", b"years;"))
    with explorer_server(str(file), "--no-browser", JUPYTERHUB_USER="somebody") as served:
        page = Explorer(lab, served).open()
        expect(page.panel.get_by_text("not on your own computer")).to_be_visible()
        expect(message(page)).to_contain_text("my ward.csv: 300 records, 4 columns")
        expect(page.dropdown("full name")).to_have_value("direct identifier")
        step(page, "3 Treat")
        expect(page.panel.get_by_role("slider", name="zip", exact=True)).to_be_visible()
        shown = page.page.content()
        assert "when executing" not in shown and "The task" not in shown, "the course's part"
        assert not page.console_errors and served.token not in shown
