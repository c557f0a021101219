"""Pictures and explorers of differential identifiability: artists, sentences, bad input."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import toolkit as tk
from toolkit import plots
from toolkit.datasets import load_adult_facts
from toolkit.widgets import (
    attacked,
    halving_explorer,
    identifiability_explorer,
    identifiability_figure,
    identifiability_summary,
    policy_explorer,
    policy_figure,
    policy_summary,
)

CANDIDATES = [2, 4, 5, 6, 7, 8, 9, 10]
WORLDS = tk.possible_worlds([1, 3], CANDIDATES)
MEAN = tk.possible_outputs(WORLDS, "mean")
SCALE = tk.tight_scale(MEAN, 1 / 3)
PNG = b"\x89PNG"
FACTS = load_adult_facts()


def test_worlds_are_rows_of_records(ax):
    assert plots.plot_worlds(WORLDS, MEAN, known=2, unit="years", ax=ax) is ax
    *records, outputs = (points.get_offsets() for points in ax.collections[1:])
    drawn = np.column_stack([points[:, 0] for points in records])
    np.testing.assert_array_equal(drawn, WORLDS.to_numpy())
    np.testing.assert_allclose(outputs[:, 0], MEAN)
    assert ax.get_xlabel() == "years" and ax.yaxis_inverted()


def test_densities_peak_at_the_outputs_and_integrate_to_one(ax):
    plots.plot_densities(MEAN, SCALE, response=3.0, ax=ax)
    lines = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len(lines) == 8
    for line, output in zip(lines, MEAN, strict=True):
        x, y = line.get_data()
        assert x[y.argmax()] == pytest.approx(output) and y.max() == pytest.approx(0.5 / SCALE)
        inside = 1 - sum(np.exp(-abs(end - output) / SCALE) / 2 for end in (x[0], x[-1]))
        assert np.trapezoid(y, x) == pytest.approx(inside, rel=1e-3)


def test_bars_above_the_policy_look_different(ax):
    belief = tk.world_posterior(MEAN, 2.0, SCALE)
    plots.plot_world_posterior(belief, prior=[1 / 8] * 8, rho=0.3, ax=ax)
    bars = ax.patches[:8]
    assert [bar.get_height() for bar in bars] == pytest.approx(belief.tolist())
    assert [bool(bar.get_hatch()) for bar in bars] == (belief > 0.3).tolist()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"ρ = 0.3", "1/m = 0.125", "prior"} == set(texts)


def test_curves_leave_out_what_is_infinite(ax):
    curve = tk.identifiability_curve(MEAN, [0.1, 0.2, 0.5])[["scale_bound", "scale_tight"]]
    plots.plot_curves(curve, least=1 / 8, mark=0.2, diagonal=True, unit="λ", ax=ax)
    assert np.isnan(ax.lines[0].get_ydata()[0])
    np.testing.assert_allclose(ax.lines[1].get_ydata()[1:], curve["scale_tight"].iloc[1:])
    assert ax.get_ylabel() == "λ"
    halved = Figure().subplots()
    plots.plot_curves(curve, halvings=True, least=1 / 8, ax=halved)
    assert halved.get_xscale() == "log" and halved.xaxis_inverted()


def test_what_no_noise_reaches_is_shaded_and_never_at_zero(ax):
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    table = pd.DataFrame({"a": tk.noise_quantiles(2.0, levels), "b": [np.nan] * 5}).T
    table.loc["b"] = math.inf
    plots.plot_noise(table, unit="dollars", ax=ax)
    box, shade = ax.patches
    assert box.get_y() == pytest.approx(-2 * math.log(2))
    assert box.get_height() == pytest.approx(4 * math.log(2))
    assert (shade.get_x(), shade.get_width()) == (0.5, 1.0)
    assert all(line.get_marker() == "None" for line in ax.lines), "no mark at noise 0"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["no noise reaches ρ"]
    alone = plots.plot_noise(table.loc[["b"]], ax=Figure().subplots())
    assert [patch.get_x() for patch in alone.patches] == [-0.5]


def test_drawn_noise_stands_on_the_axis_that_is_asked_for(ax):
    noise = pd.DataFrame({"50": [-1.0, 0, 1, 50], "25": [math.inf] * 4})
    plots.plot_noise_draws(noise, limit=3, unit="noise", ax=ax)
    assert ax.get_ylim() == (-3, 3) and [patch.get_x() for patch in ax.patches] == [0.5]
    outliers = [line for line in ax.lines if line.get_marker() == "+"]
    assert [line.get_ydata().tolist() for line in outliers] == [[50]]
    before = len(ax.patches)
    plots.plot_noise_draws(noise, limit=3, shift=0.4, color="red", ax=ax)
    assert len(ax.patches) == before, "what is shaded is shaded once"


def test_beliefs_are_marked_at_the_output_of_their_world(ax):
    responses = np.sort(np.append(np.linspace(0, 6, 61), MEAN))
    rows = [tk.world_posterior(MEAN, response, SCALE) for response in responses]
    plots.plot_beliefs(pd.DataFrame(rows, index=responses), outputs=MEAN, ax=ax)
    marks = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose([y for _, y in marks], tk.world_risks(MEAN, SCALE))
    assert [text.get_text() for text in ax.texts] == [f"{value}" for value in CANDIDATES]


def test_forty_worlds_have_few_enough_names(ax):
    belief = pd.Series(1 / 40, index=range(40))
    plots.plot_world_posterior(belief, ax=ax)
    assert len(ax.patches) == 40 and len(ax.get_xticks()) == 20


def test_search_and_attack(ax):
    steps = pd.DataFrame({"low": [0, 1], "middle": [1, 1.5], "high": [2, 2]})
    plots.plot_search(steps, target=1.2, unit="λ", ax=ax)
    assert [bar.get_width() for bar in ax.patches] == [2, 1] and ax.yaxis_inverted()
    success = pd.DataFrame({"prior": [0.2, 0.25]}, ["bound", "exact"])
    other = plots.plot_attack(success, rho=1 / 3, errors=success / 100, ax=Figure().subplots())
    assert [bar.get_height() for bar in other.patches] == [0.2, 0.25]
    assert {"0.200", "0.250"} <= {text.get_text() for text in other.texts}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plots.plot_worlds(WORLDS, MEAN.iloc[:2], known=2),
            "one number per world; got 2",
        ),
        (lambda: plots.plot_densities(MEAN, 0.0), "positive and finite to be drawn; got 0"),
        (lambda: plots.plot_world_posterior(pd.Series([])), "from 1 to 40 worlds"),
        (lambda: plots.plot_curves(pd.DataFrame([[1] * 8], [0.5])), "1 to 7 curves"),
        (lambda: plots.plot_noise(pd.DataFrame([[1, 2]])), "must have 5 columns"),
        (lambda: plots.plot_search(pd.DataFrame({"low": [1]})), "needs columns low, middle"),
    ],
)
def test_bad_input_is_answered(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_every_control_of_the_explorer_moves_the_sentence():
    box = identifiability_explorer()
    assert bytes(box.image.value).startswith(PNG)
    moves = {
        "known": "1, 3, 9",
        "candidates": "2, 4, 5, 30",
        "query": "std",
        "noise": "bound",
        "rho": 0.6,
        "response": 1.0,
        "releases": 4,
        "weights": "1.5, 1, 1, 0.5",
    }
    for name, value in moves.items():
        before, image = box.summary.value, bytes(box.image.value)
        box.controls[name].value = value
        assert box.summary.value != before, name
        assert bytes(box.image.value).startswith(PNG)
        if name in ("candidates", "query", "rho", "response", "releases", "weights"):
            assert bytes(box.image.value) != image, name


def test_a_halved_bracket_holds_the_exact_scale():
    box = halving_explorer(MEAN, 1 / 3)
    ends = []
    for step in (1, 3, 12):
        box.controls["step"].value = step
        found = re.search(r"between (\S+) and (\S+)\. The", box.summary.value)
        ends.append([float(end) for end in found.groups()])
        assert ends[-1][0] <= SCALE <= ends[-1][1]
    assert ends[0] == pytest.approx([0, 2.1286], abs=1e-4), "from nothing to the bound"
    widths = [high - low for low, high in ends]
    assert widths[1] == pytest.approx(widths[0] / 4, rel=1e-3) and "too little" in (
        halving_explorer(MEAN, 1 / 3).summary.value
    )
    box.controls["rho"].value = 0.9
    assert "ρ = 0.9000" in box.summary.value


def test_a_tie_is_called_a_tie():
    alike = attacked([1, 3], [5, 6, 7], "median", 0.5, place=0.3)
    assert "believes in none more than another: 0.333" in identifiability_summary(alike)
    middle = attacked([], [0, 1, 9, 10], "mean", 0.5, place=0.5)
    assert "believes most in <b>1</b> and <b>9</b>" in identifiability_summary(middle)


def test_releases_break_a_policy_made_for_one():
    once = attacked([1, 3], CANDIDATES, "mean", 1 / 3, place=0)
    twice = attacked([1, 3], CANDIDATES, "mean", 1 / 3, place=0, releases=2)
    assert once.risk == pytest.approx(1 / 3) and twice.risk == pytest.approx(0.5746632685)
    assert "<b>breaks</b>" in identifiability_summary(twice, 2)
    assert once.belief.max() == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="every world has the prior 0"):
        attacked([1], [2, 3], "mean", 0.9, weights=[0, 0])


def test_where_no_noise_is_needed_the_explorer_says_so():
    seen = attacked([1, 3], [5, 6, 7], "median", 0.5, place=0.3)
    assert seen.scale == 0 and "∞ (no noise)" in identifiability_summary(seen)
    assert identifiability_figure(seen).axes


def test_policy_explorer():
    box = policy_explorer(FACTS)
    assert "so any ρ above 1/74 can" in box.summary.value
    box.controls["column"].value = "capital-gain"
    box.controls["rho"].value = 0.1
    assert "ε = 9.316" in box.summary.value and "± 21.9 dollars" in box.summary.value
    box.controls["records"].value = 1000
    assert "The mean of 1,000 records" in box.summary.value
    box.controls["column"].value = "age"
    box.controls["rho"].value = 0.01
    assert "cannot be reached" in box.summary.value
    assert policy_figure(FACTS, "age", 0.1, 50).axes
    assert "off by" in policy_summary(FACTS, "age", 0.1, 50)
