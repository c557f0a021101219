"""JupyterLab and a browser, started once for the tests of a module."""

import shutil

import pytest

from tests.browser.lab import Lab
from tests.needs import ROOT


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab over a copy of the notebooks (it saves what it opens), in a spaced path."""
    folder = tmp_path_factory.mktemp("a b")
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    with Lab(folder) as lab:
        yield lab
