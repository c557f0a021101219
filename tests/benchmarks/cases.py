"""The tables of the benchmarks: seeded, and of the sizes that the targets speak of."""

import numpy as np
import pandas as pd

from toolkit.datasets import load_adult, load_hackathon

MILLION = (2, 5, 10, 40, 100, 300, 1000, 5000)
THIRTY_COLUMNS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20) * 3
EQUAL_ROWS = (2, 5, 10, 20, 8, 30)
TEN_MILLION = (2, 5, 10, 50, 100, 1000)


def codes(rows, sizes, seed=1):
    """Independent columns of whole numbers below each size."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, rows, dtype=np.int32) for size in sizes]


def strings(columns):
    """Give each code a text, as a table from a file has it."""
    return pd.DataFrame(
        {f"c{j}": pd.Series(c).map("v{}".format) for j, c in enumerate(columns)}
    )


def hackathon():
    """The stand-in of piflib's tutorial table, every cell a string."""
    return load_hackathon().astype(object).fillna("Unemployed").astype(str)


def adult():
    """UCI Adult where it is there, else the stand-in; and which of them."""
    try:
        return load_adult("uci"), "UCI Adult"
    except OSError:
        return load_adult(), "stand-in of Adult"
