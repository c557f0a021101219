"""Agreement with pyCANON where it is right; where it is wrong, see test_disclosure."""

import math

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from tests.benchmarks import peers
from tests.needs import need

pytestmark = pytest.mark.full


def random_task(rng: np.random.Generator) -> peers.PycanonTask:
    """A table without what pyCANON stumbles over: missing cells, odd labels."""
    rows, known = rng.integers(2, 60), rng.integers(1, 4)
    columns = {
        f"q{j}": np.array([f"v{code}" for code in rng.integers(0, rng.integers(1, 5), rows)])
        for j in range(known)
    }
    codes = rng.integers(0, rng.integers(2, 7), rows)
    codes[:2] = 0, 1  # a constant number is its mistake 6
    text = rng.random() < 0.5
    columns["s"] = np.array([f"s{code}" for code in codes]) if text else codes * 3 - 4
    return peers.PycanonTask(pd.DataFrame(columns))


def test_agreement_with_pycanon_where_it_is_right():
    python = need(peers.make_peer("pycanon"), "pyCANON cannot be installed")
    rng = np.random.default_rng(1)
    tasks = [random_task(rng) for _ in range(150)]
    answer = peers.run_pycanon(python, tasks)
    finite = 0
    for task, theirs in zip(tasks, answer.values, strict=True):
        *known, sensitive = task.data.columns
        classes = tk.class_table(task.data, known, sensitive)
        alpha, k = tk.alpha_k_anonymity(classes)
        assert theirs["k_anonymity"] == [k]
        assert theirs["alpha_k_anonymity"] == pytest.approx([alpha, k], abs=1e-12)
        assert theirs["l_diversity"] == [tk.l_diversity(classes)]
        kind = "ordered" if classes.ordered else "equal"
        ours = {
            "basic_beta_likeness": tk.basic_beta_likeness(classes),
            "t_closeness": tk.t_closeness(classes, kind=kind),
            "delta_disclosure": tk.delta_disclosure(classes, absent="skip"),
        }
        enhanced = tk.enhanced_beta_likeness(classes)
        if math.isfinite(enhanced):
            finite += 1
            ours["enhanced_beta_likeness"] = enhanced
        for name, value in ours.items():
            assert theirs[name] == pytest.approx([value], abs=1e-9), name
    assert finite, "some tables do have enhanced likeness"
