"""Run piflib in its own environment: python peer_piflib.py FOLDER REPEATS.

For each table N.csv of strings in the folder, with `priors` and `accuracies` by position in
N.json, writes CIG and CSF to N.npz; prints CPU seconds and piflib's version as JSON.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from piflib import compute_cigs, compute_csfs


def main():
    folder, repeats, seconds = Path(sys.argv[1]), int(sys.argv[2]), []
    for source in sorted(folder.glob("*.csv")):
        # Plain Python strings: what piflib hashes fastest.
        data = pd.read_csv(source, dtype=str, keep_default_na=False).astype(object)
        settings = json.loads(source.with_suffix(".json").read_text())
        priors, accuracies = (
            {int(j): setting for j, setting in settings[name].items()}
            for name in ("priors", "accuracies")
        )
        for _ in range(repeats):
            start = time.process_time()
            cig = compute_cigs(data, priors, accuracies)
            csf = compute_csfs(data, priors, accuracies)
            seconds.append(time.process_time() - start)
        np.savez(source.with_suffix(".npz"), cig=cig.to_numpy(float), csf=csf.to_numpy(float))
    print(json.dumps({"seconds": seconds, "version": version("piflib")}))


if __name__ == "__main__":
    main()
