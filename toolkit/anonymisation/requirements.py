"""Requirements: what each class of a release must satisfy, and the roles of columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._arguments import check_column, check_columns, check_number, listed
from .._typing import BoolArray, Columns
from ..classes import ClassTable
from ..disclosure.check import check_thresholds
from ..disclosure.models import MODELS, SLACK

NAMES = {model.keyword: name for name, model in MODELS.items() if model.about == "values"}
"""The model of sensitive values that each threshold is about."""


@dataclass(frozen=True)
class Requirements:
    """At least k records in each class, and thresholds of their sensitive values.

    The `thresholds` are those of `check_privacy`, and `kind` is the distance of `t`.
    """

    k: int
    thresholds: Mapping[str, float]
    kind: Any = "auto"

    @property
    def distinct(self) -> int:
        """Least number of different sensitive values in a class.

        A class whose entropy is that of l equally frequent values has at least l values.
        Recursive diversity also needs at least l values, since it counts the records of the
        values from the l-th most frequent on.
        """
        least = max(self.thresholds.get(name, 1.0) for name in ("l", "entropy_l"))
        return math.ceil(least * (1 - SLACK))

    @property
    def recursive_l(self) -> int | None:
        """The l of recursive diversity, if it is asked for."""
        return int(self.thresholds["l"]) if "c" in self.thresholds else None

    def models(self) -> Iterator[tuple[str, float, dict[str, Any]]]:
        """Models of the sensitive values, each with its threshold and settings."""
        settings = {"t": {"kind": self.kind}, "c": {"l": self.recursive_l}}
        for keyword, threshold in self.thresholds.items():
            yield NAMES[keyword], threshold, settings.get(keyword, {})

    def violated(self, classes: ClassTable) -> BoolArray:
        """Mark the classes that miss a requirement, by the formulas of the public metrics."""
        missed = np.asarray(classes.size < self.k)
        for name, threshold, settings in self.models():
            model = MODELS[name]
            missed |= model.violates(model.of_class(classes, **settings), threshold)
        return missed

    def __str__(self) -> str:
        """The requirements in words."""
        asked = {"k": self.k, **self.thresholds}
        return ", ".join(f"{name}={number:g}" for name, number in asked.items())


def check_requirements(
    k: Any, thresholds: Mapping[str, Any], kind: Any, records: int, sensitive: Columns
) -> Requirements:
    """Return the requirements, after a check that each number is possible."""
    k = check_number(k, "k", "[1, inf)", "records", whole=True)
    if k > records:
        raise ValueError(
            f"k={k} needs at least {k} records, and there are {records}; ask for a smaller k."
        )
    asked = check_thresholds(thresholds)
    for name, number in asked.items():
        if name not in NAMES:
            raise ValueError(
                f"{name} is no threshold of sensitive values; there are {listed(NAMES)}."
            )
        if sensitive is None:
            raise ValueError(
                f"{name}={number:g} is about sensitive values; name their column, as"
                f" sensitive=..."
            )
    if "c" in asked and "l" not in asked:
        raise ValueError("c is about recursive (c, l)-diversity; give l, too.")
    return Requirements(k, asked, kind)


def check_roles(
    data: pd.DataFrame, quasi_identifiers: Columns, sensitive: Columns
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
