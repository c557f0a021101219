"""What a release met, and what was not asked of it, for the page of `treat`."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .._old import checking
from .._old.assuming import Assumptions, shown_names, with_people
from .._old.catalogue import MODELS, THRESHOLDS
from .._old.classes import equivalence_class
from .._typing import IntArray
from .plain import share

MET, MISSED, NOT_MEASURED = "met", "missed", "not measured"


def file_hash(path: Any) -> str | None:
    """SHA-256 of a file in hexadecimal digits; None if the path leads to no file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "empty.csv"
    >>> file.touch()
    >>> file_hash(file)[:8], file_hash(file.parent)
    ('e3b0c442', None)
    """
    if not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def judged_thresholds(
    coded: pd.DataFrame,
    quasi_identifiers: list[str],
    sensitive: list[str],
    thresholds: Mapping[str, float],
    population: pd.DataFrame | None = None,
    who: pd.Series | None = None,
) -> pd.DataFrame:
    """Compare a table with thresholds; what cannot be measured is said to be so.

    Parameters
    ----------
    coded : DataFrame of shape (n_records, n_features)
        The table as categories.
    quasi_identifiers, sensitive : list of columns
        What the attacker may know, and what is to be kept from them.
    thresholds : mapping
        As for `check_privacy`.
    population : DataFrame, optional
        Everyone, as categories too.
    who : Series, optional
        Number of the person of each record: k and risk then count people.

    Returns
    -------
    DataFrame
        As `Decision.thresholds`.

    Examples
    --------
    >>> data = pd.DataFrame({"town": list("AAB")}).astype("category")
    >>> judged_thresholds(data, ["town"], [], {"k": 2, "l": 2})[["model", "found", "met"]]
      model found           met
    0     k     1        missed
    1     l  None  not measured
    """
    can = set(checking.measurable(thresholds, bool(sensitive)))
    if population is not None:
        can |= set(checking.OF_PEOPLE) & set(thresholds)
    asked: dict[str, Any] = {name: thresholds[name] for name in can}
    with warnings.catch_warnings(action="ignore"):
        found = checking.check_privacy(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive or None,
            population=population,
            **with_people(coded, who),
            **asked,
        ).table
    parts = ["sensitive", "must_be", "threshold", "value"]
    rows: list[tuple[Any, ...]] = [
        (keyword, *(row[part] for part in parts), MET if row["satisfied"] else MISSED)
        for keyword in thresholds
        for row in checking.rows_of(found)
        if row["threshold"] is not None and MODELS[row["metric"]].keyword == keyword
    ]
    rows += [
        (keyword, None, THRESHOLDS[keyword].rule, one, None, NOT_MEASURED)
        for keyword, one in thresholds.items()
        if keyword not in can
    ]
    columns = ["model", "sensitive", "rule", "asked", "found", "met"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def answer(judged: pd.DataFrame, release: Assumptions) -> str:
    """Say first what was asked and met, and what was not asked.

    Parameters
    ----------
    judged : DataFrame
        Result of `judged_thresholds` on a release, all met.
    release : Assumptions
        The release.

    Examples
    --------
    >>> from toolkit._old.assuming import assume
    >>> data = pd.DataFrame({"town": list("AABB"), "ill": list("xxxy")})
    >>> found = assume(data, "town", "ill")
    >>> answer(judged_thresholds(found.coded, ["town"], ["ill"], {"k": 2}), found)
    'k = 2 is met. Not asked: what can be learned about ill (certain for 50 % of the records).'
    """
    rows = judged[["model", "asked"]].drop_duplicates().itertuples(index=False)
    asked = [f"{model} = {number:g}" for model, number in rows]
    met = f"{' and '.join(asked)} {'is' if len(asked) == 1 else 'are'} met."
    if not release.sensitive:
        return f"{met} No column was named as secret."
    if judged["sensitive"].notna().any():
        return f"The release meets every threshold: {', '.join(asked)}."
    classes = equivalence_class(release.data, release.quasi_identifiers).to_numpy()
    parts = []
    for name in release.sensitive:
        values = pd.Series(pd.factorize(release.data[name], use_na_sentinel=False)[0])
        certain = float((values.groupby(classes).transform("nunique") == 1).mean())
        parts.append(f"{name} (certain for {share(certain)} of the records)")
    return f"{met} Not asked: what can be learned about {', '.join(parts)}."


def exact_values(
    data: pd.DataFrame, sensitive: Sequence[Any], who: IntArray | None = None
) -> str:
    """Say what sensitive columns disclose by their own cells, which no treatment changes.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table, or its release.
    sensitive : sequence of columns
        Those that are released as they are.
    who : array of int of shape (n_records,), optional
        Number of the person of each record; -1 for nobody known.

    Returns
    -------
    str
        Sentences with the share of the records whose value nobody else has, column by column;
        empty if each value is there for two at least.

    Examples
    --------
    >>> said = exact_values(pd.DataFrame({"pay": [1200, 1200, 1875]}), ["pay"])
    >>> print(said.split(". ")[1][:64])
    A value that only one record has (33 % of the records in 'pay')
    """
    alone = []
    for name in sensitive:
        ids, values = pd.factorize(data[name])
        single = checking.people_per_class(ids, who, len(values))[ids[ids >= 0]] == 1
        if single.any():
            part = 100 * float(single.sum()) / len(ids)
            amount = "under 1" if part < 1 else "over 99" if 99 < part < 100 else f"{part:.0f}"
            alone.append(f"{amount} % of the records in {str(name)!r}")
    if not alone:
        return ""
    one = "record" if who is None else "person"
    return (
        f"Sensitive columns are released as they are, and k ignores them. A value that only"
        f" one {one} has ({shown_names([*alone])}) leads anybody who knows it to that {one}:"
        f" round such values, pool rare ones, or leave the column out."
    )


PLAIN = {
    "k": "records in the smallest group that look alike (k)",
    "risk": "best chance of finding a person's record (1/k)",
    "l": "different values among records that look alike (ℓ)",
    "t": "distance of a group's values from those of all records, 0 to 1 (t)",
    "alpha": "largest share of one value among records that look alike (α)",
}
"""What thresholds are about, where the catalogue is not plain enough."""


PEOPLE_ALIKE = "people in the smallest group of records that look alike (k)"


def plain_threshold(model: str, of_people: bool) -> str:
    """What a threshold is about, for somebody who decides.

    Examples
    --------
    >>> plain_threshold("k", True)
    'people in the smallest group of records that look alike (k)'
    """
    plain = PLAIN | ({"k": PEOPLE_ALIKE} if of_people else {})
    return plain.get(model, THRESHOLDS[model].compared)
