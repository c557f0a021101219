"""One table of error messages: how each public function answers a call that it refuses.

A call stands on a line of its own, the exception and its sentence below it; "…" ends one whose
rest another row has. A new public function needs a row. `TWINS_OF` names functions that share
the checks of another one: they have to answer its calls in the same words.
"""

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
EMPTY, WIDE = WARD.iloc[:0], pd.DataFrame([range(30)])
TWINS = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])
TOWNS = pd.DataFrame({"q": list("aabb"), "s": list("xxyy")}, index=[0, 2, 1, 3])
CELLS = pd.DataFrame({"list": [[1], [2]], "number": [1j, 2]})
PAIR = pd.DataFrame({"age": [1.0, 2.0, 9.0], "sex": list("ffm")})
TOY = load_cig_toy()
CIG = tk.cell_information_gain(TOY)
LEVELS = [["11", "1*"], ["12", "1*"]]
ZIPS = pd.DataFrame({"zip": ["11", "12", "11"]})
COPULA, SUDA = tk.fit_copula(PAIR, "sex"), tk.suda_uniques(WARD, "age")
BINS = tk.uniqueness_calibration(pd.Series([0.5]), [True])
AGED = pd.DataFrame(
    [[0, "age", "42", 0, 2]], columns=["record", "kind", "value", "start", "end"]
)
ALL, nan, rng = list(WARD), np.nan, np.random.default_rng(1)
NAMES = {name: getattr(tk, name) for name in tk.__all__} | globals()
MESSAGES = """
# Entropies
entropy([1])
    TypeError: data must be a pandas DataFrame; got builtins.list: make one.
entropy(TOY[:0])
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table with
    at least one record and one column.
entropy(TOY, "eye")
    ValueError: columns: there is no column 'eye'. The columns are 'gender', 'name',
    'eye_color', at positions 0 to 2.
entropy(TOY, weights=[1])
    ValueError: weights must hold one number for each of the 7 rows; got shape (1,).
conditional_entropies(7)
    TypeError: data must be a pandas DataFrame; got builtins.int: make one.
mutual_information_table(7)
    TypeError: data must be a pandas DataFrame; got builtins.int: make one.
conditional_entropy(TOY, "eye", "name")
    ValueError: target: there is no column 'eye'. The columns are 'gender', 'name', …
mutual_information(TOY, "eye", "name")
    ValueError: first: there is no column 'eye'. The columns are 'gender', 'name', …
kl_divergence([0.5, 0.4], [0.5, 0.5])
    ValueError: p must be a distribution: probabilities that add up to 1, each value once; got
    [0.5, 0.4].
kl_divergence([0.5, 0.5], [1.5, -0.5])
    ValueError: q must be a distribution: probabilities that add up to 1, each value once; got
    [1.5, -0.5].
kl_divergence([0.5, 0.5], [1.0])
    ValueError: p and q must both map the same values to probabilities, or be lists of one
    length; got [0.5, 0.5] and [1.0].
kl_divergence({"a": 1.0}, [1.0])
    ValueError: p and q must both map the same values to probabilities, or be lists of one
    length; got {'a': 1.0} and [1.0].
kl_divergence(pd.Series([0.5, 0.5], index=["a", "a"]), {"a": 1})
    ValueError: p must be a distribution: probabilities that add up to 1, each value once; got
    a 0.5 a 0.5 dtype: float64.
# Personal information factors
cell_information_gain([1, 2])
    TypeError: data must be a pandas DataFrame; got builtins.list: make one.
cell_information_gain(TOY["name"])
    TypeError: data must be a pandas DataFrame; got pandas.Series: call its to_frame() first.
cell_information_gain(TOY.iloc[:0])
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table …
cell_information_gain(TOY[[]])
    ValueError: data has no columns (shape (7, 0)), so nothing can be measured; pass a table …
cell_information_gain(TOY, priors={"Name": {}})
    ValueError: priors: there is no column 'Name'. Did you mean 'name'? The columns are …
cell_information_gain(TOY, priors={"gender": {"male": 1.0}})
    ValueError: priors: column 'gender' gives no probability to 'female', which the table
    holds; a gain there would be infinite. Give each a share.
cell_information_gain(TOY, priors={"gender": {"male": 1.2, "female": -0.2}})
    ValueError: priors: column 'gender': each share must be a probability; got 1.2.
cell_information_gain(TOY, priors={"gender": {"male": 0.5, "female": 0.4}})
    ValueError: priors: column 'gender' must list each value once, with probabilities that add
    up to 1; got 0.9 over 'male', 'female'.
cell_information_gain(TOY, priors={"gender": {"male": "0.5", "female": 0.5}})
    TypeError: priors: column 'gender': each share must be a probability; got '0.5'.
cell_information_gain(TOY, priors={"gender": 0.5})
    TypeError: priors: column 'gender' needs a mapping from value to probability; got float.
cell_information_gain(TOY, priors={"gender": {"male": 0.5, "female": 0.5}, 0: {}})
    ValueError: priors sets column 'gender' twice; set it once.
cell_information_gain(TOY, priors=[None])
    ValueError: priors as a list needs one entry (or None) for each of the 3 columns; got 1.
cell_information_gain(TOY, priors="gender")
    TypeError: priors must map columns to settings, or list one per column; got str.
cell_information_gain(TOY, accuracies={"eyes": 1})
    ValueError: accuracies: there is no column 'eyes'. The columns are 'gender', 'name', …
cell_information_gain(TOY, accuracies={"name": 1.1})
    ValueError: accuracies: column 'name' must be a probability from 0 (the record is a guess)
    to 1 (it is certain); got 1.1.
cell_information_gain(TOY, accuracies={"name": "1"})
    TypeError: accuracies: column 'name' must be a probability from 0 (the record is a guess)
    to 1 (it is certain); got '1'.
cell_information_gain(TOY, weights=[1, 2])
    ValueError: weights must hold one number for each of the 7 rows; got shape (2,).
cell_information_gain(TOY, weights=[1] * 6 + [0])
    ValueError: weights must be positive and finite; row 6 has 0 (1 such rows). Drop the rows
    that weigh nothing.
cell_information_gain(TOY, weights=list("abcdefg"))
    TypeError: weights must be numbers, one per row; got ['a', 'b', 'c', 'd', 'e', 'f', 'g'].
cell_information_gain(TOY, weights=pd.Series([1] * 7, index=range(1, 8)))
    ValueError: weights is a Series whose index differs from that of data; give it the index of
    data, or pass weights.to_numpy() to go by position.
cell_information_gain(TWINS, priors={"x": {}})
    ValueError: priors: 2 columns are called 'x' (positions [0, 1]); say which by its position,
    or give a list with one entry per column.
cell_information_gain(TOY, unknown=0)
    ValueError: unknown must be from 1 to 3, the number of cells the attacker lacks; got 0.
cell_information_gain(TOY, unknown=1.5)
    TypeError: unknown must be a whole number, the number of cells the attacker lacks; got 1.5.
personal_information_factor(CIG, 0.95)
    ValueError: n must be a percentile, 0 or in [1, 100]; got 0.95. Did you mean 95?
personal_information_factor(CIG, 101)
    ValueError: n must be a percentile, 0 or in [1, 100]; got 101.
personal_information_factor(CIG, "95")
    TypeError: n must be a percentile, 0 or in [1, 100]; got '95'.
personal_information_factor(TOY, 95)
    TypeError: cig must hold gains in bits, none missing; pass the result of
    cell_information_gain, not the table of records.
personal_information_factor(pd.DataFrame({"x": [1.0, None]}), 95)
    TypeError: cig must hold gains in bits, none missing; pass the result of
    cell_information_gain, not the table of records.
information_factors(TOY).pif(0.95)
    ValueError: n must be a percentile, 0 or in [1, 100]; got 0.95. Did you mean 95?
row_information_gain(TOY)
    TypeError: cig must hold gains in bits, none missing; pass the result of
    cell_information_gain, not the table of records.
information_gain_terms(TOY, -1, "name")
    ValueError: row must be from 0 to 6, the position of a record; got -1.
context_sizes(TOY, weights=[1])
    ValueError: weights must hold one number for each of the 7 rows; got shape (1,).
prior_distribution(TOY, "eye")
    ValueError: feature: there is no column 'eye'. The columns are 'gender', 'name', …
posterior_distributions(TOY, "eye")
    ValueError: feature: there is no column 'eye'. The columns are 'gender', 'name', …
# Equivalence classes
equivalence_class(WARD, "ages")
    ValueError: columns: there is no column 'ages'. Did you mean 'age'? The columns are 'age',
    'sex', 'illness', at positions 0 to 2.
equivalence_class(WARD, 3)
    ValueError: columns: there is no column 3. The columns are 'age', 'sex', 'illness', at
    positions 0 to 2.
equivalence_class(WARD, 1.5)
    TypeError: columns must be a column or a list of columns; got float.
equivalence_class(WARD, {"age": 1})
    TypeError: columns must be a column or a list of columns; got dict.
class_sizes(WARD, "age", weights=[1])
    ValueError: weights must hold one number for each of the 5 rows; got 1.
class_sizes(WARD, "age", weights=[1] * 5, person="sex")
    ValueError: weights count records, and person counts people; give one.
class_table(WARD, ["age", "sex"], "age")
    ValueError: sensitive: column 'age' is also a quasi-identifier; either the attacker knows
    it or not.
class_table(WARD, "age", ["sex", "illness"])
    TypeError: sensitive must be one column; got list ['sex', 'illness']. Measure several
    columns one by one.
class_table(WARD, "sex", "age", missing="wildcard")
    ValueError: missing='wildcard' makes no classes (a record may match records that do not
    match each other), so it goes with neither sensitive nor person; use missing='category' or
    'drop'.
class_table(WARD, "age", person="agee")
    ValueError: person: there is no column 'agee'. Did you mean 'age'? The columns are 'age',
    'sex', 'illness', at positions 0 to 2.
class_table(WARD, ["age", "sex"], person="sex")
    ValueError: person: column 'sex' is also a quasi-identifier; either the attacker knows it
    or not.
class_table(CELLS, "list")
    TypeError: data: column 'list' holds cells that cannot be compared, such as lists, structs
    or complex numbers; turn them into text or numbers first.
class_table(CELLS, "number")
    TypeError: data: column 'number' holds cells that cannot be compared, such as lists,
    structs or complex numbers; turn them into text or numbers first.
# Identity disclosure
k_anonymity(WARD)
    TypeError: quasi_identifiers must name columns, such as 'age', 'sex'; with [] everyone is
    in one class.
k_anonymity([1], "x")
    TypeError: data must be a pandas DataFrame, or a table of Polars or Arrow; got
    builtins.list.
k_anonymity(EMPTY, "age")
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table with
    at least one record and one column.
k_anonymity(WARD, "agee")
    ValueError: quasi_identifiers: there is no column 'agee'. Did you mean 'age'? The columns
    are 'age', 'sex', 'illness', at positions 0 to 2.
k_anonymity(WARD, {"age"})
    TypeError: quasi_identifiers must be a column or a list of columns; got set.
k_anonymity(TWINS, "x")
    ValueError: quasi_identifiers: 2 columns are called 'x' (positions [0, 1]); give the
    position of one.
k_anonymity(WARD, "age", missing="ignore")
    ValueError: missing must be one of 'category', 'drop', 'wildcard'; got 'ignore'.
k_anonymity(CLASSES, "age")
    ValueError: quasi_identifiers is settled by the class table that came as data; leave it
    out, or pass the DataFrame.
k_anonymity(CLASSES, missing="drop")
    ValueError: missing is settled by the class table that came as data; leave it out, or pass
    the DataFrame.
reidentification_risk(WARD, "age", threshold=20)
    ValueError: threshold must be a number in [0, 1]; got 20.
sample_uniqueness(WARD, "agee")
    ValueError: quasi_identifiers: there is no column 'agee'. Did you mean 'age'? The columns
    are 'age', 'sex', 'illness', at positions 0 to 2.
unique_share(WARD, "agee")
    ValueError: quasi_identifiers: there is no column 'agee'. Did you mean 'age'? The columns
    are 'age', 'sex', 'illness', at positions 0 to 2.
# Membership disclosure
k_map(WARD.iloc[[0]].assign(age=77), WARD, ["age", "sex"])
    ValueError: the population has no record of 1 of the classes of data. The population must
    contain the sample, and be recoded in the same way.
k_map(WARD, WARD[["age"]], ["age", "sex"])
    ValueError: quasi_identifiers: there is no column 'sex'. The columns are 'age', at
    positions 0 to 0.
k_map(CLASSES, class_table(WARD, "sex"))
    ValueError: data and population must have the same quasi-identifiers and missing; got
    'age' and 'sex', missing='category' and 'category'.
k_map(WARD, 5, "age")
    TypeError: population must be a pandas DataFrame, or a table of Polars or Arrow; got
    builtins.int.
delta_presence(WILD, WARD)
    ValueError: missing='wildcard' makes no classes, and presence needs them; use
    missing='category' or 'drop'.
delta_presence(WARD.iloc[[0] * 3], WARD, "age")
    ValueError: data has more records than the population in 1 of its classes; the population
    must contain the sample.
linkage_candidates(WARD, None, "age")
    TypeError: register must be a pandas DataFrame, or a table of Polars or Arrow; got
    builtins.NoneType.
linkage_candidates(WARD, WARD.astype({"age": str}), "age")
    ValueError: register: column 'age' holds text where data holds numbers, so that no two
    cells could be equal; write both tables alike.
# Attribute disclosure
l_diversity(WARD, "age")
    TypeError: sensitive must be one column; got none.
l_diversity(CLASSES)
    ValueError: the class table has no sensitive column; make it with class_table(data,
    quasi_identifiers, sensitive).
alpha_k_anonymity(TOWNS, "q", "s", values=["x", "w"])
    ValueError: values must name some of the sensitive values; got 'x', 'w'.
recursive_cl_diversity(TOWNS, "q", "s", l=2.5)
    TypeError: l must be a whole number in [1, inf), the values that an attacker may not rule
    out; got 2.5.
recursive_cl_diversity(TOWNS, "q", "s", l=0)
    ValueError: l must be a whole number in [1, inf), the values that an attacker may not rule
    out; got 0.
delta_disclosure(TOWNS, "q", "s", absent="drop")
    ValueError: absent must be one of 'inf', 'skip'; got 'drop'.
delta_disclosure(TOWNS, "q", "s", base=1)
    ValueError: base must be a number in (1, inf), such as 2 or math.e; got 1.
t_closeness(TOWNS, "q", "s", kind="near")
    ValueError: kind must be one of 'auto', 'ordered', 'equal'; got 'near'.
t_closeness(TOWNS, "q", "s", kind="ordered")
    ValueError: kind='ordered' needs numbers, dates or ordered categories, and the sensitive
    values have no order; make the column an ordered Categorical, or use kind='equal'.
t_closeness(TOWNS, "q", "s", kind=[["x", "any"]])
    ValueError: hierarchy of 's' has no row for 1 of the 2 values that the data hold; add one
    for each.
t_closeness(TOWNS, "q", "s", kind=[["x", "a"], ["x", "b"]])
    ValueError: hierarchy of 's' lists a value twice; each value has one row.
t_closeness(TOWNS, "q", "s", kind=[["x", "a", "b"], ["y", "a", "c"]])
    ValueError: hierarchy of 's': a label of level 1 has several labels on level 2; each label
    has one above it.
by_class(TOWNS, "q", "s", absent="drop")
    ValueError: absent must be one of 'inf', 'skip'; got 'drop'.
# Uniqueness in the sample
uniqueness_curve(WARD, [])
    ValueError: quasi_identifiers must name at least one column; got none, which single nobody
    out.
uniqueness_curve(WIDE, list(WIDE))
    ValueError: 30 columns have 1,073,741,823 subsets of up to 30 columns, more than 100,000;
    set a smaller max_size, such as 3.
subset_uniqueness(WARD, ALL, missing="wildcard")
    ValueError: missing must be one of 'category', 'drop'; got 'wildcard'.
subset_uniqueness(WARD, ALL, max_size=0)
    ValueError: max_size must be a whole number in [1, inf), columns of a subset; got 0.
privacy_scores(WARD, [])
    ValueError: quasi_identifiers must name at least one column; got none, which single nobody
    out.
privacy_scores(WARD, "age")
    TypeError: rng must be a numpy.random.Generator for method='isolation forest', such as …
privacy_scores(WARD, "age", outliers=[], fraction=10, rng=rng)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    10.
privacy_scores(WARD, "age", outliers=[], fraction=0.1)
    TypeError: rng must be a numpy.random.Generator for the copula, such as …
privacy_scores(WARD, "age", outliers={"euclidean": {"scaling": "x"}})
    ValueError: scaling must be one of 'z', 'robust', 'minmax'; got 'x'.
minimal_sample_uniques(WARD, "ages")
    ValueError: quasi_identifiers: there is no column 'ages'. Did you mean 'age'? The columns
    are 'age', 'sex', 'illness', at positions 0 to 2.
dankar_uniques(WARD, "age", fraction=0)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    0.
suda_uniques(WIDE, list(WIDE), max_key_size=30)
    ValueError: 30 columns have 1,073,741,823 subsets of up to 30 columns, more than 100,000; …
suda_uniques(WARD, ALL, max_key_size=0)
    ValueError: max_key_size must be a whole number in [1, inf), columns of a subset; got 0.
dis_suda_scores(pd.Series([1.0]), fraction=0.1)
    TypeError: found must be the result of suda_uniques(...); got Series.
dis_suda_scores(SUDA, fraction=10)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    10.
dis_suda_scores(SUDA, fraction="all")
    TypeError: fraction must be a number in (0, 1], records over people of the population; got
    'all'.
# Uniqueness in the population
population_uniques(WARD, "age", fraction=10)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    10.
zayatz_uniques(WARD, "age", fraction=10)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    10.
snb_uniques(WARD, "age", fraction=None)
    TypeError: fraction must be a number in (0, 1], records over people of the population; got
    None.
pitman_uniques(WARD, fraction=0.1)
    TypeError: quasi_identifiers must name columns, such as 'age', 'sex'; with [] everyone is
    in one class.
individual_risk(EMPTY, "age", fraction=0.1)
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table …
k_map_threshold(0, fraction=0.1, significance=0.05)
    ValueError: k must be a whole number in [1, 1e15], people of a class; got 0.
k_map_threshold(5, fraction=0.1, significance=5)
    ValueError: significance must be a number in (0, 1), a probability; got 5.
k_map_threshold(5, fraction=0.1, significance=0.1, estimator="binomial")
    ValueError: estimator must be one of 'poisson', 'zero-truncated poisson'; got 'binomial'.
estimated_k_map(WARD, "age", fraction=0.1, significance="5 %")
    TypeError: significance must be a number in (0, 1), a probability; got '5 %'.
copula_uniqueness(PAIR, "sex", fraction=0, rng=rng)
    ValueError: fraction must be a number in (0, 1], records over people of the population; got
    0.
copula_uniqueness(PAIR, "sex", fraction=0.1, rng=None)
    TypeError: rng must be a numpy.random.Generator for the integration, such as …
copula_uniqueness(PAIR, "sex", fraction=0.1, rng=rng, points=4)
    ValueError: points must be a whole number in [8, 1048576], points of the integration; got
    4.
fit_copula(PAIR, [])
    ValueError: quasi_identifiers must name at least one column; got none, which single …
draw_from_copula(PAIR, 5, rng=rng)
    TypeError: copula must be the result of fit_copula(...); got DataFrame.
draw_from_copula(COPULA, 5, rng=7)
    TypeError: rng must be a numpy.random.Generator to draw people, such as …
uniqueness_calibration(pd.Series([1.5]), [True])
    ValueError: predicted must hold probabilities from 0 to 1, and unique a truth value for
    each; got 1 and 1 numbers.
uniqueness_calibration(pd.Series([0.5]), [0.5])
    ValueError: predicted must hold probabilities from 0 to 1, and unique a truth value for
    each; got 1 and 1 numbers.
uniqueness_calibration(pd.Series([0.5]), [True, False])
    ValueError: predicted must hold probabilities from 0 to 1, and unique a truth value for
    each; got 1 and 2 numbers.
uniqueness_calibration(pd.Series([0.5]), pd.Series([True], index=[9]))
    ValueError: unique is a Series whose index differs from that of predicted; give it the same
    index, or pass unique.to_numpy() to go by position.
calibration_error([1])
    TypeError: table must be the result of uniqueness_calibration(...); got list.
# Outliers
outlier_scores(EMPTY)
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table …
outlier_scores(PAIR, "cosine")
    ValueError: method must be one of 'euclidean', 'manhattan', 'minkowski', 'mahalanobis',
    'isolation forest', 'elliptic envelope', 'local outlier factor'; got 'cosine'.
outlier_scores(PAIR, scaling="x")
    ValueError: scaling must be one of 'z', 'robust', 'minmax'; got 'x'.
outlier_scores(PAIR, encoding="x")
    ValueError: encoding must be one of 'one-hot', 'frequency'; got 'x'.
outlier_scores(PAIR, missing="wildcard")
    ValueError: missing must be one of 'category', 'drop'; got 'wildcard'.
outlier_scores(PAIR, "minkowski")
    TypeError: p must be a number in [1, inf), an exponent such as p=3; got None.
outlier_scores(PAIR, "euclidean", p=3)
    ValueError: 'p' is not an option of method='euclidean', which has none; leave it out.
outlier_scores(PAIR, "isolation forest")
    TypeError: rng must be a numpy.random.Generator for method='isolation forest', such as …
outlier_scores(PAIR, robust=True)
    TypeError: rng must be a numpy.random.Generator for method='mahalanobis', such as …
outlier_scores(PAIR, sample=2, rng=rng)
    ValueError: 'sample' is not an option of method='mahalanobis', which has 'robust'; leave it
    out.
outlier_scores(PAIR.assign(x=[1, np.inf, 2]))
    ValueError: column 'x' holds infinite numbers, which are infinitely far from all others;
    make them missing, or leave the column out.
outlier_scores(PAIR.assign(x=None), columns="x", missing="drop")
    ValueError: missing='drop' leaves no row: each of the 3 rows lacks a cell in a
    quasi-identifier or sensitive column. Use missing='category'.
outlier_scores(pd.DataFrame({"n": np.arange(50_001)}), "local outlier factor")
    ValueError: method='local outlier factor' compares pairs of rows, and there are 50,001
    different ones; draw some of them, by sample=10_000 and rng.
outlier_scores(pd.DataFrame({"n": [f"n{i}" for i in range(16_000)]}))
    ValueError: column 'n' would become 16,000 numbers in each of 16,000 rows; use
    encoding='frequency', or leave it out.
outlier_contributions(PAIR, "isolation forest")
    ValueError: method='isolation forest' gives no contributions: its score is not made of
    columns. Use one of 'manhattan', 'euclidean', 'mahalanobis', 'minkowski'.
# Anonymisation; its tests have more
generalise(WARD, {"age": LEVELS}, {"age": 1})
    ValueError: hierarchy of 'age' has no row for 30, 40, which the data hold; add one for
    each.
suppress(WARD, 7)
    ValueError: rows names 7, which the index of data lacks.
interval_hierarchy(["39", "x"], 5)
    TypeError: values must be numbers; got '39', 'x'. Turn text into numbers by
    pandas.to_numeric.
date_hierarchy(["03/04/2021"])
    ValueError: values do not tell the day from the month, as in '03/04/2021'; give
    order='dmy' if the day comes first, order='mdy' if the month does, or units of a year or
    more.
group_hierarchy([1, 2], {"a": [1]})
    ValueError: groups lacks 2; place each value, or give other= a label for the rest.
prefix_hierarchy(["13053", "1305"])
    ValueError: values are codes of different lengths, such as '1305', '13053'; give digits=
    for numbers that lost leading zeros, or pad= a character that fills shorter codes up.
rounding_hierarchy([1], 5, direction="sideways")
    ValueError: direction must be one of 'nearest', 'down', 'up'; got 'sideways'.
suppression_hierarchy([])
    ValueError: values must hold at least one value; got none.
suggest_hierarchies(5)
    TypeError: data must be a pandas DataFrame; got builtins.int: make one.
read_hierarchy("no-such-file.csv")
    FileNotFoundError: [Errno 2] No such file or directory: 'no-such-file.csv'
write_hierarchy(5, "hierarchy.csv")
    TypeError: hierarchy of 'hierarchy.csv' must be a table with a row per value, whose …
optimal_generalisation(WARD, "age", {}, k=2)
    ValueError: hierarchies is empty; give at least one column its table.
mondrian(WARD, "age", k=6)
    ValueError: k=6 needs at least 6 records, and there are 5; ask for a smaller k.
local_suppression(WARD, "age", k=6)
    ValueError: k=6 needs at least 6 records, and there are 5; ask for a smaller k.
bin_column(WARD, "age", 0)
    ValueError: widths must be positive numbers, one per level; got 0.
drop_columns(WARD, ALL)
    ValueError: columns lists every column, 'age', 'sex', 'illness'; leave at least one.
group_column(WARD, "sex", {"f": "x"}, other=["a", "b", "c"])
    TypeError: other must be one label, such as a text; got ['a', 'b', 'c'].
group_rare_values(WARD, "sex", fewer_than=2, other=("a", 1))
    TypeError: other must be one label, such as a text; got ('a', 1).
truncate_column(pd.DataFrame({"x": [["a"]]}), "x", 1)
    TypeError: data: column 'x' holds cells that cannot be compared (unhashable type: …
information_risk(EMPTY)
    ValueError: data has no rows (shape (0, 3)), so nothing can be measured; pass a table …
marginal_similarity(WARD, WARD.iloc[:2])
    ValueError: treated must hold the rows of original in their order; the index differs (2 and
    5 rows). Keep suppressed rows, as '*'.
average_class_size(WARD, "age", k=0)
    ValueError: k must be a number in (0, inf); got 0.
discernability(WARD, "age", removed=-1)
    ValueError: removed must be a whole number in [0, inf); got -1.
classification_metric(WARD, "age")
    TypeError: sensitive must be one column; got none.
cell_losses(ZIPS, ZIPS, {})
    ValueError: hierarchies is empty; give at least one column its table.
cell_losses(ZIPS, ZIPS.assign(zip="2*"), {"zip": LEVELS})
    ValueError: treated: column 'zip' holds labels that the hierarchy does not give the
    original value: ('11', '2*'), ('12', '2*') (original, treated). Suppressed cells are '*'.
release_kl_divergence(ZIPS, ZIPS.iloc[:2], "zip")
    ValueError: treated must hold the rows of original in their order; the index differs (2 and
    3 rows). Keep suppressed rows, as '*'.
without_traces(5)
    TypeError: data must be a pandas DataFrame; got builtins.int: make one.
treat(WARD, "age", keep={"age": "decades"})
    ValueError: column 'age' has the levels 'as it is', 'hidden', numbered from 0; got …
treat_again({}, WARD)
    ValueError: record must be what treat wrote, whose format is 'privacy toolkit treatment 2'.
# Entities of texts; their tests have more
find_entities("a note")
    TypeError: texts must be a Series or list of texts; got one text. Put it in a list.
find_entities(WARD)
    TypeError: texts must be a Series or list of texts; got DataFrame. Pass one column, such as
    notes['text'].
find_entities(["a", 7])
    TypeError: texts must hold texts and missing cells only; record 1 is of type int. Use
    astype(str) if its writing is meant.
find_entities(["a"], "names")
    ValueError: recogniser must be 'patterns', a Pattern, a pipeline of spaCy, an analyzer of
    Presidio, a function of one note, or a list of these; got another string.
mask_entities(["a"], WARD)
    TypeError: entities must be a DataFrame with the columns 'record', 'kind', 'value',
    'start', 'end', as find_entities gives it; got DataFrame.
mask_entities(["a"], find_entities(["a"]), "stars")
    ValueError: replacement must be one of 'kind', 'surrogate'; got 'stars'.
mask_entities(["a"], find_entities(["a"]), "surrogate")
    TypeError: rng must be a numpy.random.Generator for surrogates, which are drawn, such as …
# Text
judge_notes("one note", print, rng=rng)
    TypeError: notes must be a Series or list of texts; got one text. Put it in a list.
judge_notes(["a", None], print, rng=rng)
    ValueError: notes must hold a text for each record, at least one; 1 of 2 are missing. Leave
    them out by dropna().
judge_notes(["a"], "http://localhost:8080", rng=rng)
    TypeError: ask must be a callable that takes a prompt and returns an answer, such as
    ask_server(...); got str.
judge_notes(["a"], print, rng=rng, wordings=["Who is it?"])
    TypeError: wordings must map names to questions, such as {'acquaintance': 'Could somebody
    who knows this person tell whom the note is about?'}; got ['Who is it?'].
judge_notes(["a"], print, rng=rng, uniqueness=[1.0])
    TypeError: uniqueness must be a Series of numbers, such as a column of
    note_scores(...).scores; got list.
krippendorff_alpha(WARD)
    TypeError: ratings must hold numbers, a row per unit and a column per rater; got columns of
    'int64', 'str'.
ask_server("localhost:8080", "tiny")
    ValueError: url must be an address such as http://localhost:8080/v1, without user, query or
    blanks.
ask_server("http://example.org/v1", "tiny")
    ValueError: url: 'example.org' is not this machine (localhost, 127.0.0.1, ::1), and a note
    that is sent there leaves your machine. If that is allowed, say allow_remote=True.
note_cells(WARD, ["42"])
    TypeError: entities must be a DataFrame with the columns 'record', 'kind', 'value',
    'start', 'end', as find_entities gives it; got DataFrame.
note_cells(AGED, ["43"])
    ValueError: entities are not of these notes: record 0 does not hold from 0 to 2 what was
    found there. Find the entities of the notes as they are now.
note_cells(AGED, ["42"], vocabularies={"illness": "flu"})
    TypeError: vocabularies: column 'illness' needs words, a list of texts or a mapping from
    value to a list of texts.
note_scores(["Nothing is said."], rng=rng)
    ValueError: notes has no columns (shape (1, 0)), so nothing can be measured; …
note_scores(WARD, ages=5, rng=rng)
    TypeError: 'ages' make a table of notes, and notes is a table already; pass the notes
    themselves, or leave this out.
telling_words(WARD, WARD)
    TypeError: cells must be the result of note_cells(...); got DataFrame.
shown_note(42)
    TypeError: note must be a string; got int.
shown_note("42", [(0, 2)])
    TypeError: words must be a DataFrame with the columns 'start' and 'end', such as
    telling_words(...) gives for one record; got list.
shown_note("4", AGED)
    ValueError: words: from 0 to 2 lies outside of the note, which has 1 characters; pass the
    words of this record only.
# Tables, engines and reports; their tests have more
read_table("no-such-file.csv")
    FileNotFoundError: there is no file 'no-such-file.csv'.
open_table(5)
    TypeError: where must be a path, a DuckDB connection or a Spark DataFrame; got
    builtins.int. A DataFrame of pandas, Polars or Arrow is passed to the metrics as it is.
write_parquet(tk.record_class_sizes, 5, "age", "table.parquet")
    TypeError: table must be what open_table returned; got int.
check_privacy(WARD, k=2)
    TypeError: quasi_identifiers must name columns, such as 'age', 'sex'; with [] everyone is
    in one class.
assert_privacy(WARD, k=2)
    TypeError: quasi_identifiers must name columns, such as 'age', 'sex'; with [] everyone is
    in one class.
check_privacy(WARD, "age", t=0.2)
    ValueError: there is a threshold for t, but nothing to measure: it needs a sensitive
    column.
assert_privacy(WARD, "age", "illness", k=2, l=1, t=0.2)
    AssertionError: The table misses 1 of 3 thresholds: t_closeness (kind=equal) of illness is
    0.3, but must be at most 0.2 (rows violating: 2)
risk_report(WARD, k=6)
    ValueError: k=6 needs at least 6 records, and there are 5; ask for a smaller k.
suggest_roles(5)
    TypeError: data must be a pandas DataFrame; got builtins.int: make one.
"""
TWINS_OF = {
    "entropy": "residual_entropy total_correlation dual_total_correlation",
    "kl_divergence": "total_variation",
    "cell_information_gain": "cell_surprise_factor weighted_cell_information_gain "
    "information_factors",
    "row_information_gain": "feature_information_gain",
    "information_gain_terms": "same_context",
    "equivalence_class": "class_sizes",
    "k_anonymity": "record_class_sizes reidentification_risk",
    "k_map": "class_presence delta_presence population_matches",
    "l_diversity": "class_counts entropy_l_diversity basic_beta_likeness "
    "enhanced_beta_likeness",
    "cell_losses": "generalisation_precision information_loss normalised_certainty_penalty",
    "optimal_generalisation": "exhaustive_generalisation",
    "mondrian": "mondrian_regions",
    "note_cells": "entity_table",
}
OWN = "unknown="  # an argument that the twins lack


def function_of(call: str) -> str:
    """Name of the function that is called."""
    return call.split("(")[0]


def rows() -> list[tuple[str, str]]:
    """Each call with its answer, those of twins included."""
    blocks = [block.split("\n", 1) for block in re.split(r"\n(?=\S)", MESSAGES.strip())]
    found = [(call, " ".join(said[0].split())) for call, *said in blocks if call[0] != "#"]
    twins = [
        (call.replace(name, twin, 1), said)
        for name, others in TWINS_OF.items()
        for twin in others.split()
        for call, said in found
        if function_of(call) == name and OWN not in call
    ]
    return found + twins


TEXT = pd.Series(["text"]).dtype
"""Its name is str, and object with pandas 2."""


@pytest.mark.parametrize(("call", "said"), [pytest.param(*row, id=row[0]) for row in rows()])
def test_a_refusal_is_one_sentence_that_helps(call, said):
    with pytest.raises((TypeError, ValueError, OSError, AssertionError)) as refusal:
        eval(call, dict(NAMES))
    sentences = [str(refusal.value), *getattr(refusal.value, "__notes__", [])]
    found = f"{refusal.type.__name__}: {' '.join(' '.join(sentences).split())}"
    found = found.replace("pandas.core.series.", "pandas.")  # as pandas 2 says
    said = said.replace("type str", f"type {TEXT}").replace("'str'", f"'{TEXT}'")
    assert found == said or (said[-1] == "…" and found.startswith(said[:-2]))


def test_every_public_function_has_a_row():
    functions = [
        getattr(tk, name) for name in tk.__all__ if inspect.isfunction(getattr(tk, name))
    ]
    # The tests of differential privacy have tables of their own, a row per kind of refusal.
    names = {one.__name__ for one in functions if not one.__module__.startswith("toolkit.dp")}
    assert names <= {function_of(call) for call, _ in rows()}
