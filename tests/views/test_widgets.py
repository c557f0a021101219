"""Widgets: what figure and sentence say for a setting, and that every control works."""

import html
import re

import ipywidgets as W
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from toolkit import cell_information_gain, cell_surprise_factor, row_information_gain
from toolkit.datasets import load_cig_toy, load_hackathon, load_people
from toolkit.widgets import (
    cell_explorer,
    cell_figure,
    cell_summary,
    explorer,
    information as widgets,
    pif_explorer,
    pif_figure,
    pif_summary,
    prior_explorer,
    prior_figure,
    prior_summary,
    treat,
    treatment_explorer,
    treatment_figure,
    treatment_outcome,
    treatment_summary,
)

TOY, PEOPLE = load_cig_toy(), load_people()
CENSUS = {"gender": {"census": {"male": 0.51, "female": 0.49}}}
PNG = b"\x89PNG\r\n"
ODD = pd.DataFrame(
    [["<b>&", None, 1.5, True], ["$x$", None, np.nan, False], ["<b>&", None, np.inf, True]],
    index=["r", "r", None],
)
ODD.columns = pd.Index(["a", "a", ("t", 1), np.nan], tupleize_cols=False)
MANY = pd.DataFrame({"id": [f"name {i}" for i in range(200)], "sex": list("mf") * 100})
AWKWARD = {
    "one cell": pd.DataFrame({"only": ["x"]}),
    "one row": pd.DataFrame([["a", 1, None]]),
    "one column": pd.DataFrame({"only": list("aab")}),
    "odd labels": ODD,
    "numbers as names": TOY.set_axis([2, 0, 1], axis=1).set_axis(list("gfedcba")),
    "names of arguments": TOY.set_axis(["figure", "self", "setting"], axis=1),
    "200 values": MANY,
    "all missing": pd.DataFrame({"a": [None, None], "b": [np.nan, np.nan]}),
    "categories": TOY.astype("category"),
    "intervals": pd.DataFrame(
        {"age": pd.cut([1, 5, 9], 2), "day": pd.Timestamp("2020-01-01")}
    ),
}
EACH_EXPLORER = {
    "cell": cell_explorer,
    "pif": pif_explorer,
    "prior": lambda data: prior_explorer(data, _even_prior(data)),
    "treatment": treatment_explorer,
}


def _even_prior(data):
    """Census of the first column only, whatever its name."""
    values = pd.factorize(data.iloc[:, 0], use_na_sentinel=False)[1]
    even = pd.Series(1 / len(values), index=pd.Index(values))
    return [{"even": even}] + [None] * (data.shape[1] - 1)


def said(box):
    """The sentence without its markup, on one line."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", box.summary.value)).split())


def png(box):
    return bytes(box.image.value)


def works(box):
    return png(box).startswith(PNG) and "Not possible" not in box.summary.value


def ends(control):
    """Values at both ends of a control."""
    if hasattr(control, "options"):
        values = [o[1] if isinstance(o, tuple) else o for o in control.options]
        return [values[-1], values[0]]
    return [control.min, control.max]


@pytest.fixture(autouse=True)
def _nothing_is_left_open():
    yield
    assert plt.get_fignums() == [], "widgets draw without pyplot"


# ---------------------------------------------------------------- explorer


def numbered(n):
    figure = Figure(figsize=(1, 1))
    figure.subplots().plot([0, n])
    return figure


def test_explorer_shows_figure_and_sentence_and_follows_its_controls():
    slider = W.IntSlider(1, 0, 9, description="n")
    box = explorer(numbered, lambda n: f"n is {n}", n=slider)
    assert isinstance(box, W.VBox) and box.get_state()["_model_name"] == "VBoxModel"
    assert box.controls == {"n": slider} and slider.continuous_update is False
    before = png(box)
    assert before.startswith(PNG) and box.summary.value == "n is 1"
    slider.value = 7
    assert box.summary.value == "n is 7" and png(box) != before
    slider.value = 1
    assert png(box) == before, "the same setting gives the same bytes"


def test_explorer_shows_the_message_of_a_refused_setting_and_recovers():
    def refuse(n):
        if n == 2:
            raise ValueError("n must not be <2>")
        return numbered(n)

    box = explorer(refuse, lambda n: f"n is {n}", n=W.IntSlider(1))
    box.controls["n"].value = 2
    assert box.summary.value == "<b>Not possible:</b> n must not be &lt;2&gt;"
    assert png(box).startswith(PNG) and box.image.layout.display is None, "it stays, greyed"
    box.controls["n"].value = 3
    assert png(box).startswith(PNG) and box.image.layout.display is None


# ---------------------------------------------------------------- one cell


def test_cell_shows_cohort_gain_and_surprise():
    text = said(cell_explorer(TOY))
    assert text.startswith(
        "Record 0: gender = male . The rest of the row fits 1 of 7 records:"
    )
    box = cell_explorer(TOY)
    box.controls["feature"].value = "name"
    assert "fits 2 of 7 records" in said(box) and "4 male Emil blue" in said(box)
    assert (
        "CIG = 1.31 bits , CSF = 0.36 : the probability of Anton goes from 0.143 to 0.5"
        in (said(box))
    )
    assert [label for label, _ in box.controls["row"].options][:2] == [
        "0: male, Anton, blue",
        "1: male, Bill, green",
    ]


def test_cell_says_what_the_metrics_say_of_every_cell():
    cig, csf = cell_information_gain(TOY), cell_surprise_factor(TOY)
    for (row, feature), gain in cig.stack().items():
        text = cell_summary(TOY, row, feature)
        assert f"CIG = {gain:.2f} bits" in text
        assert f"CSF = {csf.loc[row, feature]:.2f}<" in text


def test_cell_figure_draws_prior_posterior_and_terms():
    left, right = cell_figure(TOY, 0, "eye_color").axes
    posterior, prior = left.containers
    assert [bar.get_width() for bar in posterior] == [1, 0]
    np.testing.assert_allclose([bar.get_width() for bar in prior], [2 / 7, 5 / 7])
    total = right.containers[-1][0].get_width()
    assert total == pytest.approx(1.8073549221)


def test_cell_takes_priors_and_weights():
    box = cell_explorer(PEOPLE, priors={"gender": CENSUS["gender"]["census"]})
    box.controls["row"].value = 2
    assert "CIG = 0.97 bits" in said(box)
    weighted = cell_explorer(TOY, weights=[1, 1, 1, 1, 1, 1, 6])
    weighted.controls["row"].value = 6
    assert "from 0.5 to" in said(weighted), "six women and six men"


def test_cell_of_a_rare_value_keeps_its_bar_among_thousands():
    left, right = cell_figure(MANY, 137, "id").axes
    labels = [label.get_text() for label in left.get_yticklabels()]
    assert "name 137" in labels and labels[-1] == "190 others" and len(labels) == 11
    assert sum(bar.get_width() for bar in left.containers[1]) == pytest.approx(1)
    assert right.containers[-1][0].get_width() == pytest.approx(1)


def test_cell_lists_at_most_ten_records_of_a_cohort():
    crowd = pd.DataFrame({"town": ["A"] * 30, "illness": ["flu", "hiv", "flu"] * 10})
    text = cell_summary(crowd, 0, "illness")
    assert text.count("<tr") == 11 and "… and 20 more" in text


def test_cell_of_a_large_table_is_picked_by_number():
    box = cell_explorer(MANY)
    row = box.controls["row"]
    assert (row.description, row.min, row.max) == ("row", 0, 199)
    row.value = 1_000_000
    assert row.value == 199 and "Record 199" in said(box)


# ---------------------------------------------------------------- PIF


def test_pif_says_how_many_reveal_more():
    box = pif_explorer(TOY)
    assert said(box) == "PIF 95 = 3.18 bits : 1 of 7 records (14.3 %) reveals more."
    box.controls["n"].value = 50
    assert said(box) == "PIF 50 = 1.31 bits : 3 of 7 records (42.9 %) reveal more."
    box.controls["n"].value = 100
    assert said(box) == "PIF 100 = 3.34 bits : 0 of 7 records (0 %) reveal more."


def test_pif_takes_gains_that_are_there_already():
    cig = cell_information_gain(TOY)
    assert said(pif_explorer(cig=cig)) == said(pif_explorer(TOY))
    for wrong in ({}, {"data": TOY, "cig": cig}):
        with pytest.raises(ValueError, match="either data or cig="):
            pif_explorer(**wrong)
    with pytest.raises(TypeError, match="result of cell_information_gain"):
        pif_explorer(cig=TOY)


def test_pif_figure_draws_every_record_and_the_line():
    cig = cell_information_gain(TOY)
    curve, pif, share = pif_figure(cig, 50).axes[0].lines
    np.testing.assert_allclose(curve.get_xdata()[1:], sorted(row_information_gain(cig)))
    assert pif.get_xdata()[0] == pytest.approx(1.3076554209) and share.get_ydata()[0] == 0.5
    assert "PIF<sub>50</sub> = 1.31 bits" in pif_summary(cig, 50)


# ---------------------------------------------------------------- prior and accuracy


def test_prior_and_accuracy_change_the_gain():
    box = prior_explorer(PEOPLE, CENSUS)
    assert said(box).startswith("Prior of gender : the table itself. Accuracy 1.00")
    box.controls["prior"].value = "census"
    assert "male 0.51, female 0.49" in said(box)
    assert "mean CIG = 0.486 bits , largest 0.971 bits (record 2)" in said(box)
    box.controls["accuracy"].value = 0
    assert "mean CIG = 0 bits" in said(box) and "At accuracy 1 it would be 0.486" in said(box)


def test_prior_figure_shows_the_gain_shrink_with_accuracy():
    left, right = prior_figure(PEOPLE, "gender", CENSUS["gender"]["census"], 0.5).axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == [
        *["2: green, accountant", "0: blue, dentist", "prior"]
    ]
    largest, dot = right.lines[:2]
    assert (np.diff(largest.get_ydata()) > 0).all() and largest.get_ydata()[0] == 0
    assert largest.get_ydata()[-1] == pytest.approx(-np.log2(0.51))
    assert dot.get_xdata() == [0.5] and dot.get_ydata() == [largest.get_ydata()[10]]
    assert "Accuracy 0.50" in prior_summary(PEOPLE, "gender", None, 0.5)


def test_prior_explorer_can_watch_the_surprise():
    box = prior_explorer(PEOPLE, CENSUS, measure="CSF")
    box.controls["prior"].value, box.controls["accuracy"].value = "census", 0.5
    assert "mean CSF = " in said(box) and "bits" not in said(box)
    with pytest.raises(ValueError, match="measure must be one of .* got 'rig'"):
        prior_explorer(PEOPLE, CENSUS, measure="rig")


def test_prior_that_a_feature_lacks_or_that_does_not_fit_is_answered():
    census = {**CENSUS, "eyes": {"poll": {"blue": 1.0}}}
    box = prior_explorer(PEOPLE.set_axis(["gender", "eyes", "job"], axis=1), census)
    box.controls["prior"].value = "poll"
    assert said(box).startswith("Not possible: gender has no prior 'poll', only ['empirical'")
    box.controls["feature"].value = "eyes"
    assert "gives no probability to 'green'" in said(box)
    box.controls["prior"].value = "empirical"
    assert works(box)


@pytest.mark.parametrize(
    ("census", "error", "message"),
    [
        ({}, ValueError, "census is empty"),
        ({"gander": {}}, ValueError, "census: .*no column 'gander'.*'gender'"),
        ({"gender": {"male": 0.51}}, TypeError, "needs {label: {value: .*'male' is a float"),
    ],
)
def test_census_that_cannot_be_read_is_refused_at_once(census, error, message):
    with pytest.raises(error, match=message):
        prior_explorer(PEOPLE, census)


# ---------------------------------------------------------------- treatments


def test_treat_knows_every_action():
    data = pd.DataFrame(
        {"age": [17, 39, 40], "code": [2600, 200, 2611], "job": ["nurse", None, "poet"]}
    )
    actions = {"age": ("bin", 10), "code": ("truncate", 1), "job": "flag"}
    treated = treat(data, actions)
    assert treated["age"].astype(str).tolist() == ["[10, 20)", "[30, 40)", "[40, 50)"]
    assert treated["code"].tolist() == ["2***", "0***", "2***"], "a code keeps its zeros"
    assert treated["job"].tolist() == ["present", "missing", "present"]
    assert treat(data, {"age": "drop", "job": "keep"}).columns.tolist() == ["code", "job"]
    assert set(treat(data, {"job": ("pool", 2)})["job"]) == {"other"}
    with pytest.raises(ValueError, match="no treatment 'melt'; choose of"):
        treat(data, {"age": "melt"})


def test_treatment_reports_risk_and_utility():
    data = load_hackathon()
    outcome, cig = treatment_outcome(data, {}), cell_information_gain(data)
    assert outcome["mean_rig"] == pytest.approx(row_information_gain(cig).mean())
    assert outcome["marginals"] == outcome["columns_kept"] == 1
    both = treatment_outcome(data, {"job": "drop", "POSTCODE": "drop"})
    left = cell_information_gain(data.drop(columns=["job", "POSTCODE"]))
    assert both["mean_rig"] == pytest.approx(row_information_gain(left).mean())
    outcomes = pd.DataFrame([outcome, both], index=["untreated", "drop both"])
    text = treatment_summary(outcomes, "drop both")
    assert "mean RIG = 0.59 bits (was 31.46)" in text and "columns kept 66.7 %" in text
    ax = treatment_figure(outcomes, "drop both").axes[0]
    ring, points = ax.collections
    np.testing.assert_allclose(ring.get_offsets()[0], points.get_offsets()[1])
    assert [text.get_text() for text in ax.texts] == ["untreated", "now"]
    trail = pd.DataFrame([outcome, both, both], index=["untreated", "drop both", "again"])
    texts = treatment_figure(trail, "again").axes[0].texts
    assert {text.get_text() for text in texts} <= {"untreated", "1", "now"}
    assert "Tried before: 1: drop both." in treatment_summary(trail, "again")


def test_treatment_lab_keeps_a_short_trail(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        widgets,
        "treatment_figure",
        lambda outcomes, now: drawn.append(outcomes) or treatment_figure(outcomes, now),
    )
    controls = treatment_explorer(TOY).controls
    controls["gender"].value = "drop"
    controls["eye_color"].value = ("truncate", 1)
    assert drawn[-1].index.tolist() == [
        *["untreated", "drop gender", "drop gender, eye_color first 1"]
    ]
    for _, value in controls["name"].options:
        controls["name"].value = value
    assert len(drawn[-1]) == 7 and drawn[-1].index[0] == "untreated"
    controls["gender"].value = controls["name"].value = controls["eye_color"].value = "keep"
    assert drawn[-1].index.tolist().count("untreated") == 1


def test_treatment_lab_offers_what_makes_sense():
    data = pd.DataFrame(
        {"age": range(100), "job": ["nurse", None] * 50, "wise": [True, False] * 50}
    )
    controls = treatment_explorer(data).controls
    offered = {name: [label for label, _ in c.options] for name, c in controls.items()}
    assert "bins of 10" in offered["age"] and "present or missing" not in offered["age"]
    assert "present or missing" in offered["job"] and "first 1 character" in offered["job"]
    assert offered["wise"] == ["keep", "drop", "pool values of < 100 records"]


# ---------------------------------------------------------------- all of them, on any table


@pytest.mark.parametrize("make", EACH_EXPLORER.values(), ids=EACH_EXPLORER)
@pytest.mark.parametrize("data", AWKWARD.values(), ids=AWKWARD)
def test_every_control_works_to_its_ends(make, data):
    before = data.copy(deep=True)
    box = make(data)
    assert works(box)
    for control in box.controls.values():
        for value in ends(control):
            control.value = value
            last_one_dropped = value == "drop" and len(box.controls) == 1
            assert works(box) or last_one_dropped or np.inf in data.to_numpy()
    pd.testing.assert_frame_equal(data, before)
    assert data.columns.equals(before.columns)


@pytest.mark.parametrize("make", EACH_EXPLORER.values(), ids=EACH_EXPLORER)
def test_what_is_no_table_is_refused(make):
    with pytest.raises((TypeError, AttributeError), match="DataFrame|iloc"):
        make([[1, 2]])


def test_a_notebook_stores_the_state_of_its_widgets():
    notebook = new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [
        new_code_cell(
            "from toolkit.datasets import load_cig_toy\n"
            "from toolkit.widgets import pif_explorer\n"
            "box = pif_explorer(load_cig_toy())\nbox"
        ),
        new_code_cell('box.controls["n"].value = 50\nbox.summary.value'),
    ]
    NotebookClient(notebook, timeout=120).execute()
    nbformat.validate(notebook)
    assert "1.31 bits" in notebook.cells[1].outputs[0]["data"]["text/plain"]
    assert not [out for cell in notebook.cells for out in cell.outputs if "name" in out]
    kept = notebook.cells[0].outputs[0]["data"]  # for readers without widgets
    assert kept["text/plain"].startswith("PIF95 = ")
    assert kept["image/png"].startswith("iVBOR")
    state = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    by_name = {model["model_name"]: model for model in state.values()}
    assert "PIF<sub>50</sub> = 1.31 bits" in by_name["HTMLModel"]["state"]["value"]
    assert by_name["ImageModel"]["buffers"][0]["data"].startswith("iVBOR")
    assert by_name["IntSliderModel"]["state"]["description"] == "n (%)"
