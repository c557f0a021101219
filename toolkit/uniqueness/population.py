"""Uniqueness in the population, estimated from a sample.

A record that is unique in a sample need not be unique in the population. This module
*estimates* how many people are unique in the population, from the class sizes of a simple
random sample with a known sampling fraction. Every model can be wrong in its own way, so every
result states its assumptions. If the population itself is available, `unique_share` counts.

A sample shows only some of the people who share the quasi-identifiers of a record. From their
number and a known sampling fraction, the module also *estimates* the chance of picking the
right person, and the k' that a sample needs for k-map of the population to be plausible. If
the population itself is available, `k_map` and `reidentification_risk` count.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import gammainc, gammaincinv, gammaln, hyp2f1, psi

from .._arguments import check_number
from .._typing import Columns, FloatArray, Table
from .suda import check_fraction, sample_classes

ASSUMES = {
    "zayatz": "classes of the population are of one, two, … people in the same proportions as"
    " those of the sample are of one, two, … records; simple random sampling",
    "pitman": "classes of sample and population follow Pitman's sampling formula with the same"
    " two parameters",
    "snb": "class sizes of the population are 1 plus a negative binomial number; Shlosser's"
    " estimate of the number of classes holds; each person is sampled independently",
    "counted": "the sample is the population",
}
"""Assumptions of each method."""


@dataclass(frozen=True)
class PopulationUniques:
    """Estimated number of unique people in the population, by one method.

    Attributes
    ----------
    method : str
        The estimator; for `dankar_uniques`, the estimator that its rule chose.
    label : str
        "estimated", or "counted" where the sample is the whole population.
    uniques, share : float
        People who are unique in their quasi-identifiers, and their share of the population;
        smaller is safer. NaN if the method fails.
    population : int
        Number of people: records divided by the sampling fraction, rounded.
    sample_uniques : int
        Records that are unique in the sample.
    assumes : str
        Assumptions behind the number.
    reason : str
        Why there is no number; empty if there is a number.
    parameters : dict
        Fitted parameters.
    """

    method: str
    label: str
    uniques: float
    share: float
    population: int
    sample_uniques: int
    assumes: str
    reason: str = ""
    parameters: dict[str, float] = field(default_factory=dict)


def zayatz_uniques(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> PopulationUniques:
    r"""Estimate the unique people of a population from the class sizes of a sample: Zayatz.

    The n records of N people form u classes, of which :math:`s_j` have j records. A class of j
    people shows exactly one record with the hypergeometric probability :math:`h_j = j
    \binom{N-j}{n-1} / \binom{N}{n}`. If a share :math:`s_j / u` of the population's classes
    had j people, then by Bayes' rule

    .. math:: P(F=1 \mid f=1) = \frac{s_1 h_1}{\sum_j s_j h_j}, \qquad
              \hat S_1 = s_1 \, P(F=1 \mid f=1) \, \frac Nn .

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        The sample. A missing cell is a value of its own; pass a `class_table` for another
        treatment.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins.
    fraction : float
        Records divided by people in the population, above 0 and up to 1; it must be known.

    Returns
    -------
    PopulationUniques
        Labelled "estimated"; with ``fraction=1`` the sample is counted. Fewer is safer.
        `parameters` holds ``unique_given_sample_unique``.

    Notes
    -----
    Small classes are more common in a sample than in the population, so the proportions of the
    sample are biased. For a tenth of UCI's Adult and age, education, marital status, race and
    sex the estimate is 54 % too high on average; with the population's own proportions it
    would be right. For age, education, race, sex and country it is 2 % too low.

    References
    ----------
    .. [1] L. Zayatz, *Estimation of the percent of unique population elements on a microdata
       file using the sample*, US Bureau of the Census, Research Report RR-91/08, 1991.
    .. [2] F. K. Dankar, K. El Emam, A. Neisa and T. Roffey, *Estimating the re-identification
       risk of clinical data sets*, BMC Medical Informatics and Decision Making 12:66, 2012,
       appendix A, "equivalence class model".

    Examples
    --------
    Half of 8 people: two classes of one record, one of two. Here h_1 = 1/2 and h_2 = 4/7, so
    P = 2/2 / (2/2 + 4/7) = 7/11, and 2 x 7/11 x 2 = 28/11:

    >>> sample = pd.DataFrame({"age": [30, 40, 50, 50]})
    >>> found = zayatz_uniques(sample, "age", fraction=0.5)
    >>> found.label, round(found.uniques, 4), round(28 / 11, 4)
    ('estimated', 2.5455, 2.5455)
    """
    return _by_method("zayatz", _sample(data, quasi_identifiers, fraction))


def pitman_uniques(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> PopulationUniques:
    r"""Estimate the unique people of a population from the class sizes of a sample: Pitman.

    Under Pitman's sampling formula the u classes of n records, of which :math:`s_j` have j
    records, have the likelihood

    .. math:: L(\theta, \alpha) \propto
        \frac{\prod_{i=1}^{u-1} (\theta + i\alpha)}{\prod_{i=1}^{n-1} (\theta + i)}
        \prod_j \Big( \prod_{i=1}^{j-1} (i - \alpha) \Big)^{s_j},

    which is maximised over :math:`0 \le \alpha < 1` and :math:`\theta > -\alpha`. Of N people,

    .. math:: E[S_1] = N \frac{\Gamma(\theta+\alpha+N-1)\,\Gamma(\theta+1)}
                              {\Gamma(\theta+\alpha)\,\Gamma(\theta+N)}

    are unique, about :math:`N^\alpha\,\Gamma(\theta+1)/\Gamma(\theta+\alpha)`, which the paper
    and ARX use. Fewer unique people are safer.

    Parameters
    ----------
    data, quasi_identifiers, fraction
        As for `zayatz_uniques`.

    Returns
    -------
    PopulationUniques
        As of `zayatz_uniques`; `parameters` holds ``theta`` and ``alpha`` (0 if the likelihood
        is greatest at this end, which gives Ewens' formula). NaN, with a reason, if the
        likelihood has no maximum: all records are unique, or all are in one class.

    References
    ----------
    .. [1] N. Hoshino, *Applying Pitman's sampling formula to microdata disclosure risk
       assessment*, Journal of Official Statistics 17(4), 2001, sections 2 and 3.

    Examples
    --------
    Classes of 1, 1, 1, 1 and 4 records, a tenth of 80 people. With theta and alpha as fitted,
    80^.63 Gamma(1.884) / Gamma(1.514) is 17.1:

    >>> sample = pd.DataFrame({"town": list("ABCDEEEE")})
    >>> found = pitman_uniques(sample, "town", fraction=0.1)
    >>> {name: round(number, 3) for name, number in found.parameters.items()}
    {'theta': 0.884, 'alpha': 0.63}
    >>> round(found.uniques, 2)
    17.01
    """
    return _by_method("pitman", _sample(data, quasi_identifiers, fraction))


def snb_uniques(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> PopulationUniques:
    r"""Estimate the unique people of a population: slide negative binomial (SNB).

    Class sizes of the population are :math:`1 + X` with a negative binomial X, :math:`P(X=i) =
    \binom{a+i-1}{i} b^a (1-b)^i`, and each person is sampled with probability :math:`\pi`.
    With K classes and :math:`x = (1-\pi)(1-b)`, the expected numbers of classes of one and of
    two records are set equal to the observed numbers:

    .. math::
        s_1 &= K \pi \Big(\frac{b}{1-x}\Big)^a \Big(1 + \frac{a x}{1-x}\Big), \\
        s_2 &= \frac{K a b^a \pi^2 (1-b)}{2 (1-x)^{a+2}} \big(2 - (1-a) x\big),

    and :math:`\hat S_1 = K b^a`. K is estimated by Shlosser's method as modified by Haas and
    Stokes, from the u classes, of which :math:`s_j` have j records:

    .. math:: K = u + s_1
        \frac{\sum j \pi^2 (1-\pi^2)^{j-1} s_j}{\sum (1-\pi)^j \big((1+\pi)^j - 1\big) s_j}
        \Big(\frac{\sum (1-\pi)^j s_j}{\sum j \pi (1-\pi)^{j-1} s_j}\Big)^2 .

    For each b the ratio of the two equations gives a in closed form, so one equation in b is
    left. Its roots are bracketed over the whole range of b. Fewer unique people are safer.

    Parameters
    ----------
    data, quasi_identifiers, fraction
        As for `zayatz_uniques`.

    Returns
    -------
    PopulationUniques
        As of `zayatz_uniques`; `parameters` holds ``classes`` (K), ``a`` and ``b``. 0 if no
        record is unique (the limit b = 0). NaN, with a reason, if no class has two records, or
        if no pair a and b or several pairs solve the equations. There is no fallback;
        `dankar_uniques` has one.

    Notes
    -----
    The estimate depends strongly on K. For a sample of a fifth from populations of 8,000
    classes that follow the model with a = .5 and b = .2, the estimate is 2 % too low with the
    true K, but 31 % too high with Shlosser's K, which is itself 10 % too high.

    ARX solves the same equations by Newton's method, but multiplies in the second where it
    should divide by :math:`(1-x)^{a+2}`, and subtracts the 1 in Shlosser's sum outside of the
    product; its results differ.

    References
    ----------
    .. [1] G. Chen and S. Keller-McNulty, *Estimation of identification disclosure risk in
       microdata*, Journal of Official Statistics 14(1), 1998.
    .. [2] P. J. Haas and L. Stokes, *Estimating the number of classes in a finite
       population*, Journal of the American Statistical Association 93(444), 1998, section 3.

    Examples
    --------
    Half of 20 people: four classes of one record, one of two and one of four. K is 6 +
    4 (1.796875 / 1.56640625) (2.3125 / 2.75)^2 = 9.2447, and 9.2447 x .224^.336 = 5.59:

    >>> sample = pd.DataFrame({"town": list("ABCDEEFFFF")})
    >>> found = snb_uniques(sample, "town", fraction=0.5)
    >>> {name: round(number, 4) for name, number in found.parameters.items()}
    {'classes': 9.2447, 'a': 0.336, 'b': 0.224}
    >>> round(found.uniques, 2)
    5.59
    """
    return _by_method("snb", _sample(data, quasi_identifiers, fraction))


def dankar_uniques(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> PopulationUniques:
    r"""Estimate the unique people of a population by the method that Dankar's rule chooses.

    Up to a sampling fraction of 0.1 the rule chooses `pitman_uniques`, above it the smaller of
    `snb_uniques` and `zayatz_uniques`. It chooses `zayatz_uniques` if the other method gives
    no number.

    Parameters
    ----------
    data, quasi_identifiers, fraction
        As for `zayatz_uniques`.

    Returns
    -------
    PopulationUniques
        Result of the chosen method, which `method` names. Fewer is safer.

    Notes
    -----
    The rule had the least median error on six clinical data sets in a simulation; there is no
    other evidence for it.

    References
    ----------
    .. [1] F. K. Dankar, K. El Emam, A. Neisa and T. Roffey, *Estimating the re-identification
       risk of clinical data sets*, BMC Medical Informatics and Decision Making 12:66, 2012.

    Examples
    --------
    >>> sample = pd.DataFrame({"town": list("ABCDEEFFFF")})
    >>> dankar_uniques(sample, "town", fraction=0.5).method
    'snb'
    >>> dankar_uniques(sample, "town", fraction=0.1).method
    'pitman'
    """
    return _by_dankar(_sample(data, quasi_identifiers, fraction))


def population_uniques(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> pd.DataFrame:
    """Compare all estimates of how many people of the population are unique.

    Parameters
    ----------
    data, quasi_identifiers, fraction
        As for `zayatz_uniques`.

    Returns
    -------
    DataFrame of shape (4, 5)
        A row for each of zayatz, pitman, snb and dankar: `label` ("estimated" or "counted"),
        `uniques` and `share` (fewer is safer), what it `assumes`, and the `reason` why there
        is no number. For dankar, `assumes` also names the method that the rule chose.

    Examples
    --------
    >>> sample = pd.DataFrame({"town": list("ABCDEEFFFF")})
    >>> population_uniques(sample, "town", fraction=0.5)[["label", "uniques"]].round(2)
                label  uniques
    method
    zayatz  estimated     5.77
    pitman  estimated     4.43
    snb     estimated     5.59
    dankar  estimated     5.59
    """
    sample = _sample(data, quasi_identifiers, fraction)
    found = {name: vars(_by_method(name, sample)) for name in MODELS}
    chosen = _by_dankar(sample)
    assumes = f"{chosen.method}: {chosen.assumes}"
    found["dankar"] = vars(chosen) | {"assumes": assumes}
    table = pd.DataFrame(found.values(), index=pd.Index(list(found), name="method"))
    return table[["label", "uniques", "share", "assumes", "reason"]]


class _Sample(NamedTuple):
    """Classes counted by their size: `classes[i]` of them have `size[i]` records."""

    size: FloatArray  # rising
    classes: FloatArray
    fraction: float

    @property
    def records(self) -> float:
        return float(self.size @ self.classes)

    @property
    def population(self) -> int:
        return round(self.records / self.fraction)

    def of(self, size: int) -> float:
        """Classes of one size."""
        return float(self.classes[self.size == size].sum())


def _sample(data: Table, quasi_identifiers: Columns, fraction: Any) -> _Sample:
    """Count the classes of a sample by their size."""
    share = check_fraction(fraction)
    records = sample_classes(data, quasi_identifiers).size
    size, classes = np.unique(records, return_counts=True)
    return _Sample(size.astype(float), classes.astype(float), share)


def _by_method(method: str, sample: _Sample) -> PopulationUniques:
    """Apply one method; a sample that is the population is counted."""
    alone, counted = sample.of(1), sample.fraction == 1
    uniques, parameters, reason = (alone, {}, "") if counted else MODELS[method](sample)
    people = sample.population
    label, assumes = ("counted",) * 2 if counted else ("estimated", method)
    return PopulationUniques(
        *(method, label, uniques, uniques / people, people),
        *(int(alone), ASSUMES[assumes], reason, parameters),
    )


def _by_dankar(sample: _Sample) -> PopulationUniques:
    """Apply the method that the rule chooses."""
    if sample.fraction == 1:
        return _by_method("dankar", sample)
    names = ("pitman",) if sample.fraction <= 0.1 else ("zayatz", "snb")
    found = [_by_method(name, sample) for name in names]
    valid = [estimate for estimate in found if not math.isnan(estimate.uniques)]
    return min(valid or [_by_method("zayatz", sample)], key=lambda estimate: estimate.uniques)


# The models: unique people, fitted parameters, and the reason why there is no number

Estimate = tuple[float, dict[str, float], str]


def _zayatz(sample: _Sample) -> Estimate:
    """Equivalence class model."""
    alone = sample.of(1)
    if not alone:
        return 0.0, {}, ""
    n, people, size = sample.records, float(sample.population), sample.size
    before = np.arange(size[-1] - 1)  # other people of the class, none of them in the sample
    chances = np.maximum(people - n - before, 0) / (people - 1 - before)
    unseen = np.cumprod(np.append(1.0, chances))
    seen_once = size * unseen[size.astype(int) - 1]  # h_j / h_1
    chance = alone / float(sample.classes @ seen_once)
    return alone * chance * people / n, {"unique_given_sample_unique": chance}, ""


def _pitman(sample: _Sample) -> Estimate:
    """Pitman's sampling formula by maximum likelihood."""
    n, u, size = sample.records, float(sample.classes.sum()), sample.size
    if u in (1, n):
        what = "in one class" if n > 1 and u == 1 else "unique"
        return math.nan, {}, f"all records are {what}: the likelihood has no maximum"
    before = np.arange(1, u)

    def slope(alpha: float) -> float:
        """Slope of the likelihood maximised over theta."""
        theta = _best_theta(alpha, u, n)
        within = float(sample.classes @ (psi(size - alpha) - psi(1 - alpha)))
        return float((before / (theta + alpha * before)).sum()) - within

    least = 1e-6  # below it the model is Ewens'
    alpha = float(brentq(slope, least, 1 - 1e-12, xtol=1e-15)) if slope(least) > 0 else 0.0
    theta, people = _best_theta(alpha, u, n), sample.population
    grown = gammaln(theta + alpha + people - 1) - gammaln(theta + people)
    uniques = people * math.exp(grown + gammaln(theta + 1) - gammaln(theta + alpha))
    return uniques, {"theta": theta, "alpha": alpha}, ""


def _best_theta(alpha: float, u: float, n: float) -> float:
    """Theta where the likelihood is greatest, given alpha; 1 < u < n."""

    def inverses(start: float, terms: float) -> float:
        """Sum of 1 / (start + i) for i from 1 on; where psi is flat, as an integral."""
        if start > 1e6:
            return math.log1p(terms / (start + 0.5))
        return float(psi(start + terms + 1) - psi(start + 1))

    def slope(theta: float) -> float:
        classes = inverses(theta / alpha, u - 1) / alpha if alpha else (u - 1) / theta
        return classes - inverses(theta, n - 1)

    high = 1.0
    while slope(high) > 0:
        high *= 4
    low = -alpha * (1 - 1e-12) if alpha else 1e-300
    return float(brentq(slope, low, high, xtol=1e-14))


def _snb(sample: _Sample) -> Estimate:
    """Slide negative binomial model by its two moment equations."""
    j, s, p, (s1, s2) = sample.size, sample.classes, sample.fraction, map(sample.of, (1, 2))
    if not s1:
        return 0.0, {}, ""
    if not s2:
        return math.nan, {}, "no class has two records, so the second equation has no solution"
    # Shlosser's number of classes, as modified by Haas and Stokes.
    squares = s @ (j * p**2 * (1 - p**2) ** (j - 1))
    both = s @ ((1 - p**2) ** j - (1 - p) ** j)
    ratio = (s @ (1 - p) ** j) / (s @ (j * p * (1 - p) ** (j - 1)))
    classes = float(s.sum() + s1 * squares / both * ratio**2)

    def a_of(odds: float) -> float:
        """The a that the ratio of both equations demands: a root of a quadratic equation."""
        rest = 1 / (1 + math.exp(odds))
        x = (1 - p) * rest
        ratio = 2 * (1 - x) * s2 / (s1 * p * rest)
        half = (2 - x - ratio * x) / 2
        root = math.sqrt(half**2 + x * ratio * (1 - x))
        # The positive root of x a² + 2 half a = ratio (1 - x), without cancellation.
        return ratio * (1 - x) / (half + root) if half > 0 else (root - half) / x

    def excess(odds: float) -> float:
        """Logarithm of the ratio of expected to observed classes of one record."""
        a, x = a_of(odds), (1 - p) / (1 + math.exp(odds))
        power = -a * (math.log1p(math.exp(-odds)) + math.log1p(-x))
        return math.log(classes * p) + power + math.log1p(a * x / (1 - x)) - math.log(s1)

    # Solved for ln(b / (1 - b)), which resolves b near 0 and near 1.
    grid = np.linspace(-30, 30, 241).tolist()
    signs = np.sign([excess(odds) for odds in grid])
    at = np.flatnonzero(signs[1:] != signs[:-1]).tolist()
    if len(at) != 1:
        reason = f"{'several pairs' if at else 'no pair'} a, b solve the equations with K ="
        return math.nan, {"classes": classes}, f"{reason} {classes:.6g} classes"
    odds = float(brentq(excess, grid[at[0]], grid[at[0] + 1], xtol=1e-14))
    a, log_b = a_of(odds), -math.log1p(math.exp(-odds))
    parameters = {"classes": classes, "a": a, "b": math.exp(log_b)}
    return classes * math.exp(a * log_b), parameters, ""


MODELS = {"zayatz": _zayatz, "pitman": _pitman, "snb": _snb}


def individual_risk(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float
) -> pd.Series:
    r"""Estimate the risk of each record: Benedetti and Franconi's :math:`E[1/F \mid f]`.

    Of the F people in a class, f are in the sample. Given f, the number of the others is
    negative binomial, :math:`P(F = f + i \mid f) = \binom{f+i-1}{i} \pi^f (1-\pi)^i`, if every
    person is sampled with probability :math:`\pi` and F has the prior weight 1/F. Then

    .. math:: E[1/F \mid f] = \int_0^1 \frac{\pi\, v^{f-1}}{\pi + (1-\pi) v} \, dv
        = \frac{\pi}{f}\, {}_2F_1(1, 1; f+1; 1-\pi),

    which is :math:`\frac{\pi}{1-\pi} \ln\frac1\pi` for f = 1 and
    :math:`\frac{\pi}{(1-\pi)^2} (\pi \ln \pi + 1 - \pi)` for f = 2.

    Parameters
    ----------
    data : table of shape (n_records, n_features)
        The sample. A missing cell is a value of its own; pass a `class_table` for another
        treatment.
    quasi_identifiers : column, or list of columns
        What the attacker may know: names or positions; a name wins.
    fraction : float
        Records divided by people in the population, above 0 and up to 1; it must be known.

    Returns
    -------
    Series of shape (n_records,)
        Estimated probability of picking the right person; smaller is safer. Index of `data`;
        missing for records that a class table leaves out. With ``fraction=1`` it is 1/f.

    Notes
    -----
    The estimate assumes that people are sampled independently, and the (improper) prior 1/F,
    under which classes of 1 to 10 people are together as likely as those of 10 to 100. The
    relative error is below 1e-13.

    References
    ----------
    .. [1] R. Benedetti and L. Franconi, *Statistical and technological solutions for
       controlled data dissemination*, Pre-proceedings of New Techniques and Technologies for
       Statistics, 1998.
    .. [2] S. Polettini, *Some remarks on the individual risk methodology*, Joint ECE/Eurostat
       work session on statistical data confidentiality, 2003, equation 4.

    Examples
    --------
    (.1 / .9) ln 10 = .2558, and (.1 / .81) (.9 - .1 ln 10) = .0827:

    >>> sample = pd.DataFrame({"town": ["A", "A", "B"]})
    >>> individual_risk(sample, "town", fraction=0.1).round(4).tolist()
    [0.0827, 0.0827, 0.2558]
    """
    share = check_fraction(fraction)
    table = sample_classes(data, quasi_identifiers)
    size, place = np.unique(table.size, return_inverse=True)
    # scipy's function fails for large classes, for which the series needs few terms.
    n, f = np.arange(1, 80.0), size[:, None].clip(50)
    series = 1 + np.cumprod(n / (f + n) * (1 - share), axis=1).sum(axis=1)
    risk = share / size * np.where(size > 50, series, hyp2f1(1, 1, size + 1.0, 1 - share))
    if share < 1:
        risk[size == 1] = share * math.log(share) / (share - 1)  # 1 - share is rounded
    return table.per_record(risk[place], "risk")


# k-map


def k_map_threshold(k: int, *, fraction: float, significance: float) -> int:
    r"""The k′ for which k′-anonymity of a sample makes k-map of the population plausible.

    Of k people about :math:`\lambda = \pi k` are sampled. k′ is the least number with

    .. math:: P(f \ge k') \le \alpha

    for a Poisson number f of this mean. If a class has k′ records or more, the hypothesis that
    it has only k people is rejected at significance :math:`\alpha`. k′ is never above k,
    because f records come from at least f people.

    Parameters
    ----------
    k : int
        People who share the quasi-identifiers, at least 1.
    fraction : float
        Records divided by people in the population, above 0 and up to 1.
    significance : float
        Probability :math:`\alpha` of taking a class of k people for a larger one, between 0
        and 1; smaller is safer.

    Returns
    -------
    int
        Records, from 1 to k. With ``fraction=1`` it is k itself.

    Notes
    -----
    The threshold is an estimate: it assumes that people are sampled independently, and makes
    no statement about many classes at once. ARX requires one record more in the Poisson case.

    References
    ----------
    .. [1] K. El Emam and F. K. Dankar, *Protecting privacy using k-anonymity*, Journal of the
       American Medical Informatics Association 15(5), 2008 (estimator D3).
    .. [2] J. Pannekoek, *Statistical methods for some simple disclosure limitation rules*,
       Statistica Neerlandica 53(1), 1999.

    Examples
    --------
    With a mean of 10 x .1 = 1 record, P(f >= 4) is .019 and P(f >= 3) is .080:

    >>> k_map_threshold(10, fraction=0.1, significance=0.05)
    4
    >>> k_map_threshold(10, fraction=0.1, significance=0.1)
    3
    """
    k = check_number(k, "k", "[1, 1e15]", "people of a class", whole=True)
    share, alpha = check_fraction(fraction), _check_significance(significance)
    if share == 1:
        return k
    fewer = range(1, k)  # k records are k people
    return 1 + bisect_left(fewer, True, key=lambda f: gammainc(f, share * k) <= alpha)


def estimated_k_map(
    data: Table, quasi_identifiers: Columns = None, *, fraction: float, significance: float
) -> int:
    """Estimate the greatest k for which the sample's smallest class makes k-map plausible.

    Parameters
    ----------
    data, quasi_identifiers
        As for `individual_risk`.
    fraction, significance
        As for `k_map_threshold`. This function is its inverse: the greatest k whose k′ is at
        most the number of records of the smallest class.

    Returns
    -------
    int
        People, at least the smallest class of the sample; larger is safer. With
        ``fraction=1`` it is `k_anonymity`.

    References
    ----------
    .. [1] K. El Emam and F. K. Dankar, *Protecting privacy using k-anonymity*, Journal of the
       American Medical Informatics Association 15(5), 2008.

    Examples
    --------
    Four records in a sample of a tenth: classes of up to 13 people have so many records with
    probability at most .05 (.043 for 13, .054 for 14):

    >>> sample = pd.DataFrame({"town": ["A"] * 4})
    >>> estimated_k_map(sample, "town", fraction=0.1, significance=0.05)
    13
    """
    share, alpha = check_fraction(fraction), _check_significance(significance)
    f = int(sample_classes(data, quasi_identifiers).size.min())
    if share == 1:
        return f
    # P(records >= f) is the incomplete gamma function of f and the Poisson mean.
    k = int(gammaincinv(f, alpha) / share)
    return max(f, k - int(gammainc(f, share * k) > alpha))  # rounding may lift k by one


def _check_significance(significance: Any) -> float:
    """Return the probability of an error, for which there is no default."""
    return float(check_number(significance, "significance", "(0, 1)", "a probability"))
