"""Make hackathon_standin.csv.gz, a stand-in of the large table of piflib's tutorials.

    python data/make_hackathon.py [OUT]

The tutorials print statistics of CIG and CSF for their table (hackathon_published.csv).
If no other record agrees with a record in all columns but one, its cell in that column has
CIG = -log2(count / rows) and CSF = 1 - count / rows, where count is how often the cell's value
occurs. So the quantiles of the statistics disclose counts: those of gender and eye colour, of
five of eight blood groups, of missing jobs and of one postcode. The other numbers below are
inferred: they fit, but are not proved. Columns are independent unless stated here.

The seeds were chosen by a search over some thousand of each, for agreement with the published
statistics. So the agreement that the tests state is no evidence for what the original is like.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from stream import Stream, save

ROWS = 38_462
AGE_SEED, ORDER_SEED, POSTCODE_SEED, JOB_SEED = 14_666, 1_976, 205, 15_727

GENDERS = {"M": 19_905, "F": 18_557}
EYE_COLOURS = {"Brown": 7_751, "Hazel": 7_750, "Blue": 7_679, "Green": 7_645, "Grey": 7_637}
# O+, AB+ and A+ are inferred: together they are 14,387, each between its neighbours.
COUNTS = (4_882, 4_875, 4_850, 4_820, 4_790, 4_769, 4_747, 4_729)
BLOOD_GROUPS = dict(zip("B+ AB- O+ A- AB+ O- A+ B-".split(), COUNTS, strict=True))
JOBLESS, STUDENTS, TITLES = 6_315, 1_250, 639
OLDEST = 10  # people of 116, the rarest age
PATTERNS = (  # of Australian postcodes, equally likely; # is any digit
    "02## 08## 09## 1### 20## 21## 22## 23## 24## 25## 260# 261# 262# 263# 264# 265# 266# "
    "267# 268# 269# 27## 28## 290# 291# 2920 292# 293# 294# 295# 296# 297# 298# 299# "
    "3### 4### 5### 6### 7### 8### 9###"
).split()
COMMON_POSTCODE, PEOPLE_THERE = 2619, 1_043


def ages() -> NDArray[np.int64]:
    """Ages in rising order: 0 to 18 evenly, 19 to 115 evenly, and the oldest."""
    stream = Stream(1, AGE_SEED)
    young = stream.integers(19, JOBLESS)
    grown = 19 + stream.integers(97, ROWS - JOBLESS - OLDEST)
    return np.sort(np.concatenate([young, grown, np.full(OLDEST, 116)]))


def postcodes() -> NDArray[np.int64]:
    """Postcodes: a pattern, then any digits in it; many people share the common one."""
    stream = Stream(2, POSTCODE_SEED)
    pattern = stream.integers(len(PATTERNS), ROWS - PEOPLE_THERE)
    lowest = np.array([int(p.replace("#", "0")) for p in PATTERNS])
    width = np.array([10 ** p.count("#") for p in PATTERNS])
    spread = lowest[pattern] + stream.integers(width[pattern], pattern.size)
    return stream.permutation(np.append(spread, np.full(PEOPLE_THERE, COMMON_POSTCODE)))


def jobs() -> list[str]:
    """Jobs by rising age: none, then a student's, then one of many titles, equally likely."""
    titles = Stream(3, JOB_SEED).integers(TITLES, ROWS - JOBLESS - STUDENTS)
    return [""] * JOBLESS + ["Student"] * STUDENTS + [f"job {title:03d}" for title in titles]


def make() -> pd.DataFrame:
    """The table, with its rows in random order."""
    order = Stream(4, ORDER_SEED)
    gender, blood_group, eye_color = (
        order.permutation(np.repeat(list(counts), list(counts.values())))
        for counts in (GENDERS, BLOOD_GROUPS, EYE_COLOURS)
    )
    data = {
        "gender": gender,
        "AGE": ages(),
        "POSTCODE": postcodes(),
        "blood_group": blood_group,
        "eye_color": eye_color,
        "job": jobs(),
    }
    return pd.DataFrame(data).iloc[order.permutation(np.arange(ROWS))]


if __name__ == "__main__":
    save(make(), "hackathon_standin.csv.gz")
