"""Which table is in this file? Any common kind, with separator and encoding found or given."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from ._validate_files import (
    check_ending,
    check_one_member,
    check_only_for,
    check_read,
    check_separator,
    check_sheet,
    check_text,
    check_there,
    no_package,
    no_text,
    unreadable,
)

__all__ = ["read_table"]

TEXTS = (".csv", ".tsv", ".tab", ".txt")
WORKBOOKS = (".xlsx", ".xlsm", ".xls")
COLUMNAR = (".parquet", ".pq", ".feather", ".arrow")
SEPARATORS = ",;\t|"
"""Where cells may end; a space or another character has to be given."""

HEAD = 1 << 16
"""Bytes that are looked at to find separator and encoding."""

HEAD_CELLS = 100
"""Cells of a column that tell most texts from numbers."""

WITH_COMMA = r"[-+]?(?:0|[1-9]\d*)(?:,\d+)?"
"""A number, perhaps with a decimal comma; one that starts with a 0 too many is a code."""


def read_table(
    path: Any, *, separator: Any = None, encoding: str | None = None, sheet: Any = None
) -> pd.DataFrame:
    r"""Read a table from a file of any common kind.

    Parameters
    ----------
    path : path
        A text (.csv, .tsv, .tab, .txt), Parquet file or folder of such (.parquet, .pq),
        Feather or Arrow file (.feather, .arrow), or Excel workbook (.xlsx, .xlsm, .xls); also
        compressed (.gz, .bz2, .xz, .zst, .zip).
    separator : character, optional
        What the cells of a text end at, or its name, such as "tab". By default the one of
        ``, ; |`` and tab that splits the first lines into most cells, and all of them alike.
    encoding : str, optional
        How a text is encoded; by default UTF-8 or, if it is not, the most likely one.
    sheet : optional
        Which sheet of a workbook; needed if it has several.

    Returns
    -------
    DataFrame
        The table, as written: codes with leading zeros stay text. An empty cell is missing.
        Where no comma ends a cell it may stand in a number: 70,5.

    Raises
    ------
    FileNotFoundError, ImportError, ValueError
        In one line with the way out: there is no such file, it is empty, it is no table, or
        its text cannot be decoded.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("town;zip\nA;0200\nB;2600\n")
    ...     read_table(path)
      town   zip
    0    A  0200
    1    B  2600
    """
    path, separator = check_there(Path(path)), check_separator(separator)
    if path.is_dir():
        return check_read(_columnar(path, ".parquet", None), path, None)
    inner, opened = _unpacked(path)
    ending = check_ending(inner, TEXTS + WORKBOOKS + COLUMNAR)
    if ending not in TEXTS:
        check_only_for(separator, "a separator", "texts", path)
        check_only_for(encoding, "an encoding", "texts", path)
    if ending not in WORKBOOKS:
        check_only_for(sheet, "a sheet", "workbooks", path)
    if ending in TEXTS:
        return _text(path, _content(path, opened), separator, encoding)
    content = None if opened is None else io.BytesIO(_content(path, opened))
    if ending in COLUMNAR:
        return check_read(_columnar(path, ending, content), path, None)
    return check_read(_workbook(path, content or path, sheet), path, None)


def _unpacked(path: Path) -> tuple[Path, Callable[[], bytes] | None]:
    """Name of the table inside, and how to get at its bytes if it is compressed."""
    packed = path.suffix.lower()
    inner = path.with_suffix("")
    if packed == ".zip":
        try:
            archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise unreadable(path, "a zip archive", error) from None
        with archive:
            files = [one.filename for one in archive.infolist() if not one.is_dir()]
        files = [name for name in files if not name.startswith("__MACOSX/")]
        member = check_one_member(files, path)
        return Path(member), lambda: zipfile.ZipFile(path).read(member)
    readers: dict[str, Callable[[], bytes]] = {
        ".gz": lambda: gzip.decompress(path.read_bytes()),
        ".bz2": lambda: bz2.decompress(path.read_bytes()),
        ".xz": lambda: lzma.decompress(path.read_bytes()),
        ".zst": lambda: _zstandard(path),
    }
    return (inner, readers[packed]) if packed in readers else (path, None)


def _zstandard(path: Path) -> bytes:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise no_package(path, error) from None
    with pa.CompressedInputStream(pa.OSFile(str(path)), "zstd") as stream:
        return bytes(stream.read())


def _content(path: Path, opened: Callable[[], bytes] | None) -> bytes:
    """All bytes of the table."""
    if opened is None:
        return path.read_bytes()
    try:
        return opened()
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
        raise unreadable(path, f"a {path.suffix} file", error) from None


def _text(
    path: Path, content: bytes, separator: str | None, encoding: str | None
) -> pd.DataFrame:
    """Read a text whose separator and encoding are given or found."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = encoding or "utf-16"
    check_text(content, encoding, path)
    encoding = encoding or _encoding(content)
    if (said := re.match(rb"(?:\xef\xbb\xbf)?sep=(.)\r?\n", content)) is not None:
        content = content[said.end() :]  # a line for spreadsheets
        separator = separator or said[1].decode("ascii", errors="ignore") or None
    found = separator or ("\t" if _is_tabbed(path) else ",")
    try:
        if separator is None and not _is_tabbed(path):
            found = _separator(content[:HEAD].decode(encoding, errors="ignore"))
        data = _cells(content, found, encoding)
        data = data if found == "," else _with_decimal_commas(data)
    except (UnicodeError, LookupError) as error:
        raise no_text(path, encoding, error) from None
    except (pd.errors.ParserWarning, csv.Error, ValueError) as error:
        raise unreadable(path, f"a text whose cells end at {found!r}", error) from None
    return check_read(data, path, found)


def _cells(content: bytes, separator: str, encoding: str) -> pd.DataFrame:
    """Cells of a text; columns with a number that starts with a 0 are codes, and stay text."""
    options: dict[str, Any] = {"sep": separator, "encoding": encoding, "index_col": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells would be lost
        data: pd.DataFrame = pd.read_csv(io.BytesIO(content), low_memory=False, **options)
        data = _with_whole_numbers(data)
        numbers = data.select_dtypes("number").columns
        if not len(numbers) or not re.search(rb"\W0\0?\d", content):
            return data
        texts = pd.read_csv(io.BytesIO(content), dtype=str, usecols=[*numbers], **options)
    codes = [name for name in numbers if texts[name].str.fullmatch(r"\s*0\d+\s*").any()]
    for name in codes:
        data[name] = texts[name]
    return data


def _with_whole_numbers(data: pd.DataFrame) -> pd.DataFrame:
    """Whole numbers stay whole where some are missing: a postcode of 3012.0 is none."""
    for name, column in data.select_dtypes("float").items():
        known = column.dropna()
        some = 0 < len(known) < len(column)
        if some and (known % 1 == 0).all() and (known.abs() < 2**53).all():
            data[name] = column.astype("Int64")
    return data


def _with_decimal_commas(data: pd.DataFrame) -> pd.DataFrame:
    """Texts such as 70,5 as numbers; 1,234 and 5,678 may be either, and stay as they are."""
    for name in data.columns[
        [not pd.api.types.is_numeric_dtype(kind) for kind in data.dtypes]
    ]:
        head = data[name].dropna().head(HEAD_CELLS)
        if not all(re.fullmatch(WITH_COMMA, str(cell).strip()) for cell in head):
            continue
        written = pd.Series(data[name].dropna().unique()).astype(str).str.strip()
        if not written.str.fullmatch(WITH_COMMA).all():
            continue
        if (written.str.contains(",") & ~written.str.contains(r",\d{3}$")).any():
            data[name] = data[name].str.replace(",", ".").astype(float)
    return data


def _is_tabbed(path: Path) -> bool:
    return {".tsv", ".tab"} & {ending.lower() for ending in path.suffixes} != set()


def _encoding(content: bytes) -> str:
    """UTF-8 if it is, else the most likely encoding; of several cp1252, of Windows."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            from charset_normalizer import from_bytes
        except ImportError:
            return "cp1252"
        matches = list(from_bytes(content[: 16 * HEAD]))
        if not matches:
            return "cp1252"
        least = (matches[0].chaos, -matches[0].coherence)
        likely = [m for m in matches if (m.chaos, -m.coherence) <= least]
        names = {name for match in likely for name in match.could_be_from_charset}
        return "cp1252" if "cp1252" in names else str(matches[0].encoding)
    return "utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8"


def _separator(head: str) -> str:
    """The character at which all first lines have most cells, and all as many."""
    lines = head.splitlines()[:50]
    lines = lines[:-1] if len(lines) > 2 else lines  # the last may be cut
    marks = {
        mark: [len(row) for row in csv.reader(lines, delimiter=mark)] for mark in SEPARATORS
    }
    alike = {mark: min(cells) for mark, cells in marks.items() if len({*cells}) == 1}
    usual = {mark: sorted(cells)[len(cells) // 2] for mark, cells in marks.items() if cells}
    best = max(alike, key=lambda mark: alike[mark], default=",")
    return best if alike.get(best, 0) > 1 else max(usual, key=lambda mark: usual[mark])


def _columnar(path: Path, ending: str, content: Any) -> pd.DataFrame:
    """Read a Parquet file, a folder of them, or a Feather file."""
    feather = ending in (".feather", ".arrow")
    try:
        read = pd.read_feather if feather else pd.read_parquet
        data: pd.DataFrame = read(path if content is None else content)
        return data
    except ImportError as error:
        raise no_package(path, error) from None
    except Exception as error:  # pyarrow's errors have no class in common but this one
        raise unreadable(path, "Feather" if feather else "Parquet", error) from None


def _workbook(path: Path, content: Any, sheet: Any) -> pd.DataFrame:
    """Read one sheet of a workbook."""
    try:
        book = pd.ExcelFile(content)
    except ImportError as error:
        raise no_package(path, error) from None
    except Exception as error:  # each reader has errors of its own
        raise unreadable(path, "a workbook", error) from None
    with book:
        name = check_sheet(sheet, book.sheet_names, path)
        # A cell that is text stays text, even if it looks like a number.
        table: pd.DataFrame = pd.read_excel(book, sheet_name=name, dtype=object)
        return table.infer_objects()
