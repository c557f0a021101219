"""Diversity, likeness, closeness and disclosure: by hand, by oracle, by law, at the edges."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

import toolkit as tk
from tests.oracles.classes import Classes
from tests.oracles.pif import MISSING, rows_of
from tests.tables import tables
from toolkit import classes as class_tables
from toolkit.disclosure import attribute

TABLES = tables(min_columns=2)
TOWNS = pd.DataFrame({"q": list("aabb"), "s": list("xxyy")}, index=[0, 2, 1, 3])
TREE = pd.DataFrame({"s": range(4), "half": list("llhh")})
SALARIES = pd.DataFrame({"class": list("aaabbbccc"), "pay": [3, 4, 5, 6, 8, 11, 7, 9, 10]})


def roles(data):
    """The table with columns 0, 1, …, its quasi-identifiers, its sensitive column."""
    data = data.set_axis(range(data.shape[1]), axis=1)
    return data, list(range(data.shape[1] - 1)), data.shape[1] - 1


def one_class(counts):
    """A table of one class with these counts of its values."""
    return pd.DataFrame({"q": 0, "s": np.repeat(np.arange(len(counts)), counts)})


def metrics(data, q="q", s="s"):
    """All headline numbers of a table."""
    classes = tk.equivalence_classes(data, q, s)
    return {
        "k": tk.k_anonymity(classes),
        "alpha": tk.alpha_k_anonymity(classes).alpha,
        "l": tk.l_diversity(classes),
        "entropy_l": tk.entropy_l_diversity(classes),
        "c": tk.recursive_cl_diversity(classes),
        "beta": tk.basic_beta_likeness(classes),
        "enhanced": tk.enhanced_beta_likeness(classes),
        "delta": tk.delta_disclosure(classes),
        "skip": tk.delta_disclosure(classes, absent="skip"),
        "t": tk.t_closeness(classes, kind="equal"),
    }


# What pyCANON gets wrong, with the true value


def test_mistake_1_labels_are_no_positions():
    """pyCANON: l = 2, alpha = .5, t = 0."""
    found = metrics(TOWNS)
    assert (found["l"], found["alpha"], found["t"], found["beta"]) == (1, 1, 0.5, 1)
    assert found["skip"] == pytest.approx(math.log(2), abs=1e-15)
    assert found["delta"] == math.inf, "each town rules out an illness"


def test_mistake_2_recursive_counts_fall():
    """It sorts them the other way and says c = 1."""
    assert tk.recursive_cl_diversity(one_class([8, 1, 1]), "q", "s", l=3) == 8


@pytest.mark.parametrize("m", [2, 3, 4, 6])
def test_mistake_3_entropy_l_is_real_and_not_cut_off(m):
    """pyCANON: 1, 2, 3, 5."""
    data = one_class([5] * m)
    assert tk.entropy_l_diversity(data, "q", "s") == pytest.approx(m, abs=1e-12)
    assert tk.entropy_l_diversity(data, "q", "s", whole=True) == m


def test_mistake_4_enhanced_beta_can_fail():
    """pyCANON: .818. The common value gains 1 / 19 > -ln(19 / 20)."""
    data = pd.DataFrame({"q": ["a"] * 9 + ["b"] * 11, "s": ["x"] * 19 + ["z"]})
    assert tk.enhanced_beta_likeness(data, "q", "s") == math.inf
    assert tk.basic_beta_likeness(data, "q", "s") == pytest.approx(9 / 11)
    likeness = tk.beta_likeness_by_class(data, "q", "s")
    assert likeness["offending"].tolist()[0] == "x"
    assert likeness["beta"]["a"] == pytest.approx(1 / 19)
    assert likeness["value"].tolist() == ["x", "z"]


def test_mistake_5_missing_cells_stay():
    data = pd.DataFrame({"q": ["a", "a", None], "s": ["x", None, "y"]})
    assert tk.k_anonymity(data, "q") == 1
    assert tk.alpha_k_anonymity(data, "q", "s") == (1.0, 1)
    assert tk.l_diversity(data, "q", "s") == 1
    assert tk.class_diversity(data, "q", "s")["distinct"].tolist() == [2, 1]


def test_mistake_6_unused_categories_and_constant_numbers():
    """pyCANON: k = 0, and a ZeroDivisionError."""
    data = pd.DataFrame({"q": pd.Categorical(["a", "a"], categories=["a", "b"]), "s": [7, 7]})
    assert tk.k_anonymity(data, "q") == 2
    assert tk.t_closeness(data, "q", "s") == 0


def test_mistake_7_risk_is_averaged_over_records():
    """Over classes it is .505. The rest of 7 is in test_utility and test_report."""
    data = pd.DataFrame({"q": ["a"] + ["b"] * 99})
    assert tk.reidentification_risk(data, "q").prosecutor_average == 0.02
    text = pd.DataFrame({"ab": [1, 1], "a": [1, 2], "b": [1, 2]})
    assert tk.k_anonymity(text, "ab") == 2, "a name is one column"


# Published values


def test_the_published_salaries_of_t_closeness():
    distances = tk.t_closeness_by_class(SALARIES, "class", "pay", kind="ordered")
    assert distances["a"] == 0.375
    assert distances["b"] == pytest.approx(1 / 6, abs=1e-15)
    assert tk.t_closeness(SALARIES, "class", "pay", kind="ordered") == 0.375


def test_classes_of_another_block_have_the_same_distances(monkeypatch):
    """The three classes of three salaries, one in each block: EMDs of the paper, times 8."""
    monkeypatch.setattr(attribute, "PAIRS_AT_ONCE", 3)
    found = tk.t_closeness_by_class(SALARIES, "class", "pay", kind="ordered")
    assert (found * 8).tolist() == pytest.approx([3, 4 / 3, 17 / 9])
    wanted = metrics(SALARIES, "class", "pay")
    for pairs in (1, 4):
        monkeypatch.setattr(class_tables, "PAIRS_AT_ONCE", pairs)
        assert metrics(SALARIES, "class", "pay") == wanted


@pytest.mark.parametrize("kind", ["ordered", "equal", TREE])
@given(rows=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1))
def test_t_is_the_greatest_distance_whether_or_not_a_class_has_one_value(kind, rows):
    data = pd.DataFrame(rows, columns=["q", "s"])
    greatest = tk.t_closeness_by_class(data, "q", "s", kind=kind).max()
    assert tk.t_closeness(data, "q", "s", kind=kind) == pytest.approx(greatest, abs=1e-15)


def test_the_diseases_of_t_closeness_over_organs():
    """One class has the three diseases of the stomach, as in the paper's Table 5."""
    diseases = ["ulcer", "gastritis", "cancer", "gastritis", "flu", "bronchitis"]
    diseases += ["bronchitis", "pneumonia", "cancer"]
    data = pd.DataFrame({"class": list("aaabbbccc"), "disease": diseases})
    tree = pd.DataFrame(
        {
            "value": ["flu", "pneumonia", "bronchitis", "ulcer", "gastritis", "cancer"],
            "organ": ["lung"] * 3 + ["stomach"] * 3,
            "all": ["disease"] * 6,
        }
    )
    # Stomach has 5 of 9: 4 of 9 move over the root at cost 1. Within the stomach the class has
    # (3, 3, 3) ninths where the table has (1, 2, 2): nothing moves there.
    distances = tk.t_closeness_by_class(data, "class", "disease", kind=tree)
    assert distances["a"] == pytest.approx(4 / 9, abs=1e-15)


def test_a_hierarchy_by_hand():
    tree = [["a", "ab"], ["b", "ab"], ["c", "cd"], ["d", "cd"]]
    data = pd.DataFrame({"q": [1, 1, 2, 2], "s": list("aabc")})
    # p = (1/2, 1/4, 1/4, 0); class 1 = (1, 0, 0, 0): 1/4 moves within ab, 1/4 over the root.
    expected = 1 / 4 * 1 / 2 + 1 / 4
    assert tk.t_closeness_by_class(data, "q", "s", kind=tree)[1] == expected
    rooted = [[*row, "any", "any"] for row in tree]
    assert tk.t_closeness_by_class(data, "q", "s", kind=rooted)[1] == expected
    flat = [[value] for value in "abcd"]
    np.testing.assert_array_equal(
        tk.t_closeness_by_class(data, "q", "s", kind=flat),
        tk.t_closeness_by_class(data, "q", "s", kind="equal"),
    )


# Against the oracle


@given(TABLES)
def test_every_metric_against_the_oracle(data):
    data, q, s = roles(data)
    truth, classes = Classes(rows_of(data)), tk.equivalence_classes(data, q, s)
    near = {"rtol": 1e-12, "atol": 1e-12}
    diversity = tk.class_diversity(classes)
    assert diversity["records"].tolist() == truth.sizes()
    assert diversity["distinct"].tolist() == truth.distinct()
    np.testing.assert_allclose(diversity["alpha"], np.array(truth.alpha(), float), **near)
    np.testing.assert_allclose(diversity["entropy_l"], truth.entropy_l(), **near)
    assert tk.entropy_l_diversity(classes) == diversity["entropy_l"].min()
    likeness = tk.beta_likeness_by_class(classes)
    np.testing.assert_allclose(likeness["beta"], np.array(truth.beta(), float), **near)
    enhanced = np.array(truth.enhanced_beta(), float)
    np.testing.assert_allclose(likeness["enhanced_beta"], enhanced, **near)
    for absent in ("inf", "skip"):
        delta = tk.delta_disclosure_by_class(classes, absent=absent)["delta"]
        np.testing.assert_allclose(delta, truth.delta(absent), **near)
        assert tk.delta_disclosure(classes, absent=absent) == delta.max()
    for l in range(1, len(data) + 1):  # noqa: E741
        expected = np.array(truth.recursive_c(l), float)
        by_class = tk.recursive_diversity_by_class(classes, l=l)
        np.testing.assert_allclose(by_class, expected, **near)
    equal = np.array(truth.equal(), float)
    np.testing.assert_allclose(tk.t_closeness_by_class(classes, kind="equal"), equal, **near)


@given(TABLES)
def test_headlines_are_the_worst_of_their_tables(data):
    data, q, s = roles(data)
    found, truth = metrics(data, q, s), Classes(rows_of(data))
    distinct = min(truth.distinct())
    assert (found["k"], found["l"]) == (min(truth.sizes()), distinct)
    worst = {
        "alpha": max(truth.alpha()),
        "entropy_l": min(truth.entropy_l()),
        "beta": max(truth.beta()),
        "enhanced": max(truth.enhanced_beta()),
        "delta": max(truth.delta()),
        "skip": max(truth.delta("skip")),
        "t": max(truth.equal()),
    }
    for name, number in worst.items():
        assert found[name] == pytest.approx(float(number), abs=1e-12), name
    if distinct == 1:
        assert found["c"] is None
    else:
        assert found["c"] == pytest.approx(float(max(truth.recursive_c(distinct))))


NUMBERS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([-3, 0, 1, 5, 1000])),
    min_size=1,
    max_size=14,
)


@given(NUMBERS, st.booleans(), st.booleans())
def test_ordered_distance_against_the_oracle(rows, ordered, absent):
    data = pd.DataFrame(rows, columns=["q", "s"])
    if absent:
        data["s"] = data["s"].astype("float").mask(data["s"] == 0)
    if ordered:
        names = {1000: "e", 5: "d", -3: "c", 0: "b", 1: "a"}
        data["s"] = pd.Categorical(
            data["s"].map(names), categories=["never", *"abcde"][::-1], ordered=True
        )
    values = rows_of(data[["s"]])
    order = list("edcba") if ordered else [-3, 0, 1, 5, 1000]
    ranked = [v for v in [*order, MISSING] if (v,) in values]
    expected = np.array(Classes(rows_of(data)).ordered(ranked), float)
    found = tk.t_closeness_by_class(data, "q", "s", kind="ordered")
    np.testing.assert_allclose(found, expected, atol=1e-14)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 7)), min_size=1, max_size=14))
def test_hierarchical_distance_against_the_oracle(rows):
    data = pd.DataFrame(rows, columns=["q", "s"])
    tree = {v: [v // 2, f"{v // 4} of 2", "all"] for v in range(8)}
    table = [[v, *labels] for v, labels in tree.items()]
    expected = Classes(rows_of(data)).hierarchical(tree)
    found = tk.t_closeness_by_class(data, "q", "s", kind=table)
    np.testing.assert_allclose(found, np.array(expected, float), atol=1e-14)


def least_work(p, q, cost):
    """Earth mover's distance, by linear programming."""
    m = len(p)
    sums = np.zeros((2 * m, m, m))
    for i in range(m):
        sums[i, i, :] = 1
        sums[m + i, :, i] = 1
    answer = linprog(cost.ravel(), A_eq=sums.reshape(2 * m, -1), b_eq=np.r_[p, q])
    return answer.fun


def test_the_distances_are_the_least_work():
    rng, m = np.random.default_rng(3), 6
    tree = np.array([[v, v // 2, 0] for v in range(m)])
    rank = np.arange(m)
    height = np.zeros((m, m))
    for level in (0, 1):
        height += (tree[:, level][:, None] != tree[:, level][None, :]) / 2
    costs = {
        "ordered": np.abs(rank[:, None] - rank) / (m - 1),
        "equal": (rank[:, None] != rank).astype(float),
        "hierarchy": height,
    }
    for _ in range(10):
        data = pd.DataFrame({"q": rng.integers(0, 2, 30), "s": rng.integers(0, m, 30)})
        data = pd.concat([data, pd.DataFrame({"q": 0, "s": rank})])
        p = data["s"].value_counts(normalize=True).reindex(rank, fill_value=0)
        for name, cost in costs.items():
            kind = tree if name == "hierarchy" else name
            distances = tk.t_closeness_by_class(data, "q", "s", kind=kind)
            for c, rows in data.groupby("q"):
                q = rows["s"].value_counts(normalize=True).reindex(rank, fill_value=0)
                assert distances[c] == pytest.approx(least_work(q, p, cost), abs=1e-9)


# Laws


@given(TABLES, st.integers(0, 99))
def test_records_may_come_in_any_order_with_any_names(data, seed):
    data, q, s = roles(data)
    rng = np.random.default_rng(seed)
    shuffled = data.iloc[rng.permutation(len(data))]
    cells = pd.factorize(data[s], use_na_sentinel=False)[0]
    renamed = data.copy()
    renamed[s] = np.array([f"v{i}" for i in rng.permutation(len(data))])[cells]
    before = metrics(data, q, s)
    for other in (shuffled, renamed):
        for name, number in metrics(other, q, s).items():
            assert number == pytest.approx(before[name], abs=1e-12), name


@given(TABLES, st.integers(0, 99))
def test_merging_classes_is_never_less_safe(data, seed):
    """All but the variant of delta that skips absent values, which is why it is no default."""
    data, q, s = roles(data)
    data["class"] = tk.equivalence_class(data, q)
    merged = data.assign(**{"class": data["class"] // 2})
    fine, coarse = metrics(data, "class", s), metrics(merged, "class", s)
    slack = 1 + 1e-12
    for name in ("k", "l", "entropy_l"):
        assert coarse[name] * slack >= fine[name], name
    for name in ("alpha", "beta", "enhanced", "delta", "t"):
        assert coarse[name] <= fine[name] * slack + 1e-12, name


def test_skipping_absent_values_can_get_worse_by_merging():
    """No town misses y as long as it has none of it; together they show how rare it is."""
    data = pd.DataFrame({"q": ["a"] * 99 + ["b"] + ["c"] * 98, "s": ["x"] * 99 + ["y"] * 99})
    merged = data.replace({"q": "b"}, "a")
    before, after = (tk.delta_disclosure(x, "q", "s", absent="skip") for x in (data, merged))
    assert before == pytest.approx(math.log(2))
    assert after == pytest.approx(math.log(50))
    assert tk.delta_disclosure(data, "q", "s") == math.inf


@given(TABLES)
def test_fewer_quasi_identifiers_never_raise_t(data):
    data, q, s = roles(data)
    for kind in ("equal", "auto"):
        fine = tk.t_closeness_by_class(data, q, s, kind=kind).max()
        assert tk.t_closeness(data, q[1:], s, kind=kind) <= fine + 1e-12


@given(TABLES, st.integers(2, 3))
def test_copies_of_the_table_change_no_share(data, times):
    data, q, s = roles(data)
    before, after = metrics(data, q, s), metrics(pd.concat([data] * times), q, s)
    assert after.pop("k") == times * before.pop("k")
    assert after == pytest.approx(before, abs=1e-12)


@given(TABLES)
def test_relations_between_the_models(data):
    data, q, s = roles(data)
    found = metrics(data, q, s)
    assert 1 <= found["entropy_l"] <= found["l"]
    assert found["beta"] <= found["enhanced"]
    assert found["skip"] <= found["delta"]
    assert found["alpha"] >= 1 / found["l"] - 1e-12
    assert 0 <= found["t"] < 1
    everyone = metrics(data, [], s)
    assert everyone["beta"] == everyone["delta"] == everyone["t"] == 0


# Details and edges


def test_alpha_of_named_values():
    data = pd.DataFrame({"q": list("aaab"), "s": ["flu", "hiv", "hiv", "flu"]})
    assert tk.alpha_k_anonymity(data, "q", "s") == (1.0, 1)
    assert tk.alpha_k_anonymity(data, "q", "s", values="hiv").alpha == 2 / 3
    assert tk.alpha_k_anonymity(data, "q", "s", values=["hiv", "flu"]).alpha == 1
    assert tk.alpha_k_anonymity(data.replace("flu", None), "q", "s", values=[None]).alpha == 1


def test_recursive_needs_two_values():
    data = pd.DataFrame({"q": list("aab"), "s": list("xyx")})
    assert tk.recursive_cl_diversity(data, "q", "s") is None
    assert tk.recursive_cl_diversity(data, "q", "s", l=2) == math.inf
    assert tk.recursive_diversity_by_class(data, "q", "s", l=2).to_dict() == {
        "a": 1.0,
        "b": math.inf,
    }


def test_one_record():
    one = pd.DataFrame({"q": ["a"], "s": [5]})
    found = metrics(one)
    assert found.pop("c") is None
    ones, zeros = ("k", "alpha", "l", "entropy_l"), ("beta", "enhanced", "delta", "skip", "t")
    assert found == dict.fromkeys(ones, 1) | dict.fromkeys(zeros, 0)


def test_logarithms_of_any_base():
    data = pd.DataFrame({"q": list("aabb"), "s": list("xyxx")})
    nats = tk.delta_disclosure(data, "q", "s", absent="skip")
    bits = tk.delta_disclosure(data, "q", "s", absent="skip", base=2)
    assert nats == pytest.approx(math.log(2))
    assert bits == 1


def test_the_value_that_sets_delta_is_named():
    data = pd.DataFrame({"q": list("aabb"), "s": list("xyxx")})
    disclosures = tk.delta_disclosure_by_class(data, "q", "s")
    assert disclosures["delta"].tolist() == [pytest.approx(math.log(2)), math.inf]
    assert disclosures["value"].tolist() == ["y", "y"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 4], "equal"),
        ([1.0, 4, None], "equal"),
        (pd.Categorical([1, 2, 4], ordered=True), "equal"),
        ([1.5, 4, None], "ordered"),
        (pd.array([1, 4, None], "Int64"), "equal"),
        (pd.to_datetime(["2020-01-01", "2021-01-01", "2029-01-01"]), "ordered"),
        (pd.Categorical(["lo", "mid", "hi"], ["lo", "mid", "hi"], ordered=True), "ordered"),
        (pd.Categorical(["lo", "mid", "hi"]), "equal"),
        (["x", "y", "z"], "equal"),
        (pd.Series([("x", 1), ("y", 2), None], dtype=object), "equal"),
        ([True, False, True], "equal"),
        (pd.Series([1, 2, None], dtype=object), "equal"),
        (pd.Series([1, "2", None], dtype=object), "equal"),
    ],
)
def test_the_kind_of_a_column_is_seen(values, kind):
    data = pd.DataFrame({"q": [0, 0, 1], "s": values})
    found = tk.t_closeness_by_class(data, "q", "s")
    pd.testing.assert_series_equal(found, tk.t_closeness_by_class(data, "q", "s", kind=kind))
    if data["s"].nunique(dropna=False) == 3:
        expected = {"equal": [1 / 3, 2 / 3], "ordered": [1 / 4, 1 / 2]}
        assert found.tolist() == pytest.approx(expected[kind])


@pytest.mark.parametrize("text", [["1", "2", "3"], pd.Categorical(["1", "2", "3"])])
def test_numbers_as_text_warn(text):
    data = pd.DataFrame({"q": [0, 0, 1], "s": text})
    with pytest.warns(UserWarning, match="numbers stored as text \\('1', '2', '3'\\)"):
        tk.t_closeness(data, "q", "s")
    assert tk.t_closeness(data, "q", "s", kind="equal") == pytest.approx(2 / 3)
    assert tk.t_closeness(data.assign(s=["1", "2", "x"]), "q", "s") == pytest.approx(2 / 3)


def test_missing_values_need_a_place_in_a_hierarchy():
    data = pd.DataFrame({"q": [0, 0, 1], "s": ["x", "y", None]})
    tree = [["x", "known"], ["y", "known"], [None, "unknown"]]
    assert tk.t_closeness_by_class(data, "q", "s", kind=tree).tolist() == pytest.approx(
        [1 / 3, 2 / 3]
    )
    with pytest.raises(ValueError, match="hierarchy of 's' has no row for nan"):
        tk.t_closeness(data, "q", "s", kind=tree[:2])


def test_very_large_tables_fall_back_to_floats(monkeypatch):
    """The exact path needs n * n * m below 2**62; the other gives the same to rounding."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"q": rng.integers(0, 50, 2000), "s": rng.integers(0, 300, 2000)})
    exact = tk.t_closeness_by_class(data, "q", "s")
    monkeypatch.setattr(attribute, "LARGEST_EXACT", 1)
    np.testing.assert_allclose(tk.t_closeness_by_class(data, "q", "s"), exact, rtol=1e-12)


def test_fractions_agree_to_the_last_digit():
    """Whole numbers are divided once: a third is the float nearest to a third."""
    data = pd.DataFrame({"q": list("aaabbb"), "s": list("xyzxyw")})
    assert tk.t_closeness(data, "q", "s") == float(Fraction(1, 6))


def test_ordered_distances_of_billions_of_records_do_not_overflow():
    """Three values in two classes: by hand, for any number of records."""
    for many in (1, 3 * 2**28, 2**31):
        pairs = SimpleNamespace(
            values=pd.Index([1, 2, 3]),
            totals=np.array([1, 1, 2]) * many,
            starts=np.array([0, 2]),
            of_value=np.array([0, 1, 2]),
            records=np.array([1, 1, 2]) * many,
        )
        classes = SimpleNamespace(
            sensitive=pairs, n_records=4 * many, sizes=np.array([2, 2]) * many
        )
        # Of all, the cumulated shares are 1/4, 1/2; of the classes 1/2, 1 and 0, 0.
        found = attribute._ordered_distances(classes)
        assert found.tolist() == [(1 / 4 + 1 / 2) / 2, (1 / 4 + 1 / 2) / 2]


def test_more_values_than_a_float_counts_are_refused():
    classes = tk.equivalence_classes(pd.DataFrame({"a": [1, 2], "b": [1, 2]}), "a", "b")
    assert tk.recursive_diversity_by_class(classes, l=2**53).tolist() == [np.inf, np.inf]
    for ask in (tk.recursive_diversity_by_class, tk.recursive_cl_diversity):
        with pytest.raises(ValueError, match="l must be from 1 to 9007199254740992"):
            ask(classes, l=2**53 + 1)
