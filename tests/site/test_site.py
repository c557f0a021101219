"""The static site: built without a warning, and read in a browser that has no network."""

import html
import re

import nbformat
import pytest

import toolkit as tk
from docs.publish import BOXES
from docs.run import VIEW, name_of, notebooks
from tests.browser.lab import SCREENSHOTS
from tests.needs import ROOT

pytestmark = pytest.mark.xdist_group("site")  # one worker builds it, once
NOTEBOOKS = list(map(name_of, notebooks()))
LESSON = "notebooks/01-cell-information-gain.html"
OWN = ("file:", "data:", "blob:")
SIDEWAYS = "document.documentElement.scrollWidth > window.innerWidth"
CODE_THAT_SCROLLS = """[...document.querySelectorAll("div.highlight pre, div.math")]
  .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1)
  .map(one => one.innerText)"""
SEEN = "one => [one.querySelector('img').src, one.querySelector('.said').innerHTML].join()"


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


def pages(site) -> list:
    """Pages of the site by their names."""
    names = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    return [name for name in names if not name.startswith("_static")]


def text_of(site, name: str) -> str:
    return (site / name).read_text(encoding="utf-8")


# Figures that move


def moving(site) -> list[str]:
    """Pages with figures that follow their controls."""
    return [
        name for name in pages(site) if '<figure class="frames">\n<div' in text_of(site, name)
    ]


def test_each_control_changes_the_text_or_the_picture(page, site):
    """By the keyboard alone."""
    names = moving(site)
    assert LESSON in names
    for name in names:
        page.show(name)
        for figure in page.locator("figure.frames:has(script)").all():
            assert figure.locator("label :is(input, select)").count() >= 1
            assert figure.locator(".said").get_attribute("aria-live") == "polite"
            for control in figure.locator("input, select").all():
                before, alt = figure.evaluate(SEEN), figure.locator("img").get_attribute("alt")
                control.focus()
                for key in ["ArrowDown"] * 9 + ["ArrowUp"] * 18:
                    page.keyboard.press(key)
                    if figure.evaluate(SEEN) != before:
                        break
                assert figure.evaluate(SEEN) != before, (name, control.inner_text())
                assert figure.locator("img").get_attribute("alt") != alt
                picture = "one => one.decode().then(() => one.naturalWidth)"
                assert figure.locator("img").evaluate(picture) > 500
        page.locator("figure.frames").first.screenshot(path=SCREENSHOTS / "site-frames.png")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_figure_of_a_notebook_is_lost(site, name):
    """Each has its alternative text; of a widget there is the picture, if it does not move."""
    text = html.unescape(text_of(site, f"notebooks/{name}.html"))
    widgets = 0
    for cell in nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells:
        shown = [output.get("data", {}) for output in cell.get("outputs", [])]
        widgets += sum(VIEW in data for data in shown)
        if any("image/png" in data and VIEW not in data for data in shown):
            assert cell.metadata.get("alt", "") in text
    assert text.count('<figure class="frames">') == widgets
    assert "widget-view" not in text


# What pages look like


def misfits(page, names):
    """Pages that scroll sideways, and those whose code does on a screen."""
    found = []
    for name in names:
        page.show(name)
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate(SIDEWAYS) or width == 1280 and page.evaluate(CODE_THAT_SCROLLS):
                found.append((name, width))
            if name in ("index.html", LESSON):
                picture = f"site-{width}-{name.partition('/')[0]}.png"
                page.screenshot(path=SCREENSHOTS / picture)
    return found


def test_a_page_of_each_kind_fits_the_screen(page):
    kinds = ["index.html", LESSON, "api-anonymisation.html", "docs/comparison.html"]
    assert misfits(page, [*kinds, "notebooks/further/other-noise.html"]) == []


@pytest.mark.ci
def test_every_page_fits_the_screen(page, site):
    names = pages(site)
    assert len(names) > 40 and misfits(page, names) == []


def test_the_sidebar_has_five_parts_and_lessons_their_numbers(page, site):
    page.show("index.html")
    captions = page.locator(".bd-sidebar-primary .caption-text").all_text_contents()
    assert len(captions) == 5 and captions[:3] == ["Start", "Lessons", "Further"]
    titles = page.locator(".bd-sidebar-primary nav a.reference").all_text_contents()
    numbers = [int(found[0]) for title in titles if (found := re.match(r"\d+", title))]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 12
    assert len(set(titles)) == len(titles) > len(NOTEBOOKS)
    heads = [re.findall(r"<h1>(.*?)<", text_of(site, name)) for name in pages(site)]
    assert "1. How much does the rest of a record disclose?" in [
        one[0] for one in heads if one
    ]


def test_the_notebook_that_is_downloaded_is_the_one_of_the_course(site):
    for path in notebooks():
        copy = site / "_sources" / path.relative_to(ROOT)
        assert copy.read_bytes() == path.read_bytes()


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


# The reference, the search, links


def test_a_page_of_the_reference_has_a_formula_and_an_example(page):
    page.show("api-information.html")
    entry = page.locator("dl.py", has=page.locator("[id$='.cell_information_gain']"))
    size = entry.locator("math").first.bounding_box()
    assert size["width"] > 5 and size["height"] > 5, "the browser draws the formula"
    assert ">>> cell_information_gain(data).round(2)" in entry.inner_text()


def test_every_public_name_is_in_the_reference_and_every_room_has_its_line(site):
    text = "".join(path.read_text(encoding="utf-8") for path in site.glob("api-*.html"))
    names = set(re.findall(r'<dt [^>]*id="toolkit\.[\w.]+\.(\w+)"', text))
    assert {*tk.__all__, *tk.plots.__all__, *tk.widgets.__all__} <= names
    assert not [name for name in names if name[0] == "_"]
    overview = text_of(site, "api.html")
    assert all(f'href="{path.name}' in overview for path in site.glob("api-*.html"))


def test_the_search_answers_from_the_disk(page):
    page.show("search.html", "?q=entropy")
    found = page.locator("#search-results li").first
    found.wait_for(timeout=20_000)
    assert "entropy" in found.inner_text().lower()


def test_no_page_names_anything_elsewhere_to_load(site):
    for name in pages(site):
        text = text_of(site, name)
        loads = re.findall(r'<(?:script|img|iframe)\b[^>]* src="(\w+:[^"]{,80})', text)
        loads += re.findall(r'<link\b[^>]* href="(\w+:[^"]{,80})', text)
        assert [address for address in loads if not address.startswith("data:")] == []
