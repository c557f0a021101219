"""Combined codes: a record written as one number per combination, and read again.

`check_input` finds what is wrong with a table, `pre_process` writes the columns of each
combination as one code, `histo_test` counts the codes that occur, and `col_decoder` reads a
column's value from a code. Names, order of arguments and returns are those of PrivacyHistos
(J. King, 2021, https://github.com/JimKing100/PrivacyHistos, MIT), as are the codes: a
categorical combination starts with a 1, a number has the code 10 for 0 and one more per bin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..._typing import BoolArray, IntArray
from ..._validation import check_generator, listed
from .._before import is_integer
from . import domain as domains
from .domain import MOST_DIGITS, CodedTable, ColumnCodes, CombinedDomain, Settings

Reader = Callable[[str, int, int, IntArray], IntArray]
"""Reads values from codes of a combination, given the digits of a column."""


def check_input(
    ground_truth: pd.DataFrame,
    combo_dict: Mapping[str, Any],
    num_dict: Mapping[str, Any],
    *,
    domain: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> int:
    """Say whether a table and its settings can become private histograms, and if not, why.

    The table: integers of at least 0; names end in `_c` (categorical), `_n` (numeric), `_i`
    (the individual, exactly one column) or `_x` (kept, never combined). For the curator: the
    answer depends on the data.

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
    strict : bool
        Raise instead of returning 0.

    Returns
    -------
    int
        1, or 0 after every reason has been printed.

    Raises
    ------
    TypeError, ValueError
        If `strict`, with every reason: a wrong kind of argument, or anything else.

    References
    ----------
    .. [1] J. King, *PrivacyHistos*, 2021, https://github.com/JimKing100/PrivacyHistos.

    Examples
    --------
    >>> calls = pd.DataFrame({"call_i": [1, 2], "hour_c": [0, 23], "wait_n": [3, 80]})
    >>> check_input(calls, {"when": ["hour_c"]}, {"wait_n": [50, 5, 100]})
    1
    >>> check_input(calls, {"when": ["hour_c", "wait_n"]}, {"wait_n": [50, 7, 100]})
    combo_dict: 'when' mixes categorical (_c) with numeric (_n) columns; split it in two.
    num_dict: 'wait_n' has the increment 7, which does not divide the top 50.
    0
    """
    given = ground_truth, combo_dict, num_dict, domain
    reasons, kind = domains.input_reasons(*given, look=True)
    if strict:
        domains.refuse(reasons, kind)
    if reasons:
        print("\n".join(reasons))
    return int(not reasons)


def pre_process(
    ground_truth: pd.DataFrame,
    combo_dict: Mapping[str, Any],
    num_dict: Mapping[str, Any],
    *,
    domain: Mapping[str, Any] | None = None,
) -> CodedTable:
    """Write the columns of each combination as one code per record.

    A value outside its domain is moved into it without a word, because a message would
    disclose it: to `other` if there is one, else to the nearest code. So are missing and
    negative values; `check_input` finds them beforehand.

    Parameters
    ----------
    ground_truth : DataFrame of shape (n_records, n_columns)
        Integers; see `check_input`. It stays as it is.
    combo_dict : mapping of {name: columns}
        Columns to be combined, all `_c` or all `_n`.
    num_dict : mapping of {column: [top, increment, max]}
        Bins of each `_n` column.
    domain : mapping of {column: codes}
        Possible codes of each `_c` column that is combined, from a codebook and never from the
        data: a range or a list, or ``{"codes": range or list, "other": code}``.

    Returns
    -------
    df : DataFrame
        The `_i` and `_x` columns, then a code per combination, under the caller's index.
    num_decode : dict of {column: {code: upper end of its bin}}
        Infinite for the bin above top.
    col_decode : dict of {column: [combo, start, end]}
        Digits of a column in its code; of several codes, in the last.

    The three are a `CodedTable`: passed on whole, it tells a release its domains.

    Raises
    ------
    TypeError, ValueError
        If the settings do not fit the columns, or the domain is not declared; with every
        reason. No value is looked at.

    Notes
    -----
    Codes are those of PrivacyHistos where a domain's largest code is as wide as the data's and
    a numeric column has at most 90 codes; more get three digits, which the original misread.

    References
    ----------
    .. [1] J. King, *PrivacyHistos*, 2021, https://github.com/JimKing100/PrivacyHistos.

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
    given = {} if domain is None else domain
    domains.refuse(*domains.input_reasons(ground_truth, combo_dict, num_dict, given))
    settings = Settings.checked(combo_dict, num_dict, given)
    kept = [name for name in ground_truth.columns if name[-2:] in ("_i", "_x")]
    combined = {name: settings.domain(name) for name in settings.combos}
    codes = {name: domain.encode(ground_truth) for name, domain in combined.items()}
    df = pd.concat([ground_truth[kept], pd.DataFrame(codes, ground_truth.index)], axis=1)
    df.attrs = dict(ground_truth.attrs)
    numeric = [name for name in ground_truth.columns if name in settings.bins]
    num_decode = {name: _upper_ends(settings, name) for name in numeric}
    return CodedTable(df, num_decode, _column_codes(settings, combined))


def _upper_ends(settings: Settings, column: str) -> dict[int, float]:
    """Upper end of the bin of each code."""
    part = settings.part(column)
    places = np.arange(len(part.codes))
    upper = part.bounds(places)[1].astype(float)
    upper[-1] = np.inf
    return dict(zip(part.codes.at(places).tolist(), upper.tolist(), strict=True))


def _column_codes(settings: Settings, combined: Mapping[str, CombinedDomain]) -> ColumnCodes:
    """Where each column stands in its code."""
    positions: dict[str, list[Any]] = {}
    for name, domain in combined.items():
        end = domain.prefix
        for part in domain.parts:
            start, end = end, end + part.width
            positions[part.column] = [name, start, end]
    return ColumnCodes(positions, settings)


def histo_test(df: pd.DataFrame, combo_dict: Mapping[str, Any]) -> None:
    """Print how many bins of each combination occur. For the curator only: it is not private.

    Parameters
    ----------
    df : DataFrame
        The table as `pre_process` returned it.
    combo_dict : mapping of {name: columns}
        Combinations.

    Raises
    ------
    TypeError, ValueError
        If `df` is not a DataFrame, or a combination is not in it, or twice.

    See Also
    --------
    domain_sizes : how many bins there are, occupied or not; that is public.

    Examples
    --------
    >>> df = pd.DataFrame({"taxi_i": [7, 7, 8], "when": [100, 120, 100]})
    >>> histo_test(df, {"when": ["shift_c"]})
    number of bins in when 2
    """
    for name, given, kind in (("df", df, pd.DataFrame), ("combo_dict", combo_dict, Mapping)):
        if not isinstance(given, kind):
            raise TypeError(f"{name} must be a {kind.__name__}; got {type(given).__name__}.")
    lacking = [name for name in combo_dict if name not in df.columns]
    if lacking:
        raise ValueError(
            f"df lacks {listed(lacking)}; pass the table as pre_process returned it. It has"
            f" {listed(df.columns)}."
        )
    twice = [name for name in combo_dict if list(df.columns).count(name) > 1]
    if twice:
        raise ValueError(f"df has {listed(twice)} twice; name each column once.")
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
        Draws one value of a numeric bin, all equally likely; without it, the middle one.

    Returns
    -------
    int, or Series or ndarray of int
        The code of a `_c` column; a value of the bin of an `_n` column.

    Raises
    ------
    TypeError, ValueError
        If a code is outside the domain, the column is in no code, or the three dictionaries do
        not belong together.

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

    def read(combo: str, start: int, end: int, codes: IntArray) -> IntArray:
        digits, inside = _domain_digits(col_decode, combo, codes)
        parts = codes // 10 ** (digits - end) % 10 ** (end - start)
        if column not in num_decode:
            check_codes_inside(inside, codes, combo)
            return np.asarray(parts)
        upper = pd.Series(parts).map(num_decode[column]).to_numpy(float)
        check_codes_inside(inside & ~np.isnan(upper), codes, combo)
        top, increment, largest = num_dict[column]
        lower = np.where(np.isinf(upper), top + 1, np.maximum(upper - increment + 1, 0))
        upper = np.where(np.isinf(upper), largest, upper)
        return domains.between(lower.astype(np.int64), upper.astype(np.int64), rng)

    return read_codes((num_dict, num_decode, col_decode), value, column, rng, read)


def check_codes_inside(inside: BoolArray, codes: IntArray, combo: Any) -> None:
    """Refuse codes that the domain of a combination does not have."""
    if not inside.all():
        raise ValueError(
            f"value: {listed(codes[~inside][:1].tolist())} is outside the domain of {combo!r};"
            f" pass a code that its histogram lists."
        )


def read_codes(
    decoders: tuple[Any, Any, Any], value: Any, column: str, rng: Any, read: Reader
) -> Any:
    """Check what a decoder is given, and lay its answers out as the codes are."""
    num_dict, num_decode, col_decode = decoders
    place = _place(column, col_decode, num_dict=num_dict, num_decode=num_decode)
    codes = _code_values(value)
    if rng is not None:
        check_generator(rng, "to draw from bins")
    found = read(*place, codes)
    if isinstance(value, pd.Series):
        return pd.Series(found, index=value.index, name=column)
    return found.reshape(np.shape(value)) if np.ndim(value) else int(found[0])


def _place(column: Any, col_decode: Any, **bins: Any) -> tuple[str, int, int]:
    """Return where a column stands in its combination's code."""
    for name, given in (bins | {"col_decode": col_decode}).items():
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dictionary; got {type(given).__name__}.")
    if not isinstance(column, str) or column not in col_decode:
        raise ValueError(f"column: {column!r} is in no code; these are: {listed(col_decode)}.")
    if domains.ends(column, "_n"):
        for name, given in bins.items():
            if column not in given:
                raise ValueError(f"{name} lacks {column!r}; pass it as pre_process used it.")
        _check_bin_ends(bins["num_dict"][column], bins["num_decode"][column], column)
    place = col_decode[column]
    fits = isinstance(place, (list, tuple)) and len(place) == 3
    whole = fits and all(is_integer(digit) for digit in place[1:])
    if not (whole and 0 <= place[1] < place[2] <= MOST_DIGITS):
        raise ValueError(
            f"col_decode: {column!r} must have [combination, start, end] of its digits; got"
            f" {place!r:.80}. Pass it as pre_process returned it."
        )
    return place[0], int(place[1]), int(place[2])


def _check_bin_ends(three: Any, upper_ends: Any, column: str) -> None:
    """Refuse bins other than those that a column was coded with."""
    domains.refuse(domains.bin_reasons(None, {"bins": [column]}, {column: three}), ValueError)
    top, increment, _ = three
    upper = list(upper_ends.values()) if isinstance(upper_ends, Mapping) else []
    if len(upper) != top // increment + 2 or upper[1] != increment or upper[-2] != top:
        raise ValueError(
            f"num_decode of {column!r} has {len(upper)} bins that are not those of num_dict,"
            f" {list(three)}; pass both as pre_process used and returned them."
        )


def _code_values(value: Any) -> IntArray:
    """Return combined codes as integers; texts of digits are codes, too."""
    if isinstance(value, (Mapping, set)):
        raise TypeError(f"value must be a code, or an array of codes; got {value!r:.80}.")
    numbers = []
    for cell in np.asarray(value, dtype=object).ravel().tolist():
        if not isinstance(cell, str) and not is_integer(cell):
            raise TypeError(f"value must be a code, such as 1130608; got {cell!r:.80}.")
        text = str(cell)
        digits = text.isascii() and text.isdigit() and text[0] != "0"
        if not digits or len(text) > MOST_DIGITS:
            raise ValueError(
                f"value: {cell!r:.80} is no code of any domain; a code has up to"
                f" {MOST_DIGITS} digits and does not start with a 0."
            )
        numbers.append(int(text))
    return np.array(numbers, dtype=np.int64)


def _domain_digits(
    col_decode: Mapping[str, Sequence[Any]], combo: str, codes: IntArray
) -> tuple[int, BoolArray]:
    """Digits of a combination's codes, and which are in its domain, as far as is known."""
    if isinstance(col_decode, ColumnCodes):
        domain = col_decode.settings.domain(combo)
        return domain.digits, domain.find(codes) >= 0
    spans = [span for span in col_decode.values() if span[0] == combo]
    digits = max(span[2] for span in spans)
    lead = codes // 10 ** (digits - 1)
    # Categorical codes start with a 1 that belongs to no column.
    highest = 1 if min(span[1] for span in spans) else 9
    return digits, (lead >= 1) & (lead <= highest)
