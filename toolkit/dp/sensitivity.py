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

from .._arguments import check_choice, check_number
from .._typing import FloatArray

MOST_DATA_SETS, MOST_PAIRS = 1_000_000, 1_000_000_000


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Largest change of an answer by one individual, and neighbours that attain it.

    Attributes
    ----------
    value : float
        Largest change of the answer between neighbours; smaller needs less noise.
    data, neighbour : array or DataFrame
        A pair of neighbours that attains the value, as the query received them.
    """

    value: float
    data: Any
    neighbour: Any


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
        numbers, of the same shape for every data set. With "add/remove" the query is also
        called with n - 1 records: with none for n = 1.
    universe : array-like or DataFrame
        The possible records. The query gets rows of a DataFrame as a DataFrame, and anything
        else as an array.
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
    if norm not in (1, 2, math.inf):
        raise ValueError(f"norm must be 1, 2 or math.inf; got {norm!r:.80}.")
    check_number(n, "n", "[1, 20]", "records of the larger data set", whole=True)
    if not isinstance(universe, (pd.DataFrame, np.ndarray)):
        universe = pd.Series(list(universe)).to_numpy()
    k, replace = len(universe), neighbours == "replace"
    if not 0 < k**n <= MOST_DATA_SETS or (replace and n * k ** (n + 1) > MOST_PAIRS):
        raise ValueError(
            f"universe: {k} possible records in data sets of n = {n} make {k**n:,} data sets;"
            f" there must be at least one, and at most {MOST_DATA_SETS:,} (or {MOST_PAIRS:,}"
            f" pairs). Take a coarser universe or a smaller n."
        )
    with warnings.catch_warnings():  # such as the mean of no records, refused by `_answers`
        warnings.simplefilter("ignore", RuntimeWarning)
        answers = _answers(query, universe, n)
        others = answers if replace else _answers(query, universe, n - 1)
    shapes = sorted({answer.shape for answer in answers + others})
    if len(shapes) > 1:
        raise ValueError(
            f"query must answer in one shape, whatever the records; it gave {shapes}. Count"
            f" over all values that are possible."
        )
    # An axis for each record of a data set, and one for the numbers of its answer.
    numbers = math.prod(shapes[0])
    known = np.reshape(answers, [k] * n + [numbers])
    less = known if replace else np.reshape(others, [k] * (n - 1) + [numbers])
    worst = -1.0, [0], [0]
    for place in range(n):
        for step in range(min(1, k - 1), k) if replace else [0]:
            rival = np.roll(known, -step, place) if replace else np.expand_dims(less, place)
            change = np.linalg.norm(known - rival, norm, axis=-1)
            if change.max() > worst[0]:
                data = [*map(int, np.unravel_index(change.argmax(), change.shape))]
                other = [(data[place] + step) % k] if replace else []
                worst = change.max().item(), data, data[:place] + other + data[place + 1 :]
    value, data, neighbour = worst
    return Sensitivity(value, _records(universe, data), _records(universe, neighbour))


def _records(universe: Any, positions: Sequence[int]) -> Any:
    """Records at some positions of the universe."""
    if isinstance(universe, pd.DataFrame):
        return universe.iloc[list(positions)].reset_index(drop=True)
    return universe[np.array(positions, dtype=np.intp)]


def _answers(query: Callable[[Any], Any], universe: Any, length: int) -> list[FloatArray]:
    """Answers for all data sets of a length, in the order of their records' positions."""
    answers = []
    for positions in itertools.product(range(len(universe)), repeat=length):
        data = _records(universe, positions)
        answer = query(data)
        numbers = np.asarray(answer)
        labelled = isinstance(answer, (pd.Series, pd.DataFrame))
        known = numbers.astype(float) if numbers.dtype.kind in "biuf" else np.array(math.nan)
        if labelled or not (np.abs(known) < 2**53).all():
            raise ValueError(
                f"query must return a finite number up to 2**53, or an array of them, not"
                f" a table with labels (answer.reindex(possible, fill_value=0).to_numpy()"
                f" has none); for the records {data!r:.80} it returned {answer!r:.80}."
            )
        answers.append(known)
    return answers
