"""Distance of the Adult stand-in from the real file, for its part of DATASHEETS.md.

PRIVACY_TOOLKIT_DATA=DIR python data/measure_adult.py [--write]

Without --write, the text is only printed. People may read it, but no mechanism may: its
numbers come straight from the real rows, without noise.
"""

import itertools
import math
from collections.abc import Iterable, Sequence

import make_adult as recipe
import numpy as np
import pandas as pd
from stream import put_between

from toolkit.datasets import load_adult

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
QUASI_IDENTIFIERS = (
    "sex age race marital-status education native-country workclass occupation".split()
)
COLUMNS = [  # education-num is education in other words
    *("age workclass fnlwgt education marital-status occupation relationship race".split()),
    *("sex capital-gain capital-loss hours-per-week native-country income".split()),
]
# Two columns with thousands of values never look alike in two samples: pairs are banded.
BANDED = {"age": "age in 13", **{column: f"{column} band" for column in recipe.WIDE}}


def total_variation(one: recipe.Codes, other: recipe.Codes, names: Sequence[str]) -> float:
    """Half the summed distance of two tables of shares: 0 if alike, 1 if nothing is shared."""
    size = math.prod(recipe.SIZES[name] for name in names)
    shares = [
        np.bincount(recipe.cell(codes, tuple(names)), minlength=size) / codes["age"].size
        for codes in (one, other)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def marginal_distances(one: recipe.Codes, other: recipe.Codes) -> pd.Series:
    """Total variation of each column, of `fnlwgt` in bands."""
    views = {c: BANDED[c] if c == "fnlwgt" else c for c in COLUMNS}
    return pd.Series({c: total_variation(one, other, [views[c]]) for c in COLUMNS})


def pair_distances(one: recipe.Codes, other: recipe.Codes) -> pd.Series:
    """Total variation of each pair of columns, numbers in bands; worst first."""
    views = {c: BANDED.get(c, c) for c in COLUMNS}
    distances = {
        f"{a}, {b}": total_variation(one, other, [views[a], views[b]])
        for a, b in itertools.combinations(COLUMNS, 2)
    }
    return pd.Series(distances).sort_values(ascending=False, kind="stable")


def unique_share(data: pd.DataFrame, columns: Sequence[str]) -> float:
    """Share of records that are alone with their values of these columns."""
    return float((data.groupby(list(columns), dropna=False).size() == 1).sum() / len(data))


def shared_rows(data: pd.DataFrame, other: pd.DataFrame, columns: Sequence[str]) -> int:
    """Rows of `data` that also occur in `other`, on these columns."""
    known = other[list(columns)].drop_duplicates()
    return len(data.merge(known, on=list(columns)))


def lines(header: str, rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; floats with four decimals."""
    names = header.split(" | ")
    body = [[f"{x:.4f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    table = [names, ["---"] + ["--:"] * (len(names) - 1), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in table)


def costs() -> str:
    """Every release with the reason for its parents."""
    rows = [
        (node.column, ", ".join(node.given) or "none", node.epsilon, node.why)
        for node in recipe.NETWORK
    ]
    rows += [
        (f"{column} amounts", "income", epsilon, "single amounts are popular")
        for column, epsilon in recipe.VALUE_EPSILON.items()
    ]
    for what in ("fnlwgt", "(age, fnlwgt)"):
        rows.append((f"distinct {what}", "none", recipe.DISTINCT_EPSILON, "weights repeat"))
    total = math.fsum(recipe.epsilon_spent().values())
    table = "".join(f"| {c} | {g} | {e:g} | {w} |\n" for c, g, e, w in rows)
    head = "| column | drawn given | ε | why |\n| --- | --- | --: | --- |\n"
    return f"{head}{table}| **sum** | | **{total:g}** | sequential composition |\n"


def shares(data: pd.DataFrame) -> dict[str, float]:
    """Shares that the lessons rely on."""
    rich, gain = data["income"] == ">50K", data["capital-gain"] > 0
    groups = {
        "all": rich | ~rich,
        "women": data["sex"] == "Female",
        "men": data["sex"] == "Male",
        "married": data["marital-status"] == "Married-civ-spouse",
        "never married": data["marital-status"] == "Never-married",
        "HS-grad": data["education"] == "HS-grad",
        "Bachelors": data["education"] == "Bachelors",
        "Doctorate": data["education"] == "Doctorate",
        "under 25": data["age"] < 25,
        "45 to 54": data["age"].between(45, 54),
        "over 50 hours": data["hours-per-week"] > 50,
        "with a gain": gain,
        "State-gov": data["workclass"] == "State-gov",
    }
    found = {f"income >50K, {name}": float(rich[rows].mean()) for name, rows in groups.items()}
    found["no capital gain"] = float((~gain).mean())
    found["no capital loss"] = float((data["capital-loss"] == 0).mean())
    found["white, of those born in Mexico"] = float(
        (data.loc[data["native-country"] == "Mexico", "race"] == "White").mean()
    )
    return found


def report() -> str:
    """The measured part of the datasheet, in Markdown."""
    real, test = load_adult(source="uci"), load_adult(source="uci", subset="test")
    made = load_adult()
    codes = [recipe.encode(data) for data in (real, made, test)]
    single = [marginal_distances(codes[0], other) for other in codes[1:]]
    pairs = [pair_distances(codes[0], other) for other in codes[1:]]
    curve = [
        (
            i,
            QUASI_IDENTIFIERS[i - 1],
            *(unique_share(d, QUASI_IDENTIFIERS[:i]) for d in (real, made)),
        )
        for i in range(1, 9)
    ]
    others = [
        (", ".join(c), *(unique_share(data, c) for data in (real, made)))
        for c in (["age", "sex", "race", "native-country"], ["fnlwgt"], ["age", "fnlwgt"])
    ]
    levels = [(name, x, shares(made)[name]) for name, x in shares(real).items()]
    but_weight = [column for column in real if column != "fnlwgt"]
    same = [shared_rows(data, real, but_weight) for data in (made, test)]
    whole = [shared_rows(data, real, list(real)) for data in (made, test)]
    rows = [(c, x, single[1][c]) for c, x in single[0].items()]
    rows.append(("**mean**", float(single[0].mean()), float(single[1].mean())))
    worst = [(c, x, pairs[1][c]) for c, x in pairs[0].head(12).items()]
    for name in ("mean", "median", "max"):
        worst.append((f"**{name} of {len(pairs[0])}**", *(getattr(p, name)() for p in pairs)))
    return f"""
What was spent. (`age in 13`: age in 13 bands; `schooling`, `married`, `region`: groups of
values; `band`: a range of amounts. All are listed in `make_adult.py`.)

{costs()}
Total variation distance of single columns to the real training file (`fnlwgt` in bands). The
test half of UCI stands beside it: that far apart are two samples of one survey, of which the
test half is half as large.

{lines("column | stand-in | UCI test", rows)}
Total variation distance of pairs (`age`, `fnlwgt`, `hours-per-week`, `capital-gain` and
`capital-loss` in bands), the 12 worst and all:

{lines("pair | stand-in | UCI test", worst)}
Uniqueness curve, share of records alone with the first 1 ... 8 quasi-identifiers:

{lines("quasi-identifiers | the last one | real | stand-in", curve)}
And with other sets:

{lines("columns | real | stand-in", others)}
Shares that lessons lean on:

{lines("share | real | stand-in", levels)}
Records that also occur in the real training file: on all columns, {whole[0]} of the stand-in's
{len(made):,} (of UCI's test half, {whole[1]} of {len(test):,}); on all columns but `fnlwgt`,
{same[0]:,} or {same[0] / len(made):.1%} (test half {same[1]:,} or {same[1] / len(test):.1%}).
Common combinations meet by chance: people who were never in the training file meet it as
often.
"""


if __name__ == "__main__":
    put_between(BEGIN, END, report())
