"""Explorers of anonymisation: generalisation by hand, lattice search, Mondrian.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_columns, check_table, check_whole
from ..anonymisation.mondrian import cuts_until as cuts_until, mondrian_regions
from ..anonymisation.recode import check_numeric, generalise, suppress
from ..anonymisation.utility import cell_losses
from ..classes import equivalence_class
from ..disclosure.identity import k_anonymity
from ..plots import anonymisation as plots
from ..plots._style import percent, value_label
from ..plots.disclosure import plot_class_sizes
from ._explorer import Explorer, explorer, new_figure

SIZE = (8, 3.9)


KS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


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
    ids = equivalence_class(table, names).to_numpy()
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


def generalisation_figure(
    seen: Generalised, colours: Mapping[Any, str] | None = None
) -> Figure:
    """Who stands with whom, and what each column has lost; of a `Generalised`.

    A small table is written out; of a larger one the sizes of the classes are drawn. Bars
    have the colours of their columns, where there are.
    """
    fig, (left, right) = new_figure(SIZE, 1, 2, width_ratios=[1.5, 1])
    if len(seen.data) <= plots.ROWS:
        plots.plot_crowds(seen.data, seen.classes, k=seen.k, ax=left)
    else:
        plot_class_sizes(pd.Series(np.bincount(seen.classes)), ax=left)
    plots.plot_column_losses(seen.losses, total=seen.loss, colours=colours, ax=right)
    return fig


def generalisation_summary(seen: Generalised) -> str:
    """Company, suppression and loss in words, as HTML; of a `Generalised`.

    Examples
    --------
    >>> zips = [["11", "1*"], ["12", "1*"]]
    >>> data = pd.DataFrame({"zip": ["11", "12"]})
    >>> generalisation_summary(generalised(data, {"zip": zips}, {"zip": 1}, k=2))
    'The smallest class has <b>k = 2</b>. None of 2 records has to go. <b>Loss 100 %.</b>'
    """
    n, gone = len(seen.data), int(seen.suppressed.sum())
    smallest = f"The smallest class has <b>k = {seen.k_before:,}</b>."
    loss = f"<b>Loss {percent(seen.loss)}.</b>"
    if not gone:
        return f"{smallest} None of {n:,} records has to go. {loss}"
    who = f"<b>{gone:,} of {n:,} records ({percent(gone / n)})</b>"
    have = "has" if gone == 1 else "have"
    after = "nobody is left" if seen.k_after is None else f"k = {seen.k_after:,} is left"
    return (
        f"{smallest} For k ≥ {seen.k:,}, {who} {have} to be suppressed: {after}."
        f" {loss} (Suppressed records count as lost in full.)"
    )


def generalisation_explorer(
    data: pd.DataFrame,
    hierarchies: Mapping[Any, Any],
    *,
    k: int = 2,
    captions: Mapping[Any, Any] | None = None,
    colours: Mapping[Any, str] | None = None,
) -> Explorer:
    """Move each column up its hierarchy: who is left alone, and what is lost?

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    hierarchies : mapping
        From each quasi-identifier to its table of values x levels.
    k : int
        At first.
    captions : mapping, optional
        From column to what its control is called, and a text for each level. Else the control
        has the name of the column, and levels show what becomes of the first record.
    colours : mapping, optional
        From column to the colour of its bar.

    Returns
    -------
    Explorer
        A control for each column, under its name: a slider of levels, or where there is one
        level above the values, a box to tick; and "k".

    Examples
    --------
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"], "sex": list("fff")})
    >>> trees = {"zip": [["11", "1*"], ["12", "1*"], ["20", "2*"]], "sex": [["f", "*"]]}
    >>> box = generalisation_explorer(data, trees)
    >>> box.controls["zip"].value = True
    >>> "1 of 3 records (33 %)" in box.summary.value
    True
    """
    positions = check_columns(check_table(data), list(hierarchies), "hierarchies")
    names = [data.columns[j] for j in positions]
    wanted = {} if captions is None else captions
    sliders = [_level_control(data, hierarchies, name, wanted.get(name)) for name in names]
    controls = {f"column {j}": slider for j, slider in enumerate(sliders)}
    controls["k"] = _k_control(k, len(data))

    def seen(k: int, **setting: Any) -> Generalised:
        levels = dict(zip(names, map(int, setting.values()), strict=True))
        return generalised(data, hierarchies, levels, k)

    def figure(now: Generalised) -> Figure:
        return generalisation_figure(now, colours)

    box = explorer(figure, generalisation_summary, seen, **controls)
    box.controls = dict(zip([*names, "k"], controls.values(), strict=True))
    return box


def mondrian_figure(
    regions: pd.DataFrame, points: pd.DataFrame, colours: Mapping[Any, str] | None = None
) -> Figure:
    """Regions around records, as `plot_regions` draws them.

    Parameters
    ----------
    regions : DataFrame
        Result of `mondrian_regions` or `cuts_until`.
    points : DataFrame of shape (n_records, 2)
        The records.
    colours : mapping, optional
        From column to the colour of its cuts.
    """
    fig, ax = new_figure((8, 4.8))
    plots.plot_regions(regions, points, colours=colours, ax=ax)
    return fig


def mondrian_summary(regions: pd.DataFrame, k: int) -> str:
    """Cuts and classes in words, as HTML; `regions` as for `mondrian_figure`.

    Examples
    --------
    >>> regions = mondrian_regions(pd.DataFrame({"age": [17, 25, 39, 41]}), "age", k=2)
    >>> mondrian_summary(regions, 2)
    'k = 2: <b>1 cut, 2 regions</b> of 2 to 2 records.'
    """
    final = regions[regions["cut"].isna()]
    cuts, least, most = len(regions) - len(final), *final["records"].agg(["min", "max"])
    said = f"{cuts:,} cut{'s' * (cuts != 1)}, {len(final):,} region{'s' * (len(final) != 1)}"
    return f"k = {k:,}: <b>{said}</b> of {least:,} to {most:,} records."


def mondrian_explorer(
    data: pd.DataFrame, columns: Any, *, k: int = 2, colours: Mapping[Any, str] | None = None
) -> Explorer:
    """Cut the plane of two columns of numbers, round by round, for any k.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    columns : list of two columns
        First the one that goes to the right.
    k : int
        At first.
    colours : mapping, optional
        From column to the colour of its cuts.

    Returns
    -------
    Explorer
        Controls "k", "rounds" of cuts, and "relaxed".

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 25, 39, 41], "hours": [40, 20, 40, 10]})
    >>> box = mondrian_explorer(data, ["age", "hours"])
    >>> box.controls["rounds"].value = 12
    >>> "1 cut, 2 regions" in box.summary.value
    True
    """
    positions = check_columns(check_table(data), columns, "columns")
    if len(positions) != 2:
        raise ValueError(f"columns must be two; got {len(positions)}.")
    points = data.iloc[:, positions]
    for j in (0, 1):
        check_numeric(points.iloc[:, j], points.columns[j])

    def seen(k: int, rounds: int, relaxed: bool) -> tuple[pd.DataFrame, int]:
        return cuts_until(mondrian_regions(points, [0, 1], k=k, relaxed=relaxed), rounds), k

    return explorer(
        lambda told: mondrian_figure(told[0], points, colours),
        lambda told: mondrian_summary(*told),
        seen,
        k=_k_control(k, len(data) // 2),
        rounds=W.IntSlider(0, 0, 12, description="rounds of cuts"),
        relaxed=W.Checkbox(description="relaxed: equal values may be parted", indent=False),
    )


def search_figure(nodes: pd.DataFrame, looks: int) -> Figure:
    """Draw the lattice as known after some looks; parameters of `search_summary`."""
    fig, ax = new_figure((8, 6.2))
    plots.plot_lattice(_seen(nodes, looks), ax=ax)
    return fig


def search_summary(nodes: pd.DataFrame, looks: int) -> str:
    """What the search knows after some looks, as HTML.

    Parameters
    ----------
    nodes : DataFrame of shape (n_nodes, any)
        As for `plot_lattice`, with `order`, `satisfied` and `loss`.
    looks : int
        How many nodes it has looked at.

    Examples
    --------
    >>> nodes = pd.DataFrame({"order": [2, 1], "satisfied": [False, True], "loss": [0, 0.5]})
    >>> search_summary(nodes, 1)
    'After 1 look at 2 nodes: the best release so far is at <b>1</b>, loss 50 %.'
    """
    seen = _seen(nodes, looks)
    said = f"After {looks:,} look{'s' * (looks != 1)} at {len(nodes):,} nodes:"
    good = seen[seen["satisfied"] & seen["order"].notna()]
    if good.empty:
        return f"{said} no release keeps what is asked for yet."
    best = np.atleast_1d(np.array(good["loss"].idxmin()))
    where, loss = html.escape(" ".join(map(str, best.tolist()))), percent(good["loss"].min())
    return f"{said} the best release so far is at <b>{where}</b>, loss {loss}."


def search_explorer(nodes: pd.DataFrame) -> Explorer:
    """Follow a search through its lattice, look by look.

    Parameters
    ----------
    nodes : DataFrame of shape (n_nodes, any)
        As for `search_summary`.

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
    total = int(nodes["order"].notna().sum())
    looks = W.IntSlider(0, 0, total, description="looks of the search")
    return explorer(partial(search_figure, nodes), partial(search_summary, nodes), looks=looks)


def _seen(nodes: pd.DataFrame, looks: int) -> pd.DataFrame:
    """Forget what a search finds later."""
    known = nodes["order"] <= looks
    seen = nodes.assign(order=nodes["order"].where(known), loss=nodes["loss"].where(known))
    if "settled" in nodes:
        seen["settled"] = nodes["settled"].where(nodes["settled"] <= looks)
    return seen


def _level_control(data: pd.DataFrame, hierarchies: Any, name: Any, caption: Any) -> Any:
    """A slider of the levels of a column, or a box where there are two."""
    height = pd.DataFrame(hierarchies[name]).shape[1]
    called, texts = caption or (value_label(name, 40), list[str]())
    for level in range(0 if caption else height):
        first = generalise(data.iloc[:1], hierarchies, {name: level})[name].iloc[0]
        texts.append(value_label(first, 24))
    if height == 2:
        words = called if caption else f"drop {called}"
        return W.Checkbox(description=words, indent=False)
    options = [(f"{text}", level) for level, text in enumerate(texts)]
    return W.SelectionSlider(options=options, value=0, description=called)


def _k_control(wanted: int, most: int) -> Any:
    """A slider of the ks up to some number, at the one that is nearest to what is wanted."""
    options = [k for k in KS if k <= max(2, most)]
    value = min(options, key=lambda k: abs(k - wanted))
    return W.SelectionSlider(options=options, value=value, description="k")
