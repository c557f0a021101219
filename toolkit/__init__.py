"""Privacy metrics of tables, each with its definition, its law and its notebook.

>>> import pandas as pd
>>> import toolkit as tk
>>> data = pd.DataFrame({"town": list("AAB"), "illness": ["flu", "flu", "hiv"]})
>>> tk.row_information_gain(tk.cell_information_gain(data)).idxmax()
2

Plots and widgets need matplotlib and ipywidgets, so they are imported by name:
``from toolkit import plots, widgets``. Tables to try it on are in ``toolkit.datasets``.
"""

from .classes import class_sizes, equivalence_class
from .information import (
    conditional_entropies,
    conditional_entropy,
    dual_total_correlation,
    entropy,
    kl_divergence,
    mutual_information,
    mutual_information_table,
    residual_entropy,
    total_correlation,
    total_variation,
)
from .pif import (
    InformationFactors,
    cell_information_gain,
    cell_surprise_factor,
    cohort,
    context_sizes,
    feature_information_gain,
    information_factors,
    information_gain_terms,
    personal_information_factor,
    posterior_distributions,
    prior_distribution,
    row_information_gain,
    weighted_cell_information_gain,
)
from .treatments import (
    TreatmentRisk,
    TreatmentUtility,
    bin_column,
    bin_numeric,
    drop_columns,
    group_column,
    group_rare_values,
    marginal_utility,
    numeric_bins,
    treatment_risk,
    truncate_column,
)

__version__ = "0.1.0"

__all__ = [
    "InformationFactors",
    "TreatmentRisk",
    "TreatmentUtility",
    "bin_column",
    "bin_numeric",
    "cell_information_gain",
    "cell_surprise_factor",
    "class_sizes",
    "cohort",
    "conditional_entropies",
    "conditional_entropy",
    "context_sizes",
    "drop_columns",
    "dual_total_correlation",
    "entropy",
    "equivalence_class",
    "feature_information_gain",
    "group_column",
    "group_rare_values",
    "information_factors",
    "information_gain_terms",
    "kl_divergence",
    "marginal_utility",
    "mutual_information",
    "mutual_information_table",
    "numeric_bins",
    "personal_information_factor",
    "posterior_distributions",
    "prior_distribution",
    "residual_entropy",
    "row_information_gain",
    "total_correlation",
    "total_variation",
    "treatment_risk",
    "truncate_column",
    "weighted_cell_information_gain",
]
