"""Tables that stay in DuckDB, against its own GROUP BY; each side in a process of its own.

`python engines.py SIDE PATH` runs one side and prints its CPU seconds and peak memory.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from clock import RUNS, Median, command, in_turns, peak_above

HERE = Path(__file__).resolve()
KNOWN = ["age", "education", "marital", "race", "sex"]
SENSITIVE, LIMIT = "occupation", "4GB"
VALUES = {"age": 74, "workclass": 8, "education": 16, "marital": 7, "occupation": 14}
VALUES |= {"race": 5, "sex": 2, "country": 41}
COLUMNS = ", ".join(
    f"'{name} ' || least({size - 1}, floor({size} * power(hash(i * 16 + {j}) / 2.0**64, 2))"
    f')::INT AS "{name}"'
    for j, (name, size) in enumerate(VALUES.items())
)


def write(path, rows):
    """Have DuckDB write a skewed table with a key as Parquet."""
    import duckdb

    query = f"SELECT i AS id, {COLUMNS} FROM range({rows}) AS t(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def group_by(path):
    """What the engine itself takes to group and to hand over the counts."""
    import duckdb

    names = ", ".join([*KNOWN, SENSITIVE])
    connection = duckdb.connect(config={"memory_limit": LIMIT})
    query = f"SELECT {names}, count(*) AS n FROM '{path}' GROUP BY {names}"
    connection.sql(query).to_arrow_table()


def metrics(path, budget=1e9):
    """k, distinct l, t, basic beta and delta-disclosure."""
    import toolkit as tk

    table = tk.open_table(path, key="id", budget=budget, memory_limit=LIMIT)
    tk.k_anonymity(table, KNOWN)
    for metric in (
        tk.l_diversity,
        tk.t_closeness,
        tk.basic_beta_likeness,
        tk.delta_disclosure,
    ):
        metric(table, KNOWN, SENSITIVE)


def metrics_beyond(path):
    """The same if the class table may not come back."""
    metrics(path, 1e5)


SIDES = {side.__name__: side for side in (group_by, metrics, metrics_beyond)}


def measured(side, path):
    """Median CPU seconds and greatest memory of one side."""
    runs = [command([HERE, side, path], None) for _ in range(RUNS)]
    seconds, peaks = zip(*runs, strict=True)
    return Median(seconds), max(peaks) / 1e9


def rows(size, row):
    """Five metrics within and beyond the budget."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write(path, size)
        floor, _ = measured("group_by", path)
        for side, task in {
            "metrics": "k, l, t, β, δ within the budget",
            "metrics_beyond": "the same beyond the budget",
        }.items():
            seconds, peak = measured(side, path)
            yield row(f"{task}; its own GROUP BY; {peak:.2f} GB", seconds, floor, 4)


def against_group_by(data):
    """Ratios of k in DuckDB to its own GROUP BY, within the budget and in ten parts."""
    import duckdb

    import toolkit as tk

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        data.to_parquet(path)
        names = ", ".join(f'"{name}"' for name in data)
        counts = f"SELECT {names}, count(*) FROM '{path}' GROUP BY {names}"
        rows = len(duckdb.sql(counts).to_arrow_table())
        tenth = max(rows * 40 * (data.shape[1] + 1) // 10, 1)
        calls = [
            lambda: tk.k_anonymity(tk.open_table(path), list(data)),
            lambda: tk.k_anonymity(tk.open_table(path, budget=tenth), list(data)),
            lambda: duckdb.sql(counts).to_arrow_table(),
        ]
        within, beyond, floor = in_turns(calls, 3)
    return within / floor, beyond / floor


if __name__ == "__main__":
    began = time.process_time()
    _, extra = peak_above(lambda: SIDES[sys.argv[1]](Path(sys.argv[2])))
    print(json.dumps({"seconds": time.process_time() - began, "peak": int(extra)}))
