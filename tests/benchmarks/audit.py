"""The auditor: all it does against drawing the same releases and sorting them once.

Both sides draw what an audit draws, the selecting and the testing releases of the data and of
the neighbour: 2 x (50,000 + 200,000). They are measured in turns, in CPU time.
"""

import numpy as np
from turns import in_turns, verdict

import toolkit as tk
from toolkit.dp.auditing import cases as audit_cases

KEPT, BROKEN = audit_cases.kept(), audit_cases.broken()
COUNTS, NEIGHBOUR = (50.0, 30.0, 2.0, 1.0), (50.0, 30.0, 2.0, 0.0)


def one_by_one(data, rng):
    """Release a count."""
    return data + rng.laplace()


def batch_cases():
    """Name, arguments of the audit, and the most that it may take of draws and a sort."""
    laplace = audit_cases.laplace(1)
    four = {"mechanism": laplace, "data": COUNTS, "neighbour": NEIGHBOUR, "epsilon": 1}
    bins = four | {"mechanism": audit_cases.geometric(1), "data": (5, 3, 1, 0)}
    return [
        ("scalar, Laplace", KEPT["Laplace"].arguments(), 3),
        ("scalar, Laplace in doubles", BROKEN["Laplace in doubles"].arguments(), 3),
        ("scalar, geometric", KEPT["geometric"].arguments(), 3),
        ("vector of 4, Laplace", four | {"batch": True}, 10),
        ("vector of 4, geometric", bins | {"neighbour": (5, 3, 0, 0), "batch": True}, 10),
    ]


def against_drawing(arguments, most, samples, repeats=9):
    """An audit against its draws and one sort of them."""

    def floor():
        rng = np.random.default_rng(1)
        sides = [
            arguments["mechanism"](arguments[side], n, rng)
            for n in samples
            for side in ("data", "neighbour")
        ]
        np.concatenate(sides).sort(axis=0)

    def audit():
        tk.audit(**arguments, samples=samples, rng=np.random.default_rng(1))

    ours, least = in_turns([audit, floor], repeats)
    return [row("audit against its draws and one sort (CPU)", ours, least, most)]


def against_calling(samples, repeats=5):
    """An audit of a mechanism that releases one by one, against its calls alone."""

    def floor():
        rng = np.random.default_rng(1)
        np.sort([one_by_one(100, rng) for _ in range(2 * sum(samples))])

    def audit():
        rng = np.random.default_rng(1)
        tk.audit(one_by_one, 100, 101, epsilon=1, samples=samples, rng=rng, progress=False)

    ours, least = in_turns([audit, floor], repeats)
    return [row("audit against its calls and one sort (CPU)", ours, least, 3)]


def power(points=30):
    """A power curve, at the samples that are the default."""
    curve = np.linspace(1, 1.3, points)
    (ours,) = in_turns([lambda: tk.audit_power(curve, epsilon=1)], 5)
    name = f"power at {points} values of ε (CPU)"
    return [(name, f"{ours:.4f} s", "", "", "<= 1 s", verdict(ours <= 1))]


def row(measure, ours, least, most):
    """Lay one comparison of times out."""
    ratio = ours / least
    times = (f"{ours:.4f} s", f"{least:.4f} s", f"{ratio:.2f}")
    return (measure, *times, f"<= {most}", verdict(ratio <= most))


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    samples = (max(50_000 // scale, 100), 200_000 // scale)
    found = [
        (name, lambda given=arguments, most=most: against_drawing(given, most, samples))
        for name, arguments, most in batch_cases()
    ]
    few = tuple(max(n // 5, 100) for n in samples)
    found.append(("scalar, one by one", lambda: against_calling(few)))
    found.append(("planning", power))
    return found
