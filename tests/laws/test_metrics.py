"""Laws that every metric obeys; a new one joins the catalogue and inherits them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.tables import TABLES


def with_roles(metric, sensitive=True):
    """Let a metric of classes judge a table whose last column is sensitive."""

    def judge(data):
        data = data.set_axis(range(data.shape[1]), axis=1)
        *known, secret = data.columns
        return metric(data, known, secret) if sensitive else metric(data, known)

    return judge


def on_all(metric):
    """Let a metric judge a table by all of its columns, every cell a category."""

    def judge(data):
        table = data.set_axis(range(data.shape[1]), axis=1).astype("category")
        return metric(table, list(table.columns))

    return judge


PER_CELL = {
    "cell_information_gain": tk.cell_information_gain,
    "cell_information_gain_of_two": lambda data: tk.cell_information_gain(
        data, unknown=min(2, data.shape[1])
    ),
    "cell_surprise_factor": tk.cell_surprise_factor,
    "weighted_cell_information_gain": tk.weighted_cell_information_gain,
    "context_sizes": tk.context_sizes,
}
PER_RECORD = PER_CELL | {
    "row_information_gain": lambda data: tk.row_information_gain(
        tk.cell_information_gain(data)
    ),
}
PER_RECORD |= {
    "record_class_sizes": with_roles(tk.record_class_sizes, sensitive=False),
    "linkage_candidates": with_roles(
        lambda data, known: tk.linkage_candidates(data, data, known), sensitive=False
    ),
    "individual_risk": on_all(lambda *roles: tk.individual_risk(*roles, fraction=0.3)),
    "suda_uniques": on_all(lambda *roles: tk.suda_uniques(*roles).scores),
    "outlier_scores": on_all(lambda data, known: tk.outlier_scores(data, "manhattan", known)),
}
PER_TABLE = {
    "entropy": tk.entropy,
    "total_correlation": tk.total_correlation,
    "dual_total_correlation": tk.dual_total_correlation,
    "residual_entropy": tk.residual_entropy,
    "personal_information_factor": lambda data: tk.information_factors(data).pif(100),
    # Without its percentile, which is interpolated between two records and so counts them.
    "information_risk": lambda data: tk.information_risk(data)[::2],
    "classification_metric": with_roles(tk.classification_metric),
}
# Sizes count records, so they double with the table, and risks halve; a copy is not unique.
COUNTS = ("context_sizes", "record_class_sizes", "linkage_candidates")
COUNTS += ("individual_risk", "suda_uniques")
SCALE_FREE = {name: metric for name, metric in PER_RECORD.items() if name not in COUNTS}


def by_position(data):
    """The same records under plain labels, so that rows can be matched."""
    return data.set_axis(pd.RangeIndex(len(data))).set_axis(range(data.shape[1]), axis=1)


@pytest.mark.parametrize("metric", PER_RECORD.values(), ids=PER_RECORD)
@given(data=TABLES, seed=st.integers(0, 99))
def test_row_order_and_labels_do_not_matter(metric, data, seed):
    order = np.random.default_rng(seed).permutation(len(data))
    shuffled = data.iloc[order]
    before, result = shuffled.copy(deep=True), metric(shuffled)
    pd.testing.assert_frame_equal(shuffled, before)
    np.testing.assert_allclose(result, metric(by_position(data)).to_numpy()[order], atol=1e-12)
    assert result.index.equals(shuffled.index)


@pytest.mark.parametrize("metric", PER_CELL.values(), ids=PER_CELL)
@given(data=TABLES, seed=st.integers(0, 99))
def test_column_order_does_not_matter(metric, data, seed):
    order = np.random.default_rng(seed).permutation(data.shape[1])
    expected, found = metric(data).to_numpy()[:, order], metric(data.iloc[:, order])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.columns.equals(data.columns[order])


@pytest.mark.parametrize("metric", SCALE_FREE.values(), ids=SCALE_FREE)
@given(data=TABLES, times=st.integers(2, 3))
def test_copies_of_the_whole_table_change_nothing(metric, data, times):
    copies = pd.concat([data] * times)
    expected = np.concatenate([metric(data).to_numpy()] * times)
    np.testing.assert_allclose(metric(copies), expected, atol=1e-12)


@pytest.mark.parametrize("metric", PER_TABLE.values(), ids=PER_TABLE)
@given(data=TABLES, seed=st.integers(0, 99))
def test_numbers_of_a_table_depend_on_its_records_only(metric, data, seed):
    order = np.random.default_rng(seed).permutation(len(data))
    twice = by_position(pd.concat([data, data]).iloc[[*order, *(order + len(data))]])
    before = data.copy(deep=True)
    np.testing.assert_allclose(metric(twice), metric(data), atol=1e-12)
    pd.testing.assert_frame_equal(data, before)
