"""Accounting of privacy losses: composition of several answers, and a budget.

Each answer may be harmless and all of them together not: whoever asks often enough averages
the noise away. A privacy loss is a pair (ε, δ); losses of answers about the same records add
up, and a budget is a sum that is fixed before the first question. Every ε is a natural
logarithm.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .._typing import FloatArray
from .._validation import check_whole
from .noise import check_delta, check_delta_above_zero, check_loss, exact, own_number

SLACK = Fraction(1, 10**12)
"""Share of a budget by which charges may pass it: the rounding of an ε divided by hand."""


MOST_ANSWERS = 10**15


class PrivacyLoss(NamedTuple):
    """The two numbers of (ε, δ)-differential privacy; smaller is safer."""

    epsilon: float
    """Natural logarithm of the largest ratio of probabilities, but for δ."""
    delta: float = 0.0
    """Probability with which that may fail."""


class PrivacyBudget:
    r"""How much privacy loss the answers about some people may add up to.

    A mechanism that is given the budget charges it *before* it reads the value. What cannot be
    paid for is refused, and a refused charge leaves the ledger as it was. Losses add up by
    sequential composition, which holds even if each question depends on earlier answers.

    Parameters
    ----------
    epsilon : float
        What all answers together may cost (natural logarithm).
    delta : float, default 0
        Probability with which ε may fail, for all answers together. 0 admits pure mechanisms
        only.

    Attributes
    ----------
    epsilon, delta : float
        The whole budget.
    spent, left : PrivacyLoss
        What has been charged, the sum of the ledger, and what may still be.
    ledger : DataFrame
        A row per charge.

    Raises
    ------
    TypeError, ValueError
        If ε is not positive and finite, or δ is outside [0, 1).

    Notes
    -----
    Charges are added as they are written: ten of 0.1 fill a budget of 1.0 exactly, although
    ten such floats do not add up to 1. Eleven of 1/11 fill it, too: an excess of up to
    1e-12 of the budget counts as rounding, once. What is no Python float is taken by its
    value: ``numpy.float32(0.1)`` costs 0.10000000149, and a fraction is added exactly.

    Threads may charge one budget together. A copy (by `copy`, `pickle` or a fork, and so in
    any other process) shows what had been spent, but cannot be charged: it would be a second
    budget for the same people.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.16.

    Examples
    --------
    >>> budget = PrivacyBudget(epsilon=1.0)
    >>> budget.charge(0.7, label="mean age")
    >>> budget.left.epsilon
    0.3
    >>> budget.charge(0.5, label="median age")
    Traceback (most recent call last):
    ValueError: the budget cannot pay for median age: it asks for epsilon = 0.5, but only
    epsilon = 0.3 is left. Ask for less, or answer no further questions.
    >>> budget.ledger
          label  epsilon  delta  spent  left  spent_delta  left_delta
    0  mean age      0.7    0.0    0.7   0.3          0.0         0.0
    """

    def __init__(self, epsilon: float, delta: float = 0.0) -> None:
        self._limit = _exact(epsilon, delta)
        self._paid: dict[int, list[_Entry]] = {}
        self._process: int | None = os.getpid()

    @property
    def epsilon(self) -> float:
        """The whole budget's ε."""
        return float(self._limit.epsilon)

    @property
    def delta(self) -> float:
        """The whole budget's δ."""
        return float(self._limit.delta)

    @property
    def spent(self) -> PrivacyLoss:
        """What the charges so far add up to; all of the budget once it is full."""
        return self._told(self._spent(len(self._paid)))

    @property
    def left(self) -> PrivacyLoss:
        """What may still be charged; 0 once the budget is full."""
        return PrivacyLoss(*map(float, self._left(self._spent(len(self._paid)))))

    @property
    def ledger(self) -> pd.DataFrame:
        """Every charge in its order.

        Columns `label`, `epsilon` and `delta` of the charge; `spent` and `left`, the ε after
        it; `spent_delta` and `left_delta`.
        """
        rows = []
        for entry in self._entries():
            told, left = self._told(entry.spent), self._left(entry.spent)
            after = told.epsilon, left.epsilon, told.delta, left.delta
            rows.append((entry.label, *entry.cost, *after))
        names = ["epsilon", "delta", "spent", "left", "spent_delta", "left_delta"]
        table = pd.DataFrame(rows, columns=["label", *names])
        return table.astype({"label": str} | dict.fromkeys(names, float))

    def charge(self, epsilon: float, delta: float = 0.0, *, label: str = "") -> None:
        """Pay for one answer, or refuse it and stay as before.

        Parameters
        ----------
        epsilon, delta : float
            Privacy loss of the answer.
        label : str
            What it is for, in the ledger.

        Raises
        ------
        TypeError, ValueError
            If ε or δ is not a privacy loss, or more than is left, or the budget is a copy.
        """
        self._pay([(check_label(label), _exact(epsilon, delta))])

    def charge_together(self, losses: Mapping[str, float]) -> None:
        """Pay for several answers, or for none of them.

        Parameters
        ----------
        losses : mapping of {label: float}
            ε of each answer. No other charge comes between them.

        Raises
        ------
        TypeError, ValueError
            As `charge`; then nothing has been charged.

        Examples
        --------
        >>> budget = PrivacyBudget(epsilon=1.0)
        >>> budget.charge_together({"mean age": 0.5, "histogram": 0.6})
        Traceback (most recent call last):
        ValueError: the budget cannot pay for histogram: it asks for epsilon = 0.6, but only
        epsilon = 0.5 is left. Ask for less, or answer no further questions.
        >>> budget.spent.epsilon
        0.0
        """
        if not isinstance(losses, Mapping) or not losses:
            raise TypeError(
                f"losses must map labels to the epsilon of each answer, at least one; got"
                f" {type(losses).__name__} {losses!r:.80}."
            )
        self._pay([(check_label(name), _exact(cost, 0.0)) for name, cost in losses.items()])

    def _pay(self, costs: Sequence[tuple[str, _Exact]]) -> None:
        if self._process != os.getpid():
            raise ValueError(
                "this PrivacyBudget is a copy (by copy, pickle, or a fork into another"
                " process) and cannot be charged, as that would be a second budget for the"
                " same people. Charge the original, in the process that made it."
            )
        while True:
            place = len(self._paid)
            entries, spent = [], self._spent(place)
            for label, cost in costs:
                spent = self._after(spent, cost, label)
                entries.append(_Entry(label, cost, spent))
            # A dictionary's setdefault is one step, which no thread, signal or interrupt
            # divides: if somebody else took this place in the meantime, count again. A lock
            # would either stop a signal handler for ever, or let it pass.
            if self._paid.setdefault(place, entries) is entries:
                return

    def _after(self, spent: _Exact, cost: _Exact, label: str) -> _Exact:
        """What is spent once the cost has been paid, if it can be."""
        rests = zip(_Exact._fields, cost, self._left(spent), self._limit, strict=True)
        for name, asked, rest, limit in rests:
            rounding = SLACK * limit if rest else 0  # a full budget pays nothing any more
            if asked > rest + rounding:
                raise ValueError(
                    f"the budget cannot pay for {label or 'this charge'}: it asks for"
                    f" {name} = {float(asked):.12g}, but only {name} = {float(rest):.12g} is"
                    f" left. Ask for less, or answer no further questions."
                )
        return _Exact(spent.epsilon + cost.epsilon, spent.delta + cost.delta)

    def _left(self, spent: _Exact) -> _Exact:
        """What remains; of a remainder that is only rounding, nothing."""
        pairs = zip(self._limit, spent, strict=True)
        rests = ((limit - paid, SLACK * limit) for limit, paid in pairs)
        return _Exact(*(rest if rest > rounding else Fraction(0) for rest, rounding in rests))

    def _told(self, spent: _Exact) -> PrivacyLoss:
        """What is spent, in floats and without the rounding that fills a budget."""
        left = self._left(spent)
        return PrivacyLoss(*(float(a - b) for a, b in zip(self._limit, left, strict=True)))

    def _spent(self, place: int) -> _Exact:
        """The sum of the charges before a place."""
        return self._paid[place - 1][-1].spent if place else _Exact(Fraction(0), Fraction(0))

    def _entries(self) -> Iterator[_Entry]:
        for place in range(len(self._paid)):
            yield from self._paid[place]

    def __getstate__(self) -> dict[str, Any]:
        """State of a copy, which belongs to no process, so that none can charge it."""
        return self.__dict__ | {"_paid": self._paid.copy(), "_process": None}

    def advanced(self, delta: float) -> PrivacyLoss:
        r"""What the charges so far cost together by advanced composition.

        :math:`\varepsilon' = \sqrt{2 \ln(1/\delta') \sum_i \varepsilon_i^2} +
        \sum_i \varepsilon_i (e^{\varepsilon_i} - 1)`, which for equal losses is
        `advanced_composition`. What the budget refuses goes by `spent` alone.

        Parameters
        ----------
        delta : float
            Probability δ′ that is added to the sum of the charges' δ, up to 1 in all.

        Returns
        -------
        PrivacyLoss
            Holds beside `spent`: for many small charges its ε is smaller, for few or large
            ones `spent` is. It holds at one time that is fixed beforehand, with number and
            sizes of the charges; watched after each charge, it fails more often than δ′
            (Rogers et al., *Privacy odometers and filters*, NeurIPS 2016).

        Raises
        ------
        TypeError, ValueError
            If δ′ is not above 0 and below 1.
        """
        extra = _check_slack(delta)
        entries = list(self._entries())
        losses = [float(entry.cost.epsilon) for entry in entries]
        failing = float(sum(entry.cost.delta for entry in entries))
        squares = math.fsum(loss**2 for loss in losses)
        drift = math.fsum(_drift(loss) for loss in losses)
        return PrivacyLoss(_concentrated(squares, extra) + drift, min(1.0, failing + extra))

    def __repr__(self) -> str:
        """Budget and what is left of it."""
        left = self.left
        copied = "" if self._process == os.getpid() else "; a copy, which cannot be charged"
        return (
            f"PrivacyBudget(epsilon={self.epsilon:g}, delta={self.delta:g}), of which"
            f" epsilon {left.epsilon:g} and delta {left.delta:g} are left{copied}"
        )


def check_label(label: Any) -> str:
    """Return the name of an entry in the ledger."""
    if not isinstance(label, str):
        raise TypeError(f"label must be a text for the ledger; got {label!r:.80}.")
    return label


def checked_budget(budget: Any) -> PrivacyBudget | None:
    """Return a budget, or None."""
    if budget is not None and not isinstance(budget, PrivacyBudget):
        raise TypeError(
            f"budget must be a PrivacyBudget, such as PrivacyBudget(epsilon=1.0); got"
            f" {type(budget).__name__}."
        )
    return budget


class _Exact(NamedTuple):
    epsilon: Fraction
    delta: Fraction


class _Entry(NamedTuple):
    label: str
    cost: _Exact
    spent: _Exact


def _exact(epsilon: Any, delta: Any) -> _Exact:
    """A privacy loss as it is written, each number read once."""
    epsilon, delta = own_number(epsilon), own_number(delta)
    check_loss(epsilon)
    check_delta(delta)
    return _Exact(exact(epsilon), exact(delta))


# Composition


def sequential_composition(epsilons: Any, deltas: Any = 0.0) -> PrivacyLoss:
    r"""What several answers about the same records cost together: the sums.

    :math:`(\sum_i \varepsilon_i, \sum_i \delta_i)`, for in a product of probabilities every
    ratio of at most :math:`e^{\varepsilon_i}` occurs at worst at once. It holds for questions
    that depend on earlier answers, too.

    Parameters
    ----------
    epsilons : array-like of shape (k,)
        ε of each answer (natural logarithm).
    deltas : float or array-like of shape (k,)
        δ of each answer, or of all.

    Returns
    -------
    PrivacyLoss
        ε and δ of all together, δ at most 1 (where nothing is promised); smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If there is no answer, or an ε or δ is not a privacy loss.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.16.

    Examples
    --------
    >>> sequential_composition([0.5, 0.25])
    PrivacyLoss(epsilon=0.75, delta=0.0)
    """
    losses, failing = _losses_and_deltas(epsilons, deltas)
    return PrivacyLoss(math.fsum(losses), min(1.0, math.fsum(failing)))


def advanced_composition(
    epsilon: float, k: int, delta: float, *, delta_each: float = 0.0
) -> PrivacyLoss:
    r"""What k answers of the same ε cost together, if a small probability δ′ may fail.

    :math:`\varepsilon' = \sqrt{2 k \ln(1/\delta')}\, \varepsilon +
    k \varepsilon (e^\varepsilon - 1)`: losses of both signs cancel in part, so that their sum
    grows with :math:`\sqrt{k}` as long as ε is small.

    Parameters
    ----------
    epsilon : float
        ε of each answer (natural logarithm).
    k : int
        How many answers.
    delta : float
        δ′, above 0.
    delta_each : float, default 0
        δ of each answer.

    Returns
    -------
    PrivacyLoss
        (ε′, kδ + δ′), δ at most 1 (where nothing is promised); smaller is safer. Compare it
        with `sequential_composition`, kε, which is smaller for large ε: both hold.

    Raises
    ------
    TypeError, ValueError
        If ε, δ or δ′ is none, or k is no positive whole number.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.20.

    Examples
    --------
    Better than 500 · 0.1 = 50, but worse than 500 · 1 = 500:

    >>> round(advanced_composition(0.1, 500, 1e-5).epsilon, 2)
    15.99
    >>> round(advanced_composition(1.0, 500, 1e-5).epsilon, 1)
    966.4
    """
    loss, extra = check_loss(epsilon), _check_slack(delta)
    each = check_delta(delta_each, "delta_each")
    k = check_whole(k, "k", 1, MOST_ANSWERS, "how many answers there are")
    total = _concentrated(k * loss**2, extra) + k * _drift(loss)
    return PrivacyLoss(total, min(1.0, k * each + extra))


def _losses_of(losses: Any, argument: str, check: Callable[[Any, str], float]) -> FloatArray:
    """Return the ε or δ of several mechanisms; at least one."""
    if isinstance(losses, (str, bytes, Mapping)) or not isinstance(losses, Iterable):
        raise TypeError(f"{argument} must be a list, one per mechanism; got {losses!r:.80}.")
    numbers = [check(loss, argument) for loss in losses]
    if not numbers:
        raise ValueError(f"{argument} must hold one entry per mechanism; got none.")
    return np.array(numbers)


def _losses_and_deltas(epsilons: Any, deltas: Any) -> tuple[FloatArray, FloatArray]:
    """Return every ε, and a δ for each; a single one holds for all."""
    losses = _losses_of(epsilons, "epsilons", check_loss)
    if not isinstance(deltas, Iterable):
        return losses, np.full(losses.size, check_delta(deltas, "deltas"))
    failing = _losses_of(deltas, "deltas", check_delta)
    if failing.size != losses.size:
        raise ValueError(
            f"deltas must hold one entry for each of the {losses.size} epsilons, or be one"
            f" number for all; got {failing.size}."
        )
    return losses, failing


def _concentrated(squares: float, delta: float) -> float:
    """How far a sum of losses strays from its mean, but for a probability δ′."""
    return math.sqrt(2 * math.log(1 / delta) * squares)


def _drift(epsilon: float) -> float:
    """Bound of the mean loss; infinite where a float cannot hold it."""
    return epsilon * math.expm1(epsilon) if epsilon < 700 else math.inf


def _check_slack(delta: Any) -> float:
    way = "With delta = 0 there is sequential composition, the sum of the epsilons."
    return check_delta_above_zero(delta, way)


def parallel_composition(epsilons: Any, deltas: Any = 0.0) -> PrivacyLoss:
    r"""What answers about *disjoint* groups of people cost together: the largest of each.

    Whoever is in one group leaves the answers about all others as they are. Here neighbours
    differ by one record more or less; if a record may be *replaced*, it can move from one
    group to another, and two groups are touched: then the two largest losses add up.

    Parameters
    ----------
    epsilons, deltas
        As for `sequential_composition`, an entry per group.

    Returns
    -------
    PrivacyLoss
        ε and δ of all together; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        As `sequential_composition`.

    References
    ----------
    .. [1] F. McSherry, *Privacy integrated queries*, SIGMOD 2009, theorem 4.

    Examples
    --------
    >>> parallel_composition([0.5, 0.25])
    PrivacyLoss(epsilon=0.5, delta=0.0)
    """
    losses, failing = _losses_and_deltas(epsilons, deltas)
    return PrivacyLoss(float(losses.max()), float(failing.max()))


def group_privacy(epsilon: float, k: int, delta: float = 0.0) -> PrivacyLoss:
    r"""What an answer gives away of k people together: ratios up to :math:`e^{k\varepsilon}`.

    Going from one data set to the other changes one person at a time, each by a factor
    :math:`e^\varepsilon` and δ: :math:`(k\varepsilon,\;
    \delta \sum_{i<k} e^{i\varepsilon})`.

    Parameters
    ----------
    epsilon, delta : float
        Privacy loss of one person.
    k : int
        People in the group, or records of one person.

    Returns
    -------
    PrivacyLoss
        ε and δ of the group, δ at most 1; smaller is safer.

    Raises
    ------
    TypeError, ValueError
        If ε or δ is none, or k is no positive whole number.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 2.2.
    .. [2] S. Vadhan, *The complexity of differential privacy*, 2017, lemma 2.2.

    Examples
    --------
    >>> group_privacy(0.5, 4)
    PrivacyLoss(epsilon=2.0, delta=0.0)
    """
    loss, failing = check_loss(epsilon), check_delta(delta)
    k = check_whole(k, "k", 1, MOST_ANSWERS, "how many people are in the group")
    if failing == 0 or k == 1:
        return PrivacyLoss(k * loss, failing)
    # A geometric series, by logarithms: the sum itself may be too large for a float.
    log_sum = (k - 1) * loss + math.log(-math.expm1(-k * loss)) - math.log(-math.expm1(-loss))
    return PrivacyLoss(k * loss, min(1.0, math.exp(min(0.0, math.log(failing) + log_sum))))
