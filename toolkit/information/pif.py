"""Personal information factors: what the rest of a record discloses about each cell.

The attacker knows how every feature is distributed in the population, and knows all of a
person's record but one cell. The information of the rest of the row about that cell is its
*cell information gain*, in bits. The change in the probability of its true value is its *cell
surprise factor*. Sums, weights and percentiles of these describe features, records and tables.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from .._arguments import check_column, check_number, check_table, check_weights
from .._codes import labels, order_of
from .._typing import BoolArray, FloatArray, IntArray, Table
from .contexts import Feature, attack_on, average_gain, context_of, measure
from .entropies import entropy_of, gain_terms

Metric = TypeVar("Metric", bound=Callable[..., Any])


def or_in_engine(metric: Metric) -> Metric:
    """Let a metric of cells take a table in an engine, too.

    If the distinct rows fit its budget, the engine counts them and passes them to the metric,
    with their records as weights. The numbers are the same as for the whole table.
    """

    @functools.wraps(metric)
    def measured(data: Table, **options: Any) -> Any:
        if hasattr(type(data), "measure_cells"):
            return data.measure_cells(measured, **options)
        return metric(check_table(data), **options)

    return cast(Metric, measured)


@or_in_engine
def cell_information_gain(
    data: Table,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    unknown: int = 1,
) -> pd.DataFrame:
    r"""Bits that an attacker gains about each cell from the rest of its row.

    For record :math:`i` and feature :math:`j`, let :math:`e` be the distribution of the
    feature among the records that equal :math:`i` in every other feature (its *context*),
    :math:`q` its prior distribution and :math:`a` the accuracy of the record. The attacker
    believes :math:`p = a e + (1 - a) q`, and gains
    :math:`D_{KL}(p \,\|\, q) = \sum_v p(v) \log_2 (p(v) / q(v))`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Categorical cells; bin numeric ones first (`bin_column`). A missing value is a
        category of its own.
    priors : mapping, optional
        ``{column: {value: probability}}``, the column by name or position; a name wins.
        Columns left out take their distribution in the table. A value that the table holds
        needs a probability above 0.
    accuracies : float or mapping, optional
        Probability that the record is right, per column as for `priors`; 1 where left out.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for; whole weights equal repeated rows.
    unknown : int, default 1
        How many cells of the row the attacker lacks. If above 1, the gain about a feature is
        averaged over all sets of that many features that contain the feature.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Gain in bits, at least 0; smaller is safer. Index and columns of `data`.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    Town and illness determine each other; the rarer pair (record 2) discloses log2 3 bits:

    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> cell_information_gain(data).round(2)
       town  illness
    0  0.58     0.58
    1  0.58     0.58
    2  1.58     1.58
    """
    attack = attack_on(data, priors, accuracies, weights)
    if unknown == 1:
        return _framed(data, measure(*attack)[0])
    within = f"[1, {data.shape[1]}]"
    check_number(unknown, "unknown", within, "the cells that the attacker lacks", whole=True)
    return _framed(data, average_gain(*attack, unknown))


@or_in_engine
def cell_surprise_factor(
    data: Table, *, priors: Any = None, accuracies: Any = None, weights: Any = None
) -> pd.DataFrame:
    r"""How far the rest of the row moves the probability of each cell's true value.

    With the posterior :math:`p` and the prior :math:`q` of `cell_information_gain`, the
    factor of a cell that holds :math:`x` is :math:`|p(x) - q(x)|`. By Pinsker's inequality it
    is at most :math:`\sqrt{\mathrm{CIG} \ln 2 / 2}`.

    Parameters
    ----------
    data, priors, accuracies, weights
        As for `cell_information_gain`.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Difference of two probabilities, from 0 to 1; smaller is safer. Index and columns of
        `data`.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    In record 2 the town determines the illness, whose prior probability is 1/3:

    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> cell_surprise_factor(data).round(2)
       town  illness
    0  0.33     0.33
    1  0.33     0.33
    2  0.67     0.67
    """
    return _framed(data, measure(*attack_on(data, priors, accuracies, weights))[1])


@or_in_engine
def weighted_cell_information_gain(
    data: Table, *, priors: Any = None, accuracies: Any = None, weights: Any = None
) -> pd.DataFrame:
    r"""Cell information gain, scaled by the share of the feature that others leave open.

    The weight of feature :math:`j` is :math:`H(X_j \mid X_{-j}) / H(X_j)`, always in the
    table itself. It is 0 for a constant feature and for a feature that the others determine;
    it is 1 for a feature that is independent of the others and for a table's only column.

    A small value is no sign of safety. If the records stay unique whichever column is left
    out, the others determine every feature. Then every weight is 0, although every gain is as
    large as possible.

    Parameters
    ----------
    data, priors, accuracies, weights
        As for `cell_information_gain`.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Bits, at least 0. Index and columns of `data`.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    Each column determines the other, so both weights are 0, although each cell gains one bit:

    >>> data = pd.DataFrame({"coin": [0, 1], "copy": [0, 1]})
    >>> weighted_cell_information_gain(data)
       coin  copy
    0   0.0   0.0
    1   0.0   0.0
    """
    options: Any = {"priors": priors, "accuracies": accuracies, "weights": weights}
    return information_factors(data, **options).wcig


def feature_information_gain(cig: pd.DataFrame, *, weights: Any = None) -> pd.Series:
    r"""Bits gained about each feature over all records: the column sums of CIG.

    With the table's own distributions as priors this is
    :math:`n \, I(X_j; X_{-j})`, n times the mutual information of the feature and the rest.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    Series of shape (n_features,)
        Bits, at least 0; smaller is safer. It grows with the number of records.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AABB"), "illness": ["flu", "flu", "flu", "hiv"]})
    >>> feature_information_gain(cell_information_gain(data)).round(3)
    town       1.245
    illness    1.245
    Name: fig, dtype: float64
    """
    table = check_gains(cig)
    gain, weights = table.to_numpy(float), check_weights(table, weights)
    bits = gain.sum(axis=0) if weights is None else weights @ gain
    return pd.Series(bits, index=table.columns, name="fig")


def row_information_gain(cig: pd.DataFrame) -> pd.Series:
    r"""Bits gained about each record over all its cells: the row sums of CIG.

    With the table's own distributions as priors, the mean over records is the total
    correlation plus the dual total correlation of the table.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.

    Returns
    -------
    Series of shape (n_records,)
        Bits, at least 0; smaller is safer. Index of `cig`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> row_information_gain(cell_information_gain(data)).round(2).tolist()
    [1.17, 1.17, 3.17]
    """
    table = check_gains(cig)
    return pd.Series(table.to_numpy(float).sum(axis=1), index=table.index, name="rig")


def personal_information_factor(cig: pd.DataFrame, n: float, *, weights: Any = None) -> float:
    r"""PIF_n: the n-th percentile of row information gain.

    About n % of the records disclose at most this much: the percentile is interpolated
    linearly between two neighbouring records, so it may be one record fewer. The number does
    not say how much the other records disclose.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.
    n : float
        A percentile: 0, or from 1 to 100. A fraction such as 0.95 is refused.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for. Whole weights count as repeated rows. If any
        weight is not a whole number, weights are taken as shares and nothing is interpolated:
        the result is the smallest gain that at least n % of the weight does not exceed.

    Returns
    -------
    float
        Bits, at least 0; smaller is safer.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> round(personal_information_factor(cell_information_gain(data), 50), 2)
    1.17
    """
    rig = row_information_gain(cig)
    return _percentile(rig.to_numpy(), check_weights(rig.to_frame(), weights), n)


@dataclass(frozen=True, eq=False)
class InformationFactors:
    """All factors of a table, from one pass; see `information_factors`.

    Attributes
    ----------
    cig, csf : DataFrame of shape (n_records, n_features)
        Gain (bits) and surprise (0 to 1) of each cell.
    fig : Series of shape (n_features,)
        Column sums of `cig`, in bits.
    rig : Series of shape (n_records,)
        Row sums of `cig`, in bits.
    open_share : Series of shape (n_features,)
        Share of each feature's entropy that the others leave open: the weights of `wcig`.
    """

    cig: pd.DataFrame
    csf: pd.DataFrame
    fig: pd.Series
    rig: pd.Series
    open_share: pd.Series
    _weights: FloatArray | None = field(repr=False)

    @cached_property
    def wcig(self) -> pd.DataFrame:
        """Weighted gain of each cell (bits)."""
        return self.cig * self.open_share.to_numpy()

    def pif(self, n: float) -> float:
        """PIF_n in bits; see `personal_information_factor`."""
        return _percentile(self.rig.to_numpy(), self._weights, n)


@or_in_engine
def information_factors(
    data: Table, *, priors: Any = None, accuracies: Any = None, weights: Any = None
) -> InformationFactors:
    """CIG, CSF, weighted CIG, FIG, RIG and PIF_n of a table, in one pass over it.

    Parameters
    ----------
    data, priors, accuracies, weights
        As for `cell_information_gain`.

    Returns
    -------
    InformationFactors
        An object with `cig`, `csf`, `wcig`, `fig`, `rig` and `pif(n)`, equal to what the
        functions of these names return. From a table in an engine, `cig`, `csf`, `wcig` and
        `rig` have a row for each distinct row of the table.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> factors = information_factors(data)
    >>> factors.fig.round(2).to_dict(), round(factors.pif(100), 2)
    ({'town': 2.75, 'illness': 2.75}, 3.17)
    """
    features, weights = attack_on(data, priors, accuracies, weights)
    gain, surprise, left_open = measure(features, weights)
    bits = np.array([entropy_of(feature.records) for feature in features])
    open_share = np.divide(left_open, bits, out=np.zeros_like(bits), where=bits > 0)
    fig = gain.sum(axis=1) if weights is None else gain @ weights
    return InformationFactors(
        _framed(data, gain),
        _framed(data, surprise),
        pd.Series(fig, index=data.columns, name="fig"),
        pd.Series(gain.sum(axis=0), index=data.index, name="rig"),
        pd.Series(np.minimum(open_share, 1), index=data.columns, name="open_share"),
        weights,
    )


def prior_distribution(
    data: Table, feature: Any, *, priors: Any = None, weights: Any = None
) -> pd.Series:
    """Probabilities of a feature's values that the attacker assumes before seeing a record.

    Parameters
    ----------
    data, priors, weights
        As for `cell_information_gain`.
    feature : column
        Name or position; a name wins.

    Returns
    -------
    Series of shape (n_values,)
        Probability of each value, with the values in order; the probabilities add up to 1.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> prior_distribution(data, "town").round(2).to_dict()
    {'A': 0.67, 'B': 0.33}
    """
    data, j, attacked, *_ = _attacked(data, feature, priors, 1.0, weights)
    values, order = attacked.values.astype(object), order_of(attacked.values)[0]
    return pd.Series(attacked.prior, values, name=data.columns[j]).iloc[order]


def posterior_distributions(
    data: Table,
    feature: Any,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
) -> pd.DataFrame:
    """Probabilities of a feature's values that the attacker believes in each context.

    Parameters
    ----------
    data, priors, accuracies, weights
        As for `cell_information_gain`.
    feature : column
        Name or position; a name wins.

    Returns
    -------
    DataFrame of shape (n_contexts, n_values)
        Probability of each value (columns, in order) in each context (rows, in order of
        first appearance, indexed by the values of the other features). Rows add up to 1.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> posterior_distributions(data, "illness")
    illness  flu  hiv
    town
    A        0.5  0.5
    B        1.0  0.0
    """
    data, j, attacked, context, weights = _attacked(data, feature, priors, accuracies, weights)
    first = np.flatnonzero(~pd.Series(context).duplicated())
    width = len(attacked.values)
    records = np.bincount(context * width + attacked.codes, weights, first.size * width)
    others = [i for i in range(data.shape[1]) if i != j]
    values = attacked.values.astype(object).rename(data.columns[j])
    posterior = attacked.posterior(records.reshape(-1, width))
    table = pd.DataFrame(posterior, labels(data, others, first), values)
    return table.iloc[:, order_of(attacked.values)[0]]


def information_gain_terms(
    data: Table,
    row: int,
    feature: Any,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
) -> pd.DataFrame:
    r"""Terms of the sum in one cell's gain: :math:`p(v) \log_2 (p(v) / q(v))` per value.

    Parameters
    ----------
    data, priors, accuracies, weights
        As for `cell_information_gain`.
    row : int
        Position of the record, from 0.
    feature : column
        Name or position; a name wins.

    Returns
    -------
    DataFrame of shape (n_values, 3)
        `prior`, `posterior` (probabilities) and `term_bits` of each value of the feature, in
        order. The terms add up to the gain; one alone may be negative.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> information_gain_terms(data, 0, "illness").round(2)
         prior  posterior  term_bits
    flu   0.67        1.0       0.58
    hiv   0.33        0.0       0.00
    """
    data, _, attacked, context, weights = _attacked(data, feature, priors, accuracies, weights)
    here = _in_context(context, row)
    weights = None if weights is None else weights[here]
    records = np.bincount(attacked.codes[here], weights, len(attacked.values))
    prior, posterior = attacked.prior, attacked.posterior(records)
    terms = {"prior": prior, "posterior": posterior, "term_bits": gain_terms(posterior, prior)}
    table = pd.DataFrame(terms, attacked.values.astype(object))
    return table.iloc[order_of(attacked.values)[0]]


def same_context(data: Table, row: int, feature: Any) -> pd.DataFrame:
    """The records that equal one record in every feature but the one under attack.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    row : int
        Position of the record, from 0.
    feature : column
        Name or position of the cell that the attacker does not know; a name wins.

    Returns
    -------
    DataFrame of shape (n_same, n_features)
        The rows of the context, the record itself among them. Index of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> same_context(data, 0, "illness")
      town illness
    0    A     flu
    1    A     hiv
    """
    table, _, _, context, _ = _attacked(data, feature)
    return table.loc[_in_context(context, row)]


def context_sizes(data: Table, *, weights: Any = None) -> pd.DataFrame:
    """Number of records in the context of each cell: its row without the cell itself.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Records, at least 1 (the record itself) or its weight; larger is safer. Index and
        columns of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> context_sizes(data)
       town  illness
    0     2        2
    1     1        2
    2     2        1
    """
    data = check_table(data)
    features, weights = attack_on(data, None, None, weights)
    every = [context_of(features, j) for j in range(len(features))]
    return _framed(data, np.array([np.bincount(ids, weights)[ids] for ids in every]))


def check_gains(cig: object) -> pd.DataFrame:
    """Return a table of gains; refuse cells that are missing or not numbers."""
    table = check_table(cig, "cig")
    numeric = all(pd.api.types.is_any_real_numeric_dtype(kind) for kind in table.dtypes)
    if not numeric or table.isna().any(axis=None):
        raise TypeError(
            "cig must hold gains in bits, none missing; pass the result of"
            " cell_information_gain, not the table of records."
        )
    return table


def _attacked(
    data: Table, feature: Any, priors: Any = None, accuracies: Any = None, weights: Any = None
) -> tuple[pd.DataFrame, int, Feature, IntArray, Any]:
    """The table, a feature by position and as attacked, its contexts, and the weights."""
    data = check_table(data)
    j = check_column(data.columns, feature, "feature")
    features, weights = attack_on(data, priors, accuracies, weights)
    return data, j, features[j], context_of(features, j), weights


def _in_context(context: IntArray, row: int) -> BoolArray:
    """Rows in the context of one row."""
    within = f"[0, {len(context) - 1}]"
    check_number(row, "row", within, "the position of a record", whole=True)
    return np.asarray(context == context[row])


def _percentile(numbers: FloatArray, weights: FloatArray | None, n: float) -> float:
    """Linear percentile, in which a number with a weight stands for several records."""
    check_number(n, "n", "[0, 100]", "a percentile")
    if 0 < n < 1:
        raise ValueError(f"n must be a percentile; got {n}. Did you mean {100 * n:g}?")
    if weights is None:
        return float(np.percentile(numbers, n))
    order = np.argsort(numbers, kind="stable")
    ranked, upto = numbers[order], np.cumsum(weights[order])
    if (weights % 1).any():
        # First record at which the running weight reaches n %, up to rounding errors.
        return float(ranked[np.argmax(upto >= upto[-1] * (n / 100) * (1 - 1e-12))])
    place = (upto[-1] - 1) * n / 100
    both = np.searchsorted(upto, [np.floor(place), np.ceil(place)], side="right")
    low, high = ranked[both.clip(max=len(ranked) - 1)]
    return float(low + (high - low) * (place % 1))


def _framed(data: pd.DataFrame, cells: FloatArray) -> pd.DataFrame:
    """Numbers of shape (n_features, n_records) as a table like `data`."""
    return pd.DataFrame(cells.T, index=data.index, columns=data.columns, copy=False)
