"""Differential identifiability: published numbers, laws, exact oracles, refusals."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

import toolkit as tk

CANDIDATES = [2, 4, 5, 6, 7, 8, 9, 10]  # the paper's toy: 1, ..., 10, of which 1, 3 are known
TOY = tk.possible_worlds([1, 3], CANDIDATES)
MEAN = tk.possible_outputs(TOY, "mean")
MEDIAN = tk.possible_outputs(TOY, "median")
THIRD = 1 / 3


def digits(number: float, printed: str) -> bool:
    """Whether a number, rounded as the printed one, is the printed one."""
    places = len(printed.partition(".")[2])
    return f"{number:.{places}f}" == printed


def test_the_toy_of_section_4():
    np.testing.assert_allclose(MEAN, [2, 8 / 3, 3, 10 / 3, 11 / 3, 4, 13 / 3, 14 / 3])
    assert MEDIAN.tolist() == [2] + [3] * 7
    assert tk.sensitive_range("mean", [1, 3], CANDIDATES) == pytest.approx(8 / 3, abs=1e-15)
    assert tk.sensitive_range("median", [1, 3], CANDIDATES) == 1
    assert digits(tk.epsilon_bound(THIRD, 8), "1.252762968495")
    scale = tk.scale_bound(8 / 3, THIRD, 8)
    assert digits(scale, "2.128628267061")
    assert digits(tk.disclosure_risk(MEAN, scale), "0.229438269517")


@pytest.mark.parametrize(
    ("rho", "query", "epsilon"),
    [
        (0.15, "mean", "0.344007"),
        (0.15, "sum", "0.344007"),
        (0.15, "std", "0.371693"),
        (0.15, "var", "0.311110"),
        (THIRD, "mean", "2.249596594584"),
        (THIRD, "std", "2.586570354627"),
        (THIRD, "var", "2.026693607247"),
        (0.9, "mean", "10.115656"),
        (0.9, "std", "15.267451"),
        (0.9, "var", "10.018995"),
    ],
)
def test_tight_epsilon_on_the_toy(rho, query, epsilon):
    assert digits(tk.tight_epsilon(tk.possible_outputs(TOY, query), rho), epsilon)


def test_success_of_the_attack():
    """Against the exact probabilities; 4 standard errors: false alarm 1 in 3,900."""
    tight, loose = tk.tight_scale(MEAN, THIRD), tk.scale_bound(8 / 3, THIRD, 8)
    rng = np.random.default_rng(7)
    trials = 200_000
    for scale, success, fixed in ((loose, 0.1996, 0.572), (tight, 0.2540, 0.622)):
        exact = exact_success(MEAN.to_numpy(), scale)
        assert abs(exact.mean() - success) < 1e-3 and abs(exact[0] - fixed) < 2e-3
        for world, expected in ((None, exact.mean()), (0, exact[0])):
            attack = tk.simulate_attack(MEAN, scale, trials=trials, rng=rng, world=world)
            error = math.sqrt(expected * (1 - expected) / trials)
            assert abs(attack["success"].mean() - expected) < 4 * error


def exact_success(outputs, scale):
    """Probability of the nearest output being the true one, for each world."""
    edges = np.concatenate([[-np.inf], (outputs[1:] + outputs[:-1]) / 2, [np.inf]])

    def below(x):
        tail = np.exp(-np.abs(x) / scale) / 2
        return np.where(x < 0, tail, 1 - tail)

    return below(edges[1:] - outputs) - below(edges[:-1] - outputs)


def exact_risk(outputs, scale, prior=None):
    """Risk by its definition, over all pairs, in many digits."""
    with mpmath.workdps(60):
        f = [mpmath.mpf(float(x)) for x in outputs]
        p = [mpmath.mpf(float(x)) for x in (prior if prior is not None else [1] * len(f))]
        scale = mpmath.mpf(scale)
        return max(
            p[j]
            / mpmath.fsum(
                q * mpmath.exp(-abs(g - f[j]) / scale) for g, q in zip(f, p, strict=True)
            )
            for j in range(len(f))
            if p[j] > 0
        )


def exact_scale(outputs, rho, prior=None):
    """Root of the risk by plain bisection, in many digits."""
    with mpmath.workdps(60):
        width = mpmath.mpf(float(np.ptp(outputs)))
        low, high = width * mpmath.mpf(10) ** -6, width * mpmath.mpf(10) ** 12
        for _ in range(170):
            middle = mpmath.sqrt(low * high)
            risk = exact_risk(outputs, middle, prior)
            low, high = (low, middle) if risk <= mpmath.mpf(rho) else (middle, high)
        return high


def test_priors_whose_sum_is_rounded_leave_no_more_than_the_policy():
    """1/3 and 2/3 as floats add up to 5.6e-17 less than 1: that decides where rho is near."""
    rng, tried = np.random.default_rng(0), 0
    cases = [(np.array([0, 1]), np.array([1, 2]) / 3, 0.015625)]
    for _ in range(400):
        outputs = rng.integers(-4, 5, rng.integers(2, 12))
        shares = rng.integers(1, 51, outputs.size)
        cases.append((outputs, shares / shares.sum(), rng.integers(1, 63) / 64))
    for outputs, prior, position in cases:
        alone = max(p / prior[outputs == x].sum() for x, p in zip(outputs, prior, strict=True))
        rho = prior.max() + (alone - prior.max()) * position
        if prior.max() * (1 + 1e-4) < rho < alone:
            scale, tried = tk.tight_scale(outputs, rho, prior=prior), tried + 1
            assert exact_risk(outputs, scale, prior) <= mpmath.mpf(rho)
    assert tried > 300


@settings(max_examples=40)
@given(
    outputs=st.lists(st.integers(-40, 40), min_size=2, max_size=7),
    shares=st.none() | st.lists(st.integers(1, 50), min_size=7, max_size=7),
    exponent=st.floats(-4, 0),
)
def test_the_scale_is_right_to_ten_digits_and_never_too_small(outputs, shares, exponent):
    assume(len(set(outputs)) > 1)
    p = np.ones(len(outputs)) if shares is None else np.array(shares[: len(outputs)])
    p = p / p.sum()
    alone = max(q / p[np.equal(outputs, x)].sum() for x, q in zip(outputs, p, strict=True))
    rho = p.max() + (alone - p.max()) * 10**exponent * 0.99
    assume(p.max() * (1 + 1e-4) < rho < alone)
    prior = None if shares is None else p
    scale, truth = tk.tight_scale(outputs, rho, prior=prior), exact_scale(outputs, rho, prior)
    assert abs(scale / truth - 1) <= 1e-10
    assert exact_risk(outputs, scale, prior) <= mpmath.mpf(rho)
    assert tk.disclosure_risk(outputs, scale, prior=prior) <= rho
    # ε is rounded down, and leads back to no smaller scale.
    width = float(np.ptp(outputs))
    assert width / tk.tight_epsilon(outputs, rho, prior=prior) >= scale
    # The bound with the effective number of worlds suffices too, up to the rounding of rho.
    least = scale * (1 - 1e-12 - 1e-15 / (rho - p.max()))
    assert tk.scale_bound(width, rho, tk.effective_worlds(p)) >= least


@pytest.mark.parametrize("excess", [1e-4, 1e-6, 1e-8, 1e-10])
def test_near_one_over_m_the_scale_is_as_good_as_rho(excess):
    outputs = [0.0, 1.0, 4.0, 4.5]
    rho = 0.25 * (1 + excess)
    truth = exact_scale(outputs, rho)
    scale = tk.tight_scale(outputs, rho)
    assert exact_risk(outputs, scale) <= mpmath.mpf(rho)
    assert abs(scale / truth - 1) <= 1e-14 + 1e-15 / excess
    excess_of_rho = Fraction(rho) * 4 - 1
    odds = mpmath.mpf(excess_of_rho.numerator) / excess_of_rho.denominator / (1 - rho)
    assert tk.epsilon_bound(rho, 4) == pytest.approx(float(mpmath.log1p(odds)), rel=1e-14)


@given(
    outputs=st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=1, max_size=30),
    scale=st.floats(1e-3, 1e6),
    seed=st.integers(0, 99),
)
def test_risk_by_recurrence_is_that_of_all_pairs(outputs, scale, seed):
    f = np.asarray(outputs)
    for prior in (None, np.random.default_rng(seed).dirichlet(np.ones(f.size))):
        p = np.ones(f.size) if prior is None else prior
        naive = p / (np.exp(-np.abs(f - f[:, None]) / scale) @ p)
        np.testing.assert_allclose(tk.world_risks(f, scale, prior=prior), naive, rtol=1e-12)


@pytest.mark.parametrize("rho", [0.5, 0.1, 1e-3, 2**-16])
def test_a_hundred_thousand_worlds(rho):
    """On a lattice the worst world is an end, a finite geometric series."""
    lattice, ragged = np.arange(100_000), np.random.default_rng(3).lognormal(size=100_000)
    for outputs in (lattice, ragged):
        scale = tk.tight_scale(outputs, rho)
        risk = tk.disclosure_risk(outputs, scale)
        assert risk <= rho and risk == pytest.approx(rho, rel=1e-9)
    x = mpmath.exp(-1 / mpmath.mpf(tk.tight_scale(lattice, rho)))
    risk = float((1 - x) / (1 - x**100_000))
    assert risk <= rho and risk == pytest.approx(rho, rel=1e-10)


def long_risk(outputs, scale):
    """Risk of many worlds by recurrences in long double, 11 bits better than a float."""
    f = np.sort(np.asarray(outputs)).astype(np.longdouble)
    decay = np.exp(-np.diff(f) / np.longdouble(scale))
    sums = np.ones((2, f.size), dtype=np.longdouble)
    for i in range(1, f.size):
        sums[0, i] += sums[0, i - 1] * decay[i - 1]
        sums[1, -i - 1] += sums[1, -i] * decay[-i]
    return (1 / (sums.sum(axis=0) - 1)).max()


SHAPES = {
    "lognormal": lambda rng, m: rng.lognormal(size=m),
    "heavy tails": lambda rng, m: rng.standard_cauchy(m),
    "all scales": lambda rng, m: 10.0 ** rng.uniform(-12, 12, m),
    "ties": lambda rng, m: rng.integers(0, m // 20, m).astype(float),
    "two clusters": lambda rng, m: rng.normal(size=m) + 1e6 * rng.integers(0, 2, m),
}


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is a float here")
@pytest.mark.parametrize("m", [3_000, pytest.param(100_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("shape", SHAPES)
def test_many_worlds_of_any_shape(shape, m):
    outputs = SHAPES[shape](np.random.default_rng(9), m)
    rarest = np.unique(outputs, return_counts=True)[1].min()
    for rho in (0.5, 0.1, 1e-3, (1 + 1e-4) / m):
        if rho < 1 / rarest:
            scale = tk.tight_scale(outputs, rho)
            assert long_risk(outputs, scale) <= np.longdouble(rho)
            assert long_risk(outputs, scale * (1 - 1e-10)) > np.longdouble(rho)


def test_the_curve_of_a_figure_is_the_search_policy_by_policy():
    curve = tk.identifiability_curve(MEAN, rhos := np.linspace(0.13, 0.95, 100))
    one_by_one = [tk.tight_epsilon(MEAN, rho) for rho in rhos]
    np.testing.assert_allclose(curve["epsilon_tight"], one_by_one, rtol=1e-12)
    assert (curve["epsilon_tight"] >= curve["epsilon_bound"]).all()
    assert (curve["risk_bound"] < rhos).all()
    for name in ("tight", "bound"):  # ε is rounded down, and leads back to no smaller scale
        widths = curve[f"scale_{name}"] * curve[f"epsilon_{name}"]
        np.testing.assert_allclose(widths, 8 / 3, rtol=1e-12)
        assert (np.ptp(MEAN) / curve[f"epsilon_{name}"] >= curve[f"scale_{name}"]).all()


# ---------------------------------------------------------------- laws of beliefs

UNIFORM = st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=2, max_size=12)


@given(outputs=UNIFORM, response=st.floats(-200, 200), scale=st.floats(0.01, 1e4))
def test_no_response_beats_the_exact_risk(outputs, response, scale):
    belief = tk.world_posterior(outputs, response, scale)
    assert belief.sum() == pytest.approx(1)
    assert (belief <= tk.world_risks(outputs, scale) * (1 + 1e-12)).all()
    risk = tk.disclosure_risk(outputs, scale)
    bound = tk.risk_bound(float(np.ptp(outputs)) / scale, len(outputs))
    assert 1 / len(outputs) * (1 - 1e-12) <= risk <= bound * (1 + 1e-12)


@given(data=st.data(), outputs=st.lists(st.integers(0, 9), min_size=2, max_size=6))
def test_impossible_worlds_do_not_matter(data, outputs):
    keep = data.draw(st.lists(st.booleans(), min_size=len(outputs), max_size=len(outputs)))
    assume(1 < sum(keep))
    prior = np.array(keep) / sum(keep)
    left = [f for f, possible in zip(outputs, keep, strict=True) if possible]
    risk = tk.disclosure_risk(left, 2.0)
    assert tk.disclosure_risk(outputs, 2.0, prior=prior) == pytest.approx(risk, rel=1e-13)
    assert (tk.world_posterior(outputs, 4.0, 2.0, prior=prior)[~np.array(keep)] == 0).all()
    assert (tk.world_risks(outputs, 2.0, prior=prior)[~np.array(keep)] == 0).all()


def test_labels_are_kept_and_priors_matched_by_label():
    outputs = pd.Series([0.0, 1.0, 5.0], index=["a", "b", "c"])
    prior = pd.Series({"c": 0.5, "a": 0.3, "b": 0.2})
    belief = tk.world_posterior(outputs, 1.0, 2.0, prior=prior)
    assert belief.index.tolist() == ["a", "b", "c"]
    by_position = tk.world_posterior([0, 1, 5], 1.0, 2.0, prior=[0.3, 0.2, 0.5])
    assert belief.tolist() == by_position.tolist()
    risks = tk.world_risks(outputs, 2.0, prior=prior.to_dict())
    assert risks.equals(tk.world_risks(outputs, 2.0, prior=prior))


# ---------------------------------------------------------------- sensitive ranges

RECORDS_KNOWN = st.lists(st.integers(-20, 20), max_size=7)
VALUES = st.lists(st.integers(-25, 25), min_size=1, max_size=6)
BY_HAND = {"mean", "sum", "median", "max", "min", "var", "std"}


@pytest.mark.parametrize("query", sorted(BY_HAND))
@given(known=RECORDS_KNOWN, candidates=VALUES, ddof=st.integers(0, 1))
def test_sensitive_range_is_that_of_all_worlds(query, known, candidates, ddof):
    assume(ddof == 0 or len(known) > 0)
    outputs = tk.possible_outputs(tk.possible_worlds(known, candidates), query, ddof=ddof)
    spread = {"ddof": ddof} if query in ("var", "std") else {}
    one_by_one = [getattr(np, query)([*known, value], **spread) for value in candidates]
    assert outputs.to_numpy() == pytest.approx(one_by_one, abs=1e-12)
    found = tk.sensitive_range(query, known, candidates, ddof=ddof)
    assert found == pytest.approx(np.ptp(one_by_one), abs=3e-12)
    assert found == pytest.approx(tk.output_shifts(outputs).max(), abs=3e-12)
    if known and query in ("mean", "sum", "var", "std"):
        mean = np.mean(known)
        summary = tk.Moments(len(known), mean, np.sum((known - mean) ** 2))
        again = tk.sensitive_range(query, summary, candidates, ddof=ddof)
        assert again == pytest.approx(found)


@pytest.mark.parametrize("query", sorted(BY_HAND))
@given(
    known=st.lists(st.integers(3, 11), max_size=6),
    candidates=st.lists(st.integers(3, 11), min_size=1, max_size=5),
    ddof=st.integers(0, 1),
)
def test_global_range_covers_every_data_set(query, known, candidates, ddof):
    assume(ddof == 0 or known)
    everywhere = tk.global_sensitive_range(query, len(known) + 1, 3, 11, ddof=ddof)
    assert tk.sensitive_range(query, known, candidates, ddof=ddof) <= everywhere * (1 + 1e-14)


@pytest.mark.parametrize("query", sorted(BY_HAND))
@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("ddof", [0, 1])
def test_global_range_is_reached(query, n, ddof):
    reached = max(
        tk.sensitive_range(query, known, [0, 1, 2, 3, 4], ddof=ddof)
        for known in itertools.combinations_with_replacement(range(5), n - 1)
    )
    assert reached == pytest.approx(tk.global_sensitive_range(query, n, 0, 4, ddof=ddof))


def test_a_policy_that_only_rounding_reaches_is_refused():
    """In floats rho is above the largest share of the prior, exactly it is not."""
    outputs, rho = [0, 2, 0, 1], 0.399991728850121
    prior = [0.2488387189095725, 0.12924271664326162, 0.3999917288501211, 0.22192683559704496]
    for call in (tk.tight_scale, tk.tight_epsilon):
        with pytest.raises(ValueError, match="cannot be reached by any noise"):
            call(outputs, rho, prior=prior)
    curve = tk.identifiability_curve(outputs, [rho], prior=prior)
    assert curve["scale_tight"].item() == math.inf


def test_extreme_distances():
    for outputs in (
        [0, 1e-300],
        [0, 1e300],
        [0, 1e-9, 1, 1e9],
        [0, 1e-305, 1],
        [5, math.nextafter(5, 6)],
    ):
        scale = tk.tight_scale(outputs, 0.9)
        assert 0 < scale and tk.disclosure_risk(outputs, scale) <= 0.9
        assert tk.disclosure_risk(outputs, scale * (1 - 1e-9)) > 0.9
    with pytest.raises(ValueError, match="further apart than a float can hold"):
        tk.tight_scale([-1.7e308, 1.7e308], 0.9)


@pytest.mark.parametrize("scale", [0.0, 0.3, 2.0, math.inf])
@pytest.mark.parametrize("prior", [None, [0.1, 0.2, 0.05, 0.3, 0.35]])
def test_every_guess_is_the_most_believed_world(scale, prior):
    outputs = [3.0, 0.0, 0.0, 7.0, 3.0]
    rng = np.random.default_rng(11)
    attack = tk.simulate_attack(outputs, scale, trials=300, rng=rng, prior=prior)
    for trial in attack.itertuples():
        response = 0.0 if math.isinf(scale) else trial.response
        belief = tk.world_posterior(outputs, response, scale, prior=prior)
        assert trial.belief == pytest.approx(belief.max(), rel=1e-10)
        assert belief[trial.guess] == pytest.approx(belief.max(), rel=1e-10)
        assert trial.success == (trial.guess == trial.world)
    assert (attack["belief"] <= tk.disclosure_risk(outputs, scale, prior=prior) + 1e-12).all()


def test_equally_good_guesses_are_made_by_lot_and_worlds_are_drawn_from_the_prior():
    """4,000 draws: within 5 standard errors, which fails in 1 of 10**6 seeds."""
    prior, rng = [0.2, 0.2, 0.2, 0.4], np.random.default_rng(3)
    attack = tk.simulate_attack([1, 1, 1, 9], 0.5, trials=4_000, rng=rng, prior=prior)
    for shares, expected in (
        (attack["world"].value_counts(normalize=True), {0: 0.2, 1: 0.2, 2: 0.2, 3: 0.4}),
        (attack.loc[attack["guess"] < 3, "guess"].value_counts(normalize=True), {0: THIRD}),
    ):
        for place, share in expected.items():
            assert abs(shares[place] - share) < 5 * math.sqrt(share / 2_000)
    for world, trials in ((-1, 5), (4, 5), (0, 1.5)):
        with pytest.raises((TypeError, ValueError), match="must be a whole number"):
            tk.simulate_attack([1, 1, 1, 9], 0.5, trials=trials, rng=rng, world=world)
    noise = attack["response"] - np.take([1, 1, 1, 9], attack["world"])
    assert abs(np.abs(noise).mean() - 0.5) < 5 * 0.5 / math.sqrt(4_000)


def test_constant_queries_and_composed_releases_of_other_kinds():
    assert tk.scale_bound(0, 1 / 8, 8) == 0 == tk.tight_scale([3] * 8, 1 / 8)
    with pytest.raises(ValueError, match="cannot be reached"):
        tk.scale_bound(0, 0.12, 8)
    assert tk.composed_scale([0.0, 5.0]) == 0 and tk.composed_scale([math.inf] * 2) == math.inf
    assert tk.composed_scale([math.inf, 3.0]) == pytest.approx(3)
    std = tk.possible_outputs(TOY, "std")
    both = tk.composed_risk([MEAN, std], [2.0, 2.0])
    assert both > max(tk.disclosure_risk(f, 2.0) for f in (MEAN, std))
    assert tk.composed_risk([MEAN, std], [0.0, math.inf]) == 1
    prior = [0.3] + [0.1] * 7
    alone = tk.disclosure_risk(MEAN, 2.0, prior=prior)
    assert tk.composed_risk([MEAN], [2.0], prior=prior) == pytest.approx(alone)


def test_counts_callables_and_spreads_of_a_population_by_default():
    def largest_gap(worlds):
        return np.diff(np.sort(worlds, axis=1)).max(axis=1)

    assert tk.possible_outputs(TOY, largest_gap).tolist() == [1, 2, 2, 3, 4, 5, 6, 7]
    assert tk.sensitive_range(largest_gap, [1, 3], CANDIDATES) == 6
    assert tk.possible_outputs([[1, 0], [1, 1], [0, 0]], "count").tolist() == [1, 2, 0]
    assert tk.sensitive_range("count", [0, 1], [0, 1]) == 1
    assert tk.number_of_worlds(10, 2, 3) == 56
    assert tk.sensitive_range("var", [0.0], [0.0, 2.0]) == 1, "not 2, as of a sample"
