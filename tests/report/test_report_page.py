"""The report's page: run without a kernel, laid out for screens, telephones and paper."""

import json
import os
import re
import subprocess
import sys
import warnings
from datetime import date

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import sync_playwright

import toolkit.__main__ as command
from tests.needs import ROOT, chromium
from toolkit import plots, risk_report
from toolkit.report import html as pages, methods, words
from toolkit.report.decision import DecisionBox, decide
from toolkit.report.words import LOOK

NOTEBOOK = ROOT / "notebooks" / "pages" / "report.ipynb"
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
        opened.goto((made / "x.html").as_uri())
        yield opened
        browser.close()


# Run without a kernel


def notebook_of(tmp_path, *sources):
    path = tmp_path / "small.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_a_run_without_a_kernel_shows_what_a_kernel_shows():
    stored = nbformat.read(NOTEBOOK, as_version=4)
    found, fault = pages.run(NOTEBOOK, {})
    assert not fault
    for ours, kernels in zip(found["cells"], stored.cells, strict=True):
        assert ours["source"] == kernels.source
        if kernels.cell_type == "code":
            shown = [one["output_type"] for one in ours["outputs"]]
            assert shown == [one.output_type for one in kernels.outputs]
            for mine, theirs in zip(ours["outputs"], kernels.outputs, strict=True):
                assert mine["data"].keys() == theirs.data.keys()
                assert mine["data"]["text/plain"] == theirs.data["text/plain"]


def test_what_a_cell_prints_warns_and_returns_is_kept_in_this_order(tmp_path):
    path = notebook_of(
        tmp_path,
        "import warnings\nprint('printed')\nwarnings.warn('said')\n40 + 2",
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(2, 1))\n'seen'",
        "None",
    )
    mine = plt.figure()
    backend = plt.get_backend()
    found, fault = pages.run(path, {})
    outputs = [cell["outputs"] for cell in found["cells"]]
    assert not fault and outputs[2] == []
    assert outputs[0][0]["text"] == "printed\nsaid\n", "a warning without its place"
    assert outputs[0][1]["data"] == {"text/plain": "42"}
    assert [*outputs[1][1]["data"]] == ["image/png", "text/plain"]
    assert outputs[1][0]["data"]["text/plain"] == "'seen'"
    assert plt.get_fignums() == [mine.number] and plt.get_backend() == backend
    plt.close(mine)
    nbformat.reads(pages.written(found), as_version=4)


def test_a_cell_that_fails_is_named_and_an_interrupt_ends_the_run(tmp_path):
    asked = notebook_of(tmp_path, "from math import sqrt", "sqrt(-1)")
    assert pages.run(asked, {}, {"sqrt": abs}, "sqrt")[1] == ""  # what is given stands
    with pytest.raises(ValueError, match="math domain|nonnegative"):  # it is about the asked
        pages.run(asked, {}, None, "sqrt")
    found, fault = pages.run(notebook_of(tmp_path, "a = 1", "a / 0", "b = 2"), {})
    assert fault == "cell 2: ZeroDivisionError: division by zero"
    assert found["cells"][2]["execution_count"] is None
    with pytest.raises(KeyboardInterrupt):
        pages.run(notebook_of(tmp_path, "raise KeyboardInterrupt"), {})
    with warnings.catch_warnings():  # the filters of a caller come back
        warnings.simplefilter("error")
        pages.run(notebook_of(tmp_path, "import warnings\nwarnings.warn('x')"), {})
        with pytest.raises(UserWarning):
            warnings.warn("y", stacklevel=1)


def test_settings_of_the_current_folder_are_not_obeyed(tmp_path):
    (tmp_path / "matplotlibrc").write_text("figure.facecolor: red\n")
    sources = "import matplotlib", "matplotlib.rcParams['figure.facecolor']"
    notebook = notebook_of(tmp_path, *sources)
    code = "import sys; from pathlib import Path; from toolkit.report import html;"
    code += "print(html.run(Path(sys.argv[1]), {})[0]['cells'][1]['outputs'][0]['data'])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, notebook],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert "white" in done.stdout, done.stderr


@pytest.mark.parametrize("rows", [1, 2, 3, 9])
def test_a_report_of_few_records_is_made(tmp_path, monkeypatch, rows):
    """Of fewer than ten, fewer than nine in ten may stay below the 95th percentile."""
    monkeypatch.chdir(tmp_path)
    few = pd.DataFrame({"sex": list("fmfffmmfm"), "age": range(20, 29), "illness": "flu"})
    few.head(rows).to_csv("few.csv", index=False)
    assert command.main(["report", "few.csv", "--output", "x.html"]) == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert ("None: the table has fewer than 5 records" in page) == (rows < 5)


def test_each_text_of_a_column_is_read_once(monkeypatch):
    texts = pd.Series([str(one) for one in range(50)] * 40)
    read, number = [], pd.to_numeric

    def counted(cells, *args, **more):
        read.append(len(cells))
        return number(cells, *args, **more)

    monkeypatch.setattr(methods.pd, "to_numeric", counted)
    assert methods._in_order(texts).tolist() == [*range(50)] * 40
    assert read and max(read) == 50


# What it says


def test_no_secret_is_in_any_file(made):
    for name in ("x.html", "x.ipynb", "x.json"):
        text = (made / name).read_text(encoding="utf-8")
        assert not re.findall(SECRETS, text), name


def test_the_box_says_what_was_asked_found_and_guessed(made):
    data = patients()
    known = ["town", "answer to question 0"]
    found = risk_report(data, known, [], k=3)
    box = DecisionBox(decide(found, "patients.csv", day=date(2026, 11, 5)))
    said = str(box)
    assert "Do not release this table as it is" in said and "GUESSED" not in said
    assert "Made on: 5 November 2026 with version" in said and "SHA-256: none" in said
    assert "nobody said what must stay secret, so this was not measured" in said
    assert "at least 3; found 1: NOT MET" in said
    guessed = DecisionBox(decide(risk_report(data)))
    assert "THE ROLES OF THE COLUMNS ARE GUESSED" in guessed._repr_html_()
    assert "Made on" not in str(guessed), "the example is the same on every day"
    text = (made / "x.html").read_text(encoding="utf-8")
    assert re.search(r"<dt>SHA-256</dt><dd>[0-9a-f]{64}</dd>", text)


def test_nothing_is_called_safe(made):
    text = re.sub(r"<[^>]*>", " ", (made / "x.html").read_text(encoding="utf-8"))
    assert not re.search(r"\bsafe\b|nothing to be learned|no risk", text)
    alone = risk_report(patients(), "town", [])
    assert words.NOT_MEASURED in str(words.learned(alone)) + str(words.assumptions(alone))


def test_a_met_threshold_is_no_proof():
    data = pd.DataFrame({"town": ["a"] * 10 + ["b"] * 10, "ill": ["x", "y"] * 10})
    report = risk_report(data, "town", "ill")
    said = {None: "the default, k = 5: nobody asked for more", True: "what was asked"}
    for asked, what in said.items():
        box = DecisionBox(decide(report, asked=asked))
        assert box.verdict.startswith(f"The table meets {what}. That is no proof")
        assert box.best == "The table needs none: it meets them as it is."


def test_three_measures_are_shown_and_the_others_folded():
    found = risk_report(patients(), ["town"], ["illness"])
    assert len(words.learned_table(found).table) == 3
    folded = words.disclosure_table(found)
    assert len(folded.table) > 8 and "<details><summary>" in folded._repr_html_()
    assert "∞: the measure has no upper end here" in str(folded)


def test_texts_stand_left_and_numbers_right():
    table = pd.DataFrame({"a": ["13,070 cells masked", "2"], "b": ["below 0.01 %", "∞"]})
    cells = re.findall(r"<td[^>]*>", words.Words((), table)._repr_html_())
    assert ["report-number" in one for one in cells] == [False, True, False, True]


# How it looks


def test_many_columns_keep_a_line_and_a_name_each():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({f"question {j}": rng.integers(0, 9, 300) for j in range(24)})
    report = risk_report(data, [*data.columns], [])
    assert report.uniqueness.curve["share"].iloc[-1] == 1, "labels used to meet at 100 %"
    figure, ax = plt.subplots(figsize=words.tall(report), layout="constrained")
    plots.plot_known_columns(words.known_in_order(report), report.uniqueness.subsets, ax=ax)
    figure.canvas.draw()
    for labels in (ax.get_yticklabels(), ax.texts):
        boxes = [one.get_window_extent() for one in labels]
        assert len(boxes) == 12, "the others change nothing"
        assert not any(a.overlaps(b) for a, b in zip(boxes, boxes[1:], strict=False))
    plt.close(figure)


def test_every_figure_says_what_to_see(made):
    text = (made / "x.html").read_text(encoding="utf-8")
    said = re.findall(r'<img alt="([^"]*)"', text)
    assert len(said) == 6 and all(len(one) > 80 for one in said)
    assert [one.split(". ")[0] for one in said] == [f"Figure {n}" for n in range(1, 7)]
    assert text.count("<figcaption") == 6 and text.count(LOOK) == 1


@pytest.mark.ci
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (390, 844)])
def test_the_page_fits_the_screen(tab, width, height):
    tab.set_viewport_size({"width": width, "height": height})
    tab.evaluate("scrollTo(0, 0)")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    box = tab.locator(".report-box").bounding_box()
    assert 0 <= box["y"] < height / 3 and box["x"] >= 0 and box["x"] + box["width"] <= width
    if width > 1000:
        assert box["y"] + box["height"] <= height, "the decision is on the first screen"
    folded, side = tab.locator("details.report-contents"), tab.locator("nav.report-side")
    assert side.is_visible() == (width > 1000) and folded.is_visible() == (width < 1000)
    contents = side if width > 1000 else folded
    if width < 1000:
        contents.locator("summary").click()
    assert contents.locator("a").count() == tab.locator("h2").count() == 9
    contents.locator("a", has_text="All measures").click()
    tables = tab.locator(".report-words details")
    assert tables.count() >= 5
    assert not tables.evaluate_all("all => all.filter(one => one.open).length")
    for at in range(tables.count()):
        tables.nth(at).locator("summary").click()
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")
    left = tab.locator("main > section > :is(h2, p, .report-words)").evaluate_all(
        "all => all.map(one => Math.round(one.getBoundingClientRect().left))"
    )
    assert len(set(left)) == 1, "all stand on one edge"


@pytest.mark.ci
def test_on_a_telephone_figures_stay_legible(tab):
    tab.set_viewport_size({"width": 390, "height": 844})
    scale = tab.locator("figure img").evaluate_all(
        "all => all.map(one => one.clientWidth / one.naturalWidth)"
    )
    letters = 10 * 100 / 72  # pixels of the letters that are drawn
    assert min(scale) * letters > 9
    assert tab.locator(".report-hint").first.is_visible()


@pytest.mark.ci
def test_on_paper_no_heading_stands_alone_and_tables_are_open(tab):
    tab.set_viewport_size({"width": 1280, "height": 800})
    pdf = tab.pdf(prefer_css_page_size=True, outline=True, tagged=True).decode("latin-1")
    sheets = len(re.findall(r"/Type /Page\b", pdf))
    assert 8 <= sheets <= 18
    heights = {float(one) for one in re.findall(r"/MediaBox \[0 0 \S+ (\S+)\]", pdf)}
    assert heights and min(heights) > 841, "A4"
    headings = re.findall(r"/Title .*?\n/Dest \[(\d+) 0 R /XYZ \S+ (\S+) ", pdf)
    assert len(headings) >= 10
    assert min(float(top) for _, top in headings) > FOOT
    assert len({sheet for sheet, _ in headings}) > 4
    tab.emulate_media(media="print")
    torn = tab.locator("figure, .report-box, tr").evaluate_all(
        "all => all.filter(one => getComputedStyle(one).breakInside != 'avoid').length"
    )
    hidden = tab.locator(".report-words details table").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 20).length"
    )
    tab.emulate_media(media="screen")
    assert not torn and not hidden


def test_the_numbers_of_the_page_are_those_of_the_json(made):
    numbers = json.loads((made / "x.json").read_text(encoding="utf-8"))
    text = (made / "x.html").read_text(encoding="utf-8")
    assert f"{numbers['records']:,} records, {len(numbers['columns'])} columns" in text
