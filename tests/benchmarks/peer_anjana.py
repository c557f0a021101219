"""Run ANJANA's k-anonymity in its own environment: python peer_anjana.py FOLDER.

The folder holds data.csv, a table NAME.csv of values x levels per quasi-identifier, and
settings.json with their names in order, k, the suppression limits in per cent and how often
each is run. Writes the anonymised table of each limit, and prints the CPU seconds of its runs
and the version as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity


def main():
    folder = Path(sys.argv[1])
    settings = json.loads((folder / "settings.json").read_text())
    names = settings["names"]
    data = pd.read_csv(folder / "data.csv", dtype=str, keep_default_na=False)
    trees = {}
    for name in names:
        table = pd.read_csv(folder / f"{name}.csv", header=None, dtype=str)
        trees[name] = {level: table[level].to_numpy() for level in table.columns}
    seconds = []
    for number, limit in enumerate(settings["limits"]):
        seconds.append([])
        for _ in range(settings["runs"]):
            start = time.process_time()
            found = k_anonymity(data.copy(), [], names, settings["k"], limit, trees)
            seconds[-1].append(time.process_time() - start)
        found[names].to_csv(folder / f"answer{number}.csv", index=False)
    print(json.dumps({"seconds": seconds, "version": version("anjana")}), file=sys.__stdout__)


if __name__ == "__main__":
    main()
