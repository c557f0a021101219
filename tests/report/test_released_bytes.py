"""What was taken out of a table is in no byte of what is written of its release."""

import io
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit.anonymisation.release import measure_release

pa = pytest.importorskip("pyarrow")
write_feather = pytest.importorskip("pyarrow.feather").write_feather

QUASI, SECRET = ["q", "p", "n"], "s"
COMPARED = ["object", "str", "string", "category", "ordered", "unused", pa.string()]
TEXT = [
    *COMPARED,
    pa.large_string(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string(), ordered=True),
]
NESTED = [
    pa.list_(pa.string()),
    pa.list_(pa.dictionary(pa.int8(), pa.string())),
    pa.struct([("x", pa.dictionary(pa.int8(), pa.string())), ("y", pa.string())]),
]
NUMBERS = ["int64", "Int64", "float64", pa.int64(), "category"]
INDEXES = ["range", "text", "category", "multi", pa.dictionary(pa.int8(), pa.string())]


def arrow(cells, kind):
    if pa.types.is_dictionary(kind):  # which older PyArrow does not make of long texts at once
        held = pa.array(cells, kind.value_type).dictionary_encode().cast(kind)
    else:
        held = pa.array(cells, kind)
    return pd.array(held, dtype=pd.ArrowDtype(kind))


def column(cells, kind):
    """Cells held in one of many ways; some of these hold more than the cells."""
    if isinstance(kind, pa.DataType):
        return arrow(cells, kind)
    if kind in ("category", "ordered"):
        return pd.Categorical(cells, ordered=kind == "ordered")
    if kind == "unused":
        return pd.Categorical(cells, categories=[*{*cells}, "Zq0000999"])
    return pd.array(cells, dtype=kind)


def tokens(rng, letter, rows, different):
    """Texts of one length, none of which is a part of anything else."""
    of_row = rng.integers(0, different, rows)
    return [f"{letter}q{rng.integers(10**6, 10**7)}{i:03}" for i in range(different)], of_row


def planted(rng, rows=24, different=8):
    """A table whose cells, labels and attrs can be found again; and all that was planted."""
    drawn = {}
    for letter in "QPSXI":
        names, of_row = tokens(rng, letter, rows, rows if letter in "XI" else different)
        drawn[letter] = [names[i] for i in (range(rows) if letter in "XI" else of_row)]
    pick = lambda kinds: kinds[rng.integers(len(kinds))]  # noqa: E731
    nested, whole = pick(NESTED), rng.choice(2**61, different, replace=False) + 2**61
    cells = [[x] if pa.types.is_list(nested) else {"x": x, "y": x} for x in drawn["X"]]
    data = pd.DataFrame(
        {
            "q": column(drawn["Q"], pick(COMPARED)),
            "p": column(drawn["P"], pick(COMPARED)),
            "s": column(drawn["S"], pick(COMPARED)),
            "n": column(rng.choice([17, 25, 39, 41, 62, 70], rows).tolist(), pick(NUMBERS)),
            "x": column(drawn["X"], pick(TEXT)),
            "nested": arrow(cells, nested),
            "whole": pd.array(whole[rng.integers(0, different, rows)], dtype="Int64"),
        }
    )
    data.loc[rng.random(rows) < 0.2, "whole"] = pd.NA  # the number stays under the mask
    kind = pick(INDEXES)
    labels = pd.Series(drawn["I"])
    if kind == "multi":
        level = pd.Categorical(drawn["I"])
        data.index = pd.MultiIndex.from_arrays([level, range(rows)], names=["name", None])
    elif kind != "range":
        kind = {"text": "object"}.get(kind, kind) if isinstance(kind, str) else kind
        data.index = pd.Index(column(labels.tolist(), kind), name="name")
    data.attrs = {"source": "Aq0000001"}
    everything = {*sum(drawn.values(), []), "Aq0000001", "Zq0000999", *whole.tolist()}
    return data.iloc[2:-2], everything  # the rows before and behind are in the same memory


def written(table):
    """The bytes of a table in four formats, nothing compressed."""
    parquet, feather = io.BytesIO(), io.BytesIO()
    table.to_parquet(parquet, compression=None)
    plain = table.reset_index() if table.index.nlevels > 1 else table
    held = pa.Table.from_pandas(plain)
    write_feather(held, feather, compression="uncompressed")
    return {
        "Parquet": parquet.getvalue(),
        "Feather": feather.getvalue(),
        "CSV": table.to_csv().encode(),
        "pickle": pickle.dumps(table),
    }


def held(table, planted):
    """Formats whose bytes hold something that was planted, and what."""
    forms = {
        one: [str(one).encode(code) for code in ("utf-8", "utf-16-le", "utf-32-le")]
        + ([int(one).to_bytes(8, "little")] if not isinstance(one, str) else [])
        for one in planted
    }
    return {
        (name, one)
        for name, content in written(table).items()
        for one in planted
        if any(form in content for form in forms[one])
    }


def hidden(table, planted):
    """What no cell or label shows, and the bytes of some format hold."""
    shown = table.to_csv()
    return held(table, [one for one in planted if str(one) not in shown])


def is_k_anonymous(table, names, k):
    """By the text that a reader of the CSV sees, counted in plain pandas."""
    rows = pd.read_csv(io.StringIO(table[names].to_csv(index=False)), dtype=str)
    return not len(rows) or rows.fillna("").groupby(names).size().min() >= k


def trees(data):
    return {
        name: tk.suppression_hierarchy(data[name]).assign(
            between=lambda t: ["some"] * (len(t) // 2) + ["others"] * (len(t) - len(t) // 2)
        )[[0, "between", 1]]
        for name in QUASI
    }


def rare(data, k):
    sizes = tk.record_class_sizes(data, QUASI[:2])
    return (sizes < k).to_numpy()


K = 2
RELEASES = {
    "local_suppression": lambda d: tk.local_suppression(
        d, QUASI, k=K, sensitive=SECRET, suppression_limit=0.2
    ),
    "optimal_generalisation": lambda d: tk.optimal_generalisation(
        d, QUASI, trees(d), k=K, suppression_limit=0.4, sensitive=SECRET
    ),
    "mondrian": lambda d: tk.mondrian(d, ["q", "n"], k=K, sensitive=SECRET),
    "treat": lambda d: tk.treat(d, QUASI, K, sensitive=SECRET, suppression_limit=0.4),
}
RECODINGS = {
    "with_suppressed_rows": lambda d: RELEASES["optimal_generalisation"](
        d.drop(columns="nested")  # of which no file holds some cells masked
    ).with_suppressed_rows(),
    "generalise": lambda d: tk.generalise(d, trees(d), {"q": 1, "n": 2}),
    "suppress": lambda d: tk.suppress(d, rare(d, K), ["q", "s", "n"]),
    "drop_columns": lambda d: tk.drop_columns(d, ["q", "whole"]),
    "bin_column": lambda d: tk.bin_column(d, "whole", 2**61),
    "truncate_column": lambda d: tk.truncate_column(d, "q", 0),
    "group_column": lambda d: tk.group_column(d, "q", {d["q"].iloc[0]: "one"}, other="rest"),
    "group_rare_values": lambda d: tk.group_rare_values(d, "p", fewer_than=4),
    "without_traces": lambda d: tk.without_traces(d.iloc[4:-5]),
}


def search(method, seeds):
    """Search the releases of some tables; return how many there were."""
    found = 0
    for seed in seeds:
        data, everything = planted(np.random.default_rng(seed))
        before = (data.to_csv(), list(data.dtypes), data.attrs.copy())
        try:
            made = (RELEASES | RECODINGS)[method](data)
        except ValueError as error:  # no node is feasible, or nobody has company
            assert "suppress" in str(error) or "record" in str(error), error
            continue
        assert (data.to_csv(), list(data.dtypes), data.attrs) == before, (
            "the caller's table is as it was"
        )
        released = getattr(made, "data", made)
        assert hidden(released, everything) == set(), seed
        if method in RELEASES:
            assert is_k_anonymous(released, list(made.quasi_identifiers), K), seed
        found += 1
    return found


@pytest.mark.parametrize("method", [*RELEASES, *RECODINGS])
def test_nothing_that_is_gone_is_written(method):
    assert search(method, range(12)) >= 9, "most tables are released"


AGES = {"age": [[n, "*"] for n in (31, 32, 33)]}


def test_no_array_of_a_release_holds_cells_that_were_replaced():
    """Whole numbers of several columns are one array, of which a column may be a view."""
    data = pd.DataFrame({"age": [31, 32, 33], "paid": [7, 8, 9]})
    for made in (
        tk.optimal_generalisation(data, "age", AGES, k=3).data,
        tk.mondrian(data, "age", k=3).data,
        tk.local_suppression(data, "age", k=3).data,
        tk.generalise(data, AGES, {"age": 1}),
        tk.suppress(data, [True] * 3, "age"),
        tk.bin_column(data, "age", 5),
    ):
        array = made["paid"].to_numpy()
        while isinstance(array.base, np.ndarray):
            array = array.base
        assert array.ravel().tolist() == [7, 8, 9] and data["age"].tolist() == [31, 32, 33]


# --- The search finds what is there ---

TOKEN, OTHER = "Tq1234567001", "Tq1234567002"
NUMBER = 2**61 + 4711
STORED = {"Parquet", "Feather", "pickle"}


def null_over(number):
    """Whole numbers of Arrow, one of them under a missing cell."""
    bits, numbers = pa.py_buffer(b"\x01"), pa.array([1, number]).buffers()[1]
    return arrow(pa.Array.from_buffers(pa.int64(), 2, [bits, numbers]), pa.int64())


def with_attrs(attrs):
    data = pd.DataFrame({"x": [1, 2]})
    data.attrs = {"source": attrs}
    return data


def left_over(cells, kind):
    """A table of two rows, the first of which was taken out."""
    return pd.DataFrame({"x": column(cells, kind)}).iloc[1:]


UNDER = pd.arrays.IntegerArray(np.array([1, NUMBER]), np.array([0, 1]) > 0)
CELLS = pa.dictionary(pa.int8(), pa.string())
LEVEL = pd.MultiIndex.from_tuples([(TOKEN, 1), (OTHER, 2)])
CATEGORY = pd.MultiIndex.from_arrays([pd.Categorical([TOKEN, OTHER]), [1, 2]])
LEAKS = {
    "a cell": (pd.DataFrame({"x": [TOKEN, OTHER]}), {*STORED, "CSV"}),
    "a cell in UTF-32": (pd.DataFrame({"x": [np.array([TOKEN])]}), {*STORED, "CSV"}),
    "category": (left_over([TOKEN, OTHER], "category"), STORED),
    "dictionary": (left_over([TOKEN, OTHER], CELLS), STORED),
    "dictionary in a list": (left_over([[TOKEN], [OTHER]], pa.list_(CELLS)), STORED),
    "attrs": (with_attrs(TOKEN), STORED),
    "level": (pd.DataFrame({"x": [1, 2]}, LEVEL).iloc[1:], {"pickle"}),
    "category of a level": (pd.DataFrame({"x": [1, 2]}, CATEGORY).iloc[1:], STORED),
    "name of a column": (
        pd.DataFrame([[1, 2]], columns=pd.CategoricalIndex([TOKEN, OTHER])).iloc[:, 1:],
        {"pickle"},
    ),
    "behind a slice": (
        pd.DataFrame({"x": arrow([OTHER, TOKEN], pa.string())}).iloc[:1],
        {"Feather"},
    ),
    "under a mask": (pd.DataFrame({"x": UNDER}), {"Feather", "pickle"}),
    "under a missing cell of Arrow": (
        pd.DataFrame({"x": null_over(NUMBER)}),
        {"Feather", "pickle"},
    ),
}


@pytest.mark.parametrize("place", LEAKS)
def test_the_search_finds_what_is_planted_and_nothing_once_it_is_gone(place):
    data, formats = LEAKS[place]
    before = data.copy(deep=True)
    planted = [TOKEN, NUMBER]
    assert {name for name, _ in held(data, planted)} == formats
    kept = tk.without_traces(data)
    assert hidden(kept, planted) == set()
    assert kept.to_csv() == data.to_csv() == before.to_csv()
    assert data.attrs.keys() == before.attrs.keys()


# --- What stays as it was ---


def test_order_types_and_the_callers_table_stay():
    sizes = pd.Categorical(["S", "XL"], categories=["S", "M", "XL"], ordered=True)
    data = pd.DataFrame({"size": sizes.take([1, 0, 1, -1]), "n": pd.array([1, None, 2, 2])})
    data.columns = pd.MultiIndex.from_tuples([("a", "size"), ("a", "n")])
    kept = tk.without_traces(data)
    assert kept.iloc[:, 0].cat.categories.tolist() == ["S", "XL"]
    assert kept.iloc[:, 0].cat.ordered and kept.iloc[:, 0].max() == "XL"
    assert kept.dtypes.iloc[1] == data.dtypes.iloc[1] and kept.columns.equals(data.columns)
    assert data.iloc[:, 0].cat.categories.tolist() == ["S", "M", "XL"]
    empty = measure_release(data, [], suppressed=np.ones(4, bool), loss=1.0).data
    assert empty.empty and empty.iloc[:, 0].cat.categories.empty
    sparse = pd.DataFrame({"x": pd.arrays.SparseArray([7, 1, 2], fill_value=7)}).iloc[1:]
    assert tk.without_traces(sparse)["x"].tolist() == [1, 2]


# --- Equal cells are written alike ---

ALIKE = {
    "numbers": pd.Series([True, 1, 1.0, 1], dtype=object),
    "decimals": pd.Series([Decimal("1.0"), Decimal("1.00")] * 2),
    "zeros": pd.Series([0.0, -0.0] * 2),
    "zeros as objects": pd.Series([0.0, -0.0] * 2, dtype=object),
    "nullable zeros": pd.Series([0.0, -0.0] * 2, dtype="Float64"),
    "missing": pd.Series([None, np.nan, pd.NA, pd.NaT], dtype=object),
    "tuples": pd.Series([(1, True), (1.0, 1)] * 2),
}


@pytest.mark.parametrize("cells", ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_equal_cells_of_a_release_are_written_alike(cells, role):
    data = pd.DataFrame({"q": cells, "s": cells, "n": [1, 1, 2, 2]})
    known, secret = (["q"], None) if role == "quasi-identifier" else (["n"], "s")
    for release in (
        tk.local_suppression(data, known, k=2, sensitive=secret),
        tk.mondrian(data, known, k=2, sensitive=secret),
    ):
        shown = release.data["q" if secret is None else "s"]
        assert len({repr(cell) for cell in shown}) == 1, list(shown)
        assert release.privacy["k"] >= 2
    assert list(map(repr, data["q"])) == list(map(repr, cells))


# --- Recoded columns fit a Parquet file ---

KINDS = {
    "numbers": [39, 40, 41, 41],
    "floats": [0.5, 39.0, np.nan, 0.5],
    "nullable": pd.array([39, None, 41, 41], dtype="Int64"),
    "truth": [True, False, True, True],
    "days": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-03"]),
    "zoned": pd.date_range("2020-01-01", periods=4, tz="Australia/Sydney"),
    "decimals": [Decimal("1.5"), Decimal("2.5"), None, Decimal("1.5")],
    "category of numbers": pd.Categorical([39, 40, 41, 41]),
    "Arrow": arrow([39, 40, None, 41], pa.int32()),
    "text": list("abcc"),
}
MASK = {
    "local_suppression": lambda d: tk.local_suppression(d, ["x", "t"], k=2).data,
    "mondrian": lambda d: tk.mondrian(d, "x", k=2).data,
    "suppress": lambda d: tk.suppress(d, [True, False, False, False]),
    "with_suppressed_rows": lambda d: measure_release(
        d, [0], suppressed=np.arange(4) < 1, loss=0
    ).with_suppressed_rows(),
    "group_rare_values": lambda d: tk.group_rare_values(d, "x", fewer_than=2),
}


@pytest.mark.parametrize("method", MASK)
@pytest.mark.parametrize("kind", KINDS)
def test_masked_cells_fit_a_parquet_file(kind, method):
    data = pd.DataFrame({"x": KINDS[kind], "t": list("aabb")})
    made = MASK[method](data)
    buffer = io.BytesIO()
    made.to_parquet(buffer)
    back = pd.read_parquet(buffer)
    assert back.to_csv() == made.to_csv()
    assert made["x"].isna().sum() <= data["x"].isna().sum()


# --- What users are told ---


def test_a_release_says_what_else_is_released_and_shows_no_label_of_a_suppressed_row():
    data = pd.DataFrame({"town": list("AAB")}, index=["ann", "bob", "Zoltan"])
    release = tk.local_suppression(data, "town", k=2, suppression_limit=0.4)
    for text in (str(release), repr(release)):
        assert "The index and the order of the rows are released" in text
        assert "Zoltan" not in text
    assert b"Zoltan" in pickle.dumps(release), "the object has it, as its docstring says"
    assert b"Zoltan" not in pickle.dumps(release.data)
