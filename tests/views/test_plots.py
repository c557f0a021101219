"""Plots: which numbers are drawn, what is summed, how awkward labels are written."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tests.laws.test_plots import NUMBERS, POINTS, PRIOR, REGIONS, TERMS
from toolkit import plots
from toolkit.datasets import load_cig_toy
from toolkit.information import cell_information_gain
from toolkit.plots._style import BLUE, VERMILLION

TABLE = load_cig_toy()
CIG = cell_information_gain(TABLE)
CSF = np.minimum(1, np.sqrt(CIG * np.log(2) / 2)) / 2
WIDE = pd.DataFrame(np.random.default_rng(20).gamma(1, 1, (30, 41))).add_prefix("feature ")
LEVELS = pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["age", "sex"])


def said(texts):
    return [text.get_text() for text in texts if text.get_text()]


def legend(ax):
    return said(ax.get_legend().get_texts())


def widths(bars):
    return [bar.get_width() for bar in bars]


def colours(bars):
    return [to_hex(bar.get_facecolor()) for bar in bars]


# Information


def test_cells_have_their_numbers_and_values_where_there_is_room():
    ax = plots.plot_cells(CIG, cells=TABLE)
    pairs = zip(CIG.to_numpy().flat, TABLE.to_numpy().flat, strict=True)
    assert said(ax.texts) == [f"{gain:.2f}\n{cell}" for gain, cell in pairs]
    assert ax.collections[0].get_clim() == (0, CIG.to_numpy().max())
    assert said(plots.plot_cells(WIDE, ax=Figure().subplots()).texts) == []
    assert len(plots.plot_cells(WIDE, ax=Figure((40, 12)).subplots()).texts) == WIDE.size


def test_bands_hold_sorted_records():
    values = pd.DataFrame({"a": [0.0, 4, 1, 3], "b": [0.0, 4, 1, 1]})
    for statistic, wanted in {
        "mean": [[3.5, 2.5], [0.5, 0.5]],
        "largest": [[4, 4], [1, 1]],
    }.items():
        ax = plots.plot_cell_bands(values, bands=2, statistic=statistic)
        assert ax.collections[0].get_array().tolist() == wanted
    assert plots.plot_cell_bands(values, bands=9).collections[0].get_array().shape == (4, 2)


def test_rig_is_a_cumulative_distribution_with_pif_marked():
    rig = CIG.sum(axis=1)
    ax = plots.plot_rig(rig, pif=3.1782682121, n=95)
    curve, pif, share = ax.lines
    assert curve.get_xdata()[1:].tolist() == sorted(rig)
    np.testing.assert_allclose(curve.get_ydata()[1:], np.arange(1, 8) / 7)
    assert pif.get_xdata()[0] == 3.1782682121 and share.get_ydata()[0] == 0.95
    assert legend(ax) == ["PIF$_{95}$ = 3.18 bits"]


def test_riskiest_rows_are_stacked_by_feature_and_named_by_position():
    ax = plots.plot_riskiest_rows(CIG.set_axis(list("tuvwxyz")), top=3)
    assert said(ax.get_yticklabels()) == ["0", "6", "4"] and legend(ax) == list(TABLE)
    assert widths(ax.containers[1]) == CIG["name"].iloc[[0, 6, 4]].tolist()
    ends = [bar.get_x() + bar.get_width() for bar in ax.containers[-1]]
    np.testing.assert_allclose(ends, CIG.sum(axis=1).iloc[[0, 6, 4]])
    many = plots.plot_riskiest_rows(WIDE, top=1)
    assert len(many.containers) == 8 and legend(many)[-1] == "34 others"
    assert sum(widths(many.patches)) == pytest.approx(WIDE.sum(axis=1).max())


def test_each_cell_lies_under_the_bound_of_pinsker():
    ax = plots.plot_cig_csf(CIG, CSF)
    gain, bound = ax.lines[-1].get_data()
    np.testing.assert_allclose(bound, np.minimum(1, np.sqrt(gain * np.log(2) / 2)))
    assert legend(ax) == [*TABLE, "Pinsker's bound"]
    drawn = {tuple(point) for point in ax.collections[0].get_offsets().round(3)}
    cells = zip(CIG.to_numpy().round(3).flat, CSF.to_numpy().round(3).flat, strict=True)
    assert drawn == {*cells}


def test_gain_terms_add_up():
    ax = plots.plot_gain_terms(TERMS)
    steps, total = ax.containers
    assert widths(steps) == TERMS["term_bits"].tolist()
    assert [bar.get_x() for bar in steps] == [0, pytest.approx(0.4036)]
    assert widths(total) == [pytest.approx(TERMS["term_bits"].sum())]
    assert said(ax.texts) == ["+0.40", "−0.26", "0.15"]
    assert said(ax.get_yticklabels()) == ["blue  0.29 → 0.5", "green  0.71 → 0.5", "CIG"]


def test_treatments_fill_those_that_none_beats_and_name_all_of_thirty():
    rng = np.random.default_rng(3)
    columns = {"risk": [3, 2, 2.5], "utility": [1, 0.8, 0.7]}
    ax = plots.plot_treatments(pd.DataFrame(columns, ["none", "drop job", "worse"]))
    filled = (ax.collections[0].get_facecolor()[:, :3] != 1).any(axis=1)
    assert filled.tolist() == [True, True, False]
    columns = {"risk": rng.gamma(4, 4, 30), "utility": rng.beta(5, 2, 30)}
    names = [f"drop {i} and bin by {i}" for i in range(30)]
    assert len(plots.plot_treatments(pd.DataFrame(columns, names)).texts) >= 27


def test_infinite_numbers_are_drawn_at_the_edge_and_counted():
    odd = pd.DataFrame({"a": [1, np.inf, 2], "b": [0.5, 0.4, np.inf]})
    for ax in (
        plots.plot_cell_bands(odd),
        plots.plot_rig(odd.sum(axis=1), pif=np.inf, n=95),
        plots.plot_riskiest_rows(odd),
        plots.plot_cig_csf(odd, odd.clip(upper=1)),
        plots.plot_gain_terms(TERMS.assign(term_bits=[np.inf, -0.2])),
        plots.plot_treatments(odd.set_axis(["risk", "utility"], axis=1)),
    ):
        assert "infinite, drawn at the edge" in ax.get_xlabel()


# Disclosure, uniqueness, anonymisation


def test_the_area_between_is_the_ordered_distance():
    pay = pd.DataFrame({"a": [1 / 3] * 3 + [0] * 6, "everyone": 1 / 9}, range(3, 12))
    ax = plots.plot_cumulative(pay, unit="thousands")
    a, everyone = (line.get_ydata()[:-1] for line in ax.lines)
    assert np.abs(a - everyone).sum() / 8 == pytest.approx(0.375)


def test_verdicts_and_implications_mark_what_is_broken_and_included():
    models = ["k", "t"]
    kept = pd.DataFrame([[True, False], [False, True]], ["A", "B"], models)
    ax = plots.plot_verdicts(NUMBERS, kept)
    assert said(ax.texts) == ["2", "✗ ∞", "✗ none", "0.25"]
    witnesses = pd.DataFrame([[None, "A"], [None, None]], models, models)
    texts = plots.plot_implications(witnesses).texts
    assert [(text.get_text(), text.get_position()) for text in texts if text.get_text()] == [
        ("A", (1.5, 0.5)),
        ("⇒", (0.5, 1.5)),
    ]


def test_a_lattice_rings_the_least_loss_and_numbers_what_was_looked_at():
    nodes = pd.DataFrame({"satisfied": [False, False, True, True]}, LEVELS)
    nodes["loss"], nodes["order"] = [0, 0.2, 0.4, 1], [1, np.nan, 2, np.nan]
    nodes["settled"] = [1, 2, 2, np.nan]
    ax = plots.plot_lattice(nodes)
    assert ax.collections[-1].get_offsets().tolist() == [[-0.5, 1]]
    assert said(ax.texts)[:3] == ["0 0", "0.00", "1"] and said(ax.texts).count("2") == 1
    assert legend(ax) == ["enough company", "too little", "settled: too little", "least loss"]


def test_regions_are_drawn_with_their_cuts():
    ax = plots.plot_regions(REGIONS, POINTS)
    assert len(ax.patches) == 2 and said(ax.texts) == ["2"]
    cut = ax.collections[1].get_segments()[0]
    np.testing.assert_allclose(cut, [[18.5, 9.64], [18.5, 40.36]])


# Differential privacy


def test_the_log_ratio_beyond_the_band_has_another_colour():
    ax = plots.plot_log_ratio(pd.Series([1.0, 0.2, -1.0]), 0.5)
    inside, outside = ax.lines[:2]
    assert np.isnan(inside.get_ydata()).tolist() == [True, False, True]
    assert outside.get_color() == VERMILLION and legend(ax)[1:] == ["outside ±ε", "±ε = ±0.5"]


def test_audits_show_proof_claim_and_truth():
    table = pd.DataFrame({"epsilon": 1.0, "epsilon_lower": [0.9, 5]}, ["kept", "broken"])
    table["verdict"], table["true_epsilon"] = ["no violation found", "violation"], [1, np.inf]
    ax = plots.plot_audits(table)
    assert widths(ax.patches) == [0.9, 5] and colours(ax.patches) == [BLUE, VERMILLION]
    claim, truth, infinite = (line.get_xdata().tolist() for line in ax.lines)
    assert claim == [1, 1] and truth == [1] and infinite == [5.5]


# Labels, and what is refused


@pytest.mark.parametrize(
    "label", [None, "", "_hidden", "$5 and $6", "a\nb", ("x", None), "x" * 300]
)
def test_any_label_can_be_drawn(label):
    values = pd.DataFrame([[0.5, 0.2]] * 2)
    values.columns = values.index = pd.Index([label, label], tupleize_cols=False)
    for ax in (
        plots.plot_cells(values, cells=values.astype(object).where(values > 1, None)),
        plots.plot_posteriors(values),
        plots.plot_classes(values),
        plots.plot_cig_csf(values, values),
        plots.plot_records(values),
        plots.plot_treatments(values.set_axis(["risk", "utility"], axis=1)),
    ):
        ax.figure.canvas.draw()
        assert not any("$5 and" in text.replace(r"\$", "") for text in said(ax.texts))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.plot_prior(PRIOR * 7), "distribution must hold probabilities"),
        (lambda: plots.plot_prior(PRIOR[:0]), "and at least one"),
        (lambda: plots.plot_cells(CIG, cells=CIG.head(2)), r"cells .* \(7, 3\), not \(2, 3\)"),
        (lambda: plots.plot_cells(pd.concat([CIG] * 20)), "1 to 100 records; .* got 140"),
        (lambda: plots.plot_cell_bands(CIG, statistic="median"), "'mean' or 'largest'"),
        (lambda: plots.plot_class_sizes(pd.Series([0, 2])), "at least 1"),
        (lambda: plots.plot_implications(CIG), "the same models as rows and as columns"),
        (lambda: plots.plot_densities(pd.Series([1.0]), 0), "positive and finite"),
    ],
)
def test_what_would_draw_something_wrong_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("room", "package"), [("plots", "matplotlib"), ("widgets", "ipywidgets")]
)
def test_without_the_extra_a_room_says_how_to_get_it(room, package):
    code = f"import sys; sys.modules[{package!r}] = None; from toolkit import {room}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: toolkit.{room} needs {package}, which is not"), last
    assert "python3 dev.py install lab" in last
