"""Pictures and explorers of anonymisation: artists, sentences, controls, bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import toolkit as tk
from toolkit import plots
from toolkit.plots import BLUE, GREEN, ORANGE, column_colours
from toolkit.widgets import (
    cuts_until,
    generalisation_explorer,
    generalisation_figure,
    generalisation_summary,
    generalised,
    mondrian_explorer,
    mondrian_figure,
    mondrian_summary,
    search_explorer,
    search_figure,
    search_summary,
)

PNG = b"\x89PNG"
WARD = pd.DataFrame(
    {
        "age": [45, 28, 42, 71, 21],
        "sex": list("mffmf"),
        "ill": ["flu", "hiv", "flu", "a", "b"],
    },
    index=[7, 7, 3, 1, 0],
)
TREES = {
    "age": tk.interval_hierarchy(range(80), [10, 40]),
    "sex": tk.suppression_hierarchy(WARD["sex"]),
}


def texts(ax):
    return [text.get_text() for text in ax.texts]


def lattice(k=2, limit=1):
    """All releases of the ward by plain loops."""
    levels = pd.MultiIndex.from_product([range(4), range(2)], names=["age", "sex"])
    seen = [generalised(WARD, TREES, {"age": a, "sex": s}, k) for a, s in levels]
    loss, gone = [one.loss for one in seen], [int(one.suppressed.sum()) for one in seen]
    return pd.DataFrame({"loss": loss, "satisfied": np.array(gone) <= limit}, levels)


# Pictures


def test_crowds_stand_together_under_their_labels(ax):
    assert plots.plot_crowds(WARD[["age", "sex"]], [0, 1, 0, 2, 1], k=2, ax=ax) is ax
    heads, rows = ["", "age", "sex"], [["7", "45", "m"], ["3", "42", "f"], ["7", "28", "f"]]
    rows += [["0", "21", "f"], ["1", "71", "m"]]
    said = ["2 alike", "2 alike", "1 alone"]
    assert texts(ax) == [*heads, *itertools.chain(*rows), *said]
    crossed = [
        line.get_ydata()[0] for line in ax.lines if line.get_color() == plots.VERMILLION
    ]
    assert crossed == [5], "only the last record is alone"
    assert [bool(band.get_hatch()) for band in ax.patches] == [False, False, True]
    spans = [(band.get_y() + 0.5, band.get_height()) for band in ax.patches]
    np.testing.assert_allclose(spans, [(1.02, 1.96), (3.02, 1.96), (5.02, 0.96)])


def test_losses_are_bars_beside_their_average(ax):
    plots.plot_column_losses(
        pd.Series({"age": 0.25, "sex": 1.0, "zip": 0.004}), total=0.7, ax=ax
    )
    assert [bar.get_width() for bar in ax.patches] == [0.25, 1.0, 0.004]
    assert texts(ax) == ["25 %", "100 %", "0.4 %", "all: 70 %"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["age", "sex", "zip"]
    assert ax.lines[0].get_xdata() == [0.7, 0.7]
    assert all(text.get_position()[0] > 1 for text in ax.texts[:3]), "the line crosses none"


def test_a_column_has_its_colour_in_bars_and_cuts(ax):
    colours = column_colours(["age", "sex", "hours"])
    plots.plot_column_losses(pd.Series({"sex": 0.5, "age": 0.1}), colours=colours, ax=ax)
    assert [to_hex(bar.get_facecolor()).upper() for bar in ax.patches] == [ORANGE, BLUE]
    other = Figure().subplots()
    table = pd.DataFrame({"age": [17, 25, 39, 41], "hours": [40, 20, 40, 10]})
    plots.plot_regions(
        tk.mondrian_regions(table, ["age", "hours"], k=1), table, colours=colours, ax=other
    )
    inks = [to_hex(lines.get_color()[0]).upper() for lines in other.collections[1:]]
    assert inks == [BLUE, GREEN], "cuts by age, cuts by hours"


def test_the_lattice_joins_nodes_one_step_apart(ax):
    nodes = lattice()
    plots.plot_lattice(nodes, ax=ax)
    edges = next(one for one in ax.collections if isinstance(one, LineCollection))
    # 4 x 2 nodes: 3 steps of age for each of 2 sexes, 1 step of sex for each of 4 ages.
    assert len(edges.get_segments()) == 3 * 2 + 4
    assert all(abs(a[1] - b[1]) == 1 for a, b in edges.get_segments()), "one level up"
    labels = {text.get_text(): text.get_position() for text in ax.texts[: len(nodes)]}
    assert set(labels) == {f"{a} {s}" for a in range(4) for s in range(2)}
    assert all(y == sum(map(int, node.split())) for node, (_, y) in labels.items())
    assert len(set(labels.values())) == len(nodes), "no node on another"
    assert texts(ax)[len(nodes) :] == [f"{loss:.2f}" for loss in nodes["loss"]]
    assert ax.get_xlabel() == "Levels of age, sex"


def test_the_best_node_has_the_ring_and_looks_have_numbers(ax):
    nodes = lattice()
    best = nodes.loc[nodes["satisfied"], "loss"].idxmin()
    nodes["order"] = np.nan
    nodes.loc[[(3, 1), (0, 0), best], "order"] = [1, 2, 3]
    nodes["settled"] = nodes["order"].fillna(2).where(nodes.index != (2, 0))
    plots.plot_lattice(nodes, ax=ax)
    where = {text.get_text(): text.get_position() for text in ax.texts[: len(nodes)]}
    ring = next(one for one in ax.collections if one.get_label() == "least loss")
    assert tuple(ring.get_offsets()[0]) == where[f"{best[0]} {best[1]}"]
    assert texts(ax)[-3:] == ["1", "2", "3"]
    looks = [(float(text.xy[0]), float(text.xy[1])) for text in ax.texts[-3:]]
    assert looks == [where["3 1"], where["0 0"], where[f"{best[0]} {best[1]}"]]
    assert not ax.lines, "the numbers tell the way; a line would hide the lattice"
    below = {text.get_text(): text.xyann[1] for text in ax.texts[len(nodes) : -3]}
    assert below[f"{nodes['loss'][best]:.2f}"] < min(
        drop for loss, drop in below.items() if loss != f"{nodes['loss'][best]:.2f}"
    ), "the best loss stands below its ring"
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert set(entries) == {
        "enough company",
        "too little",
        "settled without a look",
        "least loss",
    }
    marks = [
        one
        for one in ax.collections
        if len(one.get_offsets()) and one.get_label() != "least loss"
    ]
    places = [
        tuple(p)
        for one in marks
        if not isinstance(one, LineCollection)
        for p in one.get_offsets()
    ]
    assert sorted(places) == sorted(where.values()), "each node is drawn once"


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=40))
def test_regions_hold_their_points_and_cuts_part_them(cells):
    points = pd.DataFrame(cells, columns=["x", "y"])
    regions = tk.mondrian_regions(points, ["x", "y"], k=2)
    ax = plots.plot_regions(regions, points, ax=Figure().subplots())
    final = regions[regions["cut"].isna()]
    boxes = [patch for patch in ax.patches if patch.get_fill()]
    assert len(boxes) == len(final)
    for box, (_, row) in zip(boxes, final.iterrows(), strict=True):
        inside = [box.get_bbox().contains(x, y) for x, y in cells]
        assert sum(inside) >= row["records"], "a rectangle around its records"
    lines = [
        s for c in ax.collections if isinstance(c, LineCollection) for s in c.get_segments()
    ]
    assert len(lines) == len(regions) - len(final)
    at = {(segment[0][0], "x") for segment in lines if segment[0][0] == segment[1][0]}
    for _, row in regions[regions["cut"] == "x"].iterrows():
        assert ((row["left_end"] + row["right_start"]) / 2, "x") in at
        assert row["left_end"] < row["right_start"]


def test_numbers_stand_where_there_is_room():
    points = pd.DataFrame({"x": [0, 0, 0, 100, 100, 50], "y": [0, 50, 100, 0, 100, 50]})
    regions = tk.mondrian_regions(points, ["x", "y"], k=3)
    ax = plots.plot_regions(regions, points, ax=Figure().subplots())
    final = regions[regions["cut"].isna()]
    wide = final["x from"] < final["x to"]
    assert wide.sum() == 1 < len(final), "three points in a line, and three in a box"
    assert texts(ax) == ["3"]
    assert ax.get_xlabel() == "x" and ax.get_ylabel() == "y"


def test_low_wide_regions_have_their_number_too():
    points = pd.DataFrame({"x": [*range(0, 90, 10), 0, 90], "y": [40] * 9 + [0, 100]})
    ax = plots.plot_regions(
        tk.mondrian_regions(points.iloc[:9], ["x", "y"], k=5), points, ax=Figure().subplots()
    )
    assert texts(ax) == ["9"], "forty hours is a region without height"
    stacked = pd.DataFrame({"x": [0, 100] * 3, "y": [0, 0, 1, 1, 100, 100]})
    regions = tk.mondrian_regions(stacked, ["y", "x"], k=2)
    ax = plots.plot_regions(regions, stacked, ax=Figure().subplots())
    assert len(texts(ax)) < len(regions[regions["cut"].isna()]), "no number on another"


def test_the_plane_has_a_line_per_method(ax):
    plane = pd.DataFrame(
        {"method": list("aabb"), "loss": [0.3, 0.1, 0.5, 0.2], "risk": [0.1, 0.5, 0.1, 0.5]}
    )
    plots.plot_risk_loss(plane.assign(k=[10, 2, 10, 2]), ax=ax)
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0.1, 0.3], [0.2, 0.5]]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0.5, 0.1], [0.5, 0.1]]
    assert texts(ax) == ["k = 2", "k = 10"], "of the first method"
    assert ax.get_yscale() == "log"
    looks = {(line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 2, "told apart without colour"


def test_the_curve_of_limits_has_its_bound(ax):
    curve = pd.DataFrame({"loss": [0.6, 0.3], "suppressed": [0.0, 0.04]}, [0.0, 0.05])
    plots.plot_loss_by_limit(curve, ax=ax, linewidth=4)
    loss, gone, may = ax.lines
    assert loss.get_ydata().tolist() == [0.6, 0.3] and loss.get_linewidth() == 4
    assert gone.get_ydata().tolist() == [0.0, 0.04]
    assert may.get_ydata().tolist() == may.get_xdata().tolist() == [0.0, 0.05]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.plot_crowds(WARD, [0], k=2), "classes must hold one entry per record"),
        (lambda: plots.plot_crowds(WARD.iloc[:0], [], k=2), "records must be 1 to 14"),
        (lambda: plots.plot_crowds(pd.concat([WARD] * 3), [0] * 15, k=2), "got 15"),
        (lambda: plots.plot_column_losses(pd.Series(dtype=float)), "losses must have from 1"),
        (
            lambda: plots.plot_lattice(pd.DataFrame({"satisfied": [True] * 81})),
            "nodes must have from 1 to 80 nodes",
        ),
        (lambda: plots.plot_regions(pd.DataFrame(), WARD), "points must have 2 columns"),
        (
            lambda: plots.plot_risk_loss(
                pd.DataFrame({"method": list("abcde"), "loss": 0.1, "risk": 0.1})
            ),
            "plane must have from 1 to 4 methods",
        ),
        (lambda: mondrian_explorer(WARD, ["age"]), "columns must be two; got 1"),
        (lambda: mondrian_explorer(WARD, ["age", "sex"]), "sex"),
        (lambda: generalised(WARD, TREES, {}, 0), "k must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises((ValueError, TypeError), match=message):
        draw()


# By hand


def test_the_ward_by_hand():
    seen = generalised(WARD, TREES, {"age": 1, "sex": 1}, k=2)
    assert seen.data["age"].tolist() == [
        "[40, 50)",
        "[20, 30)",
        "[40, 50)",
        "[70, 80)",
        "[20, 30)",
    ]
    assert seen.classes.tolist() == [0, 1, 0, 2, 1]
    assert seen.suppressed.tolist() == [False, False, False, True, False]
    assert (seen.k_before, seen.k_after) == (1, 2)
    assert seen.losses["age"] == pytest.approx((4 * 9 / 79 + 1) / 5), (
        "the fourth is lost in full"
    )
    assert seen.losses["sex"] == 1 and seen.loss == pytest.approx(seen.losses.mean())
    for one in (seen.data, seen.classes, seen.suppressed):
        assert one.index.equals(WARD.index)
    assert generalisation_summary(seen) == (
        "The smallest class has <b>k = 1</b>. For k ≥ 2, <b>1 of 5 records (20 %)</b> has to"
        f" be suppressed: k = 2 is left. <b>Loss {100 * seen.loss:.0f} %.</b>"
        " (Suppressed records count as lost in full.)"
    )


@pytest.mark.parametrize("k", [2, 2**53])
def test_nobody_left_is_said(k):
    seen = generalised(WARD, TREES, {}, k)
    assert seen.k_after is None and seen.loss == 1 and seen.suppressed.all()
    assert "5 of 5 records (100 %)</b> have to be suppressed: nobody is left" in (
        generalisation_summary(seen)
    )


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_by_hand_agrees_with_the_metrics(k):
    for age, sex in itertools.product(range(4), range(2)):
        seen = generalised(WARD, TREES, {"age": age, "sex": sex}, k)
        assert seen.k_before == tk.k_anonymity(seen.data, ["age", "sex"])
        left = seen.data[~seen.suppressed.to_numpy()]
        assert seen.k_after == (tk.k_anonymity(left, ["age", "sex"]) if len(left) else None)
        assert seen.k_after is None or seen.k_after >= k
        shown = tk.suppress(seen.data, seen.suppressed.to_numpy(), ["age", "sex"])
        assert seen.loss == pytest.approx(tk.information_loss(WARD, shown, TREES))


def test_a_large_table_shows_its_class_sizes():
    many = pd.concat([WARD] * 4)
    small, large = (generalised(data, TREES, {"age": 1}, 2) for data in (WARD, many))
    assert "2 alike" not in texts(generalisation_figure(large).axes[0])
    assert "5 alone" not in texts(generalisation_figure(small).axes[0])
    assert generalisation_figure(large).axes[0].get_xlabel() == "Records that look the same"
    assert texts(generalisation_figure(small).axes[0])[0] == ""


def test_the_hand_moves_columns_and_k():
    captions = {"age": ("bin width of age", ["exact", "10", "40", "any"])}
    box = generalisation_explorer(WARD, TREES, k=2, captions=captions)
    assert list(box.controls) == ["age", "sex", "k"]
    assert box.controls["age"].description == "bin width of age"
    assert [text for text, _ in box.controls["age"].options] == ["exact", "10", "40", "any"]
    assert box.controls["sex"].description == "drop sex" and box.controls["sex"].value is False
    before = box.image.value
    box.controls["age"].value, box.controls["sex"].value = 1, True
    seen = generalised(WARD, TREES, {"age": 1, "sex": 1}, 2)
    assert box.summary.value == generalisation_summary(seen)
    assert bytes(box.image.value).startswith(PNG) and box.image.value != before
    box.controls["k"].value = 3
    assert "For k ≥ 3" in box.summary.value
    plain = generalisation_explorer(WARD, TREES)
    shown = [text for text, _ in plain.controls["age"].options]
    assert shown == ["45", "[40, 50)", "[40, 80)", "*"], "what becomes of the first record"


def test_names_from_tables_are_text():
    data = pd.DataFrame({"<b>": ["x", "y", "x"], 3: [1, 1, 2]})
    trees = {name: tk.suppression_hierarchy(data[name]) for name in data}
    box = generalisation_explorer(data, trees)
    assert list(box.controls) == ["<b>", 3, "k"]
    assert "Not possible" not in box.summary.value and "<b>k = 1" in box.summary.value


# Mondrian


POINTS = pd.DataFrame({"x": [0, 1, 2, 3, 9, 9, 9, 9], "y": [0, 5, 0, 5, 0, 1, 2, 9]})


def test_cuts_are_made_round_by_round():
    regions = tk.mondrian_regions(POINTS, ["x", "y"], k=2)
    deepest = regions["depth"].max()
    assert cuts_until(regions, 0)["records"].tolist() == [len(POINTS)]
    for depth in range(deepest + 2):
        early = cuts_until(regions, depth)
        assert early.loc[early["cut"].isna(), "records"].sum() == len(POINTS), "a partition"
        assert early["depth"].max() == min(depth, deepest)
    pd.testing.assert_frame_equal(cuts_until(regions, deepest), regions)


def test_mondrian_in_words_and_by_controls():
    box = mondrian_explorer(POINTS, ["x", "y"], k=2)
    regions = tk.mondrian_regions(POINTS, ["x", "y"], k=2)
    final = regions[regions["cut"].isna()]
    assert "<b>0 cuts, 1 region</b>" in box.summary.value, "it opens uncut"
    box.controls["rounds"].value = 12
    assert box.summary.value == mondrian_summary(regions, 2)
    assert f"<b>{len(final) - 1} cuts, {len(final)} regions</b>" in box.summary.value
    box.controls["rounds"].value = 1
    assert "1 cut, 2 regions</b> of 4 to 4" in box.summary.value
    before = box.image.value
    box.controls["k"].value = 4
    assert box.summary.value.startswith("k = 4: <b>1 cut") and bytes(
        box.image.value
    ).startswith(PNG)
    box.controls["relaxed"].value = True
    relaxed = tk.mondrian_regions(POINTS, ["x", "y"], k=4, relaxed=True)
    assert box.summary.value == mondrian_summary(cuts_until(relaxed, 1), 4)
    assert box.image.value != b"" and before != b""
    assert mondrian_figure(regions, POINTS).axes[0].get_ylabel() == "y"


# The search


@pytest.fixture(scope="module")
def searched():
    nodes = lattice()
    ask = {"k": 2, "suppression_limit": 0.2, "trace": True}
    release = tk.optimal_generalisation(WARD, ["age", "sex"], TREES, **ask)
    trace = release.trace.loc[nodes.index]
    order = trace["step"].where(trace["fate"] == "evaluated")
    return nodes.assign(order=order, settled=trace["step"]), release


def test_the_search_is_told_look_by_look(searched):
    nodes, release = searched
    assert search_summary(nodes, 0) == (
        "After 0 looks at 8 nodes: no release keeps what is asked for yet."
    )
    best = " ".join(map(str, release.levels.values()))
    assert f"at <b>{best}</b>" in search_summary(nodes, release.evaluations)
    for looks in range(release.evaluations + 1):
        known = nodes[(nodes["order"] <= looks) & nodes["satisfied"]]
        told = search_summary(nodes, looks)
        assert known.empty == ("no release" in told)
        assert known.empty or f"loss {100 * known['loss'].min():.0f} %" in told


def test_later_looks_are_not_in_the_picture(searched):
    nodes, release = searched
    ax = search_figure(nodes, 1).axes[0]
    assert texts(ax)[-1] == "1" and "2" not in texts(ax), "one look has a number"
    assert sum(text.count(".") for text in texts(ax)) == 1, "one loss is known"
    box = search_explorer(nodes)
    assert (box.controls["looks"].value, box.controls["looks"].max) == (0, release.evaluations)
    before = box.image.value
    box.controls["looks"].value = 1
    assert box.summary.value == search_summary(nodes, 1)
    assert bytes(box.image.value).startswith(PNG) and box.image.value != before
