"""Make adult_standin.csv.gz, a stand-in of UCI Adult sampled from noisy tables of counts.

    PRIVACY_TOOLKIT_DATA=DIR python data/make_adult.py [OUT]

The recipe is that of a differentially private synthetic table:

1. Columns, values and bounds come from the codebook (adult.names), not from the rows.
2. NETWORK says, before any row is read, which column is drawn given which others.
3. For each column one table of counts (parents x column) is measured with two-sided geometric
   noise. A person is in one cell of the table, so with or without that person (add/remove
   neighbours) the counts differ by one in one cell, and noise P(k) ~ exp(-epsilon |k|) costs
   `epsilon`.
4. All that follows (cutting small cells, falling back on coarser tables, sampling) sees noisy
   counts only and costs nothing. The file costs the sum of the epsilons, see `epsilon_spent`.

Seed and source are public, so anyone can take the noise away again: the file made here
carries no privacy claim. It shows how the mechanism works; with a secret seed and exact
arithmetic, the mechanism would be epsilon-differentially private. The number of rows is public
and is kept.

Order, views and the split of epsilon come from public knowledge and from trials on UCI's test
half, whose people are not in the training file measured here. The parents of income and hours
are found by the rule of choose_parents.py, which reads the test half only. (They replace
parents that were chosen after drafts had been compared with the training file.) So nothing in
NETWORK is taken from the training file, and the sum covers every table measured on it.

Made with NumPy 2.4 and pandas 3.1; see stream.py for why other releases give the same file.
"""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from stream import Stream, recipe, save

from toolkit.datasets import load_adult

SEED = 1994
ROWS = 32_561
PACK = 32  # bits of the second of two packed whole numbers
Codes = dict[str, NDArray[np.int64]]

# --- The domain, from adult.names: values in the order of the codebook, "?" is unknown ---

EDUCATION = (  # in the order of education-num, 1 to 16
    "Preschool, 1st-4th, 5th-6th, 7th-8th, 9th, 10th, 11th, 12th, HS-grad, Some-college, "
    "Assoc-voc, Assoc-acdm, Bachelors, Masters, Prof-school, Doctorate"
)
LATIN_AMERICA = (
    "Mexico, Guatemala, El-Salvador, Honduras, Nicaragua, Dominican-Republic, Haiti, Jamaica, "
    "Puerto-Rico, Cuba, Ecuador, Peru, Columbia, Trinadad&Tobago, Outlying-US(Guam-USVI-etc)"
)
ASIA = (
    "Cambodia, China, Hong, India, Iran, Japan, Laos, Philippines, South, Taiwan, Thailand, "
    "Vietnam"
)
EUROPE_AND_CANADA = (
    "Canada, England, France, Germany, Greece, Holand-Netherlands, Hungary, Ireland, Italy, "
    "Poland, Portugal, Scotland, Yugoslavia"
)
CATEGORIES = {
    column: values.split(", ")
    for column, values in {
        "workclass": "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, "
        "State-gov, Without-pay, Never-worked, ?",
        "education": EDUCATION,
        "marital-status": "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, "
        "Married-spouse-absent, Married-AF-spouse",
        "occupation": "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, "
        "Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, "
        "Transport-moving, Priv-house-serv, Protective-serv, Armed-Forces, ?",
        "relationship": "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
        "race": "White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black",
        "sex": "Female, Male",
        "native-country": f"United-States, {LATIN_AMERICA}, {ASIA}, {EUROPE_AND_CANADA}, ?",
        "income": "<=50K, >50K",
    }.items()
}
AGES = np.arange(17, 91)  # 90 stands for 90 or more

# Bands are half-open, [edge, next edge): from the bound of the domain to just above it.
THOUSANDS = (
    *(0, 20, 25, 30, 35, 40, 50, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225),
    *(250, 275, 300, 350, 400, 500, 600, 800, 1500),
)
FNLWGT_EDGES = [1_000 * k for k in THOUSANDS]
GAIN_EDGES = [0, 1, *range(2000, 6001, 1000), 7500, 10_000, 15_000, 20_000, 99_999, 100_000]
LOSS_EDGES = [0, 1, 1400, 1600, 1800, 1950, 2100, 2300, 2500, 4357]
HOUR_EDGES = [1, 10, 20, 21, 30, 31, 35, 36, 40, 41, 45, 46, 50, 51, 60, 61, 80, 100]
WIDE = {
    "fnlwgt": FNLWGT_EDGES,
    "capital-gain": GAIN_EDGES,
    "capital-loss": LOSS_EDGES,
    "hours-per-week": HOUR_EDGES,
}

# Coarser views of a column, used as parents only.
AGE_EDGES = {
    "age in 13": [18, 20, 22, 25, 30, 35, 40, 45, 50, 55, 60, 65],
    "age in 8": [20, 25, 30, 37, 45, 55, 65],
    "age in 6": [22, 27, 35, 45, 60],
    "age in 4": [23, 30, 60],
}


class View(NamedTuple):
    """A coarser view: the column it comes from, and the group of each of its codes."""

    column: str
    groups: NDArray[np.int64]


def grouped(column: str, *groups: str) -> View:
    """Group values that are named together; all others are the last group."""
    of = {value: i for i, names in enumerate(groups) for value in names.split(", ")}
    return View(column, np.array([of.get(v, len(groups)) for v in CATEGORIES[column]]))


VIEWS = {
    **{name: View("age", np.digitize(AGES, edges)) for name, edges in AGE_EDGES.items()},
    # Groups of the Census Bureau's tables of income by education, the two rarest as one.
    "schooling": grouped(
        "education",
        "Preschool, 1st-4th, 5th-6th, 7th-8th",
        "9th, 10th, 11th, 12th",
        "HS-grad",
        "Some-college",
        "Assoc-voc, Assoc-acdm",
        "Bachelors",
        "Masters",
    ),
    "married": grouped(
        "marital-status", "Married-civ-spouse, Married-AF-spouse", "Never-married"
    ),
    "region": grouped("native-country", "United-States", LATIN_AMERICA, ASIA, "?"),
    "any gain": View("capital-gain band", np.minimum(np.arange(len(GAIN_EDGES) - 1), 1)),
}

# --- The network: fixed before the training file is read, see the top of this file ---


class Node(NamedTuple):
    """A column, the columns it is drawn given (the last is dropped first), cost and reason."""

    column: str
    given: tuple[str, ...]
    epsilon: float
    why: str


NETWORK = [
    Node(node["column"], tuple(node["given"]), node["epsilon"], node["why"])
    for node in recipe("network.toml")["node"]
]
# Gains, losses and hours pile up on single numbers: each is counted, by income.
VALUE_EPSILON = {"capital-gain": 0.4, "capital-loss": 0.4, "hours-per-week": 0.2}
# Weights repeat: distinct weights, and distinct pairs of age and weight, are counted.
DISTINCT_EPSILON = 0.05


def epsilon_spent() -> dict[str, float]:
    """Cost of every release; by sequential composition the file costs their sum."""
    spent = {node.column: node.epsilon for node in NETWORK}
    spent |= {f"{column} amounts": epsilon for column, epsilon in VALUE_EPSILON.items()}
    return spent | {
        "fnlwgt distinct": DISTINCT_EPSILON,
        "fnlwgt, age distinct": DISTINCT_EPSILON,
    }


# --- Codes: every column as integers from 0 ---


def sizes() -> dict[str, int]:
    """Number of codes of each column and view."""
    size = {column: len(values) for column, values in CATEGORIES.items()}
    size["age"] = AGES.size
    size |= {f"{column} band": len(edges) - 1 for column, edges in WIDE.items()}
    size |= {column: edges[-1] for column, edges in WIDE.items()}
    return size | {name: int(view.groups.max()) + 1 for name, view in VIEWS.items()}


SIZES = sizes()


def encode(data: pd.DataFrame) -> Codes:
    """Codes of the rows; numbers outside the public bounds are clamped to them."""
    codes = {}
    for column, values in CATEGORIES.items():
        codes[column] = pd.Index(values).get_indexer(data[column].fillna("?"))
    codes["age"] = data["age"].clip(AGES[0], AGES[-1]).to_numpy() - AGES[0]
    for column, edges in WIDE.items():
        codes[column] = data[column].clip(edges[0], edges[-1] - 1).to_numpy()
        codes[f"{column} band"] = np.digitize(codes[column], edges[1:])
    return codes


def decode(codes: Codes, columns: list[str]) -> pd.DataFrame:
    """Rows in UCI's columns; education-num follows education by the codebook."""
    data = {column: np.array(values)[codes[column]] for column, values in CATEGORIES.items()}
    data |= {column: codes[column] for column in WIDE}
    data |= {"age": AGES[codes["age"]], "education-num": codes["education"] + 1}
    return pd.DataFrame(data)[columns]


def look_up(codes: Codes, name: str) -> NDArray[np.int64]:
    """Codes of a column or of a coarser view of it."""
    if name not in VIEWS:
        return codes[name]
    return VIEWS[name].groups[codes[VIEWS[name].column]]


def cell(codes: Codes, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Position of every row in the flattened table of the named columns."""
    if not names:
        return np.zeros(1, int)
    shape = [SIZES[name] for name in names]
    return np.ravel_multi_index([look_up(codes, name) for name in names], shape)


# --- Measuring, and what follows from the noisy counts ---


def noisy_counts(
    codes: Codes, names: tuple[str, ...], epsilon: float, stream: Stream
) -> NDArray[np.int64]:
    """Counts of all cells of the domain, plus two-sided geometric noise."""
    shape = tuple(SIZES[name] for name in names)
    counts = np.bincount(cell(codes, names), minlength=math.prod(shape)).reshape(shape)
    return counts + stream.geometric_noise(epsilon, shape)


def conditional(counts: NDArray[np.int64], epsilon: float) -> NDArray[np.float64]:
    """Distribution of the last axis given the others, from noisy counts.

    Cells below two noise scales are cut. To each row one noise scale of records is added in
    the proportions of the table without its last parent, so rows with few records lean on it.
    """
    scale = 1 / epsilon
    kept = np.where(counts > 2 * scale, counts, 0).astype(float)
    if counts.ndim == 1:
        return kept / kept.sum()
    coarser = conditional(counts.sum(axis=-2), epsilon)[..., np.newaxis, :]
    kept = kept + scale * coarser
    return kept / kept.sum(axis=-1, keepdims=True)


def draw(
    weights: NDArray[np.float64], first: NDArray, last: NDArray, stream: Stream, size: int
) -> NDArray[np.int64]:
    """For each row a position in [first, last), in proportion to the weights there."""
    steps = np.concatenate([[0.0], np.cumsum(weights)])
    place = steps[first] + stream.uniform(size) * (steps[last] - steps[first])
    return np.clip(np.searchsorted(steps, place, side="right") - 1, first, last - 1)


def draw_column(
    codes: Codes, node: Node, table: NDArray[np.float64], stream: Stream
) -> NDArray:
    """The node's column, given the columns drawn before."""
    first = cell(codes, node.given) * SIZES[node.column]
    return draw(table.ravel(), first, first + SIZES[node.column], stream, ROWS) - first


def draw_amounts(
    real: Codes, drawn: Codes, column: str, epsilon: float, stream: Stream
) -> NDArray[np.int64]:
    """Amounts within the drawn bands: popular ones by noisy counts, or any of the band."""
    counts = noisy_counts(real, ("income", column), epsilon, stream)
    # About one of so many empty cells passes this bar by noise alone.
    kept = np.where(counts > math.log(counts.size) / epsilon, counts, 0)
    start = drawn["income"] * SIZES[column]
    edges = np.array(WIDE[column])
    band = drawn[f"{column} band"]
    # A millionth of a record per cell: a band without a popular amount is uniform.
    weights = kept.ravel() + 1e-6
    return draw(weights, start + edges[band], start + edges[band + 1], stream, ROWS) - start


def slots_per_item(distinct_share: float) -> float:
    """Slots per item, such that items thrown at random hit `distinct_share` slots per item."""
    low, high = 1e-3, 50.0  # items per slot, x: (1 - exp(-x)) / x falls from 1 to 0
    for _ in range(60):
        middle = (low + high) / 2
        too_many = (1 - math.exp(-middle)) / middle > distinct_share
        low, high = (middle, high) if too_many else (low, middle)
    return 1 / low


def draw_weights(real: Codes, drawn: Codes, stream: Stream) -> NDArray[np.int64]:
    """Weights within the drawn bands, repeated about as often as the survey repeats them.

    Records of one band and age share slots; slots of one band share weights. The two noisy
    numbers of distinct weights say how many slots and weights there are.
    """
    noise = stream.geometric_noise(DISTINCT_EPSILON, (2,))
    distinct = np.unique(real["fnlwgt"]).size + int(noise[0])
    pairs = np.unique(real["fnlwgt"] * SIZES["age"] + real["age"]).size + int(noise[1])
    group = cell(drawn, ("fnlwgt band", "age"))
    others = np.bincount(group)[group] - 1
    slot = stream.integers(np.ceil(1 + others * slots_per_item(pairs / ROWS)), ROWS)
    slots, which = np.unique((group << PACK) + slot, return_inverse=True)
    band = (slots >> PACK) // SIZES["age"]
    pool = np.ceil(np.bincount(band)[band] * slots_per_item(distinct / pairs))
    number = stream.integers(pool, slots.size)
    edges = np.array(FNLWGT_EDGES)
    return pooled_weights(band, number, edges, stream)[which]


def pooled_weights(
    band: NDArray, number: NDArray, edges: NDArray, stream: Stream
) -> NDArray[np.int64]:
    """The weight with this number in its band's pool; drawn uniformly in the band."""
    entries, which = np.unique((band << PACK) + number, return_inverse=True)
    home = entries >> PACK
    return (edges[home] + stream.integers(np.diff(edges)[home], entries.size))[which]


def make(data: pd.DataFrame) -> pd.DataFrame:
    """Measure the real rows with noise, then draw as many rows from what was measured."""
    real = encode(data)
    drawn: Codes = {}
    for number, node in enumerate(NETWORK):
        noise, sample = Stream(SEED, number, 0), Stream(SEED, number, 1)
        counts = noisy_counts(real, (*node.given, node.column), node.epsilon, noise)
        table = conditional(counts, node.epsilon)
        drawn[node.column] = draw_column(drawn, node, table, sample)
    for number, (column, epsilon) in enumerate(VALUE_EPSILON.items(), start=len(NETWORK)):
        drawn[column] = draw_amounts(real, drawn, column, epsilon, Stream(SEED, number))
    drawn["fnlwgt"] = draw_weights(real, drawn, Stream(SEED, 99))
    return decode(drawn, list(data.columns))


if __name__ == "__main__":
    save(make(load_adult(source="uci")), "adult_standin.csv.gz")
