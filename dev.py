#!/usr/bin/env python3
"""Set up the project and run one of its tasks.

python3 dev.py lab                             open the course in JupyterLab
python3 dev.py explore                         explore a table of your own in the browser
python3 dev.py report [TABLE …]                report what a table gives away
python3 dev.py test [--full]                   run all checks; --full adds the long ones
python3 dev.py reproduce [--data DIR] [NAME …] execute the notebooks into build/
python3 dev.py site                            build the static site into build/site
python3 dev.py bench                           run the benchmarks, print their table
python3 dev.py store [NAME …]                  maintainers: keep fresh outputs in the notebooks

The first task makes the environment .venv from uv.lock, which needs the network once.
This file needs Python 3.11 or newer and its standard library, nothing else.
"""

import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent
VENV, TOOLS = ROOT / ".venv", ROOT / ".tools"
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
PACKAGES = "Lib/site-packages" if os.name == "nt" else "lib/python*/site-packages"
PYTHON = VENV / BIN / f"python{EXE}"
UV = TOOLS / BIN / f"uv{EXE}"
OLDEST_UV = (0, 8, 16)  # as in pyproject.toml
SAFELY = "-P"  # Python does not look for modules in the folder where the command is given
START = "notebooks/index.ipynb"
EXPLORER = "notebooks/explorer.ipynb"
PAGE = "notebooks/voila/page.py"
NBVAL = [
    "--nbval",
    "--nbval-current-env",
    "--nbval-cell-timeout=120",
    "--nbval-sanitize-with=tests/notebooks/nbval_sanitize.cfg",
    "--dist=loadfile",  # the cells of a notebook belong to one kernel
]
APART = [f"tests/notebooks/test_{name}.py" for name in ("notebooks", "browser", "site")]
STEPS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "units, laws, doc examples": [
        *["pytest", "-n=2", "--dist=loadgroup", "tests", "toolkit"],
        *[f"--ignore={path}" for path in APART],
    ],
    "notebooks as stored": ["pytest", "-n=2", *NBVAL, "notebooks"],
    "notebooks, other parameters": ["pytest", "-n=2", APART[0]],
    "browser, static site": ["pytest", "-n=2", "--dist=loadgroup", *APART[1:]],
}


def say(text):
    """Tell what is being done."""
    print(f"dev.py: {text}", flush=True)


def stop(text):
    """End with one line that says what is missing."""
    sys.exit(f"dev.py: {text}")


def run(command, **options):
    """Exit code of a command. Ctrl-C reaches the command too, so it is given time to end."""
    process = subprocess.Popen([str(part) for part in command], **options)
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(timeout=20)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            process.kill()
        raise


# Installation: uv makes .venv from uv.lock


def reads_the_lock(uv):
    """Whether there is a uv at the path, one that runs and is not too old."""
    try:
        said = subprocess.run([uv, "--version"], capture_output=True, text=True).stdout
        return OLDEST_UV <= tuple(int(part) for part in said.split()[1].split(".")[:3])
    except (OSError, IndexError, ValueError):
        return False


def locked_uv():
    """Entry of uv itself in uv.lock: its version, and the address and hash of its wheels."""
    import tomllib  # new in Python 3.11, and older ones shall reach the message in main

    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    return next(package for package in packages if package["name"] == "uv")


def uv_by_pip(package):
    """Install uv with pip into .tools, where the user's settings for pip hold, but by hash."""
    if run([sys.executable, SAFELY, "-m", "venv", TOOLS]):
        return
    hashes = [f"--hash={wheel['hash']}" for wheel in package["wheels"]]
    pip = [TOOLS / BIN / f"python{EXE}", SAFELY, "-m", "pip", "--disable-pip-version-check"]
    asked = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--retries=1"]
    with tempfile.TemporaryDirectory() as folder:
        locked = Path(folder, "uv.txt")
        locked.write_text(" ".join([f"uv=={package['version']}", *hashes]), encoding="utf-8")
        run([*pip, "install", "--quiet", *asked, "-r", locked])


def uv_by_wheel(package):
    """Take uv out of its wheel: Debian's python3 has neither pip nor a whole venv."""
    machine = f"_{platform.machine()}."
    urls = {w["url"]: w["hash"] for w in package["wheels"] if "manylinux" in w["url"]}
    url = next((url for url in urls if machine in url), None)
    if url is None:
        return
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            wheel = answer.read()
    except OSError as error:
        say(f"{url}: {error}")
        return
    if f"sha256:{hashlib.sha256(wheel).hexdigest()}" != urls[url]:
        stop(f"{url} is not the file that uv.lock names; nothing was installed.")
    UV.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/scripts/uv"))
        UV.write_bytes(archive.read(name))
    UV.chmod(0o755)


def find_uv():
    """Path of uv: from PATH, else from .tools, where it is put if need be."""
    found = shutil.which("uv")
    if found and reads_the_lock(found):
        return found
    if not reads_the_lock(UV):
        package = locked_uv()
        say(f"getting uv {package['version']}, which installs the rest, into .tools")
        if find_spec("ensurepip"):
            uv_by_pip(package)
        if not reads_the_lock(UV):
            uv_by_wheel(package)
        if not reads_the_lock(UV):
            stop(
                "uv could not be fetched; the first run needs https://pypi.org, or uv itself."
            )
    return UV


def packages():
    """Names and versions of what is installed."""
    return {path.name for path in VENV.glob(f"{PACKAGES}/*.dist-info")}


def install(task):
    """Make .venv what uv.lock says; without the network, and at once, where it already is.

    Spark is for the tests only: hundreds of megabytes, and the one package without a wheel.
    """
    sources = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "uv.lock")]
    lock = hashlib.sha256(b"".join([*sources, os.fsencode(ROOT)])).hexdigest()
    whole = f"{lock} with Spark"
    wanted = whole if task == "test" else lock
    stamp = VENV / "installed-from"
    if PYTHON.exists() and stamp.exists():
        made_from, *names = stamp.read_text().splitlines()
        if made_from in (wanted, whole) and packages() >= set(names):
            return
    say("installing into .venv what uv.lock lists (once; needs the network)")
    stamp.unlink(missing_ok=True)
    env = dict(os.environ, UV_PYTHON=sys.executable, UV_PYTHON_DOWNLOADS="never")
    env["UV_PROJECT_ENVIRONMENT"] = str(VENV)
    env.pop("VIRTUAL_ENV", None)
    sync = [find_uv(), "sync", "--locked", "--all-extras"]
    sync += [] if wanted == whole else ["--no-extra", "spark"]
    if run(sync, cwd=ROOT, env=env):
        say("once more, with the certificates of this machine, as some networks demand")
        if run(sync, cwd=ROOT, env={**env, "UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}):
            stop("not installed, uv says why above; the first run needs https://pypi.org.")
    stamp.write_text("\n".join([wanted, *packages()]))


# Tasks


def lab(arguments):
    """Open JupyterLab at the start notebook."""
    if not (ROOT / START).exists():
        stop(f"{START} is missing; is this a whole clone?")
    say(f"opening JupyterLab at {START}; Ctrl-C ends it")
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{START}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.answer_yes=True",
        "--KernelManager.transport_encryption=auto",  # of kernels' outputs
        "--allow-root",
    ]
    return run([PYTHON, SAFELY, "-m", "jupyterlab", *options, *arguments], cwd=ROOT)


def explore(arguments):
    """Open the explorer as a page of its own: no code, nothing from elsewhere, a token."""
    if not (ROOT / EXPLORER).exists():
        stop(f"{EXPLORER} is missing; is this a whole clone?")
    say("opening the explorer in the browser; its address, with a token, is yours alone")
    say("Ctrl-C ends it, and the kernels of its pages")
    places = {"JUPYTER_PATH": "notebooks", "JUPYTER_CONFIG_PATH": "notebooks/voila"}
    env = dict(os.environ)
    for name, place in places.items():  # the page's template and its settings
        others = [env[name]] if env.get(name) else []
        env[name] = os.pathsep.join([str(ROOT / place), *others])
    return run([PYTHON, SAFELY, PAGE, EXPLORER, *arguments], cwd=ROOT, env=env)


def counts(report, code):
    """Numbers of tests passed and failed, and why others were skipped; linters count 1."""
    if not report.exists():
        return int(code == 0), int(code != 0), []
    cases = list(ElementTree.parse(report).iter("testcase"))
    skipped = [(case, mark) for case in cases for mark in case.iter("skipped")]
    failed = sum(case.find("failure") is not None for case in cases)
    failed += sum(case.find("error") is not None for case in cases)
    reasons = [f"{case.get('name')}: {mark.get('message')}" for case, mark in skipped]
    return len(cases) - failed - len(skipped), max(failed, int(code != 0)), reasons


def test(arguments):
    """Run all steps, even after a failure, and say at the end what passed."""
    if set(arguments) - {"--full"}:
        stop("test knows one option, --full.")
    full = "--full" in arguments
    some = [] if os.environ.get("CI") else ["-m", "not full and not ci"]
    passed, failed, skipped, table = 0, 0, [], []
    begin = time.monotonic()
    for number, (name, (module, *rest)) in enumerate(STEPS.items(), start=1):
        report = ROOT / "build" / f"test-{number}.xml"
        report.unlink(missing_ok=True)
        if module == "pytest":
            rest += ["-m", ""] if full else some
            rest += [f"--junitxml={report.relative_to(ROOT)}"]
        say(f"{name}: {module} {' '.join(rest)}")
        start = time.monotonic()
        code = run([PYTHON, SAFELY, "-m", module, *rest], cwd=ROOT)
        table.append((name, time.monotonic() - start, "FAILED" if code else "passed"))
        good, bad, reasons = counts(report, code)
        passed, failed, skipped = passed + good, failed + bad, skipped + reasons
    print(f"\n{'step':<30} {'seconds':>7}")
    for name, seconds, verdict in table:
        print(f"{name:<30} {seconds:>7.1f}  {verdict}")
    for reason in skipped:
        print(f"skipped: {reason}")
    if not full:
        print("left out: what takes long (python3 dev.py test --full)")
    closing = f" {failed} failed, {passed} passed, {len(skipped)} skipped "
    print(f"{closing + f'in {time.monotonic() - begin:.2f}s ':=^95}")
    return int(any(verdict == "FAILED" for _, _, verdict in table))


def reproduce(arguments):
    """Execute notebooks into build/ with a page of each."""
    say("executing the notebooks into build/")
    return run([PYTHON, SAFELY, ROOT / "notebooks" / "run.py", "reproduce", *arguments])


def report(arguments):
    """Write a report on a table, in the folder where the command is given."""
    say("measuring and writing the report")
    return run([PYTHON, SAFELY, "-m", "toolkit", "report", *arguments])


def store(arguments):
    """Execute notebooks, keep their outputs in them, and write the pages made from them."""
    say("running the notebooks to store their outputs, then writing the pages about them")
    code = run([PYTHON, SAFELY, ROOT / "notebooks" / "run.py", "store", *arguments])
    return code or run([PYTHON, SAFELY, ROOT / "docs" / "pages.py"])


def site(arguments):
    """Build the static site: notebooks as stored, pages, reference; then it needs nothing."""
    if arguments:
        stop("site knows no options.")
    say("building the static site into build/site")
    return run([PYTHON, SAFELY, ROOT / "docs" / "build.py"], cwd=ROOT)


def bench(arguments):
    """Run the benchmarks, which are modules of one folder: no `SAFELY`, which hides it."""
    say("running the benchmarks")
    return run([PYTHON, ROOT / "tests" / "benchmarks" / "run.py", *arguments])


TASKS = {
    "lab": lab,
    "explore": explore,
    "test": test,
    "reproduce": reproduce,
    "report": report,
    "site": site,
    "bench": bench,
    "store": store,
}


def main(arguments):
    """Install if need be, then run the task that the first argument names."""
    if sys.version_info < (3, 11):  # noqa: UP036, for whoever starts it with an older one
        stop(f"Python 3.11 or newer is needed; this is {platform.python_version()}.")
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    if arguments[0] not in TASKS:
        stop(f"there is no task {arguments[0]!r}; the tasks are {', '.join(TASKS)}.")
    install(arguments[0])
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Where no compiled modules may be kept beside the source, they are kept in build/:
        # else each of the many processes of a task compiles all that it imports.
        os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "pycache")
    return TASKS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
