"""The Gaussian copula: exact probabilities, recovered models, calibration, edges."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, stats

import toolkit as tk
from tests.tables import TABLES
from toolkit.uniqueness import copula as parts


def judged(data, columns, fraction=0.1, points=512, seed=1):
    """Copula uniqueness with a seeded generator."""
    rng = np.random.default_rng(seed)
    return tk.copula_uniqueness(data, columns, fraction=fraction, points=points, rng=rng)


def invented(rng, people, sizes, matrix):
    """People of a Gaussian copula with falling shares of values; and who is unique."""
    numbers = stats.norm.cdf(rng.multivariate_normal(np.zeros(len(sizes)), matrix, people))
    columns = {}
    for j, size in enumerate(sizes):
        ends = np.cumsum(np.sort(rng.dirichlet(np.full(size, 1.5)))[::-1])[:-1]
        columns[f"c{j}"] = np.searchsorted(ends, numbers[:, j])
    data = pd.DataFrame(columns)
    return data, tk.sample_uniqueness(data, list(data.columns))["unique"]


MATRIX = np.array([[1, 0.6, -0.3, 0], [0.6, 1, 0.2, 0.1], [-0.3, 0.2, 1, 0], [0, 0.1, 0, 1]])


@pytest.mark.parametrize("r", [-0.999, -0.7, 0.0, 0.3, 0.95, 0.999])
@pytest.mark.parametrize(
    ("h", "k"), [(0, 0), (0, 1), (-0.5, 0), (1, -2), (-1, -1), (3, 2.5), (-4, 0.1), (0, -3)]
)
def test_bivariate_normal_against_an_integral(h, k, r):
    def density(x):
        return stats.norm.pdf(x) * stats.norm.cdf((k - r * x) / math.sqrt(1 - r * r))

    middle = np.clip(k / r if r else 0, -9, h)
    expected = sum(
        integrate.quad(density, low, high, epsabs=1e-14, limit=200)[0]
        for low, high in ((-9, middle), (middle, h))
    )
    found = float(parts.bivariate_normal(np.array(float(h)), np.array(float(k)), r))
    assert found == pytest.approx(expected, abs=1e-11)


def test_probabilities_of_all_records_add_up_to_one():
    rng = np.random.default_rng(3)
    data, _ = invented(rng, 20_000, (4, 3, 2), MATRIX[:3, :3])
    found = judged(data, list(data.columns), points=4_096)
    every = data.assign(p=found.records["probability"]).drop_duplicates()
    assert len(every) == 24
    assert every["p"].sum() == pytest.approx(1, abs=1e-3)
    share = data.value_counts(normalize=True)
    for row in every.itertuples(index=False):
        assert row.p == pytest.approx(share[row[:3]], abs=0.03)


@pytest.mark.parametrize("sizes", [(5, 4, 3, 2), (300, 90, 7, 2)])
def test_a_fitted_model_is_recovered(sizes):
    """Correlations from 20,000 people: standard errors are below .015; false alarm < 1e-5."""
    data, _ = invented(np.random.default_rng(4), 20_000, sizes, MATRIX)
    fitted = tk.fit_copula(data, list(data.columns))
    np.testing.assert_allclose(fitted.correlation, MATRIX, atol=0.07)


def test_people_drawn_from_a_copula_follow_it():
    """20,000 people: shares have standard errors below .0036, correlations below .015."""
    data, _ = invented(np.random.default_rng(5), 20_000, (4, 3, 5, 2), MATRIX)
    data = data.assign(c1=data["c1"].map({0: "x", 1: "y", 2: None}))
    fitted = tk.fit_copula(data, list(data.columns))
    drawn = tk.draw_from_copula(fitted, 20_000, rng=np.random.default_rng(6))
    assert drawn.columns.tolist() == data.columns.tolist()
    for name in data:
        shares = [t[name].value_counts(normalize=True, dropna=False) for t in (data, drawn)]
        assert (shares[0] - shares[1]).abs().max() < 0.02
    again = tk.fit_copula(drawn, list(data.columns))
    np.testing.assert_allclose(again.correlation, fitted.correlation, atol=0.08)
    same = tk.draw_from_copula(fitted, 20_000, rng=np.random.default_rng(6))
    pd.testing.assert_frame_equal(drawn, same)


def test_values_keep_their_order_or_come_by_frequency():
    data = pd.DataFrame(
        {
            "number": [10, 9, 9, 2],
            "text": ["b", "a", "c", "c"],
            "size": pd.Categorical(list("lsml"), categories=list("xsml"), ordered=True),
            "day": pd.to_datetime(["2021-01-02", None, "2020-01-01", "2022-01-01"]),
        }
    )
    fitted = tk.fit_copula(data, list(data.columns))
    values = [list(v) for v in fitted.values]
    assert values[0] == [2, 9, 10]
    assert values[1] == ["c", "a", "b"], "by falling frequency, then by name"
    assert values[2] == ["s", "m", "l"]
    assert [str(v)[:4] for v in values[3]] == ["2020", "2021", "2022", "NaT"]
    assert fitted.shares[0].tolist() == [0.25, 0.5, 0.25]


def test_a_copy_of_a_column_is_at_the_bound():
    data = pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": [1, 2, 3, 4] * 5, "c": [4, 3, 2, 1] * 5})
    found = judged(data, ["a", "b", "c"])
    assert found.copula.correlation.round(3).loc["a"].tolist() == [1, 0.999, -0.999]
    np.testing.assert_allclose(found.records["probability"], 0.25, atol=0.02)


@pytest.mark.parametrize("fraction", [0.1, 0.05])
def test_calibration_on_people_of_its_own_model(fraction):
    """Mean absolute calibration error over 30,000 people: at most .05, with 3 seeds.

    It is .01 to .03 for a tenth (3,000 records), and up to .04 for a twentieth.
    """
    for seed in range(3):
        rng = np.random.default_rng(20 + seed)
        people, unique = invented(rng, 30_000, (70, 16, 7, 5), MATRIX)
        chosen = rng.choice(len(people), round(fraction * len(people)), replace=False)
        found = judged(people.iloc[chosen], list(people.columns), fraction=fraction)
        table = tk.uniqueness_calibration(found.records["uniqueness"], unique.iloc[chosen])
        assert tk.calibration_error(table) <= 0.05
        assert found.share == pytest.approx(unique.mean(), abs=0.03)


def test_few_points_integrate_as_well_as_many():
    data, _ = invented(np.random.default_rng(7), 500, (30, 20, 9, 4), MATRIX)
    exact = judged(data, list(data.columns), points=2**14).records["probability"]
    rough = judged(data, list(data.columns), points=64).records["probability"]
    assert (rough / exact - 1).abs().median() < 0.05


@settings(max_examples=40)
@given(data=TABLES, fraction=st.sampled_from([0.01, 0.3, 0.9]))
def test_any_table_has_probabilities(data, fraction):
    data = data.set_axis(range(data.shape[1]), axis=1)
    found = judged(data, list(data.columns), fraction, points=16)
    records = found.records
    assert records.index.equals(data.index) and len(records) == len(data)
    for name in ("probability", "uniqueness", "correctness"):
        assert records[name].between(0, 1 + 1e-12).all()
    assert found.uniques == pytest.approx(found.share * found.population)
    drawn = tk.draw_from_copula(found.copula, 5, rng=np.random.default_rng(1))
    assert drawn.shape == (5, data.shape[1])


def test_a_sample_of_everyone_is_counted():
    data = pd.DataFrame({"town": list("AAB")})
    found = judged(data, "town", fraction=1)
    assert (found.uniques, found.share) == (1, 1 / 3)
    assert found.records["uniqueness"].tolist() == [0, 0, 1]
    assert found.records["correctness"].tolist() == [0.5, 0.5, 1]
    assert found.copula is None and found.population == 3


def test_records_left_out_and_unused_values():
    data = pd.DataFrame({"x": pd.Categorical(["a", "b", None, "a"], categories=list("abc"))})
    with pytest.warns(UserWarning, match="leaves out 1 of 4 rows"):
        left = tk.class_table(data, "x", missing="drop")
    found = judged(left, None, fraction=0.5)
    assert found.records["probability"].isna().tolist() == [False, False, True, False]
    assert found.population == 6
    assert [list(v) for v in found.copula.values] == [["a", "b"]]
    constant = judged(pd.DataFrame({"x": [1, 1], "y": [2, 2]}), ["x", "y"])
    assert constant.records["uniqueness"].tolist() == [0, 0]
    assert constant.records["correctness"].tolist() == [1 / 20, 1 / 20]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.integers(1, 12))
def test_calibration_by_its_definition(pairs, bins):
    """A row per bin that has records; the last bin has its upper end, too."""
    predicted, unique = (pd.Series(values, dtype=float) for values in zip(*pairs, strict=True))
    table = tk.uniqueness_calibration(predicted, unique, bins=bins)
    place = np.minimum(np.floor(predicted * bins), bins - 1)
    gap, rows = 0.0, iter(table.itertuples())
    for i in range(bins):
        here = place == i
        if here.any():
            row = next(rows)
            assert row.Index == i / bins
            means = predicted[here].mean(), unique[here].mean()
            assert (row.records, row.predicted, row.observed) == pytest.approx(
                (here.sum(), *means)
            )
            gap += here.sum() * abs(means[0] - means[1])
    assert next(rows, None) is None
    assert tk.calibration_error(table) == pytest.approx(gap / len(pairs))
