"""Checks of what the explorer of a table is given: the message says the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ._validate import check_choice, check_table, check_whole, listed

__all__ = ["check_explorable", "check_rarities", "check_setting", "no_record_is_left"]

COLUMNS = 40
"""Columns that have room for their controls."""


def check_rarities(fewer_than: Any) -> list[int]:
    """Return numbers of records, rising, as a list."""
    given = [fewer_than] if np.ndim(fewer_than) == 0 else list(fewer_than)
    meaning = "the least records of a value that stays"
    numbers = [check_whole(number, "fewer_than", 1, 2**53, meaning) for number in given]
    if not numbers or any(b <= a for a, b in zip(numbers, numbers[1:], strict=False)):
        raise ValueError(
            f"fewer_than must rise from level to level, as [10, 100] does; got {given}."
        )
    return numbers


def check_explorable(data: object) -> pd.DataFrame:
    """Return a table of a size that controls can be laid out for."""
    table = check_table(data)
    if table.shape[1] < 2:
        raise ValueError(
            f"the table has one column, {str(table.columns[0])[:40]!r}, and nothing that goes"
            f" with it: give at least two. In a file, look at the separator."
        )
    if table.shape[1] > COLUMNS:
        raise ValueError(
            f"the table has {table.shape[1]:,} columns, and there are controls for {COLUMNS}:"
            f" keep those that matter, as with data[[...]]."
        )
    return table


def check_setting(setting: Any, heights: Mapping[Any, int], roles: Sequence[str]) -> None:
    """Check that roles are of the table's columns, and levels are there.

    Parameters
    ----------
    setting : Setting
        With `roles` and `levels`.
    heights : mapping
        Levels of each column of the table, the values themselves counted.
    roles : sequence of str
        What a column can be; one of the second and third is measured.
    """
    strange = [name for name in [*setting.roles, *setting.levels] if name not in heights]
    if strange or len(setting.roles) != len(heights):
        lacking = [name for name in heights if name not in setting.roles]
        wrong = f"{listed(strange)} is none" if strange else f"{listed(lacking)} has no role"
        raise ValueError(f"roles and levels are by column; {wrong}.")
    for name, role in setting.roles.items():
        check_choice(role, f"role of {name!r}", roles)
    for name, level in setting.levels.items():
        check_whole(level, f"level of {name!r}", 0, heights[name] - 1, "0 leaves it as it is")
    if not set(roles[1:3]) & set(setting.roles.values()):
        raise ValueError(
            "no column is measured: make at least one a quasi-identifier or sensitive."
        )


def no_record_is_left(k: int) -> ValueError:
    """Say that every class is smaller than k."""
    return ValueError(
        f"every record stands in a class of fewer than {k:,}, so none would be left: choose a"
        f" smaller k, or make columns coarser."
    )
