"""How fast, and how much memory? Thirty rows against a peer or a floor, both sides in one run.

    python3 dev.py bench [--quick] [--only WORD]

Peers run in environments of their own (`.tools/peers`, made at the first run); tables and
results pass through files. `--quick` takes a hundredth of the rows: to try the benchmark, not
to measure. `--only` takes rows that have a word in their name, as "DuckDB". Each row is shown
on the error stream when it is there. Status 1 if a floor is missed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import arx
import cases
import engines
import numpy as np
import pandas as pd
import peers
import polars as pl
from clock import RUNS, Median, command, in_turns, peak_above
from tqdm import tqdm

import toolkit as tk

HERE = Path(__file__).resolve().parent
SHAPES = range(10)
"""Seeds of the tables that nobody chose."""
KNOWN = ["--quasi-identifiers", "age,sex,zip,race,education,marital"]
ROLES = [*KNOWN, "--sensitive", "disease,income"]


def row(task, ours, theirs=None, floor="", *, faster=False):
    """Lay out a row: our number, theirs, their ratio, and whether it meets the floor.

    `faster` divides theirs by ours, which is to be at least the floor; else ours by theirs, at
    most the floor. Without theirs, our number itself is compared with the floor.
    """
    ratio = None if theirs is None else theirs / ours if faster else ours / theirs
    shown = [task, f"{ours:.4g} s", "" if theirs is None else f"{theirs:.4g} s"]
    shown.append("" if ratio is None else f"{ratio:,.2f}")
    if floor == "":
        return (*shown, "", "")
    met = ratio >= floor if faster else (ours if ratio is None else ratio) <= floor
    return (*shown, f"{'>=' if faster else '<='} {floor:g}", "met" if met else "MISSED")


# Information


def against_piflib(data, floor, prepared=None):
    """CIG and CSF, and their largest difference in a cell."""
    python = peers.make_peer("piflib")
    mine = data if prepared is None else prepared
    (ours,) = in_turns([lambda: tk.information_factors(mine)])
    answer = peers.run_piflib(python, [peers.PiflibTask(data)], RUNS)
    factors = tk.information_factors(mine)
    pairs = ((factors.cig, answer.cig[0]), (factors.csf, answer.csf[0]))
    apart = max(np.abs(own - other).max(axis=None) for own, other in pairs)
    task = f"CIG and CSF; piflib {answer.version}, apart by {apart:.1e}"
    return row(task, ours, Median(answer.seconds), floor, faster=True)


def against_polars(data):
    """All factors, and one group_by per feature, which counts the contexts; elapsed."""
    table = pl.from_pandas(data)
    calls = [
        lambda: tk.information_factors(data),
        lambda: [table.group_by(pl.exclude(name)).len() for name in table.columns],
    ]
    return in_turns(calls, clock=time.perf_counter)


# Disclosure


def nine(data):
    """The metrics that pyCANON has, from the cells on; the last column is sensitive."""
    *known, sensitive = data.columns
    table = tk.class_table(data, known, sensitive)
    tk.k_anonymity(table), tk.alpha_k_anonymity(table), tk.l_diversity(table)
    tk.entropy_l_diversity(table), tk.recursive_cl_diversity(table)
    tk.basic_beta_likeness(table), tk.enhanced_beta_likeness(table)
    tk.delta_disclosure(table), tk.t_closeness(table, kind="equal")


def against_pandas(data):
    """Nine metrics against factorising, k against `groupby.size`."""
    *known, sensitive = data.columns

    def factorise():
        data.groupby(known, dropna=False, sort=False, observed=True).ngroup()
        pd.factorize(data[sensitive], use_na_sentinel=False)

    calls = [lambda: nine(data), factorise]
    every, floor = in_turns(calls)
    k, size = k_against_groupby(data[known])
    yield row("nine metrics; pandas factorising", every, floor, 1.3)
    yield row("k; groupby.size", k, size, 2)


def k_against_groupby(data):
    """Seconds of k and of pandas' groupby."""
    names = list(data)
    calls = [
        lambda: tk.k_anonymity(data, names),
        lambda: data.groupby(names, dropna=False, observed=True).size(),
    ]
    return in_turns(calls)


def against_pycanon():
    """Nine metrics of six columns of Adult."""
    data = cases.adult()
    answer = peers.run_pycanon(peers.make_peer("pycanon"), [peers.PycanonTask(data)])
    (ours,) = in_turns([lambda: nine(data)], 15)
    theirs = Median([sum(metrics.values()) for metrics in answer.seconds])
    return row(f"nine metrics; pyCANON {answer.version}", ours, theirs, 1_000, faster=True)


# Tables that nobody chose


def shapes(scale):
    """Medians and worst ratios on random shapes."""
    found = {"piflib": [], "Polars": [], "groupby": [], "DuckDB": [], "DuckDB in parts": []}
    for seed in SHAPES:
        data = cases.random_shape(seed, 1_000_000 // scale)
        part = data.head(20_000_000 // data.shape[1] ** 2)  # up to 30 s of piflib
        tasks = [peers.PiflibTask(part.astype(str))]
        answer = peers.run_piflib(peers.make_peer("piflib"), tasks)
        (ours,) = in_turns([lambda part=part: tk.information_factors(part)])
        found["piflib"].append(answer.seconds[0] / ours)
        mine, least = against_polars(data)
        found["Polars"].append(mine / least)
        mine, least = k_against_groupby(data)
        found["groupby"].append(mine / least)
        for name, ratio in zip(list(found)[3:], engines.against_group_by(data), strict=True):
            found[name].append(ratio)
    floors = {"Polars": (1, 2), "groupby": (2, 2), "DuckDB": (2, 4), "DuckDB in parts": (2, 4)}
    for name, (most, worst) in floors.items():
        yield _drawn(name, np.median(found[name]), most, max(found[name]), worst, "<=")
    yield _drawn("piflib", np.median(found["piflib"]), 200, min(found["piflib"]), 100, ">=")


def _drawn(name, median, most, worst, limit, sign):
    met = (
        (median <= most and worst <= limit)
        if sign == "<="
        else (median >= most and worst >= limit)
    )
    ratios, floors = f"{median:.2f}, worst {worst:.2f}", f"{sign} {most}, each {limit}"
    return (f"ten random shapes; {name}", "", "", ratios, floors, "met" if met else "MISSED")


# Anonymisation, uniqueness


def against_anonypy(rows):
    """Mondrian at k = 10."""
    data, python = cases.mixed(rows), peers.make_peer("anonypy")
    with tempfile.TemporaryDirectory() as folder:
        data.to_csv(Path(folder) / "data.csv", index=False)
        asked = [python, "-W", "ignore", HERE / "peer_anonypy.py", folder, "10", str(RUNS)]
        done = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    theirs = json.loads(done.splitlines()[-1])
    (ours,) = in_turns([lambda: tk.mondrian(data, list(data), k=10)])
    return row("Mondrian, k = 10; AnonyPy", ours, Median(theirs["seconds"]), 50, faster=True)


def special_uniques(rows):
    """SUDA of ten columns."""
    data = cases.codes(rows, (2, 5, 10, 50, 100, 1000, 20, 7, 3, 30))
    start = time.process_time()
    _, extra = peak_above(lambda: tk.suda_uniques(data, list(data)))
    task = f"special uniques; {extra / 1e9:.2f} GB"
    return row(task, time.process_time() - start, floor=30)


# Differential privacy


def worlds(m):
    """The exact ε of many worlds."""
    outputs = np.random.default_rng(5).lognormal(size=m)
    (ours,) = in_turns([lambda: tk.tight_epsilon(outputs, 0.1)], 3)
    return row("exact ε, ρ = 0.1", ours, floor=1)


def audit():
    """An audit of a scalar mechanism against its draws and one sort."""
    rng = np.random.default_rng(1)

    def mechanism(data, size, rng):
        return tk.laplace(np.full(size, float(data)), sensitivity=1, epsilon=1, rng=rng)

    def draws():  # of both inputs, 25,000 that select the event and 100,000 that test it
        select = [mechanism(data, 25_000, rng) for data in (0, 1)]
        np.sort(np.concatenate(select))
        for data in (0, 1):
            mechanism(data, 100_000, rng)

    def judged():
        tk.audit(mechanism, 0, 1, epsilon=1, samples=100_000, rng=rng, batch=True)

    ours, theirs = in_turns([judged, draws])
    return row("audit of 100,000 runs; its draws and one sort", ours, theirs, 4)


# A table of your own


def commands(rows):
    """A report from CSV and a check of Parquet, as a user runs them."""
    data = cases.people(rows)
    limits = {"report": ("people.csv", [], 14), "check": ("people.parquet", ["--k", "1"], 2.5)}
    with tempfile.TemporaryDirectory() as folder:
        data.to_csv(Path(folder, "people.csv"), index=False)
        data.to_parquet(Path(folder, "people.parquet"))
        for name, (file, more, limit) in limits.items():
            asked = ["-P", "-m", "toolkit", name, file, *ROLES, *more]
            force = ["--force"] if name == "report" else []
            runs = [command([*asked, *force], folder) for _ in range(RUNS)]
            seconds, peaks = zip(*runs, strict=True)
            task = f"{name}; {max(peaks) / 1e9:.2f} GB"
            yield row(task, Median(seconds), floor=limit)


def steps(scale):
    """Name of the table, and the function that makes its rows."""
    million, some = 1_000_000 // scale, 100_000 // scale
    text, wide = cases.strings, cases.THIRTY_COLUMNS
    return [
        ("38,462 x 6 strings", lambda: against_piflib(cases.hackathon(), 200)),
        ("1,000,000 x 8", lambda: _million(million)),
        ("100,000 x 30", lambda: against_piflib(text(cases.codes(some, wide)), 200)),
        ("38,462 x 6", lambda: _contexts(cases.hackathon())),
        ("1,000,000 x 8", lambda: _contexts(cases.codes(million, cases.MILLION))),
        ("ten random shapes", lambda: shapes(scale)),
        ("Adult, 7 strings", lambda: against_pandas(cases.adult())),
        ("Adult x 100", lambda: against_pandas(cases.adult(max(100 // scale, 1)))),
        ("Adult, 7 strings", against_pycanon),
        ("30,162 x 9, 12,960 nodes", arx.rows),
        ("100,000 x 6 mixed", lambda: against_anonypy(some)),
        ("1,000,000 x 10", lambda: special_uniques(million)),
        ("100,000 worlds", lambda: worlds(some)),
        ("a scalar mechanism", audit),
        ("20,000,000 x 8 Parquet in DuckDB", lambda: engines.rows(20 * million, row)),
        ("1,000,000 x 10", lambda: commands(million)),
    ]


def _contexts(data):
    return row("all factors; Polars counting, elapsed", *against_polars(data), 1)


def _million(rows):
    data = cases.strings(cases.codes(rows, cases.MILLION))
    return against_piflib(data, 200, prepared=data.astype("category"))


def main():
    """Run all rows and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    parser.add_argument("--only", default="", help="word in the name of a table")
    asked = parser.parse_args()
    scale, rows = 100 if asked.quick else 1, []
    wanted = [step for step in steps(scale) if asked.only in step[0]]
    for table, step in tqdm(wanted, desc="benchmarks"):
        made = step()
        made = [made] if isinstance(made, tuple) else list(made)
        tqdm.write("\n".join(" | ".join((table, *one)) for one in made), file=sys.stderr)
        rows += [(table, *one) for one in made]
    head = ("table", "task", "toolkit", "other side", "ratio", "floor", "")
    lines = [head, tuple("---" for _ in head), *rows]
    print("\n".join("| " + " | ".join(line) + " |" for line in lines))
    used = {"Python": platform.python_version(), "numpy": np.__version__}
    used |= {"pandas": pd.__version__, "polars": pl.__version__, "toolkit": tk.__version__}
    print(f"\n{date.today()}, {os.cpu_count()} x {platform.processor() or platform.machine()}")
    print(", ".join(f"{name} {version}" for name, version in used.items()))
    sys.exit(any(line[-1] == "MISSED" for line in rows) and scale == 1)


if __name__ == "__main__":
    main()
