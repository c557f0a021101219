"""Types of arrays, optional packages, and tables of other libraries as DataFrames."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import lazy_loader  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
import pandas as pd

# Arguments of metrics, under the names that signatures show. A table is in memory, in an
# engine or a ClassTable; a column is a name or a position; columns are one column or a list.
Table = Any
Column = Any
Columns = Any

# Arrays, by type of their elements

AnyArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]


def attach_room(room: str) -> tuple[Any, Any, list[str]]:
    """Public names of a subpackage, read from the stub; each is imported on first use."""
    stub = Path(__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    blocks = re.findall(rf"from \.{room}\.(\S+) import \((.*?)\)", stub, re.DOTALL)
    names = {module: re.findall(r" as (\w+)", block) for module, block in blocks}
    found: tuple[Any, Any, list[str]] = lazy_loader.attach(f"toolkit.{room}", None, names)
    return found


# Optional packages


def way_to_install(extra: str) -> str:
    """Words of a message on how to install an extra; no index has the toolkit."""
    return (
        f"install it in the clone of the toolkit by python3 dev.py install {extra}, or there"
        f" by pip install -e '.[{extra}]' in an environment of your own."
    )


def check_installed(module: str, extra: str, asked: str) -> None:
    """Refuse to go on without an optional package, and say how to install it."""
    if find_spec(module) is None:
        way = way_to_install(extra)
        raise ImportError(f"{asked} needs {module}, which is not installed; {way}")


def check_extra(module: str, extra: str) -> Any:
    """Return an optional module, or say what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        way = way_to_install(extra)
        raise ImportError(
            f"this table needs {module}, which is not installed; {way}"
        ) from error


# Tables of other libraries


def table_of(data: Any) -> Any:
    """Return a table of Polars or Arrow as a DataFrame, with text as categories.

    Anything else is returned unchanged, and the checks of the metric judge it.
    """
    if type(data).__module__.startswith("polars"):
        check_extra("pyarrow", "files")
        data = data.collect() if hasattr(data, "collect") else data
        data = data.to_arrow() if hasattr(data, "columns") else data
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None:
        return data
    if isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    return frame_of_arrow(data) if isinstance(data, pyarrow.Table) else data


def frame_of_arrow(arrow: Any) -> pd.DataFrame:
    """Turn an Arrow table into a DataFrame; text becomes sorted categories.

    Whole numbers with missing cells stay whole. Columns may share a name.
    """
    pairs = zip(arrow.column_names, arrow.columns, strict=True)
    columns = [column_of_arrow(column, name) for name, column in pairs]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(arrow.num_rows))
    frame.columns = pd.Index(list(arrow.column_names), dtype=object)
    return frame


def column_of_arrow(column: Any, name: str) -> Any:
    """Turn a column of an Arrow table into a column of pandas."""
    import pyarrow as pa

    column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    kind = column.type
    if pa.types.is_nested(kind):
        raise TypeError(
            f"data: column {name!r} holds {kind} cells, which cannot be compared; unnest it"
            f" into columns of numbers or text first."
        )
    if pa.types.is_dictionary(kind) and not kind.ordered and not is_text(kind.value_type):
        return column_of_arrow(pa.chunked_array([column.cast(kind.value_type)]), name)
    if pa.types.is_dictionary(kind) or is_text(kind):
        return _categories_of_arrow(column)
    if (pa.types.is_integer(kind) or pa.types.is_boolean(kind)) and column.null_count:
        name = str(kind).replace("bool", "boolean").replace("int", "Int").replace("uI", "UI")
        return column.to_pandas(types_mapper=lambda _: pd.api.types.pandas_dtype(name))
    try:
        return column.to_pandas(date_as_object=False)
    except pa.ArrowInvalid:  # times in nanoseconds, which Python's own cannot hold
        return pd.array(column, dtype=pd.ArrowDtype(kind))


def is_text(kind: Any) -> bool:
    """True if a type of Arrow is text."""
    return str(kind) in ("string", "large_string", "string_view", "utf8_view")


def _categories_of_arrow(column: Any) -> pd.Categorical:
    """Text as categories, in sorted order unless the column has its own order."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes = column.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    values = pd.Index(column.dictionary.to_pandas())
    if not column.type.ordered:
        values, place = np.unique(values.astype(object), return_inverse=True)
        codes = np.append(place, -1)[codes]  # code -1 reads the last entry
    return pd.Categorical.from_codes(codes, pd.Index(values), ordered=column.type.ordered)
