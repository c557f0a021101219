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

from .._typing import FloatArray
from .._validation import check_choice, check_whole

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
    check_whole(n, "n", 1, 10**6, "the records in the larger data set")
    if n * math.log(k) > math.log(LARGEST_ENUMERATION) + 1e-9:
        raise ValueError(
            f"{k} possible records in data sets of n = {n} make {k}**{n} data sets, above the"
            f" limit of {LARGEST_ENUMERATION:,}; take a coarser universe or a smaller n."
        )
    first: list[pd.Index] = []  # labels of the first answer

    def asked(length: int) -> FloatArray:
        """Answers for all data sets of some length, in the order of their numbers."""
        sets = itertools.product(range(k), repeat=length)
        with warnings.catch_warnings():  # of what has no mean: the answer is refused
            warnings.simplefilter("ignore", RuntimeWarning)
            shown = tqdm(sets, total=k**length, desc="data sets", delay=1, leave=False)
            return _stacked([_answer(query, _data_set(possible, at), first) for at in shown])

    answers = asked(n)
    if neighbours == "replace":
        length, others, pairs = n, answers, _replacements(answers, k, n, size)
    else:
        length, others = n - 1, asked(n - 1)
        _stacked([answers[0], others[0]])
        pairs = _removals(answers, others, k, n, size)
    change, data, neighbour = max(pairs, key=lambda pair: pair[0])
    numbered = ((data, n), (neighbour, length))  # positions are digits in base k
    pair = [
        _data_set(possible, [number // k ** (size - 1 - i) % k for i in range(size)])
        for number, size in numbered
    ]
    answer, other = (
        end.item() if end.ndim == 0 else end for end in (answers[data], others[neighbour])
    )
    tried = len(answers) + len(others) * (others is not answers)
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


def _answer(query: Callable[[Any], Any], data: Any, first: list[pd.Index]) -> FloatArray:
    """Answer about one data set: finite numbers, in the order of the first labels."""
    answer = query(data)
    if isinstance(answer, (pd.Series, pd.DataFrame)):
        first.extend([] if first else answer.axes)
        pairs = list(zip(answer.axes, first, strict=True))
        alike = all(own.is_unique and set(own) == set(labels) for own, labels in pairs)
        if not alike:
            raise ValueError(
                f"query must answer with the same labels, whatever the records; for"
                f" {data!r:.80} they are others. Count over all values that are possible:"
                f" answer.reindex(possible, fill_value=0)."
            )
        answer = np.asarray(answer)[np.ix_(*(own.get_indexer(labs) for own, labs in pairs))]
    numbers = np.asarray(answer)
    if numbers.dtype.kind not in "biuf":
        raise TypeError(
            f"query must answer with a number or an array of them; for the records"
            f" {data!r:.80} it said {answer!r:.80}."
        )
    large = numbers.dtype.kind in "iu" and (np.abs(numbers.astype(float)) >= 2**53).any()
    if large or np.ma.is_masked(answer) or not np.isfinite(numbers).all():
        raise ValueError(
            f"query must answer with finite numbers, whole ones up to 2**53; for the records"
            f" {data!r:.80} it said {answer!r:.80}. Define the query for such records, take a"
            f" larger n, or answer in a coarser unit."
        )
    return numbers.astype(float)


def _stacked(answers: list[FloatArray]) -> FloatArray:
    """Return answers as one array, if they all have one shape."""
    if len({answer.shape for answer in answers}) > 1:
        raise ValueError(
            f"query must answer in one shape, whatever the records; it gave"
            f" {sorted({answer.shape for answer in answers})}. Count over all values that are"
            f" possible."
        )
    return np.array(answers)


def _removals(
    answers: FloatArray, fewer: FloatArray, k: int, n: int, size: Any
) -> Iterator[tuple[float, int, int]]:
    """For each place in a data set, the worst pair that differs by the record there."""
    for place in range(n):
        before, after = k**place, k ** (n - place - 1)
        with_it = answers.reshape(before, k, after, -1)
        change = size(with_it - fewer.reshape(before, 1, after, -1))
        left, record, right = np.unravel_index(int(change.argmax()), change.shape)
        data, without = (left * k + record) * after + right, left * after + right
        yield float(change[left, record, right]), int(data), int(without)


def _replacements(
    answers: FloatArray, k: int, n: int, size: Any
) -> Iterator[tuple[float, int, int]]:
    """For each place in a data set, the worst pair that has different records there."""
    yield 0.0, 0, 0
    for place in range(n):
        after = k ** (n - place - 1)
        cells = answers.reshape(k**place, k, after, -1)
        worst: list[tuple[Any, ...]] = []  # change, place on both sides, the two records
        if cells.shape[-1] == 1:  # of single numbers, the largest and the smallest
            change = np.ptp(cells[..., 0], axis=1)
            left, right = np.unravel_index(int(change.argmax()), change.shape)
            column = cells[left, :, right, 0]
            worst.append((change[left, right], left, right, column.argmax(), column.argmin()))
        for record in range(k - 1 if cells.shape[-1] > 1 else 0):
            change = size(cells[:, record : record + 1] - cells[:, record + 1 :])
            left, other, right = np.unravel_index(int(change.argmax()), change.shape)
            most = change[left, other, right]
            worst.append((most, left, right, record, record + 1 + other))
        for most, left, right, *pair in worst:
            data, neighbour = ((left * k + record) * after + right for record in pair)
            yield float(most), int(data), int(neighbour)
