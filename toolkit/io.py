"""Tables from files: text such as CSV, Parquet, Feather and workbooks.

All cells of a text file are read as strings. A column becomes numbers if all its cells are
numbers, none has an extra leading zero, and no digit is lost. So codes stay codes.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._arguments import check_number, listed
from ._typing import check_extra, column_of_arrow

TEXTS = (".csv", ".tsv", ".tab", ".txt")
WORKBOOKS = (".xlsx", ".xlsm")
PARQUET = (".parquet", ".pq")
FEATHER = (".feather", ".arrow")
PACKED = ".gz"
UNPACKED = 1 << 30  # most bytes that a compressed file may unpack to
SHEET_CELLS = 10_000_000

AS_WRITTEN: Any = {"header": None, "keep_default_na": False, "na_values": [""]}
HEAD = 1 << 16  # bytes that are searched for the separator and the names
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
WESTERN = "àâäáçèéêëìíîïñòóôöœùúûüßÀÂÄÁÇÈÉÊËÌÍÎÏÑÒÓÔÖŒÙÚÛÜ"
SIGNS = "€£°§«»“”„–…¡¿ºª²³µ½’‘\u00a0"

MISSING = ("NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>")
TRUTH = "true|True|TRUE|false|False|FALSE"
WHOLE = r"[-+]?(?:0|[1-9]\d*)"
POINT = rf"(?i:(?:{WHOLE}(?:\.\d*)?|[-+]?\.\d+)(?:e[-+]?\d+)?|[-+]?inf(?:inity)?)"
COMMA = rf"{WHOLE}(?:,\d+)?"
EITHER = r"[-+]?[1-9]\d{0,2},\d{3}"  # a decimal comma or a thousands separator
THOUSANDS = r"[-+]?(?:0|[1-9]\d{0,2}(?:\.\d{3})*)"

DAY = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ]\d\d?:\d\d.*)?|\d\d?:\d\d(?::\d\d)?"
NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
PERSONAL = (
    r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|\d{3}-\d{2}-\d{4}|[A-Z]{2}\d{2}[A-Z0-9]{11,30}"
    r"|https?://\S+|(?:\d{1,3}\.){3}\d{1,3}|(?:\d{4}[ -]){3}\d{1,7}"
    r"|(?:\+|\(?0)\d[\d ()/-]{6,18}\d"
)


class ReadingWarning(UserWarning):
    """Something that users must know about a file they measure; all commands show it."""


class SeveralMarks(ReadingWarning):
    """Missing numbers are written in several ways and count as one; commands refuse them."""


def read_table(
    path: Any,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_line: int = 1,
) -> pd.DataFrame:
    r"""Read a table from a file of any common format.

    Parameters
    ----------
    path : path
        A text file (.csv, .tsv, .tab, .txt), Parquet file (.parquet, .pq), Feather or Arrow
        file (.feather, .arrow), or Excel workbook (.xlsx, .xlsm); also compressed (.gz).
    separator : character, optional
        The separator of cells in a text file, or its name, such as "tab". By default, one of
        ``, ; |`` and tab: the one that gives all first lines the same number of cells, and
        the most cells.
    encoding : str, optional
        Encoding of a text file; by default UTF-8 or, if that fails, the most likely one.
    sheet : str, optional
        Name of the sheet of a workbook; needed if it has several.
    header_line : int
        The line of a text file or sheet with the names of the columns; lines above it are
        left out.

    Returns
    -------
    DataFrame
        The table as written. A column of a text file becomes numbers if all its cells are
        numbers, none has an extra leading zero, and no digit is lost; a warning says if equal
        numbers are written in several ways. An empty cell is missing. In a column of numbers,
        NA, N/A, NaN, null and None are missing too; in a column of text they are text. If
        commas do not separate cells, numbers may have decimal commas, such as 70,5, and a
        column such as 1.200 stays text, as it may mean 1,200; so does 1.200 beside 980 in any
        file. The index that pandas stored in a Parquet or Feather file is a column.

    Warns
    -----
    ReadingWarning
        If an encoding was guessed, or if equal or missing numbers are written in several ways.

    Raises
    ------
    FileNotFoundError, ImportError, ValueError
        For a file that is missing, empty, damaged or larger than 1 GiB when unpacked; names
        that occur twice or seem to be a record; a record with too few or too many cells; a
        title above the names; merged cells; and formulas that were never computed. The message
        is one sentence and quotes no cell.

    See Also
    --------
    open_table : a folder of Parquet files, or a database.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("town;zip;kg\nA;0200;70,5\nB;2600;81\n")
    ...     read_table(path)
      town   zip    kg
    0    A  0200  70.5
    1    B  2600  81.0
    """
    path = existing(Path(path))
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; open its Parquet files by open_table.")
    name, source = _unpacked(path)
    ending = name.suffix.lower()
    if ending not in TEXTS + WORKBOOKS + PARQUET + FEATHER:
        raise ValueError(
            f"{str(path)!r} ends in {ending or 'nothing'!r}; name a file that ends in"
            f" {', '.join(TEXTS + WORKBOOKS + PARQUET + FEATHER)}, or one of these and .gz."
        )
    check_number(header_line, "header_line", "[1, inf)", whole=True)
    if ending in TEXTS:
        text, _ = _decoded(path, source, encoding)
        return _text(path, *_cut(path, text, separator, ending, header_line), header_line)
    if ending in WORKBOOKS:
        return _sheet(path, source, sheet, header_line)
    return _stored(path, source, "Parquet" if ending in PARQUET else "Feather")


def existing(path: Path) -> Path:
    """Return an existing path; refuse a missing one, and suggest a similar name.

    Parameters
    ----------
    path : Path
        A file or folder.
    """
    if not path.exists():
        near = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        close = difflib.get_close_matches(path.name, near, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise FileNotFoundError(f"there is no file {str(path)!r}.{hint}")
    return path


# Files


def _unpacked(path: Path) -> tuple[Path, Any]:
    """Name of the table in a file, and the source of its content."""
    if path.suffix.lower() != PACKED:
        return path, path
    with _one_sentence(path, "a .gz file"), gzip.open(path) as stream:
        content = stream.read(UNPACKED + 1)
    _check_size(path, len(content) <= UNPACKED)
    return path.with_suffix(""), io.BytesIO(content)


def _check_size(path: Path, small: bool) -> None:
    if not small:
        raise ValueError(
            f"{str(path)!r} unpacks to more than {UNPACKED >> 30} GiB or {SHEET_CELLS:,}"
            f" cells; if you trust it, save the table as Parquet, and open it with open_table."
        )


@contextmanager
def _one_sentence(path: Path, kind: str, above: int = 0) -> Iterator[None]:
    """Turn any error of a reader into one sentence; `above` lines were left out."""
    try:
        yield
    except Exception as error:
        if str(error).startswith(repr(str(path))):
            raise  # a refusal of this module, which is one sentence
        reason = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
        if wide := re.match(r"Expected \d+ fields in line (\d+)", reason):
            reason = f"line {int(wide[1]) + above} has more cells than the line of names"
            reason += f"; if the names are there, say --header-line {int(wide[1]) + above}"
        raise ValueError(f"{str(path)!r} cannot be read as {kind}: {reason[:300]}") from None


def _below_names(path: Path, cells: pd.DataFrame, at: int, line: int) -> pd.DataFrame:
    """Records below the names in row `at`; refuse a title there, and a name given twice."""
    row = cells.iloc[at] if at < len(cells) else pd.Series(None, cells.columns)
    filled, width = row.notna().sum(), cells.iloc[at:].notna().any().sum()
    if filled < width and 2 * filled <= width:
        count = cells.iloc[at:].notna().sum(axis=1)
        full = cells.index[at:][count > max(filled, count.max() - 2)]
        names_at = line - at + int(full[0] if len(full) else at)
        raise ValueError(
            f"line {line} of {str(path)!r} names {filled} of {width} columns; if the names are"
            f" in line {names_at}, say --header-line {names_at}, or header_line={names_at} in"
            f" Python."
        )
    names = [f"Unnamed: {j}" if pd.isna(cell) else str(cell) for j, cell in enumerate(row)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"line {line} of {str(path)!r} has the name {twice[0]!r} {names.count(twice[0])}"
            f" times; give each column a name of its own."
        )
    data = cells.iloc[at + 1 :].reset_index(drop=True)
    data.columns = pd.Index(names)
    _check_names(path, data)
    return data


def _check_names(path: Path, data: pd.DataFrame) -> None:
    """Refuse a line of names that seems to be a record, and a table without records.

    A name seems to be a cell if it is a date or number like the cells below it, or if cells
    below repeat it. Numbers may be names if they rise in equal steps or are rising years.
    """
    if not len(data):
        raise ValueError(f"{str(path)!r} holds no record, so nothing can be measured.")
    names, head = data.columns.tolist(), data.head(1000).astype(str)

    def like_its_cells(pattern: str) -> list[str]:
        named = [name for name in names if re.fullmatch(pattern, name.strip())]
        return [name for name in named if head[name].str.fullmatch(pattern).mean() > 0.5]

    numbers = [float(name.replace(",", ".")) for name in like_its_cells(NUMBER)]
    steps = {round(step, 9) for step in np.diff(numbers)}
    equal = len(steps) == 1 and (len(numbers) > 2 or steps == {1})
    years = all(1800 <= number < 2200 for number in numbers)
    named = (equal or years) and min(steps, default=0) > 0
    words = [name for name in names if not re.fullmatch(NUMBER, name.strip())]
    repeated = sum((data[name].astype(str) == name.strip()).any() for name in words)
    if (
        (numbers and not named and numbers != [0])
        or like_its_cells(DAY)
        or any(re.fullmatch(PERSONAL, name.strip()) for name in names)
        or repeated > 1
    ):
        raise ValueError(
            f"the first line of {str(path)!r} seems to be a record, not a line of names; put"
            f" one line with the columns' names above all records, or rename the columns whose"
            f" name is a date or number."
        )


def _say_marks(path: Path, column: pd.Series) -> None:
    """Warn of several marks for missing numbers; an empty string marks an empty cell."""
    marks = {*column[column.isin(MISSING)], *[""] * bool(column.isna().any())}
    if len(marks) > 1:
        warnings.warn(
            f"{str(path)!r} says in several ways that a cell of {str(column.name)!r} is"
            f" missing ({listed(sorted(marks))}); they count as one here, but a reader of the"
            f" file can tell them apart: use one mark for all of them first.",
            SeveralMarks,
            stacklevel=5,
        )


# Texts


def _decoded(path: Path, source: Any, encoding: str | None) -> tuple[str, str]:
    """Return a text and its encoding: given, marked in the file, UTF-8 or guessed."""
    content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
    encoding = encoding or next((MARKS[m] for m in MARKS if content.startswith(m)), None)
    if encoding is None and b"\0" in content:
        raise ValueError(
            f"{str(path)!r} holds bytes that are not text; if it is text, say its encoding."
        )
    known = encoding or "utf-8"
    try:
        return content.decode(known).removeprefix("\ufeff"), known
    except (UnicodeError, LookupError) as error:
        if encoding is not None:
            raise ValueError(
                f"{str(path)!r} is not text in the encoding {encoding} ({error}); say which it"
                f" is, such as cp1252 or utf-16."
            ) from None
    encoding = _guessed(content[: 16 * HEAD])
    warnings.warn(
        f"{str(path)!r} is not UTF-8; it was read as {encoding}, which is a guess: give its"
        f" encoding if letters look wrong.",
        ReadingWarning,
        stacklevel=3,
    )
    return content.decode(encoding, "replace"), encoding


def _cut(
    path: Path, text: str, separator: str | None, ending: str, header_line: int
) -> tuple[str, str]:
    """Return a text from its line of names on, and its separator."""
    text = text.split("\n", header_line - 1)[-1]
    if not text[:HEAD].strip():
        raise ValueError(f"{str(path)!r} is empty: it needs a line of names and some records.")
    if separator is None:
        separator = "tab" if ending in (".tsv", ".tab") else _separator(text[:HEAD])
    return text, SEPARATORS.get(separator, separator)


def _text(path: Path, text: str, separator: str, header_line: int) -> pd.DataFrame:
    """Read a text from its line of names on."""
    above = header_line - 1
    with _one_sentence(path, f"a text whose cells end at {separator!r}", above):
        content = io.BytesIO(text.encode())
        cells: pd.DataFrame = pd.read_csv(content, sep=separator, dtype=str, **AS_WRITTEN)
    data = _below_names(path, cells, 0, header_line)
    if data.iloc[:, -1].isna().any():
        _check_records(path, text, separator, above, data.shape[1])
    return pd.concat([_typed(path, data[name], separator) for name in data], axis=1)


def text_format(
    path: Any, separator: str | None = None, encoding: str | None = None
) -> tuple[str, str, str]:
    r"""Separator, encoding and decimal mark of a text file, as `read_table` finds them.

    Other files get a comma, UTF-8 and a point. If both decimal marks occur, it is the point.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_bytes("täwn;zip\nA;0200\n".encode("cp1252"))
    ...     text_format(path)
    (';', 'cp1252', '.')
    """
    path = Path(path)
    name, source = _unpacked(path)
    ending = name.suffix.lower()
    if ending not in TEXTS or path.is_dir():
        return ",", "utf-8", "."
    # The user was already warned.
    with warnings.catch_warnings(action="ignore", category=ReadingWarning):
        text, encoding = _decoded(path, source, encoding)
    _, separator = _cut(path, text, separator, ending, 1)
    end = re.escape(separator)
    number = rf'(?m)(?:^|{end})"?[-+]?\d+([.,])\d+(?="?(?:{end}|\r?$))'
    marks = {found[1] for found in re.finditer(number, text)}
    return separator, encoding, "," if separator != "," and marks == {","} else "."


def _guessed(content: bytes) -> str:
    """The most likely encoding of a text that is not UTF-8.

    Short texts mislead charset-normalizer. So a text that makes sense in Windows' encoding for
    western languages is taken as that. Three accented letters in a row do not make sense: they
    are of another alphabet.
    """
    text = content.decode("cp1252", "replace")
    odd = rf"[^\x00-\x7f{WESTERN}{SIGNS}]|[{WESTERN}]{{3}}|[A-Za-z][€£²³][A-Za-z]"
    if not re.search(odd, text):
        return "cp1252"
    best = check_extra("charset_normalizer", "files").from_bytes(content).best()
    return "cp1252" if best is None else str(best.encoding)


def _separator(head: str) -> str:
    """The separator that gives all first lines the same number of cells, and the most."""
    lines = head.splitlines()[:50]
    lines = lines[:-1] if len(lines) > 2 else lines  # the last line may be cut off
    cells = {
        mark: sorted(len(row) for row in csv.reader(lines, delimiter=mark))
        for mark in SEPARATORS.values()
    }
    alike = [mark for mark in cells if 1 < cells[mark][0] == cells[mark][-1]]
    return max(alike or cells, key=lambda mark: cells[mark][len(cells[mark]) // 2])


def _check_records(path: Path, text: str, separator: str, above: int, width: int) -> None:
    """Refuse a record with too few cells, since they may stand below the wrong names.

    pandas fills such a record at its end, so its last cell is missing.
    """
    csv.field_size_limit(1 << 30)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    for row in rows:
        if len(row) < width and (len(row) > 1 or "".join(row).strip()):
            raise ValueError(
                f"line {rows.line_num + above} of {str(path)!r} has {len(row)} of {width}"
                f" cells, and which of them is missing is unclear; write a separator for each"
                f" empty cell."
            )


def _typed(path: Path, column: pd.Series, separator: str) -> pd.Series:
    """A column as numbers or truth values if the rule allows it, else unchanged."""
    codes, different = pd.factorize(column)
    cells = pd.Series(different, dtype="str")
    mark = cells.isin(MISSING)
    values = None if mark.all() else _values(cells[~mark].str.strip(), separator != ",")
    if values is None:
        return column
    _say_marks(path, column)
    if values.nunique() < len(values):
        warnings.warn(
            f"{str(path)!r} writes equal cells of {str(column.name)!r} in several ways, such"
            f" as 1.5 and 1.50, which a reader of the file can tell apart; they count as one.",
            ReadingWarning,
            stacklevel=4,
        )
    typed = pd.Series(values.reindex(codes).array, column.index, name=column.name)
    return typed if typed.hasnans else typed.astype(typed.to_numpy().dtype)


def _values(cells: pd.Series, commas: bool) -> pd.Series | None:
    """Different cells as numbers or truth values; None if they are text or would lose digits.

    A comma is decimal if commas do not separate cells and some cell shows it: 1,234 alone may
    be more than a thousand. In such a file 1.234 may be, too, and beside 980 in any file.
    """

    def all_are(pattern: str) -> bool:
        parts = cells.head(100), cells  # the first cells of most texts tell
        return all(part.str.fullmatch(pattern).all() for part in parts)

    if all_are(TRUTH):
        return (cells.str.lower() == "true").astype("boolean")
    if all_are(WHOLE):
        whole = [int(cell) for cell in cells]
        inside = -(2**63) <= min(whole) and max(whole) < 2**63
        return pd.Series(whole, cells.index, dtype="Int64") if inside else None
    if commas and all_are(COMMA):
        if not (cells.str.contains(",") & ~cells.str.fullmatch(EITHER)).any():
            return None
        cells = cells.str.replace(",", ".")
    elif not all_are(POINT):
        return None
    elif all_are(THOUSANDS) and (commas or not cells.str.contains(".", regex=False).all()):
        return None
    values = cells.astype(float)
    different = values.nunique()
    lost = different < len(cells) and cells.map(Decimal).nunique() > different
    return None if lost else values


# Workbooks


def _sheet(path: Path, source: Any, sheet: str | None, header_line: int) -> pd.DataFrame:
    """Read one sheet of a workbook; a text cell stays text."""
    check_extra("openpyxl", "files")
    with _one_sentence(path, "a workbook"):
        cells = _cells(path, source, sheet)
    blank = cells.isna().all(axis=1) & (cells.index >= header_line)
    data = _below_names(path, cells[~blank], header_line - 1, header_line)
    return pd.concat([_typed_cells(path, data[name]) for name in data], axis=1)


def _cells(path: Path, source: Any, sheet: str | None) -> pd.DataFrame:
    """All cells of one sheet; refuse merged ones and formulas without a result."""
    with zipfile.ZipFile(source) as archive:
        _check_size(path, sum(part.file_size for part in archive.infolist()) <= UNPACKED)
        names = [name for name in archive.namelist() if "worksheets/" in name]
        parts = b"".join(map(archive.read, names))
    if re.search(rb"(</f>|<f[^>]*/>)\s*(<v\s*/>|<v></v>)?\s*</c>", parts):
        raise ValueError(
            f"{str(path)!r} has formulas without a result, whose cells would be missing; open"
            f" the file in a spreadsheet program and save it first."
        )
    with pd.ExcelFile(source, "openpyxl", engine_kwargs={"read_only": False}) as file:
        book: Any = file.book
        names = book.sheetnames
        if sheet not in names and (sheet is not None or len(names) > 1):
            raise ValueError(f"{str(path)!r}: say which sheet; there are {listed(names)}.")
        chosen = book[names[0] if sheet is None else sheet]
        _check_size(path, chosen.max_row * chosen.max_column <= SHEET_CELLS)
        if merged := len(chosen.merged_cells.ranges):
            raise ValueError(
                f"{str(path)!r} has merged cells ({merged:,}); all but the first of each would"
                f" be missing; split them and write the value into every cell."
            )
        cells: pd.DataFrame = pd.read_excel(file, chosen.title, dtype=object, **AS_WRITTEN)
    return cells


def _typed_cells(path: Path, column: pd.Series) -> pd.Series:
    """Cells of a sheet as numbers or dates, if none of them is text, except marks."""
    mark = column.isin(MISSING)
    known = column[~(column.isna() | mark)]
    if known.empty or any(isinstance(cell, str) for cell in known):
        return column.infer_objects()
    _say_marks(path, column)
    column = column.mask(mark, None)
    whole = len(known) < len(column) and all(type(cell) is int for cell in known)
    return column.astype("Int64") if whole else column.infer_objects()


# Parquet and Feather


def _stored(path: Path, source: Any, kind: str) -> pd.DataFrame:
    """Read all columns, also a stored index; whole numbers stay exact."""
    module = check_extra(f"pyarrow.{kind.lower()}", "files")
    with _one_sentence(path, kind):
        if kind == "Parquet":
            file = module.ParquetFile(source)
            cells = file.metadata.num_rows * file.metadata.num_columns
            _check_size(path, 8 * cells <= max(UNPACKED, 100 * path.stat().st_size))
        table = file.read() if kind == "Parquet" else module.read_table(source)
        if not len(table):
            raise ValueError("it holds no record")
        frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
        for j, column in enumerate(table.columns):
            if "int" in str(column.type)[:4] and column.null_count:
                frame.isetitem(j, column_of_arrow(column))
    return frame
