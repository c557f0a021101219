"""Hierarchies: what builders say of each value, what files keep, what recoding changes."""

import datetime
import importlib
import os
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
from toolkit._validation import check_hierarchy, match_by_text
from toolkit.anonymisation import hierarchies
from toolkit.anonymisation.hierarchies import suggest_hierarchy
from toolkit.anonymisation.release import measure_release
from toolkit.datasets import load_adult, load_adult_hierarchies

DATA = Path(__file__).resolve().parents[2] / "data"
NAN = float("nan")
WITH_MISSING = ["workclass", "occupation", "native-country"]
OF_NANOSECONDS = pd.__version__ < "3"  # no other dates are read from texts by pandas 2
FIRST_TIME = datetime.datetime(1700 if OF_NANOSECONDS else 1, 1, 1)
LAST_DATE = datetime.date(2261 if OF_NANOSECONDS else 9999, 12, 31)


def rows_of(table):
    """Rows as lists, every missing cell as None."""
    return [
        [None if pd.isna(c) else c for c in row] for row in table.astype(object).to_numpy()
    ]


# --- A number in the data, its text in the hierarchy ---


def places(known, values):
    return match_by_text(
        pd.Index(known, dtype=object), pd.Index(values, dtype=object)
    ).tolist()


@pytest.mark.parametrize(
    ("known", "values", "found"),
    [
        (["39", "40"], [39, 40.0], [0, 1]),
        ([39, 40], ["39", "40.0"], [0, 1]),
        (["039"], [39], [-1]),
        ([39], ["039"], [-1]),
        (["+39", " 39", "39 ", "3_9", "٣٩"], [39], [-1]),
        (["39", "39.0"], [39], [-1]),  # either could be meant
        (["39"], ["39", 39], [0, -1]),  # what is equal matches first
        (["39"], ["39.0"], [-1]),  # two texts
        (["0.5", "1e+16", "-0.1"], [0.5, 1e16, -0.1], [0, 1, 2]),
        (["9007199254740993"], [2**53 + 1], [0]),
        (["9007199254740992"], [2**53 + 1], [-1]),
        (["1.10"], [Decimal("1.1")], [0]),
        (["True", "1"], [True, 1.0], [0, 1]),
        (["False", "0"], [np.bool_(False)], [0]),
        (["inf", "nan"], [float("inf"), NAN], [0, -1]),
        (["2020-02-01", "2020-02-30"], [pd.Timestamp("2020-02-01")], [0]),
        (["2020-02-01 10:30:00"], [pd.Timestamp("2020-02-01 10:30")], [0]),
        ([pd.Timestamp("2020-02-01")], ["2020-02-01"], [0]),
        (["2020-02-01"], [datetime.date(2020, 2, 1)], [0]),
        (["0.5", "1j"], [Fraction(1, 2), 1j], [-1, -1]),
        (["(1, 2)"], [(1, 2)], [-1]),
        ([None, "a"], [NAN, "a"], [0, 1]),
    ],
)
def test_what_matches_what(known, values, found):
    assert places(known, values) == found


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
    by_class = tk.by_class(data, "zip", "age", kind=text)["t_closeness"]
    assert by_class["b"] == pytest.approx(1 / 3)
    assert (
        tk.t_closeness(data.astype({"age": str}), "zip", "age", kind=number) == by_class.max()
    )


def test_a_code_is_no_number():
    with pytest.raises(ValueError, match="hierarchy of 'zip' has no row for 39, which"):
        check_hierarchy([["039", "*"]], pd.Index([39]), "zip")


def test_the_first_column_is_what_the_data_hold():
    cells, _, row = check_hierarchy([["39", "*"], ["40", "*"]], pd.Index([40]), "age")
    assert cells[:, 0].tolist() == ["39", 40] and row.tolist() == [1]


# --- Builders by hand ---


def test_intervals_by_hand():
    table = tk.interval_hierarchy([5, 0, -1, 19, 20], [5, 10])
    assert rows_of(table) == [
        [-1, "[-5, 0)", "[-10, 0)", "*"],
        [0, "[0, 5)", "[0, 10)", "*"],
        [5, "[5, 10)", "[0, 10)", "*"],  # ANJANA: [0, 5)
        [19, "[15, 20)", "[10, 20)", "*"],
        [20, "[20, 25)", "[20, 30)", "*"],
    ]
    assert table.columns.tolist() == [0, 1, 2, 3]
    assert table[0].dtype == np.int64


def test_intervals_are_exact_in_decimals():
    table = tk.interval_hierarchy([0.3, 0.7, 0.1 + 0.2, 1e-20], 0.1, top=None)
    assert table.set_index(0)[1].to_dict() == {
        1e-20: "[0, 0.1)",
        0.3: "[0.3, 0.4)",
        0.1 + 0.2: "[0.3, 0.4)",
        0.7: "[0.7, 0.8)",
    }
    large = tk.interval_hierarchy([2**63 + 1], 2, top="all")
    assert large.iloc[0].tolist() == [2**63 + 1, f"[{2**63}, {2**63 + 2})", "all"]
    assert tk.interval_hierarchy([Decimal("1.005")], Decimal("0.01"))[1][0] == "[1, 1.01)"
    assert tk.interval_hierarchy([5], 10, origin=2)[1][0] == "[2, 12)"
    assert tk.interval_hierarchy(pd.Series([0.3], dtype="float32"), 0.1)[1][0] == "[0.3, 0.4)"


def test_rounding_by_hand():
    nearest = tk.rounding_hierarchy([44, 45, -5, 0], [10, 100])
    assert rows_of(nearest) == [
        [-5, 0, 0, "*"],  # a half goes up
        [0, 0, 0, "*"],
        [44, 40, 0, "*"],
        [45, 50, 100, "*"],  # level by level, so that 50 has one label above it
    ]
    assert nearest[1].dtype.kind == "i"
    down = tk.rounding_hierarchy([0.19, -0.19], [0.1], direction="down", top=None)
    assert rows_of(down) == [[-0.19, -0.2], [0.19, 0.1]]
    up = tk.rounding_hierarchy([0.19, -0.19], [0.1], direction="up", top=None)
    assert rows_of(up) == [[-0.19, -0.1], [0.19, 0.2]]


def test_prefixes_by_hand():
    table = tk.prefix_hierarchy(["13053", "14850"])
    assert table.iloc[0].tolist() == ["13053", "1305*", "130**", "13***", "1****", "*"]
    short = tk.prefix_hierarchy([200, 2600, None], 2, digits=4, top=None)
    assert rows_of(short) == [[200, "02**"], [2600, "26**"], [None, "missing"]]
    padded = tk.prefix_hierarchy(["B", "C12"], [2, 0], pad="_", mask="?")
    assert rows_of(padded) == [["B", "B_?", "???", "*"], ["C12", "C1?", "???", "*"]]
    assert tk.prefix_hierarchy(["a", "b"]).shape == (2, 2)


def test_dates_by_hand():
    day, time = pd.Timestamp("1999-12-31"), pd.Timestamp("2000-01-01 12:30")
    assert rows_of(tk.date_hierarchy([day])) == [[day, "1999-12", "1999", "1990s", "*"]]
    assert rows_of(tk.date_hierarchy(pd.Series([time, day, None]))) == [
        [day, "1999-12-31", "1999-12", "1999", "1990s", "*"],
        [time, "2000-01-01", "2000-01", "2000", "2000s", "*"],
        [None, *["missing"] * 4, "*"],
    ]
    quarters = tk.date_hierarchy([datetime.date(2021, 5, 1)], "quarter", top=None)
    assert quarters[1].tolist() == ["2021-Q2"]
    months = pd.period_range("2021-03", periods=2, freq="M")
    assert tk.date_hierarchy(months, ["year"])[1].tolist() == ["2021", "2021"]


def test_dates_in_any_order_by_hand():
    for cells, order in (
        (["27.12.1972", "03.04.1980"], None),
        (["27/12/1972 10:30", "03/04/1980"], None),
        (["12/27/1972", "04/03/1980"], None),
        (["1972-12-27", "1980-04-03"], None),
        (["11/12/1972", "03/04/1980"], "dmy"),
        (["12/11/1972", "04/03/1980"], "mdy"),
    ):
        units = ["month", "year", "5 years", "decade"]
        table = tk.date_hierarchy(cells, units, order=order).set_index(0).loc[cells]
        assert table[2].tolist() == ["1972", "1980"]
        assert table[3].tolist() == ["1970-1974", "1980-1984"]
        assert table[4].tolist() == ["1970s", "1980s"]
        assert table[1].tolist() == ["1972-12", "1980-04"]
    doubt = tk.date_hierarchy(["11/12/1972", "03/04/1980"], ["year", "decade"])
    assert doubt[1].tolist() == ["1980", "1972"]
    rest = tk.date_hierarchy(["27.12.1972", "soon"], "year", other="no date")
    assert rows_of(rest) == [["27.12.1972", "1972", "*"], ["soon", "no date", "*"]]


def test_numbers_that_people_wrote_by_hand():
    pay = tk.interval_hierarchy(["98.230,10 €", "1.200 €", None], 50_000, decimal=",")
    assert rows_of(pay) == [
        ["1.200 €", "[0, 50000)", "*"],
        ["98.230,10 €", "[50000, 100000)", "*"],
        [None, "missing", "*"],
    ]
    rest = tk.interval_hierarchy(["12 kg", "?"], 10, decimal=".", other="none")
    assert dict(zip(rest[0], rest[1], strict=True)) == {"12 kg": "[10, 20)", "?": "none"}


@pytest.mark.parametrize(
    ("cells", "name", "call", "names"),
    [
        (["27.12.1972", "3.4.1980", "1.1.1990"], "x", "date_hierarchy", "months"),
        (["11/12/1972", "3/4/1980", "1/1/1990"], "x", "date_hierarchy", "years"),
        (["27.12.72", "3.4.80", "1.1.90"], "x", "suppression_hierarchy", "hidden"),
        (["27.12.1972", "soon", "later"], "x", "suppression_hierarchy", "hidden"),
        (["SW1A 1AA", "M1 1AE", "EH12 9DN"], "postcode", "prefix_hierarchy", "first 6"),
        (["E11.9", "E10.1", "I10"], "icd", "prefix_hierarchy", "first 4"),
        (["8001 Zürich", "3011 Bern", "9000 St. Gallen"], "x", "suppression_hier", "hidden"),
        (["1968 Spring", "1970 Autumn", "2001 Winter"], "x", "prefix_hierarchy", "first 9"),
        (["1200 kg", "15000 t", "1800 g"], "x", "suppression_hierarchy", "hidden"),
        (["12 kg", "14 kg", "90 kg"], "x", "interval_hierarchy", "by 5"),
        (["€ 1.200", "€ 980", "€ 7.500"], "x", "interval_hierarchy", "by 100"),
        ([1067, 10115, 80331], "PLZ", "prefix_hierarchy", "first 4"),
        ([1067.0, 10115.0, None, 80331.0], "zip", "prefix_hierarchy", "first 4"),
        ([1067, 10115, 20095, 50667, 80331] * 3, "x", "prefix_hierarchy", "first 4"),
        ([1, 2, 3, 4, 5], "age", "interval_hierarchy", "by 2"),
        ([1, 2, 3, 4, 5], "satisfaction", "suppression_hierarchy", "hidden"),
        ([1] * 50 + [2] * 49 + [3, 99], "Q2. Gender", "rare_value_hierarchy", "pool < 2"),
        ([*"12"] * 50 + ["3", "99"], "sexe", "rare_value_hierarchy", "pool < 2"),
        ([35, 40, 20] * 9, "FTE", "suppression_hierarchy", "hidden"),
    ],
)
def test_what_tables_hold_gets_a_hierarchy_of_its_kind(cells, name, call, names):
    for kind in (None, "category", object):
        column = pd.Series(cells, name=name, dtype=kind)
        found = suggest_hierarchy(column)
        assert found.code.startswith(call)
        assert found.names[1] == names
        assert set(column.dropna()) <= set(found[0])


@pytest.mark.parametrize(
    "form",
    ["%d-%b-%Y", "%d%b%Y", "%m/%Y", "%d. %m. %Y", "%d %m %Y", "%d_%m_%Y", "%d,%m,%Y", "Q%q/%Y"]
    + ["%W/%Y", "%d%m%y", "%m%d%y", "%b-%y", "%d.%m.%y", "%d.%m.%Y BC", "%Y-%m", "%m/%y"]
    + ["%Y/%m/%d", "%Y.%m.%d", "%Y %m %d", "%Y-%d-%m", "%Y/%d/%m", "%Y-%b-%d", "%d%m%Y"],
)
@pytest.mark.parametrize("name", ["x", "Geburtsdatum"])
@pytest.mark.parametrize("count", [4, 60])
def test_no_cut_of_a_date_keeps_its_day_or_month_and_hides_the_year(form, name, count):
    """A label that is not the cell itself shows the year, or nothing."""
    days = pd.date_range("1931-03-27", periods=count, freq="397D")
    texts = [f"{one:{form.replace('%q', str(one.quarter))}}" for one in days]
    forms = [texts, [int(text) for text in texts]] if texts[0].isdigit() else [texts]
    for cells in forms:
        if (count, name) == (4, "x") and form in ("%d%m%y", "%m%d%y"):
            continue  # four figures in six digits may be anything
        tree = suggest_hierarchy(pd.Series(cells, name=name))
        years = dict(zip(cells, days.year, strict=True))
        for row in tree.itertuples(index=False):
            for label in row[1:]:
                assert label in ("*", row[0]) or str(label)[:3] == str(years[row[0]])[:3]


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ([271272, 30480, 311299], "Geburtsdatum"),
        ([-15, 900, 4000], "date of birth"),
        (["27.XII.72", "3.IV.80", "1.I.90"], "Né(e) le"),
        ([1227, 403, 101], "Fecha de nacimiento"),
    ],
)
def test_what_is_no_date_under_the_name_of_one_is_kept_or_hidden(cells, name):
    tree = suggest_hierarchy(pd.Series(cells, name=name))
    assert tree.names == ("as it is", "hidden")
    assert tree.note.startswith("its name says dates, and its cells were not read as dates")


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["2026-03-01", "2026-03-02", "2026-03-09", None], ()),
        (["10115", "10117", "10435"], ("first 4", "first 3")),
    ],
)
def test_a_level_of_one_label_is_not_offered_beside_hidden(cells, names):
    column = pd.Series(cells, name="x")
    tree = suggest_hierarchy(column)
    assert tree.names == ("as it is", *names, "hidden")
    made = eval(tree.code.format("column"), {**vars(hierarchies), "column": column})
    pd.testing.assert_frame_equal(made, tree, check_frame_type=False)


def test_years_and_places_of_birth_are_no_days():
    for name in ("Geburtsdatum", "dob"):
        assert suggest_hierarchy(pd.Series([1972, 1980, 1990], name=name)).names[1] == "by 2"
    town = pd.Series(["75111", "13055", "69381"], name="Commune de naissance")
    assert suggest_hierarchy(town).names[1] == "first 4"


def test_amounts_that_look_like_years_are_amounts():
    rents = [f"€ {1800 + 7 * i}" for i in range(40)]
    assert "by 20" in suggest_hierarchy(pd.Series(rents)).names


def test_cells_that_do_not_fit_are_counted_and_have_a_label():
    days = [f"{d}.5.1970" for d in range(1, 29)]
    found = suggest_hierarchy(pd.Series([*days, "soon", "31.2.1970"]))
    assert found.note == "2 values are no date, and shown as 'no date' on every level"
    assert found.set_index(0).loc["31.2.1970", 2] == "no date"
    assert "other='no date'" in found.code
    doubt = suggest_hierarchy(pd.Series(["1.200", "980", "7.500"]))
    assert doubt.note == "'.' was read as the mark between thousands, not of decimals"


def test_groups_by_hand():
    groups = {"x": {"a": [1, "2"], "b": 3}, "y": [None, 4]}
    assert rows_of(tk.group_hierarchy([4, 3, 2, 1, None], groups)) == [
        [1, "a", "x", "*"],
        [2, "a", "x", "*"],
        [3, "b", "x", "*"],
        [4, "y", "y", "*"],
        [None, "y", "y", "*"],
    ]
    rest = tk.group_hierarchy([1, 9, None], {"a": [1, 2]}, other="rest")
    assert rows_of(rest) == [[1, "a", "*"], [9, "rest", "*"], [None, "missing", "*"]]


def test_suppression_by_hand():
    values = pd.Categorical(["b", None], categories=["c", "b"])
    assert rows_of(tk.suppression_hierarchy(values, top="any")) == [
        ["b", "any"],
        [None, "any"],
    ]


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


@given(st.lists(DECIMALS, min_size=1, max_size=8), WIDTHS, SCALES, st.integers(-3, 3))
def test_an_interval_contains_its_value_and_lies_in_the_next(values, widths, scale, origin):
    widths = [scale * width for width in widths]
    table = tk.interval_hierarchy(pd.Series(values, dtype=object), widths, origin=origin)
    assert table.iloc[:, -1].eq("*").all() and len(table) == len(set(values))
    for row in table.to_numpy(object):
        inner = (as_fraction(row[0]), as_fraction(row[0]))
        for label, width in zip(row[1:-1], widths, strict=True):
            low, high = (
                Fraction(end) for end in re.fullmatch(r"\[(.+), (.+)\)", label).groups()
            )
            assert low <= inner[0] and inner[1] <= high and inner[0] < high
            assert high - low == as_fraction(width)
            assert (low - origin) % as_fraction(width) == 0
            inner = (low, high)


@given(
    st.lists(DECIMALS, min_size=1, max_size=8),
    WIDTHS,
    SCALES,
    st.sampled_from(["nearest", "down", "up"]),
)
def test_a_rounded_number_is_near_and_level_by_level(values, widths, scale, direction):
    steps = [scale * width for width in widths]
    table = tk.rounding_hierarchy(
        pd.Series(values, dtype=object), steps, direction=direction, top=None
    )
    for row in table.to_numpy(object):
        below = as_fraction(row[0])
        for label, step in zip(row[1:], map(as_fraction, steps), strict=True):
            moved = as_fraction(label) - below
            allowed = {
                "nearest": -step / 2 < moved <= step / 2,
                "down": -step < moved <= 0,
                "up": 0 <= moved < step,
            }
            assert allowed[direction] and as_fraction(label) % step == 0
            below = as_fraction(label)


@given(st.lists(st.text("0123456789", min_size=4, max_size=4), min_size=1, max_size=8))
def test_a_prefix_keeps_length_and_beginning(codes):
    table = tk.prefix_hierarchy(codes)
    for row in table.to_numpy(object):
        for level, label in enumerate(row[1:-1], start=1):
            assert label == row[0][: 4 - level] + "*" * level


@given(
    st.lists(
        st.datetimes(FIRST_TIME, datetime.datetime.combine(LAST_DATE, datetime.time())),
        min_size=1,
        max_size=6,
    )
)
def test_a_date_starts_with_its_coarser_labels(times):
    units = ["day", "month", "year", "decade"]
    column = pd.Series(times, dtype="datetime64[us]")
    for row in tk.date_hierarchy(column, units).to_numpy(object):
        text = row[0].strftime("%Y-%m-%d").rjust(10, "0")
        assert row[1].rjust(10, "0") == text
        assert row[2].rjust(7, "0") == text[:7] and row[3].rjust(4, "0") == text[:4]
        assert int(row[4][:-1]) == row[0].year // 10 * 10


BUILDERS = {
    "interval": lambda values: tk.interval_hierarchy(values, [1, 10]),
    "rounding": lambda values: tk.rounding_hierarchy(values, [1, 10]),
    "prefix": lambda values: tk.prefix_hierarchy(values, 0, pad="_"),
    "date": tk.date_hierarchy,
    "group": lambda values: tk.group_hierarchy(values, {"first": ["a"]}, other="rest"),
    "suppression": tk.suppression_hierarchy,
}


@pytest.mark.parametrize("name", BUILDERS)
@given(data=tables(max_columns=1))
def test_every_builder_makes_a_hierarchy_of_every_value_or_says_why_not(name, data):
    column = data.iloc[:, 0]
    before = column.copy(deep=True)
    try:
        table = BUILDERS[name](column)
    except (TypeError, ValueError) as error:
        assert str(error).startswith("values")
        assert name not in ("suppression", "group")
    else:
        assert len(table) == column.nunique(dropna=False), "no unused category, no repetition"
        cells, *_ = check_hierarchy(table, pd.Index(column.drop_duplicates()), "x")
        assert set(cells[:, -1]) == {"*"}
        missing = table[table[0].isna()]
        assert len(missing) == int(column.isna().any())
        assert set(missing.iloc[:, 1:-1].to_numpy().ravel()) <= {"missing", "rest"}
    pd.testing.assert_series_equal(column, before)


# --- What builders refuse ---


interval, prefix = tk.interval_hierarchy, tk.prefix_hierarchy
date, group = tk.date_hierarchy, tk.group_hierarchy


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: interval(["39", "x"], 5), TypeError, "got '39', 'x'. Turn text into numbers"),
        (lambda: interval(pd.DataFrame({"a": [1]}), 5), TypeError, "must be one column or a"),
        (lambda: prefix([1.5]), TypeError, "must be codes: text, or whole numbers.*1.5"),
        (lambda: date([2021]), TypeError, "must be dates, or their text"),
        (lambda: group([1], [["a"]]), TypeError, "groups must map labels to lists"),
        (lambda: interval([float("inf")], 5), ValueError, "must be finite numbers; got .*inf"),
        (lambda: interval([1], [5, 12]), ValueError, "12 is not a multiple of 5"),
        (lambda: interval([1], 0), ValueError, "widths must be positive numbers"),
        (lambda: interval([], 5), ValueError, "values must hold at least one"),
        (lambda: interval(["x"], 1, decimal=","), ValueError, "mark ','; got 'x'. Correct"),
        (lambda: prefix(["13053", "1305"]), ValueError, "different lengths.*digits=.*or pad="),
        (lambda: prefix(["ab"], [0, 1]), ValueError, "keep must fall from level"),
        (lambda: prefix([20000], digits=4), ValueError, "holds '20000', longer than digits=4"),
        (lambda: date(["13.5.21", "1.2.2021"]), ValueError, "nobody can tell 1926 from 2026"),
        (lambda: date(["soon", "1.2.2021"]), ValueError, "got 'soon'. Correct them, or give"),
        (lambda: date(["03/04/2021"]), ValueError, "as in '03/04/2021'; give order='dmy' if"),
        (lambda: date(["2021-02-03"], ["year", "month"]), ValueError, "from the finest to"),
        (lambda: group([1], {"a": [1], "b": [1.0]}), ValueError, "groups lists 1.0 twice"),
        (
            lambda: group([1, 2], {"x": {"a": [1]}, "y": {"a": [2]}}),
            ValueError,
            "label 'a' of level 1 has several labels on level 2",
        ),
        (lambda: group(["missing", None], {"missing": ["missing"]}), ValueError, "fill"),
    ],
)
def test_builders_say_what_to_do(call, error, message):
    with pytest.raises(error, match=message):
        call()


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
    separator = choices.draw(st.sampled_from(",;\t"))
    tk.write_hierarchy(table, path, separator=separator)
    read = tk.read_hierarchy(path, separator=separator)
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a|b\nb|c\n", "value and its label on every level; pass separator="),
        ("a;b;c\nd;e\n", "value and its label on every level"),
        ("a;b\na;c\n", "tree.csv' lists 'a' twice; each value has one row"),
        ("a;x;1\nb;x;2\n", "label 'x' of level 1 has several labels on level 2"),
    ],
)
def test_a_file_that_holds_no_hierarchy_is_refused(content, message, tmp_path):
    (tmp_path / "tree.csv").write_text(content)
    with pytest.raises(ValueError, match=message):
        tk.read_hierarchy(tmp_path / "tree.csv")


def test_what_no_file_can_tell_apart_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="cells of level 0 are one text in"):
        tk.write_hierarchy([[1, "*"], ["1", "*"]], tmp_path / "tree.csv")
    assert not (tmp_path / "tree.csv").exists()


# --- Recoding ---


@given(tables(), st.data())
def test_generalise_against_plain_loops(data, choices):
    before = data.copy(deep=True)
    data.columns = before.columns = range(data.shape[1])
    trees, levels = {}, {}
    for j in data.columns:
        if choices.draw(st.booleans()):
            trees[j] = tk.group_hierarchy(data[j], {"a's": ["a", 0, ("x", 1)]}, other="rest")
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
            group = "missing" if named else "a's" if value in ("a", 0, ("x", 1)) else "rest"
            assert label == (group if levels[j] == 1 else "*")


def test_generalise_keeps_numbers_numbers():
    data = pd.DataFrame({"x": [14, 17, 14], "y": 1.5}, index=[5, 5, 6])
    treated = tk.generalise(data, {"x": tk.rounding_hierarchy(data["x"], 10)}, {"x": 1})
    assert treated["x"].tolist() == [10, 20, 10] and treated["x"].dtype.kind == "i"
    same_names = data.set_axis(["x", "x"], axis=1)
    treated = tk.generalise(same_names, {"x": [[14, "a"], [17, "b"]]}, {0: 1})
    assert treated.iloc[:, 0].tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("trees", "levels", "error", "message"),
    [
        ({}, {"x": 1}, ValueError, "hierarchies lacks 'x'; give the column its table"),
        ({"x": [[1, "*"]]}, {"x": 2}, ValueError, "level of column 'x' must be from 0 to 1"),
        ({"x": [[1, "*"]]}, {"x": -1}, ValueError, "the level of column 'x' must be from 0"),
        ({"x": [[1, "*"]]}, {"x": "1"}, TypeError, "column 'x' must be a whole number"),
        ({"x": [[2, "*"]]}, {"x": 1}, ValueError, "hierarchy of 'x' has no row for 1"),
        ({}, {"z": 1}, ValueError, "levels: there is no column 'z'"),
        ([], {"x": 0}, TypeError, "hierarchies must map each column to its table"),
        ({}, 1, TypeError, "levels must map columns to settings"),
    ],
)
def test_generalise_says_what_to_do(trees, levels, error, message):
    with pytest.raises(error, match=message):
        tk.generalise(pd.DataFrame({"x": [1, 1]}), trees, levels)


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


def test_rows_may_be_named():
    data = pd.DataFrame({"a": [1, 2, 3], "b": list("xyz")}, index=["p", "q", "p"])
    assert tk.suppress(data, ["p"])["a"].tolist() == ["*", "2", "*"]
    assert tk.suppress(data, "q", "b", mark="-")["b"].tolist() == ["x", "-", "z"]
    gone = np.array([False, True, False])
    release = measure_release(data, [0], suppressed=gone, loss=0)
    assert tk.suppress(data, release.suppressed)["a"].tolist() == ["1", "*", "3"]
    assert tk.suppress(data, []).equals(data)
    assert tk.suppress(data, release.suppressed_rows)["b"].tolist() == ["x", "*", "z"]
    ordered = data.assign(b=pd.Categorical(data["b"], ordered=True))
    assert not tk.suppress(ordered, "q")["b"].cat.ordered


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["r"], "rows names 'r', which the index of data lacks"),
        ([True], "rows must say True or False of each of the 2 rows of data"),
        (pd.Series([True, False], index=["q", "p"]), "in their order and under their labels"),
    ],
)
def test_suppress_says_what_to_do(rows, message):
    with pytest.raises(ValueError, match=message):
        tk.suppress(pd.DataFrame({"a": [1, 2]}, index=["p", "q"]), rows)


# --- The project's own hierarchies for Adult ---

ADULT = load_adult_hierarchies()


@pytest.mark.parametrize("name", ADULT)
def test_adult_hierarchies_are_files_like_any_other(name):
    table = tk.read_hierarchy(DATA / "adult_hierarchies" / f"{name}.csv")
    pd.testing.assert_frame_equal(table, ADULT[name], check_dtype=False)
    assert set(table.iloc[:, -1]) == {"*"}
    assert table.iloc[:, :-1].ne("*").all(axis=None), "the mark of suppression is on top only"


def test_adult_hierarchies_fit_the_table_as_it_is_loaded():
    data = load_adult()
    assert set(ADULT) <= set(data.columns) and len(ADULT) == 10
    for level in (1, 2):
        trees = {name: table for name, table in ADULT.items() if table.shape[1] > level}
        treated = tk.generalise(data, trees, dict.fromkeys(trees, level))
        assert treated[list(trees)].notna().all(axis=None)
        loss = tk.information_loss(data, treated, trees)
        assert 0 < loss <= 1
    assert ADULT["age"][0].tolist() == [str(age) for age in range(121)]
    for name in WITH_MISSING:
        unknown = ADULT[name][ADULT[name][0].isna() | ADULT[name][0].eq("?")]
        assert len(unknown) == 2 and set(unknown[1]) == {"not known"}


@pytest.mark.skipif(
    not os.environ.get("PRIVACY_TOOLKIT_DATA"), reason="PRIVACY_TOOLKIT_DATA is not set"
)
def test_adult_hierarchies_cover_the_real_files():
    data = load_adult("uci", subset="both")
    for name, table in ADULT.items():
        check_hierarchy(table, pd.Index(data[name].unique()), name)
        as_text = data[name].astype(object).where(data[name].notna(), "?")
        check_hierarchy(table, pd.Index(as_text.unique()), name)


def test_adult_hierarchies_are_made_by_their_script(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(DATA))
    monkeypatch.setattr(sys, "argv", ["make_adult_hierarchies.py", str(tmp_path)])
    importlib.import_module("make_adult_hierarchies").main()
    assert capsys.readouterr().out.count("values") == len(ADULT)
    assert len(list(tmp_path.iterdir())) == len(ADULT)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (DATA / "adult_hierarchies" / path.name).read_bytes()


def test_each_call_gives_fresh_tables():
    table = load_adult_hierarchies()["sex"]
    table.iloc[:, :] = "x"
    pd.testing.assert_frame_equal(load_adult_hierarchies()["sex"], ADULT["sex"])


def test_adult_is_generalised_straight_away():
    data, quasi = load_adult(), ["age", "workclass", "education", "native-country"]
    trees = {name: ADULT[name] for name in quasi}
    whole = tk.optimal_generalisation(data, quasi, ADULT, k=5)
    parts = tk.mondrian(data, quasi, k=5, hierarchies=ADULT)
    for release in (whole, parts):
        assert tk.k_anonymity(release.data, quasi) == release.privacy["k"] >= 5
    # Whole columns lose more than cuts that go as far as each part of the table can bear.
    losses = [tk.information_loss(data, r.data, trees) for r in (whole, parts)]
    assert losses[0] > losses[1] == pytest.approx(parts.loss)


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
