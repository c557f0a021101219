"""Make notes.csv, notes_truth.csv and notes_people.csv: invented notes, and what is in them.

    python data/make_notes.py [OUT]

300 people who do not exist, and 400 notes about them in two styles: those of a hospital ward
and those of a social service. Every person has a note, and 100 have a second one, in the other
style. A note is made of sentences with slots, each filled with a planted entity. The
table notes_truth.csv says where an entity stands, what it is, and how hard it is to find
(`form`):

* check digits: a number whose check digits are right;
* format: written in one of the usual ways, such as 04/11/2024 or "aged 72", or a name that
  stands after a title;
* words: recognised only by a reader, such as a name without a title, "in her eighties", a
  place, an occupation or an illness.

Some sentences are traps. They hold what looks like an entity and is not one: "a 12-year-old
boiler", a blood pressure, an order number whose check digit is wrong, "Will need a chair".
Twelve people have a story that nobody else has; it stands in their notes, outside the slots.

Nothing in the notes can reach a person: telephone numbers are from ranges reserved for films
(Ofcom, 555-01xx), postcodes have letters that no postcode has, NHS numbers are from the range
for tests (999), cards from a country 999 that does not exist, accounts from a bank TEST,
French numbers from a month 00, and mail and web addresses end in .example or example.org.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from make_adult_pii import FEMALE, MALE, SYLLABLES
from stream import Stream, recipe

SEED = 2024
PEOPLE, NOTES = 300, 400
FIRST_DAY = date(2024, 11, 1)
"""All notes are of one November without birthdays, so each person has one age."""

WORDS = recipe("notes.toml")
PLACES, ILLNESSES, JOBS, STORIES = (
    WORDS[name] for name in ("places", "illnesses", "jobs", "stories")
)
DATES, AGES, PHONES, TRAPS = (WORDS[name] for name in ("dates", "ages", "phones", "traps"))


class Draw:
    """Draws for one note or person; the same for ever (see stream.py)."""

    def __init__(self, *seed: int) -> None:
        self._left = iter(Stream(*seed).uniform(2_000).tolist())

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(next(self._left) * (high - low + 1))

    def pick(self, things: Sequence[Any], falling: bool = False) -> Any:
        """One of the things, all equally likely or the first ones more often."""
        u = next(self._left)
        return things[int((u * u if falling else u) * len(things))]

    def figures(self, form: str) -> str:
        """A form with a digit in place of each #."""
        return re.sub("#", lambda _: str(self.whole(0, 9)), form)


class Planted(NamedTuple):
    """What fills a slot; only `value` is the entity."""

    value: str
    kind: str = ""
    form: str = "format"
    meaning: str = ""
    before: str = ""
    after: str = ""


Slot = Callable[[Draw, Mapping[str, Any], date], Planted]


def luhn_digit(body: str) -> str:
    """Check digit of a card."""
    digits = [int(sign) for sign in body[::-1]]
    crossed = [sum(divmod(2 * d, 10)) if j % 2 == 0 else d for j, d in enumerate(digits)]
    return str(-sum(crossed) % 10)


def health_number(draw: Draw) -> str:
    """NHS number from the range for tests, digits only."""
    while True:
        body = draw.figures("999######")
        check = -sum(int(d) * w for d, w in zip(body, range(10, 1, -1), strict=True)) % 11
        if check < 10:
            return f"{body}{check}"


def account(draw: Draw, right: bool = True) -> str:
    """IBAN of a British bank that does not exist."""
    body = draw.figures("TEST999999########")
    figures = "".join(str(int(sign, 36)) for sign in body + "GB00")
    check = 98 - int(figures) % 97
    written = f"GB{check if right else (check - 1) % 97 + 2:02d}{body}"
    return " ".join(written[j : j + 4] for j in range(0, len(written), 4))


def card(draw: Draw, right: bool = True) -> str:
    """Number of a card of a country that does not exist, with or without its check digit."""
    body = draw.figures("999999#########")
    check = (int(luhn_digit(body)) + (0 if right else 3)) % 10
    written = f"{body}{check}"
    return " ".join(written[j : j + 4] for j in range(0, 16, 4))


def french_number(draw: Draw, who: Mapping[str, Any]) -> str:
    """French social security number of a month that does not exist."""
    sex = 2 if who["sex"] == "female" else 1
    body = f"{sex}{who['born']:%y}0099000{draw.whole(1, 999):03d}"
    key = f"{97 - int(body) % 97:02d}"
    return f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:]} {key}"


def written(day: date, form: str) -> str:
    """A day in one of the usual ways."""
    return form.format(d=day)


def slots(dates: Sequence[str], ages: Sequence[str], phones: Sequence[str]) -> dict[str, Slot]:
    """Functions that fill slots, by the name of the slot."""

    def age(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        if draw.whole(1, 12) == 1:  # in words, without a format
            decade = "twenties thirties forties fifties sixties seventies eighties nineties"
            her = "her" if who["sex"] == "female" else "his"
            words = f"{her} {decade.split()[max(who['age'] // 10 - 2, 0)]}"
            return Planted(words, "age", "words", "person", "in ")
        before, after = draw.pick(ages).split("{}")
        return Planted(str(who["age"]), "age", "format", "person", before, after)

    def dated(meaning: str, days: Callable[[Draw, Mapping[str, Any], date], date]) -> Slot:
        return lambda draw, who, day: Planted(
            written(days(draw, who, day), draw.pick(dates)), "date", "format", meaning
        )

    def titled(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        title = "Mr " if who["sex"] == "male" else draw.pick(["Mrs ", "Ms ", "Miss "])
        name = who["name"] if draw.whole(0, 1) else who["name"].split()[1]
        return Planted(name, "name", "format", "person", title)

    def staff(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        title = draw.pick(["Dr ", "Dr. ", "Nurse ", "Sister ", "Prof. "])
        return Planted(family(draw), "name", "format", "staff", title)

    def relative(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        return Planted(draw.pick(FEMALE + MALE), "name", "words", "relative")

    def mail(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        given, last = who["name"].lower().split()
        local = draw.pick([f"{given}.{last}", f"{given[0]}{last}", f"{last}_{who['age']}"])
        host = draw.pick(["example.org", "mail.example", "post.example.org"])
        return Planted(f"{local}@{host}", "email", "format", "person")

    def link(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        place = who["place"].lower()
        ways = [f"www.{place}-carers.example", f"https://{place}.example/visits?week=47"]
        return Planted(draw.pick(ways), "url", "format", "service")

    def health(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        number = who["health_number"]
        if draw.whole(0, 2):
            number = f"{number[:3]} {number[3:6]} {number[6:]}"
        return Planted(number, "national health", "check digits", "person", "NHS no ")

    def money(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        amount = draw.whole(12, 1_999)
        ways = [f"£{amount:,}", f"£{amount}.{draw.whole(10, 99)}", f"EUR {amount}"]
        return Planted(draw.pick([*ways, f"{amount} €"]), "money", "format", "payment")

    def record(draw: Draw, who: Mapping[str, Any], day: date) -> Planted:
        cue = draw.pick(["MRN ", "hospital number ", "case no. ", "file ref. "])
        form = "#######" if cue in ("MRN ", "hospital number ") else "24-#####"
        return Planted(draw.figures(form), "id", "format", "record", cue)

    def told(key: str, kind: str) -> Slot:
        return lambda draw, who, day: Planted(who[key], kind, "words", "person")

    def trap(make: Callable[[Draw], str]) -> Slot:
        return lambda draw, who, day: Planted(make(draw))

    return {
        "age": age,
        "titled": titled,
        "full": told("name", "name"),
        "staff": staff,
        "relative": relative,
        "born": dated("birthday", lambda draw, who, day: who["born"]),
        "day": dated("visit", lambda draw, who, day: day),
        "earlier": dated(
            "history", lambda draw, who, day: day - timedelta(days=draw.whole(40, 4_000))
        ),
        "later": dated("plan", lambda draw, who, day: day + timedelta(days=draw.whole(3, 60))),
        "postcode": lambda draw, who, day: Planted(
            who["postcode"], "postcode", "format", "person"
        ),
        "phone": lambda draw, who, day: Planted(
            draw.figures(draw.pick(phones)), "phone", "format", "relative"
        ),
        "email": mail,
        "url": link,
        "card": lambda draw, who, day: Planted(card(draw), "card", "check digits", "person"),
        "account": lambda draw, who, day: Planted(
            account(draw), "account", "check digits", "person"
        ),
        "social": lambda draw, who, day: Planted(
            french_number(draw, who), "social security", "check digits", "person"
        ),
        "health": health,
        "money": money,
        "id": record,
        "place": told("place", "place"),
        "illness": told("illness", "illness"),
        "job": told("occupation", "occupation"),
        "She": lambda draw, who, day: Planted("She" if who["sex"] == "female" else "He"),
        "she": lambda draw, who, day: Planted("she" if who["sex"] == "female" else "he"),
        "her": lambda draw, who, day: Planted("her" if who["sex"] == "female" else "his"),
        "woman": lambda draw, who, day: Planted(
            "woman" if who["sex"] == "female" else "man", "sex", "words", "person"
        ),
        "wrong_card": trap(lambda draw: card(draw, right=False)),
        "wrong_account": trap(lambda draw: account(draw, right=False)),
        "number": trap(lambda draw: draw.figures("7########")),
    }


class Style(NamedTuple):
    """How one kind of author writes: an opening, sentences to choose from, an end."""

    openings: Sequence[str]
    sentences: Sequence[str]
    ends: Sequence[str]


def family(draw: Draw) -> str:
    """A family name of syllables, or one that is a word."""
    if draw.whole(1, 8) == 1:
        return str(draw.pick(WORDS["word_names"]))
    return "".join(
        draw.pick(part.split() if isinstance(part, str) else part) for part in SYLLABLES
    )


def person(seed: int, j: int) -> dict[str, Any]:
    """One person who does not exist."""
    draw = Draw(seed, 0, j)
    sex = draw.pick(["female", "male"])
    given = draw.pick(FEMALE if sex == "female" else MALE, falling=True)
    age = min(97, 20 + draw.whole(0, 60) + draw.whole(0, 18))
    month = draw.pick([month for month in range(1, 13) if month != 11])
    year = FIRST_DAY.year - age - (month > 11)
    place = draw.pick(range(len(PLACES) // 2), falling=True)
    letters = "CIKMOV"  # which no postcode ends in
    end = f"{draw.whole(0, 9)}{draw.pick(letters)}{draw.pick(letters)}"
    return {
        "person": j,
        "name": f"{given} {family(draw)}",
        "sex": sex,
        "age": age,
        "born": date(year, month, draw.whole(1, 28)),
        "place": PLACES[2 * place],
        "postcode": f"{PLACES[2 * place + 1]}{draw.whole(1, 19)} {end}",
        "occupation": draw.pick(JOBS, falling=True),
        "illness": draw.pick(ILLNESSES, falling=True),
        "health_number": health_number(draw),
        "story": STORIES[j // 25] if j % 25 == 7 and j // 25 < len(STORIES) else "",
    }


def filled(template: str, fill: Mapping[str, Slot], *facts: Any) -> tuple[str, list[Any]]:
    """A sentence with its slots filled, and what was planted where."""
    text, found = "", []
    for piece in re.split(r"(\{\w+\})", template):
        if not piece.startswith("{"):
            text += piece
            continue
        one = fill[piece[1:-1]](*facts)
        start = len(text) + len(one.before)
        text += one.before + one.value + one.after
        if one.kind:
            found.append((one.kind, start, start + len(one.value), *one[2:4]))
    text = text[:1].upper() + text[1:]
    return text, [(kind, text[a:b], a, b, *rest) for kind, a, b, *rest in found]


def make(
    seed: int,
    styles: Mapping[str, Style],
    traps: Sequence[str],
    fill: Mapping[str, Slot],
    sizes: tuple[int, int] = (PEOPLE, NOTES),
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Notes, what is planted in them, and the people."""
    everyone = [person(seed, j) for j in range(sizes[0])]
    notes, truth, kinds = [], [], list(styles)
    for number in range(sizes[1]):
        draw = Draw(seed, 1, number)
        who = everyone[number % sizes[0]]
        # A second note about a person is of the other style.
        kind = kinds[(number // sizes[0] + (number % sizes[0]) % 2) % len(kinds)]
        style, day = styles[kind], FIRST_DAY + timedelta(days=draw.whole(0, 29))
        left = list(style.sentences)
        body = [left.pop(draw.whole(0, len(left) - 1)) for _ in range(draw.whole(4, 7))]
        body.insert(draw.whole(0, len(body)), draw.pick(traps, falling=True))
        if who["story"]:
            body.insert(draw.whole(0, len(body)), f"{{She}} {who['story']}.")
        text = ""
        for template in [draw.pick(style.openings), *body, draw.pick(style.ends)]:
            sentence, found = filled(template, fill, draw, who, day)
            at = len(text) + bool(text)
            truth += [(number, k, v, a + at, b + at, *rest) for k, v, a, b, *rest in found]
            text += " " * bool(text) + sentence
        notes.append((number, who["person"], kind, day, text))
    names = ["record", "kind", "value", "start", "end", "form", "meaning"]
    return (
        pd.DataFrame(notes, columns=["note", "person", "style", "day", "text"]),
        pd.DataFrame(truth, columns=names),
        pd.DataFrame(everyone),
    )


def main() -> None:
    """Write the files, by default beside this script."""
    out = Path(__file__).parent / (sys.argv[1] if len(sys.argv) > 1 else "notes.csv")
    styles = {name: Style(**parts) for name, parts in WORDS["styles"].items()}
    found = make(SEED, styles, TRAPS, slots(DATES, AGES, PHONES))
    for name, table in zip(("", "_truth", "_people"), found, strict=True):
        path = out.with_stem(out.stem + name)
        path.write_text(table.to_csv(index=False, lineterminator="\n"), encoding="utf-8")
        print(f"{path}: {len(table)} rows")


if __name__ == "__main__":
    main()
