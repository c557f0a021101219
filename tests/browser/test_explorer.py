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


def explore(page: OpenNotebook, place: str) -> None:
    """Open a file, change a role, move a slider, save the release: by the keyboard."""
    step(page, "1 Table")
    for content, said in ((b"", "is empty"), (b"age\n1\n2\n", "to have one column")):
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
    age.press("ArrowRight")
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
    expect(page.panel.get_by_text("k = 2 is reached")).to_be_visible()
    step(page, "4 Save")
    code = page.panel.locator("textarea").last
    expect(code).to_have_value(re.compile(r"read_table\('ward.csv'\)"))
    page.panel.get_by_role("checkbox").press("Space")
    expect(page.panel.get_by_text("full name: direct identifier, not counted")).to_be_visible()
    page.panel.get_by_role("button", name="Prepare the files").press("Enter")
    saved = {}
    for name in ("release.csv", "release.json", "treatment.py"):
        with page.page.expect_download() as download:
            page.panel.get_by_role("link", name=f"Save {name}").press("Enter")
        saved[name] = download.value.path().read_text(encoding="utf-8")
    assert saved["treatment.py"] == code.input_value()
    assert json.loads(saved["release.json"])["thresholds"] == {"k": 2}
    ages = [row.rsplit(",", 2)[0] for row in saved["release.csv"].splitlines()[1:]]
    assert len(ages) > 284 and min(Counter(ages).values()) >= 2, "as the search said"
    page.screenshot(f"table-explorer-{place}-at-the-end")
    assert not page.outside() and not page.console_errors


def test_a_table_is_explored_in_jupyterlab(lab):
    page = lab.open("pages/explorer.ipynb")
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
        last = page.slider("income")
        expect(last).to_be_in_viewport()
        box = figure.bounding_box()
        assert box["y"] >= -11 and box["y"] + box["height"] <= height, "always in sight"
        page.screenshot(f"table-explorer-{width}")
        tracks = [one for one in page.page.locator(".noUi-base").all() if one.is_visible()]
        assert min(track.bounding_box()["width"] for track in tracks) > 60, width
    page.page.set_viewport_size({"width": 1280, "height": 800})
    named = page.panel.get_by_role("slider", name="age", exact=True)
    expect(named).to_have_attribute("aria-valuetext", "as it is")
    named.press("ArrowRight")
    expect(named).to_have_attribute("aria-valuetext", re.compile(r"\d groups"))
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


@pytest.mark.parametrize(
    "sign", ["JUPYTERHUB_USER", pytest.param("BINDER_SERVICE_HOST", marks=pytest.mark.ci)]
)
def test_a_server_of_somebody_else_takes_no_file_without_a_tick(lab, sign):
    with explorer_server("--no-browser", **{sign: "somebody"}) as served:
        page = Explorer(lab, served).open()
        button = page.panel.get_by_role("button", name="open a file")
        expect(page.panel.get_by_text("not on your own computer")).to_be_visible()
        expect(button).to_be_disabled()
        page.panel.get_by_role("checkbox").check()
        expect(button).to_be_enabled()
        open_file(page, "ward.csv", ward())
        expect(message(page)).to_contain_text("300 records, 4 columns")
