"""How long do a report, a check and a release take, and how much memory?

The commands are run as a user runs them, from a file to the page or the numbers; the memory is
that of the command and its kernel together, at the peak. The other side is the limit.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from turns import RUNS, Median, verdict

REPORTED = {2_000: 4.5, 100_000: 7.0, 1_000_000: 14.0}
"""CPU seconds that a report may take, by the records of its table."""
GIGABYTES = 8
ANY = ["--k", "1", "--l", "1", "--t", "1"]
"""Thresholds that every table meets, so that each number is measured."""
CHECKED = {"people.parquet": 2.5, "people.csv": 4.0}
"""CPU seconds that a check may take, by the file that it reads."""
KNOWN = "age,sex,zip,race,education,marital"


def table(rows, seed=0):
    """Ten columns as a register has them: names, what others know, secrets, measurements."""
    rng = np.random.default_rng(seed)
    zips, schools = np.arange(10_000, 10_400), [f"school {i}" for i in range(16)]
    return pd.DataFrame(
        {
            "name": [f"Person {i}" for i in range(rows)],
            "age": rng.integers(17, 91, rows),
            "sex": rng.choice(["f", "m"], rows),
            "zip": rng.choice(zips, rows),
            "race": rng.choice(list("abcde"), rows, p=[0.7, 0.15, 0.1, 0.04, 0.01]),
            "education": rng.choice(schools, rows),
            "marital": rng.choice(["never", "married", "divorced", "widowed"], rows),
            "disease": rng.choice([f"illness {i}" for i in range(30)], rows),
            "income": rng.lognormal(10, 1, rows).round(),
            "dose": rng.normal(70, 10, rows),
        }
    )


def watched(arguments, folder):
    """Wall and CPU seconds of a command and its children, and their memory at the peak."""
    start, peak, spent = time.perf_counter(), 0, {}
    command = [sys.executable, "-P", "-m", "toolkit", *arguments]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen(command, cwd=folder, **quiet)
    process = psutil.Process(running.pid)
    while running.poll() is None:
        resident = 0
        for one in [process, *children(process)]:
            try:
                resident += one.memory_info().rss
                spent[one.pid] = sum(one.cpu_times()[:2])
            except psutil.Error:  # it has just ended
                continue
        peak = max(peak, resident)
        time.sleep(0.05)
    if running.returncode:
        raise RuntimeError(f"the report ended with status {running.returncode}")
    return time.perf_counter() - start, sum(spent.values()), peak


def children(process):
    """Processes that a process has started; none if it has ended."""
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def wide(rows, columns=40):
    """The table of ten columns, and measurements, numbers and categories beside it."""
    rng, people = np.random.default_rng(1), table(rows)
    for place in range(columns - people.shape[1]):
        measured = rng.normal(size=rows).round(3)
        numbers = rng.integers(0, 10 ** (1 + place % 4), rows)
        words = rng.choice([f"c{j}" for j in range(3 + place)], rows)
        people[f"m{place}"] = (measured, numbers, words)[place % 3]
    return people


def commands(people, arguments, repeats):
    """Median seconds, median CPU and the peak memory of a command on a CSV file."""
    with tempfile.TemporaryDirectory() as kept:
        people.to_csv(Path(kept, "people.csv"), index=False)
        runs = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory(dir=kept) as folder:  # nothing is written over
                os.link(Path(kept, "people.csv"), Path(folder, "people.csv"))
                runs.append(watched([arguments[0], "people.csv", *arguments[1:]], folder))
    seconds, cpu, peak = zip(*runs, strict=True)
    return Median(seconds), Median(cpu), max(peak) / 1e9


def report(rows, most, repeats=RUNS):
    """A report from a CSV file, against the limits."""
    arguments = ["report", "--quasi-identifiers", KNOWN, "--sensitive", "disease,income"]
    seconds, cpu, memory = commands(table(rows), arguments, repeats)
    took = (f"{cpu:.2f} s", f"{most} s", f"{cpu / most:.2f}", "<= 1", verdict(cpu <= most))
    small = verdict(memory <= GIGABYTES)
    held = (f"{memory:.2f} GB", f"{GIGABYTES} GB", f"{memory / GIGABYTES:.2f}", "<= 1", small)
    return [
        (f"a report, from CSV to page (CPU; {seconds + 0:.1f} s elapsed)", *took),
        ("peak memory of the command and its kernel", *held),
    ]


def columns(rows, repeats=RUNS):
    """What a table of forty columns takes; nobody has set a limit."""
    people, roles = wide(rows), ["--quasi-identifiers", KNOWN, "--sensitive", "disease,income"]
    found = []
    for name, more in (("check", ANY), ("report", []), ("treat", ["--k", "5"])):
        seconds, cpu, memory = commands(people, [name, *roles, *more], repeats)
        what = f"{name}: CPU and peak memory ({seconds + 0:.1f} s elapsed)"
        found.append((what, f"{cpu:.2f} s", f"{memory:.2f} GB", "", "", ""))
    return found


def checks(rows, repeats=RUNS):
    """The numbers of a table, from each kind of file."""
    found, people = [], table(rows)
    with tempfile.TemporaryDirectory() as folder:
        people.to_csv(Path(folder, "people.csv"), index=False)
        people.to_parquet(Path(folder, "people.parquet"))
        for file, most in CHECKED.items():
            roles = ["--quasi-identifiers", KNOWN, "--sensitive", "disease,income"]
            command = [sys.executable, "-P", "-m", "toolkit", "check", file, *roles, *ANY]
            taken = []
            for _ in range(repeats):
                before = os.times()
                subprocess.run(command, cwd=folder, check=True, capture_output=True)
                after = os.times()
                taken.append(sum(after[2:4]) - sum(before[2:4]))
            ours = Median(taken)
            seconds = (f"{ours:.2f} s", f"{most} s", f"{ours / most:.2f}", "<= 1")
            name = f"a check of {file.removeprefix('people.')}, roles guessed (CPU)"
            found.append((name, *seconds, verdict(ours <= most)))
    return found


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    rows, some = 1_000_000 // scale, 300_000 // scale
    return [
        *(
            (f"{size // scale:,} x 10 from CSV", partial(report, size // scale, most))
            for size, most in REPORTED.items()
        ),
        (f"{some:,} x 40 from CSV", lambda: columns(some)),
        (f"{rows:,} x 10", lambda: checks(rows)),
    ]
