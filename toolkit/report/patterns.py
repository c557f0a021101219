r"""Recognisers of what identifies in cells and names of columns.

Numbers, addresses, dates and names: each is a shape, a regular expression with bounded
repetition, and often a checksum. A shape that is nothing but figures tells nothing without its
checksum: nine figures may be anything, but one number in eleven only is a Dutch BSN. Texts are
looked at all together, a column of signs at a time; the loops run over places in a number and
never over texts.

Roles ask whether a whole cell has a shape (`PATTERNS`). The name of a column is compared with
words of six languages (`IDENTIFIER_NAMES` and those below it). What stands in sentences,
`toolkit.text.patterns` finds.

The checksums are those of ISO 13616 (IBAN), ISO/IEC 7812 (cards), ISO 7064 (German tax number)
and of the offices that give the other numbers out.
"""

# Longer than other modules: most of it is words and shapes of six languages, in lists for
# cells, for sentences and for names of columns.

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._typing import BoolArray, IntArray
from ..text.entities import find_entities
from ..text.patterns import plain_text


class Pattern(NamedTuple):
    """One way of writing what identifies."""

    what: str
    """What it is, in the plural, for a sentence."""
    kind: str
    """What it is called as an entity, one of `KINDS`."""
    shape: str
    """Regular expression of a whole text; without anchors, so that it can be searched for.
    What is found is its group `value`, if it has one."""
    check: Callable[[IntArray], BoolArray] | None = None
    """Whether the check digits are right, for signs of one length: a row of codes each."""
    telling: bool = True
    """Whether the shape is enough; if not, it counts only where the check digits are right."""
    cue: str = ""
    """Words without which it is not searched for in a sentence, as figures alone."""
    first: str = "0123456789"
    """What it can begin with: some signs, "mixed" for a word of letters and figures, or "@"
    for what stands around that sign."""


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
    return np.asarray((products // 10 + products % 10).sum(axis=1))


def _iban(signs: IntArray) -> BoolArray:
    """ISO 13616: the country goes behind the account, and the remainder by 97 is 1.

    At least ten are digits, so that words in small letters are not an account.
    """
    values = _figures(signs)
    enough = (values < 10).sum(axis=1) >= 10
    rest = _remainder(np.hstack([values[:, 4:], values[:, :4]]), 97)
    return np.asarray(enough & (rest == 1))


def _luhn(signs: IntArray) -> BoolArray:
    """ISO/IEC 7812: every other digit doubled, from the right."""
    values = _figures(signs)[:, ::-1].copy()
    weights = [1 + place % 2 for place in range(values.shape[1])]
    return np.asarray(_crossed(values, weights) % 10 == 0)


def _ssn(signs: IntArray) -> BoolArray:
    """No check digit; areas 000, 666 and 9xx, group 00 and serial 0000 are not given."""
    values = _figures(signs)
    area = values[:, :3] @ [100, 10, 1]
    group, serial = values[:, 3:5].sum(axis=1), values[:, 5:].sum(axis=1)
    given = (area > 0) & (area != 666) & (area < 900)
    return np.asarray(given & (group > 0) & (serial > 0))


def _nhs(signs: IntArray) -> BoolArray:
    """Modulo 11 with weights 10 to 2; a check digit of 10 is not given."""
    values = _figures(signs)
    rest = (11 - values[:, :9] @ np.arange(10, 1, -1) % 11) % 11
    return np.asarray((rest == values[:, 9]) & (values.sum(axis=1) > 0))


def _nir(signs: IntArray) -> BoolArray:
    """The key is 97 less the remainder; Corsica's 2A and 2B count as 19 and 18."""
    values = _figures(signs)
    corsica = values[:, 6] > 9
    values[corsica, 5], values[corsica, 6] = 1, 19 - values[corsica, 6]
    return np.asarray(97 - _remainder(values[:, :13], 97) == values[:, 13:] @ [10, 1])


def _steuer_id(signs: IntArray) -> BoolArray:
    """ISO 7064 modulo 11, 10; of ten digits one occurs twice or three times, others once."""
    values = _figures(signs)
    product = np.full(len(values), 10)
    for column in values[:, :10].T:
        total = (column + product) % 10
        product = np.where(total == 0, 10, total) * 2 % 11
    counts = (values[:, :10, None] == np.arange(10)).sum(axis=1)
    again = ((counts == 2) | (counts == 3)).sum(axis=1) == 1
    right = (11 - product) % 10 == values[:, 10]
    return np.asarray(right & again & (counts.max(axis=1) < 4))


def _kvnr(signs: IntArray) -> BoolArray:
    """Luhn from the left over the place of the letter in the alphabet and eight digits."""
    values = _figures(signs)
    letter = values[:, :1] - 9
    front = np.hstack([letter // 10, letter % 10, values[:, 1:9]])
    return np.asarray(_crossed(front, [1, 2] * 5) % 10 == values[:, 9])


def _rvnr(signs: IntArray) -> BoolArray:
    """Weighted sum over area, birthday, place of the letter in the alphabet and serial."""
    values = _figures(signs)
    letter = values[:, 8:9] - 9
    front = np.hstack([values[:, :8], letter // 10, letter % 10, values[:, 9:11]])
    total = _crossed(front, [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1])
    return np.asarray(total % 10 == values[:, 11])


def _dni(signs: IntArray) -> BoolArray:
    """The letter stands for the remainder by 23; X, Y and Z of foreigners for 0, 1 and 2."""
    values = _figures(signs[:, :8])
    values[:, 0] = np.where(values[:, 0] > 9, values[:, 0] - 33, values[:, 0])
    letters = np.frombuffer(b"TRWAGMYFPDXBNJZSQVHLCKE", np.uint8)
    return np.asarray(letters[_remainder(values, 23)] == signs[:, 8])


ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25]
"""Values of the letters A to X in odd places of a codice fiscale; of figures, of A to J."""


def _codice_fiscale(signs: IntArray) -> BoolArray:
    """Sum of two tables, one for odd places and one for even, by 26."""
    values = _figures(signs)
    letter = np.where(values > 9, values - 10, values)
    odd = np.array([*ODD, 24, 23])[letter]
    total = odd[:, 0:15:2].sum(axis=1) + letter[:, 1:15:2].sum(axis=1)
    return np.asarray(total % 26 == letter[:, 15])


def _bsn(signs: IntArray) -> BoolArray:
    """The test of eleven, in which the last digit counts against the others."""
    values = _figures(signs)
    if values.shape[1] == 8:  # a leading zero that a number has lost
        values = np.hstack([np.zeros((len(values), 1), np.int64), values])
    total = values @ [9, 8, 7, 6, 5, 4, 3, 2, -1]
    return np.asarray((total % 11 == 0) & (values.sum(axis=1) > 0))


FISCAL_DIGIT = "[0-9LMNP-V]"


REST = r"\d{1,8}(?!\d)(?:[ -]\d{2,8}(?!\d)){0,4}"
"""Figures of a telephone number in groups; that no figure follows keeps it to one reading."""


PHONE = (
    rf"(?:\+|00)(?=(?:[ ./()-]{{0,2}}\d){{7}})\d{{1,14}}(?!\d)(?:[ ./-]?\(\d{{1,5}}\))?"
    rf"(?:[ ./-]?{REST})?|\(0?\d{{2,5}}\)[ -]?(?=(?:[ -]?\d){{6}}){REST}"
    rf"|0\d{{2,5}}[ /-](?=(?:[ -]?\d){{6}}){REST}|0\d(?:[ .-]\d\d){{4}}|0\d[ -]\d{{7,8}}"
    r"|0\d{2,4}\.\d{3}\.\d{3,4}|(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}"
)


CARD = partial(Pattern, "payment card numbers", "card")
NHS = partial(Pattern, "British health service numbers (NHS)", "national health")
TELEPHONE = partial(Pattern, "telephone numbers", "phone")
"""Numbers that are written in several ways, each of which is a pattern."""


PATTERNS = (
    Pattern(
        "e-mail addresses",
        "email",
        r"[\w.%+'’-]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}(?:xn--[\w-]{1,59}|[A-Za-z]{2,24})",
        first="@",
    ),
    Pattern(
        "links",
        "url",
        r"(?i:https?://|www\.)[^\s<>\"]{0,2000}[^\s<>\"'.,;:!?)\]}’”]",
        first="hwHW",
    ),
    Pattern("social security numbers", "social security", r"\d{3}[- ]\d{2}[- ]\d{4}", _ssn),
    Pattern(
        "bank account numbers (IBAN)",
        "account",
        r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?",
        _iban,
        first="mixed",
    ),
    Pattern(
        "internet addresses (IP)",
        "ip",
        r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)",
    ),
    CARD(r"\d{4}(?P<by>[ -])\d{4}(?P=by)\d{4}(?P=by)\d{1,7}", _luhn),
    CARD(r"3[47]\d\d(?P<by>[ -])\d{6}(?P=by)\d{5}", _luhn),
    CARD(r"[3-6]\d{12,18}", _luhn, telling=False),
    Pattern(
        "French social security numbers (NIR)",
        "social security",
        r"[1-478][ -]?\d{2}[ -]?(?:[02-9]\d|1[0-2])[ -]?(?:\d\d|2[ABab])[ -]?\d{3}[ -]?\d{3}"
        r"[ -]?\d{2}",
        _nir,
        telling=False,
    ),
    Pattern(
        "Italian tax codes (codice fiscale)",
        "tax and identity",
        rf"(?i:[A-Z]{{6}}{FISCAL_DIGIT}{{2}}[A-EHLMPR-T]{FISCAL_DIGIT}{{2}}"
        rf"[A-Z]{FISCAL_DIGIT}{{3}}[A-Z])",
        _codice_fiscale,
        first="mixed",
    ),
    Pattern(
        "Spanish identity numbers (DNI, NIE)",
        "tax and identity",
        r"(?:\d{8}|\d\d\.\d{3}\.\d{3}|[XYZxyz][- ]?\d{7})"
        r"(?:[- ]?[A-HJ-NP-TV-Z]|-?[a-hj-np-tv-z])",
        _dni,
        first="0123456789XYZxyz",
    ),
    Pattern(
        "German pension insurance numbers",
        "social security",
        r"\d{2}[ -]?(?:[0-7]\d)(?:0\d|1[0-2])\d{2}[ -]?[A-Za-z][ -]?\d{2}[ -]?\d",
        _rvnr,
    ),
    Pattern(
        "German health insurance numbers",
        "national health",
        r"[A-Za-z](?:[ -]?\d{3}){3}",
        _kvnr,
        first="mixed",
    ),
    Pattern(
        "German tax numbers (Steuer-ID)",
        "tax and identity",
        r"[1-9]\d(?:[ -]?\d{3}){3}",
        _steuer_id,
        telling=False,
        cue="(?i:steuer-?id(?:nr|entifikationsnummer)?|idnr|tin)",
        first="SITsit",
    ),
    NHS(r"\d{3}[ -]\d{3}[ -]\d{4}", _nhs, telling=False),
    NHS(r"\d{10}", _nhs, telling=False, cue="(?i:CHI|NHS|health service)", first="NnCcHh"),
    Pattern(
        "Dutch citizen service numbers (BSN)",
        "tax and identity",
        r"\d{3}(?:[ -]?\d{3}){2}|\d{8}",
        _bsn,
        telling=False,
        cue="(?i:BSN|burgerservicenummer|sofinummer)",
        first="BbSs",
    ),
    TELEPHONE(PHONE, first="0123456789+("),
    Pattern(
        "British national insurance numbers",
        "social security",
        r"[A-CEGHJ-TW-Z][A-CEGHJ-NP-TW-Z](?:[ -]?\d\d){3}[ -]?[A-D]"
        r"|[a-ceghj-tw-z][a-ceghj-np-tw-z]-?\d\d(?:-?\d\d){2}-?[a-d]",
        first="ABCEGHJKLMNOPQRSTWXYZabceghjklmnopqrstwxyz",
    ),
)
"""From the most telling to the least."""


def shaped(texts: Sequence[str], patterns: Iterable[Pattern]) -> Iterator[BoolArray]:
    """Which texts have the shape of a pattern from end to end, for one pattern after another.

    Examples
    --------
    >>> e_mail, iban = PATTERNS[0], PATTERNS[3]
    >>> [found.tolist() for found in shaped(["a@b.org", "a at b"], [e_mail, iban])]
    [[True, False], [False, False]]
    """
    cells = _stripped(texts)
    return (_shaped(cells, pattern) for pattern in patterns)


def is_valid(texts: Sequence[str], pattern: Pattern) -> BoolArray:
    """Which texts have the shape of a pattern and, if it has any, the right check digits.

    Examples
    --------
    >>> iban = PATTERNS[3]
    >>> is_valid(["GB82 WEST 1234 5698 7654 32", "GB83 WEST 1234 5698 7654 32"], iban).tolist()
    [True, False]
    """
    cells = _stripped(texts)
    found = _shaped(cells, pattern)
    found[found] = has_right_digits([cells[j] for j in np.flatnonzero(found)], pattern)
    return found


def has_right_digits(cells: Sequence[str], pattern: Pattern) -> BoolArray:
    """Which cells of the shape of a pattern have the right check digits, if it has any.

    Examples
    --------
    >>> has_right_digits(["943 476 5919", "943 476 5910"], PATTERNS[14]).tolist()
    [True, False]
    """
    right = np.ones(len(cells), bool)
    if pattern.check is None or not len(cells):
        return right
    kept = [re.sub("[^0-9A-Z]", "", cell.upper()) for cell in cells]
    lengths = np.array([len(cell) for cell in kept])
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length)
        signs = np.frombuffer("".join(kept[j] for j in here).encode("ascii"), np.uint8)
        right[here] = pattern.check(signs.reshape(len(here), length).astype(np.int64))
    return right


def _stripped(texts: Iterable[str]) -> list[str]:
    """Texts in plain figures without blanks around them; too long ones as nothing."""
    cells = (text.strip() for text in texts)
    return [plain_text(cell) if len(cell) <= LONGEST else "" for cell in cells]


def _shaped(cells: Sequence[str], pattern: Pattern) -> BoolArray:
    """Which texts have a shape; where none begins like it, it need not be compiled."""
    first = "0123456789" if pattern.cue else pattern.first
    if first == "@":
        there = ["@" in cell for cell in cells]
    else:
        there = [first == "mixed" or cell[:1] in first and cell != "" for cell in cells]
    return _matched(cells, pattern.shape) if any(there) else np.zeros(len(cells), bool)


def _matched(cells: Sequence[str], pattern: str) -> BoolArray:
    """Which texts a pattern matches from end to end."""
    match = re.compile(pattern).fullmatch
    return np.fromiter((match(cell) is not None for cell in cells), bool, len(cells))


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
    if not cells:
        return 0.0, 0.0
    words = (cell.replace(",", " ").split() for cell in cells)
    given = [
        len(parts) < 5
        and parts[0][0].isupper()
        and not GIVEN_NAMES.isdisjoint(part.lower() for part in parts)
        for parts in ([*found] or ["x"] for found in words)
    ]
    return float(_matched(cells, NAME).mean()), float(np.mean(given))


def words_in(texts: Sequence[str]) -> IntArray:
    """How many words each text has: what has a letter, between blanks.

    Examples
    --------
    >>> words_in(["seen on the ward", "flu", ""]).tolist()
    [4, 1, 0]
    """
    letter = re.compile(r"[^\W\d_]").search
    counts = [sum(letter(word) is not None for word in text.split()) for text in texts]
    return np.array(counts, int)


# Names of people, with a title or initials


IMAGED = "scan|imag|angio|brain|head|spine|knee|hip|liver|pelvi|cardiac|abdo"
"""What stands behind MR if it means magnetic resonance."""


TITLES = (
    "[Mm]rs?|MRS|Ms|Miss|MISS|Mx|Dra?|dr|DR|Drs|Doctor|Prof(?:\\.?ssa)?|PROF|Professor|Sir"
    "|Lady|Lord|Dame|Revd?|Reverend|Cllr|Captain|Capt|Sgt|Pastor|Rabbi|Imam|Nurse|Sister"
    "|Herrn?|Hr|Frau|Fr(?=\\.)|[Mm]onsieur|[Mm]adame|[Mm]ademoiselle|Mme|Mlle|Docteur"
    "|M(?=\\. )|[Ss]ignor[ae]?|[Ss]ig(?:\\.?r?na|\\.?ra)?|[Dd]ott(?:\\.?ssa|ore|oressa)?"
    "|[Ss]eñor(?:a|ita)?|Sra?|Srta|Don|Doña|doña|don(?= [A-ZÁÉÍÓÚÑ][a-záéíóúñ])"
    "|[Mm]evrouw|[Mm]evr|[Mm]eneer|[Hh]eer|[Dd]hr|[Mm]w"
    f"|MR(?= (?!(?i:{IMAGED}))[A-Z]{{3}})"
)
"""English, German, French, Spanish, Italian and Dutch."""


CAPITAL = r"[^\W\d_a-z]"


NAMED = (
    rf"(?:(?:(?:{CAPITAL}|d|l|dell|dall|all)['’])?{CAPITAL}[^\W\d_]{{1,30}}"
    r"(?:(?:-|['’](?![sS](?!\w)))[^\W\d_]{1,30}){0,3}|[\u3400-\u9fff\uac00-\ud7a3])"
)
"""A word of a name in a sentence, without a full stop or the s of "Fox's" at its end."""


OF_NAMES = (
    "(?:(?:da|das|de|dei|del|della|den|der|di|do|dos|du|el|la|las|le|los|te|ten|ter|van|vom"
    "|von|zu|zum|zur|y|e|['’]t) ){0,3}"
)


SHORT_NAME = (
    rf"(?:{CAPITAL}\.[ -]?){{1,3}}{OF_NAMES}{NAMED}|{OF_NAMES}{NAMED}, {CAPITAL}{{1,2}}"
    rf"|{OF_NAMES}{NAMED},? (?:{CAPITAL}\.[ -]?){{1,3}}"
)
"""A surname with initials before or behind it."""


TITLED_NAME = (
    rf"(?:(?:{TITLES}|Dott(?:\.ssa|ssa)?|Dra?|Drs|Ing|Sir|Lady)\.? ){{1,3}}"
    rf"(?:{CAPITAL}\.[ -]?){{0,3}}{OF_NAMES}{NAMED}(?: {OF_NAMES}{NAMED}){{0,3}}"
)
"""A name behind a title."""


def names_by_form(texts: Sequence[str]) -> float:
    """Share of texts that are names behind a title, or surnames with initials.

    Examples
    --------
    >>> names_by_form(["Dr. Müller", "mevr. de Vries", "G. Smith", "Smith, G.", "Ward 7"])
    0.8
    """
    cells = [cell[:1].upper() + cell[1:] for cell in _stripped(texts)]
    several = [cell for cell in cells if " " in cell or "." in cell]  # as all of these names
    if not several:
        return 0.0
    return float(_matched(several, f"{TITLED_NAME}|{SHORT_NAME}").sum()) / len(cells)


# What free text in a column says, by the patterns for sentences: counts, no cell


SIGNS = 10_000
"""Signs of a cell that are looked at to say what a column holds."""


def names_people(cells: Sequence[str]) -> bool:
    """Whether patterns find a name, a telephone number or an e-mail address in some text.

    Examples
    --------
    >>> names_people(["seen by Dr Lane"]), names_people(["seen on the ward"])
    (True, False)
    """
    found = find_entities([cell[:SIGNS] for cell in cells])
    return bool(found["kind"].isin(["name", "phone", "email"]).any())


def said_of(
    cells: Sequence[str], times: Sequence[int] | None = None, which: str = "its cells"
) -> str:
    """Say how many entities of each kind a column holds, and in what share; quote none.

    Parameters
    ----------
    cells : sequence of str
        The texts, each once; their first 10,000 signs are looked at.
    times : sequence of int, optional
        How many records have each of the texts; one by default.
    which : str
        What the shares are of, in words.

    Examples
    --------
    >>> said_of(["Mr Fox, aged 72, saw Dr Lane", "aged 71"])
    'patterns find age 2 times (in 100% of its cells), name 2 times (50%)'
    >>> said_of(["Mr Fox", "well"], [1, 3])
    'patterns find name 1 time (in 25% of its cells)'
    """
    records = pd.Series([1] * len(cells) if times is None else list(times), dtype=int)
    found = find_entities([cell[:SIGNS] for cell in cells])
    numbers = records.reindex(found["record"]).groupby(found["kind"].to_numpy()).sum()
    once = found.drop_duplicates(["record", "kind"])
    shared = records.reindex(once["record"]).groupby(once["kind"].to_numpy()).sum()
    order = pd.DataFrame({"having": shared, "number": numbers})
    order = order.sort_values(["having", "number"], ascending=False, kind="stable")
    total = max(sum(records.tolist()), 1)
    rows = zip(order.index, order["number"].tolist(), order["having"].tolist(), strict=True)
    shares = [
        f"{kind} {number:,} time{'s' * (number > 1)} ({having / total:.0%})"
        for kind, number, having in rows
    ]
    if not shares:
        return f"patterns find nothing in {which}"
    first, *rest = shares
    first = first.replace("(", "(in ").replace(")", f" of {which})")
    return ", ".join([f"patterns find {first}", *rest])


# Names of columns in six languages, as regular expressions, by what such a column is
#
# The words are compared in small letters, without accents, and with one blank between words,
# so that "Prénom", "Straße" and "homePhone_nr" are "prenom", "strasse" and "home phone nr".
# English, German, French, Spanish, Italian and Dutch stand below each other in each list.


IDENTIFIER_NAMES = (
    "e ?mail( address)?|phone|telephone|tel|mobile|fax|ssn|social security|passport|iban|bic"
    "|(bank |credit )?card( number)?|account( number)?|ip( address)?|mac address|url"
    "|home ?page|user ?name|login|first ?name|last ?name|given ?name|family ?name|middle ?name"
    "|surname|fore ?name|full ?name|maiden name|address|street( address)?|house number"
    "|nhs( number)?|medicare( number)?|tax (file )?number|tfn|national id"
    "|licen[cs]e( plate| number)?|number plate|vin|device id|imei|photo|fingerprint"
    "|medical record( number)?|mrn|sort code"
    "|(national )?insurance number|ni (no|number)|next of kin|emergency contact|addr|npi|upn"
    "|handle|vehicle reg\\w*|(house|hse) (no|nr|num|number)"
    "|ruf(nr|nummer)|sozialvers( nr)?|sv ?(nr|nummer)|vorname|nachname|familienname"
    "|geburtsname|rufname|\\w*(anschrift|adresse)|strasse|haus ?(nr|nummer)|hnr|hs nr|str"
    "|zuname|telefon\\w*|handy\\w*|mobil(nummer|telefon)|(personal)?ausweis\\w*|reisepass\\w*"
    "|steuer ?(id\\w*|nr|nummer)|sozialversicherungs\\w*"
    "|(kranken)?versicher(ungs|ten) ?(nr|nummer)|krankenversicher\\w*|rentenversicherungs\\w*"
    "|konto ?(nr|nummer)?|kreditkarte\\w*|kfz kennzeichen|benutzername|ahv( ?(nr|nummer))?"
    "|prenoms?|nom de (famille|naissance|jeune fille)|courriel|securite sociale|nir|passeport"
    "|carte d identite|numero fiscal|rue|plaque d immatriculation|identifiant national"
    "|nom patient|nom d usage|voie|avs|ipp"
    "|apellidos?|nhc|correo( electronico)?|telefono|movil|direccion|calle|domicilio|dni|nie"
    "|nif|pasaporte|seguridad social|cuenta bancaria|tarjeta( sanitaria)?"
    "|cogn(ome)?|nominativo|numero civico|codice fiscale|cellulare|indirizzo|passaporto"
    "|carta d identita|tessera sanitaria|partita iva|p iva|recapito( tel)?|targa"
    "|posta elettronica|conto corrente"
    "|voornaam|achternaam|familienaam|voorletters|straat|huis ?(nr|nummer)|(woon)?adres"
    "|telefoon\\w*|mobiel|mobiele nummer|bsn|burgerservicenummer|paspoort\\w*|rijbewijs\\w*"
    "|rekeningnummer|kenteken"
)


ADDRESS_NAMES = (
    "(home )?address|\\w*(anschrift|adresse)|direccion|domicilio|indirizzo|(woon)?adres"
)
"""Addresses, of which a column may hold the postcode alone."""


POSTCODE_NAMES = (
    "zip|zip ?code|post ?code|plz|postleitzahl|code postal|cp|codigo postal|cap|postcode"
)


PEOPLE = (
    "patient|person|people|customer|client|member|employee|student|pupil|user|subject|participant"
    "|applicant|claimant|beneficiary|victim|voter|tenant|donor|caller|staff member"
    "|respondent|teacher|doctor|household|hh|family|insured|guardian"
    "|kunden?|patienten?|personen?|mitarbeiter|mitglieds?|teilnehmer|schueler|schuler|bewohner|ansprechpartner|erziehungsber\\w*"
    "|haushalts?|versicherten?|arbeitnehmer|angestellter?|buerger|burger|klient"
    "|personne|allocataire|salarie|employe|assure|usager|adherent|beneficiaire|eleve|menage|foyer"
    "|paciente|cliente|persona|alumno|hogar|empleado|trabajador"
    "|usuario|asegurado|beneficiario"
    "|paziente|assistito|utente|famiglia|nucleo|dipendente|studente|clienten?|klant(en)?"
    "|deelnemer|huishouden|gezin|medewerker|werknemer|inwoner|verzekerde"
)
"""People, and what several of them live in."""


CUT = "pat|pt|pers|cust|emp|stud|kd|resp|insurance|policy|case|fall|episode"
"""Words cut short, and what one person has one of: only beside a name or number."""


WORD_FOR_NAME = "names?|nom|nome|nombres?|naam"


NAME_ALONE = (
    f"({WORD_FOR_NAME})|({PEOPLE}|{CUT})s? ?({WORD_FOR_NAME})"
    "|[flmsvn] ?name|initials|initialen|iniciales|iniziali|voorl"
    f"|({WORD_FOR_NAME}) (du |de |del |van )?({PEOPLE})"
)
"""All words of a column that names people, even if the names repeat."""


NUMBER_NAMES = (
    "id|uid|uuid|guid|identifier|record|key|name|nr|no|number|index|serial|ref"
    "|nummer|kennung|kennziffer|\\w+nummer|\\w{3,}nr"
    "|numero|matricule|matricola|identifiant|identificador|kenmerk"
)


HOLD_WORDS = "name|nom|naam|apellido|cogn|letters|kin|login|handle"
"""Part of the words for identifiers that need no figures; others have some, or an @."""


NUMBERS_OF_SOMEBODY = (
    r"(.*\b)?(\w*id|ids|\w*num|\w*ident\w*|(\w*[^aeinor])?no|nr|number|nummer|numero|key"
    r"|acct|hash|token|session|individual|record|\w*dossier|expediente|\w*zeichen)|id .*"
)
"""All words of a column whose values may each be a person's, a visit's or a house's."""


NAMES_OF_LETTERS = "last|first|middle|mi|given|family|suffix"
"""All words of a column that names people, if its cells are words."""


NAMED_PEOPLE = (
    "guardian|parents?|mother|father|spouse|contact|doctor|physician|attending|consultant|gp"
    "|surgeon|provider|therapist|teacher|case ?worker|manager|supervisor"
    "|\\w*arzt|\\w*aerztin|behandler|lehrer(in)?|mutter|vater|ehegatte|ansprechpartner"
    "|sachbearbeiter(in)?|betreuer(in)?|berater(in)?|vorgesetzter?|erziehungsber\\w*"
    "|medecin\\w*|praticien|enseignant|mere|pere|conjoint|resp(onsable)?|interlocuteur"
    "|medico|profesor|tutor|padre|madre|conyuge|contacto|responsable"
    "|mmg|insegnante|genitore|coniuge|referente"
    "|huisarts|\\w*arts|leraar|ouder|moeder|vader|contactpersoon|behandelaar"
)
"""People beside the person of a record, whose cells may be names."""


PERSON_NUMBERS = (
    f"({PEOPLE}|{CUT}) ?({NUMBER_NAMES})|(id|nr|no|n|numero|nummer) ?({PEOPLE}|{CUT})"
    "|mrn|medical record( number)?|nhs( number)?|ssn|social security( number)?|ipp|nir|bsn"
)
"""A number that each person or household has, and that may be on several records."""


SENSITIVE_NAMES = (
    "disease|illness|diag(nos[ei]s)?|dx ?\\d*|icd ?\\d*|symptoms?|treatment|medication|drugs?"
    "|therapy|hiv|std|cancer|diabetes|pregnan(t|cy)|disab(led|ility)|mental|health|condition"
    "|blood|smok\\w*|tobacco|alcohol|income|salary|wages?|earnings|pay|wealth|debt|credit"
    "|capital|loan|balance|rent|benefits?|religion|faith|politic(s|al)|party|vote|union"
    "|orientation|sexuality|crime|criminal|offen[cs]e|conviction|arrest|genetic|genome|score"
    "|grade(?! ?le?ve?l)|charges?|costs?|outcome|death|survived|bmi|allerg(y|ies)|disciplinary"
    "|amt|amounts?|paid|gross|chg|arrears|voted|depress(ed|ion)|anxiety|iep|sen|fsm|frl|gpa"
    "|bonus|commission|(hourly|pay) rate|remuneration|worth|mortgage|welfare|food stamps|cd4"
    "|psa|e ?gfr|creatinine|lab( result)?|rating|performance|reason|looked after|absen(t|ces?)"
    "|(hb)?a1c|blood pressure|hrg|sti|hepatitis|covid|sick(ness)?|(reason|cause) (for|of)"
    "|(admission|discharge) reason|drg|ccam|icpc|atc|suicid(e|al)|abuse|referral( reason)?"
    "|complaints?|addiction|seropositive|asylum|caste|immigration status|result|expense"
    "|expenditure"
    "|\\w*diagnose\\w*|\\w*krankheit\\w*|\\w*erkrankung\\w*|befund\\w*|therapie|behandlung"
    "|medikament\\w*|\\w*medikation|abfindung|vergue?tung|bezue?ge|prae?mie|hypothek"
    "|sozialhilfe|hartz|bue?rgergeld|\\w+grund|\\w*beurteilung|labor\\w*|kreatinin"
    "|\\w*brutto\\w*|\\w*netto\\w*|\\w*betrag|\\w*saldo|\\w*guthaben|\\w*eink|konf|schw ?b"
    "|gd ?b|schwerbeh\\w*|pflegestufe|notendurchschnitt|blutdruck|rauch\\w*|mahnung(en)?"
    "|\\w*einkommen|\\w*gehae?lt(er)?|\\w*lohn|\\w*verdienst|vermoe?gen|schulden|kredit|rente|miete"
    "|konfession|partei|gewerkschaft|vorstrafen?|straftat\\w*|behinderung|schwanger\\w*"
    "|blutgruppe|gesundheit\\w*|\\w+ursache|\\w*(aufnahme|entlassungs)grund|allergien?"
    "|\\w*alkohol\\w*|\\w*sucht|\\w*kosten|krankschreibung|fehltage|abmahnung(en)?"
    "|religion\\w*|pfae?ndung|schufa|\\w*pflegegrad"
    "|diagnostic|maladie|pathologie|traitement|medicaments?|symptomes?|revenus?|salaire"
    "|dettes?|loyer|syndicat|infractions?|condamnations?|handicap|grossesse|enceinte"
    "|groupe sanguin|sante|vih|sida|allergies?|alcool\\w*|seropositi\\w*|motif d\\w*"
    "|cause d\\w+|cim ?\\d*|ald|arrets?|couts?|montants?|brut|antecedents|evaluation|prime|rsa"
    "|solde|rqth|prestations?|quotient familial|fumeur|mode de sortie|deces|addictions?|tabac"
    "|impayes?|orientation sexuelle|opinions?|confession"
    "|enfermedad(es)?|diagnostico|patologia|tratamiento|medicamentos?|sintomas?|ingresos"
    "|salario|sueldo|renta|deudas?|alquiler|sindicato|delitos?|condenas?|discapacidad|embarazo"
    "|embarazada|grupo sanguineo|salud|prestamo|alergias?|alcohol\\w*|(motivo|causa) de"
    "|cie ?\\d+|costes?|adiccion(es)?|religion|nomina|bajas?|minusval\\w*|importe|bruto|neto"
    "|irpf|discap\\w*|afil\\w*|fumador|(motivo|causa)|retribucion|remuneracion|antecedentes"
    "|evaluacion|hipoteca"
    "|diagnosi|malattia|terapia|trattamento|farmac[oi]|sintom[oi]|reddito|stipendio|debit[oi]"
    "|affitto|sindacato|reat[oi]|condann[ae]|disabilita|gravidanza|gruppo sanguigno|salute"
    "|religione|mutuo|allergi[ae]|alcol\\w*|(motivo|causa) (di|del)|esenzion[ei]|invalidita"
    "|dipendenz[ae]|retribuzione|cost[oi]|import[oi]|lord[oi]|isee|esenz|fumatore|l(egge)? 104"
    "|dsa|media voti|valutazione|ipoteca"
    "|\\w*ziekte\\w*|aandoening\\w*|behandeling|medicatie|klachten|\\w*inkomen|\\w*salaris"
    "|\\w*loon|schuld(en)?|uitkering|huur|vakbond|strafblad|veroordeling|zwanger\\w*"
    "|bloedgroep|gezondheid|geloof|godsdienst|pensioen|\\w*schuld\\w*|allergie(en)?"
    "|\\w*opnamereden|reden van|doodsoorzaak|verslaving\\w*|ziekteverzuim"
    "|arbeidsongeschikt\\w*|bedrag|(jaar|bruto|netto)?ink|roker|rook\\w*|bkr\\w*|beoordeling"
    "|hypotheek"
)


QUASI_NAMES = (
    "age|dob|birth|birth ?day|birth ?date|year of birth|sex|gender|race|ethnic(ity)?"
    "|nationality|native|country|citizenship|language|zip|zip ?code|post ?code|postal|city"
    "|town|village|suburb|district|county|state|region|province|area|location|place|tract"
    "|block|soc ?\\d{2,4}|isco ?\\d*|naics|nace|fips|[lm]soa ?\\d*|nuts ?\\d*|constituency"
    "|precinct|yob|marital|marriage|married|civil status|relationship|family|household"
    "|children|education|school|degree|occupation|job|profession|employer|work ?class|industry"
    "|department|position|title|height|weight|eyes?|hair|colou?r|date|admission|discharge"
    "|veteran|military|car|vehicle|lat(itude)?|lon(gitude)?|lng|long|gps|([xy] )?coord\\w*"
    "|easting|northing"
    "|alter|geburts\\w*|geboren|geschlecht|plz|postleitzahl|(wohn|geburts)?ort|stadt|gemeinde"
    "|(land)?kreis|(bundes)?land|familienstand|zivilstand|beruf\\w*|taetigkeit|tatigkeit"
    "|arbeitgeber|branche|ausbildung|\\w*abschluss|bildung\\w*|staatsangehoe?rigkeit"
    "|nationalitae?t|herkunft|sprache|haushalt\\w*|kinder\\w*|groesse|grosse|gewicht"
    "|\\w*groe?sse|ags|gkz|gemeindeschlue?ssel|kld ?b ?\\d*|\\w*wahlkreis|\\w*bezirk|kanton"
    "|klasse|stadtteil|jahrgang|augenfarbe|haarfarbe|\\w*datum|aufnahme|entlassung"
    "|naissance|sexe|genre|code postal|cp|ville|commune|departement|pays|etat civil"
    "|situation (de famille|familiale)|metier|emploi|employeur|etudes|diplome|nationalite"
    "|insee|iris|canton|circonscription|quartier|langue|menage|enfants|taille|poids|lieu"
    "|edad|nacimiento|sexo|genero|codigo postal|ciudad|municipio|provincia|pais|estado civil"
    "|profesion|ocupacion|empleo|estudios|nacionalidad|idioma|hogar|hijos|estatura|altura|peso"
    "|fecha"
    "|eta|nascita|sesso|genere|cap|citta|comune|regione|paese|stato civile|professione"
    "|occupazione|impiego|titolo di studio|istruzione|nazionalita|cittadinanza|lingua|figli"
    "|altezza|data"
    "|leeftijd|geboorte\\w*|geslacht|woonplaats|gemeente|provincie|burgerlijke staat|beroep"
    "|werkgever|opleiding|nationaliteit|taal|huishouden|gezin|kinderen|lengte"
)


AGE_NAMES = "age|alter|edad|eta|leeftijd"
"""Ages, which others may know, of whatever they are the age at."""


YEAR_NAMES = "year|\\w*jahr|annee|ano|anno|\\w*jaar"
"""Years, which others may know, of whatever happened in them."""


TEXT_NAMES = (
    "comments?|remarks?|notes?|memo|free ?text|description|narrative"
    "|bemerkung(en)?|kommentare?|notiz(en)?|anmerkung(en)?|beschreibung|freitext"
    "|commentaires?|remarques?|observations?|comentarios?|observaciones|notas?"
    "|verlauf|anamnes[ei]s?|epikrise|arztbrief|compte rendu"
    "|osservazioni|commenti|opmerking(en)?|toelichting|notities"
)


WEIGHT_NAMES = (
    "(survey|sampl(e|ing)|person|household|design|frequency|expansion|final) weights?"
    "|\\w*wgt\\w*|pweights?|weighting( factor)?"
    "|(personen|haushalts)?gewichtung\\w*|hochrechnungs\\w*|ponderation|poids (de )?sondage"
    "|ponderacion|factor de expansion|peso campionario|coefficiente di riporto|wegingsfactor"
)
"""Weights of a survey, and not those of a body."""


BIRTH_NAMES = (
    "dob|d o b|\\w*birth\\w*|born|geb|geburts\\w*|geboren|naissance|ne e le|nee? le|ddn"
    "|nacimiento|nac|naiss"
    "|nascita|nasc|nato|nata|geboorte\\w*|gebdatum"
)
