"""A report of any table: the metrics' numbers, one decision, no cell of the table."""

import contextlib
import hashlib
import html
import json
import math
import pickle
import pprint
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from IPython.lib import pretty

import toolkit as tk
from tests.needs import examples
from tests.report.hostile_tables import tables
from toolkit import risk_report
from toolkit.anonymisation.treatment import treat
from toolkit.report import report as room
from toolkit.report.plain import number, share

KNOWN = ["age", "sex", "zip"]


def people(rows=200, seed=1):
    """People whose cells are words that no report may hold."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Xanthippe{i} Quux{i}" for i in range(rows)],
            "e-mail": [f"xanthippe{i}@zyzzyva.example" for i in range(rows)],
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["zzfemale", "zzmale"], rows),
            "zip": rng.choice(["zz010", "zz020", "zz030"], rows),
            "disease": rng.choice(["zzflu", "zzhiv", "zzcold"], rows, p=[0.6, 0.1, 0.3]),
        }
    )


@pytest.fixture(autouse=True)
def few_figures(request, monkeypatch):
    """Figures are drawn where a test asks for them: they take most of the time."""
    if request.node.originalname not in DRAWN:
        monkeypatch.setattr(room, "_figures", lambda report: [""] * 5)


DRAWN = ("test_no_cell_is_ever_shown", "test_figures_of_hostile_tables_are_drawn")


@pytest.fixture(scope="module")
def report():
    return risk_report(people(), k=3)


def value(report, measure):
    return report.tables["identity"].set_index("measure")["value"][measure]


def text_of(report):
    """Words of the page, with one space between them."""
    plain = re.sub(r"<style>.*?</style>|<[^>]*>", " ", report.to_html(), flags=re.DOTALL)
    plain = re.sub(r"\s+([,.;:)])", r"\1", " ".join(html.unescape(plain).split()))
    return plain.replace("( ", "(")


# Numbers


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_are_those_of_the_metrics(seed):
    data = people(120, seed).assign(pay=np.arange(120) % 7 + 0.5)
    data.loc[:5, "zip"] = None
    secret = ["disease", "pay"]
    report = risk_report(data, KNOWN, secret, k=3)
    risk = tk.reidentification_risk(data, KNOWN)
    assert value(report, "k (anonymity)") == tk.k_anonymity(data, KNOWN)
    assert math.isclose(value(report, "average prosecutor risk"), risk.prosecutor_average)
    alone = tk.unique_share(data, KNOWN)
    assert math.isclose(value(report, "share of records alone"), alone)
    sizes = tk.record_class_sizes(data, KNOWN)
    below = value(report, "share of records in classes below 3")
    assert math.isclose(below, (sizes < 3).mean())
    for row in report.tables["learned"].to_dict("records"):
        name = row["sensitive"]
        diverse = tk.by_class(data, KNOWN, name)
        certain = diverse.loc[diverse["l_diversity"] == 1, "records"].sum() / len(data)
        assert row["l"] == tk.l_diversity(data, KNOWN, name)
        assert math.isclose(row["t"], tk.t_closeness(data, KNOWN, name))
        assert math.isclose(row["certain"], certain)
        once = data[name].map(data[name].value_counts()) == 1
        assert math.isclose(row["single"], once.mean())
    checked = tk.check_privacy(data, KNOWN, secret).table["value"].tolist()
    assert report.tables["measures"]["value"].tolist() == checked
    factors = tk.information_factors(data[[*KNOWN, *secret]])
    bits = report.tables["information"].set_index("column")
    np.testing.assert_allclose(bits["bits"], factors.cig.mean()[bits.index])
    np.testing.assert_allclose(bits["fig"], factors.fig[bits.index])
    assert math.isclose(report.facts["pif95"], factors.pif(95))
    first = report.tables["standing_out"].iloc[0]
    at = int(first["position"])
    assert math.isclose(first["rig"], factors.rig.iloc[at]) and first["records"] == sizes[at]
    curve = tk.uniqueness_curve(data, KNOWN)["share"]
    np.testing.assert_allclose(report.drawn["curve"]["share"], curve)


def test_a_population_gives_journalist_and_marketer():
    data, sample = people(), people().iloc[::2]
    found = risk_report(sample, KNOWN, [], population=data, k=2, k_map=2, risk=0.5)
    risk = tk.reidentification_risk(sample, KNOWN, population=data)
    assert value(found, "greatest journalist risk") == risk.journalist
    assert math.isclose(value(found, "marketer risk"), risk.marketer)
    judged = found.tables["thresholds"].set_index("threshold")["found"]
    assert judged["k_map"] == tk.k_map(sample, data, KNOWN)
    assert judged["risk"] == risk.journalist
    assert found.facts["best"] is None, "methods are measured without the population"
    assert True not in [*found.tables["methods"]["meets"]], "nor is one said to meet all"
    assert "does not know that the person is in the table, is right in" in text_of(found)


ASKED = [{"k": 3}, {"k": 5, "l": 2}, {"k": 3, "t": 0.4}, {"k": 2, "l": 3, "alpha": 0.8}]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_best_treatment_is_what_treat_writes(asked):
    data = people(300, 4)[[*KNOWN, "disease"]]
    found = risk_report(data, KNOWN, ["disease"], **asked)
    release = treat(data, KNOWN, sensitive=["disease"], **asked)
    best, methods = found.facts["best"], found.tables["methods"].set_index("method")
    assert best["taken_out"] == len(data) - len(release.data)
    assert math.isclose(best["loss"], release.loss)
    classes = release.data.groupby(KNOWN, observed=True).ngroups
    assert math.isclose(best["risk"], classes / len(release.data))
    assert methods["meets"].iloc[1], "the release meets all that was asked"
    assert methods["risk"].between(0, 1).all() and methods["loss"].between(0, 1).all()
    aimed = methods.index.str.extract(r"k = (\d+)")[0].astype(float).to_numpy()
    assert (methods["k"].to_numpy()[1:] >= aimed[1:]).all(), "methods reach what they promise"
    assert all(name in found.to_html() for name in best["levels"])


# What it says


def decided(data, *roles, **asked):
    """Box of the decision, in words."""
    text = text_of(risk_report(data, *roles, **asked))
    return text[: text.index("What is each column taken for?")]


FEW = people(20)[["sex", "disease"]]
MANY = pd.DataFrame({"town": list("ab") * 10, "ill": list("xxyy") * 5})
HOUSES = pd.DataFrame({"patient_id": np.arange(90) // 3, "age": np.arange(90) % 7})
HOUSES["ill"] = np.arange(90) % 2
DECIDED = {  # table, roles, thresholds, what the box says
    "missed": (people(), [KNOWN, ["disease"]], {"k": 3}, "Do not release this table as it is"),
    "names": (
        people(),
        ["sex", ["disease"]],
        {"k": 3},
        "it holds direct identifiers or free text",
    ),
    "default": (MANY, ["town", "ill"], {}, "the default, k = 5: nobody asked for more"),
    "met": (MANY, ["town", "ill"], {"k": 5}, "meets what was asked. That is no proof"),
    "none needed": (
        MANY,
        ["town", "ill"],
        {"k": 5},
        "treatment that was found. None is needed",
    ),
    "no secret": (MANY, ["town", []], {"k": 2, "l": 2}, "No decision yet: 1 of 2 thresholds"),
    "no people": (MANY, ["town", []], {"k_map": 2}, "could not be measured"),
    "no treatment": (
        people(),
        [KNOWN, []],
        {"k": 2, "l": 2},
        "treatment that was found. None: a treatment that meets l",
    ),
    "nobody said": (FEW, ["sex", []], {}, "nobody said what, so this was not measured"),
    "guessed": (FEW, [None, None], {}, "THE ROLES OF THE COLUMNS ARE GUESSED"),
    "half guessed": (FEW, [None, ["disease"]], {}, "GUESSED (quasi-identifier)"),
    "left out": (people(), [KNOWN], {}, "Leave out name, e-mail: no threshold protects"),
    "few": (people(4), [KNOWN], {}, "None: any method (there are fewer than 5 records)"),
    "people": (HOUSES, ["age", "ill"], {}, "apart, perhaps patient_id (--person)"),
    "alone": (
        MANY.assign(pay=range(20)),
        ["town", "pay"],
        {},
        "(100 % of the records in pay). Round such values",
    ),
    "counts": (
        pd.DataFrame({"sex": list("ffmm"), "ill": list("abab"), "count": [1, 0, 7, 5]}),
        ["sex", "ill"],
        {},
        "The rows may be counts of people, by 'count'",
    ),
}


@pytest.mark.parametrize("case", DECIDED)
def test_the_decision_says(case):
    data, roles, asked, said = DECIDED[case]
    text = decided(data, *roles, **asked)
    assert said in text
    assert ("GUESSED" in text) == (len(roles) < 2 or None in roles)
    met = risk_report(data, *roles, **asked).met
    assert met == ("The table meets" in text) and "safe" not in text


def test_a_threshold_of_several_columns_shares_a_row_of_the_box():
    text = decided(people(120).assign(pay=range(120)), KNOWN, ["disease", "pay"], k=2, l=2)
    assert "different values in a class (ℓ) of disease, pay at least 2 1 MISSED" in text
    assert "2 of 2 thresholds are missed" in text, "one line, one threshold"


def test_a_number_is_shown_on_its_own_side_of_the_threshold():
    """Values at the end of an order are a hair more than 0.5 away from the others."""
    data = pd.DataFrame({"born": range(2001), "pay": np.arange(2001) + 0.5})
    data.loc[0, "pay"] = 1.5  # one tie
    found = decided(data, "born", "pay", t=0.5).partition("at most 0.5 ")[2].split()
    assert found[1] == "MISSED" and 0.5 < float(found[0]) < 0.501


def test_people_are_counted_and_no_method_is_tried_for_them():
    report = risk_report(HOUSES, "age", "ill", person="patient_id", k=2)
    assert value(report, "k (anonymity)") == tk.k_anonymity(HOUSES, "age", person="patient_id")
    assert report.facts["best"] is None and len(report.tables["methods"]) == 1
    text = text_of(report)
    assert (
        "any method (a person has several records)" in text and "people, by patient_id" in text
    )
    with pytest.raises(ValueError, match="person: l counts records"):
        twice = HOUSES.assign(age=1)
        risk_report(twice, "age", "ill", person="patient_id", l=2)


def test_missing_secrets_are_said_and_no_threshold_counts_them():
    data = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3], "ill": ["a", "b", None, None, "a", None]})
    found = risk_report(data, "age", "ill", k=2)
    row = found.tables["learned"].iloc[0]
    assert (row["missing"], row["l"]) == (3, 1)
    assert math.isclose(row["certain"], 1 / 3) and row["certain_missing"] == row["certain"]
    text = text_of(found)
    assert "missing in 3 records" in text and "for 33 % of the records all that is" in text
    assert "is missing in" not in text_of(risk_report(data.fillna("c"), "age", "ill", k=2))
    with pytest.raises(ValueError, match="is missing in 3 records, and l would count"):
        risk_report(data, "age", "ill", k=2, l=2)


def test_facts_of_the_file_are_those_of_the_file(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    facts = risk_report(pd.read_csv(path), KNOWN, source=path).facts
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (facts["table"], facts["sha256"]) == ("people.csv", digest)
    folder = risk_report(people(), KNOWN, source=tmp_path)
    assert folder.facts["sha256"] is None and "not a single file" in text_of(folder)
    assert "Made on" not in text_of(risk_report(people(), KNOWN)), "the same on every day"


@pytest.mark.parametrize("columns", [13, 40, 200])
def test_many_columns_are_measured_and_what_is_left_out_is_said(columns):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({f"q{j}": rng.integers(0, 3, 50) for j in range(columns)})
    found = risk_report(data, list(data.columns), [])
    assert value(found, "share of records alone") == 1
    assert len(found.tables["information"]) == columns and found.drawn["cig"].shape[1] <= 30
    text = text_of(found)
    assert columns == 200 or "take out, k = 5 (it takes out too many records)" in text
    assert "No result: masking cells (for at most 12 quasi-identifiers)" in text
    assert f"(of up to {found.facts['subset_size']})" in text
    assert "gains come from rows that are unique" in text
    assert ("The 30 columns with most bits are drawn" in text) == (columns > 30)


def test_methods_of_a_long_table_are_left_out_and_this_is_said(monkeypatch):
    monkeypatch.setattr(room, "MOST_RECORDS", 100)
    found = risk_report(people(), KNOWN, [])
    assert len(found.tables["methods"]) == 2
    assert found.facts["not_tried"] == ["other methods (the table has more than 100 records)"]


@pytest.mark.parametrize("rows", [1, 2, 3, 9])
def test_a_report_of_few_records_is_made(rows):
    few = pd.DataFrame({"sex": list("fmfffmmfm"), "age": range(20, 29), "illness": "flu"})
    found = risk_report(few.head(rows))
    assert ("fewer than 5 records" in text_of(found)) == (rows < 5)


# What it keeps to itself


def test_no_cell_is_ever_shown(report):
    shown = [repr, str, format, pprint.pformat, pretty.pretty, lambda one: f"{[one]!r}"]
    for found in (report, risk_report(people(), ["name", "sex"], ["e-mail"], k=2)):
        texts = [show(found) for show in shown] + [str(pickle.dumps(found))]
        texts += [found.to_json(), found.to_html(), found._repr_html_()]
        drawn = re.sub("base64,[A-Za-z0-9+/=]+", "", " ".join(texts))
        assert not re.findall(r"[Xx]anthippe|zyzzyva|Quux|zz\w+", drawn)
    assert repr(report).startswith("RiskReport(200 records, quasi_identifiers=")


def test_a_name_is_escaped_and_turns_no_sentence_around():
    odd = {"age": "\u202eage", "sex": "מין\u2067", "zip": "<b>$x$\x1b", "disease": "\u200fd"}
    names = [*odd.values()]
    found = risk_report(people().rename(columns=odd)[names], names[:3], names[3], k=2, l=2)
    page = found.to_html()
    assert not re.search("[\x00-\x09\x0b-\x1f\u200e\u200f\u202a-\u202e\u2066-\u2069]", page)
    assert "<bdi>␣age</bdi>" in page and "<bdi>מין␣</bdi>" in page
    assert "<bdi>&lt;b&gt;$x$␛</bdi>" in page and "<b>$x$" not in page
    assert page.count("<bdi>") == page.count("</bdi>")
    assert "mathjax_ignore" in page, "a dollar begins no formula"
    assert "\u202eage" in json.loads(found.to_json())["quasi_identifiers"]


def test_no_warning_quotes_a_cell(recwarn):
    data = people().assign(code=[str(10_000 + i % 7) for i in range(200)])
    risk_report(data, ["age", "code"], ["zip", "disease"])
    assert not list(recwarn)


def test_the_json_is_strict_and_whole(report):
    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads(report.to_json(), parse_constant=refuse)
    assert found["records"] == 200 and len(found["roles"]) == 6
    assert {*report.tables} <= {*found}
    assert "inf" in [row["value"] for row in found["measures"]]


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ([1], {}, "must be a pandas DataFrame"),
        (people(0), {}, "no rows"),
        (people()[["age", "age"]], {}, "several columns are called 'age'"),
        (people(), {"quasi_identifiers": "agge"}, "Did you mean 'age'"),
        (people(), {"sensitive": ["illness"]}, "no column 'illness'"),
        (people(), {"quasi_identifiers": "age", "sensitive": "age"}, "cannot have two roles"),
        (people(), {"quasi_identifiers": "age", "person": "age"}, "cannot have two roles"),
        (people(), {"quasi_identifiers": []}, "must name at least one column"),
        (people()[["e-mail"]], {}, "must name at least one column"),
        (people(), {"k": 0}, "k must"),
        (people(), {"kk": 2}, "no threshold 'kk'. Did you mean 'k'?"),
        (people(), {"population": people()[["age", "sex"]]}, "'zip'"),
        (people(), {"population": people(3)}, "population"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(data, options, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        risk_report(data, **options)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(40))
@given(data=tables(), some=st.data())
def test_hostile_tables_give_a_report_or_one_line(data, some):
    places = list(range(data.shape[1]))
    known = some.draw(st.none() | st.lists(st.sampled_from(places), min_size=1, unique=True))
    secret = some.draw(st.none() | st.lists(st.sampled_from(places), unique=True))
    try:
        with warnings.catch_warnings(action="ignore"):
            found = risk_report(data, known, secret, k=min(2, len(data)))
    except (TypeError, ValueError) as error:
        assert str(error) and "\n" not in str(error)
        return
    assert found.facts["records"] == len(data)
    json.loads(found.to_json())
    assert "<main>" in found.to_html()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=20)
@given(data=tables())
def test_figures_of_hostile_tables_are_drawn(data):
    data = data.loc[:, ~data.columns.duplicated()]
    with contextlib.suppress(TypeError, ValueError):
        found = risk_report(data, list(range(data.shape[1])), [])
        assert found.to_html().count("base64,iVBOR") == 5


@pytest.mark.parametrize(
    ("some", "word"),
    [(0, "0 %"), (1 - 1e-15, "100 %"), (0.996, "over 99 %"), (1e-9, "below 0.01 %")],
)
def test_none_and_all_are_said_of_none_and_all(some, word):
    assert share(some) == word
    assert number(math.nan) == "–" and number(-math.inf) == "-inf"
