"""Run AnonyPy's Mondrian in its own environment: python peer_anonypy.py FOLDER K.

The folder holds data.csv, of which columns of text are nominal. AnonyPy counts records for
each sensitive value, so a column that is the same for everybody is added. Prints CPU seconds,
the number of classes and the version as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import anonypy
import pandas as pd


def main():
    data = pd.read_csv(Path(sys.argv[1]) / "data.csv")
    names = list(data.columns)
    for name in names:
        if data[name].dtype == object:
            data[name] = data[name].astype("category")
    data["everybody"] = pd.Categorical(["x"] * len(data))
    start = time.process_time()
    rows = anonypy.Preserver(data, names, "everybody").anonymize_k_anonymity(
        k=int(sys.argv[2])
    )
    seconds = time.process_time() - start
    found = {"seconds": seconds, "classes": len(rows), "version": version("anonypy")}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
