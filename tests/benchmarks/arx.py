"""The optimal search beside ARX: `python tests/benchmarks/arx.py FOLDER`.

FOLDER holds the source of ARX (github.com/arx-deidentifier/arx): `src/main`, and its libraries
below `lib/ant`. It is compiled by the javac on PATH, without its graphical interface. Both
sides are given the table and the hierarchies of `lattice.work`, and as many warm-ups. ARX's
time is that of `anonymize()`, which finds its data coded; the toolkit's is its whole call,
which codes text and measures the release. The CPU time of Java is that of all of its threads,
as a mean of the calls that are timed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lattice
from turns import Median, verdict

import toolkit as tk

HERE = Path(__file__).resolve().parent
K, WARM_UPS, REPEATS = 5, 5, 7
MOST = {0: 0.65, 0.05: 0.5, 1: 0.5}
"""Share of ARX's time that the search may take, by suppression limit."""


def jars(folder):
    """ARX's libraries, without those of its windows."""
    found = (Path(folder) / "lib" / "ant").rglob("*.jar")
    return [str(jar) for jar in found if not {"swt", "eclipse"} & set(str(jar).split(os.sep))]


def compiled(folder, into):
    """Class path of ARX and of the program that times it."""
    sources = [
        p for p in (Path(folder) / "src" / "main").rglob("*.java") if "gui" not in p.parts
    ]
    path = os.pathsep.join(jars(folder))
    options = ["javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", into, "-cp", path]
    listed = Path(into) / "sources"
    listed.write_text("\n".join(map(str, [*sources, HERE / "PeerArx.java"])))
    subprocess.run([*options, f"@{listed}"], check=True, stderr=subprocess.DEVNULL)
    return os.pathsep.join([str(into), path])


def theirs(folder, data, names, trees):
    """ARX's answers, by measure and limit."""
    with tempfile.TemporaryDirectory() as name:
        data[names].to_csv(Path(name) / "data.csv", index=False)
        for j, column in enumerate(names):
            table = trees[column].astype(str)
            table.to_csv(Path(name) / f"{j}.csv", index=False, header=False)
        classes = Path(name) / "classes"
        classes.mkdir()
        path = compiled(folder, classes)
        asked = ["java", "-cp", path, "PeerArx", name, str(K), str(WARM_UPS), str(REPEATS)]
        done = subprocess.run([*asked, *names], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {(line["measure"], line["limit"]): line for line in lines}


def ours(data, names, trees, measure, limit):
    """Wall and CPU seconds of each call of the toolkit, and what it found."""
    seconds, cpu = [], []
    for _ in range(WARM_UPS + REPEATS):
        start, before = time.perf_counter(), time.process_time()
        found = tk.optimal_generalisation(
            data, names, trees, k=K, suppression_limit=limit, loss=measure
        )
        cpu.append(time.process_time() - before)
        seconds.append(time.perf_counter() - start)
    return Median(seconds[WARM_UPS:]), Median(cpu[WARM_UPS:]), found


def rows(folder):
    """Two rows for each measure and limit: elapsed time against ARX's, and CPU time."""
    data, trees, what = lattice.work()
    names = lattice.NAMES
    answers = theirs(folder, data, names, trees)
    made = []
    for (measure, limit), answer in answers.items():
        seconds, cpu, found = ours(data, names, trees, measure, limit)
        same = list(found.levels.values()) == answer["levels"]
        pairs = {
            f"search against ARX (wall; {what})": (seconds, Median(answer["seconds"])),
            "the same in CPU, all threads of Java among them": (cpu, answer["cpu"]),
        }
        for name, (mine, other) in pairs.items():
            most, ratio = MOST[limit], mine / other
            shown = (f"{mine:.3f} s", f"{other:.3f} s", f"{ratio:.2f}", f"<= {most}")
            met = verdict(same and ratio <= most)
            made.append((f"{measure}, limit {limit:g}: {name}", *shown, met))
    return made


def steps():
    """The rows, where $PRIVACY_TOOLKIT_ARX names ARX's folder."""
    folder = os.environ.get("PRIVACY_TOOLKIT_ARX")
    return [("30,162 x 9, 12,960 nodes", lambda: rows(folder))] if folder else []


if __name__ == "__main__":
    for row in rows(sys.argv[1]):
        print(*row, sep=" | ", flush=True)
