"""Thirty messy files: roles and warnings are the same by every door, and no cell is quoted."""

import html
from functools import partial

import pandas as pd
import pytest

import toolkit.__main__ as command
from tests.report.messy_files import MESSY, PLANTED, TEXT, write_messy
from toolkit import suggest_roles
from toolkit.io import read_table
from toolkit.report.roles import NOBODY_SAID, table_warnings

READ = [name for name, messy in MESSY.items() if not messy.refused]
REFUSED = [name for name, messy in MESSY.items() if messy.refused]

pytestmark = pytest.mark.filterwarnings("ignore:.* is a guess")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_messy(tmp_path_factory.mktemp("messy"))


def secrets_of(data, roles):
    """Long cells of identifiers and free text."""
    columns = [data[n].dropna().astype(str) for n, role in roles.items() if role[0] in "df"]
    return {PLANTED, *(cell for cells in columns for cell in cells if len(cell) >= 8)}


@pytest.mark.parametrize("name", READ)
def test_roles_and_warnings(files, name):
    messy, data = MESSY[name], read_table(files[name])
    found = suggest_roles(data)
    assert dict(zip(found["column"], found["role"], strict=True)) == messy.roles
    warned = dict(zip(found["column"], found["warning"], strict=True))
    for column, words in messy.warnings.items():
        assert words in warned[column]
    free = {column for column, role in messy.roles.items() if role == TEXT}
    assert {column for column, said in warned.items() if "is free text" in said} == free
    said = table_warnings(data, found)
    assert (NOBODY_SAID in said) == ("sensitive" not in messy.roles.values())
    text = " ".join([*found["reason"], *said])
    assert not [cell for cell in secrets_of(data, messy.roles) if cell in text]


@pytest.mark.parametrize("name", READ)
def test_the_command_says_the_same_and_quotes_no_cell(files, name, capsys):
    assert command.main(["roles", str(files[name])]) == 0
    messy, printed = MESSY[name], capsys.readouterr().out
    for column, role in messy.roles.items():
        assert any(line.startswith(column) and role in line for line in printed.splitlines())
    for words in messy.warnings.values():
        assert words in printed
    assert "guessed" in printed
    secrets = secrets_of(read_table(files[name]), messy.roles)
    assert not [cell for cell in secrets if cell in printed]


@pytest.fixture(scope="module")
def box():
    """The explorer, in which one file after the other is opened."""
    explorer = pytest.importorskip("toolkit.report.explorer")
    return explorer.table_explorer(pd.DataFrame({"age": [17, 25, 39], "ill": list("xyx")}))


@pytest.mark.parametrize("name", READ[::6])
def test_the_explorer_says_the_same_and_shows_no_name(files, box, name):
    messy = MESSY[name]
    assert box.open_table(name, partial(read_table, files[name]), "..."), box.message.value
    chosen = {
        column: box.explorer.controls[f"role of {column}"].value for column in messy.roles
    }
    assert chosen == messy.roles
    top, *rows = box.steps.children[1].children
    beside = {
        role.description: reason.value
        for role, reason in zip(rows[::2], rows[1::2], strict=True)
    }
    for column, words in messy.warnings.items():
        assert words in html.unescape(beside[column])
    shown = " ".join([top.value, *beside.values(), box.message.value])
    shown = html.unescape(shown + box.explorer.summary.value + box.code.value)
    secrets = secrets_of(read_table(files[name]), messy.roles)
    assert not [cell for cell in secrets if cell in shown]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_understood_is_refused_in_one_sentence(files, box, name, capsys):
    assert command.main(["roles", str(files[name])]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert MESSY[name].refused in said.err
    assert not box.open_table(name, partial(read_table, files[name]), "...")
    assert MESSY[name].refused in html.unescape(box.message.value)
