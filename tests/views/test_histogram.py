"""Pictures and the explorer of private histograms: artists, sentences, bad input."""

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit import plots
from toolkit.datasets import load_histogram_settings, load_incidents
from toolkit.widgets import (
    histogram_explorer,
    histogram_figure,
    histogram_summary,
    tried_release,
)

CALLS, (COMBOS, BINS, DOMAIN) = load_incidents(), load_histogram_settings("incidents")
FEW = {"month": ["month_c"], "harm": COMBOS["harm"]}


def test_shares_stand_side_by_side(ax):
    shares = pd.DataFrame({"true": [0.2, 0.8], "released": [0.5, 0.5]}, index=["a", "b"])
    assert plots.plot_noisy_shares(shares, unit="kind", ax=ax) is ax
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == [0.2, 0.8, 0.5, 0.5]
    left, right = ax.patches[0], ax.patches[2]
    assert left.get_x() + left.get_width() == pytest.approx(right.get_x()), "side by side"
    assert left.get_hatch() != right.get_hatch() and ax.get_xlabel() == "kind"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b"]


def test_errors_stand_beside_what_noise_makes(ax):
    table = pd.DataFrame(
        {"cells": [100, 10], "largest_error": [30, 9], "expected_largest_noise": [26.0, 14.6]},
        index=["wide", "narrow"],
    )
    plots.plot_errors(table, unit="Records", ax=ax)
    assert [bar.get_width() for bar in ax.patches] == [9, 30], "the fewest cells on top"
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[14.6, 0], [26, 1]])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["narrow\n10 cells", "wide\n100 cells"]
    assert ax.get_xlim()[0] == 0 and ax.get_xlabel() == "Records"


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.plot_noisy_shares(pd.DataFrame({"a": np.ones(41)})), "40 cells .* 41"),
        (lambda: plots.plot_noisy_shares(pd.DataFrame(np.ones((2, 8)))), "7 histograms .* 8"),
    ],
)
def test_too_much_to_be_told_apart_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()


def test_a_tried_release_is_that_of_the_library():
    seen = tried_release(CALLS, FEW, BINS, DOMAIN, 2.0, 3, seed=4)
    assert seen.scale == tk.histogram_scale(2, 3, 1, 2.0)
    assert seen.records == CALLS["address_i"].value_counts().clip(upper=3).sum()
    assert seen.utility["cells"].to_dict() == {"month": 12, "harm": 48}
    df, *_ = tk.pre_process(CALLS, FEW, BINS, domain=DOMAIN)
    true = df["month"].value_counts(normalize=True)
    pd.testing.assert_series_equal(
        seen.shares["true"].sort_index(), true.sort_index(), check_names=False
    )
    variation = (seen.shares["true"] - seen.shares["released"]).abs().sum() / 2
    assert seen.utility.loc["month", "total_variation"] == pytest.approx(variation)
    bound = seen.utility["expected_largest_noise"] + 14 * seen.scale
    # A noise is beyond b H_k + 14 b with probability of about k exp(-H_k - 14): below 1e-6.
    assert (seen.utility["largest_error"] < bound).all(), "no error but that of the noise"


def test_what_is_said_of_a_release():
    seen = tried_release(CALLS, FEW, BINS, DOMAIN, 2.0, 3, seed=4)
    said = histogram_summary(seen)
    assert "at most 3 records of each individual" in said and f"{seen.records:,} rec" in said
    assert "<b>harm</b>: 48 bins" in said and "noise of scale 3.5" in said
    variation = seen.utility.loc["harm", "total_variation"]
    assert f"total variation {variation:.2f}" in said
    left, right = histogram_figure(seen).axes
    assert len(left.patches) == 24
    assert left.get_xlabel() == "Largest cells of month (curator only)"
    assert right.get_xlim()[0] == 0 and len(right.patches) == 2


def test_cells_are_named_by_what_they_mean():
    both = {"call": ["month_c", "hour_c"], "late": ["arrival_n"]}
    seen = tried_release(CALLS, both, BINS, DOMAIN, 2.0, 3, seed=4)
    code = f"{seen.shares.index[0]}"  # 1, two digits of the month, two of the hour
    assert seen.names[0] == f"month {int(code[1:3])}, hour {int(code[3:])}"
    left = histogram_figure(seen).axes[0]
    assert [label.get_text() for label in left.get_xticklabels()] == seen.names


def test_the_explorer_follows_its_controls():
    columns = ["month_c", "district_c", "injured_c"]
    given = {"beside": {"kind": ["kind_c"]}, "epsilon": 0.5, "sample_size": 2}
    explorer = histogram_explorer(CALLS, columns, BINS, DOMAIN, **given)
    assert "<b>combined</b>: 96 bins" in explorer.summary.value
    assert "ε = 0.5, at most 2 records" in explorer.summary.value, "as it was told to begin"
    assert "<b>kind</b>: 12 bins" in explorer.summary.value
    before = bytes(explorer.image.value)
    explorer.controls["injured_c"].value = True
    assert "<b>combined</b>: 384 bins" in explorer.summary.value
    assert bytes(explorer.image.value) != before
    explorer.controls["sample_size"].value = 5
    assert "noise of scale 22" in explorer.summary.value, "5 records, 2 histograms, 1 count"
    explorer.controls["epsilon"].value = 10.0
    assert "noise of scale 1.1" in explorer.summary.value
