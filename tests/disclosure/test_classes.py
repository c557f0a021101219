"""Equivalence classes: who is told apart, by hand, by law and at the edges."""

import tracemalloc
from unittest.mock import MagicMock

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
    found = grouping.distinct_rows(grouping.encode(data[699:]), None)
    assert found.weight.tolist() == [2, *[1] * 699]


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
    assert groups.ids.dtype == np.int32 and groups.first is None, "not numbered in order"


@pytest.mark.parametrize("values", [range(4), range(10**6)], ids=["counted", "sorted"])
@pytest.mark.parametrize(
    ("cells", "keep_single", "ids"),
    [([0, 2, 2, 0], False, {0: 0, 1: 1, 2: 1, 3: 0}), ([0, 2, 2, 1], False, {1: 0, 2: 0})]
    + [([0, 2, 2, 1], True, {0: 0, 1: 2, 2: 2, 3: 1}), ([0, 1, 2, 3], False, {})]
    + [([0, 1, 2, 3], True, {0: 0, 1: 1, 2: 2, 3: 3})],
)
def test_groups_by_hand(cells, keep_single, ids, values):
    """Rows are named only where some are left out, or are no longer in order."""
    table = grouping.Encoded([np.array(cells)], [values], 4)
    groups = grouping.refine(grouping.everyone(4), table, [0], keep_single=keep_single)
    rows = np.arange(4)[groups.rows_or_all].tolist()
    assert dict(zip(rows, groups.ids.tolist(), strict=True)) == ids
    assert groups.count == len(set(ids.values()))
    if keep_single or len(values) == len(ids) == 4:
        assert groups.rows is None


@pytest.mark.parametrize(
    ("most", "rows"),
    [(1 << 12, 1), (1 << 12, 512), (4104, 513), (1 << 18, 40_000), (400_000, 200_000)],
)
def test_groups_are_counted_where_a_table_of_them_is_small(most, rows):
    """4,096 entries, 8 per row up to 262,144, or 2 per row."""
    assert grouping.is_counted(most, rows) and not grouping.is_counted(most + 1, rows)


@pytest.mark.parametrize(("radix", "ordered"), [(8, [3, 1, 3, 0]), (9, [0, 1, 3, 3])])
def test_keys_are_counted_without_a_sort_where_two_entries_a_row_suffice(radix, ordered):
    key = np.array([3, 1, 3, 0])
    cells, times = grouping.count_keys(key, radix)
    assert (cells.tolist(), times.tolist(), key.tolist()) == ([0, 1, 3], [1, 1, 2], ordered)


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
    assert ids.dtype == np.int32


@pytest.mark.parametrize(("bits", "radix"), [(31, 2**64), (32, 3 * 2**32)])
def test_rows_of_64_bits_are_numbered_at_once(bits, radix, monkeypatch):
    """And wider ones in steps, of which the first finds three groups by the first column."""
    number = MagicMock(wraps=grouping.group_by_first_row)
    monkeypatch.setattr(grouping, "group_by_first_row", number)
    codes = [np.array([2**32, 0, 2**33 - 1, 0]), np.array([0, 0, 2**bits - 1, 0])]
    ids, first = grouping.numbered(grouping.Encoded(codes, [range(2**33), range(2**bits)], 4))
    assert (ids.tolist(), first.tolist()) == ([0, 1, 2, 1], [0, 1, 2])
    assert number.call_args.args[2] == radix


@pytest.mark.parametrize(
    ("rows", "radix", "direct"),
    [(10, 1 << 20, True), (10, (1 << 20) + 1, False)]
    + [(600_000, 1_200_000, True), (600_000, 1_200_001, False)],
)
def test_rows_are_numbered_in_place_where_a_table_of_all_keys_is_small(rows, radix, direct):
    key = np.arange(rows)[::-1].copy()
    found = grouping.group_by_first_row(None, key, radix)
    assert np.array_equal(found.ids, np.arange(rows))
    assert (found.ids is key) == direct


def peak_of(function, *arguments):
    """Most bytes that a call holds at once."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_consecutive_keys_share_no_entry_of_a_table_of_two_to_four_entries_a_row(monkeypatch):
    monkeypatch.setattr(grouping, "_group_by_sorting", None)  # tells apart those that share
    assert peak_of(grouping.group_by_first_row, None, np.arange(50_000), 1 << 40) < 2.8e6


def test_words_are_cut_in_blocks_of_two_megabytes():
    """Two of these are held beside the cells, a byte each."""
    assert peak_of(grouping.unpacked, np.arange(1 << 20), [8, 8]) < (2 + 2 * 2.1) * 2**20


@pytest.mark.parametrize("kind", ["str", "string[pyarrow]"])
def test_text_that_arrow_holds_is_coded_as_pandas_codes_it(kind):
    """In one piece or in several, cut at its start, with missing cells or without."""
    whole = pd.Series(["b", "a", None, "", "b", "long enough", None, "a"], dtype=kind)
    for text in (whole, whole[1:], whole.dropna(), pd.concat([whole[2:], whole[:3]])):
        codes, values = grouping.factorised(text)
        expected, known = pd.factorize(text, use_na_sentinel=False)
        assert codes.tolist() == expected.tolist()
        pd.testing.assert_index_equal(values, pd.Index(known))


@pytest.mark.parametrize(("radix", "packed"), [(2**61, True), (2**61 + 1, False)])
def test_keys_are_sorted_with_their_rows_in_one_word_if_both_fit_63_bits(radix, packed):
    """Three rows take two bits, and four bytes once they are apart from the keys."""
    ordered, here = grouping.sorted_with_rows(np.array([radix - 1, 0, radix - 1]), radix)
    assert (ordered.tolist(), here.tolist()) == ([0, radix - 1, radix - 1], [1, 0, 2])
    assert here.dtype == (np.int32 if packed else np.int64)


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


@pytest.mark.parametrize(
    ("widths", "rows"), [([128] * 8, 128), ([128] * 9, 2), ([2] + [128] * 9, 2)]
)
def test_rows_of_63_bits_and_one_more_are_sorted(widths, rows):
    """With their positions, of 7 bits, and without; the first is the last by its first bit."""
    codes = [np.zeros(rows, int) for _ in widths]
    codes[0][0], codes[1][1] = widths[0] - 1, 1
    held = [pd.RangeIndex(width) for width in widths]
    _, order = grouping.sorted_by_value(grouping.Encoded(codes, held, rows))
    assert order.tolist() == [*range(2, rows), 1, 0]
    assert (order.dtype == np.int32) == (rows == 128)


def test_sorted_rows_stay_as_they_are():
    table = grouping.encode(pd.DataFrame({"a": [1, 1, 2]}))
    rows, order = grouping.sorted_by_value(table)
    assert rows.codes[0] is table.codes[0] and order.tolist() == [0, 1, 2]


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
    assert grouping.encode_whole([np.array([5, 8], kind)], 5, 8) is not None
    assert grouping.encode_whole([np.array([5, 9], kind)], 5, 9) is None, "two entries a row"


def test_numbers_from_one_end_of_a_byte_to_the_other_have_codes():
    for kind in ("i1", "u1"):
        every = np.arange(np.iinfo(kind).min, np.iinfo(kind).max + 1).astype(kind)
        codes, values = grouping.encode_whole([every], int(every[0]), int(every[-1]))
        assert codes.tolist() == list(range(256))
        assert values.tolist() == every.tolist()


@pytest.mark.parametrize(("values", "size"), [(256, 1), (257, 2), (65_536, 2), (65_537, 4)])
def test_codes_take_as_few_bytes_as_they_need(values, size):
    whole = pd.Series(np.arange(values))
    text = whole.astype(str)
    for column in (whole, whole.replace(1, values), text, text.astype("category")):
        table = grouping.encode(column.to_frame())
        assert table.codes[0].itemsize == size
        assert table.values[0][table.codes[0]].tolist() == column.tolist()


@pytest.mark.parametrize(("chosen", "walked"), [([2, 0], False), ([2, 0, 1], True)])
def test_few_columns_are_picked_and_many_are_met_on_a_walk(chosen, walked, monkeypatch):
    data = pd.DataFrame([[5, 6, 7, 8]])
    walk = MagicMock(wraps=data.items)
    monkeypatch.setattr(pd.DataFrame, "items", walk)
    table = grouping.encode(data, chosen)
    assert [values[0] for values in table.values] == [5 + j for j in chosen]
    assert walk.called == walked


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


@pytest.mark.parametrize(
    ("lowest", "highest", "before", "after", "counts"),
    [(2, 16, 1312, 0, 1), (2, 17, 1312, 0, 2), (2, 17, 1296, 16, 1), (18, 18, 9, 0, 1)],
)
def test_rows_are_counted_again_only_for_many_numbers_not_met_at_first(
    lowest, highest, before, after, counts, monkeypatch
):
    """Of 18 numbers 16 * (18 + 64) rows are looked at first; 16 are looked for one by one."""
    count = MagicMock(wraps=np.bincount)
    monkeypatch.setattr(np, "bincount", count)
    late = np.arange(lowest, highest + 1)  # there is no 1
    cells = np.concatenate([np.zeros(before, int), late, np.zeros(after, int)])
    codes, seen = grouping.close_gaps(cells)
    assert seen[codes].tolist() == cells.tolist() and 1 not in seen
    assert count.call_count == counts
    assert grouping.close_gaps(codes)[0] is codes, "without gaps"


def test_missing_categories_and_days_after_9999_that_arrow_holds():
    days = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([2932897, 0], pa.date32())))
    assert grouping.factorised(days)[1].year.tolist() == [10000, 1970]
    held = pd.Index(pd.arrays.ArrowExtensionArray(pa.array([1.5, np.nan, 0.5])))
    cells = pd.Categorical.from_codes([0, 1, 2, -1, 2], dtype=pd.CategoricalDtype(held))
    codes, values = grouping.encode_column(pd.Series(cells))
    assert codes.tolist() == [1, 0, 2, 0, 2] and values.index.categories.tolist() == [1.5, 0.5]


def test_zeros_of_either_sign_beside_none_are_written_as_one(monkeypatch):
    monkeypatch.setattr(grouping, "_without_copies", None)  # one value is missing
    codes, values = grouping.factorised(pd.Series([-0.0, None, 0.0], dtype=object))
    assert codes.tolist() == [0, 1, 0] and not np.signbit(values[0])


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


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 9, 1000])
def test_what_is_sorted_fits_63_bits(rows):
    groups = grouping.Groups(None, np.zeros(rows, int), 1)
    bits = (rows - 1).bit_length()
    for more in (0, 1):
        sizes = [2, 2 ** (62 - bits + more)]
        take, radix = grouping._fitting([0, 1], sizes, groups)
        assert (take, radix) == (([0, 1], 2 ** (63 - bits)) if not more else ([0], 2))
    many = grouping.Groups(None, groups.ids, 3)
    assert grouping._fitting([1], [5, 2**62], many) == ([1], 3 * 2**62), "one at the least"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ({"b": 1, "a": [2]}, "{'b': 1, 'a': [2]}"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (("x", 1), "('x', 1)"),
        (["x", 1], "['x', 1]"),
        ("x", "x"),
        (np.float64(0.5), "0.5"),
        (np.array([1, 2]), "[1, 2]"),
        (pd.DataFrame({"b": ["x, y"]}), "{'columns': ['b'], 'cells': [['x, y']]}"),
    ],
    ids=str,
)
def test_a_cell_is_written_in_full(cell, text):
    assert grouping.written(cell) == text


def test_pairs_are_values_and_no_index_of_two_levels():
    assert not isinstance(grouping.index_of([("a", 1), ("b", 2)]), pd.MultiIndex)
