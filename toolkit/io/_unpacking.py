"""Compressed files and workbooks, unpacked up to a stated size and no further.

A few kilobytes can unpack to more than a machine has. Compressed content is read as a
stream that stops at a limit, and the cells of a workbook are counted before they are read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from .._validation import listed
from .files import check_cells, is_hidden, no_package, too_large, unreadable

__all__ = [
    "Sheet",
    "UNPACKED",
    "WORKBOOK_CELLS",
    "sheets_of",
    "unpacked",
    "unpacked_bytes",
]


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
    readers: dict[str, Callable[[], Any]] = {
        ".gz": lambda: gzip.open(path),
        ".bz2": lambda: bz2.open(path),
        ".xz": lambda: lzma.open(path),
        ".zst": lambda: _zstandard(path),
    }
    return (path.with_suffix(""), readers[packed]) if packed in readers else (path, None)


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


def _zstandard(path: Path) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise no_package(path, error) from None
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
