"""Which side of vectors speaks for the data? A score that a logistic regression learns.

The regression is additive: of each output it learns a curve of straight pieces, with jumps at
values and labels that occur often. So it sees shifts, spreads, and what one output tells that
another does not; the logarithm of the likelihood ratio of Laplace noise is such a curve.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .audit_outputs import Codes, Floats, Outputs

__all__ = ["Score", "learn_score"]

PIECES = 8
"""Straight pieces of each curve; fewer, as jumps, where there are many outputs."""
REACH = 8
"""Curves are flat beyond so many interquartile ranges from the median."""
MOST_FEATURES = 200
MOST_CELLS = 4_000_000
"""Rows times features from which a score is learned."""
JUMPS = 3
"""Values, and labels, of one output at which its curve may jump."""
LEAST_SHARE = 0.01
"""Share of the pooled releases that such a value must have."""


@dataclass(frozen=True, eq=False)
class Score:
    """Sum of one curve per output; large for the data, small for the neighbour."""

    knots: tuple[Floats, ...]
    heights: tuple[Floats, ...]
    """The curve of each output; empty where it has none."""
    numbers: tuple[tuple[int, float, float], ...]
    """Position, number, and what a release that has it there adds."""
    codes: tuple[tuple[int, int, float], ...]
    """Position, code of a label, and what it adds."""

    def __call__(self, outputs: Outputs) -> Floats:
        """Score each release."""
        score = np.zeros(len(outputs.numbers))
        for j, (knots, heights) in enumerate(zip(self.knots, self.heights, strict=True)):
            if len(knots):
                curve = np.interp(outputs.numbers[:, j], knots, heights)
                score += np.nan_to_num(curve, copy=False)
        for j, number, weight in self.numbers:
            score += weight * _is(outputs.numbers[:, j], number)
        for j, code, weight in self.codes if outputs.codes is not None else ():
            score += weight * (_codes(outputs, j) == code)
        return score

    def words(self, relation: str, value: float) -> str:
        """Name the score."""
        return f"logistic score of the outputs {relation} {value:.6g}"


class _Part(NamedTuple):
    """What is looked at in one output."""

    position: int
    knots: Floats
    numbers: Floats
    codes: Codes

    @property
    def slopes(self) -> int:
        return max(len(self.knots) - 1, 0)

    @property
    def width(self) -> int:
        return self.slopes + len(self.numbers) + len(self.codes)


def learn_score(data: Outputs, neighbour: Outputs) -> Score | None:
    """Fit a regression that tells the two apart; None if nothing varies."""
    # scikit-learn takes a second to import, and only vectors need it; it brings threadpoolctl.
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    outputs = data.numbers.shape[1]
    pieces = int(np.clip(MOST_FEATURES // (2 * outputs), 1, PIECES))
    jumps = min(MOST_FEATURES // (4 * outputs), JUMPS)
    parts = [_part(data, neighbour, j, pieces, jumps) for j in range(outputs)]
    width = sum(part.width for part in parts)
    if not width:
        return None
    rows = slice(max(MOST_CELLS // (2 * width), 10))
    sides = [side.part(rows) for side in (data, neighbour)]
    features = np.concatenate([_features(side, parts) for side in sides])
    truth = np.repeat([1, 0], [len(side.numbers) for side in sides])
    solver = "newton-cholesky" if width <= MOST_FEATURES else "lbfgs"
    # A score short of the best is still a statistic. Threads would wait longer than they work.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        model = LogisticRegression(solver=solver, tol=1e-3, max_iter=100).fit(features, truth)
    return _score(parts, model.coef_[0])


def _part(
    data: Outputs, neighbour: Outputs, position: int, pieces: int, most_jumps: int
) -> _Part:
    """Choose knots, numbers and labels from the pooled releases."""
    pool = np.concatenate([side.numbers[:, position] for side in (data, neighbour)])
    codes = np.concatenate([_codes(side, position) for side in (data, neighbour)])
    least = LEAST_SHARE * len(pool)
    missing = np.isnan(pool)
    values, counts = np.unique(pool[~missing], return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:most_jumps]
    jumps = values[frequent[counts[frequent] > least]]
    if least < np.count_nonzero(missing) and not missing.all():
        jumps = np.append(jumps, math.nan)
    named, counts = np.unique(codes, return_counts=True)
    often = named[np.argsort(-counts, kind="stable")][: most_jumps + 1]
    return _Part(position, _knots(pool[np.isfinite(pool)], pieces), jumps, often[often >= 0])


@np.errstate(over="ignore", invalid="ignore")
def _knots(pool: Floats, pieces: int) -> Floats:
    """Ends of the pieces: the middle in equal shares, the tails as far as numbers reach."""
    if not len(pool):
        return pool
    low, middle, high = np.quantile(pool, [0.25, 0.5, 0.75])
    reach = REACH * (high - low) or np.inf
    ends = np.clip([middle - reach, middle + reach], pool.min(), pool.max())
    inner = np.quantile(pool, np.linspace(0, 1, pieces + 1)[1:-1])
    knots = np.unique(np.clip(np.concatenate([ends, inner]), *ends))
    # Numbers whose distance no float holds have no slope.
    return knots if len(knots) > 1 and np.isfinite(knots[-1] - knots[0]) else knots[:0]


def _features(outputs: Outputs, parts: list[_Part]) -> Floats:
    """How far each output is along each piece, and whether it is at each jump."""
    columns: list[npt.NDArray[np.generic]] = []
    for part in parts:
        numbers = outputs.numbers[:, part.position]
        for low, high in zip(part.knots[:-1], part.knots[1:], strict=True):
            along = (np.clip(numbers, low, high) - low) / _unit(part)
            columns.append(np.nan_to_num(along, copy=False))
        columns += [_is(numbers, number) for number in part.numbers]
        columns += [_codes(outputs, part.position) == code for code in part.codes]
    return np.column_stack(columns).astype(float, copy=False)


def _unit(part: _Part) -> float:
    """Unit in which the pieces of one output are measured."""
    return float(part.knots[-1] - part.knots[0]) / REACH


def _score(parts: list[_Part], weights: Floats) -> Score:
    """Add the slopes up to curves."""
    ends = np.cumsum([part.width for part in parts])
    heights, numbers, codes = [], [], []
    for part, own in zip(parts, np.split(weights, ends[:-1]), strict=True):
        slopes, rest = np.split(own, [part.slopes])
        climbs = slopes * np.diff(part.knots) / _unit(part) if part.slopes else slopes
        heights.append(np.cumsum(np.append(0, climbs)) if part.slopes else climbs)
        jumps, named = np.split(rest, [len(part.numbers)])
        place = [part.position] * len(own)
        numbers += list(zip(place, part.numbers.tolist(), jumps.tolist(), strict=False))
        codes += list(zip(place, part.codes.tolist(), named.tolist(), strict=False))
    knots = tuple(part.knots for part in parts)
    return Score(knots, tuple(heights), tuple(numbers), tuple(codes))


def _is(numbers: Floats, number: float) -> npt.NDArray[np.bool_]:
    """Mark a number; NaN is itself."""
    return np.isnan(numbers) if math.isnan(number) else numbers == number


def _codes(outputs: Outputs, position: int) -> Codes:
    """Codes of the labels of one output, -1 for numbers."""
    if outputs.codes is None:
        return np.full(len(outputs.numbers), -1)
    return outputs.codes[:, position]
