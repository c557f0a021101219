"""Entropies: published values, the identities between them, and edges."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.oracles.pif import distribution, divergence, log2, rows_of
from tests.tables import TABLES, WHOLE_WEIGHTS
from toolkit.datasets import load_cig_toy

TOY = load_cig_toy()


def numbered(data):
    return data.set_axis(range(data.shape[1]), axis=1)


def test_toy_as_published():
    """pif.md: H .591673 2.235926 .863121; H(X|rest) .285714 1.428571 .285714."""
    table = tk.conditional_entropies(TOY)
    np.testing.assert_allclose(table["entropy"], [0.591673, 2.235926, 0.863121], atol=5e-7)
    np.testing.assert_allclose(table["given_rest"], [2 / 7, 10 / 7, 2 / 7], atol=1e-12)
    assert tk.dual_total_correlation(TOY) == pytest.approx(0.807355, abs=5e-7)
    assert tk.residual_entropy(TOY) == pytest.approx(2.0, abs=1e-12)
    assert tk.entropy(TOY) == pytest.approx(2.807355, abs=5e-7) == math.log2(7)


@given(TABLES, WHOLE_WEIGHTS)
def test_entropy_is_what_its_definition_says(data, weights):
    weights = weights[: len(data)]
    shares = distribution(rows_of(data), weights)
    expected = -math.fsum(float(p) * log2(p) for p in shares.values())
    assert tk.entropy(data, weights=weights) == pytest.approx(expected, abs=1e-12)


@given(TABLES)
def test_the_identities_between_entropies(data):
    data = numbered(data)
    first, rest = [0], list(data.columns[1:])
    close = pytest.approx
    given_rest = tk.conditional_entropies(data)["given_rest"]
    assert tk.entropy(data) == close(tk.entropy(data, rest) + given_rest[0], abs=1e-9)
    shared = tk.mutual_information(data, first, rest)
    assert shared == close(tk.entropy(data, first) - given_rest[0], abs=1e-9)
    assert shared == close(tk.mutual_information(data, rest, first), abs=1e-9)
    both = tk.dual_total_correlation(data) + tk.residual_entropy(data)
    assert both == close(tk.entropy(data), abs=1e-9)
    apart = sum(tk.entropy(data, [j]) for j in data)
    assert tk.total_correlation(data) == close(apart - tk.entropy(data), abs=1e-9)
    table = tk.mutual_information_table(data)
    for i in data:
        assert table.loc[i, i] == close(tk.entropy(data, [i]), abs=1e-12)
        for j in data:
            assert table.loc[i, j] == close(tk.mutual_information(data, [i], [j]), abs=1e-12)
    assert given_rest.sum() == close(tk.residual_entropy(data), abs=1e-9)


def test_a_constant_or_single_row_has_no_entropy():
    assert tk.entropy(pd.DataFrame({"x": ["a"] * 5})) == 0
    assert tk.entropy(pd.DataFrame({"x": ["a"], "y": [None]})) == 0
    assert tk.entropy(TOY, []) == 0


SHARES = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)


@given(SHARES, SHARES)
def test_divergence_is_what_its_definition_says(one, other):
    p, q = ([share / sum(shares) for share in shares] for shares in (one, other))
    exact = divergence(*(distribution(range(3), shares) for shares in (one, other)))
    assert tk.kl_divergence(p, q) == pytest.approx(exact, abs=1e-12)
    named = [pd.Series(dist, index=list("abc")) for dist in (p, q)]
    assert tk.kl_divergence(named[0], named[1].iloc[::-1]) == tk.kl_divergence(p, q)
