"""Where do the tables of the lessons come from? Loaders, each with source, licence and flaws.

Toy tables are written out below. Larger stand-ins are bundled in the folder data/ (inside the
package once it is installed). Real files are read from the directory that the environment
variable PRIVACY_TOOLKIT_DATA names, or downloaded into the user's cache when `download=True`
asks for it. Every file is checked before use, and nothing is written next to it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pooch  # type: ignore[import-untyped]

from ._validate import check_choice

__all__ = [
    "load_adult",
    "load_adult_facts",
    "load_adult_with_pii",
    "load_cig_toy",
    "load_csf_toy",
    "load_dependent_toy",
    "load_hackathon",
    "load_hackathon_published",
    "load_identifiability_published",
    "load_people",
]

DIRECTORY = "PRIVACY_TOOLKIT_DATA"
"""Environment variable that names the directory with real files."""

PII_DATE = pd.Timestamp("1994-03-15")
"""Day on which invented birthdays agree with ages; the survey was in March 1994."""

_CONTENT_SHA256 = """
adult_standin.csv.gz     a75c4aa6dd2b456f49e9d009e762ceadd69b47b99632ac462cb6062f341fda65
adult_pii.csv.gz         aba01d550d2232d35de955d69c69e635b2d6bf37f0f1db7034ac29b5414eac9a
hackathon_standin.csv.gz 763a7ca445ddcbaca2d66de1fccb8869a7b5524fc899667c6f44cd06ba758b8b
hackathon_published.csv  bf421defe1b250bea3f45e81c8c164d1b116cdb060429bd0912baa3e692a2e1f
adult_facts.csv          79061d87eeef37ef38e754dad44766321c1b642a671980763b034fd0b41fb23c
identifiability_published.csv 3d2b772ff36c1c8160dc904fd205b23bec033a0a2aafae925c5d1696857452c3
"""
BUNDLED = dict(line.split() for line in _CONTENT_SHA256.strip().splitlines())
"""SHA-256 of each bundled file's content, after decompression."""


class PublicFile(NamedTuple):
    """A public file that is not bundled: how to know it, where it may lie, where it is had."""

    expected: str
    places: tuple[str, ...]
    url: str
    member: str | None = None


_UCI = "https://archive.ics.uci.edu/static/public/2/adult.zip"
_GITHUB = "https://raw.githubusercontent.com"

PUBLIC = {
    "adult.data": PublicFile(
        "sha256 5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        ("uci_adult/adult.data", "adult.data"),
        _UCI,
        "adult.data",
    ),
    "adult.test": PublicFile(
        "sha256 a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        ("uci_adult/adult.test", "adult.test"),
        _UCI,
        "adult.test",
    ),
    "hackathon.csv": PublicFile(
        "git blob b55800fbfcdf81b8d2e8a22f5cf57fd7d21e962e",
        ("hackathon.csv", "docs/tutorials/data/hackathon.csv"),
        f"{_GITHUB}/PIFtools/piflib/HEAD/docs/tutorials/data/hackathon.csv",
    ),
    "adult_with_pii.csv": PublicFile(
        "git blob fac9a85ee24c5675a2bae69ea1dc506ace8ffe79",
        ("adult_with_pii.csv", "notebooks/adult_with_pii.csv"),
        f"{_GITHUB}/uvm-plaid/programming-dp/HEAD/notebooks/adult_with_pii.csv",
    ),
}
"""Files that are looked up or downloaded, known by their SHA-256 or their git blob id."""

_ADULT_COLUMNS = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race"
    " sex capital-gain capital-loss hours-per-week native-country income"
).split()


def load_cig_toy() -> pd.DataFrame:
    """Seven people of whom one is a woman: the toy of piflib's CIG tutorial.

    Returns
    -------
    DataFrame of shape (7, 3)
        `name` (direct identifier), `gender` and `eye_color` (quasi-identifiers), all text.

    Notes
    -----
    Source: piflib's tutorial on cell information gain (CSIRO's Data61, 2021; Apache-2.0).
    The people are invented. Names repeat, so `name` does not identify everyone.

    Examples
    --------
    >>> load_cig_toy().tail(2)
       gender     name eye_color
    5    male     Emil     green
    6  female  Charlie     green
    """
    return pd.DataFrame(
        {
            "gender": ["male"] * 6 + ["female"],
            "name": ["Anton", "Bill", "Charlie", "Don", "Emil", "Emil", "Charlie"],
            "eye_color": ["blue", "green", "green", "green", "blue", "green", "green"],
        }
    )


def load_csf_toy() -> pd.DataFrame:
    """Nine records of two features: the toy of piflib's CSF tutorial.

    Returns
    -------
    DataFrame of shape (9, 2)
        `A` and `B`, letters without a meaning (quasi-identifiers).

    Notes
    -----
    Source: piflib's tutorial on the cell surprise factor (CSIRO's Data61, 2021; Apache-2.0).

    Examples
    --------
    >>> load_csf_toy().value_counts(["A", "B"]).loc["c"]
    B
    h    3
    i    1
    Name: count, dtype: int64
    """
    return pd.DataFrame({"A": list("aaabbcccc"), "B": list("ghigghhhi")})


def load_people() -> pd.DataFrame:
    """Four people, whose gender job and eyes hint at: the example of piflib's documentation.

    Returns
    -------
    DataFrame of shape (4, 3)
        `gender`, `eyes` and `job`, all text (quasi-identifiers).

    Notes
    -----
    Source: piflib's documentation (CSIRO's Data61, 2021; Apache-2.0). The people are invented.
    There the prior of `gender` is that of a census, .51 male and .49 female.

    Examples
    --------
    >>> load_people()
       gender   eyes         job
    0    male   blue     dentist
    1  female   blue     dentist
    2    male  green  accountant
    3    male  green  accountant
    """
    return pd.DataFrame(
        {
            "gender": ["male", "female", "male", "male"],
            "eyes": ["blue", "blue", "green", "green"],
            "job": ["dentist", "dentist", "accountant", "accountant"],
        }
    )


def load_dependent_toy() -> pd.DataFrame:
    """Three records in which each feature gives the other away: piflib's caution about wCIG.

    Returns
    -------
    DataFrame of shape (3, 2)
        `A` and `B`, letters without a meaning (quasi-identifiers).

    Notes
    -----
    Source: piflib's documentation of weighted CIG (CSIRO's Data61, 2021; Apache-2.0). All wCIG
    are 0 here, although every cell gains log2(3) bits.

    Examples
    --------
    >>> load_dependent_toy().nunique().to_dict()
    {'A': 3, 'B': 3}
    """
    return pd.DataFrame({"A": list("acf"), "B": list("bre")})


def load_hackathon(source: str = "standin", *, download: bool = False) -> pd.DataFrame:
    """38,462 invented people with age, postcode, job: the large table of piflib's tutorials.

    Parameters
    ----------
    source : {"standin", "piflib"}
        The bundled stand-in, or piflib's own `hackathon.csv` from the directory that
        PRIVACY_TOOLKIT_DATA names, known by its git blob id.
    download : bool
        Fetch piflib's file into the user's cache where the directory does not have it.

    Returns
    -------
    DataFrame of shape (38462, 6)
        `gender`, `AGE`, `POSTCODE`, `blood_group`, `eye_color` (quasi-identifiers) and `job`
        (quasi-identifier; missing for 6,315 people). `AGE` and `POSTCODE` are whole numbers,
        so postcode 0200 reads 200; the rest is text.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: data/make_hackathon.py, from the statistics that piflib's tutorials print; the
    original is Apache-2.0 (CSIRO's Data61, 2021). Known flaws of the stand-in: its seeds were
    chosen so that CIG and CSF agree with the published statistics, so that agreement is no
    evidence; job titles are numbers; ages are spread evenly up to 115, as in the original.

    Examples
    --------
    >>> load_hackathon()["gender"].value_counts().to_dict()
    {'M': 19905, 'F': 18557}
    """
    check_choice(source, "source", ("standin", "piflib"))
    if source == "piflib":
        return _table(_public("hackathon.csv", download))
    return _table(_bundled("hackathon_standin.csv.gz"))


def load_hackathon_published() -> pd.DataFrame:
    """Summary statistics of CIG and CSF that piflib's tutorials print for their large table.

    Returns
    -------
    DataFrame of shape (140, 5)
        `measure` (CIG or CSF), `columns` (6 for the whole table, 4 without job and POSTCODE),
        `feature`, `statistic` (of `DataFrame.describe`) and `value`: bits for CIG, a
        difference of probabilities for CSF.

    Notes
    -----
    Source: piflib's two tutorials (CSIRO's Data61, 2021; Apache-2.0), rounded there to six
    decimals. Missing jobs were 'Unemployed' when these were computed.

    Examples
    --------
    >>> load_hackathon_published().head(2)
      measure  columns feature statistic     value
    0     CIG        6  gender      mean  0.996891
    1     CIG        6  gender       std  0.068946
    """
    return _table(_bundled("hackathon_published.csv"))


def load_adult(
    source: str = "standin", *, subset: str = "train", download: bool = False
) -> pd.DataFrame:
    """Census records with income, the table most privacy papers measure: UCI Adult.

    Parameters
    ----------
    source : {"standin", "uci"}
        The bundled stand-in, or UCI's own files from the directory that PRIVACY_TOOLKIT_DATA
        names, known by their SHA-256.
    subset : {"train", "test", "both"}
        UCI's 32,561 records for training, its 16,281 for testing, or all 48,842 in this
        order. The stand-in has the first part only.
    download : bool
        Fetch UCI's files into the user's cache where the directory does not have them.

    Returns
    -------
    DataFrame of shape (32561, 15), (16281, 15) or (48842, 15)
        UCI's columns. Quasi-identifiers: `age` (years, 90 means 90 or more), `workclass`,
        `education`, `education-num` (the same as a number), `marital-status`, `occupation`,
        `relationship`, `race`, `sex`, `hours-per-week`, `native-country`. Sensitive:
        `capital-gain`, `capital-loss` (dollars), `income` (`<=50K` or `>50K`). Other:
        `fnlwgt`, the number of people a record stands for. Numbers are whole, the rest is
        text; UCI's `?` is a missing value.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: B. Becker and R. Kohavi, *Adult*, UCI Machine Learning Repository, 1996,
    https://doi.org/10.24432/C5XW20, licence CC BY 4.0. The stand-in is sampled from noisy
    tables of counts of it by data/make_adult.py; it holds no record of UCI's.

    Known flaws: the sample is not the population (`fnlwgt` says how far), dollars are of the
    early 1990s, capital gains end at 99,999. The stand-in is right about few columns at a
    time: learn methods with it, but say nothing from it about people, fairness or the accuracy
    of a model. data/DATASHEETS.md shows how far it is from the real file.

    Examples
    --------
    >>> adult = load_adult()
    >>> adult.shape
    (32561, 15)
    >>> adult.columns[:4].to_list()
    ['age', 'workclass', 'fnlwgt', 'education']
    """
    check_choice(source, "source", ("standin", "uci"))
    check_choice(subset, "subset", ("train", "test", "both"))
    if source == "uci":
        return _uci_adult(subset, download)
    if subset != "train":
        raise ValueError(
            f"the stand-in of Adult has subset='train' only; got {subset!r}."
            " Use source='uci' for the real test part."
        )
    return _table(_bundled("adult_standin.csv.gz"))


def load_adult_facts() -> pd.DataFrame:
    """Domains, sizes and moments of five numeric columns of Adult's 48,842 records.

    Returns
    -------
    DataFrame of shape (5, 11)
        `column` and its `unit`; `lower`, `upper`, the domain's bounds, and `worlds`, the whole
        numbers between them; `records`; `total` and `squares`, the sum of the values and of
        their squares; `mode`; `mean` and `std` (of a sample). The columns are
        quasi-identifiers (`age`, `education-num`, `hours-per-week`) and sensitive
        (`capital-gain`, `capital-loss`).

    Notes
    -----
    Source: counted in UCI's two files together, B. Becker and R. Kohavi, *Adult*, 1996,
    https://doi.org/10.24432/C5XW20, CC BY 4.0. Totals are whole numbers, so mean and standard
    deviation are exact to the last digit. Known flaws: see `load_adult`; the bounds are the
    extremes of the very records, as in the literature, though a domain should be public.

    Examples
    --------
    >>> load_adult_facts()[["column", "worlds", "mean", "std"]].round(4).head(2)
              column  worlds     mean      std
    0            age      74  38.6436  13.7105
    1  education-num      16  10.0781   2.5710
    """
    facts = _table(_bundled("adult_facts.csv"))
    facts.insert(4, "worlds", facts["upper"] - facts["lower"] + 1)
    mean = facts["total"] / facts["records"]
    # A whole number below 2**63, so that nothing cancels.
    spread = facts["records"] * facts["squares"] - facts["total"] ** 2
    variance = spread / facts["records"] / (facts["records"] - 1)
    return facts.assign(mean=mean, std=variance**0.5)


def load_identifiability_published() -> pd.DataFrame:
    """What Table 4 of *Differential identifiability* prints about the columns of Adult.

    Returns
    -------
    DataFrame of shape (28, 5)
        `query` (mean or std), `quantity` (sensitive range, answer, noise scale at ρ = 0.1 and
        0.001), `column`, `value` and the number of decimal `places` printed.

    Notes
    -----
    Source: J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, Table 4. An
    infinite scale means that no noise reaches the policy.

    Examples
    --------
    >>> load_identifiability_published().head(2)
      query quantity         column   value  places
    0  mean    range            age  0.0015       4
    1  mean    range  education-num  0.0003       4
    """
    return _table(_bundled("identifiability_published.csv"))


def load_adult_with_pii(source: str = "standin", *, download: bool = False) -> pd.DataFrame:
    """The records of Adult with an invented name, birthday, number and home: for linkage.

    Parameters
    ----------
    source : {"standin", "programming-dp"}
        The bundled stand-in with invented identifiers, or `adult_with_pii.csv` of the book
        *Programming Differential Privacy* from the directory that PRIVACY_TOOLKIT_DATA names,
        known by its git blob id.
    download : bool
        Fetch the book's file into the user's cache where the directory does not have it.

    Returns
    -------
    DataFrame of shape (32561, 19)
        Direct identifiers `Name` and `SSN`; quasi-identifiers `DOB` (a day) and `Zip` (text of
        five digits); then the columns of `load_adult`, by UCI's names for both sources. The
        book's file has 32,563 records and 18 columns.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: data/make_adult_pii.py, seeded, Apache-2.0; the book is by J. P. Near and
    C. Abuah, 2021, CC BY-NC-SA 4.0, its code MIT. Age is that on 15 March 1994, the month of
    the survey. First names fit the sex, family names are made of syllables, a few people share
    both. Each SSN starts with 9 and has a middle part up to 49, a range nobody issues. Some
    ZIP codes have many people and most have few.

    Known flaws: name, day and ZIP code depend on nothing but sex and age, so race, income and
    place of birth do not show in them as they would in real ones. In the book's file, ages
    follow the birthdays, so they are not UCI's.

    Examples
    --------
    >>> people = load_adult_with_pii()
    >>> people.columns[:5].to_list()
    ['Name', 'DOB', 'SSN', 'Zip', 'age']
    """
    check_choice(source, "source", ("standin", "programming-dp"))
    if source == "programming-dp":
        people, dates = _table(_public("adult_with_pii.csv", download)), "%m/%d/%Y"
        people = people.rename(columns=_uci_name)
    else:
        people, dates = _table(_bundled("adult_pii.csv.gz")).join(load_adult()), "%Y-%m-%d"
    days = pd.to_datetime(people["DOB"], format=dates)
    return people.assign(DOB=days.astype("datetime64[s]"))


def _uci_name(column: str) -> str:
    """UCI's name of a column of the book's file; the four invented columns keep theirs."""
    if column in ("Name", "DOB", "SSN", "Zip"):
        return column
    name = column.lower().replace(" ", "-").replace("martial", "marital")
    return {"country": "native-country", "target": "income"}.get(name, name)


def _uci_adult(subset: str, download: bool) -> pd.DataFrame:
    """UCI's files as one table; the file for testing has a first line and full stops more."""
    names = {"train": ["adult.data"], "test": ["adult.test"]}
    parts = []
    for name in names.get(subset, ["adult.data", "adult.test"]):
        first_line = name == "adult.test"
        parts.append(_table(_public(name, download), _ADULT_COLUMNS, skip=int(first_line)))
    data = pd.concat(parts, ignore_index=True)
    return data.assign(income=data["income"].str.rstrip("."))


def _table(content: bytes, names: list[str] | None = None, skip: int = 0) -> pd.DataFrame:
    """Parse a verified file; only `?` and an empty cell are missing, so 'None' stays text."""
    return pd.read_csv(
        io.BytesIO(content),
        names=names,
        skiprows=skip,
        skipinitialspace=True,
        na_values=["?", ""],
        keep_default_na=False,
        dtype={"Zip": str, "SSN": str},
    )


def _data_folder() -> Path:
    """Folder of the bundled files: in the installed package, else beside it in a clone."""
    package = Path(__file__).resolve().parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


def _bundled(name: str) -> bytes:
    """Verified content of a bundled file."""
    path, expected = _data_folder() / name, f"sha256 {BUNDLED[name]}"
    way_out = "Restore the file with git, or install privacy-toolkit again."
    content = _read(path, expected, way_out)
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            found = f"a gzip file that cannot be unpacked ({error})"
            raise _refusal(path, expected, found, way_out) from None
    return _verified(content, path, expected, way_out)


def _public(name: str, download: bool) -> bytes:
    """Verified content of a public file: from the user's directory, else from the cache."""
    file, given = PUBLIC[name], os.environ.get(DIRECTORY)
    fetch = f"call with download=True to fetch {file.url} into your cache."
    content = _in_directory(given, file, fetch) if given else None
    if content is not None:
        return content
    if download:
        return _downloaded(name)
    what, found, way_out = f"{DIRECTORY}={given}", "no such file", f"Put it there, or {fetch}"
    if not given:
        what, found = name, f"no directory to look in ({DIRECTORY} is not set)"
        way_out = f"Set {DIRECTORY} to the directory that holds the file, or {fetch}"
    expected = f"{' or '.join(file.places)} with {file.expected}"
    raise _refusal(what, expected, found, way_out, FileNotFoundError)


def _in_directory(given: str, file: PublicFile, fetch: str) -> bytes | None:
    """Verified content of a file in the user's directory, or None if it is not there."""
    folder = Path(os.path.expanduser(given))
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing there"
        way_out = f"Correct {DIRECTORY}, or unset it and {fetch}"
        raise _refusal(f"{DIRECTORY}={given}", "a directory", found, way_out)
    for path in (folder / place for place in file.places):
        if path.exists():
            way_out = f"Put the original file there, or unset {DIRECTORY} and {fetch}"
            content = _read(path, file.expected, way_out)
            return _verified(content, path, file.expected, way_out)
    return None


def _downloaded(name: str) -> bytes:
    """Verified content of a public file from the user's cache, fetched if it is not there."""
    file, cache = PUBLIC[name], Path(pooch.os_cache("privacy-toolkit"))
    path = cache / name
    if not path.exists():
        way_out = f"Try again later, or set {DIRECTORY} to a directory that holds the file."
        content = _fetched(file, way_out)
        _verified(content, f"{name} from {file.url}", file.expected, way_out)
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cache, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)
    way_out = f"Delete {path} and call again."
    return _verified(_read(path, file.expected, way_out), path, file.expected, way_out)


def _fetched(file: PublicFile, way_out: str) -> bytes:
    """Download a public file; its archive is kept only as long as it takes to unpack it."""
    pooch.get_logger().setLevel("WARNING")  # it would ask for the hash that is checked here
    with tempfile.TemporaryDirectory() as scratch:
        try:
            got = pooch.retrieve(file.url, None, fname="file", path=scratch, progressbar=True)
            if file.member is None:
                return Path(got).read_bytes()
            with zipfile.ZipFile(got) as archive:
                return archive.read(file.member)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise _refusal(file.url, file.expected, f"{error}", way_out) from None


def _read(path: Path, expected: str, way_out: str) -> bytes:
    """Content of a file, or the one error about it."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise _refusal(path, expected, "no such file", way_out, FileNotFoundError) from None
    except OSError as error:
        raise _refusal(path, expected, f"{error.strerror}", way_out) from None


def _verified(content: bytes, what: object, expected: str, way_out: str) -> bytes:
    """Return `content` if it is what was expected, to the last byte."""
    if expected.startswith("sha256"):
        found = f"sha256 {hashlib.sha256(content).hexdigest()}"
    else:
        header = f"blob {len(content)}\0".encode()
        digest = hashlib.sha1(header + content, usedforsecurity=False).hexdigest()
        found = f"git blob {digest}"
    if found != expected:
        raise _refusal(what, expected, f"{found} ({len(content):,} bytes)", way_out)
    return content


def _refusal(
    what: object, expected: str, found: str, way_out: str, kind: type[OSError] = OSError
) -> OSError:
    """The one error about a file: which, what was expected, what was found, the way out."""
    return kind(f"{what}: expected {expected}; found {found}. {way_out}")
