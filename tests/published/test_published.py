"""Published numbers are what the ledger says, and the page for replicators follows it."""

import pytest

from tests.needs import ROOT
from tests.published.ledger import (
    IMPORTS,
    LEDGER,
    SOURCES,
    WORKS,
    agrees,
    as_csv,
    computed,
    counts,
    is_available,
    read,
)

ROWS = read()


@pytest.mark.parametrize("name", WORKS)
def test_published_numbers(name):
    """Each call gives the stored number, which is reached, or the row says why not."""
    if not is_available(name):
        pytest.skip(f"PRIVACY_TOOLKIT_DATA names no directory with {WORKS[name]['needs']}")
    rows = [row for row in ROWS if row["claim"] == name]
    assert rows and computed(name, rows) == rows, "run `python docs/pages.py`"
    assert all(row["why"] for row in rows if row["verdict"] == "not reached")


def test_every_row_has_a_work_and_one_of_three_sources():
    assert [*dict.fromkeys(row["claim"] for row in ROWS)] == [*WORKS]
    assert {row["source"] for row in ROWS} == {*SOURCES}
    assert LEDGER.read_text(encoding="utf-8") == as_csv(ROWS)
    page = (ROOT / "docs" / "replicators.md").read_text(encoding="utf-8")
    assert f"```python\n{IMPORTS}```" in page


def test_numbers_that_are_not_reached_are_these():
    """Nothing joins them silently: a new one, or one that is reached at last, shows here."""
    missed = [row["claim"] for row in ROWS if row["verdict"] == "not reached"]
    expected = {"adult": 2, "table_4": 4, "replication": 1, "choosing": 3}
    assert {name: missed.count(name) for name in missed} == expected


def test_the_readme_counts_what_could_have_failed():
    numbers, reached = counts(ROWS)
    assert len(ROWS) - numbers == 140, "of a stand-in that was tuned to them"
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f" {numbers} numbers, in print, run or computed" in readme
    assert f" {reached} are reached, the other {numbers - reached} " in readme


@pytest.mark.parametrize(
    ("printed", "found", "agreement", "reached"),
    [
        ("0.167", 1 / 6, "", True),
        ("0.166", 1 / 6, "", False),
        ("10.0780", 10.07809, "cut", True),
        ("10.0780", 10.07809, "", False),
        ("0.5", 0.5000001, "within 1e-6", True),
        ("0.5", 0.51, "within 1e-6", False),
        ("∞", float("inf"), "", True),
        ("∞", 1e300, "", False),
        ("1.5%", 1.47, "", True),
        ("0 4 1", "0 4 1", "", True),
        ("0 4 1", "0 4 2", "", False),
        ("99,999", 99999, "", True),
    ],
)
def test_what_reached_means(printed, found, agreement, reached):
    assert agrees(printed, found, agreement) == reached
