"""Published numbers, and what the toolkit finds: one ledger for the tests and for a page.

A claim is a function that yields `Number`s; `tests/published/test_published.py` asserts each
of them, and `docs/replicators.md` lists them. `python docs/pages.py` writes that page anew.
"""

import functools
import itertools
import math
import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import toolkit as tk
from toolkit import datasets

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "replicators.md"
REAL = os.environ.get("PRIVACY_TOOLKIT_DATA", "")


IN_PRINT, RUN, COMPUTED = SOURCES = ("in print", "run", "computed here")
"""Sources: a page, a run of the tool that is named, or a second computation."""


class Number(NamedTuple):
    """One number beside ours; its source is that of its claim, unless it names one.

    Ours agrees if it rounds to the printed digits; if it is cut to them, where the source
    cuts; or if it differs by at most `within`. A number that is not reached says why.
    """

    where: str
    what: str
    printed: str
    found: float | str
    within: float | None = None
    cut: bool = False
    why: str = ""
    source: str = ""

    @property
    def value(self) -> float:
        return float(self.printed.replace(",", "").replace("∞", "inf").rstrip("%"))

    @property
    def places(self) -> int:
        return len(self.printed.rstrip("%").partition(".")[2])

    @property
    def reached(self) -> bool:
        """Whether ours is the printed number, in its digits."""
        if isinstance(self.found, str):
            return self.found == self.printed
        if math.isinf(self.value) or math.isinf(self.found):
            return self.found == self.value
        if self.within is not None:
            return abs(self.found - self.value) <= self.within
        found = self.found
        if self.cut:
            found = math.floor(found * 10**self.places) / 10**self.places
        return f"{found:.{self.places}f}" == f"{self.value:.{self.places}f}"

    @property
    def ours(self) -> str:
        """Ours with two digits more than printed, so that a reader sees how close it is."""
        if isinstance(self.found, str):
            return self.found
        if math.isinf(self.found):
            return "∞"
        if self.found == int(self.found) and not self.places:
            return f"{self.found:,.0f}" if "," in self.printed else f"{self.found:.0f}"
        return f"{self.found:.{max(self.places, min(self.places + 2, 10))}f}"

    @property
    def verdict(self) -> str:
        """Last cell of the number's line."""
        if not self.reached:
            return f"**not reached**: {self.why}"
        if self.within is not None:
            return f"reached, within {self.within:g}"
        return "reached, cut as the source cuts" if self.cut else "reached"


class Claim(NamedTuple):
    """Numbers of one source, and what it takes to find them."""

    name: str
    source: str
    notebook: str
    about: str
    numbers: Callable[[], list[Number]]
    needs: str
    origin: str
    counted: bool
    """Whether it could have failed: data that were tuned to the numbers test nothing."""

    def lines(self) -> list[Number]:
        """The numbers, each with its source."""
        return [
            number if number.source else number._replace(source=self.origin)
            for number in self.numbers()
        ]

    @property
    def available(self) -> bool:
        """Whether the files are there that the claim needs."""
        return not self.needs or os.path.exists(os.path.join(REAL or "nowhere", self.needs))


CLAIMS: dict[str, Claim] = {}


def claim(
    source: str,
    notebook: str,
    *,
    needs: str = "",
    origin: str = IN_PRINT,
    counted: bool = True,
):
    """Enter a function that yields numbers; its docstring is what the page says of them."""

    def enter(function: Callable[[], Iterator[Number]]):
        numbers = functools.cache(lambda: list(function()))
        name, about = function.__name__, " ".join((function.__doc__ or "").split())
        CLAIMS[name] = Claim(name, source, notebook, about, numbers, needs, origin, counted)
        return function

    return enter


def section(claim: Claim) -> str:
    """Section of the page: the claim's numbers, line by line."""
    test = f"tests/published/test_published.py::test_published_numbers[{claim.name}]"
    lines = [f"## {claim.source}", "", claim.about, ""]
    lines += [f"Asserted by `{test}`; taught in"]
    lines += [f"[{claim.notebook}](../notebooks/{claim.notebook}.ipynb)."]
    if claim.needs:
        lines += [f"**Needs a file that is not bundled** (`{claim.needs}`, see"]
        lines += ["[the datasheets](../data/DATASHEETS.md)); skipped without it."]
    lines += ["", "| where | what | source | number | ours | verdict |"]
    lines += ["|---|---|---|--:|--:|---|"]
    for number in claim.lines():
        cells = [number.where, number.what, number.source]
        cells += [number.printed, number.ours]
        cells.append(number.verdict if claim.counted else "not counted")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sections(page: str) -> dict[str, str]:
    """Sections of a page by their headings."""
    parts = page.split("\n## ")[1:]
    return {part.splitlines()[0]: f"## {part}" for part in parts}


def verdicts(part: str) -> list[str]:
    """Last cells of the numbers of a page or a section."""
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [line[:-2].rsplit(" | ", 1)[1] for line in lines if "| verdict |" not in line]


def counts(part: str) -> tuple[int, int]:
    """How many numbers of some sections count, and how many of them are reached."""
    counted = [verdict for verdict in verdicts(part) if verdict != "not counted"]
    return len(counted), sum(verdict.startswith("reached") for verdict in counted)


def totals(body: str) -> str:
    """Sentence and table that count the numbers of all sections."""
    lines = [f"| work | {' | '.join(SOURCES)} | reached |", "|---|--:|--:|--:|--:|"]
    parts = sections(f"\n{body}")
    for name, part in parts.items():
        numbers, reached = counts(part)
        from_each = [part.count(f" | {source} | ") for source in SOURCES]
        last = reached if numbers else "not counted"
        lines.append(f"| {name} | {' | '.join(map(str, from_each))} | {last} |")
    numbers, reached = counts("\n".join(parts.values()))
    shown = sum(len(verdicts(part)) for part in parts.values()) - numbers
    said = f"{numbers} numbers: {reached} reached, {numbers - reached} not reached; "
    said += f"each that is not says why. Another {shown} are shown and not counted: "
    said += "the stand-in they are computed on was tuned to them, so they test nothing.\n\n"
    return said + "\n".join(lines)


INTRODUCTION = """# For replicators

Every number of other people's work that the toolkit asserts, beside what it finds. The column
*source* says where a number comes from: *in print*, in the paper, tutorial or guide that the
section names; *run*, what the tool that the section names gives when it is run; *computed
here*, by a second computation that does not use the toolkit, such as mpmath or by hand. This
page is written by the tests' own code (`tests/published/ledger.py`), and a test fails if it
differs from what they find, so it cannot drift: `python docs/pages.py` writes it again. A
number is reached if ours rounds to its digits, unless its line says otherwise.

"""


def page(before: str = "") -> str:
    """The whole page; where a claim's files are missing, its section is kept from `before`."""
    kept = sections(before)
    parts = [
        section(claim) if claim.available else kept.get(claim.source, "").rstrip() + "\n"
        for claim in CLAIMS.values()
    ]
    body = "\n".join(parts)
    return f"{INTRODUCTION}{totals(body)}\n\n{body}"


# ---------------------------------------------------------------- personal information factors

PIFLIB = "piflib 0.1.1 (CSIRO's Data61, 2021)"
GAIN, SURPRISE = "01-cell-information-gain", "02-cell-surprise-factor"


def cells(where: str, measure: str, printed: str, table: pd.DataFrame) -> Iterator[Number]:
    """Numbers of a table, cell by cell."""
    rows = [line.split() for line in printed.strip().splitlines()]
    for (row, line), (column, name) in itertools.product(
        enumerate(rows), enumerate(table.columns)
    ):
        found = float(table.iloc[row, column])
        yield Number(where, f"{measure} of row {row}, {name}", line[column], found)


@claim(f"{PIFLIB}: information gain of seven people", GAIN, origin=RUN)
def cig_toy():
    """The tutorial's toy. It prints the gains with two digits; these are what piflib gives.

    The percentiles of the row sums are not in the tutorial.
    """
    cig = tk.cell_information_gain(datasets.load_cig_toy())
    where = "tutorial, CIG by example"
    printed = """
        0.2223924213 1.3073549221 1.8073549221
        0.2223924213 0.3073549221 0.4854268272
        0.5148736717 0.3073549221 0.4854268272
        0.2223924213 0.3073549221 0.4854268272
        0.2223924213 1.3073549221 0.1463908746
        0.2223924213 0.3073549221 0.1463908746
        0.5148736717 1.8073549221 0.4854268272"""
    yield from cells(where, "CIG (bits)", printed, cig)
    for n, pif in ((95, "3.1782682121"), (50, "1.3076554209")):
        found = tk.personal_information_factor(cig, n)
        yield Number(where, f"PIF_{n} (bits)", pif, found, source=COMPUTED)


@claim(f"{PIFLIB}: gain and surprise of nine records", SURPRISE, origin=RUN)
def csf_toy():
    """The second toy; the tutorial draws its cells without numbers, piflib gives these."""
    toy, where = datasets.load_csf_toy(), "tutorial, CSF by example"
    b, c = "1.0566416671 1.5849625007\n", "0.4624062518 0.6086468770\n"
    printed = "1.0566416671 0.0566416671\n0.4624062518 0.0566416671\n"
    printed += f"0.3774437511 0.0566416671\n{2 * b}{3 * c}0.3774437511 0.6086468770"
    yield from cells(where, "CIG (bits)", printed, tk.cell_information_gain(toy))
    b, c = "0.4444444444 0.6666666667\n", "0.3055555556 0.3055555556\n"
    printed = "0 0\n0.0833333333 0.1111111111\n0.1666666667 0.1111111111\n"
    printed += f"{2 * b}{3 * c}0.0555555556 0.0277777778"
    yield from cells(where, "CSF", printed, tk.cell_surprise_factor(toy))


@claim(f"{PIFLIB}: a given prior", GAIN, origin=RUN)
def given_prior():
    """Four people, and a census that says .51 and .49."""
    census = {"gender": {"male": 0.51, "female": 0.49}}
    people = datasets.load_people()
    gain = tk.cell_information_gain(people, priors=census)["gender"]
    for row, printed in enumerate(["0.000288597"] * 2 + ["0.971430848"] * 2):
        yield Number(
            "documentation", f"CIG of row {row}, gender (bits)", printed, float(gain.iloc[row])
        )


@claim(f"{PIFLIB}: the tables of the hackathon data", GAIN, counted=False)
def hackathon():
    """The 140 numbers of the tutorials' `describe()` tables.

    The real table is not bundled, and ours are the numbers of a stand-in whose seeds were
    chosen on the printed ones. Agreement is therefore not a test, and a difference is not a
    fault of the metric.
    """
    people = datasets.load_hackathon()
    people["job"] = people["job"].fillna("Unemployed")
    tables = {6: people, 4: people.drop(columns=["job", "POSTCODE"])}
    measures = {"CIG": tk.cell_information_gain, "CSF": tk.cell_surprise_factor}
    found = {
        key: measures[key[0]](tables[key[1]]).describe()
        for key in itertools.product(measures, tables)
    }
    for line in datasets.load_hackathon_published().itertuples():
        where = f"{line.measure}, {line.columns} columns"
        what = f"{line.statistic} of {line.feature}"
        ours = float(found[line.measure, line.columns].loc[line.statistic, line.feature])
        yield Number(where, what, f"{line.value:.6f}", ours, why="a stand-in")


# ---------------------------------------------------------------- anonymity and disclosure


@claim("Li, Li & Venkatasubramanian 2007: t-closeness", "05-attribute-disclosure")
def salaries():
    """Nine salaries of 3k to 11k in classes of three, by the ordered distance."""
    pay = {"3, 4, 5": [3, 4, 5], "6, 8, 11": [6, 8, 11], "7, 9, 10": [7, 9, 10]}
    data = pd.DataFrame(
        [(name, 1000 * value) for name, values in pay.items() for value in values],
        columns=["class", "pay"],
    )
    distances = tk.t_closeness_by_class(data, "class", "pay", kind="ordered")
    for name, printed in (("3, 4, 5", "0.375"), ("6, 8, 11", "0.167")):
        yield Number(
            "ordered distance", f"class {{{name}}} thousand", printed, distances[name]
        )


@claim("k-map and δ-presence on fifteen people", "05-attribute-disclosure", origin=COMPUTED)
def k_map_toy():
    """Five of five people of one class, and one of ten of another, are in the sample.

    The measures are those of El Emam & Dankar 2008 and of Nergiz et al. 2007.
    """
    people = pd.DataFrame({"zip": [1] * 5 + [2] * 10})
    sample = people.iloc[:6]
    yield Number("worked example", "k-map", "5", tk.k_map(sample, people, "zip"))
    presence = tk.delta_presence(sample, people, "zip")
    yield Number("worked example", "largest δ", "1.0", presence.upper)


ARX_COLUMNS = [
    *["sex", "age", "race", "marital-status"],
    *["education", "native-country", "workclass", "occupation"],
]


@claim(
    "ARX: optimal generalisations of UCI Adult",
    "04-k-anonymity",
    needs="arx_adult",
    origin=RUN,
)
def arx():
    """The 30,162 complete rows, eight quasi-identifiers, k = 5; UCI's file is needed too.

    The loss is ARX's (generalisation and suppression weigh alike, geometric mean), and so are
    the hierarchies.
    """
    data = datasets.load_adult("uci")
    data = data[data.notna().all(axis=1)]
    folder = os.path.join(REAL, "arx_adult")
    trees = {
        name: tk.read_hierarchy(f"{folder}/adult_hierarchy_{name}.csv") for name in ARX_COLUMNS
    }
    for limit, levels, score, suppressed in (
        (0.0, "0 4 0 2 3 2 2 1", "0.5915849773198221", "0"),
        (0.05, "0 3 0 0 1 1 1 2", "0.2518517151856563", "1458"),
    ):
        asked = {"k": 5, "suppression_limit": limit}
        best = tk.optimal_generalisation(data, ARX_COLUMNS, trees, **asked)
        where = f"suppression of at most {limit:.0%}"
        found = " ".join(map(str, best.levels.values()))
        yield Number(where, "levels, in the order above", levels, found)
        yield Number(where, "loss", score, best.loss, within=1e-9)
        yield Number(where, "records suppressed", suppressed, len(best.suppressed))


# ---------------------------------------------------------------- de-identification

CHAPTER = "Adomavicius & Yang, Responsible AI for Data Scientists, Privacy Mechanisms"
UCI = os.path.join("uci_adult", "adult.data")


@claim(f"{CHAPTER}: its attack, on UCI Adult", "03-de-identification", needs=UCI)
def adult():
    """The chapter's own file is not to be had here; UCI's, which it is made from, is.

    It joins invented names and birth dates to UCI's rows, two further up; all but age is the
    same. Where a number depends on age, the chapter's is not reached; the lines of "UCI Adult"
    were counted apart from this package.
    """
    data = datasets.load_adult("uci")
    gain, place = "capital-gain", ["workclass", "native-country"]
    here = (data[place] == ["State-gov", "United-States"]).all(axis=1)
    fits = data[here & (data["age"] == 35)]
    why = "the chapter's ages come from its invented birth dates"
    yield Number("chapter", "records that fit (35, State-gov)", "19", len(fits), why=why)
    gains = sorted(fits.loc[fits[gain] > 0, gain])
    yield Number("chapter", "of them with a capital gain", "1", len(gains), why=why)
    yield Number(
        "UCI Adult", "records that fit (35, State-gov)", "30", len(fits), source=COMPUTED
    )
    yield Number(
        "UCI Adult", "gains of those who have one", "2977 7298", joined(gains), source=COMPUTED
    )
    decade = data[here & data["age"].between(31, 40)]
    yield Number(
        "UCI Adult", "records that fit at (30, 40]", "331", len(decade), source=COMPUTED
    )
    having = int((decade[gain] > 0).sum())
    yield Number("UCI Adult", "of them with a capital gain", "30", having, source=COMPUTED)
    rows = [4153, 7023, 8253, 8390, 11820, 12622, 15317, 18217, 20285, 24319]
    printed = ["1506", "7688", "7430", "2977", "5455"]
    printed += ["15024", "7688", "4386", "99999", "7688"]
    gains = data.loc[np.array(rows) - 2, gain]
    for row, text, value in zip(rows, printed, gains, strict=True):
        yield Number("chapter, (30, 40]", f"capital gain of its row {row}", text, value)
    few = ["age", "sex", "race", "native-country"]
    alone = round(tk.unique_share(data, few) * len(data))
    yield Number(
        "UCI Adult", "rows unique in age, sex, race, country", "1330", alone, source=COMPUTED
    )
    share = 100 * tk.unique_share(data, few)
    yield Number("UCI Adult", "the same as a share", "4.08%", share, source=COMPUTED)
    share = 100 * tk.unique_share(data, ["age", "fnlwgt"])
    yield Number("UCI Adult", "rows unique in age and fnlwgt", "80.6%", share, source=COMPUTED)
    crowds = data.assign(decade=(data["age"] - 1) // 10)  # such as (30, 40]
    crowds = crowds.groupby(["decade", "sex", "education-num"])["income"]
    crowds = crowds.agg(["size", "nunique"])
    alike = crowds[(crowds["size"] >= 5) & (crowds["nunique"] == 1)]
    what = "classes of 5 or more that share one income (age cut at decades, sex, education)"
    yield Number("UCI Adult", what, "58", len(alike), source=COMPUTED)
    yield Number(
        "UCI Adult", "rows in them", "3004", int(alike["size"].sum()), source=COMPUTED
    )


def joined(values) -> str:
    """Whole numbers, one after another."""
    return " ".join(f"{value:.0f}" for value in values)


# ---------------------------------------------------------------- differential identifiability

LEE = "Lee & Clifton 2012, Differential identifiability"
PAPER, REPLICATED = "10-differential-identifiability", "11-replicating-a-paper"
TOY = [2, 4, 5, 6, 7, 8, 9, 10]


def toy(query: str) -> pd.Series:
    """Outputs of the paper's worlds: 1 and 3 are known, one more of 1 to 10 is not."""
    return tk.possible_outputs(tk.possible_worlds([1, 3], TOY), query)


@claim(f"{LEE}: its examples", PAPER)
def examples():
    """Section 4's toy, the densities of section 3.5, and the policy of the introduction.

    More digits than in print are computed with mpmath.
    """
    third, mean = 1 / 3, toy("mean")
    yield Number("introduction", "1 of 68, as ρ", "1.5%", 100 / 68)
    scale = tk.scale_bound(8 / 3, third, 8)
    yield Number("section 4", "S of the median", "1", float(np.ptp(toy("median"))))
    bound, here = tk.epsilon_bound(third, 8), {"source": COMPUTED}
    yield Number("section 4", "ε of the bound, ρ = 1/3", "1.252762968495", bound, **here)
    yield Number("section 4", "λ of the mean, ρ = 1/3", "2.128628267061", scale, **here)
    risk = tk.disclosure_risk(mean, scale)
    yield Number("section 4", "risk at that λ", "0.2294", risk)
    yield Number("section 4", "risk at that λ", "0.229438269517", risk, **here)
    for rho, query, printed in (
        (0.15, "mean", "0.344007"),
        (0.15, "std", "0.371693"),
        (0.15, "var", "0.311110"),
        (third, "mean", "2.249596594584"),
        (third, "std", "2.586570354627"),
        (third, "var", "2.026693607247"),
        (0.9, "mean", "10.115656"),
        (0.9, "std", "15.267451"),
        (0.9, "var", "10.018995"),
    ):
        epsilon = tk.tight_epsilon(toy(query), rho)
        what = f"exact ε of the {query}, ρ = {rho:.3g}"
        yield Number("section 4", what, printed, epsilon, **here)
    for rho, printed in ((0.2, "0.1671562618"), (0.5, "0.3004287961"), (0.9, "0.5391704450")):
        risk = tk.disclosure_risk(mean, tk.scale_bound(8 / 3, rho, 8))
        what = f"actual risk at ρ = {rho}, of which a curve is in print"
        yield Number("Figure 1, mean", what, printed, risk, **here)
    outputs = tk.possible_outputs(tk.possible_worlds([1, 2, 3], [4, 5, 10]), "mean")
    scale = (9 / 4) / 2
    densities = np.exp(-np.abs(5.041 - outputs) / scale) / (2 * scale)
    for added, printed, density in zip(
        (4, 5, 10), ("0.0464", "0.0580", "0.1762"), densities, strict=True
    ):
        yield Number("section 3.5", f"density of the world with {added}", printed, density)
    belief = tk.world_posterior(outputs, 5.041, scale).max()
    yield Number("section 3.5", "confidence in the likeliest", "0.6278", belief)


@claim(f"{LEE}: Tables 2 and 3", REPLICATED)
def tables_2_and_3():
    """The eight worlds with their means and medians, and the bounds of Adult's columns."""
    means = ("2", "8/3", "3", "10/3", "11/3", "4", "13/3", "14/3")
    for world, printed in enumerate(means):
        found = str(Fraction(toy("mean").iloc[world]).limit_denominator(10))
        yield Number("Table 2", f"mean of world {world + 1}", printed, found)
    for world, found in enumerate(toy("median")):
        printed = "2" if world == 0 else "3"
        yield Number("Table 2", f"median of world {world + 1}", printed, float(found))
    facts = datasets.load_adult_facts().set_index("column")
    bounds = {"upper": (90, 16, 99999, 4356, 99), "lower": (17, 1, 0, 0, 1)}
    for end, printed_all in bounds.items():
        for column, printed in zip(facts.index, printed_all, strict=True):
            found = float(facts.loc[column, end])
            yield Number("Table 3", f"{end} bound, {column}", str(printed), found)


@claim(f"{LEE}: Table 4 and Figures 2 to 4", REPLICATED)
def table_4():
    """Adult's five numeric columns; sums and ranges of UCI's file are bundled.

    The ranges of the standard deviation are those of the data set, as everywhere in the
    paper; no single definition gives all five that the table prints. Its scales follow from
    the ranges as they are printed. The table's sixty noisy responses cannot be reproduced.
    """
    facts = datasets.load_adult_facts().set_index("column")
    for line in datasets.load_identifiability_published().itertuples():
        fact = facts.loc[line.column]
        printed = "∞" if math.isinf(line.value) else f"{line.value:.{line.places}f}"
        found, extra = table_4_value(line.query, line.quantity, fact)
        what = f"{line.quantity} of the {line.query}, {line.column}"
        yield Number("Table 4", what, printed, found, **extra)
    for column, stop in zip(facts.index, ("7", "4", "17", "13", "7"), strict=True):
        m = worlds(facts.loc[column])
        first = next(k for k in range(1, 40) if 2.0**-k <= 1 / m)
        yield Number(
            "Figures 2 to 4", f"first infeasible k of ρ = 2^-k, {column}", stop, first
        )
    labels = {
        "capital-gain": ("11.513", "8.805", "6.669", "4.582", "2.502", "0.423"),
        "capital-loss": ("8.379", "5.671", "3.535", "1.449"),
    }
    for column, printed_all in labels.items():
        for k, printed in zip(itertools.count(1, 3), printed_all, strict=False):
            found = tk.epsilon_bound(2.0**-k, worlds(facts.loc[column]))
            yield Number("Figure 3", f"label ε at ρ = 2^-{k}, {column}", printed, found)


def worlds(fact) -> int:
    """Number of values that a record may hold in the column."""
    return int(fact["upper"] - fact["lower"]) + 1


def table_4_value(query: str, quantity: str, fact) -> tuple[float, dict]:
    """Our number for a cell of Table 4, and how it agrees or why it does not."""
    n = int(fact["records"])
    if quantity == "answer":
        return fact[query], {"cut": True}
    if query == "std" and quantity != "range":
        published = datasets.load_identifiability_published()
        same = (published["query"] == "std") & (published["column"] == fact.name)
        printed = published.loc[same & (published["quantity"] == "range"), "value"].item()
        return scale_or_infinity(printed, quantity, fact), {}
    if query == "std":
        why = "no one definition of the range gives all five that are printed"
        return local_std_range(fact), {"cut": True, "why": why}
    width = tk.global_sensitive_range("mean", n, fact["lower"], fact["upper"])
    if quantity == "range":
        return width, {}
    return scale_or_infinity(width, quantity, fact), {}


def scale_or_infinity(width: float, quantity: str, fact) -> float:
    """Scale at the policy that a quantity names; infinite where no noise reaches it."""
    policy = float(quantity.split()[-1])
    return (
        tk.scale_bound(width, policy, worlds(fact)) if policy * worlds(fact) > 1 else math.inf
    )


def local_std_range(fact) -> float:
    """Range of the standard deviation if any value may stand for one of the least ones."""
    n, low, high = int(fact["records"]), int(fact["lower"]), int(fact["upper"])
    total = int(fact["total"]) - low
    around = int(fact["squares"]) - low**2 - total**2 / (n - 1)
    known = tk.Moments(n - 1, total / (n - 1), around)
    return tk.sensitive_range("std", known, np.arange(low, high + 1), ddof=1)


@claim("Its public replication (gonzalo-munillag/Blog)", REPLICATED, origin=RUN)
def replication():
    """The tight ε of the toy's mean, by the replication's search and by ours."""
    why = "its search ends at a tolerance of 1e-4; the root of 1 + x² + … + x⁸ = 3 is ours"
    found = tk.tight_epsilon(toy("mean"), 1 / 3)
    yield Number("notebook", "tight ε of the mean, ρ = 1/3", "2.249591", found, why=why)


# Beliefs in the paper's Tables 2 and 3: a row for each ε, the world without Terry first.
EPSILONS_2011 = (5, 2, 1, 0.5, 0.1, 0.01)
TABLE_2_2011 = """0.9705 0.0159 0.0087 0.0049
0.5519 0.1859 0.1463 0.1159
0.4596 0.2019 0.1791 0.1594
0.3477 0.2305 0.2171 0.2048
0.2328 0.2527 0.2558 0.2588
0.2482 0.2503 0.2506 0.2509"""
TABLE_3_2011 = """0.9705 0.0158 0.0088 0.0049
0.6825 0.1315 0.1039 0.0821
0.4596 0.2017 0.1793 0.1594
0.3477 0.2303 0.2172 0.2048
0.2680 0.2469 0.2440 0.2411
0.2518 0.2497 0.2494 0.2491"""


@claim("Lee & Clifton 2011, How much is enough?", "further/how-much-is-enough")
def choosing():
    """Pupils with school years 1, 2, 3, 4 and absences 1, 2, 3, 10; a world leaves one out.

    Read in the paper; what only its public replication (gonzalo-munillag/Blog) prints is a
    run. Table 3 is that of the response 2. Table 2 is that of the means as Figure 1 has them,
    rounded to two decimals; its responses (2, 2.3944, 2, 2, 5, 5) are inferred. The ratio is
    of the chances of a response above 3.1677, with all four pupils and without Terry.
    """
    pupils = {"school year": [1, 2, 3, 4], "absences": [1, 2, 3, 10]}
    steps = {"mean": [5 / 6, 17 / 6], "median": [1, 4]}  # change by one record less
    printed = {
        "mean": ["0.337887590090", "0.382939268769"],
        "median": ["0.405465108108", "1.621860432433"],
    }
    for query, (place, column) in itertools.product(steps, enumerate(pupils)):
        outputs = tk.possible_outputs(list(itertools.combinations(pupils[column], 3)), query)
        bound = steps[query][place] / float(np.ptp(outputs)) * tk.epsilon_bound(1 / 3, 4)
        what = f"ε of the {query}, {column}, ρ = 1/3"
        yield Number("bound", what, printed[query][place], bound, source=COMPUTED)
        shown = {("mean", 0): "0.3379", ("mean", 1): "0.3829", ("median", 1): "1.6219"}
        if (query, place) in shown:
            yield Number("bound", what, shown[query, place], bound)
    noise = tk.LaplaceNoise(17 / 12)
    for digits, lower, known in (("3.2933", 0.8323, IN_PRINT), ("3.29298", 0.832, COMPUTED)):
        found = noise.cdf(lower) / noise.cdf(-1.1677)
        what = f"ratio of two chances, limits −{lower} and 1.1677"
        yield Number("section 4.1", what, digits, found, source=known)
    outputs = tk.possible_outputs(list(itertools.combinations([1, 2, 3, 10], 3)), "mean")
    belief = tk.world_posterior(outputs, 2.2013, (17 / 6) / 2)
    densities = [noise.pdf(2.2013 - output) for output in outputs]
    for world, printed_one in enumerate(["0.3062", "0.0784", "0.0619", "0.0489"]):
        what = f"density of world {world}, response 2.2013, ε = 2"
        yield Number("section 4.4", what, printed_one, densities[world])
    why = "a misprint: two digits are exchanged, and .3062 stands below it"
    yield Number("section 4.4", "numerator of the belief", "0.3602", densities[0], why=why)
    yield Number("section 4.4", "belief in the likeliest world", "0.6180", belief.iloc[0])
    rounded = [round(output, 2) for output in outputs]
    tables = {"Table 2": (TABLE_2_2011, rounded, (2, 2.3944, 2, 2, 5, 5))}
    tables["Table 3"] = (TABLE_3_2011, list(outputs), (2,) * 6)
    for where, (text, means, responses) in tables.items():
        lines = zip(text.splitlines(), EPSILONS_2011, responses, strict=True)
        for line, epsilon, response in lines:
            found_ones = tk.world_posterior(means, response, (17 / 6) / epsilon)
            for world, printed_one in enumerate(line.split()):
                what = f"belief in world {world}, ε = {epsilon}"
                yield Number(where, what, printed_one, found_ones.iloc[world])
    sure = {e: tk.disclosure_risk(outputs, (17 / 6) / e) - 1 / 4 for e in (0.5, 5)}
    yield Number("section 4.4", "confidence, ε = .5", "0.0977", sure[0.5])
    why = "a misprint: .9705 − .25 is .7205"
    yield Number("section 4.4", "confidence, ε = 5", "0.7705", sure[5], why=why)
    school = tk.possible_outputs(list(itertools.combinations([1, 2, 3, 4], 3)), "mean")
    seen = tk.world_posterior(school, 2.2013, (5 / 6) / 2)
    yield Number("section 4.4", "belief in Terry, school year", "0.3390", seen.iloc[0])
    risk = tk.disclosure_risk(school, (5 / 6) / 0.5)
    yield Number("section 5.2", "exact risk of the school year, ε = .5", "0.3292", risk)
    ran = {"source": RUN}  # printed by the replication's cells, and not in print
    seen = tk.world_posterior(school, 2.20131, (5 / 6) / 2)
    for world, printed_one in enumerate(["0.338988", "0.400316", "0.179873", "0.080822"]):
        what = f"posterior of world {world}, answer 2.20131, ε = 2"
        yield Number("school year", what, printed_one, seen.iloc[world], **ran)
    for column, ratio, bound, exact in (
        ("school year", 6 / 5, "0.786068", "0.525150"),
        ("absences", 18 / 17, "0.734785", "0.431720"),
    ):
        yield Number(
            "bound", f"risk at ε = 2, {column}", bound, tk.risk_bound(2 * ratio, 4), **ran
        )
        outputs = tk.possible_outputs(list(itertools.combinations(pupils[column], 3)), "mean")
        found = tk.tight_epsilon(outputs, 1 / 3) / ratio
        yield Number("search", f"exact ε of the mean, {column}", exact, found, **ran)
    for world, printed_one in ((1, "0.5"), (2, "4"), (3, "3.5"), (4, "3.5")):
        left = [a for a in (1, 2, 3, 10) if a != (10, 3, 2, 1)[world - 1]]
        moved = max(
            abs(np.median(left) - np.median(two)) for two in itertools.combinations(left, 2)
        )
        yield Number("Table 4", f"local sensitivity of the median, {left}", printed_one, moved)
    yield Number("section 6", "Δf of the mean of the absences", "2.83", 17 / 6)
    middle = tk.possible_outputs(list(itertools.combinations([1, 2, 3, 10], 3)), "median")
    tight = 4 / float(np.ptp(middle)) * tk.tight_epsilon(middle, 1 / 3)
    what = "exact ε of the median, absences, ρ = 1/3"
    why = "a misprint: 4 ln 2 is 2.7726, and at 2.776 the belief passes 1/3"
    yield Number("section 6", what, "2.776", tight, why=why)
    yield Number("section 6", what, "2.772589", tight, **ran)


# ---------------------------------------------------------------- differential privacy


@claim(
    "Dwork & Roth 2014, and Balle & Wang 2018: mechanisms",
    "further/other-noise",
    origin=COMPUTED,
)
def mechanisms():
    """What the theorems give in numbers, computed with mpmath."""
    yield Number(
        "randomised response",
        "ε of p = 3/4 (ln 3)",
        "1.098612",
        tk.RandomisedResponse.for_probability(0.75).epsilon,
    )
    width = tk.LaplaceNoise.for_epsilon(1, 1).accuracy(0.05)
    yield Number("Laplace", "width at α = .05, ε = 1", "2.9957", width)
    yield Number("Gauss", "δ(1) at σ = 1", "0.12694", tk.gaussian_delta(1, 1, 1))
    yield Number("Gauss, analytic", "σ for (1, 1e-5)", "3.7306", tk.gaussian_scale(1, 1, 1e-5))
    spent = tk.advanced_composition(0.1, 500, 1e-5)
    yield Number("advanced composition", "ε of 500 times .1, δ = 1e-5", "15.99", spent.epsilon)


# ---------------------------------------------------------------- private histograms

HISTOS = "PrivacyHistos (2021)"
HISTOGRAMS = "09-private-histograms"


@claim(f"{HISTOS}: its noise", HISTOGRAMS)
def noise():
    """Scale = (records per individual × histograms + population queries) / ε."""
    yield Number(
        "README",
        "numerator, 3 records, 3 histograms, 2 queries",
        "11",
        tk.histogram_scale(3, 3, 2, 1.0),
    )
    yield Number(
        "guide, Detroit",
        "scale, 1 record, 4 histograms, 1 query, ε = 1",
        "5",
        tk.histogram_scale(4, 1, 1, 1.0),
    )


@claim(f"{HISTOS}: the taxi table", HISTOGRAMS, needs=os.path.join("privacy_histos"))
def taxi():
    """Codes of ten rows and numbers of bins, as its README prints them."""
    table, (combos, bins, domain) = (
        datasets.load_taxi(),
        datasets.load_histogram_settings("taxi"),
    )
    df, *_ = tk.pre_process(table, combos, bins, domain=domain)
    printed = {
        "spd": "1007600 1000808 1000808 1000806 1000824 1192843 1194346 1195000 1194250"
        " 1195028",
        "cp": "1271 1270 1270 1271 1271 1270 1270 1270 1270 1270",
        "fare": "19172510 12101810 11101310 12111710 12111510 11102810 11101310 11104110"
        " 11102310 11104010",
    }
    rows = [*range(5), *range(211, 216)]
    for name, codes in printed.items():
        for row, code in zip(rows, codes.split(), strict=True):
            yield Number("README", f"code of row {row}, {name}", code, int(df[name].iloc[row]))
    for name, count in zip(combos, ("198", "3", "90"), strict=True):
        yield Number("README", f"bins of {name}", count, df[name].nunique())


@claim(f"{HISTOS}: the Detroit table", HISTOGRAMS, needs="privacy_histos", origin=RUN)
def detroit():
    """Numbers of bins that occur, as its code counts them (8e9684d, run in November 2026)."""
    table, settings = datasets.load_detroit(), datasets.load_histogram_settings("detroit")
    combos, bins, domain = settings
    seen = {name: sorted(set(table[name])) for name in table if name.endswith("_c")}
    df, *_ = tk.pre_process(table, combos, bins, domain=seen | domain)
    for name, count in zip(combos, ("6338", "20", "7530", "4019"), strict=True):
        yield Number("histo_test", f"bins of {name}", count, df[name].nunique())
