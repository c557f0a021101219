"""What holds of every `*_explorer`, and what each says of settings that can be checked.

The tables are small, and their names and cells are markup, so that all are tried as text.
"""

import base64
import itertools
import struct
import sys

import ipywidgets as W
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import toolkit as tk
from toolkit import widgets
from toolkit.datasets import (
    load_adult_facts,
    load_hackathon,
    load_histogram_settings,
    load_incidents,
    load_people,
)
from toolkit.widgets import _explorer

PNG = b"\x89PNG\r\n"
TAG = "<script>1</script>"
PEOPLE = pd.DataFrame(
    {
        TAG: [TAG, TAG, "b", "b", "b", "c"],
        "age": [35, 35, 36, 39, 40, 71],
        "ill": ["flu", "hiv", None, "flu", TAG, TAG],
    },
    index=[9, 9, 3, 1, 0, 5],
)
TREES = {
    TAG: tk.suppression_hierarchy(PEOPLE[TAG]),
    "age": tk.interval_hierarchy(range(80), [10, 40]),
}
NODES = pd.DataFrame(
    {"order": [2, 1, np.nan], "satisfied": [False, True, True], "loss": [0.1, 0.5, 0.7]},
    index=pd.MultiIndex.from_tuples([(0, 0), (0, 1), (1, 1)], names=[TAG, "b"]),
).assign(settled=[2, 1, 2])
CALLS, (_, BINS, DOMAIN) = load_incidents().head(300), load_histogram_settings("incidents")
FACTS = load_adult_facts()
CENSUS = {TAG: {TAG: {TAG: 0.25, "b": 0.5, "c": 0.25}}, "age": {"even": None}}
WORLDS = pd.Series([0.0, 1.0, 3.0])
PLANE = pd.DataFrame({"age": [35] * 5 + [71], "pay": [1] * 5 + [7]})
ENDLESS = PLANE.replace(71, np.inf)

MADE = {
    "attack": lambda: widgets.attack_explorer(PEOPLE, [TAG, "ill"], "age", number="age"),
    "audit": widgets.audit_explorer,
    "averaging": widgets.averaging_explorer,
    "cell": lambda: widgets.cell_explorer(PEOPLE),
    "columns": lambda: widgets.columns_explorer(PEOPLE, list(PEOPLE)),
    "generalisation": lambda: widgets.generalisation_explorer(PEOPLE, TREES),
    "halving": lambda: widgets.halving_explorer(WORLDS, 0.5),
    "histogram": lambda: widgets.histogram_explorer(
        CALLS, ["month_c", "injured_c"], BINS, DOMAIN, beside={TAG: ["kind_c"]}
    ),
    "identifiability": lambda: widgets.identifiability_explorer(candidates=(2, 4, 10, 11)),
    "mondrian": lambda: widgets.mondrian_explorer(PLANE, ["age", "pay"]),
    "noise": widgets.noise_explorer,
    "pif": lambda: widgets.pif_explorer(PEOPLE),
    "policy": lambda: widgets.policy_explorer(
        FACTS.head(2).assign(column=[TAG, "age"], unit=[TAG, "years"])
    ),
    "prior": lambda: widgets.prior_explorer(PEOPLE, CENSUS),
    "search": lambda: widgets.search_explorer(NODES),
    "standing_out": lambda: widgets.standing_out_explorer(PEOPLE, [TAG, "age"], fraction=1.0),
    "treatment": lambda: widgets.treatment_explorer(PEOPLE),
}
OF_LESSONS = [name for name in MADE if name != "prior"]
ALONE = {  # settings from which a control is moved, if it changes nothing from the first one
    "attack": {"width": 10},
    "audit": {"name": "Laplace in doubles", "samples": 10_000},
    "mondrian": {"rounds": 3, "relaxed": True},
}
REFUSED = [  # settings, and what is said of them
    ("histogram", {"month_c": False, "injured_c": False}, "tick at least one"),
    ("identifiability", {"weights": "0, 0, 0, 0"}, "every world has the prior 0"),
    ("identifiability", {"candidates": "2, x"}, "could not convert string to float"),
    ("prior", {"feature": "age", "prior": TAG}, "age has no prior"),
    ("standing_out", {f"known: {TAG}": False, "known: age": False}, "tick at least one"),
    ("treatment", {column: "drop" for column in PEOPLE}, "leave at least one"),
    ("halving", {"rho": 0.01}, "cannot be reached by any noise"),
]
EVERY = pytest.mark.parametrize("name", MADE)


@pytest.fixture(autouse=True)
def _fewer_dots(monkeypatch):
    """Draw fewer dots, which takes half of the time."""
    monkeypatch.setattr(_explorer, "DPI", 40)
    yield
    assert plt.get_fignums() == [], "explorers draw without pyplot"


def seen(box):
    """Text and picture."""
    return box.summary.value, bytes(box.image.value)


def size(picture):
    """Pixels of a picture, from its header."""
    return struct.unpack(">II", picture[16:24])


def values_of(control):
    """Both ends of a control, and what stands next to the first."""
    if hasattr(control, "options"):
        options = [o[1] if isinstance(o, tuple) else o for o in control.options]
        return [*options[:2], options[-1]]
    if isinstance(control.value, bool):
        return [True, False]
    if isinstance(control.value, str):
        return [control.value]
    ends = [control.min, control.max]
    return [control.base**end for end in ends] if hasattr(control, "base") else ends


def moved(box, values):
    """Text of an explorer with some of its controls moved."""
    box.move(values)
    return box.summary.value


def test_every_explorer_has_a_case():
    named = {name for name in widgets.__all__ if name.endswith("_explorer")}
    assert {f"{name}_explorer" for name in MADE} == named


@EVERY
def test_each_control_changes_text_or_figure_and_comes_back(name):
    box = MADE[name]()
    first = seen(box)
    assert first[1].startswith(PNG) and "Not possible" not in first[0], first[0]
    assert seen(MADE[name]()) == first, "the same state has the same bytes"
    box.move(ALONE.get(name, {}))
    start = seen(box)
    for key, control in box.controls.items():
        before, answers = control.value, set()
        for value in values_of(control):
            last, control.value = seen(box), value
            text, picture = seen(box)
            assert "<script" not in text and "Traceback" not in text
            assert size(picture) == size(first[1]), "the picture keeps its size"
            assert box.image.layout.display is None
            if text.startswith("<b>Not possible:</b> "):
                assert picture == last[1], "the last picture stays"
            answers.add((text, picture))
        assert len(answers) > 1 or isinstance(control.value, str), f"{key} changes nothing"
        control.value = before
        assert seen(box)[0].split("<br>Tried")[0] == start[0], "it comes back"
        assert name == "treatment" or seen(box) == start


@pytest.mark.parametrize("name", OF_LESSONS)
def test_a_slider_walks_few_functions(name):
    """Distinct functions of the toolkit that the second move of each control enters."""
    box = MADE[name]()
    for control in box.controls.values():
        values, walked = values_of(control), set()
        control.value = values[-1]

        def note(frame, event, _, walked=walked):
            code = frame.f_code
            if event == "call" and "/toolkit/" in code.co_filename and code.co_name[0] != "<":
                walked.add(code)

        sys.setprofile(note)
        control.value = values[0]
        sys.setprofile(None)
        assert len(walked) <= 50, sorted(code.co_qualname for code in walked)


@pytest.mark.parametrize(("name", "setting", "said"), REFUSED)
def test_a_refusal_is_the_text_and_the_last_picture_stays(name, setting, said):
    box = MADE[name]()
    first = seen(box)
    start = {key: box.controls[key].value for key in setting}
    text = moved(box, setting)
    assert text.startswith("<b>Not possible:</b> ") and said in text
    assert seen(box)[1] == first[1] and box.image.layout.display is None
    assert moved(box, start) == first[0]


def test_a_saved_notebook_keeps_the_picture_and_the_text():
    box = widgets.pif_explorer(PEOPLE)
    bundle = box._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == bytes(box.image.value)
    assert bundle["text/plain"].startswith("PIF95 = ")
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_an_explorer_of_ones_own_says_why_it_shows_nothing():
    def see(n):
        if n < 0:
            raise RuntimeError("n must not be <0>")
        return f"n is {n}", Figure(figsize=(2, 1))

    box = widgets.explorer(see, n=W.IntSlider(-1, -1, 9))
    assert box.summary.value == "<b>Not possible:</b> n must not be &lt;0&gt;"
    assert box.image.layout.display == "none", "there is no picture yet"
    box.controls["n"].value = 3
    assert box.summary.value == "n is 3" and box.image.layout.display is None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: widgets.cell_explorer([1, 2]), TypeError, "data must be a pandas DataFrame"),
        (
            lambda: widgets.cell_explorer(PEOPLE.set_axis(list("aab"), axis=1)),
            ValueError,
            "'a'",
        ),
        (lambda: widgets.columns_explorer(PEOPLE, ["agee"]), ValueError, "mean 'age'"),
        (lambda: widgets.mondrian_explorer(PEOPLE, ["age", "ill"]), ValueError, "of numbers"),
        (lambda: widgets.attack_explorer(PEOPLE, [], "ill", number=TAG), TypeError, "number"),
        (lambda: widgets.prior_explorer(PEOPLE, {"agee": {}}), ValueError, "census must be"),
    ],
)
def test_what_cannot_be_explored_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


# What they say


@pytest.mark.parametrize(
    ("box", "setting", "said"),
    [
        (
            lambda: widgets.prior_explorer(
                load_people(), {"gender": {"census": {"male": 0.51, "female": 0.49}}}
            ),
            {"prior": "census"},
            "<b>mean CIG = 0.486 bits</b>, largest 0.971 bits (record 2)",
        ),
        (
            lambda: widgets.treatment_explorer(load_hackathon()),
            {"job": "drop", "POSTCODE": "drop"},
            "mean RIG = 0.59 bits (was 31.46)",
        ),
        (MADE["attack"], {"number": 35, "width": 1}, "<b>2 of 6 records fit:</b>"),
        (MADE["attack"], {"number": 50, "width": 1}, "<b>None of 6 records fits:</b>"),
        (MADE["attack"], {"known: ill": 2}, "<b>1 of 6 records fits:</b>"),
        (
            lambda: widgets.attack_explorer(ENDLESS, [], "pay", number="age"),
            {"width": 1},
            "<b>5 of 6 records fit:</b>",
        ),
        (MADE["columns"], {"age": True}, "<b>4 of 6 records (67 %) are alone</b>; k = 1."),
        (
            MADE["mondrian"],
            {"rounds": 9, "relaxed": True},
            "<b>1 cut, 2 regions</b> of 3 to 3 records.",
        ),
        (MADE["noise"], {}, "scale 1: 95 % of the answers are within ± 3 of the truth; every"),
        (MADE["noise"], {"mechanism": "gaussian"}, "<b>leaves the band</b>"),
        (MADE["averaging"], {"k": 320}, "a standard deviation of 0.791."),
        (MADE["audit"], {"samples": 200_000}, "<b>violation</b>. (What is true of this pair"),
        (MADE["histogram"], {"sample_size": 3, "epsilon": 3.0}, "<b>combined</b>: "),
        (
            lambda: widgets.policy_explorer(FACTS),
            {"column": "age", "rho": 0.1, "records": 1000},
            f"<b>ε = {tk.epsilon_bound(0.1, 74):.4g}</b> by the bound",
        ),
    ],
)
def test_what_an_explorer_says(box, setting, said):
    assert said in moved(box(), setting)


def test_generalisation_by_hand_agrees_with_the_metrics():
    box, names = MADE["generalisation"](), [TAG, "age"]
    for k, first, second in itertools.product((2, 3, 5), (False, True), range(4)):
        levels = {TAG: int(first), "age": second}
        text = moved(box, {f"level of {TAG}": first, "level of age": second, "k": k})
        treated = tk.generalise(PEOPLE, TREES, levels)
        assert f"<b>k = {tk.k_anonymity(treated, names)}</b>" in text
        sizes = tk.class_sizes(treated, names)
        few = tk.equivalence_class(treated, names).map(sizes.reset_index(drop=True)) < k
        loss = tk.information_loss(PEOPLE, tk.suppress(treated, few.to_numpy(), names), TREES)
        assert f"Loss {loss:.0%}".replace("%", " %") in text
        assert (f"<b>{few.sum()} of 6 records" in text) == few.any()
        assert ("nobody is left" in text) == few.all()


def test_the_bracket_of_a_binary_search_closes_on_the_exact_scale():
    box, exact = MADE["halving"](), tk.tight_scale(WORLDS, 0.5)
    for step in range(1, 13):
        words = moved(box, {"step": step}).split()
        low, high = float(words[5]), float(words[7].rstrip("."))
        assert low <= exact * 1.0001 and exact <= high * 1.0001
        assert high - low == pytest.approx(
            tk.scale_bound(3, 0.5, 3) / 2 ** (step - 1), rel=0.1
        )


def test_who_stands_out_agrees_with_the_metrics():
    rng = np.random.default_rng(2)
    people = pd.DataFrame(
        {"age": rng.integers(20, 80, 900), "sex": rng.choice(["f", "m"], 900)}
    )
    box = widgets.standing_out_explorer(
        people.assign(pay=rng.normal(size=900)), ["age", "sex"]
    )
    for score, share, flagged in (("class size", "1 %", 90), ("euclidean", "5 %", 5)):
        text = moved(box, {"score": score, "share": share})
        assert "of 90 rows are flagged" in text
        alone = tk.sample_uniqueness(people, ["age", "sex"])["unique"]
        words = text.replace(",", "").split()
        told = int(words[words.index("rows") - 3].removeprefix("<b>"))
        assert told <= flagged and (score == "class size" or told == flagged)
        assert int(words[words.index("here") - 3]) >= int(words[words.index("also") - 3])
        assert int(words[words.index("also") - 3]) <= alone.sum()
