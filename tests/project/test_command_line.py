"""privacy-metrics: pages, numbers and verdicts, or one line and status 2."""

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
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv, parquet as pq

import toolkit.__main__ as command
from tests import needs
from tests.needs import ROOT
from toolkit import risk_report
from toolkit.datasets import load_adult
from toolkit.disclosure.models import THRESHOLDS

KNOWN = ["--quasi-identifiers", "age,sex,zip", "--sensitive", "disease"]

NO_TEXT = "all\udcff.csv"
"""Name of a file that is not UTF-8."""


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
    for name in ("charset_normalizer", "jinja2", "matplotlib", "pandas", "seaborn", "toolkit"):
        (folder / f"{name}.py").write_text("open('RUN', 'w')\nraise SystemExit('was run')\n")
    (folder / "report.html.j2").write_text("{{ 1 / 0 }}")
    (folder / "matplotlibrc").write_text("figure.facecolor: red\nsavefig.facecolor: red\n")


def ran(arguments, capsys):
    """Status, output and complaint of a command."""
    status = command.main(arguments)
    return status, *capsys.readouterr()


# report


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of a table with odd names, in a folder with an odd name, beside programs."""
    folder = tmp_path_factory.mktemp("ä b")
    data = people().rename(columns={"zip": "zip <b>$x$"})
    data.to_csv(folder / "my people.csv", index=False, sep=";", encoding="cp1252")
    everyone().to_csv(folder / NO_TEXT, index=False)
    arguments = ["report", "my people.csv", "--quasi-identifiers", "age,sex"]
    arguments += ["--sensitive", "disease", "--population", NO_TEXT, "--output", "x.html"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert command.main(arguments) == 0
    return folder


def test_a_report_is_a_page_and_numbers(made):
    shown = [path.name for path in made.iterdir()]
    assert sorted(shown) == [NO_TEXT, "my people.csv", "x.html", "x.json"]
    found = json.loads((made / "x.json").read_text(encoding="utf-8"))
    assert found["records"] == 60 and found["quasi_identifiers"] == ["age", "sex"]
    assert "marketer risk" in [row["measure"] for row in found["identity"]]
    text = (made / "x.html").read_text(encoding="utf-8")
    assert "my people.csv" in text and "zip &lt;b&gt;" in text and "<b>$x$" not in text


def test_no_cell_and_no_folder_is_in_any_file(made):
    for name in ("x.html", "x.json"):
        text = (made / name).read_text(encoding="utf-8")
        text = re.sub("base64,[A-Za-z0-9+/=]+", "", text)  # pictures, whose codes may be any
        assert not re.findall(r"Xanthippe|Quux|zzf|zzm|zzflu|zzhiv", text), name
        assert str(made) not in text and "/tmp/" not in text, name


def test_a_second_report_does_not_replace_the_first(folder, capsys):
    people(40).to_csv("a.csv", index=False)
    assert command.main(["report", "a.csv", *KNOWN, "--k", "3", "--l", "2"]) == 0
    first = Path("a-report.html").read_bytes()
    capsys.readouterr()
    status, out, said = ran(["report", "a.csv", *KNOWN], capsys)
    assert (status, out, said.count("\n")) == (2, "", 1) and "--force" in said
    assert Path("a-report.html").read_bytes() == first
    assert command.main(["report", "a.csv", *KNOWN, "--force"]) == 0
    assert Path("a-report.html").read_bytes() != first
    names = sorted(path.name for path in folder.glob("*-report.*"))
    assert names == ["a-report.html", "a-report.json"]


def test_nothing_in_the_current_folder_is_run_or_obeyed(folder, monkeypatch):
    monkeypatch.setenv("MATPLOTLIBRC", str(folder))  # as if it stood in the user's own
    people().assign(name="ä").to_csv("latin.csv", index=False, encoding="cp1252")
    report = ["report", "people.csv", *KNOWN, "--output"]
    for arguments in ([*report, "plain.html"], ["roles", "latin.csv"], [*report, "x.html"]):
        command_line = [needs.command("privacy-metrics"), *arguments]
        done = subprocess.run(command_line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        plant(folder)
    assert not Path("RUN").exists()
    pages = (Path(name).read_text(encoding="utf-8") for name in ("plain.html", "x.html"))
    drawn = [re.findall("base64,([A-Za-z0-9+/=]+)", page) for page in pages]
    assert len(drawn[0]) == 5 and drawn[0] == drawn[1], "its settings change no figure"


# check and roles


def test_a_check_ends_with_0_or_1(folder, capsys):
    status, said, _ = ran(["check", "people.csv", *KNOWN, "--k", "1"], capsys)
    assert status == 0
    assert "assumed: age, sex, zip may be known; disease to be kept secret\n" in said
    assert "note: 'name': taken for direct identifiers" in said
    assert re.search(r"k_anonymity .* at least 1 +yes", said)
    status, said, _ = ran(["check", "people.csv", *KNOWN, "--k", "5", "--t", "0.9"], capsys)
    assert status == 1 and re.search(r"k_anonymity .* at least 5 +NO", said)
    assert "zz" not in said


def test_every_way_to_the_command_says_the_same(folder):
    ways = [needs.command("privacy-metrics")], [sys.executable, "-P", "-m", "toolkit"]
    first, second = (
        subprocess.run([*way, "roles", "people.csv"], capture_output=True, text=True)
        for way in ways
    )
    assert re.search(r"name +direct identifier", first.stdout) and first.returncode == 0
    assert "Xanthippe" not in first.stdout
    assert (second.stdout, second.stderr) == (first.stdout, first.stderr)


WHERE = pytest.mark.parametrize("engine", [False, True], ids=["memory", "engine"])


def stored(name, engine):
    """The file that was named, or the same table as a folder, which an engine counts."""
    if not engine:
        return name
    folder = Path(name).with_suffix("")
    folder.mkdir(exist_ok=True)
    pq.write_table(csv.read_csv(name), folder / "part.parquet")
    return str(folder)


@WHERE
def test_roles_are_never_guessed_and_a_suggestion_can_be_pasted(folder, capsys, engine):
    people().rename(columns={"sex": "sex, at birth"}).to_csv("comma.csv", index=False)
    for run, asked in (("check", "--k"), ("treat", "--k"), ("check", "--l")):
        arguments = [run, stored("comma.csv", engine), asked, "1"]
        status, out, said = ran(arguments, capsys)
        assert (status, out, said.count("\n")) == (2, "", 1) and "Xanthippe" not in said
        pasted = shlex.split(said.partition("suggestion: ")[2])
        assert pasted[: 1 + len(arguments)] == ["privacy-metrics", *arguments]
        assert "sex, at birth" in pasted and pasted[-2:] == ["--sensitive", "disease"]
        assert command.main([*pasted[1:], *["--force"] * (run == "treat")]) in (0, 1)
        capsys.readouterr()
    assert command.main(["check", "people.csv", "--quasi-identifiers", "age", "--l", "1"]) == 2


FIRST = {
    "counts": ("town,ill,N_obs\nA,flu,0\nA,hiv,1\nB,flu,4\nB,hiv,2\n", "by 'N_obs'"),
    "copies": ("town,ill\nA,x\nA,x\nB,x\nB,x\nC,y\nC,y\n", "6 of 6 records equal another"),
    "identifiers": ("town,ill,email\nA,x,a@b.org\nA,x,b@b.org\n", "'email': taken for direct"),
    "left": ("town,shoes,ill\nA,40,x\nA,41,x\n", "not measured: 'shoes'."),
}


@WHERE
@pytest.mark.parametrize("case", FIRST)
def test_what_no_number_shows_is_said_first(folder, capsys, engine, case):
    text, wanted = FIRST[case]
    Path("t.csv").write_text(text)
    known = [stored("t.csv", engine), "--quasi-identifiers=town", "--sensitive=ill", "--k=1"]
    for run in ("check", "treat"):
        status, out, _ = ran([run, *known], capsys)
        assert status == 0 and wanted in out
    assert wanted[1:] in html.unescape(Path("t-treated.html").read_text(encoding="utf-8"))
    first = risk_report(pd.read_csv("t.csv"), "town", "ill").facts["first"]
    assert any(wanted in line for line in first)
    people()[["age", "sex"]].to_csv("t.csv", index=False)
    status, out, _ = ran(["check", "t.csv", "--quasi-identifiers=age,sex", "--k=1"], capsys)
    assert out.count("note: ") == 1 and "note: nobody said what must stay secret" in out


@WHERE
def test_a_named_column_that_names_people_is_warned_of(folder, capsys, engine):
    data = pd.DataFrame({"e-mail": ["a@b.org"] * 4, "ill": list("abab"), "note": "He has hiv"})
    data.to_csv("t.csv", index=False)
    asked = ["--quasi-identifiers=e-mail", "--sensitive=ill,note", "--k=2"]
    status, out, _ = ran(["check", stored("t.csv", engine), *asked], capsys)
    assert status == 0 and "note: 'e-mail', 'note': named, but taken for" in out
    report = risk_report(data, "e-mail", ["ill", "note"], k=2)
    assert report.facts["barred"] == ["e-mail", "note"] and not report.met
    assert "'e-mail', 'note': named, but taken for" in report.facts["first"][0]


@WHERE
def test_a_population_that_repeats_rows_is_said(folder, capsys, engine):
    Path("all.csv").write_text("name,town\nAnn,A\nAnn,A\nBob,B\nBob,B\n")
    Path("t.csv").write_text("town,ill\nA,flu\nB,hiv\n")
    asked = ["check", stored("t.csv", engine), "--quasi-identifiers", "town", "--k-map", "2"]
    _, out, _ = ran([*asked, "--population", stored("all.csv", engine)], capsys)
    assert "population: 2 rows repeat another one in every column" in out


@WHERE
def test_people_are_counted_and_several_records_of_one_are_said(folder, capsys, engine):
    data = pd.DataFrame({"patient_id": [f"P{i // 3:03d}" for i in range(90)]})
    data.assign(age=np.arange(90) % 3 + 20).to_csv("visits.csv", index=False)
    asked = ["check", stored("visits.csv", engine), "--quasi-identifiers=age", "--k=30"]
    status, out, _ = ran(asked, capsys)
    assert status == 0 and "the same person" in out and "k counts records" in out
    status, out, _ = ran([*asked, "--person=patient_id"], capsys)
    assert status == 0 and "k and risk count people, by 'patient_id'" in out
    status, out, _ = ran(["treat", "visits.csv", *asked[2:], "--force"], capsys)
    assert status == 0 and out.startswith("Counted by records, not by people: k = 30 is met.")


def test_a_level_that_roles_shows_can_be_kept(folder, capsys):
    text = (ROOT / "docs" / "custodians.md").read_text(encoding="utf-8")
    column, level = re.search("`--keep ([a-z]+)=([a-z]+)`", text).groups()
    days = pd.date_range("1950-01-01", periods=60, freq="300D")
    pd.DataFrame({column: days, "sex": ["f", "m"] * 30}).to_csv("t.csv", index=False)
    _, out, _ = ran(["roles", "t.csv"], capsys)
    assert f"which others may know  months, years, 5 years, {level}, hidden" in out
    asked = ["treat", "t.csv", f"--quasi-identifiers={column}", "--k=2"]
    assert ran([*asked, f"--keep={column}={level}"], capsys)[0] == 0


def test_missing_cells_are_said_or_refused(folder, capsys):
    Path("na.csv").write_text("n,ill\n1,a\nNA,b\n,c\n1,d\nnull,e\n")
    for run in ("check", "treat"):
        asked = [run, "na.csv", "--quasi-identifiers", "n", "--k", "2"]
        status, out, said = ran(asked, capsys)
        assert (status, out) == (2, "") and "in several ways that a cell of 'n' is" in said
    assert not Path("na-treated.csv").exists()
    Path("some.csv").write_text("n,ill\n1,a\n1,\n1,b\n")
    asked = ["check", "some.csv", "--quasi-identifiers=n", "--sensitive=ill", "--k=2"]
    assert "note: 1 sensitive cells are missing" in ran(asked, capsys)[1]
    status, out, said = ran([*asked, "--l=2"], capsys)
    assert (status, out) == (2, "") and "'ill' is missing in 1 record" in said


def test_what_reading_warns_of_reaches_every_command(folder, capsys):
    Path("latin.csv").write_bytes("täwn,b\nÄ,1\nB,2\n".encode("cp1252"))
    status, _, said = ran(["check", "latin.csv", "--quasi-identifiers=b", "--k=1"], capsys)
    assert status == 0 and "which is a guess" in said


def test_a_line_of_names_below_a_title_is_proposed_and_taken(folder, capsys):
    Path("t.csv").write_text("Staff of May\n\nage,sex,job\n31,f,a\n32,m,b\n31,f,a\n")
    asked = ["check", "t.csv", "--quasi-identifiers=age,sex", "--k=1"]
    status, _, said = ran(asked, capsys)
    assert status == 2 and "--header-line 3" in said
    assert command.main([*asked, "--header-line", "3"]) == 0


def test_a_check_takes_every_threshold_and_a_population(folder, capsys):
    everyone().to_csv("all.csv", index=False)
    arguments = ["check", "people.csv", *KNOWN, "--population", "all.csv", "--json"]
    thresholds = ["--k-map", "1", "--l", "1", "--entropy-l", "1", "--alpha", "1", "--t", "1"]
    status, out, _ = ran([*arguments, *thresholds, "--risk", "1", "--c", "inf"], capsys)
    found = json.loads(out)
    assert found["satisfied"] == (status == 0) and "zz" not in out
    asked = [row["metric"] for row in found["metrics"] if row["threshold"] is not None]
    assert {"k_map", "journalist_risk", "l_diversity", "t_closeness"} <= set(asked)


@WHERE
def test_a_population_without_a_person_is_refused_without_a_cell(folder, capsys, engine):
    pd.DataFrame({"age": [31, 32], "town": ["A", "B"]}).to_csv("sample.csv", index=False)
    pd.DataFrame({"age": [31, 31], "town": ["A", "A"]}).to_csv("all.csv", index=False)
    asked = ["check", stored("sample.csv", engine), "--quasi-identifiers", "age,town"]
    asked += ["--k-map", "1", "--population", stored("all.csv", engine)]
    status, _, said = ran(asked, capsys)
    assert status == 2 and "must contain the" in said and "32" not in said


# Options and bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--quasi", "sex"], "unrecognized arguments: --quasi sex"),
        (["--separator", ";", "--separator", ","], "--separator is given twice"),
        (["--k", "2"], "--k is given twice"),
        (["--k=2"], "--k is given twice"),
    ],
)
def test_no_option_wins_over_another_without_a_word(folder, capsys, options, said):
    with pytest.raises(SystemExit) as ended:
        command.main(["check", "people.csv", *KNOWN, "--k", "5", *options])
    assert ended.value.code == 2
    complaint = capsys.readouterr().err
    assert said in complaint and "--help shows all options" in complaint


@pytest.mark.parametrize(
    "number", ["nan", "inf", "-inf", "1e400", "", "9" * 400, "9" * 5000], ids=lambda n: n[:5]
)
def test_an_option_takes_a_number_or_refuses_it_in_one_line(folder, capsys, number):
    asked = ["check", "people.csv", *KNOWN, "--population", "people.csv"]
    cases = [[*asked, f"--{name.replace('_', '-')}={number}"] for name in THRESHOLDS]
    cases += [["report", "people.csv", f"--k={number}"]]
    for arguments in cases:
        try:
            status = command.main(arguments)
        except SystemExit as ended:
            status = ended.code
        said = capsys.readouterr()
        assert status in (0, 1, 2) and bool(said.out) == (status < 2)
        assert said.err.count("\n") == (status == 2), arguments[-1][:40]
        assert len(said.err) < 600


def test_controls_in_names_are_seen_and_obeyed_by_no_terminal(folder, capsys):
    table = people().rename(columns={"sex": "\u202esex\x1b[2J"})
    table.to_csv("odd.csv", index=False)
    asked = ["check", "odd.csv", "--quasi-identifiers", "age", "--k", "1"]
    assert command.main(["roles", "odd.csv"]) == 0
    assert command.main(asked) == 0 and command.main([*asked, "--json"]) == 0
    assert command.main(["check", "no\x1b[2J.csv", "--k", "1"]) == 2
    said = "".join(capsys.readouterr())
    assert "␣sex␛[2J" in said and not re.search("[\u202e\x1b]", said)


BAD = {
    "missing file": (["report", "poeple.csv"], "Did you mean 'people.csv'"),
    "empty file": (["report", "empty.csv"], "is empty"),
    "wrong separator": (["report", "people.csv", "--separator", ";"], "one column"),
    "no separator": (["roles", "x.parquet", "--separator", ";"], "--separator is for"),
    "no sheet": (["check", "people.csv", "--k=2", "--sheet", "a"], "ends in .xlsx or .xlsm"),
    "wrong encoding": (["report", "latin.csv", "--encoding", "utf-8"], "say which it is"),
    "unknown column": (["report", "people.csv", "--quasi-identifiers", "agge"], "'age'"),
    "two roles": (["report", "people.csv", *KNOWN[:2], "--sensitive", "age"], "two roles"),
    "no column": (["report", "people.csv", "--quasi-identifiers", ""], "at least one"),
    "nothing known": (
        ["check", "people.csv", "--quasi-identifiers", "", "--k=2"],
        "one column",
    ),
    "population": (["report", "people.csv", *KNOWN, "--population", "latin.csv"], "'age'"),
    "another population": (
        ["report", "people.csv", *KNOWN, "--population", "few.csv"],
        "must contain the",
    ),
    "empty path": (["report", ""], "the path of a table is empty"),
    "zero": (["report", "people.csv", "--k", "0"], "toolkit: k must be"),
    "missing folder": (["report", "people.csv", "--output", "no/where.html"], "no folder"),
    "no page": (["report", "people.csv", "--output", "report.pdf"], "end in .html"),
    "over the table": (["report", "x.json", "--output", "x.html"], "write over"),
    "no threshold": (["check", "people.csv"], "--k 5"),
    "bad threshold": (["check", "people.csv", *KNOWN, "--t", "7"], "t must"),
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
    status, out, complaint = ran(arguments, capsys)
    assert (status, out) == (2, "")
    assert complaint.startswith("toolkit: ") and complaint.count("\n") == 1
    assert said in complaint and "Xanthippe" not in complaint
    assert sorted(folder.iterdir()) == before, "nothing is left"


@pytest.mark.parametrize("arguments", [["chek"], [], ["check", "people.csv", "--k", "many"]])
def test_a_wrong_command_is_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2 and capsys.readouterr().err.count("\n") == 1


# Files that are written


def test_an_interrupted_write_leaves_the_old_files(tmp_path, monkeypatch):
    old = tmp_path / "a.html"
    old.write_text("old")
    texts = {old: "new", tmp_path / "a.json": "new"}

    def interrupt(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        command.write_all(texts)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    assert old.read_text() == "old"


def test_what_is_written_follows_no_link_and_keeps_permissions(tmp_path, monkeypatch):
    others, page = tmp_path / "others.txt", tmp_path / "a.html"
    others.write_text("others")
    page.write_text("old")
    page.chmod(0o600)
    command.write_all({page: "new"})
    assert page.read_text() == "new" and page.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "others.txt"]
    monkeypatch.setattr(command, "uuid4", lambda: SimpleNamespace(hex="known"))
    (tmp_path / ".known.tmp").symlink_to(others)
    with pytest.raises(FileExistsError):
        command.write_all({page: "newer"})
    assert others.read_text() == "others" and page.read_text() == "new"


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_leaves_no_file(folder):
    pd.concat([load_adult()] * 8).to_csv("people.csv", index=False)
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "toolkit", "report", "people.csv"],
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
    assert b"Traceback" not in said
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


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
