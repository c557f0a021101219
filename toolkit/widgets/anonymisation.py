"""Explorers of anonymisation: generalisation by hand, lattice search, Mondrian."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .._arguments import listed
from .._typing import Columns
from ..anonymisation import cell_losses, generalise, mondrian_regions
from ..classes import equivalence_class
from ..plots._style import percent, value_label
from ..plots.anonymisation import (
    plot_column_losses,
    plot_crowds,
    plot_lattice,
    plot_regions,
)
from ..plots.disclosure import plot_class_sizes
from ._explorer import Explorer, Seen, escaped, explorer, named, names_of, new_figure, plural

KS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
WRITTEN = 14  # records of a table that is written out


def generalisation_explorer(
    data: pd.DataFrame,
    hierarchies: Mapping[Any, Any],
    *,
    k: int = 2,
    captions: Mapping[Any, Any] | None = None,
) -> Explorer:
    """Move each column up its hierarchy, and see the suppressed records and the loss.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table. A small table is written out class by class; of a larger one, the sizes of
        the classes are drawn.
    hierarchies : mapping
        From each quasi-identifier to its table of values x levels.
    k : int
        Records in smaller classes are suppressed; this is the first value of the slider.
    captions : mapping, optional
        From column to the label of its control and a text for each level. By default the label
        is the name of the column, and each level shows the generalised first record.

    Returns
    -------
    Explorer
        A control "level of …" for each column: a slider of levels, or, if there is one level
        above the values, a checkbox; and "k".

    Examples
    --------
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"], "sex": list("fff")})
    >>> trees = {"zip": [["11", "1*"], ["12", "1*"], ["20", "2*"]], "sex": [["f", "*"]]}
    >>> box = generalisation_explorer(data, trees)
    >>> box.controls["level of zip"].value = True
    >>> "1 of 3 records (33 %)" in box.summary.value
    True
    """
    trees = {value_label(name, 60): tree for name, tree in hierarchies.items()}
    wanted = {value_label(name, 60): caption for name, caption in (captions or {}).items()}
    table, names = named(data), names_of(data, [*hierarchies], "hierarchies")
    sliders = {
        f"level of {name}": _level_control(table, trees, name, wanted.get(name))
        for name in names
    }

    def see(k: int, **levels: Any) -> Seen:
        chosen = dict(zip(names, map(int, levels.values()), strict=True))
        treated = generalise(table, trees, chosen)
        ids = equivalence_class(treated, names).to_numpy()
        sizes = np.bincount(ids)
        few = sizes[ids] < k
        lost = cell_losses(table, treated, trees)
        lost[few] = 1.0
        losses = lost.mean()
        figure, (left, right) = new_figure((8, 3.9), 1, 2, width_ratios=[1.5, 1])
        if len(table) <= WRITTEN:
            plot_crowds(treated, ids, k=k, ax=left)
        else:
            plot_class_sizes(pd.Series(sizes), ax=left)
        plot_column_losses(losses, total=float(losses.mean()), ax=right)
        return _generalised(sizes, k, len(table), float(losses.mean())), figure

    return explorer(see, **sliders, k=_k_control(k, len(table)))


def _generalised(sizes: Any, k: int, n: int, loss: float) -> str:
    """Class sizes, suppression and loss in words."""
    left = sizes[sizes >= k]
    gone = n - int(left.sum())
    smallest = f"The smallest class has <b>k = {sizes.min():,}</b>."
    lost = f"<b>Loss {percent(loss)}.</b>"
    if not gone:
        return f"{smallest} None of {n:,} records has to go. {lost}"
    after = f"k = {left.min():,} is left" if len(left) else "nobody is left"
    return (
        f"{smallest} For k ≥ {k:,}, <b>{gone:,} of {n:,} records ({percent(gone / n)})</b>"
        f" {'has' if gone == 1 else 'have'} to be suppressed: {after}."
        f" {lost} (Suppressed records count as lost in full.)"
    )


def _level_control(data: pd.DataFrame, trees: Any, name: str, caption: Any) -> Any:
    """A slider of the levels of a column, or a checkbox if there are two."""
    height = pd.DataFrame(trees[name]).shape[1]
    label, texts = caption or (value_label(name, 40), [])
    if height == 2:
        words = label if caption else f"drop {label}"
        return W.Checkbox(description=words, indent=False)
    if not caption:
        first = data.iloc[:1]
        shown = [generalise(first, trees, {name: level})[name] for level in range(height)]
        texts = [value_label(cells.iloc[0], 24) for cells in shown]
    options = [(f"{text}", level) for level, text in enumerate(texts)]
    return W.SelectionSlider(options=options, value=0, description=label)


def _k_control(wanted: int, most: int) -> Any:
    """Slider over round numbers up to a limit, set to the one nearest to `wanted`."""
    options = [k for k in KS if k <= max(2, most)]
    value = min(options, key=lambda k: abs(k - wanted))
    return W.SelectionSlider(options=options, value=value, description="k")


def mondrian_explorer(data: pd.DataFrame, columns: Columns, *, k: int = 2) -> Explorer:
    """Cut the plane of two columns of numbers, round by round, for any k.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    columns : list of two columns
        First the one on the horizontal axis.
    k : int
        First value of the slider.

    Returns
    -------
    Explorer
        Controls "k", "rounds" of cuts and, if a column has equal values, "relaxed".

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 25, 39, 41], "hours": [40, 20, 40, 10]})
    >>> box = mondrian_explorer(data, ["age", "hours"])
    >>> box.controls["rounds"].value = 12
    >>> "1 cut, 2 regions" in box.summary.value
    True
    """
    names = names_of(data, columns, "columns")
    points = named(data)[names]
    if len(names) != 2 or not all(map(pd.api.types.is_numeric_dtype, points.dtypes)):
        raise ValueError(f"columns must be two columns of numbers; got {listed(names)}.")

    def see(k: int, rounds: int, relaxed: bool = False) -> Seen:
        regions = mondrian_regions(points, [0, 1], k=k, relaxed=relaxed)
        regions = regions[regions["depth"] <= rounds]
        regions = regions.assign(cut=regions["cut"].mask(regions["depth"] == rounds))
        final = regions.loc[regions["cut"].isna(), "records"]
        figure, ax = new_figure((8, 4.8))
        plot_regions(regions, points, ax=ax)
        cuts = plural(len(regions) - len(final), "cut")
        return (
            f"k = {k:,}: <b>{cuts}, {plural(len(final), 'region')}</b>"
            f" of {final.min():,} to {final.max():,} records.",
            figure,
        )

    controls = {"k": _k_control(k, len(data) // 2)}
    controls["rounds"] = W.IntSlider(0, 0, 12, description="rounds of cuts")
    if any(points[name].duplicated().any() for name in points):
        text = "relaxed: equal values may be parted"
        controls["relaxed"] = W.Checkbox(description=text, indent=False)
    return explorer(see, **controls)


def search_explorer(nodes: pd.DataFrame) -> Explorer:
    """Follow a search through its lattice, look by look.

    Parameters
    ----------
    nodes : DataFrame of shape (n_nodes, any)
        As for `plot_lattice`, with `order`, `satisfied` and `loss`.

    Returns
    -------
    Explorer
        Control "looks".

    Examples
    --------
    >>> nodes = pd.DataFrame({"order": [2, 1], "satisfied": [False, True], "loss": [0, 0.5]})
    >>> box = search_explorer(nodes)
    >>> box.controls["looks"].value = 2
    >>> box.summary.value
    'After 2 looks at 2 nodes: the best release so far is at <b>1</b>, loss 50 %.'
    """

    def see(looks: int) -> Seen:
        known = nodes["order"] <= looks  # what the search finds later is not shown
        seen = nodes.assign(order=nodes["order"].where(known), loss=nodes["loss"].where(known))
        if "settled" in nodes:
            seen["settled"] = nodes["settled"].where(nodes["settled"] <= looks)
        figure, ax = new_figure((8, 6.2))
        plot_lattice(seen, ax=ax)
        good = seen[seen["satisfied"] & known]
        best = "no release keeps what is asked for yet."
        if len(good):
            node, loss = good["loss"].idxmin(), percent(good["loss"].min())
            name = " ".join(map(str, node)) if isinstance(node, tuple) else str(node)
            best = f"the best release so far is at <b>{escaped(name)}</b>, loss {loss}."
        return f"After {plural(looks, 'look')} at {len(nodes):,} nodes: {best}", figure

    total = int(nodes["order"].notna().sum())
    return explorer(see, looks=W.IntSlider(0, 0, total, description="looks of the search"))
