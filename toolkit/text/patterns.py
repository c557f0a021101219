r"""Recognisers of cells that identify: addresses, accounts, national numbers, dates and names.

Each is a shape, a regular expression with bounded repetition, and often a checksum. A shape
that is nothing but figures tells nothing without its checksum: nine figures may be anything,
but one number in eleven only is a Dutch BSN. Texts are looked at all together, a column of
signs at a time; the loops run over places in a number and never over texts.

The checksums are those of ISO 13616 (IBAN), ISO/IEC 7812 (cards), ISO 7064 (German tax number)
and of the offices that give the other numbers out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._typing import BoolArray, IntArray

__all__ = [
    "GIVEN_NAMES",
    "NAME",
    "PATTERNS",
    "Pattern",
    "has_shape",
    "is_valid",
    "looks_like_names",
    "words_in",
]


class Pattern(NamedTuple):
    """One way of writing what identifies."""

    what: str
    """What it is, in the plural, for a sentence."""
    shape: str
    """Regular expression of a whole text; without anchors, so that it can be searched for."""
    check: Callable[[IntArray], BoolArray] | None = None
    """Whether the check digits are right, for signs of one length: a row of codes each."""
    telling: bool = True
    """Whether the shape is enough; if not, it counts only where the check digits are right."""


LONGEST = 120
"""Longest text that can be one of these; a longer one is not looked at."""


# Checksums: each takes letters and figures only, in capitals, as a matrix of their codes


def _figures(signs: IntArray) -> IntArray:
    """Value of each sign: of figures 0 to 9, of letters 10 to 35."""
    return np.where(signs >= 65, signs - 55, signs - 48)


def _remainder(values: IntArray, modulus: int) -> IntArray:
    """Remainder of long numbers, whose digits are read one by one; a letter is two digits."""
    rest = np.zeros(len(values), np.int64)
    for column in values.T:
        rest = (rest * np.where(column > 9, 100, 10) + column) % modulus
    return rest


def _crossed(values: IntArray, weights: Sequence[int]) -> IntArray:
    """Sum of the digits of products with weights: 7 times 2 counts 1 + 4."""
    products = values * np.array(weights)
    found: IntArray = (products // 10 + products % 10).sum(axis=1)
    return found


def _iban(signs: IntArray) -> BoolArray:
    """ISO 13616: the country goes behind the account, and the remainder by 97 is 1."""
    values = _figures(signs)
    return _remainder(np.hstack([values[:, 4:], values[:, :4]]), 97) == 1


def _luhn(signs: IntArray) -> BoolArray:
    """ISO/IEC 7812: every other digit doubled, from the right."""
    values = _figures(signs)[:, ::-1].copy()
    weights = [1 + place % 2 for place in range(values.shape[1])]
    return _crossed(values, weights) % 10 == 0


def _ssn(signs: IntArray) -> BoolArray:
    """No check digit; areas 000, 666 and 9xx, group 00 and serial 0000 are not given."""
    values = _figures(signs)
    area = values[:, :3] @ [100, 10, 1]
    group, serial = values[:, 3:5].sum(axis=1), values[:, 5:].sum(axis=1)
    found: BoolArray = (area > 0) & (area != 666) & (area < 900) & (group > 0) & (serial > 0)
    return found


def _nhs(signs: IntArray) -> BoolArray:
    """Modulo 11 with weights 10 to 2; a check digit of 10 is not given."""
    values = _figures(signs)
    rest = (11 - values[:, :9] @ np.arange(10, 1, -1) % 11) % 11
    found: BoolArray = (rest == values[:, 9]) & (values.sum(axis=1) > 0)
    return found


def _nir(signs: IntArray) -> BoolArray:
    """The key is 97 less the remainder; Corsica's 2A and 2B count as 19 and 18."""
    values = _figures(signs)
    corsica = values[:, 6] > 9
    values[corsica, 5], values[corsica, 6] = 1, 19 - values[corsica, 6]
    return 97 - _remainder(values[:, :13], 97) == values[:, 13:] @ [10, 1]


def _steuer_id(signs: IntArray) -> BoolArray:
    """ISO 7064 modulo 11, 10; of ten digits one occurs twice or three times, others once."""
    values = _figures(signs)
    product = np.full(len(values), 10)
    for column in values[:, :10].T:
        total = (column + product) % 10
        product = np.where(total == 0, 10, total) * 2 % 11
    counts = (values[:, :10, None] == np.arange(10)).sum(axis=1)
    again = ((counts == 2) | (counts == 3)).sum(axis=1) == 1
    return ((11 - product) % 10 == values[:, 10]) & again & (counts.max(axis=1) < 4)


def _kvnr(signs: IntArray) -> BoolArray:
    """Luhn from the left over the place of the letter in the alphabet and eight digits."""
    values = _figures(signs)
    letter = values[:, :1] - 9
    front = np.hstack([letter // 10, letter % 10, values[:, 1:9]])
    return _crossed(front, [1, 2] * 5) % 10 == values[:, 9]


def _rvnr(signs: IntArray) -> BoolArray:
    """Weighted sum over area, birthday, place of the letter in the alphabet and serial."""
    values = _figures(signs)
    letter = values[:, 8:9] - 9
    front = np.hstack([values[:, :8], letter // 10, letter % 10, values[:, 9:11]])
    return _crossed(front, [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 == values[:, 11]


def _dni(signs: IntArray) -> BoolArray:
    """The letter stands for the remainder by 23; X, Y and Z of foreigners for 0, 1 and 2."""
    values = _figures(signs[:, :8])
    values[:, 0] = np.where(values[:, 0] > 9, values[:, 0] - 33, values[:, 0])
    letters = np.frombuffer(b"TRWAGMYFPDXBNJZSQVHLCKE", np.uint8)
    return letters[_remainder(values, 23)] == signs[:, 8]


ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25]
"""Values of the letters A to X in odd places of a codice fiscale; of figures, of A to J."""


def _codice_fiscale(signs: IntArray) -> BoolArray:
    """Sum of two tables, one for odd places and one for even, by 26."""
    values = _figures(signs)
    letter = np.where(values > 9, values - 10, values)
    odd = np.array([*ODD, 24, 23])[letter]
    total = odd[:, 0:15:2].sum(axis=1) + letter[:, 1:15:2].sum(axis=1)
    found: BoolArray = total % 26 == letter[:, 15]
    return found


def _bsn(signs: IntArray) -> BoolArray:
    """The test of eleven, in which the last digit counts against the others."""
    values = _figures(signs)
    if values.shape[1] == 8:  # a leading zero that a number has lost
        values = np.hstack([np.zeros((len(values), 1), np.int64), values])
    total = values @ [9, 8, 7, 6, 5, 4, 3, 2, -1]
    found: BoolArray = (total % 11 == 0) & (values.sum(axis=1) > 0)
    return found


FISCAL_DIGIT = "[0-9LMNP-V]"


PATTERNS = (
    Pattern("e-mail addresses", r"[^@\s]{1,64}@(?:[^@\s.]{1,63}\.){1,8}[A-Za-z]{2,24}"),
    Pattern("links", r"(?:https?://|www\.)\S{1,2000}"),
    Pattern("social security numbers", r"\d{3}[- ]\d{2}[- ]\d{4}", _ssn),
    Pattern(
        "bank account numbers (IBAN)",
        r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?",
        _iban,
    ),
    Pattern("internet addresses (IP)", r"(?:\d{1,3}\.){3}\d{1,3}"),
    Pattern("payment card numbers", r"\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}", _luhn),
    Pattern("payment card numbers", r"[3-6]\d{12,18}", _luhn, telling=False),
    Pattern(
        "French social security numbers (NIR)",
        r"[1-478] ?\d{2} ?(?:[02-9]\d|1[0-2]) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d{2}",
        _nir,
        telling=False,
    ),
    Pattern(
        "Italian tax codes (codice fiscale)",
        rf"[A-Za-z]{{6}}{FISCAL_DIGIT}{{2}}[A-EHLMPR-T]{FISCAL_DIGIT}{{2}}"
        rf"[A-Z]{FISCAL_DIGIT}{{3}}[A-Z]",
        _codice_fiscale,
    ),
    Pattern(
        "Spanish identity numbers (DNI, NIE)",
        r"(?:\d{8}|[XYZ]\d{7})[- ]?[A-HJ-NP-TV-Z]",
        _dni,
    ),
    Pattern(
        "German pension insurance numbers",
        r"\d{2} ?(?:[0-7]\d)(?:0\d|1[0-2])\d{2} ?[A-Z] ?\d{2} ?\d",
        _rvnr,
    ),
    Pattern("German health insurance numbers", r"[A-Z]\d{9}", _kvnr),
    Pattern(
        "German tax numbers (Steuer-ID)",
        r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}",
        _steuer_id,
        telling=False,
    ),
    Pattern("British health service numbers (NHS)", r"\d{3}[ -]\d{3}[ -]\d{4}", _nhs, False),
    Pattern("British health service numbers (NHS)", r"\d{10}", _nhs, telling=False),
    Pattern("Dutch citizen service numbers (BSN)", r"\d{8,9}", _bsn, telling=False),
    Pattern(
        "telephone numbers",
        r"(?:\+|00)\d[\d ()/.-]{6,18}\d|\(0?\d{2,5}\)[ -]?\d[\d -]{4,12}\d"
        r"|0\d{2,5}[ /-]\d[\d -]{4,12}\d|\d{3}[-. ]\d{3}[-. ]\d{4}",
    ),
)
"""From the most telling to the least."""


def has_shape(texts: Sequence[str], pattern: Pattern) -> BoolArray:
    """Which texts have the shape of a pattern from end to end.

    Examples
    --------
    >>> e_mail = PATTERNS[0]
    >>> has_shape(["a@b.org", "a at b"], e_mail).tolist()
    [True, False]
    """
    return _stripped(texts).str.fullmatch(pattern.shape).to_numpy(bool, copy=True)


def is_valid(texts: Sequence[str], pattern: Pattern) -> BoolArray:
    """Which texts have the shape of a pattern and, if it has any, the right check digits.

    Examples
    --------
    >>> iban = PATTERNS[3]
    >>> is_valid(["GB82 WEST 1234 5698 7654 32", "GB83 WEST 1234 5698 7654 32"], iban).tolist()
    [True, False]
    """
    found = has_shape(texts, pattern)
    if pattern.check is None or not found.any():
        return found
    cells = _stripped(texts)[found].str.upper().str.replace(r"[^0-9A-Z]", "", regex=True)
    right = np.zeros(len(cells), bool)
    lengths = cells.str.len().to_numpy(int)
    for length in np.unique(lengths):
        here = lengths == length
        signs = np.frombuffer("".join(cells[here]).encode("ascii"), np.uint8)
        right[here] = pattern.check(signs.reshape(-1, length).astype(np.int64))
    found[found] = right
    return found


def _stripped(texts: Iterable[str]) -> pd.Series:
    """Texts without blanks around them; those that are too long as nothing."""
    cells = pd.Series(list(texts), dtype="str").str.strip()
    return cells.where(cells.str.len() <= LONGEST, "")


WORD = r"[^\W\d_a-z][^\W\d_]{0,30}(?:[-'’.][^\W\d_]{0,30}){0,3}"


NAME = (
    rf"(?:(?:Dr|Prof|Mr|Mrs|Ms|Herr|Frau|Mme|Sig|Sr|Sra)\.? )?{WORD}(?:,? "
    rf"(?:(?:de|del|della|der|den|di|du|la|le|van|von|zu|y|e) ){{0,3}}{WORD}){{1,3}}"
)
"""Two to four words with a capital letter each, as in a person's name."""


GIVEN_NAMES = frozenset(
    # English
    "james john robert michael william david richard joseph thomas charles christopher daniel"
    " matthew anthony mark steven paul andrew joshua kevin brian george edward ronald timothy"
    " jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon"
    " benjamin samuel gregory frank alexander patrick jack dennis jerry oliver harry charlie"
    " mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy"
    " betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah"
    " stephanie rebecca laura helen sharon cynthia kathleen amy angela anna ruth brenda pamela"
    " nicole katherine emma olivia ava sophia isabella mia charlotte amelia grace alice"
    # German
    " hans peter klaus jürgen wolfgang bernd dieter günter horst uwe heinz manfred lukas leon"
    " jonas felix maximilian stefan andreas jens ralf sabine monika petra ursula renate helga"
    " karin brigitte ingrid erika claudia heike katrin elke gisela birgit anke lena hannah"
    " yusuf mehmet mustafa ali fatma ayşe emine"
    # French
    " jean pierre michel philippe alain jacques françois louis nicolas julien antoine hugo"
    " camille léa chloé manon marie nathalie isabelle sylvie catherine hélène sophie céline"
    " juliette mathilde élodie aurélie thérèse"
    # Spanish
    " josé antonio manuel francisco juan javier carlos jesús alejandro miguel rafael pedro"
    " pablo sergio fernando luis alberto raúl carmen maría ana josefa isabel dolores pilar"
    " teresa cristina lucía sofía marta elena rosa paula"
    # Italian
    " giuseppe giovanni mario luigi marco alessandro andrea francesco luca matteo lorenzo"
    " davide stefano roberto paolo nicolò giulia chiara francesca sara martina valentina"
    " alessia paola federica silvia elisa giorgia"
    # Dutch
    " jan piet kees daan sem bram thijs joris pieter willem hendrik maarten anneke femke sanne"
    " lotte maaike johanna wilhelmina ingrid marieke fleur".split()
)
"""Given names that are frequent in one of six languages, in small letters."""


def looks_like_names(texts: Sequence[str]) -> tuple[float, float]:
    """Share of texts with the shape of a full name, and share with a frequent given name.

    Examples
    --------
    >>> looks_like_names(["Yusuf Müller", "Smith, Grace", "north ward", "Anna"])
    (0.5, 0.75)
    """
    cells = _stripped(texts)
    if not len(cells):
        return 0.0, 0.0
    shaped = cells.str.fullmatch(NAME).to_numpy(bool)
    few = cells.str.len() <= 60
    words = cells.where(few, "").str.lower().str.split(r"[\s,]+", regex=True).explode()
    given = words.isin(GIVEN_NAMES).groupby(level=0).any() & (cells.str.count(r"\s") < 4)
    capital = cells.str.match(r"[^\W\d_a-z]")
    return float(shaped.mean()), float((given & capital).mean())


def words_in(texts: Sequence[str]) -> IntArray:
    """How many words each text has: what has a letter, between blanks.

    Examples
    --------
    >>> words_in(["seen on the ward", "flu", ""]).tolist()
    [4, 1, 0]
    """
    cells = pd.Series(list(texts), dtype="str")
    found: IntArray = cells.str.count(r"(?:^|\s)\S*[^\W\d_]").to_numpy(int)
    return found
