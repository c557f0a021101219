"""Public names that no notebook, README line or item of docs/sources.md calls, by hand.

``python tests/project/uncalled.py`` prints them, a line for each module.
"""

import json
import re
from pathlib import Path

import toolkit as tk
from toolkit import plots, widgets

ROOT = Path(__file__).resolve().parents[2]


def called() -> set[str]:
    """Words of the code cells, of README.md and of docs/sources.md."""
    texts = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/sources.md")
    ]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return {word for text in texts for word in re.findall(r"\w+", text)}


if __name__ == "__main__":
    words = called()
    for room in (tk, plots, widgets):
        names = [name for name in room.__all__ if name[0] != "_" and name not in words]
        print(f"{room.__name__}: {', '.join(names) or 'each name has a caller'}")
