"""Decorator of tables, nullable types and HTML cells, for modules that wait."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import pandas as pd

from .._typing import table_of

Function = TypeVar("Function", bound=Callable[..., Any])


def by_kind(tables: int = 1) -> Callable[[Function], Function]:
    """Let a function of DataFrames, its first arguments, take tables of any kind."""

    def decorate(function: Function) -> Function:
        names = list(inspect.signature(function).parameters)[:tables]

        @wraps(function)
        def of_any_kind(*args: Any, **kwargs: Any) -> Any:
            given = [table_of(table) for table in args[:tables]]
            named = {name: table_of(kwargs[name]) for name in names if name in kwargs}
            return function(*given, *args[tables:], **{**kwargs, **named})

        return of_any_kind  # type: ignore[return-value]

    return decorate


class _Nullable:
    """The pandas type that holds whole numbers, or truth, with missing cells."""

    @staticmethod
    def get(kind: Any) -> Any:
        names = {"bool": "boolean", "uint": "UInt", "int": "Int"}
        text = str(kind)
        stem = text.rstrip("0123456789")
        return pd.api.types.pandas_dtype(f"{names[stem]}{text[len(stem) :]}")


NULLABLE = _Nullable()


# HTML, for the results that a notebook shows


class Markup(str):
    """HTML that is shown as it is, and not escaped again."""

    __slots__ = ()


def cell(content: object, tag: str = "td", *, style: str = "", inside: str = "") -> str:
    """Write a cell: a text is escaped, `Markup` is not; `inside` is a tag around either."""
    import html  # not for tables that nobody looks at

    text = content if isinstance(content, Markup) else html.escape(str(content))
    text = f"<{inside}>{text}</{inside}>" if inside else text
    return f"<{tag} style='{style}'>{text}</{tag}>" if style else f"<{tag}>{text}</{tag}>"


def html_table(rows: Iterable[Iterable[str]], head: Iterable[str] = ()) -> str:
    """Write a table of cells, with a head of its own if that has cells."""
    written = [f"<tr>{''.join(cells)}</tr>" for cells in rows]
    if not (names := "".join(head)):
        return f"<table>{''.join(written)}</table>"
    body = "\n".join(written)
    return f"<table><thead><tr>{names}</tr></thead><tbody>\n{body}\n</tbody></table>"
