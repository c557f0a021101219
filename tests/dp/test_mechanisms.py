"""Mechanisms of differential privacy: published numbers, laws, samplers, budgets, bad input.

Random tests have fixed seeds, so they either always pass or always fail; the false-alarm rate
they state is that of the seed. OpenDP draws from the operating system: there it is the rate
per run.
"""

import copy
import dataclasses
import functools
import importlib.util
import inspect
import itertools
import math
import operator
import os
import pickle
import sys
import threading
import warnings
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import toolkit as tk
from tests.needs import need
from toolkit.dp import accounting as budget_module, mechanisms, noise

LN2, LN3 = math.log(2), math.log(3)
EPSILONS = st.floats(1e-3, 8)
SENSITIVITIES = st.floats(1e-3, 1e3)
SCALES = st.floats(1e-2, 1e4)
LEVELS = st.floats(1e-12, 1.0)


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


# ---------------------------------------------------------------- numbers to reproduce


def test_tail_and_accuracy_of_laplace():
    # P(|noise| > t) = exp(-t eps / s), so it is alpha at t = (s / eps) ln(1 / alpha).
    assert f"{tk.LaplaceNoise.for_epsilon(1, 1).accuracy(0.05):.4f}" == "2.9957"
    assert tk.LaplaceNoise.for_epsilon(3, 0.5).accuracy(0.05) == pytest.approx(
        6 * math.log(20)
    )
    assert tk.LaplaceNoise.for_epsilon(2, 0.5).sf(4) == pytest.approx(math.exp(-1))


def test_averaging_attack():
    # Laplace noise has variance 2 b^2 = 200 at epsilon .1; the mean of 3200 answers 200/3200.
    scale = tk.laplace_scale(1, 0.1)
    assert math.sqrt(2 * scale**2 / 3200) == pytest.approx(0.25)
    answers = tk.laplace(np.full(3200, 38.0), sensitivity=1, epsilon=0.1, rng=rng(5))
    assert abs(answers.mean() - 38) < 4 * 0.25  # false alarm 1 in 16,000
    spent = tk.sequential_composition([0.1] * 3200)
    assert spent == tk.PrivacyLoss(pytest.approx(320), 0)
    budget = tk.PrivacyBudget(320)
    for _ in range(3200):
        budget.charge(0.1)
    assert budget.left.epsilon == 0


def test_geometric_by_fractions():
    # a = e^{-1/b} = 1/2: pmf (1-a)/(1+a) a^|k| = 1/3 2^-|k|, tail 2 a^t / (1+a) = 4/3 2^-t.
    law = tk.DiscreteLaplaceNoise(1 / LN2)
    half = Fraction(1, 2)
    for k in range(-6, 7):
        pmf = (1 - half) / (1 + half) * half ** abs(k)
        assert law.pmf(k) == pytest.approx(float(pmf), rel=1e-14)
        cdf = sum((1 - half) / (1 + half) * half ** abs(j) for j in range(k, -80, -1))
        assert law.cdf(k) == pytest.approx(float(cdf), rel=1e-14)
    for t in range(1, 9):
        assert law.sf(t) == pytest.approx(float(2 * half**t / (1 + half)))
    assert law.sf([-3, 0, 0.5, 1, 1.5]).tolist() == pytest.approx([1, 1, 2 / 3, 2 / 3, 1 / 3])
    assert law.cdf([-0.5, 0.5]).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert law.pmf([0.5, math.inf, -math.inf]).tolist() == [0, 0, 0]


def test_gaussian_is_never_pure():
    # ln ratio of N(0, 1) to N(1, 1) at -y: ((y + 1)^2 - y^2) / 2 = y + 1/2; at 10 from one
    # centre and 9 from the other 9.5.
    ratio = tk.GaussianNoise(1).pdf(9) / tk.GaussianNoise(1).pdf(10)
    assert math.log(ratio) == pytest.approx(9.5, abs=1e-12)
    assert f"{tk.gaussian_delta(1, 1, 1):.5f}" == "0.12694"


def test_classic_gaussian_is_refused_from_one_on():
    classic = math.sqrt(2 * math.log(1.25 / 1e-5))
    assert f"{classic:.4f}" == "4.8448"
    below = math.nextafter(1.0, 0)
    assert tk.gaussian_scale(1, below, 1e-5, method="classic") == pytest.approx(classic)
    for call in (
        lambda: tk.gaussian_scale(1, 1.0, 1e-5, method="classic"),
        lambda: tk.GaussianNoise(classic).epsilon(1, 1e-5, method="classic"),
        lambda: noisy("gaussian", 1, epsilon=1.0, method="classic"),
    ):
        with pytest.raises(ValueError, match="epsilon below 1 only; got 1.*method='analytic'"):
            call()
    # What it would promise at epsilon = 10, and what it would keep.
    assert f"{tk.gaussian_delta(1, 10, classic / 10):.1e}" == "2.3e-05"
    assert tk.GaussianNoise(2 * classic).epsilon(1, 1e-5, method="classic") == pytest.approx(
        0.5
    )


def test_analytic_gaussian():
    assert f"{tk.gaussian_scale(1, 1, 1e-5):.4f}" == "3.7306"
    assert tk.gaussian_scale(3, 1, 1e-5) == pytest.approx(3 * tk.gaussian_scale(1, 1, 1e-5))


def test_randomised_response_of_three_quarters():
    assert tk.RandomisedResponse(LN3).probability == pytest.approx(0.75, abs=1e-15)
    assert tk.RandomisedResponse.for_probability(0.75).epsilon == pytest.approx(LN3, abs=1e-15)
    # Of three answers: e^eps / (e^eps + 2) = 3/5.
    assert tk.RandomisedResponse(LN3, 3).probability == pytest.approx(0.6, abs=1e-15)
    assert tk.RandomisedResponse.for_probability(0.6, list("abc")).epsilon == pytest.approx(
        LN3, abs=1e-15
    )


def test_advanced_composition_may_be_worse():
    # eps' = sqrt(2 k ln(1/delta)) eps + k eps (e^eps - 1)
    small = tk.advanced_composition(0.1, 500, 1e-5)
    large = tk.advanced_composition(1.0, 500, 1e-5)
    assert f"{small.epsilon:.2f}" == "15.99" and small.epsilon < 50
    assert f"{large.epsilon:.1f}" == "966.4" and large.epsilon > 500
    by_hand = math.sqrt(1000 * math.log(1e5)) + 500 * (math.e - 1)
    assert large.epsilon == pytest.approx(by_hand, rel=1e-14)
    assert tk.advanced_composition(0.1, 500, 1e-5, delta_each=1e-8).delta == pytest.approx(
        500e-8 + 1e-5
    )


def test_exact_recovery_without_noise():
    # Two exact means give away the record that is in one data set only.
    records = [23.0, 38.0, 51.0, 67.0]
    with_it, without = np.mean(records), np.mean(records[:-1])
    assert len(records) * with_it - (len(records) - 1) * without == pytest.approx(67.0)


SPEC_QUERIES = {  # records 0..4, n = 3: add/remove, replace
    "count": (len, 1, 0),
    "predicate count": (lambda d: (d >= 2).sum(), 1, 1),
    "sum": (np.sum, 4, 4),
    "mean": (np.mean, 4 / 3, 4 / 3),  # 4/3 - 0 for (0, 0, 4); with n = 2 it is 2
    "histogram": (lambda d: np.bincount(d, minlength=5), 1, 2),
    "max": (np.max, 4, 4),
}


@pytest.mark.parametrize("name", SPEC_QUERIES)
def test_sensitivities(name):
    query, added, replaced = SPEC_QUERIES[name]
    for neighbours, expected in (("add/remove", added), ("replace", replaced)):
        found = tk.sensitivity_by_brute_force(query, range(5), 3, neighbours=neighbours)
        assert found.value == pytest.approx(expected, abs=1e-15)
        change = np.abs(np.asarray(query(found.data)) - np.asarray(query(found.neighbour)))
        assert change.sum() == found.value
        assert found.data_sets == 125 + (25 if neighbours == "add/remove" else 0)


def test_sensitivity_of_a_clipped_sum():
    def clipped(records):
        return np.clip(records, 2, 6).sum()

    found = [
        tk.sensitivity_by_brute_force(clipped, range(9), 3, neighbours=neighbours).value
        for neighbours in ("add/remove", "replace")
    ]
    assert found == [6, 4]  # max(|L|, |U|), and U - L


# ---------------------------------------------------------------- laws: the density ratio

NOISY_ANSWERS = st.floats(-50, 50)


@given(EPSILONS, SENSITIVITIES, NOISY_ANSWERS, st.floats(-1, 1))
def test_density_ratio_of_laplace(epsilon, sensitivity, y, part):
    """|ln ratio| = ||y - f'| - |y - f|| / b <= |f - f'| / b <= epsilon."""
    law = tk.LaplaceNoise.for_epsilon(sensitivity, epsilon)
    f, other, y = 0.0, part * sensitivity, y * sensitivity
    assume(law.pdf(y) > 1e-300 and law.pdf(y - other) > 1e-300)
    ratio = math.log(law.pdf(y - f)) - math.log(law.pdf(y - other))
    assert abs(ratio) <= epsilon * (1 + 1e-9) + 1e-9
    assert ratio == pytest.approx((abs(y - other) - abs(y)) / law.scale, abs=1e-9, rel=1e-9)
    if not min(f, other) < y < max(f, other):  # beyond both centres there is equality
        assert abs(ratio) == pytest.approx(abs(other) / law.scale, abs=1e-9, rel=1e-9)


@given(EPSILONS, st.floats(-20, 20), st.floats(1e-3, 20), st.floats(-1, 1))
def test_probabilities_of_intervals_keep_the_ratio(epsilon, low, width, shift):
    """A density is no probability; of intervals the ratio holds as well."""
    b = tk.laplace_scale(1, epsilon)
    with mpmath.workdps(80):
        p, q = (exact_laplace(low, width, f, b) for f in (0.0, shift))
        assert p <= q * mpmath.exp(mpmath.mpf(1) / b) * (1 + mpmath.mpf("1e-40"))
    ours = [
        tk.LaplaceNoise(b).cdf(low - f + width) - tk.LaplaceNoise(b).cdf(low - f)
        for f in (0.0, shift)
    ]
    assert ours == pytest.approx([float(p), float(q)], abs=1e-15)


def exact_laplace(low, width, centre, b):
    """Probability of an interval around which the noise is centred somewhere."""
    start = mpmath.mpf(low) - centre
    below, up_to = (
        mpmath.exp(x / b) / 2 if x < 0 else 1 - mpmath.exp(-x / b) / 2
        for x in (start, start + width)
    )
    return up_to - below


@given(EPSILONS, st.integers(1, 20), st.integers(-40, 40), st.integers(-20, 20))
def test_ratio_of_geometric(epsilon, sensitivity, y, change):
    assume(abs(change) <= sensitivity)
    b = tk.DiscreteLaplaceNoise.for_epsilon(sensitivity, epsilon).scale
    pair = [tk.DiscreteLaplaceNoise(b).pmf(y - f) for f in (0, change)]
    assume(min(pair) > 1e-300)
    assert abs(math.log(pair[0] / pair[1])) <= epsilon * (1 + 1e-12) + 1e-9
    if abs(change) == sensitivity and abs(y) > sensitivity:
        assert abs(math.log(pair[0] / pair[1])) == pytest.approx(epsilon, rel=1e-6)


@given(EPSILONS, st.lists(st.floats(-1, 1), min_size=1, max_size=5), st.integers(0, 99))
def test_vectors_keep_the_ratio_by_their_l1_distance(epsilon, change, seed):
    total = sum(map(abs, change))
    assume(total > 0.01)
    b = tk.laplace_scale(total, epsilon)
    y = rng(seed).normal(size=len(change))
    logs = [np.log(tk.LaplaceNoise(b).pdf(y - f)).sum() for f in (0, np.array(change))]
    assert abs(logs[0] - logs[1]) <= epsilon * (1 + 1e-9) + 1e-9


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


def test_ratio_of_the_exponential_mechanism_is_attained():
    """With many bad candidates, one going up and the others down reaches epsilon."""
    b = tk.ExponentialChoice.for_epsilon(1, 1).scale
    before, after = np.r_[0.0, np.full(10**6, 1.0)], np.r_[1.0, np.full(10**6, 0.0)]
    pair = [tk.ExponentialChoice(b).pmf(u)[0] for u in (before, after)]
    assert math.log(pair[1] / pair[0]) == pytest.approx(1, abs=1e-5)


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


# ---------------------------------------------------------------- laws: what follows


@given(EPSILONS, st.lists(st.integers(0, 3), min_size=61, max_size=61), st.integers(0, 1))
def test_post_processing_never_raises_the_ratio(epsilon, images, change):
    b = tk.DiscreteLaplaceNoise.for_epsilon(1, epsilon).scale
    y = np.arange(-30, 31)
    pair = [np.bincount(images, tk.DiscreteLaplaceNoise(b).pmf(y - f), 4) for f in (0, change)]
    seen = pair[0] > 0
    assert ((pair[1] > 0) == seen).all()
    assert np.abs(np.log(pair[0][seen] / pair[1][seen])).max() <= epsilon * (1 + 1e-9)


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
    parallel = tk.parallel_composition(epsilons, [1e-6] * len(epsilons))
    assert -logs[only % len(logs)] <= parallel.epsilon * (1 + 1e-9)
    assert parallel == tk.PrivacyLoss(max(epsilons), 1e-6)


@given(st.floats(0.01, 1), st.integers(1, 8))
def test_group_privacy(epsilon, k):
    """A group of k moves a count by k, and every ratio by e^(k epsilon) at most."""
    b = tk.DiscreteLaplaceNoise.for_epsilon(1, epsilon).scale
    y = np.arange(-20, 21)
    ratio = np.log(tk.DiscreteLaplaceNoise(b).pmf(y) / tk.DiscreteLaplaceNoise(b).pmf(y - k))
    group = tk.group_privacy(epsilon, k)
    assert np.abs(ratio).max() == pytest.approx(group.epsilon, rel=1e-9)
    assert group == tk.PrivacyLoss(k * epsilon, 0)


@given(st.floats(0.05, 2), st.integers(1, 6), st.floats(0.5, 5))
def test_group_privacy_of_gaussian(epsilon, k, sigma):
    delta = tk.gaussian_delta(1, epsilon, sigma)
    assume(1e-290 < delta < 1)
    group = tk.group_privacy(epsilon, k, delta)
    assert tk.gaussian_delta(k, group.epsilon, sigma) <= group.delta * (1 + 1e-9)
    by_hand = min(1, sum(math.exp(i * epsilon) for i in range(k)) * delta)
    assert group.delta == pytest.approx(by_hand, rel=1e-9, abs=0)


def test_group_privacy_far_out():
    assert tk.group_privacy(10, 10**6, 1e-9) == tk.PrivacyLoss(10**7, 1.0)
    assert tk.group_privacy(1, 1, 1e-9) == tk.PrivacyLoss(1, 1e-9)


# ---------------------------------------------------------------- laws: consistency

FAMILIES = {"laplace": tk.LaplaceNoise, "gaussian": tk.GaussianNoise}


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


@given(q=st.floats(1e-9, 1 - 1e-9), scale=st.floats(0.05, 50))
def test_quantiles_of_discrete_laplace_are_the_smallest(q, scale):
    law = tk.DiscreteLaplaceNoise(scale)
    k = law.ppf(q)
    assert k == round(k)
    assert law.cdf(k) >= q * (1 - 1e-15) and law.cdf(k - 1) < q * (1 + 1e-15)


def test_quantiles_of_discrete_laplace_by_hand():
    # With a = 1/2 the cdf of -2, ..., 2 is 1/6, 1/3, 2/3, 5/6, 11/12.
    law = tk.DiscreteLaplaceNoise(1 / LN2)
    found = law.ppf([0, 0.2, 0.3, 0.4, 0.6, 0.7, 0.9, 1]).tolist()
    assert found == [-math.inf, -1, -1, 0, 0, 1, 2, math.inf]
    for k in range(-9, 9):  # at the very steps, however they were rounded
        assert law.ppf(law.cdf(k)) == k


@pytest.mark.parametrize("q", [-0.1, 1.1, [0.5, math.inf]])
@pytest.mark.parametrize("law", [tk.LaplaceNoise, tk.DiscreteLaplaceNoise, tk.GaussianNoise])
def test_quantiles_are_of_probabilities(law, q):
    with pytest.raises(ValueError, match="q must be a probability from 0 to 1; got"):
        law(1.0).ppf(q)


@given(alpha=LEVELS, scale=SCALES)
def test_geometric_width_is_the_smallest(alpha, scale):
    t = tk.DiscreteLaplaceNoise(scale).accuracy(alpha)
    assert isinstance(t, int) and t >= 0
    assert tk.DiscreteLaplaceNoise(scale).sf(t + 1) <= alpha
    assert t == 0 or tk.DiscreteLaplaceNoise(scale).sf(t) > alpha


@given(t=st.integers(1, 400), scale=SCALES)
def test_geometric_width_is_the_inverse_of_tail(t, scale):
    """At the very probability of t or more, t - 1 is enough, however that was rounded."""
    alpha = tk.DiscreteLaplaceNoise(scale).sf(t)
    assume(alpha > 1e-300)
    assert tk.DiscreteLaplaceNoise(scale).accuracy(alpha) == t - 1


def test_geometric_width_where_the_bound_is_met_exactly():
    # With a = 1/2 more than t has probability 2/3 2^-t, more than 4 1/24.
    for t in range(12):
        exact = tk.DiscreteLaplaceNoise(1 / LN2).sf(t + 1)
        assert tk.DiscreteLaplaceNoise(1 / LN2).accuracy(exact) == t
        assert tk.DiscreteLaplaceNoise(1 / LN2).accuracy(math.nextafter(exact, 0)) == t + 1


@given(scale=st.floats(0.05, 50))
def test_geometric_adds_up(scale):
    reach = math.ceil(40 * scale) + 1
    k = np.arange(-reach, reach + 1)
    pmf = tk.DiscreteLaplaceNoise(scale).pmf(k)
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(tk.DiscreteLaplaceNoise(scale).cdf(k), pmf.cumsum(), atol=1e-12)
    for t in (0, 1, 2, 7):
        assert tk.DiscreteLaplaceNoise(scale).sf(t) == pytest.approx(
            pmf[abs(k) >= t].sum(), abs=1e-12
        )


def test_geometric_of_a_large_scale_keeps_its_digits():
    with mpmath.workdps(50):
        b = mpmath.mpf(10) ** 12
        a = mpmath.exp(-1 / b)
        assert tk.DiscreteLaplaceNoise(1e12).pmf(3) == pytest.approx(
            float((1 - a) / (1 + a) * a**3), rel=1e-14, abs=0
        )


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


def test_a_distribution_cannot_be_changed():
    for law in (tk.LaplaceNoise(1), tk.RandomisedResponse(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            law.scale = law.epsilon = 2
    assert type(tk.GaussianNoise(Fraction(1, 2)).scale) is float
    assert tk.LaplaceNoise(1) != tk.GaussianNoise(1)
    letters = tk.RandomisedResponse.for_probability(0.75, iter("ab"))
    assert letters.options.tolist() == ["a", "b"]


# ---------------------------------------------------------------- privacy profiles

SHIFTS = [(1.0, 1.0), (0.4, 2.5), (3.0, 0.8)]  # sensitivity and scale


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


@pytest.mark.parametrize("epsilon", [0, 0.1, 0.37, 1, 2.5, 5])
@pytest.mark.parametrize(("change", "scale"), SHIFTS)
def test_delta_of_laplace_by_quadrature(change, scale, epsilon):
    """Against the integral of (p - e^eps q) where that is positive."""
    density = EXACT["laplace"](mpmath.mpf(scale))[0]

    def excess(y):
        return max(density(y) - mpmath.exp(epsilon) * density(y - change), mpmath.mpf(0))

    end = (change - epsilon * scale) / 2  # up to here the ratio is larger
    parts = sorted({-60 * scale, -5 * scale, min(end, 0.0), end})
    integral = float(mpmath.quad(excess, parts)) if end > 0 else 0.0
    found = tk.laplace_delta(change, epsilon, scale)
    assert found == pytest.approx(integral, rel=1e-9, abs=1e-15)
    assert (found > 0) == (epsilon < tk.LaplaceNoise(scale).epsilon(change))


def test_delta_of_laplace_keeps_its_digits():
    with mpmath.workdps(40):
        exact = 1 - mpmath.exp(-(mpmath.mpf(2) ** -41))
    assert tk.laplace_delta(1, 1 - 2.0**-40, 1.0) == pytest.approx(float(exact), rel=1e-14)
    profile = tk.laplace_delta(2, pd.Series([0.0, 1.0, 9.0], index=list("abc")), 1.0)
    assert profile.index.tolist() == list("abc") and profile.is_monotonic_decreasing
    for epsilon in (-0.1, math.inf):
        with pytest.raises(ValueError, match="epsilon must be finite and at least 0; got"):
            tk.laplace_delta(1, epsilon, 1.0)


# ---------------------------------------------------------------- Gaussian: δ, ε, σ


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


@pytest.mark.parametrize(("epsilon", "sigma"), [(0, 1.0), (0.5, 0.7), (1, 1.0), (2, 3.0)])
def test_delta_by_its_definition(epsilon, sigma):
    """Hockey-stick divergence: the integral of (p - e^eps q) where that is positive."""
    start = sigma**2 * epsilon + 0.5  # p of N(1), q of N(0): the log ratio is epsilon there

    def excess(y):
        return mpmath.npdf(y, 1, sigma) - mpmath.exp(epsilon) * mpmath.npdf(y, 0, sigma)

    integral = mpmath.quad(excess, [start, start + 2 * sigma, start + 40 * sigma])
    assert tk.gaussian_delta(1, epsilon, sigma) == pytest.approx(float(integral), rel=1e-9)


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
def test_rounding_is_on_the_safe_side(epsilon, delta):
    """Before the logarithm of delta is rounded to delta."""
    sigma = tk.gaussian_scale(1, epsilon, delta)
    assert noise._log_delta(epsilon, sigma) <= math.log(delta)
    kept = tk.GaussianNoise(sigma).epsilon(1, delta)
    assert noise._log_delta(kept, sigma) <= math.log(delta)


def test_epsilon_is_zero_where_delta_covers_everything():
    total_variation = tk.gaussian_delta(1, 0, 2.0)
    assert total_variation == pytest.approx(math.erf(1 / (4 * math.sqrt(2))), rel=1e-14)
    assert tk.GaussianNoise(2.0).epsilon(1, total_variation * 1.01) == 0
    assert tk.GaussianNoise(2.0).epsilon(1, total_variation * 0.99) > 0


def test_privacy_profile_of_many_epsilons():
    epsilons = pd.Series([0.0, 0.5, 1.0, 8.0], index=list("abcd"))
    profile = tk.gaussian_delta(1, epsilons, 1.0)
    assert profile.index.equals(epsilons.index) and profile.is_monotonic_decreasing
    one_by_one = [tk.gaussian_delta(1, e, 1.0) for e in epsilons]
    assert profile.tolist() == pytest.approx(one_by_one, rel=1e-14, abs=0)


def test_extreme_gaussians_do_not_overflow():
    assert tk.gaussian_delta(1, 1, 1e-200) == 1
    assert tk.gaussian_delta(1, 1, 1e200) == 0
    assert tk.gaussian_delta(1e-3, 1e6, 1e3) == 0
    assert tk.gaussian_scale(1, 1e-6, 1e-300) > 1e6
    for epsilon, delta in itertools.product(
        (5e-324, 1e-30, 1e30, 1e200), (1e-300, 0.5, 0.999)
    ):
        sigma = tk.gaussian_scale(1, epsilon, delta)
        assert 0 < sigma < math.inf
        assert noise._log_delta(epsilon, sigma) <= math.log(delta)
    assert tk.GaussianNoise(1e-3).pdf([math.inf, -math.inf]).tolist() == [0, 0]
    assert tk.LaplaceNoise(1e-3).cdf([-math.inf, math.inf, 1e308]).tolist() == [0, 1, 1]


# ---------------------------------------------------------------- choices


@given(UTILITIES, st.floats(0.1, 10), LEVELS, st.floats(-1, 40))
def test_lost_utility(utilities, scale, alpha, loss):
    """Against plain sums; and the bound of the width holds for all utilities."""
    best = max(utilities)
    weights = [math.exp((u - best) / scale) for u in utilities]
    p = [w / sum(weights) for w in weights]
    assert tk.ExponentialChoice(scale).pmf(utilities).tolist() == pytest.approx(p)
    lost = [best - u for u in utilities]
    tail = sum(q for q, x in zip(p, lost, strict=True) if x >= loss)
    cdf = sum(q for q, x in zip(p, lost, strict=True) if x <= loss)
    assert tk.ExponentialChoice(scale).sf(loss, utilities) == pytest.approx(tail, abs=1e-12)
    assert tk.ExponentialChoice(scale).cdf(loss, utilities) == pytest.approx(cdf, abs=1e-12)
    width = tk.ExponentialChoice(scale).accuracy(alpha, len(utilities))
    by_hand = scale * (math.log(len(utilities)) + math.log(1 / alpha))
    assert width == pytest.approx(by_hand, rel=1e-12, abs=1e-12)
    above = math.nextafter(width, math.inf)
    assert tk.ExponentialChoice(scale).sf(above, utilities) <= alpha * (1 + 1e-9)


def test_tails_of_a_choice_among_many():
    """Of k - 1 candidates that are worse by the width, (k-1)/k alpha is chosen, nearly."""
    k, alpha = 1000, 1e-3
    width = tk.ExponentialChoice(2.0).accuracy(alpha, k)
    tail = tk.ExponentialChoice(2.0).sf(width, [width] + [0] * (k - 1))
    assert alpha * 0.99 < tail < alpha
    assert tk.ExponentialChoice(1.0).sf(0, [0] * 20) == 1, "twenty floats of 0.05 sum to more"


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
    between = tk.RandomisedResponse(epsilon, k).sf(lies - 0.5, n)
    assert between == pytest.approx(at_least, abs=1e-12)


@given(EPSILONS, st.integers(2, 5), st.integers(0, 99))
def test_estimate_is_unbiased(epsilon, k, seed):
    """The expected shares of reports lead back to the true shares."""
    truth = rng(seed).dirichlet(np.ones(k))
    expected = truth @ tk.RandomisedResponse(epsilon, k).pmf().to_numpy()
    found = tk.RandomisedResponse(epsilon, k).estimate(expected)
    np.testing.assert_allclose(found, truth, atol=1e-10)


@pytest.mark.parametrize("epsilon", [1e-8, 709.0, 711.0, 1e4, 1e8])
@pytest.mark.parametrize("k", [2, 5])
def test_estimate_and_its_width_at_extreme_losses(epsilon, k):
    with mpmath.workdps(50):
        other = mpmath.exp(-mpmath.mpf(epsilon))
        lie, contrast = other / (1 + (k - 1) * other), (1 - other) / (1 + (k - 1) * other)
        expected = float((0.75 - lie) / contrast)
        width = float(mpmath.sqrt(mpmath.log(40) / 20) / contrast)
    found = tk.RandomisedResponse(epsilon, k).estimate(0.75)
    assert found == pytest.approx(expected, rel=1e-9)
    assert tk.RandomisedResponse(epsilon, k).accuracy(0.05, 10) == pytest.approx(
        width, rel=1e-9
    )


@pytest.mark.parametrize("reported", [-0.1, 1.1, 368, math.inf, [0.2, 2.0]])
def test_reports_are_shares_and_no_counts(reported):
    with pytest.raises(ValueError, match="reported must be shares from 0 to 1.*Divide counts"):
        tk.RandomisedResponse(1.0).estimate(reported)


def test_estimate_and_its_width():
    # 750 of 1000 yes; expected share of reports 3/4 3/4 + 1/4 1/4 = 5/8, and back.
    assert tk.RandomisedResponse(LN3).estimate(0.625) == pytest.approx(0.75, abs=1e-15)
    # Hoeffding: sqrt(ln(2 / .05) / 2000) / (3/4 - 1/4)
    width = tk.RandomisedResponse(LN3).accuracy(0.05, 1000)
    assert width == pytest.approx(2 * math.sqrt(math.log(40) / 2000), rel=1e-12)
    truth = np.tile(np.arange(1000) < 750, (2000, 1))
    reports = tk.randomised_response(truth, epsilon=LN3, rng=rng(3)).mean(axis=1)
    error = np.abs(tk.RandomisedResponse(LN3).estimate(reports) - 0.75)
    # The bound allows 5 %; the exact error rate is near P(|N| > .0859 / .0274) = .2 %.
    assert (error >= width).mean() <= 0.05
    assert error.mean() == pytest.approx(0.0274 * math.sqrt(2 / math.pi), rel=0.1)


# ---------------------------------------------------------------- samplers

DRAWS = 200_000


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


@pytest.mark.full
@pytest.mark.parametrize(("name", "backend"), BACKENDS)
def test_both_backends_have_the_pmf_of_a_million(name, backend):
    """As above; false alarm 1e-6 for each of two settings."""
    opendp()
    check_the_pmf(name, backend, 1_000_000)


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_chi_square_would_notice(wrong):
    """Noise of another scale fails the same test."""
    found = noisy("geometric", np.zeros(30_000, int), epsilon=0.7 / wrong)
    assert p_value_of_geometric(found, 1 / 0.7) < 1e-6


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_floats_have_the_cdf(name):
    """Kolmogorov-Smirnov; false alarm 1e-3 for the seed."""
    found = noisy(name, np.full(DRAWS, -2.0), sensitivity=3, epsilon=0.5)
    scale = {"laplace": 6.0, "gaussian": tk.gaussian_scale(3, 0.5, 1e-5)}[name]
    assert stats.kstest(found + 2, FAMILIES[name](scale).cdf).pvalue > 1e-3
    assert stats.kstest(found + 2, FAMILIES[name](scale * 1.03).cdf).pvalue < 1e-3


def test_classic_gaussian_draws_with_its_scale():
    found = noisy("gaussian", np.zeros(DRAWS), epsilon=0.5, method="classic")
    scale = tk.gaussian_scale(1, 0.5, 1e-5, method="classic")
    assert found.std() == pytest.approx(scale, rel=0.01)  # 6 standard errors


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


@pytest.mark.parametrize(
    ("utilities", "sensitivity"),
    [
        ([1e18] * 4, 1),
        ([-1e300] * 2, 1e-8),
        ([1e308, -1e308, 1e308], 1),
        ([2.0**53, 2.0**53 + 2], 1),
        ([1.7e308, 1.6e308], 5e307),
    ],
)
def test_choices_of_huge_utilities_have_the_pmf(utilities, sensitivity):
    """Noise must not vanish beside them; chi-square, false alarm 1e-3 for the seed."""
    scale = tk.ExponentialChoice.for_epsilon(sensitivity, 1).scale
    choices = np.broadcast_to(utilities, (10_000, len(utilities)))
    found = tk.exponential(choices, sensitivity=sensitivity, epsilon=1, rng=rng())
    counts = np.bincount(found, minlength=len(utilities))
    expected = tk.ExponentialChoice(scale).pmf(utilities) * len(choices)
    assert counts[expected == 0].sum() == 0
    some = expected > 0
    assert stats.chisquare(counts[some], expected[some]).pvalue > 1e-3


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


def test_noise_is_fresh_for_every_number_and_call():
    source = rng()
    first, second = (
        tk.laplace(np.zeros(100), sensitivity=1, epsilon=1, rng=source) for _ in range(2)
    )
    assert len(np.unique(np.r_[first, second])) == 200


@pytest.mark.parametrize("name", NUMERIC)
def test_same_seed_same_answer(name):
    assert noisy(name, 5) == noisy(name, 5)
    assert noisy(name, [5, 6]).tolist() == noisy(name, np.array([5, 6])).tolist()


# ---------------------------------------------------------------- containers


@pytest.mark.parametrize(
    ("name", "backend"), [*BACKENDS, ("laplace", "numpy"), ("gaussian", "numpy")]
)
def test_what_comes_goes_out(name, backend):
    if backend == "opendp":
        opendp()
    more = {} if name == "gaussian" else {"backend": backend}
    plain = int if name == "geometric" or backend == "opendp" else float
    for one in (5, np.int64(5), np.uint8(5), lambda: 5):
        assert type(noisy(name, one, **more)) is plain
    for shape in ((), (0,), (3,), (2, 0), (2, 3), (2, 1, 2)):
        found = noisy(name, np.zeros(shape, dtype=np.int16), **more)
        assert isinstance(found, np.ndarray) and found.shape == shape
        assert found.dtype == (np.int64 if plain is int else np.float64)
    assert noisy(name, [[1, 2]], **more).shape == (1, 2)
    odd = pd.Series([3, 4, 5], index=[7, 7, 9], name="patients")
    found = noisy(name, odd, **more)
    assert found.index.equals(odd.index) and found.name == "patients"
    assert noisy(name, odd.astype("Int64"), **more).dtype.kind == found.dtype.kind
    table = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=[8, 9])
    found = noisy(name, table, **more)
    assert found.index.equals(table.index) and found.columns.equals(table.columns)
    assert odd.tolist() == [3, 4, 5] and table.to_numpy().tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("name", NUMERIC)
def test_the_value_is_never_changed(name):
    for value in (np.arange(5), np.arange(5.0), pd.Series(np.arange(5))):
        if name == "geometric" and value.dtype == float:
            continue
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        before = value.copy()
        found = noisy(name, value)
        assert (value == before).all() and not np.shares_memory(found, value)


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


def test_integers_far_out_keep_every_digit():
    far = 2**62
    for value in (far, -far, [far, -far], np.array([far], dtype=np.uint64)):
        found = np.array(noisy("geometric", value, epsilon=3.0), dtype=object)
        away = found - np.array(value, dtype=object)
        assert np.all(abs(away) < 50)  # false alarm e^-150


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e12, 2.0**53])
def test_geometric_of_extreme_scales(scale):
    found = noisy("geometric", np.zeros(1000, int), epsilon=1 / scale)
    spread = np.abs(found.astype(float)).mean()
    assert spread == pytest.approx(scale, rel=0.2) if scale > 1 else spread == 0


def test_choices_are_named_as_the_utilities_are():
    sure = {"epsilon": 1000.0, "sensitivity": 1, "rng": rng()}
    assert tk.exponential([1, 5, 2], **sure) == 1
    assert type(tk.exponential(np.array([1, 5, 2]), **sure)) is int
    assert tk.exponential({"tea": 1, "coffee": 5}, **sure) == "coffee"
    assert tk.exponential(pd.Series([1, 5], index=[30, 20]), **sure) == 20
    assert tk.exponential(lambda: {"tea": 1, "coffee": 5}, **sure) == "coffee"
    table = pd.DataFrame({"tea": [1, 5], "coffee": [5, 1]}, index=[8, 8])
    found = tk.exponential(table, **sure)
    assert found.tolist() == ["coffee", "tea"] and found.index.equals(table.index)
    assert tk.exponential(table.to_numpy(), **sure).tolist() == [1, 0]
    assert tk.exponential([[3.0]], **sure).tolist() == [0]
    assert tk.ExponentialChoice(1.0).pmf(table).columns.tolist() == ["tea", "coffee"]
    assert tk.ExponentialChoice(1.0).pmf(pd.Series([0, 0], index=list("ab"))).to_dict() == {
        "a": 0.5,
        "b": 0.5,
    }
    assert tk.ExponentialChoice(1e-3).pmf([1e308, -1e308]).tolist() == [1, 0]
    fixed = MappingProxyType({"tea": 1, "coffee": 5})  # a mapping that is no dict
    assert tk.exponential(fixed, **sure) == "coffee"
    assert tk.ExponentialChoice(1e-3).pmf(fixed).to_dict() == {"tea": 0, "coffee": 1}


def test_reports_are_named_as_the_options_are():
    honest = {"epsilon": 200.0, "rng": rng()}
    assert tk.randomised_response(True, **honest) is True
    assert tk.randomised_response(np.False_, **honest) is False
    assert type(tk.randomised_response(1, **honest)) is int
    assert tk.randomised_response([1, 0, 1], **honest).tolist() == [1, 0, 1]
    assert tk.randomised_response(np.array([[True, False]]), **honest).dtype == bool
    assert tk.randomised_response(np.array(2), options=3, **honest).shape == ()
    letters = {"options": ["a", "b", "c"]} | honest
    assert tk.randomised_response("b", **letters) == "b"
    assert tk.randomised_response(lambda: "b", **letters) == "b"
    people = pd.Series(["a", "c", "b"], index=[5, 5, 1], name="vote")
    for column in (people, people.astype("category")):
        found = tk.randomised_response(column, **letters)
        assert found.tolist() == ["a", "c", "b"] and found.name == "vote"
        assert found.index.equals(people.index)
    ages = {"options": range(30, 33)} | honest
    assert tk.randomised_response(np.array([[30, 32]]), **ages).tolist() == [[30, 32]]
    missing = {"options": ["a", None]} | honest
    assert tk.randomised_response(pd.Series(["a", None]), **missing).isna().tolist() == [
        False,
        True,
    ]
    assert tk.randomised_response([], **honest).shape == (0,)


def test_liars_use_every_other_option():
    found = tk.randomised_response(["b"] * 500, epsilon=0.01, options=list("abc"), rng=rng())
    assert set(found) == {"a", "b", "c"}


# ---------------------------------------------------------------- OpenDP


def test_without_opendp_there_is_one_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    mechanisms._vetted.cache_clear()
    budget = tk.PrivacyBudget(1)
    for name in ("laplace", "geometric"):
        with pytest.raises(
            ImportError, match=r"dev\.py install opendp, .* pip install -e '\.\[opendp\]'"
        ):
            noisy(name, 5, backend="opendp", budget=budget)
    assert budget.ledger.empty


def test_opendp_keeps_epsilon_by_its_own_account():
    opendp()
    for sensitivity, epsilon in ((1, 1e-6), (1, 0.1), (3, 0.7), (2, 1.0), (1, 30.0)):
        assert mechanisms._vetted(float(sensitivity), epsilon).map(sensitivity) <= epsilon


@pytest.mark.parametrize(("name", "backend"), BACKENDS)
def test_whole_numbers_change_by_whole_numbers(name, backend):
    """The mean 0.4 and its neighbour 0.6 round to 0 and 1: a paid ε of 1 would be 3.33."""
    opendp()
    budget = tk.PrivacyBudget(9)
    for sensitivity in (0.3, 1.5, Fraction(4, 3), 1 + 1e-12):
        with pytest.raises(ValueError, match=r"must be whole; got .* Round each record"):
            noisy(name, 5, sensitivity=sensitivity, backend=backend, budget=budget)
    assert budget.ledger.empty
    assert type(noisy(name, 5, sensitivity=Fraction(6, 2), backend=backend)) is int


def test_opendp_does_not_use_rng_and_its_features_stay_as_they_were():
    opendp()
    features = importlib.import_module("opendp.mod").GLOBAL_FEATURES
    before = set(features)
    mechanisms._vetted.cache_clear()
    source = rng()
    state = source.bit_generator.state
    for given_rng in (source, None):
        noisy("geometric", [1, 2], backend="opendp", rng=given_rng)
    assert source.bit_generator.state == state and features == before
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator or None"):
        noisy("geometric", 1, backend="opendp", rng=7)


def test_opendp_refuses_floats_with_the_way_out():
    for name, value in itertools.product(
        ("laplace", "geometric"), (1.5, 2.0, [1.5], pd.Series([1.0]))
    ):
        with pytest.raises(TypeError, match="must hold integers.*Round each record"):
            noisy(name, value, backend="opendp")


# ---------------------------------------------------------------- budgets


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


def test_what_is_left_is_nothing_up_to_the_tolerance():
    full, open_ = tk.PrivacyBudget(1), tk.PrivacyBudget(1)
    full.charge(0.999999999999)  # all but the tolerance, to the last digit
    open_.charge(0.9999999999989)
    assert full.left.epsilon == 0 and full.spent.epsilon == 1
    assert open_.left.epsilon == 1.1e-12 and open_.spent.epsilon == 0.9999999999989


@pytest.mark.parametrize("parts", [*range(1, 60), 997])
def test_equal_parts_fill_a_budget(parts):
    for whole in (1.0, 0.3, 7):
        budget = tk.PrivacyBudget(whole)
        for _ in range(parts):
            budget.charge(whole / parts)
        assert budget.left.epsilon == 0 and budget.spent.epsilon == whole
        with pytest.raises(ValueError, match="cannot pay"):
            budget.charge(whole / parts)


def test_other_kinds_of_numbers():
    for tenth in (np.float64(0.1), Decimal("0.1"), Fraction(1, 10)):
        budget = tk.PrivacyBudget(np.int64(1))
        for _ in range(10):
            budget.charge(tenth)
        assert budget.left.epsilon == 0
    budget = tk.PrivacyBudget(Fraction(1, 3))
    budget.charge(Fraction(1, 3))
    assert budget.left.epsilon == 0


def test_ledger():
    budget = tk.PrivacyBudget(epsilon=1.0, delta=1e-5)
    assert budget.ledger.shape == (0, 7)
    budget.charge(0.3, label="mean")
    budget.charge(0.5, 4e-6, label="median")
    expected = pd.DataFrame(
        {
            "label": ["mean", "median"],
            "epsilon": [0.3, 0.5],
            "delta": [0.0, 4e-6],
            "spent": [0.3, 0.8],
            "left": [0.7, 0.2],
            "spent_delta": [0.0, 4e-6],
            "left_delta": [1e-5, 6e-6],
        }
    )
    pd.testing.assert_frame_equal(budget.ledger, expected, rtol=0, atol=0)
    assert budget.spent == (0.8, 4e-6) and budget.left == (0.2, 6e-6)
    assert (budget.epsilon, budget.delta) == (1.0, 1e-5)
    assert "epsilon 0.2 and delta 6e-06 are left" in repr(budget)
    forged = budget.ledger
    forged.loc[0, "label"] = "forged"
    assert budget.ledger["label"].tolist() == ["mean", "median"]
    budget.charge(0.2, 6e-6)
    assert budget.left == (0, 0)


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


def test_either_number_can_run_out():
    budget = tk.PrivacyBudget(1.0, 1e-6)
    with pytest.raises(
        ValueError, match="x: it asks for delta = 2e-06, but only delta = 1e-06"
    ):
        budget.charge(0.1, 2e-6, label="x")
    with pytest.raises(ValueError, match="this charge: it asks for epsilon = 1.1, but only"):
        budget.charge(1.1)
    with pytest.raises(ValueError, match="only delta = 0 is left"):
        noisy("gaussian", 1, budget=tk.PrivacyBudget(1.0))
    assert budget.ledger.empty and budget.left == (1.0, 1e-6)


def test_advanced_composition_of_a_ledger():
    budget = tk.PrivacyBudget(100, 1e-3)
    for _ in range(500):
        budget.charge(0.1, 1e-8)
    found = budget.advanced(1e-5)
    assert found.epsilon == pytest.approx(tk.advanced_composition(0.1, 500, 1e-5).epsilon)
    assert found.delta == pytest.approx(500e-8 + 1e-5)
    assert found.epsilon < budget.spent.epsilon
    mixed = tk.PrivacyBudget(100)
    for epsilon in (0.5, 2.0):
        mixed.charge(epsilon)
    by_hand = math.sqrt(2 * math.log(1e5) * 4.25) + 0.5 * math.expm1(0.5) + 2 * math.expm1(2)
    assert mixed.advanced(1e-5).epsilon == pytest.approx(by_hand, rel=1e-12)
    assert tk.PrivacyBudget(1).advanced(1e-5) == (0, 1e-5)
    assert tk.advanced_composition(800, 2, 1e-5).epsilon == math.inf


STEP = 2e-4  # 5,000 of them fill a budget of 1


@pytest.mark.parametrize("name", ["charge", "laplace"])
def test_threads_do_not_pass_a_budget(name):
    budget, paid = tk.PrivacyBudget(1.0), [0] * 8
    pay = {
        "charge": lambda: budget.charge(STEP),
        "laplace": lambda: noisy("laplace", 1, epsilon=STEP, budget=budget),
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


def traced(act):
    """Charge 0.6 of 1 and act before one line of it, for each line in turn."""
    for place in itertools.count():
        lines, budget, answered = itertools.count(), tk.PrivacyBudget(1.0), False

        def step(frame, event, _, lines=lines, place=place, budget=budget):
            if frame.f_code.co_filename != budget_module.__file__:
                return None
            if event == "line" and next(lines) == place:
                sys.settrace(None)
                act(budget)
            return step

        before = sys.gettrace()
        sys.settrace(step)
        try:
            budget.charge(0.6)
            answered = True
        except (ValueError, KeyboardInterrupt):
            pass
        finally:
            sys.settrace(before)
        yield budget, answered
        if answered and next(lines) <= place:
            return


def test_between_any_two_lines_of_a_charge_another_may_come():
    """As from a signal handler, in the same thread: a lock would wait for ever, or let it."""
    came = [budget for budget, _ in traced(lambda budget: budget.charge(0.5))]
    paid = [budget.ledger["epsilon"].tolist() for budget in came]
    assert [0.5] in paid and [0.6] in paid
    assert all(one in ([0.5], [0.6]) for one in paid), "never both"
    assert [budget.spent.epsilon for budget in came] == [one[0] for one in paid]


def test_an_interrupt_never_answers_without_a_charge():
    def interrupt(_):
        raise KeyboardInterrupt

    for budget, answered in traced(interrupt):
        assert budget.ledger["epsilon"].tolist() in ([[0.6]] if answered else [[], [0.6]])
        budget.charge(0.4)  # nothing is left locked


@dataclasses.dataclass
class Survey:
    """An object that has a budget."""

    budget: tk.PrivacyBudget


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda budget: pickle.loads(pickle.dumps(budget)),
    "asdict": lambda budget: dataclasses.asdict(Survey(budget))["budget"],
    "copy of a copy": lambda budget: copy.copy(copy.deepcopy(budget)),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_shows_what_was_spent_and_cannot_be_charged(name):
    budget = tk.PrivacyBudget(1.0, 1e-6)
    budget.charge(0.3, label="mean")
    other = COPIES[name](budget)
    budget.charge(0.2)
    assert other.spent == (0.3, 0) and other.ledger["label"].tolist() == ["mean"]
    assert "a copy, which cannot be charged" in repr(other) != repr(budget)
    spy = Spy()
    for pay in (
        lambda: other.charge(0.1),
        lambda: other.charge_together({"a": 0.1}),
        lambda: noisy("laplace", spy, budget=other),
    ):
        with pytest.raises(ValueError, match="this PrivacyBudget is a copy.*Charge the orig"):
            pay()
    assert spy.looks == 0 and budget.left.epsilon == 0.5


def test_a_forked_process_cannot_charge():
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


def test_charges_together_are_all_paid_or_none():
    budget = tk.PrivacyBudget(1.0)
    budget.charge_together({"a": 0.5, "b": Fraction(1, 4)})
    assert budget.ledger["label"].tolist() == ["a", "b"]
    for losses in ({"c": 0.2, "d": 0.1}, {"c": 0.2, "d": -1}):
        with pytest.raises(ValueError, match="d: it asks|epsilon must be positive"):
            budget.charge_together(losses)
    for losses in ({}, [0.1], {3: 0.1}):
        with pytest.raises(TypeError, match="losses must map|label must be a text"):
            budget.charge_together(losses)
    assert len(budget.ledger) == 2 and budget.left.epsilon == 0.25


class Lie(Fraction):
    """A fraction that is cheap where it is charged, and large where it is used."""

    def __float__(self):
        return 50.0

    def __gt__(self, other):
        return True


class Changing(float):
    """A float that is another at every look."""

    looks = itertools.count(1)

    def __float__(self):
        return float(next(self.looks))


class Recorder(np.random.Generator):
    """A generator that notes the scale of the noise, and draws none."""

    def laplace(self, loc, scale, size):
        self.scale = scale
        return np.zeros(size)


@pytest.mark.parametrize(
    "epsilon",
    [
        *(np.float16(1e-7), np.float32(0.1), np.float64(0.1), np.longdouble("0.1"), 3),
        *(Fraction(1, 3), Decimal("0.1"), Lie(1, 1000), Changing(0.1), np.int8(3)),
    ],
    ids=repr,
)
def test_what_is_charged_is_what_is_used(epsilon):
    budget, recorder = tk.PrivacyBudget(100), Recorder(np.random.PCG64(1))
    tk.laplace(1, sensitivity=1, epsilon=epsilon, rng=recorder, budget=budget)
    assert 1 / recorder.scale == pytest.approx(budget.spent.epsilon, rel=1e-15)
    if isinstance(epsilon, np.floating):
        assert budget.spent.epsilon == float(epsilon)


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
def test_data_are_looked_at_only_after_the_charge(name):
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


class Untouchable(list):
    """A list that must not be read."""

    def __iter__(self):
        raise AssertionError("read")

    __len__ = __getitem__ = __repr__ = __iter__


@pytest.mark.parametrize("name", ANY)
def test_a_refused_list_is_not_read(name):
    with pytest.raises(ValueError, match="cannot pay"):
        ANY[name](Untouchable(), budget=tk.PrivacyBudget(0.1, 1e-3))


class Secret(set):
    """Data of a kind that no mechanism takes, and that must not be shown."""

    def __repr__(self):
        raise AssertionError("shown")

    __str__ = __iter__ = __len__ = __repr__


@pytest.mark.parametrize("name", ANY)
def test_data_of_the_wrong_kind_are_refused_by_their_type_alone(name):
    budget = tk.PrivacyBudget(1.0, 1e-3)
    with pytest.raises(TypeError, match="got Secret"):
        ANY[name](Secret(), budget=budget)
    assert budget.ledger.empty


@pytest.mark.parametrize("name", ANY)
def test_what_is_public_is_checked_before_the_charge_and_data_after(name):
    budget = tk.PrivacyBudget(1.0, 1e-3)
    for wrong in ({"epsilon": -1}, {"rng": 3}, {"label": 3}):
        with pytest.raises((TypeError, ValueError)):
            ANY[name]([1.0], budget=budget, **wrong)
    for value in (None, {1, 2}):
        with pytest.raises(TypeError):
            ANY[name](value, budget=budget)
    assert budget.ledger.empty
    with pytest.raises((TypeError, ValueError)):
        ANY[name]([math.nan], budget=budget)
    assert budget.ledger["epsilon"].tolist() == [0.5]
    with pytest.raises(TypeError, match="budget must be a PrivacyBudget.*got float"):
        ANY[name]([38], budget=1.0)


# ---------------------------------------------------------------- against dp-accounting


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


@pytest.mark.parametrize(
    ("epsilon", "k"), [(0.1, 500), (0.1, 20), (1.0, 500), (1.0, 2), (0.01, 1000)]
)
def test_composition_against_the_tight_bound(epsilon, k):
    """Both bounds hold; the tight one is by privacy loss distributions."""
    pld = dp_accounting()
    # A step of the losses that divides them: the discretised mechanism is then a real one.
    loss = pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=epsilon / 64)
    tight = loss.self_compose(k).get_epsilon_for_delta(1e-5)
    basic = tk.sequential_composition([epsilon] * k).epsilon
    assert tight <= basic * (1 + 1e-9)
    assert tight <= tk.advanced_composition(epsilon, k, 1e-5).epsilon
    assert tight > 0


# ---------------------------------------------------------------- sensitivity by brute force


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


def test_records_come_as_the_universe_has_them():
    kinds = {}

    def see(name):
        def query(records):
            kinds[name] = type(records)
            return len(records)

        return query

    table = pd.DataFrame({"age": [30, 40], "ill": [True, False]}, index=[9, 9])
    for name, universe in {
        "numbers": [1, 2.5],
        "range": range(2),
        "array": np.array([[1, 2], [3, 4]]),
        "series": pd.Series([1, 2], index=[5, 5]),
        "words": ["a", "b"],
        "tuples": [(1, "a"), (2, "b")],
        "table": table,
    }.items():
        assert tk.sensitivity_by_brute_force(see(name), universe, 2).value == 1
    array, frame = np.ndarray, pd.DataFrame
    assert list(kinds.values()) == [array, array, array, array, tuple, tuple, frame]


def test_sensitivity_of_a_table():
    universe = pd.DataFrame({"age": [30, 40], "ill": [True, False]}, index=[9, 9])

    def ages_of_the_ill(records):
        assert records.index.tolist() == list(range(len(records)))
        return records.loc[records["ill"], "age"].sum()

    found = tk.sensitivity_by_brute_force(ages_of_the_ill, universe, 2)
    assert found.value == 30 and found.answer == found.neighbour_answer + 30
    assert found.data.columns.tolist() == ["age", "ill"]
    assert found.table.shape == (2, 2)
    assert universe.equals(pd.DataFrame({"age": [30, 40], "ill": [True, False]}, index=[9, 9]))


def test_queries_may_spoil_their_records():
    def spoil(records):
        records.sort()
        top = records[-1]
        records[:] = 0
        return top

    found = tk.sensitivity_by_brute_force(spoil, np.array([1, 2, 4]), 2, neighbours="replace")
    assert found.value == 3 and found.data.max() == 4


def test_universe_of_one_record():
    assert tk.sensitivity_by_brute_force(len, ["only"], 3).value == 1
    found = tk.sensitivity_by_brute_force(len, ["only"], 200, neighbours="replace")
    assert found.value == 0 and found.data == found.neighbour == ("only",) * 200
    pair = tk.sensitivity_by_brute_force(
        lambda d: [len(d), 0], ["only"], 2, neighbours="replace"
    )
    assert pair.value == 0


def test_progress_is_shown_only_for_long_searches(capsys):
    tk.sensitivity_by_brute_force(np.sum, range(5), 3)
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- bad input

LOSSES = {
    "laplace": lambda e: noisy("laplace", 1, epsilon=e),
    "geometric": lambda e: noisy("geometric", 1, epsilon=e),
    "gaussian": lambda e: noisy("gaussian", 1, epsilon=e),
    "exponential": lambda e: noisy("exponential", [1], epsilon=e),
    "randomised response": lambda e: tk.randomised_response(1, epsilon=e, rng=rng()),
    "laplace_scale": lambda e: tk.laplace_scale(1, e),
    "geometric_scale": lambda e: tk.DiscreteLaplaceNoise.for_epsilon(1, e).scale,
    "gaussian_scale": lambda e: tk.gaussian_scale(1, e, 1e-5),
    "exponential_scale": lambda e: tk.ExponentialChoice.for_epsilon(1, e).scale,
    "probability": lambda e: tk.RandomisedResponse(e).probability,
    "PrivacyBudget": lambda e: tk.PrivacyBudget(e),
    "charge": lambda e: tk.PrivacyBudget(1).charge(e),
    "advanced": lambda e: tk.advanced_composition(e, 2, 1e-5),
    "group": lambda e: tk.group_privacy(e, 2),
}
NO_NUMBERS = [True, "1", None, [1.0], 1j, np.True_, np.array([1.0])]


@pytest.mark.parametrize("name", LOSSES)
def test_bad_epsilon(name):
    for epsilon in (0, -1, 0.0, math.nan, math.inf, -math.inf, np.float64("nan")):
        with pytest.raises(ValueError, match="epsilon must be positive and finite; got"):
            LOSSES[name](epsilon)
    for epsilon in NO_NUMBERS:
        with pytest.raises(TypeError, match="epsilon must be a positive number"):
            LOSSES[name](epsilon)


NO_FLOATS = [10**400, 10**5000, Fraction(1, 10**400), Decimal("sNaN")]


@pytest.mark.parametrize("number", NO_FLOATS, ids=lambda number: type(number).__name__)
def test_what_no_float_holds_is_refused(number):
    for ask, name in [*zip(LOSSES.values(), itertools.repeat("epsilon"))] + [
        *zip(CHANGES.values(), itertools.repeat("sensitivity"))
    ]:
        with pytest.raises(ValueError, match=f"{name} must be positive and finite; got"):
            ask(number)
    with pytest.raises(ValueError, match="delta must be (above 0|at least 0)"):
        tk.gaussian_scale(1, 1, number)
    if isinstance(number, (int, Fraction)) and not 10**4300 <= number:
        with pytest.raises(ValueError, match="scale must be a positive, finite number"):
            tk.LaplaceNoise(number).pdf(0)


CHANGES = {
    "laplace": lambda s: noisy("laplace", 1, sensitivity=s),
    "geometric": lambda s: noisy("geometric", 1, sensitivity=s),
    "gaussian": lambda s: noisy("gaussian", 1, sensitivity=s),
    "exponential": lambda s: noisy("exponential", [1], sensitivity=s),
    "laplace_epsilon": lambda s: tk.LaplaceNoise(1).epsilon(s),
    "gaussian_epsilon": lambda s: tk.GaussianNoise(1).epsilon(s, 1e-5),
    "gaussian_delta": lambda s: tk.gaussian_delta(s, 1, 1),
    "exponential_epsilon": lambda s: tk.ExponentialChoice(1).epsilon(s),
}


@pytest.mark.parametrize("name", CHANGES)
def test_bad_sensitivity(name):
    for sensitivity in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="sensitivity must be positive and finite; got"):
            CHANGES[name](sensitivity)
    for sensitivity in NO_NUMBERS:
        with pytest.raises(TypeError, match="sensitivity must be a positive number"):
            CHANGES[name](sensitivity)


DELTAS = {
    "gaussian": lambda d: noisy("gaussian", 1, delta=d),
    "gaussian_scale": lambda d: tk.gaussian_scale(1, 1, d),
    "gaussian_epsilon": lambda d: tk.GaussianNoise(1).epsilon(1, d),
    "PrivacyBudget": lambda d: tk.PrivacyBudget(1, d),
    "charge": lambda d: tk.PrivacyBudget(1).charge(0.5, d),
    "advanced": lambda d: tk.advanced_composition(1, 2, d),
    "ledger": lambda d: tk.PrivacyBudget(1).advanced(d),
    "each": lambda d: tk.advanced_composition(1, 2, 1e-5, delta_each=d),
    "group": lambda d: tk.group_privacy(1, 2, d),
    "sequential": lambda d: tk.sequential_composition([1, 2], [0, d]),
}


@pytest.mark.parametrize("name", DELTAS)
def test_bad_delta(name):
    for delta in (-1e-9, 1, 1.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="must be at least 0 and below 1; got"):
            DELTAS[name](delta)
    for delta in NO_NUMBERS:
        if name == "sequential" and isinstance(delta, (list, np.ndarray)):
            continue
        with pytest.raises(TypeError, match="must be a probability below 1"):
            DELTAS[name](delta)
    if name in ("gaussian", "gaussian_scale", "gaussian_epsilon", "advanced", "ledger"):
        with pytest.raises(ValueError, match="delta must be above 0; got 0"):
            DELTAS[name](0)


@pytest.mark.parametrize("name", ANY)
def test_bad_rng(name):
    for wrong in (1, None, np.random.RandomState(1), np.random, "rng"):
        with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
            ANY[name]([38], rng=wrong)
    function = getattr(tk, name.replace(" ", "_").lower())
    arguments = inspect.signature(function).parameters
    for required in ("epsilon", "rng", *["sensitivity"] * ("sensitivity" in arguments)):
        assert arguments[required].kind is inspect.Parameter.KEYWORD_ONLY
        assert arguments[required].default is inspect.Parameter.empty


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (True, TypeError, "got bool. Add truth values up first"),
        ("1", TypeError, "value must be a number, or an array or pandas object"),
        (None, TypeError, "value must be a number"),
        ({"a": 1}, TypeError, "value must be a number"),
        (1j, TypeError, "value must be a number"),
        (np.array([True]), TypeError, "holds truth values; add them up"),
        (pd.Series([True]), TypeError, "holds truth values; add them up"),
        (["a"], TypeError, "must hold (numbers|integers)"),
        (pd.Series(["a"]), TypeError, "must hold (numbers|integers)"),
        (pd.DataFrame({"a": [1], "b": ["x"]}), TypeError, "must hold (numbers|integers)"),
        ([[1], [1, 2]], ValueError, "rows of unequal length"),
    ],
)
def test_bad_values(name, value, error, message):
    with pytest.raises(error, match=message):
        noisy(name, value)


@pytest.mark.parametrize("noise", [tk.LaplaceNoise(1.0), tk.GaussianNoise(1.0)])
def test_numbers_beyond_every_float_lie_on_their_side(noise):
    assert (noise.cdf(-(10**400)), noise.cdf(10**400), noise.sf(-(10**400))) == (0, 1, 1)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_values_must_be_finite(name):
    for value in (
        math.nan,
        math.inf,
        [1.0, -math.inf],
        pd.Series([1.0, None]),
        pd.Series([1, None], dtype="Int64"),
        np.array([1, None], dtype=object),
        10**400,
        np.ma.array([1.0, 2.0], mask=[False, True]),
    ):
        with pytest.raises(ValueError, match="value must be finite; got"):
            noisy(name, value)
    with pytest.raises(TypeError, match="value must hold numbers; got 'x'"):
        noisy(name, np.array([1, "x"], dtype=object))


def test_geometric_takes_integers_only():
    for value in (1.0, 1.5, math.nan, [1, 2.0], np.array([1.0]), pd.Series([1, None])):
        with pytest.raises(TypeError, match="must hold integers; got.*Round each record"):
            noisy("geometric", value)
    masked = np.ma.array([1, 2], mask=[False, True])
    for value in ([None], [1, math.nan], pd.Series([1, None], dtype="Int64"), masked):
        with pytest.raises(TypeError, match=r"got (nan|None|<NA>) \(missing\). Decide"):
            noisy("geometric", value)
    for value in (2**62 + 1, [-(2**62) - 1], 2**80):
        with pytest.raises(ValueError, match=r"within 2\*\*62 of 0"):
            noisy("geometric", value)
    assert noisy("geometric", np.array([3, 4], dtype=object)).dtype == np.int64
    with pytest.raises(ValueError, match="does not fit 64-bit integers.*larger epsilon"):
        noisy("geometric", 1, epsilon=1e-17)
    with pytest.raises(ValueError, match="does not fit 64-bit"):
        tk.DiscreteLaplaceNoise(1e30).accuracy(0.5)


def test_scales_that_no_float_holds():
    with pytest.raises(ValueError, match="which no float can hold; rescale"):
        tk.laplace_scale(1e300, 1e-300)
    with pytest.raises(ValueError, match="which no float can hold; rescale"):
        tk.laplace_scale(1e-300, 1e300)
    with pytest.raises(ValueError, match="which no float can hold; rescale"):
        tk.gaussian_scale(1, 5e-324, 5e-324)


def test_bad_words():
    with pytest.raises(ValueError, match="backend must be one of 'numpy', 'opendp'"):
        noisy("laplace", 1, backend="teaching")
    with pytest.raises(ValueError, match="method must be one of 'analytic', 'classic'"):
        tk.gaussian_scale(1, 1, 1e-5, method="exact")
    with pytest.raises(TypeError, match="monotone must be True or False"):
        tk.ExponentialChoice.for_epsilon(1, 1, monotone=1)
    with pytest.raises(TypeError, match="label must be a text"):
        tk.PrivacyBudget(1).charge(0.5, label=3)


@pytest.mark.parametrize(
    ("law", "method"),
    [
        *itertools.product([tk.LaplaceNoise, tk.GaussianNoise], ["pdf", "cdf", "sf"]),
        *((tk.DiscreteLaplaceNoise, method) for method in ("pmf", "cdf", "sf")),
    ],
)
def test_points_and_scales_of_noise(law, method):
    def function(noise, scale):
        return getattr(law(scale), method)(noise)

    points = pd.Series([-1.0, 0.0, 2.0], index=[5, 5, 6])
    found = function(points, 2.0)
    assert found.index.equals(points.index)
    assert found.tolist() == [function(x, 2.0) for x in points]
    assert function(np.zeros((2, 3), int), 2.0).shape == (2, 3)
    assert type(function(1, 2.0)) is float
    for scale in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="scale must be a positive, finite number"):
            function(1.0, scale)
    for scale in NO_NUMBERS:
        with pytest.raises(TypeError, match="scale must be a positive number"):
            function(1.0, scale)
    with pytest.raises(ValueError, match="must not be missing"):
        function([1.0, math.nan], 2.0)
    for point in (True, "1", None, ["a"]):
        with pytest.raises(TypeError, match="must (be a number|hold numbers)"):
            function(point, 2.0)
    tiny = function([0.0, 1.0, -1e300], 1e-300)  # nothing overflows
    assert not np.isnan(tiny).any()


@pytest.mark.parametrize(
    "width",
    [
        lambda a: tk.LaplaceNoise(1).accuracy(a),
        lambda a: tk.DiscreteLaplaceNoise(1).accuracy(a),
        lambda a: tk.GaussianNoise(1).accuracy(a),
        lambda a: tk.ExponentialChoice(1).accuracy(a, 3),
        lambda a: tk.RandomisedResponse(1).accuracy(a, 10),
    ],
)
def test_levels(width):
    for alpha in (0, -0.1, 1.01, [0.5, 2.0]):
        with pytest.raises(ValueError, match="alpha must be a probability above 0"):
            width(alpha)
    with pytest.raises(ValueError, match="alpha must not be missing"):
        width(math.nan)
    with pytest.raises(TypeError, match="alpha must be a number"):
        width("5%")
    several = width([0.01, 0.5, 1.0])
    assert several.shape == (3,) and several[0] > several[1] >= several[2] >= 0


def test_bad_utilities():
    for utilities in ([], np.zeros((2, 0)), np.zeros((1, 1, 1)), 3.0, {}):
        with pytest.raises(
            ValueError, match="utilities must hold a number for each candidate"
        ):
            noisy("exponential", utilities)
    for utilities in ([1, math.nan], [-math.inf, 0], pd.Series([1, None])):
        with pytest.raises(ValueError, match="utilities must be finite"):
            noisy("exponential", utilities)
    for utilities in ("ab", True, ["a"], [True, False]):
        with pytest.raises(TypeError, match="utilities"):
            noisy("exponential", utilities)
    with pytest.raises(ValueError, match="at least one; got shape"):
        tk.ExponentialChoice(1.0).sf(1, [[1, 2]])
    with pytest.raises(ValueError, match="candidates must be from 1"):
        tk.ExponentialChoice(1.0).accuracy(0.1, 0)


def test_a_budget_pays_for_one_choice_at_a_time():
    rows = [[1.0, 2.0], [2.0, 1.0]]
    for utilities in (np.array(rows), pd.DataFrame(rows), rows):
        budget = tk.PrivacyBudget(1)
        with pytest.raises(ValueError, match="one choice.*got 2 dimensions.*row by row"):
            noisy("exponential", utilities, budget=budget)
        assert budget.ledger.empty is not isinstance(utilities, list)
        assert len(noisy("exponential", utilities)) == 2


def test_bad_options():
    ask = {"epsilon": 1, "rng": rng()}
    for options in (1, 0, ["a"], ["a", "a"], []):
        with pytest.raises(ValueError, match="options must"):
            tk.randomised_response("a", options=options, **ask)
    for options in ("ab", True, None, 2.0, {"a": 1}):
        with pytest.raises(TypeError, match="options must list the possible answers"):
            tk.randomised_response("a", options=options, **ask)
    for value in (2, -1, [0, 1, 2], 0.5, [None], math.nan, "yes"):
        with pytest.raises(ValueError, match="no option; the options are 0, 1"):
            tk.randomised_response(value, **ask)
    with pytest.raises(ValueError, match="no option"):
        tk.randomised_response(True, options=3, **ask)
    for p in (0.5, 0.2, 1, 1.5, math.nan):
        with pytest.raises(ValueError, match="probability of the truth must be above 1/2"):
            tk.RandomisedResponse.for_probability(p)
    with pytest.raises(TypeError, match="probability must be a number"):
        tk.RandomisedResponse.for_probability("0.75")
    with pytest.raises(ValueError, match="n must be from 1"):
        tk.RandomisedResponse(1.0).sf(1, 0)
    with pytest.raises(ValueError, match="rows of a table"):
        tk.RandomisedResponse(1.0, 10**6).pmf()


def test_bad_compositions():
    for call in (tk.sequential_composition, tk.parallel_composition):
        with pytest.raises(ValueError, match="epsilons must hold one entry per mechanism"):
            call([])
        with pytest.raises(TypeError, match="epsilons must be a list"):
            call(0.5)
        with pytest.raises(ValueError, match="epsilons must be positive and finite; got 0"):
            call([0.5, 0])
        with pytest.raises(ValueError, match="one entry for each of the 2 epsilons"):
            call([0.5, 0.5], [0.1])
    for call in (
        lambda k: tk.advanced_composition(1, k, 0.1),
        lambda k: tk.group_privacy(1, k),
    ):
        with pytest.raises(ValueError, match="k must be from 1"):
            call(0)
        with pytest.raises(TypeError, match="k must be a whole number"):
            call(1.5)


def test_bad_searches():
    search = tk.sensitivity_by_brute_force
    with pytest.raises(ValueError, match=r"10\*\*7 data sets, above the limit of 1,000,000"):
        search(len, range(10), 7)
    with pytest.raises(ValueError, match=r"1000001\*\*1 data sets"):
        search(len, range(1_000_001), 1)
    with pytest.raises(ValueError, match="finite numbers; for the records array.*larger n"):
        search(np.mean, range(5), 1)
    with pytest.raises(ValueError, match=r"in one shape.*\(2,\)"):
        search(lambda d: np.unique(d), range(3), 2)
    with pytest.raises(TypeError, match="must answer with a number"):
        search(lambda d: "many", range(3), 2)
    with pytest.raises(ValueError, match="must answer with finite numbers"):
        search(lambda d: 10**400, range(3), 2)
    for norm in (1, 2, math.inf):
        with pytest.raises(ValueError, match="query changes by more than a float can hold"):
            search(lambda d: [d.sum(), 0], [1e308, -1e308], 1, neighbours="replace", norm=norm)
        with pytest.raises(ValueError, match="query changes by more than a float can hold"):
            search(lambda d: np.where(len(d) > 1, 1e308, -1e308), [1], 2, norm=norm)
    with pytest.raises(TypeError, match="query must be a function"):
        search("mean", range(3), 2)
    with pytest.raises(ValueError, match="neighbours must be one of 'add/remove', 'replace'"):
        search(len, range(3), 2, neighbours="bounded")
    for norm in (0, 3, "1", True, None, math.nan):
        with pytest.raises(ValueError, match="norm must be 1, 2 or math.inf"):
            search(len, range(3), 2, norm=norm)
    for n in (0, -1):
        with pytest.raises(ValueError, match="n must be from 1"):
            search(len, range(3), n)
    for universe in ([], pd.DataFrame({"a": []}), np.empty(0)):
        with pytest.raises(ValueError, match="universe must hold at least one"):
            search(len, universe, 2)
    for universe in (5, "abc", {"a": 1}, None):
        with pytest.raises(TypeError, match="universe must list the possible records"):
            search(len, universe, 2)


# ---------------------------------------------------------------- whole numbers, and seeds

BEYOND = 2**53 + 1
WHOLE = {
    "int": BEYOND,
    "negative": -BEYOND,
    "even": 2**60,
    "numpy": np.int64(BEYOND),
    "unsigned": np.uint64(2**62),
    "array": np.array([1, BEYOND]),
    "list": [1, BEYOND],
    "beside a float": [0.5, BEYOND],
    "objects": np.array([0.5, BEYOND], dtype=object),
    "fraction": [Fraction(2 * BEYOND + 1, 2)],
    "Series": pd.Series([BEYOND, 1], dtype="Int64"),
    "DataFrame": pd.DataFrame({"a": [BEYOND], "b": [0.5]}),
    "sum": lambda: np.array([2**53, 1]).sum(),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", ["laplace", "gaussian", "exponential"])
def test_whole_numbers_that_floats_round_get_no_floating_noise(name, kind):
    value = WHOLE[kind]
    if name == "exponential" and np.ndim(value) == 0 and not callable(value):
        value = [value, 0]
    elif name == "exponential" and callable(value):
        value = [value(), 0]
    with pytest.raises(ValueError, match=r"must not hold whole numbers beyond 2\*\*53"):
        noisy(name, value, sensitivity=1)
    noisy(name, [2**53, -(2**53)])


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_floats_are_closer_together_than_neighbours(name):
    for value, sensitivity in ((2.0**60, 1), ([0.0, 0.5], 1e-17), (np.longdouble(2) ** 60, 1)):
        with pytest.raises(ValueError, match=r"must lie within 2\*\*53 sensitivities"):
            noisy(name, value, sensitivity=sensitivity)
    noisy(name, [1e300, 0.5], sensitivity=1e299)


@pytest.mark.parametrize(("name", "backend"), BACKENDS)
def test_whole_noise_leaves_no_digit_out(name, backend):
    """Noise is 0 but for a probability of e**-500; then every digit must be there."""
    if backend == "opendp":
        opendp()
    values = [BEYOND, -BEYOND, 2**60 + 129, 2**62, -(2**62)]
    found = noisy(name, values, epsilon=500, backend=backend)
    assert found.tolist() == values
    for value in (2**62 + 1, 2**63, -(2**64), 10**30):
        with pytest.raises(ValueError, match=r"must lie within 2\*\*62 of 0.*coarser unit"):
            noisy(name, value, backend=backend)


def test_a_whole_sensitivity_is_not_rounded_down():
    assert tk.laplace_scale(BEYOND, 1) == 2**53 + 2


@pytest.mark.parametrize("options", [2, [0, 1], np.array([0, 1], dtype=np.float16)])
def test_answers_of_16_bits(options):
    half = np.array([0, 1, 1], dtype=np.float16)
    answers = [
        tk.randomised_response(value, epsilon=1, rng=rng(), options=options).tolist()
        for value in (half, half.astype(int), half.tolist())
    ]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("name", ["laplace", "geometric", "gaussian"])
def test_two_answers_with_one_seed_differ_by_the_truth(name):
    one, other = (noisy(name, value, rng=rng(7)) for value in (38, 39))
    assert other - one == pytest.approx(1, abs=1e-12)
    assert noisy(name, 38, rng=rng(7)) - noisy(name, 0, rng=rng(7)) == pytest.approx(38)


@pytest.mark.parametrize(
    "loss",
    [
        tk.advanced_composition(0.1, 10**6, 0.5, delta_each=0.01),
        tk.sequential_composition([0.1] * 3, 0.5),
        tk.group_privacy(1.0, 100, 0.5),
    ],
)
def test_no_delta_is_above_one(loss):
    assert loss.delta == 1


def test_nor_is_that_of_a_ledger():
    budget = tk.PrivacyBudget(1, 0.9)
    budget.charge(0.1, 0.9)
    assert budget.advanced(0.5).delta == 1


@pytest.mark.parametrize("answer", ["1", ["1"], b"1", pd.Series(["1"]), np.datetime64("2020")])
def test_a_text_is_no_answer_of_a_query(answer):
    with pytest.raises(TypeError, match="query must answer with a number or an array of them"):
        tk.sensitivity_by_brute_force(lambda _: answer, range(2), 2)


@pytest.mark.parametrize(
    "answer", [int, np.int64, Decimal, Fraction, lambda x: [0.5, x], lambda x: np.array([x])]
)
def test_a_query_may_not_answer_with_what_a_float_rounds(answer):
    """2**53 + 1 is 2**53 as a float: a change of 1 would be none."""
    with pytest.raises(ValueError, match=r"whole numbers up to 2\*\*53"):
        tk.sensitivity_by_brute_force(lambda d: answer(2**53 + len(d)), range(2), 1)


def test_series_are_compared_by_label():
    """By place, the counts {a: 1} and {b: 1} would be equal."""
    search, both = tk.sensitivity_by_brute_force, ["a", "b"]
    with pytest.raises(ValueError, match="same labels, .*reindex"):
        search(lambda d: pd.Series(d).value_counts(), both, 1, neighbours="replace")

    def largest_first(records):
        return pd.Series(records).value_counts().reindex(both, fill_value=0).sort_values()

    assert search(largest_first, both, 1, neighbours="replace").value == 2
    frame = search(lambda d: largest_first(d).to_frame().T, both, 1, neighbours="replace")
    assert frame.value == 2
    with pytest.raises(ValueError, match="must answer with finite numbers"):
        search(lambda d: np.ma.masked_array([d.sum()], mask=[True]), [0, 5], 2)


def test_records_are_seen_as_they_come():
    found = tk.sensitivity_by_brute_force(lambda d: int(sum(d)) % 7, [2**53 + 1, 0.5], 1)
    assert found.value == (2**53 + 1) % 7


# ---------------------------------------------------------------- what is public


def test_what_a_mechanism_says_of_itself():
    here = {name for name in tk.__all__ if inspect.getmodule(getattr(tk, name)) is mechanisms}
    samplers = here - {"running_means"}
    assert samplers == {*NUMERIC, "discrete_laplace", "exponential", "randomised_response"}
    assert tk.geometric is tk.discrete_laplace
    for name in samplers:
        text = getattr(tk, name).__doc__
        assert "for teaching, not for production: floating-point noise leaks" in text
        assert "OpenDP" in text
        assert " seed" in text and ("subtract" in text or "knows" in text)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_lies_of_several_people_are_binomial(n):
    law, lies = tk.RandomisedResponse(LN3), range(-1, n + 2)
    lie = Fraction(1, 4)
    exact = [math.comb(n, j) * lie**j * (1 - lie) ** (n - j) for j in range(n + 1)]
    upto = [float(sum(exact[: max(k + 1, 0)])) for k in lies]
    beyond = [float(sum(exact[max(k, 0) :])) for k in lies]
    np.testing.assert_allclose(law.cdf([*lies], n), upto, rtol=1e-13)
    np.testing.assert_allclose(law.sf([*lies], n), beyond, rtol=1e-13)


def test_one_answer_of_sixteen_bits_among_others():
    law = tk.RandomisedResponse(LN3, [np.float16(0.5), 1.0])
    assert [*law.options] == [0.5, 1.0]


def test_a_gaussian_epsilon_names_its_method():
    with pytest.raises(ValueError, match="method must be one of"):
        tk.GaussianNoise(1.0).epsilon(1, 1e-5, method="fast")


def test_more_people_or_answers_than_are_counted_are_refused():
    law = tk.RandomisedResponse(LN3)
    assert law.sf(0, n=10**15) == 1
    with pytest.raises(ValueError, match="n must be"):
        law.sf(0, n=10**15 + 1)
    assert len(tk.RandomisedResponse(LN3, 10**9).options) == 10**9
    with pytest.raises(ValueError, match="options must be"):
        tk.RandomisedResponse(LN3, 10**9 + 1)


def test_a_sum_of_failures_is_a_probability():
    assert tk.sequential_composition([1, 2], [0.25, 0.5]) == (3, 0.75)
    assert tk.sequential_composition([1, 2], [0.75, 0.5]) == (3, 1)
