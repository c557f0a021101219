"""Things a test needs from the machine: without them it is skipped, and in CI it fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


def examples(number: int) -> int:
    """Random tables of a slow test: all of `number` in CI, in an ordinary run a share."""
    return max(number * min(settings.default.max_examples, 100) // 100, 1)


def need(thing, reason: str):
    """Return `thing`; where there is none, skip, or fail on a machine that promises it."""
    if not thing:
        (pytest.fail if IN_CI else pytest.skip)(reason)
    return thing


def command(name: str) -> str:
    """Path of a command, first among those of the environment that runs the tests."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return need(shutil.which(name, path=places), f"the command {name} is not installed")


def chromium() -> str:
    """Path of a Chromium: that of $CHROMIUM, else the first one on PATH."""
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    paths = [os.environ.get("CHROMIUM"), *map(shutil.which, names)]
    return need(next(filter(None, paths), None), "Chromium is not installed")


def tracked_files() -> list[Path]:
    """Files under version control, among them those added a moment ago."""
    listed = subprocess.run(
        [command("git"), "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    need(listed.returncode == 0, "the folder is no git clone")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def copy_of_the_clone(folder: Path) -> Path:
    """Copy of the project as a clone has it."""
    for path in tracked_files():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder
