"""What holds of every `*_explorer`: each control at its ends, refusals in words, same bytes.

The tables are small and their names and cells are markup, so that all are tried as text. The
whole contract takes about 40 seconds on one quiet core.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit import widgets
from toolkit.datasets import load_adult_facts, load_histogram_settings, load_incidents
from toolkit.report.model import open_table
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
KNOWN = [TAG, "age"]
NODES = pd.DataFrame(
    {"order": [2, 1, np.nan], "satisfied": [False, True, True], "loss": [0.1, 0.5, 0.7]},
    index=[TAG, "b", "c"],
)
NODES = NODES.set_axis(pd.MultiIndex.from_tuples([(0, 0), (0, 1), (1, 1)], names=[TAG, "b"]))
CALLS, (_, BINS, DOMAIN) = load_incidents().head(300), load_histogram_settings("incidents")
FACTS = load_adult_facts()
FACTS = FACTS.head(2).assign(column=[TAG, "age"], unit=[TAG, "years"])
PAY = [1, 9, 2, 8, 3, 7]
CENSUS = {TAG: {TAG: {TAG: 0.25, "b": 0.5, "c": 0.25}}, "age": {"even": None}}


MADE = {
    "attack": lambda: widgets.attack_explorer(PEOPLE, [TAG, "ill"], "age", number="age"),
    "audit": widgets.audit_explorer,
    "averaging": widgets.averaging_explorer,
    "cell": lambda: widgets.cell_explorer(PEOPLE),
    "class": lambda: widgets.class_explorer(PEOPLE, TAG, ["ill", "age"]),
    "columns": lambda: widgets.columns_explorer(PEOPLE, list(PEOPLE)),
    "generalisation": lambda: widgets.generalisation_explorer(PEOPLE, TREES),
    "halving": lambda: widgets.halving_explorer(pd.Series([0.0, 1.0, 3.0]), 0.5),
    "histogram": lambda: widgets.histogram_explorer(
        CALLS, ["month_c", "injured_c"], BINS, DOMAIN, beside={TAG: ["kind_c"]}
    ),
    "identifiability": lambda: widgets.identifiability_explorer(candidates=(2, 4, 10, 11)),
    "mondrian": lambda: widgets.mondrian_explorer(PEOPLE.assign(pay=PAY), ["age", "pay"]),
    "noise": widgets.noise_explorer,
    "pif": lambda: widgets.pif_explorer(PEOPLE),
    "policy": lambda: widgets.policy_explorer(FACTS),
    "prior": lambda: widgets.prior_explorer(PEOPLE, CENSUS),
    "search": lambda: widgets.search_explorer(NODES),
    "setting": lambda: widgets.setting_explorer(open_table(PEOPLE)),
    "standing_out": lambda: widgets.standing_out_explorer(PEOPLE, KNOWN, fraction=1.0),
    "table": lambda: widgets.table_explorer(PEOPLE[[TAG, "ill"]]),
    "threshold": lambda: widgets.threshold_explorer(PEOPLE.fillna({"ill": "flu"}), TAG, "ill"),
    "treatment": lambda: widgets.treatment_explorer(PEOPLE),
}
TOO_STRICT = "cannot be reached by any noise: without a response the best guess is right"
TOO_FEW = "none would be left: choose a smaller k"  # of six people, in classes of five
ILL_TOO_FINE = {("level of ill", level): TOO_FEW for level in (0, 1)}
NO_PERSON = "tells people apart, so it cannot be quasi-identifier, too"
ENDS_REFUSED = {  # values of one control that cannot be, and what is said of them
    "identifiability": {
        ("rho", 0.01): TOO_STRICT,
    },
    "halving": {("rho", 0.01): TOO_STRICT},
    "policy": {("column", "age"): TOO_STRICT, ("rho", 1e-4): TOO_STRICT},
    "prior": {("prior", "even"): "has no prior &#x27;even&#x27;, only"},
    "setting": {
        (f"level of {TAG}", 0): TOO_FEW,
        **{("level of age", level): TOO_FEW for level in (0, 1, 2, 3)},
        **ILL_TOO_FINE,
        **{("person", column): NO_PERSON for column in PEOPLE},
    },
    "table": {
        (f"level of {TAG}", 0): TOO_FEW,
        **ILL_TOO_FINE,
        **{("person", column): NO_PERSON for column in (TAG, "ill")},
    },
}
REFUSED = [  # further settings
    ("histogram", {"month_c": False, "injured_c": False}, "tick at least one"),
    (
        "identifiability",
        {"weights": "0, 0, 0, 0"},
        "every world has the prior 0",
    ),
    ("identifiability", {"candidates": "2, x"}, "candidates must be numbers with commas"),
    ("identifiability", {"candidates": ""}, "candidates must hold at least 1 number"),
    ("prior", {"feature": "age", "prior": TAG}, "age has no prior"),
    ("standing_out", {f"known: {column}": False for column in KNOWN}, "at least one column"),
    ("treatment", {column: "drop" for column in PEOPLE}, "leave at least one"),
]
EVERY = pytest.mark.parametrize("name", MADE)


@pytest.fixture(autouse=True)
def _fewer_dots(monkeypatch):
    """To draw fewer dots takes half of the time."""
    monkeypatch.setattr(_explorer, "DPI", 40)
    yield
    assert plt.get_fignums() == [], "explorers draw without pyplot"


def seen(box):
    """Sentence and picture; of recodings without those that were tried before."""
    box = getattr(box, "explorer", box)
    said, *tried = box.summary.value.split("<br>Tried before")
    return said, b"" if tried else bytes(box.image.value)


def check(box, said=None):
    """There is a picture, or a refusal in these words; text of a table is never obeyed."""
    box = getattr(box, "explorer", box)
    text, image = box.summary.value, bytes(box.image.value)
    assert "<script" not in text and "Traceback" not in text
    if said is None:
        assert image.startswith(PNG) and box.image.layout.display is None, text
        assert text and "Not possible" not in text
    else:
        assert text.startswith("<b>Not possible:</b> ") and said in text
        assert image.startswith(PNG) and box.image.layout.display is None, "the last one stays"


def values_of(control):
    """All options of a control, or both of its ends."""
    if hasattr(control, "options"):
        return [o[1] if isinstance(o, tuple) else o for o in control.options]
    if isinstance(control.value, bool):
        return [True, False]
    if isinstance(control.value, str):
        return [control.value]
    ends = [control.min, control.max]
    return [control.base**end for end in ends] if hasattr(control, "base") else ends


def test_every_explorer_has_a_case():
    named = {name for name in widgets.__all__ if name.endswith("_explorer")}
    assert {f"{name}_explorer" for name in MADE} == named


@EVERY
def test_every_control_works_at_its_ends_and_comes_back(name):
    box, refused = MADE[name](), ENDS_REFUSED.get(name, {})
    first, met = seen(box), set()
    check(box)
    for key, control in box.controls.items():
        start = control.value
        for value in values_of(control):
            control.value = value
            check(box, refused.get((key, value)))
            met.add((key, value))
        control.value = start
        assert seen(box)[0] == first[0] and seen(box)[1] in (first[1], b"")
    assert refused.keys() <= met
    assert seen(MADE[name]()) == first, "the same state has the same bytes"


@pytest.mark.parametrize(("name", "setting", "said"), REFUSED)
def test_what_cannot_be_is_refused_in_words(name, setting, said):
    box = MADE[name]()
    first = seen(box)
    start = {key: box.controls[key].value for key in setting}
    for key, value in setting.items():
        box.controls[key].value = value
    check(box, said)
    for key, value in start.items():
        box.controls[key].value = value
    check(box)
    assert seen(box)[0] == first[0] and seen(box)[1] in (first[1], b"")
