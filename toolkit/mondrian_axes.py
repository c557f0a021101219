"""How far apart are two values, and what can stand for all between them? Axes of a table.

For multidimensional partitioning each quasi-identifier is an axis: its values have places 0,
1, … along it, and a region of the table holds places from a lowest to a highest one. There are
three kinds of axes: of ordered values (numbers, dates, ordered categories), of a hierarchy,
whose neighbours share labels, and of mere names, in the order of their text.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._validate import check_hierarchy
from .disclosure import is_ordered
from .grouping import ENTRIES_PER_ROW, Whole, encode, in_order, kind_of, written

__all__ = ["Axis", "Extent", "Regions", "Tree", "axis_of", "count_keys"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

EVERYTHING = "*"
"""Label of all values, where a hierarchy has none."""

UNKNOWN = "missing"
"""What a label calls a missing value that it holds among others."""


@dataclass(frozen=True, eq=False)
class Regions:
    """Parts of a table: the rows of one after the other."""

    rows: Whole
    starts: Whole

    @cached_property
    def sizes(self) -> Whole:
        """Records of each region."""
        return np.diff(self.starts, append=len(self.rows))

    @cached_property
    def ids(self) -> Whole:
        """Region of each of the rows."""
        return np.repeat(np.arange(len(self.starts)), self.sizes)

    def some(self, which: Whole) -> Regions:
        """Only some of the regions, in rising order."""
        chosen = np.zeros(len(self.starts), bool)
        chosen[which] = True
        sizes = self.sizes[which]
        return Regions(self.rows[chosen[self.ids]], np.cumsum(sizes) - sizes)


@dataclass(frozen=True, eq=False)
class Extent:
    """What each region holds of an axis."""

    low: Whole
    """Place of the first value."""
    high: Whole
    """Place of the last value; a missing one comes last."""
    width: Floats
    """How much of the axis is open, from 0 for one value to 1."""
    mixed: Mask
    """Whether known values and missing ones are there."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A quasi-identifier whose values have places: in order, a missing one last."""

    name: Any
    place: Whole
    """Place of the value of each row."""
    values: pd.Index
    """Value of each place."""
    lacks: bool
    """Whether the last value is the missing one."""

    def extent(self, regions: Regions) -> Extent:
        """Measure what each region holds."""
        places = self.place[regions.rows]
        low = np.minimum.reduceat(places, regions.starts)
        high = np.maximum.reduceat(places, regions.starts)
        mixed = (high > low) & (high == len(self.values) - 1) & self.lacks
        return Extent(low, high, self.widths(low, high, mixed, places, regions), mixed)

    def widths(
        self, low: Whole, high: Whole, mixed: Mask, places: Whole, regions: Regions
    ) -> Floats:
        """How much of the axis each region leaves open."""
        raise NotImplementedError

    def separable(self, extent: Extent, region: Whole, left: Whole, right: Whole) -> Mask:
        """Whether regions may be cut between two neighbours among their places."""
        return np.ones(len(region), bool)

    def labels(self, extent: Extent, regions: Regions) -> tuple[list[Any], Whole]:
        """Labels, and which of them says what a region holds; one value stays as it is."""
        single = extent.low == extent.high
        own, which = np.unique(extent.low[single], return_inverse=True)
        texts, others = self.texts(extent, regions, np.flatnonzero(~single))
        code = np.empty(len(single), np.int64)
        code[single] = which
        code[~single] = len(own) + others
        return [*self.values.take(own).astype(object), *texts], code

    def texts(
        self, extent: Extent, regions: Regions, which: Whole
    ) -> tuple[Sequence[Any], Whole]:
        """Labels of regions with several values."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class _Ordered(Axis):
    """Values with an order: a label is the closed interval of those that are there."""

    far: Floats
    """How far the value of each place is from the first."""
    range: float
    """How far apart the first and the last known value are."""

    def widths(
        self, low: Whole, high: Whole, mixed: Mask, places: Whole, regions: Regions
    ) -> Floats:
        # A missing value lies nowhere on the scale, so nothing is known of a mixed cell.
        return np.asarray(np.where(mixed, 1.0, (self.far[high] - self.far[low]) / self.range))

    def texts(
        self, extent: Extent, regions: Regions, which: Whole
    ) -> tuple[Sequence[Any], Whole]:
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
        ends = [divmod(key // 2, size) for key in keys.tolist()]
        shown = [(shown_as(self.values[a]), shown_as(self.values[b])) for a, b in ends]
        spans = [f"[{a}, {b}]" if a != b else a for a, b in shown]
        also = [f" or {UNKNOWN}" * (key % 2) for key in keys.tolist()]
        return [span + more for span, more in zip(spans, also, strict=True)], code


@dataclass(frozen=True, eq=False)
class _Named(Axis):
    """Values without an order: a label is the set of those that are there."""

    def widths(
        self, low: Whole, high: Whole, mixed: Mask, places: Whole, regions: Regions
    ) -> Floats:
        region, _ = self._pairs(regions)
        distinct = np.bincount(region, minlength=len(low))
        return np.asarray((distinct - 1) / max(len(self.values) - 1, 1), float)

    def texts(
        self, extent: Extent, regions: Regions, which: Whole
    ) -> tuple[Sequence[Any], Whole]:
        if not len(which):
            return [], which
        region, place = self._pairs(regions.some(which))
        names = [UNKNOWN if pd.isna(v) is True else str(v) for v in self.values]
        more = np.array([f", {name}" for name in names], object)[place]
        starts = np.flatnonzero(np.diff(region, prepend=-1))
        code, sets = pd.factorize(np.add.reduceat(more, starts))
        return [f"{{{text[2:]}}}" for text in sets], code

    def _pairs(self, regions: Regions) -> tuple[Whole, Whole]:
        """Region and place of each different value of a region, in order."""
        size = len(self.values)
        pairs, _ = count_keys(regions.ids * size + self.place[regions.rows])
        region, place = np.divmod(pairs, size)
        return region, place


@dataclass(frozen=True, eq=False)
class Tree(Axis):
    """Values of a hierarchy, in the order of its branches: a label is the lowest in common."""

    branch: Whole
    """Code of the label of each place, a row per level; on the last one all are alike."""
    leaves: Whole
    """Values under that label."""
    names: npt.NDArray[Any]
    """The label itself."""

    def level(self, extent: Extent) -> Whole:
        """Lowest level on which all values of each region have one label."""
        low, high = extent.low, extent.high
        return np.asarray((self.branch[:, low] == self.branch[:, high]).argmax(axis=0))

    def widths(
        self, low: Whole, high: Whole, mixed: Mask, places: Whole, regions: Regions
    ) -> Floats:
        """Share of the other values of the hierarchy under the label."""
        level = self.level(Extent(low, high, np.empty(0), mixed))
        return np.asarray((self.leaves[level, low] - 1) / max(len(self.values) - 1, 1), float)

    def separable(self, extent: Extent, region: Whole, left: Whole, right: Whole) -> Mask:
        """Only between branches of the lowest common label."""
        below = self.level(extent)[region] - 1
        return np.asarray(self.branch[below, left] != self.branch[below, right])

    def texts(
        self, extent: Extent, regions: Regions, which: Whole
    ) -> tuple[Sequence[Any], Whole]:
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
        texts = [UNKNOWN if pd.isna(label) is True else str(label) for label in labels]
        return f"{{{', '.join(sorted(texts))}}}"


def count_keys(key: Whole) -> tuple[Whole, Whole]:
    """Return the different keys, rising, and how often each occurs."""
    if int(key.max()) <= ENTRIES_PER_ROW * key.size + (1 << 12):
        times = np.bincount(key)
        keys = np.flatnonzero(times)
        return keys, times[keys]
    key.sort()
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    return key[starts], np.diff(starts, append=key.size)


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


def _scale(known: pd.Index) -> tuple[Floats, float]:
    """How far each value is from the first, and the last of them; then a missing value."""
    far = ranks = np.arange(len(known), dtype=float)
    if len(known) and not isinstance(known, pd.CategoricalIndex):
        with np.errstate(over="ignore", invalid="ignore"), suppress(ArithmeticError):
            far = _distances(known)
    if not np.isfinite(far).all() or not far[-1:].sum() > 0:
        far = ranks  # infinite values, floats beside what no float holds, or none that differ
    return np.append(far, 0.0), float(far[-1:].sum()) or 1.0


def _distances(known: pd.Index) -> Floats:
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


def _tree(codes: Whole, values: pd.Index, name: Any, hierarchy: Any) -> Axis:
    cells = check_hierarchy(hierarchy, values, name)
    if len(set(pd.factorize(cells[:, -1], use_na_sentinel=False)[0])) > 1:
        everything = np.full((len(cells), 1), EVERYTHING, object)
        cells = np.concatenate([cells, everything], axis=1)
    branch = np.array([pd.factorize(level, use_na_sentinel=False)[0] for level in cells.T])
    order = np.lexsort(branch)  # neighbours share labels, from the top down
    branch, names = branch[:, order], cells[order].T
    leaves = np.array([np.bincount(level)[level] for level in branch])
    leaf = pd.Index(names[0], dtype=object, tupleize_cols=False)
    wanted = values.astype(object).to_numpy(copy=True)
    wanted[np.asarray(values.isna())] = np.nan
    place = leaf.get_indexer(pd.Index(wanted, dtype=object, tupleize_cols=False))
    return Tree(name, place.astype(np.int32)[codes], leaf, False, branch, leaves, names)


def shown_as(value: Any) -> str:
    """Text of a number without a needless .0, of a day without its midnight."""
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    if isinstance(value, date):
        return str(pd.Timestamp(value)).removesuffix(" 00:00:00")
    return str(value)
