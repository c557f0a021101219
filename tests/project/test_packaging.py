"""What surrounds the code agrees with it: README, citation, changelog, Binder, lock file."""

import doctest
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from unittest.mock import ANY

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

import dev
from docs.run import notebooks
from tests.needs import ROOT, command, copy_of_the_clone, need, tracked_files

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
REPOSITORY, RELEASE = (PROJECT["urls"][name] for name in ("Repository", "Release"))
OWNER, NAME = REPOSITORY.split("/")[-2:]
TAG = RELEASE.rsplit("/", 1)[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
}
README, FRONT = PAGES["README.md"], PAGES["docs/index.md"]
COMMANDS = {
    name: "".join(re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S))
    for name, text in PAGES.items()
}
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
EXPORT = ["--no-emit-project", "--no-header", "--no-annotate"]
EXPORT += ["--extra", "lab", "--prune", "voila", "--prune", "papermill"]  # unused there


def uv(*arguments, cwd=ROOT, **options) -> subprocess.CompletedProcess:
    """Run the uv of the environment with the Python of the environment."""
    env = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    env |= {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never"}
    return subprocess.run(
        [command("uv"), *map(str, arguments)], cwd=cwd, env=env, text=True, **options
    )


def texts():
    """Name and text of every tracked file that is text, with this one left out."""
    for path in tracked_files():
        if path != Path(__file__):
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def online() -> bool:
    try:
        socket.create_connection(("pypi.org", 443), timeout=5).close()
    except OSError:
        return False
    return True


# One version, one address


def test_version_release_citation_and_changelog_agree():
    assert RELEASE == f"{REPOSITORY}/tree/{TAG}" and f"v{PROJECT['version']}" == TAG
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.M).groups()
    ours = {"version": version, "date-released": date, "repository-code": REPOSITORY}
    ours |= {"url": RELEASE, "cff-version": "1.2.0", "type": "software", "title": ANY}
    ours |= {"message": ANY, "authors": PROJECT["authors"], "license": PROJECT["license"]}
    ours |= {"version": PROJECT["version"], "keywords": ANY, "abstract": ANY}
    assert {key: ours[key] for key in CITATION} == CITATION and version == PROJECT["version"]


def test_the_readme_names_this_repository_and_no_other():
    binder = f"https://mybinder.org/v2/gh/{OWNER}/{NAME}/{TAG}"
    assert f"({binder}?urlpath=lab/tree/notebooks/index.ipynb)" in README, "the Binder badge"
    for owner, name in re.findall(r"mybinder\.org/v2/gh/([\w.-]+)/([\w.-]+)", README):
        assert (owner, name) == (OWNER, NAME)
    assert f"\ngit clone {REPOSITORY}\npython3 {NAME}/dev.py lab\n" in README
    assert f"git clone {REPOSITORY}\ncd {NAME}\n" in FRONT
    for owner, name in re.findall(r"github\.com/([\w.-]+)/([\w.-]+)", README + FRONT):
        if OWNER == owner or name.removesuffix(".git") == NAME:
            assert (owner, name.removesuffix(".git")) == (OWNER, NAME)


# The README keeps its word


def test_pages_name_tasks_and_extras_that_exist():
    asked = re.findall(r"python3 (?:\S+/)?dev\.py (\w+)", "".join(PAGES.values()))
    assert {"lab", "report", "handout"} <= set(asked) <= set(dev.TASKS)
    extras = ",".join(re.findall(r"\.\[([\w,]+)\]", FRONT)).split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])


def test_the_examples_of_the_readme_give_what_they_show():
    blocks = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README", None, 0)
    assert example.examples, "a minimal example with its output"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", [name for name, lines in COMMANDS.items() if lines])
def test_lines_of_commands_can_be_pasted_into_any_shell(name):
    """In zsh and cmd.exe what follows # is handed on, and in cmd.exe ' is no quote."""
    assert not re.search(r"[#';|&$<>]", COMMANDS[name])


def test_links_of_the_readme_are_there_and_lead_to_every_notebook():
    targets = re.findall(r"\]\(<?([^)>\s]+)", README)
    own = [t.split("#")[0] for t in targets if not re.match(r"https?:|mailto:|#", t)]
    assert [target for target in own if target.startswith("docs/pictures/")]
    assert [target for target in own if not (ROOT / target).exists()] == []
    assert {path.relative_to(ROOT).as_posix() for path in notebooks()} <= {*own}


# Nothing of one machine


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.:/~-])/(work|root|home|Users|mnt|opt)/\w+",
        r"/tmp/\w*\d",
        r"extra-index|index-url|find-links",
    ],
)
def test_no_file_tells_of_the_machine_it_was_made_on(pattern):
    assert [name for name, text in texts() if re.search(pattern, text)] == []


def test_the_lock_belongs_to_the_metadata_and_names_the_public_registry_only():
    assert uv("lock", "--check", "--offline", "--quiet").returncode == 0, "run `uv lock`"
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    hosts = set(re.findall(r"https?://([^/\"]+)", lock))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}


def test_a_project_in_a_folder_above_does_not_decide_what_is_installed(tmp_path):
    above = '[project]\nname = "x"\nversion = "1"\n[tool.uv.workspace]\nmembers = ["clone"]\n'
    above += '[tool.uv.sources]\nlazy-loader = { path = "evil" }\n'
    (tmp_path / "pyproject.toml").write_text(above)
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, clone)
    assert uv("lock", "--check", "--offline", "--quiet", cwd=clone).returncode == 0


# Installation takes what is locked, by hash


def test_what_builds_packages_is_locked():
    built = [p["name"] for p in LOCK if "sdist" in p and not p.get("wheels")]
    tool, group = PYPROJECT["tool"]["uv"], PYPROJECT["dependency-groups"]["build"]
    assert {PROJECT["name"], *built} == set(tool["no-build-isolation-package"])
    assert tool["default-groups"] == ["build"]
    assert set(PYPROJECT["build-system"]["requires"]) <= set(group)
    assert tool["required-version"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "uv pip install --no-config " in workflow  # else it builds where hatchling is not


def test_every_file_of_the_lock_has_its_hash():
    files = [file for p in LOCK for file in [*p.get("wheels", []), p.get("sdist")] if file]
    assert len(files) > 1000
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", file["hash"]) for file in files)
    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8")
    pins = re.split(r"\n(?=\S)", lines.strip())
    assert all("--hash=sha256:" in pin for pin in pins)
    assert "--no-build-isolation" in (ROOT / "binder" / "postBuild").read_text()


@pytest.fixture
def synced(tmp_path, monkeypatch):
    """What `dev.py` asks of uv, which does nothing."""
    done = []

    def run(*command, **_):
        done.append(command)
        dev.VENV.mkdir(exist_ok=True)
        dev.PYTHON.touch()
        return 0

    monkeypatch.setattr(dev, "VENV", tmp_path / "venv")
    monkeypatch.setattr(dev, "PYTHON", dev.VENV / "python")
    monkeypatch.setattr(dev, "find_uv", lambda: "uv")
    monkeypatch.setattr(dev, "run", run)
    return done


@pytest.mark.parametrize("task", dev.TASKS)
def test_a_task_installs_what_it_needs_once(task, synced, capsys):
    _, extras = dev.TASKS[task]
    dev.install(extras)
    said = capsys.readouterr().out
    dev.install(extras)
    assert len(synced) == 1 and not capsys.readouterr().out, "it is there the second time"
    left_out = [f"--no-install-package={name}" for name in dev.UNUSED]
    assert [*synced[0][3:]] == [f"--extra={extra}" for extra in sorted(extras)] + left_out
    assert f"up to {sum(map(dev.MEGABYTES.get, extras))} MB to download" in said
    dev.install(dev.LAB)
    assert len(synced) == 1, "what has more is enough for the lab"


def test_a_later_task_takes_nothing_away(synced, capsys):
    dev.install(["lab", "opendp"])
    dev.install(["lab", "site"])
    assert synced[1][3:6] == ("--extra=lab", "--extra=opendp", "--extra=site")
    said = capsys.readouterr().out
    assert f"installing site into .venv: up to {dev.MEGABYTES['site']} MB" in said
    dev.install_more(["text"])
    assert synced[2][6] == "--extra=text", "and the three before it"


def test_an_installation_that_was_broken_off_is_begun_anew(synced, monkeypatch):
    """Of a package whose files were half there, uv would see nothing."""
    dev.install(dev.LAB)
    half = dev.VENV / "half a package"
    half.touch()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(dev, "find_uv", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        dev.install(["lab", "site"])
    dev.install(["lab", "site"])
    assert len(synced) == 2 and not half.exists()


INSTALLS = """
import pathlib, sys, time
import dev
dev.VENV = pathlib.Path(sys.argv[2], "venv")
dev.PYTHON = dev.VENV / "python"
dev.find_uv = lambda: "uv"
def run(*_, **__):
    dev.VENV.mkdir()
    time.sleep(float(sys.argv[3]))
    dev.PYTHON.touch()
    return 0
dev.run = run
dev.install(dev.LAB)
print("there")
"""


def test_one_task_installs_and_others_wait_for_it_or_take_over_if_it_dies(tmp_path):
    def begin(task, seconds):
        asked = [sys.executable, "-c", INSTALLS, task, str(tmp_path), str(seconds)]
        return subprocess.Popen(asked, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    dies = begin("lab", 100)
    assert "installing lab" in dies.stdout.readline()
    second = begin("test", 2)
    waits = "dev.py: waiting for another task to install\n"
    assert second.stdout.readline() == waits
    dies.kill()
    assert "installing lab" in second.communicate()[0], "what is half there is made anew"
    dies.communicate()


def test_without_a_network_what_was_installed_stays(synced, monkeypatch, capsys):
    dev.install(dev.LAB)
    monkeypatch.setattr(dev, "run", lambda *_, **__: 2)
    with pytest.raises(SystemExit, match="the first run needs https://pypi.org"):
        dev.install(["lab", "site"])
    capsys.readouterr()
    dev.install(dev.LAB)
    assert not capsys.readouterr().out, "it is there, and nothing is asked for"


def test_a_folder_that_cannot_be_written_to_is_named(synced, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SystemExit, match=f"written to {re.escape(str(ROOT))}; copy it to a"):
        dev.install(dev.LAB)
    assert not synced


def export(*extras) -> set[str]:
    """Locked packages of some extras, without their markers."""
    asked = [f"--extra={extra}" for extra in extras]
    options = ["--no-emit-project", "--no-header", "--no-annotate", "--no-hashes"]
    done = uv("export", "--frozen", "--quiet", *options, *asked, stdout=subprocess.PIPE)
    return {line for line in done.stdout.splitlines() if "==" in line}


def megabytes(lines: set[str]) -> float:
    """Size of the files that are downloaded here for lines of an export."""
    rank = {tag: place for place, tag in enumerate(sys_tags())}
    files = {(p["name"], p.get("version")): p for p in LOCK}
    size = 0
    for asked in map(Requirement, lines):
        if asked.marker is None or asked.marker.evaluate():
            locked = files[asked.name, str(asked.specifier).removeprefix("==")]
            fit = {}
            for wheel in locked.get("wheels", []):
                tags = parse_wheel_filename(wheel["url"].rsplit("/", 1)[1])[3]
                fit |= {rank[tag]: wheel["size"] for tag in tags if tag in rank}
            size += fit[min(fit)] if fit else locked["sdist"]["size"]
    return size / 1e6


def test_the_download_is_as_large_as_said():
    assert set(dev.MEGABYTES) == set(PROJECT["optional-dependencies"])
    lab = export("lab")
    known, said = lab | export("opendp"), dev.MEGABYTES
    most = 300 if sys.version_info[:2] == (3, 11) else 310  # of 3.11 outputs are stored
    assert megabytes(lab) + 60 < most, "the first task, uv included"
    assert megabytes(lab) == pytest.approx(said["lab"], rel=0.1)
    for extra in ("opendp", "test", "spark", "site", "text"):
        more = export("lab", extra) - (lab if extra == "opendp" else known)
        assert megabytes(more) == pytest.approx(said[extra], rel=0.1, abs=5), extra
    for extra in ("duckdb", "files"):
        assert export(extra) <= lab, extra
    assert megabytes(export("bench") - export("lab", "opendp", "test")) < 1


# What is said to be installed can be


def test_every_advice_to_install_names_this_project_and_its_extras():
    advised, named = [], {"{extra}"}
    for name, text in texts():
        named |= {*re.findall(r"dev\.py install (\w+|\{extra\})", text)} - {*dev.TASKS}
        if name.endswith((".py", ".md", ".ipynb", ".yml")) and not name.startswith("tests/"):
            for words in re.findall(r"pip install((?: +\"?[^\s`\\\"]+)+)", text):
                words = re.sub(r"['\"`,;]|(?<=[\w\]])\.$", "", words).split()
                advised.append((name, words))
    code = "".join(text for name, text in texts() if name.startswith("toolkit/"))
    named |= {*re.findall(r"check_extra\([\w.\"]+, \"(\w+)\"", code)}
    assert len(advised) >= 5
    for name, words in advised:
        targets = [word for word in words if word.startswith(".") or "toolkit" in word]
        assert targets, f"{name}: pip install {' '.join(words)}"
        for target in targets:
            own, _, given = target.partition("[")
            assert own in (".", PROJECT["name"]) or own.endswith(".whl"), f"{name}: {target}"
            assert (own == ".") == ("-e" in words), f"{name}: {target} is on no index"
            named |= {one for one in given.rstrip("]").split(",") if one}
    extras = {*PROJECT["optional-dependencies"], "{extra}"}
    assert {"opendp", "lab", "files", "duckdb"} <= named <= extras


@pytest.mark.ci
def test_a_false_index_installs_nothing(tmp_path, monkeypatch):
    """Pip takes uv by its hashes."""
    monkeypatch.setattr(dev, "TOOLS", tmp_path / "tools")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    version = next(package for package in LOCK if package["name"] == "uv")["version"]
    with zipfile.ZipFile(tmp_path / f"uv-{version}-py3-none-any.whl", "w") as wheel:
        info = f"uv-{version}.dist-info"
        wheel.writestr(f"uv-{version}.data/scripts/uv", "#!/bin/sh\necho uv 99.0.0\n")
        wheel.writestr(f"{info}/METADATA", f"Name: uv\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(SystemExit, match="uv is not installed"):
        dev.find_uv()
    tools = dev.TOOLS / dev.BIN
    assert (tools / "pip").exists() and not (tools / "uv").exists()


def test_python_runs_nothing_from_the_current_folder(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(dev, "run", lambda *command, **_: asked.append(command) or 0)
    for work, _ in dev.TASKS.values():
        work([])
    starts = [command for command in asked if command[0] == dev.PYTHON]
    assert len(starts) > 12 and {command[1] for command in starts} == {dev.SAFELY}


# Binder


def test_binder_installs_what_the_lock_says():
    export = uv("export", "--frozen", "--quiet", *EXPORT, stdout=subprocess.PIPE)
    assert export.returncode == 0
    stored = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8")
    hint = f"uv export --frozen --quiet {' '.join(EXPORT)} > binder/requirements.txt"
    assert stored == export.stdout, hint


def test_what_nothing_asks_for_is_left_out():
    assert {package["name"] for package in LOCK} >= set(dev.UNUSED)
    start = (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
    assert f"pip uninstall -y {' '.join(dev.UNUSED)} " in start


@pytest.mark.ci  # where dev.py has made the environment
def test_no_notebook_waits_for_grammars_that_nobody_asks_for():
    code = "import sys, nbformat, jupyterlab.labapp; print('lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_binder_accepts_its_files(tmp_path):
    folder = copy_of_the_clone(tmp_path)
    asked = [command("repo2docker"), "--no-build", "--debug", "."]  # without Docker
    made = subprocess.run(asked, cwd=folder, capture_output=True, text=True)
    dockerfile = made.stdout + made.stderr
    assert made.returncode == 0, dockerfile
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in dockerfile
    assert "binder/postBuild" in dockerfile


def test_the_start_of_binder_is_executable_and_its_server_ends_idle_kernels():
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)
    env = os.environ | {"JUPYTER_CONFIG_PATH": str(ROOT / "binder")}
    command = [sys.executable, "-m", "jupyter", "lab", "--show-config"]
    told = subprocess.run(command, env=env, capture_output=True, text=True).stdout
    assert ".cull_idle_timeout = 1800" in told and ".cull_connected = True" in told


# Long: other environments


@pytest.mark.full
def test_the_wheel_needs_the_core_dependencies_only(tmp_path):
    need(online(), "pypi.org is out of reach")
    folder = copy_of_the_clone(tmp_path / "clone")
    built = uv("build", "--wheel", "--quiet", "--out-dir", tmp_path, cwd=folder)
    assert built.returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    assert uv("venv", "--quiet", tmp_path / "venv").returncode == 0
    python = tmp_path / "venv" / dev.BIN / "python"
    assert uv("pip", "install", "--quiet", "--python", python, wheel).returncode == 0
    code = "import toolkit as tk; from toolkit.datasets import load_adult, load_cig_toy; "
    code += "print(len(load_adult()), tk.cell_information_gain(load_cig_toy()).shape)"
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("32561 (")
