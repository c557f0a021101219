"""A table under one treatment: measured, drawn, and written as Python that repeats it."""

import base64
import hashlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from ipywidgets import Label, Text, Textarea
from ipywidgets.widgets.widget import _instances
from PIL import Image

import toolkit as tk
from tests.needs import ROOT
from toolkit.anonymisation.hierarchies import (
    rare_value_hierarchy,
    suggest_hierarchies,
    suggest_hierarchy,
)
from toolkit.plots import plot_column_gains, plot_column_prices
from toolkit.report.model import (
    Setting,
    measure_setting as measure,
    open_table,
    opening_setting,
    reach,
    release_files,
    riskiest_records,
    snippet,
    suggested_setting,
    treat,
)
from toolkit.report.treating import Treatment, apply_treatment
from toolkit.widgets import (
    BUNDLED,
    bundled_table,
    report as report_widgets,
    setting_explorer,
    table_explorer,
    table_figure,
    uploaded_table,
)
from toolkit.widgets.report import GIVEN, adult_hierarchies

QUASI, SENSITIVE, OTHER = "quasi-identifier", "sensitive", "other"
DATES = "date_hierarchy({}, ['month', 'year', '5 years', 'decade'])"
RARE = "rare_value_hierarchy({}, [2, 14])"
WIDE = b",".join(b"c%d" % i for i in range(200)) + b"\n" + b"1," * 199 + b"1"
CSV = b"age;zip;illness\n" + b"".join(
    b"%d;%05d;%s\n" % (20 + 7 * i % 50, 13000 + 37 * i % 400, [b"flu", b"hiv", b"none"][i % 3])
    for i in range(60)
)


@pytest.fixture(scope="module")
def clinic():
    """Sixty patients with all kinds of columns, some cells missing."""
    rng = np.random.default_rng(5)
    n = 60
    return open_table(
        pd.DataFrame(
            {
                "name": [f"Patient {i}" for i in range(n)],
                "age": rng.integers(18, 90, n),
                "weight": rng.normal(75, 12, n).round(1),
                "zip": [f"{z:05d}" for z in rng.integers(13000, 13040, n)],
                "born": pd.Timestamp("1950-01-01")
                + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
                "job": rng.choice(["nurse", "judge", "poet", None], n, p=[0.6, 0.2, 0.1, 0.1]),
                "sex": rng.choice(["f", "m"], n),
                "illness": rng.choice(["flu", "hiv", "none"], n),
                "stay": rng.integers(1, 30, n),
            }
        )
    )


@pytest.fixture(scope="module")
def setting():
    roles = dict.fromkeys(["age", "weight", "zip", "born", "job", "sex"], QUASI)
    roles = {"name": "direct identifier", **roles, "illness": SENSITIVE, "stay": OTHER}
    return Setting(roles, {"age": 2, "weight": 9, "zip": 3, "born": 3, "job": 1}, k=2, n=90)


@pytest.fixture(scope="module")
def coarse(clinic, setting):
    """As `setting`, but no level above the highest."""
    levels = {
        name: min(level, clinic.heights[name] - 1) for name, level in setting.levels.items()
    }
    return setting._replace(levels=levels)


# Suggested hierarchies


@pytest.mark.parametrize(
    ("cells", "name", "call"),
    [
        ([17, 25, 39, 90], "age", "interval_hierarchy({}, [5, 10, 20])"),
        ([1.5, 2.25, 3.0], "dose", "interval_hierarchy({}, [0.02, 0.1, 0.2, 0.4])"),
        ([200, 2600, 800], "postcode", "prefix_hierarchy({}, [3, 2, 1], digits=4)"),
        (["A1", "B2", "C3"], "ward", "prefix_hierarchy({}, [1])"),
        (["1994-03-15", "1999-12-31", "2001-01-01"], "day", DATES),
        (["nurse"] * 60 + ["judge"] * 30 + ["poet"], "job", "suppression_hierarchy({})"),
        (["nurse"] * 60 + ["judge"] * 4 + ["poet", "monk"], "job", RARE),
        (["f", "m", "f"], "sex", "suppression_hierarchy({})"),
        ([1.0, np.inf, 3.0], "rate", "suppression_hierarchy({})"),
        ([True, False, None], "smokes", "suppression_hierarchy({})"),
    ],
)
def test_each_kind_of_column_gets_a_hierarchy(cells, name, call):
    assert suggest_hierarchy(pd.Series(cells, name=name)).code == call


def test_widths_of_more_digits_than_decimals_keep_are_no_error():
    huge = pd.Series([0, 7537, 4.000003044492135e28])
    assert suggest_hierarchy(huge).code.startswith("interval_hierarchy({}, [1000000000000000")


def test_cells_that_cannot_be_compared_get_none():
    assert suggest_hierarchy(pd.Series([[1], [2], [3]])) is None


@pytest.mark.parametrize("name", BUNDLED)
def test_suggested_hierarchies_nest_and_cover_every_value(name):
    data = bundled_table(name).data.head(3000)
    for column, tree in {**suggest_hierarchies(data), **adult_hierarchies(data)}.items():
        top = len(tree.names) - 1
        one = tk.generalise(data[[column]], {column: tree}, {column: top})
        assert tree.shape[1] == len(tree.names)
        assert one[column].nunique() == 1, "on the highest level all cells are alike"
        sizes = [tree[level].nunique(dropna=False) for level in tree]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_rare_values_are_pooled_by_their_records(kind):
    jobs = pd.Series(["nurse"] * 3 + ["judge"] * 2 + ["poet", None], dtype=kind)
    table = rare_value_hierarchy(jobs, [2, 3], other="rare")
    assert table[1].tolist() == ["nurse", "judge", "rare", "rare"]
    assert table[2].tolist() == ["nurse", "rare", "rare", "rare"]
    with pytest.raises(ValueError, match=r"fewer_than must rise .* got \[3, 3\]"):
        rare_value_hierarchy(jobs, [3, 3])


# What is treated and measured


def test_labels_and_losses_are_those_of_the_public_functions(clinic):
    for column, tree in clinic.hierarchies.items():
        for level in range(len(tree.names)):
            trees = {column: tree}
            one = clinic.data[[column]]
            after = tk.generalise(one, trees, {column: level})
            pd.testing.assert_series_equal(clinic.labels(column, level), after[column])
            losses = tk.cell_losses(one, after, trees)[column].to_numpy()
            np.testing.assert_allclose(clinic.losses(column, level), losses, atol=1e-12)


def test_numbers_are_those_of_the_metrics(clinic, coarse):
    found, released = measure(clinic, coarse), treat(clinic, coarse).released
    known = coarse.quasi_identifiers
    cig = tk.cell_information_gain(released)
    assert 0 < len(released) < len(clinic.data)
    assert found.numbers.to_dict() == pytest.approx(
        {
            "records": len(released),
            "suppressed": 1 - len(released) / len(clinic.data),
            "k": tk.k_anonymity(released, known),
            "unique": tk.unique_share(released, known),
            "l": tk.l_diversity(released, known, "illness"),
            "t": tk.t_closeness(released, known, "illness"),
            "pif": tk.personal_information_factor(cig, 90),
            "loss": found.losses.mean(),
        }
    )
    np.testing.assert_allclose(found.cig, cig)
    assert sorted(found.sizes) == sorted(tk.class_sizes(released, known))


def test_a_suppressed_record_is_lost_in_full(clinic, coarse):
    kept = treat(clinic, coarse).kept
    known = coarse.quasi_identifiers
    trees = {name: clinic.hierarchies[name] for name in known}
    after = tk.generalise(clinic.data, trees, coarse.levels)
    after = tk.suppress(after, ~kept, known)
    loss = tk.information_loss(clinic.data, after, trees)
    assert measure(clinic, coarse).numbers["loss"] == pytest.approx(loss)


def test_of_several_sensitive_columns_the_worst_counts(clinic, coarse):
    both = coarse._replace(roles={**coarse.roles, "stay": SENSITIVE}, k=1)
    found, known = measure(clinic, both), both.quasi_identifiers
    released = treat(clinic, both).released
    t = {name: tk.t_closeness(released, known, name) for name in ("illness", "stay")}
    assert found.numbers["t"] == max(t.values())
    assert found.worst["t"] == max(t, key=t.get)


def test_numbers_written_as_texts_are_those_of_the_report():
    rng = np.random.default_rng(3)
    pay = rng.integers(90_000, 990_000, 200)
    pay[:2] = pay[0]
    data = pd.DataFrame({"age": rng.integers(20, 30, 200)})
    data["pay"] = [f"{cents // 100},{cents % 100:02} €" for cents in pay]
    setting = Setting({"age": "quasi-identifier", "pay": "sensitive"}, {})
    found = measure(open_table(data), setting)
    by_amount = tk.t_closeness(data.assign(pay=pay), ["age"], "pay", kind="ordered")
    assert found.numbers["t"] == pytest.approx(by_amount)
    assert any("99 % of the records in 'pay'" in note for note in found.notes)
    assert not any("€" in note for note in found.notes)


def test_without_a_role_there_is_nothing_to_measure(clinic):
    nothing = Setting(dict.fromkeys(clinic.data, OTHER), {})
    with pytest.raises(ValueError, match="no column is measured: make at least one"):
        measure(clinic, nothing)
    only = Setting({**nothing.roles, "illness": SENSITIVE}, {})
    found = measure(clinic, only).numbers
    assert found["k"] == 60 and found["t"] == 0 and found["loss"] == 0
    only = Setting({**nothing.roles, "sex": QUASI}, {})
    assert measure(clinic, only).numbers[["l", "t"]].isna().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": {"age": 99}}, "level of 'age' must be from 0 to"),
        ({"roles": {"age": QUASI}}, "'name', .* has no role"),
        ({"levels": {"shoe": 1}}, "'shoe' is none"),
        ({"k": 10**6, "levels": {}}, "every record stands in a class of fewer than 1,000,000"),
        ({"n": 0.95}, "Did you mean 95"),
    ],
)
def test_settings_that_cannot_be_are_refused(clinic, coarse, change, message):
    with pytest.raises(ValueError, match=message):
        measure(clinic, coarse._replace(**change))


def test_the_riskiest_rows_are_positions(clinic, coarse):
    found = measure(clinic, coarse)
    rows = found.riskiest["row"].to_numpy()
    assert treat(clinic, coarse).kept[rows].all()
    assert (found.riskiest["rig_bits"].diff().dropna() <= 1e-9).all()
    cig = pd.DataFrame({"a": [1.0, 1.0, 2.0]})
    assert riskiest_records(cig, [3, 1, 2], [10, 20, 30])["row"].tolist() == [30, 20, 10]


# The Python that repeats it


def run_fresh(code: str, **names) -> pd.DataFrame:
    space = dict(names)
    exec(code, space)
    return space["released"]


def test_the_python_makes_the_released_table(clinic, coarse):
    again = run_fresh(snippet(clinic, coarse), data=clinic.data)
    pd.testing.assert_frame_equal(again, treat(clinic, coarse).released)


@pytest.mark.parametrize("name", BUNDLED)
def test_the_python_of_a_bundled_table_needs_nothing_else(name):
    table = bundled_table(name)
    setting = suggested_setting(table)
    levels = {c: table.heights[c] - 1 for c in setting.quasi_identifiers}
    setting = setting._replace(levels=levels, k=2)
    again = run_fresh(snippet(table, setting))
    pd.testing.assert_frame_equal(again, treat(table, setting).released)


def test_the_python_of_a_file_runs_in_another_process(tmp_path):
    (tmp_path / "my people.csv").write_bytes(CSV)
    table = uploaded_table("my people.csv", CSV)
    setting = suggested_setting(table)._replace(levels={"age": 2, "zip": 3}, k=3)
    code = snippet(table, setting) + "\nreleased.to_pickle('released.pkl')\n"
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    again = pd.read_pickle(tmp_path / "released.pkl")
    pd.testing.assert_frame_equal(again, treat(table, setting).released)


def test_a_star_in_the_table_is_a_value_like_any_other():
    data = pd.DataFrame({"town": list("**AAB"), "ill": list("xyxyx")})
    table = open_table(data)
    setting = Setting({"town": QUASI, "ill": SENSITIVE}, {}, k=2)
    again = run_fresh(snippet(table, setting), data=data)
    assert again["town"].tolist() == list("**AA")
    pd.testing.assert_frame_equal(again, treat(table, setting).released)


def test_odd_names_of_columns_are_written_so_that_they_are_read():
    names = ['a "b"', "it's", "c\\d", "{}", 7, "twice", "twice"]
    data = pd.DataFrame([[i % 5 + j for j in range(7)] for i in range(30)], columns=names)
    table = open_table(data)
    assert table.data.columns[-2:].tolist() == ["twice", "twice #6"]
    setting = Setting(dict.fromkeys(table.data, QUASI), dict.fromkeys(table.data, 1), k=2)
    again = run_fresh(snippet(table, setting), data=data)
    pd.testing.assert_frame_equal(again, treat(table, setting).released)


# The search, and what is saved


@pytest.mark.parametrize(("k", "limit"), [(2, 0.0), (3, 0.1), (5, 0.3)])
def test_the_search_finds_what_an_exhaustive_one_finds(clinic, k, limit):
    few = {**dict.fromkeys(clinic.data, OTHER), "age": QUASI, "born": QUASI, "sex": QUASI}
    setting = Setting({**few, "illness": SENSITIVE}, {})
    known = setting.quasi_identifiers
    trees = {name: clinic.hierarchies[name] for name in known}
    best = tk.exhaustive_generalisation(
        clinic.data, known, trees, k=k, suppression_limit=limit
    )
    found = reach(clinic, setting, k, limit)
    assert found.looked_at == found.combinations and found.loss == pytest.approx(best.loss)
    assert found.suppressed == len(best.suppressed)
    numbers = measure(clinic, found.setting).numbers
    assert numbers["k"] >= k
    assert numbers["suppressed"] == pytest.approx(found.suppressed / 60)
    fewer = reach(clinic, setting, k, limit, most=8)
    assert fewer.loss >= best.loss - 1e-12 and fewer.suppressed <= limit * 60


@pytest.mark.parametrize("most", [2, 30, 3000])
def test_however_little_is_compared_the_search_reaches_k(clinic, coarse, most):
    found = reach(clinic, coarse, 7, 0.05, most=most)
    numbers = measure(clinic, found.setting).numbers
    assert numbers["k"] >= 7 and numbers["suppressed"] <= 0.05
    assert found.looked_at <= most < found.combinations


def test_a_search_without_a_way_is_refused_in_one_line(clinic, coarse):
    with pytest.raises(ValueError, match="61"):
        reach(clinic, coarse, 61)
    nothing = {**dict.fromkeys(clinic.data, OTHER), "illness": SENSITIVE}
    with pytest.raises(ValueError, match="no column is a quasi-identifier"):
        reach(clinic, Setting(nothing, {}), 5)


def test_exploring_opens_with_what_the_search_finds(clinic):
    setting = opening_setting(clinic)
    assert measure(clinic, setting).numbers["k"] >= 5 and setting.levels
    assert measure(clinic, setting).losses.sum() > 0, "there is something to look at"
    nobody = open_table(pd.DataFrame({"age": [1, 2, 3], "sex": list("fmf")}))
    assert max(opening_setting(nobody).levels.values()) >= 1, "k = 5 cannot be reached"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_saved_python_writes_the_rows_of_the_saved_release(clinic, tmp_path, suffix):
    clinic.data.to_csv(tmp_path / "my people.csv", index=False)
    table = uploaded_table("my people.csv", (tmp_path / "my people.csv").read_bytes())
    setting = reach(table, suggested_setting(table), 4, 0.1).setting
    files = release_files(table, setting, suffix)
    code = files["treatment.py"].decode()
    assert code.endswith("\n") and not code.endswith("\n\n")
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    (tmp_path / "treatment.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "treatment.py"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    (tmp_path / f"page{suffix}").write_bytes(files[f"release{suffix}"])
    rows = [
        tk.read_table(tmp_path / f"{name}{suffix}").astype(str) for name in ("release", "page")
    ]
    assert [*rows[0].columns] == [*rows[1].columns] == setting.released
    assert sorted(rows[0].to_numpy().tolist()) == sorted(rows[1].to_numpy().tolist())
    k = tk.k_anonymity(rows[1], setting.quasi_identifiers)
    assert done.stdout == f"k = {k}\n" and k >= 4
    assert "Patient" not in str(files), "no name of a person"


def test_the_record_repeats_the_treatment_and_names_both_files(clinic, tmp_path):
    content = CSV
    table = uploaded_table("ward.csv", content)
    setting = reach(table, suggested_setting(table), 3, 0.1).setting
    files = release_files(table, setting)
    record = json.loads(files["release.json"])
    assert record["sha256_before"] == hashlib.sha256(content).hexdigest()
    assert record["sha256_after"] == hashlib.sha256(files["release.csv"]).hexdigest()
    again = apply_treatment(table.data, Treatment.from_record(record))
    assert sorted(again.astype(str).to_numpy().tolist()) == sorted(
        treat(table, setting).released.astype(str).to_numpy().tolist()
    )


def test_the_button_reaches_k_and_what_is_saved_has_it(box):
    box.explorer.wanted.value, box.explorer.most_out.value = 7, "nobody"
    box.explorer.search.click()
    assert "k = 7 is reached: 0 of 60 records" in box.explorer.found.value
    assert box.controls["k"].value == 7 and '<td class="now">0 %' in box.explorer.summary.value
    box.checked.value = True
    box.save.click()
    (packed,) = re.findall(r'"release.csv" href="data:[^,]*,([^"]*)"', box.files.value)
    rows = pd.read_csv(io.BytesIO(base64.b64decode(packed)))
    known = [name for name in rows if box.controls[f"role of {name}"].value == QUASI]
    assert tk.k_anonymity(rows, known) >= 7 and len(rows) == 60
    slider = next(c for n, c in box.controls.items() if n.startswith("level") and c.value)
    slider.value -= 1
    assert not box.explorer.found.value and not box.files.value, "both were of another setting"


def test_nothing_is_saved_before_the_warnings_were_read_and_the_roles_are_checked():
    visits = pd.DataFrame({"name": [f"Ann Lee {i}" for i in range(40)], "age": [20, 30] * 20})
    visits = visits.assign(note="she was here today, and told us why", sex=list("fm") * 20)
    box = table_explorer(visits)
    assert "<b>name</b>: direct identifier, as" in box.told.value
    assert "Warning: &#x27;note&#x27; is free text" in box.told.value
    assert "<b>age" not in box.told.value, "which is counted"
    box.save.click()
    assert "Nothing was saved" in box.files.value and "href" not in box.files.value
    box.checked.value = True
    box.save.click()
    assert "href" in box.files.value
    box.controls["role of age"].value = OTHER
    assert not box.checked.value and not box.files.value
    assert "<b>age</b>: other, as was chosen in step 2" in box.told.value
    box.checked.value = True
    box.source.value = "Seven people (toy)"
    assert not box.checked.value and "note" not in box.told.value


def test_each_change_is_answered_once_and_so_is_the_search(box, monkeypatch):
    """Two boxes that share controls would draw all of it twice."""
    drawn, draw = [], report_widgets.table_figure
    monkeypatch.setattr(
        report_widgets, "table_figure", lambda *all: drawn.append(0) or draw(*all)
    )
    for name, values in {"level of age": (1, 2), "k": (2, 3)}.items():
        before = len(drawn)
        first, second = values
        box.controls[name].value = first if box.controls[name].value == second else second
        assert len(drawn) == before + 1, name
    before = len(drawn)
    box.explorer.wanted.value = 7
    box.explorer.search.click()
    assert box.controls["k"].value == 7 and len(drawn) == before + 1


def test_what_cannot_be_reached_or_saved_is_said(box):
    for name in box.controls:
        if name.startswith("role of "):
            box.controls[name].value = OTHER
    box.explorer.search.click()
    box.checked.value = True
    box.save.click()
    assert "Not found:" in box.explorer.found.value and "\n" not in box.explorer.found.value
    assert "Not possible:" in box.files.value and "href" not in box.files.value


@pytest.mark.parametrize("n", [1, 2])
def test_of_one_record_no_k_is_looked_for_and_that_is_said(clinic, n):
    explorer = table_explorer(clinic.data.head(n)).explorer
    assert explorer.search.disabled is (n == 1)
    said = "With one record no k above 1 can be reached."
    assert explorer.found.value == (said if n == 1 else "")


def test_roles_and_hierarchies_are_those_that_are_suggested(clinic):
    trees = suggest_hierarchies(clinic.data)
    assert {name: tree.code for name, tree in clinic.hierarchies.items()} == {
        name: tree.code for name, tree in trees.items()
    }
    roles = tk.suggest_roles(clinic.data).set_index("column")["role"]
    assert suggested_setting(clinic).roles == roles.to_dict()


# Pictures


def test_of_many_columns_those_of_least_gain_share_a_row(clinic, coarse):
    rng = np.random.default_rng(2)
    cig = pd.DataFrame(rng.exponential(size=(50, 40)) * np.linspace(0.1, 4, 40))
    cig.columns = [f"question number {j}" for j in range(40)]
    own = list(cig.columns[-13:])
    gains = plot_column_gains(cig, rows=own, bands=50, vmax=9)
    names = [label.get_text() for label in gains.get_yticklabels()]
    assert names == [*own, "27 others"]
    order = np.argsort(-cig.sum(axis=1).to_numpy(), kind="stable")
    shades = gains.images[0].get_array()
    np.testing.assert_allclose(shades[-1], cig.iloc[order, :27].mean(axis=1))
    np.testing.assert_allclose(shades[0], cig[own[0]].to_numpy()[order])
    losses = pd.Series(np.linspace(0, 0.5, 40), index=cig.columns)
    prices = plot_column_prices(losses, own, others=27)
    widths = [bar.get_width() for bar in prices.patches]
    np.testing.assert_allclose(widths, [*losses[own], losses[:27].mean()])
    assert prices.get_ylim() == gains.get_ylim() == (13.5, -0.5)


def test_names_of_forty_columns_are_legible():
    rng = np.random.default_rng(3)
    data = {f"question number {j}": rng.integers(0, 4, 300) for j in range(40)}
    table = open_table(pd.DataFrame(data))
    setting = suggested_setting(table)
    before = measure(table, setting)
    labels = table_figure(before, before, setting).axes[0].get_yticklabels()
    assert len(labels) == 14 and labels[-1].get_text() == "27 others"
    assert min(label.get_fontsize() for label in labels) >= 7


def test_gains_are_drawn_in_bands_of_records(clinic, coarse):
    cig = measure(clinic, coarse._replace(k=1)).cig
    ax = plot_column_gains(cig, bands=10, vmax=3)
    shades = ax.images[0].get_array()
    assert shades.shape == (cig.shape[1], 10) and ax.images[0].get_clim() == (0, 3)
    np.testing.assert_allclose(shades.mean(axis=1), cig.mean(), atol=1e-12)
    assert (np.diff(shades.sum(axis=0)) <= 1e-9).all(), "the riskiest band is on the left"
    assert [label.get_text() for label in ax.get_yticklabels()] == list(cig.columns)
    assert "bits" in ax.child_axes[0].get_ylabel()


def test_prices_stand_in_the_rows_of_their_columns():
    losses = pd.Series({"sex": 0.05, "age": 1.0})
    ax = plot_column_prices(losses, ["age", "illness", "sex"], total=0.525)
    places = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in ax.patches}
    assert places == {2: 0.05, 0: 1.0}
    assert {text.get_text() for text in ax.texts} == {"5 %", "100 %", "all: 52 %"}
    assert ax.get_ylim() == (2.5, -0.5)


def test_the_figure_shows_what_was_measured(clinic, coarse):
    before, now = measure(clinic, coarse._replace(levels={}, k=1)), measure(clinic, coarse)
    fig = table_figure(before, now, coarse)
    gains, prices, rig, sizes = fig.axes
    assert len(gains.get_yticks()) == now.cig.shape[1] and len(prices.get_yticks()) == 0
    assert gains.get_ylim() == prices.get_ylim(), "a row of each is one column"
    assert f"{now.numbers['pif']:.2f} bits" in rig.get_legend().get_texts()[0].get_text()
    assert sum(bar.get_height() for bar in sizes.patches) == pytest.approx(1)
    for ax in fig.axes:
        assert "(" in ax.get_xlabel() or "ecords" in ax.get_xlabel(), "what the axis counts"
    shade = gains.images[0].get_clim()
    for other in (now, before):
        assert table_figure(before, other, coarse).axes[0].images[0].get_clim() == shade


def test_names_do_not_run_into_each_other(clinic):
    wide = pd.DataFrame(np.zeros((5, 40)), columns=["a column of a very long name"] * 40)
    ax = plot_column_gains(wide)
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(a.y0 >= b.y1 - 1 for a, b in zip(boxes, boxes[1:], strict=False))


# Controls


@pytest.fixture
def box(clinic):
    return table_explorer(clinic.data)


def test_a_slider_moves_numbers_figure_and_python(box):
    before = box.explorer.summary.value, box.explorer.image.value, box.code.value
    slider = box.controls["level of age"]
    slider.value = 1 if slider.value == 2 else 2
    after = box.explorer.summary.value, box.explorer.image.value, box.code.value
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert f'"age": {slider.value}' in box.code.value


def test_only_quasi_identifiers_have_a_slider_that_moves(box):
    role, slider = box.controls["role of age"], box.controls["level of age"]
    slider.value = 2
    assert not slider.disabled and slider.layout.display is None
    hidden = box.controls["level of name"]
    assert hidden.disabled and hidden.layout.display == "none"
    role.value = SENSITIVE
    assert slider.disabled and '"age": 2' not in box.code.value
    role.value = QUASI
    assert '"age": 2' in box.code.value, "and it is where it was"


def looked_at(png):
    """Size of a picture, and its colours."""
    with Image.open(io.BytesIO(bytes(png))) as picture:
        return picture.size, np.asarray(picture.convert("RGB")).astype(int)


def test_no_cell_is_shown():
    box = table_explorer("Adult, invented names (stand-in)")
    table = bundled_table("Adult, invented names (stand-in)").data
    shown = re.sub(r"<[^>]*>", " ", box.explorer.summary.value) + box.code.value
    for column in ("Name", "SSN", "Zip", "DOB"):
        cells = set(table[column].astype(str))
        words = re.findall(r"[\w-]+(?: [A-Z][\w-]+)*", shown)
        assert not cells & set(words), column


def test_every_control_has_a_label(box):
    for name, control in box.controls.items():
        assert control.description or control.tooltip == name
    assert box.source.description and box.upload.description and box.code.description
    assert box.path.description


def take(box, name, content):
    file = {"name": name, "type": "", "size": len(content), "content": memoryview(content)}
    box.upload.value = ({**file, "last_modified": pd.Timestamp("2026-01-01").to_pydatetime()},)


def test_german_dates_of_an_upload_become_months_and_years(box):
    """As a spreadsheet writes them: semicolons, and the day first."""
    rows = [f"{1 + i % 28}.{1 + i % 12}.{1950 + i % 40};{'fm'[i % 2]};flu" for i in range(90)]
    take(box, "klinik.csv", "\n".join(["Geburtstag;Geschlecht;Diagnose", *rows]).encode())
    slider = box.controls["level of Geburtstag"]
    names = [name for name, _ in slider.options]
    assert names == ["as it is", "months", "years", "5 years", "decades", "hidden"]
    assert box.controls["role of Geburtstag"].value == QUASI
    slider.value = 4
    box.checked.value = True
    box.save.click()
    (link,) = re.findall(r'"release.csv" href="data:[^,]*,([^"]*)"', box.files.value)
    text = base64.b64decode(link).decode()
    assert "195" in text and ".195" not in text
    box.controls["person"].value = "Diagnose"
    assert "tells people apart" in box.explorer.summary.value
    box.controls["role of Diagnose"].value = "direct identifier"
    box.controls["k"].value = 1  # all have one name of an illness, so they are one person
    assert "<i>k</i> (people)" in box.explorer.summary.value


def test_a_file_is_opened_and_can_be_opened_again(box):
    take(box, "ward.csv", CSV)
    assert box.source.value == "ward.csv" and "60 records, 3 columns" in box.message.value
    assert list(box.controls)[:2] == ["role of age", "level of age"]
    take(box, "ward.csv", CSV.replace(b"illness", b"disease"))
    assert "role of disease" in box.controls
    box.source.value = next(iter(BUNDLED))
    assert "role of workclass" in box.controls


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ward.csv", b"", "is empty"),
        ("ward.csv", b"age\n1\n2\n", "has one column"),
        ("ward.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "ward.csv"),
        ("ward.xlsx", b"not a workbook", "cannot be read"),
        ("ward.parquet", b"PAR1 nothing", "cannot be read"),
        ("ward.pdf", b"%PDF", "name a file that ends in"),
        ("../../ward.csv", b"a,b\n", "no record"),
        ("<b>.csv", b"", "&lt;b&gt;.csv"),
        ("wide.csv", WIDE, "200 columns"),
    ],
)
def test_what_cannot_be_opened_gets_one_line(box, name, content, said):
    before = box.explorer, box.source.value
    take(box, name, content)
    text = box.message.value
    assert said in text and "\n" not in text and "Traceback" not in text
    assert "/tmp" not in text and "--" not in text, "no place of this machine, no command line"
    assert (box.explorer, box.source.value) == before, "the table that was open stays"


def test_a_file_is_opened_by_its_path(box, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "my ward.csv").write_bytes(CSV)
    for path in ("my ward.csv", str(tmp_path / "my ward.csv"), "~/my ward.csv"):
        box.path.value = f" {path} "
        assert box.source.value == path and "60 records, 3 columns" in box.message.value
        assert len(run_fresh(box.code.value)) == 60, "the Python finds the file, too"
    before = box.explorer, box.source.value
    box.path.value = "my wart.csv"
    assert "Did you mean &#x27;my ward.csv&#x27;?" in box.message.value
    box.path.value = ""
    assert (box.explorer, box.source.value) == before, "the table that was open stays"


@pytest.mark.parametrize("sign", [("SERVER_SOFTWARE", "voila/0.5"), ("VOILA_BASE_URL", "/")])
def test_a_page_of_its_own_has_no_field_for_a_path(clinic, monkeypatch, sign):
    box = table_explorer(clinic.data)
    assert box.path in box.steps.children[0].children
    monkeypatch.setenv(*sign)
    before = set(_instances)
    box = table_explorer(clinic.data)
    assert box.path is None, "a hidden one can be set by whoever has the page"
    made = [_instances[name] for name in set(_instances) - before]
    assert not [one for one in made if isinstance(one, Text) and not isinstance(one, Textarea)]
    (limit,) = [each.value for each in made if isinstance(each, Label)]
    assert limit == "up to 200 MB"


@pytest.mark.parametrize("sign", ["JUPYTERHUB_USER", "BINDER_SERVICE_HOST"])
def test_on_a_server_no_file_is_taken_without_a_tick(clinic, monkeypatch, tmp_path, sign):
    box = table_explorer(clinic.data)
    assert box.consent is None and not box.upload.disabled, "on one's own machine"
    (tmp_path / "ward.csv").write_bytes(CSV)
    monkeypatch.setenv(sign, "x")
    box = table_explorer(clinic.data)
    ways = box.steps.children[0].children
    texts = [getattr(way, "value", "") for way in ways[:3]]
    assert "runs on a server" in texts[1] and ways[2] is box.consent, "above the button"
    assert box.upload.disabled and box.path.disabled
    take(box, "ward.csv", CSV)  # as a client may, that does not care what is disabled
    box.path.value = str(tmp_path / "ward.csv")
    assert "tick the line above" in box.message.value and "ward.csv" not in box.source.options
    box.consent.value = True
    assert not box.upload.disabled and not box.path.disabled
    take(box, "ward.csv", CSV + b"77;13001;flu\n")
    assert "61 records, 3 columns" in box.message.value


def test_the_page_opens_with_the_file_of_its_command(monkeypatch, tmp_path):
    path = tmp_path / "my ward.csv"
    path.write_bytes(CSV)
    monkeypatch.setenv(GIVEN, str(path))
    first = next(iter(BUNDLED))
    assert table_explorer(first).source.value == first, "in JupyterLab the cell says what"
    monkeypatch.setenv("VOILA_BASE_URL", "/")
    box = table_explorer(first)
    assert box.source.value == "my ward.csv" and box.steps.selected_index == 1
    assert f'read_table("{path}")' in box.code.value, "which runs from any folder"
    path.write_bytes(b"age\n1\n2\n")
    box = table_explorer("Seven people (toy)")
    assert "has one column" in box.message.value and box.steps.selected_index == 0
    assert box.source.value == "Seven people (toy)" and box.explorer.image.value


ODD = [
    "a\nb",
    "a\r",
    "a'b",
    'a"b',
    "a'\"b",
    "a\tb",
    "\u202egnp",
    "é 😀",
    "a\u2028b",
    "{}",
    "\udcff",
]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_the_python_of_a_file_runs_whatever_its_name(box, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    try:
        Path(f"{name}.csv").write_bytes(CSV)
    except (OSError, UnicodeError):
        pytest.skip("no file can be called so here")
    box.path.value = f"{name}.csv"
    assert "60 records" in box.message.value
    box.controls["level of age"].value = 1
    assert len(run_fresh(box.code.value)) == 60
    assert box.code.value.encode() and not set("\u202e\u2028\r") & set(box.code.value)


def test_a_name_does_not_turn_its_sentence_around():
    name = "\u202etown\x07"
    data = pd.DataFrame({name: list("xxy"), "age": [1, 2, 3], "a\u2066": [1, 1, 2]})
    box = table_explorer(data)
    box.controls[f"role of {name}"].value = "other"
    texts = [box.explorer.summary.value, box.message.value, *box.source.options]
    for control in box.controls.values():
        texts += [control.description, str(control.tooltip)]
    take(box, f"{name}\udcff.csv", b"a\n1\n")
    texts += [box.message.value]
    take(box, f"{name}.csv", CSV)
    texts += [box.message.value, *box.source.options]
    assert "\\u202etown\\x07" in "".join(texts), "it is written out"
    assert not re.search("[\x00-\x08\u202a-\u202e\u2066-\u2069\ud800-\udfff]", "".join(texts))


def test_a_table_of_many_different_cells_is_explored():
    n = 3000
    rng = np.random.default_rng(1)
    data = {f"c{j}": [f"{value:x}" for value in rng.integers(0, 2**60, n)] for j in range(3)}
    box = table_explorer(pd.DataFrame({**data, "pay": rng.lognormal(10, 2, n)}))
    for name in list(box.controls):
        if name.startswith("role of "):
            box.controls[name].value = QUASI
    assert "100 %" in box.explorer.summary.value and box.explorer.image.value


def test_too_few_and_too_many_columns_are_refused():
    with pytest.raises(ValueError, match="one column, 'a', .* give at least two"):
        table_explorer(pd.DataFrame({"a": [1, 2]}))
    with pytest.raises(ValueError, match="41 columns, and there are controls for 40"):
        table_explorer(pd.DataFrame(np.zeros((3, 41))))
    with pytest.raises(ValueError, match="data must be"):
        table_explorer("Titanic")


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["a", "😀", "other", "*", "missing", "1994-03-15", "00200", "[0, 5)"]),
    st.just([1]),
    st.datetimes(),
    st.binary(max_size=3),
)


@given(
    columns=st.lists(st.lists(CELLS, min_size=4, max_size=4), min_size=2, max_size=5),
    name=st.sampled_from(["age", "zip", "", "😀", "k", "a\nb"]),
    seed=st.integers(0, 99),
)
@settings(max_examples=15 if settings.default.max_examples < 1000 else 200)
def test_hostile_tables_are_explored_or_refused_in_one_line(columns, name, seed):
    data = pd.DataFrame({j: pd.Series(cells, dtype=object) for j, cells in enumerate(columns)})
    data.columns = [name] * len(columns)
    rng = np.random.default_rng(seed)
    try:
        table = open_table(data.infer_objects() if seed % 2 else data)
        roles = {c: QUASI if c in table.hierarchies else OTHER for c in table.data}
        levels = {c: int(rng.integers(table.heights[c])) for c in table.hierarchies}
        setting = Setting(roles, levels, k=1 + seed % 3)
        again = run_fresh(
            snippet(table, setting), data=data.infer_objects() if seed % 2 else data
        )
        pd.testing.assert_frame_equal(again, treat(table, setting).released)
        setting_explorer(table)
    except (TypeError, ValueError) as error:
        assert "\n" not in str(error)


def test_long_names_of_columns_begin_inside_the_figure():
    names = ["Highest educational qualification", "MARITAL STATUS AT THE TIME", "illness"]
    table = open_table(pd.DataFrame({name: range(4) for name in names}))
    setting = suggested_setting(table)
    given = measure(table, setting._replace(levels={}, k=1))
    figure = table_figure(given, given, setting)
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    assert min(label.get_window_extent().x0 for label in labels) >= 0
    assert min(label.get_fontsize() for label in labels) > 6, "still legible"
