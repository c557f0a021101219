"""Domains of histograms: the codes that are possible, declared before the data are read.

A histogram over several columns counts *combined codes*: the columns' values, zero-filled to a
public width and written one after the other. They are those of PrivacyHistos (J. King, 2021):
a categorical combination starts with a 1, a numeric value has the code 10 for 0, and one more
for each bin. Read from the data, the possible codes would tell who is in them: a bin, or a
digit more, that only one person causes, discloses that person without a look at any count.

`input_reasons` with ``look=True`` looks at values and speaks to the curator; all other checks
look at names, types and settings only.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._typing import IntArray
from ..._validation import check_table, check_whole, find_columns, listed
from .._before import is_integer

SUFFIXES = ("_i", "_c", "_n", "_x")


MOST_DIGITS = 18
"""Digits of a combined code, so that it fits 64 bits."""


MOST_BINS = 1_000_000
"""Bins of a numeric column, which a decoder lists one by one."""


@dataclass(frozen=True, eq=False)
class DomainCodes:
    """Possible codes of a column, ascending: a list, or a range that is never written out."""

    codes: range | IntArray
    other: int | None = None
    """Code that stands for all values outside; without one, the nearest code does."""

    def __len__(self) -> int:
        """Number of codes."""
        return len(self.codes)

    @property
    def last(self) -> int:
        """The largest code, which sets the width."""
        return int(self.codes[-1])

    def at(self, places: IntArray) -> IntArray:
        """Codes at places 0, 1, ..."""
        if isinstance(self.codes, range):
            return self.codes.start + self.codes.step * places
        return self.codes[places]

    def find(self, codes: IntArray) -> IntArray:
        """Place of each code, -1 if it is none."""
        places = self._nearest_places(codes)
        return np.where(self.at(places) == codes, places, -1)

    def nearest(self, values: IntArray) -> IntArray:
        """The values that are codes; for others, `other` or else the nearest code."""
        codes = self.at(self._nearest_places(values))
        return codes if self.other is None else np.where(codes == values, codes, self.other)

    def _nearest_places(self, values: IntArray) -> IntArray:
        values = np.clip(values, int(self.codes[0]), self.last)
        if isinstance(self.codes, range):
            return (values - self.codes.start + (self.codes.step - 1) // 2) // self.codes.step
        above = np.searchsorted(self.codes, values)
        below = np.maximum(above - 1, 0)
        lower = values - self.codes[below] <= self.codes[above] - values
        return np.where(lower, below, above)

    def same(self, other: DomainCodes) -> bool:
        """Whether both are the same codes; ranges are compared without writing them out."""
        if self.other != other.other or type(self.codes) is not type(other.codes):
            return False
        if isinstance(self.codes, range):
            return self.codes == other.codes
        return np.array_equal(self.codes, other.codes)


@dataclass(frozen=True, eq=False)
class Part:
    """The digits that one column has in a combined code."""

    column: str
    codes: DomainCodes
    """Possible codes, ascending."""
    bins: tuple[int, int, int] | None = None
    """Top, increment and maximum of a numeric column."""

    @property
    def width(self) -> int:
        """Digits."""
        return len(str(self.codes.last))

    def encode(self, values: IntArray) -> IntArray:
        """Codes of values; what is outside the domain is moved into it."""
        if self.bins is None:
            return self.codes.nearest(values)
        top, increment, _ = self.bins
        # 0 is a bin of its own, then (0, increment], ..., and all that is above top.
        place = -(-np.clip(values, 0, top + 1) // increment)
        return self.codes.at(np.where(values > top, len(self.codes) - 1, place))

    def bounds(self, places: IntArray) -> tuple[IntArray, IntArray]:
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

    def encode(self, table: pd.DataFrame) -> IntArray:
        """Combined code of each row."""
        parts = [part.encode(whole_numbers(table[part.column])) for part in self.parts]
        return self._joined(parts, len(table))

    def codes(self, cells: IntArray) -> IntArray:
        """Combined code of each cell; they ascend together."""
        return self._joined([p.codes.at(at) for p, at in self._split(cells)], len(cells))

    def find(self, codes: IntArray) -> IntArray:
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

    def places(self, cells: IntArray) -> dict[str, IntArray]:
        """Place of each cell among the codes of each column."""
        return {part.column: places for part, places in self._split(cells)}

    def values(
        self, cells: IntArray, rng: np.random.Generator | None = None
    ) -> dict[str, IntArray]:
        """Values of each column: one of each numeric bin at random, or its middle."""
        return {part.column: between(*part.bounds(at), rng) for part, at in self._split(cells)}

    def same(self, other: CombinedDomain) -> bool:
        """Whether codes and bins of each column are the same."""
        return len(self.parts) == len(other.parts) and all(
            one.codes.same(two.codes) and one.bins == two.bins
            for one, two in zip(self.parts, other.parts, strict=True)
        )

    def _split(self, cells: IntArray) -> list[tuple[Part, IntArray]]:
        return list(zip(self.parts, np.unravel_index(cells, self.shape), strict=True))

    def _joined(self, parts: list[IntArray], n: int) -> IntArray:
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
    return Part(column, DomainCodes(numeric_codes(bins)), bins)


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


def code_list(entry: Any, argument: str) -> range | IntArray:
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


def between(lower: IntArray, upper: IntArray, rng: np.random.Generator | None) -> IntArray:
    """One value from each range, all equally likely; the middle one without `rng`."""
    if rng is None:
        return (lower + upper) // 2
    return rng.integers(lower, upper, endpoint=True)


def whole_numbers(column: pd.Series) -> IntArray:
    """Cells as 64-bit integers; a missing one is -1, outside of every domain."""
    if pd.api.types.is_unsigned_integer_dtype(column.dtype):
        column = column.clip(upper=2**62)
    return column.to_numpy(np.int64, na_value=-1)


def ends(name: object, suffix: str) -> bool:
    """Whether a column has the role that a suffix says."""
    return isinstance(name, str) and name.endswith(suffix)


def individuals_of(df: Any) -> pd.Series:
    """Return the column that says whose record each row is."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"df must be a pandas DataFrame; got {type(df).__name__}.")
    people = [j for j, name in enumerate(df.columns) if ends(name, "_i")]
    if len(people) != 1:
        raise ValueError(
            f"df must have exactly one column that ends in _i, the individual whose record it"
            f" is; got {listed(df.columns[people]) or 'none'}."
        )
    found = df.iloc[:, people[0]]
    if not pd.api.types.is_integer_dtype(found.dtype):  # 1 and "1" may be one person
        raise TypeError(
            f"column {found.name!r} must hold integers; got {found.dtype}. Number the"
            f" individuals."
        )
    return found


def individuals_with(df: Any, column: Any) -> pd.Series:
    """Return the individuals of a pre-processed table that has the combined column."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(
            f"df must be the DataFrame that pre_process returns; got {type(df).__name__}."
        )
    people = individuals_of(df)
    places = find_columns(df, column)
    if len(places) != 1 or column == people.name:
        raise ValueError(
            f"column: there is no one combined column {column!r}; the table has"
            f" {listed(df.columns)}."
        )
    kind = df.dtypes.iloc[places[0]]
    if not pd.api.types.is_integer_dtype(kind):
        raise TypeError(f"column {column!r} must hold integer codes; got {kind}.")
    return people


# Settings


class Settings(NamedTuple):
    """What is public about a table's histograms."""

    combos: dict[str, list[str]]
    bins: dict[str, tuple[int, int, int]]
    codes: dict[str, DomainCodes]

    @classmethod
    def alone(cls, combos: Any, bins: Any, domain: Any) -> Settings:
        """Check the settings by themselves; without a domain, no codes need to be declared."""
        refuse(_kind_reasons(combos, bins, domain), TypeError)
        refuse(_setting_reasons(None, None, combos, bins, domain), ValueError)
        return cls.checked(combos, bins, domain)

    @classmethod
    def checked(cls, combos: Any, bins: Any, domain: Any) -> Settings:
        """Read settings that are checked."""
        coded = [] if domain is None else _named(combos, "_c")
        return cls(
            {name: list(columns) for name, columns in combos.items()},
            {name: (int(b[0]), int(b[1]), int(b[2])) for name, b in bins.items()},
            {name: declared_codes(domain[name], name) for name in coded},
        )

    def domain(self, name: str) -> CombinedDomain:
        """Domain of one combination."""
        parts = tuple(self.part(column) for column in self.combos[name])
        return CombinedDomain(name, parts, int(parts[0].bins is None))

    def part(self, column: str) -> Part:
        """Digits of one column."""
        if column in self.bins:
            return numeric_part(column, self.bins[column])
        return Part(column, self.codes[column])


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


class CodedTable(NamedTuple):
    """A pre-processed table with all that is public about its codes.

    PrivacyHistos' triple, to be unpacked or to be passed on whole; its first part alone is a
    bare frame, whose domains a release must be told.
    """

    df: pd.DataFrame
    """The `_i` and `_x` columns, then a code per combination."""
    num_decode: dict[str, dict[int, float]]
    """Upper end of the bin of each code of a numeric column."""
    col_decode: ColumnCodes
    """Where each column stands in its code."""

    @property
    def settings(self) -> Settings:
        """The settings with which it was coded."""
        return self.col_decode.settings

    @property
    def domains(self) -> dict[str, CombinedDomain]:
        """Domain of each combination."""
        return {name: self.settings.domain(name) for name in self.settings.combos}


def opened(df: Any) -> tuple[Any, Settings | None]:
    """A frame and the settings with which it was coded, as far as they came along."""
    return (df.df, df.settings) if isinstance(df, CodedTable) else (df, None)


def declared(settings: Settings | None, column: Any) -> CombinedDomain:
    """Domain of a combination of the settings."""
    if settings is None or column not in settings.combos:
        raise ValueError(
            f"domain: the possible codes of {column!r} are not declared. Pass the table as"
            f" pre_process returned it, or domain=combined_domains(...), or a list of all"
            f" possible codes; never those that occur."
        )
    return settings.domain(column)


def domain_of(settings: Settings | None, column: str, domain: Any) -> CombinedDomain:
    """Domain of a combined column: as given, or as its table was coded."""
    if isinstance(domain, Mapping) and column in domain:
        domain = domain[column]
    if isinstance(domain, CombinedDomain):
        if domain.name != column:
            raise ValueError(
                f"domain is that of {domain.name!r}, not of {column!r}; pass"
                f" combined_domains(...) as a whole, or its {column!r}."
            )
        if settings is None or column not in settings.combos:
            return domain
    elif domain is not None and not isinstance(domain, Mapping):
        part = Part(column, DomainCodes(code_list(domain, "domain")))
        return CombinedDomain(column, (part,))
    coded = declared(settings, column)
    if isinstance(domain, Mapping):
        bins = {part.column: part.bins for part in coded.parts if part.bins is not None}
        domain = Settings.alone({column: coded.columns}, bins, domain).domain(column)
    if domain is not None and not domain.same(coded):
        raise ValueError(
            f"domain differs from the one with which pre_process coded {column!r};"
            f" pre-process the table again with this domain."
        )
    return coded if domain is None else domain


# What is wrong with a table and its settings


def refuse(reasons: Iterable[str], kind: type) -> None:
    """Raise an error with every reason, if there is one."""
    if said := "\n".join(reasons):
        raise kind(said)


def input_reasons(
    table: Any, combos: Any, bins: Any, domain: Any, *, look: bool = False
) -> tuple[list[str], type]:
    """Return every reason why a table cannot become histograms, and the kind of error."""
    wrong = []
    if not isinstance(table, pd.DataFrame):
        wrong = [f"ground_truth must be a pandas DataFrame; got {type(table).__name__}."]
    wrong += _kind_reasons(combos, bins, domain)
    if wrong:
        return wrong, TypeError
    reasons = [*_schema_reasons(table), *(_cell_reasons(table) if look else ())]
    names, seen = list(table.columns), table if look else None
    return [*reasons, *_setting_reasons(names, seen, combos, bins, domain)], ValueError


def _kind_reasons(combos: Any, bins: Any, domain: Any) -> Iterable[str]:
    named = {"combo_dict": combos, "num_dict": bins, "domain": domain}
    for name, given in named.items():
        if not isinstance(given, Mapping) and not (name == "domain" and given is None):
            yield f"{name} must be a dictionary; got {type(given).__name__} {given!r:.80}."


def _schema_reasons(table: pd.DataFrame) -> Iterable[str]:
    """What is wrong with names and types of columns."""
    names = list(table.columns)
    odd = [name for name in names if not (isinstance(name, str) and name[-2:] in SUFFIXES)]
    if odd:
        yield f"columns: {listed(odd)} must end in _i, _c, _n or _x; rename them."
    people = [name for name in names if isinstance(name, str) and name[-2:] == "_i"]
    if len(people) != 1:
        yield (
            f"columns: exactly one must end in _i, the individual whose record it is; got"
            f" {listed(people) or 'none'}."
        )
    twice = table.columns[table.columns.duplicated()].unique()
    if len(twice):
        yield f"columns: {listed(twice)} occur twice; name each column once."
    for name, kind in zip(names, table.dtypes, strict=True):
        if pd.api.types.is_bool_dtype(kind):
            yield f"column {name!r} holds truth values; write them as 0 and 1."
        elif not pd.api.types.is_integer_dtype(kind):
            yield f"column {name!r} must hold integers; got {kind}. Number its values."


def _cell_reasons(table: pd.DataFrame) -> Iterable[str]:
    """What is wrong with the values."""
    if not len(table):
        yield "ground_truth has no rows; there is nothing to count."
    for j, name in enumerate(table.columns):
        column = table.iloc[:, j]
        missing = int(column.isna().sum())
        if missing:
            yield f"column {name!r} has {missing} missing values; give them a code."
        if pd.api.types.is_numeric_dtype(column.dtype) and (column.dropna() < 0).any():
            yield f"column {name!r} holds negative numbers; number its values from 0."


def _setting_reasons(
    names: list[Any] | None, table: Any, combos: Any, bins: Any, domain: Any
) -> list[str]:
    """What is wrong with the settings; without names, any column may be there."""
    reasons = [*_combo_reasons(names, combos), *bin_reasons(names, combos, bins)]
    if domain is not None:
        reasons += _domain_reasons(combos, domain)
    if domain is not None or table is not None:
        reasons += _digit_reasons(table, combos, bins, domain)
    return reasons


def _combo_reasons(names: Any, combos: Any) -> Iterable[str]:
    known = names is not None
    for name, columns in combos.items():
        combo = f"combo_dict: {name!r}"
        if not isinstance(name, str) or not name or name[-2:] in SUFFIXES:
            yield f"{combo} must be a text that ends in none of _i, _c, _n, _x."
        elif known and name in names:
            yield f"{combo} is already a column; choose another name."
        if not isinstance(columns, (list, tuple)) or not columns:
            yield f"{combo} must list its columns; got {columns!r:.80}."
            continue
        unknown = [c for c in columns if not isinstance(c, str) or known and c not in names]
        if unknown:
            yield f"{combo} names {listed(unknown)}, which is no column."
        columns = [column for column in columns if isinstance(column, str)]
        kept = [column for column in columns if column[-2:] not in ("_c", "_n")]
        if kept:
            yield f"{combo} combines {listed(kept)}; only _c or _n can be."
        if {"_c", "_n"} <= {column[-2:] for column in columns}:
            yield f"{combo} mixes categorical (_c) with numeric (_n) columns; split it in two."
        if len(set(columns)) < len(columns):
            yield f"{combo} names a column twice; name it once."


def _named(combos: Any, suffix: str) -> list[str]:
    """Columns of all combinations that end so, each once."""
    listings = [columns for columns in combos.values() if isinstance(columns, (list, tuple))]
    return list(dict.fromkeys(c for columns in listings for c in columns if ends(c, suffix)))


def bin_reasons(names: Any, combos: Any, bins: Any) -> Iterable[str]:
    """What is wrong with the bins of numeric columns."""
    numeric = _named(combos, "_n") if names is None else [n for n in names if ends(n, "_n")]
    lacking = [name for name in dict.fromkeys(numeric) if name not in bins]
    if lacking:
        yield f"num_dict lacks {listed(lacking)}; give each its [top, increment, max]."
    for name, three in bins.items():
        column = f"num_dict: {name!r}"
        if not isinstance(name, str) or name[-2:] != "_n" or name not in (names or [name]):
            yield f"{column} is no numeric (_n) column of the table."
        if not isinstance(three, (list, tuple)) or len(three) != 3:
            yield f"{column} needs three numbers, [top, increment, max]; got {three!r:.80}."
        elif not all(is_integer(number) for number in three):
            yield f"{column} must hold integers; got {three!r:.80}."
        else:
            yield from (f"{column} has {wrong}" for wrong in _bin_order(*map(int, three)))


def _bin_order(top: int, increment: int, largest: int) -> Iterable[str]:
    if increment <= 0:
        yield f"the increment {increment}; it must be at least 1."
    elif top <= increment:
        yield f"the increment {increment} and the top {top}; the top must be the larger one."
    elif top % increment:
        yield f"the increment {increment}, which does not divide the top {top}."
    elif top // increment > MOST_BINS:
        yield f"more than {MOST_BINS:,} bins; take a larger increment."
    if largest <= top:
        yield f"the max {largest}; it must be above the top {top}."
    if largest >= 10**MOST_DIGITS:
        yield f"a max of more than {MOST_DIGITS} digits."


def _domain_reasons(combos: Any, domain: Any) -> Iterable[str]:
    lacking = [name for name in _named(combos, "_c") if name not in domain]
    if lacking:
        yield (
            f"domain lacks {listed(lacking)}: declare the codes that are possible, as in"
            f" domain={{{lacking[0]!r}: range(10)}}. Codes taken from the data disclose who is"
            f" in them; infer_domain does that, with a warning."
        )
    for name, entry in domain.items():
        try:
            declared_codes(entry, name)
        except (TypeError, ValueError) as error:
            yield str(error)


def _digit_reasons(table: Any, combos: Any, bins: Any, domain: Any) -> Iterable[str]:
    """Combinations whose codes do not fit 64 bits; without a domain, as the data have it."""
    for name, columns in combos.items():
        listing = columns if isinstance(columns, (list, tuple)) else []
        used = dict.fromkeys(column for column in listing if isinstance(column, str))
        last = [_last_code(column, table, bins, domain) for column in used]
        digits = sum(len(str(code)) for code in last if code is not None)
        digits += any(ends(column, "_c") for column in used)
        if digits > MOST_DIGITS:
            yield (
                f"combo_dict: codes of {name!r} have {digits} digits, more than {MOST_DIGITS};"
                f" combine fewer columns."
            )


def _last_code(column: Any, table: Any, bins: Any, domain: Any) -> int | None:
    """The largest code of a column, or None if its settings are wrong."""
    if ends(column, "_n"):
        three = bins.get(column)
        wrong = list(bin_reasons(None, {"bins": [column]}, {column: three}))
        return None if wrong else numeric_codes(three)[-1]
    if domain is not None:
        try:
            return declared_codes(domain[column], column).last
        except (KeyError, TypeError, ValueError):
            return None
    found = find_columns(table, column)
    values = table.iloc[:, found[0]].dropna() if found else pd.Series(dtype=float)
    whole = pd.api.types.is_integer_dtype(values.dtype) and len(values) > 0
    return max(int(values.max()), 0) if whole else None


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
    table = check_table(ground_truth, "ground_truth")
    refuse([*_schema_reasons(table), *_cell_reasons(table)], ValueError)
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
        For the argument `domain` of `create_private_histo`, which a bare frame needs.

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
