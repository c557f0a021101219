from .anonymisation import (
    plot_column_losses as plot_column_losses,
    plot_crowds as plot_crowds,
    plot_lattice as plot_lattice,
    plot_regions as plot_regions,
    plot_risk_loss as plot_risk_loss,
)
from .disclosure import (
    plot_class_sizes as plot_class_sizes,
    plot_classes as plot_classes,
    plot_cumulative as plot_cumulative,
    plot_implications as plot_implications,
    plot_known_columns as plot_known_columns,
    plot_narrowing as plot_narrowing,
    plot_records as plot_records,
    plot_uniqueness as plot_uniqueness,
    plot_verdicts as plot_verdicts,
)
from .dp import (
    plot_audits as plot_audits,
    plot_beliefs as plot_beliefs,
    plot_curves as plot_curves,
    plot_densities as plot_densities,
    plot_errors as plot_errors,
    plot_log_ratio as plot_log_ratio,
    plot_noise_draws as plot_noise_draws,
    plot_power as plot_power,
    plot_search as plot_search,
    plot_widths as plot_widths,
    plot_world_posterior as plot_world_posterior,
    plot_worlds as plot_worlds,
)
from .information import (
    plot_cell_bands as plot_cell_bands,
    plot_cells as plot_cells,
    plot_cig_csf as plot_cig_csf,
    plot_gain_terms as plot_gain_terms,
    plot_posteriors as plot_posteriors,
    plot_prior as plot_prior,
    plot_rig as plot_rig,
    plot_riskiest_rows as plot_riskiest_rows,
    plot_treatments as plot_treatments,
)
from .uniqueness import (
    plot_calibration as plot_calibration,
    plot_crowd_and_distance as plot_crowd_and_distance,
    plot_estimates as plot_estimates,
)
