"""How is a table made anonymous? One door to hierarchies, recoding and suppression.

`optimal_generalisation` recodes whole columns and loses as little as can be, `mondrian` cuts
the records into boxes, and `local_suppression` masks single cells. Hierarchies say which
coarser labels can stand for a value. What comes of it is a `Release`, whose privacy is
measured on its own rows.
"""

from .hierarchies import (
    date_hierarchy,
    generalise,
    group_hierarchy,
    interval_hierarchy,
    prefix_hierarchy,
    read_hierarchy,
    rounding_hierarchy,
    suppress,
    suppression_hierarchy,
    write_hierarchy,
)
from .lattice import LatticeNode, exhaustive_generalisation, optimal_generalisation
from .mondrian import mondrian, mondrian_regions
from .releases import Release, Requirements, measure_release
from .suppression import LocalSuppression, local_suppression
from .traces import without_traces

__all__ = [
    "LatticeNode",
    "LocalSuppression",
    "Release",
    "Requirements",
    "date_hierarchy",
    "exhaustive_generalisation",
    "generalise",
    "group_hierarchy",
    "interval_hierarchy",
    "local_suppression",
    "measure_release",
    "mondrian",
    "mondrian_regions",
    "optimal_generalisation",
    "prefix_hierarchy",
    "read_hierarchy",
    "rounding_hierarchy",
    "suppress",
    "suppression_hierarchy",
    "without_traces",
    "write_hierarchy",
]
