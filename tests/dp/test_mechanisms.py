"""Mechanisms of differential privacy: published numbers, laws, samplers, budgets, bad input.

Random tests have fixed seeds, so they either always pass or always fail; the false-alarm rate
they state is that of the seed. OpenDP draws from the operating system: there it is the rate
per run.
"""

import copy
import functools
import importlib.util
import itertools
import math
import operator
import os
import pickle
import sys
import threading
import warnings

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import toolkit as tk
from tests.needs import need
from toolkit.dp import mechanisms

LN2, LN3 = math.log(2), math.log(3)
EPSILONS = st.floats(1e-3, 8)
SENSITIVITIES = st.floats(1e-3, 1e3)
SCALES = st.floats(1e-2, 1e4)
LEVELS = st.floats(1e-12, 1.0)
FAMILIES = {"laplace": tk.LaplaceNoise, "gaussian": tk.GaussianNoise}
SHIFTS = [(1.0, 1.0), (0.4, 2.5), (3.0, 0.8)]  # sensitivity and scale
DRAWS = 200_000


def rng(seed=1):
    return np.random.default_rng(seed)


def noisy(name, value, **more):
    """Ask a mechanism of numbers by its name, with arguments that suit it."""
    settings = {"sensitivity": 1.0, "epsilon": 0.5, "rng": rng()} | more
    if name == "gaussian":
        settings.setdefault("delta", 1e-5)
    return getattr(tk, name)(value, **settings)


def opendp():
    need(importlib.util.find_spec("opendp"), "OpenDP is not installed")


def dp_accounting():
    need(importlib.util.find_spec("dp_accounting"), "dp-accounting is not installed")
    return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")


NUMERIC = ["laplace", "geometric", "gaussian"]


@given(EPSILONS, st.integers(1, 20), st.integers(-40, 40), st.integers(-20, 20))
def test_ratio_of_geometric(epsilon, sensitivity, y, change):
    assume(abs(change) <= sensitivity)
    b = tk.DiscreteLaplaceNoise.for_epsilon(sensitivity, epsilon).scale
    pair = [tk.DiscreteLaplaceNoise(b).pmf(y - f) for f in (0, change)]
    assume(min(pair) > 1e-300)
    assert abs(math.log(pair[0] / pair[1])) <= epsilon * (1 + 1e-12) + 1e-9
    if abs(change) == sensitivity and abs(y) > sensitivity:
        assert abs(math.log(pair[0] / pair[1])) == pytest.approx(epsilon, rel=1e-6)


UTILITIES = st.lists(st.floats(-30, 30), min_size=1, max_size=6)


@given(EPSILONS, SENSITIVITIES, UTILITIES, st.booleans(), st.integers(0, 99))
def test_ratio_of_the_exponential_mechanism(epsilon, sensitivity, utilities, monotone, seed):
    low = 0.0 if monotone else -1.0
    change = rng(seed).uniform(low, 1, len(utilities)) * sensitivity
    change[: 1 + seed % 2] = sensitivity * (1 if seed % 3 else low)
    b = tk.ExponentialChoice.for_epsilon(sensitivity, epsilon, monotone=monotone).scale
    u = np.array(utilities)
    pair = [
        tk.ExponentialChoice(b).pmf(one * sensitivity) for one in (u, u + change / sensitivity)
    ]
    assume(min(p.min() for p in pair) > 1e-300)
    assert np.abs(np.log(pair[0] / pair[1])).max() <= epsilon * (1 + 1e-9) + 1e-9
    assert pair[0].sum() == pytest.approx(1)


@given(EPSILONS, st.integers(2, 6))
def test_ratio_of_randomised_response(epsilon, k):
    table = tk.RandomisedResponse(epsilon, k).pmf()
    assert table.shape == (k, k)
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-14)
    ratio = table.max() / table.min()
    np.testing.assert_allclose(ratio, math.exp(epsilon), rtol=1e-12)
    p = tk.RandomisedResponse(epsilon, k).probability
    np.testing.assert_allclose(np.diag(table), p, rtol=1e-14)
    assert tk.RandomisedResponse.for_probability(p, k).epsilon == pytest.approx(
        epsilon, rel=1e-9
    )


@given(st.lists(st.floats(0.01, 2), min_size=1, max_size=4), st.integers(0, 3))
def test_sequential_and_parallel_composition(epsilons, only):
    """Ratios of independent answers multiply; of disjoint groups one at most changes."""
    scales = [tk.DiscreteLaplaceNoise.for_epsilon(1, epsilon).scale for epsilon in epsilons]
    logs = [
        math.log(tk.DiscreteLaplaceNoise(b).pmf(1))
        - math.log(tk.DiscreteLaplaceNoise(b).pmf(0))
        for b in scales
    ]
    together = tk.sequential_composition(epsilons)
    assert -sum(logs) == pytest.approx(together.epsilon, rel=1e-9)
    deltas = [1e-6 * (1 + i) for i in range(len(epsilons))]
    parallel = tk.parallel_composition(epsilons, deltas)
    assert -logs[only % len(logs)] <= parallel.epsilon * (1 + 1e-9)
    assert parallel == tk.PrivacyLoss(max(epsilons), max(deltas))
    assert tk.sequential_composition(epsilons, deltas).delta == pytest.approx(sum(deltas))


@given(st.floats(0.01, 1), st.integers(1, 8))
def test_group_privacy(epsilon, k):
    """A group of k moves a count by k, and every ratio by e^(k epsilon) at most."""
    b = tk.DiscreteLaplaceNoise.for_epsilon(1, epsilon).scale
    y = np.arange(-20, 21)
    ratio = np.log(tk.DiscreteLaplaceNoise(b).pmf(y) / tk.DiscreteLaplaceNoise(b).pmf(y - k))
    series = sum(math.exp(i * epsilon) for i in range(k))
    assert tk.group_privacy(epsilon, k, 1e-9) == pytest.approx((k * epsilon, 1e-9 * series))
    group = tk.group_privacy(epsilon, k)
    assert np.abs(ratio).max() == pytest.approx(group.epsilon, rel=1e-9)
    assert group == tk.PrivacyLoss(k * epsilon, 0)


EXACT = {  # density, cdf, and the tail on both sides, for a scale
    "laplace": lambda b: (
        lambda x: mpmath.exp(-abs(x) / b) / (2 * b),
        lambda x: mpmath.exp(x / b) / 2 if x < 0 else 1 - mpmath.exp(-x / b) / 2,
        lambda t: mpmath.exp(-t / b),
    ),
    "gaussian": lambda b: (
        lambda x: mpmath.npdf(x, 0, b),
        lambda x: mpmath.ncdf(x, 0, b),
        lambda t: mpmath.erfc(t / b / mpmath.sqrt(2)),
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [0.3, 1.0, 25.0])
def test_probabilities_far_out_and_by_quadrature(family, scale):
    law = FAMILIES[family](scale)
    with mpmath.workdps(40):
        density, below, beyond = EXACT[family](mpmath.mpf(scale))
        for x in (-10.5, -7.3, -0.4, 0.0, 0.9, 2.0, 8.0):
            exact = [float(density(x)), float(below(x)), float(beyond(x)) if x > 0 else 1.0]
            found = [law.pdf(x), law.cdf(x), law.sf(x)]
            assert found == pytest.approx(exact, rel=1e-12, abs=0)
    end, parts = 2 * scale, [-60 * scale, -5 * scale, 0, 2 * scale]
    assert law.cdf(end) == pytest.approx(float(mpmath.quad(density, parts)), rel=1e-9)
    assert law.sf(end) == pytest.approx(2 - 2 * law.cdf(end), rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@given(alpha=LEVELS, scale=SCALES)
def test_accuracy_is_the_inverse_of_the_survival_function(family, alpha, scale):
    law = FAMILIES[family](scale)
    t = law.accuracy(alpha)
    assert t >= 0
    assert law.sf(t) == pytest.approx(alpha, rel=1e-9, abs=0)


@pytest.mark.parametrize("family", FAMILIES)
@given(q=LEVELS, scale=SCALES)
def test_quantiles_are_the_inverse_of_cdf(family, q, scale):
    law = FAMILIES[family](scale)
    assert law.cdf(law.ppf(q)) == pytest.approx(q, rel=1e-9, abs=0)
    assert law.ppf([0.0, 0.5, 1.0]).tolist() == [-math.inf, 0, math.inf]
    if q >= 1e-12:  # both ends are equally far out
        assert law.ppf(q / 2) == pytest.approx(-law.accuracy(q), rel=1e-9)


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


@given(SENSITIVITIES, EPSILONS)
def test_scales_and_their_inverses(sensitivity, epsilon):
    for law in (tk.LaplaceNoise, tk.DiscreteLaplaceNoise, tk.ExponentialChoice):
        made = law.for_epsilon(sensitivity, epsilon)
        factor = 2 if law is tk.ExponentialChoice else 1
        assert made.scale == factor * sensitivity / epsilon and made == law(made.scale)
        assert made.epsilon(sensitivity) == pytest.approx(epsilon)
    assert tk.laplace_scale(sensitivity, epsilon) == sensitivity / epsilon
    monotone = tk.ExponentialChoice.for_epsilon(sensitivity, epsilon, monotone=True)
    assert monotone.scale == sensitivity / epsilon
    assert monotone.epsilon(sensitivity, monotone=True) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0, 0.1, 0.37, 1, 2.5])
@pytest.mark.parametrize(("change", "scale"), SHIFTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_closed_forms_of_delta_are_the_definition(family, change, scale, epsilon):
    """Sum of the excess over cells of answers, whose probabilities come from the cdf."""
    law = FAMILIES[family](scale)
    ends = np.linspace(-45 * scale, change + 45 * scale, 400_001)
    p, q = (np.diff(law.cdf(ends - centre)) for centre in (0.0, change))
    for one, other in ((p, q), (q, p)):
        by_cells = np.maximum(one - math.exp(epsilon) * other, 0).sum()
        assert law.delta(change, epsilon) == pytest.approx(by_cells, abs=1e-7)


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


@given(
    st.floats(1e-3, 50), st.floats(-280, -0.05).map(lambda x: 10.0**x), st.floats(0.01, 100)
)
def test_gaussian_inverses(epsilon, delta, sensitivity):
    sigma = tk.gaussian_scale(sensitivity, epsilon, delta)
    kept = tk.gaussian_delta(sensitivity, epsilon, sigma)
    assert kept <= delta * (1 + 1e-12)  # the promise is kept, and not for nothing
    assert tk.gaussian_delta(sensitivity, epsilon, sigma * (1 - 1e-8)) > delta
    back = tk.GaussianNoise(sigma).epsilon(sensitivity, delta)
    assert back == pytest.approx(epsilon, abs=1e-9, rel=1e-7)
    if epsilon < 1:
        classic = tk.gaussian_scale(sensitivity, epsilon, delta, method="classic")
        assert sigma < classic or delta > 0.5
        assert tk.gaussian_delta(sensitivity, epsilon, classic) < delta or delta > 0.5


@given(st.floats(1e-3, 50), st.floats(-280, -0.05).map(lambda x: 10.0**x))
def test_scales_are_rounded_to_the_safe_side(epsilon, delta):
    """In sixty digits."""
    sigma = tk.gaussian_scale(1, epsilon, delta)
    kept = tk.GaussianNoise(sigma).epsilon(1, delta)
    for loss in (epsilon, kept):
        assert exact_delta(loss, sigma) <= mpmath.mpf(delta)


@given(st.integers(-2, 9), st.integers(1, 6), st.floats(0.05, 4), st.integers(2, 4))
def test_number_of_lies(lies, n, epsilon, k):
    """Against counting all patterns of truth and lie."""
    lie = 1 - tk.RandomisedResponse(epsilon, k).probability
    at_most = at_least = 0.0
    for pattern in itertools.product([0, 1], repeat=n):
        chance = lie ** sum(pattern) * (1 - lie) ** (n - sum(pattern))
        at_most += chance * (sum(pattern) <= lies)
        at_least += chance * (sum(pattern) >= lies)
    found = tk.RandomisedResponse(epsilon, k).cdf(lies, n)
    assert found == pytest.approx(at_most, abs=1e-12)
    assert tk.RandomisedResponse(epsilon, k).sf(lies, n) == pytest.approx(at_least, abs=1e-12)
    law = tk.RandomisedResponse(epsilon, k)  # between whole numbers nothing changes
    assert law.sf(lies - 0.5, n) == pytest.approx(at_least, abs=1e-12)
    assert law.cdf(lies + 0.5, n) == pytest.approx(at_most, abs=1e-12)


@given(EPSILONS, st.integers(2, 5), st.integers(0, 99))
def test_estimate_is_unbiased(epsilon, k, seed):
    """The expected shares of reports lead back to the true shares."""
    truth = rng(seed).dirichlet(np.ones(k))
    expected = truth @ tk.RandomisedResponse(epsilon, k).pmf().to_numpy()
    found = tk.RandomisedResponse(epsilon, k).estimate(expected)
    np.testing.assert_allclose(found, truth, atol=1e-10)


def p_value_of_geometric(noise, scale):
    """Chi-square over integers that are expected 50 times, all others in one cell."""
    k = np.arange(-200, 201)
    expected = tk.DiscreteLaplaceNoise(scale).pmf(k) * noise.size
    kept, expected = k[expected >= 50], expected[expected >= 50]
    counts = pd.Series(noise).value_counts().reindex(kept, fill_value=0)
    observed = np.append(counts, noise.size - counts.sum())
    return stats.chisquare(observed, np.append(expected, noise.size - expected.sum())).pvalue


def check_the_pmf(name, backend, draws):
    for change, epsilon in ((1, 0.7), (3, 2.0)):
        found = noisy(
            name, np.full(draws, 5), sensitivity=change, epsilon=epsilon, backend=backend
        )
        assert found.dtype == np.int64 and found.shape == (draws,)
        assert p_value_of_geometric(found - 5, change / epsilon) > 1e-6


BACKENDS = [("geometric", "numpy"), ("geometric", "opendp"), ("laplace", "opendp")]


@pytest.mark.parametrize(("name", "backend"), BACKENDS)
def test_both_backends_have_the_pmf(name, backend):
    """Chi-square against the geometric pmf; false alarm 1e-6 for each of two settings."""
    opendp()
    check_the_pmf(name, backend, 30_000)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_floats_have_the_cdf(name):
    """Kolmogorov-Smirnov; false alarm 1e-3 for the seed."""
    found = noisy(name, np.full(DRAWS, -2.0), sensitivity=3, epsilon=0.5)
    scale = {"laplace": 6.0, "gaussian": tk.gaussian_scale(3, 0.5, 1e-5)}[name]
    assert stats.kstest(found + 2, FAMILIES[name](scale).cdf).pvalue > 1e-3
    assert stats.kstest(found + 2, FAMILIES[name](scale * 1.03).cdf).pvalue < 1e-3


@pytest.mark.parametrize("monotone", [False, True])
def test_choices_have_the_pmf(monotone):
    """Chi-square; false alarm 1e-3 for the seed."""
    utilities = np.array([3.0, 2.0, 2.0, -1.0])
    found = tk.exponential(
        np.broadcast_to(utilities, (DRAWS, 4)),
        sensitivity=2,
        epsilon=1.5,
        monotone=monotone,
        rng=rng(),
    )
    scale = tk.ExponentialChoice.for_epsilon(2, 1.5, monotone=monotone).scale
    expected = tk.ExponentialChoice(scale).pmf(utilities) * DRAWS
    assert stats.chisquare(np.bincount(found, minlength=4), expected).pvalue > 1e-3


@pytest.mark.parametrize("options", [2, 3, 5])
def test_reports_have_the_pmf(options):
    """Chi-square for each truth; false alarm 1e-3 for each seed."""
    table = tk.RandomisedResponse(0.8, options).pmf()
    for truth in range(options):
        found = tk.randomised_response(
            np.full(DRAWS, truth), epsilon=0.8, options=options, rng=rng(truth)
        )
        counts = np.bincount(found, minlength=options)
        assert stats.chisquare(counts, table.loc[truth] * DRAWS).pvalue > 1e-3


@pytest.mark.parametrize("name", NUMERIC)
def test_labels_of_a_release_come_from_a_public_list(name):
    """`value_counts` lists the values that occur, the most frequent first."""
    ill, public = (
        pd.Series(["flu"] * 4 + ["cold"] * 3 + ["hiv"]),
        ["flu", "cold", "hiv", "itch"],
    )
    counts, categories = ill.value_counts(), pd.CategoricalIndex(public, public)
    by_count = ill.astype(categories.dtype).value_counts()
    for told in (counts, counts.to_frame(), by_count.iloc[[1, 0, 2, 3]], by_count.iloc[:3]):
        with pytest.warns(UserWarning, match="labels of value are released as they are"):
            noisy(name, told)
    for labels in (sorted(public), categories):
        found = noisy(name, counts.reindex(labels, fill_value=0))
        assert found.index.equals(pd.Index(labels))


@pytest.mark.parametrize(("name", "backend"), BACKENDS)
def test_a_whole_number_mechanism_refuses_a_sensitivity_that_is_not_whole(name, backend):
    """The mean 0.4 and its neighbour 0.6 round to 0 and 1: a paid ε of 1 would be 3.33."""
    opendp()
    budget = tk.PrivacyBudget(9)
    for sensitivity in (0.3, 1.5, 1 + 1e-12):
        with pytest.raises(ValueError, match=r"must be whole; got .* Round each"):
            noisy(name, 5, sensitivity=sensitivity, backend=backend, budget=budget)
    assert budget.ledger.empty


def test_ten_tenths_fill_a_budget_of_one():
    budget = tk.PrivacyBudget(1.0)
    assert functools.reduce(operator.add, [0.1] * 10) != 1.0  # floats drift
    for _ in range(10):
        budget.charge(0.1)
    assert budget.left == (0, 0) and budget.spent == (1.0, 0)
    for more in (0.1, 1e-9, 1e-15, 5e-324):
        with pytest.raises(ValueError, match="only epsilon = 0 is left"):
            budget.charge(more)
    assert len(budget.ledger) == 10
    assert budget.ledger["left"].tolist() == [
        0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0
    ]  # fmt: skip
    thirds = tk.PrivacyBudget(1.0)  # what is left of three rounded thirds is nothing
    for _ in range(3):
        thirds.charge(1 / 3)
    assert thirds.left == (0, 0) and thirds.spent == (1.0, 0)


@given(st.lists(st.floats(0.001, 0.6), max_size=12), st.floats(0.1, 2))
def test_a_budget_is_never_passed(charges, whole):
    budget = tk.PrivacyBudget(whole)
    accepted = []
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


@pytest.mark.parametrize("name", ["charge", "laplace"])
def test_a_thread_never_spends_what_is_not_there(name):
    budget, paid = tk.PrivacyBudget(1.0), [0] * 8
    pay = {
        "charge": lambda: budget.charge(2e-4),
        "laplace": lambda: noisy("laplace", 1, epsilon=2e-4, budget=budget),
    }[name]

    def ask(place):
        while budget.left.epsilon:
            try:
                pay()
            except ValueError:  # another thread took the last of it
                return
            paid[place] += 1

    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sum(paid) == len(budget.ledger) == 5_000
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


class Spy:
    """Data that tell when they are looked at."""

    def __init__(self):
        self.looks = 0

    def __call__(self):
        self.looks += 1
        return 38


ANY = {
    "laplace": lambda value, **more: noisy("laplace", value, **more),
    "discrete Laplace": lambda value, **more: noisy("geometric", value, **more),
    "gaussian": lambda value, **more: noisy("gaussian", value, **more),
    "exponential": lambda value, **more: noisy("exponential", value, **more),
    "randomised response": lambda value, **more: tk.randomised_response(
        value, **({"epsilon": 0.5, "options": [38, 39], "rng": rng()} | more)
    ),
}


@pytest.mark.parametrize("name", ANY)
def test_the_budget_is_charged_before_the_data_are_read(name):
    spy, budget = Spy(), tk.PrivacyBudget(0.4, 1e-3)
    answer = (lambda: [spy()]) if name == "exponential" else spy
    with pytest.raises(ValueError, match=f"cannot pay for {name}: it asks for epsilon = 0.5"):
        ANY[name](answer, budget=budget)
    assert spy.looks == 0 and budget.ledger.empty
    budget = tk.PrivacyBudget(1.0, 1e-3)
    ANY[name](answer, budget=budget)
    ANY[name](answer, budget=budget, label="again")
    assert spy.looks == 2
    delta = 1e-5 if name == "gaussian" else 0
    assert budget.ledger["label"].tolist() == [name, "again"]
    assert budget.ledger["delta"].tolist() == [delta, delta]
    assert budget.left.epsilon == 0


def test_gaussian_against_dp_accounting():
    pld = dp_accounting()
    for sigma in (0.5, 1.0, 4.0):
        loss = pld.from_gaussian_mechanism(sigma, value_discretization_interval=1e-3)
        for epsilon in (0, 0.1, 1.0, 3.0):
            tight = float(loss.get_delta_for_epsilon(epsilon))
            ours = tk.gaussian_delta(1, epsilon, sigma)
            assert ours <= tight * (1 + 1e-9)  # its estimate is on the safe side
            assert ours == pytest.approx(tight, rel=1e-4, abs=1e-12)
    for epsilon, delta in ((0.5, 1e-6), (1.0, 1e-5), (8.0, 1e-9)):
        theirs = importlib.import_module("dp_accounting").get_sigma_gaussian(epsilon, delta)
        assert tk.gaussian_scale(1, epsilon, delta) == pytest.approx(theirs, rel=1e-6)
        assert tk.GaussianNoise(theirs).epsilon(1, delta) == pytest.approx(epsilon, rel=1e-6)


def slowly(query, universe, n, neighbours, norm):
    """The definition, pair by pair."""
    worst = 0.0
    for data in itertools.product(universe, repeat=n):
        for place in range(n):
            rest = data[:place] + data[place + 1 :]
            others = [rest]
            if neighbours == "replace":
                others = [(*rest[:place], one, *rest[place:]) for one in universe]
            for other in others:
                change = np.atleast_1d(np.subtract(query(data), query(other)).astype(float))
                worst = max(worst, float(np.linalg.norm(change, norm)))
    return worst


@st.composite
def queries(draw):
    """A query that follows no rule: an answer for each data set, drawn at random."""
    shape = draw(st.sampled_from([(), (1,), (3,)]))
    seed = draw(st.integers(0, 10**6))

    def query(records):
        key = [seed, len(records), *[int(one) + 1 for one in records]]
        return np.random.default_rng(key).integers(-9, 9, shape)

    return query


@given(
    queries(),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(["add/remove", "replace"]),
    st.sampled_from([1, 2, math.inf]),
)
def test_brute_force_against_the_definition(query, records, n, neighbours, norm):
    found = tk.sensitivity_by_brute_force(
        query, range(records), n, neighbours=neighbours, norm=norm
    )
    assert found.value == pytest.approx(slowly(query, range(records), n, neighbours, norm))
    assert len(found.data) == n
    assert len(found.neighbour) == (n if neighbours == "replace" else n - 1)
    change = np.atleast_1d(np.subtract(query(found.data), query(found.neighbour)))
    assert np.linalg.norm(change.astype(float), norm) == pytest.approx(found.value)
    np.testing.assert_array_equal(found.answer, query(found.data))
    np.testing.assert_array_equal(found.neighbour_answer, query(found.neighbour))
    one_changed = sum(a != b for a, b in zip(found.data, found.neighbour, strict=False))
    assert neighbours == "add/remove" or one_changed <= 1


def test_series_are_compared_by_label():
    """By place, the counts {a: 1} and {b: 1} would be equal."""
    search, both = tk.sensitivity_by_brute_force, ["a", "b"]
    with pytest.raises(ValueError, match="same labels, .*reindex"):
        search(lambda d: pd.Series(d).value_counts(), both, 1, neighbours="replace")

    def largest_first(records):
        return pd.Series(records).value_counts().reindex(both, fill_value=0).sort_values()

    assert search(largest_first, both, 1, neighbours="replace").value == 2


def test_a_copy_never_spends_what_is_not_there():
    budget = tk.PrivacyBudget(1.0)
    for other in (copy.copy(budget), copy.deepcopy({"of": budget})["of"]):
        other.charge(0.5)
    assert budget.left.epsilon == 0
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(budget)


def test_no_composition_gives_a_delta_above_one():
    for loss in (
        tk.advanced_composition(0.1, 10**6, 0.5, delta_each=0.01),
        tk.sequential_composition([0.1] * 3, 0.5),
        tk.group_privacy(1.0, 100, 0.5),
        tk.group_privacy(10.0, 10**9, 1e-300),
    ):
        assert loss.delta == 1
    assert tk.group_privacy(800.0, 3).epsilon == 2400


def test_releases_are_drawn_by_opendp_and_numpy_is_marked_as_teaching(monkeypatch):
    opendp()
    source, state = rng(), rng().bit_generator.state
    noisy("geometric", [1, 2], backend="opendp", rng=source)
    assert source.bit_generator.state == state
    for name in (*NUMERIC, "exponential", "randomised_response"):
        text = getattr(tk, name).__doc__
        assert "for teaching, not for production" in text and "OpenDP" in text
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    mechanisms._vetted.cache_clear()
    budget = tk.PrivacyBudget(1)
    with pytest.raises(ImportError, match=r"dev\.py install opendp"):
        noisy("laplace", 5, backend="opendp", budget=budget)
    assert budget.ledger.empty


def test_opendp_keeps_epsilon_by_its_own_account():
    opendp()
    dp = mechanisms.check_opendp()
    for change, epsilon in ((1, 1e-6), (1, 0.1), (3, 0.7), (2, 1.0), (1, 30.0)):
        draw = mechanisms.whole_noise(change, epsilon, None)
        (mechanism,) = [
            cell.cell_contents
            for cell in draw.__closure__
            if isinstance(cell.cell_contents, dp.Measurement)
        ]
        assert mechanism.map(change) <= epsilon


# ---------------------------------------------------------------- zCDP and Rényi


@given(st.floats(1e-4, 20), st.integers(1, 1000), st.floats(-300, -0.3))
def test_zcdp_of_gaussian_noise_holds_and_beats_the_plain_bound(ratio, k, exponent):
    """Its ε is one that the noise of all answers keeps: δ by Balle and Wang is smaller."""
    delta, sigma = 10.0**exponent, 1 / ratio
    together = tk.zcdp_composition([tk.GaussianNoise(sigma).rho(1)] * k, delta)
    assert tk.gaussian_delta(math.sqrt(k), together.epsilon, sigma) <= delta
    rho = k * ratio**2 / 2
    assert together.epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))
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
    dp_accounting()
    dp = importlib.import_module("dp_accounting")
    orders = [1.5, 2, 4, 8, 16, 32, 64, 256]
    accountant = importlib.import_module("dp_accounting.rdp").RdpAccountant(orders)
    kind = dp.LaplaceDpEvent if isinstance(noise, tk.LaplaceNoise) else dp.GaussianDpEvent
    accountant.compose(dp.SelfComposedDpEvent(kind(noise.scale), answers))
    ours = tk.renyi_composition([noise.renyi(1, orders)] * answers, 1e-6)
    assert ours.epsilon == pytest.approx(accountant.get_epsilon(1e-6), rel=1e-9)


# ---------------------------------------------------------------- refusals, a row per kind
