"""Domain of a histogram: the codes that are possible, whether they occur or not.

A histogram over several columns counts *combined codes*: the columns' values, zero-filled to a
public width and written one after the other. They are those of PrivacyHistos (J. King, 2021):
a categorical combination starts with a 1, a numeric value has the code 10 for 0, and one more
for each bin.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..._validation import check_whole, listed
from .._validation import Whole
from ._validation import MOST_DIGITS, is_integer

__all__ = ["CombinedDomain", "DomainCodes", "Part"]


@dataclass(frozen=True, eq=False)
class DomainCodes:
    """Possible codes of a column, ascending: a list, or a range that is never written out."""

    codes: range | Whole
    other: int | None = None
    """Code that stands for all values outside; without one, the nearest code does."""

    def __len__(self) -> int:
        """Number of codes."""
        return len(self.codes)

    @property
    def last(self) -> int:
        """The largest code, which sets the width."""
        return int(self.codes[-1])

    def at(self, places: Whole) -> Whole:
        """Codes at places 0, 1, ..."""
        if isinstance(self.codes, range):
            return self.codes.start + self.codes.step * places
        return self.codes[places]

    def find(self, codes: Whole) -> Whole:
        """Place of each code, -1 if it is none."""
        places = self._nearest_places(codes)
        return np.where(self.at(places) == codes, places, -1)

    def nearest(self, values: Whole) -> Whole:
        """The values that are codes; for others, `other` or else the nearest code."""
        codes = self.at(self._nearest_places(values))
        return codes if self.other is None else np.where(codes == values, codes, self.other)

    def _nearest_places(self, values: Whole) -> Whole:
        values = np.clip(values, int(self.codes[0]), self.last)
        if isinstance(self.codes, range):
            return (values - self.codes.start + (self.codes.step - 1) // 2) // self.codes.step
        above = np.searchsorted(self.codes, values)
        below = np.maximum(above - 1, 0)
        lower = values - self.codes[below] <= self.codes[above] - values
        return np.where(lower, below, above)

    def same(self, other: DomainCodes) -> bool:
        """Whether both are the same codes; ranges are compared without writing them out."""
        ranges = [isinstance(codes, range) for codes in (self.codes, other.codes)]
        if self.other != other.other or ranges[0] != ranges[1]:
            return False
        if ranges[0]:
            return self.codes == other.codes
        return np.array_equal(self.codes, other.codes)


@dataclass(frozen=True, eq=False)
class Part:
    """The digits that one column has in a combined code."""

    column: str
    codes: DomainCodes
    """Possible codes, ascending."""
    width: int
    """Digits."""
    bins: tuple[int, int, int] | None = None
    """Top, increment and maximum of a numeric column."""

    def encode(self, values: Whole) -> Whole:
        """Codes of values; what is outside the domain is moved into it."""
        if self.bins is None:
            return self.codes.nearest(values)
        top, increment, _ = self.bins
        # 0 is a bin of its own, then (0, increment], ..., and all that is above top.
        place = -(-np.clip(values, 0, top + 1) // increment)
        return self.codes.at(np.where(values > top, len(self.codes) - 1, place))

    def bounds(self, places: Whole) -> tuple[Whole, Whole]:
        """Smallest and largest value of each code, given by its place in the domain."""
        if self.bins is None:
            codes = self.codes.at(places)
            return codes, codes
        top, increment, largest = self.bins
        upper = places * increment
        lower = np.maximum(upper - increment + 1, 0)
        above = places == len(self.codes) - 1
        return np.where(above, top + 1, lower), np.where(above, largest, upper)


@dataclass(frozen=True, eq=False)
class CombinedDomain:
    """All codes that a combination can have, whether they occur or not.

    They are never listed unless asked for: a cell is a number from 0 to `size` - 1.
    """

    name: str
    """Name of the combination."""
    parts: tuple[Part, ...]
    """Digits of each column, from the left."""
    prefix: int = 0
    """1 in front of categorical codes, so that none starts with a 0."""

    @property
    def columns(self) -> list[str]:
        """The columns that are combined."""
        return [part.column for part in self.parts]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of codes of each column."""
        return tuple(len(part.codes) for part in self.parts)

    @property
    def size(self) -> int:
        """Number of cells, occupied or not."""
        return math.prod(self.shape)

    @property
    def digits(self) -> int:
        """Digits of a code."""
        return sum(part.width for part in self.parts) + self.prefix

    def encode(self, table: pd.DataFrame) -> Whole:
        """Combined code of each row."""
        parts = [part.encode(whole_numbers(table[part.column])) for part in self.parts]
        return self._joined(parts, len(table))

    def codes(self, cells: Whole) -> Whole:
        """Combined code of each cell; they ascend together."""
        return self._joined([p.codes.at(at) for p, at in self._split(cells)], len(cells))

    def find(self, codes: Whole) -> Whole:
        """Cell of each code, -1 for a code that is not in the domain."""
        # The last column's digits come off first; a cell counts in the mixed radix of `shape`.
        left, inside = codes.copy(), np.ones(len(codes), bool)
        cells, stride = np.zeros(len(codes), np.int64), 1
        for part in reversed(self.parts):
            left, digits = np.divmod(left, 10**part.width)
            place = part.codes.find(digits)
            inside &= place >= 0
            cells += place * stride
            stride *= len(part.codes)
        return np.where(inside & (left == self.prefix), cells, -1)

    def places(self, cells: Whole) -> dict[str, Whole]:
        """Place of each cell among the codes of each column."""
        return {part.column: places for part, places in self._split(cells)}

    def values(self, cells: Whole, rng: np.random.Generator | None = None) -> dict[str, Whole]:
        """Values of each column: one of each numeric bin at random, or its middle."""
        return {part.column: between(*part.bounds(at), rng) for part, at in self._split(cells)}

    def same(self, other: CombinedDomain) -> bool:
        """Whether codes and bins of each column are the same."""
        return len(self.parts) == len(other.parts) and all(
            one.codes.same(two.codes) and one.bins == two.bins
            for one, two in zip(self.parts, other.parts, strict=True)
        )

    def _split(self, cells: Whole) -> list[tuple[Part, Whole]]:
        return list(zip(self.parts, np.unravel_index(cells, self.shape), strict=True))

    def _joined(self, parts: list[Whole], n: int) -> Whole:
        codes = np.full(n, self.prefix, np.int64)
        for part, digits in zip(self.parts, parts, strict=True):
            codes = codes * 10**part.width + digits
        return codes

    def __repr__(self) -> str:
        """Name, columns and number of cells."""
        return f"CombinedDomain({self.name!r} of {self.columns}: {self.size:,} cells)"


# Codes as they are declared


def numeric_codes(bins: Sequence[int]) -> range:
    """Codes of a numeric column: one for 0, one per increment up to top, and one above.

    All have the same number of digits, two if that is enough, and none starts with a 0.
    """
    number, width = bins[0] // bins[1] + 2, 2
    while number > 9 * 10 ** (width - 1):
        width += 1
    return range(10 ** (width - 1), 10 ** (width - 1) + number)


def numeric_part(column: str, bins: tuple[int, int, int]) -> Part:
    """Digits of a numeric column."""
    codes = DomainCodes(numeric_codes(bins))
    return Part(column, codes, len(str(codes.last)), bins)


def declared_codes(entry: Any, name: Any) -> DomainCodes:
    """Read the codes of a column from the argument `domain`."""
    if not isinstance(name, str) or name[-2:] != "_c":
        raise ValueError(
            f"domain: {name!r} is no categorical (_c) column; the codes of numeric ones follow"
            f" from num_dict."
        )
    other = None
    if isinstance(entry, Mapping):
        if not {"codes"} <= set(entry) <= {"codes", "other"}:
            raise ValueError(
                f"domain: {name!r} as a dictionary must have 'codes' and 'other'; got"
                f" {listed(entry)}."
            )
        entry, other = entry["codes"], entry.get("other")
    codes = code_list(entry, f"domain: {name!r}")
    if other is not None:
        other = check_whole(other, f"domain: {name!r}: other", 0, 10**18 - 1, "a code")
        if other not in codes:
            codes = np.sort(np.append(np.asarray(codes, dtype=np.int64), other))
    return DomainCodes(codes, other)


def code_list(entry: Any, argument: str) -> range | Whole:
    """Return codes in ascending order, a range as a range."""
    if isinstance(entry, (str, bytes, Mapping)) or not isinstance(entry, Collection):
        raise TypeError(
            f"{argument} must be a range or a list of codes, such as range(24); got"
            f" {entry!r:.80}."
        )
    if isinstance(entry, range):
        codes: Any = entry if entry.step > 0 else entry[::-1]
        ends = [codes[0], codes[-1]] if len(codes) else []
    else:
        ends = codes = entry.tolist() if isinstance(entry, np.ndarray) else list(entry)
    odd = [code for code in ends if not is_integer(code)]
    if odd:
        raise TypeError(f"{argument} must hold whole numbers; got {listed(odd)}.")
    if not len(ends) or not 0 <= min(ends) <= max(ends) < 10**MOST_DIGITS:
        came = f"{min(ends)} to {max(ends)}" if len(ends) else "none"
        raise ValueError(
            f"{argument} must hold codes of at least 0 and up to {MOST_DIGITS} digits; got"
            f" {came}."
        )
    if isinstance(codes, range):
        return codes
    if len(set(codes)) < len(codes):
        raise ValueError(f"{argument} lists a code twice; list it once.")
    return np.sort(np.array(codes, dtype=np.int64))


def between(lower: Whole, upper: Whole, rng: np.random.Generator | None) -> Whole:
    """One value from each range, all equally likely; the middle one without `rng`."""
    if rng is None:
        return (lower + upper) // 2
    return rng.integers(lower, upper, endpoint=True)


def whole_numbers(column: pd.Series) -> Whole:
    """Cells as 64-bit integers; a missing one is -1, outside of every domain."""
    if pd.api.types.is_unsigned_integer_dtype(column.dtype):
        column = column.clip(upper=2**62)
    return column.to_numpy(np.int64, na_value=-1)
