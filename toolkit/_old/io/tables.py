"""Tables from files of any common kind, with separator and encoding detected or given."""

# Longer than other modules: texts, sheets, Parquet and Feather share how a path is opened, and
# how a cell is read depends on all others of its column.

from __future__ import annotations

import csv
import difflib
import io
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd

from ..._typing import NULLABLE, column_of_arrow
from ..._validation import listed
from .cells import read_numbers
from .files import (
    MISSING,
    PARQUET,
    UNPACKED,
    WORKBOOK_CELLS,
    Sheet,
    are_kept,
    arrow,
    check_cells,
    check_few_columns,
    check_merged,
    check_names_once,
    check_read,
    check_titles,
    data_files,
    differing,
    empty,
    int96_unit,
    no_package,
    no_text,
    say_marks,
    sheets_of,
    unpacked,
    unpacked_bytes,
    unreadable,
)

TEXTS = (".csv", ".tsv", ".tab", ".txt")


WORKBOOKS = (".xlsx", ".xlsm", ".xls")


COLUMNAR = (*PARQUET, ".feather", ".arrow")


SEPARATORS = ",;\t|"
"""Where cells may end; a space or another character has to be given."""


HEAD = 1 << 16
"""Bytes that are looked at to find separator and encoding."""


HEAD_CELLS = 100
"""Cells of a column that tell most texts from numbers."""


MARKS = [
    (b"\xff\xfe\0\0", "utf-32"),  # before UTF-16, whose mark it begins with
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
]
"""Bytes that a text begins with to say its encoding."""


DIGITS = 15
"""Digits of a decimal number that a float always keeps."""


LONG = rb"\d[\d.]{%d}|[eE]-[34]\d\d\b" % DIGITS
"""What is in a text in which two numbers may be one as floats: many digits, or tiny ones."""


OLD_PANDAS = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)


EXACTLY: dict[str, Any] = {"float_precision": "round_trip"} if OLD_PANDAS else {}
"""What pandas has to be told to read numbers without an error in their last bit."""


LETTERS = "àâäáçèéêëìíîïñòóôöœùúûüßÀÂÄÁÇÈÉÊËÌÍÎÏÑÒÓÔÖŒÙÚÛÜ"
"""Letters beyond those of ASCII in German, French, Spanish, Italian and Dutch."""


SIGNS = "€£°§«»“”„–…¡¿ºª²³µ½\u00a0"
"""Other signs of such texts; an apostrophe may stand between letters, these never do."""


RUNS = bytes(ord("0") if chr(sign) in "0123456789." else 32 for sign in range(256))
"""Figures and points as zeros, all else as blanks."""


PARTS = (b"NA", b"N/A", b"#IND", b"NaN", b"nan", b"NULL", b"null", b"None", b"n/a")
"""One of them is in each of `MISSING`."""


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
        The table, as written: codes with leading zeros stay text, and whole numbers of any
        length stay exact, also beside missing cells. An empty cell is missing, and so is NA,
        null or the like, and None among numbers; if texts have None, or two of these, only
        the empty cell is, since a reader can tell them apart. Where no comma ends a cell it
        may stand in a number: 70,5; and 1.200 beside 980 stays a text, as it is more than a
        thousand rather than less than two. The index that pandas stored in a Parquet or
        Feather file is a column, since whoever gets the file sees it; one without a name is
        called ``__index_level_0__``, as in the file.

    Warns
    -----
    ReadingWarning
        If a text is not UTF-8 and its encoding had to be guessed, missing numbers are written
        in two ways, such as NA and an empty cell, and so became one, or a workbook has hidden
        sheets.

    Raises
    ------
    FileNotFoundError, ImportError, ValueError
        In one line with the way out: there is no such file, it is empty, it is no table, or
        its text cannot be decoded; the first line seems to be a record or has a name twice; a
        record has too few cells; the files of a folder
        differ in their columns; formulas of a workbook were never computed, its cells are
        merged, or a title stands above the names of its columns; or a compressed
        file unpacks to more than 1 GiB, a sheet has more than 10,000,000 cells, or a table
        more than 16,384 columns.

    Notes
    -----
    The table of a folder is its Parquet files at any depth, but those whose name, or whose
    folder's name, begins with "." or "_", as those of temporary files do. Folders named
    ``key=value`` add a column.

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
    path, separator = _there(Path(path)), _one_separator(separator)
    if path.is_dir():
        return check_read(read_parquet(data_files(path), path), path, None)
    inner, opened = unpacked(path)
    ending = _ending(inner, TEXTS + WORKBOOKS + COLUMNAR)
    for given, option, kind, endings in (
        (separator, "a separator", "texts", TEXTS),
        (encoding, "an encoding", "texts", TEXTS),
        (sheet, "a sheet", "workbooks", WORKBOOKS),
    ):
        if given is not None and ending not in endings:
            raise ValueError(f"{option} is for {kind}; {str(path)!r} is none. Leave it out.")
    content = None if opened is None else unpacked_bytes(path, opened)
    if ending in TEXTS:
        return _text(path, content or path.read_bytes(), separator, encoding)
    source: Any = path if content is None else io.BytesIO(content)
    if ending in PARQUET:
        return check_read(read_parquet([source], path), path, None)
    if ending in COLUMNAR:
        return check_read(read_feather(source, path), path, None)
    return check_read(_workbook(path, source, sheet), path, None, sheet=True)


def _there(path: Path) -> Path:
    """Return the path of a file or folder that is there and holds something."""
    if not path.exists():
        near = path.parent.iterdir() if path.parent.is_dir() else []
        there = [one.name for one in near if one.exists()]  # a link may lead to nothing
        close = difflib.get_close_matches(path.name, there, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise FileNotFoundError(f"there is no file {str(path)!r}.{hint}")
    if not (path.is_file() or path.is_dir()):
        raise ValueError(
            f"{str(path)!r} is a pipe or a device, and no file; write what comes from it to a"
            f" file first."
        )
    if path.is_file() and path.stat().st_size == 0:
        raise empty(path)
    if path.is_dir() and not data_files(path):
        raise ValueError(f"{str(path)!r} is a folder without a .parquet file; name the file.")
    return path


def _ending(path: Path, known: Collection[str]) -> str:
    """Return the ending of a file whose kind is known."""
    ending = path.suffix.lower()
    if ending not in known:
        raise ValueError(
            f"{str(path)!r} ends in {ending or 'nothing'!r}; what can be read ends in"
            f" {', '.join(sorted(known))}, or one of these and .gz, .bz2, .xz, .zst or .zip."
        )
    return ending


def _one_separator(separator: Any) -> str | None:
    """Return a separator of one character; the names of some are understood."""
    if separator is None:
        return None
    names = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
    found = names.get(str(separator).lower(), separator)
    if not isinstance(found, str) or len(found) != 1:
        raise ValueError(
            f"separator must be one character, such as ';' or 'tab'; got {separator!r}."
        )
    return found


def _text(
    path: Path, content: bytes, separator: str | None, encoding: str | None
) -> pd.DataFrame:
    """Read a text whose separator and encoding are given or found."""
    said = next((name for mark, name in MARKS if content.startswith(mark)), None)
    _check_text(content, encoding or said, path)
    guessed = None if encoding or said else _guessed(content)
    encoding = encoding or said or guessed or "utf-8"
    try:
        if encoding != "utf-8":
            content = content.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    except (UnicodeError, LookupError) as error:
        raise no_text(path, encoding, error) from None
    line = re.match(rb"(?:\xef\xbb\xbf)?sep=(.)\r?\n", content)
    if line is not None:
        content = content[line.end() :]  # for spreadsheets
        separator = separator or line[1].decode("ascii", errors="ignore") or None
    found = separator or ("\t" if _is_tabbed(path) else ",")
    try:
        if separator is None and not _is_tabbed(path):
            found = _separator(content[:HEAD].decode("utf-8", errors="ignore"))
    except csv.Error as error:
        raise unreadable(path, "a text of cells", error) from None
    first = re.match(rb"[^\r\n]*", content)
    check_few_columns(1 + (first[0].count(found.encode()) if first else 0), path)
    try:
        data = _cells(content, found)
        if found != ",":
            data = _with_decimal_commas(_with_thousands(data, content, found))
        data = _with_words(data, content, found, path)
    except UnicodeError as error:
        raise no_text(path, encoding, error) from None
    except (pd.errors.ParserWarning, ValueError) as error:
        raise unreadable(path, f"a text whose cells end at {found!r}", error) from None
    if first is None or b"Unnamed: " not in first[0]:  # as pandas calls what has no name
        check_titles(data, path)
    data = check_read(data, path, found)
    lacks = bool(data.iloc[:, -1].isna().any())  # as the last cell of a short record does
    names = HEAD + len(first[0] if first else b"")
    text = content[: None if lacks else names].decode("utf-8-sig", errors="ignore")
    above = 1 if line is not None else 0
    check_records(text, found, path, above, data.shape[1] if lacks else 0)
    if guessed:
        warnings.warn(
            f"{str(path)!r} is not UTF-8; it was read as {guessed}, which is a guess: give its"
            f" encoding if letters look wrong.",
            stacklevel=3,
        )
    return data


def check_records(text: str, separator: str, path: Path, above: int, width: int = 0) -> None:
    """Refuse a name that occurs twice, and a record with fewer cells than a `width`.

    Readers fill up such a record at its end, so that its cells stand below the wrong names.
    """
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        lines = (row for row in rows if len(row) > 1 or "".join(row).strip())
        check_names_once(next(lines, []), path, rows.line_num + above)
        short = next((row for row in lines if len(row) < width), None)
    finally:
        csv.field_size_limit(limit)
    if short is not None:
        raise ValueError(
            f"line {rows.line_num + above} of {str(path)!r} has {len(short)} of {width} cells,"
            f" so it cannot be told which one lacks; write a separator for each empty cell."
        )


def _check_text(content: bytes, encoding: str | None, path: Path) -> None:
    """Refuse bytes that are no text, and blanks."""
    if not content[:4096].strip() and not content.strip():
        raise empty(path)
    if encoding is None and b"\0" in content:
        raise ValueError(
            f"{str(path)!r} holds bytes that are no text; is it another kind of file than its"
            f" name says? If it is text, say its encoding, such as utf-16."
        )


def _read(content: bytes, separator: str, **options: Any) -> pd.DataFrame:
    """Read a text, of which no column is an index."""
    options |= {"sep": separator, "encoding": "utf-8", "index_col": False} | EXACTLY
    data: pd.DataFrame = pd.read_csv(io.BytesIO(content), **options)
    return data


def _cells(content: bytes, separator: str) -> pd.DataFrame:
    """Cells of a text; a column of numbers stays text if it would not be told apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # cells would be lost
        data = _read(content, separator, low_memory=False)
        places = _in_doubt(data, content, separator)
        if places:
            texts = _read(content, separator, dtype=str, usecols=places)
            for written, j in enumerate(places):
                exact = _as_written(data.iloc[:, j], texts.iloc[:, written])
                data.isetitem(j, exact.array)
        for j, kind in enumerate(data.dtypes):
            # Of numbers beyond 64 bits pandas makes texts, and of missing ones empty texts.
            if kind.kind == "O" and (lost := data.iloc[:, j].eq("")).any():
                data.isetitem(j, data.iloc[:, j].mask(lost).array)
    return _with_whole_numbers(data)


def _in_doubt(data: pd.DataFrame, content: bytes, separator: str) -> list[int]:
    """Places of the columns whose numbers may be one where their cells are several."""
    # Neither 1.05 nor 2020-05 begins with a zero. A pattern that starts with a sign is quick.
    begins = rb"0\d(?<=[\s\"" + re.escape(separator.encode()) + rb"]0\d)"
    zeros = re.search(begins, content) is not None
    long = any(kind.kind == "f" for kind in data.dtypes) and _has_long_numbers(content)
    found = []
    for j, kind in enumerate(data.dtypes):
        known = data.iloc[:, j].dropna()
        # Whole numbers beyond 64 bits are objects.
        long_ones = kind.kind == "O" and isinstance(known.head(1).max(), int)
        if zeros and (kind.kind in "iuf" or long_ones):
            found.append(j)
        elif kind.kind == "f":
            if (known.abs() >= 2**53).any() or (long and known.duplicated().any()):
                found.append(j)
    return found


def _has_long_numbers(content: bytes) -> bool:
    """Whether `LONG` is in a text; few texts have to be searched for it."""
    runs = content.translate(RUNS)
    some = b"0" * (DIGITS + 1) in runs or re.search(rb"-[34]\d\d", content) is not None
    return some and re.search(LONG, content) is not None


def _as_written(numbers: pd.Series, written: pd.Series) -> pd.Series:
    """Numbers that tell apart what is written differently, or else the text."""
    cells = written.str.strip()
    if cells.str.fullmatch(r"0\d+").any():
        return written  # codes
    if numbers.dtype != float:
        return numbers
    known = cells.dropna()
    if (numbers.abs() >= 2**53).any() and known.str.fullmatch(r"[-+]?\d+").all():
        exact = known.astype(object).map(int)  # with missing cells, or beyond 64 bits
        whole = exact.convert_dtypes() if exact.dtype.kind in "iu" else known
        return whole.reindex(cells.index)
    try:
        different = pd.Series(known.unique(), dtype=object).map(Decimal).nunique()
    except InvalidOperation:
        return written
    return numbers if different == numbers.nunique() else written


def _with_whole_numbers(data: pd.DataFrame) -> pd.DataFrame:
    """Whole numbers stay whole where some are missing: a postcode of 3012.0 is none."""
    for name, column in data.select_dtypes("float").items():
        known = column.dropna()
        some = 0 < len(known) < len(column)
        if some and (known % 1 == 0).all() and (known.abs() < 2**53).all():
            data[name] = column.astype("Int64")
    return data


def _with_thousands(data: pd.DataFrame, content: bytes, separator: str) -> pd.DataFrame:
    """Texts such as 1.200 beside 980, which are no decimals, as they are written.

    Each point has three figures behind it, and some cell has none, or another column of the
    file has decimal commas. What they mean is decided where they are measured.
    """
    floats = [j for j, kind in enumerate(data.dtypes) if kind.kind == "f"]
    if not floats:
        return data
    texts = [
        data.iloc[:, j].dropna().head(HEAD_CELLS).astype(str).tolist()
        for j, kind in enumerate(data.dtypes)
        if not pd.api.types.is_numeric_dtype(kind)
    ]
    found = [read_numbers(cells) for cells in texts if cells]
    commas = any(one.decimal == "," and one.sure and one.fits.all() for one in found)
    head = _read(content, separator, dtype=str, usecols=floats, nrows=HEAD_CELLS)
    likely = [j for at, j in enumerate(floats) if _are_thousands(head.iloc[:, at], commas)]
    if likely:
        written = _read(content, separator, dtype=str, usecols=likely)
        for at, j in enumerate(likely):
            if _are_thousands(written.iloc[:, at], commas):
                data.isetitem(j, written.iloc[:, at].array)
    return data


def _are_thousands(cells: pd.Series, commas: bool) -> bool:
    """Whether each point of some numbers has three figures behind it, and that means more."""
    known = cells.dropna().str.strip()
    point = known.str.contains(".", regex=False)
    alike = known.str.fullmatch(r"[-+]?(?:0|[1-9]\d{0,2}(?:\.\d{3})*)")
    return bool(alike.all() and point.any() and (commas or not point.all()))


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
        either = written.str.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}")
        if (written.str.contains(",") & ~either).any():
            cells = data[name].str.strip().str.replace(",", ".")
            numbers, long = cells.astype(float), cells.str.len().max() > DIGITS
            data[name] = _as_written(numbers, cells) if long else numbers
    return data


def _with_words(
    data: pd.DataFrame, content: bytes, separator: str, path: Path
) -> pd.DataFrame:
    """None, NA and the like stay texts in a column of texts that has several of them."""
    lacking = [j for j in range(data.shape[1]) if data.iloc[:, j].hasnans]
    if not lacking or not any(part in content for part in PARTS):
        return data
    empty_only: dict[str, Any] = {"keep_default_na": False, "na_values": [""]}
    written = _read(content, separator, dtype=str, usecols=lacking, **empty_only)
    for at, j in enumerate(lacking):
        cells = data.iloc[:, j]
        data.isetitem(j, _told_apart(cells, written.iloc[:, at].where(cells.isna()), path))
    return data


def _told_apart(cells: pd.Series, marks: pd.Series, path: Path) -> Any:
    """Cells, of which some are missing, and are written as the marks say or are empty.

    Two ways of writing them are two values to a reader of the file: texts keep them, and of
    numbers it is said.
    """
    ways = [*marks.dropna().unique()]
    if (cells.isna() & marks.isna()).any():
        ways.append("")
    texts = cells.isna().all() or pd.api.types.infer_dtype(cells, skipna=True) == "string"
    if texts and are_kept(ways):
        return marks.where(cells.isna(), cells).array
    if not texts and len(ways) > 1:
        say_marks(path, cells.name, ways)
    return cells.array


def _is_tabbed(path: Path) -> bool:
    return {".tsv", ".tab"} & {ending.lower() for ending in path.suffixes} != set()


def _is_western(content: bytes) -> bool:
    """Whether a text reads well as one of Windows in English or a language near it.

    Its signs are those of six languages. Three such letters in a row, or a sign for money
    between letters, are what texts in other alphabets, or of DOS and old Macs, look like.
    """
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    signs = "".join({sign for sign in text if ord(sign) > 127})
    if re.search(rf"[^{LETTERS}{SIGNS}’‘]", signs):
        return False
    letter = f"[A-Za-z{LETTERS}]"
    return not re.search(rf"[{LETTERS}]{{3}}|{letter}[{SIGNS}]{letter}|[£€²³]{letter}", text)


def _guessed(content: bytes) -> str | None:
    """The most likely encoding, if it is not UTF-8; of several cp1252, of Windows."""
    with suppress(UnicodeDecodeError):
        content.decode("utf-8")
        return None
    if _is_western(content[: 16 * HEAD]):
        return "cp1252"
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


def _workbook(path: Path, content: Any, sheet: Any) -> pd.DataFrame:
    """Read one sheet of a workbook."""
    parts = sheets_of(path, content)
    try:
        old: dict[str, Any] = {"engine": "xlrd", "engine_kwargs": {"formatting_info": True}}
        book = pd.ExcelFile(content, **({"engine": "openpyxl"} if parts else old))
    except ImportError as error:
        raise no_package(path, error) from None
    except Exception as error:  # each reader has errors of its own
        raise unreadable(path, "a workbook", error) from None
    with book:
        name = _named_sheet(sheet, book.sheet_names, path)
        try:
            _check_sheet(book.book, name, parts, path)
            # A cell that is text stays text, even if it looks like a number.
            table: pd.DataFrame = pd.read_excel(
                book, sheet_name=name, dtype=object, keep_default_na=False, na_values=[""]
            )
            check_titles(table, path)
            check_merged(_merged(book.book, name, parts), path)
            names = pd.read_excel(book, sheet_name=name, header=None, nrows=1, dtype=object)
            check_names_once([*names.iloc[0].dropna()] if len(names) else [], path)
            hidden = [one for one in book.sheet_names if _is_hidden(book.book, one, parts)]
        except ValueError:
            raise
        except Exception as error:
            raise unreadable(path, "a workbook", error) from None
    if hidden := [one for one in hidden if one != name]:
        warnings.warn(
            f"{str(path)!r} has hidden sheets ({listed(hidden)}) that are not measured, and"
            f" anybody who gets the file can show them: hand on a file without them.",
            stacklevel=3,
        )
    for j in range(table.shape[1]):
        cells = table.iloc[:, j]
        marked = cells.isin(MISSING)
        kept = _told_apart(cells.mask(marked), cells.where(marked), path)
        table.isetitem(j, _inferred(pd.Series(kept)).array)
    return table


def _named_sheet(sheet: Any, known: Sequence[Any], path: Path) -> Any:
    """Return the sheet of a workbook; the only one if none is named."""
    if sheet is None and len(known) == 1:
        return known[0]
    if sheet not in known:
        said = "say which sheet" if sheet is None else f"there is no sheet {sheet!r}"
        raise ValueError(f"{str(path)!r}: {said}; there are {listed(known)}.")
    return sheet


def _is_hidden(book: Any, name: Any, parts: Mapping[str, Sheet]) -> bool:
    """Whether a spreadsheet program does not show a sheet."""
    if not parts:
        return bool(book.sheet_by_name(name).visibility)
    return bool(book[name].sheet_state != "visible")


def _merged(book: Any, name: str, parts: Mapping[str, Sheet]) -> list[str]:
    """Places of the merged cells of a sheet."""
    if not parts:
        cells = book.sheet_by_name(name).merged_cells
        return [f"lines {top + 1} to {bottom}" for top, bottom, _, _ in cells]
    return [place for sheet in _parts_of(book, name, parts) for place in sheet.merged]


def _parts_of(book: Any, name: str, parts: Mapping[str, Sheet]) -> list[Sheet]:
    """What is known of a sheet, or of all where a workbook does not tell which it is."""
    place = str(getattr(book[name], "_worksheet_path", None))
    return [parts[place]] if place in parts else [*parts.values()]


def _check_sheet(book: Any, name: str, parts: Mapping[str, Sheet], path: Path) -> None:
    """Look at the size of a sheet and at its formulas before its cells are read."""
    if not parts:
        sheet = book.sheet_by_name(name)
        return check_cells(sheet.nrows * sheet.ncols, WORKBOOK_CELLS, path)
    if uncomputed := sum(one.uncomputed for one in _parts_of(book, name, parts)):
        raise ValueError(
            f"{str(path)!r} has formulas without a result ({uncomputed:,}), whose cells would"
            f" be missing; open and save it in a spreadsheet program first."
        )


def _inferred(cells: pd.Series) -> pd.Series:
    """Cells as numbers or dates if all are, and if none loses a digit."""
    found = cells.infer_objects()
    whole = cells.map(lambda cell: type(cell) is int)
    if found.dtype != float or (found[whole].abs() < 2**53).all():
        return found
    try:
        return cells.astype("Int64") if (whole | cells.isna()).all() else cells
    except OverflowError:
        return cells


# Parquet and Feather, cell for cell, with every column that is stored


TIMES_PACKED = 100
"""Bytes in memory per byte of a file from which a table above the limit is refused."""


ARROW_TEXTS = ("string", "large_string", "binary", "large_binary")
"""Types of Arrow of which Parquet may store a cell once for many records."""


NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What stands for a missing value in the name of a folder."""


DICTIONARY_BATCH, RECORD_BATCH = 2, 3
"""Kinds of messages of Arrow that hold cells (Message.fbs, MessageHeader)."""


def read_parquet(files: Sequence[Any], path: Path) -> pd.DataFrame:
    """Read Parquet files as one table.

    Parameters
    ----------
    files : sequence of paths or of one open file
        Its parts, in order.
    path : Path
        The file or folder that was named; folders below it named key=value are columns.

    Returns
    -------
    DataFrame
        All columns that are stored, pandas' index among them.

    Raises
    ------
    ImportError, ValueError
        If a file cannot be read, or differs from the first in a column.
    """
    pa, pq = arrow(path), arrow(path, "parquet")
    try:
        _check_size([pq.read_metadata(file) for file in files], files, path)
        tables = [_with_partitions(_parquet_table(file, path), file, path) for file in files]
        return _frame(pa.concat_tables(_alike(tables, files, path)))
    except Exception as error:
        raise _one_error(error, path, "Parquet") from None


def _parquet_table(file: Any, path: Path) -> Any:
    """Every column of a file, and none that its folder's name would add."""
    import pyarrow.parquet as pq

    chunks, unit = _column_chunks(pq.read_metadata(file)), int96_unit(file)
    stored = pq.read_schema(file)
    texts = {field.name for field in stored if str(field.type) in ARROW_TEXTS}
    often = texts & {one.path_in_schema for one in chunks if _may_repeat(one)}
    with pq.ParquetFile(
        file, read_dictionary=[*often], coerce_int96_timestamp_unit=unit
    ) as opened:
        table = opened.read()
    if not often:
        return table
    _check_memory(sum(map(_written_out, map(table.column, often))), [file], path)
    return table.cast(stored)


def _column_chunks(metadata: Any) -> list[Any]:
    """What is known of each column in each group of rows."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [group.column(j) for group in groups for j in range(group.num_columns)]


def _may_repeat(chunk: Any) -> bool:
    """Whether texts that are stored once may be repeated beyond the limit."""
    size: int = chunk.num_values * chunk.total_uncompressed_size
    return chunk.has_dictionary_page and size > UNPACKED


def _written_out(column: Any) -> int:
    """Bytes that the texts of a column take once each cell has its own."""
    import pyarrow.compute as pc

    sizes = [
        pc.sum(pc.binary_length(one.dictionary).take(one.indices)).as_py() or 0
        for one in column.chunks
    ]
    return int(sum(sizes))


def read_feather(file: Any, path: Path) -> pd.DataFrame:
    """Read a Feather or Arrow file, with pandas' index as a column."""
    pa, feather = arrow(path), arrow(path, "feather")
    try:
        try:
            opened = pa.ipc.open_file(str(file) if isinstance(file, Path) else file)
        except pa.ArrowInvalid:  # of the first version, which cannot be compressed
            return _frame(feather.read_table(file))
        check_few_columns(len(opened.schema), path)
        columns = len(opened.schema)
        size = sum(_unpacked(one, columns) for one in _messages(file))
        _check_memory(size, [file], path, " write it as Parquet and")
        return _frame(opened.read_all())
    except Exception as error:
        raise _one_error(error, path, "Feather") from None


def _messages(file: Any) -> Iterator[Any]:
    """Messages of a Feather file, as they are stored: nothing is unpacked."""
    import pyarrow as pa

    stored = pa.memory_map(str(file)) if isinstance(file, Path) else file.getbuffer()
    with stored if isinstance(file, Path) else pa.BufferReader(stored) as source:
        source.seek(8)  # past the mark of the format
        yield from pa.ipc.MessageReader.open_stream(source)


def _unpacked(message: Any, columns: int) -> int:
    """Bytes that a message takes once its buffers are unpacked, at least 8 for each cell.

    The metadata are a flatbuffer with the table Message of Arrow's format (Message.fbs): of a
    batch, field 0 is the number of rows, field 2 lists offset and length of each buffer, and
    field 3 says whether they are compressed, each then behind its unpacked size.
    """
    data = message.metadata.to_pybytes()

    def number(place: int, size: int = 4) -> int:
        return int.from_bytes(data[place : place + size], "little", signed=size == 8)

    def field(table: int, j: int) -> int:
        layout = table - int.from_bytes(data[table : table + 4], "little", signed=True)
        step = number(layout + 4 + 2 * j, 2) if 4 + 2 * j < number(layout, 2) else 0
        return table + step if step else 0

    def follow(place: int) -> int:
        return place + number(place)

    kind = field(follow(0), 1)
    if not kind or data[kind] not in (DICTIONARY_BATCH, RECORD_BATCH):
        return 0
    batch = follow(field(follow(0), 2))
    if data[kind] == DICTIONARY_BATCH:
        batch, columns = follow(field(batch, 1)), 1
    rows = number(field(batch, 0), 8) if field(batch, 0) else 0
    listed = follow(field(batch, 2))
    buffers = np.frombuffer(data, "<i8", 2 * number(listed), listed + 4).reshape(-1, 2)
    if not field(batch, 3):
        return max(8 * rows * columns, int(buffers[:, 1].sum()))
    body = memoryview(message.body)
    sizes = [int.from_bytes(body[j : j + 8], "little", signed=True) for j, n in buffers if n]
    stored = int(buffers[:, 1].sum())  # of those that were not worth compressing: -1
    return max(8 * rows * columns, sum(size for size in sizes if size > 0), stored)


def _one_error(error: Exception, path: Path, kind: str) -> Exception:
    """Return what was said here as it is; pyarrow's errors have no class in common."""
    ours = type(error) is ValueError and repr(str(path))[1:-1] in str(error)
    return error if ours else unreadable(path, kind, error)


def _check_size(found: Sequence[Any], files: Sequence[Any], path: Path) -> None:
    """Look at how many columns and cells the files have, before they are read."""
    check_few_columns(max(one.num_columns for one in found), path)
    chunks = [chunk for one in found for chunk in _column_chunks(one)]
    size = sum(max(8 * one.num_values, one.total_uncompressed_size) for one in chunks)
    _check_memory(size, files, path)


def _check_memory(size: int, files: Sequence[Any], path: Path, first: str = "") -> None:
    """Refuse what takes much more memory than its files lead to expect."""
    packed = sum(
        file.stat().st_size if isinstance(file, Path) else len(file.getbuffer())
        for file in files
    )
    if size > max(UNPACKED, TIMES_PACKED * packed):
        raise ValueError(
            f"{str(path)!r} would take at least {size / 2**30:,.1f} GiB of memory, more than"
            f" {TIMES_PACKED} times the size of its files; if you trust it,{first} count its"
            f" records where they are, with open_table or --budget."
        )


def _with_partitions(table: Any, file: Any, folder: Path) -> Any:
    """Add the columns that folders named key=value stand for, as text."""
    import pyarrow as pa

    parts = file.relative_to(folder).parts[:-1] if isinstance(file, Path) else ()
    for key, mark, value in (part.partition("=") for part in parts):
        if mark and key in table.column_names:
            raise differing(file, folder, key, "is in the file and in the name of a folder")
        if mark:
            cell = pa.scalar(None if value == NO_VALUE else unquote(value), pa.string())
            table = table.append_column(key, pa.repeat(cell, len(table)))
    return table


def _alike(tables: Sequence[Any], files: Sequence[Any], folder: Path) -> list[Any]:
    """Tables with the columns of the first, each of one type that keeps all cells."""
    import pyarrow as pa

    first = tables[0].column_names
    for table, file in zip(tables, files, strict=True):
        odd = {*first} ^ {*table.column_names}
        if odd or len(first) != table.num_columns:
            said = "is not in all files of the folder, or not as often"
            raise differing(file, folder, min(odd, default=first[0]), said)
    if len(tables) == 1 or len({*first}) < len(first):
        return [*tables]  # of names that repeat, concatenating compares the types
    types = {name: [table.field(name).type for table in tables] for name in first}
    for name, (one, *more) in types.items():
        if _common([one, *more]) is None:
            apart = (j for j, other in enumerate(more, 1) if _common([one, other]) is None)
            j = next(apart, len(more))
            raise _of_two_types(files[j], folder, name, types[name][j])
    common = {name: _common(kinds) for name, kinds in types.items()}
    return [
        pa.table({name: _cast(table, name, common[name], file, folder) for name in first})
        for table, file in zip(tables, files, strict=True)
    ]


def _common(types: Sequence[Any]) -> Any:
    """The type of a column in all files; none if there is none that keeps the cells."""
    import pyarrow as pa

    if len({*types}) == 1:
        return types[0]
    if any(map(pa.types.is_decimal, types)) and any(map(pa.types.is_floating, types)):
        return None
    plain = [t.value_type if pa.types.is_dictionary(t) else t for t in types]
    try:
        schemas = [pa.schema([("", kind)]) for kind in plain]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def _cast(table: Any, name: str, kind: Any, file: Any, folder: Path) -> Any:
    """A column in the type that it has in all files, if no cell changes."""
    import pyarrow as pa

    column = table.column(name)
    try:
        return column.cast(kind)
    except pa.ArrowException:
        raise _of_two_types(file, folder, name, column.type) from None


def _of_two_types(file: Any, folder: Path, name: str, kind: Any) -> ValueError:
    said = f"is {kind}, and of another type elsewhere in the folder"
    return differing(file, folder, name, said)


def _frame(table: Any) -> pd.DataFrame:
    """A DataFrame of all columns; what pandas wrote about them is not asked.

    pandas would take a column for the index, and make floats of whole numbers beside missing
    ones, which are equal where the numbers differ.
    """
    exact = {j: _exact(column) for j, column in enumerate(table.columns)}
    rest = [j for j, cells in exact.items() if cells is None]
    numbered = table.rename_columns([str(j) for j in exact]).select(rest)
    frame: pd.DataFrame = numbered.to_pandas(ignore_metadata=True)
    frame.columns = pd.Index(rest, dtype=int)
    if len(rest) < len(exact):
        columns = {j: frame[j] if cells is None else cells for j, cells in exact.items()}
        frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    frame.columns = pd.Index(table.column_names)
    return frame


def _exact(column: Any) -> Any:
    """Cells of a column that pandas would round; None if it would not."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) and column.null_count:
        return column.to_pandas(types_mapper=NULLABLE.get)
    if str(column.type) == "time64[ns]":
        return pd.Series(column_of_arrow(column, ""))
    if pa.types.is_nested(column.type) and "int" in str(column.type):
        return pd.Series(column.to_pylist(), dtype=object)
    return None
