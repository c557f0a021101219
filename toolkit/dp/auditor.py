"""Statistical audits of a callable mechanism that claims differential privacy.

An audit runs the mechanism on two neighbouring inputs. It counts thousands of events in one
batch of releases, selects the event that separates the inputs best, and counts that event
again in fresh releases. Clopper-Pearson bounds turn both counts into a lower bound of ε.
Either the claim is broken, with the stated confidence, or nothing was found: no audit can show
that code is private. Another pair of neighbours, another event or more releases may still
break the claim.

A *statistic* summarises a release by a number: one output, its lowest bit, a whole vector,
whether an odd number of outputs is large, or a score that a logistic regression learns. An
*event* says that the statistic lies in an interval, or that it does not; a value and a
half-line are intervals, too. Every statistic is fixed before the fresh releases are counted,
so a poor statistic costs power but never makes an audit wrong.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from .._arguments import check_generator, check_number
from .._typing import BoolArray, FloatArray
from .noise import check_delta, check_loss, points

ROLES = ("data", "neighbour")
LABEL = -(2.0**60)  # labels are numbered from here downwards, in steps of 2**10
MOST_VALUES = 200  # limit of the values that are tried, the most frequent ones
# Shares of the pooled releases below the ends of intervals: equal steps, finer in the tails.
TAIL = np.geomspace(2e-4, 0.02, 12)
SHARES = np.unique([*TAIL, *np.linspace(0, 1, 501), *1 - TAIL])
# Standard errors that the selection subtracts, among hundreds or thousands of events.
CAUTION, SEARCHED = 2.5, 4.0
LEARNED_FROM = 25_000  # releases of each input that teach a score, at most
AT_ONCE = 1_000_000  # numbers that are scored at once, each by eight numbers of a curve
HANDICAP = 0.25  # extra ε that an event must promise if it is hard to interpret
FALSE_DOUBT = 1e-6  # probability that an audit reports independent releases as dependent

Words = Callable[[float, float, bool], str]  # an interval, or what is not in it, in words


class Interval(NamedTuple):
    """Bounds of a probability."""

    lower: Any
    upper: Any


class Samples(NamedTuple):
    """Releases of each input that select the event, and fresh releases that test it."""

    select: int
    test: int


class Statistic(NamedTuple):
    """A number that summarises a release."""

    measure: Callable[[FloatArray], Any]
    words: Words
    tried: str = "=≠≥≤∈∉"  # relations to values, to the ends of half-lines, to intervals
    handicap: float = 0.0


class Event(NamedTuple):
    """Releases whose statistic lies in an interval, or those whose statistic does not."""

    statistic: Statistic
    low: float
    high: float
    inside: bool

    def __str__(self) -> str:
        """The event in words."""
        return self.statistic.words(self.low, self.high, self.inside)

    def occurs(self, releases: FloatArray) -> BoolArray:
        """Mark the releases in which the event happens."""
        numbers = self.statistic.measure(releases)
        return np.asarray(((self.low <= numbers) & (numbers <= self.high)) == self.inside)


@dataclass(frozen=True, eq=False, repr=False)
class AuditResult:
    """The result of `audit`.

    Attributes
    ----------
    verdict : str
        "violation" or "no violation found".
    epsilon, delta : float
        The claim.
    epsilon_lower : float
        With the stated confidence the mechanism's ε, at this δ, is at least this number.
    event : str
        The event that was tested, in words.
    more_likely : str
        The input under which the event is more likely: "data" or "neighbour".
    probabilities : DataFrame
        A row for the data and one for the neighbour: `count` of the event among `samples`
        fresh releases, `probability`, and the Clopper-Pearson bounds `lower` and `upper`.
        The lower bound of the likelier input and the upper bound of the other hold together.
    samples : Samples
        Releases that selected the event, and that tested it.
    confidence : float
        Confidence of the result; it is joint for all audits if there are several.
    number_of_audits : int
        Audits among which the error probability is divided.
    region : Event
        The event itself: `region.occurs` marks releases.
    doubts : tuple of str
        Signs that the releases are not independent. If there are any, the stated confidence
        does not hold.
    """

    verdict: str
    epsilon: float
    delta: float
    epsilon_lower: float
    event: str
    more_likely: str
    probabilities: pd.DataFrame
    samples: Samples
    confidence: float
    number_of_audits: int
    region: Event
    doubts: tuple[str, ...]

    def __repr__(self) -> str:
        """Show the audit line by line."""
        lines = [f"{name:<12}{text}" for name, text in self._lines().items()]
        return "\n".join([f"AuditResult: {self.verdict}", *lines])

    def _repr_html_(self) -> str:
        return pd.Series(self._lines()).to_frame(self.verdict).to_html(justify="left")

    def _lines(self) -> dict[str, str]:
        """Claim, result and samples, by heading."""
        alpha = (1 - self.confidence) / self.number_of_audits
        select, n = self.samples
        most = _bounds(0, n, alpha).upper  # share of an event that the other input never shows
        rarest = _enough(n, most, self.epsilon, self.delta, alpha) / n
        counts = {
            str(role): f"{row['count']:,.0f} of {row['samples']:,.0f} ="
            f" {row['probability']:.4g}, between {row['lower']:.4g} and {row['upper']:.4g}"
            for role, row in self.probabilities.iterrows()
        }
        joint = f", jointly for {m} audits" if (m := self.number_of_audits) > 1 else ""
        return {
            "claim": f"ε = {self.epsilon:g}, δ = {self.delta:g}",
            "found": f"ε ≥ {self.epsilon_lower:.4g} with confidence"
            f" {100 * self.confidence:.10g} %{joint}",
            "event": f"{self.event} (more likely for {self.more_likely})",
            **counts,
            "samples": f"{select:,} to select the event, {n:,} fresh ones to test it",
            **({"doubt": "; ".join(self.doubts)} if self.doubts else {}),
            "not seen": f"other pairs of neighbours; an event of one input alone that is rarer"
            f" than {rarest:.2g}; time, memory, and a seed that others know",
        }


def audit(
    mechanism: Callable[..., Any],
    data: Any,
    neighbour: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    samples: int = 200_000,
    confidence: float = 0.999,
    rng: np.random.Generator,
    batch: bool = False,
    low_bits: bool = True,
    number_of_audits: int = 1,
) -> AuditResult:
    r"""Look for an event that breaks a claim of (ε, δ)-differential privacy.

    The claim says that :math:`P(M(D) \in E) \le e^\epsilon P(M(D') \in E) + \delta` for every
    event :math:`E` and, as neighbours may change places, in both orders. The audit selects
    :math:`E` on one batch of releases and counts it in another, fresh one. Clopper-Pearson
    bounds, each wrong with probability :math:`(1 - confidence) / 2`, then give

    .. math:: \epsilon_{lower} = \ln \frac{\mathrm{low}(P) - \delta}{\mathrm{high}(P')}

    and a violation if that exceeds :math:`\epsilon`. The audit tries these events of outputs:
    the frequent values, half-lines, intervals, what is not in them, NaN, low mantissa bits,
    and values that only one input repeats; for vectors also whole releases if these repeat,
    whether an odd number of outputs is large, and the score of a logistic regression.

    Parameters
    ----------
    mechanism : callable
        `mechanism(data, rng)` makes one release: a number, a label such as a string, or a
        vector of these, always of one length. With `batch=True`, `mechanism(data, n, rng)`
        makes n independent releases, an array of shape (n,) or (n, d).
    data, neighbour : any
        Two inputs that differ in one individual. The mechanism gets a copy of each input.
    epsilon : float
        Claimed ε, natural logarithm.
    delta : float
        Claimed δ.
    samples : int
        Fresh releases of each input that test the event. A quarter as many, at least 100,
        select it: 50,000 for 200,000.
    confidence : float
        Probability that no false violation is reported, whatever the mechanism.
    rng : numpy.random.Generator
        Passed to the mechanism. A mechanism that draws its noise elsewhere can be audited,
        too, but the audit is then not reproducible.
    batch : bool
        Whether a call makes many releases.
    low_bits : bool
        Whether to test the lowest bits of doubles, which show defects of floating-point noise.
    number_of_audits : int
        Audits for which the confidence is to hold jointly (Bonferroni).

    Returns
    -------
    AuditResult
        With the `verdict`, `epsilon_lower` (smaller is safer), the `event` and its
        `probabilities`.

    Warns
    -----
    UserWarning
        If adjacent releases are alike more or less often than releases of two batches. For
        independent releases, the warning appears in at most one audit in a million.

    Notes
    -----
    An audit finds only violations that its events show on the given pair: choose a pair for
    which the claim is tightest. Independent noise need not be secret: a reader who knows the
    seed of a release can compute its noise and subtract it, and no audit can detect that.

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
    A count that gets noise only if it is not 0:

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
    claim = check_loss(epsilon), check_delta(delta)
    alpha = _alpha(confidence, number_of_audits)
    select, test = planned = _plan(samples, *claim, alpha)
    check_generator(rng, "to hand to the mechanism")
    inputs, labels = dict(zip(ROLES, (data, neighbour), strict=True)), dict[str, float]()

    def draw(role: str, n: int) -> FloatArray:
        own = copy.deepcopy(inputs[role])
        drawn = mechanism(own, n, rng) if batch else [mechanism(own, rng) for _ in range(n)]
        return _as_numbers(drawn, n, labels, role)

    selecting = [draw(role, select) for role in ROLES]
    event, likely = _select(_statistics(selecting, labels, low_bits), claim[1])
    doubts, counts = list[str](), []
    for role, old in zip(ROLES, selecting, strict=True):
        fresh = draw(role, test)
        counts.append(int(np.count_nonzero(event.occurs(fresh))))
        doubts += _doubts(old, fresh, role)
    for doubt in doubts:
        warnings.warn(doubt, UserWarning, stacklevel=2)
    within = _bounds(np.array(counts), np.array(test), alpha)
    shares = {"count": counts, "samples": test, "probability": np.array(counts) / test}
    table = pd.DataFrame(shares | within._asdict(), index=[*ROLES])
    above = within.lower[likely] - claim[1]
    lower = math.log(above / within.upper[1 - likely]) if above > 0 else -math.inf
    verdict = "violation" if lower > claim[0] else "no violation found"
    return AuditResult(
        *(verdict, *claim, max(lower, 0.0), str(event), ROLES[likely], table, planned),
        *(confidence, number_of_audits, event, tuple(doubts)),
    )


def _plan(samples: Any, epsilon: float, delta: float, alpha: float) -> Samples:
    """Releases of each input with which a violation can be found."""
    test = check_number(samples, "samples", "[1, 1e9]", "releases that test", whole=True)
    # With more samples than this, an event that always happens on one input and never on the
    # other is enough: then low(P) = r and high(P') = 1 - r, where r = (alpha / 2)**(1 /
    # samples).
    doubt = (1 - delta) * float(special.expit(-epsilon))
    needed = math.log(alpha / 2) / math.log1p(-doubt) if doubt else math.inf
    if not test > needed:
        raise ValueError(
            f"samples = {test:,} are too few to test epsilon = {epsilon:g}: even an event that"
            f" always happens on one input and never on the other would not exceed it with"
            f" this confidence. Take more than {needed:,.0f}."
        )
    return Samples(max(-(-test // 4), 100), test)


def _alpha(confidence: Any, number_of_audits: Any = 1) -> float:
    """Probability of a false violation in one of several audits."""
    sure: float = check_number(confidence, "confidence", "(0, 1)", "such as 0.999")
    audits: int = check_number(number_of_audits, "number_of_audits", "[1, 1e9]", whole=True)
    return (1 - sure) / audits


def _as_numbers(given: Any, n: int, labels: dict[str, float], role: str) -> FloatArray:
    """Releases as a table of numbers, a row each; labels are numbered."""

    def number(cell: Any) -> float:
        if isinstance(cell, (int, float, np.number)):
            return float(cell)
        return labels.setdefault(str(cell), LABEL - 2.0**10 * len(labels))

    whole: Any = []
    try:
        cells = np.asarray(given)
        whole = cells if cells.dtype.kind in "iu" else []
        if cells.dtype.kind not in "biuf":
            cells = np.asarray(given, dtype=object)
            whole = [cell for cell in cells.ravel() if isinstance(cell, (int, np.integer))]
            cells = np.reshape([number(cell) for cell in cells.ravel()], cells.shape)
    except ValueError:
        cells = np.empty(0)
    if cells.ndim not in (1, 2) or len(cells) != n or 0 in cells.shape:
        raise ValueError(
            f"mechanism must return releases of one shape, whatever the data: for n = {n}"
            f" shape ({n},), or ({n}, d) of vectors; got {cells.shape} on {role}. Pad to a"
            f" public length with NaN, and draw noise with size=n or pass batch=False."
        )
    if (np.abs(np.asarray(whole, float)) > 2**53).any():
        raise ValueError("mechanism must return whole numbers up to 2**53; more are rounded.")
    return np.asarray(cells.reshape(n, -1), float)


# Statistics of a release, each with the releases of both inputs that select its event

Selecting = Iterator[tuple[Statistic, list[FloatArray]]]


def _statistics(
    sides: list[FloatArray], labels: Mapping[str, float], low_bits: bool
) -> Selecting:
    """Give the statistics of each output, and of several outputs together."""
    names = {code: repr(label) for label, code in labels.items()}

    def shown(value: Any) -> str:
        return names.get(value, f"{value:.6g}")

    width = sides[0].shape[1]
    for j in range(width):
        name = "output" if width == 1 else f"output[{j}]"
        labelled = any(np.isin(side[:, j], [*names]).any() for side in sides)
        tried = "=≠∈∉" if labelled else "=≠≥≤∈∉"
        yield _number(j, tried, _words(name, shown)), sides
        yield from _of_output(j, name, sides, low_bits)
    if width > 1:
        yield from _of_vectors(sides, shown)


def _number(j: int, tried: str, words: Words) -> Statistic:
    """One output itself."""
    return Statistic(lambda x: x[:, j], words, tried)


def _words(name: str, shown: Callable[[float], str]) -> Words:
    """Describe events of a number."""

    def words(low: float, high: float, inside: bool) -> str:
        if low == high:
            return f"{name} {'=' if inside else '≠'} {shown(low)}"
        if -low == high == math.inf:
            return f"{name} is {'not ' * inside}NaN"
        if high == math.inf:
            return f"{name} ≥ {shown(low)}"
        if low == -math.inf:
            return f"{name} ≤ {shown(high)}"
        return f"{name} {'within' if inside else 'outside'} [{shown(low)}, {shown(high)}]"

    return words


def _either(true: str, false: str) -> Words:
    """Describe the values 1 and 0 of a statistic."""
    return lambda value, *_: true if value else false


def _of_output(j: int, name: str, sides: list[FloatArray], low_bits: bool) -> Selecting:
    """Give further statistics of one output."""

    def multiple(low: float, high: float, inside: bool) -> str:
        a, power = ("a", low) if high == math.inf else ("no", high + 1)
        return f"{name} is {a} multiple of 2**{power:g}"

    pool = np.nan_to_num(np.concatenate([side[:, j] for side in sides]))
    if low_bits and (pool != np.rint(pool)).any():
        yield Statistic(lambda x: _lowest_bit(x[:, j]), multiple, "≥≤", HANDICAP), sides
    half = len(sides[0]) // 2
    shown_by = [pd.unique(side[:half, j]) for side in sides]
    if MOST_VALUES < sum(map(len, shown_by)) < 2 * half:  # values repeat, as with few seeds
        for role, own, other in zip(ROLES, shown_by, shown_by[::-1], strict=True):
            seen = _seen(j, np.setdiff1d(own, other), f"{name} is", role)
            yield seen, [side[half:] for side in sides]


def _seen(j: int, values: FloatArray, name: str, role: str) -> Statistic:
    """Whether an output is a value that only one input released before."""
    known = f"one of {len(values):,} values of the {role}"
    words = _either(f"{name} {known}", f"{name} not {known}")
    return Statistic(lambda x: np.isin(x[:, j], values), words, "=", HANDICAP)


def _lowest_bit(x: FloatArray) -> FloatArray:
    """Exponent t of the lowest bit set: x = odd number times 2**t; infinite for 0.

    Noise added to 1 is rounded to another grid than noise added to 0.
    """
    mantissa = np.ascontiguousarray(x).view(np.int64) & (2**52 - 1) | 2**52
    lowest = np.frexp(x)[1] - 53 + np.log2((mantissa & -mantissa).astype(float))
    return np.where(x == 0, np.inf, np.where(np.isfinite(x), lowest, np.nan))


def _of_vectors(sides: list[FloatArray], shown: Callable[[Any], str]) -> Selecting:
    """Give statistics of several outputs together."""
    pool = np.concatenate(sides)
    numbers, first = np.unique(_hashed(pool), return_index=True)
    if len(numbers) < len(pool):

        def whole(number: Any) -> str:
            row = pool[first[np.searchsorted(numbers, number)]]
            return f"({', '.join(map(shown, row))})"

        yield Statistic(_hashed, _words("output", whole), "=≠"), sides
    # An output is large from its median on, or from the next value if none is smaller.
    ranked = np.sort(np.nan_to_num(pool), axis=0)
    at = np.clip((ranked == ranked[0]).sum(axis=0), len(pool) // 2, len(pool) - 1)
    limits = ranked[at, np.arange(len(at))]
    parts = ", ".join(f"output[{j}] ≥ {shown(limit)}" for j, limit in enumerate(limits))
    words = _either(f"an odd number of: {parts}", f"an even number of: {parts}")
    odd = Statistic(lambda x: (x >= limits).sum(axis=1) % 2, words, "=", HANDICAP)
    yield odd, sides
    half = len(sides[0]) // 2
    score = _learned([side[:half] for side in sides])
    words = _words("logistic score of the outputs", shown)
    yield Statistic(score, words, "=≠≥≤"), [side[half:] for side in sides]


def _hashed(releases: FloatArray) -> FloatArray:
    """A number for each whole release, the same for equal ones."""
    alike = pd.DataFrame(np.where(np.isnan(releases), np.nan, releases + 0.0))
    return (pd.util.hash_pandas_object(alike, index=False).to_numpy() >> 11).astype(float)


def _learned(sides: list[FloatArray]) -> Callable[[FloatArray], FloatArray]:
    """Score of an additive logistic regression: a curve of straight pieces per output.

    The logarithm of the likelihood ratio of Laplace noise is such a curve.
    """
    # scikit-learn takes a second to import, and only vectors need it.
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer
    from threadpoolctl import threadpool_limits

    def known(x: FloatArray) -> FloatArray:
        return np.nan_to_num(x, nan=-1e9, posinf=1e9, neginf=-1e9)

    rows = min(LEARNED_FROM, 10 + AT_ONCE // sides[0].shape[1])
    sides = [known(side[:rows]) for side in sides]
    curves = SplineTransformer(8, degree=1, knots="quantile", extrapolation="constant")
    model = make_pipeline(curves, LogisticRegression(tol=1e-3))
    with threadpool_limits(1):  # several threads would be slower
        model.fit(np.concatenate(sides), np.repeat([1, 0], len(sides[0])))

    def score(x: FloatArray) -> FloatArray:
        parts = np.array_split(x, 1 + x.size // AT_ONCE)
        return np.concatenate([model.decision_function(known(part)) for part in parts])

    return score


# Selecting an event


def _select(statistics: Selecting, delta: float) -> tuple[Event, int]:
    """Return the event that promises the largest ε, and the place of the likelier input."""
    picked = []
    for statistic, sides in statistics:
        ranked = [np.sort(np.asarray(statistic.measure(side), float)) for side in sides]
        low, high, inside, caution = _intervals(np.concatenate(ranked), statistic.tried).T
        within = np.array(
            [np.searchsorted(x, high, "right") - np.searchsorted(x, low) for x in ranked]
        )
        n = len(ranked[0])
        counts = np.where(inside, within, n - within)
        promises = _promises(counts, n, delta, caution) - statistic.handicap
        side, i = divmod(int(promises.argmax()), len(low))
        event = Event(statistic, float(low[i]), float(high[i]), bool(inside[i]))
        picked.append((promises[side, i], -side, event))
    _, side, event = max(picked, key=lambda each: each[:2])  # a tie goes to the data
    return event, -side


def _intervals(numbers: FloatArray, tried: str) -> FloatArray:
    """Events that are tried, a row each: both ends, whether it is inside, and the caution."""
    pool = np.sort(numbers, kind="stable")  # merges sorted runs
    known = pool[~np.isnan(pool)]
    values, runs = np.unique(known, return_counts=True)
    values = np.sort(values[np.argsort(-runs, kind="stable")[:MOST_VALUES]])
    every = np.full(int(len(known) < len(pool)), np.inf)  # any number at all, in place of NaN
    lower, upper = np.append(values, -every), np.append(values, every)
    cuts = known[np.isfinite(known) & (("≥" in tried) | (known > LABEL))]
    if len(cuts):
        cuts = np.unique(cuts[(SHARES * (len(cuts) - 1)).astype(int)])
    widths = [1]  # in cells between cuts; wide intervals are coarser
    while widths[-1] < len(cuts):
        widths.append(widths[-1] + 1 + widths[-1] // 8)
    starts = [np.arange(0, len(cuts) - width, 1 + width // 8) for width in widths]
    start = np.concatenate(starts)
    end = start + np.repeat(widths, [len(places) for places in starts])
    events: dict[str, tuple[Any, ...]] = {
        "=": (lower, upper, True, CAUTION),
        "≠": (lower, upper, False, CAUTION),
        "≥": (cuts, np.inf, True, CAUTION),
        "≤": (-np.inf, cuts, True, CAUTION),
        "∈": (cuts[start], cuts[end], True, SEARCHED),
        "∉": (cuts[start], cuts[end], False, SEARCHED),
    }
    rows = [np.column_stack(np.broadcast_arrays(*events[relation])) for relation in tried]
    return np.concatenate(rows)


def _promises(counts: Any, trials: Any, delta: float, caution: Any) -> Any:
    """ε that events show, with each probability moved by `caution` standard errors (Wilson).

    `counts` has a row for the data and a row for the neighbour. In the result, each row is for
    events that are more likely under that input.
    """
    squared = np.square(caution)
    centre = counts + squared / 2
    spread = caution * np.sqrt(counts * (trials - counts) / trials + squared / 4)
    total = trials + squared
    with np.errstate(divide="ignore"):
        above = np.log(np.maximum((centre - spread) / total - delta, 0))
    return above - np.log((centre + spread) / total)[::-1]


# Signs that releases are not independent draws


def _doubts(old: FloatArray, fresh: FloatArray, role: str) -> list[str]:
    """Say if adjacent releases are alike more or less often than releases of two batches.

    If releases are independent, both kinds of pairs are distributed alike. All pairs are
    disjoint, so their counts are binomial with the same probability.
    """
    old, fresh = np.nan_to_num(old), np.nan_to_num(fresh)
    n = len(fresh) // 4
    middle = np.median(fresh[3 * n :], axis=0)
    for words, before, now in (
        ("equal", old, fresh),
        ("on the same side of the median", old >= middle, fresh >= middle),
    ):
        pairs = (now[n : 3 * n : 2], now[n + 1 : 3 * n : 2]), (before[:n], now[:n])
        alike = np.array([(one == other).sum(axis=0) for one, other in pairs])
        near = _bounds(alike, n, FALSE_DOUBT / 8 / fresh.shape[1])
        if (near.lower > near.upper[::-1]).any():
            return [
                f"adjacent releases of the {role} are {words} more or less often than releases"
                f" of two batches, so they depend on each other and the stated confidence does"
                f" not hold. Draw fresh noise for each release."
            ]
    return []


# Exact bounds of a probability


def clopper_pearson(successes: Any, trials: Any, *, confidence: float) -> Interval:
    r"""Exact bounds of a probability from a count.

    The lower bound is the p at which at least this many successes have probability :math:`(1 -
    confidence) / 2`; the upper bound is the p at which at most this many have it.

    Parameters
    ----------
    successes, trials : int or array-like of int
        Counts, of shapes that broadcast.
    confidence : float
        Confidence of the interval; each bound alone is wrong with probability at most (1 -
        confidence) / 2.

    Returns
    -------
    Interval
        `lower` and `upper`, probabilities; arrays if the counts are arrays.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits
       illustrated in the case of the binomial*, Biometrika 26, 1934.

    Examples
    --------
    None of 10: the upper bound solves (1 - p)**10 = 0.025.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4), round(1 - 0.025 ** (1 / 10), 4)
    (0.0, 0.3085, 0.3085)
    """
    hits, n = np.broadcast_arrays(points(successes, "successes"), points(trials, "trials"))
    if not ((hits >= 0) & (n >= 1) & (hits <= n) & (hits % 1 == 0) & (n % 1 == 0)).all():
        raise ValueError(
            f"successes must be whole numbers from 0 to trials, and trials at least 1;"
            f" got {successes!r:.80} of {trials!r:.80}."
        )
    lower, upper = _bounds(hits, n, _alpha(confidence))
    return Interval(lower, upper) if lower.ndim else Interval(float(lower), float(upper))


def _bounds(successes: Any, trials: Any, alpha: float) -> Interval:
    """Clopper-Pearson bounds, each wrong with probability of at most alpha / 2."""
    failures = trials - successes
    with np.errstate(invalid="ignore"):
        lower = special.betaincinv(successes, failures + 1.0, alpha / 2)
        upper = special.betainccinv(successes + 1.0, failures, alpha / 2)
    return Interval(np.where(successes == 0, 0.0, lower), np.where(failures == 0, 1.0, upper))


# Several audits


def audit_many(
    audits: Mapping[Any, Mapping[str, Any]],
    *,
    confidence: float = 0.999,
    rng: np.random.Generator,
    **shared: Any,
) -> dict[Any, AuditResult]:
    """Audit several mechanisms, or pairs of neighbours, with one confidence for all.

    The probability of any false violation is at most 1 - `confidence`, of which each audit has
    an equal share (Bonferroni).

    Parameters
    ----------
    audits : mapping of name to mapping
        The arguments of each `audit`: mechanism, data, neighbour, epsilon and others.
    confidence : float
        Probability that no false violation is reported in any of them.
    rng : numpy.random.Generator
        Source of all draws, audit after audit in the order of the mapping.
    **shared
        Arguments that all audits have in common; an audit's own arguments take precedence.

    Returns
    -------
    dict of name to AuditResult
        Results by name; `audit_table` makes a table of them.

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
    joint = {"confidence": confidence, "rng": rng, "number_of_audits": len(audits)}
    return {name: audit(**(shared | dict(own) | joint)) for name, own in audits.items()}


def audit_table(results: Mapping[Any, AuditResult]) -> pd.DataFrame:
    """Table of the results of audits, a row each.

    Parameters
    ----------
    results : mapping of name to AuditResult
        As `audit_many` returns.

    Returns
    -------
    DataFrame
        Index: names. Columns `verdict`, `epsilon` and `delta` (claimed), `epsilon_lower`
        (smaller is safer), `event`, `more_likely`, the probabilities of the event for `data`
        and `neighbour`, releases to `select` and `test`, `confidence`, `number_of_audits`.

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
    columns = ["verdict", "epsilon", "delta", "epsilon_lower", "event", "more_likely", *ROLES]
    columns += ["select", "test", "confidence", "number_of_audits"]
    rows = [
        vars(result) | result.probabilities["probability"].to_dict() | result.samples._asdict()
        for result in results.values()
    ]
    return pd.DataFrame(rows, index=list(results), columns=columns)


# The power of an audit


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
        Confidence of the audit.
    probability : float or array-like
        P, above δ. One half is the probability of the best half-line of Laplace noise, which
        ends at the centre of the likelier input.
    number_of_audits : int
        Audits for which the confidence is to hold jointly.

    Returns
    -------
    float or ndarray
        Probability, of the common shape of `true_epsilon`, `samples` and `probability`. Counts
        of total probability 2e-13 are left out. The chance that the selection misses the event
        is not included.

    Examples
    --------
    Noise that is 5 % too small, and noise that is 2 % too small:

    >>> audit_power([1 / 0.95, 1 / 0.98], epsilon=1).round(2)
    array([1.  , 0.31])
    >>> round(audit_power(1 / 0.98, epsilon=1, samples=1_000_000), 2)
    1.0
    """
    from scipy.stats import binom  # slow to import, and only planning needs it

    delta, epsilon = check_delta(delta), check_loss(epsilon)
    alpha = _alpha(confidence, number_of_audits)
    true, n, above = np.broadcast_arrays(
        points(true_epsilon, "true_epsilon", "[0, inf]"),
        np.floor(points(samples, "samples", "[1, 1e9]")),
        points(probability, "probability", f"({delta}, 1]"),
    )
    below = (above - delta) * np.exp(-true)
    power = np.empty(n.shape)
    for size in np.unique(n):
        alike = n == size
        ends = binom.ppf([[1e-13], [1 - 1e-13]], size, below[alike]) + [[0], [1]]
        counts = [np.arange(*pair) for pair in ends.T]
        pool = np.unique(np.concatenate(counts))  # similar settings share most counts
        enough = _enough(size, _bounds(pool, size, alpha).upper, epsilon, delta, alpha)
        power[alike] = [
            binom.pmf(own, size, q) @ binom.sf(enough[np.searchsorted(pool, own)] - 1, size, p)
            for own, p, q in zip(counts, above[alike], below[alike], strict=True)
        ]
    return power if n.ndim else float(power)


def _enough(n: Any, upper: Any, epsilon: float, delta: float, alpha: float) -> Any:
    """Least count that breaks the claim, given the bound of the other; n + 1 if there is none.

    The lower bound of k exceeds p exactly if k or more are rarer than alpha / 2 at p.
    """
    from scipy.stats import binom

    allowed = np.minimum(delta + math.exp(min(epsilon, 700)) * upper, 1.0)
    return binom.isf(alpha / 2, n, allowed) + 1
