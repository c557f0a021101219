"""Make incidents.csv: two years of calls to an invented fire brigade, all integers.

    python data/make_incidents.py [OUT]

A row is a call; its individual is the address that it came from. Most addresses call once or
twice; a few (a home for the elderly, a mall with a nervous alarm) call ten to forty times, so
that one address can move a histogram by as many records. Nothing is taken from real calls.

* address_i: number of the address, in no order.
* district_c: 1 to 8, the district of the address.
* kind_c: three digits, one of the twelve of KINDS. One code never occurs, one occurs once.
* month_c, hour_c: 1 to 12, 0 to 23; most calls come in the afternoon and in summer.
* injured_c: 0 to 3 people, 3 stands for 3 or more.
* arrival_n, clear_n: seconds from the call to the first engine's arrival, and to its return.
* report_x: number of the report, kept with the row and never combined.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from stream import Stream, save

SEED = 2015
ROWS, ADDRESSES, FREQUENT = 1_500, 900, 12
KINDS = {  # code: (how often, minutes until the engine is back, how many are injured)
    111: (60, 110, 0.20),  # building on fire
    131: (70, 55, 0.08),  # vehicle on fire
    150: (90, 40, 0.01),  # rubbish on fire
    311: (330, 45, 0.35),  # medical help
    322: (160, 60, 0.55),  # traffic accident with injuries
    350: (40, 70, 0.15),  # rescue
    412: (75, 50, 0.01),  # smell of gas
    463: (0, 60, 0.05),  # vehicle leaking fuel
    551: (150, 35, 0.02),  # help for another service
    611: (210, 12, 0.00),  # called off on the way
    735: (310, 20, 0.00),  # alarm out of order
    800: (0, 90, 0.10),  # storm or flood
}
RARE = 463
HOURS = [4, 3, 3, 2, 2, 2, 3, 5, 6, 7, 8, 9, 9, 9, 10, 11, 12, 12, 12, 11, 10, 9, 7, 5]
MONTHS = [7, 6, 8, 8, 9, 10, 11, 11, 9, 8, 7, 8]


def addresses(stream: Stream) -> NDArray[np.int64]:
    """Address of each call: frequent ones first, then one or a few calls from each other."""
    calls = 10 + stream.integers(31, FREQUENT)
    often = np.repeat(np.arange(FREQUENT), calls)
    rest = FREQUENT + stream.integers(ADDRESSES - FREQUENT, ROWS - len(often))
    return np.concatenate([often, rest])


def exponential(stream: Stream, size: int) -> NDArray[np.float64]:
    """Waiting times with mean 1, in steps of a thousandth.

    They are looked up in a table of the tail, so no rounding of a logarithm matters.
    """
    tail = 1 - 0.999 ** np.arange(1, 9_000)
    return np.searchsorted(tail, stream.uniform(size), side="right") / 1_000


def make() -> pd.DataFrame:
    """The calls, by number of report."""
    places = addresses(Stream(SEED, 0))
    districts = 1 + Stream(SEED, 1).choice([9, 7, 6, 5, 5, 4, 3, 2], ADDRESSES)
    codes, weights, minutes, harm = (
        np.array(column) for column in zip(*((k, *v) for k, v in KINDS.items()), strict=True)
    )
    kind = Stream(SEED, 2).choice(weights, ROWS)
    # A frequent caller keeps its reason: the alarm, or someone's health.
    own = np.flatnonzero(np.isin(codes, (311, 735)))[places % 2]
    same = (places < FREQUENT) & (Stream(SEED, 3).uniform(ROWS) < 0.8)
    kind = np.where(same, own, kind)
    kind[ROWS - 1] = int(np.flatnonzero(codes == RARE)[0])
    several = 1 + Stream(SEED, 4).choice([80, 15, 5], ROWS)
    injured = np.where(Stream(SEED, 5).uniform(ROWS) < harm[kind], several, 0)
    arrival = 60 + 300 * exponential(Stream(SEED, 6), ROWS)
    clear = arrival + 60 * minutes[kind] * (0.3 + 0.7 * exponential(Stream(SEED, 7), ROWS))
    names = Stream(SEED, 8).permutation(1_001 + np.arange(ADDRESSES))
    order = Stream(SEED, 9).permutation(np.arange(ROWS))
    calls = pd.DataFrame(
        {
            "address_i": names[places],
            "district_c": districts[places],
            "kind_c": codes[kind],
            "month_c": 1 + Stream(SEED, 10).choice(MONTHS, ROWS),
            "hour_c": Stream(SEED, 11).choice(HOURS, ROWS),
            "injured_c": injured,
            "arrival_n": arrival.astype(np.int64),
            "clear_n": clear.astype(np.int64),
        }
    )
    calls = calls.iloc[order].reset_index(drop=True)
    return calls.assign(report_x=np.arange(1, ROWS + 1))


if __name__ == "__main__":
    save(make(), "incidents.csv")
