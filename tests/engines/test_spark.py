"""Tables in Spark: a real local session gives the answers of memory, whole and in parts."""

import importlib.util
import os
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import toolkit as tk
from tests.engines.cases import AMPLE, KEY, TINY, disagreements, random_table
from tests.needs import need
from toolkit import open_table

pytestmark = [
    pytest.mark.ci,  # starting Java takes longer than most rooms; DuckDB gets the same cases
    pytest.mark.xdist_group("spark"),  # one session for all, in one worker
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # of py4j
]

TOWN = pd.DataFrame({"town": list("AABBC"), "ill": ["flu", "hiv", "flu", "flu", "hiv"]})
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
    # A test is over before an optimising compiler is done.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    place = os.path.join(os.environ.get("JAVA_HOME", ""), "bin")
    java = shutil.which("java", path=os.pathsep.join([place, os.environ.get("PATH", "")]))
    need(java, "Spark needs Java 17, and java is not installed")
    need(importlib.util.find_spec("pyspark"), "the extra 'spark' is not installed")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    folder = str(tmp_path_factory.mktemp("spark"))
    for name, setting in {**QUIET, "spark.sql.warehouse.dir": folder}.items():
        builder = builder.config(name, setting)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("budget", [AMPLE, TINY], ids=["whole", "in parts"])
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(j, marks=pytest.mark.full) for j in range(3, 50))]
)
def test_random_tables_have_the_answers_of_memory(spark, seed, budget, tmp_path):
    whole = random_table(np.random.default_rng([5, seed]))
    for j, column in enumerate(whole.schema):  # Spark has no whole numbers without a sign
        if column.type == pa.uint64():
            whole = whole.set_column(j, column.name, whole[j].cast(pa.decimal128(20, 0)))

    def both(sample, population, budget):
        frames = map(spark.createDataFrame, (sample, population))
        return [open_table(frame, key=KEY, budget=budget) for frame in frames]

    assert disagreements(both, whole, budget, tmp_path, seed) == []


def test_parquet_is_opened_and_answers_are_written_as_parquet(spark, tmp_path):
    for code in ("0200", "200"):
        (tmp_path / "people" / f"code={code}").mkdir(parents=True)
        arrow = pa.Table.from_pandas(TOWN.assign(id=np.arange(5) + 10 * (code == "200")))
        pq.write_table(arrow, tmp_path / "people" / f"code={code}" / "p{1}.parquet")
    table = open_table(tmp_path / "people", key="id", spark=spark)
    assert table.records == 10 and tk.k_anonymity(table, "code") == 5
    path = tk.write_parquet(tk.record_class_sizes, table, ["town", "code"], tmp_path / "k")
    sizes = pd.read_parquet(path).set_index("id")["records"].sort_index()
    assert sizes.tolist() == [2, 2, 2, 2, 1] * 2


def test_errors_are_one_sentence(spark, tmp_path):
    frame = spark.createDataFrame(TOWN.assign(list=[[1]] * 5))
    with pytest.raises(TypeError, match="'list' is of type array<bigint> in Spark"):
        tk.k_anonymity(open_table(frame), "list")
    table = open_table(frame)
    spark.catalog.dropTempView(table.view)
    with pytest.raises(RuntimeError, match="Spark failed while .*TABLE_OR_VIEW_NOT_") as said:
        tk.k_anonymity(table, "town")
    assert "\n" not in str(said.value)
