"""The files of a release: the table, its record, and a page that stays with the table.

The release is measured again as it is read from its file. Its record is the JSON by which
`treat_again` treats the next table. The page says first what was met and what was not asked.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from .._arguments import listed
from .._codes import encode
from ..anonymisation.hierarchies import AS_IT_IS
from ..anonymisation.lattice import ThresholdsMissed
from ..anonymisation.release import Release
from ..anonymisation.treatment import as_released
from ..classes import class_table
from ..disclosure.check import check_privacy
from ..disclosure.models import MODELS, THRESHOLDS
from ..io import read_table, text_format
from .plain import share, template, written
from .roles import BUT_RECORDS, ROLES, said_first, suggest_roles, table_warnings

DIRECT, QUASI, SENSITIVE, OTHER, TEXT = ROLES
SUFFIXES = (".csv", ".parquet", ".pq")
ROWS = 5
EVERYTHING = "The release meets every threshold"
JOINED = (
    "an attacker who holds several releases of one table can join them, and learn what each of"
    " them hides: count what changed between them before you hand this one on"
)
UNREADABLE = (
    "the release cannot be read back as it was written, so nothing was written; write a"
    " .parquet by --output."
)


def read_record(path: Any) -> Any:
    """Read the record of a release from a file of JSON."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{str(path)!r} is not the record of a release in JSON.") from None


def files_of(
    data: pd.DataFrame,
    release: Release,
    source: str,
    output: Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
) -> tuple[dict[Path, str | bytes], list[str]]:
    """Contents of the three files, and lines about them; the first line is the answer.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table as it was read from `source`.
    release : Release
        Result of `treat` or `treat_again`.
    source, output : path
        The table's file or folder, and the file of the release: .csv, .parquet or .pq.
    separator, encoding : str, optional
        Format of `source`, if given for a text file; the release is written in the same way.
    """
    form = text_format(source, separator, encoding)
    content = release_bytes(release.data, output.suffix, *form)
    record: dict[str, Any] = release.record or {}
    known = [name for name in release.data.columns if name in release.quasi_identifiers]
    secret = [name for name in release.data.columns if name not in known]
    _check_named(data, record)
    read, measured = _measured_again(release, known, secret, content, output.suffix, form)
    suggested = suggest_roles(data)
    guessed = suggested["role"].replace(SENSITIVE, OTHER)  # only named columns are secret
    roles = [
        QUASI if name in known else SENSITIVE if name in secret else role
        for name, role in zip(data.columns, guessed, strict=True)
    ]
    named = suggested.assign(role=roles)
    rest = named["role"].ne(DIRECT).to_numpy()
    gone = f"{listed(data.columns[~rest])}: taken for direct identifiers, so left out."
    first = [gone] * (not rest.all())
    first += said_first(named[rest], data.loc[:, rest], known, secret, record["person"])
    warned = table_warnings(data, named)
    recurs = [line for line in warned if BUT_RECORDS in line]
    first = recurs + first
    notes = [line for line in warned if line not in first]
    notes += [*_exact(read, secret), JOINED]
    file, answer = Path(source), _answer(read, known, secret, record["thresholds"])
    answer = f"Counted by records, not by people: {answer}" if recurs else answer
    record = {"answer": ""} | record | {"answer": answer, "made": str(date.today())}
    record["sha256_before"] = _digest(file.read_bytes()) if file.is_file() else None
    record |= {"sha256_after": _digest(content), "measured": measured}
    html = template("treat.html.j2").render(
        everything=answer.startswith(EVERYTHING),
        source=file.absolute().name,
        record=record,
        first=[_sentence(line) for line in first],
        notes=[_sentence(note) for note in notes],
        columns=[
            {"name": str(name), "role": role, "does": _done(record["columns"].get(str(name)))}
            for name, role in zip(data.columns, roles, strict=True)
        ],
        taken_out=_taken_out(data, release),
        rows=_rows(data, release, record),
        version=__version__,
    )
    texts: dict[Path, str | bytes] = {
        output: content,
        output.with_suffix(".json"): written(record),
        output.with_suffix(".html"): html,
    }
    lines = [f"warning: {line}" for line in [*first, *notes[:-1]]]
    return texts, [answer, *_summary(data, release, record), *lines]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def release_bytes(
    data: pd.DataFrame,
    suffix: str,
    separator: str = ",",
    encoding: str = "utf-8",
    decimal: str = ".",
) -> bytes:
    r"""Write a release as the bytes of a file.

    Examples
    --------
    >>> release_bytes(pd.DataFrame({"age": ["[16, 20)"], "ill": ["flu"]}), ".csv", ";")
    b'age;ill\n[16, 20);flu\n'
    """
    if suffix.lower() == ".csv":
        form: Any = {"sep": separator, "decimal": decimal, "lineterminator": "\n"}
        try:
            return str(data.to_csv(index=False, **form)).encode(encoding)
        except UnicodeEncodeError:
            raise ValueError(
                f"a cell cannot be written in {encoding}; write a .parquet by --output."
            ) from None
    try:
        return bytes(data.to_parquet(index=False))
    except (ValueError, TypeError, NotImplementedError):  # whose message may quote a cell
        raise ValueError("a column cannot be written to Parquet; write a .csv.") from None


def _check_named(data: pd.DataFrame, record: Mapping[str, Any]) -> None:
    """Refuse to release direct identifiers and free text, unless they are hidden."""
    roles = suggest_roles(as_released(record, data))
    barred = [
        name
        for name, role in zip(roles["column"], roles["role"], strict=True)
        if role in (DIRECT, TEXT) and "label" not in record["columns"][str(name)]
    ]
    if barred:
        raise ValueError(
            f"{listed(barred)} would be released, and may be direct identifiers or free text:"
            f" leave them out, or, if they are neither, use toolkit.treat from Python."
        )


def _measured_again(
    release: Release,
    known: list[Any],
    secret: list[Any],
    content: bytes,
    suffix: str,
    form: tuple[str, str, str],
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The release as its file is read, and its thresholds, which must all be met there."""
    text = suffix.lower() == ".csv"
    options: Any = {"separator": form[0], "encoding": form[1]} if text else {}
    columns, secrets = ([str(name) for name in names] for names in (known, secret))
    thresholds = (release.record or {})["thresholds"]
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, f"release{suffix}")
        part.write_bytes(content)
        try:
            data = read_table(part, **options)
            report = check_privacy(data, columns, secrets or None, **thresholds)
        except (ValueError, TypeError, KeyError):  # the message may quote a cell
            raise ValueError(UNREADABLE) from None
    if len(data) != len(release.data):
        raise ValueError(UNREADABLE)
    if not report.satisfied:
        raise ThresholdsMissed(
            "the release misses a threshold once it is read from its file, where cells may be"
            " written alike, so nothing was written; write a .parquet by --output."
        )
    asked = report.table[report.table["threshold"].notna()]
    asked = asked.assign(threshold_of=[MODELS[name].keyword for name in asked["metric"]])
    shown = ["threshold_of", "sensitive", "must_be", "threshold", "value"]
    rows: list[Any] = asked[shown].to_dict("records")
    return data.set_axis(release.data.columns, axis=1), rows


def _answer(
    data: pd.DataFrame, known: list[Any], secret: list[Any], thresholds: Mapping[str, Any]
) -> str:
    """Say first what was asked and met, and what was not asked."""
    asked = [f"{name} = {number:g}" for name, number in thresholds.items()]
    met = f"{' and '.join(asked)} {'is' if len(asked) == 1 else 'are'} met."
    if not secret:
        return f"{met} No column was named as secret."
    if any(THRESHOLDS[name].about == "values" for name in thresholds):
        return f"{EVERYTHING}: {', '.join(asked)}."
    parts = []
    for name in secret:
        classes = class_table(data, known, name)
        certain = float(classes.size[classes.distinct == 1].sum() / len(data))
        parts.append(f"{name} (certain for {share(certain)} of the records)")
    return f"{met} Not asked: what can be learned about {', '.join(parts)}."


def _exact(data: pd.DataFrame, secret: Sequence[Any]) -> list[str]:
    """Say which sensitive columns single records out by their exact cells."""
    alone = []
    for name in secret:
        single = int((np.bincount(encode(data[name])[0]) == 1).sum())
        if single:
            alone.append(f"{share(single / len(data))} of the records in {str(name)!r}")
    if not alone:
        return []
    return [
        f"a value that only one record has ({', '.join(alone)}) leads anybody who knows it to"
        f" that record: round such values (--round), pool rare ones, or leave the column out"
    ]


def _done(column: Mapping[str, Any] | None) -> str:
    """Treatment of a column, in words."""
    if column is None:
        return "left out"
    level, step = column.get("level", AS_IT_IS), column.get("round")
    return level if step is None or "label" in column else f"{level}, rounded to {step:,}"


def _taken_out(data: pd.DataFrame, release: Release) -> list[dict[str, Any]]:
    """The commonest values of the records taken out, with their share among all records."""
    gone, rows = data[~release.kept.to_numpy()], []
    for name in release.quasi_identifiers if len(gone) else ():
        everyone, out = (
            part[name].map(_said).value_counts(normalize=True) for part in (data, gone)
        )
        for value, part in out.head(2).items():
            shown = {"name": str(name), "value": value}
            rows.append(shown | {"out": part, "all": everyone.loc[str(value)]})
    return rows


def _said(cell: Any) -> str:
    return "(missing)" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell)


def _rows(
    data: pd.DataFrame, release: Release, record: Mapping[str, Any]
) -> dict[str, list[list[str]]]:
    """The first released records, before and after, cell by cell."""
    before = data[release.kept.to_numpy()].head(ROWS)
    after = as_released(record, before)
    frames = {"before": before[[*after.columns]], "after": after}
    return {
        when: [[_said(cell) for cell in row] for row in frame.astype(object).to_numpy()]
        for when, frame in frames.items()
    }


def _summary(data: pd.DataFrame, release: Release, record: Mapping[str, Any]) -> list[str]:
    """What was done, in lines."""
    columns = record["columns"]
    levels = [f"{name}: {_done(column)}" for name, column in columns.items()]
    out = len(data) - len(release.data)
    left = [name for name in map(str, data.columns) if name not in columns]
    measured = [
        f"{row['threshold_of']}{' of ' + str(row['sensitive']) if row['sensitive'] else ''} is"
        f" {row['value']:.4g}, must be {row['must_be']} {row['threshold']:.12g}"
        for row in record["measured"]
    ]
    return [
        f"levels: {'; '.join(levels)}",
        f"{out:,} of {len(data):,} records taken out ({share(out / len(data))}); loss"
        f" {share(release.loss)}",
        f"columns left out: {', '.join(left) or 'none'}",
        *measured,
    ]


def _sentence(note: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."
