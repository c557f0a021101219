"""Explorer of a table of your own: open it, set roles, treat it, and save a release.

Every setting is a call of `treat`: the explorer measures what that call would release, and
saves the release that it makes, with the files that the command `treat` writes.
"""

from __future__ import annotations

import base64
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .. import datasets
from .._arguments import check_choice
from ..anonymisation import (
    cell_losses,
    generalise,
    optimal_generalisation,
    suggest_hierarchies,
    treat,
)
from ..classes import equivalence_class
from ..disclosure import k_anonymity, l_diversity, t_closeness
from ..information import cell_information_gain, row_information_gain
from ..io import read_table
from ..plots._style import BLUE, name_rows, value_label
from ..plots.anonymisation import plot_column_losses
from ..plots.disclosure import plot_class_sizes
from ..plots.information import plot_rig
from ..uniqueness import unique_share
from ..widgets import Explorer, explorer
from ..widgets._explorer import Seen, named, new_figure, with_picture
from .plain import share, template
from .roles import ROLES, suggest_roles, table_warnings
from .treating import files_of

BUNDLED = {
    "Adult (stand-in)": "load_adult",
    "Adult, invented names (stand-in)": "load_adult_with_pii",
    "Hackathon (stand-in)": "load_hackathon",
    "Incidents (invented)": "load_incidents",
    "Seven people (toy)": "load_cig_toy",
}
"""Tables that can be picked, and their loaders in `toolkit.datasets`."""
YOURS = "a table of yours"
ENDINGS = ".csv,.tsv,.txt,.parquet,.feather,.xlsx,.gz,.bz2,.xz,.zip"
KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
COMBINATIONS = 200_000  # most combinations of levels in the search
COLUMNS, DRAWN, ROWS = 40, 12, 5  # most columns, bars, and rows before and after
TEXTS: Any = template("explorer.html.j2").module
"""Texts of the explorer, in which all that comes from a table is escaped."""


def setting_explorer(
    data: pd.DataFrame, trees: Mapping[Any, pd.DataFrame], roles: Mapping[Any, str]
) -> Explorer:
    """Set roles, make columns coarser, and see what changes.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; names of columns are strings.
    trees : mapping
        Hierarchies of columns. A column that has none keeps its role.
    roles : mapping
        First role of each column, one of `ROLES`.

    Returns
    -------
    Explorer
        Controls "role of …" and "level of …" for each column, "k", and "limit", the share of
        the records that may be left out. `shown` has the `numbers`, "as given" and "now", and
        the `gains`, the mean gain about each column now, in bits.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> roles = {"age": "quasi-identifier", "illness": "sensitive"}
    >>> box = setting_explorer(people, suggest_hierarchies(people), roles)
    >>> box.move({"level of age": 3, "k": 2, "limit": 0.2})
    >>> box.shown["numbers"].loc[["k", "left out"], "now"].round(2).tolist()
    [2.0, 0.33]
    """
    controls, shown = dict[str, Any](), dict[str, Any]()
    for name in data:
        options: dict[str, Any] = {"options": ROLES, "disabled": name not in trees}
        role = W.Dropdown(value=roles[name], description=name, **options)
        controls[f"role of {name}"] = role
        if name in trees:
            groups = [f"{n} groups" for n in trees[name].nunique(dropna=False)[1:-1]]
            labels = getattr(trees[name], "names", None) or ["as it is", *groups, "hidden"]
            levels = [(label, level) for level, label in enumerate(labels)]
            slider = W.SelectionSlider(options=levels, value=0, description=name)
            W.dlink((role, "value"), (slider, "disabled"), lambda role: role != ROLES[1])
            controls[f"level of {name}"] = slider
    sizes = [k for k in KS if k <= len(data)]
    controls["k"] = W.SelectionSlider(options=sizes, value=1, description="k")
    limit: dict[str, Any] = {"max": 0.2, "step": 0.01, "readout_format": ".0%"}
    controls["limit"] = W.FloatSlider(value=0.05, description="leave out ≤", **limit)

    @lru_cache(maxsize=1)
    def as_given(known: tuple[str, ...], secret: tuple[str, ...]) -> dict[str, float]:
        return _measures(data, [*known], [*secret])[0]

    def see(**values: Any) -> Seen:
        shown.clear()  # a refused setting has no numbers
        known, k, secret, limit, levels = treat_arguments(values).values()
        if not known:
            raise ValueError("no column is a quasi-identifier; choose one in step 2.")
        before = data[[*known, *secret]]
        treated = generalise(before, trees, levels)
        ids = equivalence_class(treated, known).to_numpy()
        sizes = np.bincount(ids)
        few = sizes[ids] < k
        if few.all():
            raise ValueError(f"every class has fewer than {k:,} records; choose a smaller k.")
        lost = cell_losses(before, treated, {name: trees[name] for name in known})
        lost[few] = 1.0
        losses = lost.mean()
        given = as_given((*known,), (*secret,)) | {"left out": 0.0, "loss": 0.0}
        now, cig = _measures(treated[~few], known, secret)
        now |= {"left out": few.mean(), "loss": losses.mean()}
        shown["numbers"] = pd.DataFrame({"as given": given, "now": now})
        shown["gains"] = cig.mean()
        rows = treated.head(ROWS).astype(object).map(value_label)
        rows[few[:ROWS]] = "left out"
        first = before.head(ROWS).map(value_label)
        text = TEXTS.numbers(shown["numbers"], limit, first, rows)
        return text, _figure(cig, losses, pd.Series(sizes[sizes >= k]))

    box = explorer(see, **controls)
    box.shown = shown
    return box


def treat_arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the controls, as arguments of `treat`."""
    known, secret = (
        [name.removeprefix("role of ") for name, value in values.items() if value == role]
        for role in ROLES[1:3]
    )
    return {
        "quasi_identifiers": known,
        "k": values["k"],
        "sensitive": secret,
        "suppression_limit": values["limit"],
        "levels": {name: values[f"level of {name}"] for name in known},
    }


def _measures(
    data: pd.DataFrame, known: list[str], secret: list[str]
) -> tuple[dict[str, float], pd.DataFrame]:
    """What a table discloses, and the gain about each cell."""
    data = pd.concat([data[known].astype("category"), data[secret]], axis=1)
    found = {"k": float(k_anonymity(data, known)), "alone": unique_share(data, known)}
    for name in secret:
        found[f"ℓ of {name}"] = float(l_diversity(data, known, name))
        found[f"t of {name}"] = t_closeness(data, known, name)
    cig = cell_information_gain(data)
    return found | {"PIF95": float(np.percentile(row_information_gain(cig), 95))}, cig


def _figure(cig: pd.DataFrame, losses: pd.Series, sizes: pd.Series) -> Any:
    """Gains and losses by column, gains by record, and the sizes of classes."""
    figure, ((gains, prices), (records, classes)) = new_figure((9.4, 5.2), 2, 2)
    bars, rig = cig.mean(), row_information_gain(cig)
    bars, drawn = (
        column[column.rank(method="first", ascending=False) <= DRAWN]
        for column in (bars, losses)
    )
    gains.barh(range(len(bars)), bars, color=BLUE)
    name_rows(gains, bars.index)
    gains.set(xlabel="Mean gain (bits)", xlim=(0, None))
    plot_column_losses(drawn, total=float(losses.mean()), ax=prices)
    plot_rig(rig, pif=float(np.percentile(rig, 95)), n=95, ax=records)
    plot_class_sizes(sizes, ax=classes)
    return figure


def levels_of_least_loss(
    data: pd.DataFrame, trees: Mapping[Any, Any], setting: Mapping[str, Any]
) -> dict[str, int]:
    """Levels that reach k and lose least.

    If there are very many combinations, not all are compared: first some levels are skipped,
    and then the levels next to the best ones are tried.
    """
    known = setting["quasi_identifiers"]
    options = {name: setting[name] for name in ("k", "suppression_limit")}
    tables = {name: pd.DataFrame(trees[name]) for name in known}
    every = {name: [*range(table.shape[1])] for name, table in tables.items()}

    def best_of(levels: dict[str, list[int]]) -> Any:
        while math.prod(map(len, levels.values())) > COMBINATIONS:
            name = max(levels, key=lambda name: len(levels[name]))
            first, *between, last = levels[name]
            levels[name] = [first, *between[1::2], last] if between else [last]
        return optimal_generalisation(data[known], known, tables, levels=levels, **options)

    found = best_of({**every})
    beside = {n: every[n][max(level - 1, 0) : level + 2] for n, level in found.levels.items()}
    return dict(min(found, best_of(beside), key=lambda release: release.loss).levels)


class TableExplorer(W.VBox):  # type: ignore[misc]
    """Four steps from a table to a release: a `VBox` that knows its parts by name.

    Attributes
    ----------
    source, upload, message : widgets of step 1
        A menu of tables, a file, and a message: what was opened, or why nothing was.
    data, trees, roles, explorer : DataFrame, dict, DataFrame, Explorer
        The present table, its hierarchies, its suggested roles, and its `setting_explorer`.
    search, found : widgets of step 3
        Sets the levels of least loss that reach k.
    warned, checked, save, files, code : widgets of step 4
        What to know before saving, and the box to tick below, which is cleared when a role or
        the table changes; the button, links to the files, and the Python code.
    """

    def __init__(self) -> None:
        self.source = W.Dropdown(options=[YOURS, *BUNDLED], description="table")
        self.upload = W.FileUpload(accept=ENDINGS, description="open a file …")
        self.message, self.found, self.warned, self.files = (W.HTML() for _ in range(4))
        self.search = W.Button(description="Reach k", button_style="primary")
        ticked = "I have read this and checked the roles"
        self.checked = W.Checkbox(description=ticked, indent=False)
        self.save = W.Button(description="Prepare the files", button_style="primary")
        self.code = W.Textarea(description="Python", rows=12)
        hosted = any(name.startswith(("BINDER_", "JUPYTERHUB_")) for name in os.environ)
        notice = [W.HTML(TEXTS.elsewhere())] * hosted
        first = W.VBox([self.source, *notice, self.upload, self.message])
        last = W.VBox([self.warned, self.checked, self.save, self.files, self.code])
        self.steps = W.Tab([first, W.VBox(), W.VBox(), last])
        self.steps.titles = ("1 Table", "2 Roles", "3 Treat", "4 Save")
        self.body = W.Box([self.steps])
        style = files(__package__).joinpath("explorer.css").read_text(encoding="utf-8")
        super().__init__([W.HTML(f"<style>{style}</style>"), self.body])
        self.add_class("table-explorer")
        self.source.observe(lambda _: self._pick(), "value")
        self.upload.observe(lambda _: self._take(), "value")
        self.checked.observe(lambda _: self._write(), "value")
        self.search.on_click(lambda _: self.reach())
        self.save.on_click(lambda _: self._save())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return with_picture(super()._repr_mimebundle_(**options), self.explorer)

    def _pick(self) -> None:
        if name := BUNDLED.get(self.source.value):
            loader = getattr(datasets, name)
            self.open_table(self.source.value, loader, f"tk.datasets.{name}()")

    def _take(self) -> None:
        for file in self.upload.value:
            name = Path(file["name"]).name
            read = partial(read_content, name, bytes(file["content"]))
            self.open_table(name, read, f"tk.read_table({name!r})")

    def open_table(self, name: str, read: Callable[[], Any], python: str) -> bool:
        """Show the table that `read` returns, or say why not."""
        try:
            self.show(name, read(), python)
        except Exception as error:  # the reader needs the reason, whatever it is
            self.message.value = TEXTS.refused(error)
            return False
        return True

    def show(self, name: str, table: Any, python: str) -> None:
        """Show a table, and the Python code that opens it."""
        data = named(table)
        if not 2 <= data.shape[1] <= COLUMNS:
            raise ValueError(
                f"the table has {data.shape[1]:,} columns; give 2 to {COLUMNS}. If a file"
                f" seems to have one column, look at its separator."
            )
        trees: dict[str, Any] = {**suggest_hierarchies(data)}
        if python.startswith("tk.datasets.load_adult"):
            trees |= datasets.load_adult_hierarchies()
        roles = suggest_roles(data)
        suggested = dict(zip(data, roles["role"], strict=True))
        shown = setting_explorer(data, trees, suggested)
        self.data, self.trees, self.roles, self.explorer = data, trees, roles, shown
        self.python, self.warnings = python, table_warnings(data, roles)
        self.source.value = name if name in BUNDLED else YOURS
        controls, columns = shown.controls, [W.HTML(TEXTS.guessed())]
        for row in roles.itertuples(index=False):
            columns += [controls[f"role of {row.column}"], W.HTML(TEXTS.reason(row))]
        levels = [control for key, control in controls.items() if key.startswith("level of")]
        goal = [controls["k"], controls["limit"], self.search, self.found]
        first, _, _, last = self.steps.children
        self.steps.children = [first, W.VBox(columns), W.VBox([*goal, *levels]), last]
        self.body.children = [self.steps, shown.image, shown.summary]
        for control in controls.values():
            control.observe(lambda _: self._write(), "value")
        self.warned.value = ""  # clears the tick
        self._write()
        self.message.value = TEXTS.opened(name, data)  # once the controls are there

    @property
    def setting(self) -> dict[str, Any]:
        """The present setting, as arguments of `treat`."""
        controls = self.explorer.controls.items()
        return treat_arguments({name: control.value for name, control in controls})

    def _write(self) -> None:
        """Write what a release would not count, and its Python code; remove older files."""
        self.files.value = self.found.value = ""
        arguments = [f"    {name}={at!r}," for name, at in self.setting.items() if at != []]
        if self.python.startswith("tk.datasets.load_adult"):
            arguments.append("    hierarchies=tk.datasets.load_adult_hierarchies(),")
        lines = ["import toolkit as tk", "", f"data = {self.python}", "release = tk.treat("]
        saved = "release.data.to_csv('release.csv', index=False)"
        self.code.value = "\n".join([*lines, "    data,", *arguments, ")", saved, ""])
        roles = {name: self.explorer.controls[f"role of {name}"].value for name in self.data}
        if (text := TEXTS.warned(roles, self.warnings)) != self.warned.value:
            self.warned.value, self.checked.value = text, False

    def reach(self) -> None:
        """Set the levels of least loss that reach the k of the slider, at least 2."""
        setting = self.setting
        k = setting["k"] = max(setting["k"], 2)
        try:
            levels = levels_of_least_loss(self.data, self.trees, setting)
            moved = {f"level of {name}": level for name, level in levels.items()}
            self.explorer.move({**moved, "k": k})
            out = self.explorer.shown["numbers"].loc["left out", "now"]
        except Exception as error:  # the reader needs the reason, whatever it is
            self.found.value = f"<b>Not found:</b> {TEXTS.refused(error)}"
            return
        self.found.value = f"k = {k:,} is reached; {share(out)} of the records are left out."

    def release_files(self) -> dict[str, bytes]:
        """Files of the release, as the command `treat` writes them, and its Python code."""
        with warnings.catch_warnings(action="ignore"), tempfile.TemporaryDirectory() as folder:
            release = treat(self.data, hierarchies=self.trees, **self.setting)
            texts, _ = files_of(self.data, release, YOURS, Path(folder, "release.csv"))
        texts[Path("treatment.py")] = self.code.value
        return {
            path.name: text.encode() if isinstance(text, str) else text
            for path, text in texts.items()
        }

    def _save(self) -> None:
        """Make links that save the files, or say why there are none."""
        try:
            if not self.checked.value:
                raise ValueError(f"tick “{self.checked.description}” first.")
            made = self.release_files()
        except Exception as error:  # the reader needs the reason, whatever it is
            self.files.value = f"<b>Nothing was saved:</b> {TEXTS.refused(error)}"
            return
        coded = {name: base64.b64encode(content).decode() for name, content in made.items()}
        self.files.value = TEXTS.links(coded)


def read_content(name: str, content: bytes) -> pd.DataFrame:
    r"""Read the content of a file under its own name, in a folder of its own.

    Examples
    --------
    >>> read_content("people.csv", b"age,illness\n17,flu\n").shape
    (1, 2)
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            return read_table(path)
        except Exception as error:  # hide the path of the upload
            raise ValueError(str(error).replace(str(path), name)) from None


def table_explorer(data: pd.DataFrame | str = "Adult (stand-in)") -> TableExplorer:
    """Explore a table of your own, or a bundled one.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or str
        The first table: a table of 2 to 40 columns, or the name of a bundled one (see
        `BUNDLED`). The page of `dev.py explore` opens its file instead of the bundled table.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = table_explorer(people)
    >>> box.explorer.controls["level of age"].value = 3
    >>> "levels={'age': 3" in box.code.value
    True
    """
    box = TableExplorer()
    if not isinstance(data, str):
        box.show("the table given", data, "...")
        return box
    check_choice(data, "data", [*BUNDLED])
    file = os.environ.get("PRIVACY_TOOLKIT_TABLE", "")
    name = Path(file).name
    if not (
        file and box.open_table(name, partial(read_table, file), f"tk.read_table({name!r})")
    ):
        why = box.message.value
        box.source.value = data  # shows this table
        box.message.value = why or box.message.value
    return box
