"""privacy-metrics: a page, a notebook and numbers, or one line and status 2."""

import ast
import html
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pandas as pd
import pytest
from pyarrow import csv, parquet as pq

import toolkit.__main__ as command
from tests import needs
from tests.needs import ROOT
from tests.project.test_packaging import uv
from toolkit import risk_report
from toolkit._old.catalogue import THRESHOLDS
from toolkit.datasets import load_adult
from toolkit.report import html as pages

KNOWN = ["--quasi-identifiers", "age,sex,zip", "--sensitive", "disease"]


NO_TEXT = "all\udcff.csv"
"""Name of a file that is not UTF-8."""
ODD = ['x";open("RUN","w").write("1");"', 'it\'s "q"', '"""', f"a\n{3 * chr(39)}", "\u202ec"]
"""Names of folders."""


def people(rows=60):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "name": [f"Xanthippe{i} Quux{i}" for i in range(rows)],
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["zzf", "zzm"], rows),
            "zip": rng.choice(["0010", "0020"], rows),
            "disease": rng.choice(["zzflu", "zzhiv"], rows),
        }
    )


def everyone():
    return pd.concat([people(), people(200)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that the command is run in, with a table."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    return tmp_path


def plant(folder):
    """Put programs beside a table, each of which leaves a file if it is run."""
    for name in ("charset_normalizer", "ipykernel_launcher", "pandas", "seaborn", "toolkit"):
        (folder / f"{name}.py").write_text("open('RUN', 'w')\nraise SystemExit('was run')\n")
    (folder / "lab").mkdir()
    page = "{{ cycler.__init__.__globals__.os.system('touch RUN') }}"
    (folder / "lab" / "index.html.j2").write_text(page)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of a table with odd names, in a folder with an odd name, beside programs."""
    folder = tmp_path_factory.mktemp("ä b")
    data = people().rename(columns={"zip": "zip <b>$x$"})
    data.to_csv(folder / "my people.csv", index=False, sep=";", encoding="cp1252")
    everyone().to_csv(folder / NO_TEXT, index=False)
    plant(folder)
    arguments = ["report", "my people.csv", "--quasi-identifiers", "age,sex"]
    arguments += ["--sensitive", "disease", "--population", NO_TEXT, "--output", "x.html"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MPLBACKEND", "Agg")
        assert command.main(arguments) == 0
    return folder


def test_a_report_is_a_page_a_notebook_and_numbers(made):
    shown = [path.name for path in made.iterdir() if path.suffix != ".py"]
    assert sorted(shown) == [NO_TEXT, "lab", "my people.csv", "x.html", "x.ipynb", "x.json"]
    found = json.loads((made / "x.json").read_text(encoding="utf-8"))
    assert found["records"] == 60 and found["quasi_identifiers"] == ["age", "sex"]
    assert "marketer risk" in [row["measure"] for row in found["identity"]]
    notebook = nbformat.read(made / "x.ipynb", as_version=4)
    assert all(c.execution_count for c in notebook.cells if c.cell_type == "code")


def test_settings_of_a_server_take_no_picture_out(made):
    assert (made / "x.html").read_text(encoding="utf-8").count("<img ") == 6


def test_a_report_that_lacks_a_figure_is_one_line(folder, monkeypatch, capsys):
    def run(path, values, *more):
        notebook = nbformat.read(path, as_version=4)
        drawn = [cell for cell in notebook.cells if "plt.subplots(" in cell.source]
        drawn[2].outputs = []
        return notebook, ""

    monkeypatch.setattr(pages, "run", run)
    assert command.main(["report"]) == 2
    assert "toolkit: 1 of 6 figures were not drawn" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_the_notebook_that_is_kept_names_the_table_and_runs_nothing(folder, monkeypatch, name):
    where = f"{name}/people"
    Path(where).mkdir(parents=True)
    people().to_parquet(f"{where}/p.parquet")
    seen = {}

    def run(path, values, *more):
        seen.update(values)
        Path(values["results"]).write_text("{}")
        notebook = nbformat.read(path, as_version=4)
        pages.set_parameters(notebook, values)
        return notebook, ""

    monkeypatch.setattr(pages, "run", run)
    arguments = ["--quasi-identifiers", "age", "--population", where, "--output", "x.html"]
    assert command.main(["report", where, *arguments]) == 0
    notebook = nbformat.read("x.ipynb", as_version=4)
    (cell,) = [c for c in notebook.cells if pages.INJECTED in c.metadata.get("tags", [])]
    lines = ast.parse(cell.source).body
    kept = {line.targets[0].id: ast.literal_eval(line.value) for line in lines}
    assert kept == {**seen, "results": "./report.json"} and kept["population"] == where


def test_nothing_beside_the_table_is_run(made, folder):
    assert not (made / "RUN").exists()
    plant(folder)
    people().assign(name="ä").to_csv("latin.csv", index=False, encoding="cp1252")
    command_line = [needs.command("privacy-metrics"), "roles", "latin.csv"]
    done = subprocess.run(command_line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not Path("RUN").exists()


def test_the_page_needs_nothing_and_links_to_the_course(made):
    text = (made / "x.html").read_text(encoding="utf-8")
    assert "<script" not in text and 'src="http' not in text and "@import" not in text
    links = set(re.findall(r'href="(https?:[^"]+\.ipynb)"', text))
    names = {link.rsplit("/", 1)[1] for link in links}
    assert "04-k-anonymity.ipynb" in names
    assert all((ROOT / "notebooks" / name).exists() for name in names)
    assert "my people.csv" in text and "zip &lt;b&gt;" in text and "<b>$x$" not in text


def test_no_cell_and_no_folder_is_in_any_file(made):
    for name in ("x.html", "x.ipynb", "x.json"):
        text = (made / name).read_text(encoding="utf-8")
        text = re.sub(
            r"(base64,|png\": \")[\w+/=\\]+", "", text
        )  # pictures, whose codes may be any
        assert not re.findall(r"Xanthippe|Quux|zzf|zzm|zzflu|zzhiv", text), name
        assert str(made) not in text and "/tmp/" not in text, name


def test_a_check_ends_with_0_or_1(folder, capsys):
    assert command.main(["check", "people.csv", *KNOWN, "--k", "1"]) == 0
    said = capsys.readouterr().out
    assert "assumed: age, sex, zip may be known; disease to be kept secret\n" in said
    assert "note: 'name': taken for direct identifiers" in said
    assert re.search(r"k_anonymity .* at least 1 +yes", said)
    assert command.main(["check", "people.csv", *KNOWN, "--k", "5", "--t", "0.9"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"k_anonymity .* at least 5 +NO", said) and "zz" not in said
    assert "more than" not in said
    assert command.main(["check", "people.csv", *KNOWN, "--k", "61"]) == 1
    assert "note: k of 61 is more than the 60 records; no" in capsys.readouterr().out


def test_every_way_to_the_command_says_the_same(folder):
    ways = [needs.command("privacy-metrics")], [sys.executable, "-P", "-m", "toolkit"]
    first, second = (
        subprocess.run([*way, "roles", "people.csv"], capture_output=True, text=True)
        for way in ways
    )
    assert first.stdout and first.returncode == 0, first.stderr
    assert (second.stdout, second.stderr) == (first.stdout, first.stderr)


WHERE = pytest.mark.parametrize("where", [[], ["--budget", "1GB"]], ids=["memory", "engine"])


def stored(name, where):
    """The file that was named, or the same table as Parquet, which an engine counts."""
    if not where:
        return name
    pq.write_table(csv.read_csv(name), Path(name).with_suffix(".parquet"))
    return str(Path(name).with_suffix(".parquet"))


def ran(arguments, capsys):
    """Status, output and complaint of a command."""
    status = command.main(arguments)
    return status, *capsys.readouterr()


@WHERE
def test_roles_are_never_guessed_and_a_suggestion_can_be_pasted(folder, capsys, where):
    people().rename(columns={"sex": "sex, at birth"}).to_csv("comma.csv", index=False)
    for run, asked in (("check", "--k"), ("treat", "--k"), ("check", "--l")):
        arguments = [run, stored("comma.csv", where), asked, "1", *where]
        status, out, said = ran(arguments, capsys)
        assert (status, out, said.count("\n")) == (2, "", 1) and "Xanthippe" not in said
        pasted = shlex.split(said.partition("suggestion: ")[2])
        assert pasted[: 1 + len(arguments)] == ["privacy-metrics", *arguments]
        assert "sex, at birth" in pasted and pasted[-2:] == ["--sensitive", "disease"]
        assert command.main([*pasted[1:], *["--force"] * (run == "treat")]) in (0, 1)
        capsys.readouterr()
    status, _, said = ran(
        ["check", stored("comma.csv", where), "--k=1", "--quasi-identifiers=age,sex", *where],
        capsys,
    )
    assert status == 2 and "such as --quasi-identifiers 'sex, at birth'" in said
    assert command.main(["check", "people.csv", "--quasi-identifiers", "age", "--l", "1"]) == 2


FIRST = {
    "counts": ("town,ill,N_obs\nA,flu,0\nA,hiv,1\nB,flu,4\nB,hiv,2\n", "by 'N_obs'"),
    "copies": ("town,ill\nA,x\nA,x\nB,x\nB,x\nC,y\nC,y\n", "6 of 6 records equal another"),
    "identifiers": ("town,ill,email\nA,x,a@b.org\nA,x,b@b.org\n", "'email': taken for direct"),
    "left": ("town,shoes,ill\nA,40,x\nA,41,x\n", "not measured: 'shoes'."),
}


@WHERE
@pytest.mark.parametrize("case", FIRST)
def test_what_no_number_shows_is_said_first(folder, capsys, where, case):
    text, wanted = FIRST[case]
    Path("t.csv").write_text(text)
    known = [stored("t.csv", where), "--quasi-identifiers=town", "--sensitive=ill", "--k=1"]
    known += where
    for run in ("check", "treat"):
        status, out, _ = ran([run, *known], capsys)
        assert status == 0 and wanted in out
    assert wanted[1:] in html.unescape(Path("t-treated.html").read_text(encoding="utf-8"))
    assert any(wanted in one for one in risk_report(pd.read_csv("t.csv"), "town", "ill").first)
    people()[["age", "sex"]].to_csv("t.csv", index=False)
    status, out, _ = ran(["check", "t.csv", "--quasi-identifiers=age,sex", "--k=1"], capsys)
    assert out.count("note: ") == 1 and "note: nobody said what must stay secret" in out


@WHERE
def test_a_population_that_repeats_rows_is_said(folder, capsys, where):
    Path("all.csv").write_text("name,town\nAnn,A\nAnn,A\nBob,B\nBob,B\n")
    Path("t.csv").write_text("town,ill\nA,flu\nB,hiv\n")
    asked = ["check", stored("t.csv", where), "--quasi-identifiers", "town", "--k-map", "2"]
    _, out, _ = ran([*asked, "--population", stored("all.csv", where), *where], capsys)
    assert "population: 2 rows repeat another one in every column" in out


def test_missing_numbers_of_several_kinds_are_refused(folder, capsys):
    Path("na.csv").write_text("n,ill\n1,a\nNA,b\n,c\n1,d\nnull,e\n")
    for run in ("check", "treat"):
        asked = [run, "na.csv", "--quasi-identifiers", "n", "--k", "2"]
        status, out, said = ran(asked, capsys)
        assert (status, out) == (2, "") and "in several ways that a cell of 'n' is" in said
    assert not Path("na-treated.csv").exists()


def test_what_reading_warns_of_reaches_every_command(folder, capsys):
    """Each warning of the readers is one that commands listen to."""
    for name in ("io.py",):
        for node in ast.walk(ast.parse((ROOT / "toolkit" / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn":
                assert ast.unparse(node.args[1]) in ("ReadingWarning", "SeveralMarks")
    Path("latin.csv").write_bytes("täwn,b\nÄ,1\nB,2\n".encode("cp1252"))
    status, _, said = ran(["check", "latin.csv", "--quasi-identifiers=b", "--k=1"], capsys)
    assert status == 0 and "which is a guess" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--quasi", "sex"], "unrecognized arguments: --quasi sex"),
        (["--separator", ";", "--separator", ","], "--separator is given twice"),
        (["--k", "2"], "--k is given twice"),
    ],
)
def test_no_option_wins_over_another_without_a_word(folder, capsys, options, said):
    with pytest.raises(SystemExit) as ended:
        command.main(["check", "people.csv", *KNOWN, "--k", "5", *options])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert said in told and "check --help shows all options" in told


@pytest.mark.parametrize(
    "number", ["nan", "inf", "-inf", "1e400", "", "9" * 400, "9" * 5000], ids=lambda n: n[:5]
)
def test_an_option_takes_a_number_or_refuses_it_in_one_line(folder, capsys, number):
    asked = ["check", "people.csv", *KNOWN, "--population", "people.csv"]
    cases = [[*asked, f"--{name.replace('_', '-')}={number}"] for name in THRESHOLDS]
    sizes = [f"--{name}={number} GB" for name in ("budget", "memory-limit")]
    cases += [["check", "people.csv", *KNOWN, "--k=2", size] for size in sizes]
    cases += [["report", "people.csv", f"--k={number}"]]
    for arguments in cases:
        try:
            status = command.main(arguments)
        except SystemExit as ended:
            status = ended.code
        said = capsys.readouterr()
        assert status in (0, 1, 2) and bool(said.out) == (status < 2)
        assert said.err.count("\n") == (status == 2), arguments[-1][:40]
        assert len(said.err) < 600 and "Unknown format" not in said.err


def test_controls_in_names_are_seen_and_obeyed_by_no_terminal(folder, capsys):
    table = people().rename(columns={"sex": "\u202esex\x1b[2J"})
    table.to_csv("odd.csv", index=False)
    assert command.main(["roles", "odd.csv"]) == 0
    assert command.main(["check", "odd.csv", "--quasi-identifiers", "age", "--k", "1"]) == 0
    assert command.main(["check", "no\x1b[2J.csv", "--k", "1"]) == 2
    said = "".join(capsys.readouterr())
    assert "␣sex␛[2J" in said and not re.search("[\u202e\x1b]", said)


def test_a_check_takes_every_threshold_and_a_population(folder, capsys):
    everyone().to_csv("all.csv", index=False)
    arguments = ["check", "people.csv", *KNOWN, "--population", "all.csv", "--json"]
    thresholds = ["--k-map", "1", "--l", "1", "--entropy-l", "1", "--alpha", "1", "--t", "1"]
    assert command.main([*arguments, *thresholds, "--risk", "1", "--c", "inf"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    asked = [row["metric"] for row in found["metrics"] if row["threshold"] is not None]
    assert {"k_map", "journalist_risk", "l_diversity", "t_closeness"} <= set(asked)


@WHERE
def test_a_population_without_a_person_is_refused_without_a_cell(folder, capsys, where):
    pd.DataFrame({"age": [31, 32], "town": ["A", "B"]}).to_csv("sample.csv", index=False)
    pd.DataFrame({"age": [31, 31], "town": ["A", "A"]}).to_csv("all.csv", index=False)
    asked = ["check", stored("sample.csv", where), "--quasi-identifiers", "age,town", *where]
    asked += ["--k-map", "1", "--population", stored("all.csv", where)]
    assert command.main(asked) == 2
    said = capsys.readouterr().err
    assert "must contain the" in said and "32" not in said


def test_roles_are_suggested(folder, capsys):
    assert command.main(["roles", "people.csv"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"name +direct identifier", said) and "Xanthippe" not in said


BAD = {
    "missing file": (["report", "poeple.csv"], "Did you mean 'people.csv'"),
    "empty file": (["report", "empty.csv"], "is empty"),
    "wrong separator": (["report", "people.csv", "--separator", ";"], "one column"),
    "long separator": (["report", "people.csv", "--separator", "ab"], "one character"),
    "wrong encoding": (["report", "latin.csv", "--encoding", "utf-8"], "say which it is"),
    "unknown column": (["report", "people.csv", "--quasi-identifiers", "agge"], "'age'"),
    "two roles": (["report", "people.csv", *KNOWN[:2], "--sensitive", "age"], "both"),
    "no quasi-identifier": (
        ["report", "people.csv", "--quasi-identifiers", ""],
        "at least one",
    ),
    "population": (
        ["report", "people.csv", *KNOWN, "--population", "latin.csv"],
        "population",
    ),
    "another population": (
        ["report", "people.csv", *KNOWN, "--population", "few.csv"],
        "must contain the table",
    ),
    "no table": (["report", "--quasi-identifiers", "age"], "--quasi-identifiers is for"),
    "people and no table": (["report", "--population", "people.csv"], "--population is for"),
    "empty path": (["report", ""], "the path of a table is empty"),
    "empty path of people": (["report", "people.csv", "--population", ""], "path of a table"),
    "too large a crowd": (
        ["report", "people.csv", "--k", "61"],
        "toolkit: k=61 needs at least",
    ),
    "no crowd": (["report", "people.csv", "--k", "0"], "toolkit: k must be from 1"),
    "missing folder": (["report", "--output", "no/where.html"], "no folder"),
    "no page": (["report", "--output", "report.pdf"], "end in .html"),
    "over the table": (["report", "x.json", "--output", "x.html"], "write over"),
    "no threshold": (["check", "people.csv"], "--k 5"),
    "bad threshold": (["check", "people.csv", "--t", "7"], "t must"),
    "no secret": (["check", "people.csv", *KNOWN[:3], "", "--l", "2"], "sensitive"),
    "no people": (["check", "people.csv", *KNOWN, "--k-map", "2"], "population"),
    "a folder": (["report", "."], ".parquet"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_status_2(case, folder, capsys):
    Path("empty.csv").touch()
    Path("latin.csv").write_bytes("täwn,b\nÄ,1\nB,2\n".encode("cp1252"))
    Path("x.json").write_text("{}")
    people(3).to_csv("few.csv", index=False)
    before = sorted(folder.iterdir())
    arguments, said = BAD[case]
    assert command.main(arguments) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("toolkit: ") and complaint.count("\n") == 1
    assert said in complaint and "Xanthippe" not in complaint
    assert sorted(folder.iterdir()) == before, "nothing is left"


def test_a_folder_that_cannot_be_written_to_is_named_at_once(folder, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(pages, "run", lambda *a, **k: pytest.fail("it was too late"))
    assert command.main(["report", "people.csv"]) == 2
    assert "nothing can be written to '.'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["chek"], [], ["check", "people.csv", "--k", "many"]])
def test_a_wrong_command_is_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_a_fault_in_the_notebook_is_one_line(folder, monkeypatch, capsys):
    fault = "cell 3: ValueError: no\nsuch luck"
    monkeypatch.setattr(pages, "run", lambda *a, **k: (nbformat.v4.new_notebook(), fault))
    assert command.main(["report", "people.csv"]) == 2
    assert "stopped in cell 3: ValueError: no such luck\n" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_an_interrupted_write_leaves_the_old_files(tmp_path, monkeypatch):
    old = tmp_path / "a.html"
    old.write_text("old")
    texts = {old: "new", tmp_path / "a.json": "new"}

    def interrupt(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(pages.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pages.write_all(texts)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    assert old.read_text() == "old"


def test_what_is_written_follows_no_link_and_keeps_permissions(tmp_path, monkeypatch):
    others, page = tmp_path / "others.txt", tmp_path / "a.html"
    others.write_text("others")
    page.write_text("old")
    page.chmod(0o600)
    pages.write_all({page: "new"})
    assert page.read_text() == "new" and page.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "others.txt"]
    monkeypatch.setattr(pages, "uuid4", lambda: SimpleNamespace(hex="known"))
    (tmp_path / ".known.tmp").symlink_to(others)
    with pytest.raises(FileExistsError):
        pages.write_all({page: "newer"})
    assert others.read_text() == "others" and page.read_text() == "new"


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_leaves_no_file(folder):
    large = pd.concat([load_adult()] * 8)
    large.to_csv("people.csv", index=False)
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "toolkit", "report", "people.csv"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stderr is not None
    time.sleep(3)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.decode().rstrip().endswith("Interrupted; no half file is left.")
    assert b"Traceback" not in said and b"ERROR" not in said
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


@pytest.mark.full
def test_the_wheel_makes_a_report_outside_the_repository(tmp_path):
    assert uv("build", "--wheel", "-q", "--out-dir", tmp_path, ROOT).returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    assert (
        tmp_path / "installed" / "toolkit" / "notebooks" / "pages" / "report.ipynb"
    ).is_file()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "toolkit", "report"],
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in elsewhere.iterdir())
    assert names == ["report.html", "report.ipynb", "report.json"]


def spent(*asked) -> float:
    """CPU seconds that Python takes for what it is asked."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *asked], capture_output=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.ci
def test_a_check_of_30_000_records_takes_little_more_than_to_load_pandas(tmp_path):
    """The least of seven turns each: other work on the machine only adds to one."""
    table, rng = tmp_path / "people.csv", np.random.default_rng(1)
    days = pd.date_range("1930-01-01", "2005-12-31")[rng.integers(0, 27_000, 30_000)]
    data = people(30_000).assign(born=days, income=rng.uniform(0, 9e4, 30_000).round(2))
    data.drop(columns="name").to_csv(table, index=False)
    check = ["-m", "toolkit", "check", table, *KNOWN, "--k", "2", "--l", "2", "--t", "0.5"]
    alone, asked = zip(
        *[(spent("-c", "import pandas"), spent(*check)) for _ in range(7)], strict=True
    )
    assert min(asked) - min(alone) <= 0.35
