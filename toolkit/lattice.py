"""Which levels of generalisation cost least? The optimal full-domain recoding of a table.

A node of the lattice is one level per quasi-identifier: all cells of a column show their label
on its level. Classes that miss a requirement are suppressed, and of the nodes that suppress
few enough records the one of least loss is wanted.

`exhaustive_generalisation` looks at every node. `optimal_generalisation` finds the same one
and looks at few, because of two facts and the want of a third:

* A record that has too few others like it at a node, or among them too few sensitive values,
  has them at no node below, whose classes are parts of those above. So a node that suppresses
  too many records rules out all nodes below.
* The loss of a node is at least that of its labels with nothing suppressed, and at least that
  with everything suppressed that any node above it cannot but suppress.
* Entropy, recursive diversity and closeness have no such law once records are suppressed: a
  class that satisfies them may be joined by records that were suppressed, and satisfy them no
  more, or the table that it is compared with may change. They rule out nothing, unless nothing
  may be suppressed: then classes that satisfy them also satisfy them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ._validate import (
    check_loss_choice,
    check_requirements,
    check_suppression_limit,
    no_node,
)
from .lattice_losses import AskedLoss, CellLoss, ClassSize, LatticeNode
from .lattice_nodes import read_lattice
from .lattice_search import Found, Problem, Search, best_of, sweep
from .releases import Release, Requirements, measure_release

__all__ = ["LatticeNode", "exhaustive_generalisation", "optimal_generalisation"]

LOSSES: dict[str, type[CellLoss] | type[ClassSize]] = {
    "loss": CellLoss,
    "average_class_size": ClassSize,
}


def optimal_generalisation(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    hierarchies: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    suppression_limit: float = 0.0,
    loss: Any = "loss",
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    missing: str = "category",
    progress: bool = False,
    trace: bool = False,
) -> Release:
    r"""Generalise each column to the level that, together, loses least.

    Whole classes that miss a requirement are suppressed, at most as many records as the limit
    allows: first classes of fewer than `k` records or too few sensitive values; then those
    that miss entropy or recursive diversity, or closeness to the table that is left, over and
    over until all classes that are left satisfy them.

    Parameters
    ----------
    data : DataFrame of shape (n_records, n_features)
        The table; it is not changed.
    quasi_identifiers : column, or list of columns
        What an attacker may know: names or positions; a name wins.
    hierarchies : mapping
        From column to its table: a row per value, which lists the value and its label on each
        level. Tables of other columns are not looked at.
    k : int
        Least number of records in a class.
    l, t : optional
        Least diversity of the sensitive values in a class, and their greatest distance from
        those of the release (see `t_closeness`). Suppressed records count for neither.
    sensitive : column, optional
        The column that `l` and `t` are about, no quasi-identifier.
    suppression_limit : float, default 0
        Share of the records that may be suppressed, from 0 to 1.
    loss : {"loss", "average_class_size"} or function
        What is to be least, see Notes. A function takes a `LatticeNode` and returns a number;
        it is asked of every node that satisfies the requirements, once.
    diversity : {"distinct", "entropy", "recursive"}
        Which diversity `l` means: see `l_diversity`, `entropy_l_diversity` and
        `recursive_cl_diversity`, which must stay below `c`.
    c : float, optional
        For recursive diversity.
    kind : {"auto", "ordered", "equal"} or table
        Which distance `t` means, as for `t_closeness`.
    missing : {"category", "drop"}
        What a missing cell is: a value of its own, which needs a row in the hierarchy; or a
        reason to leave the record out of the release before anything is counted.
    progress : bool
        Show a progress bar: the nodes that are settled.
    trace : bool
        Keep what became of each node, as `trace` of the release.

    Returns
    -------
    Release
        `data` under the caller's labels, `levels`, `loss`, `suppressed`, and the `privacy`
        that was measured on `data`. The index and the order of the rows are released too (see
        `Release`). If `trace`, also a table with a row per node, indexed by
        the levels: the `step` (how many nodes had been looked at) that settled it; its `fate`
        ("evaluated"; "infeasible", as a node above suppresses too much; "bounded", as it
        cannot be better); and for evaluated nodes `loss`, `suppressed` (of one that is not
        feasible, at least so many) and whether it is `feasible`.

    Raises
    ------
    TypeError, ValueError
        If a column, a hierarchy or a value of it is not there, a requirement makes no sense,
        or no node satisfies them all.

    See Also
    --------
    exhaustive_generalisation : the same by looking at every node.

    Notes
    -----
    The loss of a table of n records (as ARX defines it, for equal weights) is

    .. math:: \prod_j (1 + L_j)^{1/d} - 1, \quad
       L_j = \frac{\sum_i s_{ij} - n / D_j}{n - n / D_j}

    over the d columns, where :math:`s_{ij}` is the share of the :math:`D_j` values of the
    hierarchy that the label of record i stands for, and 1 if it is suppressed.
    :math:`L_j` is rounded down to ten decimals, and 0 for a hierarchy of one value. The
    average class size is the number of records over that of classes, where all suppressed
    records are one class. Of nodes of equal loss (to twelve digits) the one with the least
    sum of levels wins, then the one with the lower level in the first column where they
    differ.

    A table that is no coarser than it must be says something by that. Whoever knows how it
    was made can ask which sensitive values would have made it finer, and may learn more of a
    record than `l` or `t` allows [4]_. What is measured does not see this attack on
    minimality. It needs a requirement on sensitive values; `k` alone looks at none.

    References
    ----------
    .. [1] K. El Emam et al., "A globally optimal k-anonymity method for the de-identification
       of health data", Journal of the American Medical Informatics Association 16(5), 2009.
    .. [2] F. Kohlmayer, F. Prasser et al., "Flash: efficient, stable and optimal k-anonymity",
       PASSAT 2012.
    .. [3] F. Prasser, F. Kohlmayer and K. A. Kuhn, "Efficient and effective pruning strategies
       for health data de-identification", BMC Medical Informatics and Decision Making 16,
       2016.
    .. [4] R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, "Minimality attack in privacy
       preserving data publishing", VLDB 2007.

    Examples
    --------
    Hiding the last digit of the zip code is enough, if one record may go:

    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"], "ill": ["flu", "hiv", "flu"]})
    >>> trees = {"zip": zips}
    >>> release = optimal_generalisation(data, "zip", trees, k=2, suppression_limit=0.34)
    >>> release.levels, release.suppressed.tolist(), release.privacy["k"].item()
    ({'zip': 1}, [2], 2.0)
    >>> release.data
      zip  ill
    0  1*  flu
    1  1*  hiv
    """
    problem = _problem(**locals())
    with _bar(problem, progress) as bar:
        search = Search(problem, bar, trace=trace)
        found = search.run()
    release = _release(problem, found)
    return replace(release, trace=_trace(problem, found, search)) if trace else release


def exhaustive_generalisation(
    data: pd.DataFrame,
    quasi_identifiers: Any,
    hierarchies: Any,
    *,
    k: int,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    sensitive: Any = None,
    suppression_limit: float = 0.0,
    loss: Any = "loss",
    diversity: str = "distinct",
    c: float | None = None,
    kind: Any = "auto",
    missing: str = "category",
    progress: bool = False,
    trace: bool = False,
) -> Release:
    """Find the levels that lose least by looking at every node of the lattice.

    The classes of each node are made up of those of a node one level below. Slow, but so plain
    that `optimal_generalisation` is tested against it.

    Parameters
    ----------
    data, quasi_identifiers, hierarchies, k, l, t, sensitive, suppression_limit
        As for `optimal_generalisation`.
    loss, diversity, c, kind, missing, progress, trace
        As for `optimal_generalisation`.

    Returns
    -------
    Release
        The release that `optimal_generalisation` finds, but for `evaluations` and `trace`.

    Raises
    ------
    TypeError, ValueError
        As `optimal_generalisation`.

    Examples
    --------
    >>> zips = [["11", "1*", "**"], ["12", "1*", "**"], ["20", "2*", "**"]]
    >>> data = pd.DataFrame({"zip": ["11", "12", "20"]})
    >>> exhaustive_generalisation(data, "zip", {"zip": zips}, k=3, trace=True).trace
         step       fate  loss  suppressed  feasible
    zip
    0       1  evaluated   NaN           3     False
    1       2  evaluated   NaN           3     False
    2       3  evaluated   1.0           0      True
    """
    problem = _problem(**locals())
    with _bar(problem, progress) as bar:
        found = list(sweep(problem, bar))
    release = _release(problem, found)
    return replace(release, trace=_trace(problem, found)) if trace else release


def _problem(
    data: Any,
    quasi_identifiers: Any,
    hierarchies: Any,
    k: Any,
    l: Any,  # noqa: E741
    t: Any,
    sensitive: Any,
    suppression_limit: Any,
    loss: Any,
    diversity: Any,
    c: Any,
    kind: Any,
    missing: Any,
    **_: Any,
) -> Problem:
    """Check and encode what is asked for."""
    check_loss_choice(loss)
    k, l, t, c = check_requirements(k, l, t, diversity, c, sensitive is not None)  # noqa: E741
    requirements = Requirements(k, l, t, diversity, c, kind)
    lattice = read_lattice(data, quasi_identifiers, hierarchies, sensitive, missing)
    if sensitive is not None:
        requirements.distances(lattice.classes)  # complains of a kind that cannot be measured
    limit = check_suppression_limit(suppression_limit, lattice.records)
    about = (lattice, requirements, limit)
    if callable(loss):
        return Problem(*about, AskedLoss(*about, loss))
    return Problem(*about, LOSSES[loss](*about))


def _bar(problem: Problem, progress: bool) -> tqdm[Any]:
    nodes = problem.lattice.nodes
    return tqdm(total=nodes, desc="lattice", unit="node", disable=not progress)


def _release(problem: Problem, found: Sequence[Found]) -> Release:
    """Generalise the table to the best node, and measure what comes of it."""
    lattice, requirements, best = problem.lattice, problem.requirements, best_of(found)
    if best is None:
        top = tuple(height - 1 for height in lattice.shape)
        least = replace(problem, limit=lattice.records).look(lattice.bottom, top).suppressed
        raise no_node(requirements.wanted, problem.limit, least, lattice.records)
    gone = problem.look(lattice.bottom, best.node).gone_members
    return measure_release(
        lattice.generalised(best.node),
        [column.position for column in lattice.columns],
        suppressed=lattice.rows_like(gone),
        dropped=lattice.classes.ids < 0,
        sensitive=lattice.sensitive,
        levels=lattice.named(best.node),
        loss=problem.loss.loss(best.cost),
        evaluations=len(found),
        l=int(requirements.l or 1) if requirements.diversity == "recursive" else None,
        kind=requirements.kind,
    )


def _trace(
    problem: Problem, found: Sequence[Found], search: Search | None = None
) -> pd.DataFrame:
    """What became of each node, in the order in which it was settled."""
    shape = problem.lattice.shape
    place = np.array([one.rank % problem.lattice.nodes for one in found])
    feasible = [one.feasible for one in found]
    losses = [problem.loss.loss(one.cost) if one.feasible else np.nan for one in found]
    seen = pd.DataFrame(
        {
            "step": np.arange(1, len(found) + 1),
            "fate": "evaluated",
            "loss": losses,
            "suppressed": pd.array([one.suppressed for one in found], dtype="Int64"),
            "feasible": pd.array(feasible, dtype="boolean"),
        },
        index=place,
    )
    if search is not None:
        steps, fates = search.settled()
        others = np.setdiff1d(np.arange(problem.lattice.nodes), place)
        rest = pd.DataFrame({"step": steps[others], "fate": fates[others]}, index=others)
        rest["feasible"] = pd.array(
            [False if fate == "infeasible" else None for fate in rest["fate"]], dtype="boolean"
        )
        seen = pd.concat([seen, rest]) if len(rest) else seen
    seen = seen.sort_values("step", kind="stable")
    levels = np.unravel_index(seen.index.to_numpy(), shape) if shape else ()
    names = [column.name for column in problem.lattice.columns]
    seen.index = pd.MultiIndex.from_arrays(levels, names=names) if shape else pd.RangeIndex(1)
    return seen
