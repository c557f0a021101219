"""Pictures and explorers of noisy answers: artists, sentences, bad input."""

import math

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit import plots
from toolkit.widgets import (
    averaging_explorer,
    averaging_figure,
    averaging_summary,
    noise_explorer,
    noise_figure,
    noise_summary,
    noisy_pair,
    running_means,
)

PNG = b"\x89PNG"


def test_densities_are_drawn_as_they_come(ax):
    pair = noisy_pair(0.5, 2)
    assert plots.plot_neighbours(pair.laws, unit="people", ax=ax) is ax
    assert [line.get_label() for line in ax.lines] == ["data", "neighbour"]
    for line, (_, law) in zip(ax.lines, pair.laws.items(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), pair.laws.index)
        np.testing.assert_array_equal(line.get_ydata(), law)
    assert ax.get_xlabel() == "people" and ax.get_ylabel() == "Density"
    assert len({line.get_linestyle() for line in ax.lines}) == 2, "told apart in grey"


def test_probabilities_are_dots_on_stems(ax):
    pair = noisy_pair(0.5, 2, "geometric")
    plots.plot_neighbours(pair.laws, discrete=True, ax=ax)
    assert ax.get_ylabel() == "Probability" and len(ax.collections) == 2
    assert {line.get_marker() for line in ax.lines} == {"o", "s"}
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), pair.laws["neighbour"])


@pytest.mark.parametrize(("mechanism", "broken"), [("laplace", False), ("gaussian", True)])
def test_what_leaves_the_band_looks_different(ax, mechanism, broken):
    pair = noisy_pair(1.0, 1, mechanism)
    plots.plot_log_ratio(pair.log_ratio, 1.0, unit="people", ax=ax)
    labels = [line.get_label() for line in ax.lines]
    assert ("outside ±ε" in labels) == broken
    inside = ax.lines[labels.index("log ratio")].get_ydata()
    assert np.nanmax(np.abs(inside)) <= 1 + 1e-9
    low, high = ax.get_ylim()
    assert high > pair.log_ratio.abs().max() and low == -high


def test_widths_are_logarithmic_on_both_axes(ax):
    table = pd.DataFrame({"a": [10.0, 1.0], "b": [20.0, 2.0]}, index=[0.1, 1.0])
    plots.plot_widths(table, mark=0.5, unit="people", ax=ax)
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert ax.get_xlabel() == "ε (smaller is safer)", "of all the answers that a line is about"
    assert [line.get_label() for line in ax.lines] == ["a", "b", "ε = 0.5"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [20, 2])


def test_averages_and_their_band(ax):
    means = running_means(38, 0.1, 50, seed=2)
    half = pd.Series(1.0, index=means.index)
    plots.plot_averages(means, 38, half_width=half, unit="people", ax=ax)
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), means["attacker 3"])
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == 37 and band[:, 1].max() == 39


@pytest.mark.parametrize(
    ("draw", "argument"),
    [
        (lambda t: plots.plot_neighbours(t), "laws"),
        (lambda t: plots.plot_widths(t), "widths"),
        (lambda t: plots.plot_averages(t, 0), "averages"),
    ],
)
@pytest.mark.parametrize("columns", [0, 8])
def test_too_many_lines_are_refused(draw, argument, columns):
    table = pd.DataFrame(np.ones((2, columns)))
    with pytest.raises(ValueError, match=f"{argument} must have from 1 to 7 .* got {columns}"):
        draw(table)


@pytest.mark.parametrize("mechanism", ["laplace", "geometric"])
@pytest.mark.parametrize("sensitivity", [1, 4])
def test_a_pair_of_pure_noise_stays_in_the_band(mechanism, sensitivity):
    pair = noisy_pair(0.7, sensitivity, mechanism)
    worst = pair.log_ratio.abs().max()
    assert worst == pytest.approx(0.7, rel=1e-9), "and meets its edge"
    assert "every ratio is at most" in noise_summary(pair)
    assert f"{mechanism} noise of scale {pair.scale:.3g}" in noise_summary(pair)


def test_a_pair_of_gaussian_noise_leaves_it():
    pair = noisy_pair(0.7, 1, "gaussian")
    assert pair.log_ratio.abs().max() > 0.7
    assert pair.scale == tk.gaussian_scale(1, 0.7, 1e-5)
    assert "leaves the band" in noise_summary(pair)


def test_the_width_is_that_of_the_mechanism():
    assert noisy_pair(1.0).width == pytest.approx(math.log(20))
    wide = noisy_pair(1.0, 3, "geometric")
    assert tk.DiscreteLaplaceNoise(wide.scale).sf(wide.width + 1) <= 0.05


def test_an_unknown_noise_is_refused():
    with pytest.raises(ValueError, match="mechanism must be"):
        noisy_pair(1.0, 1, "uniform")


def test_the_noise_figure_has_two_pictures():
    left, right = noise_figure(noisy_pair(1.0, 2, "geometric")).axes
    assert left.get_ylabel() == "Probability" and "Log ratio" in right.get_ylabel()


def test_running_means_are_means_of_the_first_answers():
    long, short = (running_means(38, 0.5, k, seed=3) for k in (200, 20))
    pd.testing.assert_frame_equal(long.head(20), short)
    answers = long.mul(long.index.to_numpy(), axis=0).diff()
    assert answers.iloc[1:].std().between(1, 8).all(), "noise of standard deviation 2.8"
    assert list(short.index) == list(range(1, 21)) and short.shape[1] == 3


def test_what_an_average_costs():
    means = running_means(38, 0.1, 3200, seed=1)
    said = averaging_summary(means, 38, 0.1)
    assert "3,200 answers of ε = 0.1 cost 320" in said and "deviation of 0.25" in said
    assert averaging_figure(means, 38, 0.1).axes[0].get_xscale() == "log"


def test_the_noise_explorer_follows_its_controls():
    explorer = noise_explorer()
    seen = set()
    for mechanism in ("laplace", "geometric", "gaussian"):
        explorer.controls["mechanism"].value = mechanism
        assert mechanism in explorer.summary.value
        assert bytes(explorer.image.value).startswith(PNG)
        seen.add(bytes(explorer.image.value))
    explorer.controls["epsilon"].value = 0.1
    explorer.controls["sensitivity"].value = 5
    seen.add(bytes(explorer.image.value))
    assert len(seen) == 4


def test_the_averaging_explorer_follows_its_controls():
    explorer = averaging_explorer(truth=100)
    before = bytes(explorer.image.value)
    explorer.controls["k"].value = 3200
    assert "3,200 answers" in explorer.summary.value and bytes(explorer.image.value) != before
    explorer.controls["epsilon"].value = 1.0
    assert "cost 3,200" in explorer.summary.value
