from ._explorer import (
    Explorer as Explorer,
    explorer as explorer,
)
from .anonymisation import (
    Generalised as Generalised,
    cuts_until as cuts_until,
    generalisation_explorer as generalisation_explorer,
    generalisation_figure as generalisation_figure,
    generalisation_summary as generalisation_summary,
    generalised as generalised,
    mondrian_explorer as mondrian_explorer,
    mondrian_figure as mondrian_figure,
    mondrian_summary as mondrian_summary,
    search_explorer as search_explorer,
    search_figure as search_figure,
    search_summary as search_summary,
)
from .attribute import (
    METRICS as METRICS,
    ClassView as ClassView,
    class_explorer as class_explorer,
    class_figure as class_figure,
    class_summary as class_summary,
    class_view as class_view,
    threshold_explorer as threshold_explorer,
    threshold_figure as threshold_figure,
    threshold_summary as threshold_summary,
    threshold_violations as threshold_violations,
)
from .auditing import (
    Audited as Audited,
    audit_explorer as audit_explorer,
    audit_figure as audit_figure,
    audit_summary as audit_summary,
    audited as audited,
    scalar_cases as scalar_cases,
)
from .engines import (
    Way as Way,
    expected_classes as expected_classes,
    way_explorer as way_explorer,
    way_figure as way_figure,
    way_of as way_of,
    way_summary as way_summary,
)
from .histograms import (
    Tried as Tried,
    histogram_explorer as histogram_explorer,
    histogram_figure as histogram_figure,
    histogram_summary as histogram_summary,
    tried_release as tried_release,
)
from .identifiability import (
    Attacked as Attacked,
    attacked as attacked,
    identifiability_explorer as identifiability_explorer,
    identifiability_figure as identifiability_figure,
    identifiability_summary as identifiability_summary,
    policy_explorer as policy_explorer,
    policy_figure as policy_figure,
    policy_summary as policy_summary,
)
from .identity import (
    Narrowed as Narrowed,
    attack_explorer as attack_explorer,
    attack_figure as attack_figure,
    attack_summary as attack_summary,
    columns_explorer as columns_explorer,
    columns_figure as columns_figure,
    columns_summary as columns_summary,
    narrowed as narrowed,
)
from .information import (
    cell_explorer as cell_explorer,
    cell_figure as cell_figure,
    cell_summary as cell_summary,
    pif_explorer as pif_explorer,
    pif_figure as pif_figure,
    pif_summary as pif_summary,
    prior_explorer as prior_explorer,
    prior_figure as prior_figure,
    prior_summary as prior_summary,
    treat as treat,
    treatment_explorer as treatment_explorer,
    treatment_figure as treatment_figure,
    treatment_outcome as treatment_outcome,
    treatment_summary as treatment_summary,
)
from .mechanisms import (
    NoisyPair as NoisyPair,
    averaging_explorer as averaging_explorer,
    averaging_figure as averaging_figure,
    averaging_summary as averaging_summary,
    noise_explorer as noise_explorer,
    noise_figure as noise_figure,
    noise_summary as noise_summary,
    noisy_pair as noisy_pair,
    running_means as running_means,
)
from .report import (
    BUNDLED as BUNDLED,
    TableExplorer as TableExplorer,
    bundled_table as bundled_table,
    setting_explorer as setting_explorer,
    table_explorer as table_explorer,
    table_figure as table_figure,
    table_of_file as table_of_file,
    table_summary as table_summary,
    uploaded_table as uploaded_table,
)
from .uniqueness import (
    StandingOut as StandingOut,
    standing_out as standing_out,
    standing_out_explorer as standing_out_explorer,
    standing_out_figure as standing_out_figure,
    standing_out_summary as standing_out_summary,
)
