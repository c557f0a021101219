"""Twelve messy files: the roles, hierarchies and warnings that must come out of each."""

import html

import pandas as pd
import pytest

import toolkit.__main__ as command
from tests.report.messy_files import MESSY, PLANTED, write_messy
from toolkit import suggest_roles
from toolkit.anonymisation.hierarchies import suggest_hierarchies, suggest_hierarchy
from toolkit.io import read_table
from toolkit.report.roles import NOBODY_SAID, table_warnings

READ = [name for name, messy in MESSY.items() if not messy.refused]
REFUSED = [name for name, messy in MESSY.items() if messy.refused]

pytestmark = pytest.mark.filterwarnings("ignore:.* is a guess")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_messy(tmp_path_factory.mktemp("messy"))


@pytest.fixture(scope="module")
def tables(files):
    return {name: read_table(files[name]) for name in READ}


def test_there_are_twelve_and_two_cannot_be_understood():
    assert len(MESSY) == 12
    assert len(REFUSED) == 2


@pytest.mark.parametrize("name", READ)
def test_roles(tables, name):
    found = suggest_roles(tables[name])
    assert dict(zip(found["column"], found["role"], strict=True)) == MESSY[name].roles
    cells = " ".join([*found["reason"], *found["warning"]])
    assert not [secret for secret in MESSY[name].secrets if secret in cells]


@pytest.mark.parametrize("name", READ)
def test_hierarchies_cover_every_cell_and_never_hide_the_year_alone(tables, name):
    data = tables[name]
    trees = suggest_hierarchies(data)
    for column, levels in MESSY[name].levels.items():
        assert trees[column].names == levels, column
    for column, tree in trees.items():
        values = set(data[column].dropna())
        assert values <= set(tree[0].dropna()), column
        if MESSY[name].roles[column] != "direct identifier":
            assert "prefix" not in tree.code or not _are_dates(values), column


def _are_dates(values):
    return all(str(value).count("/") == 2 or str(value).count(".") == 2 for value in values)


@pytest.mark.parametrize("name", READ)
def test_warnings(tables, name):
    data = tables[name]
    found = suggest_roles(data)
    by_column = dict(zip(found["column"], found["warning"], strict=True))
    for column, words in MESSY[name].warnings.items():
        said = by_column[column] if column else " ".join(table_warnings(data, found))
        assert words in said
    free = {column for column, role in MESSY[name].roles.items() if role == "free text"}
    assert {column for column, said in by_column.items() if "is free text" in said} == free
    nobody = "sensitive" not in MESSY[name].roles.values()
    assert (NOBODY_SAID in table_warnings(data, found)) == nobody


@pytest.mark.parametrize("name", READ)
def test_the_command_says_the_same_and_quotes_no_cell(files, name, capsys):
    assert command.main(["roles", str(files[name])]) == 0
    printed = capsys.readouterr().out
    for column, role in MESSY[name].roles.items():
        assert any(line.startswith(column) and role in line for line in printed.splitlines())
    for levels in MESSY[name].levels.values():
        assert ", ".join(levels[1:]) in printed
    for words in MESSY[name].warnings.values():
        assert words in printed
    assert "guessed" in printed
    assert not [secret for secret in (*MESSY[name].secrets, PLANTED) if secret in printed]


@pytest.fixture(scope="module")
def box():
    """The explorer, in which a file after the other is opened."""
    widgets = pytest.importorskip("toolkit.widgets")
    return widgets.table_explorer(pd.DataFrame({"age": [17, 25, 39], "ill": list("xyx")}))


@pytest.mark.parametrize("name", READ)
def test_the_explorer_says_the_same_and_shows_no_name(files, box, name):
    box.path.value = str(files[name])
    messy, first = MESSY[name], box.source.value
    assert first == str(files[name]), box.message.value
    chosen = {column: box.controls[f"role of {column}"].value for column in messy.roles}
    assert chosen == messy.roles
    for column, levels in messy.levels.items():
        slider = box.controls[f"level of {column}"]
        assert tuple(text for text, _ in slider.options) == levels
    top, *rows = box.explorer.roles.children
    beside = {row.children[0].description: row.children[1].value for row in rows[:-1]}
    for column, words in messy.warnings.items():
        assert words in (beside[column] if column else top.value), column
    unwarned = set(beside) - set(messy.warnings)
    expected = {column for column in unwarned if "Warning" in beside[column]}
    said = suggest_roles(read_table(files[name])).set_index("column")["warning"]
    assert expected == {column for column in unwarned if said[column]}
    shown = " ".join([top.value, *beside.values(), box.message.value])
    shown = html.unescape(shown + box.explorer.summary.value + box.code.value)
    assert not [secret for secret in (*messy.secrets, PLANTED) if secret in shown]
    counted = "unless this column is named as person" in box.explorer.told()
    assert counted == any("several records" in words for words in messy.warnings.values())


@pytest.mark.parametrize("name", REFUSED)
def test_the_explorer_refuses_the_same(files, box, name):
    before = box.source.value
    box.path.value = str(files[name])
    assert MESSY[name].refused in box.message.value and box.source.value == before


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_understood_is_refused_in_one_sentence(files, name, capsys):
    assert command.main(["roles", str(files[name])]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert MESSY[name].refused in said.err


def test_the_order_of_a_date_is_what_the_dates_say(tables):
    """The German day 1.2. is in February, the American 1/2 in January."""
    for name, column, of_parts in (
        ("kunden.csv", "Geburtsdatum", lambda d, m, y: f"{y}-{m}"),
        ("clients-us.txt", "dob", lambda m, d, y: f"{y}-{m}"),
    ):
        cells = tables[name][column]
        tree = suggest_hierarchy(cells).set_index(0)
        parts = [cell.replace(".", "/").split("/") for cell in tree.index]
        assert tree[1].tolist() == [of_parts(*one) for one in parts]
        assert tree[2].tolist() == [one[2] for one in parts]


def test_lines_of_totals_are_told_by_every_door(tmp_path, monkeypatch, box, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [["a" if i % 2 else "b", 20 + i % 4, "x"] for i in range(40)]
    data = pd.DataFrame([*rows, ["Total", None, None]], columns=["town", "age", "illness"])
    data.to_csv("people.csv", index=False)
    said = "lines that may be no records: 1 of totals; each counts as a person"
    assert command.main(["roles", "people.csv"]) == 0
    assert said in capsys.readouterr().out
    roles = ["--quasi-identifiers=town,age", "--sensitive=illness"]
    command.main(["check", "people.csv", "--k", "2", *roles])
    assert said in "".join(capsys.readouterr())
    assert command.main(["treat", "people.csv", "--k", "2", *roles]) == 0
    assert capsys.readouterr().out.count(said) == 1
    assert said[1:] in (tmp_path / "people-treated.html").read_text()
    box.path.value = str(tmp_path / "people.csv")
    assert said in box.explorer.roles.children[0].value
