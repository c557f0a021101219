"""Pictures and the explorer of who stands out: artists, sentences, bad input."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import toolkit as tk
from toolkit import plots, widgets
from toolkit.widgets import uniqueness as scoring

TOWN = pd.DataFrame(
    {
        "town": list("AAAABBC<"),
        "age": [30, 30, 31, 31, 50, 50, 50, 90],
        "job": pd.Categorical(list("xxxxyyyx"), categories=list("xyz")),
        "pay": [1.0, 2.0, np.nan, 2.0, 3.0, 1.0, 2.0, 40.0],
    },
    index=[3, 1, 4, 15, 9, 2, 6, 5],
)
KNOWN = ["town", "age"]


def test_correlations_are_written_in_the_square(ax):
    names = ["a", "b"]
    table = pd.DataFrame([[1, -0.25], [-0.25, np.nan]], names, names)
    assert plots.plot_agreement(table, ax=ax) is ax
    assert [text.get_text() for text in ax.texts] == ["1", "-.25", "-.25", "–"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == names
    plots.plot_agreement(pd.DataFrame([[1, -0.004], [-0.004, -1]], names, names), ax=ax)
    assert [text.get_text() for text in ax.texts][4:] == ["1", ".00", ".00", "-1"]


def test_marked_rows_have_marks_of_their_own(ax):
    scores = pd.DataFrame({"records": [1, 5, 5], "far": [0.5, 3, 3]}, index=[7, 8, 9])
    plots.plot_crowd_and_distance(scores, {"alone": [7], "together": [9]}, ax=ax)
    everyone, alone, together = ax.collections
    assert len(everyone.get_offsets()) == 2, "equal points are drawn once"
    np.testing.assert_array_equal(alone.get_offsets(), [[1, 0.5]])
    np.testing.assert_array_equal(together.get_offsets(), [[5, 3]])
    assert alone.get_paths()[0].vertices.shape != together.get_paths()[0].vertices.shape
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "far"
    plots.plot_crowd_and_distance(
        scores, {"one place": [7, 7, 7]}, ax=(other := Figure().subplots())
    )
    nested = other.collections[1]
    assert not len(nested.get_facecolor()) and np.all(np.diff(nested.get_sizes()) > 0), (
        "all three are seen"
    )
    with pytest.raises(ValueError, match="at most 4 groups; got 5"):
        plots.plot_crowd_and_distance(scores, {str(i): [7] for i in range(5)})


def test_the_band_covers_the_middle_of_the_estimates(ax):
    estimates = pd.DataFrame({"one": np.arange(11.0), "none": np.nan})
    plots.plot_estimates(estimates, 4.0, ax=ax)
    (band,) = ax.patches
    assert (band.get_x(), band.get_width()) == pytest.approx((1, 8))
    dots, truth = ax.lines
    np.testing.assert_array_equal(dots.get_xdata(), np.arange(11))
    np.testing.assert_array_equal(truth.get_xdata(), [4, 4])
    assert [text.get_text() for text in ax.texts] == ["no number"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first method is on top"


def test_calibration_stands_beside_what_chance_would_do(ax):
    table = pd.DataFrame({"records": [100], "predicted": [0.5], "observed": [0.25]})
    plots.plot_calibration(table, label="model", ax=ax)
    diagonal, line = ax.lines
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    np.testing.assert_array_equal(line.get_xydata(), [[0.5, 0.25]])
    edge = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (edge.min(), edge.max()) == pytest.approx((0.5 - 0.098, 0.5 + 0.098))


def test_flagged_records_are_hatched_on_top(ax):
    scores = pd.Series([0.0, 0.0, 1.0, np.nan], name="points")
    plots.plot_flagged(scores, scores == 1, bins=2, ax=ax)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == [2, 0, 0, 1]
    assert [bar.get_hatch() for bar in ax.patches] == [None, None, "///", "///"]
    assert ax.get_xlabel() == "points"


def test_the_map_marks_the_flagged(ax):
    components = pd.DataFrame({"x": [0.0, 1.0], "y": [2.0, 3.0]})
    plots.plot_map(components, pd.Series([False, True]), explained=(0.5, 0.25), ax=ax)
    others, flagged = ax.collections
    np.testing.assert_array_equal(others.get_offsets(), [[0, 2]])
    np.testing.assert_array_equal(flagged.get_offsets(), [[1, 3]])
    assert ax.get_xlabel() == "x (50% of variance)"


def test_a_sample_is_random_and_in_order():
    people = pd.DataFrame({"a": range(1000)})
    sample = scoring.sample_of(people, 0.1, seed=1)
    assert len(sample) == 100 and sample.index.is_monotonic_increasing
    assert sample.index.is_unique and not sample.equals(people.head(100))
    pd.testing.assert_frame_equal(sample, scoring.sample_of(people, 0.1, seed=1))
    assert not sample.equals(scoring.sample_of(people, 0.1, seed=2))
    assert len(scoring.sample_of(people, 1e-9, seed=1)) == 1
    pd.testing.assert_frame_equal(scoring.sample_of(people, 1.0, seed=1), people)
    with pytest.raises(ValueError, match="fraction"):
        scoring.sample_of(people, 0.0, seed=1)


@pytest.mark.parametrize("score", scoring.SCORES)
def test_each_score_has_a_number_for_each_row(score):
    found = scoring.row_scores(TOWN, KNOWN, score, fraction=0.5, seed=1)
    assert found.index.equals(TOWN.index) and found.notna().all()
    assert found.name == scoring.SCORES[score]
    again = scoring.row_scores(TOWN, KNOWN, score, fraction=0.5, seed=1)
    pd.testing.assert_series_equal(found, again)


@pytest.mark.parametrize("score", sorted(set(scoring.SCORES) - {"local outlier factor"}))
def test_who_is_alone_and_far_stands_out_by_every_score(score):
    found = scoring.row_scores(TOWN, KNOWN, score, fraction=0.5, seed=1)
    assert found[5] > found[3], "the record of town < against one of four in A"


def test_scores_are_those_of_the_library():
    setting = {"fraction": 0.5, "seed": 1}
    alone = scoring.row_scores(TOWN, KNOWN, "class size", **setting)
    assert alone.tolist() == [0.5] * 6 + [1, 1]
    risk = scoring.row_scores(TOWN, KNOWN, "individual risk", **setting)
    assert risk.tolist() == tk.individual_risk(TOWN, KNOWN, fraction=0.5).tolist()
    rig = scoring.row_scores(TOWN, KNOWN, "information gain", **setting)
    gains = tk.cell_information_gain(TOWN[KNOWN]).sum(axis=1)
    np.testing.assert_allclose(rig, gains)
    special = scoring.row_scores(TOWN, "town", "special uniques", **setting)
    assert special.tolist() == [0] * 6 + [1, 1], "one column, keys of one column"
    distance = scoring.row_scores(TOWN, KNOWN, "euclidean", **setting)
    assert distance.tolist() == tk.outlier_scores(TOWN, "euclidean").tolist(), "all columns"
    with pytest.raises(ValueError, match="score must be"):
        scoring.row_scores(TOWN, KNOWN, "fame", **setting)


@pytest.mark.parametrize(
    ("scores", "share", "flagged"),
    [
        ([1, 2, 3, 4], 0.25, [0, 0, 0, 1]),
        ([1, 2, 3, 4], 0.26, [0, 0, 1, 1]),
        ([1, 4, 3, 4], 0.25, [0, 1, 0, 1]),
        ([0, 0, 0, 1], 0.75, [0, 0, 0, 1]),
        ([0, 0, 0, 0], 1.0, [0, 0, 0, 0]),
        ([1, 2, 3, 4], 1e-6, [0, 0, 0, 1]),
        ([1, 4, 3, 4 - 1e-15], 0.25, [0, 1, 0, 1]),  # as another processor adds
        ([0, 1e300, np.inf, 1e300], 0.5, [0, 1, 1, 1]),
        ([1, np.nan, 3, 2], 0.25, [0, 0, 1, 0]),
    ],
)
def test_the_largest_scores_are_flagged_with_their_equals(scores, share, flagged):
    series = pd.Series(scores, index=list("dcba"))
    assert scoring.flag(series, share).tolist() == [bool(one) for one in flagged]


def test_two_columns_of_equal_weight_have_components_by_hand():
    data = pd.DataFrame({"a": [0, 0, 4, 4], "b": [0, 2, 0, 2]}, index=list("wxyz"))
    found, shares = scoring.principal_components(data)
    assert shares == pytest.approx((0.5, 0.5)) and found.index.equals(data.index)
    np.testing.assert_allclose((found**2).sum(axis=1), 2)
    # Twice the same column: all of the variance lies on one line.
    found, shares = scoring.principal_components(data[["a"]].assign(c=data["a"]))
    assert shares == pytest.approx((1, 0))
    np.testing.assert_allclose(found.abs(), [[2**0.5, 0]] * 4, atol=1e-12)


def test_every_column_of_a_map_has_variance_1():
    data = TOWN.assign(pay=TOWN["pay"].fillna(2.0))
    for name in data:
        both, shares = scoring.principal_components(data[[name]])
        total = both.var(ddof=0).sum() / sum(shares)
        assert total == pytest.approx(1), name
        assert ((both**3).sum() >= -1e-9).all(), "its tail points to the right or up"


@pytest.mark.parametrize(
    "data",
    [TOWN[["town"]].head(1), TOWN.iloc[[0, 0]], pd.DataFrame({"a": [np.nan, np.nan]})],
)
def test_rows_that_do_not_differ_lie_on_a_point(data):
    found, shares = scoring.principal_components(data)
    assert (found == 0).all(axis=None) and shares == (0, 0)


def test_who_is_alone_among_all_is_told():
    seen = widgets.standing_out(TOWN, KNOWN, fraction=0.5, score="class size", share=1.0)
    assert len(seen.sample) == 4 and seen.scores.index.equals(seen.sample.index)
    alone = tk.sample_uniqueness(TOWN, KNOWN)["unique"]
    expected = alone[seen.sample.index].tolist()
    assert seen.truth["alone among all"].tolist() == expected
    assert seen.truth["alone here"][seen.truth["alone among all"]].all()
    all_of_them = widgets.standing_out(TOWN, KNOWN, fraction=1.0, score="copula", share=0.25)
    assert all_of_them.flagged[all_of_them.flagged].index.tolist() == [6, 5]
    said = widgets.standing_out_summary(all_of_them)
    assert "2 of 8 rows are flagged" in said and "2 of them are alone in the sample" in said


def test_the_figure_has_histogram_map_and_table():
    seen = widgets.standing_out(TOWN, KNOWN, fraction=1.0, score="euclidean", share=0.2)
    bars, points, table = widgets.standing_out_figure(seen).axes
    assert bars.get_xlabel() == scoring.SCORES["euclidean"]
    assert sum(len(c.get_offsets()) for c in points.collections) == len(TOWN)
    words = [text.get_text() for text in table.texts]
    assert words[:4] == ["score", "town", "age", "alone among all"]
    assert len(words) == 4 * (1 + seen.flagged.sum()), "a line for each flagged row"
    assert words[5:8] == ["<", "90", "yes"], "the farthest comes first"


@pytest.mark.parametrize("last", [-1e-14, 0, 1e-14])
def test_equal_scores_come_in_the_order_of_the_table_however_they_are_rounded(last):
    seen = widgets.standing_out(TOWN, KNOWN, fraction=1.0, score="euclidean", share=1.0)
    scores = pd.Series(np.full(len(TOWN), 42.5), index=seen.scores.index)
    scores.iloc[-1] += last
    flagged = pd.Series(True, index=scores.index)
    table = widgets.standing_out_figure(seen._replace(scores=scores, flagged=flagged)).axes[2]
    ages = [text.get_text() for text in table.texts][6::4]
    shown = len(ages) - 1  # below them stands how many more there are
    assert ages[:shown] == seen.sample["age"].astype(str)[:shown].tolist()


def test_the_explorer_follows_its_controls():
    renamed = TOWN.rename(columns={"town": "score"})
    explorer = widgets.standing_out_explorer(
        renamed, ["score", "age", "job"], known=["score", "age"], fraction=0.75, share="20 %"
    )
    assert "of 6 rows" in explorer.summary.value
    assert "Known: score, age." in explorer.summary.value
    explorer.controls["fraction"].value = 1.0
    assert "<b>2 of 8 rows are flagged</b>" in explorer.summary.value
    before = bytes(explorer.image.value)
    explorer.controls["score"].value = "mahalanobis"
    assert bytes(explorer.image.value) != before
    explorer.controls["known: age"].value = False
    assert "Known: score." in explorer.summary.value
    explorer.controls["known: job"].value = True
    explorer.controls["known: score"].value = False
    assert "0 are alone here" in explorer.summary.value
