"""Recognisers for sentences only: dates, ages, names, and figures that a word announces.

As cells these are dates, numbers or places, which `toolkit.io.cells` reads. Among words they
need more: a month's name, a title, a cue such as "tel". They are of British, American, German,
French, Spanish, Italian and Dutch ways of writing; other languages need a recogniser of their
own. What a line break divides is not found.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..io.cells import CURRENCY, PLACES
from .patterns import PHONE, Pattern, _matched, _stripped

__all__ = [
    "CAPITAL_MONTHS",
    "IN_SENTENCES",
    "OF",
    "OTHER_MONTHS",
    "WORD_MONTHS",
    "names_by_form",
]


MOBILE = r"07\d{9}|0[67]\d{8}|01[5-7]\d{8,9}"
"""Figures alone: British, French and Dutch, German; in a sentence only."""


OF = (
    r"[^\w\n+(]{0,3}(?:(?i:no|nr|num(?:ber|mer|[eé]ro)|número|is|code|id|on|from)\b"
    r"[^\w\n+(]{0,3}){0,2}"
)
"""What may stand between a cue and its number."""


CAPITAL_MONTHS = (
    "Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|Jun[ei]?|Jul[yi]?"
    "|Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?"
)
"""English and German, which may stand without a year."""


OTHER_MONTHS = (
    "janvier|f[ée]vrier|avril|mai|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[ée]cembre"
    "|enero|febrero|marzo|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    "|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre"
    "|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december"
    "|january|february|june|july|august|october"
)
"""French, Spanish, Italian and Dutch; English in small letters."""


WORD_MONTHS = "mars|mayo|march|may"
"""Months that are words in small letters: a year has to follow, or the date to be clear."""


YEAR, DAY, MONTH = "(?:1[89]|20)\\d\\d", "(?:3[01]|[12]\\d|0?[1-9])", "(?:1[0-2]|0?[1-9])"


YEARS = r"(?P<value>1[0-2]\d|\d\d?)"
"""An age."""


BESIDE_AGES = "".join(
    rf"|(?<={word} )"
    for word in "femme de|homme de|dame de|patient de|patiente de|mujer de|hombre de|varón de"
    "|paciente de|donna di|uomo di|signora di|paziente di|vrouw van|man van|, de|, di|tiene"
    "| ha|is".split("|")
)
"""What makes an age of "72 ans", which may be any time."""


AMOUNT = r"(?:\d{1,3}(?:[ ,.'’]\d{3}(?!\d)){1,6}(?:[.,]\d\d?)?|\d{1,12}(?:[.,]\d\d?)?)"


THOUSANDS = r"(?:[kKmM]|bn| ?(?:thousand|million|billion|Millionen|Mio|Mrd|millions?|mila))"


TITLES = (
    "[Mm]rs?|MRS|Ms|Miss|MISS|Mx|Dra?|dr|DR|Drs|Doctor|Prof(?:\\.?ssa)?|PROF|Professor|Sir"
    "|Lady|Lord|Dame|Revd?|Reverend|Cllr|Captain|Capt|Sgt|Pastor|Rabbi|Imam|Nurse|Sister"
    "|Herrn?|Hr|Frau|Fr(?=\\.)|[Mm]onsieur|[Mm]adame|[Mm]ademoiselle|Mme|Mlle|Docteur"
    "|M(?=\\. )|[Ss]ignor[ae]?|[Ss]ig(?:\\.?r?na|\\.?ra)?|[Dd]ott(?:\\.?ssa|ore|oressa)?"
    "|[Ss]eñor(?:a|ita)?|Sra?|Srta|Don|Doña|doña|don(?= [A-ZÁÉÍÓÚÑ][a-záéíóúñ])"
    "|[Mm]evrouw|[Mm]evr|[Mm]eneer|[Hh]eer|[Dd]hr|[Mm]w"
    "|MR(?= (?!SCAN|IMAG|ANGIO|BRAIN|HEAD|SPINE|KNEE|HIP|LIVER|PELVIS|CARDIAC|ABDO)[A-Z]{3})"
)
"""English, German, French, Spanish, Italian and Dutch."""


DEGREES = (
    "Dra?|Prof|Professor|Dott|Ing|Dipl|Mag|h\\. ?c|med|dent|phil|rer|nat|jur"
    "|Sir|Dame|Lord|Lady"
)


NO_NAME = (
    "(?!(?:DOB|NHS|NI|MRN|SSN|BSN|DNI|NIE|IBAN|ID|GP|PLZ|ZIP|[Tt][Ee][Ll]|Phone|Mobile|Fax"
    "|E-?mail|Aged?|AGED?|Address|Dra?|Prof|Mrs?|Ms|Mme|Herr|Frau|Practitioner|Specialist"
    "|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\\b"
    f"|(?:{CAPITAL_MONTHS})\\.? \\d)"
)
"""Words with a capital letter that may stand behind a title or a name."""


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


UNITS = "(?!(?:CT|MR|MG|ML|IU|KG|CM|MM|AD|BC|AM|PM|UK|US|EU)\\b)"
"""What is no end of a Dutch postcode, though it could be."""


COUNTED = "(?!EUR|Euro|USD|Leuko|Thrombo|Unit|Cell|Einwohner|Einheiten|Mal |Menschen|Schritte)"
"""What is no town behind five figures, though it has a capital letter."""


STATES = (
    "(?:(?<=, )(?:CT|HI|ID|IN|MD|ME|MS|OK|OR|PA)|A[KLRZ]|C[AO]|D[CE]|FL|GA|I[AL]|K[SY]|LA"
    "|M[AINOT]|N[CDEHJMVY]|OH|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
)
"""American states; letters that are words as well need a comma."""


IN_SENTENCES = (
    Pattern(
        "dates",
        "date",
        rf"{YEAR}(?P<a>[-./]){MONTH}(?P=a){DAY}"
        r"(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?"
        rf"|{DAY}(?P<b>[-./]){MONTH}(?P=b)(?:{YEAR}|\d\d)"
        rf"|{MONTH}(?P<c>[-./]){DAY}(?P=c)(?:{YEAR}|\d\d)"
        rf"|{DAY}\. {MONTH}\. {YEAR}|(?=\d\d \d\d ){DAY} {MONTH} {YEAR}"
        rf"|(?=\d\d/){MONTH}/{YEAR}"
        rf"|{DAY}(?:st|nd|rd|th|\.)?(?: of)? (?:{CAPITAL_MONTHS})"
        rf"(?:\.?,? (?:{YEAR}|['’]\d\d))?"
        rf"|{DAY}(?:st|nd|rd|th)?[-/. ]?(?i:{CAPITAL_MONTHS})[-/., ]{{0,2}}{YEAR}"
        rf"|{DAY}[-/](?i:{CAPITAL_MONTHS})[-/]\d\d"
        rf"|{DAY}(?:er|º|°)?(?: de)? (?:{OTHER_MONTHS})(?:(?: del?|,)? {YEAR})?"
        rf"|{DAY}(?: de)? (?:{WORD_MONTHS})(?: del?)? {YEAR}"
        rf"|{DAY}(?: de (?:{WORD_MONTHS})|(?<=\ble \d\d) mars|(?<=\ble \d) mars)",
    ),
    Pattern(
        "dates",
        "date",
        rf"(?:{CAPITAL_MONTHS})\.? (?:{DAY}(?:st|nd|rd|th)?(?:,? (?:{YEAR}|['’]\d\d))?"
        rf"|{YEAR})",
        first="JFMASOND",
    ),
    Pattern(
        "dates",
        "date",
        rf"(?:{OTHER_MONTHS}|{WORD_MONTHS})(?: del?)? {YEAR}",
        first="jfmasonedgl",
    ),
    Pattern(
        "ages",
        "age",
        rf"{YEARS}(?:[- ]?(?:years?|yrs?)[- ](?:old|of age)|[- ]?y\.?/?o"
        r"|(?:st|nd|rd|th) birthday|[- ]?jährig(?:e[mnrs]?)?| Jahre alt"
        r"|[- ]jarige?| jaar oud)",
    ),
    Pattern(
        "ages",
        "age",
        rf"(?=\d{{1,3}} (?:ans|años|anni|jaar|Jahre)\b)(?:(?<=, )|(?<=\(){BESIDE_AGES}){YEARS}"
        r" (?:ans|años|anni|jaar|Jahre)",
    ),
    Pattern(
        "ages",
        "age",
        r"(?:(?i:aged?)(?: of)?|Alter(?: von)?|[Ee]dad(?: de)?|[Ee]tà(?: di)?|[Ll]eeftijd"
        rf"|[Ââ]g(?:e|ée?s?)(?: de)?):? {YEARS}"
        r"(?! ?(?:%|kg|mg|weeks|months|days|mois|meses|mesi))",
        first="AaEeLlÂâ",
    ),
    *(
        Pattern(
            "postcodes",
            "postcode",
            r"(?!T\dN\dM)" + PLACES[form][0].replace("A-Za-z", "A-Z"),  # no stage of a tumour
            first="mixed",
        )
        for form in ("British", "Canadian")
    ),
    Pattern("postcodes", "postcode", r"\d{5}-\d{4}"),
    Pattern(
        "postcodes",
        "postcode",
        r"(?:(?<!\w[ -])|(?<=\b[DFI]-)|(?<=\b(?:in|en) )|(?<=\b[àa] )|(?<=wohnhaft ))"
        rf"\d\d(?!000)\d{{3}}(?= {COUNTED}[^\W\d_a-z][^\W\d_]{{2}})"
        rf"|[1-9]\d{{3}} ?{UNITS}[A-Z]{{2}}(?= [A-Z][a-z])",
    ),
    Pattern(
        "postcodes",
        "postcode",
        rf"{STATES} (?P<value>\d{{5}}(?:-\d{{4}})?)",
        first="ACDFGHIKLMNOPRSTUVW",
    ),
    Pattern(
        "postcodes",
        "postcode",
        r"\d{5}|[1-9]\d{3} ?[A-Z]{2}",
        cue="(?i:zip|post ?code|postal(?: code)?|postleitzahl|code postal|c[óo]digo postal)"
        "|PLZ|CP|CAP",
        first="ZzPpCc",
    ),
    Pattern(
        "amounts of money",
        "money",
        rf"(?:(?:US|AU?|CA?|NZ)?\$|[₹₽₺]|{CURRENCY}) ?{AMOUNT}(?:,-|{THOUSANDS})?",
        first="€$£¥₹₽₺EUGCFkDNSPA",
    ),
    Pattern(
        "amounts of money",
        "money",
        rf"{AMOUNT}(?:,-|{THOUSANDS})? ?(?:{CURRENCY}|(?i:euros?|dollars?)|zł|[₹₽₺])",
    ),
    Pattern(
        "names",
        "name",
        rf"(?:{TITLES})(?:\. ?| {{1,2}})(?:(?:{DEGREES})(?:\. ?|-| )){{0,4}}{NO_NAME}"
        r"(?!(?<=\. )(?:The|This|There|He|She|It|They|We|His|Her|Please)\b)"
        rf"(?P<value>(?:{CAPITAL}\.? ?){{0,4}}{OF_NAMES}{NAMED}"
        rf"(?: {NO_NAME}(?:{CAPITAL}\.? ){{0,2}}{OF_NAMES}{NAMED}){{0,4}})",
        first="MmDdPSsLRCNHhFI",
    ),
    Pattern("telephone numbers", "phone", MOBILE, first="0"),
    Pattern(
        "telephone numbers",
        "phone",
        rf"{PHONE}|{MOBILE}|\d[\d ]{{5,13}}\d|\d{{3}}-\d{{4}}",
        cue="(?i:t[ée]l(?:[ée]phone|efoon|efono|[ée]fono|efon(?:nummer)?)?|phone|mobile?|mobiel"
        "|m[óo]vil|handy|cell(?:ulare|phone)?|fax|call(?:ed)?|rang|ring|rückruf|whatsapp)",
        first="TtPpMmFfCcRrHhWw",
    ),
    Pattern(
        "bank account numbers",
        "account",
        r"\d{6,12}|\d\d-\d\d-\d\d|\d{4} \d{4}|\d{3} \d{3} \d\d",
        cue="(?i:account|acct|a/c|sort code|routing|konto(?:nummer)?|rekening|compte|cuenta"
        "|conto)|BLZ",
        first="AaSsRrKkCcB",
    ),
    Pattern(
        "record numbers",
        "id",
        r"[A-Z]{0,4}[-/]?\d[\w/-]{3,24}",
        cue="(?i:MRN|(?:hospital|case|file|record|patient|client|reference|policy|passport"
        "|licen[cs]e|unit) (?:no|nr|number|ref|ID))|Patientennummer|Fallnummer|Aktenzeichen",
        first="MmHhCcFfRrPpLlUuA",
    ),
)
"""What is searched for in sentences besides; as cells these are dates, numbers or places."""


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
