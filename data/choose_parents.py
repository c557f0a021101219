"""Choice of the parents of income and hours, made on people who are not in the file.

    PRIVACY_TOOLKIT_DATA=DIR python data/choose_parents.py [--write]

make_adult.py measures UCI's training file. If its network were fitted to that file, the fit
would cost epsilon too. So a rule finds the parents of the two columns (the columns that they
are drawn given) on UCI's test half, which holds other people; adult.data is not needed:

1. Start without parents; hours start with income, as lessons compare every column with income.
2. Try every earlier column of the network, whole and in each coarser view (one per column).
   Add the column with the best score; the column added last is given up first.
3. Stop when no column raises the score.

The score says how well a noisy table predicts people whom it has not counted. Let p(x) be the
share of value x among those with the person's parents, and v the person's own value: the
quadratic score is 2 p(v) - sum of p(x)^2, at most 1, and best on average for the true shares.
It is averaged over ten folds: nine tenths are counted, one tenth is predicted. Noise and cuts
are those of make_adult.py, and as large relative to nine tenths of the test half as to the
training file.

Score and start were also settled by trials on the test half. The logarithm of p(v) judges a
table by rare values that noise has cut, and dropped occupation; without a start, income was
dropped.

With --write, the steps are put between their marks in DATASHEETS.md.
"""

from typing import NamedTuple

import make_adult as recipe
import numpy as np
from stream import Stream, put_between

from toolkit.datasets import load_adult

START: dict[str, tuple[str, ...]] = {"income": (), "hours-per-week band": ("income",)}
SEED = 1996
FOLDS = 10
SHOWN = 3
BEGIN, END = "<!-- chosen: begin -->\n", "<!-- chosen: end -->\n"


class Step(NamedTuple):
    """Scores of the parents tried at one step, best first, and the parents taken before."""

    given: tuple[str, ...]
    scores: dict[str, float]


def score(codes: recipe.Codes, given: tuple[str, ...], node: recipe.Node) -> float:
    """Mean quadratic score of people held out; larger is better, 1 is certainty."""
    names = (*given, node.column)
    fold = np.arange(codes["age"].size) % FOLDS
    means = []
    for held in range(FOLDS):
        counted = {name: code[fold != held] for name, code in codes.items()}
        others = {name: code[fold == held] for name, code in codes.items()}
        epsilon = node.epsilon * recipe.ROWS / counted["age"].size
        counts = recipe.noisy_counts(counted, names, epsilon, Stream(SEED, held))
        table = recipe.conditional(counts, epsilon)
        shares = table.reshape(-1, recipe.SIZES[node.column])
        squares = np.square(shares).sum(axis=1)[recipe.cell(others, given)]
        hit = table.ravel()[recipe.cell(others, names)]
        means.append((2 * hit - squares).mean())
    return float(np.mean(means))


def source(name: str) -> str:
    """The column that a name stands for: itself, or the column of the view."""
    return recipe.VIEWS[name].column if name in recipe.VIEWS else name


def candidates(column: str, given: tuple[str, ...]) -> list[str]:
    """Earlier columns and their views, except those of a column that is a parent already."""
    earlier = [node.column for node in recipe.NETWORK]
    earlier = earlier[: earlier.index(column)]
    taken = {source(name) for name in given}
    names = [*earlier, *recipe.VIEWS]
    return [name for name in names if source(name) in set(earlier) - taken]


def choose(codes: recipe.Codes, node: recipe.Node) -> list[Step]:
    """The steps of the rule; at the last one nothing raised the score."""
    given = START[node.column]
    reached, steps = score(codes, given, node), []
    while names := candidates(node.column, given):
        scores = {name: score(codes, (*given, name), node) for name in names}
        ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
        steps.append(Step(given, {name: scores[name] for name in ranked}))
        if scores[ranked[0]] <= reached:
            break
        given, reached = (*given, ranked[0]), scores[ranked[0]]
    return steps


def report(codes: recipe.Codes) -> str:
    """The steps for both columns, in Markdown."""
    text = ""
    for node in recipe.NETWORK:
        if node.column not in START:
            continue
        start = START[node.column]
        text += f"\n`{node.column}` at ε = {node.epsilon:g}, started with "
        text += f"{', '.join(start) or 'no parent'}: {score(codes, start, node):.4f}\n"
        text += f"\n| beside | the {SHOWN} best tried |\n| --- | --- |\n"
        for given, scores in choose(codes, node):
            best = [f"{name} {x:.4f}" for name, x in list(scores.items())[:SHOWN]]
            text += (
                f"| {', '.join(given) or 'none'} | {'; '.join(best)} (of {len(scores)}) |\n"
            )
    return f"{text}\n"


if __name__ == "__main__":
    put_between(BEGIN, END, report(recipe.encode(load_adult(source="uci", subset="test"))))
