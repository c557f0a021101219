"""Recognisers of cells: printed examples, a wrong digit, and chance."""

import random
from datetime import date

import numpy as np
import pytest

from tests.report import messy_files as made
from toolkit.report.patterns import PATTERNS, is_valid, looks_like_names, words_in

BORN = date(1972, 12, 27)
NUMBERS = {
    "IBAN": made.iban,
    "payment card": made.american_card,
    "NIR": lambda rng: made.french_number(rng, BORN, "F"),
    "codice fiscale": lambda rng: made.italian_number(rng, BORN, "M"),
    "DNI": made.spanish_number,
    "pension": lambda rng: made.german_pension_number(rng, BORN),
    "German health": made.german_health_number,
    "Steuer-ID": made.german_tax_id,
    "NHS": made.british_number,
    "BSN": made.dutch_number,
}


def valid(texts, what):
    """Which texts are valid by any pattern of that name."""
    return np.any([is_valid(texts, one) for one in PATTERNS if what in one.what], axis=0)


@pytest.mark.parametrize(
    ("what", "number"),
    [  # examples that the offices print, or that stand in the standards
        ("IBAN", "DE89 3704 0044 0532 0130 00"),
        ("IBAN", "GB82WEST12345698765432"),
        ("payment card", "4111 1111 1111 1111"),
        ("NHS", "943 476 5919"),
        ("NIR", "2 69 05 49 588 157 80"),
        ("NIR", "255081416802538"),
        ("Steuer-ID", "86095742719"),
        ("German health", "A123456780"),
        ("pension", "15070649C103"),
        ("DNI", "12345678Z"),
        ("DNI", "X1234567L"),
        ("codice fiscale", "RSSMRA85T10A562S"),
        ("BSN", "111222333"),
        ("social security numbers", "219-09-9999"),
    ],
)
def test_printed_examples_are_valid(what, number):
    assert valid([number, f" {number} "], what).all()
    assert not valid([f"{number}0", f"x{number}"], what).any()


@pytest.mark.parametrize("what", NUMBERS)
def test_a_right_number_is_valid_and_one_wrong_figure_is_seen(what):
    rng = random.Random(0)
    numbers = [NUMBERS[what](rng) for _ in range(200)]
    assert valid(numbers, what).all()
    wrong = []
    for number in numbers:
        place = rng.choice([j for j, sign in enumerate(number) if sign.isdigit()])
        other = (int(number[place]) + rng.randint(1, 9)) % 10
        wrong.append(number[:place] + str(other) + number[place + 1 :])
    assert not valid(wrong, what).any(), "every one of these sums sees one wrong figure"


@pytest.mark.parametrize("number", ["000-12-3456", "666-12-3456", "912-12-3456"])
def test_areas_that_are_not_given_make_no_american_number(number):
    assert not valid([number], "social security numbers").any()
    assert not valid(["123-00-4567", "123-45-0000"], "social security numbers").any()


@pytest.mark.parametrize(("what", "most"), [("BSN", 0.16), ("NHS", 0.16), ("Steuer-ID", 0.05)])
def test_figures_by_chance_are_rarely_valid(what, most):
    """One in eleven, or fewer: 2,000 draws exceed .16 of them less than once in 10^20 runs."""
    rng = np.random.default_rng(0)
    size = {"BSN": 9, "NHS": 10, "Steuer-ID": 11}[what]
    numbers = rng.integers(10 ** (size - 1), 10**size, 2000).astype(str).tolist()
    assert valid(numbers, what).mean() < most


def test_names_by_their_shape_and_by_given_names():
    assert looks_like_names(["Zoë O'Hara-Smith", "von der Leyen, Anna"])[0] == 0.5
    assert looks_like_names(["Grace", "Jürgen", "Bremen", "north"]) == (0, 0.5)
    assert looks_like_names([]) == (0, 0)
    assert words_in(["a b c d", "12 34 56", "vu avec sa femme"]).tolist() == [4, 0, 4]
