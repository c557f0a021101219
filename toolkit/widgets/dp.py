"""Explorers of differential privacy: noisy answers, audits, histograms, and identifiability.

Every explorer maps controls to a figure and a text; the functions that make them need no
notebook. That of histograms compares with the truth, so it is for the curator only.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._validation import check_choice
from ..dp import cases
from ..dp.auditor import AuditResult, audit
from ..dp.histograms import (
    CodedTable,
    bound_contributions,
    col_decoder,
    curator_utility,
    expected_total_variation,
    pre_process,
    release_histograms,
)
from ..dp.identifiability import (
    composed_scale,
    disclosure_risk,
    effective_worlds,
    epsilon_bound,
    identifiability_curve,
    noise_quantiles,
    possible_outputs,
    possible_worlds,
    scale_bound,
    tight_epsilon,
    tight_scale,
    world_posterior,
)
from ..dp.mechanisms import laplace
from ..dp.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from ..plots import _style as style, dp as plots
from ._explorer import Explorer, explorer, new_figure

SIZE, WIDE = (9.0, 3.6), (9.4, 3.8)


MOST = 3200  # answers drawn at once, so that the first do not change with their number


COUNTS = [1, 10, 32, 100, 320, 1000, MOST]  # of answers


SAMPLES = [1_000, 10_000, 50_000, 200_000]


# Noisy answers


MECHANISMS = ("laplace", "geometric", "gaussian")


class NoisyPair(NamedTuple):
    """The answers that two neighbours may get."""

    mechanism: str
    epsilon: float
    scale: float
    laws: pd.DataFrame
    """Density or probability of each answer, a column per neighbour."""
    log_ratio: pd.Series
    """Natural logarithm of the ratio of the two columns."""
    width: float
    """Error that one answer in twenty passes."""


def noisy_pair(
    epsilon: float, sensitivity: int = 1, mechanism: str = "laplace", delta: float = 1e-5
) -> NoisyPair:
    """Two neighbours whose true answers, 0 and the sensitivity, are as far apart as they get.

    Parameters
    ----------
    epsilon : float
        Privacy loss (natural logarithm).
    sensitivity : int
        Distance of the two true answers.
    mechanism : {"laplace", "geometric", "gaussian"}
        Which noise.
    delta : float
        Of the Gaussian noise.
    """
    check_choice(mechanism, "mechanism", MECHANISMS)
    noise: DiscreteLaplaceNoise | LaplaceNoise | GaussianNoise
    if mechanism == "geometric":
        noise = DiscreteLaplaceNoise.for_epsilon(sensitivity, epsilon)
        steps = min(math.ceil(4 * noise.scale) + sensitivity, 40)
        x, law = np.arange(-steps, sensitivity + steps + 1), noise.pmf
    else:
        if mechanism == "laplace":
            noise = LaplaceNoise.for_epsilon(sensitivity, epsilon)
        else:
            noise = GaussianNoise.for_epsilon_delta(sensitivity, epsilon, delta)
        reach = (5 if mechanism == "laplace" else 4.5) * noise.scale
        x = np.unique([*np.linspace(-reach, sensitivity + reach, 801), 0.0, sensitivity])
        law = noise.pdf
    columns = {"data": law(x), "neighbour": law(x - sensitivity)}
    laws = pd.DataFrame(columns, index=pd.Index(x, name="answer"))
    ratio = laws["data"].div(laws["neighbour"]).apply(np.log)
    width = float(noise.accuracy(0.05))
    return NoisyPair(mechanism, epsilon, noise.scale, laws, ratio, width)


def running_means(
    truth: float, epsilon: float, k: int, seed: int, runs: int = 3
) -> pd.DataFrame:
    """Mean of the first 1, 2, ..., k noisy answers to one question, a column per run.

    Parameters
    ----------
    truth : float
        The true answer, of sensitivity 1.
    epsilon : float
        Privacy loss of each answer (natural logarithm).
    k : int
        How often the question is asked.
    seed : int
        Of the noise: the first answers do not change with k.
    runs : int
        How many attackers try.
    """
    rng = np.random.default_rng(seed)
    asked = np.full((MOST if k <= MOST else k, runs), float(truth))
    answers = laplace(asked, sensitivity=1, epsilon=epsilon, rng=rng)[:k]
    count = np.arange(1, k + 1)
    means = answers.cumsum(axis=0) / count[:, None]
    names = [f"attacker {i + 1}" for i in range(runs)]
    return pd.DataFrame(means, index=pd.Index(count, name="answers"), columns=names)


def noise_figure(pair: NoisyPair) -> Figure:
    """Two densities, and the logarithm of their ratio in the band of ±ε."""
    discrete = pair.mechanism == "geometric"
    fig, (left, right) = new_figure(SIZE, 1, 2)
    plots.plot_neighbours(pair.laws, discrete=discrete, unit="Noisy answer", ax=left)
    plots.plot_log_ratio(
        pair.log_ratio, pair.epsilon, discrete=discrete, unit="Noisy answer", ax=right
    )
    return fig


def noise_summary(pair: NoisyPair) -> str:
    """What the noise costs, and whether every ratio stays in the band."""
    worst = float(np.abs(pair.log_ratio).max())
    inside = worst <= pair.epsilon * (1 + 1e-9)
    verdict = (
        f"every ratio is at most e<sup>ε</sup> = {math.exp(pair.epsilon):.3g}"
        if inside
        else f"the ratio <b>leaves the band</b>: its logarithm reaches {worst:.3g} in this"
        " picture, and grows without end beyond it"
    )
    return (
        f"{pair.mechanism} noise of scale {pair.scale:.3g}: 95 % of the answers are within"
        f" ± {pair.width:.3g} of the truth; {verdict}."
    )


def noise_explorer() -> Explorer:
    """Slide ε and the sensitivity, choose the noise; see the densities and their ratio."""
    return explorer(
        noise_figure,
        noise_summary,
        noisy_pair,
        epsilon=W.FloatLogSlider(value=1, min=-1.3, max=0.7, step=0.1, description="ε"),
        sensitivity=W.IntSlider(value=1, min=1, max=10, description="sensitivity"),
        mechanism=W.Dropdown(options=MECHANISMS, description="noise"),
    )


def averaging_figure(means: pd.DataFrame, truth: float, epsilon: float) -> Figure:
    """Running means around the truth, in the band that the law of large numbers promises."""
    fig, ax = new_figure(SIZE)
    half = 1.96 * math.sqrt(2) / epsilon / np.sqrt(means.index.to_numpy(float))
    band = pd.Series(half, index=means.index)
    plots.plot_averages(means, truth, half_width=band, unit="Mean answer", ax=ax)
    return fig


def averaging_summary(means: pd.DataFrame, truth: float, epsilon: float) -> str:
    """What the average gives away, and what all answers together cost."""
    k = len(means)
    error = float(np.abs(means.iloc[-1] - truth).mean())
    return (
        f"{k:,} answers of ε = {epsilon:.3g} cost {k * epsilon:,.4g} together by sequential"
        f" composition. The means are off by {error:.3g} on average; theory says a standard"
        f" deviation of {math.sqrt(2 / k) / epsilon:.3g}."
    )


def averaging_explorer(truth: float = 38, seed: int = 1) -> Explorer:
    """Ask the same question k times, and watch the noise being averaged away."""
    return explorer(
        lambda asked: averaging_figure(*asked),
        lambda asked: averaging_summary(*asked),
        lambda epsilon, k: (running_means(truth, epsilon, k, seed), truth, epsilon),
        epsilon=W.FloatLogSlider(0.1, min=-2, max=0.5, step=0.1, description="ε per answer"),
        k=W.SelectionSlider(options=COUNTS, value=100, description="answers"),
    )


# Audits


BINS = 60  # of the picture of the releases of an audit


class Audited(NamedTuple):
    """One audit, and what its releases look like."""

    name: str
    case: cases.Case
    result: AuditResult
    counts: pd.DataFrame  # shares of fresh releases by bin, a column per input
    event: pd.Series  # whether the middle of a bin belongs to the event


def scalar_cases() -> dict[str, cases.Case]:
    """Cases of `toolkit.dp.cases` whose releases are single numbers, by name."""
    hidden = {f"{name} (hidden)": case for name, case in cases.unseen().items()}
    named = cases.kept() | cases.broken() | hidden
    rng = np.random.default_rng
    shapes = {name: np.ndim(one.mechanism(one.data, 1, rng(0))) for name, one in named.items()}
    return {name: case for name, case in named.items() if shapes[name] == 1}


def audited(
    name: str, samples: int = 200_000, seed: int = 1, *, low_bits: bool = True
) -> Audited:
    """Audit one of the cases, and draw a few releases to look at.

    Parameters
    ----------
    name : str
        One of `scalar_cases`.
    samples : int
        Fresh releases of each input that test the event.
    seed : int
        Of the generator.
    low_bits : bool
        Whether to look at the lowest bits.
    """
    named = scalar_cases()
    check_choice(name, "name", tuple(named))
    case, rng = named[name], np.random.default_rng(seed)
    result = audit(**case.arguments(), samples=samples, low_bits=low_bits, rng=rng)
    pair = {"data": case.data, "neighbour": case.neighbour}
    shown = {who: np.asarray(case.mechanism(x, 50_000, rng), float) for who, x in pair.items()}
    together = np.concatenate(list(shown.values()))
    whole = bool((together == np.round(together)).all())
    low, high = np.quantile(together, [0.0005, 0.9995])
    edges = np.arange(low - 0.5, high + 1.5) if whole else np.linspace(low, high, BINS + 1)
    shares = {who: np.histogram(some, edges)[0] / len(some) for who, some in shown.items()}
    counts = pd.DataFrame(shares, index=pd.Index(edges[:-1], name="output"))
    return Audited(name, case, result, counts, _inside(result, edges, counts.index))


def _inside(result: AuditResult, edges: np.ndarray, index: pd.Index) -> pd.Series:
    """Mark the bins of the event; low bits are of no bin."""
    region, middle = result.region, (edges[:-1] + edges[1:]) / 2
    inside = region.occurs(middle[:, None])
    if result.event.startswith(("output = ", "output ≠ ")):
        holds = (edges[:-1] <= region.value) & (region.value < edges[1:])
        inside = holds if region.relation == "=" else ~holds
    return pd.Series(inside & ("multiple of" not in result.event), index=index)


def audit_figure(seen: Audited) -> Figure:
    """Releases of both inputs, and the event that tells them apart."""
    fig, ax = new_figure(SIZE)
    plots.plot_event(seen.counts, seen.event, unit="Output", ax=ax)
    return fig


def audit_summary(seen: Audited) -> str:
    """Event, counts, verdict, and what is true of the case."""
    result = seen.result
    chance = result.probabilities["probability"]
    other = "neighbour" if result.more_likely == "data" else "data"
    return (
        f"Event: <b>{html.escape(result.event)}</b>, in {chance[result.more_likely]:.4g} of"
        f" {result.samples.test:,} fresh releases of the {result.more_likely} and"
        f" {chance[other]:.4g} of the {other}. Claimed ε = {result.epsilon:.3g}; proven to be"
        f" at least {result.epsilon_lower:.3g}: <b>{result.verdict}</b>. (What is true of this"
        f" pair: ε = {seen.case.true_epsilon:.3g}; {html.escape(seen.case.why)}.)"
    )


def audit_explorer(seed: int = 1) -> Explorer:
    """Choose a mechanism and the number of releases; see the event and the verdict."""
    names = list(scalar_cases())
    return explorer(
        audit_figure,
        audit_summary,
        lru_cache(maxsize=32)(partial(audited, seed=seed)),
        name=W.Dropdown(options=names, value="scale x 0.8", description="mechanism"),
        samples=W.SelectionSlider(options=SAMPLES, value=1_000, description="releases"),
        low_bits=W.Checkbox(value=True, description="look at the lowest bits"),
    )


# Histograms


SHOWN = 14  # cells of the first histogram that are compared


class Tried(NamedTuple):
    """One release for the curator to look at."""

    utility: pd.DataFrame  # as `curator_utility`, and `expected_total_variation`
    shares: (
        pd.DataFrame
    )  # true and released shares of the largest true cells of the first histogram
    epsilon: float
    scale: float
    records: int  # records that count, in all
    sample_size: int
    names: list[str]  # what the codes of `shares` mean


def tried_release(
    data: pd.DataFrame,
    combinations: Mapping[str, Sequence[str]],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    epsilon: float,
    sample_size: int = 1,
    *,
    seed: int = 1,
) -> Tried:
    """Release some histograms, and compare them with the truth. For the curator only.

    Parameters
    ----------
    data : DataFrame
        Ground truth.
    combinations, num_dict, domain
        As for `pre_process`.
    epsilon : float
        Of the whole release, one count of individuals included.
    sample_size : int
        Records of one individual that may count.
    seed : int
        Of the noise.
    """
    coded = pre_process(data, combinations, num_dict, domain=domain)
    rng = np.random.default_rng(seed)
    counted = bound_contributions(coded.df, sample_size, rng=rng)
    bounded = coded.with_records(counted)
    released = release_histograms(bounded, 1, sample_size, epsilon, rng=rng)
    utility = curator_utility(counted, released)
    # The errors are those of the noise; the total variation has what the bound left out, too.
    utility["total_variation"] = curator_utility(coded, released)["total_variation"]
    utility["expected_total_variation"] = [
        expected_total_variation(released.scale, int(cells), len(counted))
        for cells in utility["cells"]
    ]
    first, columns = next(iter(combinations.items()))
    population, weights = released[first]
    true = coded.df[first].value_counts(normalize=True)
    both = {"true": true, "released": pd.Series(weights, index=population)}
    shares = pd.DataFrame(both).fillna(0.0)
    largest = shares.sort_values("true", ascending=False, kind="stable").head(SHOWN)
    names = _cell_names(coded, num_dict, columns, largest.index)
    return Tried(utility, largest, epsilon, released.scale, len(counted), sample_size, names)


def _cell_names(
    coded: CodedTable, num_dict: Mapping[str, Any], columns: Sequence[str], codes: pd.Index
) -> list[str]:
    """Say what codes mean: "month 9, hour 18"."""
    parts = []
    for column in columns:
        values = col_decoder(num_dict, *coded[1:3], codes.to_numpy(), column)
        parts.append([f"{column.rpartition('_')[0]} {value}" for value in values])
    return [", ".join(together) for together in zip(*parts, strict=True)]


def histogram_figure(seen: Tried) -> Figure:
    """The first histogram, true and released, and the noise of all of them."""
    fig, (left, right) = new_figure(WIDE, 1, 2, width_ratios=[1.5, 1])
    unit = f"Largest cells of {seen.utility.index[0]} (curator only)"
    plots.plot_noisy_shares(seen.shares, unit=unit, ax=left)
    slanted = {"rotation": 60, "ha": "right", "rotation_mode": "anchor", "fontsize": "small"}
    left.set_xticks(left.get_xticks(), seen.names, **slanted)
    plots.plot_errors(seen.utility, unit="Records (curator only)", ax=right)
    return fig


def histogram_summary(seen: Tried) -> str:
    """Bins, expected error and total variation of each histogram."""
    rows = "".join(
        f"<br><b>{html.escape(str(name))}</b>: {int(row['cells']):,} bins, expected largest"
        f" error {row['expected_largest_noise']:.0f} records, total variation"
        f" {row['total_variation']:.2f} (from noise alone at most about"
        f" {row['expected_total_variation']:.2f})"
        for name, row in seen.utility.iterrows()
    )
    return (
        f"ε = {seen.epsilon:.3g}, at most {seen.sample_size} records of each individual:"
        f" {seen.records:,} records count, under noise of scale {seen.scale:.3g}.{rows}"
    )


def histogram_explorer(
    data: pd.DataFrame,
    columns: Sequence[str],
    num_dict: Mapping[str, Any],
    domain: Mapping[str, Any],
    *,
    beside: Mapping[str, Sequence[str]] | None = None,
    epsilon: float = 1.0,
    sample_size: int = 1,
    seed: int = 1,
) -> Explorer:
    """Tick the columns to combine, slide ε and the records per person; see what is left.

    Parameters
    ----------
    data, num_dict, domain
        As for `pre_process`.
    columns : list of str
        Columns that may be combined, all `_c` or all `_n`; the first two are ticked.
    beside : mapping of {name: columns}, optional
        Other histograms that are released in any case.
    epsilon, sample_size : float, int
        ε and records per person to begin with.
    seed : int
        Of the noise.
    """
    others = dict(beside or {})

    def seen(epsilon: float, sample_size: int, **ticked: bool) -> Tried:
        chosen = [column for column in columns if ticked[column]]
        if not chosen:
            raise ValueError("no column is ticked; tick at least one.")
        combos = {"combined": chosen, **others}
        return tried_release(data, combos, num_dict, domain, epsilon, sample_size, seed=seed)

    ticks = {
        column: W.Checkbox(place < 2, description=column, indent=False)
        for place, column in enumerate(columns)
    }
    return explorer(
        histogram_figure,
        histogram_summary,
        seen,
        epsilon=W.FloatLogSlider(value=epsilon, min=-1, max=1, step=0.1, description="ε"),
        sample_size=W.IntSlider(
            value=sample_size, min=1, max=10, description="records per person"
        ),
        **ticks,
    )


# Differential identifiability: one release, and one policy


QUERIES = ("mean", "sum", "median", "max", "min", "var", "std")


NOISES = [("exact", "tight"), ("bound", "bound")]


HALVINGS = 12  # of a bracket, more than an eye can see


class Attacked(NamedTuple):
    """One release, as the adversary sees it."""

    outputs: pd.Series
    prior: list[float]
    rho: float
    scale: float
    response: float
    belief: pd.Series
    risk: float


def attacked(
    known: Sequence[float],
    candidates: Sequence[float],
    query: str | Callable[..., Any],
    rho: float,
    *,
    noise: str = "tight",
    place: float = 0.5,
    releases: int = 1,
    weights: Sequence[float] = (),
) -> Attacked:
    """Choose the noise for one release, then let the adversary see it so many times.

    Parameters
    ----------
    known, candidates, query
        As for `possible_worlds` and `possible_outputs`.
    rho : float
        Policy that one release was made for.
    noise : {"tight", "bound"}
        Which scale.
    place : float
        Where the response lies: 0 at the smallest output, 1 at the largest.
    releases : int
        How many responses, all at this place.
    weights : sequence of float
        Prior weights of the first worlds; 1 for those left out.
    """
    outputs = possible_outputs(possible_worlds(known, candidates), query)
    share = np.ones(len(outputs))
    given = np.asarray(weights[: len(share)], dtype=float)
    share[: given.size] = given
    if share.sum() == 0:
        raise ValueError("every world has the prior 0; raise one of the weights.")
    share = share / share.sum()
    width = float(np.ptp(outputs))
    if noise == "bound":
        scale = scale_bound(width, rho, effective_worlds(share))
    else:
        scale = tight_scale(outputs, rho, prior=share)
    response = float(outputs.min() + place * width)
    if scale == 0:  # an exact response is one of the outputs
        response = float(outputs.iloc[(outputs - response).abs().argmin()])
    together = composed_scale([scale] * releases)
    belief = world_posterior(outputs, response, together, prior=share)
    risk = disclosure_risk(outputs, together, prior=share)
    return Attacked(outputs, share.tolist(), rho, scale, response, belief, risk)


def identifiability_figure(seen: Attacked) -> Figure:
    """Belief in each world against ρ, and ε by policy; of the result of `attacked`."""
    fig, (left, right) = new_figure(SIZE, 1, 2, width_ratios=[1.1, 1])
    plots.plot_world_posterior(seen.belief, prior=seen.prior, rho=seen.rho, ax=left)
    least = max(seen.prior)
    policies = least + (0.995 - least) * np.linspace(0.004, 1, 80)
    if least < 0.99:
        curve = identifiability_curve(seen.outputs, policies, prior=seen.prior)
        few = curve[["epsilon_tight", "epsilon_bound"]].set_axis(["exact", "bound"], axis=1)
        plots.plot_curves(
            few, mark=seen.rho, least=least, unit="ε (natural logarithm)", ax=right
        )
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
    known: Sequence[float] = (1, 3),
    candidates: Sequence[float] = (2, 4, 5, 6, 7, 8, 9, 10),
    rho: float = 0.35,
) -> Explorer:
    """Edit worlds, prior, query, policy, response and number of releases.

    Parameters
    ----------
    known, candidates : sequence of float
        Records to begin with.
    rho : float
        Policy to begin with.

    Returns
    -------
    Explorer
        Controls "known", "candidates" and "weights" (numbers with commas between; the prior
        weight of each candidate, 1 where none is given), "query", "noise", "rho", "response"
        (0 at the smallest output, 1 at the largest) and "releases".

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

    def seen(query: str, rho: float, response: float, **setting: Any) -> tuple[Attacked, int]:
        texts = ("known", "candidates", "weights")
        known, candidates, weights = (_numbers(setting.pop(name), name) for name in texts)
        given = {"place": response, "weights": weights, **setting}
        return attacked(known, candidates, query, rho, **given), setting["releases"]

    return explorer(
        lambda told: identifiability_figure(told[0]),
        lambda told: identifiability_summary(*told),
        seen,
        known=W.Text(_listed(known), description="known"),
        candidates=W.Text(_listed(candidates), description="candidates"),
        weights=W.Text("", placeholder="1, 1, 1, …", description="prior weights"),
        query=W.Dropdown(options=QUERIES, description="query"),
        noise=W.Dropdown(options=NOISES, description="noise"),
        rho=W.FloatSlider(rho, min=0.01, max=1, step=0.01, description="ρ"),
        response=W.FloatSlider(0, min=-0.5, max=1.5, step=0.05, description="response"),
        releases=W.IntSlider(1, min=1, max=10, description="releases"),
    )


def halvings(outputs: Any, rho: float, steps: int = 40) -> pd.DataFrame:
    r"""The bracket of a plain binary search for `tight_scale`, halved again and again.

    The first reaches from 0, too little noise, to `scale_bound`, which is surely enough.

    Parameters
    ----------
    outputs, rho
        As for `tight_scale`.
    steps : int
        How often.

    Returns
    -------
    DataFrame of shape (steps, 5)
        `low`, `middle`, `high`, the `risk` of the middle, and whether that is `enough` noise:
        then the lower half is kept, else the upper one. Index: steps from 1 on.

    Examples
    --------
    >>> halvings([0.0, 1.0, 3.0], 0.5, 2).round(3)
         low  middle   high   risk  enough
    1  0.000   2.164  4.328  0.607   False
    2  2.164   3.246  4.328  0.516   False
    """
    rows: list[tuple[float, ...]] = []
    low, high = 0.0, scale_bound(float(np.ptp(outputs)), rho, len(outputs))
    for _ in range(steps):
        middle = (low + high) / 2
        risk = disclosure_risk(outputs, middle)
        rows.append((low, middle, high, risk, risk <= rho))
        low, high = (low, middle) if risk <= rho else (middle, high)
    names = ["low", "middle", "high", "risk", "enough"]
    table = pd.DataFrame(rows, pd.RangeIndex(1, steps + 1), names)
    table.attrs["rho"] = rho
    return table


def halving_explorer(outputs: pd.Series, rho: float = 1 / 3) -> Explorer:
    """Halve the bracket of the scale λ step by step, between too little and surely enough.

    Parameters
    ----------
    outputs : Series of shape (m,)
        Output of the query in each possible world.
    rho : float
        Policy to begin with.

    Returns
    -------
    Explorer
        Controls "step" and "rho"; see `halvings`.
    """

    def figure(steps: pd.DataFrame) -> Figure:
        fig, (top, below) = new_figure((8.0, 4.4), 2, 1, sharex=True)
        _, low, _, high, *_ = next(steps.tail(1).itertuples())
        scales = np.linspace(0, 1.05 * steps["high"].max(), 120)[1:]
        risks = pd.DataFrame({"exact risk": [disclosure_risk(outputs, x) for x in scales]})
        style.draw_lines(top, risks.set_index(scales), "risks", "risks", {})
        top.axhline(steps.attrs["rho"], color=style.VERMILLION, label="policy ρ")
        top.axvspan(low, high, color="0.9", zorder=0, label="bracket")
        top.set(ylabel="Largest belief", ylim=(0, 1.03))
        style.finished(top, legend=style.ABOVE)
        plots.plot_search(steps, unit="Scale λ", ax=below).set_ylim(HALVINGS + 0.6, 0.4)
        return fig

    def summary(steps: pd.DataFrame) -> str:
        step, low, middle, high, risk, enough = next(steps.tail(1).itertuples())
        verdict = "enough noise: the lower" if enough else "too little noise: the upper"
        return (
            f"Step {step}: λ is between {low:.5g} and {high:.5g}. The middle, {middle:.5g},"
            f" leaves {risk:.4f} against ρ = {steps.attrs['rho']:.4f}. That is {verdict} half"
            f" stays."
        )

    return explorer(
        figure,
        summary,
        lambda step, rho: halvings(outputs, rho, step),
        step=W.IntSlider(1, min=1, max=HALVINGS, description="step"),
        rho=W.FloatSlider(rho, min=0.01, max=0.99, step=0.01, description="ρ"),
    )


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
    fig, (left, right) = new_figure(SIZE, 1, 2)
    for ax, share, what in ((left, records, "mean"), (right, 1, "one value")):
        scales = {name: width / share / epsilon for name, epsilon in epsilons.items()}
        table = pd.DataFrame({by: noise_quantiles(scales[by], levels) for by in scales}).T
        unit = f"Noise on {what} ({fact['unit']})"
        plots.plot_noise(table, unit=unit, xlabel="ε by", ax=ax)
    right.axhspan(-width, width, color="0.9", zorder=-1, label="width of the domain")
    style.small_legend(right, **style.ABOVE_RIGHT)
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
    most = int(facts["records"].max())
    return explorer(
        partial(policy_figure, facts),
        partial(policy_summary, facts),
        column=W.Dropdown(options=list(facts["column"]), description="column"),
        rho=W.FloatLogSlider(0.02, min=-4, max=-0.05, step=0.05, description="ρ"),
        records=W.BoundedIntText(most, min=1, max=10**9, description="records"),
    )


def _numbers(text: str, name: str) -> list[float]:
    """Read numbers with commas or blanks between them."""
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        said = f"{name} must be numbers with commas between; got {text!r}."
        raise ValueError(said) from None


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
