"""The two tables of PrivacyHistos: where they are not at hand, tests of them are skipped."""

import os
from pathlib import Path

import pytest

from toolkit import datasets

FOLDER = os.environ.get(datasets.DIRECTORY, "")
NAMES = ("ground_truth_test.csv", "ground_truth_detroit.csv")
AT_HAND = bool(FOLDER) and all(
    any((Path(FOLDER) / place).is_file() for place in datasets.PUBLIC[name].places)
    for name in NAMES
)
needs_tables = pytest.mark.skipif(
    not AT_HAND, reason="PRIVACY_TOOLKIT_DATA names no directory with PrivacyHistos' tables"
)
