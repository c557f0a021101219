"""Tools that pin old versions: each in its own environment, tables passing through files."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
PIFLIB = HERE.parents[1] / ".tools" / "peers" / "piflib"


class PiflibTask(NamedTuple):
    """A table of strings, with priors and accuracies by position."""

    data: pd.DataFrame
    priors: dict[int, dict[str, float]] = {}
    accuracies: dict[int, float] = {}


class PiflibAnswer(NamedTuple):
    """CIG and CSF of each task, CPU seconds of each run, and the version that ran."""

    cig: list[np.ndarray]
    csf: list[np.ndarray]
    seconds: list[float]
    version: str


def make_piflib() -> Path | None:
    """Python of piflib's environment, made at the first call; None where it cannot be made."""
    python = PIFLIB / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = PIFLIB / "ready"
    if not ready.exists():
        print("installing piflib in an environment of its own", flush=True)
        commands: list[list[Any]] = [
            ["venv", "--quiet", "--clear", "--python", sys.executable, PIFLIB],
            ["pip", "install", "--quiet", "--python", python, "-r", HERE / "peer_piflib.txt"],
        ]
        for command in commands:
            if subprocess.run([sys.executable, "-m", "uv", *command]).returncode:
                return None
        ready.touch()
    return python


def run_piflib(python: Path, tasks: list[PiflibTask], repeats: int = 1) -> PiflibAnswer:
    """Let piflib judge tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, task in enumerate(tasks):
            task.data.to_csv(folder / f"{number:04}.csv", index=False)
            settings = {"priors": task.priors, "accuracies": task.accuracies}
            (folder / f"{number:04}.json").write_text(json.dumps(settings))
        command = [python, "-W", "ignore", HERE / "peer_piflib.py", folder, str(repeats)]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        results = [np.load(path) for path in sorted(folder.glob("*.npz"))]
        cig, csf = ([result[measure] for result in results] for measure in ("cig", "csf"))
        for result in results:
            result.close()
    return PiflibAnswer(cig, csf, report["seconds"], report["version"])
