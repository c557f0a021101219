"""`check` measures exactly the file that was named, by both ways of reading."""

import os

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import toolkit as tk
import toolkit.__main__ as command
from toolkit.io.files import data_files

AGES = pd.DataFrame({"age": [1, 1, 1, 2, 2], "sex": list("fffmm")})
DECOY = pd.DataFrame({"age": [7] * 9, "sex": ["f"] * 9})

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

NAMES = [
    *("a[1]", "[a]", "a[!b]", "a*", "*", "**", "a?", "{a,b}", "a b", " a", "a'b", 'a"b'),
    *("a`b", "a\nb", "a\tb", "ä ö", "日本", "e\u0301", "\u202ea", "-a", "--k", "a%41", "%20"),
    *("a#b", "a\\b", "a;b", "a&b", "$HOME", "~", "a=b", "a:b", "http:", "a,b", ".a", "_a"),
]
"""What browsers, mail programs and people call files, with every mark of a pattern."""

LIKE = ["a1", "a", "ab", "b", "aa", "a*b", "A"]
"""Files beside it that a pattern, or a careless reader, would take."""

BOTH = pytest.mark.parametrize("read", [tk.read_table, tk.open_table])
ENGINE = [[], ["--budget", "1GB"]]


def k(table, columns=("age", "sex")):
    return tk.k_anonymity(table, list(columns))


def write(data, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        data.to_csv(path, index=False)
    else:
        data.to_parquet(path)
    return path


@BOTH
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_the_file_that_was_named_is_read_and_no_other(name, ending, read, tmp_path):
    for other in {*LIKE} - {name}:
        write(DECOY, tmp_path / (other + ending))
    path = write(AGES, tmp_path / (name + ending))
    assert k(read(path)) == 2


@BOTH
@pytest.mark.parametrize("name", NAMES)
def test_the_folder_that_was_named_is_read_and_no_other(name, read, tmp_path):
    for other in {*LIKE} - {name}:
        write(DECOY, tmp_path / other / "p.parquet")
    # Beside a mark DuckDB takes a backslash for the end of a folder, and finds nothing.
    mark = "" if "\\" in name else "[1]"
    write(AGES[:3], tmp_path / name / f"p{mark}.parquet")
    write(AGES[3:], tmp_path / name / f"deep{mark}" / "p1.parquet")
    assert k(read(tmp_path / name)) == 2


HIDDEN = ["_temporary/p.parquet", ".ipynb_checkpoints/p.parquet", "a/_b/c/p.parquet"]
HIDDEN += [".p.parquet", "_p.parquet", "a/.p.parquet", "._p.parquet", "p.parquet.crc"]


@BOTH
@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_and_temporary_files_are_no_data(hidden, read, tmp_path):
    write(AGES, tmp_path / "p.parquet")
    write(AGES, tmp_path / hidden)
    assert k(read(tmp_path)) == 2


def test_files_of_a_folder_count_once_and_by_what_they_are(tmp_path):
    shown = ["_year=2020/p.parquet", "a/q.PQ", "part-0"]
    for name in shown:
        write(AGES, tmp_path / name)
    (tmp_path / "LICENSE").write_text("free")
    found = [str(path.relative_to(tmp_path)) for path in data_files(tmp_path)]
    assert found == shown
    (tmp_path / "latest.parquet").symlink_to("part-0")
    with pytest.raises(ValueError, match="under a second name.*would count twice"):
        data_files(tmp_path)
    (tmp_path / "latest.parquet").unlink()
    (tmp_path / "a" / "_delta_log").mkdir()
    with pytest.raises(ValueError, match="log of changes .*write the table as plain Parquet"):
        data_files(tmp_path)


@pytest.mark.parametrize(
    ("read", "ending"),
    [(tk.read_table, ".parquet"), (tk.read_table, ".feather"), (tk.open_table, ".parquet")],
)
@pytest.mark.parametrize("name", ["postcode", None])
def test_the_index_that_pandas_stored_is_a_column(name, read, ending, tmp_path):
    data = pd.DataFrame({"age": [30] * 4}, index=pd.Index(list("abcd"), name=name))
    path = tmp_path / f"i{ending}"
    data.to_parquet(path) if ending == ".parquet" else pa.feather.write_feather(data, path)
    table, stored = read(path), name or "__index_level_0__"
    assert list(table.columns) == ["age", stored]
    assert k(table, ["age", stored]) == 1


@BOTH
def test_a_range_of_pandas_is_no_column(read, tmp_path):
    AGES[1:].set_index(pd.RangeIndex(4)).to_parquet(tmp_path / "r.parquet")
    assert list(read(tmp_path / "r.parquet").columns) == ["age", "sex"]


@pytest.mark.parametrize("engine", ENGINE)
def test_the_index_has_a_role_and_is_measured(engine, tmp_path, capsys):
    path = str(tmp_path / "i.parquet")
    index = pd.Index(["2600", "2601", "2602", "2603"], name="postcode")
    pd.DataFrame({"age": [30] * 4}, index=index).to_parquet(path)
    asked = ["check", path, "--k=2", "--quasi-identifiers=age,postcode", *engine]
    assert command.main(asked) == 1
    assert command.main(["roles", path, *engine]) == 0
    assert "postcode" in capsys.readouterr().out.split("age")[-1]


RECORDS = [
    [f"Alice Zimmer{i},19{i}-07-15,6{i}23,HIV{i},7351{i}.46" for i in range(20, 50)],
    [f"Zimmer{i},{i},x{i}" for i in range(20, 50)],
    [f"Zimmer{i},15.07.19{i},x{i}" for i in range(20, 50)],
    [f"Zimmer{i},-33.8{i},151.2{i}" for i in range(20, 50)],
    [f"Zimmer{i},0{i}00,x{i}" for i in range(20, 50)],
    [f"Zimmer{i},19{i},x{i}" for i in range(20, 50)],
    [f"Zimmer{i},+61 2 1234 5{i},x{i}" for i in range(20, 50)],
    [f"Zimmer{i},{i % 2},0,x{i}" for i in range(20, 50)],
]


@pytest.mark.parametrize("engine", ENGINE)
@pytest.mark.parametrize("records", RECORDS)
def test_a_file_without_a_line_of_names_is_refused(records, engine, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("\n".join(records))
    known = ["--quasi-identifiers", "age", *engine]
    for arguments in (["check", "--k", "2", *known], ["report", *known], ["roles", *engine]):
        assert command.main([arguments[0], str(path), *arguments[1:]]) == 2
        printed = "".join(capsys.readouterr())
        assert "seems to be a record" in printed and "columns' names" in printed
        assert not any(cell in printed for cell in records[0].split(",") if len(cell) > 3)


@pytest.mark.parametrize(
    "names",
    ["a,2019,2020", "a,2019,2021,2022", "a,1/22/20,1/23/20", "a,0.05,0.5,0.95", "a,10,20,30"],
)
def test_years_dates_and_steps_may_be_names(names, tmp_path):
    rows = [f"x{i}" + f",{7 * i}" * names.count(",") for i in range(9)]
    (tmp_path / "p.csv").write_text("\n".join([names, *rows]))
    assert ",".join(tk.read_table(tmp_path / "p.csv").columns) == names


ODD_FILES = {
    "one column more": (AGES.assign(ssn=1), "ssn"),
    "one column less": (AGES[["age"]], "sex"),
    "another name": (AGES.rename(columns={"sex": "gender"}), "gender|sex"),
    "another type": (AGES.assign(age="1"), "age"),
}


@BOTH
@pytest.mark.parametrize("odd", ODD_FILES)
def test_files_that_differ_in_their_columns_are_refused(odd, read, tmp_path):
    data, column = ODD_FILES[odd]
    write(AGES, tmp_path / "1.parquet")
    write(data, tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=f"'?({column})'?") as caught:
        read(tmp_path)
    assert "2.parquet" in str(caught.value) and "\n" not in str(caught.value)


def test_columns_of_several_files_keep_all_their_cells(tmp_path):
    pq.write_table(pa.table({"a": [2**53 + 1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [2**53 + 2, None]}), tmp_path / "2.parquet")
    assert tk.read_table(tmp_path)["a"].tolist() == [2**53 + 1, 2**53 + 2, pd.NA]
    pq.write_table(pa.table({"a": [0.5]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"'a' of '1.parquet' is int64, and of another type"):
        tk.read_table(tmp_path)


def test_folders_that_are_columns_keep_their_zeros(tmp_path):
    for name in ("zip=0200", "zip=200", "zip=__HIVE_DEFAULT_PARTITION__"):
        write(AGES[:1], tmp_path / "k=1" / name / "p.parquet")
    found = tk.read_table(tmp_path / "k=1")
    assert found["zip"].tolist()[:2] == ["0200", "200"] and found["zip"].isna().sum() == 1
    assert "k" not in found, "a folder above the one that was named is no column"


@pytest.mark.parametrize("rows", ["check", "roles"])
def test_a_table_of_what_is_no_database_is_refused(rows, tmp_path, capsys):
    path = write(AGES, tmp_path / "u.csv")
    k_asked = ["--k", "2"] * (rows == "check")
    assert command.main([rows, str(path), "--table", "x", *k_asked]) == 2
    assert "none; leave it out" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "p.csv")
    with pytest.raises(ValueError, match="is a pipe or a device"):
        tk.read_table(tmp_path / "p.csv")


def test_a_guessed_encoding_is_said_beside_the_result(tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_bytes("age,town\n1,Bérn\n1,Bérn\n".encode("cp1252"))
    asked = ["check", str(path), "--k", "2", "--quasi-identifiers", "age", "--json"]
    assert command.main(asked) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("{") and "which is a guess" in printed.err
