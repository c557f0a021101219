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
import numbers
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ._arguments import check_choice
from .datasets import data_folder

KINDS = {  # of answers, and what a reader is asked to give
    "number": "a number, without quotation marks or units",
    "text": "a text in quotation marks",
    "list": "a list of texts or numbers",
    "set": "a set of texts or numbers",
}
BETWEEN = "\x1f"  # elements of a list or set
GREEK = str.maketrans({"α": "alpha", "β": "beta", "δ": "delta", "ℓ": "l", "ε": "epsilon"})
NONE_YET = "No answer yet: put yours in place of the three dots."
UNKNOWN = "Not yet, and none of the usual mistakes: read the question once more."

Properties = Mapping[str, Callable[[Any], object]]


class Mark(NamedTuple):
    """The verdict on an answer, and a sentence about it."""

    right: bool
    say: str


# Answers as texts


def _kind_of(answer: Any) -> str:
    if isinstance(answer, (str, bool, np.bool_)):
        return "text"
    if isinstance(answer, (set, frozenset)):
        return "set"
    return "list" if _are_several(answer) else "number"


def _are_several(answer: Any) -> bool:
    return isinstance(answer, Iterable) and getattr(answer, "shape", None) != ()


def _values(answer: Any, kind: str) -> list[Any]:
    """Strings, truth values and numbers of an answer; a set has no order, so it is no list."""
    values = [answer]
    if kind in ("list", "set"):
        no_list = (str, bytes, pd.DataFrame, *((set, frozenset) if kind == "list" else ()))
        if not _are_several(answer) or isinstance(answer, no_list):
            raise TypeError(f"give {KINDS[kind]}")
        values = [*(answer.values() if isinstance(answer, Mapping) else answer)]
    values = [_plain(value) for value in values]
    texts, number = (str, bool), (numbers.Real, Decimal)
    wanted = {"number": number, "text": texts}.get(kind, (*texts, *number))
    fit = [isinstance(value, wanted) for value in values]
    if not all(fit) or (kind == "number" and isinstance(values[0], bool)):
        raise TypeError(f"give {KINDS[kind]}")
    return values


def _plain(value: Any) -> Any:
    """A number of numpy or pandas, or an array that holds a single one, as one of Python."""
    arrays = (np.generic, np.ndarray, pd.Series)
    single = isinstance(value, arrays) and np.size(value) == 1
    return np.asarray(value).item() if single else value


def _rounded(number: Any, places: int, shift: float = 0.0) -> str:
    try:
        return str(round(float(number) * 10**places + shift))
    except (OverflowError, ValueError):  # too large, infinite or not a number
        return str(number)


def _written(values: list[Any], kind: str, places: int, shift: float = 0.0) -> str:
    """Values as one text: strings without capitals, numbers rounded."""
    parts = [
        " ".join(str(value).casefold().split())
        if isinstance(value, (str, bool))
        else _rounded(value, places, shift)
        for value in values
    ]
    return BETWEEN.join(sorted(set(parts)) if kind == "set" else parts)


def _hashes(exercise: str, values: list[Any], kind: str, places: int) -> set[str]:
    """Hashes of an answer: arrows, hyphens and a full stop make no difference."""
    if kind == "number":
        ways = [_written(values, kind, places, shift) for shift in (-0.01, 0.0, 0.01)]
    else:
        once = _written(values, kind, places)
        plain = re.sub(rf"\.(?={BETWEEN}|$)", "", once).translate(GREEK)
        plain = re.sub(r"\s*(?:->|=>|→|⇒|>)\s*", " > ", plain)
        signs = [re.sub("(?<=[^> ])[_ -](?=[^> ])", sign, plain) for sign in "_- "]
        ways = [once, *(_written(w.split(BETWEEN), kind, 0) for w in [plain, *signs])]
    return {_hashed(exercise, way) for way in ways}


def _hashed(exercise: str, text: str) -> str:
    """Hash of a text, in so many rounds that a guess costs about four milliseconds."""
    salt = f"exercise {exercise}".encode()
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt, 20_000, 8).hex()


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
    kind = check_choice(kind or _kind_of(answer), "kind", [*KINDS])
    return _hashed(exercise, _written(_values(answer, kind), kind, places))


@functools.cache
def _exercises(notebook: str) -> dict[str, Any]:
    path = data_folder() / "exercises" / f"{notebook}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _entry(exercise: str) -> dict[str, Any]:
    notebook, _, number = exercise.partition(".")
    entries = {name: entry for name, entry in _exercises(notebook).items() if name != "quiz"}
    if number not in entries:
        there = ", ".join(f"{notebook}.{name}" for name in entries)
        raise ValueError(f"there is no exercise {exercise!r}; there are {there}.")
    entry: dict[str, Any] = entries[number]
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
    if holds:
        return _by_properties(answer, holds)
    entry = _entry(exercise)
    kind, places = entry["kind"], entry.get("places", 0)
    try:
        values = _values(answer, kind)
    except TypeError as unlike:
        return Mark(False, f"Not yet: {unlike}; this is of type {type(answer).__name__}.")
    hashes = _hashes(exercise, values, kind, places)
    form = places or all(map(_is_whole, values))
    if entry["right"] in hashes and form:
        return Mark(True, "Right.")
    for mistake in entry.get("wrong", []):
        if mistake["key"] in hashes:
            return Mark(False, f"Not yet. {mistake['say']}")
    if not form:
        return Mark(False, "Not yet: only whole numbers count here.")
    return Mark(False, UNKNOWN)


def _is_whole(value: Any) -> bool:
    """True for what is not changed by rounding to whole numbers, but for errors of a float."""
    if isinstance(value, (str, numbers.Integral)):
        return True
    text = _rounded(value, 6)
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
        count = f"{len(questions)} letters are needed; got {len(choices)}"
        raise ValueError(f"quiz of {notebook}: {count}.")
    for number, choice in enumerate(choices, 1):
        print(f"{number}: {_choice(notebook, str(number), choice).say}")


def _choice(notebook: str, number: str, choice: object) -> Mark:
    entry = _exercises(notebook)["quiz"][number]
    if choice is ...:
        return Mark(False, "no choice yet.")
    letters = sorted(name for name in entry if len(name) == 1)
    letter = str(choice).strip().casefold()
    if letter not in letters:
        return Mark(False, f"choose one of {', '.join(letters)}, in quotation marks.")
    right = _hashed(f"{notebook}.quiz.{number}", letter) == entry["right"]
    return Mark(right, f"{'right' if right else 'no'}. {entry[letter]}")
