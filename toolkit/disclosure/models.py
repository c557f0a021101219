r"""Models of anonymity and disclosure, each defined in one place.

A model gives each class a number; the number of the table is the worst of them. For value
:math:`s` of class :math:`c`, :math:`q` is its share in the class and :math:`p` in the table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._arguments import as_objects, check_choice, check_number
from .._codes import SCALES, encode, kind_of
from .._typing import AnyArray, BoolArray, Column, Columns, FloatArray, IntArray, Table
from ..classes import ClassTable, class_tables

SLACK = 1e-9
"""Numbers this close to a threshold, relative to it, count as equal to it."""


@dataclass(frozen=True)
class Model:
    """A number for each class, and the rule of its threshold."""

    keyword: str
    """Name of the threshold as an argument and as an option."""
    symbol: str
    rule: Literal["at least", "at most", "below"]
    """How a number must compare with its threshold."""
    range: tuple[float, float]
    """Interval of allowed thresholds."""
    unit: str
    of_class: Callable[..., AnyArray]
    """Function of a class table or a linked table that returns a number per class."""
    about: Literal["classes", "people", "presence", "values"] = "values"
    """What the model needs: the quasi-identifiers only; a population, with the classes of the
    records (people) or all its classes (presence); or a sensitive column (values)."""
    of_pair: Callable[[ClassTable], AnyArray] | None = None
    """Function of a class table with a number per pair, the greatest for the class."""
    whole: bool = False
    """True if the numbers are counts."""

    def violates(self, numbers: AnyArray, threshold: float) -> BoolArray:
        """Mark numbers that violate a threshold; within rounding they count as equal to it."""
        slack = 0.0 if math.isinf(threshold) else SLACK * max(threshold, SLACK)
        if self.rule == "at least":
            return numbers < threshold - slack
        if self.rule == "below":
            return numbers >= threshold - slack
        return numbers > threshold + slack


def recursive_c(c: ClassTable, l: int = 2) -> FloatArray:  # noqa: E741
    r"""Commonest value over the l-th and all rarer ones: :math:`r_1 / \sum_{i \ge l} r_i`."""
    check_number(l, "l", "[1, inf)", "values that nobody may rule out", whole=True)
    # One sort ranks the pairs of all classes: by class, then from the commonest value down.
    width = int(c.n.max()) + 1
    falling = width - 1 - np.sort(c.cls * width + (width - 1 - c.n)) % width
    place = np.arange(len(c.n)) - c.start[c.cls]
    with np.errstate(divide="ignore"):
        return falling[c.start] / c.sum(np.where(place >= l - 1, falling, 0))


def enhanced_gain(c: ClassTable) -> FloatArray:
    """Relative gain of each pair, infinite if it exceeds its bound -ln p."""
    gain = c.excess / c.expected
    return np.where(gain + np.log(c.p)[c.val] > 0, math.inf, gain)


def change(c: ClassTable) -> FloatArray:
    """Change |ln(q / p)| of each pair: exactly 0 if the shares are equal."""
    return np.asarray(np.abs(np.log(c.n * c.totals.sum() / c.expected)))


def delta(c: ClassTable, absent: str = "inf") -> FloatArray:
    """Greatest change of a value; infinite if the class rules a value out."""
    check_choice(absent, "absent", ("inf", "skip"))
    greatest: FloatArray = c.max(change(c))
    if absent == "skip":
        return greatest
    return np.asarray(np.where(c.distinct < len(c.values), math.inf, greatest))


def distance(c: ClassTable, kind: Any = "auto") -> FloatArray:
    """Earth mover's distance between the values of the class and those of the table."""
    kind = kind_of_distance(c, kind)
    if not isinstance(kind, str):
        return hierarchical_distance(c, kind)
    if kind == "ordered":
        return ordered_distance(c)
    # Half of the sum of |q - p| equals the sum of q - p over the values where q > p.
    gained: FloatArray = c.sum(np.maximum(c.excess, 0)) / (c.size * c.totals.sum())
    return gained


def ordered_distance(c: ClassTable) -> FloatArray:
    r"""Sum :math:`|Q - P| / (m - 1)` of the cumulative shares of m ordered values.

    Between two values that a class holds, Q is constant while P rises. P lies below Q up to a
    crossing and above Q from there on. A binary search finds the crossing, and prefix sums of
    P do the rest.
    """
    m, everyone = len(c.values), c.totals.sum()
    if m == 1:
        return np.zeros(len(c.size))
    P = np.cumsum(c.totals).astype(float)  # times all records, like Q
    sums = np.append(0, np.cumsum(P))
    records = np.cumsum(c.n)
    Q = (records - (records - c.n)[c.start][c.cls]) * everyone / c.size[c.cls]
    end = np.append(c.val[1:], m)
    end[c.start[1:] - 1] = m
    cross = np.clip(np.searchsorted(P, Q), c.val, end)
    area = Q * (2 * cross - c.val - end) + sums[c.val] + sums[end] - 2 * sums[cross]
    distances: FloatArray = (c.sum(area) + sums[c.val[c.start]]) / (everyone * (m - 1))
    return distances


def hierarchical_distance(c: ClassTable, hierarchy: Any) -> FloatArray:
    """Average of the equal distance over the levels below the root, with labels for values.

    The flow through a node is half the difference between the summed absolute extras of its
    children and its own absolute extra, and these sums telescope.
    """
    levels = labels_by_level(c, hierarchy)
    everyone, total = c.totals.sum(), np.zeros(len(c.size))
    for label in levels:
        heads = int(label.max()) + 1
        pairs, place = np.unique(c.cls * heads + label[c.val], return_inverse=True)
        cls, head = np.divmod(pairs, heads)
        records = np.bincount(place, c.n)
        whole = np.bincount(label, c.totals, heads)
        excess = records * everyone - c.size[cls] * whole[head]
        total += np.bincount(cls, np.maximum(excess, 0)) / (c.size * everyone)
    return total / max(len(levels), 1)


def labels_by_level(c: ClassTable, hierarchy: Any) -> list[IntArray]:
    """Number of the label of each sensitive value, on each level below the root.

    The root is the first level on which all values of the hierarchy have one label.
    """
    where = f"hierarchy of {c.sensitive!r}"
    table = pd.DataFrame(hierarchy).astype(object)
    codes = [encode(table.iloc[:, j])[0] for j in range(table.shape[1])]
    check_levels(codes, where)
    known, values = as_objects(table.iloc[:, 0]), as_objects(c.values)
    row = known.get_indexer(values)
    lost = int((row < 0).sum())
    if lost:
        raise ValueError(
            f"{where} has no row for {lost} of the {len(values)} values that the data hold;"
            f" add one for each."
        )
    heads = [int(numbers.max()) + 1 for numbers in codes]
    root = heads.index(1) if 1 in heads else len(heads)
    return [numbers[row] for numbers in codes[:root]]


def check_levels(codes: Sequence[IntArray], where: str) -> None:
    """Refuse a hierarchy in which a value has two rows, or a label two labels above it."""
    if codes[0].max() + 1 < len(codes[0]):
        raise ValueError(f"{where} lists a value twice; give each value one row.")
    for level, (labels, above) in enumerate(itertools.pairwise(codes[1:]), 1):
        if len({*zip(labels.tolist(), above.tolist(), strict=True)}) > labels.max() + 1:
            raise ValueError(
                f"{where}: a label of level {level} has several labels on level {level + 1};"
                f" give each label one label above it."
            )


def kind_of_distance(c: ClassTable, kind: Any) -> Any:
    """The distance that `kind` means: "ordered", "equal", or the hierarchy itself."""
    if not isinstance(kind, str):
        return kind
    check_choice(kind, "kind", ("auto", "ordered", "equal"))
    if kind == "ordered" and not c.ordered:
        raise ValueError(
            "kind='ordered' needs numbers, dates or ordered categories, and the sensitive"
            " values have no order; make the column an ordered Categorical, or use"
            " kind='equal'."
        )
    if kind != "auto":
        return kind
    cells, known = kind_of(c.values), c.values.dropna()
    # Categories say whether they are in order.
    if getattr(c.values, "ordered", c.ordered and cells in SCALES):
        whole = (math.isfinite(value) and int(value) == value for value in known)
        codes = cells == "integer" or cells in DECIMALS and all(whole)
        return "equal" if codes else "ordered"
    return "equal"


DECIMALS = ("floating", "mixed-integer-float", "decimal")
"""Kinds of numbers, in pandas' words, that are amounts unless all are whole."""


FROM_0, FROM_1, SHARE = (0.0, math.inf), (1.0, math.inf), (0.0, 1.0)

# fmt: off
MODELS = {
    "k_anonymity": Model("k", "k", "at least", FROM_1, "records",
        lambda c: c.alike, "classes", whole=True),
    "k_map": Model("k_map", "k", "at least", FROM_1, "people",
        lambda c: np.where(c.size > 0, c.people, math.inf), "people", whole=True),
    "prosecutor_risk": Model("risk", "1/k", "at most", SHARE, "probability",
        lambda c: 1 / c.alike, "classes"),
    "journalist_risk": Model("risk", "1/k", "at most", SHARE, "probability",
        lambda c: np.where(c.size > 0, 1 / c.people, 0), "people"),
    "delta_presence_lower": Model("presence_lower", "δ", "at least", SHARE, "probability",
        lambda c: c.alike / c.people, "presence"),
    "delta_presence_upper": Model("presence_upper", "δ", "at most", SHARE, "probability",
        lambda c: c.alike / c.people, "presence"),
    "alpha_k_anonymity": Model("alpha", "α", "at most", SHARE, "share",
        lambda c: c.max(c.q), of_pair=lambda c: c.q),
    "l_diversity": Model("l", "l", "at least", FROM_1, "values",
        lambda c: c.distinct, whole=True),
    "entropy_l_diversity": Model("entropy_l", "l", "at least", FROM_1, "values",
        lambda c: np.clip(np.exp(-c.sum(c.q * np.log(c.q))), 1, c.distinct)),
    "recursive_cl_diversity": Model("c", "c", "below", FROM_0, "ratio",
        recursive_c, of_pair=lambda c: c.n),
    "basic_beta_likeness": Model("beta", "β", "at most", FROM_0, "relative gain",
        lambda c: c.max(c.excess / c.expected), of_pair=lambda c: c.excess / c.expected),
    "enhanced_beta_likeness": Model("enhanced_beta", "β", "at most", FROM_0, "relative gain",
        lambda c: c.max(enhanced_gain(c)), of_pair=enhanced_gain),
    "delta_disclosure": Model("delta", "δ", "below", FROM_0, "nats",
        delta, of_pair=change),
    "t_closeness": Model("t", "t", "at most", SHARE, "earth mover's distance",
        distance),
}
# fmt: on

THRESHOLDS = {model.keyword: model for model in MODELS.values()}
"""A model for each keyword; both risks have the keyword risk and the same interval."""


def worst(name: str, tables: Iterable[Any], **settings: Any) -> float:
    """The number of the worst class, which is the number of the table."""
    model = MODELS[name]
    if model.rule == "at least":
        return float(min(model.of_class(c, **settings).min() for c in tables))
    return float(max(model.of_class(c, **settings).max() for c in tables))


def by_class(
    data: Table,
    quasi_identifiers: Columns = None,
    sensitive: Columns = None,
    *,
    l: int = 2,  # noqa: E741
    absent: str = "inf",
    kind: Any = "auto",
    missing: str = "category",
    person: Column = None,
) -> pd.DataFrame:
    """Number of each class by each model: the table behind every metric of classes.

    Parameters
    ----------
    data, quasi_identifiers, sensitive, missing, person
        See `class_table`. Without a sensitive column there are the models of identity only.
    l : int
        Setting of `recursive_cl_diversity`: the values that an attacker must not rule out.
    absent : {"inf", "skip"}
        Setting of `delta_disclosure`: how to count a value that a class lacks.
    kind : {"auto", "ordered", "equal"} or table
        Setting of `t_closeness`: the distance.

    Returns
    -------
    DataFrame of shape (n_classes, n_models + 1)
        The `records` of each class, and a column per model. The column bears the name of the
        metric, which is its worst number. Indexed by the quasi-identifiers.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> by_class(data, "town", "illness")[["records", "l_diversity", "t_closeness"]].round(2)
          records  l_diversity  t_closeness
    town
    A           2            2         0.17
    B           1            1         0.33
    """
    settings: dict[str, dict[str, Any]] = {
        "recursive_cl_diversity": {"l": l},
        "delta_disclosure": {"absent": absent},
        "t_closeness": {"kind": kind},
    }
    has_secret = isinstance(data, ClassTable) and data.sensitive is not None
    secret = sensitive is not None or has_secret
    options: Any = {"missing": missing, "person": person, "secret": secret}
    parts = []
    for c in class_tables(data, quasi_identifiers, sensitive, **options):
        numbers = {"records": c.size}
        for name, model in MODELS.items():
            if model.about == "classes" or (secret and model.about == "values"):
                numbers[name] = model.of_class(c, **settings.get(name, {}))
        parts.append(pd.DataFrame(numbers).set_axis(c.labels))
    return pd.concat(parts)
