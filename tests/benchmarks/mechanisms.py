"""Mechanisms: samplers of numpy against the numpy calls that draw their noise, in turns.

Both sides are timed in CPU seconds, one after the other in every repetition; the ratio is the
median of the ratios of the repetitions. The other side draws as many variables as the
mechanism needs, and does nothing with them. OpenDP has no such target: its samplers are exact.
"""

import time
from importlib.util import find_spec

import numpy as np
from turns import Median, cpu_seconds, verdict

import toolkit as tk

RNG = np.random.default_rng(11)
STAY = 1 - np.exp(-0.5)  # of the geometric variables, at epsilon .5
NOISE = {"sensitivity": 1, "epsilon": 0.5, "rng": RNG}


def samplers(n):
    """What is asked, and what numpy draws for it."""
    reals, counts = RNG.normal(size=n), RNG.integers(0, 100, n)
    utilities, truths, choices = (
        RNG.normal(size=(n // 4, 4)),
        RNG.random(n) < 0.3,
        RNG.integers(0, 5, n),
    )
    return {
        "laplace, floats": (
            lambda: tk.laplace(reals, **NOISE),
            lambda: RNG.laplace(0.0, 2.0, n),
        ),
        "geometric, integers (two calls)": (
            lambda: tk.geometric(counts, **NOISE),
            lambda: (RNG.geometric(STAY, n), RNG.geometric(STAY, n)),
        ),
        "gaussian, floats": (
            lambda: tk.gaussian(reals, **NOISE, delta=1e-5),
            lambda: RNG.normal(0.0, 2.0, n),
        ),
        "exponential, 4 candidates a row": (
            lambda: tk.exponential(utilities, **NOISE),
            lambda: RNG.gumbel(0.0, 2.0, (n // 4, 4)),
        ),
        "randomised response, truth values": (
            lambda: tk.randomised_response(truths, epsilon=0.5, rng=RNG),
            lambda: RNG.random(n),
        ),
        "randomised response, 5 answers (two calls)": (
            lambda: tk.randomised_response(choices, epsilon=0.5, rng=RNG, options=5),
            lambda: (RNG.random(n), RNG.integers(0, 5, n)),
        ),
    }


def seconds(call, times):
    """CPU seconds of a call, made several times."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def against_numpy(n, times, repeats, limit):
    """Each sampler of numpy against its generator calls."""
    rows = []
    for name, (ours, theirs) in samplers(n).items():
        pairs = [(seconds(ours, times), seconds(theirs, times)) for _ in range(repeats)]
        mine, other = (Median(side) for side in zip(*pairs, strict=True))
        ratio = Median([a / b for a, b in pairs])
        target = (f"<= {limit}", verdict(ratio <= limit)) if limit else ("", "")
        times_of_both = (f"{mine:.3g} s", f"{other:.3g} s", f"{ratio:.2f}")
        rows.append((f"{name} against numpy (CPU)", *times_of_both, *target))
    return rows


def vetted(n):
    """OpenDP's discrete Laplace noise on as many integers."""
    if find_spec("opendp") is None:
        return [("geometric by OpenDP (CPU)", "not measured", "", "", "", "")]
    counts = np.zeros(n, dtype=np.int64)
    tk.geometric(counts[:1], **NOISE, backend="opendp")  # the import is no sampling
    spent = cpu_seconds(lambda: tk.geometric(counts, **NOISE, backend="opendp"))
    plain = cpu_seconds(lambda: tk.geometric(counts, **NOISE))
    each = f"{1e6 * spent / n:.1f} µs each"
    name = "geometric by OpenDP against numpy (CPU)"
    return [(name, f"{spent:.3g} s", f"{plain:.3g} s", each, "", "")]


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    many = 1_000_000 // scale
    return [
        (f"{many:,} answers", lambda: against_numpy(many, 1, 21, 1.5)),
        ("10,000 answers", lambda: against_numpy(10_000, 50, 7, None)),
        ("100,000 answers", lambda: vetted(100_000 // scale)),
    ]
