"""JupyterLab and a browser, started once for the tests of a module."""

import shutil

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.needs import ROOT

expect.set_options(timeout=20_000)  # a kernel that draws on a busy machine


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab over a copy of the notebooks (it saves what it opens), in a spaced path."""
    folder = tmp_path_factory.mktemp("a b")
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    with Lab(folder) as lab:
        yield lab
