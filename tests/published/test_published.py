"""Published numbers are what the ledger says, and the page for replicators is the ledger."""

import pytest

from tests.published.ledger import (
    CLAIMS,
    PAGE,
    SOURCES,
    Number,
    counts,
    page,
    sections,
    verdicts,
)


@pytest.mark.parametrize("name", CLAIMS)
def test_published_numbers(name, record_property):
    claim = CLAIMS[name]
    if not claim.available:
        pytest.skip(f"PRIVACY_TOOLKIT_DATA names no directory with {claim.needs}")
    numbers = claim.numbers()
    assert numbers, "a claim has numbers"
    for number in numbers:
        record_property(f"{number.where}: {number.what}", f"{number.printed} {number.ours}")
        what = f"{number.where}, {number.what}: {number.printed} is printed, {number.ours}"
        assert number.reached or number.why, f"{what} was found, and nothing says why"


def test_every_number_names_one_of_three_sources():
    found = {
        line.source for claim in CLAIMS.values() if claim.available for line in claim.lines()
    }
    assert found == set(SOURCES)


def test_numbers_that_are_not_reached_are_these():
    """Nothing joins them silently: a new one, or one that is reached at last, shows here."""
    short = {
        name: sum(not number.reached for number in claim.numbers())
        for name, claim in CLAIMS.items()
        if claim.available
    }
    expected = {"hackathon": 75, "table_4": 4, "replication": 1, "adult": 2, "choosing": 3}
    assert {name: count for name, count in short.items() if count} == {
        name: count for name, count in expected.items() if name in short
    }


def test_the_page_for_replicators_is_the_ledger():
    stored = PAGE.read_text(encoding="utf-8")
    assert stored == page(stored), "run `python docs/pages.py`"
    assert list(sections(stored)) == [claim.source for claim in CLAIMS.values()]
    assert all(verdicts(part) for part in sections(stored).values())


def test_the_headline_counts_what_could_have_failed():
    """Numbers of a stand-in that was tuned to them are shown, and not counted."""
    stored = PAGE.read_text(encoding="utf-8")
    parts = sections(stored)
    counted = [parts[one.source] for one in CLAIMS.values() if one.counted]
    numbers, reached = map(sum, zip(*map(counts, counted), strict=True))
    assert numbers == sum(len(verdicts(part)) for part in counted)
    said = f"{numbers} numbers: {reached} reached, {numbers - reached} not reached"
    assert said in stored and "Another 140 are shown and not counted" in stored
    readme = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"{numbers} numbers, in print" in readme and f"{reached} are reached" in readme


@pytest.mark.parametrize(
    ("printed", "found", "extra", "reached"),
    [
        ("0.167", 1 / 6, {}, True),
        ("0.166", 1 / 6, {}, False),
        ("10.0780", 10.07809, {"cut": True}, True),
        ("10.0780", 10.07809, {}, False),
        ("0.5", 0.5000001, {"within": 1e-6}, True),
        ("0.5", 0.51, {"within": 1e-6}, False),
        ("∞", float("inf"), {}, True),
        ("∞", 1e300, {}, False),
        ("1.5%", 1.47, {}, True),
        ("0 4 1", "0 4 1", {}, True),
        ("0 4 1", "0 4 2", {}, False),
        ("99,999", 99999, {}, True),
    ],
)
def test_what_reached_means(printed, found, extra, reached):
    assert Number("", "", printed, found, **extra).reached == reached
