"""The static site, built once for the tests that read it, and a browser to read it with."""

import subprocess
import sys

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.lab import CHROMIUM_OPTIONS
from tests.needs import ROOT, chromium


@pytest.fixture(scope="session")
def site():
    """Folder of the site, built with warnings as errors; the figures of one lesson move."""
    command = [sys.executable, str(ROOT / "docs" / "build.py"), "01"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return ROOT / "build" / "site"


@pytest.fixture(scope="module")  # one of Playwright at a time in a process
def browser():
    """Chromium that is told to be offline."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_OPTIONS)
        context = started.new_context(
            viewport={"width": 1280, "height": 1000}, offline=True, reduced_motion="reduce"
        )
        yield context
        started.close()
