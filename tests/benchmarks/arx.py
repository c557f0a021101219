"""The optimal search beside ARX, where $PRIVACY_TOOLKIT_ARX names its folder.

The folder holds the source of ARX (github.com/arx-deidentifier/arx): `src/main`, and its
libraries below `lib/ant`. It is compiled by the javac on PATH, without its graphical
interface. For a library of Mahout's and of PDFBox, which are large, a stub of the interface
`org.apache.hadoop.io.Writable` and Debian's `libpdfbox2-java` are enough. Both sides are given
the table and the hierarchies of `cases.lattice`, and as many warm-ups. ARX's time is that of
`anonymize()`, which finds its data coded; the toolkit's is its whole call, which codes text
and measures the release.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import cases
from clock import Median

import toolkit as tk

HERE = Path(__file__).resolve().parent
K, WARM_UPS, REPEATS = 5, 5, 7
MOST = {("loss", 0): 1, ("average_class_size", 0): 1}
"""Share of ARX's time that the search may take, by measure and suppression limit."""


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
    listed.write_text("\n".join(f'"{each}"' for each in [*sources, HERE / "PeerArx.java"]))
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


def rows():
    """Elapsed time of each measure and limit against ARX's."""
    folder = os.environ.get("PRIVACY_TOOLKIT_ARX")
    if folder is None:
        yield "search; ARX: not run, as PRIVACY_TOOLKIT_ARX names no folder", *[""] * 5
        return
    data, trees = cases.lattice()
    names = list(data)
    for (measure, limit), answer in theirs(folder, data, names, trees).items():
        seconds, setting = [], {"k": K, "suppression_limit": limit, "loss": measure}
        for _ in range(WARM_UPS + REPEATS):
            start = time.perf_counter()
            found = tk.optimal_generalisation(data, names, trees, **setting)
            seconds.append(time.perf_counter() - start)
        ours, other = Median(seconds[WARM_UPS:]), Median(answer["seconds"])
        most = MOST.get((measure, limit), 0.5 if measure == "loss" else 0.7)
        same = list(found.levels.values()) == answer["levels"]
        met = "met" if same and ours <= most * other else "MISSED"
        shown = (f"{ours:.3f} s", f"{other:.3f} s", f"{ours / other:.2f}", f"<= {most}", met)
        yield (f"search by {measure}, limit {limit:g}; ARX, elapsed", *shown)
