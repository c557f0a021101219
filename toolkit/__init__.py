"""Privacy metrics of tables, each with a definition, tests of its laws and a notebook.

>>> import pandas as pd
>>> import toolkit as tk
>>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
>>> tk.row_information_gain(tk.cell_information_gain(data)).idxmax()
2

Every public name is listed once, in ``__init__.pyi``, and its module is imported when the name
is first used. A subpackage, such as ``toolkit.disclosure``, lists its own names. Plots and
widgets need matplotlib and ipywidgets. ``toolkit.datasets`` has tables for trying things out.

What to call first::

    read_table("people.csv")         a file as a DataFrame
    suggest_roles(data)              role of each column for an attacker
    k_anonymity(data, known)         records in the smallest class
    unique_share(data, known)        share of records that are unique
    l_diversity(data, known, secret) values in the least diverse class
    t_closeness(data, known, secret) greatest distance of a class from the table
    cell_information_gain(data)      bits that each cell discloses
    check_privacy(data, known, ...)  all metrics, and thresholds
    treat(data, known, k=5)          a release that meets thresholds
    laplace(value, ...)              a number with noise
"""

import difflib
import importlib
from importlib.util import find_spec

import lazy_loader

_attribute, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.2.0"

MEANT = {
    "cig": "cell_information_gain",
    "rig": "row_information_gain",
    "fig": "feature_information_gain",
    "csf": "cell_surprise_factor",
    "pif": "personal_information_factor",
    "check": "check_privacy",
    "anonymise": "treat",
    "anonymize": "treat",
}


def __getattr__(name):
    if name in __all__:
        return _attribute(name)
    if find_spec(f"toolkit.{name}") is not None:
        return importlib.import_module(f"toolkit.{name}")
    close = MEANT.get(name.lower()) or "".join(difflib.get_close_matches(name, __all__, n=1))
    hint = f" Did you mean {close!r}?" * bool(close)
    raise AttributeError(f"toolkit has no {name!r}.{hint}")
