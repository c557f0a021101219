"""Mondrian: by hand, against plain recursion, and the laws of what it releases."""

import datetime
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import toolkit as tk
from tests.oracles.mondrian import Column, Secrets, partition
from tests.tables import tables, used

TREE = [
    ["a", "first", "vowel", "*"],
    ["e", "first", "vowel", "*"],
    ["o", "last", "vowel", "*"],
    ["b", "b's", "other", "*"],
    ["c", "c's", "other", "*"],
    ["?", "other", "other", "*"],
]
SIZES = ["S", "M", "L", "XL"]
DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 3, 1), datetime.date(2021, 1, 1)]
POOLS = {
    "number": ("ordered", [1, 2, 4, 8, 16]),
    "number or missing": ("ordered", [0.5, 3.0, 7.0, None]),
    "name": ("named", ["x", "y", "z"]),
    "name or missing": ("named", ["u", None, "v"]),
    "tree": (TREE, [row[0] for row in TREE]),
    "day": ("ordered", [*DAYS, None]),
    "size": ("ordered", ["S", "L", "XL"]),
}


@st.composite
def people(draw, most=14):
    """A table of several kinds of columns, its columns for the oracle, sensitive numbers."""
    n = draw(st.integers(1, most))
    kinds = draw(st.lists(st.sampled_from(list(POOLS)), min_size=1, max_size=3))
    data, columns = {}, []
    for j, pool in enumerate(kinds):
        kind, values = POOLS[pool]
        cells = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        if all(cell is None for cell in cells):
            cells[0] = values[0]
        scale = {"scale": rank_among(cells)} if pool == "size" else {}
        columns.append(Column(f"{pool} {j}", kind, cells, **scale))
        data[f"{pool} {j}"] = as_column(pool, cells)
    secret = draw(st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n))
    data["secret"] = secret
    index = draw(st.sampled_from(["range", "same"]))
    frame = pd.DataFrame(data, index=range(n) if index == "range" else [3] * n)
    return frame, columns, secret


def rank_among(cells):
    """Ordered categories lie one apart, those that nobody has left out."""
    present = [size for size in SIZES if size in cells]
    return lambda size: Fraction(present.index(size))


def as_column(pool, cells):
    if pool == "size":
        return pd.Categorical(cells, categories=SIZES, ordered=True)
    if pool == "day":
        return pd.to_datetime(pd.Series(cells)).to_numpy()
    return cells


def trees_of(columns):
    return {column.name: column.kind for column in columns if column.is_tree}


def shown(cell):
    """A cell as the oracle writes it."""
    if cell is None or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell)):
        return None
    if isinstance(cell, pd.Timestamp):
        return cell.date()
    return cell


def plain(label):
    """Labels of floats end without a needless .0."""
    return re.sub(r"(\d)\.0\b", r"\1", label) if isinstance(label, str) else label


def compared(frame, columns, secrets, k, **options):
    """The release and the oracle's classes, compared cell by cell."""
    quasi = [column.name for column in columns]
    release = tk.mondrian(frame, quasi, k=k, hierarchies=trees_of(columns), **options)
    rows = list(range(len(frame)))
    classes, tried = partition(columns, rows, k, secrets, options.get("relaxed", False))
    lost = Fraction(0)
    for column in columns:
        labels = [column.label(rows) for rows in classes]
        texts = {isinstance(label, str) for label in labels if label is not None}
        for rows, label in zip(classes, labels, strict=True):
            label = plain(str(label) if len(texts) > 1 and label is not None else label)
            lost += column.width(rows) * len(rows)
            cells = release.data[column.name].astype(object).iloc[rows]
            assert {shown(cell) for cell in cells} == {label}
    assert release.loss == pytest.approx(float(lost / len(frame) / len(columns)), abs=1e-12)
    assert release.evaluations == tried
    return release, classes


THRESHOLDS = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"l": st.integers(1, 3)}, optional={"c": st.sampled_from([1, 1.5, 3])}
    ),
    st.fixed_dictionaries(
        {"t": st.sampled_from([0, 0.25, 0.5, 1])},
        optional={"l": st.integers(1, 3), "entropy_l": st.sampled_from([1.5, 2])},
    ),
)


@settings(max_examples=300)
@given(people(), st.integers(1, 4), THRESHOLDS, st.booleans(), st.booleans())
def test_classes_are_those_of_plain_recursion(table, k, asked, ordered, relaxed):
    frame, columns, secret = table
    secrets, kind = Secrets(secret, ordered, **asked), "ordered" if ordered else "equal"
    options = {**asked, "sensitive": "secret", "kind": kind, "relaxed": relaxed}
    if k > len(frame):
        return
    if not secrets.kept(range(len(frame))):
        with pytest.raises(ValueError, match="cannot be reached, even with all records"):
            tk.mondrian(frame, columns[0].name, k=k, **options)
        return
    release, _ = compared(frame, columns, secrets, k, **options)
    classes = tk.class_table(release.data, [column.name for column in columns], "secret")
    assert release.privacy["k"] == tk.k_anonymity(classes) >= k
    assert release.privacy["l"] == tk.l_diversity(classes)
    assert release.privacy["t"] == tk.t_closeness(classes, kind=kind)


# --- By hand ---


@pytest.mark.parametrize(
    ("cells", "loss"),
    [
        ([0.0, 0.1, 0.3, 0.5], 0.3),
        ([0, 10**400, 10**401, 3 * 10**401], 1 / 3),  # by rank
        ([0.0, 1.0, 2.0, float("inf")], 1 / 3),  # by rank
        (pd.period_range("2020-01", periods=4, freq="M"), 1 / 3),
        (pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-04", "2020-01-06"]), 0.3),
    ],
)
def test_the_loss_is_a_share_of_the_range(cells, loss):
    assert tk.mondrian(pd.DataFrame({"a": cells}), "a", k=2).loss == pytest.approx(loss)


@pytest.mark.parametrize(("counts", "value"), [((4, 5, 3), 2), ((3, 5, 4), 1)])
def test_the_better_cut_leaves_room_for_more_classes(counts, value):
    data = pd.DataFrame({"a": np.repeat([1, 2, 3], counts)})
    assert tk.mondrian_regions(data, "a", k=3)["left_end"][0] == value


def test_a_hierarchy_without_a_label_of_all_gets_one():
    forest = [["x", "p"], ["y", "q"], ["z", "q"]]
    data = pd.DataFrame({"c": list("xyz")})
    assert (
        tk.mondrian(data, "c", k=3, hierarchies={"c": forest}).data["c"].tolist() == ["*"] * 3
    )


def test_t_by_a_hierarchy_of_the_sensitive_values():
    data = pd.DataFrame({"a": range(12), "s": list("aobaobcaeobc")})
    release = tk.mondrian(data, "a", k=2, t=0.3, sensitive="s", kind=TREE)
    assert release.privacy["t"] == tk.t_closeness(release.data, "a", "s", kind=TREE) <= 0.3
    assert len(set(release.data["a"])) > 1


# --- Laws ---


@given(people(), st.integers(1, 4), st.booleans(), st.integers(0, 99))
def test_laws_of_a_release(table, k, relaxed, seed):
    frame, columns, _ = table
    quasi = [column.name for column in columns]
    if k > len(frame):
        return
    before = frame.copy(deep=True)
    release = tk.mondrian(frame, quasi, k=k, relaxed=relaxed, sensitive="secret")
    pd.testing.assert_frame_equal(frame, before)
    assert release.data.index.equals(frame.index)
    assert release.data.columns.equals(frame.columns)
    pd.testing.assert_series_equal(release.data["secret"], frame["secret"])
    assert release.privacy["k"] == tk.k_anonymity(release.data, quasi) >= k
    if k == 1:
        pd.testing.assert_frame_equal(release.data, used(frame))
    if not relaxed:
        order = np.random.default_rng(seed).permutation(len(frame))
        shuffled = tk.mondrian(frame.iloc[order], quasi, k=k).data[quasi]
        pd.testing.assert_frame_equal(shuffled, release.data[quasi].iloc[order])


@given(tables(), st.integers(1, 3))
def test_any_table_is_partitioned(data, k):
    if k > len(data):
        return
    data = data.set_axis(range(data.shape[1]), axis=1)
    quasi = list(range(data.shape[1]))
    release = tk.mondrian(data, quasi, k=k)
    assert release.privacy["k"] >= k and 0 <= release.loss <= 1
    assert release.privacy["k"] == tk.k_anonymity(release.data, quasi)
    if k == 1:
        pd.testing.assert_frame_equal(release.data, used(data))


@given(people(), st.integers(1, 3))
def test_every_cut_is_in_the_table_of_regions(table, k):
    frame, columns, _ = table
    if k > len(frame):
        return
    quasi = [column.name for column in columns]
    trees = trees_of(columns)
    regions = tk.mondrian_regions(frame, quasi, k=k, hierarchies=trees)
    release = tk.mondrian(frame, quasi, k=k, hierarchies=trees)
    assert regions.index.tolist() == list(range(len(regions))) and regions["parent"][0] == -1
    final = regions[regions["cut"].isna()]
    assert final["records"].sum() == len(frame) and (final["records"] >= k).all()
    places = {c.name: np.array([c.place(i) for i in range(len(frame))]) for c in columns}
    orders = {c.name: c.order for c in columns}
    inside = {0: np.ones(len(frame), bool)}
    for number, region in regions.iterrows():
        mine = inside[number]
        assert mine.sum() == region["records"]
        for name in places:
            ends = [region[f"{name} from"], region[f"{name} to"]]
            held = [orders[name].index(shown(end)) for end in ends]
            assert held == [places[name][mine].min(), places[name][mine].max()]
        if pd.isna(region["cut"]):
            continue
        halves = regions.index[regions["parent"] == number].tolist()
        assert halves[1] == halves[0] + 1
        assert (regions["depth"][halves] == region["depth"] + 1).all()
        order, place = orders[region["cut"]], places[region["cut"]]
        at = order.index(shown(region["left_end"]))
        after = order.index(shown(region["right_start"]))
        inside |= {halves[0]: mine & (place <= at), halves[1]: mine & (place >= after)}
    # Two regions may show the same labels where a hierarchy has no narrower ones.
    shown_classes = release.data[quasi].astype(str).drop_duplicates()
    assert len(shown_classes) <= len(final)


# --- Edges ---


def test_one_record_and_one_class():
    one = pd.DataFrame({"a": [1.5], "s": ["x"]})
    release = tk.mondrian(one, "a", k=1, sensitive="s", l=1, t=0)
    assert release.loss == 0 and release.evaluations == 0
    pd.testing.assert_frame_equal(release.data, one)
    constant = pd.DataFrame({"a": [1.5] * 6, "b": pd.Categorical(["q"] * 6, ["p", "q"])})
    pd.testing.assert_frame_equal(tk.mondrian(constant, ["a", "b"], k=2).data, used(constant))


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        ([2**53, 2**53 + 1], f"[{2**53}, {2**53 + 1}]"),
        ([-(2**63), 2**63 - 1], f"[{-(2**63)}, {2**63 - 1}]"),
        ([0.5, float("inf")], "[0.5, inf]"),
        ([0.1, 2.0], "[0.1, 2]"),
        ([-1e308, 1e308], "[-1e+308, 1e+308]"),
        ([True, False], "{False, True}"),
        ([("x", 2), ("x", 1)], "{('x', 1), ('x', 2)}"),
        (pd.period_range("2020-01", periods=2, freq="M"), "[2020-01, 2020-02]"),
        (
            pd.to_datetime(["2020-01-01 10:00", "2020-01-02 00:00"]),
            "[2020-01-01 10:00:00, 2020-01-02]",
        ),
        (pd.to_timedelta([1, 2], unit="D"), "[1 days 00:00:00, 2 days 00:00:00]"),
        (pd.array([1, 3], dtype="Int64"), "[1, 3]"),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 5)], "[2020-01-01, 2020-01-05]"),
    ],
)
def test_values_of_any_kind(cells, labels):
    release = tk.mondrian(pd.DataFrame({"a": cells}), "a", k=2)
    assert release.data["a"].nunique() == 1
    assert release.data["a"][0].startswith(labels)
    assert release.loss == 1


BEFORE = pd.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "y"]})
REFUSED = [
    ({"k": 4}, "k=4 needs at least 4 records"),
    ({"l": 3, "sensitive": "s"}, "k=1, l=3 cannot be reached"),
    ({"l": 2, "sensitive": "s", "data": BEFORE.replace("x", "Y")}, "differ in more than case"),
    ({"hierarchies": {"a": TREE}}, "has no row for 3 of the 3 values"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(arguments, message):
    given_ = {"data": BEFORE, "quasi_identifiers": "a", "k": 1, **arguments}
    for call in (tk.mondrian, tk.mondrian_regions):
        with pytest.raises((TypeError, ValueError), match=message):
            call(**given_)
