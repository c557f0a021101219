"""Private histograms: the proof, the law of the noise, codes, and the original of 2021."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import toolkit as tk
from tests.benchmarks.histograms import original_pre_process
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


# ---------------------------------------------------------------- the proof


@pytest.mark.parametrize("s", [1, 2])
def test_one_individual_moves_all_answers_by_at_most_sensitivity(s):
    """Every table of two others and one with up to s records, over two histograms."""
    domain = dict.fromkeys(["a_c", "b_c"], range(2))
    combos = {"one": ["a_c"], "both": ["a_c", "b_c"]}
    domains = tk.combined_domains(combos, {}, domain)
    cells = list(itertools.product(range(2), repeat=2))
    worst = 0
    for own in itertools.product(cells, repeat=s):
        table = pd.DataFrame([*cells[:2], *own], columns=["a_c", "b_c"])
        table["p_i"] = [0, 1, *[2] * s]
        answers = []
        for who in (table, tk.without_individual(table, 2)):
            df = tk.pre_process(who, combos, {}, domain=domain).df
            counts = [
                np.bincount(domains[n].find(df[n].to_numpy()), minlength=domains[n].size)
                for n in combos
            ]
            answers.append(np.concatenate([*counts, [df["p_i"].nunique()]]))
        worst = max(worst, np.abs(answers[0] - answers[1]).sum())
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
    bare = CALLS.rename(columns={"kind_c": "kind"})
    assert tk.create_private_histo(bare, "kind", 1, 1, 2, 1.0, domain=[1, 9])[0] == [1, 9]
    with pytest.raises(ValueError, match="possible codes of 'kind' are not declared"):
        tk.create_private_histo(bare, "kind", 1, 1, 2, 1.0)


@pytest.mark.parametrize("release", ["histogram", "all", "people"])
def test_the_budget_is_charged_before_the_data_are_read(release):
    budget, table = tk.PrivacyBudget(1.0), coded()
    give = {
        "histogram": lambda **more: tk.create_private_histo(
            table, "kind", 0, 1, 2, 1.0, **more
        ),
        "all": lambda **more: tk.release_histograms(table, 0, 1, 1.0, **more),
        "people": lambda **more: tk.population_query(table, 2, 1.0, **more),
    }[release]
    if release != "people":  # somebody has three records, and what is refused is paid for
        with pytest.raises(ValueError, match="sample = 0 declares"):
            give(budget=budget)
    else:
        give(budget=budget)
    assert budget.spent.epsilon == {"all": 1.0}.get(release, 0.5)
    with pytest.raises(ValueError, match="the budget cannot pay"):
        give(budget=tk.PrivacyBudget(0.1))
    with pytest.warns(UserWarning, match="noise of numpy .* not for releases"):
        tk.population_query(table, 2, 1.0, rng=rng(), budget=tk.PrivacyBudget(1.0))


def test_releases_are_drawn_by_opendp_without_a_generator():
    pytest.importorskip("opendp")
    secret = tk.release_histograms(coded(), 1, 1, 1.0)
    lesson = tk.release_histograms(coded(), 1, 1, 1.0, rng=rng())
    assert (secret.backend, lesson.backend) == ("opendp", "numpy")
    assert "numpy, not for releases" in repr(lesson) and "opendp" in repr(secret)


# ---------------------------------------------------------------- the law of the noise


def outcome_law(count, scale, threshold, most):
    """Law of one cell by definition: not listed, or its noisy count, from `most` on as one."""
    values = np.arange(threshold + 1, most)
    listed = tk.DiscreteLaplaceNoise(scale).pmf(values - count)
    above = 1 - tk.DiscreteLaplaceNoise(scale).cdf(most - 1 - count)
    return np.array([1 - listed.sum() - above, *listed, above])


@pytest.mark.parametrize("way", ["written out", "numpy", "opendp"])
def test_large_domains_have_the_law_of_noise_on_every_cell(way, monkeypatch):
    """Each cell's outcome against the definition; false alarm 1e-6 each."""
    if way == "opendp":
        pytest.importorskip("opendp")
    if way != "written out":
        monkeypatch.setattr(histograms, "MOST_LISTED", 4)
    codes = [1, 2, 3, 5, 6, 7, 8, 9, 12]
    domain = tk.combined_domains({"k": ["k_c"]}, {}, {"k_c": codes})["k"]
    cells, threshold, most = np.array([1] * 5 + [4] * 2 + [8]), 1, 7
    df = pd.DataFrame({"p_i": range(8), "k": domain.codes(cells)})
    true = np.bincount(cells, minlength=domain.size)
    noise = histograms._noise(2, 1.0, None if way == "opendp" else rng(3))
    tally = np.zeros((domain.size, most - threshold + 1), int)
    for _ in range(1_500):
        noisy = histograms._counted(df, domain, 0, 1, noise, threshold)
        assert (noisy.counts > threshold).all() and (np.diff(noisy.cells) > 0).all()
        outcome = np.zeros(domain.size, int)
        outcome[noisy.cells] = np.minimum(noisy.counts, most) - threshold
        tally[np.arange(domain.size), outcome] += 1
    for cell in range(domain.size):
        expected = outcome_law(true[cell], 2.0, threshold, most) * 1_500
        assert stats.chisquare(tally[cell], expected).pvalue > 1e-6


def test_millions_of_cells_are_not_written_out():
    table = pd.DataFrame({"p_i": range(300), "a_c": 7, "b_c": [3, 4, 4] * 100})
    codes = {"a_c": range(9_000), "b_c": range(9_000)}
    wide = tk.pre_process(table, {"k": ["a_c", "b_c"]}, {}, domain=codes)
    population, weights = tk.create_private_histo(wide, "k", 0, 1, 1, 1.0, rng=rng())
    assert {100070003, 100070004} <= {*population} and len(population) < 10
    assert sum(weights) == pytest.approx(1)
    with pytest.raises(ValueError, match="lists too many empty cells"):
        tk.create_private_histo(wide, "k", 0, 1, 1, 1.0, rng=rng(), threshold=0)


@given(st.integers(1, 10**12), st.floats(0.1, 1e3))
def test_the_threshold_lifts_at_most_one_empty_cell_on_average(cells, scale):
    threshold = tk.release_threshold(cells, scale)
    law = tk.DiscreteLaplaceNoise(scale)
    assert cells * law.sf(threshold + 1) / 2 <= 1 + 1e-9
    assert threshold == 0 or cells * law.sf(threshold) / 2 > 1 - 1e-9


# ---------------------------------------------------------------- histograms that agree


SHAPE = {"a": 3, "b": 2, "c": 4}
AXES = {"one": ["a", "b"], "two": ["b", "c"], "three": ["c", "a"], "four": ["b"]}


def noisy_tables(seed, names):
    return {
        name: rng([seed, i]).integers(-5, 30, [SHAPE[axis] for axis in AXES[name]])
        for i, name in enumerate(names)
    }


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


def test_a_consistent_release_agrees_on_what_its_histograms_share():
    plan = {"sample": 1, "sample_size": 1, "epsilon": 0.5}
    release = tk.release_histograms(CODED, **plan, consistent=True, rng=rng())
    shares = {n: release.shares[n].reshape(release.cells[n].domain.shape) for n in release}
    np.testing.assert_allclose(
        shares["what"].sum(axis=0), shares["harm"].sum(axis=1), atol=1e-12
    )
    for own in shares.values():
        assert own.min() >= 0 and own.sum() == pytest.approx(1)
    alone = tk.release_histograms(CODED, **plan, rng=rng())
    for name in release:
        np.testing.assert_array_equal(release.cells[name].counts, alone.cells[name].counts)


# ---------------------------------------------------------------- rows again


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


# ---------------------------------------------------------------- codes


def test_unit_facts_of_the_original():
    three = {"shift_c": ["spd", 1, 3], "pca_c": ["spd", 3, 5], "dca_c": ["spd", 5, 7]}
    two = {"company_c": ["cp", 1, 3], "payment_c": ["cp", 3, 4]}
    numeric = ["fare_n", "tips_n", "seconds_n", "miles_n"]
    four = {name: ["fare", 2 * i, 2 * i + 2] for i, name in enumerate(numeric)}
    bins = load_histogram_settings("taxi").num_dict
    taxi = pd.DataFrame({"t_i": [1], **{name: [0] for name in numeric}})
    _, num_decode, _ = tk.pre_process(taxi, {"fare": numeric}, bins)
    decoders = bins, num_decode, three | two | four
    for code, column, value in [
        ("1130608", "shift_c", 13),
        ("1130608", "pca_c", 6),
        (1130608, "dca_c", 8),
        ("1270", "company_c", 27),
        (np.int64(1270), "payment_c", 0),
        ("11101810", "tips_n", 0),
        ("11101810", "miles_n", 0),
    ]:
        found = tk.col_decoder(*decoders, code, column)
        assert found == value and isinstance(found, int)
    rng = np.random.default_rng(1)
    for column, old, new in [
        ("fare_n", range(5), range(1, 6)),
        ("seconds_n", range(700, 800), range(701, 801)),
    ]:
        codes = np.full(2_000, 11101810)
        with pytest.warns(UserWarning):
            read = legacy.col_decoder(*decoders, codes, column, rng=rng)
        assert set(read) == set(old), "all of 100 values occur but for chance 2e-7"
        assert set(tk.col_decoder(*decoders, codes, column, rng=rng)) == set(new)
        assert tk.col_decoder(*decoders, "11101810", column) in set(old) & set(new)


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
    with pytest.warns(UserWarning):
        old = legacy.pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(old[0], theirs[0])
    assert old[1] == theirs[1] and old[2] == theirs[2]


def test_what_is_outside_the_domain_is_moved_inside_without_a_word():
    table = pd.DataFrame({"p_i": range(5), "a_c": pd.array([0, 8, 99, None, 10**12], "Int64")})
    df = tk.pre_process(table, {"a": ["a_c"]}, {}, domain={"a_c": [5, 9]}).df
    assert (df["a"] - 10).tolist() == [5, 9, 9, 5, 9]


# ---------------------------------------------------------------- the original, audited


@pytest.mark.parametrize("name", PAIRS)
def test_the_auditor_flags_the_original_and_not_this_workflow(name):
    """A right mechanism is flagged with probability of at most .001 a pair."""
    pair = PAIRS[name]
    plan = {"epsilon": pair.claim, "samples": (5_000, 20_000), "batch": True}
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
    assert legacy.create_private_histo(df, "kind", 0, 1, 1, 9.0, rng=rng())[0] == [11, 12, 13]
    listed = legacy.create_private_histo(
        df, "kind", 1, 4, 1, 9.0, rng=rng(), domain=range(11, 16)
    )
    assert listed[0] == [11, 12, 13, 14, 15] and listed[1][3:] == [0, 0]
    with pytest.raises(ZeroDivisionError):
        for seed in range(200):
            legacy.create_private_histo(df[:1], "kind", 0, 1, 50, 1.0, rng=rng(seed))


# ---------------------------------------------------------------- refusals, a row per kind


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"combo_dict": {"k": ["no_c"]}}, "names 'no_c', which is no column"),
        ({"combo_dict": {"kind_c": ["kind_c"]}}, "is already a column"),
        ({"combo_dict": {"k": ["kind_c", "wait_n"]}}, "mixes categorical"),
        ({"combo_dict": {"k": ["call_i"]}}, "that end in _c or _n only"),
        ({"combo_dict": {"k": ["kind_c", "kind_c"]}}, "each once"),
        ({"num_dict": {}}, "num_dict lacks 'wait_n'"),
        ({"num_dict": {"wait_n": [50, 7, 60]}}, "does not divide"),
        ({"num_dict": {"wait_n": [50, 60, 70]}}, "must rise from 0"),
        ({"num_dict": {"wait_n": [50, 5, 50]}}, "above the top 50"),
        ({"domain": {}}, "domain lacks 'kind_c'"),
        ({"domain": {"kind_c": [1, 1]}}, "whole numbers of at least 0, each once"),
        ({"domain": {"kind_c": [10**17]}}, "too many digits"),
        ({"ground_truth": CALLS[["kind_c"]]}, "exactly one must end in _i"),
        ({"ground_truth": CALLS.assign(wait_n=0.5)}, "must hold integers; got float64"),
        ({"ground_truth": CALLS.assign(wait_n=-1)}, "holds negative numbers"),
    ],
)
def test_input_is_refused_with_its_reason(changes, reason, capsys):
    table = CALLS.assign(wait_n=3)
    given = {
        "ground_truth": table,
        "combo_dict": {"k": ["kind_c"]},
        "num_dict": {"wait_n": [50, 5, 60]},
    }
    given |= {"domain": {"kind_c": range(4)}}
    assert tk.check_input(**given) == 1
    assert tk.check_input(**(given | changes)) == 0
    assert reason in capsys.readouterr().out
    with pytest.raises(ValueError, match=reason):
        tk.check_input(**(given | changes), strict=True)
