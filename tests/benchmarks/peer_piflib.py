"""Time piflib in its own environment: python peer_piflib.py TABLE.csv RESULT.npz [REPEATS].

Reads a table of strings, keeps CIG and CSF, and prints the CPU seconds of each run as JSON.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
import pandas as pd
from piflib import compute_cigs, compute_csfs


def main():
    source, target, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Plain Python strings: what piflib hashes fastest.
    data = pd.read_csv(source, dtype=str, keep_default_na=False).astype(object)
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        cig, csf = compute_cigs(data), compute_csfs(data)
        seconds.append(time.process_time() - start)
    np.savez(target, cig=cig.to_numpy(float), csf=csf.to_numpy(float))
    print(json.dumps({"seconds": seconds, "version": version("piflib")}))


if __name__ == "__main__":
    main()
