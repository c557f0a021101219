"""Explorers of information gain: a cell, the PIF, a prior, and recodings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .. import anonymisation, information
from ..plots._style import ABOVE_RIGHT, BLUE, VERMILLION, value_label, with_others
from ..plots.information import plot_gain_terms, plot_posteriors, plot_rig, plot_treatments
from ._explorer import Explorer, Seen, escaped, explorer, named, new_figure, plural

SIZE = (8.5, 3.4)  # inches
MENU = 50  # records in a menu; of more records, one is picked by number
LISTED = 10  # records of a context, and values of a feature, that are shown
UNTREATED, TRAIL = "untreated", 6


def cell_explorer(data: pd.DataFrame) -> Explorer:
    """Pick a cell: which records share the rest of its row, and what this discloses.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.

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
    table = named(data)
    picked = W.BoundedIntText(0, min=0, max=len(table) - 1, description="row")
    if len(table) <= MENU:
        cells = table.map(lambda cell: value_label(cell, 16)).to_numpy()
        options = [(f"{i}: {', '.join(cells[i, :8])}", i) for i in range(len(table))]
        picked = W.Dropdown(options=options, description="row")

    def see(row: int, feature: str) -> Seen:
        terms = information.information_gain_terms(table, row, feature)
        place = _own_term(table[feature].iloc[row], terms.index)
        size = terms["term_bits"].abs().to_numpy() + terms["prior"].to_numpy() / 1e6
        size[place] = np.inf  # the value of the record is always shown
        labels = [*map(value_label, terms.index)]
        few, own = with_others(terms.set_axis(labels), size, LISTED + 1), labels[place]
        figure, (left, right) = new_figure(SIZE, 1, 2)
        plot_posteriors(few[["posterior"]].T, prior=few["prior"], ax=left)
        for label in left.get_yticklabels():
            label.set_fontweight("bold" if label.get_text() == own else "normal")
        left.set_xlabel("Probability (bold: what the record holds)")
        plot_gain_terms(few, ax=right)
        return _cell_text(table, row, feature, terms, place), figure

    features = W.Dropdown(options=[*table.columns], description="feature")
    return explorer(see, row=picked, feature=features)


def _cell_text(table: pd.DataFrame, row: int, feature: str, terms: Any, place: int) -> str:
    """The context of one cell, its CIG and its CSF in words."""
    context, own = information.same_context(table, row, feature), terms.iloc[place]
    value, name = escaped(own.name), escaped(feature)
    rows = context.head(LISTED).map(value_label).to_html(border=0, justify="left")
    rows = re.sub("<(t[hd])>", r'<\1 style="padding: 0 1em 0 0; text-align: left">', rows)
    more = f"<br>… and {len(context) - LISTED:,} more" if len(context) > LISTED else ""
    return (
        f"Record {row}: <b>{name} = {value}</b>. The rest of the row fits"
        f" {len(context):,} of {plural(len(table), 'record')}:{rows}{more}"
        f"<b>CIG = {terms['term_bits'].sum():.2f} bits</b>,"
        f" <b>CSF = {abs(own['posterior'] - own['prior']):.2f}</b>: the probability of {value}"
        f" goes from {own['prior']:.3g} to {own['posterior']:.3g}."
    )


def _own_term(own: Any, values: pd.Index) -> int:
    """Position of the value of a cell among the values of its feature."""
    if pd.api.types.is_scalar(own) and pd.isna(own):
        return int(values.isna().argmax())
    return next(i for i, value in enumerate(values) if value == own)


def pif_explorer(data: pd.DataFrame) -> Explorer:
    """Slide the percentile n and watch PIF_n move.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.

    Returns
    -------
    Explorer
        Control "n", in percent.

    Examples
    --------
    >>> box = pif_explorer(pd.DataFrame({"town": list("AAB"), "ill": list("xxy")}))
    >>> box.controls["n"].value = 50
    >>> box.summary.value
    '<b>PIF<sub>50</sub> = 1.17 bits</b>: 1 of 3 records (33.3 %) reveals more.'
    """
    cig = information.cell_information_gain(data)
    rig = information.row_information_gain(cig)

    def see(n: int) -> Seen:
        pif = information.personal_information_factor(cig, n)
        more = int((rig > pif).sum())
        figure, ax = new_figure(SIZE)
        plot_rig(rig, pif=pif, n=n, ax=ax)
        return (
            f"<b>PIF<sub>{n:g}</sub> = {pif:.2f} bits</b>: {more:,} of"
            f" {plural(len(rig), 'record')} ({100 * more / len(rig):.3g} %)"
            f" {'reveals' if more == 1 else 'reveal'} more.",
            figure,
        )

    return explorer(see, n=W.IntSlider(95, 0, 100, description="n (%)"))


def prior_explorer(
    data: pd.DataFrame, census: Mapping[Any, Mapping[str, Mapping[Any, float]]]
) -> Explorer:
    """Choose the prior of a feature, and how accurate the records are.

    The gain is drawn by accuracy, with dots at the chosen accuracy.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.
    census : mapping
        ``{column: {label: {value: probability}}}``: the priors to choose from, besides
        "empirical", the prior of the table.

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
    table, empirical = named(data), "empirical"
    choices = {value_label(name, 60): {empirical: None, **of} for name, of in census.items()}
    if not choices or not {*choices} <= {*table.columns}:
        raise ValueError(
            f"census must be {{column: {{label: {{value: probability}}}}}} for columns of the"
            f" table; got the columns {[*census]}."
        )

    def see(feature: str, prior: str, accuracy: float) -> Seen:
        if prior not in choices[feature]:
            raise ValueError(f"{feature} has no prior {prior!r}, only {[*choices[feature]]}.")
        shares = choices[feature][prior]
        priors = None if shares is None else {feature: shares}

        def gains(accuracy: float) -> Any:
            options: Any = {"priors": priors, "accuracies": {feature: accuracy}}
            return information.cell_information_gain(table, **options)[feature].to_numpy()

        now, certain = gains(accuracy), gains(1.0)
        steps = np.linspace(0, 1, 21)  # the steps of the slider
        curves = np.array([gains(step) for step in steps])
        figure, ax = new_figure(SIZE)
        for name, of, colour, line in (
            ("largest", np.max, VERMILLION, "-"),
            ("mean", np.mean, BLUE, "--"),
        ):
            ax.plot(steps, of(curves, axis=1), line, color=colour, label=name)
            ax.plot(accuracy, of(now), "o", color=colour)
        ax.set(xlabel="Accuracy (probability)", ylabel="Cell information gain (bits)")
        ax.legend()
        source = "the table itself" if shares is None else _listed(shares)
        return (
            f"Prior of <b>{escaped(feature)}</b>: {source}. Accuracy {accuracy:.2f}:"
            f" <b>mean CIG = {now.mean():.3g} bits</b>, largest {now.max():.3g} bits"
            f" (record {now.argmax()}). At accuracy 1 it would be {certain.mean():.3g} and"
            f" {certain.max():.3g} bits.",
            figure,
        )

    labels = dict.fromkeys(label for priors in choices.values() for label in priors)
    return explorer(
        see,
        feature=W.Dropdown(options=[*choices], description="feature"),
        prior=W.Dropdown(options=[*labels], description="prior"),
        accuracy=W.FloatSlider(1, min=0, max=1, step=0.05, description="accuracy"),
    )


def _listed(shares: Mapping[Any, float]) -> str:
    """The first shares of a prior."""
    words = [f"{escaped(value)} {share:.3g}" for value, share in shares.items()]
    return ", ".join(words[:4] + ["…"] * (len(words) > 4))


def treatment_explorer(data: pd.DataFrame) -> Explorer:
    """Drop, bin, truncate or pool columns, and watch risk and utility.

    A dropped column leaves no marginals that could be wrong, so the utility that is drawn is
    the product of `marginals` and `columns_kept`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table.

    Returns
    -------
    Explorer
        A control per column, under its name, with the treatments that make sense: "keep",
        "drop", "present or missing", and such as "bins of 10", "first 2 characters" and "pool
        values of < 10 records". The figure keeps the untreated table and the last few
        treatments.

    Examples
    --------
    >>> people = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    >>> box = treatment_explorer(people)
    >>> box.controls["town"].value = "drop"
    >>> "columns kept 50 %" in box.summary.value
    True
    """
    table = named(data).reset_index(drop=True)
    versions = {name: _versions(table[[name]]) for name in table}
    tried: dict[str, dict[str, float]] = {}

    def see(**chosen: str) -> Seen:
        words = [f"{name}: {words}" for name, words in chosen.items() if words != "keep"]
        now = ", ".join(words) or UNTREATED
        outcome = tried.pop(now, None)
        if outcome is None:
            left = [versions[name][words] for name, words in chosen.items() if words != "drop"]
            if not left:
                raise ValueError("every column is dropped; leave at least one.")
            treated = pd.concat(left, axis=1)
            utility = anonymisation.marginal_similarity(table, treated)._asdict()
            outcome = {**anonymisation.information_risk(treated)._asdict(), **utility}
        tried[now] = outcome  # the latest stands last
        recent = [name for name in tried if name != UNTREATED][-TRAIL:]
        outcomes = pd.DataFrame(tried).T.loc[[UNTREATED, *recent]]
        short = [UNTREATED, *map(str, range(1, len(outcomes)))]
        place = [*outcomes.index].index(now)
        short[place] = "now" if place else UNTREATED
        figure = _plane(outcomes.set_axis(short), short[place])
        numbered = zip(short, outcomes.index, strict=True)
        before = [f"{at}: {escaped(name, 200)}" for at, name in numbered if at.isdigit()]
        said = f"<br>Tried before: {'; '.join(before)}." if before else ""
        return f"{_outcome_text(now, outcomes.iloc[0], outcomes.iloc[place])}{said}", figure

    menus = {
        f"{name}": W.Dropdown(options=[*treatments], description=name)
        for name, treatments in versions.items()
    }
    return explorer(see, **menus)


def _plane(outcomes: pd.DataFrame, now: str) -> Any:
    """Draw treatments by risk and utility, one of them ringed; the axes stay as they are."""
    utility = outcomes["marginals"] * outcomes["columns_kept"]
    plane = pd.DataFrame({"risk": outcomes["mean_rig"], "utility": utility})
    figure, ax = new_figure(SIZE)
    ring: dict[str, Any] = {"facecolor": "none", "edgecolor": VERMILLION, "linewidth": 2}
    ax.scatter(*plane.loc[now], s=180, label="now", **ring)
    highest = plane["risk"].max() or 1
    ax.set(xlim=(-0.04 * highest, 1.12 * highest), ylim=(-0.04, 1.12))
    plot_treatments(plane, unit="bits, mean row information gain", ax=ax)
    ax.set_ylabel("Utility (marginals × columns kept)")
    ax.legend(**ABOVE_RIGHT)
    return figure


def _outcome_text(now: str, first: pd.Series, this: pd.Series) -> str:
    """One treatment against the untreated table, in words."""
    return (
        f"<b>{escaped(now, 200)}</b>: mean RIG = {this['mean_rig']:.2f} bits"
        f" (was {first['mean_rig']:.2f}), PIF<sub>95</sub> = {this['pif95']:.2f} bits (was"
        f" {first['pif95']:.2f}), CSF &gt; .5 in {100 * this['surprising_cells']:.3g} % of the"
        f" cells (was {100 * first['surprising_cells']:.3g} %). Marginals kept"
        f" {100 * this['marginals']:.3g} %, columns kept {100 * this['columns_kept']:.3g} %."
    )


def _versions(table: pd.DataFrame) -> dict[str, Any]:
    """The one column of a table, under each treatment that its cells allow."""
    (name,), column = table.columns, table.iloc[:, 0]
    records = column.value_counts(dropna=False)
    values, kinds = records.index.dropna(), pd.api.types
    flags, whole = kinds.is_bool_dtype(column), kinds.is_integer_dtype(column)
    ask: dict[str, Any] = {}
    if kinds.is_numeric_dtype(column) and not flags:
        for width in _widths(values):
            ask[f"bins of {width:g}"] = partial(anonymisation.bin_column, width=width)
    longest = max((len(str(value)) for value in values), default=0)
    for keep in range(1, 1 if flags else min(4, longest)):
        options: Any = {"keep": keep, "digits": longest if whole else None}
        words = f"first {plural(keep, 'character')}"
        ask[words] = partial(anonymisation.truncate_column, **options)
    for least in (10, 100, 1000):
        if records.min() < least <= len(column):
            words = f"pool values of < {least} records"
            ask[words] = partial(anonymisation.group_rare_values, fewer_than=least)
    if column.isna().any():
        options = {"groups": {None: "missing"}, "other": "present"}
        ask["present or missing"] = partial(anonymisation.group_column, **options)
    versions = {"keep": column, "drop": None}
    for words, treatment in ask.items():
        with suppress(TypeError, ValueError):
            versions[words] = treatment(table, name)
    return versions


def _widths(values: pd.Index) -> list[float]:
    """Round widths that cut the range of some finite numbers into 2 to 25 bins."""
    span, whole = float(values.max()) - float(values.min()), values.dtype.kind in "iu"
    widths = [step * 10.0**power for power in range(-12, 18) for step in (1, 2, 5)]
    fit = [width for width in widths if 2 <= span / width <= 25 and (width > 1 or not whole)]
    return [int(width) if width == int(width) else width for width in fit]
