"""Codes of private histograms: published ones, round trips, a plain restatement, bad input."""

import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import toolkit as tk
from tests.benchmarks.histograms import original_decoder, original_pre_process
from tests.dp.needs_histograms import needs_tables
from toolkit.datasets import load_detroit, load_histogram_settings, load_incidents, load_taxi
from toolkit.dp.histograms import legacy
from toolkit.dp.histograms.domain import DomainCodes

INCIDENTS = load_incidents()
COMBOS, BINS, DOMAIN = load_histogram_settings("incidents")
FARE = {"fare_n": [50, 5, 100]}
RIDES = pd.DataFrame(
    {"taxi_i": [7, 7, 8], "shift_c": [0, 20, 3], "area_c": [76, 8, 8], "fare_n": [44, 0, 61]},
    index=["a", "b", "b"],
)
WHERE = {"where": ["shift_c", "area_c"], "paid": ["fare_n"]}
PLACES = {"shift_c": range(21), "area_c": range(78)}


def refuse(message, kind=ValueError):
    return pytest.raises(kind, match=re.escape(message))


def rides(**columns):
    """The rides with some columns replaced."""
    return RIDES.assign(**columns)


# ---------------------------------------------------------------- published codes


@needs_tables
def test_taxi_has_the_published_codes(capsys):
    taxi, (combos, bins, domain) = load_taxi(), load_histogram_settings("taxi")
    before = taxi.copy(deep=True)
    assert tk.check_input(taxi, combos, bins, domain=domain) == 1
    df, num_decode, col_decode = tk.pre_process(taxi, combos, bins, domain=domain)
    pd.testing.assert_frame_equal(taxi, before)
    assert df.columns.tolist() == ["taxi_id_i", "spd", "cp", "fare"]
    assert df[["spd", "cp", "fare"]].head(3).to_numpy().tolist() == [
        [1007600, 1271, 19172510],
        [1000808, 1270, 12101810],
        [1000808, 1270, 11101310],
    ]
    assert df["fare"].tail(2).tolist() == [11102310, 11104010]  # its documentation, row 215
    assert col_decode == {
        **{"shift_c": ["spd", 1, 3], "pca_c": ["spd", 3, 5], "dca_c": ["spd", 5, 7]},
        **{"company_c": ["cp", 1, 3], "payment_c": ["cp", 3, 4]},
        **{"fare_n": ["fare", 0, 2], "tips_n": ["fare", 2, 4]},
        **{"seconds_n": ["fare", 4, 6], "miles_n": ["fare", 6, 8]},
    }
    assert num_decode["fare_n"] == {**{10 + i: 5.0 * i for i in range(11)}, 21: np.inf}
    capsys.readouterr()
    assert tk.histo_test(df, combos) is None
    assert capsys.readouterr().out.splitlines() == [
        "number of bins in spd 198",
        "number of bins in cp 3",
        "number of bins in fare 90",
    ]


@needs_tables
def test_detroit_has_the_published_bins(capsys):
    detroit, (combos, bins, domain) = load_detroit(), load_histogram_settings("detroit")
    with pytest.warns(UserWarning, match="not private"):
        domain = tk.infer_domain(detroit) | domain
    sizes = tk.domain_sizes(combos, bins, domain)
    assert sizes["type"] == 29 * 2 * 120 * 136 * 4 * 11 > 41_600_000
    assert sizes["call"] == 12 * 31 * 24 and sizes["result"] == 22 * 22 * 102
    df, _, col_decode = tk.pre_process(detroit, combos, bins, domain=domain)
    tk.histo_test(df, combos)
    printed = capsys.readouterr().out.splitlines()
    assert [int(line.split()[-1]) for line in printed] == [6338, 20, 7530, 4019]
    assert col_decode["clear_n"] == ["result", 4, 7], "102 codes need three digits"


@needs_tables
def test_detroit_is_misread_by_the_original_and_not_now():
    detroit, (combos, bins, domain) = load_detroit(), load_histogram_settings("detroit")
    result = {"result": combos["result"]}
    rng, true = np.random.default_rng(1), detroit["clear_n"]
    with pytest.warns(UserWarning, match="not differentially private"):
        old = legacy.pre_process(detroit, result, bins)
    with pytest.warns(UserWarning):
        read = legacy.col_decoder(bins, *old[1:], old[0]["result"], "clear_n", rng=rng)
    assert read.index.equals(detroit.index) and read.name == "clear_n"
    wrong = true > 4_450  # codes from 100 on, whose first two digits are read
    assert wrong.sum() == 1_515 and (read[wrong] < 50).all() and (read[~wrong] <= 4_450).all()
    assert round(true.mean(), 1) == 1646.9
    # Each bin's spread is 50 wide: a standard error of 0.1, so 1 in 10,000 seeds fails.
    assert read.mean() == pytest.approx(1088.4, abs=0.4)
    new = tk.pre_process(detroit, result, bins, domain=domain)
    values = tk.col_decoder(bins, *new[1:], new[0]["result"], "clear_n", rng=rng)
    assert ((values - true).abs() < 50)[true <= 5_000].all()
    assert values[true > 5_000].between(5_001, 10_000).all()


def test_unit_facts_of_the_original():
    three = {"shift_c": ["spd", 1, 3], "pca_c": ["spd", 3, 5], "dca_c": ["spd", 5, 7]}
    two = {"company_c": ["cp", 1, 3], "payment_c": ["cp", 3, 4]}
    numeric = ["fare_n", "tips_n", "seconds_n", "miles_n"]
    four = {name: ["fare", 2 * i, 2 * i + 2] for i, name in enumerate(numeric)}
    bins = load_histogram_settings("taxi").num_dict
    taxi = pd.DataFrame({"t_i": [1], **{name: [0] for name in numeric}})
    _, num_decode, _ = tk.pre_process(taxi, {"fare": numeric}, bins)
    decoders = bins, num_decode, three | two | four
    for code, column, value in [
        ("1130608", "shift_c", 13),
        ("1130608", "pca_c", 6),
        (1130608, "dca_c", 8),
        ("1270", "company_c", 27),
        (np.int64(1270), "payment_c", 0),
        ("11101810", "tips_n", 0),
        ("11101810", "miles_n", 0),
    ]:
        found = tk.col_decoder(*decoders, code, column)
        assert found == value and isinstance(found, int)
    rng = np.random.default_rng(1)
    for column, old, new in [
        ("fare_n", range(5), range(1, 6)),
        ("seconds_n", range(700, 800), range(701, 801)),
    ]:
        codes = np.full(2_000, 11101810)
        with pytest.warns(UserWarning):
            read = legacy.col_decoder(*decoders, codes, column, rng=rng)
        assert set(read) == set(old), "all of 100 values occur but for chance 2e-7"
        assert set(tk.col_decoder(*decoders, codes, column, rng=rng)) == set(new)
        assert tk.col_decoder(*decoders, "11101810", column) in set(old) & set(new)


def test_numbers_get_the_published_codes():
    fares = [0, 1, 5, 6, 45, 46, 50, 51, 100, 10**12]
    table = pd.DataFrame({"taxi_i": range(10), "fare_n": fares})
    df, *_ = tk.pre_process(table, {"paid": ["fare_n"]}, FARE)
    assert df["paid"].tolist() == [10, 11, 11, 12, 19, 20, 20, 21, 21, 21]


def test_codes_by_hand():
    df, num_decode, col_decode = tk.pre_process(RIDES, WHERE, FARE, domain=PLACES)
    assert df.index.tolist() == ["a", "b", "b"]
    assert df["where"].tolist() == [10076, 12008, 10308]
    assert df["paid"].tolist() == [19, 10, 21]
    assert all(df.dtypes == np.int64)
    assert col_decode["area_c"] == ["where", 3, 5] and isinstance(col_decode, dict)
    assert list(num_decode) == ["fare_n"]


# ---------------------------------------------------------------- domains


def test_width_follows_the_domain_and_not_the_data():
    for largest, code in [(9, 13), (10, 103), (999, 1003)]:
        df, *_ = tk.pre_process(
            rides(shift_c=3), {"w": ["shift_c"]}, FARE, domain={"shift_c": range(largest + 1)}
        )
        assert set(df["w"]) == {code}


@pytest.mark.parametrize(
    ("codes", "values", "expected"),
    [
        (range(3, 8), [-5, 3, 7, 8, 2**62], [3, 3, 7, 7, 7]),
        (range(0, 9, 4), [1, 2, 3, 6, 7], [0, 0, 4, 4, 8]),
        (range(8, -1, -4), [1, 2, 3, 6, 7], [0, 0, 4, 4, 8]),
        ([5, 1, 9], [0, 3, 4, 7, 8, 100], [1, 1, 5, 5, 9, 9]),
        (np.array([2]), [0, 5], [2, 2]),
        (pd.Series([2, 4]), [3, 4], [2, 4]),
        ({"codes": [1, 5], "other": 9}, [1, 3, 5, 9, 100, -1], [1, 9, 5, 9, 9, 9]),
        ({"codes": range(2), "other": 1}, [0, 1, 2, 50], [0, 1, 1, 1]),
        ({"codes": range(2), "other": None}, [0, 9], [0, 1]),
    ],
)
def test_what_is_outside_is_moved_inside_without_a_word(codes, values, expected):
    table = pd.DataFrame({"p_i": range(len(values)), "k_c": values})
    df, num_decode, col_decode = tk.pre_process(
        table, {"k": ["k_c"]}, {}, domain={"k_c": codes}
    )
    assert tk.col_decoder({}, num_decode, col_decode, df["k"], "k_c").tolist() == expected


def test_missing_and_huge_values_are_outside_too():
    table = pd.DataFrame(
        {
            "p_i": [1, 2, 3],
            "k_c": pd.array([4, None, 6], "Int64"),
            "u_c": np.array([1, 2**64 - 1, 3], np.uint64),
            "n_n": pd.array([None, 7, 200], "Int32"),
        }
    )
    df, *_ = tk.pre_process(
        table,
        {"k": ["k_c"], "u": ["u_c"], "n": ["n_n"]},
        {"n_n": [50, 5, 100]},
        domain={"k_c": range(3, 7), "u_c": range(9)},
    )
    assert df["k"].tolist() == [14, 13, 16]
    assert df["u"].tolist() == [11, 18, 13]
    assert df["n"].tolist() == [10, 12, 21]


def test_a_domain_of_fifty_million_codes_is_not_written_out():
    domain = tk.combined_domains({"k": ["k_c"]}, {}, {"k_c": range(50_000_000)})["k"]
    assert domain.size == 50_000_000 and domain.columns == ["k_c"]
    cells = np.array([0, 49_999_999])
    assert domain.codes(cells).tolist() == [100_000_000, 149_999_999]
    assert domain.find(domain.codes(cells)).tolist() == cells.tolist()
    assert domain.find(np.array([150_000_000, 99, -1])).tolist() == [-1, -1, -1]


def test_ninety_codes_fit_two_digits_and_more_take_three():
    table = pd.DataFrame({"p_i": [1, 2], "n_n": [0, 10**6]})
    for top, codes, first in [(88, 90, 10), (89, 91, 100)]:
        df, num_decode, col_decode = tk.pre_process(
            table, {"n": ["n_n"]}, {"n_n": [top, 1, 200]}
        )
        assert list(num_decode["n_n"]) == list(range(first, first + codes))
        assert df["n"].tolist() == [first, first + codes - 1]
        assert col_decode["n_n"] == ["n", 0, len(str(first))]


def test_a_coded_table_has_its_settings_and_so_do_the_decoders():
    coded = tk.pre_process(RIDES, WHERE, FARE, domain=PLACES)
    df, num_decode, col_decode = coded
    assert coded.df is df and coded.num_decode is num_decode and not df.attrs
    for kept in (coded, coded._replace(df=df.iloc[1:]), pickle.loads(pickle.dumps(coded))):
        assert kept.domains["where"].size == 21 * 78 and list(kept.domains) == list(WHERE)
        assert kept.settings.bins == {"fare_n": (50, 5, 100)}
    for kept in (copy.deepcopy(col_decode), pickle.loads(pickle.dumps(col_decode))):
        assert kept == col_decode
        with refuse("outside the domain of 'where'"):
            tk.col_decoder({}, {}, kept, 12100, "shift_c")


def test_attributes_of_the_callers_table_are_kept_and_not_changed():
    table = RIDES.copy()
    table.attrs["source"] = "mine"
    df, *_ = tk.pre_process(table, WHERE, FARE, domain=PLACES)
    assert table.attrs == {"source": "mine"} and df.attrs["source"] == "mine"


def test_extra_columns_are_kept_and_the_rest_is_dropped():
    table = rides(note_x=[1, 2, 3], other_c=[5, 5, 5])
    df, *_ = tk.pre_process(table, {"w": ["area_c"]}, FARE, domain=PLACES)
    assert df.columns.tolist() == ["taxi_i", "note_x", "w"]


def test_no_rows_are_coded_too():
    df, num_decode, col_decode = tk.pre_process(RIDES.iloc[:0], WHERE, FARE, domain=PLACES)
    assert df.shape == (0, 3) and df["where"].dtype == np.int64
    assert tk.col_decoder(FARE, num_decode, col_decode, df["paid"], "fare_n").empty


def test_infer_domain_says_that_it_is_not_private():
    with pytest.warns(UserWarning, match="not private.*Declare the public lists"):
        found = tk.infer_domain(RIDES)
    assert found == {"shift_c": [0, 3, 20], "area_c": [8, 76]}


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ([1], TypeError, "ground_truth must be a pandas DataFrame; got builtins.list"),
        (RIDES.iloc[:0], ValueError, "ground_truth has no rows"),
        (rides(area_c=0.5), ValueError, "column 'area_c' must hold integers; got float64"),
        (rides(area_c=-1), ValueError, "column 'area_c' holds negative numbers"),
    ],
)
def test_infer_domain_of_no_table(table, kind, message):
    with refuse(message, kind):
        tk.infer_domain(table)


# ---------------------------------------------------------------- laws and a restatement

SOME_BINS = st.tuples(st.integers(2, 12), st.integers(1, 9), st.integers(1, 50))


@st.composite
def tables(draw):
    """A table, two combinations, bins and a domain that has what occurs, and more."""
    n = draw(st.integers(1, 8))
    data = {"p_i": draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))}
    domain, bins = {}, {}
    for name, most in {"a_c": 120, "b_c": 12, "c_c": 9}.items():
        codes = draw(st.lists(st.integers(0, most), min_size=1, max_size=4, unique=True))
        domain[name] = draw(st.sampled_from([codes, range(max(codes) + 1)]))
        data[name] = draw(st.lists(st.sampled_from(codes), min_size=n, max_size=n))
    for name in ("x_n", "y_n"):
        number, increment, more = draw(SOME_BINS)
        bins[name] = [number * increment, increment, number * increment + more]
        values = st.integers(0, bins[name][2])
        data[name] = draw(st.lists(values, min_size=n, max_size=n))
    table = pd.DataFrame(data, index=draw(st.permutations(range(n))))
    return table, {"k": ["a_c", "b_c", "c_c"], "m": ["x_n", "y_n"]}, bins, domain


@settings(max_examples=50)
@given(tables(), st.integers(0, 9))
def test_every_value_survives_coding_and_decoding(case, seed):
    table, combos, bins, domain = case
    df, num_decode, col_decode = tk.pre_process(table, combos, bins, domain=domain)
    back = pd.DataFrame({"p_i": table["p_i"]})
    for combo, columns in combos.items():
        for column in columns:
            for rng in (None, np.random.default_rng(seed)):
                back[column] = tk.col_decoder(
                    bins, num_decode, col_decode, df[combo], column, rng=rng
                )
    for column in combos["k"]:
        assert back[column].tolist() == table[column].tolist()
    again, *_ = tk.pre_process(back, combos, bins, domain=domain)
    pd.testing.assert_frame_equal(again, df)
    for name, (top, increment, _) in bins.items():
        within = table[name] <= top
        assert ((back[name] - table[name]).abs() < increment)[within].all()
        assert (back[name] > top)[~within].all()


@settings(max_examples=50)
@given(tables())
def test_codes_are_cells_of_the_domain(case):
    table, combos, bins, domain = case
    df, *_ = tk.pre_process(table, combos, bins, domain=domain)
    for name, cells in tk.combined_domains(combos, bins, domain).items():
        everything = cells.codes(np.arange(cells.size))
        assert (np.diff(everything) > 0).all(), "codes ascend, so none occurs twice"
        assert cells.find(everything).tolist() == list(range(cells.size))
        assert df[name].isin(everything).all()
        gaps = np.setdiff1d(np.arange(everything[0], everything[0] + 500), everything)
        assert (cells.find(gaps) == -1).all()
        assert cells.size == tk.domain_sizes(combos, bins, domain)[name]


@settings(max_examples=50)
@given(tables())
def test_a_record_is_coded_the_same_whoever_else_is_there(case):
    table, combos, bins, domain = case
    df, *_ = tk.pre_process(table, combos, bins, domain=domain)
    one, *_ = tk.pre_process(table.iloc[:1], combos, bins, domain=domain)
    pd.testing.assert_frame_equal(one, df.iloc[:1])


@settings(max_examples=30)
@given(tables())
def test_codes_agree_with_the_original_where_the_widths_do(case):
    table, combos, bins, _ = case
    domain = {name: range(table[name].max() + 1) for name in combos["k"]}
    df, num_decode, col_decode = tk.pre_process(table, combos, bins, domain=domain)
    theirs = original_pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(df, theirs[0])
    assert num_decode == theirs[1] and col_decode == theirs[2]
    with pytest.warns(UserWarning):
        old = legacy.pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(old[0], theirs[0])
    assert old[1] == theirs[1] and old[2] == theirs[2]
    for column in combos["k"]:
        for code in df["k"]:
            assert tk.col_decoder(bins, num_decode, col_decode, code, column) == (
                original_decoder(bins, *theirs[1:], code, column)
            )


@needs_tables
@pytest.mark.parametrize(("name", "load"), [("taxi", load_taxi), ("detroit", load_detroit)])
def test_legacy_is_the_original_on_its_own_tables(name, load):
    table, (combos, bins, _) = load(), load_histogram_settings(name)
    with pytest.warns(UserWarning):
        df, num_decode, col_decode = legacy.pre_process(table, combos, bins)
    theirs = original_pre_process(table, combos, bins)
    pd.testing.assert_frame_equal(df, theirs[0])
    assert num_decode == theirs[1] and col_decode == theirs[2]


def test_the_original_reads_bins_wrongly():
    """46 to 50 has the code 20, which it reads as 50 to 99; 1 to 5 as 0 to 4."""
    table = pd.DataFrame({"t_i": [1, 2], "fare_n": [48, 3]})
    decoders = tk.pre_process(table, {"paid": ["fare_n"]}, FARE)[1:]
    rng = np.random.default_rng(1)
    for code, wrong, right in [
        (20, range(50, 100), range(46, 51)),
        (21, range(50, 100), range(51, 101)),
        (11, range(5), range(1, 6)),
        (10, [0], [0]),
    ]:
        codes = np.full(3_000, code)  # a value of 50 is missed with probability 1e-24
        with pytest.warns(UserWarning):
            old = legacy.col_decoder(FARE, *decoders, codes, "fare_n", rng=rng)
        assert set(old) == set(wrong)
        assert set(tk.col_decoder(FARE, *decoders, codes, "fare_n", rng=rng)) == set(right)
        expected = {original_decoder(FARE, *decoders, code, "fare_n") for _ in range(200)}
        assert expected <= set(wrong)


def test_the_original_takes_the_width_from_the_data():
    with pytest.warns(UserWarning):
        df, *_ = legacy.pre_process(rides(shift_c=[0, 1, 2]), WHERE, FARE)
    assert df["where"].tolist() == [1076, 1108, 1208]


# ---------------------------------------------------------------- check_input


def test_a_sound_table_passes(capsys):
    assert tk.check_input(INCIDENTS, COMBOS, BINS) == 1
    assert tk.check_input(INCIDENTS, COMBOS, BINS, domain=DOMAIN, strict=True) == 1
    assert tk.check_input(RIDES, {}, FARE) == 1, "nothing has to be combined"
    assert capsys.readouterr().out == ""


TWICE = pd.DataFrame([[1, 2, 3]], columns=["t_i", "a_c", "a_c"])
PAID = {"paid": ["fare_n"]}
BAD_INPUT = {
    "no individual": (RIDES.drop(columns="taxi_i"), WHERE, FARE, "ends in _i|end in _i"),
    "two individuals": (rides(cab_i=1), WHERE, FARE, "exactly one must end in _i.*'cab_i'"),
    "no rows": (RIDES.iloc[:0], WHERE, FARE, "ground_truth has no rows"),
    "no columns": (pd.DataFrame(), {}, {}, "exactly one must end in _i.*got none"),
    "float": (rides(area_c=0.5), WHERE, FARE, "'area_c' must hold integers; got float64"),
    "text": (rides(area_c="x"), WHERE, FARE, "'area_c' must hold integers; got str|object"),
    "missing": (rides(area_c=[1, None, 2]), WHERE, FARE, "'area_c' has 1 missing"),
    "missing integer": (
        rides(area_c=pd.array([1, None, 2], "Int64")),
        *(WHERE, FARE, "'area_c' has 1 missing values; give them a code"),
    ),
    "bool": (rides(area_c=True), WHERE, FARE, "'area_c' holds truth values"),
    "nullable bool": (rides(area_c=pd.array([True] * 3, "boolean")), WHERE, FARE, "truth"),
    "negative": (rides(area_c=[1, -1, 2]), WHERE, FARE, "'area_c' holds negative numbers"),
    "negative individual": (rides(taxi_i=-1), WHERE, FARE, "'taxi_i' holds negative"),
    "suffix": (rides(area=1), WHERE, FARE, "'area' must end in _i, _c, _n or _x"),
    "number as name": (rides().rename(columns={"area_c": 3}), {}, FARE, "columns: 3 must end"),
    "same name": (TWICE, {}, {}, "'a_c' occur twice"),
    "no bins": (RIDES, WHERE, {}, "num_dict lacks 'fare_n'"),
    "no bins, not combined": (RIDES, {}, {}, "num_dict lacks 'fare_n'"),
    "two numbers": (RIDES, WHERE, {"fare_n": [50, 5]}, "needs three numbers"),
    "four numbers": (RIDES, WHERE, {"fare_n": [50, 5, 100, 1]}, "needs three numbers"),
    "a number": (RIDES, WHERE, {"fare_n": 50}, "needs three numbers"),
    "floats": (RIDES, WHERE, {"fare_n": [50, 5.0, 100]}, "must hold integers"),
    "truth value": (RIDES, WHERE, {"fare_n": [50, True, 100]}, "must hold integers"),
    "increment 0": (RIDES, WHERE, {"fare_n": [50, 0, 100]}, "increment 0; it must be at"),
    "increment below 0": (RIDES, WHERE, {"fare_n": [50, -5, 100]}, "the increment -5"),
    "no divisor": (RIDES, WHERE, {"fare_n": [50, 7, 100]}, "7, which does not divide the top"),
    "one bin": (RIDES, WHERE, {"fare_n": [5, 5, 100]}, "the top must be the larger one"),
    "top 0": (RIDES, WHERE, {"fare_n": [0, 5, 100]}, "the top must be the larger one"),
    "max is top": (RIDES, WHERE, {"fare_n": [50, 5, 50]}, "max 50; it must be above the top"),
    "max below top": (RIDES, WHERE, {"fare_n": [50, 5, 40]}, "max 40; it must be above"),
    "many bins": (RIDES, WHERE, {"fare_n": [2_000_000, 1, 2_000_001]}, "1,000,000 bins"),
    "huge max": (RIDES, WHERE, {"fare_n": [50, 5, 10**18]}, "more than 18 digits"),
    "bins of nothing": (RIDES, WHERE, FARE | {"tip_n": [20, 2, 50]}, "'tip_n' is no numeric"),
    "bins of codes": (RIDES, WHERE, FARE | {"area_c": [20, 2, 50]}, "'area_c' is no numeric"),
    "unknown column": (
        RIDES,
        {"w": ["town_c"]},
        FARE,
        "'w' names 'town_c', which is no column",
    ),
    "odd column": (RIDES, {"w": [3]}, FARE, "'w' names 3, which is no column"),
    "mixed": (RIDES, {"w": ["area_c", "fare_n"]}, FARE, "'w' mixes categorical"),
    "individual combined": (RIDES, {"w": ["taxi_i"]}, FARE, "'w' combines 'taxi_i'; only"),
    "kept combined": (rides(n_x=1), {"w": ["n_x"]}, FARE, "'w' combines 'n_x'; only _c or _n"),
    "column twice": (RIDES, {"w": ["area_c", "area_c"]}, FARE, "'w' names a column twice"),
    "list for a column": (RIDES, {"w": [["area_c"]]}, FARE, r"'w' names \['area_c'\], which"),
    "dictionary for a column": (
        RIDES,
        {"w": ["area_c", {}]},
        FARE,
        "'w' names {}, which is no",
    ),
    "nothing combined": (RIDES, {"w": []}, FARE, "'w' must list its columns"),
    "text for a list": (RIDES, {"w": "area_c"}, FARE, "'w' must list its columns"),
    "name of a column": (rides(w_x=1), {"w_x": ["area_c"]}, FARE, "ends in none of _i"),
    "name taken": (rides().assign(w=1), {"w": ["area_c"]}, FARE, "'w' is already a column"),
    "suffix of a combination": (RIDES, {"w_c": ["area_c"]}, FARE, "ends in none of _i, _c"),
    "number for a name": (RIDES, {1: ["area_c"]}, FARE, "1 must be a text"),
    "19 digits": (rides(area_c=10**17), {"w": ["area_c"]}, FARE, "have 19 digits, more than"),
}
BAD_KINDS = {
    "no table": ([1], WHERE, FARE, "ground_truth must be a pandas DataFrame; got list"),
    "None": (None, WHERE, FARE, "ground_truth must be a pandas DataFrame; got NoneType"),
    "a column": (RIDES["area_c"], WHERE, FARE, "ground_truth must be a pandas DataFrame"),
    "list of combinations": (RIDES, ["area_c"], FARE, "combo_dict must be a dictionary"),
    "list of bins": (RIDES, WHERE, [50, 5, 100], "num_dict must be a dictionary; got list"),
}


@pytest.mark.parametrize("case", (BAD_INPUT | BAD_KINDS).items(), ids=lambda case: case[0])
def test_bad_input_is_refused_with_its_reason(case, capsys):
    name, (table, combos, bins, message) = case
    assert tk.check_input(table, combos, bins) == 0
    printed = capsys.readouterr().out
    assert re.search(message, printed)
    kind = TypeError if name in BAD_KINDS else ValueError
    with pytest.raises(kind, match=message) as caught:
        tk.check_input(table, combos, bins, strict=True)
    assert str(caught.value) + "\n" == printed, "the same reasons, one a line"
    assert capsys.readouterr().out == ""


def test_every_reason_is_told_at_once(capsys):
    table = rides(area_c=-1, cab_i=0.5, town=True)
    combos = {"w": ["area_c", "fare_n", "none_c"], "v": []}
    assert tk.check_input(table, combos, {"fare_n": [50, 7, 50]}, domain={"area_c": []}) == 0
    reasons = capsys.readouterr().out
    for reason in [
        *("'town' must end in", "exactly one must end in _i", "'cab_i' must hold integers"),
        *("'town' holds truth values", "'area_c' holds negative", "'w' names 'none_c'"),
        *("'w' mixes", "'v' must list", "does not divide", "max 50", "domain lacks 'none_c'"),
        "domain: 'area_c' must hold codes of at least 0",
    ]:
        assert reason in reasons
    assert len(reasons.splitlines()) == 12


def test_digits_count_over_the_whole_combination(capsys):
    table = pd.DataFrame({"p_i": [1], "a_c": [10**8], "b_c": [10**7]})
    assert tk.check_input(table, {"w": ["a_c", "b_c"]}, {}) == 1, "1 + 9 + 8 are 18 digits"
    wider = {"a_c": range(10**8 + 1), "b_c": [10**8]}
    assert tk.check_input(table, {"w": ["a_c", "b_c"]}, {}, domain=wider) == 0
    assert "codes of 'w' have 19 digits" in capsys.readouterr().out
    with refuse("codes of 'w' have 19 digits, more than 18; combine fewer columns"):
        tk.pre_process(table, {"w": ["a_c", "b_c"]}, {}, domain=wider)


def test_the_original_lets_bad_input_pass():
    bad = ["two individuals", "no rows", "increment below 0", "max is top"]
    for name in bad:
        table, combos, bins, _ = BAD_INPUT[name]
        with pytest.warns(UserWarning):
            assert legacy.check_input(table, combos, bins) == 1, name


def test_the_original_refuses_some(capsys):
    for name in ["suffix", "negative", "unknown column", "max below top", "float"]:
        table, combos, bins, _ = BAD_INPUT[name]
        with pytest.warns(UserWarning):
            assert legacy.check_input(table, combos, bins) == 0, name
        assert capsys.readouterr().out
    assert legacy.check_input([1], WHERE, FARE) == 0
    assert "ground_truth must be a pandas DataFrame" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "combos", "bins"),
    [
        (RIDES, WHERE, {"fare_n": [50, 5]}),
        (RIDES, WHERE, {"fare_n": [50, 5, 100, 1]}),
        (RIDES, WHERE, {"fare_n": None}),
        (RIDES, WHERE, {"fare_n": ["50", 5, 100]}),
        (RIDES, {"w": None}, FARE),
        (RIDES, {"w": [["area_c"]]}, FARE),
        (rides(area_c="x"), WHERE, FARE),
        (RIDES.astype("Int64"), WHERE, FARE),
        (RIDES.rename(columns={"area_c": 3}), {}, FARE),
    ],
)
def test_the_original_says_no_where_it_would_stop(table, combos, bins, capsys):
    with pytest.warns(UserWarning, match="PrivacyHistos"):
        assert legacy.check_input(table, combos, bins) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("people", [[], ["taxi_i", "cab_i"]])
def test_the_original_complains_of_individuals_and_goes_on(people, capsys):
    table = rides(cab_i=1).drop(columns=["taxi_i", "cab_i"]).assign(**dict.fromkeys(people, 1))
    with pytest.warns(UserWarning, match="PrivacyHistos"):
        assert legacy.check_input(table, WHERE, FARE) == 1
    assert "exactly one individual column" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (RIDES.iloc[:0], "ground_truth has no rows"),
        (rides(area_c=[1, -1, 2]), "'area_c' holds negative numbers"),
        (rides(area_c=pd.array([1, None, 2], "Int64")), "'area_c' has 1 missing values"),
        (rides(area_c=2**62), "codes of 'where' have 22 digits, more than 18"),
    ],
)
def test_what_the_original_cannot_code_is_refused(table, message):
    with pytest.warns(UserWarning, match="PrivacyHistos"), refuse(message):
        legacy.pre_process(table, WHERE, FARE)


# ---------------------------------------------------------------- pre_process refuses

DOMAINS = {
    "none": (None, "domain lacks 'shift_c', 'area_c': declare the codes"),
    "one column": ({"area_c": range(78)}, "domain lacks 'shift_c': declare the codes"),
    "no codes": (PLACES | {"area_c": []}, "codes of at least 0 and up to 18 digits; got none"),
    "empty range": (PLACES | {"area_c": range(0)}, "up to 18 digits; got none"),
    "below 0": (PLACES | {"area_c": range(-1, 5)}, "got -1 to 4"),
    "too large": (PLACES | {"area_c": [10**18]}, "up to 18 digits; got 1000000000000000000"),
    "twice": (PLACES | {"area_c": [3, 3]}, "'area_c' lists a code twice"),
    "numeric": (PLACES | {"fare_n": range(9)}, "'fare_n' is no categorical (_c) column"),
    "text": (PLACES | {"area_c": "0-77"}, "must be a range or a list of codes"),
    "number": (PLACES | {"area_c": 78}, "must be a range or a list of codes"),
    "read once": (PLACES | {"area_c": iter([1, 2])}, "must be a range or a list of codes"),
    "floats": (PLACES | {"area_c": [0.5]}, "must hold whole numbers; got 0.5"),
    "truth values": (PLACES | {"area_c": [True]}, "must hold whole numbers; got True"),
    "odd key": (PLACES | {"area_c": {"code": [1]}}, "must have 'codes' and 'other'"),
    "odd other": (PLACES | {"area_c": {"codes": [1], "other": "x"}}, "other must be a whole"),
}


@pytest.mark.parametrize("case", DOMAINS.values(), ids=DOMAINS)
def test_a_domain_that_is_none_is_refused(case, capsys):
    domain, message = case
    with refuse(message):
        tk.pre_process(RIDES, WHERE, FARE, domain=domain)
    with refuse(message):
        tk.combined_domains(WHERE, FARE, domain)
    if domain is not None:
        assert tk.check_input(RIDES, WHERE, FARE, domain=domain) == 0
        assert message in capsys.readouterr().out


def test_settings_are_refused_with_every_reason():
    with pytest.raises(ValueError, match="which is no column") as caught:
        tk.pre_process(RIDES, {"w": ["x_c"]}, {"fare_n": [50, 7, 100]}, domain={})
    assert "does not divide" in str(caught.value) and "domain lacks" in str(caught.value)
    for wrong in [(None, WHERE, FARE), (RIDES, [], FARE), (RIDES, WHERE, None)]:
        with pytest.raises(TypeError, match="must be a"):
            tk.pre_process(*wrong, domain=PLACES)
    with refuse("domain must be a dictionary; got list", TypeError):
        tk.pre_process(RIDES, WHERE, FARE, domain=[1])


def test_no_error_of_coding_depends_on_a_value():
    """Whatever the integers are, they are coded; names, types and settings may be refused."""
    for values in ([-1, 10**17, 5], [0, 0, 0], [2**62, 7, -(2**62)]):
        coded = tk.pre_process(
            rides(area_c=values, fare_n=values, shift_c=values), WHERE, FARE, domain=PLACES
        )
        assert (coded.domains["where"].find(coded.df["where"].to_numpy()) >= 0).all()


# ---------------------------------------------------------------- histo_test, col_decoder


def test_histo_test_refuses(capsys):
    with refuse("df lacks 'spd'"):
        tk.histo_test(RIDES, {"spd": ["shift_c"]})
    with refuse("df must be a DataFrame; got list", TypeError):
        tk.histo_test([1], {})
    with refuse("combo_dict must be a Mapping; got list", TypeError):
        tk.histo_test(RIDES, ["spd"])
    with refuse("df has 'a_c' twice; name each column once."):
        tk.histo_test(TWICE, {"a_c": ["a_c"]})
    assert capsys.readouterr().out == ""


CODED = tk.pre_process(RIDES, WHERE, FARE, domain=PLACES)


@pytest.mark.parametrize(
    ("value", "column"),
    [
        (12176, "shift_c"),  # shift 21
        (12176, "area_c"),  # the area is fine, the code is not
        (10078, "shift_c"),  # area 78
        (20076, "shift_c"),  # starts with a 2
        (1076, "shift_c"),
        (100076, "shift_c"),
        (-10076, "shift_c"),
        ("", "shift_c"),
        ("010076", "shift_c"),
        ("1o076", "shift_c"),
        ("١٠٠٧٦", "shift_c"),
        (10**30, "shift_c"),
        (9, "fare_n"),
        (22, "fare_n"),
        (110, "fare_n"),
        ([10, 22], "fare_n"),
    ],
)
def test_a_code_outside_the_domain_is_refused(value, column):
    with pytest.raises(ValueError, match="is outside the domain of|is no code of any domain"):
        tk.col_decoder(FARE, *CODED[1:], value, column)


@pytest.mark.parametrize(
    ("value", "column"),
    [(22, "fare_n"), (9, "fare_n"), (20076, "area_c"), (1076, "area_c"), (100760, "area_c")],
)
def test_plain_dictionaries_know_a_part_of_the_domain(value, column):
    num_decode, col_decode = CODED[1], dict(CODED[2])
    with refuse("is outside the domain of"):
        tk.col_decoder(FARE, num_decode, col_decode, value, column)
    assert tk.col_decoder(FARE, num_decode, col_decode, 19999, "shift_c") == 99


@pytest.mark.parametrize("value", [None, 1.5, True, [10076.0], {1: 2}, {10076}])
def test_what_is_no_code_is_refused(value):
    with pytest.raises(TypeError, match="value must be a code"):
        tk.col_decoder(FARE, *CODED[1:], value, "shift_c")


def test_decoders_that_do_not_fit_are_refused():
    _, num_decode, col_decode = CODED
    with refuse("column: 'taxi_i' is in no code; these are: 'shift_c', 'area_c', 'fare_n'"):
        tk.col_decoder(FARE, num_decode, col_decode, 10076, "taxi_i")
    with refuse("num_dict lacks 'fare_n'"):
        tk.col_decoder({}, num_decode, col_decode, 10, "fare_n")
    with refuse("num_decode lacks 'fare_n'"):
        tk.col_decoder(FARE, {}, col_decode, 10, "fare_n")
    with refuse("col_decode must be a dictionary; got list", TypeError):
        tk.col_decoder(FARE, num_decode, [], 10, "fare_n")
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        tk.col_decoder(FARE, num_decode, col_decode, 10, "fare_n", rng=1)


@pytest.mark.parametrize("column", [["area_c"], {}, None, 3])
def test_a_column_that_is_no_name_is_in_no_code(column):
    with refuse(f"column: {column!r} is in no code; these are: 'shift_c', 'area_c', 'fare_n'"):
        tk.col_decoder(FARE, *CODED[1:], 10076, column)


ENDS = CODED[1]["fare_n"]


@pytest.mark.parametrize("plain", [False, True], ids=["as returned", "plain dictionaries"])
@pytest.mark.parametrize(
    ("bins", "ends", "place", "message"),
    [
        ([50, 5], ENDS, None, "num_dict: 'fare_n' needs three numbers"),
        (None, ENDS, None, "num_dict: 'fare_n' needs three numbers"),
        ([50, 7, 100], ENDS, None, "which does not divide the top 50"),
        ([20, 2, 100], ENDS, None, "num_decode of 'fare_n' has 12 bins that are not those of"),
        ([60, 6, 100], ENDS, None, "num_decode of 'fare_n' has 12 bins that are not those of"),
        ([50, 5, 100], 3, None, "num_decode of 'fare_n' has 0 bins that are not those of"),
        ([50, 5, 100], {}, None, "num_decode of 'fare_n' has 0 bins"),
        ([50, 5, 100], ENDS, ["paid", 0], "'fare_n' must have [combination, start, end]"),
        ([50, 5, 100], ENDS, 5, "'fare_n' must have [combination, start, end] of its digits"),
        ([50, 5, 100], ENDS, ["paid", "0", 2], "must have [combination, start, end]"),
        ([50, 5, 100], ENDS, ["paid", 2, 2], "must have [combination, start, end]"),
    ],
)
def test_dictionaries_that_do_not_belong_together_are_refused(
    bins, ends, place, message, plain
):
    """Of other bins, the same digits would be read as other values, without a word."""
    places = dict(CODED[2]) if plain else copy.deepcopy(CODED[2])
    places["fare_n"] = place or places["fare_n"]
    with refuse(message):
        tk.col_decoder({"fare_n": bins}, {"fare_n": ends}, places, 12, "fare_n")


def test_the_original_stops_at_digits_it_cannot_read():
    """It raises a KeyError or a ValueError; the garbage of a cast NaN is no reading of it."""
    for code, place in [("99", ["paid", 0, 2]), ("1", ["paid", 0, 2]), ("12", ["paid", 5, 7])]:
        with pytest.raises((KeyError, ValueError)):
            original_decoder(FARE, CODED[1], {"fare_n": place}, code, "fare_n")
        with (
            pytest.warns(UserWarning, match="PrivacyHistos"),
            refuse("which is no code of that column; the original stops here, too"),
        ):
            legacy.col_decoder(FARE, CODED[1], {"fare_n": place}, code, "fare_n")


def test_shapes_of_decoded_codes():
    decoders = FARE, *CODED[1:]
    assert isinstance(tk.col_decoder(*decoders, 21, "fare_n"), int)
    assert tk.col_decoder(*decoders, [[10, 11], [20, 21]], "fare_n").tolist() == [
        [0, 3],
        [48, 75],
    ]
    assert tk.col_decoder(*decoders, ("10",), "fare_n").shape == (1,)
    series = pd.Series([10076], index=["z"])
    assert tk.col_decoder(*decoders, series, "area_c").to_dict() == {"z": 76}


def test_a_column_in_two_codes_is_read_from_the_last():
    combos = {"one": ["area_c", "shift_c"], "two": ["shift_c"]}
    df, num_decode, col_decode = tk.pre_process(RIDES, combos, FARE, domain=PLACES)
    assert col_decode["shift_c"] == ["two", 1, 3]
    assert tk.col_decoder({}, num_decode, col_decode, df["two"], "shift_c").tolist() == [
        *(0, 20, 3)
    ]
    areas = tk.col_decoder({}, num_decode, col_decode, df["one"], "area_c")
    assert areas.tolist() == RIDES["area_c"].tolist()


def test_combined_domain_says_what_it_is():
    domain = tk.combined_domains(WHERE, FARE, PLACES)["where"]
    assert repr(domain) == "CombinedDomain('where' of ['shift_c', 'area_c']: 1,638 cells)"
    assert domain.shape == (21, 78) and domain.digits == 5
    assert DomainCodes(range(3)).find(np.array([0, 2, 3, -1])).tolist() == [0, 2, -1, -1]


def test_domains_are_compared_without_being_written_out():
    wide, listed = DomainCodes(range(10**12)), DomainCodes(np.array([1, 5]))
    assert wide.same(DomainCodes(range(10**12))) and listed.same(DomainCodes(np.array([1, 5])))
    for other in (range(10**12 + 1), np.array([1, 5]), np.array([1, 6]), np.array([1])):
        assert not wide.same(DomainCodes(other))
    assert not listed.same(DomainCodes(np.array([1, 5]), other=5))
    domains = tk.combined_domains(WHERE, FARE, PLACES)
    assert not domains["where"].same(domains["paid"])
