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
from importlib.resources import files
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from .. import anonymisation, datasets, plots
from ..classes import equivalence_class
from ..disclosure import k_anonymity, l_diversity, t_closeness
from ..information import cell_information_gain, row_information_gain
from ..io import read_table
from ..plots._style import BLUE, name_rows, value_label
from ..uniqueness import unique_share
from ..widgets import explorer
from ..widgets._explorer import Seen, named, new_figure, with_picture
from .plain import share, template
from .roles import ROLES, suggest_roles, table_warnings
from .treating import files_of

KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
COMBINATIONS = 200_000  # most combinations of levels in the search
COLUMNS, DRAWN, ROWS = 40, 12, 5  # most columns, bars, and rows before and after
TEXTS: Any = template("explorer.html.j2").module
"""Texts of the explorer, in which all that comes from a table is escaped."""


def table_explorer(data: pd.DataFrame | str = "load_adult") -> TableExplorer:
    """Explore a table of your own, or a bundled one.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or str
        The first table: a table of 2 to 40 columns, or the name of a loader of
        `toolkit.datasets`. The page of `dev.py explore` opens its file after it.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = table_explorer(people)
    >>> box.explorer.move({"level of age": 3, "k": 2, "limit": 0.2})
    >>> box.shown["numbers"].loc[["k", "left out"], "now"].round(2).tolist()
    [2.0, 0.33]
    >>> "levels={'age': 3" in box.code.value
    True
    """
    box = TableExplorer()
    if not isinstance(data, str):
        box.show("the table given", data, "...")
        return box
    box.show(data, getattr(datasets, data)(), f"tk.datasets.{data}()")
    if file := os.environ.get("PRIVACY_TOOLKIT_TABLE"):
        box.open_table(Path(file))
    return box


class TableExplorer(W.VBox):  # type: ignore[misc]
    """Four steps from a table to a release: a `VBox` that knows its parts by name.

    Attributes
    ----------
    upload, message : widgets of step 1
        A file, and a message: what was opened, or why nothing was.
    data, trees : DataFrame, dict
        The present table and its hierarchies. A column that has none keeps its role.
    explorer : Explorer
        Its controls are "role of …" and "level of …" for each column, "k", and "limit", the
        share of the records that may be left out.
    shown : dict
        The `numbers`, "as given" and "now", and the `gains`, the mean gain about each column
        now, in bits; empty if the present setting is refused.
    search, found : widgets of step 3
        Sets the levels of least loss that reach k.
    warned, checked, save, files, code : widgets of step 4
        What to know before saving, and the box to tick below, which is cleared when a role or
        the table changes; the button, links to the files, and the Python code.
    """

    def __init__(self) -> None:
        self.upload = W.FileUpload(description="open a file …")
        self.message, self.found, self.warned, self.files = (W.HTML() for _ in range(4))
        self.search = W.Button(description="Reach k", button_style="primary")
        ticked = "I have read this and checked the roles"
        self.checked = W.Checkbox(description=ticked, indent=False)
        self.save = W.Button(description="Prepare the files", button_style="primary")
        self.code = W.Textarea(description="Python", rows=12)
        self.shown = dict[str, Any]()
        hosted = any(name.startswith(("BINDER_", "JUPYTERHUB_")) for name in os.environ)
        first = W.VBox([*[W.HTML(TEXTS.elsewhere())] * hosted, self.upload, self.message])
        last = W.VBox([self.warned, self.checked, self.save, self.files, self.code])
        names = ("1 Table", "2 Roles", "3 Treat", "4 Save")
        self.steps = W.Tab([first, W.VBox(), W.VBox(), last], titles=names)
        self.body = W.Box([self.steps])
        style = files(__package__).joinpath("explorer.css").read_text(encoding="utf-8")
        super().__init__([W.HTML(f"<style>{style}</style>"), self.body])
        self.add_class("table-explorer")
        self.upload.observe(lambda _: self._take(), "value")
        self.search.on_click(lambda _: self.reach())
        self.save.on_click(lambda _: _attempt(self._save, self.files))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return with_picture(super()._repr_mimebundle_(**options), self.explorer)

    def _take(self) -> None:
        for file in self.upload.value:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, Path(file["name"]).name)
                path.write_bytes(file["content"])
                self.open_table(path)

    def open_table(self, path: Path) -> None:
        """Show the table of a file, or say why not, without its folder."""
        code = f"tk.read_table({path.name!r})"
        _attempt(lambda: self.show(path.name, read_table(path), code), self.message)
        self.message.value = self.message.value.replace(f"{path.parent}{os.sep}", "")

    def show(self, name: str, table: Any, python: str) -> None:
        """Show a table; `python` is the code that opens it."""
        data = named(table)
        if not 2 <= data.shape[1] <= COLUMNS:
            number = f"2 to {COLUMNS} columns, not {data.shape[1]:,}"
            raise ValueError(f"a table must have {number}; look at the file's separator.")
        roles, trees = suggest_roles(data), {**anonymisation.suggest_hierarchies(data)}
        if python.startswith("tk.datasets.load_adult"):
            trees |= datasets.load_adult_hierarchies()
        controls, reasons, sliders = dict[str, Any](), [W.HTML(TEXTS.guessed())], list[Any]()
        for row in roles.itertuples(index=False):
            name_of, tree = row.column, trees.get(row.column)
            options: dict[str, Any] = {"options": ROLES, "disabled": tree is None}
            role = W.Dropdown(value=row.role, description=name_of, **options)
            controls[f"role of {name_of}"] = role
            reasons += [role, W.HTML(TEXTS.reason(row))]
            if tree is None:
                continue
            groups = [f"{n} groups" for n in tree.nunique(dropna=False)[1:-1]]
            labels = getattr(tree, "names", None) or ["as it is", *groups, "hidden"]
            levels = [(label, level) for level, label in enumerate(labels)]
            slider = W.SelectionSlider(options=levels, value=0, description=name_of)
            W.dlink((role, "value"), (slider, "disabled"), lambda role: role != ROLES[1])
            controls[f"level of {name_of}"] = slider
            sliders.append(slider)
        sizes = [k for k in KS if k <= len(data)]
        controls["k"] = W.SelectionSlider(options=sizes, value=1, description="k")
        limit: dict[str, Any] = {"max": 0.2, "step": 0.01, "readout_format": ".0%"}
        controls["limit"] = W.FloatSlider(value=0.05, description="leave out ≤", **limit)
        self.data, self.trees, self.controls, self.python = data, trees, controls, python
        self.warnings, self.given = table_warnings(data, roles), dict[Any, Any]()
        self.explorer = explorer(self._see, **controls)
        goal = [controls["k"], controls["limit"], self.search, self.found]
        first, _, _, last = self.steps.children
        self.steps.children = [first, W.VBox(reasons), W.VBox([*goal, *sliders]), last]
        self.body.children = [self.steps, self.explorer.image, self.explorer.summary]
        for control in controls.values():
            control.observe(lambda _: self._write(), "value")
        self.warned.value = ""  # clears the tick
        self._write()
        self.message.value = TEXTS.opened(name, data)  # once the controls are there

    @property
    def setting(self) -> dict[str, Any]:
        """The present setting, as arguments of `treat`."""
        at = {name: control.value for name, control in self.controls.items()}
        known, secret = (
            [name for name in self.data if at[f"role of {name}"] == role]
            for role in ROLES[1:3]
        )
        levels = {name: at[f"level of {name}"] for name in known}
        limits = {"k": at["k"], "sensitive": secret, "suppression_limit": at["limit"]}
        return {"quasi_identifiers": known, **limits, "levels": levels}

    def _see(self, **_: Any) -> Seen:
        """Measure what the present setting would release."""
        self.shown.clear()  # a refused setting has no numbers
        known, k, secret, limit, levels = self.setting.values()
        if not known:
            raise ValueError("no column is a quasi-identifier; choose one in step 2.")
        before = self.data[[*known, *secret]]
        treated = anonymisation.generalise(before, self.trees, levels)
        ids = equivalence_class(treated, known).to_numpy()
        sizes = np.bincount(ids)
        few = sizes[ids] < k
        if few.all():
            raise ValueError(f"every class has fewer than {k:,} records; choose a smaller k.")
        trees = {name: self.trees[name] for name in known}
        lost = anonymisation.cell_losses(before, treated, trees)
        lost[few] = 1.0
        losses, roles = lost.mean(), (*known, None, *secret)
        if roles not in self.given:
            none = {"left out": 0.0, "loss": 0.0}
            self.given[roles] = _measures(before, known, secret)[0] | none
        now, cig = _measures(treated[~few], known, secret)
        now |= {"left out": few.mean(), "loss": losses.mean()}
        numbers = pd.DataFrame({"as given": self.given[roles], "now": now})
        self.shown |= {"numbers": numbers, "gains": cig.mean()}
        rows = treated.head(ROWS).astype(object).map(value_label)
        rows[few[:ROWS]] = "left out"
        text = TEXTS.numbers(numbers, limit, before.head(ROWS).map(value_label), rows)
        return text, _figure(cig, losses, pd.Series(sizes[sizes >= k]))

    def _write(self) -> None:
        """Write what a release would not count, and its Python code; remove older files."""
        self.files.value = self.found.value = ""
        arguments = [f"    {name}={at!r}," for name, at in self.setting.items() if at != []]
        if self.python.startswith("tk.datasets.load_adult"):
            arguments.append("    hierarchies=tk.datasets.load_adult_hierarchies(),")
        lines = ["import toolkit as tk", "", f"data = {self.python}", "release = tk.treat("]
        saved = "release.data.to_csv('release.csv', index=False)"
        self.code.value = "\n".join([*lines, "    data,", *arguments, ")", saved, ""])
        roles = {name: self.controls[f"role of {name}"].value for name in self.data}
        if (text := TEXTS.warned(roles, self.warnings)) != self.warned.value:
            self.warned.value, self.checked.value = text, False

    def reach(self) -> None:
        """Set the levels of least loss that reach the k of the slider, at least 2."""
        _attempt(self._reach, self.found)

    def _reach(self) -> None:
        setting = self.setting
        k = setting["k"] = max(setting["k"], 2)
        levels = levels_of_least_loss(self.data, self.trees, setting)
        moved = {f"level of {name}": level for name, level in levels.items()}
        self.explorer.move({**moved, "k": k})
        out = self.shown["numbers"].loc["left out", "now"]
        self.found.value = f"k = {k:,} is reached; {share(out)} of the records are left out."

    def _save(self) -> None:
        """Make links that save the files of the command `treat`, and the Python code."""
        if not self.checked.value:
            raise ValueError(f"tick “{self.checked.description}” first.")
        with warnings.catch_warnings(action="ignore"):
            release = anonymisation.treat(self.data, hierarchies=self.trees, **self.setting)
        texts, _ = files_of(self.data, release, "a table of yours", Path("release.csv"))
        links = {}
        for path, text in {**texts, Path("treatment.py"): self.code.value}.items():
            content = text.encode() if isinstance(text, str) else text
            links[path.name] = base64.b64encode(content).decode()
        self.files.value = TEXTS.links(links)


def _attempt(action: Callable[[], None], place: W.HTML) -> None:
    """Act, or show the reason why the action is refused."""
    try:
        action()
    except Exception as error:  # the reader needs the reason, whatever it is
        place.value = TEXTS.refused(error)


def _measures(
    data: pd.DataFrame, known: list[str], secret: list[str]
) -> tuple[dict[str, float], pd.DataFrame]:
    """What a table discloses, and the gain about each cell."""
    data = pd.concat([data[known].astype("category"), data[secret]], axis=1)
    measures = {"k": float(k_anonymity(data, known)), "alone": unique_share(data, known)}
    for name in secret:
        measures[f"ℓ of {name}"] = float(l_diversity(data, known, name))
        measures[f"t of {name}"] = t_closeness(data, known, name)
    cig = cell_information_gain(data)
    return measures | {"PIF95": float(np.percentile(row_information_gain(cig), 95))}, cig


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
    plots.plot_column_losses(drawn, total=float(losses.mean()), ax=prices)
    plots.plot_rig(rig, pif=float(np.percentile(rig, 95)), n=95, ax=records)
    plots.plot_class_sizes(sizes, ax=classes)
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
    tables = {name: trees[name] for name in known}

    def best_of(levels: dict[str, list[int]]) -> Any:
        while math.prod(map(len, levels.values())) > COMBINATIONS:
            name = max(levels, key=lambda name: len(levels[name]))
            first, *between, last = levels[name]
            levels[name] = [first, *between[1::2], last] if between else [last]
        return anonymisation.optimal_generalisation(
            data[known], known, tables, levels=levels, **options
        )

    every = {name: [*range(table.shape[1])] for name, table in tables.items()}
    best = best_of({**every})
    beside = {n: every[n][max(level - 1, 0) : level + 2] for n, level in best.levels.items()}
    return dict(min(best, best_of(beside), key=lambda release: release.loss).levels)
