"""How far can one individual move an answer? Sensitivity, by trying every small data set.

Sensitivity is a property of a query, not of the data: the largest change over *all* pairs of
neighbours. Proofs are short but easily wrong; over a small universe of records all pairs can
be tried, and the worst one be looked at.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._validation import check_choice
from ._validation import (
    Floats,
    check_enumeration,
    check_finite_change,
    check_norm,
    check_query,
    check_query_answer,
    check_universe,
)

__all__ = [
    "Sensitivity",
    "sensitivity_by_brute_force",
]


Positions = tuple[int, ...]


Measure = Callable[[Floats], Floats]


NEIGHBOURS = ("add/remove", "replace")


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
        them, of the same shape for every data set. It is asked about n - 1 records, too: none
        at all, for n = 1.
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
        geometric noise, 2 (Euclidean) for Gaussian noise, infinity for the largest of them.

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
        changes its shape, or is a whole number beyond 2**53, which a float may round.

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
    check_query(query)
    check_choice(neighbours, "neighbours", NEIGHBOURS)
    size = MEASURES[check_norm(norm)]
    records = check_universe(universe)
    n, make = check_enumeration(len(records), n), _maker(records)
    answers = _ask(query, make, len(records), n)
    if neighbours == "replace":
        others, pairs = answers, _replacements(answers, len(records), n, size)
    else:
        others = _ask(query, make, len(records), n - 1, answers[0].shape)
        pairs = _removals(answers, others, len(records), n, size)
    with np.errstate(over="ignore", invalid="ignore"):  # the change tells, and is refused
        change, data, neighbour = max(pairs, key=lambda pair: pair.change)
    return Sensitivity(
        value=check_finite_change(change),
        data=make(data),
        neighbour=make(neighbour),
        answer=_plain(answers[_number(data, len(records))]),
        neighbour_answer=_plain(others[_number(neighbour, len(records))]),
        neighbours=neighbours,
        norm=norm,
        data_sets=len(answers) + len(others) * (others is not answers),
    )


def _maker(universe: Any) -> Callable[[Positions], Any]:
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
    query: Callable[[Any], Any],
    make: Callable[[Positions], Any],
    records: int,
    n: int,
    shape: tuple[int, ...] | None = None,
) -> Floats:
    """Answer for every data set of n records, in the order of their numbers."""
    answers: list[Floats] = []
    sets = itertools.product(range(records), repeat=n)
    with warnings.catch_warnings():  # of what has no mean: the answer tells, and is refused
        warnings.simplefilter("ignore", RuntimeWarning)
        for at in tqdm(sets, total=records**n, desc="data sets", delay=1, leave=False):
            data = make(at)
            answers.append(check_query_answer(query(data), data, shape))
            shape = answers[-1].shape
    return np.array(answers)


class _Pair(NamedTuple):
    change: float
    data: Positions
    neighbour: Positions


def _removals(
    answers: Floats, fewer: Floats, records: int, n: int, size: Measure
) -> Iterator[_Pair]:
    """For each place in a data set, the worst pair that differs by the record there."""
    for place in range(n):
        before = records**place
        change = size(
            answers.reshape(before, records, len(fewer) // before, -1)
            - fewer.reshape(before, 1, len(fewer) // before, -1)
        )
        worst = int(change.argmax())
        data = _positions(worst, records, n)
        yield _Pair(float(change.flat[worst]), data, data[:place] + data[place + 1 :])


def _replacements(answers: Floats, records: int, n: int, size: Measure) -> Iterator[_Pair]:
    """For each place in a data set, the worst pair that has different records there."""
    same = _positions(0, records, n)
    yield _Pair(0.0, same, same)
    for place in range(n):
        cells = answers.reshape(records**place, records, records ** (n - place - 1), -1)
        for change, one, other, rest in _farthest(cells, size):
            at = _positions(rest, records, n - 1)
            yield _Pair(
                change,
                (*at[:place], one, *at[place:]),
                (*at[:place], other, *at[place:]),
            )


def _farthest(cells: Floats, size: Measure) -> Iterator[tuple[float, int, int, int]]:
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


def _number(positions: Positions, records: int) -> int:
    number = 0
    for position in positions:
        number = number * records + position
    return number


def _plain(answer: Floats) -> Any:
    return answer.item() if answer.ndim == 0 else answer
