"""Sentences and tables of a risk report, for readers of any background.

Every function takes a `RiskReport` and returns `Words`: text for a console, HTML for a page.
Each number is linked to the notebook that teaches it. Columns are named, cells never quoted.
"""

# Longer than other modules: every sentence of the report stands here, in the order of its
# page, so that its words agree.

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pandas as pd

from .._old.assuming import shown_names
from .._old.catalogue import MODELS
from .._old.checking import visible
from .._typing import Markup, html_table
from .measure import LEAST_L, ONLY_MISSING, SURE, RiskReport
from .methods import MOST_TAKEN_OUT
from .roles import ROLES, not_counted

LOOK = "\n" + files(__package__).joinpath("look.css").read_text(encoding="utf-8")
"""Style sheet of the report: for its page, for JupyterLab and for paper."""


TEACHES = {
    "gain": ("01-cell-information-gain", "cell information gain"),
    "surprise": ("02-cell-surprise-factor", "cell surprise factor"),
    "linking": ("03-de-identification", "de-identification"),
    "crowds": ("04-k-anonymity", "k-anonymity"),
    "secrets": ("05-attribute-disclosure", "attribute disclosure"),
    "standing out": ("06-who-stands-out", "who stands out"),
}
"""Notebook that teaches a subject, and what it is about."""


COLUMNS_DRAWN = 30
"""Columns that fit a heatmap."""


ROWS_DRAWN = 12
"""Columns that become known which are drawn even if the later ones change nothing."""


NEARLY_ALL = 0.9
"""Share of records alone from which on gains mostly come from that."""


ROUNDING = 1e-12
"""What an average of ones may lack."""


BEGIN, END = "\ufdd0", "\ufdd1"
"""Marks around a name in a sentence, which are no characters of any text."""


@dataclass(frozen=True)
class Words:
    """Sentences, and perhaps a table below them, of which links are the last column."""

    sentences: tuple[str, ...] = ()
    table: pd.DataFrame | None = None
    links: tuple[str, ...] = ()
    """Subject, a key of `TEACHES`, of each row; or of the sentences, if there is no table."""
    notes: tuple[str, ...] = ()
    """What words of the table mean, below it."""
    folded: str = ""
    """Line that a table is folded under; none, and the table is open."""
    figure: int = 0
    """Number of the figure that the sentences describe; 0 if there is none."""

    def __str__(self) -> str:
        """Show it on a console."""
        table = "" if self.table is None else self.table.map(_plainly).to_string(index=False)
        texts = [_plainly(text) for text in self.sentences]
        if self.figure:
            texts[0] = f"Figure {self.figure}. {texts[0]}"
        return "\n".join([*texts, *([table] if table else []), *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if self.figure:
            text = " ".join(map(_escaped, self.sentences))
            return (
                f'<figcaption class="report-words report-caption"><b>Figure {self.figure}.</b>'
                f" {text}</figcaption>"
            )
        parts = [f"<p>{_escaped(sentence)}</p>" for sentence in self.sentences]
        if self.table is not None:
            parts.append(_html_table(self.table, self.links))
        elif self.links:
            links = ", ".join(_link(link) for link in self.links)
            parts.append(f'<p class="report-note">How this is counted: {links}.</p>')
        parts += [f'<p class="report-note">{_escaped(note)}</p>' for note in self.notes]
        if self.folded and parts:
            summary = f"<summary>{_escaped(self.folded)}</summary>"
            parts = [f"<details>{summary}", *parts, "</details>"]
        return "\n".join(['<div class="report-words">', *parts, "</div>"]) if parts else ""


def _escaped(text: object) -> Markup:
    """Text on a page; a dollar starts no formula, and a name turns nothing around."""
    shown = html.escape(visible(text)).replace("$", "&#36;").replace("\\", "&#92;")
    return Markup(shown.replace(BEGIN, "<bdi>").replace(END, "</bdi>"))


def _unmarked(text: object) -> str:
    return str(text).replace(BEGIN, "").replace(END, "")


def _plainly(text: object) -> str:
    """Text on a console."""
    return visible(_unmarked(text))


def _name(name: object) -> str:
    """Name in a sentence, marked so that a page can keep its direction of writing apart."""
    return f"{BEGIN}{_unmarked(name)}{END}"


def _link(subject: str, *, short: bool = False) -> str:
    """Link to the notebook that teaches a subject."""
    name, title = TEACHES[subject]
    number = int(name.split("-")[0])
    text = f"notebook {number}" if short else f"notebook {number}, {title}"
    return f'<a href="../{name}.ipynb" title="{title}">{text}</a>'


def _html_table(table: pd.DataFrame, links: tuple[str, ...]) -> str:
    """Table of texts; columns of numbers stand right, and each cell names its column."""
    names = [_escaped(name) for name in table.columns]
    styles = [' class="report-number"' * _numeric(column) for _, column in table.items()]
    rows = []
    for at, row in enumerate(table.itertuples(index=False)):
        cells = [
            f'<td{style} data-label="{name}">{_escaped(_unmarked(text))}</td>'
            for text, style, name in zip(row, styles, names, strict=True)
        ]
        if links:
            link = _link(links[at], short=True)
            cells.append(f'<td class="report-link" data-label="explained in">{link}</td>')
        rows.append(cells)
    head = [f"<th{style}>{name}</th>" for name, style in zip(names, styles, strict=True)]
    heads = [*head, *(["<th class='report-link'>explained in</th>"] * bool(links))]
    return f'<div class="report-table">{html_table(rows, heads)}</div>'


NUMBER = re.compile(r"(over |below |<)?[-–]?(\d[\d.,]*|∞)?( %)?")


def _numeric(column: pd.Series) -> bool:
    """Whether all texts of a column are numbers."""
    return all(NUMBER.fullmatch(str(cell)) for cell in column)


def share(number: float) -> str:
    """A share in per cent: never 0 or 100 unless it is."""
    if math.isnan(number):
        return "–"
    if number == 0 or number >= 1 - ROUNDING:
        return f"{number:.0%}".replace("%", " %")
    if number < 0.0001:
        return "below 0.01 %"
    if number >= 0.995:
        return "over 99 %"
    return f"{100 * number:.2g} %" if number < 0.1 else f"{100 * number:.0f} %"


def _plain(number: float, digits: int = 3) -> str:
    """A number to three digits; whole ones in full."""
    if math.isinf(number):
        return "∞"
    if math.isnan(number):
        return "–"
    if number == int(number) or abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


# What this table is


def assumptions(report: RiskReport, name: str = "") -> Words:
    """What the table, of which `name` is the file, is taken for."""
    columns = report.assumed.columns
    known, secret = len(report.assumed.quasi_identifiers), len(report.assumed.sensitive)
    verb = "counts as a quasi-identifier" if known == 1 else "count as quasi-identifiers"
    count = f"{_in_words(known).capitalize()} column{'s' * (known != 1)} {verb}"
    named = (columns["because"] == "you named it").sum()
    said = [
        f"{_called(name)} has {report.records:,} records and {len(columns)} columns. {count}"
        f" and {_in_words(secret)} as sensitive.",
        "A direct identifier names a person. A quasi-identifier is a column that an attacker"
        " may already know, such as age or town. A sensitive column is what nobody else should"
        " learn about a person.",
    ]
    left = [
        f"{_name(column)} ({why})"
        for column, why in not_counted(columns).items()
        if column != report.assumed.person
    ]
    said += [f"Not counted in any number: {'; '.join(left)}."] * bool(left)
    if not secret:
        said.append(NOT_MEASURED)
    measured = columns[columns["role"].isin(ROLES[1:3])]
    guessed = measured.loc[measured["because"] != "you named it"]
    if named and len(guessed):
        kinds = " and ".join(guessed["role"].drop_duplicates())
        said.append(
            f"You named some of these roles. The others ({kinds}) were guessed from names and"
            " cells, and a guess may be wrong:"
            f" {shown_names([*map(_name, guessed['column'])], 12)}."
        )
    if not named:
        said.append(
            "Nobody named these roles: they were guessed from names and cells, and a guess may"
            " be wrong. Read the table, and name the roles if you know better."
        )
    for role, means in OVERLOOKED.items():
        if names := report.assumed.overlooked(role):
            said.append(f"{means}: {shown_names([*map(_name, names)], 12)}.")
    if (direct := int((columns["role"] == ROLES[0]).sum())) > 0:
        said.append(
            f"Take the {f'{direct} ' * (direct > 1)}direct identifier{'s' * (direct > 1)} out"
            " before anybody else sees the table: until then no other measure helps."
        )
    if (texts := int((columns["role"] == ROLES[4]).sum())) > 0:
        said.append(
            f"Take the {f'{texts} ' * (texts > 1)}column{'s' * (texts > 1)} of free text out"
            " as well, or have every cell read: a sentence may say anything of anybody."
        )
    said += [f"Note: {note}" for note in report.assumed.notes]
    return Words(tuple(said))


OVERLOOKED = {
    ROLES[1]: "An attacker who also knows one of these finds more; they look like"
    " quasi-identifiers, but are not counted",
    ROLES[2]: "What can be learned of these is not measured, though they look like something"
    " to keep secret",
}
"""What is said of columns that look like a role for which others were named."""


NOT_MEASURED = (
    "Nobody said what must stay secret, so what can be learned about people was not measured."
    " That is no sign that nothing can be learned: name the sensitive columns and run the"
    " report again."
)


def _in_words(number: int) -> str:
    """A number in a sentence."""
    small = "no one two three four five six seven eight nine ten eleven twelve".split()
    return small[number] if number < len(small) else f"{number:,}"


def _called(name: str) -> str:
    """The table in a sentence, by the name of its file."""
    called = os.fsencode(Path(name).name).decode(errors="replace")
    return f"The table {_name(called)}" if name else "The bundled table"


def roles_table(report: RiskReport) -> Words:
    """Role of each column, and why."""
    columns = report.assumed.columns
    table = pd.DataFrame(
        {
            "column": columns["column"],
            "taken as": columns["role"],
            "because": columns["because"],
            "values": columns["distinct"].map("{:,}".format),
            "missing": columns["missing"].map("{:,}".format),
        }
    )
    return _folded("Role of each column, and why", table)


def _folded(
    line: str, table: pd.DataFrame, links: Sequence[str] = (), notes: Sequence[str] = ()
) -> Words:
    """A table under a line that says what it is and how long."""
    rows = f"{len(table)} row{'s' * (len(table) != 1)}"
    return Words((), table, tuple(links), tuple(notes), f"{line} ({rows})")


# Can people be singled out?

IDENTITY = {
    "crowds": {
        "k (anonymity)": "the fewest records that look alike",
        "classes": "groups of records that look alike",
        "greatest prosecutor risk": "the best guess of somebody who knows that the person is"
        " in the table",
        "average prosecutor risk": "how many of their guesses are right",
    },
    "linking": {"share of records alone": "nobody else looks like them"},
    "secrets": {
        "k-map": "the fewest people outside who look like a record",
        "greatest journalist risk": "the best guess of somebody who does not know who is in"
        " the table",
        "marketer risk": "how many of their guesses are right",
        "least share of a class of people that is in the table": "how sure it is at least that"
        " somebody is in the table (δ-presence)",
        "greatest share of a class of people that is in the table": "how sure it is at most"
        " that somebody is in the table (δ-presence)",
    },
}
"""What measures of identity mean, by the subject that teaches them."""


COUNTS = ("k (anonymity)", "classes", "k-map")
"""Measures of identity that are no shares."""


def _identity(report: RiskReport) -> dict[str, float]:
    measures = report.uniqueness.measures
    return dict(zip(measures["measure"], measures["value"], strict=True))


def singled_out(report: RiskReport) -> Words:
    """Whether people can be singled out, in sentences."""
    value = _identity(report)
    alone, average = value["share of records alone"], value["average prosecutor risk"]
    known = shown_names([*map(_name, report.assumed.quasi_identifiers)], 12)
    count = round(alone * report.records)
    answer = "Yes" if alone > 0 else "Not for certain"
    by_person = report.assumed.who is not None
    one, them = ("person", "the records") if by_person else ("record", "them")
    said = [
        f"{answer}. Suppose an attacker knows these about everyone in the table: {known}. Then"
        f" exactly one {one} fits for {share(alone)} of {them} ({count:,} of"
        f" {report.records:,}). An attacker who knows that a person is in the table finds the"
        f" right {one} in {share(average)} of the cases on average."
    ]
    if value["k (anonymity)"] >= report.k:
        others = "others" if not by_person else "records of other people"
        said.append(f"Every record looks like at least {report.k - 1:,} {others}.")
    if "marketer risk" in value:
        said.append(
            "An attacker who does not know who is in the table, but has the population you"
            f" gave, is right in {share(value['marketer risk'])} of the cases."
        )
    else:
        said.append(
            "If the table is a sample and nobody knows who is in it, the risk may be lower."
            " The option --population measures by how much."
        )
    if report.uniqueness.most < len(report.assumed.quasi_identifiers):
        said.append(
            f"The dots of the figure are sets of up to {report.uniqueness.most} columns;"
            " there are too many larger sets to look at."
        )
    return Words(tuple(said), None, ("linking", "crowds"))


def identity_table(report: RiskReport) -> Words:
    """Measures of identity, with what each means."""
    known = {
        one: (means, link) for link, some in IDENTITY.items() for one, means in some.items()
    }
    if report.assumed.who is not None:
        known["k (anonymity)"] = "the fewest people among records that look alike", "crowds"
    rows, links = [], []
    for measure, number in _identity(report).items():
        below = f"they look like fewer than {report.k - 1} others", "crowds"
        meaning, link = known.get(measure, below)
        rows.append((measure, (_plain if measure in COUNTS else share)(number), meaning))
        links.append(link)
    table = pd.DataFrame(rows, columns=["measure", "value", "means"])
    return _folded("Measures of being singled out", table, links)


def known_in_order(report: RiskReport) -> pd.DataFrame:
    """Columns to be drawn in the order in which they become known: those that change much."""
    curve = report.uniqueness.curve
    change = int((curve["share"] < curve["share"].iloc[-1]).sum()) + 1
    curve = curve.head(min(max(change, ROWS_DRAWN), COLUMNS_DRAWN))
    return curve.assign(added=[str(name).replace("$", r"\$") for name in curve["added"]])


def tall(report: RiskReport) -> tuple[float, float]:
    """Inches of a figure that has a row per quasi-identifier."""
    return 8.0, 1.2 + 0.27 * max(len(known_in_order(report)), 4)


# Can something be learned?

DISCLOSURE = {
    one.measure.format(LEAST_L): one.means
    for model in MODELS.values()
    for one in (model, model.beside)
    if one is not None
} | {
    SURE: "all who look like them have the same value",
    ONLY_MISSING: "of these, where all that is certain is that it is missing",
}


def learned(report: RiskReport) -> Words:
    """What can be learned about people, in sentences."""
    said = []
    table = report.disclosure
    for name in report.assumed.sensitive:
        value = table[table["sensitive"] == name].set_index("measure")["value"]
        sure = value[SURE]
        distinct, t = int(value["l (distinct)"]), value["t"]
        called = _name(name)
        first = (
            f"For {share(sure)} of the records, an attacker who finds the group of records"
            f" that look alike knows {called} for certain, because all of the group have the"
            " same value (ℓ = 1); no single record has to be found."
            if distinct == 1
            else f"Every group of records that look alike has at least {distinct} different"
            f" values of {called} (this number is called ℓ)."
        )
        said.append(
            f"{first} In the group that differs most from the whole table, the values are"
            f" {_plain(t)} away from those of all records, on a scale from 0 (the same) to 1"
            " (this distance is called t)."
        )
        lacks = int(report.assumed.data[name].isna().sum())
        if lacks:
            said.append(
                f"In {lacks:,} of {report.records:,} records {called} is missing. A missing"
                " cell counts as a value of its own, so ℓ may be larger than the number of"
                f" real values; and for {share(value[ONLY_MISSING])} of the records all that"
                " is certain is that the value is missing."
            )
    return Words(tuple(said or [NOT_MEASURED]), None, ("secrets",))


def learned_table(report: RiskReport) -> Words:
    """Three measures of each sensitive column; `disclosure_table` has all."""
    table = disclosure_table(report).table
    if table is None:
        return Words()
    few = table.loc[table["measure"].isin(SHOWN), ["sensitive", "measure", "value", "means"]]
    return Words((), few, ("secrets",) * len(few))


SHOWN = ("l (distinct)", "t", SURE)
"""Measures of disclosure that are not folded."""


INFINITE = (
    "∞: the measure has no upper end here, because some group of records that look alike lacks"
    " a value that others have, or has one value only."
)


def disclosure_table(report: RiskReport) -> Words:
    """Measures of disclosure, with the records that set each."""
    table = report.disclosure
    if table.empty:
        return Words()
    shares = ("alpha", SURE, ONLY_MISSING)
    rows = [
        (
            row["sensitive"],
            row["measure"],
            (share if row["measure"] in shares else _plain)(row["value"]),
            DISCLOSURE[row["measure"]],
            f"{row['records']:,}",
            _such_as(row["positions"], report.assumed.data[row["sensitive"]]),
        )
        for row in table.to_dict("records")
    ]
    columns = ["sensitive", "measure", "value", "means", "records", "such as rows"]
    found = pd.DataFrame(rows, columns=columns)
    notes = (INFINITE,) * bool((found["value"] == "∞").any())
    return _folded("Measures of what can be learned", found, ["secrets"] * len(rows), notes)


def _such_as(positions: list[int], secret: pd.Series) -> str:
    """Rows of a class, and which of these lack the sensitive value."""
    lacks = secret.isna().to_numpy()
    return ", ".join(f"{at}{' (missing)' * bool(lacks[at])}" for at in positions) or "–"


def surprising(report: RiskReport) -> Words:
    """What the cells of a record disclose about each other, in sentences."""
    measures = report.factors.measures.set_index("measure")["value"]
    columns = report.factors.columns
    first = columns["mean_cig"].head(3).items()
    most = [f"{_name(name)} ({_plain(bits)})" for name, bits in first]
    mean, pif = measures["mean RIG (bits)"], measures["PIF95 (bits)"]
    said = [
        "An attacker who knows all of a record but one cell learns something about that cell:"
        " its cell information gain (CIG), in bits. One bit answers one yes-or-no question.",
        f"Added up over the cells of a record, this is its row information gain (RIG):"
        f" {_plain(mean)} bits on average; for one record in twenty it exceeds {_plain(pif)}"
        " bits (PIF₉₅, the personal information factor). The columns that the others disclose"
        f" most, in bits per cell: {', '.join(most)}.",
    ]
    alone = _identity(report)["share of records alone"]
    if alone >= NEARLY_ALL:
        said.append(
            f"Here {share(alone)} of the records are alone. Then high gains come from rows"
            " that are unique, not from a relation between the columns: if the rest of a"
            " row is unique, it leads to the cell, whatever its value."
        )
    return Words(tuple(said), None, ("gain", "surprise"))


def information_table(report: RiskReport) -> Words:
    """Gain and surprise by column."""
    columns = report.factors.columns
    table = pd.DataFrame(
        {
            "column": columns.index.astype(str),
            "bits per cell (CIG)": [_plain(one) for one in columns["mean_cig"]],
            "most bits of a cell": [_plain(one) for one in columns["max_cig"]],
            "bits of all cells (FIG)": [_plain(one) for one in columns["fig"]],
            "surprise per cell (CSF), of 1": [_plain(one, 2) for one in columns["mean_csf"]],
        }
    )
    return _folded("Bits and surprise by column", table, ["gain"] * len(table), SURPRISE)


SURPRISE = (
    "Bits of all cells: the sum over all records (FIG, feature information gain). Surprise:"
    " how far the chance of the true value moves when the rest of the record is known, from 0"
    " to 1 (CSF, cell surprise factor).",
)


def riskiest_columns(report: RiskReport) -> list[str]:
    """Columns to be drawn: all, or the riskiest in the order of the table."""
    most = set(report.factors.columns.index[:COLUMNS_DRAWN])
    return [name for name in report.factors.cig.columns if name in most]


# Who stands out?


def who_stands_out(report: RiskReport) -> Words:
    """Who stands out, in sentences."""
    keys = report.keys[report.keys > 0]
    size = report.key_size
    said = [
        "Four scores say how far a record stands out: how few others look like it, how many"
        " bits its cells give away (RIG), how many small sets of columns single it out"
        " (special uniques), and how far it lies from the middle of the table (Mahalanobis"
        " distance; a word counts by how frequent it is). The figure and the table name"
        " records by their position, counted from 0 without the line of names.",
    ]
    if len(keys):
        said.append(
            f"Of all columns, {_name(keys.index[0])} contributes most to the sets of columns"
            f" that single records out: {share(float(min(keys.iloc[0], 1)))} of the score."
        )
    else:
        said.append(f"No set of up to {size} columns singles anybody out.")
    if size < min(len(report.assumed.quasi_identifiers), 3):
        said.append(
            f"Only sets of up to {size} columns were searched; there are too many larger ones."
        )
    return Words(tuple(said), None, ("standing out",))


def standing_out_table(report: RiskReport) -> Words:
    """Return the riskiest records."""
    scores = report.standing_out[["position", "records", "rig", "special", "distance"]]
    names = ["row", "records that look alike", "RIG (bits)", "special uniques (points)"]
    table = scores.map(_plain).set_axis([*names, "distance"], axis=1)
    note = (
        "Special uniques (points): each smallest set of columns in which the record is"
        f" alone, of up to {report.key_size}, brings points: the fewer columns, the more"
        " points. Records with more points stand out more."
    )
    return _folded("The records that stand out most", table, notes=[note])


# What to do?


def advice(report: RiskReport) -> Words:
    """What to do, in sentences."""
    best = report.treatments.best
    before = report.treatments.table["risk"].iloc[0]
    said = [
        "No method suits every use: each point of the figure is a method that was tried on"
        " this table. Further left means less risk, higher up means more detail kept. Right"
        " guesses are the records that an attacker who knows the quasi-identifiers finds, as a"
        " share of the records that are released; those taken out do not count. k is the"
        " smallest group of records that look alike: if it is 1, some record is still alone.",
    ]
    if before <= 0:
        return Words(("All records are suppressed already.",), None, ("crowds",))
    if len(best):
        name, strongest = _name(best.index[-1]), _name(best.index[0])
        after, lost = share(best["risk"].iloc[-1]), share(best["loss"].iloc[-1])
        which = "mildest" if len(best) > 1 else "only"
        said.append(
            f"The {which} method that no other beats is “{name}”. It lowers the share of right"
            f" guesses from {share(before)} to {after} and gives up {lost} of the detail"
            " (defined below the table)."
        )
        if len(best) > 1:
            said.append(
                f"The strongest, “{strongest}”, lowers it to {share(best['risk'].iloc[0])} and"
                f" gives up {share(best['loss'].iloc[0])} of the detail. Neither was chosen to"
                " meet the thresholds: see the top of this report for that."
            )
        if report.assumed.sensitive and (best["l"] < 2).any():
            said.append(
                "Records that look alike hide who somebody is, not what is true of all of"
                " them: where ℓ is 1, a sensitive value is still certain for some records."
            )
    else:
        said.append("No method lowers the risk without losing everything.")
    table = report.treatments.table
    gutted = table.index[table["suppressed"] > MOST_TAKEN_OUT]
    if len(gutted):
        said.append(
            f"Not in this advice: {shown_names([*map(_name, gutted)])}, which"
            f" take{'s' * (len(gutted) == 1)} more than half of the records out."
        )
    said += [f"Not tried: {_name(one)}." for one in report.treatments.left_out]
    return Words(tuple(said), None, ("crowds",))


def risk_and_utility(report: RiskReport) -> pd.DataFrame:
    """Plane of risk and utility, to be drawn."""
    table = report.treatments.table
    names = [str(name).replace("$", r"\$") for name in table.index]
    plane = {"risk": table["risk"].to_numpy(), "utility": 1 - table["loss"].to_numpy()}
    return pd.DataFrame(plane, names)


def treatments_table(report: RiskReport) -> Words:
    """All methods that were tried, compared."""
    table = report.treatments.table
    found = pd.DataFrame(
        {
            "method": table.index.astype(str),
            "right guesses": [*map(share, table["risk"])],
            "records alone": [*map(share, table["unique"])],
            "k": [*map("{:,}".format, table["k"])],
            "taken out": [*map(share, table["suppressed"])],
            "lost": [*map(share, table["loss"])],
            "beaten": ["no" if best else "yes" for best in table["frontier"]],
        }
    )
    links, notes = ["crowds"] * len(found), [BEATEN, *_lost(table)]
    return _folded("All methods that were tried", found, links, notes)


BEATEN = "Beaten: another method leaves less risk and loses no more."


LOST = (
    "Right guesses, and records alone: of the records that are released. Lost: the share of"
    " the other values of its column that a cell leaves open, averaged over all cells; 0 % if"
    " the cell is as it was, 100 % if it is dropped, masked or taken out. An interval leaves"
    " open what lies between its ends."
)


COARSER = (
    "Coarser by n steps: every column goes up n levels of its hierarchy, such as from days to"
    " months (1 step) and to years (2 steps); a column with fewer levels goes as far as it can"
    " without being dropped."
)


POOLED = "Pool < n: all values of fewer than n records each become one, called other."


def best_treatments(report: RiskReport) -> Words:
    """The best few, and what they do."""
    table = report.treatments.best
    found = pd.DataFrame(
        {
            "method": table.index.astype(str),
            "does": table["does"],
            "right guesses": [*map(share, table["risk"])],
            "lost": [*map(share, table["loss"])],
            "k": [f"{one:,}" for one in table["k"]],
            "ℓ": ["–" if pd.isna(one) else f"{one:,}" for one in table["l"]],
            "t": [_plain(one, 2) for one in table["t"]],
        }
    )
    pooled = table["does"].str.contains("pool < ", regex=False).any()
    notes = (*_lost(table), *[POOLED] * bool(pooled))
    return Words((), found, ("crowds",) * len(found), notes)


def _lost(table: pd.DataFrame) -> list[str]:
    """What the words of a table of methods mean."""
    return [LOST] + [COARSER] * bool(table.index.str.startswith("coarser by ").any())


# What this report cannot see


def limits(report: RiskReport) -> Words:
    """What no number of the report says."""
    return Words(
        (
            "It knows this table and no other. An attacker who joins it with earlier releases,"
            " or with what is known about neighbours, may find more.",
            "Two cells are equal only if they are the same number, date or text. An attacker"
            " who knows an age to within two years, or a name except for one letter, is not"
            " measured here; and close numbers of a sensitive column count as different values"
            " for ℓ.",
            "The table that was read was measured, and nothing else in its file: not comments,"
            " hidden sheets, other tables, dictionaries or metadata of Parquet, nor files"
            " beside it.",
            "Columns that are left out were not measured: free text, pictures, places and"
            " times of day can identify people on their own. So can the order of the rows and"
            " the metadata of the file.",
            "Several records of one person count as several people, which makes people look"
            " better hidden than they are; --person names the column that tells them apart."
            if report.assumed.who is None
            else "k, the guesses and the treatments count people; the figures, keys and all"
            " that is said of secrets count records. An attacker may know several records of"
            " one person.",
            "A small number is no proof of safety and no legal opinion: it says what this one"
            " attacker achieves. A guarantee against every attacker needs noise (differential"
            " privacy), which is a property of how numbers are made, not of a table.",
        ),
        None,
        ("linking", "secrets"),
    )


# Figures, and the words of the trade


def caption(report: RiskReport, number: int) -> Words:
    """What to see in a figure, by its number in the notebook."""
    factors = report.factors
    curve, columns = report.uniqueness.curve["share"], factors.columns
    pif = factors.measures.set_index("measure")["value"]["PIF95 (bits)"]
    known = len(report.assumed.quasi_identifiers)
    sizes = report.uniqueness.sizes
    alone = share(float((sizes == 1).sum() / sizes.sum()))
    front = int(report.treatments.table["frontier"].sum())
    rows = len(known_in_order(report))
    last = {1: "", 2: f", {alone} with both"}
    both = last.get(known, f", {alone} with all {_in_words(known)}")
    idle = ": the others change nothing" * bool(curve.iloc[rows - 1] == curve.iloc[-1])
    later = f" Only the first {_in_words(rows)} are drawn{idle}." * (rows < known)
    few = f" Only the {COLUMNS_DRAWN} columns with most bits are drawn."
    few *= len(columns) > COLUMNS_DRAWN
    first, most = share(curve.iloc[0]), _plain(columns["mean_cig"].iloc[0])
    texts = {
        1: f"The more columns an attacker knows, the more records are alone: {first} with the"
        f" first column{both}. A bar is the share of records alone when the columns down to"
        f" its line are known; a dot is another set of as many columns.{later}",
        2: f"How many records look alike. The first bar holds the records that are alone:"
        f" {alone} of all. The further right, the larger the group to hide in.",
        3: "How many bits the cells of a record give away in all. Read the share of records"
        f" at or below a number of bits on the left; 95 % lie at or below {_plain(pif)}.",
        4: "Where the bits are: a column of the picture is a column of the table, a line is a"
        " band of records, those that give away most on top. The brightest column is"
        f" {_name(columns.index[0])}, with {most} bits per cell.{few}",
        5: "The records that give away most, and the columns that add to it. The labels are"
        " positions in the table; the longest bar is"
        f" {_plain(float(factors.rig.max()))} bits.",
        6: "Each point is a method that was tried: further left means less risk, higher up"
        f" means more detail kept. No other method beats the filled points"
        f" ({_in_words(front)}); choose among these.",
    }
    return Words((texts[number],), figure=number)


TERMS = {
    "quasi-identifier": "a column that an attacker may already know, such as age or town",
    "sensitive column": "a column that nobody else should learn about a person",
    "records that look alike": "they have the same values in all quasi-identifiers; together"
    " they form an equivalence class",
    "k": "the number of records in the smallest group of records that look alike"
    " (k-anonymity)",
    "ℓ": "the fewest different sensitive values in a group of records that look alike"
    " (ℓ-diversity); 1 means that a value is certain",
    "t": "how far the sensitive values of a group are from those of the whole table, 0 to 1"
    " (t-closeness)",
    "right guesses": "the share of records that an attacker who knows the quasi-identifiers"
    " finds, guessing within the group that fits",
    "bit": "what the answer to one yes-or-no question tells",
    "CIG, RIG, FIG": "bits that the rest of a record gives away about one cell, added up over"
    " a record, or over a column (cell, row and feature information gain)",
    "PIF₉₅": "the bits that one record in twenty exceeds (personal information factor)",
    "loss": "the share of the detail that a method gives up, 0 % for the table as it is",
}
"""Words that are not plain English, and what they mean."""


def terms() -> Glossary:
    """What the words of the trade mean."""
    return Glossary(TERMS)


@dataclass(frozen=True)
class Glossary:
    """Words and their meanings."""

    meanings: dict[str, str]

    def __str__(self) -> str:
        """Show it on a console."""
        return "\n".join(f"{word}: {text}." for word, text in self.meanings.items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        said = [
            f"<dt><dfn>{word}</dfn></dt><dd>{text}</dd>"
            for word, text in self.meanings.items()
        ]
        terms = f'<dl class="report-terms">{"".join(said)}</dl>'
        return f'<div class="report-words">{terms}</div>'
