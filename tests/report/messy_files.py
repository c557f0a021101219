"""Thirty made-up files as people really have them, and the role of each column.

``python -m tests.report.messy_files FOLDER`` writes them. Nobody in them exists: names are
drawn from short lists, and the check digits of the numbers are computed here.
"""

import random
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

DIRECT, QUASI, SECRET, OTHER, TEXT = (
    "direct identifier",
    "quasi-identifier",
    "sensitive",
    "other",
    "free text",
)
LETTERS = dict(zip("DQSOT", (DIRECT, QUASI, SECRET, OTHER, TEXT), strict=True))
PEOPLE = 120
PLANTED = "Zebulon Quackenbush"
"""Name of somebody who is in several files once, and in nothing that comes out."""

GIVEN = "Anna Bernd Camille Chloé Jürgen Léa Lucía José Chiara Nicolò Daan Femke Emily Grace"
FAMILY = (
    "Müller Weiß Lefèvre Moreau García Núñez Rossi Esposito Bakker Smit O'Hara Taylor Green"
)


class Messy(NamedTuple):
    """A file, and what must come out of it."""

    columns: str
    """Name, kind of cells (see `cell`) and letter of the role of each column."""
    separator: str = ","
    encoding: str = "utf-8"
    quote: str = ""
    people: int = PEOPLE
    """Cells of identifiers begin again after so many records."""
    warnings: dict[str, str] = {}
    """By column ("" for the table): words of a warning that must be there."""
    refused: str = ""
    """Words of the one sentence with which the file is refused."""

    @property
    def parts(self) -> list[tuple[str, str, str]]:
        """Name, kind and letter of each column."""
        found = []
        for column in self.columns.split(" | "):
            name, _, rest = column.rpartition(": ")
            kind, letter = rest.rsplit(" ", 1)
            found.append((name, kind, letter))
        return found

    @property
    def roles(self) -> dict[str, str]:
        """Role by column, in its place."""
        return {name: LETTERS[letter] for name, _, letter in self.parts}


def with_check(rng: random.Random, digits: int, right: Callable[[str], bool]) -> str:
    """A number whose last digits make it right."""
    while True:
        number = "".join(rng.choice("123456789") for _ in range(digits))
        if right(number):
            return number


def is_luhn(number: str) -> bool:
    """Payment cards."""
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(number))]
    return sum(d - 9 * (d > 9) for d in doubled) % 10 == 0


def is_nhs(number: str) -> bool:
    """British patients."""
    return sum(int(d) * (10 - place) for place, d in enumerate(number)) % 11 == 0


def cell(kind: str, i: int, person: int, rng: random.Random) -> object:
    """One cell: a choice of words, a range of numbers, a form of dates, or a known kind."""
    if "/" in kind and "%" not in kind:
        return rng.choice(kind.split("/"))
    if ".." in kind:
        low, high = kind.split("..")
        return rng.randint(int(low), int(high))
    born = date(1935, 1, 1) + timedelta(rng.randrange(25_000))
    if "%" in kind:
        return born.strftime(kind.replace("_", " "))
    given, family = rng.choice(GIVEN.split()), rng.choice(FAMILY.split())
    amount = rng.randint(900_000, 9_900_000) / 100
    who = random.Random(person)
    if kind == "iban":
        body = f"{who.randint(10**17, 10**18 - 1)}"
        return f"DE{98 - int(body + '131400') % 97:02}{body}"
    if kind == "nir":
        body = f"{rng.choice('12')}{born:%y%m}75{100 + person:03}{200 + person:03}"
        return f"{body}{97 - int(body) % 97:02}"
    if kind == "card":
        return with_check(who, 16, is_luhn)
    if kind == "nhs":
        number = with_check(who, 10, is_nhs)
        return f"{number[:3]} {number[3:6]} {number[6:]}"
    kinds = {
        "person": PLANTED
        if i == 17
        else f"{given} {chr(65 + i % 26)}{family.lower()}{i}"[:-1],
        "full": PLANTED
        if i == 17
        else f"{given} {'ABCDEFGH'[i % 8]}{'aeiouy'[i % 6]}{family[1:]}",
        "surname": PLANTED if i == 5 else f"{family}{'abcdefghij'[i % 10]}",
        "email": f"person{person}@example.org",
        "phone": f"+49 30 {1_234_567 + 977 * person}",
        "american phone": f"({200 + person}) 555-{1000 + person}",
        "serial": 10_000 + 3 * person,
        "code": f"P{person:04}",
        "uuid": f"{who.getrandbits(64):016x}",
        "ssn": f"{1 + person:03}-12-{3000 + person}",
        "house": person + 1,
        "ip": f"10.0.{person}.{person}",
        "url": f"https://example.org/{person}",
        "street": f"{rng.choice(FAMILY.split())}straat {person}",
        "plz": rng.choice([1067, 10115, 20095, 50667, 60311, 80331]),
        "cap": rng.choice(["00118", "20121", "40121", "80121"]),
        "british place": f"{rng.choice(['SW1A', 'M1', 'EH12'])} {rng.randint(1, 4)}AB",
        "kommune": 301 + 7 * (i % 101),
        "euros": f"{amount:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."),
        "euros in front": f"€ {amount:,.2f}",
        "euros behind": f"{amount:.2f} €".replace(".", ","),
        "dollars": f"${amount:,.2f}",
        "fraction": round(rng.gauss(0, 1), 6),
        "weight": round(rng.uniform(0.8, 2.4), 4),
        "metres": f"{rng.randint(150, 200) / 100:.2f} m".replace(".", ","),
        "remark": rng.choice(["", "", f"seen with {given}, will come again in week {i}"]),
        "sentence": f"{given} said on the ward that it hurts, room {i}, will come again",
        "age or 999": rng.choice([*range(18, 90), 999]),
        "answer or mark": rng.choice(["ja", "nein", "k.A.", "-"]),
    }
    return kinds[kind]


SEVERAL = "several records"
MESSY = {
    "kunden.csv": Messy(  # Windows' letters, days first, decimal commas, points in thousands
        "Kunden-Nr: serial D | Name: person D | E-Mail: email D | Telefon: phone D"
        " | IBAN: iban D | Geburtsdatum: %d.%m.%Y Q | PLZ: plz Q | Geschlecht: m/w Q"
        " | Familienstand: ledig/verheiratet Q | Beruf: Arzt/Maurer/Richter Q"
        " | Einkommen: euros S | Diagnose: Grippe/Asthma S | Bemerkung: remark T",
        ";",
        "cp1252",
        warnings={"Bemerkung": "free text"},
    ),
    "patients-fr.csv": Messy(  # a byte order mark, days first with strokes, a unit
        "Nom: surname D | Prénom: full D | N° de sécurité sociale: nir D"
        " | Date de naissance: %d/%m/%Y Q | Sexe: H/F Q | Code postal: cap Q"
        " | Profession: juge/maçon Q | Revenu: euros_behind S | Maladie: grippe/asthme S"
        " | Commentaire: remark T",
        ";",
        "utf-8-sig",
    ),
    "pacientes.tsv": Messy(
        "Apellidos: surname D | Teléfono: phone D | Fecha de nacimiento: %d-%m-%Y Q"
        " | Sexo: hombre/mujer Q | Código postal: cap Q | Estado civil: soltero/casado Q"
        " | Salario: euros_in_front S | Enfermedad: gripe/asma S",
        "\t",
        "cp1252",
    ),
    "pazienti.csv": Messy(
        "Codice fiscale: uuid D | Cognome: surname D | Data di nascita: %d.%m.%Y_%H:%M Q"
        " | CAP: cap Q | Titolo di studio: diploma/laurea Q | Patologia: asma/influenza S",
        ";",
        "utf-16",
    ),
    "clienten.csv": Messy(  # every cell quoted, decimal commas within the quotes
        "Naam: full D | Adres: street D | Geboortedatum: %d-%m-%Y Q | Geslacht: m/v Q"
        " | Burgerlijke staat: gehuwd/ongehuwd Q | Inkomen: euros S | Ziekte: griep/geen S"
        " | Gewicht: 45..120 Q",
        quote='"',
    ),
    "clients-us.txt": Messy(
        "full_name: person D | ssn: ssn D | dob: %m/%d/%Y Q | zip: 10001/02139/94105 Q"
        " | gender: F/M Q | annual income: dollars S | card: card D | diagnosis: flu/asthma S"
        " | doctor's remarks: sentence T",
        "|",
        warnings={"doctor's remarks": "free text"},
    ),
    "nhs.csv": Messy(  # names of columns that say nothing
        "a: nhs D | c: british_place Q | d: %Y-%m-%d_%H:%M:%S Q | e: single/married Q"
        " | f: 18..90 Q",
        quote='"',
    ),
    "visits.csv": Messy(
        "patient_id: code D | birth_date: %Y-%m-%d Q | sex: f/m Q | visit_date: %Y-%m-%d Q"
        " | ward: A/B/C Q | diagnosis: flu/asthma S",
        people=60,
        warnings={"patient_id": SEVERAL, "visit_date": "dates of events"},
    ),
    "households.csv": Messy(
        "household_id: house D | person_no: 1..5 Q | age: 0..95 Q | sex: f/m Q"
        " | region: north/south Q | persons in household: 1..6 Q | survey_weight: weight O"
        " | income: 9000..60000 S",
        ";",
        people=50,
        warnings={"household_id": SEVERAL, "survey_weight": "stands for several people"},
    ),
    "trial.csv": Messy(
        "investigator name: full D | USUBJID: code Q | ARM: A/B Q | AGE: 18..90 Q"
        " | AEDECOD symptom: rash/none S",
        people=40,
        warnings={"USUBJID": SEVERAL},
    ),
    "records.csv": Messy(
        "record_id: uuid Q | e-mail: email D | gender: f/m Q | depression: no/yes S",
        people=60,
        warnings={"record_id": SEVERAL, "e-mail": SEVERAL},
    ),
    "kommuner.csv": Messy(
        "kommune: kommune Q | name: full D | sex: f/m Q | illness: flu/hiv S", ";"
    ),
    "churn.csv": Messy(
        "customerID: uuid D | PhoneService: Yes/No Q | Email Clicks: 0..4 Q"
        " | Passport: Yes/No Q | account_type: home/firm Q | Account Balance: low/high S"
        " | MonthlyCharges: dollars S",
        quote='"',
    ),
    "plurals.csv": Messy(
        "Names: full D | Ages: 18..90 Q | Zips: plz Q | Salaries: 9000..90000 S"
        " | Diseases: flu/hiv S | Test Results: good/bad S",
    ),
    "likert.csv": Messy(
        "respondent no: uuid D | Life satisfaction: 1..5 S | trust in police: 1..7 S"
        " | opinion on taxes: for/against S | Zufriedenheit: 1..5 S | region: N/S Q",
    ),
    "survey-weights.csv": Messy(
        "idno: uuid D | gndr: 1..2 Q | agea: 15..90 Q | pspwght: weight O | fnlwgt: weight O"
        " | party: red/blue S",
        warnings={"pspwght": "stands for several people"},
    ),
    "marks.csv": Messy(
        "Vorname: full D | Alter: age_or_999 Q | Raucher: answer_or_mark S",
        ";",
        warnings={"Alter": "missing values", "Raucher": "missing values"},
    ),
    "short-years.csv": Messy(
        "mail: email D | joined: %d/%m/%y Q | seen: %Y%m%d Q",
        warnings={"joined": "dates of events", "seen": "dates of events"},
    ),
    "either-order.csv": Messy(
        "user name: full D | day: 3.4.1972/4.5.1980/5.6.1991 Q | town: A/B Q",
        warnings={"day": "dates of events"},
    ),
    "measurements.csv": Messy(
        "sample no: uuid D | v1: fraction O | v2: fraction O | batch: 1..9 Q",
    ),
    "places.csv": Messy(
        "phone: american_phone D | latitude: fraction Q | lon: fraction Q | x: plz Q",
    ),
    "log.csv": Messy("when: %Y-%m-%d Q | from: ip D | page: url D | state: ok/failed Q"),
    "notes.csv": Messy(
        "x: sentence T | y: a/b Q",
        quote='"',
        warnings={"x": "have every cell read"},
    ),
    "pupils.csv": Messy(
        "Student name: full D | grade level: 6..8 Q | GPA: 1..4 S | race: a/b/c Q"
        " | age at diagnosis: 6..15 Q",
    ),
    "staff-de.csv": Messy(
        "Personalnr: serial D | Nachname: surname D | Eintrittsdatum: %d.%m.%Y Q"
        " | Bruttogehalt: euros S | Krankheitstage: 0..60 S | Abteilung: A/B Q",
        ";",
        "latin-1",
    ),
    "ricoveri.csv": Messy(
        "matricola: uuid D | data ricovero: %d/%m/%Y Q | motivo ricovero: asma/altro S"
        " | comune: Roma/Bari Q | reddito annuo: euros S",
        ";",
    ),
    "titles.csv": Messy(
        "Hausarzt: Dr. Müller/Dr. Weiß/Frau Dr. Vogel D | x: G. Smith/A. B. Hill D"
        " | y: Ward A/Ward B Q | n: code D"
    ),
    "numbers-as-text.xlsx": Messy(
        "e-mail: email D | age: 18..90 Q | height: metres Q | seen: %d.%m.%y Q"
        " | salary: 9000..60000 S | condition: flu/none S",
        people=PEOPLE - 30,
        warnings={"e-mail": SEVERAL, "seen": "dates of events"},
    ),
    "title.xlsx": Messy(
        "name: full D | age: 18..90 Q | diagnosis: flu/hiv S", refused="title"
    ),
    "merged.xlsx": Messy("town: north/north Q | age: 18..90 Q", refused="merged cells"),
}


def rows_of(messy: Messy, seed: int) -> list[list[object]]:
    """Names of columns, and the cells of each record."""
    rng = random.Random(seed)
    rows: list[list[object]] = [[name for name, _, _ in messy.parts]]
    for i in range(PEOPLE):
        rows.append(
            [
                cell(kind if "%" in kind else kind.replace("_", " "), i, i % messy.people, rng)
                for _, kind, _ in messy.parts
            ]
        )
    return rows


def write_messy(folder: Path, names: object = None) -> dict[str, Path]:
    """Write all files, or some, into a folder; the path of each by its name."""
    chosen = list(MESSY) if names is None else list(names)  # type: ignore[call-overload]
    for name in chosen:
        messy, path = MESSY[name], Path(folder, name)
        rows = rows_of(messy, [*MESSY].index(name))
        if path.suffix == ".xlsx":
            _sheet(path, rows, messy.refused)
            continue
        quote = messy.quote
        lines = [messy.separator.join(f"{quote}{one}{quote}" for one in row) for row in rows]
        path.write_bytes(("\r\n".join(lines) + "\r\n").encode(messy.encoding))
    return {name: Path(folder, name) for name in chosen}


def _sheet(path: Path, rows: list[list[object]], refused: str) -> None:
    """A sheet, of which numbers are texts; with a title above, or cells that are merged."""
    openpyxl = __import__("pytest").importorskip("openpyxl")
    book = openpyxl.Workbook()
    if refused == "title":
        rows = [["Patients of the northern ward, 2024"], [], *rows]
    for row in rows:
        book.active.append([str(one) for one in row])
    if refused == "merged cells":
        book.active.merge_cells("A2:A6")
    book.save(path)


if __name__ == "__main__":
    for written in write_messy(Path(sys.argv[1])).values():
        print(written)
