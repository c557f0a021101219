"""Tables in DuckDB: the answers of memory, whole and in parts; what is opened and refused."""

import hashlib
import re
import sys

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import toolkit as tk
from tests.engines.cases import AMPLE, KEY, TINY, disagreements, random_table
from toolkit import open_table
from toolkit.__main__ import main
from toolkit.datasets import load_adult
from toolkit.engines import DuckDB, one_sentence

TOWN = pa.table(
    {"town": list("AABBC"), "ill": ["flu", "hiv", "flu", "flu", None], "id": range(5)}
)
BUDGETS = pytest.mark.parametrize("budget", [AMPLE, TINY], ids=["whole", "in parts"])


def opened(arrow, budget=AMPLE, key="id"):
    """A table of a DuckDB of its own."""
    connection = duckdb.connect()
    connection.register("arrow", arrow)
    connection.execute('CREATE TABLE "the people" AS FROM arrow')
    return open_table(connection, table="the people", key=key, budget=budget)


def both(sample, whole, budget):
    return opened(sample, budget, KEY), opened(whole, budget, KEY)


@pytest.fixture
def folder(tmp_path):
    """A folder of Parquet files and a database with the same records."""
    for town in "ABC":
        place = tmp_path / "people" / f"code=0{town}"
        place.mkdir(parents=True)
        pq.write_table(
            TOWN.filter(pa.compute.equal(TOWN["town"], town)), place / "p [1].parquet"
        )
    (tmp_path / "people" / "_temporary").mkdir()
    pq.write_table(TOWN, tmp_path / "people" / "_temporary" / "p.parquet")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as made:
        made.execute("CREATE TABLE people AS FROM TOWN")
        made.execute("CREATE VIEW seen AS FROM people")
        made.execute("CREATE MACRO count(x) AS 7")
    return tmp_path


@BUDGETS
@pytest.mark.parametrize(
    "seed", [*range(16), *(pytest.param(j, marks=pytest.mark.full) for j in range(16, 400))]
)
def test_random_tables_have_the_answers_of_memory(seed, budget, tmp_path):
    whole = random_table(np.random.default_rng([3, seed]))
    assert disagreements(both, whole, budget, tmp_path, seed) == []


@pytest.mark.parametrize("budget", [AMPLE, 2e6])
def test_adult_has_the_answers_of_memory(budget):
    data = load_adult()
    known, secret = ["age", "education", "race", "sex", "workclass"], "occupation"
    table = opened(pa.Table.from_pandas(data.reset_index(names=KEY)), budget, KEY)
    found, wanted = (tk.check_privacy(each, known, secret).table for each in (table, data))
    np.testing.assert_allclose(
        found["value"].astype(float), wanted["value"].astype(float), rtol=1e-12
    )
    assert (table.plans[0].parts > 1) is (budget != AMPLE)


@BUDGETS
def test_records_that_violate_thresholds_are_counted_and_found_by_their_key(budget, tmp_path):
    def marked(each, known):
        return tk.check_privacy(each, known, "ill", k=2).violations("k_anonymity")

    table, data = opened(TOWN, budget), TOWN.to_pandas().set_index("id")
    found, wanted = (tk.check_privacy(each, "town", "ill", k=2) for each in (table, data))
    assert found.table["rows_violating"].equals(wanted.table["rows_violating"])
    path = tk.write_parquet(marked, table, "town", tmp_path / "k.parquet")
    found = pd.read_parquet(path).set_index("id")["k_anonymity"]
    assert found.to_dict() == marked(data, "town").to_dict()


def test_parts_are_not_taken_by_a_column_of_the_table():
    numbers = pa.table({"bucket_of_class": [*range(99), *range(99), 999]})
    assert tk.class_sizes(opened(numbers, TINY, None), "bucket_of_class").sum() == 199


def test_counts_are_kept_and_counted_again_from_wider_ones():
    table = opened(TOWN)
    assert tk.l_diversity(table, "town", "ill") == 1
    assert tk.t_closeness(table, "town", "ill") > 0
    assert tk.k_anonymity(table, "town") == 1
    first, second = table.plans
    assert (first.rows, second.rows, first.parts) == (4, 3, 1)
    assert "GROUP BY" in first.sql and "SUM(n)" in second.sql
    assert "4 distinct rows" in str(first)


def test_priors_and_accuracies_need_the_distinct_rows():
    data, options = TOWN.to_pandas().set_index("id"), {"accuracies": 0.9}
    found = tk.cell_information_gain(opened(TOWN), **options)
    pd.testing.assert_frame_equal(found, tk.cell_information_gain(data, **options))
    found, wanted = map(tk.information_factors, (opened(TOWN), data))
    assert found.pif(95) == pytest.approx(wanted.pif(95)) and len(found.rig) == 4
    for options in ({"accuracies": 0.9}, {"unknown": 2}):
        with pytest.raises(ValueError, match="with these arguments needs all"):
            tk.cell_information_gain(opened(TOWN, TINY), **options)


def test_answers_are_returned_within_the_budget_and_written_beyond(tmp_path):
    wanted = tk.record_class_sizes(TOWN.to_pandas().set_index("id"), "town")
    assert tk.record_class_sizes(opened(TOWN), "town").to_dict() == wanted.to_dict()
    table = opened(TOWN, 79)
    with pytest.raises(ValueError, match=r"write_parquet\(function, table, columns, path\)"):
        tk.record_class_sizes(table, "town")
    path = tk.write_parquet(tk.record_class_sizes, table, "town", tmp_path / "k.parquet")
    assert pd.read_parquet(path).set_index("id")["records"].to_dict() == wanted.to_dict()
    assert [file.name for file in tmp_path.iterdir()] == ["k.parquet"]


def test_an_error_leaves_the_file_that_was_there(tmp_path):
    table, path = opened(TOWN), tmp_path / "k.parquet"
    path.write_text("mine")
    for ask, columns in ((tk.record_class_sizes, "twon"), (tk.k_anonymity, "town")):
        with pytest.raises(ValueError):
            tk.write_parquet(ask, table, columns, path)
        assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]
    with pytest.raises(ValueError, match="is a folder; name a file"):
        tk.write_parquet(tk.record_class_sizes, table, "town", tmp_path)
    with pytest.raises(FileNotFoundError):
        tk.write_parquet(tk.record_class_sizes, table, "town", tmp_path / "a" / "k.parquet")


def test_answers_per_record_need_a_key():
    with pytest.raises(ValueError, match="need a key"):
        tk.record_class_sizes(opened(TOWN, key=None), "ill")


def test_files_and_databases_are_opened(folder):
    people, data = open_table(folder / "people", key="id"), TOWN.to_pandas()
    assert people.features == ["town", "ill", "code"] and people.records == 5
    assert people.types["code"] == "VARCHAR"
    one = open_table(folder / "people" / "code=0A" / "p [1].parquet")
    assert one.records == 2 and "code" not in one.features
    base = open_table(folder / "people.duckdb", key="id")
    for table in (people, base):
        assert tk.t_closeness(table, "town", "ill") == tk.t_closeness(data, "town", "ill")
    assert "ill" in repr(base) and "hiv" not in repr([base, base.plans])


def test_a_database_is_opened_read_only_and_runs_nothing(folder):
    path = folder / "people.duckdb"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    table = open_table(path)
    assert tk.k_anonymity(table, "town") == 1, "the macro of the file is not asked"
    run = table.engine.connection.execute
    for sql in ("DELETE FROM file.main.people", f"COPY (SELECT 1) TO '{folder}/x.csv'"):
        with pytest.raises(duckdb.Error):
            run(sql)
    with pytest.raises(duckdb.Error):
        run(f"FROM read_text('{folder}/people.duckdb')")
    for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
        assert run(f"SELECT current_setting('{name}')").fetchall() == [(False,)]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("people.duckdb", {"table": "seen"}, r"there are 'people' \(views are left out"),
        ("people.duckdb", {"table": "x"}, "there is no table 'x'; there are 'people'"),
        ("poeple.duckdb", {}, "Did you mean 'people.duckdb'"),
        ("people", {"key": "idd"}, "Did you mean 'id'"),
        ("people", {"budget": 0}, "budget must be a number in"),
        ("t.csv", {}, "DuckDB failed while opening t.csv: ArrowInvalid"),
        ("empty", {}, "is a folder without a .parquet file"),
        ("linked", {}, "holds a link to a folder"),
        ("some", {}, "DuckDB failed while opening some: .* Hive partition mismatch"),
        ("twice", {}, "column 'town' of .* is a folder, too"),
        ("broken.parquet", {}, "DuckDB failed while opening broken.parquet"),
        ("broken.duckdb", {}, "DuckDB failed while opening broken.duckdb"),
    ],
)
def test_what_is_not_there_is_one_sentence(folder, name, options, reason):
    for broken in ("t.csv", "broken.parquet", "broken.duckdb"):
        (folder / broken).write_text("a,b\n1,2\n" * 999)
    for place in ("empty", "linked", "some/sex=f", "twice/Town=A"):
        (folder / place).mkdir(parents=True)
    (folder / "linked" / "more").symlink_to(folder / "empty")
    for place in ("some", "some/sex=f", "twice/Town=A"):
        pq.write_table(TOWN, folder / place / "p.parquet")
    with pytest.raises((OSError, ValueError, RuntimeError), match=reason) as caught:
        open_table(folder / name, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("SELECT [1, 2] AS town", "of type .* whose cells are not compared"),
        ("SELECT {'a': 1} AS town", "of type .* whose cells are not compared"),
        ("SELECT '10:00:00+01'::TIMETZ AS town", "of type .* whose cells are not compared"),
        ("SELECT 1 AS town LIMIT 0", "has no rows"),
        ("SELECT 'a' COLLATE nocase AS town", "compares text by a collation"),
        ("SELECT 'a' AS town", "compares text by a collation"),
    ],
)
def test_tables_that_cannot_be_measured(rows, reason):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS {rows}")
    if "COLLATE" in rows:
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 1 AS town")
    if "'a' AS" in rows:
        connection.execute("SET default_collation = 'nocase'")
    for metric in (tk.k_anonymity, tk.discernability, lambda t, _: tk.cell_surprise_factor(t)):
        with pytest.raises((TypeError, ValueError), match=reason):
            metric(open_table(connection), "town")


@pytest.mark.parametrize("town", [None, [2.0**53]])
def test_files_of_other_columns_are_refused(tmp_path, town):
    """As floats, 2**53 and 2**53 + 1 would be one town."""
    one = pa.table({"town": [2**53, 2**53 + 1], "ill": ["flu", "hiv"]})
    other = {"ill": ["flu"]} if town is None else {"ill": ["flu"], "town": town}
    pq.write_table(one, tmp_path / "1.parquet")
    pq.write_table(one.select(["ill", "town"]), tmp_path / "2.parquet")
    assert tk.k_anonymity(open_table(tmp_path), "town") == 2, "columns in any order"
    pq.write_table(pa.table(other), tmp_path / "3.parquet")
    with pytest.raises(ValueError, match="'town' is not the same in '3.parquet' and '1"):
        open_table(tmp_path)


def test_no_setting_takes_different_texts_as_equal(tmp_path):
    pq.write_table(pa.table({"town": ["a", "A"]}), tmp_path / "towns.parquet")
    table = open_table(tmp_path / "towns.parquet", default_collation="nocase")
    assert tk.k_anonymity(table, "town") == 1


def test_columns_and_populations_that_do_not_fit():
    table = opened(TOWN, TINY)
    with pytest.raises(ValueError, match="'id' is the key, which is not measured"):
        tk.k_anonymity(table, ["town", "id"])
    with pytest.raises(ValueError, match="Did you mean 'town'"):
        tk.k_anonymity(table, "twon")
    for missing in ("drop", "wildcard", "x"):
        with pytest.raises(ValueError, match=f"missing='{missing}' is for tables in memory"):
            tk.k_anonymity(table, "town", missing=missing)
    with pytest.raises(TypeError, match="a table of the same kind of engine as data"):
        tk.k_map(table, TOWN.to_pandas(), "town")
    with pytest.raises(ValueError, match="no record of 1 of the classes"):
        tk.k_map(opened(TOWN), opened(TOWN.slice(0, 4)), "town")
    found = tk.linkage_candidates(opened(TOWN), opened(TOWN.slice(0, 4)), "town")
    assert found.tolist() == [2, 2, 2, 2, 0], "a register may lack a class"
    with pytest.raises(ValueError, match="write both tables alike|has no record of"):
        tk.k_map(table, opened(TOWN.set_column(0, "town", pa.array(range(5))), TINY), "town")
    with pytest.raises(TypeError, match="where must be a path, a DuckDB connection or"):
        open_table(TOWN.to_pandas())


def test_an_engine_s_error_is_one_sentence_with_its_words_and_no_cell():
    table = opened(TOWN)
    table.engine.connection.execute('DROP TABLE "the people"')
    with pytest.raises(RuntimeError, match="failed while .*: CatalogException: ") as said:
        tk.k_anonymity(table, "town")
    assert "\n" not in str(said.value)
    with pytest.raises(RuntimeError) as said, one_sentence(DuckDB, "counting"):
        duckdb.sql("SELECT CAST('Zebulon 1970-01-01' AS INT)")
        duckdb.sql("SELECT CAST('Zebulon 1970-01-01' AS INT)").fetchall()
    assert "ConversionException" in str(said.value) and "Zebulon" not in str(said.value)
    with pytest.raises(KeyboardInterrupt), one_sentence(DuckDB, "counting"):
        raise KeyboardInterrupt


@BUDGETS
@pytest.mark.parametrize("other", ["ANN", " ann", "a\u200bnn", "ａnn"])
def test_a_person_in_two_spellings_is_not_two_people(budget, other):
    people = pa.table({"town": list("AAB"), "who": ["ann", other, "bob"], "id": range(3)})
    with pytest.raises(ValueError, match="person: .* write equal ones alike"):
        tk.k_anonymity(opened(people, budget), "town", person="who")


@pytest.mark.parametrize(("package", "extra"), [("duckdb", "duckdb"), ("pyarrow", "files")])
def test_without_a_package_the_error_says_what_to_install(package, extra, folder, monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=re.escape(f"dev.py install {extra}")):
        open_table(folder / "people", memory_limit="1GB")


def test_the_commands_read_a_database(folder, capsys):
    path = str(folder / "people.duckdb")
    asked = ["check", path, "--quasi-identifiers=town", "--sensitive=ill"]
    assert main([*asked, "--k", "1"]) == main(["roles", path]) == 0
    assert main([*asked, "--k", "2", "--population", path]) == 1
    assert "hiv" not in capsys.readouterr().out
    assert main([*asked, "--k", "1", "--encoding", "utf-8"]) == 2
    assert main([*asked, "--k", "1", "--sheet", "people"]) == 0
    assert main([*asked, "--k", "1", "--sheet", "others"]) == 2
