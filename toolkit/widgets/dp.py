"""Explorers of differential privacy: noise, audits, histograms, and identifiability."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .. import dp
from ..dp import cases
from ..plots import _style as style, dp as plots
from ._explorer import Explorer, Seen, checkbox, escaped, explorer, new_figure, plural

SIZE = (9.0, 3.6)  # inches
NOISES = ("laplace", "geometric", "gaussian")
COUNTS = [1, 10, 32, 100, 320, 1000, 3200]  # of answers
RELEASES = [1_000, 10_000, 50_000, 200_000]
DRAWN = 50_000  # releases of each input in the picture of an audit
BINS = 60  # of this picture
CELLS = 14  # of the first histogram, which are compared
QUERIES = ("mean", "sum", "median", "max", "min", "var", "std")
HALVINGS = 12  # of a bracket, more than an eye can see
LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]  # quantiles of noise
BOX_ENDS = ["whislo", "q1", "med", "q3", "whishi"]


def noise_explorer() -> Explorer:
    """Slide ε and the sensitivity, choose the noise; see the densities and their ratio.

    The true answers of the two neighbours are 0 and the sensitivity, as far apart as answers
    of neighbours can be. Gaussian noise has δ = 0.00001.
    """

    def see(epsilon: float, sensitivity: int, mechanism: str) -> Seen:
        noise: Any
        if mechanism == "geometric":
            noise = dp.DiscreteLaplaceNoise.for_epsilon(sensitivity, epsilon)
            steps = min(math.ceil(4 * noise.scale) + sensitivity, 40)
            x, density = np.arange(-steps, sensitivity + steps + 1), noise.pmf
        else:
            noise = dp.LaplaceNoise.for_epsilon(sensitivity, epsilon)
            if mechanism == "gaussian":
                noise = dp.GaussianNoise.for_epsilon_delta(sensitivity, epsilon, 1e-5)
            reach = (5 if mechanism == "laplace" else 4.5) * noise.scale
            x = np.unique([*np.linspace(-reach, sensitivity + reach, 801), 0.0, sensitivity])
            density = noise.pdf
        laws = pd.DataFrame(
            {"data": density(x), "neighbour": density(x - sensitivity)},
            index=pd.Index(x, name="answer"),
        )
        ratio = (laws["data"] / laws["neighbour"]).apply(np.log)
        figure, (left, right) = new_figure(SIZE, 1, 2)
        discrete = mechanism == "geometric"
        style.draw_lines(left, laws, {}, **style.DOTS if discrete else {})
        ylabel = "Probability" if discrete else "Density"
        left.set(xlabel="Noisy answer", ylabel=ylabel, ylim=(0, None))
        style.finished(left, "y", legend={})
        plots.plot_log_ratio(ratio, epsilon, discrete=discrete, ax=right)
        worst, verdict = float(ratio.abs().max()), "every ratio is at most e<sup>ε</sup> ="
        verdict = f"{verdict} {math.exp(epsilon):.3g}"
        if worst > epsilon * (1 + 1e-9):
            verdict = (
                f"the ratio <b>leaves the band</b>: its logarithm reaches {worst:.3g} in this"
                " picture, and grows without end beyond it"
            )
        return (
            f"{mechanism} noise of scale {noise.scale:.3g}: 95 % of the answers are within"
            f" ± {float(noise.accuracy(0.05)):.3g} of the truth; {verdict}.",
            figure,
        )

    return explorer(
        see,
        epsilon=W.FloatLogSlider(value=1, min=-1.3, max=0.7, step=0.1, description="ε"),
        sensitivity=W.IntSlider(value=1, min=1, max=10, description="sensitivity"),
        mechanism=W.Dropdown(options=NOISES, description="noise"),
    )


def averaging_explorer(truth: float = 38, seed: int = 1) -> Explorer:
    """Ask the same question k times, and watch the noise being averaged away.

    Parameters
    ----------
    truth : float
        The true answer, of sensitivity 1.
    seed : int
        Seed of the noise; the first answers do not change with k.
    """

    def see(epsilon: float, k: int) -> Seen:
        rng, asked = np.random.default_rng(seed), np.full((COUNTS[-1], 3), float(truth))
        answers = dp.laplace(asked, sensitivity=1, epsilon=epsilon, rng=rng)[:k]
        count = pd.Index(range(1, k + 1), name="answers")
        names = [f"attacker {i}" for i in (1, 2, 3)]
        means = pd.DataFrame(answers.cumsum(axis=0), count, names).div(count, axis=0)
        deviation = pd.Series(math.sqrt(2) / epsilon / np.sqrt(count), count)
        figure, ax = new_figure(SIZE)
        low, high = truth - 1.96 * deviation, truth + 1.96 * deviation
        ax.fill_between(count, low, high, color="0.88", linewidth=0, label="95 % band")
        style.draw_lines(ax, means, {})
        ax.axhline(truth, color="black", linewidth=1, label="truth")
        ax.set(xlabel="Answers averaged", ylabel="Mean answer", xscale="log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        style.finished(ax, "y", legend={"ncols": 2})
        error = float((means.iloc[-1] - truth).abs().mean())
        return (
            f"{k:,} answers of ε = {epsilon:.3g} cost {k * epsilon:,.4g} together by"
            f" sequential composition. The means are off by {error:.3g} on average; theory"
            f" says a standard deviation of {deviation.iloc[-1]:.3g}.",
            figure,
        )

    return explorer(
        see,
        epsilon=W.FloatLogSlider(0.1, min=-2, max=0.5, step=0.1, description="ε per answer"),
        k=W.SelectionSlider(options=COUNTS, value=100, description="answers"),
    )


# Audits


def audit_explorer(seed: int = 1) -> Explorer:
    """Choose a mechanism and the number of releases; see the event and the verdict.

    Parameters
    ----------
    seed : int
        Seed of the releases.
    """
    hidden = {f"{name} (hidden)": case for name, case in cases.unseen().items()}
    known = cases.kept() | cases.broken() | hidden
    scalar = {  # mechanisms whose releases are single numbers
        name: case
        for name, case in known.items()
        if np.ndim(case.mechanism(case.data, 1, np.random.default_rng(0))) == 1
    }

    @lru_cache(maxsize=32)
    def audited(name: str, samples: int, low_bits: bool) -> tuple[Any, pd.DataFrame, Any]:
        """The audit, shares of further releases by edge, and the bins of the event."""
        case, rng = scalar[name], np.random.default_rng(seed)
        result = dp.audit(**case.arguments(), samples=samples, low_bits=low_bits, rng=rng)
        sides = {"data": case.data, "neighbour": case.neighbour}
        drawn = {
            side: np.asarray(case.mechanism(given, DRAWN, rng), float)
            for side, given in sides.items()
        }
        both = np.concatenate([*drawn.values()])
        low, high = np.quantile(both, [0.0005, 0.9995])
        edges = np.linspace(low, high, BINS + 1)
        if (both == np.round(both)).all():
            edges = np.arange(low - 0.5, high + 1.5)
        shares = {side: np.histogram(x, edges)[0] / len(x) for side, x in drawn.items()}
        steps = {side: [*share, share[-1]] for side, share in shares.items()}
        return result, pd.DataFrame(steps, edges), _bins_of(result, edges)

    def see(name: str, samples: int, low_bits: bool) -> Seen:
        result, shares, event = audited(name, samples, low_bits)
        case, chance = scalar[name], result.probabilities["probability"]
        figure, ax = new_figure(SIZE)
        style.draw_lines(ax, shares, {}, drawstyle="steps-post")
        if event.any():
            look: Any = {"color": "0.9", "linewidth": 0, "zorder": 0, "label": "event"}
            look |= {"step": "post", "transform": ax.get_xaxis_transform()}
            ax.fill_between(shares.index, [*event.astype(int), 0], **look)
        ax.set(xlabel="Output", ylabel="Share of releases", ylim=(0, None))
        style.finished(ax, "y", legend={})
        likely = result.more_likely
        other = "neighbour" if likely == "data" else "data"
        return (
            f"Event: <b>{html.escape(result.event)}</b>, in {chance[likely]:.4g} of"
            f" {result.samples.test:,} fresh releases of the {likely} and"
            f" {chance[other]:.4g} of the {other}. Claimed ε = {result.epsilon:.3g}; proven to"
            f" be at least {result.epsilon_lower:.3g}: <b>{result.verdict}</b>. (What is true"
            f" of this pair: ε = {case.true_epsilon:.3g}; {html.escape(case.why)}.)",
            figure,
        )

    return explorer(
        see,
        name=W.Dropdown(options=[*scalar], value="scale x 0.8", description="mechanism"),
        samples=W.SelectionSlider(options=RELEASES, value=1_000, description="releases"),
        low_bits=W.Checkbox(value=True, description="look at the lowest bits"),
    )


def _bins_of(result: Any, edges: Any) -> Any:
    """Mark the bins of an event; an event of the lowest bits has none."""
    region = result.region
    inside = region.occurs(((edges[:-1] + edges[1:]) / 2)[:, None])
    if region.low == region.high:
        inside = ((edges[:-1] <= region.low) & (region.low < edges[1:])) == region.inside
    return inside & ("multiple of" not in result.event)


# Histograms


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

    The explorer compares the release with the truth, so it is for the curator only.

    Parameters
    ----------
    data, num_dict, domain
        As for `pre_process`.
    columns : list of str
        Columns that may be combined, all `_c` or all `_n`; the first two are ticked.
    beside : mapping of {name: columns}, optional
        Other histograms that are always released.
    epsilon, sample_size : float, int
        First values of ε and of the records per person.
    seed : int
        Seed of the noise.

    Returns
    -------
    Explorer
        Controls "epsilon", "sample_size", and a checkbox for each column, under its name.
    """

    @lru_cache(maxsize=8)
    def coded_by(chosen: tuple[str, ...]) -> Any:
        combinations = {"combined": [*chosen], **(beside or {})}
        return dp.pre_process(data, combinations, num_dict, domain=domain)

    def see(epsilon: float, sample_size: int, **ticks: bool) -> Seen:
        chosen = tuple(column for column in columns if ticks[column])
        if not chosen:
            raise ValueError("no column is ticked; tick at least one.")
        coded = coded_by(chosen)
        rng = np.random.default_rng(seed)
        counted = dp.bound_contributions(coded.df, sample_size, rng=rng)
        released = dp.release_histograms(
            counted, 1, sample_size, epsilon, domain=coded.domains, rng=rng
        )
        # Errors come from noise alone; the total variation includes what the bound left out.
        utility = dp.curator_utility(counted, released)
        utility["total_variation"] = dp.curator_utility(coded, released)["total_variation"]
        codes, weights = released["combined"]
        true = coded.df["combined"].value_counts(normalize=True)
        parts = {"true": true, "released": pd.Series(weights, index=codes)}
        shares = pd.DataFrame(parts).fillna(0.0)
        shares = shares.sort_values("true", ascending=False, kind="stable").head(CELLS)
        figure, (left, right) = new_figure((9.4, 3.8), 1, 2, width_ratios=[1.5, 1])
        shares.plot.bar(ax=left, width=0.84, color=list(style.COLOURS[:2]))
        left.tick_params(axis="x", length=0)
        what = "Largest cells of combined (curator only)"
        style.finished(left, "y", legend={}, xlabel=what, ylabel="Share of records")
        names = _cell_names(coded, num_dict, chosen, shares.index)
        slanted = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
        left.set_xticks(left.get_xticks(), names, **slanted, fontsize="small")
        plots.plot_errors(utility, unit="Records (curator only)", ax=right)
        text = (
            f"ε = {epsilon:.3g}, at most {sample_size} records of each individual:"
            f" {len(counted):,} records count, under noise of scale {released.scale:.3g}."
        )
        for name, row in utility.iterrows():
            cells = int(row["cells"])
            most = dp.expected_total_variation(released.scale, cells, len(counted))
            text += (
                f"<br><b>{escaped(name)}</b>: {cells:,} bins, expected largest"
                f" error {row['expected_largest_noise']:.0f} records, total variation"
                f" {row['total_variation']:.2f} (from noise alone at most about {most:.2f})"
            )
        return text, figure

    ticks = {column: checkbox(column, place < 2) for place, column in enumerate(columns)}
    people = W.IntSlider(sample_size, min=1, max=10, description="records per person")
    return explorer(
        see,
        epsilon=W.FloatLogSlider(value=epsilon, min=-1, max=1, step=0.1, description="ε"),
        sample_size=people,
        **ticks,
    )


def _cell_names(coded: Any, num_dict: Any, columns: Sequence[str], codes: Any) -> list[str]:
    """Meanings of codes, such as "month 9, hour 18"."""
    parts = []
    for column in columns:
        values = dp.col_decoder(num_dict, *coded[1:3], codes.to_numpy(), column)
        parts.append([f"{column.rpartition('_')[0]} {value}" for value in values])
    return [", ".join(together) for together in zip(*parts, strict=True)]


# Differential identifiability: one release, and one policy


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
        weight of each candidate, 1 where none is given), "query", "noise" ("tight" or
        "bound"), "rho", "response" (0 at the smallest output, 1 at the largest) and
        "releases", all with the same response.

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

    def see(
        query: str, noise: str, rho: float, response: float, releases: int, **texts: str
    ) -> Seen:
        worlds = dp.possible_worlds(_numbers(texts["known"]), _numbers(texts["candidates"]))
        outputs = dp.possible_outputs(worlds, query)
        prior = np.ones(len(outputs))
        given = _numbers(texts["weights"])[: len(prior)]
        prior[: len(given)] = given
        if prior.sum() == 0:
            raise ValueError("every world has the prior 0; raise one of the weights.")
        prior = prior / prior.sum()
        width = float(np.ptp(outputs))
        if noise == "bound":
            scale = dp.scale_bound(width, rho, dp.effective_worlds(prior))
        else:
            scale = dp.tight_scale(outputs, rho, prior=prior)
        answer = float(outputs.min() + response * width)
        if scale == 0:  # an exact response is one of the outputs
            answer = float(outputs.iloc[(outputs - answer).abs().argmin()])
        together = dp.composed_scale([scale] * releases)
        belief = dp.world_posterior(outputs, answer, together, prior=prior)
        risk = dp.disclosure_risk(outputs, together, prior=prior)
        figure, (left, right) = new_figure(SIZE, 1, 2, width_ratios=[1.1, 1])
        plots.plot_world_posterior(belief, prior=prior.tolist(), rho=rho, ax=left)
        least = float(prior.max())
        if least < 0.99:
            policies = least + (0.995 - least) * np.linspace(0.004, 1, 80)
            curve = dp.identifiability_curve(outputs, policies, prior=prior)
            curve = curve[["epsilon_tight", "epsilon_bound"]]
            curve.columns, unit = ["exact", "bound"], "ε (natural logarithm)"
            plots.plot_curves(curve, mark=rho, least=least, unit=unit, ax=right)
        epsilon = f"{width / scale:.4g}" if scale else "∞ (no noise)"
        verdict = "keeps to" if risk <= rho * (1 + 1e-9) else "<b>breaks</b>"
        often = "one release" if releases == 1 else f"{releases} releases"
        return (
            f"{len(outputs)} worlds, sensitive range {width:.4g}, λ = {scale:.4g},"
            f" ε = {epsilon}. At the response R = {answer:.4g} the adversary believes"
            f" {_most_in(belief)}: {belief.max():.3f}. The worst response of {often} leaves"
            f" {risk:.3f}, which {verdict} ρ = {rho:.3f}.",
            figure,
        )

    return explorer(
        see,
        known=W.Text(", ".join(f"{x:g}" for x in known), description="known"),
        candidates=W.Text(", ".join(f"{x:g}" for x in candidates), description="candidates"),
        weights=W.Text("", placeholder="1, 1, 1, …", description="prior weights"),
        query=W.Dropdown(options=QUERIES, description="query"),
        noise=W.Dropdown(
            options=[("exact", "tight"), ("bound", "bound")], description="noise"
        ),
        rho=W.FloatSlider(rho, min=0.01, max=1, step=0.01, description="ρ"),
        response=W.FloatSlider(0, min=-0.5, max=1.5, step=0.05, description="response"),
        releases=W.IntSlider(1, min=1, max=10, description="releases"),
    )


def _numbers(text: str) -> list[float]:
    """Read numbers with commas or blanks between them."""
    return [float(part) for part in text.replace(",", " ").split()]


def _most_in(belief: pd.Series) -> str:
    """Candidates in which the adversary believes most, in words."""
    best = belief.index[np.isclose(belief, belief.max(), rtol=1e-9)]
    if len(best) == len(belief):
        return "in none more than another"
    return "most in " + " and ".join(f"<b>{candidate:g}</b>" for candidate in best)


def halving_explorer(outputs: pd.Series, rho: float = 1 / 3) -> Explorer:
    """Halve the bracket of the scale λ step by step, between too little and enough noise.

    The first bracket reaches from 0, too little noise, to `scale_bound`, which is enough. If
    the noise of the middle is enough, the lower half is kept, else the upper one.

    Parameters
    ----------
    outputs : Series of shape (m,)
        Output of the query in each possible world.
    rho : float
        Policy to begin with.

    Returns
    -------
    Explorer
        Controls "step" and "rho".

    Examples
    --------
    >>> box = halving_explorer(pd.Series([0.0, 1.0, 3.0]), 0.5)
    >>> box.controls["step"].value = 2
    >>> box.summary.value.startswith("Step 2: λ is between 2.16")
    True
    """

    def see(step: int, rho: float) -> Seen:
        low, high = 0.0, dp.scale_bound(float(np.ptp(outputs)), rho, len(outputs))
        rows = []
        for _ in range(step):
            middle = (low + high) / 2
            risk = dp.disclosure_risk(outputs, middle)
            rows.append({"low": low, "middle": middle, "high": high, "risk": risk})
            low, high = (low, middle) if risk <= rho else (middle, high)
        low, middle, high, risk = rows[-1].values()
        figure, (above, below) = new_figure((8.0, 4.4), 2, 1, sharex=True)
        scales = np.linspace(0, 1.05 * rows[0]["high"], 120)[1:]
        risks = [dp.disclosure_risk(outputs, scale) for scale in scales]
        above.plot(scales, risks, color=style.BLUE, linewidth=2, label="exact risk")
        above.axhline(rho, color=style.VERMILLION, label="policy ρ")
        above.axvspan(low, high, color="0.9", zorder=0, label="bracket")
        above.set(ylabel="Largest belief", ylim=(0, 1.03))
        style.finished(above, "y", legend=style.ABOVE)
        steps = pd.DataFrame(rows)
        plots.plot_search(steps, unit="Scale λ", ax=below).set_ylim(HALVINGS + 0.6, 0.4)
        verdict = "enough noise: the lower" if risk <= rho else "too little noise: the upper"
        return (
            f"Step {step}: λ is between {low:.5g} and {high:.5g}. The middle, {middle:.5g},"
            f" leaves {risk:.4f} against ρ = {rho:.4f}. That is {verdict} half stays.",
            figure,
        )

    return explorer(
        see,
        step=W.IntSlider(1, min=1, max=HALVINGS, description="step"),
        rho=W.FloatSlider(rho, min=0.01, max=0.99, step=0.01, description="ρ"),
    )


def policy_explorer(facts: pd.DataFrame) -> Explorer:
    """Slide the policy ρ, and read ε, the error, and how uncertain one value remains.

    Parameters
    ----------
    facts : DataFrame
        Result of `load_adult_facts`.

    Returns
    -------
    Explorer
        Controls "column", "rho" and "records".
    """
    table = facts.set_index("column")

    @lru_cache(maxsize=256)
    def exact_epsilon(m: int, rho: float) -> float:
        """Exact ε of a mean or sum whose candidates are m consecutive whole numbers."""
        return float(dp.tight_epsilon(np.arange(m), rho))

    def see(column: str, rho: float, records: int) -> Seen:
        fact: Any = table.loc[column]
        width, m = float(fact["upper"] - fact["lower"]), int(fact["worlds"])
        bound, exact = both = dp.epsilon_bound(rho, m), exact_epsilon(m, rho)
        figure, (left, right) = new_figure(SIZE, 1, 2)
        for ax, share, what in ((left, records, "mean"), (right, 1, "one value")):
            ends = [dp.noise_quantiles(width / share / epsilon, LEVELS) for epsilon in both]
            boxes = [dict(zip(BOX_ENDS, quantiles, strict=True)) for quantiles in ends]
            middle = {"color": style.VERMILLION, "linewidth": 1.6}
            look: Any = {"boxprops": style.BOX, "medianprops": middle, "patch_artist": True}
            ax.bxp(boxes, showfliers=False, widths=0.62, positions=[0, 1], **look)
            ax.set_xticks([0, 1], ["bound", "exact"])
            ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
            ax.set(xlabel="ε by", ylabel=f"Noise on {what} ({fact['unit']})", xlim=(-0.8, 1.8))
            ax.grid(axis="y")
        right.axhspan(-width, width, color="0.9", zorder=-1, label="width of the domain")
        right.legend(loc="lower right", bbox_to_anchor=(1, 1))
        interval = width / exact * math.log(10) if exact < math.inf else 0.0
        unit, off = html.escape(str(fact["unit"])), width / records
        return (
            f"<b>{escaped(column)}</b>: {plural(m, 'world')}, so any ρ above 1/{m:,} can be"
            f" reached. ρ = {100 * rho:.3g} %: <b>ε = {bound:.4g}</b> by the bound,"
            f" {exact:.5g} exactly. The mean of {records:,} records is off by"
            f" {off / bound:.3g} {unit} on average ({off / exact:.3g} exactly). Somebody who"
            f" knows all other records then knows the value to ± {interval:.3g} {unit} (90 %)"
            " with the exact ε.",
            figure,
        )

    most = int(facts["records"].max())
    return explorer(
        see,
        column=W.Dropdown(options=[*facts["column"]], description="column"),
        rho=W.FloatLogSlider(0.02, min=-4, max=-0.05, step=0.05, description="ρ"),
        records=W.BoundedIntText(most, min=1, max=10**9, description="records"),
    )
