"""Tables in DuckDB: the answers of memory, plans that say what was done, one clear error."""

import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

import duckdb
import ibis
import nbformat
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import toolkit as tk
from tests.engines import cases
from tests.engines.cases import AMPLE, KEY, PECULIAR, TINY, arrow_of
from tests.needs import ROOT
from toolkit.__main__ import main
from toolkit._old import attribute, classes as old_classes, identity
from toolkit.datasets import load_adult
from toolkit.engines import distinct as engine_distinct
from toolkit.engines.table import engine_error

# Ibis asks DuckDB by a name that DuckDB has given up.
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

TOWN = pd.DataFrame({"town": list("AABBC"), "ill": ["flu", "hiv", "flu", "flu", "hiv"]})


def both(one, other, budget):
    """Two tables of one DuckDB."""
    connection = ibis.duckdb.connect()
    first = connection.create_table("one", ibis.memtable(arrow_of(one)))
    second = connection.create_table("two", ibis.memtable(arrow_of(other)))
    options = {"key": KEY, "budget": budget}
    return tk.open_table(first, **options), tk.open_table(second, **options)


def opened(data, budget=AMPLE, **options):
    """A table of a DuckDB of its own."""
    return tk.open_table(
        ibis.duckdb.connect().create_table("data", ibis.memtable(arrow_of(data))),
        **{"key": KEY, "budget": budget, **options},
    )


# The same answers


def large(monkeypatch, differ=True):
    """Have small tables treated as large ones, of which most rows differ."""
    monkeypatch.setattr(engine_distinct, "MANY_RECORDS", 1)
    monkeypatch.setattr(engine_distinct, "MANY_DIFFERENT", 0 if differ else 2)


@pytest.fixture(params=["text", "places", "words"])
def grouped_by(request, monkeypatch):
    """Text is grouped as it is, by its place in a list, or sorted as a part of words."""
    if request.param != "text":
        large(monkeypatch, request.param == "words")
    return request.param


@pytest.mark.parametrize(
    "seed", [0, 3, *(pytest.param(seed, marks=pytest.mark.ci) for seed in (1, 2, 4, 5))]
)
def test_random_tables_have_the_answers_of_memory(seed, monkeypatch):
    if seed // 2 % 2:
        large(monkeypatch, differ=seed < 3)
    data = cases.random_table(np.random.default_rng(seed))
    missing = ("category", "drop")[seed % 2]
    for budget in (TINY, AMPLE):
        assert cases.agree(both, data, missing, budget) == [], budget


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6, 206))
def test_many_random_tables_have_the_answers_of_memory(seed, monkeypatch):
    if seed % 2:
        large(monkeypatch, differ=seed % 3 > 0)
    data = cases.random_table(np.random.default_rng(seed))
    for missing in ("category", "drop"):
        for budget in (TINY, AMPLE):
            assert cases.agree(both, data, missing, budget) == [], (missing, budget)


@pytest.mark.parametrize("seed", range(8))
def test_losses_of_two_tables_have_the_answers_of_memory(seed):
    rng = np.random.default_rng(seed)
    assert cases.losses_agree(both, cases.random_table(rng), rng) == []


@pytest.mark.parametrize("kind", PECULIAR)
@pytest.mark.parametrize(
    ("budget", "records"),
    [
        (TINY, 3_000_000),
        pytest.param(AMPLE, 1, marks=pytest.mark.ci),
        pytest.param(TINY, 1, marks=pytest.mark.ci),
        pytest.param(AMPLE, 3_000_000, marks=pytest.mark.ci),
    ],
)
def test_peculiar_cells_have_the_answers_of_memory(kind, budget, records, monkeypatch):
    if records == 1:
        large(monkeypatch)  # words, unless the budget is tiny
    data = pd.DataFrame(PECULIAR[kind])
    groups = ("cells", "numbers", "records")
    assert cases.agree(both, data, "category", budget, groups) == []


@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_adult_has_the_answers_of_memory(budget, grouped_by):
    data = load_adult()[["age", "workclass", "sex", "race", "hours-per-week"]]
    assert cases.agree(both, data, "category", budget, ("numbers",)) == []
    table, few = opened(data, budget), 1e-9
    factors, wanted = tk.information_factors(table), tk.information_factors(data)
    assert np.allclose(factors.fig, wanted.fig, rtol=few)
    assert [factors.pif(n) for n in (5, 50, 95)] == pytest.approx(
        [wanted.pif(n) for n in (5, 50, 95)], rel=few
    )
    cig = cases.frame(tk.cell_information_gain(table), KEY)
    assert np.allclose(cig, tk.cell_information_gain(data), rtol=few, atol=few)


def test_priors_accuracies_and_unknown_cells_have_the_answers_of_memory():
    data = pd.DataFrame({"a": list("xxyyz"), "b": [1, 2, 1, 1, 2], "c": [1, 1, 1, 2, None]})
    options = {"accuracies": {"a": 0.9}, "priors": {"b": {1: 0.5, 2: 0.25, 3: 0.25}}}
    for budget in (TINY * 400, AMPLE):  # the values of a column fit, the rows do not
        table = opened(data, budget)
        for more in ({}, {"unknown": 2}):
            found = tk.cell_information_gain(table, **options, **more)
            wanted = tk.cell_information_gain(data, **options, **more)
            assert cases.same_records(found, wanted, list(data.index))
    with pytest.raises(ValueError, match="values of column 'b' alone exceed it"):
        tk.cell_information_gain(opened(data, TINY), **options)


def test_one_column_and_hierarchies():
    data = pd.DataFrame({"a": [1, 1, 2]})
    for budget in (TINY, AMPLE):
        found = tk.cell_information_gain(opened(data, budget))
        assert cases.same_records(found, tk.cell_information_gain(data), [0, 1, 2])
        tree = [["flu", "lungs"], ["hiv", "blood"], ["cold", "lungs"]]
        t = tk.t_closeness(opened(TOWN, budget), "town", "ill", kind=tree)
        assert t == pytest.approx(tk.t_closeness(TOWN, "town", "ill", kind=tree))
        alpha = tk.alpha_k_anonymity(opened(TOWN, budget), "town", "ill", values="hiv")
        assert alpha == tk.alpha_k_anonymity(TOWN, "town", "ill", values="hiv")


def test_values_of_class_views_come_from_the_engine():
    found = cases.frame(attribute.class_diversity(opened(TOWN, TINY), "town", "ill"))
    wanted = attribute.class_diversity(TOWN, "town", "ill")
    assert found.set_index("town")["commonest"].sort_index().to_dict() == (
        wanted["commonest"].to_dict()
    )
    counts = cases.frame(tk.class_counts(opened(TOWN, TINY), "town", "ill"))
    there = counts.sort_values(["town", "value"]).set_index("town")
    pd.testing.assert_frame_equal(
        there, tk.class_counts(TOWN, "town", "ill"), check_dtype=False
    )


@pytest.mark.parametrize("kind", ["ordered", "equal"])
@pytest.mark.parametrize("pay", [[1, 1, 2, 3, 4], [1, 2, 2, 3, 3], [1, 2, 2, 2, None]])
def test_t_where_a_class_has_the_farthest_value_alone_and_where_none_has(kind, pay):
    data = pd.DataFrame({"town": list("AABBB"), "pay": pd.array(pay, "Int64")})
    t = tk.t_closeness(opened(data, TINY), "town", "pay", kind=kind)
    assert t == pytest.approx(
        attribute.t_closeness_by_class(data, "town", "pay", kind=kind).max()
    )


def test_text_is_compared_by_its_characters_whatever_the_collation(tmp_path):
    strange = ibis.duckdb.connect(default_collation="NOCASE").create_table(
        "t", ibis.memtable(arrow_of(TOWN))
    )
    with pytest.raises(ValueError, match="compares text by the collation 'NOCASE'"):
        tk.k_anonymity(tk.open_table(strange), "town")
    with duckdb.connect(str(tmp_path / "c.duckdb")) as made:
        made.execute("CREATE TABLE t (a VARCHAR COLLATE NOCASE, s VARCHAR COLLATE NOCASE)")
        made.execute("INSERT INTO t VALUES ('a', 'x'), ('A', 'X'), ('b', 'x'), ('b', 'x')")
    data = pd.DataFrame({"a": list("aAbb"), "s": list("xXxx")})
    for budget in (TINY, AMPLE):
        table = tk.open_table(tmp_path / "c.duckdb", budget=budget)
        assert tk.k_anonymity(table, "a") == 1
        assert tk.l_diversity(table, [], "s") == 2
        t = tk.t_closeness(table, "a", "s", kind="equal")
        assert t == pytest.approx(tk.t_closeness(data, "a", "s", kind="equal"))


@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_a_collation_may_come_from_a_view_or_a_question(tmp_path, budget, grouped_by):
    with duckdb.connect(str(tmp_path / "v.duckdb")) as made:
        made.execute(
            "CREATE TABLE plain AS SELECT * FROM (VALUES ('A'), ('a'), ('b')) t(town)"
        )
        made.execute("CREATE VIEW people AS SELECT town COLLATE nocase AS town FROM plain")
    view = tk.open_table(tmp_path / "v.duckdb", table="people", budget=budget)
    asked = "SELECT town COLLATE nocase AS town FROM plain"
    question = view.expression.get_backend().sql(asked, schema={"town": "string"})
    for table in (view, tk.open_table(question, budget=budget)):
        assert tk.k_anonymity(table, "town") == 1
        assert tk.discernability(table, "town") == 3


@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_cells_without_a_type_of_their_own_are_text(budget, grouped_by):
    connection = ibis.duckdb.connect()
    connection.con.execute(
        "CREATE TABLE data AS SELECT i AS id, CASE i % 2 WHEN 0 THEN 1::VARIANT ELSE"
        " 'x'::VARIANT END AS any, ('{\"a\": ' || (i % 2) || '}')::JSON AS json"
        " FROM range(4) t(i)"
    )
    table = tk.open_table(connection.table("data"), key="id", budget=budget)
    for column in ("any", "json"):
        sizes = cases.frame(tk.record_class_sizes(table, column), "id")
        assert sizes["records"].tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("budget", [TINY, AMPLE])
@pytest.mark.parametrize(
    ("key", "ask", "entries"),
    [
        ("records", tk.record_class_sizes, [2, 2, 1]),
        ("prosecutor", identity.record_risks, [0.5, 0.5, 1]),
    ],
)
def test_a_key_may_have_the_name_of_a_number(budget, key, ask, entries):
    data = pd.DataFrame({key: [7, 8, 9], "town": list("AAB")})
    there = ibis.duckdb.connect().create_table(
        "data", ibis.memtable(pa.Table.from_pandas(data))
    )
    found = cases.frame(ask(tk.open_table(there, key=key, budget=budget), "town"), key)
    assert found.index.tolist() == [7, 8, 9]
    assert found[f"{key}_"].tolist() == entries


# Where tables come from


def test_a_folder_without_parquet_is_refused(tmp_path):
    tmp_path.joinpath("people.csv").write_text("town,ill\nA,flu\n")
    for folder in (tmp_path, str(tmp_path)):
        with pytest.raises(FileNotFoundError, match="without a .parquet file") as refused:
            tk.open_table(folder)
        assert f"'{tmp_path.name}/*.csv'" in str(refused.value)
    assert tk.k_anonymity(tk.open_table(tmp_path / "*.csv"), "town") == 1


def test_files_folders_patterns_and_databases(tmp_path):
    arrow = arrow_of(TOWN)
    folder = tmp_path / "parts"
    folder.mkdir()
    pa.parquet.write_table(arrow.slice(0, 3), folder / "1.parquet")
    pa.parquet.write_table(arrow.slice(3), folder / "2.parquet")
    TOWN.to_csv(tmp_path / "town.csv", index_label=KEY)
    with duckdb.connect(str(tmp_path / "town.duckdb")) as made:
        made.register("there", arrow)
        made.execute("CREATE TABLE town AS FROM there")
    wanted = tk.k_anonymity(TOWN, "town")
    for where in ("parts", "parts/*.parquet", "parts/1.parquet", "town.csv", "town.duckdb"):
        table = tk.open_table(tmp_path / where, key=KEY, memory_limit="1GB")
        assert table.records in (3, 5) and table.engine == "duckdb"
        assert tk.k_anonymity(table, "town") == wanted
    everyone = tk.open_table(folder, key=KEY, budget=TINY)
    some = tk.open_table(folder / "1.parquet", key=KEY, budget=TINY, beside=everyone)
    assert tk.k_map(some, everyone, "town") == 2
    same = tk.open_table(tmp_path / "town.duckdb", beside=everyone, budget=TINY)
    again = tk.open_table(tmp_path / "town.duckdb", beside=same, budget=TINY)
    assert tuple(tk.delta_presence(again, same, "town")) == (1, 1)


def test_a_lazy_frame_that_fails_says_so_in_one_line():
    lazy = polars.LazyFrame({"town": ["A"]}).select(polars.col("city"))
    with pytest.raises(ValueError, match='unable to find column "city"') as refused:
        tk.k_anonymity(lazy, "town")
    assert str(refused.value).startswith("data: Polars could not compute the LazyFrame")
    assert "\n" not in str(refused.value) and "collect()" in str(refused.value)


@pytest.mark.parametrize("lacks", [False, True])
@pytest.mark.parametrize(
    "kind", [polars.Categorical, polars.Enum(["c", "a", "b"]), pa.uint8(), pa.int32()], ids=str
)
def test_codes_of_polars_and_arrow_are_read(kind, lacks):
    towns = ["a", "b", None if lacks else "a", "b", "c"]
    if isinstance(kind, pa.DataType):
        place = pa.array([None if town is None else "cab".index(town) for town in towns], kind)
        towns = pa.DictionaryArray.from_arrays(place, ["c", "a", "b"])
        data = pa.table({"town": towns, "ill": [1, 2, 1, 2, 1]})
    else:
        data = polars.DataFrame(
            {"town": polars.Series(towns, dtype=kind), "ill": [1, 2] * 2 + [1]}
        )
    sizes = {key: int(n) for key, n in tk.class_sizes(data, "town").items() if key == key}
    assert sizes == ({"a": 1, "b": 2, "c": 1} if lacks else {"a": 2, "b": 2, "c": 1})
    classes = old_classes.equivalence_classes(data, "town", "ill")
    assert classes.sizes.tolist() == ([1, 2, 1, 1] if lacks else [2, 2, 1])
    assert "CategoricalIndex" in repr(classes)


@pytest.mark.parametrize("kind", ["DataFrame", "LazyFrame", "Table", "RecordBatch", "dataset"])
def test_polars_and_arrow_at_every_door(kind):
    data = pd.DataFrame({"town": list("AABB"), "age": [1, 2, 2, 2], "ill": list("xyxx")})
    arrow = pa.Table.from_pandas(data, preserve_index=False)
    other = {
        "DataFrame": polars.from_pandas(data),
        "LazyFrame": polars.from_pandas(data).lazy(),
        "Table": arrow,
        "RecordBatch": arrow.to_batches()[0],
        "dataset": pa.dataset.dataset(arrow),
    }[kind]
    q, s, m = ["town", "age"], "ill", "category"
    for ask in cases.CELLS.values():
        assert np.allclose(np.array(ask(other)), np.array(ask(data)))
    for ask in cases.NUMBERS.values():
        assert cases.same(ask(other, other, q, s, m), ask(data, data, q, s, m))
    for ask in cases.RECORDS.values():
        assert cases.close(
            cases.frame(ask(other, other, q, m)), cases.frame(ask(data, data, q, m))
        )
    for ask in cases.SUBSETS.values():
        pd.testing.assert_frame_equal(ask(other, q, m), ask(data, q, m))
    tree = {"town": [["A", "*"], ["B", "*"]]}
    for ask in cases.LOSSES.values():
        assert ask(other, other, tree) == ask(data, data, tree)
    assert tk.release_kl_divergence(other, other, q) == 0
    assert tk.entropy(other) == tk.entropy(data)
    assert tk.mutual_information_table(other).equals(tk.mutual_information_table(data))
    assert tk.suda_uniques(other, q).scores.tolist() == (
        tk.suda_uniques(data, q).scores.tolist()
    )
    assert tk.check_privacy(other, q, s, k=1).satisfied
    assert tk.context_sizes(other).equals(tk.context_sizes(data))


def test_an_expression_of_ibis_is_a_table():
    data = ibis.memtable(pa.Table.from_pandas(TOWN))
    assert tk.k_anonymity(data, "town") == 1
    assert tk.k_anonymity(data.filter(data.town != "C"), "town") == 2
    assert tk.check_privacy(data, "town", "ill", k=1).satisfied
    with pytest.raises(ValueError, match="needs a key; name the column"):
        tk.cell_information_gain(data)


def test_a_report_of_a_table_in_an_engine():
    for budget in (AMPLE,):
        table = opened(TOWN, budget)
        found = tk.check_privacy(table, "town", "ill", k=2, t=0.5)
        wanted = tk.check_privacy(TOWN, "town", "ill", k=2, t=0.5)
        pd.testing.assert_frame_equal(found.table, wanted.table)
        assert found.facts == wanted.facts
        marks = cases.frame(found.violations("k_anonymity"), KEY)
        assert marks.iloc[:, 0].tolist() == wanted.violations("k_anonymity").tolist()
        assert tk.assert_privacy(table, "town", k=1).satisfied
    with pytest.raises(AssertionError, match="k_anonymity is 1, but must be at least 2"):
        tk.assert_privacy(opened(TOWN), "town", k=2)
    large = opened(TOWN, TINY)
    for ask in (
        lambda: tk.check_privacy(large, "town", k=2, missing="wildcard"),
        lambda: old_classes.sensitive_tables(large, "town", "ill"),
        lambda: old_classes.equivalence_classes(large, "town"),
        lambda: tk.k_anonymity(large, "town", missing="wildcard"),
        lambda: tk.individual_risk(large, "town", fraction=0.1),
        lambda: tk.suda_uniques(large, "town"),
    ):
        with pytest.raises(ValueError, match="budget: .* needs the class table in memory, ab"):
            ask()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", ["category", "drop"])
def test_a_report_of_a_table_that_stays_is_the_same(seed, missing):
    data = cases.random_table(np.random.default_rng(seed))
    more = {} if missing == "drop" else cases.OF_PEOPLE
    assert cases.reports_agree(both, data, missing, **more) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3, 53))
def test_reports_of_many_tables_that_stay_are_the_same(seed):
    data = cases.random_table(np.random.default_rng(seed))
    for missing in ("category", "drop"):
        more = {} if missing == "drop" else cases.OF_PEOPLE
        assert cases.reports_agree(both, data, missing, **more) == [], missing


@pytest.mark.parametrize("several", ["separate", "as quasi-identifier", "joint"])
def test_a_report_of_several_sensitive_columns_that_stays(several):
    data = TOWN.assign(pay=[1.0, 2.0, 2.0, 3.0, 1.0], sex=list("ffmmf"))
    kind = "auto" if several == "joint" else {"pay": "ordered"}
    asked = {"sensitive": ["ill", "pay"], "several": several, "kind": kind, "k": 2, "t": 0.2}
    found = tk.check_privacy(opened(data, TINY), ["town", "sex"], **asked)
    wanted = tk.check_privacy(opened(data), ["town", "sex"], **asked)
    pd.testing.assert_frame_equal(found.table, wanted.table)
    assert found.facts == wanted.facts
    assert (
        found.satisfied is tk.check_privacy(data, ["town", "sex"], **asked).satisfied is False
    )


def test_a_report_needs_no_key_until_records_are_marked(tmp_path):
    found = tk.check_privacy(opened(TOWN, TINY, key=None), "town", "ill", k=2)
    assert {"k_anonymity", "t_closeness"} < set(found.table["metric"])
    with pytest.raises(ValueError, match="needs a key; name the column that tells rows apart"):
        found.violations("k_anonymity")
    with pytest.raises(AssertionError, match="k_anonymity is 1, .* .worst class: C; 1 row"):
        tk.assert_privacy(opened(TOWN, TINY), "town", k=2)
    tree = [["flu", "lungs"], ["hiv", "blood"]]
    stays, back = (
        tk.check_privacy(opened(TOWN, budget), [], "ill", kind=tree, c=2).table
        for budget in (TINY, AMPLE)
    )
    pd.testing.assert_frame_equal(stays, back)
    with pytest.raises(ValueError, match="population: .* both tables must be in one engine"):
        tk.check_privacy(opened(TOWN, TINY), "town", population=TOWN, k_map=1)


def whole_numbers(rng):
    """Columns of whole numbers and truths, some cells missing, in some columns all."""
    rows, columns = int(rng.integers(1, 60)), {}
    for j in range(rng.integers(1, 5)):
        kind = rng.choice(["int8", "uint8", "int16", "int32", "uint32", "int64", "bool"])
        low, high = rng.choice([(0, 1), (-3, 3), (-128, 127), (1000, 1003), (-(10**6), 5)])
        if kind != "bool":
            low, high = np.clip([low, high], np.iinfo(kind).min, np.iinfo(kind).max)
        cells = pa.array(rng.integers(low, high, rows, endpoint=True), pa.int64())
        cells = pa.array(cells.to_numpy() % 2 == 1) if kind == "bool" else cells.cast(kind)
        lacks = rng.random(rows) < rng.choice([0, 0.2, 1], p=[0.6, 0.3, 0.1])
        columns[f"c{j}"] = pa.array(
            cells.to_numpy(zero_copy_only=False), cells.type, mask=lacks
        )
    return pa.table(columns)


def counts_of(table, columns):
    """Records of each row of cells, as the engine found them, and how it did."""
    counted = engine_distinct.count_distinct_rows(table, columns)
    rows = [tuple(row.values()) for row in counted.counted.to_pyarrow().to_pylist()]
    return {row[:-1]: row[-1] for row in rows}, counted


def counted_rows(table):
    return dict(Counter(tuple(row.values()) for row in table.to_pylist()))


@pytest.mark.parametrize("seed", range(40))
def test_whole_numbers_of_a_large_table_are_counted_as_words(seed, monkeypatch):
    """Exact: no test of chance."""
    large(monkeypatch)
    data = whole_numbers(np.random.default_rng(seed))
    stored = ibis.duckdb.connect().create_table("data", ibis.memtable(data))
    found, counted = counts_of(tk.open_table(stored), data.column_names)
    assert counted.counts.backend is not None, "as words"
    assert found == counted_rows(data)
    kept = counted.counts.kept.schema()
    assert {name: kept[name] for name in data.column_names} == dict(stored.schema())
    words, grouped = (tk.open_table(stored) for _ in range(2))
    here = engine_distinct.count_distinct_rows(words, data.column_names).bring()
    monkeypatch.setattr(engine_distinct, "MANY_RECORDS", 10**9)
    there = engine_distinct.count_distinct_rows(grouped, data.column_names).bring()
    assert here.records.tolist() == there.records.tolist()
    pd.testing.assert_frame_equal(here.frame, there.frame)
    for one, other in zip(here.cells.values, there.cells.values, strict=True):
        pd.testing.assert_index_equal(one, other)


@pytest.mark.parametrize(
    ("columns", "as_words"),
    [
        ({"a": [2**61 - 2, -1, None], "b": [False, True, True]}, False),
        ({"a": [2**61, 0, None]}, True),
        ({"a": [2**62 - 2, 0, None], "b": [0, 0, None]}, True),
        ({"a": [2**62 - 1, 0, None], "b": [0, 0, None]}, False),  # 63 bits, and 1
        ({"a": [-(2**62), 2**62 - 2]}, True),
        ({"a": [-(2**62), None]}, True),
        ({"a": [-(2**62) - 1, None]}, False),
        ({"a": [-(2**63), 2**63 - 1]}, False),
        ({"a": pa.array([2**64 - 1, 0], pa.uint64())}, False),
        ({"a": [1, 2], "b": [0.5, 1]}, False),
    ],
)
def test_what_fits_no_word_is_grouped_by_the_engine(columns, as_words, monkeypatch):
    large(monkeypatch)
    data = pa.table(columns)
    stored = ibis.duckdb.connect().create_table("data", ibis.memtable(data))
    found, counted = counts_of(tk.open_table(stored), data.column_names)
    assert found == counted_rows(data)
    assert (counted.counts.backend is not None) == as_words


def test_records_beyond_the_budget_are_not_sorted_here(monkeypatch):
    large(monkeypatch)
    data = pa.table({"a": [1017, 1090, None] * 4})
    stored = ibis.duckdb.connect().create_table("data", ibis.memtable(data))
    most = 12 * engine_distinct.BYTES_PER_WORD
    for budget, as_words in ((most, True), (most - 1, False)):
        found, counted = counts_of(tk.open_table(stored, budget=budget), ["a"])
        assert found == {(1017,): 4, (1090,): 4, (None,): 4}
        assert (counted.counts.backend is not None) == as_words
        assert "1017" not in counted.counts.sql and "1090" not in counted.counts.sql


def test_words_that_exceed_the_budget_as_classes_go_to_the_engine(monkeypatch):
    ages, ills = np.arange(60) * 58 // 60 + 1000, np.arange(60) % 3
    data = pd.DataFrame({"age": ages, "ill": ills})
    large(monkeypatch)
    table = opened(data, budget=len(data) * engine_distinct.BYTES_PER_WORD)
    assert tk.k_anonymity(table, ["age"]) == tk.k_anonymity(data, ["age"])
    assert tk.t_closeness(table, ["age"], "ill") == tk.t_closeness(data, ["age"], "ill")
    assert table.plans[-1].way == "in the engine"
    sizes = cases.frame(tk.class_sizes(table, ["age"])).set_index("age")["records"]
    assert sizes.sort_index().to_dict() == tk.class_sizes(data, ["age"]).to_dict()


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("INSERT INTO data VALUES (7, 7)", {(0, 0): 1, (1, 1): 1, (7, 7): 1}),
        (
            "INSERT INTO data VALUES (-1 - 2**62, 1)",
            {(0, 0): 1, (1, 1): 1, (-1 - 2**62, 1): 1},
        ),
        (
            f"INSERT INTO data VALUES ({2**63 - 1}, 1)",
            {(0, 0): 1, (1, 1): 1, (2**63 - 1, 1): 1},
        ),
        ("DELETE FROM data WHERE a = 1", {(0, 0): 1}),
    ],
)
def test_what_is_written_meanwhile_is_counted_by_the_engine(written, wanted, monkeypatch):
    large(monkeypatch)
    connection = ibis.duckdb.connect()
    data = connection.create_table("data", ibis.memtable(pa.table({"a": [0, 1], "b": [0, 1]})))
    ask, asked = engine_distinct._fields, []

    def before(cells):
        fields = ask(cells)
        if not asked:
            connection.con.execute(written.replace("2**62", str(2**62)))
        asked.append(fields)
        return fields

    monkeypatch.setattr(engine_distinct, "_fields", before)
    found, counted = counts_of(tk.open_table(data), ["a", "b"])
    assert counted.counts.backend is None
    assert found == wanted


def test_words_that_the_engine_cannot_keep_are_not_lost(monkeypatch):
    """Out of memory when it is given the rows: one error, no leftover, and the next call."""
    large(monkeypatch)
    connection = ibis.duckdb.connect()
    rows = "SELECT i AS a, i % 7 AS b FROM range(100000) r(i)"
    connection.con.execute(f"CREATE TABLE data AS {rows}")
    budget = 100_000 * engine_distinct.BYTES_PER_WORD
    table = tk.open_table(connection.table("data"), budget=budget)
    create = type(connection).create_table

    def full(self, name, *args, **options):
        create(self, name, *args, **options)
        raise duckdb.OutOfMemoryException("full")

    with monkeypatch.context() as patch:
        patch.setattr(type(connection), "create_table", full)
        with pytest.raises(MemoryError, match="duckdb"):
            tk.l_diversity(table, ["a"], "b")
    there = connection.con.execute("SHOW ALL TABLES").fetchall()
    assert [row[2] for row in there if row[2] != "data"] == []
    assert tk.l_diversity(table, ["a"], "b") == 1
    connection.disconnect()
    with pytest.raises(ConnectionError, match="open the connection again"):
        tk.t_closeness(table, ["b"], "a")


@pytest.mark.parametrize("cells", [["a", "b"], [1, 2], [0.5, None]])
def test_a_column_may_be_called_self(cells, monkeypatch):
    large(monkeypatch)
    data = pd.DataFrame({"self": cells, "n": [1, 1]})
    for budget in (TINY, AMPLE):
        assert cases.agree(both, data, "category", budget) == []


def test_few_different_rows_are_grouped_by_the_engine(monkeypatch):
    large(monkeypatch)
    monkeypatch.setattr(engine_distinct, "MANY_DIFFERENT", 0.6)
    for last, as_words in ((3, False), (4, True)):  # 2 of 4 rows differ, 3 of 4
        data = pa.table({"a": [1, 2, 2, 2 + last // 4]})
        stored = ibis.duckdb.connect().create_table("data", ibis.memtable(data))
        _, counted = counts_of(tk.open_table(stored), ["a"])
        assert (counted.counts.backend is not None) == as_words


# Plans


def test_plans_say_which_way_and_why(capsys):
    table = opened(TOWN, "1 MB", explain=True)
    tk.t_closeness(table, "town", "ill")
    [plan] = table.plans
    assert (plan.way, plan.why) == ("in memory", "the class table fits the budget")
    assert (plan.records, plan.classes, plan.budget) == (5, 4, 1_000_000)
    assert plan.bytes == 4 * 3 * engine_distinct.BYTES_PER_CELL
    assert "GROUP BY" in plan.sql and '"town"' in plan.sql
    shown = capsys.readouterr().out
    assert "in memory: the class table fits the budget" in shown
    asked_for = "5 records, 4 distinct rows of the columns asked for"
    assert f"{asked_for}, about 480 bytes; the budget is 1 MB" in shown
    large = opened(TOWN, "479 B", explain=True)
    tk.t_closeness(large, "town", "ill")
    shown = capsys.readouterr().out
    assert "in the engine: the class table exceeds the budget" in shown
    assert "about 480 bytes; the budget is 479 bytes" in shown and "MAX(" in shown
    assert {plan.way for plan in large.plans} == {"in the engine"}
    assert "sample" not in shown.lower()


def test_every_question_has_a_plan_that_is_shown(capsys):
    for budget, way in ((TINY, "in the engine"), (AMPLE, "in memory")):
        sample, people = both(TOWN, TOWN, budget)
        questions = [
            lambda d, p=people: tk.delta_presence(d, p, "town"),
            lambda d, p=people: tk.class_presence(d, p, "town"),
            lambda d: tk.check_privacy(d, "town", "ill", k=1),
            tk.cell_information_gain,
        ]
        for ask in questions:
            table = tk.open_table(sample.expression, key=KEY, budget=budget, explain=True)
            ask(table)
            assert {plan.way for plan in table.plans} == {way}
            shown = capsys.readouterr().out
            assert shown.count(f"{way}: the class table") == len(table.plans) > 0
            assert "SELECT" in shown


def test_results_of_records_are_expressions_that_parquet_takes(tmp_path):
    for budget in (TINY, AMPLE):
        gains = tk.cell_information_gain(opened(TOWN, budget))
        path = tk.write_parquet(gains, tmp_path / "gains.parquet")
        found = pd.read_parquet(path).set_index(KEY).sort_index()
        assert np.allclose(found, tk.cell_information_gain(TOWN))
    assert [one.name for one in tmp_path.iterdir()] == ["gains.parquet"]


# Nothing piles up


def test_what_metrics_show_the_engine_goes_with_their_answers():
    opened = []

    def there():
        return opened[0].con.execute("SHOW ALL TABLES").fetchall()

    def open_both(*asked):
        tables = both(*asked)
        opened.append(tables[0].expression.get_backend())
        opened.append(there())
        return tables

    data = cases.random_table(np.random.default_rng(3))
    assert cases.agree(open_both, data, "category", TINY) == []
    assert there() == opened[1]


def test_the_garbage_collector_takes_no_answer_away():
    """DuckDB forgets what is left of an answer when it is asked something else."""
    connection = ibis.duckdb.connect()

    def there():
        return connection.con.execute("SELECT count(*) FROM duckdb_tables()").fetchone()[0]

    town = connection.create_table("town", ibis.memtable(pa.table({"town": list("AAB")})))
    table = tk.open_table(town, budget=TINY)
    assert tk.k_anonymity(table, "town") == 1 and there() > 1
    circle = [table]
    circle.append(circle)
    gc.disable()
    try:
        del table, circle
        asked = connection.con.execute("SELECT * FROM range(100_000)")
        assert asked.fetchmany(2) == [(0,), (1,)]
        assert gc.collect()
        assert len(asked.fetchall()) == 99_998
    finally:
        gc.enable()
    assert there() > 1
    assert tk.k_anonymity(tk.open_table(town), "town") == 1
    assert there() == 1, "what the collector found went with the next question"


def test_counts_are_freed_with_their_table_and_do_not_pile_up():
    connection = ibis.duckdb.connect()

    def there():
        asked = "SELECT count(*) FROM duckdb_tables() WHERE temporary"
        return connection.con.execute(asked).fetchall()[0][0]

    data = pd.DataFrame(
        np.random.default_rng(0).integers(0, 9, (200, 6)), columns=list("abcdef")
    )
    expression = connection.create_table("data", ibis.memtable(pa.Table.from_pandas(data)))
    table = tk.open_table(expression, budget=TINY)
    for columns in ("ab", "bc", "cd", "de", "ef", "abc", "bcd"):
        tk.t_closeness(table, list(columns[:-1]), columns[-1])
    # Of those that exceed the budget the last two are kept, each with its classes beside it.
    assert there() <= 4
    sizes = tk.class_sizes(table, ["a", "f"])
    tk.k_anonymity(table, ["b", "c", "d", "e"])
    tk.k_anonymity(table, ["c", "d", "e", "f"])
    tk.k_anonymity(table, ["d", "e", "f", "a"])
    assert len(cases.frame(sizes)) == len(tk.class_sizes(data, ["a", "f"]))
    del sizes, table
    assert there() == 0
    rows = engine_distinct.bytes_of_rows(
        len(data.drop_duplicates(["a", "b", "c"])), ["a", "b", "c"]
    )
    table = tk.open_table(expression, budget=3 * rows)
    for columns in ("abc", "bcd", "cde", "def", "efa", "fab"):
        tk.k_anonymity(table, list(columns))
    assert 1 < there() <= 3
    assert tk.k_anonymity(table, ["f"]) == tk.k_anonymity(data, ["f"])  # of wider counts
    del table
    assert there() == 0


# Bad input: one clear error


def test_columns_that_are_not_there():
    table = opened(TOWN)
    for ask in (
        lambda: tk.k_anonymity(table, "twon"),
        lambda: tk.t_closeness(table, "town", "il"),
        lambda: tk.open_table(table.expression, key="idd"),
        lambda: tk.k_map(table, opened(TOWN[["ill"]]), "town"),
    ):
        with pytest.raises(ValueError, match="no column|there is no|columns are"):
            ask()


def test_the_key_is_not_measured():
    table = opened(pd.DataFrame({"town": ["A", "B"], "ill": ["flu", "flu"], KEY: [1, 2]}))
    for ask in (
        lambda: tk.k_anonymity(table, ["town", KEY]),
        lambda: tk.l_diversity(table, "town", KEY),
        lambda: tk.check_privacy(table, "town", KEY),
        lambda: tk.check_privacy(table, "town", ["ill", KEY]),
    ):
        with pytest.raises(ValueError, match="is the key, which names each row"):
            ask()


def test_a_table_in_an_engine_shows_no_cell_of_it():
    table = opened(pd.DataFrame({"name": ["Xanthippe", "Yvo"], KEY: [7531, 7532]}))
    for shown in (repr(table), repr(tk.cell_information_gain(table))):
        assert "Xanthippe" not in shown and "7531" not in shown
        assert "duckdb" in shown and "'name'" in shown and repr(KEY) in shown


def test_keys_that_do_not_name_rows():
    with pytest.raises(ValueError, match="needs a key; name the column that tells rows apart"):
        tk.record_class_sizes(opened(TOWN, key=None, budget=TINY), "town")
    twice = opened(TOWN.assign(again=[1, 1, 2, 3, 4], gone=[1, 2, 3, 4, None]))
    for budget in (TINY, AMPLE):
        for key, said in (("again", "4 values on 5 rows"), ("gone", "missing in 1 of 5 rows")):
            table = tk.open_table(twice.expression, key=key, budget=budget)
            with pytest.raises(ValueError, match=said):
                tk.cell_information_gain(table)
            with pytest.raises(ValueError, match=said):
                tk.record_class_sizes(table, "town")


def test_no_rows_and_nothing_left():
    none = opened(TOWN.iloc[:0])
    for ask in (
        lambda: tk.k_anonymity(none, "town"),
        lambda: tk.k_anonymity(none, []),
        lambda: tk.cell_information_gain(none),
        lambda: none.records,
    ):
        with pytest.raises(ValueError, match="data has no rows"):
            ask()
    gone = TOWN.assign(town=pd.Series([None] * 5, dtype=object))
    for budget in (TINY, AMPLE):
        with pytest.raises(ValueError, match="leaves no row: each of the 5 rows lacks"):
            tk.k_anonymity(opened(gone, budget), "town", missing="drop")


@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_records_that_are_left_out_are_warned_of(budget):
    some = TOWN.assign(town=["A", "A", None, "B", None])
    with pytest.warns(UserWarning, match="missing='drop' leaves out 2 of 5 rows"):
        assert tk.k_anonymity(opened(some, budget), "town", missing="drop") == 1


def test_populations_that_do_not_fit_their_table():
    sample, people = both(TOWN, TOWN.iloc[:4], TINY)
    with pytest.raises(ValueError, match=r"(?s)no record of 1 of the classes of data\..*'C'"):
        tk.k_map(sample, people, "town")
    with pytest.raises(ValueError, match=r"(?s)more records than the population in 1 .*'B'"):
        tk.delta_presence(*both(TOWN.iloc[:4], TOWN.drop(3), TINY), "town")
    for elsewhere in (TOWN, opened(TOWN, TINY), opened(TOWN)):
        with pytest.raises(ValueError, match="both tables must be in one engine"):
            tk.k_map(sample, elsewhere, "town")
    assert tk.k_map(opened(TOWN), TOWN, "town") == tk.k_map(TOWN, opened(TOWN), "town") == 1


def test_treated_tables_that_do_not_fit_their_original():
    tree = {"town": [["A", "*"], ["B", "*"], ["C", "*"]]}
    with pytest.raises(ValueError, match="treated must hold the rows of original, by their k"):
        tk.generalisation_precision(*both(TOWN, TOWN.iloc[:4], AMPLE), tree)
    with pytest.raises(ValueError, match="must both be tables of one engine, or both in mem"):
        tk.generalisation_precision(opened(TOWN), TOWN, tree)
    with pytest.raises(ValueError, match="must both be tables of one engine"):
        tk.generalisation_precision(
            opened(TOWN), opened(TOWN), tree
        )  # two connections to memory
    with pytest.raises(ValueError, match="budget: the divergence of a release needs the cl"):
        tk.release_kl_divergence(*both(TOWN, TOWN, TINY), "town")


def test_names_that_differ_in_capitals_only():
    names = ibis.memtable(pa.table({"town": ["A"], "Town": ["B"], "id": [1]}))
    for ask in (lambda: tk.open_table(names), lambda: tk.k_anonymity(names, "town")):
        with pytest.raises(
            ValueError, match="columns 'town' and 'Town' differ in capitals on"
        ):
            ask()


def test_cells_that_cannot_be_compared():
    nested = opened(TOWN).expression.mutate(both=ibis.array([1, 2]))
    with pytest.raises(TypeError, match="column 'both' holds .* cells, which cannot be comp"):
        tk.k_anonymity(tk.open_table(nested), "both")
    connection = ibis.duckdb.connect()
    connection.con.execute("CREATE TABLE data AS SELECT '101'::BIT AS b, INTERVAL 3 DAY AS i")
    for column, what in (("b", "cells of a type unknown here"), ("i", "spans of time")):
        message = f"columns: column '{column}' holds {what}; make numbers or text of it in the"
        with pytest.raises(TypeError, match=message):
            tk.k_anonymity(tk.open_table(connection.table("data")), column)


def test_settings_that_are_none():
    for budget in (0, -1, "much", "5 apples", True, None):
        with pytest.raises(ValueError, match="budget must be a number of bytes, or text such"):
            opened(TOWN, budget)
    for where in (TOWN, 7, None):
        with pytest.raises(TypeError, match="where must be a path, an ibis Table or a Spark"):
            tk.open_table(where)
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
        tk.open_table("nowhere.parquet")
    with pytest.raises(TypeError, match="beside must be a table that open_table returned"):
        tk.open_table("nowhere.parquet", beside=TOWN)
    with pytest.raises(ValueError, match="beside: the connection is open already"):
        tk.open_table("nowhere.parquet", beside=opened(TOWN), memory_limit="1GB")
    with pytest.raises(ValueError, match="weights: the rows of an engine have no order"):
        tk.cell_information_gain(opened(TOWN), weights=[1] * 5)
    with pytest.raises(TypeError, match="what lives in an engine this function does not ask"):
        tk.entropy(opened(TOWN))
    with pytest.raises(TypeError, match="there is no threshold 'K'. Did you mean 'k'?"):
        tk.assert_privacy(TOWN, "town", K=5)


def test_databases_of_several_tables_and_files_that_are_none(tmp_path):
    with duckdb.connect(str(tmp_path / "two.duckdb")) as made:
        made.execute("CREATE TABLE a AS SELECT 1 AS x; CREATE TABLE b AS SELECT 1 AS x")
    with pytest.raises(
        ValueError, match="the database has 2 tables \\('a', 'b'\\); say which"
    ):
        tk.open_table(tmp_path / "two.duckdb")
    with pytest.raises(ValueError, match="there is no table 'c'; the tables are 'a', 'b'"):
        tk.open_table(tmp_path / "two.duckdb", table="c")
    (tmp_path / "no.parquet").write_text("no table")
    with pytest.raises(ValueError, match="no.parquet' cannot be read as Parquet"):
        tk.open_table(tmp_path / "no.parquet")


def test_a_lost_connection_is_one_clear_error():
    table = opened(TOWN, TINY)
    assert tk.k_anonymity(table, "town") == 1
    table.expression.get_backend().disconnect()
    for ask in (
        lambda: tk.k_anonymity(table, "ill"),
        lambda: tk.t_closeness(table, "town", "ill"),
        lambda: tk.k_anonymity(table, "town"),
    ):
        with pytest.raises(ConnectionError, match="open the connection again and repeat"):
            ask()


def test_a_full_disk_is_one_clear_error_and_leaves_no_file(tmp_path):
    connection = ibis.duckdb.connect(
        memory_limit="80MB",
        temp_directory=str(tmp_path / "spill"),
        max_temp_directory_size="1MB",
        threads=1,
    )
    rows = (
        "SELECT i AS k, md5(i::VARCHAR) AS a, md5((i * 7)::VARCHAR) AS b"
        " FROM range(400000) r(i)"
    )
    file = tmp_path / "rows.parquet"
    connection.con.execute(f"COPY ({rows}) TO '{file}' (FORMAT parquet)")
    table = tk.open_table(connection.read_parquet(file), key="k", budget=TINY)
    with pytest.raises((OSError, MemoryError), match="temp_directory"):
        tk.write_parquet(tk.cell_information_gain(table), tmp_path / "gains.parquet")
    connection.con.execute("SET memory_limit = '8MB'")
    with pytest.raises((OSError, MemoryError), match="temp_directory"):
        tk.check_privacy(table, "a", "b", k=2)
    connection.con.execute("SET memory_limit = '1GB'")  # the same connection, with room
    assert tk.l_diversity(table, "a", "b") == 1
    assert {one.name for one in tmp_path.iterdir()} <= {"rows.parquet", "spill"}


@pytest.mark.parametrize(
    ("said", "kind", "way"),
    [
        (
            "Out of Memory: max_temp_directory_size, disk space used",
            OSError,
            "free disk space",
        ),
        ("java.io.IOException: No space left on device", OSError, "free disk space"),
        ("Out of Memory Error: could not allocate block", MemoryError, "memory_limit"),
        ("java.lang.OutOfMemoryError: Java heap space", MemoryError, "memory_limit"),
        ("Connection already closed!", ConnectionError, "open the connection again"),
        ("Cannot call methods on a stopped SparkContext", ConnectionError, "open the conn"),
        ("something else\nand more", RuntimeError, "(Exception); ask the engine itself"),
        (
            "An error occurred while calling o1.x.\n: E: no such master\n"
            "\tat py4j.ClientServerConnection.run(ClientServerConnection.java:108)",
            RuntimeError,
            "(Exception); ask the engine itself, whose own words could show cells.",
        ),
    ],
)
def test_what_an_engine_says_is_one_line(said, kind, way):
    error = engine_error("duckdb", "counting", Exception(said))
    assert type(error) is kind and way in str(error) and "while counting" in str(error)
    assert "\n" not in str(error)


def test_each_engine_has_its_own_names_of_settings():
    for said, name in (
        ("No space left", "spark.local.dir"),
        ("Out of Memory", "spark.driver.m"),
    ):
        assert name in str(engine_error("pyspark", "counting", Exception(said)))


INTERRUPTED = [
    KeyboardInterrupt(),
    duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
    RuntimeError("Query interrupted"),
]
FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "error", [*INTERRUPTED, FULL], ids=["Ctrl-C", "in DuckDB", "in its writer", "full disk"]
)
@pytest.mark.parametrize("old", [False, True])
def test_no_half_file_is_left(tmp_path, monkeypatch, error, old):
    target = tmp_path / "gains.parquet"
    if old:
        target.write_text("what was there")
    gains = tk.cell_information_gain(opened(TOWN))

    def break_off(self, expression, path, **_):
        Path(path).write_bytes(b"half a file")
        raise error

    monkeypatch.setattr(type(gains.expression.get_backend()), "to_parquet", break_off)
    with pytest.raises(OSError if error is FULL else KeyboardInterrupt):
        tk.write_parquet(gains, target)
    assert [one.name for one in tmp_path.iterdir()] == ["gains.parquet"] * old
    assert not old or target.read_text() == "what was there"


def test_parquet_goes_where_there_is_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
        tk.write_parquet(opened(TOWN), tmp_path / "no" / "gains.parquet")
    with pytest.raises(TypeError, match="where must be a path"):
        tk.write_parquet(TOWN, tmp_path / "gains.parquet")


# Extras


def run(code):
    """Run a program in a Python of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_imports_no_engine_and_nothing_slow():
    run("""
        import sys
        import pandas
        import toolkit
        assert toolkit.open_table and toolkit.EngineTable and toolkit.Plan
        assert toolkit.k_anonymity(pandas.DataFrame({"a": [1, 1]}), "a") == 2
        slow = {"sklearn", "scipy.stats", "matplotlib"}  # they wait until they are needed
        engines = {"ibis", "duckdb", "pyspark", "polars", "sqlglot"}
        loaded = (engines | slow) & set(sys.modules)
        assert not loaded, loaded
    """)


@pytest.mark.parametrize(
    ("module", "extra", "ask"),
    [
        ("ibis", "duckdb", "tk.open_table('README.md')"),
        ("duckdb", "duckdb", "tk.open_table('README.md')"),
        ("ibis", "spark", "tk.open_table('README.md', spark=object())"),
        ("pyspark", "spark", "tk.open_table('README.md', spark=object())"),
    ],
)
def test_without_an_extra_the_error_says_what_to_install(module, extra, ask):
    run(f"""
        import sys
        sys.modules["{module}"] = None
        import toolkit as tk
        try:
            {ask}
        except ImportError as error:
            assert "pip install -e '.[{extra}]'" in str(error), error
            assert "{module} is not installed" in str(error), error
        else:
            raise SystemExit("no error")
    """)


# The command line


@pytest.fixture
def people(tmp_path):
    """A folder of Parquet and a database with the same people."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "id": range(200),
            "age": rng.integers(20, 24, 200),
            "sex": rng.choice(list("fm"), 200),
            "illness": rng.choice(["flu", "hiv", "cold"], 200),
        }
    )
    folder = tmp_path / "people"
    folder.mkdir()
    data.iloc[:100].to_parquet(folder / "1.parquet")
    data.iloc[100:].to_parquet(folder / "2.parquet")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as made:
        made.register("there", data)
        made.execute("CREATE TABLE people AS FROM there; CREATE TABLE other AS SELECT 1 AS x")
    return tmp_path, data


ROLES = ["--quasi-identifiers", "age,sex", "--sensitive", "illness", "--key", "id"]


def test_check_of_folders_patterns_and_databases(people, capsys):
    folder, data = people
    k = tk.k_anonymity(data, ["age", "sex"])
    for where in ("people", "people/*.parquet", "people.duckdb"):
        more = ["--table", "people"] if where.endswith("duckdb") else []
        asked = ["check", str(folder / where), *more, *ROLES, "--k"]
        assert main([*asked, str(k)]) == 0, capsys.readouterr()
        assert re.search(f"k_anonymity +{k} ", capsys.readouterr().out)
        assert main([*asked, str(k + 1)]) == 1
        capsys.readouterr()
    many = ["--population", str(folder / "people"), "--k-map", str(k), "--memory-limit", "1GB"]
    assert main(["check", str(folder / "people/1.parquet"), *ROLES, *many]) == 0
    assert "k_map" in capsys.readouterr().out
    assert main(["check", str(folder / "people"), "--k", "1"]) == 2  # roles are suggested
    assert "--quasi-identifiers age,sex" in capsys.readouterr().err


def test_check_of_a_table_that_stays(people, capsys):
    folder, data = people
    k = tk.k_anonymity(data, ["age", "sex"])
    t = tk.t_closeness(data, ["age", "sex"], "illness")
    asked = ["check", str(folder / "people"), *ROLES, "--k", str(k), "--t", str(t), "--json"]
    for more in ([], ["--population", str(folder / "people"), "--k-map", str(k)]):
        outputs = []
        for budget in ("100 B", "1 GB"):
            assert main([*asked, *more, "--budget", budget]) == 0
            outputs.append(json.loads(capsys.readouterr().out))
        for one, other in zip(*(output["metrics"] for output in outputs), strict=True):
            assert all(cases.same_cell(one[name], other[name]) for name in one), one


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([*ROLES, "--budget", "much"], "budget must be a number of bytes"),
        (["--key", "idd"], "there is no column 'idd'. Did you mean 'id'?"),
        (["--quasi-identifiers", "agee"], "agee"),
        (["--table", "x"], "is none; leave it out"),
        (["--separator", ";"], "--separator is for a file that is read into memory"),
    ],
)
def test_what_the_command_cannot_do_is_one_line(people, capsys, more, said):
    folder, _ = people
    assert main(["check", str(folder / "people"), "--k", "2", *more]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_report_that_does_not_fit_is_one_line(people, capsys):
    folder, _ = people
    output = folder / "out.html"
    asked = ["report", str(folder / "people"), "--budget", "1 kB", "--output", str(output)]
    assert main(asked) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "budget: this command (for roles, or a report) needs the class table" in line
    assert not output.exists()


def told(written):
    """What a stored notebook says it read."""
    source = "\n".join(cell.source for cell in written.cells)
    return re.findall(r'^(?:table|population) = "(.+)"', source, re.MULTILINE)


def test_a_report_of_a_database_names_it_and_nothing_that_is_gone(people, monkeypatch):
    folder, data = people
    monkeypatch.chdir(folder)
    asked = ["report", "people.duckdb", "--table", "people", *ROLES]
    assert main([*asked, "--output", "out.html"]) == 0
    assert told(nbformat.read("out.ipynb", as_version=4)) == ["people.duckdb"]
    assert "The table <bdi>people.duckdb</bdi> has 200 records" in Path("out.html").read_text()
    numbers = json.loads(Path("out.json").read_text())
    measured = {one["measure"]: one["value"] for one in numbers["identity"]}
    assert measured["k (anonymity)"] == tk.k_anonymity(data, ["age", "sex"])
    for name in ("out.html", "out.ipynb", "out.json"):
        assert tempfile.gettempdir() not in Path(name).read_text()


@pytest.mark.parametrize("where", ["people", "people/*.parquet", "people.duckdb"])
def test_a_report_has_the_rows_in_the_order_of_the_key(people, monkeypatch, where):
    folder, data = people
    monkeypatch.chdir(folder)
    with duckdb.connect("people.duckdb") as made:
        made.execute("CREATE OR REPLACE TABLE people AS FROM people ORDER BY illness, id")
    seen = {}

    def run(path, values, *more):
        seen.update(values, rows=more[0]["read_table"](values["table"]))
        Path(values["results"]).write_text("{}")
        cell = f'table = "{values["table"]}"\npopulation = "{values["population"]}"'
        cell = nbformat.v4.new_code_cell(cell, metadata={"tags": ["injected-parameters"]})
        return nbformat.v4.new_notebook(cells=[cell]), ""

    monkeypatch.setattr("toolkit.report.html.run", run)
    more = ["--table", "people"] if where.endswith("duckdb") else []
    asked = ["report", where, *more, *ROLES, "--population", "people", "--output", "out.html"]
    assert main(asked) == 0
    rows, wanted = seen["rows"].astype(object), data.drop(columns="id").astype(object)
    pd.testing.assert_frame_equal(rows, wanted, check_column_type=False)
    assert told(nbformat.read("out.ipynb", as_version=4)) == [where, "people"]


def test_roles_of_tables_in_engines(people, capsys):
    folder, _ = people
    for name in ("people", "people.duckdb"):
        more = ["--key", "id", *(["--table", "people"] if "." in name else [])]
        assert main(["roles", str(folder / name), *more]) == 0
        said = capsys.readouterr().out
        assert "age " in said and "id " not in said


def test_a_report_with_a_key_that_is_none_is_one_line(people, capsys):
    folder, _ = people
    asked = ["report", str(folder / "people"), *ROLES[:-1], "age"]
    assert main([*asked, "--output", str(folder / "out.html")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "'age'" in line and not (folder / "out.html").exists()
