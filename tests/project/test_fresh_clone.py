"""A newcomer's first hour, rehearsed: the README's commands, and Binder's environment.

Both install from the network, so they run with `python3 dev.py test --full` only.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dev
from tests.needs import ROOT, command, copy_of_the_clone, need

pytestmark = pytest.mark.full
README, *OTHERS = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/index.md", "docs/custodians.md", "docs/lecturers.md")
)
BLOCKS = re.findall(r"^```sh\n(.*?)^```", "\n".join([README, *OTHERS]), flags=re.M | re.S)
IN_TEXT = [f"python3 dev.py {task}" for task in ("site", "reproduce 1", "python treatment.py")]
KIT = ("solutions", "pdf", "nbgrader")
IN_TEXT += [f"python3 dev.py handout 4 --{option}" for option in KIT]
UNTIL = {  # what shows that a line works that ends by Ctrl-C, or after many minutes
    "dev.py lab": r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/index\.ipynb\?token=\w+\s*$",
    "dev.py explore": r"http://127\.0\.0\.1:\d+/\S*token=\w+",
    "dev.py test": "All checks passed!",
    "pytest --nbval notebooks": r"01-cell-information-gain\.ipynb \.{20}",
}
CLONE = re.search(r"^git clone (\S+)$", README, flags=re.M)
ROWS = [
    f"{age},{sex},{place},{ill}"
    for age in (30, 40)
    for sex in "fm"
    for place in ("A1", "B2")
    for ill in ("flu", "cold")
    for _ in range(3)
]
SAVE = """
from pathlib import Path
from toolkit.report.explorer import table_explorer
box = table_explorer()
box.open_table(Path("my.csv"))
print(box.code.value)
"""
PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""  # in a process of its own: a child counts what the process that forks it has held


def megabytes(folder: Path) -> float:
    """Size of the files of a folder, those of two names once."""
    files = {(at := path.lstat()).st_ino: at.st_size for path in folder.rglob("*")}
    return sum(files.values()) / 1e6


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder, and an environment as it is outside the project's own.

    In it the repository's address leads to the files of this clone.
    """
    folder = tmp_path_factory.mktemp("a home")
    origin = copy_of_the_clone(folder / "origin")
    given = {"user.name": "a", "user.email": "a@example.org"}
    given[f"url.{origin.as_uri().replace('%20', ' ')}.insteadOf"] = CLONE[1]
    env = dict(os.environ, HOME=str(folder), BROWSER="true", GIT_CONFIG_COUNT=str(len(given)))
    for number, (name, value) in enumerate(given.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "PRIVACY_TOOLKIT_DATA", "PYTEST_ADDOPTS"):
        env.pop(name, None)
    own = str(Path(sys.executable).parent)
    env["PATH"] = os.pathsep.join(p for p in env["PATH"].split(os.pathsep) if p != own)
    uv = subprocess.run([command("uv"), "cache", "dir"], capture_output=True, text=True)
    env["UV_CACHE_DIR"] = uv.stdout.strip()
    for asked in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run([command("git"), *asked], cwd=origin, env=env, check=True)
    need(shutil.which("python3", path=env["PATH"]), "there is no python3 outside .venv")
    return folder, env


def follow(line: str, folder: Path, env: dict[str, str]) -> str:
    """Run a line of shell as written; return all that it said."""
    until = next((sign for task, sign in UNTIL.items() if task in line), None)
    log = folder.parent / "log"
    with log.open("w") as output:
        shell = subprocess.Popen(
            ["sh", "-c", line],
            cwd=folder,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + 1200
    seen = False
    while shell.poll() is None and not seen and time.monotonic() < deadline:
        time.sleep(0.2)
        seen = bool(until and re.search(until, log.read_text()))
    if shell.poll() is None:
        os.killpg(shell.pid, signal.SIGINT)
        try:
            shell.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
    said = log.read_text()
    assert seen if until else shell.returncode == 0, f"{line}\n{said}"
    return said


@pytest.mark.parametrize("block", [*BLOCKS, *IN_TEXT], ids=lambda block: block.splitlines()[0])
def test_a_block_of_a_page_works_with_what_it_installs_and_nothing_else(home, block):
    folder, env = home
    lines = block.splitlines()
    clone = folder / CLONE[1].rsplit("/", 1)[1]
    shutil.rmtree(clone, ignore_errors=True)  # of the block before
    follow(CLONE[0], folder, env)
    place, said = clone, ""
    if lines[0] == CLONE[0]:
        place, lines = folder, lines[1:]
    if "my.csv" in block or "treatment.py" in block:
        (clone / "my.csv").write_text("age,sex,zip,disease\n" + "\n".join(ROWS) + "\n")
        (clone / "save.py").write_text(SAVE)
        follow("python3 dev.py install", clone, env)  # what it says is no Python
        saved = follow("python3 dev.py python save.py", clone, env)
        (clone / "treatment.py").write_text(saved)
        assert "tk.treat(" in saved
    start = time.monotonic()
    for line in lines:
        if line == f"cd {clone.name}":
            place = clone
        else:
            said += follow(line, place, env)
    size = megabytes(clone / ".venv")
    print(f"{time.monotonic() - start:.0f} s, .venv {size:.0f} MB:\n{block}")
    if "dev.py lab" in block:
        assert f"up to {dev.MEGABYTES['lab']} MB to download" in said
        assert size < 1100
    if "report my.csv" in block:
        assert list(clone.glob("*report*.html"))
        help_said = follow("python3 dev.py report --help", clone, env)
        assert help_said.startswith("usage: dev.py report ")
        offline = "unshare -rn python3 dev.py roles my.csv"
        if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0:
            assert "installing" not in follow(offline, clone, env)


def test_binder_installs_and_runs_index_and_notebook_1_in_a_gigabyte(tmp_path):
    """What repo2docker does with binder/, in an environment in place of an image."""
    python = tmp_path / "venv" / dev.BIN / "python"
    clone = copy_of_the_clone(tmp_path / "clone")
    env = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    env["PATH"] = os.pathsep.join([str(python.parent), env["PATH"]])
    start = time.monotonic()
    pip = [python, "-m", "pip", "install", "-q", "--no-cache-dir"]
    venv = [sys.executable, "-m", "venv", python.parent.parent]
    for asked in (venv, [*pip, "-r", "binder/requirements.txt"], ["binder/postBuild"]):
        done = subprocess.run(asked, cwd=clone, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = [python, "-m", "jupyter", "lab", "--show-config"]
    settings = subprocess.run(shown, env=env, capture_output=True, text=True).stdout
    assert ".cull_idle_timeout = 1800" in settings
    news = tmp_path / "venv" / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    assert news.read_text() == (ROOT / "binder" / "overrides.json").read_text()
    size, seconds = megabytes(tmp_path / "venv"), time.monotonic() - start
    alone = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    can = subprocess.run([*alone, "true"], capture_output=True).returncode == 0
    for name in ("index", "01-cell-information-gain"):
        asked = [sys.executable, "-c", PEAK, *(alone if can else [])]
        asked += [python, "-m", "nbconvert", "--to", "notebook", "--execute"]
        asked += [f"--output-dir={tmp_path}", f"notebooks/{name}.ipynb"]
        begin = time.monotonic()
        done = subprocess.run(asked, cwd=clone, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peak = int(done.stdout.split()[-1]) / 1e6
        print(f"{name}: {time.monotonic() - begin:.0f} s, largest process {peak:.2f} GB")
        assert peak < 1
    print(f"installed: {size:.0f} MB, {seconds:.0f} s; without network: {can}")
    assert size < 1000
