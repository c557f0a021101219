"""Metrics of equivalence classes that exceed the budget, computed in the engine.

Every metric starts from the pairs of class and sensitive value that occur, which the engine
has counted. Joins put the records of the class and of the value beside each pair; one grouping
by class gives a number for each class, and its least or greatest is the metric. The formulas
are those of the metrics in memory, on counts that are exact.

A table and its population are grouped by the same quasi-identifiers; a join of the two lists
of classes, on equal values where a missing one equals a missing one, says how many people each
class has and how many records each kind of person.
"""

# Longer than other modules: every number of a class table is a method of one class here, as
# the protocol of `toolkit.classes` has it, and is shorter beside the others than apart.

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .._grouping import encode, row_labels, sorted_by_value
from .._old.attribute import (
    distance_meant,
    distances,
    greatest_distance,
    labels_by_level,
    recursive_ratios,
)
from .._old.catalogue import equal_distance
from .._old.classes import (
    MISSING_POLICIES,
    Asked,
    Counts,
    EquivalenceClasses,
    Facts,
    Judged,
    ValueShown,
    ask,
    check_class_values,
    check_classes_of_people,
    check_person,
    class_sizes,
    classify_cells,
    with_people,
)
from .._old.identity import ReidentificationRisk, risks
from .._old.membership import check_contained, check_in_population, link
from .._typing import IntArray, frame_of_arrow, in_engine
from .._validation import (
    check_choice,
    check_columns,
    check_dropped,
    check_partition,
    check_quasi_identifiers,
)
from .distinct import (
    Brought,
    DistinctInEngine,
    DistinctRowsHere,
    cached,
    count_distinct_rows,
    fetch_counts,
)
from .table import (
    EngineTable,
    as_engine_table,
    check_needs_memory,
    clear_errors,
    fetch,
    free_name,
    named,
    same_engine,
    upload,
)

MOST_VALUES = 1_000_000
"""Sensitive values that are brought back to be put into an order."""


SHRINKS = 4
"""Counts by some of the columns are kept, for others to follow, if so many times fewer."""


MOST_RANKS = 4096
"""Values between which an engine searches for the crossing of two distributions."""


@dataclass(frozen=True, eq=False)
class ClassesInEngine:
    """The classes of a table in an engine, with a column for each number of them.

    Columns of `pairs`: q0, q1, … the quasi-identifiers; s0, … the sensitive columns; `n`, the
    records of the pair.
    """

    table: EngineTable
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    missing: str
    counted: DistinctInEngine
    pairs: Any
    n_records: int
    """Records in classes."""
    dropped: int

    @property
    def rows(self) -> int:
        """Records of the table, those that are left out among them."""
        return self.n_records + self.dropped

    @property
    def q(self) -> list[str]:
        """Columns of `pairs` that make a class."""
        return [f"q{j}" for j in range(len(self.quasi_identifiers))]

    @property
    def s(self) -> list[str]:
        """Columns of `pairs` that make a sensitive value."""
        return [f"s{j}" for j in range(len(self.sensitive))]

    @cached_property
    def classes(self) -> Any:
        """Classes with their records, `size`, and the values that each holds, `held`.

        The engine keeps them until it keeps `sized`, which has all of it.
        """
        if ("pairs", *self._what) in self.counted.counts.sized:
            return self._classes
        return self._kept("classes", lambda: self._classes)

    @property
    def _classes(self) -> Any:
        """Classes in `size` and `held`, as a question."""
        sums = {"size": lambda t: t.n.sum().cast("float64"), "held": lambda t: t.count()}
        return self.by_class(self.pairs, **sums)

    @cached_property
    def sized(self) -> Any:
        """Pairs with the records of their class, `size`, and of their value, `total`.

        And with the values that the class holds, `held`. The engine keeps them for the next
        metric: looking up costs most.
        """
        pairs = self._kept("pairs", lambda: self._sized)
        self.counted.counts.sized.pop(("classes", *self._what), None)
        return pairs

    @property
    def _sized(self) -> Any:
        pairs = self.pairs.mutate(n=self.pairs.n.cast("float64"))
        classes = self.counted.counts.sized.get(("classes", *self._what), self._classes)
        values = self.pairs.group_by(self.s).aggregate(
            total=self.pairs.n.sum().cast("float64")
        )
        for names, counts in ((self.q, classes), (self.s, values)):
            counts = counts.rename({f"of {name}": name for name in names})
            alike = [pairs[name].identical_to(counts[f"of {name}"]) for name in names]
            joined = pairs.inner_join(counts, alike) if names else pairs.cross_join(counts)
            pairs = joined.drop(*[f"of {name}" for name in names])
        return pairs

    @property
    def _what(self) -> tuple[Any, ...]:
        """What makes a class, among the classes of the same counts."""
        return self.quasi_identifiers, self.sensitive, self.missing

    def _kept(self, name: str, ask: Callable[[], Any]) -> Any:
        """What the engine keeps with the counts, once it was asked for."""
        kept, what = self.counted.counts.sized, (name, *self._what)
        if what not in kept:
            with clear_errors(self.table, "counting the records of each class"):
                kept[what] = cached(ask())
        return kept[what]

    @cached_property
    def sizes(self) -> Any:
        """Classes with their records, `size`."""
        if not self.s and self.q:  # then a pair is a class
            return self.pairs.select(*self.q, size=self.pairs.n.cast("float64"))
        return self.by_class(self.pairs, size=lambda t: t.n.sum().cast("float64"))

    def by_class(self, pairs: Any, **numbers: Callable[[Any], Any]) -> Any:
        """One row per class with numbers of it."""
        asked = {name: number(pairs) for name, number in numbers.items()}
        if not self.q:
            return pairs.aggregate(**asked)
        return pairs.group_by(self.q).aggregate(**asked)

    def ask(self, expression: Any, **numbers: Callable[[Any], Any]) -> dict[str, Any]:
        """Numbers of the whole table; the plan is kept."""
        asked = expression.aggregate(**{name: f(expression) for name, f in numbers.items()})
        self.counted.note(asked)
        with clear_errors(self.table, f"computing {' and '.join(numbers)}"):
            found = fetch(asked)
        return {name: found[name][0].as_py() for name in numbers}

    def of_sizes(self, **formulas: Callable[[Any], Any]) -> RemoteNumbers:
        """Numbers of each class by formulas of the records `alike`."""
        sizes = self.sizes.rename(alike="size")
        numbers = {name: formula(sizes) for name, formula in formulas.items()}
        return RemoteNumbers(self, sizes.mutate(records=sizes.alike, **numbers))

    def numbers(self, **formulas: Callable[[Any], Any]) -> RemoteNumbers:
        """Numbers of each class by formulas of its counts."""
        asked: dict[str, Any] = {"records": lambda c: c.records, **formulas}
        plain = self.pairs.mutate(n=self.pairs.n.cast("float64"))
        trial = RemoteCounts(plain.mutate(size=1.0, total=1.0, held=1), self, alone=True)
        for formula in asked.values():
            formula(trial)
        if not trial.used:
            return RemoteNumbers(self, self._alone(self.classes, asked))
        if "size" not in trial.used:
            return RemoteNumbers(self, self._numbers(plain, asked))
        each = None if "sum" in trial.used else self._alone(self.sized, asked)
        return RemoteNumbers(self, self._numbers(self.sized, asked), each)

    def _alone(self, table: Any, asked: Mapping[str, Any]) -> Any:
        """Numbers of each row of a table as if it were all of its class."""
        counts = RemoteCounts(table, self, alone=True)
        return table.select(*self.q, **{name: f(counts) for name, f in asked.items()})

    def _numbers(self, pairs: Any, asked: Mapping[str, Any], **more: Any) -> Any:
        counts = RemoteCounts(pairs, self)
        made = {name: lambda t, f=f: f(counts) for name, f in asked.items()}
        return self.by_class(pairs, **made, **more)

    def total(self, formula: Callable[[Any], Any]) -> int:
        """Sum of a whole number of each class."""
        asked = self.numbers(number=formula).table
        return int(self.ask(asked, number=lambda t: t.number.sum())["number"])

    def on_classes(self, formulas: Mapping[str, Any]) -> EngineTable:
        """Numbers of each class; of sensitive values the commonest alone is shown."""
        asked = {name: f for name, f in formulas.items() if not isinstance(f, ValueShown)}
        shown = [n for n, f in formulas.items() if isinstance(f, ValueShown) and f.in_engine]
        pairs = self.sized
        if shown:
            import ibis

            top = pairs.n == pairs.n.max().over(ibis.window(group_by=self.q))
            pairs = self.valued.mutate(top=top)
        more = {name: lambda t: t.value.min(where=t.top) for name in shown}
        found = self._numbers(pairs, asked, **more)
        return self.view(found, {name: name for name in [*asked, *shown]})

    def view(self, expression: Any, numbers: Mapping[str, Any]) -> EngineTable:
        """Classes by the names of their quasi-identifiers, as a table of the engine.

        `numbers` has columns of `expression`, or names of them. Where a quasi-identifier has
        the name of a number, the number gets an underscore.
        """
        labels = {
            name: expression[j] for j, name in zip(self.q, self.quasi_identifiers, strict=True)
        }
        taken, cells = set(labels), {}
        for name, number in numbers.items():
            free = free_name(name, taken)
            taken.add(free)
            cells[free] = expression[number] if isinstance(number, str) else number
        found = expression.select(*named(labels | cells))
        self.counted.note(found)
        return replace(self.table, expression=found, key=None)

    def per_record(self, number: Callable[[Any], Any], name: str) -> EngineTable:
        """Give each record a number of its class, of whose records it is a function."""
        return self.on_records({name: number})

    def on_records(self, numbers: Mapping[str, Any]) -> EngineTable:
        """Give each record several numbers of its class, functions of its records."""
        found = {name: lambda n, _, f=f: f(n) for name, f in numbers.items()}
        return self.beside_people(None, found)

    def beside_people(
        self, people: Any, numbers: Mapping[str, Callable[[Any, Any], Any]]
    ) -> EngineTable:
        """Give each record numbers of its class: of its records, and of its people.

        The records are counted by a window over the rows of the table; `people` has columns
        q0, q1, … and `people`, of whom there are none where a class is not in it. Records that
        are left out get NULL.
        """
        import ibis

        key, cells = self.table.checked_key, self.table.cells
        names = list(self.quasi_identifiers)
        count = free_name("people", set(cells.columns))
        if people is not None:
            people = people.rename(**{count: "people"})
            alike = [
                cells[name].identical_to(people[q])
                for name, q in zip(names, self.q, strict=True)
            ]
            joined = cells.left_join(people, alike) if names else cells.cross_join(people)
            cells = joined.select(*[cells[name] for name in cells.columns], people[count])
        number = None if people is None else cells[count].fill_null(0)
        size = cells.count().over(ibis.window(group_by=names))
        found = {name: f(size, number) for name, f in numbers.items()}
        lacks = _left_out(cells, names, self.sensitive, self.missing)
        if lacks is not None:
            found = {name: ibis.ifelse(lacks, ibis.null(), one) for name, one in found.items()}
        found = {free_name(name, {key}): number for name, number in found.items()}
        asked = cells.select(cells[key], *named(found))
        self.counted.note(asked)
        return replace(self.table, expression=asked)

    # Sizes

    def k(self) -> int:
        """The least class."""
        return int(self.ask(self.sizes, k=lambda t: t["size"].min())["k"])

    def unique_share(self) -> float:
        """Share of records that are alone in their class."""
        found = self.ask(self.sizes, alone=lambda t: t["size"].sum(where=t["size"] == 1))
        return float(found["alone"] or 0) / self.n_records

    def sums(self) -> dict[str, float]:
        """Classes, the least of them, and the sum of the squares of their records."""
        found = self.ask(
            self.sizes,
            classes=lambda t: t.count(),
            least=lambda t: t["size"].min(),
            squares=lambda t: (t["size"] * t["size"]).sum(),
        )
        return {name: float(number) for name, number in found.items()}

    def histogram(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Sizes of classes that occur, rising, and how many classes have each."""
        asked = self.sizes.group_by("size").aggregate(classes=lambda t: t.count())
        self.counted.note(asked)
        with clear_errors(self.table, "counting classes by their size"):
            found = fetch(asked)
        size, classes = (
            found[name].to_numpy().astype(np.int64) for name in ("size", "classes")
        )
        order = np.argsort(size)
        return size[order], classes[order]

    def facts(self) -> Facts:
        """Count classes, and records with missing cells."""
        import ibis

        counted, count = self.counted.counted, self.counted.count_name
        asked = {"classes": self.sizes.count()}
        for role, names in (("known", self.quasi_identifiers), ("secret", self.sensitive)):
            if names:
                lacks = ibis.or_(*[counted[name].isnull() for name in names])
                asked[role] = counted[count].sum(where=lacks)
        with clear_errors(self.table, "counting classes and missing cells"):
            found = {role: fetch(number)[0][0].as_py() for role, number in asked.items()}
        made = int(found["classes"]), list(self.quasi_identifiers), self.missing
        lacking = int(found.get("known") or 0), int(found.get("secret") or 0)
        return Facts(self.n_records, *made, *lacking, self.dropped, 0)

    # Values

    @cached_property
    def valued(self) -> Any:
        """Pairs with the sensitive value as `value`, for tables that show it."""
        return self.sized.mutate(value=self.sized[self.s[0]])

    def shares_of_values(self) -> EngineTable:
        """Pairs with their `records`, their `share` in the class and that in the table."""
        pairs = self.valued
        pairs = pairs.mutate(
            records=pairs.n.cast("int64"),
            share=pairs.n / pairs["size"],
            share_of_all=pairs.total / float(self.n_records),
        )
        names = ("value", "records", "share", "share_of_all")
        return self.view(pairs, {name: name for name in names})

    def alpha(self, values: Any) -> float:
        """The greatest share of one of some values in a class."""
        pairs = self.sized
        if values is not None:
            [s] = self.s
            there = pd.Index(self.value_table[1].iloc[:, 0])
            values = there[check_class_values(values, there)].tolist()
            known = [value for value in values if not pd.isna(value)]
            wanted = pairs[s].isin(known)
            if len(known) < len(values):
                wanted = wanted | pairs[s].isnull()
            pairs = pairs.filter(wanted)
        return float(self.ask(pairs, alpha=lambda t: (t.n / t["size"]).max())["alpha"])

    def recursive_c(self, l: int) -> Any:  # noqa: E741
        """Classes with c: the commonest value over the l-th and all rarer ones."""
        import ibis

        pairs = self.pairs
        window = ibis.window(group_by=self.q, order_by=ibis.desc(pairs.n))
        ranked = pairs.mutate(place=ibis.row_number().over(window))
        found = self.by_class(
            ranked,
            records=lambda t: t.n.sum().cast("int64"),
            most=lambda t: t.n.max().cast("float64"),
            tail=lambda t: t.n.sum(where=t.place >= l - 1).cast("float64"),
        )
        tail = found.tail.fill_null(0.0)
        ratio = found.most / tail.nullif(0.0)
        return found.mutate(c=ibis.cases((tail == 0.0, math.inf), else_=ratio))

    @cached_property
    def values(self) -> int:
        """How many sensitive values there are."""
        different = self.pairs.select(*self.s).distinct()
        with clear_errors(self.table, "counting the sensitive values"):
            return int(fetch(different.count())[0][0].as_py())

    @cached_property
    def value_table(self) -> tuple[Any, pd.DataFrame, np.ndarray[Any, Any]]:
        """Sensitive values in order, a missing one last: as Arrow, here, and their records."""
        totals = self.pairs.group_by(self.s).aggregate(total=self.pairs.n.sum())
        _check_bins(self.values <= MOST_VALUES, self.sensitive, MOST_VALUES)
        here = fetch_counts(self.table, self.s, totals, "total", self.values)
        return here.arrow, here.frame, here.records

    @property
    def secrets(self) -> tuple[pd.Index, IntArray, bool]:
        """Sensitive values in their order, the records of each, and that they have one."""
        _, frame, records = self.value_table
        one = frame.shape[1] == 1
        cells = frame.iloc[:, 0] if one else [*frame.itertuples(index=False, name=None)]
        return pd.Index(cells, tupleize_cols=False), records, True

    def farthest(self, kind: Any) -> float | None:
        """Distance of the farthest value from the table, if a class holds nothing else."""
        arrow, frame, records = self.value_table
        cells, order = encode(frame.iloc[:, [0, 0]]), np.arange(len(frame))
        here = DistinctRowsHere(self.table, (), Brought(None, order, cells, records))
        by_value = classify_cells(
            cells, ["value"], self.sensitive, "category", None, frame.index, here
        )
        of_values: Any = distances(by_value, kind)
        alone = of_values.by_name["distance"]
        far = alone == alone.max()
        look = arrow.select([0]).rename_columns(["value"]).filter(far)
        with clear_errors(self.table, "sending the farthest values to the engine"):
            there = upload(self.table, look.append_column("distance", [alone[far]]))
        pairs, [s] = self.sized.filter(self.sized.held == 1), self.s
        found = pairs.inner_join(there, [pairs[s].identical_to(there.value)])
        greatest: float | None = self.ask(found, most=lambda t: t.distance.max())["most"]
        return greatest

    def distances(self, kind: str) -> Any:
        """Classes with `distance`, "equal" or "ordered"."""
        if self.values == 1:
            return self.sizes.mutate(distance=0.0, records=lambda t: t["size"])
        if kind == "ordered":
            return self._ordered()
        return self.numbers(distance=equal_distance).table

    def _ordered(self) -> Any:
        """Sum |Q - P| / (m - 1) over the steps of Q, as in memory: P is searched.

        The earth mover's distance on a line is the area between the cumulative shares (S. S.
        Vallender, "Calculation of the Wasserstein distance between probability distributions
        on the line", 1974). Q is constant from one value that the class holds to the next, a
        row of `steps`, while P rises: it is below Q up to `cross` and above from there. The
        area on either side is a difference of prefix sums of P, which are joined by their
        place. So the work is that of the pairs that occur, not of classes times values. P has
        at most `MOST_RANKS` steps, of which `_search` finds the crossing by a binary search
        written out as nested conditions, as SQL has no other. Times n and the size of the
        class all terms are whole numbers, exact in floats up to 2**53.
        """
        import ibis
        import pyarrow as pa

        _check_bins(self.values <= MOST_RANKS, self.sensitive, MOST_RANKS)
        arrow, _, records = self.value_table
        [s], m, n = self.s, self.values, float(self.n_records)
        total = np.cumsum(records).astype(float)  # n P
        prefix = np.concatenate([[0.0], np.cumsum(total)])
        ranks = arrow.select([s]).rename_columns(["value"])
        ranks = ranks.append_column("rank", pa.array(np.arange(m)))
        ranks = ranks.append_column("before", pa.array(prefix[:-1]))
        sums = pa.table({"place": np.arange(m + 1), "prefix": prefix})
        with clear_errors(self.table, "sending the sensitive values to the engine"):
            there, looked_up = upload(self.table, ranks), upload(self.table, sums)
        pairs = self.sized
        pairs = pairs.inner_join(there, [pairs[s].identical_to(there.value)]).select(
            *pairs.columns, "rank", "before"
        )
        window = ibis.window(group_by=self.q, order_by="rank")
        upto = ibis.window(group_by=self.q, order_by="rank", preceding=None, following=0)
        steps = pairs.mutate(
            level=pairs.n.sum().over(upto) * n,  # n n_c Q from this value on
            end=pairs["rank"].lead().over(window).fill_null(m),
            first=ibis.row_number().over(window) == 0,
        )
        crossed = _search(steps.level / steps["size"], total)
        cross = ibis.greatest(ibis.least(crossed, steps.end), steps["rank"])
        steps = steps.mutate(cross=cross)
        at_cross, at_end = looked_up, looked_up.view()
        steps = steps.inner_join(at_cross, steps.cross == at_cross.place).select(
            *steps.columns, at_cross=at_cross.prefix
        )
        steps = steps.inner_join(at_end, steps.end == at_end.place).select(
            *steps.columns, at_end=at_end.prefix
        )
        t = steps
        below = t.level * (t.cross - t["rank"]) - t["size"] * (t.at_cross - t.before)
        above = t["size"] * (t.at_end - t.at_cross) - t.level * (t.end - t.cross)
        zero = ibis.ifelse(t["first"], t["size"] * t.before, 0.0)  # where Q is still 0
        steps = t.mutate(work=below + above + zero)
        found = self.by_class(steps, work=lambda t: t.work.sum(), records=lambda t: t.n.sum())
        return found.mutate(distance=found.work / (found.records * (n * (m - 1))))

    def hierarchical(self, labels: Sequence[np.ndarray[Any, Any]]) -> Any:
        """Classes with `distance`: the average over levels, each value with its label there.

        `labels` has an array per level with a number for each value of `value_table`.
        """
        import ibis
        import pyarrow as pa

        arrow, _, records = self.value_table
        [s], n = self.s, float(self.n_records)
        if not labels:
            return self.sizes.mutate(distance=0.0, records=lambda t: t["size"])
        levels = []
        for label in labels:
            number = np.bincount(label, records).astype(float)
            look = arrow.select([s]).rename_columns(["value"])
            look = look.append_column("label", pa.array(label))
            look = look.append_column("of_label", pa.array(number[label]))
            with clear_errors(self.table, "sending the hierarchy to the engine"):
                there = upload(self.table, look)
            pairs = self.sized
            pairs = pairs.inner_join(there, [pairs[s].identical_to(there.value)]).select(
                *pairs.columns, "label", "of_label"
            )
            cells = pairs.group_by([*self.q, "label"]).aggregate(
                n=pairs.n.sum(), size=pairs["size"].max(), of_label=pairs.of_label.max()
            )
            levels.append(
                self.by_class(
                    cells,
                    gained=lambda t: (
                        (t.n * n - t["size"] * t.of_label).clip(lower=0.0) / (t["size"] * n)
                    ).sum(),
                    records=lambda t: t.n.sum(),
                )
            )
        together = ibis.union(*levels) if len(levels) > 1 else levels[0]
        return self.by_class(
            together,
            distance=lambda t: t.gained.sum() / float(len(levels)),
            records=lambda t: t.records.max(),
        )

    def against_all_others(self, row: Any) -> EquivalenceClasses:
        """Class table of two classes, made once: one, and everybody else.

        The numbers of the first are those that it has among all classes, for they depend on
        its own counts and those of the whole table only.
        """
        label = "" if row is None else repr(row.to_pylist())
        if label not in self._apart:
            self._apart[label] = self._set_apart(row)
        return self._apart[label]

    @cached_property
    def _apart(self) -> dict[str, EquivalenceClasses]:
        """Classes that were set apart, for the next metric that has the same worst class."""
        return {}

    def _set_apart(self, row: Any) -> EquivalenceClasses:
        pairs, table, mine = self.pairs, self.table, "n"
        if row is not None:
            names = [f"at {name}" for name in row.column_names]
            with clear_errors(table, "sending a class to the engine"):
                there = upload(table, row.rename_columns(names).append_column("there", [[1]]))
            alike = [pairs[q].identical_to(there[f"at {q}"]) for q in self.q]
            pairs = pairs.left_join(there, alike).select(*pairs.columns, "there")
            pairs, mine = pairs.mutate(mine=pairs.n * pairs.there.fill_null(0)), "mine"
        counted = pairs.group_by(self.s).aggregate(total=pairs.n.sum(), mine=pairs[mine].sum())
        with clear_errors(table, "fetching the values of a class"):
            found = fetch(counted)
        values = frame_of_arrow(found.select(self.s))
        _, order = sorted_by_value(encode(values))
        values, found = values.take(order), found.take(order)
        total, own = (found[name].to_numpy().astype(np.int64) for name in ("total", "mine"))
        rows = np.concatenate([np.flatnonzero(own), np.flatnonzero(total - own)])
        records = np.concatenate([own, total - own])
        records = records[records > 0]
        frame = values.take(rows).reset_index(drop=True)
        frame.insert(0, "class", np.repeat([0, 1], [(own > 0).sum(), (total > own).sum()]))
        known, *secret = frame.columns
        cells, order = encode(frame), np.arange(len(frame))
        here = Brought(None, order, cells, records)
        origin = DistinctRowsHere(table, (known, *secret), here)
        return classify_cells(cells, [known], secret, "category", None, frame.index, origin)

    # Subsets of the quasi-identifiers

    def uniques(self, places: Sequence[int]) -> int:
        """Records that are alone with some of the quasi-identifiers."""
        names = {f"q{j}" for j in places}
        wider = [(rows, known) for known, (rows, _) in self._subsets.items() if known >= names]
        rows, known = min(wider, key=lambda one: one[0])
        counted = self._subsets[known][1]
        grouped = counted.group_by(sorted(names)).aggregate(n=counted.n.sum())
        asked = grouped.aggregate(rows=grouped.count(), alone=(grouped.n == 1).sum())
        self.counted.note(asked)
        with clear_errors(self.table, "counting the records that are alone"):
            found = fetch(asked)
            fewer, alone = (int(found[name][0].as_py() or 0) for name in ("rows", "alone"))
            if SHRINKS * fewer <= rows:
                self._subsets[frozenset(names)] = fewer, cached(grouped)
        return alone

    @cached_property
    def _subsets(self) -> dict[frozenset[str], tuple[int, Any]]:
        """Counts by some of the columns, with their rows, from which those by fewer follow."""
        return {frozenset([*self.q, *self.s]): (self.counted.rows, self.pairs)}


ROUNDING = 1e-12
"""Numbers of classes this close, relative to the worst, are as bad: sums have no order."""


@dataclass(frozen=True, eq=False)
class RemoteNumbers:
    """Numbers of each class, or of each class of the population, as columns in an engine."""

    classes: ClassesInEngine
    table: Any
    """Expression: q0, q1, …, the numbers, and the `records` of each class."""
    each: Any = None
    """The same of each pair alone; the greatest of a class are its numbers."""

    @cached_property
    def kept(self) -> Any:
        """The `table`, which the engine computes once for several questions."""
        with clear_errors(self.classes.table, "computing the numbers of classes"):
            return cached(self.table)

    @cached_property
    def _first(self) -> dict[str, Any]:
        """The first class with the worst number, where that was looked for."""
        return {}

    def worst(self, name: str, worst: str) -> float:
        """The least or greatest number of a class."""
        each = self.each if worst == "greatest" else None
        table = self.table if each is None else each
        return float(self.classes.ask(table, **{name: _worst(name, worst)})[name])

    def labelled(self, name: str) -> EngineTable:
        """Label a number of each class with the quasi-identifiers."""
        return self.classes.view(self.table, {name: name})

    def judge(self, name: str, model: Any, threshold: float | None = None) -> Judged:
        """Find the worst number, and who violates its threshold; of the classes one comes.

        The sensitive value that sets the number is found here, from the counts of that class
        and of all others.
        """
        asked = {"worst": _worst(name, model.worst)}
        if threshold is not None:
            violating = model.violates(self.kept[name], threshold)
            asked["classes"] = lambda t: violating.sum()
            asked["records"] = lambda t: t.records.sum(where=violating)
        found = self.classes.ask(self.kept, **asked)
        if name not in self._first:
            self._first[name] = self._first_with(name, found["worst"], model.name)
        row, value = self._first[name], None
        label: Any = "everyone"
        if model.shown is not None:
            value = model.shown.of_class(self.classes.against_all_others(row).tally, 0)
        if row is not None:
            [cells] = frame_of_arrow(row).itertuples(index=False, name=None)
            label = cells[0] if len(cells) == 1 else cells
        satisfied = rows = None
        if threshold is not None:
            satisfied, rows = not found["classes"], int(found["records"] or 0)
        number = (int if model.whole else float)(found["worst"])
        return Judged(number, model.rule, threshold, satisfied, label, value, rows)

    def _first_with(self, name: str, number: float, metric: str) -> Any:
        """The first class with a number, as an Arrow table of a row."""
        import ibis

        q, column = self.classes.q, self.kept[name]
        if not q:
            return None
        near = column == number
        if math.isfinite(number):
            near = near | ((column - number).abs() <= ROUNDING * abs(number))
        order = [ibis.asc(one, nulls_first=False) for one in q]
        first = self.kept.filter(near).order_by(order).limit(1).select(*q)
        with clear_errors(self.classes.table, f"looking for the worst class of {metric}"):
            return fetch(first)

    def mark(self, name: str, model: Any, threshold: float) -> EngineTable:
        """Mark the records of violating classes; those that are left out violate nothing."""
        people = model.violates(self.kept[name], threshold).cast("int64")
        marked = self.kept.select(*self.classes.q, people=people)
        found = self.classes.beside_people(marked, {model.name: lambda _, mark: mark > 0})
        [only] = found.features
        cells = found.expression
        return replace(found, expression=cells.mutate(cells[only].fill_null(False).name(only)))


def _worst(name: str, worst: str) -> Callable[[Any], Any]:
    """Least or greatest of a column."""
    return lambda t: t[name].min() if worst == "least" else t[name].max()


class RemoteCounts(Counts):
    """Counts in an engine, of which the formulas of memory make expressions."""

    abs, log, exp = methodcaller("abs"), methodcaller("ln"), methodcaller("exp")

    def __init__(self, pairs: Any, classes: ClassesInEngine, *, alone: bool = False) -> None:
        self.pairs, self.classes, self.alone = pairs, classes, alone
        self.everyone = float(classes.n_records)
        self.used = set[str]()

    @property
    def n(self) -> Any:
        """Records of each pair."""
        self.used.add("n")
        return self.pairs.n

    @property
    def size(self) -> Any:
        """Records of the class of each pair."""
        self.used.add("size")
        return self.pairs["size"]

    @property
    def total(self) -> Any:
        """Records of the value of each pair."""
        self.used.add("size")
        return self.pairs.total

    def max(self, numbers: Any) -> Any:
        """Greatest number of a pair of each class; of a pair alone its own."""
        return numbers if self.alone else numbers.max()

    def sum(self, numbers: Any) -> Any:
        """Sum over the pairs of each class."""
        self.used.add("sum")
        return numbers.sum()

    @property
    def values(self) -> int:  # type: ignore[override]
        """Different sensitive values of the table."""
        return self.classes.values

    @property
    def records(self) -> Any:
        """Records of each class."""
        found = self.pairs["size"] if self.alone else self.pairs.n.sum()
        return found.cast("int64")

    @property
    def most(self) -> Any:
        """Records of the commonest value of each class."""
        return self.max(self.n).cast("int64")

    @property
    def distinct(self) -> Any:
        """Different sensitive values of each class."""
        return self.pairs.held if self.alone else self.pairs.count()

    @property
    def beyond_bound(self) -> Any:
        """How far the gain of each pair exceeds -ln p."""
        return self.gain + self.log(self.total / self.everyone)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """One or the other."""
        import ibis

        return ibis.cases((condition, yes), else_=no)

    def least(self, one: Any, other: Any) -> Any:
        """Lesser of two numbers."""
        import ibis

        return ibis.least(_float(one), _float(other))

    def greatest(self, one: Any, other: Any) -> Any:
        """Greater of two numbers."""
        import ibis

        return ibis.greatest(_float(one), _float(other))


def _float(number: Any) -> Any:
    import ibis

    return ibis.literal(float(number)) if isinstance(number, int) else number.cast("float64")


def classes_in_engine(
    counted: DistinctInEngine,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    missing: str,
) -> ClassesInEngine:
    """Make the classes of distinct rows that stay in the engine."""
    table, whole = counted.table, counted.counted
    names = {f"q{j}": whole[name] for j, name in enumerate(quasi_identifiers)}
    names |= {f"s{j}": whole[name] for j, name in enumerate(sensitive)}
    pairs = whole.select(**names, n=whole[counted.count_name])
    q = [f"q{j}" for j in range(len(quasi_identifiers))]
    s = [f"s{j}" for j in range(len(sensitive))]
    dropped = 0
    out = _left_out(pairs, q, s, missing)
    if out is not None:
        dropped = _records(table, pairs.filter(out))
        pairs = pairs.filter(~out)
        check_dropped(dropped, table.records)
    roles = tuple(quasi_identifiers), tuple(sensitive), missing
    left = table.records - dropped
    return ClassesInEngine(table, *roles, counted, pairs, left, dropped)


def _left_out(table: Any, q: Sequence[str], s: Sequence[str], missing: str) -> Any:
    """Condition of rows that missing="drop" leaves out; None if nothing is left out."""
    import ibis

    names = [*q, *s]
    if missing != "drop" or not names:
        return None
    return ibis.or_(*[table[name].isnull() for name in names])


def _records(table: EngineTable, pairs: Any) -> int:
    with clear_errors(table, "counting the records that are left out"):
        return int(fetch(pairs.n.sum())[0][0].as_py() or 0)


def _search(number: Any, steps: np.ndarray[Any, Any]) -> Any:
    """Where `number` would stand among rising steps: a binary search as nested conditions."""
    import ibis

    def between(low: int, high: int) -> Any:
        if low == high:
            return ibis.literal(low, "int64")
        middle = (low + high) // 2
        here = ibis.literal(float(steps[middle]))
        return ibis.ifelse(number <= here, between(low, middle), between(middle + 1, high))

    return between(0, len(steps))


SHOWN = 8
"""Classes that are fetched for an error, which lists some of them."""


@dataclass(frozen=True, eq=False)
class PeopleInEngine:
    """The classes of a table, and those of its population, by the same columns in order."""

    classes: ClassesInEngine
    people: ClassesInEngine

    @cached_property
    def found(self) -> Any:
        """Classes with their records, `size`, and their `people`, of whom there may be 0."""
        mine = self.classes.sizes
        joined = self._join(mine, self._everyone)
        return joined.mutate(people=joined.people.fill_null(0.0))

    @cached_property
    def _everyone(self) -> Any:
        """Classes of the population with their `people`."""
        return self.people.sizes.rename(people="size")

    @cached_property
    def present(self) -> Any:
        """Classes of the population with `people` F, `records` f and `presence` f / F."""
        joined = self._join(self._everyone, self.classes.sizes)
        joined = joined.mutate(records=joined["size"].fill_null(0.0))
        return joined.mutate(presence=joined.records / joined.people)

    def _join(self, left: Any, right: Any) -> Any:
        """Keep all classes of the left side, with the number of the right one."""
        q = self.classes.q
        [number] = [name for name in right.columns if name not in q]
        if not q:
            return left.cross_join(right)
        right = right.rename(**{f"same {j}": name for j, name in enumerate(q)})
        alike = [left[name].identical_to(right[f"same {j}"]) for j, name in enumerate(q)]
        joined = left.left_join(right, alike)
        return joined.select(*[left[name] for name in left.columns], right[number])

    def check_everyone_is_there(self) -> None:
        """Refuse classes of the table that nobody of the population has."""
        self._refuse(self.found, lambda t: t.people == 0, check_in_population)

    def check_part(self) -> None:
        """Refuse classes with more records than people."""
        self._refuse(self.present, lambda t: t.records > t.people, check_contained)

    def _refuse(
        self, table: Any, wrong: Callable[[Any], Any], check: Callable[..., None]
    ) -> None:
        found = table.filter(wrong(table))
        with clear_errors(self.classes.table, "comparing the table with its population"):
            number = int(fetch(found.count())[0][0].as_py())
            if not number:
                return
            some = (
                fetch(found.select(*self.classes.q).limit(SHOWN)) if self.classes.q else None
            )
        frame = None if some is None else frame_of_arrow(some)
        rows = ["everyone"] if frame is None else frame.itertuples(index=False, name=None)
        labels = [row[0] if len(row) == 1 else row for row in rows]
        check(labels, number)

    def of_sizes(self, **formulas: Callable[[Any], Any]) -> RemoteNumbers:
        """Numbers of each class of the table by formulas of its `people`."""
        found = self.found
        numbers = {name: formula(found) for name, formula in formulas.items()}
        return RemoteNumbers(self.classes, found.mutate(records=found["size"], **numbers))

    def of_people(self, **formulas: Callable[[Any], Any]) -> RemoteNumbers:
        """Numbers of each class of the population, of its `people` and their `records`."""
        self.check_part()
        there = self.present
        numbers = {name: formula(there) for name, formula in formulas.items()}
        return RemoteNumbers(self.classes, there.mutate(**numbers))

    def k_map(self) -> int:
        """The least people of a class."""
        self.check_everyone_is_there()
        return int(self.classes.ask(self.found, k_map=lambda t: t.people.min())["k_map"])

    def ends(self) -> tuple[float, float]:
        """The least and the greatest share of a class of the population that is there."""
        self.check_everyone_is_there()
        self.check_part()
        found = self.classes.ask(
            self.present, lower=lambda t: t.presence.min(), upper=lambda t: t.presence.max()
        )
        return float(found["lower"]), float(found["upper"])

    def presence(self) -> EngineTable:
        """Classes of the population with `records`, `people` and `presence`."""
        self.check_everyone_is_there()
        self.check_part()
        table = self.present
        numbers = {
            "records": table.records.cast("int64"),
            "people": table.people.cast("int64"),
            "presence": table.presence,
        }
        return self.classes.view(table, numbers)

    def people_of_records(self, name: str) -> EngineTable:
        """Give each record the people of its class."""
        return self.on_records({name: lambda _, people: people})

    def on_records(self, numbers: Mapping[str, Callable[[Any, Any], Any]]) -> EngineTable:
        """Give each record numbers of its class: of its records and its people."""
        people = self._everyone.mutate(people=self._everyone.people.cast("int64"))
        return self.classes.beside_people(people, numbers)


@in_engine(risks, ClassesInEngine, PeopleInEngine)
def risks_in_engine(
    found: ClassesInEngine | PeopleInEngine, threshold: float | None
) -> ReidentificationRisk:
    """Greatest and average risks of a record, and the share of records above a threshold."""
    classes = found if isinstance(found, ClassesInEngine) else found.classes
    table = found.sizes if isinstance(found, ClassesInEngine) else found.found
    of = "size" if found is classes else "people"
    limit = 1.0 if threshold is None else threshold
    numbers: dict[str, Callable[[Any], Any]] = {
        "prosecutor": lambda t: (1.0 / t["size"]).max(),
        "classes": lambda t: t.count(),
        "above": lambda t: t["size"].sum(where=1.0 / t[of] > limit),
    }
    if of == "people":
        numbers["journalist"] = lambda t: (1.0 / t.people).max()
        numbers["marketer"] = lambda t: (t["size"] / t.people).sum()
    asked, n = classes.ask(table, **numbers), classes.n_records
    return ReidentificationRisk(
        float(asked["prosecutor"]),
        asked["classes"] / n,
        float(asked["journalist"]) if of == "people" else None,
        float(asked["marketer"]) / n if of == "people" else None,
        None if threshold is None else float(asked["above"] or 0) / n,
    )


# The doors: tables of an engine where metrics take a table


@dataclass(frozen=True, eq=False)
class AskedInEngine(Asked):
    """A table of an engine and its quasi-identifiers, checked; `data` has columns only."""

    table: EngineTable
    stays: bool = False
    """Whether the class table stays in the engine, even if it fits."""

    def sensitive(self, column: Any) -> int:
        """Position of a sensitive column."""
        _check_not_the_key(self.table.key, column, "sensitive")
        return super().sensitive(column)

    def by_secret(self, columns: Any, several: str, **options: Any) -> dict[Hashable, Any]:
        """Class table of each sensitive column, or of several that are one value together."""
        _check_not_the_key(self.table.key, columns, "sensitive")
        return super().by_secret(columns, several, **options)

    def beside(self, population: Any, missing: str) -> AskedInEngine:
        """Leave the class table in the engine if it holds the classes of the population."""
        linked = link(self.table, population, self._names(self.positions), missing)
        return replace(self, stays=isinstance(linked, PeopleInEngine))

    def classify(
        self,
        secret: list[int],
        missing: str,
        mark: Any = None,
        *,
        person: Any = None,
        anywhere: bool = False,
    ) -> Any:
        """Fetch the class table; refuse to if it exceeds the budget, or leave it there."""
        if person is not None:
            return self._classify_people(secret, missing, mark, person)
        counted = self.count(secret, missing)
        if anywhere and (self.stays or not counted.fits):
            return self.classify_there(secret, missing)
        check_needs_memory(counted.fits, "this answer", counted.in_words)
        return self._here(counted, secret, missing, mark)

    def _classify_people(
        self, secret: list[int], missing: str, mark: Any, person: Any
    ) -> EquivalenceClasses:
        """Fetch the class table and the people of each class, whom the engine has counted.

        Each person once per class: the engine makes the distinct pairs, without those that
        name nobody, and the classes of what is left are linked with those of the table.
        """
        check_classes_of_people(missing)
        who = self.data.columns[check_person(self.data, person, self.positions)]
        known, cells = self._names(self.positions), self.table.cells
        if cells[who].type().is_string():
            ids, alike = cells[who].nunique(), cells[who].strip().lower().nunique()
            if fetch(ids)[0][0].as_py() != fetch(alike)[0][0].as_py():
                raise ValueError(
                    f"person: {who!r} holds values that differ only in case or blanks; write"
                    f" equal ones alike."
                )
        pairs = cells.filter(cells[who].notnull()).select(*known, who).distinct()
        each = replace(self.table, expression=pairs.select(*known), key=None)
        made = self.classify(secret, missing, mark)
        if not each.records:
            return with_people(made, np.zeros_like(made.sizes))
        with warnings.catch_warnings():  # of records that are left out, `made` has told
            warnings.simplefilter("ignore")
            people = replace(self, table=each).classify([], missing)
            return with_people(made, link_here(made, people, None, missing).matches)

    def classify_there(self, secret: list[int], missing: str) -> ClassesInEngine:
        """Leave the class table in the engine, whether it fits or not."""
        counted = self.count(secret, missing)
        wild = missing == "wildcard"
        check_needs_memory(not wild, "missing='wildcard'", counted.in_words)
        names, hidden = self._names(self.positions), self._names(secret)
        return classes_in_engine(counted, names, hidden, missing)

    def count(self, secret: list[int], missing: str) -> DistinctInEngine:
        """Have the engine count the distinct rows."""
        check_choice(missing, "missing", MISSING_POLICIES)
        if secret:
            check_partition(missing)
        return count_distinct_rows(self.table, self._names([*self.positions, *secret]))

    def _names(self, positions: list[int]) -> list[str]:
        return [self.data.columns[j] for j in positions]

    def _here(
        self, counted: DistinctInEngine, secret: list[int], missing: str, mark: Any
    ) -> EquivalenceClasses:
        counted.note()
        rows = counted.bring()
        names, hidden = self._names(self.positions), self._names(secret)
        index = pd.RangeIndex(len(rows.records))
        return classify_cells(rows.cells, names, hidden, missing, mark, index, rows)


@in_engine(ask, EngineTable)
def ask_in_engine(
    table: EngineTable,
    quasi_identifiers: Any,
    argument: str = "data",
    columns: str = "quasi_identifiers",
) -> AskedInEngine:
    """Check a table and its quasi-identifiers; positions do not count the key."""
    names = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
    _check_not_the_key(table.key, quasi_identifiers, columns)
    asked = check_quasi_identifiers(names, quasi_identifiers, columns)
    return AskedInEngine(names, asked, table)


@in_engine(class_sizes, EngineTable)
def class_sizes_in_engine(
    table: EngineTable, columns: Any, *, weights: Any = None, person: Any = None
) -> Any:
    """Size of each class: a Series, or a table of the engine where they are too many."""
    check_no_weights(weights)
    if person is not None:
        found = ask_in_engine(table, columns, columns="columns")
        made = found.classify([], "category", person=person)
        return made.per_class(made.matches, "people")
    names = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
    asked = [names.columns[j] for j in check_columns(names, columns, "columns")]
    counted = count_distinct_rows(table, asked)
    if not counted.fits:
        counted.note(counted.counted)
        return replace(table, expression=counted.counted, key=None)
    counted.note()
    here = counted.bring()
    labels = row_labels(here.frame, range(len(asked)), np.arange(len(here.records)))
    return pd.Series(here.records, index=labels, name="records")


@in_engine(recursive_ratios, ClassesInEngine)
def ratios_in_engine(classes: ClassesInEngine, l: int) -> RemoteNumbers:  # noqa: E741
    """Classes with `c`."""
    return RemoteNumbers(classes, classes.recursive_c(l))


@in_engine(distances, ClassesInEngine)
def distances_in_engine(classes: ClassesInEngine, kind: Any) -> RemoteNumbers:
    """Classes with their `distance`."""
    values, _, orderable = classes.secrets
    kind = distance_meant(kind, values, orderable)
    if isinstance(kind, str):
        return RemoteNumbers(classes, classes.distances(kind))
    labels = labels_by_level(kind, values, classes.sensitive[0])
    return RemoteNumbers(classes, classes.hierarchical(labels))


@in_engine(greatest_distance, ClassesInEngine)
def greatest_in_engine(classes: ClassesInEngine, kind: Any) -> float:
    """Greatest distance of a class, looked for as in memory."""
    values, _, orderable = classes.secrets
    kind = distance_meant(kind, values, orderable)
    found = classes.farthest(kind)
    return distances(classes, kind).worst("distance", "greatest") if found is None else found


link_here: Any = inspect.unwrap(link)


@in_engine(link, EngineTable)
def link_in_engine(
    data: Any, population: Any, quasi_identifiers: Any, missing: str, role: str = "population"
) -> Any:
    """Link class tables, left in the engine if one of them exceeds its budget."""
    names, known = quasi_identifiers, missing
    if isinstance(data, EquivalenceClasses):
        names, known = list(data.quasi_identifiers), data.missing
    asked = None if isinstance(data, EquivalenceClasses) else ask(data, names)
    if asked is not None:
        names = list(asked.data.columns[asked.positions])
    others = None
    if not isinstance(population, EquivalenceClasses):
        others = ask(population, names, role, f"quasi_identifiers in {role}")
    here = [one for one in (asked, others) if isinstance(one, AskedInEngine)]
    large = [one for one in (one.count([], known) for one in here) if not one.fits]
    if not large:
        return link_here(data, population, quasi_identifiers, missing, role)
    together = len(here) == 2 and same_engine(here[0].table, here[1].table)
    _check_one_engine(together, role, large[0].in_words)
    mine, theirs = here
    for name in names:
        kinds = [one.table.cells.schema()[name].is_string() for one in here]
        if kinds[0] != kinds[1]:
            what = ["text where data holds none", "no text where data holds text"][kinds[0]]
            raise ValueError(f"{role}: column {name!r} holds {what}; write both tables alike.")
    there = theirs.classify_there([], known)
    return PeopleInEngine(mine.classify_there([], known), there)


@in_engine(link, ClassesInEngine)
def link_classes_in_engine(
    data: ClassesInEngine, population: Any, quasi_identifiers: Any, missing: str
) -> PeopleInEngine:
    """Link classes that stay in an engine with those of a population, which must be there."""
    table = as_engine_table(population)
    together = table is not None and same_engine(data.table, table)
    _check_one_engine(together, "population", data.counted.in_words)
    assert table is not None
    names = list(data.quasi_identifiers)
    asked = ask_in_engine(table, names, "population", "quasi_identifiers in population")
    return PeopleInEngine(data, asked.classify_there([], data.missing))


# What is refused


def _check_not_the_key(key: str | None, columns: Any, argument: str) -> None:
    """Refuse to measure the column that names the rows."""
    asked = columns if isinstance(columns, (list, tuple)) else [columns]
    if key is not None and key in asked:
        raise ValueError(
            f"{argument}: {key!r} is the key, which names each row and is not measured; open"
            f" the table without it, or with another key, to measure it."
        )


def _check_bins(few: bool, columns: Sequence[str], most: int) -> None:
    """Refuse a sensitive column of too many values."""
    if not few:
        raise ValueError(
            f"sensitive: {' and '.join(map(repr, columns))} has too many values for a distance"
            f" in the engine (over {most:,}); bin it, or raise the budget."
        )


def _check_one_engine(together: bool, role: str, size: str) -> None:
    """Refuse two tables that must be compared in an engine, but are not both in it."""
    if not together:
        raise ValueError(
            f"{role}: the class tables exceed the budget ({size}), so both tables must be in"
            f" one engine: open the second with open_table(…, beside=the first), or raise the"
            f" budget."
        )


def check_no_weights(weights: object) -> None:
    """Refuse weights beside a table of an engine, which counts its rows itself."""
    if weights is not None:
        raise ValueError(
            "weights: the rows of an engine have no order, so weights cannot be matched with"
            " them; each row counts once, so repeat rows, or bring the table into memory."
        )
