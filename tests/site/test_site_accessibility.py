"""Pages for those who do not see them, or use no mouse: what axe finds in a real browser."""

import tempfile
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

from docs import handout
from docs.publish import page as page_of_run
from tests.needs import ROOT
from toolkit import risk_report, treat
from toolkit.report.treating import files_of

of_the_site = pytest.mark.xdist_group("site")  # with the tests that read the site
QUICK = ["index.html", "api.html", "docs/lecturers.html", "notebooks/index.html"]


@pytest.fixture
def look(browser):
    """A function that says what axe finds on a page, by weight, rule and first place."""

    def found(path, *rules):
        page = browser.new_page()
        page.goto(path.as_uri())
        answer = Axe().run(page).response
        page.close()
        assert answer["passes"], "something was looked at"
        return [
            f"{path.name}: {one['impact']}, {one['id']}, {len(one['nodes'])} times, first "
            f"{one['nodes'][0]['html'][:200]}"
            for one in answer["violations"]
            if one["impact"] in ("serious", "critical") or one["id"] in rules
        ]

    return found


def stored(name):
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


def before_and_after() -> str:
    """The page that `treat` writes."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "people-treated.csv")
        release = treat(TABLE, "age", 1, sensitive="job")
        files, _ = files_of(TABLE, release, folder, output)
    return str(files[output.with_suffix(".html")])


TABLE = pd.DataFrame({"age": [17, 17, 39], "job": list("abb")})
PAGES = {  # made beside the site
    "contents": lambda: handout.contents({"How?": [Path("04-k-anonymity.ipynb")]}),
    "to print": lambda: handout.for_print(handout.students_copy(stored("index"))),
    "a run": lambda: page_of_run(stored("index")),
    "slides": lambda: handout.deck(stored("index")),
    "report": lambda: risk_report(
        pd.DataFrame({"age": [1, 1, 2], "job": list("abb")})
    ).to_html(),
    "before and after": before_and_after,
}


@of_the_site
@pytest.mark.parametrize("name", QUICK)
def test_some_pages_of_the_site(site, look, name):
    assert look(site / name, "heading-order", "region") == []


@of_the_site
@pytest.mark.full
def test_all_pages_of_the_site(site, look):
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    assert len(paths) > 40
    assert [line for path in paths for line in look(path, "heading-order")] == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_beside_the_site(look, tmp_path, name):
    path = tmp_path / f"{name}.html"
    path.write_text(PAGES[name](), encoding="utf-8")
    assert look(path, "heading-order") == []


@pytest.mark.ci
def test_a_handout(look, tmp_path):
    notebook = stored("05-attribute-disclosure")
    for number, text in enumerate([handout.for_print(notebook), handout.deck(notebook)]):
        path = tmp_path / f"{number}.html"
        path.write_text(text, encoding="utf-8")
        assert look(path) == []


def test_axe_is_asked_and_answers(look, tmp_path):
    """A page with three faults: else the tests above would pass whatever they are given."""
    path = tmp_path / "bad.html"
    path.write_text('<html><title>x</title><img src=""><p style="color:#ccc">pale</p></html>')
    found = " ".join(look(path))
    assert all(rule in found for rule in ("html-has-lang", "image-alt", "color-contrast"))
