"""Explorer of a table of your own: open it, set roles, treat it, and save a release.

Every setting is a call of `treat`: the explorer measures what that call would release, and
saves the release that it makes.
"""

from __future__ import annotations

import base64
import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import ipywidgets as W
import numpy as np
import pandas as pd

from .. import datasets
from .._arguments import check_choice
from ..anonymisation import (
    ThresholdsMissed,
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
from ..plots._style import BLUE, value_label
from ..plots.anonymisation import plot_column_losses
from ..plots.disclosure import plot_class_sizes
from ..plots.information import plot_rig
from ..uniqueness import unique_share
from ..widgets import Explorer, explorer
from ..widgets._explorer import Seen, escaped, named, new_figure, with_picture
from .roles import ROLES, suggest_roles, table_warnings
from .treating import release_bytes

BUNDLED = {
    "Adult (stand-in)": "load_adult",
    "Adult, invented names (stand-in)": "load_adult_with_pii",
    "Hackathon (stand-in)": "load_hackathon",
    "Incidents (invented)": "load_incidents",
    "Seven people (toy)": "load_cig_toy",
}
"""Tables that can be picked, and their loaders in `toolkit.datasets`."""
QUASI, SENSITIVE = ROLES[1], ROLES[2]
STEPS = ("1 Table", "2 Roles", "3 Treat", "4 Save")
ENDINGS = ".csv,.tsv,.txt,.parquet,.feather,.xlsx,.gz,.bz2,.xz,.zip"
KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
LIMITS = [
    ("nobody", 0),
    ("1 %", 0.01),
    ("2 %", 0.02),
    ("5 %", 0.05),
    ("10 %", 0.1),
    ("20 %", 0.2),
]
COMBINATIONS = 200_000  # of levels, among which the search looks for the best
COLUMNS, DRAWN, ROWS = 40, 12, 5  # at most; with a bar of their own; before and after
CAPTIONS = {
    "k": "records in the smallest class; more is safer",
    "alone": "share of the records that are alone in their class; less is safer",
    "ℓ": "different values in the class that has fewest; more is safer",
    "t": "greatest distance of a class from the whole table, 0 to 1; less is safer",
    "PIF95": "95 % of the records disclose at most so many bits; less is safer",
    "left out": "share of the records in classes smaller than k; they are not released",
    "loss": "share of a column's other values that a cell leaves open, on average",
}
GUESSED = (
    "<b>These roles are guessed</b> from names and cells. Check each of them. A <b>direct"
    " identifier</b> names a person. A <b>quasi-identifier</b> may be known to others. A"
    " <b>sensitive</b> column is what they should not learn. No other column is released."
)
ELSEWHERE = (
    "<b>This page runs on a server, not on your own computer.</b> A file that you open is sent"
    " there, and others may be able to read it. Open no real data here."
)
KEEP = (
    "The record and the Python hold values of the table: keep them with the table, not with"
    " the release. Whoever has two releases about the same people can join them."
)
CONSENT, CHECKED = (
    "I know; this file may be sent there",
    "I have read this and checked the roles",
)


class Opened(NamedTuple):
    """A table, the Python that opens it, its suggested roles, hierarchies and warnings."""

    data: pd.DataFrame
    origin: str
    roles: pd.DataFrame
    trees: dict[str, Any]
    own_trees: str
    warnings: list[str]


def opened(data: Any, origin: str = "data = ...", own_trees: str = "") -> Opened:
    """Look at a table once; `own_trees` is a loader of hierarchies in `toolkit.datasets`."""
    table = named(data)
    if not 2 <= table.shape[1] <= COLUMNS:
        raise ValueError(
            f"the table has {table.shape[1]:,} columns; give 2 to {COLUMNS}. If a file seems"
            f" to have one column, look at its separator."
        )
    trees = getattr(datasets, own_trees)() if own_trees else {}
    trees = {name: tree for name, tree in trees.items() if name in table}
    others = [name for name in table if name not in trees]
    trees |= suggest_hierarchies(table[others]) if others else {}
    roles = suggest_roles(table)
    return Opened(table, origin, roles, trees, own_trees, table_warnings(table, roles))


def bundled_table(name: str) -> Opened:
    """Open one of the tables in `BUNDLED`.

    Examples
    --------
    >>> bundled_table("Seven people (toy)").data.shape
    (7, 3)
    """
    loader = BUNDLED[name]
    trees = "load_adult_hierarchies" if "adult" in loader else ""
    return opened(getattr(datasets, loader)(), f"data = tk.datasets.{loader}()", trees)


def file_table(path: str | Path, name: str = "") -> Opened:
    """Open a file, which the Python calls by `name`."""
    try:
        data = read_table(Path(path).expanduser())
    except Exception as error:  # the place of an upload is nobody's business
        words = " ".join(str(error).replace(str(path), name or str(path)).split())
        raise ValueError(words) from None
    return opened(data, f"data = tk.read_table({name or str(path)!r})")


def uploaded_table(name: str, content: bytes) -> Opened:
    """Open the content of a file, which is read under its own name in a folder of its own."""
    name = name.strip(".") or "file"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        return file_table(path, name)


def setting_explorer(table: Opened) -> Explorer:
    """Set roles, make columns coarser, and see what changes.

    Parameters
    ----------
    table : Opened
        Result of `opened`, `bundled_table`, `file_table` or `uploaded_table`.

    Returns
    -------
    Explorer
        Controls "role of …" and "level of …" for each column, "k", and "limit", the share of
        the records that may be left out. `shown` has the `numbers`, "as given" and "now", and
        the `gains`, the mean gain about each column now, in bits.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = setting_explorer(opened(people))
    >>> box.move({"role of age": "quasi-identifier", "level of age": 3, "k": 2, "limit": 0.2})
    >>> box.shown["numbers"].loc[["k", "left out"], "now"].round(2).tolist()
    [2.0, 0.33]
    """
    data, shown = table.data, dict[str, Any]()

    @lru_cache(maxsize=256)
    def on_level(name: str, level: int) -> tuple[pd.Series, Any]:
        """Labels of a column, and what each cell has lost."""
        tree, column = {name: table.trees[name]}, data[[name]]
        labels = generalise(column, tree, {name: level})
        return labels[name].astype("category"), cell_losses(column, labels, tree)[name]

    @lru_cache(maxsize=4)
    def as_given(known: tuple[str, ...], secret: tuple[str, ...]) -> dict[str, float]:
        return _measures(data[[*known, *secret]], [*known], [*secret])[0]

    def see(**values: Any) -> Seen:
        setting = treat_arguments(table, values)
        known, secret, k = setting["quasi_identifiers"], setting["sensitive"], setting["k"]
        if not known:
            raise ValueError("no column is a quasi-identifier; choose one in step 2.")
        levels = {name: on_level(name, level) for name, level in setting["levels"].items()}
        columns = {name: labels for name, (labels, _) in levels.items()} | dict(data[secret])
        treated = pd.DataFrame(columns)
        ids = equivalence_class(treated, known).to_numpy()
        sizes = np.bincount(ids)
        few = sizes[ids] < k
        if few.all():
            raise ValueError(
                f"every class has fewer than {k:,} records, so none would be left; make"
                f" columns coarser, or choose a smaller k."
            )
        left = {name: np.where(few, 1.0, lost).mean() for name, (_, lost) in levels.items()}
        losses = pd.Series(left)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", UserWarning)
            given = as_given((*known,), (*secret,)) | {"left out": 0.0, "loss": 0.0}
            now, cig = _measures(treated[~few], known, secret)
        now |= {"left out": few.mean(), "loss": losses.mean()}
        shown["numbers"] = pd.DataFrame({"as given": given, "now": now})
        shown["gains"] = cig.mean()
        rows = treated.head(ROWS).astype(object)
        rows[few[:ROWS]] = "left out"
        figure = _figure(cig, losses, pd.Series(sizes[sizes >= k]))
        notes = dict.fromkeys(str(warning.message) for warning in warned)
        said = "".join(f"<br>Warning: {escaped(note, 600)}" for note in notes)
        before = data[[*columns]].head(ROWS)
        return _text(shown["numbers"], setting, before, rows) + said, figure

    box = explorer(see, **_controls(table))
    box.shown = shown
    return box


def treat_arguments(table: Opened, values: Mapping[str, Any]) -> dict[str, Any]:
    """What the controls say, as arguments of `treat`."""
    roles = {name: values[f"role of {name}"] for name in table.data}
    known = [name for name, role in roles.items() if role == QUASI]
    return {
        "quasi_identifiers": known,
        "k": values["k"],
        "sensitive": [name for name, role in roles.items() if role == SENSITIVE],
        "suppression_limit": values["limit"],
        "levels": {name: values[f"level of {name}"] for name in known},
    }


def _measures(
    data: pd.DataFrame, known: list[str], secret: list[str]
) -> tuple[dict[str, float], pd.DataFrame]:
    """What a table discloses, and the gain about each cell."""
    found = {"k": float(k_anonymity(data, known)), "alone": unique_share(data, known)}
    for name in secret:
        found[f"ℓ of {name}"] = float(l_diversity(data, known, name))
        found[f"t of {name}"] = t_closeness(data, known, name)
    cig = cell_information_gain(data)
    return found | {"PIF95": float(np.percentile(row_information_gain(cig), 95))}, cig


def _figure(cig: pd.DataFrame, losses: pd.Series, sizes: pd.Series) -> Any:
    """Gains and losses by column, gains by record, and the sizes of classes."""
    figure, ((gains, prices), (records, classes)) = new_figure((9.4, 5.2), 2, 2)
    mean, rig = cig.mean(), row_information_gain(cig)
    largest = mean.rank(method="first", ascending=False) <= DRAWN
    gains.barh([value_label(name) for name in mean.index[largest]], mean[largest], color=BLUE)
    gains.set(xlabel="Mean gain (bits)", xlim=(0, None))
    gains.invert_yaxis()
    gains.spines[["top", "right"]].set_visible(False)
    largest = losses.rank(method="first", ascending=False) <= DRAWN
    plot_column_losses(losses[largest], total=float(losses.mean()), ax=prices)
    plot_rig(rig, pif=float(np.percentile(rig, 95)), n=95, ax=records)
    plot_class_sizes(sizes, ax=classes)
    return figure


def _text(
    numbers: pd.DataFrame, setting: dict[str, Any], before: pd.DataFrame, now: pd.DataFrame
) -> str:
    """Measures with their captions, and the first rows as given and now."""
    limit, out = setting["suppression_limit"], numbers.loc["left out", "now"]
    refused = f"<b>More than {limit:.0%} of the records would be left out.</b><br>"
    form = "{:,.0f}".format, "{:.3g}".format
    table = numbers.map(lambda number: form[number != round(number)](number))
    table["what it says"] = [CAPTIONS[name.split(" of ")[0]] for name in numbers.index]
    parts = [table, before.map(value_label), now.map(value_label)]
    shown = [" ".join(part.to_html(border=0, justify="left").split()) for part in parts]
    rows = f"First rows as given, only in this explorer:{shown[1]}The same rows now:{shown[2]}"
    scrolled = f'<div class="te-rows" tabindex="0">{rows}</div>'
    return f"{refused if out > limit else ''}{shown[0]}{scrolled}"


def _controls(table: Opened) -> dict[str, Any]:
    """A role for each column, a level for each that has a hierarchy, k, and the limit."""
    controls: dict[str, Any] = {}
    for row in table.roles.itertuples(index=False):
        name, able = str(row.column), row.column in table.trees
        options = ROLES if able else (ROLES[0], *ROLES[3:])
        role = W.Dropdown(options=options, value=row.role, description=name)
        controls[f"role of {name}"] = role
        if able:
            tree = table.trees[name]
            groups = [f"{count} groups" for count in tree.nunique(dropna=False)[1:-1]]
            labels = getattr(tree, "names", None) or ["as it is", *groups, "hidden"]
            levels = [(f"{label}", level) for level, label in enumerate(labels)]
            slider = W.SelectionSlider(options=levels, value=0, description=name)
            W.dlink((role, "value"), (slider, "disabled"), lambda role: role != QUASI)
            controls[f"level of {name}"] = slider
    sizes = [k for k in KS if k <= len(table.data)]
    controls["k"] = W.SelectionSlider(options=sizes, value=1, description="k")
    controls["limit"] = W.SelectionSlider(
        options=LIMITS, value=0.05, description="leave out ≤"
    )
    return controls


def levels_of_least_loss(table: Opened, setting: Mapping[str, Any]) -> dict[str, int]:
    """Levels that reach k and lose least.

    Of very many combinations not all are compared: first some levels are skipped, and then
    those beside the best ones are tried.
    """
    known = setting["quasi_identifiers"]
    options = {name: setting[name] for name in ("k", "suppression_limit")}
    data, trees = table.data[known], {name: pd.DataFrame(table.trees[name]) for name in known}

    def best_of(offered: dict[str, list[int]]) -> Any:
        while math.prod(map(len, offered.values())) > COMBINATIONS:
            name = max(offered, key=lambda name: len(offered[name]))
            first, *between, last = offered[name]
            offered[name] = [first, *between[1::2], last] if between else [last]
        return optimal_generalisation(data, known, trees, levels=offered, **options)

    every = {name: [*range(tree.shape[1])] for name, tree in trees.items()}
    found = best_of(dict(every))
    beside = {
        name: levels[max(found.levels[name] - 1, 0) : found.levels[name] + 2]
        for name, levels in every.items()
    }
    return dict(min(found, best_of(beside), key=lambda release: release.loss).levels)


def python_of(table: Opened, setting: Mapping[str, Any], name: str = "release.csv") -> str:
    """Python that makes the release again."""
    arguments = [f"    {key}={value!r}," for key, value in setting.items() if value]
    if table.own_trees:
        arguments.append(f"    hierarchies=datasets.{table.own_trees}(),")
    kind = "csv" if name.endswith(".csv") else "parquet"
    lines = ["import toolkit as tk", "from toolkit import datasets", "", table.origin]
    lines += ["release = tk.treat(", "    data,", *arguments, ")"]
    return "\n".join([*lines, f"release.data.to_{kind}({name!r}, index=False)", ""])


def release_files(
    table: Opened, setting: Mapping[str, Any], suffix: str = ".csv"
) -> dict[str, bytes]:
    """Files of a release, its record and its Python; k is that of the file, read again.

    Examples
    --------
    >>> data = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "flu", "flu"]})
    >>> setting = {"quasi_identifiers": ["age"], "k": 2, "sensitive": ["illness"]}
    >>> setting |= {"suppression_limit": 0.5, "levels": {"age": 3}}
    >>> print(release_files(opened(data), setting)["release.csv"].decode().strip())
    age,illness
    "[16, 24)",flu
    "[16, 24)",flu
    """
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # of other measures
        release = treat(table.data, hierarchies=table.trees, **setting)
    content, name = release_bytes(release.data, suffix), f"release{suffix}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read = read_table(path)
    known = setting["quasi_identifiers"]
    k = k_anonymity(read, known) if len(read) else 0
    if len(read) != len(release.data) or k < setting["k"]:
        raise ThresholdsMissed(
            f"the release misses k = {setting['k']:,} once it is read from its file, where"
            f" cells may be written alike; choose another kind of file."
        )
    record = json.dumps(release.record, allow_nan=False, indent=1, ensure_ascii=False)
    python = python_of(table, setting, name)
    return {name: content, "release.json": record.encode(), "treatment.py": python.encode()}


class TableExplorer(W.VBox):  # type: ignore[misc]
    """Four steps from a table to a release: a `VBox` that knows its parts by name.

    Attributes
    ----------
    source, upload, path, consent : widgets of step 1
        A menu of tables, a file, its path (in JupyterLab, but on no page of its own), and the
        tick without which nothing is sent to a server of somebody else.
    message : ipywidgets.HTML
        What was opened, or why it was not.
    table, explorer : Opened, Explorer
        The present table, and its `setting_explorer`.
    search, found : ipywidgets.Button, ipywidgets.HTML
        Sets the levels of least loss that reach k.
    warned, checked, kind, save, files, code : widgets of step 4
        What has to be known before saving and the tick below it, which goes when a role or the
        table changes; the kind of file, the button, links to the files, and the Python.
    """

    table: Opened
    explorer: Explorer

    def __init__(
        self, tables: dict[str, Callable[[], Opened]], first: str, file: str = ""
    ) -> None:
        wide: Any = {"layout": {"width": "auto"}}
        self.tables, self._name, self._adds = tables, "", False
        self.source = W.Dropdown(options=[*tables], value=first, description="table", **wide)
        self.upload = W.FileUpload(accept=ENDINGS, description="open a file …")
        self.path = W.Text(description="or its path", continuous_update=False, **wide)
        self.consent = W.Checkbox(description=CONSENT, indent=False, **wide)
        self.message, self.found, self.warned, self.files = (W.HTML() for _ in range(4))
        self.search = W.Button(description="Reach k", button_style="primary")
        self.checked = W.Checkbox(description=CHECKED, indent=False, **wide)
        self.kind = W.Dropdown(
            options={"CSV": ".csv", "Parquet": ".parquet"}, description="as"
        )
        self.save = W.Button(description="Prepare the files", button_style="primary")
        self.code = W.Textarea(description="Python", rows=12, **wide)
        first_step = [
            self.source,
            self.upload,
            *[self.path] * (not _is_a_page()),
            self.message,
        ]
        if any(name.startswith(("BINDER_", "JUPYTERHUB_")) for name in os.environ):
            first_step[1:1] = [_noted(ELSEWHERE, "te-notice"), self.consent]
            for way in (self.upload, self.path):
                W.dlink((self.consent, "value"), (way, "disabled"), lambda agreed: not agreed)
        bar = W.VBox([self.kind, self.save])
        last_step = [self.warned, self.checked, bar, self.files, self.code]
        self.steps = W.Tab([W.VBox(first_step), W.VBox(), W.VBox(), W.VBox(last_step)])
        self.steps.titles = STEPS
        self.steps.add_class("te-steps")
        self.body = W.Box([self.steps])
        self.body.add_class("te-body")
        style = files(__package__).joinpath("explorer.css").read_text(encoding="utf-8")
        super().__init__([W.HTML(f"<style>{style}</style>"), self.body])
        self.add_class("table-explorer")
        self.source.observe(lambda _: self.show(self.source.value), "value")
        self.upload.observe(lambda _: self._take(), "value")
        self.path.observe(lambda _: self._fetch(self.path.value.strip()), "value")
        for control in (self.kind, self.checked):
            control.observe(lambda _: self._write(), "value")
        self.search.on_click(lambda _: self.reach())
        self.save.on_click(lambda _: self._release())
        if file:
            self._fetch(file, Path(file).name)
            self.steps.selected_index = 1 if self._name else 0
        if not self._name:
            why, self.message.value = self.message.value, ""
            self.show(first)
            self.message.value = why or self.message.value

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return with_picture(super()._repr_mimebundle_(**options), self.explorer)

    def _take(self) -> None:
        for file in self.upload.value:
            name = Path(str(file["name"]).replace("\\", "/")).name
            content = bytes(file["content"])
            self._add(name, partial(uploaded_table, name, content))

    def _fetch(self, path: str, name: str = "") -> None:
        if path:
            self._add(name or path, partial(file_table, path))

    def _add(self, name: str, make: Callable[[], Opened]) -> None:
        """Put a file on the menu, unless its reader refuses it, and open it."""
        if self.upload.disabled:
            self.message.value = "Nothing was opened: tick the line above first."
        elif self.show(name, make):
            self.tables[name] = partial(lambda table: table, self.table)
            self._adds = True  # the menu gets a line, and nothing is opened again
            self.source.options = [*self.tables]
            self.source.value = name
            self._adds = False

    def show(self, name: str, make: Callable[[], Opened] | None = None) -> bool:
        """Show one table, or say why not."""
        if self._adds:
            return True
        try:
            table = (make or self.tables[name])()
            shown = setting_explorer(table)
        except Exception as error:  # the reader needs the reason, whatever it is
            self.message.value = f'<b role="status">{escaped(error, 1000)}</b>'
            return False
        self._name, self.table, self.explorer = name, table, shown
        rows, columns = table.data.shape
        opened_words = (
            f"{rows:,} records, {columns} columns. Roles are guessed: check them next."
        )
        self.message.value = f'<span role="status">{opened_words}</span>'
        shown.image.width, shown.image.layout.max_width = "100%", "1104px"
        shown.image.add_class("te-figure")
        shown.summary.add_class("te-numbers")
        controls, roles = shown.controls, [W.HTML(GUESSED)]
        for row in table.roles.itertuples(index=False):
            warning = f" <b>Warning: it {escaped(row.warning, 500)}.</b>" * bool(row.warning)
            reason = _noted(f"{escaped(row.reason, 300)}.{warning}", "te-reason")
            roles += [controls[f"role of {row.column}"], reason]
        levels = [control for name, control in controls.items() if name.startswith("level of")]
        goal = [controls["k"], controls["limit"], self.search, self.found]
        first, _, _, last = self.steps.children
        self.steps.children = [first, W.VBox(roles), W.VBox([*goal, *levels]), last]
        self.body.children = [self.steps, shown.image, shown.summary]
        for control in controls.values():
            control.style.description_width = "35%"
            control.observe(lambda _: self._write(), "value")
        self.warned.value = ""  # so that the tick goes
        self._write()
        return True

    @property
    def setting(self) -> dict[str, Any]:
        """The present setting, as arguments of `treat`."""
        values = {name: control.value for name, control in self.explorer.controls.items()}
        return treat_arguments(self.table, values)

    def _write(self) -> None:
        """Say what a release would not count, and its Python; older files are gone."""
        self.files.value = self.found.value = ""
        self.code.value = python_of(self.table, self.setting, f"release{self.kind.value}")
        lines = [
            f"<b>{escaped(name)}</b>: {role}, not counted by k"
            for name in self.table.data
            if (role := self.explorer.controls[f"role of {name}"].value) != QUASI
        ]
        lines += [f"<b>Warning: {escaped(said, 600)}.</b>" for said in self.table.warnings]
        if (text := "<br>".join(lines)) != self.warned.value:
            self.warned.value, self.checked.value = text, False

    def reach(self) -> None:
        """Set the levels of least loss that reach the k of the slider, at least 2."""
        controls, setting = self.explorer.controls, self.setting
        try:
            setting["k"] = max(setting["k"], 2)
            levels = levels_of_least_loss(self.table, setting)
        except ValueError as error:
            self.found.value = f"<b>Not found:</b> {escaped(error, 400)}"
            return
        self.explorer.move({f"level of {name}": level for name, level in levels.items()})
        controls["k"].value = setting["k"]
        out = self.explorer.shown["numbers"].loc["left out", "now"]
        self.found.value = (
            f"k = {setting['k']:,} is reached; {out:.1%} of the records are left out."
        )

    def _release(self) -> None:
        """Make the files that are saved by links, or say why not."""
        if not self.checked.value:
            self.files.value = f"<b>Nothing was saved:</b> tick “{CHECKED}” first."
            return
        try:
            made = release_files(self.table, self.setting, self.kind.value)
        except Exception as error:  # the reader needs the reason, whatever it is
            self.files.value = f"<b>Not possible:</b> {escaped(error, 400)}"
            return
        self.files.value = KEEP + "".join(
            f'<br><a download="{name}" href="data:application/octet-stream;base64,'
            f'{base64.b64encode(content).decode()}">Save {name}</a> {len(content):,} bytes'
            for name, content in made.items()
        )


def _noted(text: str, look: str) -> Any:
    """A text of its own look."""
    note = W.HTML(text)
    note.add_class(look)
    return note


def _is_a_page() -> bool:
    """Whether the kernel was started for a page by Voila, also one started in advance."""
    server = os.environ.get("SERVER_SOFTWARE", "")
    return server.startswith("voila") or any(name.startswith("VOILA_") for name in os.environ)


def table_explorer(data: pd.DataFrame | str | None = None) -> TableExplorer:
    """Explore a table of your own, or a bundled one.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features), or str, optional
        The table that is shown at first: one of 2 to 40 columns, or the name of a bundled one
        (see `BUNDLED`), in whose place the page of `dev.py explore` opens the file it got.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [17, 18, 39], "illness": ["flu", "hiv", "flu"]})
    >>> box = table_explorer(people)
    >>> box.explorer.controls["level of age"].value = 3
    >>> "levels={'age': 3" in box.code.value
    True
    """
    tables: dict[str, Callable[[], Opened]] = {}
    if data is not None and not isinstance(data, str):
        given = opened(data)
        tables["the table given"] = lambda: given
    tables |= {name: partial(bundled_table, name) for name in BUNDLED}
    first = next(iter(tables))
    if not isinstance(data, str):
        return TableExplorer(tables, first)
    file = os.environ.get("PRIVACY_TOOLKIT_TABLE", "") if _is_a_page() else ""
    return TableExplorer(tables, check_choice(data, "data", [*BUNDLED]), file)
