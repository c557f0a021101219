"""Files and folders of tables: which are read, how far they unpack, and what they may hold."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

import pandas as pd

from ..._validation import listed, way_to_install
from ...io import SeveralMarks

PERSONAL = (
    r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}|\d{3}-\d{2}-\d{4}|[A-Z]{2}\d{2}[A-Z0-9]{11,30}"
    r"|(?:\d{1,3}\.){3}\d{1,3}|https?://\S+|\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}"
    r"|\+\d[\d ()/-]{7,18}\d|\(?0\d{1,4}[)/ ]{1,2}\d[\d -]{4,12}\d"
)
"""What no column is called: an address or number by which somebody is reached or paid."""


DAY = (
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4})(?:[T ]\d\d?:\d\d[\d:.+Z-]*)?"
    r"|\d\d?:\d\d(?::\d\d(?:\.\d+)?)?"
)
"""A day, with or without a time, or a time."""


NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"


YEAR = r"(?:1[89]|2[01])\d\d"


CELLS_READ = 1000
"""Cells of a column that are compared with its name."""


PARQUET = (".parquet", ".pq")
"""Endings of the files that are a folder's table."""


TABLE_LOGS = frozenset({"_delta_log", ".hoodie"})
"""Folders in which Delta Lake and Hudi write which files are a table."""


TITLES = 20
"""Lines of a sheet among which the names of its columns are looked for."""


COLUMNS = 16_384
"""Columns that a table may have: those of the widest sheet of a workbook."""


MISSING = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
    *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""What pandas takes for a missing cell, beside an empty one."""


def data_files(folder: Path, suffixes: Collection[str] = PARQUET) -> list[Path]:
    """List the files that are a folder's table, at any depth and in order of their names.

    A name below the folder that begins with "." or "_" is hidden or temporary, and so is
    whatever is in such a folder; only "_name=value" holds the rows of a partition. Some
    writers give no ending: such a file counts if it begins as Parquet does.

    Parameters
    ----------
    folder : Path
        The folder, whose own name may be any.
    suffixes : collection of str
        Endings of data files, in small letters.

    Returns
    -------
    list of Path
        The data files; every reader of a folder takes these and no others.

    Raises
    ------
    ValueError
        If one file is there under two names, so that its records would count twice, or the
        folder has a log that says which of its files are still valid.
    """
    found: list[Path] = []
    seen: dict[tuple[int, int], Path] = {}
    for place, folders, names in os.walk(folder, onerror=_raise, followlinks=True):
        if logs := TABLE_LOGS & {*folders}:
            raise ValueError(
                f"{place!r} has a log of changes ({sorted(logs)[0]}), and only with it can be"
                f" told which rows were deleted; write the table as plain Parquet first."
            )
        folders[:] = sorted(name for name in folders if not is_hidden(name))
        shown = [Path(place, name) for name in names if not is_hidden(name)]
        files = [path for path in shown if path.is_file() and _is_data(path, suffixes)]
        for path in [Path(place), *files]:
            _seen_once(path, folder, seen)
        found += files
    return sorted(found)


def int96_unit(file: Any) -> str | None:
    """Unit that keeps the times that a Parquet file holds in twelve bytes, if it holds any.

    Nanoseconds in 64 bits end in the year 2262, and engines keep microseconds only.

    Parameters
    ----------
    file : path or open file
        A Parquet file.

    Returns
    -------
    {"us", "ns"} or None
        "us" if no time has a part of a microsecond; None without such a column.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    fine = parquet.ParquetFile(file)
    kinds = map(fine.schema.column, range(len(fine.schema)))
    names = [kind.path for kind in kinds if kind.physical_type == "INT96"]
    if not names:
        return None
    cut = parquet.ParquetFile(file, coerce_int96_timestamp_unit="us")
    read = (one.iter_batches(columns=names) for one in (fine, cut))
    for one, other in zip(*read, strict=True):
        for exact, short in zip(one.columns, other.columns, strict=True):
            if not pa.types.is_timestamp(exact.type):  # a part of a list
                return "ns"
            again = pc.multiply(short.cast(pa.int64()), 1000)  # overflows as nanoseconds do
            if pc.all(pc.equal(exact.cast(pa.int64()), again)).as_py() is False:
                return "ns"
    return "us"


def is_hidden(name: str) -> bool:
    """Whether a name below a folder says that nothing there is data."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_data(path: Path, suffixes: Collection[str]) -> bool:
    """Whether a file has the ending of data, or no ending and the first bytes of Parquet."""
    if path.suffix:
        return path.suffix.lower() in suffixes
    with path.open("rb") as file:
        return file.read(4) in (b"PAR1", b"PARE")


def _seen_once(path: Path, folder: Path, seen: dict[tuple[int, int], Path]) -> None:
    """Refuse a second name of a file or folder, which links give."""
    status = path.stat()
    first = seen.setdefault((status.st_dev, status.st_ino), path)
    if first is not path:
        raise ValueError(
            f"{str(folder)!r} has {str(path.relative_to(folder))!r} under a second name,"
            f" {str(first.relative_to(folder))!r}, so its records would count twice; take one"
            f" of the two out."
        )


def _raise(error: OSError) -> None:
    """Let no part of a folder be left out because it cannot be listed."""
    raise error


def empty(path: Path) -> ValueError:
    """Say that there is nothing in a file."""
    return ValueError(f"{str(path)!r} is empty: it needs a line of names and some records.")


def no_text(path: Path, encoding: str, error: Exception) -> ValueError:
    """Say that the encoding does not fit, and what to do."""
    return ValueError(
        f"{str(path)!r} is not text in the encoding {encoding} ({error}); say which it is,"
        f" such as cp1252 or utf-16."
    )


def unreadable(path: Path, what: str, error: Exception) -> ValueError:
    """Say on one line that a reader gave up, and why."""
    why = " ".join(str(error).split()).removeprefix("Error tokenizing data. C error: ")
    if isinstance(error, pd.errors.ParserWarning):
        why = "records have more cells than its first line has names; is that a line of names?"
    if cells := re.match(r"Expected (\d+) fields in line (\d+), saw (\d+)", why):
        why = (
            f"line {cells[2]} has {cells[3]} cells, and the lines above it have {cells[1]};"
            f" correct that line, or delete what stands above the names of the columns."
        )
    return ValueError(f"{str(path)!r} cannot be read as {what}: {why[:300]}")


def check_read(
    data: pd.DataFrame, path: Path, separator: str | None, *, sheet: bool = False
) -> pd.DataFrame:
    """Return a table that has records, several columns and a line of names."""
    if not len(data):
        raise ValueError(
            f"{str(path)!r} holds {data.shape[1]} columns and no record, so nothing can be"
            f" measured."
        )
    if separator is not None and data.shape[1] == 1:
        other = ";" if separator != ";" else ","
        raise ValueError(
            f"{str(path)!r} has one column if its cells end at {separator!r}; say what they"
            f" end at, such as --separator {other!r}."
        )
    stored = separator is None and not sheet
    records = _called(data, PERSONAL) if stored else _cells_among_names(data)
    again = [] if separator is None else _names_among_cells(data)
    if records or len(again) > 1:
        raise ValueError(
            f"the first line of {str(path)!r} seems to be a record and no line of names (see"
            f" place {(records or again)[0]} of it); put one line with the columns' names"
            f" before all records, or rename the columns that are called by a date or number."
        )
    return data


def _cells_among_names(data: pd.DataFrame) -> list[int]:
    """Places of the columns whose name is what their cells are: a date, a number, a contact.

    Numbers may be names if they are years, or rise in equal steps: 2019, 2020 or 0.5, 1, 1.5.
    """
    days, numbers, years = (
        [j for j in _called(data, kind) if _are_mostly(data.iloc[:, j], kind)]
        for kind in (DAY, NUMBER, YEAR)
    )
    names = [str(data.columns[j]).strip() for j in numbers]
    odd = [] if _may_be_names(names) else numbers
    return sorted({*_called(data, PERSONAL), *days, *odd, *years})


def _called(data: pd.DataFrame, pattern: str) -> list[int]:
    """Places of the columns whose name is written in some way."""
    names = [str(name).strip() for name in data.columns]
    return [j for j, name in enumerate(names) if re.fullmatch(pattern, name)]


def _are_mostly(cells: pd.Series, pattern: str) -> bool:
    """Whether most of the first cells are written in some way."""
    if pattern == NUMBER and pd.api.types.is_numeric_dtype(cells):
        return True
    head = [str(cell).strip() for cell in cells.dropna().head(CELLS_READ)]
    return 2 * sum(re.fullmatch(pattern, cell) is not None for cell in head) > len(head)


def _may_be_names(numbers: Sequence[str]) -> bool:
    """Whether numbers are years that rise, or rise in equal steps or between 0 and 1."""
    if any(re.match(r"[-+]?0\d", number) for number in numbers):
        return False  # codes
    values = [float(number.replace(",", ".")) for number in numbers]
    steps = {round(b - a, 9) for a, b in zip(values, values[1:], strict=False)}
    if any(step <= 0 for step in steps):
        return False
    if all(re.fullmatch(YEAR, number) for number in numbers) or values == [0]:
        return True
    shares = len(values) > 2 and 0 <= values[0] and values[-1] <= 1
    equal = len(steps) == 1 and (len(values) > 2 or steps == {1})
    return not values or equal or (shares and max(map(len, numbers)) <= 5)


def _names_among_cells(data: pd.DataFrame) -> list[int]:
    """Places of the columns that have their name as a cell, too; 0, 1, … may be names."""
    names = [str(name) for name in data.columns]
    whole = [int(name) for name in names if re.fullmatch(r"[0-9]{1,9}", name)]
    counted = len(whole) > 1 and whole == [*range(whole[0], whole[0] + len(whole))]
    return [
        j
        for j, name in enumerate(names)
        if not (counted and name.isdecimal()) and _is_a_cell(name, data.iloc[:, j])
    ]


def _is_a_cell(name: str, column: pd.Series) -> bool:
    """Whether a cell is written as the name is."""
    if pd.api.types.is_bool_dtype(column):
        return name.lower() in ("true", "false")
    if pd.api.types.is_numeric_dtype(column):
        number = re.fullmatch(r"[-+]?[0-9]+(\.[0-9]+)?", name)
        return number is not None and bool((column == float(name)).any())
    texts = pd.api.types.is_string_dtype(column) or column.dtype == object
    return texts and bool((column == name).any())


def are_kept(marks: Sequence[str]) -> bool:
    """Whether marks of missing cells stay what they are among texts: None, or several."""
    return "None" in marks or len(marks) > 1


def say_marks(path: Path, name: Any, marks: Sequence[str]) -> None:
    """Warn of several ways to write a cell that is missing, "" for an empty one."""
    warnings.warn(
        f"{str(path)!r} says in several ways that a cell of {str(name)!r} is missing"
        f" ({listed(sorted(marks))}); they count as one here, and whoever gets the file can"
        f" tell them apart: write one of them for all first.",
        SeveralMarks,
        stacklevel=6,
    )


def too_large(path: Path, what: str) -> ValueError:
    """Say that a file holds more than is read here, and what to do."""
    return ValueError(
        f"{str(path)!r} {what}, which is more than is read here; if you trust it, unpack it or"
        f" save the table as Parquet, and read that."
    )


def check_cells(cells: int, most: int, path: Path) -> None:
    """Refuse a sheet with more cells than are read here."""
    if cells > most:
        raise too_large(path, f"has a sheet of more than {most:,} cells")


def check_titles(data: pd.DataFrame, path: Path) -> None:
    """Refuse a sheet or text whose first line is a title, not the names of its columns."""
    named = sum(not re.fullmatch(r"Unnamed: \d+", str(name)) for name in data.columns)
    if 2 * named > data.shape[1]:
        return
    head = data.head(TITLES)
    filled = head.notna().sum(axis=1).to_numpy()
    texts = head.map(lambda cell: isinstance(cell, str)).sum(axis=1).to_numpy()
    lines = [i for i in range(len(head)) if filled[i] == texts[i] > max(named, 1)]
    if lines:
        names = max(lines, key=lambda i: filled[i])
        raise ValueError(
            f"{str(path)!r} has a title above the names of its columns (line 1 has"
            f" {named} cell{'s' * (named != 1)}, line {names + 2} has {filled[names]}; empty"
            f" lines do not count); delete all lines above the names."
        )


def check_names_once(names: Sequence[Any], path: Path, line: int = 1) -> None:
    """Refuse two columns with one name, of which pandas would rename the second."""
    for name in names:
        if name and names.count(name) > 1:
            raise ValueError(
                f"line {line} of {str(path)!r} has the name {name!r} {names.count(name)}"
                f" times; give each column a name of its own."
            )


def check_merged(places: Sequence[str], path: Path) -> None:
    """Refuse a sheet in which one cell stands for several, of which the others are empty."""
    if places:
        raise ValueError(
            f"{str(path)!r} has merged cells ({len(places):,}, such as {places[0]}), of which"
            f" all but the first would be missing; split them and write the value into each."
        )


def check_few_columns(columns: int, path: Path) -> None:
    """Refuse a table with more columns than can be measured."""
    if columns > COLUMNS:
        raise ValueError(
            f"{str(path)!r} has {columns:,} columns, and at most {COLUMNS:,} are read; keep"
            f" those that matter."
        )


def differing(file: Path, folder: Path, column: str, said: str) -> ValueError:
    """Say which file of a folder has another column than the rest."""
    return ValueError(
        f"the files of {str(folder)!r} differ in their columns: {column!r} of"
        f" {str(file.relative_to(folder))!r} {said}; write them with the same columns, or name"
        f" one file."
    )


def no_package(path: Path, error: ImportError) -> ImportError:
    """Say which extra reads such a file."""
    return ImportError(
        f"{str(path)!r} needs {error.name}, which is not installed; {way_to_install('files')}"
    )


# Compressed files and workbooks
#
# A few kilobytes can unpack to more than a machine has. Compressed content is read as a stream
# that stops at a limit, and the cells of a workbook are counted before they are read.


UNPACKED = 1 << 30
"""Bytes that a compressed file may unpack to: 1 GiB."""


WORKBOOK_CELLS = 10_000_000
"""Cells that a sheet of a workbook may have, empty ones before the last column counted."""


ELEMENTS = 4
"""Elements of XML for a cell: it has up to three, and perhaps a row of its own."""


BLOCK = 1 << 20
"""Bytes of one step."""


FAULTS = (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError)
"""What the readers raise; for a password, and a method that is not known, RuntimeError."""


def unpacked(path: Path) -> tuple[Path, Callable[[], IO[bytes]] | None]:
    """Name of the table inside, and how to open it if it is compressed."""
    packed = path.suffix.lower()
    if packed == ".zip":
        member = _only_member(path)
        return Path(member), lambda: zipfile.ZipFile(path).open(member)
    readers: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _zstandard}
    if packed not in readers:
        return path, None
    return path.with_suffix(""), partial(readers[packed], path)


def _only_member(path: Path) -> str:
    """The one file of a zip archive; what a folder would hide does not count."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise unreadable(path, "a zip archive", error) from None
    shown = [one for one in files if not any(map(is_hidden, Path(one.filename).parts))]
    names = [one.filename for one in shown or files]
    if len(names) != 1:
        raise ValueError(
            f"{str(path)!r} must hold one table; it holds {listed(names) or 'no file'}."
        )
    return names[0]


def arrow(path: Path, part: str = "") -> Any:
    """Return pyarrow, or a part of it, to read such a file."""
    try:
        return import_module(f"pyarrow.{part}".rstrip("."))
    except ImportError as error:
        raise no_package(path, error) from None


def _zstandard(path: Path) -> Any:
    pa = arrow(path)
    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


def unpacked_bytes(path: Path, opened: Callable[[], IO[bytes]]) -> bytes:
    """All bytes of a compressed table, if they are no more than the limit."""
    content = io.BytesIO()
    try:
        with opened() as stream:
            while (block := stream.read(BLOCK)) and content.tell() <= UNPACKED:
                content.write(block)
    except FAULTS as error:
        raise unreadable(path, f"a {path.suffix} file", error) from None
    if content.tell() > UNPACKED:
        raise too_large(path, f"unpacks to more than {UNPACKED >> 30} GiB")
    return content.getvalue()


class Sheet(NamedTuple):
    """What is known of a sheet before its cells are read."""

    rows: int
    columns: int
    formulas: int
    uncomputed: int
    """Formulas without a result."""
    merged: tuple[str, ...] = ()
    """Places of cells that stand for several."""


def sheets_of(path: Path, content: Any) -> dict[str, Sheet]:
    """Look at the parts of an .xlsx workbook; none for a workbook of another kind.

    Parameters
    ----------
    path : Path
        The file, for messages.
    content : path or file
        The workbook.

    Returns
    -------
    dict
        `Sheet` by the name of the part, such as "xl/worksheets/sheet1.xml".

    Raises
    ------
    ValueError
        If the parts unpack to more than the limit, or hold more elements than a sheet of
        the largest size.
    """
    if not zipfile.is_zipfile(content):
        return {}
    found = {}
    try:
        with zipfile.ZipFile(content) as archive:
            parts = [one for one in archive.infolist() if one.filename.endswith(".xml")]
            # A reader stops at the stated size, so that a part cannot be larger than it says.
            if sum(one.file_size for one in archive.infolist()) > UNPACKED:
                raise too_large(path, f"unpacks to more than {UNPACKED >> 30} GiB")
            for part in parts:
                with archive.open(part) as stream:
                    found[part.filename] = _Scan(path).of(stream)
            late = _computed_on_load(archive)
    except FAULTS as error:
        raise unreadable(path, "a workbook", error) from None
    if late:
        return {n: one._replace(uncomputed=one.formulas) for n, one in found.items()}
    return found


def _computed_on_load(archive: zipfile.ZipFile) -> bool:
    """Whether a program wrote the formulas and left it to others to compute them."""
    try:
        book = archive.read("xl/workbook.xml")
    except KeyError:
        return False
    return re.search(rb"fullCalcOnLoad\s*=\s*[\"'](?:1|true)[\"']", book) is not None


class _Scan:
    """One pass over the XML of a sheet, which keeps no cell of it.

    Rows and columns are taken from the cells' own places, as the reader takes them, and not
    from the dimension that a sheet states, which may be wrong.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = self.columns = self.row = self.column = self.elements = 0
        self.formulas = self.computed = 0
        self.merged: list[str] = []
        self.text = self.open = False
        """Whether the present cell is a text that was computed; lacks the result of one."""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EntityDeclHandler = self._entity

    def of(self, stream: IO[bytes]) -> Sheet:
        """Read to the end, or to what the workbook's reader will complain of."""
        try:
            self.parser.ParseFile(stream)
        except expat.ExpatError:
            pass
        open_ones = self.formulas - self.computed
        return Sheet(self.rows, self.columns, self.formulas, open_ones, tuple(self.merged))

    def _start(self, name: str, has: dict[str, str]) -> None:
        self.elements += 1
        kind = name.rpartition(":")[2]
        if kind == "c":
            self._cell(has)
        elif kind == "row":
            place = has.get("r", "")
            self.row = int(place) if place.isdecimal() else self.row + 1
            self.column = 0
        elif kind == "f":
            self.formulas, self.open = self.formulas + 1, True
            if self.text:  # its result may be an empty text
                self._has_result()
        elif kind == "mergeCell":
            self.merged.append(has.get("ref", ""))
        elif kind == "v" and self.open:
            self.parser.CharacterDataHandler = self._result
        check_cells(self.rows * self.columns, WORKBOOK_CELLS, self.path)
        check_cells(self.elements // ELEMENTS, WORKBOOK_CELLS, self.path)

    def _cell(self, has: dict[str, str]) -> None:
        if self.open:
            self.parser.CharacterDataHandler = None
        self.open, self.text = False, has.get("t") == "str"
        number = 0
        for letter in has.get("r", "").rstrip("0123456789").upper()[:4]:
            number = 26 * number + ord(letter) - 64
        self.column = number or self.column + 1
        self.columns, self.rows = max(self.columns, self.column), max(self.rows, self.row)

    def _result(self, text: str) -> None:
        if text.strip():
            self._has_result()

    def _has_result(self) -> None:
        self.computed += 1
        self.open = False
        self.parser.CharacterDataHandler = None

    def _entity(self, *_: Any) -> None:
        raise too_large(self.path, "declares entities, which can unpack to any size")
