"""Run AnonyPy's Mondrian in its own environment: python peer_anonypy.py FOLDER K RUNS.

The folder holds data.csv, of which columns of text are nominal. AnonyPy counts records for
each sensitive value, so a column that is the same for everybody is added. Prints the CPU
seconds of each run and the version as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import anonypy
import pandas as pd

data, seconds = pd.read_csv(Path(sys.argv[1]) / "data.csv"), []
names = list(data.columns)
texts = [name for name in names if data[name].dtype == object]
data = data.astype(dict.fromkeys(texts, "category"))
data["everybody"] = pd.Categorical(["x"] * len(data))
for _ in range(int(sys.argv[3])):
    start = time.process_time()
    anonypy.Preserver(data, names, "everybody").anonymize_k_anonymity(k=int(sys.argv[2]))
    seconds.append(time.process_time() - start)
print(json.dumps({"seconds": seconds, "version": version("anonypy")}))
