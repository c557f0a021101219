"""What metrics do with tables of an engine: loading this registers all of it.

Metrics load it by its name, when they are first given a table of an engine.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd
from tqdm import tqdm

from .._kinds import in_engine
from ..uniqueness.sample import unique_records, uniques_as_learned
from . import factors
from .classes import ClassesInEngine
from .table import as_engine_table

__all__ = ["as_engine_table", "factors"]


@in_engine(unique_records, ClassesInEngine)
def uniques_in_engine(
    classes: ClassesInEngine, most: int, progress: bool
) -> dict[tuple[int, ...], int]:
    """Records that each subset of up to so many columns singles out: each is a question."""
    places = range(len(classes.quasi_identifiers))
    subsets = [one for size in range(most, 0, -1) for one in combinations(places, size)]
    bar = tqdm(subsets, desc="subsets", delay=1, leave=False, disable=not progress)
    found: dict[tuple[int, ...], int] = {}
    nobody: list[set[int]] = []
    for subset in bar:
        # Who is alone with some columns is alone with more.
        asked = not any(more.issuperset(subset) for more in nobody)
        found[subset] = classes.uniques(subset) if asked else 0
        if asked and not found[subset]:
            nobody.append({*subset})
    return found


@in_engine(uniques_as_learned, ClassesInEngine)
def learned_in_engine(classes: ClassesInEngine, every: pd.DataFrame) -> list[int]:
    """As in memory; what all subsets were asked for is not asked again."""
    known = dict(zip(every["columns"], every["unique"], strict=True))
    names = classes.quasi_identifiers
    uniques = []
    for width in range(1, len(names) + 1):
        unique = known.get(names[:width])
        uniques.append(classes.uniques(range(width)) if unique is None else int(unique))
    return uniques
