"""Every item of the five sources leads to a section of a notebook, or to a function."""

import difflib
import re
from operator import attrgetter

import nbformat
import numpy as np
import pandas as pd
import pytest

import toolkit as tk
import toolkit.datasets
import toolkit.plots
from docs.run import NOTEBOOKS, anchor, name_of, notebooks
from tests.needs import ROOT

PAGE = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
ROWS = [row for row in ROWS if row[0] != "item"]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(\.\./notebooks/([\w/-]+)\.ipynb#([^)]+)\)", PAGE + GLOSSARY)


def anchors(name: str) -> set[str]:
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return set(map(anchor, re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)))


def test_no_item_is_without_its_place_and_none_stands_twice():
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(sections) == 5 and all(part.count("\n| ") > 20 for part in sections)
    assert len(ROWS) >= 160 and all(len(row) == 2 for row in ROWS)
    bare = [item for item, where in ROWS if not re.search(r"\.ipynb#|`toolkit\.", where)]
    assert not bare, "without a link"
    assert len({item for item, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize("name", sorted({name for name, _ in LINKS}))
def test_a_link_leads_to_a_heading(name):
    assert name in map(name_of, notebooks())
    there = anchors(name)
    lost = {anchor for notebook, anchor in LINKS if notebook == name} - there
    near = {anchor: difflib.get_close_matches(anchor, there, 1, 0.3) for anchor in lost}
    assert not near, f"write the new heading into docs; near each: {near}"


def test_each_word_of_the_course_leads_to_a_section():
    terms = [line for line in GLOSSARY.splitlines() if line.startswith("| [")]
    assert len(terms) > 50 and all(".ipynb#" in line for line in terms)


def test_the_names_are_ours():
    names = set(re.findall(r"`toolkit\.([\w.]+)`", PAGE))
    assert len(names) > 60
    for name in names:
        assert callable(attrgetter(name)(toolkit)), name


def test_each_of_our_names_on_the_start_page_can_be_called_as_written():
    cells = nbformat.read(NOTEBOOKS / "index.ipynb", as_version=4).cells
    (told,) = (cell.source for cell in cells if "## Their name, our name" in cell.source)
    calls = re.findall(r"`((?:tk|plots)\.[^`]+)`", told)
    df = pd.DataFrame({"age": [1, 1, 2, 2], "ill": list("fffh")})
    combos, numbers = {"cp": ["c_c", "p_c"]}, {"f_n": [50, 5, 100]}
    truth = pd.DataFrame({"id_i": [1, 2], "c_c": [1, 2], "p_c": [1, 1], "f_n": [7, 70]})
    space = {"tk": tk, "plots": toolkit.plots, "df": df, "qi": ["age"], "sa": "ill"}
    codes = {"c_c": [1, 2], "p_c": [1, 2]}
    space |= {"truth": truth, "combos": combos, "numbers": numbers, "codes": codes}
    space |= {"coded": tk.pre_process(truth, combos, numbers, domain=codes)}
    space |= {"cig": tk.cell_information_gain(df), "outputs": np.arange(4.0)}
    space |= {"known": [1, 2], "candidates": [3, 5]}
    assert len(calls) >= 33 and len(calls) == told.count("\n| ") + 1
    for call in calls:
        eval(call, space)
