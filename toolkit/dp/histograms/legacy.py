"""What did PrivacyHistos do in 2021? The same answers, defects included, to be audited.

Nothing here keeps an ε. Bins, and the number of digits of a code, come from the data; empty
bins get no noise; one person may have any number of records; codes of three digits are read
as two. `toolkit.dp.histograms` uses this for ``legacy=True`` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._validation import Floats, Whole
from ._validation import check_legacy_digits, legacy_reasons
from .domain import between


class Coded(NamedTuple):
    """What the original's pre-processing returns."""

    df: pd.DataFrame
    num_decode: dict[str, dict[int, float]]
    col_decode: dict[str, list[Any]]


def accepts(table: pd.DataFrame, combos: Mapping[str, Any], bins: Mapping[str, Any]) -> int:
    """Say 1 or 0 as the original does, which lets several individuals' columns pass."""
    reasons = list(legacy_reasons(table, combos, bins))
    if not reasons and sum(name.endswith("_i") for name in table.columns) != 1:
        print("The dataframe must contain exactly one individual column ending in _i")
    for reason in reasons:
        print(reason)
    return int(not reasons)


def coded(
    table: pd.DataFrame, combos: Mapping[str, Sequence[str]], bins: Mapping[str, Sequence[int]]
) -> Coded:
    """Combined codes, each as wide as the data make it; the caller's table stays as it was."""
    texts, num_decode = {}, {}
    for name in table.columns:
        if name.endswith("_c"):
            text = table[name].astype(str)
            texts[name] = text.str.zfill(len(str(table[name].max())))
        elif name.endswith("_n"):
            grid = _grid(bins[name])
            codes = np.where(table[name] < 1, 0, np.searchsorted(grid, table[name])) + 10
            texts[name] = pd.Series(codes, index=table.index).astype(str)
            num_decode[name] = {10 + i: float(upper) for i, upper in enumerate(grid)}
    df = table.drop(columns=list(texts))
    col_decode: dict[str, list[Any]] = {}
    for combo, columns in combos.items():
        joined = pd.Series("1" if columns[0].endswith("_c") else "", index=table.index)
        end = len(joined.iloc[0])
        for name in columns:
            # As wide as in the first record, whatever the others have.
            start, end = end, end + len(texts[name].iloc[0])
            joined, col_decode[name] = joined + texts[name], [combo, start, end]
        df[combo] = joined.astype(np.int64)
    return Coded(df, num_decode, col_decode)


def _grid(bins: Sequence[int]) -> Floats:
    """Upper ends of the bins: 0, each increment up to top, and infinity."""
    top, increment, _ = bins
    return np.append(np.arange(0, top + increment, increment, dtype=float), np.inf)


def counted(
    codes: pd.Series,
    people: pd.Series,
    domain: Whole | None,
    sample_size: int | None,
    rng: np.random.Generator,
) -> tuple[Whole, Whole]:
    """Bins, those that occur if none are given, and how many records each has.

    With a sample size, every individual's *distinct* codes are drawn from, with replacement.
    """
    seen = np.unique(codes)
    population = seen if domain is None else domain
    if sample_size is not None:
        codes = _drawn(codes, people, sample_size, rng)
    places = np.searchsorted(population, codes)
    inside = places < len(population)
    inside[inside] = population[places[inside]] == codes.to_numpy()[inside]
    counts = np.bincount(places[inside], minlength=len(population))
    return population, counts.astype(np.int64)


def _drawn(
    codes: pd.Series, people: pd.Series, size: int, rng: np.random.Generator
) -> pd.Series:
    pairs = pd.DataFrame({"person": people, "code": codes}).drop_duplicates()
    pairs = pairs.sort_values("person", kind="stable")
    numbers = pairs.groupby("person").size().to_numpy()
    starts = np.repeat(np.cumsum(numbers) - numbers, size)
    return pairs["code"].iloc[starts + rng.integers(0, np.repeat(numbers, size))]


def noisy(counts: Any, scale: float, rng: np.random.Generator, shape: Any = None) -> Floats:
    """Counts with Laplace noise, but for those that are 0."""
    numbers = np.asarray(counts, dtype=float)
    noise = rng.laplace(0.0, scale, numbers.shape if shape is None else shape)
    return np.where(numbers != 0, numbers + noise, 0.0)


def weights(counts: Floats) -> list[float]:
    """Shares of what is above 0; of nothing, the original divides by 0."""
    positive = [max(count, 0.0) for count in counts.tolist()]
    total = sum(positive)
    return [count / total for count in positive]


def decoded(
    bins: Mapping[str, Sequence[int]],
    num_decode: Mapping[str, Mapping[int, float]],
    place: tuple[int, int],
    codes: Whole,
    column: str,
    rng: np.random.Generator | None,
) -> Whole:
    """Values of codes: digits cut out of the text, and of a bin what lies below its end."""
    text = pd.Series(codes).astype(str).str.slice(*place)
    check_legacy_digits(text.ne("").to_numpy(), text, column)
    digits = text.astype(np.int64)
    if not column.endswith("_n"):
        return np.asarray(digits, dtype=np.int64)
    top, increment, largest = bins[column]
    upper = digits.map(num_decode[column]).to_numpy(float)
    check_legacy_digits(~np.isnan(upper), text, column)
    lower = np.where(upper > 0, upper - increment, 0)
    beyond = upper >= top  # the bin that ends at the top, too
    lower, upper = (
        np.where(beyond, top, lower),
        np.where(beyond, largest, np.maximum(upper, 1)),
    )
    return between(lower.astype(np.int64), upper.astype(np.int64) - 1, rng)
