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

import hashlib
import os
import shutil
import signal
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
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["dev"]
MEGABYTES, UNUSED = SETTINGS["megabytes"], SETTINGS["unused"]
MAIN = "from toolkit.__main__ import main; raise SystemExit(main(prog='dev.py'))"


def say(text):
    """Print the current step."""
    print(f"dev.py: {text}", flush=True)


def run(*command, **options):
    """Exit code of a command. Ctrl-C reaches it, too; wait for its end, then end the task."""
    interrupts = []
    signal.signal(signal.SIGINT, lambda *_: interrupts.append(130))
    code = subprocess.call([str(part) for part in command], **options)
    return sys.exit(130) if interrupts else code


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
    hashes = [f"--hash={wheel['hash']}" for wheel in uv["wheels"]]
    (TOOLS / "uv.txt").write_text(" ".join([f"uv=={uv['version']}", *hashes]), "utf-8")
    pip = [own.with_name(f"python{EXE}"), SAFELY, "-m", "pip", "install", "--quiet"]
    pip += ["--require-hashes", "--only-binary=:all:", "--no-deps", "-r", TOOLS / "uv.txt"]
    if run(sys.executable, SAFELY, "-m", "venv", TOOLS) or run(*pip):
        sys.exit(
            "dev.py: uv is not installed, for the reason above; the first run needs PyPI and "
            "Python's venv (on Debian: apt install python3-venv), or uv itself."
        )
    return own


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
        sys.exit(f"dev.py: nothing can be written to {ROOT}; copy it to a folder of your own.")
    with closing(sqlite3.connect(VENV.with_suffix(".lock"), timeout=2)) as database:
        while not database.in_transaction:  # a lock, which the system frees if a task dies
            try:
                database.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:  # after two seconds
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
        asked = [f"--extra={extra}" for extra in wanted]
        asked += [f"--no-install-package={name}" for name in UNUSED]
        env = {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never"}
        env |= dict.fromkeys(("UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV"), str(VENV))
        half.touch()
        failed = run(find_uv(), "sync", "--locked", *asked, cwd=ROOT, env=os.environ | env)
        if 0 <= failed < 100:  # not interrupted: uv gets everything before it changes anything
            half.unlink()
        if failed:
            sys.exit("dev.py: nothing was installed; the first run needs https://pypi.org.")
        stamp.write_text(" ".join([made_from, *wanted]))


# Tasks


def python(*words, **env):
    """Task that runs Python from the environment, with these words before its arguments."""
    env = {name: str(value) for name, value in env.items()}
    return lambda arguments: run(PYTHON, SAFELY, *words, *arguments, env=os.environ | env)


def explore(arguments):
    """Open the explorer as a page of its own; arguments are a file, then Voila's options."""
    table = Path(arguments.pop(0)).absolute() if arguments and arguments[0][:1] != "-" else ""
    if table and not table.is_file():
        sys.exit(f"dev.py: there is no file {str(table)!r} to explore.")
    say("opening the explorer in the browser; do not share its address, which has a token")
    env = {"JUPYTER_PATH": ROOT / "docs", "JUPYTER_CONFIG_PATH": ROOT / "docs/voila"}
    pages = ROOT / "docs/voila/page.py", ROOT / "notebooks/pages/explorer.ipynb"
    return python(*pages, PRIVACY_TOOLKIT_TABLE=table, **env)(arguments)


def test(arguments):
    """Run ruff, mypy and all tests, even after a failure; or the tests of some rooms."""
    pytest = [*SETTINGS["pytest"], f"-n={min(max(os.cpu_count() or 2, 2), 4)}"]
    if "--full" in arguments:
        pytest += ["-m", "", "-o", "faulthandler_timeout=7200"]
    elif not os.environ.get("CI"):
        pytest += ["-m", "not full and not ci"]
    steps = [*SETTINGS["checks"], [*pytest, "tests", "toolkit", "notebooks"]]
    if rooms := [word for word in arguments if word != "--full"]:
        folders = [f"tests/{room}" for room in rooms]
        folders += [f"toolkit/{room}" for room in rooms if (ROOT / "toolkit" / room).is_dir()]
        steps = [[*pytest, *folders]]
    failed = [step[0] for step in steps if run(PYTHON, SAFELY, "-m", *step, cwd=ROOT)]
    say(f"failed: {', '.join(failed) or 'nothing'}")
    return bool(failed)


def install_more(arguments):
    """Install the packages of tasks or extras, given by name."""
    if unknown := [name for name in arguments if name not in {**MEGABYTES, **TASKS}]:
        sys.exit(
            f"dev.py: no extra or task {unknown[0]!r}; the extras are {', '.join(MEGABYTES)}."
        )
    for name in arguments:
        install(TASKS[name][1] if name in TASKS else [*LAB, name])
    say(f"{', '.join(arguments or LAB)}: installed")


LAB = ("lab",)
DOCS, BENCH = ROOT / "docs", ROOT / "tests" / "benchmarks"
# JupyterLab shows the whole folder, and no news.
PLACES = f"--ServerApp.root_dir={ROOT}", f"--LabApp.app_settings_dir={ROOT / 'binder'}"
ON_A_TABLE = ("report", "treat", "check", "roles")
STORE, PAGES = python(DOCS / "run.py", "store"), python(DOCS / "pages.py")
TASKS = {  # the function of each task, and the extras that it needs
    "lab": (python("-m", "jupyterlab", *PLACES, JUPYTER_CONFIG_PATH=DOCS / "lab"), LAB),
    "explore": (explore, LAB),
    **{name: (python("-c", MAIN, name), LAB) for name in ON_A_TABLE},
    "python": (python(), LAB),
    "reproduce": (python(DOCS / "run.py", "reproduce"), LAB),
    "handout": (python(DOCS / "handout.py"), ("lab", "site")),
    "test": (test, ("lab", "opendp", "test", "site", "bench", "spark", "text")),
    "site": (python(DOCS / "build.py"), ("lab", "site")),
    "bench": (python(BENCH / "run.py", PYTHONPATH=BENCH), ("lab", "opendp", "test", "bench")),
    "install": (install_more, LAB),
    "store": (lambda arguments: STORE(arguments) or PAGES([]), ("lab", "opendp", "test")),
}


def main(arguments):
    """Install packages if necessary, then run the task in the first argument."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    task, *rest = arguments
    if task not in TASKS:
        sys.exit(f"dev.py: there is no task {task!r}; the tasks are {', '.join(TASKS)}.")
    work, extras = TASKS[task]
    install(extras)
    cpu = Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    if all(mark in cpu for mark in ("AuthenticAMD", "family\t: 25\n", "avx512f")):
        os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4"  # numpy sorts six times as fast
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # keep compiled files elsewhere
        os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "pycache")
    return work(rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
