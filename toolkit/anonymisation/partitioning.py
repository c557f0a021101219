"""Multidimensional partitioning (Mondrian): the finest classes of at least k records.

Mondrian starts with everyone in one region and cuts regions in two as long as both halves keep
what is asked for. All regions of one depth are cut at once, so that no step loops over regions
or rows: the cost is that of sorting the records once per depth, of which there are about
log2(n / k).

For multidimensional partitioning each quasi-identifier is an axis: its values have places 0,
1, … along it, and a region of the table holds places from a lowest to a highest one. There are
three kinds of axes: of ordered values (numbers, dates, ordered categories), of a hierarchy,
whose neighbours share labels, and of mere names, in the order of their text.
"""

# Longer than other modules: the axes, the cuts along them and the labels of what they part
# know each other's places.
from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._grouping import (
    Encoded,
    count_keys,
    encode,
    encode_column,
    in_order,
    index_of,
    kind_of,
    numbered,
    written,
)
from .._old.attribute import is_ordered
from .._old.classes import Asked
from .._typing import AnyArray, BoolArray, FloatArray, IntArray
from .._validation import (
    check_dropped,
    check_enough_records,
    check_hierarchy,
    check_quasi_identifiers,
    check_sensitive,
    check_table,
    check_whole,
    match_by_text,
)
from .hierarchies import (
    TOP,
    check_mapping,
    interval_label,
    member_label,
    openness,
    set_label,
)
from .release import (
    ClassCounts,
    Release,
    Requirements,
    check_partition_policy,
    measure_release,
    one_kind,
)


def mondrian(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    relaxed: bool = False,
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    hierarchies: Mapping[Any, Any] | None = None,
    missing: str = "category",
    progress: bool = False,
) -> Release:
    """Cut the table into classes of at least k records, as small as cuts in two can make them.

    A region is cut in the quasi-identifier that it leaves most open: the range of its numbers,
    as a share of the range in the table; the number of its values, less one, as such a share.
    The place is the median. If values there are equal, it is the one below or above them that
    leaves k records on both sides; if both do, the one whose halves have room for more classes
    of k records, or else the nearer one; if its halves break l or t, the other one. If no cut
    is allowed there, the next quasi-identifier has its turn. A region that cannot be cut is a
    class.

    Numbers, dates and ordered categories are cut in their order; columns with a hierarchy
    between branches of the lowest label that all values share; other values in the order of
    their text. Missing values come last. Where known and missing ones can be told apart, they
    are before anything else; where that would break a condition, the label says so.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    k : int
        Least number of records in a class.
    l : int or float, optional
        Least diversity of the sensitive values in a class, of the kind that `diversity` says.
    t : float, optional
        Greatest distance between the sensitive values of a class and of the table, as
        `t_closeness`.
    sensitive : column, optional
        What is to be kept from the attacker; needed for `l` and `t`, else only measured.
    relaxed : bool
        Whether records with equal values may come into different classes. Then a cut halves
        the records, those at the median in the order of the rows; only if that is not allowed
        equal values stay together.
    diversity : {"distinct", "entropy", "recursive"}
        What `l` means: the number of values, as `l_diversity`; the exponential of their
        entropy, as `entropy_l_diversity`; or (c, l)-diversity with this `c`, as
        `recursive_cl_diversity`.
    c : float, optional
        The greatest ratio of recursive diversity, which classes must stay below.
    kind : {"auto", "ordered", "equal"} or hierarchy
        Distance of sensitive values, as for `t_closeness`.
    hierarchies : mapping, optional
        From column to its table of values x levels; other columns need none.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, or a reason to leave the record out, with a
        warning.
    progress : bool
        Whether to show a progress bar over the records that have their class.

    Returns
    -------
    Release
        `data` has the rows, index and columns of `data`, and the order of the rows is released
        too (see `Release`). A cell shows the values that its class holds: one value as it is,
        or as text if other cells of the column are intervals or sets, since no Parquet file
        holds both; of ordered ones the closed interval ``[17, 25]``; with a hierarchy their
        lowest common label; else the set ``{a, b}``. `loss` is the openness described above,
        averaged over cells: 0 for untouched, 1 for fully open ones;
        a cell that may be known or missing on an ordered axis counts 1. (`information_loss`
        reads these labels, to compare with other releases.) A class that would
        show ``*`` everywhere, though others do not, shows a set of labels in one column, so
        that it is not taken for suppressed records. `evaluations` counts cuts that were
        tried, allowed or not. Nothing is suppressed, `levels` is empty, and
        `privacy` is measured.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than k records, or the table as one class breaks `l`; if a column
        is not there, or is both quasi-identifier and sensitive.

    See Also
    --------
    mondrian_regions : all cuts, to draw them.

    Notes
    -----
    Under strict partitioning classes depend on the records only, not on their order. The
    algorithm of [1]_ always puts values equal to the median on the left; a cut on their other
    side is allowed too, and often leaves room for one more class. Where all values differ,
    each cut is at the median.

    Regions are cut as long as `l` and `t` allow it, which says something of the sensitive
    values: see the attack on minimality in `optimal_generalisation`.

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
    asked = Requirements(k, l, t, diversity, c, kind)
    task = _Task(data, quasi_identifiers, sensitive, asked, hierarchies, missing, relaxed)
    regions, tried, _ = _partition(task, progress=progress)
    labels, loss = _labels(task, regions)
    return measure_release(
        _labelled(data, task, regions, labels),
        task.positions,
        dropped=~task.kept,
        sensitive=task.secret,
        loss=loss,
        evaluations=tried,
        l=None if c is None or l is None else int(l),
        kind=kind,
        classes=None if task.secret is not None else _classes(task, regions, labels),
    )


def mondrian_classes(data: pd.DataFrame, quasi_identifiers: Any, *, k: int) -> IntArray:
    """Class of each record in what `mondrian` would release, whose cells are never written."""
    asked = Requirements(k)
    task = _Task(data, quasi_identifiers, None, asked, None, "category", relaxed=False)
    regions, *_ = _partition(task, progress=False)
    return _classes(task, regions, _labels(task, regions)[0])


def mondrian_regions(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    relaxed: bool = False,
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    hierarchies: Mapping[Any, Any] | None = None,
    missing: str = "category",
    progress: bool = False,
) -> pd.DataFrame:
    """Every region that `mondrian` makes, and how it is cut: the tree of its cuts.

    Parameters
    ----------
    data, quasi_identifiers, k, and all that follows
        As for `mondrian`.
    progress : bool
        Whether to show a progress bar over the records that have their class.

    Returns
    -------
    DataFrame of shape (n_regions, 6 + 2 n_quasi_identifiers)
        A row per region, the whole table first, then depth by depth: its `parent` (-1 for
        none), `depth` and `records`; the column of its `cut`, missing for a class; the last
        value on the left of the cut, `left_end`, and the first on its right, `right_start`;
        then from where to where it goes in each quasi-identifier, as in ``age from`` and
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
    asked = Requirements(k, l, t, diversity, c, kind)
    task = _Task(data, quasi_identifiers, sensitive, asked, hierarchies, missing, relaxed)
    *_, steps = _partition(task, progress=progress, traced=True)
    return _tree_of_cuts(task.axes, steps)


# What is asked for


class _Values:
    """The sensitive values; the halves of a cut are judged as classes of the whole table."""

    def __init__(self, part: pd.DataFrame, secret: int, asked: Requirements) -> None:
        self.whole = Asked(part, []).classify([secret], "category")
        """The class table of everyone in one class, which must keep what is asked."""
        if asked.violated(self.whole).any():
            raise ValueError(
                f"{asked.wanted} cannot be reached: not even all records in one class have it."
                f" Ask for less."
            )
        column, self.asked = encode(part, [secret]), asked
        number = match_by_text(self.whole.sensitive.values, column.values[0])
        self.code = number[column.codes[0]]
        """Sensitive value of each row, by its number in the class table."""

    def allow(self, lined: Regions, left: IntArray, good: BoolArray) -> BoolArray:
        """Whether both halves of each proposed cut keep what is asked."""
        place = np.arange(len(lined.rows)) - lined.starts[lined.ids]
        half = 2 * (np.cumsum(good) - 1)[lined.ids] + (place >= left[lined.ids])
        mine, halves = good[lined.ids], 2 * int(np.count_nonzero(good))
        whole = self.whole.sensitive
        values = len(whole.values)
        key = half[mine] * values + self.code[lined.rows[mine]]
        cells, records = count_keys(key, halves * values)
        of_class, of_value = np.divmod(cells, values)
        # All other rows are one more class.
        rest = whole.totals - np.bincount(of_value, records, values).astype(np.int64)
        others = np.flatnonzero(rest)
        classes = ClassCounts.of_pairs(
            whole,
            np.append(of_class, np.full(len(others), halves)),
            np.append(of_value, others),
            np.append(records, rest[others]),
        )
        kept = ~self.asked.violated(classes)[:halves]
        return np.asarray(kept.reshape(-1, 2).all(axis=1))


class _Task:
    """A checked call: the axes of the rows that take part, and what is asked for."""

    def __init__(
        self,
        data: pd.DataFrame,
        quasi_identifiers: Any,
        sensitive: Any,
        asked: Requirements,
        hierarchies: Any,
        missing: str,
        relaxed: bool,
    ) -> None:
        positions = check_quasi_identifiers(check_table(data), quasi_identifiers)
        secret: Any = (
            None if sensitive is None else check_sensitive(data, sensitive, positions)
        )
        self.positions, self.secret, self.relaxed = positions, secret, bool(relaxed)
        self.asked = asked.checked(sensitive=secret is not None)
        check_partition_policy(missing)
        roles = positions + [secret] * (secret is not None) if missing == "drop" else []
        self.kept: Any = np.asarray(data.iloc[:, roles].notna()).all(axis=1)
        """Rows of the caller's table that take part."""
        check_dropped(int(np.count_nonzero(~self.kept)), len(data))
        part = data if self.kept.all() else data.iloc[np.flatnonzero(self.kept)]
        check_enough_records(self.asked.k, len(part))
        trees = {} if hierarchies is None else hierarchies
        check_mapping(trees, "hierarchies must map columns, as in {'age': ...}")
        self.axes = [axis_of(part, j, trees.get(data.columns[j])) for j in positions]
        places = np.array([axis.place for axis in self.axes])
        self.places: IntArray = places.reshape(len(self.axes), len(part))
        """Place of each row along each axis, a row of the array per axis."""
        judged = self.asked.l is not None or self.asked.t is not None
        self.hidden = _Values(part, secret, self.asked) if judged else None
        """Sensitive values, if something is asked of them."""


# The search


class _Depth:
    """The regions of one depth, and how each is cut."""

    def __init__(self, task: _Task, regions: Regions) -> None:
        self.task, self.regions = task, regions
        self.extents = [Extent(axis, regions) for axis in task.axes]
        self.rows = regions.rows.copy()
        """Those of a region that is cut are in order, its left half first."""
        self.left = np.zeros(len(regions.starts), np.int64)
        """Records of the left half; 0 for a region that is not cut."""
        self.axis = np.full(len(regions.starts), -1)
        self.tried = 0


class _Lines:
    """Some regions of one depth, the rows of each in line along one axis."""

    def __init__(self, depth: _Depth, which: IntArray, axis: IntArray) -> None:
        self.depth, self.which, self.axis = depth, which, axis
        some, n = depth.regions.some(which), depth.task.places.shape[1]
        places = depth.task.places.ravel().take(np.repeat(axis * n, some.sizes) + some.rows)
        width = int(places.max()) + 1
        shift = max(n - 1, 1).bit_length()
        # Equal ones stay in the table's order.
        if (len(some.starts) * width).bit_length() + shift > 63:
            order = np.lexsort([some.rows, places, some.ids])
            rows, places = some.rows[order], places[order]
        else:
            base = some.ids * width
            key = base + places
            key <<= shift
            key |= some.rows
            key.sort()
            rows = key & ((1 << shift) - 1)
            key >>= shift
            key -= base
            places = key
        self.regions, self.places = Regions(rows, some.starts), places
        """Place of each row along the axis of its region."""

    def wide_enough(self, left: IntArray, region: Any = slice(None)) -> BoolArray:
        """Whether so many records on the left of a cut leave k on both sides."""
        k = self.depth.task.asked.k
        return np.asarray((left >= k) & (self.regions.sizes[region] - left >= k))


def _partition(
    task: _Task, *, progress: bool, traced: bool = False
) -> tuple[Regions, int, list[dict[str, IntArray]]]:
    """Cut all regions, depth by depth.

    Returns the regions that cannot be cut, how many cuts were tried, and, if they are to be
    `traced`, the cuts of each depth.
    """
    n = task.places.shape[1]
    active = Regions(np.arange(n), np.zeros(1, np.int64))
    parent, count, tried = np.array([-1]), 0, 0
    rows, sizes, steps = [], [], []
    with tqdm(total=n, desc="records", delay=1, leave=False, disable=not progress) as bar:
        while len(active.starts):
            depth = _cut(task, active)
            tried += depth.tried
            if traced:
                steps.append(_step(depth, parent))
            final = depth.left == 0
            ends = final[active.ids]
            rows.append(depth.rows[ends])
            sizes.append(active.sizes[final])
            bar.update(len(rows[-1]))
            parent = np.repeat(count + np.flatnonzero(~final), 2)
            count += len(final)
            left, both = depth.left[~final], active.sizes[~final]
            halves = np.stack([left, both - left], axis=1).ravel()
            active = Regions(depth.rows[~ends], np.cumsum(halves) - halves)
    size = np.concatenate(sizes)
    return Regions(np.concatenate(rows), np.cumsum(size) - size), tried, steps


def _cut(task: _Task, regions: Regions) -> _Depth:
    """Cut each region where it may be cut."""
    depth = _Depth(task, regions)
    large, extents = regions.sizes >= 2 * task.asked.k, depth.extents
    for j, extent in enumerate(extents):
        _try(depth, large & extent.mixed, np.full(len(large), j), _known_apart)
    shape = (len(extents), len(large))
    open_ = np.array([e.low < e.high for e in extents]).reshape(shape)
    widths = [a.width(e, regions) for a, e in zip(task.axes, extents, strict=True)]
    width = np.array(widths).reshape(shape)
    order = np.argsort(np.where(open_, -width, 1.0), axis=0, kind="stable")
    for turn in range(len(extents)):
        _try(depth, large & (turn < open_.sum(axis=0)), order[turn], _around_median)
    return depth


def _try(
    depth: _Depth,
    able: BoolArray,
    axis: IntArray,
    ways: Callable[[_Lines], dict[str, IntArray]],
) -> None:
    """Try to cut the regions that may be cut along an axis each, and note what is allowed."""
    which = np.flatnonzero(able & (depth.left == 0))
    if not len(which):
        return
    axis = axis[which]
    lines = _Lines(depth, which, axis)
    waiting, lined, hidden = np.ones(len(which), bool), lines.regions, depth.task.hidden
    for way, at in ways(lines).items():
        left = np.where(waiting, at, 0)
        depth.tried += int(np.count_nonzero(waiting if way != "far" else left))
        good = left > 0
        if hidden is not None and good.any():
            good[good] = hidden.allow(lined, left, good)
        cut = which[good]
        depth.left[cut], depth.axis[cut] = left[good], axis[good]
        taken = np.zeros(len(depth.left), bool)
        taken[cut] = True
        depth.rows[taken[depth.regions.ids]] = lined.rows[good[lined.ids]]
        waiting &= ~good


def _known_apart(lines: _Lines) -> dict[str, IntArray]:
    """Records with a known value, which come left; 0 where too few are on a side."""
    axes, lined = lines.depth.task.axes, lines.regions
    last = np.array([len(axis.values) - axis.lacks for axis in axes])[lines.axis]
    known = lines.places < np.repeat(last, lined.sizes)
    left = np.add.reduceat(known, lined.starts, dtype=np.int64)
    return {"known": np.where(lines.wide_enough(left), left, 0)}


def _around_median(lines: _Lines) -> dict[str, IntArray]:
    """Records left of each way to cut each region, by preference; 0 where there is none."""
    k, sizes = lines.depth.task.asked.k, lines.regions.sizes
    region, left = _between(lines)
    upper = 2 * left > sizes[region]
    below, above = np.zeros_like(sizes), np.zeros_like(sizes)
    below[region[~upper]] = left[~upper]  # the last write, the one next to the median, wins
    above[region[upper][::-1]] = left[upper][::-1]
    under, over = sizes - 2 * below, 2 * above - sizes
    room = below // k + (sizes - below) // k - above // k - (sizes - above) // k
    halved = np.minimum(under, over) <= 1
    better = np.where(halved | (room == 0), under <= over, room > 0)
    lower = (below > 0) & ((above == 0) | better)
    ways = {"even": sizes // 2} if lines.depth.task.relaxed else {}
    ways["near"] = np.where(lower, below, above)
    ways["far"] = np.where(lower, above, below)
    return ways


def _between(lines: _Lines) -> tuple[IntArray, IntArray]:
    """All cuts between different values that leave k records on both sides.

    Returns the region of each, and the records on its left; in order.
    """
    lined, places = lines.regions, lines.places
    same = lined.ids[1:] == lined.ids[:-1]
    first = np.flatnonzero(same & (places[1:] != places[:-1])) + 1
    region = lined.ids[first]
    left = first - lined.starts[region]
    good = lines.wide_enough(left, region)
    for j, axis in enumerate(lines.depth.task.axes):
        if isinstance(axis, Tree):
            mine = np.flatnonzero(good & (lines.axis[region] == j))
            here, held = first[mine], lines.which[region[mine]]
            level = axis.level(lines.depth.extents[j])[held]
            good[mine] = axis.apart(level, places[here - 1], places[here])
    return region[good], left[good]


# What comes out


Labels = tuple[list[Any], IntArray]
"""Labels, and which of them says what each region holds."""


Shown = tuple[pd.Index, IntArray, bool]
"""Labels of an axis, which one each region shows, and whether some hold several values."""


def _labels(task: _Task, regions: Regions) -> tuple[list[Shown], float]:
    """What each cell shows of what the class of its record holds; also what that loses."""
    extents = [Extent(axis, regions) for axis in task.axes]
    axes = list(zip(task.axes, extents, strict=True))
    named = [axis.labels(extent, regions) for axis, extent in axes]
    _name_parts(task.axes, extents, regions, named)
    lost = sum(float(axis.width(extent, regions) @ regions.sizes) for axis, extent in axes)
    found = [
        (index_of(one_kind(labels).tolist()), code, bool((extent.low < extent.high).any()))
        for (labels, code), extent in zip(named, extents, strict=True)
    ]
    return found, lost / max(len(regions.rows) * len(extents), 1)


def _labelled(
    data: pd.DataFrame, task: _Task, regions: Regions, shown: list[Shown]
) -> pd.DataFrame:
    """Write labels into the cells."""
    treated, own = data.copy(deep=False), np.flatnonzero(task.kept)
    for j, (labels, code, wide) in zip(task.positions, shown, strict=True):
        if wide:
            cells = np.zeros(len(data), np.int64)
            cells[own[regions.rows]] = code[regions.ids]
            column: Any = pd.Series(labels.take(cells), index=data.index)
            treated.isetitem(j, column)
    return treated


def _classes(task: _Task, regions: Regions, shown: list[Shown]) -> IntArray:
    """Number of the class of each row, as its cells show it; -1 where it takes no part."""
    codes = [
        encode_column(pd.Series(labels))[0].take(code) if wide else code
        for labels, code, wide in shown
    ]
    held: list[Any] = [range(int(code.max()) + 1) for code in codes]
    found = np.full(len(task.kept), -1)
    ids, _ = numbered(Encoded(codes, held, len(regions.starts)))
    found[np.flatnonzero(task.kept)[regions.rows]] = ids[regions.ids]
    return found


def _name_parts(
    axes: list[Axis], extents: list[Extent], regions: Regions, named: list[Labels]
) -> None:
    """Tell a class that shows the label of everything everywhere from suppressed records."""
    if len(regions.starts) == 1 or not named:
        return
    hidden = np.ones(len(regions.starts), bool)
    for labels, code in named:
        stars = [isinstance(label, str) and label == TOP for label in labels]
        hidden &= np.array(stars, bool)[code]
    for axis, extent, (labels, code) in zip(axes, extents, named, strict=True):
        if isinstance(axis, Tree):
            for region in np.flatnonzero(hidden & (extent.low < extent.high)).tolist():
                labels.append(axis.parts(extent, regions, region))
                code[region] = len(labels) - 1
                hidden[region] = False


def _step(depth: _Depth, parent: IntArray) -> dict[str, IntArray]:
    """Note the regions of one depth, and the places on both sides of their cuts."""
    starts, rows, extents = depth.regions.starts, depth.rows, depth.extents
    right = rows[np.minimum(starts + depth.left, len(rows) - 1)]
    left = rows[starts + np.maximum(depth.left, 1) - 1]
    ends = np.array([left, right])
    return {
        "parent": parent,
        "records": depth.regions.sizes,
        "axis": depth.axis,
        "ends": depth.task.places[depth.axis, ends] if extents else ends,
        "from": np.array([extent.low for extent in extents]),
        "to": np.array([extent.high for extent in extents]),
    }


def _tree_of_cuts(axes: list[Axis], steps: list[dict[str, IntArray]]) -> pd.DataFrame:
    """Put all depths into one table."""
    found = {
        name: np.concatenate([step[name] for step in steps], axis=-1) for name in steps[0]
    }
    count = len(found["axis"])
    sides, cut = np.full((2, count), np.nan, object), np.full(count, np.nan, object)
    for j, one in enumerate(axes):
        mine = found["axis"] == j
        cut[mine] = one.name
        for side, places in zip(sides, found["ends"], strict=True):
            side[mine] = np.asarray(one.values.take(places[mine]).astype(object))
    table = {
        "parent": found["parent"],
        "depth": np.repeat(np.arange(len(steps)), [len(step["axis"]) for step in steps]),
        "records": found["records"],
        "cut": cut,
        "left_end": sides[0],
        "right_start": sides[1],
    }
    for j, one in enumerate(axes):
        for word in ("from", "to"):
            table[f"{one.name} {word}"] = one.values.take(found[word][j])
    return pd.DataFrame(table).rename_axis(index="region")


@dataclass(frozen=True, eq=False)
class Regions:
    """Parts of a table: the rows of one after the other."""

    rows: IntArray
    starts: IntArray

    @cached_property
    def sizes(self) -> IntArray:
        """Records of each region."""
        return np.diff(self.starts, append=len(self.rows))

    @cached_property
    def ids(self) -> IntArray:
        """Region of each of the rows."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def some(self, which: IntArray) -> Regions:
        """Only some of the regions, in rising order."""
        if len(which) == len(self.starts):
            return self
        chosen = np.zeros(len(self.starts), bool)
        chosen[which] = True
        sizes = self.sizes[which]
        return Regions(self.rows[chosen[self.ids]], np.cumsum(sizes) - sizes)


class Extent:
    """What each region holds of an axis."""

    def __init__(self, axis: Axis, regions: Regions) -> None:
        self.places = axis.place[regions.rows]
        """Place of each row of the regions, one region after the other."""
        self.low = np.minimum.reduceat(self.places, regions.starts)
        """Place of the first value."""
        self.high = np.maximum.reduceat(self.places, regions.starts)
        """Place of the last value; a missing one comes last."""
        wide, last = self.high > self.low, len(axis.values) - 1
        self.mixed = wide & (self.high == last) & axis.lacks
        """Whether known values and missing ones are there."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A quasi-identifier whose values have places: in order, a missing one last."""

    name: Any
    place: IntArray
    """Place of the value of each row."""
    values: pd.Index
    """Value of each place."""
    lacks: bool
    """Whether the last value is the missing one."""

    def width(self, extent: Extent, regions: Regions) -> FloatArray:
        """How much of the axis each region leaves open, from 0 for one value to 1."""
        raise NotImplementedError

    def labels(self, extent: Extent, regions: Regions) -> Labels:
        """Labels, and which of them says what a region holds; one value stays as it is."""
        single = extent.low == extent.high
        own, which = np.unique(extent.low[single], return_inverse=True)
        texts, others = self.texts(extent, regions, np.flatnonzero(~single))
        code = np.empty(len(single), np.int64)
        code[single] = which
        code[~single] = len(own) + others
        return [*self.values.take(own).astype(object), *texts], code

    def texts(self, extent: Extent, regions: Regions, which: IntArray) -> Labels:
        """Labels of regions with several values."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class _Ordered(Axis):
    """Values with an order: a label is the closed interval of those that are there."""

    far: FloatArray
    """How far the value of each place is from the first."""
    range: float
    """How far apart the first and the last known value are."""

    def width(self, extent: Extent, regions: Regions) -> FloatArray:
        share = (self.far[extent.high] - self.far[extent.low]) / self.range
        # A missing value lies nowhere on the scale, so nothing is known of a mixed cell.
        return np.asarray(np.where(extent.mixed, 1.0, share))

    def texts(self, extent: Extent, regions: Regions, which: IntArray) -> Labels:
        size, mixed = len(self.values), extent.mixed[which]
        high = extent.high[which].astype(np.int64)
        if mixed.any():
            some = regions.some(which[mixed])
            places = self.place[some.rows].astype(np.int64)
            known = np.where(places == size - 1, -1, places)
            high[mixed] = np.maximum.reduceat(known, some.starts)
        keys, code = np.unique(
            (extent.low[which] * size + high) * 2 + mixed, return_inverse=True
        )
        ends = [(*divmod(key // 2, size), key % 2 > 0) for key in keys.tolist()]
        values = self.values
        return [interval_label(values[a], values[b], missing=m) for a, b, m in ends], code


@dataclass(frozen=True, eq=False)
class _Named(Axis):
    """Values without an order: a label is the set of those that are there."""

    def width(self, extent: Extent, regions: Regions) -> FloatArray:
        region, _ = self._pairs(regions.ids, extent.places)
        return openness(np.bincount(region), len(self.values))

    def texts(self, extent: Extent, regions: Regions, which: IntArray) -> Labels:
        if not len(which):
            return [], which
        some = regions.some(which)
        region, place = self._pairs(some.ids, self.place[some.rows])
        sizes = np.bincount(region)
        code, start = np.empty_like(sizes), np.cumsum(sizes) - sizes
        texts: list[str] = []
        members = [member_label(value) for value in self.values]
        for size in np.unique(sizes).tolist():  # equal sets have as many values
            alike = np.flatnonzero(sizes == size)
            sets = place[start[alike, None] + np.arange(size)]
            ids, first = numbered(Encoded([*sets.T], [self.values] * size, len(sets)))
            code[alike] = len(texts) + ids
            texts += [set_label([members[at] for at in one]) for one in sets[first].tolist()]
        return texts, code

    def _pairs(self, ids: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
        """Region and place of each different value of a region, in order."""
        size = len(self.values)
        pairs, _ = count_keys(ids * size + places, (int(ids[-1]) + 1) * size)
        region, place = np.divmod(pairs, size)
        return region, place


@dataclass(frozen=True, eq=False)
class Tree(Axis):
    """Values of a hierarchy, in the order of its branches: a label is the lowest in common."""

    branch: IntArray
    """Code of the label of each place, a row per level; on the last one all are alike."""
    leaves: IntArray
    """Values under that label."""
    names: AnyArray
    """The label itself."""

    def level(self, extent: Extent) -> IntArray:
        """Lowest level on which all values of each region have one label."""
        low, high = extent.low, extent.high
        return np.asarray((self.branch[:, low] == self.branch[:, high]).argmax(axis=0))

    def width(self, extent: Extent, regions: Regions) -> FloatArray:
        """Share of the other values that each region leaves open."""
        return openness(self.leaves[self.level(extent), extent.low], len(self.values))

    def apart(self, level: IntArray, left: IntArray, right: IntArray) -> BoolArray:
        """Whether places that share a label on a level are on different branches below it."""
        return np.asarray(self.branch[level - 1, left] != self.branch[level - 1, right])

    def texts(self, extent: Extent, regions: Regions, which: IntArray) -> Labels:
        """Lowest common labels."""
        labels = self.names[self.level(extent)[which], extent.low[which]]
        code, different = pd.factorize(labels, use_na_sentinel=False)
        return list(different), code

    def parts(self, extent: Extent, regions: Regions, region: int) -> str:
        """Labels under the one in common, for a region that it alone would not tell apart."""
        below = self.level(extent)[region] - 1
        start = regions.starts[region]
        places = self.place[regions.rows[start : start + regions.sizes[region]]]
        _, first = np.unique(self.branch[below, places], return_index=True)
        labels = self.names[below, places[first]]
        return set_label(sorted(map(member_label, labels)))


def axis_of(data: pd.DataFrame, position: int, hierarchy: Any = None) -> Axis:
    """Lay the values of a column along an axis."""
    column, name = encode(data, [position]), data.columns[position]
    codes, values = column.codes[0], column.values[0]
    if hierarchy is not None:
        return _tree(codes, values, name, hierarchy)
    missing = np.asarray(values.isna())
    order, orderable = in_order(values)
    known = order[: np.count_nonzero(~missing)]
    ordered = orderable and is_ordered(values)
    if not ordered:
        texts = [(written(value), type(value).__name__) for value in values[known]]
        known = known[sorted(range(len(known)), key=texts.__getitem__)]
        order = np.concatenate([known, np.flatnonzero(missing)])
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    parts = (name, place[codes], values[order], bool(missing.any()))
    return _Ordered(*parts, *_scale(values[known])) if ordered else _Named(*parts)


def _scale(known: pd.Index) -> tuple[FloatArray, float]:
    """How far each value is from the first, and the last of them; then a missing value."""
    far = ranks = np.arange(len(known), dtype=float)
    if len(known) and not isinstance(known, pd.CategoricalIndex):
        with np.errstate(over="ignore", invalid="ignore"), suppress(ArithmeticError):
            far = _distances(known)
    if not np.isfinite(far).all() or not far[-1:].sum() > 0:
        far = ranks  # infinite values, floats beside what no float holds, or none that differ
    return np.append(far, 0.0), float(far[-1:].sum()) or 1.0


def _distances(known: pd.Index) -> FloatArray:
    """Distance of each value from the first, in any unit."""
    if kind_of(known) in ("floating", "mixed-integer-float"):
        floats = known.to_numpy(float)
        return np.asarray(floats - floats[0])
    if isinstance(known, (pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex)):
        known = pd.Index(known.asi8)
    cells = known.astype(object)  # whole numbers of Python do not overflow
    steps = [cell - cells[0] for cell in cells]
    if hasattr(steps[0], "total_seconds"):
        steps = [step.total_seconds() for step in steps]
    # A share of the range, as a float may not hold the range.
    large = abs(steps[-1]) > sys.float_info.max
    return np.array([step / steps[-1] for step in steps] if large else steps, float)


def _tree(codes: IntArray, values: pd.Index, name: Any, hierarchy: Any) -> Axis:
    cells, codes_of_labels, row = check_hierarchy(hierarchy, values, name)
    if codes_of_labels[-1].any():  # several labels at the top
        everything = np.full((len(cells), 1), TOP, object)
        cells = np.concatenate([cells, everything], axis=1)
        codes_of_labels = [*codes_of_labels, np.zeros(len(cells), np.int64)]
    branch = np.array(codes_of_labels)
    order = np.lexsort(branch)  # neighbours share labels, from the top down
    branch, names = branch[:, order], cells[order].T
    leaves = np.array([np.bincount(level)[level] for level in branch])
    leaf = pd.Index(names[0], dtype=object, tupleize_cols=False)
    place = np.argsort(order)[row]
    return Tree(name, place.astype(np.int32)[codes], leaf, False, branch, leaves, names)


def cuts_until(regions: pd.DataFrame, depth: int) -> pd.DataFrame:
    """Regions of Mondrian when only so many rounds of cuts have been made.

    Parameters
    ----------
    regions : DataFrame
        Result of `mondrian_regions`.
    depth : int
        Rounds of cuts; 0 leaves the whole table in one region.

    Examples
    --------
    >>> regions = mondrian_regions(pd.DataFrame({"age": [17, 25, 39, 41]}), "age", k=1)
    >>> cuts_until(regions, 1)["records"].tolist()
    [4, 2, 2]
    """
    check_whole(depth, "depth", 0, 2**53, "rounds of cuts")
    early = regions[regions["depth"] <= depth]
    cut = early["cut"].mask(early["depth"] == depth, np.nan)
    return early.assign(cut=cut)
