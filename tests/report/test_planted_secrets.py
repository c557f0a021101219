"""No name, number, sentence or rare value of a messy table is in what is written about it.

Every distinct cell of direct identifiers and of free text is searched for, in all that the
commands write and print and in what the explorer saves; so is every value of a
quasi-identifier that one record alone has, except in the release where it is kept as it is.
"""

import html
import json
import re
import warnings

import pandas as pd
import pytest

import toolkit.__main__ as command
from tests.report.messy_files import DIRECT, MESSY, QUASI, SECRET, TEXT, write_messy
from toolkit.io import read_table
from toolkit.report.explorer import table_explorer
from toolkit.report.roles import suggest_roles

READ = [name for name, messy in MESSY.items() if not messy.refused]
HOUSES = "households.csv"
"""Its identifiers are numbers below 100, which may stand anywhere."""
QUICK = "kunden.csv"
CASES = [pytest.param(name, marks=[pytest.mark.ci] * (name != QUICK)) for name in READ]


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
            once = cells[~cells.duplicated(keep=False)]
            alone[column] = cells_of(once)
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


@pytest.fixture
def messy(tmp_path, monkeypatch, request):
    """A folder with one file, its table, and what must not be written of it."""
    monkeypatch.chdir(tmp_path)
    write_messy(tmp_path, [request.param])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        data = read_table(request.param)
    return request.param, data, *planted(data, MESSY[request.param].roles)


def test_the_search_finds_what_is_there():
    data = pd.DataFrame({"n": ["O'Hara & Sons", "Zoë Müller"], "q": ["rarest", "common"]})
    names, alone = planted(data, {"n": DIRECT, "q": QUASI})
    assert names == set(data["n"]) and alone == {"q": {"rarest", "common"}}
    for cell in names:
        for text in (cell, html.escape(cell), json.dumps(cell), f"<td>{cell}</td>"):
            assert held(text, names) == {cell}, text
    assert held("uncommonly", alone["q"]) == set()


@pytest.mark.filterwarnings("ignore:.* is a guess")
@pytest.mark.parametrize("messy", CASES, indirect=True)
def test_no_cell_that_names_somebody_is_written_or_printed(messy, tmp_path, capsys):
    name, data, names, alone = messy
    assert len(names) >= 40 or name == HOUSES, "there is something to be found"
    options = {QUASI: "--quasi-identifiers", SECRET: "--sensitive"}
    found = suggest_roles(data)
    pairs = [(options.get(role), str(one)) for one, role in found[["column", "role"]].values]
    roles = [word for option, one in pairs if option for word in (option, one)]
    for arguments in (
        ["report", name, "--k", "3"],
        ["treat", name, *roles, "--k", "3", "--suppression-limit", "0.9"],
        ["check", name, *roles, "--k", "3", "--json"],
        ["roles", name],
    ):
        assert command.main(arguments) in (0, 1)
    texts = written(tmp_path, name)
    stem = name.rpartition(".")[0]
    assert {"-report.html", "-report.json", "-treated.csv"} <= {
        path.removeprefix(stem) for path in texts
    }
    texts["printed"] = "".join(capsys.readouterr())
    box = table_explorer(data)
    box.explorer.move({"k": 3, "limit": 0.2})
    box.reach()
    texts |= {path: content.decode() for path, content in box.release_files().items()}
    for path, text in texts.items():
        assert held(text, names) == set(), path
        shown = path in ("release.csv", f"{stem}-treated.csv")
        stays = re.fullmatch(r".*(-treated|release)\.(json|html)", path)  # with the table
        for column, cells in alone.items():
            kept = (shown and column in text.partition("\n")[0]) or (stays and column in text)
            assert kept or held(text, cells - names) == set(), (path, column)


@pytest.mark.parametrize("name", [name for name in MESSY if MESSY[name].refused])
def test_a_refusal_quotes_nobody(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_messy(tmp_path, [name])
    sheet = pd.read_excel(name, header=None).iloc[3:, 0].dropna()
    for task in ("report", "treat", "check", "roles"):
        assert command.main([task, name]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1
        assert held(said.err, cells_of(sheet)) == set()
    assert [path.name for path in tmp_path.iterdir()] == [name]
