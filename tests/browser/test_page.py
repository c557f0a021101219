"""The explorer's page as a stranger meets it: another user, another page, an odd client."""

import http.client
import json
import os
import re
import socket
import stat
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import websocket
import zmq
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import (
    deserialize_msg_from_ws_v1,
    serialize_msg_to_ws_v1,
)
from jupyterlab.commands import get_app_dir

import dev
from tests.browser.lab import answer, explorer_server, jupyterlab
from tests.needs import ROOT

pytestmark = pytest.mark.xdist_group("page")  # they share one server
PROTOCOL = "v1.kernel.websocket.jupyter.org"
CHANNELS = "/api/kernels/{}/channels?session_id=1"
PLACES = [
    "/",
    "/explorer.ipynb",
    "/login",
    "/logout",
    "/api/kernels/1-1-1-1-1",
    "/api/kernels/1-1-1-1-1/channels",
    "/voila/api/shutdown/1-1-1-1-1",
    "/voila/api/themes/a.css",
    "/voila/files/a.png",
    "/voila/labextensions/a.js",
    "/voila/static/a.js",
    "/voila/templates/lab/static/voila.js",
]


class Client:
    """Somebody who asks the server for what they like."""

    def __init__(self, served, opened):
        self.served, self.opened = served, opened
        self.netloc = urlsplit(served.address).netloc
        _, headers, self.entrance = self.ask(f"/?token={served.token}")
        self.set_cookie = headers["Set-Cookie"]
        self.cookie = self.set_cookie.split(";")[0]
        _, _, self.page = self.ask("/", Cookie=self.cookie)
        self.kernel = re.search(r'"kernelId": "([\w-]+)"', self.page)[1]

    def ask(self, path, method="GET", **headers):
        """Status, headers and text of an answer."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPConnection(self.netloc, timeout=90)) as connection:
            connection.request(method, path, headers=given)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")

    @contextmanager
    def talk(self, **options):
        """Open a connection to the kernel."""
        given = {"cookie": self.cookie, "subprotocols": [PROTOCOL], "timeout": 30, **options}
        given = {name: value for name, value in given.items() if value is not None}
        connection = websocket.create_connection(
            f"ws://{self.netloc}{CHANNELS.format(self.kernel)}", **given
        )
        try:
            yield connection
        finally:
            connection.shutdown()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The server of `python3 dev.py explore`, with a browser that notes what it is given."""
    folder = tmp_path_factory.mktemp("browser")
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{folder}/given"\n')
    browser.chmod(0o755)
    with explorer_server(BROWSER=str(browser)) as served:
        yield Client(served, folder / "given")


def message(kind, content, *buffers):
    """Write a message on the shell channel, as the page does."""
    header = Session(username="x").msg_header(kind) | {"date": ""}
    metadata = {"version": "1.0.0"}  # of the protocol by which all states are asked for
    parts = [json.dumps(part).encode() for part in (header, {}, metadata, content)]
    return serialize_msg_to_ws_v1([*parts, *buffers], "shell")


def models(connection):
    """State of each model of the kernel, by its id."""
    to = "jupyter.widget.control"
    state = {"comm_id": "c", "target_name": to, "data": {}}
    connection.send_binary(message("comm_open", state))
    asked = {"comm_id": "c", "data": {"method": "request_states"}}
    connection.send_binary(message("comm_msg", asked))
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        _, parts = deserialize_msg_from_ws_v1(connection.recv())
        data = json.loads(parts[3]).get("data", {})
        if "states" in data:
            return {name: model["state"] for name, model in data["states"].items()}
    raise TimeoutError("the kernel does not say what its models are")


def test_without_its_token_nothing_is_served(client):
    for path in PLACES:
        for tail in ("", "?token=", "?token=wrong", f"?token={client.served.token[:-1]}"):
            status, _, text = client.ask(path + tail)
            assert (status, text[:8]) == (403, "Open the"), path + tail
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            assert client.ask(path, method)[0] == 403, (method, path)
        assert client.ask(path, Cookie=client.cookie.replace("|", "x"))[0] == 403
    assert client.served.log.read_text().count("Kernel started") == 1, "by who had the token"


@pytest.mark.parametrize(
    ("header", "value", "taken"),
    [
        ("Host", "evil.example", False),
        ("Host", "evil.example:{port}", False),
        ("Host", "127.0.0.1.evil.example:{port}", False),
        ("Host", "127.0.0.1:1", False),
        ("Host", "127.0.0.1", False),
        ("Host", "localhost:{port}", True),
        ("Host", "[::1]:{port}", True),
        ("Origin", "http://evil.example", False),
        ("Origin", "http://localhost:{port}", False),
        ("Origin", "http://127.0.0.1:1", False),
        ("Origin", "http://[", False),
        ("Origin", "null", False),
        ("Origin", "http://127.0.0.1:{port}", True),
    ],
)
def test_a_foreign_host_or_origin_is_refused_even_with_the_token(client, header, value, taken):
    value = value.format(port=client.netloc.split(":")[1])
    status, _, _ = client.ask(f"/?token={client.served.token}", **{header: value})
    assert status == (200 if taken else 403)
    if not taken:
        assert (
            client.ask("/voila/static/a", **{header: value, "Cookie": client.cookie})[0] == 403
        )
        with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
            with client.talk(**{header.lower(): value}):
                pass


@pytest.mark.parametrize("asks", ["cross-site", "same-site"])
def test_another_page_starts_and_ends_no_kernel(client, asks):
    before = client.served.log.read_text().count("Kernel started")
    assert client.ask("/", Cookie=client.cookie, Sec_Fetch_Site=asks)[0] == 403
    ending = f"/voila/api/shutdown/{client.kernel}"
    assert client.ask(ending, "POST", Cookie=client.cookie, Sec_Fetch_Site=asks)[0] == 403
    assert client.served.log.read_text().count("Kernel started") == before


def test_the_token_stays_at_the_door(client):
    assert "HttpOnly" in client.set_cookie and "SameSite=Strict" in client.set_cookie
    assert "expires" not in client.set_cookie.lower(), "it ends with the browser"
    assert 'location.replace("/")' in client.entrance and "kernelId" not in client.entrance
    assert client.served.token not in client.entrance + client.page + client.set_cookie
    for _ in range(100):  # the browser is started beside the server
        if client.opened.exists():
            break
        time.sleep(0.1)
    given = client.opened.read_text().strip()
    assert client.served.token not in given, "all users of a machine see command lines"
    file = Path(given.removeprefix("file://"))
    assert f"{client.served.address}/?token={client.served.token}" in file.read_text()
    assert stat.S_IMODE(file.parent.stat().st_mode) & 0o077 == 0, "nobody else can read it"


def test_a_page_open_to_all_is_not_started():
    with pytest.raises(RuntimeError, match="The page needs a token"):
        with explorer_server("--no-browser", "--Voila.token="):
            pass


def test_a_file_that_is_not_there_is_said_before_anything_starts(capsys, tmp_path):
    assert dev.explore([str(tmp_path / "wart.csv"), "--no-browser"]) == 2
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "there is no file" in said and "wart.csv" in said


@pytest.mark.parametrize(
    "options",
    [
        {"cookie": None},
        {"cookie": "username=x"},
        {"subprotocols": None},
        {"subprotocols": ["v0"]},
    ],
    ids=["no cookie", "another cookie", "no protocol", "another protocol"],
)
def test_a_connection_needs_the_cookie_and_the_protocol(client, options):
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        with client.talk(**options):
            pass


def test_a_body_is_not_held_for_a_stranger(client):
    """Three of them made the server hold 1.4 GB, without a token."""
    host, port = client.netloc.split(":")
    listening = [one for one in psutil.net_connections("tcp") if one.status == "LISTEN"]
    (server,) = {psutil.Process(one.pid) for one in listening if one.laddr.port == int(port)}
    before, most = server.memory_info().rss, 0
    asked = f"POST / HTTP/1.1\r\nHost: {client.netloc}\r\nOrigin: http://evil.example\r\n"
    with ExitStack() as stack:
        for size in ("Content-Length: 471859200", "Transfer-Encoding: chunked") * 2:
            stranger = stack.enter_context(socket.create_connection((host, port), 10))
            stranger.sendall(f"{asked}{size}\r\n\r\n".encode())
            with suppress(OSError):  # the server hangs up
                for _ in range(100):
                    stranger.sendall((b"100000\r\n" if "c" in size else b"") + bytes(2**20))
                    most = max(most, server.memory_info().rss)
    assert most - before < 30 * 2**20


@pytest.mark.ci
def test_a_file_of_200_mb_reaches_the_kernel_of_the_page(client):
    with client.talk(timeout=300) as connection:
        file = message("comm_msg", {"comm_id": "of nobody", "data": {}}, bytes(dev.UPLOAD))
        connection.send_binary(file)
        assert models(connection), "the server has not hung up"


@pytest.mark.full
def test_a_file_of_200_mb_reaches_a_kernel_of_jupyterlab(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(dev, "run", lambda command, **_: asked.extend(command))
    dev.lab([])
    (more,) = [option for option in asked if "websocket_max_message_size" in str(option)]
    code = "get_ipython().kernel.comm_manager.register_target("
    code += "'file', lambda comm, told: print(len(told['buffers'][0]), 'bytes'))"
    run = {"code": code, "silent": False, "store_history": False}
    file = {"comm_id": "a", "target_name": "file", "data": {}}
    with jupyterlab(tmp_path, more) as (address, token):
        kernel = answer(f"{address}/api/kernels?token={token}", method="POST")["id"]
        place = f"ws{address[4:]}{CHANNELS.format(kernel)}&token={token}"
        connection = websocket.create_connection(place, subprotocols=[PROTOCOL], timeout=300)
        connection.send_binary(message("execute_request", run))
        connection.send_binary(message("comm_open", file, bytes(dev.UPLOAD)))
        said = ""
        while "bytes" not in said:
            _, parts = deserialize_msg_from_ws_v1(connection.recv())
            said = json.loads(parts[3]).get("text", "")
        connection.shutdown()
    assert said.split() == [str(dev.UPLOAD), "bytes"]


def test_jupyterlab_asks_nobody_about_news(monkeypatch):
    monkeypatch.setattr(dev, "run", lambda *_, **__: 0)
    dev.lab([])
    read = Path(get_app_dir(), "settings", "overrides.json")
    assert read.read_text() == dev.NO_NEWS.read_text()


def counted(count, *offsets, body=b""):
    return b"".join(number.to_bytes(8, "little") for number in (count, *offsets)) + body


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0\0\0",
        b"\xff" * 64,
        counted(10**17, 1, 2, 3),
        counted(0),
        counted(6, 56, 57, 58, 59, 60, 10**18, body=b"x" * 40),
        counted(6, 56, 60, 58, 59, 57, 60, body=b"x" * 4),
        counted(6, 56, 57, 58, 59, 60, 61, body=b"\xff{{{{"),
        counted(6, 56, 61, 63, 65, 67, 69, body=b"shell" + b"{}" * 4),
        '{"channel": "shell"}',
        "[" * 100_000,
    ],
)
def test_no_message_ends_or_holds_up_the_server(client, sent):
    with client.talk() as connection:
        (connection.send if isinstance(sent, str) else connection.send_binary)(sent)
        begin = time.monotonic()
        assert client.ask("/voila/static/a", Cookie=client.cookie)[0] in (403, 404)
        assert time.monotonic() - begin < 5
        try:
            while connection.recv_data()[0] != websocket.ABNF.OPCODE_CLOSE:
                pass  # what the kernel said when the connection was opened
        except websocket.WebSocketConnectionClosedException:
            pass  # without a word
    with client.talk() as connection:
        assert models(connection), "who speaks the protocol is answered as before"


def visible_files(folder):
    """Names in a folder but those of caches, which other checks may be writing now."""
    caches = re.compile(r"build|\.hypothesis|\.coverage.*|\.\w+_cache").fullmatch
    return sorted(name for name in os.listdir(folder) if not caches(name))


def test_whatever_a_client_sets_no_file_is_read_or_written(client, tmp_path):
    """Every text of every model is set to a path, and the upload to hostile names."""
    secret = tmp_path / "secret.csv"
    secret.write_text("swordfish,age\n" + "".join(f"trout{i},{i}\n" for i in range(9)))
    folders = ROOT, ROOT / "notebooks", tmp_path
    before = [visible_files(folder) for folder in folders]
    with client.talk() as connection:
        found = models(connection)
        assert len(found) > 50
        assert not any(
            state["_model_name"] in ("TextModel", "ComboboxModel") for state in found.values()
        ), "the page has no field for a path, nor a model of one"
        for name, state in found.items():
            names = [key for key, value in state.items() if isinstance(value, str)]
            if state["_model_name"].endswith(("LayoutModel", "StyleModel")):
                continue  # which no Python listens to
            for key in (key for key in names if not key.startswith("_")):
                new = {key: str(secret)}
                data = {"method": "update", "state": new, "buffer_paths": []}
                connection.send_binary(message("comm_msg", {"comm_id": name, "data": data}))
        upload = next(n for n, s in found.items() if s["_model_name"] == "FileUploadModel")
        for name in (
            str(secret),
            "..",
            "../../planted.csv",
            "a\0b.csv",
            "\ud800.csv",
            "*",
            "a.csv",
        ):
            file = {"name": name, "type": "", "size": 9, "last_modified": 0}
            for content in ({}, {"content": 9}, {"content": str(secret)}):
                new = {"value": [file | content]}
                data = {"method": "update", "state": new, "buffer_paths": []}
                connection.send_binary(message("comm_msg", {"comm_id": upload, "data": data}))
            paths = {"buffer_paths": [["value", 0, "content"]]}
            data = {"method": "update", "state": {"value": [file]}, **paths}
            content = {"comm_id": upload, "data": data}
            connection.send_binary(message("comm_msg", content, b"a,b\n1,2\n1,3\n"))
        after = json.dumps(models(connection))
    assert "2 records, 2 columns" in after, "what is given to the page it reads"
    assert "swordfish" not in after and "trout" not in after
    assert [visible_files(folder) for folder in folders] == before


def test_kernels_end_when_nobody_is_there_and_speak_to_their_server_alone(client):
    log = client.served.log.read_text()
    assert "Culling kernels with idle durations > 600 seconds at 60 second" in log
    folder = Path(re.search(r"Storing connection files in (\S+)\.\n", log)[1])
    assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0
    known = json.loads((folder / f"kernel-{client.kernel}.json").read_text())
    with zmq.Context() as context, context.socket(zmq.SUB) as stranger:
        stranger.setsockopt(zmq.SUBSCRIBE, b"")
        stranger.setsockopt(zmq.LINGER, 0)
        stranger.connect(f"tcp://127.0.0.1:{known['iopub_port']}")
        time.sleep(0.5)
        with client.talk() as connection:
            assert models(connection)
        assert not stranger.poll(1000), "who knows the port reads no result"
