"""One table of refusals: a pattern for each kind, and the calls that it answers."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import toolkit as tk
from toolkit.datasets import load_cig_toy

WARD = pd.DataFrame({"age": [30, 30, 40, 40, 40], "sex": ["f", "f", "m", "m", None]})
WARD["illness"] = ["flu", "hiv", "flu", "flu", "flu"]
CLASSES = tk.class_table(WARD, "age")
WILD = tk.class_table(WARD, "age", missing="wildcard")
EMPTY = WARD.iloc[:0]
TWINS = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])
TOWNS = pd.DataFrame({"q": list("aabb"), "s": list("xxyy")})
CELLS = pd.DataFrame({"list": [[1], [2]], "number": [1j, 2], "some": ["a", 1j]})
TIMES = pd.DataFrame({"q": [0, 0], "s": pd.to_datetime(["2020-01-01"] * 2, utc=True)})
TIMES["s"] = [TIMES["s"][0], TIMES["s"][0].tz_localize(None)]
TOY = load_cig_toy()
CIG = tk.cell_information_gain(TOY)
rng = np.random.default_rng(1)
NAMES = {name: getattr(tk, name) for name in tk.__all__} | globals()
REFUSALS = r"""
TypeError: data must be .*DataFrame.*a Series has to_frame\(\).*got pandas
    cell_information_gain(TOY["name"])
    k_anonymity(TOY["name"], 0)
ValueError: data has no (rows|columns) \(shape
    entropy(TOY[:0])
    k_anonymity(EMPTY, "age")
    check_privacy(EMPTY, "age")
ValueError: .*there is no column
    cell_information_gain(TOY, priors={"Name": {}})
    posterior_distributions(TOY, "eye")
    equivalence_class(WARD, 3)
    equivalence_class(WARD, 1.5)
    class_table(WARD, "age", ["sex", "illness"])
    class_table(WARD, "age", person="agee")
ValueError: .*(2 columns are called 'x'|more than once|twice|different names)
    k_anonymity(TWINS, "x")
    telling_words(pd.DataFrame({"record": [0], "column": ["x"]}), TWINS)
    cell_information_gain(TWINS, priors={"x": {}})
    check_privacy(WARD, "age", ["illness", "illness"])
    k_anonymity(WARD, ["age", "sex", "age"])
    cell_information_gain(TOY, priors={"gender": {"male": 0.5, "female": 0.5}, 0: {}})
ValueError: hierarchies names 'Age'
    treat(WARD, "age", 2, hierarchies={"Age": [["30", "*"], ["40", "*"]]})
TypeError: (columns|quasi_identifiers|sensitive) must (be|name)
    k_anonymity(WARD)
    k_anonymity(WARD, {"age"})
    equivalence_class(WARD, {"age": 1})
    k_anonymity(WARD, iter(["age", "sex"]))
    assert_privacy(WARD, reversed(["age", "sex"]), "illness", k=4)
    check_privacy(WARD, (name for name in ["age", "sex"]), k=4)
    l_diversity(WARD, "age")
ValueError: quasi_identifiers must name at least one column
    check_privacy(WARD, [], k=4)
    assert_privacy(WARD, [], "illness", k=4)
ValueError: .*is also a quasi-identifier
    class_table(WARD, ["age", "sex"], "age")
    class_table(WARD, ["age", "sex"], person="sex")
TypeError: data: column '(list|number|some)' holds cells that cannot be compared
    class_table(CELLS, "list")
    class_table(CELLS, "number")
    class_table(CELLS, "some")
    cell_information_gain(CELLS)
(Type|Value)Error: weights (must|is a Series whose index differs)
    entropy(TOY, weights=[1])
    cell_information_gain(TOY, weights=[1] * 6 + [0])
    cell_information_gain(TOY, weights=[1] * 6 + [np.inf])
    cell_information_gain(TOY, weights=list("abcdefg"))
    cell_information_gain(TOY, weights=pd.Series([1] * 7, index=range(1, 8)))
(Type|Value)Error: .* must be (a number|a whole number|a percentile|.*one of 'category').*got
    cell_information_gain(TOY, accuracies={"name": 1.1})
    cell_information_gain(TOY, accuracies={"name": "1"})
    cell_information_gain(TOY, unknown=0)
    cell_information_gain(TOY, unknown=1.5)
    personal_information_factor(CIG, 0.95)
    personal_information_factor(CIG, 101)
    personal_information_factor(CIG, "95")
    information_factors(TOY).pif(0.95)
    information_gain_terms(TOY, -1, "name")
    k_anonymity(WARD, "age", missing="ignore")
    by_class(TOWNS, "q", "s", l=2.5)
    recursive_cl_diversity(TOWNS, "q", "s", l=0)
    check_privacy(WARD, "age", k=0)
    check_privacy(WARD, "age", k=True)
    check_privacy(WARD, "age", k=2.5)
    check_privacy(WARD, "age", "illness", t="low")
    check_privacy(WARD, "age", "illness", entropy_l=np.nan)
    check_privacy(WARD, "age", "illness", t=1.5)
ValueError: (absent|kind) must be one of
    delta_disclosure(TOWNS, "q", "s", absent="drop")
    by_class(TOWNS, "q", "s", absent="drop")
    t_closeness(TOWNS, "q", "s", kind="near")
(Type|Value)Error: priors.*(no probability|must map columns)
    cell_information_gain(TOY, priors={"gender": {"male": 1.0}})
    cell_information_gain(TOY, priors={"gender": {"male": 0.5, "other": 0.5}})
    cell_information_gain(TOY, priors="gender")
ValueError: (p|q|priors: column 'gender') (must be a distribution|and q must both map)
    cell_information_gain(TOY, priors={"gender": {"male": 1.2, "female": -0.2}})
    cell_information_gain(TOY, priors={"gender": {"male": 0.5, "female": 0.4}})
    cell_information_gain(TOY, priors={"gender": 0.5})
    kl_divergence([0.5, 0.4], [0.5, 0.5])
    kl_divergence([0.5, 0.5], [1.5, -0.5])
    kl_divergence([0.5, 0.5], [1.0])
    kl_divergence({"a": 1.0}, [1.0])
    kl_divergence(pd.Series([0.5, 0.5], index=["a", "a"]), {"a": 1})
TypeError: cig must hold gains
    personal_information_factor(TOY, 95)
    row_information_gain(TOY)
    personal_information_factor(pd.DataFrame({"x": [1.0, None]}), 95)
ValueError: (missing='wildcard' makes no classes|missing must be)
    class_table(WARD, "sex", "age", missing="wildcard")
    delta_presence(WILD, WARD)
ValueError: .*class table
    k_anonymity(CLASSES, "age")
    k_anonymity(CLASSES, missing="drop")
    l_diversity(CLASSES)
    l_diversity(CLASSES, sensitive="sex")
    check_privacy(CLASSES, k=2, person="sex")
    check_privacy(CLASSES, sensitive="sex")
    k_map(CLASSES, WARD, "sex")
ValueError: .*population (has no record|must contain)|.*more records than the population
    k_map(WARD.iloc[[0]].assign(age=77), WARD, ["age", "sex"])
    delta_presence(WARD.iloc[[0] * 3], WARD, "age")
ValueError: (data and population must have the same quasi-id|population: there is no column)
    k_map(WARD, WARD[["age"]], ["age", "sex"])
    k_map(CLASSES, class_table(WARD, "sex"))
TypeError: (population|register) must be a pandas DataFrame
    k_map(WARD, 5, "age")
    linkage_candidates(WARD, None, "age")
ValueError: register: column 'age' holds text where data holds numbers
    linkage_candidates(WARD, WARD.astype({"age": str}), "age")
ValueError: kind='ordered' needs
    t_closeness(TOWNS, "q", "s", kind="ordered")
    t_closeness(TIMES, "q", "s", kind="ordered")
ValueError: hierarchy of 's'
    t_closeness(TOWNS, "q", "s", kind=[["x", "any"]])
    t_closeness(TOWNS, "q", "s", kind=[["x", "a"], ["x", "b"]])
    t_closeness(TOWNS, "q", "s", kind=[["x", "a", "b"], ["y", "a", "c"]])
ValueError: there is a threshold for .*nothing to measure: it needs a
    check_privacy(WARD, "age", t=0.2)
    check_privacy(WARD, "age", k_map=2)
    check_privacy(WARD, "age", population=WARD, presence_upper=0.5, missing="wildcard")
    check_privacy(WILD, population=WILD, presence_lower=0.5)
ValueError: sensitive: 'sex' is missing in 1 record
    check_privacy(WARD, "age", "sex", l=1)
TypeError: there is no threshold 'K'. Did you mean 'k'
    assert_privacy(WARD, "age", K=2)
TypeError: a report is neither true nor false; ask for report.satisfied
    bool(check_privacy(WARD, "age", k=2))
ValueError: assert_privacy needs a threshold
    assert_privacy(WARD, "age")
AssertionError: The table misses 1 of 3 thresholds:\nt_closeness .*0.3, but must be at most 0.2
    assert_privacy(WARD, "age", "illness", k=2, l=1, t=0.2)
FileNotFoundError: there is no file 'no-such-file.csv'
    read_table("no-such-file.csv")
TypeError: (where|table) must be
    open_table(5)
    write_parquet(tk.record_class_sizes, 5, "age", "table.parquet")
"""


def rows():
    """Each call with its pattern."""
    for block in re.split(r"\n(?=\S)", REFUSALS.strip()):
        pattern, *calls = block.splitlines()
        yield from (pytest.param(call.strip(), pattern, id=call.strip()) for call in calls)


@pytest.mark.parametrize(("call", "pattern"), rows())
def test_a_refusal_names_the_argument_and_what_came(call, pattern):
    with pytest.raises((TypeError, ValueError, OSError, AssertionError)) as refusal:
        eval(call, dict(NAMES))
    said = str(refusal.value).replace("pandas.core.series.", "pandas.")
    assert re.match(pattern, f"{refusal.type.__name__}: {said}", re.DOTALL), said
    assert len(said) < 500


OF_TABLES = {
    name: function
    for name in tk.__all__
    if inspect.isfunction(function := getattr(tk, name))
    and next(iter(inspect.signature(function).parameters), None) == "data"
    and not function.__module__.startswith("toolkit.dp")  # whose data are numbers, too
}


@pytest.mark.parametrize("name", OF_TABLES)
def test_what_is_no_table_is_refused_by_every_function_of_tables(name):
    function = OF_TABLES[name]
    needed = {
        argument: rng if argument == "rng" else "x"
        for argument, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    with pytest.raises((TypeError, ValueError)) as refusal:
        function(**{**needed, "data": 7})
    assert len(str(refusal.value)) < 500
