"""Pictures and explorers of attribute disclosure: artists, sentences, bad input."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import toolkit as tk
from tests.needs import examples
from tests.oracles.classes import Classes
from tests.oracles.pif import rows_of
from tests.tables import filled, tables
from toolkit._old import attribute, classes as old_classes
from toolkit.plots import disclosure as plots
from toolkit.widgets import (
    METRICS,
    class_explorer,
    class_figure,
    class_summary,
    class_view,
    threshold_explorer,
    threshold_figure,
    threshold_summary,
    threshold_violations,
)

PNG = b"\x89PNG"
TABLES = tables(min_columns=2)
COUNTS = pd.DataFrame({"flu": [3, 1], "hiv": [1, 1]}, index=["north", "south"])
SALARIES = pd.DataFrame({"class": list("aaabbbccc"), "pay": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
WARD = pd.DataFrame(
    {
        "town": list("AAAABBBBC"),
        "illness": ["flu", "flu", "hiv", "cold", "flu", "flu", "flu", "cold", "hiv"],
        "pay": [1, 2, 3, 4, 1, 1, 2, 2, 9],
    },
    index=[5, 5, 3, 2, 1, 0, 9, 8, 7],
)
MODELS = ["k", "l", "t"]
NUMBERS = pd.DataFrame([[2, 1.5, math.inf], [3, math.nan, 0.25]], ["A", "B"], MODELS)
KEPT = pd.DataFrame([[True, True, False], [True, False, True]], ["A", "B"], MODELS)
WITNESSES = pd.DataFrame([[None, "A", None], ["B", None, "A"], ["A", "B", None]])
WITNESSES = WITNESSES.set_axis(MODELS, axis=0).set_axis(MODELS, axis=1)
PRESENCE = pd.DataFrame({"records": [5, 1], "people": [5, 10]}, [35, 47]).rename_axis("age")
COSTS = pd.DataFrame({"naive": [1, 100], "exact": [1, 10]}, [1, 10]).rename_axis("n")
VIOLATIONS = pd.DataFrame({"classes": [1, 0], "rows": [40, 0], "share": [0.4, 0]}, ["k", "t"])
SHARES = pd.DataFrame({"q": [0.5, 0.5, 0], "p": [0.1, 0.5, 0.4]}, ["hiv", "flu", "cold"])
CUMULATIVE = pd.crosstab(SALARIES["pay"], SALARIES["class"], normalize="columns")
CUMULATIVE = CUMULATIVE[["a", "b"]].assign(everyone=1 / 9)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Pictures: any label


@pytest.mark.parametrize("label", ["$x_1$", None, ("a", 1), pd.Interval(0, 10), "a\nb" * 40])
def test_any_label_can_be_drawn(label):
    labels = pd.Index([label, "other"], dtype=object, tupleize_cols=False)
    figure = Figure(figsize=(15, 3), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    plots.plot_classes(COUNTS.set_axis(labels, axis=0).set_axis(labels, axis=1), ax=first)
    plots.plot_class_shares(SHARES.iloc[:2].set_axis(labels), marked=1, ax=second)
    plots.plot_presence(PRESENCE.set_axis(labels), ax=third)
    figure.draw_without_rendering()
    (name, _) = [text.get_text() for text in second.get_yticklabels()]
    assert name and "\n" not in name and len(name) <= 26
    assert name == "missing" if label is None else name != "missing"
    assert not name.startswith("$"), "no mathematics"


# Pictures: what each of them draws


def test_classes_are_stacked_to_one_and_everyone_is_their_sum(ax):
    plots.plot_classes(COUNTS, ax=ax)
    flu, hiv = ([bar.get_width() for bar in part] for part in ax.containers)
    assert flu == [3 / 4, 1 / 2, 4 / 6] and hiv == pytest.approx([1 / 4, 1 / 2, 2 / 6])
    assert [bar.get_x() for bar in ax.containers[1]] == pytest.approx(flu)
    assert legend(ax) == ["flu", "hiv"]
    looks = [(part[0].get_facecolor(), part[0].get_hatch()) for part in ax.containers]
    assert len(set(looks)) == 2
    plots.plot_classes(COUNTS, everyone=False, ax=(alone := Figure().subplots()))
    assert [text.get_text() for text in alone.get_yticklabels()] == ["north (4)", "south (2)"]


def test_a_class_is_drawn_against_everyone(ax):
    plots.plot_class_shares(SHARES, marked=0, mark="it", name="north", ax=ax)
    mine, everyone = ([bar.get_width() for bar in part] for part in ax.containers)
    assert mine == [0.5, 0.5, 0] and everyone == [0.1, 0.5, 0.4]
    hatches = [bool(bar.get_hatch()) for bar in ax.containers[0]]
    assert hatches == [True, False, False] and legend(ax) == ["north", "it", "everyone"]
    weights = [text.get_fontweight() for text in ax.get_yticklabels()]
    assert weights == ["bold", "normal", "normal"]
    plots.plot_class_shares(SHARES, ax=(plain := Figure().subplots()))
    assert legend(plain) == ["this class", "everyone"]


def test_many_values_are_summed_but_the_marked_one_is_kept(ax):
    share = np.arange(1, 41) / 820
    many = pd.DataFrame({"q": share, "p": share[::-1]}, [f"v{i}" for i in range(40)])
    plots.plot_class_shares(many, marked=20, ax=ax)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert len(labels) == 20 and labels[-1] == "21 others" and "v20" in labels
    for part in ax.containers:
        assert sum(bar.get_width() for bar in part) == pytest.approx(1)
    hatched = [bool(bar.get_hatch()) for bar in ax.containers[0]]
    assert hatched == [label == "v20" for label in labels]


def test_the_area_between_is_the_ordered_distance(ax):
    plots.plot_cumulative(CUMULATIVE, unit="thousands", ax=ax)
    a, b, everyone = (line.get_ydata()[:-1] for line in ax.lines)
    steps = len(CUMULATIVE) - 1
    assert np.abs(a - everyone).sum() / steps == pytest.approx(0.375)
    assert np.abs(b - everyone).sum() / steps == pytest.approx(1 / 6)
    assert len(ax.collections) == 2 and ax.get_xlabel() == "thousands"
    assert [text.get_text() for text in ax.get_xticklabels()] == [f"{v}" for v in range(3, 12)]


def test_verdicts_mark_what_is_broken(ax):
    plots.plot_verdicts(NUMBERS, KEPT, ax=ax)
    assert texts(ax) == ["2", "1.5", "✗ ∞", "3", "✗ none", "0.25"]
    assert [text.get_fontweight() == "bold" for text in ax.texts] == [False] * 2 + [
        True, False, True, False,
    ]  # fmt: skip
    assert [text.get_text() for text in ax.get_xticklabels()] == MODELS


def test_implications_write_a_witness_or_an_arrow(ax):
    plots.plot_implications(WITNESSES, ax=ax)
    assert texts(ax) == ["A", "⇒", "B", "A", "A", "B"]
    places = [text.get_position() for text in ax.texts]
    assert places == [(1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2)]
    assert "keeps" in ax.get_ylabel() and "breaks" in ax.get_xlabel()


def test_small_tables_have_a_square_per_record(ax):
    other = pd.DataFrame({"hiv": [2], "cold": [0]})
    plots.plot_small_tables({"A": COUNTS, "B": other}, ax=ax)
    assert len(ax.patches) == COUNTS.to_numpy().sum() + 2
    assert texts(ax) == ["flu", "flu", "flu", "hiv", "flu", "hiv", "hiv", "hiv"]
    shades = {text.get_text(): set() for text in ax.texts}
    for text, square in zip(ax.texts, ax.patches, strict=True):
        shades[text.get_text()].add(to_hex(square.get_facecolor()))
    assert all(len(shade) == 1 for shade in shades.values()), "a value, a colour"
    assert shades["flu"] != shades["hiv"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A", "B"]


def test_presence_fills_the_people_with_records(ax):
    plots.plot_presence(PRESENCE, ax=ax)
    people, records = ([bar.get_width() for bar in part] for part in ax.containers)
    assert people == [5, 10] and records == [5, 1] and ax.get_ylabel() == "age"
    assert [text.strip() for text in texts(ax)] == ["5 of 5: 1", "1 of 10: 0.1"]


def test_costs_stand_on_logarithmic_axes(ax):
    plots.plot_costs(COSTS, unit="rows", ax=ax)
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "log", "rows")
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1, 100], [1, 10]]
    assert len({line.get_linestyle() for line in ax.lines}) == 2 and ax.get_xlabel() == "n"


def test_infinite_numbers_stand_on_the_upper_edge(ax):
    numbers, bad = [0.2, 0.5, math.inf], [False, True, True]
    plots.plot_class_numbers(
        [1, 10, 100], numbers, threshold=0.3, least=5, violating=bad, chosen=1, ax=ax
    )
    good, crosses, ring = ax.collections
    assert good.get_offsets().tolist() == [[1, 0.2]]
    assert crosses.get_offsets().tolist() == [[10, 0.5], [100, pytest.approx(1.15 * 0.5)]]
    assert ring.get_offsets().tolist() == [[10, 0.5]]
    assert texts(ax) == ["on the line: ∞ (1 of 3)"] and ax.get_ylim()[1] > 1.15 * 0.5
    levels = [line.get_ydata()[0] for line in ax.lines if len(set(line.get_ydata())) == 1]
    assert 0.3 in levels and legend(ax) == ["keeps (1)", "violates (2)", "chosen"]


@pytest.mark.parametrize("numbers", [[math.inf] * 2, [0, 0], [1, 1], [-1, 2]])
def test_any_numbers_of_classes_can_be_drawn(numbers, ax):
    plots.plot_class_numbers([3, 3], numbers, threshold=math.inf, ax=ax)
    low, high = ax.get_ylim()
    drawn = ax.collections[0].get_offsets()[:, 1]
    assert low < drawn.min() <= drawn.max() < high and len(drawn) == 2


def test_violations_are_shares_in_per_cent(ax):
    plots.plot_violations(VIOLATIONS, ax=ax)
    assert [bar.get_width() for bar in ax.containers[0]] == [40, 0]
    assert texts(ax) == ["1 class, 40 rows", "0 classes, 0 rows"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.plot_classes(pd.DataFrame([[1] * 9])), "from 1 to 8 values to be told"),
        (lambda: plots.plot_classes(pd.DataFrame([[1]] * 21)), "from 1 to 20 classes"),
        (
            lambda: plots.plot_class_shares(COUNTS.assign(x=1)),
            "must have 2 columns, the share",
        ),
        (
            lambda: plots.plot_cumulative(CUMULATIVE[["a"]]),
            "from 1 to 3 classes before everyone",
        ),
        (
            lambda: plots.plot_verdicts(NUMBERS, KEPT[["k"]]),
            "the shape of numbers, (2, 3); got",
        ),
        (lambda: plots.plot_implications(NUMBERS), "the same models as rows and as columns"),
        (lambda: plots.plot_small_tables({}), "tables must have from 1 to 8 values"),
        (lambda: plots.plot_presence(COUNTS), "needs columns records and people; got ['flu'"),
        (lambda: plots.plot_presence(pd.concat([PRESENCE] * 11)), "from 1 to 20 classes"),
        (lambda: plots.plot_costs(COSTS * 0), "costs must be positive"),
        (lambda: plots.plot_costs(pd.DataFrame([[1] * 5])), "from 1 to 4 ways"),
        (lambda: plots.plot_class_numbers([1, 2], [1]), "one entry per class, 2; got 1"),
        (lambda: plots.plot_violations(PRESENCE), "needs columns classes, rows and share"),
    ],
)
def test_bad_input_is_answered(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


# The class explorer


def roles(data):
    """The class table of the last column, and the slow oracle of the same."""
    data = data.set_axis(range(data.shape[1]), axis=1)
    known = list(range(data.shape[1] - 1))
    return old_classes.equivalence_classes(data, known, data.shape[1] - 1), Classes(
        rows_of(data)
    )


@given(TABLES, st.data())
def test_a_view_says_what_the_oracle_says(data, draw):
    table, truth = roles(data)
    number = draw.draw(st.integers(0, len(table.sizes) - 1))
    expected = {
        "t": truth.equal(),
        "beta": truth.beta(),
        "enhanced beta": truth.enhanced_beta(),
        "delta": truth.delta(),
        "alpha": truth.alpha(),
        "distinct l": truth.distinct(),
        "entropy l": truth.entropy_l(),
        "recursive c": truth.recursive_c(2),
    }
    assert set(expected) == set(METRICS)
    for metric, numbers in expected.items():
        seen = class_view(table, metric, number, kind="equal")
        numbers = np.array(numbers, float)
        np.testing.assert_allclose(seen.numbers, numbers, rtol=1e-9, atol=1e-9)
        worst = class_view(table, metric, kind="equal")
        bad = -numbers if metric in ("distinct l", "entropy l") else numbers
        assert worst.rank == 1 and seen.rank == 1 + (bad > bad[number] + 1e-9).sum()
        better = min if metric in ("distinct l", "entropy l") else max
        assert worst.numbers[worst.number] == better(worst.numbers)
        assert seen.shares.sum().tolist() == pytest.approx([1, 1])


@given(TABLES, st.data())
def test_the_marked_value_sets_the_number(data, draw):
    table, _ = roles(data)
    number = draw.draw(st.integers(0, len(table.sizes) - 1))
    for metric in METRICS:
        seen = class_view(table, metric, number, kind="equal")
        told = seen.numbers[number]
        if seen.marked is None:
            assert metric in ("distinct l", "entropy l") or told == 0
            continue
        q, p = seen.shares.iloc[seen.marked]
        gain, change = (q - p) / p, abs(math.log(q / p)) if q else math.inf
        if metric == "enhanced beta" and math.isinf(told):
            assert gain > -math.log(p)
            continue
        gains = seen.shares["share"] - seen.shares["share_of_all"]
        sets = {
            "t": q - p == pytest.approx(gains.max()) and q > p,
            "beta": gain == pytest.approx(told),
            "enhanced beta": gain == pytest.approx(told),
            "delta": change == pytest.approx(told),
            "alpha": q == pytest.approx(told),
            "recursive c": q == seen.shares["share"].max(),
        }
        assert sets[metric], metric


def test_the_worst_is_the_class_and_value_of_the_report():
    data = WARD.assign(illness=WARD["illness"].where(WARD["town"] != "C"))
    table = old_classes.equivalence_classes(data, "town", "illness")
    report = tk.check_privacy(data, "town", "illness").table
    report = report.drop_duplicates("metric").set_index("metric")
    names = {
        "alpha": "alpha_k_anonymity",
        "recursive c": "recursive_cl_diversity",
        "beta": "basic_beta_likeness",
        "enhanced beta": "enhanced_beta_likeness",
        "delta": "delta_disclosure",
        "t": "t_closeness",
    }
    for metric, name in names.items():
        seen, told = class_view(table, metric), report.loc[name]
        assert seen.name == told["worst_class"] and seen.numbers[seen.number] == told["value"]
        if metric != "t":
            value = seen.shares.index[seen.marked]
            assert (
                value is told["worst_value"]
                or value == told["worst_value"]
                or (pd.isna(value) and pd.isna(told["worst_value"]))
            )


def test_what_gains_most_need_not_be_what_gains_too_much():
    values = ["x"] * 45 + ["y"] * 4 + ["z"] + ["x"] * 80 + ["y"] + ["z"] * 119
    table = old_classes.equivalence_classes(
        pd.DataFrame({"q": [1] * 50 + [2] * 200, "s": values}), "q", "s"
    )
    # In class 1 x goes from .5 to .9, gaining .8 > ln 2; y from .02 to .08, gaining 3 < ln 50.
    marked = {metric: class_view(table, metric, 0).marked for metric in METRICS}
    assert marked["beta"] == 1 and marked["enhanced beta"] == marked["alpha"] == 0
    assert marked["t"] == 0 and marked["delta"] == 2, "z goes from .48 to .02"


def test_summary_and_figure_of_a_class():
    table = old_classes.equivalence_classes(WARD, "town", "illness")
    seen = class_view(table, "beta", 1)
    said = class_summary(seen)
    # flu: 3 of 4 in B, 5 of 9 in the table
    assert "Class <b>B</b>: 4 of 9 records." in said and "<b>0.35</b>, rank 2 of 3" in said
    assert "<b>flu</b> sets it: 0.75 in the class, 0.556 in the table." in said
    left, right = class_figure(seen).axes
    assert [bar.get_width() for bar in left.containers[0]] == [0.25, 0.75, 0]
    ring = right.collections[-1].get_offsets()
    assert ring.tolist() == [[4, pytest.approx(0.35)]]
    together = class_summary(class_view(table, "distinct l"))
    assert "All values of the class set it together" in together
    alone = old_classes.equivalence_classes(WARD, [], "illness")
    assert "No value gains" in class_summary(class_view(alone, "beta"))
    assert "rank 1 of 1 class (1 is" in class_summary(class_view(alone, "t"))


def test_every_control_of_the_class_explorer_moves_the_sentence():
    box = class_explorer(WARD, "town", ["illness", "pay"], kind={"pay": "equal"})
    assert bytes(box.image.value).startswith(PNG)
    assert [label for label, _ in box.controls["number"].options] == [
        "the worst", "A (4)", "B (4)", "C (1)",
    ]  # fmt: skip
    moves = [("number", 1), ("sensitive", "pay")]
    moves += [("metric", metric) for metric in METRICS if metric != "t"]
    for name, value in moves:
        before, image = box.summary.value, bytes(box.image.value)
        box.controls[name].value = value
        assert box.summary.value != before, (name, value)
        assert bytes(box.image.value).startswith(PNG) and bytes(box.image.value) != image
    distance = attribute.t_closeness_by_class(WARD, "town", "pay", kind="equal").iloc[1]
    box.controls["metric"].value = "t"
    assert f"<b>{distance:.4g}</b>" in box.summary.value


def test_more_classes_than_fit_a_menu_are_picked_by_number(monkeypatch):
    monkeypatch.setattr("toolkit.widgets.disclosure.MENU", 2)
    box = class_explorer(WARD, "town", "illness")
    assert (box.controls["number"].min, box.controls["number"].max) == (-1, 2)
    box.controls["number"].value = 2
    assert "Class <b>C</b>" in box.summary.value


@settings(max_examples=examples(12))
@given(TABLES, st.sampled_from([*METRICS]))
def test_every_table_can_be_drawn(data, metric):
    table, _ = roles(filled(data))
    seen = class_view(table, metric)
    for figure in (class_figure(seen), threshold_figure(table, 2, 2, 0.2, 1)):
        figure.draw_without_rendering()
        assert len(figure.axes) == 2
    assert "Class <b>" in class_summary(seen)


def test_classes_without_an_order_keep_theirs():
    data = pd.DataFrame({"q": ["a", 1, None, "a"], "s": list("xyxy")})
    box = class_explorer(data, "q", "s")
    labels = [label for label, _ in box.controls["number"].options[1:]]
    assert sorted(labels) == ["1 (1)", "a (2)", "missing (1)"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: class_view(t, "gamma"), ValueError, "metric"),
        (lambda t: class_view(t, "t", 3), ValueError, "number"),
        (lambda t: class_view(t, "t", 0.5), TypeError, "number"),
        (lambda t: class_explorer(WARD, "town", "age"), ValueError, "age"),
        (lambda t: class_explorer(WARD, "town", "town"), ValueError, "town"),
        (lambda t: threshold_explorer(WARD, "town", "age"), ValueError, "age"),
        (
            lambda t: class_explorer(WARD, "town", "pay", kind={"x": "equal"}),
            ValueError,
            "kind",
        ),
    ],
)
def test_what_cannot_be_explored_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(old_classes.equivalence_classes(WARD, "town", "illness"))


# The thresholds explorer


@given(TABLES, st.integers(1, 4), st.integers(1, 4), st.integers(0, 10), st.floats(0.01, 5))
def test_violations_against_the_oracle(data, k, l, tenths, beta):  # noqa: E741
    table, truth = roles(filled(data))
    t = tenths / 10
    found = threshold_violations(table, k, l, t, beta, kind="equal")
    marks = [
        [size < k for size in truth.sizes()],
        [distinct < l for distinct in truth.distinct()],
        [float(distance) > t + 1e-9 for distance in truth.equal()],
        [float(gain) > beta * (1 + 1e-9) for gain in truth.beta()],
    ]
    marks.append([any(row) for row in zip(*marks, strict=True)])
    assert [mark.tolist() for mark in found["marks"]] == marks
    rows = [sum(np.array(truth.sizes())[mark]) for mark in marks]
    assert found["rows"].tolist() == rows and found["classes"].tolist() == [*map(sum, marks)]
    assert found["share"].tolist() == [row / len(data) for row in rows]


def test_nothing_is_asked_at_first_and_every_slider_counts():
    box = threshold_explorer(WARD, "town", "illness")
    assert "<b>0 of 3 classes</b> violate a threshold; they hold 0 of 9" in box.summary.value
    strictest = {"k": 5, "l": 3, "t": 0.1, "beta": 0.1}
    for name, value in strictest.items():
        before, image = box.summary.value, bytes(box.image.value)
        box.controls[name].value = value
        assert box.summary.value != before and bytes(box.image.value) != image, name
    assert "<b>3 of 3 classes</b>" in box.summary.value
    assert "9 of 9 rows (<b>100 %</b>)" in box.summary.value
    assert "k ≥ 5: 9, ℓ ≥ 3: 5" in box.summary.value


def test_suppressed_rows_belong_to_no_class():
    data = pd.DataFrame({"town": list("AA*B"), "illness": ["flu", "hiv", "hiv", "flu"]})
    table = old_classes.equivalence_classes(data, "town", "illness", suppressed="*")
    found = threshold_violations(table, 2, 2, 1, 10)
    assert found["rows"].tolist() == [1, 1, 0, 0, 1] and found["share"].iloc[0] == 1 / 3
    assert "<b>1 of 2 classes</b> violates" in threshold_summary(table, 2, 1, 1, 10)


def test_the_figure_of_thresholds_shows_classes_and_rows():
    table = old_classes.equivalence_classes(WARD, "town", "illness")
    left, right = threshold_figure(table, 2, 1, 1, 10).axes
    assert sum(len(part.get_offsets()) for part in left.collections) == 3
    assert [bar.get_width() for bar in right.containers[0]] == pytest.approx(
        [100 / 9, 0, 0, 0, 100 / 9]
    )
