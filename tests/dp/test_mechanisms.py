"""Mechanisms of differential privacy: distributions, samplers, budgets, composition.

Random tests have fixed seeds, so they either always pass or always fail; the false-alarm rate
they state is that of the seed. OpenDP draws from the operating system: there it is the rate
per run.
"""

import copy
import importlib.util
import itertools
import math
import os
import pickle
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import toolkit as tk
from tests.needs import need
from toolkit.dp import mechanisms

EPSILONS = st.floats(1e-3, 8)
SENSITIVITIES = st.floats(1e-3, 1e3)
SCALES = st.floats(1e-2, 1e4)
LEVELS = st.floats(1e-12, 1.0)
DELTAS = st.floats(-280, -0.05).map(lambda x: 10.0**x)
FAMILIES = {"laplace": tk.LaplaceNoise, "gaussian": tk.GaussianNoise}
DRAWS = 200_000


def rng(seed=1):
    return np.random.default_rng(seed)


def noisy(name, value, **more):
    """Ask a mechanism by its name, with arguments that suit it."""
    own = {"gaussian": {"sensitivity": 1, "delta": 1e-5}, "randomised_response": {}}
    settings = {"epsilon": 0.5, "rng": rng(), **own.get(name, {"sensitivity": 1})}
    return getattr(tk, name)(value, **settings | more)


def opendp():
    need(importlib.util.find_spec("opendp"), "OpenDP is not installed")


def dp_accounting(module="dp_accounting"):
    need(importlib.util.find_spec("dp_accounting"), "dp-accounting is not installed")
    return importlib.import_module(module)


UTILITIES = st.lists(st.floats(-30, 30), min_size=1, max_size=6)


@given(EPSILONS, SENSITIVITIES, UTILITIES, st.integers(0, 99))
def test_ratio_of_the_exponential_mechanism(epsilon, sensitivity, utilities, seed):
    change = rng(seed).uniform(-1, 1, len(utilities)) * sensitivity
    change[: 1 + seed % 2] = sensitivity * (1 if seed % 3 else -1)
    law = tk.ExponentialChoice.for_epsilon(sensitivity, epsilon)
    assert law.epsilon(sensitivity) == pytest.approx(epsilon)
    before = np.array(utilities) * sensitivity
    pair = law.pmf(before), law.pmf(before + change)
    assume(min(p.min() for p in pair) > 1e-300)
    assert np.abs(np.log(pair[0] / pair[1])).max() <= epsilon * (1 + 1e-9) + 1e-9
    assert pair[0].sum() == pytest.approx(1)
    lost, loss = before.max() - before, abs(change[0])
    assert law.sf(loss, before) == pytest.approx(pair[0][lost >= loss].sum(), abs=1e-12)
    assert law.cdf(loss, before) == pytest.approx(pair[0][lost <= loss].sum(), abs=1e-12)
    reached = law.accuracy(0.05, len(before))
    assert law.sf(reached, before) <= 0.05 * (1 + 1e-9)


@given(EPSILONS, st.floats(0, 1))
def test_ratio_of_randomised_response(epsilon, truth):
    law = tk.RandomisedResponse(epsilon)
    table = law.pmf()
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(table.max() / table.min(), math.exp(epsilon), rtol=1e-12)
    np.testing.assert_allclose(np.diag(table), law.probability, rtol=1e-14)
    back = tk.RandomisedResponse.for_probability(law.probability)
    assert back.epsilon == pytest.approx(epsilon, rel=1e-9)
    shares = np.array([1 - truth, truth])
    estimate = law.estimate(shares @ table.to_numpy())  # of expected shares: without bias
    np.testing.assert_allclose(estimate, shares, atol=1e-10)


@given(st.integers(-2, 9), st.integers(1, 6), st.floats(0.05, 4))
def test_number_of_lies(lies, n, epsilon):
    """Against all patterns of truth and lie; between whole numbers nothing changes."""
    law = tk.RandomisedResponse(epsilon)
    patterns = pd.DataFrame(itertools.product([0, 1], repeat=n)).sum(axis=1)
    lie = 1 - law.probability
    chance = lie**patterns * (1 - lie) ** (n - patterns)
    for same in (lies, lies + 0.5):
        assert law.cdf(same, n) == pytest.approx(chance[patterns <= lies].sum(), abs=1e-12)
    for same in (lies, lies - 0.5):
        assert law.sf(same, n) == pytest.approx(chance[patterns >= lies].sum(), abs=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@given(steps=st.floats(-35, 35), scale=SCALES)
def test_probabilities_by_their_formulas_also_far_out(family, steps, scale):
    law, away = FAMILIES[family](scale), abs(steps)
    if family == "laplace":
        density, tail = math.exp(-away) / 2, math.exp(-away)
    else:
        density, tail = (
            math.exp(-(away**2) / 2) / math.sqrt(2 * math.pi),
            math.erfc(away / math.sqrt(2)),
        )
    expected = [density / scale, tail / 2 if steps < 0 else 1 - tail / 2]
    expected.append(tail if steps > 0 else 1.0)
    x = steps * scale
    assert [law.pdf(x), law.cdf(x), law.sf(x)] == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("family", FAMILIES)
@given(level=LEVELS, scale=SCALES)
def test_quantiles_and_accuracies_are_inverses(family, level, scale):
    law = FAMILIES[family](scale)
    assert law.accuracy(level) >= 0
    assert law.sf(law.accuracy(level)) == pytest.approx(level, rel=1e-9, abs=0)
    assert law.cdf(law.ppf(level)) == pytest.approx(level, rel=1e-9, abs=0)
    assert law.ppf([0.0, 0.5, 1.0]).tolist() == [-math.inf, 0, math.inf]
    assert law.ppf(level / 2) == pytest.approx(-law.accuracy(level), rel=1e-9)


@given(q=st.floats(1e-9, 1), scale=SCALES)
def test_whole_quantiles_and_widths_are_the_smallest(q, scale):
    law, rounded = tk.DiscreteLaplaceNoise(scale), 1 + 1e-9
    width = law.accuracy(q)
    assert law.sf(width + 1) <= q * rounded
    assert width == 0 or law.sf(width) * rounded >= q
    if q < 1 - 1e-9:
        k = law.ppf(q)
        assert law.cdf(k - 1) <= q * rounded and law.cdf(k) * rounded >= q
        assert law.cdf(k + 0.5) == law.cdf(k)
    k = np.arange(-15, 16) * math.ceil(scale / 8)
    k = k[(law.cdf(k) < 1 - 1e-12) & (law.cdf(k - 1) < law.cdf(k))]
    assert law.ppf(law.cdf(k)).tolist() == k.tolist(), "where the cdf is met exactly"


@given(SENSITIVITIES, EPSILONS)
def test_scales_and_their_inverses(sensitivity, epsilon):
    scale = tk.laplace_scale(sensitivity, epsilon)
    assert scale == sensitivity / epsilon
    laws = {tk.LaplaceNoise: 1, tk.DiscreteLaplaceNoise: 1, tk.ExponentialChoice: 2}
    for law, factor in laws.items():
        made = law.for_epsilon(sensitivity, epsilon)
        assert made.scale == factor * scale and made == law(made.scale)
        assert made.epsilon(sensitivity) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0, 0.37, 2.5])
@pytest.mark.parametrize(("change", "scale"), [(1.0, 1.0), (0.4, 2.5), (3.0, 0.8)])
@pytest.mark.parametrize("family", FAMILIES)
def test_closed_forms_of_delta_are_the_definition(family, change, scale, epsilon):
    """Sum of the excess over cells of answers, whose probabilities come from the cdf."""
    law = FAMILIES[family](scale)
    ends = np.linspace(-45 * scale, change + 45 * scale, 400_001)
    p, q = (np.diff(law.cdf(ends - centre)) for centre in (0.0, change))
    for one, other in ((p, q), (q, p)):
        by_cells = np.maximum(one - math.exp(epsilon) * other, 0).sum()
        found = {"laplace": tk.laplace_delta, "gaussian": tk.gaussian_delta}[family]
        assert found(change, epsilon, scale) == pytest.approx(by_cells, abs=1e-7)


def exact_delta(epsilon, ratio):
    with mpmath.workdps(400):
        e, r = mpmath.mpf(epsilon), mpmath.mpf(ratio)
        a, b = 1 / (2 * r) - e * r, -1 / (2 * r) - e * r
        return mpmath.ncdf(a) - mpmath.exp(e) * mpmath.ncdf(b)


@pytest.mark.parametrize("epsilon", [0, 1e-9, 1e-3, 0.1, 1, 3, 10, 100, 1000])
def test_delta_to_twelve_digits(epsilon):
    for ratio in (1e-3, 0.02, 0.1, 0.5, 1, 1.2, 3.73, 7, 30, 100, 1e4, 1e8):
        exact = exact_delta(epsilon, ratio)
        if exact > 1e-300:
            found = mpmath.mpf(tk.gaussian_delta(2, epsilon, 2 * ratio))
            assert abs(found / exact - 1) < 1e-12
    assert tk.gaussian_delta(1e-320, 1 + epsilon, 1.0) == 0 == tk.laplace_delta(1e-320, 1, 1.0)


@given(st.floats(1e-3, 50), DELTAS, st.floats(0.01, 100))
def test_gaussian_inverses_are_rounded_to_the_safe_side(epsilon, delta, sensitivity):
    """The promise is kept in sixty digits, and not for nothing."""
    sigma = tk.gaussian_scale(1, epsilon, delta)
    kept = tk.GaussianNoise(sigma).epsilon(1, delta)
    for loss in (epsilon, kept):
        assert exact_delta(loss, sigma) <= mpmath.mpf(delta)
    assert kept == pytest.approx(epsilon, abs=1e-9, rel=1e-7)
    assert tk.GaussianNoise(1e9 / delta).epsilon(1, delta) == 0
    assert tk.gaussian_delta(1, epsilon, sigma * (1 - 1e-8)) > delta
    scaled = tk.GaussianNoise.for_epsilon_delta(sensitivity, epsilon, delta)
    assert scaled.scale == pytest.approx(sensitivity * sigma, rel=1e-15)
    assert tk.gaussian_delta(sensitivity, epsilon, scaled.scale) <= delta * (1 + 1e-12)
    if epsilon < 1:
        classic = tk.gaussian_scale(1, epsilon, delta, method="classic")
        assert sigma < classic or delta > 0.5
        assert tk.gaussian_delta(1, epsilon, classic) < delta or delta > 0.5


def test_gaussian_against_dp_accounting():
    loss = dp_accounting("dp_accounting.pld.privacy_loss_distribution")
    loss = loss.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3)
    for epsilon, delta in ((0.5, 1e-6), (1.0, 1e-5), (8.0, 1e-9)):
        tight = float(loss.get_delta_for_epsilon(epsilon))  # an estimate on the safe side
        ours = tk.gaussian_delta(1, epsilon, 1.0)
        assert ours <= tight * (1 + 1e-9)
        assert ours == pytest.approx(tight, rel=1e-4, abs=1e-12)
        theirs = dp_accounting().get_sigma_gaussian(epsilon, delta)
        assert tk.gaussian_scale(1, epsilon, delta) == pytest.approx(theirs, rel=1e-6)


def p_value(found, values, law):
    """Chi-square over the values that are expected 50 times, all others in one cell."""
    expected = pd.Series(law, index=values) * len(found)
    expected = expected[expected >= 50]
    counts = pd.Series(found).value_counts().reindex(expected.index, fill_value=0)
    rest = [len(found) - counts.sum()], [len(found) - expected.sum()]
    if rest[1][0] < 1e-6 * len(found):
        return 0.0 if rest[0][0] else stats.chisquare(counts, expected).pvalue
    return stats.chisquare(*map(np.append, (counts, expected), rest)).pvalue


@pytest.mark.parametrize("backend", ["numpy", "opendp"])
def test_both_backends_have_the_pmf(backend):
    """False alarm 1e-6 for each of two settings."""
    opendp()
    for change, epsilon in ((1, 0.7), (3, 2.0)):
        asked = {"sensitivity": change, "epsilon": epsilon, "backend": backend}
        found = noisy("discrete_laplace", np.full(30_000, 5), **asked)
        assert found.dtype == np.int64 and found.shape == (30_000,)
        k = np.arange(-200, 201)
        assert p_value(found - 5, k, tk.DiscreteLaplaceNoise(change / epsilon).pmf(k)) > 1e-6


@pytest.mark.parametrize("name", FAMILIES)
def test_floats_have_the_cdf(name):
    """Kolmogorov-Smirnov; false alarm 1e-3 for the seed."""
    found = noisy(name, np.full(DRAWS, -2.0), sensitivity=3, epsilon=0.5)
    scale = {"laplace": 6.0, "gaussian": tk.gaussian_scale(3, 0.5, 1e-5)}[name]
    assert stats.kstest(found + 2, FAMILIES[name](scale).cdf).pvalue > 1e-3
    assert stats.kstest(found + 2, FAMILIES[name](scale * 1.03).cdf).pvalue < 1e-3


def test_choices_have_the_pmf():
    """False alarm 1e-3 for the seed; of all kinds of utilities the candidate is named."""
    utilities = pd.Series([3.0, 2.0, 2.0, -1.0], list("abcd"))
    asked = {"sensitivity": 2, "epsilon": 1.5}
    source = rng()
    found = [tk.exponential(utilities, **asked, rng=source) for _ in range(20_000)]
    law = tk.ExponentialChoice.for_epsilon(**asked).pmf(utilities)
    assert p_value(found, law.index, law.to_numpy()) > 1e-3
    assert tk.exponential(dict(utilities), **asked, rng=rng()) == found[0]
    assert tk.exponential([*utilities], **asked, rng=rng()) == "abcd".index(found[0])


@pytest.mark.parametrize("kind", [bool, int])
def test_reports_have_the_pmf(kind):
    """False alarm 1e-3 for each truth and seed."""
    table = tk.RandomisedResponse(0.8).pmf()
    for truth in table.index:
        answers = pd.Series([truth] * DRAWS, dtype=kind)
        found = noisy("randomised_response", answers, epsilon=0.8)
        assert found.dtype == answers.dtype
        assert p_value(found.astype(int), range(2), table.loc[truth].to_numpy()) > 1e-3


@pytest.mark.parametrize("name", ["laplace", "discrete_laplace", "gaussian"])
def test_labels_of_a_release_come_from_a_public_list(name):
    """`value_counts` lists the values that occur, the most frequent first."""
    ill = pd.Series(["flu"] * 4 + ["cold"] * 3 + ["hiv"])
    public = ["flu", "cold", "hiv", "itch"]
    counts, categories = ill.value_counts(), pd.CategoricalIndex(public, public)
    by_count = ill.astype(categories.dtype).value_counts()
    for told in (counts, counts.to_frame(), by_count.iloc[[1, 0, 2, 3]], by_count.iloc[:3]):
        with pytest.warns(UserWarning, match="labels of value are released as they are"):
            noisy(name, told)
    for labels in (sorted(public), categories):
        found = noisy(name, counts.reindex(labels, fill_value=0))
        assert found.index.equals(pd.Index(labels))


@pytest.mark.parametrize("backend", ["numpy", "opendp"])
def test_a_whole_number_mechanism_refuses_a_sensitivity_that_is_not_whole(backend):
    """The mean 0.4 and its neighbour 0.6 round to 0 and 1: a paid ε of 1 would be 3.33."""
    opendp()
    budget = tk.PrivacyBudget(9)
    for sensitivity in (0.3, 1.5, 1 + 1e-12):
        asked = {"sensitivity": sensitivity, "backend": backend, "budget": budget}
        with pytest.raises(ValueError, match=r"must be whole; got .* Round each"):
            noisy("geometric", 5, **asked)
    assert budget.ledger.empty


def test_releases_are_drawn_by_opendp_and_numpy_is_marked_as_teaching(monkeypatch):
    opendp()
    source, state = rng(), rng().bit_generator.state
    noisy("geometric", [1, 2], backend="opendp", rng=source)
    assert source.bit_generator.state == state
    for name in LABELS:
        text = getattr(tk, name).__doc__
        assert "for teaching, not for production" in text and "OpenDP" in text
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    mechanisms._vetted.cache_clear()
    budget = tk.PrivacyBudget(1)
    with pytest.raises(ImportError, match=r"dev\.py install opendp"):
        tk.geometric(5, sensitivity=1, epsilon=1, backend="opendp", budget=budget)
    assert budget.ledger.empty


def test_opendp_keeps_epsilon_by_its_own_account():
    opendp()
    dp = importlib.import_module("opendp.prelude")
    for change, epsilon in ((1, 1e-6), (1, 0.1), (3, 0.7), (2, 1.0), (1, 30.0)):
        draw = mechanisms.whole_noise(change, epsilon, None)
        cells = [cell.cell_contents for cell in draw.__closure__]
        (mechanism,) = [cell for cell in cells if isinstance(cell, dp.Measurement)]
        assert mechanism.map(change) <= epsilon


LABELS = {
    "laplace": "laplace",
    "discrete_laplace": "discrete Laplace",
    "gaussian": "gaussian",
    "exponential": "exponential",
    "randomised_response": "randomised response",
}


@pytest.mark.parametrize("name", LABELS)
def test_the_budget_is_charged_before_the_data_are_read(name):
    looks, label = [], LABELS[name]

    def answer():
        looks.append(1)
        return {"exponential": [38], "randomised_response": 1}.get(name, 38)

    budget = tk.PrivacyBudget(0.4, 1e-3)
    with pytest.raises(ValueError, match=f"cannot pay for {label}: it asks for epsilon = 0.5"):
        noisy(name, answer, budget=budget)
    assert not looks and budget.ledger.empty
    budget = tk.PrivacyBudget(1.0, 1e-3)
    noisy(name, answer, budget=budget)
    noisy(name, answer, budget=budget, label="again")
    delta = 1e-5 if name == "gaussian" else 0
    assert len(looks) == 2 and budget.ledger["label"].tolist() == [label, "again"]
    assert budget.ledger["delta"].tolist() == [delta, delta]
    assert budget.left.epsilon == 0


@pytest.mark.parametrize("whole", [1.0, 600.0, 1e-3])
@pytest.mark.parametrize("parts", [10, 3, 11])
def test_what_is_left_of_rounding_is_nothing(whole, parts):
    """Ten floats of 0.1 do not add up to 1, nor do three of a third in any digits."""
    budget = tk.PrivacyBudget(whole, 0.5)
    for _ in range(parts):
        budget.charge(whole / parts, 0.5 / parts)
    assert budget.left == (0, 0) and budget.spent == (whole, 0.5)
    for more in (0.1, 1e-9, 5e-324):
        with pytest.raises(ValueError, match="only epsilon = 0 is left"):
            budget.charge(more)
    spent, near = np.outer(np.arange(1, parts + 1) / parts, [whole, 0.5]), 1e-11 * whole
    ledger = budget.ledger[["spent", "spent_delta", "left", "left_delta"]]
    np.testing.assert_allclose(ledger, np.hstack([spent, [whole, 0.5] - spent]), atol=near)


@given(st.lists(st.floats(0.001, 0.6), max_size=12), st.floats(0.1, 2))
def test_a_budget_is_never_passed(charges, whole):
    budget, accepted = tk.PrivacyBudget(whole), []
    for charge in charges:
        before = budget.ledger
        try:
            budget.charge(charge)
            accepted.append(charge)
        except ValueError:
            assert budget.left.epsilon < charge
            pd.testing.assert_frame_equal(budget.ledger, before)
    assert math.fsum(accepted) <= whole * (1 + 1e-11)
    assert budget.spent.epsilon == pytest.approx(math.fsum(accepted), abs=1e-11)
    assert budget.spent.epsilon + budget.left.epsilon == pytest.approx(whole)
    assert budget.ledger["epsilon"].tolist() == accepted


def test_a_thread_never_spends_what_is_not_there():
    budget, interval = tk.PrivacyBudget(1.0), sys.getswitchinterval()

    def answers(_):
        for number in itertools.count():
            try:
                noisy("laplace", 1, epsilon=4e-4, budget=budget)
            except ValueError:  # nothing is left
                return number

    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(8) as pool:
            paid = sum(pool.map(answers, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert paid == len(budget.ledger) == 2_500
    assert budget.spent.epsilon == 1 == pytest.approx(budget.ledger["epsilon"].sum())


def test_a_fork_never_spends_what_is_not_there():
    need(hasattr(os, "fork"), "there is no fork here")
    budget = tk.PrivacyBudget(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads beside a fork
        child = os.fork()
    if child == 0:
        status = 1
        try:
            budget.charge(0.1)
        except ValueError:
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0, "the child was refused"
    budget.charge(1.0)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_copy_never_spends_what_is_not_there(duplicate):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        duplicate(tk.PrivacyBudget(1.0))


@given(st.lists(st.floats(0.01, 2), min_size=1, max_size=4), st.integers(1, 8))
def test_ratios_of_several_answers_and_of_several_people(epsilons, k):
    """Ratios of answers about the same people multiply; of disjoint groups one changes.

    Noise for a sensitivity k hides a group of k people as noise for 1 hides one.
    """
    laws = [tk.DiscreteLaplaceNoise.for_epsilon(1, epsilon) for epsilon in epsilons]
    logs = [math.log(law.pmf(0) / law.pmf(1)) for law in laws]
    deltas = [1e-6 * (1 + i) for i in range(len(epsilons))]
    together = tk.sequential_composition(epsilons, deltas)
    assert together == pytest.approx((sum(logs), sum(deltas)), rel=1e-9)
    assert tk.parallel_composition(epsilons, deltas) == (max(epsilons), max(deltas))
    y, epsilon = np.arange(-20, 21), epsilons[0]
    ratio = np.abs(np.log(laws[0].pmf(y) / laws[0].pmf(y - k))).max()
    series = sum(math.exp(i * epsilon) for i in range(k))
    assert tk.group_privacy(epsilon, k, 1e-9) == pytest.approx((ratio, 1e-9 * series))
    assert tk.group_privacy(epsilon, k) == (k * epsilon, 0)
    hidden = tk.DiscreteLaplaceNoise.for_epsilon(k, epsilon)
    assert np.abs(np.log(hidden.pmf(y) / hidden.pmf(y - k))).max() == pytest.approx(epsilon)


def test_no_composition_gives_a_delta_above_one():
    for loss in (
        tk.advanced_composition(0.1, 10**6, 0.5, delta_each=0.01),
        tk.sequential_composition([0.1] * 3, 0.5),
        tk.group_privacy(1.0, 100, 0.5),
        tk.group_privacy(10.0, 10**9, 1e-300),
    ):
        assert loss.delta == 1
    assert tk.group_privacy(800.0, 3).epsilon == 2400


@given(st.floats(0.01, 3), st.integers(1, 10**6), st.floats(1e-12, 0.5))
def test_advanced_composition_by_its_formula(epsilon, k, delta):
    found = tk.advanced_composition(epsilon, k, delta, delta_each=1e-9)
    drift = k * epsilon * math.expm1(epsilon)
    total = epsilon * math.sqrt(2 * k * math.log(1 / delta)) + drift
    assert found == pytest.approx((total, min(1, k * 1e-9 + delta)))


@given(st.floats(1e-4, 20), st.integers(1, 1000), st.floats(-300, -0.3))
def test_zcdp_of_gaussian_noise_holds_and_beats_the_plain_bound(ratio, k, exponent):
    """Its ε is one that the noise of all answers keeps: δ by Balle and Wang is smaller."""
    delta, sigma = 10.0**exponent, 1 / ratio
    together = tk.zcdp_composition([tk.GaussianNoise(sigma).rho(1)] * k, delta)
    assert tk.gaussian_delta(math.sqrt(k), together.epsilon, sigma) <= delta
    rho = k * ratio**2 / 2
    assert together.epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert tk.zcdp_composition([1e300, rho], delta).epsilon >= 1e300
    assert together.delta == delta


@given(st.floats(0.01, 5), st.floats(-12, -1), st.integers(1, 50))
def test_renyi_over_all_orders_is_zcdp(ratio, exponent, k):
    noise, delta = tk.GaussianNoise(1 / ratio), 10.0**exponent
    orders = 1 + np.geomspace(1e-3, 1e4, 4000)
    fine = tk.renyi_composition([noise.renyi(1, orders)] * k, delta).epsilon
    exact = tk.zcdp_composition([noise.rho(1)] * k, delta).epsilon
    assert exact <= fine * (1 + 1e-9) and fine == pytest.approx(exact, rel=1e-4, abs=1e-9)


@given(st.floats(0.05, 5), st.floats(1.01, 60))
def test_renyi_divergence_of_laplace_by_quadrature(ratio, order):
    def term(y):
        return mpmath.exp(-order * abs(y) + (order - 1) * abs(y - ratio)) / 2

    integral = mpmath.quad(term, [-60, 0, ratio, ratio + 60 * max(1, ratio)])
    expected = float(mpmath.log(integral)) / (order - 1)
    found = tk.LaplaceNoise(1 / ratio).renyi(1, [order]).item()
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert found <= min(ratio, order * ratio**2 / 2) * (1 + 1e-12)  # pure, and zCDP of it


@pytest.mark.parametrize("answers", [1, 30, 1000])
@pytest.mark.parametrize("noise", [tk.LaplaceNoise(8.0), tk.GaussianNoise(12.0)], ids=str)
def test_renyi_against_dp_accounting(noise, answers):
    dp, orders = dp_accounting(), [1.5, 2, 4, 8, 16, 32, 64, 256]
    accountant = dp_accounting("dp_accounting.rdp").RdpAccountant(orders)
    kind = dp.LaplaceDpEvent if isinstance(noise, tk.LaplaceNoise) else dp.GaussianDpEvent
    accountant.compose(dp.SelfComposedDpEvent(kind(noise.scale), answers))
    ours = tk.renyi_composition([noise.renyi(1, orders)] * answers, 1e-6)
    assert ours.epsilon == pytest.approx(accountant.get_epsilon(1e-6), rel=1e-9)


def pairs_by_definition(universe, n, neighbours):
    """Every data set with each of its neighbours."""
    for data in itertools.product(universe, repeat=n):
        for place in range(n):
            before, after = data[:place], data[place + 1 :]
            if neighbours == "add/remove":
                yield data, before + after
            else:
                yield from ((data, (*before, other, *after)) for other in universe)


@given(
    st.sampled_from([(), (1,), (3,)]),
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(["add/remove", "replace"]),
    st.sampled_from([1, 2, math.inf]),
    st.sampled_from([list, pd.Series, lambda records: [str(one) for one in records]]),
)
def test_brute_force_against_the_definition(shape, seed, k, n, neighbours, norm, kind):
    """Of a query that follows no rule: an answer for each data set, drawn at random."""

    def query(records):
        key = [seed, len(records), *[int(one) + 1 for one in records]]
        return rng(key).integers(-9, 9, shape)

    def change(pair):
        gap = np.atleast_1d(np.subtract(*map(query, pair))).astype(float)
        return float(np.linalg.norm(gap, norm))

    found = tk.sensitivity_by_brute_force(
        query, kind(range(k)), n, neighbours=neighbours, norm=norm
    )
    pairs = [*pairs_by_definition(range(k), n, neighbours)]
    assert found.value == pytest.approx(max(map(change, pairs)))
    pair = tuple(tuple(map(int, records)) for records in (found.data, found.neighbour))
    assert pair in pairs and change(pair) == pytest.approx(found.value)


def test_rows_of_a_table_are_records():
    rows = pd.DataFrame({"age": [1, 5], "pay": [2.0, 9.0]})
    found = tk.sensitivity_by_brute_force(lambda d: d["pay"].sum(), rows, 2)
    assert found.value == 9 and found.data.shape == (2, 2) and len(found.neighbour) == 1
