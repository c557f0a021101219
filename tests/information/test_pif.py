"""Personal information factors: published tables, laws and an exact oracle."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import toolkit as tk
from tests.oracles.pif import MISSING, Oracle
from tests.tables import TABLES, WHOLE_WEIGHTS, tables
from toolkit.datasets import load_cig_toy, load_csf_toy, load_dependent_toy, load_people

TOY = load_cig_toy()
# pif.md's derivation, also the tutorial of piflib 0.1.1, section "CIG by example".
TOY_CIG = [
    [0.2223924213, 1.3073549221, 1.8073549221],
    [0.2223924213, 0.3073549221, 0.4854268272],
    [0.5148736717, 0.3073549221, 0.4854268272],
    [0.2223924213, 0.3073549221, 0.4854268272],
    [0.2223924213, 1.3073549221, 0.1463908746],
    [0.2223924213, 0.3073549221, 0.1463908746],
    [0.5148736717, 1.8073549221, 0.4854268272],
]
CSF_TOY = load_csf_toy()
CSF_TOY_CIG = [
    *[
        [1.0566416671, 0.0566416671],
        [0.4624062518, 0.0566416671],
        [0.3774437511, 0.0566416671],
    ],
    *[[1.0566416671, 1.5849625007]] * 2,
    *[[0.4624062518, 0.6086468770]] * 3,
    [0.3774437511, 0.6086468770],
]
CSF_TOY_CSF = [
    *[[0, 0], [0.0833333333, 0.1111111111], [0.1666666667, 0.1111111111]],
    *[[0.4444444444, 0.6666666667]] * 2,
    *[[0.3055555556, 0.3055555556]] * 3,
    [0.0555555556, 0.0277777778],
]


# ---------------------------------------------------------------- published and by hand


def test_cig_toy_as_published():
    cig = tk.cell_information_gain(TOY)
    np.testing.assert_allclose(cig, TOY_CIG, atol=5e-11)
    np.testing.assert_allclose(
        tk.feature_information_gain(cig),
        [2.1417094501, 5.6514844044, 4.0418439800],
        atol=5e-11,
    )
    rig = [3.3371022655, 1.0151741706, 1.3076554209, 1.0151741706]
    rig += [1.6761382180, 0.6761382180, 2.8076554209]
    np.testing.assert_allclose(tk.row_information_gain(cig), rig, atol=5e-11)
    assert tk.personal_information_factor(cig, 95) == pytest.approx(3.1782682121, abs=5e-11)
    assert tk.personal_information_factor(cig, 50) == pytest.approx(1.3076554209, abs=5e-11)


def test_csf_toy_as_published():
    np.testing.assert_allclose(tk.cell_information_gain(CSF_TOY), CSF_TOY_CIG, atol=5e-11)
    np.testing.assert_allclose(tk.cell_surprise_factor(CSF_TOY), CSF_TOY_CSF, atol=5e-11)


def test_a_given_prior_as_in_the_documentation_of_piflib():
    people = load_people()
    gender = people.columns[0]
    census = {gender: {"male": 0.51, "female": 0.49}}
    gain = tk.cell_information_gain(people, priors=census).iloc[:, 0]
    # Dentists: half and half against .51/.49. Accountants: both male, so -log2 .51.
    dentist = 0.5 * math.log2(0.5 / 0.51) + 0.5 * math.log2(0.5 / 0.49)
    np.testing.assert_allclose(gain, [dentist] * 2 + [-math.log2(0.51)] * 2, atol=1e-15)
    np.testing.assert_allclose(gain, [0.000288597] * 2 + [0.971430848] * 2, atol=5e-10)


def test_perfect_dependence_has_no_weight_but_all_the_gain():
    toy = load_dependent_toy()
    assert (tk.weighted_cell_information_gain(toy) == 0).all(axis=None)
    np.testing.assert_allclose(tk.cell_information_gain(toy), math.log2(3), atol=1e-15)


def test_two_unknown_cells_as_published():
    gain = tk.cell_information_gain(TOY, unknown=2)
    np.testing.assert_allclose(gain.iloc[0], [0.222392, 0.681540, 0.907564], atol=5e-7)


# ---------------------------------------------------------------- against the definitions


@st.composite
def attacks(draw, **shape):
    """A table with priors, accuracies and weights, as exact fractions by column position."""
    data = draw(tables(**shape))
    m = data.shape[1]
    data.columns = range(m)
    accuracies = {
        j: Fraction(draw(st.integers(0, 4)), 4) for j in range(m) if draw(st.booleans())
    }
    weights = draw(WHOLE_WEIGHTS)[: len(data)] if draw(st.booleans()) else None
    priors = {}
    for j in range(m):
        if draw(st.booleans()):
            values = [*Oracle(data.iloc[:, [j]]).empirical[0], "unseen"]
            shares = [draw(st.integers(1, 5)) for _ in values]
            priors[j] = {
                v: Fraction(s, sum(shares)) for v, s in zip(values, shares, strict=True)
            }
    return data, priors, accuracies, weights


def as_arguments(data, priors, accuracies, weights):
    shares = {
        j: {None if v is MISSING else v: float(p) for v, p in prior.items()}
        for j, prior in priors.items()
    }
    right = {j: float(share) for j, share in accuracies.items()}
    return {"priors": shares, "accuracies": right, "weights": weights}


@given(attacks())
def test_gain_and_surprise_are_what_the_definitions_say(attack):
    data, priors, accuracies, weights = attack
    arguments, oracle = as_arguments(*attack), Oracle(data, priors, accuracies, weights)
    np.testing.assert_allclose(
        tk.cell_information_gain(data, **arguments), oracle.cig(), atol=1e-12
    )
    np.testing.assert_allclose(
        tk.cell_surprise_factor(data, **arguments), oracle.csf(), atol=1e-12
    )
    weight = [oracle.open_share(j) for j in range(data.shape[1])]
    np.testing.assert_allclose(
        tk.weighted_cell_information_gain(data, **arguments),
        np.array(oracle.cig()) * weight,
        atol=1e-12,
    )


@settings(max_examples=60)
@given(attacks(max_rows=8, min_columns=2), st.integers(2, 4))
def test_several_unknown_cells_are_what_the_definition_says(attack, unknown):
    data, priors, accuracies, weights = attack
    unknown = min(unknown, data.shape[1])
    gain = tk.cell_information_gain(data, unknown=unknown, **as_arguments(*attack))
    expected = Oracle(data, priors, accuracies, weights).cig(unknown)
    np.testing.assert_allclose(gain, expected, atol=1e-12)


def test_a_prior_of_tuples_is_a_prior_of_values():
    data = pd.DataFrame({"pair": [(1, 2), (3, 4), (1, 2)], "b": [0, 1, 1]})
    prior = {(1, 2): 0.5, (3, 4): 0.25, (5, 6): 0.25}
    terms = tk.information_gain_terms(data, 0, "pair", priors={"pair": prior})
    assert terms.index.nlevels == 1
    assert terms["prior"].to_dict() == prior


@given(attacks())
def test_one_pass_gives_the_same_as_one_function_each(attack):
    data, _, _, weights = attack
    arguments = as_arguments(*attack)
    factors = tk.information_factors(data, **arguments)
    pd.testing.assert_frame_equal(factors.cig, tk.cell_information_gain(data, **arguments))
    pd.testing.assert_frame_equal(factors.csf, tk.cell_surprise_factor(data, **arguments))
    pd.testing.assert_frame_equal(
        factors.wcig, tk.weighted_cell_information_gain(data, **arguments)
    )
    pd.testing.assert_series_equal(
        factors.fig, tk.feature_information_gain(factors.cig, weights=weights)
    )
    pd.testing.assert_series_equal(factors.rig, tk.row_information_gain(factors.cig))
    for n in (0, 50, 95, 100):
        assert factors.pif(n) == tk.personal_information_factor(
            factors.cig, n, weights=weights
        )
    with pytest.raises(AttributeError):
        factors.cig = None


# ---------------------------------------------------------------- laws


@given(TABLES)
def test_sums_are_mutual_information_and_total_correlations(data):
    cig = tk.cell_information_gain(data)
    every = range(data.shape[1])
    numbered = data.set_axis(every, axis=1)
    expected = [
        len(data) * tk.mutual_information(numbered, [j], [i for i in every if i != j])
        for j in every
    ]
    np.testing.assert_allclose(tk.feature_information_gain(cig), expected, atol=1e-9)
    both = tk.total_correlation(numbered) + tk.dual_total_correlation(numbered)
    assert tk.row_information_gain(cig).mean() == pytest.approx(both, abs=1e-9)


@given(TABLES, WHOLE_WEIGHTS)
def test_whole_weights_are_repeated_rows(data, weights):
    weights = weights[: len(data)]
    repeated = data.iloc[np.repeat(np.arange(len(data)), weights)]
    light, heavy = (
        tk.information_factors(data, weights=weights),
        tk.information_factors(repeated),
    )
    np.testing.assert_allclose(light.fig, heavy.fig, atol=1e-9)
    for n in (0, 1, 37.5, 50, 95, 100):
        assert light.pif(n) == pytest.approx(heavy.pif(n), abs=1e-9)


# ---------------------------------------------------------------- prior, posterior, one cell


@given(attacks())
def test_the_terms_of_a_cell_add_up_to_its_gain(attack):
    data = attack[0]
    arguments = as_arguments(*attack)
    names = list(data)
    gain = tk.cell_information_gain(data, **arguments)
    sizes = tk.context_sizes(data)
    alone = {key: arguments[key] for key in ("priors", "weights")}
    for j in names:
        prior = tk.prior_distribution(data, j, **alone)
        assert prior.sum() == pytest.approx(1)
        posteriors = tk.posterior_distributions(data, j, **arguments)
        np.testing.assert_allclose(posteriors.sum(axis=1), 1)
        rest = [k for k in names if k != j]
        context = tk.equivalence_class(data, rest).to_numpy()
        np.testing.assert_array_equal(sizes[j], tk.record_class_sizes(data, rest))
        for i in {0, len(data) - 1}:
            terms = tk.information_gain_terms(data, i, j, **arguments)
            assert terms["term_bits"].sum() == pytest.approx(gain.iloc[i, j], abs=1e-12)
            pd.testing.assert_series_equal(terms["prior"], prior, check_names=False)
            np.testing.assert_allclose(terms["posterior"], posteriors.iloc[context[i]])
            assert len(tk.same_context(data, i, j)) == sizes.iloc[i, j]


def test_values_come_in_their_natural_order():
    sizes = pd.Categorical(["L", "S", "L"], categories=["S", "M", "L"], ordered=True)
    data = pd.DataFrame({"size": sizes, "age": [10, 9, None], "town": ["b", None, "a"]})
    assert tk.prior_distribution(data, "size").index.tolist() == ["S", "L"]
    unseen = tk.prior_distribution(data, "size", priors={"size": dict.fromkeys("LSM", 1 / 3)})
    assert unseen.index.tolist() == ["S", "M", "L"]
    assert tk.prior_distribution(data, "age").index.tolist()[:2] == [9, 10]
    assert tk.prior_distribution(data, "town").index.tolist()[:2] == ["a", "b"]


# ---------------------------------------------------------------- edges


def test_neighbouring_large_numbers_stay_distinct():
    data = pd.DataFrame({"x": [2**53, 2**53 + 1], "y": ["a", "a"]})
    assert tk.cell_information_gain(data)["x"].tolist() == [0, 0]
    assert tk.cell_information_gain(data)["y"].tolist() == [0, 0]
    assert tk.prior_distribution(data, "x").tolist() == [0.5, 0.5]
    prior = {2**53: 0.25, 2**53 + 1: 0.75}
    for kind in ("int64", "object", "Int64", "category"):
        gain = tk.cell_information_gain(data.astype({"x": kind}), priors={"x": prior})
        by_hand = 0.5 * math.log2(2) + 0.5 * math.log2(2 / 3)
        np.testing.assert_allclose(gain["x"], by_hand, err_msg=kind)


def test_large_tables_take_the_sorting_path_too():
    """Many values in many columns: beyond the counting table, against one group at a time."""
    rng = np.random.default_rng(5)
    wide = rng.integers(0, 1500, (3000, 3))
    data = pd.DataFrame(np.column_stack([wide, rng.integers(0, 3, (3000, 2))]))
    data = pd.concat([data, data.iloc[:700]], ignore_index=True)
    gain = tk.cell_information_gain(data)
    for j in data:
        others = [k for k in data if k != j]
        q = data[j].map(data[j].value_counts(normalize=True))
        e = data.groupby(list(data))[j].transform("size") / data.groupby(others)[j].transform(
            "size"
        )
        expected = np.log2(e / q).groupby([data[k] for k in others]).transform("mean")
        np.testing.assert_allclose(gain[j], expected, atol=1e-12)


def test_keys_of_more_digits_than_fit_are_told_apart():
    """Ten columns of 14 bits, and keys that differ in one bit beyond a digit of 16."""
    n = 1 << 14
    wide = pd.DataFrame({j: np.append(np.arange(n), 256 * (j == 0)) for j in range(10)})
    assert len(tk.class_sizes(wide, range(10))) == n + 1
    assert tk.context_sizes(wide).iloc[0].tolist() == [2] + [1] * 9
    tall = pd.DataFrame({"a": [*range(1024), 0, 0], "b": [*range(256)] * 4 + [64, 0], "c": 0})
    assert tk.context_sizes(tall)["c"].iloc[[0, 1, -2, -1]].tolist() == [2, 1, 1, 2]


def test_pif_of_more_records_than_a_float_can_count():
    cig = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    for weights in ([2**60] * 3, [1e16, 1, 1]):
        assert tk.personal_information_factor(cig, 100, weights=weights) == 3
        assert tk.personal_information_factor(cig, 0, weights=weights) == 1


@pytest.mark.parametrize("accuracy", [1e-9, 1e-12, 1e-16])
def test_the_gain_of_a_record_that_is_hardly_right_is_not_negative(accuracy):
    """A row alone in its context: p and q are so close that their logarithms round apart."""
    data = pd.DataFrame(np.random.default_rng(1).integers(0, [50, 7, 30], (60, 3)))
    assert (tk.context_sizes(data) == 1).any(axis=None)
    assert (tk.cell_information_gain(data, accuracies=accuracy) >= 0).all(axis=None)


def test_a_name_wins_over_a_position():
    data = pd.DataFrame({1: ["a", "b"], 0: ["u", "u"]})
    gain = tk.cell_information_gain(data, priors={1: {"a": 0.25, "b": 0.75}})
    np.testing.assert_allclose(gain[1], 0.5 * 1 + 0.5 * math.log2(2 / 3))
    twins = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])
    assert tk.cell_information_gain(twins, priors={0: {1: 0.25, 3: 0.75}}).iloc[0, 0] == 2


def test_a_percentile_of_fractional_weights_is_where_they_reach_it():
    numbers, half = pd.DataFrame({"a": np.arange(1000.0)}), np.full(1000, 0.5)
    for n in (1, 33, 50, 99):
        found = tk.personal_information_factor(numbers, n, weights=half)
        assert found == 10 * n - 1, "the first record with n % at or before it"
    # Of 1.5 records half is .75, which the first one reaches; whole weights interpolate.
    two = pd.DataFrame({"a": [0.0, 1.0]})
    assert tk.personal_information_factor(two, 50, weights=[1, 0.5]) == 0
    assert tk.personal_information_factor(two, 50, weights=[2, 1]) == 0
    assert tk.personal_information_factor(two, 75, weights=[2, 1]) == 0.5
