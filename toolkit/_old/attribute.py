"""Attribute disclosure: what an equivalence class discloses about sensitive values.

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
import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import FloatArray, IntArray
from .catalogue import GAINING, MODELS, OFFENDING, SKIPPING, Model, equal_distance
from .classes import (
    ClassNumbers,
    ClassTable,
    EquivalenceClasses,
    LocalNumbers,
    ValueShown,
    class_blocks,
    class_table,
)
from .grouping import RANKED, SCALES, kind_of
from .typing import by_kind
from .validation import check_choice, check_hierarchy, check_whole, listed, number

LARGEST_EXACT = 2**62
"""Products up to here are exact in 64 bits; beyond, ordered distances are rounded."""


PAIRS_AT_ONCE = 1 << 16
"""Pairs of class and value in a block."""


WHOLE_SLACK = 1e-9
"""An entropy l this close below a whole number counts as that number."""


# Diversity: the shares in a class alone


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
    return AlphaK(classes.alpha(values), classes.k())


def l_diversity(
    data: Any,
    quasi_identifiers: Any = None,
    sensitive: Any = None,
    *,
    missing: str = "category",
) -> int:
    r"""The least number of different sensitive values in a class (distinct l-diversity).

    .. math:: l = \min_c |\{s : q_s > 0\}|

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
    return int(_worst(classes, MODELS["l_diversity"]))


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
    least = _worst(classes, MODELS["entropy_l_diversity"])
    return math.floor(least + WHOLE_SLACK) if whole else least


def recursive_diversity_by_class(
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
    >>> recursive_diversity_by_class(data, "town", "illness", l=2).to_dict()
    {'A': 2.0, 'B': inf}
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    check_whole(l, "l", 1, 2**53, "the values that an attacker may not rule out")
    return recursive_ratios(classes, l).labelled("c")


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
        As for `recursive_diversity_by_class`, of whose result this is the maximum.
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
        As `recursive_diversity_by_class`.

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
        l = int(_worst(classes, MODELS["l_diversity"]))  # noqa: E741
        if l == 1:
            return None
    check_whole(l, "l", 1, 2**53, "the values that an attacker may not rule out")
    return recursive_ratios(classes, l).worst("c", "greatest")


# Likeness, disclosure, closeness: the shares in a class against those in the table


def beta_likeness_by_class(
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
    >>> beta_likeness_by_class(data, "town", "illness")
          records  beta value  enhanced_beta offending
    town
    A           2   0.5   flu            0.5       NaN
    B           1   0.5   hiv            inf       hiv
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    return classes.on_classes(
        {
            "records": _records,
            "beta": _formula("basic_beta_likeness"),
            "value": GAINING,
            "enhanced_beta": _formula("enhanced_beta_likeness"),
            "offending": OFFENDING,
        }
    )


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
        As for `beta_likeness_by_class`, of whose `beta` this is the maximum.

    Returns
    -------
    float
        Relative gain, at least 0; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `beta_likeness_by_class`.

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
    return _worst(classes, MODELS["basic_beta_likeness"])


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
        As for `beta_likeness_by_class`, of whose `enhanced_beta` this is the maximum.

    Returns
    -------
    float
        Relative gain, at least 0, or infinity; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `beta_likeness_by_class`.

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
    return _worst(classes, MODELS["enhanced_beta_likeness"])


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
    model, scale = _delta(absent), _log(base)
    return _worst(classes, model) / scale


def t_closeness_by_class(
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
    >>> t_closeness_by_class(data, "town", "pay", kind="ordered").round(3).to_dict()
    {'A': 0.167, 'B': 0.167}
    """
    classes = _anywhere(data, quasi_identifiers, sensitive, missing)
    return distances(classes, kind).labelled("distance")


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
        Which distance. "auto" is ordered for dates, ordered categories and numbers that are
        not all whole. It is equal for everything else: also for whole numbers, which may be
        codes, and for values without one order, such as days beside times. "ordered" takes
        whole numbers and unordered categories by their values. A hierarchy is a table with a
        row per value: the value, then its label on each level.

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
    >>> t_closeness_by_class(data, "class", "pay", kind="ordered").round(3).to_dict()
    {'a': 0.375, 'b': 0.167, 'c': 0.236}
    >>> t_closeness(data, "class", "pay", kind="ordered")
    0.375
    """
    return greatest_distance(_anywhere(data, quasi_identifiers, sensitive, missing), kind)


# One entry per class, in the order of the classes


def _anywhere(data: Any, quasi_identifiers: Any, sensitive: Any, missing: str) -> ClassTable:
    return class_table(data, quasi_identifiers, sensitive, missing, wants_sensitive=True)


def _formula(name: str) -> Any:
    return MODELS[name].formula


def _worst(classes: ClassTable, model: Model) -> float:
    """The least or greatest number of a class, of a model that is a formula.

    Where a class in memory surely has the worst number there is, none is computed.
    """
    if (surely := model.surely_worst) and isinstance(classes, EquivalenceClasses):
        if classes.numbers(surely=surely).worst("surely", "greatest"):
            low, high = model.range
            return float(low if model.worst == "least" else high)
    formula: Any = model.formula
    return classes.numbers(number=formula).worst("number", model.worst)


def _records(c: Any) -> Any:
    return c.records


def _delta(absent: str) -> Model:
    """Model of delta-disclosure, where an absent value counts or does not."""
    check_choice(absent, "absent", ("inf", "skip"))
    return MODELS["delta_disclosure"] if absent == "inf" else SKIPPING


@by_kind()
def recursive_ratios(classes: Any, l: int) -> ClassNumbers:  # noqa: E741
    """Commonest value of each class over its l-th and all rarer ones.

    One sort of one integer per pair ranks the counts of all classes at once: its high digits
    are the class, its low ones what the count lacks to the greatest of all.
    """
    pairs = classes.sensitive
    width = int(pairs.records.max()) + 1
    key = pairs.of_class.astype(np.int64) * width + (width - 1 - pairs.records)
    key.sort()  # classes stay in order, counts fall within each
    falling = width - 1 - key % width
    place = np.arange(len(falling)) - pairs.starts[pairs.of_class]
    tail = np.add.reduceat(np.where(place >= l - 1, falling, 0), pairs.starts)
    with np.errstate(divide="ignore"):
        return LocalNumbers(classes, {"c": falling[pairs.starts] / tail})


# Distances between the shares of a class and those of the table


@by_kind()
def distances(classes: Any, kind: Any) -> ClassNumbers:
    """Earth mover's distance of each class from the table."""
    pairs = classes.sensitive
    kind = distance_meant(kind, pairs.values, pairs.orderable)
    if not isinstance(kind, str):
        found = _hierarchical_distances(classes, kind)
    elif kind == "ordered":
        found = _ordered_distances(classes)
    else:
        found = equal_distance(classes.tally)
    return LocalNumbers(classes, {"distance": found})


@by_kind()
def greatest_distance(classes: Any, kind: Any) -> float:
    """Greatest earth mover's distance of a class from the table.

    A distance is convex: that of a class is at most the average of those that its values have
    alone. So where a class holds nothing but the value that is farthest, no other is farther.
    """
    pairs = classes.sensitive
    kind = distance_meant(kind, pairs.values, pairs.orderable)
    each, totals = np.arange(len(pairs.values)), pairs.totals
    alone = replace(pairs, of_class=each, of_value=each, records=totals, starts=each)
    by_value = replace(classes, sizes=totals, counts=alone)
    found: Any = distances(by_value, kind)
    found = found.by_name["distance"]
    only = pairs.of_value[pairs.starts[np.bincount(pairs.of_class) == 1]]
    if (found[only] == found.max()).any():
        return float(found.max())
    return distances(classes, kind).worst("distance", "greatest")


def _log(base: Any) -> float:
    """Logarithm of the base of another one."""
    kind = "a number above 1, such as 2 or math.e"
    return math.log(number(base, "base", "(1, inf)", kind, "a finite number above 1"))


def distance_meant(kind: Any, values: pd.Index, orderable: bool) -> Any:
    """Which distance is meant: "ordered", "equal", or the hierarchy as it came."""
    if not isinstance(kind, str):
        return kind
    check_choice(kind, "kind", ("auto", "ordered", "equal"))
    if kind == "ordered" and not (orderable and _has_ranks(values)):
        raise ValueError(
            f"kind='ordered' needs numbers, dates or ordered categories; the sensitive"
            f" values are {listed(values, 4)}. Make the column an ordered Categorical, or"
            f" use kind='equal'."
        )
    if kind != "auto":
        return kind
    if orderable and is_ordered(values):
        return "equal" if _are_whole(values) else "ordered"
    texts = values.dropna()
    for some in (texts[:20], texts):  # where the first are none, the others need no look
        text = bool(len(some)) and all(isinstance(value, str) for value in some)
        numbers = pd.to_numeric(pd.Series(list(some) if text else [], dtype=object), "coerce")
        if not text or numbers.isna().any():
            return "equal"
    warnings.warn(
        f"the sensitive values are numbers stored as text ({listed(texts, 3)}), so they are"
        f" compared as names, all equally far apart; turn them into numbers, or say"
        f" kind='equal'.",
        UserWarning,
        stacklevel=2,
    )
    return "equal"


def _are_whole(values: pd.Index) -> bool:
    """Whether values are whole numbers, whatever holds them: these may be codes."""
    kind = kind_of(values)
    if kind not in ("floating", "mixed-integer-float", "decimal"):
        return kind == "integer"
    return all(abs(value) != math.inf and int(value) == value for value in values.dropna())


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


def _ordered_distances(classes: EquivalenceClasses) -> FloatArray:
    """Sum |Q - P| / (m - 1) of the cumulative shares, over the steps of Q.

    Between two values that a class holds, Q is constant while P rises: P lies below Q up to a
    crossing, which is searched for, and above it from there, so prefix sums of P suffice.
    Times n and the size of the class, all of these are whole numbers.
    """
    pairs, n = classes.sensitive, classes.n_records
    m = len(pairs.values)
    if m == 1:
        return np.zeros(len(classes.sizes))
    kind: Any = np.int64 if n * n * m < LARGEST_EXACT else np.float64
    total = np.cumsum(pairs.totals).astype(kind)  # n P
    prefix = np.concatenate([[0], np.cumsum(total)])
    distances = np.empty(len(classes.sizes))
    # Classes in blocks, whose arrays stay in the processor's cache.
    for some, block in class_blocks(pairs.starts, len(pairs.records), PAIRS_AT_ONCE):
        starts = pairs.starts[some] - block.start
        value, records = pairs.of_value[block], pairs.records[block]
        size = classes.sizes[some].astype(kind)
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
        distances[some] = work / (size * kind(n * (m - 1)))
    return distances


def _hierarchical_distances(classes: EquivalenceClasses, hierarchy: Any) -> FloatArray:
    """Average the distances between labels over the levels below the root."""
    pairs = classes.sensitive
    labels = labels_by_level(hierarchy, pairs.values, pairs.name)
    distance = np.zeros(len(classes.sizes))
    for of_value in labels:
        heads = int(of_value.max()) + 1
        key = pairs.of_class.astype(np.int64) * heads + of_value[pairs.of_value]
        cells_here, place = np.unique(key, return_inverse=True)
        records = np.bincount(place, pairs.records).astype(np.int64)
        of_class, of_label = np.divmod(cells_here, heads)
        totals = np.bincount(of_label, records, heads).astype(np.int64)
        excess = records * classes.n_records - classes.sizes[of_class] * totals[of_label]
        # Half of the sum of |q - p| is what the values that gain have gained. Floats hold it
        # exactly up to 2**53, and beyond to sixteen digits.
        gained = np.bincount(of_class, np.maximum(excess, 0), len(distance))
        distance += gained / (classes.sizes * classes.n_records)
    return distance / max(len(labels), 1)


def labels_by_level(hierarchy: Any, values: pd.Index, name: Any) -> list[IntArray]:
    """Number of the label of each value, on each level below the root."""
    _, codes, row = check_hierarchy(hierarchy, values, name)
    heads = [int(column.max()) + 1 for column in codes]
    # The root is the first level with one label; without one it is put on top.
    levels = heads.index(1) if 1 in heads else len(heads)
    return [np.asarray(codes[level][row]) for level in range(levels)]


# One class as one metric sees it


WORST = -1
"""Number that stands for the class that sets the metric."""


VIEWS = {
    "t": ("t_closeness", "distance from everyone (t)"),
    "beta": ("basic_beta_likeness", "relative gain (basic β)"),
    "enhanced beta": ("enhanced_beta_likeness", "relative gain (enhanced β)"),
    "delta": ("delta_disclosure", "|ln(q/p)| (δ)"),
    "alpha": ("alpha_k_anonymity", "greatest share (α)"),
    "distinct l": ("l_diversity", "distinct values (ℓ)"),
    "entropy l": ("entropy_l_diversity", "entropy ℓ"),
    "recursive c": ("recursive_cl_diversity", "r₁ over the others (c, ℓ = 2)"),
}
"""Model of each metric that `class_view` has, and what it measures of a class."""


METRICS = {metric: measured for metric, (_, measured) in VIEWS.items()}
"""Metrics that `class_view` has, and what each measures of a class."""


GAINING_MOST = ValueShown(lambda c: c.first_with(c.excess, above=0))
"""The value whose share gains most, which is shown for t."""


class ClassView(NamedTuple):
    """One class of a table as one metric sees it."""

    metric: str
    number: int
    """Of the class, in order of first appearance."""
    name: Any
    """Its quasi-identifiers."""
    numbers: FloatArray
    """What the metric measures of every class."""
    sizes: IntArray
    shares: pd.DataFrame
    """Share of each value in the class and in the table."""
    marked: int | None
    """Position of the value that sets the number of the class; for t, that gains most."""
    rank: int
    """1 for the worst class; equal classes share a rank."""


def class_view(
    table: EquivalenceClasses, metric: str, number: int = WORST, *, kind: Any = "auto"
) -> ClassView:
    """Look at one class with one metric.

    Parameters
    ----------
    table : EquivalenceClasses
        Class table with a sensitive column.
    metric : str
        One of `METRICS`.
    number : int
        Number of the class; -1 for the one that sets the metric of the table.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of `t_closeness`.

    Returns
    -------
    ClassView
        The number of every class, and the values of the chosen one against everyone's.

    Raises
    ------
    TypeError, ValueError
        If `metric` is not one of `METRICS`, or there is no such class.

    Examples
    --------
    >>> from toolkit._old.classes import equivalence_classes
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> seen = class_view(equivalence_classes(data, "town", "illness"), "beta")
    >>> seen.name, float(seen.numbers[seen.number]), seen.shares.index[seen.marked]
    ('A', 0.5, 'flu')
    """
    check_choice(metric, "metric", tuple(METRICS))
    check_whole(number, "number", WORST, len(table.sizes) - 1, "a class, or -1 for the worst")
    model = MODELS[VIEWS[metric][0]]
    numbers = _measured(table, model, kind)
    badness = -numbers if model.worst == "least" else numbers
    chosen = int(badness.argmax()) if number == WORST else int(number)
    pairs = table.sensitive
    mine = pairs.of_class == chosen
    records = np.bincount(pairs.of_value[mine], pairs.records[mine], len(pairs.values))
    shares = pd.DataFrame(index=pairs.values)
    shares["share"] = records / table.sizes[chosen]
    shares["share_of_all"] = pairs.totals / table.n_records
    shown = GAINING_MOST if metric == "t" else model.shown
    code = -1 if shown is None else int(shown.code(table.tally)[chosen])
    name, marked = table.labels[chosen], code if code >= 0 else None
    rank = 1 + int((badness > badness[chosen] + 1e-12).sum())
    return ClassView(metric, chosen, name, numbers, table.sizes, shares, marked, rank)


def _measured(table: EquivalenceClasses, model: Model, kind: Any) -> FloatArray:
    """Measure every class."""
    if model.name == "t_closeness":
        return t_closeness_by_class(table, kind=kind).to_numpy(float)
    if model.formula is None:
        return recursive_diversity_by_class(table, l=2).to_numpy(float)
    return np.asarray(model.formula(table.tally), float)
