"""Mechanisms of an attack on the auditor: 31 that break their claim, 22 that keep it.

Where a claim is about real numbers, the lowest bits of doubles break it as well; so they are
looked at in the cases of `BY_LOW_BITS` only.
"""

import math

import numpy as np
from scipy.optimize import brentq

from toolkit import GaussianNoise
from toolkit.dp.cases import (
    Case,
    broken,
    geometric,
    kept,
    laplace,
    noise_unless_zero,
    normal,
    only_bins_that_occur,
    same_noise,
)

LOST = math.inf
BY_LOW_BITS = {"20-bit generator, low bits", "Laplace", "geometric"}


def attacks():
    """Return 31 broken mechanisms by name."""
    return _shifts() | _generators() | _shapes() | _rare() | _joint() | _algorithms()


def correct():
    """Return 22 mechanisms that keep their claims, most of them exactly, by name."""
    one, zero, votes = (100, 101, 1.0, 1.0), (0, 1, 1.0, 1.0), ((1, 0, 0), (0, 1, 1), 1.0)
    bins, moved = ((3, 5), (4, 5), 1.0, 1.0), ((3, 5), (4, 6))
    once = math.log1p(0.3 * math.expm1(1))
    own = {name: kept()[name] for name in ("Laplace", "geometric", "randomised response")}
    return own | {
        "exponential": kept()["exponential"],
        "Laplace at 0": Case(laplace(1), *zero, ""),
        "Laplace, small ε": Case(laplace(10), 100, 101, 0.1, 0.1, ""),
        "Laplace, two bins": Case(laplace(1), *bins, ""),
        "Laplace, both bins": Case(laplace(1), *moved, 2.0, 2.0, ""),
        "Laplace, rounded": Case(lambda *x: np.round(laplace(1)(*x)), *one, ""),
        "Laplace, clipped": Case(lambda *x: laplace(1)(*x).clip(99, 103), *one, ""),
        "geometric, two bins": Case(geometric(1), *bins, ""),
        "geometric, clipped": Case(lambda *x: geometric(1)(*x).clip(0, 4), *zero, ""),
        "randomised response, words": Case(word_response(1), 3, 1, 1.0, 1.0, ""),
        "Gaussian, δ = 1e-5": Case(normal(sigma(1e-5)), *one, "", 1e-5),
        "Gaussian, two outputs": Case(
            normal(sigma(1e-3) * math.sqrt(2)), *moved, 1.0, 1.0, "", 1e-3
        ),
        "noisy maximum": Case(noisy_maximum, *votes, 0.9, ""),
        "permute and flip": Case(permute_and_flip, *votes, 0.99, ""),
        "sparse vector": Case(sparse_vector(2.0, 4.0, 1), (0, 0, 1), (1, 1, 0), 1.0, 0.99, ""),
        "staircase": Case(staircase, *one, ""),
        "threshold": Case(threshold, 1, 0, 1.0, 0.99, "", 1e-3),
        "sampled": Case(sampled(1), 0, 1, once, 0.41, ""),
        "second question by the first": Case(adaptive, 0, 1, 2.0, 2.0, ""),
    }


def sigma(delta):
    """Return the standard deviation at which Gaussian noise has ε = 1 at this δ."""
    return brentq(lambda s: GaussianNoise(s).epsilon(1, delta) - 1, 0.5, 20)


# Kept claims


def word_response(epsilon, words=("a", "b", "c", "d")):
    """Answer a word, the true one e^ε times as likely as any other."""
    truth = math.exp(epsilon) / (math.exp(epsilon) + len(words) - 1)

    def mechanism(x, n, rng):
        other = (x + rng.integers(1, len(words), n)) % len(words)
        return np.array(words)[np.where(rng.random(n) < truth, x, other)]

    return mechanism


def noisy_maximum(x, n, rng):
    """Name the largest of noisy counts."""
    return laplace(2)(x, n, rng).argmax(axis=1)


def permute_and_flip(x, n, rng):
    """Take candidates in random order, each with its chance, until one is accepted."""
    chance = np.exp((np.array(x) - max(x)) / 2)
    order = rng.random((n, len(x))).argsort(axis=1)
    accepted = rng.random((n, len(x))) < chance[order]
    return order[np.arange(n), accepted.argmax(axis=1)]


def sparse_vector(of_threshold, of_answers, most):
    """Say which counts pass 0.5, with noise on both sides, until so many do."""

    def mechanism(x, n, rng):
        limit = 0.5 + rng.laplace(0, of_threshold, (n, 1))
        noise = rng.laplace(0, of_answers, (n, len(x))) if of_answers else 0
        passed = np.array(x) + noise >= limit
        return np.where(passed.cumsum(axis=1) - passed < most, passed, np.nan)

    return mechanism


def staircase(x, n, rng):
    """Add noise whose density falls by e at each whole number."""
    stairs = rng.geometric(1 - math.exp(-1), n) - 1 + rng.random(n)
    return x + np.where(rng.random(n) < 0.5, stairs, -stairs)


def threshold(x, n, rng):
    """Publish a noisy count if it is large; one record passes with probability 1e-3."""
    noisy = laplace(1)(x, n, rng)
    passed = (noisy > 1 + math.log(1 / (2 * 1e-3))) & (x > 0)
    return np.where(passed, noisy, np.nan)


def sampled(epsilon):
    """Count a sample of 30 %."""
    return lambda x, n, rng: geometric(epsilon)(0, n, rng) + (rng.random(n) < 0.3) * x


def adaptive(x, n, rng):
    """Ask again with a sign that depends on the first answer."""
    first = laplace(1)(x, n, rng)
    return np.column_stack([first, np.where(first > 0, x, -x) + rng.laplace(0, 1, n)])


# Broken claims


def _shifts():
    """Too little noise."""
    data = (1.0, 2.0, 10.0), (1.0, 2.0)
    cases = {
        f"scale {percent} % too small": Case(
            laplace(1 - percent / 100), 100, 101, 1.0, 1 / (1 - percent / 100), "scale"
        )
        for percent in (10, 3, 1)
    }
    for delta, part in ((1e-3, 1.1), (1e-5, 1.5)):
        own = sigma(delta) / part
        loss = GaussianNoise(own).epsilon(1, delta)
        cases[f"σ / {part}"] = Case(normal(own), 100, 101, 1.0, loss, "σ", delta)
    return cases | {
        "sensitivity of replacement": Case(laplace(1), -1, 1, 1.0, 2.0, "moves by 2"),
        "clipped at the maximum": Case(of_the_maximum, *data, 1.0, LOST, "scale discloses"),
        "range of the data": Case(of_the_range, *data, 1.0, LOST, "the range discloses"),
        "Gaussian called pure": broken()["Gaussian called pure"],
        "randomised response 0.1 too high": Case(
            lambda x, n, rng: np.where(rng.random(n) < 0.1 + 1 / (1 + math.exp(-1)), x, 1 - x),
            1,
            0,
            1.0,
            math.log(0.8310586 / 0.1689414),
            "the truth too often",
        ),
    }


def of_the_maximum(x, n, rng):
    """Sum values with noise of their maximum."""
    return sum(x) + rng.laplace(0, max(x), n)


def of_the_range(x, n, rng):
    """Average values with noise of their range."""
    return np.mean(x) + rng.laplace(0, (max(x) - min(x)) / len(x), n)


def _generators():
    """Too few states."""
    pair = (0.0, 1.0, 1.0, LOST)
    cases = {
        name: Case(few_bits(bits), *pair, f"{bits} bits")
        for name, bits in (
            ("8-bit generator", 8),
            ("20-bit generator", 20),
            ("20-bit generator, low bits", 20),
        )
    }
    noise = np.array([np.random.default_rng(seed).laplace() for seed in range(256)])
    return cases | {
        "256 seeds": Case(lambda x, n, rng: x + rng.choice(noise, n), *pair, "few seeds")
    }


def few_bits(bits):
    """Add Laplace noise by inversion of a number of few bits."""

    def mechanism(x, n, rng):
        u = (rng.integers(0, 2**bits, n) + 0.5) / 2**bits - 0.5
        return x - np.sign(u) * np.log1p(-2 * np.abs(u))

    return mechanism


def _shapes():
    """Densities that differ where no half-line shows it."""

    def squeezed(x, n, rng):
        y = rng.laplace(0, 1, n)
        return np.where(np.abs(y) < 0.3, y * 0.2, y) if x else y

    def filled(x, n, rng):  # 5 times as likely within 0.06, 0.75 times elsewhere
        y, inside = rng.laplace(0, 1, n), 1 - math.exp(-0.06)
        share = 4 * inside / (1 - inside)
        middle = rng.random(n) < (share if x else 0)
        return np.where(middle, rng.uniform(-0.06, 0.06, n), y)

    def decimal(x, n, rng):
        return np.round(laplace(1)(0, n, rng), 5) + x * 1e-6

    def rounded(x, n, rng):
        return np.round(laplace(1)(x, n, rng), x % 2)

    def truncated(x, n, rng):
        y = rng.laplace(0, 1, n)
        return x + np.where(np.abs(y) < 12, y, 0)

    return {
        "excess in the middle": Case(squeezed, 1, 0, 1.0, LOST, "a gap beside it"),
        "excess without a gap": Case(filled, 1, 0, 1.0, math.log(5), "only in the middle"),
        "leak in the 6th decimal": Case(decimal, 1, 0, 1.0, LOST, "one digit"),
        "rounding by the data": Case(rounded, 100, 101, 1.0, LOST, "whole numbers or tenths"),
        "truncated at 12": Case(truncated, 0, 1, 1.0, LOST, "support ends"),
    }


def _rare():
    def truth(share):
        return lambda x, n, rng: np.where(rng.random(n) < share, x, laplace(1)(x, n, rng))

    return {
        f"truth with probability {share:g}": Case(truth(share), 0, 1, 1.0, LOST, "an atom")
        for share in (1e-4, 1e-5)
    }


def _joint():
    """Outputs of which only several together tell."""

    def bits(count):
        def mechanism(x, n, rng):
            free = rng.integers(0, 2, (n, count - 1))
            return np.column_stack([free, (free.sum(axis=1) + x) % 2])

        return mechanism

    def signs(x, n, rng):
        parity = 1 - 2 * bits(3)(x, n, rng)
        return parity * rng.exponential(1, (n, 3))

    def radius(x, n, rng):
        angle = rng.uniform(0, 2 * math.pi, n)
        far = rng.gamma(2, 1 + x, n)
        return np.column_stack([far * np.cos(angle), far * np.sin(angle)])

    def opposite(x, n, rng):
        noise = rng.laplace(0, 1, (n, 1))
        return np.array(x) + noise * [1, -1]

    def in_the_sum(x, n, rng):
        first = laplace(1)(x[0], n, rng)
        return np.column_stack([first, first + x[1]])

    pair = (1, 0, 1.0, LOST, "")
    return {
        "xor": Case(bits(2), *pair),
        "parity of three": Case(bits(3), *pair),
        "parity of three signs": Case(signs, *pair),
        "radius": Case(radius, *pair),
        "noise reused": Case(same_noise, (6, 3), (5, 3), 1.0, LOST, ""),
        "noise reused, opposite": Case(opposite, (6, 3), (5, 3), 1.0, LOST, ""),
        "noise reused in a sum": Case(in_the_sum, (6, 3), (6, 2), 1.0, LOST, ""),
    }


def _algorithms():
    return {
        "no noise on empty bins": broken()["zero stays zero"],
        "sparse vector, answers without noise": Case(
            sparse_vector(2.0, 0, 1), (0, 1), (1, 0), 1.0, LOST, "the order of the answers"
        ),
        "sparse vector, no end": Case(
            sparse_vector(2.0, 4.0, 9), (0,) * 8 + (1,) * 8, (1,) * 8 + (0,) * 8, 1.0, 4.0, ""
        ),
    }


def histogram_defects():
    """Return 7 mistakes of histogram code, each breaking its claim, by name."""

    def rounded(data, n, rng):  # the answer is rounded, and not each record
        return geometric(1 / 0.3)(int(np.rint(data)), n, rng)

    def most_frequent_code(data, n, rng):  # filled with zeros to the longest one
        codes = [str(code).zfill(len(str(max(data)))) for code in range(20)]
        noisy = np.bincount(data, minlength=20) + rng.laplace(0, 2, (n, 20))
        return np.array(codes)[noisy.argmax(axis=1)]

    # At ε = 10 the scale should be 11 / 10; passed as the sensitivity, it became 11 / 100.
    divided = 3, 0, 3 * 10 / 11, 3 / 0.11
    return {
        "bins from the data": Case(only_bins_that_occur(10), (5, 1), (5, 0), 0.1, LOST, ""),
        "no noise on empty bins": Case(noise_unless_zero, (5, 1), (5, 0), 0.1, LOST, ""),
        "digits by the maximum": Case(
            most_frequent_code, (3, 3, 12), (3, 3, 4), 1.0, LOST, ""
        ),
        "no contribution bound": Case(laplace(1), 20, 0, 1.0, 20.0, "20 records"),
        "epsilon divided twice": Case(laplace(0.11), *divided, "a quotient passed"),
        # One individual adds 0.3 hours at most: 0.4 and 0.6 become 0 and 1.
        "answer rounded": Case(rounded, 0.4, 0.6, 1.0, 1 / 0.3, "0.2 more make a whole"),
        "Laplace in doubles": Case(laplace(1), 1, 2, 1.0, LOST, ""),
    }
