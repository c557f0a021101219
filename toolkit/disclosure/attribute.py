r"""Attribute disclosure: what an equivalence class discloses about sensitive values.

An attacker who finds a person's class learns how the sensitive values are distributed in it.
With the share :math:`q_s` of value :math:`s` in a class :math:`c` and its share :math:`p_s` in
the table, diversity depends on :math:`q` alone; likeness, closeness and disclosure depend on
how far :math:`q` is from :math:`p`. `by_class` shows each class; a metric takes the worst one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._typing import Columns, Table
from ..classes import class_tables
from .models import worst


class AlphaK(NamedTuple):
    """The greatest share of a value in a class, and the least number of records in a class."""

    alpha: float
    k: int


def alpha_k_anonymity(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> AlphaK:
    r"""The greatest certainty about a sensitive value, and the least class size.

    .. math:: \alpha = \max_c \max_s q_s, \quad k = \min_c n_c

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.

    Returns
    -------
    AlphaK
        `alpha`, a share (smaller is safer), and `k`, records (larger is safer).

    References
    ----------
    .. [1] R. C.-W. Wong, J. Li, A. W.-C. Fu and K. Wang, "(α, k)-anonymity: an enhanced
       k-anonymity model for privacy preserving data publishing", KDD 2006, Definition 2.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> alpha_k_anonymity(data, "town", "illness")
    AlphaK(alpha=0.6666666666666666, k=3)
    """
    tables = class_tables(data, quasi_identifiers, sensitive, secret=True)
    return AlphaK(worst("alpha_k_anonymity", tables), int(worst("k_anonymity", tables)))


def l_diversity(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> int:
    r"""The least number of different sensitive values in a class (distinct l-diversity).

    .. math:: l = \min_c |\{s : q_s > 0\}|

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.

    Returns
    -------
    int
        Values, at least 1; larger is safer. 1 means that some class discloses its value.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, section 3.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> l_diversity(data, "town", "illness")
    1
    """
    return int(_worst("l_diversity", data, quasi_identifiers, sensitive))


def entropy_l_diversity(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> float:
    r"""The least number of equally frequent values with the entropy of a class.

    .. math:: l^* = \exp \min_c \Big(-\sum_s q_s \ln q_s\Big)

    A table is entropy l-diverse for every :math:`l \le l^*`.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.

    Returns
    -------
    float
        Values, from 1 to the number of sensitive values; larger is safer.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, Definition 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> round(entropy_l_diversity(data, "town", "illness"), 2)
    1.89
    """
    return _worst("entropy_l_diversity", data, quasi_identifiers, sensitive)


def recursive_cl_diversity(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    l: int | None = None,  # noqa: E741
) -> float | None:
    r"""The bound that c must exceed for the table to be recursively (c, l)-diverse.

    .. math:: c^* = \max_c r_1 / \sum_{i \ge l} r_i

    with the counts :math:`r_1 \ge r_2 \ge \dots` of each class. The table is (c, l)-diverse
    exactly if :math:`c > c^*`; a class of fewer than l values makes :math:`c^*` infinite.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.
    l : int, optional
        Number of values that an attacker must not be able to rule out; by default the
        distinct l of the table.

    Returns
    -------
    float or None
        Ratio; smaller is safer. None if `l` is left out and the distinct l is 1: a class
        discloses its value, and no (c, l) with l of at least 2 holds.

    References
    ----------
    .. [1] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "l-diversity:
       privacy beyond k-anonymity", ACM TKDD 1(1), 2007, Definition 4.2.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAA"), "illness": ["flu", "flu", "hiv"]})
    >>> recursive_cl_diversity(data, "town", "illness")
    2.0
    """
    tables = class_tables(data, quasi_identifiers, sensitive, secret=True)
    if l is None:
        l = int(worst("l_diversity", tables))  # noqa: E741
        if l == 1:
            return None
    return worst("recursive_cl_diversity", tables, l=l)


def basic_beta_likeness(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> float:
    r"""The greatest relative gain in the probability of a sensitive value.

    .. math:: \beta = \max_c \max_{s: q_s > p_s} (q_s - p_s) / p_s

    and 0 if no value gains. A table has basic β-likeness for every bound at or above it.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.

    Returns
    -------
    float
        Relative gain, at least 0; smaller is safer.

    References
    ----------
    .. [1] J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee",
       PVLDB 5(11), 2012, Definition 2.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> basic_beta_likeness(data, "town", "illness")
    0.5
    """
    return _worst("basic_beta_likeness", data, quasi_identifiers, sensitive)


def enhanced_beta_likeness(
    data: Table, quasi_identifiers: Columns = None, sensitive: Columns = None
) -> float:
    r"""The greatest relative gain; infinite if a frequent value gains more than it may.

    Enhanced β-likeness bounds the gain of each value by
    :math:`\min(\beta, -\ln p_s)`. If a gain exceeds :math:`-\ln p_s`, no β will do, and the
    answer is infinite.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.

    Returns
    -------
    float
        Relative gain, at least 0, or infinity; smaller is safer.

    References
    ----------
    .. [1] J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee",
       PVLDB 5(11), 2012, Definition 3.

    Examples
    --------
    In town B flu is certain, a gain of 1 / 2, which exceeds -ln(2/3) = 0.41:

    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["hiv", "flu", "flu"]})
    >>> enhanced_beta_likeness(data, "town", "illness")
    inf
    """
    return _worst("enhanced_beta_likeness", data, quasi_identifiers, sensitive)


def delta_disclosure(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    absent: str = "inf",
) -> float:
    r"""The greatest change in the natural logarithm of the probability of a sensitive value.

    .. math:: \delta = \max_c \max_s |\ln (q_s / p_s)|

    A table has δ-disclosure privacy for every bound greater than this.

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`.
    absent : {"inf", "skip"}
        How to count a value that a class lacks: as infinity, as in the definition, because
        the class rules the value out; or not at all, as in some tools, which overstates
        privacy and can rise when classes merge.

    Returns
    -------
    float
        Nats, at least 0, or infinity; smaller is safer.

    References
    ----------
    .. [1] J. Brickell and V. Shmatikov, "The cost of privacy: destruction of data-mining
       utility in anonymized data publishing", KDD 2008, Definition 3.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> delta_disclosure(data, "town", "illness")
    inf
    >>> round(delta_disclosure(data, "town", "illness", absent="skip"), 2)
    0.41
    """
    return _worst("delta_disclosure", data, quasi_identifiers, sensitive, absent=absent)


def t_closeness(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    kind: Any = "auto",
) -> float:
    r"""The greatest distance of a class from the table, in sensitive values.

    The distance is the least work that turns the shares :math:`q` of the class into the shares
    :math:`p` of the table, where moving a share of 1 from one value to another costs at
    most 1. With m ordered values, a move costs the difference of ranks over m - 1:

    .. math:: D_\text{ordered} = \frac{1}{m-1} \sum_i \Big|\sum_{j \le i} (q_j - p_j)\Big|,
       \quad D_\text{equal} = \frac12 \sum_i |q_i - p_i|

    In a hierarchy a move costs the height of the lowest common label over the whole height.
    The distance is then the average of :math:`D_\text{equal}` over the levels below the root,
    with each value replaced by its label. The root is the first level on which all values of
    the hierarchy have one label; levels above it are not counted (see Notes).

    Parameters
    ----------
    data, quasi_identifiers, sensitive
        See `class_table`. In an order, a missing value comes last.
    kind : {"auto", "ordered", "equal"} or table
        Which distance. "auto" is ordered for dates, ordered categories and numbers that are
        not all whole. It is equal for everything else: also for whole numbers, which may be
        codes, for numbers stored as text, and for values without a common order, such as days
        beside times. "ordered" takes whole numbers and unordered categories by their values.
        Decimals are taken as amounts: say "equal" if they are codes, such as 1.1 and 2.3. A
        hierarchy is a table with a row per value: the value, then its label on each level.

    Returns
    -------
    float
        From 0 to 1; smaller is safer. A table is t-close for every t at or above it.

    Notes
    -----
    The paper's height H is the height of the tree as it is drawn. Here levels above the first
    level with a single label do not count, so that a label repeated at the top, such as "all"
    below "*", does not change t. If all H levels counted, t would be smaller by the factor
    h / H, where h levels lie below the root: half as large for the rows ``["x", "all", "*"]``
    and ``["y", "all", "*"]``. To compare with such a t, multiply by h / H.

    References
    ----------
    .. [1] N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and
       l-diversity", ICDE 2007, section 4.

    Examples
    --------
    The paper's salaries in thousands; one class has the lowest three:

    >>> import pandas as pd
    >>> data = pd.DataFrame({"class": list("aaabbbccc"), "pay": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
    >>> t_closeness(data, "class", "pay", kind="ordered")
    0.375
    """
    return _worst("t_closeness", data, quasi_identifiers, sensitive, kind=kind)


def _worst(
    name: str, data: Table, known: Columns, sensitive: Columns, **settings: Any
) -> float:
    """The number of the worst class by one model."""
    return worst(name, class_tables(data, known, sensitive, secret=True), **settings)
