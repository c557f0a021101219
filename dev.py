#!/usr/bin/env python3
"""Set up the project and run one of its tasks.

python3 dev.py lab                             open the course in JupyterLab
python3 dev.py explore [TABLE]                 explore a table of your own in the browser
python3 dev.py report TABLE …                  report what a table discloses
python3 dev.py treat TABLE …                   write a release of a table that meets thresholds
python3 dev.py check TABLE …                   compare a table with thresholds
python3 dev.py roles TABLE …                   suggest a role for each column of a table
python3 dev.py python [SCRIPT …]               run Python in the environment
python3 dev.py reproduce [--data DIR] [NAME …] execute notebooks (1, 2, …) into build/
python3 dev.py handout [OPTION …] NAME …       write students' copies into build/handouts;
                                               --slides, --pdf, --solutions, --all: --help
python3 dev.py test [--full] [ROOM]            run all checks, or one room's tests (dp, io, …);
                                               --full adds the long ones
python3 dev.py site                            build the static site into build/site
python3 dev.py bench                           run the benchmarks and print their table
python3 dev.py install [EXTRA …]               install packages for later tasks or extras
python3 dev.py store [NAME …]                  maintainers: keep fresh outputs in the notebooks

On first use a task installs its packages into .venv, as uv.lock says; this needs the network.
On Windows use `py dev.py lab`, and so on.
This file needs Python 3.11 or newer and its standard library, nothing else.
"""

import argparse
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036, for older ones
    sys.exit("dev.py: Python 3.11 or newer is needed; python.org has it.")
import tomllib  # noqa: E402, which older ones lack

ROOT = Path(__file__).resolve().parent
VENV, TOOLS = ROOT / ".venv", ROOT / ".tools"
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
PYTHON = VENV / BIN / f"python{EXE}"
SAFELY = "-P"  # Python does not look for modules in the current folder
START, EXPLORER = "notebooks/index.ipynb", "notebooks/pages/explorer.ipynb"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["dev"]
MEGABYTES, UNUSED = SETTINGS["megabytes"], SETTINGS["unused"]


def say(text):
    """Print the current step."""
    print(f"dev.py: {text}", flush=True)


def stop(text):
    """Exit with one line about the error."""
    sys.exit(f"dev.py: {text}")


def run(*command, **options):
    """Exit code of a command. Ctrl-C reaches the command too, so wait for it to end."""
    process = subprocess.Popen([str(part) for part in command], **options)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait(timeout=20)
        raise


# Installation: uv makes .venv from uv.lock


def find_uv():
    """Path of uv on PATH or in .tools, where pip installs the locked version by its hashes."""
    own = TOOLS / BIN / f"uv{EXE}"
    if shutil.which("uv") or own.exists():
        return shutil.which("uv") or own
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    uv = next(package for package in lock if package["name"] == "uv")
    say(f"getting uv {uv['version']}, which installs the rest, into .tools")
    TOOLS.mkdir(exist_ok=True)
    asked = TOOLS / "uv.txt"
    hashes = [f"--hash={wheel['hash']}" for wheel in uv["wheels"]]
    asked.write_text(" ".join([f"uv=={uv['version']}", *hashes]), encoding="utf-8")
    pip = [own.with_name(f"python{EXE}"), SAFELY, "-m", "pip", "install", "--quiet"]
    pip += ["--require-hashes", "--only-binary=:all:", "--no-deps", "-r", asked]
    if run(sys.executable, SAFELY, "-m", "venv", TOOLS) or run(*pip):
        stop(
            "uv is not installed, for the reason above; the first run needs PyPI and "
            "Python's venv (on Debian: apt install python3-venv), or uv itself."
        )
    return own


def locked(database):
    """True if no other process holds the lock; the system frees it when this process ends."""
    try:
        return bool(database.execute("BEGIN EXCLUSIVE"))
    except sqlite3.OperationalError:  # after two seconds
        return False


def install(extras):
    """Add extras to .venv as uv.lock says; installed extras need no time and no network."""
    sources = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "uv.lock")]
    made_from = hashlib.sha256(b"".join([*sources, os.fsencode(ROOT)])).hexdigest()
    stamp = VENV / "installed-from"  # and which extras
    half = VENV.with_suffix(".half")  # there while packages are being installed

    def there():
        return {*stamp.read_text().split()} if stamp.exists() and PYTHON.exists() else set()

    if {made_from, *extras} <= there():
        return
    if not os.access(ROOT, os.W_OK):
        stop(f"nothing can be written to {ROOT}; copy it to a folder of your own.")
    with closing(sqlite3.connect(VENV.with_suffix(".lock"), timeout=2)) as database:
        while not locked(database):
            say("waiting for another task to install")
        if half.exists():  # an interrupted installation may have left half a package
            shutil.rmtree(VENV, ignore_errors=True)
        old = there()
        if {made_from, *extras} <= old:  # by the other task
            return
        more = sorted(set(extras) - old if made_from in old else extras)
        size = sum(MEGABYTES[extra] for extra in more)
        say(f"installing {', '.join(more)} into .venv: up to {size} MB to download, once")
        wanted = sorted({*extras, *old} & set(MEGABYTES))
        half.touch()
        failed = synchronise(wanted)
        half.unlink()
        if failed:  # uv downloads everything before it changes anything
            stop("not installed, for the reason above; the first run needs https://pypi.org.")
        stamp.write_text(" ".join([made_from, *wanted]))


def synchronise(extras):
    """Exit code of uv, which makes .venv match the lock for these extras."""
    env = dict(os.environ, UV_PYTHON=sys.executable, UV_PYTHON_DOWNLOADS="never")
    env["UV_PROJECT_ENVIRONMENT"] = str(VENV)
    env.pop("VIRTUAL_ENV", None)
    if "test" in extras:  # the tests start Python hundreds of times
        env["UV_COMPILE_BYTECODE"] = "1"
    asked = [f"--extra={extra}" for extra in extras]
    asked += [f"--no-install-package={name}" for name in UNUSED]
    return run(find_uv(), "sync", "--locked", *asked, cwd=ROOT, env=env)


# Tasks


def start(*arguments, **env):
    """Run Python from the environment, in the current folder."""
    env = {name: str(value) for name, value in env.items()}
    return run(PYTHON, SAFELY, *arguments, env={**os.environ, **env})


def on_a_table(command):
    """Task that runs a command of the package."""
    asked = "from toolkit.__main__ import main; raise SystemExit(main(prog='dev.py'))"
    return lambda arguments: start("-c", asked, command, *arguments)


def lab(arguments):
    """Open JupyterLab at the start notebook, with the settings of docs/lab."""
    say(f"opening JupyterLab at {START}; Ctrl-C ends it")
    options = [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{START}"]
    options += [f"--LabApp.app_settings_dir={ROOT / 'binder'}", "--allow-root"]  # no news
    env = {"JUPYTER_CONFIG_PATH": ROOT / "docs/lab", "PRIVACY_TOOLKIT_UPLOAD": "200 MB"}
    return start("-m", "jupyterlab", *options, *arguments, **env)


def explore(arguments):
    """Open the explorer as a page of its own; arguments are a file, then Voila's options."""
    table = ""
    if arguments and not arguments[0].startswith("-"):
        table = Path(arguments.pop(0)).expanduser().absolute()
        if not table.is_file():
            stop(f"there is no file {str(table)!r} to explore.")
    say("opening the explorer in the browser; do not share its address, which has a token")
    env = {"JUPYTER_PATH": ROOT / "docs", "JUPYTER_CONFIG_PATH": ROOT / "docs/voila"}
    page = ROOT / "docs/voila/page.py"
    return start(page, ROOT / EXPLORER, *arguments, PRIVACY_TOOLKIT_TABLE=table, **env)


def test(arguments):
    """Run ruff, mypy and all tests, even after a failure; or the tests of one room."""
    rooms = sorted({path.parent.name for path in ROOT.glob("tests/*/test_*.py")})
    parser = argparse.ArgumentParser(prog="dev.py test")
    parser.add_argument("--full", action="store_true", help="the long tests too")
    parser.add_argument("room", nargs="?", choices=rooms)
    asked = parser.parse_args(arguments)
    workers = min(max(os.cpu_count() or 2, 2), 4)
    pytest = ["pytest", f"-n={workers}", "--dist=loadgroup", "--max-worker-restart=1", "-rs"]
    pytest += ["--no-loadscope-reorder", "--nbval"]  # tests/conftest.py puts the longest first
    if asked.full:
        pytest += ["-m", "", "-o", "faulthandler_timeout=7200"]
    elif not os.environ.get("CI"):
        pytest += ["-m", "not full and not ci"]
    if asked.room:
        folders = (f"{name}/{asked.room}" for name in ("tests", "toolkit"))
        steps = [[*pytest, *(name for name in folders if (ROOT / name).exists())]]
    else:
        steps = [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]]
        steps += [[*pytest, "tests", "toolkit", "notebooks"]]
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # there is a worker for each core
    env = {**dict.fromkeys(threads, "1"), **os.environ}
    failed = []
    for step in steps:
        say(" ".join(step))
        if run(PYTHON, SAFELY, "-m", *step, cwd=ROOT, env=env):
            failed.append(step[0])
    if failed:
        say(f"failed: {', '.join(failed)}")
    return bool(failed)


def script(path, *words, **env):
    """Task that runs a script of the project, with its first arguments."""
    return lambda arguments: start(ROOT / path, *words, *arguments, **env)


def store(arguments):
    """Execute notebooks, keep their outputs in them, and write the pages made from them."""
    return script("docs/run.py", "store")(arguments) or script("docs/pages.py")([])


def install_more(arguments):
    """Install the packages of tasks or extras, given by name."""
    for name in arguments:
        if name not in {**MEGABYTES, **TASKS}:
            stop(f"there is no extra or task {name!r}; the extras are {', '.join(MEGABYTES)}.")
        install(TASKS[name][1] if name in TASKS else [*LAB, name])
    say(f"{', '.join(arguments or LAB)}: installed")


LAB = ("lab",)
BENCH = ROOT / "tests" / "benchmarks"
TASKS = {  # the function of each task, and the extras that it needs
    "lab": (lab, LAB),
    "explore": (explore, LAB),
    **{name: (on_a_table(name), LAB) for name in ("report", "treat", "check", "roles")},
    "python": (lambda arguments: start(*arguments), LAB),
    "reproduce": (script("docs/run.py", "reproduce"), LAB),
    "handout": (script("docs/handout.py"), ("lab", "site")),
    "test": (test, ("lab", "opendp", "test", "site", "bench", "spark", "text")),
    "site": (script("docs/build.py"), ("lab", "site")),
    "bench": (script(BENCH / "run.py", PYTHONPATH=BENCH), ("lab", "opendp", "test", "bench")),
    "install": (install_more, LAB),
    "store": (store, ("lab", "opendp", "test")),
}


def without_slow_sorting():
    """Settings for AMD's Zen 4, on which numpy sorts six times as fast without AVX-512."""
    path = Path("/proc/cpuinfo")
    cpu = path.read_text().split("\n\n")[0] if path.exists() else ""
    slow = "AuthenticAMD" in cpu and "family\t: 25\n" in cpu and "avx512f" in cpu
    return {"NPY_DISABLE_CPU_FEATURES": "X86_V4"} if slow else {}


def main(arguments):
    """Install packages if necessary, then run the task in the first argument."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    task, *rest = arguments
    if task not in TASKS:
        stop(f"there is no task {task!r}; the tasks are {', '.join(TASKS)}.")
    work, extras = TASKS[task]
    install(extras)
    os.environ.update(without_slow_sorting())
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # keep compiled files elsewhere
        os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "pycache")
    return work(rest)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
