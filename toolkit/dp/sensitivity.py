"""Sensitivity of a query, the most that one individual can move its answer, by brute force.

Sensitivity is a property of a query, not of the data: the largest change over *all* pairs of
neighbours. Proofs are short but easily wrong; over a small universe of records all pairs can
be tried, and the worst one be looked at.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._typing import FloatArray
from .._validation import check_choice, check_whole, is_number
from .noise import is_rounded

Positions = tuple[int, ...]


Query = Callable[[Any], Any]


Maker = Callable[[Positions], Any]


Measure = Callable[[FloatArray], FloatArray]


Pair = tuple[float, int, int]
"""The change between two neighbours, and the numbers of their data sets."""


NEIGHBOURS = ("add/remove", "replace")


LARGEST_ENUMERATION = 1_000_000
"""Data sets that a brute-force search agrees to ask a query about."""


MEASURES: dict[float, Measure] = {
    1: lambda change: np.abs(change).sum(axis=-1),
    2: lambda change: np.sqrt(np.square(change).sum(axis=-1)),
    np.inf: lambda change: np.abs(change).max(axis=-1, initial=0.0),
}
"""Sizes of a change of several numbers, along the last axis."""


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
        records = [np.asarray(one).tolist() for one in (self.data, self.neighbour)]
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

    Raises
    ------
    TypeError, ValueError
        If there are more than a million data sets, or an answer is no number, not finite,
        changes its shape or labels, or is a whole number beyond 2**53, which a float may
        round.

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
    if not callable(query):
        raise TypeError(
            f"query must be a function of the records, such as numpy.mean; got {query!r:.80}."
        )
    check_choice(neighbours, "neighbours", NEIGHBOURS)
    if not is_number(norm) or norm not in MEASURES:
        raise ValueError(f"norm must be 1, 2 or math.inf; got {norm!r:.80}.")
    size, possible, query = MEASURES[float(norm)], _records_of(universe), _by_label(query)
    records = len(possible)
    n, make = _size_of(records, n), _maker(possible)
    answers = _ask(query, make, records, n)
    if neighbours == "replace":
        fewer, others, pairs = n, answers, _replacements(answers, records, n, size)
    else:
        fewer, others = n - 1, _ask(query, make, records, n - 1, answers[0].shape)
        pairs = _removals(answers, others, records, n, size)
    with np.errstate(over="ignore", invalid="ignore"):  # the change tells, and is refused
        change, data, neighbour = max(pairs, key=lambda pair: pair[0])
    if not math.isfinite(change):
        raise ValueError(
            f"query changes by more than a float can hold between neighbours; got {change}."
            f" Rescale its answer."
        )
    pair = make(_positions(data, records, n)), make(_positions(neighbour, records, fewer))
    ends = answers[data], others[neighbour]
    answer, other = (end.item() if end.ndim == 0 else end for end in ends)
    tried = len(answers) + len(others) * (others is not answers)
    return Sensitivity(change, *pair, answer, other, neighbours, norm, tried)


def _records_of(universe: Any) -> Any:
    """Return the possible records: a DataFrame or array with a row per record, or a list."""
    if isinstance(universe, (str, bytes, Mapping)) or not isinstance(universe, Iterable):
        raise TypeError(
            f"universe must list the possible records, such as range(5), or be a DataFrame"
            f" with a row for each; got {universe!r:.80}."
        )
    kept: Any = universe
    if isinstance(universe, pd.Series):
        kept = universe.to_numpy()
    elif not isinstance(universe, (pd.DataFrame, np.ndarray)):
        kept = list(universe)
    if np.ndim(kept) == 0 or len(kept) == 0:
        raise ValueError("universe must hold at least one possible record; got none.")
    return kept


def _size_of(records: int, n: Any) -> int:
    """Return the number of records in a data set, if all data sets can be listed."""
    size = check_whole(n, "n", 1, 10**6, "the records in the larger data set")
    if size * math.log(records) > math.log(LARGEST_ENUMERATION) + 1e-9:
        raise ValueError(
            f"{records} possible records in data sets of n = {n} make"
            f" {records}**{n} data sets, above the limit of {LARGEST_ENUMERATION:,}; take a"
            f" coarser universe or a smaller n."
        )
    return size


def _by_label(query: Query) -> Query:
    """Put what has labels into the order that the first answer has."""
    first: list[pd.Index] = []

    def ask(records: Any) -> Any:
        answer = query(records)
        if not isinstance(answer, (pd.Series, pd.DataFrame)):
            return answer
        first.extend([] if first else answer.axes)
        pairs = list(zip(answer.axes, first, strict=False))
        if all(own.equals(labels) for own, labels in pairs):
            return answer
        unique = all(own.is_unique and labels.is_unique for own, labels in pairs)
        if not unique or any(set(own) != set(labels) for own, labels in pairs):
            raise ValueError(
                f"query must answer with the same labels, whatever the records; for"
                f" {records!r:.80} they are others. Count over all values that are possible:"
                f" answer.reindex(possible, fill_value=0)."
            )
        places = [own.get_indexer(labels) for own, labels in pairs]
        return np.asarray(answer)[np.ix_(*places)]

    return ask


def _maker(universe: Any) -> Maker:
    """How records at some positions of the universe become a data set."""
    if isinstance(universe, pd.DataFrame):
        return lambda at: universe.iloc[list(at)].reset_index(drop=True)
    if isinstance(universe, list) and not all(isinstance(one, Real) for one in universe):
        return lambda at: tuple(universe[i] for i in at)
    rows = np.asarray(universe)
    if isinstance(universe, list) and rows.dtype.kind == "f":  # a mixture may be rounded
        own = np.asarray(universe, dtype=object)
        rows = rows if (rows == own).all() else own
    return lambda at: rows[np.array(at, dtype=np.intp)]


def _ask(
    query: Query, make: Maker, records: int, n: int, shape: tuple[int, ...] | None = None
) -> FloatArray:
    """Answer for every data set of n records, in the order of their numbers."""
    answers: list[FloatArray] = []
    sets = itertools.product(range(records), repeat=n)
    with warnings.catch_warnings():  # of what has no mean: the answer tells, and is refused
        warnings.simplefilter("ignore", RuntimeWarning)
        for at in tqdm(sets, total=records**n, desc="data sets", delay=1, leave=False):
            data = make(at)
            answers.append(_answer_of(query(data), data, shape))
            shape = answers[-1].shape
    return np.array(answers)


def _answer_of(answer: Any, records: Any, shape: tuple[int, ...] | None) -> FloatArray:
    """Return one answer of a query, of the same shape for all data sets."""
    try:
        cells = np.asarray(answer)
        kind = cells.dtype.kind
        if kind not in "biufO" or kind == "O" and not all(map(_is_answer, cells.ravel())):
            raise TypeError
        numbers = cells.astype(float)
    except (TypeError, ValueError):
        raise TypeError(
            f"query must answer with a number or an array of them; for the records"
            f" {records!r:.80} it said {answer!r:.80}."
        ) from None
    except OverflowError:  # an integer that no float holds
        numbers = np.array(math.inf)
    finite = bool(np.isfinite(numbers).all()) and not np.ma.is_masked(answer)
    if finite and is_rounded(answer, numbers):
        raise ValueError(
            f"query must answer with whole numbers up to 2**53; for the records"
            f" {records!r:.80} it said {answer!r:.80}, which a float may round, so that a"
            f" change of 1 is lost. Answer in a coarser unit, or less an amount that is"
            f" the same for all records."
        )
    if shape is not None and numbers.shape != shape:
        raise ValueError(
            f"query must answer in one shape, whatever the records; it gave {shape} and, for"
            f" {records!r:.80}, {numbers.shape}. Count over all values that are possible."
        )
    if not finite:
        raise ValueError(
            f"query must answer with finite numbers; for the records {records!r:.80} it said"
            f" {answer!r:.80}. Define the query for such records, or take a larger n."
        )
    return numbers


def _is_answer(cell: object) -> bool:
    """Whether a cell is a number, a truth value, or missing, which is told apart later."""
    return cell is None or isinstance(cell, (Real, Decimal, np.bool_))


def _removals(
    answers: FloatArray, fewer: FloatArray, records: int, n: int, size: Measure
) -> Iterator[Pair]:
    """For each place in a data set, the worst pair that differs by the record there."""
    for place in range(n):
        before, after = records**place, records ** (n - place - 1)
        cells = answers.reshape(before, records, after, -1)
        change = size(cells - fewer.reshape(before, 1, after, -1))
        worst = int(change.argmax())
        without = worst // (records * after) * after + worst % after
        yield float(change.flat[worst]), worst, without


def _replacements(answers: FloatArray, records: int, n: int, size: Measure) -> Iterator[Pair]:
    """For each place in a data set, the worst pair that has different records there."""
    yield 0.0, 0, 0
    for place in range(n):
        after = records ** (n - place - 1)
        cells = answers.reshape(records**place, records, after, -1)
        for change, one, other, rest in _farthest(cells, size):
            left, right = divmod(rest, after)
            data, neighbour = ((left * records + own) * after + right for own in (one, other))
            yield change, data, neighbour


def _farthest(cells: FloatArray, size: Measure) -> Iterator[tuple[float, int, int, int]]:
    """Two records that make the most of a difference, and the number of all the others."""
    if cells.shape[-1] == 1:  # of single numbers, the largest and the smallest
        numbers = cells[..., 0]
        change = np.ptp(numbers, axis=1)
        rest = int(change.argmax())
        high, low = numbers.argmax(axis=1).flat[rest], numbers.argmin(axis=1).flat[rest]
        yield float(change.flat[rest]), int(high), int(low), rest
        return
    for one in range(cells.shape[1] - 1):
        change = size(cells[:, one : one + 1] - cells[:, one + 1 :])
        before, other, after = np.unravel_index(int(change.argmax()), change.shape)
        rest = int(before) * cells.shape[2] + int(after)
        yield float(change[before, other, after]), one, one + 1 + int(other), rest


def _positions(number: int, records: int, n: int) -> Positions:
    """Records of a data set, from its number: the digits in a system of as many records."""
    return tuple(number // records ** (n - place - 1) % records for place in range(n))
