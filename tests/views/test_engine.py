"""Pictures and the explorer of tables in engines: artists, sentences, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from toolkit import open_table, plots, widgets


def test_growth_is_drawn_beside_the_line_of_records_that_are_alone(ax):
    classes = pd.DataFrame({"few": [4, 5], "many": [9, np.nan]}, index=[10, 1000])
    assert plots.plot_class_growth(classes, ax=ax, linewidth=3) is ax
    few, many, alone = ax.lines
    assert few.get_ydata().tolist() == [4, 5] and few.get_linewidth() == 3
    assert many.get_xdata().tolist() == [10], "what was not counted is not drawn"
    assert list(alone.get_xdata()) == list(alone.get_ydata()) == [10, 1000]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 3 and len({line.get_marker() for line in ax.lines}) == 3


def test_a_cost_that_grows_as_the_rows_do_is_a_level_line(ax):
    costs = pd.DataFrame({"a": [2.0, 20.0], "b": [1.0, 30.0]}, index=[10**6, 10**7])
    plots.plot_cost_per_row(costs, ax=ax)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[2, 2], [1, 3]]
    assert ax.get_ylim()[0] == 0
    with pytest.raises(ValueError, match="at most 6 lines"):
        plots.plot_cost_per_row(pd.DataFrame(np.ones((1, 7)), index=[1]))


def test_the_mark_tells_on_which_side_of_the_budget_a_table_is(ax):
    sizes = pd.Series([1e3, 1e6], index=[1e2, 1e4])
    plots.plot_way(sizes, 1e5, at=1e4, ax=ax)
    budget, line, mark = ax.lines
    assert set(budget.get_ydata()) == {1e5} and line.get_ydata().tolist() == [1e3, 1e6]
    assert mark.get_ydata().tolist() == [1e6] and mark.get_marker() == "^"
    other = plots.plot_way(sizes, 1e7, at=1e4)
    assert other.lines[2].get_marker() == "o"


@given(n=st.integers(1, 60), m=st.integers(2, 40))
def test_expected_classes_are_between_one_and_all(n, m):
    found = float(widgets.expected_classes(n, m))
    assert 1 - 1e-9 <= found <= min(n, m) + 1e-9
    assert found <= widgets.expected_classes(n + 1, m) <= found + 1
    assert found <= widgets.expected_classes(n, m + 1) + 1e-9


def test_expected_classes_are_those_of_equal_shares():
    rng = np.random.default_rng(5)
    drawn = [len(np.unique(rng.integers(0, 500, 700))) for _ in range(200)]
    assert np.mean(drawn) == pytest.approx(widgets.expected_classes(700, 500), rel=0.01)
    skewed = [len(np.unique(500 * rng.random(700) ** 3 // 1)) for _ in range(50)]
    assert np.mean(skewed) < widgets.expected_classes(700, 500), "equal shares are the worst"


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # Ibis 12 with DuckDB 2
def test_the_estimate_is_that_of_the_plan(tmp_path):
    pytest.importorskip("ibis")
    path = tmp_path / "people.parquet"
    pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 1]}).to_parquet(path)
    table = open_table(path)
    tk.k_anonymity(table, ["a", "b"])
    [plan] = table.plans
    way = widgets.way_of(10**6, 3, 2, plan.budget)
    assert (round(way.classes), round(way.bytes)) == (plan.classes, plan.bytes)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ((0, 10, 2, "1 GB"), "rows must be"),
        ((10, 1, 2, "1 GB"), "combinations must be"),
        ((10, 10, 0, "1 GB"), "columns must be"),
        ((10, 10, 2, "much"), "budget must be a number of bytes"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(setting, message):
    for function in (widgets.way_of, widgets.way_figure, widgets.way_summary):
        with pytest.raises(ValueError, match=message):
            function(*setting)


def test_the_explorer_follows_its_controls():
    box = widgets.way_explorer(columns=8)
    assert "comes back" in box.summary.value and bytes(box.image.value[:4]) == b"\x89PNG"
    assert set(box.controls) == {"rows", "combinations", "columns", "budget"}
    before = bytes(box.image.value)
    box.controls["combinations"].value = 10**9
    assert "stays in the engine" in box.summary.value and bytes(box.image.value) != before
    box.controls["rows"].value = 10**4
    assert "comes back" in box.summary.value, "few records have few distinct rows"
