"""One table of refusals: a row for each kind of argument that differential privacy refuses."""

import math

import numpy as np
import pandas as pd
import pytest

import toolkit as tk

rng, inf, nan = np.random.default_rng(1), math.inf, math.nan
TABLE = pd.DataFrame({"p_i": [1, 1, 2], "a_c": [1, 2, 1]})
CODED = tk.pre_process(TABLE, {"a": ["a_c"]}, {}, domain={"a_c": [1, 2]})
BINS = {"w_n": [4, 2, 9]}
BINNED = tk.pre_process(TABLE.assign(w_n=3), {"w": ["w_n"]}, BINS)
LOSS = tk.LaplaceNoise(1).renyi(1, [2, 3, 4])
LITTLE = {"epsilon": 1, "rng": rng, "batch": True, "samples": 400}
ONE = "sensitivity=1, epsilon=1"


def audited(mechanism=lambda x, n, rng: rng.laplace(x, 1, n), **changes):
    return tk.audit(mechanism, 0, 1, **LITTLE | changes)


ROWS = [
    # numbers, choices, generators
    ("laplace_scale(True, 1)", "sensitivity must be a number"),
    ("laplace_scale(1, 0)", "epsilon must be a number in .0, inf.*got 0"),
    ("laplace_scale(1e300, 1e-300)", "scale must be a number in"),
    ("PrivacyBudget(1, 1)", "delta must be a number in .0, 1"),
    ("gaussian_scale(1, 1, 1e-5, method='classic')", "proven for epsilon below 1 only"),
    ("gaussian_scale(1, 1, 0.1, method='exact')", "method must be one of"),
    ("LaplaceNoise(1).accuracy(0)", "alpha must hold numbers in .0, 1"),
    ("LaplaceNoise(1).pdf([0.0, nan])", "noise must hold numbers in .* 1 of 2 are missing"),
    ("LaplaceNoise(1).pdf(['a'])", "noise must hold numbers; got"),
    ("LaplaceNoise(1).renyi(1, 1)", "orders must hold numbers in .1, inf"),
    ("ExponentialChoice(1).pmf([])", "for each candidate; got shape .0,"),
    ("RandomisedResponse.for_probability(0.5)", "probability must be .*blind guess"),
    ("RandomisedResponse(1).estimate([3, 5])", "reported must hold numbers in"),
    (f"laplace(1, {ONE}, rng=7)", "rng must be a numpy.random.Generator"),
    (f"geometric(1, {ONE}, rng=rng, backend='c')", "backend must be one of"),
    # values of a release
    (f"laplace([1, nan], {ONE}, rng=rng)", "value must hold numbers in"),
    (f"gaussian(inf, {ONE}, delta=0.1, rng=rng)", "value must be finite"),
    (f"laplace(2**53 + 1, {ONE}, rng=rng)", "within 2..53 of 0"),
    ("laplace([0.0, 0.5], sensitivity=1e-17, epsilon=1, rng=rng)", "within 2..53 sens"),
    (f"geometric([1.0], {ONE}, rng=rng)", "must hold integers; got float64"),
    (f"geometric(2**62 + 1, {ONE}, rng=rng)", "within 2..62 of 0"),
    ("geometric(1, sensitivity=1, epsilon=1e-17, rng=rng)", "scale must be .*64 bits"),
    (f"exponential([[1, 2]], {ONE}, rng=rng)", "a number for each candidate"),
    (f"exponential([inf, 1], {ONE}, rng=rng)", "utilities must hold numbers in"),
    ("randomised_response(2, epsilon=1, rng=rng)", "truth values, or 0 and 1"),
    # composition, sensitivity
    ("sequential_composition([1, 2], [0.1] * 3)", "broadcast"),
    ("advanced_composition(1, 0, 0.1)", "k must be a whole number in"),
    ("renyi_composition([], 0.1)", "losses must hold a divergence"),
    ("zcdp_composition([], 0.1)", "rhos must be a number in"),
    ("renyi_composition([LOSS, LOSS[2:]], 0.1)", "losses must hold a divergence"),
    ("sensitivity_by_brute_force(np.sum, range(99), 9)", "at most 1,000,000"),
    ("sensitivity_by_brute_force(np.sum, [1], 1, norm=3)", "norm must be"),
    ("sensitivity_by_brute_force(np.mean, [1], 1)", "finite number"),
    ("sensitivity_by_brute_force(lambda d: d, [1, 2], 2)", "answer in one shape"),
    ("sensitivity_by_brute_force(lambda d: '3', [1], 1)", "or an array of"),
    ("sensitivity_by_brute_force(lambda d: pd.Series(d), [1], 1)", "not a table with labels"),
    ("sensitivity_by_brute_force(lambda d: 2**53 + len(d), [1], 1)", "up to 2..53"),
    ("sensitive_range('sum', [10**17], [10**17, 10**17 + 5])", "candidates .* 2..53"),
    # audits
    ("audited(lambda x, n, rng: np.full(n, 2**60 + x))", "numbers up to 2..53"),
    ("audited(lambda x, n, rng: [2**70 + x] * n)", "numbers up to 2..53"),
    ("audited(5)", "not callable"),
    ("audited(rng=7)", "rng must be a numpy.random.Generator"),
    ("audited(confidence=99)", "confidence must be a number in"),
    ("audited(epsilon=8)", "samples = 400 are too few to test epsilon = 8"),
    ("audited(lambda x, n, rng: 1.0)", "must return releases of one shape"),
    ("clopper_pearson(3, 2, confidence=0.9)", "from 0 to trials"),
    ("audit_power(1, epsilon=1, delta=0.6)", "probability must hold numbers in .0.6, 1"),
    # histograms
    ("create_private_histo(CODED, 'a', 1, 3, 2, 1.0, rng=rng)", "not divided by epsilon"),
    ("create_private_histo(CODED, 'a', 0, 1, 1, 1.0, rng=rng)", "no individual has more than"),
    ("create_private_histo(CODED, 'b', 1, 1, 1, 1.0, rng=rng)", "not declared"),
    ("release_histograms(CODED.df, 1, 1, 1.0, rng=rng)", "of the table are not declared"),
    ("bound_contributions(TABLE, 0, rng=rng)", "sample_size must be"),
    ("bound_contributions(TABLE[['a_c']], 1, rng=rng)", "in _i"),
    ("without_individual(TABLE, 8)", "has no record"),
    ("col_decoder({}, *CODED[1:], [11, 9], 'a_c')", "a code of 'a' has 2 digits"),
    ("col_decoder(BINS, *BINNED[1:], [10, 99], 'w_n')", "outside the bins of 'w_n'"),
    ("release_threshold(10**16, 1.0)", "cells must be"),
    ("combined_domains({'a': ['a_c']}, {}, infer_domain(TABLE.replace(2, None)))", "lacks"),
    ("population_query(TABLE, 2, 1.0, rng=7)", "rng must be a numpy.random.Generator"),
    # differential identifiability
    ("epsilon_bound(1.5, 8)", "rho must be a number in .0, 1"),
    ("epsilon_bound(0.5, 0)", "m must be a number in .1, inf"),
    ("tight_scale([], 0.5)", "outputs must be a list of numbers, at least one"),
    ("tight_scale([1, nan], 0.9)", "outputs must be finite"),
    ("tight_scale([1, 2], 0.4)", "cannot be reached by any noise"),
    ("tight_scale([1, 2], 0.9, prior=[1])", "2 worlds.* got 1"),
    ("tight_scale([1, 2], 0.9, prior=[0.5, 0.6])", "add up to 1"),
    ("tight_scale([1, 2], 0.9, prior=[-1, 2])", "probabilities"),
    ("disclosure_risk(pd.Series([1, 2]), 1, prior={'c': 0.5, 'd': 0.5})", "under the labels"),
    ("world_posterior([1, 2], 3, 0)", "is the output of no possible world"),
    ("possible_outputs([[1, 2], [3]], 'mean')", "inhomogeneous"),
    ("possible_outputs([[1, 2]], np.mean)", "what query returned"),
    ("possible_outputs([[1, 2]], 'count')", "a count takes truth"),
    ("sensitive_range('std', [], [1], ddof=1)", "at least 2 records"),
    ("sensitive_range('median', Moments(1, 1, 0), [1])", "where known are Moments"),
    ("global_sensitive_range('mean', 5, 9, 3)", "above lower; got 3"),
    ("global_sensitive_range('mean', 0, 0, 1)", "n must be a whole number"),
    ("number_of_worlds(0, 0)", "universe must be a whole number"),
    ("composed_risk([[1, 2]], [1, 2])", "longer"),
    ("composed_risk([[1, 2], pd.Series([1, 2], [1, 0])], [1, 2])", "same worlds in one order"),
    ("composed_risk([], [])", "at least one query"),
]


@pytest.mark.filterwarnings("ignore:not private")
@pytest.mark.parametrize(("call", "said"), ROWS, ids=[call for call, _ in ROWS])
def test_a_refusal_names_the_argument_and_the_way_out(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        eval(call, {name: getattr(tk, name) for name in tk.__all__} | globals())
