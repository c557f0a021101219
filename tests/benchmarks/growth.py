"""How cost grows with rows, columns and classes: python growth.py [FOLDER].

Each subject is measured at three sizes of each, the others held, in CPU seconds (medians of
five); the exponent is the slope of a line through the logarithms. Beside the largest of the
first stands a floor: its bytes, read and written once, at the bandwidth of copies of the same
run. Prints the table in Markdown, and draws the figure into FOLDER (docs).
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import cases
import lattice
import numpy as np
import pandas as pd
from turns import cpu_seconds

import toolkit as tk
from toolkit import open_table
from toolkit.dp.auditing import cases as audit_cases
from toolkit.dp.histograms import release as histograms

SIZES = (2, 5, 10, 50, 100, 1000)


class Case(NamedTuple):
    """One measurement: its size, a call, and the bytes of what goes in and comes out."""

    size: float
    call: Any
    bytes: float


def coded(rows, sizes=SIZES):
    """Independent columns of whole numbers."""
    return pd.DataFrame({f"c{j}": codes for j, codes in enumerate(cases.codes(rows, sizes))})


def weight(data):
    """Bytes of a table."""
    return float(data.memory_usage(index=False, deep=True).sum())


def of_tables(call, out=lambda data: 0.0, tables=None):
    """Cases by rows, by columns and by classes of a function of a table of codes."""
    by = tables or {
        "rows": [coded(rows) for rows in (100_000, 300_000, 1_000_000)],
        "columns": [coded(300_000, SIZES[:n]) for n in (3, 4, 6)],
        "classes": [coded(300_000, (10, 10, 10, n)) for n in (10, 100, 1000)],
    }
    size = {
        "rows": len,
        "columns": lambda data: data.shape[1],
        "classes": lambda data: data.groupby(list(data.columns), observed=True).ngroups,
    }
    return {
        what: [
            Case(size[what](data), lambda d=data: call(d), weight(data) + out(data))
            for data in some
        ]
        for what, some in by.items()
    }


def metrics(data):
    """k, l, t, beta and delta of a class table; the last column is sensitive."""
    *known, sensitive = data.columns
    classes = tk.equivalence_classes(data, known, sensitive)
    for measure in (tk.k_anonymity, tk.l_diversity, tk.t_closeness, tk.basic_beta_likeness):
        measure(classes)
    tk.delta_disclosure(classes)


def in_duckdb(folder):
    """The same in DuckDB, from Parquet."""

    def written(data):
        path = Path(folder) / f"{len(data)}-{data.shape[1]}-{data.iloc[:, -1].max()}.parquet"
        if not path.exists():
            data.assign(id=np.arange(len(data))).to_parquet(path)
        return path

    def call(data):
        *known, sensitive = data.columns
        table = open_table(written(data), key="id")
        tk.check_privacy(table, known, sensitive, k=2, l=2, t=0.5, beta=1, delta=1)

    return of_tables(call)


def search():
    """Optimal generalisation: rows, columns and nodes of the lattice."""
    data, trees, _ = lattice.work()
    data, asked = data[lattice.NAMES], {"k": 5, "suppression_limit": 0.05}

    def case(table, names, size):
        return Case(
            size,
            lambda: tk.optimal_generalisation(table, names, trees, **asked),
            2 * weight(table[names]),
        )

    many = pd.concat([data] * 8, ignore_index=True).sample(frac=1, random_state=0)
    names = lattice.NAMES[:7]
    nodes = {n: lattice_nodes(trees, lattice.NAMES[:n]) for n in (5, 7, 9)}
    return {
        "rows": [case(many.head(n), names, n) for n in (25_000, 75_000, 225_000)],
        "columns": [case(data, lattice.NAMES[:n], n) for n in (5, 7, 9)],
        "classes": [case(data, lattice.NAMES[:n], nodes[n]) for n in (5, 7, 9)],
    }


def lattice_nodes(trees, names):
    """Nodes of the lattice of some columns."""
    return int(np.prod([trees[name].shape[1] for name in names]))


def copula(data):
    """Individual uniqueness of everybody."""
    rng = np.random.default_rng(1)
    tk.copula_uniqueness(data, list(data.columns), fraction=0.1, rng=rng, points=64)


def private():
    """Private histograms: records, combinations and cells."""

    def case(records, combinations, cells, size):
        rng = np.random.default_rng(1)
        data = pd.DataFrame({"person_i": np.arange(records)})
        for j in range(combinations):
            data[f"a{j}_c"] = rng.integers(0, cells, records)
        combos = {f"h{j}": [f"a{j}_c"] for j in range(combinations)}
        domain = {f"a{j}_c": range(cells) for j in range(combinations)}

        def call():
            coded = tk.pre_process(data, combos, {}, domain=domain)
            histograms.release_histograms(coded, 1, 1, 1.0, rng=np.random.default_rng(1))

        return Case(size, call, weight(data) + 16.0 * cells * combinations)

    return {
        "rows": [case(n, 2, 10_000, n) for n in (100_000, 300_000, 1_000_000)],
        "columns": [case(100_000, n, 10_000, n) for n in (2, 4, 8)],
        "classes": [case(100_000, 1, n, n) for n in (100_000, 1_000_000, 10_000_000)],
    }


def auditor():
    """An audit of numbers, by its samples."""
    arguments = audit_cases.kept()["Laplace"].arguments()

    def case(n):
        samples = (n // 4, n)
        rng = np.random.default_rng(1)
        return Case(n, lambda: tk.audit(**arguments, samples=samples, rng=rng), 16 * 1.25 * n)

    return {"rows": [case(n) for n in (50_000, 200_000, 800_000)]}


def worlds():
    """Exact ε, by worlds."""

    def case(m):
        outputs = np.random.default_rng(5).lognormal(size=m)
        return Case(m, lambda: tk.tight_epsilon(outputs, 0.1), 8.0 * m)

    return {"rows": [case(m) for m in (30_000, 100_000, 300_000)]}


def subjects(folder):
    """What is measured, by name."""
    columns = {
        "rows": [lattice.mixed(n) for n in (30_000, 100_000, 300_000)],
        "columns": [lattice.mixed(100_000).iloc[:, :n] for n in (2, 4, 6)],
    }

    def known(function, **options):
        return lambda data: function(data, list(data.columns), **options)

    few = {
        "rows": [coded(n) for n in (30_000, 100_000, 300_000)],
        "columns": [coded(100_000, SIZES[:n]) for n in (3, 4, 6)],
        "classes": [coded(100_000, (10, 10, 10, n)) for n in (10, 100, 1000)],
    }
    return {
        "information_factors": of_tables(tk.information_factors, lambda d: 16.0 * d.size),
        "k, l, t, beta, delta": of_tables(metrics),
        "the same in DuckDB": in_duckdb(folder),
        "optimal_generalisation (classes: nodes)": search(),
        "mondrian, k = 10": of_tables(known(tk.mondrian, k=10), weight, columns),
        "suda_uniques": of_tables(known(tk.suda_uniques, progress=False), tables=few),
        "population_uniques": of_tables(known(tk.population_uniques, fraction=0.1)),
        "copula_uniqueness": of_tables(copula, tables=few),
        "private histograms (columns: combinations)": private(),
        "audit (rows: samples)": auditor(),
        "tight_epsilon (rows: worlds)": worlds(),
    }


def bandwidth(size=1 << 28):
    """Bytes that a copy reads and writes in a second."""
    source, target = np.ones(size // 8), np.zeros(size // 8)
    return 2 * size / cpu_seconds(lambda: np.copyto(target, source))


def exponent(points):
    """Slope of a line through the logarithms of sizes and seconds."""
    sizes, seconds = np.log(np.array(points)).T
    return float(np.polyfit(sizes, seconds, 1)[0])


def measured(folder):
    """Size and seconds of each case, and the floor of the largest table."""
    speed = bandwidth()
    found = {}
    for name, kinds in subjects(folder).items():
        start = time.perf_counter()
        points = {
            what: [(one.size, cpu_seconds(one.call)) for one in some]
            for what, some in kinds.items()
        }
        found[name] = points, kinds["rows"][-1].bytes / speed
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return speed, found


def table(speed, found):
    """Seconds of the most rows, its floor, and exponents, in Markdown."""
    lines = [
        f"Copies read and write {speed / 1e9:.1f} GB/s (one thread, CPU).\n",
        "| what | most rows | seconds (CPU) | floor | exponent: rows | columns | classes |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, (points, floor) in found.items():
        size, seconds = points["rows"][-1]
        slopes = [
            f"{exponent(points[what]):.2f}" if what in points else ""
            for what in ("rows", "columns", "classes")
        ]
        cells = [name, f"{size:,}", f"{seconds:.3g}", f"{floor:.2g}", *slopes]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(found, path):
    """Seconds over rows, columns and classes, on axes of logarithms."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    fig = Figure(figsize=(8, 4.6), layout="constrained")
    whats = ("rows", "columns", "classes")
    axes = fig.subplots(1, 3, sharey=True)
    for ax, what in zip(axes, whats, strict=True):
        for j, (name, (points, _)) in enumerate(found.items()):
            if what in points:
                line = np.array(points[what]).T
                colour = f"C{j}" if j < 10 else "black"
                ax.loglog(*line, marker="osD^v"[j % 5], ms=4, color=colour, label=name)
        ax.set_xlabel(what)
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    axes[1].set_xticks([2, 4, 6, 9], labels=["2", "4", "6", "9"])
    axes[1].xaxis.set_minor_locator(NullLocator())
    axes[0].set_ylabel("seconds (CPU)")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    fig.savefig(path, dpi=110)


def main():
    with tempfile.TemporaryDirectory() as folder:
        speed, found = measured(folder)
    print(table(speed, found))
    if len(sys.argv) > 1:
        draw(found, Path(sys.argv[1]) / "growth.png")


if __name__ == "__main__":
    main()
