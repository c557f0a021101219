"""Local suppression: by hand, against plain loops, and the laws of what it releases."""

import itertools
from collections import Counter

import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import toolkit as tk
from tests.oracles.pif import rows_of
from tests.tables import tables, used

STAR = "*"


def helped(rows, safe, columns, k):
    """Rows in need that at least k agree with in all other columns."""
    d = len(rows[0])
    near = [
        i for i in range(len(rows)) if not safe[i] or all(rows[i][j] == STAR for j in columns)
    ]
    rest = {i: tuple(rows[i][j] for j in range(d) if j not in columns) for i in near}
    counts = Counter(rest.values())
    return [i for i in near if not safe[i] and counts[rest[i]] >= k]


def masked_by_loops(rows, k, limit):
    """What shows of each row, None for one that is taken out."""
    rows = [list(row) for row in rows]
    d = len(rows[0])
    sizes = Counter(map(tuple, rows))
    safe = [sizes[tuple(row)] >= k for row in rows]
    for size in range(1, d + 1):
        level = list(itertools.combinations(range(d), size))
        while True:
            best = max(level, key=lambda some: len(helped(rows, safe, some, k)))
            found = helped(rows, safe, best, k)
            if not found:
                break
            for i in found:
                safe[i] = True
                for j in best:
                    rows[i][j] = STAR
    left = [i for i, good in enumerate(safe) if not good]
    if len(left) <= limit:
        return [tuple(row) if good else None for row, good in zip(rows, safe, strict=True)]
    classes = Counter(tuple(row) for row, good in zip(rows, safe, strict=True) if good)
    price, apart = {}, {}
    for row, times in classes.items():
        together = [rows[i] for i in left] + [row]
        apart[row] = [j for j in range(d) if len({one[j] for one in together}) > 1]
        shown = [sum(one[j] != STAR for j in apart[row]) for one in together]
        price[row] = sum(shown[:-1]) + times * shown[-1]
    joins = min(price, key=price.get)
    for i, row in enumerate(rows):
        if not safe[i] or tuple(row) == joins:
            rows[i] = [STAR if j in apart[joins] else cell for j, cell in enumerate(row)]
    return list(map(tuple, rows))


@st.composite
def small_tables(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    cells = st.sampled_from(["a", "b", "c", "d", STAR])
    rows = draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n))
    return pd.DataFrame(rows, columns=list("pqrs")[:d])


# Two sets that help equally many, of which the later one has helped more before.
TIED = pd.DataFrame(map(list, ["cdd", "dba", "cac", "dbc", "cbc", "cbd", "abc"]))
LATER = pd.DataFrame(map(list, ["b*c", "bb*", "*ca", "bba", "*b*", "abb"]))

# Records that nothing helps, and prices of the classes that they may join.
STARRED = pd.DataFrame(map(list, ["*ba", "bbb", "bbb", "aac", "*b*"]))
PLAIN = pd.DataFrame(map(list, ["bb", "cc", "bc", "cb", "bc"]))
AGAIN = pd.DataFrame(map(list, ["aba", "aba", "bb*", "b*a", "b*a", "b*b"]))
SEVERAL = pd.DataFrame(map(list, ["bac", "c*c", "c**", "**c", "*aa"]))


@settings(max_examples=200)
@example(TIED, 2, 0.0)
@example(LATER, 2, 0.0)
@example(STARRED, 2, 0.0)
@example(PLAIN, 2, 0.0)
@example(SEVERAL, 3, 0.0)
@example(AGAIN, 3, 0.0)
@given(small_tables(), st.integers(1, 4), st.sampled_from([0.0, 0.2, 1.0]))
def test_masks_are_those_of_plain_loops(data, k, limit):
    n, d = data.shape
    if k > n:
        return
    release = tk.local_suppression(data, list(data), k=k, suppression_limit=limit)
    truth = masked_by_loops(rows_of(data), k, int(limit * n + 1e-9))
    assert rows_of(release.data) == [row for row in truth if row is not None]
    assert release.suppressed.tolist() == [i for i, row in enumerate(truth) if row is None]
    new = [
        d if now is None else now.count(STAR) - was.count(STAR)
        for now, was in zip(truth, rows_of(data), strict=True)
    ]
    assert release.loss == pytest.approx(sum(new) / (n * d))


@given(tables(), st.integers(1, 4), st.sampled_from([0.0, 1.0]))
def test_laws_of_a_release(data, k, limit):
    if k > len(data):
        return
    before = data.copy(deep=True)
    quasi = list(range(data.shape[1]))
    by_position = data.set_axis(quasi, axis=1)
    release = tk.local_suppression(by_position, quasi, k=k, suppression_limit=limit)
    pd.testing.assert_frame_equal(data, before)
    assert release.privacy["k"] >= k
    kept = ~release.suppressed_rows.to_numpy()
    assert release.data.index.equals(data.index[kept])
    assert release.data.columns.equals(by_position.columns)
    sizes = Counter(rows_of(data))
    safe = [sizes[row] >= k for row in rows_of(data)]
    original = [row for row, stays in zip(rows_of(data), kept, strict=True) if stays]
    masked = release.data.astype(object).eq("*")
    for now, was in zip(rows_of(release.data), original, strict=True):
        written = [str(cell).removesuffix(".0").removesuffix(" 00:00:00") for cell in was]
        assert all(a in ("*", b, c) for a, b, c in zip(now, was, written, strict=True))
    for j in quasi:
        if not masked[j].any():
            pd.testing.assert_series_equal(release.data[j], used(by_position[kept])[j])
    lost = int(masked.to_numpy().sum()) + len(release.suppressed) * len(quasi)
    assert release.loss == pytest.approx(lost / data.size)
    need = len(safe) - sum(safe)
    if need >= k or need == 0 or limit == 1:
        assert lost <= need * len(quasi), "never worse than masking whole rows"
    if k == 1:
        pd.testing.assert_frame_equal(release.data, used(by_position))


# --- By hand ---


def test_one_column_is_enough_and_the_first_goes():
    data = pd.DataFrame({"a": [1, 2, 1, 2], "b": ["x", "x", "y", "y"]})
    release = tk.local_suppression(data, ["b", "a"], k=2)
    assert release.data["a"].tolist() == [1, 2, 1, 2]
    assert release.data["b"].tolist() == ["*"] * 4
    assert release.evaluations == 4, "each column twice"


def test_nobody_and_everybody_in_need():
    data = pd.DataFrame({"a": [1, 1], "b": ["x", "x"]})
    untouched = tk.local_suppression(data, ["a", "b"], k=2)
    pd.testing.assert_frame_equal(untouched.data, data)
    assert untouched.loss == 0 and untouched.evaluations == 0
    everybody = tk.local_suppression(data.assign(a=[1, 2], b=["x", "y"]), ["a", "b"], k=2)
    assert everybody.loss == 1 and everybody.privacy["k"] == 2


BEFORE = pd.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "y"]})
WIDE = pd.DataFrame([[1] * 13] * 3)
REFUSED = [
    ({"k": 4}, "k=4 needs at least 4 records, and there are 3"),
    ({"k": 2, "sensitive": "a"}, "sensitive: column 'a' is also a quasi-identifier"),
    ({"k": 2, "data": WIDE, "quasi_identifiers": [*range(13)]}, "at most 12 columns"),
    ({"k": 2, "suppression_limit": 2}, "suppression_limit must be"),
    ({"k": 2, "quasi_identifiers": []}, "quasi_identifiers must name a column"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        tk.local_suppression(**{"data": BEFORE, "quasi_identifiers": "a"} | arguments)
