"""The decision: what was asked and found, and the best treatment among those that meet it."""

import datetime
import hashlib
import math
import re

import numpy as np
import pandas as pd
import pytest

import toolkit.__main__ as command
from toolkit import risk_report
from toolkit._old.catalogue import THRESHOLDS
from toolkit._old.checking import check_thresholds
from toolkit.report.decision import DecisionBox, decide, judged_thresholds
from toolkit.report.methods import compare_treatments
from toolkit.report.treating import carry_out, plan_treatment

QUASI = ["age", "sex", "job"]


def people(seed, n=120):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.2, 0.05, 0.03, 0.02]),
            "ill": rng.choice(["flu", "cold", "hiv"], n, p=[0.5, 0.3, 0.2]),
        }
    )


ASKED = [{"k": 3}, {"k": 5, "l": 2}, {"t": 0.4}, {"k": 2, "l": 3, "alpha": 0.8}, {"risk": 0.2}]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_best_treatment_meets_all_and_loses_least_of_those_that_do(seed, asked):
    """Restated from the table of all treatments; nothing is random but the tables."""
    data = people(seed)
    coded = data.astype("category")
    found = compare_treatments(data, coded, QUASI, ["ill"], thresholds=asked)
    writable = found.table["kind"].isin(["nothing", "drop", "generalise"])
    writable &= ~found.table.index.str.startswith("cut") & (found.table["suppressed"] <= 0.05)
    meeting = found.table[writable & found.table["meets"]]
    assert math.isclose(found.plan.loss, meeting["loss"].min(), abs_tol=1e-12)
    left = coded[found.plan.ids >= 0].assign(group=found.plan.ids[found.plan.ids >= 0])
    judged = judged_thresholds(left, ["group"], ["ill"], asked)
    assert (judged["met"] == "met").all()


@pytest.mark.parametrize("asked", ASKED[:3], ids=str)
def test_the_decision_is_what_treat_writes(asked):
    data = people(5)
    decision = decide(risk_report(data, QUASI, ["ill"], thresholds=asked))
    treatment = plan_treatment(data, QUASI, ["ill"], thresholds=asked)
    found = carry_out(data, treatment)
    assert dict(decision.best.levels) == treatment.levels
    assert decision.best.taken_out == found.plan.taken_out
    assert math.isclose(decision.best.loss, found.plan.loss)
    assert decision.best.guesses_after == found.guesses_after
    assert decision.best.guesses_before == found.guesses_before


def test_what_does_nothing_is_no_advice():
    """All birthdays differ: coarser by one step would still leave everybody alone."""
    rng = np.random.default_rng(2)
    days = pd.Timestamp("1930-01-01") + pd.to_timedelta(
        rng.permutation(29000)[:6000], unit="D"
    )
    data = people(2, 6000).assign(born=days.strftime("%Y-%m-%d"))
    assert data["born"].nunique() > 5000
    decision = decide(risk_report(data, ["born", "sex"], ["ill"]))
    assert decision.best.guesses_before > 0.99 > 0.2 > decision.best.guesses_after
    assert dict(decision.best.levels)["born"] not in ("as it is", "hidden")


def test_what_exact_values_disclose_is_said_and_columns_share_a_row():
    data = people(1).assign(pay=range(120), place=list("xy") * 60)
    asked = {"k": 5, "l": 2}
    box = DecisionBox(
        decide(risk_report(data, QUASI, ["ill", "pay", "place"], thresholds=asked))
    )
    assert "one record has (100 % of the records in 'pay')" in box.best
    found = [row for row in box.rows if "(ℓ)" in row[0]]
    assert len(found) == 1
    assert re.findall(r"\w+", found[0][0])[-4:] == ["of", "ill", "pay", "place"]
    assert found[0][1:] == ("at least 2", "1", "NOT MET")
    met = DecisionBox(decide(risk_report(data, "sex", "pay")))
    assert met.best.startswith("The table needs none") and "leads anybody" in met.best
    plain = decide(risk_report(people(1), QUASI, ["ill"]))
    assert plain.exact == "", "each illness is there for several records"


def test_a_default_is_named_as_such():
    data = people(0)
    decision = decide(risk_report(data, QUASI, ["ill"]))
    assert not decision.asked and DecisionBox(decision).rows[0][1] == "at least 5 (default)"
    assert decision.thresholds[["model", "asked"]].to_numpy().tolist() == [["k", 5]]
    assert decide(risk_report(data, QUASI, ["ill"], thresholds={"l": 2})).asked


def test_what_is_not_measured_is_said_to_be_so():
    data = people(0)[QUASI]
    decision = decide(risk_report(data, QUASI, [], thresholds={"k": 2, "l": 2, "k_map": 3}))
    met = decision.thresholds.set_index("model")["met"]
    assert met.to_dict() == {"k": "missed", "l": "not measured", "k_map": "not measured"}
    assert decision.best is None and "'l'" in decision.why_none and not decision.met


def test_a_threshold_of_several_columns_has_a_row_for_each():
    data = people(0).assign(pay=np.arange(120) % 7)
    report = risk_report(data, QUASI, ["ill", "pay"], thresholds={"l": 2})
    judged = decide(report).thresholds
    assert judged["sensitive"].tolist() == ["ill", "pay"]


def test_facts_of_the_file_are_those_of_the_file(tmp_path):
    path = tmp_path / "people.csv"
    people(0).to_csv(path, index=False)
    report = risk_report(pd.read_csv(path), QUASI)
    decision = decide(report, path, day=datetime.date(2026, 1, 2), columns=4)
    assert decision.table == "people.csv" and decision.date.year == 2026
    assert decision.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (decision.records, decision.columns) == (120, 4)
    assert decision.guessed == ("sensitive",)
    assert decide(report, tmp_path).sha256 is None


def test_three_things_to_do_begin_with_names():
    data = people(0).assign(name=[f"Ann{i} Quux" for i in range(120)])
    decision = decide(risk_report(data, QUASI, ["ill"]))
    assert decision.identifiers == ("name",) and not decision.met
    assert len(decision.todo) == 3 and decision.todo[0].startswith("Leave out name")
    small = decide(risk_report(data[:4], QUASI, ["ill"]))
    assert small.best is None and small.why_none == "None: the table has fewer than 5 records."


def test_thresholds_are_those_of_the_catalogue():
    with pytest.raises(ValueError, match="'kk'; there are 'k'"):
        check_thresholds({"kk": 2})
    with pytest.raises(ValueError, match="k must be"):
        check_thresholds({"k": 0})
    given = {name: model.range[1] for name, model in THRESHOLDS.items()}
    given |= {name: 2 for name in ("k", "k_map", "l", "entropy_l")}
    assert check_thresholds({**given, "t": None}).keys() == given.keys() - {"t"}


@pytest.mark.ci
def test_a_second_report_does_not_replace_the_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(0, 40).to_csv("a.csv", index=False)
    people(1, 40).to_csv("b.csv", index=False)
    asked = ["--quasi-identifiers", "age,sex", "--sensitive", "ill"]
    assert command.main(["report", "a.csv", *asked, "--k", "3", "--l", "2"]) == 0
    assert command.main(["report", "b.csv", *asked]) == 0
    names = sorted(path.name for path in tmp_path.glob("*-report.*"))
    assert names == [
        f"{one}-report.{end}" for one in "ab" for end in ("html", "ipynb", "json")
    ]
    first = (tmp_path / "a-report.html").read_bytes()
    capsys.readouterr()
    assert command.main(["report", "a.csv", *asked]) == 2
    told = capsys.readouterr()
    assert "--force" in told.err and told.err.count("\n") == 1 and told.out == ""
    assert (tmp_path / "a-report.html").read_bytes() == first
    assert command.main(["report", "a.csv", *asked, "--force"]) == 0
    assert (tmp_path / "a-report.html").read_bytes() != first


def test_somebody_is_asked_whose_the_records_are():
    """Where a number of people repeats, k counts records until that is said."""
    n = 90
    data = pd.DataFrame({"patient_id": np.arange(n) // 3, "age": np.arange(n) % 7})
    data["ill"] = np.arange(n) % 2
    third = decide(risk_report(data, "age", "ill")).todo[2]
    assert third.startswith("Say whose the records are, perhaps by patient_id (--person)")
    third = decide(risk_report(data, "age", "ill", person="patient_id")).todo[2]
    assert third.startswith("Compare with earlier releases")


def test_a_number_is_shown_on_its_own_side_of_the_threshold():
    """Seldom values at the end of an order are a hair more than 0.5 away from the others."""
    data = pd.DataFrame({"born": range(2001), "pay": range(2001)})
    data.loc[0, "pay"] = 1  # one tie
    box = DecisionBox(decide(risk_report(data, "born", "pay", thresholds={"t": 0.5})))
    [(_, asked, found, said)] = box.rows
    assert (asked, said) == ("at most 0.5", "NOT MET") and float(found) > 0.5
    assert found != "0.5" and len(found) < 10


def test_a_treatment_that_loses_most_of_the_detail_is_not_advised():
    rng = np.random.default_rng(5)
    data = pd.DataFrame({f"q{j}": rng.integers(0, 4, 200) for j in range(12)})
    decision = decide(risk_report(data, [*data.columns], []))
    assert decision.best.loss > 0.5
    assert decision.todo[1].startswith("Leave out columns that nobody needs, or ask for less")
    assert f"{100 * decision.best.loss:.0f} % of the detail" in decision.todo[1]
