"""Checks of tables that live in an engine, and what an engine's failures mean."""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Sequence
from importlib import import_module
from numbers import Integral
from pathlib import Path
from typing import Any, NoReturn

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}

CANNOT = ("OperationNotDefinedError", "UnsupportedOperationError", "UnsupportedBackendType")

LOST = ("connection", "connect", "py4jnetwork", "closed", "stopped")

SETTINGS = {
    "duckdb": ("memory_limit", "temp_directory"),
    "pyspark": ("spark.driver.memory", "spark.local.dir"),
}
"""What memory and temporary folder are called, by engine."""

NEEDS = {
    "duckdb": "DuckDB through Ibis",
    "spark": "Spark through Ibis (and Java 17)",
    "files": "Arrow and the readers of files",
}


def check_extra(module: str, extra: str) -> Any:
    """Return an optional module, or say what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this table needs {NEEDS[extra]}, and {module} is not installed; install it with"
            f" pip install 'privacy-toolkit[{extra}]'."
        ) from error


def check_budget(budget: object) -> int:
    """Return the bytes that a budget means."""
    if isinstance(budget, Integral) and not isinstance(budget, bool) and int(budget) > 0:
        return int(budget)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?b)\s*", str(budget).lower())
    if isinstance(budget, str) and found and 0 < float(found[1]) < 2**53:
        return max(int(float(found[1]) * UNITS[found[2]]), 1)
    raise ValueError(
        f"budget must be a number of bytes, or text such as '500 MB' or '2 GB'; got"
        f" {repr(budget)[:80]}."
    )


def check_engine_column(
    columns: Sequence[str], name: object, argument: str, kind: Any = None
) -> str:
    """Return the name of a column that the table has and whose cells can be compared."""
    if not isinstance(name, str) or name not in columns:
        close = difflib.get_close_matches(str(name), list(columns), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"{argument}: there is no column {name!r}.{hint} The columns are"
            f" {', '.join(map(repr, columns))}."
        )
    nested = getattr(kind, "is_nested", None)
    if (nested is not None and nested()) or (isinstance(kind, str) and "nested" in kind):
        raise TypeError(
            f"{argument}: column {name!r} holds {kind} cells, which cannot be compared; unnest"
            f" it into columns of numbers or text first."
        )
    if kind is not None and not isinstance(kind, str):
        if kind.is_interval() or kind.is_unknown():
            what = "spans of time" if kind.is_interval() else "cells of a type unknown here"
            raise TypeError(
                f"{argument}: column {name!r} holds {what}; make numbers or text of it in the"
                f" engine first, such as CAST({name} AS VARCHAR)."
            )
    return name


def check_names_apart(columns: Sequence[str]) -> None:
    """Refuse names that differ in capitals only, which engines take for one."""
    first: dict[str, str] = {}
    for name in columns:
        other = first.setdefault(name.lower(), name)
        if other != name:
            raise ValueError(
                f"data: columns {other!r} and {name!r} differ in capitals only, and an engine"
                f" takes them for one; rename one of them."
            )


def check_engine_rows(rows: int) -> int:
    """Return the number of rows if there are any."""
    if rows == 0:
        raise ValueError(
            "data has no rows, so nothing can be measured; pass a table with at least one"
            " record."
        )
    return rows


def check_has_key(key: str | None) -> str:
    """Return the key that an answer for each record needs."""
    if key is None:
        raise ValueError(
            "the rows of an engine have no order, so an answer for each record needs a key;"
            " name the column that tells rows apart: open_table(…, key='id')."
        )
    return key


def check_key_values(key: str, rows: int, known: int, different: int) -> None:
    """Refuse a key that is missing somewhere, or names several rows."""
    if known < rows:
        raise ValueError(
            f"key: column {key!r} is missing in {rows - known:,} of {rows:,} rows, so it"
            f" cannot name them; choose a column that is always there."
        )
    if different < rows:
        raise ValueError(
            f"key: column {key!r} has {different:,} values on {rows:,} rows, so it does not"
            f" name each row once; choose a column without repeated values."
        )


def check_folder(path: Path) -> None:
    """Refuse a folder that has no Parquet file at any depth."""
    if path.is_dir() and next(path.glob("**/*.parquet"), None) is None:
        raise FileNotFoundError(
            f"{str(path)!r} is a folder without a .parquet file; name a file, or several by a"
            f" pattern such as '{path.name}/*.csv'."
        )


def check_one_engine_table(there: Sequence[str], table: str | None) -> str:
    """Return the name of the table to open."""
    names = ", ".join(map(repr, sorted(there))) or "none"
    if table is None and len(there) == 1:
        return there[0]
    if table is None:
        raise ValueError(f"table: the database has {len(there)} tables ({names}); say which.")
    if table not in there:
        raise ValueError(f"table: there is no table {table!r}; the tables are {names}.")
    return table


def check_no_collation(default: str | None) -> None:
    """Refuse an engine that compares all text by something but its characters."""
    if default and default.lower() != "binary":
        raise ValueError(
            f"data: this DuckDB compares text by the collation {default!r}, so it would take"
            f" different texts for one; SET default_collation = '' before the table is asked."
        )


def check_beside(beside: Any, kind: type, settings: Any) -> Any:
    """Return the table whose connection is to be used."""
    if not isinstance(beside, kind):
        raise TypeError(
            f"beside must be a table that open_table returned; got"
            f" {type(beside).__module__}.{type(beside).__qualname__}."
        )
    if settings:
        raise ValueError(
            f"beside: the connection is open already, so it takes no settings; got"
            f" {', '.join(settings)}."
        )
    return beside


def check_target(path: Path, there: bool) -> None:
    """Refuse a path that leads nowhere."""
    if not there:
        raise FileNotFoundError(
            errno.ENOENT, "there is no such file or folder; check the path", str(path)
        )


def check_spark_reads(path: Path, endings: Sequence[str]) -> None:
    """Refuse a database that Spark does not read."""
    if path.suffix.lower() in endings:
        raise ValueError(
            f"where: Spark does not read the DuckDB database {path.name!r}; open it without"
            f" Spark, or copy the table to Parquet."
        )


def check_not_the_key(key: str | None, columns: Any, argument: str) -> None:
    """Refuse to measure the column that names the rows."""
    asked = columns if isinstance(columns, (list, tuple)) else [columns]
    if key is not None and key in asked:
        raise ValueError(
            f"{argument}: {key!r} is the key, which names each row and is not measured; open"
            f" the table without it, or with another key, to measure it."
        )


def check_readable(where: object) -> NoReturn:
    """Refuse what no engine reads."""
    came = f"{type(where).__module__}.{type(where).__qualname__}"
    raise TypeError(
        f"where must be a path, an ibis Table or a Spark DataFrame; got {came}. A DataFrame of"
        f" pandas, Polars or Arrow is passed to the metrics as it is."
    )


def engine_error(
    engine: str, doing: str, error: Exception, *, lost: bool = False
) -> Exception:
    """Say what an engine's failure means, in one line, and the way out."""
    kind = type(error).__name__
    # Where in Java it happened is not what happened.
    lines = [line.strip(" :\t") for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("at ", "..."))]
    if len(lines) > 1 and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    first = lines[0] if lines else kind
    what = f"{engine} failed while {doing} ({kind}: {first[:300]})"
    low = f"{kind} {' '.join(lines)}".lower()
    memory, folder = SETTINGS.get(engine, SETTINGS["duckdb"])
    if "no space left" in low or "disk" in low and ("full" in low or "space" in low):
        return OSError(
            errno.ENOSPC,
            f"{what}; free disk space, or point the engine's temporary folder ({folder}) to a"
            f" larger disk.",
        )
    if "outofmemory" in low or "out of memory" in low:
        return MemoryError(
            f"{what}; give the engine more memory ({memory}), or a temporary folder ({folder})"
            f" that it can spill to."
        )
    if kind in CANNOT:
        return TypeError(
            f"{what}; this engine cannot do it (window functions are needed): copy the table"
            f" to Parquet and open that."
        )
    if "java_gateway" in low:
        return RuntimeError(
            f"{what}; Spark needs Java 17: install it, or set JAVA_HOME, and check the master."
        )
    if lost or any(word in low for word in LOST):
        return ConnectionError(f"{what}; open the connection again and repeat the call.")
    return RuntimeError(f"{what}; the engine's own message says more.")


def collected(lazy: Any) -> Any:
    """Return the rows of a lazy table of Polars, which may find only now what is wrong."""
    try:
        return lazy.collect()
    except Exception as error:  # Polars' errors have no class in common but this one
        said = str(error).strip().splitlines() or [""]
        raise ValueError(
            f"data: Polars could not compute the LazyFrame ({type(error).__name__}:"
            f" {said[0]}); correct its query, or pass what its collect() returns."
        ) from None


def check_no_weights(weights: object) -> None:
    """Refuse weights beside a table of an engine, which counts its rows itself."""
    if weights is not None:
        raise ValueError(
            "weights: the rows of an engine have no order, so weights cannot be matched with"
            " them; each row counts once, so repeat rows, or bring the table into memory."
        )


def check_fits_for_priors(fits: bool, name: str) -> None:
    """Refuse a feature with more values than the budget holds."""
    if not fits:
        raise ValueError(
            f"budget: the values of column {name!r} alone exceed it, so they cannot be given"
            f" prior probabilities; raise the budget, or leave the prior of the column out."
        )


def check_numbers(schema: Any, names: Sequence[str]) -> None:
    """Refuse a table of gains with a column that holds no numbers."""
    for name in names:
        if not schema[name].is_numeric():
            raise TypeError(
                f"cig must hold gains in bits; column {name!r} is of type {schema[name]}. Pass"
                f" the result of cell_information_gain with its key, not the table of records."
            )


def check_bins(few: bool, columns: Sequence[str], most: int) -> None:
    """Refuse a sensitive column of too many values."""
    if not few:
        raise ValueError(
            f"sensitive: {' and '.join(map(repr, columns))} has too many values for a distance"
            f" in the engine (over {most:,}); bin it, or raise the budget."
        )


def check_one_engine(together: bool, role: str, size: str) -> None:
    """Refuse two tables that must be compared in an engine, but are not both in it."""
    if not together:
        raise ValueError(
            f"{role}: the class tables exceed the budget ({size}), so both tables must be in"
            f" one engine: open the second with open_table(…, beside=the first), or raise the"
            f" budget."
        )


def check_both_in_engine(together: bool) -> None:
    """Refuse to compare a table of an engine with one that is elsewhere."""
    if not together:
        raise ValueError(
            "original and treated must both be tables of one engine, or both in memory; open"
            " the second with open_table(…, beside=the first)."
        )


def check_keys_agree(before: int, after: int, shared: int) -> None:
    """Refuse tables that do not have the same keys."""
    if not before == after == shared:
        raise ValueError(
            f"treated must hold the rows of original, by their keys; of {before:,} and"
            f" {after:,} keys {shared:,} are in both. Keep suppressed rows, as '*'."
        )


def check_needs_memory(fits: bool, what: str, size: str) -> None:
    """Refuse what cannot be computed in an engine when the class table does not fit."""
    if not fits:
        raise ValueError(
            f"budget: {what} needs the class table in memory, about {size}; raise the budget,"
            f" or ask for fewer or coarser columns."
        )
