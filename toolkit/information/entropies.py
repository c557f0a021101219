"""Entropies, mutual information and divergences of columns, in bits.

All are of the empirical distribution of the table: each record counts once, or as often as
its weight says, and a missing value is a value of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import Encoded, encode, everyone, refine, totals
from .._typing import FloatArray, table_of
from .._validation import (
    _as_objects,
    _numbers_of,
    check_columns,
    check_table,
    check_weights,
    is_number,
    shown,
)

SUM_TOLERANCE = 1e-9
"""How far the probabilities of a distribution may add up from 1."""


def entropy(data: pd.DataFrame, columns: Any = None, *, weights: Any = None) -> float:
    r"""Shannon entropy of a set of columns, taken together.

    :math:`H(S) = -\sum_s P(s) \log_2 P(s)` over the combinations of values that occur.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Categorical cells. A missing value is a category of its own.
    columns : column, or list of columns, optional
        Names or positions; a name wins. All columns by default; none have entropy 0.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    float
        Bits, from 0 (constant) to log2 of the number of records (all different).

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, a column is not there, or `weights` does not fit.

    Examples
    --------
    >>> coins = pd.DataFrame({"first": list("HHTT"), "second": list("HTHT")})
    >>> entropy(coins, "first"), entropy(coins)
    (1.0, 2.0)
    """
    table = _Entropies(data, weights)
    return table.of(table.chosen(columns))


def conditional_entropy(
    data: pd.DataFrame, target: Any, given: Any, *, weights: Any = None
) -> float:
    r"""What stays open of some columns when others are known: :math:`H(X \mid Y)`.

    Parameters
    ----------
    data, weights
        As for `entropy`.
    target, given : column, or list of columns
        Names or positions; a name wins.

    Returns
    -------
    float
        Bits, from 0 (determined) to the entropy of `target`.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Examples
    --------
    >>> coins = pd.DataFrame({"first": list("HHTT"), "second": list("HTHT")})
    >>> conditional_entropy(coins, "first", given="second")
    1.0
    """
    table = _Entropies(data, weights)
    wanted = check_columns(table.data, target, "target")
    return table.left_open(wanted, check_columns(table.data, given, "given"))


def mutual_information(
    data: pd.DataFrame, first: Any, second: Any, *, weights: Any = None
) -> float:
    r"""How much two sets of columns say of each other: :math:`I = H(X) + H(Y) - H(X, Y)`.

    Parameters
    ----------
    data, weights
        As for `entropy`.
    first, second : column, or list of columns
        Names or positions; a name wins.

    Returns
    -------
    float
        Bits, from 0 (independent) to the smaller of the two entropies.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> mutual_information(coins, "coin", "copy")
    1.0
    """
    table = _Entropies(data, weights)
    one = check_columns(table.data, first, "first")
    two = check_columns(table.data, second, "second")
    return max(table.of(one) + table.of(two) - table.of([*one, *two]), 0.0)


def mutual_information_table(data: pd.DataFrame, *, weights: Any = None) -> pd.DataFrame:
    """Mutual information of every pair of columns; on the diagonal, each column's entropy.

    Parameters
    ----------
    data, weights
        As for `entropy`.

    Returns
    -------
    DataFrame of shape (n_features, n_features)
        Bits, symmetric; small off the diagonal is safer. Labelled by the columns of `data`.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> mutual_information_table(coins)
          coin  copy
    coin   1.0   1.0
    copy   1.0   1.0
    """
    table = _Entropies(data, weights)
    width, names = len(table.every), table.data.columns
    bits = np.diag([table.of([j]) for j in range(width)])
    for i, j in itertools.combinations(range(width), 2):
        shared = bits[i, i] + bits[j, j] - table.of([i, j])
        bits[i, j] = bits[j, i] = max(shared, 0.0)
    return pd.DataFrame(bits, index=names, columns=names)


def conditional_entropies(data: pd.DataFrame, *, weights: Any = None) -> pd.DataFrame:
    r"""Entropy of each column, alone and given all the others.

    Their quotient is the weight of `weighted_cell_information_gain`.

    Parameters
    ----------
    data, weights
        As for `entropy`.

    Returns
    -------
    DataFrame of shape (n_features, 2)
        `entropy` :math:`H(X)` and `given_rest` :math:`H(X \mid \text{rest})` in bits, a row
        per column of `data`.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> conditional_entropies(coins)
          entropy  given_rest
    coin      1.0         0.0
    copy      1.0         0.0
    """
    table = _Entropies(data, weights)
    rows = [(table.of([j]), table.given_rest(j, table.every)) for j in table.every]
    return pd.DataFrame(rows, index=table.data.columns, columns=["entropy", "given_rest"])


def total_correlation(
    data: pd.DataFrame, columns: Any = None, *, weights: Any = None
) -> float:
    r"""Bits saved by describing columns together: :math:`\sum_i H(X_i) - H(S)`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, at least 0; 0 if and only if the columns are independent.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    References
    ----------
    .. [1] Watanabe, *Information theoretical analysis of multivariate correlation*, 1960.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> total_correlation(coins)
    1.0
    """
    table = _Entropies(data, weights)
    chosen = table.chosen(columns)
    return max(sum(table.of([j]) for j in chosen) - table.of(chosen), 0.0)


def dual_total_correlation(
    data: pd.DataFrame, columns: Any = None, *, weights: Any = None
) -> float:
    r"""Bits of a record that its columns share: :math:`D(S) = H(S) - R(S)`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, at least 0; with `residual_entropy` it adds up to the entropy.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    References
    ----------
    .. [1] Han, *Nonnegative entropy measures of multivariate symmetric correlations*, 1978.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> dual_total_correlation(coins)
    1.0
    """
    table = _Entropies(data, weights)
    chosen = table.chosen(columns)
    return max(table.of(chosen) - table.residual(chosen), 0.0)


def residual_entropy(data: pd.DataFrame, columns: Any = None, *, weights: Any = None) -> float:
    r"""Bits of a record that each column alone holds: :math:`R(S) = \sum_i H(X_i | S_{-i})`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, from 0 to the entropy.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Examples
    --------
    >>> coins = pd.DataFrame({"first": list("HHTT"), "second": list("HTHT")})
    >>> residual_entropy(coins)
    2.0
    """
    table = _Entropies(data, weights)
    return table.residual(table.chosen(columns))


def kl_divergence(p: Any, q: Any) -> float:
    r"""Bits gained by learning that `p` holds instead of `q`: :math:`\sum p \log_2 (p / q)`.

    Parameters
    ----------
    p, q : Series, mapping or array-like
        Two distributions over the same values: mappings and Series are matched by value (0
        where absent), others by position.

    Returns
    -------
    float
        Bits, at least 0; infinite where `q` rules out what `p` allows.

    Raises
    ------
    TypeError, ValueError
        If one is no distribution, or they cannot be matched.

    Examples
    --------
    >>> kl_divergence([1, 0], [0.5, 0.5]), kl_divergence([0.5, 0.5], [1, 0])
    (1.0, inf)
    """
    after, before = _distributions(p, q)
    held = after > 0
    with np.errstate(divide="ignore"):
        ratio = np.log2(after[held]) - np.log2(before[held])
    return max(float(after[held] @ ratio), 0.0)


def total_variation(p: Any, q: Any) -> float:
    r"""Largest difference of two distributions on any event: :math:`\frac12 \sum |p - q|`.

    Parameters
    ----------
    p, q : Series, mapping or array-like
        As for `kl_divergence`.

    Returns
    -------
    float
        A share, from 0 (equal) to 1 (nothing in common).

    Raises
    ------
    TypeError, ValueError
        As `kl_divergence`.

    Examples
    --------
    >>> total_variation({"a": 1.0}, {"a": 0.75, "b": 0.25})
    0.25
    """
    one, other = _distributions(p, q)
    return float(np.abs(one - other).sum() / 2)


class _Entropies:
    """Entropies of column sets of one table, its columns encoded once."""

    def __init__(self, data: Any, weights: Any) -> None:
        self.data: pd.DataFrame = table_of(data)
        self.weight = check_weights(check_table(self.data), weights)
        self.table: Encoded = encode(self.data)
        self.every = list(range(self.data.shape[1]))

    def chosen(self, columns: Any) -> list[int]:
        return self.every if columns is None else check_columns(self.data, columns, "columns")

    def of(self, positions: Iterable[int]) -> float:
        chosen = sorted(set(positions))
        groups = refine(everyone(self.table.rows), self.table, chosen, keep_single=True)
        sizes = totals(groups.ids, self.weight, groups.count)
        return entropy_of(sizes / sizes.sum())

    def left_open(self, target: Sequence[int], given: Sequence[int]) -> float:
        return max(self.of([*target, *given]) - self.of(given), 0.0)

    def given_rest(self, j: int, chosen: Sequence[int]) -> float:
        return self.left_open([j], [i for i in chosen if i != j])

    def residual(self, chosen: Sequence[int]) -> float:
        return sum(self.given_rest(j, chosen) for j in chosen)


def entropy_of(shares: FloatArray) -> float:
    """Bits of a distribution without zeros."""
    return abs(float(shares @ np.log2(shares)))


def _distributions(p: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions over the same values, as arrays that match."""
    by_value = [isinstance(one, (Mapping, pd.Series)) for one in (p, q)]
    if by_value[0] != by_value[1]:
        raise TypeError(
            f"p and q must both be mappings from value to probability, or both lists; got"
            f" {type(p).__name__} and {type(q).__name__}."
        )
    one, other = (_distribution(given, name) for given, name in ((p, "p"), (q, "q")))
    if all(by_value):
        one, other = one.align(other, fill_value=0.0)
    if len(one) != len(other):
        raise ValueError(
            f"p and q must speak of the same values; got {len(one)} and {len(other)}."
        )
    return one.to_numpy(), other.to_numpy()


def _distribution(given: Any, argument: str) -> pd.Series:
    """One distribution, indexed by value if it names them."""
    if isinstance(given, Mapping):
        given = pd.Series(list(given.values()), index=_as_objects(given.keys()))
    if isinstance(given, pd.Series):
        index = _as_objects(given.index)
        numbers = as_floats(given)
        if not index.is_unique:
            raise ValueError(f"{argument} lists a value twice; list it once.")
    else:
        index, found = None, _numbers_of(given)
        numbers = np.array([np.nan]) if found is None or found.ndim != 1 else found
    if not (numbers >= 0).all() or not abs(numbers.sum() - 1) <= SUM_TOLERANCE:
        raise ValueError(
            f"{argument} must be a distribution: a row of numbers of at least 0 that add up to"
            f" 1; got {shown(given)}."
        )
    return pd.Series(numbers, index=index)


def as_floats(numbers: pd.Series) -> np.ndarray:
    """Numbers as floats, what is no number (a truth value, a text) as NaN."""
    if pd.api.types.is_bool_dtype(numbers) or not pd.api.types.is_numeric_dtype(numbers):
        if numbers.dtype != object:
            return np.full(len(numbers), np.nan)
        cells = numbers.where(numbers.map(is_number), np.nan)
        found = _numbers_of(cells.to_numpy(dtype=object))
        return np.full(len(numbers), np.nan) if found is None else found
    if pd.api.types.is_complex_dtype(numbers):
        return np.full(len(numbers), np.nan)
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def gain_terms(posterior: FloatArray, prior: FloatArray) -> FloatArray:
    """Terms p log2(p / q) of the gain: 0 where p is 0, infinite where only q is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = posterior * (np.log2(posterior) - np.log2(prior))
    return np.where(posterior > 0, terms, 0.0)
