"""Private histograms: the proof, the law of the noise, codes, and the original of 2021."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import toolkit as tk
from tests.oracles.histograms import original_pre_process
from toolkit.datasets import load_histogram_settings, load_incidents
from toolkit.dp import histograms, legacy

INCIDENTS = load_incidents()
COMBOS, BINS, DOMAIN = load_histogram_settings("incidents")
CODED = tk.pre_process(INCIDENTS, COMBOS, BINS, domain=DOMAIN)
CALLS = pd.DataFrame({"call_i": [1, 1, 1, 2, 3], "kind_c": [1, 1, 3, 2, 2]})
KINDS = {"kind": ["kind_c"]}, {}, {"kind_c": range(1, 5)}
PAIRS = tk.neighbour_pairs()


def rng(seed=1):
    return np.random.default_rng(seed)


def coded(table=CALLS):
    return tk.pre_process(table, *KINDS[:2], domain=KINDS[2])


@pytest.mark.parametrize("s", [1, 2])
def test_one_individual_moves_all_answers_by_at_most_sensitivity(s):
    """Every table of two others and one with up to s records, over two histograms."""
    domain = dict.fromkeys(["a_c", "b_c"], range(2))
    combos = {"one": ["a_c"], "both": ["a_c", "b_c"]}
    domains = tk.combined_domains(combos, {}, domain)

    def answers(table):
        df = tk.pre_process(table, combos, {}, domain=domain).df
        codes = {name: own.codes(np.arange(own.size)) for name, own in domains.items()}
        counts = [df[n].value_counts().reindex(codes[n], fill_value=0) for n in combos]
        return np.concatenate([*counts, [df["p_i"].nunique()]])

    cells, worst = list(itertools.product(range(2), repeat=2)), 0
    for own in itertools.product(cells, repeat=s):
        table = pd.DataFrame([*cells[:2], *own], columns=["a_c", "b_c"])
        table["p_i"] = [0, 1, *[2] * s]
        change = answers(table) - answers(tk.without_individual(table, 2))
        worst = max(worst, np.abs(change).sum())
    assert worst == tk.histogram_sensitivity(2, s, 1) == 2 * s + 1
    assert tk.histogram_scale(2, s, 1, 0.5) == worst / 0.5
    parts = 2 * tk.histogram_epsilon(s, worst, 0.5) + tk.histogram_epsilon(1, worst, 0.5)
    assert parts == pytest.approx(0.5)


def test_records_are_drawn_without_replacement_and_evenly():
    """Chi-square over the pairs of four records; false alarm 1e-6 for the seed."""
    table, source = pd.DataFrame({"p_i": [1, 2, 1, 1, 1], "k_x": range(5)}), rng()
    pairs = [tuple(tk.bound_contributions(table, 2, rng=source)["k_x"]) for _ in range(3_000)]
    counts = pd.Series(pairs).value_counts()
    assert len(counts) == 6 and all(1 in pair and len(pair) == 3 for pair in pairs)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_labels_of_a_release_come_from_the_declared_domain():
    """A code that nobody has is listed, one outside is not, with both kinds of noise."""
    outside = pd.concat([CALLS, pd.DataFrame({"call_i": [9], "kind_c": [77]})])
    for table, source in itertools.product((CALLS, outside, CALLS[:1]), (None, rng())):
        population, weights = tk.create_private_histo(
            coded(table), "kind", 1, 1, 2, 1.0, rng=source
        )
        assert population == [11, 12, 13, 14] and sum(weights) == pytest.approx(1)
    bare = pd.DataFrame({"call_i": range(6), "kind": [11, 11, 13, 77, 10, 211]})
    declared = tk.combined_domains(*KINDS)
    release = tk.release_histograms(bare, 0, 1, 1e6, domain=declared, rng=rng())
    assert [*release.cells] == ["kind"] and release["kind"][0] == [11, 12, 13, 14]
    assert release.cells["kind"].counts.tolist() == [2, 0, 1, 0]
    nothing = histograms.NoisyCells(declared["kind"], np.arange(4), np.array([-1, 0, 0, -2]))
    assert nothing.shares.tolist() == [0.25] * 4
    with pytest.raises(ValueError, match="possible codes of 'kind' are not declared"):
        tk.create_private_histo(bare, "kind", 1, 1, 2, 1.0)
    unnamed = bare.assign(call_i=pd.array([1, *[None] * 5], "Int64"))  # may all be one's
    with pytest.raises(ValueError, match="sample = 0 declares"):
        tk.release_histograms(unnamed, 0, 1, 1.0, domain=declared, rng=rng())
    assert tk.population_query(unnamed, 1, 1e9, rng=rng()) == 2
    assert tk.without_individual(unnamed, 1).equals(unnamed[1:])


RELEASES = {  # each with the epsilon that it costs
    "histogram": (
        lambda **more: tk.create_private_histo(coded(), "kind", 0, 1, 2, 1.0, **more),
        0.5,
    ),
    "all": (lambda **more: tk.release_histograms(coded(), 0, 1, 1.0, **more), 1.0),
    "people": (lambda **more: tk.population_query(CALLS[["kind_c"]], 2, 1.0, **more), 0.5),
}


@pytest.mark.parametrize(("give", "cost"), RELEASES.values(), ids=RELEASES)
def test_the_budget_is_charged_before_the_data_are_read(give, cost):
    """Somebody has three records, or nobody is named; what is refused for that is paid for."""
    budget = tk.PrivacyBudget(1.0)
    with pytest.raises(ValueError, match=r"sample = 0 declares|ends in _i"):
        give(budget=budget)
    assert budget.spent.epsilon == cost
    with pytest.raises(ValueError, match="the budget cannot pay"):
        give(budget=tk.PrivacyBudget(0.1))
    with pytest.warns(UserWarning, match="noise of numpy .* not for releases"):
        tk.population_query(CALLS, 2, 1.0, rng=rng(), budget=tk.PrivacyBudget(1.0))


def test_releases_are_drawn_by_opendp_without_a_generator():
    pytest.importorskip("opendp")
    secret = tk.release_histograms(coded(), 1, 1, 1.0)
    lesson = tk.release_histograms(coded(), 1, 1, 1.0, rng=rng())
    assert (secret.backend, lesson.backend) == ("opendp", "numpy")
    assert "numpy, not for releases" in repr(lesson) and "opendp" in repr(secret)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("source", [3, None], ids=["numpy", "opendp"])
def test_every_cell_has_noise_and_large_domains_list_what_is_above_a_threshold(
    source, large, monkeypatch
):
    """Each cell's count, or that it is not listed, against the pmf; false alarm 1e-6 each."""
    if source is None:
        pytest.importorskip("opendp")
    monkeypatch.setattr(histograms, "MOST_LISTED", 4 if large else 9)
    domain = tk.combined_domains({"k": ["k_c"]}, {}, {"k_c": [1, 2, 3, 5, 6, 7, 8, 9, 12]})
    cells, draws, law = np.array([1] * 5 + [4] * 2 + [8]), 1_500, tk.DiscreteLaplaceNoise(2)
    df = pd.DataFrame({"p_i": range(8), "k": domain["k"].codes(cells)})
    least = tk.release_threshold(9, 2.0) + 1 if large else -6
    values, rng = np.arange(least, 9), source and np.random.default_rng(source)
    tally = np.zeros((9, len(values) + 1), int)
    for _ in range(draws):
        asked = {"population_queries": 0, "domain": domain, "rng": rng}
        noisy = tk.release_histograms(df, 0, 1, 0.5, **asked).cells["k"]
        assert (np.diff(noisy.cells) > 0).all() and (len(noisy.cells) == 9 or large)
        assert not large or (noisy.counts >= least).all()
        inside = (noisy.counts >= least) & (noisy.counts <= 8)
        np.add.at(tally, (noisy.cells[inside], noisy.counts[inside] - least), 1)
    tally[:, -1] = draws - tally.sum(axis=1)
    for cell, count in enumerate(np.bincount(cells, minlength=9)):
        expected = law.pmf(values - count) * draws
        expected = np.append(expected, draws - expected.sum())
        assert stats.chisquare(tally[cell], expected).pvalue > 1e-6


@given(st.floats(0.2, 50), st.integers(1, 40), st.integers(1, 5_000))
def test_noise_to_be_expected(scale, bins, records):
    law, k = tk.DiscreteLaplaceNoise(scale), np.arange(0, 60 * math.ceil(scale))
    mean = 2 * float(k @ law.pmf(k))
    assert tk.expected_noise(scale) == pytest.approx(mean, rel=1e-9)
    variation = tk.expected_total_variation(scale, bins, records)
    assert variation == pytest.approx(min(1, bins * mean / (2 * records)), rel=1e-9)
    continuous = scale * sum(1 / i for i in range(1, bins + 1))
    assert tk.expected_largest_noise(scale, bins) == pytest.approx(continuous, rel=1e-12)


@given(st.integers(1, 10**12), st.floats(0.1, 1e3))
def test_the_threshold_lifts_at_most_one_empty_cell_on_average(cells, scale):
    threshold = tk.release_threshold(cells, scale)
    law = tk.DiscreteLaplaceNoise(scale)
    assert cells * law.sf(threshold + 1) / 2 <= 1 + 1e-9
    assert threshold == 0 or cells * law.sf(threshold) / 2 > 1 - 1e-9


def test_simulated_rows_follow_the_weights():
    """Chi-square; false alarm 1e-6 for the seed."""
    release = tk.release_histograms(CODED, 1, 1, 5.0, rng=rng())
    rows = tk.simulate_rows(release, 20_000, rng=rng())
    codes = tk.pre_process(rows.assign(p_i=range(len(rows))), COMBOS, BINS, domain=DOMAIN).df
    population, weights = release["what"]
    weights = np.array(weights)
    seen = codes["what"].value_counts().reindex(population, fill_value=0).to_numpy()
    assert (seen[weights == 0] == 0).all()
    possible = weights > 0
    assert stats.chisquare(seen[possible], weights[possible] * 20_000).pvalue > 1e-6
    assert len(tk.simulate_rows(release, rng=rng())) == max(release.population, 0)


def test_utility_by_its_definition():
    release = tk.release_histograms(CODED, 1, 39, 5.0, rng=rng(2))  # all records count
    found = tk.curator_utility(CODED, release)
    assert found.index.tolist() == [*COMBOS] and found["curator_only"].all()
    assert release.scale == (4 * 39 + 1) / 5 == release.summary["scale"].min()
    for name, (population, weights) in {name: release[name] for name in COMBOS}.items():
        true = CODED.df[name].value_counts().reindex(population, fill_value=0).to_numpy()
        apart = np.abs(true / true.sum() - weights)
        row, counts = found.loc[name], release.cells[name].counts
        assert row["cells"] == len(population) and row["occupied"] == (true > 0).sum()
        assert row["total_variation"] == pytest.approx(apart.sum() / 2)
        assert row["largest_error"] == np.abs(counts - true).max()
        largest = tk.expected_largest_noise(release.scale, len(population))
        assert row["expected_largest_noise"] == largest
        positive = np.maximum(counts, 0)
        np.testing.assert_allclose(weights, positive / positive.sum())


def test_histograms_that_share_a_column_are_linked():
    combos, names = {"one": ["a_c", "b_c"], "two": ["b_c", "c_c"]}, ["a_c", "b_c", "c_c"]
    table = pd.DataFrame({"p_i": range(400), "a_c": [0, 1] * 200})
    table["b_c"], table["c_c"] = table["a_c"], 1 - table["a_c"]
    df = tk.pre_process(table, combos, {}, domain=dict.fromkeys(names, range(2)))
    release = tk.release_histograms(df, 0, 1, 1e6, population_queries=0, rng=rng())
    rows = tk.simulate_rows(release, 2_000, rng=rng())
    assert (rows["a_c"] == rows["b_c"]).all() and (rows["c_c"] == 1 - rows["b_c"]).all()
    assert 800 < rows["a_c"].sum() < 1_200


def test_what_the_original_reads_from_a_code_and_what_is_in_it():
    """The guide's fares from 1 to 5 and seconds from 701 to 800; the original is one off."""
    numeric = ["fare_n", "tips_n", "seconds_n", "miles_n"]
    bins = load_histogram_settings("taxi").num_dict
    taxi = pd.DataFrame({"t_i": [1], **{name: [0] for name in numeric}})
    _, *decoders = tk.pre_process(taxi, {"fare": numeric}, bins)
    for column, old, new in [
        ("fare_n", range(5), range(1, 6)),
        ("seconds_n", range(700, 800), range(701, 801)),
    ]:
        codes, source = np.full(2_000, 11101810), rng()
        read = legacy.col_decoder(bins, *decoders, codes, column, rng=source)
        assert set(read) == set(old), "all of 100 values occur but for chance 2e-7"
        assert set(tk.col_decoder(bins, *decoders, codes, column, rng=source)) == set(new)
    for code in ("11101810", np.int64(11101810)):
        found = tk.col_decoder(bins, *decoders, code, "miles_n")
        assert found == 0 and isinstance(found, int)
    with pytest.raises(ValueError, match="a code of 'fare' has 8 digits"):
        tk.col_decoder(bins, *decoders, 1110181, "fare_n")


SOME_BINS = st.tuples(st.integers(2, 12), st.integers(1, 9), st.integers(1, 50))


@st.composite
def tables(draw):
    """A table, two combinations, bins and a domain that has what occurs, and more."""
    n = draw(st.integers(1, 8))
    data = {"p_i": draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))}
    domain, bins = {}, {}
    for name, most in {"a_c": 120, "b_c": 12, "c_c": 9}.items():
        codes = draw(st.lists(st.integers(0, most), min_size=1, max_size=4, unique=True))
        domain[name] = draw(st.sampled_from([codes, range(max(codes) + 1)]))
        data[name] = draw(st.lists(st.sampled_from(codes), min_size=n, max_size=n))
    for name in ("x_n", "y_n"):
        number, increment, more = draw(SOME_BINS)
        bins[name] = [number * increment, increment, number * increment + more]
        values = st.integers(0, bins[name][2])
        data[name] = draw(st.lists(values, min_size=n, max_size=n))
    table = pd.DataFrame(data, index=draw(st.permutations(range(n))))
    return table, {"k": ["a_c", "b_c", "c_c"], "m": ["x_n", "y_n"]}, bins, domain


@settings(max_examples=50)
@given(tables(), st.integers(0, 9))
def test_every_value_survives_coding_and_decoding(case, seed):
    table, combos, bins, domain = case
    df, num_decode, col_decode = tk.pre_process(table, combos, bins, domain=domain)
    back = pd.DataFrame({"p_i": table["p_i"]})
    for combo, columns in combos.items():
        for column in columns:
            for rng in (None, np.random.default_rng(seed)):
                back[column] = tk.col_decoder(
                    bins, num_decode, col_decode, df[combo], column, rng=rng
                )
    for column in combos["k"]:
        assert back[column].tolist() == table[column].tolist()
    again, *_ = tk.pre_process(back, combos, bins, domain=domain)
    pd.testing.assert_frame_equal(again, df)
    for name, (top, increment, _) in bins.items():
        within = table[name] <= top
        assert ((back[name] - table[name]).abs() < increment)[within].all()
        assert (back[name] > top)[~within].all()


@settings(max_examples=30)
@given(tables())
def test_codes_agree_with_the_original_where_the_widths_do(case):
    table, combos, bins, _ = case
    domain = {name: range(table[name].max() + 1) for name in combos["k"]}
    df, num_decode, col_decode = tk.pre_process(table, combos, bins, domain=domain)
    theirs = original_pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(df, theirs[0])
    assert num_decode == theirs[1] and col_decode == theirs[2]
    old = legacy.pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(old[0], theirs[0])
    assert old[1] == theirs[1] and old[2] == theirs[2]


def test_what_is_outside_the_domain_is_moved_inside_without_a_word():
    table = pd.DataFrame({"p_i": range(5), "a_c": pd.array([0, 8, 99, None, 10**12], "Int64")})
    df = tk.pre_process(table, {"a": ["a_c"]}, {}, domain={"a_c": [5, 9]}).df
    assert (df["a"] - 10).tolist() == [5, 9, 9, 5, 9]


@pytest.mark.parametrize(("top", "codes"), [(87, [10, 98]), (88, [10, 99]), (89, [100, 190])])
def test_more_than_ninety_bins_have_three_digits(top, codes):
    domain = tk.combined_domains({"w": ["w_n"]}, {"w_n": [top, 1, 200]}, {})["w"]
    assert domain.size == top + 2
    assert domain.codes(np.array([0, top + 1])).tolist() == codes


@pytest.mark.parametrize("name", PAIRS)
def test_the_auditor_flags_the_original_and_not_this_workflow(name):
    """A right mechanism is flagged with probability of at most .001 a pair."""
    pair = PAIRS[name]
    plan = {"epsilon": pair.claim, "samples": 20_000, "batch": True}
    old, new = (
        tk.audit(workflow(pair), pair.data, pair.neighbour, **plan, rng=rng())
        for workflow in (legacy.histogram_mechanism, tk.histogram_mechanism)
    )
    assert (old.verdict, new.verdict) == ("violation", "no violation found")
    assert new.epsilon_lower > pair.claim / 5, "the pair puts the claim to the test"
    own = len(pair.data) - len(pair.neighbour)
    last = pair.data["person_i"].iloc[-1]
    assert tk.without_individual(pair.data, last).equals(pair.neighbour) and own > 0


@pytest.mark.filterwarnings("ignore:dp.legacy")
def test_the_original_lists_what_occurs_and_noises_what_is_not_empty():
    df, *_ = legacy.pre_process(CALLS, *KINDS[:2])
    with pytest.warns(UserWarning, match="which is not differentially private"):
        listed, _ = legacy.create_private_histo(df, "kind", 0, 1, 1, 9.0, rng=rng())
    assert listed == [11, 12, 13]
    codes, weights = legacy.create_private_histo(df, "kind", 1, 1, 1, 9.0, rng=rng())
    assert codes == [11, 12, 13] and weights.count(0) == 1, "one record of two of the first"
    with pytest.raises(ZeroDivisionError):
        for seed in range(200):
            legacy.create_private_histo(df[:1], "kind", 0, 1, 50, 1.0, rng=rng(seed))


WAITS = CALLS.assign(wait_n=3)
GIVEN = {"combo_dict": {"k": ["kind_c"]}, "num_dict": {"wait_n": [50, 5, 60]}}
GIVEN |= {"ground_truth": WAITS, "domain": {"kind_c": [0, 1, 2, 3, 10**16]}}
LACKS = CALLS.assign(wait_n=pd.array([1, None, 2, 3, 4], "Int64"))
ODD_BINS = [50, 7, 60], [50, 50, 70], [50, 5, 50], [50, 0, 60], [5, 0.5, 6], 50
ODD = [
    ("combo_dict", {"k": ["no_c"]}, "the table lacks: 'no_c'"),
    ("combo_dict", {"kind_c": ["kind_c"]}, "reuses column names .* 'kind_c'"),
    ("combo_dict", {"k": ["kind_c", "wait_n"]}, "must combine columns that all end"),
    ("combo_dict", {"k": ["call_i"]}, "must combine columns that all end"),
    ("num_dict", {}, "num_dict: 'wait_n' needs whole numbers"),
    *(("num_dict", {"wait_n": wrong}, "the increment divides") for wrong in ODD_BINS),
    ("domain", {}, "domain lacks possible codes of 'kind_c'"),
    *(("domain", {"kind_c": [1, x]}, "whole numbers from 0 on") for x in (-1, None)),
    ("domain", {"kind_c": [10**17]}, "1 cells, 18 digits"),
    ("ground_truth", CALLS[["kind_c"]], "exactly one must end in _i"),
    ("ground_truth", CALLS.assign(wait_n=0.5), "that hold no integers"),
    ("ground_truth", WAITS.assign(street=2), "end in none of _i, _c, _n, _x .*'street'"),
    ("ground_truth", pd.concat([WAITS, WAITS["wait_n"]], axis=1), "occur twice .*'wait_n'"),
    ("ground_truth", CALLS.assign(wait_n=-1), "with negative numbers"),
    ("ground_truth", LACKS, "with missing values"),
]


@pytest.mark.parametrize(("argument", "value", "reason"), ODD)
def test_input_is_refused_with_its_reason(argument, value, reason, capsys):
    assert tk.check_input(**GIVEN) == 1
    assert tk.check_input(**GIVEN | {argument: value}) == 0
    assert re.search(reason, capsys.readouterr().out)
    if not reason.startswith("with "):  # which the data disclose
        with pytest.raises(ValueError, match=reason):
            tk.pre_process(**GIVEN | {argument: value})
