"""Run pyCANON in its own environment: python peer_pycanon.py FOLDER.

For each table N.csv in the folder, whose last column is sensitive and whose others are
quasi-identifiers, prints each metric's value (or error) and CPU seconds as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from pycanon import anonymity


def main():
    values, seconds = [], []
    for source in sorted(Path(sys.argv[1]).glob("*.csv")):
        data = pd.read_csv(source, keep_default_na=False)
        *known, sensitive = data.columns
        values.append({})
        seconds.append({})
        for name in anonymity.__all__:
            arguments = [data, known] + ([] if name == "k_anonymity" else [[sensitive]])
            start = time.process_time()
            try:
                answer = getattr(anonymity, name)(*arguments)
            except Exception as error:  # what it says is part of the answer
                answer = repr(error)
            seconds[-1][name] = time.process_time() - start
            values[-1][name] = answer if isinstance(answer, str) else np.ravel(answer).tolist()
    print(json.dumps({"values": values, "seconds": seconds, "version": version("pycanon")}))


if __name__ == "__main__":
    main()
