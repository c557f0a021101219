"""Published numbers beside ours: docs/ledger.csv, with the call that gives each number.

`works.toml` says whose numbers they are, and holds the lines that precede the calls.
`python docs/pages.py` fills the columns *ours* and *verdict*, and docs/replicators.md.
"""

import csv
import io
import math
import os
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ROOT / "docs" / "ledger.csv"
WORKS = tomllib.loads(Path(__file__).with_name("works.toml").read_text(encoding="utf-8"))
SOURCES = "in print", "run", "computed here"
IMPORTS = """import itertools
import math
import os
from fractions import Fraction

import numpy as np
import pandas as pd

import toolkit as tk
from toolkit import datasets

folder = os.environ.get("PRIVACY_TOOLKIT_DATA", "")
"""
Row = dict[str, str]


def read() -> list[Row]:
    """Rows of the ledger as stored."""
    with LEDGER.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_available(name: str) -> bool:
    """True if the files are there that a work needs."""
    needs, folder = WORKS[name].get("needs"), os.environ.get("PRIVACY_TOOLKIT_DATA")
    return not needs or bool(folder) and os.path.exists(os.path.join(folder, needs))


def agrees(number: str, ours: float | str, agreement: str = "") -> bool:
    """True if ours is the printed number, in its digits."""
    if isinstance(ours, str):
        return ours == number
    printed = float(number.replace(",", "").replace("∞", "inf").rstrip("%"))
    if math.isinf(printed) or math.isinf(ours):
        return ours == printed
    if agreement.startswith("within "):
        return abs(ours - printed) <= float(agreement.removeprefix("within "))
    places = digits(number)
    if agreement == "cut":
        ours = math.floor(ours * 10**places) / 10**places
    return f"{ours:.{places}f}" == f"{printed:.{places}f}"


def digits(number: str) -> int:
    """Digits behind the point."""
    return len(number.rstrip("%").partition(".")[2])


def written(number: str, ours: float | str) -> str:
    """Ours with two digits more than printed, so that a reader sees how close it is."""
    if isinstance(ours, str):
        return ours
    if math.isinf(ours):
        return "∞"
    places = digits(number)
    if ours == int(ours) and not places:
        return f"{ours:,.0f}" if "," in number else f"{ours:.0f}"
    return f"{ours:.{max(places, min(places + 2, 10))}f}"


def computed(name: str, rows: list[Row]) -> list[Row]:
    """Rows of a work with the result of each call, and the verdict."""
    space: dict[str, Any] = {}
    exec(IMPORTS + WORKS[name].get("setup", ""), space)
    results = []
    for row in rows:
        ours = eval(row["call"], space)
        ours = ours if isinstance(ours, str) else float(ours)
        reached = agrees(row["number"], ours, row["agreement"])
        verdict = "reached" if reached else "not reached"
        verdict = verdict if WORKS[name].get("counted", True) else "not counted"
        results.append(row | {"ours": written(row["number"], ours), "verdict": verdict})
    return results


def ledger() -> list[Row]:
    """All rows; those of works whose files are missing stay as they are stored."""
    stored, rows = read(), []
    for name in WORKS:
        own = [row for row in stored if row["claim"] == name]
        rows += computed(name, own) if is_available(name) else own
    return rows


def as_csv(rows: list[Row]) -> str:
    """Text of the ledger."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def counts(rows: list[Row]) -> tuple[int, int]:
    """How many numbers count, and how many of them are reached."""
    verdicts = [row["verdict"] for row in rows if row["verdict"] != "not counted"]
    return len(verdicts), verdicts.count("reached")


def section(name: str, rows: list[Row]) -> str:
    """Section of a work: what its calls use, and what is not reached."""
    work, (numbers, reached) = WORKS[name], counts(rows)
    sources = [row["source"] for row in rows]
    kinds = [f"{sources.count(kind)} {kind}" for kind in SOURCES if kind in sources]
    verdict = "not counted"
    if numbers:
        verdict = "all reached" if reached == numbers else f"{reached} reached"
    lesson = f"[{work['notebook']}](../notebooks/{work['notebook']}.ipynb)"
    said = f"Claim `{name}`, {', '.join(kinds)}; {verdict}. {work['about']} Lesson: {lesson}."
    if "needs" in work:
        said += f" **Not bundled:** `{work['needs']}`."
    lines = [f"## {work['work']}", "", said]
    if "setup" in work:
        lines += ["", "```python", work["setup"].strip("\n"), "```"]
    missed = [row for row in rows if row["verdict"] == "not reached"]
    lines += [""] * bool(missed) + [
        f"* **Not reached:** {row['where']}, {row['what']}: {row['number']} {row['source']},"
        f" {row['ours']} here; {row['why']}."
        for row in missed
    ]
    return "\n".join(lines) + "\n"


def works(rows: list[Row]) -> str:
    """How many numbers are reached, and a section for each work."""
    numbers, reached = counts(rows)
    said = (
        f"**{numbers} numbers: {reached} reached, {numbers - reached} not reached**, each with"
        f" a reason. Another {len(rows) - numbers} are shown and not counted.\n"
    )
    parts = (section(name, [row for row in rows if row["claim"] == name]) for name in WORKS)
    return "\n".join([said, *parts])
