"""Explorer of a table of your own: open it, set roles, treat it, and save a release.

Every setting is a call of `treat`: the explorer measures what that call would release, and
saves the release that it makes, with files as the command `treat` writes them.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import ipywidgets as W
import pandas as pd

from .. import datasets, plots
from ..anonymisation import optimal_generalisation, suggest_hierarchies, treat
from ..classes import class_sizes
from ..information import information_factors
from ..io import read_table
from ..plots._style import value_label
from ..widgets import explorer
from ..widgets._explorer import Seen, named, new_figure, with_picture
from .plain import template
from .roles import ROLES, suggest_roles, table_warnings
from .treating import files_of

COLUMNS, ROWS = 40, 5  # most columns, and rows before and after
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
    >>> box.explorer.move({"level of age": 3, "k": 2})
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
        The present table and its hierarchies.
    explorer : Explorer
        Its controls are "role of …" and "level of …" for each column, and "k".
    shown : dict
        The `numbers`, "as given" and "now", and the `gains`, the mean gain about each column
        now, in bits; empty if the present setting is refused.
    warned, checked, save, files, code : widgets of step 4
        What to know before saving, and the box to tick below, which is cleared when a role or
        the table changes; the button, links to the files, and the Python code.
    """

    def __init__(self) -> None:
        self.upload = W.FileUpload(description="open a file …")
        self.message, self.warned, self.files = W.HTML(), W.HTML(), W.HTML()
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
        self.save.on_click(lambda _: _attempt(self._save, self.files))

    def __repr__(self) -> str:
        """Show the measures, and no cell."""
        return str(self.shown.get("numbers", "TableExplorer"))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle = with_picture(super()._repr_mimebundle_(**options), self.explorer)
        return bundle | {"text/plain": repr(self)}

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
        data = named(table).reset_index(drop=True)
        if not 2 <= data.shape[1] <= COLUMNS:
            number = f"2 to {COLUMNS} columns, not {data.shape[1]:,}"
            raise ValueError(f"a table must have {number}; look at the file's separator.")
        suggested, trees = suggest_roles(data), suggest_hierarchies(data)
        roles, levels, guesses = dict[str, Any](), dict[str, Any](), list[Any]()
        for row in suggested.itertuples(index=False):
            texts = trees[row.column].names if row.column in trees else ["as it is"]
            options = [(text, place) for place, text in enumerate(texts)]
            role = W.Dropdown(options=ROLES, value=row.role, description=row.column)
            level = W.SelectionSlider(options=options, description=row.column)
            W.dlink((role, "value"), (level, "disabled"), lambda role: role != ROLES[1])
            roles[f"role of {row.column}"], levels[f"level of {row.column}"] = role, level
            guesses += [role, W.HTML(TEXTS.reason(row))]
        k = W.BoundedIntText(1, min=1, max=len(data), description="k")
        self.data, self.trees, self.python, self.given = data, trees, python, dict[str, Any]()
        self.controls, self.roles = {**roles, **levels, "k": k}, dict[Any, Any]()
        self.suggested = suggested
        self.explorer = explorer(self._see, **self.controls)
        self.steps.children[1].children = [W.HTML(TEXTS.guessed()), *guesses]
        self.steps.children[2].children = [k, *levels.values()]
        self.body.children = [self.steps, self.explorer.image, self.explorer.summary]
        self.message.value = TEXTS.opened(name, data)  # once the controls are there

    @property
    def setting(self) -> dict[str, Any]:
        """The present setting, as arguments of `treat`."""
        at = {name: control.value for name, control in self.controls.items()}
        roles = {name: at[f"role of {name}"] for name in self.data}
        known, secret = ([n for n in roles if roles[n] == role] for role in ROLES[1:3])
        levels = {name: at[f"level of {name}"] for name in known}
        columns = {"quasi_identifiers": known, "sensitive": secret}
        return {**columns, "k": at["k"], "suppression_limit": 1.0, "levels": levels}

    def _see(self, **_: Any) -> Seen:
        """Measure what the present setting would release, and write its Python code."""
        self.shown.clear()
        setting = self.setting
        self._write(setting)
        release, gains, sizes, now = self._measured(setting)
        untreated = setting | {"k": 1, "levels": dict.fromkeys(setting["levels"], 0)}
        if str(untreated) not in self.given:
            self.given[str(untreated)] = self._measured(untreated)[-1]
        numbers = pd.DataFrame({"as given": self.given[str(untreated)], "now": now})
        self.shown |= {"numbers": numbers, "gains": gains.mean()}
        first = self.data[release.data.columns].head(ROWS)
        rows = release.data.reindex(first.index).astype(object).map(value_label)
        rows[release.suppressed_rows[:ROWS]] = "left out"
        figure, (left, right) = new_figure((9.4, 3.6), 1, 2)
        most = min(10, len(self.data).bit_length())  # bits, at any setting
        plots.plot_cell_bands(gains, vmax=most, ax=left)
        plots.plot_class_sizes(sizes, ax=right)
        return TEXTS.numbers(numbers, first.map(value_label), rows), figure

    def _measured(self, setting: dict[str, Any]) -> tuple[Any, pd.DataFrame, Any, Any]:
        """A release, the gain about each cell, the sizes of classes, and all measures."""
        known = setting["quasi_identifiers"]
        if not known:
            raise ValueError("no column is a quasi-identifier; choose one in step 2.")
        table = self.data[[*known, *setting["sensitive"]]]
        release = optimal_generalisation(table, hierarchies=self.trees, **setting)
        if release.data.empty:
            raise ValueError("every class has fewer than k records; lower k or raise levels.")
        factors, sizes = information_factors(release.data), class_sizes(release.data, known)
        more = {"alone": (sizes == 1).sum() / sizes.sum(), "PIF95": factors.pif(95)}
        more |= {"left out": release.suppressed_rows.mean(), "loss": release.loss}
        return release, factors.cig, sizes, pd.concat([release.privacy, pd.Series(more)])

    def _write(self, setting: dict[str, Any]) -> None:
        """Write the Python of a setting and what to know before saving; remove older files."""
        self.files.value = ""
        lines = ["data,", *(f"{name}={value!r}," for name, value in setting.items())]
        arguments = "\n    ".join(lines)
        self.code.value = (
            f"import toolkit as tk\n\ndata = {self.python}\n"
            f"release = tk.treat(\n    {arguments}\n)\n"
            "release.data.to_csv('release.csv', index=False)\n"
        )
        roles = {name: self.controls[f"role of {name}"].value for name in self.data}
        if roles != self.roles:
            self.roles, self.checked.value = roles, False
            chosen = self.suggested.assign(role=[*roles.values()])
            self.warned.value = TEXTS.warned(roles, table_warnings(self.data, chosen))

    def _save(self) -> None:
        """Make links that save the files of the command `treat`, and the Python code."""
        if not self.checked.value:
            raise ValueError(f"tick “{self.checked.description}” first.")
        release = treat(self.data, hierarchies=self.trees, **self.setting)
        texts, _ = files_of(self.data, release, "a table of yours", Path("release.csv"))
        if self.setting["k"] == 1:
            raise ValueError("k = 1 asks for nothing; choose a larger k in step 3.")
        texts[Path("treatment.py")] = self.code.value
        bytes_of = {p.name: t.encode() if isinstance(t, str) else t for p, t in texts.items()}
        links = {name: base64.b64encode(text).decode() for name, text in bytes_of.items()}
        self.files.value = TEXTS.links(links)


def _attempt(action: Callable[[], None], place: W.HTML) -> None:
    """Act, or show the reason why the action is refused."""
    try:
        action()
    except Exception as error:  # the reader needs the reason, whatever it is
        place.value = TEXTS.refused(error)
