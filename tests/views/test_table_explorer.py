"""The explorer of a table of your own: opened, treated as `treat` does, saved, repeated."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from ipywidgets import Label

import toolkit as tk
from toolkit.report import explorer as module
from toolkit.report.explorer import (
    BUNDLED,
    bundled_table,
    levels_of_least_loss,
    opened,
    release_files,
    setting_explorer,
    table_explorer,
    treat_arguments,
)

QUASI, SENSITIVE, OTHER = "quasi-identifier", "sensitive", "other"
ROLES = {"name": "direct identifier", "age": QUASI, "zip": QUASI, "sex": QUASI}
ROLES = {f"role of {name}": role for name, role in {**ROLES, "illness": SENSITIVE}.items()}
CSV = b"age;zip;illness\n" + b"".join(
    b"%d;%05d;%s\n" % (20 + 7 * i % 50, 13000 + 37 * i % 400, [b"flu", b"hiv", b"none"][i % 3])
    for i in range(60)
)


def ward(n=300, seed=5):
    """Patients, some cells missing."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Patient {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "zip": [f"{z:05d}" for z in rng.integers(13000, 13040, n)],
            "sex": rng.choice(["f", "m", None], n),
            "illness": rng.choice(["flu", "hiv", "none"], n),
        }
    )


@pytest.fixture
def box():
    """The ward with its roles."""
    box = setting_explorer(opened(ward()))
    box.move({**ROLES, "limit": 0.2})
    return box


def upload(box, name, content):
    """Choose a file in the dialogue that the button opens."""
    facts = {"type": "", "size": len(content), "last_modified": pd.Timestamp(0, tz="UTC")}
    box.upload.value = ({"name": name, "content": memoryview(content), **facts},)


def setting_of(box):
    values = {name: control.value for name, control in box.controls.items()}
    return treat_arguments(opened(ward()), values)


@pytest.mark.parametrize("levels", [(1, 1, 0), (2, 2, 1), (3, 0, 1), (0, 0, 0)])
def test_numbers_are_those_of_the_release_that_treat_makes(box, levels):
    names = ["age", "zip", "sex"]
    box.move({f"level of {name}": level for name, level in zip(names, levels, strict=True)})
    box.controls["k"].value = 2
    if "Not possible" in box.summary.value:
        pytest.fail(box.summary.value)
    now = box.shown["numbers"]["now"]
    setting = setting_of(box) | {"suppression_limit": 1.0}
    release = tk.treat(ward(), hierarchies=opened(ward()).trees, **setting)
    assert now["k"] == tk.k_anonymity(release.data, names) >= 2
    assert now["ℓ of illness"] == tk.l_diversity(release.data, names, "illness")
    assert now["t of illness"] == pytest.approx(
        tk.t_closeness(release.data, names, "illness"), rel=1e-12
    )
    assert now["left out"] == pytest.approx(1 - len(release.data) / 300)
    rig = tk.row_information_gain(tk.cell_information_gain(release.data))
    assert now["PIF95"] == pytest.approx(np.percentile(rig, 95), rel=1e-9)
    shown = tk.generalise(ward(), opened(ward()).trees, setting["levels"])[names]
    few = tk.class_sizes(shown, names)
    gone = tk.equivalence_class(shown, names).map(few.reset_index(drop=True)).to_numpy() < 2
    trees = {name: opened(ward()).trees[name] for name in names}
    lost = tk.information_loss(ward(), tk.suppress(shown, gone, names), trees)
    assert now["loss"] == pytest.approx(lost, rel=1e-12)


def test_each_control_changes_text_or_figure_and_names_its_column(box):
    box.move({"level of age": 3, "level of zip": 2, "k": 5, "limit": 0.0})
    for name, control in box.controls.items():
        before, answers = control.value, set()
        options = [o[1] if isinstance(o, tuple) else o for o in control.options]
        for value in [options[0], options[-1], before]:
            control.value = value
            answers.add((box.summary.value, bytes(box.image.value)))
        control.value = before
        unmeasured = name in ("role of name", "level of name", "level of illness")
        assert len(answers) > 1 or unmeasured, name
        assert control.description
    sliders = [control for name, control in box.controls.items() if "level" in name]
    assert [slider.disabled for slider in sliders] == [True, False, False, False, True]


def test_a_slider_of_a_large_table_walks_few_functions():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({f"c{j}": rng.integers(0, 9, 2000) for j in range(8)})
    box, walked = setting_explorer(opened(data)), set()
    box.move({f"role of c{j}": QUASI if j < 6 else SENSITIVE for j in range(8)})
    box.controls["level of c1"].value = 1

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and "/toolkit/" in code.co_filename and code.co_name[0] != "<":
            walked.add(code)

    sys.setprofile(note)
    box.controls["level of c2"].value = 1
    sys.setprofile(None)
    assert len(walked) <= 120


@pytest.mark.parametrize(("k", "limit"), [(2, 0.0), (5, 0.1), (20, 0.05)])
def test_the_search_finds_what_an_exhaustive_one_finds(box, monkeypatch, k, limit):
    names = ["age", "zip", "sex"]
    setting = setting_of(box) | {"k": k, "suppression_limit": limit}
    trees = opened(ward()).trees
    best = tk.exhaustive_generalisation(ward(), names, trees, k=k, suppression_limit=limit)
    assert levels_of_least_loss(opened(ward()), setting) == best.levels
    monkeypatch.setattr(module, "COMBINATIONS", 20)
    some = levels_of_least_loss(opened(ward()), setting)
    tk.treat(ward(), hierarchies=trees, **setting | {"levels": some})  # meets what is asked


def test_refusals_are_the_text_and_the_last_figure_stays(box):
    before = bytes(box.image.value)
    box.controls["k"].value = 100
    assert "so none would be left" in box.summary.value
    assert bytes(box.image.value) == before
    box.move({f"role of {name}": OTHER for name in ward()} | {"k": 1})
    assert "no column is a quasi-identifier" in box.summary.value


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_is_saved_keeps_k_in_its_file_and_the_python_repeats_it(tmp_path, suffix):
    ward().to_csv(tmp_path / "ward.csv", index=False)
    table = module.file_table(tmp_path / "ward.csv", "ward.csv")
    assert table.origin == "data = tk.read_table('ward.csv')"
    box = setting_explorer(table)
    box.move({**ROLES, "level of age": 3, "level of zip": 2, "k": 5, "limit": 0.2})
    setting = treat_arguments(table, {n: c.value for n, c in box.controls.items()})
    files = release_files(table, setting, suffix)
    assert [*files] == [f"release{suffix}", "release.json", "treatment.py"]
    for name, content in files.items():
        (tmp_path / f"saved {name}").write_bytes(content)
    saved = tk.read_table(tmp_path / f"saved release{suffix}")
    assert [*saved] == ["age", "zip", "sex", "illness"]
    assert tk.k_anonymity(saved, ["age", "zip", "sex"]) >= 5
    record = json.loads(files["release.json"])
    assert record["thresholds"]["k"] == 5 and record["records_released"] == len(saved)
    assert b"Patient" not in b"".join(files.values())
    again = [sys.executable, "saved treatment.py"]
    subprocess.run(again, cwd=tmp_path, check=True, timeout=120)
    repeated = tk.read_table(tmp_path / f"release{suffix}")
    assert sorted(map(str, repeated.values.tolist())) == sorted(
        map(str, saved.values.tolist())
    )


def test_a_file_that_misses_k_once_it_is_read_is_not_saved(box, monkeypatch):
    box.move({"level of age": 3, "level of zip": 2, "k": 2})
    lone = b"age,zip,sex,illness\n1,2,f,flu\n"
    monkeypatch.setattr(module, "release_bytes", lambda data, suffix: lone)
    with pytest.raises(ValueError, match="misses k = 2 once it is read from its file"):
        release_files(opened(ward()), setting_of(box))


# The four steps


def test_nothing_is_saved_before_the_tick_which_goes_with_each_role():
    box = table_explorer(ward())
    box.explorer.move({**ROLES, "k": 5})
    box.reach()
    assert "k = 5 is reached" in box.found.value
    box.save.click()
    assert box.files.value.startswith("<b>Nothing was saved:</b>")
    assert "<b>name</b>: direct identifier, not counted by k" in box.warned.value
    box.checked.value = True
    box.save.click()
    assert box.files.value.count("download=") == 3
    box.explorer.controls["level of age"].value = 0
    assert not box.files.value and box.checked.value, "an older file is gone"
    box.explorer.controls["role of sex"].value = OTHER
    assert not box.checked.value
    box.explorer.move({f"role of {name}": OTHER for name in ward()})
    box.reach()
    assert box.found.value.startswith("<b>Not found:</b>")


def test_cells_of_names_are_not_shown_and_markup_is_text():
    tag = "<script>1</script>"
    data = ward().rename(columns={"zip": tag}).assign(illness=[tag, "flu", "hiv"] * 100)
    box = table_explorer(data)
    box.explorer.controls["role of name"].value = "direct identifier"
    texts = [box.explorer.summary, box.message, box.warned, box.files]
    shown = "".join(text.value for text in texts)
    assert "Patient" not in shown and "<script>" not in shown and "&lt;script&gt;" in shown
    assert not any(isinstance(child, Label) for child in box.children)


def test_a_file_is_opened_by_upload_or_path_and_can_be_opened_again(tmp_path):
    box = table_explorer("Seven people (toy)")
    upload(box, "a/ward.csv", CSV)
    assert box.source.value == "ward.csv" and "60 records, 3 columns" in box.message.value
    assert "read_table('ward.csv')" in box.code.value
    place = tmp_path / "my ward.csv"
    place.write_bytes(CSV)
    box.path.value = f" {place} "
    assert box.source.value == str(place)
    box.source.value = "Seven people (toy)"
    assert "load_cig_toy()" in box.code.value
    box.source.value = "ward.csv"
    assert len(box.table.data) == 60


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("one.csv", b"age\n1\n2\n", "one column"),
        (
            "wide.csv",
            b",".join(b"c%d" % i for i in range(60)) + b"\n" + b"1," * 59 + b"1",
            "60",
        ),
        ("odd.xyz", b"\x00\x01", "odd.xyz"),
    ],
)
def test_what_cannot_be_opened_gets_one_line(name, content, words):
    box = table_explorer("Seven people (toy)")
    upload(box, name, content)
    assert words in box.message.value and "/tmp" not in box.message.value
    assert "\n" not in box.message.value and box.source.value == "Seven people (toy)"
    box.path.value = "there/is/none.csv"
    assert "none.csv" in box.message.value


@pytest.mark.parametrize("sign", ["VOILA_REQUEST_URL", "SERVER_SOFTWARE"])
def test_a_page_has_no_field_for_a_path_and_opens_its_file(monkeypatch, tmp_path, sign):
    place = tmp_path / "ward.csv"
    place.write_bytes(CSV)
    monkeypatch.setenv(sign, "voila/0.5")
    monkeypatch.setenv("PRIVACY_TOOLKIT_TABLE", str(place))
    box = table_explorer("Seven people (toy)")
    assert box.path not in box.steps.children[0].children
    assert box.source.value == "ward.csv" and box.steps.selected_index == 1
    monkeypatch.setenv("PRIVACY_TOOLKIT_TABLE", str(tmp_path / "wart.csv"))
    box = table_explorer("Seven people (toy)")
    assert "wart.csv" in box.message.value and box.source.value == "Seven people (toy)"


def test_a_server_of_somebody_else_takes_no_file_without_a_tick(monkeypatch, tmp_path):
    monkeypatch.setenv("BINDER_SERVICE_HOST", "somebody")
    box = table_explorer("Seven people (toy)")
    upload(box, "ward.csv", CSV)
    assert "tick the line above" in box.message.value and "ward.csv" not in box.tables
    assert box.upload.disabled and box.path.disabled
    box.consent.value = True
    assert not box.upload.disabled
    upload(box, "ward 2.csv", CSV)
    assert box.source.value == "ward 2.csv"


@pytest.mark.parametrize("name", BUNDLED)
def test_each_bundled_table_opens_unsolved_and_runs(name):
    box = table_explorer(name)
    numbers = box.explorer.shown["numbers"]
    assert numbers["now"].equals(numbers["as given"]), "nothing is coarser yet"
    assert box._repr_mimebundle_()["image/png"]
    assert len(bundled_table(name).data) == len(box.table.data)
