"""Plots: what is drawn (artists, not pixels), what fits, what awkward labels become."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from matplotlib.figure import Figure

from tests.needs import examples
from toolkit.datasets import load_cig_toy
from toolkit.information.pif import cell_information_gain
from toolkit.plots import (
    information as plots,
    plot_cell_bands,
    plot_cells,
    plot_cig_csf,
    plot_gain_terms,
    plot_posteriors,
    plot_prior,
    plot_rig,
    plot_riskiest_rows,
    plot_treatments,
    value_label,
)

TABLE = load_cig_toy()
FEATURES = list(TABLE)
CIG = cell_information_gain(TABLE)
BOUND = np.minimum(1, np.sqrt(CIG * np.log(2) / 2))
CSF = BOUND / 2
PRIOR = pd.Series({"blue": 2 / 7, "green": 5 / 7}, name="eye_color")
POSTERIORS = pd.DataFrame(
    {"blue": [1, 0.5], "green": [0, 0.5]}, pd.Index(["Anton", "Emil"], name="name")
)
TERMS = pd.DataFrame(
    {"prior": [2 / 7, 5 / 7], "posterior": [0.5, 0.5], "term_bits": [0.4036, -0.2573]},
    ["blue", "green"],
)
TREATMENTS = pd.DataFrame(
    {"risk": [31.5, 20.6, 25.0], "utility": [1, 0.8, 0.7]}, ["none", "drop job", "worse"]
)

EACH_PLOT = {
    "prior": lambda **kws: plot_prior(PRIOR, **kws),
    "posteriors": lambda **kws: plot_posteriors(POSTERIORS, **kws),
    "cells": lambda **kws: plot_cells(CIG, **kws),
    "cell_bands": lambda **kws: plot_cell_bands(CIG, **kws),
    "rig": lambda **kws: plot_rig(CIG.sum(axis=1), **kws),
    "riskiest_rows": lambda **kws: plot_riskiest_rows(CIG, **kws),
    "cig_csf": lambda **kws: plot_cig_csf(CIG, CSF, **kws),
    "gain_terms": lambda **kws: plot_gain_terms(TERMS, **kws),
    "treatments": lambda **kws: plot_treatments(TREATMENTS, **kws),
}
FOR_EACH_PLOT = pytest.mark.parametrize("plot", EACH_PLOT.values(), ids=EACH_PLOT)
RNG = np.random.default_rng(20)
LONG_NAMES = [f"a rather long name of a feature, number {i}" for i in range(41)]
WIDE = pd.DataFrame(RNG.gamma(1, 1, (30, 41)), columns=LONG_NAMES)


def said(texts):
    return [text.get_text() for text in texts if text.get_text()]


def legend(ax):
    return said(ax.get_legend().get_texts())


def lengths(bars):
    return [bar.get_width() for bar in bars]


def shown(ax, numbers):
    """Rendered boxes of texts, after checking that they lie on the figure."""
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in numbers if text.get_text()]


def overlaps(boxes):
    return sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


# ---------------------------------------------------------------- laws of every plot


@FOR_EACH_PLOT
def test_both_axes_are_named_or_hold_names(plot):
    ax = plot()
    for axis in (ax.xaxis, ax.yaxis):
        names = any(not name[:1].isdigit() for name in said(axis.get_ticklabels()))
        assert axis.get_label_text() or names


@FOR_EACH_PLOT
def test_labels_stay_apart_and_on_the_figure(plot):
    ax = plot()
    for texts in (ax.get_yticklabels(), ax.texts):
        assert overlaps(shown(ax, texts)) == 0
    box = ax.get_tightbbox()
    width, height = ax.figure.canvas.get_width_height()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


# ---------------------------------------------------------------- each plot


def test_prior_draws_probabilities_in_order():
    ax = plot_prior(PRIOR)
    assert lengths(ax.patches) == PRIOR.tolist()
    assert said(ax.get_yticklabels()) == ["blue", "green"]
    assert said(ax.texts) == ["0.29", "0.71"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("eye_color", "Probability")
    assert ax.yaxis_inverted(), "the first value is on top"


def test_prior_sums_what_is_too_much_for_bars():
    many = pd.Series(np.r_[0.3, 0.2, np.full(998, 0.5 / 998)])
    ax = plot_prior(many.iloc[::-1])
    assert len(ax.patches) == 20 and sum(lengths(ax.patches)) == pytest.approx(1)
    labels = said(ax.get_yticklabels())
    assert labels[-3:] == ["1", "0", "981 others"], "the likeliest stay, in their order"


def test_posteriors_group_the_contexts_by_value_and_outline_the_prior():
    ax = plot_posteriors(POSTERIORS, prior=PRIOR)
    anton, emil, prior = ax.containers
    assert lengths(anton) == [1, 0] and lengths(emil) == [0.5, 0.5]
    assert lengths(prior) == PRIOR.tolist() and not any(bar.get_fill() for bar in prior)
    assert legend(ax) == ["Anton", "Emil", "prior"]
    assert ax.get_legend().get_title().get_text() == "name"


def test_posteriors_find_the_prior_of_each_value_by_its_name():
    ax = plot_posteriors(POSTERIORS, prior=PRIOR.iloc[::-1])
    assert lengths(ax.containers[-1]) == PRIOR.tolist()


def test_posteriors_of_sixteen_contexts_all_look_different():
    beliefs = pd.DataFrame(RNG.dirichlet(np.ones(5), 16))
    ax = plot_posteriors(beliefs)
    looks = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in ax.containers}
    assert len(looks) == 16


def test_cells_write_number_and_value_in_readable_ink():
    ax = plot_cells(CIG, cells=TABLE)
    drawn = ax.collections[0]
    np.testing.assert_array_equal(drawn.get_array(), CIG)
    assert said(ax.texts)[:4] == ["0.22", "male", "1.31", "Anton"]
    for text in ax.texts:
        column, row = text.get_position()
        shade = drawn.to_rgba(CIG.iloc[int(row), int(column)])[:3]
        paper, ink = np.dot(shade, [0.3, 0.59, 0.11]), float(text.get_color() == "black")
        assert abs(paper - (1 - ink)) > 0.45
    assert said(ax.get_xticklabels()) == FEATURES
    assert ax.figure.axes[1].get_ylabel() == "bits"


def test_cells_share_a_scale_on_request():
    for values in (CIG, CIG / 2):
        assert plot_cells(values, vmax=3).collections[0].get_clim() == (0, 3)
    assert plot_cells(CIG * 0).collections[0].get_clim() == (0, 1)


def test_cells_too_small_for_numbers_go_without_until_the_figure_is_enlarged():
    assert said(plot_cells(WIDE).texts) == []
    ax = Figure(figsize=(30, 12)).subplots()
    assert len(said(plot_cells(WIDE, ax=ax).texts)) == WIDE.size


def test_cells_show_missing_infinite_and_tiny_numbers():
    odd = pd.DataFrame({"a": [np.nan, np.inf, 0.0], "b": [0.000288597, -1e-17, 3.0]})
    ax = plot_cells(odd, unit="probability")
    assert said(ax.texts) == ["missing", "0.0003", "∞", "0.00", "0.00", "3.00"]
    assert ax.get_xlabel() == "1 infinite, drawn at the edge"


def test_cell_bands_average_sorted_records():
    values = pd.DataFrame({"a": [0.0, 4, 1, 3], "b": [0.0, 4, 1, 1]})
    mesh = plot_cell_bands(values, bands=2).collections[0]
    np.testing.assert_allclose(mesh.get_array(), [[3.5, 2.5], [0.5, 0.5]])
    assert plot_cell_bands(values, bands=9).collections[0].get_array().shape == (4, 2)


def test_cell_bands_weigh_every_record_once():
    values = pd.DataFrame(RNG.gamma(1, 1, (1003, 3)))
    mesh = plot_cell_bands(values, bands=100).collections[0]
    heights = np.diff(np.asarray(mesh.get_coordinates())[:, 0, 1])
    np.testing.assert_allclose(heights @ np.asarray(mesh.get_array()), values.mean())


def test_rig_is_a_cumulative_distribution_with_pif_marked():
    rig = CIG.sum(axis=1)
    ax = plot_rig(rig, pif=3.1782682121, n=95)
    curve, pif, share = ax.lines
    assert curve.get_xdata()[1:].tolist() == sorted(rig)
    np.testing.assert_allclose(curve.get_ydata()[1:], np.arange(1, 8) / 7)
    assert pif.get_xdata()[0] == 3.1782682121 and share.get_ydata()[0] == 0.95
    assert legend(ax) == ["PIF$_{95}$ = 3.18 bits"]
    assert legend(plot_rig(rig, pif=1.0)) == ["PIF = 1.00 bits"]


def test_rig_of_a_million_records_is_thinned_but_true():
    rig = pd.Series(RNG.gamma(3, 3, 1_000_000))
    curve = plot_rig(rig).lines[0]
    x, y = curve.get_xdata()[1:], curve.get_ydata()[1:]
    assert len(x) == 5_000 and (x[0], x[-1]) == (rig.min(), rig.max())
    exact = np.searchsorted(np.sort(rig), x, side="right") / len(rig)
    assert np.abs(y - exact).max() < 0.0003


def test_riskiest_rows_are_stacked_by_feature_and_named_by_position():
    ax = plot_riskiest_rows(CIG.set_axis(list("tuvwxyz")), top=3)
    assert said(ax.get_yticklabels()) == ["0", "6", "4"]
    assert lengths(ax.containers[1]) == CIG["name"].iloc[[0, 6, 4]].tolist()
    ends = [bar.get_x() + bar.get_width() for bar in ax.containers[-1]]
    np.testing.assert_allclose(ends, CIG.sum(axis=1).iloc[[0, 6, 4]])
    assert legend(ax) == FEATURES


def test_riskiest_rows_of_many_features_keep_their_sums():
    ax = plot_riskiest_rows(WIDE, top=1)
    assert len(ax.containers) == 8 and legend(ax)[-1] == "34 others"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(WIDE.sum(axis=1).max())


def test_cig_csf_lies_under_the_bound_of_pinsker():
    ax = plot_cig_csf(CIG, CSF)
    gain, bound = ax.lines[0].get_data()
    np.testing.assert_allclose(bound, np.minimum(1, np.sqrt(gain * np.log(2) / 2)))
    assert legend(ax) == [*FEATURES, "Pinsker's bound"]
    for points, feature in zip(ax.collections, FEATURES, strict=False):
        np.testing.assert_array_equal(
            points.get_offsets(), np.column_stack([CIG[feature], CSF[feature]])
        )


def test_features_are_told_apart_without_colour():
    eight = WIDE.iloc[:, :8]
    ax = plot_cig_csf(eight, eight / eight.max().max())
    marks = ax.collections[-8:]  # the first is the region beyond the bound
    assert len({points.get_paths()[0].vertices.tobytes() for points in marks}) == 8


def test_posteriors_with_sizes_are_one_bar_per_context_the_prior_last():
    sizes = pd.Series([1, 2], POSTERIORS.index)
    ax = plot_posteriors(POSTERIORS, prior=PRIOR, sizes=sizes)
    assert said(ax.get_yticklabels()) == ["Anton (n = 1)", "Emil (n = 2)", "prior"]
    blue, green = ax.containers
    assert lengths(blue) == [1, 0.5, pytest.approx(2 / 7)]
    assert [bar.get_x() for bar in green] == lengths(blue), "bars of a context touch"
    with pytest.raises(ValueError, match="one number for each of the 2 contexts; got 1"):
        plot_posteriors(POSTERIORS, sizes=sizes.head(1))


def test_a_band_can_show_its_largest_cell():
    values = pd.DataFrame({"a": [0, 4, 1, 1], "b": [0, 0, 1, 2]})
    mesh = plot_cell_bands(values, bands=2, statistic="largest").collections[0]
    assert mesh.get_array().tolist() == [[4, 2], [1, 1]]
    with pytest.raises(ValueError, match="'mean' or 'largest'; got 'median'"):
        plot_cell_bands(values, statistic="median")


def test_riskiest_records_are_named_by_what_gives_them_away():
    ax = plot_riskiest_rows(CIG, top=2, cells=TABLE)
    names = ["0: eye_color blue, name Anton", "6: name Charlie, gender female"]
    assert said(ax.get_yticklabels()) == names


def test_a_feature_keeps_its_colour_when_others_are_dropped():
    whole = plot_cig_csf(CIG, CSF)
    less = plot_cig_csf(CIG[["eye_color"]], CSF[["eye_color"]], features=FEATURES)
    colours = [points.get_facecolor()[0].tolist() for points in whole.collections[:3]]
    assert less.collections[0].get_facecolor()[0].tolist() == colours[2]
    with pytest.raises(ValueError, match="features must name"):
        plot_cig_csf(CIG, CSF, features=["gender"])


def test_marks_grow_with_the_cells_they_stand_for():
    gains = pd.DataFrame({"a": np.repeat([1.0, 3.0], [6_000, 10])})
    few, many = np.sort(plot_cig_csf(gains, gains / 10).collections[0].get_sizes())
    assert many > few


def test_gain_terms_add_up():
    ax = plot_gain_terms(TERMS)
    steps, total = ax.containers
    assert lengths(steps) == TERMS["term_bits"].tolist()
    assert [bar.get_x() for bar in steps] == [0, pytest.approx(0.4036)]
    assert lengths(total) == [pytest.approx(TERMS["term_bits"].sum())]
    assert said(ax.texts) == ["+0.40", "−0.26", "0.15"]
    assert said(ax.get_yticklabels()) == ["blue  0.29 → 0.5", "green  0.71 → 0.5", "CIG"]


def test_gain_terms_of_many_values_spare_the_zeros():
    terms = pd.DataFrame({"prior": 1e-3, "posterior": 0.0, "term_bits": 0.0}, range(1000))
    terms.loc[7] = [1e-3, 1.0, 9.97]
    labels = said(plot_gain_terms(terms).get_yticklabels())
    assert labels == ["7  0.001 → 1", "999 others  1 → 0", "CIG"]


def test_treatments_fill_those_that_none_beats():
    ax = plot_treatments(TREATMENTS, unit="bits, mean RIG")
    filled = (ax.collections[0].get_facecolor()[:, :3] != 1).any(axis=1)
    assert filled.tolist() == [True, True, False]
    assert said(ax.texts) == ["none", "drop job", "worse"]
    assert ax.get_xlabel() == "Risk (bits, mean RIG), smaller is safer"


def test_thirty_treatments_keep_their_names_apart():
    names = [
        f"drop {what} and bin by {i}" for i, what in enumerate(["job", "age", "town"] * 10)
    ]
    columns = {"risk": RNG.gamma(4, 4, 30), "utility": RNG.beta(5, 2, 30)}
    ax = plot_treatments(pd.DataFrame(columns, names))
    boxes = shown(ax, [])
    renderer = ax.figure.canvas.get_renderer()
    boxes = [super(type(note), note).get_window_extent(renderer) for note in ax.texts]
    assert len(boxes) >= 28 and overlaps(boxes) == 0


# ---------------------------------------------------------------- awkward and large


@pytest.mark.parametrize(
    "label",
    [None, np.nan, pd.NA, pd.NaT, "", "_hidden", "$5 and $6", "a\nb", ("x", None), True, 3.5]
    + [pd.Interval(0, 10, "left"), pd.Timestamp("2020-01-01"), "x" * 300],
    ids=repr,
)
def test_any_label_can_be_drawn(label):
    values = pd.DataFrame([[0.5, 0.2]] * 2)
    values.columns = pd.Index([label, label], tupleize_cols=False)
    values.index = pd.Index([label, label], tupleize_cols=False)
    for ax in (
        plot_cells(values, cells=values.astype(object).where(values > 1, None)),
        plot_cell_bands(values),
        plot_posteriors(values, prior=values.iloc[0]),
        plot_riskiest_rows(values),
        plot_cig_csf(values, values),
        plot_prior(values.iloc[0]),
        plot_treatments(values.set_axis(["risk", "utility"], axis=1)),
    ):
        ax.figure.canvas.draw()
        assert ax.get_children() and ax.get_xlabel() + ax.get_ylabel(), "drawn and labelled"
        plt.close(ax.figure)


def test_labels_are_short_plain_and_name_what_is_missing():
    labels = [None, pd.NaT, True, 2.0, 2**53 + 1, 1e-20, "$5 to $6", pd.Interval(0.0, 1.5)]
    assert [value_label(label) for label in labels] == [
        *["missing", "missing", "True", "2", "9007199254740993", "1e-20", "$5 to $6"],
        "(0, 1.5]",
    ]
    assert value_label(2620001.0) == "2620001.0", "six digits would change the value"
    assert len(value_label("y" * 99, 10)) == 10
    alike = [value_label(f"information technology consultant {i}") for i in range(20)]
    assert len(set(alike)) == 20, "the end of a long name tells it from others"


@pytest.mark.parametrize("plot", [plot_cells, plot_cell_bands, plot_riskiest_rows])
def test_forty_one_features_have_readable_names(plot):
    ax = plot(WIDE)
    assert overlaps(shown(ax, ax.get_xticklabels())) == 0 or plot is plot_riskiest_rows
    assert overlaps(shown(ax, ax.get_yticklabels())) == 0


def test_infinite_numbers_are_drawn_at_the_edge_and_counted():
    odd = pd.DataFrame({"a": [1, np.inf, 2], "b": [0.5, 0.4, np.inf]})
    terms = TERMS.assign(term_bits=[np.inf, -0.2])
    for ax in (
        plot_cells(odd),
        plot_cell_bands(odd),
        plot_rig(odd.sum(axis=1), pif=np.inf, n=95),
        plot_riskiest_rows(odd),
        plot_cig_csf(odd, odd.clip(upper=1)),
        plot_gain_terms(terms),
        plot_treatments(TREATMENTS.assign(risk=[np.inf, 2, 3])),
    ):
        assert "infinite, drawn at the edge" in ax.get_xlabel()
        ax.figure.canvas.draw()
    assert "∞" in said(plot_gain_terms(terms).texts)


def test_a_table_of_one_cell():
    one = pd.DataFrame({"only": [0.0]})
    for ax in (
        *(plot_cells(one), plot_cell_bands(one), plot_riskiest_rows(one)),
        *(plot_rig(one["only"], pif=0.0, n=95), plot_cig_csf(one, one)),
        *(plot_prior(one["only"] + 1), plot_posteriors(one + 1, prior=one.iloc[0] + 1)),
        plot_treatments(pd.DataFrame({"risk": [0.0], "utility": [1.0]})),
        plot_gain_terms(pd.DataFrame({"prior": [1], "posterior": [1], "term_bits": [0.0]})),
    ):
        ax.figure.canvas.draw()
        assert ax.collections or ax.patches or ax.lines, "something is drawn"


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=examples(25))
@given(seed=st.integers(0, 999), n=st.integers(1, 40), m=st.integers(1, 12))
def test_any_shape_can_be_drawn(seed, n, m):
    rng = np.random.default_rng(seed)
    cig = pd.DataFrame(rng.gamma(1, 1, (n, m)), columns=list("aabbccddeeff")[:m])
    csf = cig.clip(upper=1) / 2
    for ax in (
        plot_cells(cig, cells=csf),
        plot_cell_bands(cig, bands=int(rng.integers(1, 50))),
        plot_riskiest_rows(cig, top=int(rng.integers(1, 50))),
        plot_cig_csf(cig, csf),
    ):
        assert ax.figure.axes
        plt.close(ax.figure)


@pytest.mark.parametrize("rows", [38_462, 1_000_000])
def test_large_tables_are_drawn_with_few_artists(rows):
    rng = np.random.default_rng(1)
    cig = pd.DataFrame(rng.gamma(2, 2, (rows, 6)), columns=list("abcdef"))
    csf = cig.clip(upper=1)
    for plot in (
        lambda: plot_cell_bands(cig),
        lambda: plot_rig(cig.sum(axis=1)),
        lambda: plot_riskiest_rows(cig),
        lambda: plot_cig_csf(cig, csf),
    ):
        ax = plot()
        ax.figure.canvas.draw()
        assert len(ax.get_children()) < 200
        marks = [len(points.get_offsets()) for points in ax.collections]
        assert sum(marks) <= 6 * 301**2
        plt.close(ax.figure)


def test_thinned_clouds_keep_their_outline():
    x = RNG.normal(size=50_000)
    y = RNG.normal(size=50_000)
    kept, cells = plots._one_per_spot(x, y)
    assert cells.sum() == 50_000, "each mark says how many it stands for"
    assert 1_000 < len(kept) < 50_000
    for numbers in (x, y):
        width = np.ptp(numbers) / 300
        assert abs(numbers[kept].max() - numbers.max()) <= width
        assert abs(numbers[kept].min() - numbers.min()) <= width


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: plot_prior([0.5, 0.5]),
            TypeError,
            "distribution must be a pandas Series; got",
        ),
        (lambda: plot_prior(PRIOR * 7), ValueError, r"0 to 1; got 2.*Divide counts"),
        (lambda: plot_prior(PRIOR[:0]), ValueError, r"nothing to draw: its shape is \(0,\)"),
        (lambda: plot_cells(TABLE), TypeError, "'gender' holds .*not the table itself"),
        (lambda: plot_cells(CIG.iloc[:, :0]), ValueError, "nothing to draw"),
        (lambda: plot_cells(CIG, cells=CIG.head(2)), ValueError, r"\(7, 3\); got \(2, 3\)"),
        (
            lambda: plot_cells(pd.concat([CIG] * 20)),
            ValueError,
            r"values has 140 records; at most 100 .*plot_cell_bands",
        ),
        (lambda: plot_cell_bands(CIG, bands=0), ValueError, "bands must be .*got 0"),
        (lambda: plot_cell_bands(CIG, bands=2.5), ValueError, "bands must be .*got 2.5"),
        (lambda: plot_riskiest_rows(CIG, top=0), ValueError, "top must be .*got 0"),
        (lambda: plot_rig(CIG), TypeError, "rig must be a pandas Series; got DataFrame"),
        (lambda: plot_rig(pd.Series([1, None])), ValueError, "rig has 1 missing number"),
        (
            lambda: plot_posteriors(pd.concat([POSTERIORS] * 9)),
            ValueError,
            r"posteriors has 18 contexts; at most 16 .*posteriors.head\(16\)",
        ),
        (
            lambda: plot_posteriors(POSTERIORS, prior=PRIOR.rename({"blue": "red"})),
            ValueError,
            "prior must speak of the 2 values",
        ),
        (lambda: plot_posteriors(POSTERIORS, prior=0.5), TypeError, "prior must be a pandas"),
        (lambda: plot_cig_csf(CIG, CSF.head(3)), ValueError, "csf must have the shape of cig"),
        (lambda: plot_cig_csf(CIG, CIG), ValueError, "csf must hold probabilities"),
        (lambda: plot_gain_terms(CIG), ValueError, "terms must have the columns .*term_bits"),
        (lambda: plot_treatments([1, 2]), TypeError, "treatments must be a pandas DataFrame"),
    ],
)
def test_bad_input_is_answered(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert plt.get_fignums() == [], "what is refused leaves no figure behind"


@pytest.mark.parametrize(
    ("room", "package"), [("plots", "matplotlib"), ("widgets", "ipywidgets")]
)
def test_without_the_extra_a_room_says_how_to_get_it(room, package):
    code = f"import sys; sys.modules[{package!r}] = None; from toolkit import {room}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: toolkit.{room} needs {package}, which is not"), last
    assert "python3 dev.py install lab" in last
