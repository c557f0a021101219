"""Entropies, mutual information and divergences of columns, in bits.

All of them describe the empirical distribution of the table. Each record counts once, or as
often as its weight says, and a missing value is a value of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_columns, check_table, check_weights
from .._codes import combine, encode
from .._typing import AnyArray, Columns, FloatArray, Table


def entropy(data: Table, columns: Columns = None, *, weights: Any = None) -> float:
    r"""Shannon entropy of a set of columns, taken together.

    :math:`H(S) = -\sum_s P(s) \log_2 P(s)` over the combinations of values that occur.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Categorical cells. A missing value is a category of its own.
    columns : column, or list of columns, optional
        Names or positions; a name wins. All columns by default; an empty list has entropy 0.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    float
        Bits, from 0 (constant) to log2 of the number of records (all different).

    Examples
    --------
    >>> coins = pd.DataFrame({"first": list("HHTT"), "second": list("HTHT")})
    >>> entropy(coins, "first"), entropy(coins)
    (1.0, 2.0)
    """
    data, bits = _entropies(data, weights)
    return bits(_chosen(data, columns))


def mutual_information(data: Table, first: Any, second: Any, *, weights: Any = None) -> float:
    r"""Information that two sets of columns share: :math:`I = H(X) + H(Y) - H(X, Y)`.

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

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> mutual_information(coins, "coin", "copy")
    1.0
    """
    data, bits = _entropies(data, weights)
    x = check_columns(data.columns, first, "first")
    y = check_columns(data.columns, second, "second")
    return max(bits(x) + bits(y) - bits([*x, *y]), 0.0)


def mutual_information_table(data: Table, *, weights: Any = None) -> pd.DataFrame:
    """Mutual information of every pair of columns, with their entropies on the diagonal.

    Parameters
    ----------
    data, weights
        As for `entropy`.

    Returns
    -------
    DataFrame of shape (n_features, n_features)
        Bits, symmetric; smaller values off the diagonal are safer. Labelled by the columns of
        `data`.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> mutual_information_table(coins)
          coin  copy
    coin   1.0   1.0
    copy   1.0   1.0
    """
    data, bits = _entropies(data, weights)
    width = range(data.shape[1])
    table = np.diag([bits([j]) for j in width])
    for i, j in itertools.combinations(width, 2):
        table[i, j] = table[j, i] = max(table[i, i] + table[j, j] - bits([i, j]), 0.0)
    return pd.DataFrame(table, data.columns, data.columns)


def conditional_entropies(data: Table, *, weights: Any = None) -> pd.DataFrame:
    r"""Entropy of each column, alone and given all the others.

    The quotient `given_rest` / `entropy` is the weight of `weighted_cell_information_gain`.

    Parameters
    ----------
    data, weights
        As for `entropy`.

    Returns
    -------
    DataFrame of shape (n_features, 2)
        `entropy` :math:`H(X)` and `given_rest` :math:`H(X \mid \text{rest})` in bits, a row
        per column of `data`.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> conditional_entropies(coins)
          entropy  given_rest
    coin      1.0         0.0
    copy      1.0         0.0
    """
    data, bits = _entropies(data, weights)
    every = list(range(data.shape[1]))
    rows = [(bits([j]), _given_rest(bits, j, every)) for j in every]
    return pd.DataFrame(rows, index=data.columns, columns=["entropy", "given_rest"])


def total_correlation(data: Table, columns: Columns = None, *, weights: Any = None) -> float:
    r"""Bits saved by describing columns together: :math:`\sum_i H(X_i) - H(S)`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, at least 0; 0 if and only if the columns are independent.

    References
    ----------
    .. [1] Watanabe, *Information theoretical analysis of multivariate correlation*, 1960.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> total_correlation(coins)
    1.0
    """
    data, bits = _entropies(data, weights)
    chosen = _chosen(data, columns)
    return max(sum(bits([j]) for j in chosen) - bits(chosen), 0.0)


def dual_total_correlation(
    data: Table, columns: Columns = None, *, weights: Any = None
) -> float:
    r"""Bits of a record that several columns share: :math:`D(S) = H(S) - R(S)`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, at least 0; with `residual_entropy` it adds up to the entropy.

    References
    ----------
    .. [1] Han, *Nonnegative entropy measures of multivariate symmetric correlations*, 1978.

    Examples
    --------
    >>> coins = pd.DataFrame({"coin": list("HHTT"), "copy": list("HHTT")})
    >>> dual_total_correlation(coins)
    1.0
    """
    data, bits = _entropies(data, weights)
    chosen = _chosen(data, columns)
    shared = bits(chosen) - sum(_given_rest(bits, j, chosen) for j in chosen)
    return max(shared, 0.0)


def residual_entropy(data: Table, columns: Columns = None, *, weights: Any = None) -> float:
    r"""Bits of a record that only one column holds: :math:`R(S) = \sum_i H(X_i | S_{-i})`.

    Parameters
    ----------
    data, columns, weights
        As for `entropy`.

    Returns
    -------
    float
        Bits, from 0 to the entropy.

    Examples
    --------
    >>> coins = pd.DataFrame({"first": list("HHTT"), "second": list("HTHT")})
    >>> residual_entropy(coins)
    2.0
    """
    data, bits = _entropies(data, weights)
    chosen = _chosen(data, columns)
    return float(sum(_given_rest(bits, j, chosen) for j in chosen))


def kl_divergence(p: Any, q: Any) -> float:
    r"""Bits gained by learning that `p` holds instead of `q`: :math:`\sum p \log_2 (p / q)`.

    Parameters
    ----------
    p, q : Series, mapping or array-like
        Two distributions over the same values. Mappings and Series are matched by value (0
        where absent), lists and arrays by position.

    Returns
    -------
    float
        Bits, at least 0; infinite where `q` rules out what `p` allows.

    Examples
    --------
    >>> kl_divergence([1, 0], [0.5, 0.5]), kl_divergence([0.5, 0.5], [1, 0])
    (1.0, inf)
    """
    by_value = [isinstance(given, (Mapping, pd.Series)) for given in (p, q)]
    if any(by_value) != all(by_value) or not any(by_value) and len(p) != len(q):
        raise ValueError(
            f"p and q must both map the same values to probabilities, or be lists of one"
            f" length; got {p!r:.80} and {q!r:.80}."
        )
    after, before = distribution(p, "p").align(distribution(q, "q"), fill_value=0.0)
    return max(float(gain_terms(after.to_numpy(), before.to_numpy()).sum()), 0.0)


def gain_terms(p: Any, q: Any) -> FloatArray:
    """Terms p log2(p / q) of a gain: 0 where p is 0, infinite where only q is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log2(p / q), 0.0)


Bits = Callable[[Sequence[int]], float]


def _entropies(data: Table, weights: Any) -> tuple[pd.DataFrame, Bits]:
    """The table, and a function from positions of columns to the bits of their entropy."""
    data = check_table(data)
    weights = check_weights(data, weights)
    encoded = [encode(column) for _, column in data.items()]

    def bits(positions: Sequence[int]) -> float:
        columns = [encoded[j] for j in positions]
        codes, sizes = [code for code, _ in columns], [len(values) for _, values in columns]
        keys, _ = combine(codes, sizes, len(data))
        return entropy_of(np.bincount(pd.factorize(keys)[0], weights))

    return data, bits


def entropy_of(records: AnyArray) -> float:
    """Entropy in bits of values, from the number of records of each."""
    shares = records / records.sum()
    return abs(float(gain_terms(shares, 1.0).sum()))


def _chosen(data: pd.DataFrame, columns: Columns) -> Sequence[int]:
    """Positions of some columns; all by default."""
    every = range(data.shape[1])
    return every if columns is None else check_columns(data.columns, columns, "columns")


def _given_rest(bits: Bits, j: int, chosen: Sequence[int]) -> float:
    """Entropy of a column that remains when the other chosen ones are known."""
    return max(bits(chosen) - bits([i for i in chosen if i != j]), 0.0)


def distribution(given: Any, argument: str) -> pd.Series:
    """One distribution, indexed by its values if it names them."""
    shares = pd.Series(given, dtype=float)
    if isinstance(given, (Mapping, pd.Series)):
        shares.index = as_objects(given.keys())
    valid = shares.index.is_unique and (shares >= 0).all()
    if not valid or not abs(shares.sum() - 1) <= 1e-9:
        raise ValueError(
            f"{argument} must be a distribution: probabilities that add up to 1, each value"
            f" once; got {given!r:.80}."
        )
    return shares
