"""Losses of information in an anonymised table, and the information risk that is left.

Some losses need the classes alone: how large they are, and how mixed the labels in them.
Others compare each cell with the original, given a hierarchy: a table with a row per value,
which lists the value and its label on each level. Smaller is more useful, but for
`generalisation_precision`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import Encoded, class_ids, encode, everyone, refine, totals
from .._old.classes import (
    ClassTable,
    RowsSideBySide,
    class_table,
    equivalence_classes,
    side_by_side,
)
from .._old.identity import k_anonymity
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    _as_objects,
    check_columns,
    check_hierarchy,
    check_positive,
    check_quasi_identifiers,
    check_table,
    check_whole,
    find_columns,
    listed,
    match_by_text,
)
from ..information.pif import (
    cell_information_gain,
    cell_surprise_factor,
    personal_information_factor,
)
from .hierarchies import TOP, LabelReader, check_hierarchies, openness
from .recode import generalise, suppress

# Losses of the classes


def class_penalties(
    data: Any, quasi_identifiers: Any = None, label: Any = None, *, missing: str = "category"
) -> pd.DataFrame:
    """What each class adds to the discernability and to the classification metric.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), EquivalenceClasses or EngineTable
        The anonymised table, or its class table, which has the other arguments settled.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins.
    label : column
        What a classifier is to predict; the sensitive column of a class table.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, or a reason to leave the record out.

    Returns
    -------
    DataFrame of shape (n_classes, 3)
        `records`; `discernability`, their square; `minority`, the records without the
        commonest label (one of them, if several are). Indexed by the quasi-identifiers.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells, or a column is not there.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAAB"), "buys": list("ynyy")})
    >>> class_penalties(data, "town", "buys")
          records  discernability  minority
    town
    A           3               9         1
    B           1               1         0
    """
    classes = class_table(data, quasi_identifiers, label, missing, wants_sensitive=True)
    return classes.on_classes(
        {
            "records": lambda c: c.records,
            "discernability": lambda c: c.records * c.records,
            "minority": lambda c: c.records - c.most,
        }
    )


def average_class_size(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    k: float | None = None,
    missing: str = "category",
) -> float:
    r"""How much larger the classes are, on average, than they need to be.

    .. math:: C = n / (n_\text{classes} \, k)

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `class_penalties`.
    k : float, optional
        The least size that was asked for, by default the least that there is; 1 gives the
        plain average.

    Returns
    -------
    float
        1 is the least for a k that the table reaches. Suppressed records are left out.

    Raises
    ------
    TypeError, ValueError
        As `class_penalties`, or if `k` is not positive.

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
       k-anonymity", ICDE 2006, section 5.

    Examples
    --------
    >>> average_class_size(pd.DataFrame({"town": list("AAAB")}), "town", k=1)
    2.0
    """
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    found = classes.sums()
    least = found["least"] if k is None else check_positive(k, "k")
    return float(classes.n_records / (found["classes"] * least))


def discernability(
    data: Any,
    quasi_identifiers: Any = None,
    *,
    removed: int = 0,
    missing: str = "category",
) -> int:
    r"""Pairs of records that cannot be told apart; a suppressed one is like every other.

    .. math:: DM = \sum_c n_c^2 + n_\text{suppressed} \, n

    Parameters
    ----------
    data, quasi_identifiers, missing
        As for `class_penalties`; suppressed are records that a class table leaves out, such as
        one made with ``equivalence_classes(..., suppressed="*")``.
    removed : int
        Suppressed records that are not in the table any more.

    Returns
    -------
    int
        From n, if all differ, to n², if all are alike or suppressed, with n the number of
        all records.

    Raises
    ------
    TypeError, ValueError
        As `class_penalties`.

    References
    ----------
    .. [1] R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
       ICDE 2005, section 2.

    Examples
    --------
    >>> release = pd.DataFrame({"town": list("AAAB*")})
    >>> discernability(equivalence_classes(release, "town", suppressed="*"))
    15
    """
    classes = class_table(data, quasi_identifiers, None, missing, wants_sensitive=False)
    lost, n = _suppressed(classes, removed)
    return int(classes.sums()["squares"]) + lost * n


def classification_metric(
    data: Any,
    quasi_identifiers: Any = None,
    label: Any = None,
    *,
    removed: int = 0,
    missing: str = "category",
) -> float:
    r"""Share of records whose label a classifier cannot learn from their class.

    .. math:: CM = \Big(n_\text{suppressed} + \sum_c (n_c - \max_s n_{cs})\Big) / n

    Of labels that are equally frequent in a class only one is learnt.

    Parameters
    ----------
    data, quasi_identifiers, label, missing
        As for `class_penalties`; suppressed are records that a class table leaves out, such as
        one made with ``equivalence_classes(..., suppressed="*")``.
    removed : int
        Suppressed records that are not in the table any more.

    Returns
    -------
    float
        Share of all n records, from 0 to 1.

    Raises
    ------
    TypeError, ValueError
        As `class_penalties`.

    References
    ----------
    .. [1] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002,
       section 3.2.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAAA"), "buys": list("yynn")})
    >>> classification_metric(data, "town", "buys")
    0.5
    """
    classes = class_table(data, quasi_identifiers, label, missing, wants_sensitive=True)
    lost, n = _suppressed(classes, removed)
    return float(lost + classes.total(lambda c: c.records - c.most)) / n


def _suppressed(classes: ClassTable, removed: int) -> tuple[int, int]:
    """Suppressed records, and all records."""
    n = classes.rows + check_whole(
        removed, "removed", 0, 2**53, "the records taken out of the table"
    )
    return n - classes.n_records, n


# What the release says of the original rows


def record_divergences(
    original: pd.DataFrame, treated: pd.DataFrame, quasi_identifiers: Any
) -> pd.Series:
    r"""How much rarer the release makes each record look than it is, in bits.

    A reader spreads each class of the release evenly over the combinations of original values
    that its labels stand for, and suppressed records over all combinations. Where that gives a
    record's combination the probability :math:`P'` instead of its share :math:`P`, this is
    :math:`\log_2 (P / P')`.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before. It and `treated` may be tables of one engine, joined by their keys.
    treated : DataFrame of shape (n_records, n_features)
        The same rows after: each value of a column replaced by its label, or all
        quasi-identifiers of a record by `*`.
    quasi_identifiers : column, or list of columns
        Names or positions; a name wins.

    Returns
    -------
    Series of shape (n_records,)
        Bits; negative for combinations that look commoner than they are. Index of `original`.

    Raises
    ------
    TypeError, ValueError
        If rows differ, a column is not there, or equal values were treated differently.

    Examples
    --------
    >>> before = pd.DataFrame({"age": [1, 1, 1, 2]})
    >>> record_divergences(before, before.assign(age="1-2"), "age").round(2).tolist()
    [0.58, 0.58, 0.58, -1.0]
    """
    rows, bits = _divergences(original, treated, quasi_identifiers)
    return rows.per_record(bits, "bits")


def _divergences(
    original: Any, treated: Any, quasi_identifiers: Any
) -> tuple[RowsSideBySide, FloatArray]:
    """Rows of both tables, and the bits of each, which may stand for several records."""
    both = side_by_side(original, treated, quasi_identifiers, "quasi_identifiers")
    rows = both.pairs(None, "the divergence of a release")
    positions = check_quasi_identifiers(rows.before, both.names)
    names, fine = list(rows.before.columns[positions]), encode(rows.before, positions)
    places = check_quasi_identifiers(rows.after, names, "quasi_identifiers in treated")
    classes = equivalence_classes(rows.after, names, suppressed=TOP)
    coarse = encode(rows.after, places)
    records = np.ones(fine.rows) if rows.records is None else rows.records.astype(float)
    kept, n = classes.ids >= 0, float(records.sum())
    group, width = [], []
    volume, domain = np.ones(fine.rows), 1.0
    for j, name in enumerate(names):
        label, sizes, torn = _label_of_value(fine, coarse, j, kept)
        if len(torn):
            raise ValueError(
                f"treated: values {listed(torn)} of column {name!r} have become different"
                f" ones, so they cannot be spread back over the original values; recode each"
                f" in one way."
            )
        group.append(label[fine.codes[j]])
        width.append(pd.RangeIndex(len(sizes)))
        volume *= sizes[group[-1]]
        domain *= len(fine.values[j])
    alike = _count_alike(fine, records)
    together = _count_alike(Encoded(group, width, fine.rows), records * kept)
    seen = together / volume + (n - float(records[kept].sum())) / domain
    return rows, np.asarray(np.log2(alike / seen), float)


def release_kl_divergence(
    original: pd.DataFrame, treated: pd.DataFrame, quasi_identifiers: Any
) -> float:
    r"""Bits lost per record by whoever takes the release for the original.

    .. math:: D_{KL}(P \,\|\, P') = \sum_t P(t) \log_2 \frac{P(t)}{P'(t)}

    over the combinations t of the quasi-identifiers, with :math:`P'` as in
    `record_divergences`, of whose result this is the average.

    Parameters
    ----------
    original, treated, quasi_identifiers
        As for `record_divergences`.

    Returns
    -------
    float
        Bits, at least 0; 0 for an untouched table.

    Raises
    ------
    TypeError, ValueError
        As `record_divergences`.

    References
    ----------
    .. [1] D. Kifer and J. Gehrke, "Injecting utility into anonymized datasets", SIGMOD 2006,
       section 3.

    Examples
    --------
    >>> before = pd.DataFrame({"age": [1, 1, 1, 2]})
    >>> round(release_kl_divergence(before, before.assign(age="1-2"), "age"), 3)
    0.189
    """
    rows, bits = _divergences(original, treated, quasi_identifiers)
    return float(np.average(bits, weights=rows.records))


def _label_of_value(
    fine: Encoded, coarse: Encoded, j: int, kept: BoolArray
) -> tuple[IntArray, IntArray, pd.Index]:
    """Label of each original value, how many values each stands for, and who got several.

    A value that is on suppressed records only has a label of its own.
    """
    values = len(fine.values[j])
    key = fine.codes[j][kept].astype(np.int64) * len(coarse.values[j]) + coarse.codes[j][kept]
    value, found = np.divmod(np.unique(key), len(coarse.values[j]))
    torn = fine.values[j][np.unique(value[1:][value[1:] == value[:-1]])]
    label = np.full(values, -1)
    label[value] = found
    alone = label < 0
    label[alone] = len(coarse.values[j]) + np.arange(int(alone.sum()))
    sizes = np.bincount(label, minlength=len(coarse.values[j]) + int(alone.sum()))
    return label, sizes, torn


def _count_alike(table: Encoded, counted: FloatArray) -> FloatArray:
    """How many of the counted records equal each row."""
    groups = refine(everyone(table.rows), table, range(len(table.codes)), keep_single=True)
    return totals(groups.ids, counted, groups.count)[groups.ids]


# Losses of the cells, by hierarchies


Coded = tuple[IntArray, pd.Index]
"""Code of each cell of a column, and the values."""


class _Column:
    """A generalised column: facts of each different pair of original and treated value."""

    def __init__(
        self, name: Any, cells: AnyArray, own: Coded, treated: Coded, weight: Any
    ) -> None:
        """Find the label of each different pair."""
        (codes, values), (shown_codes, shown_values) = own, treated
        key = codes.astype(np.int64) * len(shown_values) + shown_codes
        pairs, self.pair = np.unique(key, return_inverse=True)
        """Pair of each row."""
        value, label = np.divmod(pairs, len(shown_values))
        row = _as_objects(cells[:, 0]).get_indexer(_as_objects(values.to_numpy(object)))
        shown = _as_objects(shown_values.to_numpy(object)).to_numpy()[label]
        labels = cells[row[value]]
        labels[pd.isna(labels)] = None  # which equals itself
        shown[pd.isna(shown)] = None
        equal = np.asarray(labels == shown[:, None], bool)
        others = ~equal.any(axis=1)
        if others.any():
            equal[others] = _said(cells, row[value[others]], shown_values, label[others])
        level, known = equal.argmax(axis=1), equal.any(axis=1)
        gone = ~known & (shown == TOP)
        height = cells.shape[1] - 1
        level = np.where(gone, max(height, 1), level)
        records = np.bincount(codes, weight, len(values)).astype(np.int64)
        leaves = np.full(len(pairs), len(cells))
        group = np.full(len(pairs), records.sum())
        strange = ~(known | gone)
        reader = LabelReader(cells, values)
        for code in np.unique(label[strange]).tolist():
            held = reader.held(shown_values[code])
            at = np.flatnonzero(strange & (label == code))
            at = at[held[row[value[at]]]]
            strange[at] = False
            leaves[at], group[at] = held.sum(), records[held[row]].sum()
            level[at] = reader.level(held)
        if strange.any():
            both = zip(values[value[strange]], shown[strange], strict=True)
            raise ValueError(
                f"treated: column {name!r} holds labels that the hierarchy does not give the"
                f" original value: {listed(both)} (original, treated). Suppressed cells are"
                f" '*'."
            )
        for one, alike in enumerate(reader.codes):
            at = known & (level == one)
            mine = alike[row[value[at]]]
            leaves[at] = np.bincount(alike)[mine]
            group[at] = np.bincount(alike[row], records)[mine]
        self.records, self.level, self.height = weight, level, height
        """Records of each row, None for one each; level of each pair, and the highest."""
        self.leaves, self.all_leaves = leaves, len(cells)
        """Values of the hierarchy under the treated label, and all of them."""
        self.own, self.group = records[value], group
        """Records of the original value, and of all values under the treated label."""

    def mean(self, of_pair: AnyArray) -> float:
        """Average of a number of each pair over the records."""
        return float(np.average(of_pair[self.pair], weights=self.records))

    def sum(self, of_pair: AnyArray) -> float:
        """Sum of a number of each pair over the records."""
        cells = of_pair[self.pair]
        return float(cells.sum() if self.records is None else cells @ self.records)


def cell_levels(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> pd.DataFrame:
    """How far each cell was generalised: 0 for an untouched one.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before. It and `treated` may be tables of one engine, joined by their keys.
    treated : DataFrame of shape (n_records, n_features)
        The same rows after: cells are the value, its label on a level, or `*`; or what
        `mondrian` shows where it has no hierarchy, a closed interval ``[17, 25]`` of numbers,
        dates or ordered categories, or a set ``{a, b}``.
    hierarchies : mapping
        From column to its table: a row per value, which lists the value and its label on
        each level.

    Returns
    -------
    DataFrame of shape (n_records, n_hierarchies)
        The lowest level with the label that the cell shows; for an interval or a set, the
        lowest on which all its values have one label; the highest for a suppressed cell.
        Index of `original`.

    Raises
    ------
    TypeError, ValueError
        If rows differ, a column or value is not there, or a label is not the value's.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "12", "20"]})
    >>> after = pd.DataFrame({"zip": ["1*", "1*", "20"]})
    >>> cell_levels(before, after, {"zip": zips})["zip"].tolist()
    [1, 1, 0]
    """
    return _per_cell(original, treated, hierarchies, lambda c: c.level)


def generalisation_precision(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> float:
    r"""One minus how far the cells were generalised, on average, up their hierarchies.

    .. math:: Prec = 1 - \frac{1}{n d} \sum_i \sum_j h_{ij} / H_j

    with the level :math:`h_{ij}` of `cell_levels` and the height :math:`H_j` of the hierarchy.

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    float
        From 0 (all suppressed) to 1 (untouched); larger is more useful.

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    References
    ----------
    .. [1] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
       suppression", International Journal of Uncertainty, Fuzziness and Knowledge-Based
       Systems 10(5), 2002, Definition 6.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "12"]})
    >>> generalisation_precision(before, before.assign(zip="1*"), {"zip": zips})
    0.5
    """
    columns = _columns(original, treated, hierarchies)
    shares = [c.mean(c.level / max(c.height, 1)) for c in columns]
    return 1 - float(np.mean(shares))


def cell_penalties(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> pd.DataFrame:
    r"""Share of a column's values that each cell leaves open; 0 for an untouched one.

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    DataFrame of shape (n_records, n_hierarchies)
        With :math:`u` of the :math:`A` values of the hierarchy under the cell's label,
        :math:`u / A`, but 0 if :math:`u = 1`. Index of `original`.

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "20"]})
    >>> after = pd.DataFrame({"zip": ["1*", "20"]})
    >>> cell_penalties(before, after, {"zip": zips})["zip"].round(2).tolist()
    [0.67, 0.0]
    """
    return _per_cell(original, treated, hierarchies, lambda c: _penalty(c))


def normalised_certainty_penalty(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> float:
    """Share of a column's values that a cell leaves open, on average (NCP).

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    float
        Average of `cell_penalties`, from 0 (untouched) to 1 (suppressed).

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    References
    ----------
    .. [1] J. Xu, W. Wang, J. Pei, X. Wang, B. Shi and A. W.-C. Fu, "Utility-based
       anonymization using local recoding", KDD 2006, section 2.

    Examples
    --------
    >>> zips = [["11", "1*"], ["12", "1*"]]
    >>> before = pd.DataFrame({"zip": ["11", "12"]})
    >>> after = pd.DataFrame({"zip": ["11", "1*"]})
    >>> normalised_certainty_penalty(before, after, {"zip": zips})
    0.5
    """
    columns = _columns(original, treated, hierarchies)
    return float(np.mean([c.mean(_penalty(c)) for c in columns]))


def cell_losses(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> pd.DataFrame:
    r"""Share of a column's other values that each cell leaves open.

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    DataFrame of shape (n_records, n_hierarchies)
        With :math:`u` of the :math:`A` values of the hierarchy under the cell's label,
        :math:`(u - 1) / (A - 1)`; 0 if there is one value only. Index of `original`.

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "20"]})
    >>> after = pd.DataFrame({"zip": ["1*", "20"]})
    >>> cell_losses(before, after, {"zip": zips})["zip"].tolist()
    [0.5, 0.0]
    """
    return _per_cell(original, treated, hierarchies, lambda c: _loss(c))


def information_loss(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> float:
    """Share of a column's other values that a cell leaves open, on average (loss metric).

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    float
        Average of `cell_losses`, from 0 (untouched) to 1 (suppressed).

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    References
    ----------
    .. [1] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002,
       section 3.1.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "20"]})
    >>> information_loss(before, before.replace("11", "1*"), {"zip": zips})
    0.25
    """
    columns = _columns(original, treated, hierarchies)
    return float(np.mean([c.mean(_loss(c)) for c in columns]))


def cell_surprises(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> pd.DataFrame:
    r"""Bits that the original value still holds for whoever sees the cell.

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    DataFrame of shape (n_records, n_hierarchies)
        :math:`-\log_2 (n_v / n_g)` for a value of :math:`n_v` records under a label of
        :math:`n_g`, both counted in `original`. Index of `original`.

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    Examples
    --------
    >>> zips = [["11", "1*"], ["12", "1*"]]
    >>> before = pd.DataFrame({"zip": ["11", "12", "12", "12"]})
    >>> cell_surprises(before, before.assign(zip="1*"), {"zip": zips})["zip"].round(2).tolist()
    [2.0, 0.42, 0.42, 0.42]
    """
    return _per_cell(original, treated, hierarchies, lambda c: np.log2(c.group / c.own))


def non_uniform_entropy(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> float:
    """Bits that the release leaves open about all cells together.

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_levels`.

    Returns
    -------
    float
        Sum of `cell_surprises` in bits, at least 0; 0 for an untouched table.

    Raises
    ------
    TypeError, ValueError
        As `cell_levels`.

    References
    ----------
    .. [1] A. Gionis and T. Tassa, "k-anonymization with minimal loss of information", IEEE
       TKDE 21(2), 2009, section 4.

    Examples
    --------
    >>> zips = [["11", "1*"], ["12", "1*"]]
    >>> before = pd.DataFrame({"zip": ["11", "12"]})
    >>> non_uniform_entropy(before, before.assign(zip="1*"), {"zip": zips})
    2.0
    """
    columns = _columns(original, treated, hierarchies)
    return float(sum(c.sum(np.log2(c.group / c.own)) for c in columns))


def _penalty(column: _Column) -> FloatArray:
    return np.where(column.leaves > 1, column.leaves / column.all_leaves, 0.0)


def _loss(column: _Column) -> FloatArray:
    return openness(column.leaves, column.all_leaves)


def _per_cell(
    original: Any,
    treated: Any,
    hierarchies: Mapping[Any, Any],
    of_pair: Callable[[_Column], AnyArray],
) -> pd.DataFrame:
    """Give each cell the number of its pair of original and treated value."""
    both, tables = _beside(original, treated, hierarchies)
    rows = both.pairs(None, "a loss of each cell")
    found = zip(both.names, _read(rows, both.names, tables), strict=True)
    return rows.on_records({name: of_pair(c)[c.pair] for name, c in found})


def _columns(original: Any, treated: Any, hierarchies: Mapping[Any, Any]) -> Iterator[_Column]:
    """Read each column that has a hierarchy; of a table in an engine, one after the other."""
    both, tables = _beside(original, treated, hierarchies)
    for places, rows in both.each("a loss of cells"):
        yield from _read(rows, [both.names[j] for j in places], [tables[j] for j in places])


def _beside(
    original: Any, treated: Any, hierarchies: Mapping[Any, Any]
) -> tuple[RowsSideBySide, list[Any]]:
    """Both tables by the columns that have a hierarchy, and these."""
    names = list(hierarchies) if isinstance(hierarchies, Mapping) else []
    tables = check_hierarchies(hierarchies, names)
    return side_by_side(original, treated, names, "hierarchies"), tables


def _read(rows: Any, names: list[Any], tables: list[Any]) -> Iterator[_Column]:
    here = check_quasi_identifiers(rows.before, names, "hierarchies")
    there = check_quasi_identifiers(rows.after, names, "hierarchies in treated")
    fine, coarse = encode(rows.before, here), encode(rows.after, there)
    for j, (name, table) in enumerate(zip(names, tables, strict=True)):
        own, shown = (fine.codes[j], fine.values[j]), (coarse.codes[j], coarse.values[j])
        cells = check_hierarchy(table, fine.values[j], name)[0]
        yield _Column(name, cells, own, shown, rows.records)


def _said(cells: AnyArray, rows: IntArray, shown: pd.Index, label: IntArray) -> BoolArray:
    """Whether a label is the text of a number or date of the hierarchy; a column per level."""
    found = []
    for level in cells.T:
        codes, names = pd.factorize(level, use_na_sentinel=False)
        place = match_by_text(_as_objects(names), shown)
        found.append(codes[rows] == place[label])
    return np.stack(found, axis=1)


# Information risk, and similarity of the marginals


class InformationRisk(NamedTuple):
    """Risk that a table holds, as three summaries of its cells; smaller is safer.

    `mean_rig` (bits) is the average row information gain, `pif95` (bits) its 95th percentile,
    `surprising_cells` (share) the cells whose surprise exceeds one half; a value that more
    than half of the records have never does.
    """

    mean_rig: float
    pif95: float
    surprising_cells: float


def information_risk(data: pd.DataFrame) -> InformationRisk:
    """Summarise the personal information factors of a table for a comparison of treatments.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The treated table.

    Returns
    -------
    InformationRisk
        `mean_rig` and `pif95` in bits, `surprising_cells` as a share of all cells. Dropping
        a column never raises the mean RIG. It can raise the share of surprising cells, since
        a value of prior q cannot surprise by more than 1 - q: with a column of common values
        gone, the others weigh more.

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> risk = information_risk(data)
    >>> round(risk.mean_rig, 2), round(risk.pif95, 2), round(risk.surprising_cells, 2)
    (1.84, 2.97, 0.33)
    """
    cig = cell_information_gain(data)
    surprise = cell_surprise_factor(data).to_numpy()
    mean_rig = float(cig.to_numpy().sum() / len(data))
    return InformationRisk(
        mean_rig, personal_information_factor(cig, 95), float((surprise > 0.5).mean())
    )


class MarginalSimilarity(NamedTuple):
    """What a treated table is still good for; larger is better.

    `marginals` is one minus the average total variation of the kept columns' one- and
    two-column marginals, `columns_kept` the share of columns that are still there.
    """

    marginals: float
    columns_kept: float


def marginal_similarity(original: pd.DataFrame, treated: pd.DataFrame) -> MarginalSimilarity:
    r"""How well a treated table keeps the one- and two-column marginals of the original.

    A reader of the treated table re-expands it: a group's share is spread evenly over the
    original values in it. For the kept columns, alone and in pairs, the total variation of
    this from the true distribution is averaged:
    :math:`U = 1 - \operatorname{mean}_S \tfrac12 \sum_s |P_S(s) - P'_S(s)|`.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before.
    treated : DataFrame of shape (n_records, n_kept)
        The same rows after: a subset of the columns, each value replaced by its group.

    Returns
    -------
    MarginalSimilarity
        `marginals` and `columns_kept`, both from 0 to 1; 1 and 1 for an untouched table.

    Raises
    ------
    TypeError, ValueError
        If rows or columns do not match, or equal values of a column were treated differently.

    Examples
    --------
    Ages 1 and 2 in one group become half and half, which they were not:

    >>> before = pd.DataFrame({"age": [1, 1, 1, 2], "sex": list("ffff")})
    >>> marginal_similarity(before, before.assign(age="1-2"))
    MarginalSimilarity(marginals=0.8333333333333334, columns_kept=1.0)
    """
    kept = _same_rows(original, treated)
    fine, coarse = encode(original, kept), encode(treated)
    spread = [
        _spread(fine, coarse, j, original.columns[position]) for j, position in enumerate(kept)
    ]
    alone = [(j,) for j in range(len(kept))]
    pairs = itertools.combinations(range(len(kept)), 2)
    distances = [_distance(fine, coarse, spread, columns) for columns in [*alone, *pairs]]
    return MarginalSimilarity(1 - float(np.mean(distances)), len(kept) / original.shape[1])


def _same_rows(original: Any, treated: Any) -> list[int]:
    """Position in `original` of each column of `treated`, a treated copy of its rows."""
    check_table(original, "original")
    check_table(treated, "treated")
    if not treated.index.equals(original.index):
        raise ValueError(
            f"treated must hold the rows of original in their order; the index differs"
            f" ({len(treated)} and {len(original)} rows)."
        )
    for argument, table in (("original", original), ("treated", treated)):
        if not table.columns.is_unique:
            twice = table.columns[table.columns.duplicated()].unique()
            raise ValueError(f"{argument} has several columns {listed(twice)}; rename them.")
    strange = [name for name in treated.columns if not find_columns(original, name)]
    if strange:
        raise ValueError(
            f"treated has columns {listed(strange)} that original lacks; it has"
            f" {listed(original.columns)}."
        )
    return [find_columns(original, name)[0] for name in treated.columns]


def _spread(fine: Encoded, coarse: Encoded, j: int, name: object) -> FloatArray:
    """Share of its group that each row's original value gets back: one over their number."""
    label, sizes, torn = _label_of_value(fine, coarse, j, np.ones(fine.rows, bool))
    if len(torn):
        raise ValueError(
            f"treated: equal values of column {name!r} have become different ones, so they"
            f" cannot be re-expanded; recode each value in one way."
        )
    return np.asarray(1 / sizes[label[fine.codes[j]]], float)


def _distance(
    fine: Encoded, coarse: Encoded, spread: list[np.ndarray], columns: tuple[int, ...]
) -> float:
    """Total variation of a marginal from its re-expansion.

    Both add up to 1, so it is enough to add what the combinations that occur have lost.
    """
    n = fine.rows
    before = refine(everyone(n), fine, columns, keep_single=True)
    after = refine(everyone(n), coarse, columns, keep_single=True)
    a_row = np.empty(before.count, np.int64)
    a_row[before.ids] = np.arange(n)
    share = np.bincount(before.ids) / n
    re_expanded = np.bincount(after.ids)[after.ids[a_row]] / n
    for j in columns:
        re_expanded = re_expanded * spread[j][a_row]
    return float(np.maximum(share - re_expanded, 0).sum())


class Generalised(NamedTuple):
    """A table generalised by hand, and what becomes of it.

    `data` has all rows; `classes` is the number of each record's class, and `suppressed` says
    whether the class has fewer than `k` records. `k_before` is the size of the smallest class,
    `k_after` that of the smallest that is left (None if none is). `losses` has for each column
    the share of its other values that are left open, on average over the records, all of them
    for a suppressed one; `loss` is the average of that.
    """

    data: pd.DataFrame
    classes: pd.Series
    suppressed: pd.Series
    k: int
    k_before: int
    k_after: int | None
    losses: pd.Series

    @property
    def loss(self) -> float:
        """Average over the columns, as `information_loss`."""
        return float(self.losses.mean())


def generalised(
    data: pd.DataFrame, hierarchies: Mapping[Any, Any], levels: Mapping[Any, int], k: int
) -> Generalised:
    """Generalise columns to given levels, and suppress who is left with too little company.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    hierarchies : mapping
        From each quasi-identifier to its table of values x levels.
    levels : mapping
        From column to its level, 0 where it is not named.
    k : int
        Records in smaller classes are suppressed.

    Returns
    -------
    Generalised
        With the index of `data`.

    Examples
    --------
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"]})
    >>> zips = [["11", "1*", "*"], ["12", "1*", "*"], ["20", "2*", "*"]]
    >>> seen = generalised(data, {"zip": zips}, {"zip": 1}, k=2)
    >>> seen.suppressed.tolist(), seen.k_before, seen.k_after, round(seen.loss, 3)
    ([False, False, True], 1, 2, 0.667)
    """
    table = generalise(data, hierarchies, levels)
    names = list(hierarchies)
    ids, _ = class_ids(table, check_columns(table, names, "hierarchies"))
    ids = pd.factorize(ids)[0]
    sizes = np.bincount(ids)
    few = sizes[ids] < check_whole(k, "k", 1, 2**53, "the least number of records in a class")
    masked = suppress(table, few, names) if names else table
    left = table[~few]
    return Generalised(
        data=table,
        classes=pd.Series(ids, table.index, name="class"),
        suppressed=pd.Series(few, table.index, name="suppressed"),
        k=k,
        k_before=int(sizes.min()),
        k_after=k_anonymity(left, names) if len(left) else None,
        losses=cell_losses(data, masked, hierarchies).mean(),
    )
