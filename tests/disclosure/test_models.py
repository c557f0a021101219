"""Laws of all models, drawn over kinds of cells and all options, against slow twins."""

import datetime as dt
import decimal
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, strategies as st

import toolkit as tk
from tests.oracles.classes import Classes, crowd
from tests.oracles.pif import MISSING
from toolkit.disclosure.models import MODELS, worst

DAYS = pd.to_datetime(["2020-01-01", "2021-02-03"])
LEVELS = ["lo", "mid", "hi"]
KINDS = {  # what a cell may be; a new kind is one line
    "text": (["a", "b", None], "str"),
    "text as objects": (["a", "b", None, np.nan], "object"),
    "text of Arrow": (["a", "b", None], pd.ArrowDtype(pa.string())),
    "codes of Arrow": (["a", "b", None], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "mixed": ([1, 1.0, True, "1", 2], "object"),
    "category": (["u", "v", None], "category"),
    "bytes": ([b"a", b"b", None], "object"),
    "tuple": ([("x", 1), ("x", 2), None], "object"),
}
IN_ORDER = {
    "whole": ([0, 1, 2**53, 2**53 + 1], "int64"),
    "without sign": ([0, 2**63, 2**64 - 1], "uint64"),
    "large": ([2**53, 2**53 + 1, 2**80, None], "object"),
    "nullable": ([2**53, 2**53 + 1, None], "Int64"),
    "float": ([0.0, -0.0, 1.5, np.nan, np.inf], "float64"),
    "float of two bytes": ([0.0, 1.5, np.nan], "float16"),
    "float of Arrow": ([0.0, 1.5, None], pd.ArrowDtype(pa.float64())),
    "truth": ([True, False], "bool"),
    "numbers as categories": ([3, 1, 2], "category"),
    "ordered": (["lo", "hi", None], pd.CategoricalDtype(LEVELS, ordered=True)),
    "decimal": ([decimal.Decimal("1.0"), decimal.Decimal("2.5"), None], "object"),
    "date": ([dt.date(2020, 1, 1), dt.date(1900, 2, 3), None], "object"),
    "time": (DAYS, "datetime64[ns]"),
    "aware": (DAYS.tz_localize("Europe/Berlin"), "datetime64[ns, Europe/Berlin]"),
    "duration": (pd.to_timedelta([1, 2], "h"), "timedelta64[ns]"),
    "period": (pd.PeriodIndex(["2020-01", "2020-05"], freq="M"), "period[M]"),
    "interval": (pd.interval_range(0, 2), "interval"),
}
SALARIES = pd.DataFrame({"class": list("aaabbbccc"), "pay": [3, 4, 5, 6, 8, 11, 7, 9, 10]})


@st.composite
def columns(draw, rows, kinds):
    """A column of one kind."""
    pool, dtype = kinds[draw(st.sampled_from([*kinds]))]
    places = draw(st.lists(st.integers(0, len(pool) - 1), min_size=rows, max_size=rows))
    return pd.Series(pd.Series(list(pool), dtype=dtype).array[places])


@st.composite
def tables(draw, kinds=None):
    """Records with 0 to 3 quasi-identifiers, a sensitive value and a person; known names."""
    every = KINDS | IN_ORDER
    rows = draw(st.integers(1, 12))
    known = {f"q{j}": draw(columns(rows, every)) for j in range(draw(st.integers(0, 3)))}
    data = pd.DataFrame(known | {"s": draw(columns(rows, kinds or every))})
    people = st.sampled_from([1, 2, 3, None])
    data["who"] = draw(st.lists(people, min_size=rows, max_size=rows))
    data.index = draw(st.sampled_from([range(rows), range(rows, 0, -1), [7] * rows]))
    return data, list(known)


def cells_of(data, names, missing="category"):
    """Rows as tuples, all missing cells as one value; "drop" leaves out who lacks one."""
    rows = [
        tuple(MISSING if pd.api.types.is_scalar(c) and pd.isna(c) else c for c in row)
        for row in zip(*(list(data[name]) for name in names), strict=True)
    ]
    rows = rows if names else [()] * len(data)
    return [row for row in rows if missing != "drop" or MISSING not in row]


def ranked(rows):
    """Sensitive values in their order, a missing one last."""
    values = [value for value in dict.fromkeys(row[-1] for row in rows)]
    known = [value for value in values if not (isinstance(value, str) and value == MISSING)]
    rank = LEVELS.index if known and isinstance(known[0], str) else None
    return [*sorted(known, key=rank), *[MISSING] * (len(values) - len(known))]


def twin(rows, l, absent, ordered):  # noqa: E741
    """Numbers of each class by the definitions, in exact fractions."""
    slow = Classes(rows)
    return {
        "records": slow.sizes(),
        "k_anonymity": slow.sizes(),
        "prosecutor_risk": [Fraction(1, size) for size in slow.sizes()],
        "alpha_k_anonymity": slow.alpha(),
        "l_diversity": slow.distinct(),
        "entropy_l_diversity": slow.entropy_l(),
        "recursive_cl_diversity": slow.recursive_c(l),
        "basic_beta_likeness": slow.beta(),
        "enhanced_beta_likeness": slow.enhanced_beta(),
        "delta_disclosure": slow.delta(absent),
        "t_closeness": slow.ordered(ranked(rows)) if ordered else slow.equal(),
    }


@pytest.mark.filterwarnings("ignore:missing='drop' leaves out")
@pytest.mark.parametrize("kind", ["equal", "ordered"])
@given(drawn=st.data())
def test_every_model_is_its_definition(kind, drawn):
    data, known = drawn.draw(tables(IN_ORDER if kind == "ordered" else None))
    missing = drawn.draw(st.sampled_from(["category", "drop"]))
    least_l = drawn.draw(st.integers(1, 4))
    absent = drawn.draw(st.sampled_from(["inf", "skip"]))
    rows = cells_of(data, [*known, "s"], missing)
    assume(rows)
    wanted = twin(rows, least_l, absent, kind == "ordered")
    options = {"l": least_l, "absent": absent, "kind": kind, "missing": missing}
    found = tk.by_class(data, known, "s", **options)
    assert list(found) == list(wanted)
    for name, numbers in wanted.items():
        near = 1e-9 if name == "t_closeness" else 1e-12
        expected = np.array(numbers, float)
        np.testing.assert_allclose(found[name], expected, rtol=near, atol=1e-14, err_msg=name)
    if known:
        labels = cells_of(found.index.to_frame(index=False), known)
        assert labels == list(dict.fromkeys(row[:-1] for row in rows)), "as they appear first"
    table = tk.class_table(data, known, "s", missing=missing)
    heads = {
        "k_anonymity": tk.k_anonymity,
        "alpha_k_anonymity": lambda c: tk.alpha_k_anonymity(c).alpha,
        "l_diversity": tk.l_diversity,
        "entropy_l_diversity": tk.entropy_l_diversity,
        "recursive_cl_diversity": lambda c: tk.recursive_cl_diversity(c, l=least_l),
        "basic_beta_likeness": tk.basic_beta_likeness,
        "enhanced_beta_likeness": tk.enhanced_beta_likeness,
        "delta_disclosure": lambda c: tk.delta_disclosure(c, absent=absent),
        "t_closeness": lambda c: tk.t_closeness(c, kind=kind),
    }
    for name, head in heads.items():
        least = MODELS[name].rule == "at least"
        assert head(table) == (found[name].min() if least else found[name].max())
    least = min(wanted["l_diversity"])
    expected = None if least == 1 else float(max(Classes(rows).recursive_c(least)))
    assert tk.recursive_cl_diversity(table) == expected
    counts = tk.class_counts(table)
    pairs = Counter(rows)
    assert sorted(counts["records"]) == sorted(pairs.values())
    sizes = Counter(row[:-1] for row in rows)
    q = [Fraction(records, sizes[row[:-1]]) for row, records in pairs.items()]
    assert sorted(counts["share"]) == sorted(map(float, q))
    assert set(counts["share_of_all"]) == set(table.p[table.val])


def numbers(data, known, **options):
    """The worst class of every model that needs no population."""
    return numbers_of([tk.class_table(data, known, "s", **options)])


def numbers_of(parts):
    return {
        name: worst(name, parts, **({"kind": "equal"} if name == "t_closeness" else {}))
        for name, model in MODELS.items()
        if model.about in ("classes", "values")
    }


@given(drawn=tables(), times=st.lists(st.integers(1, 3), min_size=12, max_size=12))
def test_weights_are_copies(drawn, times):
    data, known = drawn
    times = times[: len(data)]
    copies = data.iloc[np.repeat(np.arange(len(data)), times)]
    wanted = numbers(copies, known)
    for weights in (times, np.array(times, float), pd.Series(times, data.index)):
        assert numbers(data, known, weights=weights) == wanted
    whole, half = (
        tk.class_table(data, known, weights=given) for given in (times, np.array(times) / 2)
    )
    assert whole.size.sum() == len(copies) and whole.size.dtype == "int64"
    assert half.size.tolist() == (whole.size / 2).tolist()
    lacking = copies[known].isna().any(axis=1).sum() if known else 0
    assert whole.lacking == lacking


def test_weights_that_are_halves_are_not_cut():
    here = tk.class_table(pd.DataFrame({"town": ["A", "B"]}), "town", weights=[1.5, 0.5])
    assert tk.delta_presence(here, pd.DataFrame({"town": [*"AABB"]})) == (0.25, 0.75)
    assert tk.reidentification_risk(here).prosecutor == 2


@given(drawn=tables(), parts=st.integers(1, 4), weighted=st.booleans())
def test_parts_of_whole_classes_give_the_numbers_of_the_whole(drawn, parts, weighted):
    data, known = drawn
    whole = tk.class_table(data, known, "s")
    options = {"totals": pd.Series(whole.totals, whole.values)}
    if weighted:
        options["weights"] = np.ones(len(data), int)
    cut = []
    for part in range(parts):
        rows = whole.ids % parts == part
        more = {name: one[rows] if name == "weights" else one for name, one in options.items()}
        if rows.any():
            cut.append(tk.class_table(data[rows], known, "s", **more))
    assert numbers_of(cut) == numbers_of([whole])


@pytest.mark.filterwarnings("ignore:missing='drop' leaves out")
@given(drawn=tables(), missing=st.sampled_from(["category", "drop"]))
def test_people_of_a_class_are_its_distinct_names(drawn, missing):
    data, known = drawn
    options = {"missing": missing, "person": "who"}
    rows = [(row[:-1], row[-1]) for row in cells_of(data, [*known, "who"])]
    kept = [(key, who) for key, who in rows if missing == "category" or MISSING not in key]
    assume(kept)
    people = {
        key: max(len({who for other, who in kept if other == key} - {MISSING}), 1)
        for key, _ in kept
    }
    assert tk.k_anonymity(data, known, **options) == min(people.values())
    if missing == "category":
        sizes = tk.class_sizes(data, known, person="who")
        assert (sizes.tolist(), sizes.name) == (list(people.values()), "people")
    found = tk.record_class_sizes(data, known, **options)
    assert found.name == "people" and found.index.equals(data.index)
    assert found.dropna().tolist() == [people[key] for key, _ in kept]
    risk = tk.reidentification_risk(data, known, **options)
    each = [Fraction(1, people[key]) for key, _ in kept]
    assert risk.prosecutor == float(max(each))
    assert risk.prosecutor_average == pytest.approx(float(sum(each) / len(each)))
    table = tk.class_table(data, known, "s", person="who")
    assert tk.l_diversity(table) == tk.l_diversity(data, known, "s"), "of records"


@pytest.mark.filterwarnings("ignore:missing='drop' leaves out")
@given(
    drawn=tables(), missing=st.sampled_from(["category", "drop", "wildcard"]), more=st.data()
)
def test_populations_and_registers_are_linked_record_by_record(drawn, missing, more):
    data, known = drawn
    wild, options = missing == "wildcard", {"missing": missing}
    rng = np.random.default_rng(more.draw(st.integers(0, 99)))
    chosen = np.sort(rng.choice(len(data), rng.integers(1, len(data) + 1), replace=False))
    sample = data.iloc[chosen]
    sample = sample.astype(object) if more.draw(st.booleans()) else sample
    rows, others = cells_of(sample, known, missing), cells_of(data, known, missing)
    assume(rows)
    own, people = crowd(rows, rows, wildcard=wild), crowd(rows, others, wildcard=wild)
    assert tk.record_class_sizes(sample, known, **options).dropna().tolist() == own
    assert tk.k_anonymity(sample, known, **options) == min(own)
    here, there = (tk.class_table(table, known, **options) for table in (sample, data))
    matches = tk.population_matches(here, there)
    assert matches.dropna().tolist() == people and matches.index.equals(sample.index)
    assert tk.k_map(here, data[data.columns[::-1]]) == tk.k_map(here, there) == min(people)
    risk = tk.reidentification_risk(sample, known, population=data, **options)
    assert (risk.prosecutor, risk.journalist) == (1 / min(own), 1 / min(people))
    average = float(sum(Fraction(1, one) for one in people) / len(people))
    assert risk.marketer == pytest.approx(average)
    register = tk.linkage_candidates(data, sample, known, **options).dropna()
    assert register.tolist() == crowd(others, rows, wildcard=wild)
    if wild:
        with pytest.raises(ValueError, match="makes no classes"):
            tk.delta_presence(here, data)
        return
    share = [rows.count(row) / others.count(row) for row in dict.fromkeys(others)]
    presence = tk.class_presence(here, data)
    assert sorted(presence["presence"]) == sorted(share)
    assert presence["records"].sum() == len(rows) and presence["people"].sum() == len(others)
    assert tk.delta_presence(here, there) == (min(share), max(share))


@given(drawn=tables(), by_column=st.booleans())
def test_suppressed_records_are_left_out(drawn, by_column):
    data, known = drawn
    assume(known)
    data = data.astype({name: object for name in known})
    data.iloc[: len(data) // 2, : len(known)] = "*"
    data.iloc[-2:, 0] = "*"  # in one of perhaps several columns
    gone = np.array([set(row) == {"*"} for row in cells_of(data, known)])
    left = data if gone.all() else data[~gone]
    marks = dict.fromkeys(known, "*") if by_column else "*"
    table = tk.class_table(data, known, "s", suppressed=marks)
    wanted = tk.class_table(left, known, "s")
    assert table.suppressed == len(data) - len(left)
    one, other = (np.c_[c.cls, c.n, c.totals[c.val], c.size[c.cls]] for c in (table, wanted))
    assert sorted(one.tolist()) == sorted(other.tolist())
    marked = table.per_record(table.size < 2)
    assert marked.isna().tolist() == [bool(g) and len(left) < len(data) for g in gone]
    assert tk.class_table(data, known, "s").size.sum() == len(data), "all count by default"


def test_a_missing_cell_as_category_drop_and_wildcard():
    ward = pd.DataFrame({"age": [30, 30, 40, 40, 40], "sex": [*"ffmm", None]})
    ward["ill"] = ["x", None, "x", "y", "y"]
    known = ["age", "sex"]
    assert tk.record_class_sizes(ward, known).tolist() == [2, 2, 2, 2, 1]
    assert tk.record_class_sizes(ward, known, missing="wildcard").tolist() == [2, 2, 3, 3, 3]
    with pytest.warns(UserWarning, match="leaves out 2 of 5 rows"):
        table = tk.class_table(ward, known, "ill", missing="drop")
    assert (table.lacking, table.lacking_sensitive, table.dropped) == (1, 1, 2)
    assert table.ids.tolist() == [0, -1, 1, 1, -1]


# Distances


@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 7)), min_size=1, max_size=14)
)
def test_hierarchical_distance_is_the_sum_over_inner_nodes(rows):
    data = pd.DataFrame(rows, columns=["q", "s"])
    tree = {v: [v // 2, f"{v // 4} of 2", "all"] for v in range(8)}
    expected = np.array(Classes(rows).hierarchical(tree), float)
    for above in ([], ["root", "more"]):
        table = [[v, *labels, *above] for v, labels in tree.items()]
        found = tk.by_class(data, "q", "s", kind=table)["t_closeness"]
        np.testing.assert_allclose(found, expected, atol=1e-14)
    flat = tk.t_closeness(data, "q", "s", kind=[[v] for v in range(8)])
    assert flat == pytest.approx(tk.t_closeness(data, "q", "s", kind="equal"))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 4], "equal"),
        ([1.0, 4, None], "equal"),
        (pd.Categorical([1, 2, 4], ordered=True), "equal"),
        ([1.5, 4, None], "ordered"),
        (pd.array([1, 4, None], "Int64"), "equal"),
        (pd.to_datetime(["2020-01-01", "2021-01-01", "2029-01-01"]), "ordered"),
        (pd.Categorical(LEVELS, LEVELS, ordered=True), "ordered"),
        (pd.Categorical(LEVELS), "equal"),
        (["x", "y", "z"], "equal"),
        (["1.5", "2", "4"], "equal"),
        (pd.Series([1, "2", None], dtype=object), "equal"),
    ],
)
def test_whole_numbers_and_names_are_equally_far_apart(values, kind):
    data = pd.DataFrame({"q": [0, 0, 1], "s": values})
    expected = {"equal": [1 / 3, 2 / 3], "ordered": [1 / 4, 1 / 2]}
    found = tk.by_class(data, "q", "s")["t_closeness"]
    assert found.tolist() == pytest.approx(expected[kind])


# Published values, and what another package gets wrong


def test_the_published_salaries_and_diseases_of_t_closeness():
    distances = tk.by_class(SALARIES, "class", "pay", kind="ordered")["t_closeness"]
    assert distances["a"] == 0.375
    assert distances["b"] == pytest.approx(1 / 6, abs=1e-15)
    diseases = ["ulcer", "gastritis", "cancer", "gastritis", "flu", "bronchitis"]
    diseases += ["bronchitis", "pneumonia", "cancer"]
    organs = dict.fromkeys(["flu", "pneumonia", "bronchitis"], "lung")
    organs |= dict.fromkeys(["ulcer", "gastritis", "cancer"], "stomach")
    tree = [[disease, organ, "any"] for disease, organ in organs.items()]
    found = tk.by_class(SALARIES.assign(ill=diseases), "class", "ill", kind=tree)
    assert found["t_closeness"]["a"] == pytest.approx(4 / 9, abs=1e-15)


def test_the_published_toy_of_k_map():
    """Five of five, and one of ten: a 5-map in which five people are surely present."""
    people = pd.DataFrame({"zip": [1] * 5 + [2] * 10})
    assert tk.k_map(people.iloc[:6], people, "zip") == 5
    assert tk.delta_presence(people.iloc[:6], people, "zip") == (0.1, 1.0)


def test_what_another_package_gets_wrong():
    towns = pd.DataFrame({"q": list("aabb"), "s": list("xxyy")}, index=[0, 2, 1, 3])
    found = tk.by_class(towns, "q", "s", absent="skip").loc["a"]
    wanted = {"l_diversity": 1, "alpha_k_anonymity": 1, "t_closeness": 0.5}
    assert found[[*wanted]].to_dict() == wanted
    assert found["delta_disclosure"] == pytest.approx(math.log(2), abs=1e-15)
    eight = pd.DataFrame({"q": 0, "s": np.repeat([0, 1, 2], [8, 1, 1])})
    assert tk.recursive_cl_diversity(eight, "q", "s", l=3) == 8
    five = pd.DataFrame({"q": 0, "s": np.repeat(np.arange(5), 5)})
    assert tk.entropy_l_diversity(five, "q", "s") == pytest.approx(5)
    common = pd.DataFrame({"q": ["a"] * 9 + ["b"] * 11, "s": ["x"] * 19 + ["z"]})
    assert tk.enhanced_beta_likeness(common, "q", "s") == math.inf
    unused = pd.DataFrame({"q": pd.Categorical(["a", "a"], ["a", "b"]), "s": [7, 7]})
    assert tk.k_anonymity(unused, "q") == 2 and tk.t_closeness(unused, "q", "s") == 0
    once = pd.DataFrame({"q": ["a"] + ["b"] * 99})
    assert tk.reidentification_risk(once, "q").prosecutor_average == 0.02


# Tables


def test_numbers_of_two_types_are_linked_without_rounding():
    whole, real = (pd.DataFrame({"id": [2**53 + 1, 7]}, dtype=kind) for kind in ("i8", "f8"))
    assert real["id"].tolist() == [2.0**53, 7]
    assert tk.linkage_candidates(whole, real, "id").tolist() == [0, 1]


def test_a_table_outlives_changes_of_the_data():
    data = pd.DataFrame({"age": [30, 40], "ill": list("xy")})
    table = tk.class_table(data, "age", "ill")
    data.loc[:, "age"] = 99
    assert table.labels.tolist() == [30, 40]


def test_many_values_stay_sparse():
    """A dense table of these classes and values would have ten thousand million cells."""
    n = 100_000
    data = pd.DataFrame({"id": np.arange(n), "secret": np.arange(n)[::-1]})
    assert tk.l_diversity(data, "id", "secret") == 1
