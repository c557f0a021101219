"""How risky is a class of which only a sample is seen? Estimates.

Some people share the quasi-identifiers of a record, but only those in the sample are counted.
From their number and a known sampling fraction follow an *estimate* of the chance to pick the
right person, and the k' that a sample needs for k-map of the population to be plausible. With
the population at hand, `k_map` and `reidentification_risk` count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammainc  # type: ignore[import-untyped]

from ._validate import (
    check_choice,
    check_fraction,
    check_open_share,
    check_partition,
    check_whole,
)
from .classes import EquivalenceClasses, as_classes, classes_anywhere
from .engine_classes import ClassesInEngine
from .engines import as_engine_table

__all__ = ["estimated_k_map", "individual_risk", "k_map_threshold"]

Floats = npt.NDArray[np.float64]


def sampled_classes(data: Any, quasi_identifiers: Any, missing: str) -> EquivalenceClasses:
    """Class table in which records belong to one class each."""
    classes = as_classes(data, quasi_identifiers, None, missing, wants_sensitive=False)
    check_partition(classes.missing, sensitive=True)
    return classes


def sampled_sizes(
    data: Any, quasi_identifiers: Any, missing: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sizes of classes that occur, rising, and how many classes have each."""
    table = as_engine_table(data)
    if table is not None:
        check_partition(missing, sensitive=True)
        names = quasi_identifiers, None
        there = classes_anywhere(table, *names, missing, wants_sensitive=False)
        if isinstance(there, ClassesInEngine):
            return there.histogram()
    sizes = sampled_classes(data, quasi_identifiers, missing).sizes
    return np.unique(sizes, return_counts=True)


def individual_risk(
    data: Any, quasi_identifiers: Any = None, *, fraction: float, missing: str = "category"
) -> pd.Series:
    r"""Estimate the risk of each record: Benedetti and Franconi's :math:`E[1/F \mid f]`.

    Of the F people in a class, f are in the sample. Given f, let the others have a negative
    binomial number: :math:`P(F = f + i \mid f) = \binom{f+i-1}{i} \pi^f (1-\pi)^i`, as it is
    if every person is sampled with probability :math:`\pi` and F is believed to be any number
    with a weight of 1/F before. Then

    .. math:: E[1/F \mid f] = \int_0^1 \frac{\pi\, v^{f-1}}{\pi + (1-\pi) v} \, dv
        = \frac{\pi^f}{f}\, {}_2F_1(f, f; f+1; 1-\pi),

    which is :math:`\frac{\pi}{1-\pi} \ln\frac1\pi` for f = 1 and
    :math:`\frac{\pi}{(1-\pi)^2} (\pi \ln \pi + 1 - \pi)` for f = 2.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or EquivalenceClasses
        The sample, or its class table, which has the two arguments of classes settled.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins.
    fraction : float
        Records over people of the population, above 0 and up to 1; it must be known.
    missing : {"category", "drop"}
        What a missing quasi-identifier is: a value of its own; or a reason to leave the record
        out, which then is no part of the sample.

    Returns
    -------
    Series of shape (n_records,)
        Estimated probability of picking the right person; smaller is safer. Index of `data`;
        missing for records left out. With ``fraction=1`` it is counted: 1/f.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, a column is not there, or `fraction` is no fraction.

    Notes
    -----
    It assumes that people are sampled independently, and the (improper) prior 1/F, in which
    classes of 1 to 10 people are together as likely as those of 10 to 100. The integral obeys
    :math:`I_{f+1} = \frac{\pi}{1-\pi} (1/f - I_f)`, used in the direction in which errors
    shrink, up to f = 50; beyond, it is taken by Gauss-Laguerre quadrature. The relative error
    is below 1e-13.

    References
    ----------
    .. [1] R. Benedetti and L. Franconi, *Statistical and technological solutions for
       controlled data dissemination*, Pre-proceedings of New Techniques and Technologies for
       Statistics, 1998.
    .. [2] S. Polettini, *Some remarks on the individual risk methodology*, Joint ECE/Eurostat
       work session on statistical data confidentiality, 2003, equation 4.

    Examples
    --------
    (.1 / .9) ln 10 = .2558, and (.1 / .81) (.9 - .1 ln 10) = .0827:

    >>> sample = pd.DataFrame({"town": ["A", "A", "B"]})
    >>> individual_risk(sample, "town", fraction=0.1).round(4).tolist()
    [0.0827, 0.0827, 0.2558]
    """
    share = check_fraction(fraction)
    classes = sampled_classes(data, quasi_identifiers, missing)
    size, of_class = np.unique(classes.sizes, return_inverse=True)
    return classes.per_record(_expected_inverse(size, share)[of_class], "risk")


FEW_RECORDS = 50
"""Up to this class size the integral goes by recurrence."""


def _expected_inverse(size: npt.NDArray[Any], fraction: float) -> Floats:
    """E[1/F | f] for rising class sizes f."""
    if fraction == 1:
        return 1 / size
    few = np.empty(FEW_RECORDS + 1)
    odds = fraction / (1 - fraction)
    if fraction <= 0.5:
        few[1] = -odds * math.log(fraction)
        for f in range(1, FEW_RECORDS):
            few[f + 1] = odds * (1 / f - few[f])
    else:
        few[FEW_RECORDS] = _by_quadrature(np.array([FEW_RECORDS]), fraction)[0]
        for f in range(FEW_RECORDS - 1, 0, -1):
            few[f] = 1 / f - few[f + 1] / odds
    many = _by_quadrature(size[size > FEW_RECORDS], fraction)
    return np.concatenate([few[size[size <= FEW_RECORDS]], many])


def _by_quadrature(size: npt.NDArray[Any], fraction: float) -> Floats:
    """The same integral as one of e^-t, with v = e^(-t/f), by Gauss-Laguerre quadrature."""
    nodes, weights = np.polynomial.laguerre.laggauss(48)
    decay = np.exp(-nodes / size[:, None])
    return np.asarray(fraction / (fraction + (1 - fraction) * decay) @ weights / size)


# k-map


def k_map_threshold(
    k: int, *, fraction: float, significance: float, estimator: str = "poisson"
) -> int:
    r"""The k′ for which k′-anonymity of a sample makes k-map of the population plausible.

    Of k people about :math:`\lambda = \pi k` are sampled. k′ is the least number with

    .. math:: P(f \ge k') \le \alpha

    for a Poisson number f of this mean, or for one that is known not to be 0 (zero-truncated,
    since every class of the sample has a record). If a class has k′ records or more, the
    hypothesis that it has only k people is rejected at significance :math:`\alpha`. It is
    never above k: f records are f people at least.

    Parameters
    ----------
    k : int
        People that share the quasi-identifiers, at least 1.
    fraction : float
        Records over people of the population, above 0 and up to 1.
    significance : float
        Probability :math:`\alpha` of taking a class of k people for a larger one, between 0
        and 1; smaller is safer.
    estimator : {"poisson", "zero-truncated poisson"}
        Distribution of the records of a class.

    Returns
    -------
    int
        Records, from 1 to k. With ``fraction=1`` it is k itself.

    Raises
    ------
    TypeError, ValueError
        If a number is outside of its range.

    Notes
    -----
    Estimated: it assumes that people are sampled independently, and says nothing of many
    classes at once. ARX takes one record more than this in the Poisson case.

    References
    ----------
    .. [1] K. El Emam and F. K. Dankar, *Protecting privacy using k-anonymity*, Journal of the
       American Medical Informatics Association 15(5), 2008 (estimators D3 and D4).
    .. [2] J. Pannekoek, *Statistical methods for some simple disclosure limitation rules*,
       Statistica Neerlandica 53(1), 1999.

    Examples
    --------
    With a mean of 10 x .1 = 1 record, P(f >= 4) is .019 and P(f >= 3) is .080; given f > 0
    they are .030 and .127:

    >>> k_map_threshold(10, fraction=0.1, significance=0.05)
    4
    >>> k_map_threshold(10, fraction=0.1, significance=0.1)
    3
    >>> k_map_threshold(10, fraction=0.1, significance=0.1, estimator="zero-truncated poisson")
    4
    """
    k = check_whole(k, "k", 1, 2**53, "people that share the quasi-identifiers")
    share, alpha, truncated = _k_map_settings(fraction, significance, estimator)
    low, high = 1, k  # high is enough, since k records are k people
    while low < high:
        middle = (low + high) // 2
        if share < 1 and _tail(middle, share * k, truncated) <= alpha:
            high = middle
        else:
            low = middle + 1
    return high


def estimated_k_map(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    fraction: float,
    significance: float,
    estimator: str = "poisson",
    missing: str = "category",
) -> int:
    """The greatest k for which the sample's smallest class makes k-map plausible: estimated.

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `individual_risk`.
    fraction, significance, estimator
        As for `k_map_threshold`, of which this is the inverse: the greatest k with a k′ of at
        most the records of the smallest class.

    Returns
    -------
    int
        People, at least the smallest class of the sample; larger is safer. With
        ``fraction=1`` it is `k_anonymity`.

    Raises
    ------
    TypeError, ValueError
        As `individual_risk` and `k_map_threshold`.

    References
    ----------
    .. [1] K. El Emam and F. K. Dankar, *Protecting privacy using k-anonymity*, Journal of the
       American Medical Informatics Association 15(5), 2008.

    Examples
    --------
    Four records of a tenth: classes of up to 13 people show so many with probability of at
    most .05 (.043 for 13, .054 for 14):

    >>> sample = pd.DataFrame({"town": ["A"] * 4})
    >>> estimated_k_map(sample, "town", fraction=0.1, significance=0.05)
    13
    """
    share, alpha, truncated = _k_map_settings(fraction, significance, estimator)
    f = int(sampled_sizes(data, quasi_identifiers, missing)[0][0])
    if share == 1:
        return f
    low, high = f, f + 1
    while _tail(f, share * high, truncated) <= alpha:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _tail(f, share * middle, truncated) <= alpha:
            low = middle
        else:
            high = middle
    return low


def _k_map_settings(
    fraction: Any, significance: Any, estimator: Any
) -> tuple[float, float, bool]:
    """Fraction, significance, and whether a class without records is ruled out."""
    check_choice(estimator, "estimator", ("poisson", "zero-truncated poisson"))
    share = check_fraction(fraction)
    return share, check_open_share(significance, "significance"), estimator != "poisson"


def _tail(records: int, mean: float, truncated: bool) -> float:
    """Probability of so many records or more, at least 1."""
    return float(gammainc(records, mean)) / (-math.expm1(-mean) if truncated else 1.0)
