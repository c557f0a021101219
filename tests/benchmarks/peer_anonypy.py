"""Run AnonyPy's Mondrian in its own environment: python peer_anonypy.py FOLDER K RUNS.

The folder holds data.csv, of which columns of text are nominal. AnonyPy counts records for
each sensitive value, so a column that is the same for everybody is added. Prints the CPU
seconds of each run, the number of classes, the loss as `toolkit.mondrian` defines it (how much
of each column's range, or of its values, a cell leaves open, averaged over cells) and the
version as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import anonypy
import pandas as pd


def open_share(cell, column):
    """How much of a column a label of AnonyPy leaves open, from 0 for one value to 1."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return cell.count(",") / (column.nunique() - 1)
    low, _, high = cell.partition("-")
    return (float(high or low) - float(low)) / (column.max() - column.min())


def main():
    data = pd.read_csv(Path(sys.argv[1]) / "data.csv")
    names = list(data.columns)
    for name in names:
        if data[name].dtype == object:
            data[name] = data[name].astype("category")
    data["everybody"] = pd.Categorical(["x"] * len(data))
    k, seconds = int(sys.argv[2]), []
    for _ in range(int(sys.argv[3])):
        start = time.process_time()
        rows = anonypy.Preserver(data, names, "everybody").anonymize_k_anonymity(k=k)
        seconds.append(time.process_time() - start)
    loss = sum(
        row["count"] * sum(open_share(row[name][0], data[name]) for name in names)
        for row in rows
    ) / (len(data) * len(names))
    found = {"seconds": seconds, "classes": len(rows), "loss": loss}
    print(json.dumps(found | {"version": version("anonypy")}))


if __name__ == "__main__":
    main()
