"""Explorers of disclosure: an attack on one person and on everyone; one class by one metric.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .._typing import FloatArray, IntArray
from .._validation import check_choice, check_column, check_columns, check_table, check_whole
from ..anonymisation.recoding import check_numeric
from ..classes import (
    EquivalenceClasses,
    ValueShown,
    class_sizes,
    equivalence_classes,
    sensitive_tables,
)
from ..disclosure.attribute import (
    beta_likeness_by_class,
    recursive_diversity_by_class,
    t_closeness_by_class,
)
from ..disclosure.catalogue import MODELS, THRESHOLDS
from ..disclosure.identity import Narrowed as Narrowed, narrowed as narrowed
from ..plots._style import BLUE, VERMILLION, percent, value_label
from ..plots.disclosure import (
    ROWS,
    plot_class_numbers,
    plot_class_shares,
    plot_class_sizes,
    plot_narrowing,
    plot_records,
    plot_violations,
)
from ..report.checking import check_per_sensitive, check_privacy
from ._explorer import Explorer, _distinct_names, explorer

__all__ = [
    "ClassView",
    "METRICS",
    "attack_explorer",
    "attack_figure",
    "attack_summary",
    "class_explorer",
    "class_figure",
    "class_summary",
    "class_view",
    "columns_explorer",
    "columns_figure",
    "columns_summary",
    "threshold_explorer",
    "threshold_figure",
    "threshold_summary",
    "threshold_violations",
]


ATTACK_SIZE = (8, 5.2)


ATTACK_MENU = 200  # values that fit in a menu


WIDTHS = [("unknown", 0), ("exact", 1), ("2", 2), ("5", 5), ("10", 10), ("20", 20)]


UNKNOWN = "not known"


def attack_figure(
    seen: Narrowed, columns: Any, colours: Mapping[Any, str] | None = None
) -> Figure:
    """How the facts narrow the table, and the records that are left; of a `Narrowed`.

    Parameters
    ----------
    seen : Narrowed
        Result of `narrowed`.
    columns : list of columns
        What is shown of the records. Those whose sensitive value is unique are marked and
        come first.
    colours : mapping, optional
        From column to the colour of its dot.
    """
    fig = Figure(figsize=ATTACK_SIZE, layout="constrained")
    above, below = fig.subplots(2, 1)
    plot_narrowing(seen.counts, colours=colours, ax=above)
    order = np.argsort(~seen.alone.to_numpy(), kind="stable")
    shown = seen.records.iloc[order[:ROWS], check_columns(seen.records, columns, "columns")]
    marked = seen.alone.to_numpy()[order[:ROWS]]
    plot_records(shown, marked=marked, more=len(order) - len(shown), ax=below)
    return fig


def attack_summary(seen: Narrowed, sensitive: Any) -> str:
    """The attack in words, as HTML; `sensitive` as for `narrowed`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [35, 35, 36], "gain": [0, 7, 7]})
    >>> attack_summary(narrowed(data, {"age": 36}, "gain"), "gain")
    '<b>1 of 3 records fits:</b> the person is found, if in the table. gain = <b>7</b>.'
    """
    n, everyone = len(seen.records), int(seen.counts.iloc[0])
    j = check_column(seen.records, sensitive, "sensitive")
    name = html.escape(value_label(seen.records.columns[j], 40))
    if n == 0:
        return (
            f"<b>None of {everyone:,} records fits:</b> these facts describe nobody in the"
            f" table."
        )
    if n == 1:
        value = html.escape(value_label(seen.records.iloc[0, j], 40))
        return (
            f"<b>1 of {everyone:,} records fits:</b> the person is found, if in the"
            f" table. {name} = <b>{value}</b>."
        )
    alone = int(seen.alone.sum())
    have = "has" if alone == 1 else "have"
    return (
        f"<b>{n:,} of {everyone:,} records fit:</b> a guess is right with probability"
        f" 1/{n:,} = {percent(1 / n)}. <b>{alone:,} of them ({percent(alone / n)})</b>"
        f" {have} a {name} that no other of them has."
    )


def attack_explorer(
    data: pd.DataFrame,
    known: Any,
    sensitive: Any,
    *,
    number: Any = None,
    colours: Mapping[Any, str] | None = None,
) -> Explorer:
    """Choose what an attacker knows of a person: who is left, and what is given away?

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    known : list of columns
        What may be known, each with at most 200 values.
    sensitive : column
        What the attacker wants to learn. If it holds numbers, that it is above 0 may be known.
    number : column, optional
        A column of numbers that is known to within some width, such as the age.
    colours : mapping, optional
        From column to the colour of its dot.

    Returns
    -------
    Explorer
        A control for each column, under its name; "width" for the number (0: unknown, 1:
        exact), and "positive" for a sensitive number.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [35, 35, 36], "job": list("jjc"), "gain": [0, 7, 0]})
    >>> box = attack_explorer(data, ["job"], "gain", number="age")
    >>> box.controls["age"].value, box.controls["width"].value = 36, 1
    >>> "the person is found" in box.summary.value
    True
    """
    table = _with_text_names(data)
    names = [table.columns[j] for j in check_columns(data, known, "known")]
    hidden = table.columns[check_column(data, sensitive, "sensitive")]
    controls, values = {}, {}
    for name in names:
        values[name] = _menu(table[name])
        controls[name] = W.Dropdown(options=[UNKNOWN, *values[name]], description=name)
    ranged = None
    if number is not None:
        ranged = table.columns[check_column(data, number, "number")]
        controls = {**_number_controls(table[ranged]), **controls}
    if pd.api.types.is_numeric_dtype(table[hidden]):
        text = f"{hidden} > 0"
        controls["positive"] = W.Checkbox(description=text, indent=False)
    shown = list(dict.fromkeys([*([ranged] if ranged else []), *names, hidden]))

    def seen(**setting: Any) -> Narrowed:
        facts: dict[str, Any] = {}
        if ranged is not None and setting["width"]:
            facts[ranged] = _within(setting[ranged], setting["width"])
        facts |= {n: values[n][setting[n]] for n in names if setting[n] != UNKNOWN}
        if setting.get("positive"):
            facts[hidden] = pd.Interval(0, math.inf, closed="neither")
        return narrowed(table, facts, hidden)

    return explorer(
        lambda left: attack_figure(left, shown, colours),
        lambda left: attack_summary(left, hidden),
        seen,
        **controls,
    )


def columns_figure(data: pd.DataFrame, columns: Any) -> Figure:
    """Class sizes for an attacker who knows some columns, and what can be named by them.

    Parameters
    ----------
    data, columns
        As for `class_sizes`.
    """
    sizes = class_sizes(data, columns)
    shares = [int((sizes == 1).sum()) / len(data), len(sizes) / len(data)]
    fig = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.8, 1])
    plot_class_sizes(sizes, ax=left)
    bars = right.barh([0, 1], shares, 0.55, color=[VERMILLION, BLUE], edgecolor="white")
    bars[0].set_hatch("///")
    right.bar_label(bars, [percent(share) for share in shares], padding=3)
    right.set_yticks([0, 1], ["alone:\ncertain", "named rightly,\non average"])
    right.tick_params(axis="y", length=0)
    right.set(xlim=(0, 1.28), ylim=(1.6, -0.6), xlabel="Share of the records")
    right.set_xticks([0, 0.5, 1])
    right.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    right.spines[["top", "right", "left"]].set_visible(False)
    return fig


def columns_summary(data: pd.DataFrame, columns: Any) -> str:
    """Who can be told apart by some columns in words, as HTML; parameters of `columns_figure`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "sex": list("fmf")})
    >>> columns_summary(data, ["town"])  # doctest: +ELLIPSIS
    'Known: town. <b>1 of 3 records (33 %) is alone</b>; k = 1. Who knows this of everyone...
    """
    sizes, n = class_sizes(data, columns), len(data)
    alone = int((sizes == 1).sum())
    positions = check_columns(data, columns, "columns")
    known = ", ".join(html.escape(value_label(data.columns[j], 40)) for j in positions)
    return (
        f"Known: {known or 'nothing'}. <b>{alone:,} of {n:,} records ({percent(alone / n)})"
        f" {'is' if alone == 1 else 'are'} alone</b>; k = {sizes.min():,}. Who knows this of"
        f" everyone names <b>{len(sizes):,}</b> records rightly on average"
        f" ({percent(len(sizes) / n)}), one of each class."
    )


def columns_explorer(data: pd.DataFrame, columns: Any, *, known: Any = ()) -> Explorer:
    """Tick what the attacker knows of everyone: how many records stand alone?

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    columns : list of columns
        What may be known; names or positions.
    known : list of columns
        What is ticked at first.

    Returns
    -------
    Explorer
        A checkbox for each column, under its name.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "sex": list("fmf")})
    >>> box = columns_explorer(data, ["town", "sex"])
    >>> box.controls["town"].value = box.controls["sex"].value = True
    >>> "3 of 3 records (100 %) are alone" in box.summary.value
    True
    """
    table = _with_text_names(data)
    names = [table.columns[j] for j in check_columns(data, columns, "columns")]
    ticked = [table.columns[j] for j in check_columns(data, known, "known")]
    if not set(ticked) <= set(names):
        raise ValueError(f"known must be some of the columns {names}; got {ticked}.")
    width = W.Layout(width="auto", margin="2px 16px 2px 2px")
    controls = {
        name: W.Checkbox(name in ticked, description=name, indent=False, layout=width)
        for name in names
    }
    return explorer(
        lambda told: columns_figure(table, told),
        lambda told: columns_summary(table, told),
        lambda **setting: [name for name in names if setting[name]],
        **controls,
    )


def _within(value: float, width: int) -> Any:
    """What is known of a number: itself, or the interval between two multiples of a width."""
    if width == 1:
        return value
    low = value // width * width
    return pd.Interval(low, low + width, closed="left")


def _menu(column: pd.Series) -> dict[str, Any]:
    """Values of a column by their label, in order; the missing one last."""
    values = column.unique()
    if len(values) > ATTACK_MENU:
        raise ValueError(
            f"known: column {column.name!r} has {len(values):,} values, too many for a menu"
            f" of {ATTACK_MENU}; group it first, or let it be the number."
        )
    known = [value for value in values if not (np.ndim(value) == 0 and pd.isna(value))]
    try:
        known = sorted(known)
    except TypeError:  # words among numbers
        known = sorted(known, key=str)
    menu: dict[str, Any] = {}
    for value in [*known, *[None] * (len(known) < len(values))]:
        label = value_label(value, 40)
        while label in menu or label == UNKNOWN:
            label = f"{label} #{len(menu)}"
        menu[label] = value
    return menu


def _number_controls(column: pd.Series) -> dict[str, Any]:
    numbers = check_numeric(column, column.name)
    low, high = math.floor(numbers.min()), math.ceil(numbers.max())
    value = int(numbers.median())
    return {
        str(column.name): W.IntSlider(value, low, high, description=str(column.name)),
        "width": W.SelectionSlider(
            options=WIDTHS, value=0, description=f"{column.name}, known to within"
        ),
    }


def _with_text_names(data: pd.DataFrame) -> pd.DataFrame:
    """Name columns by distinct texts, of which controls are made."""
    names = _distinct_names(check_table(data).columns, ["width", "positive"])
    return data.set_axis(names, axis=1)


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
