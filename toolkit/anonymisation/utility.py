"""Losses of a release, and the information risk that is left.

Some losses need only the classes: their sizes, and how mixed their labels are. Others compare
each cell with the original by its hierarchy. Smaller is more useful.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_choice, check_columns, check_number, check_table
from .._codes import combine, encode
from .._typing import Columns, FloatArray, IntArray, Table
from ..classes import ClassTable, class_table, class_tables
from ..information import pif
from .hierarchies import check_hierarchies, levels_of, openness, rows_of
from .release import TOP

# Losses of the classes


def average_class_size(
    data: Table, quasi_identifiers: Columns = None, *, k: float | None = None
) -> float:
    r"""How much larger the classes are, on average, than they need to be.

    .. math:: C = n / (n_\text{classes} \, k)

    Parameters
    ----------
    data, quasi_identifiers
        See `class_table`; records that it leaves out as suppressed do not count.
    k : float, optional
        Least class size that was required, by default the least in the table; 1 gives the
        plain average.

    Returns
    -------
    float
        At least 1 if the table is k-anonymous for this k.

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
       k-anonymity", ICDE 2006, section 5.

    Examples
    --------
    >>> average_class_size(pd.DataFrame({"town": list("AAAB")}), "town", k=1)
    2.0
    """
    tables = list(class_tables(data, quasi_identifiers))
    sizes = np.concatenate([table.size for table in tables])
    least = sizes.min() if k is None else check_number(k, "k", "(0, inf)")
    return float(sizes.sum() / (len(sizes) * least))


def discernability(data: Table, quasi_identifiers: Columns = None, *, removed: int = 0) -> int:
    r"""Pairs of records that cannot be told apart; a suppressed record is like all others.

    .. math:: DM = \sum_c n_c^2 + n_\text{suppressed} \, n

    Parameters
    ----------
    data, quasi_identifiers
        See `class_table`. Records that a class table leaves out are suppressed, as in a table
        made with ``class_table(..., suppressed="*")``.
    removed : int
        Suppressed records that are no longer in the table.

    Returns
    -------
    int
        From n, if all records differ, to n², if all are alike or suppressed; n counts all
        records.

    References
    ----------
    .. [1] R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
       ICDE 2005, section 2.

    Examples
    --------
    >>> release = pd.DataFrame({"town": list("AAAB*")})
    >>> discernability(class_table(release, "town", suppressed="*"))
    15
    """
    tables = list(class_tables(data, quasi_identifiers))
    lost, n = _lost(tables, removed)
    return int(sum((table.size**2).sum() for table in tables)) + lost * n


def classification_metric(
    data: Table, quasi_identifiers: Columns = None, label: Any = None, *, removed: int = 0
) -> float:
    r"""Share of records whose label a classifier cannot learn from their class.

    .. math:: CM = \Big(n_\text{suppressed} + \sum_c (n_c - \max_s n_{cs})\Big) / n

    If several labels are equally frequent in a class, only one of them is learnt.

    Parameters
    ----------
    data, quasi_identifiers, removed
        As for `discernability`.
    label : column
        Column that a classifier is to predict; the sensitive column of a class table.

    Returns
    -------
    float
        Share of all n records, from 0 to 1.

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
    tables = list(class_tables(data, quasi_identifiers, label, secret=True))
    lost, n = _lost(tables, removed)
    return float(lost + sum((t.size - t.max(t.n)).sum() for t in tables)) / n


def _lost(tables: list[ClassTable], removed: Any) -> tuple[int, int]:
    """Suppressed records, and all records."""
    left = int(sum(table.size.sum() for table in tables))
    check_number(removed, "removed", "[0, inf)", whole=True)
    lost = removed + sum(table.suppressed + table.dropped for table in tables)
    return lost, left + lost


# What the release says about the original rows


def release_kl_divergence(
    original: pd.DataFrame, treated: pd.DataFrame, quasi_identifiers: Columns
) -> float:
    r"""Bits per record that are lost by taking the release for the original.

    .. math:: D_{KL}(P \,\|\, P') = \sum_t P(t) \log_2 \frac{P(t)}{P'(t)}

    over the combinations t of the quasi-identifiers. A reader of the release spreads each
    class evenly over the combinations of original values that its labels stand for, and
    suppressed records over all combinations: this is :math:`P'`.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before treatment.
    treated : DataFrame of shape (n_records, n_features)
        The same rows after treatment: each value of a column replaced by its label, or all
        quasi-identifiers of a record by `*`.
    quasi_identifiers : column, or list of columns
        Names or positions; a name wins.

    Returns
    -------
    float
        Bits, at least 0; 0 for an untouched table.

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
    pairs = _side_by_side(original, treated, quasi_identifiers, "quasi_identifiers")
    left = class_table(treated, [after.name for _, after in pairs], suppressed=TOP).ids >= 0
    spread = [_spread(before, after, left) for before, after in pairs]
    alike = _together([column.codes for column in spread], np.ones(len(original)))
    shown = _together([column.labels for column in spread], left)
    volume = np.prod([column.leaves for column in spread], axis=0)
    domain = np.prod([column.codes.max() + 1.0 for column in spread])
    seen = shown / volume + (~left).sum() / domain
    return float(np.log2(alike / seen).mean())


class Spread(NamedTuple):
    """A column before and after: what its labels stand for."""

    codes: IntArray  # original value of each row
    labels: IntArray  # label of each row's original value
    leaves: IntArray  # original values that have this label


def _spread(original: pd.Series, treated: pd.Series, left: Any) -> Spread:
    """Find the label of each original value, if it has one; suppressed rows show none."""
    codes, values = encode(original)
    labels, _ = encode(treated)
    pairs = pd.DataFrame({"value": codes[left], "label": labels[left]}).drop_duplicates()
    torn = pairs["value"][pairs["value"].duplicated()]
    if len(torn):
        raise ValueError(
            f"treated: {torn.nunique()} of the {len(values)} values of column"
            f" {original.name!r} have become different ones; recode each value in one way."
        )
    label = -1 - np.arange(len(values))  # a value suppressed in all rows has its own
    label[pairs["value"].to_numpy()] = pairs["label"]
    numbers = pd.factorize(label)[0]
    return Spread(codes, numbers[codes], np.bincount(numbers)[numbers[codes]])


def _together(columns: list[IntArray], counted: Any) -> FloatArray:
    """Number of counted rows that agree with each row."""
    sizes = [int(codes.max()) + 1 for codes in columns]
    keys, _ = combine(columns, sizes, len(counted))
    ids = pd.factorize(keys)[0]
    return np.asarray(np.bincount(ids, counted)[ids], float)


def marginal_similarity(original: pd.DataFrame, treated: pd.DataFrame) -> MarginalSimilarity:
    r"""How well a treated table keeps the one- and two-column marginals of the original.

    A reader of the treated table expands it again: the share of a group is spread evenly over
    its original values. For the remaining columns, alone and in pairs, the total variation
    between this and the true distribution is averaged:
    :math:`U = 1 - \operatorname{mean}_S \tfrac12 \sum_s |P_S(s) - P'_S(s)|`.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before treatment.
    treated : DataFrame of shape (n_records, n_kept)
        The same rows after treatment: some columns, each value replaced by its group.

    Returns
    -------
    MarginalSimilarity
        `marginals` and `columns_kept`, both from 0 to 1; 1 and 1 for an untouched table.

    Examples
    --------
    Ages 1 and 2 in one group become half and half, which they were not:

    >>> before = pd.DataFrame({"age": [1, 1, 1, 2], "sex": list("ffff")})
    >>> marginal_similarity(before, before.assign(age="1-2"))
    MarginalSimilarity(marginals=0.8333333333333334, columns_kept=1.0)
    """
    columns = list(check_table(treated, "treated").columns)
    pairs = _side_by_side(original, treated, columns, "columns of treated")
    every = np.ones(len(original), bool)
    spread = [_spread(before, after, every) for before, after in pairs]
    distances = []
    for marginal in [*itertools.combinations(spread, 1), *itertools.combinations(spread, 2)]:
        alike = _together([column.codes for column in marginal], every)
        shown = _together([column.labels for column in marginal], every)
        lost = alike - shown / np.prod([column.leaves for column in marginal], axis=0)
        # Both distributions add up to 1, so half of the distance is what combinations lose.
        distances.append(float((np.maximum(lost, 0) / alike).mean()))
    return MarginalSimilarity(1 - float(np.mean(distances)), len(spread) / original.shape[1])


class MarginalSimilarity(NamedTuple):
    """Similarity of a treated table to its original; larger is better.

    `marginals` is one minus the average total variation of the one- and two-column marginals
    that are left, `columns_kept` the share of columns that are still there.
    """

    marginals: float
    columns_kept: float


def _side_by_side(
    original: Any, treated: Any, columns: Columns, argument: str
) -> list[tuple[pd.Series, pd.Series]]:
    """Columns of a table before and after a treatment, which must have the same rows."""
    before, after = check_table(original, "original"), check_table(treated, "treated")
    if not after.index.equals(before.index):
        raise ValueError(
            f"treated must hold the rows of original in their order; the index differs"
            f" ({len(after)} and {len(before)} rows). Keep suppressed rows, as '*'."
        )
    known = check_columns(before.columns, columns, argument)
    names = list(before.columns[known])
    places = check_columns(after.columns, names, f"{argument} in treated")
    return [(before.iloc[:, i], after.iloc[:, j]) for i, j in zip(known, places, strict=True)]


# Losses of the cells, by hierarchies


MEASURES = ("loss", "penalty", "level")
"""Losses of a cell: share of the other values left open, share of all, share of the levels."""


def cell_losses(
    original: pd.DataFrame,
    treated: pd.DataFrame,
    hierarchies: Mapping[Any, Any],
    *,
    measure: str = "loss",
) -> pd.DataFrame:
    r"""Loss of each cell.

    Parameters
    ----------
    original : DataFrame of shape (n_records, n_features)
        The table before treatment.
    treated : DataFrame of shape (n_records, n_features)
        The same rows after treatment: a cell is the value, its label on a level, or `*`.
    hierarchies : mapping
        From column to its table: a row per value, which lists the value and its label on
        each level.
    measure : {"loss", "penalty", "level"}
        With :math:`u` of the :math:`A` values of the hierarchy under the cell's label on level
        :math:`h` of :math:`H`: the share of the other values that are left open,
        :math:`(u - 1) / (A - 1)`; the share of all values :math:`u / A`, but 0 if
        :math:`u = 1`; or :math:`h / H`.

    Returns
    -------
    DataFrame of shape (n_records, n_hierarchies)
        From 0 (untouched) to 1 (suppressed). Index of `original`. The mean of the
        losses is `information_loss`, the mean of the penalties is the normalised certainty
        penalty NCP [1]_, and one minus the mean of the levels is the precision [2]_.

    References
    ----------
    .. [1] J. Xu, W. Wang, J. Pei, X. Wang, B. Shi and A. W.-C. Fu, "Utility-based
       anonymization using local recoding", KDD 2006, section 2.
    .. [2] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
       suppression", International Journal of Uncertainty, Fuzziness and Knowledge-Based
       Systems 10(5), 2002, Definition 6.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> before = pd.DataFrame({"zip": ["11", "20"]})
    >>> after = pd.DataFrame({"zip": ["1*", "20"]})
    >>> cell_losses(before, after, {"zip": zips})["zip"].tolist()
    [0.5, 0.0]
    """
    check_choice(measure, "measure", MEASURES)
    trees = check_hierarchies(hierarchies, list(hierarchies))
    pairs = _side_by_side(original, treated, list(hierarchies), "hierarchies")
    losses = [_losses(tree, *pair)[measure] for tree, pair in zip(trees, pairs, strict=True)]
    return pd.DataFrame(dict(zip(hierarchies, losses, strict=True)), pairs[0][0].index)


def _losses(hierarchy: Any, original: pd.Series, treated: pd.Series) -> dict[str, FloatArray]:
    """Losses of the cells of a column, by the label of each different pair of cells."""
    codes, values = encode(original)
    shown, labels = encode(treated)
    cells, numbers, row = levels_of(hierarchy, values, original.name)
    pairs, pair = np.unique(codes * np.int64(len(labels)) + shown, return_inverse=True)
    value, label = np.divmod(pairs, len(labels))
    own, written = row[value], as_objects(labels)
    match = [rows_of(pd.unique(column), written)[label] for column in cells.T]
    equal = np.array([number[own] == m for number, m in zip(numbers, match, strict=True)])
    known = equal.any(axis=0)
    strange = int((~known & (written[label] != TOP)).sum())
    if strange:
        raise ValueError(
            f"treated: column {original.name!r} holds labels that the hierarchy does not give"
            f" the original value, in {strange} of {len(pairs)} pairs of a value and a label;"
            f" generalise by this hierarchy. Suppressed cells are '*'."
        )
    under = np.array([np.bincount(number)[number] for number in numbers])
    level, height = equal.argmax(axis=0), max(len(numbers) - 1, 1)
    leaves = np.where(known, under[level, own], len(cells))
    return {
        "loss": openness(leaves, len(cells))[pair],
        "penalty": np.where(leaves > 1, leaves / len(cells), 0.0)[pair],
        "level": np.where(known, level / height, 1.0)[pair],
    }


def information_loss(
    original: pd.DataFrame, treated: pd.DataFrame, hierarchies: Mapping[Any, Any]
) -> float:
    """Share of a column's other values that a cell leaves open, on average (loss metric).

    Parameters
    ----------
    original, treated, hierarchies
        As for `cell_losses`.

    Returns
    -------
    float
        Average of the losses, from 0 (untouched) to 1 (suppressed).

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
    return float(cell_losses(original, treated, hierarchies).to_numpy().mean())


# Information risk


class InformationRisk(NamedTuple):
    """Risk that a table holds, as three summaries of its cells; smaller is safer.

    `mean_rig` (bits) is the average row information gain, `pif95` (bits) its 95th percentile,
    `surprising_cells` the share of cells whose surprise exceeds one half; the surprise of a
    value that more than half of the records have never does.
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
        `mean_rig` and `pif95` in bits, `surprising_cells` as a share of all cells; less is
        safer in all three. Dropping a column never raises the mean RIG. It can raise the share
        of surprising cells, since a value of prior q cannot surprise by more than 1 - q: with
        a column of common values gone, the others weigh more.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> risk = information_risk(data)
    >>> round(risk.mean_rig, 2), round(risk.pif95, 2), round(risk.surprising_cells, 2)
    (1.84, 2.97, 0.33)
    """
    cig = pif.cell_information_gain(data)
    mean_rig = float(cig.to_numpy().sum() / len(data))
    pif95 = pif.personal_information_factor(cig, 95)
    surprising = pif.cell_surprise_factor(data).to_numpy() > 0.5
    return InformationRisk(mean_rig, pif95, float(surprising.mean()))
