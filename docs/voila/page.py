"""Voila as `python3 dev.py explore` starts it: for nobody but the holder of the page's token.

Voila answers any client that reaches its port, under any name, and believes the lengths that a
message states. Here every handler, those of static files included, asks `refusal` first.
"""

import hmac
import html
import json
import struct
import sys
import threading
import webbrowser
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from jupyter_server.auth.identity import IdentityProvider
from tornado.websocket import WebSocketHandler
from traitlets import default
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler
from voila.tornado.kernel_websocket_handler import VoilaKernelWebsocketHandler

PROTOCOL = "v1.kernel.websocket.jupyter.org"
PARTS = 1000  # most parts of a message; a message that carries one file has seven
ENTER = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Privacy toolkit</title><script>location.replace({place})</script>
<noscript>The explorer needs JavaScript.</noscript>"""
OPENER = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={}">'


class Token(IdentityProvider):
    """A token, then a cookie of this session; no form in which a password could be set."""

    login_available = logout_available = False

    @default("cookie_options")
    def _of_this_session(self):
        return {"samesite": "Strict", "expires_days": None}

    def given(self, handler):
        """Whether the request itself carries the token."""
        return hmac.compare_digest(self.get_token(handler).encode(), self.token.encode())


def refusal(handler):
    """Reason for which a request is refused, or None."""
    page, headers = handler.settings["voila"], handler.request.headers
    host, origin = handler.request.host.lower(), headers.get("Origin")
    if host not in page.hosts():  # a foreign name may lead here: DNS rebinding
        return (
            "The page answers only at the address that was printed when it started;"
            " --Voila.custom_display_url=http://name:port/ gives it another one."
        )
    if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
        return "The request was made by another page."
    if not page.identity_provider.given(handler):
        # A page at another port of this machine has our cookie: cookies know no ports.
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return "The request was made by another page."
        if page.identity_provider.get_user_cookie(handler) is None:
            return "Open the address, with its token, that was printed when the page started."
    if isinstance(handler, WebSocketHandler) and PROTOCOL not in protocols(headers):
        # Voila reads messages of all protocols as if they were of this one.
        return f"The protocol of a connection must be {PROTOCOL}."
    return None


def protocols(headers):
    """Protocols that a client offers to speak."""
    offered = ",".join(headers.get_list("Sec-WebSocket-Protocol"))
    return [name.strip() for name in offered.split(",")]


def guarded(handler):
    """Return the handler with a check before all that it does."""

    class Guarded(handler):
        async def prepare(self):
            self.set_header("Referrer-Policy", "same-origin")
            if reason := refusal(self):
                self.set_status(403)
                self.set_header("Content-Type", "text/plain; charset=utf-8")
                self.set_header("X-Content-Type-Options", "nosniff")
                self.finish(reason)
                return
            waiting = super().prepare()
            if waiting is not None:
                await waiting
            if issubclass(handler, TornadoVoilaHandler) and "token" in self.request.arguments:
                # The cookie is set. The page is opened anew, in place of this address, so
                # that the token is in no history, link or environment of a kernel.
                self.set_header("Cache-Control", "no-store")
                self.finish(ENTER.format(place=json.dumps(self.base_url)))

    return Guarded


class Channel(VoilaKernelWebsocketHandler):
    """The way to a kernel, for messages whose parts are where they say."""

    def select_subprotocol(self, subprotocols):
        """Return the one protocol that is spoken here, whatever is configured."""
        return PROTOCOL

    def on_message(self, message):
        """Pass a message on, or end the connection if it is none."""
        if well_formed(message):
            super().on_message(message)
        else:
            self.close(1007, "not a message of the protocol")


def well_formed(message):
    """Whether the parts of a message lie within it, one after the other."""
    if not isinstance(message, bytes) or len(message) < 8:
        return False
    count = int.from_bytes(message[:8], "little")
    start = 8 * (count + 1)
    if not 6 <= count <= PARTS or start > len(message):  # channel, four parts, and the end
        return False
    offsets = struct.unpack_from(f"<{count}Q", message, 8)
    return [*offsets] == sorted([start, *offsets[1:-1], len(message)])


class Page(Voila):
    """Voila with a token, its own names, and no other clients."""

    auto_token, identity_provider_class = True, Token

    def hosts(self):
        """Names and ports at which the page answers: this machine's, and what it printed."""
        port = "" if self.port == 80 else f":{self.port}"
        own = {f"{name}{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        return own | {urlsplit(self.display_url).netloc.lower()}

    def init_settings(self):
        """Refuse to be open to all."""
        settings = super().init_settings()
        if not self.identity_provider.token:
            sys.exit("The page needs a token: leave it out, and one is made; or give one.")
        # `refusal` knows other pages by their origin; and Voila's own page, when it is closed,
        # ends its kernel by a request that names no cookie against forgery.
        return {**settings, "disable_check_xsrf": True}

    def init_handlers(self):
        """Guard every handler."""
        own = {VoilaKernelWebsocketHandler: Channel}
        return [
            (pattern, guarded(own.get(handler, handler)), *rest)
            for pattern, handler, *rest in super().init_handlers()
        ]

    def listen(self):
        """Hold a file that comes by a connection, and of any other request at most 1 MB.

        A body is read before the token is asked for, and nothing of the page sends one.
        """
        sizes = {"max_buffer_size": 512 * 2**20, "max_body_size": 2**20}
        self.app.listen = partial(self.app.listen, **sizes)
        super().listen()

    def launch_browser(self):
        """Open the page with its token, which is in a file: all users see command lines."""
        query = urlencode({"token": self.identity_provider.token})
        address = urlsplit(self.display_url)._replace(query=query).geturl()
        file = Path(self.connection_dir, "open.html")  # in a folder of this user alone
        file.write_text(OPENER.format(html.escape(address)), encoding="utf-8")
        try:
            browser = webbrowser.get(self.browser or None)
        except webbrowser.Error as error:
            self.log.warning("No browser was found (%s): open the address above.", error)
            return
        options = {"args": [file.as_uri()], "kwargs": {"new": self.webbrowser_open_new}}
        threading.Thread(target=browser.open, **options).start()


if __name__ == "__main__":
    Page.launch_instance()
