"""The explorer of a table of your own: opened, treated as `treat` does, saved, repeated."""

import base64
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit.report.explorer import table_explorer

QUASI, SENSITIVE, OTHER = "quasi-identifier", "sensitive", "other"
ROLES = {"name": "direct identifier", "age": QUASI, "zip": QUASI, "sex": QUASI}
ROLES = {f"role of {name}": role for name, role in {**ROLES, "illness": SENSITIVE}.items()}
KNOWN = ["age", "zip", "sex"]
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
def steps():
    """The ward with its roles, in four steps."""
    steps = table_explorer(ward())
    steps.explorer.move(ROLES)
    return steps


def upload(steps, name, content):
    """Choose a file in the dialogue that the button opens."""
    facts = {"type": "", "size": len(content), "last_modified": pd.Timestamp(0, tz="UTC")}
    steps.upload.value = ({"name": name, "content": memoryview(content), **facts},)


@pytest.mark.parametrize("levels", [(1, 1, 0), (2, 2, 1), (3, 0, 1), (0, 0, 0)])
def test_numbers_are_those_of_the_release_that_treat_makes(steps, levels):
    box = steps.explorer
    box.move({f"level of {name}": level for name, level in zip(KNOWN, levels, strict=True)})
    box.controls["k"].value = 2
    assert "Not possible" not in box.summary.value
    now = steps.shown["numbers"]["now"]
    release = tk.treat(ward(), hierarchies=steps.trees, **steps.setting)
    rig = tk.row_information_gain(tk.cell_information_gain(release.data))
    wanted = {
        "k": tk.k_anonymity(release.data, KNOWN),
        "l": tk.l_diversity(release.data, KNOWN, "illness"),
        "entropy_l": tk.entropy_l_diversity(release.data, KNOWN, "illness"),
        "t": tk.t_closeness(release.data, KNOWN, "illness"),
        "alone": tk.unique_share(release.data, KNOWN),
        "PIF95": np.percentile(rig, 95),
        "left out": 1 - len(release.data) / 300,
        "loss": release.record["loss"],
    }
    assert now.to_dict() == pytest.approx(wanted, rel=1e-9) and now["k"] >= 2
    before = steps.shown["numbers"]["as given"]
    assert before["k"] == tk.k_anonymity(ward(), KNOWN) and before["loss"] == 0


def test_each_control_changes_text_or_figure_and_names_its_column(steps):
    box = steps.explorer
    box.move({"level of age": 3, "level of zip": 2, "k": 5})
    for name, control in box.controls.items():
        before, answers = control.value, set()
        options = getattr(control, "options", (2, 9))
        options = [o[1] if isinstance(o, tuple) else o for o in options]
        for value in [options[0], options[-1], before]:
            control.value = value
            answers.add((box.summary.value, bytes(box.image.value)))
        control.value = before
        unmeasured = name in ("role of name", "level of name", "level of illness")
        assert len(answers) > 1 or unmeasured, name
        assert control.description
    sliders = [control for name, control in box.controls.items() if "level" in name]
    assert [slider.disabled for slider in sliders] == [True, False, False, False, True]


def test_a_slider_walks_few_functions():
    rng = np.random.default_rng(1)
    box = table_explorer(pd.DataFrame({f"c{j}": rng.integers(0, 9, 2000) for j in range(8)}))
    box, walked = box.explorer, set()
    box.move({f"role of c{j}": QUASI if j < 6 else SENSITIVE for j in range(8)})
    box.controls["level of c1"].value = 1

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and "/toolkit/" in code.co_filename and code.co_name[0] != "<":
            walked.add(code)

    sys.setprofile(note)
    box.controls["level of c2"].value = 1
    sys.setprofile(None)
    assert len(walked) <= 110


def test_refusals_are_the_text_and_the_last_figure_stays(steps):
    box = steps.explorer
    before = bytes(box.image.value)
    box.controls["k"].value = 100
    assert "every class has fewer than k records" in box.summary.value
    assert bytes(box.image.value) == before
    box.move({f"role of {name}": OTHER for name in ward()} | {"k": 1})
    assert "no column is a quasi-identifier" in box.summary.value


def saved(steps):
    """Files behind the links of the last step."""
    links = re.findall('download="([^"]+)" href="data:[^,]+,([^"]+)"', steps.files.value)
    return {name: base64.b64decode(content) for name, content in links}


def test_what_is_saved_keeps_k_in_its_file_and_the_python_repeats_it(tmp_path):
    ward().to_csv(tmp_path / "ward.csv", index=False)
    steps = table_explorer("load_cig_toy")
    upload(steps, "ward.csv", (tmp_path / "ward.csv").read_bytes())
    choice = {"level of age": 3, "level of zip": 2, "k": 5}
    steps.explorer.move({**ROLES, **choice})
    steps.checked.value = True
    steps.save.click()
    files = saved(steps)
    assert [*files] == ["release.csv", "release.json", "release.html", "treatment.py"]
    for name, content in files.items():
        (tmp_path / f"saved {name}").write_bytes(content)
    released = tk.read_table(tmp_path / "saved release.csv")
    assert [*released] == ["age", "zip", "sex", "illness"]
    assert tk.k_anonymity(released, KNOWN) >= 5
    record = json.loads(files["release.json"])
    assert record["thresholds"]["k"] == 5 and record["measured"][0]["value"] >= 5
    assert b"Patient" not in b"".join(files.values())
    again = [sys.executable, "saved treatment.py"]
    subprocess.run(again, cwd=tmp_path, check=True, timeout=120)
    repeated = tk.read_table(tmp_path / "release.csv")
    rows = [sorted(map(str, table.values.tolist())) for table in (repeated, released)]
    assert rows[0] == rows[1]


# The four steps


def test_nothing_is_saved_before_the_tick_which_goes_with_each_role(steps):
    steps.explorer.move({"level of age": 2, "level of zip": 2, "k": 5})
    steps.save.click()
    assert "tick “" in steps.files.value and not saved(steps)
    assert "<b>name</b>: direct identifier, not counted by k" in steps.warned.value
    steps.checked.value = True
    steps.save.click()
    assert len(saved(steps)) == 4
    steps.explorer.controls["level of age"].value = 0
    assert not steps.files.value and steps.checked.value, "an older file is gone"
    steps.explorer.move({"role of sex": OTHER, "role of illness": OTHER})
    assert not steps.checked.value and "nobody said" in steps.warned.value
    steps.explorer.controls["role of name"].value = QUASI
    steps.explorer.controls["k"].value, steps.checked.value = 1, True
    steps.save.click()
    assert "name&#39; would be released" in steps.files.value and not saved(steps)
    steps.explorer.controls["role of name"].value, steps.checked.value = OTHER, True
    steps.save.click()
    assert "k = 1 asks for nothing" in steps.files.value and not saved(steps)
    steps.show("again", ward().assign(illness=[None, *ward()["illness"][1:]]), "again")
    assert "illness&#39; has missing cells" in steps.warned.value


def test_cells_of_names_are_not_shown_and_markup_is_text():
    tag = "<script>1</script>"
    data = ward().rename(columns={"zip": tag}).assign(illness=[tag, "flu", "hiv"] * 100)
    box = table_explorer(data)
    box.explorer.controls["role of name"].value = "direct identifier"
    upload(box, f"{tag}.xyz", b"\x00")
    reasons = box.steps.children[1].children
    texts = [box.explorer.summary, box.message, box.warned, box.files, *reasons]
    shown = "".join(str(getattr(text, "value", "")) for text in texts)
    assert "Patient" not in shown and "<script>" not in shown and "&lt;script&gt;" in shown


WIDE = b",".join(b"c%d" % i for i in range(60)) + b"\n" + b"1," * 59 + b"1"
UNREADABLE = {
    "empty.csv": (b"", "empty"),
    "one.csv": (b"age\n1\n2\n", "not 1; look at the file&#39;s separator"),
    "wide.csv": (WIDE, "60"),
    "odd.xyz": (b"\x00\x01", "odd.xyz"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_opened_gets_one_line(name):
    box = table_explorer("load_cig_toy")
    content, words = UNREADABLE[name]
    upload(box, name, content)
    assert words in box.message.value and "/tmp" not in box.message.value
    assert "\n" not in box.message.value and "load_cig_toy()" in box.code.value
    assert len(box.data) == 7


def test_a_page_opens_its_file_or_says_why_not(monkeypatch, tmp_path):
    place = tmp_path / "my ward.csv"
    place.write_bytes(CSV)
    monkeypatch.setenv("PRIVACY_TOOLKIT_TABLE", str(place))
    box = table_explorer("load_cig_toy")
    assert "my ward.csv" in box.message.value and len(box.data) == 60
    assert "data = tk.read_table('my ward.csv')" in box.code.value
    monkeypatch.setenv("PRIVACY_TOOLKIT_TABLE", str(tmp_path / "wart.csv"))
    box = table_explorer("load_cig_toy")
    assert "wart.csv" in box.message.value and len(box.data) == 7


@pytest.mark.parametrize("server", ["BINDER_SERVICE_HOST", "JUPYTERHUB_USER"])
def test_a_server_of_somebody_else_is_named_above_the_button(monkeypatch, server):
    def shown():
        parts = table_explorer("load_cig_toy").steps.children[0].children
        return [str(getattr(part, "value", "")) for part in parts]

    assert not any("not on your own computer" in text for text in shown())
    monkeypatch.setenv(server, "somebody")
    assert "not on your own computer" in shown()[0]


@pytest.mark.parametrize("table", ["adult", "adult_with_pii", "hackathon", "incidents"])
def test_each_bundled_table_opens_unsolved_and_runs(table):
    box = table_explorer(f"load_{table}")
    numbers = box.shown["numbers"]
    assert numbers["now"].equals(numbers["as given"]), "nothing is coarser yet"
    assert box._repr_mimebundle_()["image/png"] and f"load_{table}()" in box.code.value
    assert box._repr_mimebundle_()["text/plain"] == repr(box) == str(numbers), "no cell"
