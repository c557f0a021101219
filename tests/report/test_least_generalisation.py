"""What the report advises on a table of 20,000 people: coarser birth dates, and not none."""

import numpy as np
import pandas as pd
import pytest

from toolkit._old.assuming import assume
from toolkit.report import methods
from toolkit.report.methods import compare_treatments
from toolkit.report.treating import carry_out, plan_treatment

KNOWN = ["birthday", "sex", "postcode", "marital status"]


def people(form="%Y-%m-%d", n=20_000):
    """Birthdays of 27,000 days, 700 postcodes of which some are frequent, and two more."""
    rng = np.random.default_rng(7)
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 27_000, n), "D")
    places = np.sort(rng.choice(np.arange(10_000, 99_999), 700, replace=False))
    weight = 1 / np.arange(1, 701)
    married = ["single", "married", "divorced", "widowed"]
    return pd.DataFrame(
        {
            "birthday": born.strftime(form) if form else born,
            "sex": rng.choice(["f", "m"], n),
            "postcode": rng.choice(places, n, p=weight / weight.sum()),
            "marital status": rng.choice(married, n, p=[0.35, 0.45, 0.13, 0.07]),
            "diagnosis": rng.choice(["flu", "asthma", "diabetes", "hiv", "none"], n),
        }
    )


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", None])
def test_the_least_generalisation_keeps_decades_of_birth(form):
    """Where the date can only be kept or dropped the same search loses more than a quarter."""
    data = people(form)
    assert data["birthday"].nunique() > 5000
    taken = assume(data, KNOWN, "diagnosis")
    found = compare_treatments(taken.data, taken.coded, KNOWN, ["diagnosis"], k=5)
    row = found.table.loc["least generalisation for k = 5"]
    assert row["k"] >= 5
    assert row["suppressed"] <= 0.05
    assert 0.06 < row["loss"] < 0.1
    assert "birthday: decades" in row["does"]
    assert not found.left_out


def test_of_many_columns_those_of_few_values_are_kept(monkeypatch):
    """All columns equally coarse, the only start otherwise, loses more."""
    rng = np.random.default_rng(6)
    data = pd.DataFrame({f"age {j}": rng.integers(0, 2 + j, 1_000) for j in range(24)})
    losses = []
    for most in (1, methods.FEW_NODES):
        monkeypatch.setattr(methods, "FEW_NODES", most)
        found = carry_out(data, plan_treatment(data, [*data.columns], []))
        losses.append(found.plan.loss)
    assert losses[1] < losses[0]
