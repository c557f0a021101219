"""A module imports only from lower layers: metrics without plots, plots without metrics."""

import ast

import pytest

from tests.needs import ROOT

LAYERS = [  # from the lowest to the highest
    ["_figures", "_validate", "pages"],
    ["_validate_files"],
    ["_validate_engines", "_validate_noise", "unpacking"],
    ["_validate_histograms", "_validate_explorer", "columnar"],
    [
        "plots",
        "identifiability_plots",
        "anonymity_plots",
        "disclosure_plots",
        "mechanism_plots",
        "audit_plots",
        "generalisation_plots",
        "uniqueness_plots",
        "histogram_plots",
        "table_explorer_plots",
        "engine_plots",
        "datasets",
    ],
    ["grouping", "tables"],
    ["engine_files"],
    ["engines"],
    ["engine_distinct"],
    ["engine_classes", "engine_command", "engine_pairs"],
    ["classes", "roles"],
    ["assumptions"],
    ["information"],
    [
        "attack",
        "worlds",
        "beliefs",
        "histogram_domains",
        "histogram_shares",
        "noise",
        "gaussian_noise",
        "choices",
        "budget",
        "sensitivity",
        "population_risk",
        "audit_outputs",
        "audit_bounds",
    ],
    ["audit_score", "audit_dependence", "engine_factors", "engine_people"],
    ["audit_events"],
    [
        "pif",
        "anonymity",
        "disclosure",
        "utility",
        "mechanisms",
        "histogram_legacy",
        "histogram_utility",
        "identifiability",
        "audit",
        "audit_cases",
        "population",
        "copula",
        "special_uniques",
        "outliers",
    ],
    ["engine_report", "histogram_codes", "histogram_counts"],
    ["histogram_pairs"],
    ["traces"],
    ["hierarchies", "histograms", "treatments", "uniqueness"],
    ["releases", "mondrian_axes", "suggested_hierarchies"],
    ["table_explorer"],
    ["lattice_nodes"],
    ["lattice_losses"],
    ["lattice_search"],
    ["lattice", "mondrian", "suppression"],
    ["anonymise"],
    ["report", "report_treatments"],
    ["risk_report"],
    ["report_words"],
    ["widgets", "__init__"],
    [
        "identifiability_widgets",
        "anonymity_widgets",
        "disclosure_widgets",
        "mechanism_widgets",
        "audit_widgets",
        "generalisation_widgets",
        "uniqueness_widgets",
        "histogram_widgets",
        "table_explorer_widgets",
        "engine_widgets",
    ],
    ["__main__"],
]
LAYER = {module: layer for layer, modules in enumerate(LAYERS) for module in modules}
MODULES = sorted((ROOT / "toolkit").glob("*.py"))


def imported(source: str) -> set[str]:
    """Modules of the toolkit that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "toolkit." * bool(node.level) + (node.module or "")
            found |= {base} | {f"{base.rstrip('.')}.{alias.name}" for alias in node.names}
    parts = [name.split(".") for name in found]
    return {part[1] for part in parts if part[0] == "toolkit" and len(part) > 1}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_imports_only_from_lower_layers(path):
    assert path.stem in LAYER, "give the module a layer in this table"
    for name in imported(path.read_text(encoding="utf-8")) & set(LAYER):
        assert LAYER[name] < LAYER[path.stem], f"{path.stem} must not import {name}"


COMPUTING = set(LAYER) - {"_figures"}


@pytest.mark.parametrize(
    ("module", "unknown"),
    [
        *[(path.stem, COMPUTING) for path in MODULES if path.stem.endswith("plots")],
        ("__init__", {name for name in LAYER if name.endswith(("plots", "widgets"))}),
    ],
)
def test_plots_cannot_compute_and_the_package_needs_no_plots(module, unknown):
    path = ROOT / "toolkit" / f"{module}.py"
    assert not imported(path.read_text(encoding="utf-8")) & unknown


@pytest.mark.parametrize(
    "source",
    [
        "import toolkit.plots",
        "from toolkit import plots",
        "from toolkit.plots import plot_rig",
        "from . import plots",
        "from .plots import plot_rig",
        "def f():\n    from toolkit import plots",
    ],
)
def test_every_form_of_import_is_seen(source):
    assert "plots" in imported(source)
