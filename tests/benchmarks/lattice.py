"""The lattice search: its cost against the exhaustive sweep, and how many nodes it evaluates.

Then Mondrian and local suppression, which search no lattice: their cost per row as the table
grows, and their loss beside that of the optimal levels.

The common work is UCI Adult without rows that hold a `?` and ARX's public hierarchies, where
PRIVACY_TOOLKIT_DATA has both (`arx_adult/adult_hierarchy_*.csv`); otherwise the stand-in of
Adult without missing cells and the project's own hierarchies. Both sides find the same levels
and the same loss, or the row says so.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import peers
from turns import RUNS, Median, in_turns, verdict

import toolkit as tk
from toolkit.datasets import load_adult, load_adult_hierarchies

HERE = Path(__file__).resolve().parent
NAMES = ["sex", "age", "race", "marital-status", "education"]
NAMES += ["native-country", "workclass", "occupation", "income"]
LIMITS = (0.0, 0.05, 1.0)


def work():
    """Table, hierarchies, and what they are."""
    folder = Path(os.environ.get("PRIVACY_TOOLKIT_DATA", "")) / "arx_adult"
    if folder.is_dir():
        files = {name: "salary-class" if name == "income" else name for name in NAMES}
        trees = {
            name: tk.read_hierarchy(folder / f"adult_hierarchy_{file}.csv")
            for name, file in files.items()
        }
        return load_adult("uci").dropna(), trees, "UCI Adult, ARX's hierarchies"
    return load_adult().dropna(), load_adult_hierarchies(), "stand-in, own hierarchies"


def cpu(call):
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def median(call):
    """Median CPU seconds of a call that is made several times, and its last result."""
    seconds, results = zip(*[cpu(call) for _ in range(RUNS)], strict=True)
    return Median(seconds), results[-1]


def searches(columns, loss, limits=LIMITS, scale=1):
    """Optimal search against the exhaustive sweep, in turns, by suppression limit."""
    data, trees, what = work()
    data, names = data.iloc[::scale], NAMES[:columns]
    rows = []
    for limit in limits:
        setting = {"k": 5, "suppression_limit": limit, "loss": loss}
        ours, theirs = [], []
        for _ in range(RUNS):
            found, one = cpu(
                lambda s=setting: tk.optimal_generalisation(data, names, trees, **s)
            )
            every, other = cpu(
                lambda s=setting: tk.exhaustive_generalisation(data, names, trees, **s)
            )
            ours.append(found)
            theirs.append(every)
        same = one.levels == other.levels and abs(one.loss - other.loss) <= 1e-9
        fast, slow = Median(ours), Median(theirs)
        name = f"{loss}, limit {limit:g}: search against sweep (CPU; {what})"
        target = 10 if loss == "loss" else 1
        times = (f"{fast:.3f} s", f"{slow:.3f} s", f"{slow / fast:.1f}", f">= {target}")
        rows.append((name, *times, verdict(same and slow / fast >= target)))
        if loss == "loss":
            looks = (str(one.evaluations), str(other.evaluations), "", "<= 600")
            name = f"{loss}, limit {limit:g}: nodes evaluated"
            rows.append((name, *looks, verdict(one.evaluations <= 600)))
    return rows


def measured_loss(answer, tables, records):
    """ARX's loss of a table in which each column shows the labels of one level."""
    product = 1.0
    for name, table in tables.items():
        shown = answer[name].unique()
        level = next(i for i in table.columns if set(shown) <= set(table[i]))
        share = table[level].value_counts(normalize=True)
        total = answer[name].map(share).sum() + records - len(answer)
        least = records / len(table)
        product *= max(1e-10, (total - least) / (records - least)) + 1
    return product ** (1 / len(tables)) - 1


def against_anjana(columns, percents=(0, 5, 20), scale=1):
    """The optimal search against ANJANA's greedy one, on the same table and hierarchies."""
    python = peers.make_peer("anjana")
    data, trees, what = work()
    data, names = data.iloc[::scale], NAMES[:columns]
    tables = {name: trees[name].astype(str) for name in names}
    for table in tables.values():
        table.columns = range(table.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        data[names].to_csv(Path(folder) / "data.csv", index=False)
        for name, table in tables.items():
            table.to_csv(Path(folder) / f"{name}.csv", index=False, header=False)
        settings = {"names": names, "k": 5, "limits": list(percents), "runs": RUNS}
        (Path(folder) / "settings.json").write_text(json.dumps(settings))
        command = [python, "-W", "ignore", HERE / "peer_anjana.py", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        theirs = json.loads(done.splitlines()[-1])["seconds"]
        files = [Path(folder) / f"answer{i}.csv" for i in range(len(percents))]
        answers = [pd.read_csv(file, dtype=str, keep_default_na=False) for file in files]
    rows = []
    for percent, seconds, answer in zip(percents, map(Median, theirs), answers, strict=True):
        setting = {"k": 5, "suppression_limit": percent / 100}
        ours, found = median(
            lambda s=setting: tk.optimal_generalisation(data, names, trees, **s)
        )
        loss = measured_loss(answer, tables, len(data))
        name = f"limit {percent} %: search against ANJANA (CPU; {what})"
        times = (f"{ours:.3f} s", f"{seconds:.2f} s", f"{seconds / ours:.1f}", ">= 1")
        rows.append((name, *times, verdict(seconds >= ours)))
        name = f"limit {percent} %: loss beside ANJANA's"
        losses = (f"{found.loss:.4f}", f"{loss:.4f}", f"{found.loss / loss:.2f}", "<= 1")
        rows.append((name, *losses, verdict(found.loss <= loss * (1 + 1e-9))))
    return rows


def cells(columns, sizes=(3_000, 30_000, 300_000), scale=1):
    """Mondrian and local suppression at growing sizes, and their loss beside the lattice's."""
    data, trees, what = work()
    names, forest = NAMES[:columns], {name: trees[name] for name in NAMES[:columns]}
    shuffled = data.sample(frac=1, random_state=0)[names]
    best = tk.optimal_generalisation(data, names, trees, k=5, suppression_limit=0.05)
    least = tk.information_loss(data, best.with_suppressed_rows(), forest)
    calls = {
        "Mondrian": lambda table: tk.mondrian(table, names, k=5),
        "Mondrian by hierarchies": lambda table: tk.mondrian(
            table, names, k=5, hierarchies=forest
        ),
        "local suppression": lambda table: tk.local_suppression(table, names, k=5),
    }
    rows = []
    for name, call in calls.items():
        costs = []
        for size in sizes:
            times = -(-size // scale // len(data))
            table = pd.concat([shuffled] * times, ignore_index=True).iloc[: size // scale]
            found, release = median(lambda t=table, c=call: c(t))
            costs.append(found / len(table))
            growth = costs[-1] / costs[0]
            met = verdict(growth <= 2 and release.privacy["k"] >= 5)
            line = f"{name}, {len(table):,} rows (CPU; {what})"
            rows.append((line, f"{found:.3f} s", "", f"{growth:.2f} per row", "<= 2", met))
        loss = tk.information_loss(data[names], call(data[names]).data, forest)
        line = f"{name}: loss beside the best levels', 5 % suppressed"
        ratio = (f"{loss:.4f}", f"{least:.4f}", f"{loss / least:.2f}", "<= 1")
        rows.append((line, *ratio, verdict(loss <= least)))
    return rows


def against_anonypy(rows=100_000, k=10, scale=1):
    """Mondrian against AnonyPy's: the same table, its classes and what they leave open."""
    python = peers.make_peer("anonypy")
    data = mixed(rows // scale)
    with tempfile.TemporaryDirectory() as folder:
        data.to_csv(Path(folder) / "data.csv", index=False)
        given = [folder, str(k), str(RUNS)]
        command = [python, "-W", "ignore", HERE / "peer_anonypy.py", *given]
        done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        theirs = json.loads(done.splitlines()[-1])
    (ours,) = in_turns([lambda: tk.mondrian(data, list(data.columns), k=k)], 5)
    release = tk.mondrian(data, list(data.columns), k=k)
    classes = release.data.groupby(list(data.columns), observed=True).ngroups
    seconds = Median(theirs["seconds"])
    ratio = seconds / ours
    times = (f"{ours:.3f} s", f"{seconds:.1f} s", f"{ratio:.0f}", ">= 50")
    counts = (f"{classes:,}", f"{theirs['classes']:,}")
    share, worse = classes / theirs["classes"], release.loss / theirs["loss"]
    losses = (f"{release.loss:.5f}", f"{theirs['loss']:.5f}")
    return [
        (f"Mondrian, k = {k}, against AnonyPy (CPU)", *times, verdict(ratio >= 50)),
        ("classes beside AnonyPy's", *counts, f"{share:.3f}", ">= 1", verdict(share >= 1)),
        ("loss beside AnonyPy's", *losses, f"{worse:.3f}", "<= 1", verdict(worse <= 1)),
    ]


def mixed(rows, seed=1):
    """Six columns: three of whole numbers, three nominal."""
    rng = np.random.default_rng(seed)
    data = {
        "age": rng.integers(17, 91, rows),
        "hours": rng.integers(1, 100, rows),
        "income": (rng.lognormal(10, 1, rows) / 100).astype(int) * 100,
    }
    for name, size in (("place", 400), ("job", 14), ("sex", 2)):
        codes = np.minimum(rng.geometric(3 / (size + 2), rows) - 1, size - 1)
        data[name] = pd.Categorical.from_codes(codes, [f"{name} {i}" for i in range(size)])
    return pd.DataFrame(data)


def million(rows, k=10):
    """Mondrian of a million records."""
    data = mixed(rows)
    (ours,) = in_turns([lambda: tk.mondrian(data, list(data.columns), k=k)], 5)
    return [
        (f"Mondrian, k = {k} (CPU)", f"{ours:.2f} s", "", "", "<= 3 s", verdict(ours <= 3))
    ]


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    return [
        ("8 columns", lambda: searches(8, "loss", scale=scale)),
        ("9 columns", lambda: searches(9, "loss", (0.0, 0.01, 0.05, 0.2, 1.0), scale=scale)),
        ("8 columns", lambda: against_anjana(8, scale=scale)),
        ("8 columns", lambda: searches(8, "average_class_size", scale=scale)),
        ("9 columns", lambda: searches(9, "average_class_size", scale=scale)),
        ("8 columns", lambda: cells(8, scale=scale)),
        ("1,000,000 x 6 mixed", lambda: million(1_000_000 // scale)),
        ("100,000 x 6 mixed", lambda: against_anonypy(scale=scale)),
    ]
