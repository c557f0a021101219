"""Types of arrays, optional packages, and tables of other libraries as DataFrames."""

from __future__ import annotations

import re
from importlib import import_module
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
    attached: tuple[Any, Any, list[str]] = lazy_loader.attach(f"toolkit.{room}", None, names)
    return attached


# Optional packages


def check_extra(module: str, extra: str, asked: str = "this table") -> Any:
    """Return an optional module, or say how to install it; no index has the toolkit."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{asked} needs {module}, which is not installed; install it in the clone of the"
            f" toolkit by python3 dev.py install {extra}, or there by pip install"
            f" -e '.[{extra}]' in an environment of your own."
        ) from error


# Tables of other libraries


def table_of(data: Any) -> Any:
    """Return a table of Polars or Arrow as a DataFrame, with text as categories.

    Anything else is returned unchanged, and the checks of the metric judge it.
    """
    foreign = type(data).__module__.startswith(("polars", "pyarrow"))
    if foreign and hasattr(data, "__arrow_c_stream__"):
        return frame_of_arrow(check_extra("pyarrow", "files").table(data))
    return data


def frame_of_arrow(arrow: Any) -> pd.DataFrame:
    """Turn an Arrow table into a DataFrame; columns may share a name."""
    columns = [column_of_arrow(column) for column in arrow.columns]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(arrow.num_rows))
    frame.columns = pd.Index(list(arrow.column_names), dtype=object)
    return frame


def column_of_arrow(column: Any) -> Any:
    """Turn a column of Arrow into one of pandas; text becomes sorted categories.

    Categories with an order keep it, and whole numbers with missing cells stay whole.
    """
    import pyarrow as pa

    by_number = pa.types.is_dictionary(column.type)
    held = column.type.value_type if by_number else column.type
    kind, ordered = str(held), by_number and column.type.ordered
    if ordered or kind in ("string", "large_string", "string_view"):
        if column.type == pa.string_view():  # which Arrow does not encode
            column = column.cast("string")
        coded = column.dictionary_encode().combine_chunks()
        values = coded.dictionary.to_numpy(zero_copy_only=False)
        order = np.arange(len(values)) if ordered else np.argsort(values)
        place = np.append(np.argsort(order), -1)  # a missing cell has no code
        codes = coded.indices.to_numpy(zero_copy_only=False)
        if column.null_count:  # which Arrow turns into NaN
            codes = np.nan_to_num(codes, nan=-1).astype(int)
        dtype = pd.CategoricalDtype(values[order], ordered)
        return pd.Categorical.from_codes(place[codes], dtype=dtype, validate=False)
    column = column.cast(held) if by_number else column
    if column.null_count and kind.startswith(("int", "uint", "bool")):
        kind = kind.replace("bool", "boolean").replace("int", "Int").replace("uI", "UI")
        return column.to_pandas(types_mapper=lambda _: pd.api.types.pandas_dtype(kind))
    try:
        return column.to_pandas(date_as_object=False)
    except pa.ArrowInvalid:  # times in nanoseconds, which Python's own cannot hold
        return pd.array(column, dtype=pd.ArrowDtype(column.type))
