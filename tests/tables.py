"""Tables that hypothesis makes up: small, repetitive, and awkward on purpose."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

CELLS = [
    st.sampled_from(["a", "b"]),
    st.sampled_from(["a", None, "c"]),
    st.sampled_from([0, 1, 2, -5]),
    st.sampled_from([2**53, 2**53 + 1]),
    st.sampled_from([0.5, float("nan"), float("inf"), 2.0]),
    st.sampled_from([("x", 1), ("x", 2), None]),
    st.booleans(),
    st.just("always"),
    st.sampled_from([pd.Timestamp("2020-01-01"), pd.NaT, pd.Timestamp("2021-01-01")]),
]
DTYPES = {"category": "category", "plain": None}


@st.composite
def tables(draw, max_rows=12, max_columns=4, min_columns=1):
    """A DataFrame with odd labels, missing cells, constants, categories and copies of rows."""
    n = draw(st.integers(1, max_rows))
    m = draw(st.integers(min_columns, max_columns))
    columns = []
    for _ in range(m):
        cells = draw(st.lists(draw(st.sampled_from(CELLS)), min_size=n, max_size=n))
        column = pd.Series(cells)
        if draw(st.booleans()):
            column = column.astype("category")
            column = (
                column.cat.add_categories(["never seen"]) if draw(st.booleans()) else column
            )
        columns.append(column)
    data = pd.concat(columns, axis=1)
    data.columns = draw(st.sampled_from([list("ABCD"), ["A", "A", "B", "B"], [3, 2, 1, 0]]))[
        :m
    ]
    index = draw(st.sampled_from(["range", "reversed", "same", "text"]))
    data.index = {
        "range": pd.RangeIndex(n),
        "reversed": pd.RangeIndex(n - 1, -1, -1),
        "same": pd.Index([7] * n),
        "text": pd.Index([f"row {i}" for i in np.roll(np.arange(n), 1)]),
    }[index]
    return data


def used(data):
    """The table without the categories that no cell shows, as a release has it."""
    columns = [column for _, column in data.items()]
    held = [
        c.cat.remove_unused_categories() if isinstance(c.dtype, pd.CategoricalDtype) else c
        for c in columns
    ]
    return pd.concat(held, axis=1).set_axis(data.columns, axis=1)


def filled(data):
    """The table without missing cells, as thresholds of secrets want it.

    A text beside tuples would be sorted as if it were one, so what is filled is a tuple there.
    """
    return data.apply(_filled)


def _filled(column):
    cells, known = column.astype(object), column.notna()
    tuples = cells[known].map(lambda cell: isinstance(cell, tuple)).any()
    return pd.Series(
        [
            cell if there else (("none", 0) if tuples else "none")
            for cell, there in zip(cells, known, strict=True)
        ],
        column.index,
        object,
    )


TABLES = tables()
WHOLE_WEIGHTS = st.lists(st.integers(1, 4), min_size=12, max_size=12)
