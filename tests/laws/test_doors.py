"""One law for all doors: the same cells give the same answers, whatever holds them.

What counts as equal is stated once, in `numbered`: what Python calls equal is one value, and
all that is missing is one value. Every way to hold cells gives the answers of slow definitions
about these numbers, or refuses the table in one sentence.
"""

import datetime as dt
import decimal
import math
import uuid
from collections import Counter
from dataclasses import dataclass
from numbers import Number

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import toolkit as tk
from tests.oracles.classes import Classes
from tests.oracles.pif import Oracle
from toolkit import read_table

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

D = decimal.Decimal
CLASS = [0, 0, 0, 1, 1, 1]
ROME = dt.timezone(dt.timedelta(hours=1))
MEMORY = ("object", "category", "pandas", "arrow-backed", "arrow", "polars")
FILES = ("csv", "parquet", "duckdb")
ALL = (*MEMORY, *FILES)


@dataclass(frozen=True)
class Kind:
    """Cells for six records, and how they may be held."""

    cells: list
    arrow: object = None
    """Their type in Arrow; without one only Python's objects hold them."""
    dtype: object = None
    """A type of pandas that holds them."""
    scale: bool = False
    """Whether they are numbers or dates, which have an order that closeness goes by."""
    order: bool = False
    """Whether they have an order if it is asked for."""
    csv: bool = False
    """Whether a text can hold them, and still be told what they are."""
    refused: tuple = ()
    """Where they are refused."""
    absent: tuple = ()
    """Where such cells cannot come from."""


def scale(*cells, **more):
    return Kind(list(cells), scale=True, order=True, **more)


def names(*cells, **more):
    return Kind(list(cells), **more)


def at(day, hour=0, zone=None):
    return dt.datetime(2020, 1, day, hour, tzinfo=zone)


def day(number):
    return dt.date(2020, 1, number)


def bits(kind, *cells):
    return [None if cell is None else kind(cell) for cell in cells]


nan, none = math.nan, None
KINDS = {
    "whole numbers": scale(3, 1, 1, 2, 3, 2, arrow=pa.int64(), dtype="int64", csv=True),
    "eight bits": scale(-3, 1, 1, 2, none, 2, arrow=pa.int8(), dtype="Int8", csv=True),
    "around 2^53": scale(
        *(2**53, 2**53 + 1, 2**53 + 2, 2**53, 2**53 + 1, 1), arrow=pa.int64(), dtype="int64"
    ),
    "around 2^53, some missing": scale(
        *(2**53, 2**53 + 1, none, 2**53, 2**53 + 1, none), arrow=pa.int64(), dtype="Int64"
    ),
    "around 2^64": scale(
        *(2**64 - 1, 2**64 - 2, none, 2**63, 0, 2**64 - 1), arrow=pa.uint64(), dtype="UInt64"
    ),
    "beyond 64 bits": scale(2**70, 2**70 + 1, none, 2**70, 10**400, 1),
    "floats": scale(0.1, 0.1 + 2**-56, 1.5, 0.3, 0.1 + 0.2, 1.5, arrow=pa.float64(), csv=True),
    "zeros with a sign": scale(
        0.0, -0.0, 1.0, -0.0, 0.0, 1.0, arrow=pa.float64(), dtype="Float64", csv=True
    ),
    "NaN and NULL": scale(nan, none, 1.0, nan, 2.0, none, arrow=pa.float64(), dtype="float64"),
    "infinite": scale(math.inf, -math.inf, nan, 0.0, math.inf, 1e300, arrow=pa.float64()),
    "four bytes": scale(
        *bits(np.float32, 0.1, 0.2, none, 0.1, -0.0, 0.0), arrow=pa.float32(), dtype="float32"
    ),
    "two bytes": scale(
        *bits(np.float16, 0.1, 0.2, none, 0.1, -0.0, 0.0), arrow=pa.float16(), dtype="float16"
    ),
    "truth": names(
        True, False, False, True, True, True, arrow=pa.bool_(), dtype="bool", order=True
    ),
    "truth, some missing": names(
        True, none, False, True, none, True, arrow=pa.bool_(), dtype="boolean", order=True
    ),
    "truth beside numbers": names(True, 1, 0, 2, False, 1.0),
    "decimals": scale(
        *(D("1.0"), D("1.00"), D("2.5"), none, D("2.50"), D("-1")), arrow=pa.decimal128(9, 3)
    ),
    "long decimals": scale(
        *(D(10**40), D(10**40 + 1), none, D(10**40), D(1), D(2)),
        arrow=pa.decimal256(60, 0),
        refused=("duckdb",),
        absent=("polars",),  # which has no such type
    ),
    "days": scale(day(3), day(1), none, day(1), day(2), day(3), arrow=pa.date32()),
    "days beside times": names(day(1), at(4), day(2), at(3), at(1), day(1)),
    "times in microseconds": scale(
        *(at(3, 1), at(1), none, at(1), at(2), at(3)), arrow=pa.timestamp("us"), dtype="M8[us]"
    ),
    "times in nanoseconds": scale(
        *(pd.Timestamp(number) for number in (1, 2, 1, 3, 2, 1)),
        arrow=pa.timestamp("ns"),
        dtype="M8[ns]",
    ),
    "times of a zone": scale(
        *(
            at(3, 1, dt.UTC),
            at(3, 2, ROME),
            none,
            at(3, 1, ROME),
            at(3, 0, dt.UTC),
            at(4, 0, ROME),
        ),
        arrow=pa.timestamp("us", "Europe/Rome"),
    ),
    "times with and without a zone": names(
        at(1), at(1, 0, dt.UTC), at(2), at(1, 1, ROME), none, at(2, 0, dt.UTC)
    ),
    "times of the day": names(
        *(dt.time(3), dt.time(1), none, dt.time(1), dt.time(3), dt.time(2)),
        arrow=pa.time64("us"),
        order=True,
    ),
    "durations": scale(
        *(dt.timedelta(hours) for hours in (3, 1, 1, 2, 3, 2)),
        arrow=pa.duration("us"),
        dtype="m8[us]",
    ),
    "intervals": names(
        *(pd.Interval(0, 1), pd.Interval(0.0, 1.0), none, pd.Interval(1, 2)),
        *(pd.Interval(0, 2), pd.Interval(1, 2)),
        dtype="interval[float64, right]",
        order=True,
    ),
    "months": scale(
        *(pd.Period(f"2020-{month:02}", "M") for month in (3, 1, 1, 2, 3, 2)),
        dtype="period[M]",
    ),
    "texts": names("b", "a", "a ", "A", "", "ä", arrow=pa.string(), dtype="str"),
    "texts, some missing": names(
        "b", "a", none, "a", none, "é", arrow=pa.string(), dtype="string", csv=True
    ),
    "long texts": names("x" * 99, "a", none, "a", "😀", "a", arrow=pa.large_string()),
    "texts in views": names(
        "x" * 99, "a", none, "a", "😀", "a", arrow=pa.string_view(), dtype="str"
    ),
    "texts as codes": names(
        "b", "a", none, "a", "b", "b", arrow=pa.dictionary(pa.int8(), pa.string())
    ),
    "numbers as codes": scale(
        *(2**53 + 1, 2**53, none, 2**53 + 1, 1, 1), arrow=pa.dictionary(pa.int8(), pa.int64())
    ),
    "surrogates": names("\ud800", "\udfff", "a", "\ud800", none, "\udfff"),
    "bytes": names(b"a", b"b", none, b"a", b"", b"\xff", arrow=pa.binary()),
    "bytes in views": names(b"a", b"b", none, b"a", b"", b"\xff", arrow=pa.binary_view()),
    "nothing": names(*[none] * 6, arrow=pa.null(), order=True),
    "all kinds of nothing": names(
        none, nan, pd.NA, pd.NaT, D("NaN"), 1.0, scale=True, order=True
    ),
    "numbers beside texts": names(1, "1", 1.0, "1.0", "a", none),
    "tuples": names((1, 2), (1, "2"), (1.0, 2), none, ("a",), (1, 2)),
    "identifiers": names(*(uuid.UUID(int=number) for number in (1, 2, 1, 3, 2, 1))),
    "lists": names([1], [2], none, [1], [], [2], arrow=pa.list_(pa.int64()), refused=ALL),
    "records": names(
        *({"a": n} for n in (1, 2, 1, 3, 2, 1)),
        arrow=pa.struct([("a", pa.int64())]),
        refused=ALL,
    ),
    "sets": names({1}, {2}, none, {1}, {2}, {2}, refused=ALL),
}


def numbered(cells):
    """What counts as equal: a number for each cell, -1 for a missing one."""
    seen: dict = {}
    missing = [cell is None or pd.isna(cell) is True for cell in cells]
    pairs = zip(cells, missing, strict=True)
    return [-1 if lacks else seen.setdefault(cell, len(seen)) for cell, lacks in pairs]


# Doors: a table with a column of classes and one of cells, or None where it cannot hold them


def in_pandas(column):
    return pd.DataFrame({"q": CLASS, "s": column})


def in_arrow(kind, cells):
    held = pa.array(cells, kind.arrow, from_pandas=False)
    return pa.table({"row": range(len(cells)), "q": CLASS[: len(cells)], "s": held})


def through(door, kind, cells, folder):
    """Put the cells through a door."""
    objects = pd.Series(cells, dtype=object)
    if door in kind.absent:
        return None
    if door == "object":
        return in_pandas(objects)
    if door == "category":
        try:
            return in_pandas(objects.astype("category"))
        except (TypeError, ValueError, NotImplementedError, OverflowError, Warning):
            # not for pandas
            return None
    if door == "pandas" and kind.dtype is not None:
        return in_pandas(pd.Series(objects.to_numpy(), dtype=kind.dtype))
    if door == "csv" and kind.csv:
        in_pandas(objects).to_csv(folder / "cells.csv", index=False)
        return read_table(folder / "cells.csv")
    if door in ("pandas", "csv") or kind.arrow is None:
        return None
    table = in_arrow(kind, cells)
    if door == "arrow-backed":
        held = pd.arrays.ArrowExtensionArray(table["s"])
        return in_pandas(pd.Series(held))
    if door == "arrow":
        return table.drop_columns(["row"])
    if door == "polars":
        return pl.from_arrow(table.drop_columns(["row"]))
    try:
        pq.write_table(table, folder / "cells.parquet")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return None
    if door == "parquet":
        return read_table(folder / "cells.parquet")[["q", "s"]]
    return tk.open_table(folder / "cells.parquet", key="row")


# The slow definitions, and the law


def ranked(cells, numbers):
    """Numbers in the order of their cells, a missing one last."""
    known = sorted(
        {n: c for c, n in zip(cells, numbers, strict=True) if n >= 0}.items(),
        key=lambda pair: pair[1],
    )
    return [n for n, _ in known] + [-1] * (-1 in numbers)


def wanted(kind, cells):
    """What k, l, t and the gains of all cells are."""
    numbers = numbered(cells)
    rows = list(zip(CLASS, numbers, strict=True))
    classes = Classes(rows)
    found = {
        "k": min(Counter(numbers).values()),
        "k of both": min(Counter(rows).values()),
        "l": min(classes.distinct()),
        "equal": float(max(classes.equal())),
        "gain": Oracle(pd.DataFrame({"q": CLASS, "s": numbers})).cig(),
    }
    if kind.order:
        found["ordered"] = float(max(classes.ordered(ranked(cells, numbers))))
    known = [cell for cell in cells if isinstance(cell, tuple) or not pd.isna(cell)]
    whole = kind.scale and all(
        isinstance(cell, Number) and abs(cell) != math.inf and int(cell) == cell
        for cell in known
    )
    found["auto"] = found["ordered" if kind.scale and not whole else "equal"]
    return found


def answers(table, measures):
    """What the toolkit says."""
    found = {}
    for name in measures:
        if name == "k":
            found[name] = tk.k_anonymity(table, "s")
        elif name == "k of both":
            found[name] = tk.k_anonymity(table, ["q", "s"])
        elif name == "l":
            found[name] = tk.l_diversity(table, "q", "s")
        elif name == "gain":
            gains = tk.cell_information_gain(table)
            found[name] = gains.sort_index().to_numpy(float).tolist()
        else:
            found[name] = tk.t_closeness(table, "q", "s", kind=name)
    return found


BARE = ("arrow", "kernel", "codec", "ufunc", "dtype")


def is_one_sentence(error):
    text = str(error)
    return (
        "\n" not in text and not any(word in text.lower() for word in BARE) and len(text) > 30
    )


def check(door, kind, cells, folder, measures=None):
    """The law for one door and one table."""
    try:
        try:
            table = through(door, kind, cells, folder)
        except (TypeError, ValueError) as error:
            assert door in kind.refused and is_one_sentence(error), error
            return True
        if table is None:
            return False
        truth = None if door in kind.refused else wanted(kind, cells)
        asked = list(truth or ["k", "k of both", "l", "equal", "gain"])
        if door in ("category", "csv"):
            asked = [name for name in asked if name != "auto"]
        if door == "duckdb" and isinstance(cells[0], dt.timedelta):  # whole numbers there
            asked = [name for name in asked if name != "auto"]
        if truth is None:
            for name in asked:
                with pytest.raises((TypeError, ValueError)) as error:
                    answers(table, [name])
                assert is_one_sentence(error.value), error.value
            return True
        found = answers(table, asked)
    finally:
        for path in folder.iterdir():
            path.unlink()
    for name in asked:
        np.testing.assert_allclose(
            found[name], truth[name], atol=1e-9, err_msg=f"{door}: {name}"
        )
    return True


@pytest.mark.filterwarnings("ignore:.*in several ways:toolkit.io.ReadingWarning")
@pytest.mark.parametrize("name", KINDS)
def test_the_same_cells_have_the_same_answers_at_every_door(name, tmp_path):
    kind = KINDS[name]
    held = [check(door, kind, kind.cells, tmp_path) for door in ALL]
    assert sum(held) >= (1 if kind.arrow is None else 5)


@pytest.mark.parametrize("name", [name for name in KINDS if not KINDS[name].refused])
def test_a_population_matches_through_every_door_in_memory(name, tmp_path):
    """k-map and presence count by the same law: half of the records against all."""
    kind = KINDS[name]
    people, some = Counter(numbered(kind.cells)), Counter(numbered(kind.cells[:3]))
    shares = [some[one] / people[one] for one in people]
    for door in MEMORY:
        table = through(door, kind, kind.cells, tmp_path)
        if table is None:
            continue
        sample = table[:3]
        assert tk.k_map(sample, table, "s") == min(people[one] for one in some), door
        found = tk.delta_presence(sample, table, "s")
        assert found == pytest.approx((min(shares), max(shares))), door


def random_table(seed):
    """Cells of a kind, drawn with repetition, and the classes of the records."""
    rng = np.random.default_rng(seed)
    kind = KINDS[rng.choice([name for name in KINDS if name != "nothing"])]
    return kind, [kind.cells[i] for i in rng.integers(0, len(kind.cells), len(CLASS))]


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_random_tables_have_the_same_answers_in_memory(start, tmp_path):
    for seed in range(start, start + 50):
        kind, cells = random_table(seed)
        for door in MEMORY:
            check(door, kind, cells, tmp_path)


# What cells are compared with: other tables, marks, orders


BIG = [2**53] + [2**53 + 1] * 5 + [None] * 5
HOLDERS = {
    "object": lambda cells: pd.DataFrame({"id": pd.Series(cells, dtype=object)}),
    "Int64": lambda cells: pd.DataFrame({"id": pd.array(cells, dtype="Int64")}),
    "category": lambda cells: pd.DataFrame({"id": pd.Categorical(cells)}),
    "arrow-backed": lambda cells: pd.DataFrame(
        {"id": pd.array(cells, dtype="int64[pyarrow]")}
    ),
    "polars": lambda cells: pl.DataFrame({"id": pl.Series(cells, dtype=pl.Int64)}),
}


@pytest.mark.parametrize("one", HOLDERS)
@pytest.mark.parametrize("other", HOLDERS)
def test_long_numbers_of_two_tables_are_told_apart(one, other):
    some = [BIG[i] for i in (0, 1, 6)]
    sample, people = HOLDERS[one](some), HOLDERS[other](BIG)
    assert tk.k_map(sample, people, "id") == 1
    assert tk.population_matches(sample, people, "id").tolist() == [1, 5, 5]
    assert tk.linkage_candidates(sample, people, "id").tolist() == [1, 5, 5]
    assert tk.delta_presence(sample, people, "id") == (0.2, 1.0)


def test_days_are_linked_whoever_holds_them():
    days = [day(1), day(2), day(2)]
    held = [
        pd.DataFrame({"d": days}),
        pd.DataFrame({"d": pd.to_datetime(days)}),
        pd.DataFrame({"d": pd.array(days, dtype="date32[pyarrow]")}),
        pl.DataFrame({"d": days}),
    ]
    for one in held:
        for other in held:
            assert tk.linkage_candidates(one, other, "d").tolist() == [1, 2, 2]


@pytest.mark.parametrize("dtype", [object, "str", "string", "string[pyarrow]", "category", pa])
def test_a_suppressed_cell_is_known_in_any_text(dtype):
    kind = pd.ArrowDtype(pa.string()) if dtype is pa else dtype
    for held in (kind, "category"):
        data = pd.DataFrame({"q": pd.Series(["*", "x", "x"], dtype=kind).astype(held)})
        assert tk.class_table(data, "q", suppressed="*").suppressed == 1
    data = pd.DataFrame({"q": [0, 1, 1]})
    assert tk.class_table(data, "q", suppressed=0).suppressed == 1


def test_the_largest_whole_number_may_be_the_only_value():
    data = pd.DataFrame({"q": [1], "s": [2**63 - 1]})
    assert tk.alpha_k_anonymity(data, "q", "s") == (1, 1)


@pytest.mark.parametrize("cells", [[1, 2, 3, 4], [day(n) for n in (1, 2, 3, 4)]])
def test_categories_without_an_order_are_ordered_by_their_values(cells):
    some = pd.Categorical(cells, categories=[cells[j] for j in (0, 2, 1, 3)])
    data = pd.DataFrame({"q": [0, 0, 1, 1], "s": some})
    assert tk.t_closeness(data, "q", "s", kind="ordered") == pytest.approx(1 / 3)
    assert tk.t_closeness(data, "q", "s") == 0.5


@pytest.mark.parametrize(
    "cells",
    [
        [pd.Interval(0, 1), pd.Interval(1, 2), pd.Interval(0, 1), pd.Interval(2, 3)],
        [10**400, -(10**400), 1, 2],
        [10**400, 1.5, math.inf, 2],
        [D("Infinity"), D("-Infinity"), D(1), D("1e400")],
        [day(1), at(1), at(2), day(2)],
        [at(1), at(1, 0, dt.UTC), at(2), at(2, 0, dt.UTC)],
        [1, True, D("1.0"), "1.0"],
    ],
)
def test_mondrian_cuts_cells_of_any_kind(cells):
    data = pd.DataFrame({"q": pd.Series(cells, dtype=object)})
    assert tk.k_anonymity(tk.mondrian(data, "q", k=2).data, "q") >= 2
    assert len(tk.mondrian(data, "q", k=1).data) == len(cells)


def test_mondrian_names_intervals_of_a_column_of_them():
    cells = pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)])
    assert tk.mondrian(pd.DataFrame({"q": cells}), "q", k=2).data["q"][0] == "{(0, 1], (1, 2]}"
