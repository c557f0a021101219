"""Requirements: what each class of a release must satisfy, and the roles of columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_choice, check_column, check_columns, check_number, listed
from .._typing import BoolArray
from ..classes import ClassTable
from ..disclosure.check import check_thresholds
from ..disclosure.models import MODELS, SLACK

DIVERSITIES = {
    "distinct": "l_diversity",
    "entropy": "entropy_l_diversity",
    "recursive": "recursive_cl_diversity",
}
"""The model of each kind of diversity."""

NAMES = {model.keyword: name for name, model in MODELS.items() if model.about == "values"}
"""The model of sensitive values that each threshold is about."""


@dataclass(frozen=True)
class Requirements:
    """At least k records in each class, and more if it is asked for."""

    k: int
    l: float | None = None  # noqa: E741
    """Least diversity of the sensitive values, of the kind that `diversity` says."""
    t: float | None = None
    """Greatest distance of the sensitive values from those of the table."""
    diversity: str = "distinct"
    """"distinct", "entropy" or "recursive" (with `c`)."""
    c: float | None = None
    kind: Any = "auto"
    """Distance of `t_closeness`."""
    others: Mapping[str, float] = field(default_factory=dict)
    """Further thresholds of `check_privacy` about sensitive values, such as alpha."""

    @property
    def distinct(self) -> int:
        """Different sensitive values that a class needs, whichever diversity is asked for.

        A class whose entropy is that of l equally frequent values has l values at least.
        """
        least = [n for n in (self.l, self.others.get("l"), self.others.get("entropy_l")) if n]
        return math.ceil(max(least, default=1) * (1 - SLACK))

    def checked(self, records: int, sensitive: Any) -> Requirements:
        """Return the same, once each number is known to be possible."""
        check_choice(self.diversity, "diversity", DIVERSITIES)
        recursive = self.diversity == "recursive"
        k = check_number(self.k, "k", "[1, inf)", "records", whole=True)
        if k > records:
            raise ValueError(
                f"k={k} needs at least {k} records, and there are {records}; ask for a"
                f" smaller k."
            )
        for name, asked in (("l", self.l), ("t", self.t), *self.others.items()):
            if asked is not None and sensitive is None:
                raise ValueError(
                    f"{name}={asked!r} is about sensitive values; name their column, as"
                    f" sensitive=..."
                )
        if (self.c is not None) != (recursive and self.l is not None):
            raise ValueError(
                f"c belongs to l with diversity='recursive', which needs both; got"
                f" c={self.c!r}, l={self.l!r} and diversity={self.diversity!r}."
            )
        if self.l is not None:
            check_number(self.l, "l", "[1, inf)", whole=self.diversity != "entropy")
        if self.t is not None:
            check_number(self.t, "t", "[0, 1]")
        if self.c is not None:
            check_number(self.c, "c", "(0, inf)")
        others = check_thresholds(self.others)
        strange = [name for name in others if name not in NAMES]
        if strange:
            raise ValueError(
                f"{strange[0]} is no threshold of sensitive values; there are {listed(NAMES)}."
            )
        return replace(self, k=k, others=others)

    def models(self) -> Iterator[tuple[str, float, dict[str, Any]]]:
        """Models of the sensitive values, each with its threshold and settings."""
        if self.c is not None:
            yield DIVERSITIES[self.diversity], self.c, {"l": self.l}
        elif self.l is not None:
            yield DIVERSITIES[self.diversity], self.l, {}
        if self.t is not None:
            yield "t_closeness", self.t, {"kind": self.kind}
        for keyword, threshold in self.others.items():
            yield NAMES[keyword], threshold, {}

    def violated(self, classes: ClassTable) -> BoolArray:
        """Mark the classes that miss a requirement, by the formulas of the public metrics."""
        missed = np.asarray(classes.size < self.k)
        for name, threshold, settings in self.models():
            model = MODELS[name]
            missed |= model.violates(model.of_class(classes, **settings), threshold)
        return missed

    def __str__(self) -> str:
        """What is asked for, in words."""
        kind = f"{self.diversity} l={self.l:g}" if self.l is not None else ""
        c = f"c={self.c:g}" if self.c is not None else ""
        t = f"t={self.t:g}" if self.t is not None else ""
        others = [f"{name}={number:g}" for name, number in self.others.items()]
        return ", ".join(filter(None, [f"k={self.k}", kind, c, t, *others]))


def check_roles(
    data: pd.DataFrame, quasi_identifiers: Any, sensitive: Any
) -> tuple[list[int], int | None]:
    """Positions of the quasi-identifiers and of the sensitive column, if there is one."""
    known = check_columns(data.columns, quasi_identifiers, "quasi_identifiers")
    if sensitive is None:
        return known, None
    secret = check_column(data.columns, sensitive, "sensitive")
    if secret in known:
        raise ValueError(
            f"sensitive: column {data.columns[secret]!r} is also a quasi-identifier; either"
            f" the attacker knows it or not."
        )
    return known, secret
