"""Statistical audits of a callable mechanism that claims differential privacy.

It runs the mechanism on two neighbouring inputs, looks for an event that one of them makes
more likely than the claim allows, and then counts that event among fresh releases. With the
stated confidence the claim is broken, or nothing was found: no audit can show that code is
private. Another pair of neighbours, another event or more releases may still break it.
"""

from __future__ import annotations

import copy
import math
import warnings
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special
from tqdm import tqdm

from ..._typing import FloatArray, IntArray, cell, html_table
from ..._validation import check_generator, check_whole, listed
from .._before import check_delta, check_flag, check_loss, is_integer, numbers
from . import events, outputs
from .events import ROLES, Event, Tally
from .outputs import Outputs, Releases, bounds

COLUMNS = ["verdict", "epsilon", "delta", "epsilon_lower", "event", "more_likely"]


COLUMNS += ["data", "neighbour", "select", "test", "confidence", "number_of_audits"]


NOT_FRESH = {
    "batches repeat each other": (
        "the mechanism drew the same noise for the releases that select the event and for"
        " those that test it, so the stated confidence does not hold: draw from the rng"
        " that is passed in."
    ),
    "the releases of a batch are all alike": (
        "all releases of a batch are alike, but differ from batch to batch: they are not"
        " independent, so the stated confidence does not hold. Draw noise for each of the"
        " n releases (size=n)."
    ),
}
"""What a mechanism of batches may do wrong, and what is then said of it."""


LEAST_SELECTION = 100
"""Releases from which an auditor selects an event, at least."""


class Samples(NamedTuple):
    """Releases of each input."""

    select: int
    """Releases from which the event was selected."""
    test: int
    """Fresh releases in which it was counted."""


@dataclass(frozen=True, eq=False, repr=False)
class AuditResult:
    """The result of `audit`."""

    verdict: str
    """"violation" or "no violation found"."""
    epsilon: float
    """The ε that is claimed, natural logarithm."""
    delta: float
    """The δ that is claimed."""
    epsilon_lower: float
    """With the stated confidence the mechanism's ε, at this δ, is at least this number."""
    event: str
    """The event that was tested, in words."""
    more_likely: str
    """The input under which it was found the likelier: "data" or "neighbour"."""
    probabilities: pd.DataFrame
    """A row for the data and one for the neighbour: `count` of the event among `samples` fresh
    releases, `probability`, and the Clopper-Pearson bounds `lower` and `upper`.
    The lower bound of the likelier input and the upper bound of the other hold together."""
    samples: Samples
    """Releases that selected the event, and that tested it."""
    confidence: float
    """Of all the audits together, if there are several."""
    number_of_audits: int
    """Audits among which the doubt is divided."""
    seed: str
    """Where the randomness came from; `generator` starts it anew."""
    start: np.random.Generator
    """Copy of the generator as it was before the first draw."""
    region: Event
    """The event itself: `region.occurs` marks outputs."""
    tallies: tuple[Tally, ...]
    """Counts of all events that were tried when selecting."""
    doubts: tuple[str, ...]
    """Signs that the releases are not independent, in words. With any, nothing that is stated
    with confidence is sure. Where they are independent, there is one in at most one audit of
    a million."""

    @property
    def unseen(self) -> tuple[str, ...]:
        """What this audit could not see, in words, whatever its verdict."""
        alpha = (1 - self.confidence) / self.number_of_audits
        rarest = rarest_event(self.samples.test, self.epsilon, self.delta, alpha)
        rare = f"an event of one input alone that is rarer than {rarest:.2g}"
        unseen = ["other pairs of neighbours", rare]
        kinds = {type(tally.statistic) for tally in self.tallies}
        if events.Coordinate in kinds and events.LowBits not in kinds:
            unseen.append("the lowest bits of numbers")
        if events.Score in kinds:
            beyond = ", beyond pairs and triples" * (events.Parity in kinds)
            unseen.append(f"what no output tells unless several are compared{beyond}")
        dependence = "dependence that comparing pairs of releases does not show"
        return (*unseen, dependence, "time, memory, and a seed that others know")

    def generator(self) -> np.random.Generator:
        """Return the generator as it was at the start: with it the audit repeats exactly."""
        return copy.deepcopy(self.start)

    def __repr__(self) -> str:
        """Show the audit line by line."""
        lines = [f"{name:<12}{text}" for name, text in _lines(self).items()]
        return "\n".join([f"AuditResult: {_verdict(self)}", *lines])

    def _repr_html_(self) -> str:
        left = "text-align:left"
        rows = [
            (cell(name, "th", style=left), cell(text, style=left))
            for name, text in _lines(self).items()
        ]
        return f"<p><b>{_verdict(self)}</b></p>{html_table(rows)}"


def audit(
    mechanism: Callable[..., Any],
    data: Any,
    neighbour: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    samples: int | tuple[int, int] = 200_000,
    confidence: float = 0.999,
    rng: np.random.Generator,
    batch: bool = False,
    low_bits: bool = True,
    number_of_audits: int = 1,
    progress: bool = True,
) -> AuditResult:
    r"""Look for an event that breaks a claim of (ε, δ)-differential privacy.

    The claim says that :math:`P(M(D) \in E) \le e^\epsilon P(M(D') \in E) + \delta` for every
    event :math:`E` and, as neighbours may change places, in both orders. The audit selects
    :math:`E` on one batch of releases and counts it in another, fresh one. Clopper-Pearson
    bounds, each wrong with probability :math:`(1 - confidence) / 2`, then give

    .. math:: \epsilon_{lower} = \ln \frac{\mathrm{low}(P) - \delta}{\mathrm{high}(P')}

    and a violation if that exceeds :math:`\epsilon`. Events that are tried: each frequent
    value, both half-lines, intervals and what lies outside them, decimal digits, numbers that
    repeat, low mantissa bits, NaN; for vectors all these of each output, whole releases if
    they are discrete, whether an odd number of two or three outputs is large, and the score of
    a logistic regression.

    Parameters
    ----------
    mechanism : callable
        `mechanism(data, rng)` makes one release: a number, a label (a text, None, anything
        hashable that compares by value), or a 1-d vector of these, always of one length. With
        `batch=True`, `mechanism(data, n, rng)` makes n independent releases, an array of
        shape (n,) or (n, d).
    data, neighbour : any
        Two inputs that differ in one individual. The mechanism gets copies, so it cannot
        change them: one per call with `batch=True`, else one for all calls, unless the first
        call changes it (or nothing tells whether it did); then each call gets its own.
    epsilon : float
        Claimed ε, natural logarithm.
    delta : float
        Claimed δ.
    samples : int, or pair of int
        Fresh releases of each input that test the event. A quarter as many, at least 100,
        select it: 50,000 for 200,000. A pair gives both numbers, the selecting one first.
    confidence : float
        Probability that no false violation is reported, whatever the mechanism.
    rng : numpy.random.Generator
        Handed to the mechanism. One that draws its noise elsewhere is audited all the same,
        but the audit does not repeat.
    batch : bool
        Whether a call makes many releases.
    low_bits : bool
        Whether to look at the lowest bits of doubles, which show what real arithmetic hides,
        and at the sign of 0. Without, -0.0 and 0.0 are one output, as they are in all other
        events.
    number_of_audits : int
        Audits for which the confidence is to hold jointly (Bonferroni).
    progress : bool
        Whether to show a progress bar, for `batch=False`, after a second.

    Returns
    -------
    AuditResult
        With the `verdict`, `epsilon_lower` (smaller is safer), the `event` and its
        `probabilities`, `doubts` of the independence of the releases, and in `unseen` what
        the audit could not see.

    Warns
    -----
    UserWarning
        If releases repeat those of an earlier batch, or depend on each other.

    Raises
    ------
    TypeError, ValueError
        If an argument is unfit, the inputs are equal, the releases have no common shape, or
        there are too few for any violation to show.

    Notes
    -----
    The bounds hold if releases are independent draws. So releases that stand next to each
    other, half a batch apart, or as far apart as the selecting releases suggest are compared
    with releases paired at random: how often they are equal, lie on the same side of the
    median, or equally far from it. Where releases are independent, this warns in at most one
    audit of a million, whatever their distribution. Dependence of other kinds passes: among
    three releases of which each two are independent, at other distances, between batches, or
    too weak for that many releases.

    An audit finds what its events see, of the one pair it is given: choose a pair that the
    claim is tightest for. Numbers are seen as doubles: integers beyond 2**53 that differ by
    little are alike.

    Independent does not mean secret. An audit sees how releases are distributed over all
    seeds. A reader who knows the seed of a release computes its noise and subtracts it, and
    no audit can tell.

    References
    ----------
    .. [1] Z. Ding et al., *Detecting violations of differential privacy*, CCS 2018.
    .. [2] M. Jagielski, J. Ullman and A. Oprea, *Auditing differentially private machine
       learning*, NeurIPS 2020.
    .. [3] B. Bichsel et al., *DP-Sniper: black-box discovery of differential privacy
       violations using classifiers*, S&P 2021.
    .. [4] I. Mironov, *On significance of the least significant bits for differential
       privacy*, CCS 2012.

    Examples
    --------
    A count that is only noised if it is not 0:

    >>> def release(count, n, rng):
    ...     return np.where(count == 0, 0.0, count + rng.laplace(0, 1, n))
    >>> result = audit(release, 1, 0, epsilon=1, rng=np.random.default_rng(1), batch=True)
    >>> result.verdict
    'violation'
    >>> result.event, result.more_likely
    ('output ≠ 0', 'data')
    >>> round(result.epsilon_lower, 1)
    10.2
    """
    plan = _plan(epsilon, delta, samples, confidence, number_of_audits)
    check_generator(rng, "to hand to the mechanism")
    check_flag(batch, "batch")
    check_flag(low_bits, "low_bits")
    hidden = not check_flag(progress, "progress") or batch
    _check_compared(mechanism, data, neighbour)
    releases = Releases(mechanism, rng, batch)
    inputs, start = {"data": data, "neighbour": neighbour}, copy.deepcopy(rng)
    total = 2 * sum(plan.samples)
    with tqdm(total=total, desc="releases", delay=1, leave=False, disable=hidden) as bar:
        releases.tick = bar.update
        seen = [releases.draw(x, plan.samples.select, role) for role, x in inputs.items()]
        (first, second), labels = seen, tuple(releases.labels)
        found = events.tallies(first, second, labels, low_bits=low_bits, delta=plan.delta)
        tried = tuple(found)
        event, more_likely = _select(tried, plan.delta)
        counts, doubts = _count_fresh(releases, event, inputs, seen, plan.samples.test)
    return _judged(plan, event, more_likely, counts, start, tried, doubts)


class _Plan(NamedTuple):
    """What is to be tested, and how."""

    epsilon: float
    delta: float
    samples: Samples
    confidence: float
    number_of_audits: int

    @property
    def alpha(self) -> float:
        """Probability of a false violation in this audit."""
        return (1 - self.confidence) / self.number_of_audits


def _check_compared(mechanism: Any, data: Any, neighbour: Any) -> None:
    """Refuse what cannot be called, and to compare an input with itself."""
    if not callable(mechanism):
        raise TypeError(
            f"mechanism must be callable, as mechanism(data, rng) or, with batch=True, as"
            f" mechanism(data, n, rng); got {type(mechanism).__name__}. Pass the function, not"
            f" its result."
        )
    if outputs.same_data(data, neighbour):
        raise ValueError(
            "data and neighbour must differ; got equal ones, which no event can tell apart."
            " Pass two inputs that differ in one individual."
        )


def _plan(
    epsilon: float, delta: float, samples: Any, confidence: float, number_of_audits: int
) -> _Plan:
    """Check the claim and the plan; some outcome must be able to break the claim."""
    claim, taken = (check_loss(epsilon), check_delta(delta)), _samples(samples)
    sure = outputs.checked_confidence(confidence)
    audits = check_whole(number_of_audits, "number_of_audits", 1, 10**9, "held to jointly")
    plan = _Plan(*claim, taken, sure, audits)
    # An event seen always on one side, never on the other, is enough above so many samples:
    # then low(P) = r and high(P') = 1 - r, where r = (alpha / 2)**(1 / samples).
    doubt = (1 - plan.delta) * float(special.expit(-plan.epsilon))
    needed = math.log(plan.alpha / 2) / math.log1p(-doubt) if doubt else math.inf
    if not plan.samples.test > needed:
        way = f"Take more than {needed:,.0f}." if needed < 1e9 else "No audit can test it."
        raise ValueError(
            f"samples = {plan.samples.test:,} are too few to test epsilon = {plan.epsilon:g}:"
            f" even an event that always happens on one input and never on the other would not"
            f" exceed it with this confidence. {way}"
        )
    return plan


def _samples(samples: Any) -> Samples:
    """Return how many releases select the event, and how many test it.

    A single number tests; a quarter of it, but at least `LEAST_SELECTION`, selects.
    """
    pair = isinstance(samples, (tuple, list))
    if not (pair or is_integer(samples)) or pair and len(samples) != 2:
        raise TypeError(
            f"samples must be the number of releases to test with, such as 200_000, or a pair"
            f" (to select, to test); got {samples!r:.80}."
        )
    meaning = "releases of the mechanism"
    if pair:
        select = check_whole(samples[0], "samples[0]", LEAST_SELECTION, 10**9, meaning)
        return Samples(select, check_whole(samples[1], "samples[1]", 1, 10**9, meaning))
    test = check_whole(samples, "samples", 1, 10**9, meaning)
    return Samples(max(-(-test // 4), LEAST_SELECTION), test)


# Selecting an event


def _candidates(
    tried: tuple[Tally, ...], delta: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Counts of all events that were tried, their trials, and the ε that each would show.

    In the order of their tallies. Counts are of shape (2, events): of the data and of the
    neighbour. So is ε, bounded with Wilson's intervals: what to hope for if the data, or the
    neighbour, are likelier.
    """
    sizes = [len(tally.values) for tally in tried]
    trials = np.repeat([float(tally.trials) for tally in tried], sizes)
    counts = np.concatenate([[tally.data, tally.neighbour] for tally in tried], axis=1)
    distrust = np.repeat([events.caution(tally.statistic) for tally in tried], sizes)
    behind = np.repeat([events.handicap(tally.statistic) for tally in tried], sizes)
    return counts, trials, outputs.cautious_losses(counts, trials, delta, distrust) - behind


def _select(tried: tuple[Tally, ...], delta: float) -> tuple[Event, str]:
    """Return the event that promises the largest bound, and the likelier input."""
    counts, trials, promise = _candidates(tried, delta)
    if not np.isfinite(promise.max()):  # nothing beats δ: take the plainest difference
        promise = (counts - counts[::-1]) / trials
    side, best = np.unravel_index(np.argmax(promise), promise.shape)
    places = [(tally, place) for tally in tried for place in range(len(tally.values))]
    tally, place = places[int(best)]
    return tally.event(place), ROLES[int(side)]


# Testing it


def _count_fresh(
    releases: Releases, event: Event, inputs: dict[str, Any], seen: list[Outputs], n: int
) -> tuple[list[int], tuple[str, ...]]:
    """Count the event among fresh releases of each input; say what speaks for dependence."""
    counts: list[int] = []
    dependent: list[str] = []
    found: set[str | None] = set()
    for (role, given), old in zip(inputs.items(), seen, strict=True):
        fresh = releases.draw(given, n, role)
        counts.append(int(np.count_nonzero(event.occurs(fresh))))
        if releases.batch:
            found.add(outputs.not_fresh(old, fresh))
        dependent += outputs.doubts_of(old, fresh, role)
    stale = [doubt for doubt in NOT_FRESH if doubt in found]
    said = [NOT_FRESH[doubt] for doubt in stale]
    if dependent:
        said.append(
            f"{'; '.join(dependent)}: releases depend on each other, so the stated confidence"
            f" does not hold. Draw noise of its own for each release."
        )
    for message in said:
        warnings.warn(message, UserWarning, stacklevel=3)
    return counts, (*stale, *dependent)


def _judged(
    plan: _Plan,
    event: Event,
    more_likely: str,
    counts: list[int],
    start: np.random.Generator,
    tried: tuple[Tally, ...],
    doubts: tuple[str, ...],
) -> AuditResult:
    """Bound both probabilities, and ε by them."""
    n = plan.samples.test
    within = bounds(np.array(counts), np.array(n), plan.alpha)
    shares = {"count": counts, "samples": n, "probability": np.array(counts) / n}
    probabilities = pd.DataFrame(shares | within._asdict(), index=list(ROLES))
    likely = ROLES.index(more_likely)
    above = within.lower[likely] - plan.delta
    lower = math.log(above / within.upper[1 - likely]) if above > 0 else -math.inf
    return AuditResult(
        verdict="violation" if lower > plan.epsilon else "no violation found",
        **plan._asdict(),
        epsilon_lower=max(lower, 0.0),
        event=str(event),
        more_likely=more_likely,
        probabilities=probabilities,
        seed=_seed(start),
        start=start,
        region=event,
        tallies=tried,
        doubts=doubts,
    )


def _seed(rng: np.random.Generator) -> str:
    """Say what a generator was made from, if it tells, and whether it was fresh."""
    bits = rng.bit_generator
    name = type(bits).__name__
    sequence = getattr(bits, "seed_seq", None)
    known = type(bits).__module__.startswith("numpy.random")
    if not (known and isinstance(sequence, np.random.SeedSequence)):
        return f"{name} of unknown seed"
    fresh = outputs.same_data(type(bits)(copy.deepcopy(sequence)).state, bits.state)
    spawned = f", spawned as {sequence.spawn_key}" if sequence.spawn_key else ""
    return (
        f"{name}, seed {sequence.entropy}{spawned}{'' if fresh else ', after earlier draws'}"
    )


def _verdict(result: AuditResult) -> str:
    """State the verdict, and that it is doubtful."""
    return result.verdict + ", in doubt: releases depend on each other" * bool(result.doubts)


def _lines(result: AuditResult) -> dict[str, str]:
    """Say what was claimed, found and done, by heading."""
    likely = result.more_likely
    joint = result.number_of_audits
    together = f", jointly for {joint} audits" if joint > 1 else ""
    rows = {
        role: f"{row['count']:,.0f} of {row['samples']:,.0f} = {row['probability']:.4g},"
        f" between {row['lower']:.4g} and {row['upper']:.4g}"
        for role, row in result.probabilities.iterrows()
    }
    return {
        "claim": f"ε = {result.epsilon:g}, δ = {result.delta:g}",
        "found": f"ε ≥ {result.epsilon_lower:.4g} with confidence"
        f" {100 * result.confidence:.10g} %{together}",
        "event": f"{result.event} (more likely for {likely})",
        **{str(role): text for role, text in rows.items()},
        "samples": f"{result.samples.select:,} to select the event, {result.samples.test:,}"
        f" fresh ones to test it",
        "randomness": result.seed,
        **({"doubt": "; ".join(result.doubts)} if result.doubts else {}),
        "not seen": "; ".join(result.unseen),
    }


# Several audits


def audit_many(
    audits: Mapping[Any, Mapping[str, Any]],
    *,
    confidence: float = 0.999,
    rng: np.random.Generator,
    **shared: Any,
) -> dict[Any, AuditResult]:
    """Audit several mechanisms, or pairs of neighbours, with one confidence for all.

    The probability that any of them is falsely reported is at most 1 - `confidence`: each has
    its share of it (Bonferroni).

    Parameters
    ----------
    audits : mapping of name to mapping
        The arguments of each `audit`: mechanism, data, neighbour, epsilon and others.
    confidence : float
        Probability that no false violation is reported in any of them.
    rng : numpy.random.Generator
        Source of all draws, audit after audit in the order of the mapping.
    **shared
        Arguments that all audits have in common; an audit's own come first.

    Returns
    -------
    dict of name to AuditResult
        `audit_table` lays them out.

    Raises
    ------
    TypeError, ValueError
        As `audit`, with a note that names the one that failed.

    Examples
    --------
    >>> def answer(truth, n, rng):
    ...     return np.where(rng.random(n) < 0.75, truth, not truth)
    >>> pair = {"mechanism": answer, "data": True, "neighbour": False, "batch": True}
    >>> results = audit_many(
    ...     {"claim 1": pair | {"epsilon": 1}, "claim ln 3": pair | {"epsilon": np.log(3)}},
    ...     rng=np.random.default_rng(1),
    ... )
    >>> audit_table(results)[["epsilon", "epsilon_lower", "verdict"]].round(2)
                epsilon  epsilon_lower             verdict
    claim 1         1.0            1.08           violation
    claim ln 3      1.1            1.08  no violation found
    """
    _check_audits(audits)
    results = {}
    shared |= {"confidence": confidence, "rng": rng, "number_of_audits": len(audits)}
    for name, arguments in audits.items():
        try:
            results[name] = audit(**(shared | dict(arguments)))
        except Exception as error:
            error.add_note(f"This was audit {name!r}.")
            raise
    return results


def _check_audits(audits: Any) -> None:
    """Refuse what does not map names to the arguments of audits."""
    if not isinstance(audits, Mapping) or not audits:
        raise TypeError(
            f"audits must map a name to the arguments of each audit, at least one, such as"
            f" {{'Laplace': dict(mechanism=..., data=..., neighbour=..., epsilon=1)}}; got"
            f" {type(audits).__name__} {audits!r:.80}."
        )
    for name, arguments in audits.items():
        if not isinstance(arguments, Mapping):
            raise TypeError(
                f"audits[{name!r}] must map the arguments of audit to their values, such as"
                f" dict(mechanism=..., data=..., neighbour=..., epsilon=1); got"
                f" {type(arguments).__name__}."
            )
        common = sorted({"confidence", "number_of_audits", "rng"} & set(arguments))
        if common:
            raise ValueError(
                f"audits[{name!r}] must leave {listed(common)} to audit_many, which divides"
                f" one confidence among all; got them for a single audit."
            )


def audit_table(results: Mapping[Any, AuditResult]) -> pd.DataFrame:
    """Lay audits out, a row each.

    Parameters
    ----------
    results : mapping of name to AuditResult
        As `audit_many` returns.

    Returns
    -------
    DataFrame
        Index: names. Columns `verdict`, `epsilon` and `delta` (claimed), `epsilon_lower`
        (smaller is safer), `event`, `more_likely`, its probabilities for `data` and
        `neighbour`, releases to `select` and `test`, `confidence`, `number_of_audits`.

    Raises
    ------
    TypeError
        If `results` does not map names to results.

    Examples
    --------
    >>> coin = audit(
    ...     lambda truth, n, rng: rng.random(n) < 0.5, 0, 1, epsilon=1, samples=1_000,
    ...     rng=np.random.default_rng(1), batch=True,
    ... )
    >>> audit_table({"a fair coin": coin})[["verdict", "epsilon_lower"]]
                            verdict  epsilon_lower
    a fair coin  no violation found            0.0
    """
    fit = isinstance(results, Mapping)
    if not (fit and all(isinstance(one, AuditResult) for one in results.values())):
        raise TypeError(
            f"results must map names to results of audit, as audit_many returns them; got"
            f" {type(results).__name__} {results!r:.80}."
        )
    rows = [
        vars(one) | one.probabilities["probability"].to_dict() | one.samples._asdict()
        for one in results.values()
    ]
    return pd.DataFrame(rows, index=list(results), columns=COLUMNS)


# The power of an audit


NEGLIGIBLE = 1e-13
"""Probability of the counts that the power leaves out, on either side."""


NEVER = 1e-30
"""Probabilities below it are taken for 0: no number of releases shows them."""


def rarest_event(samples: int, epsilon: float, delta: float, alpha: float) -> float:
    """Least share of an event at which the claim is broken, if the other input never shows it.

    Infinite if no share is enough.
    """

    def low(count: int) -> float:
        return float(bounds(np.int64(count), samples, alpha).lower)

    allowed = delta + math.exp(epsilon) * float(bounds(np.int64(0), samples, alpha).upper)
    least = bisect_right(range(samples + 1), allowed, key=low)
    return least / samples if least <= samples else math.inf


def audit_power(
    true_epsilon: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    samples: Any = 200_000,
    confidence: float = 0.999,
    probability: Any = 0.5,
    number_of_audits: int = 1,
) -> Any:
    r"""Chance that an audit flags a mechanism whose true ε is larger than claimed.

    It is exact for an event of probability :math:`P` on the likelier input and
    :math:`P' = (P - \delta) e^{-\epsilon'}` on the other: the counts of both are binomial, and
    the chance is the probability of all pairs of counts whose bounds break the claim.

    Parameters
    ----------
    true_epsilon : float or array-like
        The ε' that the event shows, at the claimed δ, natural logarithm.
    epsilon, delta : float
        The claim.
    samples : int or array-like of int
        Fresh releases of each input that test the event.
    confidence : float
        Of the audit.
    probability : float or array-like
        P, above δ. One half is that of Laplace noise beyond the farther of two centres.
    number_of_audits : int
        Audits for which the confidence is to hold jointly.

    Returns
    -------
    float or ndarray
        Probability, of the shape that `true_epsilon`, `samples` and `probability` make
        together; left out are counts of total probability 4e-13. The chance that selection
        misses the event is not in it.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    Noise that is 5 % too small, and one that is 2 % too small:

    >>> audit_power([1 / 0.95, 1 / 0.98], epsilon=1).round(2)
    array([1.  , 0.31])
    >>> round(audit_power(1 / 0.98, epsilon=1, samples=1_000_000), 2)
    1.0
    """
    delta, epsilon = check_delta(delta), check_loss(epsilon)
    audits = check_whole(number_of_audits, "number_of_audits", 1, 10**9, "held to jointly")
    alpha = (1 - outputs.checked_confidence(confidence)) / audits
    tested = "whole numbers from 1 to 10**9, the releases that test the event"
    likelier = f"above delta = {delta:g} and up to 1, that of the event on the likelier input"
    true, n, above = outputs.together(
        true_epsilon=numbers(true_epsilon, "true_epsilon", "[0, inf]", "at least 0"),
        samples=numbers(samples, "samples", "[1, 1e9]", tested, whole=True).astype(np.int64),
        probability=numbers(probability, "probability", f"({delta}, 1]", likelier),
    )
    below = (above - delta) * np.exp(-true)
    below = np.where(below < NEVER, 0.0, below)
    tails = NEGLIGIBLE, 1 - NEGLIGIBLE
    low, high = (_binomial().ppf(tail, n, below).ravel().astype(np.int64) for tail in tails)
    # One entry per setting and count of the less likely input, all settings in one row.
    size = np.maximum(high - low, 0) + 1
    setting = np.repeat(np.arange(size.size), size)
    first = np.cumsum(size) - size
    count = np.arange(size.sum()) - first[setting] + low[setting]
    trials, p, q = (x.ravel()[setting] for x in (n, above, below))
    enough = _enough(count, trials, epsilon, delta, alpha)
    chance = _binomial().pmf(count, trials, q) * _binomial().sf(enough, trials, p)
    power = np.bincount(setting, chance, size.size).reshape(n.shape)
    return power if n.ndim else float(power)


def _enough(count: Any, trials: Any, epsilon: float, delta: float, alpha: float) -> Any:
    """Count of the likelier input above which the claim is broken, given that of the other.

    The lower bound of k exceeds p exactly if k or more are rarer than alpha / 2 at p.
    """
    # Settings that lie close share most of their counts.
    pairs, place = np.unique(trials << 32 | count, return_inverse=True)
    n, k = pairs >> 32, pairs & (2**32 - 1)
    with np.errstate(over="ignore"):
        allowed = np.minimum(delta + np.exp(epsilon) * bounds(k, n, alpha).upper, 1.0)
    return _binomial().isf(alpha / 2, n, allowed)[place]


def _binomial() -> Any:
    """Return the binomial law; scipy.stats is slow to import, and only planning needs it."""
    from scipy import stats

    return stats.binom
