"""The explorer's page as a stranger meets it: another user, another page, a foreign name."""

import http.client
import re
from contextlib import closing
from urllib.parse import urlsplit

import pytest
import websocket

import dev
from tests.browser.lab import explorer_server

pytestmark = pytest.mark.xdist_group("page")  # they share one server


class Client:
    """Somebody who asks the server for what they like."""

    def __init__(self, served):
        self.served, self.netloc = served, urlsplit(served.address).netloc
        _, headers, page = self.ask(f"/?token={served.token}")
        self.cookie = "; ".join(one.split(";")[0] for one in headers.get_all("Set-Cookie"))
        self.kernel = re.search(r'"kernelId": "([\w-]+)"', page)[1]

    def ask(self, path, method="GET", **headers):
        """Status, headers and text of an answer."""
        with closing(http.client.HTTPConnection(self.netloc, timeout=90)) as connection:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")

    def connect(self, **options):
        """Open a connection to the kernel of the page."""
        place = f"ws://{self.netloc}/api/kernels/{self.kernel}/channels?session_id=1"
        with closing(websocket.create_connection(place, timeout=30, **options)):
            pass


@pytest.fixture(scope="module")
def client():
    """The server of `python3 dev.py explore`, and somebody who has its token."""
    with explorer_server("--no-browser") as served:
        yield Client(served)


def kernels(client) -> int:
    return client.served.log.read_text().count("Kernel started")


def test_without_its_token_no_page_and_no_kernel_is_served(client):
    before = kernels(client)
    for path in ("/", "/?token=", "/?token=wrong", f"/?token={client.served.token[:-1]}"):
        status, _, text = client.ask(path)
        assert status in (302, 403) and "kernelId" not in text, path
    ending = f"/voila/api/shutdown/{client.kernel}"
    assert client.ask(ending, "POST")[0] in (302, 403)
    for cookie in (None, "username=x"):
        with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
            client.connect(cookie=cookie)
    assert kernels(client) == before
    client.connect(cookie=client.cookie)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example"])
def test_a_foreign_name_is_refused_even_with_the_token(client, host):
    before = kernels(client)
    path = f"/?token={client.served.token}"
    assert client.ask(path, Host=host)[0] == 403
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        client.connect(cookie=client.cookie, host=host)
    assert kernels(client) == before


def test_the_connection_of_another_page_is_refused(client):
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        client.connect(cookie=client.cookie, origin="http://evil.example")


def test_the_page_listens_on_this_machine_alone_and_ends_idle_kernels(client):
    assert client.netloc.startswith("127.0.0.1:")
    log = client.served.log.read_text()
    assert "Culling kernels with idle durations > 600 seconds" in log


def test_a_page_that_is_closed_ends_its_kernel(client):
    token = re.search("_xsrf=([^;]+)", client.cookie)[1]
    sent = {"Cookie": client.cookie, "X-XSRFToken": token}
    assert client.ask(f"/voila/api/shutdown/{client.kernel}", "POST", **sent)[0] == 204
    assert "Kernel shutdown" in client.served.log.read_text()


def test_a_file_that_is_not_there_is_said_before_anything_starts(tmp_path):
    with pytest.raises(SystemExit, match="there is no file .*wart.csv"):
        dev.explore([str(tmp_path / "wart.csv"), "--no-browser"])
