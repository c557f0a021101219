"""Explorers of information gain: a cell, the PIF, a prior, and recodings.

`explorer` is the one place that knows ipywidgets: it renders the figure of the current
setting into an `Image` and its sentence into an `HTML`, whose values a notebook stores. Every
`*_explorer` maps controls to a `*_figure` and a `*_summary`, which need no notebook. The cell
that follows may move a control and read the sentence::

    box = pif_explorer(data)
    box.controls["n"].value = 50
    box.summary.value
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_column
from ..anonymisation.recode import (
    bin_column,
    drop_columns,
    group_column,
    group_rare_values,
    truncate_column,
)
from ..anonymisation.utility import information_risk, marginal_similarity
from ..information.pif import (
    cell_information_gain,
    cell_surprise_factor,
    check_gains,
    information_gain_terms,
    personal_information_factor,
    row_information_gain,
    same_context,
)
from ..plots import _style as style
from ..plots._style import BLUE, VERMILLION as RED, value_label
from ..plots.information import plot_gain_terms, plot_posteriors, plot_rig, plot_treatments
from ._explorer import SIZE, Explorer, _escaped, _with_distinct_names, explorer, new_figure

MEASURES: dict[str, tuple[Any, str, str]] = {  # function, axis, unit in a sentence
    "CIG": (cell_information_gain, "Cell information gain (bits)", " bits"),
    "CSF": (cell_surprise_factor, "Cell surprise factor (probability)", ""),
}


MENU = 50  # records that fit in a menu; of more, one is picked by its number


LISTED = 10  # records of a cohort, and values of a feature, that are shown


def cell_figure(
    data: pd.DataFrame, row: int, feature: Any, *, priors: Any = None, weights: Any = None
) -> Figure:
    """Prior and posterior of one cell (probabilities), and the terms of its gain (bits).

    Parameters
    ----------
    data, priors, weights
        As for `cell_information_gain`.
    row : int
        Position of the record.
    feature : column
        Name or position of the column whose cell the attacker lacks.
    """
    terms = information_gain_terms(data, row, feature, priors=priors, weights=weights)
    size = terms["term_bits"].abs().to_numpy() + terms["prior"].to_numpy() / 1e6
    size[_own_term(data, row, feature, terms)] = np.inf
    few = _few_values(terms, size)
    fig, (left, right) = new_figure(SIZE, 1, 2)
    plot_posteriors(few[["posterior"]].T, prior=few["prior"], ax=left)
    own = value_label(terms.index[_own_term(data, row, feature, terms)])
    for label in left.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() == own else "normal")
    left.set_xlabel("Probability (bold: what the record holds)")
    plot_gain_terms(few, ax=right)
    return fig


def cell_summary(
    data: pd.DataFrame, row: int, feature: Any, *, priors: Any = None, weights: Any = None
) -> str:
    """The cohort of one cell, its CIG and its CSF, as HTML; parameters of `cell_figure`."""
    terms = information_gain_terms(data, row, feature, priors=priors, weights=weights)
    own = terms.iloc[_own_term(data, row, feature, terms)]
    crowd = same_context(data, row, feature)
    value, name = _escaped(own.name), _escaped(feature)
    listed = crowd.head(LISTED).map(value_label).to_html(border=0, justify="left")
    listed = re.sub("<(t[hd])>", r'<\1 style="padding: 0 1em 0 0; text-align: left">', listed)
    more = f"<br>… and {len(crowd) - LISTED:,} more" if len(crowd) > LISTED else ""
    return (
        f"Record {row}: <b>{name} = {value}</b>. The rest of the row fits"
        f" {_of(len(crowd), len(data))}:{listed}{more}"
        f"<b>CIG = {terms['term_bits'].sum():.2f} bits</b>,"
        f" <b>CSF = {abs(own['posterior'] - own['prior']):.2f}</b>: the probability of {value}"
        f" goes from {own['prior']:.3g} to {own['posterior']:.3g}."
    )


def cell_explorer(data: pd.DataFrame, *, priors: Any = None, weights: Any = None) -> Explorer:
    """Pick a cell: who shares the rest of the row, and what does that give away?

    Parameters
    ----------
    data, priors, weights
        As for `cell_information_gain`.

    Returns
    -------
    Explorer
        Controls "row" (position of the record) and "feature".

    Examples
    --------
    >>> people = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> box = cell_explorer(people)
    >>> box.controls["row"].value, box.controls["feature"].value = 2, "illness"
    >>> "CIG = 1.58 bits" in box.summary.value
    True
    """
    table, by_column = _with_distinct_names(data, priors)
    row = W.BoundedIntText(0, min=0, max=len(table) - 1, description="row")
    if len(table) <= MENU:
        cells = table.map(lambda cell: value_label(cell, 16)).to_numpy()
        options = [(f"{i}: {', '.join(cells[i, :8])}", i) for i in range(len(table))]
        row = W.Dropdown(options=options, description="row")
    known = {"priors": by_column, "weights": weights}
    return explorer(
        partial(cell_figure, table, **known),
        partial(cell_summary, table, **known),
        row=row,
        feature=W.Dropdown(options=list(table.columns), description="feature"),
    )


def pif_figure(cig: pd.DataFrame, n: float) -> Figure:
    """Distribution of row information gain (bits) with PIF_n.

    Parameters
    ----------
    cig : DataFrame of shape (n_records, n_features)
        Result of `cell_information_gain`.
    n : float
        A percentile: 0, or from 1 to 100.
    """
    fig, ax = new_figure(SIZE)
    pif = personal_information_factor(cig, n)
    plot_rig(row_information_gain(cig), pif=pif, n=n, ax=ax)
    return fig


def pif_summary(cig: pd.DataFrame, n: float) -> str:
    """PIF_n in words, as HTML; parameters of `pif_figure`.

    Examples
    --------
    >>> pif_summary(pd.DataFrame({"town": [0.5, 0.5, 0.5, 3.5]}), 50)
    '<b>PIF<sub>50</sub> = 0.50 bits</b>: 1 of 4 records (25 %) reveals more.'
    """
    pif, rig = personal_information_factor(cig, n), row_information_gain(cig)
    more = int((rig > pif).sum())
    verb = "reveals" if more == 1 else "reveal"
    return (
        f"<b>PIF<sub>{n:g}</sub> = {pif:.2f} bits</b>: {_of(more, len(rig))}"
        f" ({100 * more / len(rig):.3g} %) {verb} more."
    )


def pif_explorer(
    data: pd.DataFrame | None = None, *, cig: pd.DataFrame | None = None
) -> Explorer:
    """Slide the percentile n and watch PIF_n move.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), optional
        The table.
    cig : DataFrame of shape (n_records, n_features), optional
        Its cell information gain in bits, if that is there already: give one of the two.

    Returns
    -------
    Explorer
        Control "n", in percent.
    """
    if (data is None) == (cig is None):
        raise ValueError("Give either data or cig=, the result of cell_information_gain.")
    gains = check_gains(cig) if data is None else cell_information_gain(data)
    slider = W.IntSlider(95, 0, 100, description="n (%)")
    return explorer(partial(pif_figure, gains), partial(pif_summary, gains), n=slider)


def prior_figure(
    data: pd.DataFrame,
    feature: Any,
    prior: Mapping[Any, float] | None,
    accuracy: float,
    measure: str = "CIG",
) -> Figure:
    """Beliefs about a feature in three records (probabilities); its measure by accuracy.

    The records are those of the largest, the median and the smallest gain or surprise. On the
    right the accuracy runs from 0 to 1, and dots mark the one that is set.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    feature : column
        Name or position.
    prior : mapping or None
        Probability of each value; None takes the distribution in the table.
    accuracy : float
        Probability, 0 to 1, that the record the attacker knows is right.
    measure : {"CIG", "CSF"}
        What is drawn by accuracy: the gain in bits, or the surprise, a probability.
    """
    gains = _gains(data, feature, prior, accuracy, measure)
    order = np.argsort(-gains, kind="stable")
    middle, last = order[len(order) // 2], order[-1]
    # A dictionary keeps one record of each gain.
    typical = {round(gains[row], 12): row for row in (last, middle, order[0])}
    known = _known(feature, prior, accuracy)
    beliefs = {}
    for row in map(int, reversed(typical.values())):
        terms = information_gain_terms(data, row, feature, **known)
        beliefs[_rest_of(data, row, feature)] = terms["posterior"]
    table = pd.DataFrame({**beliefs, "prior": terms["prior"]})
    few = _few_values(table, table.max(axis=1).to_numpy())
    fig, (left, right) = new_figure(SIZE, 1, 2)
    plot_posteriors(few.drop(columns="prior").T, prior=few["prior"], ax=left)
    steps = np.linspace(0, 1, 21)  # those of the slider
    by_accuracy = [_gains(data, feature, prior, step, measure) for step in steps]
    drawn = (("largest", np.max, RED, "-"), ("mean", np.mean, BLUE, "--"))
    for name, of, colour, line in drawn:
        right.plot(steps, [of(step) for step in by_accuracy], line, color=colour, label=name)
        right.plot(accuracy, of(gains), "o", color=colour)
    right.set(xlabel="Accuracy (probability)", ylabel=MEASURES[measure][1])
    style.finished(right, "plain", legend={})
    return fig


def prior_summary(
    data: pd.DataFrame,
    feature: Any,
    prior: Mapping[Any, float] | None,
    accuracy: float,
    measure: str = "CIG",
) -> str:
    """The gain or surprise about a feature, as HTML; parameters of `prior_figure`."""
    gains = _gains(data, feature, prior, accuracy, measure)
    certain = _gains(data, feature, prior, 1.0, measure)
    unit = MEASURES[measure][2]
    source = "the table itself"
    if prior is not None:
        shares = [f"{_escaped(value)} {share:.3g}" for value, share in prior.items()]
        source = ", ".join(shares[:4] + ["…"] * (len(shares) > 4))
    return (
        f"Prior of <b>{_escaped(feature)}</b>: {source}. Accuracy {accuracy:.2f}:"
        f" <b>mean {measure} = {gains.mean():.3g}{unit}</b>, largest {gains.max():.3g}{unit}"
        f" (record {gains.argmax()}). At accuracy 1 it would be {certain.mean():.3g} and"
        f" {certain.max():.3g}{unit}."
    )


def prior_explorer(
    data: pd.DataFrame,
    census: Mapping[Any, Mapping[str, Mapping[Any, float]]] | list[Any],
    *,
    measure: str = "CIG",
) -> Explorer:
    """Switch the prior of a feature, and doubt the records.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    census : mapping or list
        ``{column: {label: {value: probability}}}``: the priors that can be chosen beside
        "empirical", that of the table. Columns by name or position (a name wins), or a list
        with one entry or None per column.
    measure : {"CIG", "CSF"}
        What to watch: the gain in bits, or the surprise, a probability.

    Returns
    -------
    Explorer
        Controls "feature", "prior" (a label) and "accuracy" (0 to 1).

    Examples
    --------
    >>> people = pd.DataFrame({"sex": list("mffm"), "job": list("aabb")})
    >>> box = prior_explorer(people, {"sex": {"census": {"m": 0.51, "f": 0.49}}})
    >>> box.controls["prior"].value = "census"
    >>> box.controls["accuracy"].value = 0.0
    >>> "mean CIG = 0 bits" in box.summary.value
    True
    """
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {[*MEASURES]}; got {measure!r}.")
    table, given = _with_distinct_names(data, census, "census")
    pairs = zip(table.columns, given, strict=True)
    choices = {name: {"empirical": None, **priors} for name, priors in pairs if priors}
    if not choices:
        raise ValueError("census is empty; give {column: {label: {value: probability}}}.")
    for name, priors in choices.items():
        for label, prior in priors.items():
            if not isinstance(prior, (Mapping, pd.Series, type(None))):
                raise TypeError(
                    f"census: {name!r} needs {{label: {{value: probability}}}}; its {label!r}"
                    f" is a {type(prior).__name__}."
                )

    def setting(feature: str, prior: str, accuracy: float) -> tuple[Any, ...]:
        known = choices[feature]
        if prior not in known:
            raise ValueError(f"{feature} has no prior {prior!r}, only {list(known)}.")
        return table, feature, known[prior], accuracy, measure

    labels = dict.fromkeys(label for priors in choices.values() for label in priors)
    return explorer(
        lambda told: prior_figure(*told),
        lambda told: prior_summary(*told),
        setting,
        feature=W.Dropdown(options=list(choices), description="feature"),
        prior=W.Dropdown(options=list(labels), description="prior"),
        accuracy=W.FloatSlider(1, min=0, max=1, step=0.05, description="accuracy"),
    )


def treatment_figure(outcomes: pd.DataFrame, now: str) -> Figure:
    """Treatments on the plane of risk (mean RIG in bits) and utility, one of them ringed.

    The others are numbered in the order in which they were tried.

    A dropped column leaves no marginals that could be wrong, so the utility drawn is the
    product of `marginals` and `columns_kept`.

    Parameters
    ----------
    outcomes : DataFrame of shape (n_treatments, 5)
        Results of `treatment_outcome`, a row per treatment, indexed by its name; that of
        the untreated table comes first.
    now : str
        The treatment to ring.
    """
    utility = outcomes["marginals"] * outcomes["columns_kept"]
    plane = pd.DataFrame({"risk": outcomes["mean_rig"], "utility": utility})
    fig, ax = new_figure(SIZE)
    ring: dict[str, Any] = {"s": 180, "facecolor": "none", "edgecolor": RED, "linewidth": 2}
    ax.scatter(*plane.loc[now], label="now", **ring)
    plane.index = pd.Index(_names_on_plane(outcomes, now))
    highest = plane["risk"].max() or 1  # axes that stay as they are while treatments move
    ax.set(xlim=(-0.04 * highest, 1.12 * highest), ylim=(-0.04, 1.12))
    plot_treatments(plane, unit="bits, mean row information gain", ax=ax)
    ax.set_ylabel("Utility (marginals × columns kept)")
    style.small_legend(ax, **style.ABOVE_RIGHT)
    return fig


def _names_on_plane(outcomes: pd.DataFrame, now: str) -> list[str]:
    """Short names of treatments: the first, the present one, and a number for each other."""
    numbered = [str(number) for number in range(len(outcomes))]
    numbered[0] = UNTREATED
    numbered[list(outcomes.index).index(now)] = "now" if now != UNTREATED else UNTREATED
    return numbered


def treatment_summary(outcomes: pd.DataFrame, now: str) -> str:
    """One treatment against the first, as HTML; parameters of `treatment_figure`."""
    first, this = outcomes.iloc[0], outcomes.loc[now]
    return (
        f"<b>{_escaped(now, 200)}</b>: mean RIG = {this['mean_rig']:.2f} bits"
        f" (was {first['mean_rig']:.2f}), PIF<sub>95</sub> = {this['pif95']:.2f} bits (was"
        f" {first['pif95']:.2f}), CSF &gt; .5 in {100 * this['surprising_cells']:.3g} % of the"
        f" cells (was {100 * first['surprising_cells']:.3g} %). Marginals kept"
        f" {100 * this['marginals']:.3g} %, columns kept {100 * this['columns_kept']:.3g} %."
        f"{_tried_before(outcomes, now)}"
    )


def _tried_before(outcomes: pd.DataFrame, now: str) -> str:
    """What the numbers on the plane stand for, as HTML."""
    named = zip(_names_on_plane(outcomes, now), outcomes.index, strict=True)
    listed = [f"{short}: {_escaped(name, 200)}" for short, name in named if short.isdigit()]
    return f"<br>Tried before: {'; '.join(listed)}." if listed else ""


def treatment_explorer(data: pd.DataFrame) -> Explorer:
    """Drop, bin, truncate or pool columns, and watch risk and utility.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.

    Returns
    -------
    Explorer
        A control per column, of its name, with the treatments of `treat` that make sense for
        it. The figure keeps the untreated table and the last few treatments.

    Examples
    --------
    >>> people = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> box = treatment_explorer(people)
    >>> box.controls["town"].value = "drop"
    >>> "columns kept 50 %" in box.summary.value
    True
    """
    table, _ = _with_distinct_names(data, None)
    tried: dict[str, dict[str, float]] = {}

    def outcomes(**setting: Any) -> tuple[pd.DataFrame, str]:
        now = _described(setting)
        outcome = tried.pop(now) if now in tried else treatment_outcome(table, setting)
        tried[now] = outcome  # the latest stands last
        recent = [name for name in tried if name != UNTREATED][-TRAIL:]
        names = [UNTREATED, *recent]
        return pd.DataFrame([tried[name] for name in names], index=names), now

    menus = {
        name: W.Dropdown(options=_choices(table[name]), description=name)
        for name in table.columns
    }
    return explorer(
        lambda told: treatment_figure(*told),
        lambda told: treatment_summary(*told),
        outcomes,
        **menus,
    )


def treatment_outcome(data: pd.DataFrame, setting: Mapping[Any, Any]) -> dict[str, float]:
    """Risk and utility of one treatment; parameters of `treat`.

    Returns
    -------
    dict
        `mean_rig`, `pif95` (bits), `surprising_cells`, `marginals`, `columns_kept` (shares):
        the fields of `information_risk` and `marginal_similarity`.
    """
    treated = treat(data, setting)
    return information_risk(treated)._asdict() | marginal_similarity(data, treated)._asdict()


def treat(data: pd.DataFrame, setting: Mapping[Any, Any]) -> pd.DataFrame:
    """Treat the columns of a table as the treatment lab does.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    setting : mapping
        ``{column: treatment}``, where a treatment is "keep", "drop", "flag" (present or
        missing), or one of ("bin", width), ("truncate", characters) and ("pool", records),
        which pools the values of fewer records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 39], "town": ["Bonn", "Berne"]})
    >>> treat(people, {"age": "drop", "town": ("truncate", 1)})
        town
    0  B****
    1  B****
    """
    treated = data
    for column, treatment in setting.items():
        action, amount = (treatment, None) if isinstance(treatment, str) else treatment
        if action not in ACTIONS:
            raise ValueError(f"There is no treatment {action!r}; choose of {list(ACTIONS)}.")
        treated = ACTIONS[action](treated, column, amount)
    gone = [column for column, treatment in setting.items() if treatment == "drop"]
    return drop_columns(treated, gone) if gone else treated


def _truncate(data: pd.DataFrame, column: Any, keep: int) -> pd.DataFrame:
    cells = data[column]
    is_code = pd.api.types.is_integer_dtype(cells)
    digits = int(cells.astype(str).str.len().max()) if is_code else None
    return truncate_column(data, column, keep, digits=digits)


ACTIONS: dict[str, Callable[[pd.DataFrame, Any, Any], pd.DataFrame]] = {
    "keep": lambda data, column, _: data,
    "drop": lambda data, column, _: data,  # after all others, in one go
    "bin": bin_column,
    "truncate": _truncate,
    "pool": lambda data, column, k: group_rare_values(data, column, fewer_than=k),
    "flag": lambda data, column, _: group_column(
        data, column, {None: "missing"}, other="present"
    ),
}


UNTREATED, TRAIL = "untreated", 6


def _choices(column: pd.Series) -> list[tuple[str, Any]]:
    """Treatments that change this column, as the menu shows them."""
    records = column.value_counts(dropna=False)
    values = records.index.dropna()
    choices: list[tuple[str, Any]] = [("keep", "keep"), ("drop", "drop")]
    yes_or_no = pd.api.types.is_bool_dtype(column)
    if pd.api.types.is_numeric_dtype(column) and not yes_or_no:
        choices += [(f"bins of {width:g}", ("bin", width)) for width in _widths(values)]
    longest = max((len(str(value)) for value in values), default=0)
    for keep in range(1, 1 if yes_or_no else min(4, longest)):
        choices.append((f"first {keep} character{'s' * (keep > 1)}", ("truncate", keep)))
    for least in (10, 100, 1000):
        if records.min() < least <= len(column):
            choices.append((f"pool values of < {least} records", ("pool", least)))
    if column.isna().any():
        choices.append(("present or missing", "flag"))
    return choices


def _widths(values: pd.Index) -> list[float]:
    """Round widths that cut the range of some numbers into 2 to 25 bins."""
    numbers = values.to_numpy(dtype=float)
    span = float(np.ptp(numbers[np.isfinite(numbers)])) if np.isfinite(numbers).any() else 0.0
    if span == 0:
        return []
    ten = math.floor(math.log10(span))
    widths = [step * 10.0**power for power in (ten - 2, ten - 1, ten) for step in (1, 2, 5)]
    whole = pd.api.types.is_integer_dtype(values.dtype)
    fit = [width for width in widths if 2 <= span / width <= 25 and (width > 1 or not whole)]
    return [int(width) if width == int(width) else width for width in fit]


def _described(setting: Mapping[str, Any]) -> str:
    said = {"bin": "{0} by {1:g}", "truncate": "{0} first {1}", "pool": "{0} pooled < {1}"}
    words = []
    for name, treatment in setting.items():
        if not isinstance(treatment, str):
            words.append(said[treatment[0]].format(name, treatment[1]))
        elif treatment != "keep":
            words.append(f"{treatment} {name}")
    return ", ".join(words) or UNTREATED


def _known(feature: Any, prior: Mapping[Any, float] | None, accuracy: float) -> dict[str, Any]:
    """What is known of a feature before its cells are seen."""
    priors = None if prior is None else {feature: prior}
    return {"priors": priors, "accuracies": {feature: accuracy}}


def _of(count: int, everyone: int) -> str:
    return f"{count:,} of {everyone:,} record{'s' * (everyone != 1)}"


def _rest_of(data: pd.DataFrame, row: int, feature: Any) -> str:
    """Name of a record by what the attacker knows of it: the context, shortened."""
    known = data.drop(columns=data.columns[check_column(data, feature, "feature")]).iloc[row]
    said = [value_label(value, 12) for value in known]
    return f"{row}: {', '.join(said[:3] + ['…'] * (len(said) > 3))}"


def _gains(
    data: pd.DataFrame, feature: Any, prior: Any, accuracy: float, measure: str = "CIG"
) -> Any:
    cig = MEASURES[measure][0](data, **_known(feature, prior, accuracy))
    return cig.iloc[:, check_column(data, feature, "feature")].to_numpy()


def _own_term(data: pd.DataFrame, row: int, feature: Any, terms: pd.DataFrame) -> int:
    """Position of the cell's own value among the terms."""
    own: Any = data.iloc[row, check_column(data, feature, "feature")]
    if pd.api.types.is_scalar(own) and pd.isna(own):
        return int(terms.index.isna().argmax())
    return next(i for i, value in enumerate(terms.index) if value == own)


def _few_values(table: pd.DataFrame, size: Any) -> pd.DataFrame:
    """Keep and label the largest rows, in their order; sum the others as a last row."""
    order = np.argsort(-size, kind="stable")
    kept, others = np.sort(order[:LISTED]), order[LISTED:]
    few = table.iloc[kept].set_axis([value_label(value) for value in table.index[kept]])
    if not others.size:
        return few
    rest = table.iloc[others].sum().to_frame(f"{others.size:,} others").T
    return pd.concat([few, rest])
