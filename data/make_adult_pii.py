"""Make adult_pii.csv.gz: invented identifiers for the rows of adult_standin.csv.gz.

    python data/make_adult_pii.py [OUT]

Row i belongs to row i of the stand-in. Only its age and sex are looked at:

* DOB: any day on which a person has that age on 15 March 1994, all days equally likely.
* Name: a first name common in the United States that fits the sex, popular ones more often,
  and a family name made of syllables. A few people share both names.
* SSN: starts with 9 and has a middle part of 01 to 49. Numbers that start with 9 are never
  issued as Social Security numbers, and the numbers of the tax office (ITIN, ATIN) that do
  start with 9 have a middle part of 50 or more. All are different.
* Zip: an area of three digits and two more; a few areas and codes have many people, most have
  few. Codes are drawn at random: they mean no place, and nothing depends on them.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from stream import Stream, recipe, save

from toolkit.datasets import PII_DATE, load_adult

SEED = 2021
NAMES = recipe("names.toml")
FEMALE, MALE = NAMES["female"].split(), NAMES["male"].split()
SYLLABLES = [syllables.split() for syllables in NAMES["syllables"]]
AREAS, CODES = 150, 40


def rank_weights(count: int, head: int) -> NDArray[np.float64]:
    """Popularity that falls with the rank; a small `head` makes the first ones stand out."""
    return 1 / (np.arange(count) + head)


def names(sex: pd.Series, stream: Stream) -> NDArray:
    """First names that fit, and family names of three syllables."""
    rank = stream.choice(rank_weights(len(FEMALE), 10), len(sex))
    first = np.where(sex == "Female", np.array(FEMALE)[rank], np.array(MALE)[rank])
    parts = [np.array(part)[stream.integers(len(part), len(sex))] for part in SYLLABLES]
    return first.astype(object) + " " + parts[0] + parts[1] + parts[2]


def birthdays(age: pd.Series, stream: Stream) -> NDArray[np.datetime64]:
    """Days of birth; the earliest is a day too late to have turned a year older."""
    years = PII_DATE.year - age.to_numpy()
    ends = np.array([f"{year}-{PII_DATE:%m-%d}" for year in years], "datetime64[D]")
    starts = np.array([f"{year - 1}-{PII_DATE:%m-%d}" for year in years], "datetime64[D]")
    days = (ends - starts).astype(int)
    return starts + 1 + stream.integers(days, len(age))


def social_security_numbers(size: int, stream: Stream) -> list[str]:
    """Different numbers, from ranges that nobody issues."""
    drawn = pd.unique(stream.integers(100 * 49 * 9_999, 2 * size))[:size]
    left, serial = np.divmod(drawn, 9_999)
    area, group = np.divmod(left, 49)
    parts = zip(area, group, serial, strict=True)
    return [f"{900 + a}-{1 + g:02d}-{1 + s:04d}" for a, g, s in parts]


def zip_codes(size: int, stream: Stream) -> list[str]:
    """Codes of five digits; their areas, and the codes of an area, differ in popularity."""
    prefixes = stream.permutation(np.arange(1_000))[:AREAS]
    endings = np.array([stream.permutation(np.arange(100))[:CODES] for _ in range(AREAS)])
    area = stream.choice(rank_weights(AREAS, 5), size)
    code = endings[area, stream.choice(rank_weights(CODES, 2), size)]
    return [f"{p:03d}{e:02d}" for p, e in zip(prefixes[area], code, strict=True)]


def make(adult: pd.DataFrame) -> pd.DataFrame:
    """Identifiers, a row for each row of `adult`."""
    return pd.DataFrame(
        {
            "Name": names(adult["sex"], Stream(SEED, 0)),
            "DOB": birthdays(adult["age"], Stream(SEED, 1)),
            "SSN": social_security_numbers(len(adult), Stream(SEED, 2)),
            "Zip": zip_codes(len(adult), Stream(SEED, 3)),
        }
    )


if __name__ == "__main__":
    save(make(load_adult()), "adult_pii.csv.gz")
