"""Command line of the toolkit: `privacy-metrics report my.csv`, `treat`, `check`, `roles`.

`report` writes one HTML page that needs no network, and all numbers as JSON beside it. `treat`
writes a release that meets thresholds, a record with which the next table can be treated in
the same way, and a page about both. `check` compares a table with thresholds and ends with
status 0 or 1, for pipelines. `roles` suggests the role of each column. Bad input ends with one
line and status 2.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import pandas as pd

from ._arguments import check_columns, listed
from ._codes import encode
from ._typing import check_extra, frame_of_arrow
from .anonymisation.hierarchies import suggest_hierarchies
from .disclosure.check import PrivacyReport, check_privacy, check_thresholds
from .disclosure.models import THRESHOLDS
from .engines import DATABASES, EngineTable, is_database, open_table
from .io import PACKED, TEXTS, WORKBOOKS, ReadingWarning, SeveralMarks, read_table
from .report import roles
from .report.plain import strict, visible
from .report.roles import suggest_roles

_, QUASI, SENSITIVE, _, _ = roles.ROLES
FOUND, MISSED, BAD, INTERRUPTED = 0, 1, 2, 130
ROLES_NAMED = ("quasi_identifiers", "sensitive")
# Endings of the files that each option is for.
ENDINGS = {"separator": TEXTS, "encoding": TEXTS, "sheet": WORKBOOKS + DATABASES}
ENDINGS["header_line"] = TEXTS + WORKBOOKS
# Options that may be repeated; for others, the last value would silently win.
REPEATED = ("--quasi-identifiers", "--sensitive", "--keep", "--round")
# Records that are fetched from a table in an engine to suggest roles.
HEAD = 1000


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line and accepts no abbreviated options."""

    def error(self, message: str) -> NoReturn:
        _say(f"{message[:300]}; {self.prog} --help shows all options.")
        self.exit(BAD)


def _say(message: object) -> None:
    """Write one line to the standard error stream."""
    text = " ".join(str(message).split())
    print(f"toolkit: {visible(text)[:500]}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None, prog: str = "privacy-metrics") -> int:
    """Run a command under the name `prog`, and return its exit status."""
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    parser = _parser(prog)
    options = parser.parse_args(given)
    names = [word.partition("=")[0] for word in given if word.startswith("--")]
    for name in names:
        if names.count(name) > 1 and name not in REPEATED:
            parser.prog = f"{prog} {options.command}"
            parser.error(f"{name} is given twice")
    options.typed = [*(["python3"] if prog.endswith(".py") else []), prog, *given]
    options.said = []
    try:
        # The output says all that a reader has to know.
        with warnings.catch_warnings(action="ignore"):
            status = int(options.run(options))
        for message in options.said:
            _say(message)
        return status
    except KeyboardInterrupt:
        print("Interrupted; no half file is left.", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        _say(f"{where}{error.strerror.rstrip('.')}." if error.strerror else error)
    except (
        ImportError,
        TypeError,
        ValueError,
        ArithmeticError,
        RuntimeError,
        Warning,
    ) as error:
        _say(error)
    except MemoryError:
        _say("the table does not fit into memory; leave out columns or records.")
    return BAD


def _option(name: str) -> str:
    """The option for an argument, such as --suppression-limit."""
    return f"--{name.replace('_', '-')}"


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=prog, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    whole = {name for name, model in THRESHOLDS.items() if model.whole}
    alone = {n: m for n, m in THRESHOLDS.items() if m.about not in ("people", "presence")}
    for name, run, what, thresholds in (
        ("report", _report, "write a report on a table", THRESHOLDS),
        ("treat", _treat, "write a release that meets thresholds", alone),
        ("check", _check, "compare a table with thresholds", THRESHOLDS),
        ("roles", _roles, "suggest what each column is", {}),
    ):
        command = commands.add_parser(name, help=what, allow_abbrev=False)
        command.set_defaults(run=run, population=None)
        add = command.add_argument
        file = "a text file, workbook, Parquet file or folder, or .duckdb file"
        add("table", help=file)
        add("--separator", help="separator of cells, such as ';' or tab")
        add("--encoding", help="encoding of a text file, such as cp1252")
        add("--sheet", help="sheet of a workbook, or table of a database")
        add("--header-line", type=int, metavar="LINE", help="line that names the columns (1)")
        if name == "roles":
            continue
        many: dict[str, Any] = {"action": "append", "metavar": "A,B"}
        add("--quasi-identifiers", **many, help="columns that others may know; repeatable")
        add("--sensitive", **many, help="columns to be kept secret, '' for none; repeatable")
        add("--person", metavar="COLUMN", help="column that tells whose record it is")
        if name != "treat":
            add("--population", metavar="FILE", help="everyone the records may be about")
        for keyword, model in thresholds.items():
            span = "{:g}…{:g}".format(*model.range)
            kind: Any = int if keyword in whole else float
            text = f"{model.rule}, {model.unit}"
            add(_option(keyword), dest=keyword, type=kind, metavar=span, help=text)
        if name == "check":
            add("--json", action="store_true", help="print JSON in place of a table")
            continue
        add("--output", metavar="FILE", help="file to write")
        add("--force", action="store_true", help="overwrite existing files")
        if name == "treat":
            share = "greatest share of records to suppress (0.05)"
            add("--suppression-limit", type=float, metavar="0…1", help=share)
            pair: dict[str, Any] = {"action": "append", "metavar": "COLUMN=…"}
            add(
                "--keep",
                **pair,
                help="coarsest level of a column, as born=decades; repeatable",
            )
            add("--round", **pair, help="round numbers, as salary=10000; repeatable")
            again = "repeat a treatment by its record"
            add("--repeat", metavar="RECORD.json", help=again)
    return parser


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Thresholds that were given on the command line."""
    given = {name: getattr(options, name, None) for name in THRESHOLDS}
    return {name: threshold for name, threshold in given.items() if threshold is not None}


# Tables and their columns


def _read(options: argparse.Namespace, path: str) -> pd.DataFrame:
    """All records of a table; warnings about guesses are kept in `options.said`."""
    table = _opened(options, path)
    return frame_of_arrow(table.rows()) if isinstance(table, EngineTable) else table


def _opened(options: argparse.Namespace, path: str) -> Any:
    """A table in memory, or in an engine if it is a database or a folder."""
    if not path.strip():  # usually an unset variable of the shell
        raise ValueError("the path of a table is empty; name a file, or leave it out.")
    given = {name: getattr(options, name) for name in ENDINGS}
    ending = Path(path.lower().removesuffix(PACKED)).suffix
    fitting = {n: v for n, v in given.items() if v is not None and ending in ENDINGS[n]}
    for name, value in given.items():
        if value is not None and name not in fitting and path == options.table:
            fit = " or ".join(ENDINGS[name])
            raise ValueError(f"{_option(name)} is for a file that ends in {fit}.")
    with warnings.catch_warnings(record=True, action="ignore") as caught:
        warnings.simplefilter("always", ReadingWarning)
        warnings.simplefilter("error", SeveralMarks)
        if is_database(Path(path)) or Path(path).is_dir():
            table: Any = open_table(path, table=fitting.get("sheet"))
        else:
            table = read_table(path, **fitting)
    options.said += [warning.message for warning in caught]
    return table


def _named_roles(options: argparse.Namespace, data: pd.DataFrame) -> list[list[str] | None]:
    """Columns named as quasi-identifiers and as sensitive; None for a role not given.

    Names are separated by commas; a name with a comma in it needs an option of its own.
    """
    known, named = [*map(str, data.columns)], []
    for role in ROLES_NAMED:
        names, given = [], getattr(options, role)
        for text in given or []:
            parts = [name.strip() for name in text.split(",") if name.strip()]
            names += [text] if text in known else parts
        named.append(None if given is None else names)
    return named


def _check_named(options: argparse.Namespace, data: pd.DataFrame) -> None:
    """Refuse to guess roles, and suggest a command that names them."""
    asked = check_thresholds(_asked(options))
    of_values = any(THRESHOLDS[name].about == "values" for name in asked)
    lacks = options.quasi_identifiers is None, of_values and options.sensitive is None
    if not any(lacks):
        return
    suggested, words = suggest_roles(data), [*options.typed]
    for role, kind, lacking in zip(ROLES_NAMED, (QUASI, SENSITIVE), lacks, strict=True):
        names = [str(name) for name in suggested.loc[suggested["role"] == kind, "column"]]
        alone = [name for name in names if "," in name or name != name.strip()]
        rest = ",".join(name for name in names if name not in alone)
        if getattr(options, role) is None:
            parts = [name for name in (rest, *alone) if name] or ["COLUMN"] * lacking
            words += [word for name in parts for word in (_option(role), name)]
    raise ValueError(
        f"{options.command} does not guess what others may know and what is secret; look at"
        f" each column, then paste the correct parts of this suggestion: {shlex.join(words)}"
    )


# Files that are written


def _named(table: str, ending: str) -> str:
    """Name of the output for a table, in the current folder."""
    name = Path(Path(table).absolute().name)
    if name.suffix.lower() in PACKED:
        name = name.with_suffix("")
    return f"{name.stem or 'table'}{ending}"


def _check_output(
    written: Sequence[Path], options: argparse.Namespace, *read: str | None
) -> None:
    """Refuse to write to a folder that is not there, over an input or over a file."""
    folder = written[0].parent
    if not folder.is_dir():
        raise ValueError(f"--output: there is no folder {str(folder)!r}.")
    inputs = [str(Path(path).resolve()) for path in read if path]
    for path in written:
        if path.is_dir() or str(path.resolve()) in inputs:
            raise ValueError(f"--output would write over {str(path)!r}; choose another name.")
    existing = [str(path) for path in written if path.exists() or path.is_symlink()]
    if existing and not options.force:
        raise ValueError(
            f"--output: {listed(existing)} {'exist' if existing[1:] else 'exists'} already;"
            f" choose another name, or overwrite with --force."
        )


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write all files under temporary names, then move them to their places.

    An interruption leaves no half-written file. Nobody can guess the temporary names or put a
    link there, since an existing file is not opened. A replaced file keeps its permissions.
    """
    parts = {path: path.with_name(f".{uuid4().hex}.tmp") for path in contents}
    try:
        for path, content in contents.items():
            with parts[path].open("xb") as file:
                if path.exists():
                    shutil.copymode(path, parts[path])
                file.write(content.encode() if isinstance(content, str) else content)
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


# report


def _report(options: argparse.Namespace) -> int:
    """Write the page and the numbers of a report."""
    # Matplotlib, when loaded, reads settings from the current folder: this must be ours.
    with contextlib.chdir(Path(__file__).parent):
        check_extra("matplotlib", "lab", "a report")
    from .report.report import risk_report

    output = Path(options.output or _named(options.table, "-report.html"))
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--output must end in .html; got {str(output)!r}.")
    numbers = output.with_suffix(".json")
    _check_output([output, numbers], options, options.table, options.population)
    data, asked = _read(options, options.table), check_thresholds(_asked(options))
    people = None if options.population is None else _read(options, options.population)
    more: dict[str, Any] = {"population": people, "person": options.person, **asked}
    report = risk_report(data, *_named_roles(options, data), source=options.table, **more)
    write_all({output: report.to_html(), numbers: report.to_json()})
    for path in (output, numbers):
        print(visible(path))
    return FOUND


# treat


def _treat(options: argparse.Namespace) -> int:
    """Write a release, its record and a page to keep with the original: all or none."""
    from .anonymisation.lattice import ThresholdsMissed
    from .report import treating

    output = Path(options.output or _named(options.table, "-treated.csv"))
    if output.suffix.lower() not in treating.SUFFIXES:
        ways = " or ".join(treating.SUFFIXES)
        raise ValueError(f"--output must end in {ways}; got {str(output)!r}.")
    written = [output, output.with_suffix(".json"), output.with_suffix(".html")]
    _check_output(written, options, options.table, options.repeat)
    form = {"separator": options.separator, "encoding": options.encoding}
    try:
        data, release = _released(options)
        texts, lines = treating.files_of(data, release, options.table, output, **form)
    except ThresholdsMissed as missed:
        _say(f"{str(missed).rstrip('.')}; nothing was written.")
        return MISSED
    _check_output(written, options)  # again, since the treatment took a while
    write_all(texts)
    if options.repeat is not None:
        options.said.append(f"{treating.JOINED}.")
    answer, *lines = lines
    print("\n".join(map(visible, [answer, *texts, *lines])))
    return FOUND


def _released(options: argparse.Namespace) -> tuple[pd.DataFrame, Any]:
    """The table, and its release by the options or by an earlier record."""
    from .anonymisation.treatment import treat, treat_again
    from .report.treating import read_record

    if options.repeat is not None:
        names = [*ROLES_NAMED, *OF_TREAT, *THRESHOLDS]
        given = [name for name in names if getattr(options, name, None) is not None]
        if given:
            raise ValueError(
                f"--repeat takes roles, thresholds and limit from the record; leave out"
                f" {listed(map(_option, given))}, or plan a new treatment without --repeat."
            )
        record = read_record(options.repeat)
        data = _read(options, options.table)
        return data, treat_again(record, data)
    data = _read(options, options.table)
    _check_named(options, data)
    known, secret = _named_roles(options, data)
    more: dict[str, Any] = {"k": 5} | _asked(options)
    if options.suppression_limit is not None:
        more["suppression_limit"] = options.suppression_limit
    keep, steps = _pairs(options, "keep").items(), _pairs(options, "round").items()
    more["keep"] = {name: int(at) if at.isdecimal() else at for name, at in keep}
    more["rounding"] = {n: pd.to_numeric([at], errors="coerce").item() for n, at in steps}
    release = treat(data, known, sensitive=secret or None, person=options.person, **more)
    return data, release


OF_TREAT = ("person", "suppression_limit", "keep", "round")
"""Options of `treat` that come from the record."""


def _pairs(options: argparse.Namespace, name: str) -> dict[str, str]:
    """Columns and values of an option that takes one COLUMN=VALUE for each column."""
    pairs: dict[str, str] = {}
    for text in getattr(options, name) or []:
        column, _, value = text.rpartition("=")
        if not column or not value or column in pairs:
            raise ValueError(f"{_option(name)} takes one COLUMN=VALUE a column; got {text!r}.")
        pairs[column] = value
    return pairs


# check and roles


def _check(options: argparse.Namespace) -> int:
    """Compare a table with thresholds, in memory or in its engine."""
    asked = _asked(options)
    if not asked:
        thresholds = ", ".join(map(_option, THRESHOLDS))
        raise ValueError(f"check needs a threshold, such as --k 5; there are {thresholds}.")
    table: Any = _opened(options, options.table)
    people = None if options.population is None else _opened(options, options.population)
    head = frame_of_arrow(table.rows(HEAD)) if isinstance(table, EngineTable) else table
    _check_named(options, head)
    known, secret = (names or [] for names in _named_roles(options, head))
    if not known:
        raise ValueError("--quasi-identifiers must name at least one column.")
    suggested = suggest_roles(head)
    if table is head and people is None:
        # Codes are grouped faster than values, and no cell is shown.
        places = check_columns(table.columns, known, "quasi_identifiers")
        coded = {table.columns[j]: encode(table.iloc[:, j])[0] for j in places}
        table = table.assign(**coded)
    everyone = None if people is None else _rows(people)
    whose = known, secret, options.person
    notes = roles.said_first(suggested, _rows(table), *whose, everyone)
    notes += roles.warnings_of(suggested, options.person)
    more: dict[str, Any] = {"population": people, "person": options.person}
    report = check_privacy(table, known, secret or None, **more, **asked)
    lacking = report.facts["rows_with_missing_sensitive"]
    if not secret:
        notes.append(roles.NOBODY_SAID)
    if lacking:
        notes.append(
            f"{lacking:,} sensitive cells are missing; a missing cell counts as a value."
        )
    if options.person is not None:
        notes.append(
            f"k and risk count people, by {options.person!r}, and do not cover an attacker"
            f" who knows several records of one person."
        )
    print((_as_json if options.json else _as_text)(report, known, secret, notes))
    return FOUND if report.satisfied else MISSED


def _rows(table: Any) -> Any:
    """Facts about whole records in an engine; a table in memory as it is."""
    if not isinstance(table, EngineTable):
        return table
    whole = [name for name in table.features if "INT" in table.types[name].upper()]
    whole = [name for name in whole if "INTERVAL" not in table.types[name].upper()]
    return roles.Rows([*table.features], table.records, whole, table.repeats)


def _as_json(result: PrivacyReport, known: Any, secret: Any, notes: list[str]) -> str:
    """The result as JSON, without the columns that hold cells."""
    table = result.table.drop(columns=["worst_class", "worst_value"])
    roles_named = {"quasi_identifiers": known, "sensitive": secret, "notes": notes}
    report = {"satisfied": result.satisfied, **roles_named, "metrics": table}
    return json.dumps(strict(report), allow_nan=False, ensure_ascii=True)


def _as_text(result: PrivacyReport, known: Any, secret: Any, notes: list[str]) -> str:
    """The result as text: assumptions, notes and a line per metric."""
    named = {"may be known": known, "to be kept secret": secret}
    parts = [f"{', '.join(columns) or 'no column'} {what}" for what, columns in named.items()]
    rows = [["metric", "sensitive", "value", "must be", "satisfied", "rows violating"]]
    for row in result.table.to_dict("records"):
        value, limit = row["value"], row["threshold"]
        cells = [
            f"{row['metric']} {row['setting'] or ''}".strip(),
            row["sensitive"],
            f"{value:.4g}" if isinstance(value, float) else value,
            None if limit is None else f"{row['must_be']} {float(limit):.12g}",
            {True: "yes", False: "NO", None: ""}[row["satisfied"]],
            row["rows_violating"],
        ]
        rows.append(["" if cell is None else cell for cell in cells])
    lines = [f"assumed: {'; '.join(parts)}", *(f"note: {note}" for note in notes)]
    return "\n".join([*map(visible, lines), *_columns(rows)])


def _columns(rows: list[list[Any]]) -> list[str]:
    """Lines of a table of cells, aligned in columns."""
    texts = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in texts]


def _roles(options: argparse.Namespace) -> int:
    """Suggest a role for each column."""
    data = _read(options, options.table)
    suggested = suggest_roles(data)
    used = suggested.loc[suggested["role"].isin([QUASI, SENSITIVE]), "column"].to_list()
    trees = suggest_hierarchies(data[used]) if used else {}
    levels = {name: [*tree.names[1:], f"({tree.note})"] for name, tree in trees.items()}
    rows = [["column", "role", "reason", "levels"]]
    for name, role, reason in suggested[rows[0][:3]].itertuples(index=False):
        shown = [level for level in levels.get(name, []) if level != "()"]
        rows.append([name, role, reason, ", ".join(shown)])
    lines = _columns(rows)
    lines += [f"warning: {visible(line)}" for line in roles.table_warnings(data, suggested)]
    lines.append("Roles are guessed from names and cells; check and name them yourself.")
    print("\n".join(lines))
    return FOUND


if __name__ == "__main__":
    sys.exit(main())
