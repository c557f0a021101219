"""A language model as a judge: a server on this machine that speaks OpenAI's protocol.

A note that is sent somewhere has left the house, so any other machine is refused unless it is
named on purpose, no redirect is followed, and no proxy is asked. No model comes with the
toolkit.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import math
import re
import socket
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from .._validation import check_whole, number
from .judges import Answer

__all__ = ["ask_server"]


HERE = ("localhost", "127.0.0.1", "::1")


LONGEST_ANSWER = 1 << 20
"""Bytes of a response that are read; a longer one is refused."""


def ask_server(
    url: str,
    model: str,
    *,
    allow_remote: bool = False,
    timeout: float = 60.0,
    temperature: float = 0.0,
    most_tokens: int = 200,
    key: str | None = None,
) -> Callable[[str], Answer]:
    """Make a judge for `judge_notes` of a server that speaks OpenAI's chat protocol.

    Parameters
    ----------
    url : str
        Where its interface begins, such as "http://localhost:8080/v1"; the judge posts to
        `url` + "/chat/completions".
    model : str
        Name of the model, as the server knows it.
    allow_remote : bool
        Whether the server may be another machine. Every note is then sent there.
    timeout : float, default 60
        Seconds after which an answer is given up, however slowly it trickles in.
    temperature : float, default 0
        How random the answers are to be, from 0 to 2. Even 0 does not make a server repeat
        itself, which is what `judge_notes` measures.
    most_tokens : int, default 200
        Longest answer, in tokens.
    key : str, optional
        Sent as a bearer token, if the server asks for one.

    Returns
    -------
    callable
        Takes a prompt, sends nothing else, and returns an `Answer` with the tokens that the
        server says it took. It raises `TimeoutError` or `ConnectionError` if there is no
        answer; neither quotes what was sent or received.

    Raises
    ------
    TypeError, ValueError
        If the address is another machine's and `allow_remote` is not set, or no address.

    Examples
    --------
    >>> judge = ask_server("http://localhost:8080/v1", "any-model")
    >>> ask_server("http://example.org/v1", "any-model")
    Traceback (most recent call last):
        ...
    ValueError: url: 'example.org' is not this machine (localhost, 127.0.0.1, ::1), and a note
    that is sent there has left the house. If that is allowed, say allow_remote=True.
    """
    secure, host, port, path = _address(url, allow_remote)
    if not isinstance(model, str) or not model:
        raise TypeError(f"model must be the name that the server knows; got {model!r:.80}.")
    number(timeout, "timeout", "(0, 86400]", "seconds to wait, up to a day")
    number(temperature, "temperature", "[0, 2]", "a number from 0 to 2")
    check_whole(most_tokens, "most_tokens", 1, 10**6, "the longest answer")
    if key is not None and not (isinstance(key, str) and key.isascii() and key.isprintable()):
        raise TypeError("key must be a text of printable ASCII signs, or None.")
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    settings = {"model": model, "temperature": temperature, "max_tokens": most_tokens}

    def ask(prompt: str) -> Answer:
        body = {**settings, "messages": [{"role": "user", "content": prompt}]}
        connection = kind(host, port, timeout=timeout)
        late = threading.Event()
        watch = threading.Timer(timeout, _hang_up, [connection, late])
        watch.daemon = True
        try:
            watch.start()
            connection.connect()
            if not allow_remote:
                _check_peer(connection.sock, host)
            connection.request("POST", path, json.dumps(body).encode(), headers)
            with connection.getresponse() as response:
                came = response.read(LONGEST_ANSWER + 1)
        except (OSError, http.client.HTTPException) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise TimeoutError(_no_answer(url, f"none within {timeout:g} s")) from None
            raise ConnectionError(_no_answer(url, type(error).__name__)) from None
        finally:
            watch.cancel()
            connection.close()
        if late.is_set():
            raise TimeoutError(_no_answer(url, f"none within {timeout:g} s"))
        if response.status != 200:
            raise ConnectionError(_no_answer(url, f"status {response.status}"))
        return _read(url, came)

    return ask


def _address(url: Any, allow_remote: bool) -> tuple[bool, str, int, str]:
    """Whether it is encrypted, the machine, its port, and the path to post to."""
    wanted = "url must be an address such as http://localhost:8080/v1"
    if not isinstance(url, str):
        raise TypeError(f"{wanted}; got {type(url).__name__}.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{wanted}; got {_without_secrets(url)}.") from None
    more = parts.username is not None or parts.query or parts.fragment
    plain = f"[{host}]" if host and ":" in host else host
    odd = parts.netloc.lower() != (f"{plain}:{port}" if port is not None else plain)
    if parts.scheme not in ("http", "https") or not host or more or odd or not _is_plain(url):
        raise ValueError(
            f"{wanted}, without user, query or blanks; got {_without_secrets(url)}."
        )
    if not allow_remote and host not in HERE:
        raise ValueError(
            f"url: {host!r} is not this machine ({', '.join(HERE)}), and a note that is sent"
            f" there has left the house. If that is allowed, say allow_remote=True."
        )
    secure = parts.scheme == "https"
    port = port if port is not None else 443 if secure else 80
    return secure, host, port, f"{parts.path.rstrip('/')}/chat/completions"


def _without_secrets(url: str) -> str:
    """An address for a message: what stands before an @ or behind a ? may be a password."""
    shown = re.sub(r"[^/]*@", "…@", url.partition("?")[0] + "?…" * ("?" in url))
    return f"{shown!r:.120}"


def _is_plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url


def _check_peer(peer: socket.socket, host: str) -> None:
    """Refuse a machine elsewhere that is called localhost."""
    address = str(peer.getpeername()[0])
    if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        raise ConnectionError(f"{host} is not this machine")


def _hang_up(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a call whose time is over, wherever it waits."""
    late.set()
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended by itself
            pass


def _no_answer(url: str, why: str) -> str:
    return f"the server at {url} gave no answer: {why}."


def _read(url: str, came: bytes) -> Answer:
    """The text of a response and the tokens it took."""
    if len(came) > LONGEST_ANSWER:
        raise ConnectionError(_no_answer(url, f"more than {LONGEST_ANSWER:,} bytes"))
    try:
        said = json.loads(came)
        text = said["choices"][0]["message"]["content"]
        used = said.get("usage") or {}
        tokens = [_tokens(used.get(name)) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ConnectionError(_no_answer(url, "not a chat completion")) from None
    if not isinstance(text, str):
        raise ConnectionError(_no_answer(url, "not a chat completion"))
    return Answer(text, *tokens)


def _tokens(count: Any) -> float:
    """A count that the server says, missing if it is no number."""
    told = isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53
    return float(count) if told else math.nan
