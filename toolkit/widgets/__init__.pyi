from ._explorer import (
    Explorer as Explorer,
    explorer as explorer,
)
from .anonymisation import (
    generalisation_explorer as generalisation_explorer,
    mondrian_explorer as mondrian_explorer,
    search_explorer as search_explorer,
)
from .disclosure import (
    attack_explorer as attack_explorer,
    columns_explorer as columns_explorer,
)
from .dp import (
    audit_explorer as audit_explorer,
    averaging_explorer as averaging_explorer,
    halving_explorer as halving_explorer,
    histogram_explorer as histogram_explorer,
    identifiability_explorer as identifiability_explorer,
    noise_explorer as noise_explorer,
    policy_explorer as policy_explorer,
)
from .information import (
    cell_explorer as cell_explorer,
    pif_explorer as pif_explorer,
    prior_explorer as prior_explorer,
    treatment_explorer as treatment_explorer,
)
from .uniqueness import (
    standing_out_explorer as standing_out_explorer,
)
