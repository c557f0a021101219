r"""Private histograms of a table: the PrivacyHistos workflow, corrected to keep its ε.

Columns that belong together are combined into codes (`pre_process`), counted over a declared
domain with noise on every cell (`create_private_histo`, or `release_histograms` for all at
once), and turned into rows again (`col_decoder`, `simulate_rows`). Names, order of arguments
and returns of the five functions are those of PrivacyHistos (J. King, 2021,
https://github.com/JimKing100/PrivacyHistos, MIT), as are the codes: a categorical combination
starts with a 1, a number has the code 10 for 0 and one more per bin.

**Why it keeps ε.** One individual has at most s records that count. Adding or removing the
individual with all records changes each of H histograms by at most s in all cells together
(L1), and each of q counts of individuals by 1. So all answers together change by at most sH +
q, and discrete Laplace noise of one scale on every cell and count,

.. math:: b = (s H + q) / \varepsilon,

keeps ε: its probability changes by a factor of at most :math:`e^{1/b}` with every step of 1.
This holds only if every cell of a domain that was declared without the data gets noise,
including empty cells: a cell without noise, or a missing code, would disclose that nobody is
in it. Each histogram costs :math:`s\varepsilon/(sH + q)`, each count :math:`\varepsilon/(sH +
q)`, and these losses add up to ε.

Without ``rng``, OpenDP draws the noise from the operating system. With ``rng``, numpy draws
it, for lessons and tests and not for releases: floating-point noise leaks, and anyone who
knows the seed can subtract it. `check_input`, `histo_test` and `curator_utility` use the
true data without noise and are not private.
"""

# Longer than other modules: the five functions and the whole release share one coded table.

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import digamma

from .._arguments import check_generator, check_number, listed
from .._typing import FloatArray, IntArray
from .accounting import PrivacyBudget
from .mechanisms import whole_noise
from .noise import DiscreteLaplaceNoise, check_loss, points, positive

MOST_DIGITS = 17  # of a combined code and its prefix, so that it fits 64 bits
MOST_CELLS = 10**9  # of a domain; noise on all takes numpy a minute and OpenDP an hour
MOST_LISTED = 1_000_000  # cells; of larger domains, those above a threshold are listed

# Domains: the codes that are possible, declared before the data are read


class Part(NamedTuple):
    """The digits that one column has in a combined code, and the values of each code."""

    column: str
    codes: IntArray  # possible codes, ascending
    low: IntArray  # smallest value of each code
    high: IntArray  # largest value of each code

    @property
    def width(self) -> int:
        """Number of digits."""
        return len(str(self.codes[-1]))

    def encode(self, values: IntArray) -> IntArray:
        """Codes of values; values outside the domain get the nearest code."""
        ends = (self.high[:-1] + self.low[1:] + 1) // 2
        return self.codes[np.searchsorted(ends, values, side="right")]


class CombinedDomain(NamedTuple):
    """All codes that a combination can have, whether they occur or not.

    A cell is a number from 0 to `size` - 1; codes are not listed unless asked for.
    """

    name: str
    parts: tuple[Part, ...]
    prefix: int  # 1 in front of categorical codes, so that none starts with a 0

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of codes of each column."""
        return tuple(len(part.codes) for part in self.parts)

    @property
    def size(self) -> int:
        """Number of cells, occupied or not."""
        return math.prod(self.shape)

    def codes(self, cells: IntArray) -> IntArray:
        """Combined code of each cell; codes ascend with the cells."""
        places = np.unravel_index(cells, self.shape)
        return self.join([p.codes[at] for p, at in zip(self.parts, places, strict=True)])

    def join(self, digits: Sequence[IntArray]) -> IntArray:
        """Join the codes of the columns into one code."""
        codes = np.full(len(digits[0]), self.prefix, np.int64)
        for part, own in zip(self.parts, digits, strict=True):
            codes = codes * 10**part.width + own
        return codes

    def find(self, codes: IntArray) -> IntArray:
        """Cell of each code, -1 for a code that is not in the domain."""
        inside, cells, stride = np.ones(len(codes), bool), np.zeros(len(codes), np.int64), 1
        for part in reversed(self.parts):  # the last column's digits come off first
            codes, digits = np.divmod(codes, 10**part.width)
            place = np.searchsorted(part.codes, digits).clip(0, len(part.codes) - 1)
            inside &= part.codes[place] == digits
            cells += place * stride
            stride *= len(part.codes)
        return np.where(inside & (codes == self.prefix), cells, -1)


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
        Possible codes of each `_c` column: a range or a list.

    Returns
    -------
    dict of {name: CombinedDomain}
        The argument `domain` of `create_private_histo`, required for a plain DataFrame.

    Examples
    --------
    >>> codes = {"month_c": range(1, 13), "hour_c": range(24)}
    >>> combined_domains({"call": ["month_c", "hour_c"]}, {}, codes)["call"].size
    288
    """
    return {name: _combined(name, own, num_dict, domain) for name, own in combo_dict.items()}


def _combined(
    name: str, columns: Sequence[str], bins: Mapping[str, Any], domain: Mapping[str, Any]
) -> CombinedDomain:
    """Declare the domain of one combination."""
    kinds = {str(column)[-2:] for column in columns}
    if kinds not in ({"_c"}, {"_n"}):
        raise ValueError(
            f"combo_dict: {name!r} must combine columns that all end in _c or all in _n."
        )
    parts = tuple(_part(column, bins, domain) for column in columns)
    own = CombinedDomain(name, parts, int(kinds == {"_c"}))
    digits = sum(part.width for part in parts)
    if own.size > MOST_CELLS or digits > MOST_DIGITS:
        raise ValueError(
            f"combo_dict: {name!r} has too many cells or too long codes ({own.size:,} cells,"
            f" {digits} digits); combine fewer columns."
        )
    return own


def _part(column: str, num_dict: Mapping[str, Any], domain: Mapping[str, Any]) -> Part:
    """Digits of one column of the settings."""
    if column.endswith("_c"):
        codes = np.asarray([*domain.get(column, [])])
        if codes.dtype.kind not in "iu" or codes.min() < 0:
            raise ValueError(
                f"domain lacks possible codes of {column!r}; declare whole numbers from 0 on,"
                f" such as range(10), and not those that occur in the data."
            )
        codes = np.unique(codes)
        return Part(column, codes.astype(np.int64), codes, codes)
    match np.asarray(num_dict.get(column)).tolist():
        case [int(top), int(increment), int(largest)] if (
            0 < increment < top < largest and top % increment == 0
        ):
            # A bin for 0, then (0, increment], ..., and a bin for all values above top.
            high, start = np.array([*range(0, top + 1, increment), largest]), 10
            while len(high) > 9 * start:
                start *= 10
            low = np.append(0, high[:-1] + 1)
            return Part(column, start + np.arange(len(high)), low, high)
    raise ValueError(
        f"num_dict: {column!r} needs whole numbers [top, increment, max] with 0 < increment <"
        f" top < max, where the increment divides the top; got {num_dict.get(column)!r:.80}."
    )


def infer_domain(ground_truth: pd.DataFrame) -> dict[str, list[int]]:
    r"""Codes that occur in each `_c` column. This is not private and raises a warning.

    A code that only one individual has enters the domain, and a release over that domain
    discloses that the individual is in the data, whatever the noise. Declare the public list
    of codes instead.

    Examples
    --------
    >>> import warnings
    >>> calls = pd.DataFrame({"call_i": [1, 2, 3], "area_c": [7, 60, 7]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     infer_domain(calls)
    {'area_c': [7, 60]}
    """
    warnings.warn(
        "not private: infer_domain reads the possible codes from the data, so a release over"
        " them discloses which codes occur. Declare the public lists of codes instead.",
        UserWarning,
        stacklevel=2,
    )
    columns = [str(name) for name in ground_truth if str(name).endswith("_c")]
    return {c: ground_truth[c].drop_duplicates().sort_values().tolist() for c in columns}


# What a table and its settings must be


def _reasons(
    table: pd.DataFrame,
    combos: Mapping[str, Any],
    bins: Mapping[str, Any],
    domain: Mapping[str, Any] | None,
) -> list[str]:
    """Errors in the columns of a table and in the settings; values are not read."""
    names = pd.Index([*table], tupleize_cols=False)
    ends = names.map(lambda name: str(name)[-2:])
    whole = np.array([pd.api.types.is_integer_dtype(kind) for kind in table.dtypes], bool)
    used = [column for columns in combos.values() for column in columns]
    wrong: dict[str, Any] = {
        "columns that end in none of _i, _c, _n, _x (rename them)": (
            names[~ends.isin(["_i", "_c", "_n", "_x"])]
        ),
        "columns that occur twice (name each once)": names[names.duplicated()],
        "columns that hold no integers (number their values)": names[~whole],
        "combo_dict names columns that the table lacks": [c for c in used if c not in names],
        "combo_dict reuses column names (choose others)": [n for n in combos if n in names],
    }
    reasons = _sentences(wrong)
    if (people := int((ends == "_i").sum())) != 1:
        reasons.append(f"columns: exactly one must end in _i, the individual; got {people}.")
    codes = dict.fromkeys(used, [0]) if domain is None else domain
    for name, columns in {**{n: [n] for n in names[ends == "_n"]}, **combos}.items():
        try:
            _combined(name, columns, bins, codes)
        except ValueError as reason:
            reasons.append(str(reason))
    return [*dict.fromkeys(reasons)]


def _sentences(wrong: Mapping[str, Any]) -> list[str]:
    """Join each rule with what breaks it, if anything does."""
    return [f"{rule}: {listed(odd)}." for rule, odd in wrong.items() if len(odd)]


def _records(df: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Return the table, and the column with the individual of each record."""
    table = df.df if isinstance(df, CodedTable) else df
    people = [name for name in table.columns if str(name).endswith("_i")]
    if len(people) != 1 or not pd.api.types.is_integer_dtype(table[people[0]].dtype):
        raise ValueError(
            "df must have exactly one column that ends in _i, the individual of each record."
        )
    return table, table[people[0]]


# The five functions of PrivacyHistos


def check_input(
    ground_truth: pd.DataFrame,
    combo_dict: Mapping[str, Any],
    num_dict: Mapping[str, Any],
    *,
    domain: Mapping[str, Any] | None = None,
) -> int:
    """Check whether a table and its settings can become private histograms; print why not.

    The table: integers of at least 0; names end in `_c` (categorical), `_n` (numeric), `_i`
    (the individual, exactly one column) or `_x` (kept, never combined). For the curator only:
    the answer depends on the data.

    Parameters
    ----------
    ground_truth : DataFrame of shape (n_records, n_columns)
        The records; an individual may have several.
    combo_dict : mapping of {name: columns}
        Columns to be combined, all `_c` or all `_n`.
    num_dict : mapping of {column: [top, increment, max]}
        Bins of each `_n` column: ``[50, 5, 100]`` means 0, ten bins of 5 up to 50, and one
        bin from 51 to 100.
    domain : mapping of {column: codes}, optional
        Possible codes of each `_c` column; see `pre_process`.

    Returns
    -------
    int
        1, or 0 after every reason has been printed.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": [1, 2], "hour_c": [0, 23], "wait_n": [3, 80]})
    >>> check_input(calls, {"when": ["hour_c"]}, {"wait_n": [50, 5, 100]})
    1
    >>> check_input(calls, {"when": ["hour_c", "wait_n"]}, {"wait_n": [50, 7, 100]})
    num_dict: 'wait_n' needs whole numbers [top, increment, max] with 0 < increment < top <
    max, where the increment divides the top; got [50, 7, 100].
    combo_dict: 'when' must combine columns that all end in _c or all in _n.
    0
    """
    below = ground_truth.select_dtypes("number").lt(0).any()
    values = {
        "columns with missing values (give them a code)": (
            ground_truth.columns[ground_truth.isna().any()]
        ),
        "columns with negative numbers (count from 0)": below.index[below.astype(bool)],
    }
    reasons = _reasons(ground_truth, combo_dict, num_dict, domain) + _sentences(values)
    if reasons:
        print("\n".join(reasons))
    return int(not reasons)


class _Coded(NamedTuple):
    df: pd.DataFrame
    num_decode: dict[str, dict[int, float]]
    col_decode: dict[str, list[Any]]


class CodedTable(_Coded):
    """The triple that `pre_process` returns, to be unpacked or passed on whole.

    `df` has the `_i` and `_x` columns, then a code per combination. In addition to the triple,
    `domains` has the domain of each combination.
    """

    domains: dict[str, CombinedDomain]


def pre_process(
    ground_truth: pd.DataFrame,
    combo_dict: Mapping[str, Any],
    num_dict: Mapping[str, Any],
    *,
    domain: Mapping[str, Any] | None = None,
) -> CodedTable:
    """Write the columns of each combination as one code per record.

    A value outside its domain gets the nearest code silently, because a message would disclose
    the value. The same holds for missing and negative values; `check_input` finds them
    beforehand.

    Parameters
    ----------
    ground_truth : DataFrame of shape (n_records, n_columns)
        Integers; see `check_input`. The table is not changed.
    combo_dict : mapping of {name: columns}
        Columns to be combined, all `_c` or all `_n`.
    num_dict : mapping of {column: [top, increment, max]}
        Bins of each `_n` column.
    domain : mapping of {column: codes}
        Possible codes of each `_c` column that is combined, from a codebook and never from the
        data: a range or a list.

    Returns
    -------
    df : DataFrame
        The `_i` and `_x` columns, then a code per combination, under the caller's index.
    num_decode : dict of {column: {code: upper end of its bin}}
        Infinite for the bin above top.
    col_decode : dict of {column: [combo, start, end]}
        Digits of a column in its code; if several combinations have the column, in the last
        code.

    The three form a `CodedTable`; passed on whole, it gives a release the domains.

    Notes
    -----
    Codes equal those of PrivacyHistos if the largest code of a domain has as many digits as
    the largest code in the data, and if a numeric column has at most 90 codes. More codes need
    three digits, which the original misread.

    Examples
    --------
    >>> trips = pd.DataFrame({"taxi_i": [7, 7], "shift_c": [0, 20], "fare_n": [44, 0]})
    >>> df, num_decode, col_decode = pre_process(
    ...     trips, {"when": ["shift_c"], "paid": ["fare_n"]}, {"fare_n": [50, 5, 100]},
    ...     domain={"shift_c": range(21)})
    >>> df
       taxi_i  when  paid
    0       7   100    19
    1       7   120    10
    >>> num_decode["fare_n"][19], col_decode
    (45.0, {'shift_c': ['when', 1, 3], 'fare_n': ['paid', 0, 2]})
    """
    names, given = [*ground_truth], {} if domain is None else domain
    if reasons := _reasons(ground_truth, combo_dict, num_dict, given):
        raise ValueError("\n".join(reasons))
    domains = combined_domains(combo_dict, num_dict, given)
    df = ground_truth[[name for name in names if name[-2:] in ("_i", "_x")]].copy()
    col_decode: dict[str, list[Any]] = {}
    for name, own in domains.items():
        digits, end = [], own.prefix
        for part in own.parts:
            values = ground_truth[part.column].to_numpy(np.int64, na_value=-1)
            digits.append(part.encode(values))
            start, end = end, end + part.width
            col_decode[part.column] = [name, start, end]
        df[name] = own.join(digits)
    num_decode = {}
    for part in (_part(name, num_dict, {}) for name in names if name in num_dict):
        ends = [*part.high[:-1].astype(float).tolist(), math.inf]
        num_decode[part.column] = dict(zip(part.codes.tolist(), ends, strict=True))
    coded = CodedTable(df, num_decode, col_decode)
    coded.domains = domains
    return coded


def histo_test(df: pd.DataFrame, combo_dict: Mapping[str, Any]) -> None:
    """Print how many bins of each combination occur. For the curator only: it is not private.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    combo_dict : mapping of {name: columns}
        Combinations.

    Examples
    --------
    >>> df = pd.DataFrame({"taxi_i": [7, 7, 8], "when": [100, 120, 100]})
    >>> histo_test(df, {"when": ["shift_c"]})
    number of bins in when 2
    """
    for name in combo_dict:
        print(f"number of bins in {name} {df[name].nunique()}")


def col_decoder(
    num_dict: Mapping[str, Any],
    num_decode: Mapping[str, Mapping[int, float]],
    col_decode: Mapping[str, Sequence[Any]],
    value: Any,
    column: str,
    *,
    rng: np.random.Generator | None = None,
) -> Any:
    """Read a column's value from a combined code.

    Parameters
    ----------
    num_dict : mapping of {column: [top, increment, max]}
        Bins, as for `pre_process`.
    num_decode, col_decode : mapping
        What `pre_process` returned.
    value : int, str of digits, or array-like of them
        Combined code.
    column : str
        Column to read.
    rng : numpy.random.Generator, optional
        Draws a value of a numeric bin, all equally likely; without `rng`, the middle value is
        taken.

    Returns
    -------
    int, or Series or ndarray of int
        The code of a `_c` column, or a value from the bin of an `_n` column.

    Examples
    --------
    >>> trips = pd.DataFrame({"taxi_i": [7], "shift_c": [13], "area_c": [6], "fare_n": [4]})
    >>> df, num_decode, col_decode = pre_process(
    ...     trips, {"what": ["shift_c", "area_c"], "paid": ["fare_n"]},
    ...     {"fare_n": [50, 5, 100]}, domain={"shift_c": range(21), "area_c": range(78)})
    >>> col_decoder({}, num_decode, col_decode, 11306, "shift_c")
    13

    A fare of 1 to 5:

    >>> col_decoder({"fare_n": [50, 5, 100]}, num_decode, col_decode, "11", "fare_n")
    3
    """
    combo, start, end = col_decode[column]
    digits = max(span[2] for span in col_decode.values() if span[0] == combo)
    codes = pd.Series(np.atleast_1d(np.asarray(value, dtype=object))).astype(str)
    if not codes.str.fullmatch(f"[1-9][0-9]{{{digits - 1},}}").all():
        raise ValueError(f"value: a code of {combo!r} has {digits} digits; got {value!r:.80}.")
    read = codes.str[start:end].to_numpy(np.int64)
    if column in num_decode:
        part = _part(column, num_dict, {})
        if not np.isin(read, part.codes).all():
            raise ValueError(f"value: {value!r:.80} is outside the bins of {column!r}.")
        bins = read - part.codes[0]
        read = between(part.low[bins], part.high[bins], rng)
    if isinstance(value, pd.Series):
        return pd.Series(read, index=value.index, name=column)
    return read.reshape(np.shape(value)) if np.ndim(value) else int(read[0])


def between(lower: IntArray, upper: IntArray, rng: np.random.Generator | None) -> IntArray:
    """A value from each range, all equally likely; the middle value without `rng`."""
    return (lower + upper) // 2 if rng is None else rng.integers(lower, upper, endpoint=True)


def create_private_histo(
    df: pd.DataFrame | CodedTable,
    column: str,
    sample: int,
    sample_size: int,
    sensitivity: float,
    epsilon: float,
    *,
    domain: Any = None,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
) -> tuple[list[int], list[float]]:
    r"""Count the codes of a combination, with noise on every cell of its domain.

    The noise is discrete Laplace of scale :math:`b = \text{sensitivity}/\varepsilon`, drawn by
    OpenDP or, if `rng` is given, by numpy, which is not for releases.

    Parameters
    ----------
    df : DataFrame or CodedTable
        The table that `pre_process` returned, or the whole `CodedTable`.
    column : str
        Name of the combination.
    sample : {1, 0}
        1 keeps at most `sample_size` records of each individual, drawn without replacement. 0
        declares that nobody has more records; if that is not true, the release is refused.
    sample_size : int
        Records s of one individual that may count.
    sensitivity : int
        Sensitivity of the *whole* release, sH + q (see `histogram_sensitivity`), not divided
        by ε.
    epsilon : float
        ε of the whole release (natural logarithm); this histogram costs sε/(sH + q).
    domain : optional
        Result of `combined_domains`, required for a plain DataFrame; by default the domains of
        the `CodedTable`. Codes outside the domain do not count.
    rng : numpy.random.Generator, optional
        Source of noise and of the draw of records, for lessons and tests. Anyone who knows its
        seed can subtract the noise, and two releases with the same seed differ exactly as the
        true counts do. By default both come from the operating system.
    budget : PrivacyBudget, optional
        Pays before the data are read, even if the release is then refused.

    Returns
    -------
    population : list of int
        Codes, ascending, whether they occur or not. With more than a million cells, only those
        whose noisy count is above `release_threshold`, empty or not.
    weights : list of float
        Share of each code. Shares add up to 1, and are equal if no count is above 0.

    References
    ----------
    .. [1] A. Ghosh, T. Roughgarden and M. Sundararajan, *Universally utility-maximizing
       privacy mechanisms*, STOC 2009.
    .. [2] G. Cormode, C. Procopiuc, D. Srivastava and T. Tran, *Differentially private
       summaries for sparse data*, ICDT 2012.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> population, weights = create_private_histo(
    ...     coded, "where", 0, 1, sensitivity=1, epsilon=0.5, rng=np.random.default_rng(1))
    >>> population
    [10, 11, 12, 13]
    >>> [round(weight, 2) for weight in weights]
    [0.01, 0.67, 0.28, 0.04]
    """
    own = _domains_of(df, domain, column)[column]
    noisy = _noisy_cells(df, own, sample, sample_size, (sensitivity, epsilon, rng, budget))
    return noisy.codes.tolist(), noisy.shares.tolist()


# Counting with noise


# Sensitivity and ε of a whole release, the source of its noise, and the budget
Asked = tuple[float, float, Any, Any]


class NoisyCells(NamedTuple):
    """Noisy counts of the listed cells of a domain, ascending."""

    domain: CombinedDomain
    cells: IntArray
    counts: IntArray

    @property
    def codes(self) -> IntArray:
        """Combined code of each cell listed."""
        return self.domain.codes(self.cells)

    @property
    def shares(self) -> FloatArray:
        """Share of each cell listed."""
        return noisy_shares(self.counts)


def _paid_noise(
    records: int, label: str, sensitivity: float, epsilon: float, rng: Any, budget: Any
) -> Callable[..., IntArray]:
    """Return a sampler of noise that is paid for before the data are read."""
    loss = histogram_epsilon(records, sensitivity, epsilon)
    source = None if rng is None else check_generator(rng, "for noise and records")
    draw = whole_noise(sensitivity, epsilon, source)
    if budget is not None:
        if source is not None:
            warnings.warn(
                "a budget pays for noise of numpy (rng was passed), which is not for releases;"
                " leave out rng to draw from OpenDP.",
                UserWarning,
                stacklevel=3,
            )
        budget.charge(loss, label=label)
    return draw


def _domains_of(df: Any, domain: Any, *columns: str) -> dict[str, CombinedDomain]:
    """Domains as given, or as the table was coded; refuse if a column's domain is missing."""
    known = dict(getattr(df, "domains", {}) if domain is None else domain)
    if not known or not {*columns} <= {*known}:
        raise ValueError(
            f"domain: the possible codes of {listed(columns) or 'the table'} are not declared."
            f" Pass the table as pre_process returned it, or domain=combined_domains(...)."
        )
    return known


def _noisy_cells(
    df: Any, domain: CombinedDomain, sample: int, size: int, asked: Asked
) -> NoisyCells:
    """Pay, count the records within the bound, and add noise to every cell."""
    sensitivity, epsilon, rng, _ = asked
    draw = _paid_noise(size, f"histogram {domain.name}", *asked)
    table, people = _records(df)
    codes = table[domain.name].to_numpy(np.int64)
    if sample:
        # The choice of records must be as secret as the noise: only the system's seed is used.
        codes = codes[_capped(people, size, np.random.default_rng() if rng is None else rng)]
    elif people.value_counts(dropna=False).max() > size:  # missing is an individual
        raise ValueError(
            f"sample = 0 declares that no individual has more than sample_size = {size}"
            f" records, but at least one has more. Pass sample=1, which keeps no more."
        )
    cells = domain.find(codes)
    occupied, counts = np.unique(cells[cells >= 0], return_counts=True)
    limit, listing, noisy = -math.inf, [], []
    if domain.size > MOST_LISTED:
        limit = release_threshold(domain.size, sensitivity / epsilon)
    for start in range(0, domain.size, MOST_LISTED):  # a block of cells at a time
        block = draw(min(MOST_LISTED, domain.size - start))
        low, high = np.searchsorted(occupied, [start, start + len(block)])
        block[occupied[low:high] - start] += counts[low:high]
        own = np.flatnonzero(block > limit)
        listing.append(own + start)
        noisy.append(block[own])
    return NoisyCells(domain, np.concatenate(listing), np.concatenate(noisy))


def _capped(people: pd.Series, size: int, rng: np.random.Generator) -> IntArray:
    """Positions of at most `size` records of each individual, in their order."""
    # In a random order, the first `size` records of each individual are a draw without
    # replacement.
    order = rng.permutation(len(people))
    rank = people.iloc[order].groupby(people.to_numpy()[order], dropna=False).cumcount()
    return np.sort(order[rank.to_numpy() < size])


def noisy_shares(counts: Any) -> FloatArray:
    """Turn noisy counts into shares that are at least 0 and add up to 1.

    Negative counts become 0. If no count is above 0, all cells have the same share. Each row
    is a histogram.

    >>> noisy_shares([6, 2, -2]).tolist()
    [0.75, 0.25, 0.0]
    """
    above = np.maximum(points(counts, "counts"), 0.0)
    above = np.where(above.any(axis=-1, keepdims=True), above, 1.0)
    return np.asarray(above / above.sum(axis=-1, keepdims=True))


def population_query(
    df: pd.DataFrame | CodedTable,
    sensitivity: float,
    epsilon: float,
    *,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
) -> int:
    r"""Count the individuals, with noise; it costs :math:`\varepsilon/(sH + q)`.

    Parameters
    ----------
    df : DataFrame
        The table that `pre_process` returned, or any table with one `_i` column.
    sensitivity, epsilon, rng, budget
        As for `create_private_histo`.

    Returns
    -------
    int
        Noisy count; it may be below 0.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": [1, 1, 1, 2]})
    >>> population_query(calls, 5, 50.0, rng=np.random.default_rng(1))
    2
    """
    draw = _paid_noise(1, "number of individuals", sensitivity, epsilon, rng, budget)
    return int(_records(df)[1].nunique(dropna=False) + draw(1)[0])


# A whole release


@dataclass(frozen=True, eq=False, repr=False)
class PrivateHistograms:
    """Histograms that were released together; they may be published if OpenDP drew the noise.

    ``release["call"]`` is the pair of population and weights that
    `create_private_histo` returns. With `backend` "numpy" the histograms are for lessons and
    tests, not for releases: anyone who knows the seed can subtract the noise.

    Attributes
    ----------
    cells : dict of {name: NoisyCells}
        `counts`, `shares` and `codes` of the cells of each combination that are listed.
    population : int or None
        Noisy number of individuals, if there was a population query.
    sensitivity, epsilon, sample_size
        Sensitivity sH + q and ε of the whole release, and the records of one individual that
        count.
    backend : str
        "opendp", or "numpy", which is not for releases.
    """

    cells: dict[str, NoisyCells]
    population: int | None
    sensitivity: int
    epsilon: float
    sample_size: int
    backend: str

    @property
    def scale(self) -> float:
        """Scale of the noise on every cell and count."""
        return self.sensitivity / self.epsilon

    @property
    def summary(self) -> pd.DataFrame:
        """A row per histogram; nothing in it is secret.

        `cells` of the domain, how many are `listed`, `epsilon` of this histogram, `scale` of
        the noise, and the `backend`.
        """
        facts = {
            "cells": [noisy.domain.size for noisy in self.cells.values()],
            "listed": [len(noisy.counts) for noisy in self.cells.values()],
            "epsilon": self.sample_size * self.epsilon / self.sensitivity,
            "scale": self.scale,
            "backend": self.backend + ", not for releases" * (self.backend == "numpy"),
        }
        return pd.DataFrame(facts, index=[*self.cells])

    def __getitem__(self, name: str) -> tuple[list[int], list[float]]:
        """Population and weights of one combination."""
        return self.cells[name].codes.tolist(), self.cells[name].shares.tolist()

    def __repr__(self) -> str:
        """Noisy number of individuals, and the summary."""
        return f"PrivateHistograms, population {self.population}\n{self.summary}"


def release_histograms(
    df: pd.DataFrame | CodedTable,
    sample: int,
    sample_size: int,
    epsilon: float,
    *,
    population_queries: int = 1,
    domain: Any = None,
    rng: np.random.Generator | None = None,
    budget: PrivacyBudget | None = None,
) -> PrivateHistograms:
    r"""Release the histograms of all combinations, and the number of individuals, for one ε.

    The release consists of `create_private_histo` for each combination and one
    `population_query`, with the sensitivity sH + q.

    Parameters
    ----------
    df, sample, sample_size, rng
        As for `create_private_histo`.
    epsilon : float
        Total privacy loss of all answers (natural logarithm).
    population_queries : int, default 1
        Counts q that the noise allows for. The first is answered here; others are left to
        `population_query`, with the sensitivity of this release.
    domain : mapping of {name: domain}, optional
        As for `create_private_histo`; its combinations are released.
    budget : PrivacyBudget, optional
        Pays before the data are read; a warning is raised if it pays for noise of numpy.

    Returns
    -------
    PrivateHistograms
        Population and weights of each combination, with the ε and the noise of the release.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release_histograms(coded, 0, 1, 1.0, rng=np.random.default_rng(1))
    PrivateHistograms, population 85
           cells  listed  epsilon  scale                  backend
    where      4       4      0.5    2.0  numpy, not for releases

    Without `rng` the release may leave the machine, and a budget pays for it:

    >>> budget = PrivacyBudget(epsilon=1.0)
    >>> release_histograms(coded, 0, 1, 1.0, budget=budget).backend
    'opendp'
    >>> budget.ledger[["label", "epsilon", "left"]]
                       label  epsilon  left
    0  number of individuals      0.5   0.5
    1        histogram where      0.5   0.0
    """
    domains = _domains_of(df, domain)
    sensitivity = histogram_sensitivity(len(domains), sample_size, population_queries)
    population = None
    if population_queries:
        population = population_query(df, sensitivity, epsilon, rng=rng, budget=budget)
    asked = (sensitivity, epsilon, rng, budget)
    cells = {
        n: _noisy_cells(df, own, sample, sample_size, asked) for n, own in domains.items()
    }
    backend = "opendp" if rng is None else "numpy"
    return PrivateHistograms(cells, population, sensitivity, epsilon, sample_size, backend)


# Rows again


def simulate_rows(
    histograms: PrivateHistograms, n: int | None = None, *, rng: np.random.Generator
) -> pd.DataFrame:
    """Draw synthetic rows from released histograms, decoded to values.

    Rows are drawn from each histogram independently. If a histogram shares columns with an
    earlier one, its rows are drawn given the values of these columns, which links the two.
    This is post-processing and costs no ε.

    Parameters
    ----------
    histograms : PrivateHistograms
        What `release_histograms` returned.
    n : int, optional
        Number of rows; by default the release's noisy number of individuals.
    rng : numpy.random.Generator
        Source of the rows.

    Returns
    -------
    DataFrame of shape (n, columns that are combined)
        Codes of `_c` columns; for `_n` columns, values of their bins, all equally likely. If a
        histogram lists no cells, all cells of its domain are equally likely.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "wait_n": [3] * 60 + [20] * 30})
    >>> coded = pre_process(calls, {"wait": ["wait_n"]}, {"wait_n": [50, 10, 100]})
    >>> release = release_histograms(coded, 0, 1, 50.0, rng=np.random.default_rng(1))
    >>> simulate_rows(release, 4, rng=np.random.default_rng(1))
       wait_n
    0       3
    1      14
    2       9
    3      15
    """
    population = histograms.population
    asked = population and max(population, 0) if n is None else n
    rows = check_number(asked, "n", "[0, 1e9]", "rows to draw", whole=True)
    check_generator(rng, "to draw rows")
    places = pd.DataFrame(index=range(rows))  # in the domain of each column
    values = places.copy()
    for noisy in histograms.cells.values():
        drawn = np.unravel_index(_drawn(noisy, places, rng), noisy.domain.shape)
        for part, place in zip(noisy.domain.parts, drawn, strict=True):
            if part.column not in places:
                places[part.column] = place
                values[part.column] = between(part.low[place], part.high[place], rng)
    return values


def _drawn(noisy: NoisyCells, places: pd.DataFrame, rng: np.random.Generator) -> IntArray:
    """Cells by their shares, one per row, given the columns that are already drawn."""
    domain, cells, shares = noisy.domain, noisy.cells, noisy.shares
    if not len(cells):
        return rng.integers(0, domain.size, len(places))
    drawn = rng.choice(cells, len(places), p=shares)
    columns = [part.column for part in domain.parts]
    if known := [column for column in columns if column in places]:
        above = np.flatnonzero(shares)
        split = np.unravel_index(cells[above], domain.shape)
        table = pd.DataFrame(dict(zip(columns, split, strict=True)))
        alike = table.groupby(known).indices
        for key, rows in places.groupby(known).indices.items():
            if key in alike:  # otherwise the draw is from all cells
                match = above[alike[key]]
                share = shares[match] / shares[match].sum()
                drawn[rows] = rng.choice(cells[match], len(rows), p=share)
    return drawn


# The proof in three numbers, and the noise to be expected


def histogram_sensitivity(
    histograms: int, sample_size: int, population_queries: int = 0
) -> int:
    r"""Largest change of all answers together by one individual: :math:`sH + q`.

    Parameters
    ----------
    histograms : int
        Histograms H.
    sample_size : int
        Records s of one individual that may count.
    population_queries : int, default 0
        Counts q of individuals.

    Returns
    -------
    int
        Largest sum of absolute changes (L1) when an individual is added or removed with all
        records; a larger one needs more noise.

    Examples
    --------
    Four histograms and the number of incidents, with one record per incident:

    >>> histogram_sensitivity(4, 1, 1)
    5
    """
    h = check_number(histograms, "histograms", "[0, 1e6]", whole=True)
    q = check_number(population_queries, "population_queries", "[0, 1e6]", whole=True)
    return int(positive(_sample_size(sample_size) * h + q, "the sensitivity of the release"))


def histogram_scale(
    histograms: int, sample_size: int, population_queries: int, epsilon: float
) -> float:
    r"""Scale of the noise on every cell and count: :math:`b = (sH + q)/\varepsilon`.

    Arguments are those of `histogram_sensitivity`, and the total ε (natural logarithm) of all
    answers. The scale is in records; larger is safer.

    >>> histogram_scale(4, 1, 1, 1.0)
    5.0
    """
    whole = histogram_sensitivity(histograms, sample_size, population_queries)
    return whole / check_loss(epsilon)


def histogram_epsilon(sample_size: int, sensitivity: float, epsilon: float) -> float:
    r"""Privacy loss of one histogram of a release: :math:`s\varepsilon/(sH + q)`.

    Parameters
    ----------
    sample_size : int
        Records s of one individual that may count; 1 for a population query.
    sensitivity : float
        Sensitivity of the whole release, sH + q.
    epsilon : float
        ε of the whole release (natural logarithm).

    Returns
    -------
    float
        Privacy loss (natural logarithm); smaller is safer. The losses of all answers add up to
        `epsilon`.

    Examples
    --------
    >>> histogram_epsilon(1, 5, 1.0)
    0.2
    """
    s = _sample_size(sample_size)
    if positive(sensitivity, "sensitivity") < s:
        raise ValueError(
            f"sensitivity must be that of the whole release, at least {s} here, not divided by"
            f" epsilon (see histogram_sensitivity); got {sensitivity!r:.80}."
        )
    return s * check_loss(epsilon) / sensitivity


def _sample_size(given: Any) -> int:
    """Return how many records of one individual count."""
    return int(check_number(given, "sample_size", "[1, 1e9]", "records", whole=True))


def expected_noise(scale: float) -> float:
    r"""Mean absolute noise of one cell: :math:`E|\eta| = 2a/(1-a^2)` with :math:`a=e^{-1/b}`.

    In records; smaller is more accurate, and less private.

    With a = 1/2, noise 0 has probability 1/3; the rest adds 2 · (1/6 + 2/12 + 3/24 + ...) =
    4/3.

    >>> round(expected_noise(1 / math.log(2)), 6)
    1.333333
    """
    b = positive(scale, "scale")
    return 2 * math.exp(-1 / b) / -math.expm1(-2 / b)


def expected_largest_noise(scale: float, bins: int) -> float:
    r"""Mean of the largest absolute noise of several cells: :math:`b H_k`.

    :math:`H_k = 1 + 1/2 + \dots + 1/k`, because the maximum of k exponential variables is a
    sum of independent exponential variables with means b, b/2, ..., b/k (A. Rényi, 1953). It
    is exact for Laplace noise; for discrete Laplace noise the mean is up to 0.15 records
    smaller, for scales from 1 on.

    >>> round(expected_largest_noise(5.0, 4), 3)
    10.417
    """
    k = check_number(bins, "bins", "[1, 1e18]", "cells with noise", whole=True)
    return float(positive(scale, "scale") * (digamma(k + 1) + np.euler_gamma))


def expected_total_variation(scale: float, bins: int, records: int) -> float:
    r"""Total variation that noise alone causes: :math:`\frac{k E|\eta|}{2n}`, at most 1.

    For k cells and n records, where n may be a public number; before post-processing.

    At scale 5 a histogram of twelve months is accurate, a calendar of hours is not:

    >>> round(expected_total_variation(5.0, 12, 20_000), 4)
    0.0015
    >>> expected_total_variation(5.0, 12 * 31 * 24, 20_000)
    1.0
    """
    k = check_number(bins, "bins", "[1, 1e18]", "cells with noise", whole=True)
    n = check_number(records, "records", "[1, 1e18]", whole=True)
    return float(min(1.0, k * expected_noise(scale) / (2 * n)))


def release_threshold(cells: int, scale: float) -> int:
    r"""Count that the noise is expected to exceed in at most one empty cell.

    The smallest τ of at least 0 with :math:`\text{cells} \cdot a^{\tau+1}/(1+a) \le 1`, where
    :math:`a = e^{-1/b}`. It depends on public numbers only: cells with noisy counts up to τ
    are left out, cells above it are listed, whether empty or not.

    >>> release_threshold(41_648_640, 5.0)
    84
    """
    check_number(cells, "cells", "[1, 1e15]", "cells of the domain", whole=True)
    return int(DiscreteLaplaceNoise(scale).accuracy(min(2 / cells, 1.0)))


def bound_contributions(
    df: pd.DataFrame, sample_size: int, *, rng: np.random.Generator
) -> pd.DataFrame:
    """Keep at most `sample_size` records of each individual, drawn without replacement.

    Parameters
    ----------
    df : DataFrame of shape (n_records, n_columns)
        One column ends in `_i`, the individual.
    sample_size : int
        Records s of one individual that may count.
    rng : numpy.random.Generator
        Source of the draw; all sets of s records of an individual are equally likely. Its seed
        must be as secret as that of the noise, because it discloses which records count.

    Returns
    -------
    DataFrame
        The records that are kept, in their order and with their labels. Adding or removing an
        individual with all records changes at most s rows; a smaller s is safer.

    Examples
    --------
    >>> trips = pd.DataFrame({"taxi_i": [1, 1, 1, 2], "fare_n": [5, 6, 7, 50]})
    >>> bound_contributions(trips, 1, rng=np.random.default_rng(1))
       taxi_i  fare_n
    0       1       5
    3       2      50
    """
    size = _sample_size(sample_size)
    return df.iloc[_capped(_records(df)[1], size, check_generator(rng, "to draw records"))]


def without_individual(ground_truth: pd.DataFrame, individual: int) -> pd.DataFrame:
    """Remove all records of one individual, which gives a neighbouring data set.

    >>> trips = pd.DataFrame({"taxi_i": [1, 2, 1], "fare_n": [5, 6, 7]})
    >>> without_individual(trips, 1)
       taxi_i  fare_n
    1       2       6
    """
    own = _records(ground_truth)[1].isin([individual]).to_numpy(bool)
    if not own.any():
        raise ValueError(f"individual: {individual!r:.80} has no record; name one who has.")
    return ground_truth[~own]


def curator_utility(
    df: pd.DataFrame | CodedTable, histograms: PrivateHistograms
) -> pd.DataFrame:
    """Compare released histograms with the true shares. For the curator only: not private.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    histograms : PrivateHistograms
        What `release_histograms` returned.

    Returns
    -------
    DataFrame
        A row per histogram: `cells`, `occupied` (cells that occur), `total_variation` (the
        largest difference in the share of any event, from 0 to 1), `largest_error` of the
        count of a cell listed, in records, beside `expected_largest_noise` of all cells, and
        `curator_only`. The error comes from the noise and from records of `df` that a bound on
        contributions leaves out.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": range(90), "area_c": [1] * 60 + [2] * 30})
    >>> coded = pre_process(calls, {"where": ["area_c"]}, {}, domain={"area_c": range(4)})
    >>> release = release_histograms(coded, 0, 1, 1.0, rng=np.random.default_rng(1))
    >>> curator_utility(coded, release)[["cells", "occupied", "largest_error", "curator_only"]]
           cells  occupied  largest_error  curator_only
    where      4         2              4          True
    """
    table, rows = _records(df)[0], {}
    for name, noisy in histograms.cells.items():
        true = table[name].value_counts()
        released = pd.Series(noisy.shares, index=noisy.codes)
        apart = (true / len(table)).sub(released, fill_value=0.0).abs()
        counts = true.reindex(noisy.codes, fill_value=0).to_numpy()
        size = noisy.domain.size
        rows[name] = {
            "cells": size,
            "occupied": len(true),
            "total_variation": apart.sum() / 2 if len(released) else 1.0,
            "largest_error": int(np.abs(noisy.counts - counts).max(initial=0)),
            "expected_largest_noise": expected_largest_noise(histograms.scale, size),
            "curator_only": True,
        }
    return pd.DataFrame.from_dict(rows, orient="index")
