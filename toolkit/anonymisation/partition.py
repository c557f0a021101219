"""Multidimensional partitioning (Mondrian): the finest classes of at least k records.

Mondrian starts with all records in one region and cuts regions in two as long as both halves
meet the requirements. Each quasi-identifier is an axis: its values have places 0, 1, … along
the axis, and a region holds some of these places. An axis holds one of three kinds: ordered
values (numbers, dates, ordered categories); values of a hierarchy, where neighbours share
labels; or mere names, in the order of their text.

All regions of one depth are cut at once, so no step loops over regions or rows. The cost is
that of sorting the records along each axis once per depth, and there are about log2(n / k)
depths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._arguments import check_table
from .._codes import SCALES, count, encode, kind_of, order_of, sorted_with_place, without_gaps
from .._typing import AnyArray, BoolArray, Columns, FloatArray, IntArray
from .hierarchies import MISSING, levels_of, openness
from .release import TOP, Release, measure_release, series_of, text_of
from .requirements import Requirements, check_roles


def mondrian(
    data: pd.DataFrame,
    quasi_identifiers: Columns,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Columns = None,
    relaxed: bool = False,
    kind: Any = "auto",
    hierarchies: Mapping[Any, Any] | None = None,
    **thresholds: float,
) -> Release:
    """Cut the table into classes of at least k records, as small as cuts in two allow.

    A region is cut along the quasi-identifier that it leaves most open. Openness is the range
    of the region's numbers as a share of their range in the table; for other values, it is
    their number less one, as such a share. The cut is at the median. If values at the median
    are equal, the cut is below or above them, with k records on both sides. If both cuts are
    possible, we take the one whose halves have room for more classes of k records, or else the
    nearer one; if its halves break l or t, we take the other. If neither is allowed, the next
    quasi-identifier has its turn. A region that cannot be cut is a class.

    Numbers, dates and ordered categories are cut in their order, columns with a hierarchy
    between branches of the lowest label that all values share, and other values in the order
    of their text. Missing values come last. They are cut from known values before any other
    cut; if that would break a condition, the label says that the value may be missing.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    k : int
        Least number of records in a class.
    l : int, optional
        Least number of different sensitive values in a class, as `l_diversity`.
    t : float, optional
        Greatest distance between the sensitive values of a class and of the table, as
        `t_closeness`.
    sensitive : column, optional
        Column to protect from the attacker; needed for `l` and `t`, else only measured.
    relaxed : bool
        Whether records with equal values may fall into different classes. If so, a cut halves
        the records, those at the median in the order of the rows; equal values stay together
        only if this cut is not allowed.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of sensitive values, as for `t_closeness`.
    hierarchies : mapping, optional
        From column to its table of values x levels; other columns need none.
    **thresholds
        Other thresholds of `check_privacy` about sensitive values, such as ``entropy_l=2``;
        `c` goes with `l`.

    Returns
    -------
    Release
        `data` has the rows, index and columns of `data`, and the order of the rows is released
        too (see `Release`). A cell shows the values that its class holds: a single value as
        it is (as text if other cells of the column are intervals or sets, since no Parquet
        file holds both); ordered values as the closed interval ``[17, 25]``; values of a
        hierarchy as their lowest common label; other values as the set ``{a, b}``. `loss` is
        the openness described above, averaged over cells: 0 for an untouched cell, 1 for a
        fully open one. A cell on an ordered axis that may be known or missing counts 1.
        (`information_loss` measures releases whose columns all have hierarchies.)
        `evaluations` counts the cuts that were tried, allowed or not. Nothing is suppressed,
        `levels` is empty, and `privacy` is measured.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than k records, or the table as one class breaks a threshold; if a
        column is not there, or is both quasi-identifier and sensitive.

    See Also
    --------
    mondrian_regions : all cuts, to draw them.

    Notes
    -----
    Under strict partitioning classes depend on the records only, not on their order. The
    algorithm of [1]_ always puts values equal to the median on the left; here, a cut on their
    other side is allowed too, and often leaves room for one more class. If all values differ,
    each cut is at the median.

    Regions are cut as long as `l` and `t` allow it, which reveals something about the
    sensitive values: see the attack on minimality in `optimal_generalisation`.

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
       k-anonymity", ICDE 2006, sections 3 and 4.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 25, 39, 41, 41], "sex": list("fmfff")})
    >>> release = mondrian(data, ["age", "sex"], k=2)
    >>> release.data
            age     sex
    0  [17, 25]  {f, m}
    1  [17, 25]  {f, m}
    2  [39, 41]       f
    3  [39, 41]       f
    4  [39, 41]       f
    >>> int(release.privacy["k"]), round(release.loss, 3)
    (2, 0.292)
    """
    data = check_table(data)
    options: Any = {"kind": kind, "relaxed": relaxed, "hierarchies": hierarchies, **thresholds}
    task = _Task(data, quasi_identifiers, k=k, l=l, t=t, sensitive=sensitive, **options)
    classes, tried, _ = _partition(task)
    lines = [Line(axis, classes) for axis in task.axes]
    labels = {
        j: (series_of(line.axis.labels(line)), classes.ids)
        for j, line in zip(task.positions, lines, strict=True)
        if (line.values > 1).any()
    }
    lost = sum(float(line.axis.width(line) @ classes.sizes) for line in lines)
    loss, roles = lost / task.places.size, (task.positions, task.secrets, task.asked.kinds)
    return measure_release(
        data, *roles, labels=labels, loss=loss, evaluations=tried, l=task.asked.recursive_l
    )


def mondrian_regions(
    data: pd.DataFrame, quasi_identifiers: Columns, **options: Any
) -> pd.DataFrame:
    """Every region that `mondrian` makes, and how it is cut: the tree of cuts.

    Parameters
    ----------
    data, quasi_identifiers, **options
        As for `mondrian`.

    Returns
    -------
    DataFrame of shape (n_regions, 6 + 2 n_quasi_identifiers)
        A row per region, the whole table first, then depth by depth: its `parent` (-1 for
        none), `depth` and `records`; the column of its `cut`, missing for a class; the last
        value on the left of the cut, `left_end`, and the first on its right, `right_start`;
        then the ends of the region in each quasi-identifier, such as ``age from`` and
        ``age to``. The two halves of a cut follow each other. Indexed by the number of the
        region.

    Raises
    ------
    TypeError, ValueError
        As `mondrian`.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 25, 39, 41, 41]})
    >>> mondrian_regions(data, "age", k=2)[["records", "cut", "left_end", "right_start"]]
            records  cut left_end right_start
    region
    0             5  age       25          39
    1             2  NaN      NaN         NaN
    2             3  NaN      NaN         NaN
    """
    task = _Task(check_table(data), quasi_identifiers, **options)
    table = pd.concat(_partition(task)[2], ignore_index=True).rename_axis(index="region")
    chosen, axes = table["cut"].to_numpy(), task.axes
    for side in ("left_end", "right_start"):
        places = zip(chosen, table[side], strict=True)
        ends = [axes[j].values[place] if j >= 0 else np.nan for j, place in places]
        table[side] = pd.Series(ends, dtype=object)
    # The last name is for a class, whose axis is -1.
    table["cut"] = np.array([*(axis.name for axis in axes), np.nan], object)[chosen]
    for j, axis in enumerate(axes):
        for end in ("from", "to"):
            table[f"{axis.name} {end}"] = axis.values.take(table.pop(f"{end} {j}").to_numpy())
    return table


# Requirements


class _Task:
    """The columns as axes, and the requirements on both halves of a cut."""

    def __init__(
        self,
        data: pd.DataFrame,
        quasi_identifiers: Columns,
        *,
        k: Any,
        sensitive: Columns = None,
        relaxed: bool = False,
        kind: Any = "auto",
        hierarchies: Any = None,
        **thresholds: Any,
    ) -> None:
        self.positions, self.secrets = check_roles(data, quasi_identifiers, sensitive)
        trees = hierarchies or {}
        self.axes = [axis_of(data, j, trees.get(data.columns[j])) for j in self.positions]
        self.places = np.array([axis.place for axis in self.axes])  # a row per axis
        self.relaxed = relaxed
        records = np.arange(len(data))  # each is a group of its own
        self.whole = Regions(records, np.zeros_like(records), np.array([len(data)]))
        self.asked = Requirements(data, self.secrets, k, thresholds, kind, records)
        if self.asked.thresholds and self._missed(self.whole.ids, 1).any():
            raise ValueError(
                f"{self.asked} cannot be reached, even with all records in one class; ask for"
                f" less."
            )

    def _missed(self, ids: IntArray, classes: int) -> BoolArray:
        """True for each class that misses a threshold."""
        return self.asked.missed(self.asked.tables_of(ids, classes))

    def allows(self, regions: Regions, axis: IntArray, left: IntArray) -> BoolArray:
        """True for each region whose halves both meet the requirements."""
        if not self.asked.thresholds:
            return np.ones(len(left), bool)
        halves = 2 * len(left)
        ids = np.full_like(self.whole.ids, halves)  # of records in other regions
        ids[regions.rows] = 2 * regions.ids + _sides(self, regions, axis, left)[0]
        missed = self._missed(ids, halves + 1)[:halves]
        return np.asarray(~missed.reshape(-1, 2).any(axis=1))


# The search


class Regions(NamedTuple):
    """Parts of a table: their rows, in rising order, the region of each row, and all sizes."""

    rows: IntArray
    ids: IntArray
    sizes: IntArray

    def some(self, chosen: BoolArray) -> Regions:
        """Only the chosen regions, renumbered."""
        inside, numbers = chosen[self.ids], np.cumsum(chosen) - 1
        return Regions(self.rows[inside], numbers[self.ids[inside]], self.sizes[chosen])


class Line:
    """Records of each region along an axis, counted by pairs of a region and a place."""

    def __init__(self, axis: Axis, regions: Regions) -> None:
        self.axis, size = axis, len(axis.values)
        keys = regions.ids * size + axis.place[regions.rows]
        pairs, n = count(keys, len(regions.sizes) * size)
        self.region, self.place = np.divmod(pairs, size)
        self.values = np.bincount(self.region)  # different ones in each region
        last = np.cumsum(self.values) - 1
        first = last - self.values + 1
        self.low, self.high = self.place[first], self.place[last]
        # True if a region holds known and missing values.
        self.mixed = (first < last) & (self.high == size - 1) & axis.lacks
        self.known_high = self.place[last - self.mixed]  # place of the last known value
        # Records of the region before each pair: what a cut there leaves on the left.
        before = np.cumsum(n) - n
        self.left = before - before[first][self.region]
        # Records with a known value, in regions that also hold missing values.
        self.known = np.where(self.mixed, self.left[last], 0)


def _partition(task: _Task) -> tuple[Regions, int, list[pd.DataFrame]]:
    """Cut all regions, depth by depth: the classes, how many cuts were tried, and the cuts."""
    active, parent, number, tried = task.whole, np.array([-1]), 0, 0
    class_of = np.empty_like(active.ids)
    depths: list[pd.DataFrame] = []
    while len(active.sizes):
        class_of[active.rows] = number + active.ids  # until the region is cut
        lines = [Line(axis, active) for axis in task.axes]
        axis, left, tries = _chosen(task, active, lines)
        right, ends = _sides(task, active, axis, left)
        table = {"parent": parent, "depth": len(depths), "records": active.sizes, "cut": axis}
        table |= {"left_end": ends[0], "right_start": ends[1]}
        for j, line in enumerate(lines):
            table |= {f"from {j}": line.low, f"to {j}": line.high}
        depths.append(pd.DataFrame(table))
        cut = axis >= 0
        parent = np.repeat(number + np.flatnonzero(cut), 2)
        number, tried = number + len(axis), tried + tries
        sizes = np.column_stack([left, active.sizes - left]).ravel()
        halves = Regions(active.rows, 2 * active.ids + right, sizes)
        active = halves.some(np.repeat(cut, 2))
    ids, _ = without_gaps(class_of)
    return Regions(task.whole.rows, ids, np.bincount(ids)), tried, depths


def _chosen(
    task: _Task, regions: Regions, lines: list[Line]
) -> tuple[IntArray, IntArray, int]:
    """First allowed cut of each region: axis (-1: none), records on its left; cuts tried."""
    axis, left = np.full_like(regions.sizes, -1), np.zeros_like(regions.sizes)
    tried = 0
    for way, records, opened in _ways(task, regions, lines):
        waiting = opened & (axis < 0)
        tried += int(waiting.sum())
        good = waiting & (records > 0)
        if good.any():
            good[good] = task.allows(regions.some(good), way[good], records[good])
        axis[good], left[good] = way[good], records[good]
    return axis, left, tried


def _ways(
    task: _Task, regions: Regions, lines: list[Line]
) -> Iterator[tuple[IntArray, IntArray, BoolArray]]:
    """Cuts of each region, by preference: axis, records on the left, and whether it is tried.

    Known values are cut from missing ones first. Then each axis has its turn, the widest
    first. If no cut leaves k records on both sides, the number on the left is 0.
    """
    k, sizes = task.asked.k, regions.sizes
    large, every = sizes >= 2 * k, np.arange(len(sizes))
    for j, line in enumerate(lines):
        enough = (line.known >= k) & (sizes - line.known >= k)
        yield np.full_like(sizes, j), line.known * enough, large & line.mixed
    several = np.array([line.values > 1 for line in lines])
    narrow = np.array([-line.axis.width(line) for line in lines])
    near, far = np.stack([_around_median(line, sizes, k) for line in lines], axis=1)
    for way in np.argsort(narrow, axis=0, kind="stable"):
        opened = large & several[way, every]
        if task.relaxed:
            yield way, sizes // 2, opened
        yield way, near[way, every], opened
        yield way, far[way, every], opened & (far[way, every] > 0)


def _around_median(line: Line, sizes: IntArray, k: int) -> AnyArray:
    """Records left of the better and the other cut next to the median of each region.

    Cuts are between different values and leave k records on both sides. If none halves the
    records, the better cut is the one whose halves have room for more classes.
    """
    good = (line.left >= k) & (sizes[line.region] - line.left >= k) & line.axis.apart(line)
    region, left = line.region[good], line.left[good]
    upper = 2 * left > sizes[region]
    below, above = np.zeros_like(sizes), np.zeros_like(sizes)
    below[region[~upper]] = left[~upper]  # the last write, the one next to the median, wins
    above[region[upper][::-1]] = left[upper][::-1]
    under, over = sizes - 2 * below, 2 * above - sizes
    room = below // k + (sizes - below) // k - above // k - (sizes - above) // k
    nearer = (np.minimum(under, over) <= 1) | (room == 0)
    lower = (below > 0) & ((above == 0) | np.where(nearer, under <= over, room > 0))
    return np.array([np.where(lower, below, above), np.where(lower, above, below)])


def _sides(
    task: _Task, regions: Regions, axis: IntArray, left: IntArray
) -> tuple[BoolArray, IntArray]:
    """True for records on the right of their region's cut, and the places next to each cut.

    Records at equal places keep the order of the table. Results for axis -1 mean nothing.
    """
    width = int(task.places.max()) + 1
    keys = regions.ids * width + task.places[axis[regions.ids], regions.rows]
    keys, here = sorted_with_place(keys, len(left) * width)
    cuts = np.cumsum(regions.sizes) - regions.sizes + left
    right = np.empty(len(keys), bool)
    right[here] = np.arange(len(keys)) >= np.repeat(cuts, regions.sizes)
    ends = keys[[np.maximum(cuts, 1) - 1, np.minimum(cuts, len(keys) - 1)]] % width
    return right, ends


# Axes


@dataclass(frozen=True, eq=False)
class Axis:
    """A quasi-identifier whose values have places: in order, a missing value last."""

    name: Any
    place: IntArray  # of the value of each row
    values: pd.Index  # of each place
    lacks: bool  # True if the last value is the missing one

    def width(self, line: Line) -> FloatArray:
        """How much of the axis each region leaves open, from 0 for one value to 1."""
        return openness(line.values, len(self.values))

    def apart(self, line: Line) -> BoolArray:
        """True for each pair before which a region may be cut."""
        return np.asarray(line.left > 0)

    def labels(self, line: Line) -> list[Any]:
        """Label of each region; one value stays as it is."""
        values = list(self.values)
        regions = zip(line.low, line.values, self.spans(line), strict=True)
        return [values[low] if size == 1 else span for low, size, span in regions]

    def spans(self, line: Line) -> Iterable[Any]:
        """Labels of several values: sets."""
        texts = [MISSING if pd.isna(value) is True else str(value) for value in self.values]
        sets = np.split(line.place, np.cumsum(line.values)[:-1])
        return [f"{{{', '.join(texts[place] for place in held)}}}" for held in sets]


@dataclass(frozen=True, eq=False)
class Ordered(Axis):
    """Values with an order: a label is the closed interval of the values in a region."""

    far: FloatArray  # distance of the value at each place from the first value

    def width(self, line: Line) -> FloatArray:
        """Share of the range; a region with a missing value leaves all of it open."""
        share = (self.far[line.high] - self.far[line.low]) / (self.far.max() or 1.0)
        return np.asarray(np.where(line.mixed, 1.0, share))

    def spans(self, line: Line) -> Iterable[Any]:
        """Intervals of the known values."""
        texts = [text_of(value) for value in self.values]
        for low, high, mixed in zip(line.low, line.known_high, line.mixed, strict=True):
            span = f"[{texts[low]}, {texts[high]}]" if low < high else f"{texts[low]}"
            yield f"{span} or {MISSING}" if mixed else span


@dataclass(frozen=True, eq=False)
class Tree(Axis):
    """Values of a hierarchy, in the order of its branches: a cell shows their common label."""

    branch: AnyArray  # code of the label of each place, a row per level; the last row is equal
    names: AnyArray  # the label itself

    def level(self, line: Line) -> IntArray:
        """Lowest level on which all values of each region have one label."""
        return np.asarray((self.branch[:, line.low] == self.branch[:, line.high]).argmax(0))

    def width(self, line: Line) -> FloatArray:
        """Share of the other values that have the same label."""
        leaves = np.array([np.bincount(codes)[codes] for codes in self.branch])
        return openness(leaves[self.level(line), line.low], len(self.values))

    def apart(self, line: Line) -> BoolArray:
        """True where two branches of the common label meet."""
        below = np.maximum(self.level(line)[line.region] - 1, 0)
        before = np.roll(line.place, 1)
        differ = self.branch[below, before] != self.branch[below, line.place]
        return np.asarray((line.left > 0) & differ)

    def spans(self, line: Line) -> Iterable[Any]:
        """Lowest common labels."""
        return list(self.names[self.level(line), line.low])


def axis_of(data: pd.DataFrame, position: int, hierarchy: Any = None) -> Axis:
    """Lay the values of a column along an axis."""
    codes, values = encode(data.iloc[:, position])
    name = data.columns[position]
    if hierarchy is not None:
        return _tree(codes, values, name, hierarchy)
    order, ranked = order_of(values)
    if isinstance(values, pd.CategoricalIndex):
        ranked = bool(values.ordered)
    else:
        ranked &= kind_of(values) in SCALES
    if not ranked:
        keys = [(pd.isna(cell) is True, str(cell), type(cell).__name__) for cell in values]
        order = np.array(sorted(order, key=keys.__getitem__))
    lacks = bool(values.isna().any())
    known = values[order[: len(order) - lacks]]
    parts = (name, np.argsort(order)[codes], values[order], lacks)
    if not ranked or not len(known):
        return Axis(*parts)
    return Ordered(*parts, np.append(_distances(known), 0.0))


def _distances(known: pd.Index) -> FloatArray:
    """Distance of each value from the first; ranks of categories and of endless ranges."""
    ranks = np.arange(len(known), dtype=float)
    if isinstance(known, pd.CategoricalIndex):
        return ranks
    cells = known.asi8 if isinstance(known, pd.PeriodIndex) else known.astype(object)
    try:
        steps = [cell - cells[0] for cell in cells]  # whole numbers of Python do not overflow
        if hasattr(steps[0], "total_seconds"):
            steps = [step.total_seconds() for step in steps]
        far = np.array(steps, float)
    except ArithmeticError:  # values beyond what a float holds
        return ranks
    return far if np.isfinite(far).all() and far[-1] > 0 else ranks


def _tree(codes: IntArray, values: pd.Index, name: Any, hierarchy: Any) -> Axis:
    """Values in the order of their branches: neighbours share labels, from the top down."""
    cells, branches, row = levels_of(hierarchy, values, name)
    if branches[-1].any():  # several labels at the top
        cells = np.append(cells, np.full((len(cells), 1), TOP, object), axis=1)
        branches = [*branches, np.zeros(len(cells), np.int64)]
    branch = np.array(branches)
    order = np.lexsort(branch)
    leaf = pd.Index(cells[order, 0], dtype=object, tupleize_cols=False)
    place = np.argsort(order)[row][codes]
    return Tree(name, place, leaf, False, branch[:, order], cells[order].T)
