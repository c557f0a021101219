"""Private histograms: laws of noise and sampling, budgets, audits, rows, utility, bad input.

Random tests fix their seed; a chi-square test fails a right sampler with probability 1e-6.
"""

import inspect
import itertools
import math
import re
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import toolkit as tk
from tests.benchmarks import histograms as bench
from tests.dp.needs_histograms import needs_tables
from toolkit.datasets import load_detroit, load_histogram_settings, load_incidents
from toolkit.dp.histograms import (
    legacy as histogram_legacy,
    release as histogram_counts,
)
from toolkit.dp.histograms.postprocessing import agreeing_shares
from toolkit.dp.histograms.release import Noise, Plan

INCIDENTS = load_incidents()
COMBOS, BINS, DOMAIN = load_histogram_settings("incidents")
CODED = tk.pre_process(INCIDENTS, COMBOS, BINS, domain=DOMAIN)
DF, NUM_DECODE, COL_DECODE = CODED
DOMAINS = tk.combined_domains(COMBOS, BINS, DOMAIN)
CALLS = pd.DataFrame({"call_i": [1, 1, 1, 2, 3], "kind": [11, 11, 13, 12, 12]})
FALSE_ALARM = 1e-6


def rng(seed=1):
    return np.random.default_rng(seed)


def refuse(message, kind=ValueError):
    return pytest.raises(kind, match=re.escape(message))


def release(df=CODED, column="call", sample=1, size=2, sensitivity=9, epsilon=1.0, **options):
    """One histogram of the incidents: s = 2, H = 4, q = 1."""
    options = {"rng": rng()} | options
    return tk.create_private_histo(df, column, sample, size, sensitivity, epsilon, **options)


def check_law(observed, probabilities):
    """Chi-square of counts against probabilities, rare cells taken together."""
    observed, expected = np.asarray(observed, float), np.asarray(probabilities) * sum(observed)
    rare = expected < 10
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 5:
        assert observed[-1] < 40, "a Poisson number with mean 5 is that large in 1 of 1e20"
        observed, expected = observed[:-1], expected[:-1]
    assert len(expected) > 1
    chi_square = ((observed - expected) ** 2 / expected).sum()
    assert chi_square < stats.chi2.isf(FALSE_ALARM, len(expected) - 1)


def check_same_law(few, many):
    """Two-sample chi-square in ten bins of equal probability."""
    edges = np.unique(np.quantile(many, np.linspace(0, 1, 11)[1:-1]))
    bins = [np.searchsorted(edges, sample) for sample in (few, many)]
    table = np.array([np.bincount(places, minlength=len(edges) + 1) for places in bins])
    table = table[:, table.sum(axis=0) > 20]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


# ---------------------------------------------------------------- the proof


@pytest.mark.parametrize(
    ("histograms", "size", "queries", "epsilon", "sensitivity", "scale"),
    [(4, 1, 1, 1.0, 5, 5.0), (3, 3, 2, 10.0, 11, 1.1), (0, 1, 2, 0.5, 2, 4.0)],
)
def test_sensitivity_and_scale_of_the_guide(
    histograms, size, queries, epsilon, sensitivity, scale
):
    assert tk.histogram_sensitivity(histograms, size, queries) == sensitivity
    assert tk.histogram_scale(histograms, size, queries, epsilon) == pytest.approx(scale)
    costs = [tk.histogram_epsilon(size, sensitivity, epsilon)] * histograms
    costs += [tk.histogram_epsilon(1, sensitivity, epsilon)] * queries
    assert math.fsum(costs) == pytest.approx(epsilon)


def all_tables(people, most, codes):
    """Every table of a few people, each with up to so many records of a code."""
    records = [
        list(itertools.combinations_with_replacement(codes, n)) for n in range(most + 1)
    ]
    each = [own for length in records for own in length]
    return itertools.product(each, repeat=people)


def answers(owned, size, combos, domains):
    """All answers without noise: two histograms, people, and records that count."""
    rows = [(i, code) for i, own in enumerate(owned) for code in own]
    data = pd.DataFrame(rows, columns=["p_i", "a_c"], dtype=np.int64)
    data["b_c"] = data["a_c"] % 2
    df, *_ = tk.pre_process(data, combos, {}, domain=domains)
    found = []
    for domain in tk.combined_domains(combos, {}, domains).values():
        cells = Plan(df, df["p_i"], domain, False, size, None, None).counted()
        found.append(np.bincount(cells, minlength=domain.size))
    return np.concatenate([*found, [df["p_i"].nunique()], [len(df)]])


def test_sensitivity_by_brute_force_over_small_tables():
    """Whoever comes or goes with all records moves two histograms by 2s, people by 1."""
    combos, domains = {"h": ["a_c"], "g": ["a_c", "b_c"]}, {"a_c": range(3), "b_c": range(2)}
    for size in (1, 2):
        moved, records = 0, 0
        for owned in all_tables(2, size, range(3)):
            for gone in range(2):
                rest = list(owned)
                rest[gone] = ()
                change = np.abs(
                    answers(owned, size, combos, domains)
                    - answers(rest, size, combos, domains)
                )
                moved, records = max(moved, change[:-1].sum()), max(records, change[-1])
        assert moved == tk.histogram_sensitivity(2, size, 1)
        assert records == size, "so a count of records takes s of the q"


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=14),
    st.integers(0, 4),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_bounded_contributions_move_a_histogram_by_at_most_s(rows, gone, size, seed):
    table = pd.DataFrame(rows, columns=["p_i", "k"], dtype=np.int64)
    kept = tk.bound_contributions(table, size, rng=rng(seed))
    assert kept.index.is_monotonic_increasing and kept.index.isin(table.index).all()
    pd.testing.assert_frame_equal(kept, table.loc[kept.index])
    numbers = table["p_i"].value_counts()
    assert kept["p_i"].value_counts().to_dict() == numbers.clip(upper=size).to_dict()
    # What is kept of the others has the same law without the one who goes.
    without = kept[kept["p_i"] != gone]
    assert len(kept) - len(without) <= size


def test_records_are_drawn_without_replacement_and_evenly():
    table = pd.DataFrame({"p_i": [5, 9, 5, 5, 5, 9], "k": [0, 9, 1, 2, 3, 9]}, list("abcdef"))
    generator, seen = rng(), []
    for _ in range(3_000):
        kept = tk.bound_contributions(table, 2, rng=generator)
        own = kept.loc[kept["p_i"] == 5, "k"].tolist()
        assert len(set(own)) == 2 and kept.index[-1] == "f"
        seen.append(tuple(own))
    pairs = list(itertools.combinations(range(4), 2))
    check_law([seen.count(pair) for pair in pairs], [1 / 6] * 6)


def test_all_records_are_kept_where_nobody_has_more():
    pd.testing.assert_frame_equal(tk.bound_contributions(CALLS, 3, rng=rng()), CALLS)
    nobody = CALLS.iloc[:0]
    pd.testing.assert_frame_equal(tk.bound_contributions(nobody, 1, rng=rng()), nobody)


# ---------------------------------------------------------------- noise


@pytest.mark.parametrize("backend", ["numpy", "opendp"])
def test_both_backends_put_the_same_noise_on_every_cell(backend):
    if backend == "opendp":
        pytest.importorskip("opendp")
    table = pd.DataFrame({"p_i": [1], "a_c": [0], "b_c": [0]})
    combos, domain = {"k": ["a_c", "b_c"]}, {"a_c": range(200), "b_c": range(100)}
    df = tk.pre_process(table, combos, {}, domain=domain)
    source = rng() if backend == "numpy" else None
    found = tk.release_histograms(
        df, 0, 1, 0.8, population_queries=0, rng=source, backend=backend
    )
    assert found.scale == 1.25 and found.backend == backend
    noise = found.cells["k"].counts[1:]  # nobody is in these cells
    values = np.arange(-12, 13)
    inside = np.array([(noise == value).sum() for value in values])
    law = tk.DiscreteLaplaceNoise(1.25).pmf(values)
    check_law([*inside, len(noise) - inside.sum()], [*law, 1 - law.sum()])


@pytest.mark.parametrize("backend", ["numpy", "opendp"])
def test_counts_of_people_have_the_same_noise(backend):
    if backend == "opendp":
        pytest.importorskip("opendp")
    source = rng(2) if backend == "numpy" else None
    found = [
        tk.population_query(CALLS, 3, 1.5, rng=source, backend=backend) for _ in range(2_000)
    ]
    values = np.arange(-9, 10)
    law = tk.DiscreteLaplaceNoise(2.0).pmf(values)
    inside = [found.count(3 + value) for value in values]
    check_law([*inside, len(found) - sum(inside)], [*law, 1 - law.sum()])


def test_weights_are_the_noisy_counts_clipped():
    population, weights = release(column="times", rng=rng(7))
    noisy = tk.release_histograms(
        CODED, 1, 2, 1.0, columns=["times"], population_queries=7, rng=rng(7)
    )
    assert noisy.sensitivity == 9
    # The population query comes first, so the draws are not the same; the clipping is.
    counts = np.maximum(noisy.cells["times"].counts, 0)
    assert noisy["times"] == (population, (counts / counts.sum()).tolist())
    assert len(population) == DOMAINS["times"].size == len(weights)
    assert population == sorted(population) and math.fsum(weights) == pytest.approx(1)
    assert all(isinstance(code, int) for code in population)
    assert all(isinstance(weight, float) for weight in weights)


def test_every_cell_of_the_domain_is_listed_and_noisy():
    population, weights = release(column="what", epsilon=0.1)
    assert population == DOMAINS["what"].codes(np.arange(96)).tolist()
    empty = ~np.isin(population, DF["what"])
    assert empty.sum() > 5 and (np.array(weights)[empty] > 0).any()


def test_almost_without_noise_the_weights_are_the_shares():
    for sample, size in [(0, 39), (1, 39)]:
        population, weights = release(
            column="what", sample=sample, size=size, sensitivity=39, epsilon=1e6
        )
        true = DF["what"].value_counts(normalize=True).reindex(population, fill_value=0)
        np.testing.assert_allclose(weights, true, atol=1e-12)


def test_sampling_takes_part_of_the_records_of_frequent_callers():
    found = tk.release_histograms(CODED, 1, 1, 1e6, columns=["what"], rng=rng())
    assert found.cells["what"].counts.sum() == found.population == 667
    found = tk.release_histograms(CODED, 1, 3, 1e6, columns=["what"], rng=rng())
    bounded = INCIDENTS["address_i"].value_counts().clip(upper=3).sum()
    assert found.cells["what"].counts.sum() == bounded


# ---------------------------------------------------------------- large domains


def outcome_law(count, scale, threshold, most):
    """Law of one cell by definition: not listed, or its noisy count, from `most` on as one."""
    values = np.arange(threshold + 1, most)
    listed = tk.DiscreteLaplaceNoise(scale).pmf(values - count)
    above = 1 - tk.DiscreteLaplaceNoise(scale).cdf(most - 1 - count)
    return np.array([1 - listed.sum() - above, *listed, above])


@pytest.mark.parametrize("way", ["written out", "numpy", "opendp"])
def test_large_domains_have_the_law_of_noise_on_every_cell(way, monkeypatch):
    """Each cell's outcome, and how many empty ones are listed, against the definition."""
    if way == "opendp":
        pytest.importorskip("opendp")
    if way != "written out":
        monkeypatch.setattr(histogram_counts, "MOST_LISTED", 4)
    domain = tk.combined_domains({"k": ["k_c"]}, {}, {"k_c": [1, 2, 3, 5, 6, 7, 8, 9, 12]})[
        "k"
    ]
    cells, threshold, most = np.array([1] * 5 + [4] * 2 + [8]), 1, 7
    true = np.bincount(cells, minlength=domain.size)
    runs = 1_500 if way == "opendp" else 12_000
    noise = Noise(2.0, 1.0, rng(3), "opendp" if way == "opendp" else "numpy")
    tally = np.zeros((domain.size, most - threshold + 1), int)
    lifted = np.zeros(7, int)
    for _ in range(runs):
        found = Plan(None, None, domain, False, 1, threshold, noise).noisy(cells)
        assert found.threshold == threshold and (found.counts > threshold).all()
        assert (np.diff(found.listed) > 0).all()
        outcome = np.zeros(domain.size, int)
        outcome[found.listed] = np.minimum(found.counts, most) - threshold
        tally[np.arange(domain.size), outcome] += 1
        lifted[(outcome[true == 0] > 0).sum()] += 1
    for cell in range(domain.size):
        check_law(tally[cell], outcome_law(true[cell], 2.0, threshold, most))
    chance = 1 - tk.DiscreteLaplaceNoise(2.0).cdf(threshold)
    check_law(lifted, stats.binom.pmf(np.arange(7), 6, chance))


def test_a_threshold_applies_to_small_domains_too():
    options = {"column": "what", "sensitivity": 2, "epsilon": 2 / 9, "rng": rng(5)}
    population, weights = release(threshold=10, **options)
    everything = tk.release_histograms(
        CODED, 1, 2, 2 / 9, columns=["what"], population_queries=0, rng=rng(5)
    )
    noisy = everything.cells["what"]
    above = noisy.counts > 10
    assert 0 < above.sum() < 96 and population == noisy.codes[above].tolist()
    np.testing.assert_allclose(weights, noisy.counts[above] / noisy.counts[above].sum())


WIDE = {"k": ["a_c", "b_c", "c_c"]}
WIDE_CODES = {"a_c": range(1000), "b_c": range(60), "c_c": [3, 5, *range(10, 710)]}


def wide_table(n=3_000):
    """Records of which half share one cell of 42 million."""
    data = {name: rng(4).choice(list(codes), n) for name, codes in WIDE_CODES.items()}
    table = pd.DataFrame({"p_i": range(n), **data})
    table.loc[: n // 2 - 1, list(WIDE_CODES)] = [7, 8, 5]
    return table


def test_tens_of_millions_of_cells_are_not_written_out():
    df = tk.pre_process(wide_table(), WIDE, {}, domain=WIDE_CODES)
    size = 1000 * 60 * 702
    assert tk.domain_sizes(WIDE, {}, WIDE_CODES)["k"] == size > 42_000_000
    tracemalloc.start()
    found = tk.release_histograms(df, 1, 1, 1.0, rng=rng())
    simulated = tk.simulate_rows(found, 1_000, rng=rng())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6, "a byte per cell would be 42 MB"
    assert found.scale == 2.0
    threshold = found.summary.loc["k", "threshold"]
    assert threshold == tk.release_threshold(size, 2.0)
    counts = found.cells["k"].counts
    assert (counts > threshold).all() and 1_480 < counts.max() < 1_520
    assert (simulated == [7, 8, 5]).all(axis=1).mean() > 0.9
    assert simulated["c_c"].isin(WIDE_CODES["c_c"]).all()


def test_the_number_of_lifted_cells_is_right_in_a_domain_of_millions():
    """42 million cells of which each is lifted with the same chance: a Poisson number."""
    df = tk.pre_process(wide_table(1), WIDE, {}, domain=WIDE_CODES)
    size, threshold = 1000 * 60 * 702, 27
    expected = size * float(tk.DiscreteLaplaceNoise(2.0).sf(threshold + 1)) / 2
    found = [
        tk.release_histograms(df, 0, 1, 1.0, threshold=threshold, rng=rng(seed)).cells["k"]
        for seed in range(60)
    ]
    numbers = [len(noisy.counts) for noisy in found]
    # The sum has a standard deviation of sqrt(60 * expected): 5 of them, alarm 6e-7.
    assert abs(sum(numbers) - 60 * expected) < 5 * math.sqrt(60 * expected)
    cells = np.concatenate([noisy.listed for noisy in found])
    check_law(np.histogram(cells, 10, (0, size))[0], [0.1] * 10)
    excess = np.concatenate([noisy.counts for noisy in found]) - threshold - 1
    a = math.exp(-1 / 2)
    law = (1 - a) * a ** np.arange(8)
    check_law(
        [*np.bincount(excess, minlength=8)[:8], (excess > 7).sum()], [*law, 1 - law.sum()]
    )


@pytest.mark.parametrize(("cells", "scale"), [(1, 1.0), (41_648_640, 5.0), (10**15, 0.3)])
def test_threshold_lifts_at_most_one_empty_cell_on_average(cells, scale):
    found = tk.release_threshold(cells, scale)
    expected = cells * float(tk.DiscreteLaplaceNoise(scale).sf(found + 1)) / 2
    assert expected <= 1
    if found:
        assert cells * float(tk.DiscreteLaplaceNoise(scale).sf(found)) / 2 > 1, (
            "the smallest one"
        )


def test_nothing_above_the_threshold_is_said_and_simulated_evenly():
    df = tk.pre_process(wide_table(4), WIDE, {}, domain=WIDE_CODES)
    with pytest.warns(UserWarning, match="no cell of 'k' has a noisy count above the thresh"):
        pair = tk.create_private_histo(df, "k", 1, 1, 1, 0.5, threshold=90, rng=rng(2))
    assert pair == ([], [])
    with pytest.warns(UserWarning, match="combine fewer columns") as caught:
        found = tk.release_histograms(df, 1, 1, 0.5, threshold=150, rng=rng(2))
    assert caught[0].filename == __file__
    rows = tk.simulate_rows(found, 4_000, rng=rng())
    check_law(np.histogram(rows["a_c"], 10, (0, 1000))[0], [0.1] * 10)


def test_domains_and_thresholds_that_cannot_be_listed_are_refused():
    table = pd.DataFrame({"p_i": [1], "a_c": [1], "b_c": [1]})
    huge = {"a_c": range(10**8), "b_c": range(10**8)}
    df = tk.pre_process(table, {"k": ["a_c", "b_c"]}, {}, domain=huge)
    budget = tk.PrivacyBudget(epsilon=1.0)
    with refuse("the domain has 1e+16 cells, more than 1e+15; combine fewer columns"):
        tk.create_private_histo(df, "k", 0, 1, 1, 1.0, rng=rng(), budget=budget)
    df = tk.pre_process(wide_table(1), WIDE, {}, domain=WIDE_CODES)
    with refuse("threshold = 1: about 4.17e+06 noisy empty cells would be above it"):
        tk.create_private_histo(df, "k", 0, 1, 1, 1.0, rng=rng(), threshold=1, budget=budget)
    assert budget.ledger.empty


# ---------------------------------------------------------------- budgets


@pytest.mark.filterwarnings("ignore:a budget pays for noise of numpy")
def test_a_release_charges_each_answer_and_fills_its_epsilon():
    budget = tk.PrivacyBudget(epsilon=0.7)
    found = tk.release_histograms(CODED, 1, 3, 0.7, rng=rng(), budget=budget)
    assert found.sensitivity == 4 * 3 + 1
    ledger = budget.ledger
    assert ledger["label"].tolist() == [
        "number of individuals",
        *[f"histogram {name}" for name in COMBOS],
    ]
    assert ledger["epsilon"].tolist() == pytest.approx([0.7 / 13] + [3 * 0.7 / 13] * 4)
    assert budget.left.epsilon == 0 and budget.spent.epsilon == 0.7
    with refuse("the budget cannot pay for histogram what"):
        release(column="what", budget=budget)


@pytest.mark.filterwarnings("ignore:a budget pays for noise of numpy")
def test_single_answers_cost_their_share():
    budget = tk.PrivacyBudget(epsilon=1)
    release(budget=budget)
    tk.population_query(DF, 9, 1.0, rng=rng(), budget=budget)
    tk.population_query(DF, 9, 1.0, of="records", sample_size=2, rng=rng(), budget=budget)
    costs = [Fraction(2, 9), Fraction(1, 9), Fraction(2, 9)]
    assert budget.ledger["epsilon"].tolist() == pytest.approx([float(c) for c in costs])
    assert budget.ledger["label"].tolist() == [
        *("histogram call", "number of individuals", "number of records")
    ]


@pytest.mark.filterwarnings("ignore:a budget pays for noise of numpy")
def test_a_refused_declaration_is_paid_for():
    budget = tk.PrivacyBudget(epsilon=1.0)
    with refuse(
        "sample = 0 declares that no individual has more than sample_size = 2 records"
    ):
        release(sample=0, budget=budget)
    assert budget.spent.epsilon == pytest.approx(2 / 9), "the refusal tells of the data"
    release(sample=0, size=39, sensitivity=39)


# ---------------------------------------------------------------- post-processing


def test_noisy_shares_by_hand():
    assert tk.noisy_shares([3, -1, 1]).tolist() == [0.75, 0, 0.25]
    assert tk.noisy_shares([0, 0, 0, 0]).tolist() == [0.25] * 4
    assert tk.noisy_shares([-5, -2]).tolist() == [0.5, 0.5]
    assert tk.noisy_shares([]).tolist() == tk.noisy_shares([], method="simplex").tolist() == []
    # 9 in all, of which 1.5 each is taken off the two that stay: 6.5 and 2.5 of 9.
    np.testing.assert_allclose(
        tk.noisy_shares([8, 4, -3], method="simplex"), np.array([6.5, 2.5, 0]) / 9
    )
    assert tk.noisy_shares([5, -10], method="simplex").tolist() == [1, 0]
    two = tk.noisy_shares([[1, 3], [-1, -1]], method="simplex")
    np.testing.assert_allclose(two, [[0.25, 0.75], [0.5, 0.5]])


@given(st.lists(st.integers(-30, 60), min_size=1, max_size=7))
def test_simplex_is_the_nearest_histogram_of_that_total(counts):
    shares = tk.noisy_shares(counts, method="simplex")
    assert shares.min() >= 0 and shares.sum() == pytest.approx(1)
    total = sum(counts)
    if total <= 0:
        np.testing.assert_allclose(shares, tk.noisy_shares(counts))
        return
    own = shares * total
    # Optimality: one amount comes off every cell that stays, and no other is above it.
    amount = (np.array(counts) - own)[own > 1e-9]
    np.testing.assert_allclose(amount, amount[0], atol=1e-9)
    assert (np.array(counts)[own <= 1e-9] <= amount[0] + 1e-9).all()


AXES = {"one": ["a", "b"], "two": ["b", "c"], "three": ["c", "a"], "four": ["b"]}
SHAPE = {"a": 3, "b": 2, "c": 4}


def noisy_tables(seed, names):
    return {
        name: rng([seed, i]).integers(-5, 30, [SHAPE[axis] for axis in AXES[name]])
        for i, name in enumerate(names)
    }


def marginal(cells, axes, keep):
    rest = tuple(i for i, axis in enumerate(axes) if axis not in keep)
    found = cells.sum(axis=rest)
    return found if keep == [axis for axis in axes if axis in keep] else found.T


@pytest.mark.parametrize("names", [["one", "two"], ["one", "four"], list(AXES)])
@pytest.mark.parametrize("seed", range(5))
def test_consistent_counts_agree_on_everything_shared(names, seed):
    tables = noisy_tables(seed, names)
    agreed = tk.consistent_counts(tables, AXES)
    shares = {name: tk.noisy_shares(t.ravel()).reshape(t.shape) for name, t in agreed.items()}
    axes = {name: AXES[name] for name in names}
    for found in (agreed, agreeing_shares(shares, axes)):
        for one, two in itertools.combinations(names, 2):
            keep = [axis for axis in AXES[one] if axis in AXES[two]]
            np.testing.assert_allclose(
                marginal(found[one], AXES[one], keep),
                marginal(found[two], AXES[two], keep),
                atol=1e-9,
            )
    final = agreeing_shares(shares, axes)
    assert all((s >= 0).all() and s.sum() == pytest.approx(1) for s in final.values())
    again = tk.consistent_counts(agreed, AXES)
    for name in names:
        np.testing.assert_allclose(again[name], agreed[name], atol=1e-9)


def test_consistent_counts_are_the_least_squares_solution():
    """Two tables that share b: the sum of squared changes is least among all that agree."""
    tables = noisy_tables(3, ["one", "two"])
    agreed = tk.consistent_counts(tables, AXES)
    flat = np.concatenate([tables["one"].ravel(), tables["two"].ravel()]).astype(float)
    rules = []
    for b in range(2):
        first, second = np.zeros((3, 2)), np.zeros((2, 4))
        first[:, b], second[b] = 1, -1
        rules.append(np.concatenate([first.ravel(), second.ravel()]))
    rules = np.array(rules)
    best = flat - rules.T @ np.linalg.solve(rules @ rules.T, rules @ flat)
    found = np.concatenate([agreed["one"].ravel(), agreed["two"].ravel()])
    np.testing.assert_allclose(found, best, atol=1e-9)


def test_counts_that_share_nothing_agree_on_the_total_alone():
    tables = {"x": [[1.0, 3.0]], "y": [10.0, 0.0]}
    agreed = tk.consistent_counts(tables, {"x": ["a", "b"], "y": ["c"]})
    assert agreed["x"].tolist() == [[2.5, 4.5]] and agreed["y"].tolist() == [8.5, -1.5]
    alone = tk.consistent_counts({"x": [1.0, 3.0]}, {"x": ["b"]})
    assert alone["x"].tolist() == [1.0, 3.0] and tk.consistent_counts({}, {}) == {}


def test_a_consistent_release_agrees_and_is_better():
    combos = {"what": ["district_c", "kind_c"], "harm": ["kind_c", "injured_c"]}
    df = tk.pre_process(INCIDENTS, combos, BINS, domain=DOMAIN)
    better = 0
    for seed in range(10):
        kinds = []
        for together in (False, True):
            found = tk.release_histograms(
                df, 1, 5, 1.0, consistent=together, method="simplex", rng=rng(seed)
            )
            tables = {name: found.shares[name].reshape(s) for name, s in SIZES.items()}
            kinds.append((tables["what"].sum(axis=0), tables["harm"].sum(axis=1)))
        apart, agreed = (np.abs(one - two).max() for one, two in kinds)
        assert apart > 1e-4 and agreed < 1e-12
        true = INCIDENTS["kind_c"].value_counts(normalize=True)
        true = true.reindex(DOMAIN["kind_c"], fill_value=0).to_numpy()
        errors = [np.abs(own - true).sum() for pair in kinds for own in pair]
        better += errors[2] < errors[0]
    assert better >= 5, "the coarser table helps the finer one"


SIZES = {"what": (8, 12), "harm": (12, 4)}


@pytest.mark.parametrize(
    ("counts", "kind", "message"),
    [
        ([1, math.inf], ValueError, "counts must hold finite numbers"),
        ([1, math.nan], ValueError, "counts must not be missing"),
        (3, ValueError, "counts must hold finite numbers, one per"),
        (["a"], TypeError, "counts must hold numbers"),
    ],
)
def test_shares_of_no_counts_are_refused(counts, kind, message):
    with refuse(message, kind):
        tk.noisy_shares(counts)
    with refuse("method must be one of 'clip'"):
        tk.noisy_shares([1], method="cut")


ONCE = "columns of 'x' must name each of the 2 axes of its counts once"
TWO = "columns: 'a' has 1 codes in 'y' and 2 elsewhere; count over one"


@pytest.mark.parametrize(
    ("counts", "columns", "kind", "message"),
    [
        ([1], {}, TypeError, "counts and columns must map names"),
        ({"x": [[1, 2]]}, {"x": ["a"]}, ValueError, ONCE),
        ({"x": [1]}, {"x": None}, TypeError, "columns of 'x' must list names; got None"),
        ({"x": [1]}, {"x": [["a"]]}, TypeError, "columns of 'x' must list names; got [['a']]"),
        ({"x": [1]}, {}, ValueError, "columns of 'x' must name each of the 1 axes"),
        ({"x": [1, 2], "y": [1]}, {"x": ["a"], "y": ["a"]}, ValueError, TWO),
    ],
)
def test_counts_with_other_columns_are_refused(counts, columns, kind, message):
    with refuse(message, kind):
        tk.consistent_counts(counts, columns)


# ---------------------------------------------------------------- simulation


def test_simulated_rows_follow_the_weights():
    found = tk.release_histograms(CODED, 1, 2, 1.0, rng=rng())
    rows = tk.simulate_rows(found, 40_000, rng=rng())
    assert rows.columns.tolist() == [
        *("district_c", "kind_c", "injured_c", "month_c", "hour_c", "arrival_n", "clear_n")
    ]
    assert rows.index.equals(pd.RangeIndex(40_000)) and (rows.dtypes == np.int64).all()
    for name in ("what", "call", "times"):
        coded, *_ = tk.pre_process(
            rows.assign(p_i=1), {name: COMBOS[name]}, BINS, domain=DOMAIN
        )
        population, weights = found[name]
        counts = coded[name].value_counts().reindex(population, fill_value=0)
        assert counts.sum() == 40_000
        check_law(counts, weights)


def test_numeric_values_are_even_within_their_bin():
    table = pd.DataFrame({"p_i": range(50), "n_n": [7] * 50})
    df = tk.pre_process(table, {"n": ["n_n"]}, {"n_n": [20, 5, 50]})
    found = tk.release_histograms(df, 0, 1, 1e6, rng=rng())
    rows = tk.simulate_rows(found, 10_000, rng=rng())["n_n"]
    check_law([(rows == value).sum() for value in range(6, 11)], [0.2] * 5)


def test_histograms_that_share_a_column_are_linked():
    combos = {"one": ["a_c", "b_c"], "two": ["b_c", "c_c"]}
    table = pd.DataFrame({"p_i": range(400), "a_c": [0, 1] * 200})
    table["b_c"], table["c_c"] = table["a_c"], 1 - table["a_c"]
    domain = dict.fromkeys(["a_c", "b_c", "c_c"], range(2))
    df = tk.pre_process(table, combos, {}, domain=domain)
    found = tk.release_histograms(df, 0, 1, 1e6, rng=rng())
    rows = tk.simulate_rows(found, 2_000, rng=rng())
    assert (rows["a_c"] == rows["b_c"]).all() and (rows["c_c"] == 1 - rows["b_c"]).all()
    assert 800 < rows["a_c"].sum() < 1_200
    again = tk.simulate_rows(dict(found), 2_000, rng=rng(), col_decode=df.col_decode)
    pd.testing.assert_frame_equal(again, rows)


def test_values_that_the_second_histogram_lacks_do_not_stop_it():
    combos = {"one": ["b_c"], "two": ["b_c", "c_c"]}
    table = pd.DataFrame({"p_i": [1, 2], "b_c": [0, 1], "c_c": [0, 1]})
    *_, col_decode = tk.pre_process(
        table, combos, {}, domain={"b_c": range(2), "c_c": range(2)}
    )
    given = {"one": ([10, 11], [0.5, 0.5]), "two": ([100, 101, 110], [0.5, 0.5, 0.0])}
    rows = tk.simulate_rows(given, 3_000, rng=rng(), col_decode=col_decode)
    check_law([(rows["b_c"] == value).sum() for value in range(2)], [0.5, 0.5])
    for value in range(2):
        own = rows.loc[rows["b_c"] == value, "c_c"]
        check_law([(own == code).sum() for code in range(2)], [0.5, 0.5])


def test_results_of_single_calls_are_simulated_too():
    pair = release(column="times")
    rows = tk.simulate_rows({"times": pair}, 500, rng=rng(), col_decode=COL_DECODE)
    assert rows.columns.tolist() == ["arrival_n", "clear_n"]
    assert rows["arrival_n"].between(0, 3_600).all()
    assert tk.simulate_rows(
        {"times": ([], [])}, 3, rng=rng(), col_decode=COL_DECODE
    ).shape == (3, 2)


def test_number_of_rows_is_that_of_the_population_query():
    found = tk.release_histograms(CODED, 1, 1, 1.0, rng=rng())
    assert found.population == len(tk.simulate_rows(found, rng=rng()))
    assert tk.simulate_rows(found, 0, rng=rng()).shape == (0, 7)
    below = tk.release_histograms(
        CODED._replace(df=DF.iloc[:0]), 1, 1, 0.01, columns=["call"], rng=rng(2)
    )
    assert below.population < 0 and len(tk.simulate_rows(below, rng=rng())) == 0
    none = tk.release_histograms(CODED, 1, 1, 1.0, population_queries=0, rng=rng())
    assert none.population is None and none.sensitivity == 4
    with refuse("n: say how many rows; the release has no population query."):
        tk.simulate_rows(none, rng=rng())


@pytest.mark.parametrize(
    ("histograms", "kind", "message"),
    [
        ([1], TypeError, "histograms must be what release_histograms returned"),
        ({}, TypeError, "histograms must be what release_histograms returned"),
        ({"call": [1]}, TypeError, "must be the pair (population"),
        ({"call": ([1, 2], [1.0])}, ValueError, "got 2 codes and 1 weights"),
        ({"call": ([1, 1], [0.5, 0.5])}, ValueError, "must list each code once"),
        ({"call": ([10100], [0.5])}, ValueError, "weights must be shares of at least 0"),
        ({"call": ([11300], [1.0])}, ValueError, "value: 11300 is outside the domain of"),
        ({"none": ([1], [1.0])}, ValueError, "codes of 'none' are not declared"),
    ],
)
def test_histograms_that_cannot_be_simulated(histograms, kind, message):
    with refuse(message, kind):
        tk.simulate_rows(histograms, 5, rng=rng(), col_decode=COL_DECODE)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"col_decode": None}, ValueError, "col_decode must be what pre_process returned"),
        ({"n": -1}, ValueError, "n must be from 0"),
        ({"rng": 1}, TypeError, "rng must be a numpy.random"),
    ],
)
def test_simulate_refuses(options, kind, message):
    given = {"n": 5, "rng": rng(), "col_decode": COL_DECODE} | options
    with refuse(message, kind):
        tk.simulate_rows({"call": ([10100], [1.0])}, **given)


# ---------------------------------------------------------------- edges of a release


def test_nobody_in_the_table_and_one_person():
    for rows in (0, 1):
        found = tk.release_histograms(CODED._replace(df=DF.iloc[:rows]), 0, 1, 1.0, rng=rng())
        assert all(math.fsum(found[name][1]) == pytest.approx(1) for name in found)
        assert found.cells["what"].counts.std() > 3, "noise on empty cells"


def test_nothing_above_zero_makes_all_cells_equal():
    df = tk.pre_process(
        pd.DataFrame({"p_i": [1], "k_c": [0]}), {"k": ["k_c"]}, {}, domain={"k_c": range(3)}
    )
    empty = df._replace(df=df.df.iloc[:0])
    found = [
        tk.create_private_histo(empty, "k", 0, 1, 1, 0.5, rng=rng(seed))[1]
        for seed in range(60)
    ]
    assert [1 / 3] * 3 in found, "all three noises are at most 0 in a fifth of the runs"


def test_tables_with_odd_labels_and_types():
    odd = INCIDENTS.astype({"address_i": "Int64", "kind_c": "UInt16"}).set_axis([7] * 1_500)
    df = tk.pre_process(odd, COMBOS, BINS, domain=DOMAIN)
    assert release(df) == release()
    texts = INCIDENTS.assign(address_i=INCIDENTS["address_i"] - 2_000)
    df = tk.pre_process(texts, COMBOS, BINS, domain=DOMAIN)
    assert release(df) == release(), "individuals may have any numbers"
    only = DF[["address_i", "call"]].copy()
    before = only.copy(deep=True)
    assert release(CODED._replace(df=only)) == release()
    pd.testing.assert_frame_equal(only, before)


def test_the_domain_may_be_given_again_or_in_other_forms():
    expected = release()
    codes = DOMAINS["call"].codes(np.arange(288))
    for domain in (
        *(DOMAINS["call"], DOMAINS, codes, codes.tolist(), pd.Series(codes), {"call": codes}),
        codes.tolist()[::-1],
    ):
        assert release(DF, domain=domain) == expected
    assert release(domain=DOMAIN) == release(domain=DOMAINS) == expected


def test_codes_outside_a_listed_domain_do_not_count():
    population, weights = tk.create_private_histo(
        CALLS, "kind", 0, 3, 3, 1e6, domain=[12, 13, 40], rng=rng()
    )
    assert population == [12, 13, 40]
    np.testing.assert_allclose(weights, [2 / 3, 1 / 3, 0], atol=1e-9)
    assert tk.create_private_histo(
        CALLS, "kind", 0, 3, 3, 1e6, domain=range(11, 12), rng=rng()
    )
    found = tk.release_histograms(CALLS, 0, 3, 1.0, domain={"kind": [11, 12, 13]}, rng=rng())
    rows = tk.simulate_rows(found, 50, rng=rng())
    assert rows.columns.tolist() == ["kind"] and set(rows["kind"]) <= {11, 12, 13}


def test_a_domain_that_does_not_fit_is_refused():
    for domain in (None, DOMAIN):
        with refuse(
            "domain: the possible codes of 'call' are not declared. Pass the table as"
        ):
            release(DF, domain=domain)
    with refuse("domain differs from the one with which pre_process coded 'call'"):
        release(domain=DOMAIN | {"hour_c": range(25)})
    with refuse("domain lacks 'month_c'"):
        release(domain={"hour_c": range(24)})
    # Of another combination: its histogram must not be released under this one's name.
    for df in (CODED, DF, DF[["address_i", "call"]]):
        for domain in (DOMAINS["what"], {"call": DOMAINS["what"]}):
            with refuse("domain is that of 'what', not of 'call'; pass combined_domains"):
                release(df, domain=domain)
    other = tk.combined_domains(COMBOS, BINS, DOMAIN | {"hour_c": range(25)})
    with refuse("domain differs from the one with which pre_process coded 'call'"):
        release(domain=other["call"])
    with refuse("domain must hold codes of at least 0 and up to 18 digits; got none"):
        release(domain=[])
    with refuse("domain must be a range or a list of codes", TypeError):
        release(domain="call")
    assert tk.release_histograms(DF, 1, 1, 1.0, domain=DOMAINS, rng=rng()).sensitivity == 5
    with refuse("columns must name at least one combination, each once; got none"):
        tk.release_histograms(DF, 1, 1, 1.0, rng=rng())


RELEASES = {
    "epsilon 0": (dict(epsilon=0), ValueError, "epsilon must be positive and finite; got 0"),
    "epsilon below 0": (dict(epsilon=-1.0), ValueError, "epsilon must be positive"),
    "epsilon nan": (dict(epsilon=math.nan), ValueError, "epsilon must be positive"),
    "epsilon inf": (dict(epsilon=math.inf), ValueError, "epsilon must be positive"),
    "epsilon text": (dict(epsilon="1"), TypeError, "epsilon must be a positive number"),
    "size 0": (dict(size=0), ValueError, "sample_size must be from 1"),
    "size 1.5": (dict(size=1.5), TypeError, "sample_size must be a whole number"),
    "sensitivity": (dict(sensitivity=1.9), ValueError, "at least 2 here; got 1.9"),
    "quotient": (dict(sensitivity=9 / 10, epsilon=10), ValueError, "not divided by epsilon"),
    "sensitivity 9.5": (dict(sensitivity=9.5), ValueError, "must be whole; got 9.5. Round"),
    "sensitivity 0": (dict(sensitivity=0), ValueError, "sensitivity must be positive"),
    "sensitivity text": (dict(sensitivity="9"), TypeError, "sensitivity must be a positive"),
    "unknown column": (dict(column="month"), ValueError, "no one combined column 'month'"),
    "individual": (dict(column="address_i"), ValueError, "no one combined column 'address_i'"),
    "unhashable": (dict(column=["call"]), ValueError, "there is no one combined column"),
    "sample 2": (dict(sample=2), ValueError, "sample must be 1 (at most sample_size records"),
    "sample text": (dict(sample="no"), ValueError, "sample must be 1"),
    "rng": (
        dict(rng=None, backend="numpy"),
        TypeError,
        "rng must be a numpy.random.Generator",
    ),
    "seed": (dict(rng=1), TypeError, "rng must be a numpy.random.Generator"),
    "backend": (dict(backend="teaching"), ValueError, "backend must be one of"),
    "method": (dict(method="none"), ValueError, "method must be one of 'clip', 'simplex'"),
    "threshold": (dict(threshold=0.5), TypeError, "threshold must be a whole number"),
    "budget": (dict(budget=1.0), TypeError, "budget must be a PrivacyBudget"),
    "tiny epsilon": (dict(epsilon=1e-300), ValueError, "does not fit 64-bit integers"),
    "no table": (dict(df=[1]), TypeError, "df must be the DataFrame that pre_process"),
    "no individual": (
        dict(df=DF.drop(columns="address_i")),
        *(ValueError, "exactly one column that ends in _i"),
    ),
    "two individuals": (dict(df=DF.assign(b_i=1)), ValueError, "got 'address_i', 'b_i'"),
    "people of two types": (
        dict(df=CALLS.astype({"call_i": object}), column="kind", domain=[11, 12, 13]),
        *(TypeError, "column 'call_i' must hold integers; got object"),
    ),
    "no codes": (dict(df=DF.assign(call=0.5)), TypeError, "'call' must hold integer codes"),
}


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            dict(columns="call"),
            TypeError,
            "columns must list names of combinations; got 'call'",
        ),
        (dict(columns=[]), ValueError, "columns must name at least one combination"),
        (dict(columns=["call", "call"]), ValueError, "each once; got 'call', 'call'"),
        (dict(columns=["none"]), ValueError, "no one combined column 'none'"),
        (dict(columns=[["call"]]), ValueError, "no one combined column ['call']"),
        (
            dict(domain=[10100, 10101]),
            *(TypeError, "domain must map names of combinations to domains; got list"),
        ),
        (dict(df=None), TypeError, "df must be a pandas DataFrame; got NoneType"),
        (dict(population_queries=-1), ValueError, "population_queries must be from 0"),
        (dict(consistent=1), TypeError, "consistent must be True or False"),
        (dict(sample_size=0), ValueError, "sample_size must be from 1"),
        (dict(epsilon=0), ValueError, "epsilon must be positive"),
    ],
)
def test_bad_releases_of_all_are_refused(options, kind, message):
    given = {"sample": 1, "sample_size": 1, "epsilon": 1.0, "rng": rng()} | options
    with refuse(message, kind):
        tk.release_histograms(given.pop("df", CODED), **given)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tk.population_query([1], 1, 1, rng=rng()), TypeError, "df must be a pandas"),
        (
            lambda: tk.population_query(DF, 1, 1, rng=1),
            TypeError,
            "rng must be a numpy.random",
        ),
        (
            lambda: tk.population_query(DF, 1, 1, of="rows", rng=rng()),
            *(ValueError, "of must be one of 'individuals', 'records'"),
        ),
        (
            lambda: tk.population_query(DF, 1, 1, of="records", sample_size=2, rng=rng()),
            *(ValueError, "at least 2 here; got 1"),
        ),
        (lambda: tk.histogram_sensitivity(0, 1), ValueError, "sensitivity must be positive"),
        (lambda: tk.histogram_sensitivity(1.5, 1), TypeError, "histograms must be a whole"),
        (lambda: tk.histogram_scale(1, 1, 0, 0), ValueError, "epsilon must be positive"),
        (lambda: tk.histogram_epsilon(3, 2, 1), ValueError, "at least 3 here; got 2"),
        (lambda: tk.bound_contributions(DF, 0, rng=rng()), ValueError, "sample_size must be"),
        (lambda: tk.bound_contributions(DF, 1, rng=3), TypeError, "rng must be"),
        (lambda: tk.bound_contributions(DF["call"], 1, rng=rng()), TypeError, "df must be"),
        (lambda: tk.release_threshold(0, 1.0), ValueError, "cells must be from 1"),
        (lambda: tk.release_threshold(5, -1.0), ValueError, "scale must be"),
    ],
)
def test_single_functions_refuse(call, kind, message):
    with refuse(message, kind):
        call()


RELEASED = {
    "all": lambda **more: tk.release_histograms(CODED, 1, 2, 1.0, columns=["harm"], **more),
    "one": lambda **more: tk.create_private_histo(CODED, "harm", 1, 2, 3, 1.0, **more),
    "count": lambda **more: tk.population_query(DF, 3, 1.0, **more),
}


@pytest.mark.parametrize("name", RELEASED)
def test_without_rng_the_noise_is_opendps_and_a_budget_pays_without_a_word(name, monkeypatch):
    pytest.importorskip("opendp")
    used = set()
    on = Noise.on
    monkeypatch.setattr(Noise, "on", lambda self, x: used.add(self.backend) or on(self, x))
    budget = tk.PrivacyBudget(1.0)
    RELEASED[name](budget=budget)
    assert used == {"opendp"} and budget.spent.epsilon > 0
    used.clear()
    with pytest.warns(UserWarning, match="not for releases: whoever knows the seed") as said:
        RELEASED[name](budget=tk.PrivacyBudget(1.0), rng=rng())
    assert used == {"numpy"} and len(said) == 1 and said[0].filename == __file__
    RELEASED[name](rng=rng())  # without a budget it is a lesson


def test_the_backend_is_in_repr_and_summary():
    pytest.importorskip("opendp")
    marks = {"numpy, not for releases": {"rng": rng()}, "opendp": {}}
    for mark, options in marks.items():
        found = RELEASED["all"](**options)
        assert f"({mark})" in repr(found) and found.summary["backend"].tolist() == [mark]


def test_two_releases_with_one_seed_differ_by_the_truth():
    """Why no seed may be known: the noise is gone, and a person is back."""
    fewer = CALLS.iloc[:-1]
    domain = {"kind": range(11, 14)}
    both = [
        tk.release_histograms(df, 0, 3, 1.0, domain=domain, rng=rng(7)).cells["kind"].counts
        for df in (CALLS, fewer)
    ]
    assert (both[0] - both[1]).tolist() == [0, 1, 0]
    for name in ("create_private_histo", "population_query", "release_histograms"):
        text = inspect.getdoc(getattr(tk, name))
        assert "subtract" in text or "As for `create_private_histo`" in text


def test_a_release_can_be_read():
    found = tk.release_histograms(CODED, 1, 2, 1.0, rng=rng())
    assert list(found) == list(COMBOS) and len(found) == 4 and "call" in found
    assert repr(found) == (
        "PrivateHistograms: epsilon 1 for what (96 cells), harm (48 cells), call (288 cells),"
        f" times (238 cells); noise of scale 9 (numpy, not for releases),"
        f" population {found.population}"
    )
    summary = found.summary
    assert summary["cells"].tolist() == summary["listed"].tolist() == [96, 48, 288, 238]
    assert summary["threshold"].isna().all() and (summary["scale"] == 9).all()
    assert summary["epsilon"].tolist() == pytest.approx([2 / 9] * 4)
    with pytest.raises(AttributeError):
        found.population = 1


# ---------------------------------------------------------------- as PrivacyHistos does


def legacy(df, *arguments, **options):
    with pytest.warns(UserWarning, match="PrivacyHistos of 2021, which is not diff") as caught:
        found = histogram_legacy.create_private_histo(df, *arguments, **options)
    assert caught[0].filename == __file__
    return found


def test_the_original_lists_what_occurs_and_noises_what_is_not_empty():
    population, weights = legacy(CALLS, "kind", 0, 1, 1, 1e6, rng=rng())
    assert population == [11, 12, 13]
    np.testing.assert_allclose(weights, [0.4, 0.4, 0.2], atol=1e-5)
    population, weights = legacy(CALLS, "kind", 0, 1, 1, 0.5, domain=range(10, 15), rng=rng(6))
    assert population == [10, 11, 12, 13, 14]
    assert weights[0] == weights[4] == 0 and math.fsum(weights) == pytest.approx(1)


def test_the_original_divides_by_zero():
    fails = 0
    for seed in range(40):
        try:
            legacy(CALLS.tail(1), "kind", 0, 1, 1, 0.1, rng=rng(seed))
        except ZeroDivisionError:
            fails += 1
    assert 5 < fails < 32, "P(1 + noise <= 0) is .45; outside with probability 2e-5"


def test_the_original_draws_distinct_codes_with_replacement():
    population, counts = histogram_legacy.counted(
        CALLS["kind"], CALLS["call_i"], None, 3_000, rng()
    )
    assert population.tolist() == [11, 12, 13] and counts.sum() == 9_000
    assert counts[1] == 6_000
    check_law(counts[[0, 2]], [0.5, 0.5])


def test_the_original_has_the_law_of_its_restatement():
    """Weights of the code 11 by both."""
    np.random.seed(1)  # noqa: NPY002 the restatement draws from the global state
    theirs, ours = [], []
    for i in range(800):
        theirs.append(bench.original_histogram(CALLS, "kind", 0, 1, 1, 2.0)[1][0])
        counts = histogram_legacy.noisy([2, 2, 1], 0.5, rng([9, i]))
        ours.append(histogram_legacy.weights(counts)[0])
    check_same_law(theirs, ours)


def test_the_restated_original_runs_end_to_end():
    few = bench.standin(300)
    combos, bins, _ = load_histogram_settings("detroit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = bench.original_run(few, combos, bins, 20)
    new = bench.run(few, {"call": combos["call"]}, bins, bench.domain_of(few), 20)
    assert len(old) == len(new) == 20 and set(new) <= set(old)
    assert [
        row[-1] for row in (bench.line("x", 1.0, 60.0, 50), bench.line("x", 2, 60, 50))
    ] == [*("met", "MISSED")]
    assert len(bench.steps(100)) == 2


# ---------------------------------------------------------------- audits

PAIRS = tk.neighbour_pairs()


def audited(name, old, samples=(5_000, 20_000), seed=1):
    pair = PAIRS[name]
    return tk.audit(
        (histogram_legacy if old else tk).histogram_mechanism(pair),
        pair.data,
        pair.neighbour,
        epsilon=pair.claim,
        samples=samples,
        confidence=0.999,
        rng=rng(seed),
        batch=True,
    )


@pytest.mark.parametrize("name", PAIRS)
def test_the_auditor_flags_the_original_and_not_the_corrected_version(name):
    """A right mechanism is flagged with probability of at most .001 a pair."""
    assert audited(name, True).verdict == "violation"
    found = audited(name, False)
    assert found.verdict == "no violation found"
    assert found.epsilon_lower > PAIRS[name].claim / 5, "the pair puts the claim to the test"


@pytest.mark.full
@pytest.mark.parametrize("name", PAIRS)
def test_the_same_with_many_samples(name):
    """Each violation at least as large as when it was first measured, at these sizes."""
    least = {
        **{"new category": 5.5, "empty bin": 4.9, "larger maximum": 3.2, "20 records": 5.5},
        **{"divided twice": 6.2, "float noise": 7.7},
    }
    old = audited(name, True, (50_000, 200_000))
    assert old.verdict == "violation" and old.epsilon_lower > least[name]
    assert audited(name, False, (50_000, 200_000)).verdict == "no violation found"


@pytest.mark.parametrize(
    "name",
    [pytest.param("new category", marks=pytest.mark.full), "larger maximum", "20 records"],
)
def test_the_auditor_sees_nothing_in_the_functions_themselves(name):
    """The whole workflow, one release per call, as a user calls it."""
    pair = PAIRS[name]

    def workflow(data, generator):
        df = tk.pre_process(data, {"kind": ["kind_c"]}, {}, domain=pair.domain)
        return tk.create_private_histo(
            df, "kind", 1, pair.sample_size, pair.sensitivity, pair.epsilon, rng=generator
        )[1]

    found = tk.audit(
        *(workflow, pair.data, pair.neighbour),
        epsilon=pair.claim,
        samples=(100, 300),
        rng=rng(),
        progress=False,
    )
    assert found.verdict == "no violation found"


@pytest.mark.parametrize("name", PAIRS)
def test_many_releases_at_once_have_the_law_of_one_by_one(name):
    """Weight of one code by both ways."""
    pair = PAIRS[name]
    if pair.observed == "count":
        df = pair.data.rename(columns={"kind_c": "kind"})
        single = [
            tk.population_query(df, pair.sensitivity, pair.epsilon, rng=rng([1, i]))
            for i in range(800)
        ]
        batch = tk.histogram_mechanism(pair)(pair.data, 8_000, rng(2))
    else:
        df = tk.pre_process(pair.data, {"kind": ["kind_c"]}, {}, domain=pair.domain)
        single = [
            tk.create_private_histo(
                *(df, "kind", 1, pair.sample_size, pair.sensitivity, pair.epsilon),
                rng=rng([1, i]),
            )[1][1]
            for i in range(800)
        ]
        batch = tk.histogram_mechanism(pair)(pair.data, 8_000, rng(2))[:, 1]
    check_same_law(single, batch)


def test_legacy_releases_at_once_have_the_law_of_one_by_one():
    pair = PAIRS["empty bin"]
    with pytest.warns(UserWarning):
        df, *_ = histogram_legacy.pre_process(pair.data, {"kind": ["kind_c"]}, {})
    single = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(800):
            try:
                found = histogram_legacy.create_private_histo(
                    *(df, "kind", 0, 1, 1.0, 0.1), domain=[11, 12, 13], rng=rng([3, i])
                )[1][0]
            except ZeroDivisionError:
                found = -1.0
            single.append(found)
    batch = histogram_legacy.histogram_mechanism(pair)(pair.data, 8_000, rng(2))[:, 0]
    check_same_law(single, np.nan_to_num(batch, nan=-1.0))


def test_pairs_differ_by_one_individual_with_all_records():
    for pair in PAIRS.values():
        gone = set(pair.data["person_i"]) - set(pair.neighbour["person_i"])
        assert len(gone) == 1
        rest = pair.data[~pair.data["person_i"].isin(gone)]
        pd.testing.assert_frame_equal(rest, pair.neighbour)
        assert pair.claim == pytest.approx(pair.sample_size * pair.epsilon / pair.sensitivity)
    assert len(PAIRS["20 records"].data) - len(PAIRS["20 records"].neighbour) == 20
    assert PAIRS["divided twice"].claim == pytest.approx(2.727, abs=1e-3)


def test_sampling_within_a_pair_is_hypergeometric():
    """Someone with 4 records in two codes, of which 2 count: by definition 1/6, 4/6, 1/6."""
    data = pd.DataFrame({"person_i": [1, 1, 1, 1, 2], "kind_c": [1, 1, 2, 2, 3]})
    pair = PAIRS["divided twice"]._replace(sample_size=2, sensitivity=2.0, epsilon=1e9)
    weights = tk.histogram_mechanism(pair)(data, 6_000, rng())
    np.testing.assert_allclose(weights[:, 2], 1 / 3)
    first = np.rint(3 * weights[:, 0]).astype(int)
    check_law(np.bincount(first, minlength=3), [1 / 6, 4 / 6, 1 / 6])


def test_pairs_refuse():
    for nobody in (9, None, "x", math.nan, [1], {}, pd.Series([1])):
        with refuse(f"individual: {nobody!r} has no record; name one who has."):
            tk.without_individual(CALLS, nobody)
    unknown = CALLS.assign(call_i=pd.array([1, None, 1, 2, None], "Int64"))
    assert tk.without_individual(unknown, 1).index.tolist() == [1, 3, 4]
    with pytest.raises(TypeError, match="pair must be"):
        tk.histogram_mechanism((1, 2))
    with pytest.raises(TypeError, match="pair must be"):
        histogram_legacy.histogram_mechanism((1, 2))


# ---------------------------------------------------------------- utility


def test_utility_of_a_histogram_by_hand():
    # True shares .4, .4, .2 of 11, 12, 13; given .5, 0, .2, and .3 of 14.
    found = tk.curator_histogram_utility(CALLS, "kind", [11, 13, 14], [0.5, 0.2, 0.3])
    assert found.total_variation == pytest.approx(0.4)
    assert found.l1 == pytest.approx(0.8) and found.l_infinity == pytest.approx(0.4)
    assert found.records == 5 and found.curator_only is True
    nothing = tk.curator_histogram_utility(CALLS, "kind", [], [])
    assert nothing[:3] == (1.0, 2.0, 0.4)


def test_utility_of_a_release_stands_beside_theory():
    found = tk.release_histograms(CODED, 1, 39, 1.0, rng=rng())
    table = tk.curator_utility(CODED, found)
    pd.testing.assert_frame_equal(table, tk.curator_utility(DF, found))
    assert table.index.tolist() == list(COMBOS) and table["curator_only"].all()
    assert table["occupied"].tolist() == [DF[name].nunique() for name in COMBOS]
    for name in COMBOS:
        own = tk.curator_histogram_utility(DF, name, *found[name])
        assert table.loc[name, "total_variation"] == own.total_variation
        true = np.bincount(
            DOMAINS[name].find(DF[name].to_numpy()), minlength=len(found[name][0])
        )
        noise = np.abs(found.cells[name].counts - true).max()
        assert table.loc[name, "largest_error"] == noise
    # Against records that the bound left out, the error is more than noise.
    few = tk.release_histograms(CODED, 1, 1, 1e9, rng=rng())
    errors = tk.curator_utility(DF, few)["largest_error"]
    kept = tk.bound_contributions(DF, 1, rng=rng())
    assert (errors > 0).all() and errors["harm"] > len(DF) // 10
    own = tk.release_histograms(kept, 0, 1, 1e9, domain=DOMAINS, rng=rng())
    assert (tk.curator_utility(kept, own)["largest_error"] == 0).all(), "no noise, no bound"


def test_largest_noise_is_that_of_theory():
    """Mean of 400 largest of 1,000 noises: b H_k, with standard error b pi / sqrt(6) / 20."""
    scale, k = 5.0, 1_000
    expected = tk.expected_largest_noise(scale, k)
    assert expected == pytest.approx(scale * sum(1 / i for i in range(1, k + 1)), rel=1e-12)
    error = scale * math.pi / math.sqrt(6) / 20
    noise = np.abs(rng().laplace(0, scale, (400, k))).max(axis=1)
    assert noise.mean() == pytest.approx(expected, abs=4.9 * error)  # false alarm 1e-6
    whole = tk.geometric(np.zeros((400, k), int), sensitivity=5, epsilon=1.0, rng=rng())
    assert np.abs(whole).max(axis=1).mean() == pytest.approx(expected, abs=4.9 * error)


@pytest.mark.parametrize("scale", [0.01, 0.5, 2.0, 50.0])
def test_expected_noise_is_the_mean_of_the_law(scale):
    values = np.arange(-4_000, 4_001)
    mean = (np.abs(values) * tk.DiscreteLaplaceNoise(scale).pmf(values)).sum()
    assert tk.expected_noise(scale) == pytest.approx(mean, rel=1e-12)
    assert tk.expected_total_variation(scale, 10, 1_000) == (pytest.approx(mean / 200))


def test_expected_total_variation_is_what_many_releases_have():
    """Far above 0 nothing is clipped; each of 300 has a spread of .0004: error 2.3e-5."""
    table = pd.DataFrame({"p_i": range(12_000), "k_c": np.arange(12_000) % 12})
    df = tk.pre_process(table, {"k": ["k_c"]}, {}, domain={"k_c": range(12)})
    found = [
        tk.curator_histogram_utility(
            df.df, "k", *tk.create_private_histo(df, "k", 0, 1, 1, 0.2, rng=rng(seed))
        ).total_variation
        for seed in range(300)
    ]
    bound = tk.expected_total_variation(5.0, 12, 12_000)
    # Dividing by the noisy total takes out the mean of the 12 noises: a factor of 11/12 in
    # the variance.
    assert np.mean(found) == pytest.approx(bound * math.sqrt(11 / 12), abs=2e-4)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tk.expected_noise(0), ValueError, "scale must be"),
        (lambda: tk.expected_largest_noise(1, 0), ValueError, "bins must be from 1"),
        (lambda: tk.expected_total_variation(1, 1, 0), ValueError, "records must be from 1"),
        (
            lambda: tk.curator_histogram_utility(CALLS, "none", [1], [1.0]),
            *(ValueError, "no one combined column 'none'"),
        ),
        (
            lambda: tk.curator_histogram_utility(CALLS, "kind", [1, 2], [0.5, 0.6]),
            *(ValueError, "weights must be shares of at least 0 that add up to 1"),
        ),
        (
            lambda: tk.curator_histogram_utility(CALLS, "kind", None, None),
            *(TypeError, "population must be a list, as create_private_histo returns it"),
        ),
        (
            lambda: tk.curator_histogram_utility(CALLS, "kind", [1], 1.0),
            *(TypeError, "weights must be a list, as create_private_histo returns it"),
        ),
        (
            lambda: tk.curator_histogram_utility(CALLS, "kind", [[1]], [1.0]),
            *(TypeError, "population must hold integer codes; got [1]"),
        ),
        (lambda: tk.curator_utility(DF, {}), TypeError, "histograms must be"),
    ],
)
def test_utility_refuses(call, kind, message):
    with refuse(message, kind):
        call()


PUBLISHED = {"month": 0.001, "incident": 0.012, "injury": 0.014, "call": 0.466}


@needs_tables
def test_utility_on_detroit_is_the_published_one():
    """Scale 5: one record each, four histograms and one count make 4 + 1, by epsilon 1.

    The published figures are of one release each and printed to three decimals. A mean of 20
    releases may be above one by half of the last decimal and two standard errors of the
    difference, sd * sqrt(1 + 1/20).
    """
    detroit, (combos, bins, domain) = load_detroit(), load_histogram_settings("detroit")
    with pytest.warns(UserWarning, match="not private"):
        domain = tk.infer_domain(detroit) | domain
    combos = {
        "month": ["call_month_c"],
        "incident": ["incident_type_c"],
        "injury": combos["injury"],
        "call": combos["call"],
    }
    df = tk.pre_process(detroit, combos, bins, domain=domain)
    found = []
    for seed in range(20):
        one = tk.release_histograms(df, 1, 1, 1.0, rng=rng(seed))
        assert one.scale == tk.histogram_scale(4, 1, 1, 1.0) == 5.0
        found.append(tk.curator_utility(df, one)["total_variation"])
    found = pd.DataFrame(found)
    for name, figure in PUBLISHED.items():
        slack = 0.0005 + 2 * found[name].std() * math.sqrt(1 + 1 / 20)
        assert found[name].mean() <= figure + slack, name


@needs_tables
def test_the_type_of_an_incident_cannot_be_released_well():
    detroit, (combos, bins, domain) = load_detroit(), load_histogram_settings("detroit")
    with pytest.warns(UserWarning, match="not private"):
        domain = tk.infer_domain(detroit) | domain
    df = tk.pre_process(detroit, combos, bins, domain=domain)
    found = tk.release_histograms(df, 1, 1, 1.0, rng=rng())
    assert found.scale == 5.0 and found.summary.loc["type", "threshold"] == 84
    utility = tk.curator_utility(df, found).loc["type"]
    assert utility["cells"] == 41_648_640
    assert utility["total_variation"] == pytest.approx(0.95, abs=0.02)


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(0, 50), st.sampled_from(["clip", "simplex"]))
def test_a_release_is_a_histogram_whatever_the_seed(size, seed, method):
    found = tk.release_histograms(
        CODED, 1, size, 0.3, consistent=bool(seed % 2), method=method, rng=rng(seed)
    )
    for name in found:
        population, weights = found[name]
        assert len(population) == len(weights) == DOMAINS[name].size
        assert min(weights) >= 0 and math.fsum(weights) == pytest.approx(1)
