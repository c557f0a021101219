"""Checks of a whole table: what is measured, compared, named and raised."""

import math
import os
import sys
from functools import partial

import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.tables import filled, tables
from toolkit.disclosure.models import MODELS, THRESHOLDS

WARD = pd.DataFrame(
    {
        "town": ["A", "A", "A", "B", "B", "C"],
        "illness": ["flu", "flu", "hiv", "flu", "hiv", "hiv"],
        "pay": [1, 2, 3, 3, 2, 2],
    },
    index=[7, 7, 5, 4, 3, "x"],
)
VISITS = pd.DataFrame(
    {"patient": [7, 7, 7, 8, 9, 9], "town": list("AAABBB"), "ill": list("xyzxyx")},
    index=[3, 1, 4, 15, 9, 2],
)


def row_of(report, metric, sensitive=None, setting=None):
    """The one row of a report about a metric."""
    table = report.table
    chosen = table[table["metric"] == metric]
    for name, asked in (("sensitive", sensitive), ("setting", setting)):
        chosen = chosen if asked is None else chosen[chosen[name] == asked]
    assert len(chosen) == 1
    return chosen.iloc[0]


def roles(data):
    """The table with columns c0, c1, …, its quasi-identifiers, its sensitive column."""
    data = data.set_axis([f"c{j}" for j in range(data.shape[1])], axis=1)
    return data, list(data.columns[:-1]), data.columns[-1]


def test_every_fact_by_hand():
    report = tk.check_privacy(WARD, "town", "illness", k=2, alpha=0.7, t=0.5, delta=3)
    k = row_of(report, "k_anonymity")
    assert (k["value"], k["threshold"], k["satisfied"]) == (1, 2, False)
    assert (k["worst_class"], k["rows_violating"], k["must_be"]) == ("C", 1, "at least")
    alpha = row_of(report, "alpha_k_anonymity")
    assert (alpha["value"], alpha["worst_class"], alpha["worst_value"]) == (1.0, "C", "hiv")
    assert alpha["rows_violating"] == 1 and alpha["satisfied"] is False
    t = row_of(report, "t_closeness", setting="kind=equal")
    assert (t["value"], t["satisfied"], t["rows_violating"]) == (0.5, True, 0)
    beta = row_of(report, "basic_beta_likeness")
    assert beta["threshold"] is None and beta["satisfied"] is None
    absent = row_of(report, "delta_disclosure", setting="absent=inf")
    assert absent[["value", "satisfied", "worst_value"]].tolist() == [math.inf, False, "flu"]
    skip = row_of(report, "delta_disclosure", setting="absent=skip")
    assert skip["value"] == pytest.approx(math.log(2)) and skip["satisfied"] is None
    assert report.satisfied is False
    marked = report.violations("k_anonymity")
    assert marked.tolist() == [False] * 5 + [True] and marked.index.equals(WARD.index)
    assert report.facts["records"] == 6 and report.facts["classes"] == 3


@given(tables(min_columns=2))
def test_values_are_those_of_the_metrics(data):
    data, q, s = roles(data)
    report = tk.check_privacy(data, q, s, population=data)
    table = tk.class_table(data, q, s)
    risk = tk.reidentification_risk(data, q, population=data)
    c = tk.recursive_cl_diversity(table)
    expected = {
        "k_anonymity": tk.k_anonymity(table),
        "prosecutor_risk": risk.prosecutor,
        "k_map": tk.k_map(data, data, q),
        "journalist_risk": risk.journalist,
        "delta_presence_lower": 1.0,
        "delta_presence_upper": 1.0,
        "alpha_k_anonymity": tk.alpha_k_anonymity(table).alpha,
        "l_diversity": tk.l_diversity(table),
        "entropy_l_diversity": tk.entropy_l_diversity(table),
        "recursive_cl_diversity": math.inf if c is None else c,
        "basic_beta_likeness": tk.basic_beta_likeness(table),
        "enhanced_beta_likeness": tk.enhanced_beta_likeness(table),
        "delta_disclosure": tk.delta_disclosure(table),
        "t_closeness": tk.t_closeness(table),
    }
    found = report.table[report.table["setting"] != "absent=skip"]
    assert dict(zip(found["metric"], found["value"], strict=True)) == expected
    assert set(expected) == set(MODELS) and report.satisfied is None
    again = tk.check_privacy(table, population=tk.class_table(data, q))
    pd.testing.assert_frame_equal(report.table, again.table)


@given(tables(min_columns=2), st.integers(1, 4), st.floats(0, 1))
def test_satisfied_means_that_no_row_violates(data, k, t):
    data, q, s = roles(filled(data))
    report = tk.check_privacy(data, q, s, k=k, t=t)
    few = tk.record_class_sizes(data, q) < k
    table = tk.class_table(data, q, s)
    far = table.per_record(tk.by_class(table)["t_closeness"] > t * (1 + 1e-9))
    for metric, marked in (("k_anonymity", few), ("t_closeness", far)):
        row = row_of(report, metric)
        assert report.violations(metric).tolist() == marked.tolist()
        assert row["rows_violating"] == marked.sum()
        assert row["satisfied"] == (not marked.any())


def test_thresholds_equal_to_the_value():
    """(c, l) and delta must stay below their thresholds; all others may reach them."""
    data = pd.DataFrame({"q": list("aaa"), "s": list("xxy")})
    values = {"k": 3, "l": 2, "entropy_l": tk.entropy_l_diversity(data, "q", "s"), "t": 0}
    values |= {"alpha": 2 / 3, "beta": 0, "enhanced_beta": 0, "risk": 1 / 3}
    assert tk.check_privacy(data, "q", "s", **values).satisfied
    for limits in ({"c": 2}, {"delta": 0}, {"alpha": 0.66}, {"entropy_l": math.inf}):
        assert not tk.check_privacy(data, "q", "s", **limits).satisfied
    for limits in ({"c": 2.1}, {"delta": 0.1}, {"enhanced_beta": math.inf}):
        assert tk.check_privacy(data, "q", "s", **limits).satisfied
    three = pd.DataFrame({"q": ["a"] * 3, "s": list("xyz")})
    assert tk.check_privacy(three, "q", "s", entropy_l=3).satisfied, "up to rounding"


def test_several_sensitive_columns_are_judged_each():
    tree = pd.DataFrame([["flu", "any"], ["hiv", "any"]])
    report = tk.check_privacy(WARD, "town", "illness", kind=tree)
    assert row_of(report, "t_closeness")["setting"] == "kind=hierarchy"
    report = tk.check_privacy(WARD, "town", ["illness", "pay"], l=2)
    assert row_of(report, "l_diversity", "illness")["value"] == 1
    assert row_of(report, "l_diversity", "pay")["worst_class"] == "C"
    assert row_of(report, "t_closeness", "pay")["setting"] == "kind=equal"
    assert report.violations("l_diversity", "pay").sum() == 1
    with pytest.raises(ValueError, match="must name one of the thresholds"):
        report.violations("l_diversity")


def test_decimals_are_said_to_be_taken_as_amounts():
    codes = WARD.assign(pay=[1.1, 1.1, 2.3, 2.3, 4.2, 4.2])
    called = {"auto": "kind=ordered, decimals as amounts", "ordered": "kind=ordered"}
    for kind, setting in (called | {"equal": "kind=equal"}).items():
        report = tk.check_privacy(codes, "town", "pay", kind=kind)
        assert row_of(report, "t_closeness")["setting"] == setting and setting in str(report)


def test_populations_are_judged():
    people = pd.concat([WARD, WARD.iloc[:4].set_axis(list("mnop"))])
    limits = {"k_map": 2, "risk": 0.4, "presence_upper": 0.9}
    report = tk.check_privacy(WARD, "town", population=people, **limits)
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


def test_people_are_counted_and_a_population_has_a_row_for_each():
    """Six visits of three patients, in towns of four and of two people."""
    people = pd.DataFrame({"town": list("AAAABB")})
    options = {"person": "patient", "population": people}
    report = tk.check_privacy(VISITS, "town", k=2, k_map=2, presence_upper=1, **options)
    found = report.table.set_index("metric")["value"]
    wanted = {"k_anonymity": 1, "prosecutor_risk": 1, "k_map": 2, "delta_presence_lower": 0.25}
    assert found[[*wanted]].to_dict() == wanted
    assert report.violations("k_anonymity").tolist() == [True] * 3 + [False] * 3
    with pytest.raises(ValueError, match="more records than the population"):
        tk.check_privacy(VISITS, "town", k_map=2, population=people.iloc[[0, 4]])


def test_people_of_a_population_who_are_named_are_counted(tmp_path):
    """Ann has both records of town A: who knows that somebody of A is here finds her."""
    people = pd.DataFrame({"name": ["Ann", "Ann", "Bob", "Cem"], "town": list("AABB")})
    tables = [people.iloc[[0, 2]], people]
    for name, table in zip("dp", tables, strict=True):
        table.to_parquet(tmp_path / f"{name}.parquet")
    opened = [tk.open_table(tmp_path / f"{name}.parquet") for name in "dp"]
    for data, population in (tables, opened):
        options = {"person": "name", "population": population}
        report = tk.check_privacy(data, "town", k_map=2, risk=0.5, **options)
        found = report.table.set_index("metric")["value"]
        assert found["k_map"] == found["journalist_risk"] == 1 and not report.satisfied
        assert tk.reidentification_risk(data, "town", **options).marketer == 0.75
    report = tk.risk_report(tables[0], "town", k_map=2, **{**options, "population": people})
    assert not report.met
    with pytest.raises(ValueError, match="person: 'name' holds 3 values"):
        misspelt = people.assign(name=["Ann", "ann ", "Bob", "Bob"])
        tk.check_privacy(tables[0], "town", k_map=2, person="name", population=misspelt)


def test_one_person_written_in_several_ways_is_refused():
    data = pd.DataFrame({"id": ["P1", "P1 ", "p1"], "town": "A"})
    for measure in (tk.k_anonymity, tk.check_privacy, tk.risk_report, tk.treat):
        with pytest.raises(ValueError, match="person: 'id' holds 3 values, of which only 1"):
            measure(data, "town", person="id")
    record = tk.treat(data.assign(id=[1, 2, 3]), "town", 2, person="id").record
    with pytest.raises(ValueError, match="person: 'id' holds 3 values"):
        tk.treat_again(record, data)
    assert tk.k_anonymity(data.assign(id=[1, 2, 3]), "town", person="id") == 3


def test_a_record_that_names_nobody_hides_nobody():
    data = pd.DataFrame({"id": ["P1", None, "P2", None], "town": list("AABB"), "ill": "flu"})
    assert not tk.check_privacy(data, "town", "ill", person="id", k=2).satisfied
    assert not tk.risk_report(data, "town", "ill", person="id", k=2).met
    with pytest.raises(ValueError, match="a different person in each record"):
        tk.treat(data, "town", 2, sensitive="ill", person="id")


def test_a_record_of_marks_counts():
    """Who is neither 30 nor 40 has the last record, and so kuru."""
    ages, ills = ["30", "30", "40", "40", "*"], ["flu", "hiv", "flu", "hiv", "kuru"]
    report = tk.check_privacy(pd.DataFrame({"age": ages, "ill": ills}), "age", "ill", k=2)
    found = report.table.set_index("metric")["value"]
    right = {"k_anonymity": 1, "l_diversity": 1, "t_closeness": 0.8, "prosecutor_risk": 1}
    assert found[[*right]].to_dict() == pytest.approx(right)


@pytest.mark.filterwarnings("ignore:missing='drop'")
@pytest.mark.parametrize("sensitive", [None, "ill", ["ill", "pay"]])
def test_who_has_no_sensitive_value_still_hides_others(sensitive):
    """Two people live in town A, of whom one has no known illness: k is 2 in every call."""
    data = pd.DataFrame({"town": ["A", "A", None], "ill": ["flu", None, "flu"]})
    report = tk.check_privacy(data.assign(pay=1.0), "town", sensitive, missing="drop")
    assert row_of(report, "k_anonymity")["value"] == 2
    assert report.facts["records"] == 2 and report.facts["rows_dropped"] == 1
    table = tk.class_table(data, "town", "ill", missing="drop")
    assert tk.check_privacy(table, l=1).satisfied
    with pytest.raises(ValueError, match="k counts records that lack their sensitive value"):
        tk.check_privacy(table, k=1)


TOLD_APART = [None, math.nan, "", " ", "*", "\u2800", "\u3164", "\0"]
TOLD_APART += [f"Crohn’s{sign} A-1" for sign in " \t\n\xa0\u2800\u200b\u034f\ufe0f\u3164\0"]
TOLD_APART += [
    "crohn’s a-1",
    "Crohn’s A-1 ",
    "\uff23rohn’s A-1",
    "Crohn's A\u20111",
    "Crohn`s A−1",
]


@pytest.mark.parametrize("cell", TOLD_APART, ids=ascii)
def test_a_threshold_of_secrets_refuses_what_only_looks_like_another(cell):
    """Everybody in A whose illness is known has the same one: 1 value, and not 2."""
    ills = ["Crohn’s A-1"] * 3 + [cell, "flu", "cold"]
    data = pd.DataFrame({"town": list("AAAABB"), "ill": ills})
    for asked in [{"l": 2}, {"alpha": 0.9}, {"t": 0.9}, {"c": 9}, {"delta": 9}]:
        with pytest.raises(ValueError, match="sensitive: 'ill' (is missing|holds 4 values)"):
            tk.check_privacy(data, "town", "ill", **asked)
    assert tk.check_privacy(data, "town", "ill", k=2).satisfied


def test_thresholds_of_secrets_need_one_record_of_each_person():
    """Each of the five people of A has a record with HIV, and one of them five with flu."""
    who = [f"P{i}" for i in (0, 1, 2, 3, 4, 0, 0, 0, 0, 0)]
    data = pd.DataFrame({"id": who, "town": "A", "ill": ["hiv"] * 5 + ["flu"] * 5})
    for asked in [{"l": 2}, {"alpha": 0.5}, {"entropy_l": 2}, {"t": 0.1}]:
        with pytest.raises(ValueError, match="a class holds more records than people"):
            tk.check_privacy(data, "town", "ill", person="id", **asked)
    assert tk.check_privacy(data, "town", "ill", person="id", k=5).satisfied
    more = pd.concat([data, pd.DataFrame({"id": ["P9"], "town": "B", "ill": "flu"})])
    with pytest.raises(ValueError, match="a class holds more records than people"):
        tk.check_privacy(more, "town", "ill", person="id", l=1)
    once = data.drop_duplicates("id")
    assert not tk.check_privacy(once, "town", "ill", person="id", l=2).satisfied


def test_a_missing_value_is_told_from_no_value():
    data = pd.DataFrame({"q": [None, "a", "a", "a"], "s": [None, "x", "x", "x"]})
    report = tk.check_privacy(data, "q", "s", k=2)
    assert pd.isna(row_of(report, "k_anonymity")["worst_class"])
    beta = row_of(report, "basic_beta_likeness")
    assert beta["worst_value"] is not None and pd.isna(beta["worst_value"])
    one = tk.check_privacy(data.iloc[:1], "q", "s")
    assert row_of(one, "basic_beta_likeness")["worst_value"] is None, "no value gains"


def test_no_cell_of_the_table_is_in_what_is_shown_or_raised():
    data = pd.DataFrame({"<q>": ["<secret>", "secret", "secret"], "s": ["secret"] * 3})
    report = tk.check_privacy(data, "<q>", "s", k=2, l=2)
    with pytest.raises(AssertionError) as caught:
        tk.assert_privacy(data, "<q>", "s", k=2, l=1, alpha=1)
    lines = str(caught.value).split("\n")
    assert lines[0] == "The table misses 1 of 3 thresholds:"
    assert lines[1] == "k_anonymity is 1, but must be at least 2 (rows violating: 1)"
    assert len(repr(report).splitlines()) == len(report.table)
    page = report._repr_html_()
    assert "k_anonymity" in page
    for shown in (*lines, repr(report), page):
        assert "secret" not in shown
    assert tk.assert_privacy(data, "<q>", "s", l=1).satisfied


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_a_threshold_with_a_range(name):
    model = MODELS[name]
    shared = THRESHOLDS[model.keyword]
    assert (shared.range, shared.rule) == (model.range, model.rule)
    limits = {model.keyword: int(model.range[0]) if model.whole else model.range[0]}
    report = tk.check_privacy(WARD, "town", "illness", population=WARD, **limits)
    row = report.table[report.table["metric"] == name].iloc[0]
    assert row["must_be"] == model.rule
    if model.whole:
        assert type(row["value"]) is int
        with pytest.raises(TypeError, match=f"{model.keyword} must be a whole number"):
            tk.check_privacy(WARD, "town", "illness", population=WARD, **{model.keyword: 1.5})
    if name != "prosecutor_risk":  # against a population the journalist's is compared
        assert row["threshold"] == model.range[0]


FIVE = pd.DataFrame({"town": list("AABBB"), "sex": list("fmffm"), "ill": list("xyxxy")})


@pytest.mark.parametrize(
    ("ask", "most"),
    [
        (partial(tk.k_anonymity, FIVE, ["town", "sex"]), 15),
        (partial(tk.check_privacy, FIVE, ["town", "sex"], "ill", k=2, t=0.5), 30),
        (partial(tk.cell_information_gain, FIVE), 20),
    ],
    ids=["k_anonymity", "check_privacy", "cell_information_gain"],
)
def test_few_functions_stand_between_a_call_and_its_answer(ask, most):
    """Lambdas and comprehensions are left out."""
    package, seen = os.path.dirname(tk.__file__), set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(package):
            seen.add((code.co_filename, code.co_firstlineno, code.co_name))

    ask()  # rooms that are loaded at first use are there by now
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    entered = sorted(name for *_, name in seen if not name.startswith("<"))
    assert len(entered) <= most, entered
