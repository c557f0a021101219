from .anonymisation.hierarchies import (
    date_hierarchy as date_hierarchy,
    group_hierarchy as group_hierarchy,
    interval_hierarchy as interval_hierarchy,
    prefix_hierarchy as prefix_hierarchy,
    read_hierarchy as read_hierarchy,
    rounding_hierarchy as rounding_hierarchy,
    suggest_hierarchies as suggest_hierarchies,
    suppression_hierarchy as suppression_hierarchy,
    write_hierarchy as write_hierarchy,
)
from .anonymisation.lattice import (
    LatticeNode as LatticeNode,
    ThresholdsMissed as ThresholdsMissed,
    exhaustive_generalisation as exhaustive_generalisation,
    optimal_generalisation as optimal_generalisation,
)
from .anonymisation.partition import (
    mondrian as mondrian,
    mondrian_regions as mondrian_regions,
)
from .anonymisation.recode import (
    bin_column as bin_column,
    drop_columns as drop_columns,
    generalise as generalise,
    group_column as group_column,
    group_rare_values as group_rare_values,
    suppress as suppress,
    truncate_column as truncate_column,
)
from .anonymisation.release import (
    Release as Release,
    without_traces as without_traces,
)
from .anonymisation.suppression import (
    local_suppression as local_suppression,
)
from .anonymisation.treatment import (
    treat as treat,
    treat_again as treat_again,
)
from .anonymisation.utility import (
    InformationRisk as InformationRisk,
    MarginalSimilarity as MarginalSimilarity,
    average_class_size as average_class_size,
    cell_losses as cell_losses,
    classification_metric as classification_metric,
    discernability as discernability,
    information_loss as information_loss,
    information_risk as information_risk,
    marginal_similarity as marginal_similarity,
    release_kl_divergence as release_kl_divergence,
)
from .classes import (
    ClassTable as ClassTable,
    class_counts as class_counts,
    class_sizes as class_sizes,
    class_table as class_table,
    equivalence_class as equivalence_class,
)
from .disclosure.attribute import (
    AlphaK as AlphaK,
    alpha_k_anonymity as alpha_k_anonymity,
    basic_beta_likeness as basic_beta_likeness,
    delta_disclosure as delta_disclosure,
    enhanced_beta_likeness as enhanced_beta_likeness,
    entropy_l_diversity as entropy_l_diversity,
    l_diversity as l_diversity,
    recursive_cl_diversity as recursive_cl_diversity,
    t_closeness as t_closeness,
)
from .disclosure.check import (
    PrivacyReport as PrivacyReport,
    assert_privacy as assert_privacy,
    check_privacy as check_privacy,
)
from .disclosure.identity import (
    ReidentificationRisk as ReidentificationRisk,
    k_anonymity as k_anonymity,
    record_class_sizes as record_class_sizes,
    reidentification_risk as reidentification_risk,
)
from .disclosure.membership import (
    DeltaPresence as DeltaPresence,
    class_presence as class_presence,
    delta_presence as delta_presence,
    k_map as k_map,
    linkage_candidates as linkage_candidates,
    population_matches as population_matches,
)
from .disclosure.models import (
    by_class as by_class,
)
from .dp.accounting import (
    PrivacyBudget as PrivacyBudget,
    PrivacyLoss as PrivacyLoss,
    advanced_composition as advanced_composition,
    group_privacy as group_privacy,
    parallel_composition as parallel_composition,
    renyi_composition as renyi_composition,
    sequential_composition as sequential_composition,
    zcdp_composition as zcdp_composition,
)
from .dp.auditor import (
    AuditResult as AuditResult,
    audit as audit,
    audit_many as audit_many,
    audit_power as audit_power,
    audit_table as audit_table,
    clopper_pearson as clopper_pearson,
)
from .dp.cases import (
    NeighbourPair as NeighbourPair,
    histogram_mechanism as histogram_mechanism,
    neighbour_pairs as neighbour_pairs,
)
from .dp.histograms import (
    PrivateHistograms as PrivateHistograms,
    bound_contributions as bound_contributions,
    check_input as check_input,
    col_decoder as col_decoder,
    combined_domains as combined_domains,
    create_private_histo as create_private_histo,
    curator_utility as curator_utility,
    expected_largest_noise as expected_largest_noise,
    expected_noise as expected_noise,
    expected_total_variation as expected_total_variation,
    histo_test as histo_test,
    histogram_epsilon as histogram_epsilon,
    histogram_scale as histogram_scale,
    histogram_sensitivity as histogram_sensitivity,
    infer_domain as infer_domain,
    population_query as population_query,
    pre_process as pre_process,
    release_histograms as release_histograms,
    release_threshold as release_threshold,
    simulate_rows as simulate_rows,
    without_individual as without_individual,
)
from .dp.identifiability import (
    Moments as Moments,
    composed_risk as composed_risk,
    composed_scale as composed_scale,
    disclosure_risk as disclosure_risk,
    effective_worlds as effective_worlds,
    epsilon_bound as epsilon_bound,
    global_sensitive_range as global_sensitive_range,
    identifiability_curve as identifiability_curve,
    noise_quantiles as noise_quantiles,
    noise_ratio_scale as noise_ratio_scale,
    number_of_worlds as number_of_worlds,
    output_shifts as output_shifts,
    possible_outputs as possible_outputs,
    possible_worlds as possible_worlds,
    risk_bound as risk_bound,
    scale_bound as scale_bound,
    sensitive_range as sensitive_range,
    simulate_attack as simulate_attack,
    tight_epsilon as tight_epsilon,
    tight_scale as tight_scale,
    world_posterior as world_posterior,
    world_risks as world_risks,
)
from .dp.mechanisms import (
    discrete_laplace as discrete_laplace,
    exponential as exponential,
    gaussian as gaussian,
    geometric as geometric,
    laplace as laplace,
    randomised_response as randomised_response,
)
from .dp.noise import (
    DiscreteLaplaceNoise as DiscreteLaplaceNoise,
    ExponentialChoice as ExponentialChoice,
    GaussianNoise as GaussianNoise,
    LaplaceNoise as LaplaceNoise,
    RandomisedResponse as RandomisedResponse,
    gaussian_delta as gaussian_delta,
    gaussian_scale as gaussian_scale,
    laplace_delta as laplace_delta,
    laplace_scale as laplace_scale,
)
from .dp.sensitivity import (
    Sensitivity as Sensitivity,
    sensitivity_by_brute_force as sensitivity_by_brute_force,
)
from .engines import (
    EngineTable as EngineTable,
    Plan as Plan,
    open_table as open_table,
    write_parquet as write_parquet,
)
from .information.entropies import (
    conditional_entropies as conditional_entropies,
    dual_total_correlation as dual_total_correlation,
    entropy as entropy,
    kl_divergence as kl_divergence,
    mutual_information as mutual_information,
    mutual_information_table as mutual_information_table,
    residual_entropy as residual_entropy,
    total_correlation as total_correlation,
)
from .information.pif import (
    InformationFactors as InformationFactors,
    cell_information_gain as cell_information_gain,
    cell_surprise_factor as cell_surprise_factor,
    context_sizes as context_sizes,
    feature_information_gain as feature_information_gain,
    information_factors as information_factors,
    information_gain_terms as information_gain_terms,
    personal_information_factor as personal_information_factor,
    posterior_distributions as posterior_distributions,
    prior_distribution as prior_distribution,
    row_information_gain as row_information_gain,
    same_context as same_context,
    weighted_cell_information_gain as weighted_cell_information_gain,
)
from .io import (
    read_table as read_table,
)
from .report.report import (
    RiskReport as RiskReport,
    risk_report as risk_report,
)
from .report.roles import (
    suggest_roles as suggest_roles,
)
from .text.entities import (
    find_entities as find_entities,
    mask_entities as mask_entities,
)
from .text.judges import (
    NoteJudgements as NoteJudgements,
    ask_server as ask_server,
    judge_notes as judge_notes,
    krippendorff_alpha as krippendorff_alpha,
)
from .text.tables import (
    ShownNote as ShownNote,
    entity_table as entity_table,
    note_cells as note_cells,
    note_scores as note_scores,
    shown_note as shown_note,
    telling_words as telling_words,
)
from .uniqueness.copula import (
    CopulaUniqueness as CopulaUniqueness,
    GaussianCopula as GaussianCopula,
    calibration_error as calibration_error,
    copula_uniqueness as copula_uniqueness,
    draw_from_copula as draw_from_copula,
    fit_copula as fit_copula,
    uniqueness_calibration as uniqueness_calibration,
)
from .uniqueness.outliers import (
    outlier_contributions as outlier_contributions,
    outlier_scores as outlier_scores,
)
from .uniqueness.population import (
    PopulationUniques as PopulationUniques,
    dankar_uniques as dankar_uniques,
    estimated_k_map as estimated_k_map,
    individual_risk as individual_risk,
    k_map_threshold as k_map_threshold,
    pitman_uniques as pitman_uniques,
    population_uniques as population_uniques,
    snb_uniques as snb_uniques,
    zayatz_uniques as zayatz_uniques,
)
from .uniqueness.sample import (
    PrivacyScores as PrivacyScores,
    privacy_scores as privacy_scores,
    sample_uniqueness as sample_uniqueness,
    subset_uniqueness as subset_uniqueness,
    unique_share as unique_share,
    uniqueness_curve as uniqueness_curve,
)
from .uniqueness.suda import (
    SudaUniques as SudaUniques,
    dis_suda_scores as dis_suda_scores,
    minimal_sample_uniques as minimal_sample_uniques,
    suda_uniques as suda_uniques,
)

__version__: str
