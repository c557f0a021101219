"""Explorers of differential identifiability: one release, and one policy.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ..dp.identifiability.policy import (
    Attacked as Attacked,
    attacked as attacked,
    epsilon_bound,
    identifiability_curve,
    noise_quantiles,
    tight_epsilon,
)
from ..plots.identifiability import plot_curves, plot_noise, plot_world_posterior
from ._explorer import Explorer, explorer

__all__ = [
    "identifiability_explorer",
    "identifiability_figure",
    "identifiability_summary",
    "policy_explorer",
    "policy_figure",
    "policy_summary",
]


SIZE = (9.0, 3.6)


QUERIES = ("mean", "sum", "median", "max", "min", "var", "std")


SLIDERS = 8  # worlds whose prior has a slider of its own


def identifiability_figure(seen: Attacked) -> Figure:
    """Belief in each world against ρ, and ε by policy; of the result of `attacked`."""
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=[1.1, 1])
    plot_world_posterior(seen.belief, prior=seen.prior, rho=seen.rho, ax=left)
    least = max(seen.prior)
    policies = least + (0.995 - least) * np.linspace(0.004, 1, 80)
    if least < 0.99:
        curve = identifiability_curve(seen.outputs, policies, prior=seen.prior)
        few = curve[["epsilon_tight", "epsilon_bound"]].set_axis(["exact", "bound"], axis=1)
        plot_curves(few, mark=seen.rho, least=least, unit="ε (natural logarithm)", ax=right)
    return fig


def identifiability_summary(seen: Attacked, releases: int = 1) -> str:
    """The release in words, as HTML; of the result of `attacked`."""
    width = float(np.ptp(seen.outputs))
    epsilon = f"{width / seen.scale:.4g}" if seen.scale else "∞ (no noise)"
    kept = seen.risk <= seen.rho * (1 + 1e-9)
    verdict = "keeps to" if kept else "<b>breaks</b>"
    often = "one release" if releases == 1 else f"{releases} releases"
    return (
        f"{len(seen.outputs)} worlds, sensitive range {width:.4g},"
        f" λ = {seen.scale:.4g}, ε = {epsilon}. At the response R = {seen.response:.4g} the"
        f" adversary believes {_most_in(seen.belief)}: {seen.belief.max():.3f}. The worst"
        f" response of {often} leaves {seen.risk:.3f}, which {verdict} ρ = {seen.rho:.3f}."
    )


def _most_in(belief: pd.Series) -> str:
    """In which candidate the adversary believes most, or that several are alike."""
    best = belief.index[np.isclose(belief, belief.max(), rtol=1e-9)]
    if len(best) == len(belief):
        return "in none more than another"
    if len(best) > 3:
        return f"in {len(best)} candidates alike"
    return "most in " + " and ".join(f"<b>{candidate:g}</b>" for candidate in best)


def identifiability_explorer(
    known: Sequence[float] = (1, 3), candidates: Sequence[float] = (2, 4, 5, 6, 7, 8, 9, 10)
) -> Explorer:
    """Edit worlds, query, policy, response, prior and number of releases.

    Parameters
    ----------
    known, candidates : sequence of float
        Records to begin with.

    Returns
    -------
    Explorer
        Controls "known", "candidates" (numbers with commas between), "query", "noise", "rho",
        "response" (0 at the smallest output, 1 at the largest), "releases", and "prior_1" to
        "prior_8", the weights of the first eight candidates, by which they are named.

    Examples
    --------
    >>> box = identifiability_explorer()
    >>> box.controls["rho"].value = 0.5
    >>> "keeps to ρ = 0.500" in box.summary.value
    True
    >>> box.controls["releases"].value = 3
    >>> "<b>breaks</b> ρ = 0.500" in box.summary.value
    True
    """

    def seen(**setting: Any) -> tuple[Attacked, int]:
        release = attacked(
            _numbers(setting["known"], "known"),
            _numbers(setting["candidates"], "candidates"),
            setting["query"],
            setting["rho"],
            noise=setting["noise"],
            place=setting["response"],
            releases=setting["releases"],
            weights=[setting[f"prior_{i + 1}"] for i in range(SLIDERS)],
        )
        return release, setting["releases"]

    priors = {
        f"prior_{i + 1}": W.FloatSlider(1, min=0, max=5, step=0.5) for i in range(SLIDERS)
    }
    box = explorer(
        lambda told: identifiability_figure(told[0]),
        lambda told: identifiability_summary(*told),
        seen,
        known=W.Text(_listed(known), description="known", continuous_update=False),
        candidates=W.Text(
            _listed(candidates), description="candidates", continuous_update=False
        ),
        query=W.Dropdown(options=QUERIES, description="query"),
        noise=W.Dropdown(
            options=[("exact", "tight"), ("bound", "bound")], description="noise"
        ),
        rho=W.FloatSlider(0.35, min=0.01, max=1, step=0.01, description="ρ"),
        response=W.FloatSlider(0, min=-0.5, max=1.5, step=0.05, description="response"),
        releases=W.IntSlider(1, min=1, max=10, description="releases"),
        **priors,
    )

    def name(change: object = None) -> None:
        try:
            found = _numbers(box.controls["candidates"].value, "candidates")
        except ValueError:  # the explorer says so
            return
        for i, slider in enumerate(priors.values()):
            slider.layout.display = None if i < len(found) else "none"
            slider.description = (
                f"weight of {found[i]:g}" if i < len(found) else "no candidate"
            )

    box.controls["candidates"].observe(name, "value")
    name()
    return box


@lru_cache(maxsize=256)
def _lattice_epsilon(m: int, rho: float) -> float:
    """Tight ε of a mean or sum whose candidates are m whole numbers in a row."""
    return tight_epsilon(np.arange(m), rho)


def policy_figure(facts: pd.DataFrame, column: str, rho: float, records: int) -> Figure:
    """Noise of a column's mean and what it hides of one value, by bound and exact ε.

    Parameters
    ----------
    facts : DataFrame
        Result of `load_adult_facts`.
    column : str
        One of its columns.
    rho : float
        Policy.
    records : int
        Size of the data set.
    """
    fact: Any = facts.set_index("column").loc[column]
    width, m = float(fact["upper"] - fact["lower"]), int(fact["worlds"])
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    epsilons = {"bound": epsilon_bound(rho, m), "exact": _lattice_epsilon(m, rho)}
    fig = Figure(figsize=SIZE, layout="constrained")
    left, right = fig.subplots(1, 2)
    for ax, share, what in ((left, records, "mean"), (right, 1, "one value")):
        table = pd.DataFrame(
            {name: noise_quantiles(width / share / e, levels) for name, e in epsilons.items()}
        ).T
        unit = f"Noise on {what} ({fact['unit']})"
        plot_noise(table, unit=unit, xlabel="ε by", ax=ax)
    right.axhspan(-width, width, color="0.9", zorder=-1, label="width of the domain")
    above: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1)}
    right.legend(frameon=False, fontsize="small", **above)
    return fig


def policy_summary(facts: pd.DataFrame, column: str, rho: float, records: int) -> str:
    """From a policy to ε and its price in words, as HTML; parameters of `policy_figure`."""
    fact: Any = facts.set_index("column").loc[column]
    width, m = float(fact["upper"] - fact["lower"]), int(fact["worlds"])
    bound, exact = epsilon_bound(rho, m), _lattice_epsilon(m, rho)
    interval = width / exact * math.log(10) if exact < math.inf else 0.0
    name, unit = html.escape(str(column)), html.escape(str(fact["unit"]))
    off = width / records
    return (
        f"<b>{name}</b>: {m:,} worlds, so any ρ above 1/{m:,} can be reached."
        f" ρ = {100 * rho:.3g} %: <b>ε = {bound:.4g}</b> by the bound, {exact:.5g} exactly."
        f" The mean of {records:,} records is off by {off / bound:.3g} {unit} on average"
        f" ({off / exact:.3g} exactly). Somebody who knows all other records then knows the"
        f" value to ± {interval:.3g} {unit} (90 %) with the exact ε."
    )


def policy_explorer(facts: pd.DataFrame) -> Explorer:
    """Slide the policy ρ, and read ε, error, and what is left to guess of one value.

    Parameters
    ----------
    facts : DataFrame
        Result of `load_adult_facts`.

    Returns
    -------
    Explorer
        Controls "column", "rho" and "records".
    """
    return explorer(
        lambda **setting: policy_figure(facts, **setting),
        lambda **setting: policy_summary(facts, **setting),
        column=W.Dropdown(options=list(facts["column"]), description="column"),
        rho=W.FloatLogSlider(0.02, min=-4, max=-0.05, step=0.05, description="ρ"),
        records=W.BoundedIntText(
            int(facts["records"].max()), min=1, max=10**9, description="records"
        ),
    )


def _numbers(text: str, name: str) -> list[float]:
    """Read numbers with commas or blanks between them."""
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise ValueError(
            f"{name} must be numbers with commas between; got {text!r}."
        ) from None


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
