r"""The models of disclosure, each stated once: name, threshold, formula, range and meaning.

A formula goes from counts of classes to a number of each class. It runs as it is on counts in
memory and on counts in an engine; the least or the greatest number is the model's. With
:math:`n` records of a value in a class of :math:`n_c`, :math:`q = n / n_c` is its share there,
and :math:`p` that in the table; `gain` is :math:`(q - p) / p`, `beyond_bound` is how far it
exceeds :math:`-\ln p`, and `change` is :math:`|\ln (q / p)|`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .classes import ValueShown

SLACK = 1e-9
"""Numbers this close to a threshold, relative to it, count as equal to it."""


@dataclass(frozen=True)
class Model:
    """A model of disclosure."""

    name: str
    """Metric in a report."""
    keyword: str
    """Argument and option of its threshold."""
    symbol: str
    rule: str
    """How a number and its threshold must compare: "at least", "at most" or "below"."""
    range: tuple[float, float]
    """What a threshold may be."""
    unit: str
    says: str
    """What the number means, in a sentence."""
    compared: str
    """What is compared with the threshold, on the command line."""
    measure: str = ""
    """Measure in a risk report, of models of sensitive values; `{}` stands for a setting."""
    means: str = ""
    """What the measure means, for readers of any background."""
    about: str = "values"
    """What has a number: "classes" by their records, classes by their "people", classes of the
    population by their "presence" in the table, or classes by their sensitive "values"."""
    formula: Callable[[Any], Any] | None = None
    """From counts to a number of each class; None for what is no formula on counts."""
    surely_worst: Callable[[Any], Any] | None = None
    """Classes whose number is the unsafe end of `range`, where counting their values tells."""
    shown: ValueShown | None = None
    """The sensitive value that sets the number of a class."""
    whole: bool = False
    setting: str | None = None
    """Setting that a report names; `{}` stands for what was asked."""
    beside: Model | None = None
    """Another reading of the model, which a report has in the next row."""

    @property
    def safer(self) -> str:
        """Which way is safer."""
        return "larger" if self.rule == "at least" else "smaller"

    @property
    def worst(self) -> str:
        """Which number of the classes is the model's: the "least" or the "greatest"."""
        return "least" if self.rule == "at least" else "greatest"

    def violates(self, numbers: Any, threshold: float) -> Any:
        """Which numbers violate a threshold; those within rounding of it equal it."""
        slack = 0.0 if math.isinf(threshold) else SLACK * max(threshold, SLACK)
        if self.rule == "at least":
            return numbers < threshold - slack
        if self.rule == "below":
            return numbers >= threshold - slack
        return numbers > threshold + slack


def entropy_l(c: Any) -> Any:
    """Number of equally frequent values with the same entropy as those of a class."""
    found = c.exp(-c.sum(c.share * c.log(c.share)))
    # Rounding must not lift it above the number of values.
    return c.least(c.greatest(found, 1), c.distinct)


def equal_distance(c: Any) -> Any:
    """Half of the sum of :math:`|q - p|`: what the values that gain have gained."""
    return c.sum(c.greatest(c.excess, 0)) / (c.records * c.everyone)


COMMONEST = ValueShown(lambda c: c.first_with(c.n), in_engine=True)


GAINING = ValueShown(lambda c: c.first_with(c.gain, above=0))


OFFENDING = ValueShown(lambda c: c.first_with(c.beyond_bound, above=0))


MOST_CHANGED = ValueShown(lambda c: c.first_with(c.change))


ABSENT = ValueShown(
    lambda c: c.where(c.distinct < c.values, c.first_absent(), MOST_CHANGED.code(c))
)


SKIPPING = Model(
    *("delta_disclosure", "", "δ", "below", (0, math.inf), "nats"),
    "The greatest change in the logarithm of the probability of a value that a class has.",
    "",
    "delta (absent values skipped)",
    "the same, if values that are ruled out do not count",
    formula=lambda c: c.max(c.change),
    shown=MOST_CHANGED,
    setting="absent=skip",
)
"""What some tools give for δ: a value that a class lacks counts nothing. No threshold."""


FROM_0, FROM_1 = (0, math.inf), (1, math.inf)


# The first line of each has its name, keyword, symbol, rule, range and unit.
STATED = (
    Model(
        *("k_anonymity", "k", "k", "at least", FROM_1, "records"),
        "Every record shares its quasi-identifiers with at least k records.",
        "records that look alike in the smallest class",
        about="classes",
        formula=lambda c: c.alike,
        whole=True,
    ),
    Model(
        *("k_map", "k_map", "k", "at least", FROM_1, "people"),
        "Every record may belong to at least k people of the population.",
        "people of --population whom the fewest-matched record may be about",
        about="people",
        formula=lambda c: c.people,
        whole=True,
    ),
    Model(
        *("prosecutor_risk", "risk", "1/k", "at most", (0, 1), "probability"),
        "The risk that the right record is picked for a person who is in the table.",
        "greatest chance of naming a record's person rightly",
        about="classes",
        formula=lambda c: 1 / c.alike,
    ),
    Model(
        *("journalist_risk", "risk", "1/k", "at most", (0, 1), "probability"),
        "The risk that the right person of the population is picked for a record.",
        "greatest chance of naming a record's person rightly",
        about="people",
        formula=lambda c: 1 / c.people,
    ),
    Model(
        *("delta_presence_lower", "presence_lower", "δ", "at least", (0, 1), "probability"),
        "The least probability that a person of the population is in the table.",
        "share of a class of --population that is in the table",
        about="presence",
        formula=lambda c: c.records / c.people,
    ),
    Model(
        *("delta_presence_upper", "presence_upper", "δ", "at most", (0, 1), "probability"),
        "The greatest probability that a person of the population is in the table.",
        "share of a class of --population that is in the table",
        about="presence",
        formula=lambda c: c.records / c.people,
    ),
    Model(
        *("alpha_k_anonymity", "alpha", "α", "at most", (0, 1), "share"),
        "The greatest share of a sensitive value in a class.",
        "share of a class that has one and the same sensitive value",
        "alpha",
        "the greatest share of one value among records that look alike",
        formula=lambda c: c.max(c.share),
        shown=COMMONEST,
    ),
    Model(
        *("l_diversity", "l", "l", "at least", FROM_1, "values"),
        "The least number of different sensitive values in a class.",
        "distinct sensitive values in a class",
        "l (distinct)",
        "the fewest values among records that look alike",
        formula=lambda c: c.distinct,
        whole=True,
    ),
    Model(
        *("entropy_l_diversity", "entropy_l", "l", "at least", FROM_1, "values"),
        "The least number of equally frequent values as uncertain as those of a class.",
        "effective number of sensitive values in a class, e ** entropy",
        "l (entropy)",
        "the same, if values that hardly occur hardly count",
        formula=entropy_l,
        surely_worst=lambda c: c.distinct == 1,
    ),
    Model(
        *("recursive_cl_diversity", "c", "c", "below", FROM_0, "ratio"),
        "The greatest ratio of the commonest value of a class to its rarer values.",
        "c of recursive (c, l)-diversity; l is --l, else the l of the table",
        "c (recursive, l={})",
        "how far the commonest value outnumbers all others together",
        shown=COMMONEST,
        setting="l={}",
    ),
    Model(
        *("basic_beta_likeness", "beta", "β", "at most", FROM_0, "relative gain"),
        "The greatest relative gain in the probability of a sensitive value.",
        "relative gain of the share of a sensitive value (basic beta-likeness)",
        "beta (basic)",
        "the most that a value becomes more likely, in multiples",
        formula=lambda c: c.greatest(c.max(c.gain), 0),
        shown=GAINING,
    ),
    Model(
        *("enhanced_beta_likeness", "enhanced_beta", "β", "at most", FROM_0, "relative gain"),
        "The greatest relative gain, unless a value gains more than its frequency allows.",
        "the same, each gain also bounded by -ln of the value's share",
        "beta (enhanced)",
        "the same; ∞ if a value gains more than its bound −ln p",
        formula=lambda c: c.greatest(c.max(c.where(c.beyond_bound > 0, math.inf, c.gain)), 0),
        shown=ValueShown(
            lambda c: c.where(OFFENDING.code(c) >= 0, OFFENDING.code(c), GAINING.code(c))
        ),
    ),
    Model(
        *("delta_disclosure", "delta", "δ", "below", FROM_0, "nats"),
        "The greatest change in the logarithm of the probability of a sensitive value.",
        "change of a value's share, in nats; infinite if a class lacks one",
        "delta (absent values count)",
        "the same on a logarithmic scale; ∞: a value is ruled out",
        formula=lambda c: c.where(c.distinct < c.values, math.inf, c.max(c.change)),
        surely_worst=lambda c: c.distinct < c.values,
        shown=ABSENT,
        setting="absent=inf",
        beside=SKIPPING,
    ),
    Model(
        *("t_closeness", "t", "t", "at most", (0, 1), "earth mover's distance"),
        "The greatest distance of a class from the table, in sensitive values.",
        "distance between the sensitive values of a class and those of the table",
        "t",
        "the greatest distance of a group's values from those of the table, of 1",
        setting="kind={}",
    ),
)


MODELS = {model.name: model for model in STATED}


THRESHOLDS = {model.keyword: model for model in MODELS.values()}
"""A model of each keyword: those that share one agree in what its threshold may be."""


FORMULAS = {
    about: {m.name: m.formula for m in MODELS.values() if m.about == about and m.formula}
    for about in ("classes", "people", "presence", "values")
}
"""Formulas of the models that are about the same numbers."""
