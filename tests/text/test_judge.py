"""Judges: answers read strictly, Krippendorff's alpha by hand and in print, known judges."""

import json
import socket
import socketserver
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st

import toolkit as tk
from toolkit.text.judges import (
    SCALES,
    WORDINGS,
    krippendorff_alpha,
    note_in,
    prompt_of,
    read_answer,
)

# One answer


READ = {"4: a rare trade": 4, " 1: nothing is said\n": 1, "5: 因为\nnobody else": 5}
UNREAD = {
    "empty": [" \n"],
    "no number": ["I cannot help with that.", "٤: an Arabic four"],
    "not from 1 to 5": ["6: all is said", "-3: less", "10: ten"],
    "no reason": ["4", "4: !!"],
    "not whole": ["3,5: between"],
    "another form": ["Score: 4, as a trade is named", "4/5: a rare trade", "4:no blank"]
    + ["9" * 10_000],
}


def test_a_number_with_a_reason_is_read_and_nothing_is_guessed():
    for answer, score in READ.items():
        assert read_answer(answer) == (score, answer.strip()[3:], "")
    for problem, answers in UNREAD.items():
        for score, *others in map(read_answer, answers):
            assert np.isnan(score) and others == ["", problem]


@given(st.text() | st.just("a\n=====\nAnswer 1: so.\n====="), st.sampled_from([*SCALES]))
def test_a_note_comes_out_of_its_prompt_as_it_went_in(note, scale):
    assert note_in(prompt_of(note, "Who is it?", scale)) == note


# Krippendorff's alpha


RATERS = "123321412... 1233224125.3 .3332342251. 12332441251."
IN_PRINT = pd.DataFrame({i: [*rater] for i, rater in enumerate(RATERS.split())})
IN_PRINT = IN_PRINT.replace(".", np.nan).astype(float)


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_in_print(level, alpha):
    """Krippendorff (2011), section D: the same data, three levels."""
    assert round(krippendorff_alpha(IN_PRINT, level), 3) == alpha


def by_pairs(ratings, level):
    """Alpha from its definition, pair by pair."""
    units = [[x for x in row if x == x] for row in ratings.to_numpy()]
    units = [unit for unit in units if len(unit) > 1]
    every = [x for unit in units for x in unit]

    def apart(c, k):
        if level != "ordinal":
            return float(c != k) if level == "nominal" else (c - k) ** 2
        between = sum(min(c, k) <= x <= max(c, k) for x in every)
        return (between - (every.count(c) + every.count(k)) / 2) ** 2

    def pairs(unit):
        return sum(apart(a, b) for a, b in permutations(unit, 2))

    seen = sum(pairs(unit) / (len(unit) - 1) for unit in units) / max(len(every), 1)
    chance, n = pairs(every), len(every)
    return 1 - seen / (chance / (n * (n - 1))) if chance else np.nan


RATINGS = st.lists(
    st.lists(st.sampled_from([1.0, 2.0, 4.0, np.nan]), min_size=3, max_size=3),
    min_size=1,
    max_size=6,
).map(pd.DataFrame)
LEVELS = ("nominal", "ordinal", "interval")


@given(RATINGS, st.sampled_from(LEVELS))
def test_alpha_is_its_definition(ratings, level):
    expected = by_pairs(ratings, level)
    np.testing.assert_allclose(krippendorff_alpha(ratings, level), expected, atol=1e-12)


# Judges whose agreement is known


NOTES = pd.Series([f"{'word ' * (1 + i % 5)}{i}" for i in range(60)], index=range(100, 160))
LEVELS = NOTES.str.split().str.len() - 1


def level(prompt):
    return len(note_in(prompt).split()) - 1


def turned(prompt):
    return SCALES["falling"] in prompt


def careful(prompt):
    """A judge that reads the scale."""
    words = level(prompt)
    return f"{6 - words if turned(prompt) else words}: as many words"


EFFECTS = ["test-retest", "wording: stranger", "turned scale", "uniqueness"]


def coin(seed):
    rng = np.random.default_rng(seed)
    return lambda prompt: f"{rng.integers(1, 6)}: the coin fell so"


def judged(ask, **options):
    rng = np.random.default_rng(7)
    return tk.judge_notes(NOTES, ask, rng=rng, resamples=200, progress=False, **options)


def value(judgements, effect):
    return judgements.agreement.set_index("effect").loc[effect]


def test_a_careful_judge_agrees_with_itself_and_the_count():
    found = judged(careful, uniqueness=LEVELS)
    assert found.agreement["effect"].tolist() == EFFECTS
    assert (found.agreement[["value", "lower", "upper"]].round(9) == 1).all(axis=None)
    assert (found.agreement["notes"] == 60).all()
    assert found.scores["score"].equals(LEVELS.astype(float))
    assert found.problems.empty


def test_a_coin_agrees_with_nothing():
    """Intervals of 99.99 %: a false alarm in about one of 2,000 seeds; the seed is fixed."""
    uniqueness = pd.Series(np.arange(60.0), NOTES.index)
    options = {"uniqueness": uniqueness, "confidence": 0.9999, "repeats": 4}
    found, again = (judged(coin(3), **options) for _ in range(2))
    assert (found.agreement["lower"] < 0).all() and (found.agreement["upper"] > 0).all()
    assert value(found, "test-retest")["value"] < 0.3
    assert (found.scores["answers"] == 4).all()
    assert (found.scores["lowest"] < found.scores["highest"]).mean() > 0.9
    pd.testing.assert_frame_equal(found.agreement, again.agreement)


def test_a_change_that_matters_lowers_the_agreement_with_the_first_answer():
    def deaf(prompt):  # does not read the scale, and is milder to strangers
        return f"{max(level(prompt) - (WORDINGS['stranger'] in prompt), 1)}: as many words"

    found = judged(deaf)
    for effect, changed in (
        ("wording: stranger", (LEVELS - 1).clip(lower=1)),
        ("turned scale", 6 - LEVELS),
    ):
        alpha = krippendorff_alpha(pd.DataFrame({0: LEVELS, 1: changed}))
        assert value(found, effect)["value"] == pytest.approx(alpha) and alpha < 0.9
    assert value(found, "test-retest")["value"] == 1


def test_every_call_is_counted_and_comes_in_a_random_order():
    asked = []
    wordings = {"a": "Who?", "b": "Which?", "c": "Whose?"}
    found = judged(
        lambda prompt: asked.append(prompt) or "3: so", repeats=3, wordings=wordings
    )
    assert len(asked) == len(found.answers) == 60 * (3 + 2 + 1)
    kinds = found.answers["effect"].value_counts().to_dict()
    assert kinds == {"test-retest": 180} | dict.fromkeys(
        ["wording: b", "wording: c", "turned scale"], 60
    )
    assert found.answers["record"].head(60).nunique() < 60, "rounds are mixed"
    assert found.answers["characters_asked"].tolist() == [*map(len, asked)]
    assert value(found, "test-retest").isna()["value"], "it never varies"
    assert repr(found) == "NoteJudgements of 60 notes, 360 calls"


def test_what_cannot_be_read_is_left_out_and_said():
    def mixed(prompt):
        words = level(prompt)
        return {1: "I refuse.", 2: "2", 3: "3: three"}.get(words, careful(prompt))

    found = judged(mixed)
    assert found.problems.to_dict() == {"no number": 48, "no reason": 48}
    assert found.scores["score"].isna().sum() == 24
    assert value(found, "test-retest")["notes"] == 36


def test_a_call_that_fails_is_counted_but_the_first_and_a_mistake_of_the_judge():
    calls = iter(range(10_000))

    def shaky(prompt):
        if next(calls) % 10 == 3:
            raise TimeoutError("too late")
        return careful(prompt)

    assert judged(shaky).problems.to_dict() == {"failed": 24}

    def broken(prompt):
        return careful(prompt) if next(calls) % 2 else {}[prompt]

    for ask, error in ((lambda prompt: open("/no"), OSError), (broken, KeyError)):
        with pytest.raises(error):
            judged(ask)


@pytest.mark.parametrize(
    ("notes", "ask", "options", "error", "message"),
    [
        (["a"], lambda prompt: 4.0, {}, TypeError, "ask must return a string; .* float"),
        (["a", None], careful, {}, ValueError, "notes must hold a text for each record"),
        (["a"], careful, {"uniqueness": pd.Series([1], [7])}, ValueError, "for each note"),
        (["a"], careful, {"uniqueness": pd.Series([1, 2], [0, 0])}, ValueError, "duplicate"),
        (["a"], careful, {"repeats": 1}, ValueError, "repeats must be a whole number in"),
        (["a"], careful, {"resamples": 1e3}, TypeError, "resamples must be a whole number in"),
        (["a"], careful, {"confidence": 95}, ValueError, "confidence must be a number in"),
        (["a"], careful, {"rng": 7}, TypeError, "rng must be a numpy.random.Generator"),
    ],
)
def test_what_is_refused(notes, ask, options, error, message):
    with pytest.raises(error, match=message):
        tk.judge_notes(notes, ask, **{"rng": np.random.default_rng(1)} | options)


# A server on this machine


class Handler(BaseHTTPRequestHandler):
    """Speaks the protocol, as far as the test wants it."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(body)))
        self.server.reply(self)

    def send(self, body, status=200, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, text in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@contextmanager
def serving(reply):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen, server.reply, server.daemon_threads = [], reply, True
    server.handle_error = lambda *_: None  # a client that hangs up is what is tested
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", server.seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def completion(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


def test_a_server_is_asked():
    notes = ["a", "é\ud800"]
    with serving(lambda one: one.send(completion("4: a rare trade"))) as (url, seen):
        ask = tk.ask_server(f"{url}/", "tiny", temperature=0.5, most_tokens=9, key="k 1")
        found = tk.judge_notes(notes, ask, rng=np.random.default_rng(1), progress=False)
    assert found.scores["score"].tolist() == [4, 4]
    path, headers, body = seen[0]
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer k 1"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("tiny", 0.5, 9)
    assert [part["role"] for part in body["messages"]] == ["user"]
    assert {note_in(sent["messages"][0]["content"]) for _, _, sent in seen} == {*notes}


REPLIES = [
    ("status 500", lambda one: one.send({}, 500)),
    ("status 302", lambda one: one.send(b"", 302, Location="http://example.org/")),
    ("status 404", lambda one: one.send({"error": "no such model: Mara"}, 404)),
    ("not a chat completion", lambda one: one.send(b"<html>")),
    ("not a chat completion", lambda one: one.send({"choices": []})),
    ("not a chat completion", lambda one: one.send(completion(None))),
    ("not a chat completion", lambda one: one.send(b"[" * 200_000)),
    ("not a chat completion", lambda one: one.send(b" " * (1 << 20) + b"{}")),
    ("", lambda one: one.connection.close()),
    ("BadStatusLine", lambda one: one.wfile.write(b"garbage\r\n\r\n")),
    ("", lambda one: one.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")),
]


@pytest.mark.parametrize(("why", "reply"), REPLIES)
def test_no_answer_is_one_clear_error_that_quotes_nothing(why, reply):
    with serving(reply) as (url, _), pytest.raises(ConnectionError) as error:
        tk.ask_server(url, "tiny", timeout=5)("Mara Lindqvist, 42")
    assert f"the server at {url} gave no answer: {why}" in str(error.value)
    assert "Mara" not in str(error.value)


def test_nothing_is_followed_elsewhere_and_no_proxy_is_asked(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(lambda one: one.send(completion("5: me"))) as (other, seen):
        away = lambda one: one.send(b"", 307, Location=f"{other}/chat/completions")  # noqa: E731
        with serving(away) as (url, _), pytest.raises(ConnectionError, match="status 307"):
            tk.ask_server(url, "tiny")("?")
        assert seen == [] and tk.ask_server(other, "tiny")("?") == "5: me"


def test_a_late_server_and_none():
    late = serving(lambda one: time.sleep(1.5))
    with late as (url, _), pytest.raises(ConnectionError, match="TimeoutError"):
        tk.ask_server(url, "tiny", timeout=0.3)("?")
    with socketserver.TCPServer(("127.0.0.1", 0), None) as free:
        port = free.server_address[1]
    with pytest.raises(ConnectionError, match="ConnectionRefusedError"):
        tk.ask_server(f"http://127.0.0.1:{port}", "tiny")("?")


REFUSED = dict.fromkeys(
    (
        "http://example.org/v1 https://api.openai.com/v1 http://127.0.0.1.example.org"
        " http://127.0.0.2 http://0.0.0.0:80 http://2130706433 http://[::ffff:7f00:1]"
    ).split(),
    "is not this machine",
) | dict.fromkeys(
    "http://me:secret@localhost/v1 http://x/v1?key=secret ftp://secret.example secret".split(),
    "url must be like",
)


@pytest.mark.parametrize(("url", "said"), REFUSED.items())
def test_other_machines_and_passwords_are_refused_and_not_quoted(url, said):
    with pytest.raises(ValueError, match=said) as error:
        tk.ask_server(url, "tiny")
    assert "secret" not in str(error.value)
    if "secret" not in url:
        assert callable(tk.ask_server(url, "tiny", allow_remote=True))


PARTS = ["localhost", "127.0.0.1", "[::1]", "example.org", "@", ":", "80", "%40", "/", "#"]
PARTS += ["\\", ".", "\t", "?", "//", "x"]


@example(["localhost", "localhost", "[::1]"])
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5))
def test_no_spelling_of_an_address_leads_to_another_machine(parts):
    asked = []

    def connect(address, *_):
        asked.append(address[0])
        raise ConnectionRefusedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "create_connection", connect)
        try:
            tk.ask_server(f"http://{''.join(parts)}", "tiny")("?")
        except (ValueError, ConnectionError):
            pass
    assert set(asked) <= {"localhost", "127.0.0.1", "::1"}
