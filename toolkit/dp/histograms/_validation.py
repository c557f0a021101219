"""Checks that several modules of private histograms share, with their messages.

Errors of a release look at names, types and settings only, because an error that depends on
the data discloses something of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from ..._typing import BoolArray, FloatArray, IntArray
from ..._validation import check_whole, find_columns, listed
from .._validation import check_noise

MOST_DIGITS = 18
"""Digits of a combined code, so that it fits 64 bits."""


def is_integer(value: object) -> bool:
    """Whether a value is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def ends(name: object, suffix: str) -> bool:
    """Whether a column has the role that a suffix says."""
    return isinstance(name, str) and name.endswith(suffix)


def check_individuals(df: Any) -> pd.Series:
    """Return the column that says whose record each row is."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"df must be a pandas DataFrame; got {type(df).__name__}.")
    people = [j for j, name in enumerate(df.columns) if ends(name, "_i")]
    if len(people) != 1:
        raise ValueError(
            f"df must have exactly one column that ends in _i, the individual whose record it"
            f" is; got {listed(df.columns[people]) or 'none'}."
        )
    return df.iloc[:, people[0]]


def check_combined(df: Any, column: Any) -> pd.Series:
    """Return the individuals of a pre-processed table that has the combined column."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(
            f"df must be the DataFrame that pre_process returns; got {type(df).__name__}."
        )
    people = check_individuals(df)
    found = df.loc[:, [column]] if find_columns(df, column) else df.iloc[:, :0]
    if found.shape[1] != 1 or column == people.name:
        raise ValueError(
            f"column: there is no one combined column {column!r}; the table has"
            f" {listed(df.columns)}."
        )
    if not pd.api.types.is_integer_dtype(found.dtypes.iloc[0]):
        raise TypeError(
            f"column {column!r} must hold integer codes; got {found.dtypes.iloc[0]}."
        )
    return people


def check_sample(sample: Any) -> bool:
    """Return whether the records of an individual are sampled: 1 or 0."""
    if not isinstance(sample, (Integral, np.bool_)) or int(sample) not in (0, 1):
        raise ValueError(
            f"sample must be 1 (at most sample_size records of each individual) or 0; got"
            f" {sample!r:.80}."
        )
    return bool(sample)


def check_sample_size(sample_size: Any) -> int:
    """Return the records of one individual that may count."""
    return check_whole(sample_size, "sample_size", 1, 10**9, "records of one individual")


def check_counts(counts: Any, argument: str = "counts") -> FloatArray:
    """Return finite numbers of at least one dimension."""
    numbers = check_noise(counts, argument)
    if numbers.ndim < 1 or not np.isfinite(numbers).all():
        raise ValueError(
            f"{argument} must hold finite numbers, one per cell; got {counts!r:.80}."
        )
    return numbers


def check_histogram(population: Any, weights: Any) -> pd.Series:
    """Return the weights of a histogram by code."""
    for name, given in {"population": population, "weights": weights}.items():
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Collection):
            raise TypeError(
                f"{name} must be a list, as create_private_histo returns it; got"
                f" {type(given).__name__} {given!r:.80}."
            )
    codes, shares = list(population), check_counts(weights, "weights")
    odd = [code for code in codes if not is_integer(code)]
    if odd:
        raise TypeError(f"population must hold integer codes; got {listed(odd)}.")
    if len(codes) != len(shares) or len(set(codes)) < len(codes):
        raise ValueError(
            f"population and weights must list each code once, with its weight; got"
            f" {len(codes)} codes and {len(shares)} weights."
        )
    if len(shares) and not ((shares >= 0).all() and abs(shares.sum() - 1) < 1e-9):
        raise ValueError("weights must be shares of at least 0 that add up to 1.")
    return pd.Series(shares, index=pd.Index(codes, dtype=np.int64 if not codes else None))


def check_codes_inside(inside: BoolArray, codes: IntArray, combo: Any) -> None:
    """Refuse codes that the domain of a combination does not have."""
    if not inside.all():
        raise ValueError(
            f"value: {listed(codes[~inside][:1].tolist())} is outside the domain of {combo!r};"
            f" pass a code that its histogram lists."
        )
