"""Cells as people write them: dates in any common order, numbers with marks and units, places.

A column is read as a whole: one cell does not tell whether 03/04/1972 is in March or in April,
nor whether 1.200 is more than a thousand. What all cells of a column fit decides. Nothing is
guessed without a word: where two readings fit, the result says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._typing import BoolArray, IntArray
from ..validation import check_choice, listed

HEAD = 100
"""Texts that tell whether it is worth to read all."""


ORDERS = {"ymd": (0, 1, 2), "dmy": (2, 1, 0), "mdy": (2, 0, 1)}
"""By order: which of the three numbers of a date is year, month and day."""


EIGHT_FIGURES = {"ymd": "%Y%m%d", "dmy": "%d%m%Y", "mdy": "%m%d%Y"}
"""By order: the form of dates without marks."""


CLOCK = (
    r"(?:(?:[Tt:]|,? {1,2}|,? ?[-–] ?|,? (?:à|um|at|om) )"
    r"(\d{1,2})[:h](\d\d)(?::(\d\d)(\.\d{1,9})?)?"
    r"(?: ?([AaPp])\.?[Mm]\.?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?(?: ?(?:Uhr|h))?)?"
)
"""The time of the day, if there is one."""


DATE = rf"(\d{{4}}|\d{{1,2}})([-./_ ]|[./] )(\d{{1,2}})\2(\d{{4}}|\d{{1,2}})\.?{CLOCK}"
"""A date in figures, perhaps with the time of the day."""


MONTHS = (
    "jan(?:uary|uar|vier|v|uari)?|j[äa]nner|ene(?:ro)?|gen(?:naio)?",
    "feb(?:ruary|ruari?|rero|braio|er)?|f[ée]v(?:rier|r)?",
    "mar(?:ch|zo|s|t)?|märz?|mrz|maa(?:rt)?|mrt",
    "apr(?:ile?)?|avr(?:il)?|abr(?:il)?",
    "mayo?|mai|mag(?:gio)?|mei",
    "jun(?:e|io?)?|juin|giu(?:gno)?",
    "jul(?:y|io?)?|juil(?:let)?|lug(?:lio)?",
    "aug(?:ust|ustus)?|ao[uû]t|ago(?:sto)?",
    "sep(?:t|tember|tembre|tiembre)?|set(?:tembre|iembre)?",
    "o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?",
    "nov(?:ember|embre|iembre)?",
    "de[cz](?:ember)?|d[ée]c(?:embre)?|dic(?:embre|iembre)?",
)
"""Names of the twelve months in six languages, whole or cut."""


MONTHS_BEGIN = frozenset(
    "jan jän ene gen feb fév fev mar mär maa mrz mrt apr avr abr may mai mag mei jun jui giu"
    " jul lug aug aoû aou ago sep set okt oct ott nov dec dez déc dic".split()
)
"""First three letters of these names."""


BY_NAME, TO_MONTH = "|".join(MONTHS), r"(?:[-./_]|\. | de | of | )?"


NAMED_DATES = (
    rf"(?:[^\W\d_]{{2,12}}\.?,? )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?{TO_MONTH}"
    rf"(?P<month>{BY_NAME})\.?,?{TO_MONTH}['’]?(?P<year>\d{{4}}|\d\d)(?P<rest>\D.*)?",
    rf"(?:[^\W\d_]{{2,12}}\.?,? )?(?P<month>{BY_NAME})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    r",? (?P<year>\d{4})(?P<rest>\D.*)?",
    rf"(?P<month>{BY_NAME})\.?(?:[-./, ]| de )(?P<year>\d{{4}})",
    rf"(?P<year>\d{{4}})[-./ ](?P<month>{BY_NAME})\.?[-./ ](?P<day>\d{{1,2}})(?P<rest>\D.*)?",
    rf"(?P<month>{BY_NAME})\.?[-'’](?P<year>\d\d)",
    r"(?P<month>0?[1-9]|1[0-2])[-./](?P<year>(?:1[89]|20)\d\d)",
    r"(?P<year>(?:1[89]|20)\d\d)[-./](?P<month>0?[1-9]|1[0-2])",
)
"""Dates whose month has a name, and months of a year without a day."""


DATE_NAMES = (
    r"dob|d o b|dates?|\w*datum|datum \w+|born|geb(oren)?( am)?|gebdat"
    r"|(birth|geburts|geboorte|verjaar)\w* ?(date|day|dag|tag)|geb ?dat\w*|geboren op"
    r"|naissance|nee? e? ?le|ddn"
    r"|fecha\w*|(f )?nac(imiento)?|f nacim|data (di|del|d) ?\w*|nascita|nat[oa] il"
    r"|data (ricovero|dimissione|evento|inizio|fine|assunzione)|geboorte"
)
"""Names of columns of dates in six languages, in the writing of `words_of`."""


NO_DATE_NAMES = (
    r"lieu|ville|pays|commune|departement|code|place|country|city|town|weight|order|rank|number"
    r"|year|years?|annee|ano|anno|jaar|jahr|luogo|comune|paese|provincia|lugar|pais|plaats|peso"
    r"|poids|cp|cap|plz|zip|ort|land|name|nom|age|id|nr|no"
)
"""Words beside these with which a column is of something else, such as places of birth."""


CURRENCY = r"[€$£¥]|EUR|USD|GBP|CHF|Fr\.|kr|DKK|NOK|SEK|PLN|CAD|AUD"


NUMBER = {
    mark: rf"[1-9]\d{{0,2}}(?P<by>[{other} '’\u00a0\u202f])\d{{3}}(?:(?P=by)\d{{3}}){{0,6}}"
    rf"(?:[{mark}]\d{{1,20}})?|(?:0|[1-9]\d{{0,30}})(?:[{mark}]\d{{1,20}})?(?:[eE][-+]?\d{{1,3}})?"
    for mark, other in {".": ",", ",": "."}.items()
}
"""By decimal mark: a number, perhaps with a mark or blank between thousands; no 007."""


WRITTEN = (
    rf"(?P<sign>[-+−]?) ?(?P<front>{CURRENCY})?\s?(?P<minus>-?)"
    r"(?P<number>\d[^A-Za-z€$£¥%°]{0,60}?(?:[eE][-+]?\d{1,3})?)(?:,-)?(?P<back>\s?[^\W\d_]{1,8}\.?"
    r"|\s?[€$£¥%°/][^\d\s]{0,6}|\s[^\W\d_]{1,6}/[^\W\d_]{1,6}"
    r"|\s(?:years old|years of age|Jahre alt|jaar oud))?"
)
"""A number with its sign and its unit, in front of it or behind it."""


class WrittenDates(NamedTuple):
    """Dates read from texts."""

    times: pd.Series
    """Date and time of each text; missing where it is no date in the order."""
    fits: BoolArray
    """Which texts are dates with a year of four digits, whatever their order."""
    short: BoolArray
    """Which are dates with a year of two digits."""
    order: str | None
    """"ymd", "dmy" or "mdy"; None if the cells do not tell which, and only years are read."""
    mixed: bool
    """Whether some texts can only be read with the day first and others with the month."""
    monthly: bool = False
    """Whether no text has a day: then each stands for the first of its month."""


class WrittenNumbers(NamedTuple):
    """Numbers read from texts."""

    cells: list[Decimal | None]
    """The number of each text, exactly; None where it is none."""
    fits: BoolArray
    decimal: str
    """The decimal mark, "." or ","."""
    sure: bool
    """False if the other mark would fit as well: 1.200 alone."""
    unit: str
    """What stands beside the numbers, such as "kg" or "€"; the same in all cells."""


class WrittenPlaces(NamedTuple):
    """Postcodes read from texts."""

    form: str
    """Country, in words."""
    levels: tuple[tuple[str, Any], ...]
    """Name of each level and the label of each text, from the finest; None for no postcode."""
    fits: BoolArray


def look_like_dates(texts: Sequence[str]) -> bool:
    """Whether half of the first texts are dates in figures, with two or four for the year.

    Examples
    --------
    >>> look_like_dates(["27.12.1972", "soon"]), look_like_dates(["Ward 7"])
    (True, False)
    """
    head = [text for text in texts[:HEAD] if _may_be_a_date(text)]
    if 2 * len(head) < max(min(len(texts), HEAD), 1):
        return False
    return bool(2 * _in_figures(head)[0].str.fullmatch(DATE).sum() >= min(len(texts), HEAD))


def _may_be_a_date(text: str) -> bool:
    """Whether a text has figures, and no word of letters but a month, or short ones."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    short = all(len(word) <= 3 for word in words)
    known = short or any(word[:3] in MONTHS_BEGIN for word in words)
    return known and re.search(r"\d", text) is not None


def _in_figures(texts: Sequence[str]) -> tuple[pd.Series, BoolArray, BoolArray]:
    """Texts, with dates by name in figures; which are these, and which have no day.

    A year of four digits then comes first, so that nothing is left to be told.
    """
    cells = _plain(texts).str.replace("\u00a0", " ", regex=False)
    named, without = np.zeros(len(cells), bool), np.zeros(len(cells), bool)
    spelt = re.search(r"[^\W\d_]{3}", "\n".join(cells)) is not None
    for pattern in NAMED_DATES if spelt else NAMED_DATES[-2:]:
        try_it = re.compile(pattern, re.IGNORECASE).fullmatch
        if not any(try_it(text) for text in cells[~named][:HEAD]):
            continue
        parts = cells.str.extract(rf"^(?:{pattern})$", flags=re.IGNORECASE)
        found = (parts["year"].notna() & ~named).to_numpy(bool)
        parts = parts[found]
        month = parts["month"].str.lower()
        for number, names in enumerate(MONTHS, 1):
            month = month.mask(month.str.fullmatch(names), str(number))
        day = parts["day"] if "day" in parts else pd.Series("1", parts.index)
        rest = parts["rest"].fillna("") if "rest" in parts else ""
        long = parts["year"].str.len() == 4
        front = parts["year"] + "-" + month + "-" + day
        cells[found] = front.where(long, day + "-" + month + "-" + parts["year"]) + rest
        named |= found
        if "day" not in parts:
            without |= found
    return cells, named, without


def check_order(order: Any) -> str | None:
    """Return the order of the parts of a date, or None."""
    return None if order is None else check_choice(order, "order", list(ORDERS))


def read_dates(texts: Sequence[str], order: str | None = None) -> WrittenDates:
    """Read dates, in the one order that all of them fit.

    A month may have its name, in six languages. Of months and years without a day, each text
    stands for the first day.

    Parameters
    ----------
    texts : sequence of str
        Distinct cells of one column.
    order : {"ymd", "dmy", "mdy"}, optional
        Which of year, month and day comes first; by default what all cells fit. A year of
        four digits that comes first is followed by the month.

    Returns
    -------
    WrittenDates
        Dates of the calendar only. Zones of time are not converted: the day is as written.

    Examples
    --------
    >>> read_dates(["27.12.1972", "3.4.1980"]).order
    'dmy'
    >>> read_dates(["03/04/1972"]).order is None
    True
    """
    cells, named, without = _in_figures(texts)
    parts = cells.str.extract(rf"^(?:{DATE})$")
    numbers = parts[[0, 2, 3]].astype(float)
    long = parts[[0, 2, 3]].apply(lambda column: column.str.len() == 4)
    there = parts[0].notna()
    front, back = there & long[0] & ~long[3], there & long[3] & ~long[0]
    short = (there & ~long[0] & ~long[3]).to_numpy(bool) & _days_and_months(numbers)
    clock = _clock(parts)
    able = {"ymd": front, "dmy": back, "mdy": back}
    nothing = pd.Series(pd.NaT, numbers.index)
    read = {
        one: _calendar(numbers, places, able[one]) if able[one].any() else nothing
        for one, places in ORDERS.items()
    }
    known = {one: times.notna() for one, times in read.items()}
    fits = (known["ymd"] | known["dmy"] | known["mdy"]) & clock.notna()
    turned = front & ~known["ymd"]  # a day may stand before the month, behind the year
    turned &= _calendar(numbers, (0, 2, 1), turned).notna() if turned.any() else False
    turned &= bool(order is None and 10 * turned.sum() > front.sum()) & clock.notna()
    fits |= turned
    mixed, monthly = False, bool(len(cells) and without[fits].all() and fits.any())
    if order is None and not turned.any():
        only = [int((known[a] & ~known[b]).sum()) for a, b in (("dmy", "mdy"), ("mdy", "dmy"))]
        mixed = min(only) > 0
        same = bool(read["dmy"].equals(read["mdy"]) and known["dmy"].any())
        if not mixed and (max(only) > 0 or same):
            order = "dmy" if only[0] or same else "mdy"
        elif int((known["ymd"] & ~named).sum()) >= int((back & fits).sum()):
            order, mixed = "ymd", False
    if order is None:  # the year is told, whatever the month
        zeros = numbers.assign(month=1, day=1)
        times = _calendar(zeros, (2, 3, 4), back & fits)
        times = times.fillna(_calendar(zeros, (0, 3, 4), front & fits))
        return WrittenDates(times, fits.to_numpy(bool), short, None, mixed)
    times = read[order].where(~named | short, read["ymd"]).fillna(read["ymd"]) + clock
    return WrittenDates(times, times.notna().to_numpy(bool), short, order, mixed, monthly)


def _days_and_months(numbers: pd.DataFrame) -> BoolArray:
    """Which of three numbers of two digits can be a day and a month beside a year."""
    first, second, third = (numbers.iloc[:, place] for place in range(3))
    month = (second <= 12) & (second > 0)
    day_first = month & first.between(1, 31) | second.between(1, 31) & first.between(1, 12)
    return np.asarray(day_first | month & third.between(1, 31), bool)


def _extracted(texts: Sequence[str], pattern: str) -> pd.DataFrame:
    """Groups of a pattern that a text must match from end to end."""
    read = re.compile(pattern)
    matches = [read.fullmatch(text) for text in _plain(texts).tolist()]
    none = (None,) * read.groups
    columns = {place - 1: name for name, place in read.groupindex.items()}
    return pd.DataFrame(
        [none if match is None else match.groups() for match in matches],
        columns=[columns.get(place, place) for place in range(read.groups)],
        dtype="str",
    )


def _plain(texts: Sequence[str]) -> pd.Series:
    """Texts without blanks around them."""
    # Half of a surrogate pair is no character, and fits nothing.
    known = [text.encode("utf-8", "replace").decode() for text in texts]
    return pd.Series(known, dtype=object).astype("str").str.strip()


def _calendar(numbers: pd.DataFrame, places: Sequence[int], there: pd.Series) -> pd.Series:
    """Days of the calendar from columns of numbers; missing where there is none."""
    year, month, day = (numbers.iloc[:, place].where(there) for place in places)
    days = {"year": year, "month": month, "day": day}
    return pd.to_datetime(pd.DataFrame(days), errors="coerce")


def _clock(parts: pd.DataFrame) -> pd.Series:
    """Time of the day; missing where the numbers are none."""
    hour, minute, second, part = (parts[g].fillna("0").astype(float) for g in (4, 5, 6, 7))
    half = parts[8].fillna("").str.lower()
    wrong = (hour > 23) | (minute > 59) | (second > 60) | ((half != "") & (hour > 12))
    hour = hour.where(half == "", hour % 12) + 12 * (half == "p")
    micro = ((hour * 60 + minute) * 60 + second) * 10**6 + (part * 10**6).round()
    return pd.to_timedelta(micro.where(~wrong), unit="us")


def compact_dates(values: Any) -> str | None:
    """Order of the parts of dates in eight figures without marks.

    Parameters
    ----------
    values : array-like
        Distinct cells of one column: whole numbers, which have lost a first 0, or texts.

    Returns
    -------
    {"ymd", "dmy", "mdy"} or None
        None if they are none, of the years 1850 to 2100, or fewer than three.

    Examples
    --------
    >>> compact_dates([19721227, 19800403, 19801231, 19991130, 20010101])
    'ymd'
    """
    cells = pd.Series(values).iloc[:1000]
    if pd.api.types.is_float_dtype(cells):
        floats = cells.to_numpy("float64")
        if np.isfinite(floats).all() and (floats % 1 == 0).all():
            cells = cells.astype("int64")  # beside a missing cell they were made floats
    figures = re.compile("[0-9]{7,8}").fullmatch
    if len(cells) < 3 or not all(figures(str(cell)) for cell in cells):
        return None
    texts = pd.Series([str(cell).zfill(8) for cell in cells], dtype="str")
    for order, form in EIGHT_FIGURES.items():
        read = pd.to_datetime(texts, format=form, errors="coerce")
        if read.dt.year.between(1850, 2100).mean() >= 0.95:
            return order
    return None


def dates_in_eight_figures(values: Any, order: str) -> pd.Series:
    """Dates of eight figures without marks, or seven if a first 0 is lost, in an order.

    Examples
    --------
    >>> dates_in_eight_figures([27121972, 3041980, 5], "dmy").dt.year.tolist()
    [1972.0, 1980.0, nan]
    """
    texts = pd.Series([str(cell) for cell in values], dtype="str").str.removesuffix(".0")
    texts = texts.where(texts.str.fullmatch(r"[0-9]{7,8}")).str.zfill(8)
    return pd.to_datetime(texts, format=EIGHT_FIGURES[order], errors="coerce")


def words_of(name: object) -> str:
    """A column's name as words: homePhone_nr becomes "home phone nr".

    Examples
    --------
    >>> words_of("N° de sécurité sociale"), words_of("Straße_Nr")
    ('n de securite sociale', 'strasse nr')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name))
    signs = unicodedata.normalize("NFKD", apart.replace("°", " ").casefold())
    plain = "".join(sign for sign in signs if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", plain))


def says_date(name: object) -> bool:
    """Whether the name of a column says that it holds dates.

    Examples
    --------
    >>> says_date("Geburtsdatum"), says_date("Né(e) le"), says_date("Lieu de naissance")
    (True, True, False)
    """
    words = words_of(name)
    found = re.search(rf"\b(?:{DATE_NAMES})\b", words)
    return found is not None and re.search(rf"\b(?:{NO_DATE_NAMES})\b", words) is None


def dates_of_days(values: Any, epoch: str) -> pd.Series:
    """Dates and times of numbers of days since an epoch; missing where there is no number.

    Examples
    --------
    >>> dates_of_days([26659, "26659.25", "soon"], "1899-12-30").dt.hour.tolist()
    [0.0, 6.0, nan]
    """
    cells = [None if isinstance(cell, (bool, np.bool_)) else cell for cell in values]
    days = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce").astype(float)
    days = days.where(days.between(-100_000, 100_000))
    seconds = (days * 86_400).round()
    return pd.Timestamp(epoch) + pd.to_timedelta(seconds, unit="s")


def days_in_six_figures(texts: pd.Series) -> bool:
    """Whether all texts of figures are days and months with a year of two digits behind."""
    figures = texts.str.zfill(6)
    if not figures.str.fullmatch(r"\d{6}").all():
        return False
    forms = ("%d%m%y", "%m%d%y")
    return any(pd.to_datetime(figures, format=f, errors="coerce").notna().all() for f in forms)


def read_numbers(texts: Sequence[str], decimal: str | None = None) -> WrittenNumbers:
    """Read numbers that people wrote: with decimal commas, thousands marks and units.

    Parameters
    ----------
    texts : sequence of str
        Distinct cells of one column.
    decimal : {".", ","}, optional
        The decimal mark; by default the one that most cells fit. If both fit all, as for
        1.200, the mark is one between thousands, and the result says that it is not sure;
        money has no third decimal, so € 1.200 is.

    Returns
    -------
    WrittenNumbers
        No number is one that begins with a zero too many, as codes do, nor any if the cells
        have different units.

    Examples
    --------
    >>> found = read_numbers(["98.230,10", "1.200"])
    >>> found.decimal, [str(cell) for cell in found.cells]
    (',', ['98230.10', '1200'])
    """
    cells = _plain(texts).tolist()
    which, forms = _forms(cells)
    parts = _extracted(forms, WRITTEN)
    number = parts["number"].fillna("").str.strip().astype(object)  # not matched by Arrow
    units = (parts["front"].fillna("") + parts["back"].fillna("")).str.strip()
    known = sorted({*units[parts["number"].notna()].unique()} - {""})
    marks = list(NUMBER) if decimal is None else [check_choice(decimal, "decimal", [*NUMBER])]
    fit = {mark: number.str.fullmatch(NUMBER[mark]).to_numpy(bool) for mark in marks}
    if len(known) > 1:
        fit = {mark: np.zeros(len(number), bool) for mark in marks}
    counts = {mark: int(fits.take(which).sum()) for mark, fits in fit.items()}
    best = max(marks, key=lambda mark: counts[mark])
    sure = True
    if len(marks) == 2 and counts["."] == counts[","]:
        marked = number[fit[best]].str.contains("[.,]")
        if marked.any():
            best = "." if number[fit[best]].str.contains(",", regex=False).any() else ","
            sure = bool(known and _extracted(known, f"({CURRENCY})")[0].notna().all())
    minus = (parts["sign"].isin(["-", "−"]) | (parts["minus"] == "-")).to_numpy(bool)
    places = [re.search(r"\d", form) for form in forms]  # nothing before a number has figures
    first = np.array([0 if place is None else place.start() for place in places], int)
    last = first + number.str.len().to_numpy(int)
    fits = fit[best].take(which)
    ends = zip(first.take(which).tolist(), last.take(which).tolist(), strict=True)
    digits = [cell[start:end] for cell, (start, end) in zip(cells, ends, strict=True)]
    read = _without_marks(digits, best)
    signs = minus.take(which).tolist()
    pairs = zip(read, signs, fits.tolist(), strict=True)
    found = [Decimal("-" + cell if less else cell) if ok else None for cell, less, ok in pairs]
    return WrittenNumbers(found, fits, best, sure, known[0] if len(known) == 1 else "")


ONES = bytes.maketrans(b"23456789", b"1" * 8)
"""A figure but 0, as it matters where a number begins, is as good as any other."""


def _forms(cells: Sequence[str]) -> tuple[IntArray, list[str]]:
    """Code of each text's form, and the forms: few, as a form has 1 for each figure but 0."""
    written = [cell.encode().translate(ONES) for cell in cells]
    which, forms = pd.factorize(np.array(written, dtype=object))
    return which, [form.decode() for form in forms]


def _without_marks(digits: Sequence[str], decimal: str) -> list[str]:
    """Numbers without marks between thousands, and with a point before the decimals."""
    other = "," if decimal == "." else "."
    gone = str.maketrans({decimal: ".", **dict.fromkeys(f"{other} '’\u00a0\u202f")})
    return [cell.translate(gone) for cell in digits]


TOWN = r"(?:(?:, ?| ?[-–] | )(?P<town>['’]?[^\W\d_]['’.-]? ?[^\W\d_].{0,60}))?"
"""Name of a place behind a postcode: letters first, of two at least."""


FRONT = r"(?P<front>['’]?[^\W\d_][^\d]{0,58}(?:[^\W\d_]|[).]),? )??"
"""Name of a place in front of a postcode."""


COUNTRIES = "DE?|AT?|CH|FL?|FR|LI|IT?|BE?|LU?|ES?|PT?|DK|SE?|NO?|FIN?|PL|CZ|SK|SI|HR?|HU|USA?"
"""Signs in front of figures that are postcodes of a country."""


PLACES = {
    "British": (
        r"(?:GB[- ])?(([A-Za-z]{1,2})\d[A-Za-z\d]?) ?(\d)[A-Za-z]{2}",
        (("sectors", "{0} {2}"), ("districts", "{0}"), ("areas", "{1}")),
    ),
    "Dutch": (
        r"(?:NL[- ])?(([1-9])\d)(\d\d) ?(?:[A-Z]{2}|[A-Za-z]{2}$)",
        (("first 4", "{0}{2} **"), ("first 2", "{0}** **"), ("first 1", "{1}*** **")),
    ),
    "American": (
        r"((\d)\d\d)(\d\d)(?:-\d{4})?",
        (("first 5", "{0}{2}"), ("first 3", "{0}**"), ("first 1", "{1}****")),
    ),
    "Canadian": (
        r"(([A-Za-z])\d[A-Za-z])( ?)\d[A-Za-z]\d",
        (("first 3", "{0} ***"), ("first 1", "{1}** ***")),
    ),
    "numeric": (
        rf"((?:(?:{COUNTRIES})[- ])?)((\d)\d)(\d)(\d\d?)",
        (
            ("code only", "{0}{1}{3}{4}"),
            ("first 3", "{0}{1}{3}{mask}"),
            ("first 2", "{0}{1}*{mask}"),
            ("first 1", "{0}{2}**{mask}"),
        ),
    ),
}
"""By form: postcodes that are no plain figures, perhaps with a place beside them, and what
their levels show, which is less than the place."""


def read_places(texts: Sequence[str]) -> WrittenPlaces | None:
    """Read postcodes that are more than figures of one length, in the one form most fit.

    Parameters
    ----------
    texts : sequence of str
        Distinct cells of one column.

    Returns
    -------
    WrittenPlaces or None
        British, Dutch, Canadian, or American with four digits more in some; or four or five
        figures with the name of a place, before or behind them, or the sign of a country. None
        if fewer than nine in ten are such.

    Examples
    --------
    >>> found = read_places(["SW1A 1AA", "M1 1AE London"])
    >>> [(name, list(labels)) for name, labels in found.levels]
    [('sectors', ['SW1A 1', 'M1 1']), ('districts', ['SW1A', 'M1']), ('areas', ['SW', 'M'])]
    >>> list(read_places(["8001 Zürich", "Paris F-75011"]).levels[1][1])
    ['800*', 'F-750**']
    """
    cells = pd.Series(list(texts), dtype=object)
    if not all(isinstance(text, str) for text in texts):
        return None
    head = [text.strip() for text in cells[:HEAD]]
    for form, (pattern, shown) in PLACES.items():
        match = re.compile(FRONT + pattern + TOWN).fullmatch
        if 2 * sum(match(text) is not None for text in head) < len(head):
            continue
        parts = _extracted(texts, FRONT + pattern + TOWN)
        parts.columns = pd.Index(["front", *range(parts.shape[1] - 2), "town"])
        fits = parts[0].notna().to_numpy(bool)
        if fits.mean() < 0.9 or not _are_of_form(form, parts[fits], cells[fits]):
            continue
        figures = parts.drop(columns=["front", "town"])
        capital = figures.apply(lambda column: column.str.upper())
        capital["mask"] = capital[parts.columns[-2]].str.replace(r"\d", "*", regex=True)
        levels = []
        for name, label in shown:
            pieces = label.replace("}", "{").split("{")
            found: Any = pieces[0]
            for group, text in zip(pieces[1::2], pieces[2::2], strict=True):
                found = found + capital[int(group) if group.isdigit() else group] + text
            levels.append((name, found.astype(object).where(fits, None).to_numpy(object)))
        return WrittenPlaces(form, tuple(levels), fits)
    return None


def _are_of_form(form: str, parts: pd.DataFrame, cells: pd.Series) -> bool:
    """Whether postcodes are more than plain figures, and figures no amounts nor years."""
    if form == "American":
        return bool(cells.str.contains(r"\d-\d{4}\b").any())
    if form == "Dutch":  # and no weights or lengths
        return not cells.str.contains(r"(?:^|\s)\d+ ?(?:[kcm]?[gml]|[kM]W)$").all()
    if form != "numeric":
        return True
    beside = parts["town"].fillna(parts["front"].str.rstrip(", "))
    towns = beside.dropna().str.casefold()
    years = (parts[4].str.len() == 1) & (parts[1].isin(["18", "19", "20"]))
    short = (parts[4].str.len() == 1) & (parts[0] == "") & parts["front"].notna()
    if years.all() or short.any() or towns.str.fullmatch(CURRENCY, flags=re.IGNORECASE).any():
        return False
    signed = (parts[0] != "").all()
    return bool(signed or len(towns) >= 0.5 * len(parts) and towns.nunique() > 1)


def are_places(values: pd.Index | pd.Series, records: int) -> bool:
    """Whether distinct whole numbers look like postcodes of five digits.

    They have five digits (fewer than one in five lost a leading zero), each is there twice on
    average, and they are not round as amounts are.

    Examples
    --------
    >>> are_places(pd.Index([10115, 20095, 80331]), 30), are_places(pd.Index([10115]), 30)
    (True, False)
    """
    if not pd.api.types.is_integer_dtype(values.dtype) or not 3 <= len(values) <= 10_000:
        return False
    numbers = np.asarray(values, dtype=object).astype(float)
    long, fit = numbers >= 10_000, (numbers >= 500) & (numbers < 100_000)
    round_ones = numbers % 100 == 0
    alike = bool(fit.all() and long.mean() >= 0.8 and round_ones.mean() < 0.5)
    return alike and 2 * len(values) <= records


def read_in_order(texts: Sequence[str]) -> pd.Series | None:
    """Read texts that are all dates, or all numbers, as such; None if they are not.

    Examples
    --------
    >>> read_in_order(["9,5 kg", "10,25 kg"]).tolist()
    [9.5, 10.25]
    >>> read_in_order(["9.1.1970", "soon"]) is None
    True
    """
    if look_like_dates(texts):
        dates = read_dates(texts)
        return dates.times if dates.order is not None and dates.fits.all() else None
    try:
        read = pd.to_numeric(pd.Series(list(texts), dtype=object))
        return read if np.isfinite(read.to_numpy(float)).all() else None
    except (TypeError, ValueError, OverflowError):
        pass
    numbers = read_numbers(texts)
    if not (len(numbers.cells) and numbers.fits.all() and numbers.sure):
        return None
    return pd.Series([float(str(cell)) for cell in numbers.cells])


def why_no_dates(found: WrittenDates, texts: Sequence[str]) -> str:
    """What keeps texts from being dates, in one sentence; "" if nothing does."""
    cells = pd.Series(list(texts), dtype=object)
    if found.short.any():
        return (
            f"values have years of two digits, such as {listed(cells[found.short])}, and"
            f" nobody can tell 1926 from 2026; write years with four digits."
        )
    if not found.fits.all():
        return (
            f"values must be dates of the calendar, as 2021-05-13, 13.5.2021 or 5/13/2021;"
            f" got {listed(cells[~found.fits])}. Correct them, or give other= a label for"
            f" them."
        )
    return ""
