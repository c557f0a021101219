from ._style import (
    BLUE as BLUE,
    COLOURS as COLOURS,
    GREEN as GREEN,
    ORANGE as ORANGE,
    PURPLE as PURPLE,
    SKY as SKY,
    VERMILLION as VERMILLION,
    YELLOW as YELLOW,
    column_colours as column_colours,
    value_label as value_label,
)
from .anonymisation import (
    plot_column_losses as plot_column_losses,
    plot_crowds as plot_crowds,
    plot_lattice as plot_lattice,
    plot_loss_by_limit as plot_loss_by_limit,
    plot_regions as plot_regions,
    plot_risk_loss as plot_risk_loss,
)
from .disclosure import (
    plot_class_numbers as plot_class_numbers,
    plot_class_shares as plot_class_shares,
    plot_class_sizes as plot_class_sizes,
    plot_classes as plot_classes,
    plot_costs as plot_costs,
    plot_cumulative as plot_cumulative,
    plot_implications as plot_implications,
    plot_linkage as plot_linkage,
    plot_narrowing as plot_narrowing,
    plot_presence as plot_presence,
    plot_records as plot_records,
    plot_small_tables as plot_small_tables,
    plot_uniqueness as plot_uniqueness,
    plot_verdicts as plot_verdicts,
    plot_violations as plot_violations,
)
from .dp import (
    plot_answers as plot_answers,
    plot_audits as plot_audits,
    plot_averages as plot_averages,
    plot_errors as plot_errors,
    plot_event as plot_event,
    plot_log_ratio as plot_log_ratio,
    plot_neighbours as plot_neighbours,
    plot_noisy_shares as plot_noisy_shares,
    plot_power as plot_power,
    plot_variations as plot_variations,
    plot_widths as plot_widths,
)
from .engines import (
    plot_class_growth as plot_class_growth,
    plot_cost_per_row as plot_cost_per_row,
    plot_way as plot_way,
)
from .identifiability import (
    plot_attack as plot_attack,
    plot_beliefs as plot_beliefs,
    plot_curves as plot_curves,
    plot_densities as plot_densities,
    plot_noise as plot_noise,
    plot_noise_draws as plot_noise_draws,
    plot_search as plot_search,
    plot_world_posterior as plot_world_posterior,
    plot_worlds as plot_worlds,
)
from .information import (
    plot_cell_bands as plot_cell_bands,
    plot_cells as plot_cells,
    plot_cig_csf as plot_cig_csf,
    plot_context_sizes as plot_context_sizes,
    plot_gain_terms as plot_gain_terms,
    plot_noise_band as plot_noise_band,
    plot_posteriors as plot_posteriors,
    plot_prior as plot_prior,
    plot_rig as plot_rig,
    plot_riskiest_rows as plot_riskiest_rows,
    plot_treatments as plot_treatments,
)
from .report import (
    emptied as emptied,
    plot_column_gains as plot_column_gains,
    plot_column_prices as plot_column_prices,
    plot_known_columns as plot_known_columns,
)
from .uniqueness import (
    plot_agreement as plot_agreement,
    plot_calibration as plot_calibration,
    plot_crowd_and_distance as plot_crowd_and_distance,
    plot_estimates as plot_estimates,
    plot_flagged as plot_flagged,
    plot_map as plot_map,
)
