"""Explorers of disclosure: an attack on one person, and one on everyone."""

from __future__ import annotations

import math
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .._typing import Columns
from ..classes import class_sizes
from ..plots._style import BLUE, VERMILLION, percent, value_label
from ..plots.disclosure import plot_class_sizes, plot_narrowing, plot_records
from ._explorer import (
    Explorer,
    Seen,
    checkbox,
    escaped,
    explorer,
    named,
    names_of,
    new_figure,
    plural,
)

MENU = 200  # values that fit in a menu
WIDTHS = [("unknown", 0), ("exact", 1), ("2", 2), ("5", 5), ("10", 10), ("20", 20)]
UNKNOWN = ("not known", -1)
WRITTEN = 12  # records that are written out


def attack_explorer(
    data: pd.DataFrame, known: Any, sensitive: Columns, *, number: Any = None
) -> Explorer:
    """Choose what an attacker knows about a person: which records fit and what they disclose.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    known : list of columns
        Columns that may be known, each with at most 200 values.
    sensitive : column
        What the attacker wants to learn. If it holds numbers, the attacker may know that it is
        above 0.
    number : column, optional
        A column of numbers that is known to within some width, such as the age.

    Returns
    -------
    Explorer
        A control "known: …" for each column, with the code of a value or -1 (unknown);
        "number" and its "width" (0: unknown, 1: exact); and "positive" for a sensitive
        number.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [35, 35, 36], "job": list("jjc"), "gain": [0, 7, 0]})
    >>> box = attack_explorer(data, ["job"], "gain", number="age")
    >>> box.controls["number"].value, box.controls["width"].value = 36, 1
    >>> "the person is found" in box.summary.value
    True
    """
    table = named(data)
    names = names_of(data, known, "known")
    (hidden,) = names_of(data, [sensitive], "sensitive")
    ranged = names_of(data, [] if number is None else [number], "number")
    shown = [*dict.fromkeys([*ranged, *names, hidden])]
    menus = {name: _menu(table[name]) for name in names}
    controls: dict[str, Any] = {}
    if ranged:
        cells = _numbers(table[ranged[0]])
        finite = cells[np.isfinite(cells)]
        low, high = math.floor(finite.min()), math.ceil(finite.max())
        middle, within = int(np.median(finite)), f"{ranged[0]}, known to within"
        controls["number"] = W.IntSlider(middle, low, high, description=ranged[0])
        controls["width"] = W.SelectionSlider(options=WIDTHS, value=0, description=within)
    for name, (_, options) in menus.items():
        menu = W.Dropdown(options=[UNKNOWN, *options], description=name)
        controls[f"known: {name}"] = menu
    if pd.api.types.is_numeric_dtype(table[hidden]):
        controls["positive"] = W.Checkbox(description=f"{hidden} > 0", indent=False)

    def facts(width: int = 0, number: int = 0, positive: bool = False, **values: int) -> Any:
        """What the attacker knows, in words, and the records that fit each fact."""
        fits = {"everyone": np.ones(len(table), bool)}
        if width == 1:
            fits[f"{ranged[0]} = {number}"] = cells == number
        elif width:
            low = number // width * width
            words = f"{ranged[0]} in [{low}, {low + width})"
            fits[words] = (cells >= low) & (cells < low + width)
        for name, (codes, options) in menus.items():
            for label, code in options:
                if code == values[f"known: {name}"]:
                    fits[f"{name} = {label}"] = codes == code
        if positive:
            fits[f"{hidden} > 0"] = table[hidden].to_numpy(float, na_value=np.nan) > 0
        return fits

    def see(**setting: Any) -> Seen:
        fits = facts(**setting)
        fitting = np.logical_and.accumulate([*fits.values()])
        counts = pd.Series(fitting.sum(axis=1), [*fits])
        left = table[fitting[-1]]
        alone = (~left[hidden].duplicated(keep=False)).to_numpy()
        figure, (above, below) = new_figure((8, 5.2), 2, 1)
        plot_narrowing(counts, ax=above)
        first = np.argsort(~alone, kind="stable")[:WRITTEN]
        more = len(left) - len(first)
        plot_records(left[shown].iloc[first], marked=alone[first], more=more, ax=below)
        return _attacked(left[hidden], len(table), int(alone.sum())), figure

    return explorer(see, **controls)


def _attacked(left: pd.Series, everyone: int, alone: int) -> str:
    """The attack in words, from the sensitive values that are left."""
    n, name = len(left), escaped(left.name)
    if n == 0:
        none = f"<b>None of {everyone:,} records fits:</b>"
        return f"{none} these facts describe nobody in the table."
    if n == 1:
        found = f"<b>1 of {everyone:,} records fits:</b> the person is found, if in the table."
        return f"{found} {name} = <b>{escaped(left.iloc[0])}</b>."
    return (
        f"<b>{n:,} of {everyone:,} records fit:</b> a guess is right with probability"
        f" 1/{n:,} = {percent(1 / n)}. <b>{alone:,} of them ({percent(alone / n)})</b>"
        f" {'has' if alone == 1 else 'have'} a value of {name} that no other record here has."
    )


def _numbers(column: pd.Series) -> Any:
    """Cells of a column of numbers, of which some are finite; NaN if they are missing."""
    if pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(float, na_value=np.nan)
        if np.isfinite(numbers).any():
            return numbers
    raise TypeError(f"number must be a column of numbers; {column.name!r} is not one.")


def _menu(column: pd.Series) -> tuple[Any, list[tuple[str, int]]]:
    """Code of each cell, and labels with their codes, in order; a missing value is last."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    if len(values) > MENU:
        raise ValueError(
            f"known: column {column.name!r} has {len(values):,} values, too many for a menu"
            f" of {MENU}; group it first, or pass it as the number."
        )
    cells = pd.Series(values)
    try:
        order = cells.sort_values(kind="stable").index.tolist()
    except TypeError:  # words among numbers
        order = cells.index.tolist()
    return codes, [(value_label(cells[code], 40), code) for code in order]


def columns_explorer(data: pd.DataFrame, columns: Columns, *, known: Any = ()) -> Explorer:
    """Tick what the attacker knows about everyone, and see how many records are alone.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    columns : list of columns
        Columns that may be known; names or positions.
    known : list of columns
        Columns that are ticked at first.

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
    table = named(data)
    n, names = len(table), names_of(data, columns, "columns")
    ticked = names_of(data, known, "known")
    if not {*ticked} <= {*names}:
        raise ValueError(f"known must be some of the columns {names}; got {ticked}.")

    def see(**ticks: bool) -> Seen:
        chosen = [name for name in names if ticks[name]]
        sizes = class_sizes(table, chosen)
        alone, classes = int((sizes == 1).sum()), len(sizes)
        figure, (left, right) = new_figure((8, 3.2), 1, 2, width_ratios=[1.8, 1])
        plot_class_sizes(sizes, ax=left)
        shares = [alone / n, classes / n]
        labels = ["alone:\ncertain", "named rightly,\non average"]
        bars = right.barh(labels, shares, 0.55, color=[VERMILLION, BLUE], edgecolor="white")
        bars[0].set_hatch("///")
        right.bar_label(bars, [percent(share) for share in shares], padding=3)
        right.set(xlim=(0, 1.28), ylim=(1.6, -0.6), xlabel="Share of the records")
        right.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
        right.spines.left.set_visible(False)
        right.tick_params(axis="y", length=0)
        return (
            f"Known: {', '.join(map(escaped, chosen)) or 'nothing'}."
            f" <b>{alone:,} of {plural(n, 'record')} ({percent(alone / n)})"
            f" {'is' if alone == 1 else 'are'} alone</b>; k = {sizes.min():,}. An attacker"
            f" who knows this about everyone names <b>{classes:,}</b> records rightly on"
            f" average ({percent(classes / n)}), one of each class.",
            figure,
        )

    return explorer(see, **{name: checkbox(name, name in ticked) for name in names})
