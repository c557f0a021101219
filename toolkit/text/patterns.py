r"""Patterns of entities that name a person or lead to one, as a table of regular expressions.

A pattern is searched for where a word begins. Its repetitions are bounded, so that the time is
proportional to the length of a note. The patterns know British and American ways of writing;
for other languages, pass patterns of your own to `find_entities`.

The check digits are those of ISO 13616 (IBAN), ISO/IEC 7812 (payment cards), the British
National Health Service and the French NIR. Others are checked by python-stdnum, if it is
installed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple


class Pattern(NamedTuple):
    """One way of writing an entity.

    Attributes
    ----------
    kind : str
        Name of the entity in the results.
    shape : str
        Regular expression, tried where a word begins. The entity is the group `value`, or else
        the whole match. Use bounded repetitions: ``{1,40}``, not ``+``.
    check : Callable[[str], bool] | None
        Whether the check digits are right, given the letters and digits without punctuation.
    cue : str
        Words that must stand before the entity, as digits alone could be anything.
    """

    kind: str
    shape: str
    check: Callable[[str], bool] | None = None
    cue: str = ""


# Check digits


def is_iban(number: str) -> bool:
    """Check an IBAN by ISO 13616: with its first four characters last, it is 1 modulo 97.

    Examples
    --------
    >>> is_iban("GB82WEST12345698765432"), is_iban("GB83WEST12345698765432")
    (True, False)
    """
    moved = number[4:] + number[:4]
    digits = "".join(str(int(sign, 36)) for sign in moved)
    return sum(map(str.isdigit, number)) >= 10 and int(digits) % 97 == 1


def is_card(number: str) -> bool:
    """Check a payment card number by ISO/IEC 7812 (Luhn).

    Examples
    --------
    >>> is_card("4111111111111111"), is_card("4111111111111112")
    (True, False)
    """
    doubled = [int(sign) * (1 + place % 2) for place, sign in enumerate(reversed(number))]
    return sum(sum(divmod(digit, 10)) for digit in doubled) % 10 == 0


def is_nhs(number: str) -> bool:
    """Check a British patient number: weights 10 to 1 give a multiple of 11.

    Examples
    --------
    >>> is_nhs("9434765919"), is_nhs("9434765910")
    (True, False)
    """
    weighed = sum(int(sign) * (10 - place) for place, sign in enumerate(number))
    return weighed % 11 == 0 and weighed > 0


def is_nir(number: str) -> bool:
    """Check a French NIR: its key is 97 minus the remainder; 2A counts as 19 and 2B as 18.

    Examples
    --------
    >>> is_nir("269054958815780"), is_nir("269054958815781")
    (True, False)
    """
    plain = number[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(plain) % 97 == int(number[13:])


def by_stdnum(module: str) -> Callable[[str], bool]:
    """Check of a module of python-stdnum; nothing is right if that is not installed.

    Examples
    --------
    >>> by_stdnum("it.codicefiscale")("RSSMRA85T10A562X")
    False
    """

    def check(number: str) -> bool:
        installed = find_spec("stdnum") is not None
        return installed and bool(import_module(f"stdnum.{module}").is_valid(number))

    return check


# Parts of the table

MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
YEAR, NUMBER_OF_MONTH = r"(?:1[89]|20)\d\d", r"(?:1[0-2]|0?[1-9])"
DAY = r"(?:3[01]|[12]\d|0?[1-9])"
NTH = rf"{DAY}(?:st|nd|rd|th)?"
TIME = r"T\d\d(?::\d\d){1,2}(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?"
ANY_YEAR = rf"(?:{YEAR}|['’]\d\d|\d\d(?! ?[a-z%°]|[:.]\d))"
YEARS = r"(?P<value>1[0-2]\d|\d\d?)"
AMOUNT = r"(?:\d{1,3}(?:[ ,.'’]\d{3}(?!\d)){1,6}(?:[.,]\d\d?)?|\d{1,12}(?:[.,]\d\d?)?)"
CURRENCY = "(?:(?:US|A|C|NZ)?[$€£¥]|EUR|GBP|USD|CHF)"
THOUSANDS = "(?:[kKmM]|bn| ?(?:thousand|million|billion))"
CAPITAL = r"[^\W\d_a-z]"
# One word of a name, without the s of "Fox's"; ideographs have no capitals.
NAMED = (
    rf"(?:(?:(?:{CAPITAL}|d|l)['’])?{CAPITAL}[^\W\d_]{{1,30}}"
    r"(?:(?:-|['’](?![sS](?!\w)))[^\W\d_]{1,30}){0,3}|[\u3400-\u9fff\uac00-\ud7a3])"
)
PARTICLES = "(?:(?:da|de|del|della|den|der|di|du|el|la|le|te|van|von|zu|y|['’]t) ){0,3}"
# What stands after MR if it means magnetic resonance.
IMAGED = "scan|imag|angio|brain|head|spine|knee|hip|liver|pelvi|cardiac|abdo"
TITLES = (
    "(?:[Mm]rs?|MRS|Ms|Miss|MISS|Mx|Dr|dr|DR|Doctor|Prof|PROF|Professor|Sir|Lady|Lord|Dame"
    "|Revd?|Reverend|Cllr|Captain|Capt|Sgt|Pastor|Rabbi|Imam|Nurse|Sister|Herr|Frau|Mme|Mlle"
    f"|MR(?= (?!(?i:{IMAGED}))[A-Z]{{3}}))"
)
# Capitalised words that may follow a title or a name.
NO_NAME = (
    "(?!(?:DOB|NHS|NI|MRN|SSN|IBAN|ID|GP|ZIP|[Tt][Ee][Ll]|Phone|Mobile|Fax|E-?mail|A[Gg][Ee][Dd]?"
    "|Address|Dr|Prof|Mrs?|Ms|Practitioner|Specialist"
    "|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\\b"
    f"|{MONTH}\\.? \\d|(?<=\\. )(?:The|This|There|He|She|It|They|We|His|Her|Please)\\b)"
)
TITLED = rf"(?:{TITLES}(?:\. ?| {{1,2}})){{1,5}}{NO_NAME}"
FAMILY = rf"{NO_NAME}(?:{CAPITAL}\.? ){{0,2}}{PARTICLES}{NAMED}"
NAME = rf"(?P<value>(?:{CAPITAL}\.? ?){{0,4}}{FAMILY}(?: {FAMILY}){{0,4}})"
# Digits of a telephone number in groups; no digit may follow a group, so there is one reading.
REST = r"\d{1,8}(?!\d)(?:[ -]\d{2,8}(?!\d)){0,4}"
PHONE = (
    rf"(?:\+|00)(?=(?:[ ./()-]{{0,2}}\d){{7}})\d{{1,14}}(?!\d)(?:[ ./-]?\(\d{{1,5}}\))?"
    rf"(?:[ ./-]?{REST})?|\(0?\d{{2,5}}\)[ -]?(?=(?:[ -]?\d){{6}}){REST}"
    rf"|0\d{{2,5}}[ /-](?=(?:[ -]?\d){{6}}){REST}|0\d(?:[ .-]\d\d){{4}}|0\d[ -]\d{{7,8}}"
    r"|0\d{2,4}\.\d{3}\.\d{3,4}|(?:1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4}|07\d{9}"
)
# American states; abbreviations that are also words need a comma before them.
STATES = (
    "(?:(?<=, )(?:CT|HI|ID|IN|MD|ME|MS|OK|OR|PA)|A[KLRZ]|C[AO]|D[CE]|FL|GA|I[AL]|K[SY]|LA"
    "|M[AINOT]|N[CDEHJMVY]|OH|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
)
BRITISH = r"[A-Z]{1,2}\d[A-Z\d]?[ -]?\d[A-Z]{2}"
CANADIAN = r"[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d"
ANY_POSTCODE = rf"\d{{5}}(?:-\d{{4}})?|(?i:{BRITISH}|{CANADIAN})"

EMAIL = r"[\w.%+'’-]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}(?:xn--[\w-]{1,59}|[A-Za-z]{2,24})"
IBAN = r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?"
ACCOUNT = r"\d{6,12}|\d\d[ -]\d\d[ -]\d\d|\d{4}[ -]\d{4}|\d{3}[ -]\d{3}[ -]\d\d"
CARD = r"\d{4}(?:[ -]\d{4}){2}[ -]\d{1,7}|3[47]\d\d[ -]\d{6}[ -]\d{5}|[3-6]\d{12,18}"
# American: areas 000, 666 and 9xx and parts of zeros are never issued.
SSN = r"(?!000|666|9)\d{3}[- ](?!00)\d\d[- ](?!0000)\d{4}"
NIR = r"[1-478](?:[ -]?\d\d){2}[ -]?(?:\d\d|2[ABab])(?:[ -]?\d{3}){2}[ -]?\d\d"
NI = r"[A-CEGHJ-TW-Z][A-CEGHJ-NP-TW-Z](?:[ -]?\d\d){3}[ -]?[A-D]"
LOOSE_NI = r"[A-Za-z]{2}(?:[ -]?\d\d){3}[ -]?[A-Da-d]"
NHS = r"\d{3}[ -]\d{3}[ -]\d{4}"
OLD = r"(?:[- ]?(?:years?|yrs?)[- ](?:old|of age)|[- ]?y\.?/?o|(?:st|nd|rd|th) birthday)"
CALL = "(?i:tel(?:ephone)?|phone|mobile?|cell(?:phone)?|fax|call(?:ed)?|rang|ring|whatsapp)"
BSN, IDNR = r"\d{3}(?:[ -]?\d{3}){2}", r"[1-9]\d(?:[ -]?\d{3}){3}"
TAX = "tax and identity"

# Kinds of entities that `find_entities` finds by patterns:
#
# * account: IBAN with right check digits; digits after account, sort code;
# * age: years of a person, the number alone: 72-year-old, aged 72, 72 yo;
# * card: payment card number with the right check digit;
# * date: day with or without a year, in digits or with a month's name; or month and year;
# * email; url: web address with http or www; ip: internet address (IPv4);
# * id: number after words such as MRN, hospital number, case no.;
# * money: amount with its currency;
# * name: capitalised words after a title (without the title), and the same words elsewhere in
#   the note;
# * national health: number of a British patient with the right check digit;
# * phone: telephone number as people write it, or digits after tel, phone, call;
# * postcode: British, Canadian or ZIP+4; five digits after ZIP or the letters of a state;
# * social security: American, British (national insurance) or French number, checked where
#   possible;
# * tax and identity: Italian, Spanish, German or Dutch number with right check digits, if
#   python-stdnum is installed.
PATTERNS = (
    Pattern("email", EMAIL),
    Pattern("url", r"(?i:https?://|www\.)[^\s<>\"]{0,2000}[^\s<>\"'.,;:!?)\]}’”]"),
    Pattern("ip", r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)"),
    Pattern("account", IBAN, is_iban),
    Pattern("account", ACCOUNT, cue="(?i:account|acct|a/c|sort code|routing)"),
    Pattern("card", CARD, is_card),
    Pattern("social security", SSN),
    Pattern("social security", SSN.replace("[- ]", "[- ]?"), cue="(?i:SSN|social security)"),
    Pattern("social security", NIR, is_nir),
    Pattern("social security", rf"(?i:{NI})"),
    Pattern("social security", LOOSE_NI, cue="(?i:NI|NINO|national insurance)"),
    Pattern("national health", NHS, is_nhs),
    Pattern("national health", rf"\d{{10}}|{NHS}", is_nhs, "(?i:CHI|NHS|health service)"),
    Pattern(
        "id",
        r"[A-Za-z]{0,4}[-/]?\d[\w/-]{3,24}|\d{3,4}(?: \d{3,4}){1,5}",
        cue="(?i:MRN|(?:hospital|case|file|record|patient|client|reference|policy|passport"
        "|licen[cs]e|unit) (?:no|nr|number|ref|ID))",
    ),
    Pattern("phone", PHONE),
    Pattern("phone", rf"{PHONE}|\d[\d ]{{5,13}}\d|\d{{3}}-\d{{4}}", cue=CALL),
    Pattern("date", rf"{YEAR}(?P<by>[-./]){NUMBER_OF_MONTH}(?P=by){DAY}(?:{TIME})?"),
    Pattern("date", rf"{DAY}(?P<by>[-./]){NUMBER_OF_MONTH}(?P=by)(?:{YEAR}|\d\d)"),
    Pattern("date", rf"{NUMBER_OF_MONTH}(?P<by>[-./]){DAY}(?P=by)(?:{YEAR}|\d\d)"),
    Pattern("date", rf"(?:0[1-9]|1[0-2])/{YEAR}"),
    Pattern("date", rf"{DAY}(?:st|nd|rd|th|\.)?(?: of)? {MONTH}(?:\.?,? {ANY_YEAR})?"),
    Pattern("date", rf"{NTH}[-/. ]?(?i:{MONTH})[-/., ]{{0,2}}{YEAR}"),
    Pattern("date", rf"{DAY}[-/](?i:{MONTH})[-/]\d\d"),
    Pattern("date", rf"(?<!\d ){MONTH}\.? {NTH}(?:,? (?:{YEAR}|['’]\d\d))?"),
    Pattern("date", rf"(?<!\d ){MONTH}\.? {YEAR}"),
    Pattern("age", YEARS + OLD),
    Pattern("age", rf"(?i:aged?)(?: of)?:? {YEARS}(?! ?(?:%|kg|mg|weeks|months|days))"),
    # T1N0M is the stage of a tumour.
    Pattern("postcode", rf"(?!T\dN\dM){BRITISH}|{CANADIAN}|\d{{5}}-\d{{4}}"),
    Pattern("postcode", rf"{STATES} (?P<value>\d{{5}}(?:-\d{{4}})?)"),
    Pattern("postcode", ANY_POSTCODE, cue="(?i:zip|post ?code|postal(?: code)?)"),
    Pattern("money", rf"{CURRENCY} ?{AMOUNT}{THOUSANDS}?"),
    Pattern("money", rf"{AMOUNT}{THOUSANDS}? ?(?:{CURRENCY}|(?i:euros?|dollars?))"),
    Pattern("name", TITLED + NAME),
    Pattern(TAX, r"[A-Za-z]{6}[\dA-Za-z]{9}[A-Za-z]", by_stdnum("it.codicefiscale")),
    Pattern(TAX, r"\d{8}[- ]?[A-Za-z]", by_stdnum("es.dni")),
    Pattern(TAX, r"[XYZxyz][- ]?\d{7}[- ]?[A-Za-z]", by_stdnum("es.nie")),
    Pattern(TAX, IDNR, by_stdnum("de.idnr"), "(?i:steuer-?id(?:nr)?|idnr|tin)"),
    Pattern(TAX, BSN, by_stdnum("nl.bsn"), "(?i:BSN|burgerservicenummer)"),
)

# What may not follow an entity: the rest of a word, or of a longer number.
END = r"(?!\w|[./]\d|-\d{1,8}(?!\d|[./]\d))"

# What may stand between a cue and its number.
OF = r"[^\w\n+(]{0,3}(?:(?i:no|nr|num(?:ber)?|is|code|id|on|from)\b[^\w\n+(]{0,3}){0,2}"


@cache
def compiled(pattern: Pattern) -> re.Pattern[str]:
    """Regular expression of a pattern wherever a word begins, unless it continues a number.

    It only looks ahead, so that no match hides another that begins inside it.

    Examples
    --------
    >>> age = Pattern("age", "[0-9]{1,3} years")
    >>> compiled(age).search("she is 72 years old")["value"]
    '72 years'
    """
    own = "(?P<value>" in pattern.shape
    shape = f"(?:{pattern.shape})" if own else f"(?P<value>{pattern.shape})"
    cue = rf"(?:{pattern.cue})\b{OF}" if pattern.cue else ""
    return re.compile(rf"(?<!\w)(?<!\d[./](?=\d))(?={cue}{shape}{END})")


# Categories of combining accents and of invisible characters.
INSIDE_WORDS = ("Mn", "Mc", "Me", "Cf")

# Blanks and hyphens of typography, as a keyboard has them.
TYPED = str.maketrans("\u00a0\u202f\u2007\u2009\u2010\u2011\u2012\u2013", "    ----")


def plain_text(text: str) -> str:
    """Return a text of the same length in plain digits, blanks and hyphens.

    Combining accents and invisible characters do not end a word.

    Examples
    --------
    >>> plain_text("٠٧٧٠٠\u2011900")
    '07700-900'
    """
    if text.isascii():
        return text
    signs = {sign: unicodedata.category(sign) for sign in {*text}}
    digits = {ord(sign): str(int(sign)) for sign, kind in signs.items() if kind == "Nd"}
    marks = {ord(sign): "\u0301" for sign, kind in signs.items() if kind in INSIDE_WORDS}
    plain = text.translate({**TYPED, **digits, **marks})
    return re.sub(r"(?<=[^\W\d_])\u0301+", lambda marks: "a" * len(marks[0]), plain)
