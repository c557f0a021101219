"""Estimates of a population from a sample: by hand, by brute force, by simulation, edges."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy import stats

import toolkit as tk

ESTIMATORS = {
    "zayatz": tk.zayatz_uniques,
    "pitman": tk.pitman_uniques,
    "snb": tk.snb_uniques,
    "dankar": tk.dankar_uniques,
}
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=12)
FRACTIONS = st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5, 0.9])


def sample_of(sizes):
    """A table whose only column has classes of these sizes."""
    return pd.DataFrame({"class": np.repeat(np.arange(len(sizes)), sizes)})


def zayatz_by_hand(sizes, population):
    """Bayes' rule with exact hypergeometric probabilities."""
    n = sum(sizes)

    def seen_once(j):
        return Fraction(j * math.comb(population - j, n - 1), math.comb(population, n))

    weight = sum(seen_once(j) for j in sizes)
    alone = sizes.count(1)
    return alone * (alone * seen_once(1) / weight) * Fraction(population, n) if alone else 0


@given(sizes=SIZES, fraction=FRACTIONS | st.just(1e-5))
def test_zayatz_against_exact_fractions(sizes, fraction):
    found = tk.zayatz_uniques(sample_of(sizes), "class", fraction=fraction)
    population = round(sum(sizes) / fraction)
    assert found.population == population
    assert found.uniques == pytest.approx(float(zayatz_by_hand(sizes, population)), rel=1e-12)


def expected_uniques(theta, alpha, people):
    """People who are alone under Pitman's formula, one arrival after the other.

    After n people a newcomer opens a class with probability (theta + alpha K) / (theta + n)
    for K classes, and joins a class of j with probability (j - alpha) / (theta + n).
    """
    classes = alone = 1.0
    for n in range(1, people):
        new = (theta + alpha * classes) / (theta + n)
        classes, alone = classes + new, alone + new - alone * (1 - alpha) / (theta + n)
    return alone


def log_likelihood(theta, alpha, sizes):
    """Pitman's sampling formula, factor by factor."""
    n, u = sum(sizes), len(sizes)
    total = sum(math.log(theta + i * alpha) for i in range(1, u))
    total -= sum(math.log(theta + i) for i in range(1, n))
    return total + sum(math.log(i - alpha) for j in sizes for i in range(1, j))


@given(sizes=SIZES)
def test_pitman_maximises_the_likelihood(sizes):
    found = tk.pitman_uniques(sample_of(sizes), "class", fraction=0.1)
    if len(sizes) in (1, sum(sizes)):
        assert math.isnan(found.uniques) and "the likelihood has no maximum" in found.reason
        return
    theta, alpha = found.parameters["theta"], found.parameters["alpha"]
    assert 0 <= alpha < 1 and theta > -alpha
    expected = expected_uniques(theta, alpha, found.population)
    assert found.uniques == pytest.approx(expected, rel=1e-8)
    best = log_likelihood(theta, alpha, sizes)
    for other in (1e-9, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        for more in (1e-3, 0.1, 0.5, 1, 2, 5, 20, 100, 1e4):
            assert log_likelihood(more - other, other, sizes) <= best + 1e-9
    for near in (alpha + 1e-3, alpha - 1e-3):
        for close in (theta * 1.001, theta * 0.999):
            if 0 <= near < 1 and close > -near:
                assert log_likelihood(close, near, sizes) <= best + 1e-9


def shlosser_by_hand(sizes, p):
    """K as Haas and Stokes modify Shlosser's estimate, class by class."""
    ones = sizes.count(1)
    first = sum(p**2 * j * (1 - p**2) ** (j - 1) for j in sizes)
    second = sum((1 - p) ** j * ((1 + p) ** j - 1) for j in sizes)
    third = sum((1 - p) ** j for j in sizes)
    fourth = sum(j * p * (1 - p) ** (j - 1) for j in sizes)
    return len(sizes) + ones * first / second * (third / fourth) ** 2


def expected_small_classes(k, a, b, p):
    """Classes of one and of two records, by summing over the sizes in the population."""
    i = np.arange(60_000)
    share = stats.nbinom.pmf(i, a, b)
    people = i + 1
    one = people * p * (1 - p) ** (people - 1)
    two = people * (people - 1) / 2 * p**2 * (1 - p) ** np.maximum(people - 2, 0)
    return k * float(share @ one), k * float(share @ two)


@settings(max_examples=60)
@example(sizes=[1] * 27 + [2] * 21 + [3] * 20, fraction=0.2)  # the other form of the root
@example(sizes=[1, 1, 2], fraction=0.5)  # no solution
@given(sizes=SIZES, fraction=FRACTIONS)
def test_snb_solves_its_equations(sizes, fraction):
    found = tk.snb_uniques(sample_of(sizes), "class", fraction=fraction)
    if not sizes.count(1):
        assert (found.uniques, found.reason) == (0, "")
    elif not sizes.count(2):
        assert math.isnan(found.uniques) and "no class has two records" in found.reason
    else:
        k = found.parameters["classes"]
        assert k == pytest.approx(shlosser_by_hand(sizes, fraction), rel=1e-10)
        if found.reason:
            assert math.isnan(found.uniques) and "solve the equations" in found.reason
            return
        a, b = found.parameters["a"], found.parameters["b"]
        assert found.uniques == pytest.approx(k * stats.nbinom.pmf(0, a, b), rel=1e-9)
        if b > 1e-3:  # the sum over sizes is long enough
            one, two = expected_small_classes(k, a, b, fraction)
            assert one == pytest.approx(sizes.count(1), rel=1e-6)
            assert two == pytest.approx(sizes.count(2), rel=1e-6)


@example(sizes=[1, 1, 1], fraction=0.1)  # Pitman has no number
@example(sizes=[1, 1, 3], fraction=0.5)  # SNB has none
@given(SIZES, st.sampled_from([0.05, 0.1, 0.11, 0.5]))
def test_the_rule_of_dankar(sizes, fraction):
    """Pitman up to 0.1, above it the smaller of Zayatz and SNB; Zayatz for want of both."""
    sample = sample_of(sizes)
    names = ["pitman"] if fraction <= 0.1 else ["zayatz", "snb"]
    found = [ESTIMATORS[name](sample, "class", fraction=fraction) for name in names]
    found = [estimate for estimate in found if not math.isnan(estimate.uniques)]
    found.sort(key=lambda estimate: estimate.uniques)
    least = found[0] if found else tk.zayatz_uniques(sample, "class", fraction=fraction)
    assert tk.dankar_uniques(sample, "class", fraction=fraction) == least
    table = tk.population_uniques(sample, "class", fraction=fraction)
    for name, row in table.iterrows():
        alone = ESTIMATORS[name](sample, "class", fraction=fraction)
        assert row["uniques"] == pytest.approx(alone.uniques, nan_ok=True)
        assert row["reason"] == alone.reason and alone.assumes in row["assumes"]


@pytest.mark.parametrize("name", ESTIMATORS)
@given(sizes=SIZES)
def test_a_sample_of_everyone_is_counted(name, sizes):
    found = ESTIMATORS[name](sample_of(sizes), "class", fraction=1)
    assert (found.label, found.uniques) == ("counted", sizes.count(1))
    assert found.share == sizes.count(1) / sum(sizes)
    assert found.method == name and "is the population" in found.assumes


@pytest.mark.parametrize("name", ESTIMATORS)
@given(sizes=SIZES, fraction=FRACTIONS)
def test_an_estimate_is_a_number_of_people_or_has_a_reason(name, sizes, fraction):
    found = ESTIMATORS[name](sample_of(sizes), "class", fraction=fraction)
    if math.isnan(found.uniques):
        assert found.reason
        return
    assert found.reason == ""
    most = found.population if name != "snb" else math.inf
    assert 0 <= found.uniques <= most * (1 + 1e-12)
    assert found.share == found.uniques / found.population
    shuffled = sample_of(sizes[::-1]).sample(frac=1, random_state=1)
    again = ESTIMATORS[name](shuffled, "class", fraction=fraction)
    assert again.uniques == pytest.approx(found.uniques, rel=1e-9)


def test_missing_cells_and_class_tables():
    sample = pd.DataFrame({"town": ["A", "A", None, "B", None]})
    as_category = tk.zayatz_uniques(sample, "town", fraction=0.5)
    assert (as_category.population, as_category.sample_uniques) == (10, 1)
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        left = tk.class_table(sample, "town", missing="drop")
    dropped = tk.zayatz_uniques(left, fraction=0.5)
    assert (dropped.population, dropped.sample_uniques) == (6, 1)
    classes = tk.class_table(sample, "town")
    assert tk.zayatz_uniques(classes, fraction=0.5) == as_category


def exact_risk(f, fraction):
    """E[1/F | f] with 40 digits."""
    with mpmath.workdps(40):
        p = mpmath.mpf(fraction)
        return mpmath.mpf(p) / f * mpmath.hyp2f1(1, 1, f + 1, 1 - p)


def risk_of(f, fraction):
    return tk.individual_risk(sample_of([f]), "class", fraction=fraction).iloc[0]


@pytest.mark.parametrize(
    "fraction", [1e-9, 1e-4, 0.01, 0.0999, 0.1, 0.3, 0.5, 0.6, 0.9, 0.999999, 1 - 1e-12]
)
@pytest.mark.parametrize("f", [1, 2, 5, 20, 49, 50, 51, 60, 200, 3_000])
def test_individual_risk_with_forty_digits(f, fraction):
    assert risk_of(f, fraction) == pytest.approx(float(exact_risk(f, fraction)), rel=1e-13)


def test_individual_risk_by_the_rule_of_bayes():
    """F people have weight 1/F before, and f of them are seen with a binomial probability."""
    for f, p in ((1, 0.3), (4, 0.6), (60, 0.8)):
        people = np.arange(f, 5_000)
        weight = stats.binom.pmf(f, people, p) / people
        expected = (weight / people).sum() / weight.sum()
        assert risk_of(f, p) == pytest.approx(expected, rel=1e-9)


@given(st.integers(1, 400), FRACTIONS, st.sampled_from([1e-4, 0.01, 0.05, 0.2, 0.6]))
def test_the_threshold_is_the_least_number(k, fraction, significance):
    found = tk.k_map_threshold(k, fraction=fraction, significance=significance)
    chance = stats.poisson(fraction * k).sf
    assert 1 <= found <= k
    assert found == k or chance(found - 1) <= significance * (1 + 1e-9)
    assert found == 1 or chance(found - 2) > significance * (1 - 1e-9)


@given(f=st.integers(1, 60), fraction=FRACTIONS, significance=st.floats(0.001, 0.9))
def test_the_estimated_k_is_the_inverse_of_the_threshold(f, fraction, significance):
    settings = {"fraction": fraction, "significance": significance}
    k = tk.estimated_k_map(sample_of([f, f + 3]), "class", **settings)
    assert k >= f
    assert tk.k_map_threshold(k, **settings) <= f < tk.k_map_threshold(k + 1, **settings)
    everyone = {"fraction": 1, "significance": significance}
    assert tk.estimated_k_map(sample_of([f, f + 3]), "class", **everyone) == f
    assert tk.k_map_threshold(f, **everyone) == f
