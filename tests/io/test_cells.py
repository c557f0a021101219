"""Cells as people write them: dates, numbers and places, and what is in doubt."""

from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from toolkit._old.io.cells import are_places, read_dates, read_numbers, read_places, says_date

DAYS = st.dates(
    min_value=pd.Timestamp("1700-01-01").date(), max_value=pd.Timestamp("2200-12-31").date()
)
FORMS = {
    "ymd": ["%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%dT%H:%M:%S"],
    "dmy": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y %H:%M"],
    "mdy": ["%m/%d/%Y", "%m-%d-%Y", "%m/%d/%Y, %H:%M:%S"],
}


@pytest.mark.parametrize(
    ("order", "form"), [(o, f) for o, forms in FORMS.items() for f in forms]
)
@given(days=st.lists(DAYS, min_size=1, max_size=8))
def test_dates_come_back_or_the_order_is_in_doubt(order, form, days):
    texts = [f"{day:{form}}" for day in days]
    told = read_dates(texts, order)
    assert [one.date() for one in told.times] == days
    found = read_dates(texts)
    assert found.fits.all()
    assert found.order in (order, None) or all(day.day == day.month for day in days)
    if found.order is not None:
        assert [one.date() for one in found.times] == days
    else:
        assert all(day.day <= 12 for day in days), "a number above 12 decides"
        assert [one.year for one in found.times] == [day.year for day in days]


NAMED = {
    "en": "January|February|March|April|May|June|July|August|September|October|November"
    "|December",
    "de": "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre"
    "|décembre",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre"
    "|diciembre",
    "it": "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre"
    "|novembre"
    "|dicembre",
    "nl": "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november"
    "|december",
}
WITH_NAMES = (
    "{d} {m} {y}", "{d}. {m} {y}", "{d:02}-{m:.3}-{y}", "{d}{m:.3}{y}", "{d} de {m} de {y}",
    "Mon, {d:02} {m} {y} 14:05", "{m} {d}, {y}", "{d}\u00a0{m}\u00a0{y}", "{d} of {m} {y}",
)  # fmt: skip


@pytest.mark.parametrize("language", NAMED)
@settings(max_examples=25)
@given(days=st.lists(DAYS, min_size=1, max_size=5), form=st.sampled_from(WITH_NAMES))
def test_dates_whose_month_has_a_name_leave_nothing_to_be_told(language, days, form):
    names = NAMED[language].split("|")
    form = form.replace(":.3", "") if language == "fr" else form  # for juin and juillet
    texts = [form.format(d=day.day, m=names[day.month - 1], y=day.year) for day in days]
    for cells in (texts, [text.upper() for text in texts]):
        found = read_dates(cells)
        assert [one.date() for one in found.times] == days
        assert found.order == "ymd" and not found.monthly


@pytest.mark.parametrize(
    ("form", "day"),
    [
        ("{0.day:02}_{0.month:02}_{0.year}", True),
        ("{0.day:02}. {0.month:02}. {0.year}", True),
        ("{0.day} {0.month} {0.year}", True),
        ("{0.day:02}/{0.month:02}/{0.year} 14h05", True),
        ("{0.day:02}.{0.month:02}.{0.year} 14:05 Uhr", True),
        ("{0.month:02}/{0.year}", False),
        ("{0.year}-{0.month:02}", False),
        ("{0:%b} {0.year}", False),
    ],
)
def test_other_writings_of_days_and_of_months(form, day):
    days = [pd.Timestamp("1931-03-27") + pd.Timedelta(days=397 * i) for i in range(60)]
    found = read_dates([form.format(one) for one in days])
    wanted = [one.date() if day else one.date().replace(day=1) for one in days]
    assert [one.date() for one in found.times] == wanted
    assert found.monthly != day


def test_years_are_read_where_nothing_tells_the_day_from_the_month():
    found = read_dates(["3/4/1972", "5/6/1980", "1991-02-03"])
    assert found.order is None and found.fits.all()
    assert [one.year for one in found.times] == [1972, 1980, 1991]
    assert read_dates(["27 Mar 1972", "3/4/1980"], "dmy").times.dt.month.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("texts", "order", "mixed"),
    [
        (["27/12/1972", "3/4/1980"], "dmy", False),
        (["12/27/1972", "3/4/1980"], "mdy", False),
        (["3/4/1972", "5/6/1980"], None, False),
        (["27/12/1972", "12/27/1972"], None, True),
        (["5/5/1980"], "dmy", False),
    ],
)
def test_what_all_cells_fit_decides_the_order(texts, order, mixed):
    found = read_dates(texts)
    assert (found.order, found.mixed) == (order, mixed)


def test_what_is_no_date_is_none():
    texts = ["31.2.1970", "27.12.1972", "soon", "1.1.72", "27.12-1972", "1.1.1970 25:00"]
    found = read_dates(texts)
    assert found.fits.tolist() == [False, True, False, False, False, False]
    assert found.short.tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize(
    ("texts", "decimal", "numbers"),
    [
        (["98.230,10", "1.200"], ",", ["98230.10", "1200"]),
        (["1 234,5", "12"], ",", ["1234.5", "12"]),
        (["1\u00a0234,50 €", "7,00 €"], ",", ["1234.50", "7.00"]),
        (["12 kg", "13 kg"], ".", ["12", "13"]),
        (["€ 1.200", "€ 980"], ",", ["1200", "980"]),
        (["$71,605.92", "-$1.00"], ".", ["71605.92", "-1.00"]),
        (["1'200.50", "3"], ".", ["1200.50", "3"]),
        (["-3,5 °C", "0,5 °C"], ",", ["-3.5", "0.5"]),
        (["1e3", "2.5"], ".", ["1000", "2.5"]),
    ],
)
def test_numbers_by_hand(texts, decimal, numbers):
    found = read_numbers(texts)
    assert found.decimal == decimal
    assert found.cells == [Decimal(number) for number in numbers]
    assert found.sure


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=8), st.sampled_from(".,"))
def test_numbers_come_back_with_either_mark(cents, decimal):
    other = {".": ",", ",": "."}[decimal]
    swap = str.maketrans({".": decimal, ",": other})
    texts = [f"{cell / 100:,.2f}".translate(swap) for cell in cents]
    found = read_numbers(texts)
    assert found.decimal == decimal
    assert found.cells == [Decimal(cell) / 100 for cell in cents]


@pytest.mark.parametrize(
    "texts", [["007"], ["A12"], ["12 kg", "13 lb"], ["10.0.1.1"], ["12:30"]]
)
def test_codes_and_mixed_units_are_no_numbers(texts):
    assert not read_numbers(texts).fits.any()


def test_one_mark_with_three_figures_is_in_doubt_unless_it_is_money():
    assert not read_numbers(["1.200", "980"]).sure
    assert read_numbers(["1.200", "980"], ".").cells == [Decimal("1.200"), Decimal(980)]
    assert read_numbers(["1.200 €", "980 €"]).sure


@pytest.mark.parametrize(
    ("texts", "form", "labels"),
    [
        (["SW1A 1AA", "m11ae"], "British", [["SW1A 1", "M1 1"], ["SW1A", "M1"], ["SW", "M"]]),
        (["1234 AB"], "Dutch", [["1234 **"], ["12** **"], ["1*** **"]]),
        (["02139-1234"], "American", [["02139"], ["021**"], ["0****"]]),
        (["K1A 0B1"], "Canadian", [["K1A ***"], ["K** ***"]]),
        (["SW1A 1AA London"], "British", [["SW1A 1"], ["SW1A"], ["SW"]]),
        (["1012 AB 's-Gravenhage"], "Dutch", [["1012 **"], ["10** **"], ["1*** **"]]),
        (["02139-1234 Cambridge"], "American", [["02139"], ["021**"], ["0****"]]),
        (
            ["8001 Zürich", "75008 Paris Cedex 08"],
            "numeric",
            [["8001", "75008"], ["800*", "750**"], ["80**", "75***"], ["8***", "7****"]],
        ),
        (["F-75011", "CH-8001 Zürich"], "numeric", [["F-75011", "CH-8001"]]),
        (["London SW1A 1AA", "Leeds, LS1 4AP"], "British", [["SW1A 1", "LS1 4"]]),
        (["Zwolle 8011 AB", "NL-3511 XZ"], "Dutch", [["8011 **", "3511 **"]]),
        (["Zorn 10115", "St. Zeno v.d.H. 61348"], "numeric", [["10115", "61348"]]),
        (["Zürich CH-8001", "Boston, MA 02139"], "numeric", [["CH-8001", "02139"]]),
        (["Berlin D-10115", "Wien A-1010"], "numeric", [["D-10115", "A-1010"]]),
    ],
)
def test_places_by_hand(texts, form, labels):
    found = read_places(texts)
    assert found.form == form
    assert [list(level) for _, level in found.levels][: len(labels)] == labels
    assert not any("Z" in label for _, level in found.levels for label in level)


@pytest.mark.parametrize(
    "texts",
    [["12000 EUR", "15000 USD"], ["1968 Spring", "2001 Winter"], ["1200 kg", "1800 kg"]]
    + [["8001 Zürich", "3011"] * 2 + ["4051"]]
    + [["Room 1203", "Ward 1204"], ["EUR 12000", "USD 15000"], ["some 1200 kg", "1300 kg"]],
)
def test_amounts_and_years_with_a_word_are_no_places(texts):
    assert read_places(texts) is None


def test_the_day_behind_the_year_leaves_the_month_in_doubt():
    found = read_dates(["1972-27-12", "1980-03-04", "1990-13-01"])
    assert found.order is None and found.fits.all()
    assert [one.year for one in found.times] == [1972, 1980, 1990]
    mistyped = read_dates(["1972-27-12", *[f"1980-01-{day}" for day in range(10, 30)]])
    assert mistyped.order == "ymd" and mistyped.fits.tolist() == [False] + [True] * 20


@pytest.mark.parametrize(
    ("name", "said"),
    [("Geburtsdatum", True), ("DOB", True), ("Né(e) le", True), ("fecha_nac", True)]
    + [("Data di nascita", True), ("geboortedatum", True), ("birthDate", True)]
    + [("Eintrittsdatum", True), ("F. Nac.", True), ("Geburtsort", False)]
    + [("Lieu de naissance", False), ("birth weight", False), ("update", False)]
    + [("year of birth", False), ("Geburtsjahr", False), ("data source", False)],
)
def test_names_that_say_dates(name, said):
    assert says_date(name) == said


def test_a_unit_may_be_of_several_words():
    found = read_numbers(["17 years old", "39 years old"])
    assert [str(cell) for cell in found.cells] == ["17", "39"] and found.fits.all()


def test_no_thousands_begin_with_a_zero():
    found = read_numbers(["0,512", "3,104"])
    assert (found.decimal, found.sure) == (",", True)
    assert [str(cell) for cell in found.cells] == ["0.512", "3.104"]
    assert not read_numbers(["1,234", "5,678"]).sure


def test_figures_of_five_digits_are_places_if_they_repeat():
    places = pd.Index([1067, 10115, 20095, 80331, 80333])
    assert are_places(places, 10)
    assert not are_places(places, 9), "each is there twice on average"
    assert not are_places(places * 100, 100)
    assert not are_places(places.astype(str), 100)
    assert read_places(["02139", "10001"]) is None, "figures of one length are codes"


def test_dates_of_austria_and_times_behind_a_word():
    found = read_dates(["2. Jänner 2024", "13. Feber 1950"])
    assert [f"{day:%Y-%m-%d}" for day in found.times] == ["2024-01-02", "1950-02-13"]
    found = read_dates(["13/11/1990 à 12h30", "1/2/1991 um 08:15"])
    assert [f"{day:%Y-%m-%d %H:%M}" for day in found.times] == [
        "1990-11-13 12:30",
        "1991-02-01 08:15",
    ]
