"""The static site: built without a warning, and read in a browser that has no network."""

import html
import re

import nbformat
import pytest

import toolkit as tk
from docs import pages
from docs.run import VIEW, name_of, notebooks
from tests.browser.lab import SCREENSHOTS
from tests.needs import ROOT
from toolkit.report.html import BOXES

pytestmark = pytest.mark.xdist_group("site")  # one worker builds it, once
NOTEBOOKS = list(map(name_of, notebooks()))
SEEN = [
    "01-cell-information-gain",
    "04-k-anonymity",
    "pages/explorer",
    "index",
]  # the rest in CI
OWN = ("file:", "data:", "blob:")


@pytest.fixture
def page(site, browser):
    """A page of the browser; `show` opens a file, and whatever it complains of fails."""
    page = browser.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: errors.append(f"not loaded: {request.url}"))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    page.show = lambda name, query="": page.goto((site / name).as_uri() + query)
    yield page
    assert asked and [url for url in asked if not url.startswith(OWN)] == []
    assert errors == []
    page.close()


def text_of(site, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.ci] * (name not in SEEN)) for name in NOTEBOOKS],
)
def test_every_notebook_has_its_page_and_shows_its_widgets(page, site, name):
    page.show(f"notebooks/{name}.html")
    stored = text_of(site, f"notebooks/{name}.html").count('widget-view+json">')
    assert stored == page.locator('script[type$="widget-view+json"]').count()
    for number in range(stored):
        widget = page.locator(".stored-widget").nth(number)
        widget.locator(".jupyter-widgets:visible").first.wait_for()
    assert page.locator(".stored-widget").count() == stored


def test_a_stored_widget_is_seen_and_moves(page):
    page.show("notebooks/01-cell-information-gain.html")
    slider = page.locator(".widget-slider", has=page.get_by_text("n (%)", exact=True)).first
    slider.scroll_into_view_if_needed()
    box = slider.locator("xpath=ancestor::*[contains(@class,'stored-widget')]")
    image = box.locator("img.widget-image").first
    assert image.evaluate("image => image.naturalWidth") > 300, "its figure is drawn"
    handle, reading = slider.locator(".noUi-handle"), slider.locator(".widget-readout")
    before = reading.inner_text()
    handle.press("ArrowLeft")
    assert reading.inner_text() != before, "the control moves"
    path = SCREENSHOTS / "site-widget.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    box.screenshot(path=path)


def test_a_page_of_the_reference_has_a_formula_and_an_example(page):
    page.show("api-information.html")
    entry = page.locator(
        "dl.py", has=page.locator('[id="toolkit.information.pif.cell_information_gain"]')
    )
    formula = entry.locator("math").first
    size = formula.bounding_box()
    assert size["width"] > 5 and size["height"] > 5, "the browser draws the formula"
    assert ">>> cell_information_gain(data).round(2)" in entry.inner_text()
    page.screenshot(path=SCREENSHOTS / "site-reference.png")


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768), (390, 844)], ids=str)
def test_the_front_page_has_a_picture_and_does_not_scroll_sideways(page, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.show("index.html")
    page.screenshot(path=SCREENSHOTS / f"site-{size[0]}.png", full_page=True)
    assert page.locator("article img").first.evaluate("one => one.naturalWidth") >= 800
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_notebooks_are_numbered_and_no_two_entries_have_one_title(page, site):
    page.show("index.html")
    for place in (".bd-sidebar-primary nav", ".toctree-wrapper"):
        titles = page.locator(f"{place} a.reference").all_text_contents()
        numbers = [int(found[0]) for title in titles if (found := re.match(r"\d+", title))]
        assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 12
        assert len(set(titles)) == len(titles) > len(NOTEBOOKS)
    paths = [path for path in site.rglob("*.html") if path.stem not in ("genindex", "search")]
    headings = [re.findall(r"<h1>(.*?)<", path.read_text(encoding="utf-8")) for path in paths]
    heads = [found[0] for found in headings if found]
    assert len(set(heads)) == len(heads) > 30


def test_the_reference_has_one_line_for_each_module(page):
    page.show("api.html")
    lines = page.locator(".bd-article li").evaluate_all(
        "all => all.map(one => one.querySelector('p').innerText)"
    )
    rooms = [f"toolkit.{room}" for room in pages.ROOMS]
    assert [line.split(":")[0] for line in lines if line.startswith("toolkit.")] == rooms
    told = [tuple(line.split(": ", 1)) for line in lines if not line.startswith("toolkit.")]
    assert len(told) == len(lines) - len(rooms) and all(text for _, text in told)


def test_the_search_answers_from_the_disk(page):
    page.show("search.html", "?q=entropy")
    found = page.locator("#search-results li").first
    found.wait_for(timeout=20_000)
    assert "entropy" in found.inner_text().lower()


def test_every_public_name_is_in_the_reference(site):
    pages = "".join(path.read_text(encoding="utf-8") for path in site.glob("api-*.html"))
    assert set(tk.__all__) <= set(re.findall(r'<dt [^>]*id="toolkit\.[\w.]+\.(\w+)"', pages))


def test_no_page_names_anything_elsewhere_to_load(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loads = re.findall(r'<(?:script|img|iframe)\b[^>]* src="(\w+:[^"]{,80})', text)
        loads += re.findall(r'<link\b[^>]* href="(\w+:[^"]{,80})', text)
        assert [address for address in loads if not address.startswith("data:")] == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_figure_has_its_alternative_text(site, name):
    text = html.unescape(text_of(site, f"notebooks/{name}.html"))
    for cell in nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells:
        shown = [output.get("data", {}) for output in cell.get("outputs", [])]
        if any("image/png" in data and VIEW not in data for data in shown):
            assert cell.metadata.get("alt", "") in text


def test_the_comparison_leads_to_the_tests(site):
    text = text_of(site, "docs/comparison.html")
    links = re.findall(r'href="(\.\./tests/\w+/\w+\.py)" title="(\w+)"', text)
    assert len(links) > 20
    for path, name in links:
        assert f"def {name}(" in (site / "docs" / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_solutions_are_folded_and_definitions_are_boxed(site, name):
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    text = text_of(site, f"notebooks/{name}.html")
    solutions = sum("solution" in cell.metadata.get("tags", []) for cell in cells)
    summaries = re.findall(r"<details[^>]*>\s*<summary.*?</summary>", text, flags=re.DOTALL)
    assert sum("Solution" in summary for summary in summaries) == solutions
    assert not re.search(r"<details[^>]* open", text), "each is closed"
    said = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    boxes = re.findall(rf"^> \*\*({'|'.join(BOXES)})\b", said, flags=re.MULTILINE)
    assert text.count('<blockquote class="box ') == len(boxes)
