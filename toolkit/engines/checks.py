"""Checks of tables in an engine, and messages for an engine's failures."""

from __future__ import annotations

import codecs
import difflib
import errno
import os
import re
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, NoReturn

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


CANNOT = ("OperationNotDefinedError", "UnsupportedOperationError", "UnsupportedBackendType")


SAID = (
    *(
        "BinderException",
        "CatalogException",
        "ConnectionException",
        "FatalException",
        "HTTPException",
    ),
    *("IOException", "OSError", "FileNotFoundError", "OutOfMemoryException"),
    *("PermissionException", "PermissionError", "MissingExtensionException"),
)
"""Errors whose words are about files, names and memory."""


MISFITS = ("ConversionException", "OutOfRangeException", "ArrowInvalid", "DecimalException")


LOST = ("connection", "connect", "py4jnetwork", "closed", "stopped")


SETTINGS = {
    "duckdb": ("memory_limit", "temp_directory"),
    "pyspark": ("spark.driver.memory", "spark.local.dir"),
}
"""What memory and temporary folder are called, by engine."""


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
        if kind.is_interval() or kind.is_unknown() or kind.is_null():
            what = "spans of time" if kind.is_interval() else "cells of a type unknown here"
            what = "missing cells only, which have no type" if kind.is_null() else what
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


def check_folder(path: Path, files: Sequence[Path]) -> None:
    """Refuse a folder that has no Parquet file at any depth."""
    if not files:
        raise FileNotFoundError(
            f"{str(path)!r} is a folder without a .parquet file; name a file, or several by a"
            f" pattern such as '{path.name}/*.csv'."
        )


def check_one_kind(paths: Sequence[Path], texts: Sequence[bool]) -> None:
    """Refuse CSV beside Parquet, one file twice, and what is no file, such as a pipe."""
    seen: dict[Any, Path] = {}
    for path, text in zip(paths, texts, strict=True):
        check_text_name(path)
        first = seen.setdefault((path.stat().st_dev, path.stat().st_ino), path)
        if first is not path:
            raise ValueError(
                f"where: {str(path)!r} and {str(first)!r} are one file, whose records would"
                f" count twice; take one of the two out."
            )
        if not path.is_file():
            raise ValueError(f"where: {str(path)!r} is neither a file nor a folder.")
        if text is not texts[0]:
            raise ValueError(
                f"where: the pattern stands for CSV and other files ({paths[0].name!r},"
                f" {path.name!r}); name files of one kind."
            )


def check_text_name(path: Path) -> None:
    """Refuse a name that no engine can be told."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"where: the name {ascii(str(path))} is not UTF-8, so no engine can be told it;"
            f" rename it first."
        ) from None


def check_partitions(paths: Sequence[Path], keys: Sequence[Sequence[str]]) -> None:
    """Refuse files in folders whose names give them different columns."""
    for path, own in zip(paths, keys, strict=True):
        if list(own) != list(keys[0]) or len({key.lower() for key in own}) < len(own):
            raise ValueError(
                f"where: the folders of {str(path)!r} and {str(paths[0])!r} do not give them"
                f" the same columns (by names such as 'year=2020'); bring the files together"
                f" under one way of naming folders."
            )


def check_columns_agree(
    path: Path,
    schema: Mapping[str, str],
    first: Path,
    columns: Mapping[str, str],
    folders: Collection[str],
) -> None:
    """Refuse a file whose columns are not those of the first one, or are in its path, too."""
    twice = [name for name in schema if name.lower() in folders]
    if twice:
        raise ValueError(
            f"where: {str(path)!r} has a column {twice[0]!r}, and the name of its folder gives"
            f" one, too; rename one of the two."
        )
    if schema == columns:
        return
    apart = sorted(schema.keys() ^ columns.keys())
    kinds = [name for name in schema if schema[name] != columns.get(name)]
    what = (
        f"column {apart[0]!r} is in one of them only"
        if apart
        else f"column {kinds[0]!r} is {schema[kinds[0]]} in one and {columns[kinds[0]]} in the"
        f" other"
    )
    raise ValueError(
        f"where: {str(path)!r} and {str(first)!r} do not have the same columns: {what}. Write"
        f" all files with the same columns and types, or open those that agree."
    )


def check_heads_agree(paths: Sequence[Path], heads: Sequence[Any]) -> None:
    """Refuse CSV files whose first lines differ."""
    for path, head in zip(paths, heads, strict=True):
        if head != heads[0]:
            raise ValueError(
                f"where: {str(path)!r} and {str(paths[0])!r} do not have the same columns in"
                f" their first lines; open those that agree."
            )


def check_text_head(content: bytes, path: Path) -> str:
    """Return the first lines of a CSV file that DuckDB reads as `read_table` does."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(content)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ValueError(
            f"{str(path)!r} is not text in UTF-8, which an engine needs; read it with"
            f" read_table(…, encoding=…), and write it as Parquet."
        )
    if not text.split("\n", 1)[0].strip():
        raise ValueError(
            f"{str(path)!r} is empty, or begins with an empty line; it needs a line of names"
            f" first, then records."
        )
    return text


def check_numbers_alike(name: str, fine: bool) -> None:
    """Refuse a column of numbers of which a CSV file gives no exact type."""
    if not fine:
        raise ValueError(
            f"data: column {name!r} has numbers of 16 or more digits that are not told apart"
            f" in 64 bits; read the table with read_table, and write it as Parquet."
        )


def no_parquet(path: Path) -> ValueError:
    """Say that a file is no Parquet, whatever its name is."""
    return ValueError(
        f"{str(path)!r} cannot be read as Parquet; take it out of the folder or pattern, or"
        f" write it anew."
    )


def check_no_digits_lost(path: Path, columns: Sequence[Any], fine: bool) -> None:
    """Refuse columns of Parquet that engines round, so that different cells become equal."""
    for one in columns:
        long = one.logical_type.type == "DECIMAL" and one.precision > 38
        if long or (fine and one.physical_type == "INT96"):
            what = (
                "decimal numbers of more than 38 digits" if long else "parts of microseconds"
            )
            raise TypeError(
                f"data: column {one.path!r} of {path.name!r} holds {what}, which an engine"
                f" rounds; read the table with read_table, or write the column as text."
            )


def no_csv(paths: Sequence[Path], separator: str, said: str) -> ValueError:
    """Say that a CSV file is not regular, without its cells."""
    line = re.search(r"CSV Error on Line: (\d+)|\bline (\d+)\b", said)
    place = f" (line {line[1] or line[2]})" if line else ""
    one = f"{str(paths[0])!r}{' or another of the files' if len(paths) > 1 else ''}"
    return ValueError(
        f"{one} cannot be read as a text in UTF-8 whose cells end at {separator!r}{place}: an"
        f" engine needs as many cells in each record as the first line has names, quotes that"
        f" are closed, and lines that end alike. Correct it, or read it with read_table and"
        f" write it as Parquet."
    )


def not_read_alike(path: Path) -> ValueError:
    """Say that a CSV file means different things to different readers."""
    return ValueError(
        f"{str(path)!r} has blanks between a separator and a quote, which readers take"
        f" differently; read it with read_table, and write it as Parquet."
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


def check_goes_there(path: Any) -> Path:
    """Return where Parquet is to be written, which is no folder of something else."""
    target = Path(path)
    # Path leaves out what says "into this folder".
    if str(path).endswith(("/", os.sep)) or target.is_dir() and not _is_written(target):
        raise ValueError(
            f"path: {str(path)!r} is a folder, and what is in it is not replaced; name a file"
            f" in it, such as {str(target / 'result.parquet')!r}."
        )
    check_target(target.parent, target.parent.exists())
    return target


def _is_written(folder: Path) -> bool:
    """Whether all in a folder is of one table that an engine wrote as Parquet, or nothing."""
    plain = re.compile(r"part-.*\.parquet|_SUCCESS|\.(part-.*\.parquet|_SUCCESS)\.crc")
    parts = list(folder.iterdir())
    known = (plain.fullmatch(one.name) and one.is_file() for one in parts)
    return "_SUCCESS" in {one.name for one in parts} and all(known)


def check_files_allowed(allowed: bool, path: Path) -> None:
    """Refuse a file beside a view of a database, whose connection reads none."""
    if not allowed:
        raise ValueError(
            f"beside: that connection reads no files, as it has a view of a database, which"
            f" could read any; open {path.name!r} without beside, or make a table of the view"
            f" in its database."
        )


def check_no_shapes(kinds: Mapping[str, str]) -> None:
    """Refuse shapes, for which DuckDB would fetch an extension, and times that lose a zone."""
    for name, kind in kinds.items():
        if "TIME WITH TIME ZONE" in kind:
            raise TypeError(
                f"data: column {name!r} holds times of the day with a time zone ({kind}),"
                f" which is lost on the way here; leave the column out, or make text of it in"
                f" the database."
            )
        if "GEOMETRY" in kind:
            raise TypeError(
                f"data: column {name!r} holds shapes ({kind}), which need an extension that is"
                f" not fetched; leave the column out, or make text of it in the database."
            )


def check_view_alone(beside: bool, view: str, path: Path) -> None:
    """Refuse a view on a connection that reads files."""
    if beside:
        raise ValueError(
            f"table: {view!r} is a view of the database {path.name!r}, which could read any"
            f" file of this machine, and is opened only on a connection of its own; open it"
            f" without beside, or make a table of it in its database."
        )


def check_no_table(table: str | None, path: Path) -> None:
    """Refuse the name of a table of what is no database."""
    if table is not None:
        raise ValueError(
            f"table: {path.name!r} is not a DuckDB database, so it has no table {table!r};"
            f" leave table out."
        )


def check_no_options(options: Mapping[str, Any]) -> None:
    """Refuse what says how a file is read into memory, of a table that stays in an engine."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ValueError(
            f"--{given[0]} is for a file that is read into memory, and this table is asked in"
            f" an engine; leave it out, or leave out what asks an engine (such as --budget)."
        )


def check_spark_reads(path: Path, database: bool) -> None:
    """Refuse a database that Spark does not read."""
    if database:
        raise ValueError(
            f"where: Spark does not read the DuckDB database {path.name!r}; open it without"
            f" Spark, or copy the table to Parquet."
        )


def check_spark_text(path: Path, text: bool) -> None:
    """Refuse CSV, of which Spark loses what does not fit."""
    if text:
        raise ValueError(
            f"where: {path.name!r} is CSV, in which Spark takes other cells for numbers and"
            f" for missing than read_table does; open it without Spark, copy it to Parquet, or"
            f" pass the Spark DataFrame that you read yourself."
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


def is_interrupt(error: Exception) -> bool:
    """Whether an error is what DuckDB makes of Ctrl-C."""
    return type(error).__name__ == "InterruptException" or (
        isinstance(error, RuntimeError) and str(error).strip() == "Query interrupted"
    )


def may_be_said(error: Exception) -> bool:
    """Whether an engine's own words hold no cell: of files, memory, names and connections."""
    kind = type(error).__name__
    return kind in SAID or kind in CANNOT or "JAVA_GATEWAY" in str(error)


def engine_error(
    engine: str,
    doing: str,
    error: Exception,
    *,
    lost: bool = False,
    words: bool | None = None,
) -> Exception:
    """Say what an engine's failure means, in one line without a cell, and the way out.

    `words` says whether the engine's own words are among it; by default if they hold no cell.
    """
    kind = type(error).__name__
    # Where in Java it happened is not what happened.
    lines = [line.strip(" :\t") for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("at ", "..."))]
    if len(lines) > 1 and lines[0].startswith("An error occurred while calling"):
        del lines[0]
    first = lines[0] if lines else kind
    named = re.match(r"\[[A-Z0-9_.]+\]", first)  # what Spark calls it
    words = may_be_said(error) if words is None else words
    said = f": {first[:300]}" if words else f": {named[0]}" if named else ""
    what = f"{engine} failed while {doing} ({kind}{said})"
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
    if kind == "PermissionException":
        return PermissionError(
            f"{what}; a view of a database may read no other file: if you trust it, make a"
            f" table of it there."
        )
    if kind == "IbisTypeError":
        return TypeError(
            f"{what}; a column is of a type whose cells cannot be compared there: make text of"
            f" it before you open the table."
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
    if kind in MISFITS or re.search(r"cast|convert|overflow|out of range", low):
        return RuntimeError(
            f"{what}; a cell does not fit the type that a column is to have: correct the"
            f" definition of the view or question, or make text of the column in the engine."
        )
    return RuntimeError(f"{what}; ask the engine itself, whose own words could show cells.")


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
