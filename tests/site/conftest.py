"""The static site, built once for the tests that read it, and a browser to read it with."""

import subprocess
import sys

import pytest

from tests.browser.lab import chromium_context
from tests.needs import ROOT


@pytest.fixture(scope="session")
def site():
    """Folder of the site, built with warnings as errors; the figures of one lesson move."""
    code = "from docs import build; raise SystemExit(build.main(['01'], most=24))"
    command = [sys.executable, "-c", code]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return ROOT / "build" / "site"


@pytest.fixture(scope="module")
def browser():
    """Chromium that is told to be offline."""
    with chromium_context(1280, 1000, offline=True) as context:
        yield context
