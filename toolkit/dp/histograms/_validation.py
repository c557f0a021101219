"""Can this table become private histograms? Checks of codes and domains, with their messages.

`input_reasons` looks at the values and speaks to the curator. All other checks look at names,
types and settings only, because an error that depends on the data discloses something of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..._validation import check_choice, check_table, check_whole, find_columns, listed
from .._validation import Floats, Whole, check_noise, check_sensitivity

SUFFIXES = ("_i", "_c", "_n", "_x")


MOST_DIGITS = 18


"""Digits of a combined code, so that it fits 64 bits."""


MOST_BINS = 1_000_000


"""Bins of a numeric column, which a decoder lists one by one."""


LARGEST_DOMAIN = 10**15


"""Cells of a combination up to which the number of noisy empty ones is drawn exactly."""


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


# Tables and settings


def digits_of(code: int) -> int:
    """Return the number of digits of a code."""
    return len(str(code))


def numeric_codes(bins: Sequence[int]) -> range:
    """Codes of a numeric column: one for 0, one per increment up to top, and one above.

    All have the same number of digits, two if that is enough, and none starts with a 0.
    """
    number, width = bins[0] // bins[1] + 2, 2
    while number > 9 * 10 ** (width - 1):
        width += 1
    return range(10 ** (width - 1), 10 ** (width - 1) + number)


def input_reasons(table: Any, combos: Any, bins: Any, domain: Any) -> tuple[list[str], type]:
    """Return every reason why a table cannot become histograms, and the kind of error."""
    wrong = [*_table_reasons(table), *_kind_reasons(combos, bins, domain)]
    if wrong:
        return wrong, TypeError
    reasons = [*_schema_reasons(table), *_cell_reasons(table)]
    reasons += _setting_reasons(list(table.columns), combos, bins, domain)
    return reasons + list(_digit_reasons(table, combos, bins, domain)), ValueError


Settings = tuple[
    dict[str, list[str]], dict[str, tuple[int, int, int]], dict[str, tuple[Any, int | None]]
]


"""Columns of each combination; bins of numeric columns; codes of categorical ones."""


def check_table_settings(table: Any, combos: Any, bins: Any, domain: Any) -> Settings:
    """Return settings that fit the names and types of a table; no value is looked at.

    Without a domain, no codes need to be declared.
    """
    wrong = [*_table_reasons(table), *_kind_reasons(combos, bins, domain)]
    if wrong:
        raise TypeError("\n".join(wrong))
    reasons = list(_schema_reasons(table))
    return _settled(list(table.columns), combos, bins, domain, reasons)


def check_settings(combos: Any, bins: Any, domain: Any) -> Settings:
    """Return settings that are sound by themselves."""
    wrong = list(_kind_reasons(combos, bins, domain))
    if wrong:
        raise TypeError("\n".join(wrong))
    return _settled(None, combos, bins, domain, [])


def _settled(names: Any, combos: Any, bins: Any, domain: Any, reasons: list[str]) -> Settings:
    reasons += _setting_reasons(names, combos, bins, domain)
    if domain is not None:
        reasons += _digit_reasons(None, combos, bins, domain)
    if reasons:
        raise ValueError("\n".join(reasons))
    coded = [] if domain is None else _named(combos, "_c")
    return (
        {name: list(columns) for name, columns in combos.items()},
        {name: (int(b[0]), int(b[1]), int(b[2])) for name, b in bins.items()},
        {name: check_column_domain(domain[name], name) for name in coded},
    )


def _table_reasons(table: Any) -> Iterable[str]:
    if not isinstance(table, pd.DataFrame):
        yield f"ground_truth must be a pandas DataFrame; got {type(table).__name__}."


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


def _setting_reasons(names: Any, combos: Any, bins: Any, domain: Any) -> list[str]:
    """What is wrong with the settings; without names, any column may be there."""
    reasons = [*_combo_reasons(names, combos), *_bin_reasons(names, combos, bins)]
    return reasons if domain is None else reasons + list(_domain_reasons(combos, domain))


def _combo_reasons(names: Any, combos: Any) -> Iterable[str]:
    known = names is not None
    for name, columns in combos.items():
        if not isinstance(name, str) or not name or name[-2:] in SUFFIXES:
            yield f"combo_dict: {name!r} must be a text that ends in none of _i, _c, _n, _x."
        elif known and name in names:
            yield f"combo_dict: {name!r} is already a column; choose another name."
        if not isinstance(columns, (list, tuple)) or not columns:
            yield f"combo_dict: {name!r} must list its columns; got {columns!r:.80}."
            continue
        unknown = [c for c in columns if not isinstance(c, str) or known and c not in names]
        if unknown:
            yield f"combo_dict: {name!r} names {listed(unknown)}, which is no column."
        columns = [column for column in columns if isinstance(column, str)]
        kept = [column for column in columns if column[-2:] not in ("_c", "_n")]
        if kept:
            yield f"combo_dict: {name!r} combines {listed(kept)}; only _c or _n can be."
        if {"_c", "_n"} <= {column[-2:] for column in columns}:
            yield (
                f"combo_dict: {name!r} mixes categorical (_c) with numeric (_n) columns; make"
                f" two of it."
            )
        if len(set(columns)) < len(columns):
            yield f"combo_dict: {name!r} names a column twice; name it once."


def _named(combos: Any, suffix: str) -> list[str]:
    """Columns of all combinations that end so, each once."""
    listings = [columns for columns in combos.values() if isinstance(columns, (list, tuple))]
    return list(dict.fromkeys(c for columns in listings for c in columns if _ends(c, suffix)))


def _ends(name: object, suffix: str) -> bool:
    return isinstance(name, str) and name.endswith(suffix)


def _bin_reasons(names: Any, combos: Any, bins: Any) -> Iterable[str]:
    numeric = _named(combos, "_n") if names is None else [n for n in names if _ends(n, "_n")]
    lacking = [name for name in dict.fromkeys(numeric) if name not in bins]
    if lacking:
        yield f"num_dict lacks {listed(lacking)}; give each its [top, increment, max]."
    for name, three in bins.items():
        if not isinstance(name, str) or name[-2:] != "_n" or name not in (names or [name]):
            yield f"num_dict: {name!r} is no numeric (_n) column of the table."
        if not isinstance(three, (list, tuple)) or len(three) != 3:
            yield (
                f"num_dict: {name!r} needs three numbers, [top, increment, max]; got"
                f" {three!r:.80}."
            )
        elif not all(_is_integer(number) for number in three):
            yield f"num_dict: {name!r} must hold integers; got {three!r:.80}."
        else:
            yield from _bin_order(name, *map(int, three))


def _bin_order(name: str, top: int, increment: int, largest: int) -> Iterable[str]:
    if increment <= 0:
        yield f"num_dict: {name!r} has the increment {increment}; it must be at least 1."
    elif top <= increment:
        yield (
            f"num_dict: {name!r} has the increment {increment} and the top {top}; the top must"
            f" be the larger one."
        )
    elif top % increment:
        yield (
            f"num_dict: {name!r} has the increment {increment}, which does not divide the top"
            f" {top}."
        )
    elif top // increment > MOST_BINS:
        yield f"num_dict: {name!r} has more than {MOST_BINS:,} bins; take a larger increment."
    if largest <= top:
        yield f"num_dict: {name!r} has the max {largest}; it must be above the top {top}."
    if largest >= 10**MOST_DIGITS:
        yield f"num_dict: {name!r} has a max of more than {MOST_DIGITS} digits."


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
            check_column_domain(entry, name)
        except (TypeError, ValueError) as error:
            yield str(error)


def check_column_domain(entry: Any, name: Any) -> tuple[range | Whole, int | None]:
    """Return the codes of a column, ascending, and the one that stands for all others."""
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
    codes = check_code_list(entry, f"domain: {name!r}")
    if other is not None:
        other = check_whole(other, f"domain: {name!r}: other", 0, 10**18 - 1, "a code")
        if other not in codes:
            codes = np.sort(np.append(np.asarray(codes, dtype=np.int64), other))
    return codes, other


def check_code_list(entry: Any, argument: str) -> range | Whole:
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
    odd = [code for code in ends if not _is_integer(code)]
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


def _digit_reasons(table: Any, combos: Any, bins: Any, domain: Any) -> Iterable[str]:
    """Combinations whose codes do not fit 64 bits; without a domain, as the data have it."""
    for name, columns in combos.items():
        listing = columns if isinstance(columns, (list, tuple)) else []
        used = dict.fromkeys(column for column in listing if isinstance(column, str))
        last = [_last_code(column, table, bins, domain) for column in used]
        digits = sum(digits_of(code) for code in last if code is not None)
        digits += any(_ends(column, "_c") for column in used)
        if digits > MOST_DIGITS:
            yield (
                f"combo_dict: codes of {name!r} have {digits} digits, more than {MOST_DIGITS};"
                f" combine fewer columns."
            )


def _last_code(column: Any, table: Any, bins: Any, domain: Any) -> int | None:
    """The largest code of a column, or None if its settings are wrong."""
    if _ends(column, "_n"):
        three = bins.get(column)
        wrong = list(_bin_reasons(None, {"bins": [column]}, {column: three}))
        return None if wrong else numeric_codes(three)[-1]
    if domain is not None:
        try:
            return int(check_column_domain(domain[column], column)[0][-1])
        except (KeyError, TypeError, ValueError):
            return None
    found = find_columns(table, column)
    values = table.iloc[:, found[0]].dropna() if found else pd.Series(dtype=float)
    whole = pd.api.types.is_integer_dtype(values.dtype) and len(values) > 0
    return max(int(values.max()), 0) if whole else None


def check_ground_truth(table: Any) -> pd.DataFrame:
    """Return a table of integers that has rows."""
    reasons = [*_schema_reasons(check_table(table, "ground_truth")), *_cell_reasons(table)]
    if reasons:
        raise ValueError("\n".join(reasons))
    return table  # type: ignore[no-any-return]


# Releases


def check_combined(df: Any, column: Any) -> pd.Series:
    """Return the individuals of a pre-processed table that has the combined column."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(
            f"df must be the DataFrame that pre_process returns; got {type(df).__name__}."
        )
    people = check_individuals(df)
    found = df.loc[:, [column]] if find_columns(df, column) else df.iloc[:, :0]
    if found.shape[1] != 1 or column == people.name:
        raise ValueError(
            f"column: there is no one combined column {column!r}; the table has"
            f" {listed(df.columns)}."
        )
    if not pd.api.types.is_integer_dtype(found.dtypes.iloc[0]):
        raise TypeError(
            f"column {column!r} must hold integer codes; got {found.dtypes.iloc[0]}."
        )
    return people


def check_individuals(df: Any) -> pd.Series:
    """Return the column that says whose record each row is."""
    if not isinstance(df, pd.DataFrame):
        raise TypeError(f"df must be a pandas DataFrame; got {type(df).__name__}.")
    people = [j for j, name in enumerate(df.columns) if _ends(name, "_i")]
    if len(people) != 1:
        raise ValueError(
            f"df must have exactly one column that ends in _i, the individual whose record it"
            f" is; got {listed(df.columns[people]) or 'none'}."
        )
    return df.iloc[:, people[0]]


def check_individual(people: pd.Series, individual: Any) -> npt.NDArray[np.bool_]:
    """Return which records are those of one individual, who must have some."""
    # A list, or a missing number, is nobody.
    own = people.eq(individual if pd.api.types.is_scalar(individual) else np.nan)
    if not own.any():
        raise ValueError(f"individual: {individual!r:.80} has no record; name one who has.")
    return own.fillna(False).to_numpy(bool)


def check_sample(sample: Any) -> bool:
    """Return whether the records of an individual are sampled: 1 or 0."""
    if not isinstance(sample, (Integral, np.bool_)) or int(sample) not in (0, 1):
        raise ValueError(
            f"sample must be 1 (at most sample_size records of each individual) or 0; got"
            f" {sample!r:.80}."
        )
    return bool(sample)


def check_sample_size(sample_size: Any) -> int:
    """Return the records of one individual that may count."""
    return check_whole(sample_size, "sample_size", 1, 10**9, "records of one individual")


def check_release_sensitivity(sensitivity: Any, least: int) -> float:
    """Return the sensitivity of a whole release, which one answer of it cannot exceed."""
    whole = check_sensitivity(sensitivity)
    if whole < least:
        raise ValueError(
            f"sensitivity must be that of the whole release, sample_size x histograms +"
            f" population queries, not divided by epsilon: at least {least} here; got"
            f" {sensitivity!r:.80}."
        )
    return whole


def check_histogram_threshold(threshold: Any) -> int | None:
    """Return a count above which cells are listed, or None."""
    if threshold is None:
        return None
    return check_whole(threshold, "threshold", 0, 2**53, "noisy records of a listed cell")


def check_cell_number(cells: int) -> int:
    """Refuse a domain that is too large to draw from exactly."""
    if cells > LARGEST_DOMAIN:
        raise ValueError(
            f"the domain has {cells:.3g} cells, more than {LARGEST_DOMAIN:.0e}; combine fewer"
            f" columns."
        )
    return cells


def check_listed(expected: float, most: int, threshold: int) -> None:
    """Refuse a threshold that empty cells pass in their millions."""
    if expected > most:
        raise ValueError(
            f"threshold = {threshold}: about {expected:.3g} noisy empty cells would be above"
            f" it, more than {most:,} can be listed; take a higher one, or leave it out."
        )


def check_contributions(most: int, sample_size: int) -> None:
    """Refuse a release whose declared bound on contributions does not hold."""
    if most > sample_size:
        raise ValueError(
            f"sample = 0 declares that no individual has more than sample_size = {sample_size}"
            f" records, but some has more. Pass sample=1, which keeps at most that many."
        )


def check_declared(settings: Any, column: Any) -> Any:
    """Return the settings that a table carries, if they have the combination."""
    if settings is None or column not in settings.combos:
        raise ValueError(
            f"domain: the possible codes of {column!r} are not declared. Pass the table as"
            f" pre_process returned it, or domain=combined_domains(...), or a list of all"
            f" possible codes; never those that occur."
        )
    return settings


def check_domain_name(name: Any, column: Any) -> None:
    """Refuse the domain of one combination for the codes of another."""
    if name != column:
        raise ValueError(
            f"domain is that of {name!r}, not of {column!r}; pass combined_domains(...) as a"
            f" whole, or its {column!r}."
        )


def check_same_domain(same: bool, column: Any) -> None:
    """Refuse a domain other than that with which the table was coded."""
    if not same:
        raise ValueError(
            f"domain differs from the one with which pre_process coded {column!r}; pre-process"
            f" the table again with this domain."
        )


def warn_nothing_listed(name: object, threshold: int | None) -> None:
    """Say that a release lists no cell; its noisy counts say so, too."""
    warnings.warn(
        f"no cell of {name!r} has a noisy count above the threshold {threshold}, so its"
        f" histogram is empty: combine fewer columns, or take a larger epsilon.",
        UserWarning,
        stacklevel=4,
    )


def check_combos(df: Any, combos: Any) -> list[str]:
    """Return names of combinations that a pre-processed table has."""
    for name, given, kind in (("df", df, pd.DataFrame), ("combo_dict", combos, Mapping)):
        if not isinstance(given, kind):
            raise TypeError(f"{name} must be a {kind.__name__}; got {type(given).__name__}.")
    lacking = [name for name in combos if name not in df.columns]
    if lacking:
        raise ValueError(
            f"df lacks {listed(lacking)}; pass the table as pre_process returned it. It has"
            f" {listed(df.columns)}."
        )
    twice = [name for name in combos if list(df.columns).count(name) > 1]
    if twice:
        raise ValueError(f"df has {listed(twice)} twice; name each column once.")
    return list(combos)


def check_released(df: Any, columns: Any, settings: Any, domain: Any) -> list[str]:
    """Return names of the combinations that are to be released; at least one."""
    if columns is None:
        known = settings.combos if settings is not None else domain
        columns = list(known) if isinstance(known, Mapping) else []
    if isinstance(columns, (str, bytes, Mapping)) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must list names of combinations; got {columns!r:.80}.")
    names = list(columns)
    if domain is not None and not isinstance(domain, Mapping):
        raise TypeError(
            f"domain must map names of combinations to domains; got {type(domain).__name__}"
            f" {domain!r:.80}."
        )
    if not names or any(names.count(name) > 1 for name in names):
        raise ValueError(
            f"columns must name at least one combination, each once; got"
            f" {listed(names) or 'none'}. Pass the table as pre_process returned it."
        )
    return names


# Rows again


def check_rows(n: Any, population: int | None) -> int:
    """Return how many rows to draw: as many as asked for, or as the release counted."""
    if n is None and population is None:
        raise ValueError("n: say how many rows; the release has no population query.")
    meaning = "rows to draw"
    return max(population or 0, 0) if n is None else check_whole(n, "n", 0, 10**9, meaning)


def check_simulated(histograms: Any, decodable: bool) -> None:
    """Refuse what cannot be drawn from and decoded."""
    if not isinstance(histograms, Mapping) or not histograms:
        raise TypeError(
            f"histograms must be what release_histograms returned, or a dictionary of name:"
            f" (population, weights); got {type(histograms).__name__} {histograms!r:.80}."
        )
    if not decodable:
        raise ValueError(
            "col_decode must be what pre_process returned, to decode the codes of histograms."
        )


def check_pair(name: object, pair: Any) -> pd.Series:
    """Return the weights of one histogram by code."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(
            f"histograms[{name!r}] must be the pair (population, weights); got {pair!r:.80}."
        )
    return check_histogram(*pair)


# Post-processing


def check_counts(counts: Any, argument: str = "counts") -> Floats:
    """Return finite numbers of at least one dimension."""
    numbers = check_noise(counts, argument)
    if numbers.ndim < 1 or not np.isfinite(numbers).all():
        raise ValueError(
            f"{argument} must hold finite numbers, one per cell; got {counts!r:.80}."
        )
    return numbers


def check_method(method: Any) -> str:
    """Return how noisy counts become shares."""
    return check_choice(method, "method", ("clip", "simplex"))


def check_axes(counts: Any, columns: Any) -> dict[str, tuple[tuple[str, ...], Floats]]:
    """Return columns and counts of each histogram, an axis per column."""
    if not isinstance(counts, Mapping) or not isinstance(columns, Mapping):
        raise TypeError(
            f"counts and columns must map names of histograms to arrays and to columns; got"
            f" {type(counts).__name__} and {type(columns).__name__}."
        )
    found: dict[str, tuple[tuple[str, ...], Floats]] = {}
    sizes: dict[str, int] = {}
    for name, given in counts.items():
        named = columns.get(name, ())
        if not isinstance(named, (list, tuple)) or not all(isinstance(c, str) for c in named):
            raise TypeError(f"columns of {name!r} must list names; got {named!r:.80}.")
        numbers, axes = check_counts(given), tuple(named)
        if len(axes) != numbers.ndim or len(set(axes)) < len(axes):
            raise ValueError(
                f"columns of {name!r} must name each of the {numbers.ndim} axes of its counts"
                f" once; got {listed(axes) or 'none'}."
            )
        for column, size in zip(axes, numbers.shape, strict=True):
            if sizes.setdefault(column, size) != size:
                raise ValueError(
                    f"columns: {column!r} has {size} codes in {name!r} and {sizes[column]}"
                    f" elsewhere; count over one domain."
                )
        found[name] = axes, numbers
    return found


# Utility


def check_histogram(population: Any, weights: Any) -> pd.Series:
    """Return the weights of a histogram by code."""
    for name, given in {"population": population, "weights": weights}.items():
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Collection):
            raise TypeError(
                f"{name} must be a list, as create_private_histo returns it; got"
                f" {type(given).__name__} {given!r:.80}."
            )
    codes, shares = list(population), check_counts(weights, "weights")
    odd = [code for code in codes if not _is_integer(code)]
    if odd:
        raise TypeError(f"population must hold integer codes; got {listed(odd)}.")
    if len(codes) != len(shares) or len(set(codes)) < len(codes):
        raise ValueError(
            f"population and weights must list each code once, with its weight; got"
            f" {len(codes)} codes and {len(shares)} weights."
        )
    if len(shares) and not ((shares >= 0).all() and abs(shares.sum() - 1) < 1e-9):
        raise ValueError("weights must be shares of at least 0 that add up to 1.")
    return pd.Series(shares, index=pd.Index(codes, dtype=np.int64 if not codes else None))


def check_common_columns(
    ground_truth: Any, simulated: Any, suffixes: tuple[str, ...]
) -> list[str]:
    """Return the columns of both tables that end so; both have rows."""
    check_table(ground_truth, "ground_truth")
    check_table(simulated, "simulated")
    names = [n for n in ground_truth.columns if any(_ends(n, s) for s in suffixes)]
    common = [name for name in names if name in simulated.columns]
    if not common:
        raise ValueError(
            f"simulated shares no {' or '.join(suffixes)} column with ground_truth; it has"
            f" {listed(simulated.columns)}."
        )
    for argument, table in {"ground_truth": ground_truth, "simulated": simulated}.items():
        for name in common:
            columns = table.loc[:, table.columns == name]
            if columns.shape[1] > 1:
                raise ValueError(f"{argument} has {name!r} twice; name each column once.")
            if not pd.api.types.is_integer_dtype(columns.dtypes.iloc[0]):
                raise TypeError(
                    f"{argument}: column {name!r} must hold integers; got"
                    f" {columns.dtypes.iloc[0]}."
                )
    return common


def check_column_bins(bins: Any, names: Iterable[str]) -> dict[str, tuple[int, int, int]]:
    """Return the bins of the numeric columns among the names."""
    numeric = [name for name in names if name.endswith("_n")]
    return check_settings({"bins": numeric} if numeric else {}, bins, None)[1]


# Decoding


def check_decoder(
    num_dict: Any, num_decode: Any, col_decode: Any, column: Any
) -> tuple[str, int, int]:
    """Return where a column stands in its combination's code."""
    named = {"num_dict": num_dict, "num_decode": num_decode, "col_decode": col_decode}
    for name, given in named.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} must be a dictionary; got {type(given).__name__}.")
    if not isinstance(column, str) or column not in col_decode:
        raise ValueError(f"column: {column!r} is in no code; these are: {listed(col_decode)}.")
    if _ends(column, "_n"):
        for name, given in list(named.items())[:2]:
            if column not in given:
                raise ValueError(f"{name} lacks {column!r}; pass it as pre_process used it.")
        _check_bin_ends(num_dict[column], num_decode[column], column)
    place = col_decode[column]
    if (
        not isinstance(place, (list, tuple))
        or len(place) != 3
        or not all(_is_integer(digit) for digit in place[1:])
        or not 0 <= place[1] < place[2] <= MOST_DIGITS
    ):
        raise ValueError(
            f"col_decode: {column!r} must have [combination, start, end] of its digits; got"
            f" {place!r:.80}. Pass it as pre_process returned it."
        )
    return place[0], int(place[1]), int(place[2])


def _check_bin_ends(three: Any, ends: Any, column: str) -> None:
    """Refuse bins other than those that a column was coded with."""
    reasons = list(_bin_reasons(None, {"bins": [column]}, {column: three}))
    if reasons:
        raise ValueError("\n".join(reasons))
    top, increment, _ = three
    upper = list(ends.values()) if isinstance(ends, Mapping) else []
    if len(upper) != top // increment + 2 or upper[1] != increment or upper[-2] != top:
        raise ValueError(
            f"num_decode of {column!r} has {len(upper)} bins that are not those of num_dict,"
            f" {list(three)}; pass both as pre_process used and returned them."
        )


def check_code_values(value: Any) -> Whole:
    """Return combined codes as integers; texts of digits are codes, too."""
    if isinstance(value, (Mapping, set)):
        raise TypeError(f"value must be a code, or an array of codes; got {value!r:.80}.")
    numbers = []
    for cell in np.asarray(value, dtype=object).ravel().tolist():
        if not isinstance(cell, str) and not _is_integer(cell):
            raise TypeError(f"value must be a code, such as 1130608; got {cell!r:.80}.")
        text = str(cell)
        if (
            not (text.isascii() and text.isdigit())
            or len(text) > MOST_DIGITS
            or text[0] == "0"
        ):
            raise ValueError(
                f"value: {cell!r:.80} is no code of any domain; a code has up to"
                f" {MOST_DIGITS} digits and does not start with a 0."
            )
        numbers.append(int(text))
    return np.array(numbers, dtype=np.int64)


def check_codes_inside(inside: npt.NDArray[np.bool_], codes: Whole, combo: Any) -> None:
    """Refuse codes that the domain of a combination does not have."""
    if not inside.all():
        raise ValueError(
            f"value: {listed(codes[~inside][:1].tolist())} is outside the domain of {combo!r};"
            f" pass a code that its histogram lists."
        )
