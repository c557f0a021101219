"""Metrics of anonymity and disclosure: their cost against factorising, pandas and pyCANON.

The tables are the columns of Adult that the targets name: UCI's where PRIVACY_TOOLKIT_DATA
has it, else the stand-in. As a program, `python anonymity.py strings|categories TIMES` prints
the peak memory of all metrics above that of the table, `python anonymity.py people ROWS` the
seconds of k-map and delta-presence and their peak memory, as JSON.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import cases
import numpy as np
import pandas as pd
import peers
from memory import peak_above
from turns import RUNS, Median, in_turns, reported, verdict

import toolkit as tk

HERE = Path(__file__).resolve()
RAW = ["age", "workclass", "education", "marital-status", "race", "sex"]
COARSE = ["age", "workclass", "marital-status", "race", "sex"]


def strings(data, columns, times=1):
    """Some columns as a file has them, repeated."""
    table = data[columns].astype(object).fillna("?").astype(str)
    return pd.concat([table] * times, ignore_index=True)


def raw_table(times=1):
    """Six raw quasi-identifiers and the occupation, of 15 values."""
    return strings(cases.adult()[0], [*RAW, "occupation"], times)


def coarse_table():
    """Five coarse quasi-identifiers, age in decades, and the income."""
    data = cases.adult()[0]
    return strings(data.assign(age=data["age"] // 10 * 10), [*COARSE, "income"])


def nine(classes):
    """The metrics that pyCANON has."""
    return {
        "k_anonymity": tk.k_anonymity(classes),
        "alpha_k_anonymity": tk.alpha_k_anonymity(classes),
        "l_diversity": tk.l_diversity(classes),
        "entropy_l_diversity": tk.entropy_l_diversity(classes),
        "recursive_c_l_diversity": tk.recursive_cl_diversity(classes),
        "basic_beta_likeness": tk.basic_beta_likeness(classes),
        "enhanced_beta_likeness": tk.enhanced_beta_likeness(classes),
        "t_closeness": tk.t_closeness(classes, kind="equal"),
        "delta_disclosure": tk.delta_disclosure(classes),
    }


def all_nine(data):
    """All metrics of a table whose last column is sensitive, from the cells on."""
    *known, sensitive = data.columns
    return nine(tk.equivalence_classes(data, known, sensitive))


def factorise(data):
    """Numbers of the classes and codes of the sensitive column, by pandas."""
    *known, sensitive = data.columns
    data.groupby(known, dropna=False, sort=False).ngroup()
    pd.factorize(data[sensitive], use_na_sentinel=False)


def against_factorising(times):
    """All metrics, and k alone, against what pandas needs to number and count classes."""
    data = raw_table(times)
    categories, objects = data.astype("category"), data.astype(object)
    known = list(data.columns[:-1])
    every, by_codes, by_objects, floor, k, size = in_turns(
        [
            lambda: all_nine(data),
            lambda: all_nine(categories),
            lambda: all_nine(objects),
            lambda: factorise(data),
            lambda: tk.k_anonymity(data, known),
            lambda: data.groupby(known, dropna=False).size(),
        ],
        {1: 25, 10: 7}.get(times, RUNS),
    )
    rows = [
        ("nine metrics against factorising (CPU)", every, floor, every / floor, "<= 1.25"),
        ("k against groupby.size (CPU)", k, size, k / size, "<= 1"),
        ("nine metrics: categories, strings", by_codes, every, every / by_codes, ">= 3"),
        (
            "nine metrics: categories, objects",
            by_codes,
            by_objects,
            by_objects / by_codes,
            ">= 3",
        ),
    ]
    return [_row(*row) for row in rows]


def _row(name, ours, theirs, ratio, target):
    """Lay out a row of the table."""
    sign, limit = target.split()
    met = ratio <= float(limit) if sign == "<=" else ratio >= float(limit.replace(",", ""))
    times = (f"{ours:.4f} s", f"{theirs:.4f} s", f"{ratio:,.2f}")
    return (name, *times, target, verdict(met))


def against_pycanon(data, target):
    """All nine metrics in both tools, each from the cells on."""
    name = "nine metrics against pyCANON (CPU)"
    python = peers.make_pycanon()
    if python is None:
        return [(name, "", "", "not measured", f">= {target}", "")]
    answer = peers.run_pycanon(python, [peers.PycanonTask(data)] * RUNS)
    (ours,) = in_turns([lambda: all_nine(data)], 15)
    theirs = Median([sum(metrics.values()) for metrics in answer.seconds])
    found = nine(tk.equivalence_classes(data, list(data.columns[:-1]), data.columns[-1]))
    same = answer.values[0]["k_anonymity"] == [found["k_anonymity"]]
    name = f"nine metrics against pyCANON {answer.version} (CPU)"
    return [
        _row(name, ours, theirs, theirs / ours, f">= {target}"),
        ("the same k", "", "", "", "", verdict(same)),
    ]


def memory(kind, times, target):
    """Peak memory of all metrics."""
    extra = Median([_run(kind, times)["extra"] / 1e6 for _ in range(RUNS)])
    name = f"extra memory of nine metrics, {kind}"
    return [(name, f"{extra:.0f} MB", "", "", f"<= {target} MB", verdict(extra <= target))]


def populations(sizes):
    """Seconds of k-map and delta-presence at growing sizes, and their peak memory."""
    rows, each = [], []
    for size in sizes:
        seconds, peak = reported(lambda n=size: _run("people", n), "extra")
        each.append(seconds / size)
        ratio = each[-1] / each[0]
        name = f"k-map and delta-presence, {size:,} x {size:,} rows"
        cost = (f"{seconds:.3f} s", f"{peak / 1e9:.2f} GB", f"{ratio:.2f} per row")
        rows.append((name, *cost, "<= 2, 24 GB", verdict(ratio <= 2 and peak <= 24e9)))
    return rows


def _run(*arguments):
    """Run this file as a process of its own."""
    command = [sys.executable, HERE, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def steps(scale):
    """Every case, under the name of its table."""
    name = cases.adult()[1]
    found = []
    for times in (1, 10, 100 if scale == 1 else 1):
        found.append((f"{name} x {times}", lambda times=times: against_factorising(times)))
    found.append((f"{name}, 6 raw columns", lambda: against_pycanon(raw_table(), 1000)))
    found.append((f"{name}, 5 coarse columns", lambda: against_pycanon(coarse_table(), 100)))
    large = max(100 // scale, 1)
    for kind, target in (("strings", 200), ("categories", 100)):
        found.append(
            (
                f"{name} x {large}",
                lambda kind=kind, target=target: memory(kind, large, target),
            )
        )
    sizes = [rows // scale for rows in (50_000, 500_000, 5_000_000)]
    found.append(("6 columns", lambda: populations(sizes)))
    return found


def measure_people(rows):
    """Seconds and memory of k-map and delta-presence of a sample as large as the people."""
    columns = cases.codes(rows, (2, 5, 10, 50, 100, 20))
    people = pd.DataFrame({f"c{j}": codes for j, codes in enumerate(columns)})
    sample = people.iloc[np.random.default_rng(2).permutation(rows)]
    known = list(people.columns)

    def judge():
        tk.k_map(sample, people, known)
        tk.delta_presence(sample, people, known)

    start = time.process_time()
    _, extra = peak_above(judge)
    return {"extra": int(extra), "seconds": time.process_time() - start}


def main():
    kind, number = sys.argv[1], int(sys.argv[2])
    if kind == "people":
        print(json.dumps(measure_people(number)))
        return
    data = raw_table(number)
    data = data.astype("category") if kind == "categories" else data
    _, extra = peak_above(lambda: all_nine(data))
    print(json.dumps({"extra": int(extra)}))


if __name__ == "__main__":
    main()
