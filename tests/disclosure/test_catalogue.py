"""The models of disclosure: each is stated once, and is met wherever one looks for it."""

import inspect
import os
import sys
from functools import partial

import pandas as pd
import pytest

import toolkit as tk
from tests.engines import cases as engine_cases
from tests.laws.test_metrics import PER_RECORD, PER_TABLE
from toolkit.__main__ import _parser, main
from toolkit.disclosure.catalogue import MODELS, THRESHOLDS
from toolkit.report.words import DISCLOSURE

PACKAGE = os.path.dirname(tk.__file__)
FIVE = pd.DataFrame({"town": list("AABBB"), "sex": list("fmffm"), "ill": list("xyxxy")})
LAWS = {  # of what sets the number of a model, where its own name is not in the catalogue
    "k_anonymity": "record_class_sizes",
    "k_map": "linkage_candidates",
    "prosecutor_risk": "record_risks",
    "journalist_risk": "record_risks",
    "delta_presence_lower": "linkage_candidates",
    "delta_presence_upper": "linkage_candidates",
    "alpha_k_anonymity": "alpha",
}


def report(**thresholds):
    """A report of five records in their own population."""
    return tk.check_privacy(FIVE, ["town", "sex"], "ill", population=FIVE, **thresholds)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_is_met_everywhere(model, capsys):
    assert model.keyword in inspect.signature(tk.check_privacy).parameters
    asked = report(**{model.keyword: model.range[0]}).table.set_index("metric")
    row = asked.loc[[model.name]].iloc[0]
    assert row["must_be"] == model.rule
    if model.name != "prosecutor_risk":  # against a population the journalist's is compared
        assert row["threshold"] == model.range[0]
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    said = "".join(capsys.readouterr().out.split())  # lines break at hyphens, too
    option = f"--{model.keyword.replace('_', '-')} {{:g}}…{{:g}} ".format(*model.range)
    assert f"{option}{model.rule}: {model.compared}".replace(" ", "") in said
    assert LAWS.get(model.name, model.name) in PER_RECORD | PER_TABLE
    assert model.keyword in engine_cases.THRESHOLDS | engine_cases.OF_PEOPLE
    if model.about == "values":
        assert DISCLOSURE[model.measure.format(2)] == model.means


def test_a_report_has_every_model_and_nothing_else():
    names = report().table["metric"].drop_duplicates()
    assert set(names) == set(MODELS) and len(names) == len(MODELS)
    parameters = set(inspect.signature(tk.check_privacy).parameters)
    told = {
        "data",
        "quasi_identifiers",
        "sensitive",
        "population",
        "kind",
        "several",
        "person",
    }
    assert parameters == told | {"missing"} | set(THRESHOLDS)
    check = _parser("privacy-metrics").parse_args(["check", "file.csv"])
    assert set(THRESHOLDS) <= set(vars(check))


def test_models_that_share_a_threshold_agree_about_it():
    for model in MODELS.values():
        shared = THRESHOLDS[model.keyword]
        assert (shared.range, shared.whole, shared.rule) == (
            model.range,
            model.whole,
            model.rule,
        )


def test_infinity_is_reached_by_infinity_only():
    assert not report(entropy_l=float("inf")).satisfied
    assert report(enhanced_beta=float("inf")).satisfied
    assert not report(delta=float("inf")).satisfied, "a class lacks a value"


def functions_of(ask):
    """Distinct functions of the toolkit in a call; lambdas and comprehensions are none."""
    seen = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            seen.add((code.co_filename, code.co_firstlineno, code.co_name))

    ask()  # rooms that are loaded at first use are there by now
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return sorted(one for one in seen if not one[2].startswith("<"))


@pytest.mark.parametrize(
    ("ask", "most"),
    [
        (partial(tk.k_anonymity, FIVE, ["town", "sex"]), 20),
        (partial(tk.check_privacy, FIVE, ["town", "sex"], "ill", k=2, t=0.5), 60),
    ],
    ids=["k_anonymity", "check_privacy"],
)
def test_few_functions_stand_between_a_call_and_its_answer(ask, most):
    found = functions_of(ask)
    of_objects = FIVE["town"].dtype == object  # as pandas held texts before version 3
    assert len(found) <= most + 2 * of_objects, found
