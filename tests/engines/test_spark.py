"""Tables in Spark: a real session, and a standalone master with two workers of its own."""

import gc
import importlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import toolkit as tk
from tests.engines import cases
from tests.engines.cases import AMPLE, KEY, PECULIAR, TINY, arrow_of
from tests.laws.test_doors import KINDS, answers, in_arrow, is_one_sentence, wanted
from tests.needs import need
from toolkit.__main__ import main
from toolkit._old import attribute, classes as old_classes
from toolkit.datasets import load_adult

pytestmark = [
    pytest.mark.ci,  # starting Java takes longer than most rooms; DuckDB gets the same cases
    pytest.mark.xdist_group("spark"),  # one session for all, in one worker
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # of py4j
]

TOWN = pd.DataFrame({"town": list("AABBC"), "ill": ["flu", "hiv", "flu", "flu", "hiv"]})

QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
    # A test is over before an optimising compiler is done.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}

BY_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Spark makes no Java of a query: the same operators, much sooner on small tables."""


def java():
    """Path of Java, which a machine of the project promises to have."""
    place = os.path.join(os.environ.get("JAVA_HOME", ""), "bin")
    found = shutil.which("java", path=os.pathsep.join([place, os.environ.get("PATH", "")]))
    return need(found, "Spark needs Java 17, and java is not installed")


def pyspark():
    """The package, if it is installed."""
    need(importlib.util.find_spec("pyspark"), "the extra 'spark' is not installed")
    return importlib.import_module("pyspark")


def session_of(master, folder, **more):
    """Start a quiet session."""
    java(), pyspark()
    sql = importlib.import_module("pyspark.sql")
    builder = sql.SparkSession.builder.master(master).appName("tests")
    for name, setting in {**QUIET, "spark.sql.warehouse.dir": str(folder), **more}.items():
        builder = builder.config(name, setting)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    session = session_of("local[2]", tmp_path_factory.mktemp("warehouse"))
    yield session
    session.stop()


@pytest.fixture
def by_rows(spark):
    """Until the test ends, queries are not made into Java."""
    before = {name: spark.conf.get(name) for name in BY_ROWS}
    for name, setting in BY_ROWS.items():
        spark.conf.set(name, setting)
    yield
    for name, setting in before.items():
        spark.conf.set(name, setting)


@pytest.fixture
def both(spark):
    """Opens two tables in the session."""

    def open_both(one, other, budget):
        return tuple(
            tk.open_table(spark.createDataFrame(arrow_of(data)), key=KEY, budget=budget)
            for data in (one, other)
        )

    return open_both


FEW = ("k", "k-map", "presence", "journalist")
FEW += ("recursive_cl_diversity", "basic_beta_likeness", "delta_disclosure", "t_closeness")


@pytest.mark.usefixtures("by_rows")
@pytest.mark.parametrize(("seed", "budget"), [(3, TINY), (8, AMPLE)])
def test_random_tables_have_the_answers_of_memory(both, seed, budget, monkeypatch):
    monkeypatch.setattr(cases, "NUMBERS", {name: cases.NUMBERS[name] for name in FEW})
    pif = lambda d: [tk.personal_information_factor(tk.cell_information_gain(d), 37)]  # noqa: E731
    monkeypatch.setattr(cases, "CELLS", {"cig": cases.CELLS["cig"], "pif": pif})
    monkeypatch.setattr(cases, "RECORDS", {one: cases.RECORDS[one] for one in ("risks",)})
    monkeypatch.setattr(cases, "CLASSES", {"div": cases.CLASSES["diversity"]})
    data = cases.random_table(np.random.default_rng(seed))
    assert cases.agree(both, data, ("category", "drop")[seed % 2], budget) == []


HELD_OTHERWISE = {"times in nanoseconds"}
"""Kinds that Spark changes when it takes an Arrow table, before the toolkit sees them."""


def in_spark(spark, kind):
    """The cells as a table of Spark, or None where Spark has no such type."""
    table = in_arrow(kind, kind.cells)
    column = table["s"].combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    table = table.set_column(table.schema.get_field_index("s"), "s", column)
    try:
        return spark.createDataFrame(table)
    except Exception:
        return None


@pytest.mark.ci
@pytest.mark.usefixtures("by_rows")
def test_cells_of_every_kind_have_the_same_answers_in_spark(spark):
    compared, refused = [], []
    for name, kind in KINDS.items():
        held = None if kind.arrow is None else in_spark(spark, kind)
        if held is None or name in HELD_OTHERWISE:
            continue
        try:
            table = tk.open_table(held, key="row")
            classes = old_classes.equivalence_classes(table, "q", "s")
            found = answers(table, ["k", "gain"])
        except (TypeError, ValueError) as error:
            assert is_one_sentence(error), f"{name}: {error}"
            refused.append(name)
            continue
        truth = wanted(kind, kind.cells)
        found |= {"l": tk.l_diversity(classes), "equal": tk.t_closeness(classes, kind="equal")}
        for asked, number in found.items():
            np.testing.assert_allclose(
                number, truth[asked], atol=1e-9, err_msg=f"{name}: {asked}"
            )
        compared.append(name)
    assert len(compared) >= 20 and len(refused) <= 10, (compared, refused)


@pytest.mark.full
@pytest.mark.usefixtures("by_rows")
@pytest.mark.parametrize("seed", range(200))
def test_many_random_tables_have_the_answers_of_memory(both, seed):
    rng = np.random.default_rng(seed)
    data, missing = cases.random_table(rng), ("category", "drop")[seed % 2]
    # A table takes Spark some 200 jobs: of most tables each law is asked one way.
    for budget in (TINY, AMPLE) if seed < 20 else [(TINY, AMPLE)[seed // 2 % 2]]:
        assert cases.agree(both, data, missing, budget) == [], budget
    if seed < 20 or seed % 4 == 0:
        assert cases.losses_agree(both, data, rng) == []


@pytest.mark.full
@pytest.mark.parametrize("kind", PECULIAR)
@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_peculiar_cells_have_the_answers_of_memory(both, kind, budget):
    data = pd.DataFrame(PECULIAR[kind])
    assert cases.agree(both, data, "category", budget, ("cells", "numbers", "records")) == []


@pytest.mark.parametrize("kind", ["minus zero", "not a number", "texts", "big numbers"])
def test_peculiar_cells_are_counted_as_in_memory(both, kind):
    data = pd.DataFrame(PECULIAR[kind])
    for budget in (TINY, AMPLE):
        table, _ = both(data, data.iloc[:1], budget)
        assert tk.discernability(table, "a") == tk.discernability(data, "a")
        assert tk.l_diversity(table, [], "s") == tk.l_diversity(data, [], "s")


@pytest.mark.full
@pytest.mark.parametrize("budget", [TINY, AMPLE])
def test_adult_has_the_answers_of_memory(both, budget):
    data = load_adult()[["age", "workclass", "sex", "race", "hours-per-week"]]
    assert cases.agree(both, data, "category", budget, ("cells", "numbers")) == []


@pytest.mark.usefixtures("by_rows")
def test_a_report_of_a_table_that_stays(both):
    sample, people = both(TOWN, TOWN, TINY)
    asked = {"k": 2, "t": 0.4, "delta": 1, "k_map": 1}
    found = tk.check_privacy(sample, "town", "ill", population=people, **asked)
    wanted = tk.check_privacy(TOWN, "town", "ill", population=TOWN, **asked)
    names = ["metric", "value", "satisfied", "rows_violating"]
    pd.testing.assert_frame_equal(found.table[names], wanted.table[names])
    assert found.facts == wanted.facts
    [worst] = found.table.query("metric == 't_closeness'")["worst_class"]
    assert worst == attribute.t_closeness_by_class(TOWN, "town", "ill").idxmax()
    marked = cases.frame(found.violations("t_closeness"), KEY).iloc[:, 0]
    assert marked.tolist() == wanted.violations("t_closeness").tolist()


@pytest.mark.full
@pytest.mark.usefixtures("by_rows")
@pytest.mark.parametrize("seed", range(5))
def test_reports_of_random_tables_that_stay(both, seed):
    data = cases.random_table(np.random.default_rng(seed))
    missing = ("category", "drop")[seed % 2]
    more = cases.OF_PEOPLE if missing == "category" else {}
    assert cases.reports_agree(both, data, missing, **more) == []


def test_the_command_asks_the_session_that_runs(spark, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "town"
    folder.mkdir()
    for j, rows in enumerate((TOWN.iloc[3:], TOWN.iloc[:3])):
        rows.assign(id=rows.index).to_parquet(folder / f"{j}.parquet")
    roles = ["--quasi-identifiers", "town", "--sensitive", "ill", "--key", "id"]
    on_spark = [str(folder), *roles, "--spark", "local[2]"]
    assert main(["check", *on_spark, "--k", "1"]) == 0
    assert main(["check", *on_spark, "--k", "2"]) == 1
    assert "k_anonymity" in capsys.readouterr().out
    seen = {}

    def run(path, values, *more):
        seen["rows"] = more[0]["read_table"](values["table"])
        Path(values["results"]).write_text("{}")
        return nbformat.v4.new_notebook(), ""

    monkeypatch.setattr("toolkit.report.html.run", run)
    assert main(["report", *on_spark, "--output", str(tmp_path / "out.html")]) == 0
    rows, wanted = seen["rows"].astype(object), TOWN.astype(object)
    pd.testing.assert_frame_equal(rows, wanted, check_column_type=False)
    assert spark.range(1).count() == 1, "a session that ran before is not stopped"


def test_what_spark_does_not_read_is_one_clear_error(spark, tmp_path):
    (tmp_path / "people.duckdb").touch()
    with pytest.raises(ValueError, match="does not read the DuckDB database 'people.duckdb'"):
        tk.open_table(tmp_path / "people.duckdb", spark=spark)
    (tmp_path / "no.parquet").write_text("no table")
    with pytest.raises(ValueError, match="no.parquet' cannot be read as Parquet"):
        tk.open_table(tmp_path / "no.parquet", spark=spark)
    twice = spark.createDataFrame(pa.table({"town": ["A"], "Town": ["B"]}))
    with pytest.raises(ValueError, match="columns 'town' and 'Town' differ in capitals only"):
        tk.open_table(twice)
    names = spark.createDataFrame(arrow_of(TOWN.assign(again=[1, 1, 2, 3, 4])))
    with pytest.raises(ValueError, match="'again' has 4 values on 5 rows"):
        tk.record_class_sizes(tk.open_table(names, key="again"), "town")


@pytest.mark.parametrize(("in_ci", "end"), [(True, pytest.fail), (False, pytest.skip)])
def test_without_java_tests_are_skipped_and_in_ci_they_fail(monkeypatch, tmp_path, in_ci, end):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("tests.needs.IN_CI", in_ci)
    with pytest.raises(end.Exception, match="Spark needs Java 17, and java is not installed"):
        session_of("local[2]", tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr("tests.needs.IN_CI", in_ci)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(end.Exception, match="the extra 'spark' is not installed"):
        pyspark()


def test_losses_have_the_answers_of_memory(both):
    tree = {"town": [["A", "ab", "*"], ["B", "ab", "*"], ["C", "c", "*"]]}
    after = TOWN.assign(town=["ab", "ab", "ab", "ab", "C"])
    tables = both(TOWN, after, AMPLE)
    assert tk.generalisation_precision(*tables, tree) == pytest.approx(
        tk.generalisation_precision(TOWN, after, tree)
    )
    found = tk.record_divergences(*tables, "town")
    wanted = tk.record_divergences(TOWN, after, "town")
    assert cases.same_records(found, wanted, list(TOWN.index))


def test_spark_reads_exactly_what_was_named(spark, tmp_path):
    def write(name, ages):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"age": ages}).to_parquet(path)
        return path

    for odd, other in (
        ("a[1]", "a1"),
        ("b*", "bb"),
        ("{c,d}", "c"),
        ("e\\f", "ef"),
        ("g?", "gg"),
    ):
        write(f"{other}/{other}.parquet", [1, 1])
        path = write(f"{odd}/{odd}.parquet", [1, 2])
        for where in (path, path.parent):
            assert tk.k_anonymity(tk.open_table(where, spark=spark), "age") == 1, where
    for name in ("_temporary/p.parquet", ".p.parquet"):
        write(f"a[1]/{name}", [1, 2])
    assert tk.open_table(tmp_path / "a[1]", spark=spark).records == 2
    for zone in ("0200", "200"):
        write(f"x=1/zones/zone={zone}/p.parquet", [1, 1])
    zones = tk.open_table(tmp_path / "x=1" / "zones", spark=spark)
    assert list(zones.columns) == ["age", "zone"] and tk.k_anonymity(zones, ["zone"]) == 2
    write("x=1/zones/zone=200/q.parquet", ["1"])
    with pytest.raises(ValueError, match="do not have the same columns: column 'age' is "):
        tk.open_table(tmp_path / "x=1" / "zones", spark=spark)
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="'t.csv' is CSV, in which Spark takes other cells"):
        tk.open_table(tmp_path / "t.csv", spark=spark)


def test_results_go_to_a_folder_of_parquet_and_are_read_again(both, spark, tmp_path):
    sample, _ = both(TOWN, TOWN, TINY)
    path = tk.write_parquet(tk.record_class_sizes(sample, "town"), tmp_path / "sizes.parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["sizes.parquet"]
    assert tk.write_parquet(tk.record_class_sizes(sample, "town"), path) == path  # once more
    assert [one.name for one in tmp_path.iterdir()] == ["sizes.parquet"]
    again = tk.open_table(path, key=KEY, spark=spark)
    assert sorted(cases.frame(again, KEY)["records"]) == [1, 2, 2, 2, 2]
    beside = tk.open_table(path, key=KEY, beside=sample)
    assert beside.engine == "pyspark" and beside.records == 5


def test_views_and_caches_are_freed_with_their_table(spark):
    def there():
        caches = spark.sparkContext._jsc.getPersistentRDDs().size()
        return len(spark.catalog.listTables()), caches

    before = there()
    table = tk.open_table(spark.createDataFrame(arrow_of(TOWN)), key=KEY, budget=TINY)
    tk.k_anonymity(table, "town")
    assert there() != before
    del table
    assert there() == before


def test_the_garbage_collector_asks_spark_nothing(spark, monkeypatch):
    """It may run while an answer is awaited, which its own question would get."""
    views = len(spark.catalog.listTables())
    table = tk.open_table(spark.createDataFrame(arrow_of(TOWN)), key=KEY, budget=TINY)
    tk.k_anonymity(table, "town")
    circle = [table]
    circle.append(circle)
    connection = spark._jvm._gateway_client.get_thread_connection()
    stream, found = connection.stream, []

    class Late:
        def readline(self):
            found.append(gc.collect())
            return stream.readline()

    with monkeypatch.context() as now:
        now.setattr(connection, "stream", Late())
        gc.disable()
        try:
            del table, circle
            assert [spark.range(n).count() for n in (3, 4, 5)] == [3, 4, 5]
        finally:
            gc.enable()
    assert found[0], "there was nothing to collect"
    assert len(spark.catalog.listTables()) > views
    again = tk.open_table(spark.createDataFrame(arrow_of(TOWN)), key=KEY)
    assert tk.k_anonymity(again, "town") == 1
    del again
    assert len(spark.catalog.listTables()) == views


def test_a_path_of_spark_that_is_not_there(spark):
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
        tk.open_table("nowhere.parquet", spark=spark)


# A cluster of one machine: a master and two workers, each a process of its own


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def workers_of(page):
    """How many workers the master's page counts as alive."""
    try:
        with urllib.request.urlopen(page, timeout=2) as answer:
            return answer.read().decode().count('"state" : "ALIVE"')
    except OSError:
        return 0


@pytest.fixture
def cluster(tmp_path):
    """Address of a standalone master with two workers, which end with the test."""
    home = Path(pyspark().__file__).parent
    port, page = free_port(), free_port()
    address = f"spark://127.0.0.1:{port}"
    options = [java(), "-Xmx256m", "-cp", str(home / "jars" / "*")]
    options += ["--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"]
    kind = "org.apache.spark.deploy"
    host = ["--host", "127.0.0.1"]
    asked = [[f"{kind}.master.Master", *host, "--port", f"{port}", "--webui-port", f"{page}"]]
    for number in range(2):
        work = [
            "--work-dir",
            str(tmp_path / f"work{number}"),
            "--webui-port",
            f"{free_port()}",
        ]
        of_worker = ["--cores", "1", "--memory", "512m", *work, address]
        asked.append([f"{kind}.worker.Worker", *host, *of_worker])
    [core] = (home / "jars").glob("spark-core_*.jar")
    scala = core.name.removeprefix("spark-core_").split("-")[0]
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home)}
    local["SPARK_SCALA_VERSION"] = scala  # which the scripts of a whole Spark set
    environment = {**os.environ, **local, "PYSPARK_PYTHON": sys.executable}
    running = []
    try:
        with (tmp_path / "log").open("wb") as log:
            for one in asked:
                running.append(
                    subprocess.Popen(
                        [*options, *one], stdout=log, stderr=log, env=environment, cwd=tmp_path
                    )
                )
        end = time.monotonic() + 120
        while workers_of(f"http://127.0.0.1:{page}/json/") < 2:
            assert time.monotonic() < end, (tmp_path / "log").read_text()[-2000:]
            assert all(one.poll() is None for one in running), (tmp_path / "log").read_text()
            time.sleep(0.5)
        yield address
    finally:
        for one in reversed(running):
            one.terminate()
        for one in running:
            try:
                one.wait(timeout=30)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


IN_A_CLUSTER = """
import sys
import pandas as pd, pyarrow as pa
import toolkit as tk
from pyspark.sql import SparkSession

address, folder = sys.argv[1:]
builder = SparkSession.builder.master(address).appName("tests")
for setting in {settings}.items():
    builder = builder.config(*setting)
spark = builder.getOrCreate()
people = pd.DataFrame({{"town": list("AABBC") * 20, "id": range(100)}})
frame = spark.createDataFrame(pa.Table.from_pandas(people)).repartition(4)
for budget in ("1 GB", 1):
    table = tk.open_table(frame, key="id", budget=budget)
    assert tk.k_anonymity(table, "town") == 20, budget
    gains = tk.cell_information_gain(table)
    pif = tk.personal_information_factor(gains, 50)
    assert pif == tk.information_factors(people[["town"]]).pif(50), pif
workers = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print("executors", workers)
spark.stop()
try:
    tk.l_diversity(table, [], "town")
except ConnectionError as error:
    print("lost:", error)
"""


@pytest.mark.full
def test_a_master_with_two_workers_has_the_answers_of_memory(cluster, tmp_path):
    settings = {**QUIET, "spark.executor.memory": "512m", "spark.executor.cores": "1"}
    program = IN_A_CLUSTER.format(settings=settings)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, cluster, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(tk.__file__).parent.parent,
        timeout=300,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "executors 2" in done.stdout
    assert "lost: pyspark failed while" in done.stdout
    assert "open the connection again" in done.stdout


def test_a_stopped_session_is_one_clear_error(spark, tmp_path):
    """Ends the session, so it comes last; nothing after it needs one."""
    pq.write_table(arrow_of(TOWN), tmp_path / "town.parquet")
    frame = spark.createDataFrame(arrow_of(TOWN))
    table = tk.open_table(frame, key=KEY, budget=TINY)
    assert tk.k_anonymity(table, "town") == 1
    spark.stop()
    for ask in (
        lambda: tk.k_anonymity(table, "ill"),
        lambda: tk.k_anonymity(table, "town"),
        lambda: tk.open_table(frame),
        lambda: tk.open_table(tmp_path / "town.parquet", spark=spark),
    ):
        with pytest.raises(ConnectionError, match="open the connection again and repeat"):
            ask()
