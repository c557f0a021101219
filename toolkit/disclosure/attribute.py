"""What does a class give away about its members' secrets? Attribute disclosure.

Whoever finds a person's class learns how the sensitive values are distributed in it. For a
class :math:`c` of :math:`n_c` records and a value :math:`s`, let :math:`q_s` be its share in
the class and :math:`p_s` its share in the whole table. The models differ in how they compare
the two: diversity looks at :math:`q` alone; likeness, closeness and disclosure at how far
:math:`q` is from :math:`p`. The `class_*` functions show each class; the headline numbers are
the worst of them.

Every function takes the table with its roles, or the class table of `equivalence_classes`.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from .._grouping import RANKED, SCALES, Whole, kind_of
from .._validation import (
    check_choice,
    check_class_values,
    check_hierarchy,
    check_log_base,
    check_orderable,
    check_whole,
    warn_numbers_as_text,
)
from ..classes import EquivalenceClasses, SensitiveCounts, classes_anywhere
from ..engines.classes import ClassesInEngine

__all__ = [
    "AlphaK",
    "alpha_k_anonymity",
    "basic_beta_likeness",
    "class_counts",
    "class_disclosures",
    "class_distances",
    "class_diversity",
    "class_likeness",
    "class_recursive_c",
    "delta_disclosure",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "l_diversity",
    "recursive_cl_diversity",
    "t_closeness",
]


Floats = npt.NDArray[np.float64]


LARGEST_EXACT = 2**62


"""Products up to here are exact in 64 bits; beyond, ordered distances are rounded."""


PAIRS_AT_ONCE = 1 << 16


"""Pairs of class and value in a block."""


WHOLE_SLACK = 1e-9


"""An entropy l this close below a whole number counts as that number."""


def class_counts(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> pd.DataFrame:
    """How often each class holds each sensitive value that occurs in it.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), EquivalenceClasses or EngineTable
        The table, or its class table, which has the other arguments settled. See `open_table`
        for tables that stay in an engine.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins. With an empty list
        everyone is in one class.
    sensitive : column
        What is to be kept from the attacker; for several columns see `sensitive_tables`.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, or a reason to leave the record out.

    Returns
    -------
    DataFrame of shape (n_pairs, 4)
        A row per class and value: `value`, `records`, `share` q in the class and
        `share_of_all` p in the table. Indexed by the quasi-identifiers. Of an EngineTable
        whose class table exceeds the budget, an EngineTable with these columns.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, a column is not there, or is both quasi-identifier and
        sensitive.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> class_counts(data, "town", "illness").round(2)
         value  records  share  share_of_all
    town
    A      flu        1    0.5          0.33
    A      hiv        1    0.5          0.67
    B      hiv        1    1.0          0.67
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return _view(classes, classes.counts(), "value", "records", "share", "share_of_all")
    pairs = classes.sensitive
    found = {
        "value": pairs.values.take(pairs.of_value),
        "records": pairs.records,
        "share": pairs.records / classes.sizes[pairs.of_class],
        "share_of_all": (pairs.totals / classes.n_records)[pairs.of_value],
    }
    table = pd.DataFrame(found)
    table.index = classes.labels.take(pairs.of_class)
    return table


# Diversity: the shares in a class alone


def class_diversity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> pd.DataFrame:
    r"""How diverse the sensitive values of each class are.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_counts`.

    Returns
    -------
    DataFrame of shape (n_classes, 5)
        `records`; `distinct` values; `entropy_l`, the number of equally frequent values with
        the same entropy, :math:`\exp(-\sum_s q_s \ln q_s)`; `alpha`, the greatest share; and
        the `commonest` value, which has it. Larger `distinct` and `entropy_l` and a smaller
        `alpha` are safer. Indexed by the quasi-identifiers. Beyond the budget of an
        EngineTable, an EngineTable with these columns.

    Raises
    ------
    TypeError, ValueError
        As `class_counts`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> class_diversity(data, "town", "illness")
          records  distinct  entropy_l  alpha commonest
    town
    A           2         2        2.0    0.5       flu
    B           1         1        1.0    1.0       hiv
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        names = ("records", "distinct", "entropy_l", "alpha", "commonest")
        return _view(classes, classes.commonest(), *names)
    alpha, commonest = _top(classes.sensitive, _shares(classes))
    found = {
        "records": classes.sizes,
        "distinct": classes.distinct,
        "entropy_l": _entropy_l(classes),
        "alpha": alpha,
        "commonest": classes.sensitive.values.take(commonest),
    }
    return _by_class(classes, found)


class AlphaK(NamedTuple):
    """The greatest share of a value in a class, and the least number of records in a class."""

    alpha: float
    k: int


def alpha_k_anonymity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    values: Any = None,
    missing: str = "category",
) -> AlphaK:
    r"""How sure an attacker is of a sensitive value, and among how many records.

    .. math:: \alpha = \max_c \max_s q_s, \quad k = \min_c n_c

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_diversity`, of whose `alpha` this is the maximum.
    values : value, or list of values, optional
        The sensitive values that matter; all by default.

    Returns
    -------
    AlphaK
        `alpha`, a share (smaller is safer), and `k`, records (larger is safer).

    Raises
    ------
    TypeError, ValueError
        As `class_diversity`, or if the table does not hold one of `values`.

    References
    ----------
    .. [1] R. C.-W. Wong, J. Li, A. W.-C. Fu and K. Wang, "(α, k)-anonymity: an enhanced
       k-anonymity model for privacy preserving data publishing", KDD 2006, Definition 2.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> alpha_k_anonymity(data, "town", "illness", values="hiv")
    AlphaK(alpha=0.3333333333333333, k=3)
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return AlphaK(classes.alpha(_named(values, classes)), classes.k())
    return AlphaK(float(_shares(classes, values).max()), int(classes.sizes.min()))


def l_diversity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> int:
    """The least number of different sensitive values in a class (distinct l-diversity).

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_diversity`, of whose `distinct` this is the minimum.

    Returns
    -------
    int
        Values, at least 1; larger is safer. 1 means that some class gives its value away.

    Raises
    ------
    TypeError, ValueError
        As `class_diversity`.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, section 3.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> l_diversity(data, "town", "illness")
    1
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return int(classes.least(classes.diversity(), "distinct"))
    return int(classes.distinct.min())


def entropy_l_diversity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    whole: bool = False,
    missing: str = "category",
) -> float:
    r"""The least number of equally frequent values that would be as uncertain as a class.

    .. math:: l^* = \exp \min_c \Big(-\sum_s q_s \ln q_s\Big)

    A table is entropy l-diverse for every :math:`l \le l^*`.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_diversity`, of whose `entropy_l` this is the minimum.
    whole : bool
        Give the largest whole l instead, the floor of :math:`l^*` up to rounding errors.

    Returns
    -------
    float, or int if `whole`
        Values, from 1 to the number of sensitive values; larger is safer.

    Raises
    ------
    TypeError, ValueError
        As `class_diversity`.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, Definition 4.1.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> round(entropy_l_diversity(data, "town", "illness"), 2)
    1.89
    >>> entropy_l_diversity(data, "town", "illness", whole=True)
    1
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        least = classes.least(classes.diversity(), "entropy_l")
    else:
        least = float(_entropy_l(classes).min())
    return math.floor(least + WHOLE_SLACK) if whole else least


def class_recursive_c(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    l: int,  # noqa: E741
    missing: str = "category",
) -> pd.Series:
    r"""How far the commonest value of each class outweighs the rarer ones.

    With the counts of a class sorted from the greatest, :math:`r_1 \ge r_2 \ge \dots`, this is
    :math:`r_1 / \sum_{i \ge l} r_i`, infinite for a class of fewer than l values.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_counts`.
    l : int
        How many values the attacker may not rule out, at least 1.

    Returns
    -------
    Series of shape (n_classes,)
        Ratio; smaller is safer. Indexed by the quasi-identifiers.

    Raises
    ------
    TypeError, ValueError
        As `class_counts`, or if `l` is not whole.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAAB"), "illness": ["flu", "flu", "hiv", "hiv"]})
    >>> class_recursive_c(data, "town", "illness", l=2).to_dict()
    {'A': 2.0, 'B': inf}
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    check_whole(l, "l", 1, 2**53, "the values that an attacker may not rule out")
    if isinstance(classes, ClassesInEngine):
        return classes.per_class(classes.recursive_c(l), {"c": "c"})  # type: ignore[return-value]
    return classes.per_class(_recursive_c(classes, l), "c")


def recursive_cl_diversity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    l: int | None = None,  # noqa: E741
    missing: str = "category",
) -> float | None:
    r"""The bound that c must exceed for the table to be recursively (c, l)-diverse.

    .. math:: c^* = \max_c r_1 / \sum_{i \ge l} r_i

    with the counts :math:`r_1 \ge r_2 \ge \dots` of each class. The table is (c, l)-diverse
    exactly if :math:`c > c^*`; a class of fewer than l values makes it infinite.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_recursive_c`, of whose result this is the maximum.
    l : int, optional
        How many values the attacker may not rule out; the distinct l of the table by default.

    Returns
    -------
    float or None
        Ratio; smaller is safer. None if `l` is left out and the distinct l is 1: a class
        gives its value away, and no (c, l) with l of at least 2 holds.

    Raises
    ------
    TypeError, ValueError
        As `class_recursive_c`.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, Definition 4.2.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> recursive_cl_diversity(data, "town", "illness")
    2.0
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if l is None:
        l = (  # noqa: E741
            int(classes.least(classes.diversity(), "distinct"))
            if isinstance(classes, ClassesInEngine)
            else int(classes.distinct.min())
        )
        if l == 1:
            return None
    check_whole(l, "l", 1, 2**53, "the values that an attacker may not rule out")
    if isinstance(classes, ClassesInEngine):
        return classes.greatest(classes.recursive_c(l), "c")
    return float(_recursive_c(classes, l).max())


# Likeness, disclosure, closeness: the shares in a class against those in the table


def class_likeness(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> pd.DataFrame:
    r"""How much likelier each class makes a sensitive value than it is in the table.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_counts`.

    Returns
    -------
    DataFrame of shape (n_classes, 5)
        `records`; `beta`, the greatest gain :math:`(q_s - p_s) / p_s`; the `value` that gains
        it, missing where none gains (where `beta` is 0; elsewhere the missing value gains);
        `enhanced_beta`, the same unless the gain of a value exceeds :math:`-\ln p_s`, when it
        is infinite; and the value that is `offending` so most, missing where `enhanced_beta`
        is finite. Smaller is safer. Indexed by the quasi-identifiers. Beyond the budget of an
        EngineTable, an EngineTable with the numbers, but not the two values.

    Raises
    ------
    TypeError, ValueError
        As `class_counts`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> class_likeness(data, "town", "illness")
          records  beta value  enhanced_beta offending
    town
    A           2   0.5   flu            0.5       NaN
    B           1   0.5   hiv            inf       hiv
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return _view(classes, classes.likeness(), "records", "beta", "enhanced_beta")
    beta, value = _top(classes.sensitive, classes.gain)
    excess, offending = _top(classes.sensitive, classes.gain - _allowed(classes))
    values = classes.sensitive.values
    found = {
        "records": classes.sizes,
        "beta": beta,
        "value": _values_at(values, np.where(beta > 0, value, -1)),
        "enhanced_beta": np.where(excess > 0, np.inf, beta),
        "offending": _values_at(values, np.where(excess > 0, offending, -1)),
    }
    return _by_class(classes, found)


def basic_beta_likeness(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> float:
    r"""The greatest relative gain in the probability of a sensitive value.

    .. math:: \beta = \max_c \max_{s: q_s > p_s} (q_s - p_s) / p_s

    and 0 if no value gains. A table has basic β-likeness for every bound of at least this.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_likeness`, of whose `beta` this is the maximum.

    Returns
    -------
    float
        Relative gain, at least 0; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `class_likeness`.

    References
    ----------
    .. [1] J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee",
       PVLDB 5(11), 2012, Definition 2.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> basic_beta_likeness(data, "town", "illness")
    0.5
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return classes.greatest(classes.likeness(), "beta")
    return float(classes.gain.max())


def enhanced_beta_likeness(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> float:
    r"""The greatest relative gain, unless a frequent value gains more than it may.

    Enhanced β-likeness bounds the gain of each value by
    :math:`\min(\beta, -\ln p_s)`. Where a gain exceeds :math:`-\ln p_s` no β will do, and the
    answer is infinite.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_likeness`, of whose `enhanced_beta` this is the maximum.

    Returns
    -------
    float
        Relative gain, at least 0, or infinity; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `class_likeness`.

    References
    ----------
    .. [1] J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee",
       PVLDB 5(11), 2012, Definition 3.

    Examples
    --------
    Flu has become certain, a gain of 1 / 2, but -ln(2/3) is .41:

    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["hiv", "flu", "flu"]})
    >>> enhanced_beta_likeness(data, "town", "illness")
    inf
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return classes.greatest(classes.likeness(), "enhanced_beta")
    gain = classes.gain
    return math.inf if (gain > _allowed(classes)).any() else float(gain.max())


def class_disclosures(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    absent: str = "inf",
    base: float = math.e,
    missing: str = "category",
) -> pd.DataFrame:
    r"""How far each class moves the logarithm of the probability of a sensitive value.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, absent, base, missing
        As for `delta_disclosure`.

    Returns
    -------
    DataFrame of shape (n_classes, 3)
        `records`; `delta`, the greatest :math:`|\log (q_s / p_s)|`; and the `value` that has
        it (of absent values the first). Smaller is safer. Indexed by the quasi-identifiers.
        Beyond the budget of an EngineTable, an EngineTable with `records` and `delta`.

    Raises
    ------
    TypeError, ValueError
        As `delta_disclosure`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> class_disclosures(data, "town", "illness", base=2).round(2)
          records  delta value
    town
    A           2   0.58   flu
    B           1    inf   flu
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        check_choice(absent, "absent", ("inf", "skip"))
        there = classes.disclosure(absent)
        there = there.mutate(delta=there.delta / math.log(check_log_base(base)))
        return _view(classes, there, "records", "delta")
    lacks, scale = _lacking(classes, absent), math.log(check_log_base(base))
    delta, value = _top(classes.sensitive, np.abs(np.log(_lift(classes))) / scale)
    delta = np.where(lacks, np.inf, delta)
    value = np.where(lacks, _first_absent(classes), value)
    found = {
        "records": classes.sizes,
        "delta": delta,
        "value": classes.sensitive.values.take(value),
    }
    return _by_class(classes, found)


def delta_disclosure(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    absent: str = "inf",
    base: float = math.e,
    missing: str = "category",
) -> float:
    r"""The greatest change in the logarithm of the probability of a sensitive value.

    .. math:: \delta = \max_c \max_s |\log (q_s / p_s)|

    A table has δ-disclosure privacy for every bound greater than this.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_counts`.
    absent : {"inf", "skip"}
        What a value that a class lacks counts: infinity, as the definition says, for the
        class rules it out; or nothing, as some tools have it, which claims too much and can
        rise when classes merge.
    base : float, default e
        Base of the logarithm: e for nats, 2 for bits.

    Returns
    -------
    float
        At least 0, or infinity; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `class_counts`, or if `absent` or `base` is none of these.

    References
    ----------
    .. [1] J. Brickell and V. Shmatikov, "The cost of privacy: destruction of data-mining
       utility in anonymized data publishing", KDD 2008, Definition 3.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> delta_disclosure(data, "town", "illness")
    inf
    >>> round(delta_disclosure(data, "town", "illness", absent="skip", base=2), 2)
    0.58
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        check_choice(absent, "absent", ("inf", "skip"))
        scale = math.log(check_log_base(base))
        return classes.greatest(classes.disclosure(absent), "delta") / scale
    return _delta(_lift(classes), _lacking(classes, absent).any(), base)


def class_distances(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    kind: Any = "auto",
    missing: str = "category",
) -> pd.Series:
    """How far the sensitive values of each class are from those of the table.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, kind, missing
        As for `t_closeness`.

    Returns
    -------
    Series of shape (n_classes,)
        Earth mover's distance, from 0 to 1; smaller is safer. Indexed by the
        quasi-identifiers.

    Raises
    ------
    TypeError, ValueError
        As `t_closeness`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AABB"), "pay": [3, 5, 4, 6]})
    >>> class_distances(data, "town", "pay").round(3).to_dict()
    {'A': 0.167, 'B': 0.167}
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        found = _distances_in_engine(classes, kind)
        return classes.per_class(found, {"distance": "distance"})  # type: ignore[return-value]
    return classes.per_class(_distances(classes, kind), "distance")


def t_closeness(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    kind: Any = "auto",
    missing: str = "category",
) -> float:
    r"""The greatest distance of a class from the table, in sensitive values.

    The distance is the least work that turns the shares :math:`q` of the class into the shares
    :math:`p` of the table, where moving a share of 1 from one value to another costs at
    most 1. Between the m ordered values it costs the difference of ranks over m - 1:

    .. math:: D_\text{ordered} = \frac{1}{m-1} \sum_i \Big|\sum_{j \le i} (q_j - p_j)\Big|,
       \quad D_\text{equal} = \frac12 \sum_i |q_i - p_i|

    and in a hierarchy the height of the lowest label that both have over the whole height,
    which makes the distance the average of :math:`D_\text{equal}` over the levels below the
    root, each value replaced by its label. The root is the first level on which all values of
    the hierarchy have one label; levels above it are not counted (see Notes).

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing
        As for `class_counts`. In an order, a missing value comes last.
    kind : {"auto", "ordered", "equal"} or table
        Which distance. "auto" is ordered for numbers, dates and ordered categories, else
        equal, also for those that cannot be put into one order, such as days beside times.
        "ordered" takes unordered categories of numbers or dates by their values. A hierarchy
        is a table with a row per value: the value, then its label on each level.

    Returns
    -------
    float
        From 0 to 1; smaller is safer. A table is t-close for every t of at least this.

    Raises
    ------
    TypeError, ValueError
        As `class_counts`, or if the values have no order or are not in the hierarchy.

    Notes
    -----
    The average over levels follows from the paper's sum over inner nodes: the flow through a
    node is half of what the absolute extras of its children exceed its own, and the sums
    telescope.

    The paper's height H is that of the tree as it is drawn. Here levels above the first one
    with a single label are no part of it, so that a label repeated at the top, such as "all"
    below "*", does not change t. If all H levels were counted, t would be smaller by the
    factor h / H, where h levels lie below the root: of rows ``["x", "all", "*"]`` and
    ``["y", "all", "*"]``, half as large. To compare with such a t, multiply by h / H.

    References
    ----------
    .. [1] N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and
       l-diversity", ICDE 2007, section 4.

    Examples
    --------
    The paper's salaries in thousands, of which one class has the lowest three:

    >>> data = pd.DataFrame({"class": list("aaabbbccc"), "pay": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
    >>> class_distances(data, "class", "pay").round(3).to_dict()
    {'a': 0.375, 'b': 0.167, 'c': 0.236}
    >>> t_closeness(data, "class", "pay")
    0.375
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    if isinstance(classes, ClassesInEngine):
        return classes.greatest(_distances_in_engine(classes, kind), "distance")
    return float(_distances(classes, kind).max())


# One entry per class, in the order of the classes


def _anywhere(
    data: Any, quasi_identifiers: Any, sensitive: Any, missing: str
) -> EquivalenceClasses | ClassesInEngine:
    return classes_anywhere(data, quasi_identifiers, sensitive, missing, wants_sensitive=True)


def _view(classes: ClassesInEngine, table: Any, *columns: str) -> pd.DataFrame:
    """Classes that stay in the engine, with some numbers of them."""
    found = classes.per_class(table, {name: name for name in columns})
    return found  # type: ignore[return-value]


def _named(values: Any, classes: ClassesInEngine) -> list[Any] | None:
    """Sensitive values that matter, as the engine has them; None for all."""
    if values is None:
        return None
    known = pd.Index(classes.value_table[1].iloc[:, 0])
    found: list[Any] = known[check_class_values(values, known)].tolist()
    return found


def _by_class(classes: EquivalenceClasses, columns: dict[str, Any]) -> pd.DataFrame:
    table = pd.DataFrame(columns)
    table.index = classes.labels
    return table


def _values_at(values: pd.Index, codes: Whole) -> pd.Series:
    """Return the values with these codes, none for a negative one."""
    found = pd.Series(values.take(np.maximum(codes, 0)))
    return found.where(codes >= 0)


def _top(pairs: SensitiveCounts, numbers: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Whole]:
    """Greatest number of each class, and the first value that has it."""
    top = np.maximum.reduceat(numbers, pairs.starts)
    at = np.flatnonzero(numbers == top[pairs.of_class])
    first = np.flatnonzero(np.diff(pairs.of_class[at], prepend=-1))
    return top, pairs.of_value[at[first]]


def _shares(classes: EquivalenceClasses, values: Any = None) -> Floats:
    """Share in the class of each pair, 0 for values that do not matter."""
    pairs = classes.sensitive
    if values is None:
        return classes.shares
    return classes.shares * check_class_values(values, pairs.values)[pairs.of_value]


def _entropy_l(classes: EquivalenceClasses) -> Floats:
    pairs = classes.sensitive
    share = _shares(classes)
    nats = -np.bincount(pairs.of_class, share * np.log(share))
    # Rounding must not lift it above the number of values.
    return np.minimum(np.maximum(np.exp(nats), 1), classes.distinct)


def _recursive_c(classes: EquivalenceClasses, l: int) -> Floats:  # noqa: E741
    pairs = classes.sensitive
    width = int(pairs.records.max()) + 1
    key = pairs.of_class * width + (width - 1 - pairs.records)
    key.sort()  # classes stay in order, counts fall within each
    falling = width - 1 - key % width
    place = np.arange(len(falling)) - pairs.starts[pairs.of_class]
    tail = np.add.reduceat(np.where(place >= l - 1, falling, 0), pairs.starts)
    with np.errstate(divide="ignore"):
        return falling[pairs.starts] / tail


def _lift(classes: EquivalenceClasses) -> Floats:
    """Share in the class over share in the table, of each pair; 1 where they are equal."""
    return np.asarray(classes.sensitive.records * classes.n_records / classes.expected, float)


def _allowed(classes: EquivalenceClasses) -> Floats:
    """-ln p of each pair: never negative, so a value that gains nothing exceeds nothing."""
    pairs = classes.sensitive
    return np.asarray(-np.log(pairs.totals / classes.n_records)[pairs.of_value], float)


def _lacking(classes: EquivalenceClasses, absent: str) -> npt.NDArray[np.bool_]:
    """Mark classes that an absent value makes infinite."""
    check_choice(absent, "absent", ("inf", "skip"))
    return (classes.distinct < len(classes.sensitive.values)) & (absent == "inf")


def _delta(lift: Floats, lacks: Any, base: float) -> float:
    """Return the greatest change; as logarithms rise, the extremes of q / p tell it."""
    scale = math.log(check_log_base(base))
    return math.inf if lacks else max(math.log(lift.max()), -math.log(lift.min())) / scale


def _first_absent(classes: EquivalenceClasses) -> Whole:
    """First value that each class lacks; the number of values if it has them all.

    Values come in order within a class, so the first that is out of place follows a gap.
    """
    pairs, distinct = classes.sensitive, classes.distinct
    place = np.arange(len(pairs.of_class)) - pairs.starts[pairs.of_class]
    after_gap = np.where(pairs.of_value != place, place, distinct[pairs.of_class])
    return np.asarray(np.minimum.reduceat(after_gap, pairs.starts))


# Distances between the shares of a class and those of the table


def _distances(classes: EquivalenceClasses, kind: Any) -> Floats:
    values = classes.sensitive.values
    if not isinstance(kind, str):
        return _hierarchical_distances(classes, kind)
    kind = _kind_of_distance(kind, values, classes.sensitive.orderable)
    if len(values) == 1:
        return np.zeros(len(classes.sizes))
    distances = _ordered_distances if kind == "ordered" else _equal_distances
    return distances(classes)


def _kind_of_distance(kind: str, values: pd.Index, orderable: bool) -> str:
    """Which distance is meant, "ordered" or "equal"."""
    check_choice(kind, "kind", ("auto", "ordered", "equal"))
    if kind == "auto":
        if orderable and is_ordered(values):
            return "ordered"
        warn_numbers_as_text(values.dropna())
        return "equal"
    if kind == "ordered":
        check_orderable(orderable and _has_ranks(values), values)
    return kind


def _distances_in_engine(classes: ClassesInEngine, kind: Any) -> Any:
    """Distances of classes that stay in the engine, as an expression."""
    _, frame, _ = classes.value_table
    values = pd.Index(frame.iloc[:, 0])
    if not isinstance(kind, str):
        return classes.hierarchical(_labels_by_level(kind, values, classes.sensitive[0]))
    return classes.distances(_kind_of_distance(kind, values, True))


def is_ordered(values: pd.Index) -> bool:
    """Whether values are numbers, dates or ordered categories."""
    if isinstance(values, pd.CategoricalIndex):
        return bool(values.ordered)
    return kind_of(values) in SCALES


def _has_ranks(values: pd.Index) -> bool:
    """Whether the order of values means something: that of text does not."""
    if isinstance(values, pd.CategoricalIndex) and values.ordered:
        return True
    return kind_of(values) in RANKED


def _equal_distances(classes: EquivalenceClasses) -> Floats:
    pairs = classes.sensitive
    return _total_variation(classes, pairs.of_class, classes.excess)


def _total_variation(classes: EquivalenceClasses, of_class: Whole, excess: Whole) -> Floats:
    """Half of the sum of |q - p|: what the values that gain have gained."""
    size, n = classes.sizes, classes.n_records
    # Floats hold the sum exactly up to 2**53, and beyond to sixteen digits.
    gained = np.bincount(of_class, np.maximum(excess, 0), len(size))
    return np.asarray(gained / (size * n), float)


def _ordered_distances(classes: EquivalenceClasses) -> Floats:
    """Sum |Q - P| / (m - 1) of the cumulative shares, over the steps of Q.

    Between two values that a class holds, Q is constant while P rises: P lies below Q up to a
    crossing, which is searched for, and above it from there, so prefix sums of P suffice.
    Times n and the size of the class, all of these are whole numbers.
    """
    pairs, n = classes.sensitive, classes.n_records
    m = len(pairs.values)
    kind: Any = np.int64 if n * n * m < LARGEST_EXACT else np.float64
    total = np.cumsum(pairs.totals).astype(kind)  # n P
    prefix = np.concatenate([[0], np.cumsum(total)])
    distances = np.empty(len(classes.sizes))
    # Classes in blocks, whose arrays stay in the processor's cache.
    cuts = np.searchsorted(pairs.starts, np.arange(0, len(pairs.records), PAIRS_AT_ONCE))
    for first, last in pairwise([*cuts, len(pairs.starts)]):
        if first == last:  # of a class that fills a block
            continue
        starts = pairs.starts[first:last]
        stop = pairs.starts[last] if last < len(pairs.starts) else len(pairs.records)
        block = slice(starts[0], stop)
        starts = starts - starts[0]
        value, records = pairs.of_value[block], pairs.records[block]
        size = classes.sizes[first:last].astype(kind)
        held = np.diff(starts, append=len(records))
        own = np.cumsum(records)
        before = own[starts] - records[starts]
        level = n * (own - np.repeat(before, held)).astype(kind)  # n n_c Q from this value on
        here = np.repeat(size, held)
        end = np.append(value[1:], m)
        end[starts[1:] - 1] = m
        cross = np.clip(np.searchsorted(total, -(-level // here)), value, end)
        below = level * (cross - value) - here * (prefix[cross] - prefix[value])
        above = here * (prefix[end] - prefix[cross]) - level * (end - cross)
        work = np.add.reduceat(below + above, starts)
        work += size * prefix[value[starts]]  # where Q is still 0
        distances[first:last] = work / (size * kind(n * (m - 1)))
    return distances


def _hierarchical_distances(classes: EquivalenceClasses, hierarchy: Any) -> Floats:
    """Average the distances between labels over the levels below the root."""
    pairs = classes.sensitive
    labels = _labels_by_level(hierarchy, pairs.values, pairs.name)
    distance = np.zeros(len(classes.sizes))
    for of_value in labels:
        heads = int(of_value.max()) + 1
        key = pairs.of_class * heads + of_value[pairs.of_value]
        cells_here, place = np.unique(key, return_inverse=True)
        records = np.bincount(place, pairs.records).astype(np.int64)
        of_class, of_label = np.divmod(cells_here, heads)
        totals = np.bincount(of_label, records, heads).astype(np.int64)
        excess = records * classes.n_records - classes.sizes[of_class] * totals[of_label]
        distance += _total_variation(classes, of_class, excess)
    return distance / max(len(labels), 1)


def _labels_by_level(hierarchy: Any, values: pd.Index, name: Any) -> list[Whole]:
    """Number of the label of each value, on each level below the root."""
    cells = check_hierarchy(hierarchy, values, name)
    codes = [pd.factorize(column, use_na_sentinel=False)[0] for column in cells.T]
    heads = [int(column.max()) + 1 for column in codes]
    # The root is the first level with one label; without one it is put on top.
    levels = heads.index(1) if 1 in heads else len(heads)
    keys = pd.Index(cells[:, 0], dtype=object, tupleize_cols=False)
    wanted = np.empty(len(values), object)
    wanted[:] = values.astype(object)
    wanted[pd.isna(wanted)] = np.nan
    row = keys.get_indexer(pd.Index(wanted, dtype=object, tupleize_cols=False))
    return [np.asarray(codes[level][row]) for level in range(levels)]
