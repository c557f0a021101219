"""The moving picture of the README: `python docs/screenshots.py` (Chromium is needed).

The cell explorer is drawn as the site draws it; a browser moves its controls, and each look
becomes a frame of a GIF.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from docs import frames  # noqa: E402
from docs.handout import browser  # noqa: E402
from toolkit.datasets import load_cig_toy  # noqa: E402
from toolkit.widgets import cell_explorer  # noqa: E402

PICTURE, WIDTH, SECONDS = DOCS / "pictures" / "explorer.gif", 800, 2.0
MOVES = [(0, 6), (1, 1), (1, 2), (0, 3), (1, 0), (0, 6)]  # a control and its new place
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; font: 17px/1.4 "DejaVu Sans", Arial, sans-serif; }}
figure.frames {{ margin: 0; border: 0; }} .frames .said {{ height: 8.5rem; overflow: hidden; }}
.moved {{ outline: 3px solid #c44e00; outline-offset: 2px; }}</style>{figure}
<script>{script}</script>"""


def looks(folder: Path) -> list[Image.Image]:
    """Screenshots of the explorer, one after each move."""
    (folder / "_frames").mkdir()
    drawn = frames.frames(cell_explorer(load_cig_toy()), folder / "_frames")
    style, script = (
        (DOCS / "_static" / name).read_text() for name in ("site.css", "frames.js")
    )
    page_file = folder / "page.html"
    shown = frames.figure(drawn, "")
    page_file.write_text(PAGE.format(style=style, figure=shown, script=script), "utf-8")
    taken = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": WIDTH, "height": 600})
        page.goto(page_file.as_uri())
        for control, place in MOVES:
            field = page.locator("select").nth(control)
            field.select_option(index=place)
            field.evaluate("one => one.classList.add('moved')")
            page.wait_for_function("document.querySelector('img').complete")
            picture = page.locator("figure").screenshot()
            taken.append(Image.open(io.BytesIO(picture)).convert("RGB"))
            field.evaluate("one => one.classList.remove('moved')")
        chromium.close()
    return taken


def main() -> None:
    """Take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        first, *others = (
            one.quantize(128, dither=Image.Dither.NONE) for one in looks(Path(folder))
        )
        time = {"duration": round(1000 * SECONDS), "loop": 0}
        first.save(PICTURE, save_all=True, append_images=others, optimize=True, **time)
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
