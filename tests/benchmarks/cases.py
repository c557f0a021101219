"""The tables of the benchmarks: published, seeded, and of shapes that nobody chose."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

import toolkit as tk
from toolkit.datasets import load_adult, load_adult_hierarchies, load_hackathon

MILLION = (2, 5, 10, 40, 100, 300, 1000, 5000)
THIRTY_COLUMNS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20) * 3
COLUMNS = ["sex", "age", "race", "marital-status", "education"]
COLUMNS += ["native-country", "workclass", "occupation", "income"]


def codes(rows, sizes, seed=1):
    """Independent columns of whole numbers below each size."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, rows, dtype=np.int32) for size in sizes]
    return pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})


def strings(data):
    """Each code as text, as a table from a file has it."""
    return pd.DataFrame({name: data[name].map("v{}".format) for name in data})


def hackathon():
    """The stand-in of piflib's tutorial table, every cell a string."""
    return load_hackathon().astype(object).fillna("Unemployed").astype(str)


def random_shape(seed, most=1_000_000):
    """A table that nobody chose: rows, columns, values, kind and skew are drawn.

    10^4 to 10^6 rows, 4 to 30 columns, 2 to 10^4 values a column, whole numbers, text or
    categories, few or many equal rows.
    """
    rng = np.random.default_rng(seed)
    rows = min(int(10 ** rng.uniform(4, 6)), most)
    values = (10 ** rng.uniform(0.31, 4, int(rng.integers(4, 31)))).astype(int)
    skew = rng.uniform(1, 4)
    data = pd.DataFrame(
        {
            f"c{j}": (size * rng.random(rows) ** skew).astype(int)
            for j, size in enumerate(values)
        }
    )
    if rng.random() < 0.5:  # many equal rows
        data = data.iloc[rng.integers(0, rows // 20, rows)].reset_index(drop=True)
    kind = rng.choice(["numbers", "text", "categories"])
    if kind != "numbers":
        data = strings(data)
    return data.astype("category") if kind == "categories" else data


def adult(times=1):
    """UCI Adult, else its stand-in: six columns and the occupation as strings."""
    try:
        data = load_adult("uci")
    except OSError:
        data = load_adult()
    names = ["age", "workclass", "education", "marital-status", "race", "sex", "occupation"]
    table = data[names].astype(object).fillna("?").astype(str)
    return pd.concat([table] * times, ignore_index=True)


def lattice():
    """Table and hierarchies of the optimal search: ARX's where they are at hand."""
    folder = Path(os.environ.get("PRIVACY_TOOLKIT_DATA", "")) / "arx_adult"
    if not folder.is_dir():
        return load_adult().dropna()[COLUMNS], load_adult_hierarchies()
    files = {name: "salary-class" if name == "income" else name for name in COLUMNS}
    trees = {
        name: tk.read_hierarchy(folder / f"adult_hierarchy_{file}.csv")
        for name, file in files.items()
    }
    return load_adult("uci").dropna()[COLUMNS], trees


def mixed(rows, seed=1):
    """Six columns: three of whole numbers, three nominal."""
    rng = np.random.default_rng(seed)
    data = {
        "age": rng.integers(17, 91, rows),
        "hours": rng.integers(1, 100, rows),
        "income": (rng.lognormal(10, 1, rows) / 100).astype(int) * 100,
    }
    for name, size in (("place", 400), ("job", 14), ("sex", 2)):
        drawn = np.minimum(rng.geometric(3 / (size + 2), rows) - 1, size - 1)
        data[name] = pd.Categorical.from_codes(drawn, [f"{name} {i}" for i in range(size)])
    return pd.DataFrame(data)


def people(rows, seed=0):
    """Ten columns as a register has them: names, what others know, secrets, measurements."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Person {i}" for i in range(rows)],
            "age": rng.integers(17, 91, rows),
            "sex": rng.choice(["f", "m"], rows),
            "zip": rng.integers(10_000, 10_400, rows),
            "race": rng.choice(list("abcde"), rows, p=[0.7, 0.15, 0.1, 0.04, 0.01]),
            "education": rng.choice([f"school {i}" for i in range(16)], rows),
            "marital": rng.choice(["never", "married", "divorced", "widowed"], rows),
            "disease": rng.choice([f"illness {i}" for i in range(30)], rows),
            "income": rng.lognormal(10, 1, rows).round(),
            "dose": rng.normal(70, 10, rows),
        }
    )
