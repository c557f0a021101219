#!/usr/bin/env python3
"""Set up the project and run one of its tasks.

python3 dev.py lab                             open the course in JupyterLab
python3 dev.py explore [TABLE]                 explore a table of your own in the browser
python3 dev.py report [TABLE …]                report what a table gives away
python3 dev.py treat TABLE …                   write a release of a table that meets thresholds
python3 dev.py check [TABLE …]                 compare a table with thresholds
python3 dev.py roles [TABLE …]                 suggest what each column of a table is
python3 dev.py python [SCRIPT …]               run Python in the environment
python3 dev.py reproduce [--data DIR] [NAME …] execute notebooks (1, 2, …) into build/
python3 dev.py handout [OPTION …] NAME …       write students' copies into build/handouts;
                                               --slides, --pdf, --solutions, --all: --help
python3 dev.py test [--full] [ROOM]            run all checks, or one room's tests (dp, io, …);
                                               --full adds the long ones
python3 dev.py site                            build the static site into build/site
python3 dev.py bench                           run the benchmarks, print their table
python3 dev.py install [EXTRA …]               install what a later task, or an extra, needs
python3 dev.py store [NAME …]                  maintainers: keep fresh outputs in the notebooks

A task installs what it needs into .venv, from uv.lock, when it is used for the first time, and
needs the network for that. On Windows it is `py dev.py lab`, and so on.
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
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV, TOOLS = ROOT / ".venv", ROOT / ".tools"
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
PACKAGES = "Lib/site-packages" if os.name == "nt" else "lib/python*/site-packages"
PYTHON = VENV / BIN / f"python{EXE}"
UV = TOOLS / BIN / f"uv{EXE}"
OLDEST_UV = (0, 8, 16)  # as in pyproject.toml
NAME = "dev.py"
SAFELY = "-P"  # Python does not look for modules in the folder where the command is given
START = "notebooks/index.ipynb"
EXPLORER = "notebooks/pages/explorer.ipynb"
PAGE = "docs/voila/page.py"
UPLOAD = 200 * 2**20  # bytes of a file that a page may send to its kernel
MESSAGE = UPLOAD + 2**20  # which says more than the file
SETTINGS = VENV / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
NO_NEWS = ROOT / "binder" / "overrides.json"  # of JupyterLab's makers
LAB = ("lab",)
MEGABYTES = {  # to download for an extra of pyproject.toml, beyond what "lab" needs
    "lab": 240,
    "duckdb": 0,
    "files": 0,
    "opendp": 50,
    "test": 160,
    "spark": 435,
    "site": 20,
    "text": 2,
    "bench": 0,
}
# jsonschema checks IRIs with these where they are there, which nothing asks for; each process
# that imports nbformat, so each report and JupyterLab, would take .9 s CPU to make grammars.
UNUSED = ("rfc3987-syntax", "lark")
CPU = Path("/proc/cpuinfo")  # on Linux
PYTEST = [
    "pytest",
    f"-n={min(max(os.cpu_count() or 2, 2), 4)}",
    "--dist=loadgroup",
    "--max-worker-restart=1",  # a worker that died gets the same test again
    "--no-loadscope-reorder",  # tests/conftest.py puts the longest first
    "-rs",
    "--nbval",  # strictly: tests/notebooks/strict_nbval.py
]
LINTERS = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])


def say(text):
    """Tell what is being done."""
    print(f"dev.py: {text}", flush=True)


def stop(text):
    """End with one line that says what is missing."""
    sys.exit(f"dev.py: {text}")


def meant(word, known):
    """Question that follows a word of which one letter or two are wrong."""
    near = get_close_matches(word.lower(), known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


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


def needed(names):
    """Extras that the task `install` was asked for: by the names of tasks, or by their own."""
    extras = set(LAB)
    for name in names:
        if name in TASKS:
            extras.update(TASKS[name][1])
        elif name in MEGABYTES:
            extras.add(name)
        else:
            perhaps = meant(name, [*MEGABYTES, *TASKS])
            known = f"the extras are {', '.join(MEGABYTES)}."
            stop(f"there is no extra or task {name!r}{perhaps}; {known}")
    return extras


def found():
    """Stamp in .venv, the extras that are there, and whether no package of them is missing.

    There is no stamp while a task installs, and where an installation was broken off.
    """
    try:
        stamp = (VENV / "installed-from").read_text() if PYTHON.exists() else ""
    except OSError:
        stamp = ""
    _, extras, *names = [*stamp.splitlines(), "", ""]
    return stamp, set(extras.split()) & set(MEGABYTES), packages() >= set(filter(None, names))


def lock(file):
    """Lock a file unless another process has; the system frees it when the process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(file.fileno(), 2**20, os.SEEK_SET)  # what is locked cannot be read there
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextmanager
def alone():
    """Wait until no other task installs, and keep others waiting meanwhile."""
    path, told = VENV.with_suffix(".lock"), False
    with path.open("a") as file:
        while not lock(file):
            if not told:
                say(f"waiting for {path.read_text() or 'another task'}, which installs")
            told = True
            time.sleep(0.2)
        file.truncate(0)
        file.write(f"dev.py {' '.join(sys.argv[1:2])} (process {os.getpid()})")
        file.flush()
        yield
        file.truncate(0)


def install(extras):
    """Add extras to .venv as uv.lock says; no network, and at once, where they already are."""
    sources = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "uv.lock")]
    settled = b"".join([*sources, os.fsencode(ROOT), "".join(UNUSED).encode()])
    made_from = hashlib.sha256(settled).hexdigest()

    def enough():
        stamp, there, whole = found()
        return stamp.startswith(made_from) and there >= set(extras) and whole

    if enough():
        return
    if not os.access(ROOT, os.W_OK):
        stop(f"nothing can be written to {ROOT}; copy it to a folder of your own.")
    with alone():
        if not enough():  # the task that was waited for may have done it
            add(extras, made_from)


def add(extras, made_from):
    """Have uv add extras to .venv, or make it anew where one is broken."""
    before, there, whole = found()
    if not before:  # an installation that was broken off may have left half a package
        shutil.rmtree(VENV, ignore_errors=True)
    size = sum(MEGABYTES[extra] for extra in set(extras) - there)
    what = ", ".join(sorted(set(extras) - there) or ["what has changed"])
    size = f"up to {size} MB" if size else "a few MB"
    say(f"installing {what} into .venv: {size} to download, once")
    stamp = VENV / "installed-from"
    stamp.unlink(missing_ok=True)
    wanted = sorted(there | set(extras))
    env = dict(os.environ, UV_PYTHON=sys.executable, UV_PYTHON_DOWNLOADS="never")
    env["UV_PROJECT_ENVIRONMENT"] = str(VENV)
    if "test" in wanted:  # the tests start Python some hundred times
        env["UV_COMPILE_BYTECODE"] = "1"
    env.pop("VIRTUAL_ENV", None)
    sync = [find_uv(), "sync", "--locked", *[f"--extra={extra}" for extra in wanted]]
    sync += [f"--no-install-package={name}" for name in UNUSED]
    if run(sync, cwd=ROOT, env=env):
        say("once more, with the certificates of this machine, as some networks demand")
        if run(sync, cwd=ROOT, env={**env, "UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}):
            if before and whole:  # uv downloads everything before it changes anything
                stamp.write_text(before)
            stop("not installed, uv says why above; the first run needs https://pypi.org.")
    stamp.write_text("\n".join([made_from, " ".join(wanted), *packages()]))


# Tasks


def lab(arguments):
    """Open JupyterLab at the start notebook."""
    if not (ROOT / START).exists():
        stop(f"{START} is missing; is this a whole clone?")
    say(f"opening JupyterLab at {START}; Ctrl-C ends it")
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{START}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.answer_yes=True",
        f"--ServerApp.tornado_settings={{'websocket_max_message_size': {MESSAGE}}}",
        "--LanguageServerManager.autodetect=False",  # the address is the last line of the log
        "--KernelManager.transport_encryption=auto",  # of kernels' outputs
        "--allow-root",
    ]
    with suppress(OSError):  # of a folder that may only be read: with the news
        SETTINGS.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(NO_NEWS, SETTINGS)
    env = dict(os.environ, PRIVACY_TOOLKIT_UPLOAD=f"{UPLOAD // 2**20} MB")
    return run([PYTHON, SAFELY, "-m", "jupyterlab", *options, *arguments], cwd=ROOT, env=env)


def explore(arguments):
    """Open the explorer as a page of its own: no code, nothing from elsewhere, a token.

    The first argument may be a file; what follows are options of Voila.
    """
    if not (ROOT / EXPLORER).exists():
        stop(f"{EXPLORER} is missing; is this a whole clone?")
    env = dict(os.environ)
    env.pop("PRIVACY_TOOLKIT_TABLE", None)
    if arguments and not arguments[0].startswith("-"):
        table = Path(arguments[0]).expanduser().absolute()
        if not table.is_file():
            say(f"there is no file {arguments[0]!r} to explore.")
            return 2
        env["PRIVACY_TOOLKIT_TABLE"] = str(table)  # the page opens with it
        arguments = arguments[1:]
    say("opening the explorer in the browser; its address, with a token, is yours alone")
    say("Ctrl-C ends it, and the kernels of its pages")
    places = {"JUPYTER_PATH": "docs", "JUPYTER_CONFIG_PATH": "docs/voila"}
    for name, place in places.items():  # the page's template and its settings
        others = [env[name]] if env.get(name) else []
        env[name] = os.pathsep.join([str(ROOT / place), *others])
    return run([PYTHON, SAFELY, PAGE, EXPLORER, *arguments], cwd=ROOT, env=env)


def chosen(arguments):
    """Whether the long tests are asked for, and the room, if one is."""
    full, names = "--full" in arguments, [word for word in arguments if word != "--full"]
    if len(names) > 1 or any(name.startswith("-") for name in names):
        stop("test knows one option, --full, and takes one room, as in: dev.py test dp.")
    rooms = sorted(path.parent.name for path in ROOT.glob("tests/*/test_*.py"))
    if names and names[0] not in rooms:
        known = f"the rooms are {', '.join(dict.fromkeys(rooms))}."
        stop(f"there are no tests of {names[0]!r}{meant(names[0], rooms)}; {known}")
    return full, *names


def test(arguments):
    """Run ruff, mypy and all tests, even after a failure; or the tests of one room."""
    full, *room = chosen(arguments)
    some = [] if os.environ.get("CI") else ["-m", "not full and not ci"]
    marked = ["-m", "", "-o", "faulthandler_timeout=7200"] if full else some
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # there is a worker for each core
    env = {**dict.fromkeys(threads, "1"), **os.environ}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled once is not compiled again
    paths = ["tests", "toolkit", "notebooks"]
    if room:
        paths = [f"tests/{room[0]}", f"toolkit/{room[0]}", f"toolkit/{room[0]}.py", room[0]]
        paths = [path for path in paths if (ROOT / path).exists()]
    failed = []
    for step in [*([] if room else LINTERS), [*PYTEST, *marked, *paths]]:
        say(" ".join(step))
        if run([PYTHON, SAFELY, "-m", *step], cwd=ROOT, env=env):
            failed.append(step[0])
    if failed:
        say(f"failed: {', '.join(failed)}")
    return bool(failed)


def reproduce(arguments):
    """Execute notebooks into build/ with a page of each."""
    say("executing the notebooks into build/")
    return run([PYTHON, SAFELY, ROOT / "docs" / "run.py", "reproduce", *arguments])


def handout(arguments):
    """Write copies of notebooks for students and lecturers, slides, and pages to print."""
    return run([PYTHON, SAFELY, ROOT / "docs" / "handout.py", *arguments])


def on_a_table(command):
    """Task that is a command of the package, in the folder where it is given."""
    asked = f"from toolkit.__main__ import main; raise SystemExit(main(prog={NAME!r}))"
    return lambda arguments: run([PYTHON, SAFELY, "-c", asked, command, *arguments])


def python(arguments):
    """Run Python, which finds the modules of a folder if PYTHONPATH names the folder."""
    return run([PYTHON, SAFELY, *arguments])


def store(arguments):
    """Execute notebooks, keep their outputs in them, and write the pages made from them."""
    say("running the notebooks to store their outputs, then writing the pages about them")
    code = run([PYTHON, SAFELY, ROOT / "docs" / "run.py", "store", *arguments])
    return code or run([PYTHON, SAFELY, ROOT / "docs" / "pages.py"])


def no_options(arguments):
    """End where options are given to a task that knows none."""
    if arguments:
        stop(f"this task knows no options, and got {' '.join(arguments)}.")


def site(arguments):
    """Build the static site: notebooks as stored, pages, reference; then it needs nothing."""
    no_options(arguments)
    say("building the static site into build/site")
    return run([PYTHON, SAFELY, ROOT / "docs" / "build.py"], cwd=ROOT)


def bench(arguments):
    """Run the benchmarks, which are modules of one folder: no `SAFELY`, which hides it."""
    say("running the benchmarks")
    return run([PYTHON, ROOT / "tests" / "benchmarks" / "run.py", *arguments])


def ready(extras):
    """End of the task `install`, which has done its work."""
    say(f"{', '.join(extras or LAB)}: installed")
    return 0


TASKS = {  # what does the work, and the extras that it needs
    "lab": (lab, LAB),
    "explore": (explore, LAB),
    "report": (on_a_table("report"), LAB),
    "treat": (on_a_table("treat"), LAB),
    "check": (on_a_table("check"), LAB),
    "roles": (on_a_table("roles"), LAB),
    "python": (python, LAB),
    "reproduce": (reproduce, LAB),
    "handout": (handout, ("lab", "site")),
    "test": (test, ("lab", "opendp", "test", "site", "bench", "spark", "text")),
    "site": (site, ("lab", "site")),
    "bench": (bench, ("lab", "opendp", "test", "bench")),
    "install": (ready, LAB),
    "store": (store, ("lab", "opendp", "test")),
}
# What refuses wrong words before anything is installed for them; their help is above.
READ_FIRST = {"test": chosen, "site": no_options, "install": needed}


def is_zen_4(cpu):
    """Whether Linux describes AMD's Zen 4: a processor of family 25 with AVX-512."""
    lines = (line.partition(":") for line in cpu.split("\n\n")[0].splitlines())
    facts = {name.strip(): value.split() for name, _, value in lines}
    family = (facts.get("vendor_id"), facts.get("cpu family"))
    return family == (["AuthenticAMD"], ["25"]) and "avx512f" in facts.get("flags", ())


def unknown(word):
    """End that says which task may have been meant."""
    if Path(word).is_file():
        stop(f"{word!r} is a file, and comes after a task, as in: {NAME} report {word}")
    stop(f"there is no task {word!r}{meant(word, TASKS)}; the tasks are {', '.join(TASKS)}.")


def main(arguments):
    """Install if need be, then run the task that the first argument names."""
    if sys.version_info < (3, 11):  # noqa: UP036, for whoever starts it with an older one
        stop(
            f"Python 3.11 or newer is needed; this is {platform.python_version()}. Get one "
            f"from https://www.python.org/downloads/, and use it: python3.13 {NAME} lab"
        )
    asks = any(word in ("-h", "--help") for word in arguments[1:])
    if (
        not arguments
        or arguments[0] in ("-h", "--help", "help")
        or (asks and arguments[0] in READ_FIRST)
    ):
        print(__doc__.strip())
        return 0 if arguments else 2
    if arguments[0] not in TASKS:
        unknown(arguments[0])
    task, *arguments = arguments
    work, extras = TASKS[task]
    if task in READ_FIRST:
        READ_FIRST[task](arguments)
    if task == "install" and arguments:
        extras = needed(arguments)
    install(extras)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Where no compiled modules may be kept beside the source, they are kept in build/:
        # else each of the many processes of a task compiles all that it imports.
        os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "build" / "pycache")
    with suppress(OSError):
        if is_zen_4(CPU.read_text()):  # where numpy sorts six times as fast without AVX-512
            os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4")
    return work(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
