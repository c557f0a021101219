"""One table of refusals: a row for each kind of argument that uniqueness refuses."""

import numpy as np
import pandas as pd
import pytest

import toolkit as tk

WARD = pd.DataFrame({"age": [30, 30, 40, 40, 40], "sex": ["f", "f", "m", "m", None]})
WIDE, rng = pd.DataFrame([range(30)]), np.random.default_rng(1)
PAIR = pd.DataFrame({"age": [1.0, 2.0, 9.0], "sex": list("ffm")})
MANY, NOW = pd.DataFrame({"n": range(50_001)}), pd.Timestamp("2026-01-01")
ROWS = [
    ("uniqueness_curve(WARD, [])", "must name at least one column"),
    ("uniqueness_curve(WIDE, list(WIDE))", "1,073,741,823 subsets .* smaller max_size"),
    ("subset_uniqueness(WARD, 'age', max_size=0)", "max_size must be a whole number"),
    ("dankar_uniques(class_table(WARD, 'age'), 'sex', fraction=0.1)", "are already set"),
    ("suda_uniques(WIDE, list(WIDE), max_key_size=30)", "subsets .* smaller max_key_size"),
    ("privacy_scores(WARD, 'age')", "rng must be a numpy.random.Generator for method='isol"),
    ("privacy_scores(WARD, 'age', outliers=[], fraction=0.1)", "for the integration"),
    ("zayatz_uniques(WARD, 'age', fraction=10)", "fraction must be a number in .0, 1.*got 10"),
    ("pitman_uniques(WARD, fraction=0.1)", "quasi_identifiers must name columns"),
    ("k_map_threshold(0, fraction=0.1, significance=0.05)", "k must be a whole number in"),
    ("k_map_threshold(5, fraction=0.1, significance=5)", "significance must be a number in"),
    ("copula_uniqueness(PAIR, 'sex', fraction=0.1, rng=None)", "Generator for the integrat"),
    ("copula_uniqueness(PAIR, 'sex', fraction=0.1, rng=rng, points=4)", "points must be a"),
    ("uniqueness_calibration(pd.Series([1.5]), [True])", "predicted must hold probabilities"),
    ("uniqueness_calibration(pd.Series([0.5]), [True, False])", "length"),
    ("uniqueness_calibration(pd.Series([0.5]), pd.Series([True], [9]))", "the same index"),
    ("outlier_scores(PAIR, 'cosine')", "method must be one of 'manhattan'"),
    ("outlier_scores(PAIR, 'minkowski')", "p must be a number in"),
    ("outlier_scores(PAIR, 'euclidean', p=3)", "'p' is an option of method='minkowski'"),
    ("outlier_scores(PAIR.assign(x=[1, np.inf, 2]))", "column 'x' holds infinite numbers"),
    ("outlier_scores(PAIR.assign(x=[1, 10**400, 2]))", "or too large ones"),
    ("outlier_scores(PAIR, columns=[])", "the selection has no columns"),
    ("outlier_scores(PAIR.assign(x=[NOW, NOW.tz_localize('UTC'), NOW]))", "naive and "),
    ("outlier_scores(MANY, 'local outlier factor')", "draw some"),
    ("outlier_scores(pd.DataFrame({'n': [f'n{i}' for i in range(16_000)]}))", "frequency"),
    ("outlier_contributions(PAIR, 'isolation forest')", "method must be one of"),
]


@pytest.mark.parametrize(("call", "said"), ROWS, ids=[call for call, _ in ROWS])
def test_a_refusal_names_the_argument_and_the_way_out(call, said):
    with pytest.raises((TypeError, ValueError), match=said):
        eval(call, {name: getattr(tk, name) for name in tk.__all__} | globals())
