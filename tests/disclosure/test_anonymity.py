"""The class table, k-anonymity, k-map, delta-presence and re-identification risk."""

import dataclasses
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.oracles.classes import Classes, crowd
from tests.oracles.pif import MISSING, rows_of
from tests.tables import TABLES, tables

WARD = pd.DataFrame(
    {
        "age": [30, 30, 40, 40, 40],
        "sex": ["f", "f", "m", "m", None],
        "illness": ["flu", "hiv", "flu", "flu", "flu"],
    },
    index=[9, 9, 3, 1, 0],
)
PEOPLE = pd.DataFrame({"age": [30, 30, 40, 40, 40, 50], "sex": list("ffmmmf")})


def numbered(data):
    """Columns 0, 1, …, since the tables of hypothesis repeat their labels."""
    return data.set_axis(range(data.shape[1]), axis=1)


def known_of(data):
    """Quasi-identifiers: all columns but the last."""
    return list(range(data.shape[1] - 1))


# The class table


def test_the_class_table_by_hand():
    classes = tk.equivalence_classes(WARD, ["age", "sex"], "illness")
    assert classes.ids.tolist() == [0, 0, 1, 1, 2]
    assert classes.sizes.tolist() == [2, 2, 1]
    assert classes.labels.names == ["age", "sex"]
    assert classes.labels[:2].tolist() == [(30, "f"), (40, "m")]
    assert (classes.affected, classes.affected_sensitive) == (1, 0)
    assert (classes.dropped, classes.suppressed) == (0, 0)
    assert classes.sensitive.values.tolist() == ["flu", "hiv"]
    pairs = classes.sensitive
    assert pairs.of_class.tolist() == [0, 0, 1, 2]
    assert pairs.of_value.tolist() == [0, 1, 0, 0]
    assert pairs.records.tolist() == [1, 1, 2, 1]
    assert pairs.totals.tolist() == [4, 1]


def test_the_class_table_cannot_be_changed():
    classes = tk.equivalence_classes(WARD, ["age"], "illness")
    with pytest.raises(dataclasses.FrozenInstanceError):
        classes.ids = None
    for part in (classes.ids, classes.sizes, classes.codes[0], classes.sensitive.records):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 7


def test_the_table_outlives_changes_of_the_data():
    data = WARD.copy()
    classes = tk.equivalence_classes(data, "age", "illness")
    data.loc[:, "age"] = 99
    assert classes.labels.tolist() == [30, 40]


@given(tables(min_columns=2))
def test_class_table_against_the_oracle(data):
    data = numbered(data)
    classes = tk.equivalence_classes(data, known_of(data), data.shape[1] - 1)
    truth = Classes(rows_of(data))
    assert classes.sizes.tolist() == truth.sizes()
    assert dict(
        zip(
            [MISSING if pd.isna(v) is True else v for v in classes.sensitive.values],
            classes.sensitive.totals.tolist(),
            strict=True,
        )
    ) == dict(truth.all)
    ids = tk.equivalence_class(data, known_of(data))
    assert classes.ids.tolist() == ids.tolist()
    counts = tk.class_counts(classes)
    assert counts["records"].sum() == len(data)
    shown = classes.labels.to_frame(index=False) if len(known_of(data)) else None
    if shown is not None:
        assert rows_of(shown) == list(truth.classes)


def test_categorical_codes_are_taken_as_they_are():
    town = pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"], ordered=True)
    classes = tk.equivalence_classes(pd.DataFrame({"town": town, "ill": town}), "town", "ill")
    assert classes.sizes.tolist() == [2, 1]
    assert classes.sensitive.values.tolist() == ["b", "a"], "the order of the categories"


def test_many_values_stay_sparse():
    """A dense table of these classes and values would have ten thousand million cells."""
    n = 100_000
    data = pd.DataFrame({"id": np.arange(n), "secret": np.arange(n)[::-1]})
    classes = tk.equivalence_classes(data, "id", "secret")
    assert len(classes.sensitive.records) == n
    assert tk.l_diversity(classes) == 1


def test_per_record_results_carry_the_index():
    classes = tk.equivalence_classes(WARD, ["age", "sex"])
    marked = classes.per_record(classes.sizes < 2, "alone")
    assert marked.index.equals(WARD.index)
    assert marked.tolist() == [False, False, False, False, True]
    assert classes.per_class(classes.sizes).index.equals(classes.labels)
    with pytest.raises(
        ValueError, match="one entry for each of the 3 classes.*shape \\(2,\\)"
    ):
        classes.per_record([1, 2])


def test_several_sensitive_columns():
    data = pd.DataFrame(
        {"zip": [1, 1, 1, 1], "ill": ["a", "a", "b", "b"], "job": ["x", "y", "x", "x"]}
    )
    both = ["ill", "job"]
    separate = tk.sensitive_tables(data, "zip", both)
    assert {s: tk.l_diversity(t) for s, t in separate.items()} == {"ill": 2, "job": 2}
    known = tk.sensitive_tables(data, "zip", both, several="as quasi-identifier")
    assert {s: tk.l_diversity(t) for s, t in known.items()} == {"ill": 1, "job": 1}
    assert known["ill"].quasi_identifiers == ("zip", "job")
    joint = tk.sensitive_tables(data, "zip", both, several="joint")
    (table,) = joint.values()
    assert list(joint) == [("ill", "job")]
    assert table.sensitive.values.tolist() == [("a", "x"), ("a", "y"), ("b", "x")]
    assert tk.alpha_k_anonymity(table).alpha == 0.5
    one = tk.sensitive_tables(data, "zip", ["ill"], several="joint")
    assert tk.l_diversity(one[("ill",)]) == 2


def test_sizes_and_risks_of_each_record_by_hand():
    known = ["age", "sex"]
    sizes = tk.record_class_sizes(WARD, known)
    assert (sizes.tolist(), sizes.name) == ([2, 2, 2, 2, 1], "records")
    risks = tk.record_risks(WARD, known)
    assert risks.to_dict("list") == {"prosecutor": [0.5, 0.5, 0.5, 0.5, 1.0]}


def test_a_risk_equal_to_the_threshold_is_not_above_it():
    above = tk.reidentification_risk(WARD, ["age", "sex"], threshold=0.5).above_threshold
    assert above == 1 / 5
    above = tk.reidentification_risk(WARD, ["age", "sex"], threshold=1).above_threshold
    assert above == 0


# k-anonymity


@pytest.mark.parametrize(
    ("quasi_identifiers", "k"),
    [("age", 2), (["age", "sex"], 1), ([], 5), ([0], 2), (["sex"], 1)],
)
def test_k_by_hand(quasi_identifiers, k):
    assert tk.k_anonymity(WARD, quasi_identifiers) == k
    assert tk.k_anonymity(tk.equivalence_classes(WARD, quasi_identifiers)) == k


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@given(data=TABLES)
def test_k_against_the_oracle(missing, data):
    data = numbered(data)
    rows = rows_of(data)
    expected = crowd(rows, rows, wildcard=missing == "wildcard")
    every = list(range(data.shape[1]))
    sizes = tk.record_class_sizes(data, every, missing=missing)
    assert sizes.tolist() == expected
    assert sizes.index.equals(data.index)
    assert tk.k_anonymity(data, every, missing=missing) == min(expected)
    risk = tk.reidentification_risk(data, every, missing=missing, threshold=0.4)
    assert risk.prosecutor == 1 / min(expected)
    average = sum(Fraction(1, f) for f in expected) / len(rows)
    assert risk.prosecutor_average == pytest.approx(float(average), abs=1e-14)
    share = Fraction(sum(Fraction(1, f) > Fraction(2, 5) for f in expected), len(rows))
    assert risk.above_threshold == float(share)


def test_a_missing_cell_as_category_drop_and_wildcard():
    assert tk.record_class_sizes(WARD, ["age", "sex"]).tolist() == [2, 2, 2, 2, 1]
    with pytest.warns(UserWarning, match="leaves out 1 of 5 rows"):
        dropped = tk.record_class_sizes(WARD, ["age", "sex"], missing="drop")
    assert dropped.tolist()[:4] == [2, 2, 2, 2] and dropped.isna().tolist()[4]
    assert dropped.index.equals(WARD.index)
    wild = tk.record_class_sizes(WARD, ["age", "sex"], missing="wildcard")
    assert wild.tolist() == [2, 2, 3, 3, 3]
    with pytest.warns(UserWarning):
        classes = tk.equivalence_classes(WARD, "sex", "illness", missing="drop")
    assert (classes.affected, classes.dropped, classes.n_records) == (1, 1, 4)


def test_a_missing_sensitive_value_can_be_dropped_too():
    data = pd.DataFrame({"town": ["A", "A", "B"], "ill": ["x", None, "y"]})
    with pytest.warns(UserWarning, match="leaves out 1 of 3 rows"):
        classes = tk.equivalence_classes(data, "town", "ill", missing="drop")
    assert classes.affected_sensitive == 1
    assert classes.sensitive.values.tolist() == ["x", "y"]
    assert tk.k_anonymity(classes) == 1
    with pytest.raises(ValueError, match="missing='drop' leaves no row: each of the 1 rows"):
        tk.equivalence_classes(data.iloc[[1]], "town", "ill", missing="drop")


def test_a_suppressed_row_counts_unless_its_mark_is_named():
    data = pd.DataFrame(
        {"age": ["3*", "3*", "*", "*"], "zip": ["1", "1", "*", "2"], "ill": list("xyzx")}
    )
    assert tk.k_anonymity(data, ["age", "zip"]) == tk.l_diversity(data, "age", "ill") - 1 == 1
    classes = tk.equivalence_classes(data, ["age", "zip"], "ill", suppressed="*")
    assert classes.suppressed == 1
    assert classes.ids.tolist() == [0, 0, -1, 1]
    assert classes.sensitive.values.tolist() == ["x", "y"], "and p leaves it out"
    assert tk.record_class_sizes(classes).tolist()[:2] == [2, 2]
    assert tk.record_class_sizes(classes).isna().tolist() == [False, False, True, False]
    kept = tk.equivalence_classes(data, ["age", "zip"])
    assert kept.suppressed == 0 and len(kept.sizes) == 3
    whole = pd.DataFrame({"age": ["*"] * 3})
    assert tk.equivalence_classes(whole, "age", suppressed="*").suppressed == 0


@given(data=TABLES, seed=st.integers(0, 99))
def test_fewer_quasi_identifiers_never_lower_k(data, seed):
    data = numbered(data)
    every = list(range(data.shape[1]))
    some = [j for j in every if np.random.default_rng(seed + j).random() < 0.5]
    for missing in ("category", "wildcard"):
        k = tk.k_anonymity(data, every, missing=missing)
        assert k <= tk.k_anonymity(data, some, missing=missing)


@given(data=TABLES, times=st.integers(2, 3))
def test_copies_multiply_k(data, times):
    data = numbered(data)
    every = list(range(data.shape[1]))
    k = tk.k_anonymity(data, every)
    assert tk.k_anonymity(pd.concat([data] * times), every) == times * k


@given(TABLES)
def test_wildcards_never_lower_k(data):
    data = numbered(data)
    every = list(range(data.shape[1]))
    low = tk.record_class_sizes(data, every)
    assert (tk.record_class_sizes(data, every, missing="wildcard") >= low).all()


# Populations


def test_k_map_and_delta_presence_by_hand():
    sample = PEOPLE.iloc[[0, 2, 3]].set_axis([5, 5, 6])
    both = ["age", "sex"]
    matches = tk.population_matches(sample, PEOPLE, both)
    assert matches.tolist() == [2, 3, 3] and matches.index.equals(sample.index)
    assert tk.k_map(sample, PEOPLE, both) == 2
    presence = tk.class_presence(sample, PEOPLE, both)
    assert presence["records"].tolist() == [1, 2, 0]
    assert presence["people"].tolist() == [2, 3, 1]
    assert tk.delta_presence(sample, PEOPLE, both) == (0.0, 2 / 3)
    risk = tk.reidentification_risk(sample, both, population=PEOPLE, threshold=0.4)
    assert risk.prosecutor == 1.0
    assert risk.prosecutor_average == 2 / 3
    assert risk.journalist == 0.5
    assert risk.marketer == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert risk.above_threshold == 1 / 3


def test_the_published_toy_of_k_map():
    """Five of five, and one of ten: a 5-map in which five people are surely present."""
    people = pd.DataFrame({"zip": [1] * 5 + [2] * 10})
    sample = people.iloc[:6]
    assert tk.k_anonymity(sample, "zip") == 1
    assert tk.k_map(sample, people, "zip") == 5
    assert tk.delta_presence(sample, people, "zip") == (0.1, 1.0)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@given(data=TABLES, seed=st.integers(0, 99))
def test_populations_against_the_oracle(missing, data, seed):
    people = numbered(data)
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(len(people), rng.integers(1, len(people) + 1), replace=False))
    sample = people.iloc[chosen]
    every = list(range(people.shape[1]))
    wild = missing == "wildcard"
    rows = rows_of(people)
    expected = crowd([rows[i] for i in chosen], rows, wildcard=wild)
    # Categories and plain values meet, whatever holds them.
    sample = sample.astype(object) if seed % 2 else sample
    options = {"missing": missing}
    assert tk.population_matches(sample, people, every, **options).tolist() == expected
    assert tk.k_map(sample, people, every, **options) == min(expected)
    risk = tk.reidentification_risk(sample, every, population=people, **options)
    assert risk.journalist == 1 / min(expected)
    average = float(sum(Fraction(1, f) for f in expected) / len(chosen))
    assert risk.marketer == pytest.approx(average, abs=1e-14)
    if not wild:
        here = [rows[i] for i in chosen]
        shares = [Fraction(here.count(row), rows.count(row)) for row in rows]
        low, high = tk.delta_presence(sample, people, every)
        assert (low, high) == (float(min(shares)), float(max(shares)))


def test_class_tables_stand_for_both_tables():
    sample = tk.equivalence_classes(PEOPLE.iloc[[0, 2]], ["age", "sex"])
    people = tk.equivalence_classes(PEOPLE, ["age", "sex"])
    assert tk.k_map(sample, people) == tk.k_map(sample, PEOPLE) == 2
    assert tk.delta_presence(sample, people).upper == 0.5
    assert tk.record_risks(sample, population=people)["journalist"].tolist() == [0.5, 1 / 3]


def test_columns_are_found_in_the_population_by_name():
    swapped = PEOPLE.assign(more=1)[["more", "sex", "age"]]
    assert tk.k_map(PEOPLE.iloc[[0, 2]], swapped, [0, 1]) == 2
    odd = PEOPLE.set_axis([1, 0], axis=1)
    assert tk.k_map(odd.iloc[[0, 2]], odd, [1, 0]) == 2


def test_nothing_known_means_anyone():
    assert tk.k_map(PEOPLE.iloc[:2], PEOPLE, []) == len(PEOPLE)
    assert tk.delta_presence(PEOPLE.iloc[:3], PEOPLE, []) == (0.5, 0.5)


# Edges and errors


def test_one_record():
    one = pd.DataFrame({"a": ["x"], "b": ["y"]})
    assert tk.k_anonymity(one, ["a", "b"]) == 1
    assert tk.reidentification_risk(one, ["a", "b"])[:2] == (1.0, 1.0)
    assert tk.k_map(one, one, "a") == 1
    assert tk.delta_presence(one, one, "a") == (1.0, 1.0)


def test_a_quasi_identifier_as_text_is_one_column():
    data = pd.DataFrame({"ab": [1, 1, 2], "a": [1, 2, 3], "b": [1, 2, 3]})
    assert tk.record_class_sizes(data, "ab").tolist() == [2, 2, 1]


def test_a_quasi_identifier_twice_counts_once():
    with pytest.warns(UserWarning, match="names 'age' more than once; each counts once"):
        assert tk.k_anonymity(WARD, ["age", 0]) == 2


def test_unused_categories_are_no_class():
    data = pd.DataFrame({"x": pd.Categorical(["a", "a"], categories=["a", "b"])})
    assert tk.k_anonymity(data, "x") == 2
