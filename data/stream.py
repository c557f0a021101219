"""Random draws that stay the same: raw words of PCG64, turned into draws by plain arithmetic.

NumPy keeps the streams of its bit generators and of SeedSequence for good (NEP 19), but may
change the methods of `Generator` in any release. The scripts of this folder have to give the
same file for ever, so they take raw 64-bit words and use nothing but IEEE arithmetic on them.
"""

import gzip
import math
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray


class Stream:
    """A reproducible source of draws; the seed is any list of non-negative integers."""

    def __init__(self, *seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Draws from [0, 1), multiples of 2**-53."""
        return (self._bits.random_raw(size) >> np.uint64(11)) * 2.0**-53

    def integers(self, top: ArrayLike, size: int) -> NDArray[np.int64]:
        """Draws from 0 ... top - 1, equally likely; `top` may differ from draw to draw."""
        return (self.uniform(size) * np.asarray(top)).astype(np.int64)

    def permutation(self, values: ArrayLike) -> NDArray:
        """The same values in another order."""
        values = np.asarray(values)
        return values[np.argsort(self.uniform(values.size), kind="stable")]

    def choice(self, weights: ArrayLike, size: int) -> NDArray[np.int64]:
        """Positions drawn in proportion to `weights`."""
        steps = np.cumsum(np.asarray(weights, float))
        return np.searchsorted(steps, self.uniform(size) * steps[-1], side="right")

    def geometric_noise(self, epsilon: float, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Two-sided geometric noise, P(k) proportional to exp(-epsilon |k|)."""
        # The difference of two geometric draws; each is found in the table of its tail.
        longest = math.ceil(40 / epsilon)
        reached = 1 - np.exp(-epsilon * np.arange(1, longest + 1))
        size = math.prod(shape)
        plus, minus = (
            np.searchsorted(reached, self.uniform(size), side="right") for _ in "+-"
        )
        return (plus - minus).reshape(shape)


def recipe(name: str) -> dict[str, Any]:
    """Words and groups of a script, from the folder recipes/."""
    return tomllib.loads((Path(__file__).parent / "recipes" / name).read_text("utf-8"))


def write_gzip(path: Path, text: str) -> None:
    """Write `text` compressed, without the time and name that gzip would note."""
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def save(table: pd.DataFrame, name: str) -> None:
    """Write a table beside the scripts, or under the name on the command line."""
    path = Path(__file__).parent / (sys.argv[1] if len(sys.argv) > 1 else name)
    text = table.to_csv(index=False, lineterminator="\n")
    if path.suffix == ".gz":
        write_gzip(path, text)
    else:
        path.write_text(text, encoding="utf-8")
    print(f"{path}: {len(table)} rows")


def put_between(begin: str, end: str, text: str) -> None:
    """Print a text, or with --write put it between its marks in DATASHEETS.md."""
    path = Path(__file__).parent / "DATASHEETS.md"
    if "--write" not in sys.argv:
        print(text)
        return
    before, rest = path.read_text().split(begin)
    path.write_text(before + begin + text + end + rest.split(end)[1])
    print(f"{path} is up to date")
