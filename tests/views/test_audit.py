"""Pictures and the explorer of audits: artists, sentences, bad input."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from toolkit import plots
from toolkit.dp import cases as audit_cases
from toolkit.widgets import audit_explorer, audit_figure, audit_summary, audited, scalar_cases

TABLE = pd.DataFrame(
    {
        "epsilon": [1.0, 1.0],
        "epsilon_lower": [0.97, 1.22],
        "verdict": ["no violation found", "violation"],
    },
    index=["kept", "broken"],
)


def test_violations_look_different_and_the_claim_is_marked(ax):
    assert plots.plot_audits(TABLE, ax=ax) is ax
    kept, broken = ax.patches
    assert (kept.get_width(), broken.get_width()) == (0.97, 1.22)
    assert kept.get_y() > broken.get_y(), "the first row is on top"
    assert kept.get_facecolor() != broken.get_facecolor() and broken.get_hatch() == "///"
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [1, 1])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["kept", "broken"]


def test_the_truth_is_a_hollow_mark_and_an_infinite_one_stands_at_the_edge(ax):
    plots.plot_audits(TABLE.assign(true_epsilon=[1.0, np.inf]), ax=ax)
    _, known, infinite = ax.lines
    assert (known.get_xdata()[0], known.get_ydata()[0]) == (1, 1)
    assert infinite.get_xdata()[0] > 1.22 and infinite.get_ydata()[0] == 0
    assert known.get_markerfacecolor() == infinite.get_markerfacecolor() == "none"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"true ε", "true ε is infinite"} <= {*labels}


def test_the_event_is_shaded_behind_the_releases(ax):
    counts = pd.DataFrame({"data": [0.2, 0.8], "neighbour": [0.5, 0.5]}, index=[0.0, 2.0])
    plots.plot_event(counts, pd.Series([False, True], index=counts.index), unit="x", ax=ax)
    data, neighbour, event = ax.patches
    np.testing.assert_array_equal(data.get_data().values, [0.2, 0.8])
    np.testing.assert_array_equal(data.get_data().edges, [0, 2, 4])
    np.testing.assert_allclose(event.get_data().values, [0, 0.84])
    assert event.get_zorder() < neighbour.get_zorder() and ax.get_xlabel() == "x"
    assert event.get_facecolor() == to_rgba("0.9")


def test_nothing_of_the_explorer_is_cut_off():
    figure = audit_figure(audited("scale x 0.8", 1_000))
    figure.draw_without_rendering()
    width, height = figure.bbox.size
    for ax in figure.axes:
        for text in (ax.xaxis.label, ax.yaxis.label, *ax.get_legend().get_texts()):
            box = text.get_window_extent()
            assert 0 <= box.x0 and box.x1 <= width and 0 <= box.y0 and box.y1 <= height


def test_power_is_named_by_the_releases(ax):
    power = pd.DataFrame({1000: [0.1, 0.5], 200_000: [0.2, 1.0]}, index=[1.0, 1.5])
    plots.plot_power(power, ax=ax)
    labels = [line.get_label() for line in ax.lines[:2]]
    assert labels == ["1,000 releases", "200,000 releases"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [0.2, 1.0])


@pytest.mark.parametrize(
    ("draw", "argument"), [(plots.plot_event, "counts"), (plots.plot_power, "power")]
)
@pytest.mark.parametrize("columns", [0, 8])
def test_too_many_lines_are_refused(draw, argument, columns):
    with pytest.raises(ValueError, match=f"{argument} must have from 1 to 7 .* got {columns}"):
        draw(pd.DataFrame(np.ones((2, columns))))


def test_the_cases_to_look_at_release_single_numbers():
    rng = np.random.default_rng(1)
    for name, case in scalar_cases().items():
        assert np.shape(case.mechanism(case.data, 3, rng)) == (3,), name
    known = audit_cases.kept() | audit_cases.broken()
    assert {"Laplace", "zero stays zero", "scale x 0.8 (hidden)"} <= set(scalar_cases())
    assert {n for n in scalar_cases() if "hidden" not in n} < set(known)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("geometric", "no violation found"),
        ("zero stays zero", "violation"),
        ("zero stays zero (hidden)", "no violation found"),
    ],
)
def test_what_is_said_of_an_audit(name, verdict):
    seen = audited(name, 20_000, seed=3)
    said = audit_summary(seen)
    assert f"<b>{verdict}</b>" in said and "20,000 fresh releases" in said
    assert f"{seen.result.epsilon_lower:.3g}" in said
    assert (seen.counts.sum().between(0.99, 1)).all(), "nearly all releases are in sight"
    again = audited(name, 20_000, seed=3)
    assert again.result.epsilon_lower == seen.result.epsilon_lower
    pd.testing.assert_frame_equal(again.counts, seen.counts)


def test_the_shaded_bins_are_those_of_the_event():
    seen = audited("geometric", 20_000, seed=3)
    limit, relation = seen.result.region.value, seen.result.region.relation
    middle = seen.event.index.to_numpy() + 0.5
    expected = {"≥": middle >= limit, "≤": middle <= limit, "=": middle == limit}[relation]
    np.testing.assert_array_equal(seen.event, expected)
    assert 0 < seen.event.sum() < len(seen.event)
    zero = audited("zero stays zero", 20_000, seed=3)
    assert zero.result.event == "output ≠ 0" and (~zero.event).sum() == 1


def test_low_bits_are_of_no_bin():
    seen = audited("Laplace in doubles", 20_000, seed=3)
    assert "multiple of 2**" in seen.result.event and not seen.event.any()
    releases = audit_figure(seen).axes[0]
    named = [text.get_text() for text in releases.get_legend().get_texts()]
    assert named == ["data", "neighbour"], "nothing is shaded, so nothing is named"
    without = audited("Laplace in doubles", 20_000, seed=3, low_bits=False)
    assert without.result.verdict == "no violation found"


def test_an_unknown_case_is_refused():
    with pytest.raises(ValueError, match="name must be"):
        audited("perfect")


def test_the_explorer_follows_its_controls():
    explorer = audit_explorer(seed=2)
    assert "no violation found" in explorer.summary.value, "too few to tell 1.25 from 1"
    before = bytes(explorer.image.value)
    explorer.controls["samples"].value = 200_000
    assert "<b>violation</b>" in explorer.summary.value
    explorer.controls["name"].value = "Laplace in doubles"
    explorer.controls["samples"].value = 50_000
    assert "<b>violation</b>" in explorer.summary.value
    explorer.controls["low_bits"].value = False
    assert "no violation found" in explorer.summary.value
    assert bytes(explorer.image.value) != before
