"""A real JupyterLab and a real Chromium, for tests that look at what a student sees.

`with Lab(folder) as lab` starts both; `page = lab.open("notebook.ipynb")` and `page.run_all()`
run a notebook; `page.slider("n (%)").press("ArrowRight")` plays with a widget of it.
`with explorer_server("--no-browser") as served` serves the page of `python3 dev.py explore`,
and `Explorer(lab, served).open()` opens it.
"""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.needs import ROOT, chromium

SCREENSHOTS = ROOT / "build" / "screenshots"
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SETTINGS = {  # every cell is on the page, even one out of sight; nobody asks about news
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": json.loads(
        (ROOT / "binder/overrides.json").read_text()
    )["@jupyterlab/apputils-extension:notification"],
}
DIGEST = """async image => {
    const bytes = await (await fetch(image.src)).arrayBuffer();
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return Array.from(new Uint8Array(digest)).join();
}"""


@contextmanager
def running(command: list, own: str, started, stop=signal.SIGTERM, seconds=90, **environment):
    """What `started` says once a server answers; its settings and its log lie in `own`."""
    private = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    private += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    environment = {**{name: str(Path(own, name)) for name in private}, **environment}
    log = Path(own, "log")
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + seconds
        while not (found := started(log)):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command} did not start:\n{log.read_text()}")
            time.sleep(0.2)
        yield found
    finally:
        for sign in (stop, signal.SIGKILL):  # the first ends the kernels, too
            if server.poll() is None:
                os.killpg(server.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                server.wait(20)


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def jupyterlab(folder: Path):
    """Server on 127.0.0.1 that shows `folder` and knows nothing of the user's settings."""
    port, token = free_port(), secrets.token_hex(16)
    address = f"http://127.0.0.1:{port}"
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": token,
        "KernelManager.transport_encryption": "auto",
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    command = ["-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        for name, values in SETTINGS.items():
            place = Path(own, "JUPYTERLAB_SETTINGS_DIR", "@jupyterlab")
            path = place / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        with running(command, own, lambda log: answer(f"{address}/api?token={token}")):
            yield address, token


class Served(NamedTuple):
    """The page of the explorer: where it is, what opens it, and what its server says."""

    address: str
    token: str
    log: Path


@contextmanager
def explorer_server(*arguments: str, **environment: str):
    """`python3 dev.py explore` with these arguments, at the address that it prints."""
    given = [*arguments, f"--port={free_port()}", "--Voila.port_retries=0"]
    command = ["-c", f"import dev; dev.explore({given})"]

    def started(log: Path):
        found = re.search(r"(http://\S+)/\?token=(\w+)", log.read_text())
        return found and Served(found[1], found[2], log)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        with running(command, own, started, signal.SIGINT, **environment) as served:
            yield served


def answer(url: str, method: str = "GET"):
    """What the server answers, or None while it does not (a busy one may say 500)."""
    try:
        asked = urllib.request.Request(url, method=method)
        with urllib.request.urlopen(asked, timeout=5) as got:
            return json.loads(got.read() or "{}")
    except OSError:
        return None


@contextmanager
def chromium_context(width: int, height: int, **options):
    """Pages of a Chromium, which may be told to be offline; one at a time in a process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_OPTIONS)
        size = {"width": width, "height": height}
        yield browser.new_context(viewport=size, reduced_motion="reduce", **options)
        browser.close()


class Lab:
    """JupyterLab over a folder, and a browser to open its notebooks with."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __enter__(self):
        with ExitStack() as stack:
            self.context = stack.enter_context(chromium_context(1280, 1000))
            self.address, self.token = stack.enter_context(jupyterlab(self.folder))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self.stack.close()

    def open(self, notebook: str) -> "OpenNotebook":
        """Open a notebook in place of others, and wait until its kernel is at rest."""
        assert Path(self.folder, notebook).is_file(), f"there is no {notebook}"
        for page in self.context.pages:
            page.close()
        for kernel in answer(f"{self.address}/api/kernels?token={self.token}") or []:
            kernel_api = f"{self.address}/api/kernels/{kernel['id']}?token={self.token}"
            answer(kernel_api, method="DELETE")
        return OpenNotebook(self, self.context.new_page(), notebook)


class Explorer:
    """The explorer's own page, for the browser of a `Lab`."""

    def __init__(self, lab: Lab, served: Served):
        self.context, (self.address, self.token, self.log) = lab.context, served

    def open(self) -> "OpenNotebook":
        """Open the page, and wait until its widgets are there."""
        return OpenPage(self, self.context.new_page(), "explorer.ipynb")


class OpenNotebook:
    """A notebook on a page of the browser, with all that the page asked from the network."""

    def __init__(self, lab: "Lab | Explorer", page: Page, notebook: str):
        self.lab, self.page, self.name = lab, page, Path(notebook).stem
        self.addresses: list[str] = []
        self.console_errors: list[str] = []
        page.set_default_timeout(60_000)
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("websocket", lambda socket: self.addresses.append(socket.url))
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        self.arrive(notebook)

    def arrive(self, notebook: str) -> None:
        """Go to the page of the notebook, and wait until it can be used."""
        page, lab = self.page, self.lab
        page.goto(f"{lab.address}/lab/tree/{notebook}?token={lab.token}&reset")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.panel.locator(".jp-Notebook").wait_for()
        self.wait_for_kernel()

    def _note(self, message) -> None:
        if message.type == "error":
            self.console_errors.append(message.text)

    def outside(self) -> list[str]:
        """Addresses that were asked for and are not on this machine."""
        port = self.lab.address.rsplit(":", 1)[1]
        inside = ("data:", "blob:", f"http://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/")
        return [address for address in self.addresses if not address.startswith(inside)]

    def wait_for_kernel(self, seconds: float = 60) -> None:
        """Ask the server: the page calls a kernel idle before it has answered for real."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            sessions = answer(f"{self.lab.address}/api/sessions?token={self.lab.token}") or []
            own = [s["kernel"] for s in sessions if Path(s["path"]).stem == self.name]
            if own and own[0]["execution_state"] == "idle" and own[0]["connections"] >= 1:
                return self.page.wait_for_timeout(500)
            self.page.wait_for_timeout(100)
        raise TimeoutError(f"the kernel is not idle after {seconds} s")

    def run_all(self, seconds: float = 180) -> None:
        """Restart-free run of all cells from the Run menu, to the last one."""
        starred = self.panel.locator(".jp-CodeCell .jp-InputPrompt", has_text="[*]")
        self.page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
        self.page.locator('li[data-command="runmenu:run-all"]').click()
        expect(starred.first).to_be_attached(timeout=10_000)
        expect(starred).to_have_count(0, timeout=1000 * seconds)
        # After a cell that fails, those below have no number; an empty last one never has.
        last = self.panel.locator(".jp-CodeCell:has(.cm-line:not(:empty))").last
        expect(last.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]:"))

    def control(self, kind: str, label: str) -> Locator:
        """First widget of a kind, "slider" or "dropdown", with the label."""
        named = self.page.get_by_text(label, exact=True)
        return self.panel.locator(f".widget-{kind}", has=named).first

    def slider(self, label: str) -> Locator:
        """Handle of a slider: `press("ArrowRight")` moves it."""
        return self.control("slider", label).locator(".noUi-handle")

    def dropdown(self, label: str) -> Locator:
        """Choice: `select_option(…)` changes it."""
        return self.control("dropdown", label).locator("select")

    def checkbox(self, label: str) -> Locator:
        """Box to tick: `press("Space")` changes it."""
        return self.control("checkbox", label).locator("input")

    def output(self, control: Locator) -> Locator:
        """Output that holds the control, and with it the figure and the text it changes."""
        return control.locator("xpath=ancestor::*[contains(@class,'jp-OutputArea-output')][1]")

    def seen(self, control: Locator) -> tuple[str, str]:
        """Digest of the figure and the text that belong to a control."""
        output = self.output(control)
        figure = output.locator("img.widget-image").first
        figure.wait_for()
        texts = output.locator(".widget-html-content").all_inner_texts()
        return figure.evaluate(DIGEST), "\n".join(texts)

    def wait_for_change(self, control: Locator, before: tuple[str, str]) -> tuple[str, str]:
        """What is seen once both figure and text are other than before."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            now = self.seen(control)
            if now[0] != before[0] and now[1] != before[1]:
                return now
            self.page.wait_for_timeout(100)
        raise AssertionError(f"figure or text did not change; the text is {now[1]!r}")

    def screenshot(self, name: str, of: Locator | None = None) -> Path:
        """Picture of the page, or of a part of it, in build/screenshots."""
        path = SCREENSHOTS / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        (of or self.page).screenshot(path=path)
        return path


class OpenPage(OpenNotebook):
    """The explorer's page: there is nothing to run, and no code."""

    def arrive(self, notebook: str) -> None:
        """Go to the page, which runs the notebook first."""
        self.page.goto(f"{self.lab.address}/?token={self.lab.token}", timeout=120_000)
        self.panel = self.page.locator("body")
        self.panel.locator("img.widget-image").first.wait_for(timeout=120_000)
