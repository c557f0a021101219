"""Private histograms: Detroit from table to synthetic rows, against the way of 2021.

`original_...` restates how PrivacyHistos computes, step by step and cell by cell: a function
call per cell to convert it, a sample drawn group by group, the sum of all weights once per
weight, one draw per row and one call per value to decode it. The answers are not compared
here but in the tests. Where the real table is not at hand, one of its shape is made up.
"""

import random

import numpy as np
import pandas as pd

import toolkit as tk
from toolkit.datasets import load_detroit, load_histogram_settings
from toolkit.dp.histograms import release as histograms

CALENDAR = {"call_month_c": (1, 13), "call_day_c": (1, 32), "call_hour_c": (0, 24)}
SIZES = {"engine_area_c": 61, "incident_type_c": 912, "property_use_c": 136}
SIZES |= {"exposure_c": 2, "detector_c": 4, "structure_stat_c": 11}
SIZES |= {"cinjury_c": 6, "cfatal_c": 4, "finjury_c": 4, "ffatal_c": 1}
RECORDS, ROWS, EPSILON = 1, 20_000, 1.0


def detroit(rows):
    """The real table, or one like it."""
    try:
        return "Detroit", load_detroit().head(rows)
    except OSError:
        return "stand-in", standin(rows)


def standin(rows, seed=1):
    """A table of Detroit's shape: few codes are common, most are rare."""
    rng = np.random.default_rng(seed)
    data = {"incident_i": np.arange(1, rows + 1)}
    for name, size in SIZES.items():
        data[name] = np.minimum(rng.geometric(min(8 / size, 0.9), rows) - 1, size - 1)
    for name, (low, high) in CALENDAR.items():
        data[name] = rng.integers(low, high, rows)
    for name, scale in {"dispatch_n": 120, "arrival_n": 400, "clear_n": 1600}.items():
        data[name] = np.minimum(rng.exponential(scale, rows).astype(int), 20_000)
    return pd.DataFrame(data)


def domain_of(data):
    """Codes that occur, as in the published settings, and the calendar."""
    occurring = {name: np.unique(data[name]).tolist() for name in SIZES}
    return occurring | {name: range(*ends) for name, ends in CALENDAR.items()}


# ---------------------------------------------------------------- as in 2021


def original_code(number, codes):
    """Code of a number: the first end of a bin that is not below it."""
    if number < 1:
        return 10
    for end in codes:
        if end >= number:
            return codes[end]


def original_pre_process(table, combos, bins):
    """Texts of cells, made one by one, joined to codes."""
    df = table.copy()  # the original changes its caller's table
    num_decode, col_decode = {}, {}
    for name in table.columns:
        if name.endswith("_c"):
            width = len(str(table[name].max()))
            df[name + "_char"] = (
                df[name].astype(str).apply(lambda text, w=width: text.zfill(w))
            )
        elif name.endswith("_n"):
            top, increment, _ = bins[name]
            ends = [*np.arange(0, top + increment, increment, dtype=float), np.inf]
            codes = {end: 10 + i for i, end in enumerate(ends)}
            num_decode[name] = {code: end for end, code in codes.items()}
            coded = df[name].apply(original_code, args=[codes])
            df[name + "_char"] = coded.astype(str)
    for combo, columns in combos.items():
        joined = "1" if columns[0].endswith("_c") else ""
        end = len(joined)
        for name in columns:
            text = df[name + "_char"]
            joined = joined + text
            col_decode[name] = [combo, end, end + len(text.iloc[0])]
            end = col_decode[name][2]
        df[combo] = joined.astype(int)
    df = df.drop(columns=[c for c in df.columns if c.endswith(("_char", "_c", "_n"))])
    return df, num_decode, col_decode


def original_noise(count, sensitivity, epsilon):
    """Laplace noise, unless nobody is counted."""
    return count + np.random.laplace(0, sensitivity / epsilon) if count else count  # noqa: NPY002


def original_histogram(df, column, sample, size, sensitivity, epsilon):
    """Bins that occur; noisy counts; every weight is divided by a sum of its own."""
    population = sorted(df[column].unique().tolist())
    edges = [-np.inf, *population]
    counted = df
    if sample:
        person = next(name for name in df.columns if name.endswith("_i"))
        pairs = df[[person, column]].drop_duplicates()
        counted = pairs.groupby(person)[[column]].apply(
            lambda own: own.sample(n=size, replace=True)
        )
        counted = counted.reset_index(drop=True)
    bins = pd.cut(counted[column], edges)
    counts = counted[column].groupby(bins, observed=False).count().tolist()
    noisy = [original_noise(count, sensitivity, epsilon) for count in counts]
    positive = [count if count > 0 else 0 for count in noisy]
    return population, [count / sum(positive) for count in positive]


def original_decoder(bins, num_decode, col_decode, value, column):
    """Digits cut out of a code; of a bin, any number below its end."""
    _, start, end = col_decode[column]
    number = int(str(value)[start:end])
    if not column.endswith("_n"):
        return number
    top, increment, largest = bins[column]
    upper = top if number == top / increment + 11 else num_decode[column][number]
    if upper == 0:
        return 0
    if upper == top:
        return random.randrange(top, largest)
    return random.randrange(int(upper - increment), int(upper))


def original_run(data, combos, bins, rows, sample=1):
    """From the table to rows."""
    df, num_decode, col_decode = original_pre_process(data, combos, bins)
    sensitivity = len(combos) * RECORDS + 1
    released = {
        name: original_histogram(df, name, sample, RECORDS, sensitivity, EPSILON)
        for name in combos
    }
    made = []
    for i in range(rows):
        drawn = {name: random.choices(*pair, k=1)[0] for name, pair in released.items()}
        row = {"incident_i": i + 1}
        for name, columns in combos.items():
            for column in columns:
                row[column] = original_decoder(
                    bins, num_decode, col_decode, drawn[name], column
                )
        made.append(row)
    return pd.DataFrame(made)


# ---------------------------------------------------------------- now


def run(data, combos, bins, domain, rows, seed=1):
    """The same, in the version that keeps its ε."""
    rng = np.random.default_rng(seed)
    coded = tk.pre_process(data, combos, bins, domain=domain)
    release = histograms.release_histograms(coded, 1, RECORDS, EPSILON, rng=rng)
    return histograms.simulate_rows(release, rows, rng=rng)


def end_to_end(scale):
    """Pre-process, four histograms and their rows."""
    from turns import cpu_seconds  # tests import this module as one of a package

    name, data = detroit(19_996 // scale)
    combos, bins, _ = load_histogram_settings("detroit")
    domain, rows = domain_of(data), ROWS // scale
    run(data, combos, bins, domain, rows)  # imports and caches
    ours = cpu_seconds(lambda: run(data, combos, bins, domain, rows), 7)
    theirs = cpu_seconds(lambda: original_run(data, combos, bins, rows))
    measure = f"{name} to {rows:,} synthetic rows against the way of 2021 (CPU)"
    return [line(measure, ours, theirs, 50)]


def steps_of_it(scale):
    """What the figure is made of."""
    from turns import cpu_seconds

    _, data = detroit(19_996 // scale)
    combos, bins, _ = load_histogram_settings("detroit")
    domain, rng = domain_of(data), np.random.default_rng(1)
    coded = tk.pre_process(data, combos, bins, domain=domain)
    release = histograms.release_histograms(coded, 1, RECORDS, EPSILON, rng=rng)
    rows = ROWS // scale
    pairs = {
        "codes": (
            lambda: tk.pre_process(data, combos, bins, domain=domain),
            lambda: original_pre_process(data, combos, bins),
        ),
        "four histograms": (
            lambda: histograms.release_histograms(coded, 1, RECORDS, EPSILON, rng=rng),
            lambda: [original_histogram(coded.df, c, 1, RECORDS, 5, EPSILON) for c in combos],
        ),
        "rows, against the draws of one histogram": (
            lambda: histograms.simulate_rows(release, rows, rng=rng),
            lambda: [random.choices(*release["call"], k=1) for _ in range(rows)],
        ),
    }
    return [
        line(f"{name} (CPU)", cpu_seconds(ours, 7), cpu_seconds(theirs), None)
        for name, (ours, theirs) in pairs.items()
    ]


def line(measure, ours, theirs, target):
    """Lay one comparison out."""
    ratio = theirs / ours
    met = "met" if target is None or ratio >= target else "MISSED"
    limit = ("", "") if target is None else (f">= {target}", met)
    return (measure, f"{ours:.4f} s", f"{theirs:.4g} s", f"{ratio:.0f}", *limit)


def steps(scale=1):
    """Benchmarks by the name of their table, for run.py."""
    return [
        ("19,996 x 17", lambda: end_to_end(scale)),
        ("19,996 x 17", lambda: steps_of_it(scale)),
    ]
