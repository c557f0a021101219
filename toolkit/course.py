"""Exercises that mark answers: right answers and usual mistakes are salted hashes.

A notebook asks a question, the reader replaces three dots with an answer, and `check` says
whether the answer is right or which mistake it is. `data/exercises` has a file for each
notebook, here `k-anonymity.toml`. Its name omits the notebook's number, which may change::

    [1]                       # the first exercise
    kind = "number"           # number, text, list or set
    places = 3                # decimals that count
    right = "9c0f…"           # result of `key("k-anonymity.1", answer)`
    wrong = [{key = "51ab…", say = "You divided by the classes, not by the records."}]

    [quiz.1]                  # first question of the quiz
    right = "77d2…"           # `key("k-anonymity.quiz.1", "b")`
    a = "No record is alone, but two share a class."   # reply to each choice
    b = "The smallest class counts."

Answers are rounded before they are hashed, so small differences in computing do not matter. A
hash hides an answer from the eye, but not from somebody who tries answers: a guess takes about
four milliseconds, so all whole numbers below 10,000, or all shares of four decimals, take less
than a minute, and the four letters of a quiz take no time at all. The salt is the name of an
exercise, which is public; it only makes equal answers of two exercises look different. If an
answer must have a property, the notebook shows the property. The replies to mistakes can be
read in the file, and may leave a reader with only one possible choice of a quiz.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import numbers
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ._arguments import check_choice
from .datasets import data_folder

KINDS = ("number", "text", "list", "set")

# Rounds of the hash: a guess costs about four milliseconds.
ROUNDS = 20_000

GREEK = str.maketrans({"α": "alpha", "β": "beta", "δ": "delta", "ℓ": "l", "ε": "epsilon"})
BARE = "without quotation marks and units"
NONE_YET = "No answer yet: put yours in place of the three dots."
UNKNOWN = "Not yet, and none of the usual mistakes: read the question once more."

# Usual mistakes with any number, and the function that corrects each.
USUAL: dict[str, Callable[[float], float]] = {
    "the sign is wrong": lambda x: -x,
    "give a share, not a percentage": lambda x: x / 100,
    "give a percentage, not a share": lambda x: 100 * x,
    "this is the share of the others": lambda x: 1 - x,
    "this is one divided by the answer": lambda x: 1 / x if x else math.nan,
}

Properties = Mapping[str, Callable[[Any], object]]


class Mark(NamedTuple):
    """The verdict on an answer, and a sentence about it."""

    right: bool
    say: str


class _Unlike(Exception):
    """An answer of the wrong kind; the message names the right kind."""


# Answers as texts


def _number(answer: Any, places: int, shift: float = 0.0) -> str:
    if isinstance(answer, (np.generic, np.ndarray, pd.Series)) and np.size(answer) == 1:
        answer = np.asarray(answer).item()
    if isinstance(answer, str):
        raise _Unlike(f"a number {BARE}")
    if isinstance(answer, bool) or not isinstance(answer, (numbers.Real, Decimal)):
        raise _Unlike("a number")
    try:
        value = float(answer) * 10**places
    except OverflowError:
        value = math.inf
    return str(round(value + shift)) if math.isfinite(value) else str(value)


def _text(answer: Any) -> str:
    if isinstance(answer, (bool, np.bool_)):
        return str(bool(answer)).casefold()
    if not isinstance(answer, str):
        raise _Unlike("a text in quotation marks")
    return " ".join(answer.casefold().split())


def _are_several(answer: Any) -> bool:
    return isinstance(answer, Iterable) and getattr(answer, "shape", None) != ()


def _values(answer: Any, kind: str) -> list[Any]:
    """Elements of a list or set; a set has no order, so it does not count as a list."""
    no_list = (str, bytes, pd.DataFrame, *((set, frozenset) if kind == "list" else ()))
    if not _are_several(answer) or isinstance(answer, no_list):
        raise _Unlike(f"a {kind}")
    return [*(answer.values() if isinstance(answer, Mapping) else answer)]


def _joined(answer: Any, kind: str, places: int) -> str:
    """Elements of a list or set, each a text or a number, as one text."""
    texts = (str, bool, np.bool_)
    try:
        parts = [
            _text(one) if isinstance(one, texts) else _number(one, places)
            for one in _values(answer, kind)
        ]
    except _Unlike as unlike:
        if str(unlike) == f"a {kind}":
            raise
        raise _Unlike(f"a {kind} of texts or numbers") from None
    return "\x1f".join(sorted(set(parts)) if kind == "set" else parts)


def _spellings(answer: Any, kind: str, places: int) -> list[str]:
    """Equivalent texts of an answer: arrows, hyphens and a full stop make no difference."""
    if kind == "number":
        return sorted({_number(answer, places, shift) for shift in (-0.01, 0.0, 0.01)})
    once = _text(answer) if kind == "text" else _joined(answer, kind, places)
    plain = re.sub(r"\.(?=\x1f|$)", "", once).translate(GREEK)
    plain = re.sub(r"\s*(?:->|=>|→|⇒|>)\s*", " > ", plain)
    ways = [plain, *(re.sub("(?<=[^> ])[_ -](?=[^> ])", sign, plain) for sign in "_- ")]
    if kind == "set":
        ways = ["\x1f".join(sorted(way.split("\x1f"))) for way in ways]
    return [*dict.fromkeys([once, *ways])]


def _hashed(exercise: str, text: str) -> str:
    salt = f"exercise {exercise}".encode()
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt, ROUNDS, 8).hex()


def _kind_of(answer: Any) -> str:
    if isinstance(answer, (str, bool, np.bool_)):
        return "text"
    if isinstance(answer, (set, frozenset)):
        return "set"
    return "list" if _are_several(answer) else "number"


def key(exercise: str, answer: object, kind: str | None = None, places: int = 0) -> str:
    """Hash of an answer, for writing exercises.

    Parameters
    ----------
    exercise : str
        Name of the notebook and number of the exercise, as in "k-anonymity.1": the salt.
    answer : object
        A number, a string, or a list or set of these.
    kind : {"number", "text", "list", "set"}, optional
        Kind of the answer; by default the kind that its type suggests.
    places : int
        Number of decimals that count.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    TypeError, ValueError
        If `answer` is not of the given kind, or the kind does not exist.

    Examples
    --------
    >>> key("toy.1", 0.1249, places=2) == key("toy.1", 0.12, places=2)
    True
    >>> key("toy.1", 3) == key("toy.2", 3)
    False
    """
    kind = check_choice(kind or _kind_of(answer), "kind", KINDS)
    try:
        text = _number(answer, places) if kind == "number" else ""
        return _hashed(exercise, text or _spellings(answer, kind, places)[0])
    except _Unlike as unlike:
        raise TypeError(f"answer must be {unlike}; got {answer!r}.") from None


@functools.cache
def _exercises(notebook: str) -> dict[str, Any]:
    path = data_folder() / "exercises" / f"{notebook}.toml"
    if not path.is_file():
        raise ValueError(
            f"there are no exercises of {notebook!r}; name one as in 'k-anonymity.1'."
        )
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _entry(exercise: str) -> dict[str, Any]:
    notebook, _, number = exercise.partition(".")
    entries = _exercises(notebook)
    found: Any = entries
    for part in number.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if not isinstance(found, dict) or "right" not in found:
        there = ", ".join(f"{notebook}.{name}" for name in entries if name != "quiz")
        raise ValueError(f"there is no exercise {exercise!r}; there are {there}.")
    entry: dict[str, Any] = found
    return entry


# Marks


def mark(exercise: str, answer: object, holds: Properties | None = None) -> Mark:
    """Say whether an answer is right and, if not, which mistake it is.

    Parameters
    ----------
    exercise : str
        Name of the notebook and number of the exercise, as in "k-anonymity.1".
    answer : object
        The answer; three dots stand for no answer.
    holds : mapping of str to function, optional
        Properties of a right answer, each a sentence and a function that returns True for
        such an answer, if answers differ from reader to reader. The first property that
        does not hold is named. Without `holds`, the hash in `data/exercises` decides.

    Returns
    -------
    Mark
        Whether the answer is right, and a sentence about it.

    Raises
    ------
    ValueError
        If there is no such exercise.

    See Also
    --------
    check : prints the sentence.

    Examples
    --------
    >>> mark("toy.1", [3, 4], {"the numbers rise": lambda a: a[0] < a[1]})
    Mark(right=True, say='Right.')
    >>> mark("toy.1", [4, 3], {"the numbers rise": lambda a: a[0] < a[1]}).say
    'Not yet. This must hold and does not: the numbers rise.'
    >>> mark("toy.1", ..., {"the numbers rise": lambda a: a[0] < a[1]}).right
    False
    """
    if answer is ...:
        return Mark(False, NONE_YET)
    if holds is not None:
        if not holds:
            raise ValueError("holds must have a property that a right answer has.")
        return _by_properties(answer, holds)
    entry = _entry(exercise)
    if "kind" not in entry:
        raise ValueError(f"{exercise} is a question of a quiz; quiz() says what is right.")
    kind, places, given = entry["kind"], entry.get("places", 0), answer
    try:
        if kind in ("list", "set"):
            given = _values(answer, kind)
        texts = _spellings(given, kind, places)
    except _Unlike as unlike:
        came = "nothing" if answer is None else f"of type {type(answer).__name__}"
        return Mark(False, f"Not yet: give {unlike}; this is {came}.")
    hashes = {_hashed(exercise, text) for text in texts}
    hint = (
        "" if kind == "text" else _form(given if isinstance(given, list) else [given], places)
    )
    if entry["right"] in hashes and not hint:
        return Mark(True, "Right.")
    for mistake in entry.get("wrong", []):
        if mistake["key"] in hashes:
            return Mark(False, f"Not yet. {mistake['say']}")
    if hint:
        return Mark(False, f"Not yet: {hint}.")
    for meant, slip in _meant(given, kind, places):
        if entry["right"] in {
            _hashed(exercise, one) for one in _spellings(meant, kind, places)
        }:
            return Mark(False, f"Nearly: {slip}.")
    return Mark(False, UNKNOWN)


def _meant(answer: Any, kind: str, places: int) -> Iterator[tuple[Any, str]]:
    """Answers that a reader may have meant, each with a sentence about the slip."""
    values = answer if kind == "list" else [answer]
    if kind not in ("number", "list") or len(values) > 4:
        return
    if kind == "list":
        yield from ((one, "only the order is wrong") for one in itertools.permutations(values))
    if any(isinstance(one, (str, bool, np.bool_)) for one in values):
        return
    plain = [float(np.asarray(one).item()) for one in values if abs(one) < 1e300]
    for slip, mend in USUAL.items():
        better = [mend(one) for one in plain]
        if len(better) == len(values) and all(abs(x) * 10**places >= 0.5 for x in better):
            yield better if kind == "list" else better[0], slip
    if kind == "number" and plain:
        for step in range(-5, 6) if places else (-1, 1):
            close = f"off by {abs(step)} in decimal {places}; round at the end only"
            yield plain[0] + step / 10**places, close if places else "this is off by one"


def _form(values: list[Any], places: int) -> str:
    """Hint about the form of numbers; empty if the form is right."""
    if not places and not all(map(_is_whole, values)):
        return "only whole numbers count here"
    texts = [one.strip() for one in values if isinstance(one, str)]
    if any(re.fullmatch(r"[+-]?\d+%|[+-]?\d*[.,]\d+ ?%?|[+-]?\d+ %", one) for one in texts):
        return f"give numbers {BARE}"
    return ""


def _is_whole(answer: Any) -> bool:
    if isinstance(answer, (str, bool, np.bool_, numbers.Integral)):
        return True
    text = _number(answer, 6)
    return not text.lstrip("-").isdigit() or int(text) % 10**6 == 0


def _by_properties(answer: object, holds: Properties) -> Mark:
    for sentence, property_of in holds.items():
        try:
            good = bool(property_of(answer))
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            return Mark(False, f"Not yet. It could not be checked that {sentence} ({why}).")
        if not good:
            return Mark(False, f"Not yet. This must hold and does not: {sentence}.")
    return Mark(True, "Right.")


def check(exercise: str, answer: object, holds: Properties | None = None) -> None:
    """Print the sentence of `mark` about an answer.

    Parameters
    ----------
    exercise : str
        Name of the notebook and number of the exercise, as in "k-anonymity.1".
    answer : object
        The answer; three dots stand for no answer.
    holds : mapping of str to function, optional
        Properties of a right answer, as in `mark`.

    Examples
    --------
    >>> check("toy.1", 7, {"it is even": lambda a: a % 2 == 0})
    Not yet. This must hold and does not: it is even.
    """
    print(mark(exercise, answer, holds).say)


def quiz(notebook: str, *choices: object) -> None:
    """Print a reply to each choice in a quiz, one line for each question.

    Parameters
    ----------
    notebook : str
        Name of the notebook without its number, as in "k-anonymity".
    *choices : str
        A letter for each question; three dots stand for no choice.

    Raises
    ------
    ValueError
        If there are more or fewer choices than questions.
    """
    questions = _exercises(notebook).get("quiz", {})
    if len(choices) != len(questions):
        raise ValueError(
            f"quiz of {notebook}: one letter for each of its {len(questions)} questions is"
            f" needed; got {len(choices)}."
        )
    for number, choice in enumerate(choices, 1):
        print(f"{number}: {_choice(f'{notebook}.quiz.{number}', choice).say}")


def _choice(question: str, choice: object) -> Mark:
    entry = _entry(question)
    if choice is ...:
        return Mark(False, "no choice yet.")
    letters = sorted(name for name in entry if len(name) == 1)
    letter = choice.strip().casefold() if isinstance(choice, str) else None
    if letter not in letters:
        return Mark(False, f"choose one of {', '.join(letters)}, in quotation marks.")
    right = _hashed(question, str(letter)) == entry["right"]
    return Mark(right, f"{'right' if right else 'no'}. {entry[str(letter)]}")
