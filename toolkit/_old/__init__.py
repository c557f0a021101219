"""Modules that wait for their rewriting, moved unchanged but for the paths of imports."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

HOMES = ("toolkit.engines", "toolkit._old", "ibis", "duckdb", "pyspark")

MODULES = ("classes", "attribute", "identity", "membership", "checking")


def or_in_engine(function: Function) -> Function:
    """Let a function of tables answer for a table in today's engines, too."""

    @wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        homes = (type(given).__module__ for given in (*args, *kwargs.values()))
        if not any(home.startswith(HOMES) for home in homes):
            return function(*args, **kwargs)
        old = {"class_table": "equivalence_classes"}.get(function.__name__, function.__name__)
        modules = [import_module(f"toolkit._old.{name}") for name in MODULES]
        return next(getattr(m, old) for m in modules if hasattr(m, old))(*args, **kwargs)

    return either  # type: ignore[return-value]
