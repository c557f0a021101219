"""Take the pictures of the README: `python docs/screenshots.py` (Chromium is needed).

They are taken of what a reader gets: a notebook run in JupyterLab, the page of the explorer,
and a report. Pictures are stored in 256 colours, which figures and text hardly need.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from tests.browser.lab import Explorer, Lab, explorer_server  # noqa: E402
from toolkit.__main__ import main as command  # noqa: E402

PICTURES = DOCS / "pictures"
LARGEST = 150_000  # bytes
TOP = "element => element.scrollIntoView({block: 'start'})"


def keep(name: str, picture: bytes, folder: Path) -> None:
    """Store a picture, small."""
    raw = folder / f"{name}.png"
    raw.write_bytes(picture)
    PICTURES.mkdir(exist_ok=True)
    path = PICTURES / f"{name}.png"
    with Image.open(raw) as image:
        small = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size:,} bytes", flush=True)
    if size > LARGEST:
        raise SystemExit(f"{path.name} is larger than {LARGEST:,} bytes.")


def lab_picture(lab: Lab) -> bytes:
    """The cell explorer in JupyterLab, after a choice."""
    page = lab.open("01-cell-information-gain.ipynb")
    page.run_all()
    row = page.dropdown("row")
    before = page.seen(row)
    row.select_option(index=6)
    page.wait_for_change(row, before)
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.page.keyboard.press("Control+b")  # the list of files gives way
    page.panel.get_by_text("Your turn.").first.evaluate(TOP)
    page.page.wait_for_timeout(500)
    return page.page.screenshot()


def explorer_picture(lab: Lab) -> bytes:
    """The explorer of a table of one's own, as a page: what the search for a k has found."""
    with explorer_server("--no-browser") as served:
        page = Explorer(lab, served).open()
        page.page.set_viewport_size({"width": 1280, "height": 800})
        page.page.get_by_role("tab", name="3 Treat").click()
        expect(page.slider("age")).to_be_visible()
        return page.page.screenshot()


def report_picture(lab: Lab, folder: Path) -> bytes:
    """The first screen of the report of the bundled table: the decision."""
    output = folder / "decision.html"  # report.ipynb is a notebook of the course
    if command(["report", "--output", str(output)]):
        raise SystemExit("the report was not made.")
    page = lab.context.new_page()
    page.goto(output.as_uri())
    page.set_viewport_size({"width": 1280, "height": 800})
    return page.screenshot()


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
        with Lab(folder) as lab:
            keep("lab", lab_picture(lab), folder)
            keep("explorer", explorer_picture(lab), folder)
            keep("report", report_picture(lab, folder), folder)


if __name__ == "__main__":
    main()
