"""Run each cell of a notebook once more after the last: `python rerun.py NOTEBOOK VALUES`.

The first run has the parameters' values that are given as JSON, below the cell tagged
`parameters`, as papermill writes them. Then the process is copied, and each copy runs one
cell, so that no cell sees what another one's second run has left. Faults are printed, one line
each.
"""

import json
import os
import sys
from pathlib import Path

import nbformat
from IPython.core.interactiveshell import InteractiveShell


def fault_of(shell: InteractiveShell, source: str) -> str:
    """What went wrong in a cell; empty if nothing did."""
    done = shell.run_cell(source)
    error = done.error_before_exec or done.error_in_exec
    return f"{type(error).__name__}: {error}" if error else ""


def again(shell: InteractiveShell, source: str) -> str:
    """What goes wrong if the cell runs in a copy of this process."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        fault = fault_of(shell, source)
        os.write(writes, fault.encode()[:4096])
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        fault = pipe.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return fault or ("" if not code else f"the process ended with {code}")


def main(path: Path, values: dict) -> list[str]:
    """Faults of all cells that cannot be run again."""
    os.chdir(path.parent)
    shell = InteractiveShell.instance()
    cells = nbformat.read(path, as_version=4).cells
    sources = {n: cell.source for n, cell in enumerate(cells) if cell.cell_type == "code"}
    for number, source in sources.items():
        if fault := fault_of(shell, source):
            return [f"cell {number}, first run: {fault}"]
        if "parameters" in cells[number].metadata.get("tags", []):
            shell.push(values)
    faults = {number: again(shell, source) for number, source in sources.items()}
    return [f"cell {number}: {fault}" for number, fault in faults.items() if fault]


if __name__ == "__main__":
    sys.stdout, told = sys.stderr, sys.stdout  # what cells print is not what is told
    found = main(Path(sys.argv[1]).resolve(), json.loads(sys.argv[2]))
    print(*found, sep="\n", file=told)
