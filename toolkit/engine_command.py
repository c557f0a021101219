"""Options of `privacy-metrics` for tables that stay in DuckDB or Spark."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from ._validate_engines import check_extra, check_needs_memory, check_no_options, engine_error
from ._validate_files import check_database_table
from .engine_distinct import bytes_of_rows
from .engine_files import DUCKDB_FILES, is_database, is_pattern
from .engines import (
    EngineTable,
    clear_errors,
    fetch,
    frame_of_arrow,
    open_table,
    size_in_words,
)

__all__ = ["add_engine_options", "called", "engine_tables", "rows_of", "wants_engine"]

QUIET: dict[str, bool | str | int | float | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
OF_TEXTS = ("separator", "encoding", "sheet")
"""Options of files that are read into memory."""


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add what says where a table lives and how much of it may come here."""
    parser.add_argument("--table", dest="database_table", help="table of a .duckdb file")
    parser.add_argument("--spark", metavar="MASTER", help="read with Spark, such as local[4]")
    parser.add_argument("--budget", help="memory for distinct rows, such as '2 GB' (1 GB)")
    parser.add_argument("--memory-limit", type=_size, help="memory of the engine, such as 4GB")
    parser.add_argument("--key", help="column that names a row, which is not measured")


def _size(text: str) -> str:
    """Size of memory as both engines take it; DuckDB takes one below 0 for no limit."""
    if not re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]+)?\s*([kmgt]i?b?|%)\s*", text.lower()):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no size of memory, such as 4GB")
    return text


def wants_engine(options: argparse.Namespace) -> bool:
    """Whether the table is asked where it lives: a folder, a pattern, a database, Spark."""
    path = options.table
    if not path:
        return False
    asked = [options.spark, options.budget, options.memory_limit, options.key]
    return (
        any(one is not None for one in [*asked, options.database_table])
        or is_pattern(Path(path))
        or is_database(Path(path))
        or Path(path).is_dir()
    )


@contextlib.contextmanager
def engine_tables(
    options: argparse.Namespace,
) -> Iterator[tuple[EngineTable, EngineTable | None]]:
    """Open the table, and the population if there is one, in one engine."""
    check_no_options({name: getattr(options, name) for name in OF_TEXTS})
    check_database_table(options.table, options.database_table, DUCKDB_FILES)
    with _session(options) as session:
        settings: dict[str, Any] = {}
        if options.memory_limit and session is None:
            settings["memory_limit"] = options.memory_limit
        more: dict[str, Any] = {"budget": "1 GB" if options.budget is None else options.budget}
        table = open_table(
            options.table,
            table=options.database_table,
            key=options.key,
            spark=session,
            **more,
            **settings,
        )
        people = None
        if options.population:
            people = open_table(options.population, beside=table, **more)
        yield table, people


@contextlib.contextmanager
def _session(options: argparse.Namespace) -> Iterator[Any]:
    """A Spark session with the master that was named, stopped in the end if it is new."""
    if not options.spark:
        yield None
        return
    check_extra("pyspark", "spark")
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    builder = SparkSession.builder.master(options.spark).appName("privacy toolkit")
    builder = builder.config(map=QUIET)
    if options.spark.startswith("local"):  # no port that other machines reach
        builder = builder.config("spark.driver.host", "127.0.0.1")
    if options.memory_limit:
        builder = builder.config("spark.driver.memory", options.memory_limit.lower())
    try:
        session = builder.getOrCreate()
    except Exception as error:
        doing = f"starting with {options.spark!r}"  # when it has read no cell
        raise engine_error("pyspark", doing, error, words=True) from error
    try:
        yield session
    finally:
        session.stop()


def called(path: str) -> str:
    """Name of a table in a report: of its file or folder; of the folder, for a pattern."""
    where = Path(path).absolute()
    return (where.parent if is_pattern(where) else where).name


def rows_of(table: EngineTable) -> pd.DataFrame:
    """All records if they fit the budget, without the key, in whose order they are."""
    size = bytes_of_rows(table.records, table.features)
    fits = size <= table.budget
    check_needs_memory(fits, "this command (for roles, or a report)", size_in_words(size))
    cells = table.cells
    if table.key is not None:
        cells = cells.order_by(table.checked_key)
    with clear_errors(table, "fetching the records"):
        return frame_of_arrow(fetch(cells.select(*table.features)))
