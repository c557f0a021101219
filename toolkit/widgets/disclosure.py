"""Explorers of disclosure: an attack on one person and on everyone; one class by one metric.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._old.attribute import (
    METRICS as METRICS,
    WORST,
    ClassView as ClassView,
    beta_likeness_by_class,
    class_view as class_view,
    t_closeness_by_class,
)
from .._old.checking import check_per_sensitive, threshold_violations as threshold_violations
from .._old.classes import (
    EquivalenceClasses,
    class_sizes,
    equivalence_classes,
    sensitive_tables,
)
from .._old.identity import Narrowed as Narrowed, narrowed as narrowed
from .._validation import check_column, check_columns, check_table
from ..anonymisation.recode import check_numeric
from ..plots import _style as style, disclosure as plots
from ..plots._style import BLUE, VERMILLION, percent, value_label
from ._explorer import Explorer, _distinct_names, _escaped, explorer, new_figure

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
    fig, (above, below) = new_figure(ATTACK_SIZE, 2, 1)
    plots.plot_narrowing(seen.counts, colours=colours, ax=above)
    alone, positions = seen.alone.to_numpy(), check_columns(seen.records, columns, "columns")
    first = np.argsort(~alone, kind="stable")[: plots.ROWS]
    shown, more = seen.records.iloc[first, positions], len(alone) - len(first)
    plots.plot_records(shown, marked=alone[first], more=more, ax=below)
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
    name = _escaped(seen.records.columns[j])
    if n == 0:
        none = f"<b>None of {everyone:,} records fits:</b>"
        return f"{none} these facts describe nobody in the table."
    if n == 1:
        found = f"<b>1 of {everyone:,} records fits:</b> the person is found, if in the table."
        return f"{found} {name} = <b>{_escaped(seen.records.iloc[0, j])}</b>."
    alone = int(seen.alone.sum())
    have = "has" if alone == 1 else "have"
    return (
        f"<b>{n:,} of {everyone:,} records fit:</b> a guess is right with probability"
        f" 1/{n:,} = {percent(1 / n)}. <b>{alone:,} of them ({percent(alone / n)})</b>"
        f" {have} a value of {name} that no other record here has."
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
    values = {name: _menu(table[name]) for name in names}
    controls = {
        name: W.Dropdown(options=[UNKNOWN, *values[name]], description=name) for name in names
    }
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
    fig, (left, right) = new_figure((8, 3.2), 1, 2, width_ratios=[1.8, 1])
    plots.plot_class_sizes(sizes, ax=left)
    bars = right.barh([0, 1], shares, 0.55, color=[VERMILLION, BLUE], edgecolor="white")
    bars[0].set_hatch("///")
    right.bar_label(bars, [percent(share) for share in shares], padding=3)
    style.name_rows(right, [0, 1], ["alone:\ncertain", "named rightly,\non average"])
    right.set(xlim=(0, 1.28), ylim=(1.6, -0.6), xticks=[0, 0.5, 1])
    style.finished(right, "rows", percent="x", xlabel="Share of the records")
    return fig


def columns_summary(data: pd.DataFrame, columns: Any) -> str:
    """Who can be told apart by some columns in words, as HTML; parameters of `columns_figure`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB"), "sex": list("fmf")})
    >>> columns_summary(data, ["town"])  # doctest: +ELLIPSIS
    'Known: town. <b>1 of 3 records (33 %) is alone</b>; k = 1. An attacker who knows...
    """
    sizes, n = class_sizes(data, columns), len(data)
    alone = int((sizes == 1).sum())
    positions = check_columns(data, columns, "columns")
    known = ", ".join(_escaped(data.columns[j]) for j in positions)
    return (
        f"Known: {known or 'nothing'}. <b>{alone:,} of {n:,} records ({percent(alone / n)})"
        f" {'is' if alone == 1 else 'are'} alone</b>; k = {sizes.min():,}. An attacker"
        f" who knows this about everyone names <b>{len(sizes):,}</b> records rightly on"
        f" average ({percent(len(sizes) / n)}), one of each class."
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
        partial(columns_figure, table),
        partial(columns_summary, table),
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
    within = W.SelectionSlider(options=WIDTHS, value=0)
    within.description = f"{column.name}, known to within"
    slider = W.IntSlider(value, low, high, description=str(column.name))
    return {str(column.name): slider, "width": within}


def _with_text_names(data: pd.DataFrame) -> pd.DataFrame:
    """Name columns by distinct texts, of which controls are made."""
    names = _distinct_names(check_table(data).columns, ["width", "positive"])
    return data.set_axis(names, axis=1)


SIZE = (9.0, 3.9)


MENU = 1000  # classes that fit in a menu; of more, one is picked by its number


def class_figure(seen: ClassView) -> Figure:
    """Values of a class against everyone's, and its number among all; of a `class_view`."""
    fig, (left, right) = new_figure(SIZE, 1, 2, width_ratios=[1.25, 1])
    mark = "gains most" if seen.metric == "t" else "sets the number"
    name, unit = value_label(seen.name, 60), METRICS[seen.metric]
    plots.plot_class_shares(seen.shares, marked=seen.marked, mark=mark, name=name, ax=left)
    plots.plot_class_numbers(seen.sizes, seen.numbers, chosen=seen.number, unit=unit, ax=right)
    right.get_legend().remove()
    return fig


def class_summary(seen: ClassView) -> str:
    """The class, its number and the value that sets it, as HTML; of a `class_view`."""
    size, n = int(seen.sizes[seen.number]), int(seen.sizes.sum())
    told = style.number_label(seen.numbers[seen.number], ".4g")
    classes = f"{len(seen.sizes):,} class{'es' * (len(seen.sizes) != 1)}"
    text = (
        f"Class <b>{_escaped(seen.name, 60)}</b>: {size:,} of {n:,} records."
        f" {METRICS[seen.metric]}: <b>{told}</b>, rank {seen.rank:,} of {classes}"
        " (1 is the worst)."
    )
    if seen.marked is None:
        alone = seen.metric in ("distinct l", "entropy l")
        why = "All values of the class set it together" if alone else "No value gains"
        return f"{text} {why}."
    q, p = seen.shares.iloc[seen.marked]
    value = _escaped(seen.shares.index[seen.marked])
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

    columns = [(value_label(name, 40), name) for name in tables]
    return explorer(
        class_figure,
        class_summary,
        seen,
        sensitive=W.Dropdown(options=columns, description="sensitive"),
        metric=W.Dropdown(options=list(METRICS), description="metric"),
        number=_class_control(next(iter(tables.values()))),
    )


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
    fig, (left, right) = new_figure(SIZE, 1, 2)
    distances = t_closeness_by_class(table, kind=kind).to_numpy()
    marks: dict[str, Any] = {"threshold": t, "least": k, "violating": found["marks"].iloc[-1]}
    plots.plot_class_numbers(table.sizes, distances, **marks, unit=METRICS["t"], ax=left)
    plots.plot_violations(found, ax=right)
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
    ceiling = math.ceil(math.log10(largest))
    return explorer(
        partial(threshold_figure, table, kind=kind),
        partial(threshold_summary, table, kind=kind),
        k=W.IntSlider(1, min=1, max=100, description="k at least"),
        l=W.IntSlider(1, min=1, max=most, description="ℓ at least"),
        t=W.FloatSlider(1, min=0, max=1, step=0.01, description="t at most"),
        beta=W.FloatLogSlider(
            10.0**ceiling, min=-2, max=ceiling, step=0.05, description="β at most"
        ),
    )


# What a metric says of each class


def _class_control(table: EquivalenceClasses) -> Any:
    """A menu of the classes in order, or a box for a number if they are too many."""
    count, labels = len(table.sizes), table.labels
    if count > MENU:
        return W.BoundedIntText(WORST, min=WORST, max=count - 1, description="class")
    try:
        order = np.asarray(labels.argsort())
    except TypeError:  # classes without an order stay as they came
        order = np.arange(count)
    sized = [(f"{value_label(labels[i], 50)} ({table.sizes[i]:,})", i) for i in order.tolist()]
    options = [("the worst", WORST), *sized]
    return W.Dropdown(options=options, value=WORST, description="class")
