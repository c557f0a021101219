"""Engines read exactly what was named, as `read_table` does, and write over nothing else."""

import os
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import toolkit as tk
from toolkit import __main__ as command, read_table
from toolkit.engines.table import engine_error, fetch

# Ibis asks DuckDB by a name that DuckDB has given up.
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

APART, ALIKE = [1, 2, 3, 4], [1, 1, 1, 1]
TOWN = pa.table({"town": list("AAB")})


def write(path, ages=APART):
    """A Parquet file, in folders that need not be there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:  # its name may look like an address to Arrow
        pa.parquet.write_table(pa.table({"age": ages}), file)
    return path


def k_of(path, columns="age", **options):
    return tk.k_anonymity(tk.open_table(path, **options), columns)


# Which files


ODD = [
    *[
        ("a[1]", "a1"),
        ("a*", "ab"),
        ("a?", "ab"),
        ("[!a]", "b"),
        ("**", "x"),
        ("a[1]*?", "a1xy"),
    ],
    *[
        ("{a,b}", "a"),
        ("a\\b", "ab"),
        ("it's", "its"),
        ('"q"', "q"),
        ("new\nline", "n"),
        ("~", "x"),
    ],
    *[("s3:", "s3"), ("a b%20#c", "a b c"), ("$HOME", "home"), ("x=1", "x"), ("é\u202e", "e")],
]


@pytest.mark.parametrize(("odd", "other"), ODD, ids=[ascii(odd) for odd, _ in ODD])
def test_a_path_that_exists_is_no_pattern(tmp_path, monkeypatch, odd, other):
    monkeypatch.chdir(tmp_path)
    for name, ages in ((odd, APART), (other, ALIKE)):
        for place in (Path("files", f"{name}.parquet"), Path(name, "p.parquet")):
            write(place, ages)
        Path(f"{name}.csv").write_text("age,n\n" + "".join(f"{age},0\n" for age in ages))
    for path in (f"files/{odd}.parquet", odd, f"{odd}.csv"):
        assert k_of(path) == 1, path


@pytest.mark.parametrize("path", ["a[1]", "a[1].csv", "a[1]/p.parquet"])
def test_a_command_measures_what_was_named(tmp_path, path):
    for name, ages in (("a[1]", APART), ("a1", ALIKE)):
        write(tmp_path / name / "p.parquet", ages)
        text = "".join(f"{age},0\n" for age in ages)
        (tmp_path / f"{name}.csv").write_text(f"age,n\n{text}")
    asked = ["check", str(tmp_path / path), "--quasi-identifiers", "age", "--k", "2"]
    assert command.main(asked) == command.main([*asked, "--budget", "1GB"]) == 1


def test_a_pattern_stands_for_the_files_that_fit_it(tmp_path, capsys):
    folder = tmp_path / "g[1]"  # which a pattern below it does not concern
    for name, ages in (("a1", APART), ("a2", APART), ("b1", ALIKE), ("_a3", ALIKE)):
        write(folder / f"{name}.parquet", ages)
    write(tmp_path / "g1" / "a1.parquet", ALIKE)
    for pattern in ("a*.parquet", "a?.parquet", "[a]*", "*a[12].parquet"):
        assert k_of(folder / pattern) == 2, pattern
    assert (
        command.main(["check", str(folder / "a*"), "--quasi-identifiers", "age", "--k", "3"])
        == 1
    )
    for pattern in ("c*.parquet", "[c]1.parquet"):
        with pytest.raises(FileNotFoundError, match="no such file or folder"):
            tk.open_table(folder / pattern)
    (folder / "a.csv").write_text("age,n\n1,1\n")
    with pytest.raises(ValueError, match="stands for CSV and other files"):
        tk.open_table(folder / "a*")


HIDDEN = ["_temporary/p.parquet", ".ipynb_checkpoints/p.parquet", "sub/_SUCCESS/x/p.parquet"]
HIDDEN += [".p.parquet", "_p.parquet", "sub/.p.parquet", "p.csv", "p.parquet.crc", "p.tmp"]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_and_temporary_files_are_no_data(tmp_path, hidden):
    for name in ("p.parquet", hidden):
        write(tmp_path / "f" / name)
    assert k_of(tmp_path / "f") == 1
    asked = ["check", str(tmp_path / "f"), "--quasi-identifiers", "age", "--k", "2"]
    assert command.main(asked) == 1
    assert len(read_table(tmp_path / "f")) == tk.open_table(tmp_path / "f").records == 4


def test_folders_that_are_named_for_a_value_are_a_column_of_text(tmp_path):
    base = tmp_path / "month=7" / "f"  # what is above the folder is no data
    for year in (
        "_year=2020",
        "_year=02020",
        "_year=__HIVE_DEFAULT_PARTITION__",
        "_year=a%20b",
    ):
        write(base / year / "p.parquet", [1, 1])
    table = tk.open_table(base)
    found = (
        fetch(table.expression).to_pandas().sort_values(["_year", "age"], ignore_index=True)
    )
    wanted = read_table(base).sort_values(["_year", "age"], ignore_index=True)
    pd.testing.assert_frame_equal(found, wanted[list(found)], check_dtype=False)
    assert tk.k_anonymity(table, ["age", "_year"]) == 2
    write(base / "p.parquet")
    with pytest.raises(ValueError, match="do not give them the same columns"):
        tk.open_table(base)
    write(tmp_path / "age=1" / "f" / "year=1" / "p.parquet")
    with pytest.raises(ValueError, match="has a column 'age', and the name of its folder"):
        tk.open_table(tmp_path / "age=1" / "f")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"age": [1], "ssn": ["x"]}, "'ssn' is in one of them only"),
        ({"years": [1]}, "'age' is in one of them only"),
        ({"Age": [1]}, "'Age' is in one of them only"),
        ({"age": ["1"]}, "'age' is string in one and int64 in the other"),
        ({"age": [1.5]}, "'age' is double in one and int64 in the other"),
    ],
)
def test_files_of_different_columns_are_refused(tmp_path, second, said):
    write(tmp_path / "f" / "1.parquet")
    pa.parquet.write_table(pa.table(second), tmp_path / "f" / "2.parquet")
    for where in (tmp_path / "f", tmp_path / "f" / "*.parquet"):
        with pytest.raises(ValueError, match=f"do not have the same columns: column {said}"):
            tk.open_table(where)


def test_a_folder_named_as_a_column_is_refused_and_so_is_what_is_no_file(tmp_path):
    write(tmp_path / "f" / "age=30" / "p.parquet")
    with pytest.raises(ValueError, match="has a column 'age', and the name of its folder"):
        tk.open_table(tmp_path / "f")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="is neither a file nor a folder"):
        tk.open_table(tmp_path / "pipe.csv")
    write(tmp_path / "g" / "1.parquet")
    (tmp_path / "g" / "2.parquet").symlink_to("1.parquet")
    for where in (tmp_path / "g", tmp_path / "g" / "*.parquet"):
        with pytest.raises(ValueError, match="count twice; take one of the two out"):
            tk.open_table(where)
    (tmp_path / "g" / "2.parquet").unlink()
    (tmp_path / "g" / "2.parquet").write_bytes(b"")
    with pytest.raises(ValueError, match="2.parquet' cannot be read as Parquet"):
        tk.open_table(tmp_path / "g")


def test_a_name_that_is_not_utf_8_is_refused(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    Path(path).write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="is not UTF-8, so no engine can be told it; rename"):
        tk.open_table(path)


@pytest.mark.parametrize("name", ["postcode", None])
def test_an_index_of_pandas_is_the_column_that_read_table_finds(tmp_path, name):
    index = pd.Index(["2600", "2601", "2602"], name=name)
    pd.DataFrame({"age": [30] * 3}, index=index).to_parquet(tmp_path / "i.parquet")
    table = tk.open_table(tmp_path / "i.parquet")
    assert list(table.columns) == list(read_table(tmp_path / "i.parquet"))
    assert tk.k_anonymity(table, list(table.columns)) == 1


# CSV


def cells_of(table):
    """Cells by column: numbers as numbers, text as text, None for missing ones."""
    cells = {}
    for name in table.columns:
        column = table[name].astype(object)
        column = column.where(column.notna(), None)
        cells[name] = [
            float(cell)
            if isinstance(cell, (int, float, np.number)) and abs(cell) < 2**53
            else cell
            for cell in column
        ]
    return cells


def test_csv_files_of_different_first_lines_are_refused(tmp_path):
    for name, text in (("1", "a,b\n1,2\n"), ("2", "a,c\n1,2\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    with pytest.raises(ValueError, match="do not have the same columns in their first lines"):
        tk.open_table(tmp_path / "*.csv")


# Files that are written


def tree(folder):
    """All files below a folder, and what is in them."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "parts",
    [
        ["deep/letter.txt"],
        ["part-0.parquet", "_SUCCESS", "letter.txt"],
        ["part-0.parquet", "_SUCCESS", "part-1.parquet/letter.txt"],
        ["part-0.parquet"],
        [],
    ],
    ids=str,
)
@pytest.mark.parametrize("ending", ["", "/"])
def test_a_folder_of_something_else_is_never_replaced(tmp_path, parts, ending):
    folder = tmp_path / "precious"
    folder.mkdir()
    for part in parts:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / part).write_text("dear")
    before, result = tree(tmp_path), ibis.memtable(TOWN)
    with pytest.raises(ValueError, match="is a folder, and what is in it is not repl"):
        tk.write_parquet(result, f"{folder}{ending}")
    with pytest.raises(ValueError, match=r"path: .*new/' is a folder"):
        tk.write_parquet(result, f"{tmp_path}/new/")
    assert tree(tmp_path) == before


def test_a_folder_that_an_engine_wrote_is_replaced(tmp_path):
    folder = tmp_path / "result"
    folder.mkdir()
    for part in ("part-0.parquet", "_SUCCESS", "._SUCCESS.crc", ".part-0.parquet.crc"):
        (folder / part).write_text("old")
    assert tk.open_table(tk.write_parquet(ibis.memtable(TOWN), folder)).records == 3
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("fault", [OSError(28, "full"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("folder", [False, True])
def test_an_error_in_the_last_step_leaves_what_was_there(tmp_path, monkeypatch, fault, folder):
    target = tmp_path / "result"
    if folder:
        target.mkdir()
        (target / "_SUCCESS").write_text("old")
    else:
        target.write_text("old")
    before = tree(tmp_path)

    def fail(*_):
        raise fault

    calls, rename = [], Path.rename

    def second_fails(self, where):
        calls.append(self)
        return fail() if len(calls) == 2 else rename(self, where)

    monkeypatch.setattr(os, "replace", fail)
    monkeypatch.setattr(Path, "rename", second_fails)
    with pytest.raises(type(fault)):
        tk.write_parquet(ibis.memtable(TOWN), target)
    assert tree(tmp_path) == before


def test_a_link_is_replaced_and_not_what_it_leads_to(tmp_path):
    (tmp_path / "other.parquet").write_text("dear")
    (tmp_path / "link.parquet").symlink_to("other.parquet")
    tk.write_parquet(ibis.memtable(TOWN), tmp_path / "link.parquet")
    assert (tmp_path / "other.parquet").read_text() == "dear"
    assert len(pd.read_parquet(tmp_path / "link.parquet")) == 3


# Databases


@pytest.fixture
def database(tmp_path):
    """A database from elsewhere."""
    path = tmp_path / "people.duckdb"
    (tmp_path / "mine.csv").write_text("town,n\nA,1\nA,2\n")
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE people AS SELECT i % 3 AS age, i AS id FROM range(9) r(i)")
        made.execute("CREATE VIEW grown AS SELECT age + 20 AS age, id FROM people")
        made.execute(f"CREATE VIEW mine AS SELECT * FROM read_csv('{tmp_path}/mine.csv')")
        made.execute(f"CREATE VIEW listed AS SELECT * FROM glob('{tmp_path}/*')")
        made.execute(
            f"CREATE VIEW said AS SELECT content FROM read_text('{tmp_path}/mine.csv')"
        )
        made.execute("CREATE TABLE shapes (id INTEGER, shape GEOMETRY)")
        for function in ("sum(x) AS 5", "min(x) AS 9", "count_star() AS 8", "count(x) AS 7"):
            made.execute(f"CREATE MACRO {function}")
    return path


@pytest.mark.parametrize("view", ["mine", "listed", "said"])
def test_a_view_of_a_database_reads_no_file(database, view):
    with pytest.raises(PermissionError, match="a view of a database may read no other file"):
        tk.open_table(database, table=view)


@pytest.mark.parametrize("table", ["people", "grown"])
@pytest.mark.parametrize("budget", [1, "1 GB"])
def test_a_database_cannot_say_what_is_counted(database, tmp_path, table, budget):
    asked = tk.open_table(database, table=table, key="id", budget=budget)
    assert tk.k_anonymity(asked, "age") == 3
    written = tk.write_parquet(tk.record_class_sizes(asked, "age"), tmp_path / "sizes.parquet")
    assert pd.read_parquet(written)["records"].tolist() == [3] * 9


@pytest.mark.parametrize("name", ["2020", "my file", "it's", "temp", "memory", "main", "a[1]"])
def test_a_database_may_have_any_name(tmp_path, name):
    path = tmp_path / f"{name}.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE people AS SELECT 1 AS age")
    table = tk.open_table(path)
    assert tk.k_anonymity(table, "age") == 1
    con = table.expression.get_backend().con
    assert con.execute("SELECT age FROM people").fetchall() == [(1,)]


def test_views_and_files_are_not_on_one_connection(database):
    file = write(database.parent / "ages.parquet", [20])
    view, there = tk.open_table(database, table="grown"), tk.open_table(file)
    with pytest.raises(ValueError, match="that connection reads no files, as it has a view"):
        tk.open_table(file, beside=view)
    with pytest.raises(ValueError, match="'grown' is a view of the database .* of its own"):
        tk.open_table(database, table="grown", beside=there)
    assert tk.open_table(database, table="people", beside=view).records == 9
    assert tk.open_table(database, table="people", beside=there).records == 9


def test_a_view_may_spill(tmp_path):
    with duckdb.connect(str(tmp_path / "large.duckdb")) as made:
        made.execute("CREATE TABLE t AS SELECT md5(i::VARCHAR) AS a FROM range(600000) r(i)")
        made.execute("CREATE VIEW v AS SELECT a, a || 'x' AS b FROM t")
    table = tk.open_table(
        tmp_path / "large.duckdb", table="v", budget=1, memory_limit="60MB", threads=1
    )
    assert tk.k_anonymity(table, ["a", "b"]) == 1


def test_shapes_are_one_clear_error_and_nothing_is_fetched(database):
    with pytest.raises(TypeError, match="column 'shape' holds shapes .* not fetched; leave"):
        tk.open_table(database, table="shapes")
    con = tk.open_table(database, table="people").expression.get_backend().con
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        assert con.execute(f"SELECT current_setting('{setting}')").fetchall() == [(False,)]


# No cell in a message, and nothing left behind


@pytest.mark.parametrize("budget", [1, "1 GB"])
@pytest.mark.parametrize(
    "made",
    [
        "SELECT name::INTEGER AS c FROM t",
        "SELECT name::DATE AS c FROM t",
        "SELECT (n + 100)::TINYINT AS c FROM t",
        "SELECT 170141183460469231731687303715884105726::HUGEINT AS c FROM t",
        "SELECT n::DECIMAL(3, 2) AS c FROM t",
        "SELECT error(name)::INTEGER AS c FROM t",
    ],
)
def test_messages_show_no_cell(made, budget):
    connection = ibis.duckdb.connect()
    connection.con.execute("CREATE TABLE t AS SELECT 'Alice Zimmer' AS name, 7654 AS n")
    connection.con.execute(f"CREATE VIEW v AS {made}")
    with pytest.raises(RuntimeError, match="duckdb failed while") as refused:
        tk.k_anonymity(tk.open_table(connection.table("v"), budget=budget), "c")
    shown = str(refused.value)
    assert not any(cell in shown for cell in ("Alice", "7654", "1701")), shown
    assert refused.value.__cause__ is None and refused.value.__suppress_context__


@pytest.mark.parametrize(
    "said",
    [
        "Conversion Error: Could not convert string 'Alice' to INT32",
        "An error occurred while calling o1.x.\n: [CAST_INVALID_INPUT] The value 'Alice' of",
        "Invalid Input Error: CSV Error on Line: 3\nOriginal Line: Alice,1",
    ],
)
def test_of_an_unknown_error_only_the_kind_is_said(said):
    shown = str(engine_error("pyspark", "counting", Exception(said)))
    assert "Alice" not in shown and "\n" not in shown
    assert ("CAST_INVALID_INPUT" in said) == ("[CAST_INVALID_INPUT]" in shown)


# Types of Parquet that engines round


@pytest.mark.parametrize("held", ["alone", "as codes", "in a folder"])
def test_decimal_numbers_that_an_engine_would_round_are_refused(tmp_path, held):
    cells = pa.array([Decimal(10**40), Decimal(10**40 + 1)], pa.decimal256(60, 0))
    cells = cells.dictionary_encode() if held == "as codes" else cells
    path = tmp_path / "f" / "p.parquet"
    write(path)
    pa.parquet.write_table(pa.table({"s": cells}), path)
    with pytest.raises(
        TypeError, match="'s' of 'p.parquet' holds decimal .* an engine rounds"
    ):
        tk.open_table(path.parent if held == "in a folder" else path)
    assert tk.k_anonymity(read_table(path), "s") == 1
    short = pa.array([Decimal(10**37), Decimal(10**37 + 1)], pa.decimal256(38, 0))
    pa.parquet.write_table(pa.table({"s": short}), path)
    assert k_of(path, "s") == 1


def test_times_of_twelve_bytes_keep_all_digits_or_are_refused(tmp_path):
    path = tmp_path / "p.parquet"

    def put(cells, unit):
        table = pa.table({"q": [0, 0, 1, 1], "s": pa.array(cells, pa.timestamp(unit))})
        pa.parquet.write_table(table, path, use_deprecated_int96_timestamps=True)

    put([1, 2, 3, 4], "ns")
    with pytest.raises(TypeError, match="'s' of 'p.parquet' holds parts of microseconds"):
        tk.open_table(path)
    # Those of 64 bits end in 2262, and the last day of 9999 would be one of 1816.
    put([datetime(9999, 12, 31), datetime(9999, 12, 30), datetime(2020, 1, 1), None], "us")
    assert k_of(path, "s") == tk.k_anonymity(read_table(path), "s") == 1
    assert read_table(path)["s"].max() == datetime(9999, 12, 31)


def test_times_of_the_day_with_a_zone_are_refused(tmp_path):
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE t (s TIMETZ)")
        made.execute("INSERT INTO t VALUES ('10:00:00+01'), ('10:00:00+02')")
    with pytest.raises(TypeError, match="'s' holds times of the day with a time zone"):
        tk.open_table(path)
