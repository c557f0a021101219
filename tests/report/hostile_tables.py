"""Random tables as nobody wants them: what a report has to survive."""

import datetime
import decimal

import numpy as np
import pandas as pd
from hypothesis import strategies as st

TEXTS = st.text(max_size=6) | st.sampled_from(["é", "😀", "*", "NA", "nan", "$x$", "<b>", " "])
NUMBERS = st.integers(-3, 3) | st.sampled_from([2**70, -(2**64), 10**400, 2**53 + 1])
FLOATS = st.sampled_from([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 1e300, 5e-324])
NESTED = st.sampled_from([[1], [], {"a": 1}, {1}, (1, 2), [[1]], b"bytes", object])
DATES = st.sampled_from(
    [
        datetime.date(2020, 2, 29),
        datetime.datetime(1, 1, 1),
        datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        datetime.time(3),
        datetime.timedelta(1),
    ]
)
ODD = st.sampled_from([None, pd.NA, pd.NaT, np.nan, True, 1j, decimal.Decimal("1.1"), ...])
NAMES = st.sampled_from(
    ["age", "zip", "disease", "😀", "", "a\nb", "$x$", "e-mail", "id", 0, 1]
)


def lists(cells, rows):
    return st.lists(cells, min_size=rows, max_size=rows)


@st.composite
def columns(draw, rows):
    """One column of so many rows."""
    kind = draw(st.integers(0, 13))
    if kind < 6:
        mixed = st.one_of(TEXTS, NUMBERS, FLOATS, NESTED, DATES, ODD)
        cells = (TEXTS, NUMBERS, FLOATS, NESTED, DATES, mixed)[kind]
        return pd.Series(draw(lists(cells, rows)), dtype=object)
    if kind == 6:
        return pd.Series([np.nan] * rows)
    if kind == 7:
        return pd.Series(draw(lists(FLOATS, rows)), dtype=float)
    if kind == 8:
        return pd.Series(draw(lists(st.integers(-5, 2**62), rows)), dtype="int64")
    if kind == 9:
        zone = draw(st.sampled_from([None, "UTC", "Australia/Sydney"]))
        return pd.Series(pd.date_range("2019-12-31", periods=rows, freq="7h", tz=zone))
    if kind == 10:
        known = st.sampled_from(["x", "y", None])
        ordered = draw(st.booleans())
        cells = draw(lists(known, rows))
        return pd.Series(pd.Categorical(cells, categories=list("zyx"), ordered=ordered))
    if kind == 11:
        return pd.Series(draw(lists(st.booleans() | st.none(), rows)), dtype="boolean")
    if kind == 12:
        return pd.Series(draw(lists(st.integers(0, 3) | st.none(), rows)), dtype="Int8")
    return pd.Series(pd.arrays.SparseArray(np.arange(rows) % 2))


@st.composite
def tables(draw):
    """A table of 1 to 8 columns; now and then with 10,000 distinct values."""
    rows = draw(st.sampled_from([1, 2, 3, 5, 8, 13]))
    found = draw(st.lists(columns(rows), min_size=1, max_size=8))
    names = draw(st.lists(NAMES, min_size=len(found), max_size=len(found)))
    data = pd.concat(found, axis=1) if found else pd.DataFrame()
    data.columns = pd.Index(names, dtype=object)
    if draw(st.integers(0, 19)) == 0:
        data = data.iloc[np.arange(10_000) % rows].reset_index(drop=True)
        data["count"] = np.arange(10_000)
    labels = draw(st.sampled_from(["as it is", "equal", "text"]))
    if labels == "equal":
        data.index = [7] * len(data)
    if labels == "text":
        data.index = [f"row {i}" for i in range(len(data))]
    return data
