"""Thirty messy files: every door gives the same roles and warnings, and quotes nobody.

Every distinct cell of direct identifiers and of free text is searched for, in all that the
commands write and print and in what the explorer shows and saves; so is every value of a
quasi-identifier that one record alone has, except in the release where it is kept as it is.
"""

import base64
import html
import json
import re
import warnings
from pathlib import Path

import pandas as pd
import pytest

import toolkit.__main__ as command
from tests.report.messy_files import DIRECT, MESSY, QUASI, SECRET, TEXT, write_messy
from toolkit import suggest_roles, treat
from toolkit.io import read_table
from toolkit.report.explorer import table_explorer
from toolkit.report.roles import NOBODY_SAID, table_warnings

HOUSES = "households.csv"
"""Its identifiers are numbers below 100, which may stand anywhere."""
READ = [name for name, messy in MESSY.items() if not messy.refused]
REFUSED = [name for name, messy in MESSY.items() if messy.refused]
QUICK = "kunden.csv"
CASES = [pytest.param(name, marks=[pytest.mark.ci] * (name != QUICK)) for name in READ]

pytestmark = pytest.mark.filterwarnings("ignore:.* is a guess")


@pytest.fixture
def messy(tmp_path, monkeypatch, request):
    """Name of a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_messy(tmp_path, [request.param])
    return request.param


def cells_of(column):
    """Distinct cells that are too long to stand in a page by chance."""
    texts = column.dropna().astype(str)
    return {text for text in texts if len(text) >= 6 or len(text) >= 4 and not text.isdigit()}


def planted(data, roles):
    """Cells that tell who somebody is, and values of what may be known that one record has."""
    names, alone = set(), {}
    for j, (column, role) in enumerate(roles.items()):
        cells = data.iloc[:, j]
        if role in (DIRECT, TEXT):
            names |= cells_of(cells)
        if role == QUASI:
            alone[column] = cells_of(cells[~cells.duplicated(keep=False)])
    return names, alone


def held(text, cells):
    """Cells that a text holds as words of their own, however it escapes them."""
    found = set()
    for cell in cells:
        forms = {cell, json.dumps(cell)[1:-1]}
        forms |= {html.escape(form) for form in forms} | {html.escape(cell, quote=False)}
        words = "|".join(re.escape(form) for form in forms if form in text)
        if words and re.search(rf"(?<![\w.])(?:{words})(?![\w.])", text):
            found.add(cell)
    return found


def test_the_search_finds_what_is_there():
    data = pd.DataFrame({"n": ["O'Hara & Sons", "Zoë Müller"], "q": ["rarest", "common"]})
    names, alone = planted(data, {"n": DIRECT, "q": QUASI})
    assert names == set(data["n"]) and alone == {"q": {"rarest", "common"}}
    for cell in names:
        for text in (cell, html.escape(cell), json.dumps(cell), f"<td>{cell}</td>"):
            assert held(text, names) == {cell}, text
    assert held("uncommonly", alone["q"]) == set()


@pytest.mark.parametrize("messy", READ, indirect=True)
def test_roles_and_warnings(messy):
    wanted, data = MESSY[messy], read_table(messy)
    found = suggest_roles(data)
    assert dict(zip(found["column"], found["role"], strict=True)) == wanted.roles
    warned = dict(zip(found["column"], found["warning"], strict=True))
    for column, words in wanted.warnings.items():
        assert words in warned[column]
    free = {column for column, role in wanted.roles.items() if role == TEXT}
    assert {column for column, said in warned.items() if "is free text" in said} == free
    said = table_warnings(data, found)
    assert (NOBODY_SAID in said) == (SECRET not in wanted.roles.values())
    names, _ = planted(data, wanted.roles)
    assert held(" ".join([*found["reason"], *said]), names) == set()


def written(folder, but):
    """What is in the files of a folder, pictures left out, whose letters are drawn anyhow."""
    texts = {}
    for path in folder.iterdir():
        if path.name != but:
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:  # a release is written as its table is
                text = path.read_text(encoding="cp1252")
            texts[path.name] = re.sub(r"[A-Za-z0-9+/=\\n]{2000,}", "", text)
    return texts


@pytest.mark.parametrize("messy", CASES, indirect=True)
def test_every_door_says_the_same_and_no_cell_that_names_somebody(messy, tmp_path, capsys):
    wanted = MESSY[messy]
    with warnings.catch_warnings(action="ignore"):
        data = read_table(messy)
    names, alone = planted(data, wanted.roles)
    assert len(names) >= 40 or messy == HOUSES, "there is something to be found"
    options = {QUASI: "--quasi-identifiers", SECRET: "--sensitive"}
    pairs = [(options.get(role), column) for column, role in wanted.roles.items()]
    roles = [word for option, column in pairs if option for word in (option, column)]
    assert command.main(["roles", messy]) == 0
    printed = capsys.readouterr().out
    for column, role in wanted.roles.items():
        assert any(line.startswith(column) and role in line for line in printed.splitlines())
    assert all(words in printed for words in ["guessed", *wanted.warnings.values()])
    for arguments in (
        ["report", messy, "--k", "3"],
        ["treat", messy, *roles, "--k", "3", "--suppression-limit", "0.9"],
        ["check", messy, *roles, "--k", "3", "--json"],
    ):
        assert command.main(arguments) in (0, 1)
    texts, stem = written(tmp_path, messy), Path(messy).stem
    assert {f"{stem}-report.html", f"{stem}-report.json", f"{stem}-treated.csv"} <= {*texts}
    box = table_explorer(data)
    controls = box.explorer.controls
    assert {name: controls[f"role of {name}"].value for name in data} == wanted.roles
    _, *parts = box.steps.children[1].children
    beside = {
        role.description: reason.value
        for role, reason in zip(parts[::2], parts[1::2], strict=True)
    }
    for column, words in wanted.warnings.items():
        assert words in html.unescape(beside[column])
    shown = [*beside.values(), box.explorer.summary.value, box.code.value, box.warned.value]
    assert held(html.unescape("\n".join(shown)), names) == set()
    asked = box.setting | {"k": 3, "levels": {}, "suppression_limit": 0.9}
    levels = treat(box.data, **asked).levels
    box.explorer.move({f"level of {name}": level for name, level in levels.items()} | {"k": 3})
    box.checked.value = True
    box.save.click()
    links = re.findall('download="([^"]+)" href="data:[^,]+,([^"]+)"', box.files.value)
    assert len(links) == 4
    texts |= {path: base64.b64decode(content).decode() for path, content in links}
    texts["printed"] = printed + "".join(capsys.readouterr())
    for path, text in texts.items():
        assert held(text, names) == set(), path
        released = path in ("release.csv", f"{stem}-treated.csv")
        stays = re.fullmatch(r".*(-treated|release)\.(json|html)", path)  # with the table
        for column, cells in alone.items():
            kept = (released and column in text.partition("\n")[0]) or stays
            assert (kept and column in text) or held(text, cells - names) == set(), path


@pytest.mark.parametrize("messy", REFUSED, indirect=True)
def test_what_cannot_be_understood_is_refused_in_one_sentence(messy, tmp_path, capsys):
    names = cells_of(pd.read_excel(messy, header=None).iloc[3:, 0])
    for arguments in (["report"], ["treat"], ["check", "--k=2"], ["roles"]):
        assert command.main([*arguments, messy]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1
        assert MESSY[messy].refused in said.err and held(said.err, names) == set()
    assert [path.name for path in tmp_path.iterdir()] == [messy]
    box = table_explorer(pd.DataFrame({"age": [17, 25, 39], "ill": list("xyx")}))
    box.open_table(Path(messy))
    assert MESSY[messy].refused in html.unescape(box.message.value)
