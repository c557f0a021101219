"""Templates and ways of writing that the bundled notes do not have: 200 notes to test on.

`data/make_notes.py` fills them, with another seed, for other people who do not exist.
"""

DATES = (
    "{d.day} {d:%b} {d.year}",
    "{d:%B} {d.day}",
    "{d.day}/{d.month}/{d.year}",
    "{d:%d-%m-%Y}",
    "{d:%m/%d/%Y}",
    "{d:%d.%m.%y}",
    "{d:%b} {d.day}, {d.year}",
    "{d.day}th of {d:%B} {d.year}",
    "{d:%B} {d.year}",
)
AGES = ("{} year-old", "{} years of age", "Aged {}", "Age {}", "{}yo", "{}y/o", "{} yrs old")
PHONES = (
    "(01632) 960 ###",
    "0044 7700 900###",
    "+44-7700-900-###",
    "212-555-01##",
    "07700-900###",
)
TRAPS = (
    "Young at heart, long in the tooth, as he likes to say.",
    "Mark has to be made before theatre; will discuss.",
    "Dr on call was bleeped twice.",
    "Peak flow 350-400, sats 94-96 on 2 litres, NEWS 2-3.",
    "Ratio 1:20, page 3/4, version 1.0.4b.",
    "Ms as charted, Mr Fluffy is the cat.",
    "The receipt shows {wrong_card} and is not valid.",
    "The bank returned {wrong_account} as unknown.",
    "Room 4.12, locker {number}, code 0000.",
    "She may come in march or april, sun permitting.",
)
LETTER = {
    "openings": (
        "Dear {staff}, thank you for sending {titled}, {age}, whom I saw in {place}.",
        "Re: {full}, born {born}, {postcode}. {health}.",
        "Seen in clinic: {full} ({age}); {id}; {illness}.",
    ),
    "sentences": (
        "The history goes back to {earlier}, when {illness} was first named.",
        "I have asked {staff} to see {her} around {later}.",
        "The family can be called: {phone}.",
        "Messages may be left at <{email}>.",
        "Patient leaflet: {url}",
        "Insurance abroad is under {social} in France.",
        "A refund of {money} went to {account} last week.",
        "The fee ({money}) was put on {card}.",
        "Please note {health}, {id}.",
        "Work as a {job} is no longer possible.",
        "Lives in {place} ({postcode}) with a sister, {relative}.",
        "Examination was unremarkable; the plan was explained and agreed.",
    ),
    "ends": ("Yours, {staff}", "Dictated {day}, not read.", "cc {titled}, {postcode}"),
}
CALLS = {
    "openings": (
        "{day}: {relative} called about {titled}.",
        "[{day}] {full} / {postcode} / {phone}",
        "Duty desk, {day}. Caller gave the name {full} and the date {born}.",
    ),
    "sentences": (
        "Wants a call back on {phone}, not before {later}.",
        "Says the debt is {money}; card used was {card};",
        "owes {money} since {earlier}, IBAN {account}.",
        "E-mail: {email}; web: {url}, asked for a form.",
        "Quoted {id} and {health}",
        "{She} is {age}, was a {job}.",
        "French cover: {social}!",
        "Spoke to {staff} as well.",
        "Neighbours heard nothing unusual, lights were on, curtains open.",
        "Moved to {postcode} on {earlier}.",
    ),
    "ends": ("Closed.", "To {staff} by {later}.", "Second call due {later}"),
}
