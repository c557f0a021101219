"""Equivalence classes: who is told apart, by hand, by law and at the edges."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import toolkit as tk
from tests.oracles.pif import rows_of
from tests.tables import TABLES, WHOLE_WEIGHTS
from toolkit import _grouping as grouping

WARD = pd.DataFrame(
    {"age": [30, 30, 40, 40, None, None], "sex": list("ffmmmf"), "zip": [1, 1, 1, 1, 1, 1]},
    index=[9, 9, 3, 3, 1, 0],
)


@pytest.mark.parametrize(
    ("columns", "ids"),
    [
        ("age", [0, 0, 1, 1, 2, 2]),
        (["age", "sex"], [0, 0, 1, 1, 2, 3]),
        (0, [0, 0, 1, 1, 2, 2]),
        ([0, 2], [0, 0, 1, 1, 2, 2]),
        ([], [0] * 6),
    ],
)
def test_classes_by_hand(columns, ids):
    classes = tk.equivalence_class(WARD, columns)
    assert classes.tolist() == ids
    assert classes.index.equals(WARD.index)


def test_sizes_by_hand():
    sizes = tk.class_sizes(WARD, ["age", "sex"])
    assert sizes.tolist() == [2, 2, 1, 1]
    assert sizes.loc[(40, "m")] == 2
    assert sizes.index.names == ["age", "sex"]
    assert tk.class_sizes(WARD, []).tolist() == [6]
    assert tk.class_sizes(WARD, "sex", weights=[1, 2, 3, 4, 5, 6]).to_dict() == {
        "f": 9,
        "m": 12,
    }


def test_classes_of_more_combinations_than_a_number_can_count():
    places = np.tile(np.arange(700), 2)  # 700 ** 8 combinations
    data = pd.DataFrame({f"c{j}": places * (j + 1) % 701 for j in range(8)})
    ids = tk.equivalence_class(data, list(data.columns))
    assert ids.tolist() == places.tolist()


@given(TABLES, st.data())
def test_records_are_in_one_class_exactly_if_they_agree(data, choose):
    columns = choose.draw(st.lists(st.integers(0, data.shape[1] - 1), unique=True))
    numbered = data.set_axis(range(data.shape[1]), axis=1)
    ids = tk.equivalence_class(numbered, columns).to_numpy()
    rows = [tuple(row[j] for j in columns) for row in rows_of(numbered)]
    seen = list(dict.fromkeys(rows))
    assert ids.tolist() == [seen.index(row) for row in rows]
    assert tk.class_sizes(numbered, columns).tolist() == [rows.count(row) for row in seen]


@given(TABLES, WHOLE_WEIGHTS)
def test_sizes_add_up_to_the_records(data, weights):
    weights = weights[: len(data)]
    every = list(range(data.shape[1]))
    numbered = data.set_axis(every, axis=1)
    assert tk.class_sizes(numbered, every).sum() == len(data)
    assert tk.class_sizes(numbered, every, weights=weights).sum() == sum(weights)


@pytest.mark.parametrize("keep_single", [True, False])
@pytest.mark.parametrize("widths", [[3, 4], [900, 900, 900], [10**6, 10**6, 10**6, 7]])
def test_counting_and_sorting_find_the_same_groups(widths, keep_single):
    """The last table needs keys of 63 bits and more: the path of argsort."""
    rng = np.random.default_rng(2)
    n = 4000
    table = rng.integers(0, widths, (n, len(widths)))
    table[rng.integers(0, n, n // 2)] = table[rng.integers(0, n, n // 2)]
    values = [pd.RangeIndex(w) for w in widths]
    encoded = grouping.Encoded(list(table.T), values, n)
    groups = grouping.refine(
        grouping.everyone(n), encoded, range(len(widths)), keep_single=keep_single
    )
    _, truth, count = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    truth = truth.ravel()
    expected = np.flatnonzero(keep_single | (count[truth] > 1))
    rows = np.arange(n)[groups.rows_or_all]
    np.testing.assert_array_equal(np.sort(rows), expected)
    pairs = np.unique(np.column_stack([truth[rows], groups.ids]), axis=0)
    assert len(pairs) == groups.count == len(set(truth[rows])), "one id per group of equals"


def test_sorted_rows_are_numbered_as_all_rows_are():
    rng = np.random.default_rng(8)
    for rows in (1, 200):
        codes = [np.sort(rng.integers(0, 4, rows).astype(np.uint8)), np.zeros(rows, np.uint8)]
        table = grouping.Encoded(codes, [pd.RangeIndex(4), pd.RangeIndex(1)], rows)
        for some in (None, np.arange(0, rows, 3, dtype=np.int32)):
            ids, first = grouping.numbered(table, some)
            found, where = grouping.numbered_runs(table, some)
            assert found.tolist() == ids.tolist() and where.tolist() == first.tolist()


@pytest.mark.parametrize("most_entries", [0, 1 << 20])
@pytest.mark.parametrize("widths", [[1], [3, 4], [40, 50, 60], [900, 900, 900], [1 << 20] * 4])
def test_groups_are_numbered_in_order_of_first_appearance(widths, most_entries, monkeypatch):
    """With one table of all keys, with one of their hashes, and with sorts."""
    monkeypatch.setattr(grouping, "MOST_ENTRIES", most_entries)
    monkeypatch.setattr(grouping, "KEYS_AT_ONCE", 700)  # several blocks
    rng = np.random.default_rng(3)
    n = 3000
    table = rng.integers(0, widths, (n, len(widths)))
    table[rng.integers(0, n, n // 2)] = table[rng.integers(0, n, n // 2)]
    encoded = grouping.Encoded(list(table.T), [pd.RangeIndex(w) for w in widths], n)
    rows = np.flatnonzero(rng.random(n) < 0.7).astype(np.int32)
    some = grouping.Groups(rows, np.zeros(len(rows), np.int32), 1)
    groups = grouping.refine(
        some, encoded, range(len(widths)), keep_single=True, in_order=True
    )
    ids, first = groups.ids, groups.first
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in table[rows].tolist()]
    assert ids.tolist() == expected
    assert first.tolist() == [expected.index(group) for group in range(len(seen))]


@pytest.mark.parametrize("kind", ["str", "string[pyarrow]"])
def test_text_that_arrow_holds_is_coded_as_pandas_codes_it(kind):
    """In one piece or in several, cut at its start, with missing cells or without."""
    whole = pd.Series(["b", "a", None, "", "b", "long enough", None, "a"], dtype=kind)
    for text in (whole, whole[1:], whole.dropna(), pd.concat([whole[2:], whole[:3]])):
        codes, values = grouping.factorised(text)
        expected, known = pd.factorize(text, use_na_sentinel=False)
        assert codes.tolist() == expected.tolist()
        pd.testing.assert_index_equal(values, pd.Index(known))


def test_keys_too_wide_for_one_integer_are_sorted_by_argsort():
    key = np.array([5, 2**61, 5, 7, 2**61])
    ordered, here = grouping.sorted_with_rows(key.copy(), 2**62)
    assert ordered.tolist() == sorted(key.tolist())
    np.testing.assert_array_equal(key[here], ordered)


def in_plain_order(column):
    """Rank of each cell among the different ones, a missing one last."""
    known = sorted({cell for cell in column if not pd.isna(cell)})
    return [known.index(cell) if not pd.isna(cell) else len(known) for cell in column]


@pytest.mark.parametrize("block", [7, 1 << 18])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_sorted_by_value_and_missing_ones_last(seed, block, monkeypatch):
    monkeypatch.setattr(grouping, "KEYS_AT_ONCE", block)
    rng, n = np.random.default_rng(seed), 60
    text = pd.Series(rng.choice(["b", "a", "", None], n), dtype=object)
    kinds = {
        "text": text,
        "category": text.astype(pd.CategoricalDtype(["", "a", "b", "unused"])),
        "whole": pd.Series(rng.integers(-3, 3, n)),
        "some": pd.Series(rng.integers(0, 4, n)).astype("Int64").mask(rng.random(n) < 0.3),
        "real": pd.Series(rng.choice([0.5, -2.0, np.nan], n)),
        "day": pd.Series(rng.choice(pd.to_datetime(["2020-02-02", "1999-01-01", None]), n)),
        "truth": pd.Series(rng.random(n) < 0.5),
        "far": pd.Series(rng.choice([-(2**63), 5, 2**63 - 1], n)),
    }
    names = rng.permutation(list(kinds))[: rng.integers(1, 5)]
    data = pd.DataFrame({name: kinds[name] for name in names})
    rows, order = grouping.sorted_by_value(grouping.encode(data))
    ranks = list(zip(*[in_plain_order(data[name]) for name in data], strict=True))
    assert [ranks[i] for i in order] == sorted(ranks)
    assert sorted(order) == list(range(n))
    for j, name in enumerate(data):
        found = pd.Series(rows.values[j][rows.codes[j]]).astype(object)
        wanted = data[name].iloc[order].reset_index(drop=True).astype(object)
        pd.testing.assert_series_equal(
            found.where(found.notna(), None),
            wanted.where(wanted.notna(), None),
            check_names=False,
        )


def test_rows_too_wide_for_one_number_are_sorted_as_well():
    rng, n = np.random.default_rng(1), 5000
    data = pd.DataFrame({j: rng.permutation(n) for j in range(5)})
    data.loc[::2, 0] = 7  # 5 columns of 13 bits, of which the first repeats
    rows, order = grouping.sorted_by_value(grouping.encode(data))
    wanted = data.sort_values(list(data))
    assert order.tolist() == wanted.index.tolist()
    found = np.column_stack([rows.values[j][rows.codes[j]] for j in range(5)])
    np.testing.assert_array_equal(found, wanted)


def test_no_columns_are_sorted_as_they_come():
    rows, order = grouping.sorted_by_value(grouping.Encoded([], [], 1))
    assert (rows.codes, order.tolist()) == ([], [0])


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_whole_numbers_have_codes_wherever_they_lie(kind):
    """In chunks, at both ends of their type, where differences overflow it."""
    ends = np.iinfo(kind)
    low = np.array([ends.min, ends.min + 3, ends.min + 1], kind)
    high = np.array([ends.max, ends.max - 40], kind)
    for chunks in ([low, low[:1]], [high, low[:0], high[1:]]):
        whole = np.concatenate(chunks * 20)
        pair = grouping.encode_whole(chunks * 20, int(whole.min()), int(whole.max()))
        assert pair is not None
        codes, values = pair
        assert [int(values[code]) for code in codes] == whole.tolist()
        assert [int(value) for value in values] == sorted(set(whole.tolist()))
    assert grouping.encode_whole([low, high], int(ends.min), int(ends.max)) is None


def test_numbers_from_one_end_of_a_byte_to_the_other_have_codes():
    for kind in ("i1", "u1"):
        every = np.arange(np.iinfo(kind).min, np.iinfo(kind).max + 1).astype(kind)
        codes, values = grouping.encode_whole([every], int(every[0]), int(every[-1]))
        assert codes.tolist() == list(range(256))
        assert values.tolist() == every.tolist()


def test_unused_categories_are_no_class():
    data = pd.DataFrame({"x": pd.Categorical(["a", None, "a"], categories=["z", "a"])})
    assert tk.class_sizes(data, "x").tolist() == [2, 1]


@pytest.mark.parametrize(("cells", "counts"), [("abc", [1, 1, 1]), ("aba", [2, 1])])
def test_distinct_rows_count_their_copies(cells, counts):
    found = grouping.distinct_rows(grouping.encode(pd.DataFrame({"a": list(cells)})), None)
    assert found.weight.tolist() == counts


def test_complex_numbers_that_lack_either_part_are_one_value():
    lacking = [complex(np.nan, 1), complex(1, np.nan), 2 + 0j]
    table = grouping.encode(pd.DataFrame({"a": lacking}))
    (codes,) = table.codes
    assert codes.tolist() == [0, 0, 1] and len(table.values[0]) == 2


@pytest.mark.parametrize("late", [1, 16, 17, 40])
def test_numbers_that_occur_once_behind_many_rows_are_values(late):
    cells = np.append(np.zeros(5000, np.int64), 2 * np.arange(1, late + 1))
    codes, values = grouping.encode_column(pd.Series(cells))
    assert values[codes].tolist() == cells.tolist() and len(values) == late + 1


FLOATS = ["float16", "float32", "longdouble", "Float64", "object"]


@pytest.mark.parametrize("kind", [*FLOATS, "double[pyarrow]", "halffloat[pyarrow]"])
@pytest.mark.parametrize("cells", [[0.0, -0.0, 1.0], [-0.0, 0.0, 1.0], [-0.0, 0.0, None]])
def test_zeros_of_either_sign_are_one_value_and_written_as_one(kind, cells):
    if kind == "halffloat[pyarrow]":
        kind = pd.ArrowDtype(pa.float16())
    data = pd.DataFrame({"a": pd.Series(cells, dtype="float32").astype(kind), "b": [1, 1, 2]})
    assert not tk.check_privacy(data, ["a", "b"], k=2).satisfied
    sizes = tk.class_sizes(data, ["a", "b"])
    assert sizes.tolist() == [2, 1]
    codes, values = grouping.encode_column(data["a"])
    assert codes.tolist() == [0, 0, 1] and not np.signbit(values[0])
    if kind != "object":  # whose labels are the cells of the first row
        assert not np.signbit(sizes.index[0][0])


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 8, 9, 1000])
def test_what_is_sorted_fits_63_bits(rows):
    groups = grouping.Groups(None, np.zeros(rows, int), 1)
    bits = (rows - 1).bit_length()
    for more in (0, 1):
        sizes = [2, 2 ** (62 - bits + more)]
        take, radix = grouping._fitting([0, 1], sizes, groups)
        assert (take, radix) == (([0, 1], 2 ** (63 - bits)) if not more else ([0], 2))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ({"b": 1, "a": [2]}, "{'b': 1, 'a': [2]}"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (("x", 1), "('x', 1)"),
        (["x", 1], "['x', 1]"),
        ("x", "x"),
        (np.float64(0.5), "0.5"),
    ],
    ids=str,
)
def test_a_cell_is_written_in_full(cell, text):
    assert grouping.written(cell) == text


def test_pairs_are_values_and_no_index_of_two_levels():
    assert not isinstance(grouping.index_of([("a", 1), ("b", 2)]), pd.MultiIndex)
