"""Personal information factors: what the rest of a record discloses about each cell.

The attacker knows how every feature is distributed in the population, and all of a person's
record but one cell. What the rest of the row then says about that cell is its *cell
information gain*, in bits; how far it moves the probability of the true value is its *cell
surprise factor*. Sums, weights and percentiles of these speak of features, records, tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from .._grouping import class_ids, encode, row_labels
from .._typing import AnyArray, BoolArray, FloatArray, by_kind, table_of
from .._validation import (
    check_column,
    check_percentile,
    check_table,
    check_weights,
    check_whole,
)
from ..classes import equivalence_class
from .contexts import (
    Cells,
    Table,
    average_gains,
    check_accuracies,
    each_feature,
    encode_attack,
    iter_features,
    pack,
    prior_of,
    unknown_sets,
)
from .entropies import gain_terms

LARGEST_POSTERIOR_TABLE = 50_000_000
"""Cells that `posterior_distributions` agrees to lay out at once (400 MB)."""


def gain_and_surprise(data: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Gain (bits) and surprise of each cell, as they are defined: the page to read first.

    The public functions below give the same numbers, a test compares them, and take priors,
    accuracies and weights besides. How they count large tables is said in `contexts`.
    """
    gain, surprise = pd.DataFrame(index=data.index), pd.DataFrame(index=data.index)
    row = equivalence_class(data, data.columns)
    for feature in data.columns:
        context = equivalence_class(data, data.columns.drop(feature))
        posterior = _sizes(row) / _sizes(context)
        prior = _sizes(equivalence_class(data, [feature])) / len(data)
        # Averaged over a context, log2 (P / Q) of the records' own values is D(P || Q).
        bits = pd.Series(np.log2(posterior / prior))
        gain[feature] = bits.groupby(context).transform("mean")
        surprise[feature] = (posterior - prior).abs()
    return gain, surprise


def _sizes(group: pd.Series) -> pd.Series:
    return group.groupby(group).transform("size")


@by_kind()
def cell_information_gain(
    data: pd.DataFrame,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    unknown: int = 1,
    samples: int | None = None,
    rng: np.random.Generator | None = None,
    zero_prior: str = "error",
) -> pd.DataFrame:
    r"""Bits an attacker gains about each cell from the rest of its row.

    For record :math:`i` and feature :math:`j`, let :math:`e` be the distribution of the
    feature among the records that equal :math:`i` in every other feature (its *context*),
    :math:`q` its prior distribution and :math:`a` the accuracy of the record. The attacker
    believes :math:`p = a e + (1 - a) q`, and gains
    :math:`D_{KL}(p \,\|\, q) = \sum_v p(v) \log_2 (p(v) / q(v))`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Categorical cells; bin numeric ones first (`bin_numeric`). A missing value is a
        category of its own.
    priors : mapping or list, optional
        ``{column: {value: probability}}``, the column by name or position (a name wins), or
        a list with one such mapping or None per column. Columns left out take their
        distribution in the table.
    accuracies : float, mapping or list, optional
        Probability that the record is right, per column as for `priors`; 1 where left out.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for; whole weights equal repeated rows.
    unknown : int, default 1
        How many cells of the row the attacker lacks. Beyond 1, the gain about a feature is
        averaged over all sets of that many features that contain it.
    samples : int, optional
        Number of such sets to draw, every feature in at least one; all of them by default.
    rng : numpy.random.Generator, optional
        Needed with `samples`.
    zero_prior : {"error", "inf", "smooth"}
        What to do where a prior gives an observed value no probability: refuse; let the gain
        be infinite; or count the prior as `n_records` records plus one of every value.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Gain in bits, at least 0; smaller is safer. Index and columns of `data`.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or a prior, accuracy or weight is none or fits no column.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    Town and illness tell each other; the rarer pair (record 2) gives away log2 3 bits:

    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> cell_information_gain(data).round(2)
       town  illness
    0  0.58     0.58
    1  0.58     0.58
    2  1.58     1.58
    """
    attack = encode_attack(data, priors, accuracies, weights, zero_prior)
    width = data.shape[1]
    check_whole(unknown, "unknown", 1, width, "the number of cells the attacker lacks")
    sets = unknown_sets(width, unknown, samples, rng)
    if unknown > 1:
        return _framed(data, average_gains(attack, sets))
    gains = np.empty(data.shape, order="F")
    each_feature(attack, lambda j, cells: attack.measure(cells, gains[:, j], None))
    return _framed(data, gains)


@by_kind()
def cell_surprise_factor(
    data: pd.DataFrame,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> pd.DataFrame:
    r"""How far the rest of the row moves the probability of each cell's true value.

    With the posterior :math:`p` and the prior :math:`q` of `cell_information_gain`, the
    factor of a cell that holds :math:`x` is :math:`|p(x) - q(x)|`. By Pinsker's inequality it
    is at most :math:`\sqrt{\mathrm{CIG} \ln 2 / 2}`.

    Parameters
    ----------
    data, priors, accuracies, weights, zero_prior
        As for `cell_information_gain`.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Difference of two probabilities, from 0 to 1; smaller is safer. Index and columns of
        `data`.

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    The town settles record 2, whose illness one in three had before:

    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> cell_surprise_factor(data).round(2)
       town  illness
    0  0.33     0.33
    1  0.33     0.33
    2  0.67     0.67
    """
    attack = encode_attack(data, priors, accuracies, weights, zero_prior)
    factors = np.empty(data.shape, order="F")
    each_feature(attack, lambda j, cells: attack.measure(cells, None, factors[:, j]))
    return _framed(data, factors)


@by_kind()
def weighted_cell_information_gain(
    data: pd.DataFrame,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> pd.DataFrame:
    r"""Cell information gain, scaled by the share of the feature the others leave open.

    The weight of feature :math:`j` is :math:`H(X_j \mid X_{-j}) / H(X_j)`, always of the
    table itself: 0 for a feature that the others determine or that is constant, 1 for one
    they say nothing of and for a table's only column.

    A small value is no sign of safety. Where the records stay unique whichever one column is
    left out, every feature is determined by the others, so that every weight is 0 while every
    gain is as large as can be.

    Parameters
    ----------
    data, priors, accuracies, weights, zero_prior
        As for `cell_information_gain`.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Bits, at least 0; 0 where the weight is 0, even if the gain is infinite. Index and
        columns of `data`.

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`.

    References
    ----------
    .. [1] CSIRO's Data61, *piflib: Personal Information Factor tools*, 2021.

    Examples
    --------
    A copy is determined, so it weighs nothing, although each cell gives away one bit:

    >>> data = pd.DataFrame({"coin": [0, 1], "copy": [0, 1]})
    >>> weighted_cell_information_gain(data)
       coin  copy
    0   0.0   0.0
    1   0.0   0.0
    """
    attack = encode_attack(data, priors, accuracies, weights, zero_prior)
    gains = np.empty(data.shape, order="F")
    for j, cells in iter_features(attack):
        open_bits = attack.measure(cells, gains[:, j], None)
        open_share = cells.open_share(open_bits, attack.empirical[j], attack.total)
        gains[:, j] = gains[:, j] * open_share if open_share > 0 else 0.0  # inf * 0 is 0 here
    return _framed(data, gains)


@by_kind()
def feature_information_gain(cig: pd.DataFrame, *, weights: Any = None) -> pd.Series:
    r"""Bits gained about each feature over all records: the column sums of CIG.

    With the table's own distributions as priors this is
    :math:`n \, I(X_j; X_{-j})`, n times the mutual information of feature and rest.

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

    Raises
    ------
    TypeError, ValueError
        If `cig` is no table of numbers, or `weights` does not fit it.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AABB"), "illness": ["flu", "flu", "flu", "hiv"]})
    >>> feature_information_gain(cell_information_gain(data)).round(3)
    town       1.245
    illness    1.245
    Name: fig, dtype: float64
    """
    gains = check_gains(cig).to_numpy(dtype=float)
    weight = check_weights(cig, weights)
    return pd.Series(_column_sums(gains, weight), index=cig.columns, name="fig")


@by_kind()
def row_information_gain(cig: pd.DataFrame) -> pd.Series:
    r"""Bits gained about each record over all its cells: the row sums of CIG.

    The mean over records is the total correlation plus the dual total correlation of the
    table, if its own distributions are the priors.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.

    Returns
    -------
    Series of shape (n_records,)
        Bits, at least 0; smaller is safer. Index of `cig`.

    Raises
    ------
    TypeError, ValueError
        If `cig` is no table of numbers.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> row_information_gain(cell_information_gain(data)).round(2).tolist()
    [1.17, 1.17, 3.17]
    """
    gains = check_gains(cig).to_numpy(dtype=float)
    return pd.Series(_row_sums(gains), index=cig.index, name="rig")


@by_kind()
def personal_information_factor(cig: pd.DataFrame, n: float, *, weights: Any = None) -> float:
    r"""PIF_n: the n-th percentile of row information gain.

    About n % of the records give away at most this much: the percentile is interpolated
    linearly between two neighbouring records, so it may be one record fewer. How much the
    rest give away the number does not say.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.
    n : float
        A percentile: 0, or from 1 to 100. A fraction such as 0.95 is refused.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for. Whole weights count as repeated rows. If any
        is no whole number, weights are taken as shares, and nothing is interpolated: the
        result is the smallest gain that at least n % of the weight do not exceed.

    Returns
    -------
    float
        Bits, at least 0; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If `n` is no percentile, `cig` no table of numbers, or `weights` does not fit it.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> round(personal_information_factor(cell_information_gain(data), 50), 2)
    1.17
    """
    rig = row_information_gain(cig).to_numpy()
    return _percentile(rig, check_weights(cig, weights), check_percentile(n))


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

    cig: Any
    csf: Any
    fig: pd.Series
    rig: Any
    open_share: pd.Series
    _weights: FloatArray | None = field(repr=False)

    @cached_property
    def wcig(self) -> Any:
        """Weighted gain of each cell (bits), multiplied out when it is first asked for."""
        weighted = np.empty(self.cig.shape, order="F")
        gain = self.cig.to_numpy()
        for j, share in enumerate(self.open_share):
            if share > 0:
                np.multiply(gain[:, j], share, out=weighted[:, j])
            else:  # also of a gain without end
                weighted[:, j] = 0.0
        return _framed(self.cig, weighted)

    def pif(self, n: float) -> float:
        """PIF_n in bits; see `personal_information_factor`."""
        return _percentile(self.rig.to_numpy(), self._weights, check_percentile(n))


@by_kind()
def information_factors(
    data: pd.DataFrame,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> InformationFactors:
    """CIG, CSF, weighted CIG, FIG, RIG and PIF_n of a table, in one pass over it.

    Parameters
    ----------
    data, priors, accuracies, weights, zero_prior
        As for `cell_information_gain`.

    Returns
    -------
    InformationFactors
        An object with `cig`, `csf`, `wcig`, `fig`, `rig` and `pif(n)`, equal to what the
        functions of these names return.

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> factors = information_factors(data)
    >>> factors.fig.round(2).to_dict(), round(factors.pif(100), 2)
    ({'town': 2.75, 'illness': 2.75}, 3.17)
    """
    attack = encode_attack(data, priors, accuracies, weights, zero_prior)
    # One block for both: freed at once, it is kept for the next call, where two, each as large
    # as half of what malloc keeps, would go back to the system and be fetched page by page.
    gain, surprise = np.empty((2, *data.shape[::-1])).transpose(0, 2, 1)
    open_share = np.zeros(data.shape[1])

    def measure(j: int, cells: Cells) -> None:
        open_bits = attack.measure(cells, gain[:, j], surprise[:, j])
        open_share[j] = cells.open_share(open_bits, attack.empirical[j], attack.total)

    each_feature(attack, measure)
    row_weights = check_weights(data, weights)
    fig = pd.Series(_column_sums(gain, row_weights), index=data.columns, name="fig")
    rig = pd.Series(_row_sums(gain), index=data.index, name="rig")
    shares = pd.Series(open_share, index=data.columns, name="open_share")
    cig, csf = _framed(data, gain), _framed(data, surprise)
    return InformationFactors(cig, csf, fig, rig, shares, row_weights)


def prior_distribution(
    data: pd.DataFrame,
    feature: Any,
    *,
    priors: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> pd.Series:
    """What the attacker believes of a feature before seeing any record.

    Parameters
    ----------
    data, priors, weights, zero_prior
        As for `cell_information_gain`.
    feature : column
        Name or position; a name wins.

    Returns
    -------
    Series of shape (n_values,)
        Probability of each value, values in order; they add up to 1.

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`, or if the feature is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> prior_distribution(data, "town").round(2).to_dict()
    {'A': 0.67, 'B': 0.33}
    """
    data = table_of(data)
    j = check_column(check_table(data), feature, "feature")
    belief = prior_of(data, j, priors, check_weights(data, weights), zero_prior)
    return belief.prior.iloc[belief.order].rename(data.columns[j])


def posterior_distributions(
    data: pd.DataFrame,
    feature: Any,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> pd.DataFrame:
    """What the attacker believes of a feature, for each context that the table holds.

    Parameters
    ----------
    data, priors, accuracies, weights, zero_prior
        As for `cell_information_gain`.
    feature : column
        Name or position; a name wins.

    Returns
    -------
    DataFrame of shape (n_contexts, n_values)
        Probability of each value (columns, in order) in each context (rows, in order of
        first appearance, indexed by the values of the other features). Rows add up to 1.

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`; if the feature is not there, or the result would not fit
        in memory.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> posterior_distributions(data, "illness")
    illness  flu  hiv
    town
    A        0.5  0.5
    B        1.0  0.0
    """
    data = table_of(data)
    j = check_column(check_table(data), feature, "feature")
    weight = check_weights(data, weights)
    belief = prior_of(data, j, priors, weight, zero_prior)
    accuracy = check_accuracies(data, accuracies).get(j, 1.0)
    others = [i for i in range(data.shape[1]) if i != j]
    context, first = class_ids(data, others)
    width = len(belief.prior)
    if first.size * width > LARGEST_POSTERIOR_TABLE:
        raise ValueError(
            f"feature {data.columns[j]!r} has {width:,} values in {first.size:,} contexts,"
            f" too many for one table; look at single cells with information_gain_terms."
        )
    counts = np.bincount(context * width + belief.codes, weight, first.size * width)
    counts = counts.reshape(first.size, width)
    share = counts / counts.sum(axis=1, keepdims=True)
    posterior = accuracy * share + (1 - accuracy) * belief.prior.to_numpy()
    values = belief.prior.index.rename(data.columns[j])
    table = pd.DataFrame(posterior, row_labels(data, others, first), values)
    return table.iloc[:, belief.order]


def information_gain_terms(
    data: pd.DataFrame,
    row: int,
    feature: Any,
    *,
    priors: Any = None,
    accuracies: Any = None,
    weights: Any = None,
    zero_prior: str = "error",
) -> pd.DataFrame:
    r"""The sum behind one cell's gain: a term :math:`p(v) \log_2 (p(v) / q(v))` per value.

    Parameters
    ----------
    data, priors, accuracies, weights, zero_prior
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

    Raises
    ------
    TypeError, ValueError
        As `cell_information_gain`, or if row or feature is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> information_gain_terms(data, 0, "illness").round(2)
         prior  posterior  term_bits
    flu   0.67        1.0       0.58
    hiv   0.33        0.0       0.00
    """
    data = table_of(data)
    j = check_column(check_table(data), feature, "feature")
    weight = check_weights(data, weights)
    belief = prior_of(data, j, priors, weight, zero_prior)
    accuracy = check_accuracies(data, accuracies).get(j, 1.0)
    here = in_same_context(data, row, j)
    prior = belief.prior.to_numpy()
    inside = None if weight is None else weight[here]
    counts = np.bincount(belief.codes[here], inside, len(prior))
    posterior = accuracy * counts / counts.sum() + (1 - accuracy) * prior
    terms = pd.DataFrame(
        {"prior": prior, "posterior": posterior, "term_bits": gain_terms(posterior, prior)},
        index=belief.prior.index,
    )
    return terms.iloc[belief.order]


def same_context(data: pd.DataFrame, row: int, feature: Any) -> pd.DataFrame:
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

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or row or feature is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> same_context(data, 0, "illness")
      town illness
    0    A     flu
    1    A     hiv
    """
    data = table_of(data)
    j = check_column(check_table(data), feature, "feature")
    return data.loc[in_same_context(data, row, j)]


def in_same_context(data: pd.DataFrame, row: int, j: int) -> BoolArray:
    """Which rows equal one row in every column but the j-th."""
    check_whole(row, "row", 0, len(data) - 1, "the position of a record")
    others = [i for i in range(data.shape[1]) if i != j]
    same = np.ones(len(data), bool)
    for codes in encode(data, others).codes:
        same &= codes == codes[row]
    return same


def context_sizes(data: pd.DataFrame, *, weights: Any = None) -> pd.DataFrame:
    """How many records share the context of each cell: its row without the cell itself.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    weights : array-like of shape (n_records,), optional
        How many records each row stands for.

    Returns
    -------
    DataFrame of shape (n_records, n_features)
        Records, at least 1 (the record itself), or its weight; larger is safer. Index and
        columns of `data`.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or `weights` does not fit it.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "flu"]})
    >>> context_sizes(data)
       town  illness
    0     2        2
    1     1        2
    2     2        1
    """
    data = table_of(data)
    packed = pack(encode(check_table(data)), check_weights(data, weights))
    sizes = np.empty(data.shape, float if weights is not None else int, order="F")
    size = np.empty(packed.rows, sizes.dtype)
    for j, found in packed.contexts():
        size[:] = 1 if packed.weight is None else packed.weight
        if isinstance(found, Table):
            size.reshape(packed.sizes)[:] = found.records.sum(axis=j, keepdims=True)
        else:
            for runs in found.blocks():
                total = np.add.reduceat(runs.of_cells(packed.weight), runs.first)
                size[runs.row] = np.repeat(total, runs.context_rows)
        sizes[:, j] = size if packed.of_row is None else size[packed.of_row]
    return _framed(data, sizes)


def _percentile(numbers: FloatArray, weights: FloatArray | None, n: float) -> float:
    """Linear percentile; of numbers that stand for several records if weights are given."""
    if weights is None:
        place = (numbers.size - 1) * n / 100
        at = math.floor(place)
        ranked = np.partition(numbers, at)  # ten times as fast as for two places
        high = ranked[at + 1 :].min() if place > at else ranked[at]
        return _between(float(ranked[at]), float(high), place)
    order = np.argsort(numbers, kind="stable")
    ranked, upto = numbers[order], np.cumsum(weights[order])
    if n == 100:
        return float(ranked[-1])
    if not (weights == np.round(weights)).all() or upto[-1] >= 2**53:
        # The first record at which the running weight reaches n %, rounding forgiven.
        reached = upto >= upto[-1] * (n / 100) * (1 - 1e-12)
        return float(ranked[np.argmax(reached)])
    place = (upto[-1] - 1) * n / 100
    both = np.searchsorted(upto, [math.floor(place), math.ceil(place)], side="right")
    low, high = ranked[both]
    return _between(float(low), float(high), place)


def _between(low: float, high: float, place: float) -> float:
    """Interpolate between two neighbours; an infinite one counts only if it is reached."""
    part = place - math.floor(place)
    return float(low if low == high or part == 0 else low + (high - low) * part)


def _column_sums(gains: FloatArray, weight: FloatArray | None) -> FloatArray:
    return gains.sum(axis=0) if weight is None else weight @ gains


def _row_sums(gains: FloatArray) -> FloatArray:
    sums: FloatArray = gains.sum(axis=1)
    return sums


def _framed(data: pd.DataFrame, cells: AnyArray) -> pd.DataFrame:
    return pd.DataFrame(cells, index=data.index, columns=data.columns, copy=False)


def check_gains(cig: object) -> pd.DataFrame:
    """Return a table of gains: numbers without holes."""
    if isinstance(cig, pd.Series):
        raise TypeError("cig must be the table of cell gains; got a Series (of row gains?).")
    table = check_table(cig, "cig")
    for position, name in enumerate(table.columns):
        column = table.iloc[:, position]
        kinds = pd.api.types
        other = kinds.is_bool_dtype(column) or kinds.is_complex_dtype(column)
        if other or not kinds.is_numeric_dtype(column):
            raise TypeError(
                f"cig must hold gains in bits; column {name!r} is of type {column.dtype}."
                f" Pass the result of cell_information_gain, not the table of records."
            )
        if column.isna().any():
            raise ValueError(f"cig has missing gains in column {name!r}; it must have none.")
    return table
