"""Sensitivity of a query by brute force: the largest change by one individual.

Sensitivity is a property of a query, not of the data: the largest change over *all* pairs of
neighbours. Proofs are short but error-prone. Over a small universe of records, this module
tries all pairs and returns the worst.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._arguments import check_choice, check_number
from .._typing import FloatArray

LARGEST_ENUMERATION = 1_000_000

# Norms of a change of several numbers, along the last axis.
MEASURES: dict[float, Callable[[FloatArray], FloatArray]] = {
    1: lambda change: np.abs(change).sum(axis=-1),
    2: lambda change: np.sqrt(np.square(change).sum(axis=-1)),
    math.inf: lambda change: np.abs(change).max(axis=-1, initial=0.0),
}


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Largest change of an answer by one individual, and neighbours that attain it.

    Attributes
    ----------
    value : float
        Largest change of the answer between neighbours; smaller needs less noise.
    data, neighbour : array, tuple or DataFrame
        A pair of neighbours that attains the value, as the query received them.
    answer, neighbour_answer : float or array
        Answers of the query for the pair.
    """

    value: float
    data: Any
    neighbour: Any
    answer: Any
    neighbour_answer: Any


def sensitivity_by_brute_force(
    query: Callable[[Any], Any],
    universe: Any,
    n: int,
    *,
    neighbours: str = "add/remove",
    norm: float = 1,
) -> Sensitivity:
    r"""Largest change of an answer between neighbours, by trying all pairs.

    :math:`\Delta f = \max_{D \sim D'} \lVert f(D) - f(D') \rVert` over all data sets D of n
    records from a universe. D' is D without one of its records ("add/remove"), so that the
    pair has n and n - 1 records, or D with one record changed into another ("replace"), so
    that both have n.

    Parameters
    ----------
    query : callable
        Takes the records of one data set, in order, and returns a number or an array of
        numbers, of the same shape for every data set. A Series or DataFrame needs the same
        labels for every data set, in any order. With "add/remove" the query is also called
        with n - 1 records: with none for n = 1.
    universe : array-like, DataFrame or sequence
        The possible records. The query gets records in a matching form: rows of a DataFrame as
        a DataFrame, rows of an array as an array, numbers of a list as an array, and any other
        list as a tuple.
    n : int
        Records in the larger data set.
    neighbours : {"add/remove", "replace"}
        What makes two data sets neighbours.
    norm : {1, 2, inf}
        Measure of the change of several numbers: 1 (sum of absolute changes) for Laplace and
        discrete Laplace noise, 2 (Euclidean) for Gaussian noise, infinity for the largest
        absolute change.

    Returns
    -------
    Sensitivity
        Its `value`, in the unit of the answer, and a pair that attains it. It holds for this
        universe and this n: an answer that is divided by n, such as a mean, changes more in
        smaller data sets.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       definition 3.1.

    Examples
    --------
    >>> round(sensitivity_by_brute_force(np.mean, range(5), 3).value, 4)
    1.3333
    >>> found = sensitivity_by_brute_force(np.max, range(5), 3, neighbours="replace")
    >>> found.data, found.neighbour, found.value
    (array([4, 0, 0]), array([0, 0, 0]), 4.0)
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
    replace, first = neighbours == "replace", list[Any]()

    def asked(length: int) -> list[FloatArray]:
        """Answers for all data sets of a given length, in the order of their numbers."""
        sets = itertools.product(range(k), repeat=length)
        with warnings.catch_warnings():  # such as the mean of no records; `_answer` refuses it
            warnings.simplefilter("ignore", RuntimeWarning)
            shown = tqdm(sets, total=k**length, desc="data sets", delay=1, leave=False)
            return [_answer(query, _data_set(possible, at), first) for at in shown]

    answers = asked(n)
    others = answers if replace else asked(n - 1)
    shapes = sorted({answer.shape for answer in answers + others})
    if len(shapes) > 1:
        raise ValueError(
            f"query must answer in one shape, whatever the records; it gave {shapes}. Count"
            f" over all values that are possible."
        )
    known, less = np.array(answers), np.array(others)
    places = [(k**place, k, k ** (n - 1 - place)) for place in range(n)]
    pairs = [_farthest(known, less, shape, size, replace) for shape in places]
    change, data, neighbour = max(pairs, key=lambda found: found[0])
    pair = [
        _data_set(possible, [number // k**i % k for i in reversed(range(records))])
        for number, records in ((data, n), (neighbour, n if replace else n - 1))
    ]
    said = (end.item() if end.ndim == 0 else end for end in (known[data], less[neighbour]))
    return Sensitivity(change, *pair, *said)


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


def _data_set(possible: Any, at: Sequence[int]) -> Any:
    """Records at some positions of the universe."""
    if isinstance(possible, pd.DataFrame):
        return possible.iloc[list(at)].reset_index(drop=True)
    if isinstance(possible, list):
        return tuple(possible[i] for i in at)
    return possible[np.array(at, dtype=np.intp)]


def _answer(query: Callable[[Any], Any], data: Any, first: list[Any]) -> FloatArray:
    """Answer about one data set: finite numbers, in the order of the first labels."""
    answer = query(data)
    if isinstance(answer, (pd.Series, pd.DataFrame)):
        first.extend([] if first else [answer])
        pairs = zip(answer.axes, first[0].axes, strict=True)
        if not all(own.is_unique and {*own} == {*names} for own, names in pairs):
            raise ValueError(
                f"query must answer with the same labels, whatever the records; for"
                f" {data!r:.80} they differ. Count over all values that are possible:"
                f" answer.reindex(possible, fill_value=0)."
            )
        answer = answer.reindex_like(first[0])
    numbers = np.asarray(answer)
    if numbers.dtype.kind not in "biuf" or not (np.abs(numbers.astype(float)) < 2**53).all():
        raise ValueError(
            f"query must answer with finite numbers, up to 2**53; for the records {data!r:.80}"
            f" it answered {answer!r:.80}. Define the query for such records, take a larger n,"
            f" or answer in a coarser unit."
        )
    return numbers.astype(float)


def _farthest(
    answers: FloatArray,
    others: FloatArray,
    shape: tuple[int, int, int],
    size: Any,
    replace: bool,
) -> tuple[float, int, int]:
    """Largest change at one position: the change, and the numbers of data set and neighbour.

    The records of a data set are the digits of its number: those before the position, the
    record at the position, and those after it.
    """
    before, k, after = shape
    cells = answers.reshape(before, k, after, -1)
    if not replace:
        rivals = [others.reshape(before, 1, after, -1)]
    elif cells.shape[-1] == 1:  # the smallest number is the farthest from the largest
        rivals = [cells.min(axis=1, keepdims=True)]
    else:
        rivals = [cells[:, [record]] for record in range(k)]
    worst = (-1.0, 0, 0)
    for rival in rivals:
        change = size(cells - rival)
        left, record, right = map(int, np.unravel_index(change.argmax(), change.shape))
        if change[left, record, right] > worst[0]:
            number, neighbour = (left * k + record) * after + right, left * after + right
            if replace:
                alike = (cells[left, :, right] == rival[left, 0, right]).all(axis=-1)
                neighbour = (left * k + int(alike.argmax())) * after + right
            worst = (float(change.max()), number, neighbour)
    return worst
