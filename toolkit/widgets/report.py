"""Explorer of a table of one's own, in four steps: the table, roles, treatment, release.

`table_explorer` opens a table, sets the roles of its columns, generalises them, shows what
that changes, and saves the result. The measures come from `toolkit.report.model`.
"""

# Longer than other modules: four steps of one explorer, which share their state.

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .. import datasets
from .._arguments import check_choice
from ..anonymisation.hierarchies import SuggestedHierarchy
from ..io import read_table
from ..plots.disclosure import plot_class_sizes
from ..plots.information import plot_rig
from ..plots.report import plot_column_gains, plot_column_prices
from ..report.decision import file_hash
from ..report.model import (
    ExplorableTable,
    Measured,
    Setting,
    _quoted,
    measure_setting,
    open_table,
    opening_setting,
    reach,
    release_files,
    snippet,
)
from ..report.roles import NOBODY_SAID, ROLES, table_warnings, warnings_of
from ._explorer import Explorer, with_picture

BUNDLED = {
    "Adult (stand-in)": "load_adult",
    "Adult, invented names (stand-in)": "load_adult_with_pii",
    "Hackathon (stand-in)": "load_hackathon",
    "Incidents (invented)": "load_incidents",
    "Seven people (toy)": "load_cig_toy",
}
"""Tables that can be picked, and their loaders in `toolkit.datasets`."""


ENDINGS = ".csv,.tsv,.txt,.parquet,.feather,.xlsx,.gz,.bz2,.xz,.zip"


SIZE = (8.0, 4.5)  # inches; at the dots per inch of the explorers 960 x 540 pixels


ROWS = 14
"""Columns that have a row of their own in the figure; of more, the others share the last."""


STEPS = ("1 Table", "2 Roles", "3 Treat", "4 Save")


SHARES = {"nobody": 0.0, "1 %": 0.01, "2 %": 0.02, "5 %": 0.05, "10 %": 0.1, "20 %": 0.2}
"""Records that may be left out to reach k."""


GIVEN = "PRIVACY_TOOLKIT_TABLE"
"""Variable of the environment that names the file with which the page opens."""


ELSEWHERE = (
    "<b>This page runs on a server, not on your own computer.</b> A file that you open is sent"
    " there, and others may be able to read it. Open no real data here."
)


CONSENT = "I know; this file may be sent there"


CHECKED = "I have checked the roles"


SAVED = (
    "The <b>release</b> has the quasi-identifiers as treated, the sensitive columns as they"
    " are, and its rows in a random order. Its <b>record</b> says what was done, and"
    " <code>dev.py treat --repeat release.json next.csv</code> does it again. The"
    " <b>Python</b> writes the same rows: <code>dev.py python treatment.py</code> in the"
    " folder of the table. Two releases about the same people can be joined."
)


NEXT = "Roles are only guessed: check them next."


GUESSED = "<b>These roles are guessed</b> from names and cells. Check each of them."


PEOPLE = "whom k counts: people, if a column is equal on all records of one person"


ROLES_TEXT = (
    "A <b>direct identifier</b> names a person and is never released. A"
    " <b>quasi-identifier</b> may be known to others. A <b>sensitive</b> column is what they"
    " should not learn. <b>Other</b> columns and <b>free text</b> are not measured, so they"
    " are not released."
)


PLACES = (
    (0.175, 0.56, 0.41, 0.38),
    (0.745, 0.56, 0.235, 0.38),
    (0.09, 0.12, 0.33, 0.26),
    (0.525, 0.12, 0.455, 0.26),
)
"""Left, bottom, width and height of gains, prices, RIG and sizes; shares of the figure."""


KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)


SEPARATED = (
    "say what they end at, such as --separator ';'",
    "save it with commas, semicolons, bars or tabs between the cells",
)
"""What to do where there is no command line."""


CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters of names that are written as Python writes them: controls, lone surrogates."""


NO = '<span style="color:#666">–</span>'


STYLE = """<style>
.table-explorer {--jp-widgets-font-size: 14px; container-type: inline-size;}
.table-explorer, .table-explorer .widget-box {overflow: visible;}
.table-explorer .te-body {display: grid; gap: 0 18px; align-items: start;
  grid-template-columns: minmax(310px, 31%) minmax(0, 1fr); grid-template-rows: auto 1fr;
  grid-template-areas: "steps figure" "steps numbers";}
.te-body > .te-steps {grid-area: steps; --jp-widgets-horizontal-tab-width: 92px;
  --jp-widgets-container-padding: 6px; margin: 0;}
.te-steps .widget-tab-contents, .te-steps .jupyter-widget-tab-contents {
  max-height: calc(100vh - 190px); min-height: 240px; overflow: auto; padding: 8px;}
.te-steps .lm-TabBar-tab, .te-steps .p-TabBar-tab {flex: 1 1 0; min-width: 0;}
.te-body > .te-figure {grid-area: figure; max-height: 66vh; object-fit: contain;
  object-position: left top; background: white; margin: 0;}
.te-body > .te-numbers {grid-area: numbers; margin: 0;}
.te-steps .widget-dropdown, .te-steps .widget-slider, .te-steps .widget-hslider,
.te-steps .widget-text, .te-steps .widget-textarea {width: auto;}
.te-steps .te-reason {font-size: 12.5px; line-height: 1.3; color: #595959;
  margin: -2px 2px 6px;}
.te-notice {border-left: 4px solid #D55E00; padding: 4px 8px; margin: 4px 2px;}
.te-reach {background: #f1f4f7; border-radius: 3px;}
@container (max-width: 800px) {
  .table-explorer .te-body {grid-template-columns: minmax(0, 1fr); grid-template-rows: auto;
    grid-template-areas: "figure" "steps" "numbers";}
  .te-steps .widget-tab-contents, .te-steps .jupyter-widget-tab-contents {
    max-height: 42vh; min-height: 0;}
  .te-body > .te-figure {position: sticky; top: 0; z-index: 9;}}
.table-explorer :focus-visible, .table-explorer .noUi-handle:focus {
  outline: 3px solid #D55E00 !important; outline-offset: 2px; border-radius: 3px;}
.table-explorer .noUi-target[disabled] {opacity: .35;}
.table-explorer .widget-readout {min-width: 92px; max-width: 92px; overflow: hidden;
  text-overflow: ellipsis; text-align: left;}
.table-explorer table {border-collapse: collapse; font-size: 14px; line-height: 1.4;}
.table-explorer th, .table-explorer td {padding: 1px 12px 1px 0; text-align: right;
  border-bottom: 1px solid #ddd; font-weight: normal; white-space: nowrap;}
.table-explorer th:first-child, .table-explorer td.text,
.table-explorer th.text {text-align: left;}
.table-explorer td.now {font-weight: bold;}
@container (max-width: 1020px) {
  .table-explorer th, .table-explorer td {padding-right: 7px; font-size: 13px;}}
.table-explorer .notes {font-size: 13px; line-height: 1.35; margin-top: 4px;}
.table-explorer a {color: #0060A0; text-decoration: underline; margin: 4px;}
.table-explorer textarea {font-family: monospace; white-space: pre;}
.table-explorer .widget-html-content {line-height: 1.4;}
</style>"""


class SettingExplorer(Explorer):
    """Roles, levels, text and figure of one table, with a search for the levels.

    Attributes
    ----------
    controls, summary, image
        As of `Explorer`.
    roles, treatment : ipywidgets.VBox
        What stands in the second step, and in the third.
    wanted, most_out : ipywidgets.Dropdown
        The k that is wanted, and the share of the records that may be left out for it.
    search : ipywidgets.Button
        Looks for the levels that reach it and lose least, and sets the sliders.
    found : ipywidgets.HTML
        What was found.
    """

    def __init__(self, table: ExplorableTable, see: Any) -> None:
        controls, rows = _controls(table)
        super().__init__(see, controls)
        self.table = table
        self.image.width, self.image.layout.max_width = "100%", "1104px"
        self.image.add_class("te-figure")
        self.summary.add_class("te-numbers")
        for name, control in controls.items():
            wide = "42%" if name.startswith("role of ") else "38%"
            control.style.description_width = wide
            control.observe(self._is_old, "value")
        names = [*(name for name in controls if name.startswith("role of ")), "person"]
        self.warned = table_warnings(table.data, table.suggested)
        columns = [*warnings_of(table.suggested), NOBODY_SAID]
        said = [one for one in self.warned if one not in columns]
        guessed = W.HTML(f"{GUESSED} {ROLES_TEXT}{_warnings(said)}")
        self.roles = W.VBox([guessed, *(rows[name] for name in names)])
        others = [row for name, row in rows.items() if name not in names]
        self.treatment = W.VBox([self._goal(), *others])
        steps = _steps([self.roles, self.treatment], STEPS[1:3], 1)
        self.children = [W.HTML(STYLE), _body([steps, self.image, self.summary])]
        self.add_class("table-explorer")

    def _goal(self) -> Any:
        """What asks for a k, and looks for the levels that reach it."""
        sizes = [k for k in KS if 1 < k <= len(self.table.data)]
        style = {"description_width": "initial"}
        self.wanted = W.Dropdown(options=sizes, description="k =", style=style)
        if sizes:
            self.wanted.value = 5 if 5 in sizes else sizes[-1]
        self.most_out = W.Dropdown(options=[*SHARES], value="5 %", style=style)
        self.most_out.description, self.most_out.layout.width = "leave out ≤", "160px"
        self.search = W.Button(description="Reach k", disabled=not sizes)
        self.search.tooltip = "Find the levels that reach k and lose least"
        self.search.button_style = "primary"
        self.wanted.layout.width = self.search.layout.width = "84px"
        self.search.on_click(lambda _: self._reach())
        self.found = W.HTML("" if sizes else "With one record no k above 1 can be reached.")
        bar = W.Box([self.wanted, self.most_out, self.search], layout=_wrapped())
        goal = W.VBox([bar, self.found])
        goal.add_class("te-reach")
        return goal

    def told(self) -> str:
        """What has to be known before anything is saved: warnings, and what is not counted."""
        found = self.table.suggested
        rows = zip(self._setting().roles.items(), found["role"], found["reason"], strict=True)
        left = [
            f"<br><b>{_escaped(name)}</b>: {role}, as "
            + (_escaped(why, 300) if role == guess else "was chosen in step 2")
            for (name, role), guess, why in rows
            if role != ROLES[1]
        ]
        left = left or [" no column."]
        return f"<b>Not counted by k:</b>{''.join(left)}{_warnings(self.warned)}"

    def _setting(self) -> Setting:
        """What the controls say."""
        values = {name: control.value for name, control in self.controls.items()}
        return _setting_of(self.table, values)

    def _is_old(self, change: object) -> None:
        if not self._waits:
            self.found.value = ""

    def _reach(self) -> None:
        """Set the sliders to what the search finds, and say what that is."""
        k, share = self.wanted.value, SHARES[self.most_out.value]
        self.found.value = f"Looking for the levels that reach k = {k:,} …"
        try:
            found = reach(self.table, self._setting(), k, share)
        except Exception as error:  # whatever was refused, the reader needs the reason
            self.found.value = f"<b>Not found:</b> {_escaped(error, 400)}"
            return
        names = found.setting.quasi_identifiers
        self.move(
            {**{f"level of {name}": found.setting.level(name) for name in names}, "k": k}
        )
        everyone, every = (
            len(self.table.data),
            f"all {found.combinations:,} combinations of levels",
        )
        tried = f"the best of {every}"
        if found.looked_at < found.combinations:
            tried = f"the best that was found; not {every} were compared"
        self.found.value = (
            f"k = {k:,} is reached: {found.suppressed:,} of {everyone:,} records are left out."
            f" This is {tried}."
        )


class TableExplorer(W.VBox):  # type: ignore[misc]
    """Pick or upload a table, and explore it: a `VBox` that knows its parts by name.

    Attributes
    ----------
    source : ipywidgets.Dropdown
        The table; set its `value` to another name.
    upload : ipywidgets.FileUpload
        Takes a file.
    consent : ipywidgets.Checkbox or None
        On a server (Binder, JupyterHub) no file is taken until this is ticked.
    path : ipywidgets.Text or None
        Takes the path of a file of any size, in JupyterLab. There is none on a page of its
        own: whoever can send it messages could name any file of this machine.
    message : ipywidgets.HTML
        What was opened, or why it was not.
    steps : ipywidgets.Tab
        Table, roles, treatment and release; `selected_index` is the one that is shown.
    explorer : SettingExplorer
        Controls, text and figure of the present table; see `setting_explorer`.
    told, checked : ipywidgets.HTML, ipywidgets.Checkbox
        Warnings and the columns that k does not count; the tick without which nothing is
        saved, which goes when a role or the table changes.
    save : ipywidgets.Button
        Makes the release of the present setting, of the kind that `kind` says.
    files : ipywidgets.HTML
        Links that save the release, its record and the Python.
    code : ipywidgets.Textarea
        Python that makes the release again.
    """

    def __init__(
        self,
        tables: Mapping[str, Callable[[], ExplorableTable]],
        first: str | None = None,
        file: str | None = None,
    ) -> None:
        self.tables, self._quiet = dict(tables), False
        self.explorer: SettingExplorer | None = None
        self.source = W.Dropdown(options=list(self.tables), value=first or next(iter(tables)))
        self.source.description, self.source.layout.width = "table", "auto"
        self.source.style.description_width = "initial"
        self.upload = W.FileUpload(accept=ENDINGS, description="open a file …")
        self.upload.layout.width = "170px"
        self.path = None if _is_a_page() else self._path()
        self.consent = self._consent() if _is_a_server() else None
        self.message, self.files, self._body = W.HTML(), W.HTML(), _body([])
        self.code = W.Textarea(description="Python", rows=12, layout={"width": "auto"})
        self.code.style.description_width = "0"
        self.kind = W.Dropdown(options={"CSV": ".csv", "Parquet": ".parquet"}, value=".csv")
        self.kind.tooltip, self.kind.layout.width = "kind of file", "110px"
        self.save = W.Button(description="Prepare the files", button_style="primary")
        self.told, self.checked = W.HTML(), W.Checkbox(description=CHECKED, indent=False)
        super().__init__([W.HTML(STYLE), self._body])
        self.add_class("table-explorer")
        self.steps = _steps([self._first_step(), W.HTML(), W.HTML(), self._last_step()], STEPS)
        self.source.observe(lambda change: self._open(change["new"]), "value")
        self.upload.observe(lambda change: self._take(change["new"]), "value")
        for control in (self.kind, self.checked):
            control.observe(lambda _: self._write(), "value")
        self.save.on_click(lambda _: self._release())
        if file:
            self._fetch(file, Path(file).name)
            self.steps.selected_index = 1 if self.explorer else 0
        if self.explorer is None:
            self._open(self.source.value, before=self.message.value)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """As that of `Explorer`."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return with_picture(bundle, self.explorer) if self.explorer else bundle

    @property
    def controls(self) -> dict[str, Any]:
        """Controls of the present table by name, as "role of age" and "level of age"."""
        return {} if self.explorer is None else self.explorer.controls

    def _first_step(self) -> Any:
        """What opens a table."""
        # What the page that shows the widgets sends at most: that of `dev.py` says it.
        most = "200 MB" if _is_a_page() else "10 MB"
        limit = W.Label(f"up to {os.environ.get('PRIVACY_TOOLKIT_UPLOAD', most)}")
        limit.layout.margin = "2px 16px 2px 4px"
        ways = [self.source, W.Box([self.upload, limit], layout=_wrapped()), self.path]
        if self.consent is not None:
            notice = W.HTML(ELSEWHERE)
            notice.add_class("te-notice")
            ways[1:1] = [notice, self.consent]
        return W.VBox([way for way in [*ways, self.message] if way is not None])

    def _last_step(self) -> Any:
        """What takes the result away."""
        bar = W.Box([self.kind, self.save], layout=_wrapped())
        return W.VBox([W.HTML(SAVED), self.told, self.checked, bar, self.files, self.code])

    def _path(self) -> Any:
        """Make the field that takes a path."""
        path = W.Text(description="or its path", placeholder="folder/large.csv")
        path.continuous_update, path.layout.width = False, "auto"
        path.style.description_width = "initial"
        path.observe(lambda change: self._fetch(change["new"]), "value")
        return path

    def _consent(self) -> Any:
        """Make the tick without which a server gets no file."""
        consent = W.Checkbox(description=CONSENT, indent=False, layout={"width": "auto"})

        def follow(change: object = None) -> None:
            for control in filter(None, (self.upload, self.path)):
                control.disabled = not consent.value

        consent.observe(follow, "value")
        follow()
        return consent

    def _take(self, files: Any) -> None:
        """Open an uploaded file, or say why not."""
        if not files:
            return
        name, content = str(files[0]["name"]), files[0]["content"]
        self._add(name, lambda: uploaded_table(name, bytes(memoryview(content))))

    def _fetch(self, path: str, name: str = "") -> None:
        """Open the file that a path leads to, or say why not."""
        if path.strip():
            self._add(name or path.strip(), lambda: table_of_file(path.strip()))

    def _add(self, name: str, opened: Callable[[], ExplorableTable]) -> None:
        """Show a table that is not on the menu yet, or say why not."""
        if self.consent is not None and not self.consent.value:
            self._say("Nothing was opened: tick the line above first.", wrong=True)
        else:
            self._open(_visible(name), opened)

    def _open(
        self, name: str, opened: Callable[[], ExplorableTable] | None = None, before: str = ""
    ) -> None:
        """Show controls, text and figure of one table; `before` is said already."""
        if self._quiet:
            return
        self._say(f"Reading {name} …")
        try:
            table = (opened or self.tables[name])()
            found = setting_explorer(table)
        except Exception as error:  # whatever was refused, the reader needs the reason
            self._say(str(error), wrong=True)
            return
        if opened:
            self.tables[name] = lambda: table
            self._quiet = True  # the menu gets its new line, and nothing is opened twice
            self.source.options = list(self.tables)
            self.source.value = name
            self._quiet = False
        self.explorer = found
        for control in found.controls.values():
            control.observe(lambda _: self._write(), "value")
        first, *_, last = self.steps.children
        self.steps.children = [first, found.roles, found.treatment, last]
        self._body.children = [self.steps, found.image, found.summary]
        rows, columns = table.data.shape
        self.told.value = ""  # so that the tick goes
        self._say(f"{rows:,} records, {columns} columns. {NEXT}")
        self.message.value = before or self.message.value
        self._write()

    def _write(self) -> None:
        """Show the Python of the present setting; files of an earlier one are gone."""
        if self.explorer is None:
            return
        table, self.files.value = self.explorer.table, ""
        if (told := self.explorer.told()) != self.told.value:
            self.told.value, self.checked.value = told, False
        name = f"release{self.kind.value}"
        try:
            self.code.value = snippet(table, self.explorer._setting(), save=name)
        except ValueError:  # which stands beside the figure
            self.code.value = ""

    def _release(self) -> None:
        """Make the files that are saved by links, or say why not."""
        if self.explorer is None:
            return
        if not self.checked.value:
            self.files.value = f"<b>Nothing was saved:</b> tick “{CHECKED}” first."
            return
        table, share = self.explorer.table, SHARES[self.explorer.most_out.value]
        self.files.value = "Making the release …"
        try:
            files = release_files(table, self.explorer._setting(), self.kind.value, share)
        except Exception as error:  # whatever was refused, the reader needs the reason
            self.files.value = f"<b>Not possible:</b> {_escaped(error, 400)}"
            return
        self.files.value = "<br>".join(
            f'<a download="{name}" href="data:application/octet-stream;base64,'
            f'{base64.b64encode(content).decode()}">Save {name}</a> {len(content):,} bytes'
            for name, content in files.items()
        )

    def _say(self, text: str, *, wrong: bool = False) -> None:
        colour, weight = ("#B03A00", "bold") if wrong else ("inherit", "normal")
        look = f'role="status" style="color:{colour};font-weight:{weight}"'
        self.message.value = f"<span {look}>{_escaped(text, 1000)}</span>"


def _wrapped() -> Any:
    return W.Layout(flex_flow="row wrap", align_items="center")


def _steps(children: list[Any], titles: Sequence[str], selected: int = 0) -> Any:
    """Steps of the work, one of them on the page."""
    steps = W.Tab(children=children, titles=titles, selected_index=selected)
    steps.add_class("te-steps")
    return steps


def _body(children: list[Any]) -> Any:
    """Steps beside the figure and the numbers; on a narrow page below the figure."""
    body = W.Box(children)
    body.add_class("te-body")
    return body


def _is_a_server() -> bool:
    """Whether the kernel runs on a server of somebody else: Binder, or a JupyterHub."""
    return any(name.startswith(("BINDER_", "JUPYTERHUB_")) for name in os.environ)


def _is_a_page() -> bool:
    """Whether the kernel was started for a page by Voila, also one started in advance."""
    asked = any(name.startswith("VOILA_") for name in os.environ)
    return asked or os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def table_explorer(data: pd.DataFrame | str | None = None) -> TableExplorer:
    """Explore a table of your own, or a bundled one.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or str, optional
        The table that is shown at first: one of 2 to 40 columns, or the name of a bundled one
        (see `BUNDLED`), in whose place the page of `dev.py explore` opens the file it got.

    Returns
    -------
    TableExplorer

    Raises
    ------
    TypeError, ValueError
        If `data` is not a table, or has too few or too many columns.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = table_explorer(people)
    >>> box.controls["level of age"].value = 3
    >>> "generalise(released, hierarchies" in box.code.value
    True
    """
    tables: dict[str, Callable[[], ExplorableTable]] = {}
    bundled = {name: partial(bundled_table, name) for name in BUNDLED}
    if isinstance(data, str):
        file = os.environ.get(GIVEN) if _is_a_page() else None
        return TableExplorer(bundled, check_choice(data, "data", list(BUNDLED)), file)
    if data is not None:
        table = open_table(data)
        tables["the table given"] = lambda: table
    return TableExplorer({**tables, **bundled})


def adult_hierarchies(data: pd.DataFrame) -> dict[Any, SuggestedHierarchy]:
    """Return the hierarchies of the columns of Adult that are in a table.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        Adult, or a part of its columns.

    Examples
    --------
    >>> adult_hierarchies(pd.DataFrame({"sex": ["Male", "Female"]}))["sex"].names
    ('as it is', 'hidden')
    """
    trees = datasets.load_adult_hierarchies()
    source = (datasets.__name__, "load_adult_hierarchies")
    found = {}
    for name in data.columns.intersection(list(trees), sort=False):
        groups = [f"{count} groups" for count in trees[name].nunique(dropna=False)[1:-1]]
        code = f'load_adult_hierarchies()["{name}"]'
        found[name] = SuggestedHierarchy(
            trees[name], ("as it is", *groups, "hidden"), code, source
        )
    return found


def bundled_table(name: str) -> ExplorableTable:
    """Open one of the tables in `BUNDLED`.

    Parameters
    ----------
    name : str
        As in the menu.

    Examples
    --------
    >>> bundled_table("Seven people (toy)").data.shape
    (7, 3)
    """
    loader = BUNDLED[name]
    data = getattr(datasets, loader)()
    trees = adult_hierarchies(data) if "adult" in loader else {}
    origin, imports = (f"data = {loader}()",), (("toolkit.datasets", loader),)
    return open_table(data, hierarchies=trees, origin=origin, imports=imports)


def uploaded_table(name: str, content: bytes) -> ExplorableTable:
    r"""Open a file that was uploaded.

    Parameters
    ----------
    name : str
        Its name, whose ending says what it is.
    content : bytes
        What is in it.

    Raises
    ------
    TypeError, ValueError
        If it is no table, or has too few or too many columns: in one line that names the
        file, and no place on this machine.

    Examples
    --------
    >>> uploaded_table("people.csv", b"age;sex\n17;f\n39;m\n").origin
    ('data = read_table("people.csv")',)
    """
    short = Path(name.replace("\\", "/")).name
    short = short if short.strip(".") else "file"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, short)
        try:
            path.write_bytes(content)
            data = read_table(path)
        except Exception as error:
            said = str(error).replace(str(path), short).replace(*SEPARATED)
            raise ValueError(" ".join(said.split())) from None
    return _read_from(short, data, hashlib.sha256(content).hexdigest())


def table_of_file(path: str) -> ExplorableTable:
    """Open a file of this machine, of any size.

    Parameters
    ----------
    path : str
        Where it is, from the folder of the notebook; ~ is the home of whoever runs it.

    Raises
    ------
    OSError, TypeError, ValueError
        In one line, if there is no such file, it is no table, or has too few or too many
        columns.

    Examples
    --------
    >>> table_of_file("people.csv")
    Traceback (most recent call last):
    FileNotFoundError: there is no file 'people.csv'.
    """
    place = str(Path(path).expanduser())
    try:
        data = read_table(place)
    except ValueError as error:
        raise ValueError(str(error).replace(*SEPARATED)) from None
    return _read_from(place, data, file_hash(place))


def _read_from(path: str, data: pd.DataFrame, sha256: str | None) -> ExplorableTable:
    """A table that the Python reads from its file again."""
    origin = (f"data = read_table({_quoted(path)})",)
    imports = (("toolkit.io", "read_table"),)
    return open_table(data, origin=origin, imports=imports, sha256=sha256)


def setting_explorer(table: ExplorableTable) -> SettingExplorer:
    """Set roles, make columns coarser, and see what changes.

    It opens with `opening_setting`: the treatment that loses least for k = 5.

    Parameters
    ----------
    table : ExplorableTable
        Result of `open_table`.

    Returns
    -------
    SettingExplorer
        Controls "role of …" and "level of …" for each column, "person" (what k counts), "k"
        (records of smaller classes are suppressed) and "n" (percentile of PIF_n).

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = setting_explorer(open_table(people))
    >>> box.controls["role of illness"].value
    'sensitive'
    """
    known: dict[Any, Measured] = {}

    def measured(setting: Setting) -> Measured:
        """Measure a setting, or remember it: all are compared with the table as given."""
        key = (*setting.roles.values(), *setting.levels.items(), *setting[2:])
        known[key] = known.pop(key) if key in known else measure_setting(table, setting)
        for oldest in list(known)[:-2]:
            del known[oldest]
        return known[key]

    def see(**values: Any) -> tuple[str, Figure]:
        setting = _setting_of(table, values)
        given = measured(setting._replace(levels={}, k=1))
        seen = (given, measured(setting), setting)
        return table_summary(*seen), table_figure(*seen)

    return SettingExplorer(table, see)


def table_figure(before: Measured, now: Measured, setting: Setting) -> Figure:
    """Gains and losses by column, gains by record, and the sizes of classes.

    Parameters
    ----------
    before, now : Measured
        Results of `measure_setting`: of the table as given, whose gains set the shades, and as
        treated.
    setting : Setting
        The present one.
    """
    fig = Figure(figsize=SIZE)
    gains, prices, rig, sizes = map(fig.add_axes, PLACES)
    top = float(np.quantile(before.cig.to_numpy()[:: 1 + len(before.cig) // 5000], 0.95))
    rows = _own_rows(before.cig)
    plot_column_gains(now.cig, rows=rows, vmax=top or None, ax=gains)
    total = float(now.numbers["loss"])
    others = len(now.cig.columns) - len(rows)
    plot_column_prices(now.losses, rows, others=others, total=total, names=False, ax=prices)
    plot_rig(now.rig, pif=float(now.numbers["pif"]), n=setting.n, ax=rig)
    rig.set(ylabel="Share of records", xlim=(0, 1.05 * float(before.rig.max()) or 1))
    rig.set(yticks=[0, 0.5, 1])
    plot_class_sizes(now.sizes, ax=sizes)
    sizes.set(yticks=[0, 0.5, 1], ylabel="Share of records")
    return fig


def _own_rows(cig: pd.DataFrame) -> list[Any]:
    """Columns with a row of their own: those about which most is gained, in their order."""
    if cig.shape[1] <= ROWS:
        return list(cig.columns)
    most = cig.mean().nlargest(ROWS - 1).index
    return [column for column in cig.columns if column in most]


def table_summary(before: Measured, now: Measured, setting: Setting) -> str:
    """Numbers before and now, and the riskiest rows, as HTML; parameters of `table_figure`.

    Examples
    --------
    >>> from toolkit.report.model import suggested_setting
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> table = open_table(people)
    >>> setting = suggested_setting(table)._replace(levels={"age": 3}, k=2)
    >>> given = measure_setting(table, setting._replace(levels={}, k=1))
    >>> text = table_summary(given, measure_setting(table, setting), setting)
    >>> "33.3 %" in text, "flu" in text
    (True, False)
    """
    numbers = _table(
        ["Measured", "as given", "now", "better"],
        [
            f'<th scope="row">{name}</th><td>{_shown(before.numbers[key], kind)}</td>'
            f'<td class="now">{_shown(now.numbers[key], kind)}</td>'
            f'<td class="text">{better}</td>'
            for key, name, kind, better in _measures(now, setting)
        ],
    )
    riskiest = _table(
        ["Riskiest row", "bits", "alike", "most about"],
        [
            f'<th scope="row">{row:,}</th><td>{bits:.1f}</td><td>{alike:,}</td>'
            f'<td class="text">{_escaped(column, 24)}</td>'
            for row, bits, alike, column in now.riskiest.itertuples(index=False)
        ],
    )
    notes = " ".join(_escaped(note, 400) for note in now.notes)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:4px 24px">'
        f"<div>{numbers}</div><div>{riskiest}</div></div>"
        f'<div class="notes">{notes}</div>'
    )


def _table(names: list[str], rows: list[str]) -> str:
    """HTML of a table; the text of its last column stands on the left."""
    last = '<th scope="col" class="text">'
    head = "".join(f'<th scope="col">{name}</th>' for name in names[:-1])
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    return (
        f"<table><thead><tr>{head}{last}{names[-1]}</th></tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _measures(now: Measured, setting: Setting) -> list[tuple[str, str, str, str]]:
    """Key, name, kind and better direction of each number."""
    of = {name: f" of {_escaped(column, 20)}" for name, column in now.worst.items()}
    counted = "records" if setting.person is None else "people"
    return [
        ("k", f"<i>k</i> ({counted})", "count", "more"),
        ("unique", "unique rows (share)", "share", "less"),
        ("l", f"<i>ℓ</i>{of.get('l', '')} (values)", "count", "more"),
        ("t", f"<i>t</i>{of.get('t', '')} (distance)", "ratio", "less"),
        ("pif", f"PIF<sub>{setting.n:g}</sub> (bits)", "bits", "less"),
        ("suppressed", "suppressed rows (share)", "share", "less"),
        ("loss", "loss (share left open)", "share", "less"),
    ]


def _shown(number: float, kind: str) -> str:
    if np.isnan(number):
        return NO
    if kind == "share":
        return f"{100 * number:.3g} %"
    return {"count": f"{number:,.0f}", "ratio": f"{number:.3f}", "bits": f"{number:.1f}"}[kind]


def _controls(table: ExplorableTable) -> tuple[dict[str, Any], dict[str, Any]]:
    """Controls by name, and what is shown of each."""
    controls: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    start = opening_setting(table)
    reasons = dict(zip(table.data.columns, table.suggested["reason"], strict=True))
    for name, role in start.roles.items():
        able, shown = name in table.hierarchies, _visible(name)
        options = list(ROLES) if able else [ROLES[0], *ROLES[3:]]
        choice = W.Dropdown(options=options, value=role, description=shown)
        choice.tooltip, choice.layout.width = f"role of {shown}", "auto"
        controls[f"role of {name}"] = choice
        why = W.HTML(_escaped(reasons[name], 300) + _warned(table, name))
        why.add_class("te-reason")
        rows[f"role of {name}"] = W.VBox([choice, why])
        if able:
            levels = [(text, level) for level, text in enumerate(table.levels(name))]
            slider = W.SelectionSlider(options=levels, value=start.level(name))
            slider.description = shown
            controls[f"level of {name}"] = slider
            _follow(choice, slider)
    people = [(f"people, by {_visible(name)}", name) for name in start.roles]
    person = W.Dropdown(options=[("records", False), *people], description="k counts")
    person.tooltip, person.layout.width = PEOPLE, "auto"
    controls["person"] = person
    most = min(KS[-1], len(table.data))
    sizes = [(f"< {k:,} alike" if k > 1 else "nobody", k) for k in KS if k <= most]
    controls["k"] = W.SelectionSlider(options=sizes, value=start.k, description="leave out")
    controls["n"] = W.IntSlider(95, 1, 100, description="n of PIF (%)")
    for name in controls.keys() - rows.keys():
        controls[name].layout.width = "auto"
    return controls, {**controls, **rows}


def _warned(table: ExplorableTable, name: str) -> str:
    """Warning of a column, and what has to be known of its levels; or nothing."""
    found = table.suggested
    warning = found.loc[found["column"] == name, "warning"].iloc[0]
    note = table.hierarchies[name].note if name in table.hierarchies else ""
    said = [f"Warning: it {warning}."] * bool(warning) + [f"Its levels: {note}."] * bool(note)
    return "." * bool(said) + "".join(f" <br><b>{_escaped(one, 500)}</b>" for one in said)


def _warnings(said: list[str]) -> str:
    return "".join(f"<br><b>Warning: {_escaped(one, 600)}.</b>" for one in said if one)


def _follow(choice: Any, slider: Any) -> None:
    """Show a slider, and let it be moved, only while its column is a quasi-identifier."""

    def follow(change: object = None) -> None:
        slider.disabled = choice.value != ROLES[1]
        slider.layout.display = "none" if slider.disabled else None

    choice.observe(follow, "value")
    follow()


def _setting_of(table: ExplorableTable, values: Mapping[str, Any]) -> Setting:
    """What the values of the controls say."""
    names = list(table.data.columns)
    roles = {name: values[f"role of {name}"] for name in names}
    levels = {name: values.get(f"level of {name}", 0) for name in names}
    used = {name: level for name, level in levels.items() if level and roles[name] == ROLES[1]}
    return Setting(roles, used, values["k"], values["n"], values["person"] or None)


def _escaped(value: object, width: int = 40) -> str:
    text = _visible(value)
    return html.escape(text if len(text) <= width else f"{text[: width - 1]}…")


def _visible(value: object) -> str:
    """Write out the characters that turn text around, break it or cannot be sent at all."""
    return CONTROLS.sub(lambda found: repr(found[0])[1:-1], str(value))
