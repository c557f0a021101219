"""Explorers of attribute disclosure: one class by one metric, and four thresholds.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._typing import FloatArray, IntArray
from .._validation import check_choice, check_whole
from ..classes import (
    EquivalenceClasses,
    ValueShown,
    equivalence_classes,
    sensitive_tables,
)
from ..disclosure.attribute import (
    beta_likeness_by_class,
    recursive_diversity_by_class,
    t_closeness_by_class,
)
from ..disclosure.catalogue import MODELS, THRESHOLDS
from ..plots._style import value_label
from ..plots.attribute import plot_class_numbers, plot_class_shares, plot_violations
from ..report.check import check_per_sensitive, check_privacy
from ._explorer import Explorer, explorer

__all__ = [
    "ClassView",
    "METRICS",
    "class_explorer",
    "class_figure",
    "class_summary",
    "class_view",
    "threshold_explorer",
    "threshold_figure",
    "threshold_summary",
    "threshold_violations",
]


SIZE = (9.0, 3.9)


MENU = 1000  # classes that fit in a menu; of more, one is picked by its number


WORST = -1  # number that stands for the class that sets the metric


METRICS = {
    "t": "distance from everyone (t)",
    "beta": "relative gain (basic β)",
    "enhanced beta": "relative gain (enhanced β)",
    "delta": "|ln(q/p)| (δ)",
    "alpha": "greatest share (α)",
    "distinct l": "distinct values (ℓ)",
    "entropy l": "entropy ℓ",
    "recursive c": "r₁ over the others (c, ℓ = 2)",
}
"""Metrics of the class explorer, and what each measures of a class."""


MODEL_OF = {
    "t": "t_closeness",
    "beta": "basic_beta_likeness",
    "enhanced beta": "enhanced_beta_likeness",
    "delta": "delta_disclosure",
    "alpha": "alpha_k_anonymity",
    "distinct l": "l_diversity",
    "entropy l": "entropy_l_diversity",
    "recursive c": "recursive_cl_diversity",
}
"""Model of each of them."""


GAINING_MOST = ValueShown(lambda c: c.where(c.max(c.excess) > 0, c.first_with(c.excess), -1))
"""The value whose share gains most, which is shown for t."""


class ClassView(NamedTuple):
    """One class of a table as one metric sees it."""

    metric: str
    number: int
    """Of the class, in order of first appearance."""
    name: str
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
    >>> from toolkit import equivalence_classes
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> seen = class_view(equivalence_classes(data, "town", "illness"), "beta")
    >>> seen.name, float(seen.numbers[seen.number]), seen.shares.index[seen.marked]
    ('A', 0.5, 'flu')
    """
    check_choice(metric, "metric", tuple(METRICS))
    check_whole(number, "number", WORST, len(table.sizes) - 1, "a class, or -1 for the worst")
    numbers = _measured(table, metric, kind)
    badness = -numbers if metric in ("distinct l", "entropy l") else numbers
    chosen = int(badness.argmax()) if number == WORST else int(number)
    pairs = table.sensitive
    shares = pd.DataFrame(
        {
            "share": _records(table, chosen) / table.sizes[chosen],
            "share_of_all": pairs.totals / table.n_records,
        },
        index=pairs.values,
    )
    return ClassView(
        metric,
        chosen,
        value_label(table.labels[chosen], 60),
        numbers,
        table.sizes,
        shares,
        _marked(table, metric, chosen),
        1 + int((badness > badness[chosen] + 1e-12).sum()),
    )


def class_figure(seen: ClassView) -> Figure:
    """Values of a class against everyone's, and its number among all; of a `class_view`."""
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.25, 1])
    mark = "gains most" if seen.metric == "t" else "sets the number"
    plot_class_shares(seen.shares, marked=seen.marked, mark=mark, name=seen.name, ax=left)
    plot_class_numbers(
        seen.sizes, seen.numbers, chosen=seen.number, unit=METRICS[seen.metric], ax=right
    )
    right.get_legend().remove()
    return fig


def class_summary(seen: ClassView) -> str:
    """The class, its number and the value that sets it, as HTML; of a `class_view`."""
    size, n = int(seen.sizes[seen.number]), int(seen.sizes.sum())
    told = _number(seen.numbers[seen.number])
    classes = f"{len(seen.sizes):,} class{'es' * (len(seen.sizes) != 1)}"
    text = (
        f"Class <b>{html.escape(seen.name)}</b>: {size:,} of {n:,} records."
        f" {METRICS[seen.metric]}: <b>{told}</b>, rank {seen.rank:,} of {classes}"
        " (1 is the worst)."
    )
    if seen.marked is None:
        alone = seen.metric in ("distinct l", "entropy l")
        why = "All values of the class set it together" if alone else "No value gains"
        return f"{text} {why}."
    q, p = seen.shares.iloc[seen.marked]
    value = html.escape(value_label(seen.shares.index[seen.marked], 40))
    does = "gains most" if seen.metric == "t" else "sets it"
    return f"{text} <b>{value}</b> {does}: {q:.3g} in the class, {p:.3g} in the table."


def class_explorer(
    data: pd.DataFrame, quasi_identifiers: Any, sensitive: Any, *, kind: Any = "auto"
) -> Explorer:
    """Pick a class, a sensitive column and a metric: what does the class give away?

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    quasi_identifiers, sensitive : column, or list of columns
        What the attacker may know, and what is to be kept from the attacker.
    kind : {"auto", "ordered", "equal"}, hierarchy, or mapping from column to one of these
        Distance of `t_closeness`.

    Returns
    -------
    Explorer
        Controls "sensitive" (a column), "metric" (one of `METRICS`) and "number", the class:
        a menu of its quasi-identifiers, or, of more than 1,000 classes, a number. -1 stands
        for the class that sets the metric of the table.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> box = class_explorer(data, "town", "illness")
    >>> box.controls["metric"].value = "beta"
    >>> "<b>flu</b> sets it: 0.5 in the class, 0.333 in the table" in box.summary.value
    True
    >>> box.controls["number"].value = 1
    >>> "Class <b>B</b>: 1 of 3 records" in box.summary.value
    True
    """
    tables = sensitive_tables(data, quasi_identifiers, sensitive)
    check_per_sensitive(kind, list(tables))

    def seen(sensitive: Hashable, metric: str, number: int) -> ClassView:
        distance = kind.get(sensitive, "auto") if isinstance(kind, dict) else kind
        return class_view(tables[sensitive], metric, number, kind=distance)

    return explorer(
        class_figure,
        class_summary,
        seen,
        sensitive=W.Dropdown(
            options=[(value_label(name, 40), name) for name in tables], description="sensitive"
        ),
        metric=W.Dropdown(options=list(METRICS), description="metric"),
        number=_class_control(next(iter(tables.values()))),
    )


def threshold_violations(
    table: EquivalenceClasses,
    k: int,
    l: int,  # noqa: E741
    t: float,
    beta: float,
    *,
    kind: Any = "auto",
) -> pd.DataFrame:
    """Which classes and how many rows violate each of four thresholds, or any.

    Parameters
    ----------
    table : EquivalenceClasses
        Class table with a sensitive column.
    k, l, t, beta
        Thresholds of `check_privacy`.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of `t_closeness`.

    Returns
    -------
    DataFrame of shape (5, 4)
        `classes` and `rows` that violate, the `share` of rows, and `marks`, an array with a
        Boolean per class. Indexed by the thresholds; "any of them" comes last.

    Examples
    --------
    >>> from toolkit import equivalence_classes
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> classes = equivalence_classes(data, "town", "illness")
    >>> threshold_violations(classes, 2, 2, 0.5, 1)[["classes", "rows"]].T
             k ≥ 2  ℓ ≥ 2  t ≤ 0.5  β ≤ 1  any of them
    classes      1      1        0      0            1
    rows         1      1        0      0            1
    """
    asked: dict[str, Any] = {"k": k, "l": l, "t": t, "beta": beta}
    report = check_privacy(table, kind=kind, **asked)
    marks = []
    for keyword in asked:
        model = THRESHOLDS[keyword]
        owner = table.sensitive.name if model.about == "values" else None
        violating = report.violations(model.name, owner).to_numpy(bool)
        marks.append(np.bincount(table.ids[violating], minlength=len(table.sizes)) > 0)
    marks.append(np.logical_or.reduce(marks))
    rows = [int(table.sizes[mark].sum()) for mark in marks]
    found = {
        "classes": [int(mark.sum()) for mark in marks],
        "rows": rows,
        "share": [count / table.n_records for count in rows],
        "marks": marks,
    }
    names = [f"k ≥ {k}", f"ℓ ≥ {l}", f"t ≤ {t:g}", f"β ≤ {beta:.3g}", "any of them"]
    return pd.DataFrame(found, index=names)


def threshold_figure(
    table: EquivalenceClasses,
    k: int,
    l: int,  # noqa: E741
    t: float,
    beta: float,
    *,
    kind: Any = "auto",
) -> Figure:
    """Classes by size and distance, and rows that violate; of `threshold_violations`."""
    found = threshold_violations(table, k, l, t, beta, kind=kind)
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2)
    plot_class_numbers(
        table.sizes,
        t_closeness_by_class(table, kind=kind).to_numpy(),
        threshold=t,
        least=k,
        violating=found["marks"].iloc[-1],
        unit=METRICS["t"],
        ax=left,
    )
    plot_violations(found, ax=right)
    return fig


def threshold_summary(
    table: EquivalenceClasses,
    k: int,
    l: int,  # noqa: E741
    t: float,
    beta: float,
    *,
    kind: Any = "auto",
) -> str:
    """What violates in words, as HTML; parameters of `threshold_violations`."""
    found = threshold_violations(table, k, l, t, beta, kind=kind)
    classes, rows, share = found.iloc[-1][["classes", "rows", "share"]]
    each = ", ".join(f"{name}: {count:,}" for name, count in found["rows"].iloc[:-1].items())
    verb = "violates" if classes == 1 else "violate"
    return (
        f"<b>{classes:,} of {len(table.sizes):,} classes</b> {verb} a threshold; they hold"
        f" {rows:,} of {table.n_records:,} rows (<b>{100 * share:.3g} %</b>). Rows by"
        f" threshold: {each}."
    )


def threshold_explorer(
    data: pd.DataFrame, quasi_identifiers: Any, sensitive: Any, *, kind: Any = "auto"
) -> Explorer:
    """Slide k, ℓ, t and β, and count the classes and rows that violate.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    quasi_identifiers : column, or list of columns
        What the attacker may know.
    sensitive : column
        What is to be kept from the attacker.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of `t_closeness`.

    Returns
    -------
    Explorer
        Controls "k", "l", "t" and "beta". At k = 1, l = 1, t = 1 and the largest beta nothing
        violates.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "hiv", "hiv"]})
    >>> box = threshold_explorer(data, "town", "illness")
    >>> box.controls["k"].value = 2
    >>> "1 of 2 classes</b> violates" in box.summary.value
    True
    """
    table = equivalence_classes(data, quasi_identifiers, sensitive)
    largest = max(float(beta_likeness_by_class(table)["beta"].max()), 1.0)
    most = min(max(len(table.sensitive.values), 2), 20)
    return explorer(
        lambda **setting: threshold_figure(table, **setting, kind=kind),
        lambda **setting: threshold_summary(table, **setting, kind=kind),
        k=W.IntSlider(1, min=1, max=100, description="k at least"),
        l=W.IntSlider(1, min=1, max=most, description="ℓ at least"),
        t=W.FloatSlider(1, min=0, max=1, step=0.01, description="t at most"),
        beta=W.FloatLogSlider(
            10.0 ** math.ceil(math.log10(largest)),
            min=-2,
            max=math.ceil(math.log10(largest)),
            step=0.05,
            description="β at most",
        ),
    )


# What a metric says of each class


def _measured(table: EquivalenceClasses, metric: str, kind: Any) -> FloatArray:
    """Measure every class."""
    formula = MODELS[MODEL_OF[metric]].formula
    if metric == "t":
        found = t_closeness_by_class(table, kind=kind)
    elif formula is None:
        found = recursive_diversity_by_class(table, l=2)
    else:
        found = pd.Series(formula(table.tally))
    return found.to_numpy(float)


def _records(table: EquivalenceClasses, number: int) -> IntArray:
    """Records of every value in one class, in the order of the values."""
    pairs = table.sensitive
    mine = pairs.of_class == number
    return np.bincount(pairs.of_value[mine], pairs.records[mine], len(pairs.values)).astype(
        int
    )


def _marked(table: EquivalenceClasses, metric: str, number: int) -> int | None:
    """Position of the value that sets the number of a class, or gains most for t."""
    shown = GAINING_MOST if metric == "t" else MODELS[MODEL_OF[metric]].shown
    code = -1 if shown is None else int(shown.code(table.tally)[number])
    return code if code >= 0 else None


def _class_control(table: EquivalenceClasses) -> Any:
    """A menu of the classes in order, or a box for a number if they are too many."""
    count, labels = len(table.sizes), table.labels
    if count > MENU:
        return W.BoundedIntText(WORST, min=WORST, max=count - 1, description="class")
    try:
        order = np.asarray(labels.argsort())
    except TypeError:  # classes without an order stay as they came
        order = np.arange(count)
    options = [("the worst", WORST)]
    for i in order.tolist():
        options.append((f"{value_label(labels[i], 50)} ({table.sizes[i]:,})", i))
    return W.Dropdown(options=options, value=WORST, description="class")


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4g}"
