"""People who have several records: k and risk count them, and not their records."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
import toolkit.__main__ as command
from toolkit.report.roles import assume

VISITS = pd.DataFrame(
    {"patient": [7, 7, 7, 8, 9, 9], "town": list("AAABBB"), "ill": list("xyzxyx")},
    index=[3, 1, 4, 15, 9, 2],
)
CELLS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from("ABC"), st.sampled_from("xy")),
    min_size=1,
    max_size=20,
)


def table(rows):
    return pd.DataFrame(rows, columns=["who", "town", "ill"])


def test_people_by_hand():
    assert tk.k_anonymity(VISITS, "town") == 3
    assert tk.k_anonymity(VISITS, "town", person="patient") == 1
    sizes = tk.class_sizes(VISITS, "town", person="patient")
    assert sizes.to_dict() == {"A": 1, "B": 2}
    assert sizes.name == "people"
    found = tk.record_class_sizes(VISITS, "town", person="patient")
    assert found.to_dict() == {3: 1, 1: 1, 4: 1, 15: 2, 9: 2, 2: 2}
    risk = tk.reidentification_risk(VISITS, "town", person="patient", threshold=0.6)
    assert risk[:2] == (1.0, 0.75)
    assert risk.above_threshold == 0.5
    classes = tk.equivalence_classes(VISITS, "town", "ill", person="patient")
    assert tk.k_anonymity(classes) == 1
    assert tk.l_diversity(classes) == tk.l_diversity(VISITS, "town", "ill"), "of records"


@given(CELLS, st.sampled_from([["town"], ["town", "ill"], []]))
def test_people_of_a_class_are_its_distinct_names(rows, known):
    data = table(rows)
    ids = tk.equivalence_class(data, known)
    people = data["who"].groupby(ids).nunique()
    assert tk.class_sizes(data, known, person="who").tolist() == people.tolist()
    assert tk.k_anonymity(data, known, person="who") == people.min()
    found = tk.record_class_sizes(data, known, person="who")
    assert found.tolist() == people[ids].tolist()
    assert people.min() <= tk.k_anonymity(data, known)
    risk = tk.reidentification_risk(data, known, person="who")
    assert risk.prosecutor == pytest.approx(1 / people.min())
    assert risk.prosecutor_average == pytest.approx((1 / people[ids]).mean())


@given(CELLS)
def test_where_each_record_is_a_person_nothing_changes(rows):
    data = table(rows).assign(who=range(len(rows)))
    assert tk.k_anonymity(data, "town", person="who") == tk.k_anonymity(data, "town")
    counted = tk.class_sizes(data, "town", person="who").rename("records")
    pd.testing.assert_series_equal(counted, tk.class_sizes(data, "town"))


@given(CELLS, st.integers(0, 10))
def test_another_record_of_somebody_who_is_in_a_class_adds_nobody(rows, place):
    data = table(rows)
    again = pd.concat([data, data.iloc[[place % len(data)]]], ignore_index=True)
    before = tk.class_sizes(data, "town", person="who")
    pd.testing.assert_series_equal(tk.class_sizes(again, "town", person="who"), before)


@pytest.mark.parametrize("in_engine", [False, True])
def test_one_person_written_in_several_ways_is_refused(in_engine):
    data = pd.DataFrame({"id": ["P1", "P1 ", "p1"], "town": "A"})
    if in_engine:
        ibis, arrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
        data = ibis.memtable(arrow.Table.from_pandas(data))
    with pytest.raises(ValueError, match="person: 'id' holds .* case"):
        tk.k_anonymity(data, "town", person="id")
    if not in_engine:
        with pytest.raises(ValueError, match="person: 'id' holds 3 values, of which only 1"):
            assume(data, "town", person="id")


def test_a_record_that_names_nobody_adds_nobody():
    data = pd.DataFrame({"who": ["a", None, None, None], "town": list("AABB")})
    assert tk.class_sizes(data, "town", person="who").to_dict() == {"A": 1, "B": 1}


@pytest.mark.filterwarnings("ignore:missing='drop'")
def test_dropped_records_count_for_nobody():
    data = pd.DataFrame({"who": [1, 2, 3, 4], "town": ["A", "A", None, None]})
    assert tk.k_anonymity(data, "town", person="who", missing="drop") == 2
    sizes = tk.record_class_sizes(data, "town", person="who", missing="drop")
    assert sizes.fillna(-1).tolist() == [2, 2, -1, -1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tk.k_anonymity(VISITS, ["town", "patient"], person="patient"),
            "leave it out",
        ),
        (lambda: tk.k_anonymity(VISITS, "town", person="patiant"), "Did you mean 'patient'"),
        (
            lambda: tk.k_anonymity(VISITS, "town", person="patient", missing="wildcard"),
            "missing='wildcard' makes no class",
        ),
        (
            lambda: tk.k_anonymity(tk.equivalence_classes(VISITS, "town"), person="patient"),
            "settled by the class table",
        ),
        (
            lambda: tk.check_privacy(
                tk.equivalence_classes(VISITS, "town"), k=2, person="patient"
            ),
            "settled by the class table",
        ),
        (
            lambda: tk.class_sizes(VISITS, "town", person="patient", weights=np.ones(6)),
            "give one",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:missing='drop' leaves out")
@pytest.mark.parametrize("missing", ["category", "drop"])
def test_an_engine_counts_the_same_people(missing, tmp_path):
    """Random records of people, some of nobody known; false-alarm rate 0."""
    pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    rng = np.random.default_rng(3)
    data = pd.DataFrame(
        {
            "town": rng.choice(["A", "B", "C", None], 200),
            "age": rng.integers(1, 4, 200),
            "ill": rng.choice(list("xyz"), 200),
            "who": rng.integers(0, 40, 200).astype(float),
        }
    )
    data.loc[rng.random(200) < 0.2, "who"] = np.nan
    data.loc[data["town"] == "C", "who"] = np.nan  # nobody known: one at least
    data.to_parquet(tmp_path / "visits.parquet")
    table, known = tk.open_table(tmp_path / "visits.parquet"), ["town", "age"]
    asked = {"missing": missing, "person": "who"}
    assert tk.k_anonymity(table, known, **asked) == tk.k_anonymity(data, known, **asked) == 1
    one, other = (
        tk.check_privacy(each, known, "ill", k=9, risk=0.2, **asked).table
        for each in (table, data)
    )
    same = ["metric", "value", "satisfied", "rows_violating"]
    assert one[same].to_dict("list") == other[same].to_dict("list")
    if missing == "category":
        here, there = (tk.class_sizes(each, known, person="who") for each in (data, table))
        assert here.to_dict().keys() == there.to_dict().keys() or here.index.hasnans
        assert sorted(here) == sorted(there)


def test_a_population_has_a_row_for_each_person():
    """Six visits of three patients, in towns of four and of two people."""
    people = pd.DataFrame({"town": list("AAAABB")})
    risk = tk.reidentification_risk(VISITS, "town", person="patient", population=people)
    assert risk.prosecutor == 1 and risk.journalist == 0.5
    found = tk.check_privacy(
        VISITS, "town", k_map=2, presence_upper=1, person="patient", population=people
    ).table.set_index("metric")["value"]
    assert found["k_map"] == 2
    assert found["delta_presence_lower"] == 0.25  # one patient of four people, not three
    assert found["delta_presence_upper"] == 1  # both people of B
    with pytest.raises(ValueError, match="more records than the population"):
        tk.check_privacy(VISITS, "town", k_map=2, population=people.iloc[[0, 4]])


def test_the_command_counts_people_of_a_population_too(tmp_path, capsys):
    """Where the population names its people, equal rows of one person are one."""
    VISITS.to_csv(tmp_path / "visits.csv", index=False)
    people = pd.DataFrame({"town": list("AAABBB"), "patient": [1, 2, 2, 3, 4, 4]})
    people.to_csv(tmp_path / "people.csv", index=False)
    asked = ["check", str(tmp_path / "visits.csv"), "--k-map=2", "--quasi-identifiers=town"]
    asked += ["--sensitive=", "--json", "--population", str(tmp_path / "people.csv")]
    assert command.main([*asked, "--person=patient"]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]
    assert {one["metric"]: one["value"] for one in found}["k_map"] == 2


def test_a_check_counts_people():
    report = tk.check_privacy(VISITS, "town", "ill", k=2, risk=0.5, person="patient")
    values = report.table.set_index("metric")["value"]
    assert values["k_anonymity"] == 1
    assert values["prosecutor_risk"] == 1
    assert report.violations("k_anonymity").tolist() == [True] * 3 + [False] * 3
    assert values["l_diversity"] == tk.l_diversity(VISITS, "town", "ill")
    assert tk.assert_privacy(VISITS, "town", k=3).satisfied
    with pytest.raises(AssertionError, match="k_anonymity is 1, but must be at least 3"):
        tk.assert_privacy(VISITS, "town", k=3, person="patient")


def test_the_command_counts_people_and_says_who_is_in_several_classes(tmp_path, capsys):
    path = tmp_path / "visits.csv"
    moved = pd.concat([VISITS, VISITS.iloc[[5]].assign(town="A")])
    moved.to_csv(path, index=False)
    known = ["--quasi-identifiers", "town", "--sensitive", "ill"]
    asked = ["check", str(path), "--k", "3", "--json"]
    assert command.main([*asked, *known]) == 0
    assert command.main([*asked, *known, "--person", "patient"]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["metrics"][0]["value"] == 3
    assert second["metrics"][0]["value"] == 2
    assert second["notes"][0] == "k and risk count people, by 'patient': 3 in 7 records."
    assert second["notes"][1].startswith("1 of these people have records in several classes")
    both = ["--quasi-identifiers", "town,patient", "--person", "patient"]
    assert command.main([*asked, *both]) == 2
    assert "'patient' is also named as quasi-identifier" in capsys.readouterr().err
