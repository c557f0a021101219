"""Make adult_hierarchies/*.csv: coarser labels for the columns of Adult that identify.

    python data/make_adult_hierarchies.py [FOLDER]

Groups and words are this project's own. Values are those of the codebook, so that a table is
recoded in the same way whatever records it holds; UCI writes a missing value as `?`, the
toolkit reads it as missing, and both have a row.
"""

import sys
from pathlib import Path

from stream import recipe

from toolkit import group_hierarchy, interval_hierarchy, suppression_hierarchy, write_hierarchy

OLDEST = 120
GROUPS = recipe("hierarchies.toml")
PLAIN = {"sex": ["Female", "Male"], "income": ["<=50K", ">50K"]}


def members(groups: dict | list) -> list:
    """Values of all groups; `?` is read as missing, so both have a row."""
    if isinstance(groups, list):
        return groups
    return [value for group in groups.values() for value in members(group)]


def with_missing(groups: dict) -> dict:
    """Groups in which a missing value stands beside `?`."""
    return {name: ["?", None] if group == ["?"] else group for name, group in groups.items()}


def main() -> None:
    """Write a file per column."""
    folder = Path(__file__).parent / "adult_hierarchies"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else folder
    folder.mkdir(exist_ok=True)
    tables = {"age": interval_hierarchy(range(OLDEST + 1), [5, 10, 20, 40])}
    for name, groups in GROUPS.items():
        known = with_missing(groups)
        tables[name] = group_hierarchy(members(known), known)
    tables |= {name: suppression_hierarchy(values) for name, values in PLAIN.items()}
    for name, table in tables.items():
        write_hierarchy(table, folder / f"{name}.csv", separator=",")
        print(f"{folder / name}.csv: {len(table)} values, {table.shape[1]} levels")


if __name__ == "__main__":
    main()
