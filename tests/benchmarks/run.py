"""How fast, and how much memory? Ratios against a peer or a floor, both sides in one run.

    python3 dev.py bench [--quick] [--only WORD]

The peer is piflib 0.1.1 in an environment of its own (`.tools/peers/piflib`, made at the first
run); tables and results pass through files. The floor is what polars needs to count the
records of each context, one group_by per feature with its default threads. `--quick` takes a
hundredth of the rows: to try the benchmark, not to measure. `--only` takes tables that have
a word in their name, as "Parquet". Each row is shown on the error stream when it is there.
"""

import argparse
import cProfile
import json
import os
import platform
import pstats
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import anonymity
import answers
import arx
import audit
import cases
import engines
import explorer
import histograms
import identifiability
import lattice
import mechanisms
import numpy as np
import pandas as pd
import peers
import polars as pl
import report
import uniqueness
from tqdm import tqdm
from turns import RUNS, Median, cpu_seconds, in_turns, verdict

import toolkit as tk

HERE = Path(__file__).resolve().parent
SEEN = {}  # versions that the peers reported
MOST = {"information_factors": 1.3, "cell_information_gain": 2}
"""Extra memory as a multiple of the tables that come back."""
EXTRAS = ("feature_information_gain", "row_information_gain", "wcig", "pif")


def main():
    """Run all cases and print a table in Markdown; status 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the rows")
    parser.add_argument("--only", default="", help="word in the name of a table")
    asked = parser.parse_args()
    scale = 100 if asked.quick else 1
    peer = peers.make_piflib()
    steps = [
        ("38,462 x 6 strings", lambda: against_peer(peer, cases.hackathon(), 200, 7, 5)),
        ("38,462 x 6 strings, objects", lambda: objects(peer)),
        ("1,000,000 x 8", lambda: million(peer, 1_000_000 // scale)),
        ("100,000 x 30", lambda: thirty_columns(peer, 100_000 // scale)),
        ("38,462 x 6", lambda: against_floor(hackathon_codes(), 15, 0.45)),
        (
            "1,000,000 x 8",
            lambda: against_floor(cases.codes(1_000_000 // scale, cases.MILLION), 5, 0.3),
        ),
        (
            "1,000,000 x 6, many equal rows",
            lambda: against_floor(cases.codes(1_000_000 // scale, cases.EQUAL_ROWS), 5, 0.8),
        ),
        (
            "100,000 x 30",
            lambda: against_floor(cases.codes(100_000 // scale, cases.THIRTY_COLUMNS), 5, 1),
        ),
        (
            "10,000,000 x 6",
            lambda: against_floor(cases.codes(10_000_000 // scale, cases.TEN_MILLION), 5, 0.5),
        ),
        ("10,000,000 x 6", lambda: memory("information_factors", 10_000_000 // scale)),
        ("10,000,000 x 6", lambda: memory("cell_information_gain", 10_000_000 // scale)),
        ("a reader waits", answers.rows),
        ("1,000,000 x 8", lambda: one_pass(cases.codes(1_000_000 // scale, cases.MILLION))),
        *identifiability.steps(scale),
        *lattice.steps(scale),
        *arx.steps(),
        *anonymity.steps(scale),
        *histograms.steps(scale),
        *audit.steps(scale),
        *mechanisms.steps(scale),
        *uniqueness.steps(scale),
        *report.steps(scale),
        *explorer.steps(scale),
        *engines.steps(scale),
    ]
    rows = []
    for table, step in tqdm([one for one in steps if asked.only in one[0]], desc="benchmarks"):
        found = [(table, *row) for row in step()]
        tqdm.write("\n".join(" | ".join(row) for row in found), file=sys.stderr)
        rows += found
    print(as_markdown(rows))
    print(f"\n{date.today()}, {machine()}\n{versions()}")
    if scale > 1:
        print("A quick trial: the sizes are not those of the first column.")
    sys.exit(any(row[-1] == "MISSED" for row in rows) and scale == 1)


def against_peer(python, data, target, repeats, peer_repeats, prepared=None):
    """CPU time of CIG and CSF (and wCIG, FIG, RIG) against piflib's CIG and CSF."""
    if python is None:
        return [("CIG + CSF against piflib (CPU)", "", "", "not measured", f">= {target}", "")]
    mine = data if prepared is None else prepared
    ours = cpu_seconds(lambda: tk.information_factors(mine), repeats)
    answer = peers.run_piflib(python, [peers.PiflibTask(data)], peer_repeats)
    SEEN["piflib"] = answer.version
    theirs = Median(answer.seconds)
    factors = tk.information_factors(mine)
    pairs = ((factors.cig, answer.cig[0]), (factors.csf, answer.csf[0]))
    apart = max(np.abs(mine - other).max(axis=None) for mine, other in pairs)
    speed = ("CIG + CSF against piflib (CPU)", f"{ours:.4f} s", f"{theirs:.2f} s")
    agree = ("largest difference from piflib", f"{apart:.1e}", "", "", "<= 1e-12")
    return [
        (*speed, f"{theirs / ours:.0f}", f">= {target}", verdict(theirs / ours >= target)),
        (*agree, verdict(apart <= 1e-12)),
    ]


def objects(python):
    """The same texts as Python objects."""
    texts = cases.hackathon()
    return against_peer(python, texts, 120, 7, 5, prepared=texts.astype(object))


def million(python, rows):
    """A million rows of categories, whose codes the toolkit takes as they are."""
    data = cases.strings(cases.codes(rows, cases.MILLION))
    return against_peer(python, data, 600, 15, 5, prepared=data.astype("category"))


def thirty_columns(python, rows):
    """Thirty columns of categories: nearly every row is unique."""
    data = cases.strings(cases.codes(rows, cases.THIRTY_COLUMNS))
    return against_peer(python, data, 300, 5, 5, prepared=data.astype("category"))


def hackathon_codes():
    """Whole numbers in place of the strings."""
    return [
        pd.factorize(column)[0].astype(np.int32) for _, column in cases.hackathon().items()
    ]


def against_floor(codes, repeats, most):
    """Wall time of all factors against one polars group_by per feature, in turns."""
    data = pd.DataFrame(dict(enumerate(codes)))
    table = pl.DataFrame({str(j): column for j, column in enumerate(codes)})

    def floor():
        for name in table.columns:
            table.group_by(pl.exclude(name)).len()

    calls = [floor, lambda: tk.information_factors(data)]
    least, ours = in_turns(calls, repeats, time.perf_counter)
    ratio = ours / least
    times = (f"{ours:.4f} s", f"{least:.4f} s", f"{ratio:.2f}")
    name = "all factors against polars counts (wall)"
    return [(name, *times, f"<= {most}", verdict(ratio <= most))]


def memory(function, rows):
    """Peak memory above the table's own, against the size of the result."""
    command = [sys.executable, HERE / "memory.py", function, str(rows)]
    done = [subprocess.run(command, check=True, capture_output=True) for _ in range(RUNS)]
    reports = [json.loads(one.stdout) for one in done]
    extra, output = Median([one["extra"] / 1e6 for one in reports]), reports[0]["output"] / 1e6
    ratio = extra / output
    sizes = (f"{extra:.0f} MB", f"{output:.0f} MB")
    name, most = f"extra memory of {function}", MOST[function]
    return [(name, *sizes, f"{ratio:.2f}", f"<= {most}", verdict(ratio <= most))]


def everything(data):
    """All factors; the weighted gains are multiplied out when they are asked for."""
    factors = tk.information_factors(data)
    return factors, factors.wcig, factors.pif(95)


def one_pass(codes):
    """What wCIG, FIG, RIG and PIF add to CIG and CSF, by profiling the same call."""
    data = pd.DataFrame(dict(enumerate(codes)))
    whole, core = [], []
    everything(data)
    for _ in range(RUNS):
        profile = cProfile.Profile()
        profile.runcall(everything, data)
        stats = pstats.Stats(profile)
        cumulative = {name: row[3] for (_, _, name), row in stats.stats.items()}
        whole.append(stats.total_tt)
        core.append(stats.total_tt - sum(cumulative[name] for name in EXTRAS))
    ours, least = Median(whole), Median(core)
    ratio = ours / least
    name = "information_factors against the CIG and CSF in it"
    times = (f"{ours:.4f} s", f"{least:.4f} s", f"{ratio:.2f}")
    return [(name, *times, "<= 1.3", verdict(ratio <= 1.3))]


def as_markdown(rows):
    """Lay the results out as a table."""
    head = ("table", "measure", "toolkit", "other side", "ratio", "target", "")
    body = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in body)


def machine():
    """Name the processor, as far as the system tells."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(x.split(":")[1].strip() for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{os.cpu_count()} x {model}, {platform.system()}"


def versions():
    """Name what was measured with."""
    used = {"Python": platform.python_version(), "numpy": np.__version__}
    used |= {"pandas": pd.__version__, "polars": pl.__version__, "toolkit": tk.__version__}
    return ", ".join(f"{name} {version}" for name, version in (used | SEEN).items())


if __name__ == "__main__":
    main()
