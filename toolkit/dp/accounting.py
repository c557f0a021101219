"""Accounting of privacy losses: composition of several answers, and a budget.

Many answers can disclose much even if each answer alone discloses little, because averaging
them removes the noise. A privacy loss is a pair (ε, δ). Losses of answers about the same
records add up, and a budget limits their sum before the first question. For many answers, two
other accounts give smaller totals: zero-concentrated differential privacy (one number ρ per
answer) and Rényi differential privacy (a curve per answer). Their losses also add up, and the
sum is converted to (ε, δ) at the end. Every ε is a natural logarithm.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from .._arguments import check_number
from .noise import check_delta, check_loss, check_orders, positive

SLACK = Fraction(1, 10**12)  # excess, as a share of the budget, that counts as rounding


class PrivacyLoss(NamedTuple):
    """The two numbers of (ε, δ)-differential privacy; smaller is safer.

    `epsilon` is the natural logarithm of the largest ratio of probabilities; `delta` is the
    probability with which this bound may fail.
    """

    epsilon: float
    delta: float = 0.0


Pair = tuple[Fraction, Fraction]  # of ε and δ


class _Entry(NamedTuple):
    """A charge, and what it leaves of the budget."""

    label: str
    cost: Pair
    left: Pair


class PrivacyBudget:
    r"""Limit on the total privacy loss of all answers about the same people.

    A mechanism that is given the budget charges it *before* it reads the value. A charge above
    what is left is refused and leaves the ledger unchanged. Losses add up by sequential
    composition, which holds even if each question depends on earlier answers.

    Parameters
    ----------
    epsilon : float
        Limit on the total loss of all answers (natural logarithm).
    delta : float, default 0
        Probability with which ε may fail, for all answers together. With 0, only pure
        mechanisms can be paid for.

    Attributes
    ----------
    epsilon, delta : float
        The whole budget.
    spent, left : PrivacyLoss
        Sum of all charges, and the loss that may still be charged.
    ledger : DataFrame
        A row per charge: `label`, `epsilon`, `delta`, and the state after the charge: `spent`
        and `left` for ε, `spent_delta` and `left_delta` for δ.

    Notes
    -----
    Charges are added as decimal numbers: ten charges of 0.1 fill a budget of 1.0 exactly,
    although ten such floats do not add up to 1. Eleven charges of 1/11 fill it as well: an
    excess of up to 1e-12 of the budget counts as rounding, once.

    Several threads may charge the same budget. Copies and pickles are refused, and a forked
    process cannot charge the budget, because each would be a second budget for the same
    people.

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
        self._entries = {0: _Entry("the budget", (Fraction(0), Fraction(0)), self._limit)}
        self._process = os.getpid()
        self.epsilon, self.delta = map(float, self._limit)

    @property
    def spent(self) -> PrivacyLoss:
        """Sum of the charges so far; the whole budget once it is full."""
        pairs = zip(self._limit, self._entries[len(self._entries) - 1].left, strict=True)
        return PrivacyLoss(*(float(limit - left) for limit, left in pairs))

    @property
    def left(self) -> PrivacyLoss:
        """Loss that may still be charged; 0 once the budget is full."""
        return PrivacyLoss(*map(float, self._entries[len(self._entries) - 1].left))

    @property
    def ledger(self) -> pd.DataFrame:
        """All charges, in order."""
        epsilon, delta = self._limit
        rows = [
            (label, *cost, epsilon - left, left, delta - left_delta, left_delta)
            for label, cost, (left, left_delta) in [*self._entries.values()][1:]
        ]
        names = ["label", "epsilon", "delta", "spent", "left", "spent_delta", "left_delta"]
        return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[1:], float))

    def charge(self, epsilon: float, delta: float = 0.0, *, label: str = "") -> None:
        """Charge the loss of one answer, or refuse it and leave the budget unchanged.

        Parameters
        ----------
        epsilon, delta : float
            Privacy loss of the answer.
        label : str
            Purpose of the charge, shown in the ledger.
        """
        cost = _exact(epsilon, delta)
        if self._process != os.getpid():
            raise ValueError(
                "this PrivacyBudget was forked into another process, where it would be a"
                " second budget for the same people; charge it in the process that made it."
            )
        while True:
            place = len(self._entries)
            entry = _Entry(label, cost, self._left_after(cost, place, label))
            # A dictionary's setdefault is atomic: no thread, signal or interrupt divides it.
            # If another charge took this place in the meantime, count again.
            if self._entries.setdefault(place, entry) is entry:
                return

    def _left_after(self, cost: Pair, place: int, label: str) -> Pair:
        """What a charge leaves: 0 within rounding; a full budget refuses every charge."""
        left = []
        names, before = ("epsilon", "delta"), self._entries[place - 1].left
        for name, asked, rest, limit in zip(names, cost, before, self._limit, strict=True):
            if asked > rest + (SLACK * limit if rest else 0):
                raise ValueError(
                    f"the budget cannot pay for {label or 'this charge'}: it asks for"
                    f" {name} = {float(asked):.12g}, but only {name} = {float(rest):.12g} is"
                    f" left. Ask for less, or answer no further questions."
                )
            left.append(rest - asked if rest - asked > SLACK * limit else Fraction(0))
        return left[0], left[1]

    def __reduce__(self) -> NoReturn:
        """Refuse copies and pickles."""
        raise TypeError(
            "a PrivacyBudget cannot be copied or pickled: that would be a second budget for"
            " the same people."
        )

    def __repr__(self) -> str:
        """Budget and what is left of it."""
        return f"PrivacyBudget({self.epsilon:g}, {self.delta:g}), left: {self.left}"


def _exact(epsilon: Any, delta: Any) -> Pair:
    """Privacy loss as exact decimals: 0.1 is a tenth, not the nearest binary fraction."""
    loss, failing = check_loss(epsilon), check_delta(delta)
    return Fraction(repr(loss)), Fraction(repr(failing))


# Composition


def sequential_composition(epsilons: Any, deltas: Any = 0.0) -> PrivacyLoss:
    r"""Total privacy loss of several answers about the same records: the sums of ε and δ.

    :math:`(\sum_i \varepsilon_i, \sum_i \delta_i)`: in the worst case, every factor of a
    product of probabilities reaches its largest ratio :math:`e^{\varepsilon_i}` at once. The
    sums also hold for questions that depend on earlier answers.

    Parameters
    ----------
    epsilons : array-like of shape (k,)
        ε of each answer (natural logarithm).
    deltas : float or array-like of shape (k,)
        δ of each answer, or one δ for every answer.

    Returns
    -------
    PrivacyLoss
        Total ε and δ; δ is at most 1, which promises nothing. Smaller is safer.

    References
    ----------
    .. [1] C. Dwork and A. Roth, *The algorithmic foundations of differential privacy*, 2014,
       theorem 3.16.

    Examples
    --------
    >>> sequential_composition([0.5, 0.25])
    PrivacyLoss(epsilon=0.75, delta=0.0)
    """
    losses, failing = _pairs(epsilons, deltas)
    return PrivacyLoss(math.fsum(losses), min(1.0, math.fsum(failing)))


def parallel_composition(epsilons: Any, deltas: Any = 0.0) -> PrivacyLoss:
    r"""Total privacy loss of answers about *disjoint* groups of people: the largest ε and δ.

    A person in one group does not affect the answers about the other groups. Here neighbours
    differ by one added or removed record. If a record may be *replaced*, it can move from one
    group to another and affect two groups; then the two largest losses add up.

    Parameters
    ----------
    epsilons, deltas
        As for `sequential_composition`, with an entry per group.

    Returns
    -------
    PrivacyLoss
        Total ε and δ; smaller is safer.

    References
    ----------
    .. [1] F. McSherry, *Privacy integrated queries*, SIGMOD 2009, theorem 4.

    Examples
    --------
    >>> parallel_composition([0.5, 0.25])
    PrivacyLoss(epsilon=0.5, delta=0.0)
    """
    losses, failing = _pairs(epsilons, deltas)
    return PrivacyLoss(max(losses), max(failing))


def advanced_composition(
    epsilon: float, k: int, delta: float, *, delta_each: float = 0.0
) -> PrivacyLoss:
    r"""Total privacy loss of k answers with the same ε, up to a failure probability δ′.

    :math:`\varepsilon' = \sqrt{2 k \ln(1/\delta')}\, \varepsilon +
    k \varepsilon (e^\varepsilon - 1)`: losses of both signs cancel in part, so that their sum
    grows with :math:`\sqrt{k}` as long as ε is small.

    Parameters
    ----------
    epsilon : float
        ε of each answer (natural logarithm).
    k : int
        Number of answers, fixed beforehand like their ε: if the bound is checked after each
        answer, it fails with a probability above δ′ (Rogers et al., *Privacy odometers*,
        NeurIPS 2016).
    delta : float
        δ′, above 0.
    delta_each : float, default 0
        δ of each answer.

    Returns
    -------
    PrivacyLoss
        (ε′, kδ + δ′), with δ at most 1, which promises nothing; smaller is safer. The sum kε
        of `sequential_composition` holds, too, and is smaller for large ε.

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
    loss, extra = check_loss(epsilon), check_delta(delta, within="(0, 1)")
    k = check_number(k, "k", "[1, 1e15]", "answers", whole=True)
    drift = k * loss * math.expm1(loss) if loss < 700 else math.inf
    total = math.sqrt(2 * math.log(1 / extra) * k) * loss + drift
    return PrivacyLoss(total, min(1.0, k * check_delta(delta_each, "delta_each") + extra))


def group_privacy(epsilon: float, k: int, delta: float = 0.0) -> PrivacyLoss:
    r"""Privacy loss of an answer for k people together: ratios up to :math:`e^{k\varepsilon}`.

    The step from one data set to the other changes one person at a time, and each change costs
    a factor :math:`e^\varepsilon` and a δ: :math:`(k\varepsilon,\; \delta \sum_{i<k}
    e^{i\varepsilon})`.

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
    k = check_number(k, "k", "[1, 1e15]", "people of the group", whole=True)
    if failing == 0 or k == 1:
        return PrivacyLoss(k * loss, failing)
    # The geometric series is summed by logarithms, as its sum may be too large for a float.
    log_sum = (k - 1) * loss + math.log(-math.expm1(-k * loss)) - math.log(-math.expm1(-loss))
    return PrivacyLoss(k * loss, math.exp(min(0.0, math.log(failing) + log_sum)))


def zcdp_composition(rhos: Any, delta: float) -> PrivacyLoss:
    r"""Total privacy loss of several answers by zero-concentrated differential privacy.

    An answer is ρ-zCDP if its Rényi divergence of order α is at most ρα for every α above 1.
    Gaussian noise has :math:`\rho = \Delta^2/2\sigma^2` (`GaussianNoise.rho`), and any ε gives
    :math:`\rho = \varepsilon^2/2`. The ρ of several answers add up to a total ρ with

    .. math:: \varepsilon = \min_{\alpha > 1} \rho\alpha + \ln\frac{\alpha - 1}{\alpha} -
        \frac{\ln(\delta\alpha)}{\alpha - 1} \le \rho + 2\sqrt{\rho \ln(1/\delta)}.

    Parameters
    ----------
    rhos : array-like of shape (k,)
        ρ of each answer.
    delta : float
        Probability with which ε may fail, above 0 and below 1.

    Returns
    -------
    PrivacyLoss
        Total ε (natural logarithm) and δ; smaller is safer.

    References
    ----------
    .. [1] M. Bun and T. Steinke, *Concentrated differential privacy*, TCC 2016, propositions
       1.3, 1.4, 1.6 and lemma 1.7.
    .. [2] C. Canonne, G. Kamath and T. Steinke, *The discrete Gaussian for differential
       privacy*, NeurIPS 2020, proposition 12.

    Examples
    --------
    A hundred answers with Gaussian noise of ten sensitivities:

    >>> zcdp_composition([1 / 200] * 100, 1e-5).epsilon < 0.5 + 2 * (0.5 * 11.513) ** 0.5
    True
    >>> round(zcdp_composition([1 / 200] * 100, 1e-5).epsilon, 3)
    4.728
    """
    rho = positive(math.fsum(positive(x, "rhos") for x in np.atleast_1d(rhos)), "rhos")
    failing = check_delta(delta, within="(0, 1)")

    def epsilon(log_order: float) -> float:
        order = 1 + math.exp(log_order)
        return float(_converted(order, rho * order, failing))

    # Every order gives a valid ε, so the search need not be exact. The simple bound is
    # attained near alpha = 1 + sqrt(ln(1 / delta) / rho); nearer to 1 than 1 + 1e-13, a float
    # would be 1.
    near = max(math.log(-math.log(failing) / rho) / 2, -20)
    best = minimize_scalar(epsilon, bounds=(near - 9, near + 9), method="bounded").x
    return PrivacyLoss(max(0.0, epsilon(best)), failing)


def renyi_composition(losses: Sequence[pd.Series], delta: float) -> PrivacyLoss:
    r"""Total privacy loss of several answers by Rényi differential privacy.

    The Rényi divergences of several answers add up at each order α, and the sum
    :math:`r_\alpha` gives

    .. math:: \varepsilon = \min_\alpha r_\alpha + \ln\frac{\alpha - 1}{\alpha} -
        \frac{\ln(\delta\alpha)}{\alpha - 1}.

    Parameters
    ----------
    losses : sequence of Series
        Divergence of each answer by order, as returned by `LaplaceNoise.renyi` and
        `GaussianNoise.renyi`. All answers need the same orders; more orders give a smaller ε.
    delta : float
        Probability with which ε may fail, above 0 and below 1.

    Returns
    -------
    PrivacyLoss
        Total ε (natural logarithm) and δ; smaller is safer.

    References
    ----------
    .. [1] I. Mironov, *Rényi differential privacy*, CSF 2017, proposition 1.
    .. [2] C. Canonne, G. Kamath and T. Steinke, *The discrete Gaussian for differential
       privacy*, NeurIPS 2020, proposition 12.

    Examples
    --------
    >>> from toolkit import LaplaceNoise
    >>> answer = LaplaceNoise(10).renyi(1, range(2, 100))
    >>> round(renyi_composition([answer] * 500, 1e-5).epsilon, 2)
    11.99
    """
    failing = check_delta(delta, within="(0, 1)")
    table = pd.DataFrame(list(losses)).astype(float)
    if table.empty or not (table >= 0).all(axis=None):
        raise ValueError("losses must hold a divergence of each answer for each order.")
    orders = check_orders(table.columns.to_numpy())
    epsilons = _converted(orders, table.sum().to_numpy(), failing)
    return PrivacyLoss(max(0.0, float(epsilons.min())), failing)


def _converted(order: Any, divergence: Any, delta: float) -> Any:
    """ε that a Rényi divergence of a given order implies, up to a probability δ."""
    return divergence + np.log1p(-1 / order) - np.log(delta * order) / (order - 1)


def _pairs(epsilons: Any, deltas: Any) -> tuple[list[float], list[float]]:
    """Return every ε with its δ; a single δ holds for all."""
    losses = [check_loss(loss, "epsilons") for loss in np.atleast_1d(epsilons).tolist()]
    given = np.broadcast_to(deltas, len(losses)).tolist()
    return losses, [check_delta(delta, "deltas") for delta in given]
