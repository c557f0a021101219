"""The report's page: laid out for screens, telephones and paper, and needs nothing else."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import sync_playwright

import toolkit.__main__ as command
from tests.needs import chromium

SECRETS = (
    r"[Xx]anthippe|Quux\d|zyzzyva|zz(?:flu|hiv|cold|harbour|mill|bridge|lighthouse)"
    r"|19\d\d-\d\d-"
)
FOOT = 80.0
"""Points from the lower edge of a page, of 842, in which no heading may stand."""


def patients(rows=400):
    """People with names, addresses and a rare place that no page may hold."""
    rng = np.random.default_rng(7)
    towns = rng.choice(["zzharbour", "zzmill", "zzbridge"], rows)
    towns[0] = "zzlighthouse"
    data = pd.DataFrame(
        {
            "name": [f"Xanthippe{i} Quux{i}" for i in range(rows)],
            "e-mail": [f"xanthippe{i}@zyzzyva.example" for i in range(rows)],
            "date of birth": pd.Timestamp("1940-01-01")
            + pd.to_timedelta(rng.integers(0, 25_000, rows), "D"),
            "town": towns,
            "illness": rng.choice(["zzflu", "zzhiv", "zzcold"], rows),
        }
    )
    answers = {f"answer to question {j}": rng.integers(0, 3, rows) for j in range(22)}
    return data.assign(**answers)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder with the report of a table whose roles nobody named, with many columns."""
    folder = tmp_path_factory.mktemp("report")
    patients().to_csv(folder / "patients.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert command.main(["report", "patients.csv", "--output", "x.html"]) == 0
    return folder


@pytest.fixture(scope="module")
def tab(made):
    """The page in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--force-color-profile=srgb"]
        )
        opened = browser.new_page()
        opened.asked = []
        opened.on("request", lambda request: opened.asked.append(request.url))
        opened.goto((made / "x.html").as_uri())
        yield opened
        browser.close()


def test_no_secret_is_in_any_file_and_the_numbers_agree(made):
    for name in ("x.html", "x.json"):
        assert not re.findall(SECRETS, (made / name).read_text(encoding="utf-8")), name
    numbers = json.loads((made / "x.json").read_text(encoding="utf-8"))
    text = (made / "x.html").read_text(encoding="utf-8")
    assert f"{numbers['records']:,} records, {numbers['columns']} columns" in text
    assert numbers["sha256"] in text and len(numbers["sha256"]) == 64


def test_the_page_is_complete_short_and_has_neither_script_nor_request(made, tab):
    text = (made / "x.html").read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|@import|src=\"(?!data:)|url\(", text)
    assert [url for url in tab.asked if not url.startswith(("file:", "data:"))] == []
    said = re.findall(r'<img alt="Figure (\d)\. ([^"]*)"', text)
    assert [number for number, _ in said] == list("12345")
    assert all(len(words) > 50 for _, words in said) and text.count("<figcaption") == 5
    assert tab.locator("h2").count() == 8
    assert 600 < len(tab.locator("body").inner_text().split()) < 1500


@pytest.mark.ci
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (390, 844)])
def test_the_page_fits_the_screen(tab, width, height):
    tab.set_viewport_size({"width": width, "height": height})
    wide = "document.documentElement.scrollWidth"
    assert tab.evaluate(wide) == width
    box = tab.locator(".report .box").bounding_box()
    assert 0 <= box["y"] < height / 3 and box["x"] >= 0 and box["x"] + box["width"] <= width
    if width > 1000:
        assert box["y"] + box["height"] <= height, "the decision is on the first screen"
    tables = tab.locator(".report details")
    assert tables.count() == 5
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert tab.evaluate(wide) == width
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")


@pytest.mark.ci
def test_on_a_telephone_figures_stay_legible(tab):
    tab.set_viewport_size({"width": 390, "height": 844})
    scale = tab.locator("figure img").evaluate_all(
        "all => all.map(one => one.clientWidth / one.naturalWidth)"
    )
    letters = 10 * 150 / 72  # pixels of the letters that are drawn
    assert min(scale) * letters > 9


@pytest.mark.ci
def test_on_paper_no_heading_stands_alone_and_tables_are_open(tab):
    tab.set_viewport_size({"width": 1280, "height": 800})
    pdf = tab.pdf(prefer_css_page_size=True, outline=True, tagged=True).decode("latin-1")
    assert 5 <= len(re.findall(r"/Type /Page\b", pdf)) <= 12
    heights = {float(one) for one in re.findall(r"/MediaBox \[0 0 \S+ (\S+)\]", pdf)}
    assert heights and min(heights) > 841, "A4"
    headings = re.findall(r"/Title .*?\n/Dest \[(\d+) 0 R /XYZ \S+ (\S+) ", pdf)
    assert len(headings) >= 8
    assert min(float(top) for _, top in headings) > FOOT
    tab.emulate_media(media="print")
    torn = tab.locator("figure, .box, tr").evaluate_all(
        "all => all.filter(one => getComputedStyle(one).breakInside != 'avoid').length"
    )
    hidden = tab.locator(".report details table").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 20).length"
    )
    tab.emulate_media(media="screen")
    assert not torn and not hidden
