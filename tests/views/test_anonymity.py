"""Pictures and explorers of attacks on tables: artists, sentences, controls, bad input."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import toolkit as tk
from tests.oracles.pif import MISSING, rows_of
from tests.tables import TABLES
from toolkit import plots
from toolkit.datasets import load_adult
from toolkit.widgets import (
    attack_explorer,
    attack_figure,
    attack_summary,
    columns_explorer,
    columns_figure,
    columns_summary,
    narrowed,
)

PNG = b"\x89PNG"
OFFICE = pd.DataFrame(
    {
        "age": [35, 35, 35, 36, 39, 40],
        "job": ["judge", "judge", None, "judge", "clerk", "clerk"],
        "gain": [0, 700, 0, 700, 0, 50],
    },
    index=[9, 9, 3, 1, 0, 5],
)
ABOVE_0 = pd.Interval(0, math.inf, closed="neither")


def texts(ax):
    return [text.get_text() for text in ax.texts]


# Pictures


def test_a_column_has_its_colour_in_all_pictures(ax):
    colours = plots.column_colours(["age", "age group", "job", "gain"])
    counts = pd.Series({"everyone": 9, "age = 35": 3, "age group = x": 2, "gain > 0": 1})
    plots.plot_narrowing(counts, colours=colours, ax=ax)
    dots = [to_hex(c).upper() for one in ax.collections[-2:] for c in one.get_facecolors()]
    wanted = [colours["age"], colours["age group"], colours["gain"]]
    assert dots == ["#666666", *wanted], "no column is everyone's; a diamond has its own"
    subsets = pd.DataFrame({"size": [1, 1, 2], "share": [0.0, 0.1, 0.6]})
    curve = pd.DataFrame({"added": ["job", "age"], "share": [0.1, 0.6]})
    steps = Figure().subplots()
    plots.plot_uniqueness(subsets, curve=curve, colours=colours, ax=steps)
    marks = [line.get_color() for line in steps.lines if line.get_marker() == "D"]
    assert marks[-2:] == [colours["job"], colours["age"]]
    with pytest.raises(ValueError, match="columns must have from 1 to 12 columns"):
        plots.column_colours(range(13))


def test_dots_narrow_down_to_a_diamond(ax):
    counts = pd.Series({"everyone": 32561, "age = 35": 800, "judge": 1, "and a king": 0})
    assert plots.plot_narrowing(counts, ax=ax) is ax
    many, one = ax.collections[-2:]
    assert not ax.patches, "the length of a bar means nothing on a logarithmic axis"
    assert many.get_offsets()[:2].tolist() == [[32561, 0], [800, 1]]
    assert np.ma.is_masked(many.get_offsets()[2]) and one.get_offsets().tolist() == [[1, 2]]
    assert to_hex(many.get_facecolor()) != to_hex(one.get_facecolor())
    assert texts(ax) == ["32,561", "800", "1", "0"]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["everyone", "age = 35", "judge", "and a king"]
    assert ax.get_xscale() == "log" and ax.yaxis_inverted()
    low, high = ax.get_ylim()
    assert high < 0 and low > 3, "all bars are in sight"


def test_records_are_written_cell_by_cell(ax):
    plots.plot_records(OFFICE, marked=[False, True, *[False] * 4], ax=ax)
    rows = [list(OFFICE.columns), ["35", "judge", "0"], ["35", "judge", "700"]]
    rows += [["35", "missing", "0"], ["36", "judge", "700"], ["39", "clerk", "0"]]
    assert texts(ax) == [*itertools.chain(*rows), "40", "clerk", "50"]
    bold = [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    assert bold == ["35", "judge", "700"] and len(ax.patches) == 1
    places = np.array([text.get_position() for text in ax.texts]).reshape(7, 3, 2)
    assert (np.diff(places[:, :, 0], axis=1) > 0).all(), "columns side by side"
    assert (np.diff(places[:, :, 1], axis=0) == 1).all(), "rows one below the other"


def test_wide_cells_do_not_run_into_their_neighbours():
    fig = Figure(figsize=(5, 3))
    table = pd.DataFrame({"a": ["w" * 18], "b": [1], "c": ["Self-emp-not-inc"], "d": [2]})
    plots.plot_records(table, ax=(ax := fig.add_axes((0, 0, 1, 1))))
    fig.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts[4:]]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
    assert boxes[-1].x1 < fig.bbox.x1


def test_what_is_not_shown_is_said(ax):
    plots.plot_records(OFFICE.iloc[:0], ax=ax)
    assert texts(ax)[-1] == "nobody fits"
    long = pd.DataFrame({"a very long name of a column": ["x" * 50, 2.5]})
    other = plots.plot_records(long, more=1234, ax=Figure().subplots())
    assert texts(other) == ["a very long name …", "x" * 17 + "…", "2.5", "… and 1,234 more"]


@settings(max_examples=25)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=30))
def test_class_sizes_share_out_all_records(sizes):
    ax = plots.plot_class_sizes(pd.Series(sizes), ax=Figure().subplots())
    heights = [bar.get_height() for bar in ax.patches]
    n, alone = sum(sizes), sizes.count(1)
    assert sum(heights) == pytest.approx(1) and heights[0] == pytest.approx(alone / n)
    assert heights[2] == pytest.approx(sum(s for s in sizes if s in (3, 4)) / n)
    assert heights[-1] == pytest.approx(sum(s for s in sizes if s >= 100) / n)
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["1", "2", "3–4", "5–9", "10–19", "20–49", "50–99", "100+"]
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [True] + [False] * 7


def test_uniqueness_by_columns_known(ax):
    known = ["age", "job", "gain"]
    subsets = tk.subset_uniqueness(OFFICE, known, progress=False)
    curve = tk.uniqueness_curve(OFFICE, known, progress=False)
    plots.plot_uniqueness(subsets, curve=curve, ax=ax)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), subsets[["size", "share"]])
    average, path = ax.lines
    assert average.get_xdata().tolist() == [1, 2, 3]
    np.testing.assert_allclose(average.get_ydata(), curve["mean"])
    np.testing.assert_allclose(path.get_ydata(), curve["share"])
    assert texts(ax) == ["age", "+ job", "+ gain"]
    ax.figure.canvas.draw()
    frame = ax.get_window_extent()
    assert all(text.get_window_extent().y0 >= frame.y0 for text in ax.texts), "above the axis"
    alone = plots.plot_uniqueness(subsets, ax=Figure().subplots())
    assert len(alone.lines) == 1 and not texts(alone)


@pytest.mark.parametrize(("shares", "corner"), [([0.9, 1], 4), ([0.1, 1], 2)])
def test_the_legend_of_uniqueness_hides_no_name(ax, shares, corner):
    """In matplotlib's numbers 2 is the upper left, 4 the lower right."""
    subsets = pd.DataFrame({"size": [1, 1, 2], "share": [0.05, *shares]})
    curve = pd.DataFrame({"added": ["day", "sex"], "share": shares})
    plots.plot_uniqueness(subsets, curve=curve, ax=ax)
    assert ax.get_legend()._loc == corner
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert not any(legend.overlaps(text.get_window_extent()) for text in ax.texts)


def test_outcomes_of_a_join_are_stacked(ax):
    shares = pd.DataFrame({"one": [0.5, 0.0], "more": [0.25, 0.04], "none": [0.25, 0.96]})
    plots.plot_linkage(shares, expected=pd.Series([0.6, 0.1]), ax=ax)
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 2).T
    lefts = np.array([bar.get_x() for bar in ax.patches]).reshape(3, 2).T
    np.testing.assert_allclose(widths, shares)
    np.testing.assert_allclose(lefts, shares.cumsum(axis=1).shift(axis=1, fill_value=0))
    assert ax.collections[0].get_offsets()[:, 0].tolist() == [0.6, 0.1]
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries == ["one", "more", "none", "right guesses, expected"]
    assert [text for text in texts(ax) if text] == ["50 %", "25 %", "25 %", "96 %"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.plot_narrowing(pd.Series([])), "counts must have from 1 to 15 facts"),
        (
            lambda: plots.plot_records(pd.DataFrame({"x": range(13)})),
            "records must be at most 12 to be read; got 13",
        ),
        (lambda: plots.plot_records(OFFICE, marked=[True]), "one entry per record; got 1"),
        (lambda: plots.plot_class_sizes(pd.Series([0, 2])), "at least 1"),
        (lambda: plots.plot_class_sizes(pd.Series([], dtype=int)), "at least 1"),
        (lambda: plots.plot_uniqueness(OFFICE), "needs rows of size and share; got ['age'"),
        (lambda: plots.plot_linkage(pd.DataFrame([[0.1] * 7])), "1 to 6 outcomes"),
        (lambda: plots.plot_linkage(pd.DataFrame({"x": []})), "1 to 15 releases"),
    ],
)
def test_pictures_answer_bad_input(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


# The attack


def test_facts_narrow_by_hand():
    seen = narrowed(OFFICE, {"age": pd.Interval(35, 40, "left"), "job": "judge"}, "gain")
    assert seen.counts.to_dict() == {"everyone": 6, "age in [35, 40)": 5, "job = judge": 3}
    assert seen.records.index.tolist() == [9, 9, 1] and seen.alone.tolist() == [True, 0, 0]
    more = narrowed(OFFICE, {"age": 35, "gain": ABOVE_0}, "gain")
    assert more.counts.to_dict() == {"everyone": 6, "age = 35": 3, "gain > 0": 1}
    assert more.records["gain"].tolist() == [700] and more.alone.tolist() == [True]
    assert narrowed(OFFICE, {"job": None}, "gain").records.index.tolist() == [3]
    assert narrowed(OFFICE, {"job": np.nan}, "gain").counts.index[1] == "job = missing"
    assert narrowed(OFFICE, {}, "gain").records.equals(OFFICE)
    asked = narrowed(OFFICE, {"age": 35.0, "gain": 1234567.5}, "job").counts.index
    assert asked[1:].tolist() == ["age = 35", "gain = 1234567.5"]
    nobody = narrowed(OFFICE, {"age": 35, "job": "clerk"}, "gain")
    assert nobody.records.empty and nobody.alone.empty


@pytest.mark.parametrize(
    ("closed", "ages"),
    [("left", {35, 36, 39}), ("right", {36, 39, 40}), ("both", {35, 36, 39, 40})],
)
def test_intervals_keep_their_ends(closed, ages):
    seen = narrowed(OFFICE, {"age": pd.Interval(35, 40, closed=closed)}, "gain")
    assert set(seen.records["age"]) == ages


def test_binned_columns_and_intervals_mean_the_same():
    binned = OFFICE.assign(age=pd.cut(OFFICE["age"], [30, 35, 40]))
    for interval in binned["age"].cat.categories:
        one, other = (narrowed(data, {"age": interval}, "gain") for data in (binned, OFFICE))
        assert one.counts.equals(other.counts) and len(one.records) == 3
    nullable = OFFICE.assign(age=OFFICE["age"].astype("Int64").where(OFFICE["gain"] == 0))
    seen = narrowed(nullable, {"age": pd.Interval(30, 36)}, "gain")
    assert len(seen.records) == 2, "what is missing lies in no interval"


@given(data=TABLES, row=st.integers(0, 11))
def test_narrowing_against_loops(data, row):
    data = data.set_axis(range(data.shape[1]), axis=1)
    rows, hidden = rows_of(data), data.shape[1] - 1
    own = rows[row % len(data)]
    facts = {j: None if own[j] is MISSING else own[j] for j in range(hidden)}
    seen = narrowed(data, facts, hidden)
    left = [[r for r in rows if r[:j] == own[:j]] for j in range(hidden + 1)]
    assert seen.counts.tolist() == [len(some) for some in left]
    assert rows_of(seen.records) == left[-1]
    values = [r[-1] for r in left[-1]]
    assert seen.alone.tolist() == [values.count(value) == 1 for value in values]


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"age": 70},
            "<b>None of 6 records fits:</b> these facts describe nobody in the table.",
        ),
        (
            {"job": None},
            "<b>1 of 6 records fits:</b> the person is found, if in the table."
            " gain = <b>0</b>.",
        ),
        (
            {"age": 35},
            "<b>3 of 6 records fit:</b> a guess is right with probability 1/3 = 33 %."
            " <b>1 of them (33 %)</b> has a value of gain that no"
            " other record here has.",
        ),
        (
            {"job": "clerk"},
            "<b>2 of 6 records fit:</b> a guess is right with probability 1/2 = 50 %."
            " <b>2 of them (100 %)</b> have a value of gain that no"
            " other record here has.",
        ),
    ],
)
def test_the_attack_in_words(facts, sentence):
    assert attack_summary(narrowed(OFFICE, facts, "gain"), "gain") == sentence


def test_the_figure_shows_whose_value_is_unique_first():
    seen = narrowed(OFFICE, {"age": 35}, "gain")
    left, right = attack_figure(seen, ["job", "gain"]).axes
    assert texts(left) == ["6", "3"]
    assert texts(right) == ["job", "gain", "judge", "700", "judge", "0", "missing", "0"]
    bold = [text.get_text() for text in right.texts if text.get_fontweight() == "bold"]
    assert bold == ["judge", "700"]
    many = pd.DataFrame({"x": [0] * 20 + [1]})
    assert texts(attack_figure(narrowed(many, {}, "x"), ["x"]).axes[1])[-1] == "… and 9 more"
    assert (
        texts(attack_figure(narrowed(many, {"x": 7}, "x"), "x").axes[1])[-1] == "nobody fits"
    )


def test_every_control_of_the_attack_moves_figure_and_sentence():
    box = attack_explorer(OFFICE, ["job"], "gain", number="age")
    assert list(box.controls) == ["age", "width", "job", "positive"]
    assert "6 of 6 records fit" in box.summary.value
    moves = {"age": 36, "width": 5, "job": "judge", "positive": True}
    fits = {"age": "6 of 6", "width": "5 of 6", "job": "3 of 6", "positive": "2 of 6"}
    for name, value in moves.items():
        image = bytes(box.image.value)
        box.controls[name].value = value
        assert f"<b>{fits[name]} records fit" in box.summary.value, name
        changed = bytes(box.image.value)
        assert changed.startswith(PNG) and (changed != image) == (name != "age")
    box.controls["age"].value = 40
    assert "None of 6" in box.summary.value
    box.controls["job"].value = "missing"
    box.controls["width"].value = 0
    assert "None of 6" in box.summary.value, "whose job is missing has no gain"
    box.controls["positive"].value = False
    assert "the person is found, if in the table. gain = <b>0</b>" in box.summary.value


@pytest.mark.parametrize("width", [2, 5, 10, 20])
def test_the_width_is_that_of_bin_column(width):
    adult = load_adult()
    box = attack_explorer(adult, ["sex"], "capital-gain", number="age")
    box.controls["width"].value = width
    binned = tk.bin_column(adult, "age", width)["age"]
    for age in (17, 35, 40, 90):
        box.controls["age"].value = age
        crowd = int((binned == binned[adult["age"] == age].iloc[0]).sum())
        assert f"<b>{crowd:,} of 32,561 records fit" in box.summary.value


def test_the_attack_without_numbers():
    words = OFFICE.assign(gain=list("abcabc"))
    box = attack_explorer(words, ["job"], "gain")
    assert list(box.controls) == ["job"]
    assert list(box.controls["job"].options) == ["not known", "clerk", "judge", "missing"]


def test_odd_tables_have_an_explorer_too():
    data = pd.DataFrame([[1, "not known", "<b>"], ["1", "x", "<b>"]], columns=["w", "w", "w"])
    box = attack_explorer(data, [0, 1], 2)
    first, second = box.controls.values()
    assert list(first.options) == ["not known", "1", "1 #1"], "1 and '1' are two values"
    assert list(second.options) == ["not known", "not known #0", "x"]
    second.value = "not known #0"
    assert "&lt;b&gt;" in box.summary.value and "<b><b>" not in box.summary.value
    clash = OFFICE.set_axis(["width", "positive", "x"], axis=1)
    assert list(attack_explorer(clash, [1], 2, number=0).controls)[1] == "width"
    assert len(attack_explorer(clash, [1], 2, number=0).controls) == 4


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: narrowed(OFFICE, {"town": 1}, "gain"),
            ValueError,
            "facts: there is no column",
        ),
        (lambda: narrowed(OFFICE, {}, "town"), ValueError, "sensitive: there is no column"),
        (lambda: narrowed(OFFICE.iloc[:0], {}, "gain"), ValueError, "data has no rows"),
        (lambda: narrowed([1], {}, "gain"), TypeError, "data must be a pandas DataFrame"),
        (
            lambda: attack_explorer(pd.DataFrame({"x": range(201)}), ["x"], "x"),
            ValueError,
            "column 'x' has 201 values, too many for a menu of 200",
        ),
        (
            lambda: attack_explorer(OFFICE, ["age"], "gain", number="job"),
            TypeError,
            "column 'job' must hold numbers",
        ),
        (lambda: attack_explorer(OFFICE, ["town"], "gain"), ValueError, "known: there is no"),
        (
            lambda: columns_explorer(OFFICE, ["town"]),
            ValueError,
            "columns: there is no column",
        ),
        (
            lambda: columns_explorer(OFFICE, ["age"], known=["x"]),
            ValueError,
            "known: there is no column 'x'",
        ),
        (
            lambda: columns_explorer(OFFICE, ["age"], known=["job"]),
            ValueError,
            "known must be some of the columns ['age']; got ['job']",
        ),
    ],
)
def test_explorers_answer_bad_input(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


# Columns


def test_columns_in_words():
    assert columns_summary(OFFICE, ["age", "job"]) == (
        "Known: age, job. <b>4 of 6 records (67 %) are alone</b>; k = 1. An attacker"
        " who knows this about everyone names <b>5</b> records rightly on average (83 %),"
        " one of each class."
    )
    assert "Known: nothing. <b>0 of 6 records (0 %) are alone</b>; k = 6." in columns_summary(
        OFFICE, []
    )


@settings(max_examples=15)
@given(TABLES)
def test_one_record_of_each_class_is_named_on_average(data):
    data = data.set_axis(list("abcd")[: data.shape[1]], axis=1)
    known = list(data)[:2]
    risk, sizes = tk.reidentification_risk(data, known), tk.class_sizes(data, known)
    assert f"names <b>{len(sizes)}</b> records" in columns_summary(data, known)
    assert risk.prosecutor_average == pytest.approx(len(sizes) / len(data))
    right = columns_figure(data, known).axes[1]
    shares = [bar.get_width() for bar in right.patches]
    unique = tk.unique_share(data, known)
    assert shares == pytest.approx([unique, len(sizes) / len(data)])


def test_every_tick_moves_figure_and_sentence():
    box = columns_explorer(OFFICE, ["age", "job", "gain"], known=["age"])
    assert [control.value for control in box.controls.values()] == [True, False, False]
    assert "Known: age. <b>3 of 6" in box.summary.value
    for name, value in {"job": True, "gain": True, "age": False}.items():
        text, image = box.summary.value, bytes(box.image.value)
        box.controls[name].value = value
        assert box.summary.value != text and bytes(box.image.value) != image
    assert "Known: job, gain." in box.summary.value
    for control in box.controls.values():
        control.value = False
    assert "Known: nothing" in box.summary.value and box.image.layout.display is None
