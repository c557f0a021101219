"""Treatments: what `treat` claims holds in the file that it wrote, and nothing else is in any.

The restatement below is slow and plain Python: it reads the files as text and knows nothing of
the package.
"""

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
import pyarrow.parquet as pq
import pytest

import toolkit as tk
import toolkit.__main__ as command
from toolkit.anonymisation.hierarchies import SuggestedHierarchy, suggest_hierarchy
from toolkit.report import treating
from toolkit.report.treating import (
    Treatment,
    apply_treatment,
    carry_out,
    plan_treatment,
)

# What a release says, restated


def rows_of(path):
    """Rows of a text of cells."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def in_classes(rows, known):
    """Rows by what an attacker may know."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in known)].append(row)
    return found


def least_k(rows, known):
    return min(len(one) for one in in_classes(rows, known).values())


def least_l(rows, known, secret):
    groups = in_classes(rows, known).values()
    return min(len({row[secret] for row in one}) for one in groups)


def greatest_t(rows, known, secret):
    """Distance of shares, each value as far from each other one."""
    everyone, found = Counter(row[secret] for row in rows), Fraction(0)
    for one in in_classes(rows, known).values():
        here = Counter(row[secret] for row in one)
        apart = [
            abs(Fraction(here[value], len(one)) - Fraction(number, len(rows)))
            for value, number in everyone.items()
        ]
        found = max(found, sum(apart) / 2)
    return float(found)


def greatest_alpha(rows, known, secret):
    groups = in_classes(rows, known).values()
    return max(max(Counter(row[secret] for row in one).values()) / len(one) for one in groups)


def held(label, level, values):
    """How many values of the table a label may stand for."""
    records = Counter(values)
    if level == "as it is":
        return 1
    if level == "hidden":
        return len(records)
    if found := re.fullmatch(r"pool < ([\d,]+)", level):
        rare = [one for one, n in records.items() if n < int(found[1].replace(",", ""))]
        return len(rare) if label == "other" else 1
    if found := re.fullmatch(r"\[(\S+), (\S+)\)", label):
        low, high = float(found[1]), float(found[2])
        return sum(low <= float(one) < high for one in records)
    if level == "5 years":
        low, high = label.split("-")
        return sum(low <= one[:4] <= high for one in records)
    begins = {"days": 10, "months": 7, "years": 4, "decades": 3}.get(level)
    if begins is None:
        begins = int(level.removeprefix("first "))
    return sum(one[:begins] == label[:begins] for one in records)


def lost(before, after, known, levels):
    """Share of the other values that a cell leaves open; all, for a record taken out."""
    total = Fraction(0)
    for name in known:
        values = [row[name] for row in before]
        others = max(len(set(values)) - 1, 1)
        for label, n in Counter(row[name] for row in after).items():
            total += n * Fraction(held(label, levels[name], values) - 1, others)
        total += len(before) - len(after)
    return float(total / len(before) / len(known))


KNOWN, SECRET = ["age", "born", "sex", "place"], "illness"


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


MEASURES = {"k": least_k, "l": least_l, "t": greatest_t, "alpha": greatest_alpha}


@pytest.mark.parametrize(
    "seed",
    [*range(40), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(40, 300))],
)
def test_what_is_claimed_holds_in_the_file(seed, tmp_path, monkeypatch, capsys):
    """Restated by brute force; no draw can fail but by a fault (false-alarm rate 0)."""
    monkeypatch.chdir(tmp_path)
    data, (asked, limit) = table(seed), thresholds(seed)
    data.to_csv("people.csv", index=False)
    known = [name for name in KNOWN if name in data]
    roles = ["--quasi-identifiers", ",".join(known), "--sensitive", SECRET]
    options = [f"--{name}={number}" for name, number in asked.items()]
    asking = [*roles, *options, f"--suppression-limit={limit}"]
    status = command.main(["treat", "people.csv", *asking])
    if status == 1:  # not even one class of all records meets it
        everyone = rows_of(tmp_path / "people.csv")
        for row in everyone:
            row.update(dict.fromkeys(known, "*"))
        whole = {name: _measured(name, everyone, known) for name in asked}
        assert not all(_meets(name, whole[name], asked[name]) for name in asked)
        assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
        return
    assert status == 0
    before, after = rows_of(tmp_path / "people.csv"), rows_of(tmp_path / "people-treated.csv")
    record = json.loads((tmp_path / "people-treated.json").read_text())
    assert list(after[0]) == [*[name for name in data if name in known], SECRET]
    assert record["records_released"] == len(after)
    assert record["records_taken_out"] == len(before) - len(after) <= limit * len(before)
    for found in record["found"]:
        number = _measured(found["model"], after, known)
        assert math.isclose(found["found"], number, rel_tol=1e-12)
        assert _meets(found["model"], number, asked[found["model"]])
    assert {one["model"] for one in record["found"]} == set(asked)
    levels = {one["name"]: one["level"] for one in record["columns"]}
    assert abs(record["loss"] - lost(before, after, known, levels)) <= 0.0005 + 1e-12
    for name, file in (("before", "people.csv"), ("after", "people-treated.csv")):
        content = (tmp_path / file).read_bytes()
        assert record[f"sha256_{name}"] == hashlib.sha256(content).hexdigest()
    capsys.readouterr()
    assert command.main(["check", "people-treated.csv", *roles, *options, "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)["metrics"]
    values = {one["metric"]: one["value"] for one in checked}
    assert values["k_anonymity"] == least_k(after, known)
    assert values["l_diversity"] == least_l(after, known, SECRET)


def _measured(name, rows, known):
    secret = [] if name == "k" else [SECRET]
    return MEASURES[name](rows, known, *secret)


def _meets(name, number, threshold):
    return number >= threshold if name in "kl" else number <= threshold * (1 + 1e-9)


# People with several records


def visits(seed):
    """A random table of people with one to six records each, some of nobody known."""
    rng = np.random.default_rng(2000 + seed)
    n, people = int(rng.integers(40, 160)), int(rng.integers(12, 60))
    who = rng.integers(0, people, n)
    age = rng.integers(18, 90, people)[who] + (rng.random(n) < 0.3)  # it changes for some
    data = pd.DataFrame(
        {
            "patient": [f"Quux-{one:03}" for one in who],
            "age": age,
            "sex": rng.choice(["f", "m"], people)[who],
            "place": rng.choice(list("abcd"), n),
            "illness": rng.choice(["flu", "cold", "hiv"], n),
        }
    )
    if seed % 3 == 1:
        data.loc[rng.random(n) < 0.1, "patient"] = None
    return data


def labelled(data, columns):
    """Each record's labels, as the record of a treatment says them, restated."""
    found = pd.DataFrame(index=data.index)
    for one in columns:
        cells, level = data[one["name"]], one["level"]
        if level == "hidden":
            cells = pd.Series("*", data.index)
        elif one["role"] == "quasi-identifier" and level != "as it is":
            if "keep" in one["rule"]:
                cells = cells.where(cells.isin(one["rule"]["keep"]), one["rule"]["other"])
            else:
                step = int(level.removeprefix("by "))
                low = cells // step * step
                cells = [f"[{a}, {a + step})" for a in low]
        found[one["name"]] = pd.Series(cells, data.index).astype(str)
    return found


@pytest.mark.parametrize(
    "seed",
    [*range(12), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(12, 150))],
)
def test_what_is_claimed_of_people_holds_in_the_file(seed, tmp_path, monkeypatch, capsys):
    """Restated by brute force; no draw can fail but by a fault (false-alarm rate 0).

    Whose a row of the release is, is not in it: the labels of all records are made again, and
    a class of the release holds the records of its label, all of them.
    """
    monkeypatch.chdir(tmp_path)
    data, k = visits(seed), 2 + seed % 4
    data.to_csv("visits.csv", index=False)
    known = ["age", "sex", "place"]
    asking = ["--quasi-identifiers", ",".join(known), "--sensitive", "illness"]
    asking += [f"--k={k}", f"--suppression-limit={[0, 0.1, 0.3][seed % 3]}"]
    status = command.main(["treat", "visits.csv", "--person", "patient", *asking])
    if status == 1:  # not even all records together hold so many people
        assert data["patient"].nunique() < k
        return
    assert status == 0
    after = rows_of(tmp_path / "visits-treated.csv")
    record = json.loads((tmp_path / "visits-treated.json").read_text())
    made = labelled(data, record["columns"]).assign(patient=data["patient"])
    people = made.groupby(known, sort=False)["patient"].nunique().clip(lower=1)
    records = made.groupby(known, sort=False).size()
    classes = in_classes(after, known)
    assert {key: len(rows) for key, rows in classes.items()} == {
        key: records[key] for key in classes
    }
    least = min(people[key] for key in classes)
    (found,) = record["found"]
    assert found["found"] == least >= k
    assert record["person"] == "patient"
    assert all(people[key] < k for key in set(people.index) - set(classes))
    text = "".join(path.read_text() for path in tmp_path.iterdir() if "treated" in path.name)
    assert "Quux" not in text and "Quux" not in capsys.readouterr().out


def test_a_column_that_names_nobody_or_another_one_is_said_to_be_so(
    tmp_path, monkeypatch, capsys
):
    """What is said of a second number fits that k counts people; of nobody it is refused."""
    monkeypatch.chdir(tmp_path)
    people = [i % 60 for i in range(180)]
    data = pd.DataFrame({"patient_id": [f"P{i:02}" for i in people]})
    data = data.assign(household_id=[f"H{i // 2:02}" for i in people], nobody=None)
    data = data.assign(sex=["fm"[i % 2] for i in people], illness=list("abc") * 60)
    data.to_csv("visits.csv", index=False)
    asked = ["visits.csv", "--k", "3", "--quasi-identifiers=sex", "--sensitive=illness"]
    unless = "unless this column is named as person"
    assert command.main(["check", *asked]) == 0
    assert capsys.readouterr().out.count(unless) == 2
    for run in ("check", "treat"):
        assert command.main([run, *asked, "--person=patient_id"]) == 0
        said = capsys.readouterr().out
        assert unless not in said
        assert "'household_id' has 30 values in 180 records: the same person" in said
    assert command.main(["treat", *asked, "--force", "--person=nobody"]) == 2
    assert "'nobody' is missing, so it tells nobody apart" in capsys.readouterr().err


def test_what_is_said_of_a_release_stands_on_its_page_too(tmp_path, monkeypatch, capsys):
    """Doubts about columns that are released, and what their exact values disclose."""
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame({"dob": [26659 + 40 * (i // 10) for i in range(60)]})
    data = data.assign(
        visit_date=[f"{1 + i % 6}.5.2024" for i in range(60)], ill=list("ab") * 30
    )
    data["pay"] = [f"{1000 + i},50" for i in range(60)]
    data["note"] = [f"was seen with Mrs Miller in room {i}" for i in range(60)]
    data.to_csv("pay.csv", index=False, sep=";")
    roles = ["--quasi-identifiers=dob", "--sensitive=ill,pay,visit_date", "--k=5"]
    assert command.main(["treat", "pay.csv", *roles]) == 0
    said, page = capsys.readouterr().out, (tmp_path / "pay-treated.html").read_text("utf-8")
    shown = html.unescape(page)
    for words in (
        "(100 % of the records in 'pay') leads anybody who knows it to that record",
        "'visit_date' does not tell whether the day or the month comes first",
    ):
        assert words in said and words in shown
    assert "'note' is free text" in said and "'note' is free text" not in shown, "left out"
    assert "Miller" not in shown and "1059,5" not in shown


def test_people_are_counted_again_in_the_next_table(tmp_path, monkeypatch, capsys):
    """A record with a person asks for that column, and for people in each class."""
    monkeypatch.chdir(tmp_path)
    ages = np.repeat([21, 22, 51, 52], 5)
    data = pd.DataFrame({"patient": range(20), "age": ages, "illness": ["flu", "hiv"] * 10})
    data.to_csv("one.csv", index=False)
    roles = ["--quasi-identifiers=age", "--sensitive=illness", "--k=5"]
    assert command.main(["treat", "one.csv", "--person=patient", *roles]) == 0
    assert "k and risk count people, by 'patient': 20 in 20 records" in capsys.readouterr().out
    again = ["--repeat", "one-treated.json"]
    data.assign(patient=data["patient"] % 4).to_csv("two.csv", index=False)
    assert command.main(["treat", "two.csv", *again]) == 1  # four people in all
    data.drop(columns="patient").to_csv("three.csv", index=False)
    assert command.main(["treat", "three.csv", *again]) == 2
    assert "no column 'patient'" in capsys.readouterr().err
    assert command.main(["treat", "two.csv", *again, "--person=age"]) == 2
    assert "leave out '--person'" in capsys.readouterr().err
    assert command.main(["treat", "one.csv", "--person=age", *roles, "--force"]) == 2
    assert "also named as quasi-identifier" in capsys.readouterr().err
    assert not (tmp_path / "two-treated.csv").exists()


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_a_release_are_labels_of_its_records(seed):
    """Sensitive cells and those of a column as it is stay with their record."""
    data = table(seed * 5)  # with all columns
    treatment = plan_treatment(data, KNOWN, SECRET, thresholds={"k": 3})
    found = carry_out(data, treatment)
    plain = [name for name, level in treatment.levels.items() if level == "as it is"]
    plain = [*plain, SECRET]
    kept = data.loc[found.kept, plain].astype(str)
    assert Counter(map(tuple, kept.to_numpy())) == Counter(
        map(tuple, found.released[plain].astype(str).to_numpy())
    )


def test_the_order_of_the_rows_is_drawn_anew():
    """Two orders of 150 rows are equal by chance once in 150! draws."""
    data = pd.DataFrame({"age": [30] * 150, "ill": range(150)})
    treatment = plan_treatment(data, "age", "ill")
    one, other = (apply_treatment(data, treatment) for _ in range(2))
    assert not one.equals(other)
    assert sorted(one["ill"]) == sorted(other["ill"]) == list(range(150))
    assert one.index.equals(pd.RangeIndex(150))


# Nothing but the release


SECRETS = ["Xanthippe", "xan@example.org", "Qwyjibo", "1899-12-31", "Z9Z", "987654"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that the command is run in, with a table that holds secrets."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    n = 400
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 15000, n), unit="D")
    data = pd.DataFrame(
        {
            "name": [f"Xanthippe{i} Quux" for i in range(n)],
            "e-mail": [f"xan@example.org{i}" for i in range(n)],
            "note": [f"Qwyjibo says that he is well and number {i} of all" for i in range(n)],
            "born": days.strftime("%Y-%m-%d"),
            "job": rng.choice(["zznurse", "zzcook"], n),
            "score number": rng.integers(100000, 999999, n),
            "illness": rng.choice(["flu", "cold"], n),
        }
    )
    # One record is like no other; it is taken out or its values are pooled.
    data.loc[7, ["born", "job", "score number"]] = ["1899-12-31", "Z9Z", 987654]
    data.to_csv("people.csv", index=False)
    return tmp_path


ROLES = ["--quasi-identifiers", "born,job", "--sensitive", "illness"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_no_secret_is_in_any_file(folder, suffix):
    arguments = ["treat", "people.csv", *ROLES, "--k", "5", "--output", f"out{suffix}"]
    assert command.main(arguments) == 0
    written = [folder / f"out{ending}" for ending in (suffix, ".json", ".html")]
    contents = [path.read_bytes() for path in written]
    if suffix == ".parquet":  # pages may be compressed
        contents.append(str(pq.read_table(written[0]).to_pydict()).encode())
    text = b"".join(contents)
    assert b"zznurse" in text, "the search finds what is released"
    assert any(secret.encode() in (folder / "people.csv").read_bytes() for secret in SECRETS)
    assert [secret for secret in SECRETS if secret.encode() in text] == []
    assert str(folder).encode() not in text


def test_a_pool_is_recorded_by_what_the_release_shows():
    jobs = ["a"] * 40 + ["b"] * 30 + ["c"] * 20 + ["rare"] * 1 + ["rarer"] * 2
    data = pd.DataFrame({"job": jobs, "ill": ["flu", "cold", "ulcer"] * 31})
    treatment = plan_treatment(data, "job", "ill", thresholds={"k": 3}, suppression_limit=0)
    record = json.dumps(treatment.to_record())
    assert "rare" not in record
    again = Treatment.from_record(json.loads(record))
    more = pd.concat([data, pd.DataFrame({"job": ["new"] * 3, "ill": ["flu"] * 3})])
    released = apply_treatment(more, again)
    assert set(released["job"]) == {"a", "b", "c", "other"}


def test_a_rule_that_quotes_hidden_values_is_not_recorded():
    """Groups that somebody wrote out name values that the release hides."""
    data = pd.DataFrame({"job": list("aabbccdd") * 5, "ill": ["flu", "cold"] * 20})
    code = "group_hierarchy({}, {'low': ['a', 'b'], 'high': ['c', 'd']})"
    tree = pd.DataFrame({0: list("abcd"), 1: ["low"] * 2 + ["high"] * 2, 2: "*"})
    source = (suggest_hierarchy.__module__, "group_hierarchy")
    groups = SuggestedHierarchy(tree, ("as it is", "2 groups", "hidden"), code, source)
    treatment = plan_treatment(
        data, "job", "ill", hierarchies={"job": groups}, levels={"job": 1}
    )
    assert set(apply_treatment(data, treatment)["job"]) == {"low", "high"}
    record = treatment.to_record()
    assert record["columns"][0]["rule"] is None
    with pytest.raises(ValueError, match="cannot be made again"):
        Treatment.from_record(record)


def test_a_record_calls_hierarchies_and_nothing_else():
    data = pd.DataFrame({"age": [17, 18, 39, 38], "ill": ["flu", "hiv", "flu", "flu"]})
    record = plan_treatment(data, "age", "ill", thresholds={"k": 2}).to_record()
    for call in ("read_hierarchy", "write_hierarchy", "__import__", "suggest_hierarchy"):
        record["columns"][0]["rule"]["call"] = call
        with pytest.raises(ValueError, match="there is no hierarchy"):
            Treatment.from_record(record)


def test_a_plan_for_given_levels_is_what_the_explorer_set():
    data = table(5)
    treatment = plan_treatment(
        data, ["age", "sex"], SECRET, thresholds={"k": 2}, levels={"age": 3}
    )
    assert treatment.levels == {"age": "by 20", "sex": "as it is"}
    with pytest.raises(treating.ThresholdsMissed):
        plan_treatment(data, KNOWN, SECRET, thresholds={"k": 9}, levels={})


def test_a_column_of_many_dates_is_coarsened_like_any_other():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("1930-01-01") + pd.to_timedelta(
        rng.integers(0, 29000, 12000), unit="D"
    )
    data = pd.DataFrame({"born": days.strftime("%Y-%m-%d"), "ill": rng.integers(0, 9, 12000)})
    assert data["born"].nunique() > 5000
    treatment = plan_treatment(data, "born", "ill", thresholds={"k": 5})
    assert treatment.levels == {"born": "months"}


# Again


def next_month(folder, **cells):
    """The table of the next month, with some columns changed."""
    data = pd.read_csv(folder / "people.csv").sample(frac=0.9, random_state=1)
    data.assign(**cells).to_csv(folder / "next.csv", index=False)


def test_a_record_is_applied_to_the_next_table(folder, capsys):
    assert command.main(["treat", "people.csv", *ROLES, "--k", "5"]) == 0
    capsys.readouterr()
    again = ["treat", "people.csv", "--repeat", "people-treated.json", "--output"]
    assert command.main([*again, "again.csv"]) == 0
    assert "join" in capsys.readouterr().err
    one, other = (rows_of(folder / name) for name in ("people-treated.csv", "again.csv"))
    assert sorted(map(str, one)) == sorted(map(str, other)), "the same rows"
    next_month(folder)
    arguments = ["treat", "next.csv", "--repeat", "people-treated.json"]
    assert command.main(arguments) == 0
    first, second = (
        json.loads((folder / f"{name}-treated.json").read_text())
        for name in ("people", "next")
    )
    assert first["columns"] == second["columns"]
    after = rows_of(folder / "next-treated.csv")
    assert least_k(after, ["born", "job"]) >= 5
    assert {row["born"] for row in after} <= {row["born"] for row in one}


REFUSED = {
    "years of two digits": ({"born": "31.12.60"}, "do not fit", 2),
    "no date": ({"born": "unknown"}, "do not fit", 2),
    "numbers for text": ({"job": 5}, "held text in the first table and holds numbers", 2),
    "all alone": ({"job": [f"j{i}" for i in range(360)]}, "does not meet k at least 5", 1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_table_that_does_not_fit_is_refused(case, folder, capsys):
    cells, said, status = REFUSED[case]
    assert command.main(["treat", "people.csv", *ROLES, "--k", "5"]) == 0
    next_month(folder, **cells)
    before = sorted(folder.iterdir())
    capsys.readouterr()
    assert command.main(["treat", "next.csv", "--repeat", "people-treated.json"]) == status
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and told.out == ""
    assert sorted(folder.iterdir()) == before
    assert not any(text in told.err for text in ("31.12.60", "unknown", "j1"))


def test_dates_in_another_order_get_the_same_labels():
    data = table(5)
    asked = {"thresholds": {"k": 2}, "levels": {"born": 3}}  # 5 years
    treatment = plan_treatment(data, "born", SECRET, **asked, suppression_limit=0.9)
    german = data.assign(born=pd.to_datetime(data["born"]).dt.strftime("%d.%m.%Y"))
    one, other = (apply_treatment(each, treatment)["born"] for each in (data, german))
    assert sorted(one) == sorted(other)
    assert all(re.fullmatch(r"19\d\d-19\d\d", label) for label in one)


def test_codes_of_another_length_are_refused():
    data = pd.DataFrame({"zip": [f"{i:05d}" for i in range(100, 140)], "ill": list("ab") * 20})
    treatment = plan_treatment(data, "zip", "ill", thresholds={"k": 5})
    assert treatment.levels != {"zip": "as it is"}
    longer = data.assign(zip=data["zip"] + "9")
    with pytest.raises(ValueError, match="do not fit"):
        apply_treatment(longer, treatment)


BAD = {
    "no such table": (["treat", "poeple.csv"], "Did you mean"),
    "unknown column": (
        ["treat", "people.csv", "--quasi-identifiers", "job", "--sensitive", "ilness"],
        "illness",
    ),
    "no threshold of people": (["treat", "people.csv", "--k-map", "2"], "unrecognized"),
    "a share above 1": (
        ["treat", "people.csv", *ROLES, "--suppression-limit", "5"],
        "from 0 to 1",
    ),
    "k above the table": (["treat", "people.csv", *ROLES, "--k", "9999"], "at least 9999"),
    "k of 0": (["treat", "people.csv", "--k", "0"], "k must be"),
    "another kind of file": (["treat", "people.csv", "--output", "a.xlsx"], "must end in"),
    "no folder": (["treat", "people.csv", "--output", "no/a.csv"], "no folder"),
    "over the table": (["treat", "people.csv", "--output", "people.csv", "--force"], "over"),
    "l of nothing": (
        ["treat", "people.csv", "--quasi-identifiers", "born", "--sensitive", "", "--l", "2"],
        "sensitive",
    ),
    "a record that is none": (["treat", "people.csv", "--repeat", "people.csv"], "no JSON"),
    "a record of something else": (["treat", "people.csv", "--repeat", "x.json"], "format"),
    "a record with parts missing": (["treat", "people.csv", "--repeat", "y.json"], "complete"),
    "a record and thresholds": (
        ["treat", "people.csv", "--repeat", "x.json", "--k", "3"],
        "leave out '--k'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_status_2(case, folder, capsys):
    arguments, said = BAD[case]
    (folder / "x.json").write_text('{"format": "another"}')
    (folder / "y.json").write_text(json.dumps({"format": treating.FORMAT}))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        status = command.main(arguments)
    except SystemExit as ended:
        status = ended.code
    told = capsys.readouterr()
    assert status == 2 and told.out == ""
    assert told.err.count("\n") == 1 and said in told.err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_thresholds_that_nothing_meets_end_with_1(folder, capsys):
    assert command.main(["treat", "people.csv", *ROLES, "--l", "3"]) == 1
    told = capsys.readouterr()
    assert "nothing was written" in told.err and told.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_what_is_there_is_written_over_only_by_force(folder, capsys):
    arguments = ["treat", "people.csv", *ROLES]
    (folder / "people-treated.html").write_text("mine")
    assert command.main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert (folder / "people-treated.html").read_text() == "mine"
    assert not (folder / "people-treated.csv").exists()
    assert command.main([*arguments, "--force"]) == 0
    assert (folder / "people-treated.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("people.csv", "people-treated.csv"),
        ("a/people.csv.gz", "people-treated.csv"),
        ("people.of.may.parquet", "people.of.may-treated.csv"),
        ("folder/", "folder-treated.csv"),
    ],
)
def test_the_name_of_a_release_is_that_of_its_table(table, name):
    assert command._named(table, "-treated.csv") == name


def test_a_release_of_one_column_keeps_its_missing_cells(folder):
    """A row of one missing cell is an empty line, which is read again as a row."""
    pd.DataFrame({"age": [None] * 5 + [30.0] * 5}).to_parquet("one.parquet")
    arguments = ["treat", "one.parquet", "--quasi-identifiers", "age", "--sensitive", ""]
    assert command.main(arguments) == 0
    released = tk.read_table("one-treated.csv")
    assert released["age"].isna().sum() == 5 and tk.k_anonymity(released, "age") == 5


def test_the_page_says_whose_the_records_may_be(folder):
    data = pd.read_csv("people.csv").rename(columns={"illness": "colour"})
    data = data.drop(columns=["note", "score number"]).assign(MRN=np.arange(400) // 3)
    data.to_csv("mrn.csv", index=False)
    known = ["--quasi-identifiers", "born,job", "--sensitive", "colour", "--k", "3", "--force"]
    for person in ([], ["--person", "MRN"]):
        assert command.main(["treat", "mrn.csv", *known, *person]) == 0
        page = html.unescape((folder / "mrn-treated.html").read_text(encoding="utf-8"))
        box = page.partition("<h2>")[0]
        assert ("'MRN' has 134 values in 400 records" in box) == (not person)


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
    names = pd.read_parquet("t-treated.parquet").columns
    assert [*names] == ["job"], "what nobody named is not released"


def test_the_column_of_the_record_is_released_and_no_other(folder, capsys):
    Path("jan.csv").write_text("town,ill\nA,flu\nA,hiv\nB,flu\nB,hiv\n")
    asked = ["--quasi-identifiers", "town", "--sensitive", "ill", "--k", "2"]
    assert command.main(["treat", "jan.csv", *asked]) == 0
    again = ["treat", "feb.csv", "--repeat", "jan-treated.json"]
    Path("feb.csv").write_text("town,ill ,ill\nA,Ann,flu\nA,Bob,hiv\nB,Cem,flu\nB,Dan,hiv\n")
    assert command.main(again) == 0
    assert sorted(Path("feb-treated.csv").read_text().split()[1:]) == [
        "A,flu",
        "A,hiv",
        "B,flu",
        "B,hiv",
    ]
    Path("feb.csv").write_text("town,ill \nA,Ann\nA,Bob\nB,Cem\nB,Dan\n")
    assert command.main([*again, "--force"]) == 2
    assert (
        "has no column 'ill', which the record treats; it has 'town', 'ill '"
        in capsys.readouterr().err
    )


def test_no_cell_is_quoted_where_numbers_cannot_be_told_apart(folder, capsys):
    big = ["4929123456789012345", "4929123456789012346", "9007199254740993", "", ""]
    Path("big.csv").write_text("big,ill\n" + "".join(f"{one},flu\n" for one in [*big, big[0]]))
    asked = [
        "treat",
        "big.csv",
        "--quasi-identifiers",
        "big",
        "--sensitive",
        "ill",
        "--k",
        "2",
    ]
    assert command.main(asked) == 2
    said = capsys.readouterr().err
    assert "'big' are not told apart" in said and not re.search(r"\d{5}", said)
