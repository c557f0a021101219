"""A report of any table: the metrics' numbers, honest words, no cell of the table."""

import inspect
import json
import math
import pprint
import re
import sys
import time
from datetime import UTC, date, datetime
from decimal import Decimal as D

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from IPython.lib import pretty
from matplotlib import pyplot as plt

import toolkit as tk
from tests.needs import examples
from tests.report.hostile_tables import tables
from toolkit import _grouping, plots, plots as anonymity_plots, risk_report
from toolkit._old import classes
from toolkit._old.assuming import assume, column_names, comparable
from toolkit.anonymisation.mondrian import axis_of
from toolkit.datasets import load_adult
from toolkit.plots._style import percent
from toolkit.report import methods, words
from toolkit.report.decision import DecisionBox, decide
from toolkit.report.measure import ONLY_MISSING
from toolkit.report.methods import _loss_of_labels, compare_treatments

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


@pytest.fixture(scope="module")
def report():
    return risk_report(people(), k=3)


def value(report, measure):
    table = report.uniqueness.measures.set_index("measure")["value"]
    return table[measure]


def test_the_numbers_are_those_of_the_metrics(report):
    data = people()
    assert report.assumed.quasi_identifiers == KNOWN
    assert report.assumed.sensitive == ["disease"]
    assert value(report, "k (anonymity)") == tk.k_anonymity(data, KNOWN)
    risk = tk.reidentification_risk(data, KNOWN)
    assert value(report, "greatest prosecutor risk") == risk.prosecutor
    assert math.isclose(value(report, "average prosecutor risk"), risk.prosecutor_average)
    table = report.disclosure.set_index("measure")["value"]
    assert table["l (distinct)"] == tk.l_diversity(data, KNOWN, "disease")
    assert math.isclose(table["t"], tk.t_closeness(data, KNOWN, "disease"))
    assert math.isclose(table["beta (basic)"], tk.basic_beta_likeness(data, KNOWN, "disease"))
    cig = tk.cell_information_gain(data[[*KNOWN, "disease"]])
    np.testing.assert_allclose(report.factors.cig, cig)
    measures = report.factors.measures.set_index("measure")["value"]
    assert math.isclose(measures["PIF95 (bits)"], tk.personal_information_factor(cig, 95))
    first = report.standing_out.iloc[0]
    assert first["rig"] == tk.row_information_gain(cig).iloc[int(first["position"])]


def test_a_table_is_counted_and_encoded_a_few_times_only(monkeypatch):
    """Identity, the sensitive column and SUDA share a class table; treated tables have own."""
    done: dict[str, list[None]] = {}
    for home, name in ((classes, "classify_cells"), (_grouping, "encode")):
        real, calls = getattr(home, name), done.setdefault(name, [])

        def counted(*args, real=real, calls=calls, **options):
            calls.append(None)
            return real(*args, **options)

        for module in [one for path, one in sys.modules.items() if "toolkit" in path]:
            if getattr(module, name, None) is real:
                monkeypatch.setattr(module, name, counted)
    found = risk_report(people(), KNOWN, "disease", k=3)
    assert len(found.treatments.best) == 4, "each of these has a class table of its own"
    assert len(done["classify_cells"]) <= 6, "class tables"
    assert len(done["encode"]) <= 25, "encodings of columns"


def test_the_worst_records_are_named_by_position(report):
    data, sure = people(), report.disclosure.set_index("measure").loc["l (distinct)"]
    one = data[KNOWN].iloc[sure["positions"][0]]
    alike = (data[KNOWN] == one).all(axis=1)
    assert data.loc[alike, "disease"].nunique() == sure["value"] == 1


def test_a_population_gives_journalist_and_marketer():
    data = people()
    sample = data.iloc[::2]
    found = risk_report(sample, KNOWN, [], population=data)
    risk = tk.reidentification_risk(sample, KNOWN, population=data)
    assert value(found, "greatest journalist risk") == risk.journalist
    assert math.isclose(value(found, "marketer risk"), risk.marketer)
    assert value(found, "k-map") == tk.k_map(sample, data, KNOWN)
    assert "has the population" in str(words.singled_out(found))


def pages(report):
    """Everything that a reader sees of a report."""
    others = {"caption"} | {name for name in vars(words) if name.startswith("_")}
    shown = [
        one
        for name, one in inspect.getmembers(words, inspect.isfunction)
        if {*inspect.signature(one).parameters} & {"report"} and name not in others
    ]
    found = [one(report) for one in shown]
    found += [words.caption(report, number) for number in range(1, 7)]
    found.append(DecisionBox(decide(report, "table.csv", day=date(2026, 1, 2))))
    texts = [
        str(one) + one._repr_html_()
        for one in found
        if isinstance(one, words.Words | DecisionBox)
    ]
    return "\n".join([*texts, report.to_json()])


def test_no_cell_is_ever_shown(report):
    text = pages(report) + pages(risk_report(people(), ["name", "sex"], ["e-mail"], k=2))
    assert not re.findall(r"[Xx]anthippe|zyzzyva|Quux|zz\w+", text)


def test_a_report_as_python_shows_it_holds_no_cell(report):
    shown = [repr, str, format, pprint.pformat, pretty.pretty, lambda one: f"{[one]!r}"]
    texts = [show(one) for show in shown for one in (report, report.assumed)]
    assert not re.findall(r"[Xx]anthippe|zyzzyva|Quux|zz\w+", " ".join(texts))
    assert not hasattr(report, "_repr_html_")
    assert repr(report).startswith("RiskReport(assumed=Assumptions(200 records, quasi_ide")


def test_a_name_turns_no_sentence_around():
    odd = {
        "age": "\u202eage",
        "sex": "מין\u2067",
        "zip": "\x1b]zip\ufdd0",
        "disease": "\u200fd",
    }
    names = [*odd.values()]
    found = risk_report(people().rename(columns=odd)[names], names[:3], names[3])
    text = pages(found).replace(found.to_json(), "")
    controls = "[\x00-\x09\x0b-\x1f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0\ufdd1]"
    assert not re.search(controls, text)
    assert "<bdi>␣age</bdi>" in text and "<bdi>מין␣</bdi>" in text
    assert text.count("<bdi>") == text.count("</bdi>")
    assert "\u202eage" in json.loads(found.to_json())["quasi_identifiers"]


@pytest.mark.parametrize("name", ["question", "a" * 70])
def test_thousands_of_columns_of_one_name_are_told_apart_at_once(name):
    columns = pd.Index([name] * 4000 + [f"{name}{j}" for j in range(4000)])
    begin = time.process_time()
    names, _ = column_names(columns)
    assert time.process_time() - begin < 1
    assert len(set(names)) == len(columns)


def test_a_number_behind_a_name_is_the_first_that_is_free():
    names, _ = column_names(pd.Index(["a", "a (2)", "a", "a", "b", "a (2)"]))
    assert names == ["a", "a (2)", "a (3)", "a (4)", "b", "a (2) (2)"]


def test_no_warning_quotes_a_cell(recwarn):
    data = people().assign(code=[str(10_000 + i % 7) for i in range(200)])
    risk_report(data, ["age", "code"], ["zip", "disease"])
    risk_report(data, ["age", "zip"], ["code"])
    assert not list(recwarn)


def test_every_number_says_where_it_is_explained(report):
    for name in ("identity_table", "disclosure_table", "information_table"):
        found = getattr(words, name)(report)
        assert len(found.links) == len(found.table)
        assert found._repr_html_().count('.ipynb"') == len(found.table)


def test_what_was_assumed_is_said():
    guessed = str(words.assumptions(risk_report(people())))
    assert "Nobody named these roles" in guessed and "2 direct identifiers" in guessed
    named = str(words.assumptions(risk_report(people(), ["sex"], ["disease"])))
    assert "not counted: age, zip" in named and "Nobody named" not in named
    assert "looks like a direct identifier" in " ".join(assume(people(), ["name"]).notes)


def test_the_json_is_strict_and_whole(report):
    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads(report.to_json(), parse_constant=refuse)
    assert found["records"] == 200 and len(found["columns"]) == 6
    assert {"identity", "disclosure", "information", "treatments"} <= set(found)
    assert "inf" in [row["value"] for row in found["disclosure"]]


def test_treatments_by_hand():
    data = pd.DataFrame({"a": [1, 1, 2, 2], "b": list("xxxy")})
    found = compare_treatments(data, data.astype("category"), ["a", "b"], [], k=2).table
    assert found.loc["as it is", ["risk", "k", "loss"]].tolist() == [0.75, 1, 0]
    assert found.loc["drop b", ["risk", "k", "loss"]].tolist() == [0.5, 2, 0.5]
    gone = found.loc["suppress classes below 2"]
    assert gone[["risk", "k", "suppressed", "loss"]].tolist() == [0.5, 2, 0.5, 0.5]
    assert found.loc["as it is", "frontier"] and not gone["unique"]


def test_the_risk_of_a_release_is_that_of_its_records():
    """Eight of 2,000 records are left in pairs: half of the guesses at these are right."""
    data = pd.DataFrame({"a": [*range(1992), *[-1, -1, -2, -2, -3, -3, -4, -4]]})
    report = risk_report(data, "a", [], k=2)
    found = report.treatments
    gone = found.table.loc["suppress classes below 2", ["risk", "unique", "k", "suppressed"]]
    assert gone.tolist() == [0.5, 0, 2, 0.996]
    assert "suppress classes below 2" not in found.best.index
    said = str(words.advice(report))
    assert "Not in this advice: suppress classes below 2, which takes more than" in said
    assert "The strongest of the table below, suppress" not in said


def test_texts_that_are_dates_and_numbers_are_cut_in_their_order():
    rng = np.random.default_rng(3)
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 28_000, 400), "D")
    dates = pd.DataFrame({"born": born, "sum": rng.permutation(400) * 7})
    dates.loc[::40, "born"] = pd.NaT
    texts = dates.assign(born=dates["born"].dt.strftime("%Y-%m-%d"), sum=dates["sum"].map(str))
    names = ["born", "sum"]
    cut = [
        compare_treatments(one, assume(one, names, []).coded, names, [], k=5).table.loc[
            "cut into classes of k = 5", ["risk", "loss", "k"]
        ]
        for one in (dates, texts)
    ]
    assert cut[0].tolist() == cut[1].tolist() and cut[0]["k"] >= 5


def test_losses_of_all_treatments_count_the_values_that_a_label_covers():
    """A cut shows intervals: what lies between the ends is open, as under a coarser label."""
    data = pd.DataFrame({"a": [1, 3, 3, 5, 2, 4, 6, 9], "b": [0, 0, 0, 0, 1, 1, 1, 1]})
    data["c"] = list("xyxyxyxy")
    read = tk.mondrian(data, ["a", "b", "c"], k=4).data
    ends = read["a"].astype(str).str.extract(r"\[(\d+), (\d+)\]").astype(int)
    values = data["a"].drop_duplicates().to_numpy()
    covered = [((values >= a) & (values <= b)).sum() for a, b in ends.to_numpy()]
    by_hand = (np.mean(covered) - 1) / (len(values) - 1)
    others = [0.0 if (read[one] == data[one]).all() else 1.0 for one in ("b", "c")]
    coded = assume(data, ["a", "b", "c"], []).coded
    found = compare_treatments(data, coded, ["a", "b", "c"], [], k=4).table
    loss = found.loc["cut into classes of k = 4", "loss"]
    assert math.isclose(loss, np.mean([by_hand, *others]))
    # [1, 3] covers all three numbers; [2] or missing covers two of the four values.
    axis = axis_of(pd.DataFrame({"a": [1, 2, 3, np.nan]}), 0)
    assert _loss_of_labels(axis, np.array([0, 1, 0, 1])) == (2 + 1 + 2 + 1) / (3 * 4)


@pytest.mark.parametrize(
    ("number", "word", "label"),
    [
        (0, "0 %", "0 %"),
        (1, "100 %", "100 %"),
        (1 - 1e-15, "100 %", "100 %"),
        (1992 / 2000, "over 99 %", ">99 %"),
        (1 - 1e-9, "over 99 %", ">99 %"),
        (0.994, "99 %", "99 %"),
        (0.002, "0.2 %", "0.2 %"),
    ],
)
def test_none_and_all_are_said_of_none_and_all(number, word, label):
    assert words.share(number) == word and percent(number) == label
    assert words._numeric(pd.Series([word, "5 %"]))


def test_treatments_reach_what_they_promise():
    data = load_adult().head(4000)
    known = ["age", "sex", "race", "education", "native-country"]
    found = risk_report(data, known, "income", k=4).treatments
    table = found.table
    for name in table.index[table.index.str.contains("= 4|below 4")]:
        assert table.loc[name, "k"] >= 4, name
    coarser = table[table["kind"].isin(["drop", "generalise"])]
    assert (coarser["risk"] <= table.loc["as it is", "risk"]).all()
    assert table[["risk", "loss", "suppressed", "unique"]].stack().between(0, 1).all()
    front = table[table["frontier"]].sort_values("risk")
    assert front["loss"].is_monotonic_decreasing and not found.left_out
    assert set(found.best.index) <= set(front.index) and found.best["l"].notna().all()


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ([1], {}, "must be a pandas DataFrame"),
        (people(0), {}, "no rows"),
        (people(), {"quasi_identifiers": "agge"}, "Did you mean 'age'"),
        (people(), {"sensitive": ["illness"]}, "no column 'illness'"),
        (people(), {"quasi_identifiers": "age", "sensitive": "age"}, "both"),
        (people()[["e-mail"]], {}, "no column is a quasi-identifier"),
        (people(), {"k": 0}, "k must"),
        (people(), {"population": people()[["age", "sex"]]}, "has no column 'zip'"),
        (people(), {"population": people(3)}, "population"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(data, options, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        risk_report(data, **options)
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("columns", [40, 200])
def test_many_columns_are_measured_and_what_is_left_out_is_said(columns):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({f"q{j}": rng.integers(0, 3, 50) for j in range(columns)})
    found = risk_report(data, list(data.columns), [])
    assert value(found, "share of records alone") == 1
    assert found.uniqueness.most < columns
    assert f"sets of up to {found.uniqueness.most} columns" in str(words.singled_out(found))
    drawn = words.known_in_order(found)
    assert len(drawn) == 12 and drawn["share"].iloc[-1] == 1, "the others change nothing"
    assert "the first twelve are drawn: the others change nothing" in str(
        words.caption(found, 1)
    )
    assert "Only the 30 columns with most bits" in str(words.caption(found, 4))
    assert len(words.information_table(found).table) == columns, "all numbers are there"
    assert len(words.riskiest_columns(found)) == 30


def test_single_cells_are_not_masked_where_that_would_take_minutes(monkeypatch):
    """Twelve columns of 300,000 records: 4,096 sets of columns, each counted over all."""
    data = pd.DataFrame({"age": [17, 17, 39, 38], "sex": list("ffmm")})
    about = data, data.astype("category"), ["age", "sex"], []
    assert "mask cells for k = 2" in compare_treatments(*about, k=2).table.index
    monkeypatch.setattr(methods, "MASKED_ROWS", 15)
    found = compare_treatments(*about, k=2)
    assert found.left_out == (
        "masking single cells (of 2 quasi-identifiers in 4 records it would take minutes)",
    )
    assert "mask cells for k = 2" not in found.table.index


@pytest.mark.parametrize(
    ("columns", "values", "untried"),
    [
        (3, 3, []),
        (9, 3, ["dropping each column"]),
        (13, 3, ["dropping each column", "masking single cells"]),
        (31, 3, ["dropping each column", "masking single cells", "cutting into classes"]),
        (2, 5001, []),
        pytest.param(2, 200_001, ["coarser values of q0"], marks=pytest.mark.full),
    ],
)
def test_a_treatment_is_left_out_in_so_many_words(columns, values, untried):
    rows = max(30, values)
    data = pd.DataFrame({f"q{j}": np.arange(rows) // (j + 1) for j in range(columns)})
    data[data.columns[1:]] %= 3
    names = (data["q0"] % values).astype(str)  # of no order, as those of people
    data["q0"] = names.str.translate(str.maketrans("0123456789", "abcdefghij"))
    found = compare_treatments(data, data.astype("category"), list(data.columns), [], k=2)
    assert [one.split(" of q0")[0] for one in found.left_out] == [
        one.split(" of q0")[0]
        for one in found.left_out
        if any(said in one for said in untried)
    ]
    assert len(found.left_out) == len(untried)
    kinds = {name.split(" ")[0] for name in found.table.index}
    assert ("cut" in kinds) == (columns <= 30)
    report = risk_report(data, list(data.columns), [], k=2)
    said = str(words.advice(report))
    assert all(f"Not tried: {one}" in said for one in found.left_out)
    assert ("Not tried" in said) == bool(untried)
    assert json.loads(report.to_json())["not_tried"] == list(found.left_out)


def test_missing_secrets_are_said():
    data = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3], "ill": ["a", "b", None, None, "a", None]})
    found = risk_report(data, "age", "ill", k=2)
    said = str(words.learned(found))
    assert (
        "In 3 of 6 records ill is missing." in said and "for 33 % of the records all" in said
    )
    shown = words.disclosure_table(found).table.set_index("measure")
    assert shown.loc["l (distinct)", "such as rows"] == "2 (missing), 3 (missing)"
    assert shown.loc[ONLY_MISSING, ["value", "records"]].tolist() == ["33 %", "2"]
    whole = risk_report(data.fillna("c"), "age", "ill", k=2)
    assert "missing" not in str(words.learned(whole)) + str(words.disclosure_table(whole))


def test_roles_that_were_guessed_beside_named_ones_are_said():
    half = str(words.assumptions(risk_report(people(), None, ["disease"])))
    assert "The others (quasi-identifier) were guessed" in half and "age, sex, zip." in half
    both = str(words.assumptions(risk_report(people(), ["sex"], ["disease"])))
    assert "guessed" not in both


def test_k_above_the_number_of_records_is_refused_in_one_line():
    with pytest.raises(ValueError, match="k=5000 needs at least 5000 records.*there are 200"):
        risk_report(people(), k=5000)
    assert risk_report(people(3), "sex", []).treatments.left_out, (
        "the default leaves it untried"
    )


def test_no_empty_table_of_secrets():
    table = words.disclosure_table(risk_report(people(), KNOWN, []))
    assert table.table is None and not str(table) and not table._repr_html_()


def test_unique_rows_explain_high_gains():
    alone = risk_report(pd.DataFrame({"a": range(60), "b": [1, 2] * 30}), ["a", "b"], [])
    assert "Here 100 % of the records are alone." in str(words.surprising(alone))
    crowd = risk_report(pd.DataFrame({"a": [1, 2] * 30, "b": [1, 1, 2] * 20}), ["a", "b"], [])
    assert "are alone. Then" not in str(words.surprising(crowd))


def test_words_of_tables_are_explained_below_them(report):
    everything = words.treatments_table(report)
    assert any(everything.table["method"].str.startswith("coarser by"))
    assert str(everything).count("Coarser by n steps: ") == 1
    html = everything._repr_html_()
    assert html.index("</table>") < html.index("Coarser by n steps")
    assert "Special uniques (points): " in str(words.standing_out_table(report))
    towns = [f"t{i % 40}" if i < 80 else "big" for i in range(400)]
    pooled = words.best_treatments(risk_report(pd.DataFrame({"town": towns}), "town", []))
    assert pooled.table["does"].str.contains("pool <").any() and "Pool < n: " in str(pooled)
    assert "Pool < n" not in str(words.best_treatments(report))


def draw(report):
    """Every figure of the notebook, drawn."""
    _, axes = plt.subplots(5)
    curve = words.known_in_order(report)
    plots.plot_known_columns(curve, report.uniqueness.subsets, ax=axes[0])
    anonymity_plots.plot_class_sizes(report.uniqueness.sizes, ax=axes[1])
    plots.plot_rig(report.factors.rig, pif=1, n=95, ax=axes[2])
    plots.plot_cell_bands(report.factors.cig[words.riskiest_columns(report)], ax=axes[3])
    plots.plot_treatments(words.risk_and_utility(report), ax=axes[4])
    axes[0].figure.canvas.draw()
    assert all(ax.has_data() for ax in axes)
    shares = [bar.get_height() for bar in axes[1].patches]
    assert sum(shares) == pytest.approx(1), "every record is in one bar"
    assert shares[0] == pytest.approx((report.uniqueness.sizes == 1).sum() / report.records)
    plt.close(axes[0].figure)


def survives(data, known, secret):
    """A report and its words, or one clear line."""
    try:
        found = risk_report(data, known, secret, k=min(2, max(len(data), 1)))
    except (TypeError, ValueError) as error:
        assert str(error) and "\n" not in str(error)
        return None
    assert found.records == len(data)
    json.loads(found.to_json())
    assert pages(found)
    return found


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(40))
@given(data=tables(), some=st.data())
def test_hostile_tables_give_a_report_or_one_line(data, some):
    places = list(range(data.shape[1]))
    known = some.draw(st.none() | st.lists(st.sampled_from(places), min_size=1, unique=True))
    secret = some.draw(st.none() | st.lists(st.sampled_from(places), unique=True))
    survives(data, known, secret)
    survives(data, places, [])


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=200)
@given(data=tables())
def test_many_hostile_tables_give_a_report(data):
    found = survives(data, list(range(data.shape[1])), [])
    assert found is not None, "each column alone is an attacker's knowledge"


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=20)
@given(data=tables())
def test_figures_of_hostile_tables_are_drawn(data):
    draw(risk_report(data, list(range(data.shape[1])), []))


@pytest.mark.filterwarnings("ignore:Glyph")
def test_figures_of_odd_names_are_drawn():
    data = pd.DataFrame({"$x$": [1, 2, 3], "😀": list("abc"), "<b>": [1, 1, 2]})
    found = risk_report(data, list(data.columns), [])
    draw(found)
    assert "<b>" not in words.roles_table(found)._repr_html_()


@pytest.mark.parametrize(
    ("cells", "kept", "note"),
    [
        ([1, "1", None, 1.0], ["1.0", "1", None, "1.0"], "several kinds"),
        ([1, "1", None], ["1 (int)", "1 (str)", None], "several kinds"),
        ([[1], "[1]"], ["[1] (list)", "[1] (str)"], "several kinds"),
        ([[1], [1], [2]], ["[1]", "[1]", "[2]"], "its cells"),
        ([2**70, 2**70, 1], [2**70, 2**70, 1], ""),
        ([2**53 + 1, None, 2.0**53], [2**53 + 1, None, 2**53], ""),
        ([D("1.0"), D("1.00"), D("2")], [D("1.0"), D("1.0"), D("2")], ""),
        (
            [date(2020, 1, 1), datetime(2020, 1, 1)],
            ["2020-01-01", "2020-01-01 00:00:00"],
            "sev",
        ),
        (
            [datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)],
            ["2020-01-01 00:00:00", "2020-01-01 00:00:00+00:00"],
            "its cells",
        ),
        ([True, False, None], [True, False, None], ""),
        (["b", "a", "b"], ["b", "a", "b"], ""),
    ],
)
def test_cells_become_comparable(cells, kept, note):
    column, said = comparable(pd.Series(cells, dtype=object))
    assert [None if pd.isna(cell) else cell for cell in column] == kept
    assert note in said and bool(said) == bool(note)
