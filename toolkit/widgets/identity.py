"""Explorers of identity disclosure: an attack on one person, and on everyone.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
import math
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from .._validation import check_column, check_columns, check_table
from ..anonymisation.recoding import check_numeric
from ..classes import class_sizes
from ..disclosure.identity import Narrowed as Narrowed, narrowed as narrowed
from ..plots._style import BLUE, VERMILLION, percent, value_label
from ..plots.identity import ROWS, plot_class_sizes, plot_narrowing, plot_records
from ._explorer import Explorer, _distinct_names, explorer

__all__ = [
    "attack_explorer",
    "attack_figure",
    "attack_summary",
    "columns_explorer",
    "columns_figure",
    "columns_summary",
]


SIZE = (9.4, 3.4)


MENU = 200  # values that fit in a menu


WIDTHS = [("unknown", 0), ("exact", 1), ("2", 2), ("5", 5), ("10", 10), ("20", 20)]


UNKNOWN = "not known"


def attack_figure(seen: Narrowed, columns: Any) -> Figure:
    """How the facts narrow the table, and the records that are left; of a `Narrowed`.

    Parameters
    ----------
    seen : Narrowed
        Result of `narrowed`.
    columns : list of columns
        What is shown of the records. Those whose sensitive value is unique are marked and
        come first.
    """
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.7])
    plot_narrowing(seen.counts, ax=left)
    order = np.argsort(~seen.alone.to_numpy(), kind="stable")
    shown = seen.records.iloc[order[:ROWS], check_columns(seen.records, columns, "columns")]
    marked = seen.alone.to_numpy()[order[:ROWS]]
    plot_records(shown, marked=marked, more=len(order) - len(shown), ax=right)
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
    data: pd.DataFrame, known: Any, sensitive: Any, *, number: Any = None
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
        lambda left: attack_figure(left, shown),
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
    fig = Figure(figsize=(9.4, 3.2), layout="constrained")
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
    if len(values) > MENU:
        raise ValueError(
            f"known: column {column.name!r} has {len(values):,} values, too many for a menu"
            f" of {MENU}; group it first, or let it be the number."
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
