"""PrivacyHistos as it was in 2021, defects included: for audits, never for a release.

`pre_process`, `create_private_histo` and `col_decoder` return what the original functions of
the same names return, and `histogram_mechanism` wraps the whole workflow as a mechanism for
`audit`. The code keeps no ε: bins and the number of digits of a code come from the data; empty
bins get no noise; one person may have any number of records; codes of three digits are read as
two.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._typing import FloatArray, IntArray
from .cases import COMBO, NeighbourPair
from .histograms import between, combined_domains
from .noise import laplace_scale


def pre_process(
    ground_truth: pd.DataFrame, combo_dict: Mapping[str, Any], num_dict: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, dict[int, float]], dict[str, list[Any]]]:
    """Code a table as the original does, with as many digits per column as the data need.

    Returns the same triple as `toolkit.pre_process`; the caller's table is not changed.
    """
    table, texts, num_decode = ground_truth, {}, {}
    for name in table.columns:
        if name.endswith("_c"):
            text = table[name].astype(str)
            texts[name] = text.str.zfill(len(str(table[name].max())))
        elif name.endswith("_n"):
            top, increment, _ = num_dict[name]
            grid = np.append(np.arange(0, top + increment, increment, dtype=float), np.inf)
            codes = np.where(table[name] < 1, 0, np.searchsorted(grid, table[name])) + 10
            texts[name] = pd.Series(codes, index=table.index).astype(str)
            num_decode[name] = {10 + i: float(upper) for i, upper in enumerate(grid)}
    df = table.drop(columns=list(texts))
    col_decode: dict[str, list[Any]] = {}
    for combo, columns in combo_dict.items():
        joined = pd.Series("1" if columns[0].endswith("_c") else "", index=table.index)
        end = len(joined.iloc[0])
        for name in columns:
            # The width is that of the first record, whatever the other records have.
            start, end = end, end + len(texts[name].iloc[0])
            joined, col_decode[name] = joined + texts[name], [combo, start, end]
        df[combo] = joined.astype(np.int64)
    return df, num_decode, col_decode


def create_private_histo(
    df: pd.DataFrame,
    column: str,
    sample: int,
    sample_size: int,
    sensitivity: float,
    epsilon: float,
    *,
    rng: np.random.Generator,
) -> tuple[list[int], list[float]]:
    """Count the codes that occur, and add Laplace noise to counts above 0.

    With ``sample=1``, records are drawn with replacement from an individual's distinct codes.
    Raises ZeroDivisionError, as the original does, if no noisy count is above 0.
    """
    warnings.warn(
        "dp.legacy reproduces PrivacyHistos of 2021, which is not differentially"
        " private: its bins come from the data, and empty ones get no noise. Never release its"
        " output.",
        UserWarning,
        stacklevel=2,
    )
    codes = df[column]
    if sample:
        person = next(name for name in df.columns if name.endswith("_i"))
        own = df[[person, column]].drop_duplicates().groupby(person)[column]
        codes = own.sample(sample_size, replace=True, random_state=rng)
    counts = codes.value_counts().reindex(np.unique(df[column]), fill_value=0)
    noisy = _noisy(counts, laplace_scale(sensitivity, epsilon), rng, len(counts))
    positive = np.maximum(noisy, 0.0).tolist()
    total = sum(positive)
    return counts.index.tolist(), [count / total for count in positive]


def _noisy(
    counts: pd.Series, scale: float, rng: np.random.Generator, shape: Any
) -> FloatArray:
    """Counts with Laplace noise, except for counts of 0."""
    known = counts.to_numpy(float)
    return np.where(known != 0, known + rng.laplace(0.0, scale, shape), 0.0)


def col_decoder(
    num_dict: Mapping[str, Any],
    num_decode: Mapping[str, Mapping[int, float]],
    col_decode: Mapping[str, Sequence[Any]],
    value: Any,
    column: str,
    *,
    rng: np.random.Generator | None = None,
) -> IntArray:
    """Read codes as the original does: bins lack their upper end, and two digits are read."""
    _, start, end = col_decode[column]
    digits = pd.Series(np.atleast_1d(value)).astype(str).str[start:end].astype(np.int64)
    if not column.endswith("_n"):
        return digits.to_numpy()
    ends = digits.map(num_decode[column]).to_numpy(float)
    # A value below the upper end of its bin: the original never returns that end.
    top, increment, largest = num_dict[column]
    beyond = ends >= top  # includes the bin that ends at the top
    lower = np.where(beyond, top, np.where(ends > 0, ends - increment, 0))
    upper = np.where(beyond, largest, np.maximum(ends, 1)) - 1
    return between(lower.astype(int), upper.astype(int), rng)


def histogram_mechanism(
    pair: NeighbourPair,
) -> Callable[[pd.DataFrame, int, np.random.Generator], FloatArray]:
    """Turn the original's release of a pair into a mechanism that makes many releases at once.

    Returns the same kind of callable as `toolkit.histogram_mechanism`, with the distribution
    of `pre_process` and `create_private_histo` of this module with ``sample=0``. The weight of
    a code that is not listed is NaN; all weights are NaN if the original divides by 0.

    >>> from toolkit import neighbour_pairs
    >>> pair = neighbour_pairs()["new category"]
    >>> histogram_mechanism(pair)(pair.neighbour, 2, np.random.default_rng(1)).round(2)
    array([[0.36, 0.64,  nan],
           [0.25, 0.75,  nan]])
    """
    domain = combined_domains(COMBO, {}, pair.domain)["kind"]
    listed = domain.codes(np.arange(domain.size))
    scale = pair.legacy_sensitivity / pair.epsilon

    def release(data: pd.DataFrame, n: int, rng: np.random.Generator) -> FloatArray:
        df = pre_process(data, COMBO, {})[0]
        bins = listed if pair.public_bins else np.unique(df["kind"])
        counts = df["kind"].value_counts().reindex(bins, fill_value=0)
        released = _noisy(counts, scale, rng, (n, len(counts)))
        if pair.observed == "count":
            return np.asarray(released.sum(axis=1))
        positive = np.maximum(released, 0.0)
        with np.errstate(invalid="ignore"):
            shares = positive / positive.sum(axis=1, keepdims=True)
        return pd.DataFrame(shares, columns=counts.index).reindex(columns=listed).to_numpy()

    return release
