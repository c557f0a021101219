"""Twelve made-up files as people really have them, and what must come out of each.

``python -m tests.report.messy_files FOLDER`` writes them. Nobody in them exists: names are
drawn from short lists, and the check digits of the numbers are computed here, apart from the
toolkit's.
"""

import random
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

DIRECT, QUASI, SECRET, OTHER, TEXT = (
    "direct identifier",
    "quasi-identifier",
    "sensitive",
    "other",
    "free text",
)
PEOPLE = 240
DATES = ("as it is", "months", "years", "5 years", "decades", "hidden")
YEARS = ("as it is", "years", "5 years", "decades", "hidden")
BY_THOUSAND = ("as it is", "by 1,000", "by 5,000", "by 10,000", "by 20,000", "hidden")
FIRST = ("as it is", "first 4", "first 3", "first 2", "first 1", "hidden")

Rows = list[list[object]]


class Messy(NamedTuple):
    """A file, and what must come out of it."""

    write: Callable[[Path], None]
    roles: dict[str, str]
    """By column, in its place."""
    levels: dict[str, tuple[str, ...]] = {}
    """Levels of the suggested hierarchy, for columns whose kind matters."""
    warnings: dict[str, str] = {}
    """By column ("" for the table): words of a warning that must be there."""
    refused: str = ""
    """Words of the one sentence with which the file is refused."""
    secrets: tuple[str, ...] = ()
    """Cells that no report, record or message may show."""


# Numbers with check digits


def _luhn(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled - 9 * (doubled > 9)
    return body + str(-total % 10)


def _digits(rng: random.Random, count: int, first: str = "123456789") -> str:
    return rng.choice(first) + "".join(rng.choice("0123456789") for _ in range(count - 1))


def iban(rng: random.Random) -> str:
    """German bank account."""
    body = _digits(rng, 18)
    check = 98 - int(body + "131400") % 97  # DE00 behind it, as 13 14 00
    return f"DE{check:02}{body}"


def german_tax_id(rng: random.Random) -> str:
    """Steuer-ID: of its first ten digits one is there twice, all others at most once."""
    body = rng.sample("0123456789", 9)
    while body[0] == "0":
        rng.shuffle(body)
    body.insert(rng.randrange(1, 9), rng.choice(body))
    product = 10
    for digit in body:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return "".join(body) + str((11 - product) % 10)


def german_health_number(rng: random.Random) -> str:
    """Krankenversichertennummer."""
    letter, body = rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), _digits(rng, 8, "0123456789")
    total = 0
    for place, digit in enumerate(f"{ord(letter) - 64:02}{body}"):
        product = int(digit) * (1 + place % 2)
        total += product // 10 + product % 10
    return f"{letter}{body}{total % 10}"


def german_pension_number(rng: random.Random, born: date) -> str:
    """Rentenversicherungsnummer."""
    letter = rng.choice("ABCDEFGHIJKLMNOPRSTUVWZ")
    front, serial = f"{rng.randint(2, 29):02}{born:%d%m%y}", f"{rng.randint(0, 99):02}"
    total = 0
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    for digit, weight in zip(f"{front}{ord(letter) - 64:02}{serial}", weights, strict=True):
        product = int(digit) * weight
        total += product // 10 + product % 10
    return f"{front}{letter}{serial}{total % 10}"


def french_number(rng: random.Random, born: date, sex: str) -> str:
    """NIR, with its key."""
    place = rng.choice(["75", "13", "69", "2A", "2B", "33"])
    where = f"{rng.randint(1, 400):03}{rng.randint(1, 900):03}"
    body = f"{'1' if sex == 'H' else '2'}{born:%y%m}{place}{where}"
    key = 97 - int(body.replace("2A", "19").replace("2B", "18")) % 97
    return f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:]} {key:02}"


def spanish_number(rng: random.Random) -> str:
    """DNI of a citizen, or NIE of a foreigner."""
    if rng.random() < 0.2:
        front = rng.choice("XYZ")
        body = _digits(rng, 7, "0123456789")
        number = int(str("XYZ".index(front)) + body)
    else:
        front, body = "", _digits(rng, 8)
        number = int(body)
    return front + body + "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]


def italian_number(rng: random.Random, born: date, sex: str) -> str:
    """Codice fiscale."""
    consonants = "BCDFGLMNPRSTV"
    name = "".join(rng.choice(consonants) for _ in range(6))
    day = born.day + (40 if sex == "F" else 0)
    town = rng.choice("ADFGHL") + f"{rng.randint(100, 999)}"
    body = f"{name}{born:%y}{'ABCDEHLMPRST'[born.month - 1]}{day:02}{town}"
    odd_digit, odd_letter = (
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21],
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22]
        + [25, 24, 23],
    )
    total = 0
    for place, sign in enumerate(body, 1):
        number = int(sign) if sign.isdigit() else ord(sign) - 65
        odd = (odd_digit if sign.isdigit() else odd_letter)[number]
        total += odd if place % 2 else number
    return body + chr(65 + total % 26)


def dutch_number(rng: random.Random) -> str:
    """BSN, which passes the test of eleven."""
    while True:
        body = _digits(rng, 8)
        check = sum(int(d) * w for d, w in zip(body, range(9, 1, -1), strict=True)) % 11
        if check < 10:
            return body + str(check)


def british_number(rng: random.Random) -> str:
    """NHS number."""
    while True:
        body = _digits(rng, 9)
        check = -sum(int(d) * w for d, w in zip(body, range(10, 1, -1), strict=True)) % 11
        if check < 10:
            return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


def american_number(rng: random.Random) -> str:
    """Social security number."""
    area = rng.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03}-{rng.randint(1, 99):02}-{rng.randint(1, 9999):04}"


def american_card(rng: random.Random) -> str:
    """Payment card without blanks."""
    return _luhn("4" + _digits(rng, 14))


# What people have


GIVEN = {
    "de": "Anna Bernd Claudia Dieter Elke Frank Heike Jürgen Lukas Monika Yusuf".split(),
    "fr": "Camille Chloé François Hélène Jean Léa Louis Marie Nicolas Sophie".split(),
    "es": "Alejandro Ana Carmen Jesús José Lucía María Pablo Raúl Sofía".split(),
    "it": "Alessandro Chiara Francesca Giovanni Giulia Luca Marco Nicolò Paola Sara".split(),
    "nl": "Anneke Bram Daan Femke Jan Joris Lotte Maaike Pieter Sanne".split(),
    "en": "Alice David Emily George Grace James Linda Michael Olivia William".split(),
}
FAMILY = {
    "de": "Müller Schmidt Weiß Schäfer Köhler Hoffmann Yücel Neumann Krüger Vogel".split(),
    "fr": "Lefèvre Moreau Dubois Rousseau Gauthier Benoît Perrin Girard Mercier".split(),
    "es": "García Fernández Núñez Gutiérrez Ortega Ramírez Muñoz Ibáñez Molina".split(),
    "it": "Rossi Esposito Ricci Colombo Marino Greco Conti Gallo Lombardi".split(),
    "nl": "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks".split(),
    "en": "Smith Jones O'Hara Taylor Brown Walker Hughes Green Baker Turner".split(),
}
PLANTED = "Zebulon Quackenbush"
"""Name of somebody who is in several files once, and in nothing that comes out."""


def _full(rng: random.Random, language: str) -> tuple[str, str]:
    return rng.choice(GIVEN[language]), rng.choice(FAMILY[language])


def _born(rng: random.Random) -> date:
    return date(1935, 1, 1) + timedelta(rng.randrange(25_000))


def _drawn(rng: random.Random, words: str) -> str:
    return rng.choice(words.split("|"))


def _text(path: Path, rows: Rows, separator: str, encoding: str, quote: str = "") -> None:
    lines = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))


def _sheet(path: Path, rows: Rows, merged: str = "") -> None:
    openpyxl = __import__("pytest").importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if merged:
        book.active.merge_cells(merged)
    book.save(path)


def _with_point(number: float) -> str:
    """98230.1 as 98,230.10."""
    return f"{number:,.2f}"


def _with_comma(number: float, thousands: str = ".") -> str:
    """98230.1 as 98.230,10."""
    return _with_point(number).replace(",", "_").replace(".", ",").replace("_", thousands)


# The files


def german(path: Path) -> None:
    """Semicolons, Windows' letters, days first, decimal commas, points in thousands."""
    rng = random.Random(1)
    names = (
        "Kunden-Nr;Name;E-Mail;Telefon;IBAN;Steuer-ID;Versicherten-Nr;Geburtsdatum;PLZ"
        ";Geschlecht;Familienstand;Beruf;Einkommen;Diagnose;Bemerkung"
    )
    rows: Rows = [list(names.split(";"))]
    for i in range(PEOPLE):
        given, family = _full(rng, "de")
        name = PLANTED if i == 17 else f"{given} {family}"
        rows.append(
            [
                10_000 + 3 * i,
                name,
                f"{given.lower()}.{i}@example.org".replace("ü", "ue"),
                f"+49 30 {rng.randint(1000000, 9999999)}",
                iban(rng),
                german_tax_id(rng),
                german_health_number(rng),
                f"{_born(rng):%d.%m.%Y}",
                rng.choice([1067, 10115, 20095, 50667, 60311, 70173, 80331, 80333]),
                rng.choice("mw"),
                _drawn(rng, "ledig|verheiratet|geschieden|verwitwet"),
                _drawn(rng, "Lehrerin|Maurer|Arzt|Bäckerin|Richter|Köchin"),
                _with_comma(rng.randint(900_000, 9_900_000) / 100),
                _drawn(rng, "Grippe|Diabetes|Asthma|keine"),
                _drawn(rng, "|||schwanger|Diabetes seit 2011|Wohnt jetzt bei der Mutter"),
            ]
        )
    _text(path, rows, ";", "cp1252")


def french(path: Path) -> None:
    """A byte order mark, days first with strokes, blanks between thousands, a unit."""
    rng = random.Random(2)
    names = (
        "Nom;Prénom;N° de sécurité sociale;Date de naissance;Sexe;Code postal;Profession"
        ";Revenu;Maladie;Commentaire"
    )
    rows: Rows = [list(names.split(";"))]
    for _ in range(PEOPLE):
        given, family = _full(rng, "fr")
        born, sex = _born(rng), rng.choice("HF")
        rows.append(
            [
                family,
                given,
                french_number(rng, born, sex),
                f"{born:%d/%m/%Y}",
                sex,
                rng.choice(["01000", "13001", "33000", "69001", "75001", "75011"]),
                _drawn(rng, "enseignante|maçon|médecin|boulangère|juge"),
                _with_comma(rng.randint(90_000, 990_000) / 100, "\u00a0") + " €",
                _drawn(rng, "grippe|diabète|asthme|aucune"),
                _drawn(rng, "|vu avec sa femme|à rappeler|ne veut pas que l'on appelle"),
            ]
        )
    _text(path, rows, ";", "utf-8-sig")


def spanish(path: Path) -> None:
    """Tabs, Windows' letters, days first with hyphens, a currency in front."""
    rng = random.Random(3)
    names = (
        "Apellidos|DNI|Fecha de nacimiento|Sexo|Código postal|Estado civil|Salario|Enfermedad"
    )
    rows: Rows = [list(names.split("|"))]
    for i in range(PEOPLE):
        _, family = _full(rng, "es")
        rows.append(
            [
                f"{family} {rng.choice(FAMILY['es'])}" if i != 5 else PLANTED,
                spanish_number(rng),
                f"{_born(rng):%d-%m-%Y}",
                _drawn(rng, "hombre|mujer"),
                rng.choice(["08001", "28013", "41001", "46001"]),
                _drawn(rng, "soltero|casado|viudo|divorciado"),
                "€ " + f"{rng.randint(9, 60) * 100:,}".replace(",", "."),
                _drawn(rng, "gripe|diabetes|asma|ninguna"),
            ]
        )
    _text(path, rows, "\t", "cp1252")


def italian(path: Path) -> None:
    """UTF-16, days first with points and a time, given names in a column without a name."""
    rng = random.Random(4)
    names = "Codice fiscale;Cognome;colonna 3;Data di nascita;CAP;Titolo di studio;Patologia"
    rows: Rows = [list(names.split(";"))]
    for _ in range(PEOPLE):
        given, family = _full(rng, "it")
        born = _born(rng)
        rows.append(
            [
                italian_number(rng, born, "F" if given.endswith("a") else "M"),
                family,
                given,
                f"{born:%d.%m.%Y} {rng.randrange(24):02}:{rng.randrange(60):02}",
                rng.choice(["00118", "20121", "40121", "80121"]),
                _drawn(rng, "licenza media|diploma|laurea"),
                _drawn(rng, "influenza|diabete|asma|nessuna"),
            ]
        )
    _text(path, rows, ";", "utf-16")


def dutch(path: Path) -> None:
    """Commas, every cell quoted, decimal commas within the quotes, days first with hyphens."""
    rng = random.Random(5)
    names = "Naam;BSN;Geboortedatum;Postcode;Geslacht;Burgerlijke staat;Inkomen;Ziekte;Gewicht"
    rows: Rows = [list(names.split(";"))]
    for i in range(PEOPLE):
        given, family = _full(rng, "nl")
        place = rng.choice([1011, 1012, 3011, 3512, 9711])
        rows.append(
            [
                f"{given} {family}" if i != 3 else PLANTED,
                dutch_number(rng),
                f"{_born(rng):%d-%m-%Y}",
                f"{place} {rng.choice('ABC')}{'XZ'[i % 2]}",
                rng.choice("mv"),
                _drawn(rng, "gehuwd|ongehuwd|weduwe"),
                f"{rng.randint(90_000, 990_000) / 100:.2f}".replace(".", ","),
                _drawn(rng, "griep|diabetes|astma|geen"),
                f"{rng.randint(45, 120)} kg",
            ]
        )
    _text(path, rows, ",", "utf-8", '"')


def american(path: Path) -> None:
    """Bars, months first, dollars, ZIP codes of five or nine digits."""
    rng = random.Random(6)
    names = "full_name|ssn|dob|zip|gender|annual income|card|diagnosis|doctor's remarks"
    rows: Rows = [list(names.split("|"))]
    for i in range(PEOPLE):
        given, family = _full(rng, "en")
        place = f"{rng.choice([2139, 10001, 10002, 60601, 94105]):05}"
        rows.append(
            [
                f"{given} {family}" if i != 9 else PLANTED,
                american_number(rng),
                f"{_born(rng):%m/%d/%Y}",
                place if i % 3 else f"{place}-{rng.randint(1, 4)}{rng.randint(100, 102)}",
                rng.choice("FM"),
                "$" + _with_point(rng.randint(900_000, 9_900_000) / 100),
                american_card(rng),
                _drawn(rng, "flu|diabetes|asthma|none"),
                f"seen on the ward, room {i}, by Dr {family}, will come again",
            ]
        )
    _text(path, rows, "|", "utf-8")


def british(path: Path) -> None:
    """ISO dates with times, NHS numbers and postcodes under names that say nothing."""
    rng = random.Random(7)
    rows: Rows = [["a", "b", "c", "d", "e", "f"]]
    for _ in range(PEOPLE):
        given, family = _full(rng, "en")
        outward = _drawn(rng, "SW1A|SW1P|M1|EH12|CF10|B33")
        born = datetime.combine(_born(rng), datetime.min.time())
        rows.append(
            [
                british_number(rng),
                f"{family}, {given}",
                f"{outward} {rng.randint(1, 4)}{rng.choice(['AA', 'AB', 'XY'])}",
                f"{born + timedelta(minutes=rng.randrange(1440)):%Y-%m-%d %H:%M:%S}",
                rng.choice(["single", "married", "widowed"]),
                rng.randint(18, 90),
            ]
        )
    _text(path, rows, ",", "utf-8", '"')


def visits(path: Path) -> None:
    """Several records of one person, each with the day of an event."""
    rng = random.Random(8)
    rows: Rows = [["patient_id", "birth_date", "sex", "visit_date", "ward", "diagnosis"]]
    for person in range(60):
        born, sex = _born(rng), rng.choice("fm")
        day = date(2024, 1, 1) + timedelta(rng.randrange(200))
        for _ in range(rng.randint(2, 6)):
            day += timedelta(rng.randint(1, 20))
            ward, ill = rng.choice("ABCD"), _drawn(rng, "flu|diabetes|asthma")
            rows.append([f"P{person:04}", born, sex, day, ward, ill])
    _text(path, rows, ",", "utf-8")


def households(path: Path) -> None:
    """Several people of one house, a weight of the survey, and a line that is there twice."""
    rng = random.Random(9)
    names = "household_id;person_no;age;sex;region;persons in household;survey_weight;income"
    rows: Rows = [list(names.split(";"))]
    for house in range(80):
        size, region = rng.randint(1, 5), _drawn(rng, "north|south|east|west")
        weight = rng.randint(800, 2400) / 1000
        for person in range(1, size + 1):
            pay = rng.randint(9, 60) * 1000
            age, sex = rng.randint(0, 95), rng.choice("fm")
            rows.append([house + 1, person, age, sex, region, size, weight, pay])
    rows.append(list(rows[-1]))
    _text(path, rows, ";", "utf-8")


def with_title(path: Path) -> None:
    """A sheet with a title and an empty line above the names of its columns."""
    rng = random.Random(10)
    rows: Rows = [["Patients of the northern ward, 2024"], [], ["name", "age", "diagnosis"]]
    for _ in range(40):
        rows.append([" ".join(_full(rng, "en")), rng.randint(18, 90), _drawn(rng, "flu|hiv")])
    _sheet(path, rows)


def merged(path: Path) -> None:
    """A sheet in which one cell stands for the five records beside it."""
    rng = random.Random(11)
    rows: Rows = [["town", "age", "diagnosis"]]
    rows += [["north", rng.randint(18, 90), _drawn(rng, "flu|hiv")] for _ in range(40)]
    _sheet(path, rows, "A2:A6")


def numbers_as_text(path: Path) -> None:
    """A sheet whose numbers are texts, whose years have two digits, whose people repeat."""
    rng = random.Random(12)
    rows: Rows = [["e-mail", "age", "height", "joined", "seen", "salary", "condition"]]
    for i in range(PEOPLE):
        given, family = _full(rng, "en")
        day = date(2019, 1, 1) + timedelta(rng.randrange(1800))
        person = i % (PEOPLE - 30)  # thirty are there twice
        rows.append(
            [
                f"{given}.{family}@example.org".replace("'", "")
                if person > 30
                else f"person{person}@example.org",
                str(rng.randint(18, 90)),
                f"{rng.randint(150, 200) / 100:.2f} m".replace(".", ","),
                f"{rng.randint(1, 12):02}/{rng.randint(1, 12):02}/{rng.randint(1990, 2020)}",
                f"{day:%d.%m.%y}",
                str(rng.randint(9, 60) * 1000),
                _drawn(rng, "flu|diabetes|asthma|none"),
            ]
        )
    _sheet(path, rows)


MESSY = {
    "kunden.csv": Messy(
        german,
        {
            "Kunden-Nr": DIRECT,
            "Name": DIRECT,
            "E-Mail": DIRECT,
            "Telefon": DIRECT,
            "IBAN": DIRECT,
            "Steuer-ID": DIRECT,
            "Versicherten-Nr": DIRECT,
            "Geburtsdatum": QUASI,
            "PLZ": QUASI,
            "Geschlecht": QUASI,
            "Familienstand": QUASI,
            "Beruf": QUASI,
            "Einkommen": SECRET,
            "Diagnose": SECRET,
            "Bemerkung": TEXT,
        },
        {
            "Geburtsdatum": DATES,
            "PLZ": FIRST,
            "Einkommen": (
                "as it is",
                "by 1,000",
                "by 5,000",
                "by 10,000",
                "by 20,000",
                "hidden",
            ),
        },
        {"Bemerkung": "free text"},
        secrets=(PLANTED, "schwanger", "example.org"),
    ),
    "patients-fr.csv": Messy(
        french,
        {
            "Nom": DIRECT,
            "Prénom": DIRECT,
            "N° de sécurité sociale": DIRECT,
            "Date de naissance": QUASI,
            "Sexe": QUASI,
            "Code postal": QUASI,
            "Profession": QUASI,
            "Revenu": SECRET,
            "Maladie": SECRET,
            "Commentaire": TEXT,
        },
        {
            "Date de naissance": DATES,
            "Code postal": FIRST,
            "Revenu": ("as it is", "by 100", "by 500", "by 1,000", "by 2,000", "hidden"),
        },
        {"Commentaire": "free text"},
        secrets=("Lefèvre", "vu avec sa femme"),
    ),
    "pacientes.tsv": Messy(
        spanish,
        {
            "Apellidos": DIRECT,
            "DNI": DIRECT,
            "Fecha de nacimiento": QUASI,
            "Sexo": QUASI,
            "Código postal": QUASI,
            "Estado civil": QUASI,
            "Salario": SECRET,
            "Enfermedad": SECRET,
        },
        {
            "Fecha de nacimiento": DATES,
            "Código postal": FIRST,
            "Salario": ("as it is", "by 100", "by 500", "by 1,000", "by 2,000", "hidden"),
        },
        secrets=(PLANTED,),
    ),
    "pazienti.csv": Messy(
        italian,
        {
            "Codice fiscale": DIRECT,
            "Cognome": DIRECT,
            "colonna 3": DIRECT,
            "Data di nascita": QUASI,
            "CAP": QUASI,
            "Titolo di studio": QUASI,
            "Patologia": SECRET,
        },
        {
            "Data di nascita": ("as it is", "days", *DATES[1:]),
            "CAP": FIRST,
        },
        secrets=("Esposito", "Nicolò"),
    ),
    "clienten.csv": Messy(
        dutch,
        {
            "Naam": DIRECT,
            "BSN": DIRECT,
            "Geboortedatum": QUASI,
            "Postcode": QUASI,
            "Geslacht": QUASI,
            "Burgerlijke staat": QUASI,
            "Inkomen": SECRET,
            "Ziekte": SECRET,
            "Gewicht": QUASI,
        },
        {
            "Geboortedatum": DATES,
            "Postcode": ("as it is", "first 5", "first 3", "first 1", "hidden"),
            "Inkomen": ("as it is", "by 100", "by 500", "by 1,000", "by 2,000", "hidden"),
            "Gewicht": ("as it is", "by 5", "by 10", "by 20", "hidden"),
        },
        secrets=(PLANTED,),
    ),
    "clients-us.txt": Messy(
        american,
        {
            "full_name": DIRECT,
            "ssn": DIRECT,
            "dob": QUASI,
            "zip": QUASI,
            "gender": QUASI,
            "annual income": SECRET,
            "card": DIRECT,
            "diagnosis": SECRET,
            "doctor's remarks": TEXT,
        },
        {
            "dob": DATES,
            "zip": ("as it is", "first 8", "first 6", "first 4", "first 2", "hidden"),
            "annual income": (
                "as it is",
                "by 1,000",
                "by 5,000",
                "by 10,000",
                "by 20,000",
                "hidden",
            ),
        },
        {"doctor's remarks": "free text"},
        secrets=(PLANTED, "will come again"),
    ),
    "nhs.csv": Messy(
        british,
        {"a": DIRECT, "b": DIRECT, "c": QUASI, "d": QUASI, "e": QUASI, "f": QUASI},
        {
            "c": ("as it is", "pool < 2", "pool < 3", "hidden"),
            "d": ("as it is", "days", *DATES[1:]),
            "f": ("as it is", "by 5", "by 10", "by 20", "hidden"),
        },
        secrets=("O'Hara, Grace",),
    ),
    "visits.csv": Messy(
        visits,
        {
            "patient_id": DIRECT,
            "birth_date": QUASI,
            "sex": QUASI,
            "visit_date": QUASI,
            "ward": QUASI,
            "diagnosis": SECRET,
        },
        {"birth_date": DATES},
        {"patient_id": "several records", "visit_date": "dates of events"},
        secrets=("P0017",),
    ),
    "households.csv": Messy(
        households,
        {
            "household_id": DIRECT,
            "person_no": QUASI,
            "age": QUASI,
            "sex": QUASI,
            "region": QUASI,
            "persons in household": QUASI,
            "survey_weight": OTHER,
            "income": SECRET,
        },
        {"age": ("as it is", "by 5", "by 10", "by 20", "hidden")},
        {
            "household_id": "several records",
            "survey_weight": "stands for several people",
            "": "another record in every column",
        },
    ),
    "title.xlsx": Messy(with_title, {}, refused="title"),
    "merged.xlsx": Messy(merged, {}, refused="merged cells"),
    "numbers-as-text.xlsx": Messy(
        numbers_as_text,
        {
            "e-mail": DIRECT,
            "age": QUASI,
            "height": QUASI,
            "joined": QUASI,
            "seen": QUASI,
            "salary": SECRET,
            "condition": SECRET,
        },
        {
            "age": ("as it is", "by 5", "by 10", "by 20", "hidden"),
            "height": ("as it is", "by 0.01", "by 0.05", "by 0.1", "by 0.2", "hidden"),
            "joined": YEARS,
            "seen": ("as it is", "hidden"),
            "salary": BY_THOUSAND,
        },
        {
            "e-mail": "several records",
            "joined": "day or the month",
            "seen": "two digits",
        },
        secrets=("person7@example.org",),
    ),
}


def write_messy(folder: Path, names: object = None) -> dict[str, Path]:
    """Write all files, or some, into a folder; the path of each by its name."""
    chosen = list(MESSY) if names is None else list(names)  # type: ignore[call-overload]
    for name in chosen:
        MESSY[name].write(Path(folder, name))
    return {name: Path(folder, name) for name in chosen}


if __name__ == "__main__":
    for written in write_messy(Path(sys.argv[1])).values():
        print(written)
