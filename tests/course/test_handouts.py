"""What is handed out: copies without solutions, slides that fit, pages that print well."""

import base64
import html
import io
import json
import re
import subprocess
import sys
from itertools import pairwise

import nbformat
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from PIL import Image

from docs import handout
from docs.grading import exercises
from docs.run import VIEW, execute
from tests.browser.lab import chromium_context
from tests.course.notebooks import COURSE, PATHS, little, read
from tests.needs import ROOT, chromium

ONE = "05-attribute-disclosure"
LESSON = [
    ("text", "# Which?"),
    ("code", "k = 3", "parameters"),
    ("code", "lesson = 8472"),
    ("code", "assert k", "test"),
    ("text", "**Exercise 1.1** (read). How many?", "exercise"),
    ("code", "answer = ...", "answer"),
    ("code", 'check("1.1", answer)', "check"),
    ("code", "answer = 8472 + 1055", "solution"),
    ("text", "Add what is left.", "solution"),
    ("text", "## Quiz", "quiz"),
    ("code", 'quiz("1", ...)', "answer", "quiz"),
    ("code", "after = 9527"),
]
one_or_all = pytest.mark.parametrize(
    "name", [n if n == ONE else pytest.param(n, marks=pytest.mark.full) for n in COURSE]
)
A4 = (595, 842)  # points
MARGIN = 15 / 25.4 * 72


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Folder of handouts that is this test's own."""
    folder = tmp_path / "handouts"
    folder.mkdir()
    monkeypatch.setattr(handout, "HANDOUTS", folder)
    monkeypatch.setattr(handout, "LECTURER", tmp_path / "lecturer")
    monkeypatch.chdir(folder)
    return folder


# Copies


def test_a_students_copy_has_no_solution_and_no_output_from_the_first_exercise_on():
    source = little(*LESSON)
    copy = handout.students_copy(source)
    assert [cell.source for cell in copy.cells] == [
        source for _, source, *tags in LESSON if not {"test", "solution"} & {*tags}
    ]
    shown = [cell.source for cell in copy.cells if cell.get("outputs")]
    assert shown == ["k = 3", "lesson = 8472"]
    assert all(
        cell.execution_count is None for cell in copy.cells[4:] if cell.cell_type == "code"
    )
    assert len(source.cells) == len(LESSON), "the source is left as it is"
    fixed = [cell.source for cell in copy.cells if cell.metadata.get("editable") is False]
    assert fixed == [LESSON[4][1], LESSON[6][1], LESSON[9][1]], "only answers are edited"


def test_a_lecturers_copy_shows_solutions_below_their_exercises():
    source = little(*LESSON)
    for cell in source.cells:
        if handout.is_tagged(cell, "solution"):
            cell.metadata |= {"jupyter": {"source_hidden": True}, "wrong": ["answer + 1"]}
    copy = handout.lecturers_copy(source)
    assert [cell.source for cell in copy.cells] == [
        source for _, source, *tags in LESSON if "test" not in tags
    ]
    assert all(not cell.metadata.keys() & {"jupyter", "wrong"} for cell in copy.cells)
    assert all(cell.outputs for cell in copy.cells if cell.cell_type == "code")


def test_a_copy_has_pictures_in_place_of_widgets_and_no_links_out_of_its_folder():
    text = "See the [glossary](../docs/glossary.md) and [notebook 4](04-k-anonymity.ipynb)."
    notebook = little(("code", "lesson"), ("text", text))
    data = {VIEW: {"model_id": "a"}, "image/png": "aGk=", "text/plain": "k = 3"}
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", data)]
    notebook.metadata["widgets"] = {"state": {"a": {"state": {}}}}
    copy = handout.students_copy(notebook)
    assert "widgets" not in copy.metadata
    assert sorted(copy.cells[0].outputs[0].data) == ["image/png", "text/plain"]
    linked = "See the glossary and [notebook 4](04-k-anonymity.ipynb)."
    assert copy.cells[1].source == handout.lecturers_copy(notebook).cells[1].source == linked


def texts(cell) -> str:
    """All that a cell says in words: its source, its outputs without pictures."""
    parts = [cell.source]
    for output in cell.get("outputs", []):
        parts.append(output.get("text", ""))
        data = output.get("data", {})
        parts += [data[kind] for kind in ("text/plain", "text/html") if kind in data]
    return html.unescape("\n".join("".join(part) for part in parts))


def values(text: str) -> set[str]:
    """Numbers with four or more digits that count, and are not round."""
    found = set()
    for number in re.findall(r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?![\w])", text):
        plain = re.sub(r"[,_]", "", number)
        digits = plain.replace(".", "").lstrip("0")
        if len(digits) >= 4 and ("." in plain or len(digits.rstrip("0")) > 2):
            found.add(plain)
    return found


def leaks(notebook, copy) -> list[str]:
    """Lines and values of solutions that the copy holds, and the lesson before does not."""
    given = "\n".join(texts(cell) for cell in copy.cells)
    numbers = values(given)
    found = []
    for exercise in exercises(notebook):
        place = notebook.cells.index(exercise.question)
        asked = [*exercise.answers, *exercise.checks]  # what everybody is given
        lesson = "\n".join(map(texts, [*notebook.cells[: place + 1], *asked]))
        known = values(lesson)
        for cell in exercise.solution:
            lines = {line.strip() for line in cell.source.splitlines()}
            new = {line for line in lines if len(line) >= 25 and line not in lesson}
            found += [line for line in new if line in given]
            found += [
                f"{exercise.number}: {value}"
                for value in values(texts(cell)) - known
                if value in numbers
            ]
    return found


def test_what_a_copy_gives_away_is_found():
    notebook = little(*LESSON)
    assert leaks(notebook, handout.students_copy(notebook)) == []
    assert leaks(notebook, notebook) == ["1.1: 1055"]
    found = values("0.1234, 12,345 and 7_654, not 1000, 2.50, 0.012, v1234 or 32000")
    assert found == {"0.1234", "12345", "7654"}


@pytest.mark.parametrize("name", PATHS)
def test_a_students_copy_gives_no_solution_away(name):
    notebook = read(name)
    copy = handout.students_copy(notebook)
    nbformat.validate(copy)
    assert not any(handout.is_tagged(c, "solution", "claims", "test") for c in copy.cells)
    asked = [handout.is_tagged(cell, "exercise") for cell in copy.cells]
    assert "source_hidden" not in json.dumps(copy.cells[[*asked, True].index(True) :])
    assert leaks(notebook, copy) == []
    kept = [cell.source for cell in copy.cells if handout.is_tagged(cell, "parameters")]
    assert kept == [c.source for c in notebook.cells if handout.is_tagged(c, "parameters")]


@pytest.mark.full
@pytest.mark.parametrize("name", COURSE)
def test_a_students_copy_runs_and_its_checks_wait_for_answers(name, folder):
    path = folder / PATHS[name].name
    nbformat.write(handout.students_copy(read(name)), path)
    done, fault = execute(path, folder=PATHS[name].parent)
    assert not fault
    called = re.compile(r"^check\(", flags=re.MULTILINE)  # a check may need cells before it
    checks = [cell for cell in done.cells if handout.is_tagged(cell, "check")]
    told = [texts(cell) for cell in checks if called.search(cell.source)]
    assert len(told) >= 6 and all("No answer yet" in one for one in told)


# Slides

MEASURE = """place => {
  Reveal.slide(place.h, place.v, -1);
  const question = Reveal.getCurrentSlide().querySelector("blockquote.Predict");
  const answers = Reveal.getCurrentSlide()
    .querySelectorAll(".jp-OutputArea-output, blockquote.Explain");
  const answered = question && [...answers].some(one => question.compareDocumentPosition(one)
    & Node.DOCUMENT_POSITION_FOLLOWING && one.checkVisibility({visibilityProperty: true}));
  while (Reveal.availableFragments().next) Reveal.nextFragment();
  const slide = Reveal.getCurrentSlide();
  const boxes = [...slide.querySelectorAll(`p, li, td, th, pre, img, math, h1, h2, h3, h4,
    .jp-OutputArea-output`)]
    .map(one => one.getBoundingClientRect()).filter(box => box.width);
  const least = kinds => Math.min(99, ...[...slide.querySelectorAll(kinds)]
    .filter(one => one.innerText?.trim())
    .map(one => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom));
  const images = [...slide.querySelectorAll("img")];
  return {
    answered,
    text: slide.innerText.slice(0, 60), all: slide.innerText, empty: !boxes.length,
    headed: /^H[123]$/.test(slide.querySelector("h1, h2, h3, p, pre, img, table")?.tagName),
    left: Math.min(...boxes.map(box => box.left)), top: Math.min(...boxes.map(box => box.top)),
    right: Math.max(...boxes.map(box => box.right)),
    bottom: Math.max(...boxes.map(box => box.bottom)),
    letters: least("p, li, pre, h1, h2, h3"), cells: least("td, th"),
    last: slide.querySelector(".jp-Cell:last-child :is(h1, h2, h3):last-child")?.innerText,
    lost: images.filter(one => !one.naturalWidth).length,
    large: images.map(one => one.getBoundingClientRect())
      .every(box => box.width > 500 || box.height > 350),
  };
}"""


@pytest.fixture(scope="module")
def offline():
    """Pages of 1024 × 768 in a Chromium that is offline."""
    with chromium_context(1024, 768, offline=True) as context:
        yield context


def open_deck(offline, path):
    """Page of a deck, once its slides are laid out; it asks for nothing else."""
    page, asked, errors = offline.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    assert errors == []
    return page


def slides(page) -> list[dict]:
    """Measures of each slide with all its fragments shown."""
    places = page.evaluate("Reveal.getSlides().map(slide => Reveal.getIndices(slide))")
    return [page.evaluate(MEASURE, place) for place in places]


def assert_slides_fit(measured):
    for slide in measured:
        assert not slide["answered"], f"the prediction is given away: {slide}"
        assert not slide["empty"], slide
        assert slide["left"] >= 0 and slide["top"] >= 0, slide
        assert slide["right"] <= 1024.5 and slide["bottom"] <= 768.5, slide
        assert slide["letters"] >= 9 and slide["cells"] >= 7, f"too small to read: {slide}"
        assert not slide["last"] or len(slide["text"].splitlines()) == 1, (
            f"lone heading: {slide}"
        )
        assert not slide["lost"] and slide["large"], f"figure: {slide}"


@one_or_all
def test_every_slide_of_a_deck_fits(name, offline, folder):
    notebook, path = read(name), folder / f"{PATHS[name].stem}.html"
    path.write_text(handout.deck(notebook), encoding="utf-8")
    page = open_deck(offline, path)
    measured = slides(page)
    page.close()
    marked = any(re.match("## ◆", cell.source) for cell in notebook.cells)
    assert 8 < len(measured) <= (30 if marked else 66)
    assert_slides_fit(measured)
    for slide in measured if marked else []:
        assert slide["headed"] and "assert " not in slide["all"], slide
    assert not marked or len([s for s in measured if s["text"].startswith("Quiz")]) == 5


def test_what_does_not_fit_is_cut_drawn_smaller_or_stands_alone(offline, folder):
    """A long text, a long table, a large figure, a formula and a widget in one deck."""
    words = "Words and more words. " * 20
    long = "\n\n".join(f"Paragraph {place}. {words}" for place in range(9))
    table = "\n".join(["| a | b |", "|--|--|", *(f"| row {row} | 1 |" for row in range(34))])
    formula = "## See\n\n> **Definition 1.** $p_s \\le 1/2$, of $f$ and $f'$."
    notebook = read("01-cell-information-gain")
    widget = next(c for c in notebook.cells if VIEW in json.dumps(c.get("outputs", [])))
    drawn = io.BytesIO()
    Image.new("RGB", (1000, 600), "white").save(drawn, "PNG")
    picture = {
        "image/png": base64.b64encode(drawn.getvalue()).decode(),
        "text/plain": "figure",
    }
    parts = ("text", f"# Long\n\n{long}"), ("text", f"## Table\n\n{table}")
    source = "\n".join(["draw()"] * 10)
    cells = little(*parts, ("text", "## Draw"), ("code", source), ("text", formula)).cells
    cells[3].outputs = [nbformat.v4.new_output("display_data", picture)]
    notebook.cells = [*cells, widget]
    path = folder / "deck.html"
    path.write_text(handout.deck(notebook), encoding="utf-8")
    page = open_deck(offline, path)
    measured = slides(page)
    assert_slides_fit(measured)
    shown = "".join(page.evaluate("Reveal.getSlides().map(slide => slide.textContent)"))
    assert re.findall(r"Paragraph (\d)", shown) == list("012345678"), "each once, in order"
    assert re.findall(r"row (\d+)", shown) == [str(row) for row in range(34)]
    assert 9 <= min(slide["cells"] for slide in measured) < 18 * 0.8
    assert "draw()" not in "".join(slide["all"] for slide in measured)
    assert page.locator("blockquote.box.Definition math").count() >= 1
    assert page.locator("img[src^='data:image/png']").count() >= 2
    page.close()


def test_a_deck_holds_the_core_without_claims_and_a_question_of_the_quiz_on_each_slide():
    notebook = little(
        ("text", "# Which?"),
        ("code", "import math", "imports"),
        ("text", "## ◆ Core"),
        ("code", "hidden"),
        ("code", "shown", "show"),
        ("code", "assert k", "claims"),
        ("text", "## Aside"),
        ("text", "Of no slide."),
        ("text", "## In short"),
        ("text", "## Quiz\n\nOne letter.\n\n**1.** Who?\n\n* **a** I\n\n**2.** Why?", "quiz"),
    )
    shown = handout.for_slides(notebook).cells
    kinds = [(cell.source, cell.metadata["slideshow"]["slide_type"]) for cell in shown]
    assert kinds == [
        ("# Which?", "slide"),
        ("## ◆ Core", "slide"),
        ("hidden", "-"),
        ("shown", "-"),
        ("## In short", "slide"),
        ("## Quiz\n\n**1.** Who?\n\n* **a** I\n", "slide"),
        ("## Quiz\n\n**2.** Why?", "slide"),
    ]
    page = handout.deck(notebook)
    assert "said by hidden" in page and page.count("highlight hl-") == 1


@pytest.mark.parametrize("name", COURSE)
def test_a_deck_shows_what_follows_a_prediction_at_the_next_step(name):
    shown = handout.for_slides(read(name)).cells
    for cell, following in pairwise(shown):
        asked = "**Predict.**" in cell.source
        kind = following.metadata["slideshow"]["slide_type"]
        assert kind == "slide" or (kind == "fragment") == asked, following.source
        assert "**Explain.**" not in cell.source.partition("**Predict.**")[2]


# Pages to print


@one_or_all
def test_no_figure_is_torn_and_no_heading_ends_a_page(name, folder, monkeypatch):
    """Every figure stands on one page, and nothing is cut off."""
    monkeypatch.setenv("CHROMIUM", chromium())
    copy, path = handout.lecturers_copy(read(name)), folder / "pages.pdf"
    handout.print_to(path, handout.for_print(copy))
    text = "\n".join(cell.source for cell in copy.cells if cell.cell_type == "markdown")
    headings = {re.sub(r"\W", "", line) for line in text.splitlines() if line[:1] == "#"}
    figures = 0
    for number, page in enumerate(pypdfium2.PdfDocument(path), 1):
        assert page.get_size() == pytest.approx(A4, abs=1.5)
        for thing in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
            left, bottom, right, top = thing.get_bounds()
            assert bottom >= 40 and top <= A4[1] - 40, f"torn on page {number}"
            assert left >= MARGIN - 2 and right <= A4[0] - MARGIN + 2, f"cut on page {number}"
            figures += 1
        text = page.get_textpage()
        for place in range(text.count_rects()):
            right = text.get_rect(place)[2]
            assert right <= A4[0] - MARGIN + 5, f"text cut off on page {number}"
        lines = [line.strip() for line in text.get_text_bounded().splitlines() if line.strip()]
        assert re.sub(r"\W", "", lines[-1]) not in headings, f"{lines[-1]!r}, page {number}"
    outputs = [output for cell in copy.cells for output in cell.get("outputs", [])]
    assert figures >= sum("image/png" in output.get("data", {}) for output in outputs)


# The task


def run(*arguments, capsys):
    """Exit code and what is said by `dev.py handout`."""
    try:
        code = handout.main([*arguments])
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr()
    return code, said.out + said.err


def test_a_name_without_its_folder_is_enough_and_files_lie_where_they_are_said(folder, capsys):
    stem = PATHS["further/which-promise-includes-which"].stem
    code, said = run("which-promise-includes-which", "--slides", capsys=capsys)
    assert (code, said.split()) == (0, [f"{stem}.ipynb", f"{stem}-slides.html"])
    assert handout.main([f"further/{stem}", "--solutions"]) == 0
    assert {path.name for path in folder.rglob("*")} == {*said.split()}
    lecturers = (folder.parent / "lecturer" / f"{stem}.ipynb").read_text(encoding="utf-8")
    students = (folder / f"{stem}.ipynb").read_text(encoding="utf-8")
    assert '"solution"' in lecturers and '"solution"' not in students


def test_errors_say_what_to_do(capsys, monkeypatch):
    code, said = run("k-anonimity", capsys=capsys)
    assert "No notebook k-anonimity; there are index, 01-cell" in code
    code, said = run(capsys=capsys)
    assert code == 2 and "name a notebook, as in `handout 4`, or say --all" in said
    code, said = run("4", "--all", capsys=capsys)
    assert code == 2 and "--all" in said
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    code, said = run("6", "--pdf", capsys=capsys)
    assert "apt install chromium" in code and "CHROMIUM" in code
    assert not list(handout.HANDOUTS.iterdir()), "nothing is half done"


@pytest.mark.full
def test_a_term_has_a_page_that_links_all_that_is_there(folder, offline):
    command = [sys.executable, str(ROOT / "docs" / "handout.py"), "--help"]
    assert "--slides" in subprocess.run(command, capture_output=True, text=True).stdout
    (folder / "mine.txt").write_text("Not of a handout.")
    assert handout.main(["--all"]) == 0
    assert (folder / "mine.txt").read_text() == "Not of a handout."
    index = folder / "index.html"
    page = offline.new_page()
    page.goto(index.as_uri())
    links = page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    page.close()
    there = {path.name for path in folder.iterdir()} - {"index.html", "mine.txt"}
    assert set(links) == there
    decks = {f"{PATHS[name].stem}-slides.html" for name in COURSE if name[0].isdigit()}
    assert decks <= there
    for path in folder.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
        for other in re.findall(r"\]\(([\w-]+\.ipynb)", text):
            assert other in there, f"{path.name} links {other}"
