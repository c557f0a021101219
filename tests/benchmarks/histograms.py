"""Private histograms: Detroit from table to synthetic rows, against the way of 2021.

`original_...` restates how PrivacyHistos computes, step by step and cell by cell: a function
call per cell to convert it, a sample drawn group by group, the sum of all weights once per
weight, one draw per row and one call per value to decode it. The answers are not compared
here but in the tests.
"""

import random

import numpy as np
import pandas as pd

import toolkit as tk

RECORDS, ROWS, EPSILON = 1, 20_000, 1.0


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


def against_2021(rows, row):
    """Codes, four histograms and their rows, both ways."""
    import cases  # tests import this module as one of a package
    from clock import in_turns

    data, combos, bins, domain = cases.detroit(rows)
    rng = np.random.default_rng(1)

    def ours():
        coded = tk.pre_process(data, combos, bins, domain=domain)
        release = tk.release_histograms(coded, 1, RECORDS, EPSILON, rng=rng)
        return tk.simulate_rows(release, rows, rng=rng)

    task = "table to synthetic rows; the way of 2021"
    times = in_turns([ours, lambda: original_run(data, combos, bins, rows)], 3)
    return row(task, *times, 50, faster=True)
