"""Distances and outlier detectors on tables of mixed columns.

A row stands out if it lies far from the centre, if it lies in a sparser region than its
neighbours, or if few random cuts isolate it. That is not the same as being unique: a record at
the very centre can be unique, and an outlier can have a duplicate. One call puts columns of
any kind on one scale and applies one method.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import (
    check_choice,
    check_columns,
    check_generator,
    check_number,
    check_table,
)
from .._codes import SCALES, encode
from .._typing import Columns, FloatArray, IntArray, Table

LARGEST_FIT = 50_000  # different rows whose pairs are compared without a sample
LARGEST_MATRIX = 250_000_000  # numbers of a column that are laid out at once (2 GB)
LARGEST_RATIO = 1e-9  # of the greatest variance; directions with less count as flat

# Most numbers per row for which a tree finds the neighbours. Matrix products are faster, but
# round differently on each processor; if distances tie, as between rows of few values,
# rounding chooses the neighbours.
WIDEST_TREE = 40

EXPONENTS = {"manhattan": 1.0, "euclidean": 2.0, "mahalanobis": 2.0}
DISTANCES = (*EXPONENTS, "minkowski")
DETECTORS = ("isolation forest", "elliptic envelope", "local outlier factor")
# Options, and the method of each
OWNERS = {"p": "minkowski", "robust": "mahalanobis", "sample": "local outlier factor"}


def outlier_scores(
    data: pd.DataFrame,
    method: str = "mahalanobis",
    columns: Columns = None,
    *,
    p: float | None = None,
    robust: bool = False,
    sample: int | None = None,
    encoding: str = "one-hot",
    rng: np.random.Generator | None = None,
) -> pd.Series:
    r"""Score how far each row stands out from the others; larger stands out more.

    Columns are first turned into numbers. A number x becomes :math:`(x - c)/s` for mean c and
    standard deviation s; then :math:`\lVert z \rVert` is the distance of a row z from the
    centre, 0, and Mahalanobis' distance allows for the covariance :math:`\Sigma` of all
    columns, :math:`\sqrt{z^\top \Sigma^+ z}`. The numbers of a nominal column with shares
    :math:`s_v` are centred and multiplied by :math:`1/\sqrt{1 - \sum_v s_v^2}`, so that the
    mean squared distance from the centre is 1, as for a number. A missing nominal cell is a
    value of its own. A missing number lies at the centre; an extra nominal column marks
    missing numbers and counts as part of their column.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Any cells. Numbers, dates and ordered categories (by their rank) count as numbers. All
        others are nominal, including truth values and, with a warning, numbers stored as
        strings.
    method : str
        Distances from the centre: "euclidean", "manhattan" (sum of absolute numbers),
        "minkowski" (with `p`), "mahalanobis". Detectors of scikit-learn: "isolation forest"
        (how few random cuts isolate a row, from 0 to 1, by 100 trees), "elliptic envelope"
        (squared robust Mahalanobis distance), "local outlier factor" (density of the 20
        nearest neighbours divided by that of the row, about 1 for a row like its neighbours).
    columns : column or list of columns, optional
        Names or positions; a name wins. All by default.
    p : float, optional
        Exponent of "minkowski", at least 1.
    robust : bool
        Take centre and covariance of "mahalanobis" from the minimum covariance determinant,
        the densest half of the rows, on which outliers have no influence.
    sample : int, optional
        Number of distinct rows, drawn at random, to which "local outlier factor" is fitted;
        all rows are scored. The method compares pairs of rows, so it needs a sample beyond
        50,000 distinct rows.
    encoding : {"one-hot", "frequency"}
        A nominal column becomes one number per value, 1 for the row's own value and 0 for
        others, or one number, the share of the rows that have the value.
    rng : numpy.random.Generator, optional
        Needed by "isolation forest" and the robust methods, and with `sample`.

    Returns
    -------
    Series of shape (n_records,)
        Scores, in standard deviations if the method has this unit. Smaller is safer. Index of
        `data`. A single row, or rows that are all equal, score 0 ("local outlier factor": 1).

    Notes
    -----
    Columns without spread and categories that no row has have no influence. All numbers are
    laid out as a matrix, which is refused beyond 2 GB. Equal rows count once for the local
    outlier factor, as its authors propose for data with copies (the k-distinct-distance). If
    distances tie, rounding decides which rows are neighbours; with more than 40 numbers per
    row, the result may differ between processors.

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
    The ages have mean 3 and variance 2. The sexes have shares 3/4 and 1/4; the squared and
    scaled distance of the rarer sex from the centre is 2 x (3/4)^2 / (1 - 10/16) = 3:

    >>> data = pd.DataFrame({"age": [1, 3, 3, 5], "sex": list("fffm")})
    >>> outlier_scores(data, "euclidean", "age").round(3).tolist()
    [1.414, 0.0, 0.0, 1.414]
    >>> outlier_scores(data, "euclidean", "sex").round(3).tolist()
    [0.577, 0.577, 0.577, 1.732]
    """
    _check_options(method, p, robust, sample, rng)
    cells, matrix, _ = laid_out(data, columns, encoding)
    if not matrix.shape[1]:
        scores = np.full(len(matrix), float(method == "local outlier factor"))
    elif method == "isolation forest":
        scores = _isolation(matrix, rng)
    elif method == "local outlier factor":
        scores = _local_factor(matrix, sample, rng)
    else:
        exponent, powers = _powers(matrix, method, p, robust, rng)
        root = 1.0 if method == "elliptic envelope" else 1 / exponent
        scores = powers.sum(axis=1) ** root
    return pd.Series(scores, cells.index, name=method)


def outlier_contributions(
    data: pd.DataFrame,
    method: str = "mahalanobis",
    columns: Columns = None,
    *,
    p: float | None = None,
    robust: bool = False,
    encoding: str = "one-hot",
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    r"""Split the distance of each row among its columns.

    A Minkowski distance is :math:`(\sum_j |z_j|^p)^{1/p}`, a sum over columns apart from the
    root; each column gets the same share of the score as of the sum. The square of
    Mahalanobis' distance is the sum of the squares of :math:`w = R^{-1/2} D^{-1} z`, with the
    correlations R and standard deviations D of the columns: of all ways to make numbers
    uncorrelated, the one that stays closest to the columns.

    Parameters
    ----------
    data, columns, p, robust, encoding, rng
        As for `outlier_scores`.
    method : {"mahalanobis", "euclidean", "manhattan", "minkowski"}
        The detectors of scikit-learn do not split by column.

    Returns
    -------
    DataFrame of shape (n_records, n_columns)
        Parts of at least 0; each row adds up to its score. Index of `data`.

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
    check_choice(method, "method", DISTANCES)  # the score of a detector has no columns
    _check_options(method, p, robust, None, rng)
    cells, matrix, owners = laid_out(data, columns, encoding)
    exponent, powers = _powers(matrix, method, p, robust, rng)
    parts = powers @ np.equal.outer(owners, np.arange(cells.shape[1])).astype(float)
    total = parts.sum(axis=1)
    root = total ** (1 / exponent)
    parts *= np.divide(root, total, out=np.zeros_like(total), where=total > 0)[:, None]
    return pd.DataFrame(parts, cells.index, cells.columns)


def _check_options(method: Any, p: Any, robust: bool, sample: Any, rng: Any) -> None:
    """Check that options suit the method, and that random methods have a generator."""
    check_choice(method, "method", (*DISTANCES, *DETECTORS))
    for name, setting in (("p", p), ("robust", robust or None), ("sample", sample)):
        if setting is not None and method != OWNERS[name]:
            raise ValueError(
                f"{name!r} is an option of method={OWNERS[name]!r}, not of {method!r}; leave"
                f" it out."
            )
    if method == "minkowski":
        check_number(p, "p", "[1, inf)", "an exponent such as p=3")
    if sample is not None:
        check_number(sample, "sample", "[1, inf)", whole=True)
    if method in DETECTORS[:2] or robust or sample is not None:
        check_generator(rng, f"for method={method!r}")


# Columns as numbers


def laid_out(
    data: Table, columns: Columns, encoding: str
) -> tuple[pd.DataFrame, FloatArray, IntArray]:
    """The chosen columns, their centred and scaled numbers, and the column of each number."""
    check_choice(encoding, "encoding", ("one-hot", "frequency"))
    cells = check_table(data)
    if columns is not None:
        places = check_columns(cells.columns, columns, "columns")
        cells = check_table(cells.iloc[:, places], "the selection")
    blocks = [_block(cells.iloc[:, j], encoding) for j in range(cells.shape[1])]
    owners = np.repeat(range(len(blocks)), [block.shape[1] for block in blocks])
    return cells, np.hstack(blocks), owners


def _block(column: pd.Series, encoding: str) -> FloatArray:
    """One column as numbers, and a mark of missing numbers; without spread there are none."""
    numbers = _numbers(column)
    if numbers is None:
        codes, values = encode(column)
        warn_numbers_as_names(values, column.name)
        if encoding == "one-hot":
            return _one_hot(codes, column.name)
        numbers = (np.bincount(codes) / len(codes))[codes]
    lacks = np.isnan(numbers)
    marks, known = _one_hot(lacks.astype(int), column.name), numbers[~lacks]
    if not len(known) or known.min() == known.max():
        return marks
    # From 0 to 1, so that no square overflows and close numbers keep their digits.
    low, half = known.min() / 2, known.max() / 2 - known.min() / 2
    numbers = (numbers / 2 - low) / half
    scaled = (numbers - numbers[~lacks].mean()) / numbers[~lacks].std()
    return np.column_stack([np.where(lacks, 0.0, scaled), marks])


def _numbers(column: pd.Series) -> FloatArray | None:
    """A column as numbers, NaN where it is missing; None if it is nominal."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = np.asarray(column.cat.remove_unused_categories().cat.codes, float)
        return np.where(codes < 0, np.nan, codes) if column.dtype.ordered else None
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind not in SCALES:
        return None
    cells: Any = column.infer_objects()
    if kind in ("date", "period"):
        cells = cells.astype("datetime64[us]")
    elif kind == "datetime" and cells.dtype == object:  # of several time zones
        first = cells.dropna().iloc[0]
        later = cells.map(lambda moment: moment - first, na_action="ignore")
        cells = later.astype("timedelta64[us]")
    if cells.dtype.kind in "mM":  # since the first, so that no digit is lost
        return np.asarray((cells - cells.min()) / pd.Timedelta(1, "us"), float)
    try:
        numbers: FloatArray = cells.to_numpy(float, na_value=np.nan)
    except OverflowError:  # a whole number beyond all floats
        numbers = np.array([np.inf])
    if np.isinf(numbers).any():
        raise ValueError(
            f"column {column.name!r} holds infinite numbers, or too large ones, which are"
            f" infinitely far from all others; make them missing, or leave the column out."
        )
    return numbers


def warn_numbers_as_names(values: pd.Index, name: object) -> None:
    """Warn that a string column of numbers is treated as names without an order."""
    known = values.dropna()  # of categories, no type is inferred
    if pd.api.types.infer_dtype(known) != "string" or len(known) < 2:
        return
    if pd.to_numeric(pd.Series(known, dtype=object), errors="coerce").notna().all():
        warnings.warn(
            f"column {name!r} holds numbers stored as text, which are treated as names without"
            f" an order; turn them into numbers, or make the column a Categorical.",
            UserWarning,
            stacklevel=2,
        )


def _one_hot(codes: IntArray, name: object) -> FloatArray:
    """A number per value, 1 for a row's own value and 0 for others; centred and weighted."""
    shares = np.bincount(codes) / len(codes)
    if len(shares) * len(codes) > LARGEST_MATRIX:
        raise ValueError(
            f"column {name!r} would become {len(shares):,} numbers in each of {len(codes):,}"
            f" rows; use encoding='frequency', or leave it out."
        )
    if np.count_nonzero(shares) < 2:
        return np.empty((len(codes), 0))
    weight = np.sqrt(1 / (1 - shares @ shares))
    matrix = np.tile(-weight * shares, (len(codes), 1))
    matrix[np.arange(len(codes)), codes] += weight
    return matrix


# Distances from the centre


def _powers(
    matrix: FloatArray, method: str, p: float | None, robust: bool, rng: Any
) -> tuple[float, FloatArray]:
    """The exponent p, and powers of numbers; the distance is the p-th root of their sum."""
    robust = robust or method == "elliptic envelope"
    if matrix.shape[1] and (robust or method == "mahalanobis"):
        return 2.0, _uncorrelated(matrix, rng if robust else None) ** 2
    exponent = float(EXPONENTS[method] if p is None else p)
    return exponent, np.abs(matrix) ** exponent


def _uncorrelated(matrix: FloatArray, rng: Any) -> FloatArray:
    """Numbers w = R^-1/2 D^-1 z, whose squares add up to Mahalanobis' squared distance.

    With a generator, centre and covariance are those of the densest half of the rows.
    """
    z = matrix - matrix.mean(axis=0)
    covariance = z.T @ z / len(z)
    if rng is not None:
        deviations, vectors = _directions(covariance)
        back = (vectors * deviations).T
        model = _densest_half(z, z @ (vectors / deviations), rng)
        z, covariance = z - model.location_ @ back, back.T @ model.covariance_ @ back
    deviation = np.sqrt(np.diag(covariance))
    roots, vectors = _directions(covariance / deviation / deviation[:, None])
    w: FloatArray = z / deviation @ ((vectors / roots) @ vectors.T)
    return w


def _densest_half(z: FloatArray, uncorrelated: FloatArray, rng: Any) -> Any:
    """Minimum covariance determinant, of rows that differ in every direction."""
    # scikit-learn takes a second to import, so it waits until it is needed.
    from sklearn.covariance import MinCovDet

    n, rank = uncorrelated.shape
    most = max(np.unique(x, return_counts=True)[1].max() for x in z.T)
    flat = n <= rank or most >= (n + rank + 1) / 2
    if not flat:
        with warnings.catch_warnings():
            # This is only rounding: the determinant does not change, and the search ends.
            warnings.filterwarnings("ignore", "Determinant has increased", RuntimeWarning)
            model = MinCovDet(random_state=_seed(rng)).fit(uncorrelated)
        spreads = [np.linalg.eigvalsh(c) for c in (model.raw_covariance_, model.covariance_)]
        flat = any(not spread[0] > LARGEST_RATIO * spread[-1] for spread in spreads)
    if flat:
        raise ValueError(
            "the densest half of the rows does not vary in every direction; leave out columns"
            " in which most rows agree, use encoding='frequency' for nominal ones, or take"
            " method='mahalanobis' without robust."
        )
    return model


def _directions(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard deviations of the directions that have variance, and the directions."""
    eigenvalues, vectors = np.linalg.eigh(matrix)
    spread = eigenvalues > LARGEST_RATIO * eigenvalues[-1]
    return np.sqrt(eigenvalues[spread]), vectors[:, spread]


def _seed(rng: np.random.Generator) -> int:
    """A seed for scikit-learn, from the caller's generator."""
    return int(rng.integers(2**31))


# Detectors of scikit-learn


def _isolation(matrix: FloatArray, rng: Any) -> FloatArray:
    """Score of how few random cuts isolate a row."""
    from sklearn.ensemble import IsolationForest

    numbers = matrix.astype(np.float32)
    model = IsolationForest(random_state=_seed(rng)).fit(numbers)
    return -np.asarray(model.score_samples(numbers))


def _local_factor(matrix: FloatArray, sample: int | None, rng: Any) -> FloatArray:
    """Density of the neighbours divided by that of the row, among distinct rows."""
    from sklearn.neighbors import LocalOutlierFactor

    table = pd.DataFrame(matrix)
    of_row = table.groupby([*table], sort=False).ngroup()
    different = table.drop_duplicates().to_numpy()
    fitted = np.ones(len(different), bool)
    if sample is not None and sample < len(fitted):
        fitted = np.isin(range(len(fitted)), rng.choice(len(fitted), sample, replace=False))
    if fitted.sum() > LARGEST_FIT:
        raise ValueError(
            f"method='local outlier factor' compares pairs of rows, and there are"
            f" {fitted.sum():,} different ones; draw some of them, by sample=10_000 and rng."
        )
    if fitted.sum() == 1:
        return np.ones(len(matrix))
    algorithm = "kd_tree" if matrix.shape[1] <= WIDEST_TREE else "auto"
    nearest = min(20, int(fitted.sum()) - 1)
    model = LocalOutlierFactor(n_neighbors=nearest, novelty=True, algorithm=algorithm)
    scores = np.empty(len(different))
    scores[fitted] = -model.fit(different[fitted]).negative_outlier_factor_
    if not fitted.all():
        scores[~fitted] = -model.score_samples(different[~fitted])
    return np.asarray(scores[of_row])
