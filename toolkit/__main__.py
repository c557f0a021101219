"""Command line of the toolkit: `privacy-metrics report my.csv`, `treat`, `check`, `roles`.

`report` writes one HTML page that needs no network, with the executed notebook and all numbers
as JSON beside it. `treat` writes a release that meets thresholds, a record by which the next
table can be treated alike, and a page of both. `check` compares a table with thresholds and
ends with status 0 or 1, for pipelines. `roles` says what each column may be. Bad input ends
with one line and status 2.
"""

# Longer than other modules: the four commands share how options are read and errors are said,
# and nothing imports this module.

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import pandas as pd

from ._old.assuming import (
    Assumptions,
    assume,
    column_names,
    renamed,
    warnings_beside,
    with_people,
)
from ._old.catalogue import THRESHOLDS
from ._old.checking import (
    SUPPRESSED,
    WITHOUT_PEOPLE,
    PrivacyReport,
    _plain,
    check_privacy,
    check_thresholds,
    spread_note,
    suggested_names,
    visible,
)
from ._typing import check_extra, frame_of_arrow
from ._validation import check_installed, check_whole, listed
from .anonymisation.hierarchies import suggest_hierarchy
from .classes import equivalence_class
from .disclosure.check import check_privacy as check_in_engine
from .engines import EngineTable, Spark, is_database, one_sentence, open_table
from .io import ReadingWarning, SeveralMarks, read_table
from .report import roles
from .report.roles import suggest_roles

_, QUASI, SENSITIVE, OTHER, _ = roles.ROLES


REPOSITORY = "https://github.com/privacy-toolkit/privacy-toolkit"


FOUND, MISSED, BAD, INTERRUPTED = 0, 1, 2, 130


ROLES_NAMED = ("quasi_identifiers", "sensitive")


OF_TEXTS = ("separator", "encoding", "sheet", "header_line")
"""Options of files that are read into memory."""


OF_A_TABLE = (*ROLES_NAMED, "person", "population", *OF_TEXTS)
"""Options that say something of a table; the bundled one has its own."""


OF_ENGINES = ("database_table", "spark", "budget", "memory_limit", "key")
"""Options that say where a table lives and how much of it may come here."""


K = 5
"""Records that shall look alike, if nothing else is said."""


class _Once(argparse.Action):
    """Store what an option was given, once: a second one would silently win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = vars(namespace).setdefault("given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line; a part of an option's name is no option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        message = f"toolkit: {message}; {self.prog} --help shows all options."
        self.exit(BAD, f"{visible(message)}\n")


def main(arguments: Sequence[str] | None = None, prog: str = "privacy-metrics") -> int:
    """Run a command that was called `prog`; return the status to end with."""
    parser = _parser(prog)
    arguments = sys.argv[1:] if arguments is None else arguments
    options, unknown = parser.parse_known_args(arguments)
    start = ["python3", prog] if prog.endswith(".py") else [prog]
    options.typed, options.said = [*start, *arguments], []
    if unknown:
        parser.prog = f"{prog} {options.command}"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        # What a reader has to know is in the output.
        with warnings.catch_warnings(action="ignore"):
            status = int(options.run(options))
        for said in options.said:
            print(f"toolkit: {said}", file=sys.stderr)
        return status
    except KeyboardInterrupt:
        print("Interrupted; no half file is left.", file=sys.stderr)
        return INTERRUPTED
    except (OSError, ImportError, TypeError, ValueError, MemoryError, RuntimeError) as error:
        print(f"toolkit: {visible(_one_line(error))}", file=sys.stderr)
        return BAD


def _one_line(error: BaseException) -> str:
    """What went wrong, on one line."""
    if isinstance(error, MemoryError) and not str(error):
        return "the table does not fit into memory; leave columns or records out."
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror.rstrip('.')}."
    return " ".join(str(error).split()) or type(error).__name__


def _number(text: str) -> float:
    """Number of an option."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number") from None


def _whole(text: str) -> int:
    """Whole number of an option."""
    try:
        return int(text)
    except ValueError:
        why = "has too many digits" if text.isdecimal() else "is no whole number"
        raise argparse.ArgumentTypeError(f"{text[:40]!r} {why}") from None


def _size(text: str) -> str:
    """Size of memory as both engines take it; DuckDB takes one below 0 for no limit."""
    if not re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]+)?\s*([kmgt]i?b?|%)\s*", text.lower()):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no size of memory, such as 4GB")
    return text


def _option(name: str) -> str:
    """An argument as an option."""
    return f"--{name.replace('_', '-')}"


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=prog, description=(__doc__ or "").split("\n\n")[1])
    commands = parser.add_subparsers(
        required=True, dest="command", metavar="report | treat | check | roles"
    )
    known, texts, people, engines = (_Parser(add_help=False) for _ in range(4))
    what = "columns that somebody may know, with commas between; may be repeated"
    known.add_argument("--quasi-identifiers", metavar="A,B", action="append", help=what)
    what = "columns to be kept secret, '' for none; may be repeated"
    known.add_argument("--sensitive", metavar="A,B", action="append", help=what)
    what = "column that is equal on all records of one person; k and risk count people"
    known.add_argument("--person", metavar="COLUMN", help=what)
    texts.add_argument("--separator", help="what cells end at, such as ';' or tab")
    texts.add_argument("--encoding", help="how a text is encoded, such as cp1252")
    texts.add_argument("--sheet", help="sheet of a workbook")
    what = "line of a text or sheet that names the columns (1)"
    texts.add_argument("--header-line", type=int, metavar="LINE", help=what)
    what = "everyone the records may be about"
    people.add_argument("--population", metavar="FILE", help=what)
    engines.add_argument("--table", dest="database_table", help="table of a .duckdb file")
    engines.add_argument("--spark", metavar="MASTER", help="read with Spark, such as local[4]")
    engines.add_argument("--budget", help="memory for distinct rows, such as '2 GB' (1 GB)")
    engines.add_argument(
        "--memory-limit", type=_size, help="memory of the engine, such as 4GB"
    )
    engines.add_argument("--key", help="column that names a row, which is not measured")
    report, treat, check, roles = (
        commands.add_parser(name, help=what, parents=parents)
        for name, what, parents in (
            ("report", "write a report on a table", [known, texts, people, engines]),
            ("treat", "write a release that meets thresholds", [known, texts, engines]),
            ("check", "compare a table with thresholds", [known, texts, people, engines]),
            ("roles", "suggest what each column is", [texts, engines]),
        )
    )
    what = "a file, folder or pattern of Parquet, or .duckdb"
    report.add_argument("table", nargs="?", help=f"{what}; without it, bundled records")
    for command in (treat, check, roles):
        command.add_argument("table", help=what)
    for command, names in ((report, THRESHOLDS), (treat, WITHOUT_PEOPLE), (check, THRESHOLDS)):
        for name in names:
            model = THRESHOLDS[name]
            kind = _whole if model.whole else _number
            span, what = "{:g}…{:g}".format(*model.range), f"{model.rule}: {model.compared}"
            command.add_argument(_option(name), dest=name, type=kind, metavar=span, help=what)
    what = f"share of the records that may be taken out ({SUPPRESSED:g})"
    treat.add_argument("--suppression-limit", type=_number, metavar="0…1", help=what)
    what = "do what the record of an earlier treatment says"
    treat.add_argument("--repeat", metavar="RECORD.json", help=what)
    for command, kinds, usual in (
        (report, "FILE.html", "NAME-report.html"),
        (treat, "FILE.csv|.parquet", "NAME-treated.csv"),
    ):
        command.add_argument("--output", metavar=kinds, help=f"what to write ({usual})")
        what = "write over files that are there"
        command.add_argument("--force", action="store_true", help=what)
    check.add_argument("--json", action="store_true", help="print JSON in place of a table")
    report.set_defaults(run=_report)
    treat.set_defaults(run=_treat, population=None)
    check.set_defaults(run=_check)
    roles.set_defaults(run=_roles, population=None)
    return parser


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Thresholds that were given."""
    given = {name: getattr(options, name, None) for name in THRESHOLDS}
    return {name: one for name, one in given.items() if one is not None}


def _read(options: argparse.Namespace, path: str) -> pd.DataFrame:
    """The one way from a path to a table; what was guessed is said beside the result."""
    if not path.strip():  # usually a variable of the shell that is not set
        raise ValueError("the path of a table is empty; name a file, or leave it out.")
    with _heard(options):
        given = {name: getattr(options, name) for name in OF_TEXTS}
        return read_table(
            path, **{name: one for name, one in given.items() if one is not None}
        )


@contextlib.contextmanager
def _heard(options: argparse.Namespace) -> Iterator[None]:
    """Keep what is said while a file is read; missing numbers of several kinds are refused."""
    try:
        with warnings.catch_warnings(record=True, action="ignore") as said:
            warnings.simplefilter("always", ReadingWarning)
            warnings.simplefilter("error", SeveralMarks)
            yield
    except SeveralMarks as marks:
        raise ValueError(str(marks)) from None
    options.said += [str(one.message) for one in said]


def _named_roles(options: argparse.Namespace, data: pd.DataFrame) -> list[list[str] | None]:
    """Columns that were named as quasi-identifiers, and as sensitive; None if none was."""
    return [_names(options, role, data) for role in ROLES_NAMED]


def _names(options: argparse.Namespace, role: str, data: pd.DataFrame) -> list[str] | None:
    """Names between commas; one that holds a comma itself stands in an option of its own."""
    given, known = getattr(options, role), [*map(str, data.columns)]
    if given is None:
        return None
    names = []
    for text in given:
        parts = [name.strip() for name in text.split(",") if name.strip()]
        names += [text] if text in known else parts
    lost = [name for name in names if name not in [*known, *column_names(data.columns)[0]]]
    if lost and (commas := [name for name in known if "," in name and name not in names]):
        raise ValueError(
            f"{_option(role)}: there is no column {lost[0]!r}; a column whose name holds a"
            f" comma is named in an option of its own, such as {_option(role)}"
            f" {shlex.quote(commas[0])}."
        )
    return names


def _check_named(options: argparse.Namespace, data: pd.DataFrame) -> None:
    """Refuse to guess roles, and suggest a command that names them."""
    asks = any(
        THRESHOLDS[name].about == "values" for name in check_thresholds(_asked(options))
    )
    lacks = options.quasi_identifiers is None, asks and options.sensitive is None
    if not any(lacks):
        return
    words = [*options.typed]
    for role, names in zip(ROLES_NAMED, suggested_names(data), strict=True):
        alone = [one for one in map(str, names) if "," in one or one != one.strip()]
        rest = ",".join(one for one in map(str, names) if one not in alone)
        if getattr(options, role) is None:
            some = [one for one in (rest, *alone) if one] or ["COLUMN"] * lacks[
                role == "sensitive"
            ]
            words += [word for one in some for word in (_option(role), one)]
    raise ValueError(
        f"{options.command} never guesses what others may know and what is secret; look at"
        f" each column, then paste what is right of this suggestion: {shlex.join(words)}"
    )


# report


def _report(options: argparse.Namespace) -> int:
    """Execute the notebook on a table and write page, notebook and numbers, all or none."""
    check_installed("matplotlib", "lab", "a report")
    from .report import html

    given = [name for name in OF_A_TABLE if getattr(options, name) is not None]
    if options.table is None and given:
        raise ValueError(f"{_option(given[0])} is for a table of yours; name its file, too.")
    usual = "report.html" if options.table is None else _named(options.table, "-report.html")
    output = Path(options.output or usual)
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--output must end in .html; got {str(output)!r}.")
    written = [output.with_suffix(ending) for ending in (output.suffix, ".ipynb", ".json")]
    _check_output(written, options, options.table, options.population)
    k = K if options.k is None else options.k
    k = check_whole(k, "k", 1, 10**9, "the least number of records in a class")
    asked = check_thresholds(_asked(options))
    values: dict[str, Any] = {"k": k, "thresholds": asked}
    with tempfile.TemporaryDirectory() as scratch:
        numbers = Path(scratch, "report.json")
        read: dict[str, Any] = {}
        if options.table is not None:
            tables = _tables_of(options)
            values |= _parameters(options, tables[options.table])
            read["read_table"] = lambda path, **_: tables[path]
        values["results"] = str(numbers)
        notebook, fault = html.run(_notebook(), values, read, "risk_report")
        if fault:
            raise ValueError(f"the report stopped in {fault}")
        html.check_drawn(notebook)
        # What was there for a moment has its own name in the notebook that is kept.
        html.set_parameters(notebook, {**values, "results": f"./{numbers.name}"})
        _link_to_the_course(notebook)
        shown, cells = html.page_of(notebook), html.written(notebook)
        contents = shown, cells, numbers.read_text(encoding="utf-8")
        texts = dict(zip(written, contents, strict=True))
    html.write_all(texts)
    for path in texts:
        print(visible(path))
    return FOUND


def _named(table: str, ending: str) -> str:
    """Name of what is made of a table, in the folder where the command is given."""
    name = Path(called(table))
    if name.suffix.lower() in COMPRESSED:
        name = name.with_suffix("")
    return f"{name.stem or 'table'}{ending}"


COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def _check_output(
    written: Sequence[Path], options: argparse.Namespace, *read: str | None
) -> None:
    """Refuse to write where nothing can be written, over an input, or over what is there."""
    folder = written[0].parent
    if not folder.is_dir():
        raise ValueError(f"--output: there is no folder {str(folder)!r}.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"--output: nothing can be written to {str(folder)!r}.")
    inputs = [str(Path(one).resolve()) for one in read if one]
    for path in written:
        if path.is_dir() or str(path.resolve()) in inputs:
            raise ValueError(f"--output would write over {str(path)!r}; choose another name.")
    there = [str(path) for path in written if path.exists() or path.is_symlink()]
    if there and not options.force:
        raise ValueError(
            f"--output: {listed(there)} {'is' if len(there) == 1 else 'are'} there already;"
            f" choose another name, or write over what is there with --force."
        )


def _tables_of(options: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Rows of the table and of the population, by their paths."""
    paths = [path for path in (options.table, options.population) if path is not None]
    if not wants_engine(options):
        return {path: _read(options, path) for path in paths}
    with engine_tables(options) as (table, people):  # which may have one path
        found = {} if people is None else {options.population: rows_of(people)}
        return {**found, options.table: rows_of(table)}


def _parameters(options: argparse.Namespace, data: pd.DataFrame) -> dict[str, Any]:
    """Parameters of the notebook."""
    return {
        "table": options.table,
        "population": options.population or "",
        "reading": {one: vars(options)[one] for one in OF_TEXTS if vars(options)[one]},
        **dict(zip(ROLES_NAMED, _named_roles(options, data), strict=True)),
        "person": options.person or "",
    }


def _notebook() -> Path:
    """The report's notebook: in the package, or in the clone that it is installed from."""
    here, name = Path(__file__).resolve().parent, Path("notebooks", "pages", "report.ipynb")
    return next(path for path in (here / name, here.parent / name) if path.is_file())


def _link_to_the_course(notebook: Any) -> None:
    """Links to other notebooks lead to the published ones: the report may stand anywhere."""
    from importlib.metadata import PackageNotFoundError, metadata  # slow, and for pages only

    try:
        urls = metadata("privacy-metrics-toolkit").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    release = dict(url.split(", ", 1) for url in urls).get("Release", REPOSITORY)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                there = f'href="{release}/notebooks/'
                data["text/html"] = data["text/html"].replace('href="../', there)


# treat


def _treat(options: argparse.Namespace) -> int:
    """Write a release, its record and a page of both, all or none."""
    from .report import html
    from .report.treating import ThresholdsMissed

    output = Path(options.output or _named(options.table, "-treated.csv"))
    written = [output, output.with_suffix(".json"), output.with_suffix(".html")]
    if output.suffix.lower() not in SUFFIXES:
        raise ValueError(f"--output must end in {' or '.join(SUFFIXES)}; got {str(output)!r}.")
    _check_output(written, options, options.table, options.repeat)
    try:
        texts, said = _treated(options, written)
    except ThresholdsMissed as missed:
        print(f"toolkit: {visible(missed)}", file=sys.stderr)
        return MISSED
    _check_output(written, options)  # again: it took a while
    html.write_all(texts)
    answer, *said = said
    print("\n".join(map(visible, [answer, *texts, *said])))
    return FOUND


SUFFIXES = (".csv", ".parquet", ".pq")


JOINED = (
    "whoever holds several releases of one table can join them, and learn what each of them"
    " hides: count what changed between them before you hand this one on."
)


def _treated(
    options: argparse.Namespace, written: Sequence[Path]
) -> tuple[dict[Path, str | bytes], list[str]]:
    """What is to be written, and what is to be said of it."""
    from .report import decision, html, treating

    output, record_path, page_path = written
    if options.repeat is not None:
        _check_repeat(options)
        earlier = treating.Treatment.from_record(treating.load_record(options.repeat))
    before_hash = decision.file_hash(options.table)
    data = _rows_of_any(options)
    if options.repeat is None:
        _check_named(options, data)
        limit = options.suppression_limit
        known, secret = _named_roles(options, data)
        treatment = treating.plan_treatment(
            data,
            known,
            secret or [],
            thresholds=_asked(options),
            suppression_limit=SUPPRESSED if limit is None else limit,
            person=options.person,
        )
    else:
        treatment = earlier
    outcome = treating.carry_out(data, treatment)
    content = treating.release_bytes(outcome.released, output.suffix)
    after, judged = _read_back(content, output, treatment, outcome)
    found = suggest_roles(data)
    whose = treatment.quasi_identifiers, treatment.sensitive, treatment.person
    first = roles.first_lines(renamed(data), found, *whose)
    warned, more = _said_of(data, found, treatment, outcome)
    exact = decision.exact_values(after.coded, after.sensitive, after.numbers)
    notes = [*filter(None, [exact, *more])]
    released = {one.name for one in treatment.columns}
    shown = [text for name, text in warned if name in released or not name]
    shown += [text for _, text in warned if text.endswith(roles.BUT_RECORDS)][:1]
    hashes = before_hash, hashlib.sha256(content).hexdigest()
    answer = decision.answer(judged, after)
    record = treating.release_record(treatment, outcome, judged, *hashes, answer)
    page = html.comparison_page(
        called(options.table),
        html.measure_side(outcome.assumed),
        html.measure_side(after),
        levels=[(one.name, one.role, one.level) for one in treatment.columns],
        taken_out=outcome.plan.taken_out,
        loss=outcome.plan.loss,
        judged=judged,
        answer=answer,
        first=map(_sentence, first),
        facts=[
            ("SHA-256 before", hashes[0] or "none, as the table is not a single file"),
            ("SHA-256 after", hashes[1]),
            *[("Note", _sentence(note)) for note in [*shown, *notes, JOINED]],
        ],
    )
    if options.repeat is not None:
        options.said.append(JOINED)
    text = json.dumps(record, allow_nan=False, indent=1, ensure_ascii=False) + "\n"
    texts: dict[Path, str | bytes] = {output: content, record_path: text, page_path: page}
    said = [f"warning: {one}" for _, one in warned] + [f"note: {one}" for one in notes]
    said = [f"warning: {one}" for one in first] + said
    return texts, [answer, *_summary(data, treatment, outcome, judged), *said]


def _said_of(
    data: pd.DataFrame, found: pd.DataFrame, treatment: Any, outcome: Any
) -> tuple[list[tuple[str, str]], list[str]]:
    """Warnings of a table, each with its column or "", and notes that say something else."""
    names, notes = column_names(data.columns)[0], []
    found["column"] = pd.Series(names, dtype=object)
    found["role"] = found["role"].mask(found["role"] == SENSITIVE, OTHER)
    found["role"] = found["role"].mask(found["column"].isin(treatment.sensitive), SENSITIVE)
    if treatment.person is not None:
        at = names.index(treatment.person)
        found["warning"] = warnings_beside(found["warning"].to_list(), at)
        notes = [outcome.assumed.people_note]
        notes += filter(None, [spread_note(outcome.plan.ids, outcome.assumed.numbers)])
    columns = found.loc[found["warning"] != "", "column"].to_list()
    texts = roles.table_warnings(data, found)
    warned = [*zip([*columns, *[""] * (len(texts) - len(columns))], texts, strict=True)]
    already = {one.rstrip(".") for one in texts}
    notes += [one for one in outcome.assumed.notes if one.rstrip(".") not in already]
    return warned, notes


def _sentence(note: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _check_repeat(options: argparse.Namespace) -> None:
    """Refuse what the record of an earlier treatment says already."""
    names = [*ROLES_NAMED, "person", *THRESHOLDS, "suppression_limit"]
    given = [name for name in names if getattr(options, name, None) is not None]
    if given:
        raise ValueError(
            f"--repeat takes roles, thresholds and limit from the record; leave out"
            f" {listed(map(_option, given))}, or plan a new treatment without --repeat."
        )


def _rows_of_any(options: argparse.Namespace) -> pd.DataFrame:
    """All records, also of a table that lives in an engine."""
    if not wants_engine(options):
        return _read(options, options.table)
    with engine_tables(options) as (table, _):
        return rows_of(table)


def _read_back(
    content: bytes, output: Path, treatment: Any, outcome: Any
) -> tuple[Assumptions, pd.DataFrame]:
    """The release as `check` reads it from its file, and its thresholds, which must be met."""
    from .report.decision import judged_thresholds
    from .report.treating import ThresholdsMissed

    part = output.with_name(f".{uuid4().hex}{output.suffix}")
    known, secret = treatment.quasi_identifiers, treatment.sensitive
    try:
        with part.open("xb") as file:
            file.write(content)
        try:
            after = assume(read_table(part), known, secret)
        except (ValueError, TypeError):  # which may quote the part, or a cell
            raise ValueError(UNREADABLE) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    if len(after.data) != len(outcome.released):
        raise ValueError(UNREADABLE)
    after = after._replace(person=treatment.person, who=outcome.who)
    judged = judged_thresholds(
        after.coded, known, secret, treatment.thresholds, who=outcome.who
    )
    if not (judged["met"] == "met").all():
        raise ThresholdsMissed(
            "the release misses a threshold once it is read from its file, where cells may be"
            " written alike, so nothing was written; write a .parquet by --output."
        )
    return after, judged


UNREADABLE = (
    "the release cannot be read back as it was written, so nothing was written; write a"
    " .parquet by --output."
)


def _summary(
    data: pd.DataFrame, treatment: Any, outcome: Any, judged: pd.DataFrame
) -> list[str]:
    """What was done, in lines."""
    levels = [f"{name}: {level}" for name, level in treatment.levels.items()]
    out, share = outcome.plan.taken_out, outcome.plan.taken_out / len(data)
    released = {one.name for one in treatment.columns}
    left = [name for name in column_names(data.columns)[0] if name not in released]
    found = [
        f"{row['model']}{'' if row['sensitive'] is None else ' of ' + str(row['sensitive'])}"
        f" is {row['found']:.4g}, must be {row['rule']} {row['asked']:.12g}"
        for row in judged.to_dict("records")
    ]
    return [
        f"levels: {'; '.join(levels)}",
        f"{out:,} of {len(data):,} records taken out ({share:.1%}); loss"
        f" {outcome.plan.loss:.1%}",
        f"columns left out: {', '.join(left) or 'none'}",
        f"right guesses: {outcome.guesses_before:.1%} before, {outcome.guesses_after:.1%}"
        f" after",
        *found,
    ]


# check and roles


def _check(options: argparse.Namespace) -> int:
    """Compare a table with thresholds."""
    if not _asked(options):
        there = ", ".join(map(_option, THRESHOLDS))
        raise ValueError(f"check needs a threshold, such as --k 5; there are {there}.")
    if not wants_engine(options):
        data, people = _read(options, options.table), None
        if options.population is not None:
            people = _read(options, options.population)
        _check_named(options, data)
        known, secret = _named_roles(options, data)
        more: dict[str, Any] = {"population": people, "person": options.person}
        assumed = assume(data, known, secret or [], **more)
        settled = assumed.quasi_identifiers, assumed.sensitive, assumed.person
        first = roles.first_lines(renamed(data), assumed.columns, *settled, people)
        return _judged(options, assumed, first, *assumed.with_population())
    with engine_tables(options) as (table, population):
        head = frame_of_arrow(table.rows(HEAD))
        _check_named(options, head)
        known, secret = (names or [] for names in _named_roles(options, head))
        others = None if population is None else engine_rows(population)
        whose = known, secret, options.person
        first = roles.said_first(suggest_roles(head), engine_rows(table), *whose, others)
        nobody = pd.DataFrame(columns=pd.Index(table.features, dtype=object))
        notes = [f"k and risk count people, by {options.person!r}."] * bool(options.person)
        assumed = Assumptions(nobody, nobody, known, secret, (*notes,))
        return _judged(options, assumed, first, table, population)


HEAD = 1000
"""Records of a table in an engine whose cells are looked at for direct identifiers."""


def engine_rows(table: EngineTable) -> roles.Rows:
    """What an engine counts of whole records."""
    integer = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?", re.IGNORECASE)
    whole = [name for name in table.features if integer.fullmatch(table.types[name])]
    return roles.Rows([*table.features], table.records, whole, table.repeats)


def _judged(
    options: argparse.Namespace,
    assumed: Assumptions,
    first: list[str],
    data: Any,
    people: Any,
) -> int:
    """Measure, print, and say whether all thresholds are met."""
    known, secret = assumed.quasi_identifiers, assumed.sensitive or None
    more = {"population": people, "person": options.person, **_asked(options)}
    notes = [*first, *assumed.notes]
    if assumed.who is not None:
        more |= with_people(data, assumed.who)
        notes.append(spread_note(equivalence_class(data, known).to_numpy(), assumed.numbers))
    measured: Any = check_in_engine if isinstance(data, EngineTable) else check_privacy
    found = measured(more.pop("data", data), known, secret, **more)
    if (options.k or 0) > (there := found.facts["records"]):
        notes.append(
            f"k of {options.k:g} is more than the {there:,} records; no treatment reaches it."
        )
    if not secret and options.sensitive is None:
        notes.append(f"{roles.NOBODY_SAID}.")
    if len(assumed.data):
        lacking = assumed.data[assumed.sensitive].isna().sum()
        notes += [
            f"{name!r} is missing in {count:,} records; a missing cell counts as a value."
            for name, count in lacking[lacking > 0].items()
        ]
    notes = [*filter(None, notes)]
    print((_as_json if options.json else _as_text)(found, assumed, notes))
    return FOUND if found.satisfied else MISSED


COLUMNS = ["metric", "setting", "sensitive", "value", "must_be", "threshold", "satisfied"]
COLUMNS += ["rows_violating"]


def _as_json(found: PrivacyReport, assumed: Assumptions, notes: list[str]) -> str:
    report = {
        "satisfied": found.satisfied,
        "quasi_identifiers": assumed.quasi_identifiers,
        "sensitive": assumed.sensitive,
        "notes": notes,
        "metrics": _plain(found.table[COLUMNS]),
    }
    return json.dumps(report, allow_nan=False, ensure_ascii=False)


def _as_text(found: PrivacyReport, assumed: Assumptions, notes: list[str]) -> str:
    """What was assumed, and a line per metric."""
    named = {"may be known": assumed.quasi_identifiers, "to be kept secret": assumed.sensitive}
    parts = [
        f"{visible(', '.join(some)) or 'no column'} {what}" for what, some in named.items()
    ]
    lines = [f"assumed: {'; '.join(parts)}", *(f"note: {visible(note)}" for note in notes)]
    rows = []
    for row in _plain(found.table[COLUMNS]):
        shown = {name: "" if cell is None else cell for name, cell in row.items()}
        verdict = {True: "yes", False: "NO", "": ""}[shown["satisfied"]]
        number, limit = shown["value"], row["threshold"]
        value = f"{number:.4g}" if isinstance(number, float) else f"{number}"
        rule = "" if limit is None else f"{shown['must_be']} {float(limit):.12g}"
        metric = f"{shown['metric']} {shown['setting']}".strip()
        violating = shown["rows_violating"]
        rows.append([metric, shown["sensitive"], value, rule, verdict, violating])
    names = ["metric", "sensitive", "value", "must be", "satisfied", "rows violating"]
    return "\n".join([*lines, *_columns([names, *rows])])


def _columns(rows: list[list[Any]]) -> list[str]:
    """Lines of cells below each other."""
    texts = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in texts]


def _roles(options: argparse.Namespace) -> int:
    """Suggest what each column is."""
    data = _rows_of_any(options)
    found = suggest_roles(data)
    found["levels"] = [
        ", ".join(_levels(data.iloc[:, j])) if role in roles.ROLES[1:3] else ""
        for j, role in enumerate(found["role"])
    ]
    names = ["column", "role", "reason", "levels"]
    lines = _columns([names, *found[names].to_numpy().tolist()])
    lines += [f"warning: {visible(said)}" for said in roles.table_warnings(data, found)]
    lines.append("All roles are guessed, from names and cells: name them yourself.")
    print("\n".join(lines))
    return FOUND


def _levels(column: pd.Series) -> tuple[str, ...]:
    """What a column can be made coarser to, and what is in doubt about that."""
    tree = suggest_hierarchy(column)
    if tree is None:
        return ()
    return (*tree.names[1:], *([f"({tree.note})"] if tree.note else []))


QUIET: dict[str, bool | str | int | float | None] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def wants_engine(options: argparse.Namespace) -> bool:
    """Whether the table is asked where it lives: a folder, a pattern, a database, Spark."""
    path = options.table
    if not path:
        return False
    return (
        any(getattr(options, name) is not None for name in OF_ENGINES)
        or is_database(Path(path))
        or Path(path).is_dir()
    )


@contextlib.contextmanager
def engine_tables(
    options: argparse.Namespace,
) -> Iterator[tuple[EngineTable, EngineTable | None]]:
    """Open the table, and the population if there is one, in one engine."""
    given = [n.replace("_", "-") for n in OF_TEXTS if getattr(options, n) is not None]
    if given:
        raise ValueError(
            f"--{given[0]} is for a file that is read into memory, and this table is asked in"
            f" an engine; leave it out, or leave out what asks an engine (such as --budget)."
        )
    path = options.table
    if options.database_table is not None and not is_database(Path(path)):
        raise ValueError(
            f"--table names a table of a database, and {path!r} is none; leave it out."
        )
    with _session(options) as session:
        own = options.memory_limit and session is None  # a session has its own limit
        settings: dict[str, Any] = {"memory_limit": options.memory_limit} if own else {}
        budget = "1 GB" if options.budget is None else options.budget
        where: dict[str, Any] = {"table": options.database_table, "key": options.key}
        people = None
        with _heard(options):
            settings |= {"budget": budget, "spark": session}
            table = open_table(path, **where, **settings)
            if options.population:
                people = open_table(options.population, **settings)
        yield table, people


@contextlib.contextmanager
def _session(options: argparse.Namespace) -> Iterator[Any]:
    """A Spark session with the master that was named, stopped in the end if it is new."""
    if not options.spark:
        yield None
        return
    check_extra("pyspark", "spark")
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    builder = SparkSession.builder.master(options.spark).appName("privacy toolkit")
    builder = builder.config(map=QUIET)
    if options.spark.startswith("local"):  # no port that other machines reach
        builder = builder.config("spark.driver.host", "127.0.0.1")
    if options.memory_limit:
        builder = builder.config("spark.driver.memory", options.memory_limit.lower())
    with one_sentence(Spark, f"starting with {options.spark!r}"):
        session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def called(path: str) -> str:
    """Name of a table in a report: of its file or folder; of the folder, for a pattern."""
    where = Path(path).absolute()
    return where.name


def rows_of(table: EngineTable) -> pd.DataFrame:
    """All records, if they fit the budget."""
    return frame_of_arrow(table.rows())


if __name__ == "__main__":
    sys.exit(main())
