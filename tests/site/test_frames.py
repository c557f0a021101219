"""Frames of an explorer: which settings are drawn, and what is stored of each."""

import json
import math
import re

import ipywidgets as W
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from docs import frames
from docs.publish import TEMPLATES
from docs.run import notebooks
from toolkit.widgets import cell_explorer


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(2, 60), min_size=1, max_size=4), data=st.data())
def test_few_settings_are_all_drawn_and_more_are_thinned_out(sizes, data):
    starts = [data.draw(st.integers(0, size - 1)) for size in sizes]
    controls = {
        f"x{place}": W.IntSlider(start, 0, size - 1)
        for place, (size, start) in enumerate(zip(sizes, starts, strict=True))
    }
    drawn = frames.settings(controls)
    fewest = math.prod(min(size, frames.LEAST) for size in sizes)
    assert (drawn is None) == (fewest > 150 and math.prod(sizes) > 200)
    if drawn is None:
        return
    counts = [len(values) for values in drawn.values()]
    assert counts == sizes if math.prod(sizes) <= 200 else math.prod(counts) <= 150
    for values, size, start in zip(drawn.values(), sizes, starts, strict=True):
        numbers = [value for _, value in values]
        assert numbers == sorted(set(numbers)) and start in numbers
        assert {0, size - 1} <= {*numbers}


@pytest.mark.parametrize(
    ("control", "labels"),
    [
        (W.Dropdown(options=[("a", 1), ("b", 2)]), ["a", "b"]),
        (W.Checkbox(True), ["no", "yes"]),
        (W.FloatLogSlider(1, min=-1, max=1, step=0.5), ["0.1", "0.3162", "1", "3.162", "10"]),
        (W.IntSlider(1000, 0, 2000, 1000), ["0", "1,000", "2,000"]),
        (W.Text("1, 2"), ["1, 2"]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_control_is_a_list_of_values(control, labels):
    values = frames.choices(control)
    assert [label for label, _ in values] == labels
    assert control.value in [value for _, value in values]
    for _, value in values:
        control.value = value


def test_each_setting_has_its_text_and_its_picture(tmp_path):
    people = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
    box = cell_explorer(people)
    drawn = frames.frames(box, tmp_path)
    assert len(drawn["settings"]) == 6 and box.controls["row"].value == 0
    assert "CIG = 1.58 bits" in drawn["settings"]["2 1"][1]
    names = {picture for picture, _ in drawn["settings"].values()}
    assert {path.name for path in tmp_path.iterdir()} == names
    page = TEMPLATES.get_template("frames.html.j2").render(drawn=drawn, root="../")
    assert 'src="../_frames/' in page and "</script>" not in page.split('json">')[1][:-20]


@pytest.mark.full
def test_the_figures_of_all_pages_move_in_three_megabytes_each(tmp_path):
    moving = 0
    for path, drawn in frames.draw_all(notebooks(), tmp_path / "drawn").items():
        text = json.dumps(drawn)
        pictures = [tmp_path / "drawn" / name for name in set(re.findall(r"\w+\.webp", text))]
        size = sum(picture.stat().st_size for picture in pictures) + len(text)
        assert size < 3_000_000, (path.stem, size)
        moving += sum(one is not None for one in drawn.values())
    assert moving >= 14
