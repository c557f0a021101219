"""Which codes are possible? The domain of a histogram, declared before the data are read.

A histogram over several columns counts *combined codes*: the columns' values, zero-filled to a
public width and written one after the other. Which codes are possible (the domain) is declared
beforehand. Read from the data, it would tell who is in them: a bin, or a digit more, that only
one person causes, gives that person away without a look at any count.

The codes are those of PrivacyHistos (J. King, 2021): a categorical combination starts with a
1, a numeric value has the code 10 for 0, and one more for each bin.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._validation import Whole
from ._validation import (
    MOST_DIGITS,
    check_code_list,
    check_declared,
    check_domain_name,
    check_ground_truth,
    check_same_domain,
    check_settings,
    check_table_settings,
    digits_of,
    numeric_codes,
)

__all__ = [
    "ColumnCodes",
    "CombinedDomain",
    "combined_domains",
    "domain_sizes",
    "infer_domain",
]


ATTRIBUTE = "private histograms"


"""Where a pre-processed table keeps its settings, among its `attrs`."""


# Domains


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

    def stored(self) -> dict[str, Any]:
        """The same in plain numbers."""
        if isinstance(self.codes, range):
            span = [self.codes.start, self.codes.stop, self.codes.step]
            return {"range": span, "other": self.other}
        return {"codes": self.codes.tolist(), "other": self.other}

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> DomainCodes:
        """Read what `stored` wrote."""
        if "range" in stored:
            return cls(range(*stored["range"]), stored["other"])
        return cls(np.array(stored["codes"], dtype=np.int64), stored["other"])


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

    def stored(self) -> list[dict[str, Any]]:
        """Codes of each column, to be compared."""
        return [part.codes.stored() | {"bins": part.bins} for part in self.parts]

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


class Settings(NamedTuple):
    """What is public about a table's histograms."""

    combos: dict[str, list[str]]
    bins: dict[str, tuple[int, int, int]]
    codes: dict[str, DomainCodes]

    @classmethod
    def of_table(cls, table: Any, combos: Any, bins: Any, domain: Any) -> Settings:
        """Check the settings for a table, of which no value is looked at."""
        return cls._of(*check_table_settings(table, combos, bins, domain))

    @classmethod
    def alone(cls, combos: Any, bins: Any, domain: Any) -> Settings:
        """Check the settings by themselves."""
        return cls._of(*check_settings(combos, bins, domain))

    @classmethod
    def _of(cls, combos: Any, bins: Any, codes: Any) -> Settings:
        return cls(combos, bins, {name: DomainCodes(*c) for name, c in codes.items()})

    def domain(self, name: str) -> CombinedDomain:
        """Domain of one combination."""
        parts = tuple(self.part(column) for column in self.combos[name])
        return CombinedDomain(name, parts, int(parts[0].bins is None))

    def part(self, column: str) -> Part:
        """Digits of one column."""
        if column not in self.bins:
            codes = self.codes[column]
            return Part(column, codes, digits_of(codes.last))
        codes = DomainCodes(numeric_codes(self.bins[column]))
        return Part(column, codes, digits_of(codes.last), self.bins[column])

    def stored(self) -> dict[str, Any]:
        """The same as plain lists, which a file format can keep."""
        codes = {column: codes.stored() for column, codes in self.codes.items()}
        bins = {column: list(bins) for column, bins in self.bins.items()}
        return {"combos": dict(self.combos), "bins": bins, "domain": codes}

    @classmethod
    def restored(cls, stored: Any) -> Settings:
        """Read what `stored` wrote."""
        bins = {column: (b[0], b[1], b[2]) for column, b in stored["bins"].items()}
        codes = {column: DomainCodes.restored(c) for column, c in stored["domain"].items()}
        return cls(dict(stored["combos"]), bins, codes)


class ColumnCodes(dict[str, list[Any]]):
    """Where each column stands in its combined code: ``{column: [combo, start, end]}``.

    A plain dictionary, as in PrivacyHistos, that also knows the declared `settings`, so that
    codes outside the domain are recognised.
    """

    settings: Settings

    def __init__(self, positions: Mapping[str, list[Any]], settings: Settings) -> None:
        super().__init__(positions)
        self.settings = settings

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with the settings."""
        return type(self), (dict(self), self.settings)


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


# Public functions


def infer_domain(ground_truth: pd.DataFrame) -> dict[str, list[int]]:
    r"""Codes that occur in each `_c` column. This is not private, and warns.

    Someone whose code nobody else has puts it into the domain; a release over it tells that
    they are in the data, whatever the noise. Write down the public list of codes instead.

    Parameters
    ----------
    ground_truth : DataFrame of shape (n_records, n_columns)
        Integers; `_c` columns are read.

    Returns
    -------
    dict of {column: list of int}
        What occurs, ascending, for the argument `domain`.

    Raises
    ------
    TypeError, ValueError
        If `ground_truth` is not a DataFrame of integers, or has no rows.

    Warns
    -----
    UserWarning
        Always.

    Examples
    --------
    >>> import warnings
    >>> calls = pd.DataFrame({"call_i": [1, 2, 3], "area_c": [7, 60, 7]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     infer_domain(calls)
    {'area_c': [7, 60]}
    """
    table = check_ground_truth(ground_truth)
    warnings.warn(
        "not private: infer_domain reads the possible codes from the data, so a release over"
        " them discloses which codes occur. Declare the public lists of codes instead.",
        UserWarning,
        stacklevel=2,
    )
    columns = [name for name in table.columns if str(name).endswith("_c")]
    return {name: np.unique(whole_numbers(table[name])).tolist() for name in columns}


def combined_domains(
    combo_dict: Mapping[str, Any], num_dict: Mapping[str, Any], domain: Mapping[str, Any]
) -> dict[str, CombinedDomain]:
    """Declare the domain of each combination, without any data.

    Parameters
    ----------
    combo_dict : mapping of {name: columns}
        Columns to be combined, all `_c` or all `_n`.
    num_dict : mapping of {column: [top, increment, max]}
        Bins of each `_n` column.
    domain : mapping of {column: codes}
        Possible codes of each `_c` column: a range or a list, or ``{"codes": range or list,
        "other": code}``.

    Returns
    -------
    dict of {name: CombinedDomain}
        For the argument `domain` of `create_private_histo`, of a table that has lost its own.

    Raises
    ------
    TypeError, ValueError
        If the settings are not as `check_input` wants them.

    Examples
    --------
    >>> combined_domains({"call": ["month_c", "hour_c"]}, {},
    ...     {"month_c": range(1, 13), "hour_c": range(24)})
    {'call': CombinedDomain('call' of ['month_c', 'hour_c']: 288 cells)}
    """
    given = {} if domain is None else domain
    settings = Settings.alone(combo_dict, num_dict, given)
    return {name: settings.domain(name) for name in settings.combos}


def domain_sizes(
    combo_dict: Mapping[str, Any], num_dict: Mapping[str, Any], domain: Mapping[str, Any]
) -> pd.Series:
    """Number of cells of each combination, occupied or not.

    Parameters
    ----------
    combo_dict, num_dict, domain
        As for `combined_domains`.

    Returns
    -------
    Series of int
        Cells by name of the combination. Every cell gets noise, so fewer are more accurate.

    Raises
    ------
    TypeError, ValueError
        As `combined_domains`.

    Examples
    --------
    0, ten bins of 5, and one above 50:

    >>> domain_sizes({"fare": ["fare_n"]}, {"fare_n": [50, 5, 100]}, {})
    fare    12
    Name: cells, dtype: int64
    """
    domains = combined_domains(combo_dict, num_dict, domain)
    sizes = {name: domain.size for name, domain in domains.items()}
    return pd.Series(sizes, name="cells", dtype=np.int64)


# What a pre-processed table carries


def settings_of(df: pd.DataFrame) -> Settings | None:
    """Settings with which `pre_process` coded a table."""
    stored = df.attrs.get(ATTRIBUTE)
    return None if stored is None else Settings.restored(stored)


def domain_of(df: pd.DataFrame, column: str, domain: Any) -> CombinedDomain:
    """Domain of a combined column: as given, or as the table carries it."""
    if isinstance(domain, Mapping) and column in domain:
        domain = domain[column]
    if isinstance(domain, CombinedDomain):
        check_domain_name(domain.name, column)
        known = settings_of(df)
        if known is not None and column in known.combos:
            check_same_domain(domain.stored() == known.domain(column).stored(), column)
        return domain
    if domain is not None and not isinstance(domain, Mapping):
        codes = DomainCodes(check_code_list(domain, "domain"))
        return CombinedDomain(column, (Part(column, codes, MOST_DIGITS),))
    settings: Settings = check_declared(settings_of(df), column)
    coded = settings.domain(column)
    if domain is not None:
        combos = {column: settings.combos[column]}
        given = Settings.alone(combos, settings.bins, domain).domain(column)
        check_same_domain(given.stored() == coded.stored(), column)
    return coded
