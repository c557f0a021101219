"""Agreement with the tools that this one follows, where they are right."""

import random

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from tests.benchmarks import peers
from tests.needs import need

pytestmark = pytest.mark.full


def random_task(rng: random.Random) -> peers.PiflibTask:
    """A table of strings, its priors covering all values, its accuracies on a grid."""
    rows, columns = rng.randint(2, 60), rng.randint(2, 6)
    sizes = [rng.choice([1, 2, 3, 8, rows]) for _ in range(columns)]
    cells = [[f"v{rng.randrange(size)}" for size in sizes] for _ in range(rows)]
    data = pd.DataFrame(cells, columns=[f"c{j}" for j in range(columns)])
    priors = {}
    for j in range(columns):
        if rng.random() < 0.4:
            values = sorted({*data[f"c{j}"], "never seen"})
            shares = [rng.randint(1, 9) for _ in values]
            priors[j] = {v: s / sum(shares) for v, s in zip(values, shares, strict=True)}
    accuracies = {
        j: rng.choice([0.1, 0.5, 0.9, 1]) for j in range(columns) if rng.random() < 0.4
    }
    return peers.PiflibTask(data, priors, accuracies)


def adversarial_tasks() -> list[peers.PiflibTask]:
    """One giant context, all alike, all different, nearly determined, long and wide."""
    n, rng = 3000, np.random.default_rng(1)
    tables = [
        {"a": np.arange(n), "b": np.zeros(n, int)},
        {"a": np.zeros(n, int), "b": np.zeros(n, int)},
        {"a": np.arange(n), "b": np.arange(n)},
        {"a": np.r_[np.zeros(n - 1, int), 1], "b": np.arange(n) // 2},
        {"a": np.arange(n) % 2, "b": np.arange(n) % 3, "c": np.arange(n) % 5},
        {"a": rng.integers(0, 2, n), "b": rng.zipf(1.5, n), "c": rng.integers(0, 900, n)},
        {str(j): rng.integers(0, 2, 400) for j in range(14)},
    ]
    return [peers.PiflibTask(pd.DataFrame(table).astype(str)) for table in tables]


def test_agreement_with_piflib_on_random_and_adversarial_tables():
    python = need(peers.make_peer("piflib"), "piflib cannot be installed")
    rng = random.Random(1)
    tasks = [random_task(rng) for _ in range(300)] + adversarial_tasks()
    answer = peers.run_piflib(python, tasks)
    for number, task in enumerate(tasks):
        factors = tk.information_factors(
            task.data, priors=task.priors, accuracies=task.accuracies
        )
        for ours, theirs in ((factors.cig, answer.cig), (factors.csf, answer.csf)):
            np.testing.assert_allclose(ours, theirs[number], rtol=0, atol=1e-12)
