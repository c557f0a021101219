"""The static site, built once for the tests that read it."""

import subprocess
import sys

import pytest

from tests.needs import ROOT


@pytest.fixture(scope="session")
def site():
    """Folder of the site, built with warnings as errors."""
    command = [sys.executable, str(ROOT / "docs" / "build.py")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return ROOT / "build" / "site"
