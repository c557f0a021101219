"""Loaders of the tables of the course, each with its source, licence and flaws.

Toy tables are written out below. Larger stand-ins are bundled in the folder data/ (inside an
installed package). Real files are read from the directory in the environment variable
PRIVACY_TOOLKIT_DATA, or downloaded into the user's cache if `download=True`. A real file is
checked before use, and nothing is written next to it.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ._arguments import check_choice

# Environment variable that names the directory with real files.
DIRECTORY = "PRIVACY_TOOLKIT_DATA"


# Day on which invented birthdays agree with ages; the survey was in March 1994.
PII_DATE = pd.Timestamp("1994-03-15")


def data_folder() -> Path:
    """Folder of the bundled files: in the installed package, or beside it in a clone."""
    package = Path(__file__).resolve().parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


def _tables(name: str) -> dict[str, Any]:
    """Tables of a bundled TOML file."""
    return tomllib.loads((data_folder() / name).read_text("utf-8"))


# Files that are not bundled: their checksum, possible places, URL and member of an archive.
PUBLIC = _tables("public_files.toml")

_ADULT_COLUMNS = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race"
    " sex capital-gain capital-loss hours-per-week native-country income"
).split()


def load_cig_toy() -> pd.DataFrame:
    """Seven people, one of them a woman: the toy of piflib's CIG tutorial.

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
        `A` and `B`, meaningless letters (quasi-identifiers).

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
    """Four people whose job and eyes hint at their gender: piflib's example.

    Returns
    -------
    DataFrame of shape (4, 3)
        `gender`, `eyes` and `job`, all text (quasi-identifiers).

    Notes
    -----
    Source: piflib's documentation (CSIRO's Data61, 2021; Apache-2.0). The people are invented.
    There the prior of `gender` comes from a census: 0.51 male and 0.49 female.

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
            "gender": "male female male male".split(),
            "eyes": "blue blue green green".split(),
            "job": "dentist dentist accountant accountant".split(),
        }
    )


def load_dependent_toy() -> pd.DataFrame:
    """Three records in which each feature determines the other: piflib's caution about wCIG.

    Returns
    -------
    DataFrame of shape (3, 2)
        `A` and `B`, meaningless letters (quasi-identifiers).

    Notes
    -----
    Source: piflib's documentation of weighted CIG (CSIRO's Data61, 2021; Apache-2.0). All wCIG
    values are 0 here, although every cell gains log2(3) bits.

    Examples
    --------
    >>> load_dependent_toy().nunique().to_dict()
    {'A': 3, 'B': 3}
    """
    return pd.DataFrame({"A": list("acf"), "B": list("bre")})


def load_hackathon(source: str = "standin", *, download: bool = False) -> pd.DataFrame:
    """38,462 invented people with age, postcode and job: piflib's large table.

    Parameters
    ----------
    source : {"standin", "piflib"}
        The bundled stand-in, or piflib's own `hackathon.csv` from the directory that
        PRIVACY_TOOLKIT_DATA names, verified by its git blob id.
    download : bool
        Fetch piflib's file into the user's cache if the directory does not have it.

    Returns
    -------
    DataFrame of shape (38462, 6)
        `gender`, `AGE`, `POSTCODE`, `blood_group`, `eye_color` (quasi-identifiers) and `job`
        (quasi-identifier; missing for 6,315 people). `AGE` and `POSTCODE` are whole numbers,
        so postcode 0200 is 200; the other columns are text.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: data/make_hackathon.py, from the statistics that piflib's tutorials print; the
    original is Apache-2.0 (CSIRO's Data61, 2021). Known flaws of the stand-in: its seeds were
    chosen to make CIG and CSF agree with the published statistics, so this agreement is no
    evidence; job titles are numbers; ages are spread evenly up to 115, as in the original.

    Examples
    --------
    >>> load_hackathon()["gender"].value_counts().to_dict()
    {'M': 19905, 'F': 18557}
    """
    check_choice(source, "source", ("standin", "piflib"))
    if source == "piflib":
        return _table(_public("hackathon.csv", download))
    return _table("hackathon_standin.csv.gz")


def load_hackathon_published() -> pd.DataFrame:
    """Summary statistics of CIG and CSF that piflib published for its large table.

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
    return _table("hackathon_published.csv")


def load_adult(
    source: str = "standin", *, subset: str = "train", download: bool = False
) -> pd.DataFrame:
    """Census records with income: UCI Adult, the table that most privacy papers measure.

    Parameters
    ----------
    source : {"standin", "uci"}
        The bundled stand-in, or UCI's own files from the directory that PRIVACY_TOOLKIT_DATA
        names, verified by their SHA-256.
    subset : {"train", "test", "both"}
        UCI's 32,561 records for training, its 16,281 for testing, or all 48,842 in this
        order. The stand-in has only the first part.
    download : bool
        Fetch UCI's files into the user's cache if the directory does not have them.

    Returns
    -------
    DataFrame of shape (32561, 15), (16281, 15) or (48842, 15)
        UCI's columns. Quasi-identifiers: `age` (years, 90 means 90 or more), `workclass`,
        `education`, `education-num` (the same as a number), `marital-status`, `occupation`,
        `relationship`, `race`, `sex`, `hours-per-week`, `native-country`. Sensitive:
        `capital-gain`, `capital-loss` (dollars), `income` (`<=50K` or `>50K`). Other:
        `fnlwgt`, the survey's weight: the people a record stands for, in hundredths. Numbers
        are whole, the other columns are text; UCI's `?` is a missing value.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: B. Becker and R. Kohavi, *Adult*, UCI Machine Learning Repository, 1996,
    https://doi.org/10.24432/C5XW20, licence CC BY 4.0. data/make_adult.py samples the stand-in
    from noisy tables of its counts; no record of the stand-in is a copy of one of UCI's.

    Known flaws: the sample is not the population (`fnlwgt` corrects for this), dollars are of
    the early 1990s, capital gains end at 99,999. The stand-in is right about only few columns
    at a time: learn methods with it, but draw no conclusions about people, fairness or the
    accuracy of a model. data/DATASHEETS.md shows how far it is from the real file.

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
            f"the stand-in has subset='train' only; {subset!r} needs source='uci'."
        )
    return _table("adult_standin.csv.gz")


def load_adult_facts() -> pd.DataFrame:
    """Domains, sizes and moments of five numeric columns in the 48,842 records of Adult.

    Returns
    -------
    DataFrame of shape (5, 11)
        `column` and its `unit`; `lower` and `upper`, the bounds of the domain; `worlds`, the
        number of whole numbers in it; `records`; `total` and `squares`, the sums of the values
        and of their squares; `mode`; `mean` and `std` (of a sample). The columns are
        quasi-identifiers (`age`, `education-num`, `hours-per-week`) and sensitive
        (`capital-gain`, `capital-loss`).

    Notes
    -----
    Source: counted in UCI's two files together, B. Becker and R. Kohavi, *Adult*, 1996,
    https://doi.org/10.24432/C5XW20, CC BY 4.0. Totals are whole numbers, so mean and standard
    deviation are exact to the last digit. Known flaws: see `load_adult`; the bounds are the
    extremes of these records, as in the literature, although a domain should be public.

    Examples
    --------
    >>> load_adult_facts()[["column", "worlds", "mean", "std"]].round(4).head(2)
              column  worlds     mean      std
    0            age      74  38.6436  13.7105
    1  education-num      16  10.0781   2.5710
    """
    facts = _table("adult_facts.csv")
    facts.insert(4, "worlds", facts["upper"] - facts["lower"] + 1)
    mean = facts["total"] / facts["records"]
    # A whole number below 2**63, so that nothing cancels.
    spread = facts["records"] * facts["squares"] - facts["total"] ** 2
    variance = spread / facts["records"] / (facts["records"] - 1)
    return facts.assign(mean=mean, std=variance**0.5)


def load_adult_hierarchies() -> dict[str, pd.DataFrame]:
    """Coarser labels for the columns of Adult that identify people, level by level.

    Returns
    -------
    dict
        A hierarchy for each column, with a row per value of the codebook: column 0 is the
        value as text; 1, 2, … are its labels, the last one `*`. `age` has a row per year up to
        120. The columns are the quasi-identifiers `age`, `workclass`, `education`,
        `marital-status`, `occupation`, `relationship`, `race`, `sex` and `native-country`, and
        the sensitive `income`.

    Notes
    -----
    Source: data/make_adult_hierarchies.py, Apache-2.0; groups and words are this project's
    own. A missing value has two rows, as `?` and as missing, so that either way of reading a
    table works. Known flaws: any grouping is a choice, and another grouping gives another
    optimum; `South` is taken as South Korea, which the codebook does not say.

    Examples
    --------
    >>> trees = load_adult_hierarchies()
    >>> trees["education"].head(2)
          0               1                  2  3
    0  10th  grades 9 to 12  no school diploma  *
    1  11th  grades 9 to 12  no school diploma  *
    """
    options: Any = {"dtype": str, "na_values": [""], "keep_default_na": False}
    return {
        column: pd.read_csv(path, header=None, **options)
        for column in _ADULT_COLUMNS
        if (path := data_folder() / "adult_hierarchies" / f"{column}.csv").exists()
    }


def load_identifiability_published() -> pd.DataFrame:
    """Numbers in Table 4 of *Differential identifiability* about the columns of Adult.

    Returns
    -------
    DataFrame of shape (40, 5)
        `query` (mean or std), `quantity` (sensitive range, answer, noise scale at ρ = 0.1 and
        0.001), `column`, `value` and `places`, the number of printed decimals.

    Notes
    -----
    Source: J. Lee and C. Clifton, *Differential identifiability*, KDD 2012, Table 4. An
    infinite scale means that no amount of noise satisfies the policy.

    Examples
    --------
    >>> load_identifiability_published().head(2)
      query quantity         column   value  places
    0  mean    range            age  0.0015       4
    1  mean    range  education-num  0.0003       4
    """
    return _table("identifiability_published.csv")


def load_adult_with_pii(source: str = "standin", *, download: bool = False) -> pd.DataFrame:
    """Records of Adult with invented names, birthdays, numbers and ZIP codes, for linkage.

    Parameters
    ----------
    source : {"standin", "programming-dp"}
        The bundled stand-in with invented identifiers, or `adult_with_pii.csv` of the book
        *Programming Differential Privacy* from the directory that PRIVACY_TOOLKIT_DATA names,
        verified by its git blob id.
    download : bool
        Fetch the book's file into the user's cache if the directory does not have it.

    Returns
    -------
    DataFrame of shape (32561, 19)
        Direct identifiers `Name` and `SSN`; quasi-identifiers `DOB` (a day) and `Zip` (text of
        five digits); then the columns of `load_adult`, with UCI's names for both sources. The
        book's file has 32,563 records and 18 columns.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: data/make_adult_pii.py, seeded, Apache-2.0; the book is by J. P. Near and
    C. Abuah, 2021, CC BY-NC-SA 4.0, its code MIT. Ages are as of 15 March 1994, the month of
    the survey. First names fit the sex, family names are made of syllables, and a few people
    share both. Each SSN starts with 9 and has a middle part up to 49, a range that is never
    issued. Some ZIP codes have many people and most have few.

    Known flaws: names, days and ZIP codes depend on sex and age only, so they do not reflect
    race, income and place of birth as real ones would. In the book's file, ages follow the
    birthdays, so they differ from UCI's.

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
        people, dates = _table("adult_pii.csv.gz").join(load_adult()), "%Y-%m-%d"
    days = pd.to_datetime(people["DOB"], format=dates)
    return people.assign(DOB=days.astype("datetime64[s]"))


def load_incidents() -> pd.DataFrame:
    """Two years of calls to an invented fire brigade: the bundled table for histograms.

    Returns
    -------
    DataFrame of shape (1500, 9)
        Integers. `address_i`, the individual (direct identifier): 667 addresses; twelve of
        them called 14 to 39 times. `district_c`, `kind_c`, `month_c`, `hour_c`
        (quasi-identifiers), `injured_c` (sensitive), `arrival_n` and `clear_n` (seconds;
        quasi-identifiers), `report_x` (other).

    Notes
    -----
    Source: data/make_incidents.py, seeded, Apache-2.0. Nothing is taken from real calls.
    The codes of kinds are in `load_histogram_settings`; one never occurs and one occurs once.
    Known flaws: hours, months and districts are independent of everything else, so only kind
    is related to injuries and times.

    Examples
    --------
    >>> load_incidents()["address_i"].value_counts().head(3).tolist()
    [39, 39, 37]
    """
    return _table("incidents.csv")


def load_notes() -> pd.DataFrame:
    """400 invented notes about 300 people, from a hospital ward and from a social service.

    Returns
    -------
    DataFrame of shape (400, 5)
        `note` (its number, as in the index; other), `person` (direct identifier, the number
        in `load_note_people`), `style` ("ward" or "social"; other), `day` of writing
        (quasi-identifier), `text` (free text, which names people).

    Notes
    -----
    Source: data/make_notes.py, seeded, Apache-2.0. Nobody in them exists, and no telephone
    number reaches anybody. Known flaws: sentences are drawn from about sixty templates, so
    notes are more alike than real ones and have no spelling mistakes. The share of entities
    found in them says little about the share found in your notes.

    Examples
    --------
    >>> notes = load_notes()
    >>> notes["style"].value_counts().to_dict()
    {'ward': 200, 'social': 200}
    >>> notes["text"][6][:40]
    'Man, 66 years old, seen November 10, 202'
    """
    notes = _table("notes.csv")
    return notes.assign(day=pd.to_datetime(notes["day"]).astype("datetime64[s]"))


def load_notes_truth() -> pd.DataFrame:
    """Entities planted in the notes of `load_notes`, with their positions.

    Returns
    -------
    DataFrame of shape (5168, 7)
        `record`, the label of the note; `kind`, `value`, `start` and `end`, as in
        `toolkit.find_entities`; `form`, what gives the entity away ("check digits", "format"
        or "words", which only a reader understands); `meaning`: "person", "relative",
        "staff", "record", "payment" or "service", or for a date "birthday", "visit",
        "history" or "plan". The table includes kinds that no pattern finds: "sex", "place",
        "occupation" and "illness". By its kind, `value` is a direct identifier, a
        quasi-identifier or sensitive.

    Notes
    -----
    Source: data/make_notes.py, seeded, Apache-2.0. Known flaws: the table lacks the stories of
    twelve people (see `load_note_people`) and the pronouns, which reveal the sex.

    Examples
    --------
    >>> load_notes_truth()[["record", "kind", "value", "start", "end"]].head(1)
       record  kind     value  start  end
    0       0  date  03/11/24     11   19
    """
    return _table("notes_truth.csv")


def load_note_people() -> pd.DataFrame:
    """The 300 invented people of the notes of `load_notes`, as a table.

    Returns
    -------
    DataFrame of shape (300, 11)
        `person` (number), `name`, `health_number` (direct identifiers); `sex`, `age` (years in
        November 2024), `born`, `place`, `postcode`, `occupation` (quasi-identifiers);
        `illness` (sensitive); `story` (free text), something that nobody else has done, for
        twelve people and missing for the others.

    Notes
    -----
    Source: data/make_notes.py, seeded, Apache-2.0. Nobody in it exists. Known flaws: all
    columns are independent, so young people have dementia, too; postcodes have letters that
    no real postcode has.

    Examples
    --------
    >>> load_note_people().loc[[6], ["sex", "age", "illness"]]
        sex  age       illness
    6  male   66  hypertension
    """
    people = _table("notes_people.csv")
    return people.assign(born=pd.to_datetime(people["born"]).astype("datetime64[s]"))


def load_taxi(*, download: bool = False) -> pd.DataFrame:
    """Rides of three taxis in Chicago: the small table of PrivacyHistos.

    Parameters
    ----------
    download : bool
        Fetch the file into the user's cache if the directory that PRIVACY_TOOLKIT_DATA names
        does not have it.

    Returns
    -------
    DataFrame of shape (216, 10)
        Integers. `taxi_id_i`, the individual (direct identifier); `shift_c` (0 to 20),
        `company_c` (0 to 99), `pca_c` and `dca_c` (areas of pick-up and drop-off, 0 to 77),
        `payment_c` (0 to 9); `fare_n`, `tips_n` (dollars), `seconds_n`, `miles_n`. All but
        the first are quasi-identifiers; fare and tips are sensitive as well.

    Raises
    ------
    OSError
        If the file is missing or altered; the message says what was expected and found.

    Notes
    -----
    Source: `ground_truth_test.csv` of J. King, *PrivacyHistos*, 2021, MIT; a sample of the
    third sprint of NIST's Differential Privacy Temporal Map Challenge. Known flaws: there is
    only one company, and all rides are 0 miles long.

    Examples
    --------
    >>> load_taxi()["taxi_id_i"].nunique()  # doctest: +SKIP
    3
    """
    return _table(_public("ground_truth_test.csv", download))


def load_detroit(*, download: bool = False) -> pd.DataFrame:
    """Incidents of Detroit's fire department in 2015: the large table of PrivacyHistos.

    Parameters
    ----------
    download : bool
        As for `load_taxi`.

    Returns
    -------
    DataFrame of shape (19996, 17)
        Integers. `incident_i`, the individual (direct identifier), a number per row;
        `engine_area_c`, `exposure_c`, `incident_type_c`, `property_use_c`, `detector_c`,
        `structure_stat_c`, `call_month_c`, `call_day_c`, `call_hour_c` (quasi-identifiers);
        `cinjury_c`, `cfatal_c`, `finjury_c`, `ffatal_c` (sensitive: injured and dead,
        civilians and firefighters); `dispatch_n`, `arrival_n`, `clear_n` (seconds from the
        call; quasi-identifiers).

    Raises
    ------
    OSError
        As `load_taxi`.

    Notes
    -----
    Source: `ground_truth_detroit.csv` of J. King, *PrivacyHistos*, 2021, MIT, from the City of
    Detroit's open data. Known flaws: each incident counts as an individual, so people and
    houses with several incidents are not protected; times stop at 10,000 or 20,000.

    Examples
    --------
    >>> load_detroit()["incident_i"].is_unique  # doctest: +SKIP
    True
    """
    return _table(_public("ground_truth_detroit.csv", download))


class HistogramSettings(NamedTuple):
    """Public facts about a table's histograms, as `toolkit.dp.histograms` takes them.

    Attributes
    ----------
    combo_dict : dict[str, list[str]]
        Columns of each combination.
    num_dict : dict[str, list[int]]
        Top, increment and maximum of each numeric column.
    domain : dict[str, range | list[int]]
        Possible codes of each categorical column, where its source states them.
    """

    combo_dict: dict[str, list[str]]
    num_dict: dict[str, list[int]]
    domain: dict[str, range | list[int]]


def load_histogram_settings(table: str = "incidents") -> HistogramSettings:
    """Combinations, bins and codes of `load_incidents`, `load_taxi` or `load_detroit`.

    Parameters
    ----------
    table : {"incidents", "taxi", "detroit"}
        Name of the table.

    Returns
    -------
    HistogramSettings
        `combo_dict`, `num_dict` and `domain`, without the direct identifier.

    Raises
    ------
    ValueError
        If there is no such table.

    Notes
    -----
    Source: data/make_incidents.py; for the others the settings and documentation of J. King,
    *PrivacyHistos*, 2021, MIT. It states no codes for Detroit, so its domain there covers only
    the calendar and the 24 hours. Fetch a codebook, or use `toolkit.infer_domain` and heed its
    warning.

    Examples
    --------
    >>> load_histogram_settings("detroit").combo_dict["call"]
    ['call_month_c', 'call_day_c', 'call_hour_c']
    """
    tables = _tables("histogram_settings.toml")
    check_choice(table, "table", tuple(tables))
    domain = {
        name: codes if isinstance(codes, list) else range(codes["from"], codes["below"])
        for name, codes in tables[table]["domain"].items()
    }
    return HistogramSettings(tables[table]["combo_dict"], tables[table]["num_dict"], domain)


def _uci_name(column: str) -> str:
    """UCI's name for a column of the book's file, whose columns are in another order."""
    if column in ("Name", "DOB", "SSN", "Zip"):
        return column
    name = column.lower().replace(" ", "-").replace("martial", "marital")
    return {"country": "native-country", "target": "income"}.get(name, name)


def _uci_adult(subset: str, download: bool) -> pd.DataFrame:
    """UCI's files as one table; the test file has an extra first line and full stops."""
    files = {"train": "adult.data", "test": "adult.test"}
    names = files.values() if subset == "both" else [files[subset]]
    options: Any = {"names": _ADULT_COLUMNS, "comment": "|"}
    parts = [_table(_public(name, download), **options) for name in names]
    data = pd.concat(parts, ignore_index=True)
    return data.assign(income=data["income"].str.rstrip("."))


def _table(source: str | bytes, **options: Any) -> pd.DataFrame:
    """Parse a bundled file, or the content of a verified one.

    Only `?` and an empty cell are missing, so 'None' stays text, as do digits of numbers that
    name something.
    """
    table: pd.DataFrame = pd.read_csv(
        io.BytesIO(source) if isinstance(source, bytes) else data_folder() / source,
        skipinitialspace=True,
        na_values=["?", ""],
        keep_default_na=False,
        dtype=dict.fromkeys(["Zip", "SSN", "health_number"], str),
        **options,
    )
    return table


def _public(name: str, download: bool) -> bytes:
    """Verified content of a public file, from the user's directory or from the cache."""
    file, given = PUBLIC[name], os.environ.get(DIRECTORY)
    fetch = f"call with download=True to fetch {file['url']} into your cache."
    for place in file["places"] if given else []:
        path = Path(str(given)).expanduser() / place
        if path.exists():
            way_out = f"Put the original file there, or unset {DIRECTORY} and {fetch}"
            return _verified(path.read_bytes(), path, file["expected"], way_out)
    if download:
        return _downloaded(name)
    raise FileNotFoundError(
        f"{name}: expected {' or '.join(file['places'])} with {file['expected']}; found"
        f" neither in {DIRECTORY}={given or 'nothing'}. Set {DIRECTORY} to the directory that"
        f" holds it, or {fetch}"
    )


def _downloaded(name: str) -> bytes:
    """Verified content of a public file in the user's cache, fetched if necessary."""
    import pooch  # here, since only a download needs it

    pooch.get_logger().setLevel("WARNING")  # the file is verified below
    file, path = PUBLIC[name], Path(pooch.os_cache("privacy-toolkit"), name)
    if path.exists():
        way_out = f"Delete {path} and call again."
        return _verified(path.read_bytes(), path, file["expected"], way_out)
    url, way_out = file["url"], f"Try again, or set {DIRECTORY} to a directory that holds it."
    with tempfile.TemporaryDirectory() as folder:
        try:
            fetched = pooch.retrieve(url, None, "file", folder, progressbar=True)
            content = Path(fetched).read_bytes()
            if "member" in file:
                content = zipfile.ZipFile(fetched).read(file["member"])
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            why = f"expected {file['expected']}; found {error}. {way_out}"
            raise OSError(f"{url}: {why}") from None
    _verified(content, f"{name} from {url}", file["expected"], way_out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return content


def _verified(content: bytes, where: object, expected: str, way_out: str) -> bytes:
    """Content of a file; refuse content that differs from the expected checksum."""
    found = f"sha256 {hashlib.sha256(content).hexdigest()}"
    if expected.startswith("git blob"):
        blob = f"blob {len(content)}\0".encode() + content
        found = f"git blob {hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"
    if found != expected:
        raise OSError(
            f"{where}: expected {expected}; found {found} ({len(content):,} bytes). {way_out}"
        )
    return content
