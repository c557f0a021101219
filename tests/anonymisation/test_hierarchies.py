"""Hierarchies: what builders say of each value, what files keep, what recoding changes."""

import datetime
import importlib
import itertools
import re
import string
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.tables import tables, used
from toolkit._arguments import as_objects
from toolkit.anonymisation import hierarchies
from toolkit.anonymisation.hierarchies import levels_of, suggest_hierarchy
from toolkit.datasets import load_adult, load_adult_hierarchies

DATA = Path(__file__).resolve().parents[2] / "data"
NAN = float("nan")
WITH_MISSING = ["workclass", "occupation", "native-country"]
FIRST_TIME = datetime.datetime(1, 1, 1)
LAST_DATE = datetime.date(9999, 12, 31)


def rows_of(table):
    """Rows as lists, every missing cell as None."""
    return [
        [None if pd.isna(c) else c for c in row] for row in table.astype(object).to_numpy()
    ]


# --- A number in the data, its text in the hierarchy ---


def test_what_matches_what():
    day = datetime.date(2020, 2, 1)
    for known, values, row in (
        (["39", "40"], [39, 40.0], [0, 1]),
        ([39, 40], ["39", "40.0"], [0, 1]),
        (["39"], ["39", 39], [0, -1]),  # what is equal matches first
        (["39", "39.0"], [39], [-1]),  # either could be meant
        (["039"], [39], [-1]),
        (["0.5", "True"], [0.5, True], [0, 1]),
        (["2020-02-01"], [pd.Timestamp(day)], [0]),
        ([day], ["2020-02-01"], [0]),
        ([NAN, "a"], [NAN, "a"], [0, 1]),
        (["None", "nan"], [NAN], [-1]),
        ([("a", 1)], [("a", 1), ("b", 2)], [0, -1]),  # a tuple is one value
    ):
        assert hierarchies.rows_of(*map(as_objects, (known, values))).tolist() == row


def test_a_hierarchy_of_texts_serves_a_column_of_numbers():
    text = pd.DataFrame([["17", "young", "*"], ["39", "old", "*"], ["40", "old", "*"]])
    number = text.assign(**{"0": [17, 39, 40]})[["0", 1, 2]]
    data = pd.DataFrame({"age": [39, 17, 39], "zip": list("aab")})
    treated = tk.generalise(data, {"age": text}, {"age": 1})
    assert treated["age"].tolist() == ["old", "young", "old"]
    for tree in (text, number):
        losses = tk.cell_losses(data, treated, {"age": tree})
        assert losses["age"].tolist() == [0.5, 0, 0.5]
        assert tk.cell_losses(data, data, {"age": tree})["age"].tolist() == [0, 0, 0]
    # By hand: classes a {39, 17} and b {39}; p(young) = 1/3; below the root of height 2 the
    # extras of b are 1/3 on level 0 and on level 1, each of weight 1/2.
    by_class = tk.by_class(data, "zip", "age", kind=number)["t_closeness"]
    assert by_class["b"] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="no row for 2 of the 2 values"):
        tk.t_closeness(data, "zip", "age", kind=text)  # where values are equal or not


# --- Builders by hand ---

DAY, TIME = pd.Timestamp("1999-12-31"), pd.Timestamp("2000-01-01 12:30")
SIZES = pd.Series(pd.Categorical([*"SXMSL", None], list("SMLXY"), ordered=True))
NESTED = {"x": {"a": [1, 2], "b": 3}, "y": [None, 4]}
BY_HAND = {
    "an interval has its lower end": (
        lambda: tk.interval_hierarchy([5, 0, -1, 19, 20], [5, 10]),
        [
            [-1, "[-5, 0)", "[-10, 0)", "*"],
            [0, "[0, 5)", "[0, 10)", "*"],
            [5, "[5, 10)", "[0, 10)", "*"],  # ANJANA: [0, 5)
            [19, "[15, 20)", "[10, 20)", "*"],
            [20, "[20, 25)", "[20, 30)", "*"],
        ],
    ),
    "numbers are as they are written in decimals": (
        lambda: tk.interval_hierarchy(pd.Series([0.3], dtype="float32"), 0.1),
        [[np.float32(0.3), "[0.3, 0.4)", "*"]],
    ),
    "rounding is level by level, a half up": (
        lambda: tk.rounding_hierarchy([44, 45, -5, 0], [10, 100]),
        [[-5, 0, 0, "*"], [0, 0, 0, "*"], [44, 40, 0, "*"], [45, 50, 100, "*"]],
    ),
    "codes that lost their zeros": (
        lambda: tk.prefix_hierarchy([200, 2600, None], 2, digits=4),
        [[200, "02**", "*"], [2600, "26**", "*"], [None, "missing", "*"]],
    ),
    "codes of several lengths": (
        lambda: tk.prefix_hierarchy(["B", "C12"], [3, 2, 0], pad="_"),
        [["B", "B", "B_*", "***", "*"], ["C12", "C12", "C1*", "***", "*"]],
    ),
    "codes of one character": (lambda: tk.prefix_hierarchy(["a"]), [["a", "*"]]),
    "a character less a level": (
        lambda: tk.prefix_hierarchy(["abc"]),
        [["abc", "ab*", "a**", "*"]],
    ),
    "dates": (lambda: tk.date_hierarchy([DAY]), [[DAY, "1999-12", "1999", "1990s", "*"]]),
    "times and a missing one": (
        lambda: tk.date_hierarchy(pd.Series([TIME, DAY, None])),
        [
            [DAY, "1999-12-31", "1999-12", "1999", "1990s", "*"],
            [TIME, "2000-01-01", "2000-01", "2000", "2000s", "*"],
            [None, *["missing"] * 4, "*"],
        ],
    ),
    "quarters": (
        lambda: tk.date_hierarchy([datetime.date(2021, 5, 1)], "quarter"),
        [[datetime.date(2021, 5, 1), "2021-Q2", "*"]],
    ),
    "periods": (
        lambda: tk.date_hierarchy(
            pd.period_range("2021-03", periods=1, freq="M"), ["year", "5 years"]
        ),
        [[pd.Period("2021-03"), "2021", "2020-2024", "*"]],
    ),
    "groups of groups": (
        lambda: tk.group_hierarchy([4, 3, 2, 1, None], NESTED),
        [
            *([1, "a", "x", "*"], [2, "a", "x", "*"], [3, "b", "x", "*"]),
            *([4, "y", "y", "*"], [None, "y", "y", "*"]),
        ],
    ),
    "values in no group": (
        lambda: tk.group_hierarchy([1, None], {"b": {"a": [1, 2]}}),
        [[1, "a", "b", "*"], [None, "missing", "missing", "*"]],
    ),
    "a missing value in the first group": (
        lambda: tk.group_hierarchy([None, 1], {"a": [None], "b": [1]}),
        [[1, "b", "*"], [None, "a", "*"]],
    ),
    "ordered categories": (
        lambda: suggest_hierarchy(SIZES),
        [
            *([size, "S to M", "*"] for size in "SM"),
            *([size, "L to X", "*"] for size in "LX"),
            [None, "missing", "*"],
        ],
    ),
    "rare values": (
        lambda: suggest_hierarchy(
            pd.Series(["a", "b", "b", "b", None, *["c"] * 20, *["d"] * 75])
        ),
        [
            *(["d", "d", "d", "*"], ["c", "c", "c", "*"], ["b", "b", "other", "*"]),
            *(["a", "other", "other", "*"], [None, "other", "other", "*"]),
        ],
    ),
}


@pytest.mark.parametrize(("build", "rows"), BY_HAND.values(), ids=BY_HAND)
def test_builders_by_hand(build, rows):
    table = build()
    assert rows_of(table) == rows
    assert table.columns.tolist() == list(range(len(rows[0])))


def test_dates_in_any_order_by_hand():
    for cells in (
        ["27.12.1972", "03.04.1980"],
        ["27/12/1972 10:30", "03/04/1980 08:00"],
        ["12/27/1972", "04/03/1980"],
        ["1972-12-27", "1980-04-03"],
        [27121972, 3041980],  # which lost a zero
    ):
        table = tk.date_hierarchy(cells, ["month", "year"]).set_index(0).loc[cells]
        assert table[1].tolist() == ["1972-12", "1980-04"]
        assert table[2].tolist() == ["1972", "1980"]
    doubt = tk.date_hierarchy(["11/12/1972", "03/04/1980"], ["year", "decade"])
    assert doubt[1].tolist() == ["1980", "1972"]


SUGGESTED = [
    (["27.12.1972", "3.4.1980", "1.1.1990"], "x", "months, years, 5 years, decades"),
    (["11/12/1972", "3/4/1980", "1/1/1990"], "x", "years, 5 years, decades?"),
    (["27.12.72", "3.4.80", "1.1.90"], "x", ""),
    (["27.12.1972", "soon", "later"], "x", ""),
    (["SW1A 1AA", "M1 1AE", "EH12 9DN"], "postcode", "first 6, first 4, first 2"),
    (["E11.9", "E10.1", "I10"], "icd", "first 4, first 3, first 2, first 1"),
    ([1067, 10115, 80331], "PLZ", "first 4, first 3, first 2, first 1"),
    ([1067.0, 10115.0, None, 80331.0], "zip", "first 4, first 3, first 2, first 1"),
    (["01067", "10115", "20095"], "x", "first 4, first 3, first 2, first 1"),
    (["A10", "B21", "C32"], "ward", "first 2, first 1"),
    ([10115, 12345, 20095], "zip", "first 4, first 3, first 2, first 1"),
    ([1, 2, 3, 4, 5], "age", "by 2"),
    ([1972, 1980, 1990], "year", "by 2, by 4"),
    ([1, 2, 3, 4, 5], "satisfaction", ""),
    ([271272, 30480, 311299], "x", "?"),
    (["<18", "18-39", "40-64", "65+"], "age", "2 together"),
    (["[0, 5)", "[5, 10)", "[10, 15)"], "x", "2 together"),
    (["1-5", "3-9", "10-12"], "x", ""),
    (["1-5", "5-5", "7-9"], "x", ""),
    (["1-5", "6-9", "many"], "x", ""),
    ([1] * 50 + [2] * 49 + [3, 99], "gender", "pool < 2"),
    (["1.1.1799", "3.4.1980", "1.1.1990"], "x", ""),
    (["1.1.1800", "3.4.1980", "31.12.2100"], "x", "months, years, 5 years, decades"),
    (["1.1.1800", "3.4.1980", "1.1.2101"], "x", ""),
    (
        ["27.12.1972 10:30", "3.4.1980 11:00", "1.1.1990 08:00"],
        "x",
        "days, months, years, 5 years, decades",
    ),
    (["A12345678901", "B12345678902", "C1"], "code", "first 9, first 6, first 3"),
    (["A123456789012", "B2", "C1"], "code", ""),
    (["1234", "5678", "9999"], "x", ""),
    (["0200", "2600", "2611"], "zip", "first 3, first 2, first 1"),
    (range(12), "x", ""),
    (range(0, 40, 3), "sick days", "by 2, by 4, by 8"),
    (range(30_000, 111_000, 997), "net income", "by 1,000, by 5,000, by 10,000, by 20,000"),
    (range(13), "x", "by 2, by 4"),
    (range(4), "age", ""),
    (range(5), "age", "by 2"),
    ([0.5, 0.75, 10.25], "x", "by 0.1, by 0.5, by 1, by 2"),
    ([0.5, 1.0, 1.5], "x", "by 0.01, by 0.05, by 0.1, by 0.2, by 0.4"),
    ([1e6, 2e6, 9.5e6], "x", ""),
    (
        ["a", "b"] + ["c"] * 5 + ["d"] * 60 + ["e"] * 3933,
        "x",
        "pool < 4, pool < 40, pool < 200",
    ),
    (["A10", "B21", "xyz"], "ward", ""),
    ([True, False, None, True], "x", ""),
    (
        list("abcd") + ["e"] * 2 + ["f"] * 30 + ["g"] * 164,
        "x",
        "pool < 2, pool < 10, pool < 40",
    ),
]


@pytest.mark.parametrize(("cells", "name", "levels"), SUGGESTED)
def test_each_kind_of_column_gets_its_hierarchy(cells, name, levels):
    for kind in (None, "category", object):
        column = pd.Series(cells, name=name, dtype=kind)
        tree = suggest_hierarchy(column)
        assert ", ".join(tree.names[1:-1]) + "?" * bool(tree.note) == levels
        assert len(tree.names) == tree.shape[1]
        levels_of(tree, pd.Index(column.unique()), name)
        labels = tree.loc[tree[0].notna(), [*tree][1:-1]]
        assert (labels.nunique() > 1).all(), "as one label says no more than what is hidden"


def test_widths_of_suggested_intervals_are_round_and_few():
    for most in (4, 25, 99, 1000, 12_345, 10**6):
        for scale in (1, 0.01):
            column = pd.Series(np.arange(0, most + 1, max(most // 500, 1)) * scale, name="age")
            tree = suggest_hierarchy(column)
            widths = [float(name[3:].replace(",", "")) for name in tree.names[1:-1]]
            assert all(b in (2 * a, 2.5 * a, 5 * a) for a, b in itertools.pairwise(widths))
            digits = {f"{width:e}"[:3].replace(".", "").rstrip("0") for width in widths}
            assert digits <= {"1", "2", "4", "5", "8", "16", "32", "64", "25"}
            assert 2 <= most * scale / widths[-1] < 5, "at the top some intervals are left"


# --- Laws of builders ---

DECIMALS = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(-1e6, 1e6, allow_nan=False).map(float),
    st.decimals(-1000, 1000, places=3),
)
WIDTHS = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(
    lambda factors: [int(np.prod(factors[: i + 1])) for i in range(len(factors))]
)
SCALES = st.sampled_from([Decimal(1), Decimal("0.1"), Decimal("0.25"), Decimal(7)])


def as_fraction(number):
    return Fraction(str(number))


@given(st.lists(DECIMALS | st.just(2**63 + 1), min_size=1, max_size=8), WIDTHS, SCALES)
def test_an_interval_contains_its_value_and_lies_in_the_next(values, widths, scale):
    widths = [scale * width for width in widths]
    table = tk.interval_hierarchy(pd.Series(values, dtype=object), widths)
    assert table.iloc[:, -1].eq("*").all() and len(table) == len(set(values))
    for row in table.to_numpy(object):
        inner = (as_fraction(row[0]), as_fraction(row[0]))
        for label, width in zip(row[1:-1], widths, strict=True):
            low, high = (
                Fraction(end) for end in re.fullmatch(r"\[(.+), (.+)\)", label).groups()
            )
            assert low <= inner[0] and inner[1] <= high and inner[0] < high
            assert high - low == as_fraction(width)
            assert low % as_fraction(width) == 0
            inner = (low, high)


@given(st.lists(DECIMALS, min_size=1, max_size=8), WIDTHS, SCALES)
def test_a_rounded_number_is_near_and_level_by_level(values, widths, scale):
    steps = [scale * width for width in widths]
    table = tk.rounding_hierarchy(pd.Series(values, dtype=object), steps)
    for row in table.iloc[:, :-1].to_numpy(object):
        below = as_fraction(row[0])
        for label, step in zip(row[1:], map(as_fraction, steps), strict=True):
            assert -step / 2 < as_fraction(label) - below <= step / 2
            assert as_fraction(label) % step == 0
            below = as_fraction(label)


BUILDERS = {
    "interval": lambda values: tk.interval_hierarchy(values, [1, 10]),
    "rounding": lambda values: tk.rounding_hierarchy(values, [1, 10]),
    "prefix": lambda values: tk.prefix_hierarchy(values, 0, pad="_"),
    "date": tk.date_hierarchy,
    "group": lambda values: tk.group_hierarchy(values, {"all": [*values.dropna().unique()]}),
    "suppression": tk.suppression_hierarchy,
    "suggestion": suggest_hierarchy,
}


@pytest.mark.parametrize("name", BUILDERS)
@given(data=tables(max_columns=1))
def test_every_builder_makes_a_hierarchy_of_every_value_or_says_why_not(name, data):
    """Level 0 is the value, levels nest, the top has one label, a strange value is refused."""
    column = data.iloc[:, 0]
    before = column.copy(deep=True)
    try:
        table = BUILDERS[name](column)
    except (TypeError, ValueError) as error:
        assert str(error).startswith("values")
        assert name not in ("suppression", "group", "suggestion")
    else:
        values = column.drop_duplicates()
        assert len(table) == len(values), "no unused category, no repetition"
        cells, _, row = levels_of(table, pd.Index(values), "x")
        assert sorted(row) == list(range(len(values)))
        assert set(cells[:, -1]) == {"*"}
        with pytest.raises(ValueError, match="no row for 1 of the 1 values"):
            levels_of(table, pd.Index(["strange"]), "x")
        missing = table[table[0].isna()].astype(object)
        assert len(missing) == int(column.isna().any())
        if name != "suggestion":
            assert set(missing.iloc[:, 1:-1].to_numpy().ravel()) <= {"missing"}
    pd.testing.assert_series_equal(column, before)


# --- What is refused ---

interval, prefix = tk.interval_hierarchy, tk.prefix_hierarchy
date, group = tk.date_hierarchy, tk.group_hierarchy
ONE = pd.DataFrame({"x": [1, 1]})
REFUSED = [
    (lambda _: interval(["39", "x"], 5), "values must be finite numbers"),
    (lambda _: interval([True], 5), "values must be finite numbers"),
    (lambda _: interval([float("inf")], 5), "values must be finite"),
    (lambda _: interval([1], [5, 12]), "widths must be positive numbers, .* a multiple"),
    (lambda _: interval([1], 0), "widths must be positive numbers"),
    (lambda _: interval([1], []), "widths must be positive numbers"),
    (lambda _: interval([], 5), "values must hold at least one"),
    (lambda _: prefix([1.5]), "must be codes: text, or whole numbers from 0; got float"),
    (lambda _: prefix([-1]), "must be codes"),
    (lambda _: prefix(["13053", "1305"]), "different lengths; give digits=.*or pad="),
    (lambda _: prefix(["ab"], [0, 1]), "keep must fall from level"),
    (lambda _: prefix(["ab"], -1), "keep must be a whole number in"),
    (lambda _: prefix([20000, 1], digits=4), "different lengths"),
    (lambda _: date([2021]), "must be dates, or texts of one form"),
    (lambda _: date(["soon", "1.2.2021"]), "must be dates, or texts of one form"),
    (lambda _: date(["03/04/2021"]), "do not tell the day from the month"),
    (lambda _: date(["2021-02-03"], ["year", "month"]), "from the finest"),
    (lambda _: group([1, 2], {"a": [1]}), "groups lacks 1 of the 2 values"),
    (lambda _: group([1], {"a": [1], "b": [1.0]}), "groups lists a value twice"),
    (lambda _: group([1, 2], {"x": {"a": [1]}, "y": {"a": [2]}}), "several labels on level 2"),
    (lambda path: tk.write_hierarchy([[1, "*"], ["1", "*"]], path), "lists a value twice"),
    (lambda _: tk.generalise(ONE, {}, {"x": 1}), "hierarchies lacks 'x'; give each column"),
    (lambda _: tk.generalise(ONE, {"x": [[1, "*"]]}, {"x": 2}), "the level of 'x' must be"),
    (lambda _: tk.generalise(ONE, {"x": [[2, "*"]]}, {"x": 1}), "no row for 1 of the 1"),
    (
        lambda _: tk.generalise(ONE, {"x": [[1, "*"], [1, "*"]]}, {"x": 1}),
        "lists a value twice",
    ),
    (lambda _: tk.generalise(ONE, {"x": [[1, "*"], [2]]}, {"x": 1}), "must be a table with"),
    (lambda _: tk.generalise(ONE, {}, {"z": 1}), "levels: there is no column 'z'"),
    (lambda _: tk.suppress(ONE, [0, 1]), "True or False for each of the 2 rows"),
    (lambda _: tk.suppress(ONE, [True]), "True or False for each of the 2 rows"),
    (lambda _: tk.suppress(ONE, pd.Series([True, False], ["q", "p"])), "in their order"),
    (lambda _: tk.bin_column(ONE.astype(str), "x", 2), "must be finite numbers"),
    (lambda _: tk.bin_column(ONE, "x", [2, 4]), "must be finite numbers"),
    (lambda _: tk.bin_column(ONE, "x", float("nan")), "widths must be positive numbers"),
    (lambda _: tk.truncate_column(ONE, "x", [1, 0]), "keep must be a whole number"),
    (lambda _: tk.bin_column(ONE.rename(columns={"x": "age"}), "ages", 2), "mean 'age'"),
    (lambda _: tk.group_column(ONE, "x", {2: "two"}), "groups names values that"),
    (lambda _: tk.group_rare_values(ONE, "x", fewer_than=0), "fewer_than must be"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(call, message, tmp_path):
    with pytest.raises((TypeError, ValueError), match=message):
        call(tmp_path / "tree.csv")
    assert not (tmp_path / "tree.csv").exists()


@pytest.mark.parametrize(
    "content", ["a|b\nb|c\n", "a;b;c\nd;e\n", "a;b\na;c\n", "a;x;1\nb;x;2\n"]
)
def test_a_file_that_holds_no_hierarchy_is_refused(content, tmp_path):
    (tmp_path / "tree.csv").write_text(content)
    with pytest.raises(ValueError, match="on every level|lists a value twice|several labels"):
        tk.read_hierarchy(tmp_path / "tree.csv")


def test_what_is_suggested_is_what_a_search_takes():
    data = load_adult().head(500)[["age", "education", "sex"]]
    trees = tk.suggest_hierarchies(data)
    release = tk.optimal_generalisation(data, list(data), trees, k=5)
    assert tk.k_anonymity(release.data, list(data)) >= 5
    for name, level in release.levels.items():
        assert tk.generalise(data, trees, {name: level})[name].nunique() == (
            trees[name][level].nunique()
        )
    assert list(trees["age"].names) == ["as it is", "by 5", "by 10", "by 20", "hidden"]


# --- Files ---

LETTERS = string.ascii_letters + " \"\n;,\t|*é'[)0"
VALUES = st.one_of(
    st.text(LETTERS, min_size=1, max_size=6).filter(lambda text: not re.search("[0-9]", text)),
    st.integers(),
    st.floats(allow_nan=False).filter(lambda number: not number.is_integer()),
    st.datetimes(FIRST_TIME, datetime.datetime(2261, 1, 1)).map(pd.Timestamp),
    st.none(),
)


@given(st.lists(VALUES, min_size=1, max_size=6, unique=True), st.data())
def test_values_and_labels_survive_a_file(tmp_path_factory, values, choices):
    labels = st.text(LETTERS, min_size=1, max_size=6)
    lower = [choices.draw(labels) for _ in values]
    above = {label: choices.draw(labels) for label in lower}
    table = pd.DataFrame({0: values, 1: lower, 2: [above[one] for one in lower]}, dtype=object)
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    given = choices.draw(st.sampled_from([{}, {"separator": ","}, {"separator": "\t"}]))
    tk.write_hierarchy(table, path, **given)
    read = tk.read_hierarchy(path, **given)
    assert rows_of(read[[1, 2]]) == rows_of(table[[1, 2]])
    data = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert tk.generalise(data, {"x": read}, {"x": 1})["x"].tolist() == lower
    assert (tk.cell_losses(data, data, {"x": read}) == 0).all(axis=None)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("20;[20, 30);*\n30;[30, 40);*", [["20", "[20, 30)", "*"], ["30", "[30, 40)", "*"]]),
        ('\ufeffé,"a;b",*\r\nNA,"a;b",*\r\n', [["é", "a;b", "*"], ["NA", "a;b", "*"]]),
        ("a;b\n;b\n\n", [["a", "b"], [None, "b"]]),
    ],
)
def test_files_by_hand(content, rows, tmp_path):
    (tmp_path / "tree.csv").write_bytes(content.encode())
    assert rows_of(tk.read_hierarchy(tmp_path / "tree.csv")) == rows


# --- Recoding ---

AS = {"a", 0, ("x", 1)}


@given(tables(), st.data())
def test_generalise_against_plain_loops(data, choices):
    before = data.copy(deep=True)
    data.columns = before.columns = range(data.shape[1])
    trees, levels = {}, {}
    for j in data.columns:
        if choices.draw(st.booleans()):
            rest = [v for v in data[j].dropna().unique() if v not in AS]
            trees[j] = tk.group_hierarchy(data[j], {"a's": AS, "rest": rest})
            levels[j] = choices.draw(st.integers(0, 2))
    treated = tk.generalise(data, trees, levels)
    pd.testing.assert_frame_equal(data, before)
    assert treated.index.equals(data.index) and treated.columns.equals(data.columns)
    for j in data.columns:
        if levels.get(j, 0) == 0:
            pd.testing.assert_series_equal(treated[j], used(data)[j])
            continue
        for value, label in zip(data[j], treated[j], strict=True):
            named = not isinstance(value, tuple) and pd.isna(value)
            group = "missing" if named else "a's" if value in AS else "rest"
            assert label == (group if levels[j] == 1 else "*")


@given(tables(), st.data())
def test_suppress_against_plain_loops(data, choices):
    before = data.copy(deep=True)
    rows = choices.draw(st.lists(st.booleans(), min_size=len(data), max_size=len(data)))
    columns = choices.draw(st.lists(st.integers(0, data.shape[1] - 1), unique=True))
    data.columns = before.columns = range(data.shape[1])
    treated = tk.suppress(data, rows, columns)
    pd.testing.assert_frame_equal(data, before)
    assert treated.index.equals(data.index)
    for j in data.columns:
        if j not in columns or not any(rows):
            pd.testing.assert_series_equal(treated[j], used(data)[j])
            continue
        for i, marked in enumerate(rows):
            value, cell = data[j].iloc[i], treated[j].iloc[i]
            text = str(value).removesuffix(".0").removesuffix(" 00:00:00")
            same = cell in (value, text) or (pd.isna(cell) is True and pd.isna(value) is True)
            assert cell == "*" if marked else same


# --- The project's own hierarchies for Adult ---

ADULT = load_adult_hierarchies()


def test_adult_hierarchies_are_made_by_their_script(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(DATA))
    monkeypatch.setattr(sys, "argv", ["make_adult_hierarchies.py", str(tmp_path)])
    importlib.import_module("make_adult_hierarchies").main()
    assert capsys.readouterr().out.count("values") == len(ADULT)
    assert len(list(tmp_path.iterdir())) == len(ADULT)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (DATA / "adult_hierarchies" / path.name).read_bytes()


FORMS = (
    "%d.%m.%Y|%d/%m/%Y|%m/%d/%Y|%d-%m-%Y|%m-%d-%Y|%d%m%Y|%m%d%Y|%d.%m.%y|%d%m%y|%d %B %Y"
    "|%d%b%y|%b %d %Y|%d.%m.%Y %H:%M|%H:%M %d.%m.%Y|%d/%m/%Y %I:%M %p|%A %d.%m.%Y|%d%m%Y%H%M"
    "|%d%b%Y"
    "|%d%m%Y %H%M|%d%m%Y-%H%M%S|%d,%m,%Y|%d..%m..%Y|%d~%m~%Y|%d_%m_%Y|%d:%m:%Y|(%d.%m.%Y)"
    "|[%d/%m/%Y]|geb. %d.%m.%Y|*%d%m%Y|D%d%m%Y|%d%m-%Y|%j%Y|%d–%m–%Y|%d.%m.%Y?|%dT%mT%Y"
    "|%d%m.%Y"
    "|%d.%m%Y|%d/%m-%Y|%d. %m. %Y|%d / %m / %Y|%m/%Y|%m-%Y|%m.%y|%d%m%Y%H%M%S"
    "|%d %b '%y|%d·%m·%y|%d – %m – %y|%m·%d·%y|(%d·%b·%y)"
).split("|")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["born", "x"])
def test_no_level_keeps_the_day_and_hides_the_year(form, name):
    """Records that share a label and are born in several years never share the day alone."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp("1931-03-01") + pd.to_timedelta(rng.integers(0, 26_000, 300), unit="D")
    days += pd.to_timedelta(rng.integers(0, 1440, 300), unit="min")
    cells = pd.Series(days.strftime(form), name=name)
    kinds = [cells, cells.astype("int64")] if cells.str.isdigit().all() else [cells]
    for column in kinds:
        table = suggest_hierarchy(column).set_index(0)
        for level in table.columns[:-1]:
            told = pd.DataFrame({"year": days.year, "day": days.strftime("%m-%d")})
            same = told.groupby(table[level].loc[column].to_numpy())
            several = same["year"].nunique() > 1
            day_alone = same["day"].nunique()[several].eq(1).sum()
            assert day_alone <= 0.02 * len(same), (level, table.iloc[0].tolist())
