"""What holds of every `plot_*`: given Axes, one figure, determinism, the caller's keywords."""

import io
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import rgb_to_hsv, to_rgb, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.text import Text
from seaborn.utils import relative_luminance

from toolkit import plots
from toolkit.plots import _style

BITS = pd.DataFrame(
    [[0.2, 1.3, 1.8], [0.5, 0.3, 0.5], [0.2, 1.3, 0.15]], columns=["sex", "name", "eyes"]
)
CSF = np.minimum(1, np.sqrt(BITS * np.log(2) / 2)) / 2
PRIOR = pd.Series({"blue": 2 / 7, "green": 5 / 7}, name="eyes")
POSTERIORS = pd.DataFrame(
    {"blue": [1, 0.5], "green": [0, 0.5]}, pd.Index(["Anton", "Emil"], name="name")
)
TERMS = pd.DataFrame(
    {"prior": [2 / 7, 5 / 7], "posterior": [0.5, 0.5], "term_bits": [0.4036, -0.2573]},
    ["blue", "green"],
)
PLANE = pd.DataFrame({"risk": [31.5, 20.6], "utility": [1, 0.8]}, ["none", "drop job"])
COUNTS = pd.DataFrame({"flu": [3, 1], "hiv": [1, 1]}, index=["north", "south"])
STEPS = pd.DataFrame({"a": [0.5, 0.5], "everyone": [0.25, 0.75]}, index=[1, 2])
NUMBERS = pd.DataFrame([[2, np.inf], [np.nan, 0.25]], ["A", "B"], ["k", "t"])
KEPT = pd.DataFrame([[True, False], [True, True]], ["A", "B"], ["k", "t"])
WITNESSES = pd.DataFrame([[None, "A"], ["B", None]], ["k", "t"], ["k", "t"])
RECORDS = pd.DataFrame({"age": [35, 36, 35], "record": ["judge", None, "clerk"]}, [7, 3, 1])
LEVELS = pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["age", "sex"])
NODES = pd.DataFrame(
    {"satisfied": [False, False, True, True], "loss": [0, 0.2, 0.4, 1], "order": [1, 2, 3, 4]},
    LEVELS,
)
REGIONS = pd.DataFrame(
    {
        "depth": [0, 1, 1], "records": [3, 1, 2], "cut": ["age", np.nan, np.nan],
        "left_end": [17, np.nan, np.nan], "right_start": [20, np.nan, np.nan],
        "age from": [17, 17, 20], "age to": [25, 17, 25],
        "hours from": [10, 10, 40], "hours to": [40, 10, 40],
    }
)  # fmt: skip
POINTS = pd.DataFrame({"age": [17, 25, 20], "hours": [10, 40, 40]})
RELEASES = pd.DataFrame(
    {"method": list("aabb"), "loss": [0.3, 0.1, 0.5, 0.2], "risk": [0.1, 0.5, 0.1, 0.5]}
)
AUDITS = pd.DataFrame(
    {"epsilon": 1.0, "epsilon_lower": [0.97, 1.22], "verdict": ["no violation found"] * 2},
    index=["kept", "broken"],
)
AUDITS.loc["broken", "verdict"] = "violation"
OUTPUTS = pd.DataFrame({"data": [0.2, 0.8], "neighbour": [0.5, 0.5]}, index=[0.0, 2.0])
POWER = pd.DataFrame({1000: [0.1, 0.5], 200_000: [0.2, 1.0]}, index=[1.0, 1.5])
ERRORS = pd.DataFrame(
    {"cells": [100, 10], "largest_error": [30, 9], "expected_largest_noise": [26.0, 14.6]},
    index=["wide", "narrow"],
)
BY_EPSILON = pd.DataFrame({"a": [1.0, 0.1], "b": [0.5, 0.05]}, index=[0.1, 1.0])
WORLDS = pd.DataFrame([[1, 3, 2], [1, 3, 4]])
MEANS = pd.Series([2, 8 / 3], index=pd.Index([2, 4], name="world"))
SEARCH = pd.DataFrame({"low": [0.0, 1.0], "high": [4.0, 4.0], "middle": [2.0, 2.5]})
SUBSETS = pd.DataFrame({"size": [1, 1, 2], "share": [0.0, 0.5, 0.6]})
CURVE = pd.DataFrame({"added": ["day", "sex"], "share": [0.5, 0.6]})
RATIO = pd.Series([1.0, -1.0, 0.2], index=[0.0, 1.0, 2.0])
SCORES = pd.DataFrame({"records": [1, 5, 5], "far": [0.5, 3, 3]}, index=[7, 8, 9])
ESTIMATES = pd.DataFrame({"one": np.arange(11.0), "none": np.nan})
BINS = pd.DataFrame({"records": [100, 9], "predicted": [0.5, 0.9], "observed": [0.2, 1]})
BELIEFS = pd.DataFrame({"a": [0.7, 0.5], "b": [0.3, 0.5]}, index=[0.0, 1.0])
DRAWS = pd.DataFrame({"50": [-1.0, 0.0, 1.0], "25": [np.inf] * 3})
BARS, LINES, MARKS, TEXTS, IMAGE = "Patch", "Line2D", "Collection", "Text", "AxesImage"
CASES = {  # each plot: what its keywords go to, and two calls, plain and with all options
    "audits": (BARS, (AUDITS,), {}),
    "beliefs": (LINES, (BELIEFS,), {"levels": {"policy": 0.6}}),
    "calibration": (LINES, (BINS,), {}),
    "cell_bands": (IMAGE, (BITS,), {"bands": 2, "statistic": "largest"}),
    "cells": (IMAGE, (BITS,), {"cells": BITS, "unit": "bits"}),
    "cig_csf": (MARKS, (BITS, CSF), {}),
    "class_sizes": (BARS, (pd.Series([1, 1, 2, 400]),), {}),
    "classes": (BARS, (COUNTS,), {"everyone": False}),
    "column_losses": (BARS, (pd.Series({"age": 0.1, "sex": 1.0}),), {"total": 0.55}),
    "crowd_and_distance": (MARKS, (SCORES, {"alone": [7], "together": [9]}), {}),
    "crowds": (TEXTS, (RECORDS, [0, 1, 0]), {"k": 2}),
    "cumulative": (LINES, (STEPS,), {"unit": "thousands"}),
    "curves": (LINES, (BY_EPSILON,), {"mark": 0.5, "least": 0.05, "unit": "ε"}),
    "densities": (LINES, (MEANS, 0.5), {"response": 2.5}),
    "errors": (MARKS, (ERRORS,), {"unit": "Records"}),
    "estimates": (MARKS, (ESTIMATES, 4.0), {}),
    "gain_terms": (BARS, (TERMS,), {}),
    "implications": (TEXTS, (WITNESSES,), {}),
    "lattice": (MARKS, (NODES,), {}),
    "known_columns": (BARS, (CURVE,), {"subsets": SUBSETS}),
    "log_ratio": (LINES, (RATIO, 0.5), {"discrete": True}),
    "narrowing": (BARS, (pd.Series({"everyone": 1000, "age = 35": 40, "a judge": 1}),), {}),
    "noise_draws": (LINES, (DRAWS,), {"limit": 0.5}),
    "posteriors": (BARS, (POSTERIORS,), {"prior": PRIOR}),
    "power": (LINES, (POWER,), {}),
    "prior": (BARS, (PRIOR,), {}),
    "records": (TEXTS, (RECORDS,), {"marked": [True, False, False], "more": 7}),
    "regions": (BARS, (REGIONS, POINTS), {}),
    "rig": (LINES, (BITS.sum(axis=1),), {"pif": 2.5, "n": 95}),
    "risk_loss": (LINES, (RELEASES,), {}),
    "riskiest_rows": (BARS, (BITS,), {"top": 2}),
    "search": (BARS, (SEARCH,), {"target": 2.2, "unit": "λ"}),
    "treatments": (MARKS, (PLANE,), {"unit": "bits"}),
    "uniqueness": (MARKS, (SUBSETS,), {"curve": CURVE}),
    "verdicts": (TEXTS, (NUMBERS, KEPT), {}),
    "widths": (LINES, (BY_EPSILON,), {"unit": "people"}),
    "world_posterior": (BARS, (MEANS / 5,), {"prior": [0.5, 0.5], "rho": 0.45}),
    "worlds": (MARKS, (WORLDS, MEANS), {"known": 2, "unit": "years"}),
}
NEEDED = {"crowds": ["k"], "noise_draws": ["limit"], "worlds": ["known"]}  # no default
EVERY = pytest.mark.parametrize("name", CASES)


def draw(name, /, *, options=True, **keywords):
    """Call one plot with its case."""
    _, results, more = CASES[name]
    more = more if options else {key: more[key] for key in NEEDED.get(name, ())}
    return getattr(plots, f"plot_{name}")(*results, **more, **keywords)


def png(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def artists(ax):
    return [*ax.patches, *ax.lines, *ax.texts, *ax.collections, *ax.images]


def test_every_plot_has_a_case():
    named = {name for name in plots.__all__ if name.startswith("plot_")}
    assert {f"plot_{name}" for name in CASES} == named


@EVERY
@pytest.mark.parametrize("options", [True, False])
def test_draws_on_the_axes_it_is_given_and_leaves_the_style_alone(name, options):
    plt.get_backend()  # chosen now, so that it does not look like a change of style
    before, ax = plt.rcParams.copy(), Figure(layout="constrained").subplots()
    assert draw(name, options=options, ax=ax) is ax
    assert artists(ax) and ax.get_title() == "" and ax.figure.get_suptitle() == ""
    assert plt.get_fignums() == [] and plt.rcParams == before
    draw(name, options=options)
    assert len(plt.get_fignums()) == 1, "without axes, one new figure"


@EVERY
def test_the_same_results_give_the_same_picture_and_stay_as_they_were(name):
    before = pickle.dumps(CASES[name])
    first, second = (Figure(layout="constrained") for _ in range(2))
    for figure in (first, second):
        draw(name, ax=figure.subplots())
    assert png(first) == png(second)
    assert pickle.dumps(CASES[name]) == before


@EVERY
def test_a_caller_wins_by_any_name_of_a_keyword(name):
    kind = CASES[name][0]
    if kind == IMAGE:
        ax = draw(name, cmap="viridis")
        assert {*ax.images, *ax.collections}.pop().get_cmap().name == "viridis"
    elif kind == TEXTS:
        assert 5.5 in [text.get_fontsize() for text in draw(name, size=5.5).texts]
    else:
        ax = draw(name, lw=3.25)
        widths = [a.get_linewidth() for a in artists(ax) if hasattr(a, "get_linewidth")]
        assert 3.25 in np.concatenate([np.atleast_1d(width) for width in widths])


@EVERY
def test_each_axis_says_what_it_shows_in_words(name):
    """By its label, or by the names of its rows or columns; a written table needs neither."""
    ax = draw(name)
    for axis in (ax.xaxis, ax.yaxis) if CASES[name][0] != TEXTS else ():
        ticks = [text.get_text() for text in axis.get_ticklabels()]
        assert axis.get_label_text() or any(any(map(str.isalpha, text)) for text in ticks)


def boxes(texts, renderer):
    """Places of texts; of annotations without their arrows."""
    return [
        Text.get_window_extent(text, renderer).padded(-1)
        for text in texts
        if text.get_visible() and text.get_text().strip()
    ]


@EVERY
def test_no_text_is_cut_or_hides_another(name):
    figure = Figure((8, 4), layout="constrained")
    ax = draw(name, ax=figure.subplots())
    canvas, legend = FigureCanvasAgg(figure), ax.get_legend()
    canvas.draw()
    renderer = canvas.get_renderer()
    ticks = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    labels = [ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else [])]
    page, view = figure.bbox.padded(2), ax.get_window_extent().padded(1)
    shown = [box for box in boxes(ticks, renderer) if near(box, view)]
    shown += boxes([*ax.texts, *labels], renderer)
    assert all(page.contains(*box.min) and page.contains(*box.max) for box in shown)
    assert not [(a, b) for i, a in enumerate(shown) for b in shown[:i] if a.overlaps(b)]


def near(box, view):
    """Whether a tick's label stands beside the axes: others are beyond and are not drawn."""
    middle = (box.min + box.max) / 2
    return view.x0 <= middle[0] <= view.x1 or view.y0 <= middle[1] <= view.y1


@pytest.mark.parametrize("name", sorted({*CASES} - {"densities", "beliefs"}))
def test_colours_are_those_of_the_palette_or_grey(name):
    """Shades of numbers have a colour map; pale areas keep the hue of their colour."""
    allowed = [rgb_to_hsv(to_rgb(colour))[0] for colour in _style.PALETTE]
    for artist in artists(draw(name)):
        if getattr(artist, "get_array", lambda: None)() is None:
            for part in ("get_color", "get_facecolor", "get_edgecolor"):
                for colour in to_rgba_array(getattr(artist, part, lambda: "black")()):
                    hue, saturation, _ = rgb_to_hsv(colour[:3])
                    assert saturation < 0.08 or min(abs(hue - one) for one in allowed) < 0.04


def test_what_is_written_on_a_colour_can_be_read():
    for colour in [*_style.FILLS, "white", "0.2"]:
        light = relative_luminance(colour), relative_luminance(_style.ink_on(colour))
        assert (max(light) + 0.05) / (min(light) + 0.05) >= 4.5, "contrast of WCAG 2.2"
    for colour in _style.COLOURS[:3]:
        assert 1.05 / (relative_luminance(colour) + 0.05) >= 3, "lines on white"
