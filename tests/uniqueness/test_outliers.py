"""Outlier scores: by hand, by brute force, against scikit-learn, laws, edges."""

import math
import os
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.covariance import MinCovDet
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

import toolkit as tk
from tests.tables import TABLES

DISTANCES = {"euclidean": {}, "manhattan": {}, "minkowski": {"p": 3}, "mahalanobis": {}}
ENCODINGS = st.sampled_from(["one-hot", "frequency"])
SIMPLE = DISTANCES | {"isolation forest": {}, "local outlier factor": {}}


def seeded(seed=1):
    return {"rng": np.random.default_rng(seed)}


def finite(data):
    """Columns 0, 1, … without infinite numbers, which only floats hold."""
    data = data.set_axis(range(data.shape[1]), axis=1).copy()
    for j, dtype in enumerate(data.dtypes):
        if dtype.kind == "f":
            data[j] = data[j].mask(data[j] == np.inf, 7.0)
    return data


def invented(n=400, seed=1):
    """Correlated numbers, and one row far out."""
    rng = np.random.default_rng(seed)
    numbers = rng.multivariate_normal([0, 5, -3], [[1, 0.8, 0], [0.8, 2, 0.5], [0, 0.5, 1]], n)
    data = pd.DataFrame(numbers, columns=list("xyz"), index=[f"r{i}" for i in range(n)])
    data.iloc[7] = [9, -9, 9]
    return data


def expanded(data, encoding="one-hot"):
    """The numbers of each column by the definitions, one per value of a nominal one."""
    blocks = []
    for j in range(data.shape[1]):
        column = data.iloc[:, j]
        nominal = not pd.api.types.is_any_real_numeric_dtype(column)
        names = [("missing",) if m else c for c, m in zip(column, column.isna(), strict=True)]
        if not nominal or encoding == "frequency":
            x = np.array([names.count(name) for name in names], float) / len(names)
            x = x if nominal else column.to_numpy(float)
            lacks = np.isnan(x)
            known = x[~lacks]
            if known.size and known.min() < known.max():
                centre, scale = known.mean(), known.std()
                blocks.append((j, np.where(lacks, 0, (x - centre) / scale)[:, None]))
            names = lacks
        values = list(dict.fromkeys(names))
        if len(values) > 1:
            hot = np.array([[name == value for value in values] for name in names], float)
            shares = hot.mean(axis=0)
            weight = 1 / math.sqrt(1 - shares @ shares)
            blocks.append((j, weight * (hot - shares)))
    return blocks


def plain(data):
    """Columns that `expanded` knows: no categories, no dates."""
    data = finite(data)
    kinds = [isinstance(kind, pd.CategoricalDtype) or kind.kind == "M" for kind in data.dtypes]
    return data.loc[:, ~np.array(kinds)]


POWERS = {"manhattan": 1, "euclidean": 2, "minkowski": 3, "mahalanobis": 2}


@pytest.mark.parametrize("method", POWERS)
@settings(max_examples=40)
@given(data=TABLES.map(plain).filter(lambda data: data.shape[1]), encoding=ENCODINGS)
def test_distances_against_every_number_laid_out(method, data, encoding):
    """Each distance, and the share of each column, by their definitions."""
    p, blocks = POWERS[method], expanded(data, encoding)
    options = DISTANCES[method] | {"encoding": encoding}
    found = tk.outlier_scores(data, method, **options)
    split = tk.outlier_contributions(data, method, **options)
    assert found.index.equals(data.index) and found.name == method
    if not blocks:
        assert found.tolist() == [0] * len(data)
        return
    numbers = np.hstack([block for _, block in blocks])
    if method == "mahalanobis":
        numbers = numbers - numbers.mean(axis=0)
        inverse = np.linalg.pinv(numbers.T @ numbers / len(data), rcond=1e-9, hermitian=True)
        squares = np.einsum("ij,jk,ik->i", numbers, inverse, numbers)
        np.testing.assert_allclose(found**2, squares, atol=1e-6)
        np.testing.assert_allclose(split.sum(axis=1), found, atol=1e-6)
        assert (split >= -1e-12).all(axis=None)
        return
    parts = np.zeros(data.shape)
    for j, block in blocks:
        parts[:, j] += (np.abs(block) ** p).sum(axis=1)
    total = parts.sum(axis=1)
    np.testing.assert_allclose(found, total ** (1 / p), atol=1e-9)
    share = parts / np.where(total > 0, total, 1)[:, None]
    np.testing.assert_allclose(split, share * found.to_numpy()[:, None], atol=1e-9)


def test_kinds_of_columns():
    """Dates and ordered categories are numbers; truth values and other categories nominal."""
    n = [0, 1, 3, 3]
    expected = tk.outlier_scores(pd.DataFrame({"n": n}), "euclidean")
    days = pd.to_datetime("1850-01-01") + pd.to_timedelta(n, unit="D")
    for column in (
        pd.Series(days),
        pd.Series(days).dt.tz_localize("UTC"),
        pd.Series([*days[:3].tz_localize("UTC"), pd.Timestamp("1850-01-04T02:00+02:00")]),
        pd.Series(pd.to_timedelta(n, unit="h")),
        pd.Series(days.date),
        pd.Series(days.to_period("D"), dtype=object),
        pd.Series([*map(Decimal, n)]),
        pd.Series([10**30 * x for x in n], dtype=object),
        *(pd.Series(n, dtype=kind) for kind in ("Int64", "Float32", "uint8")),
    ):
        found = tk.outlier_scores(pd.DataFrame({"c": column}), "euclidean")
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    ranks = tk.outlier_scores(pd.DataFrame({"n": [0, 1, 2, 2]}), "euclidean")
    sizes = pd.Categorical(list("sxll"), categories=list("smxl"), ordered=True)
    found = tk.outlier_scores(pd.DataFrame({"c": sizes}), "euclidean")
    np.testing.assert_allclose(found, ranks, err_msg="categories that no row has are no rank")
    nominal = tk.outlier_scores(pd.DataFrame({"c": list("sxll")}), "euclidean")
    for column in (sizes.as_unordered(), pd.Series(list("sxll"), dtype="str")):
        found = tk.outlier_scores(pd.DataFrame({"c": column}), "euclidean")
        np.testing.assert_allclose(found, nominal)
    truth = tk.outlier_scores(pd.DataFrame({"c": [True, False, False, False]}), "euclidean")
    assert truth.round(3).tolist() == [1.732, 0.577, 0.577, 0.577]
    lacks = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", None, "2020-01-03"])})
    assert tk.outlier_scores(lacks, "euclidean").iloc[1] == pytest.approx(math.sqrt(2))


def test_robust_distances_are_those_of_scikit_learn():
    """The determinant keeps its minimum when columns are scaled, turned or repeated.

    The search is random and starts from other coordinates, but finds the same core. The
    elliptic envelope is the square of the robust distance.
    """
    data = invented()
    scaled = (data - data.mean()) / data.std(ddof=0)
    seed = int(np.random.default_rng(1).integers(2**31))
    expected = np.sqrt(MinCovDet(random_state=seed).fit(scaled).mahalanobis(scaled))
    for table in (data, data.assign(twice=lambda d: 2 * d["x"] + d["y"])):  # both of rank 3
        found = tk.outlier_scores(table, robust=True, **seeded())
        np.testing.assert_allclose(found, expected, rtol=0.2)
        assert np.corrcoef(found, expected)[0, 1] > 0.999
        envelope = tk.outlier_scores(table, "elliptic envelope", **seeded())
        np.testing.assert_allclose(envelope, found**2, rtol=1e-6)
    split = tk.outlier_contributions(data, robust=True, **seeded())
    found = tk.outlier_scores(data, robust=True, **seeded())
    np.testing.assert_allclose(split.sum(axis=1), found, rtol=1e-9)


@pytest.mark.parametrize("method", ["mahalanobis", "elliptic envelope"])
def test_a_robust_fit_says_when_nothing_is_left(method):
    data = invented().assign(gain=lambda d: np.where(d["x"] > 0.5, 1.0, 0.0))
    robust = {"robust": True} if method == "mahalanobis" else {}
    with pytest.raises(ValueError, match="half of the rows does not vary in every"):
        tk.outlier_scores(data, method, **robust, **seeded())
    # No single column, but a sum of two, is the same in most rows.
    rng = np.random.default_rng(3)
    a = rng.normal(size=100)
    b = np.where(np.arange(100) < 80, 1 - a, rng.normal(size=100))
    with pytest.raises(ValueError, match="not vary in every direction"):
        tk.outlier_scores(pd.DataFrame({"a": a, "b": b}), method, **robust, **seeded())


def test_isolation_forest_is_that_of_scikit_learn():
    data = invented().assign(town=["A", "B", "B", "C"] * 100)
    blocks = np.hstack([block for _, block in expanded(data)])
    seed = int(np.random.default_rng(5).integers(2**31))
    model = IsolationForest(n_estimators=100, random_state=seed).fit(blocks.astype(np.float32))
    found = tk.outlier_scores(data, "isolation forest", rng=np.random.default_rng(5))
    np.testing.assert_allclose(found, -model.score_samples(blocks.astype(np.float32)))
    assert found.idxmax() == "r7" and found.between(0, 1).all()


def test_local_outlier_factor_is_that_of_scikit_learn():
    """Copies count once: the same scores, with fifty more of the farthest row."""
    data = invented()
    scaled = (data - data.mean()) / data.std(ddof=0)
    model = LocalOutlierFactor(n_neighbors=20).fit(scaled)
    found = tk.outlier_scores(data, "local outlier factor")
    np.testing.assert_allclose(found, -model.negative_outlier_factor_)
    assert found.idxmax() == "r7"
    copies = pd.concat([data, data.iloc[[7] * 50]])
    scaled = (copies - copies.mean()) / copies.std(ddof=0)
    model = LocalOutlierFactor(n_neighbors=20).fit(scaled.iloc[:400])
    found = tk.outlier_scores(copies, "local outlier factor")
    np.testing.assert_allclose(found.iloc[:400], -model.negative_outlier_factor_)
    np.testing.assert_allclose(found.iloc[400:], found["r7"].iloc[0])


def test_local_outlier_factor_of_a_sample():
    """Rows of the sample have their own score, the others that of a newcomer."""
    data = invented(600)
    some = tk.outlier_scores(data, "local outlier factor", sample=300, **seeded())
    fitted = np.isin(range(600), np.random.default_rng(1).choice(600, 300, replace=False))
    scaled = ((data - data.mean()) / data.std(ddof=0)).to_numpy()
    model = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(scaled[fitted])
    np.testing.assert_allclose(some[fitted], -model.negative_outlier_factor_)
    np.testing.assert_allclose(some[~fitted], -model.score_samples(scaled[~fitted]))
    everyone = tk.outlier_scores(data, "local outlier factor", sample=600, **seeded())
    pd.testing.assert_series_equal(everyone, tk.outlier_scores(data, "local outlier factor"))


@pytest.mark.parametrize("method", SIMPLE)
@settings(max_examples=15)
@given(data=TABLES, encoding=ENCODINGS)
def test_any_table_has_scores(method, data, encoding):
    options = {**SIMPLE[method], "encoding": encoding}
    found = tk.outlier_scores(finite(data), method, **options, **seeded())
    assert np.isfinite(found).all() and (found >= 0).all()
    assert found.index.equals(data.index)


@pytest.mark.parametrize("factor", [1e-300, 1e300, 2.0**1023])
def test_numbers_of_any_size_keep_their_digits(factor):
    """Squares of the largest overflow, those of the least vanish; last digits differ."""
    plain = pd.DataFrame({"x": [-1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.0]})
    expected = tk.outlier_scores(plain, "manhattan")
    found = tk.outlier_scores(plain * factor, "manhattan")
    np.testing.assert_allclose(found, expected, atol=1e-12)
    close = pd.DataFrame({"x": [0.1 + 0.2, 0.3] * 5})
    np.testing.assert_allclose(tk.outlier_scores(close, "euclidean"), 1)


def test_text_of_numbers_is_taken_for_names_with_a_warning():
    data = pd.DataFrame({"age": ["10", "9", None, "31"], "sex": list("ffmm")})
    with pytest.warns(UserWarning, match="column 'age' holds numbers stored as text"):
        found = tk.outlier_scores(data, "euclidean")
    named = data.assign(age=data["age"].astype("category"))
    np.testing.assert_allclose(tk.outlier_scores(named, "euclidean"), found)
    tk.outlier_scores(data.replace("31", "old"), "euclidean")  # not all are numbers


TIES = """
import numpy as np, pandas as pd, toolkit as tk
rng = np.random.default_rng(5)
data = pd.DataFrame({f"c{j}": rng.integers(0, size, 900) for j, size in enumerate([30, 9, 4])})
data = data.assign(c1=data["c1"].map("v{}".format), c2=data["c2"].map("v{}".format))
data["c3"] = rng.choice([f"w{i}" for i in range(18)], 900)
print(tk.outlier_scores(data, "local outlier factor").round(9).tolist())
"""


def test_neighbours_that_tie_are_the_same_on_every_processor():
    """Products of matrices round as the processor likes; here rows have 32 numbers."""
    found = [
        subprocess.run(
            [sys.executable, "-c", TIES],
            env={**os.environ, "OPENBLAS_CORETYPE": processor},
            check=True,
            capture_output=True,
        ).stdout
        for processor in ("Haswell", "Prescott")
    ]
    assert found[0] == found[1]
