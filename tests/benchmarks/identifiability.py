"""Differential identifiability: the exact scale against all pairs, and against a replication.

`naive_risk` evaluates the definition, every pair of worlds. `replicated_scale` restates the
search of a public replication: it halves between 0 and the bound's scale, measures the risk in
one world that the caller names, world by world, and stops within 0.0001 of ρ on either side.
"""

import math

import numpy as np
from turns import Median, cpu_seconds, verdict

import toolkit as tk

TOY = tk.possible_outputs(tk.possible_worlds([1, 3], [2, 4, 5, 6, 7, 8, 9, 10]), "mean")
POLICIES = np.linspace(0.13, 0.95, 100)
ROWS = 100  # of the table of pairs that are timed; the others take as long


def naive_risk(outputs, scale, rows=None):
    """Largest belief by its definition: a sum over all worlds for each (or some) of them."""
    outputs = np.asarray(outputs, float)
    chosen = outputs if rows is None else outputs[rows]
    return max(1 / np.exp(-np.abs(outputs - own) / scale).sum() for own in chosen)


def naive_scale(outputs, rho):
    """Exact scale by halving the bracket with naive evaluations."""
    low, high = tk.scale_bracket(outputs, rho)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if naive_risk(outputs, middle) <= rho else (middle, high)
    return high


def replicated_scale(outputs, rho, worst=0, tolerance=1e-4):
    """Scale by the replication's search."""
    values = [float(output) for output in outputs]
    low, high = 0.0, tk.scale_bound(max(values) - min(values), rho, len(values))
    for _ in range(200):
        middle = (low + high) / 2
        terms = [math.exp(-abs(value - values[worst]) / middle) for value in values]
        risk = 1 / sum(terms)
        if abs(risk - rho) <= tolerance:
            break
        low, high = (low, middle) if risk < rho else (middle, high)
    return middle


def curve():
    """The 100 points of a figure on the toy, against the replication's search."""
    ours = cpu_seconds(lambda: tk.identifiability_curve(TOY, POLICIES), 9)
    one_by_one = cpu_seconds(lambda: [tk.tight_epsilon(TOY, rho) for rho in POLICIES], 9)
    theirs, finely = (
        cpu_seconds(lambda t=t: [replicated_scale(TOY, rho, 0, t) for rho in POLICIES], 5)
        for t in (1e-4, 1e-12)
    )
    above = sum(tk.disclosure_risk(TOY, replicated_scale(TOY, rho)) > rho for rho in POLICIES)
    kept = all(tk.disclosure_risk(TOY, tk.tight_scale(TOY, rho)) <= rho for rho in POLICIES)
    limit = "<= 50 ms"
    return [
        row("curve of 100 ρ against a replication (CPU)", ours, theirs, limit, ours <= 0.05),
        row("the same, its tolerance 1e-12 in place of 1e-4", ours, finely, "", None),
        row("the same, ρ by ρ", one_by_one, theirs, limit, one_by_one <= 0.05),
        ("policies of 100 that are exceeded", "0", f"{above}", "", "0", verdict(kept)),
    ]


def worlds(m):
    """Exact ε of many worlds, evenly and unevenly spread, against all pairs."""
    rng = np.random.default_rng(5)
    rows = []
    for name, outputs in (("even", np.arange(m)), ("uneven", rng.lognormal(size=m))):
        for rho in (0.1, 2**-16):
            if rho * m <= 1:
                continue
            ours = cpu_seconds(lambda f=outputs, r=rho: tk.tight_epsilon(f, r))
            scale = tk.tight_scale(outputs, rho)
            sample = rng.integers(0, m, ROWS)
            some = cpu_seconds(lambda f=outputs, s=scale, r=sample: naive_risk(f, s, r))
            pairs = Median([seconds * m / ROWS for seconds in some.runs])
            measure = f"exact ε, {name}, ρ = {rho:.3g}, against one risk by all pairs (CPU)"
            rows.append(row(measure, ours, pairs, "<= 1 s", ours <= 1))
    return rows


def replication(m, rho=0.01):
    """The replication's search on as many worlds: time, and whether ρ holds."""
    outputs = np.arange(m)
    ours = cpu_seconds(lambda: tk.tight_epsilon(outputs, rho))
    theirs = cpu_seconds(lambda: replicated_scale(outputs, rho))
    found = replicated_scale(outputs, rho)
    off = abs(found / tk.tight_scale(outputs, rho) - 1)
    measure = f"exact ε, even, ρ = {rho:g}, against a replication (CPU)"
    return [
        row(measure, ours, theirs, "<= 1 s", ours <= 1),
        ("the replication's error in the scale", "", f"{off:.1e}", "", "", ""),
    ]


def agreement(m=1_000):
    """Difference from the naive search, where that can be run to its end."""
    outputs = np.random.default_rng(6).normal(size=m)
    theirs = cpu_seconds(lambda: naive_scale(outputs, 0.05))
    ours = cpu_seconds(lambda: tk.tight_scale(outputs, 0.05))
    apart = abs(tk.tight_scale(outputs, 0.05) / naive_scale(outputs, 0.05) - 1)
    return [
        row(f"exact scale of {m:,} worlds against all pairs (CPU)", ours, theirs, "", None),
        ("largest difference from all pairs", f"{apart:.1e}", "", "", "<= 1e-10")
        + (verdict(apart <= 1e-10),),
    ]


def row(measure, ours, theirs, target, reached):
    """Lay one comparison of times out."""
    return (
        measure,
        f"{ours:.4f} s",
        f"{theirs:.4g} s",
        f"{theirs / ours:.3g}",
        target,
        "" if reached is None else verdict(reached),
    )


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    m = 100_000 // scale
    return [
        ("8 worlds", curve),
        ("1,000 worlds", agreement),
        ("100,000 worlds", lambda: worlds(m)),
        ("100,000 worlds", lambda: replication(m)),
    ]
