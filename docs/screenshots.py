"""The moving picture of the README: `python docs/screenshots.py` (Chromium is needed).

The cell explorer is drawn in the same way as on the site. A browser moves its controls, and
each screenshot becomes a frame of a GIF.
"""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from docs import frames
from docs.handout import STATIC, browser
from docs.run import ROOT
from toolkit.datasets import load_cig_toy
from toolkit.widgets import cell_explorer

PICTURE = ROOT / "docs" / "pictures" / "explorer.gif"
MOVES = [(0, 6), (1, 1), (1, 2), (0, 3), (1, 0), (0, 6)]  # a control and its new place
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; font: 17px/1.4 "DejaVu Sans", Arial, sans-serif; }}
figure.frames {{ margin: 0; border: 0; }} .frames .said {{ height: 8.5rem; overflow: hidden; }}
select:focus {{ outline: 3px solid #c44e00; outline-offset: 2px; }}</style>{figure}
<script>{script}</script>"""

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    pictures = Path(folder, "_frames")
    pictures.mkdir()
    figure = frames.figure({}, frames.frames(cell_explorer(load_cig_toy()), pictures), "")
    style, script = ((STATIC / name).read_text("utf-8") for name in ("site.css", "frames.js"))
    shown = PAGE.format(style=style, figure=figure, script=script)
    Path(folder, "page.html").write_text(shown, "utf-8")
    chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    page.goto(Path(folder, "page.html").as_uri())
    looks = []
    for control, place in MOVES:
        page.locator("select").nth(control).focus()
        page.locator("select").nth(control).select_option(index=place)
        page.wait_for_function("document.querySelector('img').complete")
        with Image.open(io.BytesIO(page.locator("figure").screenshot())) as look:
            looks.append(look.convert("RGB").quantize(128, dither=Image.Dither.NONE))
    time = {"duration": 2000, "loop": 0}  # of each look, in milliseconds
    looks[0].save(PICTURE, save_all=True, append_images=looks[1:], optimize=True, **time)
print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")
