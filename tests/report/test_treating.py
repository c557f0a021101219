"""Releases: what `treat` claims holds in the file that it wrote, and nothing else is in any.

The restatement below is slow and plain Python: it reads the files as text and knows nothing of
the package.
"""

import contextlib
import csv
import hashlib
import html
import json
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
import toolkit.__main__ as command
from toolkit.anonymisation.lattice import ThresholdsMissed

KNOWN, SECRET = ["age", "born", "sex", "place"], "illness"


# What a release says, restated


def rows_of(path):
    """Rows of a text of cells."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def in_classes(rows, known):
    """Rows by what an attacker may know."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in known)].append(row)
    return found.values()


def measured(name, rows, known):
    """The number of the worst class."""
    everyone, classes = Counter(row[SECRET] for row in rows), in_classes(rows, known)
    if name == "k":
        return min(map(len, classes))
    if name == "l":
        return min(len({row[SECRET] for row in one}) for one in classes)
    if name == "alpha":
        return max(
            max(Counter(row[SECRET] for row in one).values()) / len(one) for one in classes
        )
    distances = [0]
    for one in classes:
        here = Counter(row[SECRET] for row in one)
        shares = [
            Fraction(here[v], len(one)) - Fraction(n, len(rows)) for v, n in everyone.items()
        ]
        distances.append(sum(map(abs, shares)) / 2)
    return float(max(distances))


def meets(name, number, threshold):
    return number >= threshold if name in "kl" else number <= threshold * (1 + 1e-9)


def lost(before, record, known):
    """Geometric mean over the columns of 1 + L, less 1, from the labels of the record."""
    n, product = len(before), 1.0
    out = n - record["records_released"]
    for name in known:
        column, values = record["columns"][name], Counter(row[name] for row in before)
        labels = column.get("labels") or {v: column.get("label", v) for v in values}
        under, d = Counter(labels.values()), len(values)
        released = Counter(row[name] for row in rows_of("people-treated.csv"))
        opened = (
            sum(Fraction(under[label], d) * count for label, count in released.items()) + out
        )
        product *= 1 + float((opened - Fraction(n, d)) / (n - Fraction(n, d))) if d > 1 else 1
    return product ** (1 / len(known)) - 1


def table(seed):
    """A random table of a few dozen to a few hundred people."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(25, 160))
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 15000, n), unit="D")
    places = rng.choice([f"K{i}{j}7" for i in range(3) for j in range(4)], n)
    jobs = rng.choice(list("abcdefgh"), n, p=[0.3, 0.3, 0.2, 0.1, 0.04, 0.03, 0.02, 0.01])
    return pd.DataFrame(
        {
            "name": [f"Xanthippe{i} Quux{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "born": days.strftime("%Y-%m-%d"),
            "sex": rng.choice(["f", "m"], n),
            "place": jobs if seed % 3 == 0 else places,
            "illness": rng.choice(["flu", "cold", "hiv", "ulcer"], n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    ).drop(columns=["age", "born"][seed % 2] if seed % 5 else [])


def thresholds(seed):
    """Thresholds that are asked for, and the share of records that may go."""
    rng = np.random.default_rng(1000 + seed)
    asked = {"k": int(rng.integers(2, 6))}
    if seed % 2:
        asked["l"] = int(rng.integers(2, 4))
    if seed % 4 == 2:
        asked["t"] = round(float(rng.uniform(0.3, 0.7)), 2)
    if seed % 7 == 3:
        asked["alpha"] = round(float(rng.uniform(0.6, 0.9)), 2)
    return asked, [0.0, 0.05, 0.2][seed % 3]


@pytest.mark.parametrize(
    "seed",
    [*range(16), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(16, 300))],
)
def test_what_is_claimed_holds_in_the_file(seed, tmp_path, monkeypatch, capsys):
    """Restated by brute force; no draw can fail but by a fault (false-alarm rate 0)."""
    monkeypatch.chdir(tmp_path)
    data, (asked, limit) = table(seed), thresholds(seed)
    data.to_csv("people.csv", index=False)
    known = [name for name in KNOWN if name in data]
    roles = ["--quasi-identifiers", ",".join(known), "--sensitive", SECRET]
    options = [f"--{name}={number}" for name, number in asked.items()]
    status = command.main(
        ["treat", "people.csv", *roles, *options, f"--suppression-limit={limit}"]
    )
    if status == 1:  # not even one class of all records meets it
        everyone = rows_of("people.csv")
        for row in everyone:
            row.update(dict.fromkeys(known, "*"))
        assert not all(
            meets(name, measured(name, everyone, known), asked[name]) for name in asked
        )
        assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
        return
    assert status == 0
    before, after = rows_of("people.csv"), rows_of("people-treated.csv")
    record = json.loads(Path("people-treated.json").read_text())
    assert list(after[0]) == [*[name for name in data if name in known], SECRET]
    assert record["records_released"] == len(after)
    assert record["records_suppressed"] == len(before) - len(after) <= limit * len(before)
    for found in record["measured"]:
        number = measured(found["threshold_of"], after, known)
        assert math.isclose(found["value"], number, rel_tol=1e-12)
        assert meets(found["threshold_of"], number, asked[found["threshold_of"]])
    assert {found["threshold_of"] for found in record["measured"]} == set(asked)
    assert math.isclose(record["loss"], lost(before, record, known), abs_tol=1e-9)
    for name, file in (("before", "people.csv"), ("after", "people-treated.csv")):
        assert record[f"sha256_{name}"] == hashlib.sha256(Path(file).read_bytes()).hexdigest()
    assert "Quux" not in "".join(path.read_text() for path in tmp_path.glob("*treated*"))
    capsys.readouterr()
    assert command.main(["check", "people-treated.csv", *roles, *options]) == 0


# From Python


def test_the_rows_are_in_a_random_order_and_nothing_tells_whose_they_were():
    data = table(5).set_axis([f"p{i}" for i in range(len(table(5)))])
    one, other = (tk.treat(data, ["age", "sex"], 2, sensitive=SECRET) for _ in range(2))
    columns = list(one.data)
    assert one.data.index.equals(pd.RangeIndex(len(one.data)))
    assert not one.data.equals(other.data), "1 in 10^100 releases"
    assert one.data.sort_values(columns, ignore_index=True).equals(
        other.data.sort_values(columns, ignore_index=True)
    )
    assert one.kept.index.equals(data.index) and one.kept.sum() == len(one.data)
    with pytest.raises(ValueError, match="in a random order"):
        one.with_suppressed_rows()


def test_levels_are_kept_or_given_and_numbers_rounded():
    data = table(5).assign(pay=np.arange(len(table(5))) * 1234 + 17)
    free = tk.treat(data, ["age", "born"], 4, sensitive="pay", rounding={"pay": 5000})
    kept = tk.treat(data, ["age", "born"], 4, sensitive="pay", keep={"born": "5 years"})
    assert free.record["columns"]["born"]["level"] in ("decades", "hidden")
    assert kept.record["columns"]["born"]["level"] == "5 years" and kept.privacy["k"] >= 4
    assert (free.data["pay"] % 5000 == 0).all() and kept.loss >= free.loss
    fixed = tk.treat(data, ["age", "sex"], 2, levels={"age": "hidden", "sex": 0})
    assert fixed.levels["sex"] == 0 and set(fixed.data["age"]) == {"*"}
    assert list(fixed.data) == ["age", "sex"], "what nobody named is not released"
    odd = pd.DataFrame({"town": list("AABB"), "ill": [*"ab\ud800a"]}, dtype=object)
    assert tk.treat(odd, "town", 2, sensitive="ill", l=2).privacy["k"].item() == 2


def test_a_risk_is_asked_as_the_k_that_bounds_it():
    data = table(5)
    for risk, k in ((0.25, 4), (0.3, 4), (1 / 3, 3)):
        one = tk.treat(data, ["age", "sex"], 2, risk=risk)
        other = tk.treat(data, ["age", "sex"], k)
        assert (one.levels, one.loss) == (other.levels, other.loss)
        assert one.record["thresholds"] == {"k": 2, "risk": risk}


def test_no_level_is_passed_by_number_or_by_name():
    data = table(5)
    tree = tk.suggest_hierarchies(data)["age"]
    unnamed = {"age": pd.DataFrame(tree)}
    for level, name in enumerate(tree.names):
        for kept in (level, name):
            with contextlib.suppress(ThresholdsMissed):
                assert tk.treat(data, "age", keep={"age": kept}).levels["age"] <= level
        called = f"level {level}" if level else "as it is"
        for given in (level, called):
            asked = {"hierarchies": unnamed, "suppression_limit": 0.95}
            release = tk.treat(data, "age", 2, levels={"age": given}, **asked)
            assert release.levels == {"age": level} and release.privacy["k"] >= 2
            assert release.record["columns"]["age"]["level"] == called
    assert tk.treat(data, "sex").record["thresholds"] == {"k": 5}
    with pytest.raises(ThresholdsMissed, match="no record is left"):
        tk.treat(data, "name", 2, levels={"name": 0}, suppression_limit=1)


AGAIN = {
    "a value": (
        {"age": 18117},
        ValueError,
        "column 'age' holds 1 value that the record does not",
    ),
    "texts": (
        {"age": "ancient"},
        ValueError,
        "column 'age' holds 1 value that the record does not",
    ),
    "all alike": ({"illness": "flu"}, ThresholdsMissed, "no levels satisfy"),
}


@pytest.mark.parametrize("case", AGAIN)
def test_a_record_treats_the_next_table_alike_or_refuses_it(case):
    data = table(5).assign(age=lambda d: 20 + d["age"] % 40)
    asked = {"sensitive": SECRET, "l": 2, "suppression_limit": 0.3}
    release = tk.treat(data, ["age", "sex"], 2, **asked)
    record = json.loads(json.dumps(release.record))
    again = tk.treat_again(record, data[data.columns[::-1]])
    columns = sorted(release.data)
    texts = [one.data[columns].astype(str).to_csv(index=False) for one in (release, again)]
    assert sorted(texts[0].split()) == sorted(texts[1].split())
    assert (again.kept == release.kept).all() and again.loss == pytest.approx(release.loss)
    cells, error, message = AGAIN[case]
    with pytest.raises(error, match=message) as refused:
        tk.treat_again(record, data.assign(**cells))
    assert not re.search("18117|ancient", str(refused.value))
    with pytest.raises(ValueError, match="record is not complete"):
        tk.treat_again({**record, "columns": {"age": {}}}, data)


REFUSED = {
    "a person who recurs": {"person": "place"},
    "a person who is released": {"person": "age"},
    "a threshold of people": {"k_map": 2},
    "a threshold of nothing": {"l": 2, "sensitive": None},
    "a level that is not there": {"keep": {"age": "centuries"}},
    "levels of another column": {"levels": {"place": 1}},
    "rounded text": {"rounding": {"illness": 10}},
    "known and secret": {"sensitive": "age"},
    "k above the records": {"k": 999},
    "cells that cannot be compared": {"data": table(5).assign(age=[[1]] * len(table(5)))},
    "two values of one text": {
        "data": pd.DataFrame({"sex": ["", None, "f", "f"], SECRET: list("abab")}),
        "quasi_identifiers": "sex",
        "hierarchies": {"sex": [["", "x", "*"], [None, "x", "*"], ["f", "y", "*"]]},
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_treated_is_refused_without_a_cell(case):
    asked = {"data": table(5), "quasi_identifiers": ["age", "sex"], "k": 2}
    with pytest.raises((ValueError, TypeError)) as refused:
        tk.treat(**asked | {"sensitive": SECRET} | REFUSED[case])
    assert not re.search(r"ulcer|K\d\d7|Quux", str(refused.value))


# The command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that the command is run in, with a table."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"no": range(400), "age": rng.integers(20, 60, 400)})
    data["job"] = rng.choice(["nurse", "judge", "clerk"], 400)
    data["pay"] = rng.integers(20_000, 90_000, 400)
    data["illness"] = rng.choice(["flu", "hiv"], 400)
    data.to_csv("people.csv", index=False)
    return tmp_path


ROLES = ["--quasi-identifiers", "age,job", "--sensitive", "illness,pay"]


def test_the_first_line_says_what_was_not_asked(folder, capsys):
    """In the terminal, on the page and in the record."""
    ill = ["flu"] * 6 + ["flu", "hiv"] * 6
    pd.DataFrame({"job": ["a"] * 6 + ["b"] * 12, "ill": ill}).to_csv("t.csv", index=False)
    asked = ["treat", "t.csv", "--quasi-identifiers", "job", "--k", "5", "--force"]
    open_ = "Not asked: what can be learned about ill (certain for 33 % of the records)."
    for more, line in (
        (["--sensitive", "ill"], f"k = 5 is met. {open_}"),
        (
            ["--sensitive", "ill", "--l", "1"],
            "The release meets every threshold: k = 5, l = 1.",
        ),
        (["--output=t-treated.parquet"], "k = 5 is met. No column was named as secret."),
    ):
        assert command.main([*asked, *more]) == 0
        assert capsys.readouterr().out.splitlines()[0] == line
        assert next(iter(json.loads(Path("t-treated.json").read_text()).values())) == line
        kind = "" if "every" in line else " open"
        assert f'"verdict{kind}">{line}' in Path("t-treated.html").read_text(encoding="utf-8")
    assert [*pd.read_parquet("t-treated.parquet")] == ["job"]
    twice = pd.DataFrame({"job": ["a"] * 6, "ill": [1, "1"] * 3})  # alike in the written file
    twice.to_excel("t.xlsx", index=False)
    assert command.main(["treat", "t.xlsx", *asked[2:], "--sensitive", "ill"]) == 0
    assert "certain for 100 %" in capsys.readouterr().out


def test_the_page_shows_rows_roles_and_who_was_taken_out_and_runs_nothing(folder, capsys):
    name = "job <script>alert(1)</script>\u202e"
    data = pd.read_csv("people.csv").rename(columns={"job": name})
    data.loc[0, name] = "<b>smith</b>"
    data.loc[1:4, name] = None
    data.to_csv("odd.csv", index=False)
    roles = ["--quasi-identifiers", "age", "--quasi-identifiers", name, "--sensitive=illness"]
    assert command.main(["treat", "odd.csv", *roles, "--round=age=5", "--k=3"]) == 0
    page = Path("odd-treated.html").read_text(encoding="utf-8")
    assert "<script" not in page and "\u202e" not in page and "<b>smith" not in page
    assert not re.search(r"(src|href)=|@import|url\(", page)
    for words in ("Before", "After", "Who was taken out", "rounded to 5", "left out"):
        assert words in page
    assert "(missing)" in page and ">nan<" not in page
    assert not re.search(r"\btd\b[^}]*anywhere", page), "no word of a cell is cut in two"
    assert "keep it with the table" in page and page.count("<h2>") == 5
    assert "a value that only one record" not in html.unescape(page).lower()
    everyone = ["--round=age=5", f"--k={len(data)}", "--force"]
    assert command.main(["treat", "odd.csv", *roles, *everyone]) == 0
    assert "levels: age: hidden; job" in capsys.readouterr().out
    assert command.main(["treat", "people.csv", *ROLES]) == 0
    assert "leads anybody who knows it" in Path("people-treated.html").read_text("utf-8")


def test_a_release_is_written_as_its_table_is(folder):
    data = pd.read_csv("people.csv").replace("judge", "Prüfer")
    data = data.assign(size=1.5)
    data.to_csv("german.csv", index=False, sep=";", encoding="cp1252", decimal=",")
    roles = [*ROLES, "--sensitive=size"]
    assert command.main(["treat", "german.csv", *roles, "--round", "pay=10000"]) == 0
    text = Path("german-treated.csv").read_bytes().decode("cp1252")
    assert text.startswith("age;job;pay;illness;size\n") and "Prüfer" in text
    assert text.count(";1,5\n") == text.count("\n") - 1
    assert {row["pay"][-4:] for row in csv.DictReader(text.splitlines(), delimiter=";")} == {
        "0000"
    }


def test_the_column_of_the_record_is_released_and_no_other(folder, capsys):
    Path("jan.csv").write_text("town,ill\nA,flu\nA,hiv\nB,flu\nB,hiv\n")
    asked = ["--quasi-identifiers", "town", "--sensitive", "ill", "--k", "2"]
    assert command.main(["treat", "jan.csv", *asked]) == 0
    again = ["treat", "feb.csv", "--repeat", "jan-treated.json"]
    Path("feb.csv").write_text("town,ill ,ill\nA,Ann,flu\nA,Bob,hiv\nB,Cem,flu\nB,Dan,hiv\n")
    assert command.main(again) == 0
    assert "join" in capsys.readouterr().err
    assert sorted(Path("feb-treated.csv").read_text().split()[1:]) == [
        *("A,flu", "A,hiv", "B,flu", "B,hiv")
    ]
    Path("feb.csv").write_text("town,ill\n" + "A,flu\n" * 4)
    assert command.main([*again, "--force"]) == 0
    assert "certain for 100 %" in json.loads(Path("feb-treated.json").read_text())["answer"]
    Path("feb.csv").write_text("town,ill \nA,Ann\nA,Bob\nB,Cem\nB,Dan\n")
    assert command.main([*again, "--force"]) == 2
    assert "the record treats 'ill'" in capsys.readouterr().err


BAD = {
    "no such table": (["poeple.csv", *ROLES], "Did you mean"),
    "unknown column": (["people.csv", *ROLES[:2], "--sensitive", "ilness"], "illness"),
    "no threshold of people": (["people.csv", "--k-map", "2"], "unrecognized"),
    "a share above 1": (["people.csv", *ROLES, "--suppression-limit", "5"], "[0, 1]"),
    "k above the table": (["people.csv", *ROLES, "--k", "9999"], "at least 9999"),
    "another kind of file": (["people.csv", *ROLES, "--output", "a.xlsx"], "must end in"),
    "no folder": (["people.csv", *ROLES, "--output", "no/a.csv"], "no folder"),
    "over the table": (["people.csv", *ROLES, "--output=people.csv", "--force"], "over"),
    "no JSON": (["people.csv", "--repeat", "people.csv"], "in JSON"),
    "another record": (["people.csv", "--repeat", "x.json"], "whose format is"),
    "parts missing": (["people.csv", "--repeat", "y.json"], "not complete"),
    "a record and k": (["people.csv", "--repeat", "x.json", "--k", "3"], "leave out '--k'"),
    "no level": (["people.csv", *ROLES, "--keep", "age"], "COLUMN=VALUE"),
    "no such level": (["people.csv", *ROLES, "--keep=age=99"], "from 0; got 99"),
    "two steps": (["people.csv", *ROLES, "--round=pay=9", "--round=pay=1"], "a column; got"),
    "no number": (["people.csv", *ROLES, "--round", "pay=much"], "rounding of 'pay' must be"),
    "a name": (
        ["names.csv", "--quasi-identifiers=town", "--sensitive=name", "--k=2"],
        "'name' would",
    ),
    "an e-mail": (["names.csv", "--quasi-identifiers=e-mail", "--k=2"], "'e-mail' would"),
    "a note again": (["names.csv", "--repeat=z.json"], "'note' would be released"),
    "one person twice": (["people.csv", *ROLES, "--person=pay"], "cannot be released"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_status_2(case, folder, capsys):
    arguments, said = BAD[case]
    (folder / "x.json").write_text('{"format": "another"}')
    note = "Anna Keller, Seeweg 9, has hiv"
    names = pd.DataFrame({"town": ["A"] * 4, "e-mail": ["a@b.org", "c@d.org"] * 2})
    names.assign(name=["Ann", "Bo"] * 2, note=note).to_csv("names.csv", index=False)
    again = tk.treat(names.assign(note="flu"), "town", 2, sensitive="note").record
    (folder / "z.json").write_text(json.dumps(again))
    (folder / "y.json").write_text('{"format": "privacy toolkit treatment 2"}')
    before = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        status = command.main(["treat", *arguments])
    except SystemExit as ended:
        status = ended.code
    told = capsys.readouterr()
    assert status == 2 and told.out == ""
    assert told.err.count("\n") == 1 and said in told.err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_is_left_of_a_release_that_was_not_finished(folder, capsys, monkeypatch):
    assert command.main(["treat", "people.csv", *ROLES, "--l", "3"]) == 1
    told = capsys.readouterr()
    assert "nothing was written" in told.err and told.err.count("\n") == 1
    (folder / "people-treated.html").write_text("mine")
    assert command.main(["treat", "people.csv", *ROLES]) == 2
    assert "--force" in capsys.readouterr().err

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "write_all", interrupted)
        assert command.main(["treat", "people.csv", *ROLES, "--force"]) == 130
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["people-treated.html", "people.csv"]
    assert (folder / "people-treated.html").read_text() == "mine"
    assert command.main(["treat", "people.csv", *ROLES, "--force"]) == 0
    assert (folder / "people-treated.html").read_text().startswith("<!DOCTYPE html>")


def test_no_cell_is_quoted_where_numbers_cannot_be_told_apart(folder, capsys):
    big = ["4929123456789012345", "4929123456789012346", "9007199254740993", "", ""]
    Path("big.csv").write_text("big,ill\n" + "".join(f"{one},flu\n" for one in [*big, big[0]]))
    asked = ["treat", "big.csv", "--quasi-identifiers=big", "--sensitive=ill", "--k=2"]
    assert command.main(asked) in (0, 1, 2)
    assert not re.search(r"\d{5}", "".join(capsys.readouterr()))
