"""Sensitivity of a query, the most that one individual can move its answer, by brute force.

Sensitivity is a property of a query, not of the data: the largest change over *all* pairs of
neighbours. Proofs are short but easily wrong; over a small universe of records all pairs can
be tried, and the worst one be looked at.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._arguments import check_choice, check_number
from .._typing import FloatArray

LARGEST_ENUMERATION = 1_000_000

# Sizes of a change of several numbers, along the last axis.
MEASURES: dict[float, Callable[[FloatArray], FloatArray]] = {
    1: lambda change: np.abs(change).sum(axis=-1),
    2: lambda change: np.sqrt(np.square(change).sum(axis=-1)),
    math.inf: lambda change: np.abs(change).max(axis=-1, initial=0.0),
}


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How far one individual can move an answer, and where that happens.

    Attributes
    ----------
    value : float
        Largest change of the answer between neighbours; smaller needs less noise.
    data, neighbour : array, tuple or DataFrame
        A pair of neighbours that attains it, as the query saw them.
    answer, neighbour_answer : float or array
        What the query says of them.
    neighbours : str
        "add/remove" or "replace".
    norm : float
        How the change of several numbers is measured: 1, 2 or infinity.
    data_sets : int
        How many data sets were tried.
    """

    value: float
    data: Any
    neighbour: Any
    answer: Any
    neighbour_answer: Any
    neighbours: str
    norm: float
    data_sets: int

    @property
    def table(self) -> pd.DataFrame:
        """The pair, one below the other: records and answer."""
        records = [np.asarray(records).tolist() for records in (self.data, self.neighbour)]
        answers = [self.answer, self.neighbour_answer]
        return pd.DataFrame(
            {"records": records, "answer": answers}, index=["data", "neighbour"]
        )


def sensitivity_by_brute_force(
    query: Callable[[Any], Any],
    universe: Any,
    n: int,
    *,
    neighbours: str = "add/remove",
    norm: float = 1,
) -> Sensitivity:
    r"""Largest change of an answer between neighbours, by trying all of them.

    :math:`\Delta f = \max_{D \sim D'} \lVert f(D) - f(D') \rVert` over all data sets D of n
    records from a universe. D' is D without one of its records ("add/remove"), so that the
    pair has n and n - 1 records, or D with one record changed into another ("replace"), so
    that both have n.

    Parameters
    ----------
    query : callable
        Takes the records of one data set, in their order, and returns a number or an array of
        them, of the same shape for every data set; a Series or DataFrame has the same labels
        for every data set, in any order. It is asked about n - 1 records, too: none at all,
        for n = 1.
    universe : array-like, DataFrame or sequence
        The possible records. The query gets them as they come here: rows of a DataFrame as a
        DataFrame, of an array as an array, numbers of a list as an array, any other list as a
        tuple.
    n : int
        Records in the larger data set.
    neighbours : {"add/remove", "replace"}
        What makes two data sets neighbours.
    norm : {1, 2, inf}
        Measure of the change of several numbers: 1 (sum of absolute changes) for Laplace and
        discrete Laplace noise, 2 (Euclidean) for Gaussian noise, infinity for the largest.

    Returns
    -------
    Sensitivity
        Its `value`, in the unit of the answer, and a pair that attains it. It holds for this
        universe and this n: an answer that is divided by n, such as a mean, is moved further
        in smaller data sets.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.1.

    Examples
    --------
    >>> round(sensitivity_by_brute_force(np.mean, range(5), 3).value, 4)
    1.3333
    >>> sensitivity_by_brute_force(np.max, range(5), 3, neighbours="replace").table
                 records  answer
    data       [4, 0, 0]     4.0
    neighbour  [0, 0, 0]     0.0
    """
    check_choice(neighbours, "neighbours", ("add/remove", "replace"))
    if norm not in MEASURES:
        raise ValueError(f"norm must be 1, 2 or math.inf; got {norm!r:.80}.")
    possible, size = _records_of(universe), MEASURES[norm]
    k = len(possible)
    check_number(n, "n", "[1, 1e6]", "records of the larger data set", whole=True)
    if n * math.log(k) > math.log(LARGEST_ENUMERATION) + 1e-9:
        raise ValueError(
            f"{k} possible records in data sets of n = {n} make {k}**{n} data sets, above the"
            f" limit of {LARGEST_ENUMERATION:,}; take a coarser universe or a smaller n."
        )
    labels: list[Any] = []  # the first answer, if it has labels

    def asked(length: int) -> list[FloatArray]:
        """Answers for all data sets of some length, in the order of their numbers."""
        sets = itertools.product(range(k), repeat=length)
        with warnings.catch_warnings():  # of what has no mean: the answer is refused
            warnings.simplefilter("ignore", RuntimeWarning)
            shown = tqdm(sets, total=k**length, desc="data sets", delay=1, leave=False)
            return [_answer(query, _data_set(possible, at), labels) for at in shown]

    length = n if neighbours == "replace" else n - 1
    answers = _stacked(asked(n) + (asked(n - 1) if length < n else []))
    answers, others = answers[: k**n], answers[k**n :] if length < n else answers
    worst = _replacements if neighbours == "replace" else _removals
    change, data, neighbour = max(
        (pair for place in range(n) for pair in worst(answers, others, k, n, place, size)),
        key=lambda pair: pair[0],
    )
    pair = [
        _data_set(possible, [number // k**i % k for i in reversed(range(records))])
        for number, records in ((data, n), (neighbour, length))
    ]
    answer, other = (
        end.item() if end.ndim == 0 else end for end in (answers[data], others[neighbour])
    )
    tried = k**n + (k**length if length < n else 0)
    return Sensitivity(change, pair[0], pair[1], answer, other, neighbours, norm, tried)


def _records_of(universe: Any) -> Any:
    """Return the possible records: a DataFrame or array with a row per record, or a list."""
    if isinstance(universe, pd.Series):
        universe = universe.to_numpy()
    elif not isinstance(universe, (pd.DataFrame, np.ndarray)):
        records = list(universe)
        numeric = all(isinstance(record, (int, float, np.number)) for record in records)
        universe = np.array(records) if numeric else records
    if len(universe) == 0:
        raise ValueError("universe must hold at least one possible record; got none.")
    return universe


def _data_set(possible: Any, at: Any) -> Any:
    """Records at some positions of the universe."""
    places = list(at)
    if isinstance(possible, pd.DataFrame):
        return possible.iloc[places].reset_index(drop=True)
    if isinstance(possible, list):
        return tuple(possible[i] for i in places)
    return possible[np.array(places, dtype=np.intp)]


def _answer(query: Callable[[Any], Any], data: Any, labels: list[Any]) -> FloatArray:
    """Answer about one data set: finite numbers, in the order of the first labels."""
    answer = query(data)
    if isinstance(answer, (pd.Series, pd.DataFrame)):
        labels.extend([] if labels else [answer])
        pairs = list(zip(answer.axes, labels[0].axes, strict=True))
        if not all(own.is_unique and set(own) == set(names) for own, names in pairs):
            raise ValueError(
                f"query must answer with the same labels, whatever the records; for"
                f" {data!r:.80} they are others. Count over all values that are possible:"
                f" answer.reindex(possible, fill_value=0)."
            )
        answer = answer.reindex_like(labels[0])
    numbers = np.asarray(answer)
    known = numbers.dtype.kind in "biuf" and np.isfinite(numbers.astype(float)).all()
    if not known or (np.abs(numbers.astype(float)) >= 2**53).any():
        raise ValueError(
            f"query must answer with finite numbers, up to 2**53; for the records {data!r:.80}"
            f" it said {answer!r:.80}. Define the query for such records, take a larger n, or"
            f" answer in a coarser unit."
        )
    return numbers.astype(float)


def _stacked(answers: list[FloatArray]) -> FloatArray:
    """Return answers as one array, if they all have one shape."""
    shapes = sorted({answer.shape for answer in answers})
    if len(shapes) > 1:
        raise ValueError(
            f"query must answer in one shape, whatever the records; it gave {shapes}. Count"
            f" over all values that are possible."
        )
    return np.array(answers)


Pairs = Iterator[tuple[float, int, int]]
"""Change of the answer, number of a data set, and of its neighbour."""


def _removals(answers: Any, fewer: Any, k: int, n: int, place: int, size: Any) -> Pairs:
    """Give the worst pair that differs by the record at some place."""
    before, after = k**place, k ** (n - place - 1)
    change = size(answers.reshape(before, k, after, -1) - fewer.reshape(before, 1, after, -1))
    left, record, right = map(int, np.unravel_index(change.argmax(), change.shape))
    data, without = (left * k + record) * after + right, left * after + right
    yield float(change.max()), data, without


def _replacements(answers: Any, _: Any, k: int, n: int, place: int, size: Any) -> Pairs:
    """Give the worst pairs that have different records at some place."""
    after = k ** (n - place - 1)
    cells = answers.reshape(k**place, k, after, -1)

    def number(left: int, record: int, right: int) -> int:
        return int((left * k + record) * after + right)

    if cells.shape[-1] == 1:  # of single numbers, the largest and the smallest
        change = np.ptp(cells[..., 0], axis=1)
        left, right = np.unravel_index(change.argmax(), change.shape)
        column = cells[left, :, right, 0]
        data, neighbour = column.argmax(), column.argmin()
        yield float(change.max()), number(left, data, right), number(left, neighbour, right)
        return
    yield 0.0, 0, 0
    for record in range(k - 1):
        change = size(cells[:, [record]] - cells[:, record + 1 :])
        left, other, right = np.unravel_index(change.argmax(), change.shape)
        pair = number(left, record, right), number(left, record + 1 + other, right)
        yield float(change.max()), *pair
