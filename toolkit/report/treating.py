"""The files of a release: the table, its record, and a page that stays with the table.

The release is measured again as it is read from its file. Its record is the JSON by which
`treat_again` treats the next table. The page says first what was met and what was not asked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import pandas as pd

from .. import __version__
from .._arguments import listed
from .._codes import encode
from ..anonymisation.lattice import ThresholdsMissed
from ..anonymisation.release import Release
from ..anonymisation.treatment import as_released
from ..classes import class_table
from ..disclosure.check import check_privacy
from ..disclosure.models import MODELS, THRESHOLDS
from ..io import read_table, text_format
from .plain import share, template, written
from .roles import ROLES, first_lines, suggest_roles, table_warnings

SUFFIXES = (".csv", ".parquet", ".pq")
ROWS = 5
JOINED = (
    "whoever holds several releases of one table can join them, and learn what each of them"
    " hides: count what changed between them before you hand this one on"
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
        raise ValueError(f"{str(path)!r} is no record of a release: no JSON.") from None


def files_of(
    data: pd.DataFrame,
    release: Release,
    source: str,
    output: Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
) -> tuple[dict[Path, str | bytes], list[str]]:
    """Contents of the three files, and what to say of them; the first line is the answer.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table as it was read from `source`.
    release : Release
        Result of `treat` or `treat_again`.
    source, output : path
        The table's file or folder, and where the release goes: .csv, .parquet or .pq.
    separator, encoding : str, optional
        Of `source`, if it is a text whose format was given; the release is written alike.
    """
    form = text_format(source, separator, encoding)
    content = release_bytes(release.data, output.suffix, *form)
    record: dict[str, Any] = release.record or {}
    known, secret = (
        [
            name
            for name in release.data.columns
            if (name in release.quasi_identifiers) == is_known
        ]
        for is_known in (True, False)
    )
    _check_named(data, record)
    measured = _measured_again(content, output, form, known, secret, record["thresholds"])
    answer = _answer(release.data, known, secret, record["thresholds"])
    suggested = suggest_roles(data)
    named = suggested.assign(role=_roles(data, suggested, known, secret))
    first = first_lines(data, named, known, secret, record["person"])
    notes = [*table_warnings(data, named), *_exact(release.data, secret), JOINED]
    digest = None
    if Path(source).is_file():
        digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    facts: dict[str, Any] = {
        "made": str(date.today()),
        "sha256_before": digest,
        "sha256_after": hashlib.sha256(content).hexdigest(),
        "measured": measured.to_dict("records"),
    }
    record = {"answer": answer} | record | facts
    shown = {
        "answer": answer,
        "everything": answer.startswith("The release meets every"),
        "source": Path(source).absolute().name,
        "record": record,
        "measured": record["measured"],
        "first": [_sentence(line) for line in first],
        "notes": [_sentence(note) for note in notes],
        "columns": _columns(data, named, record),
        "taken_out": _taken_out(data, release),
        "rows": _rows(data, release, record),
        "version": __version__,
    }
    texts: dict[Path, str | bytes] = {
        output: content,
        output.with_suffix(".json"): written(record),
        output.with_suffix(".html"): str(template("treat.html.j2").render(shown)),
    }
    warned = [f"warning: {line}" for line in [*first, *notes[:-1]]]
    return texts, [answer, *_summary(data, release, record), *warned]


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
        text = str(
            data.to_csv(index=False, lineterminator="\n", sep=separator, decimal=decimal)
        )
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            raise ValueError(
                f"a cell cannot be written in {encoding}; write a .parquet by --output."
            ) from None
    if suffix.lower() not in SUFFIXES:
        raise ValueError(f"a release ends in {', '.join(SUFFIXES)}; got {suffix!r}.")
    try:
        return bytes(data.to_parquet(index=False))
    except (ValueError, TypeError, NotImplementedError):  # whose message may quote a cell
        raise ValueError("a column cannot be written to Parquet; write a .csv.") from None


def _check_named(data: pd.DataFrame, record: Mapping[str, Any]) -> None:
    """Refuse to release what names people or holds sentences, unless it is hidden."""
    roles = suggest_roles(as_released(record, data))
    barred = [
        name
        for name, role in zip(roles["column"], roles["role"], strict=True)
        if role in (ROLES[0], ROLES[4]) and "label" not in record["columns"][str(name)]
    ]
    if barred:
        raise ValueError(
            f"{listed(barred)} would be released, and may be direct identifiers or free text:"
            f" leave them out, or, if they are neither, use toolkit.treat from Python."
        )


def _measured_again(
    content: bytes,
    output: Path,
    form: tuple[str, str, str],
    known: list[Any],
    secret: list[Any],
    thresholds: Mapping[str, Any],
) -> pd.DataFrame:
    """Thresholds of the release as it is read from its file, which must be met."""
    part = output.with_name(f".{uuid4().hex}{output.suffix}")
    text = output.suffix.lower() == ".csv"
    options: Any = dict(zip(("separator", "encoding"), form, strict=False)) if text else {}
    try:
        with part.open("xb") as file:
            file.write(content)
        try:
            data = read_table(part, **options)
            if [*map(str, data.columns)] != [*map(str, [*known, *secret])]:
                data = data[[str(name) for name in data.columns]]
            known, secret = ([str(name) for name in some] for some in (known, secret))
            found = check_privacy(data, known, secret or None, **thresholds)
            rows = len(data)
        except (ValueError, TypeError, KeyError):  # which may quote the part, or a cell
            raise ValueError(UNREADABLE) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    if not found.satisfied:
        raise ThresholdsMissed(
            "the release misses a threshold once it is read from its file, where cells may be"
            " written alike, so nothing was written; write a .parquet by --output."
        )
    if rows != found.facts["records"]:
        raise ValueError(UNREADABLE)
    asked = found.table[found.table["threshold"].notna()]
    asked = asked.assign(threshold_of=[MODELS[name].keyword for name in asked["metric"]])
    return asked[["threshold_of", "sensitive", "must_be", "threshold", "value"]]


def _answer(
    data: pd.DataFrame, known: list[Any], secret: list[Any], thresholds: Mapping[str, Any]
) -> str:
    """Say first what was asked and met, and what was not asked."""
    asked = [f"{name} = {number:g}" for name, number in thresholds.items()]
    met = f"{' and '.join(asked)} {'is' if len(asked) == 1 else 'are'} met."
    if not secret:
        return f"{met} No column was named as secret."
    if any(THRESHOLDS[name].about == "values" for name in thresholds):
        return f"The release meets every threshold: {', '.join(asked)}."
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
        codes, values = encode(data[name])
        single = int((pd.Series(codes).value_counts() == 1).sum())
        if single and not (len(values) == 1 and len(data) == 1):
            alone.append(f"{share(single / len(data))} of the records in {str(name)!r}")
    if not alone:
        return []
    return [
        f"a value that only one record has ({', '.join(alone)}) leads anybody who knows it to"
        f" that record: round such values (--round), pool rare ones, or leave the column out"
    ]


def _roles(
    data: pd.DataFrame, suggested: pd.DataFrame, known: list[Any], secret: list[Any]
) -> list[str]:
    """Role of each column: as it was named, else as suggested; none is secret unnamed."""
    roles = []
    for name, role in zip(data.columns, suggested["role"], strict=True):
        named = ROLES[1] if name in known else ROLES[2] if name in secret else None
        roles.append(named or (ROLES[3] if role == ROLES[2] else role))
    return roles


def _columns(
    data: pd.DataFrame, named: pd.DataFrame, record: Mapping[str, Any]
) -> list[dict[str, str]]:
    """What each column of the table is, and what became of it."""
    rows = []
    for name, role in zip(map(str, data.columns), named["role"], strict=True):
        column = record["columns"].get(name)
        does = "left out"
        if column is not None:
            parts = [column.get("level", "as it is")]
            parts += [f"rounded to {column['round']:,}"] if "round" in column else []
            does = ", ".join(parts)
        rows.append({"name": name, "role": role, "does": does})
    return rows


def _taken_out(data: pd.DataFrame, release: Release) -> list[dict[str, Any]]:
    """The commonest values of the records that were taken out, beside all records."""
    gone, rows = data[~release.kept.to_numpy()], []
    for name in release.quasi_identifiers if len(gone) else ():
        everyone, out = (
            part[name].map(_said).value_counts(normalize=True) for part in (data, gone)
        )
        for value, part in out.head(2).items():
            shown = {"name": str(name), "value": str(value)}
            rows.append(shown | {"out": part, "all": everyone.loc[str(value)]})
    return rows


def _said(cell: Any) -> str:
    return "(missing)" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell)


def _rows(
    data: pd.DataFrame, release: Release, record: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The first records that are released, before and after, cell by cell."""
    before = data[release.kept.to_numpy()].head(ROWS)
    after = as_released(record, before)
    return [
        {"before": [_said(before[name].iloc[i]) for name in after.columns],
         "after": [_said(cell) for cell in after.iloc[i]]}
        for i in range(len(before))
    ]  # fmt: skip


def _summary(data: pd.DataFrame, release: Release, record: Mapping[str, Any]) -> list[str]:
    """What was done, in lines."""
    columns = record["columns"]
    levels = [f"{name}: {one['level']}" for name, one in columns.items() if "level" in one]
    out = len(data) - len(release.data)
    left = [name for name in map(str, data.columns) if name not in columns]
    found = [
        f"{row['threshold_of']}{' of ' + str(row['sensitive']) if row['sensitive'] else ''} is"
        f" {row['value']:.4g}, must be {row['must_be']} {row['threshold']:.12g}"
        for row in record["measured"]
    ]
    return [
        f"levels: {'; '.join(levels)}",
        f"{out:,} of {len(data):,} records taken out ({out / len(data):.1%}); loss"
        f" {release.loss:.1%}",
        f"columns left out: {', '.join(left) or 'none'}",
        *found,
    ]


def _sentence(note: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."
