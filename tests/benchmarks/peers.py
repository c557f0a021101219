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
PEERS = HERE.parents[1] / ".tools" / "peers"


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


class PycanonTask(NamedTuple):
    """A table, its quasi-identifiers (all columns but the last) and its sensitive column."""

    data: pd.DataFrame


class PycanonAnswer(NamedTuple):
    """Per task the number (or error) and the CPU seconds of each metric, and the version."""

    values: list[dict[str, Any]]
    seconds: list[dict[str, float]]
    version: str


def make_peer(name: str, pins: Path | None = None) -> Path | None:
    """Python of a peer's environment, made at the first call; None where it cannot be made."""
    folder = PEERS / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready"
    if not ready.exists():
        print(f"installing {name} in an environment of its own", flush=True)
        pins = pins or HERE / f"peer_{name}.txt"
        commands: list[list[Any]] = [
            ["venv", "--quiet", "--clear", "--python", sys.executable, folder],
            ["pip", "install", "--quiet", "--python", python, "-r", pins],
        ]
        for command in commands:
            if subprocess.run([sys.executable, "-P", "-m", "uv", *command]).returncode:
                return None
        ready.touch()
    return python


def run_pycanon(python: Path, tasks: list[PycanonTask]) -> PycanonAnswer:
    """Let pyCANON measure tables by its nine metrics."""
    with tempfile.TemporaryDirectory() as name:
        for number, task in enumerate(tasks):
            task.data.to_csv(Path(name) / f"{number:04}.csv", index=False)
        command = [python, "-W", "ignore", HERE / "peer_pycanon.py", name]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return PycanonAnswer(report["values"], report["seconds"], report["version"])


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
