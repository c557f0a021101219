"""Distances and outlier detectors on tables of mixed columns.

A row stands out if it lies far from the middle, far from where its neighbours lie, or is soon
cut off from the rest. That is not the same as being unique: a record in the very middle can be
alone with its values, and an outlier can have a twin. One call puts columns of any kind on
one scale and applies one method.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._grouping import class_ids, encode
from .._typing import BoolArray, FloatArray, IntArray, table_of
from .._validation import (
    check_choice,
    check_columns,
    check_dropped,
    check_generator,
    check_positive,
    check_table,
    check_whole,
    is_number,
    listed,
)

ROWS_AT_ONCE = 1 << 16
"""Rows in a block whose columns are laid out as numbers."""


LARGEST_FIT = 50_000
"""Rows that a robust method is fitted to, or whose pairs are compared, unless asked for."""


WIDEST_TREE = 40
"""Numbers per row up to which neighbours are searched for in a tree, number by number.

Products of matrices are faster, but round differently on each processor; and where distances
tie, as between rows of few values, rounding chooses the neighbours.
"""


LARGEST_MATRIX = 250_000_000
"""Numbers that a detector agrees to lay out at once (2 GB)."""


LARGEST_RATIO = 1e-9
"""Directions with less than this part of the greatest variance have none."""


IQR_OF_NORMAL = 1.3489795003921634
"""Interquartile range of the standard normal distribution."""


LAYOUTS = {
    "encoding": ("one-hot", "frequency"),
    "scaling": ("z", "robust", "minmax"),
    "missing": ("category", "drop"),
}
"""Options of all methods: how columns become numbers."""


OPTIONS = {
    "p": ("minkowski",),
    "robust": ("mahalanobis",),
    "support_fraction": ("mahalanobis", "elliptic envelope"),
    "neighbours": ("local outlier factor",),
    "trees": ("isolation forest",),
    "sample": ("mahalanobis", "elliptic envelope", "local outlier factor"),
}
"""Methods that take an option."""


RANDOM = ("isolation forest", "elliptic envelope")
"""Methods that always need a generator."""


def outlier_scores(
    data: pd.DataFrame,
    method: str = "mahalanobis",
    columns: Any = None,
    *,
    p: float | None = None,
    robust: bool = False,
    support_fraction: float | None = None,
    neighbours: int | None = None,
    trees: int | None = None,
    sample: int | None = None,
    encoding: str = "one-hot",
    scaling: str = "z",
    missing: str = "category",
    rng: np.random.Generator | None = None,
) -> pd.Series:
    r"""Score how far each row stands out from the others; larger stands out more.

    Columns become numbers first. A number x becomes :math:`(x - c)/s`; then
    :math:`\lVert z \rVert` is its distance from the centre, 0, and Mahalanobis' distance
    allows for the covariance :math:`\Sigma` of all columns,
    :math:`\sqrt{z^\top \Sigma^+ z}`.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Any cells. Numbers, dates and ordered categories (by their rank) are numbers, all
        others, truth values too, are nominal. So are numbers stored as text, with a warning.
    method : str
        Distances from the centre: "euclidean", "manhattan" (sum of absolute numbers),
        "minkowski" (with `p`), "mahalanobis". Detectors of scikit-learn: "isolation forest"
        (how few random cuts isolate a row, from 0 to 1), "elliptic envelope" (squared robust
        Mahalanobis distance), "local outlier factor" (density among neighbours over the row's
        own, about 1 for a row like them).
    columns : column or list of columns, optional
        Names or positions; a name wins. All by default.
    p : float, optional
        Exponent of "minkowski", at least 1.
    robust : bool
        Take centre and covariance of "mahalanobis" from the minimum covariance determinant,
        the densest half of the rows, which outliers cannot pull.
    support_fraction : float, optional
        Part of the rows in place of about half, for the robust methods.
    neighbours : int, optional
        Of "local outlier factor"; 20 by default, or all rows if there are fewer.
    trees : int, optional
        Of "isolation forest"; 100 by default.
    sample : int, optional
        Fit a robust method, or "local outlier factor", to so many rows drawn at random; all
        rows are scored. A robust method is never fitted to more than 50,000 rows by default.
        The local outlier factor compares pairs of rows, so beyond 50,000 different rows it
        needs a sample.
    encoding : {"one-hot", "frequency"}
        A nominal column becomes one number per value, 1 for the row's own value and 0 else,
        or one number, the share of the rows that have the value.
    scaling : {"z", "robust", "minmax"}
        c and s are mean and standard deviation; median and interquartile range over 1.349
        (the standard deviation where that range is 0); or mean, and greatest minus least.
        All numbers of a nominal column with shares :math:`s_v` are, less their mean,
        multiplied by :math:`1/\sqrt{1 - \sum_v s_v^2}`, so that the mean squared distance
        from the centre is 1 as for a z-scaled number; with "minmax" by :math:`1/\sqrt2`, so
        that two different values are at distance 1. Shares of frequency encoding are scaled as
        numbers.
    missing : {"category", "drop"}
        A missing nominal cell is a value of its own. A missing number lies in the centre, and
        that it is missing is one more nominal column, which counts to its column. Or rows
        with a missing cell are left out.
    rng : numpy.random.Generator, optional
        Needed by "isolation forest" and the robust methods, and with `sample`.

    Returns
    -------
    Series of shape (n_records,)
        Scores, in standard deviations where these are the unit of the method. Smaller is
        safer. Index of `data`; missing for rows left out. A single row, or rows that are all
        equal, score 0 ("local outlier factor": 1).

    Raises
    ------
    TypeError, ValueError
        If `data` has no cells; an option is none or belongs to another method; a number is
        infinite; a robust method finds half of its rows (or `support_fraction`) equal in some
        column, so that nothing is left to measure by; or a detector needs too large a matrix.

    Notes
    -----
    Columns without spread have no influence, categories that no row has neither. Memory grows
    with rows times columns, never with pairs of rows: distances go value by value, Mahalanobis
    by blocks of rows, a detector needs the matrix of numbers (one per value of a nominal
    column, if one-hot). Equal rows count once for the local outlier factor, as its authors
    propose for data with copies (the k-distinct-distance). Where distances tie, rounding says
    which rows are neighbours; with more than 40 numbers per row that differs by processor.

    References
    ----------
    .. [1] P. C. Mahalanobis, *On the generalized distance in statistics*, Proceedings of the
       National Institute of Sciences of India 2(1), 1936.
    .. [2] P. J. Rousseeuw and K. Van Driessen, *A fast algorithm for the minimum covariance
       determinant estimator*, Technometrics 41(3), 1999.
    .. [3] F. T. Liu, K. M. Ting and Z.-H. Zhou, *Isolation forest*, ICDM 2008, equation 2.
    .. [4] M. M. Breunig, H.-P. Kriegel, R. T. Ng and J. Sander, *LOF: identifying
       density-based local outliers*, SIGMOD 2000, definitions 5 to 7.

    Examples
    --------
    Mean 3 and standard deviation 2; and two values with shares 3/4 and 1/4, of which the rarer
    one is 3/4 x 2 / (1 - 10/16) from the centre, squared and scaled:

    >>> data = pd.DataFrame({"age": [1, 3, 3, 5], "sex": list("fffm")})
    >>> outlier_scores(data, "euclidean", "age").round(3).tolist()
    [1.414, 0.0, 0.0, 1.414]
    >>> outlier_scores(data, "euclidean", "sex").round(3).tolist()
    [0.577, 0.577, 0.577, 1.732]
    """
    options = {"p": p, "robust": robust, "support_fraction": support_fraction}
    options |= {"neighbours": neighbours, "trees": trees, "sample": sample}
    layout = {"encoding": encoding, "scaling": scaling, "missing": missing}
    table = _prepared(data, method, columns, options, layout, rng)
    if table.width == 0:
        return _labelled(table, np.full(table.rows, float(method == "local outlier factor")))
    return _labelled(table, METHODS[method](table))


def outlier_contributions(
    data: pd.DataFrame,
    method: str = "mahalanobis",
    columns: Any = None,
    *,
    p: float | None = None,
    robust: bool = False,
    support_fraction: float | None = None,
    sample: int | None = None,
    encoding: str = "one-hot",
    scaling: str = "z",
    missing: str = "category",
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    r"""Split the distance of each row among its columns.

    A Minkowski distance is :math:`(\sum_j |z_j|^p)^{1/p}`, a sum over columns but for the
    root; each column gets the share of the score that its part has of the sum. The square of
    Mahalanobis' distance is the sum of the squares of :math:`w = R^{-1/2} D^{-1} z`, with
    the correlations R and standard deviations D of the columns: of all ways to make numbers
    uncorrelated, the one that stays closest to the columns.

    Parameters
    ----------
    data, columns, p, robust, support_fraction, sample, encoding, scaling, missing, rng
        As for `outlier_scores`.
    method : {"mahalanobis", "euclidean", "manhattan", "minkowski"}
        The detectors of scikit-learn say nothing of columns.

    Returns
    -------
    DataFrame of shape (n_records, n_columns)
        Parts, at least 0, of which each row adds up to its score. Index of `data`.

    Raises
    ------
    TypeError, ValueError
        As `outlier_scores`, or if the method gives no contributions.

    References
    ----------
    .. [1] P. H. Garthwaite and I. Koch, *Evaluating the contributions of individual variables
       to a quadratic form*, Australian and New Zealand Journal of Statistics 58(1), 2016
       (corr-max).

    Examples
    --------
    >>> data = pd.DataFrame({"a": [0, 0, 4, 4], "b": [0, 2, 0, 2]})
    >>> outlier_contributions(data, "manhattan").iloc[3].tolist()
    [1.0, 1.0]
    >>> outlier_scores(data, "manhattan").tolist()
    [2.0, 2.0, 2.0, 2.0]
    """
    options = {"p": p, "robust": robust, "support_fraction": support_fraction}
    if check_choice(method, "method", list(METHODS)) not in DISTANCES:
        raise ValueError(
            f"method={method!r} gives no contributions: its score is not made of columns. Use"
            f" one of {listed(DISTANCES)}; 'mahalanobis' with robust=True splits the distance"
            f" of the elliptic envelope."
        )
    layout = {"encoding": encoding, "scaling": scaling, "missing": missing}
    table = _prepared(data, method, columns, {**options, "sample": sample}, layout, rng)
    exponent, parts = _powers(table)
    total = parts.sum(axis=1)
    root = total ** (1 / exponent)
    parts *= np.divide(root, total, out=np.zeros_like(total), where=total > 0)[:, None]
    names = [table.data.columns[j] for j in table.positions]
    found = pd.DataFrame(np.full((len(table.data), len(names)), np.nan), table.data.index)
    found.iloc[table.kept] = parts
    return found.set_axis(pd.Index(names, tupleize_cols=False), axis=1)


# Options


def outlier_methods(outliers: Any, rng: Any) -> dict[str, dict[str, Any]]:
    """Methods of outlier scores and the options of each, checked before any counting."""
    found = _options_by_method(outliers)
    known = [*OPTIONS, *LAYOUTS, "rng"]
    for method, options in found.items():
        strange = [name for name in options if name not in known]
        if strange:
            more = " Which columns the scores look at is said once, by columns=."
            raise ValueError(
                f"outliers: {listed(strange)} is no option of {method!r}; there are"
                f" {listed(known)}.{more if 'columns' in strange else ''}"
            )
        own, layout = (
            {name: options[name] for name in some if name in options}
            for some in (OPTIONS, LAYOUTS)
        )
        _checked_options(method, own, layout, options.get("rng", rng))
    return {method: {"rng": rng, **options} for method, options in found.items()}


def _options_by_method(outliers: Any) -> dict[str, dict[str, Any]]:
    """Methods and options as they were given."""
    if isinstance(outliers, str):
        outliers = [outliers]
    if isinstance(outliers, Mapping):
        bad = [name for name, options in outliers.items() if not isinstance(options, Mapping)]
        if bad:
            raise TypeError(
                f"outliers maps {listed(bad)} to something else than its options; pass such as"
                f" {{'minkowski': {{'p': 3}}}}, or a list of methods."
            )
        return {name: dict(options) for name, options in outliers.items()}
    if not isinstance(outliers, Iterable):
        raise TypeError(
            f"outliers must be a list of methods, or map methods to options; got {outliers!r}."
        )
    return {name: {} for name in outliers}


def _checked_options(
    method: Any, options: Mapping[str, Any], layout: Mapping[str, Any], rng: Any
) -> dict[str, Any]:
    """Return the options that are set; each belongs to the method, which has its generator."""
    check_choice(method, "method", list(METHODS))
    for name, choice in layout.items():
        check_choice(choice, name, LAYOUTS[name])
    robust = options.get("robust")
    if robust is not None and not isinstance(robust, bool | np.bool_):
        raise TypeError(f"robust must be True or False; got {robust!r}.")
    found = {name: value for name, value in options.items() if value is not None}
    if not robust:
        found.pop("robust", None)
    _check_set_options(method, found)
    if method in RANDOM or "robust" in found or "sample" in found:
        check_generator(rng, f"for method={method!r}")
    return found


def _check_set_options(method: str, found: Mapping[str, Any]) -> None:
    """Refuse options of another method, or out of their range."""
    for name in found:
        if method not in OPTIONS[name]:
            raise ValueError(
                f"{name} is an option of {listed(OPTIONS[name])}, not of"
                f" method={method!r}; leave it out."
            )
    if method == "minkowski" and "p" not in found:
        raise ValueError("method='minkowski' needs its exponent, such as p=3.")
    if "p" in found and check_positive(found["p"], "p") < 1:
        raise ValueError(f"p must be at least 1 to make a distance; got {found['p']!r}.")
    for name in ("neighbours", "trees", "sample"):
        if name in found:
            check_whole(found[name], name, 1, 2**31, "how many")
    classical = method == "mahalanobis" and "robust" not in found
    for name in {"support_fraction", "sample"} & set(found) if classical else ():
        raise ValueError(f"{name} needs robust=True: only a robust fit leaves rows out.")
    if "support_fraction" in found:
        check_open_share(found["support_fraction"], "support_fraction")


# Columns as numbers


class _Number(NamedTuple):
    """A number per row, centred and scaled; 0 where it is missing."""

    owner: int
    numbers: FloatArray
    width: int = 1

    def power(self, exponent: float) -> FloatArray:
        """Part of each row in the sum of powers."""
        return np.asarray(np.abs(self.numbers) ** exponent)

    def laid_out(self, rows: Any) -> FloatArray:
        """Rows as a matrix."""
        return self.numbers[rows, None]


class _Nominal(NamedTuple):
    """A nominal column: a number per value, centred and weighted."""

    owner: int
    codes: IntArray
    shares: FloatArray
    weight: float

    @property
    def width(self) -> int:
        return len(self.shares)

    def power(self, exponent: float) -> FloatArray:
        """Part of each row in the sum of powers: a number per value, looked up."""
        own, others = (1 - self.shares) ** exponent, self.shares**exponent
        per_value = self.weight**exponent * (own + others.sum() - others)
        return np.asarray(per_value[self.codes])

    def laid_out(self, rows: Any) -> FloatArray:
        """Rows as a matrix."""
        codes = self.codes[rows]
        matrix = np.tile(-self.weight * self.shares, (len(codes), 1))
        matrix[np.arange(len(codes)), codes] += self.weight
        return matrix


class _Table(NamedTuple):
    """Columns as numbers, and how to judge them."""

    data: pd.DataFrame
    positions: list[int]
    kept: IntArray
    """Rows that are not left out."""
    parts: list[_Number | _Nominal]
    """Numbers of the columns that have spread; `owner` is the place in `positions`."""
    method: str
    options: dict[str, Any]
    rng: Any
    """A generator, wherever one is needed."""

    @property
    def rows(self) -> int:
        return len(self.kept)

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts)

    @property
    def owners(self) -> IntArray:
        """The column of each number of a laid out row."""
        widths = [part.width for part in self.parts]
        return np.repeat([part.owner for part in self.parts], widths)

    def laid_out(self, rows: Any) -> FloatArray:
        """Some rows as a matrix, a column per number."""
        return np.hstack([part.laid_out(rows) for part in self.parts])

    def blocks(self, rows: int | None = None) -> Iterator[slice]:
        """Cut the rows, or so many, into blocks."""
        at_once = max(ROWS_AT_ONCE * 16 // max(self.width, 16), 1)
        for start in range(0, self.rows if rows is None else rows, at_once):
            yield slice(start, start + at_once)


def _prepared(
    data: Any,
    method: str,
    columns: Any,
    options: dict[str, Any],
    layout: dict[str, str],
    rng: np.random.Generator | None,
) -> _Table:
    """Check the arguments, and turn columns into numbers."""
    data = table_of(data)
    check_table(data)
    options = _checked_options(method, options, layout, rng)
    every = list(range(data.shape[1]))
    positions = every if columns is None else check_columns(data, columns, "columns")
    kept = np.arange(len(data))
    chosen = data.iloc[:, positions]
    if layout["missing"] == "drop":
        kept = np.flatnonzero(~chosen.isna().to_numpy().any(axis=1))
        check_dropped(len(data) - len(kept), len(data))
        chosen = chosen.iloc[kept]
    how = layout["encoding"], layout["scaling"]
    parts = [part for j in range(len(positions)) for part in _parts(chosen, j, *how)]
    return _Table(data, positions, kept, parts, method, options, rng)


def _parts(
    data: pd.DataFrame, j: int, encoding: str, scaling: str
) -> list[_Number | _Nominal]:
    """One column as numbers; none if it has no spread."""
    numbers = _numbers(data.iloc[:, j], data.columns[j])
    if numbers is not None:
        return _number_parts(j, numbers, scaling)
    encoded = encode(data, [j])
    (codes,) = encoded.codes
    warn_numbers_as_names(encoded.values[0], data.columns[j])
    if encoding == "one-hot":
        return _one_hot(j, codes, scaling)
    return _number_parts(j, (np.bincount(codes) / len(data))[codes], scaling)


def warn_numbers_as_names(values: pd.Index, name: object) -> None:
    """Say that a text column of numbers is taken for names, none nearer than another."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return
    known = values.dropna()
    if len(known) < 2 or pd.api.types.infer_dtype(known) != "string":
        return
    if pd.to_numeric(pd.Series(known, dtype=object), errors="coerce").notna().all():
        warnings.warn(
            f"column {name!r} holds numbers stored as text ({listed(known[:3])}, …), so they"
            f" are taken for names that have no order; turn them into numbers, or make the"
            f" column a Categorical if names are meant.",
            UserWarning,
            stacklevel=2,
        )


def _numbers(column: pd.Series, name: object) -> FloatArray | None:
    """A column as numbers, NaN where it is missing; None if it is nominal."""
    kinds, dtype = pd.api.types, column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        if not dtype.ordered:
            return None
        codes = np.asarray(column.cat.codes)
        used = np.unique(codes[codes >= 0])
        return np.where(codes >= 0, np.searchsorted(used, codes).astype(float), np.nan)
    a_time = kinds.is_datetime64_any_dtype(dtype)
    if a_time or kinds.is_timedelta64_dtype(dtype):
        kind, lacks = ("datetime64[us]" if a_time else "timedelta64[us]"), column.isna()
        ticks = column.to_numpy(dtype=kind).astype(np.int64)
        since = ticks[~lacks.to_numpy()][:1].sum()  # so that no digit is lost
        return np.where(lacks, np.nan, (ticks - since).astype(float))
    nominal = kinds.is_bool_dtype(dtype) or kinds.is_complex_dtype(dtype)
    if nominal or not kinds.is_numeric_dtype(dtype):
        return None
    numbers = np.array(column.to_numpy(dtype=float, na_value=np.nan))
    if np.isinf(numbers).any():
        raise ValueError(
            f"column {name!r} holds infinite numbers, which are infinitely far from all"
            f" others; make them missing, or leave the column out."
        )
    return numbers


def _number_parts(owner: int, numbers: FloatArray, scaling: str) -> list[_Number | _Nominal]:
    """A scaled number, if it has spread, and whether it is missing, if it ever is."""
    lacks = np.isnan(numbers)
    parts: list[_Number | _Nominal] = []
    if not lacks.all():
        numbers = _within_one(numbers, ~lacks)
        centre, scale = _centre_and_scale(numbers[~lacks], scaling)
        if scale > 0:
            numbers = np.where(lacks, 0.0, (numbers - centre) / scale)
            parts.append(_Number(owner, numbers))
    if lacks.any():
        parts += _one_hot(owner, lacks.astype(np.int8), scaling)
    return parts


def _within_one(numbers: FloatArray, known: BoolArray) -> FloatArray:
    """Numbers from 0 up to 2, so that no square overflows, and close ones keep digits.

    A power of 2 changes no digit, and units do not matter to what follows.
    """
    _, exponent = np.frexp(np.abs(numbers[known]).max())
    scaled = np.ldexp(numbers, -exponent)
    return np.asarray(scaled - scaled[known].min())


def _centre_and_scale(numbers: FloatArray, scaling: str) -> tuple[float, float]:
    """Where the middle is, and what counts as one unit; 0 if there is no spread."""
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        return low, 0.0
    if scaling == "minmax":
        return float(numbers.mean()), high - low
    if scaling == "robust":
        first, middle, third = np.quantile(numbers, [0.25, 0.5, 0.75])
        scale = (third - first) / IQR_OF_NORMAL
        return float(middle), float(scale if scale > 0 else numbers.std())
    return float(numbers.mean()), float(numbers.std())


def _one_hot(owner: int, codes: IntArray, scaling: str) -> list[_Number | _Nominal]:
    """Numbers of a nominal column that has several values."""
    shares = np.bincount(codes) / len(codes)
    spread = 1 - float(np.square(shares).sum())
    if np.count_nonzero(shares) < 2:
        return []
    weight = np.sqrt(0.5) if scaling == "minmax" else 1 / np.sqrt(spread)
    return [_Nominal(owner, codes, shares, float(weight))]


def _labelled(table: _Table, scores: FloatArray) -> pd.Series:
    """Scores under the labels of the rows."""
    every = np.full(len(table.data), np.nan)
    every[table.kept] = scores
    return pd.Series(every, index=table.data.index, name=table.method)


# Distances from the centre


def _distance(table: _Table) -> FloatArray:
    """Distance from the centre by whatever norm."""
    exponent, total = _exponent(table), np.zeros(table.rows)
    if table.method == "mahalanobis":
        return np.sqrt(_mahalanobis(table, None))
    for part in table.parts:
        total += part.power(exponent)
    return np.asarray(total ** (1 / exponent))


def _exponent(table: _Table) -> float:
    return {"manhattan": 1.0, "minkowski": table.options.get("p")}.get(table.method) or 2.0


def _powers(table: _Table) -> tuple[float, FloatArray]:
    """Exponent, and parts of the sum whose root the distance is, a column per column."""
    parts = np.zeros((table.rows, len(table.positions)))
    if table.method == "mahalanobis":
        if table.width:
            _mahalanobis(table, parts)
        return 2.0, parts
    exponent = _exponent(table)
    for part in table.parts:
        parts[:, part.owner] += part.power(exponent)
    return exponent, parts


def _mahalanobis(table: _Table, parts: FloatArray | None) -> FloatArray:
    """Squared Mahalanobis distances; their parts by column are written where asked for."""
    centre, covariance = _moments(table)
    if table.options.get("robust"):
        # scikit-learn takes a second to import, so it waits until it is needed.
        from sklearn.covariance import MinCovDet

        to, back = _whitening(covariance)
        model = _densest(table, MinCovDet, centre, to)
        centre, covariance = centre + model.location_ @ back, back.T @ model.covariance_ @ back
    deviation = np.sqrt(np.diag(covariance))
    roots, vectors = _directions(covariance / deviation / deviation[:, None])
    uncorrelate = (vectors / roots) @ vectors.T  # the inverse square root
    squares = np.empty(table.rows)
    belongs = np.equal.outer(table.owners, np.arange(len(table.positions))).astype(float)
    for block in table.blocks():
        numbers = (table.laid_out(block) - centre) / deviation
        w = (numbers @ uncorrelate) ** 2
        squares[block] = w.sum(axis=1)
        if parts is not None:
            parts[block] = w @ belongs
    return squares


def _moments(table: _Table) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of the laid out columns."""
    _check_matrix_size(table.width, table.width, table.method)
    total, products = np.zeros(table.width), np.zeros((table.width, table.width))
    for block in table.blocks():
        numbers = table.laid_out(block)
        total += numbers.sum(axis=0)
        products += numbers.T @ numbers
    mean = total / table.rows
    return mean, products / table.rows - np.outer(mean, mean)


def _directions(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard deviations of the directions that have variance, and the directions."""
    eigenvalues, vectors = np.linalg.eigh(matrix)
    some = eigenvalues > LARGEST_RATIO * eigenvalues[-1]
    return np.sqrt(eigenvalues[some]), vectors[:, some]


def _whitening(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Matrices to uncorrelated numbers of unit variance, as many as can be, and back."""
    deviations, vectors = _directions(covariance)
    return vectors / deviations, (vectors * deviations).T


def _densest(table: _Table, kind: Any, centre: FloatArray, to: FloatArray) -> Any:
    """Fit a minimum covariance determinant, which may have no spread left."""
    rows = _chosen_rows(table, table.rows, LARGEST_FIT)
    fraction = table.options.get("support_fraction")
    _check_matrix_size(len(rows), table.width, table.method)
    half = fraction * len(rows) if fraction else (len(rows) + to.shape[1] + 1) / 2
    if len(rows) <= to.shape[1]:
        raise ValueError(
            f"method={table.method!r} needs more rows than its columns become numbers"
            f" ({to.shape[1]}); there are {len(rows)}."
        )
    matrix = table.laid_out(rows)
    most = np.array([np.unique(x, return_counts=True)[1].max() for x in matrix.T])
    names = [table.data.columns[j] for j in table.positions]
    flat = [names[j] for j in np.unique(table.owners[most >= half])]
    _check_some_spread(flat, half / len(rows), table.method)
    model = kind(support_fraction=fraction, random_state=_seed(table))
    with warnings.catch_warnings():
        # Rounding only: the determinant stays where it was, and the search ends.
        warnings.filterwarnings("ignore", "Determinant has increased", RuntimeWarning)
        model.fit((matrix - centre) @ to)
    for found in (model.raw_covariance_, model.covariance_):
        eigenvalues = np.linalg.eigvalsh(found)
        lost = not eigenvalues[0] > LARGEST_RATIO * eigenvalues[-1]
        _check_some_spread(names if lost else [], half / len(rows), table.method)
    return model


def _check_matrix_size(rows: int, columns: int, method: str) -> None:
    """Refuse a matrix that needs too much memory."""
    if rows * columns > LARGEST_MATRIX:
        raise ValueError(
            f"method={method!r} would lay out {rows:,} x {columns:,} numbers, one per value of"
            f" each nominal column; use encoding='frequency', fewer columns, or (where it has"
            f" the option) sample=."
        )


def _check_some_spread(flat: Collection[object], half: float, method: str) -> None:
    """Refuse a robust fit to rows that do not differ."""
    if flat:
        raise ValueError(
            f"method={method!r}: the densest {half:.0%} of the rows do not differ in"
            f" {listed(flat)}, so nothing is left to measure by. Leave the column out, raise"
            f" support_fraction, use encoding='frequency' for nominal columns, or take"
            f" method='mahalanobis' without robust."
        )


def _chosen_rows(table: _Table, count: int, usual: int | None = None) -> IntArray:
    """Some of so many rows, drawn at random, or all of them."""
    sample = table.options.get("sample", usual)
    if sample is None or sample >= count:
        return np.arange(count)
    return np.sort(table.rng.choice(count, sample, replace=False))


def _seed(table: _Table) -> int:
    """A seed for scikit-learn, from the caller's generator."""
    return int(table.rng.integers(2**31))


# Detectors of scikit-learn


def _elliptic_envelope(table: _Table) -> FloatArray:
    """Squared robust distance."""
    from sklearn.covariance import EllipticEnvelope

    centre, covariance = _moments(table)
    to, _ = _whitening(covariance)
    model = _densest(table, EllipticEnvelope, centre, to)
    numbers = ((table.laid_out(block) - centre) @ to for block in table.blocks())
    return -np.concatenate([model.score_samples(block) for block in numbers])


def _isolation_forest(table: _Table) -> FloatArray:
    """How soon a row is isolated by random cuts."""
    from sklearn.ensemble import IsolationForest

    _check_matrix_size(table.rows, table.width, table.method)
    trees = table.options.get("trees") or 100
    matrix = np.empty((table.rows, table.width), np.float32)
    for block in table.blocks():
        matrix[block] = table.laid_out(block)
    model = IsolationForest(n_estimators=trees, random_state=_seed(table)).fit(matrix)
    return -np.concatenate([model.score_samples(matrix[block]) for block in table.blocks()])


def _local_outlier_factor(table: _Table) -> FloatArray:
    """Density of the neighbours over the own, of rows that differ."""
    from sklearn.neighbors import LocalOutlierFactor

    first, of_row = _different_rows(table)
    rows = _chosen_rows(table, len(first))
    if len(rows) > LARGEST_FIT:
        raise ValueError(
            f"method={table.method!r} compares pairs of rows, and there are {len(rows):,}"
            f" different ones; draw some of them, such as sample=10_000 with rng."
        )
    if len(rows) == 1:
        return np.ones(table.rows)
    _check_matrix_size(len(rows), table.width, table.method)
    neighbours = min(table.options.get("neighbours") or 20, len(rows) - 1)
    search = "kd_tree" if table.width <= WIDEST_TREE else "auto"
    model = LocalOutlierFactor(n_neighbors=neighbours, novelty=True, algorithm=search)
    model.fit(table.laid_out(first[rows]))
    scores = np.empty(len(first))
    others = np.setdiff1d(np.arange(len(first)), rows)
    scores[rows] = -model.negative_outlier_factor_
    for block in table.blocks(len(others)):
        some = others[block]
        scores[some] = -model.score_samples(table.laid_out(first[some]))
    return np.asarray(scores[of_row])


def _different_rows(table: _Table) -> tuple[IntArray, IntArray]:
    """First of the rows that equal each other in all numbers, and which it is of each row."""
    columns = [one.numbers if isinstance(one, _Number) else one.codes for one in table.parts]
    of_row, first = class_ids(pd.DataFrame(dict(enumerate(columns))), range(len(columns)))
    return first, of_row


DISTANCES = ("euclidean", "manhattan", "minkowski", "mahalanobis")


METHODS: dict[str, Callable[[_Table], FloatArray]] = {
    **dict.fromkeys(DISTANCES, _distance),
    "isolation forest": _isolation_forest,
    "elliptic envelope": _elliptic_envelope,
    "local outlier factor": _local_outlier_factor,
}


def check_open_share(number: Any, argument: str) -> float:
    """Return a share that is neither nothing nor all."""
    if not is_number(number):
        raise TypeError(f"{argument} must be a share between 0 and 1; got {number!r}.")
    if not 0 < number < 1:
        hint = f" Did you mean {number / 100:g}?" if 1 <= number < 100 else ""
        raise ValueError(f"{argument} must lie between 0 and 1; got {number!r}.{hint}")
    return float(number)
