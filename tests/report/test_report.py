"""Checks of a whole table: what is measured, compared, named, written and raised."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.tables import filled, tables
from toolkit.report.treating import plan_treatment

WARD = pd.DataFrame(
    {
        "town": ["A", "A", "A", "B", "B", "C"],
        "illness": ["flu", "flu", "hiv", "flu", "hiv", "hiv"],
        "pay": [1, 2, 3, 3, 2, 2],
    },
    index=[7, 7, 5, 4, 3, "x"],
)


def row_of(report, metric, sensitive=None, setting=None):
    """The one row of a report about a metric."""
    table = report.table
    chosen = table[table["metric"] == metric]
    if sensitive is not None:
        chosen = chosen[chosen["sensitive"] == sensitive]
    if setting is not None:
        chosen = chosen[chosen["setting"] == setting]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_every_fact_by_hand():
    report = tk.check_privacy(WARD, "town", "illness", k=2, alpha=0.7, t=0.5)
    k = row_of(report, "k_anonymity")
    assert (k["value"], k["threshold"], k["satisfied"]) == (1, 2, False)
    assert (k["worst_class"], k["rows_violating"], k["must_be"]) == ("C", 1, "at least")
    alpha = row_of(report, "alpha_k_anonymity")
    assert (alpha["value"], alpha["worst_class"], alpha["worst_value"]) == (1.0, "C", "hiv")
    assert alpha["rows_violating"] == 1 and alpha["satisfied"] is False
    t = row_of(report, "t_closeness")
    assert (t["value"], t["satisfied"], t["rows_violating"]) == (0.5, True, 0)
    beta = row_of(report, "basic_beta_likeness")
    assert beta["threshold"] is None and beta["satisfied"] is None
    assert report.satisfied is False
    marked = report.violations("k_anonymity")
    assert marked.tolist() == [False] * 5 + [True] and marked.index.equals(WARD.index)
    assert report.facts["records"] == 6 and report.facts["classes"] == 3


def test_both_views_of_delta_are_shown():
    report = tk.check_privacy(WARD, "town", "illness", delta=3)
    absent = row_of(report, "delta_disclosure", setting="absent=inf")
    skip = row_of(report, "delta_disclosure", setting="absent=skip")
    assert (absent["value"], absent["satisfied"], absent["worst_value"]) == (
        math.inf,
        False,
        "flu",
    )
    assert skip["value"] == pytest.approx(math.log(2)) and skip["satisfied"] is None


@given(tables(min_columns=2))
def test_values_are_those_of_the_metrics(data):
    data = data.set_axis([f"c{j}" for j in range(data.shape[1])], axis=1)
    q, s = list(data.columns[:-1]), data.columns[-1]
    report = tk.check_privacy(data, q, s, population=data)
    classes = tk.equivalence_classes(data, q, s)
    risk = tk.reidentification_risk(data, q, population=data)
    c = tk.recursive_cl_diversity(classes)
    expected = {
        "k_anonymity": tk.k_anonymity(classes),
        "prosecutor_risk": risk.prosecutor,
        "k_map": tk.k_map(data, data, q),
        "journalist_risk": risk.journalist,
        "delta_presence_lower": 1.0,
        "delta_presence_upper": 1.0,
        "alpha_k_anonymity": tk.alpha_k_anonymity(classes).alpha,
        "l_diversity": tk.l_diversity(classes),
        "entropy_l_diversity": tk.entropy_l_diversity(classes),
        "recursive_cl_diversity": math.inf if c is None else c,
        "basic_beta_likeness": tk.basic_beta_likeness(classes),
        "enhanced_beta_likeness": tk.enhanced_beta_likeness(classes),
        "t_closeness": tk.t_closeness(classes),
    }
    found = report.table[report.table["setting"] != "absent=skip"]
    found = dict(zip(found["metric"], found["value"], strict=True))
    assert found.pop("delta_disclosure") == tk.delta_disclosure(classes)
    assert found == expected
    strict = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert len(strict["metrics"]) == len(report.table)
    assert strict["satisfied"] is None and report.satisfied is None


@given(tables(min_columns=2), st.integers(1, 4), st.floats(0, 1))
def test_satisfied_means_that_no_row_violates(data, k, t):
    data = filled(data.set_axis([f"c{j}" for j in range(data.shape[1])], axis=1))
    q, s = list(data.columns[:-1]), data.columns[-1]
    report = tk.check_privacy(data, q, s, k=k, t=t)
    sizes = tk.record_class_sizes(data, q)
    assert (report.violations("k_anonymity") == (sizes < k)).all()
    classes = tk.equivalence_classes(data, q, s)
    far = classes.per_record(tk.t_closeness_by_class(classes) > t * (1 + 1e-9))
    assert report.violations("t_closeness").tolist() == far.tolist()
    for metric, marked in (("k_anonymity", sizes < k), ("t_closeness", far)):
        row = row_of(report, metric)
        assert row["rows_violating"] == marked.sum()
        assert row["satisfied"] == (not marked.any())


def test_thresholds_equal_to_the_value():
    """(c, l) and delta must stay below their thresholds; all others may reach them."""
    data = pd.DataFrame({"q": list("aaab"), "s": list("xxyz"), "n": 1}).iloc[:3]
    values = {"k": 3, "l": 2, "entropy_l": tk.entropy_l_diversity(data, "q", "s"), "t": 0}
    values |= {"alpha": 2 / 3, "beta": 0, "enhanced_beta": 0, "risk": 1 / 3}
    assert tk.check_privacy(data, "q", "s", **values).satisfied
    assert not tk.check_privacy(data, "q", "s", c=2).satisfied
    assert tk.check_privacy(data, "q", "s", c=2.1).satisfied
    assert not tk.check_privacy(data, "q", "s", delta=0).satisfied
    assert tk.check_privacy(data, "q", "s", delta=0.1).satisfied
    three = pd.DataFrame({"q": ["a"] * 3, "s": list("xyz")})
    assert tk.check_privacy(three, "q", "s", entropy_l=3).satisfied, "up to rounding"


def test_json_is_strict_and_whole():
    data = WARD.assign(day=pd.to_datetime("2020-01-01"), gone=None)
    report = tk.check_privacy(data, ["town", "day", "gone"], "illness", c=2)
    facts = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert facts["quasi_identifiers"] == ["town", "day", "gone"]
    assert facts["rows_with_missing_quasi_identifiers"] == 6
    c = next(x for x in facts["metrics"] if x["metric"] == "recursive_cl_diversity")
    assert (c["value"], c["threshold"], c["satisfied"]) == ("inf", 2.0, False)
    assert c["worst_class"] == ["C", "2020-01-01 00:00:00", None]
    assert c["setting"] == "l=2"


def test_the_html_view_escapes_what_it_shows():
    data = pd.DataFrame({"<q>": ["<script>", "b"], "s": ["x", "y"]})
    page = tk.check_privacy(data, "<q>", "s", k=2)._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "&lt;q&gt;" in page and "<b>k_anonymity</b>" in page
    assert page.count("<tr>") == 1 + len(tk.check_privacy(data, "<q>", "s").table)


def test_a_console_shows_the_metrics_line_by_line():
    report = tk.check_privacy(WARD, "town", "illness", k=2)
    assert repr(report) == str(report)
    assert repr(report).splitlines()[0].startswith("k_anonymity is 1, but must be at least 2")
    assert len(repr(report).splitlines()) == len(report.table)


def test_several_sensitive_columns_are_judged_each():
    both = ["illness", "pay"]
    report = tk.check_privacy(WARD, "town", both, l=2, kind={"pay": "equal"})
    assert row_of(report, "l_diversity", "illness")["value"] == 1
    assert row_of(report, "l_diversity", "pay")["worst_class"] == "C"
    assert row_of(report, "t_closeness", "pay")["setting"] == "kind=equal"
    assert row_of(report, "k_anonymity")["value"] == 1
    assert report.violations("l_diversity", "pay").sum() == 1
    with pytest.raises(ValueError, match="metric must be one that has a threshold"):
        report.violations("l_diversity")
    known = tk.check_privacy(WARD, "town", both, several="as quasi-identifier")
    tables_ = tk.sensitive_tables(WARD, "town", both, several="as quasi-identifier")
    for name, table in tables_.items():
        assert row_of(known, "t_closeness", name)["value"] == tk.t_closeness(table)
    joint = tk.check_privacy(WARD, "town", both, several="joint")
    assert ("illness", "pay") in set(joint.table["sensitive"])


def test_populations_are_judged():
    people = pd.concat([WARD, WARD.iloc[:4].set_axis(list("mnop"))])
    report = tk.check_privacy(
        WARD, "town", population=people, k_map=2, risk=0.4, presence_upper=0.9
    )
    k_map = row_of(report, "k_map")
    assert (k_map["value"], k_map["worst_class"], k_map["rows_violating"]) == (1, "C", 1)
    assert row_of(report, "journalist_risk")["rows_violating"] == 1
    assert row_of(report, "prosecutor_risk")["threshold"] is None
    upper = row_of(report, "delta_presence_upper")
    assert (upper["value"], upper["worst_class"], upper["rows_violating"]) == (1.0, "C", 1)
    assert report.violations("delta_presence_upper").tolist() == [False] * 5 + [True]


def test_a_class_of_people_without_records_may_violate():
    people = pd.DataFrame({"town": list("AAB")})
    report = tk.check_privacy(people.iloc[:1], "town", population=people, presence_lower=0.1)
    lower = row_of(report, "delta_presence_lower")
    assert (lower["value"], lower["worst_class"]) == (0, "B")
    assert lower["satisfied"] is False and lower["rows_violating"] == 0
    assert not report.satisfied and not report.violations("delta_presence_lower").any()


def test_a_record_of_marks_counts():
    """Who is neither 30 nor 40 has the last record, and so kuru."""
    ages, ills = ["30", "30", "40", "40", "*"], ["flu", "hiv", "flu", "hiv", "kuru"]
    data = pd.DataFrame({"age": ages, "ill": ills})
    report = tk.check_privacy(data, "age", "ill", k=2, l=2, t=0.5)
    numbers = report.table.set_index("metric")["value"]
    right = {"k_anonymity": 1, "l_diversity": 1, "t_closeness": 0.8, "prosecutor_risk": 1}
    assert numbers[[*right]].to_dict() == pytest.approx(right)
    assert report.violations("k_anonymity").tolist() == [False] * 4 + [True]
    wild = tk.check_privacy(data.replace("*", None), "age", k=2, missing="wildcard")
    assert wild.satisfied and set(wild.table["metric"]) == {"k_anonymity", "prosecutor_risk"}


def test_a_class_table_will_do():
    classes = tk.equivalence_classes(WARD, "town", "illness")
    report = tk.check_privacy(classes, k=1)
    frame = tk.check_privacy(WARD, "town", "illness", k=1)
    pd.testing.assert_frame_equal(report.table, frame.table)
    assert report.satisfied


def test_assert_privacy_names_every_missed_threshold():
    with pytest.raises(AssertionError) as caught:
        tk.assert_privacy(WARD, "town", "illness", k=2, l=1, t=0.2)
    lines = str(caught.value).split("\n")
    assert lines[0] == "The table misses 2 of 3 thresholds:"
    assert (
        lines[1] == "k_anonymity is 1, but must be at least 2 (worst class: C; 1 row violates)"
    )
    assert lines[2].startswith(
        "t_closeness (kind=equal) of illness is 0.5, but must be at most"
    )
    assert tk.assert_privacy(WARD, "town", "illness", k=1).satisfied
    assert "l_diversity of illness is 1, as it must be at least 1" in str(
        tk.check_privacy(WARD, "town", "illness", l=1)
    )


def test_one_record_and_no_quasi_identifier():
    one = tk.check_privacy(WARD.iloc[[0]], [], "illness", k=1, l=1, t=0, beta=0)
    assert one.satisfied
    assert row_of(one, "k_anonymity")["worst_class"] == "everyone"


def test_unusual_cells_can_be_written():
    cells = [("x", np.int64(1)), ("y", np.bool_(True)), ("z", math.inf)]
    data = pd.DataFrame({"q": pd.Series(cells, dtype=object), "s": [1, 1, 2]})
    classes = json.loads(
        tk.check_privacy(data, "q", "s").to_json(), parse_constant=pytest.fail
    )
    shown = [row["worst_class"] for row in classes["metrics"]]
    assert ["x", 1] in shown and ["z", "inf"] in shown


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 2.5}, TypeError, "k must be a whole number of at least 1; got 2.5"),
        ({"k": 0}, ValueError, "k must be at least 1; got 0"),
        ({"t": 1.5}, ValueError, "t must be at least 0 and at most 1; got 1.5"),
        ({"t": "low"}, TypeError, "t must be a number of at least 0; got 'low'"),
        ({"k_map": 2}, ValueError, "thresholds for 'k_map', .* pass a population"),
        ({"kind": {"zip": "equal"}}, ValueError, "kind names 'zip'; the sensitive columns"),
        ({"entropy_l": math.nan}, ValueError, "entropy_l must be at least 1; got nan"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        tk.check_privacy(WARD, "town", "illness", **options)


def test_nothing_to_measure_or_to_assert():
    with pytest.raises(ValueError, match="thresholds for 't', .*: name a sensitive column"):
        tk.check_privacy(WARD, "town", t=0.2)
    with pytest.raises(ValueError, match="assert_privacy needs a threshold, such as k=5"):
        tk.assert_privacy(WARD, "town", "illness")
    with pytest.raises(
        ValueError, match="thresholds for 'presence_upper'.*missing='wildcard'"
    ):
        tk.check_privacy(WARD, "town", population=WARD, presence_upper=0.5, missing="wildcard")
    wild = tk.equivalence_classes(WARD, "town", missing="wildcard")
    with pytest.raises(ValueError, match="missing='wildcard'"):  # as the table was made
        tk.check_privacy(wild, population=wild, presence_upper=0.5)
    with pytest.raises(TypeError, match="there is no threshold 'kk'. Did you mean 'k'"):
        tk.assert_privacy(WARD, "town", k=1, kk=3)
    report = tk.check_privacy(WARD, "town", k=1)
    with pytest.raises(ValueError, match="metric must be .* \\('k_anonymity'\\); got 't'"):
        report.violations("t")


TOLD_APART = [None, math.nan, "", " ", "*", "hiv", "HIV ", "H\u200bIV", "\uff28IV", "ＨＩＶ"]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table")
@pytest.mark.parametrize("in_engine", [False, True])
@pytest.mark.parametrize("cell", TOLD_APART, ids=ascii)
def test_a_threshold_of_secrets_refuses_what_only_looks_like_another(cell, in_engine):
    """Everybody in A whose illness is known has HIV: 1 value, and not 2."""
    ills = ["HIV", "HIV", "HIV", cell, "flu", "cold"]
    data = pd.DataFrame({"town": list("AAAABB"), "ill": ills})
    if in_engine:
        ibis, arrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
        data["ill"] = data["ill"].where(data["ill"].notna(), None)
        data = tk.open_table(ibis.memtable(arrow.Table.from_pandas(data)), budget=1)
    for asked in [{"l": 2}, {"alpha": 0.9}, {"t": 0.9}, {"c": 9}, {"delta": 9}]:
        with pytest.raises(ValueError, match="sensitive: 'ill' (is missing|holds 4 values)"):
            tk.check_privacy(data, "town", "ill", **asked)
    assert tk.check_privacy(data, "town", "ill", k=2).satisfied
    if not in_engine:
        for ask in (tk.risk_report, plan_treatment):
            with pytest.raises(
                ValueError, match="sensitive: 'ill' (is missing|holds 4 values)"
            ):
                ask(data, "town", "ill", thresholds={"k": 2, "l": 2})


def test_thresholds_of_secrets_need_one_record_of_each_person():
    """Each of the five people of A has a record with HIV, and one of them five with flu."""
    who = [f"P{i}" for i in (0, 1, 2, 3, 4, 0, 0, 0, 0, 0)]
    data = pd.DataFrame({"id": who, "town": "A", "ill": ["hiv"] * 5 + ["flu"] * 5})
    for asked in [{"l": 2}, {"alpha": 0.5}, {"entropy_l": 2}, {"t": 0.1}]:
        with pytest.raises(ValueError, match="a class holds more records than people"):
            tk.check_privacy(data, "town", "ill", person="id", **asked)
    assert tk.check_privacy(data, "town", "ill", person="id", k=5).satisfied
    with pytest.raises(ValueError, match="l counts records, and a person has several"):
        plan_treatment(data, "town", "ill", person="id", thresholds={"k": 2, "l": 2})
    once = data.drop_duplicates("id")
    assert not tk.check_privacy(once, "town", "ill", person="id", l=2).satisfied


@pytest.mark.filterwarnings("ignore:missing='drop'", "ignore:fetch_arrow_table")
@pytest.mark.parametrize("several", ["separate", "as quasi-identifier", "joint"])
@pytest.mark.parametrize("sensitive", [None, "illness", ["illness"], ["illness", "pay"]])
@pytest.mark.parametrize("in_engine", [False, True])
def test_who_has_no_sensitive_value_still_hides_others(sensitive, several, in_engine):
    """Two people live in town A, of whom one has no known illness: k is 2 in every call."""
    data = pd.DataFrame({"town": ["A", "A", None], "illness": ["flu", None, "flu"]})
    data["pay"] = [1.0, 2.0, 3.0]
    if in_engine:
        ibis, arrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
        data = ibis.memtable(arrow.Table.from_pandas(data))
    report = tk.check_privacy(data, "town", sensitive, several=several, missing="drop")
    assert row_of(report, "k_anonymity")["value"] == 2
    assert report.facts["records"] == 2


def test_a_missing_class_or_value_is_named():
    data = pd.DataFrame({"q": [None, "a", "a", "a"], "s": [None, "x", "x", "x"]})
    report = tk.check_privacy(data, "q", "s", k=2)
    text = str(report).splitlines()
    assert text[0].endswith("(worst class: missing; 1 row violates)")
    beta = row_of(report, "basic_beta_likeness")
    assert beta["worst_value"] is not None and pd.isna(beta["worst_value"])
    said = next(line for line in text if line.startswith("basic_beta_likeness"))
    assert said.endswith("(worst class: missing, value: missing)")
    assert "<b>missing</b>" in report._repr_html_()
    facts = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert facts["metrics"][0]["worst_class"] is None


def test_no_value_is_told_from_the_missing_value():
    data = pd.DataFrame({"q": ["a", "a"], "s": [None, None]})
    report = tk.check_privacy(data, "q", "s")
    for metric in ("basic_beta_likeness", "enhanced_beta_likeness"):
        assert row_of(report, metric)["worst_value"] is None, "no value gains"
    assert pd.isna(row_of(report, "alpha_k_anonymity")["worst_value"])
    text = str(report).splitlines()
    assert text[2] == "alpha_k_anonymity of s is 1 (worst class: a, value: missing)"
    said = next(line for line in text if line.startswith("basic_beta_likeness"))
    assert said.endswith("(worst class: a)")
